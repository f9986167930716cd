//! Puts checks into kernel form: `crate::check` has the design. `objects` finds which object each pointer was made
//! from, `companions` makes the values that say so where the code runs, `access` the checks of memory accesses,
//! `copies` those of asynchronous copies, which `events` numbers. What is best seen in modules as lowered comes before:
//! `values`, `private` variables, `nans` and coordinates of `images`, put in by `plant`.
//!
//! Takes modules whose functions are in SSA form and into whose kernels everything has come that touches memory by
//! pointers (`pipeline::INLINE_CHECKED`). Linear.

mod access;
mod companions;
mod copies;
mod events;
mod handed;
mod images;
mod nans;
mod objects;
mod plant;
mod private;
mod shifts;
mod values;

use crate::check::Kinds;
use crate::ir::check::{Checked, Object, ObjectKind, Site};
use crate::ir::entity::Entity;
use crate::ir::origin::Origin;
use crate::ir::{Func, FuncId, Inst, Module, Op, Type};
use crate::launch::AddrSpace;

/// Puts in the checks that the module's `Checks::kinds` ask for.
pub fn run(module: &mut Module) {
    let kinds = module.checks.kinds;
    for_each(module, |module, id, func| {
        if func.is_kernel {
            values::name_work_items(module, id, func);
        }
        if kinds.contains(Kinds::MEMORY) {
            access::run(module, id, func);
        }
        events::run(func);
    });
}

/// Puts in those that are for modules as lowered.
pub fn run_lowered(module: &mut Module) {
    module.checks.objects.push(Object { what: ObjectKind::Null, name: String::new(), size: 0 });
    let wanted = module.checks.kinds.contains(Kinds::VALUES);
    let effects = if wanted { handed::Effects::find(module) } else { handed::Effects::default() };
    for_each(module, |module, id, func| plant::run(module, &effects, id, func));
}

/// Calls `check` on each function that kernels reach, taken out of the module.
fn for_each(module: &mut Module, check: impl Fn(&mut Module, FuncId, &mut Func)) {
    for (id, _) in module.reachable().into_iter().enumerate().filter(|(_, used)| *used) {
        let id = FuncId::from_index(id);
        if !module.funcs[id].has_body() || module.funcs[id].is_builtin {
            continue;
        }
        let mut func = std::mem::replace(&mut module.funcs[id], Func::declaration("", Vec::new(), None));
        func.remove_unreachable();
        check(module, id, &mut func);
        func.is_optimised = false;
        module.funcs[id] = func;
    }
}

/// True if checks of a function want to know the work-item and where its pointers come from: it is to come into its
/// callers.
pub fn is_wanted_in_callers(func: &Func) -> bool {
    if func.is_builtin {
        // What gets images does with them what it must.
        let is_ptr = |ty: &&Type| ty.is_ptr();
        let mut pointers = func.params.iter().filter(is_ptr).peekable();
        return pointers.peek().is_some() && pointers.all(|&ty| ty != Type::ptr(AddrSpace::Constant));
    }
    func.live_insts().any(|(_, inst)| func.insts[inst].op == Op::CheckReport || touches_memory(func, inst))
}

/// True if an instruction touches memory otherwise than by a variable's name.
fn touches_memory(func: &Func, inst: Inst) -> bool {
    let data = &func.insts[inst];
    let named = |n: usize| func.def_inst(data.args[n]).is_some_and(|def| def.op == Op::SlotAddr);
    match data.op {
        Op::Load | Op::Store => !named(0),
        Op::Memset => !named(0) || func.const_bits(data.args[2]).is_none(),
        Op::Memcpy => !named(0) || !named(1) || func.const_bits(data.args[2]).is_none(),
        Op::AtomicLoad | Op::AtomicStore | Op::AtomicRmw | Op::AtomicCas | Op::AsyncCopy => true,
        _ => false,
    }
}

/// Notes a check; its number.
fn site(module: &mut Module, func: FuncId, at: Origin, what: Checked) -> u64 {
    let sites = &mut module.checks.sites;
    sites.push(Site { func, at, what });
    sites.len() as u64 - 1
}

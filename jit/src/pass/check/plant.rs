//! Puts checks into functions as lowered: what `values`, `private`, `nans`, `shifts` and `images` find.

use super::access::report;
use super::handed::Effects;
use super::{images, nans, private, shifts, values};
use crate::check::Kinds;
use crate::ir::origin::Origin;
use crate::ir::{Block, Builder, Func, FuncId, Inst, Module, Term, Value};
use rustc_hash::FxHashMap;

/// Makes the condition under which all is right, and what a report says of it else.
pub(super) type Ask = Box<dyn Fn(&mut Builder<'_>) -> (Value, [Value; 4])>;
/// Makes what says that something is written.
pub(super) type Mark = Box<dyn Fn(&mut Builder<'_>)>;

/// What is put in front of an instruction, or behind it.
pub(super) enum Plant {
    /// In front: the check of this number, and what is done behind its report.
    Check(u64, Option<Mark>, Ask),
    /// The check of this number, behind it.
    CheckResult(u64, Ask),
    /// This is done behind it.
    Do(Mark),
}

/// By instruction.
pub(super) type Plants = FxHashMap<Inst, Vec<Plant>>;

/// Checks a function of a module, from which it has been taken out.
pub(super) fn run(module: &mut Module, effects: &Effects, id: FuncId, func: &mut Func) {
    let mut plants = Plants::default();
    let kinds = module.checks.kinds;
    let mut flags = Vec::new();
    if kinds.contains(Kinds::MEMORY) {
        images::find(module, id, func, &mut plants);
    }
    if kinds.contains(Kinds::NANS) {
        nans::find(module, id, func, &mut plants);
    }
    if kinds.contains(Kinds::SHIFTS) {
        shifts::find(module, id, func, &mut plants);
    }
    if kinds.contains(Kinds::VALUES) {
        values::find(module, id, func, &mut plants);
        flags = private::find(module, id, func, effects, &mut plants);
    }
    if plants.is_empty() {
        return forget_declarations(func);
    }
    let mut layout = Vec::with_capacity(func.layout.len());
    for block in std::mem::take(&mut func.layout) {
        layout.push(block);
        plant(func, block, &mut layout, &mut plants);
    }
    func.layout = layout;
    forget_declarations(func);
    let entry = func.entry();
    let mut b = Builder::at(func, entry, 0);
    flags.into_iter().for_each(|flags| flags.begin(&mut b));
}

/// Declarations have been seen.
fn forget_declarations(func: &mut Func) {
    for block in func.layout.clone() {
        let mut insts = std::mem::take(&mut func.blocks[block].insts);
        insts.retain(|&inst| !private::is_declaration(func, inst));
        func.blocks[block].insts = insts;
    }
}

/// Puts what is planted into a block, which falls apart.
fn plant(func: &mut Func, block: Block, layout: &mut Vec<Block>, plants: &mut Plants) {
    let insts = std::mem::take(&mut func.blocks[block].insts);
    let term = std::mem::replace(&mut func.blocks[block].term, Term::Unreachable);
    let mut at = block;
    for inst in insts {
        let origin = func.insts[inst].origin;
        let planted = plants.remove(&inst).unwrap_or_default();
        for what in &planted {
            if let Plant::Check(number, mark, ask) = what {
                at = check(func, at, origin, *number, mark.as_ref(), ask, layout);
            }
        }
        func.blocks[at].insts.push(inst);
        for what in &planted {
            match what {
                Plant::Check(..) => {}
                Plant::CheckResult(number, ask) => at = check(func, at, origin, *number, None, ask, layout),
                Plant::Do(mark) => mark(&mut Builder::new(func, at).with_origin(origin)),
            }
        }
    }
    func.blocks[at].term = term;
}

/// Ends a block with a check; the block that what comes next goes to.
fn check(
    func: &mut Func,
    at: Block,
    origin: Origin,
    number: u64,
    mark: Option<&Mark>,
    ask: &Ask,
    layout: &mut Vec<Block>,
) -> Block {
    let (right, words) = ask(&mut Builder::new(func, at).with_origin(origin));
    let [bad, next] = [0; 2].map(|_| func.add_block());
    let mut b = Builder::new(func, at).with_origin(origin);
    b.branch(right, next, bad);
    let mut b = Builder::new(func, bad).with_origin(origin);
    report(&mut b, number, words);
    if let Some(mark) = mark {
        mark(&mut b);
    }
    b.jump(next, &[]);
    layout.extend([bad, next]);
    next
}

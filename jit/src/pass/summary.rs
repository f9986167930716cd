//! Marks calls of pure functions with `Flags::PURE`: the callee, with everything it calls, touches no memory but
//! constants and its own slots, needs no work-item, and ends because its loops do (builtin bodies) or it has none.
//! Linear.

use super::inline::callees;
use crate::ir::cfg::Cfg;
use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::{Func, FuncId, Module, Op, Type};
use crate::launch::AddrSpace;

/// Runs over all functions that kernels reach.
pub fn run(module: &mut Module) {
    let n = module.funcs.len();
    let used = module.reachable();
    // Assume all are pure, then take back until nothing changes.
    let mut pure: Vec<bool> = module.funcs.values().zip(&used).map(|(f, &used)| used && is_pure_alone(f)).collect();
    let callees: Vec<Vec<FuncId>> = module.funcs.values().map(callees).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for f in 0..n {
            if pure[f] && callees[f].iter().any(|c| !pure[c.index()]) {
                pure[f] = false;
                changed = true;
            }
        }
    }
    for func in module.funcs.values_mut().zip(used).filter_map(|(func, used)| used.then_some(func)) {
        for data in func.insts.values_mut() {
            if let Some(callee) = data.callee() {
                data.attr.flags.set(Flags::PURE, pure[callee.index()]);
            }
        }
    }
}

fn is_pure_alone(func: &Func) -> bool {
    if !func.has_body() || func.is_kernel || func.ret.is_none() || func.params.iter().any(|ty| ty.is_ptr()) {
        return false;
    }
    if !func.is_builtin && has_cycle(func) {
        return false;
    }
    let own = |ty: Type| ty == Type::ptr(AddrSpace::Private) || ty == Type::ptr(AddrSpace::Constant);
    func.live_insts().all(|(_, i)| {
        let data = &func.insts[i];
        let volatile = data.attr.flags.contains(Flags::VOLATILE);
        match data.op {
            Op::Call => true,
            // Without pointer parameters a private pointer comes from an own slot, unless an integer became one.
            Op::IntToPtr | Op::AsCast | Op::LocalAddr | Op::IsLocal | Op::IsPrivate => false,
            Op::CheckArg | Op::CheckObject | Op::Track | Op::Meet => false,
            Op::Load | Op::Store | Op::Memset => !volatile && own(func.ty(data.args[0])),
            Op::Memcpy => !volatile && own(func.ty(data.args[0])) && own(func.ty(data.args[1])),
            op => op.is_pure() && !op.is_query(),
        }
    })
}

fn has_cycle(func: &Func) -> bool {
    let cfg = Cfg::new(func);
    cfg.rpo().iter().any(|&b| cfg.preds(b).iter().any(|&p| cfg.number(p) >= cfg.number(b)))
}

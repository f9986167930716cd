//! Stores to local memory under a condition, at a place that was read just before, are made always: they store the new
//! value or the old one again. Local memory belongs to the thread that runs the work-group, so nobody sees the
//! difference, and there is no branch to predict.
//!
//! ```text
//! a = load p; br c, arm, join     arm: store p, b; jump join      →     a = load p; store p, c ? b : a; jump join
//! ```
//! For code that runs one work-item after the other, and what all lanes do together; and for lanes that store under a
//! mask, where a branch asks whether any does. Needs addresses that are one value where they are equal (`gvn`). Linear.

use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::{Block, Builder, Func, Inst, Op, Term, Type, Value};
use crate::launch::AddrSpace;
use smallvec::SmallVec;

/// Most stores and other operations that are executed in vain.
const MAX_STORES: usize = 4;
const MAX_OTHERS: usize = 4;

/// Runs the pass.
pub fn run(func: &mut Func) {
    let local = Type::ptr(AddrSpace::Local);
    if !func.live_insts().any(|(_, i)| is_store(func, i) && func.ty(func.insts[i].args[0]) == local) {
        return;
    }
    func.remove_unreachable();
    let n_preds = super::simplify_cfg::n_preds(func);
    for block in func.layout.clone() {
        let Term::Br { cond, then, els } = func.blocks[block].term.clone() else { continue };
        for (arm, other, stored) in [(&then, &els, true), (&els, &then, false)] {
            let leads = func.blocks[arm.block].term == Term::Jump(other.clone()) && arm.block != block;
            if leads && n_preds[arm.block.index()] == 1 && arm.args.is_empty() {
                if let Some(old) = old_values(func, block, arm.block, cond, stored) {
                    blend(func, block, arm.block, cond, stored, &old);
                    func.blocks[block].term = Term::Jump(other.clone());
                }
                break;
            }
        }
    }
    func.remove_unreachable();
}

fn is_store(func: &Func, inst: Inst) -> bool {
    matches!(func.insts[inst].op, Op::Store | Op::StoreMasked)
}

/// What the stores of an arm overwrite, if the block before it has loaded that and the arm does nothing else of
/// consequence. The arm is entered where the condition is `stored`.
fn old_values(func: &Func, block: Block, arm: Block, cond: Value, stored: bool) -> Option<SmallVec<[Value; 4]>> {
    let insts = &func.blocks[arm].insts;
    let stores = || insts.iter().copied().filter(|&i| is_store(func, i));
    let n_stores = stores().count();
    let cheap = |op: Op| op.is_pure() && !matches!(op, Op::DivS | Op::DivU | Op::RemS | Op::RemU | Op::Fdiv | Op::Frem);
    let fits = insts.iter().all(|&i| is_store(func, i) || cheap(func.insts[i].op));
    if !fits || n_stores == 0 || n_stores > MAX_STORES || insts.len() - n_stores > MAX_OTHERS {
        return None;
    }
    // Where no lane of a mask is set, no value is new.
    let asks_for =
        |mask: Value| stored && func.def_inst(cond).is_some_and(|d| d.op == Op::MaskAny && d.args[0] == mask);
    let is_asked = |i: Inst| func.insts[i].op == Op::Store || asks_for(func.insts[i].args[2]);
    stores().map(|i| old_value(func, block, i).filter(|_| is_asked(i))).collect()
}

fn old_value(func: &Func, block: Block, store: Inst) -> Option<Value> {
    let data = &func.insts[store];
    let (ptr, ty) = (data.args[0], func.ty(data.args[1]));
    let is_local = func.ty(ptr) == Type::ptr(AddrSpace::Local) && !data.attr.flags.contains(Flags::VOLATILE);
    if !is_local || data.op == Op::Store && ty.is_vector() {
        return None;
    }
    for data in func.blocks[block].insts.iter().rev().map(|&i| &func.insts[i]) {
        match data.op {
            Op::Load if data.args[0] == ptr && !data.attr.flags.contains(Flags::VOLATILE) => {
                return data.result.filter(|&v| func.ty(v) == ty);
            }
            Op::Load => {}
            op if op.is_pure() => {}
            _ => return None,
        }
    }
    None
}

/// Moves an arm's instructions to the end of the block.
fn blend(func: &mut Func, block: Block, arm: Block, cond: Value, stored: bool, old: &[Value]) {
    let mut old = old.iter();
    for inst in std::mem::take(&mut func.blocks[arm].insts) {
        if is_store(func, inst) {
            let (new, old) = (func.insts[inst].args[1], *old.next().expect("one for each store"));
            let [a, b] = if stored { [new, old] } else { [old, new] };
            let mask = func.insts[inst].args.get(2).copied();
            func.insts[inst].args[1] = Builder::new(func, block).op(Op::Select, &[mask.unwrap_or(cond), a, b]);
            func.insts[inst].op = Op::Store;
            func.insts[inst].args.truncate(2);
        }
        func.blocks[block].insts.push(inst);
    }
    func.blocks[arm].term = Term::Unreachable;
}

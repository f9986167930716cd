//! Branches that compare one component of a vector after another become one branch on all of them together.
//!
//! ```text
//! a.x == s || a.y == s || a.z == s || a.w == s      →     mask.any (icmp.eq a, splat s)
//! ```
//! and `mask.all` for `&&`. Functions in which vectors stay whole gain by it; where they fall apart, the components are
//! compared without branches. Needs the branches as `lower` makes them, each in a block of its own. Linear.

use super::ifconv;
use crate::ir::entity::Entity;
use crate::ir::{Block, Builder, Func, Imm, InstData, Op, Target, Term, Type, Value};
use smallvec::SmallVec;

/// Fewest components for which it pays.
const MIN_LANES: u8 = 4;
/// Most work between two branches that is done in vain.
const MAX_COST: u32 = 4;

/// A branch on a comparison of a component.
struct Test {
    op: Op,
    imm: Imm,
    vector: Value,
    lane: u8,
    /// What the component is compared with, and whether the component is on the left.
    other: Value,
    is_left: bool,
    then: Target,
    els: Target,
}

/// Runs the pass.
pub fn run(func: &mut Func) {
    if !func.live_insts().any(|(_, i)| func.insts[i].op == Op::Extract) {
        return;
    }
    func.remove_unreachable();
    let mut n_preds = super::simplify_cfg::n_preds(func);
    for block in func.layout.clone() {
        for leaves_if in [true, false] {
            join(func, &mut n_preds, block, leaves_if);
        }
    }
    func.remove_unreachable();
}

/// Joins the branches from `block` on that leave for one place where the comparison is `leaves_if`.
fn join(func: &mut Func, n_preds: &mut [u32], block: Block, leaves_if: bool) {
    let Some(first) = test(func, block) else { return };
    let lanes = func.ty(first.vector).lanes;
    if lanes < MIN_LANES {
        return;
    }
    let (out, mut next) = first.exits(leaves_if);
    let mut others: SmallVec<[Option<Value>; 16]> = SmallVec::from_elem(None, usize::from(lanes));
    others[usize::from(first.lane)] = Some(first.other);
    let mut arms: SmallVec<[Block; 16]> = SmallVec::new();
    while others.iter().any(Option::is_none) {
        let data = &func.blocks[next.block];
        let alone = n_preds[next.block.index()] == 1 && data.params.is_empty() && next.block != block;
        if !alone || ifconv::cost(func, &data.insts).is_none_or(|cost| cost > MAX_COST) {
            return;
        }
        let Some(test) = test(func, next.block).filter(|t| t.resembles(&first)) else { return };
        let (to, rest) = test.exits(leaves_if);
        if to != out || others[usize::from(test.lane)].replace(test.other).is_some() {
            return;
        }
        arms.push(next.block);
        next = rest;
    }
    let Some(others) = others.into_iter().collect::<Option<SmallVec<[Value; 16]>>>() else { return };
    let ty = func.ty(first.vector);
    let Some((op, whole)) = together(func, ty, &others) else { return };
    for &arm in &arms {
        ifconv::take(func, n_preds, block, arm);
        n_preds[out.block.index()] -= 1;
    }
    let mut b = Builder::new(func, block);
    let other = if op == Op::Splat { b.convert(op, ty, whole) } else { whole };
    let args = if first.is_left { [first.vector, other] } else { [other, first.vector] };
    let each = b.emit(first.op, Type::I1.with_lanes(ty.lanes), &args, first.imm);
    let op = if leaves_if { Op::MaskAny } else { Op::MaskAll };
    let cond = b.convert(op, Type::I1, each);
    let (then, els) = if leaves_if { (out, next) } else { (next, out) };
    b.end(Term::Br { cond, then, els });
}

/// The vector of what the components are compared with: `Splat` and its operand, or `Extract` and a vector that there
/// is.
fn together(func: &Func, ty: Type, others: &[Value]) -> Option<(Op, Value)> {
    if others.iter().all(|&v| v == others[0]) {
        return Some((Op::Splat, others[0]));
    }
    let (whole, _) = component(func, others[0])?;
    let in_order = others.iter().enumerate().all(|(lane, &v)| component(func, v) == Some((whole, lane as u8)));
    (in_order && func.ty(whole) == ty).then_some((Op::Extract, whole))
}

/// The vector and the lane that a value is taken from.
fn component(func: &Func, v: Value) -> Option<(Value, u8)> {
    match func.def_inst(v)? {
        InstData { op: Op::Extract, imm: Imm::Lane(lane), args, .. } => Some((args[0], *lane)),
        _ => None,
    }
}

/// The test that a block ends with.
fn test(func: &Func, block: Block) -> Option<Test> {
    let Term::Br { cond, then, els } = &func.blocks[block].term else { return None };
    let compare = func.def_inst(*cond).filter(|d| matches!(d.op, Op::Icmp | Op::Fcmp))?;
    let (a, b) = (compare.args[0], compare.args[1]);
    let (is_left, (vector, lane), other) = match component(func, a) {
        Some(left) => (true, left, b),
        None => (false, component(func, b)?, a),
    };
    let (then, els) = (then.clone(), els.clone());
    Some(Test { op: compare.op, imm: compare.imm.clone(), vector, lane, other, is_left, then, els })
}

impl Test {
    /// Where the branch leaves to, and where it goes on.
    fn exits(&self, leaves_if: bool) -> (Target, Target) {
        let (then, els) = (self.then.clone(), self.els.clone());
        if leaves_if { (then, els) } else { (els, then) }
    }
    /// True if both compare components of one vector in one way.
    fn resembles(&self, other: &Self) -> bool {
        self.op == other.op && self.imm == other.imm && self.vector == other.vector && self.is_left == other.is_left
    }
}

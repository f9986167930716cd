//! Aggregated atomics: lanes that change one place by the same atomic operation do so at once, and each gets what it
//! would have found after those before it (Adinets, "CUDA Pro Tip: Optimized Filtering with Warp-Aggregated Atomics",
//! 2014).
//!
//! ```text
//! r = atomic.add p, x    →   all = sum of x over active lanes; if there are any: old = atomic.add p, all
//!                            r = old + sum of x over active lanes before
//! ```
//! As if the lanes had come one after the other with nobody in between, which is an order that any other work-item may
//! see. Integers only: sums of floats depend on the order.

use super::shape::{Shape, Shapes};
use super::widen::{Lanes, Widen};
use crate::ir::collective::CollectiveOp;
use crate::ir::op::RmwOp;
use crate::ir::{Block, Func, Imm, InstData, Op, Target, Term, Type};

/// How operands of an atomic operation make one.
pub(super) fn joined(func: &Func, data: &InstData) -> Option<CollectiveOp> {
    let (Op::AtomicRmw, &Imm::Rmw(op)) = (data.op, &data.imm) else { return None };
    let ty = func.ty(data.args[1]);
    if !ty.is_int() || ty.is_vector() || ty.elem.bits() < 32 {
        return None;
    }
    Some(match op {
        RmwOp::Add | RmwOp::Sub => CollectiveOp::Add,
        RmwOp::And => CollectiveOp::And,
        RmwOp::Or => CollectiveOp::Or,
        RmwOp::Xor => CollectiveOp::Xor,
        RmwOp::MinS => CollectiveOp::MinS,
        RmwOp::MinU => CollectiveOp::MinU,
        RmwOp::MaxS => CollectiveOp::MaxS,
        RmwOp::MaxU => CollectiveOp::MaxU,
        RmwOp::Xchg | RmwOp::Fadd => return None,
    })
}

impl Shapes<'_> {
    /// True for an atomic operation that lanes can do at once.
    pub(super) fn is_aggregated(&self, func: &Func, block: Block, data: &InstData) -> bool {
        joined(func, data).is_some() && self.at(data.args[0], block) == Shape::Uniform
    }
}

impl Widen<'_> {
    /// Does such an operation.
    pub(super) fn aggregate(&mut self, data: &InstData) {
        self.counts.uniform += 1;
        let how = joined(self.func, data).expect("operands make one");
        let ty = self.func.ty(data.args[1]);
        let lanes = ty.with_lanes(self.width);
        let result = data.result.filter(|&v| self.is_used(v)).map(|v| (v, self.slot(lanes)));
        let end = self.mask.map(|mask| {
            let [body, end] = std::array::from_fn(|_| self.func.add_block());
            let any = self.emit(Op::MaskAny, Type::I1, &[mask], Imm::None);
            self.end(Term::Br { cond: any, then: Target::plain(body), els: Target::plain(end) });
            self.go_on(body);
            end
        });
        let mut own = self.vector(data.args[1])[0];
        if let Some(mask) = self.mask {
            let neutral = self.constant(lanes, how.neutral(ty.elem));
            own = self.emit(Op::Select, lanes, &[mask, own, neutral], Imm::None);
        }
        let all = self.emit(Op::ReduceTree, ty, &[own], Imm::Collective(how));
        let ptr = self.scalar(data.args[0]);
        let old = self.push(Op::AtomicRmw, Some(ty), &[ptr, all], data.imm.clone(), data.attr);
        if let (Some((_, slot)), Some(old)) = (result, old) {
            let before = self.scan_lanes(own, how, true);
            let old = self.splat(old);
            let op = if data.imm == Imm::Rmw(RmwOp::Sub) { Op::Sub } else { how.op() };
            let found = self.emit(op, lanes, &[old, before], Imm::None);
            self.write(slot, found);
        }
        if let Some(end) = end {
            self.end(Term::Jump(Target::plain(end)));
            self.go_on(end);
        }
        if let Some((result, slot)) = result {
            let found = self.read(slot, lanes);
            self.set_vector(result, Lanes::from_elem(found, 1));
        }
    }
}

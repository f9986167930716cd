//! Operations of sub-groups, of which each is one vector of work-items. Active are the lanes under the mask at hand, so
//! that divergent control flow needs nothing more: a shuffle is a permutation, a ballot the bits of a mask, and
//! reductions and scans go in logarithmic steps, in the order that `ir::collective` prescribes, with neutral elements
//! in lanes that are not active. The steps of reductions of all lanes are left to `expand_reductions`. Must not know
//! control flow.

use super::shape::Shape;
use super::widen::{Lanes, Widen};
use crate::ir::collective::CollectiveOp;
use crate::ir::op::{Order, Scope};
use crate::ir::{Attr, Imm, InstData, IntPred, Op, Scalar, Type, Value};
use crate::race::{Meeting, SECOND};
use smallvec::SmallVec;

/// How deep a shuffle's index is looked into.
const MAX_DEPTH: usize = 8;

impl Widen<'_> {
    /// Writes an operation of sub-groups.
    pub(super) fn sub_group(&mut self, data: &InstData) {
        if data.op == Op::SgMeet {
            return self.all_come(data);
        }
        let Some(result) = data.result else {
            // Lanes are in step; accesses to memory keep their order.
            let attr = Attr { order: Order::AcqRel, scope: Scope::SubGroup, ..Attr::default() };
            self.push(Op::Fence, None, &[], Imm::None, attr);
            return;
        };
        match (data.op, &data.imm) {
            (Op::SgBallot, _) => {
                let bits = self.ballot(data.args[0]);
                self.set_scalar(result, bits);
            }
            (Op::SgShuffle, _) => self.shuffle_lanes(data, result),
            (Op::SgReduce, &Imm::Cluster(op, n)) => self.reduce(data, result, op, n),
            (_, &Imm::Collective(op)) => {
                let lanes = self.operands(data.args[0], op);
                let scanned = lanes.into_iter().map(|x| self.scan_lanes(x, op, data.op == Op::SgScanExc)).collect();
                self.set_vector(result, scanned);
            }
            _ => unreachable!("operations of sub-groups have these immediates"),
        }
    }

    /// Tells who comes where all have to (`crate::race`), unless all do, and who brings another operand than the first.
    fn all_come(&mut self, data: &InstData) {
        let [operand, code, env, item] = data.args[..] else { unreachable!("in work-group form") };
        let [code, env, item] = [code, env, item].map(|v| self.scalar(v));
        let item = self.op_bits(Op::Shl, item, SECOND.into());
        if !self.is_whole() {
            let (here, all) = (self.active(), self.active_in(self.whole));
            let code = self.op(Op::Or, &[code, item]);
            self.push(Op::Meet, None, &[code, env, here, all], Imm::None, Attr::default());
        }
        if self.shape(operand) != Shape::Uniform {
            let here = self.active();
            let lanes = self.vector(operand)[0];
            let first = self.op(Op::Ctz, &[here]);
            let first = self.convert(Op::Trunci, Type::I32, first);
            let first = self.lane_at(lanes, first);
            let first = self.splat(first);
            let differs = self.icmp(IntPred::Ne, lanes, first);
            let differs = self.emit(Op::MaskBits, Type::I64, &[differs], Imm::None);
            let Meeting::Come { site, .. } = Meeting::from_bits(self.func.const_bits(code).expect("a constant")) else {
                unreachable!("set by `pass::track`")
            };
            let code = self.i64(Meeting::Disagree { site, first: 0 }.to_bits() as i64);
            let code = self.op(Op::Or, &[code, item]);
            self.push(Op::Meet, None, &[code, env, here, differs], Imm::None, Attr::default());
        }
    }

    /// The bits of the active lanes for which a condition holds.
    fn ballot(&mut self, cond: Value) -> Value {
        if self.shape(cond) != Shape::Uniform {
            let cond = self.vector(cond)[0];
            let mask = self.and_mask(cond);
            return self.emit(Op::MaskBits, Type::I64, &[mask], Imm::None);
        }
        let (cond, bits) = (self.scalar(cond), self.active());
        match self.func.const_bits(cond) {
            Some(1) => bits,
            _ => {
                let none = self.i64(0);
                self.op(Op::Select, &[cond, bits, none])
            }
        }
    }

    /// The bits of the active lanes.
    pub(super) fn active(&mut self) -> Value {
        self.active_in(self.mask)
    }

    fn active_in(&mut self, mask: Option<Value>) -> Value {
        match mask {
            Some(mask) => self.emit(Op::MaskBits, Type::I64, &[mask], Imm::None),
            None => self.constant(Type::I64, u64::MAX >> (64 - self.width)),
        }
    }

    fn shuffle_lanes(&mut self, data: &InstData, result: Value) {
        let [value, from] = [data.args[0], data.args[1]];
        if self.shape(value) == Shape::Uniform {
            let value = self.scalar(value);
            return self.set_scalar(result, value);
        }
        let lanes = self.vector(value);
        if self.shape(from) == Shape::Uniform {
            let from = self.scalar(from);
            let parts: Lanes = lanes.iter().map(|&x| self.lane_at(x, from)).collect();
            let value = self.put_together(self.func.ty(result), &parts);
            return self.set_scalar(result, value);
        }
        let picked = match self.known_lanes(from, MAX_DEPTH) {
            Some(picks) => lanes.iter().map(|&x| self.shuffle(x, x, picks.iter().copied())).collect(),
            None => {
                let from = self.vector(from)[0];
                lanes.iter().map(|&x| self.permute(x, from)).collect()
            }
        };
        self.set_vector(result, picked);
    }

    /// True for an `and` that leaves the lane's number.
    pub(super) fn is_lane_number(&self, data: &InstData) -> bool {
        let width = u64::from(self.width);
        self.sub_groups
            && self.func.const_bits(data.args[1]) == Some(width - 1)
            && self.known_lanes(data.args[0], MAX_DEPTH).is_some_and(|lanes| lanes.into_iter().eq(0..self.width))
    }

    /// What an integer is in each lane, modulo the width, if that is known: the low bits of sums, products and the like
    /// depend on low bits only.
    fn known_lanes(&self, v: Value, depth: usize) -> Option<SmallVec<[u8; 64]>> {
        let width = self.width;
        if let Some(bits) = self.func.const_bits(v) {
            return Some(SmallVec::from_elem(bits as u8 & (width - 1), width.into()));
        }
        let items = &self.facts.items;
        // The first work-item of each vector is a multiple of the width.
        if self.func.blocks[items.header].params[items.count] == v {
            return Some((0..width).collect());
        }
        let data = self.func.def_inst(v)?;
        let arg = |i: usize| self.known_lanes(data.args[i], depth.checked_sub(1)?);
        let both = |make: fn(u8, u8) -> u8| {
            let (a, b) = (arg(0)?, arg(1)?);
            Some(a.iter().zip(&b).map(|(&a, &b)| make(a, b) & (width - 1)).collect())
        };
        match data.op {
            Op::Trunci | Op::Zext | Op::Sext if self.func.ty(data.args[0]).elem.bits() >= 8 => arg(0),
            Op::Add => both(u8::wrapping_add),
            Op::Sub => both(u8::wrapping_sub),
            Op::Mul => both(u8::wrapping_mul),
            Op::And => both(|a, b| a & b),
            Op::Or => both(|a, b| a | b),
            Op::Xor => both(|a, b| a ^ b),
            Op::Not => Some(arg(0)?.iter().map(|a| !a & (width - 1)).collect()),
            _ => None,
        }
    }

    /// An operand's components, with neutral elements where lanes are not active.
    fn operands(&mut self, v: Value, op: CollectiveOp) -> Lanes {
        let mut lanes = self.vector(v);
        if let Some(mask) = self.mask {
            for x in &mut lanes {
                let ty = self.func.ty(*x);
                let neutral = self.constant(ty, op.neutral(ty.elem));
                *x = self.emit(Op::Select, ty, &[mask, *x, neutral], Imm::None);
            }
        }
        lanes
    }

    fn reduce(&mut self, data: &InstData, result: Value, op: CollectiveOp, cluster: u8) {
        let lanes = self.operands(data.args[0], op);
        if cluster > 0 && cluster < self.width {
            let reduced = lanes.into_iter().map(|x| self.reduce_clusters(x, op, cluster)).collect();
            return self.set_vector(result, reduced);
        }
        // All lanes as one.
        let all = |x: Value| {
            let ty = self.func.ty(x).lane();
            self.emit(Op::ReduceTree, ty, &[x], Imm::Collective(op))
        };
        let parts: Lanes = lanes.into_iter().map(all).collect();
        let value = self.put_together(self.func.ty(result), &parts);
        self.set_scalar(result, value);
    }

    /// The same in each cluster of so many lanes, whose lanes all get the result.
    fn reduce_clusters(&mut self, x: Value, op: CollectiveOp, cluster: u8) -> Value {
        let (ty, width) = (self.func.ty(x), self.width);
        let (mut x, mut distance) = (x, cluster);
        while distance > 1 {
            distance /= 2;
            let other = self.shuffle(x, x, (0..width).map(|lane| lane ^ distance));
            let left =
                if op.op().is_commutative() { x } else { self.shuffle(x, x, (0..width).map(|lane| lane & !distance)) };
            let right = if op.op().is_commutative() {
                other
            } else {
                self.shuffle(x, x, (0..width).map(|lane| lane | distance))
            };
            x = self.emit(op.op(), ty, &[right, left], Imm::None);
        }
        x
    }

    /// A scan by Hillis and Steele: each lane takes in those 1, 2, 4 … before it.
    pub(super) fn scan_lanes(&mut self, x: Value, op: CollectiveOp, exclusive: bool) -> Value {
        let ty = self.func.ty(x);
        let neutral = self.constant(ty, op.neutral(ty.elem));
        let (mut x, mut distance) = (x, 1);
        while distance < self.width {
            let left = self.move_up(neutral, x, distance);
            x = self.emit(op.op(), ty, &[x, left], Imm::None);
            distance *= 2;
        }
        if !exclusive {
            return x;
        }
        let identity = self.constant(ty, op.identity(ty.elem));
        let moved = self.move_up(identity, x, 1);
        if op.identity(ty.elem) == op.neutral(ty.elem) || self.mask.is_none() || self.is_whole() {
            return moved;
        }
        // Up to the first active lane there is nothing before.
        let active = self.active();
        let first = self.emit(Op::Ctz, Type::I64, &[active], Imm::None);
        let first = self.convert(Op::Trunci, Type::I32, first);
        let first = self.splat(first);
        let number = self.steps(Type::scalar(Scalar::I32).with_lanes(self.width), 1);
        let behind = self.icmp(IntPred::SGt, number, first);
        self.emit(Op::Select, ty, &[behind, moved, identity], Imm::None)
    }
}

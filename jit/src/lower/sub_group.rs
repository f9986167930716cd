//! Functions of sub-groups, in terms of the few operations that KIR has: a ballot, a shuffle, reductions and scans.
//! Votes are ballots that are compared: that costs what a test of a mask costs. The front ends reach all of them by the
//! tables of built-in functions.

use super::Extras;
use super::emit::Emitter;
use crate::builtin::SubGroupFn;
use crate::ir::op::{FloatPred, Order, Scope};
use crate::ir::{Attr, CollectiveOp, Imm, IntPred, Op, Type, Value};

impl Emitter<'_> {
    /// All work-items of a sub-group have to come to a function's call, with the same number of a work-item or pointer.
    pub(super) fn all_come(&mut self, f: SubGroupFn, values: &[Value]) {
        if self.out.extras.contains(Extras::MEETINGS) {
            let same = match f {
                SubGroupFn::Shuffle => values[1],
                SubGroupFn::BlockRead | SubGroupFn::BlockWrite => values[0],
                _ => self.bits(Type::I32, 0),
            };
            self.push(Op::SgMeet, None, &[same], Imm::None, Attr::default());
        }
    }

    /// A call of a function of sub-groups that returns `ty`; no value for those that return none.
    pub(super) fn sub_group(&mut self, f: SubGroupFn, cluster: u8, values: &[Value], ty: Type) -> Option<Value> {
        Some(match f {
            SubGroupFn::Barrier => {
                self.sub_group_barrier(values);
                return None;
            }
            SubGroupFn::All | SubGroupFn::Any => {
                let cond = self.is_true(values[0]);
                let result = self.vote(cond, f == SubGroupFn::All);
                self.bool_as(result, ty)
            }
            SubGroupFn::AllEqual => {
                let first = self.first_active();
                let value = self.sg_shuffle(values[0], first);
                let same = match self.func.ty(value).is_float() {
                    true => self.emit(Op::Fcmp, Type::I1, &[values[0], value], Imm::FloatPred(FloatPred::OEq)),
                    false => self.int_compare(IntPred::Eq, values[0], value),
                };
                let result = self.vote(same, true);
                self.bool_as(result, ty)
            }
            SubGroupFn::Elect => {
                let (first, own) = (self.first_active(), self.sg_query(Op::SgLid));
                let result = self.int_compare(IntPred::Eq, first, own);
                self.bool_as(result, ty)
            }
            SubGroupFn::Shuffle => self.sg_shuffle(values[0], values[1]),
            SubGroupFn::BroadcastFirst => {
                let first = self.first_active();
                self.sg_shuffle(values[0], first)
            }
            SubGroupFn::ShuffleXor => {
                let own = self.sg_query(Op::SgLid);
                let from = self.same(Op::Xor, &[own, values[1]]);
                self.sg_shuffle(values[0], from)
            }
            SubGroupFn::ShuffleUp => self.shuffle_up(values),
            SubGroupFn::ShuffleDown => self.shuffle_down(values),
            SubGroupFn::Rotate => self.rotate(values),
            SubGroupFn::Arithmetic(op, how) => self.emit(op, ty, &[values[0]], how_to(op, how, cluster)),
            SubGroupFn::Logical(op, how) => {
                let truth = self.is_true(values[0]);
                let bit = self.bool_as(truth, ty);
                let result = self.emit(op, ty, &[bit], how_to(op, how, cluster));
                // The identity of a logical and is 1.
                let one = self.bits(ty, 1);
                self.same(Op::And, &[result, one])
            }
            SubGroupFn::BlockRead | SubGroupFn::BlockWrite => {
                return self.block(values, ty, f == SubGroupFn::BlockRead);
            }
            _ => self.ballots(f, values, ty),
        })
    }

    /// Functions that take or give a bit for each work-item. Of the 128 bits no more than 64 can be set.
    fn ballots(&mut self, f: SubGroupFn, values: &[Value], ty: Type) -> Value {
        match f {
            SubGroupFn::Ballot => {
                let cond = self.is_true(values[0]);
                let bits = self.emit(Op::SgBallot, Type::I64, &[cond], Imm::None);
                self.four(bits, ty)
            }
            SubGroupFn::Mask(pred) => {
                let bits = self.lanes_where(pred);
                self.four(bits, ty)
            }
            SubGroupFn::InverseBallot | SubGroupFn::BitExtract => {
                let number = if f == SubGroupFn::BitExtract { values[1] } else { self.sg_query(Op::SgLid) };
                let number = self.emit(Op::Zext, Type::I64, &[number], Imm::None);
                let bits = self.two(values[0]);
                let bits = self.same(Op::Lshr, &[bits, number]);
                let bit = self.emit(Op::Trunci, Type::I1, &[bits], Imm::None);
                self.bool_as(bit, ty)
            }
            _ => {
                let bits = self.two(values[0]);
                let lanes = match f {
                    SubGroupFn::BitCount(Some(pred)) => self.lanes_where(pred),
                    _ => self.all_lanes(),
                };
                let bits = self.same(Op::And, &[bits, lanes]);
                let number = match f {
                    SubGroupFn::FindLsb => self.same(Op::Ctz, &[bits]),
                    SubGroupFn::FindMsb => {
                        let above = self.same(Op::Clz, &[bits]);
                        let last = self.bits(Type::I64, 63);
                        self.same(Op::Sub, &[last, above])
                    }
                    _ => self.same(Op::Popcnt, &[bits]),
                };
                self.emit(Op::Trunci, ty, &[number], Imm::None)
            }
        }
    }

    fn sg_query(&mut self, op: Op) -> Value {
        self.emit(op, Type::I32, &[], Imm::None)
    }

    fn sg_shuffle(&mut self, value: Value, from: Value) -> Value {
        let ty = self.func.ty(value);
        self.emit(Op::SgShuffle, ty, &[value, from], Imm::None)
    }

    fn int_compare(&mut self, pred: IntPred, a: Value, b: Value) -> Value {
        self.emit(Op::Icmp, Type::I1, &[a, b], Imm::IntPred(pred))
    }

    /// True if a condition holds for all active work-items, or for any.
    fn vote(&mut self, cond: Value, all: bool) -> Value {
        let asked = if all { self.same(Op::Not, &[cond]) } else { cond };
        let bits = self.emit(Op::SgBallot, Type::I64, &[asked], Imm::None);
        let zero = self.bits(Type::I64, 0);
        self.int_compare(if all { IntPred::Eq } else { IntPred::Ne }, bits, zero)
    }

    /// The number of the first active work-item.
    fn first_active(&mut self) -> Value {
        let yes = self.bits(Type::I1, 1);
        let bits = self.emit(Op::SgBallot, Type::I64, &[yes], Imm::None);
        let first = self.same(Op::Ctz, &[bits]);
        self.emit(Op::Trunci, Type::I32, &[first], Imm::None)
    }

    /// The barrier orders what the sub-group's work-items do; a larger scope is a fence besides. Spec: OpenCL C,
    /// "Synchronization Functions".
    fn sub_group_barrier(&mut self, values: &[Value]) {
        let scope = values.get(1).map_or(Some(3), |&scope| self.func.const_bits(scope));
        if !matches!(scope, Some(0 | 4)) && values.len() > 1 {
            let attr = Attr { order: Order::SeqCst, scope: Scope::AllDevices, ..Attr::default() };
            self.push(Op::Fence, None, &[], Imm::None, attr);
        }
        self.push(Op::SgBarrier, None, &[], Imm::None, Attr::default());
    }

    /// `(value, delta)`, or `(previous, current, delta)`: what is below the first work-item comes from the end of
    /// `previous`.
    fn shuffle_up(&mut self, values: &[Value]) -> Value {
        let (&delta, &value) = (&values[values.len() - 1], &values[values.len() - 2]);
        let own = self.sg_query(Op::SgLid);
        let from = self.same(Op::Sub, &[own, delta]);
        let shuffled = self.sg_shuffle(value, from);
        if values.len() == 2 {
            return shuffled;
        }
        let max = self.sg_query(Op::SgMax);
        let before = self.same(Op::Add, &[from, max]);
        let other = self.sg_shuffle(values[0], before);
        let inside = self.int_compare(IntPred::UGe, own, delta);
        let ty = self.func.ty(value);
        self.emit(Op::Select, ty, &[inside, shuffled, other], Imm::None)
    }

    /// `(value, delta)`, or `(current, next, delta)`: what is above the last work-item comes from the start of `next`.
    fn shuffle_down(&mut self, values: &[Value]) -> Value {
        let (&delta, &value) = (&values[values.len() - 1], &values[0]);
        let own = self.sg_query(Op::SgLid);
        let from = self.same(Op::Add, &[own, delta]);
        let shuffled = self.sg_shuffle(value, from);
        if values.len() == 2 {
            return shuffled;
        }
        let max = self.sg_query(Op::SgMax);
        let behind = self.same(Op::Sub, &[from, max]);
        let other = self.sg_shuffle(values[1], behind);
        let inside = self.int_compare(IntPred::ULt, from, max);
        let ty = self.func.ty(value);
        self.emit(Op::Select, ty, &[inside, shuffled, other], Imm::None)
    }

    /// `(value, delta)`, or `(value, delta, cluster size)`.
    fn rotate(&mut self, values: &[Value]) -> Value {
        let own = self.sg_query(Op::SgLid);
        let size = values.get(2).copied();
        let size = size.unwrap_or_else(|| self.sg_query(Op::SgMax));
        let one = self.bits(Type::I32, 1);
        let inside = self.same(Op::Sub, &[size, one]);
        let sum = self.same(Op::Add, &[own, values[1]]);
        let within = self.same(Op::And, &[sum, inside]);
        let outside = self.same(Op::Not, &[inside]);
        let start = self.same(Op::And, &[own, outside]);
        let from = self.same(Op::Or, &[start, within]);
        self.sg_shuffle(values[0], from)
    }

    /// Reads or writes one element per work-item and component: component k of all work-items, side by side, then
    /// component k + 1.
    fn block(&mut self, values: &[Value], ty: Type, reads: bool) -> Option<Value> {
        let ty = if reads { ty } else { self.func.ty(values[1]) };
        let size = u64::from(ty.elem.bytes());
        let [own, max] = [Op::SgLid, Op::SgMax].map(|op| {
            let v = self.sg_query(op);
            self.emit(Op::Zext, Type::I64, &[v], Imm::None)
        });
        let mut ptr = self.ptr_add(values[0], own, size);
        let mut parts = Vec::new();
        for lane in 0..ty.lanes {
            if lane > 0 {
                ptr = self.ptr_add(ptr, max, size);
            }
            if reads {
                parts.push(self.emit(Op::Load, ty.lane(), &[ptr], Imm::None));
                continue;
            }
            let part = if ty.is_vector() { self.extract(values[1], lane) } else { values[1] };
            self.push(Op::Store, None, &[ptr, part], Imm::None, Attr::default());
        }
        match &parts[..] {
            [] => None,
            [one] => Some(*one),
            parts => Some(self.build(ty, parts)),
        }
    }

    /// A bit for each work-item of the largest sub-group that the kernel has.
    fn all_lanes(&mut self) -> Value {
        let (ones, width) = (self.bits(Type::I64, u64::MAX), self.bits(Type::I64, 64));
        let max = self.sg_query(Op::SgMax);
        let max = self.emit(Op::Zext, Type::I64, &[max], Imm::None);
        let above = self.same(Op::Sub, &[width, max]);
        self.same(Op::Lshr, &[ones, above])
    }

    /// A bit for each work-item whose number compares so with this one's.
    fn lanes_where(&mut self, pred: IntPred) -> Value {
        let own = self.sg_query(Op::SgLid);
        let own = self.emit(Op::Zext, Type::I64, &[own], Imm::None);
        let one = self.bits(Type::I64, 1);
        let equal = self.same(Op::Shl, &[one, own]);
        let less = self.same(Op::Sub, &[equal, one]);
        let at_most = self.same(Op::Or, &[equal, less]);
        let low = match pred {
            IntPred::Eq => return equal,
            IntPred::ULt | IntPred::UGe => less,
            _ => at_most,
        };
        if matches!(pred, IntPred::ULt | IntPred::ULe) {
            return low;
        }
        let (all, others) = (self.all_lanes(), self.same(Op::Not, &[low]));
        self.same(Op::And, &[all, others])
    }

    /// 64 bits as the low ones of a ballot.
    fn four(&mut self, bits: Value, ty: Type) -> Value {
        let zero = self.bits(Type::I32, 0);
        let low = self.emit(Op::Trunci, Type::I32, &[bits], Imm::None);
        let half = self.bits(Type::I64, 32);
        let high = self.same(Op::Lshr, &[bits, half]);
        let high = self.emit(Op::Trunci, Type::I32, &[high], Imm::None);
        self.build(ty, &[low, high, zero, zero])
    }

    /// The low 64 bits of a ballot.
    fn two(&mut self, ballot: Value) -> Value {
        let [low, high] = [0, 1].map(|lane| {
            let v = self.extract(ballot, lane);
            self.emit(Op::Zext, Type::I64, &[v], Imm::None)
        });
        let half = self.bits(Type::I64, 32);
        let high = self.same(Op::Shl, &[high, half]);
        self.same(Op::Or, &[low, high])
    }
}

/// The immediate of a reduction or scan.
fn how_to(op: Op, how: CollectiveOp, cluster: u8) -> Imm {
    if op == Op::SgReduce { Imm::Cluster(how, cluster) } else { Imm::Collective(how) }
}

//! Vectors: lanes of built vectors, shuffles of shuffles, bit casts, dot products of bytes.

use super::{Node, Simplify};
use crate::ir::{Attr, Imm, Op, Type, Value};
use smallvec::SmallVec;

/// Most operations from a lane back to what it comes of.
const LANE_DEPTH: u32 = 8;

/// Operations on the lanes of integers, each for itself.
fn is_by_lanes(op: Op) -> bool {
    matches!(
        op,
        Op::Add | Op::Sub | Op::Mul | Op::And | Op::Or | Op::Xor | Op::Neg | Op::MinS | Op::MinU | Op::MaxS | Op::MaxU
    )
}

impl Simplify<'_> {
    pub(super) fn vector(&mut self, node: &Node) -> Option<Value> {
        let ty = node.ty;
        let a = node.args[0];
        match (node.op, &node.imm) {
            (Op::Extract, Imm::Lane(lane)) => self.lane(a, *lane),
            (Op::ExtractDyn, _) => {
                let n = self.b.func.ty(a).lanes;
                let lane = self.bits(node.args[1])? % u64::from(n.next_power_of_two());
                (lane < u64::from(n)).then(|| self.make(Op::Extract, ty, &[a], Imm::Lane(lane as u8), Attr::default()))
            }
            (Op::Build, _) => {
                if node.args.iter().all(|v| *v == a) {
                    return Some(self.plain(Op::Splat, ty, &[a]));
                }
                // The lanes of one vector in their order.
                let source = self.operand_of(a, Op::Extract).filter(|v| self.b.func.ty(*v) == ty)?;
                let in_order = node.args.iter().enumerate().all(|(n, v)| {
                    self.def_op(*v, Op::Extract).is_some_and(|d| d.args[0] == source && d.imm == Imm::Lane(n as u8))
                });
                in_order.then_some(source)
            }
            (Op::Insert, Imm::Lane(lane)) => self.insert(node, *lane),
            (Op::Shuffle, Imm::Lanes(lanes)) => {
                let n = self.b.func.ty(a).lanes;
                let b = node.args[1];
                if lanes.len() == usize::from(n) && lanes.iter().enumerate().all(|(i, l)| usize::from(*l) == i) {
                    return Some(a);
                }
                let picked: Option<SmallVec<[Value; 4]>> =
                    lanes.iter().map(|l| if *l < n { self.lane(a, *l) } else { self.lane(b, *l - n) }).collect();
                picked.map(|parts| self.plain(Op::Build, ty, &parts))
            }
            (Op::Bitcast, _) => {
                if self.b.func.ty(a) == ty {
                    return Some(a);
                }
                match self.operand_of(a, Op::Bitcast) {
                    Some(x) => Some(self.plain(Op::Bitcast, ty, &[x])),
                    None => self.bitwise(a, ty),
                }
            }
            _ => None,
        }
    }

    /// The bits of a bitwise operation on values that were of this type before: the operation on those.
    fn bitwise(&mut self, v: Value, ty: Type) -> Option<Value> {
        let data = self.def(v).filter(|d| matches!(d.op, Op::And | Op::Or | Op::Xor) && ty.is_int())?;
        let (op, args) = (data.op, [data.args[0], data.args[1]]);
        let same = |v: &Value| self.operand_of(*v, Op::Bitcast).filter(|&x| self.b.func.ty(x) == ty);
        if args.iter().any(|v| same(v).is_none() && self.lanes(*v).is_none()) {
            return None;
        }
        let [a, b] = args.map(|v| self.plain(Op::Bitcast, ty, &[v]));
        Some(self.plain(op, ty, &[a, b]))
    }

    /// A dot product of bytes that were computed one by one, and so are in registers of their own, is the sum of their
    /// products.
    pub(super) fn dot(&mut self, node: &Node) -> Option<Value> {
        let vector = |v: Value| {
            let vector = self.operand_of(v, Op::Bitcast).filter(|&v| self.b.func.ty(v) == Type::I8.with_lanes(4))?;
            self.def(vector).filter(|d| d.op.is_pure()).map(|_| vector)
        };
        let [a, b] = [node.args[0], node.args[1]].map(|v| (vector(v), self.bits(v)));
        if matches!((a, b), ((None, _), (None, _)) | ((None, None), _) | (_, (None, None))) {
            return None;
        }
        let signed = [node.op == Op::Dot4Ss, node.op != Op::Dot4Uu];
        let [a, b] = [(a, signed[0]), (b, signed[1])].map(|((vector, bits), is_signed)| {
            let extend = if is_signed { Op::Sext } else { Op::Zext };
            [0, 1, 2, 3].map(|n| {
                let byte = match vector {
                    Some(v) => self.make(Op::Extract, Type::I8, &[v], Imm::Lane(n), Attr::default()),
                    None => self.b.bits(Type::I8, bits.unwrap_or(0) >> (8 * n) & 0xff),
                };
                self.plain(extend, node.ty, &[byte])
            })
        });
        let products = [0, 1, 2, 3].map(|n| self.plain(Op::Mul, node.ty, &[a[n], b[n]]));
        let halves = [0, 2].map(|n| self.plain(Op::Add, node.ty, &products[n..n + 2]));
        Some(self.plain(Op::Add, node.ty, &halves))
    }

    /// A lane of a vector if it is there without a new instruction, but for constants and lanes of other vectors.
    fn lane(&mut self, v: Value, lane: u8) -> Option<Value> {
        let data = self.def(v)?;
        let ty = self.b.func.ty(v).lane();
        match (data.op, &data.imm) {
            (Op::Build, _) => data.args.get(usize::from(lane)).copied(),
            (Op::Splat, _) => Some(data.args[0]),
            (Op::Insert, Imm::Lane(at)) if *at == lane => Some(data.args[1]),
            (Op::Insert, _) => {
                let rest = data.args[0];
                Some(self.make(Op::Extract, ty, &[rest], Imm::Lane(lane), Attr::default()))
            }
            (Op::Shuffle, Imm::Lanes(lanes)) => {
                let (a, b) = (data.args[0], data.args[1]);
                let n = self.b.func.ty(a).lanes;
                let from = *lanes.get(usize::from(lane))?;
                let (source, from) = if from < n { (a, from) } else { (b, from - n) };
                Some(self.make(Op::Extract, ty, &[source], Imm::Lane(from), Attr::default()))
            }
            (Op::Const, Imm::Bits(bits)) => {
                let bits = *bits;
                Some(self.b.bits(ty, bits))
            }
            (Op::Undef, _) => Some(self.b.bits(ty, 0)),
            (op, _) if is_by_lanes(op) && self.has_lane(v, lane, LANE_DEPTH) => {
                let (args, imm, attr) = (data.args.clone(), data.imm.clone(), data.attr);
                let args: SmallVec<[Value; 2]> = args.iter().map(|&arg| self.lane(arg, lane)).collect::<Option<_>>()?;
                Some(self.make(op, ty, &args, imm, attr))
            }
            _ => None,
        }
    }

    /// True if a lane of a vector is there, or comes of lanes that are by operations on numbers: so indices that are
    /// computed in vectors are as plain as others.
    fn has_lane(&self, v: Value, lane: u8, depth: u32) -> bool {
        let Some(data) = self.def(v).filter(|_| depth > 0) else { return false };
        match (data.op, &data.imm) {
            (Op::Build | Op::Splat | Op::Const | Op::Undef, _) => true,
            (Op::Insert, Imm::Lane(at)) => *at == lane || self.has_lane(data.args[0], lane, depth - 1),
            (op, _) => is_by_lanes(op) && data.args.iter().all(|&arg| self.has_lane(arg, lane, depth - 1)),
        }
    }

    /// A chain of insertions that sets every lane, or goes on from a built vector, is a built vector.
    fn insert(&mut self, node: &Node, lane: u8) -> Option<Value> {
        let n = usize::from(node.ty.lanes);
        let mut lanes: SmallVec<[Option<Value>; 16]> = SmallVec::from_elem(None, n);
        lanes[usize::from(lane)] = Some(node.args[1]);
        let mut at = node.args[0];
        while let Some(data) = self.def(at) {
            match (data.op, &data.imm) {
                (Op::Insert, Imm::Lane(lane)) => {
                    let slot = &mut lanes[usize::from(*lane)];
                    if slot.is_none() {
                        *slot = Some(data.args[1]);
                    }
                    at = data.args[0];
                }
                (Op::Build, _) => {
                    for (slot, v) in lanes.iter_mut().zip(&data.args) {
                        slot.get_or_insert(*v);
                    }
                    break;
                }
                (Op::Splat, _) => {
                    let v = data.args[0];
                    lanes.iter_mut().for_each(|slot| {
                        slot.get_or_insert(v);
                    });
                    break;
                }
                _ => break,
            }
        }
        let parts: SmallVec<[Value; 4]> = lanes.into_iter().collect::<Option<_>>()?;
        Some(self.plain(Op::Build, node.ty, &parts))
    }
}

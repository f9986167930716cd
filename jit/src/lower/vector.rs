//! Vector values: building, swizzles, `as_type`, run-time shuffles.

use super::emit::Emitter;
use crate::ir::{Imm, Op, Type, Value};

impl Emitter<'_> {
    /// One lane.
    pub(crate) fn extract(&mut self, v: Value, lane: u8) -> Value {
        let ty = self.func.ty(v);
        if !ty.is_vector() {
            return v;
        }
        self.emit(Op::Extract, ty.lane(), &[v], Imm::Lane(lane))
    }

    /// A vector from scalars and vectors, lanes concatenated.
    pub(crate) fn build(&mut self, ty: Type, parts: &[Value]) -> Value {
        if !ty.is_vector() {
            return self.extract(parts[0], 0);
        }
        let mut lanes = Vec::with_capacity(usize::from(ty.lanes));
        for &part in parts {
            for lane in 0..self.func.ty(part).lanes {
                lanes.push(self.extract(part, lane));
            }
        }
        lanes.truncate(usize::from(ty.lanes));
        self.emit(Op::Build, ty, &lanes, Imm::None)
    }

    /// Lanes picked in order; lanes that the vector does not have (a 3-vector's fourth) give lane 0.
    pub(crate) fn swizzle(&mut self, v: Value, lanes: &[u8]) -> Value {
        let ty = self.func.ty(v);
        if !ty.is_vector() {
            return v;
        }
        let lanes: Box<[u8]> = lanes.iter().map(|&l| if l < ty.lanes { l } else { 0 }).collect();
        match &lanes[..] {
            [lane] => self.extract(v, *lane),
            _ if lanes.len() == usize::from(ty.lanes)
                && lanes.iter().enumerate().all(|(i, &l)| i == usize::from(l)) =>
            {
                v
            }
            _ => {
                let result = ty.with_lanes(lanes.len() as u8);
                self.emit(Op::Shuffle, result, &[v, v], Imm::Lanes(lanes))
            }
        }
    }

    /// Same bits in another type; 3-vectors count as 4-vectors with an undefined last lane.
    pub(crate) fn as_type(&mut self, v: Value, to: Type) -> Value {
        let from = self.func.ty(v);
        if from == to {
            return v;
        }
        if from.lanes == to.lanes {
            return self.emit(Op::Bitcast, to, &[v], Imm::None);
        }
        let wide = if to.lanes == 3 { to.with_lanes(4) } else { to };
        let v = if from.lanes == 3 {
            let [x, y, z] = std::array::from_fn(|i| self.extract(v, i as u8));
            let w = self.undef(from.lane());
            self.emit(Op::Build, from.with_lanes(4), &[x, y, z, w], Imm::None)
        } else {
            v
        };
        let v = if self.func.ty(v) == wide { v } else { self.emit(Op::Bitcast, wide, &[v], Imm::None) };
        if to.lanes == 3 { self.swizzle(v, &[0, 1, 2]) } else { v }
    }

    /// `shuffle(x, mask)`. Spec: OpenCL C, "Miscellaneous Vector Functions".
    pub(crate) fn shuffle(&mut self, x: Value, mask: Value, ty: Type) -> Value {
        let lanes: Vec<Value> = (0..ty.lanes)
            .map(|lane| {
                let index = self.mask_lane(mask, lane);
                self.extract_dyn(x, index)
            })
            .collect();
        self.emit(Op::Build, ty, &lanes, Imm::None)
    }

    /// `shuffle2(x, y, mask)`.
    pub(crate) fn shuffle2(&mut self, x: Value, y: Value, mask: Value, ty: Type) -> Value {
        let n = self.func.ty(x).lanes;
        let lanes: Vec<Value> = (0..ty.lanes)
            .map(|lane| {
                let index = self.mask_lane(mask, lane);
                let a = self.extract_dyn(x, index);
                let b = self.extract_dyn(y, index);
                let n = self.bits(Type::I32, u64::from(n));
                let high = self.same(Op::And, &[index, n]);
                let high = self.is_true(high);
                self.emit(Op::Select, ty.lane(), &[high, b, a], Imm::None)
            })
            .collect();
        self.emit(Op::Build, ty, &lanes, Imm::None)
    }

    fn extract_dyn(&mut self, v: Value, index: Value) -> Value {
        let ty = self.func.ty(v);
        if ty.is_vector() { self.emit(Op::ExtractDyn, ty.lane(), &[v, index], Imm::None) } else { v }
    }

    /// A lane of a shuffle mask as i32.
    fn mask_lane(&mut self, mask: Value, lane: u8) -> Value {
        let v = self.extract(mask, lane);
        match self.func.ty(v).elem.bits() {
            32 => v,
            64 => self.emit(Op::Trunci, Type::I32, &[v], Imm::None),
            _ => self.emit(Op::Zext, Type::I32, &[v], Imm::None),
        }
    }
}

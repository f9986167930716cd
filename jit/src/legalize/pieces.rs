//! Values as components or as parts: how a vector lies in registers, the way from one form to the other, and memory
//! access part by part.

use super::Legalizer;
use crate::ir::entity::Entity;
use crate::ir::{Attr, Imm, IntPred, Op, Scalar, Type, Value};
use smallvec::SmallVec;

/// Components or parts of a value.
pub(super) type Pieces = SmallVec<[Value; 4]>;

/// How a vector lies in registers: `count` parts of type `part`, each with `per` lanes. Lanes of the last part beyond
/// the vector's mean nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) part: Type,
    pub(super) per: usize,
    pub(super) count: usize,
}

impl Legalizer<'_> {
    /// The layout of a vector whose lanes are `width` bits wide; only a mask has a choice of it.
    pub(super) fn layout(&self, ty: Type, width: u8) -> Layout {
        let lanes = u32::from(ty.lanes);
        let bytes = lanes.next_power_of_two() * u32::from(width) / 8;
        let per = bytes.clamp(16, self.register_bytes) * 8 / u32::from(width);
        let elem = match ty.elem {
            Scalar::I1 if self.out.mask_registers => Scalar::I1,
            Scalar::I1 => int_of(u32::from(width)),
            Scalar::F16 => Scalar::I16,
            elem => elem,
        };
        let part = Type::scalar(elem).with_lanes(per as u8);
        Layout { part, per: per as usize, count: lanes.div_ceil(per) as usize }
    }

    /// The components of a value, taken out of its parts.
    pub(super) fn take_apart(&self, parts: &[Value], ty: Type, width: u8) -> Pieces {
        let Layout { part, per, .. } = self.layout(ty, width);
        if ty.elem == Scalar::I1 && self.is_lanes {
            let bits = self.bits_of_mask(parts, ty.lanes, width);
            return (0..ty.lanes).map(|i| self.bit(bits, i)).collect();
        }
        (0..usize::from(ty.lanes))
            .map(|i| {
                let v = self.part_lane(parts[i / per], i % per);
                if part.elem == Scalar::I1 || ty.elem != Scalar::I1 { v } else { self.out.icmpc(IntPred::Ne, v, 0) }
            })
            .collect()
    }

    /// One lane of a part.
    pub(super) fn part_lane(&self, part: Value, lane: usize) -> Value {
        let ty = self.out.ty(part).lane();
        if let Some(scalar) = self.out.operand_of(part, Op::Splat, &Imm::None) {
            return scalar;
        }
        match self.out.const_bits(part) {
            Some(bits) => self.out.bits(ty, bits),
            // The machine moves a float's lane 0 for nothing and its bits in one step; integers' lane 0 takes two.
            None if lane == 0 && ty.is_int() && ty.elem.bits() >= 32 && self.is_lanes => {
                let elem = if ty == Type::I32 { Scalar::F32 } else { Scalar::F64 };
                let floats = self.out.bitcast(self.out.ty(part).with_elem(elem), part);
                self.out.bitcast(ty, self.out.extract(floats, 0))
            }
            None => self.out.extract(part, lane),
        }
    }

    /// Parts from components.
    pub(super) fn put_together(&self, lanes: &[Value], ty: Type, width: u8) -> Pieces {
        let Layout { part, per, .. } = self.layout(ty, width);
        lanes
            .chunks(per)
            .map(|chunk| {
                let extend = ty.elem == Scalar::I1 && part.elem != Scalar::I1;
                let values: Pieces = chunk
                    .iter()
                    .map(|&v| if extend { self.out.convert(Op::Sext, part.lane(), v) } else { v })
                    .collect();
                if values.iter().all(|&v| v == values[0]) {
                    return match self.out.const_bits(values[0]) {
                        Some(bits) if part.elem == Scalar::I1 => self.out.bits(part, bits & 1),
                        Some(bits) => self.out.bits(part, bits),
                        None => self.out.convert(Op::Splat, part, values[0]),
                    };
                }
                if part.elem != Scalar::I1 && values.iter().all(|&v| self.out.const_bits(v).is_some()) {
                    let mut values = values;
                    values.resize(per, values[0]);
                    return self.out.emit(Op::Build, part, &values, Imm::None);
                }
                let first = match part.elem {
                    // One instruction; for others that is spreading.
                    Scalar::I32 | Scalar::I64 => self.out.first_lane(part, values[0]),
                    _ => self.out.convert(Op::Splat, part, values[0]),
                };
                self.out.insert_all(first, &values)
            })
            .collect()
    }

    /// Parts of an operand for an op of this lane width.
    pub(super) fn parts(&self, old: Value, width: u8) -> Pieces {
        let (start, len, held) = self.map[old.index()];
        let pieces = Pieces::from_slice(&self.pool[start as usize..(start + len) as usize]);
        if held == width {
            return pieces;
        }
        let key = (old, self.at, width);
        if let Some(parts) = self.converted.borrow().get(&key) {
            return parts.clone();
        }
        let ty = self.old.ty(old);
        let parts = if held != 0 && ty.elem == Scalar::I1 && self.is_lanes {
            self.resize_mask(&pieces, ty.lanes, held, width)
        } else {
            let lanes = self.lanes(old);
            self.put_together(&lanes, ty, width)
        };
        self.converted.borrow_mut().insert(key, parts.clone());
        parts
    }

    /// Loads a vector part by part, touching exactly its lanes.
    pub(super) fn load_parts(&self, ty: Type, ptr: Value, attr: Attr, width: u8) -> Pieces {
        let Layout { part, per, count } = self.layout(ty, width);
        let size = ty.elem.bytes() as usize;
        (0..count)
            .map(|i| {
                let at = self.out.offset(ptr, (i * per * size) as u64);
                let lanes = (usize::from(ty.lanes) - i * per).min(per);
                if lanes == per {
                    return self.out.typed(Op::Load, part, &[at], Imm::None, attr);
                }
                self.load_short(part, lanes * size, at, attr)
            })
            .collect()
    }

    /// Loads the first bytes of a part, by scalars of decreasing size.
    fn load_short(&self, part: Type, bytes: usize, ptr: Value, attr: Attr) -> Value {
        let mut whole = None;
        for (piece, at) in scalars(bytes) {
            let mut v = self.out.typed(Op::Load, piece, &[self.out.offset(ptr, at.into())], Imm::None, attr);
            if whole.is_none() && piece.elem.bits() < 32 {
                v = self.out.convert(Op::Zext, Type::I32, v);
            }
            let lane = self.out.ty(v);
            let vector = lane.with_lanes((part.bytes() / lane.bytes()) as u8);
            whole = Some(match whole {
                None => self.out.first_lane(vector, v),
                Some(before) => self.out.insert(self.out.bitcast(vector, before), v, (at / lane.bytes()) as usize),
            });
        }
        self.out.bitcast(part, whole.expect("vectors have lanes"))
    }

    /// Stores a vector part by part, touching exactly its lanes.
    pub(super) fn store_parts(&self, ty: Type, ptr: Value, parts: &[Value], attr: Attr, width: u8) {
        let Layout { part, per, .. } = self.layout(ty, width);
        let size = ty.elem.bytes() as usize;
        for (i, &v) in parts.iter().enumerate() {
            let at = self.out.offset(ptr, (i * per * size) as u64);
            let lanes = (usize::from(ty.lanes) - i * per).min(per);
            if lanes == per {
                self.out.push(Op::Store, None, &[at, v], Imm::None, attr);
                continue;
            }
            for (piece, offset) in scalars(lanes * size) {
                let vector = piece.with_lanes((part.bytes() / piece.bytes()) as u8);
                // A float as such, if it comes alone.
                let v = if piece.bytes() == part.elem.bytes() { v } else { self.out.bitcast(vector, v) };
                let v = self.part_lane(v, (offset / piece.bytes()) as usize);
                let at = self.out.offset(at, offset.into());
                self.out.push(Op::Store, None, &[at, v], Imm::None, attr);
            }
        }
    }
}

/// Pieces of these types, in decreasing size, that make up `bytes` bytes, each with its offset.
pub(super) fn cut(bytes: u32, types: &[Type]) -> SmallVec<[(Type, u32); 4]> {
    let mut pieces = SmallVec::new();
    let mut at = 0;
    for &ty in types {
        while bytes - at >= ty.bytes() {
            pieces.push((ty, at));
            at += ty.bytes();
        }
    }
    pieces
}

/// Scalars of decreasing size that make up `bytes` bytes.
fn scalars(bytes: usize) -> SmallVec<[(Type, u32); 4]> {
    cut(bytes as u32, &[Type::I64, Type::I32, Type::I16, Type::I8])
}

/// The integer kind of a width.
pub(super) fn int_of(bits: u32) -> Scalar {
    match bits {
        8 => Scalar::I8,
        16 => Scalar::I16,
        32 => Scalar::I32,
        _ => Scalar::I64,
    }
}

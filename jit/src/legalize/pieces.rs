//! Values as components or as parts: how a vector lies in registers, the way from one form to the other, and memory access
//! part by part.

use super::Legalizer;
use crate::ir::entity::Entity;
use crate::ir::{Attr, Imm, InstData, IntPred, Op, Scalar, Type, Value};
use smallvec::SmallVec;

/// Components or parts of a value.
pub(super) type Pieces = SmallVec<[Value; 4]>;

/// How a vector lies in registers: `count` parts of type `part`, each with `per` lanes. Lanes of the last part beyond the
/// vector's mean nothing.
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
    pub(super) fn take_apart(&mut self, parts: &[Value], ty: Type, width: u8) -> Pieces {
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
    pub(super) fn part_lane(&mut self, part: Value, lane: usize) -> Value {
        let ty = self.out.ty(part).lane();
        match self.out.func.def_inst(part) {
            Some(InstData { op: Op::Splat, args, .. }) => args[0],
            Some(InstData { op: Op::Const, imm: Imm::Bits(bits), .. }) => {
                let bits = *bits;
                self.out.bits(ty, bits)
            }
            // The machine moves a float's lane 0 for nothing and its bits in one step; integers' lane 0 takes two.
            _ if lane == 0 && ty.is_int() && ty.elem.bits() >= 32 && self.is_lanes => {
                let elem = if ty == Type::I32 { Scalar::F32 } else { Scalar::F64 };
                let floats = self.out.bitcast(self.out.ty(part).with_elem(elem), part);
                let low = self.out.typed(Op::Extract, Type::scalar(elem), &[floats], Imm::Lane(0), Attr::default());
                self.out.bitcast(ty, low)
            }
            _ => self.out.typed(Op::Extract, ty, &[part], Imm::Lane(lane as u8), Attr::default()),
        }
    }

    /// Parts from components.
    pub(super) fn put_together(&mut self, lanes: &[Value], ty: Type, width: u8) -> Pieces {
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
                    return match self.out.func.const_bits(values[0]) {
                        Some(bits) if part.elem == Scalar::I1 => self.out.bits(part, bits & 1),
                        Some(bits) => self.out.bits(part, bits),
                        None => self.out.convert(Op::Splat, part, values[0]),
                    };
                }
                if part.elem != Scalar::I1 && values.iter().all(|&v| self.out.func.const_bits(v).is_some()) {
                    let mut values = values;
                    values.resize(per, values[0]);
                    return self.out.typed(Op::Build, part, &values, Imm::None, Attr::default());
                }
                let mut whole = match part.elem {
                    // One instruction; for others that is spreading.
                    Scalar::I32 | Scalar::I64 => self.first_lane(part, values[0]),
                    _ => self.out.convert(Op::Splat, part, values[0]),
                };
                for (i, &v) in values.iter().enumerate().skip(1) {
                    whole = self.out.typed(Op::Insert, part, &[whole, v], Imm::Lane(i as u8), Attr::default());
                }
                whole
            })
            .collect()
    }

    /// Parts of an operand for an op of this lane width.
    pub(super) fn parts(&mut self, old: Value, width: u8) -> Pieces {
        let (start, len, held) = self.map[old.index()];
        let pieces = Pieces::from_slice(&self.pool[start as usize..(start + len) as usize]);
        if held == width {
            return pieces;
        }
        let key = (old, self.at, width);
        if let Some(parts) = self.converted.get(&key) {
            return parts.clone();
        }
        let ty = self.old.ty(old);
        let parts = if held != 0 && ty.elem == Scalar::I1 && self.is_lanes {
            self.resize_mask(&pieces, ty.lanes, held, width)
        } else {
            let lanes = self.lanes(old);
            self.put_together(&lanes, ty, width)
        };
        self.converted.insert(key, parts.clone());
        parts
    }

    /// Loads a vector part by part, touching exactly its lanes.
    pub(super) fn load_parts(&mut self, ty: Type, ptr: Value, attr: Attr, width: u8) -> Pieces {
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
    fn load_short(&mut self, part: Type, bytes: usize, ptr: Value, attr: Attr) -> Value {
        let mut whole = None;
        for (piece, at) in scalars(bytes) {
            let address = self.out.offset(ptr, at as u64);
            let mut v = self.out.typed(Op::Load, piece, &[address], Imm::None, attr);
            let mut as_lanes = piece;
            if whole.is_none() && piece.elem.bits() < 32 {
                v = self.out.convert(Op::Zext, Type::I32, v);
                as_lanes = Type::I32;
            }
            let vector = as_lanes.with_lanes((part.bytes() / as_lanes.bytes()) as u8);
            let lane = (at / as_lanes.bytes() as usize) as u8;
            whole = Some(match whole {
                None => self.first_lane(vector, v),
                Some(before) => {
                    let before = self.out.bitcast(vector, before);
                    self.out.typed(Op::Insert, vector, &[before, v], Imm::Lane(lane), Attr::default())
                }
            });
        }
        match whole {
            Some(whole) => self.out.bitcast(part, whole),
            None => unreachable!("vectors have lanes"),
        }
    }

    /// A vector with this scalar in lane 0; the other lanes mean nothing.
    pub(super) fn first_lane(&mut self, ty: Type, v: Value) -> Value {
        let undef = self.out.typed(Op::Undef, ty, &[], Imm::None, Attr::default());
        self.out.typed(Op::Insert, ty, &[undef, v], Imm::Lane(0), Attr::default())
    }

    /// Stores a vector part by part, touching exactly its lanes.
    pub(super) fn store_parts(&mut self, ty: Type, ptr: Value, parts: &[Value], attr: Attr, width: u8) {
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
                let v = self.part_lane(v, offset / piece.bytes() as usize);
                let at = self.out.offset(at, offset as u64);
                self.out.push(Op::Store, None, &[at, v], Imm::None, attr);
            }
        }
    }
}

/// Scalars of decreasing size that make up `bytes` bytes, each with its offset.
fn scalars(bytes: usize) -> SmallVec<[(Type, usize); 4]> {
    let mut pieces = SmallVec::new();
    let mut at = 0;
    for ty in [Type::I64, Type::I32, Type::I16, Type::I8] {
        while bytes - at >= ty.bytes() as usize {
            pieces.push((ty, at));
            at += ty.bytes() as usize;
        }
    }
    pieces
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

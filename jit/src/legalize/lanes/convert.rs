//! Lanes of one kind as lanes of another: integers, floats, masks, and reinterpretation.
//!
//! A conversion op of the legal form takes the low lanes of its operand, as many as the result has. Cranelift has those
//! that double the width; wider machines go any distance in one step.

use super::int::low_bits;
use super::{Made, each, rounding, width_of};
use crate::ir::{Attr, FloatPred, Imm, InstData, IntPred, Op, Rounding, Scalar, Type, Value};
use crate::legalize::Legalizer;
use crate::legalize::pieces::{Layout, Pieces, int_of};
use crate::legalize::round::TRUNCATE;

impl Legalizer<'_> {
    pub(super) fn convert_lanes(&self, inst: &InstData, result: Value) -> Made {
        let (ty, from) = (self.old.ty(result), self.old.ty(inst.args[0]));
        if from.elem == Scalar::I1 {
            return self.extend_mask(inst, ty);
        }
        let source = self.own_parts(inst.args[0]);
        if ty.elem == Scalar::I1 {
            // Bit 0.
            let bit = |v: Value| self.out.icmpc(IntPred::Eq, self.out.op2c(Op::And, v, 1), 1);
            return Some((each(&source, bit), width_of(from.elem)));
        }
        Some((self.convert_pieces(inst.op, from, ty.elem, rounding(inst), &source)?, width_of(ty.elem)))
    }

    /// Masks as integers.
    fn extend_mask(&self, inst: &InstData, ty: Type) -> Made {
        if !matches!(inst.op, Op::Sext | Op::Zext) {
            return None;
        }
        let width = width_of(ty.elem);
        let part = self.layout(ty, width).part;
        let parts = each(&self.parts(inst.args[0], width), |m| match inst.op {
            _ if self.out.mask_registers => self.out.convert(inst.op, part, m),
            // A mask is its own sign extension.
            Op::Sext => m,
            _ => self.out.op2c(Op::And, m, 1),
        });
        Some((parts, width))
    }

    pub(super) fn bitcast_lanes(&self, inst: &InstData, result: Value) -> Made {
        let (ty, from) = (self.old.ty(result), self.old.ty(inst.args[0]));
        // A scalar is the first lane of a register.
        if matches!(from, Type::I32 | Type::I64 | Type::F32 | Type::F64) {
            let width = width_of(ty.elem);
            let part = self.layout(ty, width).part;
            let first = from.with_lanes((part.bytes() / from.bytes()) as u8);
            let whole = self.out.first_lane(first, self.scalar(inst.args[0]));
            return Some((Pieces::from_elem(self.out.bitcast(part, whole), 1), width));
        }
        if matches!(ty, Type::I32 | Type::I64 | Type::F32 | Type::F64) {
            let part = self.own_parts(inst.args[0])[0];
            let whole = self.out.bitcast(ty.with_lanes((self.out.ty(part).bytes() / ty.bytes()) as u8), part);
            return Some((Pieces::from_elem(self.part_lane(whole, 0), 1), 0));
        }
        if !ty.is_vector() || !from.is_vector() {
            return None;
        }
        let source = self.own_parts(inst.args[0]);
        let Layout { part, count, .. } = self.layout(ty, width_of(ty.elem));
        let fits = count == source.len() && self.out.ty(source[0]).bytes() == part.bytes();
        fits.then(|| (each(&source, |v| self.out.bitcast(part, v)), width_of(ty.elem)))
    }

    /// Parts of a vector of type `from` as those of one with elements `to`; `None` if there is no way.
    pub(super) fn convert_pieces(
        &self,
        op: Op,
        from: Type,
        to: Scalar,
        rm: Rounding,
        source: &[Value],
    ) -> Option<Pieces> {
        use Scalar::*;
        let target = self.target;
        let directed = rm != Rounding::Rte && !target.directed;
        let attr = Attr { rm, ..Attr::default() };
        let part = self.layout(from.with_elem(to), width_of(to)).part;
        let native = |v: Value| self.out.typed(op, part, &[v], Imm::None, attr);
        // Conversions by way of a third kind.
        let via = |first: Op, middle: Scalar, second: Op, first_rm: Rounding| {
            let pieces = self.convert_pieces(first, from, middle, first_rm, source)?;
            self.convert_pieces(second, from.with_elem(middle), to, rm, &pieces)
        };
        let extend = if op == Op::Sitofp { Op::Sext } else { Op::Zext };
        Some(match (op, from.elem, to) {
            (Op::Fpext, F16, F64) => return via(Op::Fpext, F32, Op::Fpext, rm),
            (Op::Fpext, F16, F32) => self.widen_halves(from, source),
            (Op::Sext | Op::Zext | Op::Fpext, ..) => self.widen_pieces(op, from, to, source),
            (Op::Fptrunc, F64, F32) if directed => {
                let parts = each(source, |v| self.narrow_part(v, rm));
                self.join_all(from.with_elem(to), parts, self.layout(from, 64).per)
            }
            (Op::Trunci, ..) | (Op::Fptrunc, F64, F32) => self.narrow_pieces(op, from, to, rm, source),
            (Op::Fptrunc, F32, F16) if target.half_conversions => self.narrow_pieces(op, from, to, rm, source),
            (Op::Fptrunc, F32, F16) if rm == Rounding::Rte => {
                let bits = each(source, |v| self.f32_to_half_bits(v, rm));
                self.narrow_pieces(Op::Trunci, from.with_elem(I32), I16, rm, &bits)
            }
            // Exact first, then rounded.
            (Op::Sitofp | Op::Uitofp, I8 | I16, _) => return via(extend, I32, Op::Sitofp, Rounding::Rte),
            (Op::Sitofp | Op::Uitofp, I32, F16) => return via(op, F32, Op::Fptrunc, Rounding::Rte),
            (Op::Sitofp | Op::Uitofp, I32, F64) => self.widen_pieces(op, from, to, source),
            (Op::Sitofp | Op::Uitofp, I32, F32) | (Op::Sitofp | Op::Uitofp, I64, F64) if directed => {
                each(source, |v| self.int_to_rounded(op, to, v, rm))
            }
            (Op::Sitofp | Op::Uitofp, I32, F32) => each(source, native),
            (Op::Sitofp | Op::Uitofp, I64, F64) if target.wide_integers => each(source, native),
            (Op::Sitofp | Op::Uitofp, I64, F32) if target.wide_integers => self.narrow_pieces(op, from, to, rm, source),
            (Op::Fptosi | Op::Fptoui, F16, _) => return via(Op::Fpext, F32, op, Rounding::Rte),
            (Op::Fptosi | Op::Fptoui, ..) => return self.integer_pieces(op, from, to, rm, source),
            _ => return None,
        })
    }

    /// `convert_pieces` from floats of 32 and 64 bits to integers.
    fn integer_pieces(&self, op: Op, from: Type, to: Scalar, rm: Rounding, source: &[Value]) -> Option<Pieces> {
        use Scalar::*;
        let words = from.with_elem(I32);
        let part = self.layout(from.with_elem(to), width_of(to)).part;
        let native = |v: Value| self.out.typed(op, part, &[v], Imm::None, TRUNCATE);
        let is_wide = self.target.wide_integers;
        let integral = |v: Value| self.rounded_to_integral(v, rm);
        // Clamped as floats, which are exact here, so that nothing is left to saturate.
        let small = |v: Value| low_bits(self.out.expr(self.clamp_float(op, to, integral(v))));
        Some(match (from.elem, to) {
            (F32, I32) => each(&each(source, integral), native),
            (F32, I8 | I16) => {
                let whole = each(source, integral);
                let clamped = each(&whole, |v| low_bits(self.out.expr(self.clamp_float(op, to, v))).v);
                self.narrow_pieces(Op::Trunci, words, to, rm, &clamped)
            }
            (F64, I32) if is_wide => self.narrow_pieces(op, from, to, Rounding::Rtz, &each(source, integral)),
            (F64, I8 | I16 | I32) => {
                let halves = each(source, |v| {
                    let word = small(v);
                    let half = word.ty().with_lanes((word.ty().lanes / 2).max(4));
                    self.out.alternate_as(half, [word.v, word.v])
                });
                let all = self.join_all(words, halves, self.layout(from, 64).per);
                if to == I32 { all } else { self.narrow_pieces(Op::Trunci, words, to, rm, &all) }
            }
            (F64, I64) if is_wide => each(&each(source, integral), native),
            (F32, I64) if is_wide => self.widen_pieces(op, from, to, &each(source, integral)),
            _ => return None,
        })
    }

    /// A float limited to the range of an integer kind that it can express; NaN becomes 0.
    fn clamp_float(&self, op: Op, to: Scalar, v: Value) -> Value {
        let bits = to.bits() as i32;
        let (low, high) = match op {
            Op::Fptosi => (-(2f64.powi(bits - 1)), 2f64.powi(bits - 1) - 1.0),
            _ => (0.0, 2f64.powi(bits) - 1.0),
        };
        let v = self.out.expr(v);
        let [low, high, zero] = [low, high, 0.0].map(|x| match v.bits() {
            32 => v.like((x as f32).to_bits().into()),
            _ => v.like(x.to_bits()),
        });
        let ordered = v.fcmp(FloatPred::OEq, v);
        let v = self.out.expr(self.select_part(ordered.v, v.v, zero.v));
        let v = v.fcmp(FloatPred::OLt, low).select(low, v);
        v.fcmp(FloatPred::OGt, high).select(high, v).v
    }

    /// Halves, as words, to singles.
    fn widen_halves(&self, from: Type, source: &[Value]) -> Pieces {
        if self.target.half_conversions {
            return self.widen_pieces(Op::Fpext, from, Scalar::F32, source);
        }
        let words = self.widen_pieces(Op::Zext, from.with_elem(Scalar::I16), Scalar::I32, source);
        each(&words, |v| self.half_bits_to_f32(v))
    }

    /// A conversion to wider elements; floats that become integers are integral.
    fn widen_pieces(&self, op: Op, from: Type, to: Scalar, source: &[Value]) -> Pieces {
        let mut from = from;
        let attr = if matches!(op, Op::Fptosi | Op::Fptoui) { TRUNCATE } else { Attr::default() };
        let mut pieces = Pieces::from_slice(source);
        while from.elem.bits() < to.bits() {
            let next = if self.register_bytes > 16 || from.elem.bits() * 2 == to.bits() {
                to
            } else {
                int_of(from.elem.bits() * 2)
            };
            let source_per = self.layout(from, width_of(from.elem)).per;
            let wide = self.layout(from.with_elem(next), width_of(next));
            pieces = (0..wide.count)
                .map(|k| {
                    let at = k * wide.per;
                    let low = self.out.slide(pieces[at / source_per], at % source_per, wide.per);
                    self.out.typed(op, wide.part, &[low], Imm::None, attr)
                })
                .collect();
            from = from.with_elem(next);
        }
        pieces
    }

    /// A conversion to narrower elements; floats that become integers are integral.
    fn narrow_pieces(&self, op: Op, from: Type, to: Scalar, rm: Rounding, source: &[Value]) -> Pieces {
        let mut from = from;
        let mut pieces = Pieces::from_slice(source);
        if !self.target.narrows && op == Op::Trunci {
            // Every second lane of two parts, seen as lanes of half the width.
            while from.elem.bits() > to.bits() {
                let next = int_of(from.elem.bits() / 2);
                let part = self.layout(from.with_elem(next), width_of(next)).part;
                let both = |pair: &[Value]| self.out.alternate_as(part, [pair[0], pair[pair.len() - 1]]);
                pieces = pieces.chunks(2).map(both).collect();
                from = from.with_elem(next);
            }
            return pieces;
        }
        let per = self.layout(from, width_of(from.elem)).per;
        let lane = if to == Scalar::F16 { Scalar::I16 } else { to };
        let lanes = per.max(16 / lane.bytes() as usize) as u8;
        let narrow = Type::scalar(lane).with_lanes(lanes);
        let attr = Attr { rm, ..Attr::default() };
        let parts = each(&pieces, |v| self.out.typed(op, narrow, &[v], Imm::None, attr));
        self.join_all(from.with_elem(to), parts, per)
    }

    /// Parts of which only the first `count` lanes mean something, as the parts of a whole vector.
    pub(super) fn join_all(&self, ty: Type, parts: Pieces, count: usize) -> Pieces {
        let per = self.layout(ty, width_of(ty.elem)).per;
        self.join_to(per, parts, count)
    }

    fn join_to(&self, per: usize, parts: Pieces, count: usize) -> Pieces {
        let (mut parts, mut count) = (parts, count);
        while count < per && parts.len() > 1 {
            parts = parts.chunks(2).map(|pair| self.join(pair[0], pair[pair.len() - 1], count)).collect();
            count *= 2;
        }
        parts
    }

    /// Parts of a mask in another width.
    pub(in crate::legalize) fn resize_mask(&self, source: &[Value], lanes: u8, from: u8, to: u8) -> Pieces {
        let mut pieces = Pieces::from_slice(source);
        if from == to {
            return pieces;
        }
        let ty = Type::I1.with_lanes(lanes);
        if self.out.mask_registers {
            // One bit each in any width; only the number of lanes per register differs.
            let (old, new) = (self.layout(ty, from), self.layout(ty, to));
            if new.per > old.per {
                return self.join_to(new.per, pieces, old.per);
            }
            return (0..new.count)
                .map(|k| {
                    let at = k * new.per;
                    let source = pieces[at / old.per];
                    let picks = (0..new.per).map(|i| at % old.per + i);
                    if new.per == old.per { source } else { self.out.shuffle(new.part, [source, source], picks) }
                })
                .collect();
        }
        let mut width = from;
        while width < to {
            // A mask is its own sign extension.
            let [narrow, wide] = [width, width * 2].map(|width| int_of(width.into()));
            pieces = self.widen_pieces(Op::Sext, ty.with_elem(narrow), wide, &pieces);
            width *= 2;
        }
        while width > to {
            width /= 2;
            let Layout { part, count, .. } = self.layout(ty, width);
            pieces = (0..count)
                .map(|k| {
                    let a = pieces[2 * k];
                    let b = pieces.get(2 * k + 1).copied().unwrap_or(a);
                    if part.elem == Scalar::I32 {
                        return self.out.alternate_as(part, [a, b]);
                    }
                    // Saturation keeps 0 and -1. (A part of half the length has the lanes of one operand.)
                    self.out.emit(Op::Narrow, part, &[a, b], Imm::None)
                })
                .collect();
        }
        pieces
    }
}

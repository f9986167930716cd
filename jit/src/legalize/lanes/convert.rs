//! Lanes of one kind as lanes of another: integers, floats, masks, and reinterpretation.
//!
//! A conversion op of the legal form takes the low lanes of its operand, as many as the result has. Cranelift has those that
//! double the width; wider machines go any distance in one step.

use super::{rounding, width_of};
use crate::ir::{Attr, FloatPred, Imm, InstData, IntPred, Op, Rounding, Scalar, Type, Value};
use crate::legalize::Legalizer;
use crate::legalize::pieces::{Layout, Pieces, int_of};
use crate::legalize::round::TRUNCATE;

impl Legalizer<'_> {
    pub(super) fn convert_lanes(&mut self, inst: &InstData) -> bool {
        let Some(result) = inst.result else { return false };
        let (ty, from) = (self.old.ty(result), self.old.ty(inst.args[0]));
        if from.elem == Scalar::I1 {
            return self.extend_mask(inst, result, ty);
        }
        let source = self.own_parts(inst.args[0]);
        if ty.elem == Scalar::I1 {
            // Bit 0.
            let parts: Pieces = source
                .iter()
                .map(|&v| {
                    let bit = self.out.op2c(Op::And, v, 1);
                    let one = self.out.like(v, 1);
                    self.out.icmp(IntPred::Eq, bit, one)
                })
                .collect();
            self.set_parts(result, &parts, width_of(from.elem));
            return true;
        }
        let Some(parts) = self.convert_pieces(inst.op, from, ty.elem, rounding(inst), &source) else { return false };
        self.set_parts(result, &parts, width_of(ty.elem));
        true
    }

    /// Masks as integers.
    fn extend_mask(&mut self, inst: &InstData, result: Value, ty: Type) -> bool {
        if !matches!(inst.op, Op::Sext | Op::Zext) {
            return false;
        }
        let width = width_of(ty.elem);
        let masks = self.parts(inst.args[0], width);
        let part = self.layout(ty, width).part;
        let parts: Pieces = masks
            .iter()
            .map(|&m| match inst.op {
                _ if self.out.mask_registers => self.out.convert(inst.op, part, m),
                // A mask is its own sign extension.
                Op::Sext => m,
                _ => self.out.op2c(Op::And, m, 1),
            })
            .collect();
        self.set_parts(result, &parts, width);
        true
    }

    pub(super) fn bitcast_lanes(&mut self, inst: &InstData) -> bool {
        let Some(result) = inst.result else { return false };
        let (ty, from) = (self.old.ty(result), self.old.ty(inst.args[0]));
        if !ty.is_vector() || !from.is_vector() {
            return false;
        }
        let source = self.own_parts(inst.args[0]);
        let Layout { part, count, .. } = self.layout(ty, width_of(ty.elem));
        if count != source.len() || self.out.ty(source[0]).bytes() != part.bytes() {
            return false;
        }
        let parts: Pieces = source.iter().map(|&v| self.out.bitcast(part, v)).collect();
        self.set_parts(result, &parts, width_of(ty.elem));
        true
    }

    /// Parts of a vector of type `from` as those of one with elements `to`; `None` if there is no way.
    pub(super) fn convert_pieces(
        &mut self,
        op: Op,
        from: Type,
        to: Scalar,
        rm: Rounding,
        source: &[Value],
    ) -> Option<Pieces> {
        use Scalar::*;
        let native = |op: Op, this: &mut Self, part: Type, v: Value, rm: Rounding| {
            this.out.typed(op, part, &[v], Imm::None, Attr { rm, ..Attr::default() })
        };
        let ty = from.with_elem(to);
        let part = self.layout(ty, width_of(to)).part;
        let machine = self.machine;
        let directed = rm != Rounding::Rte && !machine.directed;
        // Conversions by way of a third kind.
        let mut via = |first: Op, middle: Scalar, second: Op, first_rm: Rounding, second_rm: Rounding| {
            let middle_pieces = self.convert_pieces(first, from, middle, first_rm, source)?;
            self.convert_pieces(second, from.with_elem(middle), to, second_rm, &middle_pieces)
        };
        let extend = if matches!(op, Op::Sitofp | Op::Fptosi) { Op::Sext } else { Op::Zext };
        match (op, from.elem, to) {
            (Op::Trunci, ..) => Some(self.narrow_pieces(op, from, to, rm, source)),
            (Op::Sext | Op::Zext, ..) => Some(self.widen_pieces(op, from, to, source)),
            (Op::Fpext, F32, F64) => Some(self.widen_pieces(op, from, to, source)),
            (Op::Fpext, F16, F64) => via(Op::Fpext, F32, Op::Fpext, rm, rm),
            (Op::Fpext, F16, F32) => Some(self.widen_halves(from, source)),
            (Op::Fptrunc, F64, F32) if directed => {
                let parts: Pieces = source.iter().map(|&v| self.narrow_part(v, rm)).collect();
                Some(self.join_all(ty, parts, self.layout(from, 64).per))
            }
            (Op::Fptrunc, F64, F32) => Some(self.narrow_pieces(op, from, to, rm, source)),
            (Op::Fptrunc, F32, F16) if machine.half_conversions => Some(self.narrow_pieces(op, from, to, rm, source)),
            (Op::Fptrunc, F32, F16) if rm == Rounding::Rte => {
                let bits: Pieces = source.iter().map(|&v| self.f32_to_half_bits(v, rm)).collect();
                Some(self.narrow_pieces(Op::Trunci, from.with_elem(I32), I16, rm, &bits))
            }
            // Exact first, then rounded.
            (Op::Sitofp | Op::Uitofp, I8 | I16, _) => via(extend, I32, Op::Sitofp, Rounding::Rte, rm),
            (Op::Sitofp | Op::Uitofp, I32, F16) => via(op, F32, Op::Fptrunc, Rounding::Rte, rm),
            (Op::Sitofp | Op::Uitofp, I32, F32) if directed => {
                Some(source.iter().map(|&v| self.int_to_rounded(op, F32, v, rm)).collect())
            }
            (Op::Sitofp | Op::Uitofp, I32, F32) => {
                Some(source.iter().map(|&v| native(op, self, part, v, rm)).collect())
            }
            (Op::Sitofp | Op::Uitofp, I32, F64) => Some(self.widen_pieces(op, from, to, source)),
            (Op::Sitofp | Op::Uitofp, I64, F64) if machine.wide_integers || directed => {
                let convert = |this: &mut Self, v: Value| match directed {
                    true => this.int_to_rounded(op, F64, v, rm),
                    false => native(op, this, part, v, rm),
                };
                Some(source.iter().map(|&v| convert(self, v)).collect())
            }
            (Op::Sitofp | Op::Uitofp, I64, F32) if machine.wide_integers => {
                Some(self.narrow_pieces(op, from, to, rm, source))
            }
            (Op::Fptosi | Op::Fptoui, F16, _) => via(Op::Fpext, F32, op, Rounding::Rte, rm),
            (Op::Fptosi | Op::Fptoui, F32, I8 | I16 | I32) => {
                let whole: Pieces = source.iter().map(|&v| self.rounded_to_integral(v, rm)).collect();
                let words = from.with_elem(I32);
                let word_part = self.layout(words, 32).part;
                if to == I32 {
                    let convert = |&v: &Value| self.out.typed(op, word_part, &[v], Imm::None, TRUNCATE);
                    return Some(whole.iter().map(convert).collect());
                }
                // Clamped as floats, which are exact here, so that nothing is left to saturate.
                let clamped: Pieces = whole
                    .iter()
                    .map(|&v| {
                        let v = self.clamp_float(op, to, v);
                        self.small_to_int(v)
                    })
                    .collect();
                Some(self.narrow_pieces(Op::Trunci, words, to, rm, &clamped))
            }
            (Op::Fptosi | Op::Fptoui, F64, I32) if machine.wide_integers => {
                let whole: Pieces = source.iter().map(|&v| self.rounded_to_integral(v, rm)).collect();
                Some(self.narrow_pieces(op, from, to, Rounding::Rtz, &whole))
            }
            (Op::Fptosi | Op::Fptoui, F64, I8 | I16 | I32) => {
                let words: Pieces = source
                    .iter()
                    .map(|&v| {
                        let v = self.rounded_to_integral(v, rm);
                        let v = self.clamp_float(op, to, v);
                        let word = self.low_word(v);
                        let whole = self.out.ty(word);
                        let half = whole.with_lanes((whole.lanes / 2).max(4));
                        self.alternate_as(half, [word, word])
                    })
                    .collect();
                let words = self.join_all(from.with_elem(I32), words, self.layout(from, 64).per);
                match to {
                    I32 => Some(words),
                    _ => Some(self.narrow_pieces(Op::Trunci, from.with_elem(I32), to, rm, &words)),
                }
            }
            (Op::Fptosi | Op::Fptoui, F64, I64) if machine.wide_integers => {
                let whole: Pieces = source.iter().map(|&v| self.rounded_to_integral(v, rm)).collect();
                Some(whole.iter().map(|&v| self.out.typed(op, part, &[v], Imm::None, TRUNCATE)).collect())
            }
            (Op::Fptosi | Op::Fptoui, F32, I64) if machine.wide_integers => {
                let whole: Pieces = source.iter().map(|&v| self.rounded_to_integral(v, rm)).collect();
                Some(self.widen_pieces(op, from, to, &whole))
            }
            _ => None,
        }
    }

    /// A float rounded to an integral one, unless truncation follows.
    fn rounded_to_integral(&mut self, v: Value, rm: Rounding) -> Value {
        match rm {
            Rounding::Rtz => v,
            Rounding::Rte => self.out.op1(Op::Rint, v),
            Rounding::Rtp => self.out.op1(Op::Ceil, v),
            Rounding::Rtn => self.out.op1(Op::Floor, v),
        }
    }

    /// A float limited to the range of an integer kind that it can express; NaN becomes 0.
    fn clamp_float(&mut self, op: Op, to: Scalar, v: Value) -> Value {
        let bits = to.bits();
        let (low, high) = match op {
            Op::Fptosi => (-(2f64.powi(bits as i32 - 1)), 2f64.powi(bits as i32 - 1) - 1.0),
            _ => (0.0, 2f64.powi(bits as i32) - 1.0),
        };
        let ty = self.out.ty(v);
        let constant = |this: &mut Self, x: f64| match ty.elem {
            Scalar::F32 => this.out.bits(ty, u64::from((x as f32).to_bits())),
            _ => this.out.bits(ty, x.to_bits()),
        };
        let (low, high, zero) = (constant(self, low), constant(self, high), constant(self, 0.0));
        let ordered = self.out.fcmp(FloatPred::Ord, v, v);
        let v = self.select_part(ordered, v, zero);
        let under = self.out.fcmp(FloatPred::OLt, v, low);
        let v = self.out.select(under, low, v);
        let over = self.out.fcmp(FloatPred::OGt, v, high);
        self.out.select(over, high, v)
    }

    /// f32 below 2^22 truncated to integers; only the low 16 bits mean anything.
    fn small_to_int(&mut self, v: Value) -> Value {
        let out = &mut self.out;
        let whole = out.op1(Op::Trunc, v);
        let base = out.like(whole, u64::from(12_582_912f32.to_bits()));
        let sum = out.op2(Op::Fadd, whole, base);
        out.as_int(sum)
    }

    /// Halves, as words, to singles.
    fn widen_halves(&mut self, from: Type, source: &[Value]) -> Pieces {
        if self.machine.half_conversions {
            return self.widen_pieces(Op::Fpext, from, Scalar::F32, source);
        }
        let words = self.widen_pieces(Op::Zext, from.with_elem(Scalar::I16), Scalar::I32, source);
        words.iter().map(|&v| self.half_bits_to_f32(v)).collect()
    }

    /// A conversion to wider elements; floats that become integers are integral.
    fn widen_pieces(&mut self, op: Op, from: Type, to: Scalar, source: &[Value]) -> Pieces {
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
                    let low = self.slide(pieces[at / source_per], at % source_per, wide.per);
                    self.out.typed(op, wide.part, &[low], Imm::None, attr)
                })
                .collect();
            from = from.with_elem(next);
        }
        pieces
    }

    /// A conversion to narrower elements; floats that become integers are integral.
    fn narrow_pieces(&mut self, op: Op, from: Type, to: Scalar, rm: Rounding, source: &[Value]) -> Pieces {
        let mut from = from;
        let mut pieces = Pieces::from_slice(source);
        if !self.machine.narrows && op == Op::Trunci {
            // Every second lane of two parts, seen as lanes of half the width.
            while from.elem.bits() > to.bits() {
                let next = int_of(from.elem.bits() / 2);
                let part = self.layout(from.with_elem(next), width_of(next)).part;
                pieces =
                    pieces.chunks(2).map(|pair| self.alternate_as(part, [pair[0], pair[pair.len() - 1]])).collect();
                from = from.with_elem(next);
            }
            return pieces;
        }
        let per = self.layout(from, width_of(from.elem)).per;
        let lane = if to == Scalar::F16 { Scalar::I16 } else { to };
        let lanes = per.max(16 / lane.bytes() as usize) as u8;
        let narrow = Type::scalar(lane).with_lanes(lanes);
        let attr = Attr { rm, ..Attr::default() };
        let parts: Pieces = pieces.iter().map(|&v| self.out.typed(op, narrow, &[v], Imm::None, attr)).collect();
        self.join_all(from.with_elem(to), parts, per)
    }

    /// Parts of which only the first `count` lanes mean something, as the parts of a whole vector.
    pub(super) fn join_all(&mut self, ty: Type, parts: Pieces, count: usize) -> Pieces {
        let per = self.layout(ty, width_of(ty.elem)).per;
        self.join_to(per, parts, count)
    }

    fn join_to(&mut self, per: usize, parts: Pieces, count: usize) -> Pieces {
        let (mut parts, mut count) = (parts, count);
        while count < per && parts.len() > 1 {
            parts = parts
                .chunks(2)
                .map(|pair| match *pair {
                    [a, b] => self.join(a, b, count),
                    _ => self.join(pair[0], pair[0], count),
                })
                .collect();
            count *= 2;
        }
        parts
    }

    /// Parts of a mask in another width.
    pub(in crate::legalize) fn resize_mask(&mut self, source: &[Value], lanes: u8, from: u8, to: u8) -> Pieces {
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
                    let picks: Vec<u8> = (0..new.per).map(|i| (at % old.per + i) as u8).collect();
                    match new.per == old.per {
                        true => source,
                        false => self.out.typed(
                            Op::Shuffle,
                            new.part,
                            &[source, source],
                            Imm::Lanes(picks.into()),
                            Attr::default(),
                        ),
                    }
                })
                .collect();
        }
        let mut width = from;
        while width < to {
            // A mask is its own sign extension.
            pieces = self.widen_pieces(
                Op::Sext,
                ty.with_elem(int_of(u32::from(width))),
                int_of(u32::from(width) * 2),
                &pieces,
            );
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
                        return self.alternate_as(part, [a, b]);
                    }
                    // Saturation keeps 0 and -1. (A part of half the length has the lanes of one operand.)
                    self.out.typed(Op::Narrow, part, &[a, b], Imm::None, Attr::default())
                })
                .collect();
        }
        pieces
    }
}

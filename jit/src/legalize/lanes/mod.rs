//! Operations on vectors in registers. In functions in lane form the lanes of vectors are work-items, and every vector
//! is to stay there, but for those that `apart` finds; elsewhere `native` says which OpenCL vectors do.
//!
//! Each op has one of these actions, chosen by op, element kind and machine, with the first that applies:
//! - *native*: the register's own op, on every part (`part`);
//! - *expand*: a sequence of native ones on a part (`int`, `float`, `mask`);
//! - *widen*: the same op on wider elements, and back (`on_pieces`, `convert`);
//! - *lanes*: the scalar op on each component; always correct, and the result goes back into registers at once.
//!
//! Masks are held as wide as most of their users want them (`home`) and change width where an op wants another one.
//! `convert` does that and all other conversions, `arrange` moves lanes, `memory` loads and stores under masks,
//! `indexed` each lane at its own address. Start with `lane_inst`.

mod apart;
mod arrange;
mod convert;
mod float;
mod home;
mod indexed;
mod int;
pub(super) mod invariant;
mod mask;
mod memory;
mod table;

use super::pieces::Pieces;
use super::{Legalizer, is_volatile};
use crate::ir::entity::Entity;
use crate::ir::{Imm, InstData, Op, Rounding, Scalar, Type, Value};
use smallvec::SmallVec;

pub(super) use home::home_widths;

/// The parts of a result and the width of their lanes; none if the operation has to be done on components.
type Made = Option<(Pieces, u8)>;

/// Lane width in bits of a kind of element that is no mask.
fn width_of(elem: Scalar) -> u8 {
    elem.bits() as u8
}

/// What a function makes of each part.
fn each(parts: &[Value], make: impl Fn(Value) -> Value) -> Pieces {
    parts.iter().map(|&v| make(v)).collect()
}

/// The ops that `Attr::rm` means something to.
fn rounding(inst: &InstData) -> Rounding {
    use Op::*;
    match inst.op {
        Fadd | Fsub | Fmul | Fdiv | Fma | Fptrunc | Fptosi | Fptoui | Sitofp | Uitofp => inst.attr.rm,
        _ => Rounding::Rte,
    }
}

impl Legalizer<'_> {
    /// True if an instruction takes or gives vectors, and only such as are in registers.
    pub(super) fn has_vectors(&self, inst: &InstData) -> bool {
        let values = || inst.result.into_iter().chain(inst.args.iter().copied());
        let mut vectors = values().filter(|&v| self.old.ty(v).is_vector()).peekable();
        vectors.peek().is_some() && vectors.all(|v| self.choice[v.index()] != 0)
    }

    /// An instruction on vectors; false if it is to be done on components.
    pub(super) fn lane_inst(&mut self, inst: &InstData) -> bool {
        use Op::*;
        let Some(result) = inst.result else {
            return match inst.op {
                StoreMasked => self.store_masked(inst),
                Scatter => self.scatter(inst),
                _ => false,
            };
        };
        let made = match inst.op {
            Const | Undef | Splat | Build | Iota => Some(self.make_vector(inst, result)),
            Insert => self.insert_lane(inst, result),
            Shuffle => self.shuffle_lanes(inst, result),
            Permute => self.permute(inst, result),
            Reduce => self.reduce(inst),
            Load if is_volatile(inst) => None,
            Load => Some(self.load_vector(inst, result)),
            LoadMasked => self.load_masked(inst, result),
            Gather => self.gather(inst, result),
            MaskAny | MaskAll | MaskBits => Some((self.test_mask(inst), 0)),
            Icmp | Fcmp => self.compare(inst),
            Select => self.select_lanes(inst, result),
            Bitcast => self.bitcast_lanes(inst, result),
            Trunci | Sext | Zext | Fptrunc | Fpext | Fptosi | Fptoui | Sitofp | Uitofp => {
                self.convert_lanes(inst, result)
            }
            Extract | ExtractDyn | Call => None,
            _ => self.elementwise_lanes(inst, result),
        };
        let Some((parts, width)) = made else { return false };
        self.set_parts(result, &parts, width);
        true
    }

    /// Puts a result that came as components into registers.
    pub(super) fn settle(&mut self, inst: &InstData) {
        let Some(result) = inst.result.filter(|&r| self.old.ty(r).is_vector()) else { return };
        let (start, len, width) = self.map[result.index()];
        if width != 0 {
            return;
        }
        let lanes = Pieces::from_slice(&self.pool[start as usize..(start + len) as usize]);
        let home = self.choice[result.index()];
        if home == 0 {
            return;
        }
        let parts = self.put_together(&lanes, self.old.ty(result), home);
        self.set_parts(result, &parts, home);
        self.converted.borrow_mut().insert((result, self.at, 0), lanes);
    }

    /// Parts of a vector that is no mask.
    fn own_parts(&self, old: Value) -> Pieces {
        self.parts(old, width_of(self.old.ty(old).elem))
    }

    /// An op of `ty` lane by lane.
    fn elementwise_lanes(&self, inst: &InstData, result: Value) -> Made {
        let ty = self.old.ty(result);
        if ty.elem == Scalar::I1 {
            return self.mask_logic(inst, result);
        }
        let width = width_of(ty.elem);
        if let Some(parts) = self.divide_by_one(inst) {
            return Some((parts, width));
        }
        let is_shift = matches!(inst.op, Op::Shl | Op::Lshr | Op::Ashr | Op::Rotl);
        let operands = inst.args.iter().enumerate().map(|(n, &arg)| {
            // One amount for all lanes.
            let amount = if is_shift && n == 1 { self.uniform(arg) } else { None };
            amount.map_or_else(|| self.parts(arg, width), |v| Pieces::from_elem(v, self.layout(ty, width).count))
        });
        let args: SmallVec<[Pieces; 3]> = operands.collect();
        Some((self.on_pieces(inst.op, rounding(inst), ty, &args)?, width))
    }

    /// The scalar that is known to be in all lanes.
    fn uniform(&self, v: Value) -> Option<Value> {
        let def = self.old.def_inst(v)?;
        match (def.op, &def.imm) {
            (Op::Splat, _) => Some(self.scalar(def.args[0])),
            (Op::Const, Imm::Bits(bits)) => {
                let (ty, bits) = (self.old.ty(v), *bits);
                Some(self.out.bits(super::legal_lane(ty), bits))
            }
            _ => None,
        }
    }

    /// An op on all parts of its operands; `None` if it has to be done component by component.
    fn on_pieces(&self, op: Op, rm: Rounding, ty: Type, args: &[Pieces]) -> Option<Pieces> {
        use Op::*;
        let via = match (op, ty.elem) {
            (Fneg | Fabs | Copysign, _) => None,
            (Fadd | Fsub | Fmul | Fdiv | Fma | Sqrt, Scalar::F16) if self.target.half_arithmetic => None,
            (Fma, Scalar::F16) if rm == Rounding::Rte => return self.fused_halves(ty, args),
            (_, Scalar::F16) if rm != Rounding::Rte || op == Frem => return None,
            (_, Scalar::F16) => Some((Scalar::F32, Fpext, Fptrunc)),
            (MulHiS | DivS | RemS, Scalar::I8 | Scalar::I16) => Some((Scalar::I32, Sext, Trunci)),
            (MulHiU | DivU | RemU, Scalar::I8 | Scalar::I16) => Some((Scalar::I32, Zext, Trunci)),
            // What narrow lanes cannot do by lane, wider ones do.
            (Shl | Lshr | Ashr, Scalar::I8 | Scalar::I16) if self.widens_shift(ty, args) => {
                Some((Scalar::I32, if op == Ashr { Sext } else { Zext }, Trunci))
            }
            (Rotl, Scalar::I8 | Scalar::I16) if self.widens_shift(ty, args) => {
                let rest = each(&args[1], |b| self.out.op1(Neg, b));
                let high = self.on_pieces(Shl, rm, ty, args)?;
                let low = self.on_pieces(Lshr, rm, ty, &[args[0].clone(), rest])?;
                return Some(high.iter().zip(&low).map(|(&a, &b)| self.out.op2(Or, a, b)).collect());
            }
            _ => None,
        };
        let Some((wide, there, back)) = via else {
            let count = args[0].len();
            return (0..count)
                .map(|i| {
                    let one: SmallVec<[Value; 3]> = args.iter().map(|a| a[i]).collect();
                    self.on_part(op, rm, ty.elem, &one)
                })
                .collect();
        };
        let widened: SmallVec<[Pieces; 3]> =
            args.iter().map(|a| self.convert_pieces(there, ty, wide, Rounding::Rte, a)).collect::<Option<_>>()?;
        let wide_ty = ty.with_elem(wide);
        let result = match op {
            Shl | Lshr | Ashr => {
                let by = each(&widened[1], |by| self.out.op2c(And, by, u64::from(ty.elem.bits() - 1)));
                self.on_pieces(op, rm, wide_ty, &[widened[0].clone(), by])?
            }
            MulHiS | MulHiU => {
                let shift = if op == MulHiS { Ashr } else { Lshr };
                let products = self.on_pieces(Mul, rm, wide_ty, &widened)?;
                each(&products, |p| self.out.op2c(shift, p, u64::from(ty.elem.bits())))
            }
            DivS | DivU | RemS | RemU => {
                let zipped = widened[0].iter().zip(&widened[1]);
                zipped.map(|(&a, &b)| self.divide_narrow(op, a, b)).collect()
            }
            _ => self.on_pieces(op, rm, wide_ty, &widened)?,
        };
        self.convert_pieces(back, wide_ty, ty.elem, Rounding::Rte, &result)
    }

    /// True if lanes of this type shift by one amount each only as wider ones.
    fn widens_shift(&self, ty: Type, args: &[Pieces]) -> bool {
        self.target.lane_shifts > 0 && !self.shifts_by_lane(ty.elem.bits()) && self.out.ty(args[1][0]).is_vector()
    }

    /// An op on one part.
    fn on_part(&self, op: Op, rm: Rounding, elem: Scalar, args: &[Value]) -> Option<Value> {
        if elem.is_float() { self.float_part(op, rm, elem, args) } else { self.int_part(op, elem, args) }
    }
}

//! Functions in lane form: the lanes of vectors are work-items, and every vector is to stay in vector registers.
//!
//! Each op has one of these actions, chosen by op, element kind and machine, with the first that applies:
//! - *native*: the register's own op, on every part (`part`);
//! - *expand*: a sequence of native ones on a part (`int`, `float`, `mask`);
//! - *widen*: the same op on wider elements, and back (`on_pieces`, `convert`);
//! - *lanes*: the scalar op on each component; always correct, and the result goes back into registers at once.
//!
//! Masks are held as wide as most of their users want them (`home`) and change width where an op wants another one.
//! `convert` does that and all other conversions, `arrange` moves lanes, `memory` loads and stores under masks, `indexed`
//! each lane at its own address. Start with `lane_inst`.

mod arrange;
mod convert;
mod float;
mod home;
mod indexed;
mod int;
mod mask;
mod memory;
mod table;

use super::pieces::Pieces;
use super::{Legalizer, is_volatile};
use crate::error::CodeError;
use crate::ir::entity::Entity;
use crate::ir::{Imm, Inst, InstData, Op, Rounding, Scalar, Type, Value};
use smallvec::SmallVec;

pub(super) use home::home_widths;

/// Lane width in bits of a kind of element that is no mask.
fn width_of(elem: Scalar) -> u8 {
    elem.bits() as u8
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
    /// True if an instruction takes or gives vectors.
    pub(super) fn has_vectors(&self, inst: &InstData) -> bool {
        inst.result.into_iter().chain(inst.args.iter().copied()).any(|v| self.old.ty(v).is_vector())
    }

    /// An instruction on vectors.
    pub(super) fn lane_inst(&mut self, id: Inst, inst: &InstData) -> Result<(), CodeError> {
        use Op::*;
        let is_done = match inst.op {
            Const | Undef | Splat | Build | Iota => self.make_vector(inst),
            Insert => self.insert_lane(inst),
            Shuffle => self.shuffle_lanes(inst),
            Permute => self.permute(inst),
            Reduce => self.reduce(inst),
            Load | Store if is_volatile(inst) => false,
            Load => self.load_vector(inst),
            LoadMasked => self.load_masked(inst),
            StoreMasked => self.store_masked(inst),
            Gather => self.gather(inst),
            Scatter => self.scatter(inst),
            MaskAny | MaskAll | MaskBits => self.test_mask(inst),
            Icmp | Fcmp => self.compare(inst),
            Select => self.select_lanes(inst),
            Bitcast => self.bitcast_lanes(inst),
            Trunci | Sext | Zext | Fptrunc | Fpext | Fptosi | Fptoui | Sitofp | Uitofp => self.convert_lanes(inst),
            Extract | ExtractDyn | Store | Call => false,
            _ => self.elementwise_lanes(inst),
        };
        if !is_done {
            self.component_inst(id, inst)?;
            self.settle(inst);
        }
        Ok(())
    }

    /// Puts a result that came as components into registers.
    fn settle(&mut self, inst: &InstData) {
        let Some(result) = inst.result.filter(|&r| self.old.ty(r).is_vector()) else { return };
        let (start, len, width) = self.map[result.index()];
        if width != 0 {
            return;
        }
        let lanes = Pieces::from_slice(&self.pool[start as usize..(start + len) as usize]);
        let home = self.choice[result.index()];
        let parts = self.put_together(&lanes, self.old.ty(result), home);
        self.set_parts(result, &parts, home);
        self.converted.insert((result, self.at, 0), lanes);
    }

    /// Parts of a vector that is no mask.
    fn own_parts(&mut self, old: Value) -> Pieces {
        self.parts(old, width_of(self.old.ty(old).elem))
    }

    /// An op of `ty` lane by lane.
    fn elementwise_lanes(&mut self, inst: &InstData) -> bool {
        let Some(result) = inst.result else { return false };
        let ty = self.old.ty(result);
        if ty.elem == Scalar::I1 {
            return self.mask_logic(inst);
        }
        let width = width_of(ty.elem);
        let is_shift = matches!(inst.op, Op::Shl | Op::Lshr | Op::Ashr | Op::Rotl);
        let mut args: SmallVec<[Pieces; 3]> = SmallVec::new();
        for (n, &arg) in inst.args.iter().enumerate() {
            let pieces = match self.uniform(arg) {
                // One amount for all lanes.
                Some(amount) if is_shift && n == 1 => Pieces::from_elem(amount, self.layout(ty, width).count),
                _ => self.parts(arg, width),
            };
            args.push(pieces);
        }
        let Some(parts) = self.on_pieces(inst.op, rounding(inst), ty, &args) else { return false };
        self.set_parts(result, &parts, width);
        true
    }

    /// The scalar that is known to be in all lanes.
    fn uniform(&mut self, v: Value) -> Option<Value> {
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
    fn on_pieces(&mut self, op: Op, rm: Rounding, ty: Type, args: &[Pieces]) -> Option<Pieces> {
        use Op::*;
        let via = match (op, ty.elem) {
            (Fneg | Fabs | Copysign, _) => None,
            (Fadd | Fsub | Fmul | Fdiv | Fma | Sqrt, Scalar::F16) if self.machine.half_arithmetic => None,
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
                let rest: Pieces = args[1].iter().map(|&b| self.out.op1(Neg, b)).collect();
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
                let mut widened = widened;
                for by in &mut widened[1] {
                    *by = self.out.op2c(And, *by, u64::from(ty.elem.bits() - 1));
                }
                self.on_pieces(op, rm, wide_ty, &widened)?
            }
            MulHiS | MulHiU => {
                let shift = if op == MulHiS { Ashr } else { Lshr };
                let products = self.on_pieces(Mul, rm, wide_ty, &widened)?;
                products.iter().map(|&p| self.out.op2c(shift, p, u64::from(ty.elem.bits()))).collect()
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
        self.machine.lane_shifts > 0 && !self.shifts_by_lane(ty.elem.bits()) && self.out.ty(args[1][0]).is_vector()
    }

    /// An op on one part.
    fn on_part(&mut self, op: Op, rm: Rounding, elem: Scalar, args: &[Value]) -> Option<Value> {
        if elem.is_float() { self.float_part(op, rm, elem, args) } else { self.int_part(op, elem, args) }
    }
}

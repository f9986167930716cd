//! Ops of the legal form, one by one.

use super::Backend;
use super::function::{Operand, Translator, clif_type};
use super::helper::Helper;
use super::object::Symbol;
use crate::error::CodeError;
use crate::ir::entity::Entity;
use crate::ir::{FloatPred, Imm, InstData, IntPred, Op, Rounding, Scalar, Type, Value};
use cranelift_codegen::ir as clif;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, types};
use smallvec::SmallVec;

impl Translator<'_, '_> {
    pub fn inst(&mut self, inst: &InstData) -> Result<(), CodeError> {
        use Op::*;
        inst.args.iter().for_each(|v| self.uses[v.index()] -= 1);
        match inst.op {
            Load => self.load(inst),
            Store => self.store(inst),
            Memcpy => self.memcpy(inst),
            Memset => self.memset(inst),
            AtomicLoad | AtomicStore | AtomicRmw | AtomicCas => self.atomic(inst)?,
            Fence => self.fence(inst),
            // Cranelift has no instruction for it.
            Prefetch => {}
            IsLocal | IsPrivate => self.where_is(inst)?,
            Call => self.call(inst)?,
            Printf => {
                let [format, kinds, args] = [0, 1, 2].map(|n| self.value(inst.args[n]));
                let [start, end] = [Symbol::DataStart, Symbol::DataEnd].map(|symbol| self.symbol(symbol));
                let status = self.call_helper(Helper::Printf, &[format, kinds, args, start, end]);
                self.define(inst, status);
            }
            Device => {
                let Imm::Device(what, kernel) = inst.imm else { return Err(self.unsupported(inst)) };
                let asked = self.b.ins().iconst(types::I64, what.code(kernel) as i64);
                let [words, waits, event, block] = [0, 1, 2, 3].map(|n| self.value(inst.args[n]));
                let result = self.call_helper(Helper::Device, &[words, waits, event, block, asked]);
                self.define(inst, result);
            }
            Clock => {
                let ns = self.call_helper(Helper::Clock, &[]);
                self.define(inst, ns);
            }
            CheckArg | CheckObject => {
                let helper = if inst.op == CheckArg { Helper::CheckArg } else { Helper::CheckObject };
                let [what, field] = [0, 1].map(|n| self.value(inst.args[n]));
                let word = self.call_helper(helper, &[what, field]);
                self.define(inst, word);
            }
            CheckReport | Track | Meet => {
                let helper = match inst.op {
                    Track => Helper::Track,
                    Meet => Helper::Meet,
                    _ => Helper::CheckReport,
                };
                let words: SmallVec<[clif::Value; 8]> = inst.args.iter().map(|&v| self.value(v)).collect();
                self.tell_helper(helper, &words);
            }
            PtrAdd | PtrOff | AsCast | IntToPtr | PtrToInt | GlobalAddr | SlotAddr => self.address(inst)?,
            _ => {
                let value = self.pure(inst)?;
                self.define(inst, value);
            }
        }
        Ok(())
    }

    fn call(&mut self, inst: &InstData) -> Result<(), CodeError> {
        let Imm::Func(id) = inst.imm else { return Err(self.unsupported(inst)) };
        let args: SmallVec<[clif::Value; 8]> = inst.args.iter().map(|&a| self.value(a)).collect();
        let Some(callee) = self.callee(id) else { return Err(self.unsupported(inst)) };
        let call = self.b.ins().call(callee, &args);
        if let Some(&value) = self.b.inst_results(call).first() {
            self.define(inst, value);
        }
        Ok(())
    }

    /// Addresses stay split into base and displacement, so that accesses fold both.
    fn address(&mut self, inst: &InstData) -> Result<(), CodeError> {
        let Some(result) = inst.result else { return Err(self.unsupported(inst)) };
        let plain = |base| Operand { base, disp: 0, param: false };
        let operand = match (inst.op, &inst.imm) {
            (Op::PtrOff, Imm::Disp(disp)) => {
                let base = self.operand(inst.args[0]);
                Operand { disp: base.disp.wrapping_add(*disp), ..base }
            }
            (Op::PtrAdd, Imm::Scale { scale, disp }) => {
                let base = self.operand(inst.args[0]);
                if let Some(index) = self.func.const_bits(inst.args[1]) {
                    let offset = (index as i64).wrapping_mul(i64::from(*scale)).wrapping_add(*disp);
                    Operand { disp: base.disp.wrapping_add(offset), ..base }
                } else {
                    let (index, offset) = self.split_index(inst.args[1]);
                    let scaled = self.scale(index, *scale);
                    let sum = self.b.ins().iadd(base.base, scaled);
                    let offset = offset.wrapping_mul(i64::from(*scale)).wrapping_add(*disp);
                    Operand { base: sum, disp: base.disp.wrapping_add(offset), param: false }
                }
            }
            (Op::AsCast | Op::IntToPtr, _) => self.operand(inst.args[0]),
            (Op::PtrToInt, _) => plain(self.value(inst.args[0])),
            (Op::GlobalAddr, Imm::Global(global)) => plain(self.symbol(Symbol::Global(*global))),
            (Op::SlotAddr, Imm::Slot(slot)) => plain(self.slot_address(*slot)),
            _ => return Err(self.unsupported(inst)),
        };
        self.values[result.index()] = Some(operand);
        Ok(())
    }

    /// An index as a value plus a constant.
    fn split_index(&mut self, index: Value) -> (clif::Value, i64) {
        if let Some(add) = self.func.def_inst(index)
            && matches!(add.op, Op::Add | Op::Sub)
            && let Some(c) = self.func.const_bits(add.args[1])
        {
            let c = if add.op == Op::Add { c as i64 } else { (c as i64).wrapping_neg() };
            if c.unsigned_abs() < 1 << 24 {
                return (self.value(add.args[0]), c);
            }
        }
        (self.value(index), 0)
    }

    fn scale(&mut self, index: clif::Value, scale: u32) -> clif::Value {
        if scale == 1 {
            index
        } else if scale.is_power_of_two() {
            self.b.ins().ishl_imm_s(index, i64::from(scale.trailing_zeros()))
        } else {
            self.b.ins().imul_imm_s(index, i64::from(scale))
        }
    }

    fn pure(&mut self, inst: &InstData) -> Result<clif::Value, CodeError> {
        use Op::*;
        let Some(result) = inst.result else { return Err(self.unsupported(inst)) };
        let ty = self.func.ty(result);
        let to = clif_type(ty);
        if inst.op == Select {
            return Ok(self.select(inst, ty));
        }
        let args: SmallVec<[clif::Value; 3]> = inst.args.iter().map(|&a| self.value(a)).collect();
        let from = inst.args.first().map_or(ty, |&a| self.func.ty(a));
        let directed = inst.attr.rm != Rounding::Rte;
        let arg = |n: usize| args[n];
        Ok(match (inst.op, &inst.imm) {
            (Const, Imm::Bits(bits)) => self.constant(ty, *bits),
            (Undef, _) => self.zero(ty),

            (Add, _) => self.b.ins().iadd(arg(0), arg(1)),
            (Sub, _) => self.b.ins().isub(arg(0), arg(1)),
            (Mul, _) => self.b.ins().imul(arg(0), arg(1)),
            (MulHiS, _) => self.b.ins().smulhi(arg(0), arg(1)),
            (MulHiU, _) => self.b.ins().umulhi(arg(0), arg(1)),
            (DivS, _) => self.b.ins().sdiv(arg(0), arg(1)),
            (DivU, _) => self.b.ins().udiv(arg(0), arg(1)),
            (RemS, _) => self.b.ins().srem(arg(0), arg(1)),
            (RemU, _) => self.b.ins().urem(arg(0), arg(1)),
            (And, _) => self.b.ins().band(arg(0), arg(1)),
            (Or, _) => self.b.ins().bor(arg(0), arg(1)),
            (Xor, _) => self.b.ins().bxor(arg(0), arg(1)),
            (Not, _) if ty == Type::I1 => self.b.ins().bxor_imm_s(arg(0), 1),
            (Not, _) => self.b.ins().bnot(arg(0)),
            (Neg, _) => self.b.ins().ineg(arg(0)),
            (Shl, _) => self.b.ins().ishl(arg(0), arg(1)),
            (Lshr, _) => self.b.ins().ushr(arg(0), arg(1)),
            (Ashr, _) => self.b.ins().sshr(arg(0), arg(1)),
            (Rotl, _) => self.b.ins().rotl(arg(0), arg(1)),
            (Clz, _) => self.b.ins().clz(arg(0)),
            (Ctz, _) => self.b.ins().ctz(arg(0)),
            (Popcnt, _) => self.b.ins().popcnt(arg(0)),
            (Bitrev, _) => self.b.ins().bitrev(arg(0)),
            (Bswap, _) if from == Type::I8 => arg(0),
            (Bswap, _) => self.b.ins().bswap(arg(0)),
            (MinS, _) => self.b.ins().smin(arg(0), arg(1)),
            (MinU, _) => self.b.ins().umin(arg(0), arg(1)),
            (MaxS, _) => self.b.ins().smax(arg(0), arg(1)),
            (MaxU, _) => self.b.ins().umax(arg(0), arg(1)),
            (AbsS, _) => self.b.ins().iabs(arg(0)),
            (AddSatS, _) => self.b.ins().sadd_sat(arg(0), arg(1)),
            (AddSatU, _) => self.b.ins().uadd_sat(arg(0), arg(1)),
            (SubSatS, _) => self.b.ins().ssub_sat(arg(0), arg(1)),
            (SubSatU, _) => self.b.ins().usub_sat(arg(0), arg(1)),
            (RhaddU, _) => self.b.ins().avg_round(arg(0), arg(1)),
            (Icmp, Imm::IntPred(pred)) => self.b.ins().icmp(int_cc(*pred), arg(0), arg(1)),

            (Fadd | Fsub | Fmul | Fdiv | Fma | Fptrunc | Sitofp | Uitofp, _) if directed => {
                return Err(self.unsupported(inst));
            }
            (Fadd, _) => self.b.ins().fadd(arg(0), arg(1)),
            (Fsub, _) => self.b.ins().fsub(arg(0), arg(1)),
            (Fmul, _) => self.b.ins().fmul(arg(0), arg(1)),
            (Fdiv, _) => {
                let dividend = self.in_register(inst.args[0]);
                self.b.ins().fdiv(dividend, arg(1))
            }
            (Fma, _) => {
                // The result takes the first factor's register: better one that is not needed any more.
                let swap = !self.ends_here(inst.args[0]) && self.ends_here(inst.args[1]);
                let (x, y) = if swap { (1, 0) } else { (0, 1) };
                let (a, b) = (self.in_register(inst.args[x]), self.in_register(inst.args[y]));
                self.b.ins().fma(a, b, arg(2))
            }
            (Frem, _) => self.call_helper(if to == types::F32 { Helper::Fmod32 } else { Helper::Fmod64 }, &args),
            (Fneg, _) => self.b.ins().fneg(arg(0)),
            (Fabs, _) => self.b.ins().fabs(arg(0)),
            (Copysign, _) => self.b.ins().fcopysign(arg(0), arg(1)),
            (Sqrt, _) => self.b.ins().sqrt(arg(0)),
            (Ceil, _) => self.b.ins().ceil(arg(0)),
            (Floor, _) => self.b.ins().floor(arg(0)),
            (Trunc, _) => self.b.ins().trunc(arg(0)),
            (Rint, _) => self.b.ins().nearest(arg(0)),
            (Fmin, _) => self.extremum(FloatCC::LessThan, arg(0), arg(1)),
            (Fmax, _) => self.extremum(FloatCC::GreaterThan, arg(0), arg(1)),
            (Fcmp, Imm::FloatPred(pred)) => {
                // The machine compares the other way round.
                let swaps = matches!(pred, FloatPred::OLt | FloatPred::OLe | FloatPred::UGt | FloatPred::UGe);
                let b = if swaps { self.in_register(inst.args[1]) } else { arg(1) };
                self.b.ins().fcmp(float_cc(*pred), arg(0), b)
            }

            (Trunci, _) if ty == Type::I1 => {
                let low = if from.elem.bits() > 8 { self.b.ins().ireduce(types::I8, arg(0)) } else { arg(0) };
                self.b.ins().band_imm_s(low, 1)
            }
            (Trunci, _) => self.b.ins().ireduce(to, arg(0)),
            // The lower lanes of a vector; its upper ones if they have been moved there.
            (Sext | Zext, _) if ty.is_vector() => {
                let (high, v) = self.upper_half(inst.args[0]).map_or((false, arg(0)), |v| (true, v));
                match (inst.op, high) {
                    (Sext, false) => self.b.ins().swiden_low(v),
                    (Sext, true) => self.b.ins().swiden_high(v),
                    (_, false) => self.b.ins().uwiden_low(v),
                    (_, true) => self.b.ins().uwiden_high(v),
                }
            }
            (Swizzle, _) => self.swizzle(arg(0), arg(1)),
            (Narrow, _) => self.b.ins().snarrow(arg(0), arg(1)),
            (Dot2S, _) => self.dot_words(arg(0), arg(1)),
            (MaskAny, _) => self.b.ins().vany_true(arg(0)),
            (MaskBits, _) => {
                let bits = self.b.ins().vhigh_bits(types::I32, arg(0));
                self.b.ins().uextend(types::I64, bits)
            }
            (Sext, _) if from == Type::I1 => {
                let wide = if to == types::I8 { arg(0) } else { self.b.ins().uextend(to, arg(0)) };
                self.b.ins().ineg(wide)
            }
            (Zext, _) if to == types::I8 => arg(0),
            (Sext, _) => self.b.ins().sextend(to, arg(0)),
            (Zext, _) => self.b.ins().uextend(to, arg(0)),
            (Fptrunc, _) if ty.is_vector() => self.b.ins().fvdemote(arg(0)),
            (Fptrunc, _) => self.b.ins().fdemote(to, arg(0)),
            // The lower half of four lanes.
            (Fpext, _) if ty.is_vector() => self.b.ins().fvpromote_low(arg(0)),
            (Fpext, _) => self.b.ins().fpromote(to, arg(0)),
            (Fptosi, _) => self.b.ins().fcvt_to_sint_sat(to, arg(0)),
            (Fptoui, _) => self.b.ins().fcvt_to_uint_sat(to, arg(0)),
            // The lower half of four lanes.
            (Sitofp, _) if from.lanes > ty.lanes => {
                let wide = self.b.ins().swiden_low(arg(0));
                self.b.ins().fcvt_from_sint(to, wide)
            }
            (Uitofp, _) if from.lanes > ty.lanes => {
                let wide = self.b.ins().uwiden_low(arg(0));
                self.b.ins().fcvt_from_uint(to, wide)
            }
            (Sitofp, _) => self.b.ins().fcvt_from_sint(to, arg(0)),
            (Uitofp, _) => self.b.ins().fcvt_from_uint(to, arg(0)),
            (Bitcast, _) if clif_type(from) == to => arg(0),
            (Bitcast, _) => self.b.ins().bitcast(to, lane_order(), arg(0)),

            // Of constants only.
            (Build, _) => {
                let size = ty.elem.bytes() as usize;
                let mut bytes = Vec::with_capacity(16);
                for &lane in &inst.args {
                    let Some(bits) = self.func.const_bits(lane) else { return Err(self.unsupported(inst)) };
                    bytes.extend_from_slice(&bits.to_le_bytes()[..size]);
                }
                let constant = self.b.func.dfg.constants.insert(bytes.into());
                self.b.ins().vconst(to, constant)
            }
            (Splat, _) => self.b.ins().splat(to, arg(0)),
            (Extract, Imm::Lane(lane)) => self.b.ins().extractlane(arg(0), *lane),
            // A scalar register is the vector register's lane 0.
            (Insert, Imm::Lane(0)) if self.func.def_inst(inst.args[0]).is_some_and(|d| d.op == Undef) => {
                self.b.ins().scalar_to_vector(to, arg(1))
            }
            (Insert, _) if let Some(bytes) = self.constant_lanes(inst) => self.vector_constant(ty, &bytes),
            (Insert, Imm::Lane(lane)) => self.b.ins().insertlane(arg(0), arg(1), *lane),
            (Shuffle, Imm::Lanes(lanes)) => self.shuffle(to, arg(0), arg(1), lanes),
            (Permute, _) if ty.elem.bits() == 32 => self.permute(to, [arg(0), arg(1)], arg(2)),
            _ => return Err(self.unsupported(inst)),
        })
    }

    /// Products of words, added in pairs, in the shape that Cranelift turns into one instruction.
    fn dot_words(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        let [a, b] = [a, b].map(|v| self.as_lanes(types::I16X8, v));
        let [low_a, low_b] = [a, b].map(|v| self.b.ins().swiden_low(v));
        let [high_a, high_b] = [a, b].map(|v| self.b.ins().swiden_high(v));
        let (low, high) = (self.b.ins().imul(low_a, low_b), self.b.ins().imul(high_a, high_b));
        self.b.ins().iadd_pairwise(low, high)
    }

    /// The vector whose upper half is this one's lower half, if a shuffle says so.
    fn upper_half(&self, v: Value) -> Option<clif::Value> {
        let def = self.func.def_inst(v).filter(|d| d.op == Op::Shuffle)?;
        let Imm::Lanes(lanes) = &def.imm else { return None };
        let n = self.func.ty(def.args[0]).lanes;
        let upper = lanes.iter().take(usize::from(n / 2)).zip(n / 2..).all(|(&lane, want)| lane == want);
        upper.then(|| self.operand(def.args[0]).base)
    }

    /// True if the operation at hand is the last to use a value that this block has made.
    fn ends_here(&self, v: Value) -> bool {
        self.uses[v.index()] == 0 && self.born[v.index()] == self.now
    }

    /// A value for an operand that the machine wants in a register: a scalar float constant is loaded there, where
    /// Cranelift would take the way through an integer register.
    fn in_register(&mut self, v: Value) -> clif::Value {
        let ty = self.func.ty(v);
        match self.func.const_bits(v) {
            Some(bits) if bits != 0 && matches!(ty.elem, Scalar::F32 | Scalar::F64) && !ty.is_vector() => {
                let wide = self.constant(Type { lanes: 16 / ty.elem.bytes() as u8, ..ty }, bits);
                self.b.ins().extractlane(wide, 0)
            }
            _ => self.value(v),
        }
    }

    fn call_helper(&mut self, helper: Helper, args: &[clif::Value]) -> clif::Value {
        let callee = self.helper(helper);
        let call = self.b.ins().call(callee, args);
        self.b.inst_results(call)[0]
    }

    /// A call of a helper without a result.
    fn tell_helper(&mut self, helper: Helper, args: &[clif::Value]) {
        let callee = self.helper(helper);
        self.b.ins().call(callee, args);
    }

    /// A vector's bits as another vector type.
    fn as_lanes(&mut self, ty: clif::Type, v: clif::Value) -> clif::Value {
        if self.b.func.dfg.value_type(v) == ty { v } else { self.b.ins().bitcast(ty, lane_order(), v) }
    }

    fn shuffle(&mut self, ty: clif::Type, a: clif::Value, b: clif::Value, lanes: &[u8]) -> clif::Value {
        let mut lanes = SmallVec::<[u8; 16]>::from_slice(lanes);
        let mut from = [a, b];
        if cfg!(target_arch = "aarch64") {
            if let Some(one) = only_vector(from, &lanes) {
                return self.shuffle_one(ty, one, &lanes);
            }
        } else if ty == types::F32X4 && lanes.iter().all(|&lane| lane < 4) {
            // Lanes of one vector: naming it twice gives `shufps`, which keeps floats in the floats' part of the
            // machine.
            from = [a; 2];
            lanes[2..].iter_mut().for_each(|lane| *lane += 4);
        }
        self.shuffle_as_it_is(ty, from, &lanes)
    }

    /// A shuffle as Cranelift's.
    fn shuffle_as_it_is(&mut self, ty: clif::Type, from: [clif::Value; 2], lanes: &[u8]) -> clif::Value {
        // One immediate per pattern, so that equal shuffles are the same to Cranelift.
        let dfg = &mut self.b.func.dfg;
        let immediate = |bytes: &Vec<u8>| dfg.immediates.push(bytes.clone().into());
        let mask = *self.shuffles.entry(bytes_of(lanes)).or_insert_with_key(immediate);
        let [a, b] = from.map(|v| self.as_lanes(types::I8X16, v));
        let picked = self.b.ins().shuffle(a, b, mask);
        self.as_lanes(ty, picked)
    }

    /// Lanes of one vector, on AArch64. What has an instruction of its own is written as Cranelift recognises it. For
    /// the rest it would bring the vector into two neighbouring registers, and load the indices at each place.
    fn shuffle_one(&mut self, ty: clif::Type, v: clif::Value, lanes: &[u8]) -> clif::Value {
        let n = lanes.len() as u8;
        let lanes: SmallVec<[u8; 16]> = lanes.iter().map(|lane| lane % n).collect();
        if (0..n).zip(&lanes).all(|(i, &lane)| lane == (lanes[0] + i) % n) {
            let turned: SmallVec<[u8; 16]> = (lanes[0]..lanes[0] + n).collect();
            return self.shuffle_as_it_is(ty, [v; 2], &turned);
        }
        if is_splat_or_reversal(&lanes) {
            return self.shuffle_as_it_is(ty, [v; 2], &lanes);
        }
        let index = self.vector_constant(Type::I8.with_lanes(16), &bytes_of(&lanes));
        let bytes = self.as_lanes(types::I8X16, v);
        let picked = self.b.ins().swizzle(bytes, index);
        self.as_lanes(ty, picked)
    }

    /// Lanes of 32 bits of two vectors, by index. The bytes' indices are the same in all turns of most loops.
    fn permute(&mut self, ty: clif::Type, from: [clif::Value; 2], index: clif::Value) -> clif::Value {
        let first = self.b.ins().ishl_imm_u(index, 2);
        let first = self.shuffle(types::I8X16, first, first, &[0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12]);
        let within = self.vector_constant(Type::I8.with_lanes(16), &[0, 1, 2, 3].repeat(4));
        let below_32 = self.vector_constant(Type::I8.with_lanes(16), &[31; 16]);
        let bytes = self.b.ins().iadd(first, within);
        let low = self.b.ins().band(bytes, below_32);
        let sixteen = self.vector_constant(Type::I8.with_lanes(16), &[16; 16]);
        let high = self.b.ins().isub(low, sixteen);
        // Indices from 16 on give 0; for the instruction of x86 that is from 128 on.
        let [first, second] = from.map(|v| self.as_lanes(types::I8X16, v));
        let [first, second] = if cfg!(target_arch = "x86_64") {
            let lift = self.vector_constant(Type::I8.with_lanes(16), &[0x70; 16]);
            let low = self.b.ins().iadd(low, lift);
            [self.b.ins().x86_pshufb(first, low), self.b.ins().x86_pshufb(second, high)]
        } else {
            [self.b.ins().swizzle(first, low), self.b.ins().swizzle(second, high)]
        };
        let picked = self.b.ins().bor(first, second);
        self.as_lanes(ty, picked)
    }

    /// Bytes by indices of four bits; 0 where an index has its highest bit set.
    fn swizzle(&mut self, bytes: clif::Value, index: clif::Value) -> clif::Value {
        if cfg!(target_arch = "x86_64") {
            return self.b.ins().x86_pshufb(bytes, index);
        }
        // Here all from 16 on give 0.
        let bits = self.vector_constant(Type::I8.with_lanes(16), &[0x8f; 16]);
        let index = self.b.ins().band(index, bits);
        self.b.ins().swizzle(bytes, index)
    }

    /// OpenCL's fmin and fmax: the machine's instruction gives its second operand if either is NaN, so only a NaN there
    /// is left to repair.
    fn extremum(&mut self, cc: FloatCC, a: clif::Value, b: clif::Value) -> clif::Value {
        let machine = self.machine_extremum(cc, a, b);
        if self.b.func.dfg.value_type(a).is_vector() {
            let is_number = self.b.ins().fcmp(FloatCC::Equal, b, b);
            return self.float_select(is_number, machine, a);
        }
        self.select_by_comparison(FloatCC::Unordered, [b, b], a, machine)
    }

    /// `a cc b ? a : b` for `LessThan` or `GreaterThan`, in the shape that Cranelift turns into one instruction.
    fn machine_extremum(&mut self, cc: FloatCC, a: clif::Value, b: clif::Value) -> clif::Value {
        let (x, y) = if cc == FloatCC::LessThan { (a, b) } else { (b, a) };
        let cond = self.b.ins().fcmp(FloatCC::LessThan, x, y);
        let ty = self.b.func.dfg.value_type(a);
        if ty.is_vector() {
            let mask = self.b.ins().bitcast(ty, lane_order(), cond);
            return self.b.ins().bitselect(mask, a, b);
        }
        self.b.ins().select(cond, a, b)
    }

    fn select(&mut self, inst: &InstData, ty: Type) -> clif::Value {
        if let Some(is_min) = crate::pass::ifconv::float_extremum(self.func, inst.args[0], inst.args[1], inst.args[2]) {
            let (a, b) = (self.value(inst.args[1]), self.value(inst.args[2]));
            return self.machine_extremum(if is_min { FloatCC::LessThan } else { FloatCC::GreaterThan }, a, b);
        }
        if ty.is_vector() {
            let [cond, a, b] = [0, 1, 2].map(|n| self.value(inst.args[n]));
            let compared = self.func.def_inst(inst.args[0]).is_some_and(|d| matches!(d.op, Op::Icmp | Op::Fcmp));
            return if compared { self.float_select(cond, a, b) } else { self.blend(cond, a, b) };
        }
        let cond = self.value(inst.args[0]);
        let (a, b) = (self.value(inst.args[1]), self.value(inst.args[2]));
        if !ty.is_float() {
            return self.b.ins().select(cond, a, b);
        }
        match self.func.def_inst(inst.args[0]) {
            Some(InstData { op: Op::Fcmp, args, imm: Imm::FloatPred(pred), .. }) if self.func.ty(args[0]) == ty => {
                let compared = [self.value(args[0]), self.value(args[1])];
                self.select_by_comparison(float_cc(*pred), compared, a, b)
            }
            _ => self.float_select(cond, a, b),
        }
    }

    /// A selection of scalar floats by a comparison of such: by a mask, so that nothing leaves the floats' part of the
    /// machine.
    fn select_by_comparison(
        &mut self,
        cc: FloatCC,
        compared: [clif::Value; 2],
        a: clif::Value,
        b: clif::Value,
    ) -> clif::Value {
        let ty = self.b.func.dfg.value_type(a);
        // No instruction makes a mask of these.
        let is_one = !matches!(cc, FloatCC::OrderedNotEqual | FloatCC::UnorderedOrEqual);
        if !cfg!(target_arch = "x86_64") || !is_one {
            let [x, y] = compared;
            let cond = self.b.ins().fcmp(cc, x, y);
            return self.float_select(cond, a, b);
        }
        let lanes = if ty == types::F32 { types::F32X4 } else { types::F64X2 };
        let [x, y] = compared.map(|v| self.b.ins().splat(lanes, v));
        let mask = self.b.ins().fcmp(cc, x, y);
        let mask = self.as_lanes(lanes, mask);
        let mask = self.b.ins().extractlane(mask, 0);
        let differ = self.b.ins().bxor(a, b);
        let differ = self.b.ins().band(differ, mask);
        self.b.ins().bxor(differ, b)
    }

    /// A selection by a mask that is no comparison of its own: by its sign bits, where that is one instruction.
    fn blend(&mut self, mask: clif::Value, a: clif::Value, b: clif::Value) -> clif::Value {
        if !Backend::Cranelift.target().blends {
            return self.float_select(mask, a, b);
        }
        let ty = self.b.func.dfg.value_type(a);
        // Words have none; as the bits of a mask are all the same, bytes do as well.
        let int = match self.b.func.dfg.value_type(mask) {
            types::I16X8 => types::I8X16,
            other => other,
        };
        let [mask, a, b] = [mask, a, b].map(|v| self.as_lanes(int, v));
        let chosen = self.b.ins().blendv(mask, a, b);
        self.as_lanes(ty, chosen)
    }

    /// For x86-64 Cranelift selects scalar floats by a branch; integers by a conditional move. Vectors are selected by
    /// mask.
    fn float_select(&mut self, cond: clif::Value, a: clif::Value, b: clif::Value) -> clif::Value {
        let ty = self.b.func.dfg.value_type(a);
        if ty.is_vector() {
            // On integers, so that a compare as mask is recognised.
            let int = self.b.func.dfg.value_type(cond);
            let (a, b) = (self.as_lanes(int, a), self.as_lanes(int, b));
            let chosen = self.b.ins().bitselect(cond, a, b);
            return self.as_lanes(ty, chosen);
        }
        if cfg!(target_arch = "aarch64") {
            return self.b.ins().select(cond, a, b);
        }
        let int = if ty == types::F32 { types::I32 } else { types::I64 };
        let a = self.b.ins().bitcast(int, MemFlagsData::new(), a);
        let b = self.b.ins().bitcast(int, MemFlagsData::new(), b);
        let chosen = self.b.ins().select(cond, a, b);
        self.b.ins().bitcast(ty, MemFlagsData::new(), chosen)
    }
}

/// The bytes that lanes of a register have.
fn bytes_of(lanes: &[u8]) -> Vec<u8> {
    let size = (16 / lanes.len()) as u8;
    lanes.iter().flat_map(|&lane| (0..size).map(move |i| lane * size + i)).collect()
}

/// The vector that all lanes of a shuffle are from.
fn only_vector([a, b]: [clif::Value; 2], lanes: &[u8]) -> Option<clif::Value> {
    let is_of_first = |lane: &u8| usize::from(*lane) < lanes.len();
    if a == b || lanes.iter().all(is_of_first) {
        return Some(a);
    }
    (!lanes.iter().any(is_of_first)).then_some(b)
}

/// One lane in all places, or lanes in reverse within parts of up to 64 bits.
fn is_splat_or_reversal(lanes: &[u8]) -> bool {
    let is_reversal = |of: u8| (0..).zip(lanes).all(|(i, &lane)| lane == i ^ (of - 1));
    lanes.iter().all(|&lane| lane == lanes[0])
        || [2, 4, 8].iter().any(|&of| 2 * usize::from(of) <= lanes.len() && is_reversal(of))
}

/// Flags of a vector bitcast: lanes in memory order.
fn lane_order() -> MemFlagsData {
    MemFlagsData::new().with_endianness(clif::Endianness::Little)
}

fn int_cc(pred: IntPred) -> IntCC {
    match pred {
        IntPred::Eq => IntCC::Equal,
        IntPred::Ne => IntCC::NotEqual,
        IntPred::SLt => IntCC::SignedLessThan,
        IntPred::SLe => IntCC::SignedLessThanOrEqual,
        IntPred::SGt => IntCC::SignedGreaterThan,
        IntPred::SGe => IntCC::SignedGreaterThanOrEqual,
        IntPred::ULt => IntCC::UnsignedLessThan,
        IntPred::ULe => IntCC::UnsignedLessThanOrEqual,
        IntPred::UGt => IntCC::UnsignedGreaterThan,
        IntPred::UGe => IntCC::UnsignedGreaterThanOrEqual,
    }
}

fn float_cc(pred: FloatPred) -> FloatCC {
    match pred {
        FloatPred::OEq => FloatCC::Equal,
        FloatPred::ONe => FloatCC::OrderedNotEqual,
        FloatPred::OLt => FloatCC::LessThan,
        FloatPred::OLe => FloatCC::LessThanOrEqual,
        FloatPred::OGt => FloatCC::GreaterThan,
        FloatPred::OGe => FloatCC::GreaterThanOrEqual,
        FloatPred::Ord => FloatCC::Ordered,
        FloatPred::UEq => FloatCC::UnorderedOrEqual,
        FloatPred::UNe => FloatCC::NotEqual,
        FloatPred::ULt => FloatCC::UnorderedOrLessThan,
        FloatPred::ULe => FloatCC::UnorderedOrLessThanOrEqual,
        FloatPred::UGt => FloatCC::UnorderedOrGreaterThan,
        FloatPred::UGe => FloatCC::UnorderedOrGreaterThanOrEqual,
        FloatPred::Uno => FloatCC::Unordered,
    }
}

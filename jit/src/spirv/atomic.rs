//! Atomic instructions and fences. Spec: SPIR-V, "Atomic Instructions", "Memory Semantics".

use super::function::{Def, FuncCx};
use super::words::{Id, Inst};
use crate::builtin::AtomicFn;
use crate::ir::op::{RmwOp, Scope};
use crate::ir::{Attr, Imm, Op as Kir, Type, Value};
use spirv::{Op, Scope as SpvScope};

impl FuncCx<'_> {
    /// Memory order and scope as OpenCL C numbers them.
    fn ordering(&mut self, scope: Id, semantics: Id) -> Result<[Value; 2], String> {
        let semantics = self.module.int(semantics).ok();
        // Bits of Memory Semantics.
        let order = match semantics {
            Some(bits) if bits & 0x10 != 0 => 5,
            Some(bits) if bits & 8 != 0 => 4,
            Some(bits) if bits & 4 != 0 => 3,
            Some(bits) if bits & 2 != 0 => 2,
            Some(_) => 0,
            None => 5,
        };
        let scope = self.module.int(scope).ok().and_then(|scope| SpvScope::from_u32(scope as u32));
        let scope = match scope {
            Some(SpvScope::Invocation) => 0,
            Some(SpvScope::Workgroup) => 1,
            Some(SpvScope::Device) => 2,
            Some(SpvScope::Subgroup) => 4,
            _ => 3,
        };
        Ok([order, scope].map(|bits| self.e.bits(Type::I32, bits)))
    }

    /// Attributes of an atomic operation.
    pub(super) fn atomic_attr(&mut self, scope: Id, semantics: Id) -> Result<Attr, String> {
        let ordering = self.ordering(scope, semantics)?;
        Ok(self.e.ordering(&ordering, 1))
    }

    /// Atomic instructions with a result: pointer, scope, semantics, operand; `None` for others.
    pub(super) fn atomic(&mut self, op: Op, inst: &Inst, ty: Id) -> Result<Option<Def>, String> {
        let (what, n_values) = match op {
            Op::AtomicLoad => (AtomicFn::Load, 0),
            Op::AtomicExchange => (AtomicFn::Rmw(RmwOp::Xchg), 1),
            Op::AtomicIIncrement => (AtomicFn::Rmw(RmwOp::Add), 0),
            Op::AtomicIDecrement => (AtomicFn::Rmw(RmwOp::Sub), 0),
            Op::AtomicIAdd => (AtomicFn::Rmw(RmwOp::Add), 1),
            Op::AtomicISub => (AtomicFn::Rmw(RmwOp::Sub), 1),
            Op::AtomicSMin => (AtomicFn::Rmw(RmwOp::MinS), 1),
            Op::AtomicUMin => (AtomicFn::Rmw(RmwOp::MinU), 1),
            Op::AtomicSMax => (AtomicFn::Rmw(RmwOp::MaxS), 1),
            Op::AtomicUMax => (AtomicFn::Rmw(RmwOp::MaxU), 1),
            Op::AtomicAnd => (AtomicFn::Rmw(RmwOp::And), 1),
            Op::AtomicOr => (AtomicFn::Rmw(RmwOp::Or), 1),
            Op::AtomicXor => (AtomicFn::Rmw(RmwOp::Xor), 1),
            Op::AtomicFAddEXT => (AtomicFn::Rmw(RmwOp::Fadd), 1),
            Op::AtomicFMinEXT => (AtomicFn::FloatMinMax(Kir::Fmin), 1),
            Op::AtomicFMaxEXT => (AtomicFn::FloatMinMax(Kir::Fmax), 1),
            Op::AtomicFlagTestAndSet => (AtomicFn::TestAndSet, 0),
            Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak => {
                return self.compare_exchange(inst, ty).map(Some);
            }
            _ => return Ok(None),
        };
        let to = self.kir(ty)?;
        let pointer = self.pointer(inst.word(2)?)?;
        let [order, scope] = self.ordering(inst.word(3)?, inst.word(4)?)?;
        let mut values = vec![pointer];
        if n_values == 1 {
            let value = self.operand(inst, 3)?;
            self.want(value, to)?;
            values.push(value);
        } else if let AtomicFn::Rmw(_) = what {
            values.push(self.e.bits(to, 1));
        }
        values.extend([order, scope]);
        let is_float = matches!(what, AtomicFn::Rmw(RmwOp::Fadd) | AtomicFn::FloatMinMax(_));
        let is_plain = matches!(what, AtomicFn::Load | AtomicFn::Rmw(RmwOp::Xchg) | AtomicFn::TestAndSet);
        if to.is_vector() || to.is_ptr() || (!is_plain && to.is_float() != is_float) {
            return Err("no number that this operation takes".into());
        }
        let value = self.e.atomic_object(what, &values, to).ok_or("an atomic operation has a result")?;
        self.want(value, to)?;
        Ok(Some(Def::Value(value)))
    }

    fn compare_exchange(&mut self, inst: &Inst, ty: Id) -> Result<Def, String> {
        let to = self.kir(ty)?;
        let pointer = self.pointer(inst.word(2)?)?;
        let attr = self.atomic_attr(inst.word(3)?, inst.word(4)?)?;
        let (value, expected) = (self.value(inst.word(6)?)?, self.value(inst.word(7)?)?);
        self.want(value, to)?;
        self.want(expected, to)?;
        if !to.is_int() || to.is_vector() || to == Type::I1 {
            return Err("integers are compared and exchanged".into());
        }
        let old = self.e.emit_attr(Kir::AtomicCas, to, &[pointer, expected, value], Imm::None, attr);
        Ok(Def::Value(old))
    }

    /// Atomic stores and fences; false for others.
    pub(super) fn atomic_effect(&mut self, op: Op, inst: &Inst) -> Result<bool, String> {
        match op {
            Op::AtomicStore => {
                let pointer = self.pointer(inst.word(0)?)?;
                let [order, scope] = self.ordering(inst.word(1)?, inst.word(2)?)?;
                let value = self.value(inst.word(3)?)?;
                let ty = self.e.func.ty(value);
                if ty.is_vector() || ty.is_ptr() || ty == Type::I1 {
                    return Err("a number is stored".into());
                }
                self.e.atomic_object(AtomicFn::Store, &[pointer, value, order, scope], ty);
            }
            Op::AtomicFlagClear => {
                let pointer = self.pointer(inst.word(0)?)?;
                let [order, scope] = self.ordering(inst.word(1)?, inst.word(2)?)?;
                self.e.atomic_object(AtomicFn::Clear, &[pointer, order, scope], Type::I32);
            }
            Op::MemoryBarrier => {
                let attr = self.atomic_attr(inst.word(0)?, inst.word(1)?)?;
                self.e.push(Kir::Fence, None, &[], Imm::None, attr);
            }
            Op::ControlBarrierArriveINTEL => {
                let attr = Attr { scope: Scope::WorkGroup, ..self.atomic_attr(inst.word(1)?, inst.word(2)?)? };
                self.e.arrive(attr);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

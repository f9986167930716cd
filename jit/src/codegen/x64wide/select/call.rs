//! Arguments, calls and returns. The convention is SysV's for scalars; vectors go in vector registers, masks in k1 to
//! k4. A callee keeps rbx, rbp and r12 to r15; vector and mask registers are lost.

use super::value::op;
use super::{Select, class};
use crate::codegen::helper::Helper;
use crate::codegen::image::Target;
use crate::codegen::object::Symbol;
use crate::codegen::x64wide::code::*;
use crate::codegen::x64wide::mir::{Base, Kind, MInst, Mem, R8, R9, RAX, RCX, RDI, RDX, RSI, Rm, S, gpr, mask, xmm};
use crate::error::CodeError;
use crate::ir::{Imm, InstData, Type, Value};
use regalloc2::{Operand, PReg, RegClass, VReg};

const GPR_ARGS: [u8; 6] = [RDI, RSI, RDX, RCX, R8, R9];
const N_VEC_ARGS: usize = 8;
const N_MASK_ARGS: usize = 4;

/// Where an argument goes.
#[derive(Clone, Copy)]
enum Place {
    Reg(PReg),
    /// Offset from the first argument on the stack.
    Stack(i32),
}

/// The places of arguments of these types, and the bytes of stack they take.
fn places(types: &[Type]) -> (Vec<Place>, u32) {
    let (mut ints, mut vecs, mut masks, mut stack) = (0, 0, 0, 0);
    let places = types
        .iter()
        .map(|&ty| {
            let (count, limit) = match class(ty) {
                RegClass::Int => (&mut ints, GPR_ARGS.len()),
                RegClass::Float => (&mut vecs, N_VEC_ARGS),
                RegClass::Vector => (&mut masks, N_MASK_ARGS),
            };
            *count += 1;
            if *count > limit {
                let at = stack;
                stack += if ty.is_vector() { 64 } else { 8 };
                return Place::Stack(at);
            }
            let n = *count - 1;
            Place::Reg(match class(ty) {
                RegClass::Int => gpr(GPR_ARGS[n]),
                RegClass::Float => xmm(n as u8),
                RegClass::Vector => mask(n as u8 + 1),
            })
        })
        .collect();
    (places, stack as u32)
}

/// Where a result of this type is.
fn result_place(ty: Type) -> PReg {
    match class(ty) {
        RegClass::Int => gpr(RAX),
        RegClass::Float => xmm(0),
        RegClass::Vector => mask(1),
    }
}

impl Select<'_> {
    /// The function's arguments become the entry block's parameters.
    pub(super) fn arguments(&mut self) -> Result<(), CodeError> {
        let func = self.func;
        let params = &func.blocks[func.entry()].params;
        let types: Vec<Type> = params.iter().map(|&p| func.ty(p)).collect();
        let (places, _) = places(&types);
        let mut args = MInst::new(Kind::Args);
        let mut loads = Vec::new();
        for ((&param, &ty), place) in params.iter().zip(&types).zip(places) {
            let reg = self.param(param);
            match place {
                Place::Reg(at) => args.fixed.push(Operand::reg_fixed_def(reg, at)),
                Place::Stack(disp) if self.plan.uses(param) > 0 => loads.push((reg, ty, disp)),
                Place::Stack(_) => {}
            }
        }
        self.push(args);
        for (reg, ty, disp) in loads {
            let mem = Mem { base: Base::Incoming, index: None, scale: 1, disp };
            let inst = match class(ty) {
                RegClass::Int => MInst { size: 8, ..op(MOV) },
                RegClass::Float => self.on_stack(ty, false),
                RegClass::Vector => op(KMOVQ),
            };
            self.push(MInst { reg: S::Def(reg), rm: Rm::Mem(mem), ..inst });
        }
        Ok(())
    }

    /// A load or store of an argument in a vector register: of a scalar alone, of a whole register for a vector.
    fn on_stack(&mut self, ty: Type, store: bool) -> MInst {
        if !ty.is_vector() {
            let row = usize::from(ty.elem.bytes() == 8);
            return MInst { bytes: 4 << row, ..op(if store { VMOVS_STORE[row] } else { VMOVS[row] }) };
        }
        let len = super::value::len(ty);
        let code = if store { VMOVUP_STORE[0] } else { VMOVUP[0] };
        MInst { len, bytes: 16 << len, ..op(code) }
    }

    pub(super) fn call(&mut self, inst: &InstData) -> Result<(), CodeError> {
        let Imm::Func(id) = inst.imm else { return Err(self.unsupported(inst)) };
        let Some(&number) = self.scope.callees.get(&id) else { return Err(self.unsupported(inst)) };
        self.emit_call(inst, Target::Blob(number as usize), &[])
    }

    pub(super) fn call_helper(&mut self, inst: &InstData, helper: Helper) -> Result<(), CodeError> {
        self.emit_call(inst, Symbol::Helper(helper).into(), &[])
    }

    pub(super) fn call_printf(&mut self, inst: &InstData) -> Result<(), CodeError> {
        let more = [Symbol::DataStart, Symbol::DataEnd].map(|symbol| self.symbol(symbol));
        self.emit_call(inst, Symbol::Helper(Helper::Printf).into(), &more)
    }

    pub(super) fn call_device(&mut self, inst: &InstData) -> Result<(), CodeError> {
        let Imm::Device(what, kernel) = inst.imm else { return Err(self.unsupported(inst)) };
        let asked = self.constant(Type::I64, what.code(kernel));
        self.emit_call(inst, Symbol::Helper(Helper::Device).into(), &[asked])
    }

    /// A call with the instruction's operands and further words.
    fn emit_call(&mut self, inst: &InstData, target: Target, more: &[VReg]) -> Result<(), CodeError> {
        let own = inst.args.iter().map(|&a| self.func.ty(a));
        let types: Vec<Type> = own.chain(more.iter().map(|_| Type::I64)).collect();
        let (places, stack) = places(&types);
        self.out.outgoing = self.out.outgoing.max(stack);
        let mut regs: Vec<VReg> = inst
            .args
            .iter()
            .zip(&types)
            .map(|(&a, &ty)| match (class(ty), ty.elem.bytes()) {
                // The C convention wants nothing above narrow integers, but helpers may see a byte as 32 bits.
                (RegClass::Int, 1) => self.extend(a, false, 4),
                _ => self.value(a),
            })
            .collect();
        regs.extend(more);
        let mut call = MInst { clobbers: true, ..MInst::new(Kind::Call(target)) };
        for ((&reg, &ty), place) in regs.iter().zip(&types).zip(places) {
            match place {
                Place::Reg(at) => call.fixed.push(Operand::reg_fixed_use(reg, at)),
                Place::Stack(disp) => {
                    let mem = Mem { base: Base::Outgoing, index: None, scale: 1, disp };
                    let store = match class(ty) {
                        RegClass::Int => MInst { size: 8, ..op(MOV_STORE) },
                        RegClass::Float => self.on_stack(ty, true),
                        RegClass::Vector => op(KMOVQ_STORE),
                    };
                    self.push(MInst { reg: S::Use(reg), rm: Rm::Mem(mem), ..store });
                }
            }
        }
        if let Some(result) = inst.result {
            let ty = self.func.ty(result);
            let reg = self.new_reg(class(ty));
            call.fixed.push(Operand::reg_fixed_def(reg, result_place(ty)));
            self.define(inst, reg);
        }
        self.push(call);
        Ok(())
    }

    pub(super) fn ret(&mut self, value: Option<Value>) -> Result<(), CodeError> {
        let mut ret = MInst::new(Kind::Ret);
        if let Some(v) = value {
            let ty = self.func.ty(v);
            let reg = self.value(v);
            ret.fixed.push(Operand::reg_fixed_use(reg, result_place(ty)));
        }
        self.push(ret);
        Ok(())
    }
}

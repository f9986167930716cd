//! Checks of shifts: by as many bits as the type has, by more, or by less than none. OpenCL C takes the low bits of
//! such an amount, and other languages' compilers anything; SPIR-V leaves the result undefined. For modules as lowered.

use super::plant::{Plant, Plants};
use super::site;
use crate::ir::check::Checked;
use crate::ir::{Builder, Func, FuncId, Imm, Inst, IntPred, Module, Op, Type, Value};

/// Notes the checks of a function of a module, from which it has been taken out.
pub(super) fn find(module: &mut Module, id: FuncId, func: &Func, plants: &mut Plants) {
    for (_, inst) in func.live_insts() {
        let data = &func.insts[inst];
        if !matches!(data.op, Op::Shl | Op::Lshr | Op::Ashr) || !module.is_checked(func, data.origin) {
            continue;
        }
        let bits = func.ty(data.args[0]).elem.bits();
        if func.const_bits(data.args[1]).is_some_and(|amount| amount < u64::from(bits)) {
            continue;
        }
        let is_vector = func.ty(data.args[0]).is_vector();
        let number = site(module, id, data.origin, Checked::Shift { bits, is_vector });
        plants.entry(inst).or_default().push(Plant::Check(number, None, Box::new(move |b| amount_fits(b, inst))));
    }
}

/// True if each component is shifted by less than its width; the amount, if it is one.
fn amount_fits(b: &mut Builder<'_>, inst: Inst) -> (Value, [Value; 4]) {
    let amount = b.func.insts[inst].args[1];
    let ty = b.func.ty(amount);
    let (width, zero) = (b.bits(ty, u64::from(ty.elem.bits())), b.i64(0));
    let fits = b.icmp(IntPred::ULt, amount, width);
    if ty.is_vector() {
        return (b.emit(Op::MaskAll, Type::I1, &[fits], Imm::None), [zero; 4]);
    }
    let amount = if ty == Type::I64 { amount } else { b.convert(Op::Sext, Type::I64, amount) };
    (fits, [zero, amount, zero, zero])
}

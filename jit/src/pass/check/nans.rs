//! Checks of float arithmetic: operations and functions of the library whose result is NaN though no operand is. For
//! modules as lowered, as `values`; products are whole there, so that a sum of infinities of either sign is one.

use super::plant::{Plant, Plants};
use super::site;
use crate::ir::check::Checked;
use crate::ir::{Builder, FloatPred, Func, FuncId, Imm, Inst, Module, Op, Type, Value};
use smallvec::SmallVec;

/// Notes the checks of a function of a module, from which it has been taken out.
pub(super) fn find(module: &mut Module, id: FuncId, func: &Func, plants: &mut Plants) {
    for (_, inst) in func.live_insts() {
        if !makes_numbers(module, func, inst) || !module.is_checked(func, func.insts[inst].origin) {
            continue;
        }
        let number = site(module, id, func.insts[inst].origin, Checked::Nan);
        let ask = move |b: &mut Builder<'_>| {
            let zero = b.i64(0);
            (is_excused(b, inst), [zero; 4])
        };
        plants.entry(inst).or_default().push(Plant::CheckResult(number, Box::new(ask)));
    }
}

/// True for what computes floats from floats.
fn makes_numbers(module: &Module, func: &Func, inst: Inst) -> bool {
    let data = &func.insts[inst];
    let computes = match (data.op, &data.imm) {
        (Op::Fadd | Op::Fsub | Op::Fmul | Op::Fdiv | Op::Frem | Op::Fma | Op::Sqrt, _) => true,
        (Op::Call, &Imm::Func(callee)) => module.funcs[callee].is_builtin,
        _ => false,
    };
    computes && data.result.is_some_and(|v| func.ty(v).is_float()) && !operands(func, inst).is_empty()
}

/// The operands that are floats.
fn operands(func: &Func, inst: Inst) -> SmallVec<[Value; 3]> {
    func.insts[inst].args.iter().copied().filter(|&v| func.ty(v).is_float()).collect()
}

/// True unless the result, or one of its components, is NaN and no operand is.
fn is_excused(b: &mut Builder<'_>, inst: Inst) -> Value {
    let result = b.func.insts[inst].result.expect("it makes a number");
    let mut is_right = b.fcmp(FloatPred::Ord, result, result);
    for operand in operands(b.func, inst) {
        let ty = b.func.ty(operand);
        if ty.lanes == b.func.ty(result).lanes {
            let is_nan = b.fcmp(FloatPred::Uno, operand, operand);
            is_right = b.op(Op::Or, &[is_right, is_nan]);
        }
    }
    match b.func.ty(result).is_vector() {
        true => b.emit(Op::MaskAll, Type::I1, &[is_right], Imm::None),
        false => is_right,
    }
}

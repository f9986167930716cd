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

/// True unless the result, or one of its components, is NaN and no operand is. Of functions' operands, any component
/// counts.
fn is_excused(b: &mut Builder<'_>, inst: Inst) -> Value {
    let result = b.func.insts[inst].result.expect("it makes a number");
    let is_call = b.func.insts[inst].op == Op::Call;
    let all = |b: &mut Builder<'_>, v: Value| match b.func.ty(v).is_vector() {
        true => b.emit(Op::MaskAll, Type::I1, &[v], Imm::None),
        false => v,
    };
    let mut is_number = b.fcmp(FloatPred::Ord, result, result);
    let mut others = Vec::new();
    for operand in operands(b.func, inst) {
        if !is_call {
            let is_nan = b.fcmp(FloatPred::Uno, operand, operand);
            is_number = b.op(Op::Or, &[is_number, is_nan]);
        } else {
            let are_numbers = b.fcmp(FloatPred::Ord, operand, operand);
            let are_numbers = all(b, are_numbers);
            others.push(b.op(Op::Not, &[are_numbers]));
        }
    }
    let is_number = all(b, is_number);
    others.into_iter().fold(is_number, |right, other| b.op(Op::Or, &[right, other]))
}

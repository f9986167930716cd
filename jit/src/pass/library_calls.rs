//! Calls of library functions with constants for which there is something simpler become that (library call
//! simplification): powers with small whole exponents and a half of one, and products with powers of two.
//!
//! Errors stay within what the functions may have: each product adds half a unit in the last place to what its factors
//! have, and no factor overflows or loses bits unless the result does. Runs on modules as lowered, so that a kernel's
//! results are the same bits however it is compiled: only arguments that are constants there count. Linear.

use super::forward::Forward;
use crate::ir::{Builder, FloatPred, Func, FuncId, Imm, Inst, Module, Op, Scalar, Type, Value};
use rustc_hash::FxHashMap;

/// Largest exponent whose power is made of products.
const MAX_POWER: i32 = 8;

/// Functions with simpler forms.
const FUNCTIONS: [&str; 8] = ["pow", "relaxed_pow", "pown", "relaxed_pown", "powr", "relaxed_powr", "rootn", "ldexp"];

/// What a call is replaced by.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Simpler {
    /// `x` to a whole power; of no number below 0 if it is `powr`'s.
    Power { exponent: i32, is_real: bool },
    /// `pow(x, 0.5)` and its reciprocal.
    Root { inverse: bool },
    /// `rootn(x, 2)`, and `powr(x, 0.5)`.
    RealRoot { inverse: bool },
    /// `x * 2^n`
    Scale(i32),
}

/// Runs the pass.
pub fn run(module: &mut Module) {
    let is_simpler = |f: &Func| f.is_builtin && FUNCTIONS.contains(&name(f));
    let functions: Vec<(FuncId, String)> =
        module.funcs.iter().filter(|(_, f)| is_simpler(f)).map(|(id, f)| (id, name(f).to_owned())).collect();
    if functions.is_empty() {
        return;
    }
    let functions = functions.into_iter().collect();
    module.funcs.values_mut().filter(|func| func.has_body()).for_each(|func| simplify(&functions, func));
}

/// The name of a function of the library, whatever its types.
fn name(func: &Func) -> &str {
    func.name.split('.').next().unwrap_or(&func.name)
}

fn simplify(functions: &FxHashMap<FuncId, String>, func: &mut Func) {
    let mut forward = Forward::new(func);
    for block in func.layout.clone() {
        let mut at = 0;
        while let Some(&call) = func.blocks[block].insts.get(at) {
            let Some(simpler) = simpler(functions, func, call) else {
                at += 1;
                continue;
            };
            let before = func.blocks[block].insts.len();
            let data = &func.insts[call];
            let (x, result, origin) = (data.args[0], data.result.expect("it has a value"), data.origin);
            forward.set(result, make(&mut Builder::at(func, block, at).with_origin(origin), x, simpler));
            at += func.blocks[block].insts.len() - before;
            func.blocks[block].insts.remove(at);
        }
    }
    forward.apply(func);
}

/// What a call has as a simpler form.
fn simpler(functions: &FxHashMap<FuncId, String>, func: &Func, inst: Inst) -> Option<Simpler> {
    let data = &func.insts[inst];
    let name = functions.get(&data.callee()?)?;
    let ty = func.ty(data.result?);
    let &[x, y] = &data.args[..] else { return None };
    if !matches!(ty, Type::F32 | Type::F64) || func.ty(x) != ty {
        return None;
    }
    let exponent = constant(func, y)?;
    // Zero is a matter of its own: infinity to that power is 1, or NaN.
    let whole = (exponent.fract() == 0.0 && exponent.abs() <= f64::from(MAX_POWER) && exponent != 0.0)
        .then_some(exponent as i32);
    let half = (exponent.abs() == 0.5).then_some(exponent < 0.0);
    match name.as_str() {
        "pow" | "relaxed_pow" => half.map(|inverse| Simpler::Root { inverse }).or_else(|| power(whole?, false)),
        "pown" | "relaxed_pown" => power(whole?, false),
        "powr" | "relaxed_powr" => half.map(|inverse| Simpler::RealRoot { inverse }).or_else(|| power(whole?, true)),
        "rootn" if exponent.abs() == 2.0 => Some(Simpler::RealRoot { inverse: exponent < 0.0 }),
        "ldexp" => {
            let [least, most] = if ty == Type::F32 { [-126.0, 127.0] } else { [-1022.0, 1023.0] };
            (least..=most).contains(&exponent).then_some(Simpler::Scale(exponent as i32))
        }
        _ => None,
    }
}

/// The number that a value is known to be.
fn constant(func: &Func, v: Value) -> Option<f64> {
    let data = func.def_inst(v)?;
    match (data.op, &data.imm, func.ty(v).elem) {
        (Op::Const, Imm::Bits(bits), Scalar::F32) => Some(f64::from(f32::from_bits(*bits as u32))),
        (Op::Const, Imm::Bits(bits), Scalar::F64) => Some(f64::from_bits(*bits)),
        (Op::Const, Imm::Bits(bits), Scalar::I32) => Some(f64::from(*bits as i32)),
        (Op::Splat | Op::Extract, ..) => constant(func, data.args[0]),
        _ => None,
    }
}

fn power(exponent: i32, is_real: bool) -> Option<Simpler> {
    Some(Simpler::Power { exponent, is_real })
}

/// Makes the simpler form of a function of `x`.
fn make(b: &mut Builder<'_>, x: Value, simpler: Simpler) -> Value {
    match simpler {
        Simpler::Power { exponent, is_real: false } => to_power(b, x, exponent),
        Simpler::Power { exponent, is_real: true } => {
            let base = plus_zero(b, x);
            let power = to_power(b, base, exponent);
            let zero = float(b, x, 0.0);
            let is_below = b.fcmp(FloatPred::OLt, x, zero);
            let nan = float(b, x, f64::NAN);
            b.op(Op::Select, &[is_below, nan, power])
        }
        Simpler::Root { inverse } => {
            let root = square_root(b, x);
            let [least, most] = [f64::NEG_INFINITY, f64::INFINITY].map(|v| float(b, x, v));
            let is_least = b.fcmp(FloatPred::OEq, x, least);
            let root = b.op(Op::Select, &[is_least, most, root]);
            if inverse { reciprocal(b, root) } else { root }
        }
        Simpler::RealRoot { inverse } => {
            let root = square_root(b, x);
            if inverse { reciprocal(b, root) } else { root }
        }
        Simpler::Scale(exponent) => {
            let factor = float(b, x, f64::powi(2.0, exponent));
            b.op(Op::Fmul, &[x, factor])
        }
    }
}

/// `x` to a whole power other than 0, by squaring; what is below 1 by the reciprocal, which neither overflows nor loses
/// bits before the result does.
fn to_power(b: &mut Builder<'_>, x: Value, exponent: i32) -> Value {
    let mut square = if exponent < 0 { reciprocal(b, x) } else { x };
    let (mut rest, mut product) = (exponent.unsigned_abs(), None);
    loop {
        if rest & 1 != 0 {
            product = Some(product.map_or(square, |so_far| b.op(Op::Fmul, &[so_far, square])));
        }
        rest >>= 1;
        match product {
            Some(product) if rest == 0 => return product,
            _ => square = b.op(Op::Fmul, &[square, square]),
        }
    }
}

/// The square root, of minus zero as of zero.
fn square_root(b: &mut Builder<'_>, x: Value) -> Value {
    let base = plus_zero(b, x);
    b.op(Op::Sqrt, &[base])
}

fn reciprocal(b: &mut Builder<'_>, x: Value) -> Value {
    let one = float(b, x, 1.0);
    b.op(Op::Fdiv, &[one, x])
}

/// `x`, or zero for minus zero.
fn plus_zero(b: &mut Builder<'_>, x: Value) -> Value {
    let zero = float(b, x, 0.0);
    b.op(Op::Fadd, &[x, zero])
}

/// A constant of the type of `like`.
fn float(b: &mut Builder<'_>, like: Value, value: f64) -> Value {
    let ty = b.func.ty(like);
    b.bits(ty, if ty == Type::F32 { (value as f32).to_bits().into() } else { value.to_bits() })
}

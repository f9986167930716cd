//! Math functions.

use super::cl;
use crate::builtin::{Attrs, Body, Elem, Elems, Pat, Row, Widths};
use crate::ir::op::Op;

const T: Pat = Pat::T;
const E: Pat = Pat::E;
const OUT: Pat = Pat::Out(&T);
const INT: Pat = Pat::S(Elem::Int);
const INTN: Pat = Pat::N(Elem::Int);
const OUT_INT: Pat = Pat::Out(&INTN);
const TITLE: &str = "Math Functions";

/// A function of all floating-point types by one op.
const fn op(name: &'static str, params: &'static [Pat], op: Op) -> Row {
    Row::new(name, Elems::FLOATS, Widths::ANY, T, params, Body::Op(op)).elementwise().cite(TITLE)
}

/// A function with a scalar OpenCL C body for float and double; half goes through float.
const fn math(name: &'static str, params: &'static [Pat], body: Body) -> Row {
    gen_row(name, T, params, body)
}

const fn gen_row(name: &'static str, ret: Pat, params: &'static [Pat], body: Body) -> Row {
    Row::new(name, Elems::FLOATS, Widths::ANY, ret, params, body).elementwise().attr(Attrs::HALF_VIA_FLOAT).cite(TITLE)
}

/// A function with a scalar OpenCL C body for each of half, float and double.
const fn each(name: &'static str, params: &'static [Pat], body: Body) -> Row {
    Row::new(name, Elems::FLOATS, Widths::ANY, T, params, body).elementwise().cite(TITLE)
}

/// A float-only form (`native_`, `half_`).
const fn fast(name: &'static str, params: &'static [Pat], body: Body) -> Row {
    Row::new(name, Elems::FLOAT, Widths::ANY, T, params, body).elementwise().cite(TITLE)
}

/// The form whose second operand is a scalar beside a vector.
const fn mixed(name: &'static str, params: &'static [Pat], o: Op) -> Row {
    Row::new(name, Elems::FLOATS, Widths::VEC, T, params, Body::Op(o)).elementwise().cite(TITLE)
}

/// Rows.
pub static ROWS: &[Row] = &[
    op("ceil", &[T], Op::Ceil),
    op("copysign", &[T, T], Op::Copysign),
    op("fabs", &[T], Op::Fabs),
    op("floor", &[T], Op::Floor),
    op("fma", &[T, T, T], Op::Fma),
    op("fmax", &[T, T], Op::Fmax),
    mixed("fmax", &[T, E], Op::Fmax),
    op("fmin", &[T, T], Op::Fmin),
    mixed("fmin", &[T, E], Op::Fmin),
    op("mad", &[T, T, T], Op::Fma),
    op("rint", &[T], Op::Rint),
    op("sqrt", &[T], Op::Sqrt),
    op("trunc", &[T], Op::Trunc),
    // Bodies in OpenCL C.
    math("exp", &[T], cl("math/exp.cl", "exp")).relaxed("relaxed_exp").rounded("math/rounded_exp.cl", "rounded_exp"),
    math("exp2", &[T], cl("math/exp.cl", "exp2"))
        .relaxed("relaxed_exp2")
        .rounded("math/rounded_exp.cl", "rounded_exp2"),
    math("exp10", &[T], cl("math/exp.cl", "exp10"))
        .relaxed("relaxed_exp10")
        .rounded("math/rounded_exp.cl", "rounded_exp10"),
    math("expm1", &[T], cl("math/expm1.cl", "expm1")),
    math("log", &[T], cl("math/log.cl", "log")).relaxed("relaxed_log").rounded("math/rounded_log.cl", "rounded_log"),
    math("log2", &[T], cl("math/log.cl", "log2"))
        .relaxed("relaxed_log2")
        .rounded("math/rounded_log.cl", "rounded_log2"),
    math("log10", &[T], cl("math/log.cl", "log10"))
        .relaxed("relaxed_log10")
        .rounded("math/rounded_log.cl", "rounded_log10"),
    math("log1p", &[T], cl("math/log1p.cl", "log1p")),
    math("sin", &[T], cl("math/trig.cl", "sin")).relaxed("relaxed_sin").rounded("math/rounded_trig.cl", "rounded_sin"),
    math("cos", &[T], cl("math/trig.cl", "cos")).relaxed("relaxed_cos").rounded("math/rounded_trig.cl", "rounded_cos"),
    math("tan", &[T], cl("math/trig.cl", "tan")).relaxed("relaxed_tan").rounded("math/rounded_trig.cl", "rounded_tan"),
    each("sincos", &[T, OUT], cl("math/trig.cl", "sincos")).rounded("math/rounded_trig.cl", "rounded_sincos"),
    math("sinpi", &[T], cl("math/trigpi.cl", "sinpi")),
    math("cospi", &[T], cl("math/trigpi.cl", "cospi")),
    math("tanpi", &[T], cl("math/trigpi.cl", "tanpi")),
    math("asin", &[T], cl("math/asin.cl", "asin")).rounded("math/rounded_asin.cl", "rounded_asin"),
    math("acos", &[T], cl("math/asin.cl", "acos")).rounded("math/rounded_asin.cl", "rounded_acos"),
    math("asinpi", &[T], cl("math/asin.cl", "asinpi")),
    math("acospi", &[T], cl("math/asin.cl", "acospi")),
    math("atan", &[T], cl("math/atan.cl", "atan")).rounded("math/rounded_asin.cl", "rounded_atan"),
    math("atanpi", &[T], cl("math/atan.cl", "atanpi")),
    math("atan2", &[T, T], cl("math/atan.cl", "atan2")),
    math("atan2pi", &[T, T], cl("math/atan.cl", "atan2pi")),
    math("sinh", &[T], cl("math/sinh.cl", "sinh")),
    math("cosh", &[T], cl("math/sinh.cl", "cosh")),
    math("tanh", &[T], cl("math/sinh.cl", "tanh")),
    math("asinh", &[T], cl("math/asinh.cl", "asinh")),
    math("acosh", &[T], cl("math/asinh.cl", "acosh")),
    math("atanh", &[T], cl("math/asinh.cl", "atanh")),
    math("pow", &[T, T], cl("math/pow.cl", "pow")).relaxed("relaxed_pow").rounded("math/rounded_pow.cl", "rounded_pow"),
    math("powr", &[T, T], cl("math/pow.cl", "powr")).relaxed("relaxed_powr"),
    math("pown", &[T, INTN], cl("math/pow.cl", "pown")).relaxed("relaxed_pown"),
    math("rootn", &[T, INTN], cl("math/pow.cl", "rootn")),
    math("rsqrt", &[T], cl("math/rsqrt.cl", "rsqrt")).relaxed("relaxed_rsqrt"),
    math("cbrt", &[T], cl("math/cbrt.cl", "cbrt")).rounded("math/rounded_root.cl", "rounded_cbrt"),
    math("hypot", &[T, T], cl("math/hypot.cl", "hypot")).rounded("math/rounded_root.cl", "rounded_hypot"),
    math("erf", &[T], cl("math/erf.cl", "erf")),
    math("erfc", &[T], cl("math/erf.cl", "erfc")),
    math("tgamma", &[T], cl("math/gamma.cl", "tgamma")),
    math("lgamma", &[T], cl("math/gamma.cl", "lgamma")),
    math("lgamma_r", &[T, OUT_INT], cl("math/gamma.cl", "lgamma_r")),
    math("fmod", &[T, T], cl("math/fmod.cl", "fmod")),
    math("remainder", &[T, T], cl("math/fmod.cl", "remainder")),
    math("remquo", &[T, T, OUT_INT], cl("math/fmod.cl", "remquo")),
    math("round", &[T], cl("math/round.cl", "round")),
    each("modf", &[T, OUT], cl("math/parts.cl", "modf")),
    // In half, too, the largest number below 1 is the largest result.
    each("fract", &[T, OUT], cl("math/parts.cl", "fract")),
    math("frexp", &[T, OUT_INT], cl("math/parts.cl", "frexp")),
    math("ldexp", &[T, INTN], cl("math/parts.cl", "ldexp")),
    Row::new("ldexp", Elems::FLOATS, Widths::VEC, T, &[T, INT], cl("math/parts.cl", "ldexp"))
        .elementwise()
        .attr(Attrs::HALF_VIA_FLOAT)
        .cite(TITLE),
    math("logb", &[T], cl("math/parts.cl", "logb")),
    gen_row("ilogb", INTN, &[T], cl("math/parts.cl", "ilogb")),
    each("nextafter", &[T, T], cl("math/nextafter.cl", "nextafter")),
    math("fdim", &[T, T], cl("math/select.cl", "fdim")),
    math("maxmag", &[T, T], cl("math/select.cl", "maxmag")),
    math("minmag", &[T, T], cl("math/select.cl", "minmag")),
    each("nan", &[Pat::U], cl("math/select.cl", "nan")),
    // Float only: the implementation chooses the precision.
    fast("native_sqrt", &[T], Body::Op(Op::Sqrt)),
    fast("half_sqrt", &[T], Body::Op(Op::Sqrt)),
    fast("native_exp", &[T], cl("math/exp.cl", "relaxed_exp")),
    fast("native_exp2", &[T], cl("math/exp.cl", "relaxed_exp2")),
    fast("native_exp10", &[T], cl("math/exp.cl", "relaxed_exp10")),
    fast("native_log", &[T], cl("math/log.cl", "relaxed_log")),
    fast("native_log2", &[T], cl("math/log.cl", "relaxed_log2")),
    fast("native_log10", &[T], cl("math/log.cl", "relaxed_log10")),
    fast("native_sin", &[T], cl("math/trig.cl", "relaxed_sin")),
    fast("native_cos", &[T], cl("math/trig.cl", "relaxed_cos")),
    fast("native_tan", &[T], cl("math/trig.cl", "relaxed_tan")),
    fast("native_rsqrt", &[T], cl("math/rsqrt.cl", "native_rsqrt")),
    fast("native_powr", &[T, T], cl("math/pow.cl", "relaxed_powr")),
    fast("native_recip", &[T], cl("math/native.cl", "recip")),
    fast("native_divide", &[T, T], cl("math/native.cl", "native_divide")),
    fast("half_exp", &[T], cl("math/exp.cl", "relaxed_exp")),
    fast("half_exp2", &[T], cl("math/exp.cl", "relaxed_exp2")),
    fast("half_exp10", &[T], cl("math/exp.cl", "relaxed_exp10")),
    fast("half_log", &[T], cl("math/log.cl", "relaxed_log")),
    fast("half_log2", &[T], cl("math/log.cl", "relaxed_log2")),
    fast("half_log10", &[T], cl("math/log.cl", "relaxed_log10")),
    fast("half_sin", &[T], cl("math/trig.cl", "relaxed_sin")),
    fast("half_cos", &[T], cl("math/trig.cl", "relaxed_cos")),
    fast("half_tan", &[T], cl("math/trig.cl", "relaxed_tan")),
    fast("half_rsqrt", &[T], cl("math/rsqrt.cl", "relaxed_rsqrt")),
    fast("half_powr", &[T, T], cl("math/pow.cl", "relaxed_powr")),
    fast("half_recip", &[T], cl("math/native.cl", "recip")),
    fast("half_divide", &[T, T], cl("math/native.cl", "divide")),
];

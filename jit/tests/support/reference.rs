//! What each KIR op means, written down a second time and independently of the interpreter and the code generator:
//! plain Rust on bits, with the host's rounding modes as the authority for directed rounding.
#![allow(unsafe_code, reason = "switches the host's rounding mode around one instruction")]

use clift_jit::ir::{FloatPred, Imm, IntPred, Op, Rounding, Scalar};
use half::f16;
use std::cmp::Ordering;

/// Sign-extended value of the low `bits` bits.
pub fn signed(x: u64, bits: u32) -> i128 {
    i128::from((x << (64 - bits)) as i64 >> (64 - bits))
}

fn mask(x: i128, bits: u32) -> u64 {
    (x as u64) & (u64::MAX >> (64 - bits))
}

/// One lane of `op`; `from` is the element kind of the first operand, `to` that of the result.
pub fn eval(op: Op, from: Scalar, to: Scalar, args: &[u64], imm: &Imm, rm: Rounding) -> u64 {
    use Op::*;
    match op {
        Select => {
            if args[0] & 1 == 1 {
                args[1]
            } else {
                args[2]
            }
        }
        Trunci => mask(i128::from(args[0]), to.bits()),
        Sext => mask(signed(args[0], from.bits()), to.bits()),
        Zext => args[0],
        Sitofp => int_to_float(signed(args[0], from.bits()), to, rm),
        Uitofp => int_to_float(i128::from(args[0]), to, rm),
        Fpext | Fptrunc => convert_float(from, to, args[0], rm),
        Fptosi => {
            float_to_int(from, args[0], rm, -(1i128 << (to.bits() - 1)), (1i128 << (to.bits() - 1)) - 1, to.bits())
        }
        Fptoui => float_to_int(from, args[0], rm, 0, (1i128 << to.bits()) - 1, to.bits()),
        _ if from.is_float() => float(op, from, args, imm, rm),
        _ => int(op, from.bits(), args, imm),
    }
}

fn int(op: Op, bits: u32, args: &[u64], imm: &Imm) -> u64 {
    use Op::*;
    let (ua, ub) = (args[0], args.get(1).copied().unwrap_or(0));
    let (sa, sb) = (signed(ua, bits), signed(ub, bits));
    let (wa, wb) = (i128::from(ua), i128::from(ub));
    let (min, max, top) = (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1, (1i128 << bits) - 1);
    let amount = (ub % u64::from(bits)) as u32;
    let value = match op {
        Add => wa + wb,
        Sub => wa - wb,
        Mul => sa * sb,
        MulHiS => (sa * sb) >> bits,
        MulHiU => ((ua as u128 * ub as u128) >> bits) as i128,
        DivS => {
            if sb == 0 {
                0
            } else {
                sa / sb
            }
        }
        RemS => {
            if sb == 0 {
                sa
            } else {
                sa % sb
            }
        }
        DivU => {
            if ub == 0 {
                0
            } else {
                wa / wb
            }
        }
        RemU => {
            if ub == 0 {
                wa
            } else {
                wa % wb
            }
        }
        And => wa & wb,
        Or => wa | wb,
        Xor => wa ^ wb,
        Not => !wa,
        Neg => -wa,
        Shl => wa << amount,
        Lshr => wa >> amount,
        Ashr => sa >> amount,
        Rotl => (wa << amount) | (wa >> (bits - amount)),
        Clz => i128::from(ua.leading_zeros() - (64 - bits)),
        Ctz => i128::from(ua.trailing_zeros().min(bits)),
        Popcnt => i128::from(ua.count_ones()),
        Bitrev => i128::from(ua.reverse_bits() >> (64 - bits)),
        Bswap => i128::from(ua.swap_bytes() >> (64 - bits)),
        MinS => sa.min(sb),
        MinU => wa.min(wb),
        MaxS => sa.max(sb),
        MaxU => wa.max(wb),
        AbsS => sa.abs(),
        AddSatS => (sa + sb).clamp(min, max),
        AddSatU => (wa + wb).clamp(0, top),
        SubSatS => (sa - sb).clamp(min, max),
        SubSatU => (wa - wb).clamp(0, top),
        HaddS => (sa + sb) >> 1,
        HaddU => (wa + wb) >> 1,
        RhaddS => (sa + sb + 1) >> 1,
        RhaddU => (wa + wb + 1) >> 1,
        Dot4Uu => ua.to_le_bytes().into_iter().zip(ub.to_le_bytes()).map(|(a, b)| i128::from(a) * i128::from(b)).sum(),
        Dot4Ss => {
            let bytes = |x: u64| x.to_le_bytes().map(|byte| i128::from(byte as i8));
            bytes(ua).into_iter().zip(bytes(ub)).map(|(a, b)| a * b).sum()
        }
        Dot4Us => {
            let signed = ub.to_le_bytes().map(|byte| i128::from(byte as i8));
            ua.to_le_bytes().into_iter().zip(signed).map(|(a, b)| i128::from(a) * b).sum()
        }
        Icmp => {
            let Imm::IntPred(pred) = imm else { panic!("icmp without a predicate") };
            i128::from(match pred {
                IntPred::Eq => ua == ub,
                IntPred::Ne => ua != ub,
                IntPred::SLt => sa < sb,
                IntPred::SLe => sa <= sb,
                IntPred::SGt => sa > sb,
                IntPred::SGe => sa >= sb,
                IntPred::ULt => ua < ub,
                IntPred::ULe => ua <= ub,
                IntPred::UGt => ua > ub,
                IntPred::UGe => ua >= ub,
            })
        }
        op => panic!("{op:?} is not an integer op"),
    };
    if op == Icmp { value as u64 } else { mask(value, bits) }
}

fn to_f64(kind: Scalar, bits: u64) -> f64 {
    match kind {
        Scalar::F16 => f16::from_bits(bits as u16).to_f64(),
        Scalar::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

fn float(op: Op, kind: Scalar, args: &[u64], imm: &Imm, rm: Rounding) -> u64 {
    use Op::*;
    let sign = 1u64 << (kind.bits() - 1);
    match op {
        Fneg => return args[0] ^ sign,
        Fabs => return args[0] & !sign,
        Copysign => return (args[0] & !sign) | (args[1] & sign),
        _ => {}
    }
    let x: Vec<f64> = args.iter().map(|&b| to_f64(kind, b)).collect();
    if op == Fcmp {
        let Imm::FloatPred(pred) = imm else { panic!("fcmp without a predicate") };
        let (a, b) = (x[0], x[1]);
        let unordered = a.is_nan() || b.is_nan();
        return u64::from(match pred {
            FloatPred::OEq => a == b,
            FloatPred::ONe => a.partial_cmp(&b).is_some_and(Ordering::is_ne),
            FloatPred::OLt => a < b,
            FloatPred::OLe => a <= b,
            FloatPred::OGt => a > b,
            FloatPred::OGe => a >= b,
            FloatPred::Ord => !unordered,
            FloatPred::UEq => unordered || a == b,
            FloatPred::UNe => a != b,
            FloatPred::ULt => unordered || a < b,
            FloatPred::ULe => unordered || a <= b,
            FloatPred::UGt => unordered || a > b,
            FloatPred::UGe => unordered || a >= b,
            FloatPred::Uno => unordered,
        });
    }
    // Exact results are the same in f64.
    let exact = match op {
        Ceil => Some(x[0].ceil()),
        Floor => Some(x[0].floor()),
        Trunc => Some(x[0].trunc()),
        Rint => Some(x[0].round_ties_even()),
        Frem => Some(x[0] % x[1]),
        Fmin => Some(if x[0].is_nan() {
            x[1]
        } else if x[1].is_nan() || x[0] < x[1] {
            x[0]
        } else {
            x[1]
        }),
        Fmax => Some(if x[0].is_nan() {
            x[1]
        } else if x[1].is_nan() || x[0] > x[1] {
            x[0]
        } else {
            x[1]
        }),
        _ => None,
    };
    if let Some(exact) = exact {
        return convert_float(Scalar::F64, kind, exact.to_bits(), Rounding::Rte);
    }
    match kind {
        Scalar::F32 => {
            let y: Vec<f32> = args.iter().map(|&b| f32::from_bits(b as u32)).collect();
            u64::from(host_f32(op, &y, rm).to_bits())
        }
        Scalar::F64 => host_f64(op, &x, rm).to_bits(),
        _ => {
            // To odd in f64, then one rounding.
            let (down, up) = (host_f64(op, &x, Rounding::Rtn), host_f64(op, &x, Rounding::Rtp));
            let wide = if down == up || down.is_nan() {
                host_f64(op, &x, rm)
            } else if down.to_bits() & 1 == 1 {
                down
            } else {
                up
            };
            convert_float(Scalar::F64, Scalar::F16, wide.to_bits(), rm)
        }
    }
}

/// MXCSR with all exceptions masked and this rounding.
#[cfg(target_arch = "x86_64")]
fn control(rm: Rounding) -> u32 {
    0x1f80
        | match rm {
            Rounding::Rte => 0,
            Rounding::Rtn => 0x2000,
            Rounding::Rtp => 0x4000,
            Rounding::Rtz => 0x6000,
        }
}

/// FPCR with this rounding.
#[cfg(target_arch = "aarch64")]
fn control(rm: Rounding) -> u64 {
    match rm {
        Rounding::Rte => 0,
        Rounding::Rtp => 1 << 22,
        Rounding::Rtn => 2 << 22,
        Rounding::Rtz => 3 << 22,
    }
}

/// `$code` in the rounding mode `$rm`, on a, b and c.
#[cfg(target_arch = "x86_64")]
macro_rules! in_mode {
    ($rm:expr, $code:expr, $a:ident, $b:ident, $c:ident) => {{
        let (mode, normal) = (control($rm), control(Rounding::Rte));
        // SAFETY: sets the rounding mode, computes, restores the mode; touches nothing else.
        unsafe {
            std::arch::asm!("ldmxcsr [{m}]", concat!($code, " # {a} {b} {c}"), "ldmxcsr [{n}]",
                m = in(reg) &mode, n = in(reg) &normal,
                a = inout(xmm_reg) $a, b = in(xmm_reg) $b, c = in(xmm_reg) $c, options(nostack))
        }
    }};
}

#[cfg(target_arch = "aarch64")]
macro_rules! in_mode {
    ($rm:expr, $code:expr, $a:ident, $b:ident, $c:ident) => {{
        let mode = control($rm);
        // SAFETY: as above.
        unsafe {
            std::arch::asm!("mrs {n}, fpcr", "msr fpcr, {m}", concat!($code, " // {a:v} {b:v} {c:v}"), "msr fpcr, {n}",
                m = in(reg) mode, n = out(reg) _,
                a = inout(vreg) $a, b = in(vreg) $b, c = in(vreg) $c, options(nostack))
        }
    }};
}

macro_rules! host {
    ($name:ident, $ty:ty, $suffix:literal, $width:literal) => {
        fn $name(op: Op, x: &[$ty], rm: Rounding) -> $ty {
            let mut a = x[0];
            let (b, c) = (x.get(1).copied().unwrap_or(0.0), x.get(2).copied().unwrap_or(0.0));
            #[cfg(target_arch = "x86_64")]
            match op {
                Op::Fadd => in_mode!(rm, concat!("add", $suffix, " {a}, {b}"), a, b, c),
                Op::Fsub => in_mode!(rm, concat!("sub", $suffix, " {a}, {b}"), a, b, c),
                Op::Fmul => in_mode!(rm, concat!("mul", $suffix, " {a}, {b}"), a, b, c),
                Op::Fdiv => in_mode!(rm, concat!("div", $suffix, " {a}, {b}"), a, b, c),
                Op::Sqrt => in_mode!(rm, concat!("sqrt", $suffix, " {a}, {a}"), a, b, c),
                Op::Fma => in_mode!(rm, concat!("vfmadd213", $suffix, " {a}, {b}, {c}"), a, b, c),
                op => panic!("{op:?} is not rounded"),
            }
            #[cfg(target_arch = "aarch64")]
            match op {
                Op::Fadd => in_mode!(rm, concat!("fadd {a:", $width, "}, {a:", $width, "}, {b:", $width, "}"), a, b, c),
                Op::Fsub => in_mode!(rm, concat!("fsub {a:", $width, "}, {a:", $width, "}, {b:", $width, "}"), a, b, c),
                Op::Fmul => in_mode!(rm, concat!("fmul {a:", $width, "}, {a:", $width, "}, {b:", $width, "}"), a, b, c),
                Op::Fdiv => in_mode!(rm, concat!("fdiv {a:", $width, "}, {a:", $width, "}, {b:", $width, "}"), a, b, c),
                Op::Sqrt => in_mode!(rm, concat!("fsqrt {a:", $width, "}, {a:", $width, "}"), a, b, c),
                Op::Fma => in_mode!(
                    rm,
                    concat!("fmadd {a:", $width, "}, {a:", $width, "}, {b:", $width, "}, {c:", $width, "}"),
                    a,
                    b,
                    c
                ),
                op => panic!("{op:?} is not rounded"),
            }
            a
        }
    };
}
host!(host_f32, f32, "ss", "s");
host!(host_f64, f64, "sd", "d");

fn convert_float(from: Scalar, to: Scalar, bits: u64, rm: Rounding) -> u64 {
    let x = to_f64(from, bits);
    match to {
        Scalar::F64 => x.to_bits(),
        Scalar::F32 => u64::from(narrow(x, rm).to_bits()),
        _ => {
            let h = nearest_half(x);
            if x.is_nan() {
                return u64::from(h.to_bits());
            }
            let back = h.to_f64();
            let up = |h: f16| f16::from_bits(if h.to_bits() & 0x8000 == 0 { h.to_bits() + 1 } else { h.to_bits() - 1 });
            let down =
                |h: f16| f16::from_bits(if h.to_bits() & 0x8000 == 0 { h.to_bits() - 1 } else { h.to_bits() + 1 });
            let h = match rm {
                Rounding::Rtz if back.abs() > x.abs() => f16::from_bits(h.to_bits() - 1),
                Rounding::Rtp if back < x => up(h),
                Rounding::Rtn if back > x => down(h),
                _ => h,
            };
            u64::from(h.to_bits())
        }
    }
}

/// The half nearest to `x`, ties to even. The library's conversion may go through f32 and round twice, so its result
/// and both neighbours are compared by their exact distances.
fn nearest_half(x: f64) -> f16 {
    let guess = f16::from_f64(x.abs()).to_bits();
    if x.is_nan() || x.is_infinite() {
        return f16::from_f64(x);
    }
    // Infinity stands at 65536, where the next half would be.
    let value = |bits: u16| if bits >= 0x7c00 { 65536.0 } else { f16::from_bits(bits).to_f64() };
    let distance = |bits: u16| ((value(bits) - x.abs()).abs(), bits & 1);
    let candidates = guess.saturating_sub(1)..=(guess + 1).min(0x7c00);
    let best = candidates.min_by(|&a, &b| distance(a).partial_cmp(&distance(b)).expect("numbers")).unwrap_or(guess);
    f16::from_bits(best | if x.is_sign_negative() { 0x8000 } else { 0 })
}

fn narrow(x: f64, rm: Rounding) -> f32 {
    let (mut result, none) = (0f32, 0f32);
    #[cfg(target_arch = "x86_64")]
    in_mode!(rm, "cvtsd2ss {a}, {b}", result, x, none);
    #[cfg(target_arch = "aarch64")]
    in_mode!(rm, "fcvt {a:s}, {b:d}", result, x, none);
    result
}

/// Integer to float by exact integer arithmetic: up to 64 bits.
fn int_to_float(x: i128, to: Scalar, rm: Rounding) -> u64 {
    let (digits, max_exp) = match to {
        Scalar::F16 => (11, 16),
        Scalar::F32 => (24, 128),
        _ => (53, 1024),
    };
    let magnitude = x.unsigned_abs();
    let width = 128 - magnitude.leading_zeros();
    let shift = width.saturating_sub(digits);
    let (kept, rest) = (magnitude >> shift, magnitude & ((1 << shift) - 1));
    let half = if shift == 0 { 0 } else { 1u128 << (shift - 1) };
    let up = match rm {
        Rounding::Rte => shift > 0 && (rest > half || rest == half && kept & 1 == 1),
        Rounding::Rtz => false,
        Rounding::Rtp => rest != 0 && x > 0,
        Rounding::Rtn => rest != 0 && x < 0,
    };
    let rounded = (kept + u128::from(up)) << shift;
    let mut value = rounded as f64;
    let limit = 2f64.powi(max_exp.min(1023));
    if value >= limit && to != Scalar::F64 {
        let to_infinity = match rm {
            Rounding::Rte => true,
            Rounding::Rtz => false,
            Rounding::Rtp => x > 0,
            Rounding::Rtn => x < 0,
        };
        value = if to_infinity { f64::INFINITY } else { limit - limit / f64::from(1u32 << digits.min(31)) };
    }
    let value = if x < 0 { -value } else { value };
    convert_float(Scalar::F64, to, value.to_bits(), Rounding::Rte)
}

fn float_to_int(from: Scalar, bits: u64, rm: Rounding, min: i128, max: i128, width: u32) -> u64 {
    let x = to_f64(from, bits);
    if x.is_nan() {
        return 0;
    }
    let x = match rm {
        Rounding::Rte => x.round_ties_even(),
        Rounding::Rtz => x.trunc(),
        Rounding::Rtp => x.ceil(),
        Rounding::Rtn => x.floor(),
    };
    mask((x as i128).clamp(min, max), width)
}

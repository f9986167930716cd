//! What every pure operation computes, on bits. The interpreter and constant folding share this file, so folding is
//! exact by construction. Knows nothing of frames or memory.

use crate::ir::op::{Attr, FloatPred, Imm, IntPred, Op, Rounding};
use crate::ir::softfloat::{self as float, F16, F32, F64, Format};
use crate::ir::ty::{Scalar, Type};
use smallvec::SmallVec;
use std::cmp::Ordering;

/// Bits of each lane, zero-extended to 64.
pub type Lanes = SmallVec<[u64; 4]>;

/// The low `bits` ones.
pub fn ones(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// The signed reading of the low `bits` bits.
pub fn signed(value: u64, bits: u32) -> i64 {
    let shift = 64 - bits;
    ((value << shift) as i64) >> shift
}

/// The value of a pure op that depends on its operands alone: `None` for slot and variable addresses, work-item queries
/// and everything that touches memory. `types` and `args` run in parallel; `flushes` is `Func::flushes_denormals`.
pub fn eval(op: Op, imm: &Imm, attr: &Attr, ty: Type, types: &[Type], args: &[&[u64]], flushes: bool) -> Option<Lanes> {
    let n = usize::from(ty.lanes);
    Some(match op {
        Op::Const => match imm {
            Imm::Bits(bits) => SmallVec::from_elem(*bits, n),
            _ => return None,
        },
        Op::Undef => SmallVec::from_elem(0, n),
        Op::Bitcast => bitcast(types[0], ty, args[0]),
        Op::Select => (0..n)
            .map(|i| {
                // In legal form masks may be integers, whose signs count, and have fewer lanes: the rest means nothing.
                let cond = args[0].get(if args[0].len() == 1 { 0 } else { i }).copied().unwrap_or(0);
                if cond >> (types[0].elem.bits() - 1) & 1 == 1 { args[1][i] } else { args[2][i] }
            })
            .collect(),
        Op::Build => args.iter().map(|a| a[0]).collect(),
        Op::Splat => SmallVec::from_elem(args[0][0], n),
        Op::Extract => match imm {
            Imm::Lane(lane) => SmallVec::from_elem(*args[0].get(usize::from(*lane))?, 1),
            _ => return None,
        },
        Op::Insert => match imm {
            Imm::Lane(lane) => {
                let mut lanes = Lanes::from_slice(args[0]);
                *lanes.get_mut(usize::from(*lane))? = args[1][0];
                lanes
            }
            _ => return None,
        },
        Op::Shuffle => match imm {
            Imm::Lanes(lanes) => {
                let pick = |l: u8| args[0].iter().chain(args[1]).nth(usize::from(l)).copied();
                lanes.iter().map(|l| pick(*l)).collect::<Option<Lanes>>()?
            }
            _ => return None,
        },
        Op::ExtractDyn => {
            let lane = args[1][0] as usize % args[0].len().next_power_of_two();
            SmallVec::from_elem(args[0].get(lane).copied().unwrap_or(0), 1)
        }
        Op::Iota => (0..n as u64).collect(),
        Op::Permute => {
            let pick = |i: &u64| args[0].iter().chain(args[1]).nth(*i as usize % (2 * args[0].len())).copied();
            args[2].iter().map(pick).collect::<Option<Lanes>>()?
        }
        Op::Swizzle => {
            let pick =
                |(i, at): (usize, &u64)| if at & 0x80 != 0 { 0 } else { args[0][i / 16 * 16 + (at & 15) as usize] };
            args[1].iter().enumerate().map(pick).collect()
        }
        Op::MaskAny => SmallVec::from_elem(u64::from(args[0].iter().any(|l| l & 1 == 1)), 1),
        Op::MaskAll => SmallVec::from_elem(u64::from(args[0].iter().all(|l| l & 1 == 1)), 1),
        Op::MaskBits => SmallVec::from_elem(args[0].iter().rev().fold(0, |bits, l| bits << 1 | (l & 1)), 1),
        Op::Narrow => {
            let (from, to) = (types[0].elem.bits(), ty.elem.bits());
            let limit = 1i64 << (to - 1);
            let narrow = |l: &u64| signed(*l, from).clamp(-limit, limit - 1) as u64 & ones(to);
            // In legal form a short result has the lanes of one operand.
            args[0].iter().chain(args[1]).take(n).map(narrow).collect()
        }
        Op::Reduce => match imm {
            Imm::Collective(by) => {
                let (first, rest) = args[0].split_first()?;
                // The left operand is operand 1.
                let combine = |left: u64, right: &u64| {
                    Some(eval(by.op(), &Imm::None, attr, ty, &[ty, ty], &[&[*right], &[left]], flushes)?[0])
                };
                SmallVec::from_elem(rest.iter().try_fold(*first, combine)?, 1)
            }
            _ => return None,
        },
        Op::ReduceTree => match imm {
            Imm::Collective(by) => {
                let mut lanes = Lanes::from_slice(args[0]);
                while lanes.len() > 1 {
                    let (low, high) = lanes.split_at(lanes.len() / 2);
                    let half = ty.with_lanes(low.len() as u8);
                    lanes = eval(by.op(), &Imm::None, attr, half, &[half, half], &[high, low], flushes)?;
                }
                lanes
            }
            _ => return None,
        },
        Op::PtrAdd => match imm {
            Imm::Scale { scale, disp } => {
                let bytes = args[1][0].wrapping_mul(u64::from(*scale)).wrapping_add(*disp as u64);
                SmallVec::from_elem(args[0][0].wrapping_add(bytes), 1)
            }
            _ => return None,
        },
        Op::PtrOff => match imm {
            Imm::Disp(disp) => SmallVec::from_elem(args[0][0].wrapping_add(*disp as u64), 1),
            _ => return None,
        },
        Op::PtrToInt | Op::IntToPtr | Op::AsCast | Op::LocalBase | Op::Element => Lanes::from_slice(args[0]),
        _ if op.is_pure() && !args.is_empty() => {
            // In legal form vectors may be shifted by a scalar, and what is converted may have fewer lanes: the rest
            // means nothing.
            let operand = |k: usize, i: usize| match args.get(k) {
                Some([all]) => *all,
                Some(lanes) => lanes.get(i).copied().unwrap_or(0),
                None => 0,
            };
            let operands = |i: usize| [operand(0, i), operand(1, i), operand(2, i)];
            let lane = |i: usize| one(op, imm, attr, (types[0].elem, ty.elem), operands(i), flushes);
            (0..n).map(lane).collect::<Option<Lanes>>()?
        }
        _ => return None,
    })
}

/// Lanes as little-endian bytes, one after the other.
pub fn to_bytes(elem: Scalar, lanes: &[u64]) -> SmallVec<[u8; 32]> {
    let size = elem.bytes() as usize;
    lanes.iter().flat_map(|l| l.to_le_bytes().into_iter().take(size)).collect()
}

/// The reverse of `to_bytes`.
pub fn from_bytes(elem: Scalar, bytes: &[u8]) -> Lanes {
    let size = elem.bytes() as usize;
    let lane = |chunk: &[u8]| {
        let mut wide = [0; 8];
        wide[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(wide)
    };
    bytes.chunks(size).map(lane).collect()
}

fn bitcast(from: Type, to: Type, lanes: &[u64]) -> Lanes {
    if from.lanes == to.lanes { Lanes::from_slice(lanes) } else { from_bytes(to.elem, &to_bytes(from.elem, lanes)) }
}

/// One lane of an elementwise op.
fn one(
    op: Op,
    imm: &Imm,
    attr: &Attr,
    (from, to): (Scalar, Scalar),
    [a, b, c]: [u64; 3],
    flushes: bool,
) -> Option<u64> {
    // In legal form halves travel as i16, and true is -1 where masks are integers.
    let (from, to) = match op {
        Op::Fadd | Op::Fsub | Op::Fmul | Op::Fdiv | Op::Fma | Op::Sqrt | Op::Fpext | Op::Fptrunc => {
            let as_half = |elem| if elem == Scalar::I16 { Scalar::F16 } else { elem };
            (as_half(from), as_half(to))
        }
        _ => (from, to),
    };
    let truth = |is_true: bool| if is_true { ones(to.bits()) } else { 0 };
    let bits = from.bits();
    Some(match op {
        Op::Icmp => match imm {
            Imm::IntPred(pred) => truth(compare(*pred, a, b, bits)),
            _ => return None,
        },
        Op::Fcmp => match imm {
            Imm::FloatPred(pred) => {
                let f = Format::of(from);
                truth(float_compare(*pred, float::to_f64(f, a).partial_cmp(&float::to_f64(f, b))))
            }
            _ => return None,
        },
        Op::Trunci | Op::Zext => a & ones(to.bits()),
        Op::Sext => signed(a, bits) as u64 & ones(to.bits()),
        Op::Fptrunc => float::convert(Format::of(from), Format::of(to).flushing(flushes), a, attr.rm),
        Op::Fpext => float::convert(Format::of(from), Format::of(to), a, Rounding::Rte),
        Op::Fptosi | Op::Fptoui => float::to_int_saturated(Format::of(from), a, op == Op::Fptosi, to.bits(), attr.rm),
        Op::Sitofp => {
            let v = signed(a, bits);
            float::from_int(Format::of(to), v < 0, v.unsigned_abs(), attr.rm)
        }
        Op::Uitofp => float::from_int(Format::of(to), false, a, attr.rm),
        _ if from.is_float() => float_op(op, attr.rm, Format::of(from), [a, b, c], flushes)?,
        _ => int_op(op, bits, a, b)? & ones(bits),
    })
}

fn compare(pred: IntPred, a: u64, b: u64, bits: u32) -> bool {
    let (sa, sb) = (signed(a, bits), signed(b, bits));
    match pred {
        IntPred::Eq => a == b,
        IntPred::Ne => a != b,
        IntPred::SLt => sa < sb,
        IntPred::SLe => sa <= sb,
        IntPred::SGt => sa > sb,
        IntPred::SGe => sa >= sb,
        IntPred::ULt => a < b,
        IntPred::ULe => a <= b,
        IntPred::UGt => a > b,
        IntPred::UGe => a >= b,
    }
}

fn float_compare(pred: FloatPred, order: Option<Ordering>) -> bool {
    let Some(order) = order else {
        return matches!(
            pred,
            FloatPred::UEq
                | FloatPred::UNe
                | FloatPred::ULt
                | FloatPred::ULe
                | FloatPred::UGt
                | FloatPred::UGe
                | FloatPred::Uno
        );
    };
    match pred {
        FloatPred::OEq | FloatPred::UEq => order.is_eq(),
        FloatPred::ONe | FloatPred::UNe => order.is_ne(),
        FloatPred::OLt | FloatPred::ULt => order.is_lt(),
        FloatPred::OLe | FloatPred::ULe => order.is_le(),
        FloatPred::OGt | FloatPred::UGt => order.is_gt(),
        FloatPred::OGe | FloatPred::UGe => order.is_ge(),
        FloatPred::Ord => true,
        FloatPred::Uno => false,
    }
}

/// Integer arithmetic on zero-extended operands; the caller cuts the result to the width.
fn int_op(op: Op, bits: u32, a: u64, b: u64) -> Option<u64> {
    let (sa, sb) = (i128::from(signed(a, bits)), i128::from(signed(b, bits)));
    let (ua, ub) = (u128::from(a), u128::from(b));
    let (smin, smax) = (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1);
    let umax = u128::from(ones(bits));
    let amount = (b % u64::from(bits)) as u32;
    Some(match op {
        Op::Add => a.wrapping_add(b),
        Op::Sub => a.wrapping_sub(b),
        Op::Mul => a.wrapping_mul(b),
        Op::MulHiS => ((sa * sb) >> bits) as u64,
        Op::MulHiU => ((ua * ub) >> bits) as u64,
        Op::DivS => (if sb == 0 { 0 } else { sa / sb }) as u64,
        Op::DivU => a.checked_div(b).unwrap_or(0),
        Op::RemS => (if sb == 0 { sa } else { sa % sb }) as u64,
        Op::RemU => a.checked_rem(b).unwrap_or(a),
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Not => !a,
        Op::Neg => a.wrapping_neg(),
        Op::Shl => a << amount,
        Op::Lshr => a >> amount,
        Op::Ashr => (sa >> amount) as u64,
        Op::Rotl => a << amount | a.checked_shr(bits - amount).unwrap_or(0),
        Op::Clz => u64::from(a.leading_zeros() - (64 - bits)),
        Op::Ctz => u64::from(a.trailing_zeros().min(bits)),
        Op::Popcnt => u64::from(a.count_ones()),
        Op::Bitrev => a.reverse_bits() >> (64 - bits),
        Op::Bswap => a.swap_bytes() >> (64 - bits),
        Op::MinS => sa.min(sb) as u64,
        Op::MinU => a.min(b),
        Op::MaxS => sa.max(sb) as u64,
        Op::MaxU => a.max(b),
        Op::AbsS => sa.unsigned_abs() as u64,
        Op::AddSatS => (sa + sb).clamp(smin, smax) as u64,
        Op::AddSatU => (ua + ub).min(umax) as u64,
        Op::SubSatS => (sa - sb).clamp(smin, smax) as u64,
        Op::SubSatU => a.saturating_sub(b),
        Op::HaddS => ((sa + sb) >> 1) as u64,
        Op::HaddU => ((ua + ub) >> 1) as u64,
        Op::RhaddS => ((sa + sb + 1) >> 1) as u64,
        Op::RhaddU => ((ua + ub + 1) >> 1) as u64,
        Op::Dot4Uu | Op::Dot4Ss | Op::Dot4Us => dot(op, a, b) as u64,
        Op::Dot2S => [0, 16].iter().map(|by| signed(a >> by, 16) * signed(b >> by, 16)).sum::<i64>() as u64,
        _ => return None,
    })
}

/// The sum of the products of four bytes.
fn dot(op: Op, a: u64, b: u64) -> i64 {
    let byte = |from: u64, n: u32, is_signed: bool| {
        let bits = from >> (8 * n) & 0xff;
        if is_signed { signed(bits, 8) } else { bits as i64 }
    };
    (0..4).map(|n| byte(a, n, op == Op::Dot4Ss) * byte(b, n, op != Op::Dot4Uu)).sum()
}

fn float_op(op: Op, rm: Rounding, f: Format, [a, b, c]: [u64; 3], flushes: bool) -> Option<u64> {
    let sign = 1u64
        << (if f == F16 {
            15
        } else if f == F32 {
            31
        } else {
            63
        });
    if rm == Rounding::Rte
        && let Some(result) = native(op, f, a, b, c).filter(|&result| !flushes || !float::is_tiny(f, result))
    {
        return Some(if float::is_nan(f, result) { f.nan() } else { result });
    }
    let f = f.flushing(flushes);
    Some(match op {
        Op::Fadd => float::add(f, a, b, rm),
        Op::Fsub => float::sub(f, a, b, rm),
        Op::Fmul => float::mul(f, a, b, rm),
        Op::Fdiv => float::div(f, a, b, rm),
        Op::Fma => float::fma(f, a, b, c, rm),
        Op::Frem => float::rem(f, a, b),
        Op::Fneg => a ^ sign,
        Op::Fabs => a & !sign,
        Op::Copysign => (a & !sign) | (b & sign),
        Op::Apart => a,
        Op::Sqrt => float::sqrt(f, a),
        Op::Ceil => float::integral(f, a, Rounding::Rtp),
        Op::Floor => float::integral(f, a, Rounding::Rtn),
        Op::Trunc => float::integral(f, a, Rounding::Rtz),
        Op::Rint => float::integral(f, a, Rounding::Rte),
        Op::Fmin => float::extreme(f, a, b, Ordering::Less),
        Op::Fmax => float::extreme(f, a, b, Ordering::Greater),
        _ => return None,
    })
}

/// The common operations by the machine, to nearest even.
fn native(op: Op, f: Format, a: u64, b: u64, c: u64) -> Option<u64> {
    if f == F32 {
        let [x, y, z] = [a, b, c].map(|v| f32::from_bits(v as u32));
        let r = match op {
            Op::Fadd => x + y,
            Op::Fsub => x - y,
            Op::Fmul => x * y,
            Op::Fdiv => x / y,
            Op::Fma => x.mul_add(y, z),
            _ => return None,
        };
        return Some(u64::from(r.to_bits()));
    }
    if f == F64 {
        let [x, y, z] = [a, b, c].map(f64::from_bits);
        let r = match op {
            Op::Fadd => x + y,
            Op::Fsub => x - y,
            Op::Fmul => x * y,
            Op::Fdiv => x / y,
            Op::Fma => x.mul_add(y, z),
            _ => return None,
        };
        return Some(r.to_bits());
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(op: Op, ty: Type, a: i64, b: i64) -> i64 {
        let bits = ty.elem.bits();
        let (a, b) = (a as u64 & ones(bits), b as u64 & ones(bits));
        let lanes = eval(op, &Imm::None, &Attr::default(), ty, &[ty, ty], &[&[a], &[b]], false).unwrap();
        assert_eq!(lanes[0] & !ones(bits), 0, "zero-extended");
        signed(lanes[0], bits)
    }

    #[test]
    fn integers_are_total() {
        assert_eq!(int(Op::DivS, Type::I32, 7, 0), 0);
        assert_eq!(int(Op::RemS, Type::I32, 7, 0), 7);
        assert_eq!(int(Op::DivS, Type::I64, i64::MIN, -1), i64::MIN);
        assert_eq!(int(Op::RemS, Type::I64, i64::MIN, -1), 0);
        assert_eq!(int(Op::DivS, Type::I8, -128, -1), -128);
        assert_eq!(int(Op::RemU, Type::I16, 5, 0), 5);
        assert_eq!(int(Op::Shl, Type::I32, 1, 33), 2);
        assert_eq!(int(Op::Ashr, Type::I8, -128, 9), -64);
        assert_eq!(int(Op::Rotl, Type::I8, 0x81u8 as i64, 1), 3);
        assert_eq!(int(Op::Rotl, Type::I64, 5, 64), 5);
        assert_eq!(int(Op::Clz, Type::I16, 0, 0), 16);
        assert_eq!(int(Op::Ctz, Type::I8, 0, 0), 8);
        assert_eq!(int(Op::Bitrev, Type::I8, 1, 0), -128);
        assert_eq!(int(Op::Bswap, Type::I8, 1, 0), 1);
        assert_eq!(int(Op::Bswap, Type::I16, 0x0180, 0), -0x7fff);
        assert_eq!(int(Op::Bswap, Type::I64, 0x0102_0304_0506_0708, 0), 0x0807_0605_0403_0201);
        assert_eq!(int(Op::AbsS, Type::I8, -128, 0), -128);
        assert_eq!(int(Op::AddSatS, Type::I64, i64::MAX, 1), i64::MAX);
        assert_eq!(int(Op::AddSatU, Type::I8, -1, 1), -1);
        assert_eq!(int(Op::SubSatU, Type::I32, 1, 2), 0);
        assert_eq!(int(Op::HaddS, Type::I64, i64::MIN, i64::MIN), i64::MIN);
        assert_eq!(int(Op::RhaddU, Type::I8, -1, -1), -1);
        assert_eq!(int(Op::MulHiS, Type::I64, i64::MIN, i64::MIN), 1 << 62);
        assert_eq!(int(Op::MulHiU, Type::I8, -1, -1), -2);
        assert_eq!(int(Op::Dot4Uu, Type::I32, -1, -1), 4 * 255 * 255);
        assert_eq!(int(Op::Dot4Ss, Type::I32, 0x8080_8080, 0x8080_8080), 4 * 128 * 128);
        assert_eq!(int(Op::Dot2S, Type::I32, 0x8000_ffff, 0x8000_0003), (1 << 30) - 3);
        assert_eq!(int(Op::Dot4Us, Type::I32, 0xff01_0203, 0x8000_01ff), -255 * 128 + 2 - 3);
    }

    #[test]
    fn conversions_saturate() {
        let run = |op, from: Type, to: Type, bits: u64, rm| {
            let attr = Attr { rm, ..Attr::default() };
            eval(op, &Imm::None, &attr, to, &[from], &[&[bits]], false).unwrap()[0]
        };
        let f = |x: f32| u64::from(x.to_bits());
        assert_eq!(run(Op::Fptosi, Type::F32, Type::I8, f(1e9), Rounding::Rtz), 127);
        assert_eq!(run(Op::Fptosi, Type::F32, Type::I8, f(-1e9), Rounding::Rtz), 128);
        assert_eq!(run(Op::Fptoui, Type::F32, Type::I32, f(-3.0), Rounding::Rtz), 0);
        assert_eq!(run(Op::Fptoui, Type::F32, Type::I64, f(f32::INFINITY), Rounding::Rtz), u64::MAX);
        assert_eq!(run(Op::Fptosi, Type::F32, Type::I64, f(f32::NAN), Rounding::Rtz), 0);
        assert_eq!(run(Op::Fptosi, Type::F32, Type::I32, f(2.5), Rounding::Rte), 2);
        assert_eq!(run(Op::Sitofp, Type::I64, Type::F16, 1 << 40, Rounding::Rtz), 0x7bff);
        assert_eq!(run(Op::Sext, Type::I1, Type::I32, 1, Rounding::Rte), 0xffff_ffff);
        assert_eq!(run(Op::Fptrunc, Type::F64, Type::F16, 0.1f64.to_bits(), Rounding::Rtp), 0x2e67);
    }

    #[test]
    fn vectors() {
        let ty = Type::I16.with_lanes(4);
        let cast = eval(
            Op::Bitcast,
            &Imm::None,
            &Attr::default(),
            ty,
            &[Type::I32.with_lanes(2)],
            &[&[0x20001, 0x40003]],
            false,
        );
        assert_eq!(cast.unwrap().as_slice(), [1, 2, 3, 4]);
        let imm = Imm::Lanes([3, 4].into());
        let two = Type::I16.with_lanes(2);
        let pick = eval(Op::Shuffle, &imm, &Attr::default(), two, &[ty, ty], &[&[1, 2, 3, 4], &[5, 6, 7, 8]], false);
        assert_eq!(pick.unwrap().as_slice(), [4, 5]);
        let select = eval(
            Op::Select,
            &Imm::None,
            &Attr::default(),
            two,
            &[Type::I1, two, two],
            &[&[1], &[1, 2], &[3, 4]],
            false,
        );
        assert_eq!(select.unwrap().as_slice(), [1, 2]);
    }
}

//! Computed constants have the bits that instructions give. Spec: SPIR-V, "OpSpecConstantOp".

use super::*;

const DOUBLE: u32 = 90;

/// Width and kind of a number.
#[derive(Clone, Copy, Debug)]
enum Number {
    Int(u32),
    Float(u32),
}
use Number::{Float, Int};

impl Number {
    fn bits(self) -> u32 {
        match self {
            Int(bits) | Float(bits) => bits,
        }
    }
    fn ty(self) -> u32 {
        match self {
            Int(8) => UCHAR,
            Int(16) => USHORT,
            Int(32) => UINT,
            Int(_) => ULONG,
            Float(16) => HALF,
            Float(32) => FLOAT,
            Float(_) => DOUBLE,
        }
    }
}

/// Another view of a number's bits, or the number.
fn cast(from: Number, to: Number, id: u32, of: u32) -> Vec<u32> {
    let op = match (from, to) {
        (Int(a), Int(b)) if a != b => Op::UConvert,
        (Int(_), Int(_)) | (Float(_), Float(_)) => Op::CopyObject,
        _ => Op::Bitcast,
    };
    inst(op, &[to.ty(), id, of])
}

/// What an operation gives as a constant and as an instruction, both of which have this decoration.
fn both(op: Op, from: Number, to: Number, note: Option<(Decoration, u32)>, args: &[u64]) -> [u64; 2] {
    let [shift, constant, result] = [91, 120, 121];
    let mut declared = vec![inst(Op::TypeFloat, &[DOUBLE, 64]), inst(Op::Constant, &[ULONG, shift, 32, 0])];
    let mut body = Vec::new();
    let ids = |first: u32| -> Vec<u32> { (first..).take(args.len()).collect() };
    for (n, &bits) in (0..).zip(args) {
        let words = [bits as u32, (bits >> 32) as u32];
        let words = if from.bits() == 64 { &words[..] } else { &words[..1] };
        declared.push(inst(Op::Constant, &[&[from.ty(), 110 + n], words].concat()));
        let [low, high] = [0, 1].map(|part| WORD[2 * n as usize + part]);
        body.extend([
            inst(Op::UConvert, &[ULONG, 200 + n, low]),
            inst(Op::UConvert, &[ULONG, 210 + n, high]),
            inst(Op::ShiftLeftLogical, &[ULONG, 220 + n, 210 + n, shift]),
            inst(Op::BitwiseOr, &[ULONG, 230 + n, 200 + n, 220 + n]),
            cast(Int(64), Int(from.bits()), 240 + n, 230 + n),
            cast(Int(from.bits()), from, 250 + n, 240 + n),
        ]);
    }
    declared.push(inst(Op::SpecConstantOp, &[&[to.ty(), constant, op as u32], &ids(110)[..]].concat()));
    body.push(inst(op, &[&[to.ty(), result], &ids(250)[..]].concat()));
    for (k, id) in [(0, constant), (1, result)] {
        body.extend([
            cast(to, Int(to.bits()), 260 + k, id),
            cast(Int(to.bits()), Int(64), 270 + k, 260 + k),
            inst(Op::ShiftRightLogical, &[ULONG, 280 + k, 270 + k, shift]),
            inst(Op::UConvert, &[UINT, 300 + 2 * k, 270 + k]),
            inst(Op::UConvert, &[UINT, 301 + 2 * k, 280 + k]),
        ]);
    }
    let notes = note.iter().flat_map(|&(decoration, operand)| {
        let operands = if decoration == Decoration::FPRoundingMode { &[operand][..] } else { &[] };
        [constant, result].map(|id| inst(Op::Decorate, &[&[id, decoration as u32], operands].concat()))
    });
    let sample = Sample {
        capabilities: vec![Capability::Float64],
        notes: notes.collect(),
        declared,
        body,
        results: (300..304).collect(),
        ..Sample::default()
    };
    let mut inputs = [0; 4];
    for (n, &bits) in args.iter().enumerate() {
        inputs[2 * n..2 * n + 2].copy_from_slice(&[bits as u32, (bits >> 32) as u32]);
    }
    let got = sample.run(inputs);
    [0, 2].map(|n| u64::from(got[n + 1]) << 32 | u64::from(got[n]))
}

/// That both give this.
fn check(op: Op, from: Number, to: Number, note: Option<(Decoration, u32)>, args: &[u64], expected: u64) {
    let got = both(op, from, to, note, args);
    assert_eq!(got, [expected; 2], "{op:?} from {from:?} to {to:?}, {note:?}: {args:x?}: {got:x?}");
}

fn single(v: f32) -> u64 {
    u64::from(v.to_bits())
}

#[test]
fn floats_become_integers() {
    let (to_unsigned, to_signed) = (Op::ConvertFToU, Op::ConvertFToS);
    let double = f64::to_bits;
    // Where the number fits; where it does not, the nearest integer, but for those of 8 and 16 bits that of 32 bits,
    // modulo their range.
    check(to_unsigned, Float(32), Int(8), None, &[single(200.7)], 200);
    check(to_unsigned, Float(32), Int(8), None, &[single(300.0)], 44);
    let saturated = Some((Decoration::SaturatedConversion, 0));
    check(to_unsigned, Float(32), Int(8), saturated, &[single(300.0)], 255);
    check(to_unsigned, Float(32), Int(16), None, &[single(-3.0)], 0xfffd);
    check(to_unsigned, Float(64), Int(32), None, &[double(1e300)], 0xffff_ffff);
    check(to_unsigned, Float(32), Int(64), None, &[single(f32::INFINITY)], u64::MAX);
    check(to_unsigned, Float(16), Int(8), None, &[0x7bff], 224);
    check(to_signed, Float(64), Int(8), None, &[double(-5.7)], 0xfb);
    check(to_signed, Float(64), Int(8), None, &[double(-300.0)], 0xd4);
    check(to_signed, Float(64), Int(8), saturated, &[double(-300.0)], 0x80);
    check(to_signed, Float(32), Int(16), None, &[single(40_000.0)], 0x9c40);
    check(to_signed, Float(32), Int(32), None, &[single(f32::NAN)], 0);
    check(to_signed, Float(32), Int(64), None, &[single(-1e30)], 1 << 63);
    for (mode, expected) in [(0, 2), (1, 2), (2, 3), (3, 2)] {
        check(to_signed, Float(32), Int(32), Some((Decoration::FPRoundingMode, mode)), &[single(2.5)], expected);
    }
}

#[test]
fn conversions_of_constants_round_as_decorated() {
    let rounded = |mode| Some((Decoration::FPRoundingMode, mode));
    let tenth = 0.1f64.to_bits();
    let minus = 1 << 63;
    for (mode, up, down) in [(0, 0x2e66, 0xae66), (1, 0x2e66, 0xae66), (2, 0x2e67, 0xae66), (3, 0x2e66, 0xae67)] {
        check(Op::FConvert, Float(64), Float(16), rounded(mode), &[tenth], up);
        check(Op::FConvert, Float(64), Float(16), rounded(mode), &[tenth | minus], down);
    }
    for (mode, expected) in [(0, 0x7f80_0000), (1, 0x7f7f_ffff), (2, 0x7f80_0000), (3, 0x7f7f_ffff)] {
        check(Op::FConvert, Float(64), Float(32), rounded(mode), &[1e300f64.to_bits()], expected);
    }
    for (mode, expected) in [(0, 0x4b80_0000), (1, 0x4b80_0000), (2, 0x4b80_0001), (3, 0x4b80_0000)] {
        check(Op::ConvertUToF, Int(32), Float(32), rounded(mode), &[0x0100_0001], expected);
    }
    for (mode, expected) in [(0, 0x3f80_0000), (1, 0x3f80_0000), (2, 0x3f80_0001), (3, 0x3f80_0000)] {
        let args = [single(1.0), single(2f32.powi(-40))];
        check(Op::FAdd, Float(32), Float(32), rounded(mode), &args, expected);
    }
    for (mode, expected) in [(0, 0x3f80_0000), (1, 0x3f7f_ffff), (2, 0x3f80_0000), (3, 0x3f7f_ffff)] {
        let args = [single(-2f32.powi(-40)), single(1.0)];
        check(Op::FMod, Float(32), Float(32), rounded(mode), &args, expected);
    }
    // Through a single, this number would be rounded twice.
    let near_half = (1.0 + 2f64.powi(-11) + 2f64.powi(-40)).to_bits();
    check(Op::FConvert, Float(64), Float(16), None, &[near_half], 0x3c01);
    check(Op::FConvert, Float(32), Float(16), None, &[single(1e-7)], 2);
    check(Op::FConvert, Float(16), Float(64), None, &[0x8001], (-(2f64.powi(-24))).to_bits());
    check(Op::ConvertSToF, Int(64), Float(16), None, &[7u64.wrapping_neg()], 0xc700);
    check(Op::ConvertUToF, Int(64), Float(32), None, &[u64::MAX], 0x5f80_0000);
}

#[test]
fn conversions_of_constants_saturate_as_decorated() {
    let saturated = Some((Decoration::SaturatedConversion, 0));
    check(Op::UConvert, Int(32), Int(8), None, &[300], 44);
    check(Op::UConvert, Int(32), Int(8), saturated, &[300], 255);
    check(Op::SConvert, Int(32), Int(8), saturated, &[300], 127);
    check(Op::SConvert, Int(32), Int(8), saturated, &[(-300i32 as u32).into()], 0x80);
    check(Op::SConvert, Int(8), Int(64), saturated, &[0x80], (-128i64) as u64);
}

/// "If the magnitude of Value is too small to represent as a normalized 16-bit floating-point value, the result may be
/// either +0 or -0."
#[test]
fn quantized_to_halves() {
    let normal = 2f32.powi(-14);
    let below = f32::from_bits(normal.to_bits() - 1);
    let cases = [
        (1.000_1, 1.0),
        (1.000_9, 1.000_976_6),
        (-65_504.0, -65_504.0),
        (65_519.0, 65_504.0),
        (65_520.0, f32::INFINITY),
        (-1e30, f32::NEG_INFINITY),
        (f32::NEG_INFINITY, f32::NEG_INFINITY),
        (normal, normal),
        (-normal, -normal),
        (below, 0.0),
        (-below, -0.0),
        (2f32.powi(-15), 0.0),
        (1e-30, 0.0),
        (-f32::from_bits(1), -0.0),
        (-0.0, -0.0),
    ];
    for (v, expected) in cases {
        check(Op::QuantizeToF16, Float(32), Float(32), None, &[single(v)], single(expected));
    }
    let nan = both(Op::QuantizeToF16, Float(32), Float(32), None, &[single(f32::NAN)]);
    assert!(nan.iter().all(|&bits| f32::from_bits(bits as u32).is_nan()), "{nan:x?}");
}

#[test]
fn arithmetic_on_constants() {
    let half = |v: f32| u64::from(half::f16::from_f32(v).to_bits());
    for (op, expected) in
        [(Op::FAdd, -5.5f32), (Op::FSub, -9.5), (Op::FMul, -15.0), (Op::FDiv, -3.75), (Op::FRem, -1.5), (Op::FMod, 0.5)]
    {
        let (a, b) = (-7.5, 2.0);
        check(op, Float(32), Float(32), None, &[single(a), single(b)], single(expected));
        check(op, Float(16), Float(16), None, &[half(a), half(b)], half(expected));
        let doubles = [a, b].map(|v| f64::from(v).to_bits());
        check(op, Float(64), Float(64), None, &doubles, f64::from(expected).to_bits());
    }
    check(Op::FNegate, Float(64), Float(64), None, &[0], 1 << 63);
    check(Op::SMod, Int(32), Int(32), None, &[7u64.wrapping_neg() & 0xffff_ffff, 3], 2);
}

//! `llvm.is.fpclass`, as compilers import it, of each format, alone and in vectors.

use super::*;
use std::num::FpCategory;

/// Bits of LLVM's classes that a float of so many bits is in.
fn classes(width: u32, bits: u64) -> u32 {
    let (category, quiet) = match width {
        16 => (half::f16::from_bits(bits as u16).classify(), 9),
        32 => (f32::from_bits(bits as u32).classify(), 22),
        _ => (f64::from_bits(bits).classify(), 51),
    };
    let (negative, positive) = match category {
        FpCategory::Nan if bits >> quiet & 1 == 0 => (0, 0),
        FpCategory::Nan => (1, 1),
        FpCategory::Infinite => (2, 9),
        FpCategory::Normal => (3, 8),
        FpCategory::Subnormal => (4, 7),
        FpCategory::Zero => (5, 6),
    };
    1 << if bits >> (width - 1) == 1 { negative } else { positive }
}

/// A kernel that asks of each float in its four words whether it is of these classes: of one after the other, or of all
/// at once.
fn sample(width: u32, lanes: u32, classes: u32, at_once: bool) -> Sample {
    let [asked, func_ty, func, elem, vector, bools] = [90, 91, 92, 95, 96, 97];
    let (elem, name) = match width {
        16 => (HALF, "f16"),
        32 => (FLOAT, "f32"),
        _ => (elem, "f64"),
    };
    let name = if at_once { format!("llvm.is.fpclass.v{lanes}{name}") } else { format!("llvm.is.fpclass.{name}") };
    let (of, to) = if at_once { (vector, bools) } else { (elem, BOOL) };
    let mut declared = vec![inst(Op::TypeVector, &[vector, elem, lanes]), inst(Op::TypeVector, &[bools, BOOL, lanes])];
    if width == 64 {
        declared.insert(0, inst(Op::TypeFloat, &[elem, 64]));
    }
    declared.extend([
        inst(Op::Constant, &[UINT, asked, classes]),
        inst(Op::TypeFunction, &[func_ty, to, of, UINT]),
        inst(Op::Function, &[to, func, 0, func_ty]),
        inst(Op::FunctionParameter, &[of, 93]),
        inst(Op::FunctionParameter, &[UINT, 94]),
        inst(Op::FunctionEnd, &[]),
    ]);
    let mut body = vec![
        inst(Op::CompositeConstruct, &[UINT4, 200, WORD[0], WORD[1], WORD[2], WORD[3]]),
        inst(Op::Bitcast, &[vector, 201, 200]),
    ];
    if at_once {
        body.push(inst(Op::FunctionCall, &[bools, 202, func, 201, asked]));
    }
    for n in 0..lanes {
        body.extend(match at_once {
            true => vec![inst(Op::CompositeExtract, &[BOOL, 210 + n, 202, n])],
            false => vec![
                inst(Op::CompositeExtract, &[elem, 220 + n, 201, n]),
                inst(Op::FunctionCall, &[BOOL, 210 + n, func, 220 + n, asked]),
            ],
        });
        body.push(inst(Op::Select, &[UINT, FREE + n, 210 + n, NUMBER + 1, NUMBER]));
    }
    let link = [&[func, Decoration::LinkageAttributes as u32][..], &text(&name), &[1]].concat();
    Sample {
        capabilities: vec![Capability::Linkage, Capability::Float64, Capability::Vector16],
        notes: vec![inst(Op::Decorate, &link)],
        declared,
        body,
        results: (FREE..FREE + lanes).collect(),
        ..Sample::default()
    }
}

#[test]
fn classes_of_floats() {
    for (width, fraction) in [(16, 10), (32, 23), (64, 52)] {
        let (infinity, quiet) = ((1 << (width - 1)) - (1 << fraction), 1 << (fraction - 1));
        let sizes = [0, 1, (1 << fraction) - 1, 1 << fraction, infinity - 1, infinity, infinity + 1, infinity + quiet];
        let floats: Vec<u64> = sizes.iter().flat_map(|&size| [size, size | 1 << (width - 1)]).collect();
        let lanes = 128 / width;
        let rounds: Vec<&[u64]> = floats.chunks(lanes as usize).collect();
        let words = |floats: &&[u64]| {
            let bits = floats.iter().rev().fold(0u128, |bits, &float| bits << (width - 1) << 1 | u128::from(float));
            [0, 32, 64, 96].map(|at| (bits >> at) as u32)
        };
        let inputs: Vec<[u32; 4]> = rounds.iter().map(words).collect();
        for asked in (0..10).map(|bit| 1 << bit).chain([0, 0x204, 0x3ff, 0x198, 0x264]) {
            let expected = |floats: &&[u64]| -> Vec<u32> {
                floats.iter().map(|&float| u32::from(classes(width, float) & asked != 0)).collect()
            };
            let expected: Vec<Vec<u32>> = rounds.iter().map(expected).collect();
            for at_once in [false, true] {
                let got = sample(width, lanes, asked, at_once).run_each(&inputs);
                assert_eq!(got, expected, "{asked:x} of {width} bits, at once {at_once}");
            }
        }
    }
}

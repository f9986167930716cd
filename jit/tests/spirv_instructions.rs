//! Instructions of SPIR-V that no compiler at hand makes, or whose results are easily wrong, each in a kernel put
//! together by hand and run natively. Programs as compilers make them are the matter of `kernels-test/cases`.
#![allow(unsafe_code, reason = "runs generated code")]

#[path = "spirv/classes.rs"]
mod classes;
#[path = "spirv/constants.rs"]
mod constants;
#[path = "support/kernel.rs"]
mod kernel;
#[path = "spirv/untyped.rs"]
mod untyped;

use clift_jit::{build, build_il};
use kernel::{Buffer, Program};
use spirv::{Capability, Decoration, ExecutionMode, Op};
use std::sync::Arc;

// What each module begins with: types, constants, and four inputs as words and as floats.
const VOID: u32 = 1;
const UINT: u32 = 2;
const FLOAT: u32 = 3;
const BOOL: u32 = 4;
const ULONG: u32 = 5;
const USHORT: u32 = 6;
const UCHAR: u32 = 7;
const HALF: u32 = 8;
const GLOBAL_UINT: u32 = 9;
const KERNEL_TYPE: u32 = 10;
const UINT4: u32 = 11;
const UCHAR4: u32 = 12;
const KERNEL: u32 = 13;
const OUT: u32 = 14;
const IN: u32 = 15;
/// Constants 0 to 7 of `UINT` are `NUMBER + n`.
const NUMBER: u32 = 20;
const WORD: [u32; 4] = [30, 31, 32, 33];
const REAL: [u32; 4] = [40, 41, 42, 43];
/// Ids from here on are the test's.
const FREE: u32 = 100;

/// An instruction.
fn inst(op: Op, operands: &[u32]) -> Vec<u32> {
    let mut words = vec![(operands.len() as u32 + 1) << 16 | op as u32];
    words.extend(operands);
    words
}

/// A literal string.
fn text(string: &str) -> Vec<u32> {
    let mut bytes = string.as_bytes().to_vec();
    bytes.resize(string.len() + 4 - string.len() % 4, 0);
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four"))).collect()
}

/// A kernel that computes some words from four.
#[derive(Default)]
struct Sample {
    capabilities: Vec<Capability>,
    extensions: Vec<&'static str>,
    /// Execution modes and decorations.
    notes: Vec<Vec<u32>>,
    /// Types and constants.
    declared: Vec<Vec<u32>>,
    body: Vec<Vec<u32>>,
    /// Ids of the results, of type `UINT`.
    results: Vec<u32>,
}

impl Sample {
    fn words(&self) -> Vec<u32> {
        let mut words = vec![spirv::MAGIC_NUMBER, 0x0001_0600, 0, 400, 0];
        let mut add = |op: Op, operands: &[u32]| words.extend(inst(op, operands));
        let own = [Capability::Addresses, Capability::Kernel, Capability::Int64, Capability::Int16, Capability::Int8];
        let more = [Capability::Float16, Capability::Groups];
        for capability in own.iter().chain(&more).chain(&self.capabilities) {
            add(Op::Capability, &[*capability as u32]);
        }
        self.extensions.iter().for_each(|name| add(Op::Extension, &text(name)));
        add(Op::MemoryModel, &[2, 2]);
        add(Op::EntryPoint, &[[6, KERNEL].as_slice(), &text("k")].concat());
        words.extend(self.notes.iter().flatten());
        let mut add = |op: Op, operands: &[u32]| words.extend(inst(op, operands));
        add(Op::TypeVoid, &[VOID]);
        for (id, bits) in [(UINT, 32), (ULONG, 64), (USHORT, 16), (UCHAR, 8)] {
            add(Op::TypeInt, &[id, bits, 0]);
        }
        for (id, bits) in [(FLOAT, 32), (HALF, 16)] {
            add(Op::TypeFloat, &[id, bits]);
        }
        add(Op::TypeBool, &[BOOL]);
        add(Op::TypePointer, &[GLOBAL_UINT, 5, UINT]);
        add(Op::TypeFunction, &[KERNEL_TYPE, VOID, GLOBAL_UINT, GLOBAL_UINT]);
        add(Op::TypeVector, &[UINT4, UINT, 4]);
        add(Op::TypeVector, &[UCHAR4, UCHAR, 4]);
        (0..8).for_each(|n| add(Op::Constant, &[UINT, NUMBER + n, n]));
        words.extend(self.declared.iter().flatten());
        let mut add = |op: Op, operands: &[u32]| words.extend(inst(op, operands));
        add(Op::Function, &[VOID, KERNEL, 0, KERNEL_TYPE]);
        add(Op::FunctionParameter, &[GLOBAL_UINT, OUT]);
        add(Op::FunctionParameter, &[GLOBAL_UINT, IN]);
        add(Op::Label, &[16]);
        for n in 0..4 {
            let (at, number) = (50 + n, NUMBER + n);
            add(Op::InBoundsPtrAccessChain, &[GLOBAL_UINT, at, IN, number]);
            add(Op::Load, &[UINT, WORD[n as usize], at, 2, 4]);
            add(Op::Bitcast, &[FLOAT, REAL[n as usize], WORD[n as usize]]);
        }
        words.extend(self.body.iter().flatten());
        let mut add = |op: Op, operands: &[u32]| words.extend(inst(op, operands));
        for (n, &result) in (0..).zip(&self.results) {
            let at = 60 + n;
            add(Op::InBoundsPtrAccessChain, &[GLOBAL_UINT, at, OUT, NUMBER + n]);
            add(Op::Store, &[at, result, 2, 4]);
        }
        add(Op::Return, &[]);
        add(Op::FunctionEnd, &[]);
        words
    }

    fn bytes(&self) -> Vec<u8> {
        self.words().iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    fn build(&self) -> Arc<clift_jit::Program> {
        let built = build_il(&self.bytes(), &[], "");
        built.program.unwrap_or_else(|_| panic!("{}", built.log))
    }

    /// The log of a module that is refused.
    fn refused(&self) -> String {
        let built = build_il(&self.bytes(), &[], "");
        assert!(built.program.is_err(), "{:?}", self.body);
        built.log.to_string()
    }

    fn run(&self, inputs: [u32; 4]) -> Vec<u32> {
        self.run_each(&[inputs]).remove(0)
    }

    fn run_each(&self, inputs: &[[u32; 4]]) -> Vec<Vec<u32>> {
        let program = Program::from(self.build());
        let run = |inputs: &[u32; 4]| {
            let given: Vec<u8> = inputs.iter().flat_map(|word| word.to_le_bytes()).collect();
            let (mut out, mut given) = (Buffer::zeroed(4 * self.results.len()), Buffer::new(&given));
            program.run("k", 1, &mut [&mut out, &mut given]);
            out.words()
        };
        inputs.iter().map(run).collect()
    }
}

/// Runs a body whose results are the ids from `FREE` on.
fn run(body: &[Vec<u32>], n_results: u32, inputs: [u32; 4]) -> Vec<u32> {
    let results = (FREE..FREE + n_results).collect();
    Sample { body: body.to_vec(), results, ..Sample::default() }.run(inputs)
}

#[test]
fn integers() {
    let [a, b, c, _] = WORD;
    let body = [
        inst(Op::SMod, &[UINT, 100, a, b]),
        inst(Op::SRem, &[UINT, 101, a, b]),
        inst(Op::UMod, &[UINT, 102, a, b]),
        inst(Op::ShiftRightArithmetic, &[UINT, 103, a, NUMBER + 3]),
        inst(Op::BitReverse, &[UINT, 104, b]),
        inst(Op::BitFieldSExtract, &[UINT, 105, c, NUMBER + 4, NUMBER + 5]),
        inst(Op::BitFieldInsert, &[UINT, 106, a, b, NUMBER + 4, NUMBER + 3]),
    ];
    let minus_seven = 7u32.wrapping_neg();
    let expected = [2, minus_seven.wrapping_add(6), minus_seven % 3, minus_seven >> 3 | 7 << 29, 3 << 30, 0xffff_fff7];
    let got = run(&body, 7, [minus_seven, 3, 0x170, 0]);
    assert_eq!(got[..6], expected);
    assert_eq!(got[6], minus_seven & !0x70 | 3 << 4);
}

#[test]
fn results_of_two_words() {
    let [a, b, ..] = WORD;
    let pair = 90;
    let mut body = vec![
        inst(Op::IAddCarry, &[pair, 200, a, b]),
        inst(Op::ISubBorrow, &[pair, 201, b, a]),
        inst(Op::UMulExtended, &[pair, 202, a, b]),
        inst(Op::SMulExtended, &[pair, 203, a, b]),
    ];
    for n in 0..4 {
        body.push(inst(Op::CompositeExtract, &[UINT, FREE + 2 * n, 200 + n, 0]));
        body.push(inst(Op::CompositeExtract, &[UINT, FREE + 2 * n + 1, 200 + n, 1]));
    }
    let declared = vec![inst(Op::TypeStruct, &[pair, UINT, UINT])];
    let sample = Sample { declared, body, results: (FREE..FREE + 8).collect(), ..Sample::default() };
    let got = sample.run([0xffff_fffe, 5, 0, 0]);
    assert_eq!(got, [3, 1, 7, 1, 0xffff_fff6, 4, 0xffff_fff6, 0xffff_ffff]);
}

#[test]
fn rounding_decorations_and_modes() {
    let [x, y, ..] = REAL;
    let sum = |id| inst(Op::FAdd, &[FLOAT, id, x, y]);
    let decorate = |id, mode| inst(Op::Decorate, &[id, Decoration::FPRoundingMode as u32, mode]);
    let bits = |n: u32| inst(Op::Bitcast, &[UINT, FREE + n, 200 + n]);
    let inputs = [1f32.to_bits(), 2f32.powi(-30).to_bits(), 0, 0];
    let body = (0..4).flat_map(|n| [sum(200 + n), bits(n)]).collect();
    let notes = (0..4).map(|n| decorate(200 + n, n)).collect();
    let sample = Sample { notes, body, results: (FREE..FREE + 4).collect(), ..Sample::default() };
    let one = 1f32.to_bits();
    assert_eq!(sample.run(inputs), [one, one, one + 1, one]);

    let zero = Sample {
        capabilities: vec![Capability::RoundingModeRTZ],
        extensions: vec!["SPV_KHR_float_controls"],
        notes: vec![inst(Op::ExecutionMode, &[KERNEL, ExecutionMode::RoundingModeRTZ as u32, 32])],
        body: vec![inst(Op::FSub, &[FLOAT, 200, x, y]), bits(0)],
        results: vec![FREE],
        ..Sample::default()
    };
    assert_eq!(zero.run(inputs), [one - 1]);
}

#[test]
fn contraction_is_what_the_module_permits() {
    let [x, y, z, _] = REAL;
    let inputs = [1.000_000_1f32, 1.000_000_1, -1.000_000_2, 0.0].map(f32::to_bits);
    let [a, b, c, _] = inputs.map(f32::from_bits);
    let body = || {
        vec![
            inst(Op::FMul, &[FLOAT, 200, x, y]),
            inst(Op::FAdd, &[FLOAT, 201, 200, z]),
            inst(Op::Bitcast, &[UINT, FREE, 201]),
        ]
    };
    let fused = if clift_jit::features::has_fast_fma() { a.mul_add(b, c) } else { a * b + c };
    assert_ne!(a.mul_add(b, c).to_bits(), (a * b + c).to_bits());
    let plain = Sample { body: body(), results: vec![FREE], ..Sample::default() };
    assert_eq!(plain.run(inputs), [fused.to_bits()]);
    let off = vec![inst(Op::ExecutionMode, &[KERNEL, ExecutionMode::ContractionOff as u32])];
    let exact = Sample { notes: off, body: body(), results: vec![FREE], ..Sample::default() };
    assert_eq!(exact.run(inputs), [(a * b + c).to_bits()]);
    // A default for singles that permits nothing, and one that permits contraction.
    for (permitted, expected) in [(0, a * b + c), (0x1_0000, fused)] {
        let mode = ExecutionMode::FPFastMathDefault as u32;
        let sample = Sample {
            capabilities: vec![Capability::FloatControls2],
            extensions: vec!["SPV_KHR_float_controls2"],
            notes: vec![inst(Op::ExecutionModeId, &[KERNEL, mode, FLOAT, 91])],
            declared: vec![inst(Op::Constant, &[UINT, 91, permitted])],
            body: body(),
            results: vec![FREE],
        };
        assert_eq!(sample.run(inputs), [expected.to_bits()]);
    }
}

#[test]
fn one_rounding_of_a_product_and_a_sum() {
    let [x, y, z, _] = REAL;
    let inputs = [1.000_000_1f32, 1.000_000_1, -1.000_000_2, 0.0].map(f32::to_bits);
    let [a, b, c, _] = inputs.map(f32::from_bits);
    let sample = Sample {
        capabilities: vec![Capability::FMAKHR],
        extensions: vec!["SPV_KHR_fma"],
        body: vec![inst(Op::FmaKHR, &[FLOAT, 200, x, y, z]), inst(Op::Bitcast, &[UINT, FREE, 200])],
        results: vec![FREE],
        ..Sample::default()
    };
    assert_eq!(sample.run(inputs), [a.mul_add(b, c).to_bits()]);
}

#[test]
fn more_functions_of_integers() {
    let [a, b, ..] = WORD;
    let sample = Sample {
        capabilities: vec![Capability::IntegerFunctions2INTEL],
        extensions: vec!["SPV_INTEL_shader_integer_functions2"],
        body: vec![
            inst(Op::UConvert, &[USHORT, 200, b]),
            inst(Op::IMul32x16INTEL, &[UINT, 100, a, 200]),
            inst(Op::UMul32x16INTEL, &[UINT, 101, a, 200]),
            inst(Op::UCountLeadingZerosINTEL, &[UINT, 102, a]),
            inst(Op::AbsUSubINTEL, &[UINT, 103, a, b]),
            inst(Op::UAverageRoundedINTEL, &[UINT, 104, a, b]),
            inst(Op::USubSatINTEL, &[UINT, 105, a, b]),
            inst(Op::IAddSatINTEL, &[UINT, 106, b, b]),
        ],
        results: (FREE..FREE + 7).collect(),
        ..Sample::default()
    };
    let b = 0x7fff_ffff;
    let expected = [9u32.wrapping_neg(), 9 * 0xffff, 28, b - 9, 0x4000_0004, 0, b];
    assert_eq!(sample.run([9, b, 0, 0]), expected);
}

#[test]
fn dot_products() {
    let [a, b, c, _] = WORD;
    let sample = Sample {
        capabilities: vec![
            Capability::DotProduct,
            Capability::DotProductInput4x8Bit,
            Capability::DotProductInput4x8BitPacked,
            Capability::DotProductInputAll,
        ],
        extensions: vec!["SPV_KHR_integer_dot_product"],
        body: vec![
            inst(Op::SDot, &[UINT, 100, a, b, 0]),
            inst(Op::UDot, &[UINT, 101, a, b, 0]),
            inst(Op::SUDot, &[UINT, 102, a, b, 0]),
            inst(Op::SDotAccSat, &[UINT, 103, a, b, c, 0]),
            inst(Op::CompositeConstruct, &[UINT4, 200, a, b, c, c]),
            inst(Op::UDot, &[UINT, 104, 200, 200]),
        ],
        results: (FREE..FREE + 5).collect(),
        ..Sample::default()
    };
    // Bytes -1, 2, 3, 4 by 5, -6, 7, 8.
    let (x, y) = (0x0403_02ff, 0x0807_fa05);
    let square = |v: u32| v.wrapping_mul(v);
    let squares = square(x).wrapping_add(square(y)).wrapping_add(square(0x7fff_fff0)).wrapping_add(square(0x7fff_fff0));
    let unsigned = 255 * 5 + 2 * 250 + 21 + 32;
    let mixed = -5 + 500 + 21 + 32;
    let signed = -5 - 12 + 21 + 32;
    assert_eq!(sample.run([x, y, 0x7fff_fff0, 0]), [signed as u32, unsigned, mixed as u32, 0x7fff_ffff, squares]);
}

#[test]
fn atomics_of_floats() {
    let [x, y, ..] = REAL;
    let float_pointer = 90;
    let (device, relaxed) = (NUMBER + 1, NUMBER);
    let update = |op, id, value| inst(op, &[FLOAT, id, 200, device, relaxed, value]);
    let sample = Sample {
        capabilities: vec![Capability::AtomicFloat32AddEXT, Capability::AtomicFloat32MinMaxEXT],
        extensions: vec!["SPV_EXT_shader_atomic_float_add", "SPV_EXT_shader_atomic_float_min_max"],
        declared: vec![inst(Op::TypePointer, &[float_pointer, 5, FLOAT])],
        body: vec![
            inst(Op::Bitcast, &[float_pointer, 200, IN]),
            update(Op::AtomicFAddEXT, 201, y),
            update(Op::AtomicFMinEXT, 202, y),
            update(Op::AtomicFMaxEXT, 203, x),
            update(Op::AtomicExchange, 204, y),
            inst(Op::Bitcast, &[UINT, 100, 201]),
            inst(Op::Bitcast, &[UINT, 101, 202]),
            inst(Op::Bitcast, &[UINT, 102, 203]),
            inst(Op::Bitcast, &[UINT, 103, 204]),
        ],
        results: (FREE..FREE + 4).collect(),
        ..Sample::default()
    };
    let inputs = [1.5f32, 2.0, 0.0, 0.0].map(f32::to_bits);
    assert_eq!(sample.run(inputs), [1.5f32, 3.5, 2.0, 2.0].map(f32::to_bits));
}

#[test]
fn groups_and_clocks() {
    let (group, sub_group, reduce) = (NUMBER + 2, NUMBER + 3, 0);
    let sample = Sample {
        capabilities: vec![
            Capability::GroupUniformArithmeticKHR,
            Capability::SplitBarrierINTEL,
            Capability::ShaderClockKHR,
            Capability::ExpectAssumeKHR,
        ],
        extensions: vec![
            "SPV_KHR_uniform_group_instructions",
            "SPV_INTEL_split_barrier",
            "SPV_KHR_shader_clock",
            "SPV_KHR_expect_assume",
        ],
        body: vec![
            inst(Op::ReadClockKHR, &[ULONG, 200, NUMBER + 1]),
            inst(Op::GroupIMulKHR, &[UINT, 100, group, reduce, WORD[0]]),
            inst(Op::GroupBitwiseXorKHR, &[UINT, 101, sub_group, reduce, WORD[1]]),
            inst(Op::ControlBarrierArriveINTEL, &[group, group, NUMBER]),
            inst(Op::ControlBarrierWaitINTEL, &[group, group, NUMBER]),
            inst(Op::ReadClockKHR, &[ULONG, 201, NUMBER + 1]),
            inst(Op::UGreaterThanEqual, &[BOOL, 202, 201, 200]),
            inst(Op::AssumeTrueKHR, &[202]),
            inst(Op::ExpectKHR, &[BOOL, 203, 202, 202]),
            inst(Op::Select, &[UINT, 102, 203, NUMBER + 1, NUMBER]),
        ],
        results: vec![100, 101, 102],
        ..Sample::default()
    };
    assert_eq!(sample.run([6, 7, 0, 0]), [6, 7, 1]);
}

/// Two structs change places in each turn of a loop.
#[test]
fn structs_as_phis() {
    let pair = 90;
    let [head, body, exit] = [300, 301, 302];
    let sample = Sample {
        declared: vec![inst(Op::TypeStruct, &[pair, UINT, UINT])],
        body: vec![
            inst(Op::CompositeConstruct, &[pair, 200, WORD[0], WORD[1]]),
            inst(Op::CompositeConstruct, &[pair, 201, WORD[2], WORD[0]]),
            inst(Op::Branch, &[head]),
            inst(Op::Label, &[head]),
            inst(Op::Phi, &[pair, 202, 200, 16, 203, body]),
            inst(Op::Phi, &[pair, 203, 201, 16, 202, body]),
            inst(Op::Phi, &[UINT, 204, NUMBER, 16, 205, body]),
            inst(Op::ULessThan, &[BOOL, 206, 204, WORD[3]]),
            inst(Op::BranchConditional, &[206, body, exit]),
            inst(Op::Label, &[body]),
            inst(Op::IAdd, &[UINT, 205, 204, NUMBER + 1]),
            inst(Op::Branch, &[head]),
            inst(Op::Label, &[exit]),
            inst(Op::IEqual, &[BOOL, 207, 204, NUMBER]),
            inst(Op::Select, &[pair, 208, 207, 203, 202]),
            inst(Op::CompositeInsert, &[pair, 209, NUMBER + 7, 203, 1]),
            inst(Op::CompositeExtract, &[UINT, 100, 202, 0]),
            inst(Op::CompositeExtract, &[UINT, 101, 202, 1]),
            inst(Op::CompositeExtract, &[UINT, 102, 203, 0]),
            inst(Op::CompositeExtract, &[UINT, 103, 208, 1]),
            inst(Op::CompositeExtract, &[UINT, 104, 209, 1]),
        ],
        results: (FREE..FREE + 5).collect(),
        ..Sample::default()
    };
    assert_eq!(sample.run([1, 2, 3, 0]), [1, 2, 3, 1, 7]);
    assert_eq!(sample.run([1, 2, 3, 1]), [3, 1, 1, 1, 7]);
    assert_eq!(sample.run([1, 2, 3, 4]), [1, 2, 3, 2, 7]);
}

#[test]
fn constants_are_computed() {
    let op = |id, what: Op, args: &[u32]| inst(Op::SpecConstantOp, &[&[UINT, id, what as u32], args].concat());
    let declared = vec![
        inst(Op::SpecConstant, &[UINT, 90, 40]),
        inst(Op::SpecConstantTrue, &[BOOL, 91]),
        op(92, Op::IMul, &[90, NUMBER + 3]),
        op(93, Op::Select, &[91, 92, NUMBER]),
        op(94, Op::SDiv, &[93, NUMBER + 7]),
        inst(Op::TypeArray, &[95, UINT, 94]),
        inst(Op::TypePointer, &[96, 7, 95]),
        inst(Op::TypePointer, &[97, 7, UINT]),
    ];
    let body = vec![
        inst(Op::Variable, &[96, 200, 7]),
        inst(Op::InBoundsAccessChain, &[97, 201, 200, WORD[0]]),
        inst(Op::Store, &[201, WORD[1]]),
        inst(Op::Load, &[UINT, 100, 201]),
        inst(Op::IAdd, &[UINT, 101, 94, NUMBER]),
    ];
    let notes = vec![inst(Op::Decorate, &[90, 1, 5])];
    let sample = Sample { notes, declared, body, results: vec![100, 101], ..Sample::default() };
    assert_eq!(sample.run([16, 99, 0, 0]), [99, 17]);
    let bytes = sample.bytes();
    assert_eq!(clift_jit::spirv::check(&bytes).expect("a module").spec_constants(), [(5, 4)]);
    let swapped: Vec<u8> = sample.words().iter().flat_map(|word| word.to_be_bytes()).collect();
    assert!(build_il(&swapped, &[(5, vec![14, 0, 0, 0])], "").program.is_ok(), "the other byte order");
    let negative = build_il(&bytes, &[(5, vec![0xf2, 0xff, 0xff, 0xff])], "");
    assert!(negative.program.is_err() && negative.log.contains("too large"), "{}", negative.log);
}

#[test]
fn arguments_lie_as_in_opencl_c() {
    let (sampler, signature, kernel) = (FREE, FREE + 1, FREE + 2);
    let sample = Sample {
        notes: vec![
            inst(Op::EntryPoint, &[[6, kernel].as_slice(), &text("s")].concat()),
            inst(Op::ExecutionMode, &[kernel, ExecutionMode::LocalSize as u32, 4, 2, 1]),
        ],
        declared: vec![
            inst(Op::TypeSampler, &[sampler]),
            inst(Op::TypeFunction, &[signature, VOID, sampler, UINT, sampler]),
        ],
        // The first kernel ends here, and this one where the first one would.
        body: vec![
            inst(Op::Return, &[]),
            inst(Op::FunctionEnd, &[]),
            inst(Op::Function, &[VOID, kernel, 0, signature]),
            inst(Op::FunctionParameter, &[sampler, FREE + 3]),
            inst(Op::FunctionParameter, &[UINT, FREE + 4]),
            inst(Op::FunctionParameter, &[sampler, FREE + 5]),
            inst(Op::Label, &[FREE + 6]),
        ],
        ..Sample::default()
    };
    let places = |program: &clift_jit::Program| {
        let kernel = program.kernels().iter().find(|kernel| kernel.name == "s").expect("it is in both");
        (kernel.args.iter().map(|arg| (arg.offset, arg.size)).collect::<Vec<_>>(), kernel.arg_block_bytes)
    };
    let source = build(b"kernel void s(sampler_t a, uint b, sampler_t c) {}", "", &[]).program.expect("it builds");
    let program = sample.build();
    assert_eq!(places(&program), places(&source));
    // "For kernels not created from OpenCL C source [...] the string returned from this query will be empty."
    let kernel = program.kernels().iter().find(|kernel| kernel.name == "s").expect("it is in the module");
    assert_eq!((kernel.reqd_work_group_size, kernel.attributes.as_str()), (Some([4, 2, 1]), ""));
}

/// Declares `VAR`, an array of two words in global memory.
fn words_in_global_memory(more: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let (array, pointer, value) = (FREE + 10, FREE + 11, FREE + 12);
    let mut declared = vec![
        inst(Op::TypeArray, &[array, UINT, NUMBER + 2]),
        inst(Op::TypePointer, &[pointer, 5, array]),
        inst(Op::ConstantComposite, &[array, value, NUMBER + 5, NUMBER + 7]),
        inst(Op::Variable, &[pointer, VAR, 5, value]),
    ];
    declared.extend_from_slice(more);
    declared
}
const VAR: u32 = FREE + 13;

#[test]
fn distances_in_bytes_as_indices_of_arrays() {
    let (bytes, four, place) = (FREE + 20, FREE + 21, FREE + 22);
    let declared = words_in_global_memory(&[
        inst(Op::TypePointer, &[bytes, 5, UCHAR]),
        inst(Op::Constant, &[ULONG, four, 4, 0]),
        inst(Op::SpecConstantOp, &[bytes, place, Op::InBoundsPtrAccessChain as u32, VAR, NUMBER, four]),
    ]);
    let body = vec![inst(Op::Bitcast, &[GLOBAL_UINT, FREE + 1, place]), inst(Op::Load, &[UINT, FREE, FREE + 1, 2, 4])];
    let sample = Sample { declared, body, results: vec![FREE], ..Sample::default() };
    assert_eq!(sample.run([0; 4]), [7]);
}

#[test]
fn groups_do_not_copy_arrays() {
    let (event, none) = (FREE + 20, FREE + 21);
    let declared = words_in_global_memory(&[inst(Op::TypeEvent, &[event]), inst(Op::ConstantNull, &[event, none])]);
    let copy = [event, FREE, NUMBER + 2, VAR, VAR, NUMBER + 1, NUMBER + 1, none];
    let sample = Sample { declared, body: vec![inst(Op::GroupAsyncCopy, &copy)], ..Sample::default() };
    let log = sample.refused();
    assert!(log.contains("groups copy numbers or vectors"), "{log}");
}

/// Strides count elements, also where they are not constant.
#[test]
fn groups_copy_every_so_many_elements() {
    let [event, none, events, block, local_uint, local_block, two, tile] = [120, 121, 122, 123, 124, 125, 126, 127];
    let copy = [event, 204, NUMBER + 2, 203, IN, two, 202, none];
    let sample = Sample {
        declared: vec![
            inst(Op::TypeEvent, &[event]),
            inst(Op::ConstantNull, &[event, none]),
            inst(Op::TypePointer, &[events, 7, event]),
            inst(Op::TypeArray, &[block, UINT, NUMBER + 2]),
            inst(Op::TypePointer, &[local_uint, 4, UINT]),
            inst(Op::TypePointer, &[local_block, 4, block]),
            inst(Op::Constant, &[ULONG, two, 2, 0]),
            inst(Op::Variable, &[local_block, tile, 4]),
        ],
        body: vec![
            inst(Op::Variable, &[events, 201, 7]),
            inst(Op::UConvert, &[ULONG, 202, WORD[3]]),
            inst(Op::InBoundsAccessChain, &[local_uint, 203, tile, NUMBER]),
            inst(Op::GroupAsyncCopy, &copy),
            inst(Op::Store, &[201, 204]),
            inst(Op::GroupWaitEvents, &[NUMBER + 2, NUMBER + 1, 201]),
            inst(Op::Load, &[UINT, 100, 203]),
            inst(Op::InBoundsAccessChain, &[local_uint, 205, tile, NUMBER + 1]),
            inst(Op::Load, &[UINT, 101, 205]),
        ],
        results: vec![100, 101],
        ..Sample::default()
    };
    assert_eq!(sample.run_each(&[[10, 20, 30, 1], [10, 20, 30, 2]]), [[10, 20], [10, 30]]);
}

/// A fence between a product and a sum keeps them apart, also where other functions stand between.
#[test]
fn fences_keep_products_and_sums_apart() {
    let [x, y, z, _] = REAL;
    let inputs = [1.000_000_1f32, 1.000_000_1, -1.000_000_2, 0.0].map(f32::to_bits);
    let [a, b, c, _] = inputs.map(f32::from_bits);
    let sample = Sample {
        capabilities: vec![Capability::ArithmeticFenceEXT],
        extensions: vec!["SPV_EXT_arithmetic_fence"],
        declared: vec![inst(Op::TypePointer, &[90, 7, FLOAT])],
        body: vec![
            inst(Op::Variable, &[90, 198, 7]),
            inst(Op::FMul, &[FLOAT, 199, x, y]),
            inst(Op::Store, &[198, 199]),
            inst(Op::Load, &[FLOAT, 200, 198]),
            inst(Op::ArithmeticFenceEXT, &[FLOAT, 201, 200]),
            inst(Op::ArithmeticFenceEXT, &[FLOAT, 202, 201]),
            inst(Op::Store, &[198, 202]),
            inst(Op::Load, &[FLOAT, 203, 198]),
            inst(Op::FAdd, &[FLOAT, 204, 203, z]),
            inst(Op::Bitcast, &[UINT, FREE, 204]),
        ],
        results: vec![FREE],
        ..Sample::default()
    };
    assert_eq!(sample.run(inputs), [(a * b + c).to_bits()]);
}

/// The upper half of a single, rounded to nearest even by arithmetic on numbers that double precision holds.
fn bfloat16(v: f32) -> u16 {
    let bits = v.to_bits();
    let [below, above] = [bits >> 16, (bits >> 16) + 1].map(|upper| f64::from(f32::from_bits(upper << 16)));
    if v.is_nan() {
        return (bits >> 16) as u16 | 0x40;
    }
    // Above the largest number is what would follow it.
    let above = if above.is_infinite() { 2f64.powi(128) * f64::from(v.signum()) } else { above };
    let [low, high] = [below, above].map(|end| (end - f64::from(v)).abs());
    let up = if low == high { bits >> 16 & 1 == 1 } else { high < low };
    (bits >> 16) as u16 + u16::from(up && v.is_finite())
}

#[test]
fn bfloat16_conversions() {
    let float2 = 90;
    let ushort2 = 91;
    let sample = Sample {
        capabilities: vec![Capability::BFloat16ConversionINTEL],
        extensions: vec!["SPV_INTEL_bfloat16_conversion"],
        declared: vec![inst(Op::TypeVector, &[float2, FLOAT, 2]), inst(Op::TypeVector, &[ushort2, USHORT, 2])],
        body: vec![
            inst(Op::ConvertFToBF16INTEL, &[USHORT, 200, REAL[0]]),
            inst(Op::UConvert, &[UINT, 100, 200]),
            inst(Op::CompositeConstruct, &[float2, 201, REAL[1], REAL[2]]),
            inst(Op::ConvertFToBF16INTEL, &[ushort2, 202, 201]),
            inst(Op::Bitcast, &[UINT, 101, 202]),
            inst(Op::UConvert, &[USHORT, 203, WORD[3]]),
            inst(Op::ConvertBF16ToFINTEL, &[FLOAT, 204, 203]),
            inst(Op::Bitcast, &[UINT, 102, 204]),
        ],
        results: vec![100, 101, 102],
        ..Sample::default()
    };
    let words = [
        0,
        1 << 31,
        0x3f80_0000,
        0x3f80_8000,
        0x3f81_8000,
        0x3f80_8001,
        0x3f80_7fff,
        0x7f7f_ffff,
        0xff7f_ffff,
        0x7f80_0000,
        0xff80_0000,
        0x7f80_0001,
        0xff81_0000,
        0x7fff_ffff,
        1,
        0x8000,
        0x8001,
        0x0001_8000,
        0x007f_ffff,
        0x7f7f_7fff,
    ];
    for pair in words.windows(3) {
        let [a, b, c] = [0, 1, 2].map(|n| u32::from(bfloat16(f32::from_bits(pair[n]))));
        let got = sample.run([pair[0], pair[1], pair[2], pair[0] >> 16]);
        assert_eq!(got, [a, b | c << 16, pair[0] >> 16 << 16], "{pair:x?}");
    }
}

#[test]
fn composites_that_are_constant() {
    let [pair, row, nest, vector, float2] = [90, 91, 92, 93, 94];
    let op = |ty, id, what: Op, args: &[u32]| inst(Op::SpecConstantOp, &[&[ty, id, what as u32], args].concat());
    let float = |id, v: f32| inst(Op::Constant, &[FLOAT, id, v.to_bits()]);
    let declared = vec![
        inst(Op::TypeStruct, &[pair, UINT, UINT4]),
        inst(Op::TypeArray, &[row, pair, NUMBER + 3]),
        inst(Op::TypeStruct, &[nest, UINT, row]),
        inst(Op::TypeVector, &[vector, UINT, 2]),
        inst(Op::TypeVector, &[float2, FLOAT, 2]),
        inst(Op::ConstantNull, &[nest, 110]),
        op(nest, 111, Op::CompositeInsert, &[NUMBER + 5, 110, 1, 2, 1, 3]),
        op(nest, 112, Op::CompositeInsert, &[NUMBER + 6, 111, 0]),
        op(UINT, 113, Op::CompositeExtract, &[112, 1, 2, 1, 3]),
        op(UINT4, 114, Op::CompositeExtract, &[110, 1, 1, 1]),
        inst(Op::ConstantCompositeReplicateEXT, &[UINT4, 115, NUMBER + 7]),
        inst(Op::ConstantComposite, &[pair, 116, NUMBER + 1, 115]),
        inst(Op::SpecConstantCompositeReplicateEXT, &[row, 117, 116]),
        op(row, 118, Op::CompositeInsert, &[NUMBER + 2, 117, 1, 0]),
        float(120, -7.5),
        float(121, 2.0),
        op(FLOAT, 122, Op::FRem, &[120, 121]),
        op(FLOAT, 123, Op::FMod, &[120, 121]),
        float(124, 1.000_1),
        op(FLOAT, 125, Op::QuantizeToF16, &[124]),
    ];
    let body = vec![
        inst(Op::CompositeExtract, &[UINT, 300, 112, 1, 2, 1, 3]),
        inst(Op::CompositeExtract, &[UINT, 301, 112, 0]),
        inst(Op::CompositeExtract, &[UINT, 302, 114, 2]),
        inst(Op::CompositeExtract, &[UINT, 303, 117, 2, 1, 3]),
        inst(Op::CompositeExtract, &[UINT, 304, 118, 1, 0]),
        inst(Op::CompositeExtract, &[UINT, 305, 118, 2, 0]),
        inst(Op::CompositeConstructReplicateEXT, &[row, 200, 116]),
        inst(Op::CompositeExtract, &[UINT, 306, 200, 2, 1, 1]),
        inst(Op::CompositeConstructReplicateEXT, &[vector, 201, WORD[0]]),
        inst(Op::Bitcast, &[ULONG, 202, 201]),
        inst(Op::UConvert, &[UINT, 203, 202]),
        inst(Op::IAdd, &[UINT, 307, 203, 113]),
    ];
    let mut sample = Sample {
        capabilities: vec![Capability::ReplicatedCompositesEXT],
        extensions: vec!["SPV_EXT_replicated_composites"],
        declared,
        body,
        results: (300..308).collect(),
        ..Sample::default()
    };
    assert_eq!(sample.run([40, 0, 0, 0]), [5, 6, 0, 7, 2, 1, 7, 45]);
    sample.body = vec![
        inst(Op::Bitcast, &[UINT, 300, 122]),
        inst(Op::Bitcast, &[UINT, 301, 123]),
        inst(Op::Bitcast, &[UINT, 302, 125]),
    ];
    sample.results = vec![300, 301, 302];
    assert_eq!(sample.run([0; 4]), [-1.5f32, 0.5, 1.0].map(f32::to_bits));
}

/// Addresses as numbers, and copies of structs whose parts lie elsewhere.
#[test]
fn addresses_and_layouts() {
    let [packed, plain, rows, packed_rows] = [90, 91, 92, 93];
    let op = |ty, id, what: Op, args: &[u32]| inst(Op::SpecConstantOp, &[&[ty, id, what as u32], args].concat());
    let sample = Sample {
        notes: vec![inst(Op::Decorate, &[packed, Decoration::CPacked as u32])],
        declared: vec![
            inst(Op::TypeStruct, &[packed, UCHAR, UINT]),
            inst(Op::TypeStruct, &[plain, UCHAR, UINT]),
            inst(Op::TypeArray, &[rows, plain, NUMBER + 2]),
            inst(Op::TypeArray, &[packed_rows, packed, NUMBER + 2]),
            inst(Op::Variable, &[GLOBAL_UINT, 94, 5, NUMBER + 6]),
            op(ULONG, 95, Op::ConvertPtrToU, &[94]),
        ],
        body: vec![
            inst(Op::ConvertUToPtr, &[GLOBAL_UINT, 200, 95]),
            inst(Op::Load, &[UINT, 300, 200]),
            inst(Op::ConvertPtrToU, &[ULONG, 201, 94]),
            inst(Op::IEqual, &[BOOL, 202, 201, 95]),
            inst(Op::Select, &[UINT, 301, 202, NUMBER + 1, NUMBER]),
            inst(Op::UConvert, &[UCHAR, 203, WORD[0]]),
            inst(Op::CompositeConstruct, &[plain, 204, 203, WORD[1]]),
            inst(Op::CompositeConstruct, &[plain, 205, 203, WORD[2]]),
            inst(Op::CompositeConstruct, &[rows, 206, 204, 205]),
            inst(Op::CopyLogical, &[packed_rows, 207, 206]),
            inst(Op::CopyLogical, &[rows, 208, 207]),
            inst(Op::CompositeExtract, &[UINT, 302, 207, 1, 1]),
            inst(Op::CompositeExtract, &[UINT, 303, 208, 0, 1]),
            inst(Op::CompositeExtract, &[UCHAR, 209, 208, 1, 0]),
            inst(Op::UConvert, &[UINT, 304, 209]),
        ],
        results: (300..305).collect(),
        ..Sample::default()
    };
    assert_eq!(sample.run([0x105, 8, 9, 0]), [6, 1, 9, 8, 5]);
}

//! Pointers that do not say what they point to. Spec: SPV_KHR_untyped_pointers.

use super::*;
use clift_jit::ir;

const POINTER: u32 = 90;
const LOCAL: u32 = 91;
const PAIR: u32 = 92;
const VARIABLE: u32 = 96;

/// A module with untyped pointers to global and to local memory, and a pair of a word and four.
fn sample(declared: &[Vec<u32>], body: Vec<Vec<u32>>, results: std::ops::Range<u32>) -> Sample {
    let own = [
        inst(Op::TypeUntypedPointerKHR, &[POINTER, 5]),
        inst(Op::TypeUntypedPointerKHR, &[LOCAL, 4]),
        inst(Op::TypeStruct, &[PAIR, UINT, UINT4]),
    ];
    Sample {
        capabilities: vec![Capability::UntypedPointersKHR],
        extensions: vec!["SPV_KHR_untyped_pointers"],
        declared: own.iter().chain(declared).cloned().collect(),
        body,
        results: results.collect(),
        ..Sample::default()
    }
}

#[test]
fn untyped_pointers() {
    let [pointer, private, pair, std, float2] = [90, 91, 92, 93, 94];
    let std_call = |ty, id, number, args: &[u32]| inst(Op::ExtInst, &[&[ty, id, std, number], args].concat());
    let sample = Sample {
        capabilities: vec![Capability::UntypedPointersKHR],
        extensions: vec!["SPV_KHR_untyped_pointers"],
        declared: vec![
            inst(Op::ExtInstImport, &[&[std][..], &text("OpenCL.std")].concat()),
            inst(Op::TypeUntypedPointerKHR, &[pointer, 5]),
            inst(Op::TypeUntypedPointerKHR, &[private, 7]),
            inst(Op::TypeStruct, &[pair, UINT, UINT4]),
            inst(Op::TypeVector, &[float2, FLOAT, 2]),
            inst(Op::ConstantNull, &[pair, 95]),
            inst(Op::UntypedVariableKHR, &[pointer, 96, 5, pair, 95]),
        ],
        body: vec![
            inst(Op::UntypedVariableKHR, &[private, 200, 7, float2]),
            inst(Op::Bitcast, &[pointer, 201, IN]),
            inst(Op::UntypedPtrAccessChainKHR, &[pointer, 202, UINT, 201, NUMBER + 2]),
            inst(Op::UntypedPrefetchKHR, &[202, NUMBER + 4]),
            inst(Op::Load, &[UINT, 300, 202]),
            inst(Op::UntypedAccessChainKHR, &[pointer, 203, pair, 96, NUMBER + 1, NUMBER + 3]),
            inst(Op::Store, &[203, WORD[1]]),
            inst(Op::UntypedInBoundsAccessChainKHR, &[pointer, 204, UINT4, 203]),
            inst(Op::Load, &[UINT, 301, 204]),
            // sincos of a vector of two writes two floats.
            inst(Op::CompositeConstruct, &[float2, 205, REAL[3], REAL[0]]),
            std_call(float2, 206, 58, &[205, 200]),
            inst(Op::Load, &[float2, 207, 200]),
            inst(Op::CompositeExtract, &[FLOAT, 208, 207, 0]),
            inst(Op::CompositeExtract, &[FLOAT, 209, 207, 1]),
            inst(Op::Bitcast, &[UINT, 302, 208]),
            inst(Op::Bitcast, &[UINT, 303, 209]),
            std_call(UINT4, 210, 171, &[NUMBER, 201, 4]),
            inst(Op::CompositeExtract, &[UINT, 304, 210, 1]),
            inst(Op::CopyMemorySized, &[203, 202, NUMBER + 4]),
            inst(Op::Load, &[UINT, 305, 203]),
        ],
        results: (300..306).collect(),
        ..Sample::default()
    };
    let one = 1f32.to_bits();
    assert_eq!(sample.run([0, 11, 12, 0]), [12, 11, one, one, 11, 12]);
}

/// Declares `VARIABLE`, two pairs in global memory: the words 1 and 2 to 5, then 6 and 2 to 5.
fn two_pairs() -> Vec<Vec<u32>> {
    let [row, vector, first, second, both] = [97, 98, 99, 100, 101];
    vec![
        inst(Op::TypeArray, &[row, PAIR, NUMBER + 2]),
        inst(Op::ConstantComposite, &[UINT4, vector, NUMBER + 2, NUMBER + 3, NUMBER + 4, NUMBER + 5]),
        inst(Op::ConstantComposite, &[PAIR, first, NUMBER + 1, vector]),
        inst(Op::ConstantComposite, &[PAIR, second, NUMBER + 6, vector]),
        inst(Op::ConstantComposite, &[row, both, first, second]),
        inst(Op::UntypedVariableKHR, &[POINTER, VARIABLE, 5, row, both]),
    ]
}
const ROW: u32 = 97;

#[test]
fn constant_addresses_of_parts() {
    let chain =
        |id, op: Op, operands: &[u32]| inst(Op::SpecConstantOp, &[&[POINTER, id, op as u32], operands].concat());
    let [zero, one, two, three] = [0, 1, 2, 3].map(|n| NUMBER + n);
    let typed = 119;
    let mut declared = two_pairs();
    declared.extend([
        chain(110, Op::UntypedAccessChainKHR, &[ROW, VARIABLE, one, zero]),
        chain(111, Op::UntypedInBoundsAccessChainKHR, &[ROW, VARIABLE, zero, one, two]),
        chain(112, Op::UntypedPtrAccessChainKHR, &[PAIR, VARIABLE, one, one, three]),
        chain(113, Op::UntypedInBoundsPtrAccessChainKHR, &[UINT, 110, zero]),
        // From a typed pointer, as something else than what that points to.
        inst(Op::Variable, &[GLOBAL_UINT, typed, 5, NUMBER + 7]),
        chain(114, Op::UntypedAccessChainKHR, &[UINT4, typed, zero]),
        // No index at all.
        chain(115, Op::UntypedAccessChainKHR, &[UINT, 111]),
    ]);
    let body = (0..6).map(|n| inst(Op::Load, &[UINT, 300 + n, 110 + n, 2, 4])).collect();
    assert_eq!(sample(&declared, body, 300..306).run([0; 4]), [6, 4, 5, 6, 7, 4]);
    for operands in [&[][..], &[ROW], &[ROW, VARIABLE]] {
        let mut declared = two_pairs();
        declared.push(chain(110, Op::UntypedPtrAccessChainKHR, operands));
        let log = sample(&declared, Vec::new(), 0..0).refused();
        assert!(log.contains("missing") && !log.contains("internal"), "{log}");
    }
}

/// As much is copied as the typed pointer says, whatever the untyped one came from.
#[test]
fn copies_of_what_one_pointer_says() {
    let [private, slot] = [102, 200];
    let mut declared = two_pairs();
    declared.push(inst(Op::TypePointer, &[private, 7, UINT]));
    let part = |id, n: u32| inst(Op::UntypedPtrAccessChainKHR, &[POINTER, id, UINT, VARIABLE, NUMBER + n]);
    let body = vec![
        inst(Op::Variable, &[private, slot, 7]),
        // One word to where a pair of them begins. The masks are of the target and of the source.
        inst(Op::InBoundsPtrAccessChain, &[GLOBAL_UINT, 201, IN, NUMBER + 1]),
        inst(Op::CopyMemory, &[VARIABLE, 201, 3, 4, 1]),
        inst(Op::Load, &[UINT, 300, VARIABLE, 2, 4]),
        part(202, 4),
        inst(Op::Load, &[UINT, 301, 202, 2, 4]),
        // And one from there.
        part(203, 5),
        inst(Op::Store, &[slot, WORD[0]]),
        inst(Op::CopyMemory, &[slot, 203, 1]),
        inst(Op::Load, &[UINT, 302, slot]),
        inst(Op::CopyMemory, &[slot, VARIABLE]),
        inst(Op::Load, &[UINT, 303, slot]),
        inst(Op::CopyMemorySized, &[203, 201, NUMBER + 4, 2, 4, 3, 4]),
        inst(Op::Load, &[UINT, 304, 203, 2, 4]),
        // What lies between untyped pointers are bytes.
        inst(Op::PtrDiff, &[ULONG, 204, 203, VARIABLE]),
        inst(Op::UConvert, &[UINT, 305, 204]),
    ];
    let sample = sample(&declared, body, 300..306);
    assert_eq!(sample.run([9, 11, 12, 13]), [11, 2, 3, 11, 11, 20]);
}

/// Copies whose memory operands say so are volatile, in either mask.
#[test]
fn volatile_copies() {
    let [private, slot, align] = [102, 200, 16];
    let n_volatile = |operands: &[u32], op: Op| {
        let mut declared = two_pairs();
        declared.push(inst(Op::TypePointer, &[private, 7, PAIR]));
        let inst_of = |op: Op| match op {
            Op::CopyMemory => inst(op, &[&[slot, VARIABLE], operands].concat()),
            Op::Load => inst(op, &[&[PAIR, 201, VARIABLE], operands].concat()),
            _ => inst(op, &[&[slot, VARIABLE, NUMBER + 4], operands].concat()),
        };
        let body = vec![inst(Op::Variable, &[private, slot, 7]), inst_of(op)];
        let module = clift_jit::lowered_il(&sample(&declared, body, 0..0).bytes(), &[], "").expect("it builds");
        let insts = module.funcs.iter().flat_map(|(_, func)| func.insts.iter());
        insts.filter(|(_, data)| data.op == ir::Op::Memcpy && data.attr.flags.contains(ir::Flags::VOLATILE)).count()
    };
    for op in [Op::CopyMemory, Op::CopyMemorySized, Op::Load] {
        assert_eq!(n_volatile(&[], op), 0, "{op:?}");
        assert_eq!(n_volatile(&[1], op), 1, "{op:?}");
        assert_eq!(n_volatile(&[3, align], op), 1, "{op:?}");
    }
    assert_eq!(n_volatile(&[2, align, 1], Op::CopyMemory), 1);
    assert_eq!(n_volatile(&[1, 0], Op::CopyMemory), 1);
    // An alignment is no mask.
    assert_eq!(n_volatile(&[2, 1], Op::CopyMemory), 0);
}

/// "'Stride' defines the stride in bytes"
#[test]
fn copies_by_groups() {
    let [event, none, events, bytes, block, number] = [102, 103, 104, 105, 106, 110];
    let group = NUMBER + 2;
    let declared = [
        inst(Op::TypeEvent, &[event]),
        inst(Op::ConstantNull, &[event, none]),
        inst(Op::TypePointer, &[events, 7, event]),
        inst(Op::TypeArray, &[bytes, UINT, NUMBER + 4]),
        inst(Op::UntypedVariableKHR, &[LOCAL, block, 4, bytes]),
    ];
    let numbers = (0..8).map(|n| inst(Op::Constant, &[ULONG, number + n, n, 0]));
    let declared: Vec<Vec<u32>> = declared.into_iter().chain(numbers).collect();
    let copy = |id, to, from, [size, n, stride]: [u32; 3]| {
        let operands = [event, id, group, to, from, number + size, number + n, number + stride, none];
        vec![
            inst(Op::UntypedGroupAsyncCopyKHR, &operands),
            inst(Op::Store, &[220, id]),
            inst(Op::GroupWaitEvents, &[group, NUMBER + 1, 220]),
        ]
    };
    let run = |to_local: [u32; 3], to_global: [u32; 3]| {
        let mut body = vec![
            inst(Op::Variable, &[events, 220, 7]),
            inst(Op::Bitcast, &[POINTER, 200, IN]),
            inst(Op::Bitcast, &[POINTER, 201, OUT]),
        ];
        body.extend(copy(210, block, 200, to_local));
        body.extend(copy(211, 201, block, to_global));
        let mut sample = sample(&declared, body, 0..0);
        // Nothing but the copies writes to the four words.
        let program = Program::from(sample.build());
        sample.results = vec![0; 4];
        let input: Vec<u8> = (1..=16).collect();
        let (mut out, mut input) = (Buffer::zeroed(16), Buffer::new(&input));
        program.run("k", 1, &mut [&mut out, &mut input]);
        out.bytes()
    };
    // All of it, then every third pair of bytes, one after the other.
    assert_eq!(run([4, 4, 4], [4, 4, 4]), (1..=16).collect::<Vec<u8>>());
    assert_eq!(run([2, 3, 6], [2, 3, 2]), [1, 2, 7, 8, 13, 14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(run([4, 2, 4], [2, 3, 5]), [1, 2, 0, 0, 0, 3, 4, 0, 0, 0, 5, 6, 0, 0, 0, 0]);
    assert_eq!(run([3, 4, 3], [3, 2, 7]), [1, 2, 3, 0, 0, 0, 0, 4, 5, 6, 0, 0, 0, 0, 0, 0]);
    assert_eq!(run([1, 7, 2], [1, 7, 1]), [1, 3, 5, 7, 9, 11, 13, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
}

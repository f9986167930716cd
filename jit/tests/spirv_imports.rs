//! Functions that a SPIR-V module imports and nobody defines: built-in functions by the names that compilers give them,
//! each called on numbers from a buffer, and names that are wrong. A definition in another program goes first.
#![allow(unsafe_code, reason = "runs generated code")]

#[path = "support/il.rs"]
mod il;
#[path = "support/kernel.rs"]
mod kernel;

use clift_jit::{Object, build_il, compile, compile_il, link};
use il::{Op, string};
use kernel::{Buffer, Program};
use std::sync::Arc;

/// `LinkageAttributes`, `Import`
const LINKAGE: u32 = 41;
const IMPORT: u32 = 1;

/// Ids of types by letter, as in mangled names; `b` is a boolean, `2` a vector of two `i`, `P` points to a global `i`,
/// `p` is the generic pointer to the same.
struct Types([(char, u32); 12]);

impl Types {
    fn id(&self, letter: char) -> u32 {
        self.0.iter().find(|ty| ty.0 == letter).expect("a known letter").1
    }
}

/// A module whose kernel `k(global int *p)` calls the function of this name, whose result and parameters are of
/// `types`, and leaves the result in `p[0]`. Arguments come from `p[1]` on; pointers point to `p[1]` and take it.
/// Vectors take two words. A pointer as result is followed.
fn module(name: &str, types: &str) -> Vec<u8> {
    let mut k = il::kernel();
    k.w.inst(Op::Capability, &[38]);
    let [char, short, long] = [8, 16, 64].map(|bits| k.w.result(Op::TypeInt, &[bits, 0]));
    let [half, float, double] = [16, 32, 64].map(|bits| k.w.result(Op::TypeFloat, &[bits]));
    let vector = k.w.result(Op::TypeVector, &[k.int, 2]);
    let generic = k.w.result(Op::TypePointer, &[8, k.int]);
    let numbers: Vec<u32> = (0..8).map(|n| k.w.value(Op::Constant, k.int, &[n])).collect();
    let types_of = [('c', char), ('s', short), ('i', k.int), ('l', long), ('h', half), ('f', float), ('d', double)];
    let others = [('v', k.void), ('b', k.bool), ('2', vector), ('P', k.pointer), ('p', generic)];
    let all = Types([&types_of[..], &others[..]].concat().try_into().expect("twelve"));
    let ids: Vec<u32> = types.chars().map(|letter| all.id(letter)).collect();
    let callee_ty = k.w.result(Op::TypeFunction, &ids);
    let callee = k.w.id();
    k.w.inst(Op::Decorate, &[&[callee, LINKAGE][..], &string(name), &[IMPORT]].concat());
    k.w.inst(Op::Function, &[ids[0], callee, 0, callee_ty]);
    for &ty in &ids[1..] {
        k.w.value(Op::FunctionParameter, ty, &[]);
    }
    k.w.inst(Op::FunctionEnd, &[]);

    let p = k.begin();
    let (mut args, mut at) = (Vec::new(), 1);
    for (letter, &ty) in types.chars().zip(&ids).skip(1) {
        let place = k.w.value(Op::InBoundsPtrAccessChain, k.pointer, &[p, numbers[at]]);
        let mut word = k.w.value(Op::Load, k.int, &[place, 2, 4]);
        at += 1;
        args.push(match letter {
            'P' => place,
            'p' => k.w.value(Op::PtrCastToGeneric, ty, &[place]),
            'f' => k.w.value(Op::Bitcast, ty, &[word]),
            'i' => word,
            '2' => {
                let place = k.w.value(Op::InBoundsPtrAccessChain, k.pointer, &[p, numbers[at]]);
                at += 1;
                let second = k.w.value(Op::Load, k.int, &[place, 2, 4]);
                k.w.value(Op::CompositeConstruct, ty, &[word, second])
            }
            'd' => {
                word = k.w.value(Op::Bitcast, float, &[word]);
                k.w.value(Op::FConvert, ty, &[word])
            }
            _ => k.w.value(Op::UConvert, ty, &[word]),
        });
    }
    let mut value = k.w.value(Op::FunctionCall, ids[0], &[&[callee][..], &args].concat());
    let result = match types.chars().next() {
        Some('v') => None,
        Some('P') => Some(k.w.value(Op::Load, k.int, &[value, 2, 4])),
        Some('i') => Some(value),
        Some('f') => Some(k.w.value(Op::Bitcast, k.int, &[value])),
        Some('b') => Some(k.w.value(Op::Select, k.int, &[value, numbers[1], numbers[0]])),
        Some('2') => Some(k.w.value(Op::CompositeExtract, k.int, &[value, 1])),
        Some('h') => {
            value = k.w.value(Op::Bitcast, short, &[value]);
            Some(k.w.value(Op::UConvert, k.int, &[value]))
        }
        Some('d') => {
            value = k.w.value(Op::FConvert, float, &[value]);
            Some(k.w.value(Op::Bitcast, k.int, &[value]))
        }
        _ => Some(k.w.value(Op::UConvert, k.int, &[value])),
    };
    if let Some(result) = result {
        k.w.inst(Op::Store, &[p, result, 2, 4]);
    }
    k.end()
}

/// What the kernel leaves in `p[0]` and `p[1]`, the first of which is 77 before. Behind the inputs are zeros.
fn words(program: Arc<clift_jit::Program>, inputs: [u32; 3]) -> [u32; 2] {
    let bytes: Vec<u8> =
        [&[77][..], &inputs, &[0; 4]].concat().iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
    let mut buffer = Buffer::new(&bytes);
    Program::from(program).run("k", 1, &mut [&mut buffer]);
    [buffer.words()[0], buffer.words()[1]]
}

const MINUS_3: u32 = 3u32.wrapping_neg();

/// Names, types, words from `p[1]` on, and what is then in `p[0]` and `p[1]`.
const NAMES: &[(&str, &str, [u32; 3], [u32; 2])] = &[
    // Atomic functions of OpenCL C 1.x, whose operands' signs are in the name alone.
    ("_Z10atomic_incPU3AS1Vi", "iP", [5, 0, 0], [5, 6]),
    ("_Z10atomic_decPU3AS1Vj", "iP", [5, 0, 0], [5, 4]),
    ("_Z10atomic_addPU3AS1Vii", "iPi", [5, 7, 0], [5, 12]),
    ("_Z10atomic_maxPU3AS1Vii", "iPi", [MINUS_3, 7, 0], [MINUS_3, 7]),
    ("_Z10atomic_maxPU3AS1Vjj", "iPi", [MINUS_3, 7, 0], [MINUS_3, MINUS_3]),
    ("_Z10atomic_minPU8CLglobalVjj", "iPi", [MINUS_3, 7, 0], [MINUS_3, 7]),
    ("_Z11atomic_xchgPU3AS1Vff", "fPf", [0x4040_0000, 0x3f80_0000, 0], [0x4040_0000, 0x3f80_0000]),
    ("_Z14atomic_cmpxchgPU3AS1Vjjj", "iPii", [5, 5, 9], [5, 9]),
    ("_Z8atom_addPU3AS1Vjj", "iPi", [5, 7, 0], [5, 12]),
    // Those of 2.0; booleans, and a type that is there twice.
    ("_Z16atomic_fetch_maxPU3AS4VU7_Atomicii", "ipi", [MINUS_3, 7, 0], [MINUS_3, 7]),
    (
        "_Z25atomic_fetch_min_explicitPU3AS4VU7_Atomicjj12memory_order12memory_scope",
        "ipiii",
        [MINUS_3, 7, 0],
        [MINUS_3, 7],
    ),
    ("_Z11atomic_loadPU3AS1VU7_Atomicf", "fP", [0x3f80_0000, 0, 0], [0x3f80_0000, 0x3f80_0000]),
    ("_Z24atomic_flag_test_and_setPU3AS4VU7_Atomici", "bp", [0, 0, 0], [0, 1]),
    // The pointer is the fourth type of its own: qualified, atomic, pointer, pointee.
    ("_Z30atomic_compare_exchange_strongPU3AS1VU7_AtomiciPU3AS1ii", "bPPi", [5, 6, 9], [0, 5]),
    (
        "_Z39atomic_compare_exchange_strong_explicitPU3AS1VU7_AtomiciPU3AS1ii12memory_orderS4_",
        "bPPiii",
        [5, 5, 9],
        [1, 9],
    ),
    // Pointers.
    ("_Z9get_fencePU3AS4v", "ip", [0, 0, 0], [2, 0]),
    ("__to_global", "Pp", [9, 0, 0], [9, 9]),
    ("_Z10vload_halfmPU3AS1KDh", "flP", [0, 0x3c00_3c00, 0], [0x3f80_0000, 0]),
    ("_Z5fractfPU3AS1f", "ffP", [0x4060_0000, 0, 0], [0x3f00_0000, 0x4060_0000]),
    // Conversions.
    ("_Z11convert_intc", "ic", [0xfd, 0, 0], [MINUS_3, 0xfd]),
    ("_Z11convert_inth", "ic", [0xfd, 0, 0], [0xfd, 0xfd]),
    ("_Z17convert_uchar_sati", "ci", [MINUS_3, 0, 0], [0, MINUS_3]),
    ("_Z17convert_uchar_satj", "ci", [MINUS_3, 0, 0], [255, MINUS_3]),
    ("_Z17convert_float_rtpi", "fi", [0x0100_0001, 0, 0], [0x4b80_0001, 0x0100_0001]),
    ("_Z17convert_float_rtzi", "fi", [0x0100_0001, 0, 0], [0x4b80_0000, 0x0100_0001]),
    ("_Z16convert_half_rtpf", "hf", [0x3f80_0001, 0, 0], [0x3c01, 0x3f80_0001]),
    ("_Z15convert_int_rtef", "if", [0x4060_0000, 0, 0], [4, 0x4060_0000]),
    ("_Z11convert_intf", "if", [0x4060_0000, 0, 0], [3, 0x4060_0000]),
    // Numbers.
    ("_Z3maxii", "iii", [MINUS_3, 7, 0], [7, MINUS_3]),
    ("_Z3maxjj", "iii", [MINUS_3, 7, 0], [MINUS_3, MINUS_3]),
    ("_Z6mul_hiii", "iii", [MINUS_3, 7, 0], [u32::MAX, MINUS_3]),
    ("_Z6mul_hijj", "iii", [MINUS_3, 7, 0], [6, MINUS_3]),
    ("_Z3maxDv2_iS_", "222", [0, MINUS_3, 0], [0, 0]),
    ("_Z3maxDv2_jS_", "222", [0, MINUS_3, 0], [MINUS_3, 0]),
    ("_Z4sqrtd", "dd", [0x4080_0000, 0, 0], [0x4000_0000, 0x4080_0000]),
    ("_Z17sub_group_barrierj", "vi", [1, 0, 0], [77, 1]),
    ("llvm.vector.reduce.add.v2i32", "i2", [5, 7, 0], [12, 5]),
    ("llvm.vector.reduce.smin.v2i32", "i2", [5, MINUS_3, 0], [MINUS_3, 5]),
    ("llvm.vector.reduce.umin.v2i32", "i2", [5, MINUS_3, 0], [5, 5]),
    ("llvm.smax.i32", "iii", [MINUS_3, 7, 0], [7, MINUS_3]),
];

#[test]
fn built_in_functions_by_other_names() {
    for &(name, types, inputs, expected) in NAMES {
        let built = build_il(&module(name, types), &[], "");
        let program = built.program.unwrap_or_else(|_| panic!("{name}: {}", built.log));
        assert_eq!(words(program, inputs), expected, "{name}");
    }
}

/// Names, types, and what the log says.
const WRONG: &[(&str, &str, &str)] = &[
    ("foo", "ii", "undefined reference to 'foo' (OpFunctionCall at word "),
    ("_Z3fooi", "ii", "undefined reference to '_Z3fooi': the device has no function 'foo'"),
    ("_Z10atomic_incPU3AS1Vf", "fP", "the function 'atomic_inc' does not take these operands"),
    // The name and the types differ.
    ("_Z3maxii", "iil", "the function 'max' does not take these operands"),
    ("_Z3maxff", "iii", "the function 'max' does not take these operands"),
    ("_Z3maxii", "iiii", "another number of parameters"),
    ("_Z3maxv", "ii", "another number of parameters"),
    ("_Z3maxii", "fii", "is wanted"),
    ("_Z3maxii", "vii", ""),
    ("_Z18convert_int_sat_rtf", "if", "no function 'convert_int_sat_rt'"),
    ("_Z17convert_float_satf", "ff", "no function 'convert_float_sat'"),
    ("_Z12convert_int2i", "2i", "as many components"),
    ("_Z11convert_intff", "iff", "one number is converted"),
    ("_Z11convert_intPU3AS1i", "iP", "as many components"),
    ("_Z17sub_group_barrierj", "ii", "has no result"),
    ("llvm.vector.reduce.add.i32", "ii", "a vector of integers is reduced"),
    ("llvm.vector.reduce.add.v2i32", "i22", "one vector is reduced"),
    // No mangled names.
    ("_Z", "ii", "'_Z' (OpFunctionCall at word "),
    ("_Z3max", "iii", "'_Z3max' (OpFunctionCall at word "),
    ("_Z0ii", "iii", "'_Z0ii' (OpFunctionCall at word "),
    ("_Z9maxii", "iii", "'_Z9maxii' (OpFunctionCall at word "),
    ("_Z18446744073709551617maxii", "iii", "maxii' (OpFunctionCall at word "),
    ("_Z3maxS_S_", "iii", "'_Z3maxS_S_' (OpFunctionCall at word "),
    ("_Z3maxDv2_iS9_", "222", "S9_' (OpFunctionCall at word "),
    ("_Z3maxDv2_iSZZZZZZZZZZZZZZZZZZZZZZ_", "222", "_' (OpFunctionCall at word "),
    ("_Z3maxDv_iS_", "222", "'_Z3maxDv_iS_' (OpFunctionCall at word "),
    ("_Z3maxDv2iS_", "222", "'_Z3maxDv2iS_' (OpFunctionCall at word "),
    ("_Z3maxDv5_iS_", "222", "'_Z3maxDv5_iS_' (OpFunctionCall at word "),
    ("_Z3maxUii", "iii", "'_Z3maxUii' (OpFunctionCall at word "),
    ("_Z10atomic_incPPi", "iP", "'_Z10atomic_incPPi' (OpFunctionCall at word "),
    ("_Z3maxiP", "iii", "'_Z3maxiP' (OpFunctionCall at word "),
    ("_Z3maxi\u{e4}", "iii", "' (OpFunctionCall at word "),
    ("_Z2\u{e4}\u{e4}i", "ii", "undefined reference"),
    ("_ZN3maxEii", "iii", "'_ZN3maxEii' (OpFunctionCall at word "),
];

#[test]
fn what_is_no_built_in_function_stays_undefined() {
    for &(name, types, expected) in WRONG {
        let built = build_il(&module(name, types), &[], "");
        match expected {
            "" => assert!(built.program.is_ok(), "{name}: {}", built.log),
            _ => assert!(built.program.is_err(), "{name}: accepted"),
        }
        assert!(built.log.contains(expected) && !built.log.contains("internal"), "{name}: {}", built.log);
    }
    let deep = format!("_Z10atomic_inc{}i", "PU3AS1V".repeat(50_000).split_at(65_000 * 4).0);
    let log = build_il(&module(&deep, "iP"), &[], "").log;
    assert!(log.contains("undefined reference"), "{}", log.len());
}

#[test]
fn a_definition_in_another_program_goes_first() {
    let user = compile_il(&module("_Z3maxii", "iii"), &[], "").object.expect("compiled");
    let own = |source: &str| compile(source.as_bytes(), "", &[]).object.expect("compiled");
    let run = |objects: &[Arc<Object>]| {
        let built = link(objects);
        words(built.program.unwrap_or_else(|_| panic!("{}", built.log)), [7, 3, 0])
    };
    assert_eq!(run(std::slice::from_ref(&user)), [7, 7]);
    let sum = own("int _Z3maxii(int a, int b) { return a + b; }");
    assert_eq!(run(&[user.clone(), sum.clone()]), [10, 7]);
    assert_eq!(run(&[sum, user.clone()]), [10, 7]);
    // One of its own is not.
    assert_eq!(run(&[own("static int _Z3maxii(int a, int b) { return a + b; }"), user.clone()]), [7, 7]);
    let other = link(&[user, own("float _Z3maxii(float a) { return a; }")]);
    assert!(other.log.contains("'_Z3maxii' is declared and defined with different types"), "{}", other.log);
}

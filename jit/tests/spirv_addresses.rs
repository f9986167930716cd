//! Constants of SPIR-V that addresses take part in and that no linker knows: functions compute them, and get what the
//! same instructions give in a body.
#![allow(unsafe_code, reason = "runs generated code")]

#[path = "support/il.rs"]
mod il;
#[path = "support/kernel.rs"]
mod kernel;

use clift_jit::build_il;
use il::{Kernel, Op, kernel};
use kernel::{Buffer, Program};

/// Numbers of storage classes.
const LOCAL: u32 = 4;
const GLOBAL: u32 = 5;

/// A module with types, numbers and two variables.
struct Sample {
    k: Kernel,
    ulong: u32,
    three: u32,
    /// An `int` of 5 in global memory.
    global: u32,
    /// Four `int`s in local memory.
    local: u32,
}

impl Sample {
    fn new() -> Self {
        let mut k = kernel();
        let ulong = k.w.result(Op::TypeInt, &[64, 0]);
        let [four, five] = [4, 5].map(|n| k.w.value(Op::Constant, k.int, &[n]));
        let three = k.w.value(Op::Constant, ulong, &[3, 0]);
        let array = k.w.result(Op::TypeArray, &[k.int, four]);
        let to_array = k.w.result(Op::TypePointer, &[LOCAL, array]);
        let global = k.w.value(Op::Variable, k.pointer, &[GLOBAL, five]);
        let local = k.w.value(Op::Variable, to_array, &[LOCAL]);
        Self { k, ulong, three, global, local }
    }

    /// What an operation gives as a constant.
    fn op(&mut self, op: Op, ty: u32, args: &[u32]) -> u32 {
        self.k.w.value(Op::SpecConstantOp, ty, &[&[op as u32], args].concat())
    }

    /// Runs the module with a kernel that writes these values of type `int`.
    fn run(mut self, values: &[u32], begin: impl FnOnce(&mut Self) -> Vec<u32>) -> Vec<u32> {
        let numbers: Vec<u32> = (0..16).map(|n| self.k.w.value(Op::Constant, self.k.int, &[n])).collect();
        let out = self.k.begin();
        let more = begin(&mut self);
        let values = [values, &more].concat();
        for (&n, &value) in numbers.iter().zip(&values) {
            let at = self.k.w.value(Op::InBoundsPtrAccessChain, self.k.pointer, &[out, n]);
            self.k.w.inst(Op::Store, &[at, value]);
        }
        let mut out = Buffer::zeroed(4 * values.len());
        Program::from(built(&self.k.end())).run("k", 1, &mut [&mut out]);
        out.words()
    }
}

fn built(il: &[u8]) -> std::sync::Arc<clift_jit::Program> {
    let built = build_il(il, &[], "");
    built.program.unwrap_or_else(|_| panic!("{}", built.log))
}

#[test]
fn low_bits_of_addresses() {
    let mut s = Sample::new();
    let [int, ulong, global, local] = [s.k.int, s.ulong, s.global, s.local];
    let values = [s.op(Op::ConvertPtrToU, int, &[global]), s.op(Op::ConvertPtrToU, int, &[local])];
    let got = s.run(&values, |s| {
        let value = |s: &mut Sample, op, ty, arg: u32| s.k.w.value(op, ty, &[arg]);
        let wide = value(s, Op::ConvertPtrToU, ulong, global);
        vec![value(s, Op::UConvert, int, wide), value(s, Op::ConvertPtrToU, int, local)]
    });
    assert_ne!(got[0], 0);
    assert_eq!(got[..2], got[2..]);
}

/// Operations on operations on addresses, one of them used in a block that others lead to.
#[test]
fn numbers_that_addresses_give() {
    let mut s = Sample::new();
    let [int, ulong, one, three, global] = [s.k.int, s.ulong, s.k.one, s.three, s.global];
    let pair = s.k.w.result(Op::TypeStruct, &[int, ulong]);
    let ulong2 = s.k.w.result(Op::TypeVector, &[ulong, 2]);
    let address = s.op(Op::ConvertPtrToU, ulong, &[global]);
    let product = s.op(Op::IMul, ulong, &[address, three]);
    let low = s.op(Op::UConvert, int, &[product]);
    let same = s.op(Op::IEqual, s.k.bool, &[product, address]);
    let chosen = s.op(Op::Select, int, &[same, low, one]);
    let both = s.k.w.value(Op::ConstantComposite, pair, &[low, product]);
    let first = s.op(Op::CompositeExtract, int, &[both, 0]);
    let lanes = s.k.w.value(Op::ConstantComposite, ulong2, &[three, address]);
    let back = s.op(Op::ISub, ulong, &[product, product]);
    let back = s.op(Op::IAdd, ulong, &[back, address]);
    let back = s.op(Op::ConvertUToPtr, s.k.pointer, &[back]);
    let got = s.run(&[low, first, chosen], |s| {
        let w = &mut s.k.w;
        let wide = w.value(Op::ConvertPtrToU, ulong, &[global]);
        let times = w.value(Op::IMul, ulong, &[wide, three]);
        let expected = w.value(Op::UConvert, int, &[times]);
        let [yes, end] = [w.id(), w.id()];
        let from = w.id();
        w.inst(Op::Branch, &[from]);
        w.inst(Op::Label, &[from]);
        w.inst(Op::BranchConditional, &[same, yes, end]);
        w.inst(Op::Label, &[yes]);
        w.inst(Op::Branch, &[end]);
        w.inst(Op::Label, &[end]);
        let phi = w.value(Op::Phi, int, &[one, yes, low, from]);
        let five = w.value(Op::Load, int, &[back]);
        let second = w.value(Op::CompositeExtract, ulong, &[both, 1]);
        let second = w.value(Op::UConvert, int, &[second]);
        let lane = w.value(Op::CompositeExtract, ulong, &[lanes, 1]);
        let lane = w.value(Op::IMul, ulong, &[lane, three]);
        let lane = w.value(Op::UConvert, int, &[lane]);
        vec![expected, phi, second, lane, five]
    });
    let expected = got[3];
    assert_eq!(got, [expected, expected, 1, expected, expected, expected, expected, 5]);
}

/// Each function computes all that it uses, but not without bound.
#[test]
fn many_functions_with_many_constants() {
    let module = |n_constants: usize, n_funcs: usize| {
        let mut s = Sample::new();
        let mut last = s.op(Op::ConvertPtrToU, s.k.int, &[s.global]);
        (0..n_constants).for_each(|_| last = s.op(Op::IMul, s.k.int, &[last, last]));
        let ty = s.k.w.result(Op::TypeFunction, &[s.k.int]);
        for _ in 0..n_funcs {
            s.k.w.value(Op::Function, s.k.int, &[0, ty]);
            s.k.w.result(Op::Label, &[]);
            s.k.w.inst(Op::ReturnValue, &[last]);
            s.k.w.inst(Op::FunctionEnd, &[]);
        }
        s.k.whole()
    };
    built(&module(300, 30));
    let log = build_il(&module(3000, 300), &[], "").log.to_string();
    assert!(log.contains("so many constants of addresses are not supported"), "{log}");
}

/// What is computed in functions is no first value of a variable, nor a length.
#[test]
fn no_place_for_what_functions_compute() {
    let refused = |il: &[u8], why: &str| {
        let log = build_il(il, &[], "").log.to_string();
        assert!(log.contains(why), "{log}");
    };
    let mut s = Sample::new();
    let low = s.op(Op::ConvertPtrToU, s.k.int, &[s.global]);
    s.k.w.value(Op::Variable, s.k.pointer, &[GLOBAL, low]);
    refused(&s.k.whole(), "which no constant in memory can hold");
    let mut s = Sample::new();
    let low = s.op(Op::ConvertPtrToU, s.k.int, &[s.global]);
    s.k.w.result(Op::TypeArray, &[s.k.int, low]);
    refused(&s.k.whole(), "is no constant number");
    let mut s = Sample::new();
    s.op(Op::Load, s.k.int, &[s.global]);
    refused(&s.k.whole(), "OpLoad of an address is not supported");
}

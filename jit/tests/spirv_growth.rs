//! Work grows about as a SPIR-V module does: as `growth.rs`, in bytes of memory that is asked for.
#![allow(unsafe_code, reason = "counts what the system's allocator is asked for")]

#[path = "support/counting.rs"]
mod counting;
#[path = "support/il.rs"]
mod il;

use clift_jit::build_il;
use il::{Op, kernel, string};

/// What there may be more of, how many, and a module with so many.
type Way = (&'static str, usize, fn(usize) -> Vec<u8>);

const WAYS: &[Way] = &[
    ("names", 20_000, |n| {
        let mut k = kernel();
        (0..n).for_each(|j| k.w.inst(Op::Name, &[&[j as u32 + 1][..], &string("name")].concat()));
        k.w.words[3] += n as u32;
        k.whole()
    }),
    ("decorations", 20_000, |n| {
        let mut k = kernel();
        (0..n).for_each(|j| k.w.inst(Op::Decorate, &[j as u32 / 2 + 1, 22]));
        k.w.words[3] += n as u32;
        k.whole()
    }),
    ("decorations in groups", 2_000, |n| {
        let mut k = kernel();
        let group = k.w.id();
        (0..n).for_each(|_| k.w.inst(Op::Decorate, &[group, 42]));
        let targets: Vec<u32> = (0..n).map(|_| k.w.id()).collect();
        k.w.inst(Op::GroupDecorate, &[&[group][..], &targets].concat());
        k.whole()
    }),
    ("types", 5_000, |n| {
        let mut k = kernel();
        (0..n).for_each(|_| {
            k.w.result(Op::TypeStruct, &[k.int, k.int]);
        });
        k.whole()
    }),
    ("constants", 5_000, |n| {
        let mut k = kernel();
        let mut last = k.one;
        (0..n).for_each(|_| last = k.w.value(Op::SpecConstantOp, k.int, &[Op::IAdd as u32, last, k.one]));
        k.whole()
    }),
    ("constants of addresses", 1_000, |n| {
        let mut k = kernel();
        let var = k.w.value(Op::Variable, k.pointer, &[5, k.one]);
        let mut last = k.w.value(Op::SpecConstantOp, k.int, &[Op::ConvertPtrToU as u32, var]);
        (0..n).for_each(|_| last = k.w.value(Op::SpecConstantOp, k.int, &[Op::IMul as u32, last, last]));
        let param = k.begin();
        k.w.inst(Op::Store, &[param, last]);
        k.end()
    }),
    ("instructions", 1_000, |n| {
        let mut k = kernel();
        let param = k.begin();
        let mut v = k.w.value(Op::Load, k.int, &[param]);
        (0..n).for_each(|_| v = k.w.value(Op::IMul, k.int, &[v, v]));
        k.w.inst(Op::Store, &[param, v]);
        k.end()
    }),
    ("edges to a phi", 500, |n| {
        let mut k = kernel();
        let param = k.begin();
        let [v, end] = [k.w.value(Op::Load, k.int, &[param]), k.w.id()];
        let blocks: Vec<u32> = (0..n).map(|_| k.w.id()).collect();
        let cases = blocks.iter().enumerate().flat_map(|(j, &block)| [j as u32, block]);
        k.w.inst(Op::Switch, &[v, blocks[0]].into_iter().chain(cases).collect::<Vec<_>>());
        for &block in &blocks {
            k.w.inst(Op::Label, &[block]);
            k.w.inst(Op::Branch, &[end]);
        }
        k.w.inst(Op::Label, &[end]);
        let from: Vec<u32> = blocks.iter().flat_map(|&block| [k.one, block]).collect();
        let phi = k.w.value(Op::Phi, k.int, &from);
        k.w.inst(Op::Store, &[param, phi]);
        k.end()
    }),
    ("names of one kernel", 1_000, |n| {
        let mut k = kernel();
        (0..n).for_each(|j| k.w.inst(Op::EntryPoint, &[&[6, k.main][..], &string(&format!("k{j}"))].concat()));
        k.whole()
    }),
    ("kernels", 100, |n| {
        let mut k = kernel();
        for j in 0..n {
            let name = format!("kernel{j}");
            k.w.inst(Op::EntryPoint, &[&[6, 1000 + j as u32][..], &string(&name)].concat());
            k.w.result(Op::String, &string(&format!("kernel_arg_type.{name}.int*,")));
        }
        k.begin();
        k.w.inst(Op::Return, &[]);
        k.w.inst(Op::FunctionEnd, &[]);
        for j in 0..n {
            k.w.inst(Op::Function, &[k.void, 1000 + j as u32, 0, k.ty]);
            k.w.inst(Op::FunctionParameter, &[k.pointer, 10_000 + j as u32]);
            k.w.inst(Op::Label, &[20_000 + j as u32]);
            k.w.inst(Op::Return, &[]);
            k.w.inst(Op::FunctionEnd, &[]);
        }
        k.w.words[3] = 30_000;
        k.w.bytes()
    }),
];

#[test]
fn work_grows_as_modules_do() {
    let work = |what: &str, il: Vec<u8>| {
        let before = counting::bytes();
        let built = build_il(&il, &[], "");
        assert!(built.program.is_ok(), "{what}: {}", built.log);
        counting::bytes() - before
    };
    for &(what, n, module) in WAYS {
        let (few, many) = (work(what, module(n)), work(what, module(4 * n)));
        assert!(many < 6 * few, "{what}: {few} bytes for {n}, {many} for four times as many");
    }
}

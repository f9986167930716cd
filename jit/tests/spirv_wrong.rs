//! SPIR-V modules that are wrong in a known way are refused with a message that says so, and large ones are accepted.
//! Changes at random are in `spirv_mutations.rs`, how work grows is in `spirv_growth.rs`, what messages say of the
//! source is in `spirv_lines.rs`.

#[path = "support/il.rs"]
mod il;

use clift_jit::{build_il, spirv};
use il::{Kernel, Op, kernel, string};

/// Refused, with these words in the log.
fn refused(what: &str, il: &[u8], expected: &str) {
    let _ = spirv::check(il);
    let _ = spirv::disassemble(il);
    let built = build_il(il, &[], "");
    assert!(built.program.is_err(), "{what}: accepted");
    assert!(built.log.contains(expected) && !built.log.contains("internal"), "{what}: {}", built.log);
}

fn accepted(what: &str, il: &[u8]) {
    let built = build_il(il, &[], "");
    assert!(built.program.is_ok(), "{what}: {}", built.log);
}

/// What is wrong, how to make it, and what the log says.
type Case<F> = (&'static str, F, &'static str);

#[test]
fn the_base_is_right() {
    accepted("base", &kernel().whole());
}

#[test]
fn headers() {
    let good = kernel().whole();
    let with = |at: usize, word: u32| {
        let mut il = good.clone();
        il[4 * at..4 * at + 4].copy_from_slice(&word.to_le_bytes());
        il
    };
    refused("no module", &[], "magic number");
    refused("magic number", &with(0, 0x0723_0204), "magic number");
    refused("header", &good[..16], "header");
    refused("bytes", &good[..good.len() - 1], "sequence of words");
    refused("cut off", &good[..good.len() - 4], "ends inside a function");
    refused("version", &with(1, 0x0002_0000), "2.0");
    refused("bound 0", &with(3, 0), "bound 0");
    refused("bound", &with(3, u32::MAX), "bound");
    refused("schema", &with(4, 1), "schema 1");
    refused("no words", &with(5, 17), "no words");
    refused("too many words", &with(5, 0xffff_0011), "inside an instruction");
}

#[test]
fn declarations() {
    let declare = |f: fn(&mut Kernel)| {
        let mut k = kernel();
        f(&mut k);
        k.whole()
    };
    let cases: &[Case<fn(&mut Kernel)>] = &[
        ("capability", |k| k.w.inst(Op::Capability, &[1]), "capability Shader"),
        ("unknown capability", |k| k.w.inst(Op::Capability, &[0x7fff]), "capability 32767"),
        ("extension", |k| k.w.inst(Op::Extension, &string("SPV_X")), "extension SPV_X"),
        (
            "set",
            |k| {
                k.w.result(Op::ExtInstImport, &string("GLSL.std.450"));
            },
            "GLSL.std.450",
        ),
        ("a name of nothing", |k| k.w.inst(Op::Name, &[&[5000][..], &string("x")].concat()), "%5000 is not between"),
        ("id 0", |k| k.w.inst(Op::TypeInt, &[0, 64, 0]), "%0 is not between"),
        ("an id beyond the bound", |k| k.w.inst(Op::TypeInt, &[5000, 64, 0]), "1000 (OpTypeInt at word"),
        ("opcode", |k| k.w.words.push(1 << 16 | 0x7ff), "unknown instruction"),
        (
            "use before definition",
            |k| {
                k.w.result(Op::TypeStruct, &[999]);
            },
            "%999 is no type",
        ),
        (
            "array of itself",
            |k| {
                let id = k.w.id();
                k.w.inst(Op::TypeArray, &[id, id, k.one]);
            },
            "is no type",
        ),
        (
            "struct of itself",
            |k| {
                let id = k.w.id();
                k.w.inst(Op::TypeStruct, &[id, id]);
            },
            "is no type",
        ),
        (
            "announced pointer that is a struct",
            |k| {
                let id = k.w.id();
                k.w.inst(Op::TypeForwardPointer, &[id, 5]);
                let inner = k.w.result(Op::TypeStruct, &[id]);
                k.w.inst(Op::TypeStruct, &[id, inner]);
            },
            "defined twice",
        ),
        (
            "large variables",
            |k| {
                let n = k.w.value(Op::Constant, k.int, &[1 << 28]);
                let ty = k.w.result(Op::TypeArray, &[k.int, n]);
                let pointer = k.w.result(Op::TypePointer, &[5, ty]);
                (0..150_000).for_each(|_| {
                    k.w.value(Op::Variable, pointer, &[5]);
                });
            },
            "program-scope variables are too large",
        ),
        (
            "large array",
            |k| {
                let long = k.w.result(Op::TypeInt, &[64, 0]);
                let n = k.w.value(Op::Constant, long, &[0, 1 << 28]);
                k.w.result(Op::TypeArray, &[k.int, n]);
            },
            "1152921504606846976",
        ),
        (
            "deep array",
            |k| {
                let mut ty = k.int;
                for _ in 0..300 {
                    ty = k.w.result(Op::TypeArray, &[ty, k.one]);
                }
            },
            "nested too deeply",
        ),
        (
            "first value of another size",
            |k| {
                let byte = k.w.result(Op::TypeInt, &[8, 0]);
                let pointer = k.w.result(Op::TypePointer, &[5, byte]);
                k.w.value(Op::Variable, pointer, &[5, k.one]);
            },
            "the type of the variable",
        ),
        (
            "large variable",
            |k| {
                let n = k.w.value(Op::Constant, k.int, &[1 << 30]);
                let ty = k.w.result(Op::TypeArray, &[k.int, n]);
                let pointer = k.w.result(Op::TypePointer, &[5, ty]);
                k.w.value(Op::Variable, pointer, &[5]);
            },
            "4294967296 bytes is too large",
        ),
        ("type twice", |k| k.w.inst(Op::TypeVoid, &[k.int]), "defined twice"),
        (
            "integers of 7 bits",
            |k| {
                k.w.result(Op::TypeInt, &[7, 0]);
            },
            "7 bits",
        ),
        (
            "vector of pointers",
            |k| {
                k.w.result(Op::TypeVector, &[k.pointer, 2]);
            },
            "vectors of 2",
        ),
        ("kernel twice", |k| k.w.inst(Op::EntryPoint, &[&[6, k.main][..], &string("k")].concat()), "defined twice"),
        ("kernel without a body", |k| k.w.inst(Op::EntryPoint, &[&[6, 999][..], &string("m")].concat()), "no body"),
        ("shader", |k| k.w.inst(Op::EntryPoint, &[&[0, k.main][..], &string("m")].concat()), "no kernel"),
        (
            "string",
            |k| {
                k.w.result(Op::String, &[0x2020_2020]);
            },
            "does not end",
        ),
        (
            "number of a struct",
            |k| {
                let ty = k.w.result(Op::TypeStruct, &[k.int]);
                k.w.value(Op::Constant, ty, &[1]);
            },
            "a number of a type that is none",
        ),
        (
            "shuffle of another size",
            |k| {
                let ty = k.w.result(Op::TypeVector, &[k.int, 2]);
                let v = k.w.value(Op::ConstantNull, ty, &[]);
                k.w.value(Op::SpecConstantOp, ty, &[Op::VectorShuffle as u32, v, v, 0, 1, 2]);
            },
            "does not have the type",
        ),
        (
            "part of another size",
            |k| {
                let long = k.w.result(Op::TypeInt, &[64, 0]);
                let ty = k.w.result(Op::TypeStruct, &[long]);
                k.w.value(Op::ConstantComposite, ty, &[k.one]);
            },
            "type of its place",
        ),
    ];
    for (what, change, expected) in cases {
        refused(what, &declare(*change), expected);
    }
}

#[test]
fn bodies() {
    type Make = fn(&mut Kernel, u32);
    let cases: &[Case<Make>] = &[
        (
            "use before definition",
            |k, _| {
                k.w.value(Op::IAdd, k.int, &[k.one, 999]);
            },
            "%999 is used before",
        ),
        (
            "own value",
            |k, _| {
                let id = k.w.id();
                k.w.inst(Op::IAdd, &[k.int, id, k.one, id]);
            },
            "is used before",
        ),
        (
            "value of another block",
            |k, p| {
                let [then, end, x] = [k.w.id(), k.w.id(), k.w.id()];
                let cond = k.w.value(Op::IEqual, k.bool, &[k.one, k.one]);
                k.w.inst(Op::BranchConditional, &[cond, then, end]);
                k.w.inst(Op::Label, &[then]);
                k.w.inst(Op::IAdd, &[k.int, x, k.one, k.one]);
                k.w.inst(Op::Branch, &[end]);
                k.w.inst(Op::Label, &[end]);
                k.w.inst(Op::Store, &[p, x]);
            },
            "dominat",
        ),
        (
            "unknown block",
            |k, _| {
                k.w.inst(Op::Branch, &[999]);
                k.w.result(Op::Label, &[]);
            },
            "%999 is no block",
        ),
        (
            "phi without a predecessor",
            |k, _| {
                let to = k.w.id();
                k.w.inst(Op::Branch, &[to]);
                k.w.inst(Op::Label, &[to]);
                k.w.value(Op::Phi, k.int, &[k.one, 999]);
            },
            "has no value from block",
        ),
        (
            "phi of another type",
            |k, p| {
                let [from, to] = [k.w.id(), k.w.id()];
                k.w.inst(Op::Branch, &[from]);
                k.w.inst(Op::Label, &[from]);
                k.w.inst(Op::Branch, &[to]);
                k.w.inst(Op::Label, &[to]);
                k.w.value(Op::Phi, k.int, &[p, from]);
            },
            "is i32",
        ),
        (
            "cases that are the same",
            |k, _| {
                let to = k.w.id();
                k.w.inst(Op::Switch, &[k.one, to, 7, to, 7, to]);
                k.w.inst(Op::Label, &[to]);
            },
            "two cases have the same value",
        ),
        (
            "a case cut off",
            |k, _| {
                let to = k.w.id();
                k.w.inst(Op::Switch, &[k.one, to, 7]);
                k.w.inst(Op::Label, &[to]);
            },
            "a case without a block",
        ),
        (
            "block twice",
            |k, _| {
                let to = k.w.id();
                k.w.inst(Op::Branch, &[to]);
                k.w.inst(Op::Label, &[to]);
                k.w.inst(Op::Branch, &[to]);
                k.w.inst(Op::Label, &[to]);
            },
            "defined twice",
        ),
        (
            "a set that is none",
            |k, _| {
                k.w.value(Op::ExtInst, k.int, &[k.one, 1]);
            },
            "is no instruction set",
        ),
        (
            "a call of oneself",
            |k, p| {
                k.w.value(Op::FunctionCall, k.void, &[k.main, p]);
            },
            "a kernel is called",
        ),
        (
            "too few operands",
            |k, _| {
                k.w.value(Op::IAdd, k.int, &[k.one]);
            },
            "operand",
        ),
        (
            "a load without a pointer",
            |k, _| {
                k.w.value(Op::Load, k.int, &[k.one]);
            },
            "pointer",
        ),
        (
            "an index without end",
            |k, p| {
                k.w.value(Op::InBoundsPtrAccessChain, k.pointer, &[p, k.one, k.one, k.one]);
            },
            "without parts",
        ),
        (
            "a struct of floats",
            |k, _| {
                k.w.value(Op::CompositeExtract, k.int, &[k.one, 3]);
            },
            "",
        ),
    ];
    for (what, change, expected) in cases {
        let mut k = kernel();
        let param = k.begin();
        change(&mut k, param);
        refused(what, &k.end(), expected);
    }
}

/// Functions that call each other in a circle. Spec: OpenCL SPIR-V Environment, "Validation Rules".
#[test]
fn recursion() {
    let mut k = kernel();
    let [f, g] = [k.w.id(), k.w.id()];
    let param = k.begin();
    k.w.value(Op::FunctionCall, k.void, &[f, param]);
    k.w.inst(Op::Return, &[]);
    k.w.inst(Op::FunctionEnd, &[]);
    for (this, other) in [(f, g), (g, f)] {
        k.w.inst(Op::Function, &[k.void, this, 0, k.ty]);
        let param = k.w.value(Op::FunctionParameter, k.pointer, &[]);
        k.w.result(Op::Label, &[]);
        k.w.value(Op::FunctionCall, k.void, &[other, param]);
        k.w.inst(Op::Return, &[]);
        k.w.inst(Op::FunctionEnd, &[]);
    }
    refused("recursion", &k.w.bytes(), "recurs");
}

/// A function that stays open, and one without blocks.
#[test]
fn functions() {
    let mut k = kernel();
    k.begin();
    refused("open", &k.w.bytes(), "ends inside a function");
    let mut k = kernel();
    k.w.inst(Op::Function, &[k.void, k.main, 0, k.ty]);
    k.w.value(Op::FunctionParameter, k.pointer, &[]);
    k.w.inst(Op::FunctionEnd, &[]);
    refused("no blocks", &k.w.bytes(), "no body");
    let mut k = kernel();
    k.begin();
    k.w.inst(Op::FunctionEnd, &[]);
    refused("no end", &k.w.bytes(), "does not end");
}

/// Composites of composites double in size with each instruction; groups of decorations could.
#[test]
fn doubling() {
    for leaf in [0, 1] {
        let mut k = kernel();
        let two = k.w.value(Op::Constant, k.int, &[2]);
        let (mut ty, mut value) = (k.int, k.w.value(Op::Constant, k.int, &[leaf]));
        for _ in 0..25 {
            ty = k.w.result(Op::TypeArray, &[ty, two]);
            value = k.w.value(Op::ConstantComposite, ty, &[value, value]);
        }
        let pointer = k.w.result(Op::TypePointer, &[5, ty]);
        k.w.value(Op::Variable, pointer, &[5, value]);
        let il = k.whole();
        if leaf == 0 { accepted("zeros", &il) } else { refused("ones", &il, "this size") }
    }
    let mut k = kernel();
    let group = k.w.id();
    k.w.inst(Op::Decorate, &[group, 22]);
    for _ in 0..100 {
        k.w.inst(Op::GroupDecorate, &[group, group, group]);
    }
    accepted("groups", &k.whole());
}

/// A million instructions.
#[test]
fn large_modules() {
    let mut k = kernel();
    for j in 0..500_000 {
        k.w.value(Op::Constant, k.int, &[j]);
    }
    k.begin();
    (0..500_000).for_each(|_| k.w.inst(Op::Nop, &[]));
    accepted("a million", &k.end());
}

/// Parts of constants that are changed again and again take no more memory than there is.
#[test]
fn many_insertions() {
    let mut k = kernel();
    let n = k.w.value(Op::Constant, k.int, &[40_000]);
    let ty = k.w.result(Op::TypeArray, &[k.int, n]);
    let mut array = k.w.value(Op::ConstantNull, ty, &[]);
    for j in 0..2_000 {
        array = k.w.value(Op::SpecConstantOp, ty, &[Op::CompositeInsert as u32, k.one, array, j]);
    }
    refused("insertions", &k.whole(), "so many parts");
}

/// An operation that makes constants is none on constants; text of it is refused as well.
#[test]
fn operations_of_constants() {
    for op in [Op::Constant, Op::SpecConstantOp, Op::Switch] {
        let mut k = kernel();
        k.w.value(Op::SpecConstantOp, k.int, &[op as u32, k.one, k.one]);
        let il = k.whole();
        assert!(spirv::disassemble(&il).is_err_and(|message| message.contains("OpSpecConstantOp at word")));
        refused("operation", &il, "OpSpecConstantOp at word");
    }
}

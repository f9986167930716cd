//! Instructions keep their place in the source through all passes: with the chain of calls through which they came in,
//! in scalar code and in lanes, for OpenCL C with bodies of the built-in library, and for SPIR-V.

use clift_jit::ir::{Func, Module, Op};
use clift_jit::pipeline::Runner;
use clift_jit::places::Frame;
use clift_jit::target::Target;
use clift_jit::{SpecKey, lowered, simd, wg};

const NESTED: &str = "\
#define TWICE(x) ((x) + (x))
float4 deep(global const float *p, int i) {
    return vload4(i, p) * 2.0f;          // deep
}
float4 middle(global const float *p, int i) {
    float4 v = deep(p, i + 1);           // middle
    return TWICE(v);
}
kernel void k(global const float *p, global float *q) {
    int i = get_global_id(0);
    float4 v = middle(p, i);             // reads
    local float tile[64];
    tile[get_local_id(0)] = v.x;         // tile
    barrier(CLK_LOCAL_MEM_FENCE);
    v.y += tile[63 - get_local_id(0)];   // other
    if (v.y > 1.0f)
        v.x = sin(v.x);                  // sin
    vstore4(v, i, q);                    // writes
}
";

fn program(source: &str) -> Module {
    let mut module = lowered(source.as_bytes(), "-cl-std=CL3.0").expect("it compiles");
    Runner::default().program(&mut module);
    module
}

/// Work-group functions of the first kernel as scalar code and in lanes, and what the code generator gets.
fn functions(module: &Module) -> Vec<(String, Func)> {
    let key = SpecKey { local_size: Some([64, 1, 1]), small_ids: true, ..SpecKey::default() };
    let mut all = Vec::new();
    for (name, lanes) in [("scalar", None), ("lanes", Some(simd::Config::always(8)))] {
        let (group, _) = Runner::default().kernel(module, 0, key, wg::Sharing::Auto, lanes);
        let legal = Runner::default().legal(module, &group.func, &Target::V128).expect("it is legal");
        all.extend([(name.to_owned(), group.func), (format!("legal {name}"), legal.root)]);
    }
    all
}

/// The frames of all instructions that touch global memory.
fn accesses(module: &Module, func: &Func) -> Vec<(Op, Vec<Frame>)> {
    let is_global = |data: &clift_jit::ir::InstData| {
        matches!(data.op, Op::Load | Op::Store | Op::Gather | Op::Scatter)
            && data.args.first().is_some_and(|&p| {
                let ty = func.ty(p);
                ty.is_ptr() && ty.to_string().contains("global")
            })
    };
    let insts = func.live_insts().map(|(_, inst)| &func.insts[inst]).filter(|data| is_global(data));
    insts.map(|data| (data.op, module.frames(func, data.origin))).collect()
}

#[test]
fn accesses_keep_the_chain_of_calls_to_the_line_in_the_kernel() {
    let module = program(NESTED);
    for (stage, func) in functions(&module) {
        let accesses = accesses(&module, &func);
        assert!(accesses.len() >= 2, "{stage}");
        for (op, frames) in accesses {
            let users: Vec<&Frame> = frames.iter().filter(|frame| !frame.is_library).collect();
            let comments: Vec<&str> = users.iter().filter_map(|f| f.text.as_deref()?.rsplit("// ").next()).collect();
            let functions: Vec<&str> = users.iter().map(|f| f.function.as_str()).collect();
            if op == Op::Store || op == Op::Scatter {
                assert_eq!((&comments[..], &functions[..]), (&["writes"][..], &["k"][..]), "{stage}: {frames:?}");
                assert_eq!((users[0].line, users[0].column), (18, 5), "{stage}: {frames:?}");
            } else {
                assert_eq!(comments, ["deep", "middle", "reads"], "{stage}: {frames:?}");
                assert_eq!(functions, ["deep", "middle", "k"], "{stage}: {frames:?}");
                assert_eq!(users.iter().map(|f| f.line).collect::<Vec<_>>(), [3, 6, 11], "{stage}: {frames:?}");
            }
        }
    }
}

#[test]
fn bodies_of_the_library_lead_to_the_line_that_calls_them() {
    let module = program(NESTED);
    for (stage, func) in functions(&module) {
        let frames = func.live_insts().map(|(_, inst)| module.frames(&func, func.insts[inst].origin));
        let library: Vec<Vec<Frame>> = frames.filter(|frames| frames.first().is_some_and(|f| f.is_library)).collect();
        if stage.contains("lanes") {
            assert!(!library.is_empty(), "{stage}: sin came in");
        }
        for frames in library {
            let last = frames.last().expect("the kernel's");
            assert!(!last.is_library && last.function == "k", "{stage}: {frames:?}");
            assert!(frames[0].text.is_some() && frames[0].function != "k", "{stage}: {frames:?}");
        }
    }
}

#[test]
fn most_instructions_have_a_place() {
    let module = program(NESTED);
    for (stage, func) in functions(&module) {
        let origins = || func.live_insts().map(|(_, inst)| func.insts[inst].origin);
        let known = origins().filter(|origin| !origin.is_unknown()).count();
        println!("{stage}: {known} of {}", origins().count());
        assert!(known * 2 >= origins().count(), "{stage}: {known} of {}", origins().count());
    }
}

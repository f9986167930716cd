//! Kernels too large for all functions in them that ask for ids: these stay calls, get ids and sizes as arguments, and
//! leave the same bytes as the interpreter, which runs the kernel as it was written.
#![allow(unsafe_code, reason = "runs generated code")]

#[path = "support/ndrange.rs"]
mod ndrange;

use clift_jit::ir::{Func, Module};
use clift_jit::lowered;
use clift_jit::pipeline::Runner;
use ndrange::{Given, Kernel, Range};

const LANES: [u8; 2] = [4, 8];

/// A kernel whose tree of calls is as deep, with eight calls of each function in the one above it, of which few happen.
fn source(levels: usize) -> String {
    let calls = |level: usize| -> String {
        (0..8)
            .map(|n| format!("if ((x >> {level} & 7) == {n}) x = f{}(p, x * 5 + {n}, n + {n});\n", level - 1))
            .collect()
    };
    let function =
        |level: usize| format!("uint f{level}(global uint *p, uint x, uint n) {{ {} return x; }}\n", calls(level));
    let functions: String = (1..=levels).map(function).collect();
    format!(
        "uint f0(global uint *p, uint x, uint n) {{
            x ^= get_global_id(0) * 3 + get_local_id(1) + get_global_size(n & 1) * 7 + get_work_dim();
            for (uint i = 0; i < get_local_size(0); i++) x = x * 31 + p[0] + i;
            *p += get_group_id(1) + get_num_groups(0) + n;
            return x + get_global_offset(0);
        }}
        {functions}
        kernel void k(global uint *p, local uint *t) {{
            uint l = get_local_id(1) * get_local_size(0) + get_local_id(0), all = get_local_size(0) * get_local_size(1);
            global uint *own = p + get_global_id(1) * get_global_size(0) + get_global_id(0);
            t[l] = f{levels}(own, *own, l);
            barrier(CLK_LOCAL_MEM_FENCE);
            *own += f{levels}(own, t[all - 1 - l], l);
        }}"
    )
}

fn program(levels: usize) -> Module {
    let mut module = lowered(source(levels).as_bytes(), "-cl-std=CL3.0").expect("a program");
    Runner::default().program(&mut module);
    module
}

fn calls(func: &Func) -> usize {
    func.live_insts().filter(|&(_, i)| func.insts[i].callee().is_some()).count()
}

#[test]
fn functions_get_what_they_ask_for() {
    // As long as there is room all is in the kernel.
    assert!(program(2).funcs.values().filter(|f| f.is_kernel).all(|kernel| calls(kernel) == 0));
    let module = program(4);
    assert!(module.funcs.values().any(|f| f.is_kernel && calls(f) > 0));
    assert!(module.funcs.values().filter(|f| f.name == "f3").all(|f| f.params.len() > 3));
    let kernel = Kernel::from_source(&source(4));
    for range in [
        Range { global: [16, 1, 1], local: [8, 1, 1] },
        Range { global: [10, 3, 1], local: [4, 2, 1] },
        Range { global: [12, 4, 1], local: [12, 1, 1] },
    ] {
        let given = (0..range.items() as u32).flat_map(|n| (n.wrapping_mul(0x9e37_79b9)).to_le_bytes()).collect();
        kernel.run(range, &[Given::Buffer(given), Given::Local(64)]);
    }
}

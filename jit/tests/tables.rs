//! Small tables that lanes look up, in local and in constant memory: of every type and of sizes that fill registers and
//! do not, at indices of which the bound is known in some way. The interpreter and machine code of every kind agree bit
//! for bit.
#![allow(unsafe_code, reason = "runs generated code")]

#[path = "support/ndrange.rs"]
mod ndrange;

use clift_jit::codegen::{self, Stage};
use clift_jit::pipeline::Runner;
use clift_jit::target::Backend;
use clift_jit::{SpecKey, lowered, simd, wg};
use ndrange::{Given, Kernel, Range, side_by_side};

const LANES: [u8; 2] = [8, 32];

const TYPES: [(&str, usize); 5] = [("uchar", 1), ("short", 2), ("uint", 4), ("float", 4), ("ulong", 8)];

/// Ways to an index below `n`, if that is a power of two.
fn index(way: usize, n: usize) -> String {
    let most = n - 1;
    match way {
        0 => format!("v & {most}"),
        1 => format!("(int)(v >> 7) & {most}"),
        2 => format!("(v & 0xffff) * {n} >> 16"),
        3 => format!("min(v >> 3, {most}u)"),
        4 if n == 256 => "(uchar)(v >> 5)".into(),
        _ => format!("v % {n}"),
    }
}

fn check(source: &str) {
    let kernel = Kernel::from_source(source);
    for local in [1, 8, 37, 64] {
        let input = (0..2 * local as u32).flat_map(|i| i.wrapping_mul(0x9e37_79b9).rotate_left(i).to_le_bytes());
        let given = [Given::Buffer(input.collect()), Given::Buffer(vec![0; 2 * local * 3 * 8])];
        kernel.run(Range { global: [2 * local as u64, 1, 1], local: [local as u64, 1, 1] }, &given);
    }
}

/// What a kernel does with its table `t`.
fn look(ty: &str, n: usize, way: usize) -> String {
    let [a, b] = [index(way, n), index(way + 1, n)];
    format!(
        "uint v = in[i];
         {ty} a = t[{a}], b = 0;
         if (v & 4) b = t[{b}];
         ((global {ty} *)out)[2 * i] = a;
         ((global {ty} *)out)[2 * i + 1] = b;"
    )
}

#[test]
fn local_tables() {
    let tables: Vec<_> = TYPES.iter().flat_map(|&(ty, _)| [4, 32, 64, 128, 256].map(|n| (ty, n))).collect();
    side_by_side(&tables, |&(ty, n)| {
        for way in [0, 2, 4] {
            let look = look(ty, n, way);
            // The table need not be the first local variable, nor the last.
            for others in ["", "local int first[3]; first[l % 3] = l;"] {
                check(&format!(
                    "kernel void k(global const uint *in, global ulong *out) {{
                        size_t i = get_global_id(0), l = get_local_id(0);
                        {others}
                        local {ty} t[{n}];
                        for (uint j = l; j < {n}; j += get_local_size(0)) t[j] = ({ty})(j * j * 77 + 5);
                        barrier(CLK_LOCAL_MEM_FENCE);
                        {look}
                    }}"
                ));
            }
        }
    });
}

#[test]
fn constant_tables() {
    for (ty, _) in TYPES {
        for n in [3, 16, 64, 200, 256] {
            for way in [0, 1, 3].map(|way| if n % 2 == 0 && n != 200 { way } else { 5 }) {
                let values: Vec<String> = (0..n).map(|j| (j * j * 7 % 127).to_string()).collect();
                let (values, look) = (values.join(", "), look(ty, n, way));
                check(&format!(
                    "constant {ty} t[{n}] = {{ {values} }};
                     kernel void k(global const uint *in, global ulong *out) {{
                        size_t i = get_global_id(0);
                        {look}
                    }}"
                ));
            }
        }
    }
}

/// Nothing is gathered where registers hold the table, which takes mask registers; but few bytes take none.
#[test]
fn tables_are_permuted() {
    for backend in Backend::available() {
        let target = backend.target();
        let rows = [("uchar", 256, target.masks), ("ushort", 64, target.masks), ("uint", 32, target.masks)];
        for (ty, n, is_looked_up) in rows {
            let most = n - 1;
            for index in [&format!("in[i] & {most}"), &format!("min(in[i], {most}u)")] {
                assert_eq!(permutes(backend, ty, n, index), is_looked_up, "{backend:?}: {ty}[{n}] at {index}");
            }
            for index in [&format!("in[i] & {}", 2 * n - 1), "in[i]"] {
                assert!(!permutes(backend, ty, n, index), "{backend:?}: {ty}[{n}] at {index}");
            }
        }
        let legal = |n, index| legal(backend, "uchar", n, index);
        assert_eq!(legal(32, "in[i] & 31").contains(" swizzle "), !target.masks && target.swizzles, "{backend:?}");
        assert!(!legal(32, "in[i] & 63").contains(" swizzle "), "{backend:?}");
    }
}

/// True if lanes that read a local table of `n` elements at an index permute registers; else they gather, if the target
/// does.
fn permutes(backend: Backend, ty: &str, n: usize, index: &str) -> bool {
    let legal = legal(backend, ty, n, index);
    let permutes = legal.contains(" permute ");
    assert_eq!(legal.contains(" gather "), backend.target().gather && !permutes, "{legal}");
    permutes
}

/// The legal form of a kernel whose lanes read a local table of `n` elements at an index.
fn legal(backend: Backend, ty: &str, n: usize, index: &str) -> String {
    let source = format!(
        "kernel void k(global const uint *in, global {ty} *out) {{
            size_t i = get_global_id(0);
            local {ty} t[{n}];
            for (uint j = get_local_id(0); j < {n}; j += get_local_size(0)) t[j] = j * j;
            barrier(CLK_LOCAL_MEM_FENCE);
            out[i] = t[{index}];
        }}"
    );
    let mut module = lowered(source.as_bytes(), "-cl-std=CL3.0").unwrap_or_else(|log| panic!("{source}\n{log}"));
    Runner::default().program(&mut module);
    let key = SpecKey { local_size: Some([64, 1, 1]), small_ids: true, ..SpecKey::default() };
    let mut group = Runner::default().group(&module, 0, key, wg::Sharing::Auto);
    Runner::default().lanes(&module, &mut group.func, simd::Config::new(backend.target()));
    codegen::emit(backend, &module, &group.func, Stage::Kir).expect("compiles")
}

//! Small tables that lanes look up, in local and in constant memory: of every type and of sizes that fill registers and
//! do not, at indices of which the bound is known in some way. The interpreter and machine code of every kind agree bit
//! for bit.
#![allow(unsafe_code, reason = "runs generated code")]

#[path = "support/ndrange.rs"]
mod ndrange;

use ndrange::{Given, Kernel, Range};

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
    for (ty, _) in TYPES {
        for n in [4, 32, 64, 128, 256] {
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
        }
    }
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

/// Nothing is gathered where registers hold the table.
#[test]
fn tables_are_permuted() {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512vbmi") {
        use clift_jit::{Emit, SpecKey, build};
        let gathers = |index: &str| {
            let source = format!(
                "kernel void k(global const uint *in, global uchar *out) {{
                    size_t i = get_global_id(0);
                    local uchar t[256];
                    for (uint j = get_local_id(0); j < 256; j += get_local_size(0)) t[j] = j * j;
                    barrier(CLK_LOCAL_MEM_FENCE);
                    out[i] = t[{index}];
                }}"
            );
            let program = build(source.as_bytes(), "-cl-std=CL3.0", &[]).program.unwrap_or_else(|_| panic!("builds"));
            let key = SpecKey { local_size: Some([64, 1, 1]), small_ids: true, ..SpecKey::default() };
            program.emit(0, key, Emit::Asm).expect("compiles").contains("vpgather")
        };
        assert!(!gathers("in[i] & 255") && !gathers("(uchar)in[i]") && !gathers("in[i] >> 24"));
        assert!(gathers("in[i] & 511") && gathers("in[i]"));
    }
}

//! `as_type` and `as_typen` between all types: bits in memory order, errors with both sizes, and nothing left of them
//! in machine code where registers allow.
#![allow(unsafe_code, reason = "runs generated code")]

#[path = "support/kernel.rs"]
mod kernel;

use clift_jit::{Emit, SpecKey, build};
use kernel::{Buffer, Program};
use std::fmt::Write;

const ELEMS: [(&str, usize); 11] = [
    ("char", 1),
    ("uchar", 1),
    ("short", 2),
    ("ushort", 2),
    ("int", 4),
    ("uint", 4),
    ("long", 8),
    ("ulong", 8),
    ("half", 2),
    ("float", 4),
    ("double", 8),
];

/// A scalar or vector type.
#[derive(Clone)]
struct Ty {
    elem: &'static str,
    elem_bytes: usize,
    lanes: usize,
}

impl Ty {
    fn all() -> Vec<Self> {
        let with = |lanes| ELEMS.map(|(elem, elem_bytes)| Self { elem, elem_bytes, lanes });
        [1, 2, 3, 4, 8, 16].into_iter().flat_map(with).collect()
    }

    fn name(&self) -> String {
        if self.lanes == 1 { self.elem.into() } else { format!("{}{}", self.elem, self.lanes) }
    }

    /// Its size: three components take the room of four.
    fn bytes(&self) -> usize {
        self.elem_bytes * if self.lanes == 3 { 4 } else { self.lanes }
    }

    /// What changes some bits of every component, in a register of this type, and nothing else.
    fn stir(&self) -> &'static str {
        if matches!(self.elem, "half" | "float" | "double") { "-" } else { "~" }
    }

    fn stir_bytes(&self, bytes: &mut [u8]) {
        for lane in bytes.chunks_mut(self.elem_bytes).take(self.lanes) {
            match self.stir() {
                "~" => lane.iter_mut().for_each(|b| *b = !*b),
                _ => *lane.last_mut().expect("a component") ^= 0x80,
            }
        }
    }
}

/// The errors of a source with one kernel.
fn log(declarations: &str, body: &str) -> String {
    build(format!("{declarations}\nkernel void k(global int *o) {{ {body}; }}").as_bytes(), "-cl-std=CL3.0", &[]).log
}

#[test]
fn all_pairs_of_one_size_keep_their_bits_in_memory_order() {
    let types = Ty::all();
    let bytes: Vec<u8> = (0..128u32).map(|i| (i * 89 + 7) as u8).collect();
    let mut tried = 0;
    for from in &types {
        let targets: Vec<&Ty> = types.iter().filter(|to| to.bytes() == from.bytes()).collect();
        let (f, stir) = (from.name(), from.stir());
        let mut source = String::new();
        let lane = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |bits, &b| bits << 8 | u64::from(b));
        let literal = |bytes: &[u8]| match from.elem {
            "half" => format!("as_half((ushort){:#x})", lane(bytes)),
            "float" => format!("as_float({:#x}u)", lane(bytes)),
            "double" => format!("as_double({:#x}ul)", lane(bytes)),
            elem => format!("({elem}){:#x}ul", lane(bytes)),
        };
        let lanes: Vec<String> = bytes.chunks(from.elem_bytes).take(from.lanes).map(literal).collect();
        let value = if from.lanes == 1 { lanes[0].clone() } else { format!("({f})({})", lanes.join(", ")) };
        for to in &targets {
            let (t, unstir) = (to.name(), to.stir());
            write!(
                source,
                "constant {t} value_{t} = as_{t}({value});\n\
                 kernel void constant_{t}(global {t} *o, global const {f} *a) {{ *o = value_{t}; }}\n\
                 kernel void copy_{t}(global {t} *o, global const {f} *a) {{ *o = as_{t}(*a); }}\n\
                 kernel void op_{t}(global {t} *o, global const {f} *a) {{ *o = {unstir}as_{t}(({f})({stir}*a)); }}\n"
            )
            .unwrap();
        }
        let program = Program::new(&source);
        for to in targets {
            // Components that both types have: the rest of three is undefined.
            let known = (from.elem_bytes * from.lanes).min(to.elem_bytes * to.lanes) / to.elem_bytes * to.elem_bytes;
            for kernel in ["constant", "copy", "op"] {
                let mut want = bytes.clone();
                if kernel == "op" {
                    from.stir_bytes(&mut want);
                    to.stir_bytes(&mut want);
                }
                let (mut input, mut out) = (Buffer::new(&bytes), Buffer::zeroed(128));
                program.run(&format!("{kernel}_{}", to.name()), 1, &mut [&mut out, &mut input]);
                assert_eq!(out.bytes()[..known], want[..known], "{kernel}: as_{} of {f}", to.name());
                tried += 1;
            }
        }
    }
    assert!(tried > 1500, "{tried}");
}

#[test]
fn sizes_must_agree() {
    for from in Ty::all() {
        for to in Ty::all().iter().filter(|to| to.bytes() != from.bytes()) {
            let (f, t) = (from.name(), to.name());
            let log = log("", &format!("{f} x; as_{t}(x)"));
            let want = format!(
                "error: cannot reinterpret '{f}' as '{t}': the sizes differ ({} and {} bytes)",
                from.bytes(),
                to.bytes()
            );
            assert!(log.contains(&want), "{log}");
        }
    }
}

#[test]
fn only_numbers_and_vectors_are_reinterpreted() {
    let declarations = "struct S { int i; }; typedef union { int i; float f; } U;";
    for (body, from, to) in [
        ("as_int((bool)1)", "bool", "int"),
        ("bool b = 1; as_char(b)", "bool", "char"),
        ("struct S s; as_int(s)", "struct S", "int"),
        ("U u; as_float(u)", "U", "float"),
        ("as_ulong(o)", "global int *", "ulong"),
        ("int a[1]; as_int(a)", "int *", "int"),
        ("as_int(barrier(0))", "void", "int"),
        ("as_bool((char)1)", "char", "bool"),
    ] {
        let log = log(declarations, body);
        assert!(log.contains("error: "), "{body}: {log}");
        let is_named = log.contains(&format!("'{from}")) && log.contains(&format!("'{to}'"));
        assert!(is_named || log.contains("as_bool") || log.contains("void"), "{body}: {log}");
    }
    for (body, what) in
        [("as_void(1)", "as_void"), ("as_S(1)", "as_S"), ("as_int()", "as_int"), ("as_int(1, 2)", "as_int")]
    {
        let log = log(declarations, body);
        assert!(log.contains("error: ") && log.contains(what), "{body}: {log}");
    }
    // The usual promotions are not applied: a char has one byte.
    assert_eq!(log("", "char c = 1; as_uchar(c)"), "");
    assert!(log("", "char c = 1; as_int(c)").contains("(1 and 4 bytes)"));
    assert!(log("", "char c = 1; as_uchar(c + c)").contains("(4 and 1 bytes)"));
    assert!(log("", "float f = 1; as_double(f)").contains("(4 and 8 bytes)"));
    assert!(log("", "as_double4((float4)(1))").contains("(16 and 32 bytes)"));
}

#[test]
fn reinterpreting_in_registers_takes_no_instruction() {
    // Pairs of kernels: the second does the same without `as_type`.
    let source = "
        kernel void as_copy(global short8 *o, global const int4 *a) { *o = as_short8(*a); }
        kernel void copy(global int4 *o, global const int4 *a) { *o = *a; }
        kernel void as_narrow(global uint4 *o, global const double2 *a) { *o = as_uint4(*a * *a); }
        kernel void narrow(global double2 *o, global const double2 *a) { *o = *a * *a; }
        kernel void as_mask(global float4 *o, global const float4 *a) { *o = as_float4(as_int4(*a) & 5); }
        kernel void mask(global int4 *o, global const int4 *a) { *o = *a & 5; }
        kernel void as_wide(global ulong4 *o, global const int8 *a) { *o = as_ulong4(*a + 1); }
        kernel void wide(global int8 *o, global const int8 *a) { *o = *a + 1; }
        kernel void as_three(global float4 *o, global const float3 *a) { *o = as_float4(as_uint3(*a)); }
        kernel void three(global float4 *o, global const float3 *a) { float4 v; v.xyz = *a; *o = v; }
        kernel void as_one(global uint *o, global const float *a) { *o = as_uint(*a * 2); }
        kernel void one(global float *o, global const float *a) { *o = *a * 2; }";
    let program = build(source.as_bytes(), "-cl-std=CL3.0", &[]).program.unwrap_or_else(|_| panic!("builds"));
    let size = |name: &str| {
        let kernel = program.kernels().iter().position(|k| k.name == name).expect("the kernel exists");
        let code = program
            .emit(kernel, SpecKey { local_size: Some([1, 1, 1]), small_ids: true, ..SpecKey::default() }, Emit::Asm)
            .expect("compiles");
        code.lines().count()
    };
    for pair in ["copy", "narrow", "mask", "wide", "three", "one"] {
        assert!(size(&format!("as_{pair}")) <= size(pair), "{pair}");
    }
}

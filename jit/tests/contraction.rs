//! `FP_CONTRACT`: a sum of a product is rounded once where contraction is on and the machine fuses, twice where it is
//! off; constants fold to what the machine computes, in every rounding mode, type and vector width.
#![allow(unsafe_code, reason = "runs generated code")]

#[path = "support/kernel.rs"]
mod kernel;

use clift_jit::features::has_fast_fma;
use clift_jit::{Emit, SpecKey, build};
use kernel::{Buffer, Program};
use std::fmt::Write;

/// Ways to write a product and a sum, and the signs of product and addend.
const SHAPES: [(&str, f64, f64); 6] = [
    ("A * B + C", 1.0, 1.0),
    ("C + (A * B)", 1.0, 1.0),
    ("A * B - C", 1.0, -1.0),
    ("C - A * B", -1.0, 1.0),
    ("x += A * B", 1.0, 1.0),
    ("x -= A * B", -1.0, 1.0),
];
/// The first of them are expressions without an assignment.
const N_CONSTANT: usize = 4;
const WIDTHS: [usize; 6] = [1, 2, 3, 4, 8, 16];
const N: usize = 48 * 16;
/// So many triples are written as literals too.
const N_LITERAL: usize = 64;

/// A floating-point type under test.
struct Kind {
    name: &'static str,
    bits: u32,
    frac: u32,
}

const KINDS: [Kind; 2] = [Kind { name: "float", bits: 32, frac: 23 }, Kind { name: "double", bits: 64, frac: 52 }];

impl Kind {
    fn is_nan(&self, x: u64) -> bool {
        x & (u64::MAX >> (65 - self.bits)) > self.infinity()
    }

    fn infinity(&self) -> u64 {
        (u64::MAX >> (65 - self.bits)) >> self.frac << self.frac
    }

    /// Special values against each other, then random numbers near enough to each other that roundings show.
    fn triples(&self) -> Vec<[u64; 3]> {
        let (sign, inf, one) =
            (1 << (self.bits - 1), self.infinity(), (self.infinity() >> 1) >> self.frac << self.frac);
        let special =
            [0, sign, 1, sign | 2, one, one + 1, sign | one, inf - 1, sign | (inf - 1), inf, sign | inf, inf + 1];
        let mut triples = Vec::new();
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let mut random = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            state >> 11 ^ state << 20
        };
        while triples.len() < N {
            let near_one = |x: u64| x & (sign | ((1 << self.frac) - 1)) | one;
            triples.push(match triples.len() % 3 {
                0 => [(); 3].map(|()| special[(random() >> 7) as usize % special.len()]),
                1 => [(); 3].map(|()| near_one(random())),
                _ => {
                    // The addend is nearly minus the product: what is left is the product's rounding error.
                    let (a, b) = (near_one(random()), near_one(random()));
                    [a, b, self.fused(a, b, 0, false) ^ sign]
                }
            });
        }
        triples
    }

    /// a*b + c on the host, rounded to nearest once or twice.
    fn fused(&self, a: u64, b: u64, c: u64, once: bool) -> u64 {
        if self.bits == 32 {
            let [a, b, c] = [a, b, c].map(|x| f32::from_bits(x as u32));
            u64::from(if once { a.mul_add(b, c) } else { a * b + c }.to_bits())
        } else {
            let [a, b, c] = [a, b, c].map(f64::from_bits);
            if once { a.mul_add(b, c) } else { a * b + c }.to_bits()
        }
    }

    fn literal(&self, bits: u64) -> String {
        if self.bits == 32 { format!("as_float({bits:#x}u)") } else { format!("as_double({bits:#x}ul)") }
    }

    fn bytes(&self, values: impl Iterator<Item = u64>) -> Buffer {
        let size = self.bits as usize / 8;
        Buffer::new(&values.flat_map(|x| x.to_le_bytes()[..size].to_vec()).collect::<Vec<_>>())
    }

    fn values(&self, buffer: &Buffer) -> Vec<u64> {
        if self.bits == 32 { buffer.words().into_iter().map(u64::from).collect() } else { buffer.long_words() }
    }
}

/// Kernels that compute every shape: `run{width}` from memory, `constants` from `constant` variables, `literals` from
/// literals in expressions.
fn source(kind: &Kind, triples: &[[u64; 3]], contract: &str, mode: &str) -> String {
    let t = kind.name;
    let mut s = format!(
        "#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable\n\
         #pragma OPENCL SELECT_ROUNDING_MODE {mode}\n#pragma OPENCL FP_CONTRACT {contract}\n"
    );
    for width in WIDTHS {
        let (v, load, store) = match width {
            1 => (t.to_owned(), "[i]".to_owned(), String::new()),
            _ => (format!("{t}{width}"), format!("vload{width}"), format!("vstore{width}")),
        };
        write!(s, "kernel void run{width}(global {t} *o, global const {t} *a, global const {t} *b, global const {t} *c) {{ size_t i = get_global_id(0);").unwrap();
        let get = |p: &str| if width == 1 { format!("{p}[i]") } else { format!("{load}(i, {p})") };
        write!(s, "{v} A = {}, B = {}, C = {}, x;", get("a"), get("b"), get("c")).unwrap();
        for (n, (shape, ..)) in SHAPES.iter().enumerate() {
            let at = n * N;
            let put = if width == 1 { format!("o[i + {at}] = x;") } else { format!("{store}(x, i, o + {at});") };
            let set = if n < N_CONSTANT { format!("x = {shape};") } else { format!("x = C; {shape};") };
            s += &(set + &put);
        }
        s += "}\n";
    }
    let with = |shape: &str, triple: &[u64; 3]| {
        shape.chars().fold(String::new(), |text, c| match c {
            'A'..='C' => text + &kind.literal(triple[(c as u8 - b'A') as usize]),
            _ => text + &c.to_string(),
        })
    };
    for (n, (shape, ..)) in SHAPES[..N_CONSTANT].iter().enumerate() {
        let list: Vec<String> = triples.iter().map(|triple| with(shape, triple)).collect();
        writeln!(s, "constant {t} table{n}[] = {{ {} }};", list.join(", ")).unwrap();
    }
    write!(s, "kernel void constants(global {t} *o) {{ size_t i = get_global_id(0);").unwrap();
    (0..N_CONSTANT).for_each(|n| write!(s, "o[i + {}] = table{n}[i];", n * N).unwrap());
    write!(s, "}}\nkernel void literals(global {t} *o) {{").unwrap();
    for (i, triple) in triples[..N_LITERAL].iter().enumerate() {
        for (n, (shape, ..)) in SHAPES.iter().enumerate() {
            let at = n * N + i;
            match n < N_CONSTANT {
                true => write!(s, "o[{at}] = {};", with(shape, triple)).unwrap(),
                false => {
                    write!(s, "{{ {t} x = {}; {}; o[{at}] = x; }}", with("C", triple), with(shape, triple)).unwrap()
                }
            }
        }
    }
    s + "}\n"
}

#[test]
fn contraction_rounds_once_and_folds_alike() {
    for kind in &KINDS {
        let triples = kind.triples();
        for mode in ["rte", "rtz", "rtp", "rtn"] {
            let mut by_switch = Vec::new();
            for contract in ["ON", "OFF"] {
                let program = Program::new(&source(kind, &triples, contract, mode));
                let mut inputs = [0, 1, 2].map(|n| kind.bytes(triples.iter().map(|t| t[n])));
                let [a, b, c] = &mut inputs;
                let run = |name: &str, items: usize, inputs: &mut [&mut Buffer]| {
                    let mut out = Buffer::zeroed(SHAPES.len() * N * kind.bits as usize / 8);
                    let mut all = vec![&mut out];
                    all.extend(inputs.iter_mut().map(|b| &mut **b));
                    program.run(name, items as u64, &mut all);
                    kind.values(&out)
                };
                let scalar = run("run1", N, &mut [a, b, c]);
                let check =
                    |what: &str, got: &[u64], shapes: usize, count: usize, want: &dyn Fn(usize, usize) -> u64| {
                        for n in 0..shapes {
                            for i in 0..count {
                                let (got, want) = (got[n * N + i], want(n, i));
                                assert!(
                                    got == want || kind.is_nan(got) && kind.is_nan(want),
                                    "{} {mode} {contract} {what}: {} of {:x?}: {got:x}, wanted {want:x}",
                                    kind.name,
                                    SHAPES[n].0,
                                    triples[i]
                                );
                            }
                        }
                    };
                if mode == "rte" {
                    check("on the machine", &scalar, SHAPES.len(), N, &|n, i| {
                        let sign = 1 << (kind.bits - 1);
                        let flip = |x: u64, factor: f64| if factor < 0.0 { x ^ sign } else { x };
                        let [a, b, c] = triples[i];
                        let (_, product, addend) = SHAPES[n];
                        kind.fused(flip(a, product), b, flip(c, addend), contract == "ON" && has_fast_fma())
                    });
                }
                for width in &WIDTHS[1..] {
                    let wide = run(&format!("run{width}"), N / width, &mut [a, b, c]);
                    check(&format!("in vectors of {width}"), &wide, SHAPES.len(), N, &|n, i| scalar[n * N + i]);
                }
                let constants = run("constants", N, &mut []);
                check("in constants", &constants, N_CONSTANT, N, &|n, i| scalar[n * N + i]);
                let literals = run("literals", 1, &mut []);
                check("of literals", &literals, SHAPES.len(), N_LITERAL, &|n, i| scalar[n * N + i]);
                by_switch.push(scalar);
            }
            assert_eq!(by_switch[0] != by_switch[1], has_fast_fma(), "{} {mode}: the pragma shows", kind.name);
        }
    }
}

#[test]
fn the_fast_fma_macros_tell_what_the_machine_does() {
    let source = "kernel void k(global float *f, global double *d, global int *macros) {
        f[0] = fma(f[0], f[1], f[2]); d[0] = fma(d[0], d[1], d[2]);
        #ifdef FP_FAST_FMAF
        macros[0] = 1;
        #endif
        #ifdef FP_FAST_FMA
        macros[1] = 1;
        #endif
        #ifdef FP_FAST_FMA_HALF
        macros[2] = 1;
        #endif
    }";
    let (mut f, mut d, mut macros) = (Buffer::zeroed(12), Buffer::zeroed(24), Buffer::zeroed(12));
    Program::new(source).run("k", 1, &mut [&mut f, &mut d, &mut macros]);
    // Half is computed in float: a product and a sum are faster than their fusion.
    assert_eq!(macros.words(), [u32::from(has_fast_fma()), u32::from(has_fast_fma()), 0]);
    let program = build(source.as_bytes(), "", &[]).program.unwrap_or_else(|_| panic!("builds"));
    let code = program
        .emit(0, SpecKey { local_size: Some([1, 1, 1]), small_ids: true, ..SpecKey::default() }, Emit::Asm)
        .expect("compiles");
    let fused = if cfg!(target_arch = "x86_64") { "vfm" } else { "fmadd" };
    assert_eq!(code.matches(fused).count(), if has_fast_fma() { 2 } else { 0 }, "{code}");
}

//! Integer functions in machine code, every type, scalar and vectors, against arithmetic in 128 bits. Exact.
//! Spec: OpenCL C, "Integer Functions".
#![allow(unsafe_code, reason = "runs generated code")]

#[path = "support/kernel.rs"]
mod kernel;

use kernel::{Buffer, Program};

/// An integer type.
#[derive(Clone, Copy)]
struct Int {
    name: &'static str,
    bits: u32,
    signed: bool,
}

const TYPES: [Int; 8] = [
    Int { name: "char", bits: 8, signed: true },
    Int { name: "uchar", bits: 8, signed: false },
    Int { name: "short", bits: 16, signed: true },
    Int { name: "ushort", bits: 16, signed: false },
    Int { name: "int", bits: 32, signed: true },
    Int { name: "uint", bits: 32, signed: false },
    Int { name: "long", bits: 64, signed: true },
    Int { name: "ulong", bits: 64, signed: false },
];

impl Int {
    fn min(self) -> i128 {
        if self.signed { -(1 << (self.bits - 1)) } else { 0 }
    }

    fn max(self) -> i128 {
        (1 << (self.bits - u32::from(self.signed))) - 1
    }

    fn wrap(self, x: i128) -> i128 {
        let low = x & ((1 << self.bits) - 1);
        if low > self.max() { low - (1 << self.bits) } else { low }
    }

    fn saturate(self, x: i128) -> i128 {
        x.clamp(self.min(), self.max())
    }

    fn unsigned(self) -> Int {
        TYPES[TYPES.iter().position(|t| t.bits == self.bits).expect("a listed type") + 1]
    }

    fn signed(self) -> Int {
        TYPES[TYPES.iter().position(|t| t.bits == self.bits).expect("a listed type")]
    }

    fn wide(self) -> Option<Int> {
        TYPES.iter().copied().find(|t| t.bits == 2 * self.bits && t.signed == self.signed)
    }

    /// The bits of `x`, as an unsigned number.
    fn raw(self, x: i128) -> u64 {
        (x & ((1 << self.bits) - 1)) as u64
    }

    fn size_bytes(self) -> usize {
        self.bits as usize / 8
    }
}

/// Edges and patterns; 96 numbers.
fn values(ty: Int, seed: u64) -> Vec<i128> {
    let edges = [0, 1, 2, 3, 7, 8, 0x55, 100, -1, -2, -128, 127, 255];
    let mut out: Vec<i128> = edges.iter().map(|&x| ty.wrap(x)).collect();
    out.extend([ty.min(), ty.max(), ty.min() + 1, ty.max() - 1, ty.max() / 2, ty.min() / 2]);
    let mut state = seed;
    while out.len() < 96 {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let shift = (state >> 58) as u32 % ty.bits;
        out.push(ty.wrap(i128::from((state ^ (state >> 29)) >> shift)));
    }
    out
}

/// Runs `name` on columns of arguments of the given types at a width, results sign- or zero-extended.
fn run(name: &str, ret: Int, params: &[Int], columns: &[Vec<i128>], width: usize) -> Vec<i128> {
    let pointers: String =
        params.iter().enumerate().map(|(n, ty)| format!(", global const {} *a{n}", ty.name)).collect();
    let vector = if width == 1 { String::new() } else { width.to_string() };
    let loads: Vec<String> = (0..params.len())
        .map(|n| if width == 1 { format!("a{n}[i]") } else { format!("vload{width}(i, a{n})") })
        .collect();
    let call = format!("{name}({})", loads.join(", "));
    let store = if width == 1 { format!("o[i] = {call}") } else { format!("vstore{width}({call}, i, o)") };
    let source = format!("kernel void k(global {} *o{pointers}) {{ size_t i = get_global_id(0); {store}; }}", ret.name);
    let program = Program::new(&source);
    let len = columns[0].len();
    let mut inputs: Vec<Buffer> = Vec::new();
    for (ty, column) in params.iter().zip(columns) {
        let bytes: Vec<u8> = column.iter().flat_map(|&x| ty.raw(x).to_le_bytes()[..ty.size_bytes()].to_vec()).collect();
        inputs.push(Buffer::new(&bytes));
    }
    let mut out = Buffer::zeroed(len * ret.size_bytes());
    let mut buffers = vec![&mut out];
    buffers.extend(inputs.iter_mut());
    program.run("k", (len / width) as u64, &mut buffers);
    let bytes = out.bytes();
    let word = |c: &[u8]| c.iter().rev().fold(0i128, |all, &byte| all << 8 | i128::from(byte));
    assert!(vector.is_empty() || len.is_multiple_of(width));
    bytes.chunks_exact(ret.size_bytes()).map(|c| ret.wrap(word(c))).collect()
}

/// Checks a function of all types against `reference(type, arguments)`; arguments where it gives `None` do not count.
fn check(
    name: &str,
    ret: fn(Int) -> Option<Int>,
    params: fn(Int) -> Vec<Int>,
    reference: fn(Int, &[i128]) -> Option<i128>,
) {
    for ty in TYPES {
        let Some(ret) = ret(ty) else { continue };
        let params = params(ty);
        // Every value beside every other in the first two columns.
        let first = values(params[0], 1);
        let mut columns: Vec<Vec<i128>> = vec![first.iter().flat_map(|&x| vec![x; 96]).collect()];
        for (n, &param) in params.iter().enumerate().skip(1) {
            let mut list = values(param, n as u64 + 1);
            columns.push(
                (0..96)
                    .flat_map(|_| {
                        if n > 1 {
                            list.rotate_left(5);
                        }
                        list.clone()
                    })
                    .collect(),
            );
        }
        for width in [1, 3, 4, 16] {
            let got = run(name, ret, &params, &columns, width);
            for (at, &value) in got.iter().enumerate() {
                let args: Vec<i128> = columns.iter().map(|column| column[at]).collect();
                if let Some(want) = reference(ty, &args) {
                    assert_eq!(value, want, "{name} of {}, width {width}, at {args:?}", ty.name);
                }
            }
        }
    }
}

fn same(ty: Int) -> Option<Int> {
    Some(ty)
}

/// High half of the product of the first two.
fn high(ty: Int, args: &[i128]) -> i128 {
    if ty.signed { (args[0] * args[1]) >> ty.bits } else { ((args[0] as u128 * args[1] as u128) >> ty.bits) as i128 }
}

#[test]
fn absolute_values() {
    check("abs", |t| Some(t.unsigned_or_self()), |t| vec![t], |_, a| Some(a[0].abs()));
    check("abs_diff", |t| Some(t.unsigned_or_self()), |t| vec![t, t], |_, a| Some((a[0] - a[1]).abs()));
}

impl Int {
    fn unsigned_or_self(self) -> Int {
        if self.signed { self.unsigned() } else { self }
    }
}

#[test]
fn saturating_and_halving_sums() {
    check("add_sat", same, |t| vec![t, t], |t, a| Some(t.saturate(a[0] + a[1])));
    check("sub_sat", same, |t| vec![t, t], |t, a| Some(t.saturate(a[0] - a[1])));
    check("hadd", same, |t| vec![t, t], |_, a| Some((a[0] + a[1]) >> 1));
    check("rhadd", same, |t| vec![t, t], |_, a| Some((a[0] + a[1] + 1) >> 1));
}

#[test]
fn minimum_maximum_clamp() {
    check("min", same, |t| vec![t, t], |_, a| Some(a[0].min(a[1])));
    check("max", same, |t| vec![t, t], |_, a| Some(a[0].max(a[1])));
    check("clamp", same, |t| vec![t, t, t], |_, a| (a[1] <= a[2]).then(|| a[0].clamp(a[1], a[2])));
}

#[test]
fn products() {
    check("mul_hi", same, |t| vec![t, t], |t, a| Some(high(t, a)));
    check("mad_hi", same, |t| vec![t, t, t], |t, a| Some(t.wrap(high(t, a) + a[2])));
    // The product of two ulongs does not fit, its sum with the third even less.
    check(
        "mad_sat",
        same,
        |t| vec![t, t, t],
        |t, a| Some(t.saturate(a[0].checked_mul(a[1]).and_then(|p| p.checked_add(a[2])).unwrap_or(i128::MAX))),
    );
    let word = |t: Int| (t.bits == 32).then_some(t);
    check("mul24", word, |t| vec![t, t], |t, a| Some(t.wrap(a[0].wrapping_mul(a[1]))));
    check("mad24", word, |t| vec![t, t, t], |t, a| Some(t.wrap(a[0] * a[1] + a[2])));
}

#[test]
fn bits() {
    check("clz", same, |t| vec![t], |t, a| Some(i128::from((t.raw(a[0]).leading_zeros()) + t.bits - 64)));
    check("ctz", same, |t| vec![t], |t, a| Some(i128::from(t.raw(a[0]).trailing_zeros().min(t.bits))));
    check("popcount", same, |t| vec![t], |t, a| Some(i128::from(t.raw(a[0]).count_ones())));
    check(
        "rotate",
        same,
        |t| vec![t, t],
        |t, a| {
            let by = (t.raw(a[1]) % u64::from(t.bits)) as u32;
            let x = i128::from(t.raw(a[0]));
            Some(t.wrap(x << by | x >> (t.bits - by)))
        },
    );
    check("upsample", Int::wide, |t| vec![t, t.unsigned_or_self()], |t, a| Some((a[0] << t.bits) | a[1]));
}

#[test]
fn selection() {
    check(
        "bitselect",
        same,
        |t| vec![t, t, t],
        |t, a| {
            let [x, y, c] = [a[0], a[1], a[2]].map(|x| t.raw(x));
            Some(t.wrap(i128::from((x & !c) | (y & c))))
        },
    );
}

#[test]
fn select_goes_by_value_for_scalars_and_by_sign_bit_for_vectors() {
    for ty in TYPES {
        for mask in [ty.signed(), ty.unsigned_or_self()] {
            let columns = vec![values(ty, 3), values(ty, 4), values(mask, 5)];
            for width in [1, 2, 8] {
                let got = run("select", ty, &[ty, ty, mask], &columns, width);
                for (at, &value) in got.iter().enumerate() {
                    let c = columns[2][at];
                    let second = if width == 1 { c != 0 } else { mask.raw(c) >> (mask.bits - 1) != 0 };
                    let want = columns[usize::from(second)][at];
                    assert_eq!(value, want, "select of {} by {}, width {width}, mask {c}", ty.name, mask.name);
                }
            }
        }
    }
}

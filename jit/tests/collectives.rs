//! Work-group collectives: every operation on every type in groups of all shapes, against the order that
//! `ir::collective` promises, written here once more in plain Rust; and in loops, callees and conditionals. The
//! interpreter and machine code of every kind run each kernel and must agree bit for bit.
#![allow(unsafe_code, reason = "runs generated code")]

#[path = "support/ndrange.rs"]
mod ndrange;
#[path = "support/rng.rs"]
mod rng;

use clift_jit::ir::softfloat;
use clift_jit::{AddrSpace, ArgInfo, ArgKind, KernelInfo};
use ndrange::{Given, Kernel, Range};
use rng::Rng;

const LANES: [u8; 2] = [4, 16];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Int,
    UInt,
    Long,
    ULong,
    Half,
    Float,
    Double,
}

use Type::{Double, Float, Half, Int, Long, UInt, ULong};

impl Type {
    /// `half` has no arithmetic in OpenCL C yet.
    const NAMED: [Type; 6] = [Int, UInt, Long, ULong, Float, Double];

    fn name(self) -> &'static str {
        match self {
            Int => "int",
            UInt => "uint",
            Long => "long",
            ULong => "ulong",
            Half => "half",
            Float => "float",
            Double => "double",
        }
    }
    fn bytes(self) -> usize {
        match self {
            Half => 2,
            Int | UInt | Float => 4,
            Long | ULong | Double => 8,
        }
    }
    fn is_float(self) -> bool {
        matches!(self, Half | Float | Double)
    }
    fn write(self, values: &[u64]) -> Vec<u8> {
        values.iter().flat_map(|v| v.to_le_bytes()[..self.bytes()].to_vec()).collect()
    }
    /// Bits; all NaNs are one.
    fn read(self, bytes: &[u8]) -> Vec<u64> {
        let bits = |chunk: &[u8]| chunk.iter().rev().fold(0u64, |v, &b| v << 8 | u64::from(b));
        bytes.chunks(self.bytes()).map(|chunk| self.one_nan(bits(chunk))).collect()
    }
    fn one_nan(self, bits: u64) -> u64 {
        if self.is_float() && self.float(bits).is_nan() { u64::MAX } else { bits }
    }
    /// The value, exactly.
    fn float(self, bits: u64) -> f64 {
        match self {
            Half => {
                f64::from_bits(softfloat::convert(softfloat::F16, softfloat::F64, bits, clift_jit::ir::Rounding::Rte))
            }
            Float => f64::from(f32::from_bits(bits as u32)),
            _ => f64::from_bits(bits),
        }
    }
    /// Rounded to the type.
    fn round(self, v: f64) -> u64 {
        match self {
            Half => softfloat::convert(softfloat::F64, softfloat::F16, v.to_bits(), clift_jit::ir::Rounding::Rte),
            Float => u64::from((v as f32).to_bits()),
            _ => v.to_bits(),
        }
    }
}

const OPS: [&str; 7] = ["add", "min", "max", "mul", "and", "or", "xor"];

fn exists(op: &str, ty: Type) -> bool {
    !(ty.is_float() && ["and", "or", "xor"].contains(&op))
}

/// `left op right`.
fn combine(op: &str, ty: Type, left: u64, right: u64) -> u64 {
    if ty.is_float() {
        let (a, b) = (ty.float(left), ty.float(right));
        return match op {
            // Sums and products of two halves or floats, rounded to double, round to their type as if directly.
            "add" => ty.round(a + b),
            "mul" => ty.round(a * b),
            _ if a.is_nan() => right,
            _ if b.is_nan() => left,
            "min" => {
                if b < a {
                    right
                } else {
                    left
                }
            }
            _ => {
                if b > a {
                    right
                } else {
                    left
                }
            }
        };
    }
    let cut = |v: u64| if ty.bytes() == 4 { v & 0xffff_ffff } else { v };
    let signed = |v: u64| if ty.bytes() == 4 { i64::from(v as i32) } else { v as i64 };
    let less = match ty {
        Int | Long => signed(right) < signed(left),
        _ => right < left,
    };
    match op {
        "add" => cut(left.wrapping_add(right)),
        "mul" => cut(left.wrapping_mul(right)),
        "min" => {
            if less {
                right
            } else {
                left
            }
        }
        "max" => {
            if less || left == right {
                left
            } else {
                right
            }
        }
        "and" => left & right,
        "or" => left | right,
        _ => left ^ right,
    }
}

/// Identities as the specification lists them.
fn identity(op: &str, ty: Type) -> u64 {
    match (op, ty) {
        ("add" | "or" | "xor", _) => 0,
        ("and", Int | UInt) => 0xffff_ffff,
        ("and", _) => u64::MAX,
        ("mul", Half) => 0x3c00,
        ("mul", Float) => 0x3f80_0000,
        ("mul", Double) => 0x3ff0_0000_0000_0000,
        ("mul", _) => 1,
        ("min", Int) => i32::MAX as u64,
        ("min", UInt) => u64::from(u32::MAX),
        ("min", Long) => i64::MAX as u64,
        ("min", ULong) => u64::MAX,
        ("min", Half) => 0x7c00,
        ("min", Float) => 0x7f80_0000,
        ("min", Double) => 0x7ff0_0000_0000_0000,
        ("max", Int) => 0x8000_0000,
        ("max", Long) => 1 << 63,
        ("max", UInt | ULong) => 0,
        ("max", Half) => 0xfc00,
        ("max", Float) => 0xff80_0000,
        ("max", Double) => 0xfff0_0000_0000_0000,
        _ => unreachable!("no such operation"),
    }
}

/// The reduction in its promised order.
fn reduce(op: &str, ty: Type, values: &[u64]) -> u64 {
    let mut columns = [None; 16];
    for (l, &v) in values.iter().enumerate() {
        columns[l % 16] = Some(columns[l % 16].map_or(v, |sum| combine(op, ty, sum, v)));
    }
    for step in [8, 4, 2, 1] {
        for i in 0..step {
            columns[i] = match (columns[i], columns[i + step]) {
                (Some(a), Some(b)) => Some(combine(op, ty, a, b)),
                (a, b) => a.or(b),
            };
        }
    }
    columns[0].expect("a group has a work-item")
}

/// The inclusive scan in its promised order.
fn scan(op: &str, ty: Type, values: &[u64]) -> Vec<u64> {
    let mut out: Vec<u64> = Vec::new();
    for l in 0..values.len() {
        let first = l - l % 4;
        let run = values[first + 1..l + 1].iter().fold(values[first], |sum, &v| combine(op, ty, sum, v));
        out.push(if first == 0 { run } else { combine(op, ty, out[first - 1], run) });
    }
    out
}

fn exclusive(op: &str, ty: Type, values: &[u64]) -> Vec<u64> {
    let mut out = scan(op, ty, values);
    out.rotate_right(1);
    out[0] = identity(op, ty);
    out
}

/// Operands for `op`. Most sums and products stay finite and round at every step; `special` adds zeros of both signs,
/// infinities, NaNs and subnormals.
fn operands(op: &str, ty: Type, n: usize, special: bool, rng: &mut Rng) -> Vec<u64> {
    let one = |rng: &mut Rng| {
        let r = rng.next();
        if !ty.is_float() {
            // Odd, so that products do not run to zero; small now and then, so that extremes are shared.
            let v = if r >> 60 == 0 { r & 7 } else { r | 1 };
            return if ty.bytes() == 4 { v & 0xffff_ffff } else { v };
        }
        if special && r >> 61 == 0 {
            let (sign, infinity) = match ty {
                Half => (1 << 15, 0x7c00),
                Float => (1 << 31, 0x7f80_0000),
                _ => (1 << 63, 0x7ff0_0000_0000_0000),
            };
            let quiet = infinity | (infinity & !(infinity - 1)) >> 1;
            return [0, sign, sign, 0, 1, sign | 3, infinity, quiet][(r & 7) as usize];
        }
        // Full mantissas of either sign; factors near one.
        let v = 0.75 + (r >> 12) as f64 / (1u64 << 52) as f64 * 0.5;
        let v = if op == "mul" { v } else { v * f64::exp2((r >> 3 & 7) as f64) };
        ty.round(if r & 1 == 0 { v } else { -v })
    };
    (0..n).map(|_| one(rng)).collect()
}

const fn line(n: u64, local: u64) -> Range {
    Range { global: [n, 1, 1], local: [local, 1, 1] }
}

/// Groups of all kinds; some ranges end in smaller groups.
const RANGES: &[Range] = &[
    line(3, 1),
    line(17, 7),
    line(40, 16),
    line(192, 64),
    line(600, 256),
    line(1700, 1000),
    Range { global: [10, 7, 1], local: [5, 3, 1] },
    Range { global: [32, 16, 1], local: [16, 16, 1] },
    Range { global: [7, 11, 5], local: [3, 5, 2] },
    Range { global: [1, 18, 4], local: [1, 9, 2] },
];

const LARGEST: Range = line(4096 + 4095, 4096);

/// Stores reduction, inclusive and exclusive scan one after the other for each work-item.
fn kernel(op: &str, ty: Type) -> Kernel {
    let name = ty.name();
    Kernel::from_source(&format!(
        "kernel void k(global const {name} *in, global {name} *out) {{
            size_t i = get_global_linear_id();
            {name} v = in[i];
            out[3 * i] = work_group_reduce_{op}(v);
            out[3 * i + 1] = work_group_scan_inclusive_{op}(v);
            out[3 * i + 2] = work_group_scan_exclusive_{op}(v);
        }}"
    ))
}

/// The same for `half`.
fn half_kernel(op: &str) -> Kernel {
    let op = match op {
        "min" | "max" => format!("f{op}"),
        "add" => "fadd".into(),
        _ => "fmul".into(),
    };
    let text = format!(
        "func @k(ptr<global>, ptr<global>) kernel {{
b0(%in: ptr<global>, %out: ptr<global>):
  %x: i64 = gid 0\n%y: i64 = gid 1\n%z: i64 = gid 2\n%nx: i64 = gsz 0\n%ny: i64 = gsz 1
  %a: i64 = mul %z, %ny\n%b: i64 = add %a, %y\n%c: i64 = mul %b, %nx\n%i: i64 = add %c, %x
  %p: ptr<global> = ptr.add %in, %i * 2 + 0\n%v: f16 = load %p
  %r: f16 = wg.reduce.{op} %v\n%q0: ptr<global> = ptr.add %out, %i * 6 + 0\nstore %q0, %r
  %s: f16 = wg.scan.inc.{op} %v\n%q1: ptr<global> = ptr.add %out, %i * 6 + 2\nstore %q1, %s
  %e: f16 = wg.scan.exc.{op} %v\n%q2: ptr<global> = ptr.add %out, %i * 6 + 4\nstore %q2, %e
  ret
}}\n"
    );
    Kernel::from_kir(&text, two_buffers())
}

fn two_buffers() -> KernelInfo {
    let arg = |n: usize| ArgInfo {
        name: format!("a{n}"),
        type_name: "half*".into(),
        kind: ArgKind::Buffer { space: AddrSpace::Global },
        offset: 8 * n,
        size: 8,
        is_const: false,
        is_restrict: false,
        is_volatile: false,
        streamed_bytes: 0,
    };
    KernelInfo { name: "k".into(), args: vec![arg(0), arg(1)], arg_block_bytes: 16, ..KernelInfo::default() }
}

fn check(kernel: &Kernel, op: &str, ty: Type, range: Range, special: bool, rng: &mut Rng) {
    let values = operands(op, ty, range.items(), special, rng);
    let out = vec![0xa5; 3 * range.items() * ty.bytes()];
    let found = kernel.run_as(range, &[Given::Buffer(ty.write(&values)), Given::Buffer(out)], &|bytes| ty.read(bytes));
    for (g, group) in range.groups().iter().enumerate() {
        let values: Vec<u64> = group.iter().map(|&i| values[i]).collect();
        let total = ty.one_nan(reduce(op, ty, &values));
        let (inc, exc) = (scan(op, ty, &values), exclusive(op, ty, &values));
        for (l, &i) in group.iter().enumerate() {
            let want = [total, ty.one_nan(inc[l]), ty.one_nan(exc[l])];
            assert_eq!(
                found[1][3 * i..3 * i + 3],
                want,
                "{op} {ty:?} {range:?} group {g} work-item {l}: {:x?}",
                values
            );
        }
    }
}

fn check_type(ty: Type) {
    let mut rng = Rng(ty.bytes() as u64);
    for op in OPS.into_iter().filter(|op| exists(op, ty)) {
        let kernel = if ty == Half { half_kernel(op) } else { kernel(op, ty) };
        for &range in RANGES {
            for special in [false, true] {
                if special && !ty.is_float() {
                    continue;
                }
                check(&kernel, op, ty, range, special, &mut rng);
            }
        }
        check(&kernel, op, ty, LARGEST, false, &mut rng);
    }
}

#[test]
fn int_operations() {
    check_type(Int);
}
#[test]
fn uint_operations() {
    check_type(UInt);
}
#[test]
fn long_operations() {
    check_type(Long);
}
#[test]
fn ulong_operations() {
    check_type(ULong);
}
#[test]
fn half_operations() {
    check_type(Half);
}
#[test]
fn float_operations() {
    check_type(Float);
}
#[test]
fn double_operations() {
    check_type(Double);
}

/// Groups of as many work-items as a device grants, that meet at a barrier too.
#[test]
fn the_largest_groups() {
    let mut rng = Rng(4096);
    let kernel = Kernel::from_source(
        "kernel void k(global const uint *in, global uint *out) {
            local uint line[4096];
            size_t i = get_global_linear_id(), l = get_local_linear_id(), n = get_local_size(0) * get_local_size(1);
            line[l] = in[i];
            barrier(CLK_LOCAL_MEM_FENCE);
            uint v = line[4095 - l] + (uint)n;
            out[3 * i] = work_group_reduce_add(v);
            out[3 * i + 1] = work_group_scan_inclusive_max(v);
            barrier(CLK_LOCAL_MEM_FENCE);
            line[l] = v;
            barrier(CLK_LOCAL_MEM_FENCE);
            out[3 * i + 2] = work_group_scan_exclusive_add(line[(l * 33 + 1) % 4096]);
        }",
    );
    for local in [[4096, 1, 1], [64, 64, 1], [16, 16, 16], [1, 4096, 1], [2, 1, 2048]] {
        let range = Range { global: [2 * local[0], local[1], local[2]], local };
        let input: Vec<u32> = (0..range.items()).map(|_| rng.next() as u32 >> 8).collect();
        let bytes = |values: &[u32]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
        let given = [Given::Buffer(bytes(&input)), Given::Buffer(vec![0; 12 * input.len()])];
        let found = kernel.run(range, &given);
        let mut want = vec![0; 3 * input.len()];
        for group in range.groups() {
            let n = (local[0] * local[1]) as u32;
            let v: Vec<u32> = group.iter().rev().map(|&i| input[i].wrapping_add(n)).collect();
            let total = v.iter().fold(0, |sum: u32, &v| sum.wrapping_add(v));
            let (mut most, mut before) = (0, 0u32);
            for (l, &i) in group.iter().enumerate() {
                most = most.max(v[l]);
                want[3 * i..3 * i + 3].copy_from_slice(&[total, most, before]);
                before = before.wrapping_add(v[(l * 33 + 1) % 4096]);
            }
        }
        assert!(found[1] == bytes(&want), "{range:?}");
    }
}

/// If the order did not matter to these operands, the tests above would prove nothing about it.
#[test]
fn the_order_of_floating_operands_shows() {
    let mut rng = Rng(1);
    for (op, ty) in [("add", Float), ("mul", Float), ("add", Double), ("mul", Double), ("add", Half)] {
        let mut differ = [0; 2];
        for _ in 0..20 {
            let values = operands(op, ty, 256, false, &mut rng);
            let plain = values[1..].iter().fold(values[0], |sum, &v| combine(op, ty, sum, v));
            differ[0] += i32::from(plain != reduce(op, ty, &values));
            differ[1] += i32::from(plain != scan(op, ty, &values)[255]);
        }
        assert!(differ.iter().all(|&n| n > 10), "{op} {ty:?} {differ:?}");
    }
}

/// The specification's own example, "Work-group Collective Functions".
#[test]
fn example_of_the_specification() {
    let values = [3, 1, 7, 0, 4, 1, 6, 3];
    let out = kernel("add", Int).run(line(8, 8), &[Given::Buffer(Int.write(&values)), Given::Buffer(vec![0; 96])]);
    let out = Int.read(&out[1]);
    let column = |n: usize| -> Vec<u64> { out.iter().skip(n).step_by(3).copied().collect() };
    assert_eq!(column(0), [25; 8]);
    assert_eq!(column(1), [3, 4, 11, 11, 15, 16, 22, 25]);
    assert_eq!(column(2), [0, 3, 4, 11, 11, 15, 16, 22]);
}

/// Truth values: none, one, all but one, all, random; any non-zero int is true.
#[test]
fn votes() {
    let kernel = Kernel::from_source(
        "kernel void k(global const int *in, global int *out) {
            size_t i = get_global_linear_id();
            int v = in[i];
            global int *o = out + 11 * i;
            o[0] = work_group_all(v) != 0;
            o[1] = work_group_any(v) != 0;
            o[2] = work_group_reduce_logical_and(v) != 0;
            o[3] = work_group_reduce_logical_or(v) != 0;
            o[4] = work_group_reduce_logical_xor(v) != 0;
            o[5] = work_group_scan_inclusive_logical_and(v) != 0;
            o[6] = work_group_scan_inclusive_logical_or(v) != 0;
            o[7] = work_group_scan_inclusive_logical_xor(v) != 0;
            o[8] = work_group_scan_exclusive_logical_and(v) != 0;
            o[9] = work_group_scan_exclusive_logical_or(v) != 0;
            o[10] = work_group_scan_exclusive_logical_xor(v) != 0;
        }",
    );
    let mut rng = Rng(5);
    for &range in RANGES {
        let mut values = vec![0u64; range.items()];
        for (g, group) in range.groups().iter().enumerate() {
            for (l, &i) in group.iter().enumerate() {
                let odd = l == rng.next() as usize % group.len();
                let value = 1 << (rng.next() % 32);
                values[i] = match g % 5 {
                    0 => rng.next() % 2 * value,
                    1 => u64::from(odd) * value,
                    2 => u64::from(!odd) * value,
                    3 => value,
                    _ => 0,
                };
            }
        }
        let out = vec![0xa5; 44 * range.items()];
        let found = kernel.run(range, &[Given::Buffer(Int.write(&values)), Given::Buffer(out)]);
        let found = Int.read(&found[1]);
        for group in range.groups() {
            let truth: Vec<bool> = group.iter().map(|&i| values[i] != 0).collect();
            let xor = |t: &[bool]| t.iter().filter(|&&v| v).count() % 2 == 1;
            let three = |t: &[bool]| [t.iter().all(|&v| v), t.iter().any(|&v| v), xor(t)];
            for (l, &i) in group.iter().enumerate() {
                let [all, any, _] = three(&truth);
                let mut want = vec![all, any];
                for part in [&truth[..], &truth[..=l], &truth[..l]] {
                    want.extend(three(part));
                }
                let want: Vec<u64> = want.into_iter().map(u64::from).collect();
                assert_eq!(found[11 * i..11 * i + 11], want, "{range:?} work-item {l} of {truth:?}");
            }
        }
    }
}

#[test]
fn broadcasts_in_one_two_and_three_dimensions() {
    for ty in Type::NAMED {
        let name = ty.name();
        for dims in 1..=3 {
            let ids = ["x", "x, y", "x, y, z"][dims - 1];
            let kernel = Kernel::from_source(&format!(
                "kernel void k(global const {name} *in, global {name} *out) {{
                    size_t i = get_global_linear_id();
                    size_t g = get_group_id(0) + 3 * get_group_id(1) + 5 * get_group_id(2);
                    size_t x = (7 * g + 1) % get_local_size(0), y = (5 * g + 2) % get_local_size(1), z = g % get_local_size(2);
                    out[i] = work_group_broadcast(in[i], {ids});
                }}"
            ));
            let mut rng = Rng(dims as u64);
            for &range in RANGES {
                let values = operands("add", ty, range.items(), false, &mut rng);
                let out = vec![0xa5; range.items() * ty.bytes()];
                let found = kernel.run(range, &[Given::Buffer(ty.write(&values)), Given::Buffer(out)]);
                let found = ty.read(&found[1]);
                let n: [u64; 3] = std::array::from_fn(|d| range.global[d].div_ceil(range.local[d]));
                for (g, group) in range.groups().iter().enumerate() {
                    let g = g as u64;
                    let id = [g % n[0], g / n[0] % n[1], g / n[0] / n[1]];
                    let size: [u64; 3] =
                        std::array::from_fn(|d| range.local[d].min(range.global[d] - id[d] * range.local[d]));
                    let key = id[0] + 3 * id[1] + 5 * id[2];
                    let mut at = [(7 * key + 1) % size[0], (5 * key + 2) % size[1], key % size[2]];
                    at[dims..].fill(0);
                    let source = group[((at[2] * size[1] + at[1]) * size[0] + at[0]) as usize];
                    for &i in group {
                        assert_eq!(found[i], values[source], "{ty:?} {dims} {range:?} group {g}");
                    }
                }
            }
        }
    }
}

/// Kernels whose collectives meet other control flow. What the interpreter does with each is checked in `cases` of the
/// kernels-test package; here all code must do the same.
const FLOWS: &[(&str, &str)] = &[
    ("a scan in a loop", "int s = v; for (int n = 0; n < 5; n++) s += work_group_scan_exclusive_add(s ^ n); out[i] = s;"),
    (
        "a scan in a loop with a barrier, which is no barrier itself",
        "int s = v;
         for (int n = 0; n < 5; n++) {
             tile[l] = s;
             barrier(CLK_LOCAL_MEM_FENCE);
             s = work_group_scan_inclusive_add(tile[size - 1 - l] + n) - s;
             barrier(CLK_LOCAL_MEM_FENCE);
         }
         out[i] = s;",
    ),
    (
        "two scans in a loop, one of the other",
        "int s = v; for (int n = 0; n < 4; n++) s = work_group_scan_inclusive_xor(work_group_scan_exclusive_add(s) + n); out[i] = s;",
    ),
    (
        "a do loop that ends by vote",
        "int s = v & 63, n = 0; do { s -= work_group_reduce_min(s) + (s > 40); n++; } while (work_group_any(s > 30) && n < 9); out[i] = s * 100 + n;",
    ),
    ("in callees, at two places", "out[i] = twice(v) - twice(v ^ 21);"),
    (
        "under a condition that is the same for all",
        "int s = v; if (get_group_id(0) & 1) s = work_group_scan_exclusive_max(v); else s = work_group_reduce_add(v) - work_group_scan_inclusive_min(v); out[i] = s;",
    ),
    (
        "behind divergent code that has rejoined",
        "int s = v; if (v & 1) { for (int n = 0; n < (v & 7); n++) s = s * 3 + n; } else s ^= 0x55; s = work_group_scan_exclusive_add(s); if (s & 2) s += l; else s -= work; out[i] = s + work_group_reduce_max(s);",
    ),
    (
        "many, with values that live across all of them",
        "int a = v * 7, b = v ^ 99; float f = v * 0.37f; double d = v / 3.0; long q = (long)v << 33;
         int r = work_group_reduce_add(a); int e = work_group_scan_exclusive_add(b); float g = work_group_scan_inclusive_add(f);
         double h = work_group_reduce_add(d); long m = work_group_reduce_max(q); int all = work_group_all(v > -100000);
         int w = work_group_broadcast(a, size / 2); float k = work_group_reduce_mul(1 + f * 1e-6f);
         out[i] = r + e + as_int(g) + (int)(as_long(h) >> 7) + (int)(m >> 30) + all + w + as_int(k) + a - b + as_int(f) + (int)as_long(d) + (int)(q >> 31);",
    ),
    (
        "a broadcast from each work-item in turn",
        "int s = 0; for (int n = 0; n < size && n < 20; n++) s = s * 3 + work_group_broadcast(v + n, n); out[i] = s;",
    ),
    (
        "a reduction under a switch, private arrays around it",
        "int a[8]; for (int n = 0; n < 8; n++) a[n] = v + n * l; int s = 0;
         switch (get_group_id(0) % 3) { case 0: s = work_group_reduce_add(a[l & 7]); case 1: s += work_group_scan_inclusive_max(a[3]); break; default: s = work_group_reduce_or(a[v & 7]); }
         out[i] = s + a[(s & 0x7fffffff) % 8];",
    ),
    (
        "a scan of a scan and of what comes of a vote",
        "int s = work_group_scan_inclusive_add(work_group_scan_exclusive_add(v)); if (work_group_all(s > v)) s = work_group_scan_exclusive_min(s); out[i] = s;",
    ),
    (
        "floats in a loop, left by goto",
        "float f = v * 0.1f; int n = 0;
         again: f = work_group_scan_inclusive_add(f) * 0.01f + work_group_reduce_min(f); if (++n < 4) goto again;
         out[i] = as_int(f);",
    ),
];

#[test]
fn other_control_flow() {
    let ranges = [line(17, 7), line(24, 1), line(192, 64), Range { global: [7, 11, 3], local: [3, 5, 2] }];
    for (what, body) in FLOWS {
        let kernel = Kernel::from_source(&format!(
            "int twice(int v) {{ int s = work_group_scan_inclusive_add(v); return s + work_group_scan_exclusive_max(s * 5); }}
             kernel void k(global const int *in, global int *out, local int *tile) {{
                 size_t i = get_global_linear_id();
                 int l = get_local_linear_id(), work = get_work_dim(), v = in[i];
                 int size = get_local_size(0) * get_local_size(1) * get_local_size(2);
                 {body}
             }}"
        ));
        let mut rng = Rng(11);
        for range in ranges {
            let values: Vec<u64> = (0..range.items()).map(|_| rng.next() % 2000).collect();
            let out = vec![0xa5; 4 * range.items()];
            let tile = 4 * range.local.iter().product::<u64>() as usize;
            let found = kernel.run(range, &[Given::Buffer(Int.write(&values)), Given::Buffer(out), Given::Local(tile)]);
            let different = Int.read(&found[1]).windows(2).filter(|w| w[0] != w[1]).count();
            assert!(different > 0 || tile == 4, "{what}: {range:?} shows nothing");
        }
    }
}

/// Work-items that have returned take no part (the program is wrong, the result is not).
#[test]
fn work_items_that_returned_are_left_out() {
    let kernel = Kernel::from_source(
        "kernel void k(global const float *in, global float *out) {
            size_t i = get_global_id(0);
            if (get_local_id(0) % 5 == 2) return;
            float v = in[i];
            out[4 * i] = work_group_reduce_add(v);
            out[4 * i + 1] = work_group_scan_inclusive_max(v);
            out[4 * i + 2] = work_group_all(v == v);
            out[4 * i + 3] = work_group_broadcast(v, 3);
        }",
    );
    let values = operands("add", Float, 64, false, &mut Rng(3));
    let given = [Given::Buffer(Float.write(&values)), Given::Buffer(vec![0; 4 * 4 * 64])];
    for found in kernel.run_native(line(64, 64), &given) {
        let found = Float.read(&found[1]);
        let sum = {
            let mut columns = [0f32; 16];
            for (l, v) in values.iter().enumerate().filter(|(l, _)| l % 5 != 2) {
                columns[l % 16] += f32::from_bits(*v as u32);
            }
            for step in [8, 4, 2, 1] {
                (0..step).for_each(|i| columns[i] += columns[i + step]);
            }
            u64::from(columns[0].to_bits())
        };
        let mut max = f32::NEG_INFINITY;
        for l in 0..64 {
            if l % 5 == 2 {
                assert_eq!(found[4 * l..4 * l + 4], [0; 4]);
                continue;
            }
            max = max.max(f32::from_bits(values[l] as u32));
            let want = [sum, u64::from(max.to_bits()), u64::from(1f32.to_bits()), values[3]];
            assert_eq!(found[4 * l..4 * l + 4], want, "work-item {l}");
        }
    }
}

/// Scans that no loop repeats need no context and no work-item loop of their own.
#[test]
fn scans_in_straight_code_need_no_scratch_memory() {
    let scratch = |body: &str| {
        Kernel::from_source(&format!(
            "kernel void k(global const int *in, global int *out) {{ size_t i = get_global_id(0); int v = in[i]; {body} }}"
        ))
        .scratch_per_item()
    };
    assert_eq!(scratch("out[i] = work_group_scan_exclusive_add(v);"), 0);
    assert_eq!(scratch("out[i] = work_group_scan_inclusive_add(v) * work_group_scan_exclusive_max(v);"), 0);
    assert_eq!(scratch("for (int n = 0; n < 3; n++) v *= v; out[i] = work_group_scan_exclusive_add(v);"), 0);
    assert_eq!(scratch("out[get_group_id(0)] = work_group_reduce_add(v);"), 0);
    assert_ne!(scratch("for (int n = 0; n < v; n++) v = work_group_scan_exclusive_add(v); out[i] = v;"), 0);
}

/// What varies from work-item to work-item by its id only is made again behind barriers, from what the group has in
/// common, which may change from turn to turn and may not be there on all ways.
#[test]
fn sums_of_the_groups_values_and_ids_are_made_again() {
    let source = "kernel void k(constant int *e, global int *out, local int *t) {
        int l = get_local_id(0), g = get_group_id(0), n = get_local_size(0), row;
        if (e[0] > g) row = (g + e[1]) % e[2]; else row = g / e[2];
        int at = row * n + l, back = (row + 1) * n - 1 - l;
        t[l] = at;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[at] += t[n - 1 - l] - back;
        for (int turn = 0; turn < e[3]; turn++) {
            row = row % 2 ? row + 3 : row / 2;
            int next = row + 7 * l;
            barrier(CLK_LOCAL_MEM_FENCE);
            t[l] = next + at;
            barrier(CLK_LOCAL_MEM_FENCE);
            if (e[turn] & 1) {
                out[at] += t[n - 1 - l] - next;
                barrier(CLK_LOCAL_MEM_FENCE);
                out[at] += next;
            }
            out[back] += t[l];
        }
    }";
    let kernel = Kernel::from_source(source);
    for n in [1, 5, 16, 37] {
        for e in [[0, 3, 2, 0], [1, 1, 3, 2], [9, 5, 7, 5], [2, 0, 1, 3]] {
            let bytes: Vec<u8> = e.iter().chain(&[1, 2, 3]).flat_map(|v: &i32| v.to_le_bytes()).collect();
            let given = [Given::Buffer(bytes), Given::Buffer(vec![3; 16 * n * 4]), Given::Local(4 * n)];
            kernel.run(Range { global: [n as u64, 1, 1], local: [n as u64, 1, 1] }, &given);
            let two = Range { global: [2 * n as u64, 1, 1], local: [n as u64, 1, 1] };
            if e[0] == 0 {
                kernel.run(two, &given);
            }
        }
    }
    let kernel = "kernel void k(constant int *e, global int *out) {
        int l = get_local_id(0), row = e[0] > 3 ? e[1] % e[2] : e[2] / e[1], at = 8 * row + l;
        barrier(CLK_GLOBAL_MEM_FENCE);
        out[at] = 1;
    }";
    assert_eq!(Kernel::from_source(kernel).scratch_per_item(), 0);
}

//! What is known of the memory that work-items access: `KernelInfo::footprints` of kernels that are checked for races,
//! asked about launches.

use clift_jit::build;
use clift_jit::own::{Id, Launch, Symbol};

/// 64 × 48 work-items in groups of 16 × 4 from (8, 0) on; arguments are all this number.
struct Sizes {
    arg: i128,
}

impl Launch for Sizes {
    fn ids(&self, id: Id) -> (i128, i128) {
        match id {
            Id::Global(d) => ([8, 0, 0][usize::from(d)], [64, 48, 1][usize::from(d)]),
            Id::Group(d) => (0, [4, 12, 1][usize::from(d)]),
            Id::Local(d) => (0, [16, 4, 1][usize::from(d)]),
        }
    }
    fn symbol(&self, symbol: Symbol) -> Option<i128> {
        Some(match symbol {
            Symbol::Arg(_) => self.arg,
            Symbol::GlobalSize(d) => [64, 48, 1][usize::from(d)],
            Symbol::LocalSize(d) => [16, 4, 1][usize::from(d)],
            Symbol::Groups(d) => [4, 12, 1][usize::from(d)],
        })
    }
}

/// Arguments of which work-items have their bytes to themselves.
fn apart(body: &str, arg: i128) -> Vec<u32> {
    let source = format!(
        "kernel void k(global int *a, global const int *b, global uchar4 *c, int n, uint m, local int *t) {{
             int x = get_global_id(0), y = get_global_id(1);
             {body}
         }}"
    );
    let build = build(source.as_bytes(), "-cl-std=CL3.0 -clift-check=races", &[]);
    let program = build.program.unwrap_or_else(|_| panic!("{}", build.log));
    let footprints = &program.kernels()[0].footprints;
    footprints.iter().filter(|footprint| footprint.is_apart(&Sizes { arg })).map(|footprint| footprint.arg).collect()
}

#[test]
fn rows_as_long_as_the_launch_are_apart() {
    assert_eq!(apart("a[y * n + x] = b[y * n + x];", 64), [0, 1]);
    assert_eq!(apart("a[y * n + x] = b[y * n + x];", 63), []);
    assert_eq!(apart("a[y * n + x] = b[y * n + x - 1];", 64), [0, 1], "each by itself");
    assert_eq!(apart("a[y * n + x] = a[y * n + x - 1];", 64), [], "neighbours");
    assert_eq!(apart("a[y * m + x] += 1; c[x * 48 + y] = 0;", 64), [0, 2]);
    assert_eq!(apart("a[y * get_global_size(0) + x] = 1;", 0), [0]);
    assert_eq!(apart("a[x] = 1;", 0), [], "rows are one");
}

#[test]
fn groups_and_local_ids_are_as_good_as_global_ids() {
    let x = "int g = get_group_id(0) * get_local_size(0) + get_local_id(0);";
    assert_eq!(apart(&format!("{x} a[y * 64 + g] = 1;"), 0), [0]);
    assert_eq!(apart(&format!("{x} a[y * 63 + g] = 1;"), 0), []);
    assert_eq!(apart("a[y * 64 + get_group_id(0)] = 1;", 0), [], "all of a group");
}

#[test]
fn unsigned_indices_of_32_bits_are_as_good_as_signed_ones() {
    assert_eq!(apart("uint u = get_global_id(0), v = get_global_id(1); a[v * m + u] = 1;", 64), [0]);
    assert_eq!(apart("uint u = get_global_id(0), v = get_global_id(1); a[v * 64] = u;", 64), [], "rows meet");
    assert_eq!(apart("uint u = get_global_id(0); a[y * 72 + u] = 1;", 0), [0]);
    assert_eq!(apart("uint u = get_global_id(0) - 8; a[y * 64 + u] = 1;", 0), [0]);
    assert_eq!(apart("uint u = get_global_id(0) - 9; a[y * 64 + u] = 1;", 0), [], "the index of the first one wraps");
    assert_eq!(apart("a[y * 64 + (get_global_id(0) & 0xffff0000u)] = 1;", 0), [], "of other bits");
}

#[test]
fn elements_of_a_work_item_may_be_several() {
    assert_eq!(apart("a[(y * 64 + x) * 2] = 1; a[(y * 64 + x) * 2 + 1] = 2;", 0), [0]);
    assert_eq!(apart("vstore4((int4)n, y * 64 + x, a);", 0), [0]);
    assert_eq!(apart("vstore4((int4)n, 0, a + y * 64 + x);", 0), []);
    assert_eq!(apart("a[(y * 64 + x) * 4 + (n & 3)] = 1;", 0), [0], "any of four");
    assert_eq!(apart("a[(y * 64 + x) * 4 + (n & 7)] = 1;", 0), []);
}

#[test]
fn what_wraps_or_is_not_known_is_not_apart() {
    assert_eq!(apart("a[y * n + x] = 1;", 1 << 27), [], "the index does not fit");
    assert_eq!(apart("a[(long)y * n + x] = 1;", 1 << 27), [0]);
    assert_eq!(apart("a[y * (ulong)n * n * n * n + x] = 1;", 1 << 16), [], "rows begin at one address");
    assert_eq!(apart("a[b[x]] = 1;", 64), [], "an index from memory");
    assert_eq!(apart("a[x * y] = 1;", 64), []);
    assert_eq!(apart("atomic_inc(&a[y * 64 + x]);", 0), []);
    assert_eq!(apart("global int *p = n ? a : (global int *)c; *p = 1;", 64), [], "any of two");
    assert_eq!(apart("a[y * 64 + x] = 1; *(global int *)(ulong)n = 2;", 64), [], "anywhere");
}

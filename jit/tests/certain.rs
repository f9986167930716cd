//! Accesses that a work-item is certain to make (`Program::certain_accesses`), whatever memory holds.

use clift_jit::build;
use clift_jit::interp::partial::{Ids, Known};

/// Where work-item `x` of 10, in groups of 5, accesses `a` (reads 'r', writes 'w') for certain: in bytes.
fn of(body: &str, n: i32, x: u64) -> Vec<(char, i64)> {
    let source = format!("kernel void k(global int *a, global int *b, int n) {{ int x = get_global_id(0); {body} }}");
    let built = build(source.as_bytes(), "-cl-std=CL3.0", &[]);
    let program = built.program.unwrap_or_else(|_| panic!("{}", built.log));
    let ids = Ids {
        global: [x, 0, 0],
        local: [x % 5, 0, 0],
        group: [x / 5, 0, 0],
        global_size: [10, 1, 1],
        local_size: [5, 1, 1],
        enqueued_size: [5, 1, 1],
        groups: [2, 1, 1],
        offset: [0; 3],
    };
    let bytes = n.to_ne_bytes();
    let args = [Known::Memory, Known::Memory, Known::Bytes(&bytes)];
    let found = program.certain_accesses(0, &args, std::iter::once(ids), |access| access.arg == 0);
    found.into_iter().map(|(access, ..)| (if access.writes { 'w' } else { 'r' }, access.offset)).collect()
}

/// Code with checks goes on where nothing is wrong.
#[test]
fn checks_do_not_hide_accesses() {
    let source = "kernel void k(global int *a, global int *b, int n) {
        int t[4] = {n};
        int x = get_global_id(0) + t[b[0] & 3] / b[1];
        a[n] = x;
    }";
    let built = build(source.as_bytes(), "-clift-check", &[]);
    let program = built.program.unwrap_or_else(|_| panic!("{}", built.log));
    let bytes = 5i32.to_ne_bytes();
    let args = [Known::Memory, Known::Memory, Known::Bytes(&bytes)];
    let found = program.certain_accesses(0, &args, std::iter::once(Ids::default()), |_| true);
    let found: Vec<_> = found.iter().map(|(access, ..)| (access.arg, access.writes, access.offset)).collect();
    assert_eq!(found, [(1, false, 0), (1, false, 4), (0, true, 20)]);
}

#[test]
fn ids_and_arguments_decide() {
    assert_eq!(of("a[x + n] = 1;", 3, 7), [('w', 40)]);
    assert_eq!(of("a[get_group_id(0) * get_local_size(0) + get_local_id(0) - n] = 1;", 9, 7), [('w', -8)]);
    assert_eq!(of("if (x < n) a[x] = 1;", 8, 7), [('w', 28)]);
    assert_eq!(of("if (x < n) a[x] = 1;", 7, 7), []);
    assert_eq!(of("if (x >= n) return; barrier(1); a[x] = 1;", 8, 7), [('w', 28)]);
    assert_eq!(
        of("switch (n) { case 1: a[1] = 1; break; case 2: a[2] = 1; break; default: a[0] = 1; }", 2, 0),
        [('w', 8)]
    );
    assert_eq!(of("short s = n; a[(uchar)s + x % 3] = 1;", 259, 7), [('w', 16)], "cut off as the kernel does");
    assert_eq!(of("vstore4((int4)n, x, a);", 0, 7), [('w', 112)]);
    assert_eq!(of("int2 i = (int2)(x, n) * 2; a[i.x + i.y] = 1;", 5, 7), [('w', 96)]);
}

#[test]
fn the_first_turn_of_a_loop_that_goes_too_far_is_told_of() {
    // The first access at a place.
    assert_eq!(of("for (int i = n; i < 10; i++) a[2 * i] = b[i];", 3, 0), [('w', 24)]);
    assert_eq!(of("for (int i = n; i < 3; i++) a[2 * i] = b[i];", 3, 0), []);
    assert_eq!(of("for (int i = 0; i < 100000; i++) b[i & n] = i; a[1] = 1;", 3, 0), [], "behind too many turns");
}

#[test]
fn what_memory_decides_is_left_out() {
    assert_eq!(of("if (b[x]) a[x] = 1; a[3] = 1;", 0, 7), [('w', 12)]);
    assert_eq!(of("if (b[x]) return; a[3] = 1;", 0, 7), []);
    assert_eq!(of("a[b[x]] = 1;", 0, 7), []);
    assert_eq!(of("int i = n; while (b[i]) i++; a[i] = 1; a[n] = 2;", 4, 7), [('w', 16)], "`i` may be another by then");
    assert_eq!(of("int i = b[x] ? n : x; a[i] = 1;", 4, 7), []);
    assert_eq!(of("global int *p = b[x] ? a : b; p[x] = 1;", 4, 7), []);
    assert_eq!(of("global int *p = n ? a : b; p[x] = 1;", 4, 7), [('w', 28)]);
    let inner = "for (int i = 0; i < 3; i++) { if (b[i]) continue; a[i] = 1; } a[n] = 3;";
    assert_eq!(of(inner, 4, 7), [('w', 16)]);
    let flag = "int f = 0; for (int i = 0; i < 3; i++) { if (f) a[9] = 1; if (b[i]) f = 1; } if (!f) a[n] = 3;";
    assert_eq!(of(flag, 4, 7), [], "`f` may have been set in any turn");
}

//! Which loops run in lanes, and in how many: what waits, does not pay or is too large stays scalar.

use super::*;

#[test]
fn what_does_not_pay_stays_scalar() {
    let source = "kernel void k(global int *p) { atomic_xchg(p + get_global_id(0) * 5, 1); }";
    check(source, ALL, &["scalar: lanes would not pay"]);
}

/// Scalar code has the next element of a row in the line of the cache that it has; lanes need a line each.
#[test]
fn work_items_that_walk_along_rows_of_their_own_stay_scalar() {
    let kernel = |first: &str| {
        format!(
            "kernel void k(global const int *from, global const int *to, global int *x, global int *y, int n) {{
                int i = get_global_id(0);
                for (int a = {first}, b = a + n; a < b; a++) {{ x[a] = x[a] * y[a]; y[a] = x[a] - n; }}
            }}"
        )
    };
    for first in ["from[i]", "1024 * i", "n * i"] {
        check(&kernel(first), ALL, &["scalar: lanes would not pay"]);
    }
    // Neighbours are in the same line.
    check(&kernel("i"), ALL, &["lanes: 0 uniform, 4 contiguous"]);
}

/// They are values once the elements of the other arrays are known: what lives across barriers is an array of each.
#[test]
fn arrays_that_other_ones_have_the_places_of_are_values() {
    for place in ["order[j]", "order[first[j]]"] {
        let source = format!(
            "kernel void k(global const float *x, global float *y, local float *l) {{
                int order[] = {{ 2, 0, 3, 1 }}, first[] = {{ 3, 1, 0, 2 }};
                float a[4];
                size_t i = get_local_id(0);
                for (int j = 0; j < 4; j++) a[j] = x[64 * j + i];
                l[i] = a[0];
                barrier(CLK_LOCAL_MEM_FENCE);
                for (int j = 0; j < 4; j++) y[64 * j + i] = a[{place}] * l[0];
            }}"
        );
        check(&source, ALL, &["0 strided, 0 gathered", "0 strided, 0 gathered"]);
    }
}

#[test]
fn what_falls_is_whole_vectors() {
    let source = "kernel void k(uint n, global int *x) {
        uint i = get_global_id(0), j = n - get_global_id(0) - 1;
        int old = x[i];
        x[i] = x[j];
        x[j] = old;
    }";
    check(source, ALL, &["lanes: 0 uniform, 4 contiguous, 0 strided, 0 gathered"]);
}

/// One atomic operation stands for those of all lanes.
#[test]
fn counters_that_all_lanes_share_are_no_reason_to_stay_scalar() {
    for count in ["out[atomic_inc(n)] = x[i]", "atomic_max(n, x[i])", "atomic_add(n + x[7], x[i])"] {
        let source = format!(
            "kernel void k(global const int *x, volatile global int *n, global int *out) {{
                size_t i = get_global_id(0);
                if (x[i] > 5) {count};
            }}"
        );
        check(&source, ALL, &["0 lane by lane"]);
    }
}

/// In lockstep the lane that holds the lock would wait for those that want it.
#[test]
fn work_that_ends_without_others_has_lanes() {
    let source = "kernel void k(global const int *tree, global int *n, global int *out, int most) {
        int todo[9], left = 1;
        todo[0] = get_global_id(0);
        while (left) {
            int at = todo[--left];
            if (tree[at] > 0) {
                if (at & 1) {
                    int to = atomic_inc(n);
                    if (to < most) out[to] = at;
                } else {
                    todo[left++] = tree[2 * at];
                    todo[left++] = tree[at + 1];
                }
            }
        }
    }";
    check(source, ALL, &["lanes: "]);
    // Here, the result says whether there is another turn.
    check(&source.replace("out[to] = at", "left = 0"), ALL, &["scalar: work-items may wait"]);
}

#[test]
fn locks_stay_scalar() {
    let source = "kernel void k(volatile global int *lock, global int *count) {
        size_t i = get_global_id(0);
        while (atomic_cmpxchg(lock, 0, 1) != 0) {}
        count[0] += count[i + 1];
        atomic_xchg(lock, 0);
    }";
    check(source, ALL, &["scalar: work-items may wait for each other"]);
}

/// A swap that fails is tried again, and each turn one of the lanes that want the same place succeeds.
#[test]
fn retries_of_swaps_run_in_lanes() {
    let source = "kernel void k(global const float *x, global uint *sums) {
        size_t i = get_global_id(0);
        float v = x[i];
        for (int n = 0; n < 100; n++) v = v * v + 0.1f * sqrt(v);
        volatile global uint *p = sums + (as_uint(v) & 255);
        uint old = *p, was;
        do {
            was = old;
            old = atomic_cmpxchg(p, was, as_uint(as_float(was) + v));
        } while (old != was);
    }";
    check(source, ALL, &["16 lanes"]);
}

/// The texel's decoder, for images of any format, is too large to come in.
#[test]
fn calls_that_might_wait_stay_scalar() {
    let source = "kernel void k(read_only image2d_t image, global float4 *out) {
        out[get_global_id(0)] = read_imagef(image, (int2)(get_global_id(0), 0));
    }";
    let why = "a function that is called has effects, or is not known to have none";
    check(source, ALL, &[&format!("scalar: inner rows, {why}"), &format!("scalar: {why}")]);
}

#[test]
fn collectives_do_not_part_the_lanes() {
    let kernel = |ty: &str, call: &str| {
        format!(
            "kernel void k(global const {ty} *x, global {ty} *y) {{
                size_t i = get_global_id(0);
                {ty} v = x[i];
                y[i] = {call};
            }}"
        )
    };
    let contiguous = "lanes: 0 uniform, 2 contiguous, 0 strided, 0 gathered, 0 lane by lane";
    for call in ["work_group_scan_inclusive_add(v)", "work_group_scan_exclusive_max(v)"] {
        check(&kernel("int", call), ALL, &[contiguous]);
        check(&kernel("ulong", call), ALL, &[contiguous]);
    }
    // The loop up to the meeting, and the loop behind it.
    let both = ["lanes", "lanes"];
    for call in ["work_group_reduce_min(v)", "work_group_broadcast(v, 3) * v", "work_group_any(v > 3) + v"] {
        check(&kernel("int", call), ALL, &both);
        check(&kernel("float", call), ALL, &both);
    }
}

#[test]
fn floating_sums_keep_their_order_in_lanes() {
    let source = "kernel void k(global const float *x, global float *y) {
        size_t i = get_global_id(0);
        y[i] = work_group_scan_inclusive_add(exp(x[i]));
    }";
    check(source, ALL, &["lanes: 0 uniform, 2 contiguous, 0 strided, 0 gathered, 1 lane by lane"]);
    let source = "kernel void k(global const float *x, global float *y) {
        size_t i = get_global_id(0);
        y[get_group_id(0)] = work_group_reduce_add(x[i]);
    }";
    check(source, ALL, &["0 gathered, 0 lane by lane", ""]);
}

#[test]
fn small_vectors_of_bytes_are_words() {
    let source = "kernel void k(global const uchar4 *x, global const int *at, global uchar4 *y, global short4 *z) {
        size_t i = get_global_id(0);
        uchar4 c = x[at[i]];
        if (c.x != 7) y[i] = c.wzyx;
        z[i] = convert_short4(c);
    }";
    // x is gathered and y stored under a mask, each in one access.
    check(source, ALL, &["lanes: 0 uniform, 2 contiguous, 1 strided, 1 gathered"]);
}

#[test]
fn chains_that_fill_the_registers_take_fewer_lanes() {
    let lanes = |chains: usize| -> u32 {
        let step = (0..chains).map(|c| format!("x[{c}] = fma(x[{c}], a, b); ")).collect::<String>();
        let text = remarks(
            &format!(
                "kernel void k(global double *out, double a, double b, int n) {{
                    size_t i = get_global_id(0);
                    double x[{chains}], sum = 0;
                    for (int c = 0; c < {chains}; c++) x[c] = i + c;
                    for (int r = 0; r < n; r++) {{ {step} }}
                    for (int c = 0; c < {chains}; c++) sum += x[c];
                    out[i] = sum;
                }}"
            ),
            ALL,
        );
        let (width, _) = text.strip_prefix("work-item loop 0: ").and_then(|t| t.split_once(" lanes")).expect("lanes");
        width.parse().expect("a number")
    };
    assert!(lanes(16) < lanes(2), "{} lanes with 16 chains, {} with 2", lanes(16), lanes(2));
}

/// The register allocator that makes good code takes time with the square of what lives: with twice the lanes four
/// times as much, and code that is made by the other one was four to seven times slower.
#[test]
fn vectors_so_large_that_registers_would_be_allocated_in_a_hurry_take_fewer_lanes() {
    let lanes = |values: usize| {
        let load = (0..values).map(|v| format!("double a{v} = x[i + {v} * n]; ")).collect::<String>();
        let step =
            (0..values).map(|v| format!("sum = fma(sum, a{v}, a{}); ", (v * 7 + 3) % values)).collect::<String>();
        let body = step.repeat(4);
        let text = remarks(
            &format!(
                "kernel void k(global const double *x, global double *out, int n) {{
                    size_t i = get_global_id(0);
                    {load} double sum = 0; {body}
                    out[i] = sum;
                }}"
            ),
            ALL,
        );
        let (width, _) = text.strip_prefix("work-item loop 0: ").and_then(|t| t.split_once(" lanes")).expect("lanes");
        width.parse::<u32>().unwrap_or_else(|_| panic!("{text}"))
    };
    assert_eq!((lanes(4), lanes(600)), (32, 8));
}

/// Fields of records that are far from each other are gathered and scattered element by element, which scalar code does
/// faster; so it is for rows that nobody knows to be long enough for what comes before and behind whole vectors.
#[test]
fn turns_of_inner_loops_that_walk_over_records_stay_scalar() {
    let check_turn = |turn: &str, remark: &str| {
        let head = "kernel void k(global const double *u, local double *r, int n)";
        check(&format!("{head} {{ for (int j = 1; j < n; j++) {{ {turn} }} }}"), [1, 1, 1], &[remark]);
    };
    let fields = "double q = u[165 * j + 2];
        r[165 * j] = u[165 * j] * q;
        r[165 * j + 1] = u[165 * j + 1] * q - u[165 * j + 3];
        r[165 * j + 2] = u[165 * j + 4] * q;";
    check_turn(fields, "inner loop 0: scalar: lanes would not pay");
    check_turn("r[j] = u[j] * u[j + 2] - u[j + 1];", "inner loop 0: 16 lanes");
}

#[test]
fn private_arrays_of_lanes_fit_the_stack() {
    let source = |n: u32| {
        format!(
            "kernel void k(global const float *x, global float *y, int n) {{
                float a[{n}];
                int i = get_global_id(0);
                if (i < n) {{
                    for (int k = 0; k < n; k++) a[k] = x[i + k];
                    float sum = 0;
                    for (int k = 0; k < n; k++) sum += a[n - 1 - k] * x[k];
                    y[i] = sum;
                }}
            }}"
        )
    };
    // Work-items away from edges have loops and arrays of their own.
    check(&source(1024), [8, 8, 1], &["lanes:", "lanes:"]);
    check(&source(5000), [8, 8, 1], &["lanes:", "lanes:"]);
    // Of larger ones lanes have no copies: the loop that fills one runs in lanes. The other waits for its sum.
    let (scalar, waits) = ("large private arrays", "inner loop 1: scalar: lanes would not pay");
    check(&source(20_000), [8, 8, 1], &[scalar, scalar, "inner loop 0: 16 lanes", waits]);
}

#[test]
fn code_too_large_for_lanes_is_scalar() {
    let body = "v = v * 5 + p[v & 255] + (v >> 7); v ^= p[(v >> 3) & 255] << 3;".repeat(14_000);
    let source = format!(
        "kernel void k(global uint *p, global uint *out) {{ uint v = get_global_id(0); {body} out[get_global_id(0)] = v; }}"
    );
    let text = remarks_here(&source, ALL);
    assert!(!text.contains("lanes:") && text.contains("machine code by"), "{text}");
}

#[test]
fn work_items_that_leave_before_a_barrier() {
    let source = "kernel void k(global const float *x, global float *y, local float *m, int n) {
        int i = get_global_id(0), l = get_local_id(0);
        if (i >= n) return;
        m[l] = x[i];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int s = 32; s > 0; s >>= 1) {
            if (l < s) m[l] = fmax(m[l], m[l + s]);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        float most = m[0];
        barrier(CLK_LOCAL_MEM_FENCE);
        m[l] = exp(x[i] - most);
        barrier(CLK_LOCAL_MEM_FENCE);
        y[i] = m[l] / most + m[l ^ 1];
    }";
    let text = remarks(source, ALL);
    assert!(!text.contains("a value goes from work-item to work-item"), "{text}");
}

#[test]
fn large_switches_that_all_take_alike() {
    let cases: String = (0..40).map(|i| format!("case {i}: v = v * {i}.5f + {i}; break;")).collect();
    let source = |value: &str| {
        format!(
            "kernel void k(global float *p, global const int *modes, int mode) {{
                int i = get_global_id(0);
                float v = p[i];
                switch ({value} & 63) {{ {cases} default: v = 0; }}
                p[i] = v;
            }}"
        )
    };
    check(&source("mode"), ALL, &["lanes: "]);
    check(&source("modes[i]"), ALL, &["scalar: a large switch"]);
}

#[test]
fn vectors_of_the_program_fill_wide_registers() {
    let source = "uint16 left(uint16 v, int n) { return v << (uint)n | v >> (uint)(32 - n); }
        kernel void k(global uint16 *v, uint n) {
            uint16 a = v[get_global_id(0)], b = a ^ 1u;
            for (uint i = 0; i < n; i++) { uint16 c = left(a + b, 7); a = b; b = c; }
            v[get_global_id(0)] = b;
        }";
    for backend in [Backend::Avx2, Backend::Avx512] {
        let Made { remarks, code, .. } = made(backend, source, [1, 1, 1]);
        assert!(remarks.ends_with(&format!("machine code by {}\n", backend.name())), "{remarks}");
        assert_eq!(code.contains("vprold zmm"), backend == Backend::Avx512, "{code}");
    }
    // Lanes of work-items take sixteen registers for each of them: there are enough of 64 bytes.
    let rounds = "c = left(a + b, 7); a = b ^ c; b = left(c - a, 13) + 0x5a82u;".repeat(50);
    let long = source.replace("uint16 c = left(a + b, 7); a = b; b = c;", &format!("uint16 c; {rounds}"));
    assert_ne!(source, long);
    for source in [source, &long] {
        for backend in [Backend::Avx2, Backend::Avx512] {
            let groups = made(backend, source, [64, 1, 1]).remarks;
            assert_eq!(groups.contains("lanes would not pay"), backend == Backend::Avx2, "{groups}");
        }
    }
}

#[test]
fn the_smallest_functions_are_part_of_callers_of_any_size() {
    let calls = "x = left(x, 5) ^ left(y, 7); y = left(y + x, 9) * 3;\n".repeat(2000);
    let source = format!(
        "uint left(uint v, int n) {{ return v << n | v >> (32 - n); }}
         kernel void k(global uint *v) {{
             uint x = v[0], y = v[1];
             {calls}
             v[0] = x + y;
         }}"
    );
    let program = build(source.as_bytes(), "", &[]).program.unwrap_or_else(|_| panic!("builds"));
    let text = program.emit(0, SpecKey::default(), Emit::Kir).expect("a text");
    assert!(!text.contains("call @"));
}

#[test]
fn functions_of_the_library_do_not_stop_lanes() {
    let unary = "acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt cos cosh cospi erf erfc exp exp10 exp2 expm1 lgamma log \
                 log10 log1p log2 logb rsqrt sin sinh sinpi tan tanh tanpi tgamma";
    let binary = "atan2 atan2pi fmod hypot pow powr remainder nextafter fdim";
    let calls = unary.split_whitespace().map(|f| format!("{f}(t)"));
    let calls = calls.chain(binary.split_whitespace().map(|f| format!("{f}(t, c[i])")));
    for call in calls {
        for ty in ["float", "double"] {
            let source = format!(
                "kernel void k(global const {ty} *x, constant {ty} *c, global {ty} *out, int n) {{
                    {ty} a = x[get_global_id(0)], sum = 0;
                    for (int i = 0; i < n; i++) {{ {ty} t = a * c[i]; sum += {call}; sum -= c[i] * cos(t); }}
                    out[get_global_id(0)] = sum;
                }}"
            );
            check(&source, [64, 1, 1], &["lanes:"]);
        }
    }
}

/// Lanes that read rows of their own load them in pieces, of whatever the addresses are made; more of them share loads.
#[test]
fn rows_of_lanes_are_loaded_in_pieces() {
    for (ty, body) in [
        ("float", "global const float *p = a + i * n; for (int k = 0; k < n; k++) sum += *p++;"),
        ("double", "for (int k = 0; k < n; k++) sum += a[i * n + k];"),
        ("double", "global const double *p = a + i * n; for (int k = n; k > 0; k--) sum += *p++;"),
        ("float", "for (int k = 1; k < n - 1; k++) sum += a[i * n + k - 1] + a[i * n + k] - a[i * n + k + 1];"),
        ("float", "for (int k = 0; k < n; k++) sum += a[i * n + k] * a[(i + n) * n + k] + a[(i + 2 * n) * n + k];"),
        ("float", "for (int k = 0; k < n; k++) { float4 t = vload4(k, a + i * n); sum += t.x * t.y - t.z / t.w; }"),
    ] {
        let source = format!(
            "kernel void k(global const {ty} *a, global {ty} *out, int n) {{
                int i = get_global_id(0);
                {ty} sum = 0;
                {body}
                out[i] = sum;
            }}"
        );
        let group = made(Backend::Avx512, &source, ALL).group;
        let piece = if ty == "float" { "f32x4 = load" } else { "f64x2 = load" };
        assert!(group.contains(piece), "{group}");
    }
}

/// Lanes along rows are better than gathers from many, where the order of what is added does not count.
#[test]
fn inner_loops_have_lanes_where_lanes_of_work_items_would_gather() {
    for (ty, lanes) in [("uchar", true), ("short", true), ("float", false)] {
        let source = format!(
            "kernel void k(global const {ty} *a, global const {ty} *x, global int *out, int n) {{
                int i = get_global_id(0), sum = 0;
                for (int k = 0; k < n; k++) sum += a[i * n + k] * x[k];
                out[i] = sum;
            }}"
        );
        let remarks = made(Backend::Avx512, &source, ALL).remarks;
        assert_eq!(remarks.contains("lanes of inner loops are better"), lanes, "{remarks}");
        assert_eq!(remarks.contains("inner loop 0: 16 lanes"), lanes, "{remarks}");
    }
}

/// Rows that lanes read element by element are loaded by fours.
#[test]
fn rows_of_lanes_are_loaded_by_fours() {
    for (id, index) in
        [("int i", "i * n + k"), ("uint i", "i * n + k"), ("size_t i", "i * n + k"), ("int i", "i * 96 + k")]
    {
        let source = format!(
            "kernel void k(global const float *a, global float *out, int n) {{
                {id} = get_global_id(0);
                float sum = 0;
                for (int k = 0; k < n; k++) sum += a[{index}];
                out[i] = sum;
            }}"
        );
        for backend in [Backend::Avx2, Backend::Avx512] {
            let group = made(backend, &source, ALL).group;
            assert!(matches!(group.matches("f32x4 = load").count(), 8 | 16), "{group}");
        }
    }
}

#[test]
fn chains_of_wide_vectors_run_in_lanes() {
    // Each component is a chain of its own, so that lanes have sixteen chains where one work-item's register has one.
    for ty in ["float16", "int16", "short16", "double16", "double8"] {
        let source = format!(
            "kernel void k(global int *out, int a) {{
                {ty} x = ({ty})(a), c = ({ty})get_local_id(0);
                x.s1 += 1; x.s2 += 2; x.s5 += 3;
                #define FOUR x = x * x + c; x = x * x + c; x = x * x + c; x = x * x + c;
                for (int i = 0; i < 8; i++) {{ FOUR FOUR FOUR FOUR }}
                out[get_global_id(0)] = x.s0 + x.s1 + x.s2 + x.s3 + x.s4 + x.s5 + x.s6 + x.s7;
            }}"
        );
        check(&source, [256, 1, 1], &["lanes: 0 uniform, 1 contiguous"]);
    }
}

#[test]
fn arithmetic_on_small_elements_stays_small() {
    // C computes with `int`; the code that is made does not convert within the chain.
    for ty in ["char", "short", "uchar", "ushort"] {
        let source = format!(
            "kernel void k(global {ty} *out, {ty} a) {{
                {ty} x = a, c = ({ty})get_local_id(0);
                for (int i = 0; i < 64; i++) {{ x = (x * x) + c; x = (x * x) ^ c; }}
                out[get_global_id(0)] = x;
            }}"
        );
        let text = made(Backend::Avx512, &source, [256, 1, 1]).group;
        assert!(text.contains(" mul ") && !text.contains(" sext ") && !text.contains(" zext "), "{text}");
    }
}

#[test]
fn library_functions_that_return_by_pointer_are_inlined_wherever_they_are_called() {
    for call in ["sincos(X, P)", "fract(X, P)", "modf(X, P)", "frexp(X, Q)", "remquo(X, 3.0f, Q)", "lgamma_r(X, Q)"] {
        let of = |x: &str, p: &str, q: &str| call.replace('X', x).replace('P', p).replace('Q', q);
        let [one, two, three] =
            [("x[i]", "&c", "&e"), ("y[i]", "&d", "&f"), ("y[i] + 1", "z + i", "n + i")].map(|(x, p, q)| of(x, p, q));
        let source = format!(
            "kernel void k(global float *x, global float *y, global float *z, global int *n) {{
                size_t i = get_global_id(0);
                float c = 0, d = 0;
                int e = 0, f = 0;
                x[i] = {one} + {two} + {three} + c + d + e + f;
            }}"
        );
        check(&source, ALL, &["lanes: 0 uniform"]);
    }
}

#[test]
fn what_has_too_many_instructions_stays_scalar() {
    static SMALL: Target = Target { max_insts: 20, ..Target::AVX512 };
    let mut module = lowered(b"kernel void k(global int *a) { a[get_global_id(0)] *= 3; }", "").expect("it compiles");
    Runner::default().program(&mut module);
    let key = SpecKey { local_size: Some(ALL), small_ids: true, ..SpecKey::default() };
    for (target, is_lanes) in [(&SMALL, false), (&Target::AVX512, true)] {
        let config = Config { target, ..Config::always(16) };
        let (group, remarks) = Runner::default().kernel(&module, 0, key, Sharing::Auto, Some(config));
        let said: Vec<String> = remarks.iter().map(Remark::to_string).collect();
        assert_eq!(group.func.is_lanes, is_lanes, "{said:?}");
        assert_eq!(said.iter().any(|line| line.ends_with("scalar: too large for wide code")), !is_lanes, "{said:?}");
    }
}

/// `intel_vec_len_hint`: so many, though others would pay more.
#[test]
fn hints_decide_how_many() {
    let kernel = |n: u32| {
        format!(
            "__attribute__((intel_vec_len_hint({n})))
            kernel void k(global const float *x, global float *y) {{
                y[get_global_id(0)] = 2 * x[get_global_id(0)];
            }}"
        )
    };
    for n in [4, 8, 16] {
        check(&kernel(n), ALL, &[&format!("{n} lanes: 0 uniform, 2 contiguous")]);
    }
    check(&kernel(1), ALL, &[]);
    check(&kernel(0), ALL, &["32 lanes: 0 uniform, 2 contiguous"]);
}

/// `LaneChoice::Narrower`: in place of 32 lanes there are those of one register.
#[test]
fn narrower_code_has_half_as_many_lanes() {
    let source = "kernel void k(global float *x) { x[get_global_id(0)] *= 2; }";
    for (items, widths) in [(64, [32, 16]), (16, [16, 8])] {
        let mut module = lowered(source.as_bytes(), "").expect("it compiles");
        Runner::default().program(&mut module);
        let key = SpecKey { local_size: Some([items, 1, 1]), small_ids: true, ..SpecKey::default() };
        for (narrower, width) in [false, true].into_iter().zip(widths) {
            let config = Config { narrower, ..Config::new(&Target::AVX512) };
            let (_, remarks) = Runner::default().kernel(&module, 0, key, Sharing::Auto, Some(config));
            let [Remark { outcome: Outcome::Lanes(lanes), .. }] = &remarks[..] else { panic!("{remarks:?}") };
            assert_eq!(lanes.width, width, "of {items} work-items");
            assert!(lanes.gain.is_some_and(|gain| gain > 1.0), "{lanes:?}");
        }
    }
}

/// Vectors lie within a block of ids where that makes neighbours of what they access, and else are as wide as can be.
#[test]
fn blocks_of_ids_decide_how_many() {
    let kernel = |block: u8| {
        format!(
            "kernel void k(global const float *x, global float *y) {{
                int l = get_local_id(0), row = l / {block}, column = l % {block};
                y[get_global_id(0)] = x[row * 1000 + column] * x[row * 999 + column] + x[row * 998 + column];
            }}"
        )
    };
    for (block, width) in [(32, 32), (16, 16), (8, 8)] {
        check(&kernel(block), ALL, &[&format!("{width} lanes: 0 uniform, 4 contiguous, 0 strided, 0 gathered")]);
    }
    let first = "kernel void k(global const uchar *x, global uchar *y, int n) {
        int i = get_global_id(0);
        uchar s = i & 15;
        for (int j = 0; j < n; j++) s = max(s, x[(j & 31) * 1024 + i]);
        y[i] = s;
    }";
    check(first, ALL, &["32 lanes: 0 uniform, 2 contiguous, 0 strided, 0 gathered"]);
}

//! What a rounding region costs: the same kernel under each mode, as a ratio to round-to-nearest in the same run. The
//! modes take turns, and each counts with its fastest run, so that a loaded machine does not matter much.
//! `cargo bench -p clift-jit --bench rounding [-- filter]`.
#![allow(unsafe_code, reason = "runs generated code on buffers made here")]

mod support;

use std::time::Duration;
use support::{Kernel, memory};

/// Elements of each array: work-items of a launch; a kernel with a loop has fewer.
const ITEMS: u64 = 4096;
const LOOP_ITEMS: u64 = 256;
/// Work-items of a group.
const GROUP: u64 = 64;
/// Turns of all modes.
const TURNS: usize = 60;
const MODES: [&str; 4] = ["rte", "rtz", "rtp", "rtn"];

/// A kernel body over `a`, `b`, `c` and `o`, and the ratio that it must stay below.
struct Case {
    name: &'static str,
    /// Element types of the inputs and of the output.
    types: (&'static str, &'static str),
    /// Statements before the mode is set.
    before: &'static str,
    body: &'static str,
    limit: f64,
}

const fn case(
    name: &'static str,
    types: (&'static str, &'static str),
    before: &'static str,
    body: &'static str,
    limit: f64,
) -> Case {
    Case { name, types, before, body, limit }
}

const F: (&str, &str) = ("float", "float");
const D: (&str, &str) = ("double", "double");
const F4: (&str, &str) = ("float4", "float4");
const D4: (&str, &str) = ("double4", "double4");

/// Streams have loads and stores beside the operations; dependent ones are chains too long for the processor to
/// overlap.
const CASES: &[Case] = &[
    case("float + * stream", F, "", "R x = a[i] + b[i]; x *= c[i]; o[i] = x;", 4.0),
    case("float + dependent", F, "R x = a[i], y = b[i];", "for (int k = 0; k < 600; k++) x += y; o[i] = x;", 4.0),
    case("float * dependent", F, "R x = a[i], y = b[i];", "for (int k = 0; k < 600; k++) x *= y; o[i] = x;", 4.0),
    case(
        "float + * dependent",
        F,
        "R x = a[i], y = b[i], z = c[i];",
        "for (int k = 0; k < 600; k++) { x *= y; x += z; } o[i] = x;",
        4.0,
    ),
    case(
        "float + * independent",
        F,
        "R x = a[i], y = b[i], z = c[i], p = x, q = y, r = z, s = x;",
        "for (int k = 0; k < 16; k++) { x *= y; p += z; q *= z; r += y; s *= z; } o[i] = x + p + q + r + s;",
        4.0,
    ),
    case("float / stream", F, "", "o[i] = a[i] / b[i];", 6.0),
    case("float / dependent", F, "R x = a[i], y = b[i];", "for (int k = 0; k < 600; k++) x /= y; o[i] = x;", 6.0),
    case("float fused stream", F, "", "o[i] = a[i] * b[i] + c[i];", 6.0),
    case(
        "float fused dependent",
        F,
        "R x = a[i], y = b[i], z = c[i];",
        "for (int k = 0; k < 600; k++) x = x * y + z; o[i] = x;",
        6.0,
    ),
    case("double + * stream", D, "", "R x = a[i] + b[i]; x *= c[i]; o[i] = x;", 6.0),
    case("double + dependent", D, "R x = a[i], y = b[i];", "for (int k = 0; k < 600; k++) x += y; o[i] = x;", 6.0),
    case("double * dependent", D, "R x = a[i], y = b[i];", "for (int k = 0; k < 600; k++) x *= y; o[i] = x;", 6.0),
    case("double / stream", D, "", "o[i] = a[i] / b[i];", 6.0),
    case("double / dependent", D, "R x = a[i], y = b[i];", "for (int k = 0; k < 600; k++) x /= y; o[i] = x;", 6.0),
    case("double fused stream", D, "", "o[i] = a[i] * b[i] + c[i];", 6.0),
    case("float4 + * stream", F4, "", "R x = a[i] + b[i]; x *= c[i]; o[i] = x;", 4.0),
    case("float4 / stream", F4, "", "o[i] = a[i] / b[i];", 6.0),
    case("double4 + * stream", D4, "", "R x = a[i] + b[i]; x *= c[i]; o[i] = x;", 6.0),
    case("double4 / stream", D4, "", "o[i] = a[i] / b[i];", 6.0),
    case("int to float", ("int", "float"), "", "o[i] = a[i];", 3.0),
    case("uint to float", ("uint", "float"), "", "o[i] = a[i];", 3.0),
    case("long to float", ("long", "float"), "", "o[i] = a[i];", 3.0),
    case("long to double", ("long", "double"), "", "o[i] = a[i];", 3.0),
    case("ulong to double", ("ulong", "double"), "", "o[i] = a[i];", 3.0),
    case("double to float", ("double", "float"), "", "o[i] = a[i];", 3.0),
    case("double4 to float4", ("double4", "float4"), "", "o[i] = convert_float4(a[i]);", 3.0),
    case("int4 to float4", ("int4", "float4"), "", "o[i] = convert_float4(a[i]);", 3.0),
    case("float to half", ("float", "half"), "", "vstore_half(a[i], i, o);", 3.0),
    case("double to half", ("double", "half"), "", "vstore_half(a[i], i, o);", 3.0),
];

fn compile(case: &Case, mode: &str) -> Kernel {
    let (from, to) = case.types;
    let source = format!(
        "#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable\ntypedef {to} R;\n\
         kernel void k(global {from} *a, global {from} *b, global {from} *c, global {to} *o) {{ size_t i = get_global_id(0); {}\n\
         #pragma OPENCL SELECT_ROUNDING_MODE {mode}\n{} }}",
        case.before.replace('R', if to == "half" { "float" } else { "R" }),
        case.body
    );
    Kernel::new(&source, None)
}

/// Arrays with ordinary values near one.
fn inputs(from: &str) -> Vec<Vec<u128>> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..4)
        .map(|_| {
            let mut words = memory(ITEMS as usize * 32);
            for word in &mut words {
                let lanes = [next(), next()].map(|bits| {
                    if from.starts_with("float") {
                        let lane = |x: u64| u64::from((1.0f32 + (x & 0xffff) as f32 * 1e-9).to_bits());
                        lane(bits) | lane(bits >> 16) << 32
                    } else if from.starts_with("double") {
                        (1.0f64 + (bits >> 11) as f64 * 1e-20).to_bits()
                    } else {
                        bits
                    }
                });
                *word = u128::from(lanes[0]) | u128::from(lanes[1]) << 64;
            }
            words
        })
        .collect()
}

fn main() {
    let filter = std::env::args().skip(1).find(|a| !a.starts_with('-')).unwrap_or_default();
    println!("{:26} {:>10} {:>7} {:>7} {:>7}   limit", "time over that of rte", "ns an item", "rtz", "rtp", "rtn");
    for case in CASES.iter().filter(|c| c.name.contains(&filter)) {
        let kernels = MODES.map(|mode| compile(case, mode));
        let mut arrays = inputs(case.types.0);
        let items = if case.body.contains("for (") { LOOP_ITEMS } else { ITEMS };
        let mut best = [Duration::MAX; 4];
        for _ in 0..TURNS {
            for (kernel, best) in kernels.iter().zip(&mut best) {
                *best = kernel.time(&mut arrays, 0, GROUP, items / GROUP).min(*best);
            }
        }
        let ratio = |n: usize| best[n].as_secs_f64() / best[0].as_secs_f64();
        let worst = ratio(1).max(ratio(2)).max(ratio(3));
        println!(
            "{:26} {:>10.2} {:>7.2} {:>7.2} {:>7.2}   {:.0}{}",
            case.name,
            best[0].as_secs_f64() * 1e9 / items as f64,
            ratio(1),
            ratio(2),
            ratio(3),
            case.limit,
            if worst > case.limit { "  above" } else { "" }
        );
    }
}

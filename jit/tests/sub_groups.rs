//! Random kernels with operations of sub-groups in control flow of every shape: the interpreter, in which work-items
//! meet one by one, and machine code of every kind, in which each sub-group is a vector, must agree bit for bit.
//! `FUZZ_SECONDS` runs more of them.
#![allow(unsafe_code, reason = "runs generated code")]

#[path = "support/ndrange.rs"]
mod ndrange;
#[path = "support/rng.rs"]
mod rng;

use ndrange::{Given, Kernel, Range, side_by_side};
use rng::Rng;
use std::fmt::Write;
use std::time::{Duration, Instant};

const LANES: [u8; 2] = [4, 16];

/// Deepest nesting of statements.
const MAX_DEPTH: usize = 4;

/// A kernel that is being written. Its variables: `a`, `b`, `c` of `int`, `f` of `float`, `w` of `long`, `s` of
/// `short`, and an array `p` of eight `int`.
struct Writer<'r> {
    rng: &'r mut Rng,
    text: String,
    depth: usize,
    /// Loops around, for `break` and `continue`.
    loops: usize,
    statements: usize,
}

impl Writer<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{}{text}", "    ".repeat(self.depth + 1));
    }

    fn var(&mut self) -> &'static str {
        self.rng.of(&["a", "b", "c"])
    }

    fn small(&mut self) -> String {
        let (x, y) = (self.var(), self.var());
        let n = self.rng.below(7);
        match self.rng.below(7) {
            0 => format!("{n}"),
            1 => format!("({x} & {n})"),
            2 => format!("({x} ^ {y})"),
            3 => format!("({x} + {n})"),
            4 => format!("p[{x} & 7]"),
            5 => format!("(int)(s - {n})"),
            _ => x.to_owned(),
        }
    }

    fn condition(&mut self) -> String {
        let (x, y) = (self.small(), self.small());
        match self.rng.below(6) {
            0 => format!("{x} & 1"),
            1 => format!("{x} > {y}"),
            2 => format!("({x} & 3) == 1"),
            3 => "lane < 3".into(),
            4 => format!("sub_group_any({x} > {y})"),
            _ => format!("f > {}", self.rng.below(5)),
        }
    }

    /// An operation of sub-groups that any of its work-items may miss.
    fn operation(&mut self) {
        let how = self.rng.of(&["reduce", "scan_inclusive", "scan_exclusive"]);
        let op = self.rng.of(&["add", "mul", "min", "max", "and", "or", "xor"]);
        let float_op = self.rng.of(&["add", "mul", "min", "max"]);
        let (x, y, to) = (self.small(), self.small(), self.var());
        let cluster = 1 << self.rng.below(6);
        let text = match self.rng.below(16) {
            0 | 1 => format!("{to} = sub_group_non_uniform_{how}_{op}({x});"),
            2 => format!("f = sub_group_non_uniform_{how}_{float_op}(f);"),
            3 => format!("w = sub_group_non_uniform_{how}_{op}(w + {x});"),
            4 => format!("s = sub_group_non_uniform_{how}_{op}((short)(s ^ {x}));"),
            5 => format!("{to} += sub_group_non_uniform_{how}_logical_{}({x});", self.rng.of(&["and", "or", "xor"])),
            6 => format!("{to} = sub_group_clustered_reduce_{op}({x}, {cluster});"),
            7 => format!("f = sub_group_clustered_reduce_{float_op}(f, {cluster});"),
            8 => format!("{to} ^= (int)sub_group_ballot({x} > {y}).x;"),
            9 => format!("{to} += sub_group_elect() + 2 * sub_group_non_uniform_all({x});"),
            10 => format!("{to} -= sub_group_non_uniform_all_equal({x}) + sub_group_broadcast_first({y});"),
            11 => format!("{to} += sub_group_ballot_exclusive_scan(sub_group_ballot({x} & 1));"),
            12 => format!("FETCH(int, {to}, {x}, {y})"),
            13 => format!("FETCH(long, w, w, {y})"),
            14 => format!("FETCH(short, s, s, lane ^ {})", self.rng.below(8)),
            _ => format!("FETCH(float, f, f, lane + {})", self.rng.below(4)),
        };
        self.line(&text);
    }

    fn statement(&mut self) {
        self.statements += 1;
        let kind = if self.depth >= MAX_DEPTH || self.statements > 40 { self.rng.below(5) } else { self.rng.below(12) };
        let (x, to) = (self.small(), self.var());
        match kind {
            0..=2 => self.operation(),
            3 => self.line(&format!("{to} = {x} * 3 - p[lane & 7];")),
            4 => match self.rng.below(4) {
                0 => self.line(&format!("p[{x} & 7] += {to};")),
                1 if self.loops > 0 => {
                    let (condition, how) = (self.condition(), self.rng.of(&["break", "continue"]));
                    self.line(&format!("if ({condition}) {how};"));
                }
                2 => self.line("f = f * 0.5f + 1;"),
                _ => self.line(&format!("w += {x};")),
            },
            5..=7 => {
                let condition = self.condition();
                self.line(&format!("if ({condition}) {{"));
                self.block();
                if self.rng.below(2) == 0 {
                    self.line("} else {");
                    self.block();
                }
                self.line("}");
            }
            8 | 9 => {
                let bound = self.rng.of(&["3", "(a & 3)", "(b & 3) + 1", "(lane & 3)"]);
                let (i, depth) = (self.depth, self.depth);
                self.line(&format!("for (int i{i} = 0, n{depth} = {bound}; i{i} < n{depth}; i{i}++) {{"));
                self.loops += 1;
                self.block();
                self.loops -= 1;
                self.line("}");
            }
            10 => {
                self.line(&format!("switch ({x} & 3) {{"));
                for case in ["case 0:", "case 1:", "case 2:", "default:"] {
                    self.line(case);
                    // A `continue` would leave the switch as well.
                    let loops = std::mem::take(&mut self.loops);
                    self.block();
                    self.loops = loops;
                    if self.rng.below(3) > 0 {
                        self.line("break;");
                    }
                }
                self.line("}");
            }
            _ => {
                let condition = self.condition();
                self.line(&format!("if ({condition}) goto l{};", self.statements));
                let number = self.statements;
                self.block();
                self.line(&format!("l{number}:;"));
            }
        }
    }

    fn block(&mut self) {
        self.depth += 1;
        for _ in 0..=self.rng.below(2) {
            self.statement();
        }
        self.depth -= 1;
    }
}

fn source(rng: &mut Rng, size: usize) -> String {
    let mut writer = Writer { rng, text: String::new(), depth: 0, loops: 0, statements: 0 };
    for _ in 0..4 {
        writer.statement();
        match writer.rng.below(14) {
            0 => writer.line("barrier(CLK_LOCAL_MEM_FENCE);"),
            1 => writer.line("b += work_group_reduce_add(a);"),
            2 => writer.line("c ^= work_group_scan_exclusive_add(b);"),
            3 => writer.line("sub_group_barrier(CLK_LOCAL_MEM_FENCE);"),
            4 => writer.line("a ^= work_group_broadcast(b, 0, 0, 0);"),
            5 => writer.line("if (work_group_any(a > 50)) c++;"),
            6 => writer.line("w += work_group_scan_inclusive_max(w);"),
            7 => writer.line("f = work_group_scan_inclusive_add((float)(a & 31) / 7);"),
            8 => writer.line("f = work_group_reduce_min(f) + work_group_reduce_add((float)(b & 31) / 7);"),
            9 => {
                // Barriers in a loop.
                writer.line("for (int r = 0; r < 3; r++) {");
                writer.depth += 1;
                writer.statement();
                writer.line("barrier(CLK_GLOBAL_MEM_FENCE);");
                writer.statement();
                writer.depth -= 1;
                writer.line("}");
            }
            _ => {}
        }
    }
    let body = writer.text;
    format!(
        "#define FETCH(T, to, from, number) {{ \\
    uint4 there = sub_group_ballot(1); \\
    uint k = (uint)(number) % {size}; \\
    T got = sub_group_shuffle(from, k); \\
    if (sub_group_ballot_bit_extract(there, k)) to = got; }}
kernel __attribute__((intel_reqd_sub_group_size({size}))) void k(global int *in, global long *out)
{{
    size_t at = get_global_linear_id();
    uint lane = get_sub_group_local_id();
    int a = in[at], b = lane * 5 - 7, c = at, p[8] = {{a, b, c, 1, 2, 3, 4, 5}};
    float f = a & 15;
    long w = a * 3L;
    short s = b;
{body}
    for (int i = 0; i < 8; i++) w = w * 31 + p[i];
    out[4 * at] = w;
    out[4 * at + 1] = (long)a << 32 ^ b;
    out[4 * at + 2] = (long)c << 32 ^ s;
    out[4 * at + 3] = isnan(f) ? 0 : as_int(f);
}}
"
    )
}

fn range(rng: &mut Rng) -> Range {
    let mut up_to = |n: usize| 1 + rng.below(n) as u64;
    let local = match up_to(5) {
        1 => [up_to(70), 1, 1],
        2 => [up_to(9), up_to(7), 1],
        3 => [up_to(4), up_to(4), up_to(4)],
        4 => [16, up_to(3), 1],
        _ => [64, 1, 1],
    };
    // One group or two, of which the last may be smaller.
    let all = local[0] * up_to(2);
    let global = [(all - (up_to(2) - 1)).max(1), local[1], local[2]];
    Range { global, local }
}

fn one(seed: u64) {
    let mut rng = Rng(seed);
    let size = 4 << rng.below(5);
    let text = source(&mut rng, size);
    let range = range(&mut rng);
    let values: Vec<u8> = (0..range.items()).flat_map(|_| (rng.below(200) as i32 - 100).to_le_bytes()).collect();
    let given = [Given::Buffer(values), Given::Buffer(vec![0xa5; 32 * range.items()])];
    let run = || Kernel::from_source(&text).run(range, &given);
    if std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err() {
        panic!("seed {seed}: {range:?}\n{text}");
    }
}

#[test]
fn random_kernels() {
    let seconds = std::env::var("FUZZ_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(0);
    let (start, first) = (Instant::now(), std::env::var("FUZZ_SEED").ok().and_then(|s| s.parse().ok()));
    if let Some(seed) = first {
        return one(seed);
    }
    side_by_side(&(0..60).collect::<Vec<u64>>(), |&seed| one(seed));
    let mut seed = 60;
    while start.elapsed() < Duration::from_secs(seconds) {
        one(seed);
        seed += 1;
    }
}

/// Some work-items leave the loop over them for a loop that never ends; loops that begin with a barrier have the header
/// of the loop over work-items. There is code all the same.
#[test]
fn loops_around_work_items_have_lanes() {
    let bodies = [
        "for (;;) {
            barrier(CLK_GLOBAL_MEM_FENCE);
            p[1] = sub_group_reduce_add(p[0]);
            if (p[get_local_id(0)]) for (;;) sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
        }",
        "do { barrier(CLK_GLOBAL_MEM_FENCE); p[1] = sub_group_reduce_add(p[0]); } while (p[7]);",
        "for (;;) { barrier(CLK_GLOBAL_MEM_FENCE); p[1] = sub_group_reduce_add(p[0]); if (p[7]) return; }",
        "for (;;) { barrier(CLK_GLOBAL_MEM_FENCE); p[1] = sub_group_reduce_add(p[0]); }",
    ];
    for body in bodies {
        let source = format!("kernel void k(global int *p) {{ {body} }}");
        let program = clift_jit::build(source.as_bytes(), "-cl-std=CL3.0", &[]).program.expect("it compiles");
        for local_size in [None, Some([16, 1, 1])] {
            let key = clift_jit::SpecKey { local_size, small_ids: true, ..clift_jit::SpecKey::default() };
            if let Err(error) = program.code(0, key) {
                panic!("{body}: {}", error.message);
            }
        }
    }
}

/// Work-items that meet again and again compute the same as in the interpreter.
#[test]
fn barriers_in_loops_without_a_beginning() {
    let text = "kernel void k(global int *p, global long *out) {
        int at = get_global_linear_id(), n = 0;
        do {
            barrier(CLK_GLOBAL_MEM_FENCE);
            out[at] = out[at] * 3 + sub_group_reduce_add(p[at] + n);
        } while (++n < 4);
    }";
    let range = Range { global: [70, 1, 1], local: [35, 1, 1] };
    let values: Vec<u8> = (0..70).flat_map(|n: i32| (n * n - 50).to_le_bytes()).collect();
    Kernel::from_source(text).run(range, &[Given::Buffer(values), Given::Buffer(vec![0; 8 * 70])]);
}

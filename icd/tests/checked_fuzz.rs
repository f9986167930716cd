//! Random kernels under all checks. The generator makes only what is right: indices within their objects, memory that
//! was written before it is read, and a barrier between what work-items write and what others read. So there must be no
//! report; and with one mistake planted, whose results are used, the right one, at its line. `FUZZ_SEED` and
//! `FUZZ_ROUNDS` are for longer runs.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

/// Programs of each kind.
const ROUNDS: u64 = 12;
/// Elements of the buffer that is read.
const INPUT: u32 = 64;
/// Elements of a private array.
const PRIVATE: u32 = 8;

/// What is wrong with a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mistake {
    None,
    /// An index behind the end of an array.
    Memory,
    /// No barrier between what is written and what is read.
    Race,
    /// A barrier that only some reach.
    Barrier,
    /// A variable, or a part of one, without a value.
    Value,
    /// An asynchronous copy that is not waited for, or too late.
    Event,
}

/// Xorshift (Marsaglia, 2003).
struct Random(u64);

impl Random {
    fn below(&mut self, n: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 20) % u64::from(n)) as u32
    }
    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len() as u32) as usize]
    }
}

struct Generator {
    random: Random,
    /// Work-items of a group, a power of two.
    group: u32,
    text: String,
    indent: usize,
    /// Local arrays; of each, whether work-items may read all of it now.
    shared: Vec<bool>,
    /// Private variables.
    values: u32,
    /// Asynchronous copies so far.
    events: u32,
    mistake: Mistake,
    /// The lines that a report must name.
    wrong: Vec<usize>,
}

impl Generator {
    fn line(&mut self, text: &str) -> usize {
        _ = writeln!(self.text, "{:1$}{text}", "", 4 * self.indent);
        self.text.lines().count()
    }

    /// True for one of so many places at which a mistake is possible, if it has not been made yet.
    fn is_time(&mut self, mistake: Mistake) -> bool {
        self.mistake == mistake && self.wrong.is_empty() && self.random.below(3) == 0
    }

    /// An index that each work-item has for itself.
    fn own(&mut self) -> String {
        let (n, mask) = (self.random.below(self.group), self.group - 1);
        match self.random.below(3) {
            0 => "l".into(),
            1 => format!("((l + {n}) & {mask})"),
            _ => format!("(l ^ {n})"),
        }
    }

    fn expr(&mut self, depth: u32) -> String {
        if depth == 0 || self.random.below(4) == 0 {
            return self.leaf();
        }
        let (a, b) = (self.expr(depth - 1), self.expr(depth - 1));
        match self.random.below(8) {
            0 => format!("({a} / (({b} & 15) + 1))"),
            1 => format!("({a} << {})", self.random.below(32)),
            2 => format!("max({a}, {b})"),
            3 => format!("({a} > {b} ? {b} : {})", self.leaf()),
            _ => format!("({a} {} {b})", self.random.pick(&["+", "-", "*", "^", "&", "|"])),
        }
    }

    fn leaf(&mut self) -> String {
        let open: Vec<usize> = (0..self.shared.len()).filter(|&n| self.shared[n]).collect();
        match self.random.below(7) {
            0 => format!("{}u", self.random.below(1000)),
            1 => "l".into(),
            2 => format!("in[v{} & {}]", self.random.below(self.values), INPUT - 1),
            3 => format!("p[v{} & {}]", self.random.below(self.values), PRIVATE - 1),
            4 | 5 if !open.is_empty() => {
                let array = open[self.random.below(open.len() as u32) as usize];
                format!("t{array}[v{} & {}]", self.random.below(self.values), self.group - 1)
            }
            _ => format!("v{}", self.random.below(self.values)),
        }
    }

    /// Something that touches nothing that others write.
    fn statement(&mut self, depth: u32) {
        let (value, n) = (self.expr(2), self.random.below(self.values));
        if self.is_time(Mistake::Memory) {
            let wrong = match self.random.below(3) {
                0 => format!("out[g] ^= in[{INPUT} + (l & 7)];"),
                1 => format!("out[g] ^= p[{PRIVATE} + (int)l];"),
                _ => format!("t{}[{} + l] = v{n};", self.random.below(self.shared.len() as u32), self.group),
            };
            let line = self.line(&wrong);
            self.wrong.push(line);
        }
        if self.is_time(Mistake::Value) {
            let [before, wrong] = match self.random.below(5) {
                0 => ["uint u; if (in[0] == 1u) u = 3;", "if (u > 5) out[g] += 1;"],
                1 => ["uint u[4]; u[0] = u[1] = u[3] = l;", "out[g] += u[in[1] & 2] + u[2];"],
                2 => ["uint4 u; u.x = l; u.yw = (uint2)(3, g);", "out[g] += u.x + u.z;"],
                3 => ["uint u[8]; for (uint i = 0; i < (in[2] & 6) + 1; i++) u[i] = i;", "out[g] += u[7];"],
                _ => [
                    "uint u, s = 0;",
                    "for (uint i = 0; i < 3; i++) { uint x; if (i == 0) x = l; s += x; } out[g] += s;",
                ],
            };
            self.line(before);
            let line = self.line(wrong);
            self.wrong.push(line);
            self.mistake = Mistake::None;
        }
        match self.random.below(6) {
            0 if depth > 0 => self.nested(depth, &format!("if (l < {})", self.random.0 as u32 % self.group)),
            1 if depth > 0 => {
                let turns = 1 + self.random.below(4);
                self.nested(depth, &format!("for (uint i{depth} = 0; i{depth} < {turns}; i{depth}++)"));
            }
            2 => _ = self.line(&format!("p[v{n} & {}] = {value};", PRIVATE - 1)),
            3 => _ = self.line(&format!("out[g] += {value};")),
            _ => _ = self.line(&format!("v{n} = {value};")),
        }
    }

    fn nested(&mut self, depth: u32, head: &str) {
        self.line(&format!("{head} {{"));
        self.indent += 1;
        // Not all may come here, or they come more than once.
        let planted = std::mem::replace(&mut self.mistake, Mistake::None);
        (0..=self.random.below(2)).for_each(|_| self.statement(depth - 1));
        self.mistake = planted;
        self.indent -= 1;
        self.line("}");
    }

    /// Each work-item writes its element of an array, which all may read behind a barrier.
    fn exchange(&mut self) {
        let array = self.random.below(self.shared.len() as u32) as usize;
        if std::mem::replace(&mut self.shared[array], false) {
            self.barrier();
        }
        let (own, value) = (self.own(), self.expr(2));
        let written = self.line(&format!("t{array}[{own}] = {value};"));
        if self.is_time(Mistake::Race) {
            // The neighbour's element.
            let read = self.line(&format!("out[g] += t{array}[({own} + 1) & {}];", self.group - 1));
            self.wrong.extend([written, read]);
        }
        self.barrier();
        self.shared[array] = true;
    }

    /// The group copies to an array, which all may read behind a wait.
    fn copy(&mut self) {
        let (array, n) = (self.random.below(self.shared.len() as u32) as usize, self.events);
        if std::mem::replace(&mut self.shared[array], false) {
            self.barrier();
        }
        self.events += 1;
        let copied = self.line(&format!("event_t e{n} = async_work_group_copy(t{array}, in, {}, 0);", self.group));
        (0..self.random.below(3)).for_each(|_| self.statement(1));
        let is_wrong = self.is_time(Mistake::Event);
        let kind = self.random.below(3);
        if is_wrong {
            let other = self.line(&format!("event_t f{n} = async_work_group_copy(w, in, {}, 0);", self.group));
            match kind {
                // Nothing waits for the other copy.
                0 => self.wrong.push(other),
                _ => {
                    if kind == 1 {
                        self.line(&format!("wait_group_events(1, &f{n});"));
                    }
                    let own = self.own();
                    let read = self.line(&format!("out[g] += t{array}[{own}];"));
                    self.wrong.extend([copied, read]);
                    if kind == 2 {
                        self.line(&format!("wait_group_events(1, &f{n});"));
                    }
                }
            }
        }
        self.line(&format!("wait_group_events(1, &e{n});"));
        self.shared[array] = true;
    }

    fn barrier(&mut self) {
        let barrier = self.random.pick(&["barrier(CLK_LOCAL_MEM_FENCE);", "work_group_barrier(CLK_LOCAL_MEM_FENCE);"]);
        if self.is_time(Mistake::Barrier) {
            let some = 1 + self.random.below(self.group - 1);
            let line = self.line(&format!("if (l < {some}) {barrier}"));
            // The others wait at the next one.
            self.wrong.extend([line, line + 1]);
        }
        self.line(barrier);
    }

    /// A kernel; false if the mistake found no place.
    fn program(&mut self) -> bool {
        let group = self.group;
        self.line("kernel void k(global uint *out, global const uint *in) {");
        self.indent = 1;
        let arrays = self.shared.len();
        (0..arrays).for_each(|n| _ = self.line(&format!("local uint t{n}[{group}];")));
        self.line(&format!("local uint w[{group}];"));
        self.line("uint l = get_local_id(0), g = get_global_id(0);");
        (0..self.values).for_each(|n| _ = self.line(&format!("uint v{n} = l * {}u;", 7 * n + 1)));
        self.line(&format!("uint p[{PRIVATE}];"));
        self.line(&format!("for (int i = 0; i < {PRIVATE}; i++) p[i] = l + i;"));
        self.line("out[g] = 0;");
        for _ in 0..6 {
            (0..self.random.below(3)).for_each(|_| self.statement(2));
            match self.random.below(5) {
                1 => self.copy(),
                0 => {
                    // All work-items go round as often.
                    self.line("for (int k = 0; k < 2; k++) {");
                    self.indent += 1;
                    // What the next turn writes nobody may read any more.
                    let before = std::mem::replace(&mut self.shared, vec![false; arrays]);
                    self.line("barrier(CLK_LOCAL_MEM_FENCE);");
                    self.exchange();
                    self.statement(1);
                    self.line("barrier(CLK_LOCAL_MEM_FENCE);");
                    self.shared = self.shared.iter().zip(before).map(|(&now, before)| now || before).collect();
                    self.indent -= 1;
                    self.line("}");
                }
                _ => self.exchange(),
            }
        }
        let value = self.expr(2);
        self.line(&format!("out[g] ^= {value};"));
        self.text.push_str("}\n");
        self.mistake == Mistake::None && self.wrong.is_empty() || !self.wrong.is_empty()
    }
}

/// A program with this mistake, and the lines that a report of it names.
fn make(mut seed: u64, mistake: Mistake) -> (String, u32, Vec<usize>) {
    loop {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut random = Random(seed | 1);
        let (group, arrays, values) = (8 << random.below(4), 1 + random.below(2), 2 + random.below(3));
        let shared = vec![false; arrays as usize];
        let mut generator = Generator {
            random,
            group,
            text: String::new(),
            indent: 0,
            shared,
            values,
            events: 0,
            mistake,
            wrong: Vec::new(),
        };
        if generator.program() {
            return (generator.text, group, generator.wrong);
        }
    }
}

/// The reports of a program: kind and line of each side.
fn reports(text: &str, group: u32, environment: &[(&str, &str)]) -> (Vec<(String, usize)>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("k.cl"), text).expect("it can be written");
    let input: Vec<u8> = (0..INPUT).flat_map(|n| (n.wrapping_mul(2_654_435_761) | 2).to_le_bytes()).collect();
    fs::write(folder.path().join("input"), input).expect("it can be written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_clift"));
    command.current_dir(folder.path()).args(["run", "k.cl", "k", "--options=-cl-std=CL3.0", "--local"]);
    command.args([&group.to_string(), "--global", &(3 * group).to_string()]);
    command.args([&format!("out:written:{}", 3 * 4 * group), "in:input"]);
    command.env("CLIFT_CHECK", "all").env_remove("CLIFT_CHECK_LOG").envs(environment.iter().copied());
    let output = command.output().expect("the tool starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && said.contains("clift: check: "), "{}: {said}\n{text}", output.status);
    let mut found = Vec::new();
    for line in said.lines() {
        let Some((place, message)) = line.split_once(": check: ").filter(|(place, _)| place.starts_with("k.cl:"))
        else {
            continue;
        };
        let number = place.split(':').nth(1).and_then(|n| n.parse().ok()).expect("a line");
        let kind = message.split(':').next().unwrap_or_default().to_owned();
        if !message.contains(": found ") {
            found.push((kind, number));
        }
    }
    (found, said)
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Runs programs with a mistake, of which there has to be a report of the first kind, and may be of the others.
fn try_programs(mistake: Mistake, kinds: &[&str]) {
    let first = number("FUZZ_SEED", 1);
    for seed in first..first + number("FUZZ_ROUNDS", ROUNDS) {
        let (text, group, wrong) = make(seed, mistake);
        let ways: [&[(&str, &str)]; 3] = [&[], &[("CLIFT_ISA", "scalar")], &[("CLIFT_ISA", "v128")]];
        for way in ways {
            let (found, said) = reports(&text, group, way);
            let numbered: String = text.lines().zip(1..).map(|(line, n)| format!("{n:3} {line}\n")).collect();
            let context = format!("seed {seed}, {way:?}, wrong in {wrong:?}:\n{said}\n{numbered}");
            let is_found = |line: &usize| found.iter().any(|(is, at)| at == line && kinds.first() == Some(&&**is));
            assert!(wrong.iter().all(is_found), "missing: {context}");
            let is_right = |(is, at): &(String, usize)| kinds.contains(&&**is) && wrong.contains(at);
            assert!(found.iter().all(is_right), "not expected: {context}");
        }
    }
}

#[test]
fn right_programs_give_no_report() {
    try_programs(Mistake::None, &[]);
}

#[test]
fn accesses_outside_of_arrays_are_found() {
    try_programs(Mistake::Memory, &["memory"]);
}

#[test]
fn missing_barriers_are_found() {
    // Who reads too early may find what nobody has written yet.
    try_programs(Mistake::Race, &["race", "value"]);
}

#[test]
fn barriers_that_some_reach_are_found() {
    try_programs(Mistake::Barrier, &["barrier"]);
}

#[test]
fn variables_without_a_value_are_found() {
    try_programs(Mistake::Value, &["value"]);
}

#[test]
fn copies_that_are_not_waited_for_are_found() {
    try_programs(Mistake::Event, &["event"]);
}

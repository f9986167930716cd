//! Random loops that read and write rows: what is rewritten computes the same, and touches nothing outside the rows.

use super::super::Config;
use crate::interp::{Arg, Launch, Machine};
use crate::ir::text::parse::parse;
use crate::ir::verify::verify_func;
use crate::ir::{FuncId, Module, Op};
use std::fmt::Write;

struct Rng(u64);

impl Rng {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }
    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
    fn order(&mut self, n: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..n).collect();
        (1..n).for_each(|i| all.swap(i, self.below(i + 1)));
        all
    }
}

/// How a loop says where its lanes read.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    /// An index of 32 bits with a sign: row and counter.
    Signed,
    /// The same without a sign.
    Unsigned,
    /// An index of 64 bits.
    Wide,
    /// Each lane's address goes round the loop.
    Addresses,
    /// An address for all goes round the loop, the lanes' distances from it do not.
    Base,
}

const FORMS: [Form; 5] = [Form::Signed, Form::Unsigned, Form::Wide, Form::Addresses, Form::Base];

/// Which rows a loop writes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Written {
    None,
    /// Of other memory.
    Other,
    /// Those that it reads.
    Same,
}

/// A loop: what it is to be like.
#[derive(Clone, Debug)]
struct Shape {
    form: Form,
    lanes: usize,
    /// Bytes of an element.
    size: i64,
    /// The counter's first value, and what it grows by.
    first: u32,
    step: i64,
    turns: i64,
    /// Elements from turn to turn, and those that a turn reads.
    stride: i64,
    members: Vec<i64>,
    written: Written,
    /// Elements that a turn writes.
    stored: Vec<i64>,
    /// A branch that all lanes take is in the body.
    branches: bool,
    /// The last bound is met, instead of passed.
    ne: bool,
    /// The counter has a sign.
    signed: bool,
}

impl Shape {
    fn random(rng: &mut Rng) -> Self {
        let form = rng.pick(&FORMS);
        let step = if form == Form::Unsigned { 1 } else { rng.pick(&[1, 1, 1, -1, 2, 4, -2]) };
        let counted = matches!(form, Form::Signed | Form::Unsigned | Form::Wide);
        let stride: i64 = if counted { step } else { rng.pick(&[1, 1, 2, 4, 3, -1, 6]) };
        let n = 1 + rng.below(5) as i64;
        let members = (0..n).map(|n| if rng.below(3) == 0 { rng.below(7) as i64 } else { n }).collect();
        let written = rng.pick(&[Written::None, Written::Other, Written::Same]);
        let dense = if rng.below(2) == 0 { stride.abs() } else { 1 + rng.below(3) as i64 };
        let shift = if rng.below(2) == 0 { 0 } else { rng.below(4) as i64 };
        let stored = (0..dense).map(|n| if rng.below(8) == 0 { rng.below(7) as i64 } else { n + shift }).collect();
        let firsts: &[u32] = match form {
            Form::Unsigned => &[0, 7, (1 << 31) - 30, 1 << 31, 3 << 30, 0xffff_0000],
            _ => &[0, 0, 5, -3i32 as u32, -100i32 as u32],
        };
        let first = rng.pick(firsts);
        Self {
            form,
            lanes: rng.pick(&[8, 16, 32]),
            size: rng.pick(&[4, 8]),
            first,
            step,
            turns: rng.pick(&[0, 1, 2, 3, 4, 5, 8, 11, 64]),
            stride,
            members,
            written,
            stored,
            branches: rng.below(3) == 0,
            ne: step > 0 && form != Form::Unsigned && rng.below(4) == 0,
            signed: form != Form::Unsigned || first < 8 && rng.below(2) == 0,
        }
    }

    /// Elements in front of a row's first turn that are read, and up to the end of what is read.
    fn reach(&self) -> (i64, i64) {
        let last = (self.turns - 1).max(0) * self.stride;
        let all = || self.members.iter().chain(&self.stored);
        let (least, most) = (all().min().expect("one"), all().max().expect("one"));
        (-(last.min(0) + least), last.max(0) + most + 1)
    }

    /// The function, for rows that are so many elements apart.
    fn text(&self, rng: &mut Rng, apart: i64) -> String {
        let Self { form, lanes: n, size, first, step, turns, .. } = *self;
        // Nothing writes constant memory.
        let x = if self.written == Written::Other { "ptr<const>" } else { "ptr<global>" };
        let mut text = format!("func @k({x}, ptr<global>, ptr<global>, ptr<global>) kernel lanes {{\n");
        let elem = if size == 4 { "i32" } else { "i64" };
        let unsigned = form == Form::Unsigned;
        let end = (first as i32 as i64 + turns * step) as u32;
        let flag = |exact: bool| if exact { " {nsw}" } else { "" };
        let (nsw, counts) = (flag(!unsigned), flag(self.signed));
        // A bound that is not met is passed by less than a step.
        let last = if self.ne {
            end
        } else {
            end.wrapping_sub((rng.below(step.unsigned_abs() as usize) as i64 * step.signum()) as u32)
        };
        let last = if turns == 0 { first } else { last };
        let test = match (self.ne, !self.signed, step > 0) {
            (true, ..) => "ne",
            (_, true, _) => "ult",
            (_, _, true) => "slt",
            _ => "sgt",
        };
        let _ = writeln!(
            text,
            "b0(%x: {x}, %y: ptr<global>, %z: ptr<global>, %o: ptr<global>):
  %order: i32x{n} = load %z
  %apart: i32x{n} = const {apart}
  %rows: i32x{n} = mul %order, %apart{{nsw}}
  %wide: i64x{n} = sext %rows
  %size: i64x{n} = const {shift}
  %bytes: i64x{n} = shl %wide, %size
  %half: i32x{n} = const {half}
  %three: {elem}x{n} = const 3
  %none: {elem}x{n} = const 0
  %all: i1x{n} = const 1
  %by: i64x{n} = const {by}
  %one: i32 = const {step}
  %first: i32 = const {first}
  %last: i32 = const {last}
  jump b1(%first, %none, %bytes, %x, %o)
b1(%k: i32, %s: {elem}x{n}, %at: i64x{n}, %base: {x}, %out: ptr<global>):
  %more: i1 = icmp.{test} %k, %last
  br %more, b2, b9
b2:
  %turn: i32x{n} = splat %k
  %sum: i32x{n} = add %rows, %turn{nsw}
  %flipped: i32x{n} = xor %sum, %half
  %long: i64 = sext %k
  %longs: i64x{n} = splat %long
  %far: i64x{n} = shl %longs, %size
  %place: i64x{n} = add %bytes, %far",
            shift = size.trailing_zeros(),
            half = 1u32 << 31,
            by = (self.stride * size) as u64,
            step = step as u32,
        );
        let (front, _) = self.reach();
        // Backwards by as many elements as the counter is ahead.
        let ahead = if unsigned { i64::from(first) - (1 << 31) } else { i64::from(first as i32) };
        let mut sum = String::from("%s");
        let place = |x: &'static str, base: &'static str, member: i64| {
            let (root, index, scale, ahead) = match form {
                Form::Signed => (x, "%sum", size, ahead),
                Form::Unsigned => (x, "%flipped", size, ahead),
                Form::Wide => (x, "%place", 1, ahead),
                Form::Addresses => (x, "%at", 1, 0),
                Form::Base => (base, "%rows", size, 0),
            };
            let disp = (front + member - ahead) * size;
            let sign = if disp < 0 { '-' } else { '+' };
            (format!("{root}, {index}"), format!("{scale} {sign} {}", disp.unsigned_abs()))
        };
        for (m, &member) in self.members.iter().enumerate() {
            let (place, bytes) = place("%x", "%base", member);
            let _ = writeln!(
                text,
                "  %v{m}: {elem}x{n} = gather {place}, %all, %none * {bytes}
  %t{m}: {elem}x{n} = mul {sum}, %three
  %u{m}: {elem}x{n} = add %t{m}, %v{m}"
            );
            sum = format!("%u{m}");
            if self.branches && m == 0 {
                let _ = writeln!(
                    text,
                    "  %odd: i32 = and %k, %one\n  %zero: i32 = const 0\n  %is: i1 = icmp.eq %odd, %zero
  br %is, b3, b4(%u0)\nb3:\n  %w: {elem}x{n} = xor %u0, %v0\n  jump b4(%w)\nb4(%j: {elem}x{n}):"
                );
                sum = String::from("%j");
            }
        }
        let stored = if self.written == Written::None { &[][..] } else { &self.stored };
        for (m, &member) in stored.iter().enumerate() {
            let to = if self.written == Written::Other { ["%o", "%out"] } else { ["%x", "%base"] };
            let (place, bytes) = place(to[0], to[1], member);
            let _ = writeln!(
                text,
                "  %f{m}: {elem}x{n} = const {m}\n  %g{m}: {elem}x{n} = xor {sum}, %f{m}
  scatter {place}, %g{m}, %all * {bytes}"
            );
        }
        let by = self.stride * size;
        let sign = if by < 0 { "-" } else { "" };
        let _ = write!(
            text,
            "  %next: i32 = add %k, %one{counts}\n  %then: i64x{n} = add %at, %by
  %on: {x} = ptr.off %base, {sign}{by}\n  %off: ptr<global> = ptr.off %out, {sign}{by}
  jump b1(%next, {sum}, %then, %on, %off)\nb9:\n  store %y, %s\n  ret\n}}\n",
            by = by.abs(),
        );
        text
    }
}

fn run(module: &Module, id: FuncId, buffers: &[Vec<u8>; 4], text: &str) -> [Vec<u8>; 4] {
    let mut machine = Machine::new(module);
    let args = buffers.clone().map(|bytes| Arg::Buffer(machine.add_buffer(bytes)));
    machine.run_kernel(id, &args, &Launch::linear(1, 1)).unwrap_or_else(|e| panic!("{e}\n{text}\n{module}"));
    args.map(|arg| if let Arg::Buffer(buffer) = arg { machine.buffer(buffer).to_vec() } else { unreachable!("above") })
}

fn parsed(text: &str) -> (Module, FuncId) {
    let module = parse(text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let id = module.funcs.keys().next().expect("a function");
    (module, id)
}

/// Rewrites the loop of a shape; true if there was something to rewrite.
fn check(rng: &mut Rng, shape: &Shape) -> bool {
    let n = shape.lanes;
    let (front, end) = shape.reach();
    // Rows that are written have no element in common.
    let least = if shape.written == Written::None { 1 } else { front + end };
    let apart = least + rng.below((front + end) as usize + 5) as i64;
    let text = shape.text(rng, apart);
    let (mut module, id) = parsed(&text);
    let bytes = ((n as i64 - 1) * apart + front + end) * shape.size;
    let [memory, other] = [0; 2].map(|_| (0..bytes).map(|_| rng.below(256) as u8).collect());
    let places = rng.order(n).into_iter().flat_map(|at| (at as u32).to_le_bytes()).collect();
    let buffers = [memory, vec![0; n * shape.size as usize], places, other];
    let before = run(&module, id, &buffers, &text);
    let any = super::run(&mut module.funcs[id], Config::new(&crate::target::Target::AVX512), false);
    verify_func(&module, id).unwrap_or_else(|e| panic!("{e}\n{text}\n{module}"));
    assert_eq!(before, run(&module, id, &buffers, &text), "{shape:?}\n{text}\n{module}");
    any
}

#[test]
fn rows_are_read_wherever_they_lie() {
    let mut rewritten = FORMS.map(|form| (form, 0));
    let mut written = [Written::Other, Written::Same].map(|written| (written, 0));
    for seed in 0..4000 {
        let mut rng = Rng(seed);
        let shape = Shape::random(&mut rng);
        let any = check(&mut rng, &shape);
        rewritten.iter_mut().filter(|(form, _)| *form == shape.form).for_each(|(_, n)| *n += usize::from(any));
        written.iter_mut().filter(|(kind, _)| *kind == shape.written).for_each(|(_, n)| *n += usize::from(any));
    }
    assert!(rewritten.iter().all(|&(_, n)| n > 150), "rewritten: {rewritten:?}");
    assert!(written.iter().all(|&(_, n)| n > 150), "rewritten: {written:?}");
}

#[test]
fn gathers_are_gone_from_the_loop_that_does_several_turns() {
    let plain = Shape {
        form: Form::Signed,
        lanes: 16,
        size: 4,
        first: 0,
        step: 1,
        turns: 64,
        stride: 1,
        members: vec![0],
        written: Written::None,
        stored: vec![0],
        branches: false,
        ne: false,
        signed: true,
    };
    for (shape, gathers, loads) in [
        // The old loop keeps its own.
        (plain.clone(), 1, 16),
        (Shape { size: 8, ..plain.clone() }, 1, 16),
        // Two turns read four elements.
        (Shape { members: vec![0, 1, 2], ..plain.clone() }, 3, 16),
        // In place: records of 16 bytes.
        (Shape { form: Form::Base, stride: 4, members: vec![0, 1, 2, 3], ..plain.clone() }, 0, 16),
        (Shape { form: Form::Addresses, stride: 6, members: vec![3, 1, 2, 0], ..plain.clone() }, 0, 16),
        // Two of four elements.
        (Shape { form: Form::Base, stride: 4, members: vec![0, 2], ..plain.clone() }, 2, 0),
        (Shape { form: Form::Base, stride: 2, ..plain.clone() }, 1, 0),
        // The old loop keeps its scatter, too.
        (Shape { written: Written::Other, ..plain.clone() }, 2, 16),
        (Shape { written: Written::Same, ..plain.clone() }, 2, 16),
        // What a turn stores, the next one loads.
        (Shape { written: Written::Same, stored: vec![1], ..plain.clone() }, 2, 0),
        // Each place is stored by two turns.
        (Shape { written: Written::Other, stored: vec![0, 1], ..plain.clone() }, 3, 0),
    ] {
        let text = shape.text(&mut Rng(1), 100);
        let (mut module, id) = parsed(&text);
        let before = loads_of(&module, id);
        super::run(&mut module.funcs[id], Config::new(&crate::target::Target::AVX512), false);
        let func = &mut module.funcs[id];
        crate::pass::dce::run(func);
        let left =
            func.live_insts().filter(|&(_, inst)| matches!(func.insts[inst].op, Op::Gather | Op::Scatter)).count();
        assert_eq!((left, loads_of(&module, id) - before), (gathers, loads), "{shape:?}\n{module}");
    }
}

fn loads_of(module: &Module, id: FuncId) -> usize {
    let func = &module.funcs[id];
    func.live_insts().filter(|&(_, inst)| func.insts[inst].op == Op::Load).count()
}

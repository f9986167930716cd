//! Random functions whose lanes access records in every pattern: `interleave` and `coalesce` leave each result as it
//! is, and touch nothing outside the records. What the patterns promise of the number of accesses is checked, too.

use super::super::{Config, coalesce, interleave};
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
    fn order(&mut self, n: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..n).collect();
        (1..n).for_each(|i| all.swap(i, self.below(i + 1)));
        all
    }
}

/// The vector of each lane's record, and how many records there are; `loads`: lanes may share some.
fn index(rng: &mut Rng, text: &mut String, n: usize, loads: bool) -> usize {
    let constant = |text: &mut String, name: &str, bits: i64| {
        let _ = writeln!(text, "  %{name}: i32x{n} = const {}", bits as u32);
    };
    let _ = writeln!(text, "  %iota: i32x{n} = iota");
    match rng.below(if loads { 6 } else { 4 }) {
        0 => {
            let by = 1 + rng.below(3);
            constant(text, "by", by as i64);
            let _ = writeln!(text, "  %i: i32x{n} = mul %iota, %by");
            by * (n - 1) + 1
        }
        1 => {
            constant(text, "last", n as i64 - 1);
            let _ = writeln!(text, "  %i: i32x{n} = sub %last, %iota");
            n
        }
        2 => {
            let order = rng.order(n);
            let mut names = Vec::new();
            for (lane, record) in order.iter().enumerate() {
                let _ = writeln!(text, "  %l{lane}: i32 = const {record}");
                names.push(format!("%l{lane}"));
            }
            let _ = writeln!(text, "  %i: i32x{n} = build {}", names.join(", "));
            n
        }
        3 => {
            let _ = writeln!(text, "  %i: i32x{n} = load %z");
            n
        }
        4 => {
            constant(text, "by", 1 + rng.below(3) as i64);
            let _ = writeln!(text, "  %i: i32x{n} = lshr %iota, %by");
            n
        }
        _ => {
            constant(text, "by", rng.below(n) as i64);
            let _ = writeln!(text, "  %i: i32x{n} = and %iota, %by");
            n
        }
    }
}

/// A function that accesses `x`, and stores what it loads to `y`; bytes of both.
fn function(rng: &mut Rng, n: usize) -> (String, usize, usize) {
    let (ty, size) = [("i8", 1), ("i16", 2), ("f16", 2), ("i32", 4), ("f32", 4), ("i64", 8)][rng.below(6)];
    let record = size * (1 + rng.below(9));
    let loads = rng.below(2) == 0;
    let mut text = String::from("func @k(ptr<global>, ptr<global>, ptr<global>) kernel lanes {\n");
    text.push_str("b0(%x: ptr<global>, %y: ptr<global>, %z: ptr<global>):\n");
    let records = index(rng, &mut text, n, loads);
    let _ = match rng.below(3) {
        0 => writeln!(text, "  %some: i32x{n} = const {}\n  %m: i1x{n} = icmp.ult %iota, %some", 1 + rng.below(n)),
        _ => writeln!(text, "  %m: i1x{n} = const 1"),
    };
    let _ = writeln!(text, "  %none: {ty}x{n} = const 0\n  %v0: {ty}x{n} = load %y");
    let mut stored = 0;
    // What other lanes access, too: no race where there was a barrier in between.
    let beyond = rng.below(3) == 0;
    for access in 1..2 + rng.below(8) {
        let next = if beyond && rng.below(2) == 0 { record } else { 0 };
        let at = format!("{record} + {}", next + rng.below(record / size) * size);
        let _ = if loads || rng.below(2) == 0 {
            stored += 1;
            let to = stored * n * size;
            writeln!(
                text,
                "  %v{stored}: {ty}x{n} = gather %x, %i, %m, %none * {at}\n  %p{access}: ptr<global> = ptr.off %y, {to}\n  \
                 store %p{access}, %v{stored}"
            )
        } else {
            let v = rng.below(stored + 1);
            writeln!(text, "  scatter %x, %i, %v{v}, %m * {at}")
        };
    }
    text.push_str("  ret\n}\n");
    (text, (records + usize::from(beyond)) * record, (stored + 1) * n * size)
}

fn parsed(text: &str) -> (Module, FuncId) {
    let module = parse(text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let id = module.funcs.keys().next().expect("a function");
    (module, id)
}

fn run(module: &Module, id: FuncId, buffers: &[Vec<u8>; 3]) -> Vec<Vec<u8>> {
    let mut machine = Machine::new(module);
    let args = buffers.clone().map(|bytes| Arg::Buffer(machine.add_buffer(bytes)));
    machine.run_kernel(id, &args, &Launch::linear(1, 1)).unwrap_or_else(|e| panic!("{e}\n{module}"));
    args.iter().map(|arg| if let Arg::Buffer(at) = arg { machine.buffer(*at).to_vec() } else { Vec::new() }).collect()
}

#[test]
fn results_stay() {
    let mut rewritten = [0; 2];
    for seed in 0..2000 {
        let mut rng = Rng(seed);
        let n = [4, 8, 16, 32][rng.below(4)];
        let (text, x, y) = function(&mut rng, n);
        let (mut module, id) = parsed(&text);
        let bytes = |len: usize, rng: &mut Rng| (0..len).map(|_| rng.below(256) as u8).collect::<Vec<u8>>();
        let places = rng.order(n).into_iter().flat_map(|at| (at as u32).to_le_bytes()).collect();
        let buffers = [bytes(x, &mut rng), bytes(y, &mut rng), places];
        let before = run(&module, id, &buffers);
        for (pass, count) in rewritten.iter_mut().enumerate() {
            let func = &mut module.funcs[id];
            let old = func.n_live_insts();
            match pass {
                0 => _ = interleave::run(func, Config::always(n as u8)),
                _ => _ = coalesce::run(func, Config::always(n as u8)),
            }
            *count += usize::from(old != module.funcs[id].n_live_insts());
            verify_func(&module, id).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
            assert_eq!(before, run(&module, id, &buffers), "seed {seed}, pass {pass}:\n{text}\n{module}");
        }
    }
    assert!(rewritten.iter().all(|&n| n > 100), "rewritten: {rewritten:?}");
}

/// Gathers that are left of these displacements from places of each lane's own (`index`) in 8 lanes.
fn left(elem: &str, scale: usize, index: &str, members: &[usize]) -> usize {
    let mut text =
        String::from("func @k(ptr<global>, ptr<global>) kernel lanes {\nb0(%x: ptr<global>, %y: ptr<global>):\n");
    let _ = write!(text, "  %iota: i32x8 = iota\n  %one: i32x8 = const 1\n  {index}\n  %m: i1x8 = const 1\n");
    let _ = writeln!(text, "  %none: {elem}x8 = const 0");
    for (k, at) in members.iter().enumerate() {
        let _ = writeln!(text, "  %v{k}: {elem}x8 = gather %x, %i, %m, %none * {scale} + {at}");
    }
    (0..members.len()).for_each(|k| _ = writeln!(text, "  store %y, %v{k}"));
    text.push_str("  ret\n}\n");
    let (mut module, id) = parsed(&text);
    let func = &mut module.funcs[id];
    interleave::run(func, Config::always(8));
    coalesce::run(func, Config::always(8));
    func.live_insts().filter(|&(_, inst)| func.insts[inst].op == Op::Gather).count()
}

#[test]
fn patterns_are_recognised() {
    let arbitrary = "%i: i32x8 = load %y";
    for (members, accesses) in [
        (&[0, 1][..], 1),
        (&[2, 0], 1),
        (&[0, 3], 1),
        (&[0, 1, 3], 1),
        (&[2, 0, 1], 1),
        (&[0, 1, 2, 3], 1),
        (&[0, 1, 2, 3, 4], 2),
        (&[0, 1, 2, 3, 4, 5, 6], 2),
        (&[7, 6, 5, 4, 3, 2, 1, 0], 1),
        (&[0, 4], 2),
        (&[0, 70], 2),
    ] {
        assert_eq!(left("i8", 1, arbitrary, members), accesses, "{members:?}");
    }
    assert_eq!(left("f32", 1, arbitrary, &[0, 4, 8]), 2);
    // What makes 16 bytes is loaded lane by lane.
    assert_eq!(left("i64", 1, arbitrary, &[0, 8]), 0);
    assert_eq!(left("i64", 1, arbitrary, &[0, 16]), 2);
    assert_eq!(left("f32", 1, arbitrary, &[12, 0, 8, 4]), 0);
    assert_eq!(left("f32", 1, arbitrary, &[0, 4, 8, 12, 16, 20]), 1);
    for near in ["xor %iota, %one", "sub %one, %iota", "add %iota, %iota", "and %iota, %one", "lshr %iota, %one"] {
        assert_eq!(left("f32", 4, &format!("%i: i32x8 = {near}"), &[0]), 0, "{near}");
    }
    // One element for all lanes is not a window, and a stride of 9 elements is not near.
    assert_eq!(left("f32", 4, "%i: i32x8 = sub %iota, %iota", &[0]), 1);
    assert_eq!(left("f32", 36, "%i: i32x8 = add %iota, %one", &[0]), 1);
}

//! By how much the values of a loop grow from turn to turn (the stride of an induction variable, generalised): what is
//! added to the header's parameters on the way round, and what expressions make of that, each found by one walk over
//! the blocks in reverse postorder. A rough guide to what memory sees, not a proof: wrapping does not count, a clamped
//! or masked index is taken for the index, and of several ways round the one that adds most counts, as if it were
//! always taken.

use super::address::growth;
use crate::ir::dom::Loop;
use crate::ir::{Func, Imm, InstData, Op, Type, Value};
use crate::launch::AddrSpace;
use rustc_hash::FxHashMap;

/// A parameter of the header and what has been added to it, or growth alone.
#[derive(Clone, Copy)]
struct Sum {
    to: Option<Value>,
    by: i64,
}

/// What is known of values; nothing is, of those that are `None`. What a map lacks is from outside the loop.
type Sums = FxHashMap<Value, Option<Sum>>;

/// The growth of all values of a loop.
pub struct Turns {
    of: Sums,
}

impl Turns {
    /// Of a loop. What a loop within it adds to its own parameters counts once.
    pub fn new(func: &Func, l: &Loop) -> Self {
        Self::with(func, l, false)
    }

    /// The same, but nothing is said of indices that are masked, as these come back, and what a work-item keeps from
    /// one barrier to the next, in private memory, is taken not to change.
    pub fn steady(func: &Func, l: &Loop) -> Self {
        Self::with(func, l, true)
    }

    fn with(func: &Func, l: &Loop, is_steady: bool) -> Self {
        let header = &func.blocks[l.header].params;
        let mut added: Sums = header.iter().map(|&to| (to, Some(Sum { to: Some(to), by: 0 }))).collect();
        walk(func, l, &mut added, |sums, data| add(func, sums, data));
        let mut of = Sums::default();
        for &param in header {
            let round = l.latches.iter().flat_map(|&latch| func.handed(latch));
            let round = round.filter(|&(to, at, _)| to == l.header && at == param).map(|(.., from)| get(&added, from));
            let by = round.reduce(most).flatten().filter(|sum| sum.to == Some(param));
            of.insert(param, by.map(|sum| Sum { to: None, ..sum }));
        }
        walk(func, l, &mut of, |sums, data| grow(func, sums, data, is_steady));
        Self { of }
    }

    /// Of one value: bytes, for pointers; 0 for what does not change; none if it is not the same in each turn.
    pub fn of(&self, v: Value) -> Option<i64> {
        get(&self.of, v).map(|sum| sum.by)
    }
}

/// Goes through a loop but for the way back.
fn walk(func: &Func, l: &Loop, sums: &mut Sums, result: impl Fn(&Sums, &InstData) -> Option<Sum>) {
    for &block in &l.blocks {
        for data in func.data_of(&[block]) {
            if let Some(v) = data.result {
                let sum = result(sums, data);
                sums.insert(v, sum);
            }
        }
        for (_, param, arg) in func.handed(block).filter(|&(to, ..)| to != l.header) {
            let new = get(sums, arg);
            let met = sums.get(&param).map_or(new, |&old| most(old, new));
            sums.insert(param, met);
        }
    }
}

fn get(sums: &Sums, v: Value) -> Option<Sum> {
    sums.get(&v).copied().unwrap_or(Some(Sum { to: None, by: 0 }))
}

/// Where two ways meet.
fn most(a: Option<Sum>, b: Option<Sum>) -> Option<Sum> {
    let (a, b) = (a?, b?);
    (a.to == b.to).then_some(if a.by.unsigned_abs() < b.by.unsigned_abs() { b } else { a })
}

/// What has been added to a parameter of the header.
fn add(func: &Func, sums: &Sums, data: &InstData) -> Option<Sum> {
    let sum = |i: usize| get(sums, data.args[i]);
    let plus = |i: usize, n: Option<i64>| Some(Sum { by: sum(i)?.by.checked_add(n?)?, ..sum(i)? });
    let constant = |i: usize| {
        let unused = 64 - func.ty(data.args[i]).elem.bits().min(64);
        func.const_bits(data.args[i]).map(|bits| (bits as i64) << unused >> unused)
    };
    match (data.op, &data.imm) {
        (Op::Add, _) => plus(0, constant(1)).or_else(|| plus(1, constant(0))),
        (Op::Sub, _) => plus(0, constant(1).and_then(i64::checked_neg)),
        (Op::PtrOff, &Imm::Disp(n)) => plus(0, Some(n)),
        (Op::PtrAdd, &Imm::Scale { scale, disp }) => {
            plus(0, constant(1).and_then(|n| n.checked_mul(scale.into())?.checked_add(disp)))
        }
        (Op::And | Op::Sext | Op::Zext | Op::Trunci, _) => sum(0),
        (Op::Select, _) => most(sum(1), sum(2)),
        _ => None,
    }
}

/// By how much the result of an instruction grows.
fn grow(func: &Func, sums: &Sums, data: &InstData, is_steady: bool) -> Option<Sum> {
    let sum = |i: usize| get(sums, data.args[i]);
    let by = |i: usize| sum(i).map(|sum| sum.by);
    let of = |by: i64| Sum { to: None, by };
    match data.op {
        Op::Load if is_steady && func.ty(data.args[0]) == Type::ptr(AddrSpace::Private) => {
            (by(0) == Some(0)).then_some(of(0))
        }
        op if !op.is_pure() => None,
        Op::Sext | Op::Zext | Op::Splat => sum(0),
        // Multiples of the divisor, as if the first value were one.
        Op::DivS | Op::DivU if divisor(func, data).is_some_and(|n| by(0).is_some_and(|by| by % n == 0)) => {
            by(0).zip(divisor(func, data)).map(|(by, n)| of(by / n))
        }
        Op::And if by(1) == Some(0) && !(is_steady && by(0) != Some(0)) => sum(0),
        Op::MinS | Op::MinU | Op::MaxS | Op::MaxU => most(sum(0), sum(1)),
        Op::Select => most(sum(1), sum(2)),
        _ if (0..data.args.len()).all(|i| by(i) == Some(0)) => Some(of(0)),
        _ => growth(func, data, by).map(of),
    }
}

/// A constant that an integer is divided by.
fn divisor(func: &Func, data: &InstData) -> Option<i64> {
    func.const_bits(data.args[1]).map(|bits| bits as i64).filter(|&n| n > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::dom::Loops;
    use crate::ir::text::parse::parse;

    #[test]
    fn addresses_grow() {
        let module = parse(
            "func @k(ptr<global>, i32, i64) {
b0(%a: ptr<global>, %n: i32, %row: i64):
  %zero: i32 = const 0
  %one: i32 = const 1
  %four: i32 = const 4
  %end: ptr<global> = ptr.add %a, %row * 4 + 0
  jump head(%zero, %zero, %end)
head(%i: i32, %j: i32, %p: ptr<global>):
  %more: i1 = icmp.ult %i, %n
  br %more, body, end
body:
  %wide: i64 = sext %i
  %x: ptr<global> = ptr.add %a, %wide * 4 + 0
  %u: f32 = load %x
  %masked: i32 = and %i, %n
  %y: ptr<global> = ptr.add %a, %masked * 2 + 0
  %v: i16 = load %y
  %by: i32 = mul %i, %n
  %z: ptr<global> = ptr.add %a, %by * 4 + 0
  %w: i32 = load %z
  %t: f32 = load %end
  %s: f32 = load %p
  %c: i1 = icmp.eq %w, %zero
  br %c, rare, on(%j)
rare:
  %j2: i32 = add %j, %one
  jump on(%j2)
on(%k: i32):
  %back: ptr<global> = ptr.off %p, -8
  %o: ptr<global> = ptr.add %a, %k * 4 + 0
  store %o, %w
  %next: i32 = add %i, %four
  jump head(%next, %k, %back)
end:
  ret
}
",
        )
        .unwrap_or_else(|e| panic!("{e:?}"));
        let func = module.funcs.values().next().expect("a function");
        let (_, _, loops) = Loops::of_func(func);
        let turns = Turns::new(func, &loops.loops[0]);
        let accesses = func.data_of(&loops.loops[0].blocks).filter(|data| matches!(data.op, Op::Load | Op::Store));
        let grown: Vec<Option<i64>> = accesses.map(|data| turns.of(data.args[0])).collect();
        // A constant step, behind a mask, times what only the launch knows, not at all, backwards, and now and then.
        assert_eq!(grown, [Some(16), Some(8), None, Some(0), Some(-8), Some(4)]);
    }
}

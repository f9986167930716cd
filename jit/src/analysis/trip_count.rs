//! How often loops go round, where that follows from constants: from the loop's counter, or by executing what a test
//! needs, turn after turn (the textbook's exhaustive evaluation), for loops that go round a few times.

use super::induction::{Counted, tests};
use crate::interp::value::{self, Lanes};
use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loop};
use crate::ir::{Block, Func, Term, Type, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Most turns that are executed.
const MAX_TURNS: u64 = 33;
/// Levels of operations that are looked through.
const DEPTH: u32 = 24;

/// How often the header runs at most when the loop is entered, if some test that ends the loop is known in every turn;
/// exact for loops with one way out.
pub fn trip_count(func: &Func, cfg: &Cfg, dom: &Dominators, l: &Loop) -> Option<u64> {
    let &[latch] = &l.latches[..] else { return None };
    let turns = |test: Block| Counted::by_test(func, cfg, l, test)?.turns(func);
    tests(func, dom, l).filter_map(|test| turns(test).or_else(|| execute(func, cfg, l, latch, test))).min()
}

/// Turns of a loop whose number does not follow from constants: a guess.
pub const TURNS: f64 = 8.0;

/// How often the body of a loop runs when the loop is entered, or a guess.
pub fn estimate(func: &Func, cfg: &Cfg, dom: &Dominators, l: &Loop) -> f64 {
    let is_tested_first = l.exiting(func).any(|block| block == l.header) && !l.latches.contains(&l.header);
    trip_count(func, cfg, dom, l).map_or(TURNS, |n| n.saturating_sub(u64::from(is_tested_first)) as f64)
}

/// True if the test in a loop's header is known not to end the loop in its first turn.
pub fn is_entered(func: &Func, cfg: &Cfg, l: &Loop) -> bool {
    let enters = || {
        let (cond, leave_if) = way_out(func, l, l.header)?;
        let mut known = at_entry(func, cfg, l)?;
        Some((evaluate(func, &mut known, cond, 0)?[0] & 1 == 1) != leave_if)
    };
    enters().unwrap_or(false)
}

/// A test's condition, and the value with which it ends a loop.
fn way_out(func: &Func, l: &Loop, test: Block) -> Option<(Value, bool)> {
    let Term::Br { cond, then, els } = &func.blocks[test].term else { return None };
    match [then, els].map(|t| l.blocks.contains(&t.block)) {
        [true, false] => Some((*cond, false)),
        [false, true] => Some((*cond, true)),
        _ => None,
    }
}

/// The parameters of a loop's header in the first turn, as far as they are constants.
fn at_entry(func: &Func, cfg: &Cfg, l: &Loop) -> Option<FxHashMap<Value, Option<Lanes>>> {
    let args = &func.blocks[l.entry(cfg)?].term.only_target(l.header)?.args;
    let params = &func.blocks[l.header].params;
    Some(params.iter().zip(args).map(|(&param, &v)| (param, constant(func, v))).collect())
}

/// The turn in which a test ends a loop, found by executing the loop.
fn execute(func: &Func, cfg: &Cfg, l: &Loop, latch: Block, test: Block) -> Option<u64> {
    let (cond, leave_if) = way_out(func, l, test)?;
    let params = &func.blocks[l.header].params;
    let next = &func.blocks[latch].term.only_target(l.header)?.args;
    let mut state = at_entry(func, cfg, l)?;
    for turn in 1..=MAX_TURNS {
        let mut known = state.clone();
        let cond = evaluate(func, &mut known, cond, 0)?;
        if (cond[0] & 1 == 1) == leave_if {
            return Some(turn);
        }
        state = params.iter().zip(next).map(|(&param, &v)| (param, evaluate(func, &mut known, v, 0))).collect();
    }
    None
}

fn constant(func: &Func, v: Value) -> Option<Lanes> {
    let bits = func.const_bits(v)?;
    Some(SmallVec::from_elem(bits, usize::from(func.ty(v).lanes)))
}

/// A value in one turn.
fn evaluate(func: &Func, known: &mut FxHashMap<Value, Option<Lanes>>, v: Value, depth: u32) -> Option<Lanes> {
    if let Some(lanes) = known.get(&v) {
        return lanes.clone();
    }
    if let Some(lanes) = constant(func, v) {
        return Some(lanes);
    }
    let result = func.def_inst(v).filter(|d| d.op.is_pure() && depth < DEPTH).and_then(|data| {
        let args: Vec<Lanes> = data.args.iter().map(|a| evaluate(func, known, *a, depth + 1)).collect::<Option<_>>()?;
        let types: Vec<Type> = data.args.iter().map(|a| func.ty(*a)).collect();
        let slices: Vec<&[u64]> = args.iter().map(|a| a.as_slice()).collect();
        value::eval(data.op, &data.imm, &data.attr, func.ty(v), &types, &slices, func.flushes_denormals)
    });
    known.insert(v, result.clone());
    result
}

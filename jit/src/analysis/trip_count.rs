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
    let before = l.entry(cfg)?;
    let turns = |test: Block| Counted::by_test(func, cfg, l, test)?.turns(func);
    tests(func, dom, l).filter_map(|test| turns(test).or_else(|| execute(func, l, (before, latch), test))).min()
}

/// The turn in which a test ends a loop, found by executing the loop.
fn execute(func: &Func, l: &Loop, (before, latch): (Block, Block), test: Block) -> Option<u64> {
    let Term::Br { cond, then, els } = &func.blocks[test].term else { return None };
    let leave_if = match [then, els].map(|t| l.blocks.contains(&t.block)) {
        [true, false] => false,
        [false, true] => true,
        _ => return None,
    };
    let params = &func.blocks[l.header].params;
    let [first, next] = [before, latch].map(|b| func.blocks[b].term.only_target(l.header));
    let (first, next) = (&first?.args, &next?.args);
    let mut state: FxHashMap<Value, Option<Lanes>> =
        params.iter().zip(first).map(|(&param, &v)| (param, constant(func, v))).collect();
    for turn in 1..=MAX_TURNS {
        let mut known = state.clone();
        let cond = evaluate(func, &mut known, *cond, 0)?;
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
        value::eval(data.op, &data.imm, &data.attr, func.ty(v), &types, &slices)
    });
    known.insert(v, result.clone());
    result
}

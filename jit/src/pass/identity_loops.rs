//! Loops that give back what they got: where the numbers that a loop starts with are known to come out of it again, it
//! is not entered. Code that folds an index back into an image is such a loop, and hardly any index needs it:
//!
//! ```text
//! do { x = x < 0 ? -x : 2 * n - 2 - x; } while (x < 0 || x >= n);    →    if (!(x >= 0 && x < n - 1)) do …
//! ```
//! Symbolic execution (King, 1976) finds ways through the loop: what is computed on them are sums of what was there
//! before, each branch that does not follow from those before it is assumed to go one way or the other, and a way that
//! leaves with the very values that entered, after a turn or more, is what is asked for. Loops of pure operations only,
//! innermost, with sums that do not wrap. Needs SSA form after `licm`. The number of steps is bounded.

use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loop, Loops};
use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::{Attr, Block, Builder, Func, Imm, Inst, IntPred, Op, Target, Term, Type, Value};
use crate::loops::lcssa::is_closed;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Most blocks of such a loop.
const MAX_BLOCKS: usize = 12;
/// Most instructions of such a loop.
const MAX_INSTS: usize = 40;
/// Most blocks that are executed in search of a way.
const MAX_STEPS: u32 = 96;
/// Most turns of a way.
const MAX_TURNS: u32 = 2;
/// Most assumptions of a way.
const MAX_FACTS: usize = 4;
/// How often a known fact may count in another one.
const MAX_FACTOR: i64 = 2;

/// Runs the pass.
pub fn run(func: &mut Func) {
    if func.layout.len() < 3 {
        return;
    }
    func.remove_unreachable();
    let cfg = Cfg::new(func);
    let dom = Dominators::new(&cfg);
    let loops = Loops::new(func, &cfg, &dom);
    let mut is_inner = vec![true; loops.loops.len()];
    loops.loops.iter().filter_map(|l| l.parent).for_each(|parent| is_inner[parent] = false);
    let around = Around { cfg: &cfg, homes: func.homes(&func.layout), users: func.user_blocks() };
    let inner = loops.loops.iter().zip(is_inner).filter(|(_, is_inner)| *is_inner);
    let found: Vec<Way> = inner.filter_map(|(l, _)| Search::new(func, &around, l)?.find(func)).collect();
    found.iter().for_each(|way| guard(func, way));
    func.remove_unreachable();
}

/// A sum of multiples of values and a constant, as an exact number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Sum {
    /// By value; no factor is 0.
    terms: SmallVec<[(Value, i64); 3]>,
    constant: i64,
}

impl Sum {
    fn constant(constant: i64) -> Self {
        Self { terms: SmallVec::new(), constant }
    }

    fn of(v: Value) -> Self {
        Self { terms: [(v, 1)].into_iter().collect(), constant: 0 }
    }

    /// With a multiple of another; none for large numbers.
    fn plus(&self, other: &Self, factor: i64) -> Option<Self> {
        let mut sum = self.clone();
        sum.constant = sum.constant.checked_add(other.constant.checked_mul(factor)?)?;
        for &(v, times) in &other.terms {
            let times = times.checked_mul(factor)?;
            match sum.terms.iter_mut().find(|t| t.0 == v) {
                Some(t) => t.1 = t.1.checked_add(times)?,
                None => sum.terms.push((v, times)),
            }
        }
        sum.terms.retain(|t| t.1 != 0);
        sum.terms.sort_unstable_by_key(|t| t.0);
        let small = sum.terms.iter().map(|t| t.1).chain([sum.constant]).all(|n| n.abs() < 1 << 40);
        small.then_some(sum)
    }
}

/// A way out of a loop with what entered it.
struct Way {
    /// The block that enters the loop.
    before: Block,
    header: Block,
    /// What enters it.
    entry: Vec<Value>,
    /// Sums that are not negative.
    facts: Vec<Sum>,
    exit: Target,
}

/// What is known on a way.
#[derive(Clone, Default)]
struct State {
    sums: FxHashMap<Value, Sum>,
    facts: Vec<Sum>,
    turns: u32,
}

/// What there is around loops.
struct Around<'a> {
    cfg: &'a Cfg,
    homes: Vec<Option<Block>>,
    /// Blocks that use each value.
    users: Vec<SmallVec<[Block; 2]>>,
}

struct Search<'a> {
    l: &'a Loop,
    around: &'a Around<'a>,
    before: Block,
    /// What enters the loop.
    entry: Vec<Value>,
}

impl<'a> Search<'a> {
    /// None for loops that are not looked at.
    fn new(func: &Func, around: &'a Around<'a>, l: &'a Loop) -> Option<Self> {
        let insts = || l.blocks.iter().flat_map(|&b| &func.blocks[b].insts);
        let plain = l.blocks.len() <= MAX_BLOCKS
            && insts().count() <= MAX_INSTS
            && insts().all(|&i| func.insts[i].op.is_pure())
            && func.blocks[l.header].params.iter().any(|&v| func.ty(v) == Type::I32);
        let before = l.entry(around.cfg).filter(|_| plain)?;
        let target = func.blocks[before].term.targets().into_iter().find(|t| t.block == l.header)?;
        is_closed(func, &l.blocks, &around.users).then(|| Self { l, around, before, entry: target.args.to_vec() })
    }

    fn find(&self, func: &Func) -> Option<Way> {
        let mut state = State::default();
        for (&param, &v) in func.blocks[self.l.header].params.iter().zip(&self.entry) {
            if func.ty(v) == Type::I32 {
                state.sums.insert(param, Self::outer(func, v));
            }
        }
        self.go(func, self.l.header, state, &mut { MAX_STEPS })
    }

    /// A value from before the loop.
    fn outer(func: &Func, v: Value) -> Sum {
        func.const_bits(v).map_or_else(|| Sum::of(v), |bits| Sum::constant(i64::from(bits as i32)))
    }

    /// Goes on from a block, by whatever ways there are.
    fn go(&self, func: &Func, block: Block, mut state: State, steps: &mut u32) -> Option<Way> {
        *steps = steps.checked_sub(1)?;
        for &inst in &func.blocks[block].insts {
            if let Some(result) = func.insts[inst].result {
                match self.sum(func, &state, inst) {
                    Some(sum) => _ = state.sums.insert(result, sum),
                    // Of another turn.
                    None => _ = state.sums.remove(&result),
                }
            }
        }
        match &func.blocks[block].term {
            Term::Jump(target) => self.pass(func, target, state, steps),
            Term::Br { cond, then, els } => {
                let holds = self.condition(func, &state, *cond)?;
                let fails = Sum::constant(-1).plus(&holds, -1)?;
                for (fact, target) in [(&holds, then), (&fails, els)] {
                    if follows(&state.facts, fact) {
                        return self.pass(func, target, state, steps);
                    }
                }
                [(holds, then), (fails, els)].into_iter().find_map(|(fact, target)| {
                    let mut state = state.clone();
                    state.facts.push(fact);
                    let few = state.facts.len() <= MAX_FACTS;
                    few.then(|| self.pass(func, target, state, steps)).flatten()
                })
            }
            _ => None,
        }
    }

    /// Follows an edge.
    fn pass(&self, func: &Func, target: &Target, mut state: State, steps: &mut u32) -> Option<Way> {
        let sums: Vec<Option<Sum>> = target.args.iter().map(|&v| self.value(func, &state, v)).collect();
        if !self.l.blocks.contains(&target.block) {
            return self.leave(func, target, state);
        }
        if target.block == self.l.header {
            state.turns += 1;
            if state.turns >= MAX_TURNS {
                return None;
            }
        }
        for (&param, sum) in func.blocks[target.block].params.iter().zip(sums) {
            match sum {
                Some(sum) => _ = state.sums.insert(param, sum),
                None => _ = state.sums.remove(&param),
            }
        }
        self.go(func, target.block, state, steps)
    }

    /// The way that has been gone, if it hands on nothing but what there was.
    fn leave(&self, func: &Func, target: &Target, state: State) -> Option<Way> {
        let mut back = false;
        let args: Option<SmallVec<_>> = target
            .args
            .iter()
            .map(|&v| {
                if !self.is_inner(v) {
                    return Some(v);
                }
                let sum = state.sums.get(&v)?;
                let &same = self.entry.iter().find(|&&e| func.ty(e) == func.ty(v) && Self::outer(func, e) == *sum)?;
                back |= func.const_bits(same).is_none();
                Some(same)
            })
            .collect();
        let exit = Target { block: target.block, args: args? };
        let asked = state.facts.iter().all(|fact| Bound::new(fact, &self.entry).is_some());
        (back && state.turns > 0 && asked).then(|| Way {
            before: self.before,
            header: self.l.header,
            entry: self.entry.clone(),
            facts: state.facts,
            exit,
        })
    }

    fn is_inner(&self, v: Value) -> bool {
        self.around.homes[v.index()].is_some_and(|home| self.l.blocks.contains(&home))
    }

    fn value(&self, func: &Func, state: &State, v: Value) -> Option<Sum> {
        if let Some(sum) = state.sums.get(&v) {
            return Some(sum.clone());
        }
        let plain = func.ty(v) == Type::I32 && (func.const_bits(v).is_some() || !self.is_inner(v));
        // A bound that has been made of another one.
        let sum = func.def_inst(v).filter(|d| plain && d.op == Op::Add && d.attr.flags.contains(Flags::NSW));
        match sum.and_then(|d| Some((d.args[0], func.const_bits(d.args[1])?))) {
            Some((of, by)) if !self.entry.contains(&v) => Sum::of(of).plus(&Sum::constant(i64::from(by as i32)), 1),
            _ => plain.then(|| Self::outer(func, v)),
        }
    }

    /// What an instruction computes, if it is a sum that does not wrap.
    fn sum(&self, func: &Func, state: &State, inst: Inst) -> Option<Sum> {
        let data = &func.insts[inst];
        if data.result.is_none_or(|v| func.ty(v) != Type::I32) {
            return None;
        }
        let of = |i: usize| self.value(func, state, data.args[i]);
        let exact = data.attr.flags.contains(Flags::NSW);
        match data.op {
            Op::Const => data.result.map(|v| Self::outer(func, v)),
            Op::Add if exact => of(0)?.plus(&of(1)?, 1),
            // -1 less any number.
            Op::Sub if exact || func.const_bits(data.args[0]).map(|bits| bits as i32) == Some(-1) => {
                of(0)?.plus(&of(1)?, -1)
            }
            Op::Mul if exact => Sum::default().plus(&of(0)?, i64::from(func.const_bits(data.args[1])? as i32)),
            Op::Shl if exact => Sum::default().plus(&of(0)?, 1 << func.const_bits(data.args[1]).filter(|&by| by < 31)?),
            _ => None,
        }
    }

    /// A sum that is not negative where a condition holds.
    fn condition(&self, func: &Func, state: &State, cond: Value) -> Option<Sum> {
        let data = func.def_inst(cond).filter(|d| d.op == Op::Icmp && func.ty(d.args[0]) == Type::I32)?;
        let Imm::IntPred(pred) = data.imm else { return None };
        let [a, b] = [self.value(func, state, data.args[0])?, self.value(func, state, data.args[1])?];
        let one = Sum::constant(1);
        match pred {
            IntPred::SGe => a.plus(&b, -1),
            IntPred::SLe => b.plus(&a, -1),
            IntPred::SGt => a.plus(&b, -1)?.plus(&one, -1),
            IntPred::SLt => b.plus(&a, -1)?.plus(&one, -1),
            _ => None,
        }
    }
}

/// True if a sum is not negative because it is what a few known ones come to, or more.
fn follows(facts: &[Sum], sum: &Sum) -> bool {
    if sum.terms.is_empty() {
        return sum.constant >= 0;
    }
    let Some((first, rest)) = facts.split_first() else { return false };
    (0..=MAX_FACTOR).any(|n| sum.plus(first, -n).is_some_and(|left| follows(rest, &left)))
}

/// A sum that is not negative, as a comparison of one value with another one, or none, and a constant.
struct Bound {
    /// Whether the value is above.
    above: bool,
    value: Value,
    other: Option<Value>,
    /// What is added to the other value; the comparison is strict.
    constant: i64,
}

impl Bound {
    /// Of one of these values, if the sum has one.
    fn new(fact: &Sum, entry: &[Value]) -> Option<Self> {
        let (&(value, factor), other) = match &fact.terms[..] {
            [one] => (one, None),
            [a, b] if a.1 == -b.1 && entry.contains(&b.0) => (b, Some(a.0)),
            [a, b] if a.1 == -b.1 => (a, Some(b.0)),
            _ => return None,
        };
        // value - other + c >= 0, or other - value + c >= 0.
        let above = factor == 1;
        let constant = if above { -fact.constant - 1 } else { fact.constant + 1 };
        let fits = factor.abs() == 1 && constant.abs() < 1 << 30;
        fits.then_some(Self { above, value, other, constant })
    }

    /// The comparison; what would wrap is held where no number compares so.
    fn emit(&self, b: &mut Builder<'_>) -> Value {
        let by = b.i32(self.constant as i32);
        let bound = match self.other {
            None => by,
            Some(other) if self.constant == 0 => other,
            Some(other) => {
                let (op, end) = match self.constant > 0 {
                    true => (Op::MinS, i64::from(i32::MAX)),
                    false => (Op::MaxS, i64::from(i32::MIN)),
                };
                let end = b.i32((end - self.constant) as i32);
                let held = b.op(op, &[other, end]);
                b.op_attr(Op::Add, &[held, by], Attr { flags: Flags::NSW, ..Attr::default() })
            }
        };
        let pred = if self.above { IntPred::SGt } else { IntPred::SLt };
        b.icmp(pred, self.value, bound)
    }
}

/// Asks in front of a loop whether it has to be entered.
fn guard(func: &mut Func, way: &Way) {
    let block = func.add_block();
    func.layout.push(block);
    let mut b = Builder::new(func, block);
    let mut all = None;
    for bound in way.facts.iter().filter_map(|fact| Bound::new(fact, &way.entry)) {
        let holds = bound.emit(&mut b);
        all = Some(b.and(all, holds));
    }
    let cond = all.expect("a way that goes round assumes something");
    let mut els = Target::plain(block);
    for target in func.blocks[way.before].term.targets_mut() {
        if target.block == way.header {
            std::mem::swap(target, &mut els);
        }
    }
    func.blocks[block].term = Term::Br { cond, then: way.exit.clone(), els };
}

//! What branches have found out, for the index arithmetic behind them (the textbook's correlated value propagation).
//!
//! ```text
//! br a <u b, b1, b2    b2: c = a - b          → c = a - b {nuw}
//! br a <s b, b1, b2    b2: c = a - b {nsw}; zext c   → sext c
//! br a <u b, b1, b2    b1: c = a + d          → c = a + d {nuw}    if b and d are small
//! ```
//! A difference whose operands were compared does not wrap, nor does a sum of what was found to be small, and what is
//! not negative is extended as a signed number if that is how it is known not to wrap. So addresses behind guards are
//! sums, whatever extension a program chose, or a compiler in front of this one. And a condition is a constant behind
//! the branch that asked for it: a loop's `while (go_on)` is told apart from what sets `go_on`. One walk over the
//! dominator tree with the comparisons on the way. Needs SSA form; changes no block.

use crate::analysis::range::{self, Range};
use crate::ir::cfg::Cfg;
use crate::ir::dom::Dominators;
use crate::ir::op::Flags;
use crate::ir::{Attr, Block, Func, Imm, Inst, IntPred, Op, Origin, Term, Type, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Deepest look into conditions and operands.
const DEPTH: u32 = 4;

/// Most comparisons of a value that are asked.
const BOUNDS: usize = 4;

/// What holds in the blocks that a branch dominates.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Fact {
    /// `a ≥ b`, as signed numbers or not.
    AtLeast { a: Value, b: Value, signed: bool },
    /// Not negative.
    Natural(Value),
}

/// Runs the pass.
pub fn run(func: &mut Func) {
    func.remove_unreachable();
    let cfg = Cfg::new(func);
    let dom = Dominators::new(&cfg);
    let Some(&entry) = dom.preorder().first() else { return };
    let mut known = Known::default();
    let mut constants = [None; 2];
    // Blocks to enter, and how much is known in front of each.
    let mut work = vec![(entry, (0, 0))];
    while let Some((block, n)) = work.pop() {
        known.forget(n);
        if let &[from] = cfg.preds(block) {
            known.learn(func, from, block);
        }
        known.replace_conditions(func, block, &mut constants);
        visit(func, block, &known);
        work.extend(dom.children(block).iter().map(|&child| (child, (known.facts.len(), known.outcomes.len()))));
    }
    let made = constants.into_iter().flatten().map(|(inst, _)| inst);
    func.blocks[entry].insts.splice(0..0, made);
}

fn visit(func: &mut Func, block: Block, known: &Known) {
    for inst in func.blocks[block].insts.clone() {
        let data = &func.insts[inst];
        match (data.op, &data.args[..]) {
            (Op::Sub, &[a, b]) if known.has(Fact::AtLeast { a, b, signed: false }) => {
                func.insts[inst].attr.flags |= Flags::NUW;
            }
            (Op::Add, &[a, b]) if !data.attr.flags.contains(Flags::NUW) && known.is_small_sum(func, a, b) => {
                func.insts[inst].attr.flags |= Flags::NUW;
            }
            (Op::Zext, &[v]) if is_signed_sum(func, v) && known.is_natural(func, v, DEPTH) => {
                func.insts[inst].op = Op::Sext;
            }
            _ => {}
        }
    }
}

/// True for what is known not to wrap as a signed number, but not as an unsigned one.
fn is_signed_sum(func: &Func, v: Value) -> bool {
    func.def_inst(v).is_some_and(|d| {
        matches!(d.op, Op::Add | Op::Sub | Op::Mul | Op::Shl)
            && d.attr.flags.contains(Flags::NSW)
            && !d.attr.flags.contains(Flags::NUW)
    })
}

/// Facts on the way from the entry.
#[derive(Default)]
struct Known {
    /// The last ones last.
    facts: Vec<Fact>,
    /// How often each is among them.
    counts: FxHashMap<Fact, u32>,
    /// Conditions that have an outcome, the last ones last, and that of each.
    outcomes: Vec<Value>,
    outcome: FxHashMap<Value, bool>,
    /// What a value is not above as unsigned numbers, for each fact that says so.
    bounds: FxHashMap<Value, SmallVec<[Value; 2]>>,
}

impl Known {
    fn has(&self, fact: Fact) -> bool {
        self.counts.get(&fact).is_some_and(|&n| n > 0)
    }

    fn add(&mut self, fact: Fact) {
        if let Fact::AtLeast { a, b, signed: false } = fact {
            self.bounds.entry(b).or_default().push(a);
        }
        self.facts.push(fact);
        *self.counts.entry(fact).or_default() += 1;
    }

    fn forget(&mut self, (n, outcomes): (usize, usize)) {
        for cond in self.outcomes.drain(outcomes..) {
            self.outcome.remove(&cond);
        }
        for fact in self.facts.drain(n..).rev() {
            if let Fact::AtLeast { b, signed: false, .. } = fact {
                self.bounds.get_mut(&b).and_then(SmallVec::pop);
            }
            if let Some(count) = self.counts.get_mut(&fact) {
                *count -= 1;
            }
        }
    }

    /// What the branch from one block to another says.
    fn learn(&mut self, func: &Func, from: Block, to: Block) {
        if let Term::Br { cond, then, els } = &func.blocks[from].term
            && then.block != els.block
        {
            self.learn_condition(func, *cond, then.block == to, DEPTH);
        }
    }

    /// Conditions with an outcome become constants, which are made when they are wanted.
    fn replace_conditions(&self, func: &mut Func, block: Block, constants: &mut [Option<(Inst, Value)>; 2]) {
        if self.outcome.is_empty() {
            return;
        }
        let mut wanted = [false; 2];
        func.for_each_use(block, |v| {
            if let Some(&holds) = self.outcome.get(&v) {
                wanted[usize::from(holds)] = true;
            }
        });
        for holds in [false, true].into_iter().filter(|&holds| wanted[usize::from(holds)]) {
            constants[usize::from(holds)].get_or_insert_with(|| {
                let bits = Imm::Bits(u64::from(holds));
                let inst = func.make_inst(Op::Const, Some(Type::I1), &[], bits, Attr::default(), Origin::UNKNOWN);
                (inst, func.insts[inst].result.expect("a type was given"))
            });
        }
        if wanted != [false; 2] {
            let constant = |holds: bool| constants[usize::from(holds)].map(|(_, v)| v);
            func.map_uses(block, |v| self.outcome.get(&v).and_then(|&holds| constant(holds)).unwrap_or(v));
        }
    }

    fn learn_condition(&mut self, func: &Func, cond: Value, holds: bool, depth: u32) {
        if func.const_bits(cond).is_none() && !self.outcome.contains_key(&cond) {
            self.outcome.insert(cond, holds);
            self.outcomes.push(cond);
        }
        let Some(data) = func.def_inst(cond).filter(|_| depth > 0) else { return };
        match (data.op, &data.imm) {
            (Op::Not, _) => self.learn_condition(func, data.args[0], !holds, depth - 1),
            (Op::And, _) if holds => data.args.iter().for_each(|&c| self.learn_condition(func, c, true, depth - 1)),
            (Op::Or, _) if !holds => data.args.iter().for_each(|&c| self.learn_condition(func, c, false, depth - 1)),
            (Op::Icmp, &Imm::IntPred(pred)) if func.ty(data.args[0]).is_int() => {
                let (x, y) = (data.args[0], data.args[1]);
                let pred = if holds { pred } else { pred.inverted() };
                let (a, b) = match pred {
                    IntPred::SGt | IntPred::SGe | IntPred::UGt | IntPred::UGe => (x, y),
                    IntPred::SLt | IntPred::SLe | IntPred::ULt | IntPred::ULe => (y, x),
                    IntPred::Eq | IntPred::Ne => return,
                };
                let signed = pred.is_signed();
                self.add(Fact::AtLeast { a, b, signed });
                let least = if matches!(pred, IntPred::SGt | IntPred::SLt) { -1 } else { 0 };
                let bits = func.ty(b).elem.bits();
                if signed && func.const_bits(b).is_some_and(|b| Range::constant(bits, true, b).least >= least) {
                    self.add(Fact::Natural(a));
                }
            }
            _ => {}
        }
    }

    /// True if an unsigned sum does not wrap, as one of the two is no more than a small number.
    fn is_small_sum(&self, func: &Func, a: Value, b: Value) -> bool {
        let all = u64::MAX >> (64 - func.ty(a).elem.bits().min(64));
        let most = |v: Value| {
            let bounds = self.bounds.get(&v).into_iter().flatten().rev().take(BOUNDS);
            bounds.map(|&bound| range::upper_bound(func, bound)).min()
        };
        let fits = |v, w| most(v).is_some_and(|most| range::upper_bound(func, w) <= all - most.min(all));
        func.ty(a).is_int() && (fits(a, b) || fits(b, a))
    }

    fn is_natural(&self, func: &Func, v: Value, depth: u32) -> bool {
        let sign = 1u64 << (func.ty(v).elem.bits().min(64) - 1);
        if self.has(Fact::Natural(v)) || range::upper_bound(func, v) < sign {
            return true;
        }
        let Some(data) = func.def_inst(v).filter(|d| depth > 0 && d.attr.flags.contains(Flags::NSW)) else {
            return false;
        };
        match (data.op, &data.args[..]) {
            (Op::Sub, &[a, b]) => self.has(Fact::AtLeast { a, b, signed: true }),
            (Op::Add | Op::Mul, &[a, b]) => self.is_natural(func, a, depth - 1) && self.is_natural(func, b, depth - 1),
            (Op::Shl, &[a, _]) => self.is_natural(func, a, depth - 1),
            _ => false,
        }
    }
}

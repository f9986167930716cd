//! Jump threading: an edge into a block that only asks what the way there has answered leads on to where the answer
//! does.
//!
//! ```text
//! b0: br y < n, b1, b2(y, p)   b1: …; jump b2(y', p')   b2(z, q): br z < n, b3, b4(z, q)
//!   → b0: br y < n, b1, b4(y, p)                        b2(z, q): …
//! ```
//! That is what becomes of `for (k = 0; k < 8; k++) if (y < n) { …; y++; p += step; }` when it is unrolled: the steps
//! behind the first whose guard fails are passed over, and in the others `p` is a plain sum again, not a choice.
//!
//! A block is passed over if it has pure operations only, and none but the way that is not taken needs them. Nothing is
//! copied but jumps. Edges into, out of and to the heads of loops stay, so that loops keep their shape; the last run
//! leaves only the edges into them. Needs SSA form; keeps convergent operations. Linear but for the length of the ways
//! that are looked back.

use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loops};
use crate::ir::entity::Entity;
use crate::ir::{Block, Func, Imm, IntPred, Op, Target, Term, Value, ValueDef};
use smallvec::SmallVec;

/// Most blocks that one edge passes over.
const MAX_HOPS: usize = 64;
/// Most branches that are looked back.
const MAX_BACK: usize = 16;

/// Runs the pass.
pub fn run(func: &mut Func) {
    thread(func, true);
}

/// The same where loops need no shape any more: edges lead back to their heads and out of them, too.
pub fn run_late(func: &mut Func) {
    thread(func, false);
}

fn thread(func: &mut Func, keeps_loops: bool) {
    if func.layout.len() < 4 {
        return;
    }
    func.remove_unreachable();
    let mut threads = Threads::new(func, keeps_loops);
    let mut any = false;
    for block in func.layout.clone() {
        for n in 0..func.blocks[block].term.n_targets() {
            for _ in 0..MAX_HOPS {
                let Some(target) = threads.beyond(func, block, n) else { break };
                threads.redirect(func, block, n, target);
                any = true;
            }
        }
    }
    if any {
        func.remove_unreachable();
    }
}

struct Threads {
    dom: Dominators,
    loops: Loops,
    /// Edges out of loops and to their heads stay.
    keeps_loops: bool,
    /// Edges into each block, kept up to date.
    preds: Vec<SmallVec<[Block; 4]>>,
    /// Blocks that use each value.
    users: Vec<SmallVec<[Block; 2]>>,
    /// Blocks that edges have been led past: what `dom` says of them no longer holds.
    passed: Vec<bool>,
}

impl Threads {
    fn new(func: &Func, keeps_loops: bool) -> Self {
        let cfg = Cfg::new(func);
        let dom = Dominators::new(&cfg);
        let mut preds = vec![SmallVec::new(); func.blocks.len()];
        for &block in &func.layout {
            preds[block.index()] = cfg.preds(block).iter().copied().collect();
        }
        let (loops, users) = (Loops::new(func, &cfg, &dom), func.user_blocks());
        Self { loops, keeps_loops, dom, preds, users, passed: vec![false; func.blocks.len()] }
    }

    /// Where the `n`th edge of a block leads if it passes over the block that it leads to.
    fn beyond(&self, func: &Func, from: Block, n: usize) -> Option<Target> {
        let edge = func.blocks[from].term.target(n);
        let over = edge.block;
        let data = &func.blocks[over];
        let Term::Br { cond, then, els } = &data.term else { return None };
        let plain =
            over != func.entry() && then.block != els.block && data.insts.iter().all(|&i| func.insts[i].op.is_pure());
        if !plain {
            return None;
        }
        let here = |v: Value| data.params.iter().position(|&p| p == v).map_or(v, |at| edge.args[at]);
        let outcome = self.outcome(func, from, n, *cond, here)?;
        let (to, other) = if outcome { (then, els) } else { (els, then) };
        let is_head = |b: Block| self.loops.of(b).is_some_and(|l| self.loops.loops[l].header == b);
        let l = self.loops.of(over);
        let moves = |b: Block| self.loops.of(b) != l;
        if is_head(over) || moves(from) || self.keeps_loops && (is_head(to.block) || moves(to.block)) {
            return None;
        }
        // Constants may move to the function's entry.
        let is_own = |v: Value| match func.values[v].def {
            ValueDef::Inst(inst) => data.insts.contains(&inst) && func.insts[inst].op != Op::Const,
            ValueDef::Param(..) => false,
        };
        let own = data.insts.iter().filter_map(|&i| func.insts[i].result).filter(|&v| is_own(v));
        let leads = |user: Block| {
            self.preds[other.block.index()][..] == [over]
                && !self.passed[other.block.index()]
                && self.dom.dominates(other.block, user)
        };
        let stays = |v: Value| self.users[v.index()].iter().all(|&user| user == over || leads(user));
        if to.args.iter().any(|&v| is_own(v)) || !data.params.iter().copied().chain(own).all(stays) {
            return None;
        }
        Some(Target { block: to.block, args: to.args.iter().map(|&v| here(v)).collect() })
    }

    /// What a condition is known to be behind an edge, where its operands are what `here` says.
    fn outcome(&self, func: &Func, from: Block, n: usize, cond: Value, here: impl Fn(Value) -> Value) -> Option<bool> {
        if let Some(bits) = func.const_bits(here(cond)) {
            return Some(bits != 0);
        }
        let asked = Test::new(func, here(cond), &here);
        let (mut at, mut way) = (from, Some(n));
        for _ in 0..MAX_BACK {
            if let Term::Br { cond: known, then, els } = &func.blocks[at].term
                && then.block != els.block
                && let Some(way) = way
                && let Some(outcome) = asked.follows(&Test::new(func, *known, |v| v), way == 0)
            {
                return Some(outcome);
            }
            let &[above] = &self.preds[at.index()][..] else { return None };
            way = func.blocks[above].term.targets().iter().position(|t| t.block == at);
            at = above;
        }
        None
    }

    fn redirect(&mut self, func: &mut Func, from: Block, n: usize, target: Target) {
        let over = func.blocks[from].term.target(n).block;
        self.passed[over.index()] = true;
        let preds = &mut self.preds[over.index()];
        preds.remove(preds.iter().position(|&b| b == from).expect("an edge"));
        self.preds[target.block.index()].push(from);
        target.args.iter().for_each(|v| self.users[v.index()].push(from));
        // Constants that others use lie in the entry now.
        let is_const = |inst: &_| func.insts[*inst].op == Op::Const;
        let (consts, rest) = func.blocks[over].insts.iter().partition::<Vec<_>, _>(|&i| is_const(i));
        func.blocks[over].insts = rest;
        let entry = func.entry();
        func.blocks[entry].insts.splice(0..0, consts);
        *func.blocks[from].term.targets_mut()[n] = target;
    }
}

/// What a condition asks.
struct Test {
    cond: Value,
    compared: Option<(IntPred, Value, Value)>,
}

impl Test {
    fn new(func: &Func, cond: Value, here: impl Fn(Value) -> Value) -> Self {
        let data = func.def_inst(cond).filter(|d| d.op == Op::Icmp);
        let compared = data.and_then(|d| match (&d.imm, &d.args[..]) {
            (&Imm::IntPred(pred), &[a, b]) => Some((pred, here(a), here(b))),
            _ => None,
        });
        Self { cond, compared }
    }

    /// The answer, if it follows from another test's.
    fn follows(&self, known: &Self, outcome: bool) -> Option<bool> {
        let (Some((pred, a, b)), Some((known_pred, x, y))) = (self.compared, known.compared) else {
            return (self.cond == known.cond).then_some(outcome);
        };
        let pred = match (a, b) {
            _ if (a, b) == (x, y) => pred,
            _ if (a, b) == (y, x) => pred.swapped(),
            _ => return None,
        };
        let holds = if outcome { known_pred } else { known_pred.inverted() };
        let excludes = |pred: IntPred| implied(holds, pred.inverted());
        if implied(holds, pred) { Some(true) } else { excludes(pred).then_some(false) }
    }
}

/// True if one relation of two numbers implies another.
fn implied(holds: IntPred, other: IntPred) -> bool {
    use IntPred::{Eq, Ne, SGe, SGt, SLe, SLt, UGe, UGt, ULe, ULt};
    match holds {
        _ if holds == other => true,
        Eq => matches!(other, SGe | SLe | UGe | ULe),
        SLt => matches!(other, SLe | Ne),
        SGt => matches!(other, SGe | Ne),
        ULt => matches!(other, ULe | Ne),
        UGt => matches!(other, UGe | Ne),
        _ => false,
    }
}

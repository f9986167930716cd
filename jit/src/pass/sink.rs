//! Code sinking: what only some ways behind a block need is done on these. Loads too, one branch down, if nothing
//! behind them in their block may write what they read.
//!
//! ```text
//! b0: f = load flags, c ; br c == 0, b2, b1   →   b0: br c == 0, b2, b1
//! b1: br f & 5, b3, b2                            b1: f = load flags, c ; br f & 5, b3, b2
//! ```
//! Cranelift does so with pure operations, but never with a load; and what is only loaded for a way that is hardly ever
//! taken is a cost on all others. Nothing comes into a loop that it was outside of. Behind all that hoists, since it
//! takes back what is not needed always. Needs SSA form; keeps convergent operations. Linear: blocks are gone through
//! from the last on, so that users have been moved before what they use (the order of Click, "Global Code Motion /
//! Global Value Numbering", 1995, whose latest places these are, but for loads).

use crate::analysis::alias::Alias;
use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loops};
use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::{Block, Func, Inst, Op, Value};

/// Most steps up the dominator tree for one use.
const MAX_STEPS: usize = 64;

/// Runs the pass.
pub fn run(func: &mut Func) {
    if func.layout.len() < 3 {
        return;
    }
    let (cfg, dom, loops) = Loops::of_func(func);
    let alias = Alias::new(func);
    let mut sinking = Sinking {
        cfg: &cfg,
        dom: &dom,
        loops: &loops,
        alias: &alias,
        needed: vec![Need::Nowhere; func.values.len()],
        fronts: vec![Vec::new(); func.blocks.len()],
    };
    for &block in cfg.rpo().iter().rev() {
        sinking.block(func, block);
    }
    for &block in &func.layout {
        let came = sinking.fronts[block.index()].drain(..).rev();
        func.blocks[block].insts.splice(0..0, came);
    }
}

/// Where a value is needed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    Nowhere,
    /// In this block or in others that it dominates.
    In(Block),
    /// In too many places to tell.
    Anywhere,
}

struct Sinking<'a> {
    cfg: &'a Cfg,
    dom: &'a Dominators,
    loops: &'a Loops,
    alias: &'a Alias,
    /// By value: where its users are that have been gone through.
    needed: Vec<Need>,
    /// What has come to each block, the last first.
    fronts: Vec<Vec<Inst>>,
}

impl Sinking<'_> {
    /// Moves what can be of a block.
    fn block(&mut self, func: &mut Func, block: Block) {
        func.blocks[block].term.for_each_value(|v| self.note(v, block));
        // Classes that are written behind the instruction.
        let mut written = 0;
        let insts = std::mem::take(&mut func.blocks[block].insts);
        let mut kept = Vec::with_capacity(insts.len());
        for inst in insts.into_iter().rev() {
            let place = self.place(func, block, inst, written);
            match place {
                Some(place) => self.fronts[place.index()].push(inst),
                None => kept.push(inst),
            }
            let data = &func.insts[inst];
            written |= self.alias.writes(func, data);
            data.args.iter().for_each(|&v| self.note(v, place.unwrap_or(block)));
        }
        kept.reverse();
        func.blocks[block].insts = kept;
    }

    /// Where an instruction is to go, if not where it is.
    fn place(&self, func: &Func, block: Block, inst: Inst, written: u64) -> Option<Block> {
        let data = &func.insts[inst];
        let Need::In(user) = self.needed[data.result?.index()] else { return None };
        if user == block || !self.dom.dominates(block, user) {
            return None;
        }
        match data.op {
            Op::Const => None,
            Op::Load if !data.attr.flags.contains(Flags::VOLATILE) => {
                let class = self.alias.load_class(func, data);
                let below = self.path(block, user).last()?;
                let is_free = class.is_none_or(|class| written >> class.index() & 1 == 0);
                (is_free && self.cfg.preds(below) == [block] && self.may_enter(block, below)).then_some(below)
            }
            op if op.is_pure() => self.path(block, user).find(|&place| self.may_enter(block, place)),
            _ => None,
        }
    }

    /// The blocks from one up to another that dominates it, without that.
    fn path(&self, above: Block, from: Block) -> impl Iterator<Item = Block> {
        let up = move |&b: &Block| self.dom.idom(b).filter(|&b| b != above);
        std::iter::successors(Some(from), up).take(MAX_STEPS)
    }

    /// True if one block is in all loops that the other is in.
    fn may_enter(&self, from: Block, to: Block) -> bool {
        self.loops.of(to).is_none_or(|l| self.loops.contains(l, from))
    }

    /// A value is used in a block.
    fn note(&mut self, v: Value, block: Block) {
        let need = &mut self.needed[v.index()];
        *need = match *need {
            Need::Nowhere => Need::In(block),
            Need::In(other) => common(self.dom, other, block).map_or(Need::Anywhere, Need::In),
            Need::Anywhere => Need::Anywhere,
        };
    }
}

/// The last block that dominates both, if it is near.
fn common(dom: &Dominators, a: Block, b: Block) -> Option<Block> {
    std::iter::successors(Some(a), |&a| dom.idom(a)).take(MAX_STEPS).find(|&a| dom.dominates(a, b))
}

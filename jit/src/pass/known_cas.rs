//! Compare-and-swaps of local memory that are known to succeed become stores. Each work-item runs to the next barrier
//! before another begins, so that what it has loaded is what the memory holds: `gvn` knows that of straight code, and
//! `retries` of loops that try again with what the swap has found until it succeeds, as sums of floats do.
//!
//! For code that is no longer to have lanes, in which several work-items load before one stores. Lanes that are there
//! do not mislead it, for what they have loaded is in vectors. Leaves the dead ends of loops for `simplify-cfg`.

use super::gvn;
use crate::analysis::alias::Alias;
use crate::ir::cfg::Cfg;
use crate::ir::{Block, Func, Imm, Inst, IntPred, Op, Term, Type, Value, ValueDef};
use crate::launch::AddrSpace;
use rustc_hash::FxHashSet;

/// Blocks between a load and the loop that it is for.
const MAX_BLOCKS: usize = 4;

/// Runs the pass; says whether there was such a swap.
pub fn run(func: &mut Func) -> bool {
    func.remove_unreachable();
    let retries = retries(func);
    gvn::with_known_cas(func, retries)
}

/// True for an address in local memory.
pub(super) fn is_local(func: &Func, ptr: Value) -> bool {
    func.ty(ptr) == Type::ptr(AddrSpace::Local)
}

/// What the bits were before they were seen as another type.
pub(super) fn strip(func: &Func, mut v: Value) -> Value {
    while let Some(cast) = func.def_inst(v).filter(|data| data.op == Op::Bitcast) {
        v = cast.args[0];
    }
    v
}

/// Swaps in loops of one block that begin with what was loaded, and go on with what the swap has found while that is
/// not what it expected: in every turn, the memory holds what is expected.
fn retries(func: &Func) -> FxHashSet<Inst> {
    let cfg = Cfg::new(func);
    let cx = Retries { func, cfg: &cfg, alias: Alias::new(func) };
    let insts = |&block: &Block| func.blocks[block].insts.iter().map(move |&inst| (block, inst));
    cfg.rpo().iter().flat_map(insts).filter(|&(block, inst)| cx.succeeds(block, inst)).map(|(_, inst)| inst).collect()
}

struct Retries<'a> {
    func: &'a Func,
    cfg: &'a Cfg,
    alias: Alias,
}

impl Retries<'_> {
    fn succeeds(&self, head: Block, inst: Inst) -> bool {
        let (func, data) = (self.func, &self.func.insts[inst]);
        let (Op::AtomicCas, Some(found), &[ptr, expected, _]) = (data.op, data.result, &data.args[..]) else {
            return false;
        };
        let ValueDef::Param(block, at) = func.values[strip(func, expected)].def else { return false };
        let goes_on = self.again(head, found, expected).is_some_and(|again| strip(func, again[at as usize]) == found);
        if !is_local(func, ptr) || block != head || !goes_on {
            return false;
        }
        let before = func.blocks[head].insts.iter().take_while(|&&i| i != inst);
        let is_first = before.into_iter().all(|&i| !self.may_write(i, ptr));
        let mut handed = self.cfg.handed(func, head, at as usize).filter(|&(from, _)| from != head);
        is_first && handed.all(|(from, v)| self.is_held(from, ptr, strip(func, v)))
    }

    /// What a block hands to itself when a swap has not found what it expected, if it goes on only then.
    fn again(&self, head: Block, found: Value, expected: Value) -> Option<&[Value]> {
        let Term::Br { cond, then, els } = &self.func.blocks[head].term else { return None };
        let test = self.func.def_inst(*cond).filter(|data| data.op == Op::Icmp)?;
        let (again, done) = match test.imm {
            Imm::IntPred(IntPred::Eq) => (els, then),
            Imm::IntPred(IntPred::Ne) => (then, els),
            _ => return None,
        };
        let compares = test.args[..] == [found, expected] || test.args[..] == [expected, found];
        (compares && again.block == head && done.block != head).then_some(&again.args[..])
    }

    /// True if the address holds a value at the end of a block, from which on it was loaded.
    fn is_held(&self, mut block: Block, ptr: Value, v: Value) -> bool {
        let ValueDef::Inst(load) = self.func.values[v].def else { return false };
        let data = &self.func.insts[load];
        if data.op != Op::Load || data.args[0] != ptr {
            return false;
        }
        for _ in 0..MAX_BLOCKS {
            let mut behind = self.func.blocks[block].insts.iter().rev();
            match behind.find(|&&inst| inst == load || self.may_write(inst, ptr)) {
                Some(&inst) => return inst == load,
                None => match self.cfg.preds(block) {
                    &[before] => block = before,
                    _ => return false,
                },
            }
        }
        false
    }

    fn may_write(&self, inst: Inst, ptr: Value) -> bool {
        let written = self.alias.writes(self.func, &self.func.insts[inst]);
        self.alias.class(self.func, ptr).is_none_or(|class| written >> class.index() & 1 == 1)
    }
}

//! Cuts: the places where all work-items of a group meet before any goes on.
//!
//! Every convergent instruction is one, and so are the branches that the group takes on its way between them
//! (`split_branches`), but not a scan that a work-item reaches at most once between two cuts: the loop over the work-items
//! does that on its way (see `collective`).

use super::uniform::Uniformity;
use crate::ir::entity::Entity;
use crate::ir::{Block, Func, Inst, Op, Target, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// A cut. Number 0 is the entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// The block that begins here.
    pub block: Block,
    /// What makes it one.
    pub kind: CutKind,
    /// The convergent instruction, first of `block`; `None` for other kinds.
    pub inst: Option<Inst>,
}

/// Kinds of cuts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CutKind {
    /// The kernel's entry, and the ways on from a branch that the group takes.
    Start,
    /// A convergent instruction.
    Convergent,
    /// A branch, all of `block`, that the group takes together: code between regions.
    Branch,
}

/// Splits blocks so that each cut's instruction begins a block without parameters that has exactly one predecessor,
/// and gives the entry block no predecessor. Returns the cuts, the entry first.
pub(super) fn split(func: &mut Func) -> Vec<Cut> {
    isolate_entry(func);
    let wanted = cut_insts(func);
    let mut cuts = vec![Cut { block: func.entry(), kind: CutKind::Start, inst: None }];
    let mut at = 0;
    while at < func.layout.len() {
        let block = func.layout[at];
        let found = func.blocks[block].insts.iter().position(|i| wanted.contains(i));
        // A block made below begins with its own convergent instruction: look behind it.
        let is_cut = cuts.last().is_some_and(|cut| cut.block == block && cut.inst.is_some());
        let next = match found {
            Some(0) if is_cut => func.blocks[block].insts[1..].iter().position(|i| wanted.contains(i)).map(|n| n + 1),
            other => other,
        };
        if let Some(n) = next {
            let rest = func.blocks[block].insts.split_off(n);
            let cut = func.add_block();
            let term = std::mem::replace(&mut func.blocks[block].term, Term::Jump(Target::plain(cut)));
            let inst = rest[0];
            func.blocks[cut].insts = rest;
            func.blocks[cut].term = term;
            func.layout.insert(at + 1, cut);
            cuts.push(Cut { block: cut, kind: CutKind::Convergent, inst: Some(inst) });
        }
        at += 1;
    }
    cuts
}

/// Makes cuts of the branches that the group takes together and that decide to which cuts it goes: what they decide is then
/// decided once per group, and loops around cuts are loops around regions. Blocks made here have no parameters and one
/// predecessor.
pub(super) fn split_branches(func: &mut Func, cuts: &mut Vec<Cut>, uniformity: &Uniformity) {
    let ahead = Ahead::new(func, cuts);
    for block in func.layout.clone() {
        let Term::Br { cond, then, els } = func.blocks[block].term.clone() else { continue };
        let decides = ahead.from(then.block) != ahead.from(els.block);
        if !decides || uniformity.varying.contains(cond) || !uniformity.is_together(block) {
            continue;
        }
        let branch = func.add_block();
        let [then, els] = [then, els].map(|target| {
            let way = func.add_block();
            func.blocks[way].term = Term::Jump(target);
            func.layout.push(way);
            cuts.push(Cut { block: way, kind: CutKind::Start, inst: None });
            Target::plain(way)
        });
        func.blocks[branch].term = Term::Br { cond, then, els };
        func.layout.push(branch);
        cuts.push(Cut { block: branch, kind: CutKind::Branch, inst: None });
        func.blocks[block].term = Term::Jump(Target::plain(branch));
    }
}

/// Which cuts, and whether the kernel's end, come next after each block.
struct Ahead {
    /// Cuts by block.
    cut_at: FxHashMap<Block, usize>,
    /// By block: one bit for each cut; bit 0 for the end.
    sets: Vec<BitSet>,
    n: usize,
}

type BitSet = SmallVec<[u64; 2]>;

impl Ahead {
    fn new(func: &Func, cuts: &[Cut]) -> Self {
        let cut_at = cuts.iter().enumerate().skip(1).map(|(k, cut)| (cut.block, k)).collect();
        let empty: BitSet = SmallVec::from_elem(0, cuts.len().div_ceil(64));
        let mut this = Self { cut_at, sets: vec![empty; func.blocks.len()], n: cuts.len() };
        let mut changed = true;
        while changed {
            changed = false;
            for &block in func.layout.iter().rev() {
                let targets = func.blocks[block].term.targets();
                let mut set = this.sets[block.index()].clone();
                if targets.is_empty() {
                    set[0] |= 1;
                }
                for target in targets {
                    set.iter_mut().zip(this.from(target.block)).for_each(|(a, b)| *a |= b);
                }
                changed |= set != this.sets[block.index()];
                this.sets[block.index()] = set;
            }
        }
        this
    }

    /// What comes next for who enters a block.
    fn from(&self, block: Block) -> BitSet {
        match self.cut_at.get(&block) {
            Some(k) => {
                let mut only: BitSet = SmallVec::from_elem(0, self.n.div_ceil(64));
                only[k / 64] |= 1 << (k % 64);
                only
            }
            None => self.sets[block.index()].clone(),
        }
    }
}

/// The instructions that cut.
fn cut_insts(func: &Func) -> FxHashSet<Inst> {
    let mut cuts = FxHashSet::default();
    let mut scans = Vec::new();
    for &block in &func.layout {
        for (at, &inst) in func.blocks[block].insts.iter().enumerate() {
            match func.insts[inst].op {
                op if is_scan(op) => scans.push((block, at, inst)),
                op if op.is_convergent() => _ = cuts.insert(inst),
                _ => {}
            }
        }
    }
    for (block, at, inst) in scans {
        if comes_back(func, &cuts, block, at) {
            cuts.insert(inst);
        }
    }
    cuts
}

/// True if some way leads from an instruction back to it without a cut.
fn comes_back(func: &Func, cuts: &FxHashSet<Inst>, block: Block, at: usize) -> bool {
    let has_cut = |insts: &[Inst]| insts.iter().any(|i| cuts.contains(i));
    let insts = &func.blocks[block].insts;
    if has_cut(&insts[at..]) || has_cut(&insts[..at]) {
        return false;
    }
    let mut seen = vec![false; func.blocks.len()];
    let mut work = vec![block];
    while let Some(from) = work.pop() {
        for to in func.blocks[from].term.targets().iter().map(|t| t.block) {
            if to == block {
                return true;
            }
            if !std::mem::replace(&mut seen[to.index()], true) && !has_cut(&func.blocks[to].insts) {
                work.push(to);
            }
        }
    }
    false
}

/// If a branch leads back to the entry block, puts a fresh entry block before it.
fn isolate_entry(func: &mut Func) {
    let entry = func.entry();
    let looped = func.layout.iter().any(|&b| func.blocks[b].term.targets().iter().any(|t| t.block == entry));
    if looped {
        let fresh = func.add_block();
        for ty in func.params.clone() {
            func.add_param(fresh, ty);
        }
        let args = func.blocks[fresh].params.as_slice().into();
        func.blocks[fresh].term = Term::Jump(Target { block: entry, args });
        func.layout.insert(0, fresh);
    }
}

/// True for scans: their result differs from work-item to work-item.
pub(super) fn is_scan(op: Op) -> bool {
    matches!(op, Op::WgScanInc | Op::WgScanExc)
}

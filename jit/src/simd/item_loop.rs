//! Finds a loop over work-items and brings it into the shape that the rest expects. Must not decide anything about
//! lanes.

use super::Reason;
use crate::analysis::induction::Counted;
use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loop, Loops};
use crate::ir::entity::Entity;
use crate::ir::{Block, Builder, Copies, Func, Imm, Inst, IntPred, Op, SlotId, Target, Term, Type, Value};
use crate::loops::lcssa;
use crate::loops::simplify::{make_preheader, make_single_latch};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Most cases of a `switch` that becomes a chain of branches.
const MAX_CASES: usize = 16;
/// The same where all work-items take the same way.
const MAX_SHARED_CASES: usize = 128;

/// A loop over work-items:
/// ```text
/// before: jump header(..)
/// header(.., count, ..): … latch: next = count + 1; br next < bound, header(..), exit(values of the last item)
/// exit(..): jump behind
/// ```
/// All inner loops have one latch, no block ends in `switch`, `ret` or `unreachable`, and `exit`'s parameters are all
/// that is used behind the loop.
pub(super) struct ItemLoop {
    pub header: Block,
    pub latch: Block,
    pub before: Block,
    pub exit: Block,
    /// Which parameter of the header counts.
    pub count: usize,
    /// The loop ends when the count reaches this.
    pub bound: Value,
    /// All blocks, the header first, in reverse postorder.
    pub blocks: Vec<Block>,
}

impl ItemLoop {
    /// Finds the loop of a header and rewrites it into the shape; an error says why it cannot be.
    pub(super) fn prepare(func: &mut Func, header: Block) -> Result<Self, Reason> {
        Self::with_cases(func, header, [MAX_CASES, MAX_SHARED_CASES])
    }
    /// The same, with `switch`es of any size.
    pub(super) fn prepare_any(func: &mut Func, header: Block) -> Result<Self, Reason> {
        Self::with_cases(func, header, [usize::MAX; 2])
    }

    /// `most`: cases of a `switch`, and of one where all take the same way.
    fn with_cases(func: &mut Func, header: Block, most: [usize; 2]) -> Result<Self, Reason> {
        own_header(func, header);
        let mut nest = Nest::new(func, header)?;
        if nest.blocks.iter().any(|&block| func.blocks[block].items && block != header) {
            return Err(Reason::NotInnermost);
        }
        // Most loops have one way in, one latch and no switches: no block comes in, and what is known holds on.
        if expand_switches(func, &nest.blocks, most)? {
            nest = Nest::new(func, header)?;
        }
        if single_edges(func, &nest) {
            nest = Nest::new(func, header)?;
        }
        let Nest { blocks, cfg, is_within, loops, id } = nest;
        own_slots(func, header, &blocks, &cfg, &is_within)?;
        let within = |b: Block| is_within.get(b.index()).is_some_and(|&is| is);
        let (inside, outside): (Vec<Block>, Vec<Block>) = cfg.preds(header).iter().partition(|&&b| within(b));
        let (&[latch], [_]) = (&inside[..], &outside[..]) else {
            return Err(Reason::ManyWays);
        };
        for &block in &blocks {
            let term = &func.blocks[block].term;
            if matches!(term, Term::Ret(_) | Term::Unreachable | Term::Switch { .. }) {
                return Err(Reason::LeavesGroup);
            }
            if block != latch && term.targets().iter().any(|t| !within(t.block)) {
                return Err(Reason::LeavesLoop);
            }
        }
        let counted = counted(func, &cfg, &loops.loops[id]).ok_or(Reason::DoesNotCount)?;
        let (count, bound) = (counted.counter.at, counted.bound.than);
        let before = make_preheader(func, &cfg, &loops.loops[id]);
        let exit = lcssa::close_at(func, &blocks, latch);
        Ok(Self { header, latch, before, exit, count, bound, blocks })
    }
}

/// Gives a loop around the item loop, which has the same header where nothing is done in front of the items, a header
/// of its own. All ways round it lead through the item loop's latch.
fn own_header(func: &mut Func, header: Block) {
    let cfg = Cfg::new(func);
    let preds = cfg.preds(header);
    // One way in and one way round are most loops.
    if preds.len() < 3 {
        return;
    }
    let dom = Dominators::new(&cfg);
    let mut latches = preds.iter().copied().filter(|&b| dom.dominates(header, b));
    let is_inner = |&latch: &Block| latches.clone().all(|other| dom.dominates(latch, other));
    let inner = latches.clone().find(is_inner);
    let others: Vec<Block> = preds.iter().copied().filter(|&b| Some(b) != inner).collect();
    if let (Some(_), true) = (inner, latches.nth(1).is_some()) {
        let own = func.merge_edges(&others, header);
        let place = func.layout.iter().position(|&b| b == header).expect("in the layout");
        func.layout.insert(place, own);
    }
}

/// A natural loop in its function.
struct Nest {
    cfg: Cfg,
    loops: Loops,
    /// Its number.
    id: usize,
    /// All its blocks in reverse postorder.
    blocks: Vec<Block>,
    /// For each block of the function, whether it is one of them.
    is_within: Vec<bool>,
}

impl Nest {
    fn new(func: &Func, header: Block) -> Result<Self, Reason> {
        let (cfg, _, loops) = Loops::of_func(func);
        let id = loops.loops.iter().position(|l| l.header == header).ok_or(Reason::NoLoop)?;
        if !loops.is_reducible_within(id) {
            return Err(Reason::Irreducible);
        }
        let mut blocks = loops.loops[id].blocks.clone();
        cfg.sort(&mut blocks);
        let mut is_within = vec![false; func.blocks.len()];
        blocks.iter().for_each(|b| is_within[b.index()] = true);
        Ok(Self { cfg, loops, id, blocks, is_within })
    }
}

/// Makes chains of branches of the loop's `switch`es; true if there are any.
fn expand_switches(func: &mut Func, blocks: &[Block], most: [usize; 2]) -> Result<bool, Reason> {
    let is_switch = |func: &Func, b: Block| matches!(func.blocks[b].term, Term::Switch { .. });
    if !blocks.iter().any(|&b| is_switch(func, b)) {
        return Ok(false);
    }
    let homes = func.homes(blocks);
    for &block in blocks {
        if let Term::Switch { value, .. } = func.blocks[block].term {
            let is_shared = homes[value.index()].is_none();
            expand_switch(func, block, most[usize::from(is_shared)])?;
        }
    }
    Ok(true)
}

/// A `switch` as a chain of branches.
fn expand_switch(func: &mut Func, block: Block, most: usize) -> Result<(), Reason> {
    let Term::Switch { value, cases, default } = func.blocks[block].term.clone() else { return Ok(()) };
    if cases.len() > most {
        return Err(Reason::LargeSwitch);
    }
    let ty = func.ty(value);
    let mut at = block;
    for (i, (bits, target)) in cases.iter().enumerate() {
        let last = i + 1 == cases.len();
        let next = if last { default.clone() } else { Target::plain(func.add_block()) };
        let mut b = Builder::new(func, at);
        let case = b.bits(ty, *bits);
        let cond = b.icmp(IntPred::Eq, value, case);
        b.end(Term::Br { cond, then: target.clone(), els: next.clone() });
        if !last {
            let place = func.layout.iter().position(|&b| b == at).expect("in the layout");
            func.layout.insert(place + 1, next.block);
            at = next.block;
        }
    }
    if cases.is_empty() {
        func.blocks[block].term = Term::Jump(default);
    }
    Ok(())
}

/// Gives every loop within the item loop one latch that only jumps back, and the item loop itself, in front of which
/// there may be copies of another loop, one way in; true if one has had several.
fn single_edges(func: &mut Func, nest: &Nest) -> bool {
    let items = &nest.loops.loops[nest.id];
    let is_merged = items.entries(&nest.cfg).count() > 1;
    if is_merged {
        make_preheader(func, &nest.cfg, items);
    }
    let inner = nest.loops.loops.iter().enumerate();
    let inner = inner.filter(|&(id, l)| id != nest.id && nest.is_within[l.header.index()]);
    inner.fold(is_merged, |changed, (_, l)| make_single_latch(func, l) || changed)
}

/// Takes addresses of slots whose memory only this loop accesses, and what is computed from them, inside it, where
/// passes have moved them out: such slots are private memory of each work-item. An error if such a value is a block's
/// parameter outside.
fn own_slots(func: &mut Func, header: Block, blocks: &[Block], cfg: &Cfg, is_within: &[bool]) -> Result<(), Reason> {
    // Slots that each value comes of, and slots that code outside the loop accesses.
    let mut slots: FxHashMap<Value, SmallVec<[SlotId; 1]>> = FxHashMap::default();
    let mut shared: FxHashSet<SlotId> = FxHashSet::default();
    let mut handed: FxHashSet<SlotId> = FxHashSet::default();
    let mut outside: Vec<Inst> = Vec::new();
    for &block in cfg.rpo() {
        let within = is_within[block.index()];
        for &inst in &func.blocks[block].insts {
            let data = &func.insts[inst];
            let mut of: SmallVec<[SlotId; 1]> = SmallVec::new();
            for &slot in data.args.iter().filter_map(|v| slots.get(v)).flatten() {
                if !of.contains(&slot) {
                    of.push(slot);
                }
            }
            if let (Op::SlotAddr, &Imm::Slot(slot)) = (data.op, &data.imm) {
                of.push(slot);
            }
            match data.result {
                _ if of.is_empty() => {}
                Some(v) if data.op.is_pure() => {
                    slots.insert(v, of);
                    if !within {
                        outside.push(inst);
                    }
                }
                _ if !within => shared.extend(of),
                _ => {}
            }
        }
        if !within {
            let args = func.blocks[block].term.targets().into_iter().flat_map(|t| &t.args);
            handed.extend(args.filter_map(|v| slots.get(v)).flatten());
        }
    }
    if !handed.is_subset(&shared) {
        return Err(Reason::PrivateAddresses);
    }
    // What the loop uses of it, at the top of the loop, in order.
    outside
        .retain(|&inst| func.insts[inst].result.is_some_and(|v| slots[&v].iter().all(|slot| !shared.contains(slot))));
    let mut used: FxHashSet<Value> = FxHashSet::default();
    blocks.iter().for_each(|&b| func.for_each_use(b, |v| _ = used.insert(v)));
    for &inst in outside.iter().rev() {
        let data = &func.insts[inst];
        if data.result.is_some_and(|v| used.contains(&v)) {
            used.extend(data.args.iter().copied());
        }
    }
    outside.retain(|&inst| func.insts[inst].result.is_some_and(|v| used.contains(&v)));
    if outside.is_empty() {
        return Ok(());
    }
    let mut copies = Copies::default();
    let mut b = Builder::at(func, header, 0);
    outside.into_iter().for_each(|inst| _ = copies.inst(&mut b, inst));
    for &block in blocks {
        func.map_uses(block, |v| copies.value(v));
    }
    // What counts the slots of a loop asks who takes their addresses.
    crate::pass::dce::run(func);
    Ok(())
}

/// A loop whose counter goes up by one to the value that it is compared with at the latch, without passing it.
pub(super) fn counted(func: &Func, cfg: &Cfg, l: &Loop) -> Option<Counted> {
    let goes_up = |c: &Counted| matches!(c.bound.pred, IntPred::ULt | IntPred::Ne) && c.bound.is_next && c.step == 1;
    Counted::at_latch(func, cfg, l).filter(|c| goes_up(c) && func.ty(c.counter.now) == Type::I64)
}

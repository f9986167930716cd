//! Finds a loop over work-items and brings it into the shape that the rest expects. Must not decide anything about lanes.

use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loop, Loops};
use crate::ir::entity::Entity;
use crate::ir::{Attr, Block, Func, Imm, Inst, IntPred, Op, SlotId, Target, Term, Type, Value, ValueDef};
use crate::source::Span;
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
/// All inner loops have one latch, no block ends in `switch`, `ret` or `unreachable`, and `exit`'s parameters are all that is
/// used behind the loop.
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
    pub(super) fn prepare(func: &mut Func, header: Block) -> Result<Self, String> {
        let mut nest = Nest::new(func, header)?;
        if nest.blocks.iter().any(|&block| func.blocks[block].items && block != header) {
            return Err("not the innermost loop over work-items".into());
        }
        // Most loops have neither switches nor several latches: no block comes in, and what is known holds on.
        if expand_switches(func, &nest.blocks)? {
            nest = Nest::new(func, header)?;
        }
        if single_latches(func, &nest) {
            nest = Nest::new(func, header)?;
        }
        let Nest { blocks, cfg, is_within, .. } = nest;
        own_slots(func, header, &blocks, &cfg, &is_within)?;
        let within = |b: Block| is_within.get(b.index()).is_some_and(|&is| is);
        let (inside, outside): (Vec<Block>, Vec<Block>) = cfg.preds(header).iter().partition(|&&b| within(b));
        let ([latch], [entry]) = (&inside[..], &outside[..]) else {
            return Err("more than one way in or round".into());
        };
        let (latch, entry) = (*latch, *entry);
        for &block in &blocks {
            let term = &func.blocks[block].term;
            if matches!(term, Term::Ret(_) | Term::Unreachable | Term::Switch { .. }) {
                return Err("a way out of the group in the middle".into());
            }
            if block != latch && term.targets().iter().any(|t| !within(t.block)) {
                return Err("a way out of the loop before its end".into());
            }
        }
        let (count, bound) = counted(func, header, latch, &within).ok_or("the loop over work-items does not count")?;
        let before = preheader(func, header, entry);
        let exit = single_exit(func, latch, &within);
        Ok(Self { header, latch, before, exit, count, bound, blocks })
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
    fn new(func: &Func, header: Block) -> Result<Self, String> {
        let cfg = Cfg::new(func);
        let loops = Loops::new(func, &cfg, &Dominators::new(&cfg));
        if loops.is_irreducible {
            return Err("irreducible control flow".into());
        }
        let id = loops.loops.iter().position(|l| l.header == header).ok_or("not a loop")?;
        let mut blocks = loops.loops[id].blocks.clone();
        cfg.sort(&mut blocks);
        let mut is_within = vec![false; func.blocks.len()];
        blocks.iter().for_each(|b| is_within[b.index()] = true);
        Ok(Self { cfg, loops, id, blocks, is_within })
    }
}

/// Makes chains of branches of the loop's `switch`es; true if there are any.
fn expand_switches(func: &mut Func, blocks: &[Block]) -> Result<bool, String> {
    let is_switch = |func: &Func, b: Block| matches!(func.blocks[b].term, Term::Switch { .. });
    if !blocks.iter().any(|&b| is_switch(func, b)) {
        return Ok(false);
    }
    let homes = func.homes(blocks);
    for &block in blocks {
        if let Term::Switch { value, .. } = func.blocks[block].term {
            let most = if homes[value.index()].is_some() { MAX_CASES } else { MAX_SHARED_CASES };
            expand_switch(func, block, most)?;
        }
    }
    Ok(true)
}

/// A `switch` as a chain of branches.
fn expand_switch(func: &mut Func, block: Block, most: usize) -> Result<(), String> {
    let Term::Switch { value, cases, default } = func.blocks[block].term.clone() else { return Ok(()) };
    if cases.len() > most {
        return Err("a large switch".into());
    }
    let ty = func.ty(value);
    let mut at = block;
    for (i, (bits, target)) in cases.iter().enumerate() {
        let last = i + 1 == cases.len();
        let next = if last { default.clone() } else { Target::plain(func.add_block()) };
        let case = push(func, at, Op::Const, ty, &[], Imm::Bits(*bits));
        let cond = push(func, at, Op::Icmp, Type::I1, &[value, case], Imm::IntPred(IntPred::Eq));
        func.blocks[at].term = Term::Br { cond, then: target.clone(), els: next.clone() };
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

/// Gives every loop within the item loop one latch that only jumps back; true if a loop has had several.
fn single_latches(func: &mut Func, nest: &Nest) -> bool {
    let mut changed = false;
    for (id, l) in nest.loops.loops.iter().enumerate() {
        if id == nest.id || !nest.is_within[l.header.index()] || l.latches.len() == 1 {
            continue;
        }
        changed = true;
        let latch = func.add_block();
        let types: Vec<Type> = func.blocks[l.header].params.iter().map(|&p| func.ty(p)).collect();
        let params: Vec<Value> = types.into_iter().map(|ty| func.add_param(latch, ty)).collect();
        for &old in &l.latches {
            for target in func.blocks[old].term.targets_mut() {
                if target.block == l.header {
                    target.block = latch;
                }
            }
        }
        func.blocks[latch].term = Term::Jump(Target { block: l.header, args: params.into_iter().collect() });
        func.layout.push(latch);
    }
    changed
}

/// Takes addresses of slots whose memory only this loop accesses, and what is computed from them, inside it, where passes have
/// moved them out: such slots are private memory of each work-item. An error if such a value is a block's parameter outside.
fn own_slots(func: &mut Func, header: Block, blocks: &[Block], cfg: &Cfg, is_within: &[bool]) -> Result<(), String> {
    // Slots that each value comes of, and slots that code outside the loop accesses.
    let mut slots: FxHashMap<Value, SmallVec<[SlotId; 1]>> = FxHashMap::default();
    let mut shared: FxHashSet<SlotId> = FxHashSet::default();
    let mut handed: FxHashSet<SlotId> = FxHashSet::default();
    let mut outside: Vec<Inst> = Vec::new();
    for &block in cfg.rpo() {
        let within = is_within[block.index()];
        for &inst in &func.blocks[block].insts {
            let data = &func.insts[inst];
            let mut of: SmallVec<[SlotId; 1]> =
                data.args.iter().filter_map(|v| slots.get(v)).flatten().copied().collect();
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
        return Err("addresses of private memory on the way to the loop".into());
    }
    // What the loop uses of it, at the top of the loop, in order.
    outside
        .retain(|&inst| func.insts[inst].result.is_some_and(|v| slots[&v].iter().all(|slot| !shared.contains(slot))));
    let mut used: FxHashSet<Value> = FxHashSet::default();
    for &block in blocks {
        used.extend(func.blocks[block].insts.iter().flat_map(|&inst| func.insts[inst].args.iter().copied()));
        func.blocks[block].term.for_each_value(|v| _ = used.insert(v));
    }
    for &inst in outside.iter().rev() {
        let data = &func.insts[inst];
        if data.result.is_some_and(|v| used.contains(&v)) {
            used.extend(data.args.iter().copied());
        }
    }
    outside.retain(|&inst| func.insts[inst].result.is_some_and(|v| used.contains(&v)));
    let mut copies: FxHashMap<Value, Value> = FxHashMap::default();
    let mut made = Vec::new();
    for inst in outside {
        let data = func.insts[inst].clone();
        let Some(v) = data.result else { continue };
        let args: Vec<Value> = data.args.iter().map(|arg| copies.get(arg).copied().unwrap_or(*arg)).collect();
        let copy = func.make_inst(data.op, Some(func.ty(v)), &args, data.imm, data.attr, data.span);
        copies.insert(v, func.insts[copy].result.expect("a value"));
        made.push(copy);
    }
    if made.is_empty() {
        return Ok(());
    }
    for &block in blocks {
        for inst in func.blocks[block].insts.clone() {
            for arg in &mut func.insts[inst].args {
                *arg = copies.get(arg).copied().unwrap_or(*arg);
            }
        }
        func.blocks[block].term.map_values(|v| copies.get(&v).copied().unwrap_or(v));
    }
    func.blocks[header].insts.splice(0..0, made);
    crate::pass::dce::run(func);
    Ok(())
}

/// The parameter that counts by one, and the value it is compared with at the latch.
pub(super) fn counted(
    func: &Func,
    header: Block,
    latch: Block,
    within: &dyn Fn(Block) -> bool,
) -> Option<(usize, Value)> {
    let Term::Br { cond, then, els } = &func.blocks[latch].term else { return None };
    let cond = func.def_inst(*cond).filter(|d| d.op == Op::Icmp)?;
    let (back, next, bound) = match cond.imm {
        Imm::IntPred(IntPred::ULt) if then.block == header => (then, cond.args[0], cond.args[1]),
        Imm::IntPred(IntPred::UGt) if then.block == header => (then, cond.args[1], cond.args[0]),
        Imm::IntPred(IntPred::Ne) if then.block == header => (then, cond.args[0], cond.args[1]),
        Imm::IntPred(IntPred::UGe) if els.block == header => (els, cond.args[0], cond.args[1]),
        Imm::IntPred(IntPred::Eq) if els.block == header => (els, cond.args[0], cond.args[1]),
        _ => return None,
    };
    let step = func.def_inst(next).filter(|d| d.op == Op::Add && func.const_bits(d.args[1]) == Some(1))?;
    let ValueDef::Param(block, at) = func.values[step.args[0]].def else { return None };
    let at = at as usize;
    let known_before = match func.values[bound].def {
        ValueDef::Param(block, _) => !within(block),
        ValueDef::Inst(inst) => !func.layout.iter().any(|&b| within(b) && func.blocks[b].insts.contains(&inst)),
    };
    let fits = block == header && back.args.get(at) == Some(&next) && func.ty(next) == Type::I64 && known_before;
    fits.then_some((at, bound))
}

/// The block that jumps to a loop, left at its one latch only, of which nothing is used behind it but what it hands over.
pub(super) fn closed(func: &Func, cfg: &Cfg, l: &Loop) -> Option<Block> {
    let &[latch] = &l.latches[..] else { return None };
    let within = |b: Block| l.blocks.contains(&b);
    let mut outside = cfg.preds(l.header).iter().copied().filter(|&b| !within(b));
    let before = outside.next()?;
    let leaves = |b: Block| func.blocks[b].term.targets().iter().any(|t| !within(t.block));
    let simple = outside.next().is_none()
        && matches!(func.blocks[before].term, Term::Jump(_))
        && !l.blocks.iter().any(|&b| b != latch && leaves(b));
    let homes = func.homes(&l.blocks);
    let escapes = || {
        func.layout.iter().filter(|&&b| !within(b)).any(|&b| {
            let data = &func.blocks[b];
            let mut found = data.insts.iter().flat_map(|&i| &func.insts[i].args).any(|&v| homes[v.index()].is_some());
            data.term.for_each_value(|v| found |= homes[v.index()].is_some());
            found
        })
    };
    (simple && !escapes()).then_some(before)
}

/// A block of its own on the edge into the loop.
fn preheader(func: &mut Func, header: Block, entry: Block) -> Block {
    if matches!(func.blocks[entry].term, Term::Jump(_)) {
        return entry;
    }
    func.split_edge(entry, header)
}

/// A block of its own behind the loop, whose parameters are the values of the last item that are used from there on.
fn single_exit(func: &mut Func, latch: Block, within: &dyn Fn(Block) -> bool) -> Block {
    let mut inside = vec![false; func.values.len()];
    for &block in func.layout.iter().filter(|&&b| within(b)) {
        func.blocks[block].params.iter().for_each(|v| inside[v.index()] = true);
        for &inst in &func.blocks[block].insts {
            if let Some(v) = func.insts[inst].result {
                inside[v.index()] = true;
            }
        }
    }
    let mut used: Vec<Value> = Vec::new();
    let outside: Vec<Block> = func.layout.iter().copied().filter(|&b| !within(b)).collect();
    for &block in &outside {
        let data = &func.blocks[block];
        used.extend(data.insts.iter().flat_map(|&i| &func.insts[i].args));
        data.term.for_each_value(|v| used.push(v));
    }
    let old = func.blocks[latch].term.targets().into_iter().find(|t| !within(t.block)).expect("a loop ends").clone();
    used.extend(&old.args);
    used.retain(|v| inside[v.index()]);
    used.sort_unstable();
    used.dedup();
    let exit = func.add_block();
    let params: Vec<Value> = used.iter().map(|&v| func.add_param(exit, func.values[v].ty)).collect();
    let renamed = |v: Value| used.iter().position(|&u| u == v).map_or(v, |i| params[i]);
    for &block in &outside {
        for inst in func.blocks[block].insts.clone() {
            func.insts[inst].args.iter_mut().for_each(|v| *v = renamed(*v));
        }
        func.blocks[block].term.map_values(renamed);
    }
    let behind = Target { block: old.block, args: old.args.iter().map(|&v| renamed(v)).collect() };
    func.blocks[exit].term = Term::Jump(behind);
    for target in func.blocks[latch].term.targets_mut() {
        if !within(target.block) {
            *target = Target { block: exit, args: used.iter().copied().collect() };
        }
    }
    let place = func.layout.iter().position(|&b| b == latch).expect("in the layout");
    func.layout.insert(place + 1, exit);
    exit
}

fn push(func: &mut Func, block: Block, op: Op, ty: Type, args: &[Value], imm: Imm) -> Value {
    let inst = func.make_inst(op, Some(ty), args, imm, Attr::default(), Span::DUMMY);
    func.blocks[block].insts.push(inst);
    func.insts[inst].result.expect("a type was given")
}

//! Loop-invariant code motion: pure operations whose operands come from outside a natural loop move in front of it, and so do loads
//! that every run of the loop executes first and that nothing in the loop can change. Convergent operations stay. Loops get
//! a block in front of their header for this. Linear for each nesting level.

use super::alias::{Alias, is_pure_call};
use super::unroll::header_runs;
use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loop, Loops};
use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::{Block, Func, Inst, Op, Target, Term, Value, ValueDef};
use rustc_hash::FxHashSet;

/// From a loop over lanes that goes round at most so often, broadcasts stay where they are.
const FEW: usize = 4;

/// Runs the pass.
pub fn run(func: &mut Func) {
    if !make_preheaders(func) {
        return;
    }
    let cfg = Cfg::new(func);
    let dom = Dominators::new(&cfg);
    let loops = Loops::new(func, &cfg, &dom);
    let mut alias = Alias::new(func);
    // The block of each instruction, kept up to date.
    let mut home = vec![Block(u32::MAX); func.insts.len()];
    for (block, inst) in func.live_insts() {
        home[inst.index()] = block;
    }
    // Inner loops first: what leaves them may leave the outer ones too.
    for id in (0..loops.loops.len()).rev() {
        hoist(func, &cfg, &dom, &loops, id, &mut alias, &mut home);
    }
}

/// Gives every loop a block of its own in front of its header, which jumps to it and nowhere else; false if there is no loop.
pub(crate) fn make_preheaders(func: &mut Func) -> bool {
    super::cleanup::remove_unreachable(func);
    let cfg = Cfg::new(func);
    let found = Loops::new(func, &cfg, &Dominators::new(&cfg));
    if found.loops.is_empty() {
        return false;
    }
    for l in &found.loops {
        make_preheader(func, &cfg, &found, l);
    }
    super::cleanup::remove_unreachable(func);
    true
}

/// The one block outside the loop that jumps to its header and nowhere else.
pub(super) fn preheader(func: &Func, cfg: &Cfg, loops: &Loops, id: usize, header: Block) -> Option<Block> {
    let mut outside = cfg.preds(header).iter().copied().filter(|p| !loops.contains(id, *p));
    let first = outside.next()?;
    (outside.next().is_none() && matches!(func.blocks[first].term, Term::Jump(_))).then_some(first)
}

fn make_preheader(func: &mut Func, cfg: &Cfg, loops: &Loops, l: &Loop) {
    let Some(id) = loops.loops.iter().position(|x| x.header == l.header) else { return };
    if preheader(func, cfg, loops, id, l.header).is_some() {
        return;
    }
    let outside: Vec<Block> = cfg.preds(l.header).iter().copied().filter(|&p| !loops.contains(id, p)).collect();
    let ways = |p: Block| func.blocks[p].term.targets().iter().filter(|t| t.block == l.header).count();
    if let &[only] = &outside[..]
        && ways(only) == 1
    {
        func.split_edge(only, l.header);
        return;
    }
    let new = func.add_block();
    let types: Vec<_> = func.blocks[l.header].params.iter().map(|p| func.ty(*p)).collect();
    let args = types.into_iter().map(|ty| func.add_param(new, ty)).collect();
    func.blocks[new].term = Term::Jump(Target { block: l.header, args });
    for p in outside {
        for target in func.blocks[p].term.targets_mut().into_iter().filter(|t| t.block == l.header) {
            target.block = new;
        }
    }
    let at = func.layout.iter().position(|b| *b == l.header).unwrap_or(func.layout.len());
    func.layout.insert(at, new);
}

fn hoist(
    func: &mut Func,
    cfg: &Cfg,
    dom: &Dominators,
    loops: &Loops,
    id: usize,
    alias: &mut Alias,
    home: &mut Vec<Block>,
) {
    let l = &loops.loops[id];
    let Some(front) = preheader(func, cfg, loops, id, l.header) else { return };
    let mut writes = 0;
    let mut exits: Vec<Block> = l.latches.clone();
    for &b in &l.blocks {
        writes |= func.blocks[b].insts.iter().fold(0, |set, &i| set | alias.writes(func, &func.insts[i]));
        if func.blocks[b].term.targets().iter().any(|t| !loops.contains(id, t.block)) {
            exits.push(b);
        }
    }
    let rarely = func.is_lanes && goes_round_rarely(func, cfg, dom, l);
    let stays = if rarely { spread(func, &l.blocks) } else { FxHashSet::default() };
    for &b in &l.blocks {
        let always = exits.iter().all(|e| dom.dominates(b, *e));
        let insts = std::mem::take(&mut func.blocks[b].insts);
        let mut kept = Vec::with_capacity(insts.len());
        for inst in insts {
            if !stays.contains(&inst) && can_leave(func, loops, id, inst, home, alias, always.then_some(writes)) {
                take_address_along(func, loops, id, inst, front, home, alias);
                func.blocks[front].insts.push(inst);
                home[inst.index()] = front;
            } else {
                kept.push(inst);
            }
        }
        func.blocks[b].insts = kept;
    }
}

/// True if it is known that the loop goes round a few times only.
pub(crate) fn goes_round_rarely(func: &Func, cfg: &Cfg, dom: &Dominators, l: &Loop) -> bool {
    let &[latch] = &l.latches[..] else { return false };
    let inside = l.blocks.iter().copied().collect();
    header_runs(func, cfg, dom, &inside, l.header, latch).is_some_and(|runs| runs <= FEW)
}

/// Scalar loads whose values only become vectors: that is part of the load, and a register each outside the loop.
fn spread(func: &Func, blocks: &[Block]) -> FxHashSet<Inst> {
    let insts = || func.live_insts().map(|(_, inst)| inst);
    let loads = blocks.iter().flat_map(|&b| &func.blocks[b].insts).copied();
    let mut found: FxHashSet<Inst> = loads.filter(|&i| func.insts[i].op == Op::Load).collect();
    found.retain(|&i| !func.insts[i].attr.flags.contains(Flags::INVARIANT));
    for inst in insts().filter(|&i| func.insts[i].op != Op::Splat) {
        for &v in &func.insts[inst].args {
            if let ValueDef::Inst(load) = func.values[v].def {
                found.remove(&load);
            }
        }
    }
    found
}

/// Gives a load that leaves the loop a copy of the `ptr.off` that stays there.
fn take_address_along(
    func: &mut Func,
    loops: &Loops,
    id: usize,
    inst: Inst,
    front: Block,
    home: &mut Vec<Block>,
    alias: &mut Alias,
) {
    if func.insts[inst].op != Op::Load {
        return;
    }
    let ptr = func.insts[inst].args[0];
    if is_outside(func, loops, id, home, ptr) {
        return;
    }
    let Some(offset) = func.def_inst(ptr) else { return };
    let (op, ty, args, imm) = (offset.op, func.ty(ptr), offset.args.clone(), offset.imm.clone());
    let copy = func.make_inst(op, Some(ty), &args, imm, offset.attr, offset.span);
    func.blocks[front].insts.push(copy);
    home.push(front);
    let address = func.insts[copy].result.expect("an address is a result");
    alias.add_copy(address, ptr);
    func.insts[inst].args[0] = address;
}

/// True if a value comes from outside the loop.
fn is_outside(func: &Func, loops: &Loops, id: usize, home: &[Block], v: Value) -> bool {
    match func.values[v].def {
        ValueDef::Param(b, _) => !loops.contains(id, b),
        ValueDef::Inst(i) => !loops.contains(id, home[i.index()]),
    }
}

/// `writes`: the classes written in the loop, if the instruction is executed whenever the loop is entered.
fn can_leave(
    func: &Func,
    loops: &Loops,
    id: usize,
    inst: Inst,
    home: &[Block],
    alias: &Alias,
    writes: Option<u64>,
) -> bool {
    let data = &func.insts[inst];
    let allowed = match data.op {
        Op::Load if !data.attr.flags.contains(Flags::VOLATILE) => match (alias.load_class(func, data), writes) {
            (Some(class), Some(writes)) => writes >> class.index() & 1 == 0,
            (None, Some(_)) => true,
            (_, None) => false,
        },
        _ if is_pure_call(data) => writes.is_some(),
        // Part of the access that uses it, and goes where that goes.
        Op::PtrOff => false,
        op => op.is_pure(),
    };
    let outside = |v: &Value| is_outside(func, loops, id, home, *v);
    let offset_outside =
        |v: &Value| data.op == Op::Load && func.def_inst(*v).is_some_and(|d| d.op == Op::PtrOff && outside(&d.args[0]));
    allowed && data.args.iter().all(|v| outside(v) || offset_outside(v))
}

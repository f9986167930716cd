//! Loop-invariant code motion: pure operations whose operands come from outside a natural loop move in front of it, and
//! so do loads that every run of the loop executes and that nothing in the loop can change. Convergent operations
//! stay. Loops get a block in front of their header for this. Linear for each nesting level.

use crate::analysis::alias::{Alias, is_pure_call};
use crate::analysis::trip_count::{is_entered, trip_count};
use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loop, Loops};
use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::{Block, Builder, Func, Inst, Op, Origin, Value, ValueDef};
use crate::loops::simplify::{make_preheaders, preheader};
use rustc_hash::FxHashSet;

/// From a loop over lanes that goes round at most so often, broadcasts stay where they are.
const FEW: u64 = 4;

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
    let Some(front) = preheader(func, cfg, l) else { return };
    let mut writes = 0;
    let mut exits: Vec<Block> = l.latches.clone();
    for &b in &l.blocks {
        writes |= func.blocks[b].insts.iter().fold(0, |set, &i| set | alias.writes(func, &func.insts[i]));
        if func.blocks[b].term.targets().iter().any(|t| !loops.contains(id, t.block)) {
            exits.push(b);
        }
    }
    // What every turn executes, the first one does.
    if !l.latches.contains(&l.header) && is_entered(func, cfg, l) {
        exits.retain(|&b| b != l.header);
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
                // In lanes it counts for no line, or debuggers would stop in front of the loop for a line in it. Loads
                // keep theirs, for faults.
                if func.is_lanes && func.insts[inst].op != Op::Load {
                    func.insts[inst].origin = Origin::UNKNOWN;
                }
            } else {
                kept.push(inst);
            }
        }
        func.blocks[b].insts = kept;
    }
}

/// True if it is known that the loop goes round a few times only.
pub(crate) fn goes_round_rarely(func: &Func, cfg: &Cfg, dom: &Dominators, l: &Loop) -> bool {
    trip_count(func, cfg, dom, l).is_some_and(|turns| turns <= FEW)
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

/// True for what may leave a loop together with the `ptr.off` that it gets.
fn takes_offset(op: Op) -> bool {
    matches!(op, Op::Load | Op::LocalBase)
}

/// Gives what leaves the loop a copy of the `ptr.off` that stays there.
fn take_address_along(
    func: &mut Func,
    loops: &Loops,
    id: usize,
    inst: Inst,
    front: Block,
    home: &mut Vec<Block>,
    alias: &mut Alias,
) {
    if !takes_offset(func.insts[inst].op) {
        return;
    }
    let ptr = func.insts[inst].args[0];
    if is_outside(func, loops, id, home, ptr) {
        return;
    }
    let ValueDef::Inst(offset) = func.values[ptr].def else { return };
    let args = func.insts[offset].args.clone();
    let address = Builder::new(func, front).copy(offset, &args).expect("an address is a result");
    home.push(front);
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
    let offset_outside = |v: &Value| {
        takes_offset(data.op) && func.def_inst(*v).is_some_and(|d| d.op == Op::PtrOff && outside(&d.args[0]))
    };
    allowed && data.args.iter().all(|v| outside(v) || offset_outside(v))
}

//! Loop load elimination (predictive commoning of stores): what a loop loads and has stored in the turn before is
//! handed on from turn to turn. The loads that are left are those of the first turn, in front of the loop.
//!
//! ```text
//! for (k = 1; k < n; k++) b[k] -= b[k - 1] * c;
//!   →  if (1 < n) { t = b[0]; for (k = 1; k < n; k++) { t = b[k] - t * c; b[k] = t; } }
//! ```
//! So is what the turn before has loaded, if that load was handed on itself (`b[k - 2]` beside `b[k - 1]`). Loads of
//! what earlier turns have only loaded stay: turns that depend on each other in no other way can run in lanes.
//!
//! The distance is that of `analysis::dependence`; nothing may write the place between the two turns' accesses.
//! Innermost loops without effects but loads and stores; what is loaded in front would have been loaded there by the
//! first turn, for which the loop's test may have to come in front of it, in a copy of the header. Values go through
//! slots, of which `mem2reg` makes parameters. Takes time by pairs of loads and stores of a loop, of which there is a
//! most.

use super::scalar_promotion::{may_copy, over_items, plain};
use crate::analysis::alias::{Alias, Class, is_pure_call};
use crate::analysis::dependence::{Sum, Turns};
use crate::ir::cfg::Cfg;
use crate::ir::clone::rematerialise;
use crate::ir::dom::{Dominators, Loop, Loops};
use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::{Attr, Block, Builder, Func, Inst, Op, Type, Value};
use crate::loops::{peel, simplify::preheader};

/// Most loads and stores of a loop that is looked at.
const MAX_ACCESSES: usize = 128;
/// Most values, loop by loop, of functions that are looked at.
const MAX_ASKED: usize = 1 << 26;
/// Most values that one loop hands on: more would not be in registers.
const MAX_CARRIED: usize = 8;

/// A load or store of a loop.
struct Access {
    inst: Inst,
    block: Block,
    /// Its number in the block.
    at: usize,
    class: Class,
    ty: Type,
    is_store: bool,
    place: Option<Sum>,
}

/// A load that gets what another access of the turn before has stored or loaded. Instructions, not values, which may be
/// others when loops in front have been changed.
struct Carried {
    load: Inst,
    source: Inst,
    /// The source's block.
    block: Block,
}

/// What happens to a loop.
struct Change {
    l: Loop,
    front: Block,
    /// The loop's test comes in front, too.
    is_guarded: bool,
    carried: Vec<Carried>,
}

/// Runs the pass; true if there was such a load.
pub fn run(func: &mut Func) -> bool {
    let (cfg, dom, loops) = Loops::of_func(func);
    if loops.loops.is_empty() {
        return false;
    }
    let alias = Alias::new(func);
    // Dominance is the order of a turn where nothing goes round in it.
    let innermost = loops.innermost().filter(|&id| loops.is_reducible_within(id)).map(|id| &loops.loops[id]);
    let some = innermost.take(MAX_ASKED / func.values.len().max(1));
    let changes: Vec<Change> = some.filter_map(|l| plan(func, &cfg, &dom, &alias, l)).collect();
    changes.iter().for_each(|change| apply(func, change));
    !changes.is_empty()
}

fn plan(func: &Func, cfg: &Cfg, dom: &Dominators, alias: &Alias, l: &Loop) -> Option<Change> {
    let &[latch] = &l.latches[..] else { return None };
    let front = preheader(func, cfg, l)?;
    if over_items(func, l) {
        return None;
    }
    let accesses = accesses(func, alias, l, &func.blocks[front].term.only_target(l.header)?.args)?;
    let in_each_turn = |a: &Access| dom.dominates(a.block, latch);
    // The header's test decides whether there is a first turn, and nothing else may end that before the load.
    let tests = l.exiting(func).any(|b| b == l.header);
    let others: Vec<Block> = l.exiting(func).filter(|&b| b != l.header).collect();
    let is_first = |a: &Access| in_each_turn(a) && others.iter().all(|&end| dom.dominates(a.block, end));
    let is_before = |a: &Access, b: &Access| match a.block == b.block {
        true => a.at < b.at,
        false => dom.dominates(a.block, b.block),
    };
    let is_clobbered = |source: &Access, load: &Access| {
        accesses.iter().any(|w| w.is_store && may_write_between(alias, w, source, load, is_before))
    };
    let mut found: Vec<(usize, usize)> = Vec::new();
    loop {
        let is_source = |&s: &usize| accesses[s].is_store || found.iter().any(|&(load, _)| load == s);
        let next = (0..accesses.len()).find_map(|n| {
            let load = &accesses[n];
            let is_new = !load.is_store && is_first(load) && found.iter().all(|&(other, _)| other != n);
            let source = (0..accesses.len()).filter(|_| is_new).filter(is_source).find(|&s| {
                let source = &accesses[s];
                in_each_turn(source) && is_turn_before(source, load) && !is_clobbered(source, load)
            });
            source.map(|s| (n, s))
        });
        match next {
            Some(pair) if found.len() < MAX_CARRIED => found.push(pair),
            _ => break,
        }
    }
    let is_guarded = tests && found.iter().any(|&(load, _)| accesses[load].block != l.header);
    if found.is_empty() || is_guarded && !may_copy(func, alias, l.header) {
        return None;
    }
    let carried = found.iter().map(|&(load, source)| {
        let Access { block, inst, .. } = accesses[source];
        Carried { load: accesses[load].inst, source: inst, block }
    });
    Some(Change { l: l.clone(), front, is_guarded, carried: carried.collect() })
}

/// The loads and stores of a loop; none if it has other effects, too many of them, or nothing to hand on.
fn accesses(func: &Func, alias: &Alias, l: &Loop, first: &[Value]) -> Option<Vec<Access>> {
    let mut found = Vec::new();
    for &block in &l.blocks {
        for (at, &inst) in func.blocks[block].insts.iter().enumerate() {
            let data = &func.insts[inst];
            if data.op.is_pure() || is_pure_call(data) {
                continue;
            }
            let ty = plain(func, data)?;
            let is_store = data.op == Op::Store;
            let class = if is_store { alias.class(func, data.args[0]) } else { alias.load_class(func, data) };
            let Some(class) = class else { continue };
            found.push(Access { inst, block, at, class, ty, is_store, place: None });
        }
    }
    let stores = found.iter().filter(|a| a.is_store).count();
    if stores == 0 || stores == found.len() || found.len() > MAX_ACCESSES {
        return None;
    }
    let mut turns = Turns::new(func, l, first);
    found.iter_mut().for_each(|a| a.place = turns.address(func.insts[a.inst].args[0]));
    Some(found)
}

/// True if an access is, in each turn, of what the load is of in the next.
fn is_turn_before(a: &Access, load: &Access) -> bool {
    let distance = load.place.as_ref().zip(a.place.as_ref()).and_then(|(load, a)| load.distance(a));
    a.ty == load.ty && distance.is_some_and(|(bytes, by)| bytes == by && by != 0)
}

/// True if a store may write what a load is of, between that and the source in the turn before. The source itself may,
/// in the load's turn, if its steps are smaller than what it stores.
fn may_write_between(
    alias: &Alias,
    w: &Access,
    source: &Access,
    load: &Access,
    is_before: impl Fn(&Access, &Access) -> bool,
) -> bool {
    if alias.overlaps(w.class) >> load.class.index() & 1 == 0 {
        return false;
    }
    let distance = load.place.as_ref().zip(w.place.as_ref()).and_then(|(load, w)| load.distance(w));
    // From the load's place in its turn, to what the store writes in that turn, or in the one before.
    let meets = |bytes: i64| bytes < i64::from(load.ty.bytes()) && bytes > -i64::from(w.ty.bytes());
    let (here, before) = distance.map_or((true, true), |(bytes, by)| (meets(bytes), meets(bytes.wrapping_sub(by))));
    here && !is_before(load, w) || before && w.inst != source.inst && !is_before(w, source)
}

fn apply(func: &mut Func, change: &Change) {
    let Change { l, front, is_guarded, carried } = change;
    let front = if *is_guarded { peel::header(func, l, *front) } else { *front };
    let first = func.blocks[front].term.only_target(l.header).expect("it enters the loop").args.clone();
    let params = func.blocks[l.header].params.clone();
    let homes = func.homes(&l.blocks);
    let there = |_: &Func, v: Value| match params.iter().position(|&param| param == v) {
        Some(at) => Ok(first[at]),
        None if homes.get(v.index()).is_some_and(Option::is_some) => Err(v),
        None => Ok(v),
    };
    for &Carried { load, source, block } in carried {
        let data = &func.insts[source];
        let value = if data.op == Op::Store { data.args[1] } else { data.result.expect("a load has one") };
        let (ty, attr) = (func.ty(value), func.insts[load].attr);
        let [next, now] = [0; 2].map(|_| {
            let size = u64::from(ty.bytes());
            func.add_slot(size, size.next_power_of_two().min(16))
        });
        let mut b = Builder::new(func, front);
        let address = b.func.insts[load].args[0];
        let address = rematerialise(&mut b, address, &there);
        let first = b.load(ty, address, Attr { flags: Flags::empty(), ..attr });
        b.write(next, first);
        let mut b = Builder::at(func, l.header, 0);
        let v = b.read(next, ty);
        b.write(now, v);
        let variable = b.slot_addr(now);
        let data = &mut func.insts[load];
        (data.args[0], data.attr) = (variable, Attr::default());
        let at = func.blocks[block].insts.iter().position(|&inst| inst == source).expect("it is in its block");
        Builder::at(func, block, at + 1).write(next, value);
    }
}

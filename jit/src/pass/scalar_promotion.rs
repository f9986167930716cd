//! Memory in loops to registers: a place that a loop loads and stores again and again, at an address that stays, is
//! loaded in front of the loop and stored behind it. In between it is a variable in a slot, of which `mem2reg` makes a
//! value. Innermost loops first, so that an accumulator leaves all loops around it.
//!
//! ```text
//! while (c) { .. store p, (load p) + x .. }   →   if (c) { v = load p; while (c) { .. v = v + x .. } store p, v }
//! ```
//! So is a place that is only loaded, in each turn, but not stored: what leaves the loop then is a load of which nobody
//! knew whether there is a first turn (in other compilers the work of loop inversion and `licm`).
//!
//! Nothing else in the loop may touch the place (`alias`, displacements from one base, steps away from it in each
//! turn), whatever the order in which work-items run: loops over work-items and around such stay as they are. Memory is
//! accessed only where the loop would have: a store happens before every way out, or has happened before the loop with
//! nothing in between by which work-items could wait for each other; otherwise the loop's first test comes in front of
//! all that, in a copy of the header. Needs SSA form after `licm`. For each loop all accesses are looked at, and the
//! loop for a bounded number of places.

use crate::analysis::address::Address;
use crate::analysis::alias::{Alias, Class, is_pure_call};
use crate::analysis::dependence::Turns;
use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loop, Loops};
use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::{Attr, Block, Builder, Func, Imm, Inst, InstData, Op, Type, Value};
use crate::loops::peel;
use crate::loops::simplify::preheader;
use rustc_hash::FxHashSet;
use std::cell::{Cell, OnceCell, RefCell};

/// How often a loop is looked at: what is loaded from a place that has become a register may be one, too.
const ROUNDS: usize = 2;
/// Most loops of one round.
const MAX_LOOPS: usize = 256;
/// Most loads of one loop that are looked at.
const MAX_LOADS: usize = 64;
/// Most places of one loop that are stored to.
const MAX_PLACES: usize = 16;
/// Most values, loop by loop, of functions in which addresses are looked for.
const MAX_ASKED: usize = 1 << 24;
/// Most instructions of a header that is copied.
const MAX_HEADER: usize = 24;

/// A plain load or store.
#[derive(Clone)]
struct Access {
    place: Address,
    block: Block,
    inst: Inst,
    /// Its number in the block.
    at: usize,
    is_store: bool,
    ty: Type,
}

/// What is known of the function while nothing changes.
struct Context<'f> {
    func: &'f Func,
    cfg: Cfg,
    dom: Dominators,
    loops: Loops,
    alias: Alias,
    accesses: Vec<Access>,
    homes: Vec<Option<Block>>,
    /// See `may_ask`.
    asked: Cell<usize>,
}

/// What happens to a place.
struct Plan {
    place: Address,
    ty: Type,
    attr: Attr,
    accesses: Vec<Inst>,
    /// It is loaded in front of the loop.
    is_loaded: bool,
    /// It is stored behind the loop.
    is_stored: bool,
    /// Not unless the loop's first test lets it in.
    is_guarded: bool,
    /// It may be accessed so because it is accessed in front of the loop.
    relies_on_others: bool,
}

/// A loop, the block in front of it, and the ways out.
struct Around<'l> {
    id: usize,
    l: &'l Loop,
    front: Block,
    exits: Vec<(Block, Block)>,
    /// Where addresses are in each turn, when that has been asked.
    turns: OnceCell<Option<RefCell<Turns<'l>>>>,
}

/// Runs the pass: promotes places of the innermost loops that have any and have not been looked at as often as they may
/// be; false if there is none.
pub fn promote_loops(func: &mut Func, done: &mut Vec<Block>) -> bool {
    let cfg = Cfg::new(func);
    let dom = Dominators::new(&cfg);
    let loops = Loops::new(func, &cfg, &dom);
    if loops.loops.iter().all(|l| is_done(done, l) || over_items(func, l)) {
        return false;
    }
    let alias = Alias::new(func);
    let homes = func.homes(&func.layout);
    let cx = Context { accesses: accesses(func), func, cfg, dom, loops, alias, homes, asked: Cell::new(0) };
    let mut now = Now::default();
    for (id, l) in cx.loops.loops.iter().enumerate().rev() {
        if now.loops.len() == MAX_LOOPS {
            break;
        }
        // Of loops around those that are about to change nothing is known.
        let is_around = |l: &Loop| l.blocks.iter().any(|b| now.headers.contains(b));
        if is_done(done, l) || over_items(cx.func, l) || is_around(l) {
            continue;
        }
        let Some(around) = cx.around(id) else {
            done.push(l.header);
            continue;
        };
        let plans = cx.plans(&around);
        if plans.iter().any(|plan| cx.has_changed(plan, &now)) {
            continue;
        }
        done.push(l.header);
        if !plans.is_empty() {
            now.headers.insert(l.header);
            now.stored.extend(plans.iter().filter(|plan| plan.is_stored).map(|plan| plan.place.root));
            now.loops.push(Change { l: l.clone(), front: around.front, exits: around.exits, plans });
        }
    }
    now.loops.iter().for_each(|change| apply(func, change));
    !now.loops.is_empty()
}

/// What happens to a loop.
struct Change {
    l: Loop,
    front: Block,
    exits: Vec<(Block, Block)>,
    plans: Vec<Plan>,
}

/// What a run of the pass changes.
#[derive(Default)]
struct Now {
    loops: Vec<Change>,
    /// Of these loops.
    headers: FxHashSet<Block>,
    /// Where the addresses of what they store start.
    stored: FxHashSet<Value>,
}

/// True if a loop has been looked at as often as it may be.
fn is_done(done: &[Block], l: &Loop) -> bool {
    done.iter().filter(|&&header| header == l.header).count() >= ROUNDS
}

/// True if the loop goes over work-items, or holds one that does.
pub(super) fn over_items(func: &Func, l: &Loop) -> bool {
    l.blocks.iter().any(|&b| func.blocks[b].items || func.blocks[b].rows.is_some())
}

/// All plain accesses.
fn accesses(func: &Func) -> Vec<Access> {
    let mut found = Vec::new();
    for &block in &func.layout {
        for (at, &inst) in func.blocks[block].insts.iter().enumerate() {
            let data = &func.insts[inst];
            if let Some(ty) = plain(func, data) {
                let place = Address::of(func, data.args[0]);
                found.push(Access { place, block, inst, at, is_store: data.op == Op::Store, ty });
            }
        }
    }
    found
}

/// The type that a plain load or store accesses.
pub(super) fn plain(func: &Func, data: &InstData) -> Option<Type> {
    let ty = match data.op {
        Op::Load => func.ty(data.result?),
        Op::Store => func.ty(data.args[1]),
        _ => return None,
    };
    (!data.attr.flags.contains(Flags::VOLATILE)).then_some(ty)
}

/// True if an instruction may order this work-item's accesses with those of others.
fn orders(data: &InstData) -> bool {
    match data.op {
        Op::Load | Op::Store | Op::Memset | Op::Memcpy => data.attr.flags.contains(Flags::VOLATILE),
        op => !op.is_pure() && !is_pure_call(data),
    }
}

impl Context<'_> {
    /// A loop and its ways out, if there is a block in front of it alone.
    fn around(&self, id: usize) -> Option<Around<'_>> {
        let l = &self.loops.loops[id];
        let front = preheader(self.func, &self.cfg, l)?;
        let mut exits = Vec::new();
        for &from in &l.blocks {
            self.func.blocks[from].term.for_each_target(|to| {
                if !self.loops.contains(id, to.block) {
                    exits.push((from, to.block));
                }
            });
        }
        Some(Around { id, l, front, exits, turns: OnceCell::new() })
    }

    /// True if a plan relies on what other loops are about to change: an address is a value of a header, or its memory
    /// may be stored elsewhere than before.
    fn has_changed(&self, plan: &Plan, now: &Now) -> bool {
        let Address { root, terms, .. } = &plan.place;
        let of_header = |v: Value| self.homes[v.index()].is_some_and(|home| now.headers.contains(&home));
        plan.relies_on_others && now.stored.contains(root)
            || of_header(*root)
            || terms.iter().any(|term| of_header(term.0))
    }

    fn is_outside(&self, id: usize, v: Value) -> bool {
        self.homes[v.index()].is_some_and(|home| !self.loops.contains(id, home))
    }

    fn plans<'l>(&'l self, around: &Around<'l>) -> Vec<Plan> {
        let mut plans: Vec<Plan> = Vec::new();
        // Each way out gets a block.
        if around.exits.iter().enumerate().any(|(n, exit)| around.exits[..n].contains(exit)) {
            return plans;
        }
        for store in self.accesses.iter().filter(|a| a.is_store && self.loops.contains(around.id, a.block)) {
            let is_new = plans.len() < MAX_PLACES && plans.iter().all(|plan| plan.place != store.place);
            if is_new
                && self.stays(around.id, &store.place)
                && let Some(plan) = self.plan(around, store)
            {
                plans.push(plan);
            }
        }
        let is_tested = around.exits.iter().any(|exit| exit.0 == around.l.header)
            && may_copy(self.func, &self.alias, around.l.header);
        let loads = self.accesses.iter().filter(|a| !a.is_store && self.loops.contains(around.id, a.block));
        for load in loads.filter(|load| is_tested && self.stays(around.id, &load.place)).take(MAX_LOADS) {
            let is_new = plans.iter().all(|plan| plan.place != load.place);
            if is_new && let Some(plan) = self.plan_load(around, load) {
                plans.push(plan);
            }
        }
        plans
    }

    /// True if an address is the same in all turns of a loop.
    fn stays(&self, id: usize, Address { root, terms, .. }: &Address) -> bool {
        self.is_outside(id, *root) && terms.iter().all(|term| self.is_outside(id, term.0))
    }

    /// What to do about a place that a loop only loads, and would load in its first turn, if the test in its header
    /// lets it (where that is known, `licm` has done it).
    fn plan_load<'l>(&'l self, around: &Around<'l>, load: &Access) -> Option<Plan> {
        let &Around { id, l, ref exits, .. } = around;
        let inside = self.accesses.iter().filter(|a| a.place == load.place && self.loops.contains(id, a.block));
        let inside: Vec<Access> = inside.cloned().collect();
        let is_alike = inside.iter().all(|a| !a.is_store && a.ty == load.ty);
        let others = exits.iter().map(|exit| exit.0).filter(|&from| from != l.header);
        let ends: Vec<Block> = l.latches.iter().copied().chain(others).collect();
        let in_each_turn = |a: &Access| a.block != l.header && ends.iter().all(|&end| self.dom.dominates(a.block, end));
        if !is_alike || !inside.iter().any(in_each_turn) || self.is_touched(around, load, &inside) {
            return None;
        }
        let attr = self.attr(load, &inside);
        let accesses = inside.iter().map(|a| a.inst).collect();
        Some(Plan {
            place: load.place.clone(),
            ty: load.ty,
            attr,
            accesses,
            is_loaded: true,
            is_stored: false,
            is_guarded: true,
            relies_on_others: false,
        })
    }

    /// The attributes of one access, with an alignment that all have.
    fn attr(&self, access: &Access, inside: &[Access]) -> Attr {
        let attr = self.func.insts[access.inst].attr;
        let is_alike = inside.iter().all(|a| self.func.insts[a.inst].attr.align == attr.align);
        Attr { align: if is_alike { attr.align } else { 1 }, ..attr }
    }

    /// True if one of these stores comes before a place on every way there.
    fn is_stored(&self, inside: &[Access], block: Block, at: usize) -> bool {
        let before = |a: &Access| self.dom.dominates(a.block, block) && (a.block != block || a.at < at);
        inside.iter().any(|a| a.is_store && before(a))
    }

    /// What to do about the place of a store in a loop, if anything can be done.
    fn plan<'l>(&'l self, around: &Around<'l>, store: &Access) -> Option<Plan> {
        let &Around { id, l, front, ref exits, .. } = around;
        let (place, ty) = (store.place.clone(), store.ty);
        let mut inside: Vec<Access> = Vec::new();
        let (mut is_valid, mut is_stored_before) = (false, false);
        for a in self.accesses.iter().filter(|a| a.place == place) {
            if self.loops.contains(id, a.block) {
                if a.ty != ty {
                    return None;
                }
                inside.push(a.clone());
            } else if self.dom.dominates(a.block, front) && a.ty.bytes() >= ty.bytes() {
                is_valid = true;
                is_stored_before |= a.is_store && self.is_near(id, a, front);
            }
        }
        if self.is_touched(around, store, &inside) {
            return None;
        }
        let relies_on_others = is_valid;
        let comes_round = l.latches.iter().all(|&b| self.is_stored(&inside, b, usize::MAX));
        let mut is_loaded = inside.iter().any(|a| !a.is_store && !self.is_stored(&inside, a.block, a.at));
        let mut is_guarded = false;
        for &(from, _) in exits {
            if self.is_stored(&inside, from, usize::MAX) {
                continue;
            }
            if is_stored_before {
                is_loaded = true;
            } else if from == l.header && comes_round {
                is_guarded = true;
            } else {
                return None;
            }
        }
        if is_guarded {
            is_valid = true;
        }
        let always = |b: Block| {
            let ends = l.latches.iter().copied().chain(exits.iter().map(|exit| exit.0));
            ends.into_iter().all(|end| self.dom.dominates(b, end))
        };
        if is_loaded && !is_valid && !inside.iter().any(|a| always(a.block))
            || is_guarded && !may_copy(self.func, &self.alias, l.header)
        {
            return None;
        }
        let attr = self.attr(store, &inside);
        let accesses = inside.iter().map(|a| a.inst).collect();
        Some(Plan { place, ty, attr, accesses, is_loaded, is_stored: true, is_guarded, relies_on_others })
    }

    /// True if anything but these accesses may write an access's place in a loop, or read it if that is a store.
    fn is_touched<'l>(&'l self, around: &Around<'l>, access: &Access, accesses: &[Access]) -> bool {
        let func = self.func;
        // Nothing ever writes what has no class.
        let data = &func.insts[access.inst];
        let class =
            if access.is_store { self.alias.class(func, data.args[0]) } else { self.alias.load_class(func, data) };
        let Some(class) = class else { return access.is_store };
        let near = self.alias.overlaps(class);
        let is_near = |c: Option<Class>| c.is_some_and(|c| near >> c.index() & 1 != 0);
        around.l.blocks.iter().flat_map(|&b| &func.blocks[b].insts).any(|&inst| {
            let data = &func.insts[inst];
            let reads = match data.op {
                Op::Load | Op::LoadMasked | Op::Gather if !access.is_store => false,
                Op::Memcpy if !access.is_store => orders(data),
                Op::Load => is_near(self.alias.load_class(func, data)),
                Op::LoadMasked | Op::Gather => is_near(self.alias.class(func, data.args[0])),
                Op::Memcpy => is_near(self.alias.class(func, data.args[1])),
                // Calls, and what prints, read through pointers.
                _ => orders(data),
            };
            let touches = reads || self.alias.writes(func, data) >> class.index() & 1 != 0;
            if !touches || accesses.iter().any(|a| a.inst == inst) {
                return false;
            }
            let Some(ty) = plain(func, data) else { return true };
            let step = access.place.distance(&Address::of(func, data.args[0]));
            let is_apart =
                step.is_some_and(|step| step >= i64::from(access.ty.bytes()) || step <= -i64::from(ty.bytes()));
            !is_apart && !self.goes_away(around, access, (inst, ty))
        })
    }

    /// True if another access is beside a place that stays in a loop's first turn, and further from it in each of those
    /// that follow.
    fn goes_away<'l>(&'l self, around: &Around<'l>, access: &Access, (inst, ty): (Inst, Type)) -> bool {
        let turns = around.turns.get_or_init(|| {
            let entry = self.func.blocks[around.front].term.only_target(around.l.header)?;
            let is_counted = around.l.latches.len() == 1 && self.may_ask();
            is_counted.then(|| RefCell::new(Turns::new(self.func, around.l, &entry.args)))
        });
        let Some(turns) = turns else { return false };
        let sum = |inst: Inst| turns.borrow_mut().address(self.func.insts[inst].args[0]);
        let distance = sum(access.inst).zip(sum(inst)).and_then(|(place, other)| place.from_fixed(&other));
        distance.is_some_and(|(bytes, by)| match by {
            1.. => bytes >= i64::from(access.ty.bytes()),
            0 => false,
            _ => bytes <= -i64::from(ty.bytes()),
        })
    }

    /// True as long as asking where addresses are in the turns of a loop, which takes time by the size of the function,
    /// has not been done too often.
    fn may_ask(&self) -> bool {
        let asked = self.asked.get() + self.func.values.len();
        self.asked.set(asked);
        asked <= MAX_ASKED
    }

    /// True if nothing between an access and the loop, in whatever order work-items run, lets others at the place.
    fn is_near(&self, id: usize, access: &Access, front: Block) -> bool {
        let quiet = |insts: &[Inst]| !insts.iter().any(|&i| orders(&self.func.insts[i]));
        if access.block == front {
            return quiet(&self.func.blocks[front].insts[access.at..]);
        }
        let mut parent = self.loops.loops[id].parent;
        while let Some(l) = parent.map(|n| &self.loops.loops[n]) {
            if self.func.blocks[l.header].items {
                return l.blocks.contains(&access.block) && l.blocks.iter().all(|&b| quiet(&self.func.blocks[b].insts));
            }
            parent = l.parent;
        }
        false
    }
}

/// True if a loop's header may be executed once more, and decides alike.
pub(super) fn may_copy(func: &Func, alias: &Alias, header: Block) -> bool {
    let insts = &func.blocks[header].insts;
    let fixed = |data: &InstData| data.op == Op::Load && alias.load_class(func, data).is_none();
    let may = |data: &InstData| data.op.is_pure() || fixed(data) && plain(func, data).is_some();
    insts.len() <= MAX_HEADER && insts.iter().all(|&i| may(&func.insts[i]))
}

fn apply(func: &mut Func, change: &Change) {
    let Change { l, front, exits, plans } = change;
    let mut front = *front;
    if plans.iter().any(|plan| plan.is_guarded) {
        front = peel::header(func, l, front);
    }
    // The variable and the address of each.
    let mut pairs: Vec<(Value, Value)> = Vec::new();
    for plan in plans {
        let size = u64::from(plan.ty.bytes());
        let slot = func.add_slot(size, size.next_power_of_two().min(16));
        let mut b = Builder::new(func, front);
        let var = b.slot_addr(slot);
        let address = plan.place.emit(&mut b);
        if plan.is_loaded {
            let flags = if plan.is_stored { Flags::empty() } else { plan.attr.flags };
            let v = b.load(plan.ty, address, Attr { flags, ..plan.attr });
            b.store(var, v, Attr::default());
        } else {
            // Nothing is known of it, and in particular not what an iteration of a loop around this one has left there.
            let v = b.typed(Op::Undef, plan.ty, &[], Imm::None, Attr::default());
            b.store(var, v, Attr::default());
        }
        pairs.push((var, address));
        for &inst in &plan.accesses {
            let data = &mut func.insts[inst];
            (data.args[0], data.attr) = (var, Attr::default());
        }
    }
    for &(from, to) in exits {
        let end = func.split_edge(from, to);
        let mut b = Builder::new(func, end);
        for (plan, &(var, address)) in plans.iter().zip(&pairs).filter(|(plan, _)| plan.is_stored) {
            let v = b.load(plan.ty, var, Attr::default());
            b.store(address, v, plan.attr);
        }
    }
}

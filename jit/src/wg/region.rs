//! Parallel regions: what each work-item runs from one barrier to the next, as a loop over the group's work-items.

use super::assemble::{GroupBuilder, slot_for};
use super::barriers::{Barriers, is_scan};
use super::collective::has_operands;
use super::geometry::ItemLoop;
use super::uniform::Uniformity;
use super::{Sharing, apart};
use crate::ir::cfg::reached;
use crate::ir::{Block, Func, Imm, Inst, InstData, IntPred, Op, SlotId, Target, Term, Type, Value, ValueDef};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// Code growth, in instructions relative to the kernel's, from which all regions share one copy.
const GROWTH: usize = 4;
/// Growth up to this many instructions is always fine.
const SMALL: usize = 400;

/// Where a region can end.
#[derive(Clone, Debug, Default)]
pub(super) struct Exits {
    /// Barriers that are reached, in order.
    pub barriers: Vec<usize>,
    /// A return is reached.
    pub ret: bool,
}

/// How a kernel divides into parallel regions: one behind each barrier.
pub(super) struct Regions {
    /// Exits of the region behind each barrier.
    pub exits: Vec<Exits>,
    /// Barriers that can be reached from the entry.
    pub reachable: Vec<bool>,
    /// All regions share one copy of the code, which a dispatch loop enters.
    pub dispatch_loop: bool,
    /// Some work-items may return while others go on to a barrier.
    pub some_return_early: bool,
    /// Some may go on to one barrier while others return or go to another.
    pub some_part: bool,
}

impl Regions {
    /// Divides a split kernel.
    pub(super) fn new(func: &Func, barriers: &Barriers, uniformity: &Uniformity, sharing: Sharing) -> Self {
        let size = |blocks: &[Block]| blocks.iter().map(|&b| func.blocks[b].insts.len()).sum::<usize>();
        let regions: Vec<Vec<Block>> = (0..barriers.len()).map(|k| blocks_of(func, barriers, &[k])).collect();
        let exits: Vec<Exits> = regions.iter().map(|blocks| exits_of(func, barriers, blocks)).collect();
        let mut reachable = vec![false; barriers.len()];
        let mut work = vec![0];
        while let Some(k) = work.pop() {
            if !std::mem::replace(&mut reachable[k], true) {
                work.extend(&exits[k].barriers);
            }
        }
        let (copied, base) = (regions.iter().map(|blocks| size(blocks)).sum::<usize>(), size(&func.layout));
        let large = copied > base * GROWTH && copied > base + SMALL;
        let one_copy = match sharing {
            Sharing::Auto => large,
            Sharing::DispatchLoop => true,
            Sharing::Copies => false,
        };
        let dispatch_loop = !barriers.is_one_region() && one_copy;
        let returns_early = |k: usize| {
            let has_both = exits[k].ret && !exits[k].barriers.is_empty();
            reachable[k] && has_both && !uniformity.leave_together(&regions[k])
        };
        let some_return_early = (0..barriers.len()).any(returns_early);
        let parts = |k: usize| {
            let ways = exits[k].barriers.len() + usize::from(exits[k].ret);
            reachable[k] && ways > 1 && !uniformity.leave_together(&regions[k])
        };
        let some_part = (0..barriers.len()).any(parts);
        Self { exits, reachable, dispatch_loop, some_return_early, some_part }
    }
}

/// Blocks that are reached from the barriers `entries` without passing another.
fn blocks_of(func: &Func, barriers: &Barriers, entries: &[usize]) -> Vec<Block> {
    let starts = entries.iter().map(|&k| barriers.list()[k].block);
    reached(func, starts, |_, to| barriers.at(to).is_none())
}

fn exits_of(func: &Func, barriers: &Barriers, blocks: &[Block]) -> Exits {
    let mut exits = Exits::default();
    for &block in blocks {
        let term = &func.blocks[block].term;
        exits.ret |= matches!(term, Term::Ret(_) | Term::Unreachable);
        exits.barriers.extend(term.targets().iter().filter_map(|target| barriers.at(target.block)));
    }
    exits.barriers.sort_unstable();
    exits.barriers.dedup();
    exits
}

/// Values of the kernel as values of the work-group function.
type ValueMap = FxHashMap<Value, Value>;

/// The copy of a region that is being made.
struct RegionCopy {
    blocks: FxHashMap<Block, Block>,
    values: ValueMap,
    /// Variables of the values that live on across barriers: spilled, uniform, and derived ones.
    vars: FxHashMap<Value, SlotId>,
    items: ItemLoop,
    /// Receives the number of the barrier that a work-item reaches.
    exit: Option<SlotId>,
    /// Where the work-item waits when it is done, if work-items may part (`apart`).
    place: Option<SlotId>,
}

impl GroupBuilder<'_> {
    /// Emits the work-item loop of the region behind the barriers `entries`; with several, `pc` says which.
    pub(super) fn region(&mut self, entries: &[usize], pc: Option<Value>, exit: Option<SlotId>) {
        let (old, live) = (self.old, self.live);
        self.slots.clear();
        let mut blocks = blocks_of(old, self.barriers, entries);
        for inst in self.accumulated(&blocks) {
            self.reset_accumulator(inst);
        }
        // Before any work-item writes what the next region shall find.
        let uniform = self.read_uniform(entries);
        let is_same_for_all =
            !self.regions.dispatch_loop && self.context.alive.is_none() && self.context.places.is_none();
        let once = is_same_for_all && self.computes_the_same(entries[0], &blocks);
        let items = if once { self.no_items() } else { self.open_items() };
        let mut values = self.params();
        for v in entries.iter().flat_map(|&k| live.after[k].intersection(&live.rematerialised)) {
            self.rematerialise(&items, &mut values, v);
        }
        let vars = self.make_vars(entries, &blocks);
        self.tell_of_variables(&items);
        let place = self.context.places.map(|_| self.slot_for(apart::PLACE));
        let mut copy = RegionCopy { blocks: FxHashMap::default(), values, vars, items, exit, place };
        for &block in &blocks {
            self.declare_block(&mut copy, block);
        }
        let starts: Vec<Block> = entries.iter().map(|_| self.b.func.add_block()).collect();
        match pc {
            Some(value) => {
                let cases = entries.iter().zip(&starts).skip(1).map(|(&k, &b)| (k as u64, Target::plain(b))).collect();
                self.b.end(Term::Switch { value, cases, default: Target::plain(starts[0]) });
            }
            None => self.jump(starts[0]),
        }
        for (&k, &start) in entries.iter().zip(&starts) {
            self.b.enter(start);
            self.enter_region(&mut copy, k, &uniform);
            self.jump(copy.blocks[&self.barriers.list()[k].block]);
        }
        // Definitions come before uses in this order.
        self.cfg.sort(&mut blocks);
        for block in blocks {
            self.copy_block(&mut copy, block);
        }
        self.b.enter(copy.items.latch);
        if let Some(place) = copy.place {
            self.keep_place(place, &copy.items);
        }
        self.close_items(&copy.items);
    }

    /// A block's instructions without the barrier at which it begins.
    fn body(&self, block: Block) -> &[Inst] {
        &self.old.blocks[block].insts[self.barriers.skip(block)..]
    }

    /// True if the region behind barrier `k` does nothing but compute the same values for every work-item: it runs
    /// once.
    fn computes_the_same(&self, k: usize, blocks: &[Block]) -> bool {
        let varies = |v: Value| self.uniformity.varying.contains(v);
        let result = self.barriers.inst(k).and_then(|inst| self.old.insts[inst].result);
        let quiet = |inst: &Inst| {
            let data = &self.old.insts[*inst];
            (data.op.is_pure() || data.op == Op::Load) && data.result.is_some_and(|v| !varies(v))
        };
        let condition = |block: Block| match self.old.blocks[block].term {
            Term::Br { cond: v, .. } | Term::Switch { value: v, .. } => !varies(v),
            _ => true,
        };
        let entry = self.old.entry();
        self.accumulated(blocks).is_empty()
            && !result.is_some_and(varies)
            && blocks.iter().all(|&block| {
                let params = &self.old.blocks[block].params;
                condition(block)
                    && self.body(block).iter().all(quiet)
                    && (block == entry || !params.iter().any(|&v| varies(v)))
            })
    }

    /// A branch that the group takes as a whole goes to the handlers of its targets.
    pub(super) fn group_branch(&mut self, k: usize, handlers: &[Block]) {
        let Term::Br { cond, then, els } = &self.old.blocks[self.barriers.list()[k].block].term else {
            unreachable!("barriers of this kind")
        };
        let cond = if self.live.uniform.contains(*cond) {
            let slot = self.uniform_slot(*cond);
            self.read_slot(slot, Type::I1)
        } else {
            let (items, mut values) = (self.no_items(), self.params());
            self.rematerialise(&items, &mut values, *cond)
        };
        let [then, els] = [then, els].map(|t| handlers[self.barriers.at(t.block).expect("both targets are barriers")]);
        self.b.branch(cond, then, els);
    }

    /// Instructions for which a region with these blocks accumulates operands: the barriers behind it, and scans
    /// within.
    fn accumulated(&self, blocks: &[Block]) -> Vec<Inst> {
        let mut found = Vec::new();
        for &block in blocks {
            found.extend(self.body(block).iter().filter(|&&i| is_scan(self.old.insts[i].op)));
            for target in self.old.blocks[block].term.targets() {
                found.extend(self.barriers.at(target.block).and_then(|k| self.barriers.inst(k)));
            }
        }
        found.retain(|&i| has_operands(&self.old.insts[i]));
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The kernel's parameters.
    fn params(&self) -> ValueMap {
        let old = &self.old.blocks[self.old.entry()].params;
        old.iter().copied().zip(self.launch().params.iter().copied()).collect()
    }

    /// The parameters, and the uniform values that live across the barriers `entries`.
    fn read_uniform(&mut self, entries: &[usize]) -> ValueMap {
        let live = self.live;
        let mut values = self.params();
        for v in entries.iter().flat_map(|&k| live.after[k].intersection(&live.uniform)) {
            if let Entry::Vacant(entry) = values.entry(v) {
                let slot = self.uniform_slot(v);
                entry.insert(self.read_slot(slot, self.old.ty(v)));
            }
        }
        values
    }

    /// Where a uniform value is kept from region to region, a collective's result for instance.
    pub(super) fn uniform_slot(&mut self, v: Value) -> SlotId {
        *self.uniform.entry(v).or_insert_with(|| slot_for(self.b.func, self.old.ty(v)))
    }

    /// Computes a value again that was made before the region, from the values that are known.
    fn rematerialise(&mut self, items: &ItemLoop, values: &mut ValueMap, v: Value) -> Value {
        if let Some(&v) = values.get(&v) {
            return v;
        }
        let ValueDef::Inst(inst) = self.old.values[v].def else { unreachable!("parameters are known") };
        let data = &self.old.insts[inst];
        let new = match self.known(items, data) {
            Some(new) => new,
            None => {
                let args: Vec<Value> = data.args.iter().map(|&arg| self.rematerialise(items, values, arg)).collect();
                self.b.typed(data.op, self.old.ty(v), &args, self.context.imm(data), data.attr)
            }
        };
        values.insert(v, new);
        new
    }

    /// Makes variables of the values that live on across barriers and that the region reads or writes.
    fn make_vars(&mut self, entries: &[usize], blocks: &[Block]) -> FxHashMap<Value, SlotId> {
        let (old, live) = (self.old, self.live);
        let mut wanted: Vec<Value> = entries.iter().flat_map(|&k| live.after[k].iter()).collect();
        for &block in blocks {
            wanted.extend(&old.blocks[block].params);
            wanted.extend(old.blocks[block].insts.iter().filter_map(|&i| old.insts[i].result));
        }
        wanted.retain(|&v| [&live.spilled, &live.uniform, &live.derived].iter().any(|set| set.contains(v)));
        let mut vars = FxHashMap::default();
        for v in wanted {
            vars.entry(v).or_insert_with(|| slot_for(self.b.func, old.ty(v)));
        }
        vars
    }

    /// Reads a value from the work-item's context.
    fn reload(&mut self, v: Value, items: &ItemLoop) -> Value {
        let (ty, arrays) = (self.old.ty(v), self.context.spilled[&v].clone());
        let part = if arrays.len() == 1 { ty } else { ty.lane() };
        let parts: Vec<Value> = arrays.into_iter().map(|array| self.load_element(array, items, part)).collect();
        if let [whole] = parts[..] { whole } else { self.b.emit(Op::Build, ty, &parts, Imm::None) }
    }

    /// Writes a value to the work-item's context.
    fn spill(&mut self, v: Value, value: Value, items: &ItemLoop) {
        let (ty, arrays) = (self.old.ty(v), self.context.spilled[&v].clone());
        let is_whole = arrays.len() == 1;
        for (i, array) in arrays.into_iter().enumerate() {
            let part = if is_whole { value } else { self.b.emit(Op::Extract, ty.lane(), &[value], Imm::Lane(i as u8)) };
            self.store_element(array, items, part);
        }
    }

    /// What a work-item does first in the region behind barrier `k`: reads its context and the uniform values.
    fn enter_region(&mut self, copy: &mut RegionCopy, k: usize, uniform: &ValueMap) {
        let live = self.live;
        if let Some(place) = copy.place {
            self.go_on_from(k, place, &copy.items);
        }
        match self.context.alive {
            Some(array) if k == 0 => {
                let one = self.b.bits(Type::I8, 1);
                self.store_element(array, &copy.items, one);
            }
            Some(array) => {
                let alive = self.load_element(array, &copy.items, Type::I8);
                let zero = self.b.bits(Type::I8, 0);
                let go = self.b.icmp(IntPred::Ne, alive, zero);
                let next = self.b.func.add_block();
                self.b.branch(go, next, copy.items.latch);
                self.b.enter(next);
            }
            None => {}
        }
        let mut known = uniform.clone();
        for v in live.after[k].intersection(&live.spilled) {
            let value = self.reload(v, &copy.items);
            self.write_slot(copy.vars[&v], value);
            known.insert(v, value);
        }
        for v in live.after[k].intersection(&live.uniform) {
            self.write_slot(copy.vars[&v], uniform[&v]);
        }
        for v in live.after[k].intersection(&live.derived) {
            let value = self.rematerialise(&copy.items, &mut known, v);
            self.write_slot(copy.vars[&v], value);
        }
        let Some(inst) = self.barriers.inst(k) else { return };
        let Some(result) = self.old.insts[inst].result else { return };
        let ty = self.old.ty(result);
        let value = match self.context.scans.get(&k) {
            Some(&array) => self.load_element(array, &copy.items, ty),
            None => {
                let slot = self.uniform_slot(result);
                self.read_slot(slot, ty)
            }
        };
        self.define(copy, result, value);
    }

    /// Where a slot of the kernel's is for a work-item.
    pub(super) fn slot_place(&mut self, slot: SlotId, items: &ItemLoop) -> Value {
        match self.context.slots.get(&slot) {
            Some(&array) => match self.context.block(slot) {
                Some(block) => self.first_element(array, block, items.index),
                None => self.element(array, items),
            },
            None => {
                let slot = self.stack_slot(slot);
                self.b.slot_addr(slot)
            }
        }
    }

    /// The value of an id, size or address op in the work-group function.
    fn known(&mut self, items: &ItemLoop, inst: &InstData) -> Option<Value> {
        let (group, launch) = (self.group(), self.launch());
        let values = match (inst.op, &inst.imm) {
            (Op::WorkDim, _) => return Some(launch.work_dim),
            (op, _) if op.is_sub_group_query() => {
                let n = self.sub_group.expect("the kernel has sub-groups");
                return Some(self.sub_group_query(op, n, items));
            }
            (Op::LocalAddr, Imm::LocalVar(var)) => {
                let (local, at) = (launch.local, self.locals.offsets.get(var).copied().unwrap_or(0));
                let start = self.b.ptr_off(local, at as i64);
                return Some(self.local_base(start, at as i64));
            }
            (Op::SlotAddr, &Imm::Slot(slot)) => {
                return Some(self.slot_place(slot, items));
            }
            (Op::Lid, _) => items.lid,
            (Op::Gid, _) => items.gid,
            (Op::Grp, _) => group.id,
            (Op::Lsz, _) => group.lsz,
            (Op::Elsz, _) => launch.elsz,
            (Op::Gsz, _) => launch.gsz,
            (Op::Ngrp, _) => launch.ngrp,
            (Op::Goff, _) => launch.goff,
            _ => return None,
        };
        let Imm::Dim(d) = inst.imm else { return None };
        Some(values[usize::from(d.min(2))])
    }

    /// Makes the copy of a block, still empty and without a place, and its parameters.
    fn declare_block(&mut self, copy: &mut RegionCopy, block: Block) {
        let new = self.b.func.add_block();
        copy.blocks.insert(block, new);
        if block != self.old.entry() {
            for &param in &self.old.blocks[block].params {
                copy.values.insert(param, self.b.func.add_param(new, self.old.ty(param)));
            }
        }
    }

    /// Says what a value of the kernel is in this region.
    fn define(&mut self, copy: &mut RegionCopy, old: Value, new: Value) {
        copy.values.insert(old, new);
        if let Some(&var) = copy.vars.get(&old) {
            self.write_slot(var, new);
        }
    }

    /// A use of an old value at the current place.
    fn use_value(&mut self, copy: &RegionCopy, old: Value) -> Value {
        if let Some(&var) = copy.vars.get(&old) {
            return self.read_slot(var, self.old.ty(old));
        }
        match copy.values.get(&old) {
            Some(&v) => v,
            // Only code that no work-item reaches in this region uses it.
            None => self.b.emit(Op::Undef, self.old.ty(old), &[], Imm::None),
        }
    }

    fn copy_block(&mut self, copy: &mut RegionCopy, block: Block) {
        let old = self.old;
        self.b.enter(copy.blocks[&block]);
        if block != old.entry() {
            for &param in &old.blocks[block].params {
                self.define(copy, param, copy.values[&param]);
            }
        }
        for &inst in &old.blocks[block].insts[self.barriers.skip(block)..] {
            self.copy_inst(copy, inst);
        }
        self.copy_term(copy, block);
    }

    fn copy_inst(&mut self, copy: &mut RegionCopy, inst: Inst) {
        let data = &self.old.insts[inst];
        if let Some((v, known)) = data.result.and_then(|v| Some((v, *copy.values.get(&v)?))) {
            // Rematerialised at the region's start, maybe as a part of another value and spilled itself.
            return self.define(copy, v, known);
        }
        self.b.origin = data.origin;
        let new = if is_scan(data.op) {
            let v = self.use_value(copy, data.args[0]);
            self.accumulate(inst, &[v], &copy.items);
            let slot = self.scan_result(inst);
            Some(self.read_slot(slot, self.old.ty(data.args[0])))
        } else if let Some(known) = self.known(&copy.items, data) {
            Some(known)
        } else {
            let mut args: Vec<Value> = data.args.iter().map(|&arg| self.use_value(copy, arg)).collect();
            match data.op {
                Op::Track => return self.track(&args, &copy.items),
                Op::Meet => args = self.meeting(args[0], &copy.items).into(),
                Op::SgMeet => args.extend([self.env(), copy.items.index]),
                _ => {}
            }
            if matches!(data.op, Op::IsLocal | Op::IsPrivate) {
                args.push(self.env());
            }
            let ty = data.result.map(|r| self.old.ty(r));
            self.b.push(data.op, ty, &args, self.context.imm(data), data.attr)
        };
        if let (Some(old), Some(new)) = (data.result, new) {
            self.define(copy, old, new);
        }
    }

    fn copy_term(&mut self, copy: &RegionCopy, block: Block) {
        match &self.old.blocks[block].term {
            Term::Ret(_) | Term::Unreachable => {
                if let Some(array) = self.context.alive {
                    let zero = self.b.bits(Type::I8, 0);
                    self.store_element(array, &copy.items, zero);
                }
                if let Some(place) = copy.place {
                    self.set_slot(place, apart::PLACE, apart::ENDED);
                }
                self.jump(copy.items.latch);
            }
            Term::Jump(target) if let Some(k) = self.barriers.at(target.block) => {
                self.leave_to(copy, k);
                self.jump(copy.items.latch);
            }
            other => {
                let mut term = other.clone();
                term.map_values(|v| self.use_value(copy, v));
                for target in term.targets_mut() {
                    target.block = copy.blocks[&target.block];
                }
                self.b.end(term);
            }
        }
    }

    /// A work-item reaches barrier `k`: writes what lives on, and the barrier's operands.
    fn leave_to(&mut self, copy: &RegionCopy, k: usize) {
        let live = self.live;
        // A value that the region does not define has its place already.
        let defined = |v: &Value| copy.values.contains_key(v);
        for v in live.after[k].intersection(&live.spilled).filter(defined) {
            let value = self.use_value(copy, v);
            self.spill(v, value, &copy.items);
        }
        for v in live.after[k].intersection(&live.uniform).filter(defined) {
            let value = self.use_value(copy, v);
            let slot = self.uniform_slot(v);
            self.write_slot(slot, value);
        }
        if let Some(inst) = self.barriers.inst(k) {
            self.arrive(copy, k, inst);
            let doubtful = self.doubtful.get(&k).into_iter().flatten();
            let values: Vec<Value> =
                doubtful.map(|&arg| self.use_value(copy, self.old.insts[inst].args[arg])).collect();
            self.keep_operands(k, &values, &copy.items);
        }
        if let Some(place) = copy.place {
            self.set_slot(place, apart::PLACE, k as u64);
        }
        if let Some(exit) = copy.exit {
            // All that reach a barrier reach the same one; the others bring 0.
            let k = self.b.i64(k as i64);
            self.combine(exit, Op::MaxU, Type::I64, k);
        }
    }

    /// A work-item's part in the convergent instruction of barrier `k`.
    fn arrive(&mut self, copy: &RegionCopy, k: usize, inst: Inst) {
        let data = &self.old.insts[inst];
        if let Some(&array) = self.context.operands.get(&k) {
            let value = self.use_value(copy, data.args[0]);
            return self.store_element(array, &copy.items, value);
        }
        if has_operands(data) {
            let args: Vec<Value> = data.args.iter().map(|&arg| self.use_value(copy, arg)).collect();
            self.accumulate(inst, &args, &copy.items);
        }
        if let Some(&array) = self.context.scans.get(&k) {
            let slot = self.scan_result(inst);
            let value = self.read_slot(slot, self.old.ty(data.args[0]));
            self.store_element(array, &copy.items, value);
        }
    }
}

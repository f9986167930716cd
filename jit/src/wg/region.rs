//! Regions: what each work-item runs between two cuts, as a loop over the group's work-items.

use super::Sharing;
use super::assemble::{Asm, ValueMap};
use super::cuts::{Cut, is_scan};
use super::geometry::ItemLoop;
use super::uniform::Uniformity;
use crate::ir::{Attr, Block, Func, Imm, Inst, InstData, IntPred, Op, SlotId, Target, Term, Type, Value, ValueDef};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::collections::hash_map::Entry;

/// Code growth, in instructions relative to the kernel's, from which all regions share one copy.
const GROWTH: usize = 4;
/// Growth up to this many instructions is always fine.
const SMALL: usize = 400;

/// Where a region can end.
#[derive(Clone, Debug, Default)]
pub(super) struct Exits {
    /// Cuts that are reached, in order.
    pub cuts: Vec<usize>,
    /// A return is reached.
    pub ret: bool,
}

/// How the kernel is divided.
pub(super) struct Plan {
    /// Exits of the region of each cut.
    pub exits: Vec<Exits>,
    /// Cuts that can be reached from the entry.
    pub reachable: Vec<bool>,
    /// One shared copy of the code.
    pub resume: bool,
    /// Some work-items may return while others go on.
    pub track_alive: bool,
}

impl Plan {
    /// Divides a split kernel.
    pub(super) fn new(func: &Func, cuts: &[Cut], uniformity: &Uniformity, sharing: Sharing) -> Self {
        let mut exits = Vec::new();
        let mut together = Vec::new();
        let mut insts = 0;
        for k in 0..cuts.len() {
            let blocks = blocks_of(func, cuts, &[k]);
            insts += blocks.iter().map(|&b| func.blocks[b].insts.len()).sum::<usize>();
            exits.push(exits_of(func, cuts, &blocks));
            together.push(uniformity.leaves_together(&blocks));
        }
        let mut reachable = vec![false; cuts.len()];
        let mut work = vec![0];
        while let Some(k) = work.pop() {
            if !std::mem::replace(&mut reachable[k], true) {
                work.extend(&exits[k].cuts);
            }
        }
        let base: usize = func.layout.iter().map(|&b| func.blocks[b].insts.len()).sum();
        let large = insts > base * GROWTH && insts > base + SMALL;
        let resume = cuts.len() > 1 && (large || sharing == Sharing::Resume);
        let track_alive =
            (0..cuts.len()).any(|k| reachable[k] && !together[k] && exits[k].ret && !exits[k].cuts.is_empty());
        Self { exits, reachable, resume, track_alive }
    }
}

/// Blocks that are reached from the cuts `entries` without entering a cut.
fn blocks_of(func: &Func, cuts: &[Cut], entries: &[usize]) -> Vec<Block> {
    let borders: FxHashSet<Block> = cuts[1..].iter().map(|c| c.block).collect();
    let mut order = Vec::new();
    let mut seen = FxHashSet::default();
    let mut work: Vec<Block> = entries.iter().rev().map(|&k| cuts[k].block).collect();
    while let Some(block) = work.pop() {
        if seen.insert(block) {
            order.push(block);
            work.extend(
                func.blocks[block].term.targets().iter().rev().map(|t| t.block).filter(|b| !borders.contains(b)),
            );
        }
    }
    order
}

fn exits_of(func: &Func, cuts: &[Cut], blocks: &[Block]) -> Exits {
    let mut exits = Exits::default();
    for &block in blocks {
        let term = &func.blocks[block].term;
        exits.ret |= matches!(term, Term::Ret(_) | Term::Unreachable);
        for target in term.targets() {
            exits.cuts.extend((1..cuts.len()).filter(|&k| cuts[k].block == target.block));
        }
    }
    exits.cuts.sort_unstable();
    exits.cuts.dedup();
    exits
}

/// One region being copied.
struct Copy {
    blocks: FxHashMap<Block, Block>,
    values: ValueMap,
    /// Values that live on beyond cuts as variables: saved, the group's, and what is made of these.
    vars: FxHashMap<Value, SlotId>,
    items: ItemLoop,
    /// Receives the number of the cut that a work-item reaches.
    exit: Option<SlotId>,
}

impl Asm<'_> {
    /// Emits the loop over work-items for the region that begins at the cuts `entries`; with several, `pc` says which.
    pub(super) fn region(&mut self, entries: &[usize], pc: Option<Value>, exit: Option<SlotId>, plan: &Plan) {
        self.slots.clear();
        let old = self.old;
        let blocks = blocks_of(old, self.cuts, entries);
        for inst in self.gathered(&blocks) {
            self.open_gather(inst);
        }
        // Before any work-item writes what the next region shall find.
        let shared = self.read_group(entries);
        let once = !plan.resume && !plan.track_alive && self.is_same_for_all(entries[0], &blocks);
        let items = if once { self.no_items() } else { self.open_items() };
        let mut copy =
            Copy { blocks: FxHashMap::default(), values: ValueMap::new(old), vars: FxHashMap::default(), items, exit };
        self.bind_params(&mut copy);
        self.rematerialise(&mut copy, entries);
        self.make_vars(&mut copy, entries, &blocks);
        let body_start = self.block;
        // Blocks, parameters and results first: uses may come before definitions in this order.
        for &block in &blocks {
            let new = self.new.add_block();
            copy.blocks.insert(block, new);
            if block != old.entry() {
                for &param in &old.blocks[block].params {
                    let v = self.new.add_param(new, old.ty(param));
                    copy.values.set(param, v);
                }
            }
        }
        self.block = body_start;
        let starts: Vec<Block> = entries.iter().map(|_| self.new.add_block()).collect();
        match pc {
            Some(value) => {
                let cases = entries.iter().zip(&starts).skip(1).map(|(&k, &b)| (k as u64, Target::plain(b))).collect();
                self.end(Term::Switch { value, cases, default: Target::plain(starts[0]) });
            }
            None => self.jump(starts[0]),
        }
        for (&k, &start) in entries.iter().zip(&starts) {
            self.enter(start);
            self.enter_cut(&mut copy, k, &shared);
            let first = copy.blocks[&self.cuts[k].block];
            self.jump(first);
        }
        // Results need places before operands are mapped.
        let mut made = FxHashMap::default();
        for &block in &blocks {
            for &inst in &self.body(block)[..] {
                if let Some(v) = self.copy_result(&mut copy, inst) {
                    made.insert(inst, v);
                }
            }
        }
        for &block in &blocks {
            self.copy_block(&copy, block, &made, plan);
        }
        self.close_items(&copy.items);
    }

    /// A block's instructions without the one that cuts there.
    fn body(&self, block: Block) -> Vec<Inst> {
        let skip = usize::from(self.cut_at(block).is_some_and(|k| self.cuts[k].inst.is_some()));
        self.old.blocks[block].insts[skip..].to_vec()
    }

    /// True if the region of cut `k` does nothing but compute the same values for every work-item: it runs once.
    fn is_same_for_all(&self, k: usize, blocks: &[Block]) -> bool {
        let varies = |v: Value| self.uniformity.varying.contains(v);
        let result = self.cuts[k].inst.and_then(|inst| self.old.insts[inst].result);
        let quiet = |inst: Inst| {
            let data = &self.old.insts[inst];
            (data.op.is_pure() || data.op == Op::Load) && data.result.is_some_and(|v| !varies(v))
        };
        let condition = |block: Block| match self.old.blocks[block].term {
            Term::Br { cond: v, .. } | Term::Switch { value: v, .. } => !varies(v),
            _ => true,
        };
        let entry = self.old.entry();
        self.gathered(blocks).is_empty()
            && !result.is_some_and(varies)
            && blocks.iter().all(|&block| {
                let params = &self.old.blocks[block].params;
                condition(block)
                    && self.body(block).into_iter().all(quiet)
                    && (block == entry || !params.iter().any(|&v| varies(v)))
            })
    }

    /// A branch that the group takes together goes to the handlers of the ways on.
    pub(super) fn group_branch(&mut self, k: usize, handlers: &[Block]) {
        let old = self.old;
        let Term::Br { cond, then, els } = &old.blocks[self.cuts[k].block].term else {
            unreachable!("cuts of this kind")
        };
        let cond = if self.live.group.contains(*cond) {
            let slot = self.group_slot(*cond);
            self.read_slot(slot, Type::I1)
        } else {
            let items = self.no_items();
            let mut copy = Copy {
                blocks: FxHashMap::default(),
                values: ValueMap::new(old),
                vars: FxHashMap::default(),
                items,
                exit: None,
            };
            self.bind_params(&mut copy);
            self.recompute(&mut copy, *cond)
        };
        let [then, els] = [then, els].map(|t| handlers[self.cut_at(t.block).expect("both ways are cuts")]);
        self.branch(cond, then, els);
    }

    /// Instructions for which a region with these blocks gathers operands: those of the cuts behind it, and scans within.
    fn gathered(&self, blocks: &[Block]) -> Vec<Inst> {
        let mut found = Vec::new();
        for &block in blocks {
            found.extend(self.body(block).into_iter().filter(|&i| is_scan(self.old.insts[i].op)));
            for target in self.old.blocks[block].term.targets() {
                found.extend(self.cut_at(target.block).and_then(|k| self.cuts[k].inst));
            }
        }
        found.retain(|&i| self.old.insts[i].op != Op::Barrier);
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The group's values that live across the cuts `entries`.
    fn read_group(&mut self, entries: &[usize]) -> FxHashMap<Value, Value> {
        let mut values = FxHashMap::default();
        for &k in entries {
            let live: Vec<Value> = self.live.after[k].iter().filter(|v| self.live.group.contains(*v)).collect();
            for v in live {
                if let Entry::Vacant(e) = values.entry(v) {
                    let slot = self.group_slot(v);
                    e.insert(self.read_slot(slot, self.old.ty(v)));
                }
            }
        }
        values
    }

    /// Where a value of the group's is kept from region to region.
    fn group_slot(&mut self, v: Value) -> SlotId {
        if let Some(&slot) = self.shared.get(&v) {
            return slot;
        }
        let slot = self.slot_for(self.old.ty(v));
        self.shared.insert(v, slot);
        slot
    }

    fn bind_params(&mut self, copy: &mut Copy) {
        let old = self.old;
        for (i, &param) in old.blocks[old.entry()].params.iter().enumerate() {
            copy.values.set(param, self.launch().params[i]);
        }
    }

    /// Computes cheap values again that were made before the region.
    fn rematerialise(&mut self, copy: &mut Copy, entries: &[usize]) {
        for &k in entries {
            let live: Vec<Value> = self.live.after[k].iter().filter(|&v| self.live.remat.contains(v)).collect();
            for v in live {
                self.recompute(copy, v);
            }
        }
    }

    fn recompute(&mut self, copy: &mut Copy, v: Value) -> Value {
        if let Some(v) = copy.values.get(v) {
            return v;
        }
        let ValueDef::Inst(inst) = self.old.values[v].def else { unreachable!("kernel parameters are bound") };
        let data = self.old.insts[inst].clone();
        let new = match self.known(&copy.items, &data) {
            Some(new) => new,
            None => {
                let args: Vec<Value> = data.args.iter().map(|&arg| self.recompute(copy, arg)).collect();
                self.emit_attr(data.op, self.old.ty(v), &args, data.imm.clone(), data.attr)
            }
        };
        copy.values.set(v, new);
        new
    }

    /// Computes a value again that was made before the region, from the group's values.
    fn derive(&mut self, copy: &Copy, v: Value, shared: &FxHashMap<Value, Value>) -> Value {
        if let Some(&v) = shared.get(&v) {
            return v;
        }
        let ValueDef::Inst(inst) = self.old.values[v].def else {
            return copy.values.get(v).expect("kernel parameters are bound");
        };
        let data = self.old.insts[inst].clone();
        if let Some(v) = self.known(&copy.items, &data) {
            return v;
        }
        let args: Vec<Value> = data.args.iter().map(|&arg| self.derive(copy, arg, shared)).collect();
        self.emit_attr(data.op, self.old.ty(v), &args, data.imm, data.attr)
    }

    /// Makes variables of the values that live on beyond cuts and that the region reads or writes.
    fn make_vars(&mut self, copy: &mut Copy, entries: &[usize], blocks: &[Block]) {
        let mut wanted: Vec<Value> = entries.iter().flat_map(|&k| self.live.after[k].iter()).collect();
        for &block in blocks {
            wanted.extend(&self.old.blocks[block].params);
            wanted.extend(self.old.blocks[block].insts.iter().filter_map(|&i| self.old.insts[i].result));
        }
        for v in wanted {
            let lives_on = [&self.live.saved, &self.live.group, &self.live.derived].iter().any(|set| set.contains(v));
            if lives_on && !copy.vars.contains_key(&v) {
                let slot = self.slot_for(self.old.ty(v));
                copy.vars.insert(v, slot);
            }
        }
    }

    /// A value out of the work-item's record.
    fn saved(&mut self, v: Value, items: &ItemLoop) -> Value {
        let (ty, columns) = (self.old.ty(v), self.record.saved[&v].clone());
        let part = if columns.len() == 1 { ty } else { ty.lane() };
        let parts: SmallVec<[Value; 3]> = columns
            .into_iter()
            .map(|column| {
                let ptr = self.kept(column, items);
                self.load(ptr, part)
            })
            .collect();
        if let [whole] = parts[..] { whole } else { self.emit(Op::Build, ty, &parts, Imm::None) }
    }

    /// Writes what a value is to the work-item's record.
    fn save(&mut self, v: Value, value: Value, items: &ItemLoop) {
        let (ty, columns) = (self.old.ty(v), self.record.saved[&v].clone());
        let whole = columns.len() == 1;
        for (i, column) in columns.into_iter().enumerate() {
            let part = if whole { value } else { self.emit(Op::Extract, ty.lane(), &[value], Imm::Lane(i as u8)) };
            let ptr = self.kept(column, items);
            self.store(ptr, part);
        }
    }

    /// What a work-item does first in the region of cut `k`: reads its record and the group's values.
    fn enter_cut(&mut self, copy: &mut Copy, k: usize, shared: &FxHashMap<Value, Value>) {
        if let Some(column) = self.record.alive {
            let ptr = self.kept(column, &copy.items);
            let one = self.bits(Type::I8, 1);
            if k == 0 {
                self.store(ptr, one);
            } else {
                let alive = self.emit(Op::Load, Type::I8, &[ptr], Imm::None);
                let zero = self.bits(Type::I8, 0);
                let go = self.icmp(IntPred::Ne, alive, zero);
                let next = self.new.add_block();
                self.branch(go, next, copy.items.latch);
                self.enter(next);
            }
        }
        let live: Vec<Value> = self.live.after[k].iter().filter(|v| self.live.saved.contains(*v)).collect();
        for v in live {
            let value = self.saved(v, &copy.items);
            self.write_slot(copy.vars[&v], value);
        }
        for v in self.live.after[k].iter().filter(|v| self.live.group.contains(*v)) {
            self.write_slot(copy.vars[&v], shared[&v]);
        }
        for v in self.live.after[k].iter().filter(|v| self.live.derived.contains(*v)) {
            let value = self.derive(copy, v, shared);
            self.write_slot(copy.vars[&v], value);
        }
        let Some(inst) = self.cuts[k].inst else { return };
        let Some(result) = self.old.insts[inst].result else { return };
        let ty = self.old.ty(result);
        let value = if is_scan(self.old.insts[inst].op) {
            let ptr = self.kept(self.record.results[&k], &copy.items);
            self.load(ptr, ty)
        } else {
            let slot = self.result_slot(k);
            self.read_slot(slot, ty)
        };
        copy.values.set(result, value);
        if let Some(&var) = copy.vars.get(&result) {
            self.write_slot(var, value);
        }
    }

    /// The group-wide result of cut `k`.
    pub(super) fn result_slot(&mut self, k: usize) -> SlotId {
        if let Some(&slot) = self.results.get(&k) {
            return slot;
        }
        let inst = self.cuts[k].inst.expect("not the entry");
        let result = self.old.insts[inst].result.expect("a collective has a result");
        let slot = self.slot_for(self.old.ty(result));
        self.results.insert(k, slot);
        slot
    }

    /// The value of an id, size or address op in the work-group function.
    fn known(&mut self, items: &ItemLoop, inst: &InstData) -> Option<Value> {
        let group = self.group();
        let launch = self.launch();
        let pick = |values: [Value; 3]| match inst.imm {
            Imm::Dim(d) => Some(values[usize::from(d.min(2))]),
            _ => None,
        };
        match inst.op {
            Op::Lid => pick(items.lid),
            Op::Gid => pick(items.gid),
            Op::Grp => pick(group.id),
            Op::Lsz => pick(group.lsz),
            Op::Elsz => pick(launch.elsz),
            Op::Gsz => pick(launch.gsz),
            Op::Ngrp => pick(launch.ngrp),
            Op::Goff => pick(launch.goff),
            Op::WorkDim => Some(launch.work_dim),
            Op::LocalAddr => {
                let local = launch.local;
                let Imm::LocalVar(var) = inst.imm else { return None };
                let at = self.locals.offsets.get(&var).copied().unwrap_or(0);
                Some(self.ptr_off(local, at as i64))
            }
            Op::SlotAddr => {
                let Imm::Slot(slot) = inst.imm else { return None };
                Some(match self.record.slots.get(&slot) {
                    Some(&column) => self.kept(column, items),
                    None => {
                        let slot = self.stack_slot(slot);
                        self.slot_addr(slot)
                    }
                })
            }
            _ => None,
        }
    }

    /// Makes the copy of an instruction, not yet placed and with its old operands; `None` if its value is known otherwise.
    fn copy_result(&mut self, copy: &mut Copy, inst: Inst) -> Option<Inst> {
        let data = &self.old.insts[inst];
        let is_address = matches!(data.op, Op::SlotAddr | Op::LocalAddr);
        let is_query = matches!(
            data.op,
            Op::Lid | Op::Gid | Op::Grp | Op::Lsz | Op::Elsz | Op::Gsz | Op::Ngrp | Op::Goff | Op::WorkDim
        );
        if let Some(result) = data.result {
            if is_query {
                let v = self.known(&copy.items, data)?;
                copy.values.set(result, v);
                return None;
            }
            if copy.values.get(result).is_some() {
                // Computed at the region's start already.
                return None;
            }
        }
        let (op, args, imm, attr, span) = (data.op, data.args.clone(), data.imm.clone(), data.attr, data.span);
        let ty = data.result.map(|r| self.old.ty(r));
        let new = if is_scan(data.op) {
            self.scan_inst(data)?
        } else if is_address {
            // The address op becomes an offset from a base that every work-item has.
            self.address_inst(copy, data)?
        } else {
            self.new.make_inst(op, ty, &args, imm, attr, span)
        };
        if let (Some(old), Some(result)) = (data.result, self.new.insts[new].result) {
            copy.values.set(old, result);
        }
        Some(new)
    }

    /// A scan as one instruction: it reads, or tests, the variable to which the scan's code in front of it writes.
    fn scan_inst(&mut self, data: &InstData) -> Option<Inst> {
        let ty = self.old.ty(data.result?);
        let (op, imm) = match ty {
            Type::I1 => (Op::Icmp, Imm::IntPred(IntPred::Ne)),
            _ => (Op::Load, Imm::None),
        };
        Some(self.new.make_inst(op, Some(ty), &[], imm, Attr::default(), data.span))
    }

    /// `SlotAddr` and `LocalAddr` as one instruction whose operands are new values already.
    fn address_inst(&mut self, copy: &mut Copy, data: &InstData) -> Option<Inst> {
        let ty = self.old.ty(data.result?);
        let (base, at) = match data.imm {
            Imm::LocalVar(var) => (self.launch().local, self.locals.offsets.get(&var).copied().unwrap_or(0)),
            Imm::Slot(slot) => match self.record.slots.get(&slot) {
                Some(&column) => {
                    let (args, imm) = self.element(column, &copy.items);
                    return Some(self.new.make_inst(Op::PtrAdd, Some(ty), &args, imm, Attr::default(), data.span));
                }
                None => {
                    let imm = Imm::Slot(self.stack_slot(slot));
                    return Some(self.new.make_inst(Op::SlotAddr, Some(ty), &[], imm, Attr::default(), data.span));
                }
            },
            _ => return None,
        };
        Some(self.new.make_inst(Op::PtrOff, Some(ty), &[base], Imm::Disp(at as i64), Attr::default(), data.span))
    }

    /// A use of an old value at the current place.
    fn use_value(&mut self, copy: &Copy, old: Value) -> Value {
        if let Some(&var) = copy.vars.get(&old) {
            return self.read_slot(var, self.old.ty(old));
        }
        match copy.values.get(old) {
            Some(v) => v,
            // Only code that no work-item reaches in this region uses it.
            None => self.emit(Op::Undef, self.old.ty(old), &[], Imm::None),
        }
    }

    fn copy_block(&mut self, copy: &Copy, block: Block, made: &FxHashMap<Inst, Inst>, plan: &Plan) {
        let old = self.old;
        self.enter(copy.blocks[&block]);
        if block != old.entry() {
            for &param in &old.blocks[block].params {
                if let (Some(&var), Some(v)) = (copy.vars.get(&param), copy.values.get(param)) {
                    self.write_slot(var, v);
                }
            }
        }
        for inst in self.body(block) {
            let Some(&new) = made.get(&inst) else {
                if let Some(result) = old.insts[inst].result
                    && let (Some(&var), Some(v)) = (copy.vars.get(&result), copy.values.get(result))
                {
                    self.write_slot(var, v);
                }
                continue;
            };
            self.span = old.insts[inst].span;
            if is_scan(old.insts[inst].op) {
                let v = self.use_value(copy, old.insts[inst].args[0]);
                self.gather(inst, &[v], &copy.items);
                let ptr = self.scan_result(inst);
                let ptr = self.slot_addr(ptr);
                self.new.insts[new].args = match self.new.insts[new].op {
                    Op::Load => [ptr].into_iter().collect(),
                    _ => {
                        let v = self.emit(Op::Load, Type::I8, &[ptr], Imm::None);
                        let zero = self.bits(Type::I8, 0);
                        [v, zero].into_iter().collect()
                    }
                };
            } else if !matches!(old.insts[inst].op, Op::SlotAddr | Op::LocalAddr) {
                for i in 0..old.insts[inst].args.len() {
                    let v = self.use_value(copy, old.insts[inst].args[i]);
                    self.new.insts[new].args[i] = v;
                }
            }
            if matches!(old.insts[inst].op, Op::IsLocal | Op::IsPrivate) {
                let env = self.env();
                self.new.insts[new].args.push(env);
            }
            self.new.blocks[self.block].insts.push(new);
            if let (Some(result), Some(v)) = (old.insts[inst].result, self.new.insts[new].result)
                && let Some(&var) = copy.vars.get(&result)
            {
                self.write_slot(var, v);
            }
        }
        self.copy_term(copy, block, plan);
    }

    fn copy_term(&mut self, copy: &Copy, block: Block, plan: &Plan) {
        let old = self.old;
        match &old.blocks[block].term {
            Term::Ret(_) | Term::Unreachable => {
                if let (Some(column), true) = (self.record.alive, plan.track_alive) {
                    let ptr = self.kept(column, &copy.items);
                    let zero = self.bits(Type::I8, 0);
                    self.store(ptr, zero);
                }
                self.jump(copy.items.latch);
            }
            Term::Jump(target) if self.cut_at(target.block).is_some() => {
                let k = self.cut_at(target.block).expect("checked");
                self.leave_to(copy, k);
                self.jump(copy.items.latch);
            }
            other => {
                let mut term = other.clone();
                term.map_values(|v| self.use_value(copy, v));
                for target in term.targets_mut() {
                    target.block = copy.blocks[&target.block];
                }
                self.end(term);
            }
        }
    }

    fn cut_at(&self, block: Block) -> Option<usize> {
        (1..self.cuts.len()).find(|&k| self.cuts[k].block == block)
    }

    /// A work-item reaches cut `k`: writes what lives on, and the operands of the cut.
    fn leave_to(&mut self, copy: &Copy, k: usize) {
        let live: Vec<Value> = self.live.after[k].iter().filter(|v| self.live.saved.contains(*v)).collect();
        for v in live {
            // A value that the region does not define is in the record already.
            let defined = copy.values.get(v).is_some();
            if defined {
                let value = self.use_value(copy, v);
                self.save(v, value, &copy.items);
            }
        }
        let shared: Vec<Value> = self.live.after[k].iter().filter(|v| self.live.group.contains(*v)).collect();
        for v in shared {
            if copy.values.get(v).is_some() {
                let value = self.use_value(copy, v);
                let slot = self.group_slot(v);
                self.write_slot(slot, value);
            }
        }
        if let Some(inst) = self.cuts[k].inst {
            self.arrive(copy, k, inst);
        }
        if let Some(exit) = copy.exit {
            // All that reach a cut reach the same one; the others bring 0.
            let k = self.i64(k as i64);
            let old = self.read_slot(exit, Type::I64);
            let k = self.same(Op::MaxU, &[old, k]);
            self.write_slot(exit, k);
        }
    }

    /// A work-item's part in the convergent instruction of cut `k`.
    fn arrive(&mut self, copy: &Copy, k: usize, inst: Inst) {
        if self.old.insts[inst].op != Op::Barrier {
            let args = self.old.insts[inst].args.clone();
            let args: Vec<Value> = args.iter().map(|&arg| self.use_value(copy, arg)).collect();
            self.gather(inst, &args, &copy.items);
        }
        if let Some(&column) = self.record.results.get(&k) {
            let slot = self.scan_result(inst);
            let ty = self.old.ty(self.old.insts[inst].args[0]);
            let value = self.read_slot(slot, ty);
            let ptr = self.kept(column, &copy.items);
            self.store(ptr, value);
        }
    }
}

//! Writes the vector loop: W work-items per turn, then the scalar loop for those that are left, unless masks are for
//! them (`epilogue`).
//!
//! A uniform or affine value is one scalar, lane 0's; a varying one is a vector per component. Pointers that vary are
//! vectors of 64-bit addresses. What meets at joins, and masks, are variables in slots: an edge assigns them under its
//! mask. `inst` has what becomes of each instruction.

use super::Accesses;
use super::Config;
use super::epilogue::Vectors;
use super::linearise::{self, Hop, MaskOf, Plan};
use super::recurrence::Chain;
use super::shape::{Facts, Shape, Shapes};
use crate::ir::Origin;
use crate::ir::entity::Entity;
use crate::ir::{Block, Func, Imm, IntPred, Op, Scalar, SlotId, Target, Term, Type, Value, ValueDef};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// The vectors of a varying value, one per component.
pub(super) type Lanes = SmallVec<[Value; 1]>;

/// State of one item loop.
pub(super) struct Widen<'a> {
    pub func: &'a mut Func,
    pub facts: &'a Facts,
    pub shapes: &'a Shapes<'a>,
    pub width: u8,
    /// Where instructions go.
    pub block: Block,
    /// Lanes that are active there; none for all.
    pub mask: Option<Value>,
    /// Lanes that have a work-item, and their number; none if all have.
    pub whole: Option<Value>,
    pub left: Option<Value>,
    pub origin: Origin,
    /// The block of the scalar loop that is being written.
    pub home: Block,
    plan: Plan,
    scalars: FxHashMap<Value, Value>,
    vectors: FxHashMap<Value, Lanes>,
    masks: FxHashMap<Block, Option<Value>>,
    mask_vars: FxHashMap<Block, SlotId>,
    vars: FxHashMap<Value, SmallVec<[SlotId; 1]>>,
    /// Values of divergent loops for users behind them.
    outs: FxHashMap<Value, SmallVec<[SlotId; 1]>>,
    /// Those of them that are parameters of the loop, which lanes that have left it keep.
    frozen: FxHashSet<Value>,
    /// The state of the chain of a header parameter: see `recurrence_code`.
    pub chains: FxHashMap<usize, SlotId>,
    /// Vectors of uniform and affine values, by the block that made them.
    spread: FxHashMap<(Value, Block), Value>,
    /// Joins whose variables begin at a block.
    begins: FxHashMap<Block, Vec<Block>>,
    entries: FxHashMap<Block, Block>,
    bodies: FxHashMap<Block, Block>,
    ends: FxHashMap<usize, Block>,
    /// Blocks that some edge has assigned to.
    reached: FxHashSet<Block>,
    /// Vectors in the order of memory.
    pub records: FxHashSet<Value>,
    /// Vectors are sub-groups: the first work-item of each is a multiple of the width.
    pub sub_groups: bool,
    /// Where debuggers find which lanes are active.
    pub active: Option<SlotId>,
    /// Interleaved groups may need masked accesses.
    pub takes_masks: bool,
    pub counts: Accesses,
}

/// Rewrites the loop; returns what it accesses.
pub(super) fn widen(func: &mut Func, shapes: &Shapes, width: u8, vectors: Vectors, config: Config) -> Accesses {
    let (facts, items) = (shapes.facts, &shapes.facts.items);
    let plan = linearise::plan(func, shapes, config.target.accesses_under_masks(32));
    super::memory::spread_slots(func, items, width);
    let active = super::variables::slot_of_active(func, items, width);
    let first_new = func.blocks.len() as u32;
    let records = super::packed_records::find(func, shapes);
    let mut cx = Widen {
        block: items.before,
        home: items.header,
        func,
        facts,
        shapes,
        width,
        mask: None,
        whole: None,
        left: None,
        origin: Origin::UNKNOWN,
        begins: super::begins::begins(facts, &plan.order),
        plan,
        scalars: FxHashMap::default(),
        vectors: FxHashMap::default(),
        masks: FxHashMap::default(),
        mask_vars: FxHashMap::default(),
        vars: FxHashMap::default(),
        outs: FxHashMap::default(),
        frozen: FxHashSet::default(),
        chains: FxHashMap::default(),
        spread: FxHashMap::default(),
        entries: FxHashMap::default(),
        bodies: FxHashMap::default(),
        ends: FxHashMap::default(),
        reached: FxHashSet::default(),
        records,
        sub_groups: config.sub_groups,
        active,
        takes_masks: super::interleave::takes_masks(config),
        counts: Accesses::default(),
    };
    cx.run(vectors);
    let counts = std::mem::take(&mut cx.counts);
    super::ssa_repair::dominate(func, first_new);
    counts
}

impl Widen<'_> {
    fn run(&mut self, vectors: Vectors) {
        let items = &self.facts.items;
        let header = items.header;
        self.find_outs();
        let Term::Jump(entry) = self.func.blocks[items.before].term.clone() else { unreachable!("a preheader jumps") };
        let params = self.func.blocks[header].params.clone();
        for (i, (&param, &value)) in params.iter().zip(&entry.args).enumerate() {
            if let Some(chain) = self.shapes.carried.chain(i) {
                self.open_chain(i, chain, value);
                continue;
            }
            let slot = self.slot(self.func.ty(param));
            self.vars.insert(param, [slot].into_iter().collect());
            self.write(slot, value);
        }
        let top = self.func.add_block();
        self.func.blocks[top].vectors = vectors == Vectors::Full;
        let mut end = items.bound;
        if vectors != Vectors::Full {
            self.end(Term::Jump(Target::plain(top)));
        } else {
            // How far whole vectors go.
            let start = entry.args[items.count];
            let trips = self.emit(Op::Sub, Type::I64, &[end, start], Imm::None);
            let whole = self.op_bits(Op::And, trips, -i64::from(self.width) as u64);
            end = self.op(Op::Add, &[start, whole]);
            let any = self.icmp_bits(IntPred::Ne, whole, 0);
            self.end(Term::Br { cond: any, then: Target::plain(top), els: entry });
        }
        // One vector.
        self.enter(top, header);
        for (i, &param) in params.iter().enumerate() {
            if self.shapes.carried.chain(i).is_none() {
                let slot = self.vars[&param][0];
                let value = self.read(slot, self.func.ty(param));
                self.scalars.insert(param, value);
            }
        }
        if vectors != Vectors::Full {
            self.open_mask(self.scalars[&params[items.count]], items.bound, vectors);
        }
        for &block in &self.plan.order.clone() {
            let entry = self.func.add_block();
            self.entries.insert(block, entry);
            let body = if self.plan.guards.contains_key(&block) { self.func.add_block() } else { entry };
            self.bodies.insert(block, body);
            if self.plan.masks.get(&block) == Some(&MaskOf::Edges) {
                let slot = self.slot(self.mask_type());
                self.mask_vars.insert(block, slot);
                let none = self.constant(self.mask_type(), 0);
                self.write(slot, none);
            }
        }
        let first = self.entries[&header];
        self.end(Term::Jump(Target::plain(first)));
        for block in self.plan.order.clone() {
            self.write_block(block);
        }
        self.write_ends();
        self.close((vectors != Vectors::One).then_some(top), end, &params);
    }

    /// Advances to the next vector, if there may be one, and goes to the scalar loop or behind it.
    fn close(&mut self, top: Option<Block>, end: Value, params: &[Value]) {
        let items = &self.facts.items;
        let latch = self.func.blocks[items.latch].term.clone();
        let back = latch.targets().into_iter().find(|t| t.block == items.header).expect("a loop").clone();
        let out = latch.targets().into_iter().find(|t| t.block == items.exit).expect("a loop ends").clone();
        self.home = items.latch;
        let mut next: Vec<Option<Value>> = Vec::new();
        for (i, &param) in params.iter().enumerate() {
            let value = match self.shapes.carried.step(i) {
                Some(step) => self.advance(self.scalars[&param], step.wrapping_mul(i64::from(self.width))),
                None if self.shapes.carried.is_constant(i) => self.scalars[&param],
                None => {
                    next.push(None);
                    continue;
                }
            };
            let slot = self.vars[&param][0];
            self.write(slot, value);
            next.push(Some(value));
        }
        let count = next[items.count].expect("a counter");
        let [done, last] = [self.func.add_block(), self.func.add_block()];
        let mut term = Term::Jump(Target::plain(done));
        if let Some(top) = top {
            let more = self.icmp(IntPred::ULt, count, end);
            term = Term::Br { cond: more, then: Target::plain(top), els: Target::plain(done) };
        }
        self.end(term);
        self.enter(done, items.latch);
        self.mask = None;
        let next: Vec<Value> = next
            .into_iter()
            .enumerate()
            .map(|(i, value)| match self.shapes.carried.chain(i) {
                Some(chain) => self.close_chain(i, chain, self.func.ty(params[i])),
                None => value.expect("no chain"),
            })
            .collect();
        if self.whole.is_some() {
            self.end(Term::Jump(Target::plain(last)));
        } else {
            let all = self.icmp(IntPred::Eq, end, items.bound);
            let rest = Target { block: back.block, args: next.iter().copied().collect() };
            self.end(Term::Br { cond: all, then: Target::plain(last), els: rest });
        }
        self.enter(last, items.latch);
        let args = out
            .args
            .iter()
            .map(|&v| match self.shapes.carried.hidden(v) {
                Some(number) => next[number],
                None if self.whole.is_some() => self.one_of_last(v),
                None => self.one_of(v, self.width - 1),
            })
            .collect();
        self.end(Term::Jump(Target { block: items.exit, args }));
    }

    /// A value as the work-item in one lane has it.
    pub(super) fn one_of(&mut self, v: Value, lane: u8) -> Value {
        match self.shape(v) {
            Shape::Affine(stride) => {
                let first = self.scalar(v);
                self.advance(first, stride.wrapping_mul(i64::from(lane)))
            }
            Shape::Varying => {
                let lanes = self.vector(v);
                let extract = |&x: &Value| self.emit(Op::Extract, self.func.ty(x).lane(), &[x], Imm::Lane(lane));
                let parts: Lanes = lanes.iter().map(extract).collect();
                self.put_together(self.func.ty(v), &parts)
            }
            _ => self.scalar(v),
        }
    }

    /// A value as the last lane of a mask has it.
    pub(super) fn one_of_last_in(&mut self, v: Value, mask: Option<Value>) -> Value {
        let Some(mask) = mask else { return self.one_of(v, self.width - 1) };
        if self.shape(v) == Shape::Uniform {
            return self.scalar(v);
        }
        if Some(mask) == self.whole {
            return self.one_of_last(v);
        }
        let bits = self.emit(Op::MaskBits, Type::I64, &[mask], Imm::None);
        let above = self.op(Op::Clz, &[bits]);
        let above = self.convert(Op::Trunci, Type::I32, above);
        let top = self.constant(Type::I32, 63);
        let last = self.op(Op::Sub, &[top, above]);
        self.one_of_lane(v, last)
    }

    /// A value as the last work-item of a vector that need not be full has it.
    fn one_of_last(&mut self, v: Value) -> Value {
        let left = self.left.expect("known of vectors under masks");
        let last = self.op_bits(Op::Sub, left, 1);
        self.one_of_lane(v, last)
    }

    /// A value as the lane has it whose number (i32) this is.
    fn one_of_lane(&mut self, v: Value, last: Value) -> Value {
        match self.shape(v) {
            Shape::Affine(stride) => {
                let (first, base) = (self.scalar(v), self.scalar(v));
                let ty = self.func.ty(first);
                let wide = if ty == Type::I32 { last } else { self.convert(Op::Sext, Type::I64, last) };
                if ty.is_ptr() {
                    let imm = Imm::Scale { scale: 1, disp: 0 };
                    let by = self.op_bits(Op::Mul, wide, stride as u64);
                    return self.emit(Op::PtrAdd, ty, &[base, by], imm);
                }
                let by = self.op_bits(Op::Mul, wide, stride as u64);
                self.op(Op::Add, &[first, by])
            }
            Shape::Varying => {
                let lanes = self.vector(v);
                let parts: Lanes = lanes.iter().map(|&x| self.lane_at(x, last)).collect();
                self.put_together(self.func.ty(v), &parts)
            }
            _ => self.scalar(v),
        }
    }

    /// The lane of a vector that a number (i32) says, modulo the width.
    pub(super) fn lane_at(&mut self, v: Value, lane: Value) -> Value {
        let ty = self.func.ty(v);
        if let Some(lane) = self.func.const_bits(lane) {
            let lane = lane as u8 & (self.width - 1);
            return self.emit(Op::Extract, ty.lane(), &[v], Imm::Lane(lane));
        }
        let splat = self.splat(lane);
        let picked = self.permute(v, splat);
        self.emit(Op::Extract, ty.lane(), &[picked], Imm::Lane(0))
    }

    /// Lanes of a vector by their numbers (i32), modulo the width.
    pub(super) fn permute(&mut self, v: Value, lanes: Value) -> Value {
        let ty = self.func.ty(v);
        if ty.elem == Scalar::I1 {
            let bytes = self.emit(Op::Zext, ty.with_elem(Scalar::I8), &[v], Imm::None);
            let picked = self.permute(bytes, lanes);
            return self.icmp_bits(IntPred::Ne, picked, 0);
        }
        let to = ty.with_elem(ty.elem.as_int());
        let lanes = match ty.elem.bits() {
            32 => lanes,
            64 => self.emit(Op::Zext, to, &[lanes], Imm::None),
            _ => self.emit(Op::Trunci, to, &[lanes], Imm::None),
        };
        self.emit(Op::Permute, ty, &[v, v, lanes], Imm::None)
    }

    /// A value of a type, from what each of its vectors has of it.
    pub(super) fn put_together(&mut self, ty: Type, parts: &[Value]) -> Value {
        match ty {
            ty if ty.is_vector() => self.emit(Op::Build, ty, parts, Imm::None),
            ty if ty.is_ptr() => self.emit(Op::IntToPtr, ty, parts, Imm::None),
            _ => parts[0],
        }
    }

    /// The inverse of `put_together`.
    pub(super) fn take_apart(&mut self, v: Value) -> Lanes {
        match self.func.ty(v) {
            ty if ty.is_vector() => {
                (0..ty.lanes).map(|i| self.emit(Op::Extract, ty.lane(), &[v], Imm::Lane(i))).collect()
            }
            ty if ty.is_ptr() => [self.convert(Op::PtrToInt, Type::I64, v)].into_iter().collect(),
            _ => [v].into_iter().collect(),
        }
    }

    // ---- control flow

    fn write_block(&mut self, block: Block) {
        let items = &self.facts.items;
        let [entry, body] = [self.entries[&block], self.bodies[&block]];
        self.enter(entry, block);
        let joins = self.begins.remove(&block).unwrap_or_default();
        self.begin_variables(&joins);
        let mask = match self.plan.masks[&block] {
            MaskOf::All => self.whole,
            MaskOf::Same(other) => self.masks[&other],
            MaskOf::Edges => {
                let slot = self.mask_vars[&block];
                if let Some(&hop) = self.plan.guards.get(&block) {
                    let mask = self.read(slot, self.mask_type());
                    let any = self.emit(Op::MaskAny, Type::I1, &[mask], Imm::None);
                    let els = Target::plain(self.hop(hop));
                    self.end(Term::Br { cond: any, then: Target::plain(body), els });
                    self.enter(body, block);
                }
                let mask = self.read(slot, self.mask_type());
                let none = self.constant(self.mask_type(), 0);
                self.write(slot, none);
                Some(mask)
            }
        };
        self.masks.insert(block, mask);
        self.mask = mask;
        self.tell_of_lanes();
        if block != items.header {
            for param in self.func.blocks[block].params.clone() {
                self.read_param(param);
            }
        }
        for inst in self.func.blocks[block].insts.clone() {
            self.write_inst(inst);
        }
        if block == items.latch {
            return;
        }
        match self.func.blocks[block].term.clone() {
            Term::Jump(target) | Term::Br { then: target, .. } if self.is_one_way(block) => {
                self.assign(block, &target, self.mask);
                let next = self.hop(self.plan.next[&(block, 0)]);
                self.end(Term::Jump(Target::plain(next)));
            }
            Term::Br { cond, then, els } if self.shapes.is_divergent(block) => {
                let cond = self.vector(cond)[0];
                let not = self.op(Op::Not, &[cond]);
                let [yes, no] = [cond, not].map(|c| self.and_mask(c));
                self.assign(block, &then, Some(yes));
                self.assign(block, &els, Some(no));
                let next = self.hop(self.plan.next[&(block, 0)]);
                self.end(Term::Jump(Target::plain(next)));
            }
            Term::Br { cond, then, els } => {
                let cond = self.scalar(cond);
                let [yes, no] = [self.func.add_block(), self.func.add_block()];
                self.end(Term::Br { cond, then: Target::plain(yes), els: Target::plain(no) });
                for (k, (edge, target)) in [(yes, then), (no, els)].into_iter().enumerate() {
                    self.enter(edge, block);
                    self.assign(block, &target, self.mask);
                    let next = self.hop(self.plan.next[&(block, k)]);
                    self.end(Term::Jump(Target::plain(next)));
                }
            }
            _ => unreachable!("item loops have no other ends of blocks"),
        }
    }

    /// True if a block has one successor, and one way there.
    fn is_one_way(&self, block: Block) -> bool {
        match &self.func.blocks[block].term {
            Term::Br { then, els, .. } => then == els,
            _ => true,
        }
    }

    /// Blocks at which passes of inner loops end.
    fn write_ends(&mut self) {
        let mut ends: Vec<(usize, Block)> = self.ends.iter().map(|(&l, &b)| (l, b)).collect();
        let keep = self.block;
        ends.sort_unstable();
        for (l, end) in ends {
            let header = self.facts.loops.loops[l].header;
            let body = self.bodies[&header];
            self.enter(end, header);
            if self.shapes.is_divergent_loop(l) {
                let mask = self.read(self.mask_vars[&header], self.mask_type());
                let any = self.emit(Op::MaskAny, Type::I1, &[mask], Imm::None);
                let els = Target::plain(self.hop(self.plan.behind[&l]));
                self.end(Term::Br { cond: any, then: Target::plain(body), els });
            } else {
                self.end(Term::Jump(Target::plain(body)));
            }
        }
        self.block = keep;
    }

    fn hop(&mut self, hop: Hop) -> Block {
        match hop {
            Hop::Block(block) => self.entries[&block],
            Hop::End(l) => {
                if let Some(&end) = self.ends.get(&l) {
                    return end;
                }
                let end = self.func.add_block();
                self.ends.insert(l, end);
                // What comes behind may lie at the end of another loop.
                if let Some(&behind) = self.plan.behind.get(&l) {
                    self.hop(behind);
                }
                end
            }
        }
    }

    /// What an edge does: brings lanes and values to its target.
    fn assign(&mut self, from: Block, target: &Target, mask: Option<Value>) {
        let to = target.block;
        let mut left = self.facts.loops_around(from).take_while(|&l| !self.facts.contains(l, to));
        let repeats = left.any(|l| self.shapes.is_divergent_loop(l));
        if repeats {
            self.save_outs(from, to, mask);
        }
        let back = self.facts.inner_loop(to).is_some_and(|l| {
            let l = &self.facts.loops.loops[l];
            l.header == to && l.latches.contains(&from)
        });
        // Lanes may come on such an edge in several iterations of the loop that it leaves: each adds to those before.
        let back = back && !repeats;
        let first = self.reached.insert(to) && !repeats;
        // The other lanes are in no block that could read the values, or they have left the loop.
        let plain = mask == self.whole || first || back;
        let params = self.func.blocks[to].params.clone();
        let mut writes = Vec::new();
        for (&param, &arg) in params.iter().zip(&target.args) {
            if let Some(number) = self.shapes.carried.hidden(param) {
                let latest = self.shapes.carried.chain(number) == Some(Chain::Latest);
                if latest && self.shapes.carried.hidden(arg).is_none() {
                    self.replace(number, arg, mask);
                }
                continue;
            }
            let slots = self.param_slots(param);
            if self.shapes.of(param) == Shape::Varying {
                let values = self.vector(arg);
                for (&slot, value) in slots.iter().zip(values) {
                    let frozen = back && self.frozen.contains(&param);
                    let value = if plain && !frozen { value } else { self.blend(slot, value, mask) };
                    writes.push((slot, value));
                }
            } else {
                let value = self.scalar(arg);
                writes.push((slots[0], value));
            }
        }
        writes.into_iter().for_each(|(slot, value)| self.write(slot, value));
        if let Some(&slot) = self.mask_vars.get(&to) {
            let mine = mask.unwrap_or_else(|| self.constant(self.mask_type(), 1));
            let old = (!first && !back).then(|| self.read(slot, self.mask_type()));
            let mine = old.map_or(mine, |old| self.op(Op::Or, &[old, mine]));
            self.write(slot, mine);
        }
    }

    fn blend(&mut self, slot: SlotId, value: Value, mask: Option<Value>) -> Value {
        let ty = self.func.ty(value);
        let Some(mask) = mask else { return value };
        let old = self.read(slot, ty);
        self.emit(Op::Select, ty, &[mask, value, old], Imm::None)
    }

    /// Values of divergent loops that are used behind them.
    fn find_outs(&mut self) {
        let mut found = Vec::new();
        for &block in &self.facts.items.blocks {
            let has_left = |v: Value| self.shapes.left_loop(v, block).is_some();
            self.func.for_each_use(block, |v| found.extend(has_left(v).then_some(v)));
        }
        found.sort_unstable();
        found.dedup();
        for v in found {
            let frozen = self.can_freeze(v);
            let slots = if frozen { self.param_slots(v) } else { self.lane_slots(self.func.ty(v)) };
            if frozen {
                self.frozen.insert(v);
            }
            self.outs.insert(v, slots);
        }
    }

    /// True for what goes round a loop that lanes leave at its head: where a lane has left, its variable need only stay
    /// as it is.
    fn can_freeze(&self, v: Value) -> bool {
        let ValueDef::Param(header, _) = self.func.values[v].def else { return false };
        let Some(l) = self.facts.inner_loop(header) else { return false };
        if self.facts.loops_around(header).skip(1).any(|outer| self.shapes.is_divergent_loop(outer)) {
            return false;
        }
        let at = &self.facts.loops.loops[l];
        let stays = |b: Block| self.func.blocks[b].term.targets().iter().all(|t| self.facts.contains(l, t.block));
        at.header == header
            && self.shapes.is_divergent_loop(l)
            && self.shapes.of(v) == Shape::Varying
            && at.blocks.iter().all(|&b| b == header || stays(b))
    }

    fn save_outs(&mut self, from: Block, to: Block, mask: Option<Value>) {
        let mut outs: Vec<Value> = self.outs.keys().copied().collect();
        outs.sort_unstable();
        for v in outs {
            if self.frozen.contains(&v) {
                continue;
            }
            let home = self.shapes.home(v).expect("of the loop");
            if !self.facts.dom.dominates(home, from) || self.shapes.left_loop(v, to).is_none() {
                continue;
            }
            // Its loop was left before: the variable holds it.
            if self.shapes.left_loop(v, from).is_some() {
                continue;
            }
            let values = self.vector(v);
            for (slot, value) in self.outs[&v].clone().into_iter().zip(values) {
                let value = self.blend(slot, value, mask);
                self.write(slot, value);
            }
        }
    }

    // ---- values

    pub(super) fn mask_type(&self) -> Type {
        Type::I1.with_lanes(self.width)
    }

    /// Vector types of a varying value's components.
    pub(super) fn lane_types(&self, ty: Type) -> SmallVec<[Type; 1]> {
        let elem = if ty.is_ptr() { Scalar::I64 } else { ty.elem };
        std::iter::repeat_n(Type::scalar(elem).with_lanes(self.width), usize::from(ty.lanes)).collect()
    }

    fn lane_slots(&mut self, ty: Type) -> SmallVec<[SlotId; 1]> {
        self.lane_types(ty).into_iter().map(|ty| self.slot(ty)).collect()
    }

    /// The variable of the lanes that edges have brought to a block.
    pub(super) fn mask_of_edges(&self, block: Block) -> Option<SlotId> {
        self.mask_vars.get(&block).copied()
    }

    /// True for a parameter whose variable is looked at behind the loop that lanes leave.
    pub(super) fn is_kept(&self, param: Value) -> bool {
        self.frozen.contains(&param)
    }

    pub(super) fn param_slots(&mut self, param: Value) -> SmallVec<[SlotId; 1]> {
        if let Some(slots) = self.vars.get(&param) {
            return slots.clone();
        }
        let ty = self.func.ty(param);
        let slots = match self.shapes.of(param) {
            Shape::Varying => self.lane_slots(ty),
            _ => [self.slot(ty)].into_iter().collect(),
        };
        self.vars.insert(param, slots.clone());
        slots
    }

    fn read_param(&mut self, param: Value) {
        if self.shapes.carried.hidden(param).is_some() {
            return;
        }
        let slots = self.param_slots(param);
        let ty = self.func.ty(param);
        if self.shapes.of(param) == Shape::Varying {
            let types = self.lane_types(ty);
            let values = slots.iter().zip(types).map(|(&slot, ty)| self.read(slot, ty)).collect();
            self.vectors.insert(param, values);
        } else {
            let value = self.read(slots[0], ty);
            self.scalars.insert(param, value);
        }
    }

    /// Shape of a value for the block that is being written.
    pub(super) fn shape(&self, v: Value) -> Shape {
        self.shapes.at(v, self.home)
    }

    /// A uniform value, or an affine one's lane 0.
    pub(super) fn scalar(&mut self, v: Value) -> Value {
        match self.shapes.home(v) {
            Some(_) => *self.scalars.get(&v).unwrap_or_else(|| panic!("{v} has no scalar")),
            None => v,
        }
    }

    /// A value as vectors.
    pub(super) fn vector(&mut self, v: Value) -> Lanes {
        if let Some(slots) = self.outs.get(&v).filter(|_| self.shapes.left_loop(v, self.home).is_some()) {
            let slots = slots.clone();
            let types = self.lane_types(self.func.ty(v));
            return slots.iter().zip(types).map(|(&slot, ty)| self.read(slot, ty)).collect();
        }
        match self.shapes.of(v) {
            Shape::Varying => self.vectors.get(&v).unwrap_or_else(|| panic!("{v} has no vector")).clone(),
            Shape::Affine(stride) => [self.spread_affine(v, stride)].into_iter().collect(),
            _ => self.spread_uniform(v),
        }
    }

    fn spread_uniform(&mut self, v: Value) -> Lanes {
        let ty = self.func.ty(v);
        let now = self.scalar(v);
        if let Some(bits) = self.func.const_bits(now) {
            return self.lane_types(ty).into_iter().map(|ty| self.constant(ty, bits)).collect();
        }
        self.take_apart(now).into_iter().map(|part| self.splat(part)).collect()
    }

    fn spread_affine(&mut self, v: Value, stride: i64) -> Value {
        if let Some(&made) = self.spread.get(&(v, self.block)) {
            return made;
        }
        let base = self.scalar(v);
        let base = self.take_apart(base)[0];
        let ty = self.func.ty(base).with_lanes(self.width);
        let steps = self.steps(ty, stride);
        let base = self.splat(base);
        let made = self.op(Op::Add, &[base, steps]);
        self.spread.insert((v, self.block), made);
        made
    }

    /// Lane i holds i × stride.
    pub(super) fn steps(&mut self, ty: Type, stride: i64) -> Value {
        let iota = self.emit(Op::Iota, ty, &[], Imm::None);
        if stride == 1 { iota } else { self.op_bits(Op::Mul, iota, stride as u64) }
    }

    pub(super) fn splat(&mut self, v: Value) -> Value {
        let ty = self.func.ty(v).with_lanes(self.width);
        self.emit(Op::Splat, ty, &[v], Imm::None)
    }

    pub(super) fn set_vector(&mut self, v: Value, lanes: Lanes) {
        self.vectors.insert(v, lanes);
    }
    pub(super) fn set_scalar(&mut self, v: Value, scalar: Value) {
        self.scalars.insert(v, scalar);
    }

    /// True if something in the loop, or behind it, uses the value.
    pub(super) fn is_used(&self, v: Value) -> bool {
        self.facts.used[v.index()]
    }
}

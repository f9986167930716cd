//! Global value numbering over the dominator tree: an operation that a dominating one has computed is replaced by its
//! result, a load by the value last stored to or loaded from the same address. `versions` says whether something in
//! between may have written. A store to a component of a vector in memory that is known leaves a known vector, so that
//! what is written component by component, and read in between, stays in registers. Pure operations, plain loads and
//! pure calls only. n log n.

use super::forward::Forward;
use super::known_cas::{is_local, strip};
use super::versions::{Place, Versions};
use crate::analysis::address::Address;
use crate::analysis::alias::{Alias, is_pure_call};
use crate::analysis::lanes::constant_lanes;
use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Frontiers};
use crate::ir::op::Flags;
use crate::ir::{Attr, Block, Func, Imm, Inst, IntPred, Op, Rounding, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::collections::hash_map::Entry;

/// Vectors at one address, and near it, that are known to be there: the last ones.
const MOST_VECTORS: usize = 8;

/// What makes two operations equal.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    op: Op,
    ty: Type,
    args: SmallVec<[Value; 4]>,
    imm: Imm,
    flags: Flags,
    rm: Rounding,
    /// Version of the memory that a load reads.
    version: u32,
}

/// Runs the pass.
pub fn run(func: &mut Func) {
    func.remove_unreachable();
    number(func, None);
}

/// The same for `known-cas`, with the compare-and-swaps that are known to succeed in loops. Nothing is unreachable.
pub(super) fn with_known_cas(func: &mut Func, retries: FxHashSet<Inst>) -> bool {
    number(func, Some(retries))
}

fn number(func: &mut Func, retries: Option<FxHashSet<Inst>>) -> bool {
    let cfg = Cfg::new(func);
    let dom = Dominators::new(&cfg);
    let alias = Alias::new(func);
    let joins = joins(func, &cfg, &dom, &alias);
    let n = alias.n_classes();
    let size = func.n_live_insts();
    let here = func.entry();
    let mut walk = Walk {
        forward: Forward::new(func),
        func,
        alias,
        joins,
        table: FxHashMap::with_capacity_and_hasher(size, Default::default()),
        undo: Vec::new(),
        here,
        dom: &dom,
        versions: Versions::new(n),
        retries,
        known_cas: false,
        vectors: FxHashMap::default(),
        inserted: None,
    };
    walk.run();
    let Walk { mut forward, func, known_cas, .. } = walk;
    forward.apply(func);
    known_cas
}

/// For each block, the classes of which different versions may meet at its start.
fn joins(func: &Func, cfg: &Cfg, dom: &Dominators, alias: &Alias) -> FxHashMap<Block, u64> {
    let mut writers: Vec<Vec<Block>> = vec![Vec::new(); alias.n_classes()];
    for &block in cfg.rpo() {
        let set = func.blocks[block].insts.iter().fold(0, |set, &i| set | alias.writes(func, &func.insts[i]));
        for (class, list) in writers.iter_mut().enumerate() {
            if set >> class & 1 == 1 {
                list.push(block);
            }
        }
    }
    let mut joins: FxHashMap<Block, u64> = FxHashMap::default();
    if writers.iter().all(Vec::is_empty) {
        return joins;
    }
    let frontiers = Frontiers::new(cfg, dom);
    // Classes written at the same places share the work.
    let mut done: FxHashMap<Vec<Block>, Vec<Block>> = FxHashMap::default();
    for (class, list) in writers.into_iter().enumerate() {
        if list.is_empty() {
            continue;
        }
        let meet = done.entry(list).or_insert_with_key(|list| frontiers.iterated(list.iter().copied(), |_| true));
        for &block in meet.iter() {
            *joins.entry(block).or_default() |= 1 << class;
        }
    }
    joins
}

struct Walk<'f> {
    func: &'f mut Func,
    forward: Forward,
    alias: Alias,
    joins: FxHashMap<Block, u64>,
    /// Values of keys, and the blocks from which on: only what these dominate knows of them.
    table: FxHashMap<Key, (Value, Block)>,
    /// The block that is visited.
    here: Block,
    dom: &'f Dominators,
    undo: Vec<(Key, (Value, Block))>,
    versions: Versions,
    /// For `known-cas`: compare-and-swaps that succeed. Nobody else accesses local memory meanwhile.
    retries: Option<FxHashSet<Inst>>,
    /// A compare-and-swap was replaced.
    known_cas: bool,
    /// By address, as `Address::offset` has it: pointers to vectors that have been loaded or stored, and their types.
    vectors: FxHashMap<Value, SmallVec<[(Value, Type); 2]>>,
    /// Of the store that is being looked at: what makes the vector that it leaves.
    inserted: Option<Inst>,
}

impl Walk<'_> {
    fn run(&mut self) {
        enum Step {
            Enter(Block),
            Leave(usize, usize),
        }
        let mut work = vec![Step::Enter(self.func.entry())];
        while let Some(step) = work.pop() {
            match step {
                Step::Leave(entries, versions) => {
                    self.table.extend(self.undo.drain(entries..).rev());
                    self.versions.go_back(versions);
                }
                Step::Enter(block) => {
                    work.push(Step::Leave(self.undo.len(), self.versions.mark()));
                    self.here = block;
                    if let Some(&set) = self.joins.get(&block) {
                        self.versions.written(set, None);
                    }
                    self.block(block);
                    // The first child last, so that it is visited first.
                    work.extend(self.dom.children(block).iter().rev().map(|&c| Step::Enter(c)));
                }
            }
        }
    }

    /// From here on the key's value is this one, in all that is dominated.
    fn insert(&mut self, key: Key, value: Value) {
        match self.table.entry(key) {
            Entry::Vacant(entry) => _ = entry.insert((value, self.here)),
            Entry::Occupied(mut entry) => {
                let old = *entry.get();
                if self.dom.dominates(old.1, self.here) {
                    self.undo.push((entry.key().clone(), old));
                }
                entry.insert((value, self.here));
            }
        }
    }

    fn block(&mut self, block: Block) {
        let insts = std::mem::take(&mut self.func.blocks[block].insts);
        let mut kept = Vec::with_capacity(insts.len());
        for inst in insts {
            kept.extend(self.select_stored(inst));
            if !self.replaced(inst) {
                kept.push(inst);
            }
            kept.extend(self.inserted.take());
        }
        self.func.blocks[block].insts = kept;
    }

    /// True if the instruction's result stands for an earlier value.
    fn replaced(&mut self, inst: Inst) -> bool {
        for n in 0..self.func.insts[inst].args.len() {
            let v = self.func.insts[inst].args[n];
            self.func.insts[inst].args[n] = self.forward.get(v);
        }
        self.compare_same(inst);
        let data = &self.func.insts[inst];
        let volatile = data.attr.flags.contains(Flags::VOLATILE);
        let mut version = 0;
        match data.op {
            Op::Load if !volatile => {
                if let (Some(class), Some(result)) = (self.alias.load_class(self.func, data), data.result) {
                    let place = self.place(data.args[0], self.func.ty(result));
                    version = self.versions.of(class.index(), place);
                }
            }
            _ if data.op.is_pure() || is_pure_call(data) => {}
            _ => {
                self.succeed(inst);
                let data = &self.func.insts[inst];
                let stored = (data.op == Op::Store).then(|| self.place(data.args[0], self.func.ty(data.args[1])));
                let whole = stored.filter(|_| !volatile).and_then(|_| self.around(data.args[0], data.args[1]));
                let data = &self.func.insts[inst];
                self.versions.written(self.alias.writes(self.func, data), stored);
                match (data.op, data.result) {
                    (Op::Store, _) if !volatile => {
                        let [ptr, value] = [data.args[0], data.args[1]];
                        self.remember(ptr, value);
                        self.remember_vector(whole, value, inst);
                    }
                    // Of volatile memory that is local, the next compare-and-swap sees the same.
                    (Op::Load, Some(result)) if self.is_own(data.args[0]) => self.remember(data.args[0], result),
                    _ => {}
                }
                return false;
            }
        }
        let Some(result) = data.result else { return false };
        let facts = Flags::VALUES;
        let mut args = data.args.clone();
        if data.op.is_commutative() && args[1] < args[0] {
            args.swap(0, 1);
        }
        let mut key = Key {
            op: data.op,
            ty: self.func.ty(result),
            args,
            imm: data.imm.clone(),
            flags: data.attr.flags - facts,
            rm: data.attr.rm,
            version,
        };
        if data.op == Op::Load {
            key.flags = Flags::empty();
        }
        let op = key.op;
        if op == Op::Load {
            self.note_vector(key.args[0], key.ty);
        }
        let leader = match self.table.entry(key) {
            Entry::Occupied(entry) if self.dom.dominates(entry.get().1, self.here) => entry.get().0,
            Entry::Occupied(mut entry) => {
                entry.insert((result, self.here));
                return false;
            }
            Entry::Vacant(entry) => {
                entry.insert((result, self.here));
                return false;
            }
        };
        // What holds for one of them need not hold for the other.
        let flags = self.func.insts[inst].attr.flags;
        if let crate::ir::ValueDef::Inst(first) = self.func.values[leader].def
            && self.func.insts[first].op == op
        {
            let kept = &mut self.func.insts[first].attr.flags;
            *kept -= facts - flags;
        }
        self.forward.set(result, leader);
        true
    }

    fn is_own(&self, ptr: Value) -> bool {
        self.retries.is_some() && is_local(self.func, ptr)
    }

    /// Makes a store of a compare-and-swap that expects what local memory holds.
    fn succeed(&mut self, inst: Inst) {
        let data = &self.func.insts[inst];
        let (Op::AtomicCas, Some(result), &[ptr, expected, new]) = (data.op, data.result, &data.args[..]) else {
            return;
        };
        let is_held = |v: Value| {
            let key = self.load_of(ptr, self.func.ty(v));
            let held = key.and_then(|key| self.table.get(&key));
            held.is_some_and(|&(held, from)| held == v && self.dom.dominates(from, self.here))
        };
        let retries = self.retries.as_ref().is_some_and(|retries| retries.contains(&inst));
        if !self.is_own(ptr) || !(retries || is_held(expected) || is_held(strip(self.func, expected))) {
            return;
        }
        let data = &mut self.func.insts[inst];
        (data.op, data.imm, data.attr, data.result) = (Op::Store, Imm::None, Attr::default(), None);
        data.args = [ptr, new].into_iter().collect();
        self.forward.set(result, expected);
        self.known_cas = true;
    }

    /// Makes a constant of the test whether a swap that was known to succeed has found what it expected.
    fn compare_same(&mut self, inst: Inst) {
        let data = &mut self.func.insts[inst];
        if self.known_cas && data.op == Op::Icmp && data.args[0] == data.args[1] {
            let Imm::IntPred(pred) = data.imm else { return };
            let holds = matches!(pred, IntPred::Eq | IntPred::ULe | IntPred::UGe | IntPred::SLe | IntPred::SGe);
            (data.op, data.imm) = (Op::Const, Imm::Bits(holds.into()));
            data.args.clear();
        }
    }

    /// Makes a selection of a masked load whose lanes are known and are all in a narrower vector that was stored
    /// there (a narrow store followed by a wide load is also what processors are slow at); returns the widened
    /// vector's instruction, which is to stand in front.
    fn select_stored(&mut self, inst: Inst) -> Option<Inst> {
        let data = &self.func.insts[inst];
        let volatile = data.attr.flags.contains(Flags::VOLATILE);
        let (Op::LoadMasked, Some(result), false) = (data.op, data.result, volatile) else { return None };
        let [ptr, mask, other] = [0, 1, 2].map(|n| self.forward.get(data.args[n]));
        let (ty, origin) = (self.func.ty(result), data.origin);
        let last = constant_lanes(self.func, mask)?.iter().rposition(|&lane| lane & 1 == 1)?;
        let held = |lanes: u8| {
            let key = self.load_of(ptr, Type { lanes, ..ty })?;
            self.table.get(&key).filter(|(_, from)| self.dom.dominates(*from, self.here)).map(|&(held, _)| held)
        };
        let lanes = (0..ty.lanes.ilog2()).map(|n| 1 << n).filter(|&lanes| usize::from(lanes) > last);
        let (held, lanes) = lanes.filter_map(|lanes| Some((held(lanes)?, lanes))).next()?;
        let sources = (0..ty.lanes).map(|n| if n < lanes { n } else { 0 }).collect();
        let attr = Attr::default();
        let wide = match lanes {
            1 => self.func.make_inst(Op::Splat, Some(ty), &[held], Imm::None, attr, origin),
            _ => self.func.make_inst(Op::Shuffle, Some(ty), &[held, held], Imm::Lanes(sources), attr, origin),
        };
        let lanes_of = self.func.insts[wide].result.expect("a shuffle has a result");
        let data = &mut self.func.insts[inst];
        (data.op, data.imm, data.attr) = (Op::Select, Imm::None, attr);
        data.args = [mask, lanes_of, other].into_iter().collect();
        Some(wide)
    }

    /// What a load from an address would be looked up as.
    fn load_of(&self, ptr: Value, ty: Type) -> Option<Key> {
        let class = self.alias.class(self.func, ptr)?;
        Some(Key {
            op: Op::Load,
            ty,
            args: [ptr].into_iter().collect(),
            imm: Imm::None,
            flags: Flags::empty(),
            rm: Rounding::Rte,
            version: self.versions.of(class.index(), self.place(ptr, ty)),
        })
    }

    /// Where a value of this type is accessed.
    fn place(&self, ptr: Value, ty: Type) -> Place {
        let (base, disp) = Address::offset(self.func, ptr);
        Place { base, disp, bytes: ty.bytes() }
    }

    /// The address holds the value from here on.
    fn remember(&mut self, ptr: Value, value: Value) {
        if let Some(key) = self.load_of(ptr, self.func.ty(value)) {
            self.note_vector(ptr, key.ty);
            self.insert(key, value);
        }
    }

    /// There is a vector here that may be known later on.
    fn note_vector(&mut self, ptr: Value, ty: Type) {
        if ty.is_vector() {
            let near = self.vectors.entry(Address::offset(self.func, ptr).0).or_default();
            if !near.contains(&(ptr, ty)) {
                if near.len() == MOST_VECTORS {
                    near.remove(0);
                }
                near.push((ptr, ty));
            }
        }
    }

    /// The known vector in memory that a scalar is about to be stored into, by its address, and the component's number.
    fn around(&self, ptr: Value, value: Value) -> Option<(Value, Value, u8)> {
        let scalar = self.func.ty(value);
        let (base, disp) = Address::offset(self.func, ptr);
        let near = self.vectors.get(&base).filter(|_| !scalar.is_vector() && !self.func.is_lanes)?;
        near.iter().find_map(|&(at, ty)| {
            let size = i64::from(scalar.bytes());
            let by = disp.checked_sub(Address::offset(self.func, at).1).filter(|by| by % size == 0)?;
            let lane = u8::try_from(by / size).ok().filter(|&lane| ty.elem == scalar.elem && lane < ty.lanes)?;
            let &(held, from) = self.table.get(&self.load_of(at, ty)?)?;
            self.dom.dominates(from, self.here).then_some((at, held, lane))
        })
    }

    /// From a store on, what is around the component that it changes is known as before.
    fn remember_vector(&mut self, whole: Option<(Value, Value, u8)>, component: Value, store: Inst) {
        let Some((ptr, held, lane)) = whole else { return };
        let (ty, origin) = (self.func.ty(held), self.func.insts[store].origin);
        let args = [self.forward.get(held), component];
        let insert = self.func.make_inst(Op::Insert, Some(ty), &args, Imm::Lane(lane), Attr::default(), origin);
        let now = self.func.insts[insert].result.expect("an insertion has a result");
        self.remember(ptr, now);
        self.inserted = Some(insert);
    }
}

/// Removes stores to slots that nothing reads. Linear.
pub fn dead_slots(func: &mut Func) {
    if !func.uses_slots() {
        return;
    }
    func.remove_unreachable();
    let alias = Alias::new(func);
    let mut read: FxHashSet<usize> = FxHashSet::default();
    for (_, inst) in func.live_insts() {
        let data = &func.insts[inst];
        let source = match data.op {
            Op::Load | Op::LoadMasked | Op::Gather => 0,
            Op::Memcpy => 1,
            _ => continue,
        };
        read.extend(alias.class(func, data.args[source]).map(|c| c.index()));
    }
    for i in 0..func.layout.len() {
        let block = func.layout[i];
        let mut insts = std::mem::take(&mut func.blocks[block].insts);
        insts.retain(|&inst| {
            let data = &func.insts[inst];
            let writes =
                matches!(data.op, Op::Store | Op::Memset | Op::Memcpy) && !data.attr.flags.contains(Flags::VOLATILE);
            !writes || alias.class(func, data.args[0]).is_none_or(|c| !alias.is_slot(c) || read.contains(&c.index()))
        });
        func.blocks[block].insts = insts;
    }
}

//! The layout of a group's context: what it keeps of its work-items from one parallel region to the next. These are
//! spilled values, results of scans, private arrays and the flag that a work-item has not returned. The layout is a
//! structure of arrays: each of these is a **context array** with one element per work-item, by linear local id, so
//! that neighbours lie side by side (pocl's context arrays). So do the elements of private arrays that are only loaded
//! and stored whole, if lanes are wanted: element by element, each of a block of work-items (interleaving, as GPUs lay
//! out their private memory).

use super::Kernel;
use super::barriers::is_scan;
use super::live::slot_pointers;
use crate::ir::collective::REDUCE_COLUMNS;
use crate::ir::entity::Entity;
use crate::ir::{Func, Imm, InstData, Op, Scalar, SlotId, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Bytes of private arrays that a work-item may have on the stack of a kernel with barriers.
const MAX_STACK: u64 = 2 << 10;

/// Work-items whose elements lie side by side, a power of two, if a group is made of such blocks: no vector has more.
/// What a vector of them accesses is near each other then, whatever the size of the group.
const BLOCK: u64 = 32;
/// Most bytes of a block's interleaved arrays.
const MAX_INTERLEAVED: u64 = 1 << 24;
/// How often code is looked at for indices that work-items have in common.
const SWEEPS: usize = 8;

/// Where the elements of one kind lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ContextArray {
    /// The array begins at this many bytes times the number of work-items.
    pub at: u64,
    /// Bytes of an element, a multiple of its alignment.
    pub size: u64,
}

/// Private arrays whose elements are interleaved.
#[derive(Default)]
struct Interleaved {
    /// Bytes of an element.
    elems: FxHashMap<SlotId, u64>,
    /// Addresses that are computed from such an array's.
    pointers: FxHashSet<Value>,
    /// Work-items of a block, which divide the group: as many as share vectors, or all.
    block: u64,
}

/// Where the elements of an interleaved array lie.
#[derive(Clone, Copy)]
pub(super) struct Block {
    /// Its work-items, if there are several blocks; a power of two.
    pub items: Option<u64>,
    /// Bytes of an element.
    pub elem: u64,
}

/// The context arrays of a kernel.
#[derive(Default)]
pub(super) struct Context {
    /// Values that live across barriers; an array for each component of vectors of three, which would not fill theirs.
    pub spilled: FxHashMap<Value, SmallVec<[ContextArray; 1]>>,
    /// Results of scans, by barrier.
    pub scans: FxHashMap<usize, ContextArray>,
    /// Operands of floating reductions, by barrier, where loops have more lanes than reductions have columns.
    pub operands: FxHashMap<usize, ContextArray>,
    /// Operands that have to be the same for all and may differ, by barrier (`apart`).
    pub compared: FxHashMap<usize, Vec<ContextArray>>,
    /// Private slots that live across barriers, and large ones.
    pub slots: FxHashMap<SlotId, ContextArray>,
    /// 1 while the work-item has not returned.
    pub alive: Option<ContextArray>,
    /// Where the work-item is, if they may part; the first array in scratch memory (`apart`).
    pub places: Option<ContextArray>,
    /// Bytes per work-item, a multiple of every alignment; 0 if nothing is kept.
    pub bytes: u64,
    interleaved: Interleaved,
}

impl Context {
    /// Lays out the context. Kernels without barriers keep nothing: their slots live on the stack, as do small ones of
    /// other kernels that hold nothing when work-items meet. Arrays are interleaved for groups of this size.
    pub(super) fn new(kernel: &Kernel, sub_group: Option<u8>, interleaved: Option<[u32; 3]>) -> Self {
        let (func, barriers) = (&kernel.func, &kernel.barriers);
        let mut this = Self::default();
        if barriers.is_one_region() {
            return this;
        }
        let (mut end, mut align) = (0u64, 16u64);
        let mut add = |size: u64, to: u64| {
            align = align.max(to);
            let size = size.next_multiple_of(to.max(1));
            let at = end.next_multiple_of(to.max(1));
            end = at + size;
            ContextArray { at, size }
        };
        if kernel.is_apart {
            let size = u64::from(super::apart::PLACE.bytes());
            this.places = Some(add(size, size));
        }
        let held = super::live::slots_across(func, barriers);
        let mut on_stack = 0;
        for (slot, data) in func.slots.iter() {
            if !held.contains(&slot) && data.variable.is_none() && on_stack + data.size <= MAX_STACK {
                on_stack += data.size;
                continue;
            }
            this.slots.insert(slot, add(data.size, u64::from(data.align)));
        }
        if let Some(size) = interleaved {
            this.interleaved = Interleaved::find(func, &this.slots, size.iter().map(|&n| u64::from(n)).product());
        }
        let mut add_value = |ty: Type| add(u64::from(ty.bytes()), natural_align(ty));
        // Wide values first, so that little is lost to alignment.
        let parts = |v: Value| if func.ty(v).lanes == 3 { (func.ty(v).lane(), 3) } else { (func.ty(v), 1) };
        let mut values: Vec<Value> = kernel.live.spilled.iter().collect();
        values.sort_unstable_by_key(|&v| (std::cmp::Reverse(parts(v).0.bytes().next_power_of_two()), v.index()));
        for v in values {
            let (ty, n) = parts(v);
            this.spilled.insert(v, (0..n).map(|_| add_value(ty)).collect());
        }
        for (k, barrier) in barriers.list().iter().enumerate() {
            let Some(scan) = barrier.inst().map(|inst| &func.insts[inst]).filter(|data| is_scan(data.op)) else {
                continue;
            };
            this.scans.insert(k, add_value(func.ty(scan.result.expect("scans have results"))));
        }
        let is_wide = sub_group.is_some_and(|n| u64::from(n) > REDUCE_COLUMNS);
        for (k, barrier) in barriers.list().iter().enumerate().filter(|_| is_wide) {
            let Some(data) = barrier.inst().map(|inst| &func.insts[inst]) else { continue };
            if data.op == Op::WgReduce && func.ty(data.args[0]).is_float() {
                this.operands.insert(k, add_value(func.ty(data.args[0])));
            }
        }
        for k in 0..barriers.len() {
            if let Some(args) = kernel.doubtful.get(&k) {
                this.compared.insert(k, args.iter().map(|_| add_value(Type::I64)).collect());
            }
        }
        if kernel.regions.some_return_early && !kernel.is_apart {
            this.alive = Some(add(1, 1));
        }
        this.bytes = end.next_multiple_of(align);
        this
    }

    /// True if elements of some arrays are interleaved.
    pub(super) fn is_interleaved(&self) -> bool {
        !self.interleaved.elems.is_empty()
    }

    /// How a slot is interleaved, if it is.
    pub(super) fn block(&self, slot: SlotId) -> Option<Block> {
        let items = Some(self.interleaved.block).filter(|&items| items == BLOCK);
        self.interleaved.elems.get(&slot).map(|&elem| Block { items, elem })
    }

    /// An instruction's immediate operand in the work-group function.
    pub(super) fn imm(&self, data: &InstData) -> Imm {
        let Interleaved { pointers, block, .. } = &self.interleaved;
        if !data.result.is_some_and(|v| pointers.contains(&v)) {
            return data.imm.clone();
        }
        match data.imm {
            Imm::Disp(disp) => Imm::Disp(disp * *block as i64),
            Imm::Scale { scale, disp } => Imm::Scale { scale: scale * *block as u32, disp: disp * *block as i64 },
            ref imm => imm.clone(),
        }
    }

    /// All arrays.
    pub(super) fn arrays(&self) -> impl Iterator<Item = ContextArray> + '_ {
        let spilled = self.spilled.values().flatten();
        let kept = self.scans.values().chain(self.operands.values());
        let kept = kept.chain(self.compared.values().flatten());
        spilled.chain(kept).chain(self.slots.values()).chain(&self.alive).chain(&self.places).copied()
    }
}

impl Interleaved {
    /// Those of these slots of which all accesses are loads and stores of one size.
    fn find(func: &Func, slots: &FxHashMap<SlotId, ContextArray>, items: u64) -> Self {
        let block = if items.is_multiple_of(BLOCK) { BLOCK } else { items };
        let (roots, mut bad) = slot_pointers(func);
        let common = common_indices(func);
        let mut elems: FxHashMap<SlotId, u64> = FxHashMap::default();
        let mut steps: Vec<(SlotId, u64)> = Vec::new();
        for data in func.live_insts().map(|(_, i)| &func.insts[i]) {
            // As the source of a copy.
            bad.extend(data.args.iter().skip(1).filter_map(|v| roots.get(v)));
            let Some(&slot) = data.args.first().and_then(|v| roots.get(v)) else { continue };
            match (data.op, &data.imm) {
                (Op::PtrOff, Imm::Disp(disp)) => steps.push((slot, disp.unsigned_abs())),
                // Where each work-item has an index of its own, its elements better lie near each other.
                (Op::PtrAdd, _) if !common.contains(&data.args[1]) => _ = bad.insert(slot),
                (Op::PtrAdd, Imm::Scale { scale, disp }) => {
                    steps.extend([(slot, u64::from(*scale)), (slot, disp.unsigned_abs())]);
                }
                (Op::Load | Op::Store, _) => {
                    let size = u64::from(func.ty(data.result.unwrap_or_else(|| data.args[1])).bytes());
                    if *elems.entry(slot).or_insert(size) != size {
                        bad.insert(slot);
                    }
                }
                _ => _ = bad.insert(slot),
            }
        }
        for (slot, step) in steps {
            let is_near = step.saturating_mul(block) <= MAX_INTERLEAVED;
            if !is_near || elems.get(&slot).is_none_or(|&size| !step.is_multiple_of(size)) {
                bad.insert(slot);
            }
        }
        let is_array = |slot: &SlotId, size: u64| {
            let data = &func.slots[*slot];
            let fits = data.size.saturating_mul(block) <= MAX_INTERLEAVED && data.size.is_multiple_of(size);
            slots.contains_key(slot) && data.variable.is_none() && data.size > size && fits
        };
        elems.retain(|slot, size| !bad.contains(slot) && is_array(slot, *size));
        let pointers = roots.into_iter().filter(|(_, slot)| elems.contains_key(slot)).map(|(v, _)| v).collect();
        Self { elems, pointers, block }
    }
}

/// Integers that work-items have in common when they do the same: what is made of constants, of the kernel's arguments
/// and of counters that begin and go on by such. The largest set that is closed; none in code that takes long to tell.
fn common_indices(func: &Func) -> FxHashSet<Value> {
    let is_index = |v: Value| func.ty(v).is_int() && !func.ty(v).is_vector();
    let params = func.layout.iter().flat_map(|&block| &func.blocks[block].params);
    let pure = func.live_insts().map(|(_, i)| &func.insts[i]).filter(|data| is_arithmetic(data.op));
    let mut common: FxHashSet<Value> = params.copied().chain(pure.filter_map(|data| data.result)).collect();
    common.retain(|&v| is_index(v));
    for _ in 0..SWEEPS {
        let before = common.len();
        for &block in &func.layout {
            for data in func.blocks[block].insts.iter().map(|&i| &func.insts[i]) {
                if data.args.iter().any(|v| !common.contains(v)) {
                    data.result.iter().for_each(|v| _ = common.remove(v));
                }
            }
            for (_, param, v) in func.handed(block) {
                if !common.contains(&v) {
                    common.remove(&param);
                }
            }
        }
        if common.len() == before {
            return common;
        }
    }
    FxHashSet::default()
}

fn is_arithmetic(op: Op) -> bool {
    let is_sum =
        matches!(op, Op::Const | Op::Add | Op::Sub | Op::Mul | Op::Neg | Op::And | Op::Shl | Op::Lshr | Op::Ashr);
    is_sum || matches!(op, Op::Sext | Op::Zext | Op::Trunci | Op::DivS | Op::DivU | Op::RemS | Op::RemU)
}

/// The alignment that a value gets in memory.
pub(super) fn natural_align(ty: Type) -> u64 {
    u64::from(ty.bytes()).next_power_of_two().min(16)
}

/// The type in which a value lies in memory: booleans take a byte per lane.
pub(super) fn memory_type(ty: Type) -> Type {
    if ty.elem == Scalar::I1 { ty.with_elem(Scalar::I8) } else { ty }
}

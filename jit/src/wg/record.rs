//! Layout of what a group keeps for its work-items: saved values, results of scans, private arrays, the alive byte. Each kind is
//! a **column** of elements, one per work-item by linear local id, so that neighbours lie side by side.

use super::cuts::{Cut, is_scan};
use super::live::Live;
use crate::ir::entity::Entity;
use crate::ir::{Func, Scalar, SlotId, Type, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Bytes of private arrays that a work-item may have on the stack of a kernel with cuts.
const MAX_STACK: u64 = 2 << 10;

/// Where the elements of one kind lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Column {
    /// The column begins at this many bytes times the number of work-items.
    pub at: u64,
    /// Bytes of an element, a multiple of its alignment.
    pub size: u64,
}

/// The columns of a kernel.
pub(super) struct Record {
    /// Values that live across cuts; a column for each component of vectors of three, which would not fill theirs.
    pub saved: FxHashMap<Value, SmallVec<[Column; 1]>>,
    /// Results of scans, by cut.
    pub results: FxHashMap<usize, Column>,
    /// Private slots that live across cuts, and large ones.
    pub slots: FxHashMap<SlotId, Column>,
    /// 1 while the work-item has not returned.
    pub alive: Option<Column>,
    /// Bytes per work-item, a multiple of every alignment; 0 if nothing is kept.
    pub bytes: u64,
}

impl Record {
    /// All columns.
    pub(super) fn columns(&self) -> impl Iterator<Item = Column> + '_ {
        let saved = self.saved.values().flatten();
        saved.chain(self.results.values()).chain(self.slots.values()).chain(&self.alive).copied()
    }
}

/// Bytes that a value takes in a record; booleans take a byte per lane.
fn bytes(ty: Type) -> u64 {
    u64::from(ty.bytes())
}

/// The type in which a value lies in memory.
pub(super) fn memory_type(ty: Type) -> Type {
    if ty.elem == Scalar::I1 { ty.with_elem(Scalar::I8) } else { ty }
}

/// Lays out the record. Kernels without cuts keep nothing: their slots live on the stack, as do small ones of other
/// kernels that hold nothing when their work-items meet.
pub(super) fn layout(func: &Func, cuts: &[Cut], live: &Live, track_alive: bool) -> Record {
    let mut record = Record {
        saved: FxHashMap::default(),
        results: FxHashMap::default(),
        slots: FxHashMap::default(),
        alive: None,
        bytes: 0,
    };
    if cuts.len() == 1 {
        return record;
    }
    let mut end = 0u64;
    let mut align = 16u64;
    let mut place = |size: u64, to: u64| {
        align = align.max(to);
        let size = size.next_multiple_of(to.max(1));
        let at = end.next_multiple_of(to.max(1));
        end = at + size;
        Column { at, size }
    };
    let held = super::live::slots_across(func, cuts);
    let mut on_stack = 0;
    for (slot, data) in func.slots.iter() {
        if !held.contains(&slot) && on_stack + data.size <= MAX_STACK {
            on_stack += data.size;
            continue;
        }
        record.slots.insert(slot, place(data.size, u64::from(data.align)));
    }
    // Wide values first, so that little is lost to alignment.
    let mut values: Vec<Value> = live.saved.iter().collect();
    let parts = |v: Value| if func.ty(v).lanes == 3 { (func.ty(v).lane(), 3) } else { (func.ty(v), 1) };
    values.sort_unstable_by_key(|&v| (std::cmp::Reverse(bytes(parts(v).0).next_power_of_two()), v.index()));
    for v in values {
        let (ty, n) = parts(v);
        let size = bytes(ty);
        record.saved.insert(v, (0..n).map(|_| place(size, size.next_power_of_two().min(16))).collect());
    }
    for (k, cut) in cuts.iter().enumerate() {
        let Some(inst) = cut.inst else { continue };
        if let (true, Some(result)) = (is_scan(func.insts[inst].op), func.insts[inst].result) {
            let size = bytes(func.ty(result));
            record.results.insert(k, place(size, size.next_power_of_two().min(16)));
        }
    }
    if track_alive {
        record.alive = Some(place(1, 1));
    }
    record.bytes = end.next_multiple_of(align);
    record
}

//! Layout of the context record of one work-item: saved values, results of scans, private arrays, the alive byte.

use super::cuts::{Cut, is_scan};
use super::live::Live;
use crate::ir::entity::Entity;
use crate::ir::{Func, Scalar, SlotId, Type, Value};
use rustc_hash::FxHashMap;

/// Byte offsets in a work-item's record.
pub(super) struct Record {
    /// Values that live across cuts.
    pub saved: FxHashMap<Value, u64>,
    /// Results of scans, by cut.
    pub results: FxHashMap<usize, u64>,
    /// Private slots.
    pub slots: FxHashMap<SlotId, u64>,
    /// 1 while the work-item has not returned.
    pub alive: Option<u64>,
    /// Bytes of a record, a multiple of its alignment; 0 if nothing is kept.
    pub bytes: u64,
}

/// Bytes that a value takes in a record; booleans take a byte per lane.
fn bytes(ty: Type) -> u64 {
    u64::from(ty.bytes())
}

/// The type in which a value lies in memory.
pub(super) fn memory_type(ty: Type) -> Type {
    if ty.elem == Scalar::I1 { ty.with_elem(Scalar::I8) } else { ty }
}

/// Lays out the record. Kernels without cuts keep nothing: their slots live on the stack.
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
        let offset = end.next_multiple_of(to.max(1));
        end = offset + size;
        offset
    };
    for (slot, data) in func.slots.iter() {
        let offset = place(data.size, u64::from(data.align));
        record.slots.insert(slot, offset);
    }
    // Wide values first, so that little is lost to alignment.
    let mut values: Vec<Value> = live.saved.iter().collect();
    values.sort_by_key(|&v| (std::cmp::Reverse(bytes(func.ty(v)).next_power_of_two()), v.index()));
    for v in values {
        let size = bytes(func.ty(v));
        record.saved.insert(v, place(size, size.next_power_of_two().min(16)));
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

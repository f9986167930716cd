//! Work-groups whose work-items may part, where that is checked (`CLIFT_CHECK=barriers`): some reach one barrier, some
//! another, some leave the kernel.
//!
//! Each work-item then has a **place** in the context: the barrier at which it waits. Nothing is taken to be the same
//! for all, so that what a work-item left behind at its barrier is its own, whatever others do meanwhile. The group
//! goes on at the first barrier, in the order of the kernel, at which anyone waits, with those that wait there: so
//! work-items that parted come together again where their ways do. Where that is not all of them, the group says so
//! (`Meeting::Apart`), with the places as they are. Kernels in which no branch can part work-items on their way to
//! barriers are as without checks. Must not know how reports are made.
//!
//! ```text
//! region k: for each item whose place is k … place = barrier or ENDED; lowest, highest of all places
//!           if lowest ≠ highest: meet apart
//!           switch lowest → barrier j: region j
//! ```

use super::assemble::GroupBuilder;
use super::barriers::{BarrierKind, Barriers};
use super::geometry::ItemLoop;
use super::uniform::Uniformity;
use crate::ir::{Block, Func, IntPred, Op, SlotId, Target, Term, Type, Value};
use crate::race::Meeting;
use rustc_hash::FxHashMap;

/// The type of places.
pub(super) const PLACE: Type = Type::I32;
/// The place of a work-item that has left the kernel.
pub(super) const ENDED: u64 = u32::MAX as u64;

/// Variables of the group: the lowest and the highest place of its work-items.
#[derive(Clone, Copy)]
pub(super) struct Extremes {
    lowest: SlotId,
    highest: SlotId,
}

/// Operands of checked convergent instructions that have to be the same for all and may vary, by barrier.
pub(super) fn doubtful(func: &Func, barriers: &Barriers, uniformity: &Uniformity) -> FxHashMap<usize, Vec<usize>> {
    let mut found = FxHashMap::default();
    if !barriers.is_checked {
        return found;
    }
    for (k, barrier) in barriers.list().iter().enumerate() {
        let Some(data) = barrier.inst().map(|inst| &func.insts[inst]).filter(|_| func.met[k - 1].is_checked) else {
            continue;
        };
        let args = match data.op {
            Op::WgBroadcast => 1..2,
            Op::AsyncCopy | Op::Barrier => 0..data.args.len(),
            _ => continue,
        };
        let args: Vec<usize> = args.filter(|&n| uniformity.varying.contains(data.args[n])).collect();
        if !args.is_empty() {
            found.insert(k, args);
        }
    }
    found
}

impl GroupBuilder<'_> {
    /// `control_flow` for such groups.
    pub(super) fn control_flow_apart(&mut self) {
        let count = self.barriers.len();
        let new_blocks = |this: &mut Self| -> Vec<Block> { (0..count).map(|_| this.b.func.add_block()).collect() };
        let [end, next] = [0; 2].map(|_| self.b.func.add_block());
        let (mut starts, handlers) = (new_blocks(self), new_blocks(self));
        let found = Extremes { lowest: self.slot_for(PLACE), highest: self.slot_for(PLACE) };
        self.extremes = Some(found);
        self.set_slot(found.lowest, PLACE, 0);
        if self.regions.dispatch_loop {
            starts = vec![starts[0]; count];
        }
        self.jump(starts[0]);
        if self.regions.dispatch_loop {
            self.b.enter(starts[0]);
            let place = self.read_slot(found.lowest, PLACE);
            let pc = self.b.convert(Op::Zext, Type::I64, place);
            let all: Vec<usize> = (0..count).collect();
            self.region_apart(&all, Some(pc), next);
        } else {
            for (k, &start) in starts.iter().enumerate().filter(|(k, _)| self.regions.reachable[*k]) {
                self.b.enter(start);
                self.region_apart(&[k], None, next);
            }
        }
        self.b.enter(next);
        self.say_who_is_missing(found);
        let value = self.read_slot(found.lowest, PLACE);
        let reachable = (1..count).filter(|&k| self.regions.reachable[k]);
        let cases = reachable.map(|k| (k as u64, Target::plain(handlers[k]))).collect();
        self.b.end(Term::Switch { value, cases, default: Target::plain(end) });
        for k in (1..count).filter(|&k| self.regions.reachable[k]) {
            self.b.enter(handlers[k]);
            let BarrierKind::Explicit(inst) = self.barriers.list()[k].kind else { unreachable!("no branch is one") };
            self.b.origin = self.old.insts[inst].origin;
            self.compare_operands(k);
            self.meet_at(inst);
            self.finish_collective(k, inst);
            self.jump(starts[k]);
        }
        self.b.enter(end);
    }

    fn region_apart(&mut self, entries: &[usize], pc: Option<Value>, next: Block) {
        let Extremes { lowest, highest } = self.extremes.expect("work-items may part");
        self.set_slot(lowest, PLACE, ENDED);
        self.set_slot(highest, PLACE, 0);
        self.region(entries, pc, None);
        self.jump(next);
    }

    /// What a work-item does first in the region behind barrier `k`: nothing, if it is not there.
    pub(super) fn go_on_from(&mut self, k: usize, place: SlotId, items: &ItemLoop) {
        let array = self.context.places.expect("work-items may part");
        if k == 0 {
            return;
        }
        let is = self.load_element(array, items, PLACE);
        self.write_slot(place, is);
        let here = self.b.bits(PLACE, k as u64);
        let go = self.b.icmp(IntPred::Eq, is, here);
        let next = self.b.func.add_block();
        self.b.branch(go, next, items.latch);
        self.b.enter(next);
    }

    /// What a work-item does last: keeps its place.
    pub(super) fn keep_place(&mut self, place: SlotId, items: &ItemLoop) {
        let array = self.context.places.expect("work-items may part");
        let Extremes { lowest, highest } = self.extremes.expect("work-items may part");
        let is = self.read_slot(place, PLACE);
        self.store_element(array, items, is);
        self.combine(lowest, Op::MinU, PLACE, is);
        self.combine(highest, Op::MaxU, PLACE, is);
    }

    /// Says so if not all work-items are where the group goes on. In front of the switch, so that there is one way from
    /// there into each region.
    fn say_who_is_missing(&mut self, found: Extremes) {
        let [lowest, highest] = [found.lowest, found.highest].map(|slot| self.read_slot(slot, PLACE));
        let mut apart = self.b.icmp(IntPred::Ne, lowest, highest);
        let unchecked: Vec<u64> = (1..).zip(&self.old.met).filter(|(_, met)| !met.is_checked).map(|(k, _)| k).collect();
        for k in unchecked {
            let is_other = self.b.icmp_bits(IntPred::Ne, lowest, k);
            apart = self.b.op(Op::And, &[apart, is_other]);
        }
        let [missing, next] = [0; 2].map(|_| self.b.func.add_block());
        self.b.branch(apart, missing, next);
        self.b.enter(missing);
        let items = self.items_of(self.group().lsz);
        let place = self.b.convert(Op::Zext, Type::I64, lowest);
        self.push_meeting(Meeting::Apart, [items, place]);
        self.jump(next);
        self.b.enter(next);
    }

    /// A work-item comes to barrier `k`, which has doubtful operands with these values.
    pub(super) fn keep_operands(&mut self, k: usize, values: &[Value], items: &ItemLoop) {
        for (n, &value) in values.iter().enumerate() {
            let is_ptr = self.b.func.ty(value).is_ptr();
            let value = if is_ptr { self.b.convert(Op::PtrToInt, Type::I64, value) } else { value };
            self.store_element(self.context.compared[&k][n], items, value);
        }
    }

    /// All have come to barrier `k`: has operands compared of which there may be but one.
    pub(super) fn compare_operands(&mut self, k: usize) {
        let arrays = self.context.compared.get(&k).cloned().unwrap_or_default();
        for (n, array) in arrays.into_iter().enumerate() {
            let items = self.items_of(self.group().lsz);
            let zero = self.b.i64(0);
            let first = self.element_at(array, zero);
            let values = self.b.convert(Op::PtrToInt, Type::I64, first);
            self.push_meeting(Meeting::Compare { site: k as u32 - 1, arg: n as u32 }, [items, values]);
        }
    }
}

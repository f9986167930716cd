//! Work-groups whose work-items may part, where that is checked (`CLIFT_CHECK=barriers`): some reach one barrier, some
//! another, some leave the kernel.
//!
//! Each work-item then has a **place** in the context: the barrier at which it waits. Nothing is taken to be the same
//! for all, so that what a work-item left behind at its barrier is its own, whatever others do meanwhile. The group goes
//! on at the first barrier, in the order of the kernel, at which anyone waits, with those that wait there: so
//! work-items that parted come together again where their ways do. Where that is not all of them, the group says so
//! (`Meeting::Apart`), with the places as they are. Kernels in which no branch can part work-items on their way to
//! barriers are as without checks. Must not know how reports are made.
//!
//! ```text
//! region k: for each item whose place is k … place = barrier or ENDED; lowest, highest of all places
//!           switch lowest → barrier j: if lowest ≠ highest: meet apart; region j
//! ```

use super::assemble::GroupBuilder;
use super::barriers::BarrierKind;
use super::geometry::ItemLoop;
use crate::ir::{Attr, Block, Imm, IntPred, Op, SlotId, Target, Term, Type, Value};
use crate::race::Meeting;

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
        let value = self.read_slot(found.lowest, PLACE);
        let reachable = (1..count).filter(|&k| self.regions.reachable[k]);
        let cases = reachable.map(|k| (k as u64, Target::plain(handlers[k]))).collect();
        self.b.end(Term::Switch { value, cases, default: Target::plain(end) });
        for k in (1..count).filter(|&k| self.regions.reachable[k]) {
            self.b.enter(handlers[k]);
            let BarrierKind::Explicit(inst) = self.barriers.list()[k].kind else { unreachable!("no branch is one") };
            self.b.origin = self.old.insts[inst].origin;
            self.say_who_is_missing(k);
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

    /// In front of what is done at barrier `k`: says so if not all work-items are there.
    fn say_who_is_missing(&mut self, k: usize) {
        if !self.old.met[k - 1].is_checked {
            return;
        }
        let Extremes { lowest, highest } = self.extremes.expect("work-items may part");
        let [lowest, highest] = [lowest, highest].map(|slot| self.read_slot(slot, PLACE));
        let apart = self.b.icmp(IntPred::Ne, lowest, highest);
        let [missing, next] = [0; 2].map(|_| self.b.func.add_block());
        self.b.branch(apart, missing, next);
        self.b.enter(missing);
        let code = self.b.i64(Meeting::Apart { site: k as u32 - 1 }.to_bits() as i64);
        let items = self.items_of(self.group().lsz);
        let env = self.env();
        self.b.push(Op::Meet, None, &[code, env, items], Imm::None, Attr::default());
        self.jump(next);
        self.b.enter(next);
    }
}

//! What a thread finds out where the work-items of its groups meet: that not all come, or not with the same arguments,
//! and that asynchronous copies are not waited for. Must not know of cells.

use super::{Now, Seen, Worker};
use crate::launch::Env;
use crate::race::{Apart, Differ, Early, Elsewhere, Unwaited};
use std::ops::Range;

impl Worker<'_> {
    /// The group goes on at a place where not all of its work-items are.
    #[cold]
    pub(super) fn part(&mut self, env: &Env, items: usize, here: u32) {
        if std::mem::replace(&mut self.has_parted, true) {
            return;
        }
        // SAFETY: the code that calls has the numbers of the places where its work-items are there (`wg::apart`).
        let places = unsafe { std::slice::from_raw_parts(env.scratch.cast::<u32>(), items) };
        let (is_here, site) = (|place: &u32| *place == here, here.wrapping_sub(1));
        let first = |is: bool| places.iter().position(|place| is_here(place) == is);
        let (Some(who), Some(other)) = (first(true), first(false)) else { return };
        let elsewhere = match places[other] {
            u32::MAX => Elsewhere::Ended,
            place => Elsewhere::At(place.wrapping_sub(1)),
        };
        if self.launch.is_new(Seen::Apart { site, elsewhere }) {
            let arrived = places.iter().filter(|place| is_here(place)).count() as u32;
            let [who, other] = [who, other].map(|item| self.me(item as u32));
            let (items, order) = (items as u32, self.order);
            self.launch.sink.apart(&Apart { site, arrived, items, who, other, elsewhere, order });
        }
    }

    /// Work-items of a sub-group come where all of those that there are, from the `first` one of the group on, have to.
    #[cold]
    pub(super) fn come(&self, site: u32, first: u32, here: u64, all: u64) {
        let elsewhere = Elsewhere::Unknown;
        if here != 0 && here != all && !self.has_parted && self.launch.is_new(Seen::Apart { site, elsewhere }) {
            let [arrived, items] = [here, all].map(u64::count_ones);
            let [who, other] = [here, all & !here].map(|bits| self.me(first + bits.trailing_zeros()));
            self.launch.sink.apart(&Apart { site, arrived, items, who, other, elsewhere, order: self.order });
        }
    }

    /// So many work-items have come to where all have to pass the same; what they pass lies at an address.
    pub(super) fn compare(&self, site: u32, arg: u32, items: usize, address: u64) {
        // SAFETY: the code that calls has kept what each of them passes there (`wg::apart`).
        let values = unsafe { std::slice::from_raw_parts(address as *const u64, items) };
        if let Some(other) = values.iter().position(|value| *value != values[0]) {
            self.differ(site, arg, [0, other as u32]);
        }
    }

    #[cold]
    pub(super) fn differ(&self, site: u32, arg: u32, items: [u32; 2]) {
        if !self.has_parted && self.launch.is_new(Seen::Differ { site, arg }) {
            let [who, other] = items.map(|item| self.me(item));
            self.launch.sink.differ(&Differ { site, arg, who, other, order: self.order });
        }
    }

    /// The group ends, and with it the time to wait for its copies.
    pub(super) fn end_copies(&mut self) {
        for copy in std::mem::take(&mut self.copies) {
            self.report_unwaited(copy.site, copy.target(), Early::End);
        }
    }

    /// The last copy touches this, too.
    pub(super) fn copy_side(&mut self, range: Range<u64>, writes: bool) {
        let Some((last, before)) = self.copies.split_last_mut() else { return };
        if last.sides.len() == 2 {
            // It is one of which nothing is remembered.
            return;
        }
        last.sides.push((range.clone(), writes));
        let site = last.site;
        let unfenced = before.iter().filter(|copy| !copy.is_fenced);
        let early = unfenced.filter_map(|copy| Some((copy.site, copy.meets(&range, writes)?))).next();
        early.into_iter().for_each(|(copy, at)| self.report_unwaited(copy, at, Early::Copy(site)));
    }

    /// A work-item accesses memory while copies are under way.
    #[cold]
    pub(super) fn meets_copies(&self, address: u64, now: Now) {
        let range = address..address + u64::from(now.code.bytes);
        if let Some(copy) = self.copies.iter().find(|copy| copy.meets(&range, now.code.kind.writes).is_some()) {
            let (site, who) = (now.code.site, self.me(now.item as u32));
            self.report_unwaited(copy.site, address, Early::Access { site, who });
        }
    }

    pub(super) fn report_unwaited(&self, copy: u32, address: u64, by: Early) {
        let seen = match by {
            Early::End => (copy, None, None),
            Early::Access { site, .. } => (copy, Some(site), None),
            Early::Copy(other) => (copy, None, Some(other)),
        };
        if !self.has_parted && self.launch.is_new(Seen::Unwaited(seen)) {
            let is_local = (self.local_start..self.local_start + self.local_bytes).contains(&address);
            let (address, group, order) = (self.told(address, is_local), self.group, self.order);
            self.launch.sink.unwaited(&Unwaited { copy, group, address, is_local, by, order });
        }
    }
}

//! Which pointer arguments of a launch lead to memory that no other one leads to: `SpecKey::disjoint`. By addresses of the
//! host, so it does not matter how objects came to share memory. Part of every launch: no allocation for a dozen arguments.

use crate::context::Context;
use clift_jit::launch::Pointers;
use smallvec::SmallVec;
use std::ops::Range;

/// The memory that each argument may reach.
pub(crate) struct Reach {
    known: Pointers,
    /// Bits of arguments and the addresses behind them.
    ranges: SmallVec<[(u64, Range<usize>); 12]>,
}

impl Reach {
    /// For a kernel of which so much is known.
    pub(crate) fn new(known: Pointers) -> Self {
        Self { known, ranges: SmallVec::new() }
    }

    /// The argument is a buffer.
    pub(crate) fn add(&mut self, index: usize, start: usize, size: usize) {
        let bit = 1u64.checked_shl(index as u32).unwrap_or(0) & self.known.separable;
        if bit != 0 {
            self.ranges.push((bit, start..start.saturating_add(size)));
        }
    }

    /// The argument is an address: it may lead to all of the allocation that it lies in, or anywhere if the context knows none.
    pub(crate) fn add_address(&mut self, index: usize, address: usize, context: &Context) {
        if self.known.separable == 0 || address == 0 {
            return;
        }
        let known = context.svm_allocation(address).or_else(|| context.usm_allocation(address));
        let range = known.unwrap_or(0..usize::MAX);
        self.add(index, range.start, range.len());
    }

    /// The arguments that the launch may call disjoint.
    pub(crate) fn disjoint(&self) -> u64 {
        let mut disjoint = self.known.separable;
        for (n, (bit, range)) in self.ranges.iter().enumerate() {
            for (other, theirs) in &self.ranges[..n] {
                let both = bit | other;
                if range.start < theirs.end && theirs.start < range.end && both & self.known.stored != 0 {
                    disjoint &= !both;
                }
            }
        }
        disjoint
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disjoint(separable: u64, stored: u64, ranges: &[Range<usize>]) -> u64 {
        let mut reach = Reach::new(Pointers { separable, stored });
        ranges.iter().enumerate().for_each(|(n, range)| reach.add(n, range.start, range.len()));
        reach.disjoint()
    }

    #[test]
    fn overlaps_count_where_something_is_stored() {
        assert_eq!(disjoint(0b111, 0b100, &[0..8, 8..16, 16..24]), 0b111);
        assert_eq!(disjoint(0b111, 0b100, &[0..8, 0..8, 16..24]), 0b111);
        assert_eq!(disjoint(0b111, 0b100, &[0..8, 8..17, 16..24]), 0b001);
        assert_eq!(disjoint(0b111, 0b001, &[4..5, 0..8, 16..24]), 0b100);
        assert_eq!(disjoint(0b111, 0b111, &[0..usize::MAX, 8..16, 16..24]), 0);
        assert_eq!(disjoint(0b101, 0b100, &[0..8, 0..24, 16..24]), 0b101);
        assert_eq!(disjoint(0, 0, &[0..8, 8..16]), 0);
    }
}

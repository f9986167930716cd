//! Which pointer arguments of a launch lead to memory that no other one leads to: `SpecKey::disjoint`. By addresses of
//! the host, so it does not matter how objects came to share memory. Part of every launch: no allocation for a dozen
//! arguments.

use crate::context::Context;
use clift_jit::launch::Pointers;
use smallvec::SmallVec;
use std::ops::Range;

/// An argument's bit in a set; none behind the sixty-fourth.
pub(crate) fn bit(index: usize) -> u64 {
    1u64.checked_shl(index as u32).unwrap_or(0)
}

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
        let bit = bit(index) & self.known.separable;
        if bit != 0 {
            self.ranges.push((bit, start..start.saturating_add(size)));
        }
    }

    /// The argument is an address: it may lead to all of the allocation that it lies in or is the end of, or anywhere
    /// if the context knows none. The start of an allocation may also be the end of what lies in front of it, such as
    /// memory of the host's that a buffer uses.
    pub(crate) fn add_address(&mut self, index: usize, address: usize, context: &Context) {
        if self.known.separable == 0 || address == 0 {
            return;
        }
        let known = context.svm_allocation(address).or_else(|| context.usm_allocation(address));
        let Range { mut start, end } = known.unwrap_or(0..usize::MAX);
        if address == start {
            start -= 1;
        }
        self.add(index, start, end - start);
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
    use crate::memory::usm::Owner;
    use crate::platform::Platform;

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

    #[test]
    fn ends_of_allocations_lead_to_them() {
        let device = &Platform::get().devices()[0];
        let context = Context::create(std::slice::from_ref(device), Vec::new(), None).expect("context");
        const SIZE: usize = 256 << 10;
        let svm = || context.svm_alloc(0, SIZE, 0).expect("memory");
        let usm = || context.usm_alloc(Owner::Host, 0, SIZE, 0).expect("memory");
        // Enough for neighbours wherever the system has room.
        let mut all: Vec<usize> = (0..16).flat_map(|_| [svm(), usm()]).collect();
        all.sort_unstable();
        let two = |add: &dyn Fn(&mut Reach)| {
            let mut reach = Reach::new(Pointers { separable: 0b11, stored: 0b11 });
            add(&mut reach);
            reach.disjoint() == 0b11
        };
        let pointers = |a, b| {
            two(&|reach| {
                reach.add_address(0, a, &context);
                reach.add_address(1, b, &context);
            })
        };
        for pair in all.windows(2) {
            let [low, high] = [pair[0], pair[1]];
            assert!(low + SIZE < high, "an end is nobody's start");
            assert!(pointers(low, high) && pointers(low + SIZE, high) && pointers(low + 4, high + SIZE));
            assert!(!pointers(low + SIZE, low) && !pointers(low, low + SIZE - 4) && !pointers(high + SIZE, high + 4));
            assert!(!pointers(high, high - 4), "in front of an allocation is memory that nobody knows");
            let in_front = |size| {
                two(&|reach| {
                    reach.add(0, high - 64, size);
                    reach.add_address(1, high, &context);
                })
            };
            assert!(in_front(60) && !in_front(64) && !in_front(65));
        }
        for at in all {
            context.svm_free(at);
            let _ = context.usm_free(at);
        }
    }
}

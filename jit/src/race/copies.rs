//! Asynchronous copies of a work-group that nothing has waited for. Must not know who finds out.

use smallvec::SmallVec;
use std::ops::Range;

/// Copies of a group that are remembered; behind those, none are.
pub(super) const MAX_COPIES: usize = 64;

/// An asynchronous copy.
pub(super) struct Copied {
    /// A number in `Sites::met`.
    pub site: u32,
    /// What has to be waited for.
    pub event: u64,
    /// What it touches, as far as that is known, and whether it writes there.
    pub sides: SmallVec<[(Range<u64>, bool); 2]>,
    /// It comes before all copies to come.
    pub is_fenced: bool,
}

impl Copied {
    /// The copy with this number in `Sites::met`, of an event.
    pub fn new(site: u32, event: u64) -> Self {
        Self { site, event, sides: SmallVec::new(), is_fenced: false }
    }

    /// The first byte for which what something else does to these bytes has to wait for this copy.
    pub fn meets(&self, range: &Range<u64>, writes: bool) -> Option<u64> {
        let first = |side: &Range<u64>| range.start.max(side.start);
        let overlaps = |side: &Range<u64>| first(side) < range.end.min(side.end);
        let meeting = self.sides.iter().find(|(side, is_written)| overlaps(side) && (writes || *is_written));
        meeting.map(|(side, _)| first(side))
    }

    /// Where it copies to; 0 if that is not known.
    pub fn target(&self) -> u64 {
        self.sides.iter().find(|(_, is_written)| *is_written).map_or(0, |(side, _)| side.start)
    }
}

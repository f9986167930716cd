//! Source texts and places in them.

/// A range of source positions, half open. Positions are global over all files and macro expansions of a compilation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// First position.
    pub lo: u32,
    /// One past the last position.
    pub hi: u32,
}

impl Span {
    /// No place.
    pub const DUMMY: Span = Span { lo: 0, hi: 0 };
}

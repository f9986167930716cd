//! What passes may rely on, as a set of facts about a function.

bitflags::bitflags! {
    /// Facts about a function between two passes: its stage, which is exactly one of the first four, and what a pass
    /// has left that later ones may rely on or must not undo.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Form: u8 {
        /// Stage: one activation is one work-item; ids, barriers and collectives are operations.
        const KERNEL = 1;
        /// Stage: one activation is a range of work-groups; work-items are turns of loops that are marked
        /// (`BlockData::items`).
        const GROUP = 1 << 1;
        /// Stage: as `GROUP`, and work-items are lanes of vectors.
        const LANES = 1 << 2;
        /// Stage: what the code generator takes. See `legalize`.
        const LEGAL = 1 << 3;
        /// The last transformation that made variables of values has been followed by `mem2reg`.
        const SSA = 1 << 4;
        /// Each natural loop's header has one predecessor from outside, which leads nowhere else.
        const PREHEADERS = 1 << 5;
        /// Shuffles stand as the code generator wants them.
        const ARRANGED = 1 << 6;
    }
}

impl Form {
    /// The stages.
    pub const STAGES: Self = Self::KERNEL.union(Self::GROUP).union(Self::LANES).union(Self::LEGAL);

    /// True if a function of this form has what is needed: of stages one that is named, if any is, and all of the rest.
    pub fn has(self, needs: Self) -> bool {
        let stages = needs & Self::STAGES;
        (stages.is_empty() || self.intersects(stages)) && self.contains(needs - Self::STAGES)
    }
}

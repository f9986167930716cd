//! What one instruction has besides its operation, operands and immediate: facts, permissions, and how it computes.
//! Survives inlining. Must not say what an operation is: `op` does.

use super::op::{Order, Rounding, Scope};

bitflags::bitflags! {
    /// Facts and permissions on one instruction.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Flags: u16 {
        /// fmul/fadd/fsub: a product and a sum that both have it may be rounded once (permission).
        const CONTRACT = 1;
        /// gather: of each element only the first three quarters are accessed; the last one holds anything.
        const THREE = 2;
        /// No NaN arguments or results (permission to return anything for them).
        const NNAN = 4;
        /// For checks, facts. fptosi, fptoui: the program has a result for numbers in the type's range only. Accesses
        /// to memory: they are inside their object, which is the checks' own.
        const IN_RANGE = 8;
        /// The sign of a zero does not matter (permission).
        const NSZ = 16;
        /// fdiv: x/y may be x*(1/y) (permission).
        const ARCP = 32;
        /// No signed wrap, `trunc`: the signed number stays what it was. A fact about work-items in which anything
        /// depends on the result: passes execute pure operations in advance, for others too.
        const NSW = 128;
        /// No unsigned wrap, `trunc`: the unsigned number stays what it was; a fact like `NSW`.
        const NUW = 256;
        /// Volatile access.
        const VOLATILE = 512;
        /// The memory is never written while the kernel runs (fact).
        const INVARIANT = 1024;
        /// call: the callee touches no memory but constants and its own, needs no work-item, and returns (fact).
        const PURE = 2048;
        /// store: fills memory that is larger than the caches, which nothing reads soon; it may go past them
        /// (permission).
        const STREAM = 4096;
        /// load of a pointer argument from the argument block: what it leads to is, if anything writes it, no other
        /// such argument's memory (fact). The place in the block tells arguments apart.
        const DISJOINT = 8192;
        /// mul: both operands, read as signed numbers, have 24 bits at most; a fact like `NSW`.
        const SHORT_S = 16384;
        /// mul: both operands, read as unsigned numbers, have 24 bits at most; a fact like `NSW`.
        const SHORT_U = 32768;
    }
}

impl Flags {
    /// Facts about the numbers that an operation computes with: they hold where anything depends on the result.
    pub const VALUES: Self = Self::NSW.union(Self::NUW).union(Self::SHORT_S).union(Self::SHORT_U);
}

/// Per-instruction attributes; they survive inlining.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Attr {
    /// Facts and permissions.
    pub flags: Flags,
    /// Rounding of ops that name it.
    pub rm: Rounding,
    /// Known alignment of a memory access in bytes, a power of two; 0 = the element's size.
    pub align: u8,
    /// Order of atomics and fences.
    pub order: Order,
    /// Scope of atomics and fences.
    pub scope: Scope,
}

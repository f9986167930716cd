//! Operations of work-group reductions and scans: their identities, and the order in which floating operands are
//! combined.
//!
//! **The order is a promise** (README, "Bits"): the result depends on the operands and the linear local ids alone, not
//! on threads, vector width or run. Integer operations are associative, so only the floating ones need it. With `l` the
//! linear local id:
//!
//! - Reduction: `REDUCE_COLUMNS` columns; the operand of `l` belongs to column `l mod 16`, each column is combined by
//!   increasing `l`. Then column `i` takes in column `i + 8` for `i < 8`, then `i + 4`, `i + 2`, `i + 1`. So 4, 8 or
//!   16 lanes accumulate whole vectors and need one horizontal step at the end.
//! - Scan: runs of `SCAN_RUN` work-items. The result up to `l` is `base ∘ run`: `run` combines the operands of `l`'s
//!   own run of four up to `l`, left to right; `base` is the result at the end of the run before. So vectors of any
//!   multiple of four lanes scan their runs side by side, and only one operation in four waits for the one before.
//!
//! What comes first is the left operand. `min` and `max` skip NaN operands unless all are NaN, and keep the left of two
//! equal operands. Columns without an operand are skipped. An exclusive scan gives the identity to the first work-item
//! and to each other one the inclusive result of its predecessor.
//! Sub-groups have an order of their own, by `i`, the number of the work-item in its sub-group, and `n`, the size of
//! the sub-group or cluster whatever the number of active work-items; operands of others are `neutral`:
//!
//! - Reduction: `i` takes in `i + n/2` for `i < n/2`, then `i + n/4`, … `i + 1`.
//! - Scan: each `i` is the right operand of `i - 1`, then of `i - 2`, `i - 4`, … `i - n/2` (Hillis and Steele), where
//!   there is one. An exclusive scan gives the identity to the first active work-item.
//!
//! Here are the rules; `wg::collective` and `interp::group`, and for sub-groups `simd::sub_group`,
//! `simd::expand_reductions` and `interp::sub_group`, each follow them on their own.

use super::op::Op;
use super::ty::Scalar;

/// Columns of a floating reduction.
pub const REDUCE_COLUMNS: u64 = 16;
/// Work-items of a run in a floating scan.
pub const SCAN_RUN: u64 = 4;

/// Operations of work-group collectives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the usual names")]
pub enum CollectiveOp {
    Add,
    MinS,
    MinU,
    MaxS,
    MaxU,
    Fadd,
    Fmin,
    Fmax,
    Mul,
    Fmul,
    And,
    Or,
    Xor,
}

impl CollectiveOp {
    /// Each of them.
    pub const ALL: [CollectiveOp; 13] = [
        CollectiveOp::Add,
        CollectiveOp::MinS,
        CollectiveOp::MinU,
        CollectiveOp::MaxS,
        CollectiveOp::MaxU,
        CollectiveOp::Fadd,
        CollectiveOp::Fmin,
        CollectiveOp::Fmax,
        CollectiveOp::Mul,
        CollectiveOp::Fmul,
        CollectiveOp::And,
        CollectiveOp::Or,
        CollectiveOp::Xor,
    ];

    /// True if the operands are floating, and so their order matters.
    pub fn is_float(self) -> bool {
        matches!(self, Self::Fadd | Self::Fmul | Self::Fmin | Self::Fmax)
    }

    /// The op that combines two operands: the *left* one is operand 1. (`Fmin` and `Fmax` give the second of equal
    /// ones.)
    pub fn op(self) -> Op {
        match self {
            Self::Add => Op::Add,
            Self::MinS => Op::MinS,
            Self::MinU => Op::MinU,
            Self::MaxS => Op::MaxS,
            Self::MaxU => Op::MaxU,
            Self::Fadd => Op::Fadd,
            Self::Fmin => Op::Fmin,
            Self::Fmax => Op::Fmax,
            Self::Mul => Op::Mul,
            Self::Fmul => Op::Fmul,
            Self::And => Op::And,
            Self::Or => Op::Or,
            Self::Xor => Op::Xor,
        }
    }

    /// Bits of what an exclusive scan gives the first work-item. Spec: OpenCL C, "Work-group Collective Functions" and
    /// "Work-group Collective Uniform Arithmetic Functions".
    pub fn identity(self, elem: Scalar) -> u64 {
        let float = FloatBits::of(elem);
        let bits = elem.bits();
        let ones = u64::MAX >> (64 - bits);
        match self {
            Self::Add | Self::Fadd | Self::Or | Self::Xor | Self::MaxU => 0,
            Self::MinS => ones >> 1,
            Self::MaxS => 1 << (bits - 1),
            Self::MinU | Self::And => ones,
            Self::Mul => 1,
            Self::Fmul => float.one,
            Self::Fmin => float.infinity,
            Self::Fmax => float.infinity | float.sign,
        }
    }

    /// Bits of the value that leaves any other as it is, from either side. Unlike the identity, that is -0 for a
    /// floating sum and NaN for a floating minimum or maximum.
    pub fn neutral(self, elem: Scalar) -> u64 {
        let float = FloatBits::of(elem);
        match self {
            Self::Fadd => float.sign,
            Self::Fmin | Self::Fmax => float.nan,
            _ => self.identity(elem),
        }
    }
}

/// Bit patterns of a floating type.
struct FloatBits {
    sign: u64,
    one: u64,
    infinity: u64,
    nan: u64,
}

impl FloatBits {
    /// For other than floating types the patterns mean nothing.
    fn of(elem: Scalar) -> Self {
        let (sign, one, infinity) = match elem {
            Scalar::F16 => (1 << 15, 0x3c00, 0x7c00),
            Scalar::F32 => (1 << 31, u64::from(1f32.to_bits()), u64::from(f32::INFINITY.to_bits())),
            _ => (1 << 63, 1f64.to_bits(), f64::INFINITY.to_bits()),
        };
        let quiet = (infinity & !(infinity - 1)) >> 1;
        Self { sign, one, infinity, nan: infinity | quiet }
    }
}

//! The loop toolkit: what transformations of loops are made of. A pass finds out what may be done, and does it with
//! these:
//!
//! - `simplify`: preheaders and single latches (LLVM's loop-simplify form);
//! - `lcssa`: whether values of a loop are used behind it, and ways to have them not be (loop-closed SSA form);
//! - `unroll`: copies of a loop's body one behind the other; `peel`: a copy of the header in front;
//! - `reducible`: cycles with several entries get one;
//! - `split`: a loop that ends at a bound, and one that goes on from there (index-set splitting);
//! - `count`: how loops count that test at their top, and whether there are so many turns more;
//! - `jam`: several turns of a loop at once, through the loops within it (unroll-and-jam);
//! - `version`: a choice between two copies of a loop;
//! - `rotate`: loops that test at the top become loops that test at the bottom (loop inversion).
//!
//! Copies of code are `ir::Copies`. Functions here take natural loops as `ir::dom` finds them and change nothing but
//! the control flow around them. Stands on `ir` alone: must not know passes, work-items or lanes, nor decide whether
//! anything pays.

pub mod count;
pub mod jam;
pub mod lcssa;
pub mod peel;
pub mod reducible;
pub mod rotate;
pub mod simplify;
pub mod split;
pub mod unroll;
pub mod version;

#[cfg(test)]
mod tests;

//! Of which powers of two the first lane's value is a multiple. A vector of lanes that begins at a multiple of its own
//! extent lies wholly below another such multiple or wholly at or above it: comparing with that parts no lanes, as in
//! `for (i = get_local_id(0); i < 2048; i += 256)`. Nor do the higher bits differ in `get_local_id(0) / 32`, and the
//! lower ones do not wrap in `get_local_id(0) % 32`; nor does a sum of such, whatever it is extended to. Must not look
//! at memory.

use super::recurrence::Carried;
use super::shape::Facts;
use crate::analysis::range::low_zeros;
use crate::ir::entity::Entity;
use crate::ir::{Block, Func, IntPred, Value};

/// For each value how many of its lowest bits are zero in the first lane, all lanes being wanted.
pub(super) struct Aligned {
    zeros: Vec<u32>,
    /// Bits that number the lanes.
    lane_bits: u32,
}

impl Aligned {
    /// Facts that hold for up to `max_width` lanes. What is a multiple of the number of lanes stays one for fewer of
    /// them.
    pub(super) fn find(func: &Func, facts: &Facts, carried: &Carried, max_width: u8) -> Self {
        let lane_bits = u32::from(max_width).trailing_zeros();
        let mut this = Self { zeros: vec![u64::BITS; func.values.len()], lane_bits };
        func.blocks[func.entry()].params.iter().for_each(|v| this.zeros[v.index()] = 0);
        // From the most that can be, down to what holds.
        while facts.cfg.rpo().iter().filter(|&&block| this.visit(func, facts, carried, block)).count() > 0 {}
        this
    }

    fn visit(&mut self, func: &Func, facts: &Facts, carried: &Carried, block: Block) -> bool {
        let mut changed = false;
        let mut lower = |zeros: &mut Vec<u32>, v: Value, to: u32| {
            changed |= to < zeros[v.index()];
            zeros[v.index()] = zeros[v.index()].min(to);
        };
        for (i, &param) in func.blocks[block].params.iter().enumerate() {
            // From vector to vector a step goes as often as there are lanes.
            let step = if block == facts.items.header { carried.step(i) } else { None };
            let step = step.map(|step| step.trailing_zeros() + self.lane_bits);
            for (pred, arg) in facts.cfg.handed(func, block, i) {
                let to = step.filter(|_| pred == facts.items.latch).unwrap_or(self.zeros[arg.index()]);
                lower(&mut self.zeros, param, to);
            }
        }
        for &inst in &func.blocks[block].insts {
            if let Some(result) = func.insts[inst].result {
                let to = low_zeros(func, &func.insts[inst], |v| self.zeros[v.index()]);
                lower(&mut self.zeros, result, to);
            }
        }
        changed
    }

    /// True if comparing `affine`, which grows by `stride` from lane to lane, with a value that all lanes share comes
    /// out the same in all of them. The predicate has `affine` on the left.
    pub(super) fn agree(&self, func: &Func, pred: IntPred, affine: Value, stride: i64, with: Value) -> bool {
        let ordered = matches!(pred, IntPred::ULt | IntPred::UGe | IntPred::SLt | IntPred::SGe);
        ordered && self.extent(func, affine, stride).is_some_and(|extent| self.zeros[with.index()] >= extent)
    }

    /// How many of the lowest bits of an affine value number the lanes of a vector, in units of the stride, and carry
    /// nothing into the others.
    pub(super) fn extent(&self, func: &Func, affine: Value, stride: i64) -> Option<u32> {
        let extent = stride.trailing_zeros() + self.lane_bits;
        let fits = stride > 0
            && (stride as u64).is_power_of_two()
            && extent < func.ty(affine).elem.bits()
            && self.zeros[affine.index()] >= extent;
        fits.then_some(extent)
    }
}

//! What the work-group transformation believes of a kernel, for `claims` to check while it runs. Must not decide anything.

use super::Sharing;
use super::cuts::{split, split_branches};
use super::live::analyse;
use super::region::Plan;
use super::uniform::Uniformity;
use crate::ir::{Block, Func, Module, Value};
use crate::launch::SpecKey;

/// A kernel in kernel form, cut, and its claims.
pub struct KernelClaims {
    /// The kernel.
    pub func: Func,
    /// Values that are the same for all work-items of a group that compute them together.
    pub uniform: Vec<Value>,
    /// Blocks that all work-items of a group execute equally often, between two barriers.
    pub together: Vec<Block>,
    /// For blocks that begin at cuts: values from before, of which the group keeps one.
    pub kept: Vec<(Block, Vec<Value>)>,
}

/// The claims that `build` relies on; none for a kernel that is not cut.
pub fn find(module: &Module, kernel: usize, key: SpecKey) -> Option<KernelClaims> {
    let mut func = module.funcs[module.kernels[kernel].1].clone();
    if key.small_ids {
        super::small::mark(&mut func, key.local_size);
    }
    let mut cuts = split(&mut func);
    if cuts.len() == 1 {
        return None;
    }
    let uniformity = Uniformity::new(&func, &cuts);
    let analysed = func.layout.clone();
    if !Plan::new(&func, &cuts, &uniformity, Sharing::Auto).resume {
        split_branches(&mut func, &mut cuts, &uniformity);
    }
    let live = analyse(&func, &cuts, &uniformity);
    let uniform = func.values.keys().filter(|&v| !uniformity.varying.contains(v)).collect();
    let together = analysed.into_iter().filter(|&b| uniformity.is_together(b)).collect();
    let kept = cuts
        .iter()
        .zip(&live.after)
        .map(|(cut, after)| (cut.block, after.iter().filter(|&v| live.group.contains(v)).collect()));
    let kept = kept.collect();
    Some(KernelClaims { func, uniform, together, kept })
}

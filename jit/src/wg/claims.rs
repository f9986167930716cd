//! What the work-group transformation believes of a kernel, for `claims` to check while it runs. Must not decide
//! anything.

use super::{Kernel, Sharing};
use crate::ir::{Block, Func, Module, Value};
use crate::launch::SpecKey;

/// A kernel in kernel form, split at its barriers, and its claims.
pub struct KernelClaims {
    /// The kernel.
    pub func: Func,
    /// Values that are the same for all work-items of a group that compute them together.
    pub uniform: Vec<Value>,
    /// Blocks that all work-items of a group execute equally often, between two barriers.
    pub together: Vec<Block>,
    /// For blocks that begin at barriers: values from before, of which the group keeps one.
    pub kept: Vec<(Block, Vec<Value>)>,
}

/// The claims that `build` relies on; none for a kernel without barriers.
pub fn find(module: &Module, kernel: usize, key: SpecKey) -> Option<KernelClaims> {
    let (info, func) = &module.kernels[kernel];
    let Kernel { func, barriers, uniformity, live, .. } =
        Kernel::new(module.funcs[*func].clone(), info, key, Sharing::Auto);
    if barriers.is_one_region() {
        return None;
    }
    let uniform = func.values.keys().filter(|&v| !uniformity.varying.contains(v)).collect();
    let together = func.layout.iter().copied().filter(|&b| uniformity.is_together(b)).collect();
    let kept = barriers
        .list()
        .iter()
        .zip(&live.after)
        .map(|(barrier, after)| (barrier.block, after.intersection(&live.uniform).collect()))
        .collect();
    Some(KernelClaims { func, uniform, together, kept })
}

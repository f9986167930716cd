//! Work-group transformation: a kernel in kernel form (one activation = one work-item) becomes a plain function that runs a
//! range of work-groups.
//!
//! The kernel is cut where all work-items meet (`cuts`). Between cuts lie **regions**: what a work-item runs from one cut to
//! the next. Each region becomes a loop over the group's work-items (`items`); the order of regions is decided once per
//! group by an outer control flow. Values that live across a cut are kept in **columns** in scratch
//! memory (`live` finds them, `record` lays them out), unless they are cheap to compute again or the same for the whole
//! group (`uniform`).
//!
//! Normally every region gets its own copy of the blocks it reaches. Where that would grow the code too much, all regions
//! share one copy that begins with a switch over the cuts: **resume mode**. Both are one scheme: a region has a set of
//! entries, one or all.
//!
//! Within a region, a value that lives across cuts is a variable in a private slot; `pass::mem2reg` makes SSA form of it
//! again, which takes care of every shape of control flow. Nothing here assumes structured or reducible code.
//!
//! ```text
//! fn(args, env, g0, g1)
//!   for g in g0..g1            group id [x, y, z] advanced incrementally, size of this group
//!     region 0: for each item  → exit cut k or return
//!     cut k: what the group makes of what its work-items gave → region k: for each item …
//! ```
//! A work-item that returns while others go on to a barrier is illegal but common; its `alive` byte keeps it out
//! of later regions. Reading order: `build`, `cuts`, `live`, `record`, `assemble`, `region`, `collective`;
//! `defer` works on the finished function.
//! Must not know Cranelift or the HIR.

pub mod along;
mod assemble;
pub mod claims;
mod collective;
mod cuts;
pub mod defer;
mod geometry;
mod live;
mod record;
mod region;
mod small;
mod uniform;

use crate::ir::{Func, FuncId, Imm, LocalVarId, Module, Op};
use crate::launch::SpecKey;
use crate::pass::{specialise, stream};
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// A kernel as a work-group function and the memory it needs.
pub struct WorkGroup {
    /// `fn(args: ptr<const>, env: ptr<const>, g0: i64, g1: i64)`.
    pub func: Func,
    /// Scratch bytes for each work-item of a group: context record and private arrays.
    pub scratch_per_item: usize,
}

/// How regions share code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sharing {
    /// A copy for each region unless that grows the code too much.
    #[default]
    Auto,
    /// One copy for all: resume mode.
    Resume,
}

/// Turns kernel number `kernel` of a module into a work-group function. Callees that use ids, local variables or convergent
/// operations have been inlined.
pub fn build(module: &Module, kernel: usize, key: SpecKey, sharing: Sharing) -> WorkGroup {
    let (info, id) = &module.kernels[kernel];
    let locals = local_layout(module, *id);
    let mut func = Cow::Borrowed(&module.funcs[*id]);
    if let Some(special) = specialise::run(module, &func, &info.args, &key.images) {
        func = Cow::Owned(special);
    }
    if key.streams != 0 {
        stream::mark(func.to_mut(), key.streams);
    }
    assemble::assemble(&func, info, &locals, key, sharing)
}

/// Where `__local` variables of one kernel lie.
pub struct LocalLayout {
    /// Byte offset of each variable from `Env::local`.
    pub offsets: FxHashMap<LocalVarId, u64>,
    /// Bytes in all.
    pub bytes: u64,
}

/// Lays out the `__local` variables that a kernel and its callees use.
pub fn local_layout(module: &Module, kernel: FuncId) -> LocalLayout {
    let mut layout = LocalLayout { offsets: FxHashMap::default(), bytes: 0 };
    let mut seen = vec![false; module.funcs.len()];
    let mut work = vec![kernel];
    while let Some(id) = work.pop() {
        if std::mem::replace(&mut seen[id.0 as usize], true) {
            continue;
        }
        let func = &module.funcs[id];
        for inst in func.layout.iter().flat_map(|&b| &func.blocks[b].insts).map(|&i| &func.insts[i]) {
            match (&inst.op, &inst.imm) {
                (Op::LocalAddr, Imm::LocalVar(var)) if !layout.offsets.contains_key(var) => {
                    let var_data = &module.locals[*var];
                    let offset = layout.bytes.next_multiple_of(u64::from(var_data.align.max(1)));
                    layout.offsets.insert(*var, offset);
                    layout.bytes = offset + var_data.size;
                }
                (Op::Call, Imm::Func(callee)) => work.push(*callee),
                _ => {}
            }
        }
    }
    layout
}

/// True if no barrier, collective or local memory makes group boundaries matter to a kernel, and it does not ask for
/// group sizes or numbers: then the runtime may group its work-items as it likes.
pub fn is_group_agnostic(module: &Module, kernel: usize) -> bool {
    let (info, id) = &module.kernels[kernel];
    let func = &module.funcs[*id];
    let asks = |op: Op| matches!(op, Op::Lid | Op::Lsz | Op::Elsz | Op::Grp | Op::Ngrp);
    let mut ops = func.layout.iter().flat_map(|&b| &func.blocks[b].insts).map(|&i| func.insts[i].op);
    let convergent = ops.any(|op| op.is_convergent() || asks(op));
    let local_arg = info.args.iter().any(|arg| arg.kind == crate::launch::ArgKind::Local);
    !convergent && !local_arg && local_layout(module, *id).bytes == 0
}

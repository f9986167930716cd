//! Work-group transformation: a kernel in kernel form (one activation = one work-item) becomes a plain function that
//! runs a range of work-groups.
//!
//! Work-items meet at **barriers** (`barriers`). What a work-item runs from one barrier to the next is a **parallel
//! region**; each becomes a loop over the group's work-items, the **work-item loop** (`region`), and an outer control
//! flow decides once per group which region comes next (`assemble`). This is the scheme of Jääskeläinen et al., "pocl:
//! A Performance-Portable OpenCL Implementation" (2015). A value that lives across a barrier (`live`) is computed again
//! in each region if that is cheap, kept once if it is the same for the whole group (`uniform`), or else spilled to the
//! group's **context** in scratch memory, an array for each value (`context`).
//!
//! Normally every region gets its own copy of the blocks it reaches. Where that would grow the code too much, all
//! regions share one copy that begins with a switch over the barriers: a **dispatch loop** whose work-items have
//! continuations (Karrenberg and Hack, "Improving Performance of OpenCL on CPUs", 2012). Both are one scheme: a region
//! has a set of entries, one or all.
//!
//! Within a region, a value that lives across barriers is a variable in a private slot; `pass::mem2reg` makes SSA form
//! of it again, which takes care of every shape of control flow. Nothing here assumes structured or reducible code.
//!
//! ```text
//! fn(args, env, g0, g1)
//!   for g in g0..g1              group id [x, y, z] advanced incrementally, size of this group
//!     region 0: for each item  → barrier k or return
//!     barrier k: what the group makes of what its work-items gave → region k: for each item …
//! ```
//! In a kernel with sub-groups, the innermost loop over work-items runs by linear local id, and each sub-group becomes
//! one vector of it: operations of sub-groups stay in the loop until `simd::sub_group` makes lanes of them.
//! A work-item that returns while others go on to a barrier is illegal but common; its `alive` byte keeps it out of
//! later regions. Reading order: `form`, `barriers`, `uniform`, `live`, `context`, `assemble`, `region`, `collective`;
//! `apart` checks that all come to each barrier, `interchange` chooses the order of the loops, `narrow_ids`,
//! `endless` and `loop_barriers` prepare the kernel, `privatise` works on the finished function. Must not know
//! Cranelift or the HIR.

mod apart;
mod assemble;
mod barriers;
pub mod claims;
mod collective;
mod context;
mod endless;
mod geometry;
pub mod interchange;
mod live;
pub(crate) mod loop_barriers;
mod narrow_ids;
pub mod privatise;
mod region;
mod track;
mod uniform;
mod variables;

use crate::ir::dom::Loops;
use crate::ir::op::Flags;
use crate::ir::variable::Variable;
use crate::ir::{Func, FuncId, Imm, LocalPlace, LocalVar, LocalVarId, Module, Op, Type, Value};
use crate::launch::{AddrSpace, KernelInfo, SpecKey};
use crate::target::sub_group_size;
use barriers::Barriers;
use live::Live;
use region::Regions;
use rustc_hash::FxHashMap;
use uniform::Uniformity;

/// How regions share code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sharing {
    /// A copy for each region unless that grows the code too much.
    #[default]
    Auto,
    /// One copy for all, in a dispatch loop.
    DispatchLoop,
    /// A copy for each region, always.
    Copies,
}

/// What has become of a kernel.
pub(crate) struct Formed {
    /// `fn(args: ptr<const>, env: ptr<const>, g0: i64, g1: i64)`.
    pub func: Func,
    /// Bytes for each work-item of a group: context and private arrays.
    pub scratch_per_item: usize,
    /// There are private arrays that are interleaved.
    pub is_interleaved: bool,
}

/// Turns a kernel into a work-group function. Callees that use ids, local variables or convergent operations have been
/// inlined. `interleaves`: private arrays that live across barriers lie element by element, as lanes want it, where
/// that can be.
pub(crate) fn form(
    kernel: &Func,
    info: &KernelInfo,
    locals: &LocalLayout,
    key: SpecKey,
    sharing: Sharing,
    interleaves: bool,
) -> Formed {
    // Sub-groups must have lanes. Where one loop serves all regions, some values go from work-item to work-item in ways
    // that lanes do not follow.
    let (mut kernel, mut sharing) = (kernel.clone(), sharing);
    if sub_group(&kernel, info).is_some() {
        endless::give_ends(&mut kernel);
        sharing = Sharing::Copies;
    }
    let kernel = Kernel::new(kernel, info, key, sharing);
    assemble::assemble(&kernel, info, locals, key, interleaves)
}

/// A kernel in kernel form, split at its barriers, and what the work-group function is made from.
struct Kernel {
    func: Func,
    barriers: Barriers,
    uniformity: Uniformity,
    regions: Regions,
    live: Live,
    /// It is checked whether work-items part: each has a place of its own (`apart`).
    is_apart: bool,
    /// Operands of convergent instructions that have to be the same for all and may not be, by barrier, where that is
    /// checked.
    doubtful: FxHashMap<usize, Vec<usize>>,
}

impl Kernel {
    fn new(mut func: Func, info: &KernelInfo, key: SpecKey, sharing: Sharing) -> Self {
        if key.small_ids {
            let params = &func.blocks[func.entry()].params;
            let args: Vec<Value> = info.long_args().filter(|_| key.small_args).map(|arg| params[arg]).collect();
            narrow_ids::mark(&mut func, key.local_size, &args);
        }
        let mut barriers = Barriers::split(&mut func);
        let mut uniformity = Uniformity::new(&func, &barriers, key.local_size);
        let mut regions = Regions::new(&func, &barriers, &uniformity, sharing);
        let doubtful = apart::doubtful(&func, &barriers, &uniformity);
        let is_apart = barriers.is_checked && regions.some_part;
        if is_apart {
            uniformity = Uniformity::none(&func);
        } else if !barriers.is_one_region() && !regions.dispatch_loop {
            barriers.add_branches(&mut func, &uniformity);
            regions = Regions::new(&func, &barriers, &uniformity, sharing);
        }
        let inner = interchange::loop_order(info, key)[2];
        let live = Live::new(&func, &barriers, &uniformity, inner);
        Self { func, barriers, uniformity, regions, live, is_apart, doubtful }
    }
}

/// Of a kernel whose groups may wait for each other: loads of shared memory in loops with barriers are made in each
/// turn. Nothing else is left of the barriers in the work-group function that would keep them there.
pub fn keep_signals(kernel: &mut Func) {
    let (_, _, loops) = Loops::of_func(kernel);
    let mut signals = Vec::new();
    for l in &loops.loops {
        let insts = || l.blocks.iter().flat_map(|&b| &kernel.blocks[b].insts).copied();
        if insts().any(|inst| kernel.insts[inst].op == Op::Barrier) {
            signals.extend(insts().filter(|&inst| {
                let data = &kernel.insts[inst];
                let is_shared = |space| kernel.ty(data.args[0]) == Type::ptr(space);
                data.op == Op::Load && (is_shared(AddrSpace::Global) || is_shared(AddrSpace::Generic))
            }));
        }
    }
    signals.into_iter().for_each(|inst| kernel.insts[inst].attr.flags |= Flags::VOLATILE);
}

/// Work-items of a kernel's sub-groups, if it has operations of such or asks about them.
pub fn sub_group(kernel: &Func, info: &KernelInfo) -> Option<u8> {
    let asks = |op: Op| op.is_sub_group() || op.is_sub_group_query();
    kernel.live_insts().any(|(_, inst)| asks(kernel.insts[inst].op)).then(|| sub_group_size(info))
}

/// Where `__local` variables of one kernel lie.
pub struct LocalLayout {
    /// Byte offset of each variable from `Env::local`.
    pub offsets: FxHashMap<LocalVarId, u64>,
    /// Those that debuggers are told of: offset and name.
    pub variables: Vec<(u64, String, Box<Variable>)>,
    /// Bytes in all.
    pub bytes: u64,
}

impl LocalLayout {
    /// The variables, in the order in which they lie.
    pub fn places(&self, module: &Module) -> Vec<LocalPlace> {
        let place = |(&id, &start): (&LocalVarId, &u64)| {
            let LocalVar { name, size, .. } = &module.locals[id];
            LocalPlace { name: name.clone(), start, size: *size }
        };
        let mut places: Vec<LocalPlace> = self.offsets.iter().map(place).collect();
        places.sort_unstable_by_key(|place| place.start);
        places
    }
}

/// Lays out the `__local` variables that a kernel and its callees use.
pub fn local_layout(module: &Module, kernel: FuncId) -> LocalLayout {
    let mut layout = LocalLayout { offsets: FxHashMap::default(), variables: Vec::new(), bytes: 0 };
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
                    if let Some(mut variable) = var_data.variable.clone() {
                        // It is seen where the function that uses it came in.
                        if id == kernel {
                            variable.declared.site = inst.origin.site;
                        }
                        layout.variables.push((offset, var_data.name.clone(), variable));
                    }
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
    let asks = |op: Op| {
        let of_group = matches!(op, Op::Lid | Op::Lsz | Op::Elsz | Op::Grp | Op::Ngrp);
        of_group || op.is_sub_group() || op.is_sub_group_query()
    };
    let mut ops = func.layout.iter().flat_map(|&b| &func.blocks[b].insts).map(|&i| func.insts[i].op);
    let convergent = ops.any(|op| op.is_convergent() || asks(op));
    let local_arg = info.args.iter().any(|arg| arg.kind == crate::launch::ArgKind::Local);
    !convergent && !local_arg && local_layout(module, *id).bytes == 0
}

//! Stores past the caches. A store usually reads the line that it changes; when a launch fills more memory than the
//! caches hold, and fills it whole, that reading is for nothing, and so is what the caches keep of it. `find` looks for
//! arguments that a kernel only writes through; `mark` marks those stores with `Flags::STREAM` for a launch that is
//! that large.
//!
//! Past the caches, a line whose neighbours are written much later is slow: memory opens a row of many lines for each.
//! Where groups that are neighbours along y write side by side, and those along x far apart, as in a transposition, the
//! caches are to gather them.
//!
//! Whether whole lines are written is for the code generator to see. Such stores are ordered by a fence at the end of
//! the work-group function only: a kernel that orders its work among threads itself gets none. Needs kernel form after
//! `PROGRAM`; linear.

use crate::analysis::alias::is_pure_call;
use crate::analysis::strides::{Neighbours, Stride, Strides, dim};
use crate::ir::cfg::Cfg;
use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::{Func, Inst, Op, Scope, Type, Value};
use crate::launch::AddrSpace;

/// Bytes between what neighbouring groups write, at most, if it is side by side: groups are taken to be small here.
const NEAR: u64 = 1024;

/// What a kernel stores through one of its arguments.
#[derive(Clone, Debug, Default)]
struct Stored {
    /// Each once for a work-item at most.
    stores: Vec<Inst>,
    /// Memory is touched in other ways too.
    other: bool,
}

/// For each argument of a kernel: the bytes that a work-item stores through it, 0 if the stores cannot go past the
/// caches.
pub fn find(kernel: &Func) -> Vec<u32> {
    let bytes = |inst: &Inst| kernel.ty(kernel.insts[*inst].args[1]).bytes();
    stored(kernel).iter().map(|stored| stored.stores.iter().map(bytes).sum()).collect()
}

/// Marks the stores through these arguments (bit `n` for number `n`).
pub fn mark(kernel: &mut Func, args: u64) {
    for (_, stored) in stored(kernel).into_iter().enumerate().filter(|(n, _)| *n < 64 && args >> n & 1 != 0) {
        for inst in stored.stores {
            kernel.insts[inst].attr.flags |= Flags::STREAM;
        }
    }
}

/// What `find` and `mark` go by: for each argument.
fn stored(kernel: &Func) -> Vec<Stored> {
    let params = &kernel.blocks[kernel.entry()].params;
    let mut found = vec![Stored::default(); params.len()];
    let mut args: Vec<Option<usize>> = vec![None; kernel.values.len()];
    for (n, &param) in params.iter().enumerate() {
        if kernel.ty(param) == Type::ptr(AddrSpace::Global) {
            args[param.index()] = Some(n);
        }
    }
    let cfg = Cfg::new(kernel);
    let repeated = repeated(kernel, &cfg);
    let columns = Columns::new(kernel, &cfg);
    for (place, &block) in cfg.rpo().iter().enumerate() {
        for &inst in &kernel.blocks[block].insts {
            let data = &kernel.insts[inst];
            let orders = match data.op {
                Op::AtomicLoad | Op::AtomicStore | Op::AtomicRmw | Op::AtomicCas => {
                    kernel.ty(data.args[0]) != Type::ptr(AddrSpace::Local)
                }
                Op::Fence => matches!(data.attr.scope, Scope::Device | Scope::AllDevices),
                Op::Call => !is_pure_call(data),
                Op::Device => true,
                _ => false,
            };
            if orders {
                return vec![Stored::default(); params.len()];
            }
            for (n, arg) in data.args.iter().enumerate() {
                let Some(arg) = args[arg.index()] else { continue };
                match (data.op, n, data.result) {
                    (Op::PtrAdd | Op::PtrOff, 0, Some(result)) => args[result.index()] = Some(arg),
                    (Op::Store, 0, _)
                        if !repeated[place]
                            && !data.attr.flags.contains(Flags::VOLATILE)
                            && !columns.has(data.args[0]) =>
                    {
                        found[arg].stores.push(inst);
                    }
                    _ => found[arg].other = true,
                }
            }
        }
        kernel.blocks[block].term.for_each_value(|v| {
            if let Some(arg) = args[v.index()] {
                found[arg].other = true;
            }
        });
    }
    found.iter_mut().filter(|stored| stored.other).for_each(|stored| stored.stores.clear());
    found
}

/// What is far apart for groups that are neighbours along x, and side by side for those along y.
struct Columns<'f>(Option<[Strides<'f>; 2]>);

impl<'f> Columns<'f> {
    fn new(kernel: &'f Func, cfg: &Cfg) -> Self {
        let is_y = |inst: Inst| {
            let data = &kernel.insts[inst];
            matches!(data.op, Op::Gid | Op::Grp) && dim(data) == Some(1)
        };
        let has_y = kernel.live_insts().any(|(_, inst)| is_y(inst));
        Self(has_y.then(|| [0, 1].map(|d| Strides::new(kernel, cfg, Neighbours::Groups, d))))
    }

    fn has(&self, ptr: Value) -> bool {
        let Some(along) = &self.0 else { return false };
        let [x, y] = along.each_ref().map(|strides| match strides.of(ptr) {
            Stride::By(by) => by.unsigned_abs(),
            Stride::Irregular | Stride::Unknown => u64::MAX,
        });
        x > NEAR && (1..=NEAR).contains(&y)
    }
}

/// For each place in the reverse postorder: true if the block there may be in a cycle.
fn repeated(kernel: &Func, cfg: &Cfg) -> Vec<bool> {
    let mut repeated = vec![false; cfg.rpo().len()];
    for (from, &block) in cfg.rpo().iter().enumerate() {
        kernel.blocks[block].term.for_each_target(|target| {
            if let Some(to) = cfg.number(target.block).filter(|&to| to <= from) {
                repeated[to..=from].fill(true);
            }
        });
    }
    repeated
}

#[cfg(test)]
mod tests {
    use crate::target::{self, Backend};

    fn bytes(source: &str) -> Vec<u32> {
        let program = crate::build(source.as_bytes(), "-cl-std=CL3.0", &[]).program.expect("compiles");
        program.kernels()[0].args.iter().map(|arg| arg.streamed_bytes).collect()
    }

    #[test]
    fn code_goes_past_the_caches_when_asked_to() {
        // Cranelift has no such stores, and scalar code has no whole vectors.
        let can = target::lanes().is_some() && target::backend() != Backend::Cranelift;
        let asm = |source: &str, streams| {
            let program = crate::build(source.as_bytes(), "", &[]).program.expect("compiles");
            let key = crate::SpecKey { local_size: Some([64, 1, 1]), small_ids: true, streams, ..Default::default() };
            program.emit(0, key, crate::Emit::Asm).expect("compiles")
        };
        let guarded = "kernel void f(global const float *in, global float *out, int n) {
            int i = get_global_id(0);
            if (i < n) out[i] = in[i] * 2;
        }";
        for source in [guarded, "kernel void f(global long *out) { out[get_global_id(0)] = get_global_id(0); }"] {
            for (streams, wanted) in [(u64::MAX, true), (0, false)] {
                let text = asm(source, streams);
                assert_eq!(text.contains("vmovntp"), wanted && can, "{text}");
                assert_eq!(text.contains("sfence"), wanted && can, "{text}");
            }
        }
        assert!(!asm("kernel void f(global float *a) { a[get_global_id(0)] += 1; }", u64::MAX).contains("fence"));
    }

    #[test]
    fn what_is_only_written_streams() {
        let copy = "kernel void f(global const float4 *in, global float4 *out, global int *n) {
            size_t i = get_global_id(0);
            if (i < 99) out[i] = in[i];
            n[i + 1] = 1; n[i] = 2;
        }";
        assert_eq!(bytes(copy), [0, 16, 8]);
    }

    #[test]
    fn other_accesses_stand_against_it() {
        let cases = [
            ("read, too", "a[i] += 1; b[i] = 2;"),
            ("in a loop", "for (int k = 0; k < n; k++) a[n * k + i] = k; b[i] = 2;"),
            ("volatile", "*(volatile global int *)(a + i) = 1; b[i] = 2;"),
            ("its address goes elsewhere", "global int *p = n > 3 ? a : b + 1; p[i] = 5; c[i] = 1;"),
        ];
        for (why, body) in cases {
            let head =
                "kernel void f(global int *a, global int *b, global int *c, int n) { size_t i = get_global_id(0); ";
            let found = bytes(&format!("{head}{body} }}"));
            assert_eq!(found[0], 0, "{why}");
            assert_eq!(found[1] + found[2], 4, "{why}");
        }
    }

    #[test]
    fn columns_of_groups_stay_in_the_caches() {
        let streams = |place: &str| {
            let head = "kernel void f(global int *a, int n) {
                int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
                int gx = get_group_id(0), gy = get_group_id(1);";
            bytes(&format!("{head} a[{place}] = 1; }}"))[0] == 4
        };
        let tile = "(get_group_id(0) * (int)get_local_size(0) + ly) * n + gy * get_local_size(1) + lx";
        for place in
            ["x * n + y", "(gx * 16 + ly) * n + gy * 16 + lx", "((gx << 4) + ly) * 4096 + (gy << 4) + lx", tile]
        {
            assert!(!streams(place), "{place}");
        }
        for place in ["y * n + x", "(gy * 16 + ly) * n + gx * 16 + lx", "gx * n + lx", "x + n * (gy % 7)", "x % n * 5"]
        {
            assert!(streams(place), "{place}");
        }
    }

    #[test]
    fn kernels_that_order_memory_themselves_have_none() {
        let with = |line: &str| {
            let head =
                "kernel void f(global int *a, global int *n) { local int l; size_t i = get_global_id(0); a[i] = 1; ";
            bytes(&format!("{head}{line} }}"))[0]
        };
        assert_eq!(with("atomic_inc(n);"), 0);
        assert_eq!(with("atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);"), 0);
        assert_eq!(with("l = 0; atomic_inc(&l); barrier(CLK_GLOBAL_MEM_FENCE);"), 4);
    }
}

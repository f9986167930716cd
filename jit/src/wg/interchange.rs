//! Loop interchange of the loops over a group's work-items: which dimension the innermost one, whose work-items share
//! vectors, runs along. They should access memory side by side: that is x in most kernels, but y where
//! `a[get_global_id(0) * n + get_global_id(1)]`.
//!
//! For each dimension the accesses of a work-item are rated by their stride to those of its neighbour in that
//! dimension (`analysis::strides`), those in loops as several. Must not change code.

use crate::analysis::strides::{Neighbours, Stride, Strides, dim};
use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loops};
use crate::ir::{Func, InstData, Op, Term, Type};
use crate::launch::{AddrSpace, KernelInfo, SpecKey};

/// Iterations of a loop.
const ITERATIONS: f64 = 8.0;
/// Another dimension must be better than x by this much.
const GAIN: f64 = 2.0;
/// Consecutive elements, or one value for all.
const CONSECUTIVE: f64 = 1.0;
/// A stride of a few elements.
const STRIDED: f64 = 6.0;
/// Any others: loads and stores.
const GATHER: f64 = 12.0;
const SCATTER: f64 = 16.0;
/// Fewer work-items in another dimension than x are not worth the change.
const LEAST: u32 = 4;
/// A divergent branch in a loop.
const DIVERGENT_BRANCH: f64 = 6.0;

/// The dimension for the innermost loop over the work-items of a kernel in kernel form: 0 unless another is much
/// better.
pub fn vector_dim(func: &Func) -> u8 {
    let mut last = 0;
    for (_, inst) in func.live_insts() {
        let data = &func.insts[inst];
        // Collectives go by the linear local id, in which x runs fastest, and so should what is printed.
        let sub_groups = data.op.is_sub_group() || data.op.is_sub_group_query();
        if matches!(data.op, Op::Printf | Op::Device) || sub_groups || data.op.is_convergent() && data.op != Op::Barrier
        {
            return 0;
        }
        if matches!(data.op, Op::Gid | Op::Lid) {
            last = last.max(dim(data).unwrap_or(0));
        }
    }
    if last == 0 {
        return 0;
    }
    let cfg = Cfg::new(func);
    let loops = Loops::new(func, &cfg, &Dominators::new(&cfg));
    let cost = |d: u8| Cost::new(func, &cfg, d).all(&cfg, &loops);
    let (mut best, mut least) = (0, cost(0) / GAIN);
    for d in 1..=last {
        let cost = cost(d);
        if cost < least {
            (best, least) = (d, cost);
        }
    }
    best
}

/// The dimensions of the loop nest over the work-items of a group from the outermost in.
pub fn loop_order(info: &KernelInfo, key: SpecKey) -> [usize; 3] {
    let fills = |d: u8| key.local_size.is_some_and(|size| size[usize::from(d)] >= LEAST);
    match info.vector_dim {
        1 if fills(1) => [2, 0, 1],
        2 if fills(2) => [1, 0, 2],
        _ => [2, 1, 0],
    }
}

/// What the accesses of a work-item and its neighbours cost.
struct Cost<'f> {
    func: &'f Func,
    strides: Strides<'f>,
}

impl<'f> Cost<'f> {
    fn new(func: &'f Func, cfg: &Cfg, dim: u8) -> Self {
        Self { func, strides: Strides::new(func, cfg, Neighbours::Items, dim) }
    }

    fn all(&self, cfg: &Cfg, loops: &Loops) -> f64 {
        let mut cost = 0.0;
        for &block in cfg.rpo() {
            let depth = loops.of(block).map_or(0, |l| loops.loops[l].depth);
            let accesses = self.func.blocks[block].insts.iter().map(|&i| self.access(&self.func.insts[i]));
            let parts = match &self.func.blocks[block].term {
                Term::Br { cond, .. } if depth > 0 && self.strides.of(*cond) != Stride::By(0) => DIVERGENT_BRANCH,
                _ => 0.0,
            };
            cost += (accesses.sum::<f64>() + parts) * ITERATIONS.powi(depth as i32);
        }
        cost
    }

    fn access(&self, data: &InstData) -> f64 {
        if !matches!(data.op, Op::Load | Op::Store) || self.func.ty(data.args[0]) == Type::ptr(AddrSpace::Private) {
            return 0.0;
        }
        let is_store = data.op == Op::Store;
        let irregular = if is_store { SCATTER } else { GATHER };
        let value = if is_store { Some(data.args[1]) } else { data.result };
        let size = value.map_or(1, |v| u64::from(self.func.ty(v).bytes()));
        let is_same = value.is_some_and(|v| self.strides.of(v) == Stride::By(0));
        match self.strides.of(data.args[0]) {
            Stride::By(0) if !is_store || is_same => CONSECUTIVE,
            Stride::By(0) => irregular,
            Stride::By(s) if s.unsigned_abs() == size => CONSECUTIVE,
            Stride::By(s) if s.unsigned_abs() <= 4 * size => STRIDED,
            _ => irregular,
        }
    }
}

#[cfg(test)]
mod tests {
    /// The vector dimension of a kernel with this body; `x`, `y` and `z` are global ids.
    fn vector_dim(body: &str) -> u8 {
        let head = "kernel void k(global float *a, global float *b, int n) { local float t[16][16];
            int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);";
        let source = format!("{head} {body} }}");
        let program = crate::build(source.as_bytes(), "-cl-std=CL3.0", &[]).program.expect("compiles");
        program.kernels()[0].vector_dim
    }

    #[test]
    fn vectors_run_where_memory_does() {
        assert_eq!(vector_dim("b[y * n + x] = a[y * n + x];"), 0);
        assert_eq!(vector_dim("b[x * n + y] = a[x * n + y];"), 1);
        assert_eq!(vector_dim("b[(x * n + y) * n + z] = a[(x * n + y) * n + z];"), 2);
        let product = |row: &str, col: &str| {
            let turn = format!("s += a[{row} * n + k] * b[k * n + {col}];");
            vector_dim(&format!("float s = 0; for (int k = 0; k < n; k++) {turn} b[{row} * n + {col}] = s;"))
        };
        assert_eq!([product("y", "x"), product("x", "y")], [0, 1]);
        assert_eq!(vector_dim("b[x * n + y] = a[clamp(x - 1, 0, n - 1) * n + clamp(y + 1, 0, n - 1)];"), 1);
        assert_eq!(vector_dim("float s = 0; for (int k = 0; k < y; k++) s += k; if (n > 0) b[x * n + y] = s;"), 0);
    }

    #[test]
    fn x_stays_where_nothing_is_won() {
        // One side or the other.
        assert_eq!(vector_dim("b[x * n + y] = a[y * n + x];"), 0);
        assert_eq!(vector_dim("t[x & 15][y & 15] = a[y * n + x]; barrier(1); b[y * n + x] = t[y & 15][x & 15];"), 0);
        assert_eq!(vector_dim("b[x] = a[x];"), 0);
        // The order of work-items shows.
        assert_eq!(vector_dim("b[x * n + y] = work_group_scan_inclusive_add(a[x * n + y]);"), 0);
        assert_eq!(vector_dim("b[x * n + y] = a[x * n + y]; printf(\"%d\", x);"), 0);
    }
}

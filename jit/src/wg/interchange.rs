//! Loop interchange of the loops over a group's work-items: which dimension the innermost one, whose work-items share
//! vectors, runs along. They should access memory side by side: that is x in most kernels, but y where
//! `a[get_global_id(0) * n + get_global_id(1)]`.
//!
//! For each dimension the accesses of a work-item are rated by their stride to those of its neighbour in that
//! dimension (`analysis::strides`), those in loops as often as they run. Where that leaves a doubt, the code in one
//! order has the other as a rival (`LaneChoice::Interchanged`). Must not change code.

use crate::analysis::alias::is_pure_call;
use crate::analysis::strides::{Neighbours, Stride, Strides, dim};
use crate::analysis::trip_count::estimate;
use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loops};
use crate::ir::op::Flags;
use crate::ir::{Func, InstData, Op, Term, Type};
use crate::launch::{AddrSpace, KernelInfo, LaneChoice, SpecKey};

/// Another dimension must be better than x by this much.
const GAIN: f64 = 2.0;
/// One that is worse by less than this may be better.
const DOUBTFUL: f64 = 1.25;
/// Consecutive elements, or one value for all.
const CONSECUTIVE: f64 = 1.0;
/// A stride of a few elements, for each of them.
const STRIDED: f64 = 3.0;
/// Any others: loads and stores.
const GATHER: f64 = 12.0;
const SCATTER: f64 = 16.0;
/// Fewer work-items in another dimension than x are not worth the change.
const LEAST: u32 = 4;
/// A divergent branch in a loop.
const DIVERGENT_BRANCH: f64 = 6.0;

/// Dimensions for the innermost loop over a kernel's work-items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dims {
    /// The one that is taken: 0 unless another is much better.
    pub vector: u8,
    /// One that may be better still.
    pub rival: Option<u8>,
    /// See `KernelInfo::unit_dims`.
    pub unit: [u64; 3],
}

/// Those of a kernel in kernel form.
pub fn vector_dims(func: &Func) -> Dims {
    let (mut last, mut is_ordered) = (0, false);
    for (_, inst) in func.live_insts() {
        let data = &func.insts[inst];
        // Collectives go by the linear local id, in which x runs fastest, and so should what is printed.
        let sub_groups = data.op.is_sub_group() || data.op.is_sub_group_query();
        if matches!(data.op, Op::Printf | Op::Device) || sub_groups || data.op.is_convergent() && data.op != Op::Barrier
        {
            return Dims::default();
        }
        // Which work-item comes first is to be the same in each launch.
        let is_atomic = matches!(data.op, Op::AtomicLoad | Op::AtomicStore | Op::AtomicRmw | Op::AtomicCas);
        let calls = data.op == Op::Call && !is_pure_call(data);
        is_ordered |= is_atomic || calls || data.attr.flags.contains(Flags::VOLATILE);
        if matches!(data.op, Op::Gid | Op::Lid) {
            last = last.max(dim(data).unwrap_or(0));
        }
    }
    if last == 0 {
        return Dims::default();
    }
    let cfg = Cfg::new(func);
    let dom = Dominators::new(&cfg);
    let loops = Loops::new(func, &cfg, &dom);
    let turns = turns(func, &cfg, &dom, &loops);
    let strides = |d: u8, ones: u64| Strides::with_ones(func, &cfg, Neighbours::Items, d, ones);
    let rate = |strides: Strides<'_>| Cost { func, strides }.all(&cfg, &loops, &turns);
    let (mut costs, mut factors) = (Vec::new(), Vec::new());
    for d in 0..=last {
        let strides = strides(d, 0);
        factors.push(strides.factors());
        costs.push(rate(strides));
    }
    // What parts in all dimensions says nothing.
    let common = costs.iter().map(|&[_, branches]| branches).fold(f64::INFINITY, f64::min);
    let sum = |[accesses, branches]: [f64; 2]| accesses + (branches - common).max(0.0);
    let cost = |d: u8| sum(costs[usize::from(d)]);
    let least = |among: &dyn Fn(&u8) -> bool| (0..=last).filter(among).min_by(|&a, &b| cost(a).total_cmp(&cost(b)));
    let vector = least(&|&d| d > 0 && cost(d) * GAIN < cost(0)).unwrap_or(0);
    // Exactly the same cost: the same accesses, as a rule.
    let may_win = |d: u8| d != vector && cost(d) != cost(vector) && cost(d) < cost(vector) * DOUBTFUL;
    let rival = least(&|&d| !is_ordered && may_win(d));
    let mut unit = [0; 3];
    for d in (1..=last).filter(|&d| d != vector && factors[usize::from(d)] != 0) {
        let ones = factors[usize::from(d)];
        if sum(rate(strides(d, ones))) * GAIN < cost(vector) {
            unit[usize::from(d)] = ones;
        }
    }
    Dims { vector, rival, unit }
}

/// How often the body of each loop runs for a work-item.
fn turns(func: &Func, cfg: &Cfg, dom: &Dominators, loops: &Loops) -> Vec<f64> {
    let mut turns: Vec<f64> = Vec::with_capacity(loops.loops.len());
    // Loops come behind those that they are in.
    for l in &loops.loops {
        turns.push(estimate(func, cfg, dom, l) * l.parent.map_or(1.0, |around| turns[around]));
    }
    turns
}

/// The dimensions of the loop nest over the work-items of a group from the outermost in.
pub fn loop_order(info: &KernelInfo, key: SpecKey) -> [usize; 3] {
    match key.lanes {
        LaneChoice::Interchanged => rival_order(info, key).unwrap_or([2, 1, 0]),
        _ => order(info.vector_dim_for(&key.values), key),
    }
}

/// That of a rival, if there is one.
pub fn rival_order(info: &KernelInfo, key: SpecKey) -> Option<[usize; 3]> {
    let rival = order(info.rival_dim?, key);
    (rival != order(info.vector_dim_for(&key.values), key)).then_some(rival)
}

/// With one of the dimensions innermost, if its work-items are worth it.
fn order(innermost: u8, key: SpecKey) -> [usize; 3] {
    let fills = |d: u8| key.local_size.is_some_and(|size| size[usize::from(d)] >= LEAST);
    match innermost {
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

impl Cost<'_> {
    /// Of accesses to memory, and of branches in loops.
    fn all(&self, cfg: &Cfg, loops: &Loops, turns: &[f64]) -> [f64; 2] {
        let (mut accesses, mut branches) = (0.0, 0.0);
        for &block in cfg.rpo() {
            let within = loops.of(block);
            let often = within.map_or(1.0, |l| turns[l]);
            let insts = self.func.blocks[block].insts.iter();
            accesses += insts.map(|&i| self.access(&self.func.insts[i])).sum::<f64>() * often;
            if let Term::Br { cond, .. } = &self.func.blocks[block].term
                && within.is_some()
                && self.strides.of(*cond) != Stride::By(0)
            {
                branches += DIVERGENT_BRANCH * often;
            }
        }
        [accesses, branches]
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
            Stride::By(s) if s.unsigned_abs() <= 4 * size => STRIDED * (s.unsigned_abs() as f64 / size as f64).max(1.0),
            _ => irregular,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::launch::ArgValues;
    use crate::program::Program;
    use std::sync::Arc;

    /// The vector dimension of a kernel with this body, and its rival; `x`, `y` and `z` are global ids.
    fn vector_dims(body: &str) -> (u8, Option<u8>) {
        let program = built(body);
        let kernel = &program.kernels()[0];
        (kernel.vector_dim, kernel.rival_dim)
    }

    fn built(body: &str) -> Arc<Program> {
        let head = "kernel void k(global float *a, global float *b, int n) { local float t[16][16];
            int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);";
        let source = format!("{head} {body} }}");
        crate::build(source.as_bytes(), "-cl-std=CL3.0", &[]).program.expect("compiles")
    }

    /// The vector dimension of launches that pass this number.
    fn vector_dim_for(body: &str, n: i64) -> u8 {
        let program = built(body);
        let mut values = ArgValues::default();
        assert!(values.learn(&program.kernels()[0], "n", n), "an integer argument");
        program.kernels()[0].vector_dim_for(&values)
    }

    fn vector_dim(body: &str) -> u8 {
        vector_dims(body).0
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

    #[test]
    fn factors_of_one_leave_neighbours_side_by_side() {
        let scaled = "b[x * 100 + y * n] = a[x * 100 + y * n];";
        assert_eq!([0, 1, 2].map(|n| vector_dim_for(scaled, n)), [0, 1, 0]);
        assert_eq!(vector_dim_for("b[y * n + x] = a[y * n + x];", 1), 0);
        assert_eq!(vector_dim_for("b[x * n + y] = a[x * n + y];", 1), 1);
    }

    #[test]
    fn doubts_make_rivals() {
        let product = |a: &str, by: u32, then: &str| {
            let load = "t[y & 15][x & 15] = a[y * n + k + x]; barrier(1);";
            let turn = format!("for (int i = 0; i < 16; i += {by}) s += {a} * a[i * n + y]; barrier(1);");
            vector_dims(&format!("float s = 0; for (int k = 0; k < n; k += 16) {{ {load} {turn} }} {then}"))
        };
        assert_eq!(product("t[x & 15][i]", 1, "b[y * n + x] = s;"), (1, None));
        assert_eq!(product("t[x & 15][i]", 8, "b[y * n + x] = s;"), (0, Some(1)));
        assert_eq!(product("t[i][x & 15]", 8, "b[y * n + x] = s;"), (0, None));
        // Which of them comes first shows.
        assert_eq!(product("t[x & 15][i]", 8, "atomic_add((global int *)b, (int)s);"), (0, None));
        assert_eq!(product("t[x & 15][i]", 8, "*(volatile global float *)(b + y * n + x) = s;"), (0, None));
        assert_eq!(vector_dims("b[x * n + y] = a[x * n + y];"), (1, None));
        assert_eq!(vector_dims("b[x] = a[x];"), (0, None));
    }
}

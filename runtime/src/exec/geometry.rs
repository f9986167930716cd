//! From the caller's work sizes to groups: the specification's limits, and the choice of a local size. Pure.

use crate::error::{Error, Result};
use crate::queue::command::WorkSizes;
use crate::status::Status;
use clift_jit::launch::MAX_WORK_ITEM_ID;

/// What a kernel, its program and the device demand of group sizes.
#[derive(Clone, Copy, Debug)]
pub struct GroupRules {
    /// Work-items of one group at most.
    pub max_items: u64,
    /// Per dimension.
    pub max_sizes: [u64; 3],
    /// `reqd_work_group_size`.
    pub required: Option<[u64; 3]>,
    /// Trailing groups may be smaller (OpenCL C 2.0 and later without `-cl-uniform-work-group-size`).
    pub non_uniform: bool,
    /// Group boundaries do not matter to the kernel.
    pub group_agnostic: bool,
    /// The dimension in which work-items form rows: see `KernelInfo::vector_dim`.
    pub vector_dim: usize,
    /// Threads to share the groups among.
    pub threads: u64,
}

impl GroupRules {
    /// The dimension in which the work-items of a launch with so many form rows.
    fn row(&self, dims: usize) -> usize {
        if self.vector_dim < dims { self.vector_dim } else { 0 }
    }
}

/// A valid launch: sizes per dimension, 1 where there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// 1 to 3.
    pub dims: u32,
    /// Global offset.
    pub offset: [u64; 3],
    /// Global size, none zero.
    pub global: [u64; 3],
    /// Local size; trailing groups may be smaller.
    pub local: [u64; 3],
    /// Groups per dimension, trailing ones included.
    pub groups: [u64; 3],
    /// Product of `groups`.
    pub n_groups: u64,
    /// Whether all groups have the same size.
    pub uniform: bool,
}

impl Geometry {
    /// The id of a group whose number is in the order of loops, the outermost dimension first.
    pub fn group_id(&self, group: u64, order: [u8; 3]) -> [u64; 3] {
        split(group, order, |d| self.groups[d].max(1))
    }
}

/// A number in the order of loops over `size`, the outermost dimension first, by dimension.
pub(crate) fn split(mut number: u64, order: [u8; 3], size: impl Fn(usize) -> u64) -> [u64; 3] {
    let mut id = [0; 3];
    for d in order.into_iter().rev().map(usize::from) {
        id[d] = number % size(d);
        number /= size(d);
    }
    id
}

/// Validates; `None` if there is nothing to do (no global size, or a zero in it).
///
/// # Errors
/// `WorkSize` with the code of the broken limit. Spec: OpenCL API, "Executing Kernels", clEnqueueNDRangeKernel.
pub fn resolve(sizes: WorkSizes<'_>, rules: &GroupRules) -> Result<Option<Geometry>> {
    let broken = |status, rule, dim, value: u64| Error::WorkSize { status, rule, dim, value };
    let dims = WorkSizes::check_dims(sizes.dims)?;
    let widen = |values: Option<&[usize]>, fill: u64| {
        let mut out = [fill; 3];
        if let Some(values) = values {
            for (to, &from) in out.iter_mut().zip(values.iter().take(dims)) {
                *to = from as u64;
            }
        }
        out
    };
    let offset = widen(sizes.offset, 0);
    let global = widen(sizes.global, 1);
    match (sizes.local, rules.required) {
        (Some(given), _) => check_local(widen(Some(given), 1), rules)?,
        (None, Some(required)) => check_required(required, rules)?,
        (None, None) => {}
    }
    if sizes.global.is_none() || global.contains(&0) {
        return Ok(None);
    }
    for dim in 0..3 {
        // "the value specified in global_work_size + the corresponding values in global_work_offset for any dimensions
        // is greater than the maximum value representable by size_t"; code generation counts on a little less
        let end = offset[dim].checked_add(global[dim]).filter(|&e| e <= MAX_WORK_ITEM_ID);
        ensure!(
            global[dim] <= MAX_WORK_ITEM_ID,
            broken(Status::InvalidGlobalWorkSize, "global size is more than 2^62", dim, global[dim])
        );
        ensure!(
            end.is_some(),
            broken(Status::InvalidGlobalOffset, "global offset plus size is more than 2^62", dim, offset[dim])
        );
    }
    let local = match sizes.local {
        Some(given) => widen(Some(given), 1),
        None => choose(global, dims, rules),
    };
    let uneven = (0..3).find(|&d| !global[d].is_multiple_of(local[d]));
    // "the program was compiled with -cl-uniform-work-group-size [or for OpenCL C 1.x] and the number of work-items
    // specified by global_work_size is not evenly divisible by the size of work-group given by local_work_size"
    let ours = sizes.local.is_none() && rules.required.is_none();
    if let Some(dim) = uneven.filter(|_| !(rules.non_uniform || ours && rules.group_agnostic)) {
        let rule = "global size is not a multiple of the local size, and the program demands uniform work-groups";
        return Err(broken(Status::InvalidWorkGroupSize, rule, dim, global[dim]));
    }
    // A kernel that cannot tell runs in groups that fill vector lanes and have several rows, unless threads do as much
    // for the few work-items there are.
    let row = rules.row(dims);
    let next = usize::from(row == 0);
    let least = if row == 0 { LEAST } else { LEAST_APART };
    let poor = !fills_lanes(local[row], global[row], least) || local[next] < global[next] && local[next] == 1;
    let local = if rules.group_agnostic && poor && !is_few(global, rules) {
        let chosen = choose(global, dims, rules);
        // Rows along x may become shorter, for there to be several.
        if row == 0 || chosen[row] > local[row] || local[next] == 1 { chosen } else { local }
    } else {
        local
    };
    let uneven = (0..3).find(|&d| !global[d].is_multiple_of(local[d]));
    let groups = [0, 1, 2].map(|d| global[d].div_ceil(local[d]));
    let product = groups[0].checked_mul(groups[1]).and_then(|n| n.checked_mul(groups[2]));
    let n_groups = product
        .filter(|&n| n <= i64::MAX as u64)
        .ok_or_else(|| broken(Status::InvalidGlobalWorkSize, "more work-groups than can be counted", 0, global[0]))?;
    Ok(Some(Geometry { dims: sizes.dims, offset, global, local, groups, n_groups, uniform: uneven.is_none() }))
}

fn check_local(local: [u64; 3], rules: &GroupRules) -> Result<()> {
    let broken = |status, rule, dim, value: u64| Err(Error::WorkSize { status, rule, dim, value });
    for (dim, &size) in local.iter().enumerate() {
        if size == 0 {
            return broken(Status::InvalidWorkGroupSize, "a local size is 0", dim, size);
        }
        // "the number of work-items specified in any of local_work_size[0], … is greater than the corresponding values
        // specified by CL_DEVICE_MAX_WORK_ITEM_SIZES"
        if size > rules.max_sizes[dim] {
            return broken(Status::InvalidWorkItemSize, "a local size is above the device's limit", dim, size);
        }
    }
    // "the total number of work-items in the work-group … is greater than the value specified by
    // CL_KERNEL_WORK_GROUP_SIZE"
    let items = items(local);
    if items > rules.max_items {
        return broken(
            Status::InvalidWorkGroupSize,
            "more work-items in a work-group than the kernel allows",
            0,
            items,
        );
    }
    // "local_work_size is specified and does not match the required work-group size for kernel in the program source"
    if let Some(required) = rules.required
        && required != local
    {
        return broken(Status::InvalidWorkGroupSize, "local size is not the reqd_work_group_size", 0, items);
    }
    Ok(())
}

/// The local size that a kernel's source demands may be one that no launch can have: it is in place of the caller's, so
/// its error is about the work-group as a whole.
fn check_required(required: [u64; 3], rules: &GroupRules) -> Result<()> {
    let items = items(required);
    let dim = (0..3).find(|&dim| required[dim] > rules.max_sizes[dim]);
    if dim.is_some() || items > rules.max_items {
        let rule = "the reqd_work_group_size is above the device's limits";
        let (dim, value) = dim.map_or((0, items), |dim| (dim, required[dim]));
        return Err(Error::WorkSize { status: Status::InvalidWorkGroupSize, rule, dim, value });
    }
    Ok(())
}

/// Work-items of such a size, or the largest number if they are more.
pub fn items(size: [u64; 3]) -> u64 {
    size.iter().fold(1, |n: u64, &g| n.saturating_mul(g))
}

/// True if there are so few work-items that threads run them one by one.
fn is_few(global: [u64; 3], rules: &GroupRules) -> bool {
    let n = items(global);
    n <= 2 * rules.threads || n <= ROUNDS * rules.threads && share_of_few(n, rules).is_none()
}

/// The work-items of each thread if they are few, but as many for each: code for just so many knows whether they are
/// worth a vector.
fn share_of_few(n: u64, rules: &GroupRules) -> Option<u64> {
    (n <= MOST_EVEN * rules.threads && n.is_multiple_of(rules.threads)).then(|| n / rules.threads)
}

/// True if rows of this length leave few lanes of a vector idle, or are all there is.
fn fills_lanes(row: u64, global: u64, least: u64) -> bool {
    row == global || row >= least && row.is_multiple_of(LEAST)
}

/// Work-items of each thread that are few, if there are not as many for each: what a vector takes for any number of
/// them is about as much. (In 19 launches of 9 to 12 on two threads lanes took 1.1 times as long as work-items one by
/// one on the average, and up to 6 times.)
const ROUNDS: u64 = 6;
/// The same if there are.
const MOST_EVEN: u64 = 8;
/// Items of a group that pay for its overhead.
const TARGET: u64 = 256;
/// Groups of our choice are not larger, though a caller's may be.
const MOST: u64 = 1024;
/// Sizes below this are avoided.
const LEAST: u64 = 16;
/// The same for rows along another dimension than x, which the next group does not go on with.
const LEAST_APART: u64 = 64;

/// Rows that code may take at once: what they share is computed once then.
const ROWS: u64 = 4;

/// The local size when the caller gives none; `check_required` has seen a required one. Rows first: x takes as much of
/// the target as it can, with room for `ROWS` of them where y is a multiple of that, then y, then z; where rows run
/// along another dimension, that and x change places. Powers of two are preferred so that few sizes need code of their
/// own. Where nothing divides, groups are non-uniform if the kernel cannot tell or its language allows it.
fn choose(global: [u64; 3], dims: usize, rules: &GroupRules) -> [u64; 3] {
    if let Some(required) = rules.required {
        return required;
    }
    // Work-items that are so few may well be loops over much: each is a group, for a thread of its own.
    if rules.group_agnostic && is_few(global, rules) {
        return [1; 3];
    }
    if let Some(share) = share_of_few(items(global), rules)
        && rules.group_agnostic
        && let Some(dim) = (0..dims).find(|&d| global[d] == items(global))
    {
        let mut local = [1; 3];
        local[dim] = share;
        return local;
    }
    let row = rules.row(dims);
    let (mut global, mut max_sizes) = (global, rules.max_sizes);
    global.swap(0, row);
    max_sizes.swap(0, row);
    let may_trail = rules.non_uniform || rules.group_agnostic;
    // Enough groups for the threads, as long as they are not tiny; one for each at least: where work-items are few,
    // lanes that stay idle cost less than threads that do. Kernels that can tell may expect one group of so few.
    let each = items(global) / rules.threads.max(1);
    let share = (each / 4).next_power_of_two() / 2;
    let least = (1 << each.max(1).ilog2()).clamp(if rules.group_agnostic { 1 } else { LEAST }, 64);
    let max_items = rules.max_items.min(MOST);
    let mut room = TARGET.min(max_items).min(share.max(least)).max(1);
    let mut local = [1; 3];
    let rows = if global[1] > 1 && global[1].is_multiple_of(ROWS) && room / ROWS >= LEAST { ROWS } else { 1 };
    for dim in 0..dims {
        let most = (if dim == 0 { room / rows } else { room }).min(max_sizes[dim]);
        let limit = (max_items / local.iter().product::<u64>()).min(max_sizes[dim]);
        local[dim] = choose_one(global[dim], most, limit, may_trail);
        room /= local[dim];
        if room <= 1 {
            break;
        }
    }
    local.swap(0, row);
    local
}

/// A size for one dimension: at most `most`, or `limit` if only that keeps groups from being tiny.
fn choose_one(global: u64, most: u64, limit: u64, may_trail: bool) -> u64 {
    if global <= most {
        return global;
    }
    let least = LEAST.min(most);
    let power = 1 << most.ilog2();
    let halves = std::iter::successors(Some(power), |&p| (p > 1).then_some(p / 2));
    if let Some(power) = halves.take_while(|&p| p >= least).find(|&p| global.is_multiple_of(p)) {
        return power;
    }
    let divisor = (1..=most).rev().find(|&d| global.is_multiple_of(d)).unwrap_or(1);
    if divisor >= least {
        divisor
    } else if may_trail {
        power
    } else {
        (most + 1..=limit).find(|&d| global.is_multiple_of(d)).unwrap_or(divisor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RULES: GroupRules = GroupRules {
        max_items: 4096,
        max_sizes: [4096; 3],
        required: None,
        non_uniform: true,
        group_agnostic: false,
        vector_dim: 0,
        threads: 4,
    };

    #[test]
    fn kernels_that_cannot_tell_get_long_rows() {
        let rules = GroupRules { group_agnostic: true, ..RULES };
        for local in [[1, 1], [2, 8], [7, 1]] {
            let g = run(&[7 * 1024, 64], Some(&local), rules).expect("valid").expect("work");
            assert!(g.local[0].is_multiple_of(16), "{local:?} became {:?}", g.local);
            let told = run(&[7 * 1024, 64], Some(&local), RULES).expect("valid").expect("work");
            assert_eq!(told.local, [local[0] as u64, local[1] as u64, 1]);
        }
    }

    fn run(global: &[usize], local: Option<&[usize]>, rules: GroupRules) -> Result<Option<Geometry>> {
        resolve(WorkSizes { dims: global.len() as u32, offset: None, global: Some(global), local }, &rules)
    }

    fn code(result: Result<Option<Geometry>>) -> Status {
        result.expect_err("must be refused").status()
    }

    #[test]
    fn limits_have_their_codes() {
        let strict = GroupRules { non_uniform: false, ..RULES };
        let zero_dims = WorkSizes { dims: 0, offset: None, global: Some(&[]), local: None };
        assert_eq!(code(resolve(zero_dims, &RULES)), Status::InvalidWorkDimension);
        assert_eq!(code(resolve(WorkSizes { dims: 4, ..zero_dims }, &RULES)), Status::InvalidWorkDimension);
        assert_eq!(code(run(&[64], Some(&[0]), RULES)), Status::InvalidWorkGroupSize);
        assert_eq!(code(run(&[8192], Some(&[8192]), RULES)), Status::InvalidWorkItemSize);
        assert_eq!(code(run(&[128, 64], Some(&[128, 64]), RULES)), Status::InvalidWorkGroupSize);
        assert_eq!(code(run(&[65], Some(&[64]), strict)), Status::InvalidWorkGroupSize);
        let required = GroupRules { required: Some([8, 1, 1]), ..RULES };
        assert_eq!(code(run(&[64], Some(&[4]), required)), Status::InvalidWorkGroupSize);
        assert_eq!(run(&[64], None, required).map(|g| g.map(|g| g.local)), Ok(Some([8, 1, 1])));
        assert_eq!(code(run(&[1 << 40, 1 << 40], Some(&[1, 1]), RULES)), Status::InvalidGlobalWorkSize);
        assert_eq!(code(run(&[1 << 63], Some(&[1]), RULES)), Status::InvalidGlobalWorkSize);
        let offset = WorkSizes { dims: 1, offset: Some(&[usize::MAX]), global: Some(&[1]), local: None };
        assert_eq!(code(resolve(offset, &RULES)), Status::InvalidGlobalOffset);
        let offset = WorkSizes { dims: 1, offset: Some(&[1 << 62]), global: Some(&[1]), local: None };
        assert_eq!(code(resolve(offset, &RULES)), Status::InvalidGlobalOffset);
    }

    #[test]
    fn a_required_size_keeps_the_limits() {
        let run = |required: [u64; 3], local: Option<&[usize]>| {
            run(&[1 << 23, 1 << 21, 1 << 21], local, GroupRules { required: Some(required), ..RULES })
        };
        // The product of the first is 2^64, which is 0 in 64 bits; that of the second is beyond 2^64.
        let huge = [[1 << 22, 1 << 21, 1 << 21], [u64::from(u32::MAX); 3]];
        for required in huge.into_iter().chain([[1, 4097, 1], [4096, 2, 1], [64, 64, 2], [1, 1, u64::MAX]]) {
            assert_eq!(code(run(required, None)), Status::InvalidWorkGroupSize, "{required:?}");
            let given = required.map(|n| n as usize);
            let status = code(run(required, Some(&given)));
            assert!(matches!(status, Status::InvalidWorkGroupSize | Status::InvalidWorkItemSize), "{required:?}");
        }
        let nothing = WorkSizes { dims: 1, offset: None, global: None, local: None };
        let rules = GroupRules { required: Some([8192, 1, 1]), ..RULES };
        assert_eq!(code(resolve(nothing, &rules)), Status::InvalidWorkGroupSize, "even if there is nothing to do");
        for required in [[4096, 1, 1], [64, 64, 1], [16, 16, 16], [1, 1, 4096]] {
            let chosen = run(required, None).expect("valid").expect("work");
            assert_eq!(chosen.local, required);
        }
    }

    #[test]
    fn nothing_to_do() {
        assert_eq!(run(&[64, 0], None, RULES), Ok(None));
        assert_eq!(resolve(WorkSizes { dims: 1, offset: None, global: None, local: None }, &RULES), Ok(None));
    }

    #[test]
    fn trailing_groups_count() {
        let geometry = run(&[65, 3], Some(&[32, 2]), RULES).expect("valid").expect("work");
        assert_eq!((geometry.groups, geometry.n_groups, geometry.uniform), ([3, 2, 1], 6, false));
    }

    #[test]
    fn few_work_items_go_to_all_threads() {
        let rules = GroupRules { group_agnostic: true, threads: 2, ..RULES };
        let groups = |n: usize| run(&[n], Some(&[1]), rules).expect("valid").expect("work").n_groups;
        assert_eq!([1, 2, 4, 5, 9, 10, 16, 64, 128].map(groups), [1, 2, 4, 5, 9, 2, 2, 2, 2]);
        // Without a size from the caller, too, but for kernels that can tell: programs may expect one group of so few.
        for (group_agnostic, few) in [(true, [1, 2, 4]), (false, [1, 1, 1])] {
            let rules = GroupRules { group_agnostic, ..rules };
            let groups = |n: usize| run(&[n], None, rules).expect("valid").expect("work").n_groups;
            assert_eq!([1, 2, 4].map(groups), few);
            assert_eq!([16, 64, 128].map(groups), [if group_agnostic { 2 } else { 1 }, 2, 2]);
        }
    }

    #[test]
    fn primes_do_not_collapse() {
        for rules in [RULES, GroupRules { non_uniform: false, group_agnostic: true, ..RULES }] {
            let local = run(&[1_000_003], None, rules).expect("valid").expect("work").local;
            assert_eq!(local, [256, 1, 1]);
            let local = run(&[1021, 1021], None, rules).expect("valid").expect("work").local;
            assert_eq!(local, [256, 1, 1]);
        }
        let strict = GroupRules { non_uniform: false, ..RULES };
        assert_eq!(run(&[1_000_003], None, strict).expect("valid").expect("work").local, [1, 1, 1]);
        assert_eq!(run(&[1000], None, strict).expect("valid").expect("work").local[0], 50);
        // Whole groups only, and no small divisor: a large one is better than groups of one or two.
        assert_eq!(run(&[1021], None, strict).expect("valid").expect("work").local[0], 1021);
        assert_eq!(run(&[10 * 509], None, strict).expect("valid").expect("work").local[0], 509);
        assert_eq!(run(&[6, 1021], None, strict).expect("valid").expect("work").local, [6, 1, 1]);
    }

    #[test]
    fn rows_come_first() {
        assert_eq!(run(&[4096, 4096], None, RULES).expect("valid").expect("work").local, [64, 4, 1]);
        assert_eq!(run(&[4096, 4099], None, RULES).expect("valid").expect("work").local, [256, 1, 1]);
        assert_eq!(run(&[16, 4096], None, RULES).expect("valid").expect("work").local, [16, 16, 1]);
    }

    #[test]
    fn rows_may_run_along_another_dimension() {
        let rules = GroupRules { vector_dim: 1, group_agnostic: true, ..RULES };
        assert_eq!(run(&[4096, 4096], None, rules).expect("valid").expect("work").local, [4, 64, 1]);
        assert_eq!(run(&[4096, 4096], Some(&[64, 4]), rules).expect("valid").expect("work").local, [4, 64, 1]);
        // Rows that the next group does not go on with are long.
        assert_eq!(run(&[4096, 4096], Some(&[16, 16]), rules).expect("valid").expect("work").local, [4, 64, 1]);
        assert_eq!(run(&[4096, 4128], Some(&[16, 48]), rules).expect("valid").expect("work").local, [16, 48, 1]);
        assert_eq!(run(&[128, 128], Some(&[16, 16]), rules).expect("valid").expect("work").local, [4, 64, 1]);
        assert_eq!(run(&[4096, 4096], Some(&[2, 128]), rules).expect("valid").expect("work").local, [2, 128, 1]);
        assert_eq!(run(&[1 << 20], None, rules).expect("valid").expect("work").local, [256, 1, 1]);
        let deep = GroupRules { vector_dim: 2, ..RULES };
        assert_eq!(run(&[64, 64, 64], None, deep).expect("valid").expect("work").local, [1, 4, 64]);
    }

    proptest! {
        #[test]
        fn choices_are_valid(
            global in prop::collection::vec(1usize..5000, 1..4),
            non_uniform in any::<bool>(),
            group_agnostic in any::<bool>(),
            max_items in 1u64..4097,
            threads in 1u64..129,
            vector_dim in 0usize..3,
        ) {
            let rules = GroupRules { non_uniform, group_agnostic, vector_dim, max_items, threads, ..RULES };
            let g = run(&global, None, rules).expect("a choice is always valid").expect("work");
            prop_assert!(g.local.iter().product::<u64>() <= max_items.min(MOST));
            prop_assert!(g.local.iter().all(|&l| l >= 1));
            prop_assert!(g.uniform || non_uniform || group_agnostic);
            for d in 0..3 {
                prop_assert!((g.groups[d] - 1) * g.local[d] < g.global[d] && g.groups[d] * g.local[d] >= g.global[d]);
            }
            // What was chosen is accepted when it is given.
            if g.uniform {
                let given: Vec<usize> = g.local[..global.len()].iter().map(|&l| l as usize).collect();
                prop_assert_eq!(run(&global, Some(&given), rules), Ok(Some(g)));
            }
        }
    }
}

//! Looks ahead when a kernel is launched: what it is certain to access, as ids, sizes and arguments alone decide
//! (`clift_jit::interp::partial`). Bad accesses are reported if it is not compiled with checks that would; what
//! `commands` compares with transfers is the rest. The kernel runs as it is. Looked at are work-items at the corners of
//! the launch, and in front of the numbers that are its integer arguments, since these are often where data ends. Must
//! not know how kernels are evaluated.

use super::kernel::Watch;
use super::{Kind, Report, Side, Site, host};
use crate::exec::geometry::Geometry;
use crate::exec::pool;
use crate::sync::{Mutex, Rank};
use clift_jit::interp::partial::{Access, Ids, Known};
use clift_jit::launch::ArgKind;
use clift_jit::{ArgInfo, KernelInfo};
use std::any::Any;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

/// Work-items of a launch that are looked at, in each dimension.
const MOST: usize = 4;

/// Launches that have been looked at, by their hashes; forgotten when there are too many.
static SEEN: Mutex<Option<HashSet<u64>>> = Mutex::new(Rank::Leaf, None);
const MOST_SEEN: usize = 1 << 14;

/// Keeps the table as it is, for the time of a fork.
#[allow(unsafe_code, reason = "a guard for the time of a fork")]
pub(crate) fn hold() -> Box<dyn Any> {
    // SAFETY: statics.
    Box::new(unsafe { (SEEN.lock_for_fork(), CERTAIN.lock_for_fork()) })
}

/// What a launch is certain to access of an argument's memory: its number, whether it writes, and bytes from where it
/// points.
pub(crate) type Certain = (u32, bool, Range<i64>);

/// What launches are certain to access, by their hashes; forgotten when there are too many.
static CERTAIN: Mutex<Option<HashMap<u64, Arc<[Certain]>>>> = Mutex::new(Rank::Leaf, None);
const MOST_CERTAIN: usize = 1 << 10;

/// What a launch with these arguments (`block`) is certain to access, in order.
pub(crate) fn certain(watch: &Watch, geometry: &Geometry, block: &[u8]) -> Arc<[Certain]> {
    let Some(program) = watch.compiled() else { return Arc::default() };
    let args = known(watch.info(), block);
    let key = hash(watch, geometry, &args);
    if let Some(found) = CERTAIN.lock().as_ref().and_then(|table| table.get(&key)) {
        return Arc::clone(found);
    }
    let items = items(geometry, &integers(watch.info(), block));
    let all = RefCell::new(Vec::new());
    let note = |access: &Access| {
        let end = access.offset.saturating_add(access.bytes.into());
        if !access.is_atomic {
            all.borrow_mut().push((access.arg, access.writes, access.offset..end));
        }
        false
    };
    // The program may have to be built again for it.
    pool::in_no_fork(|| program.certain_accesses(watch.kernel, &args, items, note));
    let found: Arc<[Certain]> = joined(all.into_inner()).into();
    let mut table = CERTAIN.lock();
    let table = table.get_or_insert_default();
    if table.len() >= MOST_CERTAIN {
        table.clear();
    }
    table.insert(key, Arc::clone(&found));
    found
}

/// In order; neighbours and what overlaps are one.
fn joined(mut all: Vec<Certain>) -> Vec<Certain> {
    all.sort_unstable_by_key(|(arg, writes, range)| (*arg, *writes, range.start));
    all.dedup_by(|next, last| {
        let is_next = (next.0, next.1) == (last.0, last.1) && next.2.start <= last.2.end;
        if is_next {
            last.2.end = last.2.end.max(next.2.end);
        }
        is_next
    });
    all
}

/// What is known of arguments.
fn known<'a>(info: &KernelInfo, block: &'a [u8]) -> Vec<Known<'a>> {
    let one = |arg: &ArgInfo| match arg.kind {
        ArgKind::Value => block.get(arg.offset..arg.offset + arg.size).map_or(Known::Other, Known::Bytes),
        ArgKind::Buffer { .. } => Known::Memory,
        _ => Known::Other,
    };
    info.args.iter().map(one).collect()
}

/// Reports what a launch with these arguments (`block`) is certain to do.
pub(crate) fn look(watch: &Watch, geometry: &Geometry, block: &[u8]) {
    let Some(program) = watch.compiled() else { return };
    let info = watch.info();
    let args = known(info, block);
    if !is_new(hash(watch, geometry, &args)) {
        return;
    }
    let is_bad = |access: &Access| watch.is_bad(access);
    let items = items(geometry, &integers(info, block));
    // The program may have to be built again for it.
    let found = pool::in_no_fork(|| program.certain_accesses(watch.kernel, &args, items, is_bad));
    for (access, ids, places) in found {
        let call = host::call();
        let site = Site::of((watch.program, watch.kernel, "ahead", access.inst, call));
        super::report(site, || {
            let (message, object, offset) = watch.bad_access(&access);
            let mut report = Report::new(Kind::Api, format!("a bad access is certain: {message}"));
            report.kernel.clone_from(&info.name);
            report.program = watch.program;
            let places = places.into_iter().filter(|frame| !frame.is_library).map(Into::into).collect();
            let Ids { global, local, group, .. } = ids;
            let items = vec![super::Item { global, local, group }];
            let there = Side { label: "the access".to_owned(), places, items, call: None };
            report.sides = vec![Side { call, ..Side::default() }, there];
            report.offset = object.is_some().then_some(offset);
            report.object = object;
            report
        });
    }
}

/// Of all that decides what is certain.
fn hash(watch: &Watch, geometry: &Geometry, args: &[Known<'_>]) -> u64 {
    let mut hasher = DefaultHasher::new();
    let Geometry { offset, global, local, .. } = geometry;
    (watch.program, watch.kernel, offset, global, local).hash(&mut hasher);
    for (n, arg) in args.iter().enumerate() {
        match arg {
            Known::Bytes(bytes) => bytes.hash(&mut hasher),
            Known::Memory => watch.hash_arg(n, &mut hasher),
            Known::Other => {}
        }
    }
    hasher.finish()
}

/// True for a launch unlike all before.
fn is_new(hash: u64) -> bool {
    let mut seen = SEEN.lock();
    let seen = seen.get_or_insert_default();
    if seen.len() >= MOST_SEEN {
        seen.clear();
    }
    seen.insert(hash)
}

/// The integers among the arguments.
fn integers(info: &KernelInfo, block: &[u8]) -> Vec<u64> {
    let values = info.args.iter().filter(|arg| arg.kind == ArgKind::Value);
    let bytes = values.filter_map(|arg| block.get(arg.offset..arg.offset + arg.size));
    bytes
        .filter_map(|bytes| match bytes.len() {
            4 => Some(u32::from_ne_bytes(bytes.try_into().ok()?).into()),
            8 => Some(u64::from_ne_bytes(bytes.try_into().ok()?)),
            _ => None,
        })
        .collect()
}

/// The work-items that are looked at.
fn items(geometry: &Geometry, integers: &[u64]) -> impl Iterator<Item = Ids> + use<> {
    let Geometry { offset, global, local, groups, .. } = *geometry;
    let in_dim = |d: usize| {
        let last = global[d] - 1;
        let ends = integers.iter().filter_map(|n| n.checked_sub(offset[d] + 1)).filter(|&n| n < last);
        let mut all = vec![last, 0];
        for n in ends {
            if all.len() < MOST && !all.contains(&n) {
                all.push(n);
            }
        }
        all.dedup();
        all
    };
    let [x, y, z] = [0, 1, 2].map(in_dim);
    let all = z.into_iter().flat_map(move |z| {
        let x = x.clone();
        y.clone().into_iter().flat_map(move |y| x.clone().into_iter().map(move |x| [x, y, z]))
    });
    all.map(move |id| {
        let of = |make: &dyn Fn(usize) -> u64| [0, 1, 2].map(make);
        let group = of(&|d| id[d] / local[d]);
        Ids {
            global: of(&|d| offset[d] + id[d]),
            local: of(&|d| id[d] % local[d]),
            group,
            global_size: global,
            local_size: of(&|d| local[d].min(global[d] - group[d] * local[d])),
            enqueued_size: local,
            groups,
            offset,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_one() {
        let all = vec![(1, true, 8..12), (0, true, 4..8), (1, true, 4..8), (1, false, 12..16), (1, true, 20..24)];
        let expected = vec![(0, true, 4..8), (1, false, 12..16), (1, true, 4..12), (1, true, 20..24)];
        assert_eq!(joined(all), expected);
    }

    #[test]
    fn work_items_at_corners_and_in_front_of_arguments_are_looked_at() {
        let geometry = Geometry {
            dims: 2,
            offset: [0, 2, 0],
            global: [10, 7, 1],
            local: [4, 7, 1],
            groups: [3, 1, 1],
            n_groups: 3,
            uniform: false,
        };
        let found: Vec<Ids> = items(&geometry, &[6, 6, 100]).collect();
        let global: Vec<[u64; 3]> = found.iter().map(|ids| ids.global).collect();
        let expected: Vec<[u64; 3]> = [8, 2, 5].iter().flat_map(|&y| [9, 0, 5].map(|x| [x, y, 0])).collect();
        assert_eq!(global, expected);
        let (last, middle) = (found[0], found[2]);
        assert_eq!((last.local, last.group, last.local_size), ([1, 6, 0], [2, 0, 0], [2, 7, 1]));
        assert_eq!((middle.local, middle.group, middle.local_size), ([1, 6, 0], [1, 0, 0], [4, 7, 1]));
    }
}

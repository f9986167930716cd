//! Checks what the work-group transformation takes to be the same for all work-items of a group: see `wg::claims`.
//! Instances of a value that belong together are those of one iteration of the loops around, between the same two
//! barriers.

use super::lanes::Iterations;
use super::{Claim, Key, Lanes, Report};
use crate::ir::entity::Entity;
use crate::ir::{Block, Func, Value};
use crate::wg::claims::KernelClaims;
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) struct GroupWatch {
    iterations: Iterations,
    uniform: Vec<bool>,
    together: Vec<bool>,
    kept: FxHashMap<Block, Vec<Value>>,
    is_kept: FxHashSet<Value>,
    items: usize,
    /// Where each work-item is.
    places: Vec<Key>,
    /// What the first work-item found.
    values: FxHashMap<(Value, Key), Lanes>,
    visits: FxHashMap<(Block, Key), usize>,
    /// The last of each value that is kept across barriers.
    last: FxHashMap<(usize, Value), Lanes>,
    crossing: FxHashMap<(Block, Key, Value), Lanes>,
}

impl GroupWatch {
    /// Nothing is known of irreducible control flow's iterations.
    pub(super) fn new(claims: KernelClaims) -> Option<Self> {
        let iterations = Iterations::new(&claims.func)?;
        let mut uniform = vec![false; claims.func.values.len()];
        claims.uniform.iter().for_each(|v| uniform[v.index()] = true);
        let mut together = vec![false; claims.func.blocks.len()];
        claims.together.iter().for_each(|b| together[b.index()] = true);
        let is_kept = claims.kept.iter().flat_map(|(_, values)| values.iter().copied()).collect();
        Some(Self {
            iterations,
            uniform,
            together,
            kept: claims.kept.into_iter().collect(),
            is_kept,
            items: 0,
            places: Vec::new(),
            values: FxHashMap::default(),
            visits: FxHashMap::default(),
            last: FxHashMap::default(),
            crossing: FxHashMap::default(),
        })
    }

    pub(super) fn begin(&mut self, items: usize) {
        self.items = items;
        self.places = vec![Key::new(); items];
        self.values.clear();
        self.visits.clear();
        self.last.clear();
        self.crossing.clear();
        self.iterations.reset(items);
    }

    pub(super) fn meet(&mut self, report: &mut Report) {
        for ((block, key), n) in self.visits.drain() {
            report.hold(Claim::GroupTogether, n == self.items, || {
                format!("{n} of {} work-items in {block}, iteration {key:?}", self.items)
            });
        }
        self.values.clear();
        self.crossing.clear();
    }

    pub(super) fn block(&mut self, item: usize, to: Block, report: &mut Report) {
        let key = self.iterations.enter(item, to);
        if self.together[to.index()] {
            *self.visits.entry((to, key.clone())).or_default() += 1;
        }
        for &v in self.kept.get(&to).into_iter().flatten() {
            // Not defined on the way here, and then not looked at behind.
            let Some(now) = self.last.get(&(item, v)) else { continue };
            let first = self.crossing.entry((to, key.clone(), v)).or_insert_with(|| now.clone());
            report.hold(Claim::GroupKept, now == first, || {
                format!("{v} at {to}, iteration {key:?}: {now:x?} in work-item {item}, {first:x?} before")
            });
        }
        self.places[item] = key;
    }

    pub(super) fn define(&mut self, item: usize, func: &Func, v: Value, lanes: &[u64], report: &mut Report) {
        if self.is_kept.contains(&v) {
            self.last.insert((item, v), Lanes::from_slice(lanes));
        }
        if self.uniform[v.index()] {
            let key = self.places[item].clone();
            let first = self.values.entry((v, key)).or_insert_with(|| Lanes::from_slice(lanes));
            report.hold(Claim::GroupUniform, &first[..] == lanes, || {
                let def = super::lanes::defined(func, v);
                format!("{def} {lanes:x?} in work-item {item}, {first:x?} before")
            });
        }
    }
}

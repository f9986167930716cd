//! Checks what the vectoriser says of loops over work-items: see `simd::claims`. Consecutive work-items make a vector;
//! instances of a value that one vector instruction computes are those of one iteration of the loops within.

use super::{Claim, Key, Lanes, Report};
use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loops};
use crate::ir::entity::Entity;
use crate::ir::{Block, Func, Value};
use crate::simd::claims::{Alike, ItemClaims, Present};
use rustc_hash::FxHashMap;

/// The numbers of the iterations of the loops that work-items are in.
pub(super) struct Iterations {
    loops: Loops,
    /// For each work-item, loops from the outermost in.
    stacks: Vec<Vec<(usize, u32)>>,
}

impl Iterations {
    /// None if some cycles are no loops.
    pub(super) fn new(func: &Func) -> Option<Self> {
        let cfg = Cfg::new(func);
        let loops = Loops::new(func, &cfg, &Dominators::new(&cfg));
        (!loops.is_irreducible()).then(|| Self { loops, stacks: vec![Vec::new()] })
    }

    pub(super) fn reset(&mut self, items: usize) {
        self.stacks = vec![Vec::new(); items];
    }

    /// A work-item gets to a block; returns its iterations there.
    pub(super) fn enter(&mut self, item: usize, block: Block) -> Key {
        let stack = &mut self.stacks[item];
        while stack.last().is_some_and(|&(l, _)| !self.loops.contains(l, block)) {
            stack.pop();
        }
        if let Some(l) = self.loops.of(block).filter(|&l| self.loops.loops[l].header == block) {
            match stack.last_mut() {
                Some((top, n)) if *top == l => *n += 1,
                _ => stack.push((l, 0)),
            }
        }
        stack.iter().map(|&(_, n)| n).collect()
    }

    /// Number of loops around a block.
    fn depth(&self, block: Block) -> usize {
        self.loops.of(block).map_or(0, |l| self.loops.loops[l].depth as usize)
    }
}

/// What defines a value, as text.
pub(super) fn defined(func: &Func, v: Value) -> String {
    match func.values[v].def {
        crate::ir::ValueDef::Param(block, _) => format!("@{}: {v} of {block}", func.name),
        crate::ir::ValueDef::Inst(inst) => super::text(&crate::ir::Module::default(), func, inst),
    }
}

/// Checks one number of lanes.
pub(super) struct LaneWatch {
    width: u8,
    iterations: Iterations,
    loops: Vec<ItemClaims>,
    /// The item loop of each block.
    homes: Vec<Option<usize>>,
    alike: Vec<Option<Alike>>,
    /// The item loop that is running, and the lane.
    at: Option<(usize, u8)>,
    key: Key,
    /// What lane 0 would hold.
    values: FxHashMap<(Value, Key), Lanes>,
    /// Lanes that came by.
    present: FxHashMap<(Block, Key), u64>,
}

impl LaneWatch {
    pub(super) fn new(func: &Func, loops: Vec<ItemClaims>, width: u8) -> Option<Self> {
        let iterations = Iterations::new(func)?;
        let mut homes = vec![None; func.blocks.len()];
        let mut alike = vec![None; func.values.len()];
        for (n, items) in loops.iter().enumerate() {
            items.blocks.iter().for_each(|b| homes[b.index()] = Some(n));
            items.values.iter().for_each(|&(v, how)| alike[v.index()] = Some(how));
        }
        Some(Self {
            width,
            iterations,
            loops,
            homes,
            alike,
            at: None,
            key: Key::new(),
            values: FxHashMap::default(),
            present: FxHashMap::default(),
        })
    }

    pub(super) fn block(&mut self, from: Option<Block>, to: Block, report: &mut Report) {
        let all = self.iterations.enter(0, to);
        let home = self.homes[to.index()];
        match self.at {
            Some((l, lane)) if home != Some(l) => {
                self.vector(l, lane + 1, report);
                self.at = None;
            }
            Some((l, lane)) if self.loops[l].header == to && from == Some(self.loops[l].latch) => {
                let full = lane + 1 == self.width;
                if full {
                    self.vector(l, self.width, report);
                }
                self.at = Some((l, if full { 0 } else { lane + 1 }));
            }
            _ => {}
        }
        let Some(l) = home else { return };
        if self.at.is_none() {
            self.values.clear();
            self.present.clear();
            self.at = Some((l, 0));
        }
        let lane = self.at.map_or(0, |(_, lane)| lane);
        let outer = self.iterations.depth(self.loops[l].header);
        self.key = all[outer..].into();
        *self.present.entry((to, self.key.clone())).or_default() |= 1 << lane;
    }

    /// A vector is complete, or the last work-items fill so many lanes of one.
    fn vector(&mut self, l: usize, lanes: u8, report: &mut Report) {
        let all = u64::MAX >> (64 - u32::from(lanes));
        let outer = self.iterations.depth(self.loops[l].header);
        let depth = |block: Block| self.iterations.depth(block) - outer;
        let mut hold = |block: Block, key: &[u32], got: u64, want: u64| {
            report.hold(Claim::LanesPresent, got == want, || {
                format!("{} lanes: {got:b} and not {want:b} in {block}, iteration {key:?}", self.width)
            });
        };
        for &(block, present) in &self.loops[l].present {
            let here = self.present.iter().filter(|((b, _), _)| *b == block);
            match present {
                Present::All => here.for_each(|((_, key), &mask)| hold(block, key, mask, all)),
                Present::As(other) => {
                    // Iterations of the loops around both.
                    let common = depth(block).min(depth(other));
                    let mut lanes: FxHashMap<&[u32], [u64; 2]> = FxHashMap::default();
                    for ((_, key), mask) in here {
                        lanes.entry(&key[..common]).or_default()[0] |= mask;
                    }
                    for ((_, key), mask) in self.present.iter().filter(|((b, _), _)| *b == other) {
                        // A branch that all take together may pass by the block.
                        if let Some([_, want]) = lanes.get_mut(&key[..common]) {
                            *want |= mask;
                        }
                    }
                    lanes.into_iter().for_each(|(key, [got, want])| hold(block, key, got, want));
                }
            }
        }
        self.values.clear();
        self.present.clear();
    }

    pub(super) fn define(&mut self, func: &Func, v: Value, lanes: &[u64], report: &mut Report) {
        let (Some((_, lane)), Some(alike)) = (self.at, self.alike[v.index()]) else { return };
        let (claim, stride) = match alike {
            Alike::Uniform => (Claim::LaneUniform, 0),
            Alike::Affine(stride) => (Claim::LaneAffine, stride),
        };
        let ones = crate::interp::value::ones(func.ty(v).elem.bits());
        let by = stride.wrapping_mul(i64::from(lane)) as u64;
        let base: Lanes = lanes.iter().map(|x| if stride == 0 { *x } else { x.wrapping_sub(by) & ones }).collect();
        let first = self.values.entry((v, self.key.clone())).or_insert_with(|| base.clone());
        report.hold(claim, *first == base, || {
            let def = defined(func, v);
            format!("{} lanes: {def} is {lanes:x?} in lane {lane}, lane 0 has {first:x?}", self.width)
        });
    }
}

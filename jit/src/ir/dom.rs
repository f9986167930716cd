//! Dominators, postdominators, dominance frontiers, natural loops and reducibility. Snapshots like `Cfg`.
//!
//! Dominators after Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm". Unreachable blocks have no place in
//! the tree: nothing dominates them and they dominate nothing.

use super::cfg::Cfg;
use super::entity::{Block, Entity};
use super::func::{Func, Term};

/// The dominator tree of the reachable blocks.
#[derive(Clone, Debug)]
pub struct Dominators {
    idom: Vec<Option<Block>>,
    /// Of each block where its children begin, and all children.
    starts: Vec<u32>,
    children: Vec<Block>,
    /// Entry and exit times of a depth-first walk over the tree.
    times: Vec<(u32, u32)>,
    preorder: Vec<Block>,
}

impl Dominators {
    /// The tree of a function's graph.
    pub fn new(cfg: &Cfg) -> Self {
        let rpo = cfg.rpo();
        let n_blocks = rpo.iter().map(|b| b.index() + 1).max().unwrap_or(0);
        let idom = immediate(rpo.len(), |i| cfg.preds(rpo[i]).iter().filter_map(|&p| cfg.number(p)));
        let mut tree = Self {
            idom: vec![None; n_blocks],
            starts: vec![0; n_blocks + 1],
            children: vec![Block(0); rpo.len().saturating_sub(1)],
            times: vec![(u32::MAX, 0); n_blocks],
            preorder: Vec::with_capacity(rpo.len()),
        };
        for (i, &b) in rpo.iter().enumerate().skip(1) {
            let parent = rpo[idom[i]];
            tree.idom[b.index()] = Some(parent);
            tree.starts[parent.index() + 1] += 1;
        }
        for i in 0..n_blocks {
            tree.starts[i + 1] += tree.starts[i];
        }
        let mut next = tree.starts.clone();
        for (i, &b) in rpo.iter().enumerate().skip(1) {
            let at = &mut next[rpo[idom[i]].index()];
            tree.children[*at as usize] = b;
            *at += 1;
        }
        if let Some(&entry) = rpo.first() {
            tree.number(entry);
        }
        tree
    }

    fn number(&mut self, entry: Block) {
        let mut time = 0;
        let mut stack = vec![(entry, 0usize)];
        while let Some((b, next)) = stack.last_mut() {
            let b = *b;
            if *next == 0 {
                self.times[b.index()].0 = time;
                self.preorder.push(b);
                time += 1;
            }
            match self.children(b).get(*next).copied() {
                Some(child) => {
                    *next += 1;
                    stack.push((child, 0));
                    // A block whose children are visited must not be numbered again.
                    continue;
                }
                None => {
                    self.times[b.index()].1 = time;
                    stack.pop();
                }
            }
        }
    }

    /// The immediate dominator; `None` for the entry and unreachable blocks.
    pub fn idom(&self, block: Block) -> Option<Block> {
        self.idom.get(block.index()).copied().flatten()
    }
    /// Blocks immediately dominated, in reverse postorder.
    pub fn children(&self, block: Block) -> &[Block] {
        match self.starts.get(block.index()..block.index() + 2) {
            Some(&[from, to]) => &self.children[from as usize..to as usize],
            _ => &[],
        }
    }
    /// True if every path from the entry to `b` passes `a`; reflexive for reachable blocks.
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        match (self.times.get(a.index()), self.times.get(b.index())) {
            (Some(a), Some(b)) => b.0 != u32::MAX && a.0 <= b.0 && b.1 <= a.1,
            _ => false,
        }
    }
    /// Reachable blocks, each after its dominators.
    pub fn preorder(&self) -> &[Block] {
        &self.preorder
    }
}

/// Immediate dominators in a graph whose nodes are numbered in reverse postorder; the first is the root and its own.
fn immediate<I: Iterator<Item = usize>>(n: usize, preds: impl Fn(usize) -> I) -> Vec<usize> {
    let mut idom = vec![usize::MAX; n];
    if n > 0 {
        idom[0] = 0;
    }
    let mut changed = true;
    while changed {
        changed = false;
        for i in 1..n {
            let mut new = usize::MAX;
            for p in preds(i) {
                if idom[p] != usize::MAX {
                    new = if new == usize::MAX { p } else { intersect(&idom, p, new) };
                }
            }
            if idom[i] != new {
                idom[i] = new;
                changed = true;
            }
        }
    }
    idom
}

fn intersect(idom: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        while a > b {
            a = idom[a];
        }
        while b > a {
            b = idom[b];
        }
    }
    a
}

/// Immediate postdominators of the reachable blocks: where all paths from a block to the function's end meet first.
#[derive(Clone, Debug)]
pub struct Postdominators {
    ipdom: Vec<Option<Block>>,
}

impl Postdominators {
    /// Of a function's graph. Blocks from which no path leads to the end have none.
    pub fn new(func: &Func, cfg: &Cfg) -> Self {
        // Reverse postorder of the reversed graph, below a root that stands for the end.
        let mut order: Vec<Option<Block>> = Vec::new();
        let mut number = vec![usize::MAX; func.blocks.len()];
        let mut stack: Vec<(Block, bool)> = Vec::new();
        let ends = cfg.rpo().iter().filter(|&&b| func.blocks[b].term.targets().is_empty());
        stack.extend(ends.map(|&b| (b, false)));
        let mut seen = vec![false; func.blocks.len()];
        while let Some((b, done)) = stack.pop() {
            if done {
                order.push(Some(b));
            } else if !std::mem::replace(&mut seen[b.index()], true) {
                stack.push((b, true));
                stack.extend(cfg.preds(b).iter().map(|&p| (p, false)));
            }
        }
        order.push(None);
        order.reverse();
        for (i, b) in order.iter().enumerate() {
            if let Some(b) = b {
                number[b.index()] = i;
            }
        }
        let number = &number;
        let succs = |i: usize| {
            let term = order[i].map(|b| &func.blocks[b].term);
            let n = term.map_or(0, Term::n_targets);
            let targets = (0..n).filter_map(move |n| Some(number[term?.target(n).block.index()]));
            let end = term.filter(|_| n == 0).map(|_| 0);
            targets.filter(|&n| n != usize::MAX).chain(end)
        };
        let idom = immediate(order.len(), succs);
        let mut ipdom = vec![None; func.blocks.len()];
        for (i, b) in order.iter().enumerate() {
            if let Some(b) = b {
                ipdom[b.index()] = order[idom[i]];
            }
        }
        Self { ipdom }
    }
    /// The immediate postdominator; `None` if that is the function's end, or if no path leads there.
    pub fn of(&self, block: Block) -> Option<Block> {
        self.ipdom.get(block.index()).copied().flatten()
    }
}

/// Dominance frontiers: where the dominance of a block ends.
#[derive(Clone, Debug)]
pub struct Frontiers {
    of: Vec<Vec<Block>>,
}

impl Frontiers {
    /// The frontiers of all reachable blocks.
    pub fn new(cfg: &Cfg, dom: &Dominators) -> Self {
        let n = cfg.rpo().iter().map(|b| b.index() + 1).max().unwrap_or(0);
        let mut of: Vec<Vec<Block>> = vec![Vec::new(); n];
        for &b in cfg.rpo() {
            let preds = cfg.preds(b);
            let is_entry = dom.idom(b).is_none();
            if preds.len() < 2 && !is_entry {
                continue;
            }
            for &p in preds {
                let mut at = Some(p);
                while at != dom.idom(b) {
                    let Some(block) = at else { break };
                    if of[block.index()].last() != Some(&b) {
                        of[block.index()].push(b);
                    }
                    at = dom.idom(block);
                }
            }
        }
        Self { of }
    }
    /// The frontier of a block.
    pub fn of(&self, block: Block) -> &[Block] {
        self.of.get(block.index()).map_or(&[], Vec::as_slice)
    }
    /// The iterated frontier of a set of blocks: where values defined there meet. In no particular order, each block
    /// once.
    pub fn iterated(&self, defs: impl IntoIterator<Item = Block>, mut keep: impl FnMut(Block) -> bool) -> Vec<Block> {
        let mut work: Vec<Block> = defs.into_iter().collect();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut out = Vec::new();
        while let Some(b) = work.pop() {
            for &f in self.of(b) {
                if seen.insert(f) && keep(f) {
                    out.push(f);
                    work.push(f);
                }
            }
        }
        out
    }
}

/// A natural loop.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The only block entered from outside.
    pub header: Block,
    /// Blocks that jump back to the header.
    pub latches: Vec<Block>,
    /// All blocks, those of inner loops included; the header is the first.
    pub blocks: Vec<Block>,
    /// The smallest loop around this one.
    pub parent: Option<usize>,
    /// 1 for an outermost loop.
    pub depth: u32,
}

impl Loop {
    /// Blocks outside from which the loop is entered, one for each edge.
    pub fn entries<'a>(&'a self, cfg: &'a Cfg) -> impl Iterator<Item = Block> + 'a {
        cfg.preds(self.header).iter().copied().filter(|b| !self.blocks.contains(b))
    }
    /// The block that enters the loop, if there is one such edge.
    pub fn entry(&self, cfg: &Cfg) -> Option<Block> {
        let mut entries = self.entries(cfg);
        entries.next().filter(|_| entries.next().is_none())
    }
    /// Its blocks from which it can be left.
    pub fn exiting<'a>(&'a self, func: &'a Func) -> impl Iterator<Item = Block> + 'a {
        let leaves = |b: Block| func.blocks[b].term.targets().iter().any(|t| !self.blocks.contains(&t.block));
        self.blocks.iter().copied().filter(move |&b| leaves(b))
    }
}

/// The natural loops of a function.
#[derive(Clone, Debug)]
pub struct Loops {
    /// Loops, outer ones before inner ones.
    pub loops: Vec<Loop>,
    of: Vec<Option<usize>>,
    /// Of cycles with more than one entry, at least one; such cycles are not in `loops`.
    entries: Vec<Block>,
}

impl Loops {
    /// Finds the loops of a function, with all that is asked for that.
    pub fn of_func(func: &Func) -> (Cfg, Dominators, Self) {
        let cfg = Cfg::new(func);
        let dom = Dominators::new(&cfg);
        let loops = Self::new(func, &cfg, &dom);
        (cfg, dom, loops)
    }
    /// Finds the loops.
    pub fn new(func: &Func, cfg: &Cfg, dom: &Dominators) -> Self {
        let mut found: Vec<Loop> = Vec::new();
        let mut of: Vec<Option<usize>> = vec![None; func.blocks.len()];
        let mut entries = Vec::new();
        let mut mark = vec![usize::MAX; func.blocks.len()];
        for (n, &header) in cfg.rpo().iter().enumerate() {
            let mut latches: Vec<Block> = Vec::new();
            for &p in cfg.preds(header) {
                if cfg.number(p).is_some_and(|p| p >= n) {
                    if dom.dominates(header, p) {
                        if !latches.contains(&p) {
                            latches.push(p);
                        }
                    } else {
                        entries.push(header);
                    }
                }
            }
            if latches.is_empty() {
                continue;
            }
            let id = found.len();
            mark[header.index()] = id;
            let mut blocks = vec![header];
            let mut work = latches.clone();
            while let Some(b) = work.pop() {
                if mark[b.index()] != id {
                    mark[b.index()] = id;
                    blocks.push(b);
                    work.extend_from_slice(cfg.preds(b));
                }
            }
            // Most loops have their blocks close together: looking there is quicker than sorting.
            let last = blocks.iter().filter_map(|&b| cfg.number(b)).max().unwrap_or(n);
            if last - n < 8 * blocks.len() {
                blocks.clear();
                blocks.extend(cfg.rpo()[n..=last].iter().filter(|b| mark[b.index()] == id));
            } else {
                cfg.sort(&mut blocks[1..]);
            }
            let parent = of[header.index()];
            let depth = parent.map_or(1, |p| found[p].depth + 1);
            for &b in &blocks {
                of[b.index()] = Some(id);
            }
            found.push(Loop { header, latches, blocks, parent, depth });
        }
        Self { loops: found, of, entries }
    }
    /// The numbers of those that no other is in.
    pub fn innermost(&self) -> impl Iterator<Item = usize> + use<> {
        let mut is_around = vec![false; self.loops.len()];
        self.loops.iter().filter_map(|l| l.parent).for_each(|parent| is_around[parent] = true);
        (0..self.loops.len()).filter(move |&n| !is_around[n])
    }
    /// True if some cycle has more than one entry.
    pub fn is_irreducible(&self) -> bool {
        !self.entries.is_empty()
    }
    /// True if each cycle within a loop has one entry, whatever there is around it.
    pub fn is_reducible_within(&self, id: usize) -> bool {
        let inside = |entry: &Block| self.loops[id].header != *entry && self.contains(id, *entry);
        !self.entries.iter().any(inside)
    }
    /// The innermost loop of a block.
    pub fn of(&self, block: Block) -> Option<usize> {
        self.of.get(block.index()).copied().flatten()
    }
    /// True if the block lies in loop number `id`.
    pub fn contains(&self, id: usize, block: Block) -> bool {
        let mut at = self.of(block);
        while let Some(l) = at {
            if l == id {
                return true;
            }
            at = self.loops[l].parent;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Builder, Term, Type};

    /// entry → h; h → body | end; body → h.
    fn nest() -> (Func, [Block; 5]) {
        let mut func = Func::new("f", vec![Type::I1], None);
        let entry = func.entry();
        let c = func.blocks[entry].params[0];
        let [h, inner, latch, end] = std::array::from_fn(|_| func.add_block());
        func.layout.extend([h, inner, latch, end]);
        Builder::new(&mut func, entry).jump(h, &[]);
        Builder::new(&mut func, h).branch(c, inner, end);
        Builder::new(&mut func, inner).branch(c, inner, latch);
        Builder::new(&mut func, latch).jump(h, &[]);
        func.blocks[end].term = Term::Ret(None);
        (func, [entry, h, inner, latch, end])
    }

    #[test]
    fn dominators_and_loops() {
        let (func, [entry, h, inner, latch, end]) = nest();
        let cfg = Cfg::new(&func);
        let dom = Dominators::new(&cfg);
        assert_eq!(dom.idom(end), Some(h));
        assert!(dom.dominates(h, latch) && dom.dominates(entry, end) && !dom.dominates(inner, end));
        assert_eq!(dom.preorder().len(), 5);
        let df = Frontiers::new(&cfg, &dom);
        assert_eq!(df.of(latch), [h]);
        assert_eq!(df.of(inner), [h, inner]);
        let loops = Loops::new(&func, &cfg, &dom);
        assert!(!loops.is_irreducible());
        assert_eq!(loops.loops.len(), 2);
        assert_eq!(loops.loops[0].blocks, [h, inner, latch]);
        assert_eq!((loops.loops[1].header, loops.loops[1].parent, loops.loops[1].depth), (inner, Some(0), 2));
        assert!(loops.contains(0, inner) && !loops.contains(1, latch));
    }

    #[test]
    fn two_entries_are_irreducible() {
        let (mut func, [_, h, inner, latch, _]) = nest();
        let c = func.blocks[func.entry()].params[0];
        let entry = func.entry();
        Builder::new(&mut func, entry).branch(c, h, latch);
        let cfg = Cfg::new(&func);
        let loops = Loops::new(&func, &cfg, &Dominators::new(&cfg));
        assert!(loops.is_irreducible());
        assert_eq!(loops.loops.len(), 1);
        assert_eq!(loops.loops[0].header, inner);
        assert!(loops.is_reducible_within(0));
    }
}

//! Predecessors and reverse postorder of a function's control-flow graph. A snapshot: stale after blocks or branches
//! change.

use super::entity::{Block, Entity, Value};
use super::func::Func;
use smallvec::SmallVec;

/// Predecessors and orders of the blocks reachable from the entry.
#[derive(Clone, Debug)]
pub struct Cfg {
    starts: Vec<u32>,
    preds: Vec<Block>,
    rpo: Vec<Block>,
    numbers: Vec<u32>,
}

const UNREACHABLE: u32 = u32::MAX;

impl Cfg {
    /// The graph of a function with a body; empty for a declaration. Linear.
    pub fn new(func: &Func) -> Self {
        let n = func.blocks.len();
        let rpo = reverse_postorder(func);
        let mut numbers = vec![UNREACHABLE; n];
        for (i, b) in rpo.iter().enumerate() {
            numbers[b.index()] = i as u32;
        }
        let mut starts = vec![0u32; n + 1];
        for &b in &rpo {
            func.blocks[b].term.for_each_target(|t| starts[t.block.index() + 1] += 1);
        }
        for i in 0..n {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut preds = vec![Block(0); starts[n] as usize];
        for &b in &rpo {
            func.blocks[b].term.for_each_target(|t| {
                let at = &mut next[t.block.index()];
                preds[*at as usize] = b;
                *at += 1;
            });
        }
        Self { starts, preds, rpo, numbers }
    }

    /// Predecessors of a block, one entry per edge, reachable ones only, in reverse postorder.
    pub fn preds(&self, block: Block) -> &[Block] {
        &self.preds[self.starts[block.index()] as usize..self.starts[block.index() + 1] as usize]
    }
    /// What the edges into a block hand over as its parameter number `at`, with the blocks that they come from.
    pub fn handed<'a>(&'a self, func: &'a Func, block: Block, at: usize) -> impl Iterator<Item = (Block, Value)> + 'a {
        let preds = self.preds(block).iter().enumerate();
        let preds = preds.filter(move |&(i, b)| !self.preds(block)[..i].contains(b)).map(|(_, &b)| b);
        preds.flat_map(move |b| {
            let targets = func.blocks[b].term.targets().into_iter();
            targets.filter(move |t| t.block == block).map(move |t| (b, t.args[at]))
        })
    }
    /// Reachable blocks in reverse postorder; the first is the entry.
    pub fn rpo(&self) -> &[Block] {
        &self.rpo
    }
    /// Place of a reachable block in the reverse postorder.
    pub fn number(&self, block: Block) -> Option<usize> {
        match self.numbers[block.index()] {
            UNREACHABLE => None,
            n => Some(n as usize),
        }
    }
    /// Puts blocks into reverse postorder.
    pub fn sort(&self, blocks: &mut [Block]) {
        blocks.sort_unstable_by_key(|&b| self.number(b));
    }
    /// True if a path leads from the entry to the block.
    pub fn is_reachable(&self, block: Block) -> bool {
        self.numbers[block.index()] != UNREACHABLE
    }
}

/// Blocks that are reached from `starts`, these included, along edges from and to which `follow` allows; depth first.
pub fn reached(
    func: &Func,
    starts: impl DoubleEndedIterator<Item = Block>,
    follow: impl Fn(Block, Block) -> bool,
) -> Vec<Block> {
    let mut seen = vec![false; func.blocks.len()];
    let mut found = Vec::new();
    let mut work: Vec<Block> = starts.rev().collect();
    while let Some(from) = work.pop() {
        if !std::mem::replace(&mut seen[from.index()], true) {
            found.push(from);
            let targets = func.blocks[from].term.targets();
            work.extend(targets.iter().rev().map(|t| t.block).filter(|&to| follow(from, to)));
        }
    }
    found
}

fn reverse_postorder(func: &Func) -> Vec<Block> {
    let mut post = Vec::with_capacity(func.layout.len());
    depth_first(func, |_, _| (), |block| post.push(block));
    post.reverse();
    post
}

/// The tree of the walk that makes the reverse postorder, which is the tree's preorder if of each block the child that
/// was found last comes first: the children of each block, in the order in which they are found.
pub fn walk_tree(func: &Func) -> Vec<SmallVec<[Block; 2]>> {
    let mut children = vec![SmallVec::new(); func.blocks.len()];
    depth_first(func, |parent, block| children[parent.index()].push(block), |_| ());
    children
}

/// Walks over the blocks that are reached from the entry: tells of each but the entry where it is found from, and of
/// each when all that is found from it has been left.
fn depth_first(func: &Func, mut find: impl FnMut(Block, Block), mut leave: impl FnMut(Block)) {
    if !func.has_body() {
        return;
    }
    let mut seen = vec![false; func.blocks.len()];
    let entry = func.entry();
    seen[entry.index()] = true;
    let mut stack = vec![(entry, func.blocks[entry].term.n_targets())];
    while let Some((block, left)) = stack.last_mut() {
        if *left == 0 {
            leave(*block);
            stack.pop();
            continue;
        }
        *left -= 1;
        // The last target first, so that the first target follows its block in the order.
        let target = func.blocks[*block].term.target(*left);
        if !seen[target.block.index()] {
            seen[target.block.index()] = true;
            find(*block, target.block);
            stack.push((target.block, func.blocks[target.block].term.n_targets()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Builder, Term, Type};

    #[test]
    fn diamond() {
        let mut func = Func::new("f", vec![Type::I1], None);
        let entry = func.entry();
        let c = func.blocks[entry].params[0];
        let [a, b, end, dead] = std::array::from_fn(|_| func.add_block());
        func.layout.extend([dead, a, b, end]);
        Builder::new(&mut func, entry).branch(c, a, b);
        for x in [a, b, dead] {
            Builder::new(&mut func, x).jump(end, &[]);
        }
        func.blocks[end].term = Term::Ret(None);
        let cfg = Cfg::new(&func);
        assert_eq!(cfg.rpo(), [entry, a, b, end]);
        assert_eq!(cfg.preds(end), [a, b]);
        assert!(!cfg.is_reachable(dead));
        assert_eq!(cfg.number(end), Some(3));
    }
}

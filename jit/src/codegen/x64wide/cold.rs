//! Where blocks lie: long arms of branches come behind everything else.
//!
//! Such an arm is, nearly always, what an `if` does for the few arguments that a short way does not cover. Behind the
//! rest it is out of the way of the register allocator, which sees the code as a line: a value that lives on beyond the
//! arm stays in its register on the way that passes by, and is spilled in the arm alone. Must not know instructions but
//! their number.

use super::mir::MFunc;

/// Fewest instructions of an arm that moves. Below that the jumps count, and there is little to spill for.
const MIN_INSTS: usize = 64;
/// Most blocks of an arm that moves.
const MAX_BLOCKS: usize = 64;

/// The blocks in `order` with the long arms at the end. `order` has every block after one of its predecessors, but for
/// the entry.
pub fn arms_last(func: &MFunc, order: &[usize]) -> Vec<usize> {
    let mut place = vec![usize::MAX; func.blocks.len()];
    order.iter().enumerate().for_each(|(n, &b)| place[b] = n);
    let mut n_preds = vec![0usize; func.blocks.len()];
    func.blocks.iter().flat_map(|b| &b.succs).for_each(|s| n_preds[s.index()] += 1);
    let mut moves = vec![false; func.blocks.len()];
    let mut last = Vec::new();
    for &block in order.iter() {
        let [a, b] = func.blocks[block].succs[..] else { continue };
        for (first, other) in [(a.index(), b.index()), (b.index(), a.index())] {
            if moves[block] || moves[first] || n_preds[first] != 1 {
                continue;
            }
            if let Some(mut arm) = arm(func, &place, &n_preds, first, other) {
                arm.sort_by_key(|&b| place[b]);
                arm.iter().for_each(|&b| moves[b] = true);
                last.extend(arm);
            }
        }
    }
    order.iter().copied().filter(|&b| !moves[b]).chain(last).collect()
}

/// The blocks from `first` on, up to where `other`, the way that passes by, goes on; if they are long enough, can only
/// be entered by `first`, and have no loop.
fn arm(func: &MFunc, place: &[usize], n_preds: &[usize], first: usize, other: usize) -> Option<Vec<usize>> {
    // The way that passes by may have a block of its own for its jump.
    let passing = &func.blocks[other];
    let beyond = passing.succs.first().filter(|_| passing.insts.len() == 1).map(|s| s.index());
    let joins = |b: usize| b == other || Some(b) == beyond;
    if joins(first) {
        return None;
    }
    let mut arm = vec![first];
    let (mut n_insts, mut n_edges) = (0, 1);
    let mut next = 0;
    while let Some(&at) = arm.get(next) {
        let block = &func.blocks[at];
        n_insts += block.insts.len();
        if block.succs.is_empty() || arm.len() > MAX_BLOCKS {
            return None;
        }
        for to in block.succs.iter().map(|s| s.index()).filter(|&to| !joins(to)) {
            if place[to] <= place[at] {
                return None;
            }
            n_edges += 1;
            if !arm.contains(&to) {
                arm.push(to);
            }
        }
        next += 1;
    }
    let is_closed = arm.iter().map(|&b| n_preds[b]).sum::<usize>() == n_edges;
    (is_closed && n_insts >= MIN_INSTS).then_some(arm)
}

#[cfg(test)]
mod tests {
    use super::super::mir::{Kind, MBlock, MFunc, MInst};
    use super::{MIN_INSTS, arms_last};
    use regalloc2::Block;

    /// Blocks with this many instructions, and their successors.
    fn order(blocks: &[(usize, &[usize])]) -> Vec<usize> {
        let mut func = MFunc::default();
        for &(n_insts, succs) in blocks {
            let mut block = MBlock::default();
            block.insts = (0..n_insts).map(|_| MInst::new(Kind::Jump)).collect();
            block.succs = succs.iter().map(|&s| Block::new(s)).collect();
            func.blocks.push(block);
        }
        arms_last(&func, &(0..blocks.len()).collect::<Vec<_>>())
    }

    const LONG: usize = MIN_INSTS;

    #[test]
    fn a_long_arm_moves_whole_and_a_short_one_stays() {
        assert_eq!(order(&[(1, &[1, 2]), (LONG, &[2]), (1, &[])]), [0, 2, 1]);
        assert_eq!(order(&[(1, &[1, 2]), (LONG - 1, &[2]), (1, &[])]), [0, 1, 2]);
        // The other way has a block for its jump; the arm is a diamond.
        let diamond: &[(usize, &[usize])] =
            &[(1, &[5, 1]), (LONG, &[2, 3]), (1, &[4]), (1, &[4]), (1, &[6]), (1, &[6]), (1, &[])];
        assert_eq!(order(diamond), [0, 5, 6, 1, 2, 3, 4]);
    }

    #[test]
    fn arms_with_loops_returns_or_other_ways_in_stay() {
        assert_eq!(order(&[(1, &[1, 2]), (LONG, &[1, 2]), (1, &[])]), [0, 1, 2]);
        assert_eq!(order(&[(1, &[1, 2]), (LONG, &[]), (1, &[])]), [0, 1, 2]);
        let shared: &[(usize, &[usize])] = &[(1, &[1, 3]), (1, &[2, 4]), (LONG, &[4]), (1, &[2, 4]), (1, &[])];
        assert_eq!(order(shared), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn an_arm_within_an_arm_moves_once() {
        let nested: &[(usize, &[usize])] = &[(1, &[1, 4]), (LONG, &[2, 3]), (LONG, &[3]), (1, &[4]), (1, &[])];
        assert_eq!(order(nested), [0, 4, 1, 2, 3]);
    }
}

//! Unrolling of a loop whose number of turns is known: copies of its body, one behind the other.

use crate::ir::{Block, Func, Target};

/// Has a loop's header run so often: the loop and `runs - 1` copies of it follow each other, and the way back of the
/// last leads nowhere. Takes a closed loop with one latch.
pub fn fully(func: &mut Func, blocks: &[Block], header: Block, latch: Block, runs: usize) {
    let chain: Vec<_> = (1..runs).map(|_| func.copy_blocks(blocks)).collect();
    let (mut last, mut way_back) = (latch, header);
    for copy in chain {
        func.redirect(last, way_back, copy.block(header));
        (last, way_back) = (copy.block(latch), copy.block(header));
    }
    end(func, last, way_back);
}

/// Leads the way back to a header nowhere: the header runs once.
pub fn end(func: &mut Func, latch: Block, header: Block) {
    let end = func.add_block();
    func.layout.push(end);
    for target in func.blocks[latch].term.targets_mut().into_iter().filter(|t| t.block == header) {
        *target = Target::plain(end);
    }
}

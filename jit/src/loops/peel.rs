//! Peeling: what a loop does first, in front of it.

use super::lcssa;
use crate::ir::dom::Loop;
use crate::ir::{Block, Func, Target, Term};

/// Puts a copy of a loop's header in front of it, behind its preheader, and a block between the two, which it returns:
/// that is only run if the header's test lets the loop go on. Values of the header that are used behind the loop go
/// through variables.
pub fn header(func: &mut Func, l: &Loop, preheader: Block) -> Block {
    lcssa::through_slots(func, &[l.header], |b| l.blocks.contains(&b));
    let copies = func.copy_blocks(&[l.header]);
    let copy = copies.block(l.header);
    func.redirect(preheader, l.header, copy);
    let inner = func.add_block();
    func.layout.push(inner);
    let args = func.blocks[copy].params.iter().copied().collect();
    func.blocks[inner].term = Term::Jump(Target { block: l.header, args });
    let enters = |b: Block| b == copy || l.blocks.contains(&b);
    for target in func.blocks[copy].term.targets_mut().into_iter().filter(|target| enters(target.block)) {
        *target = Target::plain(inner);
    }
    inner
}

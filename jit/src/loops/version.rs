//! Loop versioning: two copies of a loop, and a question in front that decides between them.

use crate::ir::{Block, Copies, Func, Target, Term, Value};

/// Has a loop's preheader enter the copy of the loop where a condition holds, through a preheader of its own.
pub fn choose(func: &mut Func, preheader: Block, cond: Value, copies: &Copies) {
    let Term::Jump(entry) = func.blocks[preheader].term.clone() else { panic!("a preheader jumps") };
    let way = func.add_block();
    func.layout.push(way);
    func.blocks[way].term = Term::Jump(Target { block: copies.block(entry.block), args: entry.args.clone() });
    func.blocks[preheader].term = Term::Br { cond, then: Target::plain(way), els: entry };
}

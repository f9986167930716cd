//! Index-set splitting: a counted loop becomes two, the first of which ends at a bound, where the second goes on.

use crate::ir::{Block, Builder, Copies, Func, IntPred, Target, Term, Value};

/// Splits a closed loop of one block that ends in `br next < n, itself, exit`: a copy in front of it does the turns
/// below what `bound` computes there, a number of turns. Neither loop is entered in vain if the old one was not.
///
/// ```text
/// b(i): …; br next < n, b(next), exit
///   → start: br 0 < bound, a(entry), b(entry)     a(i): …; br next < bound, a(next), more     more: br next < n,
///   b(next), exit
/// ```
pub fn at_bound(
    func: &mut Func,
    block: Block,
    before: Block,
    next: Value,
    bound: impl FnOnce(&mut Builder<'_>) -> Value,
) -> Copies {
    let Term::Br { cond, then: back, els: exit } = func.blocks[block].term.clone() else { panic!("not such a loop") };
    let entry =
        func.blocks[before].term.targets().into_iter().find(|t| t.block == block).expect("an entry").args.clone();
    let copies = func.copy_blocks(&[block]);
    let first = copies.block(block);
    let [start, more] = [(); 2].map(|()| func.add_block());
    func.layout.retain(|&b| b != first);
    func.insert_blocks(block, &[start, first, more]);
    let copied = |target: &Target, to: Block| Target { block: to, args: copies.values(&target.args) };

    let mut b = Builder::new(func, start);
    let zero = b.i64(0);
    let bound = bound(&mut b);
    let some = b.icmp(IntPred::ULt, zero, bound);
    b.end(Term::Br {
        cond: some,
        then: Target { block: first, args: entry.clone() },
        els: Target { block, args: entry },
    });
    for target in func.blocks[before].term.targets_mut().into_iter().filter(|t| t.block == block) {
        *target = Target::plain(start);
    }
    let mut b = Builder::new(func, first);
    let again = b.icmp(IntPred::ULt, copies.value(next), bound);
    b.end(Term::Br { cond: again, then: copied(&back, first), els: Target::plain(more) });
    let cond = copies.value(cond);
    func.blocks[more].term = Term::Br { cond, then: copied(&back, block), els: copied(&exit, exit.block) };
    copies
}

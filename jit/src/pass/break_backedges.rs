//! Loops whose body is known to run at most once lose their way back: the range of the counter's first value and its
//! step say so, as in `for (int i = get_local_id(0); i < n; i += get_local_size(0))` with no more elements than
//! work-items (LLVM's loop deletion does this under the name "break the backedge"). What is left is a branch, which
//! bounds of loops over work-items, if-conversion and forwarding of stores understand.
//!
//! ```text
//! head(i): ..; br i < n, body, exit   body: ..; jump head(i + step)
//!   →  head: ..; br i < n, body, exit   body: ..; jump last   last: ..; jump exit
//! ```
//! Loops over work-items stay, as do headers with convergent operations. Values used behind a loop go through slots,
//! which `mem2reg` turns back. Uses the natural loops; linear.

use crate::analysis::induction::{Counted, tests};
use crate::analysis::range::{Range, Ranges};
use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loop, Loops};
use crate::ir::{Block, Func, Term, Value, ValueDef};
use crate::loops::{lcssa, unroll};
use rustc_hash::{FxHashMap, FxHashSet};

/// Runs the pass; true if some loop is none any more.
pub fn run(func: &mut Func) -> bool {
    func.remove_unreachable();
    let (cfg, dom, loops) = Loops::of_func(func);
    let headers: FxHashMap<Block, &Loop> = loops.loops.iter().map(|l| (l.header, l)).collect();
    let known = |v: Value| match func.values[v].def {
        ValueDef::Param(block, _) => {
            let counted = Counted::at_latch(func, &cfg, headers.get(&block)?)?;
            counted.range(func).filter(|_| counted.counter.now == v)
        }
        ValueDef::Inst(_) => None,
    };
    let found: Vec<(&Loop, Last)> =
        loops.loops.iter().filter_map(|l| Some((l, last(func, &cfg, &dom, l, &known)?))).collect();
    // Inner loops first; those around what has changed are left.
    let mut changed: FxHashSet<Block> = FxHashSet::default();
    for (l, last) in found.into_iter().rev() {
        if l.blocks.iter().any(|b| changed.contains(b)) {
            continue;
        }
        changed.extend(&l.blocks);
        match last {
            Last::AtLatch => unroll::end(func, l.latches[0], l.header),
            Last::AtHeader => leave_at_header(func, l),
        }
    }
    !changed.is_empty()
}

/// Where a loop whose body runs at most once is left.
#[derive(Clone, Copy)]
enum Last {
    /// By the latch's test.
    AtLatch,
    /// When the header runs for the second time, if not before.
    AtHeader,
}

fn last(func: &Func, cfg: &Cfg, dom: &Dominators, l: &Loop, known: &dyn Fn(Value) -> Option<Range>) -> Option<Last> {
    let &[latch] = &l.latches[..] else { return None };
    let head = &func.blocks[l.header];
    let is_plain = !head.is_loop_of_items() && head.insts.iter().all(|&i| !func.insts[i].op.is_convergent());
    tests(func, dom, l).filter(|_| is_plain).find_map(|test| {
        let counted = Counted::by_test(func, cfg, l, test)?;
        let ranges = Ranges { func, signed: counted.bound.pred.is_signed(), known };
        match counted.most_turns(func, &ranges)? {
            1 if test == latch => Some(Last::AtLatch),
            2 if test == l.header && test != latch => Some(Last::AtHeader),
            _ => None,
        }
    })
}

fn leave_at_header(func: &mut Func, l: &Loop) {
    let latch = l.latches[0];
    let inside: FxHashSet<Block> = l.blocks.iter().copied().collect();
    lcssa::through_slots(func, &l.blocks, |b| inside.contains(&b));
    let copy = func.copy_blocks(&[l.header]).block(l.header);
    func.redirect(latch, l.header, copy);
    let Term::Br { then, els, .. } = &func.blocks[copy].term else { unreachable!("the header has a test") };
    let exit = if inside.contains(&then.block) { els } else { then };
    func.blocks[copy].term = Term::Jump(exit.clone());
}

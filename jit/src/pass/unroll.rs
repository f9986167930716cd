//! Full unrolling of loops whose trip count follows from constants and is small. What it buys: indices of private
//! arrays become constant, so that the arrays become values; loops with others in them are for arrays only. The count
//! is found by `analysis::trip_count`. Loops with barriers unroll too, since all work-items go round as often: steps of
//! a tree reduction or a scan have constant distances then. Loops with other convergent operations stay. Values used
//! behind the loop go through slots, which `mem2reg` turns back; conditions fold in `simplify` and `simplify_cfg`.
//! Arrays that no registers would hold, and that a loop searches which is left early, stay arrays: of such a loop,
//! unrolled, most would never run. Linear in the code made.

use crate::analysis::address::Address;
use crate::analysis::alias::is_pure_call;
use crate::analysis::trip_count::trip_count;
use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loop, Loops};
use crate::ir::{Block, Func, Inst, Op, SlotId, Type};
use crate::launch::AddrSpace;
use crate::loops::{lcssa, unroll as bodies};
use rustc_hash::FxHashSet;

/// Most times a header may run.
const MAX_RUNS: u64 = 33;
/// Most instructions made for one loop, constants aside.
const MAX_INSTS: usize = 400;
/// The same if a private array is indexed in the loop.
const MAX_INSTS_ARRAY: usize = 2000;
/// Arrays of more bytes are left to loops that search them.
const MAX_SEARCHED: u64 = 256;
/// A function does not grow beyond this.
const MAX_FUNC: usize = 8000;

/// Runs the pass; true if it has unrolled a loop.
pub fn unroll(func: &mut Func) -> bool {
    rewrite(func, true)
}

/// Opens loops that are known to run once, whatever they do.
pub fn once(func: &mut Func) {
    rewrite(func, false);
}

fn rewrite(func: &mut Func, full: bool) -> bool {
    func.remove_unreachable();
    let cfg = Cfg::new(func);
    let dom = Dominators::new(&cfg);
    let loops = Loops::new(func, &cfg, &dom);
    let mut size = func.n_live_insts();
    let mut any = false;
    // Loops without others in them first; those around what has changed are for the next run.
    let mut changed: FxHashSet<Block> = FxHashSet::default();
    let mut children = vec![Vec::new(); loops.loops.len()];
    loops.loops.iter().enumerate().for_each(|(id, l)| l.parent.into_iter().for_each(|p| children[p].push(id)));
    let (innermost, nests): (Vec<usize>, Vec<usize>) = (0..children.len()).partition(|&id| children[id].is_empty());
    let runs_of = |func: &Func, l: &Loop| {
        trip_count(func, &cfg, &dom, l).filter(|&runs| runs <= MAX_RUNS).map(|runs| runs as usize)
    };
    let arrays = innermost.iter().map(|&id| &loops.loops[id]).filter(|_| full);
    let kept: FxHashSet<SlotId> =
        arrays.flat_map(|l| runs_of(func, l).map_or_else(Vec::new, |runs| searched(func, l, runs))).collect();
    for id in innermost.into_iter().chain(nests) {
        let l = &loops.loops[id];
        let inside: FxHashSet<Block> = l.blocks.iter().copied().collect();
        let [latch] = l.latches[..] else { continue };
        let runs = runs_of(func, l);
        if runs == Some(1) {
            bodies::end(func, latch, l.header);
            any = true;
            continue;
        }
        let is_same = !l.blocks.iter().any(|b| changed.contains(b));
        let Some(runs) = runs.filter(|_| full && is_same) else { continue };
        let within = children[id].iter().flat_map(|&child| &loops.loops[child].blocks);
        let Some(made) = made(func, &l.blocks, &within.copied().collect(), runs, &kept) else { continue };
        if size + made > MAX_FUNC {
            continue;
        }
        size += made;
        lcssa::through_slots(func, &l.blocks, |b| inside.contains(&b));
        bodies::fully(func, &l.blocks, l.header, latch, runs);
        changed.extend(&l.blocks);
        any = true;
    }
    any
}

/// The large private arrays that a long loop searches: one that can be left before its count ends it.
fn searched(func: &Func, l: &Loop, runs: usize) -> Vec<SlotId> {
    if l.exiting(func).count() < 2 || func.size_of(&l.blocks) * runs <= MAX_INSTS {
        return Vec::new();
    }
    let slots = func
        .data_of(&l.blocks)
        .filter(|data| data.op == Op::PtrAdd)
        .filter_map(|data| Address::of(func, data.args[0]).slot(func));
    slots.filter(|&slot| func.slots[slot].size > MAX_SEARCHED).collect()
}

/// How many instructions so many copies of a loop have, if they may be made; `within`: blocks of loops in it, `kept`:
/// arrays that stay.
fn made(
    func: &Func,
    blocks: &[Block],
    within: &FxHashSet<Block>,
    runs: usize,
    kept: &FxHashSet<SlotId>,
) -> Option<usize> {
    let insts = |b: &Block| func.blocks[*b].insts.iter().copied();
    let own: Vec<Inst> = blocks.iter().filter(|b| !within.contains(b)).flat_map(insts).collect();
    let body: Vec<Inst> = blocks.iter().flat_map(insts).collect();
    let fixed = body.iter().any(|i| {
        let data = &func.insts[*i];
        data.op.is_convergent() && data.op != Op::Barrier || (data.op == Op::Call && !is_pure_call(data))
    });
    let indexes = indexes_array(func, &own, kept);
    if fixed || !within.is_empty() && !indexes {
        return None;
    }
    let made = body.iter().filter(|i| func.insts[**i].op != Op::Const).count() * runs;
    let limit = if indexes { MAX_INSTS_ARRAY } else { MAX_INSTS };
    (made <= limit).then_some(made)
}

/// True if a private array that is to become values is accessed at a place that is not constant.
fn indexes_array(func: &Func, body: &[Inst], kept: &FxHashSet<SlotId>) -> bool {
    body.iter().any(|i| {
        let data = &func.insts[*i];
        let is_private = data.op == Op::PtrAdd && func.ty(data.args[0]) == Type::ptr(AddrSpace::Private);
        is_private && !Address::of(func, data.args[0]).slot(func).is_some_and(|slot| kept.contains(&slot))
    })
}

//! Unroll-and-jam of nests within a work-item: where an inner loop goes through memory by lines of the cache and more,
//! and the loop around it by elements, several turns of that are done at once, so that lines are used while they are
//! there.
//!
//! ```text
//! for j: s = 0; for k: s += b[k * n + j]; c[j] = s
//!   → for j, j + 4, ..: s, t, .. = 0; for k: s += b[k * n + j]; t += b[k * n + j + 1]; ..; c[j] = s; c[j + 1] = t; ..
//!     for j: …
//! ```
//! The old loop does what is left. No turn of the outer loop may access what another one writes (`dependence`), hand
//! anything to the next, or take another way; it tests at its top, and does nothing else there. Takes work-group form.
//! (Callahan, Carr, Kennedy, "Improving Register Allocation for Subscripted Variables".)

use crate::analysis::alias::Alias;
use crate::analysis::dependence::are_independent;
use crate::analysis::slice::dependents;
use crate::analysis::turns::Turns;
use crate::ir::cfg::Cfg;
use crate::ir::dom::{Loop, Loops};
use crate::ir::op::Flags;
use crate::ir::{Block, Builder, Func, Imm, InstData, Op, Target, Term, Value};
use crate::loops::count::Count;
use crate::loops::jam::Jam;
use crate::loops::simplify::make_preheader;
use rustc_hash::FxHashSet;

/// Turns at once, of small inner loops and of others.
const TURNS: [u32; 2] = [8, 4];
/// Instructions of an inner loop that is small.
const SMALL: usize = 16;
/// Most nests of a function that are jammed: the first ones.
const MOST: usize = 16;
/// Most instructions of a loop whose turns are copied.
const MAX_INSTS: usize = 120;
/// Bytes of a line of the cache, and the furthest from each other that elements are which turns should have beside each
/// other.
const LINE: u64 = 64;
const NEAR: u64 = 16;
/// Most parts of an address that are looked at.
const PARTS: u32 = 32;

/// Jams the nests that are there; true if there were any.
pub fn run(func: &mut Func) -> bool {
    let (cfg, _, loops) = Loops::of_func(func);
    let inner = only_inner(&loops);
    let found = (0..loops.loops.len()).filter(|&id| Nest::find(func, &cfg, &loops, &inner, id).is_some());
    let headers: Vec<Block> = found.map(|id| loops.loops[id].header).take(MOST).collect();
    headers.iter().filter(|&&header| jam(func, header).is_some()).count() > 0
}

/// For each loop the loop within it, if that is the only one and holds no other.
fn only_inner(loops: &Loops) -> Vec<Option<usize>> {
    let mut within = vec![(0, None); loops.loops.len()];
    for (id, l) in loops.loops.iter().enumerate() {
        if let Some(parent) = l.parent {
            within[parent] = (within[parent].0 + 1, Some(id));
        }
    }
    let only = |&(n, inner): &(usize, Option<usize>)| inner.filter(|&inner| n == 1 && within[inner].0 == 0);
    within.iter().map(only).collect()
}

fn jam(func: &mut Func, header: Block) -> Option<()> {
    let (cfg, _, loops) = Loops::of_func(func);
    let id = loops.loops.iter().position(|l| l.header == header)?;
    let nest = Nest::find(func, &cfg, &loops, &only_inner(&loops), id)?;
    let n = TURNS[usize::from(nest.inner > SMALL)];
    let Nest { l, latch, count, .. } = nest;
    let before = make_preheader(func, &cfg, l);
    let copies = func.copy_blocks(&l.blocks);
    let entry = func.blocks[before].term.targets()[0].args.to_vec();
    let (top, end) = (copies.block(header), copies.block(latch));
    let mut b = Builder::new(func, before);
    let more = count.has_more(&mut b, header, &entry, n.into());
    let ways = |block: Block, args: Vec<Value>| Target { block, args: args.into_iter().collect() };
    b.end(Term::Br { cond: more, then: ways(top, entry.clone()), els: ways(header, entry) });
    // The copy, as a loop.
    let (cfg, _, loops) = Loops::of_func(func);
    let copy = loops.loops.iter().find(|l| l.header == top).expect("the copy is a loop");
    let counter = copies.value(count.counter);
    let varying = dependents(func, &copy.blocks, [counter], |_| true, |to| copy.blocks.contains(&to));
    // The limit is further away than the turns that are done at once.
    let exact = [(count.signed, Flags::NSW), (count.unsigned, Flags::NUW)];
    let exact = exact.into_iter().filter(|(is, _)| *is).map(|(_, flag)| flag).collect();
    let whole = Jam { l: copy, counter, step: 1, exact, varying: &varying };
    let each = |func: &Func, block: Block| func.blocks[block].insts.iter().map(|&inst| vec![inst]).collect();
    whole.interleave(func, &cfg, n, each);
    // It goes on while there are as many turns more.
    let Term::Br { then, els, .. } = func.blocks[top].term.clone() else { unreachable!("the header tests") };
    let on = if copy.blocks.contains(&then.block) { then } else { els };
    let mut b = Builder::new(func, top);
    let more = count.has_more(&mut b, header, &[counter], n.into());
    b.end(Term::Br { cond: more, then: on, els: ways(header, vec![counter]) });
    let mut b = Builder::new(func, end);
    let next = b.op_bits(Op::Add, counter, n.into());
    b.end(Term::Jump(ways(top, vec![next])));
    Some(())
}

/// A loop whose turns may be jammed, and gain by it.
struct Nest<'a> {
    l: &'a Loop,
    latch: Block,
    count: Count,
    /// Instructions of the inner loop.
    inner: usize,
}

impl<'a> Nest<'a> {
    fn find(func: &Func, cfg: &Cfg, loops: &'a Loops, inner: &[Option<usize>], id: usize) -> Option<Self> {
        let (l, inner) = (&loops.loops[id], &loops.loops[inner[id]?]);
        let (&[latch], Term::Br { .. }) = (&l.latches[..], &func.blocks[l.header].term) else { return None };
        let Term::Jump(_) = &func.blocks[latch].term else { return None };
        let entry = &func.blocks[l.entry(cfg)?].term.only_target(l.header)?.args;
        let &[counter] = &func.blocks[l.header].params[..] else { return None };
        let is_of_items = |&block: &Block| func.blocks[block].is_loop_of_items();
        if func.size_of(&l.blocks) > MAX_INSTS || l.blocks.iter().any(is_of_items) {
            return None;
        }
        let is_plain = |data: &InstData| {
            let access = matches!(data.op, Op::Load | Op::Store) && !data.attr.flags.contains(Flags::VOLATILE);
            access || data.op.is_pure() && data.op != Op::SlotAddr
        };
        // Copies of the header ask whether there are more turns, also where there are none.
        let header_tests = func.data_of(&[l.header]).all(|data| data.op.is_pure());
        let is_left_by_header = l.exiting(func).all(|block| block == l.header);
        if !header_tests || !is_left_by_header || !func.data_of(&l.blocks).all(is_plain) {
            return None;
        }
        let count = Count::of(func, cfg, l).filter(|count| count.step == 1 && (count.signed || count.unsigned))?;
        let varying = dependents(func, &l.blocks, [counter], |_| true, |to| l.blocks.contains(&to));
        let others = l.blocks.iter().filter(|&&block| block != l.header);
        let parts = others.map(|&block| &func.blocks[block].term).any(|term| match term {
            Term::Br { cond: v, .. } | Term::Switch { value: v, .. } => varying.contains(v),
            _ => false,
        });
        let this = Self { l, latch, count, inner: func.size_of(&inner.blocks) };
        let pays = !parts && Self::pays(func, inner, counter, &varying);
        (pays && are_independent(func, &Alias::new(func), l, entry, None)).then_some(this)
    }

    /// True if the inner loop goes by lines where this one goes by elements.
    fn pays(func: &Func, inner: &Loop, counter: Value, varying: &FxHashSet<Value>) -> bool {
        let turns = Turns::new(func, inner);
        func.data_of(&inner.blocks).filter(|data| data.op == Op::Load).any(|data| {
            let ptr = data.args[0];
            let is_far = turns.of(ptr).is_none_or(|by| by.unsigned_abs() >= LINE);
            let is_near = |by: i64| by != 0 && by.unsigned_abs() <= NEAR;
            is_far && factor(func, ptr, counter, varying, &mut { PARTS }).is_some_and(is_near)
        })
    }
}

/// By how much a value grows with the counter, if that is made of sums: bytes, for addresses.
fn factor(func: &Func, v: Value, counter: Value, varying: &FxHashSet<Value>, parts: &mut u32) -> Option<i64> {
    if v == counter || !varying.contains(&v) {
        return Some((v == counter).into());
    }
    *parts = parts.checked_sub(1)?;
    let data = func.def_inst(v)?;
    let mut of = |v: Value| factor(func, v, counter, varying, parts);
    match (data.op, &data.args[..], &data.imm) {
        (Op::Sext | Op::Zext | Op::PtrOff | Op::AsCast, &[a], _) => of(a),
        (Op::Add, &[a, b], _) => of(a)?.checked_add(of(b)?),
        (Op::PtrAdd, &[a, b], &Imm::Scale { scale, .. }) => of(a)?.checked_add(of(b)?.checked_mul(scale.into())?),
        _ => None,
    }
}

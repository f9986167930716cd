//! Implicit loop barriers (Jääskeläinen et al., "pocl: A Performance-Portable OpenCL Implementation", 2015): loop
//! interchange of a kernel's loop with the one over work-items, by a barrier at the end of each of its turns. Applied
//! to **grid-stride loops**, in which work-items next to each other take what lies next to each other, and go on behind
//! what all of them have taken: with the work-items of a group side by side in each turn memory is walked in order, and
//! not again and again at long strides.
//!
//! ```text
//! i = first(item); while (i < n) { …i…; i += step }
//! → if (step ≥ all that the group's first values span && neither these nor n + step wrap)
//!       for (u = first(0); u < n; u += step) { i = u + first(item) - first(0); if (i < n) { …i… } barrier }
//!   else as it was
//! ```
//! By the question in front, item 0 is the last one to leave, and who has left does not come back: what each work-item
//! does stays the same. The number of turns is the group's (`uniform`), what varies are sums of ids (`live`), so that
//! nothing lives in memory from turn to turn; a loop that carries anything else stays, and so does one with barriers,
//! private arrays, or what others may see the order of. Takes kernels in SSA form before their work-group form. Linear
//! in the function, but for each loop's own questions.

use crate::analysis::address::growth;
use crate::analysis::alias::is_pure_call;
use crate::analysis::induction::{Induction, Step};
use crate::ir::cfg::Cfg;
use crate::ir::clone::rematerialise;
use crate::ir::dom::{Loop, Loops, Postdominators};
use crate::ir::op::{Flags, Order};
use crate::ir::origin::Origin;
use crate::ir::{Attr, Block, Builder, Func, Imm, Inst, InstData, IntPred, Op, Target, Term, Type, Value};
use crate::launch::AddrSpace;
use crate::loops::{lcssa, simplify};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::cell::RefCell;

/// Fewer work-items side by side are not worth the group's own turns.
const LEAST: u32 = 32;
/// Larger loops have no second version.
const MAX_INSTS: usize = 600;
/// Levels of operations that are looked through.
const DEPTH: u32 = 12;

/// Runs the pass for groups of this size; true if there was such a loop.
pub(crate) fn run(func: &mut Func, local: [u32; 3]) -> bool {
    if local[0] < LEAST {
        return false;
    }
    // Private arrays would live from one loop over work-items to the other.
    if func.live_insts().any(|(_, inst)| func.insts[inst].op == Op::SlotAddr) {
        return false;
    }
    let (cfg, _, loops) = Loops::of_func(func);
    if loops.loops.is_empty() || loops.is_irreducible() {
        return false;
    }
    let post = Postdominators::new(func, &cfg);
    // Blocks to which all work-items come, once.
    let met: FxHashSet<Block> = std::iter::successors(Some(func.entry()), |&block| post.of(block)).collect();
    let users = func.user_blocks();
    let outermost = loops.loops.iter().filter(|l| l.depth == 1);
    let found: Vec<GridStride> = outermost
        .filter(|l| lcssa::is_closed(func, &l.blocks, &users))
        .filter_map(|l| GridStride::of(func, &cfg, l, local))
        .filter(|found| met.contains(&found.before))
        .collect();
    found.iter().for_each(|found| found.interchange(func, local));
    !found.is_empty()
}

/// A loop in which each work-item goes on behind what all have taken.
struct GridStride {
    before: Block,
    header: Block,
    latch: Block,
    blocks: Vec<Block>,
    /// Where it leads.
    exit: Target,
    /// Where its test is in the source.
    origin: Origin,
    /// All parameters of its header: first values, and what is added in each turn.
    params: Vec<(Value, Step)>,
    /// Which of them is tested, how, with what, and by how much its first values differ from item to item.
    tested: usize,
    pred: IntPred,
    than: Value,
    apart: i64,
}

impl GridStride {
    fn of(func: &Func, cfg: &Cfg, l: &Loop, local: [u32; 3]) -> Option<Self> {
        let before = simplify::preheader(func, cfg, l)?;
        let &[latch] = &l.latches[..] else { return None };
        if !is_fit(func, l) || l.exiting(func).any(|block| block != l.header) {
            return None;
        }
        let items = Items::new(func, local);
        let made: FxHashSet<Value> = l.blocks.iter().flat_map(|&block| values_of(func, block)).collect();
        let is_fixed = |v: Value| !made.contains(&v);
        let firsts = &func.blocks[before].term.only_target(l.header)?.args;
        let all: Vec<Induction> = Induction::all(func, l).collect();
        if all.len() != func.blocks[l.header].params.len() {
            return None;
        }
        for (induction, &first) in all.iter().zip(firsts) {
            let is_same = match induction.step {
                Step::Value(v) => is_fixed(v) && items.are_same(v),
                Step::Bytes(_) => true,
            };
            if !is_same || items.apart(first, DEPTH).is_none() {
                return None;
            }
        }
        let within = |target: &Target| l.blocks.contains(&target.block);
        let test = |i: &Induction| Some((i.at, i.bound(func, l.header, within)?));
        let (tested, bound) = all.iter().find_map(test)?;
        let apart = items.apart(firsts[tested], DEPTH)?;
        let is_number = matches!(func.ty(all[tested].now), Type::I32 | Type::I64);
        let is_span = apart > 0 && apart.checked_mul(local[0].into()).is_some_and(|span| span <= i32::MAX.into());
        let fits = bound.is_upper() && !bound.is_next && is_number && is_span;
        if !fits || !is_fixed(bound.than) || !items.are_same(bound.than) {
            return None;
        }
        let Step::Value(step) = all[tested].step else { return None };
        if items.number(bound.than).zip(items.number(step)).is_some_and(|(than, step)| than <= step) {
            // There is one turn: `break-backedges` does better.
            return None;
        }
        let exit = func.blocks[l.header].term.targets().into_iter().find(|t| !within(t))?.clone();
        if !exit.args.iter().all(|&v| is_fixed(v)) {
            return None;
        }
        let params = all.iter().zip(firsts).map(|(i, &first)| (first, i.step)).collect();
        let (pred, than) = (bound.pred, bound.than);
        let blocks = l.blocks.clone();
        let origin = func.blocks[l.header].insts.last().map_or(Origin::UNKNOWN, |&inst| func.insts[inst].origin);
        Some(Self { before, header: l.header, latch, blocks, exit, origin, params, tested, pred, than, apart })
    }

    fn interchange(&self, func: &mut Func, local: [u32; 3]) {
        // Both versions lead to one place.
        let exit = func.add_block();
        func.layout.push(exit);
        func.blocks[exit].term = Term::Jump(self.exit.clone());
        let leaves = |t: &&mut Target| !self.blocks.contains(&t.block);
        func.blocks[self.header].term.targets_mut().into_iter().filter(leaves).for_each(|t| *t = Target::plain(exit));

        let copies = func.copy_blocks(&self.blocks);
        let [head, turn] = [(); 2].map(|()| func.add_block());
        func.layout.extend([head, turn]);

        let mut b = Builder::new(func, self.before).with_origin(self.origin);
        let first = first_of_group(&mut b, self.params[self.tested].0, local);
        let is_apt = self.question(&mut b, first, local);
        let zeros: SmallVec<[Value; 4]> = self.params.iter().map(|&(v, _)| zero(&mut b, v)).collect();
        let entry = Target { block: self.header, args: self.params.iter().map(|&(first, _)| first).collect() };
        let grown: Vec<Value> = zeros.iter().map(|&v| b.func.add_param(head, b.func.ty(v))).collect();
        b.end(Term::Br { cond: is_apt, then: Target { block: head, args: zeros }, els: entry });

        let guard = copies.block(self.header);
        let mut b = Builder::new(func, head).with_origin(self.origin);
        let least = b.op(Op::Add, &[first, grown[self.tested]]);
        let goes_on = b.icmp(self.pred, least, self.than);
        b.branch(goes_on, guard, exit);

        let mut b = Builder::new(func, turn).with_origin(self.origin);
        b.push(Op::Barrier, None, &[], Imm::FenceFlags(0), Attr::default());
        let steps = self.params.iter().zip(&grown);
        let next: Vec<Value> = steps.map(|(&(_, step), &grown)| add(&mut b, grown, step)).collect();
        b.jump(head, &next);

        let params = std::mem::take(&mut func.blocks[guard].params);
        let mut b = Builder::at(func, guard, 0).with_origin(self.origin);
        let mut now = FxHashMap::default();
        for (n, (param, grown)) in params.into_iter().zip(grown).enumerate() {
            let first = self.params[n].0;
            now.insert(
                param,
                if n == self.tested { self.index(&mut b, least) } else { increased(&mut b, first, grown) },
            );
        }
        for block in copies.blocks() {
            func.map_uses(block, |v| now.get(&v).copied().unwrap_or(v));
        }
        func.redirect(guard, exit, turn);
        let latch = &mut func.blocks[copies.block(self.latch)].term;
        latch.targets_mut().into_iter().filter(|t| t.block == guard).for_each(|t| *t = Target::plain(turn));
    }

    fn is_signed(&self) -> bool {
        matches!(self.pred, IntPred::SLt | IntPred::SLe)
    }

    /// What a work-item tests, from that of the first one, which goes on: it does not wrap by the question in front.
    fn index(&self, b: &mut Builder<'_>, least: Value) -> Value {
        let ty = b.func.ty(least);
        let exact = Attr { flags: Flags::NSW | Flags::NUW, ..Attr::default() };
        let mut item = b.typed(Op::Lid, Type::I64, &[], Imm::Dim(0), Attr::default());
        if ty != Type::I64 {
            item = b.typed(Op::Trunci, ty, &[item], Imm::None, exact);
        }
        if self.apart != 1 {
            let apart = b.bits(ty, self.apart as u64);
            item = b.op_attr(Op::Mul, &[item, apart], exact);
        }
        let flags = if self.is_signed() { Flags::NSW } else { Flags::NUW };
        b.op_attr(Op::Add, &[least, item], Attr { flags, ..Attr::default() })
    }

    /// True if the first work-item is the last one to leave, and none that has left would come back: neither the first
    /// values wrap, nor the sums of the last turn, and the step leads behind all first values.
    fn question(&self, b: &mut Builder<'_>, first: Value, local: [u32; 3]) -> Value {
        let ty = b.func.ty(first);
        let Step::Value(step) = self.params[self.tested].1 else { unreachable!("numbers are tested") };
        let step = number(b, step, ty);
        let signed = self.is_signed();
        let (at_least, at_most) = if signed { (IntPred::SGe, IntPred::SLe) } else { (IntPred::UGe, IntPred::ULe) };
        let span = b.bits(ty, self.apart as u64 * u64::from(local[0]));
        let is_far = b.icmp(at_least, step, span);
        let max = b.bits(ty, (u64::MAX >> (64 - ty.elem.bits())) >> u32::from(signed));
        let [first_end, last_end] = [span, step].map(|more| b.op(Op::Sub, &[max, more]));
        let starts = b.icmp(at_most, first, first_end);
        let ends = b.icmp(at_most, self.than, last_end);
        let all = b.op(Op::And, &[is_far, starts]);
        b.op(Op::And, &[all, ends])
    }
}

/// The work-items of a group next to each other in the first dimension.
struct Items<'f> {
    func: &'f Func,
    local: [u32; 3],
    /// What has been asked before.
    known: RefCell<FxHashMap<Value, Option<i64>>>,
}

impl<'f> Items<'f> {
    fn new(func: &'f Func, local: [u32; 3]) -> Self {
        Self { func, local, known: RefCell::default() }
    }

    /// By how much a value grows from one to the next, whatever their other ids: as the number of so many bits that it
    /// is. None if it is not known, or if it is not made of ids and of what all have.
    fn apart(&self, v: Value, levels: u32) -> Option<i64> {
        if let Some(&known) = self.known.borrow().get(&v) {
            return known;
        }
        let apart = self.of_parts(v, levels);
        self.known.borrow_mut().insert(v, apart);
        apart
    }

    fn of_parts(&self, v: Value, levels: u32) -> Option<i64> {
        let Some(data) = self.func.def_inst(v) else {
            return self.func.blocks[self.func.entry()].params.contains(&v).then_some(0);
        };
        let below = levels.checked_sub(1)?;
        match (data.op, &data.imm) {
            (Op::Lid | Op::Gid, imm) => (*imm == Imm::Dim(0)).then_some(1),
            (op, _) if op.is_sub_group_query() => None,
            (op, _) if op.is_query() => Some(0),
            (op, _) if op.is_pure() => {
                let args: SmallVec<[Option<i64>; 4]> = data.args.iter().map(|&arg| self.apart(arg, below)).collect();
                let is_same = args.iter().all(|&arg| arg == Some(0));
                if is_same { Some(0) } else { growth(self.func, data, |n| args[n]) }
            }
            (Op::Load, _) => {
                let is_fixed = data.attr.flags.contains(Flags::INVARIANT)
                    || self.func.ty(data.args[0]) == Type::ptr(AddrSpace::Constant);
                (is_fixed && self.are_same(data.args[0])).then_some(0)
            }
            _ => None,
        }
    }

    /// A number that is known: a constant or the group's size.
    fn number(&self, v: Value) -> Option<u64> {
        let data = self.func.def_inst(v)?;
        match (data.op, &data.imm) {
            (Op::Lsz | Op::Elsz, &Imm::Dim(d)) => self.local.get(usize::from(d)).map(|&n| n.into()),
            (Op::Trunci | Op::Zext | Op::Sext, _) => self.number(data.args[0]),
            _ => self.func.const_bits(v),
        }
    }

    fn are_same(&self, v: Value) -> bool {
        self.apart(v, DEPTH) == Some(0)
    }
}

/// What a block makes, its parameters included.
fn values_of(func: &Func, block: Block) -> impl Iterator<Item = Value> {
    let data = &func.blocks[block];
    let results = data.insts.iter().filter_map(|&inst| func.insts[inst].result);
    data.params.iter().copied().chain(results)
}

/// True if turns of the work-items may come in another order, and their copy is small enough.
fn is_fit(func: &Func, l: &Loop) -> bool {
    let is_free = |data: &InstData| {
        let orders = data.op.is_convergent() || matches!(data.op, Op::Printf | Op::Device | Op::Fence | Op::Clock);
        let is_atomic = matches!(data.op, Op::AtomicLoad | Op::AtomicStore | Op::AtomicRmw | Op::AtomicCas);
        let relaxed = !is_atomic || data.attr.order == Order::Relaxed;
        let is_volatile = data.attr.flags.contains(Flags::VOLATILE);
        let calls = data.op == Op::Call && !is_pure_call(data);
        !orders && relaxed && !is_volatile && !calls && !data.op.is_sub_group()
    };
    let is_pure = |&inst: &Inst| func.insts[inst].op.is_pure();
    func.size_of(&l.blocks) <= MAX_INSTS
        && func.data_of(&l.blocks).all(is_free)
        && func.blocks[l.header].insts.iter().all(is_pure)
}

/// A value of the group's first work-item, made of ids and of what all have.
fn first_of_group(b: &mut Builder<'_>, v: Value, local: [u32; 3]) -> Value {
    let zero = b.i64(0);
    let group = b.typed(Op::Grp, Type::I64, &[], Imm::Dim(0), Attr::default());
    let before = b.op_bits(Op::Mul, group, local[0].into());
    let offset = b.typed(Op::Goff, Type::I64, &[], Imm::Dim(0), Attr::default());
    let first = b.op(Op::Add, &[before, offset]);
    let there = |func: &Func, v: Value| match func.def_inst(v) {
        Some(InstData { op: Op::Lid, imm: Imm::Dim(0), .. }) => Ok(zero),
        Some(InstData { op: Op::Gid, imm: Imm::Dim(0), .. }) => Ok(first),
        _ if Items::new(func, local).are_same(v) => Ok(v),
        _ => Err(v),
    };
    rematerialise(b, v, &there)
}

/// By how much a parameter has grown at first: of an address, bytes.
fn zero(b: &mut Builder<'_>, first: Value) -> Value {
    let ty = b.func.ty(first);
    b.bits(if ty.is_ptr() { Type::I64 } else { ty }, 0)
}

/// As a number of a narrower type, where it is not of that already.
fn number(b: &mut Builder<'_>, v: Value, ty: Type) -> Value {
    if b.func.ty(v) == ty { v } else { b.convert(Op::Trunci, ty, v) }
}

fn add(b: &mut Builder<'_>, grown: Value, step: Step) -> Value {
    match step {
        Step::Bytes(bytes) => b.op_bits(Op::Add, grown, bytes as u64),
        Step::Value(v) => {
            let ty = b.func.ty(grown);
            let v = number(b, v, ty);
            b.op(Op::Add, &[grown, v])
        }
    }
}

fn increased(b: &mut Builder<'_>, first: Value, grown: Value) -> Value {
    if b.func.ty(first).is_ptr() { b.ptr_add(first, grown, 1, 0) } else { b.op(Op::Add, &[first, grown]) }
}

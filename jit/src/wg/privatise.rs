//! Reduction privatisation: atomic additions and the like to memory of all groups, of which nobody wants the result. A
//! thread accumulates them in private memory while it runs its range of groups, and merges what it has at the end, in
//! place of one atomic for each group or work-item. Histograms and counters are such kernels.
//!
//! That is right where nothing can tell: the operation is relaxed and on integers, so that order does not matter; its
//! address is the same for each group, one element or one for each work-item of a line; the work-item touches no global
//! memory afterwards, at whatever address; and the kernel has no other atomics, fences for all groups or volatile
//! accesses to memory that they share. Kernels whose groups may wait for each other (`analysis::waits`) are left alone.
//! What is accumulated lies in an array behind the context. Works on the work-group function in SSA form, before lanes;
//! needs the exact local size.

use crate::analysis::address::Address;
use crate::analysis::alias::is_pure_call;
use crate::analysis::induction::Induction;
use crate::ir::cfg::{Cfg, reached};
use crate::ir::dom::{Dominators, Loops};
use crate::ir::entity::Entity;
use crate::ir::op::{Flags, RmwOp};
use crate::ir::{
    Attr, Block, Builder, Func, Imm, Inst, IntPred, Op, Order, Scalar, Scope, Target, Term, Type, Value, ValueDef,
};
use crate::launch::{AddrSpace, Env, SpecKey};

/// Most atomics that are privatised.
const MAX_PRIVATISED: usize = 8;
/// Most that are looked at: each is followed to the end of the kernel.
const MAX_SEEN: usize = 64;

/// An atomic that may be privatised.
struct Reduction {
    block: Block,
    inst: Inst,
    op: RmwOp,
    ty: Type,
    /// The address, as far as it is the same for all.
    base: Value,
    disp: i64,
    /// The number of the work-item, and the distance of neighbours.
    index: Option<(Value, u32)>,
    /// Each work-item has an element of its own.
    is_exclusive: bool,
}

/// Privatises what can be.
pub fn run(func: &mut Func, scratch_per_item: &mut usize, key: SpecKey) {
    let Some(size) = key.local_size else { return };
    let items = size.iter().map(|&n| u64::from(n)).product::<u64>();
    let is_atomic = |func: &Func, inst: Inst| func.insts[inst].op == Op::AtomicRmw;
    if !func.live_insts().any(|(_, inst)| is_atomic(func, inst)) {
        return;
    }
    let Some(groups) = GroupLoop::new(func) else { return };
    let Some(reductions) = groups.find(func) else { return };
    let GroupLoop { entry, header, mut exit, .. } = groups;
    for reduction in reductions.iter().take(MAX_PRIVATISED) {
        let at = *scratch_per_item as u64 * items;
        *scratch_per_item += (reduction.ty.bytes() as usize).next_multiple_of(16);
        let n = if reduction.index.is_some() { items } else { 1 };
        let array = clear(func, entry, reduction, at, n);
        accumulate(func, reduction, array);
        exit = merge(func, header, exit, reduction, array, n);
    }
}

/// The loop over groups.
struct GroupLoop {
    cfg: Cfg,
    loops: Loops,
    /// Ends in a jump to the header.
    entry: Block,
    header: Block,
    /// The only block outside to which the loop leads, from its header.
    exit: Block,
}

impl GroupLoop {
    fn new(func: &Func) -> Option<Self> {
        let cfg = Cfg::new(func);
        let loops = Loops::new(func, &cfg, &Dominators::new(&cfg));
        let entry = func.entry();
        let Term::Jump(Target { block: header, .. }) = func.blocks[entry].term else { return None };
        let id = loops.loops.iter().position(|l| l.header == header && l.parent.is_none())?;
        let mut exit = None;
        for &block in &loops.loops[id].blocks {
            for target in func.blocks[block].term.targets() {
                if !loops.contains(id, target.block) {
                    let first = exit.replace(target.block).is_none();
                    if block != header || !first || !target.args.is_empty() {
                        return None;
                    }
                }
            }
        }
        let is_plain = !loops.is_irreducible() && !func.blocks[header].items && cfg.preds(exit?).len() == 1;
        Some(Self { loops, entry, header, exit: exit.filter(|_| is_plain)?, cfg })
    }

    /// True for a value that is there before the first group.
    fn is_fixed(&self, func: &Func, v: Value) -> bool {
        match func.values[v].def {
            ValueDef::Param(block, _) => block == self.entry,
            ValueDef::Inst(inst) => func.blocks[self.entry].insts.contains(&inst),
        }
    }

    /// The atomics that may be privatised; none if other operations stand against all of them.
    fn find(&self, func: &Func) -> Option<Vec<Reduction>> {
        let mut found = Vec::new();
        for &block in self.cfg.rpo() {
            for &inst in &func.blocks[block].insts {
                let data = &func.insts[inst];
                match data.op {
                    Op::AtomicLoad | Op::AtomicStore | Op::AtomicCas if is_shared(func, data.args[0]) => return None,
                    Op::AtomicRmw if is_shared(func, data.args[0]) => found.push(self.reduction(func, block, inst)?),
                    Op::Fence if matches!(data.attr.scope, Scope::Device | Scope::AllDevices) => return None,
                    Op::Call if !is_pure_call(data) => return None,
                    Op::Device => return None,
                    _ if data.attr.flags.contains(Flags::VOLATILE) && touches(func, inst) => return None,
                    _ => {}
                }
            }
        }
        if found.is_empty() || found.len() > MAX_SEEN {
            return None;
        }
        let uses = func.use_counts();
        // Operations of one kind may change places.
        let kind = |reduction: &Reduction| if reduction.op == RmwOp::Sub { RmwOp::Add } else { reduction.op };
        let fits = |reduction: &Reduction| {
            let unused = func.insts[reduction.inst].result.is_none_or(|v| uses[v.index()] == 0);
            unused && kind(reduction) == kind(&found[0]) && !self.touches_after(func, reduction)
        };
        found.iter().all(fits).then_some(found)
    }

    fn reduction(&self, func: &Func, block: Block, inst: Inst) -> Option<Reduction> {
        let data = &func.insts[inst];
        let Imm::Rmw(op) = data.imm else { return None };
        let ty = func.ty(data.args[1]);
        let fits = matches!(op, RmwOp::Add | RmwOp::Sub | RmwOp::Or | RmwOp::Xor)
            && matches!(ty.elem, Scalar::I32 | Scalar::I64)
            && !ty.is_vector()
            && data.attr.order == Order::Relaxed
            && !data.attr.flags.contains(Flags::VOLATILE)
            && func.ty(data.args[0]) == Type::ptr(AddrSpace::Global);
        if !fits {
            return None;
        }
        let Address { root: base, terms, disp } = Address::up_to(func, data.args[0], |v| self.is_fixed(func, v));
        let index = terms.first().copied();
        if !self.is_fixed(func, base) || terms.len() > 1 {
            return None;
        }
        let mut around = self.around(block).filter(|&l| func.blocks[self.loops.loops[l].header].items);
        let innermost = around.next();
        let is_exclusive = match index {
            None => false,
            Some((v, _)) => {
                let header = self.counter(func, v)?;
                innermost.is_some_and(|l| self.loops.loops[l].header == header) && around.next().is_none()
            }
        };
        Some(Reduction { block, inst, op, ty, base, disp, index, is_exclusive })
    }

    /// The loops around a block, inner ones first.
    fn around(&self, block: Block) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.loops.of(block), |&l| self.loops.loops[l].parent)
    }

    /// The header of a loop over work-items in which a value counts 0, 1, …
    fn counter(&self, func: &Func, v: Value) -> Option<Block> {
        let ValueDef::Param(header, _) = func.values[v].def else { return None };
        let l = &self.loops.loops[self.loops.of(header)?];
        let counter = Induction::of(func, l, v).filter(|c| func.blocks[header].items && c.by(func) == Some(1))?;
        let is_plain = l.header == header && func.ty(v) == Type::I64;
        let from_zero = counter.starts(func, &self.cfg, l).all(|v| func.const_bits(v) == Some(0));
        (is_plain && from_zero).then_some(header)
    }

    /// True if the work-item, or one that comes later at a barrier, may touch global memory after the atomic.
    fn touches_after(&self, func: &Func, reduction: &Reduction) -> bool {
        let touch = |insts: &[Inst]| insts.iter().any(|&i| touches(func, i));
        let insts = &func.blocks[reduction.block].insts;
        let at = insts.iter().position(|&i| i == reduction.inst).expect("it was found there");
        let follow = |from: Block, to: Block| {
            let next_item = func.blocks[to].items && self.around(from).any(|l| self.loops.loops[l].header == to);
            !next_item && to != self.header
        };
        let targets = func.blocks[reduction.block].term.targets();
        let starts = targets.iter().map(|t| t.block).filter(|&to| follow(reduction.block, to));
        touch(&insts[at + 1..]) || reached(func, starts, follow).iter().any(|&b| touch(&func.blocks[b].insts))
    }
}

/// True for memory that other groups see.
fn is_shared(func: &Func, ptr: Value) -> bool {
    [AddrSpace::Global, AddrSpace::Generic].into_iter().any(|space| func.ty(ptr) == Type::ptr(space))
}

/// True for a plain access to memory that other groups see.
fn touches(func: &Func, inst: Inst) -> bool {
    let data = &func.insts[inst];
    match data.op {
        Op::Load if data.attr.flags.contains(Flags::INVARIANT) => false,
        Op::Load | Op::Store | Op::Memset => is_shared(func, data.args[0]),
        Op::Memcpy => is_shared(func, data.args[0]) || is_shared(func, data.args[1]),
        Op::LoadMasked | Op::StoreMasked | Op::Gather | Op::Scatter | Op::Printf => true,
        _ => false,
    }
}

/// Clears the private array; returns its address.
fn clear(func: &mut Func, entry: Block, reduction: &Reduction, at: u64, n: u64) -> Value {
    let env = func.blocks[entry].params[1];
    let mut b = Builder::new(func, entry);
    let field = b.ptr_off(env, std::mem::offset_of!(Env, scratch) as i64);
    let inv = Attr { flags: Flags::INVARIANT, ..Attr::default() };
    let scratch = b.load(Type::ptr(AddrSpace::Private), field, inv);
    let array = b.ptr_off(scratch, at as i64);
    let zero = b.bits(Type::I8, 0);
    let bytes = b.i64((n * u64::from(reduction.ty.bytes())) as i64);
    b.push(Op::Memset, None, &[array, zero, bytes], Imm::None, Attr::default());
    array
}

/// Replaces the atomic.
fn accumulate(func: &mut Func, reduction: &Reduction, array: Value) {
    let (value, attr) = (func.insts[reduction.inst].args[1], func.insts[reduction.inst].attr);
    let place =
        func.blocks[reduction.block].insts.iter().position(|&i| i == reduction.inst).expect("it was found there");
    let rest = func.blocks[reduction.block].insts.split_off(place);
    let mut b = Builder::new(func, reduction.block);
    let own = match reduction.index {
        Some((index, _)) => b.ptr_add(array, index, reduction.ty.bytes(), 0),
        None => array,
    };
    if reduction.is_exclusive {
        let before = b.load(reduction.ty, own, Attr::default());
        let op = match reduction.op {
            RmwOp::Or => Op::Or,
            RmwOp::Xor => Op::Xor,
            _ => Op::Add,
        };
        let after = b.op(op, &[before, value]);
        b.store(own, after, Attr::default());
    } else {
        // Work-items side by side must not lose what others add.
        let op = if reduction.op == RmwOp::Sub { RmwOp::Add } else { reduction.op };
        b.push(Op::AtomicRmw, Some(reduction.ty), &[own, value], Imm::Rmw(op), attr);
    }
    func.blocks[reduction.block].insts.extend_from_slice(&rest[1..]);
}

/// Adds what has been accumulated to the memory of all, between the loop over groups and `exit`; returns where that
/// begins.
fn merge(func: &mut Func, header: Block, exit: Block, reduction: &Reduction, array: Value, n: u64) -> Block {
    let attr = func.insts[reduction.inst].attr;
    let [first, test, add, next] = [(); 4].map(|()| func.add_block());
    let index = func.add_param(test, Type::I64);
    let place = func.layout.iter().position(|&b| b == exit).expect("it is reachable");
    func.layout.splice(place..place, [first, test, add, next]);

    let mut b = Builder::new(func, first);
    let start = b.i64(0);
    b.jump(test, &[start]);

    let mut b = Builder::new(func, test);
    let from = b.ptr_add(array, index, reduction.ty.bytes(), 0);
    let value = b.load(reduction.ty, from, Attr::default());
    let zero = b.bits(reduction.ty, 0);
    let some = b.icmp(IntPred::Ne, value, zero);
    b.branch(some, add, next);

    let mut b = Builder::new(func, add);
    let scale = reduction.index.map_or(0, |(_, scale)| scale);
    let to = if scale == 0 {
        b.ptr_off(reduction.base, reduction.disp)
    } else {
        b.ptr_add(reduction.base, index, scale, reduction.disp)
    };
    b.push(Op::AtomicRmw, Some(reduction.ty), &[to, value], Imm::Rmw(reduction.op), attr);
    b.jump(next, &[]);

    let mut b = Builder::new(func, next);
    let one = b.i64(1);
    let following = b.op(Op::Add, &[index, one]);
    let count = b.i64(n as i64);
    let more = b.icmp(IntPred::ULt, following, count);
    let again = Target { block: test, args: [following].into_iter().collect() };
    b.end(Term::Br { cond: more, then: again, els: Target::plain(exit) });

    for target in func.blocks[header].term.targets_mut() {
        if target.block == exit {
            target.block = first;
        }
    }
    first
}

//! Atomic additions and the like to memory of all groups, of which nobody wants the result: a thread gathers them while it runs
//! its range of groups, and performs them at the end, in place of one for each group or work-item. Histograms and counters
//! are such kernels.
//!
//! That is right where nothing can tell: the operation is relaxed and on integers, so that order does not matter; its address
//! is the same for each group, a place or one place for each work-item of a line; the work-item touches no global memory
//! afterwards, at whatever address; and the kernel has no other atomics, fences for all groups or volatile accesses to memory
//! that they share. Kernels whose groups may wait for each other (`pass::waits`) are left alone. What is gathered lies in a
//! column of the record. Works on the work-group function in SSA form, before lanes; needs the exact local size.

use super::WorkGroup;
use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loops};
use crate::ir::entity::Entity;
use crate::ir::op::{Flags, RmwOp};
use crate::ir::{
    Attr, Block, Builder, Func, Imm, Inst, InstData, IntPred, Op, Order, Scalar, Scope, Target, Term, Type, Value,
    ValueDef,
};
use crate::launch::{AddrSpace, Env, SpecKey};
use crate::pass::alias::is_pure_call;

/// Most atomics that are gathered.
const MOST: usize = 8;
/// Most that are looked at: each is followed to the end of the kernel.
const MOST_SEEN: usize = 64;

/// An atomic that can wait.
struct Late {
    block: Block,
    inst: Inst,
    op: RmwOp,
    ty: Type,
    /// The address, as far as it is the same for all.
    base: Value,
    disp: i64,
    /// The number of the work-item, and the distance of neighbours.
    index: Option<(Value, u32)>,
    /// Work-items have places of their own.
    apart: bool,
}

/// Gathers what can be gathered.
pub fn run(group: &mut WorkGroup, key: SpecKey) {
    let Some(size) = key.local_size else { return };
    let items = size.iter().map(|&n| u64::from(n)).product::<u64>();
    let is_atomic = |func: &Func, inst: Inst| func.insts[inst].op == Op::AtomicRmw;
    if !group.func.live_insts().any(|(_, inst)| is_atomic(&group.func, inst)) {
        return;
    }
    let Some((late, shape)) = Shape::new(&group.func).and_then(|shape| Some((shape.find(&group.func)?, shape))) else {
        return;
    };
    let Shape { entry, header, mut exit, .. } = shape;
    for late in late.iter().take(MOST) {
        let at = group.scratch_per_item as u64 * items;
        group.scratch_per_item += (late.ty.bytes() as usize).next_multiple_of(16);
        let n = if late.index.is_some() { items } else { 1 };
        let column = begin(&mut group.func, entry, late, at, n);
        gather(&mut group.func, late, column);
        exit = end(&mut group.func, header, exit, late, column, n);
    }
}

/// The loop over groups.
struct Shape {
    cfg: Cfg,
    loops: Loops,
    /// Ends in a jump to the header.
    entry: Block,
    header: Block,
    /// The only block outside to which the loop leads, from its header.
    exit: Block,
}

impl Shape {
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
        let is_plain = !loops.is_irreducible && !func.blocks[header].items && cfg.preds(exit?).len() == 1;
        Some(Self { loops, entry, header, exit: exit.filter(|_| is_plain)?, cfg })
    }

    /// True for a value that is there before the first group.
    fn is_fixed(&self, func: &Func, v: Value) -> bool {
        match func.values[v].def {
            ValueDef::Param(block, _) => block == self.entry,
            ValueDef::Inst(inst) => func.blocks[self.entry].insts.contains(&inst),
        }
    }

    /// The atomics that can wait; none if other operations stand against all of them.
    fn find(&self, func: &Func) -> Option<Vec<Late>> {
        let mut found = Vec::new();
        for &block in self.cfg.rpo() {
            for &inst in &func.blocks[block].insts {
                let data = &func.insts[inst];
                match data.op {
                    Op::AtomicLoad | Op::AtomicStore | Op::AtomicCas if is_shared(func, data.args[0]) => return None,
                    Op::AtomicRmw if is_shared(func, data.args[0]) => found.push(self.late(func, block, inst)?),
                    Op::Fence if matches!(data.attr.scope, Scope::Device | Scope::AllDevices) => return None,
                    Op::Call if !is_pure_call(data) => return None,
                    _ if data.attr.flags.contains(Flags::VOLATILE) && touches(func, inst) => return None,
                    _ => {}
                }
            }
        }
        if found.is_empty() || found.len() > MOST_SEEN {
            return None;
        }
        let mut used = vec![false; func.values.len()];
        func.live_insts().for_each(|(_, i)| func.insts[i].args.iter().for_each(|v| used[v.index()] = true));
        self.cfg.rpo().iter().for_each(|&b| func.blocks[b].term.for_each_value(|v| used[v.index()] = true));
        // Operations of one kind may change places.
        let kind = |late: &Late| if late.op == RmwOp::Sub { RmwOp::Add } else { late.op };
        let fits = |late: &Late| {
            let unused = func.insts[late.inst].result.is_none_or(|v| !used[v.index()]);
            unused && kind(late) == kind(&found[0]) && !self.touches_after(func, late)
        };
        found.iter().all(fits).then_some(found)
    }

    fn late(&self, func: &Func, block: Block, inst: Inst) -> Option<Late> {
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
        let (mut base, mut disp, mut index) = (data.args[0], 0i64, None);
        while !self.is_fixed(func, base) {
            let InstData { op, args, imm, .. } = func.def_inst(base)?;
            match (op, imm) {
                (Op::PtrOff, &Imm::Disp(by)) => disp = disp.checked_add(by)?,
                (Op::PtrAdd, &Imm::Scale { scale, disp: by }) if index.is_none() => {
                    disp = disp.checked_add(by)?;
                    index = Some((args[1], scale));
                }
                _ => return None,
            }
            base = args[0];
        }
        let mut around = self.around(block).filter(|&l| func.blocks[self.loops.loops[l].header].items);
        let innermost = around.next();
        let apart = match index {
            None => false,
            Some((v, _)) => {
                let header = self.counter(func, v)?;
                innermost.is_some_and(|l| self.loops.loops[l].header == header) && around.next().is_none()
            }
        };
        Some(Late { block, inst, op, ty, base, disp, index, apart })
    }

    /// The loops around a block, inner ones first.
    fn around(&self, block: Block) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.loops.of(block), |&l| self.loops.loops[l].parent)
    }

    /// The header of a loop over work-items in which a value counts 0, 1, …
    fn counter(&self, func: &Func, v: Value) -> Option<Block> {
        let ValueDef::Param(header, place) = func.values[v].def else { return None };
        let id = self.loops.of(header).filter(|&l| self.loops.loops[l].header == header)?;
        if !func.blocks[header].items || func.ty(v) != Type::I64 {
            return None;
        }
        for &pred in self.cfg.preds(header) {
            for target in func.blocks[pred].term.targets().into_iter().filter(|t| t.block == header) {
                let arg = target.args[place as usize];
                let fits = if self.loops.contains(id, pred) {
                    let next = func.def_inst(arg).filter(|data| data.op == Op::Add && data.args[0] == v);
                    next.is_some_and(|data| func.const_bits(data.args[1]) == Some(1))
                } else {
                    func.const_bits(arg) == Some(0)
                };
                if !fits {
                    return None;
                }
            }
        }
        Some(header)
    }

    /// True if the work-item, or one that comes later at a barrier, may touch global memory after the atomic.
    fn touches_after(&self, func: &Func, late: &Late) -> bool {
        let mut seen = vec![false; func.blocks.len()];
        let rest = func.blocks[late.block].insts.iter().skip_while(|&&i| i != late.inst).skip(1);
        if rest.copied().any(|i| touches(func, i)) {
            return true;
        }
        let mut work = vec![late.block];
        while let Some(from) = work.pop() {
            for target in func.blocks[from].term.targets() {
                let to = target.block;
                let next_item = func.blocks[to].items && self.around(from).any(|l| self.loops.loops[l].header == to);
                if next_item || to == self.header || std::mem::replace(&mut seen[to.index()], true) {
                    continue;
                }
                if func.blocks[to].insts.iter().any(|&i| touches(func, i)) {
                    return true;
                }
                work.push(to);
            }
        }
        false
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

/// Empties the column; returns its address.
fn begin(func: &mut Func, entry: Block, late: &Late, at: u64, n: u64) -> Value {
    let env = func.blocks[entry].params[1];
    let mut b = Builder::new(func, entry);
    let field = b.ptr_off(env, std::mem::offset_of!(Env, scratch) as i64);
    let inv = Attr { flags: Flags::INVARIANT, ..Attr::default() };
    let scratch = b.load(Type::ptr(AddrSpace::Private), field, inv);
    let column = b.ptr_off(scratch, at as i64);
    let zero = b.bits(Type::I8, 0);
    let bytes = b.i64((n * u64::from(late.ty.bytes())) as i64);
    b.push(Op::Memset, None, &[column, zero, bytes], Imm::None, Attr::default());
    column
}

/// Replaces the atomic.
fn gather(func: &mut Func, late: &Late, column: Value) {
    let (value, attr) = (func.insts[late.inst].args[1], func.insts[late.inst].attr);
    let place = func.blocks[late.block].insts.iter().position(|&i| i == late.inst).expect("it was found there");
    let rest = func.blocks[late.block].insts.split_off(place);
    let mut b = Builder::new(func, late.block);
    let own = match late.index {
        Some((index, _)) => b.ptr_add(column, index, late.ty.bytes(), 0),
        None => column,
    };
    if late.apart {
        let before = b.load(late.ty, own, Attr::default());
        let op = match late.op {
            RmwOp::Or => Op::Or,
            RmwOp::Xor => Op::Xor,
            _ => Op::Add,
        };
        let after = b.op(op, &[before, value]);
        b.store(own, after, Attr::default());
    } else {
        // Work-items side by side must not lose what others add.
        let op = if late.op == RmwOp::Sub { RmwOp::Add } else { late.op };
        b.push(Op::AtomicRmw, Some(late.ty), &[own, value], Imm::Rmw(op), attr);
    }
    func.blocks[late.block].insts.extend_from_slice(&rest[1..]);
}

/// Performs what has been gathered, between the loop over groups and `exit`; returns where that begins.
fn end(func: &mut Func, header: Block, exit: Block, late: &Late, column: Value, n: u64) -> Block {
    let attr = func.insts[late.inst].attr;
    let [first, test, add, next] = [(); 4].map(|()| func.add_block());
    let index = func.add_param(test, Type::I64);
    let place = func.layout.iter().position(|&b| b == exit).expect("it is reachable");
    func.layout.splice(place..place, [first, test, add, next]);

    let mut b = Builder::new(func, first);
    let start = b.i64(0);
    b.jump(test, &[start]);

    let mut b = Builder::new(func, test);
    let from = b.ptr_add(column, index, late.ty.bytes(), 0);
    let value = b.load(late.ty, from, Attr::default());
    let zero = b.bits(late.ty, 0);
    let some = b.icmp(IntPred::Ne, value, zero);
    b.branch(some, add, next);

    let mut b = Builder::new(func, add);
    let scale = late.index.map_or(0, |(_, scale)| scale);
    let to = if scale == 0 { b.ptr_off(late.base, late.disp) } else { b.ptr_add(late.base, index, scale, late.disp) };
    b.push(Op::AtomicRmw, Some(late.ty), &[to, value], Imm::Rmw(late.op), attr);
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

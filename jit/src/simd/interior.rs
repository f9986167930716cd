//! Item loops whose indices are clamped, as in filters that repeat the edge of an image: where no work-item of the row would be
//! clamped, the loop runs without.
//!
//! ```text
//! i: … max.s(i + a, lo) … min.s(…, hi) …    → br lo ≤ a and a + n - 1 ≤ hi, (i: … i + a …), (i: as it was)
//! ```
//! What is `i + a` there is an address that grows by an element from lane to lane. Takes the form of `loops::ItemLoop`.

use super::loops::{ItemLoop, homes};
use super::split::push;
use crate::ir::entity::Entity;
use crate::ir::{Block, Func, Imm, Inst, IntPred, Op, Scalar, Target, Term, Type, Value, ValueDef};

/// Larger loops are not made twice.
const MAX_INSTS: usize = 600;
/// Levels of operations that are looked through.
const DEPTH: u32 = 8;
/// Most that an index grows by from work-item to work-item.
const MAX_STRIDE: u64 = 1 << 10;

/// A bound that an index is held to.
struct Clamp {
    inst: Inst,
    index: Value,
    bound: Value,
    /// The bound is the lower one.
    low: bool,
    signed: bool,
}

/// Makes the second loop; its header.
pub(super) fn split(func: &mut Func, header: Block) -> Option<Block> {
    let size: usize = func.layout.iter().map(|&b| func.blocks[b].insts.len()).sum();
    let clamps = |func: &Func| func.live_insts().any(|(_, i)| bound_op(func.insts[i].op).is_some());
    if size > 4 * MAX_INSTS || !clamps(func) {
        return None;
    }
    let items = ItemLoop::prepare(func, header).ok()?;
    let homes = homes(func, &items.blocks);
    let size: usize = items.blocks.iter().map(|&b| func.blocks[b].insts.len()).sum();
    let found = find(func, &items, &homes);
    if found.is_empty() || size > MAX_INSTS {
        return None;
    }
    let before = items.before;
    let Term::Jump(entry) = func.blocks[before].term.clone() else { return None };
    let counter = func.blocks[header].params[items.count];
    let first = entry.args[items.count];
    let one = push(func, before, Op::Const, Type::I64, &[], Imm::Bits(1));
    let last = push(func, before, Op::Sub, Type::I64, &[items.bound, one], Imm::None);
    let mut all = None;
    for clamp in &found {
        let [low, high] = [first, last].map(|v| repeat(func, before, &homes, clamp.index, counter, v));
        // From the first to the last nothing wraps, or the last would be the smaller one.
        for (a, b) in [(low, high), if clamp.low { (clamp.bound, low) } else { (high, clamp.bound) }] {
            let pred = if clamp.signed { IntPred::SLe } else { IntPred::ULe };
            let holds = push(func, before, Op::Icmp, Type::I1, &[a, b], Imm::IntPred(pred));
            all = Some(all.map_or(holds, |all| push(func, before, Op::And, Type::I1, &[all, holds], Imm::None)));
        }
    }
    let copies = func.copy_blocks(&items.blocks);
    let fast = copies.block(header);
    let blocks: Vec<Block> = copies.blocks().collect();
    for clamp in &found {
        let v = func.insts[clamp.inst].result.expect("a bound is held to");
        replace(func, &blocks, copies.value(v), copies.value(clamp.index));
    }
    func.blocks[before].term =
        Term::Br { cond: all?, then: Target { block: fast, args: entry.args.clone() }, els: entry };
    Some(fast)
}

/// Which bound an operation holds its operands to: the lower one, signed.
fn bound_op(op: Op) -> Option<(bool, bool)> {
    match op {
        Op::MaxS => Some((true, true)),
        Op::MinS => Some((false, true)),
        Op::MaxU => Some((true, false)),
        Op::MinU => Some((false, false)),
        _ => None,
    }
}

fn find(func: &Func, items: &ItemLoop, homes: &[Option<Block>]) -> Vec<Clamp> {
    let counter = func.blocks[items.header].params[items.count];
    let mut found: Vec<Clamp> = Vec::new();
    for &inst in items.blocks.iter().flat_map(|&b| &func.blocks[b].insts) {
        let data = &func.insts[inst];
        let Some((low, signed)) = bound_op(data.op) else { continue };
        let ty = func.ty(data.args[0]);
        let fixed = |v: Value| homes[v.index()].is_none();
        let (mut index, bound) = match data.args[..] {
            [a, b] if fixed(b) && !fixed(a) => (a, b),
            [b, a] if fixed(b) && !fixed(a) => (a, b),
            _ => continue,
        };
        // Held to the other bound before.
        while let Some(inner) = found.iter().find(|clamp| func.insts[clamp.inst].result == Some(index)) {
            index = inner.index;
        }
        let grows = stride(func, homes, index, counter, DEPTH);
        if matches!(ty.elem, Scalar::I32 | Scalar::I64)
            && !ty.is_vector()
            && grows.is_some_and(|stride| (1..=MAX_STRIDE).contains(&stride))
        {
            found.push(Clamp { inst, index, low, bound, signed });
        }
    }
    found
}

/// By how much a value grows from work-item to work-item, modulo its type's range, if it is made of the counter and of what is
/// there before the loop.
fn stride(func: &Func, homes: &[Option<Block>], v: Value, counter: Value, depth: u32) -> Option<u64> {
    if v == counter {
        return Some(1);
    }
    if homes[v.index()].is_none() {
        return Some(0);
    }
    let data = func.def_inst(v).filter(|_| depth > 0)?;
    let of = |i: usize| stride(func, homes, data.args[i], counter, depth - 1);
    match data.op {
        Op::Const => Some(0),
        Op::Add => Some(of(0)?.wrapping_add(of(1)?)),
        Op::Sub => Some(of(0)?.wrapping_sub(of(1)?)),
        Op::Mul => Some(of(0)?.wrapping_mul(func.const_bits(data.args[1])?)),
        Op::Trunci => of(0),
        _ => None,
    }
}

/// The value that `v` has where the counter is `at`, computed before the loop.
fn repeat(func: &mut Func, before: Block, homes: &[Option<Block>], v: Value, counter: Value, at: Value) -> Value {
    if v == counter {
        return at;
    }
    if homes.get(v.index()).copied().flatten().is_none() {
        return v;
    }
    let ValueDef::Inst(inst) = func.values[v].def else { unreachable!("made of the counter") };
    let data = func.insts[inst].clone();
    let args: Vec<Value> = data.args.iter().map(|&arg| repeat(func, before, homes, arg, counter, at)).collect();
    push(func, before, data.op, func.ty(v), &args, data.imm)
}

/// Uses `new` in place of `old`.
fn replace(func: &mut Func, blocks: &[Block], old: Value, new: Value) {
    for &b in blocks {
        for inst in func.blocks[b].insts.clone() {
            func.insts[inst].args.iter_mut().filter(|v| **v == old).for_each(|v| *v = new);
        }
        func.blocks[b].term.map_values(|v| if v == old { new } else { v });
    }
}

//! Induction-variable substitution (Allen and Kennedy, "Optimizing Compilers for Modern Architectures") in loops with
//! barriers: an address or index that each work-item increases by the same amount in each turn becomes its first value
//! and a multiple of a counter. Such a variable lives across barriers, so it would lie in memory for each work-item;
//! the counter is one number for the group, and first values are mostly made again from ids.
//!
//! ```text
//! head(p): load p; barrier; …; p' = p + s; br c, head(p'), out
//!   → head(k): p = p₀ + k * s; load p; barrier; …; k' = k + 1; br c, head(k'), out       k = 0 at first
//! ```
//! Takes kernels before their work-group form, in SSA form. Must not touch sums that are known not to wrap, of which
//! later passes know more than of products.

use crate::analysis::induction::{Induction, Step};
use crate::ir::dom::{Loop, Loops};
use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::{Attr, Block, Builder, Func, Imm, Op, Type, Value};
use rustc_hash::FxHashMap;

/// Most operations that a first value is made of which are looked at.
const PARTS: usize = 32;

/// Runs the pass; true if there was anything.
pub fn run(func: &mut Func) -> bool {
    let has_barrier = |func: &Func, blocks: &[Block]| func.data_of(blocks).any(|data| data.op == Op::Barrier);
    if !has_barrier(func, &func.layout) {
        return false;
    }
    let (cfg, _, loops) = Loops::of_func(func);
    let homes = func.homes(&func.layout);
    let mut values = FxHashMap::default();
    for (number, l) in loops.loops.iter().enumerate() {
        let (Some(before), &[latch]) = (l.entry(&cfg), &l.latches[..]) else { continue };
        if func.blocks[before].term.only_target(l.header).is_none() || !has_barrier(func, &l.blocks) {
            continue;
        }
        let is_outside = |v: Value| {
            let home = homes.get(v.index()).copied().flatten();
            func.const_bits(v).is_some() || home.is_some_and(|home| !loops.contains(number, home))
        };
        let found: Vec<Growing> = growing(func, l, latch, is_outside).collect();
        let first = |growing: &Growing| func.blocks[before].term.only_target(l.header).expect("seen").args[growing.at];
        let found: Vec<(Growing, Value)> = found.into_iter().map(|g| (g, first(&g))).collect();
        let found: Vec<(Growing, Value)> = found.into_iter().filter(|&(_, first)| varies(func, first)).collect();
        if !found.is_empty() {
            substitute(func, l.header, [before, latch], &found, &mut values);
        }
    }
    if values.is_empty() {
        return false;
    }
    for block in func.layout.clone() {
        func.map_uses(block, |v| values.get(&v).copied().unwrap_or(v));
    }
    true
}

/// A parameter of a loop's header that grows by the same amount in each turn.
#[derive(Clone, Copy)]
struct Growing {
    now: Value,
    at: usize,
    by: By,
}

/// By how much it grows.
#[derive(Clone, Copy)]
enum By {
    /// A number.
    Number(Value),
    /// Bytes, for an address.
    Bytes(i64),
    /// A number, so many times, for an address.
    Scaled(Value, u32),
}

/// Those of a loop.
fn growing<'a>(
    func: &'a Func,
    l: &'a Loop,
    latch: Block,
    is_outside: impl Fn(Value) -> bool + Copy + 'a,
) -> impl Iterator<Item = Growing> + 'a {
    let numbers = Induction::all(func, l).filter_map(move |i| {
        let by = match i.step {
            Step::Bytes(by) => By::Bytes(by),
            Step::Value(v) => By::Number(v).filter(is_outside)?,
        };
        let is_number = func.ty(i.now) == Type::I32 || func.ty(i.now) == Type::I64;
        let may_wrap = i.extension.is_none() && i.no_wrap(func).is_none();
        (func.ty(i.now).is_ptr() || is_number && may_wrap).then_some(Growing { now: i.now, at: i.at, by })
    });
    let back = func.blocks[latch].term.only_target(l.header);
    let params = func.blocks[l.header].params.iter().enumerate();
    let addresses = back.into_iter().flat_map(move |back| {
        params.clone().zip(&back.args).filter_map(move |((at, &now), &next)| {
            let data = func.def_inst(next).filter(|d| d.op == Op::PtrAdd && d.args[0] == now)?;
            match data.imm {
                Imm::Scale { scale, disp: 0 } if is_outside(data.args[1]) => {
                    Some(Growing { now, at, by: By::Scaled(data.args[1], scale) })
                }
                _ => None,
            }
        })
    });
    numbers.chain(addresses)
}

impl By {
    fn filter(self, keep: impl Fn(Value) -> bool) -> Option<Self> {
        match self {
            Self::Number(v) | Self::Scaled(v, _) if !keep(v) => None,
            by => Some(by),
        }
    }
}

/// True if a value is made of ids of work-items.
fn varies(func: &Func, v: Value) -> bool {
    let mut found = vec![v];
    let mut at = 0;
    while at < found.len() && found.len() < PARTS {
        let Some(data) = func.def_inst(found[at]) else {
            at += 1;
            continue;
        };
        if matches!(data.op, Op::Lid | Op::Gid) {
            return true;
        }
        found.extend(data.args.iter().copied());
        at += 1;
    }
    false
}

/// Makes values that take the place of a header's parameters, of a new parameter that counts.
fn substitute(
    func: &mut Func,
    header: Block,
    [before, latch]: [Block; 2],
    found: &[(Growing, Value)],
    values: &mut FxHashMap<Value, Value>,
) {
    let count = func.add_param(header, Type::I64);
    for from in [before, latch] {
        let mut b = Builder::new(func, from);
        let v = if from == before {
            b.i64(0)
        } else {
            let one = b.i64(1);
            b.op_attr(Op::Add, &[count, one], Attr { flags: Flags::NUW | Flags::NSW, ..Attr::default() })
        };
        let targets = func.blocks[from].term.targets_mut().into_iter().filter(|t| t.block == header);
        targets.for_each(|target| target.args.push(v));
    }
    let mut b = Builder::at(func, header, 0);
    for &(Growing { now, by, .. }, first) in found {
        values.insert(now, sum(&mut b, first, count, by));
    }
}

/// A first value, increased so many times.
fn sum(b: &mut Builder<'_>, first: Value, count: Value, by: By) -> Value {
    let ty = b.func.ty(first);
    let times = |b: &mut Builder<'_>, n: Value, v: Value| match b.func.const_bits(v) {
        Some(1) => n,
        Some(bits) => b.op_bits(Op::Mul, n, bits),
        None => b.op(Op::Mul, &[n, v]),
    };
    match by {
        By::Number(v) => {
            let n = if ty == Type::I64 { count } else { b.convert(Op::Trunci, ty, count) };
            let all = times(b, n, v);
            b.op(Op::Add, &[first, all])
        }
        By::Bytes(bytes) => {
            let all = b.op_bits(Op::Mul, count, bytes as u64);
            b.ptr_add(first, all, 1, 0)
        }
        By::Scaled(v, scale) => {
            let all = times(b, count, v);
            b.ptr_add(first, all, scale, 0)
        }
    }
}

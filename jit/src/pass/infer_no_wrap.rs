//! Marks integer operations that cannot wrap, as the ranges of loop counters show (value range propagation: Harrison,
//! "Compiler analysis of the value ranges for variables", 1977): of groups of known sizes, and of loops that go round a
//! known number of times.
//!
//! ```text
//! head(y): %a = shl %y, 4; %b = add %a, %x     →  %a = shl %y, 4 {nsw nuw}; %b = add %a, %x {nsw nuw}
//!                                                  where y < 16 and x < 16
//! ```
//! With these marks an index of 32 bits is known to grow as its extension does, without a question before the loop
//! (`simd::versioning`). Takes SSA form; changes nothing but marks. Linear.

use crate::analysis::induction::Counted;
use crate::analysis::range::{Range, Ranges};
use crate::ir::dom::Loops;
use crate::ir::op::Flags;
use crate::ir::{Func, InstData, Op, Value};
use rustc_hash::FxHashMap;

/// Runs the pass; true if it has marked anything.
pub fn run(func: &mut Func) -> bool {
    let (cfg, _, loops) = Loops::of_func(func);
    // Ranges of signed numbers, of what is made of counters.
    let mut known: FxHashMap<Value, Range> = FxHashMap::default();
    for l in &loops.loops {
        if let Some(counted) = Counted::at_latch(func, &cfg, l).or_else(|| Counted::by_test(func, &cfg, l, l.header)) {
            known.extend(counted.range(func).map(|range| (counted.counter.now, range)));
        }
    }
    if known.is_empty() {
        return false;
    }
    let mut any = false;
    for &block in cfg.rpo() {
        for i in 0..func.blocks[block].insts.len() {
            let inst = func.blocks[block].insts[i];
            let Some((range, flags)) = result(func, &func.insts[inst], &known) else { continue };
            let data = &mut func.insts[inst];
            any |= !data.attr.flags.contains(flags);
            data.attr.flags |= flags;
            known.extend(data.result.map(|v| (v, range)));
        }
    }
    any
}

/// The range of what an operation makes of numbers with known ranges, and what it may be marked with; none if nothing
/// is known of its operands, or if it may wrap.
fn result(func: &Func, data: &InstData, known: &FxHashMap<Value, Range>) -> Option<(Range, Flags)> {
    let ty = data.result.map(|v| func.ty(v)).filter(|ty| ty.is_int() && !ty.is_vector() && ty.elem.bits() > 1)?;
    if !data.args.iter().any(|v| known.contains_key(v)) {
        return None;
    }
    let of = |i: usize| Ranges { func, signed: true, known: &|v| known.get(&v).copied() }.of(data.args[i]);
    let bits = ty.elem.bits();
    let is_natural = |range: Range| range.least >= 0;
    let (range, flags) = match data.op {
        Op::Add | Op::Sub | Op::Mul | Op::Shl => {
            let (a, b) = (of(0), of(1));
            let range = Range::apply(data.op, a, b).filter(|_| data.op != Op::Shl || b.most < i128::from(bits))?;
            // Natural numbers are the same read as unsigned ones.
            (range, if is_natural(a) && is_natural(b) && is_natural(range) { Flags::NUW } else { Flags::empty() })
        }
        Op::Trunci => (of(0), if is_natural(of(0)) { Flags::NUW } else { Flags::empty() }),
        Op::Sext => (of(0), Flags::empty()),
        Op::Zext => (Some(of(0)).filter(|&range| is_natural(range))?, Flags::empty()),
        Op::And | Op::Lshr | Op::DivU | Op::RemU => (Range::apply(data.op, of(0), of(1))?, Flags::empty()),
        _ => return None,
    };
    let wraps = matches!(data.op, Op::Add | Op::Sub | Op::Mul | Op::Shl | Op::Trunci);
    let flags = if wraps { flags | Flags::NSW } else { flags };
    Range::full(bits, true).contains(range).then_some((range, flags))
}

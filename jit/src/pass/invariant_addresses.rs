//! Reassociation of addresses, as LLVM's LICM has it: what does not change in a loop is added to the pointer in front
//! of it.
//!
//! ```text
//! loop: x = first + i; p = a + 4 * x; q = b + 4 * x      →      a' = a + 4 * first; b' = b + 4 * first
//!                                                              loop: p = a' + 4 * i; q = b' + 4 * i
//! ```
//! A counter is then an index as it is, which costs no operation where machines add two registers to an address, and
//! the loop holds a pointer in place of a pointer and a number: registers that live long, such as a kernel's arguments,
//! need not live in it. Innermost loops only: in front of others, pointers would live long themselves. Behind all that
//! compares indices. Linear.

use crate::ir::dom::{Loop, Loops};
use crate::ir::entity::Entity;
use crate::ir::{Block, Builder, Func, Imm, Inst, Op, Type, Value};
use crate::loops::simplify::{make_preheaders, preheader};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Sums within sums that are looked at.
const DEPTH: usize = 4;

/// Runs the pass.
pub fn run(func: &mut Func) {
    if !make_preheaders(func) {
        return;
    }
    let (cfg, _, loops) = Loops::of_func(func);
    let mut homes = func.homes(&func.layout);
    let outer: FxHashSet<usize> = loops.loops.iter().filter_map(|l| l.parent).collect();
    for (id, l) in loops.loops.iter().enumerate().filter(|(id, _)| !outer.contains(id)) {
        if let Some(front) = preheader(func, &cfg, l) {
            reassociate(func, &loops, id, l, front, &mut homes);
        }
    }
}

fn reassociate(func: &mut Func, loops: &Loops, id: usize, l: &Loop, front: Block, homes: &mut Vec<Option<Block>>) {
    // Pointers that were made in front, by what they are made of.
    let mut made: FxHashMap<(Value, SmallVec<[Value; 4]>, u32), Value> = FxHashMap::default();
    for &block in &l.blocks {
        for at in 0..func.blocks[block].insts.len() {
            let inst = func.blocks[block].insts[at];
            let is_fixed = |v: Value| homes[v.index()].is_none_or(|home| !loops.contains(id, home));
            let Some((fixed, index)) = parts(func, inst, is_fixed) else { continue };
            let Imm::Scale { scale, .. } = func.insts[inst].imm else { continue };
            let base = func.insts[inst].args[0];
            let pointer = *made.entry((base, fixed.clone(), scale)).or_insert_with(|| {
                let mut b = Builder::new(func, front);
                fixed.iter().fold(base, |pointer, &v| b.ptr_add(pointer, v, scale, 0))
            });
            homes.resize(func.values.len(), Some(front));
            func.insts[inst].args = SmallVec::from_slice(&[pointer, index]);
        }
    }
}

/// Of an address whose pointer is fixed, the fixed parts of its index, and the one that is not.
fn parts(func: &Func, inst: Inst, is_fixed: impl Fn(Value) -> bool) -> Option<(SmallVec<[Value; 4]>, Value)> {
    let data = &func.insts[inst];
    if data.op != Op::PtrAdd || !is_fixed(data.args[0]) {
        return None;
    }
    let mut fixed = SmallVec::new();
    let mut index = data.args[1];
    while let Some(sum) = func.def_inst(index).filter(|d| d.op == Op::Add && fixed.len() < DEPTH) {
        debug_assert_eq!(func.ty(index), Type::I64, "indices have 64 bits");
        let rest = match [is_fixed(sum.args[0]), is_fixed(sum.args[1])] {
            [true, false] => [sum.args[0], sum.args[1]],
            [false, true] => [sum.args[1], sum.args[0]],
            _ => break,
        };
        fixed.push(rest[0]);
        index = rest[1];
    }
    (!fixed.is_empty()).then_some((fixed, index))
}

//! In which width each value of a function in lane form is held: its own, or for a mask that of most of its users; and
//! which ones are not held in registers of vectors at all.

use super::apart;
use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loops};
use crate::ir::entity::Entity;
use crate::ir::{Func, Op, Scalar, Value};
use crate::legalize::native::{Choice, Webs};

/// The width in bits of each vector's lanes; 0 for scalars and for what falls apart into them. Masks that ops or
/// branches connect share one.
pub(in crate::legalize) fn home_widths(func: &Func, cfg: &Cfg) -> Choice {
    let n = func.values.len();
    let is_mask = |v: Value| func.ty(v).is_vector() && func.ty(v).elem == Scalar::I1;
    let mut choice: Choice =
        func.values.values().map(|v| if v.ty.is_vector() { v.ty.elem.bits() as u8 } else { 0 }).collect();
    let mut webs = Webs::new(n);
    for &block in cfg.rpo() {
        let data = &func.blocks[block];
        for inst in data.insts.iter().map(|&i| &func.insts[i]) {
            if let Some(result) = inst.result.filter(|&r| is_mask(r))
                && !matches!(inst.op, Op::Icmp | Op::Fcmp)
            {
                inst.args.iter().filter(|&&a| is_mask(a)).for_each(|&a| webs.join(result, a));
            }
        }
        for t in data.term.targets() {
            let pairs = t.args.iter().zip(&func.blocks[t.block].params);
            pairs.filter(|(a, _)| is_mask(**a)).for_each(|(&a, &p)| webs.join(a, p));
        }
    }
    let loops = Loops::new(func, cfg, &Dominators::new(cfg));
    // Votes for 8, 16, 32 and 64 bits.
    let mut votes = vec![[0u64; 4]; n];
    for &block in cfg.rpo() {
        let depth = loops.of(block).map_or(0, |l| loops.loops[l].depth).min(5);
        for inst in func.blocks[block].insts.iter().map(|&i| &func.insts[i]) {
            let mut vote = |mask: Value, elem: Scalar| {
                if is_mask(mask) && elem != Scalar::I1 {
                    // Halves are compared as singles.
                    let width = if elem == Scalar::F16 { 32 } else { elem.bits() };
                    votes[webs.find(mask)][width.ilog2() as usize - 3] += 8u64.pow(depth);
                }
            };
            match inst.op {
                Op::Icmp | Op::Fcmp => {
                    if let Some(result) = inst.result {
                        vote(result, func.ty(inst.args[0]).elem);
                    }
                }
                _ => {
                    let elem = match inst.op {
                        Op::StoreMasked => Some(func.ty(inst.args[1]).elem),
                        Op::Scatter => Some(func.ty(inst.args[2]).elem),
                        _ => inst.result.map(|r| func.ty(r).elem),
                    };
                    if let Some(elem) = elem.filter(|e| *e != Scalar::I1) {
                        let takes_all = !matches!(inst.op, Op::MaskAny | Op::MaskAll | Op::MaskBits);
                        inst.args.iter().filter(|_| takes_all).for_each(|&a| vote(a, elem));
                    }
                }
            }
        }
    }
    for v in (0..n).map(Value::from_index).filter(|&v| is_mask(v)) {
        let votes = votes[webs.find(v)];
        // Of equal ones 32 bits, or what comes first.
        let best = [2, 1, 0, 3].into_iter().rev().max_by_key(|&i| votes[i]);
        choice[v.index()] = 8 << best.unwrap_or(2);
    }
    apart::falling(func, cfg, &loops).into_iter().for_each(|v| choice[v.index()] = 0);
    choice
}

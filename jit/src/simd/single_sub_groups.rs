//! Sub-groups of one work-item: where a group has no other, there is no loop over work-items, and each operation gives
//! back what the work-item has. Must not know how lanes are made.

use crate::ir::dom::Loops;
use crate::ir::{Builder, Func, Imm, Inst, Op, Type, Value};

/// Runs the pass: takes what is outside loops over work-items.
pub(crate) fn run(func: &mut Func) {
    let (_, _, loops) = Loops::of_func(func);
    let items: Vec<usize> = (0..loops.loops.len()).filter(|&l| func.blocks[loops.loops[l].header].items).collect();
    let found = func.live_insts().filter(|&(block, inst)| {
        func.insts[inst].op.is_sub_group() && !items.iter().any(|&l| loops.contains(l, block))
    });
    for (block, inst) in found.collect::<Vec<_>>() {
        let value = alone(&mut Builder::before(func, block, inst), inst);
        func.blocks[block].insts.retain(|&i| i != inst);
        if let (Some(result), Some(value)) = (func.insts[inst].result, value) {
            for block in func.layout.clone() {
                func.map_uses(block, |v| if v == result { value } else { v });
            }
        }
    }
}

/// The result of an operation for the only work-item.
fn alone(b: &mut Builder<'_>, inst: Inst) -> Option<Value> {
    let data = b.func.insts[inst].clone();
    match (data.op, &data.imm) {
        (Op::SgBarrier, _) => None,
        (Op::SgBallot, _) => Some(b.convert(Op::Zext, Type::I64, data.args[0])),
        (Op::SgScanExc, Imm::Collective(op)) => {
            let ty = b.func.ty(data.args[0]);
            Some(b.bits(ty, op.identity(ty.elem)))
        }
        _ => Some(data.args[0]),
    }
}

//! Sub-groups of one work-item: where a group has no other, there is no loop over work-items, and each operation gives
//! back what the work-item has. Must not know how lanes are made.

use crate::ir::dom::Loops;
use crate::ir::{Attr, Block, Builder, Func, Imm, Inst, Op, Type, Value};
use rustc_hash::FxHashMap;

/// Runs the pass: takes what is outside loops over work-items.
pub(crate) fn run(func: &mut Func) {
    let (_, _, loops) = Loops::of_func(func);
    let items: Vec<usize> = (0..loops.loops.len()).filter(|&l| func.blocks[loops.loops[l].header].items).collect();
    let found = func.live_insts().filter(|&(block, inst)| {
        func.insts[inst].op.is_sub_group() && !items.iter().any(|&l| loops.contains(l, block))
    });
    replace(func, found.collect(), alone);
}

/// In a kernel in kernel form each work-item is a sub-group: nothing is left that makes them run side by side.
pub(crate) fn run_everywhere(func: &mut Func) {
    let asks = |op: Op| op.is_sub_group() || op.is_sub_group_query();
    let found = func.live_insts().filter(|&(_, inst)| asks(func.insts[inst].op));
    replace(func, found.collect(), |b, inst| match b.func.insts[inst].op {
        op if op.is_sub_group_query() => Some(query(b, op)),
        _ => alone(b, inst),
    });
}

/// Puts values in the place of instructions.
fn replace(func: &mut Func, found: Vec<(Block, Inst)>, by: impl Fn(&mut Builder<'_>, Inst) -> Option<Value>) {
    let mut new = FxHashMap::default();
    for (block, inst) in found {
        let value = by(&mut Builder::before(func, block, inst), inst);
        func.blocks[block].insts.retain(|&i| i != inst);
        if let (Some(result), Some(value)) = (func.insts[inst].result, value) {
            new.insert(result, value);
        }
    }
    // What one gives back may be what another one did.
    let last = |mut v: Value| {
        while let Some(&other) = new.get(&v) {
            v = other;
        }
        v
    };
    for block in func.layout.clone() {
        func.map_uses(block, last);
    }
}

/// What a work-item learns that is a sub-group by itself.
fn query(b: &mut Builder<'_>, op: Op) -> Value {
    let of = |b: &mut Builder<'_>, op: Op| [0, 1, 2].map(|d| b.typed(op, Type::I64, &[], Imm::Dim(d), Attr::default()));
    let product = |b: &mut Builder<'_>, [x, y, z]: [Value; 3]| {
        let plane = b.op(Op::Mul, &[x, y]);
        b.op(Op::Mul, &[plane, z])
    };
    let number = match op {
        Op::SgLid => b.i64(0),
        Op::SgId => {
            let ([x, y, z], [width, height, _]) = (of(b, Op::Lid), of(b, Op::Lsz));
            let rows = b.op(Op::Mul, &[z, height]);
            let rows = b.op(Op::Add, &[rows, y]);
            let before = b.op(Op::Mul, &[rows, width]);
            b.op(Op::Add, &[before, x])
        }
        Op::SgNum => {
            let sizes = of(b, Op::Lsz);
            product(b, sizes)
        }
        Op::SgEnum => {
            let sizes = of(b, Op::Elsz);
            product(b, sizes)
        }
        _ => b.i64(1),
    };
    b.convert(Op::Trunci, Type::I32, number)
}

/// The result of an operation for the only work-item.
fn alone(b: &mut Builder<'_>, inst: Inst) -> Option<Value> {
    let data = b.func.insts[inst].clone();
    match (data.op, &data.imm) {
        (Op::SgBarrier | Op::SgMeet, _) => None,
        (Op::SgBallot, _) => Some(b.convert(Op::Zext, Type::I64, data.args[0])),
        (Op::SgScanExc, Imm::Collective(op)) => {
            let ty = b.func.ty(data.args[0]);
            Some(b.bits(ty, op.identity(ty.elem)))
        }
        _ => Some(data.args[0]),
    }
}

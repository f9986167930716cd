//! Remainders of divisions that are made anyway: where a function has both the quotient and the remainder of two
//! values, the remainder becomes `a - a / b * b`, which is what it is for every pair of values, zero and the most
//! negative number included. `gvn` then leaves one division. Not for scalars
//! divided by constants, which have cheaper ways. Linear.

use crate::ir::{Attr, Block, Builder, Func, InstData, Op, Value};
use rustc_hash::FxHashSet;

/// Runs the pass; false if there was nothing to do.
pub fn run(func: &mut Func) -> bool {
    let quotients: FxHashSet<(Op, Value, Value)> = func
        .live_insts()
        .map(|(_, inst)| &func.insts[inst])
        .filter(|data| matches!(data.op, Op::DivS | Op::DivU) && !has_cheaper(func, data))
        .map(|data| (data.op, data.args[0], data.args[1]))
        .collect();
    if quotients.is_empty() {
        return false;
    }
    let mut any = false;
    for block in func.layout.clone() {
        let mut at = 0;
        while let Some(&inst) = func.blocks[block].insts.get(at) {
            at += 1;
            let data = &func.insts[inst];
            let divide = match data.op {
                Op::RemS => Op::DivS,
                Op::RemU => Op::DivU,
                _ => continue,
            };
            if quotients.contains(&(divide, data.args[0], data.args[1])) {
                replace(func, block, at - 1, divide);
                at += 2;
                any = true;
            }
        }
    }
    any
}

/// True for scalars that are divided by constants.
fn has_cheaper(func: &Func, data: &InstData) -> bool {
    func.const_bits(data.args[1]).is_some() && !func.ty(data.args[1]).is_vector()
}

/// Turns a remainder into the difference that it is.
fn replace(func: &mut Func, block: Block, at: usize, divide: Op) {
    let inst = func.blocks[block].insts[at];
    let data = &func.insts[inst];
    let (x, y, origin) = (data.args[0], data.args[1], data.origin);
    let mut b = Builder::at(func, block, at).with_origin(origin);
    let times = b.op(divide, &[x, y]);
    let multiple = b.op(Op::Mul, &[times, y]);
    let data = &mut func.insts[inst];
    (data.op, data.args, data.attr) = (Op::Sub, [x, multiple].into_iter().collect(), Attr::default());
}

//! Events of asynchronous copies: a copy that is given none gets the next number. Each work-item counts, and all come
//! to the same copies (or that is reported), so that they count alike.

use crate::ir::{Attr, Block, Builder, Func, Imm, Inst, IntPred, Op, Type};

/// Makes numbers of the events of a function's copies.
pub(super) fn run(func: &mut Func) {
    let is_event = |&(_, inst): &(Block, Inst)| func.insts[inst].op == Op::AsyncEvent;
    let events: Vec<(Block, Inst)> = func.live_insts().filter(is_event).collect();
    if events.is_empty() {
        return;
    }
    let count = func.add_slot(8, 8);
    for (block, inst) in events {
        let given = func.insts[inst].args[0];
        let mut b = Builder::before(func, block, inst);
        let at = b.slot_addr(count);
        let last = b.load(Type::I64, at, Attr::default());
        let next = b.advance(last, 1);
        b.store(at, next, Attr::default());
        let is_none = b.icmp_bits(IntPred::Eq, given, 0);
        let data = &mut func.insts[inst];
        (data.op, data.imm) = (Op::Select, Imm::None);
        data.args = [is_none, next, given].into_iter().collect();
    }
    let entry = func.entry();
    let mut b = Builder::at(func, entry, 0);
    let (at, none) = (b.slot_addr(count), b.i64(0));
    b.store(at, none, Attr::default());
}

//! Checks of asynchronous copies: from the first byte that the group copies to the last one, both sides are inside the
//! objects that their pointers were made from. A bad copy is reported once for the group, by its first work-item, and
//! copies nothing, unless it lacks the permission alone. The copy itself stays where all work-items meet: it is its
//! number of lines that becomes 0.

use super::access::{Bytes, InObject, Touched};
use super::companions::Companions;
use super::site;
use crate::ir::check::Checked;
use crate::ir::{Block, Builder, Func, FuncId, Imm, Inst, IntPred, Module, Op, Term, Type, Value};
use rustc_hash::FxHashMap;

/// A copy, and the checks of its two sides without their sizes.
pub(super) struct Copy {
    inst: Inst,
    sides: [InObject; 2],
}

impl Copy {
    /// Of an instruction.
    pub(super) fn new(companions: &mut Companions<'_>, inst: Inst) -> Self {
        let args = companions.func.insts[inst].args.clone();
        let sides = [(0, true), (1, false)].map(|(n, writes)| {
            // The number of bytes comes later.
            let bytes = Bytes::Value(args[2]);
            InObject::new(companions, Touched { pointer: args[n], bytes, writes, align: 1 })
        });
        Self { inst, sides }
    }
}

/// Puts the checks in.
pub(super) fn guard_all(module: &mut Module, id: FuncId, func: &mut Func, copies: Vec<Copy>) {
    if copies.is_empty() {
        return;
    }
    let mut copies: FxHashMap<Inst, Copy> = copies.into_iter().map(|copy| (copy.inst, copy)).collect();
    let mut layout = Vec::with_capacity(func.layout.len());
    for mut block in std::mem::take(&mut func.layout) {
        layout.push(block);
        for inst in func.blocks[block].insts.clone() {
            if let Some(copy) = copies.remove(&inst) {
                block = guard(module, id, func, block, copy, &mut layout);
            }
        }
    }
    func.layout = layout;
}

/// Splits a block at a copy; the block that has it then, and what came behind it.
fn guard(module: &mut Module, id: FuncId, func: &mut Func, block: Block, copy: Copy, layout: &mut Vec<Block>) -> Block {
    let Copy { inst, sides } = copy;
    let origin = func.insts[inst].origin;
    let args = func.insts[inst].args.clone();
    let place = func.blocks[block].insts.iter().position(|&i| i == inst).expect("in its block");
    let rest = func.blocks[block].insts.split_off(place);
    let after = func.add_block();
    func.blocks[after].insts = rest;
    func.blocks[after].term = std::mem::replace(&mut func.blocks[block].term, Term::Unreachable);
    let mut b = Builder::new(func, block).with_origin(origin);
    let mut is_first: Option<Value> = None;
    for d in 0..3 {
        let lid = b.emit(Op::Lid, Type::I64, &[], Imm::Dim(d));
        let is = b.icmp_bits(IntPred::Eq, lid, 0);
        is_first = Some(b.and(is_first, is));
    }
    let is_first = is_first.expect("three dimensions");
    let mut ok: Option<Value> = None;
    let mut at = block;
    for (mut side, [line, plane]) in sides.into_iter().zip([[4, 7], [5, 8]]) {
        let mut b = Builder::new(func, at).with_origin(origin);
        let bytes = extent(&mut b, [args[2], args[3], args[line], args[6], args[plane]]);
        side.touched.bytes = Bytes::Value(bytes);
        let is_right = side.condition(&mut b);
        let is_wrong = b.op(Op::Not, &[is_right]);
        let reports = b.op(Op::And, &[is_wrong, is_first]);
        let excuse = side.excuse(&mut b);
        let is_made = excuse.map_or(is_right, |excuse| b.op(Op::Or, &[is_right, excuse]));
        ok = Some(b.and(ok, is_made));
        let what = Checked::Access { writes: side.touched.writes, is_atomic: false, align: 1 };
        let [bad, next] = [0; 2].map(|_| func.add_block());
        Builder::new(func, at).with_origin(origin).branch(reports, bad, next);
        let number = site(module, id, origin, what);
        let mut b = Builder::new(func, bad).with_origin(origin);
        side.report(&mut b, number);
        b.jump(next, &[]);
        layout.extend([bad, next]);
        at = next;
    }
    let mut b = Builder::new(func, at).with_origin(origin);
    let none = b.i64(0);
    let lines = b.op(Op::Select, &[ok.expect("two sides"), args[3], none]);
    b.jump(after, &[]);
    layout.push(after);
    func.insts[inst].args[3] = lines;
    after
}

/// How many bytes lie between the first and the last one: `(planes - 1) * plane + (lines - 1) * line + bytes`, or 0 if
/// there is nothing to copy; the largest number if that is beyond it.
fn extent(b: &mut Builder<'_>, [bytes, lines, line, planes, plane]: [Value; 5]) -> Value {
    let mut sum = bytes;
    let mut is_empty = b.icmp_bits(IntPred::Eq, bytes, 0);
    for (count, stride) in [(lines, line), (planes, plane)] {
        let steps = b.advance(count, -1);
        let way = b.op(Op::Mul, &[steps, stride]);
        let high = b.op(Op::MulHiU, &[steps, stride]);
        let fits = b.icmp_bits(IntPred::Eq, high, 0);
        let all = b.i64(-1);
        let way = b.op(Op::Select, &[fits, way, all]);
        sum = b.op(Op::AddSatU, &[sum, way]);
        let is = b.icmp_bits(IntPred::Eq, count, 0);
        is_empty = b.op(Op::Or, &[is_empty, is]);
    }
    let zero = b.i64(0);
    b.op(Op::Select, &[is_empty, zero, sum])
}

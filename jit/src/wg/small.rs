//! Small ids: where the launch promises that ids and sizes fit an `int`, sums of them that are truncated to 32 bits and are
//! sure to fit are marked, so that address arithmetic in `int` can be done in 64 bits; `x & 0xffffffff`, which such a
//! truncation and extension may have become, becomes `x & x`. Must not change values.

use crate::ir::op::Flags;
use crate::ir::{Func, Imm, Op, Type, Value};

/// Depth to which sums are looked through.
const DEPTH: u32 = 6;
/// The largest id or size.
const MAX: i64 = i32::MAX as i64;

/// The size of groups, if it is known.
pub(super) type Local = Option<[u32; 3]>;

/// Marks truncations to 32 bits that lose nothing.
pub(super) fn mark(func: &mut Func, local: Local) {
    let truncations: Vec<_> = func.live_insts().map(|(_, i)| i).filter(|&i| func.insts[i].op == Op::Trunci).collect();
    for inst in truncations {
        let data = &func.insts[inst];
        let fits = data.result.is_some_and(|v| func.ty(v) == Type::I32)
            && range(func, local, data.args[0], DEPTH).is_some_and(|(low, high)| low >= 0 && high <= MAX);
        if fits {
            func.insts[inst].attr.flags |= Flags::NSW | Flags::NUW;
        }
    }
    drop_masks(func, local);
}

/// Replaces by its operand what keeps the low 32 bits of a value that has no others.
fn drop_masks(func: &mut Func, local: Local) {
    let masks: Vec<_> = func.live_insts().map(|(_, i)| i).filter(|&i| func.insts[i].op == Op::And).collect();
    for inst in masks {
        let data = &func.insts[inst];
        let (v, mask) = (data.args[0], func.const_bits(data.args[1]));
        let idle = mask == Some(u64::from(u32::MAX))
            && range(func, local, v, DEPTH).is_some_and(|(low, high)| low >= 0 && high <= MAX);
        if idle {
            func.insts[inst].args[1] = v;
        }
    }
}

/// Least and greatest value of a 64-bit value made of ids, sizes and constants.
fn range(func: &Func, local: Local, v: Value, depth: u32) -> Option<(i64, i64)> {
    if depth == 0 || func.ty(v) != Type::I64 {
        return None;
    }
    if let Some(bits) = func.const_bits(v) {
        return Some((bits as i64, bits as i64));
    }
    let data = func.def_inst(v)?;
    if data.op.is_query() {
        let size =
            if let &Imm::Dim(dim) = &data.imm { local.map(|sizes| i64::from(sizes[usize::from(dim)])) } else { None };
        return Some(match (data.op, size.filter(|&size| size > 0)) {
            (Op::Lid, Some(size)) => (0, size - 1),
            (Op::Grp, Some(size)) => (0, MAX / size),
            _ => (0, MAX),
        });
    }
    let arg = |i: usize| range(func, local, data.args[i], depth - 1);
    match data.op {
        Op::Add => {
            let (a, b) = (arg(0)?, arg(1)?);
            Some((a.0.checked_add(b.0)?, a.1.checked_add(b.1)?))
        }
        Op::Shl => {
            let (a, by) = (arg(0)?, func.const_bits(data.args[1])?);
            (a.0 >= 0 && by < 32 && a.1 <= MAX).then(|| (a.0 << by, a.1 << by))
        }
        Op::Lshr => {
            let (a, by) = (arg(0)?, func.const_bits(data.args[1])?);
            (a.0 >= 0 && by < 64).then(|| (a.0 >> by, a.1 >> by))
        }
        Op::And => {
            let mask = func.const_bits(data.args[1]).filter(|&m| m <= i64::MAX as u64)?;
            Some((0, mask as i64))
        }
        Op::DivU => arg(0).filter(|a| a.0 >= 0).map(|a| (0, a.1)),
        Op::RemU => arg(0).filter(|a| a.0 >= 0).map(|a| (0, a.1)),
        _ => None,
    }
}

//! Narrowing facts: where the launch promises that ids and sizes fit an `int`, value ranges show which sums of them
//! still fit when they are truncated to 32 bits. Such truncations are marked, so that address arithmetic in `int` can
//! be done in 64 bits; `x & 0xffffffff`, which such a truncation and extension may have become, becomes `x & x`. Must
//! not change values.

use crate::analysis::range::{Range, Ranges};
use crate::ir::op::Flags;
use crate::ir::{Func, Imm, Op, Type, Value};

/// The largest id or size.
const MAX: i128 = i32::MAX as i128;

/// The size of groups, if it is known.
pub(super) type Local = Option<[u32; 3]>;

/// Marks truncations to 32 bits that lose nothing, and replaces masks of the low 32 bits of a value that has no others
/// by their operand.
pub(super) fn mark(func: &mut Func, local: Local) {
    // Masks last: ranges look through them.
    for op in [Op::Trunci, Op::And] {
        let insts: Vec<_> = func.live_insts().map(|(_, i)| i).filter(|&i| func.insts[i].op == op).collect();
        for inst in insts {
            let data = &func.insts[inst];
            let v = data.args[0];
            let is_narrowing = match op {
                Op::Trunci => data.result.is_some_and(|v| func.ty(v) == Type::I32),
                _ => func.const_bits(data.args[1]) == Some(u64::from(u32::MAX)),
            };
            if !is_narrowing || !is_small(func, local, v) {
                continue;
            }
            match op {
                Op::Trunci => func.insts[inst].attr.flags |= Flags::NSW | Flags::NUW,
                _ => func.insts[inst].args[1] = v,
            }
        }
    }
}

/// True if a 64-bit value made of ids, sizes and constants is one of the ids that there may be.
fn is_small(func: &Func, local: Local, v: Value) -> bool {
    let known = |v: Value| {
        let query = func.def_inst(v).filter(|data| data.op.is_query() && func.ty(v) == Type::I64)?;
        let size = match (&query.imm, local) {
            (&Imm::Dim(dim), Some(sizes)) => Some(i128::from(sizes[usize::from(dim)])),
            _ => None,
        };
        Some(Range::new(
            0,
            match (query.op, size.filter(|&size| size > 0)) {
                (Op::Lid, Some(size)) => size - 1,
                (Op::Grp, Some(size)) => MAX / size,
                _ => MAX,
            },
        ))
    };
    func.ty(v) == Type::I64 && Range::new(0, MAX).contains(Ranges { func, signed: true, known: &known }.of(v))
}

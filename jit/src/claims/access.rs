//! Which bytes an instruction is going to access.

use super::Lanes;
use crate::interp::addresses;
use crate::ir::op::Flags;
use crate::ir::{Func, Inst, Op, Type, Value};
use smallvec::SmallVec;
use std::ops::Range;

/// An access to consecutive bytes.
pub(super) struct Access {
    /// The pointer operand.
    pub ptr: Value,
    pub address: u64,
    pub size: u64,
    pub writes: bool,
    pub atomic: bool,
}

impl Access {
    /// Addresses of the bytes.
    pub(super) fn bytes(&self) -> Range<u64> {
        self.address..self.address.saturating_add(self.size)
    }
}

/// The accesses of an instruction.
pub(super) fn of(func: &Func, inst: Inst, args: &[Lanes]) -> SmallVec<[Access; 2]> {
    let data = &func.insts[inst];
    let ty = |n: usize| func.ty(data.args[n]);
    let result = data.result.map(|v| func.ty(v));
    let one = |n: usize, size: u64, writes: bool, atomic: bool| Access {
        ptr: data.args[n],
        address: args[n][0],
        size,
        writes,
        atomic,
    };
    let bytes = |ty: Option<Type>| ty.map_or(0, |ty| u64::from(ty.bytes()));
    let mut found: SmallVec<[Access; 2]> = SmallVec::new();
    match data.op {
        Op::Load => found.push(one(0, bytes(result), false, false)),
        Op::Store => found.push(one(0, bytes(Some(ty(1))), true, false)),
        Op::AtomicLoad => found.push(one(0, bytes(result), false, true)),
        Op::AtomicStore => found.push(one(0, bytes(Some(ty(1))), true, true)),
        Op::AtomicRmw | Op::AtomicCas => found.push(one(0, bytes(result), true, true)),
        Op::Memset => found.push(one(0, args[2][0], true, false)),
        Op::Memcpy => {
            found.push(one(0, args[2][0], true, false));
            found.push(one(1, args[2][0], false, false));
        }
        Op::LoadMasked | Op::Gather | Op::StoreMasked | Op::Scatter => {
            let types: SmallVec<[Type; 4]> = data.args.iter().map(|&v| func.ty(v)).collect();
            let (vector, mask) = match data.op {
                Op::LoadMasked => (func.ty(data.result.expect("a load")), 1),
                Op::Gather => (func.ty(data.result.expect("a load")), 2),
                Op::StoreMasked => (types[1], 2),
                _ => (types[2], 3),
            };
            let whole = bytes(Some(vector.lane()));
            let size = if data.attr.flags.contains(Flags::THREE) { whole / 4 * 3 } else { whole };
            for (lane, address) in addresses(data, vector, &types, args).into_iter().enumerate() {
                if args[mask][lane] & 1 == 1 {
                    let writes = data.result.is_none();
                    found.push(Access { ptr: data.args[0], address, size, writes, atomic: false });
                }
            }
        }
        _ => {}
    }
    found
}

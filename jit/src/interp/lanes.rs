//! Memory operations on the lanes of a vector: under a mask, and at one address per lane.

use super::memory::{Fault, Memory};
use super::value::{Lanes, signed};
use crate::ir::func::InstData;
use crate::ir::op::{Flags, Imm, Op};
use crate::ir::ty::{Scalar, Type};

/// Where each lane lies; `types` and `operands` are those of the instruction.
pub(crate) fn addresses(data: &InstData, ty: Type, types: &[Type], operands: &[Lanes]) -> Lanes {
    let base = operands[0][0];
    match data.imm {
        Imm::Scale { scale, disp } => {
            let bits = types[1].elem.bits();
            let offset = |i: &u64| (signed(*i, bits) as u64).wrapping_mul(u64::from(scale)).wrapping_add(disp as u64);
            operands[1].iter().map(|i| base.wrapping_add(offset(i))).collect()
        }
        _ => (0..u64::from(ty.lanes)).map(|i| base.wrapping_add(i * u64::from(ty.elem.bytes()))).collect(),
    }
}

/// The result of `load.masked` or `gather` of type `ty`.
pub(super) fn load(memory: &Memory, data: &InstData, ty: Type, types: &[Type], args: &[Lanes]) -> Result<Lanes, Fault> {
    let (mask, passthru) = if data.op == Op::Gather { (&args[2], &args[3]) } else { (&args[1], &args[2]) };
    let addresses = addresses(data, ty, types, args);
    let three = data.attr.flags.contains(Flags::THREE);
    let lane = |i: usize| match mask[i] & 1 {
        1 if three => load_three(memory, addresses[i], ty),
        1 => memory.load(addresses[i], ty.lane()).map(|l| l[0]),
        _ => Ok(passthru[i]),
    };
    (0..usize::from(ty.lanes)).map(lane).collect()
}

/// The first three quarters of an element, below bits that are set.
fn load_three(memory: &Memory, address: u64, ty: Type) -> Result<u64, Fault> {
    let part = Type::scalar(if ty.elem.bytes() == 4 { Scalar::I8 } else { Scalar::I16 });
    let bits = part.elem.bits();
    let mut whole = u64::MAX << (3 * bits) & u64::MAX >> (64 - ty.elem.bits());
    for i in 0..3 {
        let lanes = memory.load(address.wrapping_add(u64::from(i * part.elem.bytes())), part)?;
        whole |= lanes[0] << (i * bits);
    }
    Ok(whole)
}

/// Does `store.masked` or `scatter`.
pub(super) fn store(memory: &mut Memory, data: &InstData, types: &[Type], args: &[Lanes]) -> Result<(), Fault> {
    let (ty, values, mask) = match data.op {
        Op::Scatter => (types[2], &args[2], &args[3]),
        _ => (types[1], &args[1], &args[2]),
    };
    let addresses = addresses(data, ty, types, args);
    for (i, address) in addresses.iter().enumerate() {
        if mask[i] & 1 == 1 {
            memory.store(*address, ty.lane(), &values[i..=i])?;
        }
    }
    Ok(())
}

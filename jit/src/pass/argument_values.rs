//! Integer arguments of which a launch knows the values become constants (procedure specialisation). What follows from
//! that (trip counts, strides, sums that do not wrap, branches) is for the other passes.
//!
//! Needs kernel form. Linear.

use super::forward::Forward;
use crate::ir::entity::Entity;
use crate::ir::{Builder, Func, Type};
use crate::launch::{ArgValues, KernelInfo};

/// Builds these values into a kernel of these arguments.
pub fn run(func: &mut Func, info: &KernelInfo, values: &ArgValues) {
    let entry = func.entry();
    let params = func.blocks[entry].params.clone();
    let mut forward = Forward::new(func);
    let mut b = Builder::at(func, entry, 0);
    for (arg, bits) in values.known(info) {
        let ty = b.func.ty(params[arg]);
        forward.set(params[arg], b.bits(ty, bits));
    }
    forward.apply(func);
}

/// The arguments, by number, that are integers and used.
pub fn find(func: &Func) -> u64 {
    let uses = func.use_counts();
    let params = func.blocks[func.entry()].params.iter().enumerate();
    let counts = params.filter(|&(_, &param)| is_integer(func.ty(param)) && uses[param.index()] > 0);
    counts.filter_map(|(n, _)| 1u64.checked_shl(n as u32)).fold(0, |set, bit| set | bit)
}

fn is_integer(ty: Type) -> bool {
    matches!(ty, Type::I8 | Type::I16 | Type::I32 | Type::I64)
}

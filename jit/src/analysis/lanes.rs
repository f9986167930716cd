//! Lanes of vectors that are known, though no constant: such as those of products with `Iota`.

use crate::interp::value::{self, Lanes};
use crate::ir::{Func, Type, Value};
use smallvec::SmallVec;

/// Operations that are looked through.
const DEPTH: u32 = 6;

/// The lanes of a vector that is made of constants.
pub fn constant_lanes(func: &Func, v: Value) -> Option<Lanes> {
    of(func, v, DEPTH)
}

fn of(func: &Func, v: Value, depth: u32) -> Option<Lanes> {
    let data = func.def_inst(v).filter(|data| depth > 0 && data.op.is_pure())?;
    let args: SmallVec<[Lanes; 4]> = data.args.iter().map(|&arg| of(func, arg, depth - 1)).collect::<Option<_>>()?;
    let types: SmallVec<[Type; 4]> = data.args.iter().map(|&arg| func.ty(arg)).collect();
    let args: SmallVec<[&[u64]; 4]> = args.iter().map(|lanes| lanes.as_slice()).collect();
    value::eval(data.op, &data.imm, &data.attr, func.ty(v), &types, &args, func.flushes_denormals)
}

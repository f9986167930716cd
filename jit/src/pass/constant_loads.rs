//! What is loaded from constant memory at a place that is known is the constant that lies there (constant folding of
//! loads): sizes, weights and tables that a program declares, once loops over them are unrolled.
//!
//! ```text
//! %g = global.addr g ; load i32 (%g + 8)   →   const 3
//! ```
//! Nothing writes constant memory. Addresses of other objects have no value yet, and stay.

use crate::analysis::address::Address;
use crate::ir::op::Flags;
use crate::ir::{Attr, Builder, Func, Global, Imm, Inst, Module, Op, Scalar, Type};
use crate::launch::AddrSpace;
use smallvec::SmallVec;

/// Runs the pass; true if there was such a load.
pub fn run(func: &mut Func, module: &Module) -> bool {
    let mut any = false;
    for block in func.layout.clone() {
        if !func.blocks[block].insts.iter().any(|&inst| loaded(func, module, inst).is_some()) {
            continue;
        }
        any = true;
        for inst in std::mem::take(&mut func.blocks[block].insts) {
            if let Some((ty, lanes)) = loaded(func, module, inst) {
                let origin = func.insts[inst].origin;
                let mut b = Builder::new(func, block).with_origin(origin);
                let (op, imm, args) = match lanes[..] {
                    [bits] => (Op::Const, Imm::Bits(bits), SmallVec::new()),
                    _ => {
                        let lane = |&bits| b.bits(Type::scalar(ty.elem), bits);
                        (Op::Build, Imm::None, lanes.iter().map(lane).collect())
                    }
                };
                let data = &mut func.insts[inst];
                (data.op, data.imm, data.args, data.attr) = (op, imm, args, Attr::default());
            }
            func.blocks[block].insts.push(inst);
        }
    }
    any
}

/// The type of what is loaded, and the bits of its lanes, if they are known.
fn loaded(func: &Func, module: &Module, inst: Inst) -> Option<(Type, Vec<u64>)> {
    let data = &func.insts[inst];
    if data.op != Op::Load || data.attr.flags.contains(Flags::VOLATILE) {
        return None;
    }
    let ty = func.ty(data.result?);
    let is_number = ty.is_int() && ty.elem != Scalar::I1 || ty.is_float();
    if !is_number || func.ty(data.args[0]) != Type::ptr(AddrSpace::Constant) {
        return None;
    }
    let (root, at) = Address::offset(func, data.args[0]);
    let address = func.def_inst(root).filter(|data| data.op == Op::GlobalAddr)?;
    let &Imm::Global(global) = &address.imm else { return None };
    let (global, at) = (&module.globals[global], u64::try_from(at).ok()?);
    let size = u64::from(ty.elem.bytes());
    let end = at.checked_add(size * u64::from(ty.lanes))?;
    let has_address = global.init.relocs.iter().any(|&(place, ..)| place < end && at < place + 8);
    if global.space != AddrSpace::Constant || end > global.size || has_address {
        return None;
    }
    Some((ty, (0..u64::from(ty.lanes)).map(|lane| number(global, at + lane * size, size)).collect()))
}

/// So many bytes of a variable's initial contents as a number.
fn number(global: &Global, at: u64, size: u64) -> u64 {
    let byte = |i: u64| global.init.bytes.get((at + i) as usize).copied().unwrap_or(0);
    (0..size).rev().fold(0, |bits, i| bits << 8 | u64::from(byte(i)))
}

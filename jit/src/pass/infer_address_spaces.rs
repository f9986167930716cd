//! Generic pointers that can only lead to one address space become pointers of that space, in parameters of blocks and
//! in selections (LLVM's pass of this name). `simplify` does the rest, whose casts move outwards until they meet one of
//! those.
//!
//! ```text
//! jump head(as.cast p) ; head(q: generic): ..   →   jump head(p) ; head(r: private): q = as.cast r ; ..
//! ```
//! Kernel form. Linear.

use super::forward::Forward;
use crate::analysis::joins;
use crate::ir::{Block, Builder, Func, Op, Scalar, Term, Type, Value};
use crate::launch::AddrSpace;
use rustc_hash::FxHashMap;

/// Runs the pass; true if there was anything.
pub fn run(func: &mut Func) -> bool {
    func.remove_unreachable();
    let generic = Type::ptr(AddrSpace::Generic);
    let spaces = joins::common(func, |v| func.ty(v) == generic, |v| origin(func, v), |v| space(func, v));
    if spaces.is_empty() {
        return false;
    }
    let mut forward = Forward::new(func);
    let mut new: FxHashMap<Value, Value> = FxHashMap::default();
    for block in func.layout.clone() {
        for v in func.blocks[block].params.clone() {
            if let Some(&(space, _)) = spaces.get(&v) {
                new.insert(v, func.add_param(block, Type::ptr(space)));
            }
        }
    }
    for block in func.layout.clone() {
        convert(func, block, &spaces, &mut new, &mut forward);
    }
    forward.apply(func);
    func.retain_params(|v| !spaces.contains_key(&v));
    true
}

/// What a pointer is made of, across casts.
fn origin(func: &Func, mut ptr: Value) -> Value {
    while let Some(data) = func.def_inst(ptr).filter(|d| matches!(d.op, Op::PtrOff | Op::PtrAdd | Op::AsCast)) {
        ptr = data.args[0];
    }
    ptr
}

fn space(func: &Func, origin: Value) -> Option<AddrSpace> {
    match func.ty(origin).elem {
        Scalar::Ptr(AddrSpace::Generic) => None,
        Scalar::Ptr(space) => Some(space),
        _ => None,
    }
}

fn convert(
    func: &mut Func,
    block: Block,
    spaces: &FxHashMap<Value, (AddrSpace, Block)>,
    new: &mut FxHashMap<Value, Value>,
    forward: &mut Forward,
) {
    let generic = Type::ptr(AddrSpace::Generic);
    let insts = std::mem::take(&mut func.blocks[block].insts);
    let mut b = Builder::new(func, block);
    for v in b.func.blocks[block].params.clone() {
        if let Some(&old) = new.get(&v) {
            forward.set(v, b.convert(Op::AsCast, generic, old));
        }
    }
    for inst in insts {
        let data = b.func.insts[inst].clone();
        let known = data.result.and_then(|v| Some((v, spaces.get(&v)?.0)));
        let Some((v, space)) = known.filter(|_| data.op == Op::Select) else {
            b.place(inst);
            continue;
        };
        let [x, y] = [data.args[1], data.args[2]].map(|arg| b.convert(Op::AsCast, Type::ptr(space), arg));
        b.origin = data.origin;
        let selected = b.op(Op::Select, &[data.args[0], x, y]);
        forward.set(v, b.convert(Op::AsCast, generic, selected));
    }
    let mut term = std::mem::replace(&mut b.func.blocks[block].term, Term::Unreachable);
    for target in term.targets_mut() {
        for (param, arg) in b.func.blocks[target.block].params.clone().into_iter().zip(target.args.clone()) {
            if let Some(&(space, _)) = spaces.get(&param) {
                target.args.push(b.convert(Op::AsCast, Type::ptr(space), arg));
            }
        }
    }
    b.end(term);
}

//! Superword-level parallelism, from stores down: scalars that are stored next to each other, and come from the lanes
//! of one vector by the same operations, are one vector and one store.
//!
//! ```text
//! a = extract v, 0 ; b = fmul a, k ; store p, b             k = splat k ; b = fmul v, k ; store p, b
//! c = extract v, 1 ; d = fmul c, k ; store p + 4, d    →
//! ```
//! Such are the results of sub-groups' reductions (`expand_reductions`), which the first work-item of each stores.
//! Nothing else may access memory between the first and the last of the stores. Operations keep rounding and order of
//! operands; what they know of not wrapping is dropped. Takes SSA form in lanes; linear but for the depth.
//! (Larsen and Amarasinghe, "Exploiting Superword Level Parallelism with Multimedia Instruction Sets", PLDI 2000.)

use super::is_elementwise;
use crate::analysis::address::Address;
use crate::ir::op::Flags;
use crate::ir::{Attr, Block, Builder, Func, Imm, Inst, InstData, Op, Scalar, Type, Value};

/// Deepest look into what is stored.
const DEPTH: u32 = 6;
/// Most stores that become one: as many as a vector has lanes.
const MOST: usize = 64;

/// Runs the pass.
pub(crate) fn run(func: &mut Func) {
    for block in func.layout.clone() {
        for run in runs(func, block) {
            merge(func, block, &run);
        }
    }
}

/// Stores of scalars of one type to places one after the other, in this order, with nothing between them that accesses
/// memory: as many as there are.
fn runs(func: &Func, block: Block) -> Vec<Vec<Inst>> {
    let mut runs: Vec<Vec<Inst>> = Vec::new();
    let mut last: Option<(Address, Type, Attr)> = None;
    for &inst in &func.blocks[block].insts {
        let data = &func.insts[inst];
        if data.op.is_pure() {
            continue;
        }
        let plain = data.op == Op::Store && !data.attr.flags.contains(Flags::VOLATILE);
        let Some(ty) = plain.then(|| func.ty(data.args[1])).filter(|ty| !ty.is_vector() && !ty.is_ptr()) else {
            last = None;
            continue;
        };
        let address = Address::of(func, data.args[0]);
        let follows = last.as_ref().is_some_and(|(before, of, attr)| {
            (*of, *attr) == (ty, data.attr) && before.distance(&address) == Some(ty.bytes().into())
        });
        match runs.last_mut().filter(|run| follows && run.len() < MOST) {
            Some(run) => run.push(inst),
            None => runs.push(vec![inst]),
        }
        last = Some((address, ty, data.attr));
    }
    runs.retain(|run| run.len() > 1);
    runs
}

/// Makes one store of as many stores as a vector has lanes, wherever that is possible in a run.
fn merge(func: &mut Func, block: Block, run: &[Inst]) {
    let mut rest = run;
    while let [first, ..] = rest {
        let lanes = lanes_under(func, func.insts[*first].args[1], DEPTH).filter(|&n| n <= rest.len());
        let Some((stores, later)) = lanes.map(|n| rest.split_at(n)) else {
            rest = &rest[1..];
            continue;
        };
        let values: Vec<Value> = stores.iter().map(|&inst| func.insts[inst].args[1]).collect();
        if !is_pack(func, &values, DEPTH) {
            rest = &rest[1..];
            continue;
        }
        rest = later;
        let (last, InstData { args, attr, origin, .. }) = (stores[stores.len() - 1], func.insts[stores[0]].clone());
        let mut b = Builder::before(func, block, last).with_origin(origin);
        let vector = pack(&mut b, &values);
        b.store(args[0], vector, attr);
        func.blocks[block].insts.retain(|inst| !stores.contains(inst));
    }
}

/// How many lanes the vector has that a value is taken from, if it is its first lane.
fn lanes_under(func: &Func, v: Value, depth: u32) -> Option<usize> {
    let data = func.def_inst(v).filter(|_| depth > 0)?;
    match (data.op, &data.imm) {
        (Op::Extract, Imm::Lane(0)) => Some(usize::from(func.ty(data.args[0]).lanes)),
        (op, _) if is_elementwise(op) => data.args.iter().find_map(|&arg| lanes_under(func, arg, depth - 1)),
        _ => None,
    }
}

/// True if values are the lanes of one vector, or made of such, and of what is the same for all, in the same way.
fn is_pack(func: &Func, values: &[Value], depth: u32) -> bool {
    if func.ty(values[0]).elem == Scalar::I1 || func.ty(values[0]).is_ptr() {
        return false;
    }
    if values.iter().all(|&v| v == values[0]) {
        return true;
    }
    let Some(first) = func.def_inst(values[0]).filter(|_| depth > 0) else { return false };
    if first.op == Op::Extract {
        let whole = usize::from(func.ty(first.args[0]).lanes) == values.len();
        let is_lane = |(lane, &v): (usize, &Value)| {
            let data = func.def_inst(v).filter(|d| d.op == Op::Extract && d.args[0] == first.args[0]);
            data.is_some_and(|d| d.imm == Imm::Lane(lane as u8))
        };
        return whole && values.iter().enumerate().all(is_lane);
    }
    let alike = |&v: &Value| {
        func.def_inst(v).is_some_and(|d| {
            (d.op, &d.imm, d.attr.rm, d.args.len()) == (first.op, &first.imm, first.attr.rm, first.args.len())
                && func.ty(v) == func.ty(values[0])
                && d.args.iter().zip(&first.args).all(|(&a, &b)| func.ty(a) == func.ty(b))
        })
    };
    is_elementwise(first.op)
        && values.iter().all(alike)
        && (0..first.args.len()).all(|n| is_pack(func, &operands(func, values, n), depth - 1))
}

/// Operand number `n` of what makes each value.
fn operands(func: &Func, values: &[Value], n: usize) -> Vec<Value> {
    values.iter().map(|&v| func.def_inst(v).expect("found so").args[n]).collect()
}

/// The values as a vector.
fn pack(b: &mut Builder<'_>, values: &[Value]) -> Value {
    let ty = b.func.ty(values[0]).with_lanes(values.len() as u8);
    if values.iter().all(|&v| v == values[0]) {
        return b.convert(Op::Splat, ty, values[0]);
    }
    let InstData { op, args, imm, attr, .. } = b.func.def_inst(values[0]).expect("found so").clone();
    if op == Op::Extract {
        return args[0];
    }
    let operands: Vec<Value> = (0..args.len())
        .map(|n| {
            let of = operands(b.func, values, n);
            pack(b, &of)
        })
        .collect();
    b.typed(op, ty, &operands, imm, Attr { rm: attr.rm, ..Attr::default() })
}

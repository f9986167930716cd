//! Superword-level parallelism, from stores down: scalars that are stored next to each other, and come from the lanes
//! of one vector by the same operations, are one vector (`packs`) and one store.
//!
//! ```text
//! a = extract v, 0 ; b = fmul a, k ; store p, b             k = splat k ; b = fmul v, k ; store p, b
//! c = extract v, 1 ; d = fmul c, k ; store p + 4, d    →
//! ```
//! Such are the results of sub-groups' reductions (`expand_reductions`), which the first work-item of each stores.
//! Nothing else may access memory between the first and the last of the stores. Takes SSA form in lanes; linear but for
//! the depth.

use crate::analysis::address::Address;
use crate::ir::op::Flags;
use crate::ir::{Attr, Block, Builder, Func, Imm, Inst, InstData, Op, Type, Value};
use crate::pass::rebuild_vectors::Packs;

/// Deepest look from what is stored for the vector that it comes from.
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
        let mut packs = Packs::default();
        if !packs.find(func, &values) {
            rest = &rest[1..];
            continue;
        }
        rest = later;
        let (last, InstData { args, attr, origin, .. }) = (stores[stores.len() - 1], func.insts[stores[0]].clone());
        let mut b = Builder::before(func, block, last).with_origin(origin);
        let vector = packs.emit(&mut b, &values);
        b.store(args[0], vector, attr);
        func.blocks[block].insts.retain(|inst| !stores.contains(inst));
    }
}

/// How many lanes the vector has that a value is taken from, if it is its first lane.
fn lanes_under(func: &Func, v: Value, depth: u32) -> Option<usize> {
    let data = func.def_inst(v).filter(|_| depth > 0)?;
    match (data.op, &data.imm) {
        (Op::Extract, Imm::Lane(0)) => Some(usize::from(func.ty(data.args[0]).lanes)),
        (op, _) if op.is_elementwise() => data.args.iter().find_map(|&arg| lanes_under(func, arg, depth - 1)),
        _ => None,
    }
}

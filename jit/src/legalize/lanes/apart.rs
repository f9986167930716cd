//! Which vectors of a function in lane form fall apart into scalars (scalarisation): those of a program, such as an
//! `uchar4`, of which scalar code makes and reads components one by one.
//!
//! ```text
//! b1(%1: i8x4):                    b1(%1: i8, %2: i8, %3: i8, %4: i8):
//!   %2: i8 = extract %1, 3           …
//!   %3: i8x4 = insert %1, %9, 3      jump b1(%1, %2, %3, %9)
//!   jump b1(%3)
//! ```
//!
//! A web is vectors that blocks hand on, that components are put into, or that a scalar condition selects. What taking
//! components and putting them in costs is weighed, by depth of loops, against what operations on whole vectors would
//! need: lanes of work-items have many of the latter. Elsewhere than in lane form `native` decides.

use crate::ir::cfg::Cfg;
use crate::ir::dom::Loops;
use crate::ir::entity::Entity;
use crate::ir::{Func, InstData, Op, Scalar, Term, Value};
use crate::legalize::loop_weight;
use crate::legalize::native::Webs;

/// True for what can fall apart: constants are made where they are wanted, in either form.
fn is_able(func: &Func, v: Value) -> bool {
    let ty = func.ty(v);
    ty.is_vector() && ty.elem != Scalar::I1 && !is_constant(func, v)
}

fn is_constant(func: &Func, v: Value) -> bool {
    func.def_inst(v).is_some_and(|data| matches!(data.op, Op::Const | Op::Undef))
}

/// True if one scalar chooses between whole vectors.
fn selects_whole(func: &Func, inst: &InstData) -> bool {
    inst.op == Op::Select && !func.ty(inst.args[0]).is_vector()
}

/// For a vector that is made by shuffles, of components of others and perhaps of one scalar: that scalar, if any.
pub(super) fn shuffled(func: &Func, inst: &InstData) -> Option<Option<Value>> {
    let is_extract = |v: Value| func.def_inst(v).is_some_and(|data| data.op == Op::Extract);
    let mut scalars = inst.args.iter().copied().filter(|&v| !is_extract(v));
    let filler = scalars.next();
    let bits = |v: Value| func.const_bits(v);
    let is_filler = |v: Value| Some(v) == filler || bits(v).is_some() && bits(v) == filler.and_then(bits);
    let extracts = inst.args.iter().any(|&v| is_extract(v));
    (inst.op == Op::Build && extracts && scalars.all(is_filler)).then_some(filler)
}

/// The vectors that are to fall apart.
pub(super) fn falling(func: &Func, cfg: &Cfg, loops: &Loops) -> Vec<Value> {
    let mut webs = Webs::new(func.values.len());
    let mut join = |a: Value, b: Value| {
        if is_able(func, a) && is_able(func, b) {
            webs.join(a, b);
        }
    };
    let mut takes_components = false;
    for &block in cfg.rpo() {
        for inst in func.blocks[block].insts.iter().map(|&i| &func.insts[i]) {
            takes_components |= inst.op == Op::Extract;
            match (inst.op, inst.result) {
                (Op::Insert, Some(result)) => join(result, inst.args[0]),
                (Op::Select, Some(result)) if selects_whole(func, inst) => {
                    inst.args[1..].iter().for_each(|&arg| join(result, arg));
                }
                _ => {}
            }
        }
        for target in func.blocks[block].term.targets() {
            target.args.iter().zip(&func.blocks[target.block].params).for_each(|(&a, &p)| join(a, p));
        }
    }
    if !takes_components {
        return Vec::new();
    }
    let gains = weigh(func, cfg, loops, &mut webs);
    let values = (0..func.values.len()).map(Value::from_index);
    values.filter(|&v| gains[webs.find(v)] > 0 && is_able(func, v)).collect()
}

/// Instructions that each web saves if it falls apart, weighted by the depth of loops.
fn weigh(func: &Func, cfg: &Cfg, loops: &Loops, webs: &mut Webs) -> Vec<i64> {
    let mut gains = vec![0i64; func.values.len()];
    for &block in cfg.rpo() {
        let innermost = loops.of(block).map(|l| &loops.loops[l]);
        let weight = loop_weight(loops, block);
        let mut count = |v: Value, gain: &dyn Fn(i64) -> i64| {
            if is_able(func, v) {
                gains[webs.find(v)] += gain(i64::from(func.ty(v).lanes)) * weight;
            }
        };
        // A loop has more values to keep in registers.
        if innermost.is_some_and(|l| l.header == block) {
            func.blocks[block].params.iter().for_each(|&param| count(param, &|_| -1));
        }
        for inst in func.blocks[block].insts.iter().map(|&i| &func.insts[i]) {
            if let Some(result) = inst.result {
                count(result, &|n| gain_of_result(func, inst, n));
            }
            if shuffled(func, inst).is_some() {
                // Takes back what is counted for taking the components.
                let extracts = inst.args.iter().filter_map(|&v| func.def_inst(v).filter(|data| data.op == Op::Extract));
                extracts.for_each(|data| count(data.args[0], &|_| -2));
            }
            inst.args.iter().for_each(|&arg| count(arg, &|n| gain_of_use(func, inst, n)));
        }
        if let Term::Ret(Some(v)) = &func.blocks[block].term {
            count(*v, &|n| n);
        }
    }
    gains
}

/// Of operations on lanes, which have no form on components: whatever their vectors' components would save.
const NEVER: i64 = -(1 << 32);

/// Instructions saved where a vector of `n` components is made.
fn gain_of_result(func: &Func, inst: &InstData, n: i64) -> i64 {
    match inst.op {
        op if op.is_lane_op() => NEVER,
        Op::Build if shuffled(func, inst).is_some() => -n,
        Op::Build | Op::Call => n,
        Op::Splat | Op::Insert => 1,
        Op::Select if selects_whole(func, inst) => 2 - n,
        // One move, or shifts.
        Op::Bitcast if !func.ty(inst.args[0]).is_vector() => 2 - n,
        Op::Load => 1 - n,
        _ => -n,
    }
}

/// Instructions saved where a vector of `n` components is used.
fn gain_of_use(func: &Func, inst: &InstData, n: i64) -> i64 {
    match inst.op {
        op if op.is_lane_op() => NEVER,
        Op::Extract => 1,
        Op::Insert => 0,
        Op::Select if selects_whole(func, inst) => 0,
        Op::Call => n,
        // One move, or extensions, shifts and unions.
        Op::Bitcast if inst.result.is_some_and(|r| !func.ty(r).is_vector()) => 3 - 3 * n,
        Op::Store => 1 - n,
        _ => -n,
    }
}

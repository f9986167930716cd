//! Small branches become selections: an arm of a few cheap pure operations is executed always, and the values that meet
//! behind it are selected. Two branches to one place become one branch on `and` or `or`. Convergent operations, memory
//! and calls are never touched. Linear.
//!
//! `run` is meant for code that will run in vector lanes: scalar code pays for both arms where a branch would be
//! predicted (pow 1.5 times, atan2 twice the time). `scalar` is part of `PROGRAM` and makes only selections for which
//! the machine has an instruction: of integers, and the lesser or greater of two floats, with nothing else to execute
//! in the arms but a sum of integers where that is all that is selected, and no more than a counter: nothing is
//! computed from it but further counts. (A branch that data decide about, predicted wrong every other time, takes
//! longer than all else in such a loop; an index that waits for a condition, up to five times as long as one that does
//! not.)

use crate::ir::entity::Entity;
use crate::ir::{Block, Builder, FloatPred, Func, Imm, Inst, Op, Rounding, Target, Term, Value};
use once_cell::unsync::OnceCell;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Most work (scalar operations) that is executed in vain.
const MAX_COST: u32 = 6;
/// Most scalar selections made for one join.
const MAX_SELECTS: u32 = 4;

/// Runs the pass for vector lanes; true if it changed anything: a join of arms that have become one block each is seen
/// once those are one block with what is before them (`simplify_cfg`).
pub fn run(func: &mut Func) -> bool {
    convert(func, false)
}

/// Runs the pass for scalar code.
pub fn scalar(func: &mut Func) {
    convert(func, true);
}

fn convert(func: &mut Func, scalar: bool) -> bool {
    func.remove_unreachable();
    let uses = OnceCell::new();
    let mut n_preds = super::simplify_cfg::n_preds(func);
    let mut changed = false;
    // Inner joins first.
    for i in (0..func.layout.len()).rev() {
        let block = func.layout[i];
        while step(func, &mut n_preds, block, scalar, &uses) {
            changed = true;
        }
    }
    func.remove_unreachable();
    changed
}

/// One change at the end of a block; false if there is none.
fn step(func: &mut Func, n_preds: &mut [u32], block: Block, scalar: bool, uses: &OnceCell<Uses>) -> bool {
    let Term::Br { cond, then, els } = func.blocks[block].term.clone() else { return false };
    if then.block == els.block {
        let fits = selects(func, cond, &then, &els, scalar) <= MAX_SELECTS;
        return then.block != block && fits && join(func, n_preds, block, cond, then, els);
    }
    let arm = |func: &Func, t: &Target| {
        let data = &func.blocks[t.block];
        let alone = n_preds[t.block.index()] == 1 && t.block != block && data.params.is_empty();
        let is_cheap = |c: u32| if scalar { c == 0 || is_sum(func, &data.insts) } else { c <= MAX_COST };
        (alone && cost(func, &data.insts).is_some_and(is_cheap)).then(|| data.term.clone())
    };
    let has_work = |t: &Target| scalar && cost(func, &func.blocks[t.block].insts).is_none_or(|c| c > 0);
    // Of what an arm that counts hands over, one value may be selected, and if it is a counter.
    let counts = |from: &Target, other: &Target| {
        let params = func.blocks[from.block].params.iter();
        let mut differ = params.zip(from.args.iter().zip(&other.args)).filter(|(_, (a, b))| a != b);
        let counter = differ.next().map(|(&param, _)| param);
        let uses = uses.get_or_init(|| Uses::of(func));
        differ.next().is_none() && counter.is_none_or(|param| uses.is_counter(func, param))
    };
    let may_select = |arm: &Target, from: &Target, other: &Target| {
        let may_count = || !compares_component(func, cond) && counts(from, other);
        selects(func, cond, from, other, scalar) <= MAX_SELECTS && (!has_work(arm) || may_count())
    };
    let (a, b) = (arm(func, &then), arm(func, &els));
    // Both arms, or one, lead to the join at once.
    match (&a, &b) {
        (Some(Term::Jump(x)), Some(Term::Jump(y)))
            if x.block == y.block
                && x.block != block
                && cost(func, &func.blocks[then.block].insts).unwrap_or(MAX_COST)
                    + cost(func, &func.blocks[els.block].insts).unwrap_or(MAX_COST)
                    <= MAX_COST
                && may_select(&then, x, y)
                && may_select(&els, x, y) =>
        {
            take(func, n_preds, block, then.block);
            take(func, n_preds, block, els.block);
            return join(func, n_preds, block, cond, x.clone(), y.clone());
        }
        (Some(Term::Jump(x)), _) if x.block == els.block && may_select(&then, x, &els) => {
            take(func, n_preds, block, then.block);
            return join(func, n_preds, block, cond, x.clone(), els);
        }
        (_, Some(Term::Jump(y))) if y.block == then.block && may_select(&els, &then, y) => {
            take(func, n_preds, block, els.block);
            return join(func, n_preds, block, cond, then, y.clone());
        }
        _ => {}
    }
    if scalar {
        return false;
    }
    // A second condition on the way to a common place.
    match (a, b) {
        (Some(Term::Br { cond: inner, then: x, els: y }), _) if x == els || y == els => {
            take(func, n_preds, block, then.block);
            let (inner, to) = if y == els { (inner, x) } else { (Builder::new(func, block).op(Op::Not, &[inner]), y) };
            let both = Builder::new(func, block).op(Op::And, &[cond, inner]);
            n_preds[els.block.index()] -= 1;
            func.blocks[block].term = Term::Br { cond: both, then: to, els };
            true
        }
        (_, Some(Term::Br { cond: inner, then: x, els: y })) if x == then || y == then => {
            take(func, n_preds, block, els.block);
            let (inner, to) = if x == then { (inner, y) } else { (Builder::new(func, block).op(Op::Not, &[inner]), x) };
            let either = Builder::new(func, block).op(Op::Or, &[cond, inner]);
            n_preds[then.block.index()] -= 1;
            func.blocks[block].term = Term::Br { cond: either, then, els: to };
            true
        }
        _ => false,
    }
}

/// What values are handed to or used by, at the beginning: conversions add selections only, of values for the
/// parameters that these were handed to.
struct Uses(FxHashMap<Value, SmallVec<[Use; 2]>>);

#[derive(Clone, Copy)]
enum Use {
    Inst(Inst),
    Param(Value),
    /// Decides where to go on, or is returned.
    End,
}

impl Uses {
    fn of(func: &Func) -> Self {
        let mut uses: FxHashMap<Value, SmallVec<[Use; 2]>> = FxHashMap::default();
        for &block in &func.layout {
            for &inst in &func.blocks[block].insts {
                func.insts[inst].args.iter().for_each(|&v| uses.entry(v).or_default().push(Use::Inst(inst)));
            }
            let term = &func.blocks[block].term;
            for target in term.targets() {
                for (&v, &param) in target.args.iter().zip(&func.blocks[target.block].params) {
                    uses.entry(v).or_default().push(Use::Param(param));
                }
            }
            if let Term::Br { cond: v, .. } | Term::Switch { value: v, .. } | Term::Ret(Some(v)) = *term {
                uses.entry(v).or_default().push(Use::End);
            }
        }
        Self(uses)
    }

    /// True if all that becomes of a value is counts: sums, selections of such, and what is stored.
    fn is_counter(&self, func: &Func, value: Value) -> bool {
        const MOST: usize = 32;
        let mut seen: SmallVec<[Value; 8]> = SmallVec::from_iter([value]);
        let mut next = 0;
        while let Some(&v) = seen.get(next) {
            next += 1;
            for &by in self.0.get(&v).into_iter().flatten() {
                let becomes = match by {
                    Use::Param(param) => Some(param),
                    Use::End => return false,
                    Use::Inst(inst) => {
                        let data = &func.insts[inst];
                        match data.op {
                            Op::Add | Op::Sub | Op::Zext | Op::Sext | Op::Trunci => data.result,
                            Op::Select if data.args[0] != v => data.result,
                            Op::Store if data.args[0] != v => None,
                            _ => return false,
                        }
                    }
                };
                if let Some(becomes) = becomes.filter(|v| !seen.contains(v)) {
                    if seen.len() == MOST {
                        return false;
                    }
                    seen.push(becomes);
                }
            }
        }
        true
    }
}

/// True for a comparison of a vector's component: `merge_compares` looks for branches on one after the other.
fn compares_component(func: &Func, cond: Value) -> bool {
    let is_component = |&v: &Value| func.def_inst(v).is_some_and(|data| data.op == Op::Extract);
    func.def_inst(cond).is_some_and(|data| matches!(data.op, Op::Icmp | Op::Fcmp) && data.args.iter().any(is_component))
}

/// True if what these compute is one sum of integers.
fn is_sum(func: &Func, insts: &[Inst]) -> bool {
    let mut dear = insts.iter().map(|&inst| &func.insts[inst]).filter(|data| data.op != Op::Const);
    let is_sum = dear.next().is_some_and(|data| {
        matches!(data.op, Op::Add | Op::Sub) && data.result.is_some_and(|v| !func.ty(v).is_vector())
    });
    is_sum && dear.next().is_none()
}

/// Scalar operations of a list of pure instructions; `None` if one of them may not be executed in vain, or costs too
/// much.
pub(super) fn cost(func: &Func, insts: &[Inst]) -> Option<u32> {
    let mut sum = 0;
    for &inst in insts {
        let data = &func.insts[inst];
        let dear = matches!(
            data.op,
            Op::DivS
                | Op::DivU
                | Op::RemS
                | Op::RemU
                | Op::Fdiv
                | Op::Frem
                | Op::Sqrt
                | Op::ExtractDyn
                | Op::MulHiS
                | Op::MulHiU
        );
        // Directed rounding is many operations in software.
        let dear =
            dear || (func.insts[inst].result.is_some_and(|v| func.ty(v).is_float()) && data.attr.rm != Rounding::Rte);
        if dear || !data.op.is_pure() {
            return None;
        }
        sum += match data.op {
            Op::Const | Op::Undef | Op::PtrOff | Op::LocalBase | Op::AsCast => 0,
            _ => data.result.map_or(1, |v| u32::from(func.ty(v).lanes)),
        };
    }
    Some(sum)
}

/// Scalar selections that joining two edges takes; too many if one of them is not to be made.
fn selects(func: &Func, cond: Value, a: &Target, b: &Target, scalar: bool) -> u32 {
    let pairs = a.args.iter().zip(&b.args).filter(|(x, y)| x != y);
    let number = |(&x, &y): (&Value, &Value)| {
        let ty = func.ty(x);
        let cheap = !ty.is_vector() && (!ty.is_float() || float_extremum(func, cond, x, y).is_some());
        if scalar && !cheap { MAX_SELECTS + 1 } else { u32::from(ty.lanes) }
    };
    pairs.map(number).sum()
}

/// Whether `cond ? a : b` is what the machine's minimum (true) or maximum (false) of two floats gives: the first if it
/// is less (greater) than the second, else, NaN included, the second.
pub fn float_extremum(func: &Func, cond: Value, a: Value, b: Value) -> Option<bool> {
    let compare = func.def_inst(cond).filter(|d| d.op == Op::Fcmp)?;
    let Imm::FloatPred(pred) = compare.imm else { return None };
    let swapped = match compare.args[..] {
        [x, y] if (x, y) == (a, b) => false,
        [x, y] if (x, y) == (b, a) => true,
        _ => return None,
    };
    match pred {
        FloatPred::OLt => Some(!swapped),
        FloatPred::OGt => Some(swapped),
        _ => None,
    }
}

/// Moves an arm's instructions to the end of the block; the arm loses its edges.
pub(super) fn take(func: &mut Func, n_preds: &mut [u32], block: Block, arm: Block) {
    let insts = std::mem::take(&mut func.blocks[arm].insts);
    func.blocks[block].insts.extend(insts);
    n_preds[arm.index()] = 0;
    func.blocks[arm].term = Term::Unreachable;
}

/// Ends the block with a jump to the common target of two edges. `n_preds` still counts both.
fn join(func: &mut Func, n_preds: &mut [u32], block: Block, cond: Value, a: Target, b: Target) -> bool {
    let mut at = Builder::new(func, block);
    let pairs = a.args.iter().zip(&b.args);
    let args = pairs.map(|(&x, &y)| if x == y { x } else { at.op(Op::Select, &[cond, x, y]) }).collect();
    n_preds[a.block.index()] -= 1;
    func.blocks[block].term = Term::Jump(Target { block: a.block, args });
    true
}

//! Integers that are a condition on every way that leads to a join become conditions: what is left of variables of type
//! `bool`, which have a byte in memory.
//!
//! ```text
//! b0: jump b1(1)    b1(go: i8): br go != 0, b2, b3    b2: …; jump b1(zext c)
//!   → b0: jump b1(true)    b1(g: i1): br g, b2, b3    b2: …; jump b1(c)
//! ```
//! All such joins together, optimistically: a parameter stays as it is only if something else reaches it, or if nothing
//! compares it. Users get the condition extended, which `simplify` folds into comparisons. Needs SSA form. Linear.

use crate::ir::{Attr, Func, Imm, Inst, IntPred, Op, Origin, Type, Value, ValueDef};
use rustc_hash::{FxHashMap, FxHashSet};

/// Runs the pass; true if there were any.
pub fn run(func: &mut Func) -> bool {
    let narrow = find(func);
    if narrow.is_empty() {
        return false;
    }
    let mut conditions = Conditions::default();
    let mut extended: FxHashMap<Value, Value> = FxHashMap::default();
    let mut extensions: Vec<Vec<Inst>> = Vec::new();
    let blocks = func.layout.clone();
    for &block in &blocks {
        let mut made = Vec::new();
        for param in func.blocks[block].params.clone().into_iter().filter(|v| narrow.contains(v)) {
            let condition = func.add_param(block, Type::I1);
            let ty = func.ty(param);
            let inst = func.make_inst(Op::Zext, Some(ty), &[condition], Imm::None, Attr::default(), Origin::UNKNOWN);
            made.push(inst);
            conditions.of.insert(param, condition);
            extended.insert(param, func.insts[inst].result.expect("a type was given"));
        }
        extensions.push(made);
    }
    for &block in &blocks {
        // New parameters stand behind all others.
        for n in 0..func.blocks[block].term.n_targets() {
            let target = func.blocks[block].term.target(n);
            let params = func.blocks[target.block].params.iter().zip(&target.args);
            let handed: Vec<Value> = params.filter(|(p, _)| narrow.contains(p)).map(|(_, &arg)| arg).collect();
            let new: Vec<Value> = handed.into_iter().map(|arg| conditions.condition(func, arg)).collect();
            func.blocks[block].term.targets_mut()[n].args.extend(new);
        }
    }
    func.retain_params(|param| !narrow.contains(&param));
    for (&block, made) in blocks.iter().zip(extensions) {
        func.map_uses(block, |v| extended.get(&v).copied().unwrap_or(v));
        func.blocks[block].insts.splice(0..0, made);
    }
    let entry = func.entry();
    func.blocks[entry].insts.splice(0..0, conditions.constants.into_values().map(|(inst, _)| inst));
    true
}

/// Conditions that stand for integers.
#[derive(Default)]
struct Conditions {
    /// Of parameters.
    of: FxHashMap<Value, Value>,
    constants: FxHashMap<u64, (Inst, Value)>,
}

impl Conditions {
    /// The condition that an integer is.
    fn condition(&mut self, func: &mut Func, v: Value) -> Value {
        if let Some(&condition) = self.of.get(&v) {
            return condition;
        }
        let Some(bits) = func.const_bits(v) else { return extends(func, v).expect("a condition, extended") };
        let made = self.constants.entry(bits).or_insert_with(|| {
            let imm = Imm::Bits(bits);
            let inst = func.make_inst(Op::Const, Some(Type::I1), &[], imm, Attr::default(), Origin::UNKNOWN);
            (inst, func.insts[inst].result.expect("a type was given"))
        });
        made.1
    }
}

/// The condition that a value extends.
fn extends(func: &Func, v: Value) -> Option<Value> {
    let data = func.def_inst(v).filter(|d| d.op == Op::Zext)?;
    (func.ty(data.args[0]) == Type::I1).then_some(data.args[0])
}

/// The parameters that become conditions.
fn find(func: &Func) -> FxHashSet<Value> {
    let mut found: FxHashSet<Value> = FxHashSet::default();
    for block in func.layout.iter().skip(1) {
        let is_scalar = |v: Value| func.ty(v).is_int() && !func.ty(v).is_vector() && func.ty(v) != Type::I1;
        found.extend(func.blocks[*block].params.iter().copied().filter(|&v| is_scalar(v)));
    }
    if found.is_empty() {
        return found;
    }
    // Which parameters each is handed to.
    let mut handed: FxHashMap<Value, Vec<Value>> = FxHashMap::default();
    let mut refused = Vec::new();
    for (param, arg) in func.layout.iter().flat_map(|&b| func.handed(b)).map(|(_, param, arg)| (param, arg)) {
        let is_condition = func.const_bits(arg).is_some_and(|bits| bits < 2) || extends(func, arg).is_some();
        match found.contains(&param) {
            true if found.contains(&arg) => handed.entry(arg).or_default().push(param),
            true if !is_condition => refused.push(param),
            _ => {}
        }
    }
    while let Some(param) = refused.pop() {
        if found.remove(&param) {
            refused.extend(handed.remove(&param).into_iter().flatten());
        }
    }
    let compared = compared(func);
    // What is handed to one of these is compared there.
    let mut wanted: FxHashSet<Value> = FxHashSet::default();
    let mut work: Vec<Value> = found.iter().copied().filter(|v| compared.contains(v)).collect();
    let mut handed_from: FxHashMap<Value, Vec<Value>> = FxHashMap::default();
    for (&from, to) in &handed {
        to.iter().for_each(|&to| handed_from.entry(to).or_default().push(from));
    }
    while let Some(param) = work.pop() {
        if found.contains(&param) && wanted.insert(param) {
            work.extend(handed_from.remove(&param).into_iter().flatten());
        }
    }
    wanted
}

/// Values that are compared with 0 or 1.
fn compared(func: &Func) -> FxHashSet<Value> {
    let asks = func.live_insts().map(|(_, inst)| &func.insts[inst]).filter(|d| {
        matches!(d.imm, Imm::IntPred(IntPred::Eq | IntPred::Ne))
            && func.const_bits(d.args[1]).is_some_and(|bits| bits < 2)
    });
    let params = asks.map(|d| d.args[0]).filter(|&v| matches!(func.values[v].def, ValueDef::Param(..)));
    params.collect()
}

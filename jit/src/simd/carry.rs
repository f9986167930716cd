//! What one work-item of a loop hands to the next: parameters of the loop's header. Counters and addresses that grow by a
//! constant are affine; a parameter that keeps its value is uniform; a *chain* accumulates: `next = op(param, x)`, perhaps in
//! some work-items only. The lanes of a chain are folded into it one after the other, as the scalar loop does, so that floats
//! round alike. Must not emit code but for chains.

use super::loops::ItemLoop;
use super::shape::Facts;
use super::widen::Widen;
use crate::ir::{Func, Imm, Inst, Op, Scalar, Term, Value, ValueDef};
use rustc_hash::{FxHashMap, FxHashSet};

/// The header's parameters, classified.
pub(super) struct Carried {
    kinds: Vec<Kind>,
    /// Number of the parameter for each value of a chain.
    chains: FxHashMap<Value, usize>,
    /// The instruction that accumulates, by parameter.
    updates: FxHashMap<usize, Inst>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Step(i64),
    Constant,
    Chain,
}

impl Carried {
    pub(super) fn find(func: &Func, items: &ItemLoop, facts: &Facts) -> Result<Self, String> {
        let mut this = Self { kinds: Vec::new(), chains: FxHashMap::default(), updates: FxHashMap::default() };
        let params = &func.blocks[items.header].params;
        let back =
            func.blocks[items.latch].term.targets().into_iter().find(|t| t.block == items.header).expect("a loop");
        for (i, (&param, &next)) in params.iter().zip(&back.args).enumerate() {
            let kind = if param == next {
                Kind::Constant
            } else if let Some(step) = step(func, param, next) {
                Kind::Step(step)
            } else {
                this.chain(func, items, facts, i, param, next).ok_or("a value goes from work-item to work-item")?;
                Kind::Chain
            };
            this.kinds.push(kind);
        }
        Ok(this)
    }

    /// By how much a header parameter grows from work-item to work-item.
    pub(super) fn step(&self, param: usize) -> Option<i64> {
        match self.kinds[param] {
            Kind::Step(step) => Some(step),
            _ => None,
        }
    }
    pub(super) fn is_constant(&self, param: usize) -> bool {
        self.kinds[param] == Kind::Constant
    }
    /// True for a chain's parameter and everything that is it or its next value.
    pub(super) fn is_chain(&self, v: Value) -> bool {
        self.chains.contains_key(&v)
    }
    /// The chain a value belongs to.
    pub(super) fn chain_of(&self, v: Value) -> Option<usize> {
        self.chains.get(&v).copied()
    }
    /// Numbers of the parameters that are chains.
    pub(super) fn chain_params(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.kinds.len()).filter(|&i| self.kinds[i] == Kind::Chain)
    }

    /// Finds the chain of a parameter: one update, and joins of it with the old value.
    fn chain(
        &mut self,
        func: &Func,
        items: &ItemLoop,
        facts: &Facts,
        number: usize,
        param: Value,
        next: Value,
    ) -> Option<()> {
        let mut members = FxHashSet::default();
        members.insert(param);
        let mut update = None;
        // From the next value back to the parameter, through joins and the update.
        let mut work = vec![next];
        while let Some(v) = work.pop() {
            if !members.insert(v) {
                continue;
            }
            match func.values[v].def {
                ValueDef::Param(block, i) => {
                    // In an inner loop the update could run more than once.
                    if block == items.header || !facts.within(block) || facts.inner_loop(block).is_some() {
                        return None;
                    }
                    for &b in &items.blocks {
                        for target in func.blocks[b].term.targets().into_iter().filter(|t| t.block == block) {
                            work.push(target.args[i as usize]);
                        }
                    }
                }
                ValueDef::Inst(inst) => {
                    let data = &func.insts[inst];
                    if update.is_some_and(|u| u != inst) || !accumulates(data.op) || func.ty(v).is_vector() {
                        return None;
                    }
                    update = Some(inst);
                }
            }
        }
        let update = update?;
        let data = &func.insts[update];
        let home = |inst: Inst| items.blocks.iter().find(|&&b| func.blocks[b].insts.contains(&inst));
        facts.inner_loop(*home(update)?).is_none().then_some(())?;
        // One operand is of the chain before the update, the other is not.
        let of_chain: Vec<bool> = data.args.iter().map(|arg| members.contains(arg)).collect();
        if of_chain != [true, false] && of_chain != [false, true] || data.args.contains(&data.result?) {
            return None;
        }
        // Nothing else looks at it.
        for &block in &items.blocks {
            let users = func.blocks[block].insts.iter().filter(|&&i| i != update);
            if users.flat_map(|&i| &func.insts[i].args).any(|arg| members.contains(arg)) {
                return None;
            }
            let term = &func.blocks[block].term;
            if let Term::Br { cond, .. } = term
                && members.contains(cond)
            {
                return None;
            }
            for target in term.targets() {
                for (i, arg) in target.args.iter().enumerate().filter(|(_, arg)| members.contains(arg)) {
                    let to = func.blocks[target.block].params[i];
                    let back = target.block == items.header && to == param && *arg == next;
                    let out = target.block == items.exit && *arg == next;
                    if !(back || out || target.block != items.header && members.contains(&to)) {
                        return None;
                    }
                }
            }
        }
        self.chains.extend(members.into_iter().map(|v| (v, number)));
        self.updates.insert(number, update);
        Some(())
    }

    /// True if the instruction accumulates into a chain.
    pub(super) fn is_update(&self, inst: Inst) -> bool {
        self.updates.values().any(|&u| u == inst)
    }
}

/// Growth of a parameter by a constant.
fn step(func: &Func, param: Value, next: Value) -> Option<i64> {
    let data = func.def_inst(next)?;
    match (data.op, &data.imm) {
        (Op::Add, _) if data.args[0] == param && !func.ty(param).is_vector() => {
            func.const_bits(data.args[1]).map(|bits| bits as i64)
        }
        (Op::PtrOff, Imm::Disp(disp)) if data.args[0] == param => Some(*disp),
        _ => None,
    }
}

/// Operations that chains may consist of: those with an identity.
fn accumulates(op: Op) -> bool {
    identity(op, Scalar::I64).is_some()
}

/// Bits of the operand that leaves the other as it is, bit for bit.
fn identity(op: Op, elem: Scalar) -> Option<u64> {
    let ones = if elem.bits() == 64 { u64::MAX } else { (1 << elem.bits()) - 1 };
    let half = ones >> 1;
    Some(match op {
        Op::Add | Op::Or | Op::Xor | Op::MaxU => 0,
        Op::And | Op::MinU => ones,
        Op::Mul => 1,
        Op::MinS => half,
        Op::MaxS => half + 1,
        Op::Fadd => half + 1,
        Op::Fmul => match elem {
            Scalar::F16 => 0x3c00,
            Scalar::F32 => 0x3f80_0000,
            _ => 0x3ff0_0000_0000_0000,
        },
        _ => return None,
    })
}

impl Widen<'_> {
    /// Folds the lanes of an operand into a chain.
    pub(super) fn accumulate(&mut self, inst: Inst) {
        let data = self.func.insts[inst].clone();
        let result = data.result.expect("an update has a result");
        let number = self.shapes.carried.chain_of(result).expect("an update");
        let at = usize::from(self.shapes.carried.is_chain(data.args[0]));
        let ty = self.func.ty(result);
        let mut x = self.vector(data.args[at])[0];
        if let Some(mask) = self.mask {
            let identity = identity(data.op, ty.elem).expect("chains have one");
            let identity = self.constant(ty.with_lanes(self.width), identity);
            x = self.emit(Op::Select, ty.with_lanes(self.width), &[mask, x, identity], Imm::None);
        }
        let mut sum = self.read_chain(number);
        for lane in 0..self.width {
            let term = self.emit(Op::Extract, ty, &[x], Imm::Lane(lane));
            let args = if at == 1 { [sum, term] } else { [term, sum] };
            sum = self.emit_attr(data.op, ty, &args, data.imm.clone(), data.attr);
        }
        self.write_chain(number, sum);
    }
}

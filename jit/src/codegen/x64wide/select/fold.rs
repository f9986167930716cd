//! Several ops in one instruction: trees of bitwise ops, comparisons under masks, ops under masks, dot products that
//! are added to something. An op that another one takes in, which is its only user, is late: `Plan` notes it, and its
//! user asks for it here.

use super::Select;
use super::value::{Source, len, op, wide};
use super::vector::log_bytes;
use crate::codegen::x64wide::code::*;
use crate::codegen::x64wide::encode::{Enc, Imm};
use crate::codegen::x64wide::mir::{Kind, MInst, Rm, S};
use crate::ir::{Block, Func, Imm as IrImm, Inst, InstData, IntPred, Op, Scalar, Type, Value, ValueDef};
use crate::target::Target;
use regalloc2::{RegClass, VReg};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Most ops of a tree.
const MAX_OPS: usize = 8;
/// Sums of sums that are looked through.
const SUM_DEPTH: u32 = 4;

/// Bitwise ops that are one function of up to three values.
pub(super) struct Tree {
    ops: SmallVec<[Inst; 4]>,
    leaves: SmallVec<[Value; 3]>,
}

/// What is taken in by what in one block.
#[derive(Default)]
pub(super) struct Folds {
    /// By their last op.
    trees: FxHashMap<Value, Tree>,
    taken: rustc_hash::FxHashSet<Inst>,
}

impl Folds {
    /// Adds those of a block. `dies` tells whether a value's only use is in the block that makes it.
    pub(super) fn note(&mut self, func: &Func, block: Block, target: &Target, dies: impl Fn(Value) -> bool) {
        let has_evex = target.masks;
        // From the last one back, so that trees are as large as they can be.
        for &inst in func.blocks[block].insts.iter().rev() {
            let data = &func.insts[inst];
            let Some(result) = data.result.filter(|&v| func.ty(v).is_vector()) else { continue };
            let inner = |v: Value| match func.values[v].def {
                ValueDef::Inst(inst) if dies(v) => Some(inst),
                _ => None,
            };
            let of_masks = func.ty(result).elem == Scalar::I1;
            match data.op {
                Op::And | Op::Or | Op::Xor | Op::Not if !self.taken.contains(&inst) => {
                    let tree =
                        if has_evex && !of_masks { tree(func, inst, &inner) } else { and_not(func, inst, &inner) };
                    if let Some(tree) = tree {
                        self.taken.extend(tree.ops.iter().filter(|&&i| i != inst));
                        self.trees.insert(result, tree);
                    } else if of_masks && data.op == Op::And {
                        // The second comparison, or the only one, under the other operand.
                        let compares = |&i: &Inst| matches!(func.insts[i].op, Op::Icmp | Op::Fcmp);
                        self.taken.extend(data.args.iter().rev().find_map(|&v| inner(v).filter(compares)));
                    }
                }
                Op::Add if target.byte_dots => {
                    let [a, b] = data.args[..] else { continue };
                    let mut added = [(a, b), (b, a)].into_iter().filter(|&(_, to)| !is_carried(func, to, SUM_DEPTH));
                    let dot = |(v, _)| inner(v).filter(|&i| func.insts[i].op == Op::Dot4Us);
                    self.taken.extend(added.find_map(dot));
                }
                Op::Icmp if has_evex && is_test(func, data) => {
                    let is_and = |&i: &Inst| func.insts[i].op == Op::And && func.ty(data.args[0]).is_vector();
                    self.taken.extend(inner(data.args[0]).filter(is_and));
                }
                Op::Select if of_masks => {}
                Op::Select => {
                    let compare = inner(data.args[0]);
                    if crate::pass::ifconv::float_extremum(func, data.args[0], data.args[1], data.args[2]).is_some() {
                        self.taken.extend(compare);
                    } else if has_evex && func.ty(data.args[0]).is_vector() {
                        self.taken.extend(inner(data.args[1]).filter(|&i| goes_under_masks(func, &func.insts[i])));
                    }
                }
                _ => {}
            }
        }
    }

    /// True if an op is done where its result is used.
    pub(super) fn takes(&self, inst: Inst) -> bool {
        self.taken.contains(&inst)
    }
}

/// True if a sum may go round a loop, each turn of which would wait for an instruction that multiplies, too.
fn is_carried(func: &Func, v: Value, depth: u32) -> bool {
    match func.def_inst(v) {
        None => true,
        Some(sum) if sum.op == Op::Add => depth == 0 || sum.args.iter().any(|&v| is_carried(func, v, depth - 1)),
        Some(_) => false,
    }
}

/// True for a comparison with zero for equality.
fn is_test(func: &Func, data: &InstData) -> bool {
    let equality = matches!(data.imm, IrImm::IntPred(IntPred::Eq | IntPred::Ne));
    equality && func.const_bits(data.args[1]) == Some(0)
}

/// True for ops of which every form has an instruction that writes lanes of its elements' size last.
fn goes_under_masks(func: &Func, data: &InstData) -> bool {
    use Op::*;
    let ty = data.result.map_or(Type::I1, |v| func.ty(v));
    let covered = matches!(
        data.op,
        Add | Sub
            | Mul
            | And
            | Or
            | Xor
            | Not
            | Neg
            | MinS
            | MinU
            | MaxS
            | MaxU
            | AbsS
            | Fadd
            | Fsub
            | Fmul
            | Fdiv
            | Fma
            | Sqrt
            | Fabs
            | Rint
            | Floor
            | Ceil
            | Trunc
    );
    covered && ty.is_vector() && matches!(ty.elem.bits(), 32 | 64)
}

/// Zero or all ones.
fn trivial(func: &Func, v: Value) -> Option<u8> {
    let ones = u64::MAX >> (64 - func.ty(v).elem.bits());
    match func.const_bits(v) {
        Some(0) => Some(0),
        Some(bits) if bits == ones => Some(0xff),
        _ => None,
    }
}

/// The largest tree of at least two ops and at most three leaves that ends in `root`.
fn tree(func: &Func, root: Inst, inner: &dyn Fn(Value) -> Option<Inst>) -> Option<Tree> {
    let is_bitwise = |&i: &Inst| matches!(func.insts[i].op, Op::And | Op::Or | Op::Xor | Op::Not);
    let leaves = |ops: &[Inst]| {
        let mut leaves: SmallVec<[Value; 3]> = SmallVec::new();
        for &v in ops.iter().flat_map(|&i| &func.insts[i].args) {
            let of_tree = ops.iter().any(|&i| func.insts[i].result == Some(v));
            if !of_tree && trivial(func, v).is_none() && !leaves.contains(&v) {
                leaves.push(v);
            }
        }
        leaves
    };
    // All ops to some depth, deeper where three leaves are enough.
    let mut ops: SmallVec<[Inst; 4]> = [root].into_iter().collect();
    let mut best = None;
    loop {
        let found = leaves(&ops);
        if found.len() <= 3 {
            best = Some(Tree { ops: ops.clone(), leaves: found.clone() });
        }
        let next: SmallVec<[Inst; 4]> = found.iter().filter_map(|&v| inner(v).filter(is_bitwise)).collect();
        if next.is_empty() || ops.len() + next.len() > MAX_OPS {
            break;
        }
        ops.extend(next);
    }
    let mut best = best?;
    // Then one more at a time.
    while let Some((ops, leaves)) = best.leaves.iter().find_map(|&v| {
        let mut ops = best.ops.clone();
        ops.push(inner(v).filter(is_bitwise)?);
        let leaves = leaves(&ops);
        (leaves.len() <= 3).then_some((ops, leaves))
    }) {
        best = Tree { ops, leaves };
    }
    // What is used nowhere else may be written over.
    let (own, others): (SmallVec<[Value; 3]>, SmallVec<[Value; 3]>) =
        best.leaves.iter().copied().partition(|&v| inner(v).is_some());
    best.leaves = own.into_iter().chain(others).collect();
    (best.ops.len() > 1 && best.leaves.len() > 1).then_some(best)
}

/// `a & !b`.
fn and_not(func: &Func, root: Inst, inner: &dyn Fn(Value) -> Option<Inst>) -> Option<Tree> {
    let data = &func.insts[root];
    let not = |v: Value| inner(v).filter(|&i| func.insts[i].op == Op::Not);
    let [a, b] = data.args[..] else { return None };
    let (not, other) = not(b).map(|i| (i, a)).or_else(|| not(a).map(|i| (i, b)))?;
    let leaves = [func.insts[not].args[0], other].into_iter().collect();
    (data.op == Op::And).then(|| Tree { ops: [root, not].into_iter().collect(), leaves })
}

impl Select<'_> {
    /// A bitwise op with those that it takes in.
    pub(super) fn bitwise_tree(&mut self, inst: &InstData, ty: Type) -> Option<VReg> {
        let tree = self.plan.folds.trees.get(&inst.result?)?;
        let (ops, mut leaves) = (tree.ops.clone(), tree.leaves.clone());
        let of_masks = ty.elem == Scalar::I1;
        let table = self.table(&ops, &leaves, inst.result?);
        if let [a, b] = leaves[..]
            && (of_masks || !self.has_evex() || matches!(table, 0x0c | 0x30))
        {
            // Not the one, but the other.
            let (not, other) = if table == 0x30 { (b, a) } else { (a, b) };
            let first = self.value(not);
            if of_masks {
                let second = self.value(other);
                return Some(self.mask_op(KANDN[super::vector::mask_size(ty.lanes)], Some(first), second));
            }
            let source = self.source(other, log_bytes(ty.elem) >= 2);
            return Some(self.binary(VPANDN[wide(ty.elem)], ty, first, source));
        }
        // Memory comes last.
        if let Some(at) = leaves.iter().position(|&v| self.foldable(v)) {
            let memory = leaves.remove(at);
            leaves.push(memory);
        }
        let table = self.table(&ops, &leaves, inst.result?);
        let first = self.value(leaves[0]);
        let second = self.value(*leaves.get(1)?);
        let source = match leaves.get(2) {
            Some(&third) => self.source(third, ty.elem.bytes() >= 4),
            None => self.in_reg(second),
        };
        let to = self.new_vec();
        self.push(MInst {
            reg: S::Mod(first, to),
            v: S::Use(second),
            rm: source.rm,
            bcast: source.bcast,
            bytes: source.bytes,
            len: len(ty),
            imm: Imm::I8(table as i8),
            ..op(VPTERNLOG[wide(ty.elem)])
        });
        Some(to)
    }

    /// The tree's function: bit 4a + 2b + c for leaves a, b, c.
    fn table(&self, ops: &[Inst], leaves: &[Value], v: Value) -> u8 {
        if let Some(n) = leaves.iter().position(|&leaf| leaf == v) {
            return [0xf0, 0xcc, 0xaa][n];
        }
        let def = ops.iter().map(|&i| &self.func.insts[i]).find(|d| d.result == Some(v));
        let Some(def) = def else { return trivial(self.func, v).unwrap_or(0) };
        let arg = |n: usize| self.table(ops, leaves, def.args[n]);
        match def.op {
            Op::And => arg(0) & arg(1),
            Op::Or => arg(0) | arg(1),
            Op::Xor => arg(0) ^ arg(1),
            _ => !arg(0),
        }
    }

    /// A conjunction of masks whose second operand may be a comparison that is late: under the first one.
    pub(super) fn compare_under_mask(&mut self, inst: &InstData) -> Option<VReg> {
        let is_late = |v: Value| {
            let ValueDef::Inst(inst) = self.func.values[v].def else { return false };
            self.plan.folds.takes(inst)
        };
        let &[a, b] = &inst.args[..] else { return None };
        let (compare, other) = if is_late(b) { (b, a) } else { (a, b) };
        if !is_late(compare) {
            return None;
        }
        let under = self.value(other);
        let made = self.value(compare);
        if let Some(last) = self.last()
            && last.reg == S::Def(made)
            && last.k == S::No
        {
            last.k = S::Use(under);
            return Some(made);
        }
        let ty = self.func.ty(compare);
        Some(self.mask_op(KAND[super::vector::mask_size(ty.lanes)], Some(under), made))
    }

    /// A sum, one of whose operands is a dot product that is late.
    pub(super) fn add_dot(&mut self, inst: &InstData, ty: Type) -> Option<VReg> {
        let &[a, b] = &inst.args[..] else { return None };
        let func = self.func;
        let late = |v: Value| match func.values[v].def {
            ValueDef::Inst(i) if self.plan.folds.takes(i) => Some(&func.insts[i]).filter(|d| d.op == Op::Dot4Us),
            _ => None,
        };
        let (dot, to) = late(a).map(|dot| (dot, b)).or_else(|| late(b).map(|dot| (dot, a)))?;
        (inst.op == Op::Add).then(|| self.dot(dot, ty, Some(to)))
    }

    /// A dot product of unsigned and signed bytes, added to something.
    pub(super) fn dot(&mut self, inst: &InstData, ty: Type, to: Option<Value>) -> VReg {
        let sum = match to {
            Some(v) => self.value(v),
            None => self.constant(ty, 0),
        };
        let first = self.value(inst.args[0]);
        let Source { rm, bcast, bytes } = self.source(inst.args[1], true);
        let to = self.new_vec();
        self.push(MInst { reg: S::Mod(sum, to), v: S::Use(first), rm, bcast, bytes, len: len(ty), ..op(VPDPBUSD) });
        to
    }

    /// `a == 0` or `a != 0`, of what an `and` gives if that is late.
    pub(super) fn test_bits(&mut self, inst: &InstData) -> Option<VReg> {
        let ty = self.func.ty(inst.args[0]);
        if !is_test(self.func, inst) {
            return None;
        }
        let family = if inst.imm == IrImm::IntPred(IntPred::Eq) { VPTESTNM } else { VPTESTM };
        let n = log_bytes(ty.elem);
        let late = match self.func.values[inst.args[0]].def {
            ValueDef::Inst(and) if self.plan.folds.takes(and) => Some(&self.func.insts[and]),
            _ => None,
        };
        let (a, source) = match late {
            Some(and) if and.op == Op::And && !self.plan.folds.trees.contains_key(&inst.args[0]) => {
                let (a, b) = (and.args[0], and.args[1]);
                let (a, b) = if self.foldable(a) && !self.foldable(b) { (b, a) } else { (a, b) };
                (self.value(a), self.source(b, n >= 2))
            }
            _ => {
                let a = self.value(inst.args[0]);
                (a, self.in_reg(a))
            }
        };
        let Source { rm, bcast, bytes } = source;
        let to = self.new_mask();
        self.push(MInst { reg: S::Def(to), v: S::Use(a), rm, bcast, bytes, len: len(ty), ..op(family[n]) });
        Some(to)
    }

    fn last(&mut self) -> Option<&mut MInst> {
        self.out.blocks[self.now].insts.last_mut()
    }

    /// Lanes of `then` where the mask is set, else of `els`: the op that makes `then` under the mask if it is late,
    /// zeroing if the others are zero.
    pub(super) fn under_mask(&mut self, ty: Type, mask: VReg, then: Value, els: Value) -> Option<VReg> {
        if !self.has_evex() || !ty.is_vector() || ty.elem.bytes() < 4 {
            return None;
        }
        let zero = self.func.const_bits(els) == Some(0);
        let late = matches!(self.func.values[then].def, ValueDef::Inst(i) if self.plan.folds.takes(i));
        if !late && !zero {
            return None;
        }
        let rest = if zero { None } else { Some(self.value(els)) };
        let made = self.value(then);
        let to = self.new_vec();
        if late
            && let Some(last) = self.last()
            && masks(last, made, ty)
        {
            // The result stands where the first or, in shifts, the second operand does.
            let slot = if last.reg == S::No { &mut last.v } else { &mut last.reg };
            match (*slot, rest) {
                (S::Def(_), None) => *slot = S::Def(to),
                (S::Mod(from, _), None) => *slot = S::Mod(from, to),
                (S::Def(_), Some(rest)) => *slot = S::Mod(rest, to),
                (S::Mod(from, _), Some(rest)) if from == rest => *slot = S::Mod(from, to),
                _ => return Some(self.choose(ty, mask, made, rest)),
            }
            last.k = S::Use(mask);
            last.zero = zero;
            return Some(to);
        }
        Some(self.choose(ty, mask, made, rest))
    }

    fn choose(&mut self, ty: Type, mask: VReg, then: VReg, els: Option<VReg>) -> VReg {
        let source = self.in_reg(then);
        if let Some(els) = els {
            return self.blend(ty, mask, els, source);
        }
        let to = self.new_vec();
        let code = VMOVAP[wide(ty.elem)];
        let (rm, k) = (source.rm, S::Use(mask));
        self.push(MInst { reg: S::Def(to), rm, k, zero: true, len: len(ty), ..op(code) });
        to
    }
}

/// True if an instruction makes a register and takes a mask for elements of this type.
fn masks(inst: &MInst, made: VReg, ty: Type) -> bool {
    let Kind::Op(code) = inst.kind else { return false };
    let result = if inst.reg == S::No { inst.v } else { inst.reg };
    let makes = matches!(result, S::Def(v) | S::Mod(_, v) if v == made);
    let free = inst.k == S::No && !inst.zero && made.class() == RegClass::Float;
    let evex = matches!(code.enc, Enc::Evex | Enc::Both | Enc::BothWig);
    let loads = matches!(inst.rm, Rm::Mem(_)) && code.name.starts_with("vmov");
    makes && free && evex && !loads && code.w == (ty.elem.bytes() == 8)
}

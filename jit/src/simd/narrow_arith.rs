//! Integer arithmetic of whose result only the low bits are asked is done in elements of that size, of which more fit a
//! register and which need no conversions: C computes with `char` and `short` in `int`, and programs with `long` where
//! they want the upper half of a product as well.
//!
//! ```text
//! a = sext i32 x ; m = mul a, a ; s = add m, (sext i32 c) ; t = trunc i16 s   →   m = mul i16 x, x ; t = add m, c
//! ```
//! Low bits of sums, products and bitwise operations depend on low bits only. What is narrowed is the largest set of
//! such instructions that is closed: operands come of the narrow type, and all that is used of a result is cut to it.
//! (Demanded bits; LLVM calls it evaluation in a different type.) Takes work-group functions before lanes.

use crate::ir::Origin;
use crate::ir::cfg::Cfg;
use crate::ir::entity::Entity;
use crate::ir::{Builder, Func, Inst, InstData, Op, Scalar, Type, Value};
use crate::pass::forward::Forward;
use rustc_hash::FxHashMap;

/// Rewrites what can be; true if there was anything.
pub(crate) fn run(func: &mut Func) -> bool {
    let mut changed = false;
    for elem in [Scalar::I8, Scalar::I16, Scalar::I32] {
        let found = Search::new(func, elem).run();
        if found.iter().any(|&is| is) {
            rewrite(func, elem, &found);
            changed = true;
        }
    }
    changed
}

/// Looks for the instructions to do in one kind of element.
struct Search<'a> {
    func: &'a Func,
    elem: Scalar,
    /// The instructions that use each value.
    users: Vec<Vec<Inst>>,
    /// Values that a block hands on or decides by.
    leaves: Vec<bool>,
}

impl<'a> Search<'a> {
    fn new(func: &'a Func, elem: Scalar) -> Self {
        let mut users = vec![Vec::new(); func.values.len()];
        let mut leaves = vec![false; func.values.len()];
        for &block in &func.layout {
            for &inst in &func.blocks[block].insts {
                func.insts[inst].args.iter().for_each(|v| users[v.index()].push(inst));
            }
            func.blocks[block].term.for_each_value(|v| leaves[v.index()] = true);
        }
        Self { func, elem, users, leaves }
    }

    /// For each value, whether it is made in the narrow type.
    fn run(&self) -> Vec<bool> {
        let mut found = vec![false; self.func.values.len()];
        let mut work: Vec<Value> = Vec::new();
        for (_, inst) in self.func.live_insts() {
            let data = &self.func.insts[inst];
            if let Some(v) = data.result.filter(|_| self.is_candidate(data)) {
                found[v.index()] = true;
                work.push(v);
            }
        }
        while let Some(v) = work.pop() {
            let Some(data) = self.func.def_inst(v).filter(|_| found[v.index()]) else { continue };
            let stays = data.args.iter().all(|&a| found[a.index()] || self.narrow(a).is_some())
                && self.users[v.index()].iter().all(|&user| self.cuts(user, &found));
            if !stays {
                found[v.index()] = false;
                let users = self.users[v.index()].iter().filter_map(|&user| self.func.insts[user].result);
                work.extend(data.args.iter().copied().chain(users).filter(|v| found[v.index()]));
            }
        }
        found
    }

    /// True for arithmetic on larger elements whose low bits depend on low bits only.
    fn is_candidate(&self, data: &InstData) -> bool {
        let Some(v) = data.result else { return false };
        let ty = self.func.ty(v);
        let low = match data.op {
            Op::Add | Op::Sub | Op::Mul | Op::And | Op::Or | Op::Xor | Op::Not | Op::Neg => true,
            Op::Shl => self.func.const_bits(data.args[1]).is_some_and(|by| by < u64::from(self.elem.bits())),
            _ => false,
        };
        low && is_int(ty) && ty.elem.bits() > self.elem.bits() && !self.leaves[v.index()]
    }

    /// True if an instruction uses of its operands no more than the narrow type has.
    fn cuts(&self, user: Inst, found: &[bool]) -> bool {
        let data = &self.func.insts[user];
        let Some(v) = data.result else { return false };
        found[v.index()] || data.op == Op::Trunci && self.func.ty(v).elem.bits() <= self.elem.bits()
    }

    /// True, and how, if a value is there in the narrow type: as a constant, or before it was extended.
    fn narrow(&self, v: Value) -> Option<Leaf> {
        leaf(self.func, v, self.elem)
    }
}

/// An operand that is not narrowed itself.
enum Leaf {
    Const(u64),
    /// Extended from the narrow type, or from a narrower one by this op.
    Extended(Op, Value),
}

fn leaf(func: &Func, v: Value, elem: Scalar) -> Option<Leaf> {
    if let Some(bits) = func.const_bits(v) {
        return Some(Leaf::Const(bits));
    }
    let data = func.def_inst(v)?;
    let from = *data.args.first()?;
    let extends = matches!(data.op, Op::Sext | Op::Zext) && is_int(func.ty(from));
    (extends && func.ty(from).elem.bits() <= elem.bits()).then_some(Leaf::Extended(data.op, from))
}

fn is_int(ty: Type) -> bool {
    matches!(ty.elem, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64) && !ty.is_ptr()
}

fn rewrite(func: &mut Func, elem: Scalar, found: &[bool]) {
    let mut forward = Forward::new(func);
    let mut narrowed: FxHashMap<Value, Value> = FxHashMap::default();
    let is_found = |v: Value| found.get(v.index()).is_some_and(|&is| is);
    for block in Cfg::new(func).rpo().to_vec() {
        let insts = std::mem::take(&mut func.blocks[block].insts);
        let mut b = Builder::new(func, block);
        for inst in insts {
            let data = b.func.insts[inst].clone();
            let cuts = data.op == Op::Trunci && is_found(data.args[0]);
            match data.result {
                Some(v) if is_found(v) => {
                    let ty = b.func.ty(v).with_elem(elem);
                    let narrow = |&a| narrowed.get(&a).copied().unwrap_or_else(|| operand(&mut b, a, elem));
                    let args: Vec<Value> = data.args.iter().map(narrow).collect();
                    b.origin = data.origin;
                    narrowed.insert(v, b.emit(data.op, ty, &args, data.imm));
                    b.origin = Origin::UNKNOWN;
                }
                Some(v) if cuts => {
                    let (ty, from) = (b.func.ty(v), narrowed[&data.args[0]]);
                    b.origin = data.origin;
                    forward.set(v, if ty.elem == elem { from } else { b.convert(Op::Trunci, ty, from) });
                    b.origin = Origin::UNKNOWN;
                }
                _ => b.place(inst),
            }
        }
    }
    forward.apply(func);
}

/// An operand that is not narrowed itself, in the narrow type.
fn operand(b: &mut Builder<'_>, v: Value, elem: Scalar) -> Value {
    let ty = b.func.ty(v).with_elem(elem);
    match leaf(b.func, v, elem) {
        Some(Leaf::Const(bits)) => b.bits(ty, bits),
        Some(Leaf::Extended(_, from)) if b.func.ty(from).elem == elem => from,
        Some(Leaf::Extended(op, from)) => b.convert(op, ty, from),
        None => unreachable!("operands of what is narrowed are narrow"),
    }
}

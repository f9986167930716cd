//! Instruction selection: a function in legal form → `MFunc`. Blocks and terminators are here, values and addresses in
//! `value`, what may be delayed to its use in `plan`; ops are in `int`, `float`, `memory`, `vector`, `lanes`, `call`.
//!
//! `avx2` has what takes other instructions without EVEX, `shuffle` its shuffles; `fold` makes one instruction of
//! several ops.
//!
//! Registers hold: an integer narrower than 64 bits with anything above its width; a boolean as 0 or 1 in 32 bits; a
//! scalar float in lane 0 of a vector register; a vector from lane 0 on, with anything behind its last lane; a vector
//! of booleans in a mask register, with anything behind its last bit. Without mask registers there are no vectors of
//! booleans; a mask made on the way, as by a comparison of scalars, is a vector whose lanes' signs count.

mod avx2;
mod call;
mod cond;
mod float;
mod fold;
mod int;
mod lanes;
mod memory;
mod plan;
mod shuffle;
mod value;
mod vector;

use super::code::Cc;
use super::mir::{Kind, MBlock, MFunc, MInst};
use crate::codegen::helper::Helper;
use crate::error::CodeError;
use crate::ir::entity::Entity;
use crate::ir::{self, Func, FuncId, InstData, Scalar, Target, Term, Type, Value};
use crate::target;
use cond::Cond;
use plan::Plan;
use regalloc2::{Block, RegClass, VReg};
use rustc_hash::FxHashMap;
use value::Addr;

/// What selection needs to know beyond the function.
pub(super) struct Scope<'a> {
    /// The target.
    pub target: &'a target::Target,
    /// Number in the image of each callee.
    pub callees: &'a FxHashMap<FuncId, u32>,
    /// Machine code is to be told in places of sources.
    pub with_places: bool,
}

/// Where a value is.
#[derive(Clone, Copy)]
enum Val {
    /// Not computed yet: done where it is used.
    Later,
    /// In a register.
    Reg(VReg),
    /// Base, index and displacement, not yet added up.
    Addr(Addr),
}

struct Select<'a> {
    func: &'a Func,
    scope: &'a Scope<'a>,
    plan: Plan,
    out: MFunc,
    /// Place of each block of `out` in the order of emission.
    order: Vec<usize>,
    /// The block of `out` at hand.
    now: usize,
    /// First block of each KIR block.
    heads: Vec<usize>,
    vals: Vec<Val>,
    /// Values whose registers hold zeros above their width.
    clean: Vec<bool>,
    /// Values made where they were used in the KIR block at hand.
    made: FxHashMap<Value, VReg>,
    /// Indices times factors made in the KIR block at hand.
    scaled: FxHashMap<(Value, u32), VReg>,
    /// Constants behind the code.
    consts: FxHashMap<Vec<u8>, u32>,
}

/// The register class of a type.
fn class(ty: Type) -> RegClass {
    match ty.elem {
        Scalar::I1 if ty.is_vector() => RegClass::Vector,
        _ if ty.is_vector() || ty.is_float() => RegClass::Float,
        _ => RegClass::Int,
    }
}

/// Bytes of a general register that an op on this type works on: 32 bits for everything narrower.
fn gpr_size(ty: Type) -> u8 {
    if ty.elem.bytes() == 8 { 8 } else { 4 }
}

/// Machine code with virtual registers for a function in legal form.
///
/// # Errors
/// `CodeError` for what this code generator does not cover.
pub(super) fn select(func: &Func, scope: &Scope<'_>) -> Result<MFunc, CodeError> {
    let mut this = Select {
        func,
        scope,
        plan: Plan::new(func, scope.target),
        out: MFunc::default(),
        order: Vec::new(),
        now: 0,
        heads: vec![usize::MAX; func.blocks.len()],
        vals: vec![Val::Later; func.values.len()],
        clean: vec![false; func.values.len()],
        made: FxHashMap::default(),
        scaled: FxHashMap::default(),
        consts: FxHashMap::default(),
    };
    this.run()?;
    Ok(this.finish())
}

impl Select<'_> {
    fn run(&mut self) -> Result<(), CodeError> {
        let func = self.func;
        for &param in func.layout.iter().flat_map(|&b| &func.blocks[b].params) {
            self.check_type(func.ty(param))?;
            let reg = self.new_reg(class(func.ty(param)));
            self.vals[param.index()] = Val::Reg(reg);
        }
        let entry = self.block();
        self.enter(entry);
        self.arguments()?;
        let looping =
            func.layout.iter().any(|&b| func.blocks[b].term.targets().iter().any(|t| t.block == func.entry()));
        for &block in &func.layout {
            if block == func.entry() && !looping {
                self.heads[block.index()] = entry;
                continue;
            }
            let head = self.block();
            self.heads[block.index()] = head;
            let params = func.blocks[block].params.iter().map(|&p| self.param(p)).collect();
            self.out.blocks[head].params = params;
        }
        if looping {
            // The arguments' registers are the parameters themselves; the entry block needs its own.
            let params = self.out.blocks[self.heads[func.entry().index()]].params.clone();
            let fresh: Vec<VReg> = params.iter().map(|p| self.new_reg(p.class())).collect();
            let of = |v: VReg| params.iter().position(|&p| p == v).map_or(v, |n| fresh[n]);
            for inst in &mut self.out.blocks[entry].insts {
                inst.rename(of);
            }
            self.out.blocks[entry].args = fresh;
            self.jump_to(self.heads[func.entry().index()]);
        }
        for &block in &func.layout {
            let head = self.heads[block.index()];
            if head != entry {
                self.enter(head);
            }
            self.made.clear();
            self.scaled.clear();
            for &inst in &func.blocks[block].insts {
                if !self.plan.is_late(inst) {
                    self.inst(&func.insts[inst])?;
                }
            }
            self.terminator(&func.blocks[block].term)?;
        }
        Ok(())
    }

    /// Puts the blocks into the order of emission.
    fn finish(mut self) -> MFunc {
        self.order = super::cold::arms_last(&self.out, &self.order);
        let mut place = vec![usize::MAX; self.out.blocks.len()];
        self.order.iter().enumerate().for_each(|(n, &b)| place[b] = n);
        let mut old: Vec<Option<MBlock>> = std::mem::take(&mut self.out.blocks).into_iter().map(Some).collect();
        for &b in &self.order {
            if let Some(mut block) = old[b].take() {
                block.succs.iter_mut().for_each(|s| *s = Block::new(place[s.index()]));
                self.out.blocks.push(block);
            }
        }
        self.out.seal();
        self.out
    }

    // ---- building

    fn new_reg(&mut self, class: RegClass) -> VReg {
        self.out.n_vregs += 1;
        VReg::new(self.out.n_vregs - 1, class)
    }

    fn new_gpr(&mut self) -> VReg {
        self.new_reg(RegClass::Int)
    }

    fn new_vec(&mut self) -> VReg {
        self.new_reg(RegClass::Float)
    }

    /// A new block, not yet in the order of emission.
    fn block(&mut self) -> usize {
        self.out.blocks.push(MBlock::default());
        self.out.blocks.len() - 1
    }

    fn enter(&mut self, block: usize) {
        self.order.push(block);
        self.now = block;
    }

    /// True if there are mask registers, embedded rounding and broadcast operands.
    fn has_evex(&self) -> bool {
        self.scope.target.masks
    }

    /// A register for a mask: of lanes in a vector register where there is no better one.
    fn new_mask(&mut self) -> VReg {
        let class = if self.has_evex() { RegClass::Vector } else { RegClass::Float };
        self.new_reg(class)
    }

    fn push(&mut self, inst: MInst) {
        let mut inst = inst;
        if let Kind::Op(code) = &mut inst.kind {
            *code = code.for_machine(self.scope.target.masks);
        }
        inst.place = (self.out.origins.len() as u32).saturating_sub(1);
        self.out.max_len = self.out.max_len.max(inst.len);
        self.out.blocks[self.now].insts.push(inst);
    }

    fn param(&self, v: Value) -> VReg {
        match self.vals[v.index()] {
            Val::Reg(reg) => reg,
            _ => unreachable!("parameters are in registers"),
        }
    }

    fn define(&mut self, inst: &InstData, reg: VReg) {
        if let Some(result) = inst.result {
            self.vals[result.index()] = Val::Reg(reg);
        }
    }

    /// As `define`, for a register whose bits above the value's width are zero.
    fn define_clean(&mut self, inst: &InstData, reg: VReg) {
        self.define(inst, reg);
        if let Some(result) = inst.result {
            self.clean[result.index()] = true;
        }
    }

    fn unsupported(&self, inst: &InstData) -> CodeError {
        let types: Vec<String> = inst.args.iter().map(|&a| self.func.ty(a).to_string()).collect();
        let name = &self.func.name;
        CodeError::new(format!("no code for `{}` on ({}) in `{name}`", inst.op.row().name, types.join(", ")))
    }

    fn check_type(&self, ty: Type) -> Result<(), CodeError> {
        let most = if self.has_evex() { 64 } else { 32 };
        if ty == Type::F16 || (ty.is_vector() && ty.bytes() > most) {
            return Err(CodeError::new(format!("no code for values of type {ty}")));
        }
        Ok(())
    }

    // ---- control flow

    fn jump_to(&mut self, block: usize) {
        self.out.blocks[self.now].succs.push(Block::new(block));
        self.push(MInst::new(Kind::Jump));
    }

    fn jump(&mut self, t: &Target) {
        let args: Vec<VReg> = t.args.iter().map(|&a| self.value(a)).collect();
        self.out.blocks[self.now].args = args;
        self.jump_to(self.heads[t.block.index()]);
    }

    /// The block that a branch to `t` goes to: one of its own, to be filled later, so that no edge is critical.
    fn landing(&mut self, t: &Target, edges: &mut Vec<(usize, Target)>) -> usize {
        if t.args.is_empty() && self.plan.preds(t.block) == 1 {
            return self.heads[t.block.index()];
        }
        let edge = self.block();
        edges.push((edge, t.clone()));
        edge
    }

    fn fill(&mut self, edges: Vec<(usize, Target)>) {
        for (edge, target) in edges {
            self.enter(edge);
            // Nothing made in another block of this KIR block may be used: it need not dominate.
            let made = self.made.clone();
            self.jump(&target);
            self.made = made;
        }
    }

    fn terminator(&mut self, term: &Term) -> Result<(), CodeError> {
        match term {
            Term::Jump(t) => self.jump(t),
            Term::Br { cond, then, els } => {
                let cond = self.condition(*cond)?;
                let mut edges = Vec::new();
                let to = [self.landing(then, &mut edges), self.landing(els, &mut edges)];
                self.branch(cond, to[0], to[1]);
                self.fill(edges);
            }
            Term::Switch { value, cases, default } => self.switch(*value, cases, default)?,
            Term::Ret(v) => self.ret(*v)?,
            // Never reached; returning is harmless where a trap would not be.
            Term::Unreachable => self.ret(None)?,
        }
        Ok(())
    }

    fn branch(&mut self, cond: Cond, then: usize, els: usize) {
        let (kind, then, els) = match cond {
            Cond::One(cc) => (Kind::Branch(cc), then, els),
            Cond::Both(a, b) => (Kind::BranchBoth(a, b), then, els),
            Cond::Either(a, b) => (Kind::BranchBoth(a.negate(), b.negate()), els, then),
        };
        self.out.blocks[self.now].succs = vec![Block::new(then), Block::new(els)];
        self.push(MInst::new(kind));
    }

    /// Binary search over the cases.
    fn switch(&mut self, value: Value, cases: &[(u64, Target)], default: &Target) -> Result<(), CodeError> {
        let ty = self.func.ty(value);
        let reg = self.value(value);
        let mut sorted: Vec<(u64, &Target)> = cases.iter().map(|(bits, t)| (*bits, t)).collect();
        sorted.sort_unstable_by_key(|c| c.0);
        let mut edges = Vec::new();
        self.search(reg, ty, &sorted, default, &mut edges);
        self.fill(edges);
        Ok(())
    }

    fn search(
        &mut self,
        reg: VReg,
        ty: Type,
        cases: &[(u64, &Target)],
        default: &Target,
        edges: &mut Vec<(usize, Target)>,
    ) {
        // One edge block per use of a target: several cases may go to one block.
        let mut edge = |this: &mut Self, t: &Target| {
            let edge = this.block();
            edges.push((edge, t.clone()));
            edge
        };
        match cases {
            [] => {
                let to = edge(self, default);
                self.jump_to(to);
            }
            [(bits, target)] => {
                self.compare_bits(reg, ty, *bits);
                let to = [edge(self, target), edge(self, default)];
                self.branch(Cond::One(Cc::E), to[0], to[1]);
            }
            _ => {
                let (low, high) = cases.split_at(cases.len() / 2);
                self.compare_bits(reg, ty, high[0].0);
                let [below, above] = [self.block(), self.block()];
                self.branch(Cond::One(Cc::B), below, above);
                self.enter(below);
                self.search(reg, ty, low, default, edges);
                self.enter(above);
                self.search(reg, ty, high, default, edges);
            }
        }
    }

    // ---- instructions

    fn inst(&mut self, inst: &InstData) -> Result<(), CodeError> {
        use ir::Op::*;
        // A variable's address has been moved out of loops, and is no place to stop at.
        if self.scope.with_places && inst.op != GlobalAddr && self.out.origins.last() != Some(&inst.origin) {
            self.out.origins.push(inst.origin);
        }
        if let Some(result) = inst.result {
            self.check_type(self.func.ty(result))?;
        }
        match inst.op {
            Load => self.load(inst),
            Store => self.store(inst),
            Memcpy => self.memcpy(inst),
            Memset => self.memset(inst),
            AtomicLoad | AtomicStore | AtomicRmw | AtomicCas => self.atomic(inst),
            Fence => self.fence(inst),
            Prefetch => self.prefetch(inst),
            IsLocal | IsPrivate => self.where_is(inst),
            Call => self.call(inst),
            Printf => self.call_printf(inst),
            Device => self.call_device(inst),
            Clock => self.call_helper(inst, Helper::Clock),
            CheckArg => self.call_helper(inst, Helper::CheckArg),
            CheckObject => self.call_helper(inst, Helper::CheckObject),
            CheckReport => self.call_helper(inst, Helper::CheckReport),
            Track => self.call_helper(inst, Helper::Track),
            Meet => self.call_helper(inst, Helper::Meet),
            Frem if !self.func.ty(inst.args[0]).is_vector() => {
                let single = self.func.ty(inst.args[0]) == Type::F32;
                self.call_helper(inst, if single { Helper::Fmod32 } else { Helper::Fmod64 })
            }
            PtrAdd | PtrOff | AsCast | IntToPtr | PtrToInt | GlobalAddr | SlotAddr => self.address(inst),
            Icmp | Fcmp if !self.func.ty(inst.args[0]).is_vector() => self.set_bool(inst),
            Fadd | Fsub | Fmul | Fdiv | Fma | Fneg | Fabs | Copysign | Sqrt | Ceil | Floor | Trunc | Rint | Fmin
            | Fmax | Fcmp => self.float(inst),
            Fptrunc | Fpext | Fptosi | Fptoui | Sitofp | Uitofp => self.conversion(inst),
            Bitcast => self.bitcast(inst),
            Select => self.select(inst),
            _ if inst.args.iter().copied().chain(inst.result).any(|v| self.func.ty(v).is_vector()) => self.vector(inst),
            _ => self.int(inst),
        }
    }
}

//! KIR in work-group form → KIR that the code generator takes one to one.
//!
//! **Legal form.** Every value is a scalar (OpenCL vectors fall apart into their components, or into 128-bit parts; a
//! vector result of a call comes back through a hidden first pointer). There is no f16: its bits travel as i16. What is
//! left has these restrictions:
//! - `DivS DivU RemS RemU` are 32 or 64 bits wide and their divisor is never 0, nor -1 below `MIN` when signed;
//! - float ops round to nearest unless the target knows directed roundings; conversions from float truncate and give 32
//!   or 64 bits; conversions to float start from 32 or 64 bits, and from signed ones if 32;
//! - `MulHiS`, `MulHiU` are 64 bits wide; saturating and averaging ops are gone, as are all vector ops;
//! - `Dot2S` on vectors is what dot products became, or `Dot4Us` on vectors if the target has it;
//! - vectors that pay off as such are f32x4, i32x4, f64x2 or i64x2, in lane form also i8x16 and i16x8; their
//!   comparisons give integers of the same width, 0 or -1, which `Select` takes; they shift by a scalar; ops that
//!   Cranelift has for them are all they have. Conversions that double the width take the low lanes; `Build` is of
//!   constants; `MaskAny` and `MaskBits` take masks of integers.
//! - Wider vectors and mask registers: see `target::Target`.
//!
//! Slots may have any alignment.
//!
//! Start with `legalise` and `Legalizer`. `pieces` says how vectors lie in registers; `lanes` does operations there, in
//! functions in lane form all of them, elsewhere those that `native` chooses; `vector` takes the others apart. `int`,
//! `dot`, `float` and `convert` expand ops, `half` does f16, `round` the directed roundings, in the expressions of
//! `expr`; `out` is the function that is written, `target` says what a code generator can do. Must not know Cranelift.

mod convert;
mod dot;
mod expr;
mod float;
mod half;
mod int;
mod lanes;
mod native;
mod out;
mod pieces;
mod round;
mod vector;

use crate::error::CodeError;
use crate::ir::cfg::Cfg;
use crate::ir::dom::Loops;
use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::{self, Attr, Block, Func, Imm, Inst, InstData, IntPred, Module, Op, Scalar, SlotId, Term, Type, Value};
use crate::launch::AddrSpace;
use crate::target::Target;
use lanes::invariant::Reciprocals;
use out::Out;
use pieces::Pieces;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cell::{OnceCell, RefCell};

/// True if a function saves more operations on whole vectors than it accesses their components, of vectors that would
/// not stay whole in 128 bits: larger ones and those of small elements. What is in loops counts more.
pub fn works_on_whole_vectors(func: &Func) -> bool {
    if !func.values.values().any(|v| is_large(v.ty) || is_narrow(v.ty)) {
        return false;
    }
    let (_, _, loops) = Loops::of_func(func);
    let insts = func.live_insts().map(|(block, inst)| (loop_weight(&loops, block), &func.insts[inst]));
    saved_by_whole_vectors(func, insts, true) > 0
}

/// How much an instruction of a block counts.
pub fn loop_weight(loops: &Loops, block: Block) -> i64 {
    8i64.pow(loops.of(block).map_or(0, |l| loops.loops[l].depth).min(5))
}

/// A vector that does not fit 128 bits.
pub fn is_large(ty: Type) -> bool {
    ty.is_vector() && ty.bytes() > 16
}

/// A vector of small elements, but for booleans.
pub fn is_narrow(ty: Type) -> bool {
    ty.is_vector() && ty.elem != Scalar::I1 && ty.elem.bytes() < 4
}

/// How many operations whole vectors save, less what it takes to get at their components: large ones against parts of
/// 128 bits, or with `narrow` also those of small elements against components. Instructions come with weights.
pub fn saved_by_whole_vectors<'a>(func: &Func, insts: impl Iterator<Item = (i64, &'a InstData)>, narrow: bool) -> i64 {
    let is_narrow = |v: Value| narrow && is_narrow(func.ty(v));
    let counts = |v: Value| is_large(func.ty(v)) || is_narrow(v);
    let saved = |v: Value, cost: i64| {
        let ty = func.ty(v);
        let registers = i64::from(ty.bytes().div_ceil(64));
        let others = match i64::from(ty.lanes) {
            _ if !is_narrow(v) => i64::from(ty.bytes().div_ceil(16)),
            // Scalar code is better than its number of operations says where components are few.
            few @ ..=4 => (few + 1) / 2,
            many => many,
        };
        others - registers * if is_narrow(v) { cost } else { 1 }
    };
    // Small components go through registers of the other kind.
    let component = |v: Value| if is_narrow(v) { 3 } else { 1 };
    let mut sum = 0;
    for (weight, data) in insts {
        let touched = data.result.into_iter().chain(data.args.iter().copied()).find(|&v| counts(v));
        let Some(v) = touched else { continue };
        sum += weight
            * match data.op {
                Op::Load | Op::Store if is_narrow(v) => saved(v, 1),
                Op::Const | Op::Undef | Op::Splat | Op::Load | Op::Store | Op::Call => 0,
                Op::Build => -component(v) * data.args.len() as i64,
                Op::Shuffle => -if is_narrow(v) { 2 } else { 1 },
                Op::Extract | Op::ExtractDyn | Op::Insert => -component(v),
                op => saved(v, narrow_cost(op, func.ty(v))),
            };
    }
    sum
}

/// Instructions for an operation on a register of small elements, roughly.
fn narrow_cost(op: Op, ty: Type) -> i64 {
    match op {
        Op::Mul | Op::Shl | Op::Lshr | Op::Ashr if ty.elem == Scalar::I8 => 8,
        Op::Rotl | Op::Clz | Op::Ctz | Op::Popcnt | Op::MulHiS | Op::MulHiU => 8,
        Op::DivS | Op::DivU | Op::RemS | Op::RemU => 12,
        _ => 1,
    }
}

/// Parameter and result types of a function in legal form.
fn legal_signature(params: &[Type], ret: Option<Type>) -> (Vec<Type>, Option<Type>) {
    let mut legal = Vec::with_capacity(params.len() + 1);
    let ret = match ret {
        Some(ty) if ty.is_vector() => {
            legal.push(Type::ptr(AddrSpace::Private));
            None
        }
        other => other.map(legal_lane),
    };
    for &ty in params {
        legal.extend(std::iter::repeat_n(legal_lane(ty), usize::from(ty.lanes)));
    }
    (legal, ret)
}

/// Type of one component in legal form.
fn legal_lane(ty: Type) -> Type {
    match ty.elem {
        Scalar::F16 => Type::I16,
        elem => Type::scalar(elem),
    }
}

fn error(message: String) -> CodeError {
    CodeError::new(message)
}

/// The function in legal form. Vectors are those of `target` if it is in lane form or works on whole vectors, else of
/// 128 bits.
///
/// # Errors
/// `CodeError` for an op that only the kernel form may have, or that the target does not.
pub(crate) fn legalise(module: &Module, old: &Func, target: &Target) -> Result<Func, CodeError> {
    let is_lanes = old.is_lanes || target.register_bytes > 16 && works_on_whole_vectors(old);
    let (params, ret) = legal_signature(&old.params, old.ret);
    let mut func = Func::declaration(old.name.clone(), params, ret);
    func.is_kernel = old.is_kernel;
    func.is_builtin = old.is_builtin;
    func.flushes_denormals = old.flushes_denormals;
    (func.slots, func.origins) = (old.slots.clone(), old.origins.clone());
    let cfg = Cfg::new(old);
    let order = cfg.rpo();
    let mut blocks = FxHashMap::default();
    for &block in order {
        let new = func.add_block();
        func.layout.push(new);
        blocks.insert(block, new);
    }
    let mut this = Legalizer {
        module,
        target,
        old,
        is_lanes,
        register_bytes: if is_lanes { u32::from(target.register_bytes) } else { 16 },
        copies: if is_lanes { vector::Copies::default() } else { vector::find_copies(old) },
        map: vec![(0, 0, 0); old.values.len()],
        choice: if is_lanes { lanes::home_widths(old, &cfg) } else { native::choose(old, &cfg) },
        converted: RefCell::default(),
        pool: Vec::with_capacity(old.values.len() * 2),
        blocks,
        at: old.entry(),
        ret_ptr: None,
        dummy: OnceCell::new(),
        call_slots: FxHashMap::default(),
        reciprocals: if is_lanes { Reciprocals::of(old) } else { Reciprocals::default() },
        out: Out::new(func, is_lanes && target.masks),
    };
    let entry = this.blocks[&old.entry()];
    if old.ret.is_some_and(Type::is_vector) {
        this.ret_ptr = Some(this.out.func_mut().add_param(entry, Type::ptr(AddrSpace::Private)));
    }
    for &block in order {
        let new = this.blocks[&block];
        for &param in &old.blocks[block].params {
            let ty = old.ty(param);
            let width = if block == old.entry() { 0 } else { this.choice[param.index()] };
            let (piece, count) = match width {
                0 => (legal_lane(ty), usize::from(ty.lanes)),
                _ => {
                    let layout = this.layout(ty, width);
                    (layout.part, layout.count)
                }
            };
            let pieces: Pieces = (0..count).map(|_| this.out.func_mut().add_param(new, piece)).collect();
            this.set_parts(param, &pieces, width);
        }
    }
    for &block in order {
        this.at = block;
        this.out.block.set(this.blocks[&block]);
        old.blocks[block].params.iter().for_each(|&param| this.make_reciprocals(param));
        for &inst in &old.blocks[block].insts {
            this.inst(inst)?;
            old.insts[inst].result.into_iter().for_each(|result| this.make_reciprocals(result));
        }
        this.terminator(&old.blocks[block].term);
    }
    let mut func = this.out.finish();
    if func.blocks.len() > this.blocks.len() {
        func.layout = Cfg::new(&func).rpo().to_vec();
    }
    Ok(func)
}

/// Rewrites one function.
struct Legalizer<'a> {
    module: &'a Module,
    target: &'a Target,
    old: &'a Func,
    /// Every vector stays in vector registers of the machine's size.
    is_lanes: bool,
    /// Bytes of the largest vector register to be used.
    register_bytes: u32,
    /// Vector loads whose value only moves on to one store.
    copies: vector::Copies,
    /// For each old value its components or parts: start and length in `pool`, and the parts' lane width (0:
    /// components).
    map: Vec<(u32, u32, u8)>,
    pool: Vec<Value>,
    /// Which vectors are native.
    choice: native::Choice,
    /// Values in the other form, by the block where they were converted; width 0 means components.
    converted: RefCell<FxHashMap<(Value, Block, u8), Pieces>>,
    /// The new block in which each old one begins.
    blocks: FxHashMap<Block, Block>,
    /// The old block at hand.
    at: Block,
    /// Memory that lanes access which must access none.
    dummy: OnceCell<SlotId>,
    /// Where a vector result goes.
    ret_ptr: Option<Value>,
    /// Memory for vector results of calls, by type.
    call_slots: FxHashMap<Type, SlotId>,
    /// Of what lanes are divided by.
    reciprocals: Reciprocals,
    out: Out,
}

impl Legalizer<'_> {
    fn set(&mut self, old: Value, lanes: &[Value]) {
        self.set_parts(old, lanes, 0);
    }

    /// Sets a value's parts of this lane width, or its components if that is 0.
    fn set_parts(&mut self, old: Value, pieces: &[Value], width: u8) {
        debug_assert!(self.fits(old, pieces, width), "parts of {} in `{}`", self.old.ty(old), self.old.name);
        self.map[old.index()] = (self.pool.len() as u32, pieces.len() as u32, width);
        self.pool.extend_from_slice(pieces);
    }

    /// True if the pieces have the types of a value's layout; masks in registers of their own may have fewer lanes.
    fn fits(&self, old: Value, pieces: &[Value], width: u8) -> bool {
        let ty = self.old.ty(old);
        let layout = self.layout(ty, width.max(1));
        let fits = |&p: &Value| self.out.ty(p) == layout.part;
        width == 0 || ty.elem == Scalar::I1 || pieces.len() == layout.count && pieces.iter().all(fits)
    }

    /// All components of an old value.
    fn lanes(&self, old: Value) -> Pieces {
        let (start, len, width) = self.map[old.index()];
        let pieces = Pieces::from_slice(&self.pool[start as usize..(start + len) as usize]);
        if width == 0 {
            return pieces;
        }
        let key = (old, self.at, 0);
        if let Some(lanes) = self.converted.borrow().get(&key) {
            return lanes.clone();
        }
        let lanes = self.take_apart(&pieces, self.old.ty(old), width);
        self.converted.borrow_mut().insert(key, lanes.clone());
        lanes
    }

    /// The only component of an old scalar.
    fn scalar(&self, old: Value) -> Value {
        self.pool[self.map[old.index()].0 as usize]
    }

    fn unsupported(&self, inst: &InstData) -> CodeError {
        let types: Vec<String> = inst.args.iter().map(|&a| self.old.ty(a).to_string()).collect();
        error(format!("`{}` on ({}) is not supported in `{}`", inst.op.row().name, types.join(", "), self.old.name))
    }

    fn inst(&mut self, id: Inst) -> Result<(), CodeError> {
        let inst = &self.old.insts[id];
        self.out.origin.set(inst.origin);
        if let Some(mask) = self.tested_mask(inst)
            && let Some(result) = inst.result
        {
            self.map[result.index()] = self.map[mask.index()];
            return Ok(());
        }
        let on_parts = if self.is_lanes { self.has_vectors(inst) } else { self.is_native(id, inst) };
        if on_parts && self.lane_inst(inst) {
            return Ok(());
        }
        self.component_inst(id, inst)?;
        if self.is_lanes {
            self.settle(inst);
        }
        Ok(())
    }

    /// An instruction on scalars or on the components of vectors.
    fn component_inst(&mut self, id: Inst, inst: &InstData) -> Result<(), CodeError> {
        match inst.op {
            Op::Const | Op::Undef => self.constant(inst),
            Op::Build | Op::Splat | Op::Extract | Op::Insert | Op::Shuffle | Op::ExtractDyn => self.vector_op(inst),
            Op::MaskAny | Op::MaskAll => self.joined_mask(inst),
            Op::Bitcast => self.bitcast(inst),
            Op::Load => self.load(id, inst),
            Op::Store => self.store(inst),
            Op::Call => self.call(inst),
            Op::SlotAddr | Op::GlobalAddr | Op::PtrAdd | Op::PtrOff | Op::PtrToInt | Op::IntToPtr | Op::AsCast => {
                self.copy(inst);
            }
            // Nothing asks any more where variables start.
            Op::LocalBase => {
                let start = self.scalar(inst.args[0]);
                inst.result.into_iter().for_each(|result| self.set(result, &[start]));
            }
            Op::IsLocal | Op::IsPrivate | Op::CheckArg | Op::CheckObject | Op::CheckReport | Op::Track | Op::Meet => {
                self.copy(inst);
            }
            Op::Memcpy | Op::Memset | Op::Fence | Op::Prefetch | Op::Printf | Op::Device | Op::Clock => self.copy(inst),
            Op::AtomicLoad | Op::AtomicStore | Op::AtomicRmw | Op::AtomicCas => {
                let value = inst.args.get(1).copied().or(inst.result);
                if value.is_some_and(|v| self.old.ty(v).is_vector() || self.old.ty(v).elem == Scalar::F16) {
                    return Err(self.unsupported(inst));
                }
                self.copy(inst);
            }
            op if op.is_lane_op() => return Err(self.unsupported(inst)),
            op if op.is_convergent() || op.is_sub_group() || op.is_query() || op == Op::LocalAddr => {
                let name = op.row().name;
                return Err(error(format!("`{name}` is left in `{}` after work-group formation", self.old.name)));
            }
            _ => self.elementwise(inst)?,
        }
        Ok(())
    }

    /// For `x < 0` or `x != 0` where x is a sign-extended boolean, as `select` of vectors has it: the boolean.
    fn tested_mask(&self, inst: &InstData) -> Option<Value> {
        if !matches!(inst.imm, Imm::IntPred(IntPred::SLt | IntPred::Ne)) || self.old.const_bits(inst.args[1]) != Some(0)
        {
            return None;
        }
        let extended = self.old.def_inst(inst.args[0]).filter(|d| d.op == Op::Sext)?;
        (self.old.ty(extended.args[0]).elem == Scalar::I1).then_some(extended.args[0])
    }

    /// The same instruction on mapped scalars.
    fn copy(&mut self, inst: &InstData) {
        let args: SmallVec<[Value; 4]> = inst.args.iter().map(|&a| self.scalar(a)).collect();
        let ty = inst.result.map(|r| legal_lane(self.old.ty(r)));
        if let Some(new) = self.out.push(inst.op, ty, &args, inst.imm.clone(), inst.attr)
            && let Some(result) = inst.result
        {
            self.set(result, &[new]);
        }
    }

    /// `or` or `and` of the components of a vector of booleans.
    fn joined_mask(&mut self, inst: &InstData) {
        let Some(result) = inst.result else { return };
        let op = if inst.op == Op::MaskAny { Op::Or } else { Op::And };
        let parts = self.lanes(inst.args[0]);
        let joined = parts[1..].iter().fold(parts[0], |all, &part| self.out.op2(op, all, part));
        self.set(result, &[joined]);
    }

    /// Applies a scalar expansion to every component.
    fn elementwise(&mut self, inst: &InstData) -> Result<(), CodeError> {
        let Some(result) = inst.result else { return Err(self.unsupported(inst)) };
        let ty = self.old.ty(result);
        let from = inst.args.first().map_or(ty.elem, |&a| self.old.ty(a).elem);
        let args: SmallVec<[SmallVec<[Value; 4]>; 3]> = inst.args.iter().map(|&a| self.lanes(a)).collect();
        let mut lanes: SmallVec<[Value; 4]> = SmallVec::new();
        for i in 0..usize::from(ty.lanes) {
            // A scalar condition selects whole vectors.
            let operands: SmallVec<[Value; 3]> = args.iter().map(|a| if a.len() == 1 { a[0] } else { a[i] }).collect();
            lanes.push(self.lane(inst, from, ty.elem, &operands)?);
        }
        self.set(result, &lanes);
        Ok(())
    }

    /// One component of an elementwise op; `from` and `to` are the element kinds of the first operand and the result.
    fn lane(&self, inst: &InstData, from: Scalar, to: Scalar, args: &[Value]) -> Result<Value, CodeError> {
        use Op::*;
        let lane = match inst.op {
            Select => Some(self.out.select(args[0], args[1], args[2])),
            Trunci | Sext | Zext | Fptrunc | Fpext | Fptosi | Fptoui | Sitofp | Uitofp => {
                self.conversion(inst.op, from, to, args[0], inst.attr.rm)
            }
            Fadd | Fsub | Fmul | Fdiv | Frem | Fma | Fneg | Fabs | Copysign | Sqrt | Ceil | Floor | Trunc | Rint
            | Fmin | Fmax | Fcmp => self.float(inst, from, args),
            _ => self.int(inst, from, args),
        };
        lane.ok_or_else(|| self.unsupported(inst))
    }

    fn call(&mut self, inst: &InstData) {
        let Imm::Func(callee) = inst.imm else { return };
        let (_, ret) = legal_signature(&[], self.module.funcs[callee].ret);
        let mut args: SmallVec<[Value; 8]> = SmallVec::new();
        let vector = inst.result.map(|r| self.old.ty(r)).filter(|ty| ty.is_vector());
        let memory = vector.map(|ty| {
            let add = || self.out.func_mut().add_slot(ty.bytes().into(), 16);
            let slot = *self.call_slots.entry(ty).or_insert_with(add);
            self.out.slot_addr(slot)
        });
        args.extend(memory);
        for &arg in &inst.args {
            args.extend(self.lanes(arg));
        }
        // Vectors go through memory here: what was a pure function of values need not be one any more.
        let attr = Attr { flags: inst.attr.flags - Flags::PURE, ..inst.attr };
        let new = self.out.push(Op::Call, ret, &args, inst.imm.clone(), attr);
        let Some(result) = inst.result else { return };
        match (memory, new) {
            (Some(memory), _) => {
                let ty = self.old.ty(result);
                let lanes = self.load_lanes(ty, memory, attr);
                self.set(result, &lanes);
            }
            (None, Some(new)) => self.set(result, &[new]),
            (None, None) => {}
        }
    }

    fn terminator(&self, term: &Term) {
        let new = match term {
            Term::Jump(t) => Term::Jump(self.goto(t)),
            Term::Br { cond, then, els } => {
                Term::Br { cond: self.scalar(*cond), then: self.goto(then), els: self.goto(els) }
            }
            Term::Switch { value, cases, default } => Term::Switch {
                value: self.scalar(*value),
                cases: cases.iter().map(|(bits, t)| (*bits, self.goto(t))).collect(),
                default: self.goto(default),
            },
            Term::Ret(Some(value)) => {
                let lanes = self.lanes(*value);
                match self.ret_ptr {
                    Some(ptr) => {
                        self.store_lanes(self.old.ty(*value), ptr, &lanes, crate::ir::Attr::default());
                        Term::Ret(None)
                    }
                    None => Term::Ret(Some(lanes[0])),
                }
            }
            Term::Ret(None) => Term::Ret(None),
            Term::Unreachable => Term::Unreachable,
        };
        self.out.end(new);
    }

    fn goto(&self, t: &ir::Target) -> ir::Target {
        let mut args = SmallVec::new();
        let params = &self.old.blocks[t.block].params;
        for (&arg, &param) in t.args.iter().zip(params) {
            match self.map[param.index()].2 {
                0 => args.extend(self.lanes(arg)),
                width => args.extend(self.parts(arg, width)),
            }
        }
        ir::Target { block: self.blocks[&t.block], args }
    }
}

fn is_volatile(inst: &InstData) -> bool {
    inst.attr.flags.contains(Flags::VOLATILE)
}

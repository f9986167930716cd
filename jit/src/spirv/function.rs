//! Bodies of functions: blocks, phis, terminators, and what stands for an id. SPIR-V's and KIR's functions are both
//! control-flow graphs in SSA form, so that a block becomes a block and a phi a block parameter. Structs and arrays as
//! values lie in private memory that nothing writes again, as those of OpenCL C do. `inst` has the instructions.
//! Spec: SPIR-V, "Function Instructions", "Control-Flow Instructions".

use super::constant::Const;
use super::lines;
use super::module::{Filled, Function, Module};
use super::ty::{Kind, Ty};
use super::words::{Id, Inst, Words};
use super::{Place, Places};
use crate::image::ImageShape;
use crate::ir::op::Rounding;
use crate::ir::{Attr, Block, Flags, Func, Imm, Op as Kir, Target, Term, Type, Value};
use crate::launch::AddrSpace;
use crate::lower;
use crate::lower::emit::{Emitter, Output};
use crate::options::Precision;
use crate::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use spirv::Op;
use std::rc::Rc;

/// What an id stands for in a function.
#[derive(Clone, Copy, Debug)]
pub(super) enum Def {
    /// A KIR value.
    Value(Value),
    /// A struct or array: where it lies. Nothing writes there as long as the id is in use.
    Memory(Value),
    /// A variable that the implementation fills, or a component of one.
    BuiltIn(Filled, Option<Value>),
    /// An image with a sampler.
    Sampled(Value, Value),
}

/// How floating-point instructions compute where nothing else is said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FloatMode {
    /// Rounding of half, single and double precision.
    pub(super) rm: [Rounding; 3],
    /// Permissions.
    pub(super) flags: Flags,
    /// Which functions the options want.
    pub(super) precision: Precision,
}

/// A block of SPIR-V in KIR.
#[derive(Clone)]
struct BlockState {
    /// Word at which its label stands.
    at: usize,
    /// Labels of the blocks that may come next.
    next: Vec<Id>,
    /// Where it begins.
    entry: Block,
    /// Where it ends: instructions may need blocks of their own.
    exit: Option<Block>,
    /// Its phis.
    phis: Rc<Vec<Phi>>,
}

/// A phi: a block parameter, or a slot for a struct that parameters point to.
#[derive(Clone)]
struct Phi {
    /// Word at which it stands.
    at: usize,
    ty: Id,
    /// Values by the blocks that they come from.
    from: FxHashMap<Id, Id>,
}

/// State of one function.
pub(super) struct FuncCx<'a> {
    pub(super) module: &'a Module,
    pub(super) places: &'a mut Places,
    pub(super) e: Emitter<'a>,
    pub(super) float: FloatMode,
    /// Type and meaning of results.
    defs: FxHashMap<Id, (Id, Def)>,
    blocks: FxHashMap<Id, BlockState>,
    /// The block that is being translated.
    label: Id,
    /// Word of the instruction that is looked at, for messages.
    pub(super) at: usize,
    /// Where a struct result goes.
    ret_ptr: Option<Value>,
    ret: Id,
    /// Constants that lie in memory.
    data: FxHashMap<Id, Value>,
    /// Shapes of images that have a sampler.
    pub(super) shapes: FxHashMap<Id, ImageShape>,
}

/// The body of a function as KIR.
///
/// # Errors
/// What is wrong, with the instruction.
pub(super) fn translate(
    words: &Words,
    module: &Module,
    places: &mut Places,
    out: &mut Output,
    func: &Function,
    float: FloatMode,
) -> Result<Func, String> {
    let mut cx = FuncCx::new(module, places, out, func, float);
    match cx.body(words, func) {
        Ok(()) => {
            let mut func = cx.e.func;
            func.is_reordered = !keeps_parameters(&func);
            Ok(func)
        }
        Err(message) => Err(lines::located_at(words, cx.at, &message)),
    }
}

/// True if numbers and pointers that a function gets go into variables first, as compilers write it that optimise
/// nothing.
fn keeps_parameters(func: &Func) -> bool {
    let is_kept = |ty: Type| !ty.is_ptr() || [AddrSpace::Global, AddrSpace::Local].map(Type::ptr).contains(&ty);
    let params = &func.blocks[func.entry()].params;
    let params: FxHashSet<Value> = params.iter().copied().filter(|&v| is_kept(func.ty(v))).collect();
    let is_slot = |v: Value| func.def_inst(v).is_some_and(|def| def.op == Kir::SlotAddr);
    func.live_insts().all(|(_, inst)| {
        let data = &func.insts[inst];
        let is_home = data.op == Kir::Store && is_slot(data.args[0]);
        data.args.iter().enumerate().all(|(n, v)| !params.contains(v) || is_home && n == 1)
    })
}

/// Reads labels from a terminator's words, and the number of words of a case's literal.
type Labels = fn(&[u32], usize) -> Vec<Id>;

/// How to read the labels that a terminator leads to. `None` for other instructions.
fn next(op: Op) -> Option<Labels> {
    Some(match op {
        Op::Branch => |words, _| words.iter().take(1).copied().collect(),
        Op::BranchConditional => |words, _| words.iter().skip(1).take(2).copied().collect(),
        Op::Switch => |words, literal| {
            let cases = words.get(2..).unwrap_or(&[]).chunks_exact(literal + 1);
            words.get(1).copied().into_iter().chain(cases.map(|case| case[literal])).collect()
        },
        Op::Return | Op::ReturnValue | Op::Unreachable | Op::Kill => |_, _| Vec::new(),
        _ => return None,
    })
}

/// Whether an instruction ends a block.
pub(super) fn is_terminator(op: Op) -> bool {
    next(op).is_some()
}

impl<'a> FuncCx<'a> {
    /// At the start of a function that is declared.
    pub(super) fn new(
        module: &'a Module,
        places: &'a mut Places,
        out: &'a mut Output,
        func: &Function,
        float: FloatMode,
    ) -> Self {
        let declared = &out.module.funcs[places.funcs[&func.id]];
        let mut kir = Func::new(declared.name.clone(), declared.params.clone(), declared.ret);
        kir.is_kernel = declared.is_kernel;
        Self {
            module,
            places,
            e: Emitter::new(out, kir, Span::DUMMY),
            float,
            defs: FxHashMap::default(),
            blocks: FxHashMap::default(),
            label: 0,
            at: func.at,
            ret_ptr: None,
            ret: func.ret,
            data: FxHashMap::default(),
            shapes: FxHashMap::default(),
        }
    }

    fn body(&mut self, words: &Words, func: &Function) -> Result<(), String> {
        self.bind_params(func)?;
        if self.places.variables.with_ids.contains(&func.id) {
            self.e.span = Span { lo: func.at as u32, hi: func.at as u32 + 1 };
            lower::variable::keep_ids(&mut self.e);
        }
        self.late_constants(words, func)?;
        let first = self.find_blocks(words, func)?;
        for label in self.reverse_postorder(first) {
            self.block(words, label)?;
        }
        self.finish()
    }

    fn bind_params(&mut self, func: &Function) -> Result<(), String> {
        let entry = self.e.func.entry();
        let mut values = self.e.func.blocks[entry].params.clone().into_iter();
        if self.module.ty(func.ret)?.is_aggregate() {
            self.ret_ptr = values.next();
        }
        for &(id, ty) in &func.params {
            let value = values.next().ok_or("parameters are missing")?;
            let def = match (self.module.ty(ty)?, self.module.by_value(id, ty)) {
                // The copy is the function's own.
                (_, Some(pointee)) => {
                    let of = self.module.object(pointee)?;
                    let align = self.module.alignment(id, of);
                    let slot = self.e.slot("", of.size, align);
                    let copy = self.e.slot_ptr(slot, align);
                    self.copy(copy, value, pointee)?;
                    Def::Value(copy)
                }
                (of, _) if of.is_aggregate() => Def::Memory(value),
                _ => Def::Value(value),
            };
            self.define(id, ty, def)?;
        }
        Ok(())
    }

    /// Gives each block of SPIR-V its block, with a parameter for each phi. The label of the first block.
    fn find_blocks(&mut self, words: &Words, func: &Function) -> Result<Id, String> {
        let (mut open, mut first) = (None, None);
        let mut types: FxHashMap<Id, Id> = func.params.iter().copied().collect();
        for inst in words.insts_from(func.body) {
            self.at = inst.at;
            match inst.op() {
                Some(Op::FunctionEnd) => break,
                Some(Op::Label) => {
                    let label = inst.word(0)?;
                    let at = inst.at;
                    let entry = self.e.func.add_block();
                    let state = BlockState { at, next: Vec::new(), entry, exit: None, phis: Rc::default() };
                    if self.blocks.insert(label, state).is_some() {
                        return Err(format!("block %{label} is defined twice"));
                    }
                    if first.is_none() {
                        self.e.jump(entry);
                        first = Some(label);
                    }
                    open = Some(label);
                }
                Some(Op::Phi) => {
                    let (ty, id) = (inst.word(0)?, inst.word(1)?);
                    let of = self.module.ty(ty)?;
                    let from = inst.rest(2).chunks_exact(2).map(|pair| (pair[1], pair[0])).collect();
                    let param = match of.value {
                        Some(kir) => kir,
                        None if of.is_aggregate() => Type::ptr(AddrSpace::Private),
                        None => return Err("a phi of a type without values".into()),
                    };
                    let state = open.and_then(|label| self.blocks.get_mut(&label)).ok_or("a phi outside blocks")?;
                    let param = self.e.func.add_param(state.entry, param);
                    Rc::make_mut(&mut state.phis).push(Phi { at: inst.at, ty, from });
                    let def = if of.is_aggregate() { Def::Memory(param) } else { Def::Value(param) };
                    self.define(id, ty, def)?;
                    types.insert(id, ty);
                }
                Some(op) => {
                    if let (Some(state), Some(next)) = (open.and_then(|label| self.blocks.get_mut(&label)), next(op)) {
                        let constant = |id| self.module.constants.get(id).map(|constant| &constant.ty);
                        let selector = inst.words.first().and_then(|id| types.get(id).or_else(|| constant(id)));
                        let wide = selector.and_then(|ty| self.module.types.get(ty));
                        let literal = if wide.is_some_and(|ty| ty.size == 8) { 2 } else { 1 };
                        state.next = next(inst.words, literal);
                        open = None;
                    } else if let &[ty, id, ..] = inst.words
                        && self.module.types.contains_key(&ty)
                    {
                        types.insert(id, ty);
                    }
                }
                None => {}
            }
        }
        first.ok_or_else(|| "a function without blocks".into())
    }

    /// The blocks that control can reach, each behind all that dominate it, whatever their order in the module.
    fn reverse_postorder(&self, first: Id) -> Vec<Id> {
        let (mut order, mut seen) = (Vec::with_capacity(self.blocks.len()), FxHashSet::default());
        let mut stack = vec![(first, 0)];
        seen.insert(first);
        while let Some((label, n)) = stack.last_mut() {
            match self.blocks.get(label).and_then(|state| state.next.get(*n)) {
                Some(&next) => {
                    *n += 1;
                    if self.blocks.contains_key(&next) && seen.insert(next) {
                        stack.push((next, 0));
                    }
                }
                None => {
                    order.push(*label);
                    stack.pop();
                }
            }
        }
        order.reverse();
        order
    }

    /// Translates a block.
    fn block(&mut self, words: &Words, label: Id) -> Result<(), String> {
        let BlockState { at, entry, .. } = self.blocks[&label];
        self.e.enter(entry);
        self.label = label;
        for inst in words.insts_from(at).skip(1) {
            match inst.op() {
                Some(Op::Line | Op::NoLine) => {}
                Some(Op::Label | Op::FunctionEnd) => break,
                _ => {
                    self.at = inst.at;
                    self.inst(&inst)?;
                    if self.blocks[&label].exit.is_some() {
                        return Ok(());
                    }
                }
            }
        }
        self.at = at;
        Err(format!("block %{label} does not end"))
    }

    /// Hands over what phis want, now that all values are known.
    fn finish(&mut self) -> Result<(), String> {
        let mut entries: FxHashMap<Block, Id> = FxHashMap::default();
        entries.extend(self.blocks.iter().map(|(&label, state)| (state.entry, label)));
        let mut froms: Vec<(Id, Block)> = self.blocks.iter().filter_map(|(&l, s)| Some((l, s.exit?))).collect();
        froms.sort_unstable();
        for (from, exit) in froms {
            self.e.block = exit;
            let mut term = std::mem::replace(&mut self.e.func.blocks[exit].term, Term::Unreachable);
            for target in term.targets_mut() {
                let Some(&to) = entries.get(&target.block) else { continue };
                let phis = Rc::clone(&self.blocks[&to].phis);
                // Copies belong to this way alone: on others, what the phis were is still in use.
                let is_aggregate = |phi: &Phi| self.module.types.get(&phi.ty).is_some_and(Ty::is_aggregate);
                let has_copies = phis.iter().any(is_aggregate);
                if has_copies {
                    let way = self.e.func.add_block();
                    self.e.enter(way);
                }
                for phi in &*phis {
                    self.at = phi.at;
                    let value = phi.from.get(&from).copied();
                    let value = value.ok_or_else(|| format!("a phi of block %{to} has no value from block %{from}"))?;
                    let arg = self.phi_value(value, phi.ty)?;
                    target.args.push(arg);
                }
                if has_copies {
                    self.settle(&phis, &mut target.args)?;
                    let way = self.e.block;
                    self.e.end(Term::Jump(std::mem::replace(target, Target::plain(way))));
                    self.e.block = exit;
                }
            }
            self.e.func.blocks[exit].term = term;
        }
        Ok(())
    }

    /// What is handed over for a phi, as its parameter wants it.
    fn phi_value(&mut self, id: Id, ty: Id) -> Result<Value, String> {
        if !self.module.ty(ty)?.is_aggregate() {
            return self.value(id);
        }
        let (from, _) = self.memory(id)?;
        let copy = self.temp(ty)?;
        self.copy(copy, from, ty)?;
        Ok(copy)
    }

    /// Gives each struct that is handed over its place. Copies are made of all of them before any place is written: a
    /// phi may take the value of another one.
    fn settle(&mut self, phis: &[Phi], args: &mut [Value]) -> Result<(), String> {
        for (phi, arg) in phis.iter().zip(args) {
            if self.module.ty(phi.ty)?.is_aggregate() {
                let place = self.temp(phi.ty)?;
                self.copy(place, *arg, phi.ty)?;
                *arg = place;
            }
        }
        Ok(())
    }

    // ---- results and operands

    /// Notes what a result is.
    pub(super) fn define(&mut self, id: Id, ty: Id, def: Def) -> Result<(), String> {
        match self.defs.insert(id, (ty, def)) {
            None => Ok(()),
            Some(_) => Err(format!("%{id} is defined twice")),
        }
    }

    /// The type of an operand.
    pub(super) fn type_of(&self, id: Id) -> Result<Id, String> {
        if let Some((ty, _)) = self.defs.get(&id) {
            return Ok(*ty);
        }
        if let Some(constant) = self.module.constants.get(&id) {
            return Ok(constant.ty);
        }
        match self.module.var_of.get(&id) {
            Some(&n) => Ok(self.module.vars[n].pointer),
            None => Err(format!("%{id} is used before it is defined")),
        }
    }

    /// What an operand stands for.
    pub(super) fn def(&mut self, id: Id) -> Result<Def, String> {
        if let Some((_, def)) = self.defs.get(&id) {
            return Ok(*def);
        }
        if let Some(constant) = self.module.constants.get(&id) {
            let ty = self.module.object(constant.ty)?;
            return match (&constant.value, ty.value) {
                (Const::Lanes(lanes), Some(kir)) => Ok(Def::Value(self.lanes(lanes, kir))),
                (Const::Undef, Some(kir)) => Ok(Def::Value(self.e.undef(kir))),
                (Const::Address(base, add), Some(kir)) => {
                    let base = self.variable(*base)?;
                    let ptr = self.e.ptr_off(base, *add);
                    Ok(Def::Value(match kir.is_ptr() {
                        true => self.cast(ptr, kir),
                        false => self.e.emit(Kir::PtrToInt, kir, &[ptr], Imm::None),
                    }))
                }
                _ => Ok(Def::Memory(self.data(id, ty)?)),
            };
        }
        match self.module.var_of.get(&id).map(|&n| &self.module.vars[n]) {
            Some(var) => match var.builtin {
                Some(builtin) => Ok(Def::BuiltIn(builtin, None)),
                None => self.variable(id).map(Def::Value),
            },
            None => Err(format!("%{id} is used before it is defined")),
        }
    }

    fn lanes(&mut self, lanes: &[u64], ty: Type) -> Value {
        if lanes.iter().all(|lane| *lane == lanes[0]) {
            return self.e.bits(ty, lanes[0]);
        }
        let lanes: Vec<Value> = lanes.iter().map(|&bits| self.e.bits(ty.lane(), bits)).collect();
        self.e.emit(Kir::Build, ty, &lanes, Imm::None)
    }

    /// The address of a variable outside functions.
    fn variable(&mut self, id: Id) -> Result<Value, String> {
        match self.places.vars.get(&id) {
            Some(&Place::Global(global)) => {
                let space = self.e.out.module.globals[global].space;
                Ok(self.e.emit(Kir::GlobalAddr, Type::ptr(space), &[], Imm::Global(global)))
            }
            Some(&Place::Local(local, align)) => {
                let ptr = self.e.emit(Kir::LocalAddr, Type::ptr(AddrSpace::Local), &[], Imm::LocalVar(local));
                Ok(self.e.aligned_up(ptr, align))
            }
            None => Err(format!("%{id} is no variable")),
        }
    }

    /// A struct or array that is constant, in memory.
    fn data(&mut self, id: Id, ty: &Ty) -> Result<Value, String> {
        let global = match self.data.get(&id) {
            Some(&known) => return Ok(known),
            None => self.places.constant(self.module, self.e.out, id, ty)?,
        };
        // At the start of the function, so that it is made once.
        let entry = self.e.func.entry();
        let mut b = crate::ir::Builder::at(&mut self.e.func, entry, 0);
        let ptr = b.emit(Kir::GlobalAddr, Type::ptr(AddrSpace::Constant), &[], Imm::Global(global));
        self.data.insert(id, ptr);
        Ok(ptr)
    }

    /// An operand that is a number or a pointer.
    pub(super) fn value(&mut self, id: Id) -> Result<Value, String> {
        match self.def(id)? {
            Def::Value(value) => Ok(value),
            Def::BuiltIn(builtin, component) => self.builtin_in_memory(id, builtin, component),
            Def::Memory(_) | Def::Sampled(..) => Err(format!("%{id} is no scalar, vector or pointer")),
        }
    }

    /// An operand that is a struct or array: where it lies, and its type.
    pub(super) fn memory(&mut self, id: Id) -> Result<(Value, Id), String> {
        match self.def(id)? {
            Def::Memory(ptr) => Ok((ptr, self.type_of(id)?)),
            _ => Err(format!("%{id} is no struct or array")),
        }
    }

    /// The KIR type of values of this type.
    pub(super) fn kir(&self, ty: Id) -> Result<Type, String> {
        self.module.ty(ty)?.value.ok_or_else(|| format!("%{ty} is no type of scalars, vectors or pointers"))
    }

    /// What a typed pointer points to.
    pub(super) fn pointee(&self, pointer: Id) -> Result<Id, String> {
        match self.module.ty(self.type_of(pointer)?)?.kind {
            Kind::Pointer { pointee: Some(pointee), .. } => Ok(pointee),
            _ => Err(format!("%{pointer} is no typed pointer")),
        }
    }

    /// A fresh place for an object of this type.
    pub(super) fn temp(&mut self, ty: Id) -> Result<Value, String> {
        let of = self.module.object(ty)?;
        let (size, align) = (of.size, of.align);
        let slot = self.e.slot("", size, align);
        Ok(self.e.slot_ptr(slot, align))
    }

    /// Copies an object of this type.
    pub(super) fn copy(&mut self, to: Value, from: Value, ty: Id) -> Result<(), String> {
        self.copy_as(to, from, ty, Attr::default())
    }

    /// Copies an object of this type, maybe volatile.
    pub(super) fn copy_as(&mut self, to: Value, from: Value, ty: Id, attr: Attr) -> Result<(), String> {
        let size = self.module.ty(ty)?.size;
        if attr.flags.is_empty() {
            self.e.copy_bytes(to, from, size, Attr::default());
        } else if size > 0 {
            let size = self.e.bits(Type::I64, size);
            self.e.push(Kir::Memcpy, None, &[to, from, size], Imm::None, attr);
        }
        Ok(())
    }

    /// A pointer in another address space.
    pub(super) fn cast(&mut self, pointer: Value, to: Type) -> Value {
        if self.e.func.ty(pointer).is_ptr() && to.is_ptr() { self.e.cast_pointer(pointer, to) } else { pointer }
    }

    // ---- blocks

    fn target(&self, label: Id) -> Result<Target, String> {
        let state = self.blocks.get(&label).ok_or_else(|| format!("%{label} is no block of this function"))?;
        Ok(Target::plain(state.entry))
    }

    fn close(&mut self, term: Term) -> Result<(), String> {
        let exit = self.e.block;
        self.e.end(term);
        let state = self.blocks.get_mut(&self.label).ok_or("an instruction outside blocks")?;
        state.exit = Some(exit);
        Ok(())
    }

    /// Ends a block; `None` if the instruction does not.
    pub(super) fn terminator(&mut self, op: Op, inst: &Inst) -> Option<Result<(), String>> {
        Some(match op {
            Op::Branch => inst.word(0).and_then(|to| self.target(to)).and_then(|to| self.close(Term::Jump(to))),
            Op::BranchConditional => self.branch(inst),
            Op::Switch => self.switch(inst),
            Op::Return => match self.e.func.ret {
                None => self.close(Term::Ret(None)),
                Some(_) => Err("the function has a result".into()),
            },
            Op::ReturnValue => self.return_value(inst),
            Op::Unreachable | Op::Kill => self.close(Term::Unreachable),
            _ => return None,
        })
    }

    fn branch(&mut self, inst: &Inst) -> Result<(), String> {
        let cond = self.value(inst.word(0)?)?;
        if self.e.func.ty(cond) != Type::I1 {
            return Err("the condition is no boolean".into());
        }
        let (then, els) = (self.target(inst.word(1)?)?, self.target(inst.word(2)?)?);
        self.close(Term::Br { cond, then, els })
    }

    fn switch(&mut self, inst: &Inst) -> Result<(), String> {
        let value = self.value(inst.word(0)?)?;
        let ty = self.e.func.ty(value);
        if !ty.is_int() || ty.is_vector() {
            return Err("the selector is no integer".into());
        }
        let default = self.target(inst.word(1)?)?;
        let literal = if ty == Type::I64 { 2 } else { 1 };
        let pairs = inst.rest(2).chunks_exact(literal + 1);
        if !pairs.remainder().is_empty() {
            return Err("a case without a block".into());
        }
        let mut cases = Vec::with_capacity(pairs.len());
        for pair in pairs {
            let bits = u64::from(pair[0]) | if literal == 2 { u64::from(pair[1]) << 32 } else { 0 };
            cases.push((bits & (u64::MAX >> (64 - ty.elem.bits())), self.target(pair[literal])?));
        }
        let mut seen: Vec<u64> = cases.iter().map(|(bits, _)| *bits).collect();
        seen.sort_unstable();
        if seen.windows(2).any(|two| two[0] == two[1]) {
            return Err("two cases have the same value".into());
        }
        self.close(Term::Switch { value, cases, default })
    }

    fn return_value(&mut self, inst: &Inst) -> Result<(), String> {
        let id = inst.word(0)?;
        match self.ret_ptr {
            Some(ret) => {
                let (from, ty) = self.memory(id)?;
                if ty != self.ret {
                    return Err("the value does not have the function's type".into());
                }
                self.copy(ret, from, ty)?;
                self.close(Term::Ret(None))
            }
            None => {
                let value = self.value(id)?;
                if self.e.func.ret != Some(self.e.func.ty(value)) {
                    return Err("the value does not have the function's type".into());
                }
                self.close(Term::Ret(Some(value)))
            }
        }
    }

    /// Calls a function of the module.
    pub(super) fn call(&mut self, inst: &Inst) -> Result<(), String> {
        let (ty, id, callee) = (inst.word(0)?, inst.word(1)?, inst.word(2)?);
        let wanted = self.module.func_of.get(&callee).map(|&n| &self.module.funcs[n]);
        let wanted = wanted.filter(|func| func.ret == ty && func.params.len() == inst.rest(3).len());
        let wanted = wanted.ok_or_else(|| format!("%{callee} is no function of this type"))?;
        let callee = self.places.funcs[&callee];
        let of = self.module.ty(ty)?;
        let mut args = Vec::new();
        let result = if of.is_aggregate() { Some(self.temp(ty)?) } else { None };
        args.extend(result);
        for (&arg, &(_, param)) in inst.rest(3).iter().zip(&wanted.params) {
            let value = match self.def(arg)? {
                Def::Memory(from) => {
                    // The callee owns its copy.
                    let ty = self.type_of(arg)?;
                    if ty != param {
                        return Err("the arguments do not fit the function".into());
                    }
                    let copy = self.temp(ty)?;
                    self.copy(copy, from, ty)?;
                    copy
                }
                _ => self.value(arg)?,
            };
            args.push(value);
        }
        let declared = &self.e.out.module.funcs[callee];
        if declared.is_kernel {
            return Err("a kernel is called".into());
        }
        let given: Vec<Type> = args.iter().map(|&v| self.e.func.ty(v)).collect();
        if declared.params != given {
            return Err("the arguments do not fit the function".into());
        }
        let ret = declared.ret;
        let value = self.e.push(Kir::Call, ret, &args, Imm::Func(callee), Attr::default());
        match (result, value) {
            (Some(ptr), _) => self.define(id, ty, Def::Memory(ptr)),
            (None, Some(value)) => self.define(id, ty, Def::Value(value)),
            (None, None) => Ok(()),
        }
    }
}

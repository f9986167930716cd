//! Functions: blocks, instructions, values, slots.

use super::entity::{Arena, Block, Entity, Inst, SlotId, Value};
use super::op::{Attr, Imm, Op};
use super::ty::Type;
use crate::source::Span;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A function in KIR. Blocks that are not in `layout` are dead.
#[derive(Clone, Debug)]
pub struct Func {
    /// Symbol, unique in the module: the source name, or name plus mangled parameter types for builtins.
    pub name: String,
    /// Parameter types; equal to the entry block's parameters.
    pub params: Vec<Type>,
    /// Result type.
    pub ret: Option<Type>,
    /// Block data.
    pub blocks: Arena<Block, BlockData>,
    /// Live blocks in order; the first is the entry. Empty for a declaration (a builtin or extern still to be linked).
    pub layout: Vec<Block>,
    /// Instruction data; an instruction is live if a live block lists it.
    pub insts: Arena<Inst, InstData>,
    /// Value data.
    pub values: Arena<Value, ValueData>,
    /// Private memory.
    pub slots: Arena<SlotId, Slot>,
    /// True for a `kernel` function.
    pub is_kernel: bool,
    /// True for a function of the builtin library.
    pub is_builtin: bool,
    /// True if the lanes of vectors are work-items: every vector is to stay in vector registers.
    pub is_lanes: bool,
    /// True if phase A of the passes has nothing left to do here. Not part of the text.
    pub is_optimised: bool,
    /// Bytes of the kernel's own local variables from `Env::local` on, in a function for work-groups; else 0. Not part
    /// of the text.
    pub local_bytes: u64,
}

/// A block: parameters, instructions, terminator.
#[derive(Clone, Debug)]
pub struct BlockData {
    /// Parameters.
    pub params: Vec<Value>,
    /// Instructions in order.
    pub insts: Vec<Inst>,
    /// How the block ends.
    pub term: Term,
    /// The block heads an innermost loop over work-items: its iterations do not depend on each other but through the
    /// block's parameters, and may run side by side in vector lanes. Spec: OpenCL C, "Execution Model".
    pub items: bool,
    /// The block heads the loop around such a one, over rows of work-items: its iterations do not depend on each other either.
    pub rows: bool,
    /// The block heads a loop over vectors of work-items, whose iterations do not depend on each other either. Not part of the text.
    pub vectors: bool,
}

impl BlockData {
    /// What loop it heads.
    fn marks(&self) -> [bool; 3] {
        [self.items, self.rows, self.vectors]
    }
    fn set_marks(&mut self, marks: [bool; 3]) {
        [self.items, self.rows, self.vectors] = marks;
    }
}

/// An instruction.
#[derive(Clone, Debug)]
pub struct InstData {
    /// Operation.
    pub op: Op,
    /// Operands.
    pub args: SmallVec<[Value; 4]>,
    /// Immediate.
    pub imm: Imm,
    /// Attributes.
    pub attr: Attr,
    /// Result.
    pub result: Option<Value>,
    /// Place in the source.
    pub span: Span,
}

/// A value's type and origin.
#[derive(Clone, Copy, Debug)]
pub struct ValueData {
    /// Type.
    pub ty: Type,
    /// Origin.
    pub def: ValueDef,
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueDef {
    /// Parameter number of a block.
    Param(Block, u32),
    /// Result of an instruction.
    Inst(Inst),
}

/// Private memory of one activation.
#[derive(Clone, Debug)]
pub struct Slot {
    /// Bytes.
    pub size: u64,
    /// Alignment in bytes, a power of two.
    pub align: u32,
    /// Variable name, for dumps; may be empty.
    pub name: String,
}

/// A branch target with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Block.
    pub block: Block,
    /// One argument per parameter of the block.
    pub args: SmallVec<[Value; 4]>,
}

/// How a block ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    /// Unconditional.
    Jump(Target),
    /// On a scalar i1.
    Br {
        /// Condition.
        cond: Value,
        /// Taken if true.
        then: Target,
        /// Taken if false.
        els: Target,
    },
    /// On a scalar integer; cases are distinct, zero-extended bits of the value's width.
    Switch {
        /// Scrutinee.
        value: Value,
        /// Cases.
        cases: Vec<(u64, Target)>,
        /// Otherwise.
        default: Target,
    },
    /// Return.
    Ret(Option<Value>),
    /// Never reached (block under construction, or after a call that does not return).
    Unreachable,
}

impl Target {
    /// A target without arguments.
    pub fn plain(block: Block) -> Self {
        Self { block, args: SmallVec::new() }
    }
}

impl Term {
    /// All targets.
    pub fn targets(&self) -> SmallVec<[&Target; 4]> {
        match self {
            Self::Jump(t) => SmallVec::from_slice(&[t]),
            Self::Br { then, els, .. } => SmallVec::from_slice(&[then, els]),
            Self::Switch { cases, default, .. } => cases.iter().map(|(_, t)| t).chain([default]).collect(),
            Self::Ret(_) | Self::Unreachable => SmallVec::new(),
        }
    }
    /// Number of targets.
    pub fn n_targets(&self) -> usize {
        match self {
            Self::Jump(_) => 1,
            Self::Br { .. } => 2,
            Self::Switch { cases, .. } => cases.len() + 1,
            Self::Ret(_) | Self::Unreachable => 0,
        }
    }
    /// Target number `n` in the order of `targets`. Panics if there is none.
    pub fn target(&self, n: usize) -> &Target {
        match self {
            Self::Jump(t) if n == 0 => t,
            Self::Br { then, .. } if n == 0 => then,
            Self::Br { els, .. } if n == 1 => els,
            Self::Switch { cases, default, .. } => cases.get(n).map_or(default, |(_, t)| t),
            _ => panic!("no such target"),
        }
    }
    /// Calls `f` on every target in the order of `targets`.
    pub fn for_each_target(&self, mut f: impl FnMut(&Target)) {
        for n in 0..self.n_targets() {
            f(self.target(n));
        }
    }
    /// All targets, mutable.
    pub fn targets_mut(&mut self) -> SmallVec<[&mut Target; 4]> {
        match self {
            Self::Jump(t) => [t].into_iter().collect(),
            Self::Br { then, els, .. } => [then, els].into_iter().collect(),
            Self::Switch { cases, default, .. } => cases.iter_mut().map(|(_, t)| t).chain([default]).collect(),
            Self::Ret(_) | Self::Unreachable => SmallVec::new(),
        }
    }
    /// Calls `f` on every value the terminator uses, branch arguments included.
    pub fn for_each_value(&self, mut f: impl FnMut(Value)) {
        match self {
            Self::Br { cond, .. } => f(*cond),
            Self::Switch { value, .. } => f(*value),
            Self::Ret(Some(v)) => f(*v),
            Self::Jump(_) | Self::Ret(None) | Self::Unreachable => {}
        }
        for t in self.targets() {
            t.args.iter().copied().for_each(&mut f);
        }
    }
    /// Replaces every value the terminator uses.
    pub fn map_values(&mut self, mut f: impl FnMut(Value) -> Value) {
        match self {
            Self::Br { cond, .. } => *cond = f(*cond),
            Self::Switch { value, .. } => *value = f(*value),
            Self::Ret(Some(v)) => *v = f(*v),
            Self::Jump(_) | Self::Ret(None) | Self::Unreachable => {}
        }
        for t in self.targets_mut() {
            for v in &mut t.args {
                *v = f(*v);
            }
        }
    }
}

/// What `Func::copy_blocks` has made.
#[derive(Clone, Debug, Default)]
pub struct Copies {
    blocks: Vec<(Block, Block)>,
    values: FxHashMap<Value, Value>,
}

impl Copies {
    /// The copy of a block, or the block itself.
    pub fn block(&self, old: Block) -> Block {
        self.blocks.iter().find(|copied| copied.0 == old).map_or(old, |copied| copied.1)
    }
    /// The copy of a value, or the value itself.
    pub fn value(&self, old: Value) -> Value {
        self.values.get(&old).copied().unwrap_or(old)
    }
    /// The copies, in the order of the originals.
    pub fn blocks(&self) -> impl Iterator<Item = Block> {
        self.blocks.iter().map(|copied| copied.1)
    }
}

impl Func {
    /// A function with an empty entry block whose parameters are `params`.
    pub fn new(name: impl Into<String>, params: Vec<Type>, ret: Option<Type>) -> Self {
        let mut func = Self::declaration(name, params, ret);
        let entry = func.add_block();
        func.layout.push(entry);
        for ty in func.params.clone() {
            func.add_param(entry, ty);
        }
        func
    }

    /// A function without a body.
    pub fn declaration(name: impl Into<String>, params: Vec<Type>, ret: Option<Type>) -> Self {
        Self {
            name: name.into(),
            params,
            ret,
            blocks: Arena::new(),
            layout: Vec::new(),
            insts: Arena::new(),
            values: Arena::new(),
            slots: Arena::new(),
            is_kernel: false,
            is_builtin: false,
            is_lanes: false,
            is_optimised: false,
            local_bytes: 0,
        }
    }

    /// The entry block. Panics for a declaration.
    pub fn entry(&self) -> Block {
        self.layout[0]
    }
    /// True if there is a body.
    pub fn has_body(&self) -> bool {
        !self.layout.is_empty()
    }
    /// A new block, not yet in the layout, ending in `Unreachable`.
    pub fn add_block(&mut self) -> Block {
        self.blocks.push(BlockData {
            params: Vec::new(),
            insts: Vec::new(),
            term: Term::Unreachable,
            items: false,
            rows: false,
            vectors: false,
        })
    }
    /// Appends a parameter to a block.
    pub fn add_param(&mut self, block: Block, ty: Type) -> Value {
        let n = self.blocks[block].params.len() as u32;
        let value = self.values.push(ValueData { ty, def: ValueDef::Param(block, n) });
        self.blocks[block].params.push(value);
        value
    }
    /// Creates an instruction (with a result if `ty` is given) without placing it in a block.
    pub fn make_inst(&mut self, op: Op, ty: Option<Type>, args: &[Value], imm: Imm, attr: Attr, span: Span) -> Inst {
        let inst = self.insts.push(InstData { op, args: SmallVec::from_slice(args), imm, attr, result: None, span });
        if let Some(ty) = ty {
            let value = self.values.push(ValueData { ty, def: ValueDef::Inst(inst) });
            self.insts[inst].result = Some(value);
        }
        inst
    }
    /// Renumbers blocks, instructions, values and slots in order of use and drops the dead ones.
    pub fn compact(&mut self) {
        let mut new = Self::declaration(std::mem::take(&mut self.name), std::mem::take(&mut self.params), self.ret);
        (new.is_kernel, new.is_builtin) = (self.is_kernel, self.is_builtin);
        (new.is_lanes, new.is_optimised) = (self.is_lanes, self.is_optimised);
        new.local_bytes = self.local_bytes;
        let mut slots: Vec<Option<SlotId>> = vec![None; self.slots.len()];
        let unmapped = u32::MAX;
        let mut values = vec![unmapped; self.values.len()];
        let mut blocks = vec![unmapped; self.blocks.len()];
        for &b in &self.layout {
            let block = new.add_block();
            blocks[b.index()] = block.0;
            new.blocks[block].set_marks(self.blocks[b].marks());
            new.layout.push(block);
            for &p in &self.blocks[b].params {
                values[p.index()] = new.add_param(block, self.values[p].ty).0;
            }
            let insts = std::mem::take(&mut self.blocks[b].insts);
            for inst in insts {
                let InstData { op, args, imm, attr, result, span } = &mut self.insts[inst];
                let ty = result.map(|v| self.values[v].ty);
                let mut imm = std::mem::replace(imm, Imm::None);
                if let Imm::Slot(slot) = &mut imm {
                    let old = &self.slots[*slot];
                    *slot = *slots[slot.index()].get_or_insert_with(|| new.slots.push(old.clone()));
                }
                let moved = new.make_inst(*op, ty, args, imm, *attr, *span);
                if let (Some(old), Some(v)) = (*result, new.insts[moved].result) {
                    values[old.index()] = v.0;
                }
                new.blocks[block].insts.push(moved);
            }
            new.blocks[block].term = std::mem::replace(&mut self.blocks[b].term, Term::Unreachable);
        }
        let value = |v: Value| Value(values[v.index()]);
        for data in new.insts.values_mut() {
            data.args.iter_mut().for_each(|v| *v = value(*v));
        }
        for block in new.blocks.values_mut() {
            block.term.map_values(value);
            block.term.targets_mut().into_iter().for_each(|t| t.block = Block(blocks[t.block.index()]));
        }
        *self = new;
    }
    /// Live instructions in layout order.
    pub fn live_insts(&self) -> impl Iterator<Item = (Block, Inst)> + '_ {
        self.layout.iter().flat_map(|&b| self.blocks[b].insts.iter().map(move |&i| (b, i)))
    }
    /// The live blocks that use each value, each block once.
    pub fn user_blocks(&self) -> Vec<SmallVec<[Block; 2]>> {
        let mut users = vec![SmallVec::<[Block; 2]>::new(); self.values.len()];
        for &block in &self.layout {
            let mut note = |v: Value| {
                if users[v.index()].last() != Some(&block) {
                    users[v.index()].push(block);
                }
            };
            self.blocks[block].insts.iter().flat_map(|&i| &self.insts[i].args).for_each(|&v| note(v));
            self.blocks[block].term.for_each_value(note);
        }
        users
    }
    /// For each value the one of these blocks that makes it, by the values' numbers.
    pub fn homes(&self, blocks: &[Block]) -> Vec<Option<Block>> {
        let mut homes = vec![None; self.values.len()];
        for &block in blocks {
            let results = self.blocks[block].insts.iter().filter_map(|&i| self.insts[i].result);
            self.blocks[block].params.iter().copied().chain(results).for_each(|v| homes[v.index()] = Some(block));
        }
        homes
    }
    /// Number of live instructions.
    pub fn n_live_insts(&self) -> usize {
        self.layout.iter().map(|&b| self.blocks[b].insts.len()).sum()
    }
    /// A value's type.
    pub fn ty(&self, value: Value) -> Type {
        self.values[value].ty
    }
    /// The defining instruction, if the value is not a block parameter.
    pub fn def_inst(&self, value: Value) -> Option<&InstData> {
        match self.values[value].def {
            ValueDef::Inst(inst) => Some(&self.insts[inst]),
            ValueDef::Param(..) => None,
        }
    }
    /// A new block in front of `to` on the one way there from `from`; it hands over what that did.
    pub fn split_edge(&mut self, from: Block, to: Block) -> Block {
        let new = self.add_block();
        let mut args = SmallVec::new();
        for target in self.blocks[from].term.targets_mut().into_iter().filter(|t| t.block == to) {
            args = std::mem::take(&mut target.args);
            target.block = new;
        }
        self.blocks[new].term = Term::Jump(Target { block: to, args });
        let place = self.layout.iter().position(|&b| b == to).expect("in the layout");
        self.layout.insert(place, new);
        new
    }
    /// Copies blocks to the end of the layout: ways between them lead to the copies, others where they led.
    pub fn copy_blocks(&mut self, blocks: &[Block]) -> Copies {
        let mut copies = Copies::default();
        for &old in blocks {
            let new = self.add_block();
            self.layout.push(new);
            let marks = self.blocks[old].marks();
            self.blocks[new].set_marks(marks);
            copies.blocks.push((old, new));
            for param in self.blocks[old].params.clone() {
                let ty = self.ty(param);
                copies.values.insert(param, self.add_param(new, ty));
            }
        }
        for (old, new) in copies.blocks.clone() {
            for inst in self.blocks[old].insts.clone() {
                let data = self.insts[inst].clone();
                let ty = data.result.map(|v| self.ty(v));
                let copy = self.make_inst(data.op, ty, &data.args, data.imm, data.attr, data.span);
                copies.values.extend(data.result.zip(self.insts[copy].result));
                self.blocks[new].insts.push(copy);
            }
        }
        for &(old, new) in &copies.blocks {
            for &inst in &self.blocks[new].insts {
                self.insts[inst].args.iter_mut().for_each(|v| *v = copies.value(*v));
            }
            let mut term = self.blocks[old].term.clone();
            term.map_values(|v| copies.value(v));
            term.targets_mut().into_iter().for_each(|t| t.block = copies.block(t.block));
            self.blocks[new].term = term;
        }
        copies
    }
    /// The bits of a constant (splat) value.
    pub fn const_bits(&self, value: Value) -> Option<u64> {
        match self.def_inst(value)? {
            InstData { op: Op::Const, imm: Imm::Bits(bits), .. } => Some(*bits),
            _ => None,
        }
    }
}

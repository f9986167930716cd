//! Functions: blocks, instructions, values, slots.

use super::cfg::Cfg;
use super::entity::{Arena, Block, Entity, FuncId, Inst, SlotId, Value};
use super::op::{Attr, Imm, Op};
use super::origin::{Origin, Origins};
use super::ty::Type;
use super::variable::Variable;
use serde::{Deserialize, Serialize};
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
    /// What the origins of instructions refer to. Not part of the text.
    pub origins: Origins,
    /// True for a `kernel` function.
    pub is_kernel: bool,
    /// True for a function of the builtin library.
    pub is_builtin: bool,
    /// True if the lanes of vectors are work-items: every vector is to stay in vector registers.
    pub is_lanes: bool,
    /// True for a module's function that another compiler has optimised: loads may stand in front of the branches that
    /// guard them. Not part of the text.
    pub is_reordered: bool,
    /// True if `pipeline::PROGRAM` has nothing left to do here. Not part of the text.
    pub is_optimised: bool,
    /// True if what arithmetic on `float` and `double` yields is zero where it would be denormal: the processor is told
    /// so while the program runs. The same for all functions of a program. Not part of the text.
    pub flushes_denormals: bool,
    /// Bytes of the kernel's own local variables from `Env::local` on, in a function for work-groups; else 0. Not part
    /// of the text.
    pub local_bytes: u64,
    /// What the numbers in `Op::Track` are. Not part of the text.
    pub tracked: Vec<Tracked>,
    /// What the numbers in `Op::Meet` are. Not part of the text.
    pub met: Vec<Met>,
    /// Where local variables are, for reports of what these tell. Not part of the text.
    pub locals: Vec<LocalPlace>,
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
    /// The block heads an innermost work-item loop, or a loop of one work-item's that was found to be like one: its
    /// iterations do not depend on each other but through the block's parameters, and may run side by side in vector
    /// lanes. Spec: OpenCL C, "Execution Model".
    pub items: bool,
    /// The block heads the next outer work-item loop, whose iterations do not depend on each other either. The number,
    /// which is not part of the text, is how remarks know it.
    pub rows: Option<u32>,
    /// The block heads a loop over vectors of work-items, whose iterations do not depend on each other either. Not part
    /// of the text.
    pub vectors: bool,
}

impl BlockData {
    /// True if it heads a loop over work-items, rows or vectors of such.
    pub fn is_loop_of_items(&self) -> bool {
        self.items || self.rows.is_some() || self.vectors
    }
    /// What loop it heads.
    pub(super) fn marks(&self) -> (bool, Option<u32>, bool) {
        (self.items, self.rows, self.vectors)
    }
    pub(super) fn set_marks(&mut self, marks: (bool, Option<u32>, bool)) {
        (self.items, self.rows, self.vectors) = marks;
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
    /// Where it comes from; what the site means is in the function's `origins`.
    pub origin: Origin,
}

/// An access to memory that `Op::Track` tells of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tracked {
    /// Where it stands.
    pub origin: Origin,
    /// What its pointer was made from, if that has a name: an argument or a variable.
    pub object: String,
    /// The number of the argument, if it is one.
    pub arg: Option<u32>,
    /// It writes.
    pub writes: bool,
    /// It is an atomic operation.
    pub atomic: bool,
    /// Its bytes.
    pub bytes: u32,
}

/// Where a local variable is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocalPlace {
    /// Its name.
    pub name: String,
    /// Bytes from the start of local memory.
    pub start: u64,
    /// Bytes.
    pub size: u64,
}

/// Of `Imm::FenceFlags`: the barrier is a wait for asynchronous copies.
pub const FENCE_WAIT: u8 = 8;
/// Flag of a barrier: asynchronous copies in front of it come before those behind it.
pub const FENCE_COPIES: u8 = 16;

/// Where all work-items of a group have to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Met {
    /// Where it stands.
    pub origin: Origin,
    /// What it is.
    pub what: MetKind,
    /// The source wants it checked.
    pub is_checked: bool,
}

/// What all work-items of a group have to reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MetKind {
    /// A barrier, or the second half of a split one.
    Barrier,
    /// A wait for asynchronous copies.
    Wait,
    /// A function in which the group computes something.
    Collective,
    /// An asynchronous copy.
    Copy,
    /// A function of sub-groups, whose work-items have to; behind all others in `Func::met`.
    SubGroup,
}

impl InstData {
    /// The function that the instruction calls.
    pub fn callee(&self) -> Option<FuncId> {
        match self.imm {
            Imm::Func(callee) if self.op == Op::Call => Some(callee),
            _ => None,
        }
    }
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
    /// Variable name, for dumps and debuggers; may be empty.
    pub name: String,
    /// What debuggers know of it besides; not part of the text.
    pub variable: Option<Box<Variable>>,
}

impl Slot {
    /// One of which debuggers know nothing; the alignment is a power of two.
    pub const fn new(name: String, size: u64, align: u32) -> Self {
        Self { size, align, name, variable: None }
    }

    /// Bytes from one copy of it to the next, where several lie side by side.
    pub fn stride(&self) -> u64 {
        self.size.next_multiple_of(u64::from(self.align.max(1)))
    }
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
    /// The target that leads to a block, if there is just one.
    pub fn only_target(&self, block: Block) -> Option<&Target> {
        let mut to = (0..self.n_targets()).map(|n| self.target(n)).filter(|t| t.block == block);
        to.next().filter(|_| to.next().is_none())
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
            origins: Origins::default(),
            is_kernel: false,
            is_builtin: false,
            is_lanes: false,
            is_reordered: false,
            is_optimised: false,
            flushes_denormals: false,
            local_bytes: 0,
            tracked: Vec::new(),
            locals: Vec::new(),
            met: Vec::new(),
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
            rows: None,
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
    /// Private memory without a name; the alignment is a power of two.
    pub fn add_slot(&mut self, size: u64, align: u64) -> SlotId {
        self.slots.push(Slot::new(String::new(), size, align as u32))
    }
    /// Creates an instruction (with a result if `ty` is given) without placing it in a block.
    pub fn make_inst(
        &mut self,
        op: Op,
        ty: Option<Type>,
        args: &[Value],
        imm: Imm,
        attr: Attr,
        origin: Origin,
    ) -> Inst {
        let inst = self.insts.push(InstData { op, args: SmallVec::from_slice(args), imm, attr, result: None, origin });
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
        new.flushes_denormals = self.flushes_denormals;
        (new.local_bytes, new.origins) = (self.local_bytes, std::mem::take(&mut self.origins));
        (new.tracked, new.met) = (std::mem::take(&mut self.tracked), std::mem::take(&mut self.met));
        new.locals = std::mem::take(&mut self.locals);
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
                let InstData { op, args, imm, attr, result, origin } = &mut self.insts[inst];
                let ty = result.map(|v| self.values[v].ty);
                let mut imm = std::mem::replace(imm, Imm::None);
                if let Imm::Slot(slot) = &mut imm {
                    let old = &self.slots[*slot];
                    *slot = *slots[slot.index()].get_or_insert_with(|| new.slots.push(old.clone()));
                }
                let moved = new.make_inst(*op, ty, args, imm, *attr, *origin);
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
    /// Puts the reachable blocks in reverse postorder and drops the others.
    pub fn remove_unreachable(&mut self) {
        self.layout = Cfg::new(self).rpo().to_vec();
    }
    /// Live instructions in layout order.
    pub fn live_insts(&self) -> impl Iterator<Item = (Block, Inst)> + '_ {
        self.layout.iter().flat_map(|&b| self.blocks[b].insts.iter().map(move |&i| (b, i)))
    }
    /// Instructions of some blocks, in order.
    pub fn insts_of<'a>(&'a self, blocks: &'a [Block]) -> impl DoubleEndedIterator<Item = (Block, Inst)> + 'a {
        blocks.iter().flat_map(|&b| self.blocks[b].insts.iter().map(move |&i| (b, i)))
    }
    /// The data of instructions of some blocks, in order.
    pub fn data_of<'a>(&'a self, blocks: &'a [Block]) -> impl DoubleEndedIterator<Item = &'a InstData> + 'a {
        self.insts_of(blocks).map(|(_, inst)| &self.insts[inst])
    }
    /// Number of instructions of some blocks.
    pub fn size_of(&self, blocks: &[Block]) -> usize {
        blocks.iter().map(|&b| self.blocks[b].insts.len()).sum()
    }
    /// Calls `f` on every value that a block uses, branch arguments included.
    pub fn for_each_use(&self, block: Block, mut f: impl FnMut(Value)) {
        self.data_of(&[block]).flat_map(|data| &data.args).for_each(|&v| f(v));
        self.blocks[block].term.for_each_value(f);
    }
    /// What edges from a block hand over to parameters of others: the block that they lead to, parameter, and argument.
    pub fn handed(&self, from: Block) -> impl Iterator<Item = (Block, Value, Value)> + '_ {
        self.blocks[from].term.targets().into_iter().flat_map(move |target| {
            let params = self.blocks[target.block].params.iter().zip(&target.args);
            params.map(move |(&param, &arg)| (target.block, param, arg))
        })
    }
    /// True if the function takes a slot's address anywhere.
    pub fn uses_slots(&self) -> bool {
        self.live_insts().any(|(_, i)| self.insts[i].op == Op::SlotAddr)
    }
    /// The live blocks that use each value, each block once.
    pub fn user_blocks(&self) -> Vec<SmallVec<[Block; 2]>> {
        let mut users = vec![SmallVec::<[Block; 2]>::new(); self.values.len()];
        for &block in &self.layout {
            let note = |v: Value| {
                if users[v.index()].last() != Some(&block) {
                    users[v.index()].push(block);
                }
            };
            self.for_each_use(block, note);
        }
        users
    }
    /// How often live code uses each value.
    pub fn use_counts(&self) -> Vec<u32> {
        let mut uses = vec![0; self.values.len()];
        for &block in &self.layout {
            let data = &self.blocks[block];
            data.insts.iter().flat_map(|&i| &self.insts[i].args).for_each(|v| uses[v.index()] += 1);
            data.term.for_each_value(|v| uses[v.index()] += 1);
        }
        uses
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
    /// Puts blocks into the layout in front of another.
    pub fn insert_blocks(&mut self, before: Block, new: &[Block]) {
        let place = self.layout.iter().position(|&b| b == before).expect("in the layout");
        self.layout.splice(place..place, new.iter().copied());
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
        self.insert_blocks(to, &[new]);
        new
    }
    /// A new block with a block's parameters, through which the ways there from some blocks lead. It is not in the
    /// layout.
    pub fn merge_edges(&mut self, from: &[Block], to: Block) -> Block {
        let new = self.add_block();
        let types: Vec<Type> = self.blocks[to].params.iter().map(|&p| self.ty(p)).collect();
        let args = types.into_iter().map(|ty| self.add_param(new, ty)).collect();
        self.blocks[new].term = Term::Jump(Target { block: to, args });
        from.iter().for_each(|&block| self.redirect(block, to, new));
        new
    }
    /// Has the ways from a block to another lead elsewhere.
    pub fn redirect(&mut self, from: Block, old: Block, new: Block) {
        let targets = self.blocks[from].term.targets_mut();
        targets.into_iter().filter(|t| t.block == old).for_each(|t| t.block = new);
    }
    /// Removes the parameters of blocks that are not to be kept, with what all edges hand over for them. Those of the
    /// entry are.
    pub fn retain_params(&mut self, keep: impl Fn(Value) -> bool) {
        let Self { blocks, layout, values, .. } = self;
        for &from in layout.iter() {
            let mut term = std::mem::replace(&mut blocks[from].term, Term::Unreachable);
            for target in term.targets_mut() {
                let mut params = blocks[target.block].params.iter();
                target.args.retain(|_| keep(*params.next().expect("one for each argument")));
            }
            blocks[from].term = term;
        }
        for &block in &layout[1..] {
            blocks[block].params.retain(|&param| keep(param));
            for (n, &param) in (0..).zip(&blocks[block].params) {
                values[param].def = ValueDef::Param(block, n);
            }
        }
    }
    /// Replaces the values that a block uses.
    pub fn map_uses(&mut self, block: Block, mut map: impl FnMut(Value) -> Value) {
        let Self { blocks, insts, .. } = self;
        for &inst in &blocks[block].insts {
            insts[inst].args.iter_mut().for_each(|v| *v = map(*v));
        }
        blocks[block].term.map_values(map);
    }
    /// The bits of a constant (splat) value.
    pub fn const_bits(&self, value: Value) -> Option<u64> {
        match self.def_inst(value)? {
            InstData { op: Op::Const, imm: Imm::Bits(bits), .. } => Some(*bits),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::InstData;

    #[test]
    fn instructions_stay_small() {
        assert!(size_of::<InstData>() <= 80, "{}", size_of::<InstData>());
    }
}

//! Machine code with virtual registers: what `select` makes, `regalloc2` reads and `emit` turns into bytes.

use super::code::Cc;
use super::encode::{Code, Imm};
use crate::codegen::image::Target;
use crate::codegen::object::Symbol;
use crate::ir::Origin;
use regalloc2::{
    Block, Inst, InstRange, Operand, OperandConstraint, OperandKind, OperandPos, PReg, PRegSet, RegClass, VReg,
};
use smallvec::SmallVec;

/// A register operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum S {
    /// None.
    No,
    /// Read.
    Use(VReg),
    /// Read, and kept while the result is written.
    LateUse(VReg),
    /// Written.
    Def(VReg),
    /// Read, then written over: source, result.
    Mod(VReg, VReg),
}

/// What an address starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// A register.
    Reg(VReg),
    /// A slot of the function's frame.
    Slot(u32),
    /// A constant of the function.
    Const(u32),
    /// Arguments that came on the stack.
    Incoming,
    /// Arguments that go on the stack.
    Outgoing,
}

/// A memory operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mem {
    pub base: Base,
    pub index: Option<VReg>,
    pub scale: u8,
    pub disp: i32,
}

/// The operand that may be in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rm {
    No,
    Reg(S),
    Mem(Mem),
}

/// What an instruction is.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// One machine instruction, its operands in `reg`, `v`, `rm`, `k`.
    Op(Code),
    /// A 64-bit constant into `reg`.
    Mov64(u64),
    /// The address of a symbol into `reg`.
    SymbolAddress(Symbol),
    /// Zero into `reg`; changes the flags.
    Zero,
    /// Sign extension of rax into rdx.
    SignRax,
    /// A mask or vector of ones or zeros into `reg`: an instruction of the register with itself.
    Itself(Code),
    /// The function's arguments: definitions in `fixed`.
    Args,
    /// A call with its register operands in `fixed`.
    Call(Target),
    /// The stack pointer into `reg`.
    StackPointer,
    /// Compare-exchange loop of an atomic operation that has no instruction of its own; see `emit`.
    AtomicLoop(Rmw),
    /// A store of a vector register to the address in a register.
    Stream(Stream),
    /// A full fence.
    Fence,
    /// To the only successor.
    Jump,
    /// To the first successor if the condition holds, else to the second one.
    Branch(Cc),
    /// To the first successor if both conditions hold, else to the second one.
    BranchBoth(Cc, Cc),
    /// Return; the result is in `fixed`.
    Ret,
}

/// Instructions of a store past the caches.
#[derive(Clone, Copy, Debug)]
pub struct Stream {
    /// For an address that is a multiple of the register's size, if the mask is full.
    pub past: Code,
    /// For others.
    pub through: Code,
    /// Tests whether the mask is full, if there is one.
    pub test: Option<Code>,
}

/// Combining step of `Kind::AtomicLoop`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rmw {
    /// and, or, xor and the like by their opcode.
    Alu(Code8),
    /// Keep the old value if the condition holds between it and the operand.
    Keep(Cc),
    /// f32 or f64 addition.
    Fadd,
}

/// The `/digit` of an arithmetic instruction.
pub type Code8 = u8;

/// One instruction.
#[derive(Clone, Debug)]
pub struct MInst {
    pub kind: Kind,
    /// Bytes of general registers (1, 2, 4, 8).
    pub size: u8,
    /// Vector length: 0, 1, 2 for 16, 32, 64 bytes.
    pub len: u8,
    pub reg: S,
    pub v: S,
    pub rm: Rm,
    pub k: S,
    pub imm: Imm,
    pub zero: bool,
    pub bcast: bool,
    pub round: Option<u8>,
    pub lock: bool,
    /// The index is a vector.
    pub vsib: bool,
    /// Bytes of the memory access.
    pub bytes: u8,
    /// Operands in fixed registers, and temporaries.
    pub fixed: SmallVec<[Operand; 2]>,
    /// All caller-saved registers are lost.
    pub clobbers: bool,
    /// Number of where it comes from in the function's `origins`, if anybody wants to know.
    pub place: u32,
}

impl MInst {
    /// An instruction without operands.
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            size: 0,
            len: 0,
            reg: S::No,
            v: S::No,
            rm: Rm::No,
            k: S::No,
            imm: Imm::None,
            zero: false,
            bcast: false,
            round: None,
            lock: false,
            vsib: false,
            bytes: 0,
            fixed: SmallVec::new(),
            clobbers: false,
            place: 0,
        }
    }

    /// Gives registers other names.
    pub fn rename(&mut self, of: impl Fn(VReg) -> VReg) {
        let slot = |s: &mut S| match s {
            S::No => {}
            S::Use(v) | S::LateUse(v) | S::Def(v) => *v = of(*v),
            S::Mod(a, b) => (*a, *b) = (of(*a), of(*b)),
        };
        for s in [&mut self.reg, &mut self.v, &mut self.k] {
            slot(s);
        }
        if let Rm::Reg(s) = &mut self.rm {
            slot(s);
        }
        for o in &mut self.fixed {
            *o = Operand::new(of(o.vreg()), o.constraint(), o.kind(), o.pos());
        }
    }

    /// Appends the operands in the order in which `emit` reads their registers back: `reg`, `v`, `rm` or base and
    /// index, `k`, `fixed`, and last the sources of operands that are written over.
    fn operands(&self, out: &mut Vec<Operand>) {
        let start = out.len();
        let mut sources: SmallVec<[(usize, VReg); 2]> = SmallVec::new();
        let mut slot = |s: S, out: &mut Vec<Operand>| match s {
            S::No => {}
            S::Use(v) => out.push(Operand::reg_use(v)),
            S::LateUse(v) => out.push(Operand::reg_use_at_end(v)),
            S::Def(v) => out.push(Operand::reg_def(v)),
            S::Mod(from, to) => {
                sources.push((out.len(), from));
                out.push(Operand::reg_def(to));
            }
        };
        slot(self.reg, out);
        slot(self.v, out);
        // Operations that write early must not overwrite their address.
        let late = matches!(self.kind, Kind::AtomicLoop(_)) || self.vsib;
        let address = |v: VReg| if late { S::LateUse(v) } else { S::Use(v) };
        match self.rm {
            Rm::No => {}
            Rm::Reg(s) => slot(s, out),
            Rm::Mem(m) => {
                if let Base::Reg(base) = m.base {
                    slot(address(base), out);
                }
                if let Some(index) = m.index {
                    slot(address(index), out);
                }
            }
        }
        slot(self.k, out);
        out.extend_from_slice(&self.fixed);
        for (at, from) in sources {
            let to = out[at].vreg();
            let reuse = OperandConstraint::Reuse(out.len() - start);
            out[at] = Operand::new(to, reuse, OperandKind::Def, OperandPos::Late);
            out.push(Operand::reg_use(from));
        }
    }
}

/// A block under construction.
#[derive(Clone, Debug, Default)]
pub struct MBlock {
    pub params: Vec<VReg>,
    pub insts: Vec<MInst>,
    pub succs: Vec<Block>,
    /// Arguments for the only successor, if there is one.
    pub args: Vec<VReg>,
    pub preds: Vec<Block>,
    range: (u32, u32),
}

/// A function with virtual registers.
#[derive(Default)]
pub struct MFunc {
    /// In the order of emission; the first is the entry.
    pub blocks: Vec<MBlock>,
    pub n_vregs: usize,
    /// Bytes of constants behind the code.
    pub consts: Vec<u8>,
    /// Offset of each constant.
    pub const_at: Vec<u32>,
    /// Where instructions come from, by number; empty if nobody wants to know.
    pub origins: Vec<Origin>,
    /// Bytes of stack for arguments of calls.
    pub outgoing: u32,
    /// Longest vector: 0, 1, 2.
    pub max_len: u8,
    /// The upper parts of vector registers are in use though no vector is that long.
    pub dirty: bool,
    /// Stores go past the caches.
    pub streams: bool,
    insts: Vec<(u32, u32)>,
    operands: Vec<Operand>,
    ranges: Vec<(u32, u32)>,
}

impl MFunc {
    /// Makes what the register allocator wants to see.
    pub fn seal(&mut self) {
        let edges: Vec<(usize, Block)> =
            self.blocks.iter().enumerate().flat_map(|(n, b)| b.succs.iter().map(move |&s| (n, s))).collect();
        for (from, to) in edges {
            self.blocks[to.index()].preds.push(Block::new(from));
        }
        for (n, block) in self.blocks.iter_mut().enumerate() {
            let first = self.insts.len() as u32;
            for (i, inst) in block.insts.iter().enumerate() {
                let start = self.operands.len() as u32;
                inst.operands(&mut self.operands);
                self.ranges.push((start, self.operands.len() as u32));
                self.insts.push((n as u32, i as u32));
            }
            block.range = (first, self.insts.len() as u32);
        }
    }

    /// An instruction by number.
    pub fn inst(&self, inst: Inst) -> &MInst {
        let (block, i) = self.insts[inst.index()];
        &self.blocks[block as usize].insts[i as usize]
    }
}

pub const RAX: u8 = 0;
pub const RCX: u8 = 1;
pub const RDX: u8 = 2;
pub const RBX: u8 = 3;
pub const RSP: u8 = 4;
pub const RBP: u8 = 5;
pub const RSI: u8 = 6;
pub const RDI: u8 = 7;
pub const R8: u8 = 8;
pub const R9: u8 = 9;

/// General registers that a callee keeps.
pub const SAVED: [u8; 5] = [RBX, 12, 13, 14, 15];
/// General registers that a call loses.
pub const CLOBBERED: [u8; 9] = [RAX, RCX, RDX, RSI, RDI, 8, 9, 10, 11];

/// A general register.
pub const fn gpr(n: u8) -> PReg {
    PReg::new(n as usize, RegClass::Int)
}
/// A vector register.
pub const fn xmm(n: u8) -> PReg {
    PReg::new(n as usize, RegClass::Float)
}
/// A mask register.
pub const fn mask(n: u8) -> PReg {
    PReg::new(n as usize, RegClass::Vector)
}

/// What a call loses.
pub fn call_clobbers() -> PRegSet {
    let mut set = PRegSet::empty();
    CLOBBERED.iter().for_each(|&r| set.add(gpr(r)));
    (0..32).for_each(|r| set.add(xmm(r)));
    (1..8).for_each(|r| set.add(mask(r)));
    set
}

impl regalloc2::Function for MFunc {
    fn num_insts(&self) -> usize {
        self.insts.len()
    }
    fn num_blocks(&self) -> usize {
        self.blocks.len()
    }
    fn entry_block(&self) -> Block {
        Block::new(0)
    }
    fn block_insns(&self, block: Block) -> InstRange {
        let (first, end) = self.blocks[block.index()].range;
        InstRange::new(Inst::new(first as usize), Inst::new(end as usize))
    }
    fn block_succs(&self, block: Block) -> &[Block] {
        &self.blocks[block.index()].succs
    }
    fn block_preds(&self, block: Block) -> &[Block] {
        &self.blocks[block.index()].preds
    }
    fn block_params(&self, block: Block) -> &[VReg] {
        &self.blocks[block.index()].params
    }
    fn is_ret(&self, insn: Inst) -> bool {
        matches!(self.inst(insn).kind, Kind::Ret)
    }
    fn is_branch(&self, insn: Inst) -> bool {
        matches!(self.inst(insn).kind, Kind::Jump | Kind::Branch(_) | Kind::BranchBoth(..))
    }
    fn branch_blockparams(&self, block: Block, _insn: Inst, _succ: usize) -> &[VReg] {
        &self.blocks[block.index()].args
    }
    fn inst_operands(&self, insn: Inst) -> &[Operand] {
        let (start, end) = self.ranges[insn.index()];
        &self.operands[start as usize..end as usize]
    }
    fn inst_clobbers(&self, insn: Inst) -> PRegSet {
        let inst = self.inst(insn);
        if !inst.clobbers {
            return PRegSet::empty();
        }
        // Registers of results are written, not lost.
        let mut set = call_clobbers();
        for operand in inst.fixed.iter().filter(|o| o.kind() == OperandKind::Def) {
            if let OperandConstraint::FixedReg(reg) = operand.constraint() {
                set.remove(reg);
            }
        }
        set
    }
    fn num_vregs(&self) -> usize {
        self.n_vregs
    }
    fn spillslot_size(&self, class: RegClass) -> usize {
        match class {
            RegClass::Float => 2 << self.max_len,
            _ => 1,
        }
    }
}

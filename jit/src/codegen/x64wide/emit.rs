//! Allocated machine code → bytes: the frame, moves and spills, branches, constants behind the code.
//!
//! Frame, from the stack pointer up: arguments of calls, spill slots, the function's slots; then, below the frame
//! pointer, the registers that the function keeps for its caller. The stack pointer has the largest alignment that a
//! slot asks for.

use super::code::*;
use super::encode::{Address, Code, Imm, Ready, RegMem, RipFixup, encode, is_out_of_reach, needs_evex};
use super::lines;
use super::listing;
use super::mir::{Base, Kind, MFunc, MInst, Mem, RAX, RBP, RSP, Rm, Rmw, S, SAVED, Stream, gpr, mask, xmm};
use crate::codegen::debug::FrameLayout;
use crate::codegen::image::{Blob, Reloc, RelocKind, Target};
use crate::codegen::isa::Allocator;
use crate::codegen::object::Symbol;
use crate::codegen::pressure::{self, Effort};
use crate::error::CodeError;
use crate::ir::{Func, Origin};
use crate::target;
use regalloc2::{
    Algorithm, Allocation, Block, Edit, InstOrEdit, MachineEnv, Output, PRegSet, RegClass, RegallocOptions,
};

/// Largest frame in bytes.
const MAX_FRAME: u64 = 640 << 10;
const PAGE: i32 = 4096;

/// Finished code of one function.
pub struct Emitted {
    pub blob: Blob,
    /// See `CodeObject::is_hasty`.
    pub is_hasty: bool,
    pub frame_bytes: u64,
    pub listing: Option<String>,
    /// From which offset on code comes from where, if that was wanted.
    pub places: Vec<(u32, Origin)>,
    /// Bytes of instructions, which constants follow.
    pub code_bytes: u32,
    pub layout: FrameLayout,
}

/// The registers that may be allocated.
fn machine(target: &target::Target) -> MachineEnv {
    let mut preferred = [PRegSet::empty(); 3];
    let mut others = [PRegSet::empty(); 3];
    super::mir::CLOBBERED.iter().for_each(|&r| preferred[0].add(gpr(r)));
    SAVED.iter().for_each(|&r| others[0].add(gpr(r)));
    (0..16).for_each(|r| preferred[1].add(xmm(r)));
    (16..target.vector_registers).for_each(|r| others[1].add(xmm(r)));
    if target.masks {
        (1..8).for_each(|r| preferred[2].add(mask(r)));
    }
    MachineEnv {
        preferred_regs_by_class: preferred,
        non_preferred_regs_by_class: others,
        scratch_by_class: [None; 3],
        fixed_stack_slots: Vec::new(),
    }
}

/// Allocates registers and encodes; the root is what Rust calls.
///
/// # Errors
/// `CodeError` if the frame is too large or the allocator gives up.
pub fn emit(
    target: &target::Target,
    func: &Func,
    code: &MFunc,
    is_root: bool,
    with_listing: bool,
    effort: Effort,
) -> Result<Emitted, CodeError> {
    let failed = |what: String| CodeError::new(format!("code generation of `{}` failed: {what}", func.name));
    let env = machine(target);
    let (allocator, is_hasty) = pressure::allocator(func, effort);
    let algorithm = match allocator {
        Allocator::Backtracking => Algorithm::Ion,
        Allocator::SinglePass => Algorithm::Fastalloc,
    };
    let options = RegallocOptions { verbose_log: false, validate_ssa: cfg!(debug_assertions), algorithm };
    let out = regalloc2::run(code, &env, &options).map_err(|e| failed(format!("{e:?}")))?;
    // The checker keeps the state of all registers for each block.
    if cfg!(debug_assertions) && allocator == Allocator::Backtracking {
        let mut checker = regalloc2::checker::Checker::new(code, &env);
        checker.prepare(&out);
        checker.run().map_err(|e| failed(format!("{e:?}")))?;
    }
    let frame = Frame::new(func, code, &out).ok_or_else(|| {
        CodeError::too_large(format!("private memory of `{}` exceeds {} KiB", func.name, MAX_FRAME >> 10))
    })?;
    let ends = ends(code, &out);
    let emitted = |loops| {
        let mut emitter = Emitter {
            code,
            is_root,
            is_hasty,
            out: &out,
            frame: &frame,
            bytes: Vec::new(),
            labels: vec![None; code.blocks.len()],
            ends: &ends,
            loops,
            jumps: Vec::new(),
            rips: Vec::new(),
            relocs: Vec::new(),
            listing: with_listing.then(String::new),
            has_evex: target.masks,
            missing: None,
            places: Vec::new(),
            epilogues: Vec::new(),
        };
        emitter.run();
        emitter
    };
    // How long loops are is known behind them; if one of them lies badly, all is written again.
    let mut emitter = emitted(&[]);
    let loops = lines::innermost(code, &emitter.labels, &ends, emitter.bytes.len());
    let lies_badly = |(label, len): (&Option<usize>, &usize)| label.is_some_and(|at| lines::padding(at, *len) > 0);
    if emitter.labels.iter().zip(&loops).any(lies_badly) {
        emitter = emitted(&loops);
    }
    match emitter.missing {
        Some(name) => Err(failed(format!("`{name}` has no form for its operands on this machine"))),
        None => Ok(emitter.finish()),
    }
}

struct Frame {
    /// Bytes below the saved registers.
    size: i32,
    align: u32,
    spills: i32,
    slots: Vec<i32>,
    saved: Vec<u8>,
}

impl Frame {
    fn new(func: &Func, code: &MFunc, out: &Output) -> Option<Self> {
        let mut used = PRegSet::empty();
        for alloc in &out.allocs {
            if let Some(reg) = alloc.as_reg() {
                used.add(reg);
            }
        }
        for (_, Edit::Move { to, .. }) in &out.edits {
            if let Some(reg) = to.as_reg() {
                used.add(reg);
            }
        }
        let saved: Vec<u8> = SAVED.into_iter().filter(|&r| used.contains(gpr(r))).collect();
        let unit = 16u64 << code.max_len;
        let mut at = u64::from(code.outgoing).next_multiple_of(unit);
        let spills = i32::try_from(at).ok()?;
        at += 8 * out.num_spillslots as u64;
        let mut align = unit.max(16);
        let mut slots = Vec::with_capacity(func.slots.len());
        let mut in_use = vec![false; func.slots.len()];
        for (_, inst) in func.live_insts() {
            if let crate::ir::Imm::Slot(slot) = func.insts[inst].imm {
                in_use[slot.0 as usize] = true;
            }
        }
        for (slot, in_use) in func.slots.values().zip(in_use) {
            if !in_use {
                slots.push(0);
                continue;
            }
            at = at.checked_next_multiple_of(u64::from(slot.align.max(1)))?;
            slots.push(i32::try_from(at).ok()?);
            at = at.checked_add(slot.size)?;
            align = align.max(u64::from(slot.align));
            if at > MAX_FRAME {
                return None;
            }
        }
        // With the return address and the frame pointer the saved registers make a multiple of 16.
        let pad = if saved.len() % 2 == 1 { 8 } else { 0 };
        let size = i32::try_from(at.next_multiple_of(16) + pad).ok()?;
        Some(Self { size, align: u32::try_from(align).ok()?, spills, slots, saved })
    }

    fn total(&self) -> u64 {
        let slack = if self.align > 16 { u64::from(self.align) } else { 0 };
        self.size as u64 + 8 * self.saved.len() as u64 + 16 + slack
    }
}

struct Emitter<'a> {
    code: &'a MFunc,
    /// Called from Rust, and not from a function of the same kind.
    is_root: bool,
    is_hasty: bool,
    out: &'a Output,
    frame: &'a Frame,
    bytes: Vec<u8>,
    labels: Vec<Option<usize>>,
    /// For each block where a jump to it ends: a block that only jumps on has no code.
    ends: &'a [Block],
    /// The bytes of loops by their first blocks (`lines::innermost`); empty if they are not known yet.
    loops: &'a [usize],
    /// Fields with the distance to a block.
    jumps: Vec<(usize, Block)>,
    rips: Vec<RipFixup>,
    relocs: Vec<Reloc>,
    listing: Option<String>,
    has_evex: bool,
    /// An instruction that this machine does not have, or not with these operands.
    missing: Option<&'static str>,
    /// From which offset on code comes from which of the function's `origins`.
    places: Vec<(u32, u32)>,
    epilogues: Vec<(u32, u32)>,
}

/// Registers of one instruction, in the order of `MInst::operands`.
struct Regs<'a> {
    allocs: std::slice::Iter<'a, Allocation>,
}

impl Regs<'_> {
    fn next(&mut self) -> u8 {
        self.allocs.next().and_then(|a| a.as_reg()).map_or(0, |r| r.hw_enc() as u8)
    }
    fn slot(&mut self, s: S) -> Option<u8> {
        (s != S::No).then(|| self.next())
    }
}

impl Emitter<'_> {
    fn run(&mut self) {
        self.prologue();
        for n in 0..self.code.blocks.len() {
            let block = Block::new(n);
            if self.ends[n] != block {
                continue;
            }
            if let Some(&len) = self.loops.get(n) {
                self.skip(lines::padding(self.bytes.len(), len));
            }
            self.labels[n] = Some(self.bytes.len());
            if self.listing.is_some() && n > 0 {
                self.text(format!("b{n}:"));
            }
            let (code, out) = (self.code, self.out);
            for item in out.block_insts_and_edits(code, block) {
                match item {
                    InstOrEdit::Edit(Edit::Move { from, to }) => self.copy(*from, *to),
                    InstOrEdit::Inst(inst) => {
                        let regs = Regs { allocs: out.inst_allocs(inst).iter() };
                        self.place(code.inst(inst).place);
                        self.inst(block, code.inst(inst), regs);
                    }
                }
            }
        }
    }

    /// Fills so many bytes with instructions that have no effect.
    fn skip(&mut self, mut n_bytes: usize) {
        while n_bytes > 0 {
            let (nop, text) = lines::nop(n_bytes);
            self.raw(nop, text);
            n_bytes -= nop.len();
        }
    }

    /// What follows comes from here.
    fn place(&mut self, place: u32) {
        if !self.code.origins.is_empty() && self.places.last().is_none_or(|last| last.1 != place) {
            self.places.push((self.bytes.len() as u32, place));
        }
    }

    fn finish(mut self) -> Emitted {
        let code_bytes = self.bytes.len() as u32;
        let places = self.places.iter().map(|&(at, place)| (at, self.code.origins[place as usize])).collect();
        let layout = FrameLayout { pushed: self.frame.saved.clone(), epilogues: std::mem::take(&mut self.epilogues) };
        for (at, block) in std::mem::take(&mut self.jumps) {
            let target = self.labels[block.index()].unwrap_or(0);
            let distance = target as i64 - (at as i64 + 4);
            self.bytes[at..at + 4].copy_from_slice(&(distance as i32).to_le_bytes());
        }
        if !self.code.consts.is_empty() {
            let start = self.bytes.len().next_multiple_of(64);
            self.bytes.resize(start, 0xcc);
            for fix in &self.rips {
                let field: [u8; 4] = std::array::from_fn(|i| self.bytes[fix.at + i]);
                let distance = start as i32 + i32::from_le_bytes(field) - fix.end as i32;
                self.bytes[fix.at..fix.at + 4].copy_from_slice(&distance.to_le_bytes());
            }
            self.bytes.extend_from_slice(&self.code.consts);
        }
        let blob = Blob { code: self.bytes, align: 64, relocs: self.relocs };
        Emitted {
            blob,
            is_hasty: self.is_hasty,
            frame_bytes: self.frame.total(),
            listing: self.listing,
            places,
            code_bytes,
            layout,
        }
    }

    fn text(&mut self, line: String) {
        if let Some(listing) = &mut self.listing {
            listing.push_str(&line);
            listing.push('\n');
        }
    }

    /// Encodes one instruction and lists it.
    fn put(&mut self, ready: &Ready) {
        let start = self.bytes.len();
        if is_out_of_reach(ready) || !self.has_evex && (needs_evex(ready) || ready.code.name.starts_with('k')) {
            self.missing = Some(ready.code.name);
        }
        if let Some(fix) = encode(&mut self.bytes, ready) {
            self.rips.push(fix);
        }
        if self.listing.is_some() {
            self.text(listing::line(start, &self.bytes[start..], ready));
        }
    }

    fn raw(&mut self, bytes: &[u8], text: &str) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        if self.listing.is_some() {
            self.text(listing::raw(start, bytes, text));
        }
    }

    // ---- frame

    fn prologue(&mut self) {
        self.raw(&[0x55], "push rbp");
        self.raw(&[0x48, 0x89, 0xe5], "mov rbp, rsp");
        for r in self.frame.saved.clone() {
            if r > 7 {
                self.raw(&[0x41, 0x50 + r - 8], &format!("push r{r}"));
            } else {
                self.raw(&[0x50 + r], "push rbx");
            }
        }
        let size = self.frame.size;
        // Each page of a large frame is touched in turn, so that the guard page below the stack is met.
        let pages = (size + self.frame.align as i32) / PAGE;
        if pages > 8 {
            let end = Address { base: Some(RSP), scale: 1, disp: -pages * PAGE, ..Address::default() };
            self.put(&Ready { reg: 11, rm: RegMem::Mem(end), size: 8, ..plain(LEA) });
            let top = self.bytes.len();
            self.put(&alu(5, RSP, PAGE));
            let here = Address { base: Some(RSP), scale: 1, ..Address::default() };
            self.put(&Ready { reg: RAX, rm: RegMem::Mem(here), size: 4, ..plain(TEST) });
            self.put(&Ready { reg: RSP, rm: RegMem::Reg(11), size: 8, ..plain(CMP) });
            let back = top as i64 - (self.bytes.len() as i64 + 2);
            self.raw(&[0x77, back as u8], "ja probe");
            self.put(&alu(0, RSP, pages * PAGE));
        } else {
            for page in 1..=pages {
                let here = Address { base: Some(RSP), scale: 1, disp: -page * PAGE, ..Address::default() };
                self.put(&Ready { reg: RAX, rm: RegMem::Mem(here), size: 4, ..plain(TEST) });
            }
        }
        if size > 0 {
            self.put(&alu(5, RSP, size));
        }
        if self.frame.align > 16 {
            self.put(&alu(4, RSP, -(self.frame.align as i32)));
        }
    }

    fn epilogue(&mut self) {
        if self.code.streams {
            // What is stored past the caches comes before whatever tells other threads of it.
            self.raw(&[0x0f, 0xae, 0xf8], "sfence");
        }
        if self.is_root {
            self.raw(&[0xc5, 0xf8, 0x77], "vzeroupper");
        }
        let saved = self.frame.saved.clone();
        if saved.is_empty() {
            self.raw(&[0xc9], "leave");
        } else {
            let at = Address { base: Some(RBP), scale: 1, disp: -8 * saved.len() as i32, ..Address::default() };
            self.put(&Ready { reg: RSP, rm: RegMem::Mem(at), size: 8, ..plain(LEA) });
            for &r in saved.iter().rev() {
                if r > 7 {
                    self.raw(&[0x41, 0x58 + r - 8], &format!("pop r{r}"));
                } else {
                    self.raw(&[0x58 + r], "pop rbx");
                }
            }
            self.raw(&[0x5d], "pop rbp");
        }
        let back = self.bytes.len() as u32;
        self.raw(&[0xc3], "ret");
        self.epilogues.push((back, back + 1));
    }

    // ---- moves of the register allocator

    fn spill(&self, alloc: Allocation, bytes: u8) -> Option<Address> {
        let slot = alloc.as_stack()?;
        let disp = self.frame.spills + 8 * slot.index() as i32;
        Some(Address { base: Some(RSP), scale: 1, disp, bytes, ..Address::default() })
    }

    fn copy(&mut self, from: Allocation, to: Allocation) {
        let class = from.as_reg().or_else(|| to.as_reg()).map_or(RegClass::Int, |r| r.class());
        let len = self.code.max_len;
        let bytes = 16 << len;
        let (load, store) = match class {
            RegClass::Int => (MOV, MOV_STORE),
            RegClass::Float => (VMOVAPS, VMOVAPS_STORE),
            RegClass::Vector => (KMOVQ, KMOVQ_STORE),
        };
        let is_int = class == RegClass::Int;
        let size = if is_int { 8 } else { 0 };
        let len = if class == RegClass::Float { len } else { 0 };
        let number = |a: Allocation| a.as_reg().map_or(0, |r| r.hw_enc() as u8);
        let ready = match (self.spill(from, bytes), self.spill(to, bytes)) {
            (Some(from), _) => Ready { reg: number(to), rm: RegMem::Mem(from), ..plain(load) },
            (_, Some(to)) => Ready { reg: number(from), rm: RegMem::Mem(to), ..plain(store) },
            _ => Ready { reg: number(to), rm: RegMem::Reg(number(from)), ..plain(load) },
        };
        self.put(&Ready { size, len, ..ready });
    }

    // ---- instructions

    fn address(&self, mem: Mem, regs: &mut Regs<'_>, bytes: u8) -> Address {
        let mut address = Address { scale: mem.scale, disp: mem.disp, bytes, ..Address::default() };
        match mem.base {
            Base::Reg(_) => address.base = Some(regs.next()),
            Base::Slot(slot) => {
                address.base = Some(RSP);
                address.disp += self.frame.slots[slot as usize];
            }
            Base::Const(number) => {
                address.rip = true;
                address.disp += self.code.const_at[number as usize] as i32;
            }
            Base::Incoming => {
                address.base = Some(RBP);
                address.disp += 16;
            }
            Base::Outgoing => address.base = Some(RSP),
        }
        if mem.index.is_some() {
            address.index = Some(regs.next());
        }
        address
    }

    fn inst(&mut self, block: Block, inst: &MInst, mut regs: Regs<'_>) {
        let reg = regs.slot(inst.reg);
        let v = regs.slot(inst.v);
        let rm = match inst.rm {
            Rm::No => RegMem::None,
            Rm::Reg(s) => regs.slot(s).map_or(RegMem::None, RegMem::Reg),
            Rm::Mem(mem) => RegMem::Mem(self.address(mem, &mut regs, inst.bytes)),
        };
        let k = regs.slot(inst.k).unwrap_or(0);
        let reg = reg.unwrap_or(0);
        match inst.kind {
            Kind::Op(code) => {
                self.put(&Ready {
                    code,
                    size: inst.size,
                    len: inst.len,
                    reg,
                    v,
                    rm,
                    imm: inst.imm,
                    k,
                    zero: inst.zero,
                    bcast: inst.bcast,
                    round: inst.round,
                    lock: inst.lock,
                    vsib: inst.vsib,
                });
            }
            Kind::Mov64(bits) => self.constant(reg, bits),
            Kind::SymbolAddress(symbol) => self.symbol(reg, symbol),
            Kind::Zero if inst.size == 0 => {
                let low = reg < 16;
                let len = 0;
                let code = if low { VXORP[0] } else { VPXORD };
                self.put(&Ready { len, reg, v: Some(reg), rm: RegMem::Reg(reg), ..plain(code) });
            }
            Kind::Zero => self.put(&Ready { reg, rm: RegMem::Reg(reg), size: 4, ..plain(XOR) }),
            Kind::SignRax if inst.size == 8 => self.raw(&[0x48, 0x99], "cqo"),
            Kind::SignRax => self.raw(&[0x99], "cdq"),
            Kind::Itself(code) => {
                self.put(&Ready { len: inst.len, reg, v: Some(reg), rm: RegMem::Reg(reg), ..plain(code) });
            }
            Kind::Args => {}
            Kind::Call(target) => self.call(target),
            Kind::StackPointer => {
                self.put(&Ready { reg, rm: RegMem::Reg(RSP), size: 8, ..plain(MOV) });
            }
            Kind::AtomicLoop(step) => {
                let allocs: [u8; 4] = std::array::from_fn(|_| regs.next());
                self.atomic_loop(step, inst.size, inst.lock, rm, allocs);
            }
            Kind::Stream(codes) => {
                let store = Ready { len: inst.len, reg, rm, k, ..plain(codes.through) };
                self.stream(codes, &store);
            }
            Kind::Fence => self.raw(&[0x0f, 0xae, 0xf0], "mfence"),
            Kind::Jump => self.jump(block, self.code.blocks[block.index()].succs[0]),
            Kind::Branch(cc) => {
                let [then, els] = self.successors(block);
                if self.falls_to(block, then) {
                    self.jump_if(cc.negate(), els);
                } else {
                    self.jump_if(cc, then);
                    self.jump(block, els);
                }
            }
            Kind::BranchBoth(a, b) => {
                let [then, els] = self.successors(block);
                self.jump_if(a.negate(), els);
                if self.falls_to(block, then) {
                    self.jump_if(b.negate(), els);
                } else {
                    self.jump_if(b, then);
                    self.jump(block, els);
                }
            }
            Kind::Ret => self.epilogue(),
        }
    }

    fn constant(&mut self, reg: u8, bits: u64) {
        let rm = RegMem::Reg(reg);
        if let Ok(short) = u32::try_from(bits) {
            let mut bytes = Vec::new();
            if reg > 7 {
                bytes.push(0x41);
            }
            bytes.push(0xb8 | reg & 7);
            bytes.extend(short.to_le_bytes());
            self.raw(&bytes, &format!("mov {}, {short:#x}", listing::gpr_name(reg, 4)));
        } else if let Ok(imm) = i32::try_from(bits as i64) {
            self.put(&Ready { rm, size: 8, imm: Imm::I32(imm), ..plain(MOV_IMM) });
        } else {
            let mut bytes = vec![0x48 | reg >> 3, 0xb8 | reg & 7];
            bytes.extend(bits.to_le_bytes());
            self.raw(&bytes, &format!("mov {}, {bits:#x}", listing::gpr_name(reg, 8)));
        }
    }

    fn symbol(&mut self, reg: u8, symbol: Symbol) {
        let offset = self.bytes.len() + 2;
        self.relocs.push(Reloc { offset, kind: RelocKind::Abs8, target: symbol.into(), addend: 0 });
        let mut bytes = vec![0x48 | reg >> 3, 0xb8 | reg & 7];
        bytes.extend([0; 8]);
        self.raw(&bytes, &format!("mov {}, {symbol}", listing::gpr_name(reg, 8)));
    }

    fn call(&mut self, target: Target) {
        match target {
            Target::Blob(number) => {
                let offset = self.bytes.len() + 1;
                self.relocs.push(Reloc { offset, kind: RelocKind::Rel4, target, addend: -4 });
                self.raw(&[0xe8, 0, 0, 0, 0], &format!("call function{number}"));
            }
            Target::Symbol(symbol) => {
                // Code that does not know long vectors is slow while their upper parts are in use.
                if self.code.max_len > 0 || self.code.dirty {
                    self.raw(&[0xc5, 0xf8, 0x77], "vzeroupper");
                }
                self.symbol(10, symbol);
                self.raw(&[0x41, 0xff, 0xd2], "call r10");
            }
        }
    }

    /// A store past the caches where that is possible, else the one that is given.
    fn stream(&mut self, codes: Stream, through: &Ready) {
        let RegMem::Mem(Address { base: Some(base), bytes, .. }) = through.rm else { return };
        let low_bits = Imm::I8(bytes as i8 - 1);
        self.put(&Ready { rm: RegMem::Reg(base), size: 1, imm: low_bits, ..plain(TEST_IMM) });
        let unaligned = self.short_jump("jne through", 0x75);
        let partial = codes.test.map(|test| {
            self.put(&Ready { reg: through.k, rm: RegMem::Reg(through.k), ..plain(test) });
            self.short_jump("jae through", 0x73)
        });
        self.put(&Ready { code: codes.past, k: 0, ..*through });
        let end = self.short_jump("jmp stored", 0xeb);
        std::iter::once(unaligned).chain(partial).for_each(|jump| self.land(jump));
        self.put(through);
        self.land(end);
    }

    /// A short jump forward; returns where its distance stands.
    fn short_jump(&mut self, text: &str, opcode: u8) -> usize {
        self.raw(&[opcode, 0], text);
        self.bytes.len() - 1
    }

    /// Makes a short jump lead here.
    fn land(&mut self, at: usize) {
        self.bytes[at] = (self.bytes.len() - at - 1) as u8;
    }

    /// Registers: operand, new value, old value (rax), a vector register.
    fn atomic_loop(&mut self, step: Rmw, size: u8, lock: bool, rm: RegMem, regs: [u8; 4]) {
        let [operand, new, _, temp] = regs;
        let load = match size {
            1 => MOVZX8,
            2 => MOVZX16,
            _ => MOV,
        };
        let wide = size.max(4);
        self.put(&Ready { reg: RAX, rm, size: wide, ..plain(load) });
        let top = self.bytes.len();
        match step {
            Rmw::Alu(digit) => {
                self.put(&Ready { reg: new, rm: RegMem::Reg(RAX), size: 8, ..plain(MOV) });
                let code = [ADD, OR, ADD, SUB, AND, SUB, XOR, CMP][digit as usize & 7];
                self.put(&Ready { reg: new, rm: RegMem::Reg(operand), size: wide, ..plain(code) });
            }
            Rmw::Keep(cc) => {
                self.put(&Ready { reg: new, rm: RegMem::Reg(RAX), size: 8, ..plain(MOV) });
                self.put(&Ready { reg: RAX, rm: RegMem::Reg(operand), size, ..plain(CMP) });
                self.put(&Ready { reg: new, rm: RegMem::Reg(operand), size: wide, ..plain(cmov(cc.negate())) });
            }
            Rmw::Fadd => {
                let n = usize::from(size == 8);
                self.put(&Ready { reg: temp, rm: RegMem::Reg(RAX), ..plain(VMOV_IN[n]) });
                self.put(&Ready { reg: temp, v: Some(temp), rm: RegMem::Reg(operand), ..plain(VADD[2 + n]) });
                self.put(&Ready { reg: temp, rm: RegMem::Reg(new), ..plain(VMOV_OUT[n]) });
            }
        }
        self.put(&Ready { reg: new, rm, size, lock, ..plain(CMPXCHG) });
        let back = top as i64 - (self.bytes.len() as i64 + 2);
        self.raw(&[0x75, back as u8], "jne retry");
    }

    // ---- branches

    fn successors(&self, block: Block) -> [Block; 2] {
        let succs = &self.code.blocks[block.index()].succs;
        [succs[0], succs[1]]
    }

    /// True if the code of `target` follows that of `block` at once.
    fn falls_to(&self, block: Block, target: Block) -> bool {
        let next = (block.index() + 1..self.code.blocks.len()).find(|&n| self.ends[n].index() == n);
        next == Some(self.ends[target.index()].index())
    }

    fn jump(&mut self, block: Block, target: Block) {
        if self.falls_to(block, target) {
            return;
        }
        let target = self.ends[target.index()];
        if let Some(distance) = self.backward(target, 2) {
            self.raw(&[0xeb, distance as u8], &format!("jmp b{}", target.index()));
            return;
        }
        let at = self.bytes.len() + 1;
        self.jumps.push((at, target));
        self.raw(&[0xe9, 0, 0, 0, 0], &format!("jmp b{}", target.index()));
    }

    /// The distance of a short jump of this many bytes back to a block that has its place.
    fn backward(&self, target: Block, bytes: i64) -> Option<i8> {
        let label = self.labels[target.index()]?;
        i8::try_from(label as i64 - (self.bytes.len() as i64 + bytes)).ok()
    }

    fn jump_if(&mut self, cc: Cc, target: Block) {
        let target = self.ends[target.index()];
        let text = format!("j{} b{}", cc.name(), target.index());
        if let Some(distance) = self.backward(target, 2) {
            self.raw(&[0x70 | cc as u8, distance as u8], &text);
            return;
        }
        let at = self.bytes.len() + 2;
        self.jumps.push((at, target));
        self.raw(&[0x0f, 0x80 | cc as u8, 0, 0, 0, 0], &text);
    }
}

/// For each block itself, or where it jumps to if that is all it does.
fn ends(code: &MFunc, out: &Output) -> Vec<Block> {
    let next: Vec<Option<Block>> = (0..code.blocks.len())
        .map(|n| {
            let data = &code.blocks[n];
            let only = data.insts.len() == 1 && matches!(data.insts[0].kind, Kind::Jump);
            (only && out.block_insts_and_edits(code, Block::new(n)).count() == 1).then(|| data.succs[0])
        })
        .collect();
    let end = |start: usize| {
        let mut at = start;
        // Longer than any honest chain: a loop without a body.
        for _ in 0..64 {
            match next[at] {
                Some(to) => at = to.index(),
                None => return Block::new(at),
            }
        }
        Block::new(start)
    };
    (0..code.blocks.len()).map(end).collect()
}

/// An instruction without operands.
fn plain(code: Code) -> Ready {
    Ready {
        code,
        size: 0,
        len: 0,
        reg: 0,
        v: None,
        rm: RegMem::None,
        imm: Imm::None,
        k: 0,
        zero: false,
        bcast: false,
        round: None,
        lock: false,
        vsib: false,
    }
}

/// An arithmetic instruction with an immediate on a 64-bit register.
fn alu(digit: usize, reg: u8, imm: i32) -> Ready {
    let code = ALU_IMM[digit];
    let rm = RegMem::Reg(reg);
    match i8::try_from(imm) {
        Ok(short) => Ready { rm, size: 8, imm: Imm::I8(short), ..plain(Code { op: 0x83, byte: false, ..code }) },
        Err(_) => Ready { rm, size: 8, imm: Imm::I32(imm), ..plain(code) },
    }
}

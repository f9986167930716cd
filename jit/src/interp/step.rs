//! One work-item: its frames, and what each instruction does to them. Runs until the end or the next convergent
//! operation.

use super::group::Group;
use super::lanes;
use super::machine::{Error, ErrorKind, Machine};
use super::memory::{Fault, Kind};
use super::value::{self, Lanes};
use crate::ir::entity::{Block, FuncId, Inst, SlotId, Value};
use crate::ir::func::{Target, Term};
use crate::ir::module::Module;
use crate::ir::op::{Attr, Imm, Op, RmwOp};
use crate::ir::text::write::FuncText;
use crate::ir::ty::Type;
use smallvec::SmallVec;

/// Deepest nesting of calls.
const MAX_DEPTH: usize = 256;

/// An activation of a function.
pub(super) struct Frame {
    func: FuncId,
    block: Block,
    /// Place of the next instruction in the block.
    pc: usize,
    regs: Vec<u64>,
    /// Addresses of slots, 0 = not touched yet.
    slots: Vec<u64>,
    /// Where the caller wants the result.
    result: Option<Value>,
    /// Turns of the function's loops, if the module has operations of sub-groups.
    turns: Vec<u64>,
}

/// A work-item, or the one activation of a plain call.
pub(super) struct Item {
    pub frames: Vec<Frame>,
    pub lid: [u64; 3],
}

/// Why a work-item stopped.
pub(super) enum Stop {
    /// It returned.
    Done(Option<Lanes>),
    /// It stands at a convergent operation.
    Convergent,
}

impl Item {
    pub(super) fn new(machine: &mut Machine<'_>, func: FuncId, args: &[Lanes]) -> Result<Self, Error> {
        let mut item = Item { frames: Vec::new(), lid: [0; 3] };
        item.enter(machine, func, args, None)?;
        Ok(item)
    }

    fn enter(
        &mut self,
        machine: &mut Machine<'_>,
        func: FuncId,
        args: &[Lanes],
        result: Option<Value>,
    ) -> Result<(), Error> {
        let code = &machine.module.funcs[func];
        let fits = code.params.len() == args.len()
            && code.params.iter().zip(args).all(|(ty, a)| usize::from(ty.lanes) == a.len());
        let problem = if !code.has_body() {
            Some(ErrorKind::NoBody)
        } else if !fits {
            Some(ErrorKind::Launch)
        } else {
            (self.frames.len() >= MAX_DEPTH).then_some(ErrorKind::Depth)
        };
        if let Some(kind) = problem {
            return Err(Error { kind, at: format!("@{}", code.name) });
        }
        machine.prepare(func);
        let plan = machine.plan(func);
        let mut frame = Frame {
            func,
            block: code.entry(),
            pc: 0,
            regs: vec![0; plan.n_regs],
            slots: vec![0; code.slots.len()],
            result,
            turns: Vec::new(),
        };
        for (&param, arg) in code.blocks[code.entry()].params.iter().zip(args) {
            let at = plan.offsets[param.0 as usize] as usize;
            frame.regs[at..at + arg.len()].copy_from_slice(arg);
        }
        self.frames.push(frame);
        if let Some(watch) = &mut machine.watch {
            watch.enter(func);
            watch.block(None, code.entry());
        }
        Ok(())
    }

    fn top(&self) -> &Frame {
        self.frames.last().expect("a running work-item has a frame")
    }
    fn top_mut(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a running work-item has a frame")
    }

    /// Where the work-item stands: each frame's function, block and instruction.
    pub(super) fn place(&self) -> Vec<(FuncId, Block, usize)> {
        self.frames.iter().map(|f| (f.func, f.block, f.pc)).collect()
    }
    /// The instruction where the work-item stands.
    pub(super) fn current(&self, machine: &Machine<'_>) -> (FuncId, Inst) {
        let frame = self.top();
        (frame.func, machine.module.funcs[frame.func].blocks[frame.block].insts[frame.pc])
    }
    /// The operation there.
    pub(super) fn op(&self, machine: &Machine<'_>) -> Op {
        let (func, inst) = self.current(machine);
        machine.module.funcs[func].insts[inst].op
    }
    /// When, among the work-items of a sub-group in lockstep, it comes there.
    pub(super) fn order(&self, machine: &Machine<'_>) -> Vec<u64> {
        let mut place = Vec::new();
        for (n, frame) in self.frames.iter().enumerate() {
            // A frame that has called another is past the call already.
            let inst = if n + 1 == self.frames.len() { frame.pc } else { frame.pc - 1 };
            if let Some(order) = machine.order(frame.func) {
                order.place(&frame.turns, frame.block, inst, &mut place);
            }
        }
        place
    }
    /// Goes past the instruction.
    pub(super) fn advance(&mut self) {
        self.top_mut().pc += 1;
    }
    /// A value of the current frame.
    pub(super) fn value(&self, machine: &Machine<'_>, v: Value) -> Lanes {
        Lanes::from_slice(self.slice(machine, v))
    }
    fn slice(&self, machine: &Machine<'_>, v: Value) -> &[u64] {
        let frame = self.top();
        let at = machine.plan(frame.func).offsets[v.0 as usize] as usize;
        &frame.regs[at..at + usize::from(machine.module.funcs[frame.func].ty(v).lanes)]
    }
    fn scalar(&self, machine: &Machine<'_>, v: Value) -> u64 {
        self.slice(machine, v)[0]
    }
    /// Sets a value of the current frame.
    pub(super) fn set(&mut self, machine: &Machine<'_>, v: Value, lanes: &[u64]) {
        let at = machine.plan(self.top().func).offsets[v.0 as usize] as usize;
        self.top_mut().regs[at..at + lanes.len()].copy_from_slice(lanes);
    }

    /// Sets a value of the current frame, as the program does.
    pub(super) fn define(&mut self, machine: &mut Machine<'_>, v: Value, lanes: &[u64]) {
        self.set(machine, v, lanes);
        if let Some(watch) = &mut machine.watch {
            watch.define(v, lanes);
        }
    }

    /// An error at the current place.
    pub(super) fn error(&self, machine: &Machine<'_>, kind: ErrorKind) -> Error {
        let Some(frame) = self.frames.last() else { return Error { kind, at: "after the end".into() } };
        let func = &machine.module.funcs[frame.func];
        let mut at = String::new();
        match func.blocks[frame.block].insts.get(frame.pc) {
            Some(&inst) => {
                // Writing to a string cannot fail.
                let _ = FuncText { module: Some(machine.module), func }.write_inst(&mut at, inst);
            }
            None => at = func.blocks[frame.block].term.to_string(),
        }
        Error { kind, at: format!("@{} {}: `{at}` in work-item {:?}", func.name, frame.block, self.lid) }
    }

    /// Runs to the end or the next convergent operation. A work-item that has ended stays so.
    pub(super) fn run(&mut self, machine: &mut Machine<'_>, mut group: Option<&mut Group>) -> Result<Stop, Error> {
        if self.frames.is_empty() {
            return Ok(Stop::Done(None));
        }
        let module = machine.module;
        loop {
            if machine.steps == 0 {
                return Err(self.error(machine, ErrorKind::Steps));
            }
            machine.steps -= 1;
            let frame = self.top();
            let func = &module.funcs[frame.func];
            let block = &func.blocks[frame.block];
            let Some(&inst) = block.insts.get(frame.pc) else {
                if let Some(result) = self.terminate(machine, &block.term)? {
                    return Ok(Stop::Done(result));
                }
                continue;
            };
            let data = &func.insts[inst];
            if data.op.is_convergent() || data.op.is_sub_group() {
                return Ok(Stop::Convergent);
            }
            if let Some(watch) = machine.watch.take() {
                let args: SmallVec<[Lanes; 4]> = data.args.iter().map(|v| self.value(machine, *v)).collect();
                watch.execute(inst, &args, &machine.memory);
                machine.watch = Some(watch);
            }
            if let (Op::Call, Imm::Func(callee)) = (data.op, &data.imm) {
                let args: Vec<Lanes> = data.args.iter().map(|v| self.value(machine, *v)).collect();
                self.advance();
                self.enter(machine, *callee, &args, data.result)?;
                continue;
            }
            self.step(machine, group.as_deref_mut(), module, inst)?;
            self.advance();
        }
    }

    /// Leaves the block; the work-item's result if it ends.
    fn terminate(&mut self, machine: &mut Machine<'_>, term: &Term) -> Result<Option<Option<Lanes>>, Error> {
        let target = match term {
            Term::Jump(target) => target,
            Term::Br { cond, then, els } => {
                if self.scalar(machine, *cond) & 1 == 1 {
                    then
                } else {
                    els
                }
            }
            Term::Switch { value, cases, default } => {
                let v = self.scalar(machine, *value);
                cases.iter().find(|(bits, _)| *bits == v).map_or(default, |(_, target)| target)
            }
            Term::Ret(v) => {
                let result = v.map(|v| self.value(machine, v));
                let frame = self.frames.pop().expect("a running work-item has a frame");
                if let Some(watch) = &mut machine.watch {
                    watch.leave();
                }
                frame.slots.iter().filter(|a| **a != 0).for_each(|a| machine.memory.remove(*a));
                if self.frames.is_empty() {
                    return Ok(Some(result));
                }
                if let (Some(v), Some(lanes)) = (frame.result, &result) {
                    self.define(machine, v, lanes);
                }
                return Ok(None);
            }
            Term::Unreachable => return Err(self.error(machine, ErrorKind::Unreachable)),
        };
        self.go(machine, target);
        Ok(None)
    }

    /// Jumps: all arguments are read before any parameter is written.
    fn go(&mut self, machine: &mut Machine<'_>, target: &Target) {
        let args: SmallVec<[Lanes; 4]> = target.args.iter().map(|v| self.value(machine, *v)).collect();
        if let Some(watch) = &mut machine.watch {
            watch.block(Some(self.top().block), target.block);
        }
        let module = machine.module;
        for (&param, arg) in module.funcs[self.top().func].blocks[target.block].params.iter().zip(&args) {
            self.define(machine, param, arg);
        }
        let frame = self.top_mut();
        if let Some(order) = machine.order(frame.func) {
            order.follow(&mut frame.turns, frame.block, target.block);
        }
        frame.block = target.block;
        frame.pc = 0;
    }

    fn slot(&mut self, machine: &mut Machine<'_>, slot: SlotId) -> u64 {
        let frame = self.top_mut();
        let address = &mut frame.slots[slot.0 as usize];
        if *address == 0 {
            let size = machine.module.funcs[frame.func].slots[slot].size as usize;
            *address = machine.memory.add(Kind::Slot, vec![0; size], true);
        }
        *address
    }

    /// One instruction that is neither convergent nor a call.
    fn step(
        &mut self,
        machine: &mut Machine<'_>,
        group: Option<&mut Group>,
        module: &Module,
        inst: Inst,
    ) -> Result<(), Error> {
        let func = &module.funcs[self.top().func];
        let data = &func.insts[inst];
        let ty = data.result.map_or(Type::I1, |v| func.ty(v));
        let arg_ty = |n: usize| func.ty(data.args[n]);
        let result: Lanes = match data.op {
            Op::SlotAddr => match data.imm {
                Imm::Slot(slot) => one(self.slot(machine, slot)),
                _ => return Err(self.error(machine, ErrorKind::Launch)),
            },
            Op::LocalAddr => match (group, &data.imm) {
                (Some(group), Imm::LocalVar(id)) => one(group.local(machine, *id)),
                _ => return Err(self.error(machine, ErrorKind::NoGroup)),
            },
            Op::GlobalAddr => match data.imm {
                Imm::Global(id) => one(machine.global(id)),
                _ => return Err(self.error(machine, ErrorKind::Launch)),
            },
            op if op.is_query() => match group {
                Some(group) => one(query(group, op, &data.imm, self.lid)),
                None => return Err(self.error(machine, ErrorKind::NoGroup)),
            },
            Op::IsLocal | Op::IsPrivate => {
                let kind = machine.memory.kind(self.scalar(machine, data.args[0]));
                one(u64::from(match data.op {
                    Op::IsLocal => kind == Some(Kind::Local),
                    _ => matches!(kind, Some(Kind::Slot | Kind::Scratch)),
                }))
            }
            Op::CheckArg => {
                let [number, field] = [0, 1].map(|k| self.scalar(machine, data.args[k]));
                one(machine.arg_word(number, field))
            }
            Op::CheckObject => {
                let [address, field] = [0, 1].map(|k| self.scalar(machine, data.args[k]));
                one(machine.object_word(address, field))
            }
            Op::CheckReport => {
                let words = std::array::from_fn(|k| self.scalar(machine, data.args[k]));
                machine.findings.push(crate::check::Finding::of(words));
                return Ok(());
            }
            Op::Fence | Op::Prefetch | Op::Track | Op::Meet => return Ok(()),
            Op::Load | Op::AtomicLoad => {
                let address = self.scalar(machine, data.args[0]);
                let loaded = machine.memory.load(address, ty);
                self.checked(machine, loaded)?
            }
            Op::Store | Op::AtomicStore => {
                let address = self.scalar(machine, data.args[0]);
                let lanes = self.value(machine, data.args[1]);
                let stored = machine.memory.store(address, arg_ty(1), &lanes);
                return self.checked(machine, stored);
            }
            Op::LoadMasked | Op::Gather | Op::StoreMasked | Op::Scatter => {
                let types: SmallVec<[Type; 4]> = data.args.iter().map(|v| func.ty(*v)).collect();
                let args: SmallVec<[Lanes; 4]> = data.args.iter().map(|v| self.value(machine, *v)).collect();
                if data.result.is_none() {
                    let stored = lanes::store(&mut machine.memory, data, &types, &args);
                    return self.checked(machine, stored);
                }
                let loaded = lanes::load(&machine.memory, data, ty, &types, &args);
                self.checked(machine, loaded)?
            }
            Op::AtomicRmw => {
                let address = self.scalar(machine, data.args[0]);
                let operand = self.value(machine, data.args[1]);
                let old = machine.memory.load(address, ty);
                let old = self.checked(machine, old)?;
                let new = match &data.imm {
                    Imm::Rmw(op) => rmw(*op, ty, &old, &operand, func.flushes_denormals),
                    _ => return Err(self.error(machine, ErrorKind::Launch)),
                };
                let stored = machine.memory.store(address, ty, &new);
                self.checked(machine, stored)?;
                old
            }
            Op::AtomicCas => {
                let address = self.scalar(machine, data.args[0]);
                let old = machine.memory.load(address, ty);
                let old = self.checked(machine, old)?;
                if old[0] == self.scalar(machine, data.args[1]) {
                    let new = self.value(machine, data.args[2]);
                    let stored = machine.memory.store(address, ty, &new);
                    self.checked(machine, stored)?;
                }
                old
            }
            Op::Printf => {
                let [format, types, args] = [0, 1, 2].map(|k| self.scalar(machine, data.args[k]));
                let printed = printf(machine, format, types, args);
                one(u64::from(self.checked(machine, printed)? as u32))
            }
            Op::Device => return Err(self.error(machine, ErrorKind::Device)),
            Op::Clock => one(crate::clock::now_ns()),
            Op::AsyncEvent => one(self.scalar(machine, data.args[0]).max(1)),
            Op::Memcpy => {
                let [dst, src, n] = [0, 1, 2].map(|k| self.scalar(machine, data.args[k]));
                if n == 0 {
                    return Ok(());
                }
                let bytes = machine.memory.bytes(src, n).map(<[u8]>::to_vec);
                let bytes = self.checked(machine, bytes)?;
                let copied = machine.memory.bytes_mut(dst, n).map(|to| to.copy_from_slice(&bytes));
                return self.checked(machine, copied);
            }
            Op::Memset => {
                let [dst, byte, n] = [0, 1, 2].map(|k| self.scalar(machine, data.args[k]));
                if n == 0 {
                    return Ok(());
                }
                let filled = machine.memory.bytes_mut(dst, n).map(|to| to.fill(byte as u8));
                return self.checked(machine, filled);
            }
            op => {
                let types: SmallVec<[Type; 4]> = data.args.iter().map(|v| func.ty(*v)).collect();
                let args: SmallVec<[&[u64]; 4]> = data.args.iter().map(|v| self.slice(machine, *v)).collect();
                match value::eval(op, &data.imm, &data.attr, ty, &types, &args, func.flushes_denormals) {
                    Some(lanes) => lanes,
                    None => return Err(self.error(machine, ErrorKind::Launch)),
                }
            }
        };
        if let Some(v) = data.result {
            self.define(machine, v, &result);
        }
        Ok(())
    }

    fn checked<T>(&self, machine: &Machine<'_>, result: Result<T, Fault>) -> Result<T, Error> {
        result.map_err(|fault| self.error(machine, ErrorKind::Memory(fault)))
    }
}

fn one(v: u64) -> Lanes {
    Lanes::from_slice(&[v])
}

fn query(group: &Group, op: Op, imm: &Imm, lid: [u64; 3]) -> u64 {
    let d = match imm {
        Imm::Dim(d) => usize::from(*d).min(2),
        _ => 0,
    };
    let launch = &group.launch;
    let items = |size: [u64; 3]| size.iter().product::<u64>();
    let linear = lid[0] + group.size[0] * (lid[1] + group.size[1] * lid[2]);
    match op {
        Op::Lid => lid[d],
        Op::Gid => launch.global_offset[d].wrapping_add(group.id[d] * launch.local_size[d]).wrapping_add(lid[d]),
        Op::Grp => group.id[d],
        Op::Lsz => group.size[d],
        Op::Elsz => launch.local_size[d],
        Op::Gsz => launch.global_size[d],
        Op::SgMax => group.sub_group,
        Op::SgSize => group.sub_group.min(items(group.size) - linear / group.sub_group * group.sub_group),
        Op::SgLid => linear % group.sub_group,
        Op::SgId => linear / group.sub_group,
        Op::SgNum => items(group.size).div_ceil(group.sub_group),
        Op::SgEnum => items(launch.local_size).div_ceil(group.sub_group),
        Op::Ngrp => launch.num_groups()[d],
        Op::Goff => launch.global_offset[d],
        _ => u64::from(launch.work_dim),
    }
}

fn rmw(op: RmwOp, ty: Type, old: &[u64], operand: &[u64], flushes: bool) -> Lanes {
    let op = match op {
        RmwOp::Xchg => return Lanes::from_slice(operand),
        RmwOp::Add => Op::Add,
        RmwOp::Sub => Op::Sub,
        RmwOp::And => Op::And,
        RmwOp::Or => Op::Or,
        RmwOp::Xor => Op::Xor,
        RmwOp::MinS => Op::MinS,
        RmwOp::MinU => Op::MinU,
        RmwOp::MaxS => Op::MaxS,
        RmwOp::MaxU => Op::MaxU,
        RmwOp::Fadd => Op::Fadd,
    };
    let new = value::eval(op, &Imm::None, &Attr::default(), ty, &[ty, ty], &[old, operand], flushes);
    new.expect("these are pure operations")
}

/// Formats a call into the machine's output.
fn printf(machine: &mut Machine<'_>, format: u64, types: u64, args: u64) -> Result<i32, Fault> {
    let memory = &machine.memory;
    let string = |mut at: u64, most: usize| -> Result<Vec<u8>, Fault> {
        let mut bytes = Vec::new();
        while bytes.len() < most {
            match memory.bytes(at, 1)?[0] {
                0 => break,
                byte => bytes.push(byte),
            }
            at += 1;
        }
        Ok(bytes)
    };
    let (format, types) = (string(format, usize::MAX)?, string(types, usize::MAX)?);
    let args = memory.bytes(args, crate::printf::layout(&types).1 as u64)?;
    let output = &mut machine.output;
    let own = |at: u64| memory.kind(at) == Some(Kind::Global);
    let text = |at: u64, most: usize| own(at).then(|| string(at, most).ok()).flatten();
    Ok(if crate::printf::format(output, &format, &types, args, &text).is_ok() { 0 } else { -1 })
}

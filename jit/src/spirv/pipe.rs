//! Instructions on pipes: those of OpenCL C under other names, with the packets' size as an operand. Types of pipes say
//! no more than which end they are. Spec: SPIR-V, "Pipe Instructions".

use super::function::{Def, FuncCx};
use super::ty::Kind;
use super::words::{Id, Inst};
use crate::builtin::{PipeBy, PipeEnd, PipeFn};
use crate::image::ImageAccess;
use crate::ir::{Type, Value};
use spirv::Op;

/// What an instruction does, and how many operands its scope takes.
fn function(op: Op) -> Option<(PipeFn, usize)> {
    let (read, write) = (PipeEnd::Read, PipeEnd::Write);
    Some(match op {
        Op::ReadPipe => (PipeFn::Move(read), 0),
        Op::WritePipe => (PipeFn::Move(write), 0),
        Op::ReservedReadPipe => (PipeFn::MoveReserved(read), 0),
        Op::ReservedWritePipe => (PipeFn::MoveReserved(write), 0),
        Op::ReserveReadPipePackets => (PipeFn::Reserve(read, PipeBy::Item), 0),
        Op::ReserveWritePipePackets => (PipeFn::Reserve(write, PipeBy::Item), 0),
        Op::CommitReadPipe => (PipeFn::Commit(read, PipeBy::Item), 0),
        Op::CommitWritePipe => (PipeFn::Commit(write, PipeBy::Item), 0),
        Op::GroupReserveReadPipePackets => (PipeFn::Reserve(read, PipeBy::WorkGroup), 1),
        Op::GroupReserveWritePipePackets => (PipeFn::Reserve(write, PipeBy::WorkGroup), 1),
        Op::GroupCommitReadPipe => (PipeFn::Commit(read, PipeBy::WorkGroup), 1),
        Op::GroupCommitWritePipe => (PipeFn::Commit(write, PipeBy::WorkGroup), 1),
        Op::IsValidReserveId => (PipeFn::IsValid, 0),
        Op::GetNumPipePackets => (PipeFn::NumPackets, 0),
        Op::GetMaxPipePackets => (PipeFn::MaxPackets, 0),
        _ => return None,
    })
}

impl FuncCx<'_> {
    /// Instructions on pipes with a result; `None` for others.
    pub(super) fn pipe_result(&mut self, op: Op, inst: &Inst, ty: Id) -> Result<Option<Def>, String> {
        let Some((what, scopes)) = function(op).filter(|(what, _)| !matches!(what, PipeFn::Commit(..))) else {
            return Ok(None);
        };
        let to = self.kir(ty)?;
        let ret = match what {
            PipeFn::IsValid => Type::I1,
            PipeFn::Reserve(..) => Type::I64,
            _ => Type::I32,
        };
        let value = self.pipe_call(what, inst, 2, scopes, ret)?.ok_or("a value is wanted")?;
        self.want(value, to)?;
        Ok(Some(Def::Value(value)))
    }

    /// Commits; false for others.
    pub(super) fn pipe_effect(&mut self, op: Op, inst: &Inst) -> Result<bool, String> {
        let Some((what @ PipeFn::Commit(..), scopes)) = function(op) else { return Ok(false) };
        self.pipe_call(what, inst, 0, scopes, Type::I32)?;
        Ok(true)
    }

    /// The operands from number `first` on: scope, pipe, what the function takes, size and alignment of packets.
    fn pipe_call(
        &mut self,
        what: PipeFn,
        inst: &Inst,
        first: usize,
        scopes: usize,
        ret: Type,
    ) -> Result<Option<Value>, String> {
        let what = match (what, scopes) {
            (_, 0) => what,
            (_, _) if self.is_work_group(inst.word(first)?)? => what,
            (PipeFn::Reserve(end, _), _) => PipeFn::Reserve(end, PipeBy::SubGroup),
            (PipeFn::Commit(end, _), _) => PipeFn::Commit(end, PipeBy::SubGroup),
            (_, _) => return Err("this instruction has no scope".into()),
        };
        let operands = inst.rest(first + scopes);
        if what == PipeFn::IsValid {
            let id = self.value(inst.word(first)?)?;
            self.want(id, Type::I64)?;
            return Ok(self.e.pipe(what, 0, &[id], ret));
        }
        // Number of packets or reservation, index, pointer: integers have 32 bits, ids 64.
        let (end, types): (_, &[Option<Type>]) = match what {
            PipeFn::Move(end) => (Some(end), &[None]),
            PipeFn::MoveReserved(end) => (Some(end), &[Some(Type::I64), Some(Type::I32), None]),
            PipeFn::Reserve(end, _) => (Some(end), &[Some(Type::I32)]),
            PipeFn::Commit(end, _) => (Some(end), &[Some(Type::I64)]),
            PipeFn::IsValid | PipeFn::NumPackets | PipeFn::MaxPackets => (None, &[]),
        };
        let &[pipe, ref rest @ ..] = operands else { return Err("operands are missing".into()) };
        self.check_pipe(pipe, end)?;
        let &[size, _] = rest.get(types.len()..).unwrap_or(&[]) else { return Err("operands are missing".into()) };
        let bytes = u32::try_from(self.module.int(size)?).ok().filter(|&bytes| bytes > 0);
        let bytes = bytes.ok_or("packets of this size are not supported")?;
        let mut args = vec![self.pointer(pipe)?];
        for (&id, ty) in rest.iter().zip(types) {
            args.push(match ty {
                Some(ty) => {
                    let value = self.value(id)?;
                    self.want(value, *ty)?;
                    value
                }
                None => self.pointer(id)?,
            });
        }
        Ok(self.e.pipe(what, bytes, &args, ret))
    }

    /// The operand is a pipe, and the end that is wanted.
    fn check_pipe(&self, id: Id, end: Option<PipeEnd>) -> Result<(), String> {
        let Kind::Pipe { access } = self.module.ty(self.type_of(id)?)?.kind else {
            return Err(format!("%{id} is no pipe"));
        };
        let wanted = end.map(|end| if end == PipeEnd::Read { ImageAccess::Read } else { ImageAccess::Write });
        if wanted.is_some_and(|wanted| wanted != access) {
            return Err(format!("%{id} is the other end of a pipe"));
        }
        Ok(())
    }
}

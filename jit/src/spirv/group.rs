//! Instructions on groups: barriers, asynchronous copies, and the collectives of work-groups and sub-groups. Those of
//! sub-groups are functions of OpenCL C by other names. Spec: SPIR-V, "Group and Subgroup Instructions", "Non-Uniform
//! Instructions", "Barrier Instructions".

use super::call::Operand;
use super::function::{Def, FuncCx};
use super::ty::Kind;
use super::words::{Id, Inst};
use crate::hir::Builtin;
use crate::ir::op::Rounding;
use crate::ir::{CollectiveOp, Imm, Op as Kir, Scalar, Type, Value};
use crate::lower::builtin::Arg;
use spirv::{GroupOperation, MemorySemantics, Op, Scope};

/// A collective that combines operands.
struct Combines {
    what: CollectiveOp,
    /// End of the OpenCL C names.
    suffix: &'static str,
    /// Of integers that are compared.
    sign: Option<bool>,
    /// `OpGroupNonUniform…`
    non_uniform: bool,
}

/// What the collective instructions do with their operands.
fn combines(op: Op) -> Option<Combines> {
    let (what, suffix, sign, non_uniform) = match op {
        Op::GroupIAdd => (CollectiveOp::Add, "add", None, false),
        Op::GroupFAdd => (CollectiveOp::Fadd, "add", None, false),
        Op::GroupFMin => (CollectiveOp::Fmin, "min", None, false),
        Op::GroupUMin => (CollectiveOp::MinU, "min", Some(false), false),
        Op::GroupSMin => (CollectiveOp::MinS, "min", Some(true), false),
        Op::GroupFMax => (CollectiveOp::Fmax, "max", None, false),
        Op::GroupUMax => (CollectiveOp::MaxU, "max", Some(false), false),
        Op::GroupSMax => (CollectiveOp::MaxS, "max", Some(true), false),
        Op::GroupIMulKHR => (CollectiveOp::Mul, "mul", None, true),
        Op::GroupFMulKHR => (CollectiveOp::Fmul, "mul", None, true),
        Op::GroupBitwiseAndKHR => (CollectiveOp::And, "and", None, true),
        Op::GroupBitwiseOrKHR => (CollectiveOp::Or, "or", None, true),
        Op::GroupBitwiseXorKHR => (CollectiveOp::Xor, "xor", None, true),
        Op::GroupLogicalAndKHR => (CollectiveOp::And, "logical_and", None, true),
        Op::GroupLogicalOrKHR => (CollectiveOp::Or, "logical_or", None, true),
        Op::GroupLogicalXorKHR => (CollectiveOp::Xor, "logical_xor", None, true),
        Op::GroupNonUniformIAdd => (CollectiveOp::Add, "add", None, true),
        Op::GroupNonUniformFAdd => (CollectiveOp::Fadd, "add", None, true),
        Op::GroupNonUniformIMul => (CollectiveOp::Mul, "mul", None, true),
        Op::GroupNonUniformFMul => (CollectiveOp::Fmul, "mul", None, true),
        Op::GroupNonUniformSMin => (CollectiveOp::MinS, "min", Some(true), true),
        Op::GroupNonUniformUMin => (CollectiveOp::MinU, "min", Some(false), true),
        Op::GroupNonUniformFMin => (CollectiveOp::Fmin, "min", None, true),
        Op::GroupNonUniformSMax => (CollectiveOp::MaxS, "max", Some(true), true),
        Op::GroupNonUniformUMax => (CollectiveOp::MaxU, "max", Some(false), true),
        Op::GroupNonUniformFMax => (CollectiveOp::Fmax, "max", None, true),
        Op::GroupNonUniformBitwiseAnd => (CollectiveOp::And, "and", None, true),
        Op::GroupNonUniformBitwiseOr => (CollectiveOp::Or, "or", None, true),
        Op::GroupNonUniformBitwiseXor => (CollectiveOp::Xor, "xor", None, true),
        Op::GroupNonUniformLogicalAnd => (CollectiveOp::And, "logical_and", None, true),
        Op::GroupNonUniformLogicalOr => (CollectiveOp::Or, "logical_or", None, true),
        Op::GroupNonUniformLogicalXor => (CollectiveOp::Xor, "logical_xor", None, true),
        _ => return None,
    };
    Some(Combines { what, suffix, sign, non_uniform })
}

/// Functions of sub-groups whose operands are those of the instruction behind the scope.
fn sub_group_function(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::GroupNonUniformElect => "sub_group_elect",
        Op::GroupNonUniformAll => "sub_group_non_uniform_all",
        Op::GroupNonUniformAny => "sub_group_non_uniform_any",
        Op::GroupNonUniformAllEqual => "sub_group_non_uniform_all_equal",
        Op::GroupNonUniformBroadcast => "sub_group_non_uniform_broadcast",
        Op::GroupNonUniformBroadcastFirst => "sub_group_broadcast_first",
        Op::GroupNonUniformBallot => "sub_group_ballot",
        Op::GroupNonUniformInverseBallot => "sub_group_inverse_ballot",
        Op::GroupNonUniformBallotBitExtract => "sub_group_ballot_bit_extract",
        Op::GroupNonUniformBallotFindLSB => "sub_group_ballot_find_lsb",
        Op::GroupNonUniformBallotFindMSB => "sub_group_ballot_find_msb",
        Op::GroupNonUniformShuffle => "sub_group_shuffle",
        Op::GroupNonUniformShuffleXor => "sub_group_shuffle_xor",
        Op::GroupNonUniformShuffleUp => "sub_group_shuffle_up",
        Op::GroupNonUniformShuffleDown => "sub_group_shuffle_down",
        _ => return None,
    })
}

/// Functions of sub-groups whose operands are all those of the instruction.
fn intel_function(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::SubgroupShuffleINTEL => "intel_sub_group_shuffle",
        Op::SubgroupShuffleDownINTEL => "intel_sub_group_shuffle_down",
        Op::SubgroupShuffleUpINTEL => "intel_sub_group_shuffle_up",
        Op::SubgroupShuffleXorINTEL => "intel_sub_group_shuffle_xor",
        Op::SubgroupBallotKHR => "sub_group_ballot",
        Op::SubgroupFirstInvocationKHR => "sub_group_broadcast_first",
        Op::SubgroupReadInvocationKHR => "sub_group_non_uniform_broadcast",
        Op::SubgroupAllKHR => "sub_group_non_uniform_all",
        Op::SubgroupAnyKHR => "sub_group_non_uniform_any",
        Op::SubgroupAllEqualKHR => "sub_group_non_uniform_all_equal",
        _ => return None,
    })
}

impl FuncCx<'_> {
    fn is_device(&self, scope: Id) -> bool {
        self.module.int(scope).is_ok_and(|scope| Scope::from_u32(scope as u32) == Some(Scope::Device))
    }

    /// Whether a scope is the work-group (true) or the sub-group (false).
    pub(super) fn is_work_group(&self, scope: Id) -> Result<bool, String> {
        let scope = self.module.int(scope).map_err(|_| format!("the scope %{scope} is no constant"))?;
        match Scope::from_u32(scope as u32) {
            Some(Scope::Workgroup) => Ok(true),
            Some(Scope::Subgroup) => Ok(false),
            _ => Err("the scope is neither work-group nor sub-group".into()),
        }
    }

    fn values(&mut self, ids: &[Id]) -> Result<Vec<Value>, String> {
        ids.iter().map(|&id| self.value(id)).collect()
    }

    /// Instructions on groups with a result; `None` for others.
    pub(super) fn group(&mut self, op: Op, inst: &Inst, ty: Id) -> Result<Option<Def>, String> {
        let Some(to) = self.module.ty(ty)?.value else { return Ok(None) };
        let value = if let Some(combines) = combines(op) {
            self.combined(&combines, inst, to)?
        } else if let Some(name) = sub_group_function(op) {
            if self.is_work_group(inst.word(2)?)? {
                return Err("the scope is not the sub-group".into());
            }
            let args = self.values(inst.rest(3))?;
            self.named_bool(name, &args, None, to)?
        } else if let Some(name) = intel_function(op) {
            let args = self.values(inst.rest(2))?;
            self.named_bool(name, &args, None, to)?
        } else {
            match op {
                Op::GroupAll | Op::GroupAny => self.vote(op, inst, to)?,
                Op::GroupBroadcast => self.broadcast(inst, to)?,
                Op::GroupNonUniformRotateKHR => {
                    let args = self.values(inst.rest(3))?;
                    let name = if args.len() == 3 { "sub_group_clustered_rotate" } else { "sub_group_rotate" };
                    self.named_bool(name, &args, None, to)?
                }
                Op::GroupNonUniformBallotBitCount => {
                    let name = match GroupOperation::from_u32(inst.word(3)?) {
                        Some(GroupOperation::Reduce) => "sub_group_ballot_bit_count",
                        Some(GroupOperation::InclusiveScan) => "sub_group_ballot_inclusive_scan",
                        Some(GroupOperation::ExclusiveScan) => "sub_group_ballot_exclusive_scan",
                        _ => return Err("this group operation is not supported".into()),
                    };
                    let args = self.values(inst.rest(4))?;
                    self.named_bool(name, &args, None, to)?
                }
                Op::GroupAsyncCopy => self.async_copy(inst)?,
                Op::UntypedGroupAsyncCopyKHR => self.untyped_async_copy(inst)?,
                Op::SubgroupBlockReadINTEL => {
                    let pointer = self.arg(inst.word(2)?)?;
                    let name = format!("intel_sub_group_block_read{}", block_suffix(to)?);
                    let value = self.named(&name, &[pointer], None)?;
                    value.ok_or("a value is wanted")?
                }
                Op::SubgroupImageBlockReadINTEL => {
                    let (image, coords) = (self.arg(inst.word(2)?)?, self.arg(inst.word(3)?)?);
                    let name = format!("intel_sub_group_block_read{}", block_suffix(to)?);
                    let value = self.named(&name, &[image, coords], None)?;
                    value.ok_or("a value is wanted")?
                }
                _ => return Ok(None),
            }
        };
        self.want(value, to)?;
        Ok(Some(Def::Value(value)))
    }

    fn vote(&mut self, op: Op, inst: &Inst, to: Type) -> Result<Value, String> {
        let cond = self.operand(inst, 1)?;
        self.want(cond, Type::I1)?;
        if self.is_work_group(inst.word(2)?)? {
            let kir = if op == Op::GroupAll { Kir::WgAll } else { Kir::WgAny };
            return Ok(self.e.emit(kir, Type::I1, &[cond], Imm::None));
        }
        self.named_bool(if op == Op::GroupAll { "sub_group_all" } else { "sub_group_any" }, &[cond], None, to)
    }

    fn broadcast(&mut self, inst: &Inst, to: Type) -> Result<Value, String> {
        let (value, id) = (self.operand(inst, 1)?, self.operand(inst, 2)?);
        self.want(value, to)?;
        let id_ty = self.e.func.ty(id);
        if !id_ty.is_int() || id_ty.lanes > 3 || id_ty.elem == Scalar::I1 {
            return Err("a local id has at most three components".into());
        }
        if !self.is_work_group(inst.word(2)?)? {
            let id = self.e.convert_lanes(id, Type::I32, [false; 2], false, Rounding::Rte);
            return self.named_bool("sub_group_broadcast", &[value, id], None, to);
        }
        let mut args = vec![Arg { value, signed: false, pointee: None }];
        for lane in 0..id_ty.lanes {
            let id = self.e.extract(id, lane);
            let id = self.index(id, false)?;
            args.push(Arg { value: id, signed: false, pointee: None });
        }
        let value = self.e.builtin(&Builtin::Collective(Kir::WgBroadcast, None), &args, Some(to));
        value.ok_or_else(|| "a value is wanted".into())
    }

    /// Reductions and scans.
    fn combined(&mut self, how: &Combines, inst: &Inst, to: Type) -> Result<Value, String> {
        let operation = GroupOperation::from_u32(inst.word(3)?).ok_or("unknown group operation")?;
        let value = self.operand(inst, 2)?;
        self.want(value, to)?;
        let is_logical = how.suffix.starts_with("logical");
        if to.is_float() != how.what.is_float() || to.is_ptr() || is_logical != (to.elem == Scalar::I1) {
            return Err("no number that this operation takes".into());
        }
        if self.is_work_group(inst.word(2)?)? {
            let kir = match operation {
                GroupOperation::Reduce => Kir::WgReduce,
                GroupOperation::InclusiveScan => Kir::WgScanInc,
                GroupOperation::ExclusiveScan => Kir::WgScanExc,
                _ => return Err("work-groups do not have this group operation".into()),
            };
            return Ok(self.e.emit(kir, to, &[value], Imm::Collective(how.what)));
        }
        let name = match operation {
            GroupOperation::Reduce => "reduce",
            GroupOperation::InclusiveScan => "scan_inclusive",
            GroupOperation::ExclusiveScan => "scan_exclusive",
            GroupOperation::ClusteredReduce => {
                let args = [value, self.operand(inst, 3)?];
                return self.named_bool(&format!("sub_group_clustered_reduce_{}", how.suffix), &args, how.sign, to);
            }
            _ => return Err("this group operation is not supported".into()),
        };
        let kind = if how.non_uniform { "non_uniform_" } else { "" };
        self.named_bool(&format!("sub_group_{kind}{name}_{}", how.suffix), &[value], how.sign, to)
    }

    /// Scope, destination, source, number of elements, stride, event.
    fn async_copy(&mut self, inst: &Inst) -> Result<Value, String> {
        let mut args = Vec::with_capacity(5);
        for n in 3..8 {
            let Operand { value, pointee, .. } = self.arg(inst.word(n)?)?;
            let value = if matches!(n, 5 | 6) { self.index(value, false)? } else { value };
            args.push(Arg { value, signed: false, pointee });
        }
        for n in [3, 4] {
            // The number of elements is of these: a pointer to an array would copy as many arrays.
            let element = &self.module.ty(self.pointee(inst.word(n)?)?)?.kind;
            if !matches!(element, Kind::Int | Kind::Float | Kind::Vector { .. }) {
                return Err("groups copy numbers or vectors".into());
            }
        }
        let event = self.e.builtin(&Builtin::AsyncStridedCopy, &args, Some(Type::I64));
        event.ok_or_else(|| "a value is wanted".into())
    }

    /// Scope, destination, source, bytes of an element, number of elements, stride in bytes, event.
    fn untyped_async_copy(&mut self, inst: &Inst) -> Result<Value, String> {
        let [to, from] = [3, 4].map(|n| inst.word(n).and_then(|id| self.pointer(id)));
        let (to, from) = (to?, from?);
        let bytes = self.module.int(inst.word(5)?)?;
        let size = u32::try_from(bytes).ok().filter(|&size| size > 0);
        let size = size.ok_or_else(|| format!("elements of {bytes} bytes are not copied"))?;
        let [n, stride] = [6, 7].map(|n| {
            let value = self.value(inst.word(n)?)?;
            self.index(value, false)
        });
        let event = self.value(inst.word(8)?)?;
        Ok(self.e.copy_by_group([to, from], size, [n?, stride?], event))
    }

    /// The regions of memory that a barrier with these semantics orders, as in `cl_mem_fence_flags`: all if they are no
    /// constant.
    fn regions(&self, semantics: Id) -> u64 {
        let Ok(semantics) = self.module.int(semantics) else { return 3 };
        let semantics = MemorySemantics::from_bits_truncate(semantics as u32);
        let has = |region: MemorySemantics| u64::from(semantics.contains(region));
        has(MemorySemantics::WORKGROUP_MEMORY) | has(MemorySemantics::CROSS_WORKGROUP_MEMORY) << 1
    }

    /// Barriers and what else has no result; false for others.
    pub(super) fn group_effect(&mut self, op: Op, inst: &Inst) -> Result<bool, String> {
        match op {
            Op::ControlBarrier if self.is_device(inst.word(0)?) => self.e.device_barrier(),
            Op::ControlBarrier | Op::ControlBarrierWaitINTEL => match self.is_work_group(inst.word(0)?)? {
                true => {
                    let regions = self.regions(inst.word(2)?);
                    let value = self.e.bits(Type::I32, regions);
                    self.e.builtin(&Builtin::Barrier, &[Arg { value, signed: false, pointee: None }], None);
                }
                false => {
                    let flags = self.e.bits(Type::I32, 3);
                    self.named("sub_group_barrier", &[flags.into()], None)?;
                }
            },
            Op::GroupWaitEvents => {
                let args = [self.value(inst.word(1)?)?, self.pointer(inst.word(2)?)?];
                let args = args.map(|value| Arg { value, signed: false, pointee: None });
                self.e.builtin(&Builtin::WaitGroupEvents, &args, None);
            }
            Op::SubgroupBlockWriteINTEL => {
                let (pointer, data) = (self.arg(inst.word(0)?)?, self.value(inst.word(1)?)?);
                let name = format!("intel_sub_group_block_write{}", block_suffix(self.e.func.ty(data))?);
                self.named(&name, &[pointer, data.into()], None)?;
            }
            Op::SubgroupImageBlockWriteINTEL => {
                let (image, coords) = (self.arg(inst.word(0)?)?, self.arg(inst.word(1)?)?);
                let data = self.value(inst.word(2)?)?;
                let name = format!("intel_sub_group_block_write{}", block_suffix(self.e.func.ty(data))?);
                self.named(&name, &[image, coords, data.into()], None)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// How names of block reads and writes of this type end.
fn block_suffix(ty: Type) -> Result<String, String> {
    let elem = match ty.elem {
        Scalar::I8 => "_uc",
        Scalar::I16 => "_us",
        Scalar::I32 => "",
        Scalar::I64 => "_ul",
        _ => return Err("blocks are of integers".into()),
    };
    Ok(if ty.lanes == 1 { elem.to_owned() } else { format!("{elem}{}", ty.lanes) })
}

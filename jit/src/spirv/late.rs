//! Constants that only a function can compute, since addresses of variables take part in them: the lower half of one,
//! or a product. `deferred` tells them when a module is read; a function that uses some computes them at its start, by
//! the instructions that a body has for the same operations. Must not know what the operations do.
//! Spec: SPIR-V, "Constant-Creation Instructions", OpSpecConstantOp.

use super::constant::{Const, is_untyped_chain};
use super::function::FuncCx;
use super::module::{Function, Module};
use super::ty::{Kind, Ty};
use super::words::{Id, Inst, Words};
use crate::ir::Type;
use rustc_hash::FxHashSet;
use spirv::Op;

/// An instruction for functions.
#[derive(Clone, Debug)]
pub struct Late {
    op: Op,
    /// Word at which the constant stands in the module.
    at: usize,
    /// The operands behind type and result.
    args: Vec<u32>,
}

/// Most operands of such instructions that the functions of a module have, in all.
const MAX_WORK: usize = 1 << 20;

impl Module {
    fn is_late(&self, id: Id) -> bool {
        matches!(self.constants.get(&id), Some(constant) if matches!(constant.value, Const::Late(_)))
    }

    /// Whether it is an address, or comes of one.
    fn is_address(&self, id: Id) -> bool {
        self.is_late(id) || self.place(id).is_ok()
    }

    /// The instruction for functions that this constant of type `of` stands for; `None` if its value is known before.
    ///
    /// # Errors
    /// It is none that computes.
    pub(super) fn deferred(&self, op: Op, inst: &Inst, of: &Ty) -> Result<Option<Const>, String> {
        let is_number = of.value.is_some();
        let late = |op: Op, args: &[u32]| Some(Const::Late(Box::new(Late { op, at: inst.at, args: args.to_vec() })));
        // Addresses are parts of structs and arrays, but not of vectors of numbers.
        let has_late =
            |parts: &[Id]| parts.iter().any(|&id| if is_number { self.is_address(id) } else { self.is_late(id) });
        let parts = inst.rest(2);
        Ok(match op {
            Op::ConstantComposite | Op::SpecConstantComposite if has_late(parts) => late(Op::CompositeConstruct, parts),
            Op::ConstantCompositeReplicateEXT | Op::SpecConstantCompositeReplicateEXT if has_late(parts) => {
                late(Op::CompositeConstructReplicateEXT, parts)
            }
            Op::SpecConstantOp => {
                let (op, args) = (Op::from_u32(inst.word(2)?), inst.rest(3));
                match op {
                    Some(op) if self.needs_function(op, args, of) => {
                        if !computes(op) {
                            return Err(format!("Op{op:?} of an address is not supported"));
                        }
                        late(op, args)
                    }
                    _ => None,
                }
            }
            _ => None,
        })
    }

    /// Whether an operation on constants has to wait for a function.
    fn needs_function(&self, op: Op, args: &[u32], of: &Ty) -> bool {
        let any_late = |args: &[u32]| args.iter().any(|&id| self.is_late(id));
        match op {
            // Behind the operands stand numbers of parts.
            Op::CompositeExtract => any_late(args.get(..1).unwrap_or(args)),
            Op::CompositeInsert => any_late(args.get(..2).unwrap_or(args)),
            Op::VectorShuffle => any_late(args.get(..2).unwrap_or(args)),
            _ if let Kind::Pointer { .. } = of.kind => {
                // A chain begins with an address; a type may stand in front of it.
                let others = if op == Op::Select { 0 } else { 1 + usize::from(is_untyped_chain(op)) };
                any_late(args) || args.iter().skip(others).any(|&id| self.is_address(id))
            }
            // All of an address, which can stand in memory.
            Op::ConvertPtrToU | Op::Bitcast if of.value == Some(Type::I64) => any_late(args),
            _ => args.iter().any(|&id| self.is_address(id)),
        }
    }
}

/// Whether `OpSpecConstantOp` has this operation, and functions have it too.
fn computes(op: Op) -> bool {
    use Op::{
        AccessChain, Bitcast, BitwiseAnd, BitwiseOr, BitwiseXor, CompositeExtract, CompositeInsert, ConvertFToS,
        ConvertFToU, ConvertPtrToU, ConvertSToF, ConvertUToF, ConvertUToPtr, CopyObject, FAdd, FConvert, FDiv, FMod,
        FMul, FNegate, FRem, FSub, GenericCastToPtr, IAdd, IEqual, IMul, INotEqual, ISub, InBoundsAccessChain,
        InBoundsPtrAccessChain, LogicalAnd, LogicalEqual, LogicalNot, LogicalNotEqual, LogicalOr, Not, PtrAccessChain,
        PtrCastToGeneric, QuantizeToF16, SConvert, SDiv, SGreaterThan, SGreaterThanEqual, SLessThan, SLessThanEqual,
        SMod, SNegate, SRem, Select, ShiftLeftLogical, ShiftRightArithmetic, ShiftRightLogical, UConvert, UDiv,
        UGreaterThan, UGreaterThanEqual, ULessThan, ULessThanEqual, UMod, VectorShuffle,
    };
    let conversions = matches!(
        op,
        SConvert
            | UConvert
            | FConvert
            | ConvertFToS
            | ConvertFToU
            | ConvertSToF
            | ConvertUToF
            | QuantizeToF16
            | ConvertPtrToU
            | ConvertUToPtr
            | GenericCastToPtr
            | PtrCastToGeneric
            | Bitcast
            | CopyObject
    );
    let arithmetic = matches!(
        op,
        SNegate
            | IAdd
            | ISub
            | IMul
            | UDiv
            | SDiv
            | UMod
            | SRem
            | SMod
            | FNegate
            | FAdd
            | FSub
            | FMul
            | FDiv
            | FRem
            | FMod
    );
    let bits = matches!(
        op,
        Not | ShiftRightLogical | ShiftRightArithmetic | ShiftLeftLogical | BitwiseOr | BitwiseXor | BitwiseAnd
    );
    let choices = matches!(
        op,
        LogicalOr
            | LogicalAnd
            | LogicalNot
            | LogicalEqual
            | LogicalNotEqual
            | Select
            | IEqual
            | INotEqual
            | UGreaterThan
            | SGreaterThan
            | UGreaterThanEqual
            | SGreaterThanEqual
            | ULessThan
            | SLessThan
            | ULessThanEqual
            | SLessThanEqual
    );
    let parts = matches!(
        op,
        VectorShuffle
            | CompositeExtract
            | CompositeInsert
            | AccessChain
            | InBoundsAccessChain
            | PtrAccessChain
            | InBoundsPtrAccessChain
    );
    conversions || arithmetic || bits || choices || parts || is_untyped_chain(op)
}

impl FuncCx<'_> {
    /// Computes the constants that a function uses and that only functions know. It stands in the first block.
    pub(super) fn late_constants(&mut self, words: &Words, func: &Function) -> Result<(), String> {
        let module = self.module;
        if !module.has_late {
            return Ok(());
        }
        // Literals that look like ids of constants cost no more than the constants do.
        let body = words.insts_from(func.body).take_while(|inst| inst.op() != Some(Op::FunctionEnd));
        let late = |id: Id| match module.constants.get(&id).map(|constant| (constant.ty, &constant.value)) {
            Some((ty, Const::Late(late))) => Some((late.at, id, ty, &**late)),
            _ => None,
        };
        let mut work: Vec<Id> = body.flat_map(|inst| inst.words.iter().copied()).collect();
        let (mut seen, mut found) = (FxHashSet::default(), Vec::new());
        while let Some(id) = work.pop() {
            if let Some(constant) = late(id)
                && seen.insert(id)
            {
                found.push(constant);
                work.extend(&constant.3.args);
            }
        }
        // What a constant is made of is declared before it.
        found.sort_unstable_by_key(|constant| constant.0);
        for (at, id, ty, late) in found {
            self.places.late_work += late.args.len() + 1;
            let words = [&[ty, id], &late.args[..]].concat();
            let inst = Inst { at, opcode: late.op as u16, words: &words };
            self.at = at;
            if self.places.late_work > MAX_WORK {
                return Err("so many constants of addresses are not supported".into());
            }
            self.inst(&inst)?;
        }
        Ok(())
    }
}

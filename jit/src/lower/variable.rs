//! Variables of the source as debuggers know them (`ir::variable`): names, types and scopes of the HIR's locals, and
//! the ids of the work-item, which a kernel has in variables of its own. For programs that are built with
//! `-g -cl-opt-disable` only: accesses to their variables are volatile, so that each is in memory as soon as the line
//! that writes it is done.

use super::Extras;
use super::emit::Emitter;
use super::func::FuncCx;
use crate::hir::{LocalId, OpaqueKind, Ty, TyKind, Types, Var, WgVar};
use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::origin::Origins;
use crate::ir::variable::{Encoding, IDS, ProgramVariable, Variable, VariableType};
use crate::ir::{Attr, Imm, Op, Type};
use crate::source::Span;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Levels of records behind pointers of which the fields are told.
const RECORDS: u32 = 3;

/// Levels of types in each other; variables of deeper ones are not told of.
const DEPTH: u32 = 64;

/// Types that have been described, with the levels of records behind pointers; nothing for those that are too deep.
pub(super) type Described = FxHashMap<(Ty, u32), Option<Arc<VariableType>>>;

impl Emitter<'_> {
    /// How variables are accessed.
    pub(super) fn variable_attr(&self) -> Attr {
        let flags = if self.out.extras.contains(Extras::VARIABLES) { Flags::VOLATILE } else { Flags::empty() };
        Attr { flags, ..Attr::default() }
    }
}

/// Gives a kernel its ids as variables, declared at the current place, if debuggers are told of any.
pub(crate) fn keep_ids(e: &mut Emitter<'_>) {
    if !e.out.extras.contains(Extras::VARIABLES) {
        return;
    }
    let name = "size_t".into();
    let size_t = Arc::new(VariableType::Base { name, encoding: Encoding::Unsigned, size: 8 });
    for (name, op) in IDS.into_iter().zip([Op::Gid, Op::Lid, Op::Grp]) {
        let slot = e.slot(name, 24, 8);
        let ty = Arc::new(VariableType::Array { elem: size_t.clone(), len: 3 });
        let variable = Variable::new(ty, e.span.into());
        e.func.slots[slot].variable = Some(Box::new(variable));
        let ptr = e.slot_ptr(slot, 8);
        for dim in 0..3 {
            let id = e.emit(op, Type::I64, &[], Imm::Dim(dim));
            let at = e.ptr_off(ptr, 8 * i64::from(dim));
            let attr = e.variable_attr();
            e.push(Op::Store, None, &[at, id], Imm::None, attr);
        }
    }
}

impl FuncCx<'_, '_> {
    /// Tells of a local whose slot has been made.
    pub(super) fn describe(&mut self, id: LocalId) {
        let local = &self.hir.locals[id];
        if !self.out.extras.contains(Extras::VARIABLES) || local.name.is_empty() {
            return;
        }
        let types = &self.unit.types;
        let Some(ty) = describe(&mut self.out.described, types, local.ty, RECORDS, DEPTH) else { return };
        let is_parameter = id.index() < self.hir.n_params;
        let variable = Variable { is_parameter, ..Variable::new(ty, local.span.into()) };
        let slot = self.slot_of(id);
        self.func.slots[slot].variable = Some(Box::new(variable));
    }

    /// Says of locals that a block declared what they can be seen from: all that has been made since there were `insts`
    /// instructions.
    pub(super) fn leave_scope(&mut self, locals: &[LocalId], insts: usize) {
        // What has no expression has the function's own place.
        let (made, own) = (self.func.insts.values().skip(insts).map(|data| data.origin.span), self.hir.span);
        let mut scope: Vec<Span> = made.filter(|span| !span.is_dummy() && *span != own).collect();
        scope.sort_unstable();
        scope.dedup();
        if scope.is_empty() {
            return;
        }
        let scope: Arc<[Span]> = scope.into();
        for &id in locals {
            let slot = self.slot_of(id);
            if let Some(variable) = &mut self.func.slots[slot].variable {
                variable.scope = Some(scope.clone());
            }
        }
    }
}

/// A variable in local memory. It is seen from all of its kernel.
pub(super) fn of_group(described: &mut Described, types: &Types, var: &WgVar) -> Option<Box<Variable>> {
    let ty = describe(described, types, var.ty, RECORDS, DEPTH)?;
    Some(Box::new(Variable::new(ty, var.span.into())))
}

/// A variable at program scope.
pub(super) fn of_program(described: &mut Described, types: &Types, var: &Var) -> Option<Box<ProgramVariable>> {
    let ty = describe(described, types, var.ty, RECORDS, DEPTH)?;
    let origins = Origins::default();
    Some(Box::new(ProgramVariable { name: var.name.clone(), ty, declared: var.span, origins }))
}

/// A type as debuggers have it; nothing if it is too deep.
fn describe(described: &mut Described, types: &Types, ty: Ty, records: u32, depth: u32) -> Option<Arc<VariableType>> {
    if let Some(known) = described.get(&(ty, records)) {
        return known.clone();
    }
    let new = depth.checked_sub(1).and_then(|depth| describe_new(described, types, ty, records, depth));
    described.insert((ty, records), new.clone());
    new
}

fn describe_new(
    described: &mut Described,
    types: &Types,
    ty: Ty,
    records: u32,
    depth: u32,
) -> Option<Arc<VariableType>> {
    let size = types.size_align(ty).map_or(0, |(size, _)| size);
    let base = |name: &str, encoding, size| VariableType::Base { name: name.into(), encoding, size };
    let mut inner = |ty: Ty| describe(described, types, ty, records, depth);
    Some(Arc::new(match types.kind(ty) {
        TyKind::Bool => base("bool", Encoding::Boolean, 1),
        TyKind::Int { bits: 8, signed: true } => base("char", Encoding::SignedChar, 1),
        TyKind::Int { bits: 8, signed: false } => base("uchar", Encoding::UnsignedChar, 1),
        TyKind::Int { bits, signed } => {
            let name = match bits {
                16 => "short",
                32 => "int",
                _ => "long",
            };
            let name = if *signed { name.into() } else { format!("u{name}") };
            base(&name, if *signed { Encoding::Signed } else { Encoding::Unsigned }, bits / 8)
        }
        TyKind::Float { bits: 16 } => base("half", Encoding::Float, 2),
        TyKind::Float { bits: 32 } => base("float", Encoding::Float, 4),
        TyKind::Float { .. } => base("double", Encoding::Float, 8),
        TyKind::Enum(_) => base("int", Encoding::Signed, 4),
        TyKind::Atomic(value) => return inner(*value),
        TyKind::Vector { elem, lanes } => {
            let elem = inner(*elem)?;
            let of = if let VariableType::Base { name, .. } = &*elem { name } else { "" };
            VariableType::Vector { name: format!("{of}{lanes}"), elem, lanes: *lanes, size }
        }
        TyKind::Array { elem, len, .. } => VariableType::Array { elem: inner(*elem)?, len: len.unwrap_or(0) },
        TyKind::Pointer { pointee, .. } => VariableType::Pointer(match types.kind(*pointee) {
            TyKind::Void | TyKind::Error | TyKind::Function { .. } | TyKind::Opaque(_) => None,
            _ => records.checked_sub(1).and_then(|records| describe(described, types, *pointee, records, depth)),
        }),
        TyKind::Record(id) => {
            let record = &types.records[*id];
            let fields = record.fields.iter().map(|field| Some((field.name.clone(), field.offset, inner(field.ty)?)));
            VariableType::Record {
                name: record.name.clone(),
                is_union: record.is_union,
                size,
                fields: fields.collect::<Option<_>>()?,
            }
        }
        TyKind::Opaque(OpaqueKind::Sampler) => base("sampler_t", Encoding::Unsigned, 4),
        TyKind::Opaque(_) | TyKind::Void | TyKind::Error | TyKind::Function { .. } => VariableType::Pointer(None),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The type of the first variable at program scope.
    fn described(source: &str) -> Option<Arc<VariableType>> {
        let module =
            crate::program::lowered(source.as_bytes(), "-cl-std=CL3.0 -g -cl-opt-disable").expect("it is right");
        let first = module.globals.values().next().expect("a variable");
        first.variable.as_ref().map(|variable| variable.ty.clone())
    }

    #[test]
    fn a_type_is_described_once() {
        let ty = described("struct s { global struct s *a, *b; int c; }; global struct s one;").expect("it is told");
        let VariableType::Record { fields, .. } = &*ty else { panic!("{ty:?}") };
        assert!(Arc::ptr_eq(&fields[0].2, &fields[1].2) && fields[2].1 == 16, "{fields:?}");
    }

    #[test]
    fn types_that_are_too_deep_are_left_out() {
        let arrays = |n: usize| format!("global int deep{};", "[1]".repeat(n));
        assert!(described(&arrays(50)).is_some() && described(&arrays(200)).is_none());
    }
}

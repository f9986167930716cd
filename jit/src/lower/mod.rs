//! HIR → KIR. Everything the source language leaves to the compiler has been decided by `sema`; this stage spells it
//! out as control flow, address arithmetic and ops.
//!
//! Every variable gets a private slot; `pass::mem2reg` turns the ones whose address does not escape into SSA values.
//! Struct values are addresses; a struct parameter is the address of the caller's copy, a struct result is written
//! through a hidden first parameter. Booleans are `i1` as values and bytes 0/1 in memory. Lowering cannot fail.
//! `emit`, `builtin`, `atomic` and parts of `convert` and `vector` know no HIR function: the SPIR-V front end uses
//! them too. Start with `lower`, then `func` (statements), `expr`, `place`. Must not know the AST, passes or code
//! generation.

mod atomic;
pub(crate) mod builtin;
mod convert;
mod device;
pub(crate) mod emit;
mod expr;
mod func;
mod pipe;
mod place;
mod sub_group;
pub(crate) mod variable;
mod vector;

use crate::hir::{self, Linkage, OpaqueKind, Ty, TyKind, Types};
use crate::ir::{Func, FuncId, Global, Init, LocalVar, Module, Scalar, Type};
use crate::launch::AddrSpace;
use emit::Output;

/// A unit in KIR, who sees its names, and the builtin-library functions it still needs.
#[derive(Clone)]
pub struct Lowered {
    /// The module; wanted functions are declarations in it.
    pub module: Module,
    /// Declared functions and the library files that define them.
    pub wanted: Vec<(FuncId, &'static str)>,
    /// Who can call the functions that the source declares: as many as there are, the module's first.
    pub func_linkage: Vec<Linkage>,
    /// Who can use each of the module's variables; `None` if it is only declared.
    pub var_linkage: Vec<Option<Linkage>>,
}

bitflags::bitflags! {
    /// What is wanted besides what the program says.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Extras: u8 {
        /// Debuggers are told of variables, and each access is made.
        const VARIABLES = 1;
        /// Accesses to elements of arrays within objects say how many there are (`Op::Element`), and those to vectors
        /// how these have to be aligned.
        const ELEMENTS = 2;
        /// Conversions say for which numbers they have a result (`Flags::IN_RANGE`), and declarations of variables that
        /// nothing is in these (a `memset` of `undef`).
        const RANGES = 4;
        /// What all work-items of a sub-group have to reach says so (`Op::SgMeet`).
        const MEETINGS = 8;
    }
}

/// Lowers a checked unit.
pub fn lower(unit: &hir::Unit, extras: Extras) -> Lowered {
    let mut out = Output::new(extras);
    for var in unit.vars.values() {
        let (size, _) = unit.types.size_align(var.ty).unwrap_or((0, 1));
        let relocs = var.relocs.iter().map(|&(at, to, add)| (at, crate::ir::GlobalId(to.0), add)).collect();
        let init = Init { bytes: var.bytes.clone(), relocs };
        let is_told = extras.contains(Extras::VARIABLES) && !var.name.is_empty();
        let variable = is_told.then(|| variable::of_program(&mut out.described, &unit.types, var)).flatten();
        let (name, space, align) = (var.name.clone(), var.space, var.align);
        out.module.globals.push(Global { name, space, size, align, init, variable });
    }
    for var in unit.wg_vars.values() {
        let (size, _) = unit.types.size_align(var.ty).unwrap_or((0, 1));
        let (size, align) = emit::with_slack(size, var.align);
        let is_told = extras.contains(Extras::VARIABLES);
        let variable = is_told.then(|| variable::of_group(&mut out.described, &unit.types, var)).flatten();
        out.module.locals.push(LocalVar { name: var.name.clone(), size, align, variable });
    }
    for func in unit.funcs.values() {
        let (params, ret) = signature(&unit.types, func);
        let mut decl = Func::declaration(func.name.clone(), params, ret);
        decl.is_kernel = func.kernel.is_some();
        out.module.funcs.push(decl);
    }
    let kernels = unit.funcs.iter().filter(|(_, func)| func.body.is_some() && func.kernel.is_some());
    out.kernels = kernels.zip(0..).map(|((id, _), number)| (id, number)).collect();
    for (id, func) in unit.funcs.iter() {
        let id = FuncId(id.0);
        if func.body.is_some() {
            let body = func::lower_body(&mut out, unit, func, id);
            out.module.funcs[id] = body;
            // A kernel that is only declared belongs to another program.
            if let Some(info) = &func.kernel {
                out.module.kernels.push((info.clone(), id));
            }
        }
    }
    let func_linkage = unit.funcs.values().map(|func| func.linkage).collect();
    let var_linkage = unit.vars.values().map(|var| (!var.is_extern).then_some(var.linkage)).collect();
    Lowered { module: out.module, wanted: out.wanted, func_linkage, var_linkage }
}

/// The KIR type of a value of this type; structs are addresses of private memory.
fn value_type(types: &Types, ty: Ty) -> Type {
    match types.kind(ty) {
        TyKind::Bool => Type::I1,
        TyKind::Vector { elem, lanes } => value_type(types, *elem).with_lanes(*lanes),
        TyKind::Pointer { space, .. } => Type::ptr(*space),
        TyKind::Atomic(_) => value_type(types, types.atomic_value(ty).unwrap_or(Types::INT)),
        TyKind::Record(_) | TyKind::Array { .. } => Type::ptr(AddrSpace::Private),
        TyKind::Enum(_) => Type::I32,
        // An image is the address of its descriptor, a sampler its bits.
        TyKind::Opaque(OpaqueKind::Image(..)) => Type::ptr(AddrSpace::Constant),
        TyKind::Opaque(OpaqueKind::Sampler) => Type::I32,
        TyKind::Opaque(OpaqueKind::Pipe(..)) => Type::ptr(AddrSpace::Global),
        TyKind::Opaque(_) => Type::I64,
        TyKind::Int { bits, .. } => Type::scalar(int_scalar(*bits)),
        TyKind::Float { bits: 16 } => Type::F16,
        TyKind::Float { bits: 32 } => Type::F32,
        TyKind::Float { .. } => Type::F64,
        TyKind::Void | TyKind::Error | TyKind::Function { .. } => Type::I32,
    }
}

/// The integer kind of this width.
fn int_scalar(bits: u8) -> Scalar {
    match bits {
        8 => Scalar::I8,
        16 => Scalar::I16,
        32 => Scalar::I32,
        _ => Scalar::I64,
    }
}

/// True for structs and unions.
fn is_record(types: &Types, ty: Ty) -> bool {
    matches!(types.kind(ty), TyKind::Record(_))
}

/// KIR parameters and result of a function.
fn signature(types: &Types, func: &hir::Func) -> (Vec<Type>, Option<Type>) {
    let by_ref = record_param(func);
    let mut params = Vec::new();
    if is_record(types, func.ret) {
        params.push(Type::ptr(AddrSpace::Private));
    }
    for local in func.locals.values().take(func.n_params) {
        params.push(if is_record(types, local.ty) { by_ref } else { value_type(types, local.ty) });
    }
    let ret = (func.ret != Types::VOID && !is_record(types, func.ret)).then(|| value_type(types, func.ret));
    (params, ret)
}

/// How a function takes structs: kernels read them from the argument block.
fn record_param(func: &hir::Func) -> Type {
    Type::ptr(if func.kernel.is_some() { AddrSpace::Constant } else { AddrSpace::Private })
}

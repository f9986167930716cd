//! HIR: the typed program that `sema` writes and `lower` reads.
//!
//! Everything implicit in the source is explicit here: every conversion, load, decay, splat and address computation is
//! a node; operands of an operator already have one common type; builtin calls are resolved; names are gone. A HIR
//! program is well formed, so lowering cannot fail except on documented limits.
//!
//! **Places and values.** `Expr`s are values (rvalues); `Place`s denote memory. A `Load` turns a place into a value.
//! Values of struct type occur only as `Load`, `Call`, `Cond`, `Comma` and `Assign`; lowering keeps them in memory.
//! **Evaluation order** is left to right wherever C leaves it open.
//!
//! Types are in `ty`, shared with sema. This folder must not know the AST, the parser or KIR's functions.

pub mod dump;
pub mod expr;
pub mod ty;

pub use expr::{
    BinOp, Builtin, Callee, CmpOp, ConstValue, ConvKind, Expr, ExprId, ExprKind, FpAttr, Place, PlaceId, PlaceKind,
    Stmt, StmtId, UnOp,
};
pub use ty::{EnumId, Field, OpaqueKind, Quals, Record, RecordId, Ty, TyKind, Types};

use crate::ir::entity::Arena;
use crate::launch::{AddrSpace, KernelInfo};
use crate::source::Span;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);
        impl crate::ir::entity::Entity for $name {
            fn from_index(index: usize) -> Self { Self(index as u32) }
            fn index(self) -> usize { self.0 as usize }
        }
    )*};
}
pub(crate) use ids;

ids! {
    /// A user function.
    FnId;
    /// A program-scope variable, function-scope `__constant`/static variable, or string literal.
    VarId;
    /// A `__local` variable.
    WgVarId;
    /// A parameter or private variable of one function.
    LocalId;
    /// A `goto` label of one function.
    LabelId;
}

/// A checked translation unit.
#[derive(Debug, Default)]
pub struct Unit {
    /// Types of the unit.
    pub types: Types,
    /// Functions; a function without a body is a declaration to be linked.
    pub funcs: Arena<FnId, Func>,
    /// Program-scope variables and string literals.
    pub vars: Arena<VarId, Var>,
    /// `__local` variables.
    pub wg_vars: Arena<WgVarId, WgVar>,
    /// What the program uses but does not define, with the first use: functions and `extern` variables.
    pub undefined: Vec<(String, Span)>,
    /// A `typedef` says how its type is to be aligned. What is accessed by such a type may have less alignment than
    /// types of this unit tell.
    pub has_aligned_typedefs: bool,
}

/// A function.
#[derive(Debug)]
pub struct Func {
    /// Name as written; for builtin-library functions mangled with the parameter types (see `builtin`).
    pub name: String,
    /// Result type; `Types::VOID` if none.
    pub ret: Ty,
    /// Parameters: the first `n_params` locals.
    pub n_params: usize,
    /// Parameters and private variables.
    pub locals: Arena<LocalId, Local>,
    /// Labels.
    pub labels: Arena<LabelId, String>,
    /// Expressions.
    pub exprs: Arena<ExprId, Expr>,
    /// Places.
    pub places: Arena<PlaceId, Place>,
    /// Statements.
    pub stmts: Arena<StmtId, Stmt>,
    /// Body; `None` for a declaration.
    pub body: Option<StmtId>,
    /// For kernels: metadata. `arg_block_bytes`, sizes and offsets are filled by sema; `local_bytes`, `private_bytes`
    /// and what analyses find later.
    pub kernel: Option<KernelInfo>,
    /// Who can call it.
    pub linkage: Linkage,
    /// Place of the name.
    pub span: Span,
}

/// Who can see a name. Spec: C99, "Linkages of identifiers"; OpenCL C, "Storage-Class Specifiers".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Linkage {
    /// Every program that it is linked with; there may be one definition.
    #[default]
    External,
    /// Its own unit, and others only if they find no external definition: a function written `inline`.
    Inline,
    /// Its own unit, unless another one offers a definition of the name, which goes first.
    Weak,
    /// Its own unit: `static`, variables of functions, string literals.
    Internal,
}

/// A parameter or private variable. Array and struct parameters have been adjusted as C says.
#[derive(Clone, Debug)]
pub struct Local {
    /// Name; may be empty.
    pub name: String,
    /// Type.
    pub ty: Ty,
    /// Alignment in bytes where an attribute raises it above the type's; else 0.
    pub align: u32,
    /// True if its address is taken or part of it is accessed by itself. Shown in dumps only: lowering gives every
    /// variable a slot and `pass::mem2reg` finds out for itself.
    pub addr_taken: bool,
    /// Place of the name.
    pub span: Span,
}

/// A program-scope variable.
#[derive(Debug)]
pub struct Var {
    /// Name; empty for string literals and anonymous objects.
    pub name: String,
    /// Type; arrays are complete.
    pub ty: Ty,
    /// `Constant` or `Global`.
    pub space: AddrSpace,
    /// Alignment in bytes.
    pub align: u32,
    /// Initial bytes, laid out as in memory; shorter = zero-filled.
    pub bytes: Vec<u8>,
    /// Addresses inside the initialiser: byte offset, variable, addend.
    pub relocs: Vec<(u64, VarId, i64)>,
    /// Declared `extern` and defined elsewhere.
    pub is_extern: bool,
    /// Who can use it.
    pub linkage: Linkage,
    /// Place of the name.
    pub span: Span,
}

/// A `__local` variable.
#[derive(Debug)]
pub struct WgVar {
    /// Name.
    pub name: String,
    /// Type.
    pub ty: Ty,
    /// Alignment in bytes.
    pub align: u32,
    /// Place of the name.
    pub span: Span,
}

//! Declarations, definitions, struct/union/enum specifiers, attributes, initialiser items.

use super::stmt::Pragma;
use super::{DeclId, ExprId, Ident, List, StmtId, StrId, TypeId};
use crate::source::Span;

/// One declaration at file scope.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// All of it.
    pub span: Span,
}

/// What stands at file scope.
#[derive(Clone, Copy, Debug)]
pub enum ItemKind {
    /// A declaration: variables, prototypes, typedefs; no declarators for `struct S { … };`.
    Decl {
        /// The specifiers' type, resolved before `decls` (it may declare a tag).
        base: TypeId,
        /// The declarators in order.
        decls: List<DeclId>,
    },
    /// A function definition: the declaration's `body` is there, its `ty` a `TypeKind::Function` (or an error).
    Function(DeclId),
    /// A pragma; holds from here on.
    Pragma(Pragma),
    /// `_Static_assert(cond, "message");`
    StaticAssert {
        /// Must be non-zero.
        cond: ExprId,
        /// Shown if it is not.
        message: Option<StrId>,
    },
    /// Something that could not be parsed; reported already.
    Error,
}

/// A variable, function, typedef, parameter or member.
#[derive(Clone, Copy, Debug)]
pub struct Decl {
    /// The name, if there is one (parameters and bit-fields may have none; anonymous struct members have none).
    pub name: Option<Ident>,
    /// Storage class as written.
    pub storage: Storage,
    /// `kernel`, `inline`.
    pub flags: DeclFlags,
    /// The type as written.
    pub ty: TypeId,
    /// Attributes among the specifiers, then those after the declarator.
    pub attrs: List<Attr>,
    /// `= expr`; a braced one is `ExprKind::InitList`.
    pub init: Option<ExprId>,
    /// `: width` of a bit-field.
    pub bits: Option<ExprId>,
    /// Body of a function definition: a `StmtKind::Compound`.
    pub body: Option<StmtId>,
    /// From the first specifier to the end of the declarator (without initialiser and body).
    pub span: Span,
}

/// Storage class specifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[allow(missing_docs, reason = "each is the keyword of that name")]
pub enum Storage {
    #[default]
    None,
    Typedef,
    Extern,
    Static,
    Auto,
    Register,
}

bitflags::bitflags! {
    /// Function specifiers.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
    pub struct DeclFlags: u8 {
        /// `kernel`, `__kernel`.
        const KERNEL = 1;
        /// `inline`, `__inline`, `__inline__`.
        const INLINE = 2;
        /// A block literal's, function's or prototype's parameter.
        const PARAM = 4;
        /// A struct or union member.
        const MEMBER = 8;
    }
}

/// A struct or union specifier.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    /// Which of the two.
    pub kind: RecordKind,
    /// Tag, if written.
    pub tag: Option<Ident>,
    /// Members, if this is a definition.
    pub members: Option<List<DeclId>>,
    /// Attributes between keyword and tag, then those after `}`.
    pub attrs: List<Attr>,
    /// All of it.
    pub span: Span,
}

/// `struct` or `union`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the keywords")]
pub enum RecordKind {
    Struct,
    Union,
}

/// An enum specifier.
#[derive(Clone, Copy, Debug)]
pub struct EnumSpec {
    /// Tag, if written.
    pub tag: Option<Ident>,
    /// Enumerators, if this is a definition.
    pub enumerators: Option<List<Enumerator>>,
    /// Attributes between keyword and tag, then those after `}`.
    pub attrs: List<Attr>,
    /// All of it.
    pub span: Span,
}

/// One enumeration constant.
#[derive(Clone, Copy, Debug)]
pub struct Enumerator {
    /// Its name.
    pub name: Ident,
    /// `= value`.
    pub value: Option<ExprId>,
}

/// One attribute of an `__attribute__((…))` list.
#[derive(Clone, Copy, Debug)]
pub struct Attr {
    /// Name as written, with or without underscores around (`packed`, `__packed__`).
    pub name: Ident,
    /// Arguments. Those of an attribute that the parser does not know are skipped: `args` is empty then.
    pub args: List<AttrArg>,
    /// Name and arguments.
    pub span: Span,
}

/// One argument of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttrArg {
    /// An expression; a lone identifier is `ExprKind::Ident`.
    Expr(ExprId),
    /// A type, as in `vec_type_hint(float4)`.
    Type(TypeId),
}

/// One item of a braced initialiser.
#[derive(Clone, Copy, Debug)]
pub struct InitItem {
    /// `.x`, `[n]`, in order; empty if there is no designation.
    pub designators: List<Designator>,
    /// The value; may be an `ExprKind::InitList`.
    pub value: ExprId,
    /// All of it.
    pub span: Span,
}

/// One step of a designation or of an `offsetof` path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Designator {
    /// `.name`.
    Member(Ident),
    /// `[index]`.
    Index(ExprId),
    /// GNU `[first ... last]`.
    Range(ExprId, ExprId),
}

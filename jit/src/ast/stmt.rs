//! Statements.

use super::{Attr, DeclId, ExprId, Ident, List, StmtId, StrId, TypeId};
pub use crate::lex::token::PragmaKind;
use crate::source::Span;

/// A statement.
#[derive(Clone, Copy, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Attributes in front of it, e.g. `opencl_unroll_hint`.
    pub attrs: List<Attr>,
    /// All of it.
    pub span: Span,
}

/// What a statement is.
#[derive(Clone, Copy, Debug)]
pub enum StmtKind {
    /// Could not be parsed; reported already.
    Error,
    /// `;`
    Empty,
    /// `expr;`
    Expr(ExprId),
    /// A declaration; no declarators for `struct S { … };`.
    Decl {
        /// The specifiers' type, resolved before `decls` (it may declare a tag).
        base: TypeId,
        /// The declarators in order.
        decls: List<DeclId>,
    },
    /// `{ … }`. `Stmt::span` ends with the closing brace.
    Compound(List<StmtId>),
    /// `if`. A chain of `else if` nests in `els`, no deeper than `parse::MAX_TREE_DEPTH`.
    If {
        /// Condition.
        cond: ExprId,
        /// Taken if it holds.
        then: StmtId,
        /// Taken if not.
        els: Option<StmtId>,
    },
    /// `while`.
    While {
        /// Tested before each round.
        cond: ExprId,
        /// Loop body.
        body: StmtId,
    },
    /// `do … while`.
    DoWhile {
        /// Loop body.
        body: StmtId,
        /// Tested after each round.
        cond: ExprId,
    },
    /// `for`; its own scope encloses `init` and `body`.
    For {
        /// `Expr` or `Decl`.
        init: Option<StmtId>,
        /// Tested before each round.
        cond: Option<ExprId>,
        /// Evaluated after each round.
        step: Option<ExprId>,
        /// Loop body.
        body: StmtId,
    },
    /// `switch`.
    Switch {
        /// What is compared.
        cond: ExprId,
        /// Usually a compound with labelled statements.
        body: StmtId,
    },
    /// One or more labels, then the statement that they mark (`Empty` before `}`, or a declaration).
    Labeled {
        /// In order.
        labels: List<Label>,
        /// What follows.
        body: StmtId,
    },
    /// `goto label;`
    Goto(Ident),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return expr;`
    Return(Option<ExprId>),
    /// A pragma, where it stands; one in the middle of a statement comes after that statement.
    Pragma(Pragma),
    /// `_Static_assert(cond, "message");`
    StaticAssert {
        /// Must be non-zero.
        cond: ExprId,
        /// Shown if it is not.
        message: Option<StrId>,
    },
}

/// A label.
#[derive(Clone, Copy, Debug)]
pub struct Label {
    /// Which kind.
    pub kind: LabelKind,
    /// The label with its colon.
    pub span: Span,
}

/// What a label is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelKind {
    /// `name:`
    Name(Ident),
    /// `case value:`, or GNU `case first ... last:`.
    Case(ExprId, Option<ExprId>),
    /// `default:`
    Default,
}

/// A pragma that reaches the compiler proper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pragma {
    /// What it asks.
    pub kind: PragmaKind,
    /// All of it.
    pub span: Span,
}

//! Expressions.

use super::{DeclId, Designator, ExprId, Ident, InitItem, List, StmtId, StrId, TypeId};
use crate::intern::Symbol;
use crate::source::Span;

/// An expression.
#[derive(Clone, Copy, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// All of it.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Copy, Debug)]
pub enum ExprKind {
    /// Could not be parsed; reported already.
    Error,
    /// A name.
    Ident(Ident),
    /// An integer literal.
    Int(IntLit),
    /// A floating-point literal.
    Float(FloatLit),
    /// A character literal.
    Char(CharLit),
    /// String literals, adjacent ones joined.
    Str(StrId),
    /// `(inner)`.
    Paren(ExprId),
    /// GNU `({ … })`; the value is that of the last expression statement.
    StmtExpr(StmtId),
    /// `base[index]`.
    Index {
        /// Left of the bracket.
        base: ExprId,
        /// Inside.
        index: ExprId,
    },
    /// `callee(args)`.
    Call {
        /// Usually an `Ident`.
        callee: ExprId,
        /// Arguments in order.
        args: List<ExprId>,
    },
    /// `base.name` or `base->name`: a member or a vector's components.
    Member {
        /// Left of the operator.
        base: ExprId,
        /// Which operator.
        op: MemberOp,
        /// Right of it.
        name: Ident,
    },
    /// `++` and `--`, before or after.
    IncDec {
        /// Which of the four.
        op: IncDecOp,
        /// What is changed.
        operand: ExprId,
    },
    /// Other unary operators.
    Unary {
        /// Which one.
        op: UnaryOp,
        /// What it applies to.
        operand: ExprId,
    },
    /// `lhs op rhs`, also `&&` and `||`.
    Binary {
        /// Which one.
        op: BinaryOp,
        /// Left operand.
        lhs: ExprId,
        /// Right operand.
        rhs: ExprId,
        /// Where the operator stands.
        op_span: Span,
    },
    /// `lhs = rhs` or `lhs op= rhs`.
    Assign {
        /// The operator in front of `=`: never a comparison or a logical one.
        op: Option<BinaryOp>,
        /// What is assigned to.
        lhs: ExprId,
        /// The value.
        rhs: ExprId,
        /// Where the operator stands.
        op_span: Span,
    },
    /// `cond ? then : els`; no `then` in GNU `cond ?: els`.
    Conditional {
        /// The condition.
        cond: ExprId,
        /// If it holds.
        then: Option<ExprId>,
        /// If not.
        els: ExprId,
        /// Where the `?` stands.
        op_span: Span,
    },
    /// `a, b, c`: two or more.
    Comma(List<ExprId>),
    /// `(ty)operand` where the operand is not a parenthesised list.
    Cast {
        /// Target type.
        ty: TypeId,
        /// What is converted.
        operand: ExprId,
    },
    /// `(ty)(a, b, c)`: one or more expressions in the second parentheses. A vector literal if `ty` is a vector type,
    /// else a cast of a parenthesised (comma) expression. For a vector type a suffix such as `.xyz` applies to the
    /// whole literal; for another type this node stands only where nothing follows that binds tighter than the cast.
    CastList {
        /// Target type.
        ty: TypeId,
        /// Inside the second parentheses.
        args: List<ExprId>,
        /// The second parentheses.
        args_span: Span,
    },
    /// `(ty){ … }`.
    CompoundLiteral {
        /// Its type.
        ty: TypeId,
        /// An `InitList`.
        init: ExprId,
    },
    /// `{ … }`: only as an initialiser.
    InitList(List<InitItem>),
    /// `sizeof`, `_Alignof`, `vec_step`.
    TypeQuery {
        /// Which one.
        op: TypeQuery,
        /// Of what.
        arg: TypeOrExpr,
    },
    /// `offsetof(ty, path)` or `__builtin_offsetof(ty, path)`.
    OffsetOf {
        /// The record type.
        ty: TypeId,
        /// Member, then members and indices.
        path: List<Designator>,
    },
    /// `__builtin_astype(operand, ty)`.
    AsType {
        /// What is reinterpreted.
        operand: ExprId,
        /// As what.
        ty: TypeId,
    },
    /// `^ ret (params) { … }`.
    Block {
        /// Result type if written.
        ret: Option<TypeId>,
        /// Parameters if the list is written.
        params: Option<List<DeclId>>,
        /// A `Compound`.
        body: StmtId,
    },
}

/// An integer literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntLit {
    /// Its value.
    pub value: u64,
    /// A `u` suffix.
    pub is_unsigned: bool,
    /// An `l` or `ll` suffix.
    pub is_long: bool,
    /// Written in decimal: then `u` types are candidates only with a suffix. Spec: C99, "Integer constants".
    pub is_decimal: bool,
}

/// A floating-point literal, rounded to nearest even in each precision from the digits as written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FloatLit {
    /// As double.
    pub f64: f64,
    /// As float, rounded once.
    pub f32: f32,
    /// The digits as written, without suffix.
    pub text: Symbol,
    /// What is written behind the digits.
    pub suffix: FloatSuffix,
}

/// Suffix of a floating-point literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatSuffix {
    /// None: double, or float where the program or the device has no double.
    None,
    /// `f`.
    Float,
    /// `h`.
    Half,
}

/// A character literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CharLit {
    /// Its value as an `int`.
    pub value: i32,
}

/// Member access operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberOp {
    /// `.`
    Dot,
    /// `->`
    Arrow,
}

/// `++` and `--`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the operators")]
pub enum IncDecOp {
    PreInc,
    PreDec,
    PostInc,
    PostDec,
}

/// Prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `!`
    Not,
    /// `~`
    BitNot,
    /// `&`
    AddrOf,
    /// `*`
    Deref,
}

/// Infix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each says which operator it is; see `text`")]
pub enum BinaryOp {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Lt,
    Gt,
    Le,
    Ge,
    Eq,
    Ne,
    BitAnd,
    BitXor,
    BitOr,
    LogAnd,
    LogOr,
}

/// Operators that ask something of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeQuery {
    /// `sizeof`, in bytes.
    Sizeof,
    /// `_Alignof`, `__alignof__`, in bytes.
    Alignof,
    /// `vec_step`: number of components.
    VecStep,
}

/// The operand of `sizeof` and its kin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeOrExpr {
    /// `sizeof(int)`.
    Type(TypeId),
    /// `sizeof x`; not evaluated.
    Expr(ExprId),
}

impl BinaryOp {
    /// The operator as written.
    pub fn text(self) -> &'static str {
        match self {
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
            Self::Add => "+",
            Self::Sub => "-",
            Self::Shl => "<<",
            Self::Shr => ">>",
            Self::Lt => "<",
            Self::Gt => ">",
            Self::Le => "<=",
            Self::Ge => ">=",
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::BitAnd => "&",
            Self::BitXor => "^",
            Self::BitOr => "|",
            Self::LogAnd => "&&",
            Self::LogOr => "||",
        }
    }
}

impl UnaryOp {
    /// The operator as written.
    pub fn text(self) -> &'static str {
        match self {
            Self::Plus => "+",
            Self::Minus => "-",
            Self::Not => "!",
            Self::BitNot => "~",
            Self::AddrOf => "&",
            Self::Deref => "*",
        }
    }
}

impl IncDecOp {
    /// The operator as written.
    pub fn text(self) -> &'static str {
        match self {
            Self::PreInc | Self::PostInc => "++",
            Self::PreDec | Self::PostDec => "--",
        }
    }
}

//! The syntax tree of OpenCL C as written: every name unresolved, every type a chain of syntax, every node with its
//! span. Start with `Ast`, then `decl`, `ty`, `stmt`, `expr`. No method here needs semantic analysis.
//!
//! Nodes live in typed arenas and refer to each other by small `Copy` ids, so a tree is cheap to make, move and drop
//! however deep it is. `ast[id]` gives a node, `ast[list]` a slice:
//!
//! ```text
//! for &stmt in &ast[body_list] { match ast[stmt].kind { StmtKind::Expr(e) => … ast[e].span … } }
//! ```

pub mod decl;
pub mod dump;
pub mod expr;
pub mod stmt;
pub mod ty;

pub use crate::lex::token::{PragmaExtension, PragmaRounding, PragmaSwitch};
pub use decl::{
    Attr, AttrArg, Decl, DeclFlags, Designator, EnumSpec, Enumerator, InitItem, Item, ItemKind, Record, RecordKind,
    Storage,
};
pub use expr::{
    BinaryOp, CharLit, Expr, ExprKind, FloatLit, FloatSuffix, IncDecOp, IntLit, MemberOp, TypeOrExpr, TypeQuery,
    UnaryOp,
};
pub use stmt::{Label, LabelKind, Pragma, PragmaKind, Stmt, StmtKind};
pub use ty::{
    Access, ArrayLen, AtomicName, Builtin, ImageDim, ImageName, OpaqueName, ParamsForm, QualFlags, Quals, Scalar, Type,
    TypeKind,
};

use crate::intern::Symbol;
use crate::source::Span;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// Id of an expression.
pub type ExprId = Idx<Expr>;
/// Id of a statement.
pub type StmtId = Idx<Stmt>;
/// Id of a type as written.
pub type TypeId = Idx<Type>;
/// Id of a declared thing: variable, function, typedef, parameter, struct member.
pub type DeclId = Idx<Decl>;
/// Id of a struct or union specifier.
pub type RecordId = Idx<Record>;
/// Id of an enum specifier.
pub type EnumId = Idx<EnumSpec>;
/// Id of a string literal, adjacent pieces already joined.
pub type StrId = Idx<StrLit>;

/// An identifier where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The name.
    pub name: Symbol,
    /// Where it is written.
    pub span: Span,
}

/// The bytes of a string literal after escapes, without the final NUL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrLit {
    /// The bytes.
    pub bytes: Box<[u8]>,
}

/// A translation unit: `items` in source order, and the arenas that all ids point into.
#[derive(Clone, Debug, Default)]
pub struct Ast {
    /// Declarations, function definitions and pragmas at file scope, in source order.
    pub items: Vec<Item>,
    exprs: Vec<Expr>,
    stmts: Vec<Stmt>,
    types: Vec<Type>,
    decls: Vec<Decl>,
    records: Vec<Record>,
    enums: Vec<EnumSpec>,
    strings: Vec<StrLit>,
    expr_lists: Vec<ExprId>,
    stmt_lists: Vec<StmtId>,
    decl_lists: Vec<DeclId>,
    init_items: Vec<InitItem>,
    designators: Vec<Designator>,
    enumerators: Vec<Enumerator>,
    labels: Vec<Label>,
    attrs: Vec<Attr>,
    attr_args: Vec<AttrArg>,
}

impl Ast {
    /// Adds a node and returns its id.
    pub fn add<T: Node>(&mut self, node: T) -> Idx<T> {
        let pool = T::arena_mut(self);
        let id = Idx::new(pool.len());
        pool.push(node);
        id
    }

    /// Stores `items` side by side and returns the list of them.
    pub fn add_list<T: Listed>(&mut self, items: &[T]) -> List<T> {
        if items.is_empty() {
            return List::EMPTY;
        }
        let pool = T::pool_mut(self);
        let start = pool.len() as u32;
        pool.extend_from_slice(items);
        List { start, len: items.len() as u32, of: PhantomData }
    }

    /// Number of nodes of a kind made so far; ids run from 0 to this.
    pub fn count<T: Node>(&self) -> usize {
        T::arena(self).len()
    }

    /// The names, spans and types of a declaration's parameters if it declares a function directly.
    pub fn params_of(&self, decl: DeclId) -> Option<&[DeclId]> {
        match self[self[decl].ty].kind {
            TypeKind::Function { params, .. } => Some(&self[params]),
            _ => None,
        }
    }
}

/// Index of a `T` in its arena.
pub struct Idx<T> {
    raw: u32,
    of: PhantomData<fn() -> T>,
}

impl<T> Idx<T> {
    /// The id of element number `raw`.
    pub fn new(raw: usize) -> Self {
        Self { raw: raw as u32, of: PhantomData }
    }

    /// The element's number: ids of a kind count from 0 without gaps, so side tables can be plain vectors.
    pub fn index(self) -> usize {
        self.raw as usize
    }
}

impl<T> Clone for Idx<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Idx<T> {}
impl<T> PartialEq for Idx<T> {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}
impl<T> Eq for Idx<T> {}
impl<T> PartialOrd for Idx<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<T> Ord for Idx<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.raw.cmp(&other.raw)
    }
}
impl<T> Hash for Idx<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.raw.hash(state);
    }
}
impl<T> fmt::Debug for Idx<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.raw)
    }
}

/// A run of `T`s that lie side by side; `&ast[list]` is the slice.
pub struct List<T> {
    start: u32,
    len: u32,
    of: PhantomData<fn() -> T>,
}

impl<T> List<T> {
    /// The list without elements.
    pub const EMPTY: Self = Self { start: 0, len: 0, of: PhantomData };

    /// Number of elements.
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// Whether there are no elements.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for List<T> {}
impl<T> Default for List<T> {
    fn default() -> Self {
        Self::EMPTY
    }
}
impl<T> PartialEq for List<T> {
    fn eq(&self, other: &Self) -> bool {
        self.start == other.start && self.len == other.len
    }
}
impl<T> Eq for List<T> {}
impl<T> fmt::Debug for List<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}+{}]", self.start, self.len)
    }
}

/// What has an arena of its own in `Ast`.
pub trait Node: Sized {
    /// The arena.
    fn arena(ast: &Ast) -> &Vec<Self>;
    /// The arena, to change.
    fn arena_mut(ast: &mut Ast) -> &mut Vec<Self>;
}

/// What lists in `Ast` are made of.
pub trait Listed: Copy {
    /// All elements of all lists.
    fn pool(ast: &Ast) -> &Vec<Self>;
    /// The same, to change.
    fn pool_mut(ast: &mut Ast) -> &mut Vec<Self>;
}

macro_rules! pools {
    ($($trait:ident $get:ident $get_mut:ident: $($ty:ty = $field:ident),+;)+) => { $($(
        impl $trait for $ty {
            fn $get(ast: &Ast) -> &Vec<Self> { &ast.$field }
            fn $get_mut(ast: &mut Ast) -> &mut Vec<Self> { &mut ast.$field }
        }
    )+)+ };
}

pools! {
    Node arena arena_mut: Expr = exprs, Stmt = stmts, Type = types, Decl = decls, Record = records, EnumSpec = enums,
        StrLit = strings;
    Listed pool pool_mut: ExprId = expr_lists, StmtId = stmt_lists, DeclId = decl_lists, InitItem = init_items,
        Designator = designators, Enumerator = enumerators, Label = labels, Attr = attrs, AttrArg = attr_args;
}

impl<T: Node> Index<Idx<T>> for Ast {
    type Output = T;
    fn index(&self, id: Idx<T>) -> &T {
        &T::arena(self)[id.index()]
    }
}

impl<T: Node> IndexMut<Idx<T>> for Ast {
    fn index_mut(&mut self, id: Idx<T>) -> &mut T {
        &mut T::arena_mut(self)[id.index()]
    }
}

impl<T: Listed> Index<List<T>> for Ast {
    type Output = [T];
    fn index(&self, list: List<T>) -> &[T] {
        &T::pool(self)[list.start as usize..][..list.len as usize]
    }
}

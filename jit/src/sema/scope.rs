//! Names and what they stand for, block by block.

use super::ty::QTy;
use crate::hir::{FnId, LocalId, Quals, RecordId, Ty, VarId, WgVarId};
use crate::intern::Symbol;
use crate::source::Span;
use rustc_hash::FxHashMap;

/// What an ordinary identifier stands for.
#[derive(Clone, Debug)]
pub(super) enum Entity {
    /// A typedef.
    Typedef(QTy),
    /// An enumeration constant: its bits and type.
    Enumerator(u64, Ty),
    /// A parameter or private variable.
    Local(LocalId, Quals),
    /// A `__local` variable.
    WgVar(WgVarId, Quals),
    /// A variable with static storage.
    Var(VarId, Quals),
    /// A block variable: its number in `Sema::blocks`.
    Block(usize),
    /// Functions of this name; more than one only if they are overloadable.
    Funcs(Vec<FnId>),
    /// A broken declaration: uses are silent.
    Broken,
}

/// An entry of a scope.
#[derive(Clone, Debug)]
pub(super) struct Named {
    /// What it is.
    pub(super) entity: Entity,
    /// Where it was declared.
    pub(super) span: Span,
}

/// What a tag stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    /// `struct` (false) or `union` (true).
    Record(RecordId, bool),
    /// `enum` with this underlying type.
    Enum(Ty),
}

#[derive(Debug, Default)]
struct Scope {
    names: FxHashMap<Symbol, Named>,
    tags: FxHashMap<Symbol, (Tag, Span)>,
}

/// The scopes that are open, outermost first.
#[derive(Debug)]
pub(super) struct Scopes {
    stack: Vec<Scope>,
}

impl Scopes {
    /// File scope only.
    pub(super) fn new() -> Self {
        Self { stack: vec![Scope::default()] }
    }

    /// Opens a block.
    pub(super) fn enter(&mut self) {
        self.stack.push(Scope::default());
    }

    /// Closes a block; file scope stays open.
    pub(super) fn leave(&mut self) {
        if self.stack.len() > 1 {
            self.stack.pop();
        }
    }

    /// Number of open blocks; 0 at file scope.
    pub(super) fn depth(&self) -> usize {
        self.stack.len() - 1
    }

    /// The innermost declaration of a name.
    pub(super) fn find(&self, name: Symbol) -> Option<&Named> {
        self.stack.iter().rev().find_map(|scope| scope.names.get(&name))
    }

    /// As `find`, with the number of blocks that are open around the declaration's.
    pub(super) fn find_with_depth(&self, name: Symbol) -> Option<(usize, &Named)> {
        let mut scopes = self.stack.iter().enumerate().rev();
        scopes.find_map(|(depth, scope)| Some((depth, scope.names.get(&name)?)))
    }

    /// The declaration of a name in the innermost block.
    pub(super) fn find_here(&self, name: Symbol) -> Option<&Named> {
        self.stack.last()?.names.get(&name)
    }

    /// The declaration of a name at file scope.
    pub(super) fn find_file(&self, name: Symbol) -> Option<&Named> {
        self.stack.first()?.names.get(&name)
    }

    /// Declares a name in the innermost block.
    pub(super) fn add(&mut self, name: Symbol, entity: Entity, span: Span) {
        if let Some(scope) = self.stack.last_mut() {
            scope.names.insert(name, Named { entity, span });
        }
    }

    /// Declares a name at file scope.
    pub(super) fn add_file(&mut self, name: Symbol, entity: Entity, span: Span) {
        if let Some(scope) = self.stack.first_mut() {
            scope.names.insert(name, Named { entity, span });
        }
    }

    /// The innermost declaration of a tag.
    pub(super) fn find_tag(&self, name: Symbol) -> Option<(Tag, Span)> {
        self.stack.iter().rev().find_map(|scope| scope.tags.get(&name)).copied()
    }

    /// The declaration of a tag in the innermost block.
    pub(super) fn find_tag_here(&self, name: Symbol) -> Option<(Tag, Span)> {
        self.stack.last()?.tags.get(&name).copied()
    }

    /// Declares a tag in the innermost block.
    pub(super) fn add_tag(&mut self, name: Symbol, tag: Tag, span: Span) {
        if let Some(scope) = self.stack.last_mut() {
            scope.tags.insert(name, (tag, span));
        }
    }

    /// Every visible name, for suggestions.
    pub(super) fn names(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.stack.iter().flat_map(|scope| scope.names.keys().copied())
    }
}

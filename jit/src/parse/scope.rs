//! Which names are types where: the only thing about declarations that the grammar of C must know.

use super::keyword::Meaning;
use crate::intern::Symbol;

/// Current meaning of every name, with an undo log for scopes. Lookup and declaration cost O(1).
#[derive(Debug, Default)]
pub(super) struct Scopes {
    /// By symbol number; `None` is not asked for yet.
    meanings: Vec<Option<Meaning>>,
    /// What each declaration in an open inner scope replaced.
    log: Vec<(Symbol, Option<Meaning>)>,
}

/// An open scope: the log's length at its start.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScopeMark(usize);

impl Scopes {
    /// The meaning of `name` here; `first` gives it when the name is met for the first time.
    pub(super) fn meaning_or(&mut self, name: Symbol, first: impl FnOnce() -> Meaning) -> Meaning {
        *self.slot(name).get_or_insert_with(first)
    }

    /// The meaning of `name` here.
    pub(super) fn meaning(&self, name: Symbol) -> Meaning {
        self.meanings.get(name.0 as usize).copied().flatten().unwrap_or(Meaning::Unknown)
    }

    /// Gives `name` a meaning up to the end of the current scope.
    pub(super) fn declare(&mut self, name: Symbol, meaning: Meaning) {
        let slot = self.slot(name);
        let old = slot.replace(meaning);
        self.log.push((name, old));
    }

    /// Opens a scope.
    pub(super) fn push(&mut self) -> ScopeMark {
        ScopeMark(self.log.len())
    }

    /// Closes the scope opened with `mark` and all inside it.
    pub(super) fn pop(&mut self, mark: ScopeMark) {
        while self.log.len() > mark.0 {
            if let Some((name, old)) = self.log.pop() {
                *self.slot(name) = old;
            }
        }
    }

    /// Names that are typedefs here, for suggestions.
    pub(super) fn typedefs(&self) -> impl Iterator<Item = Symbol> + '_ {
        let is_typedef = |m: &Option<Meaning>| matches!(m, Some(Meaning::Typedef { .. }));
        self.meanings.iter().enumerate().filter(move |(_, m)| is_typedef(m)).map(|(i, _)| Symbol(i as u32))
    }

    fn slot(&mut self, name: Symbol) -> &mut Option<Meaning> {
        let i = name.0 as usize;
        if i >= self.meanings.len() {
            self.meanings.resize(i + 1, None);
        }
        &mut self.meanings[i]
    }
}

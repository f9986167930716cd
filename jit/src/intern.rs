//! Interned names: equal texts have equal `Symbol`s, so that later stages compare and hash small numbers.

use rustc_hash::FxHashMap;

/// A name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub u32);

/// The names of one compilation.
#[derive(Clone, Debug, Default)]
pub struct Interner {
    texts: Vec<Box<str>>,
    index: FxHashMap<Box<str>, Symbol>,
}

impl Interner {
    /// No names yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The symbol of `text`.
    pub fn intern(&mut self, text: &str) -> Symbol {
        if let Some(&symbol) = self.index.get(text) {
            return symbol;
        }
        let symbol = Symbol(self.texts.len() as u32);
        self.texts.push(text.into());
        self.index.insert(text.into(), symbol);
        symbol
    }

    /// The symbol of `text` if it was interned before.
    pub fn get(&self, text: &str) -> Option<Symbol> {
        self.index.get(text).copied()
    }

    /// The text of a symbol of this interner.
    pub fn text(&self, symbol: Symbol) -> &str {
        &self.texts[symbol.0 as usize]
    }
}

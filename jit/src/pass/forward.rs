//! A map from values to the values that replace them, applied to a whole function at once.

use crate::ir::entity::Entity;
use crate::ir::{Func, Value};

/// Replacements collected by a pass.
pub struct Forward {
    to: Vec<Option<Value>>,
    used: bool,
}

impl Forward {
    /// No replacements in a function with this many values so far.
    pub fn new(func: &Func) -> Self {
        Self { to: vec![None; func.values.len()], used: false }
    }
    /// From now on `old` stands for `new`. `new` may be replaced itself, but not by `old`.
    pub fn set(&mut self, old: Value, new: Value) {
        if old != new {
            if self.to.len() <= old.index() {
                self.to.resize(old.index() + 1, None);
            }
            self.to[old.index()] = Some(new);
            self.used = true;
        }
    }
    /// What a value stands for in the end.
    pub fn get(&mut self, value: Value) -> Value {
        let mut end = value;
        while let Some(next) = self.to.get(end.index()).copied().flatten() {
            end = next;
        }
        // Shorten the path for the next look-up.
        let mut at = value;
        while at != end {
            let next = self.to[at.index()].replace(end).expect("on the path");
            at = next;
        }
        end
    }
    /// True if anything is replaced.
    pub fn is_used(&self) -> bool {
        self.used
    }
    /// Replaces all uses in live blocks.
    pub fn apply(&mut self, func: &mut Func) {
        if !self.used {
            return;
        }
        for i in 0..func.layout.len() {
            let block = func.layout[i];
            for n in 0..func.blocks[block].insts.len() {
                let inst = func.blocks[block].insts[n];
                for arg in &mut func.insts[inst].args {
                    *arg = self.get(*arg);
                }
            }
            func.blocks[block].term.map_values(|v| self.get(v));
        }
    }
}

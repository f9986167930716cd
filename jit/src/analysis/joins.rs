//! What all pointers that meet in a parameter of a block or in a selection have in common, such as the object that they
//! lead into: an optimistic analysis on a lattice of three levels, as constant propagation is. Linear.

use crate::ir::cfg::Cfg;
use crate::ir::entity::Entity;
use crate::ir::{Block, Func, Op, Value};
use rustc_hash::FxHashMap;

/// What is known of a pointer.
#[derive(Clone, Copy, PartialEq)]
enum Fact<T> {
    /// No way to it has been seen.
    Unseen,
    All(T),
    Differs,
}

impl<T: Copy + PartialEq> Fact<T> {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unseen, fact) | (fact, Self::Unseen) => fact,
            (a, b) if a == b => a,
            _ => Self::Differs,
        }
    }
}

/// Parameters and selections of which `is_asked`, with what is true of all that meets in them, and the block that they
/// are in. `root` leads from a pointer to what it is made of; of a root that is not one of those asked of, `fact` says
/// what is known.
pub(crate) fn common<T: Copy + PartialEq>(
    func: &Func,
    is_asked: impl Fn(Value) -> bool,
    root: impl Fn(Value) -> Value,
    fact: impl Fn(Value) -> Option<T>,
) -> FxHashMap<Value, (T, Block)> {
    let cfg = Cfg::new(func);
    let mut facts: FxHashMap<Value, (Fact<T>, Block)> = FxHashMap::default();
    for &block in cfg.rpo() {
        let params = func.blocks[block].params.iter().copied();
        let selections = func.data_of(std::slice::from_ref(&block)).filter(|data| data.op == Op::Select);
        let selected: Vec<Value> = selections.filter_map(|data| data.result).collect();
        for v in params.chain(selected).filter(|&v| is_asked(v)) {
            facts.insert(
                v,
                (if block == func.entry() && func.def_inst(v).is_none() { Fact::Differs } else { Fact::Unseen }, block),
            );
        }
    }
    if facts.is_empty() {
        return FxHashMap::default();
    }
    // For each of them those that it meets others in.
    let mut heirs: FxHashMap<Value, Vec<Value>> = FxHashMap::default();
    let mut todo: Vec<Value> = facts.keys().copied().collect();
    todo.sort_unstable_by_key(|v| v.index());
    let handed = cfg.rpo().iter().flat_map(|&block| func.handed(block)).map(|(_, param, arg)| (param, arg));
    let selected = todo
        .iter()
        .flat_map(|&v| func.def_inst(v).into_iter().flat_map(move |d| d.args[1..].iter().map(move |&arg| (v, arg))));
    for (to, from) in handed.chain(selected).collect::<Vec<_>>() {
        if !facts.contains_key(&to) {
            continue;
        }
        let root = root(from);
        if facts.contains_key(&root) {
            heirs.entry(root).or_default().push(to);
        } else {
            let here = fact(root).map_or(Fact::Differs, Fact::All);
            facts.entry(to).and_modify(|f| f.0 = f.0.and(here));
        }
    }
    while let Some(v) = todo.pop() {
        let here = facts[&v].0;
        for &heir in heirs.get(&v).into_iter().flatten() {
            let all = facts[&heir].0.and(here);
            if all != facts[&heir].0 {
                facts.entry(heir).and_modify(|f| f.0 = all);
                todo.push(heir);
            }
        }
    }
    let known = facts.into_iter().filter_map(|(v, (fact, block))| match fact {
        Fact::All(fact) => Some((v, (fact, block))),
        _ => None,
    });
    known.collect()
}

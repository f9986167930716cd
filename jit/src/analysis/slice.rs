//! Forward slices: what depends on some values through operands and what blocks are passed (Weiser, "Program Slicing").
//! Must not know control dependence.

use crate::ir::{Block, Func, InstData, Value};
use rustc_hash::FxHashSet;

/// The given values and all that these blocks make of them, by instructions that `passes` allows and by edges to blocks
/// that `enters` allows.
pub fn dependents(
    func: &Func,
    blocks: &[Block],
    from: impl IntoIterator<Item = Value>,
    passes: impl Fn(&InstData) -> bool,
    enters: impl Fn(Block) -> bool,
) -> FxHashSet<Value> {
    let mut found = FxHashSet::from_iter(from);
    loop {
        let before = found.len();
        for &block in blocks {
            for data in func.data_of(&[block]) {
                if data.args.iter().any(|v| found.contains(v)) && passes(data) {
                    found.extend(data.result);
                }
            }
            let handed = func.handed(block).filter(|&(to, ..)| enters(to));
            handed.for_each(|(_, param, arg)| _ = found.contains(&arg) && found.insert(param));
        }
        if found.len() == before {
            return found;
        }
    }
}

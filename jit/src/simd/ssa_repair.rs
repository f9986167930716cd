//! Blocks of the vector loop that are skipped when no lane is active need not dominate those behind them. Must not know
//! lanes.

use crate::ir::cfg::Cfg;
use crate::ir::dom::Dominators;
use crate::ir::{Block, Builder, Func, SlotId, Value};
use rustc_hash::FxHashMap;

/// Values made in the blocks from `first` on that do not dominate their uses go through variables: on the ways that
/// skip them nobody looks at what is read.
pub(super) fn dominate(func: &mut Func, first: u32) {
    func.remove_unreachable();
    let cfg = Cfg::new(func);
    let dom = Dominators::new(&cfg);
    let mut homes: FxHashMap<Value, Block> = FxHashMap::default();
    for &block in func.layout.iter().filter(|b| b.0 >= first) {
        homes.extend(func.blocks[block].insts.iter().filter_map(|&i| func.insts[i].result).map(|v| (v, block)));
    }
    let mut slots: FxHashMap<Value, SlotId> = FxHashMap::default();
    for block in func.layout.clone().into_iter().filter(|b| b.0 >= first) {
        let strange = |v: Value| homes.get(&v).is_some_and(|&home| !dom.dominates(home, block));
        let insts = std::mem::take(&mut func.blocks[block].insts);
        let mut term = func.blocks[block].term.clone();
        let mut b = Builder::new(func, block);
        let mut read = |b: &mut Builder<'_>, v: Value| {
            let ty = b.func.ty(v);
            let slot = *slots.entry(v).or_insert_with(|| b.func.add_slot(ty.bytes().into(), 1));
            b.read(slot, ty)
        };
        for inst in insts {
            for i in 0..b.func.insts[inst].args.len() {
                let v = b.func.insts[inst].args[i];
                if strange(v) {
                    b.func.insts[inst].args[i] = read(&mut b, v);
                }
            }
            b.place(inst);
        }
        term.map_values(|v| if strange(v) { read(&mut b, v) } else { v });
        b.end(term);
    }
    let mut slots: Vec<(Value, SlotId)> = slots.into_iter().collect();
    slots.sort_unstable();
    for (v, slot) in slots {
        Builder::behind(func, homes[&v], v).write(slot, v);
    }
}

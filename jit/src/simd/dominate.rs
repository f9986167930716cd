//! Blocks of the vector loop that are skipped when no lane is active need not dominate those behind them. Must not know lanes.

use crate::ir::cfg::Cfg;
use crate::ir::dom::Dominators;
use crate::ir::{Attr, Block, Func, Imm, Inst, Op, Slot, SlotId, Type, Value, ValueDef};
use crate::launch::AddrSpace;
use crate::source::Span;
use rustc_hash::FxHashMap;

/// Values made in the blocks from `first` on that do not dominate their uses go through variables: on the ways that skip
/// them nobody looks at what is read.
pub(super) fn dominate(func: &mut Func, first: u32) {
    crate::pass::cleanup::remove_unreachable(func);
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
        let mut new = Vec::with_capacity(insts.len());
        let mut read = |func: &mut Func, new: &mut Vec<Inst>, v: Value| {
            let ty = func.ty(v);
            let slot = *slots.entry(v).or_insert_with(|| {
                let size = u64::from(ty.bytes());
                func.slots.push(Slot { size, align: 1, name: String::new() })
            });
            let ptr = raw(func, Op::SlotAddr, Some(Type::ptr(AddrSpace::Private)), &[], Imm::Slot(slot));
            let address = func.insts[ptr].result.expect("an address");
            let load = raw(func, Op::Load, Some(ty), &[address], Imm::None);
            new.extend([ptr, load]);
            func.insts[load].result.expect("a load has a result")
        };
        for inst in insts {
            for i in 0..func.insts[inst].args.len() {
                let v = func.insts[inst].args[i];
                if strange(v) {
                    func.insts[inst].args[i] = read(func, &mut new, v);
                }
            }
            new.push(inst);
        }
        let mut term = func.blocks[block].term.clone();
        term.map_values(|v| if strange(v) { read(func, &mut new, v) } else { v });
        func.blocks[block].term = term;
        func.blocks[block].insts = new;
    }
    let mut slots: Vec<(Value, SlotId)> = slots.into_iter().collect();
    slots.sort_unstable();
    for (v, slot) in slots {
        let block = homes[&v];
        let ValueDef::Inst(def) = func.values[v].def else { continue };
        let ptr = raw(func, Op::SlotAddr, Some(Type::ptr(AddrSpace::Private)), &[], Imm::Slot(slot));
        let address = func.insts[ptr].result.expect("an address");
        let store = raw(func, Op::Store, None, &[address, v], Imm::None);
        let insts = &mut func.blocks[block].insts;
        let at = insts.iter().position(|&i| i == def).expect("defined here");
        insts.splice(at + 1..at + 1, [ptr, store]);
    }
}

fn raw(func: &mut Func, op: Op, ty: Option<Type>, args: &[Value], imm: Imm) -> Inst {
    func.make_inst(op, ty, args, imm, Attr::default(), Span::DUMMY)
}

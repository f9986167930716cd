//! Private arrays that hold a copy of constant memory and are only read are that memory: tables that a kernel declares
//! with all their elements need no copy for each work-item (LLVM's InstCombine does so for allocas that are only copied
//! to from a constant).
//!
//! ```text
//! %s = slot.addr s ; %g = global.addr g ; memcpy %s, %g, size of s ; load (%s + i)   →   load (%g + i)
//! ```
//! What is read before the copy is undefined, so that it need not be looked for. Takes kernel form in SSA, where
//! indices that are known have made values of elements already. Linear.

use crate::ir::cfg::Cfg;
use crate::ir::op::Flags;
use crate::ir::{Func, GlobalId, Imm, Inst, Op, SlotId, Type, Value, ValueDef};
use crate::launch::AddrSpace;
use rustc_hash::{FxHashMap, FxHashSet};

/// Runs the pass; true if there was such an array.
pub fn run(func: &mut Func) -> bool {
    if !func.uses_slots() {
        return false;
    }
    func.remove_unreachable();
    let Uses { roots, copies, bad } = Uses::find(func);
    let is_copy = |slot: SlotId| !bad.contains(&slot) && func.slots[slot].variable.is_none();
    let tables: FxHashMap<SlotId, (GlobalId, Inst)> = copies.into_iter().filter(|(slot, _)| is_copy(*slot)).collect();
    if tables.is_empty() {
        return false;
    }
    for (v, slot) in roots {
        let Some(&(global, _)) = tables.get(&slot) else { continue };
        func.values[v].ty = Type::ptr(AddrSpace::Constant);
        let ValueDef::Inst(inst) = func.values[v].def else { unreachable!("an address is computed") };
        let data = &mut func.insts[inst];
        if data.op == Op::SlotAddr {
            (data.op, data.imm) = (Op::GlobalAddr, Imm::Global(global));
        }
    }
    let gone: FxHashSet<Inst> = tables.into_values().map(|(_, copy)| copy).collect();
    for block in func.layout.clone() {
        func.blocks[block].insts.retain(|inst| !gone.contains(inst));
    }
    true
}

/// How slots are used.
#[derive(Default)]
struct Uses {
    /// The slot that each address leads into.
    roots: FxHashMap<Value, SlotId>,
    /// What each is filled from, and by what.
    copies: FxHashMap<SlotId, (GlobalId, Inst)>,
    /// Those that are changed otherwise, or whose addresses go elsewhere.
    bad: FxHashSet<SlotId>,
}

impl Uses {
    fn find(func: &Func) -> Self {
        let mut this = Self::default();
        for &block in Cfg::new(func).rpo() {
            for &inst in &func.blocks[block].insts {
                this.visit(func, inst);
            }
            func.blocks[block].term.for_each_value(|v| this.bad.extend(this.roots.get(&v)));
        }
        this
    }

    fn visit(&mut self, func: &Func, inst: Inst) {
        let data = &func.insts[inst];
        let first = data.args.first().and_then(|v| self.roots.get(v)).copied();
        self.bad.extend(data.args.iter().skip(1).filter_map(|v| self.roots.get(v)));
        match (data.op, &data.imm, first) {
            (Op::SlotAddr, &Imm::Slot(slot), _) => self.roots.extend(data.result.map(|v| (v, slot))),
            (_, _, None) | (Op::Load, _, _) => {}
            (Op::PtrAdd | Op::PtrOff, _, Some(slot)) => self.roots.extend(data.result.map(|v| (v, slot))),
            (Op::Memcpy, _, Some(slot)) => {
                let copy = table(func, slot, inst).filter(|_| !self.copies.contains_key(&slot));
                match copy {
                    Some(global) => _ = self.copies.insert(slot, (global, inst)),
                    None => _ = self.bad.insert(slot),
                }
            }
            (_, _, Some(slot)) => _ = self.bad.insert(slot),
        }
    }
}

/// The constant memory that a copy fills the whole slot from.
fn table(func: &Func, slot: SlotId, copy: Inst) -> Option<GlobalId> {
    let &[to, from, size] = &func.insts[copy].args[..] else { return None };
    let is_volatile = func.insts[copy].attr.flags.contains(Flags::VOLATILE);
    let is_whole = func.const_bits(size) == Some(func.slots[slot].size);
    let is_start = func.def_inst(to).is_some_and(|data| data.op == Op::SlotAddr);
    let source = func.def_inst(from).filter(|data| data.op == Op::GlobalAddr && is_whole && is_start)?;
    let &Imm::Global(global) = &source.imm else { return None };
    (func.ty(from) == Type::ptr(AddrSpace::Constant) && !is_volatile).then_some(global)
}

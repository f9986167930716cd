//! Pointers that walk through a private array become indices into it (pointer conversion: Franke and O'Boyle, "Array
//! recovery and high-level transformations for DSP applications", 2003). Then every access says which array it is to
//! and where in it, so that `unify_elements` and `memory::Woven` may lay the lanes of its elements side by side.
//!
//! ```text
//! head(p): ..; load i8 p; jump head(p + 1)   →   head(i): ..; load i8 slot + sext i; jump head(i + 1)
//! ```
//! Pointers are block parameters and selections that lead into one slot whichever way control flow came; comparisons
//! between such are those of indices. Slots of one loop over work-items only: others may be the group's. Indices have
//! 32 bits, which no private array exceeds, and count the largest unit of up to eight bytes that divides all steps.
//! Takes kernels in the form of work-group functions, before lanes. Linear.

use super::unify_elements::item_loops;
use crate::analysis::address::Address;
use crate::analysis::joins;
use crate::ir::op::IntPred;
use crate::ir::{Block, Builder, Func, Imm, InstData, Op, SlotId, Term, Type, Value};
use crate::launch::AddrSpace;
use crate::pass::forward::Forward;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::cell::Cell;

/// The largest unit of indices: processors multiply by it in addresses.
const MAX_UNIT: u64 = 8;

/// Most indices of an address: each that becomes an index is summed anew.
const MAX_TERMS: usize = 4;

/// A pointer as a sum; of one with more indices, only the last ones, so that it leads nowhere.
fn address(func: &Func, ptr: Value) -> Address {
    let terms = Cell::new(0);
    Address::up_to(func, ptr, |v| {
        terms.set(terms.get() + usize::from(func.def_inst(v).is_some_and(|data| data.op == Op::PtrAdd)));
        terms.get() > MAX_TERMS
    })
}

/// Converts what can be; true if there was anything.
pub(crate) fn run(func: &mut Func) -> bool {
    // Definitions come before uses then.
    func.remove_unreachable();
    let found = Found::new(func);
    if found.slots.is_empty() {
        return false;
    }
    let units = found.units(func);
    let mut convert =
        Convert { units, indices: FxHashMap::default(), forward: Forward::new(func), func, found: &found };
    convert.add_params();
    convert.func.layout.clone().into_iter().for_each(|block| convert.block(block));
    let Convert { mut forward, .. } = convert;
    forward.apply(func);
    func.retain_params(|v| !found.slots.contains_key(&v));
    true
}

/// Parameters and selections that point into one slot, with the blocks that they are in.
struct Found {
    slots: FxHashMap<Value, (SlotId, Block)>,
}

impl Found {
    fn new(func: &Func) -> Self {
        let is_private = |v: Value| func.ty(v) == Type::ptr(AddrSpace::Private);
        let slot = |root: Value| Address { root, terms: SmallVec::new(), disp: 0 }.slot(func);
        let mut this = Self { slots: joins::common(func, is_private, |v| address(func, v).root, slot) };
        this.leave_shared(func);
        this
    }

    /// Keeps slots that are used in one loop over work-items only, wherever their address is taken.
    fn leave_shared(&mut self, func: &Func) {
        let loops = item_loops(func);
        let mut homes: FxHashMap<SlotId, Option<Block>> = FxHashMap::default();
        let mut shared: FxHashSet<SlotId> = FxHashSet::default();
        let mut roots: FxHashMap<Value, SlotId> = FxHashMap::default();
        let mut used: Vec<(SlotId, Block)> = Vec::new();
        for (block, inst) in func.live_insts() {
            let data = &func.insts[inst];
            let root = data.args.first().and_then(|v| roots.get(v)).copied();
            match (data.op, &data.imm, data.result) {
                (Op::SlotAddr, &Imm::Slot(slot), Some(v)) => _ = roots.insert(v, slot),
                (Op::PtrOff | Op::PtrAdd, _, Some(v)) => roots.extend(root.map(|slot| (v, slot))),
                _ => used.extend(data.args.iter().filter_map(|v| roots.get(v)).map(|&slot| (slot, block))),
            }
        }
        let walked = self.slots.values().copied();
        for (slot, block) in used.into_iter().chain(walked) {
            let home = loops.get(&block).copied();
            if home.is_none() || *homes.entry(slot).or_insert(home) != home {
                shared.insert(slot);
            }
        }
        let is_large = |slot: SlotId| func.slots[slot].size > i32::MAX as u64;
        self.slots.retain(|_, (slot, _)| !shared.contains(slot) && !is_large(*slot));
    }

    /// The slot that an address leads into.
    fn slot(&self, func: &Func, address: &Address) -> Option<SlotId> {
        self.slots.get(&address.root).map(|s| s.0).or_else(|| address.slot(func))
    }

    /// What indices into each slot count, in bytes.
    fn units(&self, func: &Func) -> FxHashMap<SlotId, u32> {
        let mut steps: FxHashMap<SlotId, u64> = FxHashMap::default();
        let mut note = |v: Value, to: Value| {
            if let Some(&(slot, _)) = self.slots.get(&to) {
                let Address { terms, disp, .. } = address(func, v);
                let all = terms.iter().map(|t| u64::from(t.1)).chain([disp.unsigned_abs()]);
                *steps.entry(slot).or_default() |= all.fold(0, |a, b| a | b);
            }
        };
        for &block in &func.layout {
            func.handed(block).for_each(|(_, param, arg)| note(arg, param));
        }
        for &v in self.slots.keys() {
            func.def_inst(v).into_iter().flat_map(|data| &data.args[1..]).for_each(|&arg| note(arg, v));
        }
        // The lowest bit of all steps is the largest power of two that divides them.
        steps.into_iter().map(|(slot, bits)| (slot, 1 << (bits | MAX_UNIT).trailing_zeros())).collect()
    }
}

struct Convert<'f> {
    func: &'f mut Func,
    found: &'f Found,
    units: FxHashMap<SlotId, u32>,
    /// The indices that pointers become.
    indices: FxHashMap<Value, Value>,
    forward: Forward,
}

impl Convert<'_> {
    /// Gives blocks indices beside their pointers.
    fn add_params(&mut self) {
        for block in self.func.layout.clone() {
            for v in self.func.blocks[block].params.clone() {
                if self.found.slots.contains_key(&v) {
                    self.indices.insert(v, self.func.add_param(block, Type::I32));
                }
            }
        }
    }

    /// Makes a block's pointers anew of indices, and hands these over.
    fn block(&mut self, block: Block) {
        let insts = std::mem::take(&mut self.func.blocks[block].insts);
        for v in self.func.blocks[block].params.clone() {
            if self.found.slots.contains_key(&v) {
                self.point(block, v);
            }
        }
        for inst in insts {
            let InstData { op, args, result, imm, .. } = self.func.insts[inst].clone();
            match (op, imm, result) {
                (Op::Select, _, Some(v)) if self.found.slots.contains_key(&v) => {
                    let [a, b] = [args[1], args[2]].map(|arg| self.index(block, arg, self.found.slots[&v].0));
                    let index = Builder::new(self.func, block).op(Op::Select, &[args[0], a, b]);
                    self.indices.insert(v, index);
                    self.point(block, v);
                }
                (Op::Icmp, Imm::IntPred(pred), Some(v)) if let Some([a, b]) = self.compared(block, &args) => {
                    let is_less = Builder::new(self.func, block).icmp(as_signed(pred), a, b);
                    self.forward.set(v, is_less);
                }
                _ => self.func.blocks[block].insts.push(inst),
            }
        }
        let mut term = std::mem::replace(&mut self.func.blocks[block].term, Term::Unreachable);
        for target in term.targets_mut() {
            let params = self.func.blocks[target.block].params.clone();
            for (param, arg) in params.into_iter().zip(target.args.clone()) {
                if let Some(&(slot, _)) = self.found.slots.get(&param) {
                    target.args.push(self.index(block, arg, slot));
                }
            }
        }
        self.func.blocks[block].term = term;
    }

    /// A pointer whose index is known becomes a sum.
    fn point(&mut self, block: Block, old: Value) {
        let (slot, _) = self.found.slots[&old];
        let mut b = Builder::new(self.func, block);
        let base = b.slot_addr(slot);
        let index = b.convert(Op::Sext, Type::I64, self.indices[&old]);
        let new = b.ptr_add(base, index, self.units[&slot], 0);
        self.forward.set(old, new);
    }

    /// Makes the index of an address in a slot, behind what a block has so far.
    fn index(&mut self, block: Block, ptr: Value, slot: SlotId) -> Value {
        let Address { root, terms, disp } = address(self.func, ptr);
        let unit = self.units[&slot];
        let mut b = Builder::new(self.func, block);
        let mut sum = b.i32((disp / i64::from(unit)) as i32);
        for (v, scale) in terms {
            let v = b.convert(Op::Trunci, Type::I32, v);
            let units = b.op_bits(Op::Mul, v, (scale / unit).into());
            sum = b.op(Op::Add, &[units, sum]);
        }
        match self.indices.get(&root) {
            Some(&index) => b.op(Op::Add, &[index, sum]),
            None => sum,
        }
    }

    /// The offsets, in bytes, of two addresses in one slot of which one at least has become an index.
    fn compared(&mut self, block: Block, ptrs: &[Value]) -> Option<[Value; 2]> {
        let addresses = [address(self.func, ptrs[0]), address(self.func, ptrs[1])];
        let [a, b] = addresses.each_ref().map(|address| self.found.slot(self.func, address));
        let any = addresses.iter().any(|address| self.indices.contains_key(&address.root));
        (any && a.is_some() && a == b).then(|| addresses.map(|address| self.offset(block, &address)))
    }

    fn offset(&mut self, block: Block, address: &Address) -> Value {
        let base =
            self.indices.get(&address.root).map(|&index| (index, self.units[&self.found.slots[&address.root].0]));
        let mut b = Builder::new(self.func, block);
        let mut sum = b.i32(address.disp as i32);
        let terms = address.terms.iter().copied();
        for (v, scale) in terms.chain(base) {
            let v = if b.func.ty(v) == Type::I32 { v } else { b.convert(Op::Trunci, Type::I32, v) };
            let bytes = b.op_bits(Op::Mul, v, scale.into());
            sum = b.op(Op::Add, &[bytes, sum]);
        }
        sum
    }
}

/// What orders offsets as addresses are ordered: one of them may be in front of the array.
fn as_signed(pred: IntPred) -> IntPred {
    match pred {
        IntPred::ULt => IntPred::SLt,
        IntPred::ULe => IntPred::SLe,
        IntPred::UGt => IntPred::SGt,
        IntPred::UGe => IntPred::SGe,
        pred => pred,
    }
}

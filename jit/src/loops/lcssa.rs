//! Loop-closed SSA form: nothing that a loop makes is used behind it but what its exits hand on. A transformation that
//! makes a second copy of a loop, or runs it in parts, asks for it; where it does not hold, values go through variables
//! or through parameters of a block behind the loop.

use crate::ir::cfg::Cfg;
use crate::ir::dom::Loop;
use crate::ir::entity::Entity;
use crate::ir::{Attr, Block, Builder, Copies, Func, Op, Scalar, SlotId, Target, Term, Type, Value};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// Values that some blocks make and that are used outside a loop, in order, each with the blocks that use it there.
pub fn escaping(func: &Func, made_in: &[Block], is_inside: impl Fn(Block) -> bool) -> BTreeMap<Value, Vec<Block>> {
    let homes = func.homes(made_in);
    let mut found: BTreeMap<Value, Vec<Block>> = BTreeMap::new();
    for &block in func.layout.iter().filter(|&&b| !is_inside(b)) {
        let note = |v: Value| {
            if homes[v.index()].is_some() {
                let users = found.entry(v).or_default();
                if users.last() != Some(&block) {
                    users.push(block);
                }
            }
        };
        func.for_each_use(block, note);
    }
    found
}

/// True if nothing that these blocks make is used outside them, but what they hand on. `users` are the function's
/// `user_blocks`. Linear in the blocks.
pub fn is_closed(func: &Func, blocks: &[Block], users: &[SmallVec<[Block; 2]>]) -> bool {
    let inside: FxHashSet<Block> = blocks.iter().copied().collect();
    blocks.iter().all(|&b| {
        let results = func.blocks[b].insts.iter().filter_map(|&i| func.insts[i].result);
        let mut made = func.blocks[b].params.iter().copied().chain(results);
        made.all(|v| users.get(v.index()).is_some_and(|of| of.iter().all(|user| inside.contains(user))))
    })
}

/// The block that jumps to a loop, if it is left at its one latch only and is closed. Linear in the function.
pub fn entry_of_closed(func: &Func, cfg: &Cfg, l: &Loop) -> Option<Block> {
    entry_of_simple(func, cfg, l).filter(|_| is_closed(func, &l.blocks, &func.user_blocks()))
}

/// The same, where it is known which blocks use each value. Linear in the loop's blocks.
pub fn entry_if_closed(func: &Func, cfg: &Cfg, l: &Loop, users: &[SmallVec<[Block; 2]>]) -> Option<Block> {
    entry_of_simple(func, cfg, l).filter(|_| is_closed(func, &l.blocks, users))
}

/// The block that jumps to a loop, if it is left at its one latch only.
fn entry_of_simple(func: &Func, cfg: &Cfg, l: &Loop) -> Option<Block> {
    let &[latch] = &l.latches[..] else { return None };
    let before = super::simplify::preheader(func, cfg, l)?;
    l.exiting(func).all(|b| b == latch).then_some(before)
}

/// Closes a loop that is left at one latch, with a block behind it whose parameters are what is used from there on.
pub fn close_at(func: &mut Func, blocks: &[Block], latch: Block) -> Block {
    let within = |b: Block| blocks.contains(&b);
    let homes = func.homes(blocks);
    let old = func.blocks[latch].term.targets().into_iter().find(|t| !within(t.block)).expect("a loop ends").clone();
    let mut used: Vec<Value> = escaping(func, blocks, within).into_keys().collect();
    used.extend(old.args.iter().filter(|v| homes[v.index()].is_some()));
    used.sort_unstable();
    used.dedup();
    let exit = func.add_block();
    let mut params = Copies::default();
    for &v in &used {
        let ty = func.ty(v);
        params.set(v, func.add_param(exit, ty));
    }
    for block in func.layout.clone().into_iter().filter(|&b| !within(b)) {
        func.map_uses(block, |v| params.value(v));
    }
    func.blocks[exit].term = Term::Jump(Target { block: old.block, args: params.values(&old.args) });
    for target in func.blocks[latch].term.targets_mut().into_iter().filter(|t| !within(t.block)) {
        *target = Target { block: exit, args: used.iter().copied().collect() };
    }
    let place = func.layout.iter().position(|&b| b == latch).expect("in the layout");
    func.layout.insert(place + 1, exit);
    exit
}

/// Passes values that some blocks make and that are used outside a loop through variables, which `mem2reg` turns back.
pub fn through_slots(func: &mut Func, made_in: &[Block], is_inside: impl Fn(Block) -> bool) {
    let homes = func.homes(made_in);
    for (v, users) in escaping(func, made_in, is_inside) {
        let ty = func.ty(v);
        // Booleans are bytes in memory.
        let stored = if ty.elem.bits() == 1 { ty.with_elem(Scalar::I8) } else { ty };
        let size = u64::from(stored.bytes());
        let slot = func.add_slot(size, size.next_power_of_two().min(16));
        let mut b = Builder::behind(func, homes[v.index()].expect("made there"), v);
        let ptr = b.slot_addr(slot);
        let bits = if ty == stored { v } else { b.convert(Op::Zext, stored, v) };
        b.store(ptr, bits, Attr::default());
        users.into_iter().for_each(|block| reload(func, block, v, slot, stored));
    }
}

/// Loads the value at the start of a block and uses that there.
fn reload(func: &mut Func, block: Block, v: Value, slot: SlotId, stored: Type) {
    let ty = func.ty(v);
    let mut b = Builder::at(func, block, 0);
    let ptr = b.slot_addr(slot);
    let mut with = b.load(stored, ptr, Attr::default());
    if ty != stored {
        with = b.convert(Op::Trunci, ty, with);
    }
    func.map_uses(block, |u| if u == v { with } else { u });
}

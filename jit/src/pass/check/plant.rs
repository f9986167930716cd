//! Puts checks into functions as lowered: what `values`, `nans`, `shifts` and `images` find.

use super::access::report;
use super::{images, nans, shifts, values};
use crate::check::Kinds;
use crate::ir::origin::Origin;
use crate::ir::{Attr, Block, Builder, Func, FuncId, Inst, IntPred, Module, SlotId, Term, Type, Value};
use rustc_hash::FxHashMap;

/// Makes the condition under which all is right, and what a report says of it else.
type Ask = Box<dyn Fn(&mut Builder<'_>) -> (Value, [Value; 4])>;

/// What is put in front of an instruction, or behind it.
pub(super) enum Plant {
    /// In front: the check of this number. If there is a flag, what is reported sets it.
    Check(u64, Option<SlotId>, Ask),
    /// The check of this number, behind it.
    CheckResult(u64, Ask),
    /// This flag is set behind it.
    Set(SlotId),
}

/// By instruction.
pub(super) type Plants = FxHashMap<Inst, Vec<Plant>>;

/// Checks a function of a module, from which it has been taken out.
pub(super) fn run(module: &mut Module, id: FuncId, func: &mut Func) {
    let mut plants = Plants::default();
    let kinds = module.checks.kinds;
    let mut flags = Vec::new();
    if kinds.contains(Kinds::MEMORY) {
        images::find(module, id, func, &mut plants);
    }
    if kinds.contains(Kinds::NANS) {
        nans::find(module, id, func, &mut plants);
    }
    if kinds.contains(Kinds::SHIFTS) {
        shifts::find(module, id, func, &mut plants);
    }
    if kinds.contains(Kinds::VALUES) {
        flags = values::find(module, id, func, &mut plants);
    }
    if plants.is_empty() {
        return;
    }
    let mut layout = Vec::with_capacity(func.layout.len());
    for block in std::mem::take(&mut func.layout) {
        layout.push(block);
        plant(func, block, &mut layout, &mut plants);
    }
    func.layout = layout;
    let entry = func.entry();
    let mut b = Builder::at(func, entry, 0);
    let unset = b.bits(Type::I8, 0);
    for flag in flags {
        let at = b.slot_addr(flag);
        b.store(at, unset, Attr::default());
    }
}

/// True if a flag is set.
pub(super) fn is_set(b: &mut Builder<'_>, flag: SlotId) -> Value {
    let place = b.slot_addr(flag);
    let is = b.load(Type::I8, place, Attr::default());
    b.icmp_bits(IntPred::Ne, is, 0)
}

/// Sets a flag.
fn set(b: &mut Builder<'_>, flag: SlotId) {
    let (place, set) = (b.slot_addr(flag), b.bits(Type::I8, 1));
    b.store(place, set, Attr::default());
}

/// Puts what is planted into a block, which falls apart.
fn plant(func: &mut Func, block: Block, layout: &mut Vec<Block>, plants: &mut Plants) {
    let insts = std::mem::take(&mut func.blocks[block].insts);
    let term = std::mem::replace(&mut func.blocks[block].term, Term::Unreachable);
    let mut at = block;
    for inst in insts {
        let origin = func.insts[inst].origin;
        let planted = plants.remove(&inst).unwrap_or_default();
        for what in &planted {
            if let Plant::Check(number, flag, ask) = what {
                at = check(func, at, origin, *number, *flag, ask, layout);
            }
        }
        func.blocks[at].insts.push(inst);
        for what in &planted {
            match what {
                Plant::Check(..) => {}
                Plant::CheckResult(number, ask) => at = check(func, at, origin, *number, None, ask, layout),
                Plant::Set(flag) => set(&mut Builder::new(func, at).with_origin(origin), *flag),
            }
        }
    }
    func.blocks[at].term = term;
}

/// Ends a block with a check; the block that what comes next goes to.
fn check(
    func: &mut Func,
    at: Block,
    origin: Origin,
    number: u64,
    flag: Option<SlotId>,
    ask: &Ask,
    layout: &mut Vec<Block>,
) -> Block {
    let (right, words) = ask(&mut Builder::new(func, at).with_origin(origin));
    let [bad, next] = [0; 2].map(|_| func.add_block());
    let mut b = Builder::new(func, at).with_origin(origin);
    b.branch(right, next, bad);
    let mut b = Builder::new(func, bad).with_origin(origin);
    report(&mut b, number, words);
    if let Some(flag) = flag {
        set(&mut b, flag);
    }
    b.jump(next, &[]);
    layout.extend([bad, next]);
    next
}

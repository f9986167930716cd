//! What functions do to memory that they are given by pointers: what they read before anything is written, and whether
//! they write it. For modules as lowered, whose functions do not call themselves. A summary of each parameter, from the
//! callees up. Linear.

use super::private::{Parts, beginning, pointers};
use crate::analysis::replaced;
use crate::ir::entity::Entity;
use crate::ir::{Func, FuncId, Imm, Inst, Module, Op, SlotId, Type, Value, op};
use crate::launch::AddrSpace;
use crate::pass::inline::{callees, callees_first};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a function does to what a pointer leads to that it gets.
#[derive(Clone, Debug)]
pub(super) struct Effect {
    /// What it reads for certain, and before anything is written: bytes from the pointer on.
    pub reads: Parts,
    /// It may write it, or keep the pointer.
    pub writes: bool,
}

/// Of a function of which nothing is known.
impl Default for Effect {
    fn default() -> Self {
        Self { reads: Parts::new(), writes: true }
    }
}

/// By function and number of the parameter.
#[derive(Default)]
pub(super) struct Effects(FxHashMap<(FuncId, usize), Effect>);

impl Effects {
    /// Of all functions that kernels reach.
    pub fn find(module: &Module) -> Self {
        let (mut effects, used) = (Self::default(), module.reachable());
        let calls: Vec<Vec<FuncId>> = module.funcs.values().map(callees).collect();
        for id in callees_first(&calls).into_iter().filter(|id| used[id.index()]) {
            effects.add(&module.funcs[id], id);
        }
        effects
    }

    /// Of a function's parameter.
    pub fn of(&self, func: FuncId, param: usize) -> Effect {
        self.0.get(&(func, param)).cloned().unwrap_or_default()
    }

    /// Those of a function, whose callees have been added.
    fn add(&mut self, func: &Func, id: FuncId) {
        if !func.has_body() || func.is_builtin {
            return;
        }
        let may_be_private = |ty: Type| [AddrSpace::Private, AddrSpace::Generic].map(Type::ptr).contains(&ty);
        let params = func.blocks[func.entry()].params.iter().enumerate();
        let mut roots: FxHashMap<Value, usize> =
            params.filter(|(_, v)| may_be_private(func.ty(**v))).map(|(n, &v)| (v, n)).collect();
        if roots.is_empty() {
            return;
        }
        let mut found: FxHashMap<usize, Effect> =
            roots.values().map(|&n| (n, Effect { writes: false, ..Effect::default() })).collect();
        let homes = homes(func, &roots);
        for data in func.live_insts().map(|(_, inst)| &func.insts[inst]).filter(|data| data.op == Op::Load) {
            let param = slot_of(func, data.args[0]).and_then(|slot| homes.get(&slot));
            roots.extend(data.result.zip(param.copied()));
        }
        self.look(func, &roots, &homes, &mut found);
        self.0.extend(found.into_iter().map(|(n, effect)| ((id, n), effect)));
    }

    fn look(
        &self,
        func: &Func,
        roots: &FxHashMap<Value, usize>,
        homes: &FxHashMap<SlotId, usize>,
        found: &mut FxHashMap<usize, Effect>,
    ) {
        let within = pointers(func, roots.iter().map(|(&v, &n)| (v, n)));
        let replaced = replaced::find(func);
        // Until then nothing is written but the function's own variables.
        let (mut is_first, beginning) = (true, beginning(func));
        for (block, inst) in func.live_insts() {
            let data = &func.insts[inst];
            is_first &= beginning.contains(&block);
            for (n, v) in data.args.iter().enumerate() {
                let Some(within) = within.get(v) else { continue };
                let effect = found.get_mut(&within.root).expect("a parameter");
                let offset = within.offset.and_then(|offset| u64::try_from(offset).ok()).filter(|_| is_first);
                match (data.op, n, data.result) {
                    (Op::PtrAdd | Op::PtrOff | Op::AsCast | Op::Element, 0, _) | (Op::Memcpy, 1, _) => {}
                    (Op::Icmp, ..) => {}
                    (Op::Store, 1, _) if slot_of(func, data.args[0]).is_some_and(|slot| homes.contains_key(&slot)) => {}
                    (Op::Load, 0, Some(v)) => {
                        let is_whole = !func.ty(v).is_vector() && !replaced.contains(&v);
                        let bytes = u64::from(func.ty(v).bytes());
                        effect.reads.extend(offset.filter(|_| is_whole).map(|offset| (offset, bytes)));
                    }
                    (Op::Call, ..) => {
                        let theirs = data.callee().map(|callee| self.of(callee, n)).unwrap_or_default();
                        effect.writes |= theirs.writes;
                        let moved = |by: u64| theirs.reads.iter().map(move |&(from, bytes)| (from + by, bytes));
                        effect.reads.extend(offset.into_iter().flat_map(moved));
                    }
                    _ => effect.writes = true,
                }
            }
            is_first &= !may_write_others(func, inst);
        }
        for &block in &func.layout {
            func.blocks[block].term.for_each_value(|v| {
                if let Some(within) = within.get(&v) {
                    found.get_mut(&within.root).expect("a parameter").writes = true;
                }
            });
        }
    }
}

/// The variables that hold parameters, and nothing else ever.
fn homes(func: &Func, params: &FxHashMap<Value, usize>) -> FxHashMap<SlotId, usize> {
    let mut homes: FxHashMap<SlotId, usize> = FxHashMap::default();
    let mut lost: FxHashSet<SlotId> = FxHashSet::default();
    for data in func.live_insts().map(|(_, inst)| &func.insts[inst]) {
        for (n, slot) in data.args.iter().enumerate().filter_map(|(n, &v)| Some((n, slot_of(func, v)?))) {
            match (data.op, n) {
                (Op::Load, 0) => {}
                (Op::Store, 0) => {
                    let param = params.get(&data.args[1]).filter(|_| !homes.contains_key(&slot));
                    match param {
                        Some(&param) => _ = homes.insert(slot, param),
                        None => _ = lost.insert(slot),
                    }
                }
                _ => _ = lost.insert(slot),
            }
        }
    }
    for &block in &func.layout {
        func.blocks[block].term.for_each_value(|v| lost.extend(slot_of(func, v)));
    }
    homes.retain(|slot, _| !lost.contains(slot));
    homes
}

/// The variable whose address a value is.
fn slot_of(func: &Func, v: Value) -> Option<SlotId> {
    let data = func.def_inst(v).filter(|data| data.op == Op::SlotAddr)?;
    if let Imm::Slot(slot) = data.imm { Some(slot) } else { None }
}

/// True if an instruction may write other memory than the function's own variables.
fn may_write_others(func: &Func, inst: Inst) -> bool {
    let data = &func.insts[inst];
    let is_own = |v: Value| {
        let mut at = v;
        while let Some(def) = func.def_inst(at) {
            match def.op {
                Op::SlotAddr => return true,
                Op::PtrAdd | Op::PtrOff | Op::AsCast | Op::Element => at = def.args[0],
                _ => return false,
            }
        }
        false
    };
    match data.op {
        Op::Store | Op::Memset | Op::Memcpy => !is_own(data.args[0]),
        op => op.row().effects.contains(op::Effects::WRITES),
    }
}

//! Barrier intervals: of accesses to local memory, which cannot race. What a group does between two barriers that order
//! local memory is one interval, and accesses of different intervals are ordered. In which intervals an access may be
//! is a forward data-flow problem: which barrier the group has passed last. (As in compilers for SPMD programs; see
//! Aiken and Gay, "Barrier Inference", POPL 1998.) Of two accesses in one interval of which one writes, it is asked
//! whether work-items have their bytes to themselves (`footprint`).
//!
//! Takes kernel form, and that all work-items of a group reach the same barriers.

use super::footprint::{Place, root};
use crate::ir::{Block, Func, Imm, Inst, Op, Type, Value};
use crate::launch::AddrSpace;
use crate::own::{Footprint, Id, Launch, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

/// Barriers, and accesses to a variable, at most: behind that nothing is known.
pub const MOST: usize = 63;

/// The memory region of a barrier (`Imm::FenceFlags`).
const LOCAL: u8 = 1;

/// An access to local memory.
struct Access {
    inst: Inst,
    place: Option<Place>,
    writes: bool,
    /// Bits of the barriers that the group may have passed last; bit 0: none.
    intervals: u64,
}

/// Plain accesses to local memory that race with none. `local_size` is that of all groups, if there is one.
pub fn ordered(func: &Func, local_size: Option<[u32; 3]>) -> FxHashSet<Inst> {
    let mut ordered = FxHashSet::default();
    let Some(accesses) = accesses(func) else { return ordered };
    for of_variable in accesses.values() {
        if of_variable.len() > MOST {
            continue;
        }
        let mut races = vec![false; of_variable.len()];
        for (n, a) in of_variable.iter().enumerate() {
            for (m, b) in of_variable.iter().enumerate().skip(n) {
                let may_meet = (a.writes || b.writes) && a.intervals & b.intervals != 0;
                if may_meet && !are_apart(a, b, local_size) {
                    (races[n], races[m]) = (true, true);
                }
            }
        }
        ordered.extend(of_variable.iter().zip(races).filter(|(_, races)| !races).map(|(access, _)| access.inst));
    }
    ordered
}

fn are_apart(a: &Access, b: &Access, local_size: Option<[u32; 3]>) -> bool {
    let both = || {
        let Place { sum, narrow, .. } = a.place.clone()?.join(b.place.as_ref()?)?;
        Some(Footprint { arg: 0, sum, narrow }.is_apart(&Group(local_size?)))
    };
    both().unwrap_or(false)
}

/// A work-group of this size.
struct Group([u32; 3]);

impl Launch for Group {
    fn ids(&self, id: Id) -> (i128, i128) {
        match id {
            Id::Local(d) => (0, self.0[usize::from(d)].into()),
            // In a group as far apart as local ids; where they begin is not known.
            Id::Global(d) => (i128::from(i64::MIN), self.0[usize::from(d)].into()),
            Id::Group(_) => (i128::from(i64::MIN), 1),
        }
    }
    fn symbol(&self, symbol: Symbol) -> Option<i128> {
        match symbol {
            Symbol::LocalSize(d) => Some(self.0[usize::from(d)].into()),
            _ => None,
        }
    }
}

/// All accesses to local memory, by variable; nothing if there are others of which it is not known where they go.
fn accesses(func: &Func) -> Option<FxHashMap<Imm, Vec<Access>>> {
    let mut found: FxHashMap<Imm, Vec<Access>> = FxHashMap::default();
    let barriers = barriers(func)?;
    for (block, mut now) in intervals(func, &barriers) {
        for &inst in &func.blocks[block].insts {
            let data = &func.insts[inst];
            if let Some(n) = barriers.get(&inst) {
                now = 1 << n;
            }
            let (pointers, bytes, writes): (&[usize], _, _) = match data.op {
                Op::Load => (&[0], data.result.map(|v| func.ty(v).bytes()), false),
                Op::Store => (&[0], Some(func.ty(data.args[1]).bytes()), true),
                Op::AtomicLoad | Op::AtomicStore | Op::AtomicRmw | Op::AtomicCas | Op::Memset => (&[0], None, true),
                Op::Memcpy => (&[0, 1], None, true),
                _ => continue,
            };
            for &n in pointers {
                let from = root(func, data.args[n]);
                let Some(variable) = variable(func, from)? else { continue };
                let place = bytes.and_then(|bytes| Place::of(func, data.args[n], bytes));
                found.entry(variable).or_default().push(Access { inst, place, writes, intervals: now });
            }
        }
    }
    Some(found)
}

/// Which local variable or argument a pointer is made from; nothing inside if it is no local memory, nothing at all if
/// that is not known.
fn variable(func: &Func, root: Value) -> Option<Option<Imm>> {
    let ty = func.ty(root);
    if let Some(data) = func.def_inst(root) {
        match data.op {
            Op::LocalAddr => return Some(Some(data.imm.clone())),
            Op::SlotAddr | Op::GlobalAddr => return Some(None),
            _ => {}
        }
    }
    if ty == Type::ptr(AddrSpace::Global) || ty == Type::ptr(AddrSpace::Constant) || ty == Type::ptr(AddrSpace::Private)
    {
        return Some(None);
    }
    let params = &func.blocks[func.entry()].params;
    let n = params.iter().position(|&param| param == root).filter(|_| ty == Type::ptr(AddrSpace::Local))?;
    Some(Some(Imm::Disp(n as i64)))
}

/// Barriers that order local memory, with numbers from 1 on; nothing if there are too many.
fn barriers(func: &Func) -> Option<FxHashMap<Inst, u32>> {
    let is_barrier = |&(_, inst): &(Block, Inst)| match (func.insts[inst].op, &func.insts[inst].imm) {
        (Op::Barrier, Imm::FenceFlags(flags)) => flags & LOCAL != 0,
        // All work-items wait for the group to begin the copy.
        (op, _) => op == Op::AsyncCopy,
    };
    let found: FxHashMap<Inst, u32> = func.live_insts().filter(is_barrier).map(|(_, inst)| inst).zip(1..).collect();
    (found.len() <= MOST).then_some(found)
}

/// Of blocks that are reached, the barriers that a group may have passed last where they begin.
fn intervals(func: &Func, barriers: &FxHashMap<Inst, u32>) -> FxHashMap<Block, u64> {
    let passed = |block: Block| func.blocks[block].insts.iter().rev().find_map(|inst| barriers.get(inst));
    let mut before: FxHashMap<Block, u64> = FxHashMap::default();
    before.insert(func.entry(), 1);
    let mut todo = vec![func.entry()];
    while let Some(block) = todo.pop() {
        let behind = passed(block).map_or(before[&block], |n| 1 << n);
        func.blocks[block].term.for_each_target(|target| {
            let known = before.entry(target.block).or_default();
            if *known | behind != *known {
                *known |= behind;
                todo.push(target.block);
            }
        });
    }
    before
}

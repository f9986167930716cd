//! Checks of private variables: reads of what nothing has written. For modules as lowered: every variable is still a
//! slot, and no function of the library has come in.
//!
//! A variable that is not obviously written first gets **flags**, a slot of its own with a byte for each of its units,
//! which are as large as what is accessed of it: elements of an array, members of a struct, components of a vector. A
//! write sets those of its units. A read while one of its is not set is reported, and sets them, so that what comes
//! behind it needs no check. A declaration clears all, since it may be in a loop. Flags are values after `sroa` and
//! `mem2reg`, as the variable is, and where all ways lead over a write no check is left. (MemorySanitizer, Stepanov and
//! Serebryany, 2015, has such shadow for all memory.)
//!
//! What is copied is not read, so that padding and members that nobody uses give no alarm. Of a vector that is read as
//! a whole one component has to be written, and so of what is read as one number over several units, as optimisers
//! copy structs. A variable whose address goes where it is not followed has no flags; what functions do that get it,
//! `handed` says. Functions that another compiler has optimised are left alone: loads may stand there in front of the
//! branches that guard them. Linear.

use super::handed::Effects;
use super::plant::{Ask, Mark, Plant, Plants};
use super::site;
use crate::analysis::replaced;
use crate::ir::check::{Checked, Object, ObjectKind};
use crate::ir::{Attr, Block, Builder, Flags, Func, FuncId, Imm, Inst, IntPred, Module, Op, SlotId, Term, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

/// Variables of more units have one flag.
const MAX_UNITS: u64 = 1024;
/// Flags of so many units are accessed one by one, of which `sroa` makes values.
const FEW: u64 = 16;

/// Where in something a pointer leads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Within<R> {
    /// The variable, or whatever it is.
    pub root: R,
    /// Bytes from its first one, if they are known.
    pub offset: Option<i64>,
    /// A multiple of this, if they are not.
    pub step: u64,
}

/// A part of what is accessed: bytes from where that begins, and how many.
pub(super) type Part = (u64, u64);
/// Such parts.
pub(super) type Parts = SmallVec<[Part; 4]>;

/// What an instruction does to a variable.
enum Use {
    /// It is declared: nothing of it is written.
    Begins,
    /// Reads these parts: something of all has to be written, or of `any`.
    Reads { parts: Parts, any: bool },
    /// Writes these parts.
    Writes(Parts),
    /// May write anything.
    WritesAll,
}

struct Access {
    block: Block,
    inst: Inst,
    pointer: Value,
    within: Within<SlotId>,
    what: Use,
}

/// The flags of a variable.
#[derive(Clone, Copy)]
pub(super) struct FlagsOf {
    slot: SlotId,
    units: Units,
    /// Number in the module's objects.
    object: u64,
}

/// What a variable is divided into.
#[derive(Clone, Copy, Default)]
struct Units {
    /// log2 of a unit's bytes.
    shift: u32,
    count: u64,
    /// Units behind the last one, which are set: accesses at unknown places outside of the variable go there.
    rest: u64,
}

/// Finds the reads and writes of variables that need flags; the flags.
pub(super) fn find(
    module: &mut Module,
    id: FuncId,
    func: &mut Func,
    effects: &Effects,
    plants: &mut Plants,
) -> Vec<FlagsOf> {
    if func.is_reordered {
        return Vec::new();
    }
    let (accesses, mut lost) = accesses(func, effects);
    let is_read: FxHashSet<SlotId> =
        accesses.iter().filter(|a| matches!(a.what, Use::Reads { .. })).map(|a| a.within.root).collect();
    let beginning = beginning(func);
    lost.extend(written_first(func, &accesses, &beginning));
    let units = units(func, &accesses);
    let mut flags: FxHashMap<SlotId, FlagsOf> = FxHashMap::default();
    let mut made = Vec::new();
    // Units that are set from here on in the block.
    let (mut here, mut set) = (func.entry(), FxHashSet::default());
    for Access { block, inst, pointer, within, what } in accesses {
        let slot = within.root;
        let data = &func.slots[slot];
        if lost.contains(&slot) || data.name.is_empty() || !is_read.contains(&slot) {
            continue;
        }
        if block != here {
            here = block;
            set.clear();
        }
        let origin = func.insts[inst].origin;
        if matches!(what, Use::Reads { .. }) && !module.is_checked(func, origin) {
            continue;
        }
        let (name, size) = (data.name.clone(), data.size);
        let flags = *flags.entry(slot).or_insert_with(|| {
            module.checks.objects.push(Object { what: ObjectKind::Private, name, size });
            let object = module.checks.objects.len() as u64 - 1;
            let units = units[&slot];
            made.push(FlagsOf { slot: func.add_slot(units.count + units.rest, 8), units, object });
            made[made.len() - 1]
        });
        let at = At { flags, pointer, offset: within.offset };
        let planted = match what {
            Use::Begins if beginning.contains(&block) => None,
            Use::Begins => {
                set.retain(|(of, _)| *of != slot);
                Some(Plant::Do(Box::new(move |b| flags.fill(b, 0))))
            }
            Use::WritesAll => Some(Plant::Do(Box::new(move |b| flags.fill(b, 1)))),
            Use::Writes(parts) => at.new_parts(parts, slot, &mut set, true).map(|parts| Plant::Do(at.mark(parts))),
            Use::Reads { parts, any } => {
                let any = any || parts.iter().any(|(_, bytes)| bytes >> flags.units.shift > 1);
                at.new_parts(parts, slot, &mut set, !any).map(|parts| {
                    let number = site(module, id, origin, Checked::Unwritten);
                    Plant::Check(number, Some(at.mark(parts.clone())), at.ask(parts, any))
                })
            }
        };
        plants.entry(inst).or_default().extend(planted);
    }
    made
}

/// What is done to variables, and those whose address goes where it is not followed.
fn accesses(func: &Func, effects: &Effects) -> (Vec<Access>, FxHashSet<SlotId>) {
    let slots = func.live_insts().filter_map(|(_, inst)| match (&func.insts[inst].imm, func.insts[inst].result) {
        (&Imm::Slot(slot), Some(v)) if func.insts[inst].op == Op::SlotAddr => Some((v, slot)),
        _ => None,
    });
    let all = pointers(func, slots);
    let (replaced, picked) = (replaced::find(func), picked(func, &all));
    let (mut accesses, mut lost) = (Vec::new(), FxHashSet::default());
    for (block, inst) in func.live_insts() {
        let data = &func.insts[inst];
        let known = |n: usize| func.const_bits(data.args[n]);
        let bytes = |n: usize| known(n).map_or(Use::WritesAll, |bytes| Use::Writes(smallvec![(0, bytes)]));
        for (n, &pointer) in data.args.iter().enumerate() {
            let Some(&within) = all.get(&pointer) else { continue };
            let mut add = |what: Use| accesses.push(Access { block, inst, pointer, within, what });
            match (data.op, n, data.result) {
                (Op::PtrAdd | Op::PtrOff | Op::AsCast | Op::Element, 0, _) | (Op::Memcpy, 1, _) | (Op::Icmp, ..) => {}
                (Op::Load, 0, Some(v)) if replaced.contains(&v) => {}
                (Op::Load, 0, Some(v)) => add(read(func, v, picked.get(&v))),
                (Op::Store, 0, _) => add(Use::Writes(changed(func, &all, pointer, data.args[1]))),
                (Op::Memset, 0, _) if is_declaration(func, inst) => add(Use::Begins),
                (Op::Memset | Op::Memcpy, 0, _) => add(bytes(2)),
                (Op::Call, ..) => {
                    let effect = data.callee().map(|callee| effects.of(callee, n)).unwrap_or_default();
                    if !effect.reads.is_empty() {
                        add(Use::Reads { parts: effect.reads, any: false });
                    }
                    if effect.writes {
                        add(Use::WritesAll);
                    }
                }
                _ => _ = lost.insert(within.root),
            }
        }
    }
    for &block in &func.layout {
        func.blocks[block].term.for_each_value(|v| lost.extend(all.get(&v).map(|within| within.root)));
    }
    (accesses, lost)
}

/// The declaration of a variable, as lowering says it where values are checked.
pub(super) fn is_declaration(func: &Func, inst: Inst) -> bool {
    let data = &func.insts[inst];
    data.op == Op::Memset && func.def_inst(data.args[1]).is_some_and(|def| def.op == Op::Undef)
}

/// Pointers that are made of others whose root is known.
pub(super) fn pointers<R: Copy>(
    func: &Func,
    roots: impl IntoIterator<Item = (Value, R)>,
) -> FxHashMap<Value, Within<R>> {
    let of = |(v, root)| (v, Within { root, offset: Some(0), step: 0 });
    let mut found: FxHashMap<Value, Within<R>> = roots.into_iter().map(of).collect();
    let mut n = usize::MAX;
    while found.len() != n {
        n = found.len();
        for data in func.live_insts().map(|(_, inst)| &func.insts[inst]) {
            let (Some(from), Some(result)) = (data.args.first().and_then(|v| found.get(v)).copied(), data.result)
            else {
                continue;
            };
            let moved = |by: i64| from.offset.and_then(|offset| offset.checked_add(by));
            let within = match (data.op, &data.imm) {
                (Op::AsCast | Op::Element, _) => from,
                (Op::PtrOff, &Imm::Disp(disp)) => {
                    Within { offset: moved(disp), step: gcd(from.step, disp.unsigned_abs()), ..from }
                }
                (Op::PtrAdd, &Imm::Scale { scale, disp }) => {
                    let by =
                        func.const_bits(data.args[1]).map(|n| (n as i64).wrapping_mul(scale.into()).wrapping_add(disp));
                    let step = by.map_or(gcd(scale.into(), disp.unsigned_abs()), i64::unsigned_abs);
                    Within { offset: by.and_then(moved), step: gcd(from.step, step), ..from }
                }
                _ => continue,
            };
            found.insert(result, within);
        }
    }
    found
}

/// The components that are taken of vectors which are loaded of variables; none if they are used otherwise, too.
fn picked(func: &Func, within: &FxHashMap<Value, Within<SlotId>>) -> FxHashMap<Value, SmallVec<[u8; 8]>> {
    let mut picked: FxHashMap<Value, SmallVec<[u8; 8]>> = FxHashMap::default();
    for (_, inst) in func.live_insts() {
        let data = &func.insts[inst];
        if let (Op::Load, Some(v)) = (data.op, data.result)
            && func.ty(v).is_vector()
            && within.contains_key(&data.args[0])
        {
            picked.insert(v, SmallVec::new());
        }
    }
    let (mut whole, wanted) = (FxHashSet::default(), replaced::wanted(func));
    for data in func.live_insts().map(|(_, inst)| &func.insts[inst]).filter(|data| !replaced::is_idle(data, &wanted)) {
        for (n, v) in data.args.iter().enumerate() {
            let Some(lanes) = picked.get_mut(v) else { continue };
            match (data.op, &data.imm) {
                (Op::Extract, &Imm::Lane(lane)) => lanes.push(lane),
                (Op::Shuffle, Imm::Lanes(order)) => {
                    let (width, first) = (func.ty(*v).lanes, if n == 0 { 0 } else { func.ty(data.args[0]).lanes });
                    lanes.extend(order.iter().filter(|&&k| (first..first + width).contains(&k)).map(|k| k - first));
                }
                _ => _ = whole.insert(*v),
            }
        }
    }
    for &block in &func.layout {
        func.blocks[block].term.for_each_value(|v| _ = whole.insert(v));
    }
    picked.retain(|v, _| !whole.contains(v));
    picked
}

/// A load of a value, of which these components are used, or all.
fn read(func: &Func, v: Value, lanes: Option<&SmallVec<[u8; 8]>>) -> Use {
    let ty = func.ty(v);
    let bytes = u64::from(ty.elem.bytes());
    match lanes {
        None => Use::Reads { parts: smallvec![(0, bytes * u64::from(ty.lanes))], any: ty.is_vector() },
        Some(lanes) => {
            let mut lanes = lanes.clone();
            lanes.sort_unstable();
            lanes.dedup();
            Use::Reads { parts: lanes.iter().map(|&lane| (u64::from(lane) * bytes, bytes)).collect(), any: false }
        }
    }
}

/// The components of what is stored that are not those which are there.
fn changed(func: &Func, within: &FxHashMap<Value, Within<SlotId>>, pointer: Value, stored: Value) -> Parts {
    let ty = func.ty(stored);
    let bytes = u64::from(ty.elem.bytes());
    if !ty.is_vector() {
        return smallvec![(0, bytes)];
    }
    let place = |v: Value| within.get(&v).map(|within| (within.root, within.offset));
    let is_same = |other: Value| {
        other == pointer || place(other) == place(pointer) && place(pointer).is_some_and(|p| p.1.is_some())
    };
    let is_there = |lane: u8| {
        let (mut v, mut at) = (stored, lane);
        // As many steps as an assignment of all components of the longest vector takes.
        for _ in 0..16 {
            let Some(data) = func.def_inst(v) else { return false };
            match (data.op, &data.imm) {
                (Op::Load, _) => return at == lane && is_same(data.args[0]),
                (Op::Insert, &Imm::Lane(n)) if n != at => v = data.args[0],
                (Op::Shuffle, Imm::Lanes(order)) => {
                    let (from, first) = (order[usize::from(at)], func.ty(data.args[0]).lanes);
                    (v, at) = if from < first { (data.args[0], from) } else { (data.args[1], from - first) };
                }
                _ => return false,
            }
        }
        false
    };
    (0..ty.lanes).filter(|&lane| !is_there(lane)).map(|lane| (u64::from(lane) * bytes, bytes)).collect()
}

/// The blocks with which a function begins, one behind the other, before it branches or joins: they run once.
pub(super) fn beginning(func: &Func) -> FxHashSet<Block> {
    let mut ways: FxHashMap<Block, usize> = FxHashMap::default();
    for &block in &func.layout {
        func.blocks[block].term.targets().into_iter().for_each(|target| *ways.entry(target.block).or_default() += 1);
    }
    let mut found: FxHashSet<Block> = FxHashSet::default();
    let mut at = Some(func.entry());
    while let Some(block) = at.filter(|&block| found.insert(block)) {
        at = match &func.blocks[block].term {
            Term::Jump(target) if ways[&target.block] == 1 => Some(target.block),
            _ => None,
        };
    }
    found
}

/// Variables that a function writes as a whole where it begins, before anything is read of them.
fn written_first(func: &Func, accesses: &[Access], beginning: &FxHashSet<Block>) -> FxHashSet<SlotId> {
    let (mut is_read, mut first) = (FxHashSet::default(), FxHashSet::default());
    for Access { block, within, what, .. } in accesses {
        let slot = within.root;
        let size = func.slots[slot].size;
        let is_whole = match what {
            Use::Begins => false,
            Use::Reads { .. } => {
                is_read.insert(slot);
                false
            }
            Use::WritesAll => true,
            Use::Writes(parts) => within.offset == Some(0) && parts.iter().map(|(_, bytes)| bytes).sum::<u64>() >= size,
        };
        if is_whole && beginning.contains(block) && !is_read.contains(&slot) {
            first.insert(slot);
        }
    }
    first
}

/// What each variable is divided into.
fn units(func: &Func, accesses: &[Access]) -> FxHashMap<SlotId, Units> {
    let mut step: FxHashMap<SlotId, u64> = FxHashMap::default();
    for Access { within, what, .. } in accesses {
        let parts = match what {
            Use::Reads { parts, .. } | Use::Writes(parts) => parts.as_slice(),
            Use::Begins | Use::WritesAll => &[],
        };
        let at = within.offset.map_or(within.step, i64::unsigned_abs);
        let all = parts.iter().fold(0, |all, &(from, bytes)| gcd(all, gcd(gcd(at, from), bytes)));
        let step = step.entry(within.root).or_default();
        *step = gcd(*step, all);
    }
    let mut units: FxHashMap<SlotId, Units> = FxHashMap::default();
    for (slot, step) in step {
        let shift = step.trailing_zeros().min(63);
        let count = func.slots[slot].size.div_ceil(1 << shift).max(1);
        let (shift, count) = if count > MAX_UNITS { (63, 1) } else { (shift, count) };
        units.insert(slot, Units { shift, count, rest: 0 });
    }
    for Access { within, what, .. } in accesses.iter().filter(|access| access.within.offset.is_none()) {
        let units = units.get_mut(&within.root).expect("all have some");
        if let Use::Reads { parts, .. } | Use::Writes(parts) = what {
            let most = parts.iter().map(|&(_, bytes)| (bytes >> units.shift).max(1)).max();
            units.rest = units.rest.max(most.unwrap_or(0));
        }
    }
    units
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// An access to a variable with flags.
#[derive(Clone, Copy)]
struct At {
    flags: FlagsOf,
    pointer: Value,
    offset: Option<i64>,
}

impl At {
    /// The units of a part, at a place that is known; those outside of the variable are left out.
    fn units(self, (from, bytes): Part) -> Option<std::ops::Range<u64>> {
        let Units { shift, count, .. } = self.flags.units;
        let first = self.offset?.checked_add_unsigned(from).and_then(|at| u64::try_from(at).ok())?;
        let last = first.checked_add(bytes.max(1) - 1)?;
        Some((first >> shift).min(count)..((last >> shift) + 1).min(count))
    }

    /// The parts of which not all is set; now it is, or may be.
    fn new_parts(self, parts: Parts, slot: SlotId, set: &mut FxHashSet<(SlotId, u64)>, sets: bool) -> Option<Parts> {
        let mut is_new = |part: &Part| match self.units(*part) {
            None => self.offset.is_none(),
            Some(units) => {
                let new: SmallVec<[u64; 8]> = units.filter(|&unit| !set.contains(&(slot, unit))).collect();
                if sets {
                    set.extend(new.iter().map(|&unit| (slot, unit)));
                }
                !new.is_empty()
            }
        };
        let new: Parts = parts.into_iter().filter(|part| is_new(part)).collect();
        (!new.is_empty()).then_some(new)
    }

    /// Sets the flags of parts.
    fn mark(self, parts: Parts) -> Mark {
        Box::new(move |b| {
            for &part in &parts {
                let (at, count) = self.flags_of(b, part);
                for (from, width) in pieces(count, self.offset.is_some()) {
                    let (at, ones) =
                        (b.ptr_off(at, from as i64), b.bits(Type::int(width as u32), ONES >> (64 - 8 * width)));
                    b.store(at, ones, inside());
                }
            }
        })
    }

    /// True if all parts are set, or any of them.
    fn ask(self, parts: Parts, any: bool) -> Ask {
        Box::new(move |b| {
            let op = if any { Op::Or } else { Op::And };
            let mut found: Option<Value> = None;
            for &part in &parts {
                let (at, count) = self.flags_of(b, part);
                for (from, width) in pieces(count, self.offset.is_some()) {
                    let at = b.ptr_off(at, from as i64);
                    let flags = b.load(Type::int(width as u32), at, inside());
                    let is = match any {
                        true => b.icmp_bits(IntPred::Ne, flags, 0),
                        false => b.icmp_bits(IntPred::Eq, flags, ONES >> (64 - 8 * width)),
                    };
                    found = Some(found.map_or(is, |found| b.op(op, &[found, is])));
                }
            }
            let found = found.unwrap_or_else(|| b.bits(Type::I1, 1));
            let (from, end) = (parts[0].0, parts.iter().map(|&(from, bytes)| from + bytes).max().unwrap_or(0));
            let at = self.offset_value(b);
            let offset = b.advance(at, from as i64);
            let bytes = b.i64((end - from) as i64);
            (found, [b.i64(self.flags.object as i64), offset, bytes, bytes])
        })
    }

    fn offset_value(self, b: &mut Builder<'_>) -> Value {
        match self.offset {
            Some(offset) => b.i64(offset),
            None => offset_of(b, self.pointer),
        }
    }

    /// Where the flags of a part begin, and how many there are.
    fn flags_of(self, b: &mut Builder<'_>, part: Part) -> (Value, u64) {
        let FlagsOf { slot, units, .. } = self.flags;
        let start = b.slot_addr(slot);
        if let Some(units) = self.units(part) {
            return (b.ptr_off(start, units.start as i64), units.end - units.start);
        }
        let at = self.offset_value(b);
        let at = b.advance(at, part.0 as i64);
        let unit = b.op_bits(Op::Lshr, at, units.shift.into());
        let unit = b.op_bits(Op::MinU, unit, units.count);
        (b.ptr_add(start, unit, 1, 0), (part.1 >> units.shift).max(1))
    }
}

/// Flags that are set.
const ONES: u64 = 0x0101_0101_0101_0101;

/// Accesses to flags are inside of them.
fn inside() -> Attr {
    Attr { flags: Flags::IN_RANGE, align: 1, ..Attr::default() }
}

/// In which pieces so many flags are accessed: where each begins, and its bytes.
fn pieces(count: u64, is_known: bool) -> impl Iterator<Item = (u64, u64)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let left = count - at;
        let width = if is_known && count <= FEW { 1 } else { 1 << left.max(1).ilog2().min(3) };
        let piece = (left > 0).then_some((at, width));
        at += if left > 0 { width } else { 0 };
        piece
    })
}

/// How far a pointer is from where its variable begins.
fn offset_of(b: &mut Builder<'_>, pointer: Value) -> Value {
    let (mut sum, mut at) = (b.i64(0), pointer);
    while let Some(data) = b.func.def_inst(at).filter(|data| data.op != Op::SlotAddr).cloned() {
        match data.imm {
            Imm::Disp(disp) => sum = b.advance(sum, disp),
            Imm::Scale { scale, disp } => {
                let by = b.op_bits(Op::Mul, data.args[1], scale.into());
                sum = b.op(Op::Add, &[sum, by]);
                sum = b.advance(sum, disp);
            }
            _ => {}
        }
        at = data.args[0];
    }
    sum
}

impl FlagsOf {
    /// Sets all flags, or none.
    fn fill(self, b: &mut Builder<'_>, to: u64) {
        let Units { count, .. } = self.units;
        let (start, to) = (b.slot_addr(self.slot), b.bits(Type::I8, to));
        if count > FEW {
            let count = b.i64(count as i64);
            b.push(Op::Memset, None, &[start, to, count], Imm::None, inside());
            return;
        }
        for n in 0..count {
            let at = b.ptr_off(start, n as i64);
            b.store(at, to, inside());
        }
    }

    /// What the function does first: nothing is written.
    pub(super) fn begin(self, b: &mut Builder<'_>) {
        self.fill(b, 0);
        let start = b.slot_addr(self.slot);
        for n in 0..self.units.rest {
            let (at, one) = (b.ptr_off(start, (self.units.count + n) as i64), b.bits(Type::I8, 1));
            b.store(at, one, inside());
        }
    }
}

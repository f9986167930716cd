//! Private arrays that are accessed in elements of several sizes, such as a block of words into which bytes are put:
//! all accesses become those of whole elements of one size, of which smaller ones load, or change, a part.
//! Then the lanes of an element can lie side by side in memory (`memory::Woven`).
//!
//! ```text
//! load i8 slot + i + 1   →   o = i + 1 ; e = load i32 slot + (o >> 2) * 4 ; trunc (e >> (o & 3) * 8)
//! ```
//! Copies of them become loads and stores of elements, as a loop over them would be:
//!
//! ```text
//! memcpy slot, p, 64   →   load i32 p, .. , load i32 p + 60 ; store slot, .. , store slot + 60
//! ```
//! What may lie across two elements is loaded from both, and two bytes are stored one by one:
//!
//! ```text
//! load i32 slot + o   →   e = load slot + (o >> 2) * 4 ; f = load slot + (o >> 2) * 4 + 4 ; n = (o & 3) * 8
//!                         e >> n | f << 1 << 31 - n
//! ```
//! Only where nothing else is done with addresses, and nothing larger is stored across two. Takes kernels in the form
//! of work-group functions, before lanes.

use crate::analysis::address::Address;
use crate::ir::dom::Loops;
use crate::ir::op::Flags;
use crate::ir::{Attr, Block, Builder, Func, Imm, Inst, InstData, Op, Scalar, SlotId, Type, Value};
use crate::pass::forward::Forward;
use rustc_hash::{FxHashMap, FxHashSet};

/// Most elements of a copy.
const MAX_COPY: u64 = 64;

/// Rewrites what can be; true if there was anything.
pub(crate) fn run(func: &mut Func) -> bool {
    let (found, copies) = find(func);
    if found.is_empty() && copies.is_empty() {
        return false;
    }
    for (&slot, &elem) in &found {
        func.slots[slot].align = func.slots[slot].align.max(elem);
    }
    let mut forward = Forward::new(func);
    let mut crossed: FxHashSet<SlotId> = FxHashSet::default();
    // Slots with the item loops that they are accessed in, and whether only at constant places.
    let mut placed: FxHashMap<SlotId, (Block, bool)> = FxHashMap::default();
    let homes = item_loops(func);
    for block in func.layout.clone() {
        for inst in std::mem::take(&mut func.blocks[block].insts) {
            if let Some(&elem) = copies.get(&inst) {
                copy(&mut Builder::new(func, block), inst, elem);
                continue;
            }
            let size = access(func, inst)
                .and_then(|(ptr, ty)| Some((Place::of(func, ptr)?, ty)))
                .and_then(|(place, ty)| Some((found.get(&place.slot).copied()?, place, ty)));
            if let (Some((_, place, _)), Some(&home)) = (&size, homes.get(&block)) {
                placed.entry(place.slot).or_insert((home, true)).1 &= place.address.terms.is_empty();
            }
            match size {
                Some((elem, place, ty)) if ty.elem.bytes() != elem || !place.is_multiple_of(elem) => {
                    if !place.is_multiple_of(ty.elem.bytes().min(elem)) {
                        crossed.insert(place.slot);
                    }
                    Rewrite { b: Builder::new(func, block), elem }.access(&mut forward, inst, &place, ty);
                }
                _ => func.blocks[block].insts.push(inst),
            }
        }
    }
    forward.apply(func);
    for (&slot, &elem) in &found {
        let data = &mut func.slots[slot];
        data.size = data.size.next_multiple_of(u64::from(elem));
        if crossed.contains(&slot) {
            // Behind what ends with the last element, the next one is loaded, too.
            data.size += u64::from(elem);
        }
    }
    for (slot, (home, _)) in placed.into_iter().filter(|(_, (_, is_constant))| *is_constant) {
        begin(&mut Builder::at(func, home, 0), slot, found[&slot]);
    }
    true
}

/// Most elements that are filled where a work-item begins.
const MAX_BEGUN: u64 = 64;

/// Fills an array with zeros where a work-item begins. An element that a part of is stored to is loaded first: to
/// `mem2reg`, which is to make values of the elements, one work-item would seem to load what the one before has left.
fn begin(b: &mut Builder<'_>, slot: SlotId, elem: u32) {
    let size = b.func.slots[slot].size;
    if size / u64::from(elem) > MAX_BEGUN {
        return;
    }
    let array = b.slot_addr(slot);
    let zero = b.bits(Type::int(elem), 0);
    for at in (0..size as i64).step_by(elem as usize) {
        let ptr = b.ptr_off(array, at);
        b.store(ptr, zero, Attr::default());
    }
}

/// The address and type of a load or store.
fn access(func: &Func, inst: Inst) -> Option<(Value, Type)> {
    let data = &func.insts[inst];
    match data.op {
        Op::Load => Some((data.args[0], func.ty(data.result?))),
        Op::Store => Some((data.args[0], func.ty(data.args[1]))),
        _ => None,
    }
}

/// A place in a slot.
struct Place {
    slot: SlotId,
    address: Address,
}

impl Place {
    fn of(func: &Func, ptr: Value) -> Option<Self> {
        let address = Address::of(func, ptr);
        match func.def_inst(address.root)?.imm {
            Imm::Slot(slot) => Some(Self { slot, address }),
            _ => None,
        }
    }
    /// The one so many bytes further on.
    fn behind(&self, bytes: u32) -> Self {
        let Self { slot, ref address } = *self;
        Self { slot, address: Address { disp: address.disp.wrapping_add(bytes.into()), ..address.clone() } }
    }
    fn is_multiple_of(&self, size: u32) -> bool {
        let Address { terms, disp, .. } = &self.address;
        disp % i64::from(size) == 0 && terms.iter().all(|t| t.1.is_multiple_of(size))
    }
}

/// The header of the item loop that a block is in.
pub(super) fn item_loops(func: &Func) -> FxHashMap<Block, Block> {
    let (_, _, loops) = Loops::of_func(func);
    let items = loops.loops.iter().filter(|l| func.blocks[l.header].items);
    items.flat_map(|l| l.blocks.iter().map(|&block| (block, l.header))).collect()
}

/// Slots to be rewritten, with the size of their elements; and copies, with that of theirs.
fn find(func: &Func) -> (FxHashMap<SlotId, u32>, FxHashMap<Inst, u32>) {
    // The slot that an address points into; sizes of elements, as bits.
    let mut roots: FxHashMap<Value, SlotId> = FxHashMap::default();
    let mut sizes: FxHashMap<SlotId, u32> = FxHashMap::default();
    let mut bad: FxHashSet<SlotId> = FxHashSet::default();
    // With accesses that may lie across two elements.
    let mut crossing: FxHashSet<SlotId> = FxHashSet::default();
    // Other slots than those of one item loop may be several work-items', which must not change parts of one element.
    let homes = item_loops(func);
    let mut users: FxHashMap<SlotId, Block> = FxHashMap::default();
    let mut copies = Vec::new();
    for (block, inst) in func.live_insts() {
        let data = &func.insts[inst];
        let root = data.args.first().and_then(|v| roots.get(v)).copied();
        if matches!(data.op, Op::Memcpy | Op::Memset) {
            let home = homes.get(&block);
            for slot in data.args[..2].iter().filter_map(|v| roots.get(v)) {
                copies.push((inst, *slot));
                if home.is_none_or(|&home| *users.entry(*slot).or_insert(home) != home) {
                    bad.insert(*slot);
                }
            }
            continue;
        }
        bad.extend(data.args.iter().skip(1).filter_map(|v| roots.get(v)));
        match (data.op, &data.imm, root) {
            (Op::SlotAddr, Imm::Slot(slot), _) => roots.extend(data.result.map(|v| (v, *slot))),
            (_, _, None) => {}
            (Op::PtrOff | Op::PtrAdd, _, Some(slot)) => roots.extend(data.result.map(|v| (v, slot))),
            (Op::Load | Op::Store, _, Some(slot)) => {
                let whole = access(func, inst).and_then(|(ptr, ty)| Some((Place::of(func, ptr)?, ty)));
                let Some((place, ty)) = whole else {
                    bad.insert(slot);
                    continue;
                };
                let size = ty.elem.bytes();
                *sizes.entry(slot).or_default() |= size;
                let home = homes.get(&block);
                if home.is_none_or(|&home| *users.entry(slot).or_insert(home) != home) {
                    bad.insert(slot);
                }
                let plain = !ty.is_ptr() && ty.elem != Scalar::I1 && !data.attr.flags.contains(Flags::VOLATILE);
                let is_placed = place.is_multiple_of(size);
                // More bytes than two would be stored one by one, with a load of the rest of the element for each.
                if !plain || !is_placed && (ty.is_vector() || data.op == Op::Store && size > 2) {
                    bad.insert(slot);
                }
                if !is_placed {
                    crossing.insert(slot);
                }
            }
            (_, _, Some(slot)) => _ = bad.insert(slot),
        }
    }
    for &block in &func.layout {
        func.blocks[block].term.for_each_value(|v| bad.extend(roots.get(&v)));
    }
    let mut elements = FxHashMap::default();
    for &(inst, slot) in &copies {
        let size = sizes.get(&slot).filter(|_| !bad.contains(&slot)).map_or(0, |&bits| element(bits));
        let least = elements.entry(inst).or_insert(size);
        *least = size.min(*least);
    }
    elements.retain(|&inst, size| is_copy_of(func, inst, *size));
    // An array that is copied as it is stays as it is, and with it all that are copied from or to it.
    loop {
        let (kept, others): (Vec<_>, Vec<_>) = copies.iter().partition(|(inst, _)| elements.contains_key(inst));
        bad.extend(others.iter().map(|(_, slot)| slot));
        let lost: Vec<Inst> = kept.iter().filter(|(_, slot)| bad.contains(slot)).map(|(inst, _)| *inst).collect();
        if lost.is_empty() {
            break;
        }
        lost.iter().for_each(|inst| _ = elements.remove(inst));
    }
    sizes.retain(|slot, sizes| !bad.contains(slot) && (!sizes.is_power_of_two() || crossing.contains(slot)));
    // Vectors of small elements are whole elements, or stay as they are.
    for (_, inst) in func.live_insts() {
        let Some((ptr, ty)) = access(func, inst) else { continue };
        let Some(slot) = roots.get(&ptr) else { continue };
        let elem = sizes.get(slot).map(|&bits| element(bits));
        let Some(elem) = elem.filter(|&elem| ty.is_vector() && ty.elem.bytes() != elem) else { continue };
        let fits = ty.bytes() == elem && ty.lanes != 3;
        if !fits || !Place::of(func, ptr).is_some_and(|place| place.is_multiple_of(elem)) {
            sizes.remove(slot);
        }
    }
    (sizes.into_iter().map(|(slot, bits)| (slot, element(bits))).collect(), elements)
}

/// Bytes of the elements of an array that is accessed in these sizes: the largest, but halves of words of 64 bits
/// rather than these, which fill two registers.
fn element(sizes: u32) -> u32 {
    if sizes & 4 != 0 { 4 } else { 1 << sizes.ilog2() }
}

/// True if a copy, or a fill, can be one of elements of this size.
fn is_copy_of(func: &Func, inst: Inst, size: u32) -> bool {
    let data = &func.insts[inst];
    let places = data.args[..2].iter().filter_map(|&v| Place::of(func, v));
    let bytes = func.const_bits(data.args[2]).unwrap_or(u64::MAX);
    size > u32::from(data.op == Op::Memcpy)
        && bytes.is_multiple_of(size.into())
        && bytes / u64::from(size) <= MAX_COPY
        && !data.attr.flags.contains(Flags::VOLATILE)
        && places.into_iter().all(|place| place.is_multiple_of(size))
}

/// Copies or fills element by element. All are loaded before any is stored: both sides may be the same object.
fn copy(b: &mut Builder<'_>, inst: Inst, elem: u32) {
    let InstData { op, args, origin, .. } = b.func.insts[inst].clone();
    b.origin = origin;
    let bytes = b.func.const_bits(args[2]).unwrap_or(0) as i64;
    // Nothing is known of the alignment of other memory.
    let side = |func: &Func, ptr| match Place::of(func, ptr) {
        Some(place) if func.slots[place.slot].align >= elem => Attr::default(),
        _ => Attr { align: 1, ..Attr::default() },
    };
    if op == Op::Memset {
        let ty = Type::int(elem);
        let byte = if elem == 1 { args[1] } else { b.convert(Op::Zext, ty, args[1]) };
        let v = b.op_bits(Op::Mul, byte, 0x0101_0101_0101_0101);
        let attr = side(b.func, args[0]);
        for at in (0..bytes).step_by(elem as usize) {
            let ptr = b.ptr_off(args[0], at);
            b.store(ptr, v, attr);
        }
        return;
    }
    let (to, from) = (side(b.func, args[0]), side(b.func, args[1]));
    let places = (0..bytes).step_by(elem as usize);
    let loaded: Vec<Value> = places
        .clone()
        .map(|at| {
            let ptr = b.ptr_off(args[1], at);
            b.load(Type::int(elem), ptr, from)
        })
        .collect();
    for (at, v) in places.zip(loaded) {
        let ptr = b.ptr_off(args[0], at);
        b.store(ptr, v, to);
    }
}

/// Writes what takes an access's place.
struct Rewrite<'f> {
    b: Builder<'f>,
    /// Bytes of an element.
    elem: u32,
}

impl Rewrite<'_> {
    fn access(mut self, forward: &mut Forward, inst: Inst, place: &Place, ty: Type) {
        let InstData { op, args, result, origin, .. } = self.b.func.insts[inst].clone();
        self.b.origin = origin;
        if op == Op::Load {
            let v = self.load(place, ty.bytes());
            let v = self.b.bitcast(ty, v);
            forward.set(result.expect("a load has a result"), v);
            return;
        }
        let v = self.b.bitcast(Type::int(ty.bytes()), args[1]);
        self.store(place, v);
    }

    /// An integer of so many bytes.
    fn load(&mut self, place: &Place, bytes: u32) -> Value {
        let ty = Type::int(bytes);
        if bytes <= self.elem {
            return self.load_part(place, ty);
        }
        let parts = (0..bytes).step_by(self.elem as usize).map(|at| {
            let part = self.load_part(&place.behind(at), Type::int(self.elem));
            let part = self.b.convert(Op::Zext, ty, part);
            self.b.op_bits(Op::Shl, part, u64::from(8 * at))
        });
        let parts: Vec<Value> = parts.collect();
        parts.into_iter().reduce(|low, high| self.b.op(Op::Or, &[low, high])).expect("there are some")
    }

    /// An integer that is not larger than an element.
    fn load_part(&mut self, place: &Place, ty: Type) -> Value {
        let whole = Type::int(self.elem);
        let (ptr, from) = self.element(&place.address, whole);
        let element = self.b.load(whole, ptr, Attr::default());
        let mut v = self.b.op(Op::Lshr, &[element, from]);
        if !place.is_multiple_of(ty.bytes()) {
            let ptr = self.b.ptr_off(ptr, self.elem.into());
            let next = self.b.load(whole, ptr, Attr::default());
            let next = self.b.op_bits(Op::Shl, next, 1);
            let last = self.b.bits(whole, u64::from(8 * self.elem - 1));
            let up = self.b.op(Op::Sub, &[last, from]);
            let next = self.b.op(Op::Shl, &[next, up]);
            v = self.b.op(Op::Or, &[v, next]);
        }
        if ty == whole { v } else { self.b.convert(Op::Trunci, ty, v) }
    }

    /// Stores an integer, in parts if it is larger than an element or may lie across two.
    fn store(&mut self, place: &Place, v: Value) {
        let bytes = self.b.func.ty(v).bytes();
        let size = (0..=bytes.min(self.elem).ilog2()).rev().map(|n| 1 << n);
        // Where a part begins is a multiple of its size.
        let size = size.into_iter().find(|&size| place.is_multiple_of(size)).unwrap_or(1);
        for at in (0..bytes).step_by(size as usize) {
            let part = if at == 0 { v } else { self.b.op_bits(Op::Lshr, v, u64::from(8 * at)) };
            let part = if size == bytes { part } else { self.b.convert(Op::Trunci, Type::int(size), part) };
            self.store_part(&place.behind(at), part);
        }
    }

    /// Stores an integer that lies within one element.
    fn store_part(&mut self, place: &Place, v: Value) {
        let (whole, part) = (Type::int(self.elem), self.b.func.ty(v));
        let (ptr, from) = self.element(&place.address, whole);
        let mut v = v;
        if part != whole {
            let wide = self.b.convert(Op::Zext, whole, v);
            let v_there = self.b.op(Op::Shl, &[wide, from]);
            let ones = self.b.bits(whole, u64::MAX >> (64 - part.elem.bits()));
            let ones = self.b.op(Op::Shl, &[ones, from]);
            let others = self.b.op(Op::Not, &[ones]);
            let element = self.b.load(whole, ptr, Attr::default());
            let rest = self.b.op(Op::And, &[element, others]);
            v = self.b.op(Op::Or, &[rest, v_there]);
        }
        self.b.store(ptr, v, Attr::default());
    }

    /// The address of the element that a place is in, and the bit of it where the place begins.
    fn element(&mut self, place: &Address, whole: Type) -> (Value, Value) {
        let elem = i64::from(self.elem);
        let mut ptr = place.root;
        let is_whole = |t: &&(Value, u32)| t.1.is_multiple_of(self.elem);
        let (wholes, parts): (Vec<_>, Vec<_>) = place.terms.iter().partition(is_whole);
        for &(index, scale) in &wholes {
            ptr = self.b.ptr_add(ptr, index, scale, 0);
        }
        if parts.is_empty() {
            let low = place.disp.rem_euclid(elem);
            return (self.b.ptr_off(ptr, place.disp - low), self.b.bits(whole, 8 * low as u64));
        }
        // No private array is so large that 32 bits could not count its bytes.
        let mut sum = self.b.bits(Type::I32, place.disp as u64 & 0xffff_ffff);
        for (index, scale) in parts {
            let index = self.b.convert(Op::Trunci, Type::I32, index);
            let bytes = self.b.op_bits(Op::Mul, index, scale.into());
            sum = self.b.op(Op::Add, &[bytes, sum]);
        }
        let number = self.b.op_bits(Op::Ashr, sum, self.elem.ilog2().into());
        let number = self.b.convert(Op::Sext, Type::I64, number);
        ptr = self.b.ptr_add(ptr, number, self.elem, 0);
        let low = self.b.op_bits(Op::And, sum, u64::from(self.elem - 1));
        let from = self.b.op_bits(Op::Shl, low, 3);
        let from = match whole.elem.bits() {
            32 => from,
            64 => self.b.convert(Op::Zext, whole, from),
            _ => self.b.convert(Op::Trunci, whole, from),
        };
        (ptr, from)
    }
}

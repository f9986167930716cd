//! Loads and stores of lanes. An address is uniform (one scalar access), affine with the element's size as stride (one
//! vector access), affine with the stride of small records (vector accesses and shuffles), or anything else (gather,
//! scatter; those with small strides are for `interleave`).
//! Private memory has a copy per lane. Lanes that are not active touch nothing.

use super::Reason;
use super::access::Pattern;
use super::item_loop::ItemLoop;
use super::shape::Shape;
use super::widen::{Lanes, Widen};
use crate::analysis::range::upper_bound;
use crate::ir::collective::REDUCE_COLUMNS;
use crate::ir::op::Flags;
use crate::ir::{Attr, Block, Func, Imm, InstData, Op, Scalar, Slot, SlotId, Type, Value};
use crate::launch::AddrSpace;
use rustc_hash::{FxHashMap, FxHashSet};

/// Slots of the loop, each once, but those that only debuggers read (`variables`).
pub(super) fn slots(func: &Func, blocks: &[Block]) -> Vec<SlotId> {
    let slot = |data: &InstData| if let Imm::Slot(slot) = data.imm { Some(slot) } else { None };
    let mut found: Vec<SlotId> = func.data_of(blocks).filter_map(slot).collect();
    found.retain(|&slot| func.slots[slot].variable.as_ref().is_none_or(|variable| !variable.is_address));
    found.sort_unstable();
    found.dedup();
    found
}

/// Private slots whose elements all have one size and are only loaded and stored: the lanes of an element lie side by
/// side, element after element, so that an index that all lanes share is one vector access.
#[derive(Default)]
pub(super) struct Woven {
    /// Bytes of an element.
    elems: FxHashMap<SlotId, u32>,
    /// The slot that a pointer points into.
    roots: FxHashMap<Value, SlotId>,
}

impl Woven {
    pub(super) fn find(func: &Func, items: &ItemLoop) -> Self {
        let mut this = Self::default();
        let mut bad: FxHashSet<SlotId> = FxHashSet::default();
        // Strides and displacements, to be multiples of the element.
        let mut steps: Vec<(SlotId, u64)> = Vec::new();
        for data in func.data_of(&items.blocks) {
            let root = |i: usize| data.args.get(i).and_then(|v| this.roots.get(v)).copied();
            let others = (1..data.args.len()).filter_map(root).collect::<Vec<_>>();
            bad.extend(others);
            match (data.op, &data.imm, root(0)) {
                (Op::SlotAddr, Imm::Slot(slot), _) => this.roots.extend(data.result.map(|v| (v, *slot))),
                (_, _, None) => {}
                (Op::PtrOff, Imm::Disp(disp), Some(slot)) => {
                    steps.push((slot, disp.unsigned_abs()));
                    this.roots.extend(data.result.map(|v| (v, slot)));
                }
                (Op::PtrAdd, Imm::Scale { scale, disp }, Some(slot)) => {
                    steps.extend([(slot, u64::from(*scale)), (slot, disp.unsigned_abs())]);
                    this.roots.extend(data.result.map(|v| (v, slot)));
                }
                (Op::Load | Op::Store, _, Some(slot)) if !data.attr.flags.contains(Flags::VOLATILE) => {
                    let ty = func.ty(data.result.unwrap_or_else(|| data.args[1]));
                    let size = ty.elem.bytes();
                    if *this.elems.entry(slot).or_insert(size) != size {
                        bad.insert(slot);
                    }
                }
                (_, _, Some(slot)) => _ = bad.insert(slot),
            }
        }
        for &block in &items.blocks {
            func.blocks[block].term.for_each_value(|v| bad.extend(this.roots.get(&v)));
        }
        for (slot, step) in steps {
            if this.elems.get(&slot).is_none_or(|&size| !step.is_multiple_of(u64::from(size))) {
                bad.insert(slot);
            }
        }
        this.elems.retain(|slot, _| !bad.contains(slot));
        this.roots.retain(|_, slot| this.elems.contains_key(slot));
        this
    }

    /// Bytes from lane to lane of a slot.
    pub(super) fn stride(&self, slot: SlotId, data: &Slot) -> u64 {
        self.elems.get(&slot).map_or_else(|| data.stride(), |&size| u64::from(size))
    }

    /// Bytes of an element of the slot that a pointer points into.
    pub(super) fn elem(&self, ptr: Value) -> Option<u32> {
        self.elems.get(self.roots.get(&ptr)?).copied()
    }
}

/// Bytes of private arrays that the lanes of a loop may have in all: the stack holds those of several loops.
const MAX_PRIVATE: u64 = 128 << 10;

/// Whether so many lanes may have their private arrays.
pub(super) fn holds_slots(func: &Func, items: &ItemLoop, width: u8) -> bool {
    let lane: u64 = slots(func, &items.blocks).into_iter().map(|s| func.slots[s].stride()).sum();
    lane.saturating_mul(u64::from(width)) <= MAX_PRIVATE
}

/// Gives blocks arrays of their own, of these sizes, in place of others.
pub(super) fn replace_slots(func: &mut Func, blocks: &[Block], slots: &[(SlotId, u64)]) {
    for &(old, size) in slots {
        let own = func.slots.push(Slot { size, ..func.slots[old].clone() });
        for inst in blocks.iter().flat_map(|&b| &func.blocks[b].insts) {
            let imm = &mut func.insts[*inst].imm;
            if *imm == Imm::Slot(old) {
                *imm = Imm::Slot(own);
            }
        }
    }
}

/// Private memory must not outgrow the stack. Slots whose address is taken outside the loop are the group's: columns of
/// a reduction, of which every lane has its own if there are columns enough.
pub(super) fn check_slots(func: &Func, items: &ItemLoop, width: u8) -> Result<(), Reason> {
    if !holds_slots(func, items, width) {
        return Err(Reason::LargePrivate);
    }
    check_columns(func, items, width)
}

/// Whether there are columns enough. Addresses that debuggers read are no columns.
pub(super) fn check_columns(func: &Func, items: &ItemLoop, width: u8) -> Result<(), Reason> {
    let inside = slots(func, &items.blocks);
    let is_store = |data: &&InstData| data.op == Op::Store && super::variables::told_of(func, data).is_none();
    let mut stores = func.data_of(&items.blocks).filter(is_store);
    let of_group = |store: &InstData| {
        let mut ptr = store.args[0];
        loop {
            match func.def_inst(ptr) {
                Some(data) if matches!(data.op, Op::PtrAdd | Op::PtrOff | Op::AsCast) => ptr = data.args[0],
                Some(InstData { op: Op::SlotAddr, imm: Imm::Slot(slot), .. }) => return !inside.contains(slot),
                _ => return false,
            }
        }
    };
    if u64::from(width) > REDUCE_COLUMNS && stores.any(of_group) {
        return Err(Reason::FewColumns);
    }
    Ok(())
}

/// Makes room for every lane's copy.
pub(super) fn spread_slots(func: &mut Func, items: &ItemLoop, width: u8) {
    for slot in slots(func, &items.blocks) {
        let data = &mut func.slots[slot];
        let stride = data.stride();
        data.size = stride * u64::from(width);
        if let Some(variable) = &mut data.variable {
            (variable.lanes, variable.stride) = (width, stride);
        }
    }
}

/// Small vectors of small elements, such as four bytes, are accessed in words: how many.
pub(super) fn words(ty: Type) -> Option<u8> {
    let bytes = ty.elem.bytes() * u32::from(ty.lanes);
    let small = !ty.is_ptr() && ty.elem != Scalar::I1 && ty.elem.bytes() < 4;
    (small && ty.lanes.is_power_of_two() && bytes.is_multiple_of(4)).then_some((bytes / 4) as u8)
}

/// What the lanes of a load or store access: vectors of elements, or of words that hold several.
struct Pieces {
    vector: Type,
    /// Bytes of an element, how many each lane accesses, and from one of them to the next.
    size: i64,
    n: i64,
    step: i64,
    woven: bool,
    words: bool,
    attr: Attr,
}

/// Vectors of all lanes in memory.
struct Whole {
    /// Lane 0's address of what each lane accesses first, and how many elements that is.
    first: Value,
    n: i64,
    /// How lanes lie in the vectors; `Uniform` if they lie in order in one for each element.
    order: Pattern,
    /// Bytes from a vector to the next, or from the first lane to the last, where these lie the other way round.
    by: i64,
}

/// Where the lanes access memory.
enum Address {
    Uniform(Value),
    Affine(Value, i64),
    Indexed { base: Value, index: Value, scale: u32, disp: i64 },
}

impl Address {
    fn pattern(&self, size: i64, n: i64) -> Pattern {
        let shape = match *self {
            Self::Uniform(_) => Shape::Uniform,
            Self::Affine(_, stride) => Shape::Affine(stride),
            Self::Indexed { .. } => Shape::Varying,
        };
        Pattern::of(shape, size, n)
    }
}

impl Widen<'_> {
    /// An address computation's immediate operand, where lanes lie side by side.
    pub(super) fn woven_imm(&self, data: &InstData) -> Imm {
        let by = match data.result.and_then(|v| self.facts.woven.elem(v)) {
            Some(_) => self.width,
            None => return data.imm.clone(),
        };
        match data.imm {
            Imm::Disp(disp) => Imm::Disp(disp * i64::from(by)),
            Imm::Scale { scale, disp } => Imm::Scale { scale: scale * u32::from(by), disp: disp * i64::from(by) },
            ref imm => imm.clone(),
        }
    }

    pub(super) fn load(&mut self, data: &InstData, result: Value) {
        let ty = self.func.ty(result);
        let address = self.address(data.args[0]);
        let pieces = self.pieces(data, ty, matches!(address, Address::Uniform(_)));
        let Pieces { vector, size, n, step, words, attr, .. } = pieces;
        let lanes = match (self.whole(&address, &pieces), address) {
            (Some(whole), _) => {
                let load = |i| {
                    let (ptr, mask) = self.place(&whole, i);
                    self.load_lanes(vector, ptr, mask, attr)
                };
                let parts: Lanes = (0..n).map(load).collect();
                match whole.order {
                    Pattern::Reversed => [self.reverse(parts[0])].into_iter().collect(),
                    Pattern::Records if !self.records.contains(&result) => self.deinterleave(parts),
                    _ => parts,
                }
            }
            (None, Address::Uniform(ptr)) => {
                // Volatile ones do not come here; a uniform load has a uniform result unless its loop was left.
                self.counts.uniform += 1;
                let v = self.emit_attr(Op::Load, ty, &[ptr], Imm::None, data.attr);
                self.take_apart(v).into_iter().map(|part| self.splat(part)).collect()
            }
            (None, address) => {
                self.count(&address, true, size);
                let (base, index, scale, disp) = self.indexed(address);
                let mask = self.full_mask();
                let none = self.constant(vector, 0);
                (0..n)
                    .map(|i| {
                        let imm = Imm::Scale { scale, disp: disp + i * step };
                        self.emit_attr(Op::Gather, vector, &[base, index, mask, none], imm, attr)
                    })
                    .collect()
            }
        };
        let lanes = if words { self.regroup(&lanes, ty.elem) } else { lanes };
        self.set_vector(result, lanes);
    }

    pub(super) fn store(&mut self, data: &InstData) {
        let value = data.args[1];
        let ty = self.func.ty(value);
        let address = self.address(data.args[0]);
        if let (Address::Uniform(ptr), Shape::Uniform) = (&address, self.shape(value)) {
            self.counts.uniform += 1;
            let value = self.scalar(value);
            self.push(Op::Store, None, &[*ptr, value], Imm::None, data.attr);
            return;
        }
        if let Address::Uniform(ptr) = address {
            // Lanes store by increasing number. The block is not entered without one.
            self.counts.uniform += 1;
            let value = self.one_of_last_in(value, self.mask);
            self.push(Op::Store, None, &[ptr, value], Imm::None, data.attr);
            return;
        }
        let pieces = self.pieces(data, ty, false);
        let Pieces { vector, size, step, words, attr, .. } = pieces;
        let lanes = self.vector(value);
        let lanes = if words { self.regroup(&lanes, Scalar::I32) } else { lanes };
        if let Some(whole) = self.whole(&address, &pieces) {
            let parts = match whole.order {
                Pattern::Reversed => [self.reverse(lanes[0])].into_iter().collect(),
                Pattern::Records if !self.records.contains(&value) => self.interleave(lanes),
                _ => lanes,
            };
            for (i, part) in (0..).zip(parts) {
                let (ptr, mask) = self.place(&whole, i);
                self.store_lanes(ptr, part, mask, attr);
            }
            return;
        }
        self.count(&address, false, size);
        let (base, index, scale, disp) = self.indexed(address);
        let mask = self.full_mask();
        for (i, &part) in (0..).zip(&lanes) {
            debug_assert_eq!(self.func.ty(part), vector);
            let imm = Imm::Scale { scale, disp: disp + i * step };
            self.push(Op::Scatter, None, &[base, index, part, mask], imm, attr);
        }
    }

    /// The vectors that lie where the lanes access memory, if they access nothing else.
    fn whole(&mut self, address: &Address, pieces: &Pieces) -> Option<Whole> {
        let &Pieces { size, n, step, woven, .. } = pieces;
        let &Address::Affine(first, stride) = address else { return None };
        let bytes = size * i64::from(self.width);
        let (order, by) = match address.pattern(size, n) {
            _ if woven && stride == size => (Pattern::Uniform, step),
            Pattern::Reversed => (Pattern::Reversed, size - bytes),
            Pattern::Consecutive => (Pattern::Consecutive, 0),
            Pattern::Records if self.is_whole() && n != 3 => (Pattern::Records, bytes),
            _ => return None,
        };
        *(if order == Pattern::Records { &mut self.counts.strided } else { &mut self.counts.contiguous }) += 1;
        Some(Whole { first, n, order, by })
    }

    /// Where the vector of this number lies, and the mask of its lanes.
    fn place(&mut self, whole: &Whole, i: i64) -> (Value, Option<Value>) {
        let &Whole { first, n, order, by } = whole;
        match order {
            Pattern::Reversed => (self.advance(first, by), self.mask.map(|mask| self.reverse(mask))),
            Pattern::Records => (self.advance(first, i * by), self.part_mask(i, n)),
            Pattern::Consecutive => (first, self.mask),
            // Private memory is there for all lanes.
            _ => (self.advance(first, i * by), self.mask.filter(|_| !self.is_whole())),
        }
    }

    /// Counts an access by gathers or scatters, which may become a member of an interleaved group.
    fn count(&mut self, address: &Address, loads: bool, size: i64) {
        let masked = self.mask.is_some();
        let group = match *address {
            Address::Affine(_, stride) => {
                self.shapes.strided.group((self.home, loads), (stride, size), self.width, self.takes_masks)
            }
            _ => None,
        };
        let group = group.filter(|group| self.takes_masks || group.whole && !masked);
        *(if group.is_some() { &mut self.counts.strided } else { &mut self.counts.gathered }) += 1;
    }

    /// What the lanes of a load or store of this type access.
    fn pieces(&self, data: &InstData, ty: Type, uniform: bool) -> Pieces {
        let woven = self.facts.woven.elem(data.args[0]).is_some();
        let is_record = self.records.contains(&data.result.unwrap_or_else(|| data.args[1]));
        let words = words(ty).filter(|_| !woven && !uniform && !is_record);
        let (elem, n) = match words {
            Some(n) => (Scalar::I32, n),
            // An address in memory is 64 bits of it.
            None => (if ty.is_ptr() { Scalar::I64 } else { ty.elem }, ty.lanes),
        };
        let size = i64::from(elem.bytes());
        // Alignment that was known of one work-item's access holds for an element only, and not for words of elements.
        let align = if data.attr.align == 1 || words.is_some() { 1 } else { 0 };
        Pieces {
            vector: Type::scalar(elem).with_lanes(self.width),
            size,
            n: i64::from(n),
            step: if woven { size * i64::from(self.width) } else { size },
            woven,
            words: words.is_some(),
            attr: Attr { align, ..data.attr },
        }
    }

    fn load_lanes(&mut self, ty: Type, ptr: Value, mask: Option<Value>, attr: Attr) -> Value {
        match mask {
            None => self.emit_attr(Op::Load, ty, &[ptr], Imm::None, attr),
            Some(mask) => {
                let none = self.constant(ty, 0);
                self.emit_attr(Op::LoadMasked, ty, &[ptr, mask, none], Imm::None, attr)
            }
        }
    }

    fn store_lanes(&mut self, ptr: Value, v: Value, mask: Option<Value>, attr: Attr) {
        match mask {
            None => self.push(Op::Store, None, &[ptr, v], Imm::None, attr),
            Some(mask) => self.push(Op::StoreMasked, None, &[ptr, v, mask], Imm::None, attr),
        };
    }

    // ---- addresses

    fn address(&mut self, ptr: Value) -> Address {
        match self.shape(ptr) {
            Shape::Uniform => return Address::Uniform(self.scalar(ptr)),
            Shape::Affine(stride) => return Address::Affine(self.scalar(ptr), stride),
            _ => {}
        }
        self.sum(ptr, 0).unwrap_or_else(|| {
            let index = self.vector(ptr)[0];
            let base = self.null(ptr);
            Address::Indexed { base, index, scale: 1, disp: 0 }
        })
    }

    /// A varying pointer as a uniform one and an index, if it was computed so.
    fn sum(&mut self, ptr: Value, disp: i64) -> Option<Address> {
        let data = self.func.def_inst(ptr)?.clone();
        if self.shapes.left_loop(ptr, self.home).is_some() {
            return None;
        }
        match (data.op, &data.imm) {
            (Op::PtrOff, _) => {
                let Imm::Disp(more) = self.woven_imm(&data) else { return None };
                self.sum(data.args[0], disp.wrapping_add(more))
            }
            (Op::PtrAdd, Imm::Scale { scale, .. })
                if let (Some(elem), Shape::Affine(_)) = (self.facts.woven.elem(ptr), self.shape(data.args[0])) =>
            {
                let Imm::Scale { disp: more, .. } = self.woven_imm(&data) else { return None };
                let base = self.scalar(data.args[0]);
                // No private array has so many elements that 32 bits could not count them.
                let (index, _) = self.narrow_index(data.args[1]);
                let first = self.op_bits(Op::Mul, index, u64::from(scale / elem) * u64::from(self.width));
                let iota = self.steps(self.func.ty(index), 1);
                let index = self.op(Op::Add, &[first, iota]);
                Some(Address::Indexed { base, index, scale: elem, disp: disp.wrapping_add(more) })
            }
            (Op::AsCast, _) => self.sum(data.args[0], disp),
            (Op::PtrAdd, Imm::Scale { scale, disp: more }) if self.shape(data.args[0]) == Shape::Uniform => {
                let (index, from) = self.index(data.args[1]);
                let base = self.scalar(data.args[0]);
                let base = self.advance(base, from.wrapping_mul(i64::from(*scale)));
                Some(Address::Indexed { base, index, scale: *scale, disp: disp.wrapping_add(*more) })
            }
            _ => None,
        }
    }

    /// The lanes of a 64-bit index, 32 bits wide if it is the extension of as many or fewer, and how these are
    /// extended.
    fn narrow_index(&mut self, v: Value) -> (Value, Option<Op>) {
        if let Some(data) = self.func.def_inst(v)
            && matches!(data.op, Op::Sext | Op::Zext)
            && self.shapes.left_loop(v, self.home).is_none()
        {
            let (narrow, op) = (data.args[0], data.op);
            match self.func.ty(narrow).elem {
                Scalar::I32 => {
                    let is_small = upper_bound(self.func, narrow) <= i32::MAX as u64;
                    return (self.vector(narrow)[0], Some(if is_small { Op::Sext } else { op }));
                }
                Scalar::I8 | Scalar::I16 => {
                    let lanes = self.vector(narrow)[0];
                    return (self.emit(op, Type::I32.with_lanes(self.width), &[lanes], Imm::None), Some(Op::Sext));
                }
                _ => {}
            }
        }
        (self.vector(v)[0], None)
    }

    /// A varying pointer as a uniform one, an index in lanes, how that is extended to 64 bits, and what it is
    /// multiplied by.
    pub(super) fn base_and_index(&mut self, ptr: Value) -> Option<(Value, Value, Option<Op>, Imm)> {
        let data = self.func.def_inst(ptr).filter(|d| d.op == Op::PtrAdd)?.clone();
        let plain = self.shape(data.args[0]) == Shape::Uniform
            && self.shape(ptr) == Shape::Varying
            && self.facts.woven.elem(ptr).is_none()
            && self.shapes.left_loop(ptr, self.home).is_none();
        if !plain {
            return None;
        }
        let (index, extend) = self.narrow_index(data.args[1]);
        Some((self.scalar(data.args[0]), index, extend, data.imm))
    }

    /// The lanes of a 64-bit index for a gather, and what to add to each. Gathers extend with the sign: an unsigned
    /// 32-bit index counts from the middle of its range.
    fn index(&mut self, v: Value) -> (Value, i64) {
        let (lanes, extension) = self.narrow_index(v);
        if extension != Some(Op::Zext) {
            return (lanes, 0);
        }
        (self.op_bits(Op::Xor, lanes, 1 << 31), 1 << 31)
    }

    fn null(&mut self, like: Value) -> Value {
        let ty = self.func.ty(like);
        let ty = if ty.is_ptr() { ty } else { Type::ptr(AddrSpace::Generic) };
        self.constant(ty, 0)
    }

    /// Base, index, scale and displacement of any address.
    fn indexed(&mut self, address: Address) -> (Value, Value, u32, i64) {
        match address {
            Address::Indexed { base, index, scale, disp } => (base, index, scale, disp),
            Address::Affine(base, stride) => {
                let ty = Type::I32.with_lanes(self.width);
                // What processors multiply by; the rest is in the constant index.
                let scale = 1 << stride.trailing_zeros().min(3);
                if stride.unsigned_abs() < 1 << 24 {
                    return (base, self.steps(ty, stride / scale), scale as u32, 0);
                }
                let ty = Type::I64.with_lanes(self.width);
                (base, self.steps(ty, stride), 1, 0)
            }
            Address::Uniform(base) => {
                let ty = Type::I32.with_lanes(self.width);
                (base, self.constant(ty, 0), 1, 0)
            }
        }
    }

    /// The addresses that an operation on varying pointers computes.
    pub(super) fn address_lanes(&mut self, data: &InstData) -> Value {
        let base = self.vector(data.args[0])[0];
        match self.woven_imm(data) {
            Imm::Disp(disp) => self.advance(base, disp),
            Imm::Scale { scale, disp } => {
                let index = self.vector(data.args[1])[0];
                let bytes = self.op_bits(Op::Mul, index, u64::from(scale));
                let sum = self.op(Op::Add, &[base, bytes]);
                self.advance(sum, disp)
            }
            _ => base,
        }
    }

    // ---- order of lanes

    pub(super) fn shuffle(&mut self, a: Value, b: Value, picks: impl Iterator<Item = u8>) -> Value {
        let ty = self.func.ty(a);
        self.emit(Op::Shuffle, ty, &[a, b], Imm::Lanes(picks.collect()))
    }

    fn reverse(&mut self, v: Value) -> Value {
        let n = self.width;
        self.shuffle(v, v, (0..n).rev())
    }

    /// n vectors that follow each other in memory → n vectors of every n-th element; n is a power of two.
    fn deinterleave(&mut self, parts: Lanes) -> Lanes {
        if parts.len() == 1 {
            return parts;
        }
        let n = self.width;
        let mut halves = [Lanes::new(), Lanes::new()];
        for pair in parts.chunks(2) {
            for (i, half) in halves.iter_mut().enumerate() {
                half.push(self.shuffle(pair[0], pair[1], (0..n).map(|lane| 2 * lane + i as u8)));
            }
        }
        // Even elements hold components 0, 2, ..; odd ones 1, 3, ..
        let [even, odd] = halves.map(|half| self.deinterleave(half));
        even.into_iter().zip(odd).flat_map(|(a, b)| [a, b]).collect()
    }

    /// The inverse of `deinterleave`.
    fn interleave(&mut self, parts: Lanes) -> Lanes {
        if parts.len() == 1 {
            return parts;
        }
        let n = self.width;
        let half = |i: usize| parts.iter().copied().skip(i).step_by(2).collect::<Lanes>();
        let (even, odd) = (self.interleave(half(0)), self.interleave(half(1)));
        let mut out = Lanes::new();
        for (a, b) in even.into_iter().zip(odd) {
            for start in [0, n / 2] {
                out.push(self.shuffle(a, b, (0..n).map(|i| start + i / 2 + (i % 2) * n)));
            }
        }
        out
    }
}

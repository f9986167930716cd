//! Loads and stores of lanes. An address is uniform (one scalar access), affine with the element's size as stride (one vector
//! access), affine with the stride of small records (vector accesses and shuffles), or anything else (gather, scatter).
//! Private memory has a copy per lane. Lanes that are not active touch nothing.

use super::loops::ItemLoop;
use super::shape::Shape;
use super::widen::{Lanes, Widen};
use crate::ir::op::Flags;
use crate::ir::{Attr, Func, Imm, InstData, Op, Scalar, Slot, SlotId, Type, Value};
use crate::launch::AddrSpace;

/// Bytes from one lane's copy of a private slot to the next.
pub(super) fn slot_stride(slot: &Slot) -> u64 {
    slot.size.next_multiple_of(u64::from(slot.align.max(1)))
}

/// Slots of the loop, each once.
fn slots(func: &Func, blocks: &[crate::ir::Block]) -> Vec<SlotId> {
    let mut found: Vec<SlotId> = blocks
        .iter()
        .flat_map(|&b| &func.blocks[b].insts)
        .filter_map(|&i| match (func.insts[i].op, &func.insts[i].imm) {
            (Op::SlotAddr, Imm::Slot(slot)) => Some(*slot),
            _ => None,
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Private memory must not outgrow the stack. Slots whose address is taken outside the loop are the group's: columns of a
/// reduction, of which every lane has its own.
pub(super) fn check_slots(func: &Func, items: &ItemLoop) -> Result<(), String> {
    let inside = slots(func, &items.blocks);
    if inside.iter().map(|&s| slot_stride(&func.slots[s])).sum::<u64>() > 1 << 16 {
        return Err("large private arrays".into());
    }
    Ok(())
}

/// Makes room for every lane's copy.
pub(super) fn spread_slots(func: &mut Func, items: &ItemLoop, width: u8) {
    for slot in slots(func, &items.blocks) {
        let data = &mut func.slots[slot];
        data.size = slot_stride(data) * u64::from(width);
    }
}

/// Where the lanes access memory.
enum Address {
    Uniform(Value),
    Affine(Value, i64),
    Indexed { base: Value, index: Value, scale: u32, disp: i64 },
}

impl Widen<'_> {
    pub(super) fn load(&mut self, data: &InstData, result: Value) {
        let ty = self.func.ty(result);
        // An address in memory is 64 bits of it.
        let elem = if ty.is_ptr() { Scalar::I64 } else { ty.elem };
        let vector = Type::scalar(elem).with_lanes(self.width);
        let (size, n) = (i64::from(elem.bytes()), i64::from(ty.lanes));
        let attr = self.lane_attr(data.attr);
        let address = self.address(data.args[0]);
        let lanes = match address {
            Address::Uniform(ptr) => {
                // Volatile ones do not come here; a uniform load has a uniform result unless its loop was left.
                self.counts.uniform += 1;
                let v = self.emit_attr(Op::Load, ty, &[ptr], Imm::None, data.attr);
                let parts: Lanes = match ty.lanes {
                    1 => [v].into_iter().collect(),
                    n => (0..n).map(|i| self.emit(Op::Extract, ty.lane(), &[v], Imm::Lane(i))).collect(),
                };
                parts.into_iter().map(|part| self.splat(part)).collect()
            }
            Address::Affine(ptr, stride) if n == 1 && stride == size => {
                self.counts.contiguous += 1;
                [self.load_lanes(vector, ptr, self.mask, attr)].into_iter().collect()
            }
            Address::Affine(ptr, stride) if n == 1 && stride == -size => {
                self.counts.contiguous += 1;
                let first = self.offset(ptr, -size * i64::from(self.width - 1));
                let mask = self.mask.map(|mask| self.reverse(mask));
                let v = self.load_lanes(vector, first, mask, attr);
                [self.reverse(v)].into_iter().collect()
            }
            Address::Affine(ptr, stride) if self.mask.is_none() && n > 1 && stride == size * n && n != 3 => {
                self.counts.strided += 1;
                let bytes = size * i64::from(self.width);
                let parts = (0..n)
                    .map(|i| {
                        let ptr = self.offset(ptr, i * bytes);
                        self.emit_attr(Op::Load, vector, &[ptr], Imm::None, attr)
                    })
                    .collect();
                self.deinterleave(parts)
            }
            address => {
                let (base, index, scale, disp) = self.indexed(address);
                let mask = self.full_mask();
                let none = self.constant(vector, 0);
                self.counts.gathers += 1;
                (0..n)
                    .map(|i| {
                        let imm = Imm::Scale { scale, disp: disp + i * size };
                        self.emit_attr(Op::Gather, vector, &[base, index, mask, none], imm, attr)
                    })
                    .collect()
            }
        };
        self.set_vector(result, lanes);
    }

    pub(super) fn store(&mut self, data: &InstData) {
        let (ptr, value) = (data.args[0], data.args[1]);
        let ty = self.func.ty(value);
        let elem = if ty.is_ptr() { Scalar::I64 } else { ty.elem };
        let vector = Type::scalar(elem).with_lanes(self.width);
        let (size, n) = (i64::from(elem.bytes()), i64::from(ty.lanes));
        let attr = self.lane_attr(data.attr);
        let address = self.address(ptr);
        if let (Address::Uniform(ptr), Shape::Uniform) = (&address, self.shape(value)) {
            self.counts.uniform += 1;
            let value = self.scalar(value);
            self.push(Op::Store, None, &[*ptr, value], Imm::None, data.attr);
            return;
        }
        let lanes = self.vector(value);
        match address {
            Address::Affine(ptr, stride) if n == 1 && stride == size => {
                self.counts.contiguous += 1;
                self.store_lanes(ptr, lanes[0], self.mask, attr);
            }
            Address::Affine(ptr, stride) if n == 1 && stride == -size => {
                self.counts.contiguous += 1;
                let first = self.offset(ptr, -size * i64::from(self.width - 1));
                let mask = self.mask.map(|mask| self.reverse(mask));
                let v = self.reverse(lanes[0]);
                self.store_lanes(first, v, mask, attr);
            }
            Address::Affine(ptr, stride) if self.mask.is_none() && n > 1 && stride == size * n && n != 3 => {
                self.counts.strided += 1;
                for (i, part) in self.interleave(lanes).into_iter().enumerate() {
                    let ptr = self.offset(ptr, i as i64 * size * i64::from(self.width));
                    self.push(Op::Store, None, &[ptr, part], Imm::None, attr);
                }
            }
            address => {
                let (base, index, scale, disp) = self.indexed(address);
                let mask = self.full_mask();
                self.counts.gathers += 1;
                for (i, &part) in lanes.iter().enumerate() {
                    debug_assert_eq!(self.func.ty(part), vector);
                    let imm = Imm::Scale { scale, disp: disp + i as i64 * size };
                    self.push(Op::Scatter, None, &[base, index, part, mask], imm, attr);
                }
            }
        }
    }

    /// Alignment that was known of one work-item's access holds for an element only.
    fn lane_attr(&self, attr: Attr) -> Attr {
        Attr { align: if attr.align == 1 { 1 } else { 0 }, flags: attr.flags - Flags::VOLATILE, ..attr }
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

    fn offset(&mut self, ptr: Value, disp: i64) -> Value {
        if disp == 0 {
            return ptr;
        }
        let ty = self.func.ty(ptr);
        self.emit(Op::PtrOff, ty, &[ptr], Imm::Disp(disp))
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
        if self.shapes.left_loop(self.facts, ptr, self.home()).is_some() {
            return None;
        }
        match (data.op, &data.imm) {
            (Op::PtrOff, Imm::Disp(more)) => self.sum(data.args[0], disp.wrapping_add(*more)),
            (Op::AsCast, _) => self.sum(data.args[0], disp),
            (Op::PtrAdd, Imm::Scale { scale, disp: more }) if self.shape(data.args[0]) == Shape::Uniform => {
                let base = self.scalar(data.args[0]);
                let index = self.index(data.args[1]);
                Some(Address::Indexed { base, index, scale: *scale, disp: disp.wrapping_add(*more) })
            }
            _ => None,
        }
    }

    /// The lanes of a 64-bit index; narrower if it is the sign extension of 32-bit ones.
    fn index(&mut self, v: Value) -> Value {
        if let Some(data) = self.func.def_inst(v)
            && data.op == Op::Sext
            && self.func.ty(data.args[0]) == Type::I32
            && self.shapes.left_loop(self.facts, v, self.home()).is_none()
        {
            let narrow = data.args[0];
            return self.vector(narrow)[0];
        }
        self.vector(v)[0]
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
                match u32::try_from(stride) {
                    Ok(scale) => (base, self.steps(ty, 1), scale, 0),
                    Err(_) => {
                        let ty = Type::I64.with_lanes(self.width);
                        (base, self.steps(ty, stride), 1, 0)
                    }
                }
            }
            Address::Uniform(base) => {
                let ty = Type::I32.with_lanes(self.width);
                (base, self.constant(ty, 0), 1, 0)
            }
        }
    }

    /// The addresses that an operation on varying pointers computes.
    pub(super) fn address_lanes(&mut self, data: &InstData) -> Value {
        let ty = Type::I64.with_lanes(self.width);
        let base = self.vector(data.args[0])[0];
        match data.imm {
            Imm::Disp(disp) => {
                let disp = self.constant(ty, disp as u64);
                self.emit(Op::Add, ty, &[base, disp], Imm::None)
            }
            Imm::Scale { scale, disp } => {
                let index = self.vector(data.args[1])[0];
                let scale = self.constant(ty, u64::from(scale));
                let bytes = self.emit(Op::Mul, ty, &[index, scale], Imm::None);
                let sum = self.emit(Op::Add, ty, &[base, bytes], Imm::None);
                let disp = self.constant(ty, disp as u64);
                self.emit(Op::Add, ty, &[sum, disp], Imm::None)
            }
            _ => base,
        }
    }

    // ---- order of lanes

    fn shuffle(&mut self, a: Value, b: Value, picks: impl Iterator<Item = u8>) -> Value {
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

//! Private arrays that are accessed in elements of several sizes, such as a block of words into which bytes are put: all
//! accesses become those of whole elements of the largest size, of which the smaller ones load, or change, a part. Then the
//! lanes of an element can lie side by side in memory (`memory::Woven`).
//!
//! ```text
//! load i8 slot + i + 1   →   o = i + 1 ; e = load i32 slot + (o >> 2) * 4 ; trunc (e >> (o & 3) * 8)
//! ```
//! Only where every access is aligned to its size, and nothing else is done with addresses. Takes kernels in the form of
//! work-group functions, before lanes.

use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loops};
use crate::ir::op::Flags;
use crate::ir::{Attr, Block, Func, Imm, Inst, InstData, Op, Scalar, SlotId, Type, Value};
use crate::pass::forward::Forward;
use crate::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// Rewrites what can be; true if there was anything.
pub(super) fn run(func: &mut Func) -> bool {
    let found = find(func);
    if found.is_empty() {
        return false;
    }
    let mut forward = Forward::new(func);
    for block in func.layout.clone() {
        let insts = std::mem::take(&mut func.blocks[block].insts);
        let mut out = Vec::with_capacity(insts.len());
        for inst in insts {
            let size = access(func, inst)
                .and_then(|(ptr, ty)| Some((Place::of(func, ptr)?, ty)))
                .and_then(|(place, ty)| Some((found.get(&place.slot).copied()?, place, ty)));
            match size {
                Some((elem, place, ty)) if ty.elem.bytes() < elem => {
                    Rewrite { func, out: &mut out, elem, span: Span::DUMMY }.access(&mut forward, inst, &place, ty);
                }
                _ => out.push(inst),
            }
        }
        func.blocks[block].insts = out;
    }
    forward.apply(func);
    for (&slot, &elem) in &found {
        let data = &mut func.slots[slot];
        data.size = data.size.next_multiple_of(u64::from(elem));
        data.align = data.align.max(elem);
    }
    true
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

/// A place in a slot: its address, what is added to it times what, and a constant.
struct Place {
    slot: SlotId,
    start: Value,
    terms: Vec<(Value, u32)>,
    disp: i64,
}

impl Place {
    fn of(func: &Func, mut ptr: Value) -> Option<Self> {
        let (mut terms, mut disp) = (Vec::new(), 0i64);
        loop {
            let data = func.def_inst(ptr)?;
            match (data.op, &data.imm) {
                (Op::SlotAddr, &Imm::Slot(slot)) => return Some(Self { slot, start: ptr, terms, disp }),
                (Op::PtrOff, Imm::Disp(more)) => disp = disp.checked_add(*more)?,
                (Op::PtrAdd, Imm::Scale { scale, disp: more }) => {
                    disp = disp.checked_add(*more)?;
                    terms.push((data.args[1], *scale));
                }
                _ => return None,
            }
            ptr = data.args[0];
        }
    }
    fn is_multiple_of(&self, size: u32) -> bool {
        self.disp >= 0 && self.disp % i64::from(size) == 0 && self.terms.iter().all(|t| t.1.is_multiple_of(size))
    }
}

/// The header of the item loop that a block is in.
fn item_loops(func: &Func) -> FxHashMap<Block, Block> {
    let cfg = Cfg::new(func);
    let loops = Loops::new(func, &cfg, &Dominators::new(&cfg));
    let items = loops.loops.iter().filter(|l| func.blocks[l.header].items);
    items.flat_map(|l| l.blocks.iter().map(|&block| (block, l.header))).collect()
}

/// Slots to be rewritten, with the size of their elements.
fn find(func: &Func) -> FxHashMap<SlotId, u32> {
    // The slot that an address points into; sizes of elements, as bits.
    let mut roots: FxHashMap<Value, SlotId> = FxHashMap::default();
    let mut sizes: FxHashMap<SlotId, u32> = FxHashMap::default();
    let mut bad: FxHashSet<SlotId> = FxHashSet::default();
    // Other slots than those of one item loop may be several work-items', which must not change parts of one element.
    let homes = item_loops(func);
    let mut users: FxHashMap<SlotId, Block> = FxHashMap::default();
    for (block, inst) in func.live_insts() {
        let data = &func.insts[inst];
        let root = data.args.first().and_then(|v| roots.get(v)).copied();
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
                if !plain || !place.is_multiple_of(size) {
                    bad.insert(slot);
                }
            }
            (_, _, Some(slot)) => _ = bad.insert(slot),
        }
    }
    for &block in &func.layout {
        func.blocks[block].term.for_each_value(|v| bad.extend(roots.get(&v)));
    }
    sizes.retain(|slot, sizes| !sizes.is_power_of_two() && !bad.contains(slot));
    let largest = |bits: u32| 1 << bits.ilog2();
    // Vectors of small elements are whole elements, or stay as they are.
    for (_, inst) in func.live_insts() {
        let Some((ptr, ty)) = access(func, inst) else { continue };
        let Some(slot) = roots.get(&ptr) else { continue };
        let elem = sizes.get(slot).map(|&bits| largest(bits));
        let Some(elem) = elem.filter(|&elem| ty.is_vector() && ty.elem.bytes() < elem) else { continue };
        let fits = ty.bytes() == elem && ty.lanes != 3;
        if !fits || !Place::of(func, ptr).is_some_and(|place| place.is_multiple_of(elem)) {
            sizes.remove(slot);
        }
    }
    sizes.into_iter().map(|(slot, bits)| (slot, largest(bits))).collect()
}

/// Writes what takes an access's place.
struct Rewrite<'f> {
    func: &'f mut Func,
    out: &'f mut Vec<Inst>,
    /// Bytes of an element.
    elem: u32,
    span: Span,
}

impl Rewrite<'_> {
    fn access(mut self, forward: &mut Forward, inst: Inst, place: &Place, ty: Type) {
        let InstData { op, args, result, span, .. } = self.func.insts[inst].clone();
        self.span = span;
        let whole = Type::scalar(int(self.elem));
        let (ptr, from) = self.element(place, whole);
        let part = Type::scalar(int(ty.bytes()));
        if op == Op::Load {
            let element = self.emit(Op::Load, whole, &[ptr], Imm::None);
            let mut v = self.emit(Op::Lshr, whole, &[element, from], Imm::None);
            for (op, to) in [(Op::Trunci, part), (Op::Bitcast, ty)] {
                v = if self.func.ty(v) == to { v } else { self.emit(op, to, &[v], Imm::None) };
            }
            forward.set(result.expect("a load has a result"), v);
            return;
        }
        let mut v = args[1];
        for (op, to) in [(Op::Bitcast, part), (Op::Zext, whole)] {
            v = if self.func.ty(v) == to { v } else { self.emit(op, to, &[v], Imm::None) };
        }
        if part != whole {
            let v_there = self.emit(Op::Shl, whole, &[v, from], Imm::None);
            let ones = self.bits(whole, u64::MAX >> (64 - part.elem.bits()));
            let ones = self.emit(Op::Shl, whole, &[ones, from], Imm::None);
            let others = self.emit(Op::Not, whole, &[ones], Imm::None);
            let element = self.emit(Op::Load, whole, &[ptr], Imm::None);
            let rest = self.emit(Op::And, whole, &[element, others], Imm::None);
            v = self.emit(Op::Or, whole, &[rest, v_there], Imm::None);
        }
        self.push(Op::Store, None, &[ptr, v], Imm::None);
    }

    /// The address of the element that a place is in, and the bit of it where the place begins.
    fn element(&mut self, place: &Place, whole: Type) -> (Value, Value) {
        let elem = i64::from(self.elem);
        let (ptr_ty, mut ptr) = (self.func.ty(place.start), place.start);
        let is_whole = |t: &&(Value, u32)| t.1.is_multiple_of(self.elem);
        let (wholes, parts): (Vec<_>, Vec<_>) = place.terms.iter().partition(is_whole);
        for &(index, scale) in &wholes {
            ptr = self.emit(Op::PtrAdd, ptr_ty, &[ptr, index], Imm::Scale { scale, disp: 0 });
        }
        if parts.is_empty() {
            let low = place.disp % elem;
            if place.disp != low {
                ptr = self.emit(Op::PtrOff, ptr_ty, &[ptr], Imm::Disp(place.disp - low));
            }
            return (ptr, self.bits(whole, 8 * low as u64));
        }
        // No private array is so large that 32 bits could not count its bytes.
        let mut sum = self.bits(Type::I32, place.disp as u64 & 0xffff_ffff);
        for (index, scale) in parts {
            let index = self.emit(Op::Trunci, Type::I32, &[index], Imm::None);
            let scale = self.bits(Type::I32, u64::from(scale));
            let bytes = self.emit(Op::Mul, Type::I32, &[index, scale], Imm::None);
            sum = self.emit(Op::Add, Type::I32, &[bytes, sum], Imm::None);
        }
        let by = self.bits(Type::I32, u64::from(self.elem.ilog2()));
        let number = self.emit(Op::Ashr, Type::I32, &[sum, by], Imm::None);
        let number = self.emit(Op::Sext, Type::I64, &[number], Imm::None);
        ptr = self.emit(Op::PtrAdd, ptr_ty, &[ptr, number], Imm::Scale { scale: self.elem, disp: 0 });
        let low = self.bits(Type::I32, u64::from(self.elem - 1));
        let low = self.emit(Op::And, Type::I32, &[sum, low], Imm::None);
        let three = self.bits(Type::I32, 3);
        let from = self.emit(Op::Shl, Type::I32, &[low, three], Imm::None);
        let from = match whole.elem.bits() {
            32 => from,
            64 => self.emit(Op::Zext, whole, &[from], Imm::None),
            _ => self.emit(Op::Trunci, whole, &[from], Imm::None),
        };
        (ptr, from)
    }

    fn push(&mut self, op: Op, ty: Option<Type>, args: &[Value], imm: Imm) -> Option<Value> {
        let inst = self.func.make_inst(op, ty, args, imm, Attr::default(), self.span);
        self.out.push(inst);
        self.func.insts[inst].result
    }
    fn emit(&mut self, op: Op, ty: Type, args: &[Value], imm: Imm) -> Value {
        self.push(op, Some(ty), args, imm).expect("a type was given")
    }
    fn bits(&mut self, ty: Type, bits: u64) -> Value {
        self.emit(Op::Const, ty, &[], Imm::Bits(bits))
    }
}

/// The integer type of so many bytes.
fn int(bytes: u32) -> Scalar {
    match bytes {
        1 => Scalar::I8,
        2 => Scalar::I16,
        4 => Scalar::I32,
        _ => Scalar::I64,
    }
}

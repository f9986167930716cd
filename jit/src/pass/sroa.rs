//! Scalar replacement, first half: rewrites accesses to slots so that `mem2reg` can promote them. Copies of whole objects become
//! copies of their parts; where accesses overlap with different shapes (a vector and its lanes, a union), each becomes
//! accesses to the smallest common parts. Only slots that are accessed at constant offsets and whose address goes nowhere
//! else are looked at. n log n.

use super::forward::Forward;
use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::{Attr, Func, Imm, Inst, Op, Scalar, SlotId, Type, Value};
use crate::source::Span;
use rustc_hash::FxHashMap;

/// Most bytes of a copy that is taken apart.
const MAX_COPY: i64 = 512;
/// Most parts of a copy or an access.
const MAX_PARTS: usize = 64;

/// Runs the pass.
pub fn run(func: &mut Func) {
    if !super::uses_slots(func) {
        return;
    }
    super::cleanup::remove_unreachable(func);
    let mut scan = Scan::new(func);
    let copies = scan.split_copies();
    let splits = scan.clusters();
    if !copies.is_empty() || !splits.is_empty() {
        rewrite(func, &scan, &copies, &splits);
    }
}

/// An address in a slot.
type Place = (SlotId, i64);

struct Copy {
    inst: Inst,
    dst: Option<Place>,
    src: Option<Place>,
    bytes: i64,
}

struct Scan {
    pointers: FxHashMap<Value, Place>,
    /// Loads and stores with their slot, offset and type.
    accesses: Vec<(Inst, SlotId, i64, Type)>,
    /// For each slot: offset and type of all accesses, those of copies' parts included.
    parts: Vec<Vec<(i64, Type)>>,
    /// For each slot: ends of fills.
    edges: Vec<Vec<i64>>,
    copies: Vec<Copy>,
    escaped: Vec<bool>,
}

impl Scan {
    fn new(func: &Func) -> Self {
        let n = func.slots.len();
        let mut this = Self {
            pointers: FxHashMap::default(),
            accesses: Vec::new(),
            parts: vec![Vec::new(); n],
            edges: vec![Vec::new(); n],
            copies: Vec::new(),
            escaped: vec![false; n],
        };
        for (_, inst) in func.live_insts() {
            this.visit(func, inst);
        }
        for &block in &func.layout {
            func.blocks[block].term.for_each_value(|v| this.escape(v));
        }
        // A copy from or to a place outside its slot stays.
        let copies = std::mem::take(&mut this.copies);
        for copy in &copies {
            for (slot, at) in [copy.dst, copy.src].into_iter().flatten() {
                if at < 0 || at + copy.bytes > func.slots[slot].size as i64 {
                    this.escaped[slot.index()] = true;
                }
            }
        }
        this.copies = copies;
        this
    }

    fn escape(&mut self, v: Value) {
        if let Some((slot, _)) = self.pointers.get(&v) {
            self.escaped[slot.index()] = true;
        }
    }

    fn access(&mut self, inst: Inst, (slot, at): Place, ty: Type) {
        self.accesses.push((inst, slot, at, ty));
        self.parts[slot.index()].push((at, ty));
    }

    fn visit(&mut self, func: &Func, inst: Inst) {
        let data = &func.insts[inst];
        let place = |n: usize| data.args.get(n).and_then(|p| self.pointers.get(p)).copied();
        let (first, second) = (place(0), place(1));
        let volatile = data.attr.flags.contains(Flags::VOLATILE);
        match (data.op, &data.imm, first) {
            (Op::SlotAddr, Imm::Slot(slot), _) => self.pointers.extend(data.result.map(|r| (r, (*slot, 0)))),
            (Op::PtrOff, Imm::Disp(disp), Some((slot, at))) => {
                self.pointers.extend(data.result.map(|r| (r, (slot, at.wrapping_add(*disp)))));
            }
            (Op::PtrAdd, Imm::Scale { scale, disp }, Some((slot, at))) => match func.const_bits(data.args[1]) {
                Some(index) => {
                    let moved = (index as i64).wrapping_mul(i64::from(*scale)).wrapping_add(*disp).wrapping_add(at);
                    self.pointers.extend(data.result.map(|r| (r, (slot, moved))));
                }
                None => self.escape(data.args[0]),
            },
            (Op::Load, _, Some(place)) if !volatile => {
                self.access(inst, place, func.ty(data.result.expect("a load has a result")))
            }
            (Op::Store, _, Some(place)) if !volatile => {
                self.escape(data.args[1]);
                self.access(inst, place, func.ty(data.args[1]));
            }
            (Op::Memset, _, Some((slot, at))) if !volatile => match func.const_bits(data.args[2]) {
                Some(n) if n < 1 << 32 => self.edges[slot.index()].extend([at, at + n as i64]),
                _ => self.escape(data.args[0]),
            },
            (Op::Memcpy, _, _) if !volatile && (first.is_some() || second.is_some()) => {
                match func.const_bits(data.args[2]) {
                    Some(n) if n <= MAX_COPY as u64 => {
                        self.copies.push(Copy { inst, dst: first, src: second, bytes: n as i64 })
                    }
                    _ => {
                        self.escape(data.args[0]);
                        self.escape(data.args[1]);
                    }
                }
            }
            _ => data.args.iter().for_each(|&arg| self.escape(arg)),
        }
    }

    /// Decides the parts of each copy that touches a slot which can be promoted.
    fn split_copies(&mut self) -> FxHashMap<Inst, Vec<(i64, Type)>> {
        let mut done: FxHashMap<Inst, Vec<(i64, Type)>> = FxHashMap::default();
        let copies = std::mem::take(&mut self.copies);
        // Copies of copies learn their parts from each other; what is still unknown is cut into words.
        for last in [false, false, false, true] {
            for copy in &copies {
                let nice = |p: &Option<Place>| p.is_some_and(|(slot, _)| !self.escaped[slot.index()]);
                if done.contains_key(&copy.inst) || !(nice(&copy.dst) || nice(&copy.src)) {
                    continue;
                }
                let mut known: Vec<(i64, Type)> = Vec::new();
                let mut crosses = false;
                for (slot, at) in [copy.dst, copy.src].into_iter().flatten() {
                    for &(from, ty) in &self.parts[slot.index()] {
                        let (from, to) = (from - at, from - at + i64::from(ty.bytes()));
                        match from >= 0 && to <= copy.bytes {
                            true => known.push((from, ty)),
                            false => crosses |= from < copy.bytes && to > 0,
                        }
                    }
                }
                if known.is_empty() && !last {
                    continue;
                }
                let parts = if crosses { words(0, copy.bytes, 1) } else { cover(known, copy.bytes) };
                if parts.len() > MAX_PARTS {
                    for (slot, _) in [copy.dst, copy.src].into_iter().flatten() {
                        self.escaped[slot.index()] = true;
                    }
                    continue;
                }
                for (slot, at) in [copy.dst, copy.src].into_iter().flatten() {
                    self.parts[slot.index()].extend(parts.iter().map(|&(from, ty)| (from + at, ty)));
                }
                done.insert(copy.inst, parts);
            }
        }
        done
    }

    /// For each slot that can be promoted: ranges in which accesses overlap, and the type of the smallest common part.
    fn clusters(&mut self) -> FxHashMap<SlotId, Vec<(i64, i64, Scalar)>> {
        let mut out: FxHashMap<SlotId, Vec<(i64, i64, Scalar)>> = FxHashMap::default();
        for index in 0..self.parts.len() {
            if self.escaped[index] {
                continue;
            }
            let parts = &mut self.parts[index];
            parts.sort_unstable();
            parts.dedup();
            let mut n = 0;
            while n < parts.len() {
                let start = n;
                let from = parts[start].0;
                let mut to = from + i64::from(parts[start].1.bytes());
                n += 1;
                while n < parts.len() && parts[n].0 < to {
                    to = to.max(parts[n].0 + i64::from(parts[n].1.bytes()));
                    n += 1;
                }
                let edges = self.edges[index].iter().filter(|e| **e > from && **e < to);
                let edges: Vec<i64> = edges.copied().collect();
                if n - start == 1 && edges.is_empty() {
                    continue;
                }
                if let Some(part) = common_part(&parts[start..n], from, &edges) {
                    out.entry(SlotId(index as u32)).or_default().push((from, to, part));
                }
            }
        }
        out
    }
}

/// The element type into which all these accesses can be cut.
fn common_part(parts: &[(i64, Type)], from: i64, edges: &[i64]) -> Option<Scalar> {
    let mut size = 8;
    for &(at, ty) in parts {
        if ty.is_ptr() {
            return None;
        }
        size = gcd(gcd(size, i64::from(ty.elem.bytes())), at - from);
    }
    for edge in edges {
        size = gcd(size, edge - from);
    }
    let elem = parts[0].1.elem;
    if parts.iter().all(|p| p.1.elem == elem) && i64::from(elem.bytes()) == size { Some(elem) } else { int_of(size) }
}

fn int_of(bytes: i64) -> Option<Scalar> {
    match bytes {
        1 => Some(Scalar::I8),
        2 => Some(Scalar::I16),
        4 => Some(Scalar::I32),
        8 => Some(Scalar::I64),
        _ => None,
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

/// Integers that cover `[from, to)`, as large as their offsets and `max` allow.
fn words(mut from: i64, to: i64, max: i64) -> Vec<(i64, Type)> {
    let mut out = Vec::new();
    while from < to {
        let size = [8, 4, 2, 1].into_iter().find(|s| *s <= max && from % s == 0 && from + s <= to).unwrap_or(1);
        out.push((from, Type::scalar(int_of(size).unwrap_or(Scalar::I8))));
        from += size;
    }
    out
}

/// Parts that cover `bytes` bytes and agree with the accesses known.
fn cover(mut known: Vec<(i64, Type)>, bytes: i64) -> Vec<(i64, Type)> {
    known.sort_unstable();
    known.dedup();
    let mut out = Vec::new();
    let mut at = 0;
    let mut n = 0;
    while n < known.len() {
        let start = n;
        let from = known[start].0;
        let mut to = from + i64::from(known[start].1.bytes());
        n += 1;
        while n < known.len() && known[n].0 < to {
            to = to.max(known[n].0 + i64::from(known[n].1.bytes()));
            n += 1;
        }
        out.extend(words(at, from, 8));
        match (n - start, common_part(&known[start..n], from, &[])) {
            (1, _) => out.push(known[start]),
            (_, Some(elem)) => {
                let size = i64::from(elem.bytes());
                out.extend((from..to).step_by(size as usize).map(|at| (at, Type::scalar(elem))));
            }
            (_, None) => out.extend(words(from, to, 8)),
        }
        at = to;
    }
    out.extend(words(at, bytes, 8));
    out
}

struct Out<'f> {
    func: &'f mut Func,
    insts: Vec<Inst>,
    span: Span,
}

impl Out<'_> {
    fn push(&mut self, op: Op, ty: Option<Type>, args: &[Value], imm: Imm, attr: Attr) -> Option<Value> {
        let inst = self.func.make_inst(op, ty, args, imm, attr, self.span);
        self.insts.push(inst);
        self.func.insts[inst].result
    }
    fn emit(&mut self, op: Op, ty: Type, args: &[Value], imm: Imm) -> Value {
        self.push(op, Some(ty), args, imm, Attr::default()).expect("a type was given")
    }
    fn offset(&mut self, ptr: Value, at: i64) -> Value {
        let ty = self.func.ty(ptr);
        if at == 0 { ptr } else { self.emit(Op::PtrOff, ty, &[ptr], Imm::Disp(at)) }
    }
    fn cast(&mut self, ty: Type, v: Value) -> Value {
        if self.func.ty(v) == ty { v } else { self.emit(Op::Bitcast, ty, &[v], Imm::None) }
    }
}

fn rewrite(
    func: &mut Func,
    scan: &Scan,
    copies: &FxHashMap<Inst, Vec<(i64, Type)>>,
    splits: &FxHashMap<SlotId, Vec<(i64, i64, Scalar)>>,
) {
    // The part type of a load or store that is to be cut.
    let split_of = |slot: SlotId, at: i64, ty: Type| -> Option<Scalar> {
        let (_, _, part) = splits.get(&slot)?.iter().find(|(from, to, _)| *from <= at && at < *to)?;
        let lanes = ty.bytes() / part.bytes();
        (ty != Type::scalar(*part) && matches!(lanes, 1 | 2 | 3 | 4 | 8 | 16)).then_some(*part)
    };
    let mut cut: FxHashMap<Inst, Scalar> = FxHashMap::default();
    for &(inst, slot, at, ty) in &scan.accesses {
        cut.extend(split_of(slot, at, ty).map(|part| (inst, part)));
    }
    let mut forward = Forward::new(func);
    for i in 0..func.layout.len() {
        let block = func.layout[i];
        if !func.blocks[block].insts.iter().any(|i| copies.contains_key(i) || cut.contains_key(i)) {
            continue;
        }
        let insts = std::mem::take(&mut func.blocks[block].insts);
        let mut out = Out { func: &mut *func, insts: Vec::with_capacity(insts.len()), span: Span::DUMMY };
        for inst in insts {
            out.span = out.func.insts[inst].span;
            if let Some(parts) = copies.get(&inst) {
                copy(&mut out, scan, inst, parts, &split_of);
            } else if let Some(&part) = cut.get(&inst) {
                let data = &out.func.insts[inst];
                let (ptr, attr) = (data.args[0], data.attr);
                match data.result {
                    Some(result) => {
                        let ty = out.func.ty(result);
                        let whole = load(&mut out, ptr, ty, part, attr);
                        forward.set(result, whole);
                    }
                    None => {
                        let v = data.args[1];
                        store(&mut out, ptr, v, part, attr);
                    }
                }
            } else {
                out.insts.push(inst);
            }
        }
        let insts = out.insts;
        func.blocks[block].insts = insts;
    }
    forward.apply(func);
}

/// Loads a value part by part.
fn load(out: &mut Out<'_>, ptr: Value, ty: Type, part: Scalar, attr: Attr) -> Value {
    let part = Type::scalar(part);
    let n = ty.bytes() / part.bytes();
    let attr = Attr { align: 0, ..attr };
    let mut lanes = Vec::new();
    for k in 0..n {
        let at = out.offset(ptr, i64::from(k * part.bytes()));
        lanes.push(out.push(Op::Load, Some(part), &[at], Imm::None, attr).expect("a load has a result"));
    }
    let whole = if n == 1 { lanes[0] } else { out.emit(Op::Build, part.with_lanes(n as u8), &lanes, Imm::None) };
    out.cast(ty, whole)
}

/// Stores a value part by part.
fn store(out: &mut Out<'_>, ptr: Value, v: Value, part: Scalar, attr: Attr) {
    let part = Type::scalar(part);
    let n = out.func.ty(v).bytes() / part.bytes();
    let attr = Attr { align: 0, ..attr };
    let whole = out.cast(part.with_lanes(n as u8), v);
    for k in 0..n {
        let lane = if n == 1 { whole } else { out.emit(Op::Extract, part, &[whole], Imm::Lane(k as u8)) };
        let at = out.offset(ptr, i64::from(k * part.bytes()));
        out.push(Op::Store, None, &[at, lane], Imm::None, attr);
    }
}

/// A copy by parts. All parts are loaded before any is stored: source and destination may be the same object.
fn copy(
    out: &mut Out<'_>,
    scan: &Scan,
    inst: Inst,
    parts: &[(i64, Type)],
    split: &dyn Fn(SlotId, i64, Type) -> Option<Scalar>,
) {
    let data = &out.func.insts[inst];
    let (dst, src) = (data.args[0], data.args[1]);
    // Nothing is known of the alignment of memory that is no slot.
    let side = |ptr: Value| (scan.pointers.get(&ptr).copied(), Attr { align: 1, ..Attr::default() });
    let (to, from) = (side(dst), side(src));
    let part_of = |place: Option<Place>, at: i64, ty: Type| place.and_then(|(slot, base)| split(slot, base + at, ty));
    let mut values = Vec::new();
    for &(at, ty) in parts {
        let ptr = out.offset(src, at);
        values.push(match part_of(from.0, at, ty) {
            Some(part) => load(out, ptr, ty, part, from.1),
            None => out.push(Op::Load, Some(ty), &[ptr], Imm::None, from.1).expect("a load has a result"),
        });
    }
    for (&(at, ty), v) in parts.iter().zip(values) {
        let ptr = out.offset(dst, at);
        match part_of(to.0, at, ty) {
            Some(part) => store(out, ptr, v, part, to.1),
            None => _ = out.push(Op::Store, None, &[ptr, v], Imm::None, to.1),
        }
    }
}

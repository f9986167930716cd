//! Scalar replacement, first half: rewrites accesses to slots so that `mem2reg` can promote them. Copies of whole
//! objects become copies of their parts; where accesses overlap with different shapes (a vector and its lanes, a
//! union), each becomes accesses to the smallest common parts. Only slots that are accessed at constant offsets and
//! whose address goes nowhere else are looked at. n log n.

use super::forward::Forward;
use crate::analysis::slots::{Place, SlotPointers};
use crate::ir::entity::Entity;
use crate::ir::op::Flags;
use crate::ir::{Attr, Builder, Func, Imm, Inst, InstData, Op, Scalar, SlotId, Type, Value};
use rustc_hash::FxHashMap;

/// Most bytes of a copy that is taken apart.
const MAX_COPY: i64 = 512;
/// Most parts of a copy or an access.
const MAX_PARTS: usize = 64;

/// Runs the pass.
pub fn run(func: &mut Func) {
    if !func.uses_slots() {
        return;
    }
    func.remove_unreachable();
    let mut scan = Scan::new(func);
    let copies = scan.split_copies();
    let splits = scan.clusters();
    if !copies.is_empty() || !splits.is_empty() {
        rewrite(func, &scan, &copies, &splits);
    }
}

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
            escaped: Vec::new(),
        };
        let slots = SlotPointers::new(func, |inst, data, places| this.access(func, inst, data, places));
        (this.pointers, this.escaped) = (slots.places, slots.escaped);
        // A copy from or to a place outside its slot stays.
        for copy in &this.copies {
            for (slot, at) in [copy.dst, copy.src].into_iter().flatten() {
                if at < 0 || at + copy.bytes > func.slots[slot].size as i64 {
                    this.escaped[slot.index()] = true;
                }
            }
        }
        this
    }

    /// Notes an access; false if nothing can be made of it.
    fn access(&mut self, func: &Func, inst: Inst, data: &InstData, [first, second]: [Option<Place>; 2]) -> bool {
        match (data.op, first) {
            _ if data.attr.flags.contains(Flags::VOLATILE) => return false,
            (Op::Load | Op::Store, Some((slot, at))) => {
                let ty = func.ty(data.result.unwrap_or_else(|| data.args[1]));
                self.accesses.push((inst, slot, at, ty));
                self.parts[slot.index()].push((at, ty));
            }
            (Op::Memset, Some((slot, at))) => match func.const_bits(data.args[2]) {
                Some(n) if n < 1 << 32 => self.edges[slot.index()].extend([at, at + n as i64]),
                _ => return false,
            },
            (Op::Memcpy, _) => match func.const_bits(data.args[2]) {
                Some(n) if n <= MAX_COPY as u64 => {
                    self.copies.push(Copy { inst, dst: first, src: second, bytes: n as i64 });
                }
                _ => return false,
            },
            _ => return false,
        }
        true
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
            for (from, to, group) in overlaps(parts) {
                let edges = self.edges[index].iter().filter(|e| **e > from && **e < to);
                let edges: Vec<i64> = edges.copied().collect();
                if group.len() == 1 && edges.is_empty() {
                    continue;
                }
                if let Some(part) = common_part(group, from, &edges) {
                    out.entry(SlotId(index as u32)).or_default().push((from, to, part));
                }
            }
        }
        out
    }
}

/// Groups of sorted accesses that overlap, each with where it begins and ends.
fn overlaps(parts: &[(i64, Type)]) -> impl Iterator<Item = (i64, i64, &[(i64, Type)])> {
    let mut rest = parts;
    std::iter::from_fn(move || {
        let &(from, _) = rest.first()?;
        let (mut to, mut n) = (from, 0);
        while let Some(&(at, ty)) = rest.get(n).filter(|&&(at, _)| n == 0 || at < to) {
            to = to.max(at + i64::from(ty.bytes()));
            n += 1;
        }
        let (group, behind) = rest.split_at(n);
        rest = behind;
        Some((from, to, group))
    })
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
    for (from, to, group) in overlaps(&known) {
        out.extend(words(at, from, 8));
        match (group, common_part(group, from, &[])) {
            (&[alone], _) => out.push(alone),
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
        let mut b = Builder::new(func, block);
        for inst in insts {
            b.origin = b.func.insts[inst].origin;
            if let Some(parts) = copies.get(&inst) {
                copy(&mut b, scan, inst, parts, &split_of);
            } else if let Some(&part) = cut.get(&inst) {
                let data = &b.func.insts[inst];
                let (ptr, attr) = (data.args[0], data.attr);
                match data.result {
                    Some(result) => {
                        let ty = b.func.ty(result);
                        let whole = load(&mut b, ptr, ty, part, attr);
                        forward.set(result, whole);
                    }
                    None => {
                        let v = data.args[1];
                        store(&mut b, ptr, v, part, attr);
                    }
                }
            } else {
                b.place(inst);
            }
        }
    }
    forward.apply(func);
}

/// Loads a value part by part.
fn load(b: &mut Builder<'_>, ptr: Value, ty: Type, part: Scalar, attr: Attr) -> Value {
    let part = Type::scalar(part);
    let n = ty.bytes() / part.bytes();
    let attr = Attr { align: 0, ..attr };
    let mut lanes = Vec::new();
    for k in 0..n {
        let at = b.ptr_off(ptr, i64::from(k * part.bytes()));
        lanes.push(b.load(part, at, attr));
    }
    let whole = if n == 1 { lanes[0] } else { b.emit(Op::Build, part.with_lanes(n as u8), &lanes, Imm::None) };
    b.bitcast(ty, whole)
}

/// Stores a value part by part.
fn store(b: &mut Builder<'_>, ptr: Value, v: Value, part: Scalar, attr: Attr) {
    let part = Type::scalar(part);
    let n = b.func.ty(v).bytes() / part.bytes();
    let attr = Attr { align: 0, ..attr };
    let whole = b.bitcast(part.with_lanes(n as u8), v);
    for k in 0..n {
        let lane = if n == 1 { whole } else { b.emit(Op::Extract, part, &[whole], Imm::Lane(k as u8)) };
        let at = b.ptr_off(ptr, i64::from(k * part.bytes()));
        b.store(at, lane, attr);
    }
}

/// A copy by parts. All parts are loaded before any is stored: source and destination may be the same object.
fn copy(
    b: &mut Builder<'_>,
    scan: &Scan,
    inst: Inst,
    parts: &[(i64, Type)],
    split: &dyn Fn(SlotId, i64, Type) -> Option<Scalar>,
) {
    let data = &b.func.insts[inst];
    let (dst, src) = (data.args[0], data.args[1]);
    // Nothing is known of the alignment of memory that is no slot.
    let side = |ptr: Value| (scan.pointers.get(&ptr).copied(), Attr { align: 1, ..Attr::default() });
    let (to, from) = (side(dst), side(src));
    let part_of = |place: Option<Place>, at: i64, ty: Type| place.and_then(|(slot, base)| split(slot, base + at, ty));
    let mut values = Vec::new();
    for &(at, ty) in parts {
        let ptr = b.ptr_off(src, at);
        values.push(match part_of(from.0, at, ty) {
            Some(part) => load(b, ptr, ty, part, from.1),
            None => b.load(ty, ptr, from.1),
        });
    }
    for (&(at, ty), v) in parts.iter().zip(values) {
        let ptr = b.ptr_off(dst, at);
        match part_of(to.0, at, ty) {
            Some(part) => store(b, ptr, v, part, to.1),
            None => b.store(ptr, v, to.1),
        }
    }
}

//! Local memory that lanes access at indices of their own, by loads and stores of whole vectors where that is possible.
//! What decides is the *pattern* of the indices (see `index_split`), which is known before the loop, so the loop is
//! there three times:
//!
//! ```text
//! all patterns are p, p + 1, p + 2 ..        → every gather is a load, every scatter a store
//! all lie in a window of two vectors         → the window is loaded, its lanes are permuted, and it is stored
//! else                                       → as it was
//! ```
//! Nothing of the window is touched that no lane uses in every turn; without mask registers, where a mask would cost
//! too much, lanes use all of it, or things stay as they were. Where something is stored, no two lanes and no two of at
//! most two patterns may share an element (else: as it was), so that each pattern's elements are a vector of their own
//! as long as the turn lasts. Local memory belongs to one thread, so what has not changed may be written back. Lanes
//! that are there access local memory, so their indices are far from where 32 bits wrap: the sum of scalar and pattern
//! is what the address is made of. Takes SSA form in which what does not change in a loop is in front of it. Must not
//! know machines beyond `Config`.

use super::Config;
use super::access::{LaneAddress, is_local};
use super::index_split::{Expr, Sum, Sums};
use crate::ir::dom::{Dominators, Loop, Loops};
use crate::ir::{
    Attr, Block, Builder, Copies, Func, Imm, Inst, IntPred, Op, Scalar, SlotId, Target, Term, Type, Value,
};
use crate::launch::AddrSpace;
use crate::loops::lcssa::entry_of_closed;
use rustc_hash::FxHashMap;

/// Larger loops stay as they are.
const MAX_INSTS: usize = 100;

/// A gather or scatter in local memory.
struct Access {
    inst: Inst,
    /// The pointer, and bytes behind it.
    base: Value,
    disp: i64,
    /// The lanes' indices, and what they are the sum of.
    index: Value,
    scalar: Option<Expr>,
    pattern: Option<Expr>,
    /// Type of the vector.
    ty: Type,
    /// In every turn, in all lanes.
    always: bool,
    /// What a store under a mask leaves alone is better stored again: it is read in every turn, and there are no masked
    /// stores.
    blends: bool,
}

/// A loop to be rewritten.
struct Found<'a> {
    l: &'a Loop,
    before: Block,
    accesses: Vec<Access>,
    /// The place among `accesses` of one that is always made, if a window is possible.
    anchor: Option<usize>,
    /// A window must be used whole.
    whole: bool,
}

impl Found<'_> {
    fn stores(&self, func: &Func) -> bool {
        self.accesses.iter().any(|a| func.insts[a.inst].op == Op::Scatter)
    }
}

/// True if there is a gather from local memory, or a scatter to it.
pub(crate) fn applies(func: &Func) -> bool {
    func.live_insts().any(|(_, inst)| is_local_access(func, inst))
}

fn is_local_access(func: &Func, inst: Inst) -> bool {
    let data = &func.insts[inst];
    matches!(data.op, Op::Gather | Op::Scatter) && is_local(func.ty(data.args[0]))
}

/// Rewrites the loops for which it may pay; true if there were any.
pub(crate) fn run(func: &mut Func, config: Config) -> bool {
    let (cfg, dom, loops) = Loops::of_func(func);
    let homes = func.homes(&func.layout);
    let mut any = false;
    for (id, l) in loops.loops.iter().enumerate() {
        let is_innermost = !loops.loops.iter().any(|inner| inner.parent == Some(id));
        let accesses = func.insts_of(&l.blocks).any(|(_, i)| is_local_access(func, i));
        if !is_innermost || !accesses || func.size_of(&l.blocks) > MAX_INSTS {
            continue;
        }
        let Some(before) = entry_of_closed(func, &cfg, l) else { continue };
        let mut sums = Sums::new(l, before, &homes);
        if let Some(found) = find(func, &dom, l, before, &mut sums, config) {
            rewrite(func, &found, &sums);
            any = true;
        }
    }
    any
}

fn find<'a>(
    func: &Func,
    dom: &Dominators,
    l: &'a Loop,
    before: Block,
    sums: &mut Sums,
    config: Config,
) -> Option<Found<'a>> {
    let mut accesses = Vec::new();
    // Local memory is not touched in any other way.
    let mut alone = true;
    for &block in &l.blocks {
        for &inst in &func.blocks[block].insts {
            let data = &func.insts[inst];
            let space = data.args.first().map(|&v| func.ty(v).elem);
            let elsewhere =
                matches!(space, Some(Scalar::Ptr(AddrSpace::Global | AddrSpace::Constant | AddrSpace::Private)));
            match data.op {
                op if op.is_pure() => {}
                Op::Gather | Op::Scatter if data.args.first().is_some_and(|&v| is_local(func.ty(v))) => {
                    match access(func, sums, inst) {
                        Some(mut access) if accesses.first().is_none_or(|a: &Access| a.ty.lanes == access.ty.lanes) => {
                            access.always &= dom.dominates(block, l.latches[0]);
                            accesses.push(access);
                        }
                        _ => alone = false,
                    }
                }
                Op::Load | Op::Store | Op::LoadMasked | Op::StoreMasked | Op::Gather | Op::Scatter if elsewhere => {}
                _ => alone = false,
            }
        }
    }
    accesses.first()?;
    if !config.target.accesses_under_masks(32) {
        let place = |a: &Access| (a.base, a.disp, a.scalar, a.pattern, a.ty);
        let read: Vec<_> = accesses.iter().filter(|a| a.always).map(place).collect();
        accesses.iter_mut().for_each(|a| a.blends = read.contains(&place(a)));
    }
    let native = accesses.iter().all(|a| a.ty.bytes() == u32::from(config.target.register_bytes));
    let whole = !config.target.masks;
    let anchor = accesses.iter().position(|a| a.always).filter(|&i| {
        let anchor = &accesses[i];
        let fits =
            |a: &Access| (a.base, a.disp, a.scalar, a.ty) == (anchor.base, anchor.disp, anchor.scalar, anchor.ty);
        let read = |pattern| accesses.iter().any(|a| a.always && a.pattern == pattern);
        let mut patterns: Vec<_> = accesses.iter().map(|a| a.pattern).collect();
        patterns.sort_unstable();
        patterns.dedup();
        let stores = accesses.iter().any(|a| func.insts[a.inst].op == Op::Scatter);
        let few = patterns.len() == 2 || !whole && (patterns.len() == 1 || !stores);
        alone && few && (native || config.always) && accesses.iter().all(|a| fits(a) && read(a.pattern))
    });
    Some(Found { l, before, accesses, anchor, whole })
}

/// A gather or scatter of 32-bit lanes at an address that was made outside the loop, with indices that have a pattern.
fn access(func: &Func, sums: &mut Sums, inst: Inst) -> Option<Access> {
    let data = &func.insts[inst];
    let (ty, mask) = match data.op {
        Op::Gather => (func.ty(data.result?), data.args[2]),
        _ => (func.ty(data.args[2]), data.args[3]),
    };
    let address = LaneAddress::of(func, data)?;
    // An index from far below the start is one that the program makes so.
    let near = |address: &LaneAddress| address.disp > -(i64::from(address.scale) << 30);
    let LaneAddress { root, index, scale, disp } = address.unsigned(func).filter(near).unwrap_or(address);
    let Sum { scalar, pattern, .. } = sums.of(func, index)?;
    let whole = ty.elem.bytes() == 4 && scale == 4 && sums.is_outside(root);
    let always = func.const_bits(mask) == Some(1);
    whole.then_some(Access { inst, base: root, disp, index, scalar, pattern, ty, always, blends: false })
}

/// A pattern in front of the loop, and its first lane.
type Pattern = (Value, Value);

/// What the copy for windows knows.
struct Window {
    /// By pattern: where in the window each lane's element is, and the elements themselves, while a turn lasts.
    places: Vec<(Option<Expr>, Value, SlotId)>,
    /// For each element of the window's two vectors: the lane of the first pattern or, behind those, of the second that
    /// has it.
    back: [Value; 2],
    /// Elements that some lane has, by vector; none if that is all.
    read: Option<[Value; 2]>,
}

fn rewrite(func: &mut Func, found: &Found, sums: &Sums) {
    let at = found.before;
    let Term::Jump(entry) = func.blocks[at].term.clone() else { unreachable!("found so") };
    let ints = found.accesses[0].ty.with_elem(Scalar::I32);
    let mut b = Builder::new(func, at);
    let iota = b.emit(Op::Iota, ints, &[], Imm::None);
    let mut patterns: FxHashMap<Option<Expr>, Pattern> = FxHashMap::default();
    let mut follow = None;
    for a in &found.accesses {
        if patterns.contains_key(&a.pattern) {
            continue;
        }
        let pattern = sums.emit(&mut b, ints, a.pattern, &Copies::default());
        let first = b.emit(Op::Extract, Type::I32, &[pattern], Imm::Lane(0));
        patterns.insert(a.pattern, (pattern, first));
        let all = b.convert(Op::Splat, ints, first);
        let line = b.op(Op::Add, &[all, iota]);
        let mask = b.icmp(IntPred::Eq, pattern, line);
        follow = Some(b.and(follow, mask));
    }
    let lines = Target { block: copy(func, found, sums, &patterns, None), args: entry.args.clone() };
    let Some(anchor) = found.anchor.map(|i| &found.accesses[i]) else {
        return end(&mut Builder::new(func, at), follow, lines, entry);
    };
    let [near, ready] = [(); 2].map(|()| func.add_block());
    func.insert_blocks(found.l.header, &[near, ready]);
    end(&mut Builder::new(func, at), follow, lines, Target::plain(near));
    let mut b = Builder::new(func, near);
    // Whether all lie in a window that begins with the anchor's first lane.
    let shift = b.convert(Op::Splat, ints, patterns[&anchor.pattern].1);
    let mut order: Vec<(Option<Expr>, Value)> = patterns.iter().map(|(&expr, &(v, _))| (expr, v)).collect();
    order.sort_unstable();
    let mut fit = None;
    for (_, v) in &mut order {
        *v = b.op(Op::Sub, &[*v, shift]);
        let mask = b.icmp_bits(IntPred::ULt, *v, 2 * u64::from(ints.lanes));
        fit = Some(b.and(fit, mask));
    }
    end(&mut b, fit, Target::plain(ready), entry.clone());
    let (window, alone) = open_window(&mut Builder::new(func, ready), anchor, &order, found);
    let windows = copy(func, found, sums, &patterns, Some((anchor, &window)));
    let windows = Target { block: windows, args: entry.args.clone() };
    func.blocks[ready].term = match alone {
        Some(cond) => Term::Br { cond, then: windows, els: entry },
        None => Term::Jump(windows),
    };
}

/// Finds out which lane has which element of the window, and, if that matters, whether no two lanes have one. If a
/// window must be used whole, there are as many elements as lanes: it is, just then.
fn open_window(
    b: &mut Builder<'_>,
    anchor: &Access,
    order: &[(Option<Expr>, Value)],
    found: &Found,
) -> (Window, Option<Value>) {
    let ints = anchor.ty.with_elem(Scalar::I32);
    let n = u64::from(ints.lanes);
    let all = b.bits(ints.with_elem(Scalar::I1), 1);
    let nobody = b.bits(ints, 2 * n);
    let imm = Imm::Scale { scale: 4, disp: 0 };
    let bytes = u64::from(ints.bytes());
    let table = b.func.add_slot(2 * bytes, (2 * bytes).min(64));
    let table = b.slot_addr(table);
    let halves = [table, b.ptr_off(table, bytes as i64)];
    halves.iter().for_each(|&half| b.store(half, nobody, Attr::default()));
    let mut lane = b.emit(Op::Iota, ints, &[], Imm::None);
    for &(_, lanes) in order {
        b.push(Op::Scatter, None, &[table, lanes, lane, all], imm.clone(), Attr::default());
        lane = b.op_bits(Op::Xor, lane, n);
    }
    let back = halves.map(|half| b.load(ints, half, Attr::default()));
    let read = back.map(|back| b.icmp(IntPred::ULt, back, nobody));
    // As many elements as lanes: no two lanes have one.
    let alone = (found.whole || found.stores(b.func)).then(|| {
        let [low, high] = read.map(|mask| {
            let bits = b.convert(Op::MaskBits, Type::I64, mask);
            b.op(Op::Popcnt, &[bits])
        });
        let elements = b.op(Op::Add, &[low, high]);
        b.icmp_bits(IntPred::Eq, elements, n * order.len() as u64)
    });
    let held = |&(expr, lanes): &(Option<Expr>, Value)| (expr, lanes, b.func.add_slot(bytes, bytes.min(64)));
    let places = order.iter().map(held).collect();
    (Window { places, back, read: (!found.whole).then_some(read) }, alone)
}

/// A copy of the loop in which accesses are whole vectors, of a window or each by itself; its header.
fn copy(
    func: &mut Func,
    found: &Found,
    sums: &Sums,
    patterns: &FxHashMap<Option<Expr>, Pattern>,
    window: Option<(&Access, &Window)>,
) -> Block {
    let l = found.l;
    let mut copies = Copies::default();
    let new: Vec<Block> = l.blocks.iter().map(|&old| copies.open(func, old)).collect();
    func.insert_blocks(l.header, &new);
    let header = copies.block(l.header);
    let mut b = Builder::new(func, header);
    let mut pointers: FxHashMap<Inst, Value> = FxHashMap::default();
    // Where the program asks for indices, too, these have the shorter form.
    let mut indices: FxHashMap<Value, Value> = FxHashMap::default();
    for a in &found.accesses {
        let scalar = sums.emit(&mut b, Type::I32, a.scalar, &copies);
        let (pattern, _) = patterns[&a.pattern];
        let all = b.convert(Op::Splat, b.func.ty(pattern), scalar);
        let index = b.op(Op::Add, &[all, pattern]);
        indices.insert(a.index, index);
        if window.is_some_and(|(anchor, _)| a.inst != anchor.inst) {
            continue;
        }
        let first = b.op(Op::Add, &[scalar, patterns[&a.pattern].1]);
        let first = b.convert(Op::Sext, Type::I64, first);
        let ptr = b.ptr_add(a.base, first, 4, a.disp);
        pointers.insert(a.inst, ptr);
    }
    // The elements of each pattern are taken out of the window's vectors, and put together again at the end.
    let ends = window.map(|(anchor, window)| {
        let ptr = pointers[&anchor.inst];
        let ends = [ptr, b.ptr_off(ptr, i64::from(anchor.ty.bytes()))];
        let [low, high] = [0, 1].map(|i| match window.read {
            Some(read) => {
                let none = b.bits(anchor.ty, 0);
                load(&mut b, anchor, Op::LoadMasked, &[ends[i], read[i], none])
            }
            None => load(&mut b, anchor, Op::Load, &[ends[i]]),
        });
        for &(_, lanes, held) in &window.places {
            let v = b.emit(Op::Permute, anchor.ty, &[low, high, lanes], Imm::None);
            b.write(held, v);
        }
        ends
    });
    let stores = found.stores(func);
    for &old in &l.blocks {
        let mut b = Builder::new(func, copies.block(old));
        for inst in b.func.blocks[old].insts.clone() {
            let (result, args) = (b.func.insts[inst].result, copies.values(&b.func.insts[inst].args));
            let made = match found.accesses.iter().find(|a| a.inst == inst) {
                Some(a) => match window {
                    Some((_, window)) => in_window(&mut b, a, &args, window),
                    None => in_line(&mut b, a, &args, pointers[&inst]),
                },
                None if let Some(&index) = result.and_then(|v| indices.get(&v)) => Some(index),
                None => copies.inst(&mut b, inst),
            };
            if let Some((old, new)) = result.zip(made) {
                copies.set(old, new);
            }
        }
        if let Some(((anchor, window), ends)) = window.zip(ends).filter(|_| stores && old == l.latches[0]) {
            let [first, second] = [0, window.places.len() - 1].map(|i| b.read(window.places[i].2, anchor.ty));
            for (i, end) in ends.into_iter().enumerate() {
                let v = b.emit(Op::Permute, anchor.ty, &[first, second, window.back[i]], Imm::None);
                match window.read {
                    Some(read) => store(&mut b, anchor, Op::StoreMasked, &[end, v, read[i]]),
                    None => store(&mut b, anchor, Op::Store, &[end, v]),
                }
            }
        }
        let term = copies.term(&func.blocks[old].term);
        Builder::new(func, copies.block(old)).end(term);
    }
    header
}

/// A gather or scatter of elements that follow each other.
fn in_line(b: &mut Builder<'_>, a: &Access, args: &[Value], ptr: Value) -> Option<Value> {
    let full = |func: &Func, mask: Value| func.const_bits(mask) == Some(1);
    match *args {
        [_, _, mask, _] if b.func.insts[a.inst].op == Op::Gather && full(b.func, mask) => {
            Some(load(b, a, Op::Load, &[ptr]))
        }
        [_, _, mask, none] if b.func.insts[a.inst].op == Op::Gather => {
            Some(load(b, a, Op::LoadMasked, &[ptr, mask, none]))
        }
        [_, _, v, mask] => {
            if full(b.func, mask) {
                store(b, a, Op::Store, &[ptr, v]);
            } else if a.blends {
                let old = load(b, a, Op::Load, &[ptr]);
                let v = b.op(Op::Select, &[mask, v, old]);
                store(b, a, Op::Store, &[ptr, v]);
            } else {
                store(b, a, Op::StoreMasked, &[ptr, v, mask]);
            }
            None
        }
        _ => unreachable!("operands of accesses"),
    }
}

/// A gather or scatter in a window.
fn in_window(b: &mut Builder<'_>, a: &Access, args: &[Value], window: &Window) -> Option<Value> {
    let &(_, _, held) = window.places.iter().find(|(pattern, ..)| *pattern == a.pattern).expect("all are there");
    let now = b.read(held, a.ty);
    if b.func.insts[a.inst].op == Op::Gather {
        return Some(b.op(Op::Select, &[args[2], now, args[3]]));
    }
    let new = b.op(Op::Select, &[args[3], args[2], now]);
    b.write(held, new);
    None
}

// ---- instructions

/// Goes to `then` if all lanes of the mask are set; no mask is a full one.
fn end(b: &mut Builder<'_>, mask: Option<Value>, then: Target, els: Target) {
    let term = match mask {
        Some(mask) => Term::Br { cond: b.convert(Op::MaskAll, Type::I1, mask), then, els },
        None => Term::Jump(then),
    };
    b.end(term);
}

/// Loads a vector of elements that are aligned as those of an access are.
fn load(b: &mut Builder<'_>, like: &Access, op: Op, args: &[Value]) -> Value {
    let align = b.func.insts[like.inst].attr.align;
    b.typed(op, like.ty, args, Imm::None, Attr { align, ..Attr::default() })
}

/// Stores such a vector.
fn store(b: &mut Builder<'_>, like: &Access, op: Op, args: &[Value]) {
    let align = b.func.insts[like.inst].attr.align;
    b.push(op, None, args, Imm::None, Attr { align, ..Attr::default() });
}

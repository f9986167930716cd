//! Local memory that lanes access at indices of their own, by loads and stores of whole vectors where that is possible. What
//! decides is the *pattern* of the indices (see `split`), which is known before the loop, so the loop is there three times:
//!
//! ```text
//! all patterns are p, p + 1, p + 2 ..        → every gather is a load, every scatter a store
//! all lie in a window of two vectors         → the window is loaded, its lanes are permuted, and it is stored
//! else                                       → as it was
//! ```
//! Nothing of the window is touched that no lane uses in every turn; on machines without scatters, where a mask would cost too
//! much, lanes use all of it, or things stay as they were. Where something is stored, no two lanes and no two of at
//! most two patterns may share an element (else: as it was), so that each pattern's elements are a vector of their own as
//! long as the turn lasts. Local memory belongs to one thread, so what has not changed may be written back. Lanes that are there
//! access local memory, so their indices are far from where 32 bits wrap: the sum of scalar and pattern is what the address is made of.
//! Takes SSA form in which what does not change in a loop is in front of it. Must not know machines beyond `Config`.

use super::Config;
use super::loops::closed;
use super::split::{Expr, Sums, push};
use crate::ir::cfg::Cfg;
use crate::ir::dom::{Dominators, Loop, Loops};
use crate::ir::{Attr, Block, Func, Imm, Inst, IntPred, Op, Scalar, Slot, SlotId, Target, Term, Type, Value};
use crate::launch::AddrSpace;
use crate::pass::licm::make_preheaders;
use crate::source::Span;
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
    /// What a store under a mask leaves alone is better stored again: it is read in every turn, and there are no masked stores.
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

/// Rewrites the loops for which it may pay; true if there were any.
pub(super) fn run(func: &mut Func, config: Config) -> bool {
    let local = |func: &Func, inst: Inst| {
        let data = &func.insts[inst];
        matches!(data.op, Op::Gather | Op::Scatter) && is_local(func.ty(data.args[0]))
    };
    if !func.live_insts().any(|(_, inst)| local(func, inst)) {
        return false;
    }
    make_preheaders(func);
    let cfg = Cfg::new(func);
    let dom = Dominators::new(&cfg);
    let loops = Loops::new(func, &cfg, &dom);
    let homes = func.homes(&func.layout);
    let mut any = false;
    for (id, l) in loops.loops.iter().enumerate() {
        let is_innermost = !loops.loops.iter().any(|inner| inner.parent == Some(id));
        if !is_innermost || !l.blocks.iter().any(|&b| func.blocks[b].insts.iter().any(|&i| local(func, i))) {
            continue;
        }
        let size: usize = l.blocks.iter().map(|&b| func.blocks[b].insts.len()).sum();
        let Some(before) = closed(func, &cfg, l).filter(|_| size <= MAX_INSTS) else { continue };
        let mut sums = Sums::new(l, before, &homes);
        if let Some(found) = find(func, &dom, l, before, &mut sums, config) {
            rewrite(func, &found, &sums);
            any = true;
        }
    }
    if !any {
        // Blocks that were for nothing.
        crate::pass::cleanup::run(func);
    }
    any
}

fn is_local(ty: Type) -> bool {
    ty == Type::ptr(AddrSpace::Local)
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
    if !config.is_wide() {
        let place = |a: &Access| (a.base, a.disp, a.scalar, a.pattern, a.ty);
        let read: Vec<_> = accesses.iter().filter(|a| a.always).map(place).collect();
        accesses.iter_mut().for_each(|a| a.blends = read.contains(&place(a)));
    }
    let native = accesses.iter().all(|a| a.ty.bytes() == u32::from(config.register_bytes));
    let whole = !config.has_scatter();
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
    let Imm::Scale { scale, mut disp } = data.imm else { return None };
    let (ty, mask) = match data.op {
        Op::Gather => (func.ty(data.result?), data.args[2]),
        _ => (func.ty(data.args[2]), data.args[3]),
    };
    let mut index = data.args[1];
    let mut base = data.args[0];
    while let Some(d) = func.def_inst(base)
        && let (Op::PtrOff, Imm::Disp(more)) = (d.op, &d.imm)
    {
        (base, disp) = (d.args[0], disp.checked_add(*more)?);
    }
    // Unsigned indices count from the middle, and the displacement makes up for it: see `memory`. Without that, it is the program
    // that flips the bit.
    let middle = i64::from(scale) << 31;
    if disp > middle / 2
        && let Some(d) = func.def_inst(index).filter(|d| d.op == Op::Xor && func.const_bits(d.args[1]) == Some(1 << 31))
    {
        (index, disp) = (d.args[0], disp - middle);
    }
    let sum = sums.of(func, index)?;
    let whole = ty.elem.bytes() == 4 && scale == 4 && sums.is_outside(base);
    let always = func.const_bits(mask) == Some(1);
    let (scalar, pattern) = (sum.scalar, sum.pattern);
    whole.then_some(Access { inst, base, disp, index, scalar, pattern, ty, always, blends: false })
}

/// A pattern in front of the loop, and its first lane.
type Pattern = (Value, Value);

/// What the copy for windows knows.
struct Window {
    /// By pattern: where in the window each lane's element is, and the elements themselves, while a turn lasts.
    places: Vec<(Option<Expr>, Value, SlotId)>,
    /// For each element of the window's two vectors: the lane of the first pattern or, behind those, of the second that has it.
    back: [Value; 2],
    /// Elements that some lane has, by vector; none if that is all.
    read: Option<[Value; 2]>,
}

fn rewrite(func: &mut Func, found: &Found, sums: &Sums) {
    let at = found.before;
    let Term::Jump(entry) = func.blocks[at].term.clone() else { unreachable!("found so") };
    let ints = found.accesses[0].ty.with_elem(Scalar::I32);
    let iota = push(func, at, Op::Iota, ints, &[], Imm::None);
    let mut patterns: FxHashMap<Option<Expr>, Pattern> = FxHashMap::default();
    let mut follow = None;
    for a in &found.accesses {
        if patterns.contains_key(&a.pattern) {
            continue;
        }
        let pattern = sums.emit(func, at, ints, a.pattern, &mut FxHashMap::default());
        let first = push(func, at, Op::Extract, Type::I32, &[pattern], Imm::Lane(0));
        patterns.insert(a.pattern, (pattern, first));
        let all = push(func, at, Op::Splat, ints, &[first], Imm::None);
        let line = push(func, at, Op::Add, ints, &[all, iota], Imm::None);
        let mask = compare(func, at, IntPred::Eq, pattern, line);
        follow = join(func, at, Op::And, follow, mask);
    }
    let lines = Target { block: copy(func, found, sums, &patterns, None), args: entry.args.clone() };
    let Some(anchor) = found.anchor.map(|i| &found.accesses[i]) else {
        return end(func, at, follow, lines, entry);
    };
    let [near, ready] = [(); 2].map(|()| add_block(func, found.l.header));
    end(func, at, follow, lines, Target::plain(near));
    // Whether all lie in a window that begins with the anchor's first lane.
    let shift = push(func, near, Op::Splat, ints, &[patterns[&anchor.pattern].1], Imm::None);
    let reach = push(func, near, Op::Const, ints, &[], Imm::Bits(2 * u64::from(ints.lanes)));
    let mut order: Vec<(Option<Expr>, Value)> = patterns.iter().map(|(&expr, &(v, _))| (expr, v)).collect();
    order.sort_unstable();
    let mut fit = None;
    for (_, v) in &mut order {
        *v = push(func, near, Op::Sub, ints, &[*v, shift], Imm::None);
        let mask = compare(func, near, IntPred::ULt, *v, reach);
        fit = join(func, near, Op::And, fit, mask);
    }
    end(func, near, fit, Target::plain(ready), entry.clone());
    let (window, alone) = open_window(func, ready, anchor, &order, found);
    let windows = copy(func, found, sums, &patterns, Some((anchor, &window)));
    let windows = Target { block: windows, args: entry.args.clone() };
    func.blocks[ready].term = match alone {
        Some(cond) => Term::Br { cond, then: windows, els: entry },
        None => Term::Jump(windows),
    };
}

/// Finds out which lane has which element of the window, and, if that matters, whether no two lanes have one. If a window must be
/// used whole, there are as many elements as lanes: it is, just then.
fn open_window(
    func: &mut Func,
    at: Block,
    anchor: &Access,
    order: &[(Option<Expr>, Value)],
    found: &Found,
) -> (Window, Option<Value>) {
    let ints = anchor.ty.with_elem(Scalar::I32);
    let n = u64::from(ints.lanes);
    let all = push(func, at, Op::Const, ints.with_elem(Scalar::I1), &[], Imm::Bits(1));
    let nobody = push(func, at, Op::Const, ints, &[], Imm::Bits(2 * n));
    let imm = Imm::Scale { scale: 4, disp: 0 };
    let table = slot(func, 2 * u64::from(ints.bytes()));
    let table = push(func, at, Op::SlotAddr, Type::ptr(AddrSpace::Private), &[], Imm::Slot(table));
    let halves = [table, offset(func, at, table, ints.bytes())];
    halves.iter().for_each(|&half| effect(func, at, Op::Store, &[half, nobody], Imm::None));
    let mut lane = push(func, at, Op::Iota, ints, &[], Imm::None);
    for &(_, lanes) in order {
        effect(func, at, Op::Scatter, &[table, lanes, lane, all], imm.clone());
        let n = push(func, at, Op::Const, ints, &[], Imm::Bits(n));
        lane = push(func, at, Op::Xor, ints, &[lane, n], Imm::None);
    }
    let back = halves.map(|half| push(func, at, Op::Load, ints, &[half], Imm::None));
    let read = back.map(|back| compare(func, at, IntPred::ULt, back, nobody));
    // As many elements as lanes: no two lanes have one.
    let alone = (found.whole || found.stores(func)).then(|| {
        let [low, high] = read.map(|mask| {
            let bits = push(func, at, Op::MaskBits, Type::I64, &[mask], Imm::None);
            push(func, at, Op::Popcnt, Type::I64, &[bits], Imm::None)
        });
        let elements = push(func, at, Op::Add, Type::I64, &[low, high], Imm::None);
        let lanes = push(func, at, Op::Const, Type::I64, &[], Imm::Bits(n * order.len() as u64));
        compare(func, at, IntPred::Eq, elements, lanes)
    });
    let held = |&(expr, lanes): &(Option<Expr>, Value)| (expr, lanes, slot(func, u64::from(anchor.ty.bytes())));
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
    let mut blocks: FxHashMap<Block, Block> = FxHashMap::default();
    let mut values: FxHashMap<Value, Value> = FxHashMap::default();
    for &old in &l.blocks {
        let new = add_block(func, l.header);
        blocks.insert(old, new);
        for param in func.blocks[old].params.clone() {
            let ty = func.ty(param);
            values.insert(param, func.add_param(new, ty));
        }
    }
    let header = blocks[&l.header];
    let mut pointers: FxHashMap<Inst, Value> = FxHashMap::default();
    // Where the program asks for indices, too, these have the shorter form.
    let mut indices: FxHashMap<Value, Value> = FxHashMap::default();
    for a in &found.accesses {
        let scalar = sums.emit(func, header, Type::I32, a.scalar, &mut values);
        let (pattern, _) = patterns[&a.pattern];
        let all = push(func, header, Op::Splat, func.ty(pattern), &[scalar], Imm::None);
        let index = push(func, header, Op::Add, func.ty(pattern), &[all, pattern], Imm::None);
        indices.insert(a.index, index);
        if window.is_some_and(|(anchor, _)| a.inst != anchor.inst) {
            continue;
        }
        let first = push(func, header, Op::Add, Type::I32, &[scalar, patterns[&a.pattern].1], Imm::None);
        let first = push(func, header, Op::Sext, Type::I64, &[first], Imm::None);
        let imm = Imm::Scale { scale: 4, disp: a.disp };
        let ptr = push(func, header, Op::PtrAdd, func.ty(a.base), &[a.base, first], imm);
        pointers.insert(a.inst, ptr);
    }
    // The elements of each pattern are taken out of the window's vectors, and put together again at the end.
    let ends = window.map(|(anchor, window)| {
        let ptr = pointers[&anchor.inst];
        let ends = [ptr, offset(func, header, ptr, anchor.ty.bytes())];
        let [low, high] = [0, 1].map(|i| match window.read {
            Some(read) => {
                let none = push(func, header, Op::Const, anchor.ty, &[], Imm::Bits(0));
                load(func, header, anchor, Op::LoadMasked, &[ends[i], read[i], none])
            }
            None => load(func, header, anchor, Op::Load, &[ends[i]]),
        });
        for &(_, lanes, held) in &window.places {
            let v = push(func, header, Op::Permute, anchor.ty, &[low, high, lanes], Imm::None);
            write(func, header, held, v);
        }
        ends
    });
    let stores = found.stores(func);
    for &old in &l.blocks {
        let new = blocks[&old];
        for inst in func.blocks[old].insts.clone() {
            let mut data = func.insts[inst].clone();
            data.args.iter_mut().for_each(|v| *v = values.get(v).copied().unwrap_or(*v));
            let made = match found.accesses.iter().find(|a| a.inst == inst) {
                Some(a) => match window {
                    Some((_, window)) => in_window(func, new, a, &data.args, window),
                    None => in_line(func, new, a, &data.args, pointers[&inst]),
                },
                None if let Some(&index) = data.result.and_then(|v| indices.get(&v)) => Some(index),
                None => {
                    let ty = data.result.map(|v| func.ty(v));
                    let made = func.make_inst(data.op, ty, &data.args, data.imm, data.attr, data.span);
                    func.blocks[new].insts.push(made);
                    func.insts[made].result
                }
            };
            values.extend(data.result.zip(made));
        }
        if let Some(((anchor, window), ends)) = window.zip(ends).filter(|_| stores && old == l.latches[0]) {
            let [first, second] = [0, window.places.len() - 1].map(|i| read(func, new, anchor.ty, window.places[i].2));
            for (i, end) in ends.into_iter().enumerate() {
                let v = push(func, new, Op::Permute, anchor.ty, &[first, second, window.back[i]], Imm::None);
                match window.read {
                    Some(read) => store(func, new, anchor, Op::StoreMasked, &[end, v, read[i]]),
                    None => store(func, new, anchor, Op::Store, &[end, v]),
                }
            }
        }
        let mut term = func.blocks[old].term.clone();
        term.map_values(|v| values.get(&v).copied().unwrap_or(v));
        for target in term.targets_mut() {
            target.block = blocks.get(&target.block).copied().unwrap_or(target.block);
        }
        func.blocks[new].term = term;
    }
    header
}

/// A gather or scatter of elements that follow each other.
fn in_line(func: &mut Func, at: Block, a: &Access, args: &[Value], ptr: Value) -> Option<Value> {
    let full = |func: &Func, mask: Value| func.const_bits(mask) == Some(1);
    match *args {
        [_, _, mask, _] if func.insts[a.inst].op == Op::Gather && full(func, mask) => {
            Some(load(func, at, a, Op::Load, &[ptr]))
        }
        [_, _, mask, none] if func.insts[a.inst].op == Op::Gather => {
            Some(load(func, at, a, Op::LoadMasked, &[ptr, mask, none]))
        }
        [_, _, v, mask] => {
            if full(func, mask) {
                store(func, at, a, Op::Store, &[ptr, v]);
            } else if a.blends {
                let old = load(func, at, a, Op::Load, &[ptr]);
                let v = push(func, at, Op::Select, a.ty, &[mask, v, old], Imm::None);
                store(func, at, a, Op::Store, &[ptr, v]);
            } else {
                store(func, at, a, Op::StoreMasked, &[ptr, v, mask]);
            }
            None
        }
        _ => unreachable!("operands of accesses"),
    }
}

/// A gather or scatter in a window.
fn in_window(func: &mut Func, at: Block, a: &Access, args: &[Value], window: &Window) -> Option<Value> {
    let &(_, _, held) = window.places.iter().find(|(pattern, ..)| *pattern == a.pattern).expect("all are there");
    let now = read(func, at, a.ty, held);
    if func.insts[a.inst].op == Op::Gather {
        return Some(push(func, at, Op::Select, a.ty, &[args[2], now, args[3]], Imm::None));
    }
    let new = push(func, at, Op::Select, a.ty, &[args[3], args[2], now], Imm::None);
    write(func, at, held, new);
    None
}

// ---- instructions

/// A block in front of another.
fn add_block(func: &mut Func, behind: Block) -> Block {
    let new = func.add_block();
    let place = func.layout.iter().position(|&b| b == behind).expect("in the layout");
    func.layout.insert(place, new);
    new
}

/// Goes to `then` if all lanes of the mask are set; no mask is a full one.
fn end(func: &mut Func, at: Block, mask: Option<Value>, then: Target, els: Target) {
    func.blocks[at].term = match mask {
        Some(mask) => Term::Br { cond: push(func, at, Op::MaskAll, Type::I1, &[mask], Imm::None), then, els },
        None => Term::Jump(then),
    };
}

fn compare(func: &mut Func, at: Block, pred: IntPred, a: Value, b: Value) -> Value {
    let ty = func.ty(a).with_elem(Scalar::I1);
    push(func, at, Op::Icmp, ty, &[a, b], Imm::IntPred(pred))
}

fn join(func: &mut Func, at: Block, op: Op, old: Option<Value>, mask: Value) -> Option<Value> {
    let ty = func.ty(mask);
    Some(old.map_or(mask, |old| push(func, at, op, ty, &[old, mask], Imm::None)))
}

fn offset(func: &mut Func, at: Block, ptr: Value, bytes: u32) -> Value {
    let ty = func.ty(ptr);
    push(func, at, Op::PtrOff, ty, &[ptr], Imm::Disp(i64::from(bytes)))
}

fn slot(func: &mut Func, size: u64) -> SlotId {
    func.slots.push(Slot { size, align: size.min(64) as u32, name: String::new() })
}

fn read(func: &mut Func, at: Block, ty: Type, slot: SlotId) -> Value {
    let ptr = push(func, at, Op::SlotAddr, Type::ptr(AddrSpace::Private), &[], Imm::Slot(slot));
    push(func, at, Op::Load, ty, &[ptr], Imm::None)
}

fn write(func: &mut Func, at: Block, slot: SlotId, v: Value) {
    let ptr = push(func, at, Op::SlotAddr, Type::ptr(AddrSpace::Private), &[], Imm::Slot(slot));
    effect(func, at, Op::Store, &[ptr, v], Imm::None);
}

/// Loads a vector of elements that are aligned as those of an access are.
fn load(func: &mut Func, at: Block, like: &Access, op: Op, args: &[Value]) -> Value {
    let v = push(func, at, op, like.ty, args, Imm::None);
    align(func, at, like);
    v
}

/// Stores such a vector.
fn store(func: &mut Func, at: Block, like: &Access, op: Op, args: &[Value]) {
    effect(func, at, op, args, Imm::None);
    align(func, at, like);
}

/// Gives the last instruction of a block an access' alignment.
fn align(func: &mut Func, at: Block, like: &Access) {
    let last = *func.blocks[at].insts.last().expect("one was made");
    func.insts[last].attr.align = func.insts[like.inst].attr.align;
}

fn effect(func: &mut Func, at: Block, op: Op, args: &[Value], imm: Imm) {
    let inst = func.make_inst(op, None, args, imm, Attr::default(), Span::DUMMY);
    func.blocks[at].insts.push(inst);
}

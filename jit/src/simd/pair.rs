//! Gathers and scatters of neighbours: two accesses of a block whose lanes differ in the displacement only, by the size of an
//! element, become one of elements twice as large. That is every vector of the program's whose places are not regular, the
//! members of a record, and the channels of a pixel; up to 64 bits, by 8, 16 and 32 bits in turn. `interleave` has
//! taken regular places at small distances before.
//!
//! ```text
//! a = gather f32 p, i, m + 0 ; .. ; b = gather f32 p, i, m + 4   →   ab = gather i64 p, i, m + 0 ; a = low ab ; b = high ab
//! ```
//! Loads move up to the earlier one and stores down to the later one, if what is in between leaves them alone. An access at
//! another displacement of the same places does: within a lane it is other memory, and another lane's would be a race. Takes
//! SSA form in lanes.

use crate::ir::op::Flags;
use crate::ir::{Attr, Block, Func, Imm, Inst, InstData, Op, Scalar, Type, Value};
use crate::pass::alias::{Alias, Class};
use crate::pass::forward::Forward;
use smallvec::SmallVec;

/// Pairs what can be; true if there was anything.
pub(super) fn run(func: &mut Func) -> bool {
    let accesses = |func: &Func, i: Inst| matches!(func.insts[i].op, Op::Gather | Op::Scatter);
    if func.live_insts().filter(|&(_, i)| accesses(func, i)).nth(1).is_none() {
        return false;
    }
    let mut any = false;
    for size in [1, 2, 4] {
        let alias = Alias::new(func);
        let mut forward = Forward::new(func);
        for block in func.layout.clone() {
            let pairs = find(func, &alias, block, size);
            any |= !pairs.is_empty();
            join(func, &mut forward, block, &pairs);
        }
        forward.apply(func);
    }
    if any {
        crate::pass::dce::run(func);
    }
    any
}

/// Elements that are taken out of larger ones and extended to that size again stay where they are:
///
/// ```text
/// b = trunc i8 w ; e = zext i32 b ; f = uitofp f32 b   →   e = and w, 255 ; f = sitofp f32 e
/// ```
pub(super) fn keep_extended(func: &mut Func) {
    let mut any = false;
    for block in func.layout.clone() {
        let insts = std::mem::take(&mut func.blocks[block].insts);
        for inst in insts {
            if let Some(before) = extended(func, inst) {
                any = true;
                func.blocks[block].insts.extend(before);
            }
            func.blocks[block].insts.push(inst);
        }
    }
    if any {
        crate::pass::dce::run(func);
    }
}

/// Changes an extension of what was narrowed before; what comes in front of it.
fn extended(func: &mut Func, inst: Inst) -> Option<SmallVec<[Inst; 2]>> {
    let InstData { op, span, result, .. } = func.insts[inst];
    let (Op::Zext | Op::Uitofp, result) = (op, result?) else { return None };
    let narrow = func.insts[inst].args[0];
    let word = func.def_inst(narrow).filter(|data| data.op == Op::Trunci)?.args[0];
    let (ty, bits) = (func.ty(word), func.ty(narrow).elem.bits());
    if !ty.is_vector() || func.ty(result).elem.bits() != ty.elem.bits() || func.ty(result).elem == Scalar::F16 {
        return None;
    }
    let attr = Attr::default();
    let ones = func.make_inst(Op::Const, Some(ty), &[], Imm::Bits((1 << bits) - 1), attr, span);
    let mask = func.insts[ones].result?;
    if op == Op::Zext {
        let data = &mut func.insts[inst];
        (data.op, data.args) = (Op::And, [word, mask].into_iter().collect());
        return Some([ones].into_iter().collect());
    }
    let kept = func.make_inst(Op::And, Some(ty), &[word, mask], Imm::None, attr, span);
    let kept_bits = func.insts[kept].result?;
    let data = &mut func.insts[inst];
    (data.op, data.args) = (Op::Sitofp, [kept_bits].into_iter().collect());
    Some([ones, kept].into_iter().collect())
}

/// What the lanes of a gather or scatter access: `root + index * scale + disp`.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Place {
    pub root: Value,
    pub index: Value,
    pub scale: u32,
    pub disp: i64,
}

impl Place {
    pub fn of(func: &Func, data: &InstData) -> Option<Self> {
        let (Op::Gather | Op::Scatter, &Imm::Scale { scale, disp }) = (data.op, &data.imm) else { return None };
        let (mut root, mut disp) = (data.args[0], disp);
        while let Some(InstData { op: Op::PtrOff, imm: Imm::Disp(more), args, .. }) = func.def_inst(root) {
            disp = disp.wrapping_add(*more);
            root = args[0];
        }
        Some(Self { root, index: data.args[1], scale, disp })
    }
    /// How far `other` is behind this place, if they differ in nothing else.
    pub fn distance(self, other: Self) -> Option<i64> {
        (Self { disp: self.disp, ..other } == self).then(|| other.disp.wrapping_sub(self.disp))
    }
}

/// An access that waits for its neighbour.
struct Open {
    inst: Inst,
    place: Place,
    /// The class of memory; none if nothing changes it.
    class: Option<Class>,
    /// Whether the neighbour may be in front, and behind.
    sides: [bool; 2],
}

/// Two accesses, the one with the lower address first; `at`: where in the block the joint one takes place.
struct Pair {
    low: Inst,
    high: Inst,
    at: Inst,
}

/// Most accesses that wait.
const MOST: usize = 64;

/// The type and mask of a gather or scatter of whole elements of `size` bytes.
pub(super) fn elements(func: &Func, data: &InstData, size: u32) -> Option<(Type, Value)> {
    let (ty, mask) = match data.op {
        Op::Gather => {
            if func.const_bits(data.args[3]) != Some(0) {
                return None;
            }
            (func.ty(data.result?), data.args[2])
        }
        Op::Scatter => (func.ty(data.args[2]), data.args[3]),
        _ => return None,
    };
    let plain = !ty.is_ptr() && ty.elem != Scalar::I1 && ty.elem.bytes() == size;
    let whole = !data.attr.flags.intersects(Flags::VOLATILE | Flags::THREE);
    (plain && ty.lanes <= 32 && whole).then_some((ty, mask))
}

/// The accesses of a block that can be one.
fn find(func: &Func, alias: &Alias, block: Block, size: u32) -> Vec<Pair> {
    let mut open: Vec<Open> = Vec::new();
    let mut found = Vec::new();
    for &inst in &func.blocks[block].insts {
        let data = &func.insts[inst];
        if data.op.is_pure() {
            continue;
        }
        let place = Place::of(func, data);
        let fits = place.zip(elements(func, data, size));
        let next =
            fits.and_then(|(place, (_, mask))| open.iter().position(|o| is_next(func, o, data, place, mask, size)));
        let other = next.map(|at| open.remove(at));
        close(func, alias, &mut open, data, size);
        let Some((place, _)) = fits else { continue };
        if let Some(other) = other {
            // A store that moves down passes what is open, too.
            close(func, alias, &mut open, &func.insts[other.inst], size);
            let behind = other.place.distance(place) == Some(i64::from(size));
            let (low, high) = if behind { (other.inst, inst) } else { (inst, other.inst) };
            found.push(Pair { low, high, at: if data.op == Op::Gather { other.inst } else { inst } });
            continue;
        }
        let class = alias.load_class(func, data);
        if open.len() == MOST {
            open.remove(0);
        }
        open.push(Open { inst, place, class, sides: [true; 2] });
    }
    found
}

/// True if an access, at this place and under this mask, and an open one can be one.
fn is_next(func: &Func, open: &Open, data: &InstData, place: Place, mask: Value, size: u32) -> bool {
    let other = &func.insts[open.inst];
    let Some((step, (_, other_mask))) = open.place.distance(place).zip(elements(func, other, size)) else {
        return false;
    };
    let same = mask == other_mask || both(func, mask, other_mask);
    let fits = other.op == data.op && other.attr.flags == data.attr.flags && same;
    fits && step.abs() == i64::from(size) && open.sides[usize::from(step > 0)]
}

/// Sees to it that no open access moves past an instruction that it must not pass.
fn close(func: &Func, alias: &Alias, open: &mut Vec<Open>, data: &InstData, size: u32) {
    let place = Place::of(func, data);
    open.retain_mut(|o| {
        let loads = func.insts[o.inst].op == Op::Gather;
        if !conflicts(func, alias, o.class, data, loads) {
            return true;
        }
        let Some(step) = place.and_then(|place| o.place.distance(place)) else { return false };
        let bytes = i64::from(accessed(func, data));
        let size = i64::from(size);
        let meets = |from: i64| step < from + size && from < step + bytes;
        if loads {
            o.sides[0] &= !meets(-size);
            o.sides[1] &= !meets(size);
            o.sides.contains(&true)
        } else {
            !meets(0)
        }
    });
}

/// True if both masks are constant and equal.
pub(super) fn both(func: &Func, a: Value, b: Value) -> bool {
    func.const_bits(a).is_some() && func.const_bits(a) == func.const_bits(b)
}

/// Bytes of an element of a gather or scatter.
pub(super) fn accessed(func: &Func, data: &InstData) -> u32 {
    match data.op {
        Op::Gather => data.result.map_or(0, |v| func.ty(v).elem.bytes()),
        _ => func.ty(data.args[2]).elem.bytes(),
    }
}

/// True if an instruction that is not pure may change what loads of a class of memory read, or read or change what stores to it
/// write.
pub(super) fn conflicts(func: &Func, alias: &Alias, class: Option<Class>, data: &InstData, loads: bool) -> bool {
    match data.op {
        Op::Load | Op::LoadMasked | Op::Gather => {
            let near = class.map_or(0, |class| alias.overlaps(class));
            !loads && alias.load_class(func, data).is_some_and(|class| near >> class.index() & 1 != 0)
        }
        Op::Store | Op::StoreMasked | Op::Scatter => {
            class.is_some_and(|class| alias.writes(func, data) >> class.index() & 1 != 0)
        }
        _ => true,
    }
}

/// Makes one access of each two.
fn join(func: &mut Func, forward: &mut Forward, block: Block, pairs: &[Pair]) {
    for pair in pairs {
        let made = access(func, forward, pair);
        let insts = &mut func.blocks[block].insts;
        let at = insts.iter().position(|&i| i == pair.at).expect("in the block");
        insts.splice(at..=at, made);
        insts.retain(|&i| i != pair.low && i != pair.high);
    }
}

/// The instructions that do what a pair does.
fn access(func: &mut Func, forward: &mut Forward, pair: &Pair) -> Vec<Inst> {
    let [low, high] = [pair.low, pair.high].map(|inst| func.insts[inst].clone());
    let Place { root, index, scale, disp } = Place::of(func, &low).expect("it was found so");
    let (attr, imm) = (Attr { align: 1, ..low.attr }, Imm::Scale { scale, disp });
    let first = &func.insts[pair.at];
    let mask = first.args[if first.op == Op::Gather { 2 } else { 3 }];
    let mut out = Out { span: first.span, func, made: Vec::new() };
    let (Some(low_result), Some(high_result)) = (low.result, high.result) else {
        let [a, b] = [&low, &high].map(|data| out.int(data.args[2]));
        let both = out.together(a, b);
        out.attr(Op::Scatter, None, &[root, index, both, mask], imm, attr);
        return out.made;
    };
    let ty = out.func.ty(low_result);
    let wide = ty.with_elem(twice(ty));
    let zero = out.make(Op::Const, wide, &[], Imm::Bits(0));
    let both = out.attr(Op::Gather, Some(wide), &[root, index, mask, zero], imm, attr);
    let parts = out.apart(both.expect("a type was given"), ty);
    for (old, part) in [low_result, high_result].into_iter().zip(parts) {
        let ty = out.func.ty(old);
        let part = if out.func.ty(part) == ty { part } else { out.make(Op::Bitcast, ty, &[part], Imm::None) };
        forward.set(old, part);
    }
    out.made
}

/// The integer of twice a type's size.
fn twice(ty: Type) -> Scalar {
    match ty.elem.bytes() {
        1 => Scalar::I16,
        2 => Scalar::I32,
        _ => Scalar::I64,
    }
}

/// The instructions that take the place of a pair.
struct Out<'f> {
    func: &'f mut Func,
    made: Vec<Inst>,
    span: crate::source::Span,
}

impl Out<'_> {
    fn attr(&mut self, op: Op, ty: Option<Type>, args: &[Value], imm: Imm, attr: Attr) -> Option<Value> {
        let inst = self.func.make_inst(op, ty, args, imm, attr, self.span);
        self.made.push(inst);
        self.func.insts[inst].result
    }
    fn make(&mut self, op: Op, ty: Type, args: &[Value], imm: Imm) -> Value {
        self.attr(op, Some(ty), args, imm, Attr::default()).expect("a type was given")
    }
    /// A vector's bits as integers.
    fn int(&mut self, v: Value) -> Value {
        let ty = self.func.ty(v);
        let elem = match ty.elem.bytes() {
            1 => Scalar::I8,
            2 => Scalar::I16,
            _ => Scalar::I32,
        };
        if ty.elem == elem { v } else { self.make(Op::Bitcast, ty.with_elem(elem), &[v], Imm::None) }
    }
    /// Lower and upper halves of integers, as integers half as large as a vector of `ty` has them.
    fn apart(&mut self, both: Value, ty: Type) -> [Value; 2] {
        let (wide, n) = (self.func.ty(both), ty.lanes);
        if wide.elem == Scalar::I64 {
            let halves = self.make(Op::Bitcast, Type::I32.with_lanes(2 * n), &[both], Imm::None);
            let pick = |from: u8| Imm::Lanes((0..n).map(|lane| 2 * lane + from).collect());
            return [0, 1].map(|from| self.make(Op::Shuffle, Type::I32.with_lanes(n), &[halves, halves], pick(from)));
        }
        let narrow = wide.with_elem(if wide.elem == Scalar::I32 { Scalar::I16 } else { Scalar::I8 });
        let by = self.make(Op::Const, wide, &[], Imm::Bits(u64::from(narrow.elem.bits())));
        let upper = self.make(Op::Lshr, wide, &[both, by], Imm::None);
        [both, upper].map(|v| self.make(Op::Trunci, narrow, &[v], Imm::None))
    }
    /// The inverse of `apart`.
    fn together(&mut self, low: Value, high: Value) -> Value {
        let ty = self.func.ty(low);
        let (wide, n) = (ty.with_elem(twice(ty)), ty.lanes);
        if wide.elem == Scalar::I64 {
            let lanes = Imm::Lanes((0..2 * n).map(|i| i / 2 + (i % 2) * n).collect());
            let woven = self.make(Op::Shuffle, Type::I32.with_lanes(2 * n), &[low, high], lanes);
            return self.make(Op::Bitcast, wide, &[woven], Imm::None);
        }
        let [low, high] = [low, high].map(|v| self.make(Op::Zext, wide, &[v], Imm::None));
        let by = self.make(Op::Const, wide, &[], Imm::Bits(u64::from(ty.elem.bits())));
        let high = self.make(Op::Shl, wide, &[high, by], Imm::None);
        self.make(Op::Or, wide, &[low, high], Imm::None)
    }
}

//! Interleaved access groups: gathers and scatters whose lanes lie a small constant number of elements apart, such as the
//! channels of pixels, the members of small records, every second column and rows that run backwards. Members of a group differ
//! in the displacement only. Loads of what all of them touch, and everything in between, then shuffles that pick each member's
//! lanes (de-interleave), take the place of gathers; shuffles and whole stores take that of scatters.
//!
//! ```text
//! b = gather i8 p, 3 * lane + 0                      v = load i8x32 p ; w = load i8x32 p + 16
//! g = gather i8 p, 3 * lane + 1            →         b = shuffle v, w [0 3 6 ..] ; g = shuffle v, w [1 4 7 ..] ; ..
//! r = gather i8 p, 3 * lane + 2
//! ```
//! Loads touch nothing in front of the first element that a lane accesses, or behind the last one: the second load ends there,
//! over what the first has loaded already. Stores write no byte that no lane writes: where members are missing, or under masks, they
//! are masked. Loads move up to the group's first one and stores down to its last one, if what is in between leaves them alone, as in
//! `pair`. Takes SSA form in lanes.

use super::Config;
use super::loops::ItemLoop;
use super::pair::{Place, accessed, both, conflicts, elements};
use super::shape::{Facts, Shape, Shapes};
use crate::ir::op::Flags;
use crate::ir::{Attr, Block, Func, Imm, Inst, InstData, IntPred, Op, Scalar, Type, Value};
use crate::pass::alias::{Alias, Class};
use crate::pass::forward::Forward;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Most elements from lane to lane, and where they are loaded and `FEW` of them or more are members.
const MOST: u64 = 4;
const MOST_LOADED: u64 = 8;
const FEW: u64 = 3;
/// Most groups of a block that wait for members.
const WAITING: usize = 64;
/// Lanes of the widest vector.
const WIDEST: usize = 64;

/// Rewrites the groups; true if there were any.
pub(super) fn run(func: &mut Func, config: Config) -> bool {
    if !func.live_insts().any(|(_, i)| matches!(func.insts[i].op, Op::Gather | Op::Scatter)) {
        return false;
    }
    let alias = Alias::new(func);
    let mut forward = Forward::new(func);
    let mut any = false;
    for block in func.layout.clone() {
        let mut groups = find(func, &alias, block);
        groups.retain(|group| takes_masks(config) || group.needs_no_mask(func));
        groups.retain(|group| group.is_near() || takes_masks(config) && group.members.len() as u64 >= FEW);
        any |= !groups.is_empty();
        rewrite(func, &mut forward, block, &groups);
    }
    forward.apply(func);
    any
}

/// The strided accesses of a loop before it is in lanes, for estimates and remarks.
#[derive(Default)]
pub(super) struct Strided {
    /// Elements of one work-item by block, whether they are loaded, and bytes from lane to lane.
    members: FxHashMap<(Block, bool, i64), u64>,
}

/// What a strided access will be a member of.
#[derive(Clone, Copy)]
pub(super) struct Estimate {
    /// Elements from lane to lane.
    pub step: u64,
    /// Elements of one work-item that are accessed, at most as many.
    pub members: u64,
    /// No masks are needed but those of the lanes.
    pub whole: bool,
}

impl Strided {
    pub(super) fn find(func: &Func, items: &ItemLoop, facts: &Facts, shapes: &Shapes) -> Self {
        let mut this = Self::default();
        for (block, inst) in items.blocks.iter().flat_map(|&b| func.blocks[b].insts.iter().map(move |&i| (b, i))) {
            let data = &func.insts[inst];
            let (Op::Load | Op::Store) = data.op else { continue };
            let ty = func.ty(data.result.unwrap_or_else(|| data.args[1]));
            if let Shape::Affine(stride) = shapes.at(facts, data.args[0], block) {
                *this.members.entry((block, data.op == Op::Load, stride)).or_default() += u64::from(ty.lanes);
            }
        }
        this
    }

    /// The group of an access to elements of `size` bytes, if it will be in one. `sparse`: groups may leave most of
    /// what lies between the lanes' elements out.
    pub(super) fn group(
        &self,
        (block, loads): (Block, bool),
        (stride, size): (i64, i64),
        width: u8,
        sparse: bool,
    ) -> Option<Estimate> {
        let step = in_elements(stride, size, loads, width.into())?.unsigned_abs();
        let members = self.members.get(&(block, loads, stride)).copied().unwrap_or(1).min(step);
        let near = step <= MOST || sparse && members >= FEW;
        near.then_some(Estimate { step, members, whole: loads || members == step })
    }
}

/// True if groups may need masked accesses: if these are instructions for all elements, or for tests.
pub(super) fn takes_masks(config: Config) -> bool {
    config.always || config.has_scatter()
}

/// An access, and how many bytes behind the group's first one.
#[derive(Clone, Copy)]
struct Member {
    inst: Inst,
    at: i64,
}

/// Accesses of a block that are one.
struct Group {
    loads: bool,
    /// The first member's.
    place: Place,
    /// Elements from lane to lane, and bytes of one.
    stride: i64,
    size: u32,
    lanes: usize,
    mask: Value,
    flags: Flags,
    /// In the order of the block.
    members: SmallVec<[Member; 4]>,
    /// The class of memory; none if nothing changes it.
    class: Option<Class>,
    /// Bytes that are written behind the first of the loads, as displacements from its place.
    written: Vec<(i64, i64)>,
    /// Others may join.
    open: bool,
}

/// Bytes from lane to lane of a gather or scatter.
fn stride(func: &Func, place: Place) -> Option<i64> {
    step(func, place.index, 4)?.checked_mul(i64::from(place.scale))
}

/// What the lanes of a constant vector grow by from 0, in the forms that simplification leaves of a product with
/// `Iota`.
fn step(func: &Func, v: Value, depth: u32) -> Option<i64> {
    let data = func.def_inst(v).filter(|_| depth > 0)?;
    let of = |i: usize| step(func, data.args[i], depth - 1);
    let bits = |i: usize| {
        let bits = func.const_bits(data.args[i])?;
        Some(if func.ty(v).elem == Scalar::I32 { i64::from(bits as i32) } else { bits as i64 })
    };
    match data.op {
        Op::Iota => Some(1),
        Op::Mul => of(0)?.checked_mul(bits(1)?),
        Op::Shl => of(0)?.checked_mul(1 << bits(1).filter(|by| (0..8).contains(by))?),
        Op::Neg => of(0)?.checked_neg(),
        Op::Sub if bits(0) == Some(0) => of(1)?.checked_neg(),
        _ => None,
    }
}

/// A distance in bytes from lane to lane as a small number of elements.
fn in_elements(bytes: i64, size: i64, loads: bool, lanes: usize) -> Option<i64> {
    let elements = bytes / size;
    let (step, most) = (elements.unsigned_abs(), if loads { MOST_LOADED } else { MOST });
    // Two vectors are all that is loaded.
    let fits = step <= MOST || step * lanes as u64 <= 2 * WIDEST as u64;
    (bytes % size == 0 && (1..=most).contains(&step) && fits).then_some(elements)
}

/// The groups of a block.
fn find(func: &Func, alias: &Alias, block: Block) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for &inst in &func.blocks[block].insts {
        let data = &func.insts[inst];
        if data.op.is_pure() {
            continue;
        }
        let made = Group::of(func, alias, inst);
        let joins = made.as_ref().and_then(|made| open.iter().copied().find(|&at| groups[at].takes(func, made)));
        for &at in open.iter().filter(|&&at| Some(at) != joins) {
            groups[at].pass(func, alias, data);
        }
        match (made, joins) {
            (Some(made), Some(joins)) => {
                // Stores that move down pass what is open, too.
                if !made.loads {
                    for member in groups[joins].members.clone() {
                        for &at in open.iter().filter(|&&at| at != joins) {
                            groups[at].pass(func, alias, &func.insts[member.inst]);
                        }
                    }
                }
                let at = groups[joins].distance(&made).expect("it was found so");
                groups[joins].members.push(Member { inst, at });
            }
            (Some(made), None) => {
                if open.len() == WAITING {
                    open.remove(0);
                }
                open.push(groups.len());
                groups.push(made);
            }
            _ => {}
        }
        open.retain(|&at| groups[at].open);
    }
    groups
}

impl Group {
    /// An access as a group of its own.
    fn of(func: &Func, alias: &Alias, inst: Inst) -> Option<Self> {
        let data = &func.insts[inst];
        let place = Place::of(func, data)?;
        let size = accessed(func, data);
        let (ty, mask) = elements(func, data, size)?;
        let (loads, lanes) = (data.op == Op::Gather, usize::from(ty.lanes));
        Some(Self {
            loads,
            place,
            stride: in_elements(stride(func, place)?, size.into(), loads, lanes)?,
            size,
            lanes,
            mask,
            flags: data.attr.flags,
            members: [Member { inst, at: 0 }].into_iter().collect(),
            class: alias.load_class(func, data),
            written: Vec::new(),
            open: true,
        })
    }

    /// Bytes from this group's place to another's, if they differ in nothing else.
    fn distance(&self, other: &Self) -> Option<i64> {
        self.place.distance(other.place)
    }

    /// True if an access, as a group of its own, may become a member.
    fn takes(&self, func: &Func, made: &Self) -> bool {
        let alike = (self.loads, self.size, self.lanes, self.flags) == (made.loads, made.size, made.lanes, made.flags);
        let Some(at) = self.distance(made).filter(|_| alike && self.stride == made.stride) else { return false };
        let size = i64::from(self.size);
        // All members lie between one lane's first element and the next lane's.
        let (low, high) = self.ends();
        let near = high.max(at) - low.min(at) < self.stride.abs() * size && at % size == 0;
        let taken = if self.loads {
            self.written.iter().any(|&(from, to)| at < to && from < at + size)
        } else {
            self.members.iter().any(|member| member.at == at)
        };
        near && !taken && (self.mask == made.mask || both(func, self.mask, made.mask))
    }

    /// The lowest and the highest displacement.
    fn ends(&self) -> (i64, i64) {
        let all = || self.members.iter().map(|member| member.at);
        (all().min().expect("a member"), all().max().expect("a member"))
    }

    /// Notes an instruction that members which join from now on, or those that there are, would move past.
    fn pass(&mut self, func: &Func, alias: &Alias, data: &InstData) {
        if !conflicts(func, alias, self.class, data, self.loads) {
            return;
        }
        let Some(at) = Place::of(func, data).and_then(|place| self.place.distance(place)) else {
            self.open = false;
            return;
        };
        // Within a lane; another lane's access to the same memory would be a race.
        let end = at + i64::from(accessed(func, data));
        if self.loads {
            self.written.push((at, end));
        } else {
            let size = i64::from(self.size);
            self.open &= !self.members.iter().any(|member| member.at < end && at < member.at + size);
        }
    }

    fn needs_no_mask(&self, func: &Func) -> bool {
        func.const_bits(self.mask) == Some(1) && (self.loads || self.is_whole())
    }

    /// True if there are only a few elements from lane to lane.
    fn is_near(&self) -> bool {
        self.stride.unsigned_abs() <= MOST
    }

    /// True if there is a member for each element.
    fn is_whole(&self) -> bool {
        self.members.len() == self.stride.unsigned_abs() as usize
    }

    /// The member's place among the elements that belong to one lane.
    fn part(&self, member: Member) -> usize {
        ((member.at - self.ends().0) / i64::from(self.size)) as usize
    }

    /// The element number `at` of those that follow each other in memory: whose lane's it is, and which of that.
    fn owner(&self, at: usize) -> (usize, usize) {
        let step = self.stride.unsigned_abs() as usize;
        let lane = if self.stride < 0 { self.lanes - 1 - at / step } else { at / step };
        (lane, at % step)
    }

    /// The inverse of `owner`.
    fn element(&self, lane: usize, part: usize) -> usize {
        let step = self.stride.unsigned_abs() as usize;
        step * if self.stride < 0 { self.lanes - 1 - lane } else { lane } + part
    }

    /// The displacement of the first element from the root, and how many follow each other up to the last.
    fn extent(&self) -> (i64, usize) {
        let (size, (low, high)) = (i64::from(self.size), self.ends());
        let back = self.stride.min(0) * (self.lanes as i64 - 1);
        let elements = self.element(if self.stride < 0 { 0 } else { self.lanes - 1 }, 0) + 1;
        (self.place.disp + low + back * size, elements + ((high - low) / size) as usize)
    }
}

/// Puts what takes the place of groups into their block.
fn rewrite(func: &mut Func, forward: &mut Forward, block: Block, groups: &[Group]) {
    if groups.is_empty() {
        return;
    }
    let mut made: FxHashMap<Inst, Vec<Inst>> = FxHashMap::default();
    let mut old: FxHashSet<Inst> = FxHashSet::default();
    for group in groups {
        let at = if group.loads { group.members.first() } else { group.members.last() }.expect("a member").inst;
        let span = func.insts[at].span;
        let unaligned = group.members.iter().any(|member| func.insts[member.inst].attr.align == 1);
        let attr = Attr { align: unaligned.into(), ..func.insts[at].attr };
        let mut out = Out { func, group, attr, made: Vec::new(), span };
        if group.loads {
            out.loads(forward)
        } else {
            out.stores()
        }
        let insts = out.made;
        made.insert(at, insts);
        old.extend(group.members.iter().map(|member| member.inst));
    }
    let insts = std::mem::take(&mut func.blocks[block].insts);
    for inst in insts {
        let new = made.remove(&inst);
        func.blocks[block].insts.extend(new.into_iter().flatten());
        if !old.contains(&inst) {
            func.blocks[block].insts.push(inst);
        }
    }
}

/// The instructions that take the place of a group.
struct Out<'a> {
    func: &'a mut Func,
    group: &'a Group,
    attr: Attr,
    made: Vec<Inst>,
    span: crate::source::Span,
}

impl Out<'_> {
    fn loads(&mut self, forward: &mut Forward) {
        let (first, count) = self.group.extent();
        let lanes = largest(count);
        let ty = self.int().with_lanes(lanes as u8);
        // The second vector ends where access ends.
        let starts: SmallVec<[usize; 2]> =
            [0, count - lanes].into_iter().take(if lanes < count { 2 } else { 1 }).collect();
        let loaded: SmallVec<[Value; 2]> = starts
            .iter()
            .map(|&start| {
                let ptr = self.pointer(first, start);
                match self.mask(start, lanes) {
                    None => self.access(Op::Load, Some(ty), &[ptr]),
                    Some(mask) => {
                        let none = self.make(Op::Const, ty, &[], Imm::Bits(0));
                        self.access(Op::LoadMasked, Some(ty), &[ptr, mask, none])
                    }
                }
                .expect("a type was given")
            })
            .collect();
        let operands = [loaded[0], *loaded.last().expect("a load")];
        for &member in &self.group.members {
            let part = self.group.part(member);
            let pick = |lane| {
                let at = self.group.element(lane, part);
                if at < lanes { at } else { lanes + at - (count - lanes) }
            };
            let picks = (0..self.group.lanes).map(pick).collect::<Vec<_>>();
            let picked = self.shuffle(operands, self.group.lanes, picks);
            let result = self.func.insts[member.inst].result.expect("a load has a result");
            let ty = self.func.ty(result);
            let picked =
                if self.func.ty(picked) == ty { picked } else { self.make(Op::Bitcast, ty, &[picked], Imm::None) };
            forward.set(result, picked);
        }
    }

    fn stores(&mut self) {
        let ((first, _), lanes) = (self.group.extent(), self.group.lanes);
        let step = self.group.stride.unsigned_abs() as usize;
        // What is behind the last element is under a mask.
        let count = step * lanes;
        let ty = self.int().with_lanes(lanes as u8);
        let mut parts: SmallVec<[Option<Value>; 4]> = SmallVec::from_elem(None, step);
        for &member in &self.group.members {
            let v = self.func.insts[member.inst].args[2];
            let v = if self.func.ty(v) == ty { v } else { self.make(Op::Bitcast, ty, &[v], Imm::None) };
            parts[self.group.part(member)] = Some(v);
        }
        // Elements that nobody writes have any value.
        let some = parts.iter().flatten().next().copied().expect("a member");
        let parts: SmallVec<[Value; 4]> = parts.iter().map(|part| part.unwrap_or(some)).collect();
        let operands = match parts[..] {
            [a] => [a, a],
            [a, b] => [a, b],
            _ => {
                let join = |out: &mut Self, pair: &[Value]| {
                    out.shuffle([pair[0], pair[pair.len() - 1]], 2 * lanes, (0..2 * lanes).collect())
                };
                [join(self, &parts[..2]), join(self, &parts[2..])]
            }
        };
        let mut start = 0;
        while start < count {
            let width = largest(count - start);
            let place = |at: usize| {
                let (lane, part) = self.group.owner(start + at);
                part * lanes + lane
            };
            let picks = (0..width).map(place).collect::<Vec<_>>();
            let woven = self.shuffle(operands, width, picks);
            let ptr = self.pointer(first, start);
            match self.mask(start, width) {
                None => self.access(Op::Store, None, &[ptr, woven]),
                Some(mask) => self.access(Op::StoreMasked, None, &[ptr, woven, mask]),
            };
            start += width;
        }
    }

    /// The mask of the elements from `start` on that lanes access; none if that is all, or if it does no harm to load
    /// all.
    fn mask(&mut self, start: usize, width: usize) -> Option<Value> {
        let group = self.group;
        let full = self.func.const_bits(group.mask) == Some(1);
        if full && (group.loads || group.is_whole()) {
            return None;
        }
        let mut parts: SmallVec<[bool; 4]> = SmallVec::from_elem(false, group.stride.unsigned_abs() as usize);
        group.members.iter().for_each(|&member| parts[group.part(member)] = true);
        let bytes = Type::I8.with_lanes(width as u8);
        let owners = (start..start + width).map(|at| group.owner(at));
        let set = if full {
            let [no, yes] = [0, 0xff].map(|bits| self.make(Op::Const, Type::I8, &[], Imm::Bits(bits)));
            let all: Vec<Value> = owners.map(|(_, part)| if parts[part] { yes } else { no }).collect();
            self.make(Op::Build, bytes, &all, Imm::None)
        } else {
            let lanes = Type::I8.with_lanes(group.lanes as u8);
            let active = self.make(Op::Sext, lanes, &[group.mask], Imm::None);
            let none = self.make(Op::Const, lanes, &[], Imm::Bits(0));
            let picks = owners.map(|(lane, part)| if parts[part] { lane } else { group.lanes }).collect();
            self.shuffle([active, none], width, picks)
        };
        let none = self.make(Op::Const, bytes, &[], Imm::Bits(0));
        let mask = bytes.with_elem(Scalar::I1);
        Some(self.make(Op::Icmp, mask, &[set, none], Imm::IntPred(IntPred::Ne)))
    }

    /// The integer that is as large as an element.
    fn int(&self) -> Type {
        Type::scalar(match self.group.size {
            1 => Scalar::I8,
            2 => Scalar::I16,
            4 => Scalar::I32,
            _ => Scalar::I64,
        })
    }

    /// The address of the element number `at` behind a displacement from the root.
    fn pointer(&mut self, first: i64, at: usize) -> Value {
        let root = self.group.place.root;
        let disp = first + at as i64 * i64::from(self.group.size);
        let ty = self.func.ty(root);
        if disp == 0 { root } else { self.make(Op::PtrOff, ty, &[root], Imm::Disp(disp)) }
    }

    fn shuffle(&mut self, operands: [Value; 2], lanes: usize, picks: Vec<usize>) -> Value {
        let ty = self.func.ty(operands[0]);
        if usize::from(ty.lanes) == lanes && picks.iter().copied().eq(0..lanes) {
            return operands[0];
        }
        let picks = Imm::Lanes(picks.into_iter().map(|pick| pick as u8).collect());
        self.make(Op::Shuffle, ty.with_lanes(lanes as u8), &operands, picks)
    }

    fn access(&mut self, op: Op, ty: Option<Type>, args: &[Value]) -> Option<Value> {
        self.push(op, ty, args, Imm::None, self.attr)
    }

    fn make(&mut self, op: Op, ty: Type, args: &[Value], imm: Imm) -> Value {
        self.push(op, Some(ty), args, imm, Attr::default()).expect("a type was given")
    }

    fn push(&mut self, op: Op, ty: Option<Type>, args: &[Value], imm: Imm, attr: Attr) -> Option<Value> {
        let inst = self.func.make_inst(op, ty, args, imm, attr, self.span);
        self.made.push(inst);
        self.func.insts[inst].result
    }
}

/// The most lanes of a vector that is not longer.
fn largest(count: usize) -> usize {
    1 << count.min(WIDEST).ilog2()
}

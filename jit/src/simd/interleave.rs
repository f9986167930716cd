//! Interleaved access groups: gathers and scatters whose lanes lie at constant distances near each other, such as the
//! channels of pixels, the members of small records, every second column, rows that run backwards, and neighbours
//! that change places. Members of a group differ in the displacement only. Loads of what all of them touch, and
//! everything in between, then shuffles that pick each member's lanes (de-interleave), take the place of gathers;
//! shuffles and whole stores take that of scatters.
//!
//! ```text
//! b = gather i8 p, 3 * lane + 0                      v = load i8x32 p ; w = load i8x32 p + 16
//! g = gather i8 p, 3 * lane + 1            →         b = shuffle v, w [0 3 6 ..] ; g = shuffle v, w [1 4 7 ..] ; ..
//! r = gather i8 p, 3 * lane + 2
//! ```
//! Loads touch nothing in front of the first element that a lane accesses, or behind the last one: the second load
//! ends there, over what the first has loaded already. Stores change no byte that no lane writes: where members are
//! missing, or under masks, they are masked, or write what has been there, if no other thread has that memory. Takes
//! SSA form in lanes.

use super::Config;
use super::access::{Group, Member, gcd, groups, replace};
use super::shape::{Shape, Shapes};
use crate::analysis::alias::Alias;
use crate::ir::{Attr, Block, Builder, Func, Imm, IntPred, Op, Scalar, Type, Value};
use crate::launch::AddrSpace;
use crate::pass::forward::Forward;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Most elements from the first lane to the last one for each lane, and where they are loaded and `FEW` of them or
/// more are members.
const MOST: usize = 4;
const MOST_LOADED: usize = 8;
const FEW: usize = 3;
/// Lanes of the widest vector.
const WIDEST: usize = 64;

/// Rewrites the groups; true if there were any.
pub(crate) fn run(func: &mut Func, config: Config) -> bool {
    if !func.live_insts().any(|(_, i)| matches!(func.insts[i].op, Op::Gather | Op::Scatter)) {
        return false;
    }
    let alias = Alias::new(func);
    let mut forward = Forward::new(func);
    let mut any = false;
    for block in func.layout.clone() {
        let reach = |group: &Group| Some((Window::of(func, group)?.step * group.size as usize) as i64);
        let mut found = groups(func, &alias, block, &reach);
        found.retain(|group| Window::of(func, group).is_some_and(|window| window.pays(func, config)));
        any |= !found.is_empty();
        replace(func, block, &found, |b, group| {
            let window = Window::of(b.func, group).expect("it was found so");
            if group.loads { window.load(b, &mut forward) } else { window.store(b, config) }
        });
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
    pub(super) fn find(func: &Func, shapes: &Shapes) -> Self {
        let mut this = Self::default();
        for (block, inst) in func.insts_of(&shapes.facts.items.blocks) {
            let data = &func.insts[inst];
            let (Op::Load | Op::Store) = data.op else { continue };
            let ty = func.ty(data.result.unwrap_or_else(|| data.args[1]));
            if let Shape::Affine(stride) = shapes.at(data.args[0], block) {
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
        let step = elements(stride, size)? as u64;
        if !is_near(step as usize * usize::from(width), width.into(), loads) {
            return None;
        }
        let members = self.members.get(&(block, loads, stride)).copied().unwrap_or(1).min(step);
        let near = step <= MOST as u64 || sparse && members >= FEW as u64;
        near.then_some(Estimate { step, members, whole: loads || members == step })
    }
}

/// True if groups may need masked accesses: if these are instructions for all elements, or for tests.
pub(super) fn takes_masks(config: Config) -> bool {
    config.always || config.target.accesses_under_masks(8)
}

/// A distance in bytes as a number of elements of `size` bytes; none if that is none.
fn elements(bytes: i64, size: i64) -> Option<usize> {
    (bytes != 0 && bytes % size == 0).then_some((bytes / size).unsigned_abs() as usize)
}

/// True if so many elements may be what an access of so many lanes is picked from.
fn is_near(count: usize, lanes: usize, loads: bool) -> bool {
    // Two vectors are all that is loaded.
    count <= MOST * lanes || loads && count <= MOST_LOADED * lanes && count <= 2 * WIDEST
}

/// A group whose lanes lie in a window of memory, each at a place of its own that is a multiple of `step` elements.
struct Window<'g> {
    group: &'g Group,
    step: usize,
    /// For each lane, elements from the window's start to the first of its own.
    lanes: SmallVec<[usize; 32]>,
    /// Bytes from the group's address to the window.
    start: i64,
}

impl<'g> Window<'g> {
    fn of(func: &Func, group: &'g Group) -> Option<Self> {
        let offsets = group.address.offsets(func)?;
        let (&start, &end) = (offsets.iter().min()?, offsets.iter().max()?);
        let size = i64::from(group.size);
        let count = elements(end.checked_sub(start)?, size)?;
        if !is_near(count, offsets.len(), group.loads) {
            return None;
        }
        let lanes: SmallVec<[usize; 32]> = offsets.iter().map(|at| ((at - start) / size) as usize).collect();
        let step = lanes.iter().fold(0, |step, &lane| gcd(step, lane as u64)) as usize;
        let whole = offsets.iter().all(|at| (at - start) % size == 0);
        let distinct = |(i, lane): (usize, &usize)| !lanes[..i].contains(lane);
        // Of lanes at one place, some may be off.
        let shared = group.loads && func.const_bits(group.mask) == Some(1);
        let fits = whole && is_near(count + step, lanes.len(), group.loads);
        (fits && (shared || lanes.iter().enumerate().all(distinct))).then_some(Self { group, step, lanes, start })
    }

    /// True if the group is better off without gathers and scatters.
    fn pays(&self, func: &Func, config: Config) -> bool {
        let masks = takes_masks(config);
        let no_mask = func.const_bits(self.group.mask) == Some(1)
            && (self.group.loads || self.is_whole() || self.fills_gaps(func, config));
        let near = self.count() <= MOST * self.lanes.len();
        (masks || no_mask) && (near || masks && self.group.members.len() >= FEW)
    }

    /// Elements of the window.
    fn count(&self) -> usize {
        self.lanes.iter().max().expect("a lane") + self.step
    }

    /// True if a store writes what has been there between its elements: in memory of one thread, without masks for
    /// that. Not for single elements, of which most of that would be.
    fn fills_gaps(&self, func: &Func, config: Config) -> bool {
        let own = [AddrSpace::Local, AddrSpace::Private].map(Scalar::Ptr);
        let own = own.contains(&func.ty(self.group.address.root).elem);
        own && !takes_masks(config) && 2 * self.group.members.len() > self.step
    }

    /// True if there is a member for each element.
    fn is_whole(&self) -> bool {
        self.group.members.len() == self.step && self.count() == self.step * self.lanes.len()
    }

    /// The member's place among the elements that belong to one lane.
    fn part(&self, member: Member) -> usize {
        ((member.at - self.group.ends().0) / i64::from(self.group.size)) as usize
    }

    /// The place of the last member.
    fn last(&self) -> usize {
        let (low, high) = self.group.ends();
        ((high - low) / i64::from(self.group.size)) as usize
    }

    /// True if a member has this place.
    fn has(&self, part: usize) -> bool {
        self.group.members.iter().any(|&member| self.part(member) == part)
    }

    /// True if a lane accesses the element number `at` of the window.
    fn is_written(&self, at: usize) -> bool {
        self.owner(at).is_some_and(|(_, part)| self.has(part))
    }

    /// Whose the element number `at` of the window is, and which of that lane's; none between lanes.
    fn owner(&self, at: usize) -> Option<(usize, usize)> {
        let lane = self.lanes.iter().position(|&first| (first..first + self.step).contains(&at))?;
        Some((lane, at - self.lanes[lane]))
    }

    fn load(&self, b: &mut Builder, forward: &mut Forward) {
        // Up to the last element that is accessed; the second vector ends there.
        let count = self.count() - self.step + self.last() + 1;
        let width = largest(count);
        let ty = Type::int(self.group.size).with_lanes(width as u8);
        let load = |b: &mut Builder, first: usize| {
            let ptr = self.pointer(b, first);
            let Some(mask) = self.mask(b, first, width) else { return b.load(ty, ptr, self.attr(b)) };
            let none = b.bits(ty, 0);
            b.typed(Op::LoadMasked, ty, &[ptr, mask, none], Imm::None, self.attr(b))
        };
        let first = load(b, 0);
        let second = if width < count { load(b, count - width) } else { first };
        for &member in &self.group.members {
            let pick = |&lane: &usize| match lane + self.part(member) {
                at if at < width => at,
                at => width + at - (count - width),
            };
            let picked = shuffle(b, [first, second], self.lanes.iter().map(pick).collect());
            let result = b.func.insts[member.inst].result.expect("a load has a result");
            let ty = b.func.ty(result);
            let picked = b.bitcast(ty, picked);
            forward.set(result, picked);
        }
    }

    fn store(&self, b: &mut Builder, config: Config) {
        let n = self.lanes.len();
        let ty = Type::int(self.group.size).with_lanes(n as u8);
        let mut parts: SmallVec<[Option<Value>; 4]> = SmallVec::from_elem(None, self.step);
        for &member in &self.group.members {
            let v = b.func.insts[member.inst].args[2];
            parts[self.part(member)] = Some(b.bitcast(ty, v));
        }
        // Elements that nobody writes have any value.
        let some = parts.iter().flatten().next().copied().expect("a member");
        let parts: SmallVec<[Value; 4]> = parts.iter().map(|part| part.unwrap_or(some)).collect();
        let operands = match parts[..] {
            [a] => [a, a],
            [a, b] => [a, b],
            _ => [&parts[..2], &parts[2..]].map(|two| shuffle(b, [two[0], two[two.len() - 1]], (0..2 * n).collect())),
        };
        let place = |at| self.owner(at).map_or(0, |(lane, part)| part * n + lane);
        if !self.is_whole() && self.fills_gaps(b.func, config) {
            // Up to the last element that is written. All is loaded before anything is stored.
            let count = self.count() - self.step + self.last() + 1;
            let width = largest(count);
            let firsts: SmallVec<[usize; 2]> =
                [0, count - width].into_iter().take(if width < count { 2 } else { 1 }).collect();
            let ty = ty.with_lanes(width as u8);
            let ptrs: SmallVec<[Value; 2]> = firsts.iter().map(|&first| self.pointer(b, first)).collect();
            let old: SmallVec<[Value; 2]> = ptrs.iter().map(|&ptr| b.load(ty, ptr, self.attr(b))).collect();
            for (i, &first) in firsts.iter().enumerate() {
                let woven = shuffle(b, operands, (first..first + width).map(place).collect());
                let pick = |at: usize| if self.is_written(first + at) { at } else { width + at };
                let filled = shuffle(b, [woven, old[i]], (0..width).map(pick).collect());
                b.store(ptrs[i], filled, self.attr(b));
            }
            return;
        }
        // What is behind the last element is under a mask.
        let mut first = 0;
        while first < self.count() {
            let width = largest(self.count() - first);
            let woven = shuffle(b, operands, (first..first + width).map(place).collect());
            let ptr = self.pointer(b, first);
            match self.mask(b, first, width) {
                None => b.store(ptr, woven, self.attr(b)),
                Some(mask) => _ = b.push(Op::StoreMasked, None, &[ptr, woven, mask], Imm::None, self.attr(b)),
            }
            first += width;
        }
    }

    /// The mask of `width` elements that lanes access; none if that is all, or if it does no harm to load all.
    fn mask(&self, b: &mut Builder, first: usize, width: usize) -> Option<Value> {
        let n = self.lanes.len();
        let full = b.func.const_bits(self.group.mask) == Some(1);
        if full && (self.group.loads || self.is_whole()) {
            return None;
        }
        let owners = (first..first + width).map(|at| self.owner(at).filter(|&(_, part)| self.has(part)));
        let bytes = Type::I8.with_lanes(width as u8);
        let set = if full {
            let [no, yes] = [0, 0xff].map(|bits| b.bits(Type::I8, bits));
            let all: Vec<Value> = owners.map(|owner| if owner.is_some() { yes } else { no }).collect();
            b.emit(Op::Build, bytes, &all, Imm::None)
        } else {
            let lanes = Type::I8.with_lanes(n as u8);
            let active = b.convert(Op::Sext, lanes, self.group.mask);
            let none = b.bits(lanes, 0);
            shuffle(b, [active, none], owners.map(|owner| owner.map_or(n, |(lane, _)| lane)).collect())
        };
        Some(b.icmp_bits(IntPred::Ne, set, 0))
    }

    /// The address of the element of this number.
    fn pointer(&self, b: &mut Builder, at: usize) -> Value {
        let disp = self.group.address.disp + self.start + self.group.ends().0 + at as i64 * i64::from(self.group.size);
        b.ptr_off(self.group.address.root, disp)
    }

    fn attr(&self, b: &Builder) -> Attr {
        let attrs = || self.group.members.iter().map(|member| b.func.insts[member.inst].attr);
        let unaligned = attrs().any(|attr| attr.align == 1);
        Attr { align: unaligned.into(), ..attrs().next().expect("a member") }
    }
}

fn shuffle(b: &mut Builder, operands: [Value; 2], picks: Vec<usize>) -> Value {
    let ty = b.func.ty(operands[0]);
    if usize::from(ty.lanes) == picks.len() && picks.iter().copied().eq(0..picks.len()) {
        return operands[0];
    }
    let lanes = picks.len() as u8;
    let picks = Imm::Lanes(picks.into_iter().map(|pick| pick as u8).collect());
    b.emit(Op::Shuffle, ty.with_lanes(lanes), &operands, picks)
}

/// The most lanes of a vector that is not longer.
fn largest(count: usize) -> usize {
    1 << count.min(WIDEST).ilog2()
}

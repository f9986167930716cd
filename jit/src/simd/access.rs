//! How lanes access memory: before there are lanes (`Pattern`), and of gathers and scatters where (`LaneAddress`),
//! how far from each other (`offsets`), and which of a block differ in nothing but the displacement (`Group`; LLVM's
//! interleaved access groups).
//!
//! | lanes | what becomes of them | where |
//! |---|---|---|
//! | at one address, or one element after the other | scalar or vector access | `memory` |
//! | at constant distances, near each other | whole accesses and shuffles | `interleave` |
//! | at any addresses, several elements at each | fewer accesses of larger elements | `coalesce` |
//! | in rows that a loop reads element by element | loads of parts of rows, transposed | `transpose_rows` |
//! | in a window of local memory that moves as a whole | whole accesses and a permutation | `local_permute` |
//! | anything else | gather, scatter | `legalize` |
//!
//! Must not change code but for `replace`.

use super::shape::Shape;
use crate::analysis::alias::{Alias, Class};
use crate::analysis::lanes::constant_lanes;
use crate::interp::value::signed;
use crate::ir::op::Flags;
use crate::ir::{Block, Builder, Func, Imm, Inst, InstData, Op, Scalar, Type, Value};
use crate::launch::AddrSpace;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Most groups of a block that wait for members.
const WAITING: usize = 64;
/// Most lanes of what is grouped: shuffles of two vectors have no more.
const MOST_LANES: u8 = 32;

/// How lanes that access elements, or records of several elements each, lie to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pattern {
    /// All at one place.
    Uniform,
    /// Element after element, forwards or backwards.
    Consecutive,
    Reversed,
    /// Record after record.
    Records,
    /// At some other distance from the lane before.
    Strided,
    /// Anything.
    Arbitrary,
}

impl Pattern {
    /// Of addresses of this shape; records have `n` elements of `size` bytes.
    pub fn of(shape: Shape, size: i64, n: i64) -> Self {
        match shape {
            Shape::Uniform => Self::Uniform,
            Shape::Affine(stride) if n == 1 && stride == size => Self::Consecutive,
            Shape::Affine(stride) if n == 1 && stride == -size => Self::Reversed,
            Shape::Affine(stride) if n > 1 && stride == size * n => Self::Records,
            Shape::Affine(_) => Self::Strided,
            Shape::Unknown | Shape::Varying => Self::Arbitrary,
        }
    }
}

/// Where the lanes of a gather or scatter access memory: `root + index * scale + disp`.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct LaneAddress {
    pub root: Value,
    /// Lanes of integers with a sign.
    pub index: Value,
    pub scale: u32,
    pub disp: i64,
}

impl LaneAddress {
    pub fn of(func: &Func, data: &InstData) -> Option<Self> {
        let (Op::Gather | Op::Scatter, &Imm::Scale { scale, disp }) = (data.op, &data.imm) else { return None };
        let (mut root, mut disp) = (data.args[0], disp);
        while let Some(InstData { op: Op::PtrOff, imm: Imm::Disp(more), args, .. }) = func.def_inst(root) {
            disp = disp.wrapping_add(*more);
            root = args[0];
        }
        // Lanes of pointers are numbers, and what is added to them is in the index; in 64 bits all of it wraps alike.
        let mut index = data.args[1];
        while let Some(sum) = func.def_inst(index).filter(|sum| sum.op == Op::Add)
            && func.ty(index).elem == Scalar::I64
            && let Some(more) = func.const_bits(sum.args[1])
        {
            let more = disp.wrapping_add((more as i64).wrapping_mul(scale.into()));
            if i32::try_from(more).is_err() {
                break;
            }
            (index, disp) = (sum.args[0], more);
        }
        Some(Self { root, index, scale, disp })
    }

    /// The same address with the unsigned 32-bit index that it was made from: gathers extend with the sign, so
    /// `memory` counts such an index from the middle of its range.
    pub fn unsigned(self, func: &Func) -> Option<Self> {
        let flip =
            func.def_inst(self.index).filter(|data| data.op == Op::Xor && func.ty(self.index).elem == Scalar::I32)?;
        func.const_bits(flip.args[1]).filter(|&bits| bits as u32 == 1 << 31)?;
        let disp = self.disp.checked_sub(i64::from(self.scale) << 31)?;
        Some(Self { index: flip.args[0], disp, ..self })
    }

    /// How far `other` is behind this address, if they differ in nothing else.
    pub fn distance(self, other: Self) -> Option<i64> {
        (Self { disp: self.disp, ..other } == self).then(|| other.disp.wrapping_sub(self.disp))
    }

    /// Bytes of which all distances between lanes are multiples; 0 if all lanes lie at one place.
    fn period(self, func: &Func) -> u64 {
        if let Some(offsets) = self.offsets(func) {
            let distances = offsets.iter().map(|at| at.checked_sub(offsets[0]).map_or(1, i64::unsigned_abs));
            return distances.fold(0, gcd);
        }
        let bits = func.ty(self.index).elem.bits();
        let factor = |v: Value| func.const_bits(v).map(|factor| signed(factor, bits).unsigned_abs());
        // A product that wraps keeps powers of two alone.
        let step = match func.def_inst(self.index) {
            Some(InstData { op: Op::Mul, args, attr, .. }) => match factor(args[1]) {
                Some(step) if attr.flags.contains(Flags::NSW) => step,
                step => step.map_or(1, |step| 1 << step.trailing_zeros().min(bits - 1)),
            },
            Some(InstData { op: Op::Shl, args, .. }) => {
                1 << func.const_bits(args[1]).unwrap_or(0).min(u64::from(bits) - 1)
            }
            _ => 1,
        };
        step.saturating_mul(self.scale.into())
    }

    /// Where each lane lies, in bytes behind root and displacement, if that is constant.
    pub fn offsets(self, func: &Func) -> Option<SmallVec<[i64; 32]>> {
        let bits = func.ty(self.index).elem.bits();
        let lanes = constant_lanes(func, self.index)?;
        lanes.iter().map(|&lane| signed(lane, bits).checked_mul(self.scale.into())).collect()
    }
}

/// An access, and how many bytes behind the group's first one.
#[derive(Clone, Copy)]
pub(super) struct Member {
    pub inst: Inst,
    pub at: i64,
}

/// Accesses of a block that may become one: loads at the place of the first of them, stores at that of the last. What
/// is in between leaves them alone. An access at another displacement of the same places does if it meets none of
/// theirs in any lane (`LaneAddress::period`): where a vector is a whole work-group, nothing is left of its barriers,
/// and what lanes access in front of one and behind it is no race.
pub(super) struct Group {
    pub loads: bool,
    /// The first member's.
    pub address: LaneAddress,
    /// Bytes of an element.
    pub size: u32,
    pub lanes: u8,
    pub mask: Value,
    pub flags: Flags,
    /// In the order of the block.
    pub members: SmallVec<[Member; 4]>,
    /// The class of memory; none if nothing changes it.
    class: Option<Class>,
    /// See `LaneAddress::period`.
    period: u64,
    /// Bytes from the lowest member to the end of the highest, at most.
    reach: i64,
    /// Bytes that are written behind the first of the loads, as displacements from its address.
    written: Vec<(i64, i64)>,
    /// Others may join.
    open: bool,
}

/// The groups of a block; `reach`: how many bytes an access and those of its group may span, none for one that is to
/// have none.
pub(super) fn groups(func: &Func, alias: &Alias, block: Block, reach: &dyn Fn(&Group) -> Option<i64>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for &inst in &func.blocks[block].insts {
        let data = &func.insts[inst];
        if data.op.is_pure() {
            continue;
        }
        let made = Group::of(func, alias, inst).and_then(|made| Some(Group { reach: reach(&made)?, ..made }));
        let joins = made.as_ref().and_then(|made| open.iter().copied().find(|&at| groups[at].takes(func, made)));
        let others = || open.iter().copied().filter(|&at| Some(at) != joins);
        others().for_each(|at| groups[at].pass(func, alias, data));
        match (made, joins) {
            (Some(made), Some(joins)) => {
                // Stores that move down pass what is open, too.
                for member in groups[joins].members.clone().into_iter().filter(|_| !made.loads) {
                    others().for_each(|at| groups[at].pass(func, alias, &func.insts[member.inst]));
                }
                let at = groups[joins].address.distance(made.address).expect("it was found so");
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
    /// A gather or scatter as a group of its own.
    fn of(func: &Func, alias: &Alias, inst: Inst) -> Option<Self> {
        let data = &func.insts[inst];
        let address = LaneAddress::of(func, data)?;
        let loads = data.op == Op::Gather;
        let (ty, mask) = match data.args[..] {
            [_, _, mask, others] if loads && func.const_bits(others) == Some(0) => (func.ty(data.result?), mask),
            [_, _, v, mask] if !loads => (func.ty(v), mask),
            _ => return None,
        };
        let plain =
            !ty.is_ptr() && ty.elem != Scalar::I1 && !data.attr.flags.intersects(Flags::VOLATILE | Flags::THREE);
        (plain && ty.lanes <= MOST_LANES).then(|| Self {
            loads,
            address,
            size: ty.elem.bytes(),
            lanes: ty.lanes,
            mask,
            flags: data.attr.flags,
            members: [Member { inst, at: 0 }].into_iter().collect(),
            class: alias.load_class(func, data),
            period: address.period(func),
            reach: 0,
            written: Vec::new(),
            open: true,
        })
    }

    /// A group of some of the members.
    pub fn part(&self, members: SmallVec<[Member; 4]>) -> Self {
        Self { members, written: Vec::new(), ..*self }
    }

    /// True if an access, as a group of its own, may become a member.
    fn takes(&self, func: &Func, made: &Self) -> bool {
        let kind = |group: &Self| (group.loads, group.size, group.lanes, group.flags);
        let Some(at) = self.address.distance(made.address).filter(|_| kind(self) == kind(made)) else { return false };
        let size = i64::from(self.size);
        let (low, high) = self.ends();
        let near = high.max(at).saturating_sub(low.min(at)) < self.reach && at % size == 0;
        let meets = |other: (i64, i64)| self.meet((at, at + size), other);
        let taken = if self.loads {
            self.written.iter().any(|&written| meets(written))
        } else {
            self.members.iter().any(|member| meets((member.at, member.at + size)))
        };
        let same = |a: Value, b: Value| a == b || func.const_bits(a).is_some_and(|a| func.const_bits(b) == Some(a));
        near && !taken && same(self.mask, made.mask)
    }

    /// The lowest and the highest displacement.
    pub fn ends(&self) -> (i64, i64) {
        let all = || self.members.iter().map(|member| member.at);
        (all().min().expect("a member"), all().max().expect("a member"))
    }

    /// Notes an instruction that members which join from now on, or those that there are, would move past.
    fn pass(&mut self, func: &Func, alias: &Alias, data: &InstData) {
        if !self.conflicts(func, alias, data) {
            return;
        }
        let Some(at) = LaneAddress::of(func, data).and_then(|address| self.address.distance(address)) else {
            self.open = false;
            return;
        };
        let of = data.result.unwrap_or_else(|| data.args[2]);
        let end = at + i64::from(func.ty(of).elem.bytes());
        if self.loads {
            self.written.push((at, end));
        } else {
            let size = i64::from(self.size);
            self.open &= !self.members.iter().any(|member| self.meet((member.at, member.at + size), (at, end)));
        }
    }

    /// True if some lane's bytes from one displacement to another may be another's, or its own, from and to others.
    fn meet(&self, a: (i64, i64), b: (i64, i64)) -> bool {
        let Ok(period @ 1..) = i64::try_from(self.period) else { return a.0 < b.1 && b.0 < a.1 };
        let ahead = i128::from(b.0) - i128::from(a.0);
        let within = |distance: i128, bytes: i64| distance.rem_euclid(period.into()) < bytes.into();
        within(ahead, a.1 - a.0) || within(-ahead, b.1 - b.0)
    }

    /// True if an instruction that is not pure may change what loads of the group read, or read or change what its
    /// stores write.
    fn conflicts(&self, func: &Func, alias: &Alias, data: &InstData) -> bool {
        let in_class = |set: u64| self.class.is_some_and(|class| set >> class.index() & 1 != 0);
        match data.op {
            Op::Load | Op::LoadMasked | Op::Gather => {
                !self.loads && alias.load_class(func, data).is_some_and(|class| in_class(alias.overlaps(class)))
            }
            Op::Store | Op::StoreMasked | Op::Scatter => in_class(alias.writes(func, data)),
            _ => true,
        }
    }
}

/// Puts what `make` makes in the place of the members of each group.
pub(super) fn replace(func: &mut Func, block: Block, groups: &[Group], mut make: impl FnMut(&mut Builder, &Group)) {
    let mut places: FxHashMap<Inst, SmallVec<[&Group; 1]>> = FxHashMap::default();
    for group in groups {
        let first_or_last = if group.loads { group.members.first() } else { group.members.last() };
        places.entry(first_or_last.expect("a member").inst).or_default().push(group);
    }
    let old: FxHashSet<Inst> = groups.iter().flat_map(|group| &group.members).map(|member| member.inst).collect();
    for inst in std::mem::take(&mut func.blocks[block].insts) {
        for group in places.get(&inst).into_iter().flatten() {
            let origin = func.insts[inst].origin;
            make(&mut Builder::new(func, block).with_origin(origin), group);
        }
        if !old.contains(&inst) {
            func.blocks[block].insts.push(inst);
        }
    }
}

/// The greatest common divisor.
pub(super) fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// True for addresses in local memory.
pub(super) fn is_local(ty: Type) -> bool {
    ty == Type::ptr(AddrSpace::Local)
}

#[cfg(test)]
mod tests;

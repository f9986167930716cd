//! Which bits of which other value each bit of an integer is: runs of bits, what LLVM's `collectBitParts` finds for one
//! value, and GCC's bswap pass calls symbolic numbers. Shifts, rotations, masks, sums of what does not overlap, and
//! vectors of integers only move bits. Linear.

use crate::ir::{Func, Imm, InstData, Op, Scalar, Type, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Most bytes of an integer, or of a vector of integers.
const MAX: u32 = 8;
/// Most runs of bits.
const MAX_FIELDS: usize = 8;

/// A run of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Field {
    /// The value that they are bits of, and the lowest of them: one that nothing is known of, or a constant. None if no
    /// bit is set.
    of: Option<(Value, u32)>,
    /// How many there are.
    bits: u32,
}

impl Field {
    const fn zero(bits: u32) -> Self {
        Self { of: None, bits }
    }

    /// Without its lowest bits, and no longer than that.
    fn part(self, skip: u32, bits: u32) -> Self {
        Self { of: self.of.map(|(v, from)| (v, from + skip)), bits }
    }
}

/// The bits of an integer from the lowest, in as few runs as there can be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields(SmallVec<[Field; 4]>);

impl Fields {
    fn push(&mut self, field: Field) {
        if field.bits == 0 {
            return;
        }
        if let Some(last) = self.0.last_mut() {
            let goes_on = match (last.of, field.of) {
                (None, None) => true,
                (Some((a, from)), Some((b, to))) => a == b && from + last.bits == to,
                _ => false,
            };
            if goes_on {
                last.bits += field.bits;
                return;
            }
        }
        self.0.push(field);
    }

    /// So many of the bits, from one on; zeros behind the last.
    fn slice(&self, from: u32, bits: u32) -> Self {
        let mut out = Self::default();
        let (mut at, end) = (0, from + bits);
        for field in &self.0 {
            let (start, stop) = (at.max(from), (at + field.bits).min(end));
            if start < stop {
                out.push(field.part(start - at, stop - start));
            }
            at += field.bits;
        }
        out.push(Field::zero(end.saturating_sub(at.max(from))));
        out
    }

    fn then(mut self, other: &Self) -> Self {
        other.0.iter().for_each(|&field| self.push(field));
        self
    }

    /// By how many bits which value was rotated to the left, if that is all there is.
    pub fn rotated(&self) -> Option<(Value, u32)> {
        match self.0[..] {
            [Field { of: Some((v, 0)), .. }] => Some((v, 0)),
            [Field { of: Some((v, from)), bits }, Field { of: Some((w, 0)), bits: others }] => {
                (v == w && from == others).then_some((v, bits))
            }
            _ => None,
        }
    }

    /// The bytes, of which each is a byte of another value, or zero.
    pub fn bytes(&self) -> Bytes {
        let bytes = |field: &Field| {
            let byte = |i, of: Option<(Value, u32)>| of.map_or(Byte::Zero, |(v, from)| Byte::Of(v, from / 8 + i));
            let of = field.of;
            (0..field.bits / 8).map(move |i| byte(i, of))
        };
        self.0.iter().flat_map(bytes).collect()
    }

    /// The same for a value whose bytes are its own where they are no bytes of others.
    fn in_bytes_of(&self, v: Value) -> Self {
        let n_bits: u32 = self.0.iter().map(|field| field.bits).sum();
        let byte = |at: u32| match self.slice(at, 8).0[..] {
            [field] if field.of.is_none_or(|(_, from)| from % 8 == 0) => field,
            _ => Field { of: Some((v, at)), bits: 8 },
        };
        let mut out = Self::default();
        (0..n_bits).step_by(8).for_each(|at| out.push(byte(at)));
        out
    }
}

/// A byte of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Byte {
    /// No bit is set.
    Zero,
    /// One of a value that nothing is known of, or of a constant, from the lowest.
    Of(Value, u32),
}

/// From the lowest.
pub type Bytes = SmallVec<[Byte; MAX as usize]>;

/// In what bits are told of. What moves bits by less than a byte makes new bytes of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Each by itself.
    Bits,
    /// Bytes.
    Bytes,
}

/// The bits of a function's integers.
pub struct Sources {
    known: FxHashMap<Value, Fields>,
    unit: Unit,
}

impl Sources {
    /// Of a function whose blocks are in reverse postorder.
    pub fn new(func: &Func, unit: Unit) -> Self {
        let mut this = Self { known: FxHashMap::default(), unit };
        for (_, inst) in func.live_insts() {
            if let Some((v, fields)) = this.made_of(func, &func.insts[inst]) {
                this.known.insert(v, fields);
            }
        }
        this
    }

    /// The bits of a value, if any of them is another's.
    pub fn moved(&self, v: Value) -> Option<&Fields> {
        self.known.get(&v)
    }

    /// The bytes of a value of up to eight: its own, of one that nothing is known of. `Unit::Bytes` only.
    pub fn bytes(&self, func: &Func, v: Value) -> Option<Bytes> {
        debug_assert_eq!(self.unit, Unit::Bytes);
        Some(self.fields(func, v)?.bytes())
    }

    fn fields(&self, func: &Func, v: Value) -> Option<Fields> {
        if let Some(fields) = self.known.get(&v) {
            return Some(fields.clone());
        }
        let ty = func.ty(v);
        if !may_have(ty) {
            return None;
        }
        let mut fields = Fields::default();
        match func.const_bits(v) {
            Some(0) => fields.push(Field::zero(8 * ty.bytes())),
            Some(bits) if !ty.is_vector() => (0..ty.bytes()).for_each(|i| {
                let of = (bits >> (8 * i) & 0xff != 0).then_some((v, 8 * i));
                fields.push(Field { of, bits: 8 });
            }),
            _ => fields.push(Field { of: Some((v, 0)), bits: 8 * ty.bytes() }),
        }
        Some(fields)
    }

    /// The result of an instruction whose bits are others'.
    fn made_of(&self, func: &Func, data: &InstData) -> Option<(Value, Fields)> {
        let v = data.result?;
        let ty = func.ty(v);
        if !may_have(ty) {
            return None;
        }
        let (size, n_bits) = (ty.elem.bits(), 8 * ty.bytes());
        let arg = |i: usize| self.fields(func, data.args[i]);
        let constant = |i: usize| splat_bits(func, data.args[i]);
        // What happens to each lane of the first operand.
        let each = |change: &dyn Fn(Fields) -> Fields| {
            let all = arg(0)?;
            let lanes = (0..u32::from(ty.lanes)).map(|lane| change(all.slice(lane * size, size)));
            Some(lanes.fold(Fields::default(), |all, lane| all.then(&lane)))
        };
        let is_whole = |by: &u32| self.unit == Unit::Bits || by.is_multiple_of(8);
        let by = || constant(1).map(|bits| (bits % u64::from(size)) as u32).filter(is_whole);
        let fields = match (data.op, &data.imm) {
            (Op::Bitcast, _) => arg(0)?,
            (Op::Build, _) => (0..data.args.len()).try_fold(Fields::default(), |all, i| Some(all.then(&arg(i)?)))?,
            (Op::Shuffle, Imm::Lanes(picks)) => {
                let all = arg(0)?.then(&arg(1)?);
                let pick = |fields: Fields, &lane: &u8| fields.then(&all.slice(u32::from(lane) * size, size));
                picks.iter().fold(Fields::default(), pick)
            }
            (Op::Extract, &Imm::Lane(lane)) => arg(0)?.slice(u32::from(lane) * size, size),
            (Op::Zext | Op::Trunci, _) if !ty.is_vector() => arg(0)?.slice(0, n_bits),
            (Op::Shl, _) => {
                let by = by()?;
                let mut zeros = Fields::default();
                zeros.push(Field::zero(by));
                each(&|lane| zeros.clone().then(&lane.slice(0, size - by)))?
            }
            (Op::Lshr, _) => {
                let by = by()?;
                each(&|lane| lane.slice(by, size))?
            }
            (Op::Rotl, _) => {
                let by = by()?;
                each(&|lane| lane.slice(size - by, by).then(&lane.slice(0, size - by)))?
            }
            (Op::And, _) => {
                let (i, mask) = [1, 0].into_iter().find_map(|i| Some((1 - i, constant(i)?)))?;
                masked(&self.fields(func, data.args[i])?, mask, size)?
            }
            (Op::Or | Op::Xor | Op::Add, _) => {
                let (fields, mixes) = merged(v, &arg(0)?, &arg(1)?);
                // A carry may go into any.
                (data.op != Op::Add || !mixes).then_some(fields)?
            }
            _ => return None,
        };
        debug_assert_eq!(fields.0.iter().map(|field| field.bits).sum::<u32>(), n_bits);
        let fields = if self.unit == Unit::Bytes { fields.in_bytes_of(v) } else { fields };
        let is_itself = fields.0[..] == [Field { of: Some((v, 0)), bits: n_bits }];
        (!is_itself && fields.0.len() <= MAX_FIELDS).then_some((v, fields))
    }
}

/// The bits of all lanes that a mask of one lane, of `size` bits, leaves; none if these are too many runs.
fn masked(all: &Fields, mask: u64, size: u32) -> Option<Fields> {
    let n_bits: u32 = all.0.iter().map(|field| field.bits).sum();
    let mut out = Fields::default();
    for lane in (0..n_bits).step_by(size as usize) {
        let mut at = 0;
        while at < size {
            let rest = mask >> at;
            let is_set = rest & 1 == 1;
            let run = if is_set { rest.trailing_ones() } else { rest.trailing_zeros() }.min(size - at);
            let zero = Fields([Field::zero(run)].into_iter().collect());
            out = out.then(&if is_set { all.slice(lane + at, run) } else { zero });
            at += run;
        }
        if out.0.len() > MAX_FIELDS {
            return None;
        }
    }
    Some(out)
}

/// The bits of `v`, the union of two integers, and whether any bit may be of both.
fn merged(v: Value, a: &Fields, b: &Fields) -> (Fields, bool) {
    let (mut out, mut mixes, mut at) = (Fields::default(), false, 0);
    let (mut a, mut b) = (a.0.iter().copied(), b.0.iter().copied());
    let (mut x, mut y) = (a.next(), b.next());
    while let (Some(p), Some(q)) = (x, y) {
        let bits = p.bits.min(q.bits);
        let of = match (p.of, q.of) {
            (of, None) | (None, of) => of,
            _ => {
                mixes = true;
                Some((v, at))
            }
        };
        out.push(Field { of, bits });
        at += bits;
        x = if p.bits > bits { Some(p.part(bits, p.bits - bits)) } else { a.next() };
        y = if q.bits > bits { Some(q.part(bits, q.bits - bits)) } else { b.next() };
    }
    (out, mixes)
}

/// The bits of a constant, or of each lane of a vector of one.
fn splat_bits(func: &Func, v: Value) -> Option<u64> {
    let splat = func.def_inst(v).filter(|data| data.op == Op::Splat).map(|data| data.args[0]);
    func.const_bits(splat.unwrap_or(v))
}

/// Vectors of three have a byte more than their components.
fn may_have(ty: Type) -> bool {
    ty.is_int() && ty.elem != Scalar::I1 && ty.bytes() <= MAX && ty.lanes != 3
}

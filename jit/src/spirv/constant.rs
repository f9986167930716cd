//! Constants: their values, specialised and computed. Spec: SPIR-V, "Constant-Creation Instructions". Values are kept
//! as bits of scalars, so that they serve as lengths of arrays, as first values of variables and as operands alike.
//! Must not know KIR functions.

use super::float_bits::LEAST_NORMAL_HALF;
use super::late::Late;
use super::module::Module;
use super::ty::{Kind, Ty};
use super::words::{Id, Inst};
use crate::image::sampler;
use crate::ir::Scalar;
use crate::ir::op::Rounding;
use crate::ir::softfloat::{self, Format};
use spirv::{Op, SamplerAddressingMode};

/// A constant.
#[derive(Clone, Debug)]
pub struct Constant {
    /// Its type.
    pub ty: Id,
    /// Its value.
    pub value: Const,
}

/// A constant's value.
#[derive(Clone, Debug)]
pub enum Const {
    /// Bits of a scalar, or of each component of a vector; of a null pointer; of a sampler.
    Lanes(Vec<u64>),
    /// Members of a struct, elements of an array.
    Composite(Vec<Id>),
    /// Each element of an array.
    Repeat(Id),
    /// A struct or array of zeros.
    Zero,
    /// Any value.
    Undef,
    /// An address: so many bytes behind the start of a variable.
    Address(Id, i64),
    /// What functions compute.
    Late(Box<Late>),
}

impl Const {
    /// A scalar, cut to its width.
    pub fn scalar(ty: Scalar, bits: u64) -> Self {
        Self::Lanes(vec![bits & ones(ty.bits())])
    }

    /// Nothing but zeros, or may be.
    fn is_zero(&self) -> bool {
        match self {
            Self::Lanes(lanes) => lanes.iter().all(|&lane| lane == 0),
            Self::Zero | Self::Undef => true,
            Self::Composite(_) | Self::Repeat(_) | Self::Address(..) | Self::Late(_) => false,
        }
    }
}

/// A number of so many set bits.
fn ones(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

/// The signed number in the low bits.
fn signed(bits: u64, width: u32) -> i64 {
    ((bits << (64 - width)) as i64) >> (64 - width)
}

impl Module {
    /// The value of a constant integer, zero-extended.
    ///
    /// # Errors
    /// It is no such constant.
    pub fn int(&self, id: Id) -> Result<u64, String> {
        match self.constants.get(&id).map(|c| &c.value) {
            Some(Const::Lanes(lanes)) if lanes.len() == 1 => Ok(lanes[0]),
            _ => Err(format!("%{id} is no constant number")),
        }
    }

    fn constant(&self, id: Id) -> Result<&Constant, String> {
        self.constants.get(&id).ok_or_else(|| format!("%{id} is no constant"))
    }

    /// The value that an instruction gives a constant of this type.
    pub(super) fn constant_value(&mut self, op: Op, inst: &Inst, ty: Id) -> Result<Const, String> {
        let of = self.ty(ty)?;
        if let Some(late) = self.deferred(op, inst, of)? {
            self.has_late = true;
            return Ok(late);
        }
        Ok(match op {
            Op::ConstantTrue | Op::SpecConstantTrue => Const::Lanes(vec![1]),
            Op::ConstantFalse | Op::SpecConstantFalse => Const::Lanes(vec![0]),
            Op::Constant | Op::SpecConstant => {
                let scalar = of.scalar().filter(|_| matches!(of.kind, Kind::Int | Kind::Float));
                let scalar = scalar.ok_or("a number of a type that is none")?;
                let low = u64::from(inst.word(2)?);
                let high = if scalar.bits() == 64 { u64::from(inst.word(3)?) } else { 0 };
                Const::scalar(scalar, high << 32 | low)
            }
            Op::ConstantNull => self.null(of)?,
            Op::Undef => Const::Undef,
            Op::ConstantComposite | Op::SpecConstantComposite => self.composite(of, inst.rest(2))?,
            Op::ConstantCompositeReplicateEXT | Op::SpecConstantCompositeReplicateEXT => {
                self.repeated(of, inst.word(2)?)?
            }
            Op::ConstantSampler => Const::Lanes(vec![u64::from(sampler_bits(inst)?)]),
            Op::SpecConstantOp => {
                let number = inst.word(2)?;
                let op = Op::from_u32(number).ok_or_else(|| format!("unknown operation {number}"))?;
                if op == Op::CompositeInsert {
                    let into = self.constant(inst.word(4)?)?;
                    if into.ty != ty {
                        return Err("the composite does not have the type of the result".into());
                    }
                    let into = into.value.clone();
                    return self.inserted(inst.word(3)?, into, ty, inst.rest(5));
                }
                let id = inst.word(1)?;
                let how = How { rounding: self.rounding(id), saturates: self.is_saturated(id) };
                self.computed(op, inst.rest(3), of, how)?
            }
            _ => return Err("this instruction has no place outside functions".into()),
        })
    }

    fn null(&self, of: &Ty) -> Result<Const, String> {
        match (&of.kind, of.value) {
            (Kind::Array { .. } | Kind::Struct { .. }, _) => Ok(Const::Zero),
            (Kind::Pointer { .. } | Kind::Event | Kind::ReserveId | Kind::Queue | Kind::DeviceEvent, _) => {
                Ok(Const::Lanes(vec![0]))
            }
            (Kind::Bool | Kind::Int | Kind::Float | Kind::Vector { .. }, Some(ty)) => {
                Ok(Const::Lanes(vec![0; usize::from(ty.lanes)]))
            }
            _ => Err("a null of a type that has none".into()),
        }
    }

    fn composite(&self, of: &Ty, parts: &[Id]) -> Result<Const, String> {
        let wanted = match &of.kind {
            Kind::Vector { lanes, .. } => u64::from(*lanes),
            Kind::Array { len, .. } => *len,
            Kind::Struct { members, .. } => members.len() as u64,
            _ => return Err("a composite of a type that is none".into()),
        };
        if parts.len() as u64 != wanted {
            return Err(format!("{} parts of a type that has {wanted}", parts.len()));
        }
        if let Kind::Vector { .. } = of.kind {
            let lanes: Result<Vec<u64>, String> = parts.iter().map(|&id| self.lane(id)).collect();
            return Ok(Const::Lanes(lanes?));
        }
        for (n, &part) in parts.iter().enumerate() {
            let wanted = match &of.kind {
                Kind::Array { elem, .. } => *elem,
                Kind::Struct { members, .. } => members[n],
                _ => continue,
            };
            self.check_part(part, wanted)?;
        }
        // Composites that nest double in size: zeros are not visited.
        let is_zero = parts.iter().all(|part| self.constants.get(part).is_some_and(|part| part.value.is_zero()));
        Ok(if is_zero { Const::Zero } else { Const::Composite(parts.to_vec()) })
    }

    /// That a constant, or a variable, which stands for its address, fits where this type is wanted.
    fn check_part(&self, part: Id, wanted: Id) -> Result<(), String> {
        let found = match self.constants.get(&part) {
            Some(constant) => self.size_of(constant.ty),
            None if self.var_of.contains_key(&part) => Some(8),
            None => return Err(format!("%{part} is no constant")),
        };
        if found == self.size_of(wanted) {
            Ok(())
        } else {
            Err(format!("part %{part} does not have the type of its place"))
        }
    }

    /// A composite whose parts are all the same. Spec: SPV_EXT_replicated_composites.
    fn repeated(&self, of: &Ty, part: Id) -> Result<Const, String> {
        match &of.kind {
            Kind::Vector { lanes, .. } => Ok(Const::Lanes(vec![self.lane(part)?; usize::from(*lanes)])),
            Kind::Struct { members, .. } => self.composite(of, &vec![part; members.len()]),
            Kind::Array { elem, len } => {
                self.check_part(part, *elem)?;
                let is_zero = *len == 0 || self.constants.get(&part).is_some_and(|part| part.value.is_zero());
                Ok(if is_zero { Const::Zero } else { Const::Repeat(part) })
            }
            _ => Err("a composite of a type that is none".into()),
        }
    }

    /// A composite of this type with another part.
    fn inserted(&mut self, object: Id, into: Const, ty: Id, path: &[u32]) -> Result<Const, String> {
        let [first, rest @ ..] = path else {
            self.check_part(object, ty)?;
            return self.whole(object);
        };
        let of = self.ty(ty)?;
        let n = of.n_parts().filter(|n| u64::from(*first) < *n).ok_or_else(|| format!("there is no part {first}"))?;
        if let (Some(vector), Const::Lanes(_) | Const::Undef) = (of.value, &into) {
            let Const::Lanes(mut lanes) = into else {
                return self.inserted(object, Const::Lanes(vec![0; usize::from(vector.lanes)]), ty, path);
            };
            lanes[*first as usize] = self.lane(object)?;
            return Ok(Const::Lanes(lanes));
        }
        self.parts_copied = self.parts_copied.saturating_add(n);
        if self.parts_copied > MAX_PARTS_COPIED {
            return Err("so many parts of constants are not supported".into());
        }
        let of = self.ty(ty)?;
        let types: Vec<Id> = (0..n as i64).filter_map(|part| of.part(part)).map(|(ty, _)| ty).collect();
        let mut parts = match into {
            Const::Composite(parts) => parts,
            Const::Repeat(part) => vec![part; n as usize],
            Const::Zero | Const::Undef => {
                let nulls = types.iter().map(|&ty| self.anonymous_null(ty));
                nulls.collect::<Result<Vec<Id>, String>>()?
            }
            _ => return Err("this part of a constant is not supported".into()),
        };
        let (place, part_ty) = (*first as usize, types[*first as usize]);
        let old = self.whole(parts[place])?;
        let new = self.inserted(object, old, part_ty, rest)?;
        parts[place] = self.anonymous(part_ty, new);
        Ok(Const::Composite(parts))
    }

    /// The value of a constant; a variable stands for its address.
    fn whole(&self, id: Id) -> Result<Const, String> {
        if self.var_of.contains_key(&id) {
            return Ok(Const::Address(id, 0));
        }
        Ok(self.constant(id)?.value.clone())
    }

    /// The number of a constant that the module has no id for.
    fn anonymous(&mut self, ty: Id, value: Const) -> Id {
        self.n_anonymous += 1;
        let id = Id::MAX - self.n_anonymous;
        self.constants.insert(id, Constant { ty, value });
        id
    }

    fn anonymous_null(&mut self, ty: Id) -> Result<Id, String> {
        if let Some(&known) = self.nulls.get(&ty) {
            return Ok(known);
        }
        let null = self.null(self.ty(ty)?)?;
        let id = self.anonymous(ty, null);
        self.nulls.insert(ty, id);
        Ok(id)
    }

    fn size_of(&self, ty: Id) -> Option<u64> {
        self.types.get(&ty).map(|ty| ty.size)
    }

    /// A scalar's bits; an undefined one is 0.
    fn lane(&self, id: Id) -> Result<u64, String> {
        match &self.constant(id)?.value {
            Const::Undef => Ok(0),
            _ => self.int(id),
        }
    }

    /// All components; an undefined value is 0.
    fn lanes(&self, id: Id) -> Result<(Vec<u64>, Scalar), String> {
        let Constant { ty, value } = self.constant(id)?;
        let ty = self.ty(*ty)?.value.ok_or("a number is wanted")?;
        match value {
            Const::Lanes(lanes) => Ok((lanes.clone(), ty.elem)),
            Const::Undef => Ok((vec![0; usize::from(ty.lanes)], ty.elem)),
            _ => Err(format!("%{id} is no number")),
        }
    }

    /// `OpSpecConstantOp`.
    fn computed(&self, op: Op, args: &[u32], of: &Ty, how: How) -> Result<Const, String> {
        let arg = |n: usize| args.get(n).copied().ok_or_else(|| format!("operand {n} is missing"));
        if let Kind::Pointer { .. } = of.kind {
            return self.address(op, args, of);
        }
        if let (Op::ConvertPtrToU | Op::Bitcast, Ok((base, add))) = (op, self.place(arg(0)?)) {
            return Ok(Const::Address(base, add));
        }
        match op {
            Op::CompositeExtract => {
                return match self.extracted(arg(0)?, &args[1..])? {
                    // Parts of nothing but zeros are not spelled out.
                    Const::Zero | Const::Undef => self.null(of),
                    part => Ok(part),
                };
            }
            Op::VectorShuffle => {
                let mut from = self.lanes(arg(0)?)?.0;
                from.extend(self.lanes(arg(1)?)?.0);
                let lane = |&n: &u32| from.get(n as usize).copied().unwrap_or(0);
                return Ok(Const::Lanes(args[2..].iter().map(lane).collect()));
            }
            _ => {}
        }
        let to = of.value.ok_or("the result is no number")?;
        let operands: Result<Vec<(Vec<u64>, Scalar)>, String> = args.iter().map(|&id| self.lanes(id)).collect();
        let operands = operands?;
        if op == Op::Bitcast {
            let [(lanes, from)] = &operands[..] else { return Err("one operand is wanted".into()) };
            return recast(lanes, *from, to.elem).map(Const::Lanes);
        }
        let lanes: Result<Vec<u64>, String> = (0..usize::from(to.lanes))
            .map(|n| {
                let lane = |(lanes, ty): &(Vec<u64>, Scalar)| {
                    let bits = lanes.get(n).or(if lanes.len() == 1 { lanes.first() } else { None });
                    bits.map(|&bits| (bits, *ty)).ok_or("operands of different sizes".to_owned())
                };
                let args: Result<Vec<(u64, Scalar)>, String> = operands.iter().map(lane).collect();
                compute(op, &args?, to.elem, how).map(|bits| bits & ones(to.elem.bits()))
            })
            .collect();
        Ok(Const::Lanes(lanes?))
    }

    fn extracted(&self, from: Id, path: &[u32]) -> Result<Const, String> {
        let [first, rest @ ..] = path else { return self.whole(from) };
        match &self.constant(from)?.value {
            Const::Lanes(lanes) => Ok(Const::Lanes(vec![*lanes.get(*first as usize).ok_or("no such component")?])),
            Const::Repeat(part) => self.extracted(*part, rest),
            Const::Composite(parts) => self.extracted(*parts.get(*first as usize).ok_or("no such member")?, rest),
            Const::Undef | Const::Zero => Ok(Const::Zero),
            _ => Err("this part of a constant is not supported".into()),
        }
    }

    /// Where a constant pointer leads.
    pub(super) fn place(&self, id: Id) -> Result<(Id, i64), String> {
        match self.constants.get(&id).map(|c| &c.value) {
            Some(Const::Address(base, add)) => Ok((*base, *add)),
            None if self.var_of.contains_key(&id) => Ok((id, 0)),
            _ => Err(format!("%{id} is no address of a variable")),
        }
    }

    /// A pointer of type `of` from one that is a constant.
    fn address(&self, op: Op, args: &[u32], of: &Ty) -> Result<Const, String> {
        let base_type = args.first().copied();
        // Untyped instructions have a type in front.
        let args = if is_untyped_chain(op) { args.get(1..).unwrap_or_default() } else { args };
        let first = *args.first().ok_or("the operand to begin with is missing")?;
        // A variable's, or a null or number that is an address.
        let (base, add) = match self.place(first) {
            Ok((base, add)) => (Some(base), add),
            Err(_) => (None, self.int(first)? as i64),
        };
        let address = |add: i64| match base {
            Some(base) => Const::Address(base, add),
            None => Const::Lanes(vec![add as u64]),
        };
        match op {
            _ if is_untyped_chain(op) => {}
            Op::Bitcast | Op::PtrCastToGeneric | Op::GenericCastToPtr | Op::ConvertUToPtr | Op::CopyObject => {
                return Ok(address(add));
            }
            Op::AccessChain | Op::InBoundsAccessChain | Op::PtrAccessChain | Op::InBoundsPtrAccessChain => {}
            _ => return Err(format!("Op{op:?} of an address is not supported")),
        }
        let pointer = match self.constants.get(&first) {
            Some(constant) => match self.ty(constant.ty)?.kind {
                Kind::Pointer { pointee, .. } => pointee,
                _ => None,
            },
            None => self.var_of.get(&first).map(|&n| self.vars[n].ty),
        };
        let pointer = if is_untyped_chain(op) { base_type } else { pointer };
        let mut at = pointer.ok_or("a pointer is wanted")?;
        let mut add = add;
        let mut indices = &args[1..];
        if is_element_chain(op) {
            let [element, rest @ ..] = indices else { return Err("an index is missing".into()) };
            add = add.wrapping_add((self.ty(at)?.size as i64).wrapping_mul(self.index(*element)?));
            indices = rest;
        }
        // LLVM's own back end writes distances in bytes as indices of whatever the base points to: the last one counts
        // in the result's type if it leads to no part of that size.
        if let (&[index], Kind::Pointer { pointee: Some(result), .. }) = (indices, &of.kind) {
            let (index, step) = (self.index(index)?, self.ty(*result)?.size);
            let part = self.ty(at)?.part(index);
            if part.is_none_or(|(part, _)| self.size_of(part) != Some(step)) {
                return Ok(address(add.wrapping_add(index.wrapping_mul(step as i64))));
            }
        }
        for &index in indices {
            let index = self.index(index)?;
            let (inner, offset) = self.ty(at)?.part(index).ok_or("no such part")?;
            (at, add) = (inner, add.wrapping_add(offset));
        }
        Ok(address(add))
    }

    /// A constant index, which is a signed number.
    pub(super) fn index(&self, id: Id) -> Result<i64, String> {
        let ty = self.ty(self.constant(id)?.ty)?.scalar().ok_or("an index is a number")?;
        Ok(signed(self.int(id)?, ty.bits()))
    }

    /// Writes a constant as it lies in memory to byte `at` of an object; what is not written is zero. `address` tells
    /// of each address in it: byte offset, variable, addend.
    ///
    /// # Errors
    /// It is no constant, or too large.
    pub fn bytes(
        &self,
        id: Id,
        at: usize,
        out: &mut Vec<u8>,
        address: &mut dyn FnMut(u64, Id, i64),
    ) -> Result<(), String> {
        let too_large = || Err("a constant of this size is not supported".to_owned());
        if self.var_of.contains_key(&id) {
            if at > MAX_DATA {
                return too_large();
            }
            address(at as u64, id, 0);
            return Ok(());
        }
        let Constant { ty, value } = self.constant(id)?;
        let ty = self.ty(*ty)?;
        match value {
            value if value.is_zero() => {}
            _ if at > MAX_DATA => return too_large(),
            Const::Lanes(lanes) => {
                let bytes = ty.scalar().map_or(4, Scalar::bytes) as usize;
                let end = at + bytes * lanes.len();
                out.resize(out.len().max(end), 0);
                for (place, lane) in out[at..end].chunks_mut(bytes).zip(lanes) {
                    place.copy_from_slice(&lane.to_le_bytes()[..bytes]);
                }
            }
            Const::Composite(parts) => {
                for (n, &part) in parts.iter().enumerate() {
                    let (_, offset) = ty.part(n as i64).ok_or("no such part")?;
                    self.bytes(part, at + offset as usize, out, address)?;
                }
            }
            Const::Repeat(part) => {
                for n in 0..ty.n_parts().unwrap_or(0) as i64 {
                    let (_, offset) = ty.part(n).ok_or("no such part")?;
                    self.bytes(*part, at + offset as usize, out, address)?;
                }
            }
            Const::Address(base, add) => address(at as u64, *base, *add),
            Const::Late(_) => {
                return Err(format!("%{id} is computed from an address, which no constant in memory can hold"));
            }
            Const::Zero | Const::Undef => {}
        }
        Ok(())
    }
}

/// Bytes of the largest constant whose bytes are spelled out.
const MAX_DATA: usize = 1 << 26;

/// Most parts of constants that insertions copy.
const MAX_PARTS_COPIED: u64 = 1 << 22;

impl Ty {
    /// Number of members, elements or components; none for what has no parts.
    pub fn n_parts(&self) -> Option<u64> {
        match &self.kind {
            Kind::Struct { members, .. } => Some(members.len() as u64),
            Kind::Array { len, .. } => Some(*len),
            Kind::Vector { lanes, .. } => Some(u64::from(*lanes)),
            _ => None,
        }
    }
    /// Type and byte offset of a part; `None` if there is no such part.
    pub fn part(&self, index: i64) -> Option<(Id, i64)> {
        match &self.kind {
            Kind::Struct { members, offsets } => {
                let n = usize::try_from(index).ok()?;
                Some((*members.get(n)?, *offsets.get(n)? as i64))
            }
            Kind::Array { elem, len } => {
                let stride = if *len == 0 { 0 } else { (self.size / len) as i64 };
                Some((*elem, index.wrapping_mul(stride)))
            }
            Kind::Vector { elem, .. } => Some((*elem, index.wrapping_mul(i64::from(self.scalar()?.bytes())))),
            _ => None,
        }
    }
}

/// Whether an instruction computes an address in an object whose type it names.
pub(super) fn is_untyped_chain(op: Op) -> bool {
    matches!(
        op,
        Op::UntypedAccessChainKHR
            | Op::UntypedInBoundsAccessChainKHR
            | Op::UntypedPtrAccessChainKHR
            | Op::UntypedInBoundsPtrAccessChainKHR
    )
}

/// Whether the first index of such an instruction counts objects.
pub(super) fn is_element_chain(op: Op) -> bool {
    matches!(
        op,
        Op::PtrAccessChain
            | Op::InBoundsPtrAccessChain
            | Op::UntypedPtrAccessChainKHR
            | Op::UntypedInBoundsPtrAccessChainKHR
    )
}

/// Bits of a literal sampler.
fn sampler_bits(inst: &Inst) -> Result<u32, String> {
    let address = match SamplerAddressingMode::from_u32(inst.word(2)?) {
        Some(SamplerAddressingMode::None) => 0,
        Some(SamplerAddressingMode::ClampToEdge) => sampler::CLAMP_TO_EDGE,
        Some(SamplerAddressingMode::Clamp) => sampler::CLAMP,
        Some(SamplerAddressingMode::Repeat) => sampler::REPEAT,
        Some(SamplerAddressingMode::RepeatMirrored) => sampler::MIRRORED_REPEAT,
        None => return Err("unknown addressing mode".into()),
    };
    let normalized = if inst.word(3)? == 0 { 0 } else { sampler::NORMALIZED };
    let filter = if inst.word(4)? == 0 { sampler::NEAREST } else { sampler::LINEAR };
    Ok(address | normalized | filter)
}

/// The same bits as components of another size.
fn recast(lanes: &[u64], from: Scalar, to: Scalar) -> Result<Vec<u64>, String> {
    let bytes: Vec<u8> = lanes.iter().flat_map(|l| l.to_le_bytes()[..from.bytes() as usize].to_vec()).collect();
    let chunks = bytes.chunks(to.bytes() as usize);
    Ok(chunks.map(|chunk| chunk.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte))).collect())
}

/// What decorations say of how a result is computed.
#[derive(Clone, Copy)]
struct How {
    rounding: Option<Rounding>,
    saturates: bool,
}

/// An operation on scalars.
fn compute(op: Op, args: &[(u64, Scalar)], to: Scalar, how: How) -> Result<u64, String> {
    let [(a, ty), rest @ ..] = args else { return Err("operands are missing".into()) };
    let (a, width) = (*a, ty.bits());
    let b = rest.first().map_or(0, |(bits, _)| *bits);
    let shift = b % u64::from(width);
    let (sa, sb) = (signed(a, width), signed(b, rest.first().map_or(width, |(_, ty)| ty.bits())));
    let flag = |condition: bool| u64::from(condition);
    Ok(match op {
        Op::UConvert if how.saturates => a.min(ones(to.bits())),
        Op::SConvert if how.saturates => {
            let most = (ones(to.bits()) >> 1) as i64;
            sa.clamp(!most, most) as u64
        }
        Op::CopyObject | Op::UConvert => a,
        Op::SConvert => sa as u64,
        Op::SNegate => a.wrapping_neg(),
        Op::Not => !a,
        Op::IAdd => a.wrapping_add(b),
        Op::ISub => a.wrapping_sub(b),
        Op::IMul => a.wrapping_mul(b),
        Op::UDiv => a.checked_div(b).unwrap_or(0),
        Op::UMod => a.checked_rem(b).unwrap_or(a),
        Op::SDiv => sa.checked_div(sb).unwrap_or(if sb == 0 { 0 } else { sa }) as u64,
        Op::SRem => sa.checked_rem(sb).unwrap_or(if sb == 0 { sa } else { 0 }) as u64,
        Op::SMod => {
            let rem = sa.checked_rem(sb).unwrap_or(0);
            (if rem != 0 && (rem < 0) != (sb < 0) { rem.wrapping_add(sb) } else { rem }) as u64
        }
        Op::ShiftRightLogical => a >> shift,
        Op::ShiftRightArithmetic => (sa >> shift) as u64,
        Op::ShiftLeftLogical => a << shift,
        Op::BitwiseOr | Op::LogicalOr => a | b,
        Op::BitwiseXor | Op::LogicalNotEqual => a ^ b,
        Op::BitwiseAnd | Op::LogicalAnd => a & b,
        Op::LogicalNot => a ^ 1,
        Op::LogicalEqual | Op::IEqual => flag(a == b),
        Op::INotEqual => flag(a != b),
        Op::UGreaterThan => flag(a > b),
        Op::SGreaterThan => flag(sa > sb),
        Op::UGreaterThanEqual => flag(a >= b),
        Op::SGreaterThanEqual => flag(sa >= sb),
        Op::ULessThan => flag(a < b),
        Op::SLessThan => flag(sa < sb),
        Op::ULessThanEqual => flag(a <= b),
        Op::SLessThanEqual => flag(sa <= sb),
        Op::Select => {
            let other = rest.get(1).ok_or("operands are missing")?.0;
            if a & 1 != 0 { b } else { other }
        }
        _ => return compute_float(op, args, to, how),
    })
}

/// An operation on floats, or a conversion from or to one: what the instruction gives.
fn compute_float(op: Op, args: &[(u64, Scalar)], to: Scalar, how: How) -> Result<u64, String> {
    let from = args.first().ok_or("operands are missing")?.1;
    let is_int = |ty: Scalar| !ty.is_float() && !matches!(ty, Scalar::I1 | Scalar::Ptr(_));
    let (n, fits) = match op {
        Op::FNegate => (1, from.is_float() && from == to),
        Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FRem | Op::FMod => (2, from.is_float() && from == to),
        Op::FConvert => (1, from.is_float() && to.is_float()),
        Op::QuantizeToF16 => (1, [from, to] == [Scalar::F32; 2]),
        Op::ConvertSToF | Op::ConvertUToF => (1, is_int(from) && to.is_float()),
        Op::ConvertFToS | Op::ConvertFToU => (1, from.is_float() && is_int(to)),
        _ => return Err(format!("Op{op:?} of constants is not supported")),
    };
    let args = args.get(..n).ok_or("operands are missing")?;
    if !fits || args.iter().any(|arg| arg.1 != from) {
        return Err("the types do not fit the operation".into());
    }
    let rm = how.rounding.unwrap_or(if to.is_float() { Rounding::Rte } else { Rounding::Rtz });
    let (of, into) = (Format::of(from), Format::of(to));
    let (a, b) = (args[0].0, args[n - 1].0);
    Ok(match op {
        Op::FNegate => softfloat::neg(of, a),
        Op::FAdd => softfloat::add(of, a, b, rm),
        Op::FSub => softfloat::sub(of, a, b, rm),
        Op::FMul => softfloat::mul(of, a, b, rm),
        Op::FDiv => softfloat::div(of, a, b, rm),
        Op::FRem => softfloat::rem(of, a, b),
        Op::FMod => {
            let rem = softfloat::rem(of, a, b);
            let [x, y] = [rem, b].map(|bits| softfloat::to_f64(of, bits));
            let differ = x != 0.0 && !x.is_nan() && (x < 0.0) != (y < 0.0);
            if differ { softfloat::add(of, rem, b, rm) } else { rem }
        }
        Op::FConvert if from == to => a,
        Op::FConvert => softfloat::convert(of, into, a, rm),
        Op::QuantizeToF16 => {
            let sign = a & !(ones(32) >> 1);
            let half = softfloat::convert(of, softfloat::F16, a, Rounding::Rte);
            let is_small = a - sign < LEAST_NORMAL_HALF.into();
            if is_small { sign } else { softfloat::convert(softfloat::F16, of, half, Rounding::Rte) }
        }
        Op::ConvertSToF => {
            let number = signed(a, from.bits());
            softfloat::from_int(into, number < 0, number.unsigned_abs(), rm)
        }
        Op::ConvertUToF => softfloat::from_int(into, false, a, rm),
        _ if to.bits() < 32 && !how.saturates => softfloat::to_int_saturated(of, a, true, 32, rm) & ones(to.bits()),
        _ => softfloat::to_int_saturated(of, a, op == Op::ConvertFToS, to.bits(), rm),
    })
}

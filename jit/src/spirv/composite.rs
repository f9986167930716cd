//! Composites: vectors, and structs and arrays, which are memory. Results of two numbers are such structs. Spec:
//! SPIR-V, "Composite Instructions".

use super::function::{Def, FuncCx};
use super::ty::Kind;
use super::words::{Id, Inst};
use crate::ir::op::Rounding;
use crate::ir::{Attr, Imm, IntPred, Op as Kir, Scalar, Type, Value};
use spirv::Op;

impl FuncCx<'_> {
    /// Instructions on composites; `None` for others.
    pub(super) fn composite(&mut self, op: Op, inst: &Inst, ty: Id) -> Result<Option<Def>, String> {
        Ok(Some(match op {
            Op::Undef => self.undef(ty)?,
            Op::CompositeConstruct | Op::CompositeConstructReplicateEXT => self.construct(op, inst, ty)?,
            Op::CompositeExtract => self.extract(inst, ty)?,
            Op::CompositeInsert => self.insert(inst, ty)?,
            Op::CopyObject | Op::CopyLogical | Op::Select | Op::ExpectKHR if self.module.ty(ty)?.is_aggregate() => {
                self.aggregate(op, inst, ty)?
            }
            Op::VectorShuffle => Def::Value(self.vector_shuffle(inst, ty)?),
            Op::VectorExtractDynamic => {
                let (v, index) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
                let to = self.kir(ty)?;
                if !self.e.func.ty(v).is_vector() || self.e.func.ty(v).lane() != to {
                    return Err("a vector of the result's type is wanted".into());
                }
                let index = self.index32(index)?;
                Def::Value(self.e.emit(Kir::ExtractDyn, to, &[v, index], Imm::None))
            }
            Op::VectorInsertDynamic => {
                let [v, part, index] = [0, 1, 2].map(|n| self.operand(inst, n));
                let (v, part, index) = (v?, part?, index?);
                let to = self.kir(ty)?;
                self.want(v, to)?;
                self.want(part, to.lane())?;
                let index = self.index32(index)?;
                let mut out = v;
                for lane in 0..to.lanes {
                    let n = self.e.bits(Type::I32, u64::from(lane));
                    let here = self.e.emit(Kir::Icmp, Type::I1, &[index, n], Imm::IntPred(IntPred::Eq));
                    let old = self.e.extract(v, lane);
                    let new = self.e.emit(Kir::Select, to.lane(), &[here, part, old], Imm::None);
                    out = self.e.emit(Kir::Insert, to, &[out, new], Imm::Lane(lane));
                }
                Def::Value(out)
            }
            Op::IAddCarry | Op::ISubBorrow | Op::UMulExtended | Op::SMulExtended => self.extended(op, inst, ty)?,
            _ => return Ok(None),
        }))
    }

    fn undef(&mut self, ty: Id) -> Result<Def, String> {
        Ok(match self.module.ty(ty)?.value {
            Some(kir) => Def::Value(self.e.undef(kir)),
            None => Def::Memory(self.temp(ty)?),
        })
    }

    /// A copy, or a choice, of structs or arrays.
    fn aggregate(&mut self, op: Op, inst: &Inst, ty: Id) -> Result<Def, String> {
        if op != Op::Select {
            let (from, found) = self.memory(inst.word(2)?)?;
            if found == ty {
                return Ok(Def::Memory(from));
            }
            if op != Op::CopyLogical {
                return Err("the operand does not have the type of the result".into());
            }
            let place = self.temp(ty)?;
            self.copy_parts((place, ty), (from, found), &mut 0)?;
            return Ok(Def::Memory(place));
        }
        let cond = self.operand(inst, 0)?;
        self.want(cond, Type::I1)?;
        let [a, b] = [3, 4].map(|n| inst.word(n).and_then(|id| self.memory(id)));
        let ((a, a_ty), (b, b_ty)) = (a?, b?);
        if a_ty != ty || b_ty != ty {
            return Err("the operands do not have the type of the result".into());
        }
        let [a, b] = [a, b].map(|p| self.e.cast_pointer(p, Type::ptr(crate::launch::AddrSpace::Generic)));
        let from = self.e.emit(Kir::Select, self.e.func.ty(a), &[cond, a, b], Imm::None);
        let place = self.temp(ty)?;
        self.copy(place, from, ty)?;
        Ok(Def::Memory(place))
    }

    /// Copies an object to a place whose type has the same parts, maybe at other offsets. Spec: SPIR-V,
    /// "OpCopyLogical".
    fn copy_parts(&mut self, to: (Value, Id), from: (Value, Id), n_copies: &mut usize) -> Result<(), String> {
        let different = || Err("the types have different parts".to_owned());
        *n_copies += 1;
        if *n_copies > MAX_COPIES {
            return Err("so large a copy between different layouts is not supported".into());
        }
        if to.1 == from.1 {
            return self.copy(to.0, from.0, to.1);
        }
        let [to_ty, from_ty] = [self.module.ty(to.1)?, self.module.ty(from.1)?];
        let n = match (&to_ty.kind, &from_ty.kind) {
            (Kind::Array { len, .. }, Kind::Array { len: other, .. }) if len == other => *len,
            (Kind::Struct { members, .. }, Kind::Struct { members: others, .. }) if members.len() == others.len() => {
                members.len() as u64
            }
            _ => return different(),
        };
        for part in 0..n as i64 {
            let (Some((to_part, to_at)), Some((from_part, from_at))) = (to_ty.part(part), from_ty.part(part)) else {
                return different();
            };
            let to = (self.e.ptr_off(to.0, to_at), to_part);
            let from = (self.e.ptr_off(from.0, from_at), from_part);
            self.copy_parts(to, from, n_copies)?;
        }
        Ok(())
    }

    fn construct(&mut self, op: Op, inst: &Inst, ty: Id) -> Result<Def, String> {
        let of = self.module.ty(ty)?;
        if let Some(to) = of.value {
            let mut parts = Vec::new();
            for &id in inst.rest(2) {
                let part = self.value(id)?;
                if self.e.func.ty(part).elem != to.elem {
                    return Err("a part does not have the components' type".into());
                }
                parts.push(part);
            }
            if op == Op::CompositeConstructReplicateEXT && parts.len() == 1 {
                parts = vec![parts[0]; usize::from(to.lanes)];
            }
            let lanes: usize = parts.iter().map(|&v| usize::from(self.e.func.ty(v).lanes)).sum();
            if lanes != usize::from(to.lanes) || !to.is_vector() {
                return Err("the parts do not make the vector".into());
            }
            return Ok(Def::Value(self.e.build(to, &parts)));
        }
        let parts = inst.rest(2);
        let wanted = of.n_parts().ok_or("a type without parts")?;
        if let (Op::CompositeConstructReplicateEXT, &[part]) = (op, parts) {
            return self.replicated(part, ty).map(Def::Memory);
        }
        if parts.len() as u64 != wanted {
            return Err(format!("{} parts of a type that has {wanted}", parts.len()));
        }
        let place = self.temp(ty)?;
        for (n, &part) in parts.iter().enumerate() {
            let (part_ty, offset) = of.part(n as i64).ok_or("no such part")?;
            let at = self.e.ptr_off(place, offset);
            self.store_object(at, part, part_ty, Attr::default())?;
        }
        Ok(Def::Memory(place))
    }

    /// A struct or array whose parts are all the same.
    fn replicated(&mut self, part: Id, ty: Id) -> Result<Value, String> {
        let of = self.module.ty(ty)?;
        let place = self.temp(ty)?;
        match of.kind {
            Kind::Array { elem, len } if len > 0 => {
                self.store_object(place, part, elem, Attr::default())?;
                let (stride, mut done) = (of.size / len, 1);
                while done < len {
                    let n = done.min(len - done);
                    let rest = self.e.ptr_off(place, (done * stride) as i64);
                    self.e.copy_bytes(rest, place, n * stride, Attr::default());
                    done += n;
                }
            }
            Kind::Struct { ref members, ref offsets } if members.len() <= MAX_REPLICATED => {
                for (&member, &offset) in members.iter().zip(offsets) {
                    let at = self.e.ptr_off(place, offset as i64);
                    self.store_object(at, part, member, Attr::default())?;
                }
            }
            Kind::Array { .. } => {}
            _ => return Err("a struct of so many members is not supported here".into()),
        }
        Ok(place)
    }

    /// Follows literal indices into a type: byte offset and type of the part. Stops in front of a vector's component,
    /// whose number it gives.
    fn path(&self, ty: Id, indices: &[u32]) -> Result<(i64, Id, Option<u8>), String> {
        let (mut at, mut offset) = (ty, 0);
        for (n, &index) in indices.iter().enumerate() {
            let of = self.module.ty(at)?;
            if u64::from(index) >= of.n_parts().ok_or("a type without parts")? {
                return Err(format!("there is no part {index}"));
            }
            if of.value.is_some() {
                return if n + 1 == indices.len() {
                    Ok((offset, at, Some(index as u8)))
                } else {
                    Err("a component has no parts".into())
                };
            }
            let (inner, add) = of.part(i64::from(index)).ok_or("no such part")?;
            (at, offset) = (inner, offset + add);
        }
        Ok((offset, at, None))
    }

    fn extract(&mut self, inst: &Inst, ty: Id) -> Result<Def, String> {
        let from = inst.word(2)?;
        let from_ty = self.type_of(from)?;
        let (offset, part, lane) = self.path(from_ty, inst.rest(3))?;
        let whole = match self.def(from)? {
            Def::Memory(ptr) => {
                let at = self.e.ptr_off(ptr, offset);
                if lane.is_none() && self.module.ty(part)?.is_aggregate() {
                    return if part == ty { Ok(Def::Memory(at)) } else { Err("the part has another type".into()) };
                }
                self.load_number(at, part, Attr::default())?
            }
            _ => self.value(from)?,
        };
        let value = match lane {
            Some(lane) => self.e.extract(whole, lane),
            None => whole,
        };
        self.want(value, self.kir(ty)?)?;
        Ok(Def::Value(value))
    }

    fn insert(&mut self, inst: &Inst, ty: Id) -> Result<Def, String> {
        let (part, into) = (inst.word(2)?, inst.word(3)?);
        if self.type_of(into)? != ty {
            return Err("the composite does not have the type of the result".into());
        }
        let (offset, inner, lane) = self.path(ty, inst.rest(4))?;
        let place = match self.def(into)? {
            Def::Memory(from) => {
                let place = self.temp(ty)?;
                self.copy(place, from, ty)?;
                place
            }
            _ => {
                let (v, part) = (self.value(into)?, self.value(part)?);
                let to = self.kir(ty)?;
                let lane = lane.ok_or("an index is missing")?;
                self.want(part, to.lane())?;
                return Ok(Def::Value(self.e.emit(Kir::Insert, to, &[v, part], Imm::Lane(lane))));
            }
        };
        let at = self.e.ptr_off(place, offset);
        match lane {
            None => self.store_object(at, part, inner, Attr::default())?,
            Some(lane) => {
                let old = self.load_number(at, inner, Attr::default())?;
                let part = self.value(part)?;
                let to = self.e.func.ty(old);
                self.want(part, to.lane())?;
                let new = self.e.emit(Kir::Insert, to, &[old, part], Imm::Lane(lane));
                self.store_number(at, new, Attr::default());
            }
        }
        Ok(Def::Memory(place))
    }

    fn vector_shuffle(&mut self, inst: &Inst, ty: Id) -> Result<Value, String> {
        let (a, b) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
        let [from, other] = [a, b].map(|v| self.e.func.ty(v));
        let to = self.kir(ty)?;
        if from.elem != other.elem || to.elem != from.elem || inst.rest(4).len() != usize::from(to.lanes) {
            return Err("the vectors do not fit".into());
        }
        let mut lanes = Vec::with_capacity(usize::from(to.lanes));
        for &n in inst.rest(4) {
            lanes.push(match n {
                u32::MAX => self.e.undef(to.lane()),
                n if n < u32::from(from.lanes) => self.e.extract(a, n as u8),
                n if n < u32::from(from.lanes) + u32::from(other.lanes) => self.e.extract(b, n as u8 - from.lanes),
                _ => return Err(format!("there is no component {n}")),
            });
        }
        if from == other && inst.rest(4).iter().all(|&n| n != u32::MAX) {
            let lanes: Box<[u8]> = inst.rest(4).iter().map(|&n| n as u8).collect();
            return Ok(self.e.emit(Kir::Shuffle, to, &[a, b], Imm::Lanes(lanes)));
        }
        Ok(self.e.emit(Kir::Build, to, &lanes, Imm::None))
    }

    /// An index of a vector's component as `i32`.
    fn index32(&mut self, index: Value) -> Result<Value, String> {
        let ty = self.e.func.ty(index);
        if !ty.is_int() || ty.is_vector() || ty == Type::I1 {
            return Err("an index is an integer".into());
        }
        Ok(self.e.convert_lanes(index, Type::I32, [false; 2], false, Rounding::Rte))
    }

    /// Results of two numbers: low and high part.
    fn extended(&mut self, op: Op, inst: &Inst, ty: Id) -> Result<Def, String> {
        let (a, b) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
        let number = self.e.func.ty(a);
        self.want(b, number)?;
        let of = self.module.ty(ty)?;
        let parts = [of.part(0), of.part(1)];
        let [Some((first, low_at)), Some((_, high_at))] = parts else { return Err("a struct of two is wanted".into()) };
        if self.kir(first)? != number || !number.is_int() || of.n_parts() != Some(2) {
            return Err("a struct of two such numbers is wanted".into());
        }
        let mask = number.with_elem(Scalar::I1);
        let (low, high) = match op {
            Op::IAddCarry => {
                let sum = self.e.same(Kir::Add, &[a, b]);
                let carry = self.e.emit(Kir::Icmp, mask, &[sum, a], Imm::IntPred(IntPred::ULt));
                (sum, self.e.emit(Kir::Zext, number, &[carry], Imm::None))
            }
            Op::ISubBorrow => {
                let difference = self.e.same(Kir::Sub, &[a, b]);
                let borrow = self.e.emit(Kir::Icmp, mask, &[a, b], Imm::IntPred(IntPred::ULt));
                (difference, self.e.emit(Kir::Zext, number, &[borrow], Imm::None))
            }
            _ => {
                let high = if op == Op::UMulExtended { Kir::MulHiU } else { Kir::MulHiS };
                (self.e.same(Kir::Mul, &[a, b]), self.e.same(high, &[a, b]))
            }
        };
        let place = self.temp(ty)?;
        for (value, offset) in [(low, low_at), (high, high_at)] {
            let at = self.e.ptr_off(place, offset);
            self.store_number(at, value, Attr::default());
        }
        Ok(Def::Memory(place))
    }
}

/// Most members of a struct that one operand stands for.
const MAX_REPLICATED: usize = 1 << 10;

/// Most copies of parts that one instruction stands for.
const MAX_COPIES: usize = 1 << 12;

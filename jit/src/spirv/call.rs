//! Calls of builtin functions: `OpenCL.std`, and instructions that are functions of OpenCL C by other names. All go
//! through the tables of `crate::builtin`, so that both languages have the same bodies. Spec: "OpenCL Extended
//! Instruction Set".

use super::function::{Def, FuncCx};
use super::module::Set;
use super::ty::Kind;
use super::words::{Id, Inst};
use crate::builtin::{self, Attrs, Body, Concrete, Elem, Pointee, Row, Spaces, Special};
use crate::hir::{Builtin, FpAttr};
use crate::image::ImageShape;
use crate::ir::op::Rounding;
use crate::ir::{Global, Imm, Init, Op as Kir, Scalar, Type, Value};
use crate::launch::AddrSpace;
use crate::lower::builtin::Arg;
use crate::printf;
use spirv::{FPRoundingMode, Op, OpenclStd100Op as Std};

/// An argument of a builtin function.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    pub(super) value: Value,
    /// Of a pointer: bytes of what it points to, and of an element of that.
    pub(super) pointee: Option<(u32, u32)>,
    /// Of an image.
    pub(super) image: Option<ImageShape>,
    /// Where a name says it: element type and width of the number, or of what the pointer points to.
    pub(super) number: Option<(Elem, u8)>,
}

impl From<Value> for Operand {
    fn from(value: Value) -> Self {
        Self { value, pointee: None, image: None, number: None }
    }
}

/// KIR's type of a builtin's number.
pub(super) fn number(elem: Elem, width: u8) -> Type {
    let ty = match elem {
        Elem::Half => Type::F16,
        Elem::Float => Type::F32,
        Elem::Double => Type::F64,
        other => Type::int(u32::from(other.size_bytes())),
    };
    ty.with_lanes(width)
}

fn contains(spaces: Spaces, space: AddrSpace) -> bool {
    spaces.contains(match space {
        AddrSpace::Private => Spaces::PRIVATE,
        AddrSpace::Local => Spaces::LOCAL,
        AddrSpace::Global => Spaces::GLOBAL,
        AddrSpace::Constant => Spaces::CONSTANT,
        AddrSpace::Generic => Spaces::GENERIC,
    })
}

impl FuncCx<'_> {
    /// An operand with what its type says.
    pub(super) fn arg(&mut self, id: Id) -> Result<Operand, String> {
        let value = self.value(id)?;
        self.typed(value, self.type_of(id)?)
    }

    /// A value with what its type says.
    pub(super) fn typed(&self, value: Value, ty: Id) -> Result<Operand, String> {
        let mut operand = Operand::from(value);
        match self.module.ty(ty)?.kind {
            Kind::Pointer { pointee, .. } => {
                let of = pointee.and_then(|id| self.module.types.get(&id));
                let size = of.map_or(1, |ty| ty.size as u32);
                operand.pointee = Some((size, of.and_then(|ty| ty.scalar()).map_or(1, Scalar::bytes)));
            }
            Kind::Image { shape, .. } => operand.image = Some(shape),
            _ => {}
        }
        Ok(operand)
    }

    /// Calls the builtin function of this name that takes these arguments, whose integers are signed or not where that
    /// makes a difference.
    ///
    /// # Errors
    /// There is none.
    pub(super) fn named(&mut self, name: &str, args: &[Operand], sign: Option<bool>) -> Result<Option<Value>, String> {
        let types: Vec<Type> = args.iter().map(|arg| self.e.func.ty(arg.value)).collect();
        let Some((row, elem, width)) = choose(name, args, &types, sign) else {
            return Err(match builtin::lookup(name) {
                [] => format!("the device has no function '{name}'"),
                _ => format!("the function '{name}' does not take these operands"),
            });
        };
        self.call_row(row, elem, width, args)
    }

    fn call_row(&mut self, row: &Row, elem: Elem, width: u8, args: &[Operand]) -> Result<Option<Value>, String> {
        let via_float = elem == Elem::Half && row.attrs.contains(Attrs::HALF_VIA_FLOAT);
        let body_elem = if via_float { Elem::Float } else { elem };
        let type_of = |concrete| match concrete {
            Concrete::Num { elem, width } => Some(number(elem, width)),
            Concrete::Event => Some(Type::I64),
            _ => None,
        };
        let declared = type_of(row.ret.concrete(elem, width));
        let ret = type_of(row.ret.concrete(body_elem, width));
        let lanes = ret.map_or(1, |ty| ty.lanes);
        let mut list = Vec::with_capacity(args.len());
        for (param, arg) in row.params.iter().zip(args) {
            let mut value = arg.value;
            if let Some(to) = type_of(param.concrete(body_elem, width)) {
                value = self.e.convert_lanes(value, to, [true; 2], false, Rounding::Rte);
                if matches!(row.body, Body::Op(_)) && lanes > 1 && to.lanes == 1 && !row.attrs.is_empty() {
                    value = self.e.emit(Kir::Splat, to.with_lanes(lanes), &[value], Imm::None);
                }
            }
            // Untyped pointers do not say it.
            let pointee = match param.concrete(elem, width) {
                Concrete::Ptr { pointee: Pointee::Num { elem, width }, .. } => {
                    Some((number(elem, width).bytes(), number(elem, 1).bytes()))
                }
                _ => arg.pointee,
            };
            let signed = matches!(param.concrete(body_elem, width), Concrete::Num { elem, .. } if elem.is_signed_int());
            list.push(Arg { value, signed, pointee });
        }
        let flags = if ret.is_some_and(Type::is_float) { self.float.flags } else { Default::default() };
        let fp = FpAttr { rm: Rounding::Rte, flags };
        let result = match row.body {
            Body::Special(Special::Identity) => list.first().map(|arg| arg.value),
            _ => {
                let what = Builtin::of(row, elem, width, fp, self.float.precision);
                let mut what = what.ok_or("this function cannot be called so")?;
                if let (Builtin::SubGroup { f, cluster, .. }, [_, .., size]) = (&mut what, &list[..])
                    && f.has_cluster(list.len())
                {
                    let bits = self.e.func.const_bits(size.value).filter(|size| size.is_power_of_two());
                    let bits = bits.ok_or("the size of clusters is a constant power of two")?;
                    *cluster = u8::try_from(bits).unwrap_or(0);
                }
                self.e.builtin(&what, &list, ret)
            }
        };
        Ok(result.map(|v| match declared {
            Some(ty) => self.e.convert_lanes(v, ty, [true; 2], false, Rounding::Rte),
            None => v,
        }))
    }

    /// A function of numbers whose booleans, first and result, are integers in OpenCL C.
    pub(super) fn named_bool(
        &mut self,
        name: &str,
        args: &[Value],
        sign: Option<bool>,
        to: Type,
    ) -> Result<Value, String> {
        let mut list = Vec::with_capacity(args.len());
        for &arg in args {
            let ty = self.e.func.ty(arg);
            let is_bool = ty.elem == Scalar::I1;
            let v = if is_bool { self.e.bool_as(arg, Type::I32.with_lanes(ty.lanes)) } else { arg };
            list.push(Operand::from(v));
        }
        let value = self.named(name, &list, sign)?.ok_or("a value is wanted")?;
        if to == Type::I1 {
            return Ok(self.e.is_true(value));
        }
        self.want(value, to)?;
        Ok(value)
    }

    /// `OpExtInst`.
    pub(super) fn ext_inst(&mut self, inst: &Inst, ty: Id) -> Result<Option<Def>, String> {
        let (set, number) = (inst.word(2)?, inst.word(3)?);
        match self.module.sets.get(&set) {
            Some(Set::OpenCl) => {}
            Some(Set::NonSemantic) => return Ok(None),
            None => return Err(format!("%{set} is no instruction set")),
        }
        let std = Std::from_u32(number).ok_or_else(|| format!("OpenCL.std has no instruction {number}"))?;
        let ret = self.module.ty(ty)?.value;
        let value = self.opencl_std(std, inst.rest(4), ret)?;
        match (value, ret) {
            (Some(value), Some(to)) => {
                let (found, n) = (self.e.func.ty(value), to.lanes);
                let value = if found != to && found.lanes == n && !to.is_ptr() && found.is_int() && to.is_int() {
                    self.e.convert_lanes(value, to, [true; 2], false, Rounding::Rte)
                } else {
                    value
                };
                self.want(value, to)?;
                Ok(Some(Def::Value(value)))
            }
            (None, Some(_)) => Err(format!("{std:?} has no result")),
            (_, None) => Ok(None),
        }
    }

    fn opencl_std(&mut self, std: Std, ids: &[Id], ret: Option<Type>) -> Result<Option<Value>, String> {
        let direct = match std {
            Std::vloadn => Some((Builtin::Vload, 2)),
            Std::vstoren => Some((Builtin::Vstore, 3)),
            Std::vload_half | Std::vload_halfn => Some((Builtin::VloadHalf { aligned: false }, 2)),
            Std::vloada_halfn => Some((Builtin::VloadHalf { aligned: true }, 2)),
            Std::vstore_half | Std::vstore_halfn => {
                Some((Builtin::VstoreHalf { aligned: false, rm: self.float.rm[0] }, 3))
            }
            Std::vstorea_halfn => Some((Builtin::VstoreHalf { aligned: true, rm: self.float.rm[0] }, 3)),
            Std::vstore_half_r | Std::vstore_halfn_r | Std::vstorea_halfn_r => {
                let rm = ids.get(3).and_then(|&mode| FPRoundingMode::from_u32(mode)).ok_or("unknown rounding mode")?;
                let rm = match rm {
                    FPRoundingMode::RTE => Rounding::Rte,
                    FPRoundingMode::RTZ => Rounding::Rtz,
                    FPRoundingMode::RTP => Rounding::Rtp,
                    FPRoundingMode::RTN => Rounding::Rtn,
                };
                Some((Builtin::VstoreHalf { aligned: std == Std::vstorea_halfn_r, rm }, 3))
            }
            Std::prefetch => return Ok(None),
            Std::printf => return self.printf(ids).map(Some),
            _ => None,
        };
        if let Some((what, n)) = direct {
            return self.vector_access(&what, ids.get(..n).ok_or("operands are missing")?, ret);
        }
        let name = format!("{std:?}");
        let (name, sign) = match name.split_at_checked(2) {
            Some(("s_", rest)) => (rest, Some(true)),
            Some(("u_", rest)) => (rest, Some(false)),
            _ => (&name[..], None),
        };
        let name = match name {
            "fclamp" => "clamp",
            "fmax_common" => "max",
            "fmin_common" => "min",
            other => other,
        };
        let mut args = Vec::with_capacity(ids.len());
        for &id in ids {
            args.push(self.arg(id)?);
        }
        // The absolute value of an unsigned number is that number.
        if let (Std::u_abs, [arg]) = (std, &args[..]) {
            return Ok(Some(arg.value));
        }
        self.named(name, &args, sign)
    }

    /// `vload…` and `vstore…`: operands are the data to store, offset and pointer.
    fn vector_access(&mut self, what: &Builtin, ids: &[Id], ret: Option<Type>) -> Result<Option<Value>, String> {
        let mut args = Vec::with_capacity(3);
        for &id in ids {
            let Operand { value, pointee, .. } = self.arg(id)?;
            args.push(Arg { value, signed: false, pointee });
        }
        let [.., offset, pointer] = args[..] else { return Err("operands are missing".into()) };
        let offset_ty = self.e.func.ty(offset.value);
        if !self.e.func.ty(pointer.value).is_ptr() || offset_ty.is_vector() || !offset_ty.is_int() {
            return Err("an offset and a pointer are wanted".into());
        }
        let halves = matches!(what, Builtin::VloadHalf { .. } | Builtin::VstoreHalf { .. });
        let data = if args.len() == 3 { Some(self.e.func.ty(args[0].value)) } else { ret };
        if halves && data.is_none_or(|ty| !ty.is_float() || ty.elem == Scalar::F16) {
            return Err("halves are loaded and stored as floats".into());
        }
        Ok(self.e.builtin(what, &args, ret))
    }

    /// `printf`: the list of types that `crate::printf` wants is made from the operands' types.
    fn printf(&mut self, ids: &[Id]) -> Result<Value, String> {
        let [format, rest @ ..] = ids else { return Err("a format is missing".into()) };
        let format = self.pointer(*format)?;
        let format = self.cast(format, Type::ptr(AddrSpace::Constant));
        let (mut types, mut values) = (Vec::new(), Vec::new());
        for &id in rest {
            let value = self.value(id)?;
            let ty = self.e.func.ty(value);
            let kind = match ty.elem {
                Scalar::I1 => return Err("printf does not take booleans".into()),
                Scalar::I8 => printf::Kind::I8,
                Scalar::I16 => printf::Kind::I16,
                Scalar::I32 => printf::Kind::I32,
                Scalar::I64 => printf::Kind::I64,
                Scalar::F16 => printf::Kind::F16,
                Scalar::F32 => printf::Kind::F32,
                Scalar::F64 => printf::Kind::F64,
                Scalar::Ptr(_) => printf::Kind::Pointer,
            };
            types.extend([kind.code(), ty.lanes]);
            values.push(value);
        }
        types.push(0);
        let init = Init { bytes: types, relocs: Vec::new() };
        let size = init.bytes.len() as u64;
        let global = Global { name: String::new(), space: AddrSpace::Constant, size, align: 1, init, variable: None };
        let global = self.e.out.module.globals.push(global);
        let list = self.e.emit(Kir::GlobalAddr, Type::ptr(AddrSpace::Constant), &[], Imm::Global(global));
        let args = [format, list].into_iter().chain(values);
        let args: Vec<Arg> = args.map(|value| Arg { value, signed: true, pointee: None }).collect();
        self.e.builtin(&Builtin::Printf, &args, Some(Type::I32)).ok_or_else(|| "printf has a result".into())
    }

    /// Translates instructions with a result that are functions of OpenCL C; outer `None` if it is no such, inner one
    /// if the result is void.
    pub(super) fn function_inst(&mut self, op: Op, inst: &Inst, ty: Id) -> Result<Option<Option<Def>>, String> {
        if matches!(op, Op::ExtInst | Op::ExtInstWithForwardRefsKHR) {
            return self.ext_inst(inst, ty).map(Some);
        }
        let Some(to) = self.module.ty(ty)?.value else { return Ok(None) };
        let value = match op {
            Op::BitFieldInsert | Op::BitFieldSExtract | Op::BitFieldUExtract => {
                let (name, n) = match op {
                    Op::BitFieldInsert => ("bitfield_insert", 2),
                    Op::BitFieldSExtract => ("bitfield_extract_signed", 1),
                    _ => ("bitfield_extract_unsigned", 1),
                };
                let mut args = Vec::with_capacity(4);
                for (at, &id) in inst.rest(2).iter().enumerate() {
                    let value = self.value(id)?;
                    let is_place = at >= n && self.e.func.ty(value).is_int();
                    let place = |cx: &mut Self| cx.e.convert_lanes(value, Type::I32, [false; 2], false, Rounding::Rte);
                    args.push(Operand::from(if is_place { place(self) } else { value }));
                }
                self.named(name, &args, None)?
            }
            Op::AbsISubINTEL | Op::AbsUSubINTEL => {
                let (a, b) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
                self.named("abs_diff", &[a.into(), b.into()], Some(op == Op::AbsISubINTEL))?
            }
            Op::ReadClockKHR => {
                let clock = self.e.emit(Kir::Clock, Type::I64, &[], Imm::None);
                if to.bytes() != 8 {
                    return Err("a clock has 64 bits".into());
                }
                Some(self.e.as_type(clock, to))
            }
            Op::PtrDiff => {
                let pointer = inst.word(2)?;
                // What untyped pointers point to are bytes.
                let size = match self.module.ty(self.type_of(pointer)?)?.kind {
                    Kind::Pointer { pointee: Some(pointee), .. } => self.module.ty(pointee)?.size.max(1),
                    _ => 1,
                };
                let [a, b] = [2, 3].map(|n| inst.word(n).and_then(|id| self.pointer(id)));
                let [a, b] = [a?, b?].map(|p| self.e.emit(Kir::PtrToInt, Type::I64, &[p], Imm::None));
                let bytes = self.e.same(Kir::Sub, &[a, b]);
                let size = self.e.bits(Type::I64, size);
                let count = self.e.same(Kir::DivS, &[bytes, size]);
                Some(self.e.convert_lanes(count, to, [true; 2], false, Rounding::Rte))
            }
            Op::GenericPtrMemSemantics => {
                let pointer = self.pointer(inst.word(2)?)?;
                let local = self.e.points_to(pointer, AddrSpace::Local);
                // Bits of Memory Semantics: WorkgroupMemory, CrossWorkgroupMemory.
                let [yes, no] = [0x100, 0x200].map(|bits| self.e.bits(to, bits));
                Some(self.e.emit(Kir::Select, to, &[local, yes, no], Imm::None))
            }
            Op::SizeOf => {
                let size = self.module.ty(self.pointee(inst.word(2)?)?)?.size;
                Some(self.e.bits(to, size))
            }
            Op::SDot | Op::UDot | Op::SUDot | Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat => {
                Some(self.integer_dot(op, inst, to)?)
            }
            _ => return Ok(None),
        };
        let value = value.ok_or("a value is wanted")?;
        self.want(value, to)?;
        Ok(Some(Some(Def::Value(value))))
    }

    /// Integer dot products, of vectors or of four bytes in a word.
    fn integer_dot(&mut self, op: Op, inst: &Inst, to: Type) -> Result<Value, String> {
        let (mut a, mut b) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
        let saturates = matches!(op, Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat);
        let signed = match op {
            Op::SDot | Op::SDotAccSat => [true, true],
            Op::UDot | Op::UDotAccSat => [false, false],
            _ => [true, false],
        };
        if self.e.func.ty(a) == Type::I32 {
            let bytes = Type::I8.with_lanes(4);
            self.want(b, Type::I32)?;
            [a, b] = [a, b].map(|v| self.e.as_type(v, bytes));
        }
        let from = self.e.func.ty(a);
        self.want(b, from)?;
        if !from.is_int() || !to.is_int() || to.is_vector() || from.elem.bits() > to.elem.bits() {
            return Err("a dot product of what are no such integers".into());
        }
        let sum = if from == Type::I8.with_lanes(4) && to == Type::I32 {
            let [a, b] = [a, b].map(|v| self.e.as_type(v, Type::I32));
            match signed {
                [true, true] => self.e.same(Kir::Dot4Ss, &[a, b]),
                [true, false] => self.e.same(Kir::Dot4Us, &[b, a]),
                _ => self.e.same(Kir::Dot4Uu, &[a, b]),
            }
        } else {
            let wide = to.with_lanes(from.lanes);
            let a = self.e.convert_lanes(a, wide, [signed[0]; 2], false, Rounding::Rte);
            let b = self.e.convert_lanes(b, wide, [signed[1]; 2], false, Rounding::Rte);
            let products = self.e.same(Kir::Mul, &[a, b]);
            let mut sum = self.e.extract(products, 0);
            for lane in 1..from.lanes {
                let next = self.e.extract(products, lane);
                sum = self.e.same(Kir::Add, &[sum, next]);
            }
            sum
        };
        if !saturates {
            return Ok(sum);
        }
        let with = self.operand(inst, 2)?;
        self.want(with, to)?;
        Ok(self.e.same(if signed[0] { Kir::AddSatS } else { Kir::AddSatU }, &[sum, with]))
    }
}

/// The row of a builtin, and element type and width, that takes these arguments, whose types are given.
fn choose(name: &str, args: &[Operand], types: &[Type], sign: Option<bool>) -> Option<(&'static Row, Elem, u8)> {
    let fits = |concrete: Concrete, arg: &Operand, ty: Type| match concrete {
        Concrete::Num { elem, width } => {
            let is_it = arg.number.is_none_or(|number| number == (elem, width));
            is_it && number(elem, width) == ty && arg.image.is_none()
        }
        Concrete::Ptr { pointee, spaces, .. } => {
            let is_it = arg.number.is_none_or(|number| match pointee {
                Pointee::Num { elem, width } => number == (elem, width),
                Pointee::Atomic(elem) => number == (elem, 1),
                Pointee::Flag => number == (Elem::Int, 1),
                Pointee::Void | Pointee::Event => true,
            });
            is_it && matches!(ty.elem, Scalar::Ptr(space) if contains(spaces, space))
        }
        Concrete::Image { shape, .. } => arg.image == Some(shape),
        Concrete::Sampler => ty == Type::I32,
        Concrete::Event => ty == Type::I64,
        _ => false,
    };
    for row in builtin::lookup(name).iter().filter(|row| row.params.len() == args.len()) {
        for (elem, width) in row.instances() {
            let is_sign = sign.is_none_or(|sign| elem.is_float() || elem.is_signed_int() == sign);
            let mut list = row.params.iter().zip(args).zip(types);
            if is_sign && list.all(|((param, arg), &ty)| fits(param.concrete(elem, width), arg, ty)) {
                return Some((row, elem, width));
            }
        }
    }
    None
}

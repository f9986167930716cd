//! Functions that modules import although the device has them: compilers leave many functions of OpenCL C and of LLVM
//! to whoever links the module. Such a declaration gets a body that calls the built-in function and stands in unless
//! another program defines the name. Which overload is meant, the mangled name says: SPIR-V's integers have no sign.
//! Spec: Itanium C++ ABI, "External Names (a.k.a. Mangling)".

use super::call::{Operand, number};
use super::function::{FloatMode, FuncCx};
use super::module::{Function, Module};
use super::{Places, ty::Ty};
use crate::builtin::{Conversion, Elem, Widths};
use crate::ir::op::Rounding;
use crate::ir::{Func, Op, Scalar, Term, Type, Value};
use crate::lower::emit::Output;
use crate::source::Span;
use spirv::LinkageType;

/// Names of LLVM's intrinsics, up to the types: the built-in functions that do the same, and whether integers are
/// signed.
const INTRINSICS: &[(&str, &str, Option<bool>)] = &[
    ("llvm.sadd.sat.", "add_sat", Some(true)),
    ("llvm.uadd.sat.", "add_sat", Some(false)),
    ("llvm.ssub.sat.", "sub_sat", Some(true)),
    ("llvm.usub.sat.", "sub_sat", Some(false)),
    ("llvm.smin.", "min", Some(true)),
    ("llvm.umin.", "min", Some(false)),
    ("llvm.smax.", "max", Some(true)),
    ("llvm.umax.", "max", Some(false)),
    ("llvm.ctpop.", "popcount", None),
    ("llvm.bitreverse.", "bit_reverse", None),
];

/// LLVM's intrinsics that combine the components of a vector of integers.
const REDUCTIONS: &[(&str, Op)] = &[
    ("llvm.vector.reduce.add.", Op::Add),
    ("llvm.vector.reduce.mul.", Op::Mul),
    ("llvm.vector.reduce.and.", Op::And),
    ("llvm.vector.reduce.or.", Op::Or),
    ("llvm.vector.reduce.xor.", Op::Xor),
    ("llvm.vector.reduce.smin.", Op::MinS),
    ("llvm.vector.reduce.smax.", Op::MaxS),
    ("llvm.vector.reduce.umin.", Op::MinU),
    ("llvm.vector.reduce.umax.", Op::MaxU),
];

/// Names that are not mangled, as the functions take pointers to anything.
const PLAIN: &[(&str, &str)] =
    &[("__to_global", "to_global"), ("__to_local", "to_local"), ("__to_private", "to_private")];

/// LLVM's intrinsics that say of which class a float is.
const IS_FPCLASS: &str = "llvm.is.fpclass.";

/// What an imported function is called in OpenCL C.
struct Import<'n> {
    name: &'n str,
    /// Parameters, if the name says what they are.
    params: Option<Vec<Param>>,
    /// Whether integers are signed, where nothing else says it.
    sign: Option<bool>,
}

/// What a reduction of LLVM does with components.
fn reduction(linkage: &str) -> Option<Op> {
    REDUCTIONS.iter().find(|row| linkage.starts_with(row.0)).map(|row| row.1)
}

impl<'n> Import<'n> {
    fn of(linkage: &'n str) -> Option<Self> {
        if let Some(&(_, name, sign)) = INTRINSICS.iter().find(|row| linkage.starts_with(row.0)) {
            return Some(Self { name, params: None, sign });
        }
        if let Some(&(_, name)) = PLAIN.iter().find(|row| row.0 == linkage) {
            return Some(Self { name, params: None, sign: None });
        }
        if reduction(linkage).is_some() || linkage.starts_with(IS_FPCLASS) {
            return Some(Self { name: linkage, params: None, sign: None });
        }
        let mut mangled = Mangled { rest: linkage.strip_prefix("_Z")?, seen: Vec::new() };
        let name = mangled.name()?;
        Some(Self { name, params: Some(mangled.params()?), sign: None })
    }
}

/// A body for a function that is declared and not defined.
///
/// # Errors
/// Why the device has no such function; empty if that goes without saying.
pub(super) fn stand_in(
    module: &Module,
    places: &mut Places,
    out: &mut Output,
    func: &Function,
    float: FloatMode,
) -> Result<Func, String> {
    let link = module.linkage(func.id)?.filter(|link| link.kind == LinkageType::Import);
    let import = link.as_ref().and_then(|link| Import::of(&link.name)).ok_or("")?;
    let params = func.params.iter().map(|param| param.1);
    let is_aggregate = |id| module.types.get(&id).is_some_and(Ty::is_aggregate);
    if params.clone().chain([func.ret]).any(is_aggregate) {
        return Err("built-in functions have no structs and arrays".into());
    }
    let mut cx = FuncCx::new(module, places, out, func, float);
    cx.e.span = Span { lo: func.at as u32, hi: func.at as u32 + 1 };
    let entry = cx.e.func.entry();
    let values = cx.e.func.blocks[entry].params.clone();
    let mut args = Vec::with_capacity(values.len());
    for (value, ty) in values.into_iter().zip(params) {
        args.push(cx.typed(value, ty)?);
    }
    if let Some(params) = &import.params {
        if params.len() != args.len() {
            return Err("it has another number of parameters than its name says".into());
        }
        for (arg, param) in args.iter_mut().zip(params) {
            param.describe(arg);
        }
    }
    let value = match (Conversion::named(import.name), reduction(import.name)) {
        (Some(conversion), _) => Some(cx.converted(conversion, &args)?),
        (_, Some(op)) => Some(cx.reduced(op, &args)?),
        _ if import.name.starts_with(IS_FPCLASS) => {
            let (&[of, classes], Some(ret)) = (&args[..], cx.e.func.ret) else {
                return Err("a float and a set of classes are wanted".into());
            };
            Some(cx.is_of_classes(of.value, classes.value, ret)?)
        }
        _ => cx.named(import.name, &args, import.sign)?,
    };
    let result = match (value, cx.e.func.ret) {
        (_, None) => None,
        (None, Some(_)) => return Err("the built-in function of this name has no result".into()),
        (Some(value), Some(ret)) => Some(cx.result_as(value, ret)?),
    };
    cx.e.end(Term::Ret(result));
    Ok(cx.e.func)
}

impl FuncCx<'_> {
    /// `convert_…`
    fn converted(&mut self, what: Conversion, args: &[Operand]) -> Result<Value, String> {
        let to = number(what.elem, what.width);
        let &[Operand { value, number: Some((from, width)), .. }] = args else {
            return Err("one number is converted".into());
        };
        if self.e.func.ty(value) != number(from, width) || width != what.width {
            return Err("a number with as many components is converted".into());
        }
        let default = match to.elem {
            Scalar::F16 => self.float.rm[0],
            Scalar::F32 => self.float.rm[1],
            Scalar::F64 => self.float.rm[2],
            _ => Rounding::Rtz,
        };
        let signed = [from, what.elem].map(Elem::is_signed_int);
        Ok(self.e.convert_lanes(value, to, signed, what.saturates, what.rounding.unwrap_or(default)))
    }

    /// A vector's components, combined.
    fn reduced(&mut self, op: Op, args: &[Operand]) -> Result<Value, String> {
        let &[Operand { value, .. }] = args else { return Err("one vector is reduced".into()) };
        let ty = self.e.func.ty(value);
        if !ty.is_vector() || !ty.is_int() || ty.elem == Scalar::I1 {
            return Err("a vector of integers is reduced".into());
        }
        let mut result = self.e.extract(value, 0);
        for lane in 1..ty.lanes {
            let next = self.e.extract(value, lane);
            result = self.e.same(op, &[result, next]);
        }
        Ok(result)
    }

    /// A result as it is declared: truth values may be booleans or integers.
    fn result_as(&mut self, value: Value, ret: Type) -> Result<Value, String> {
        let value = match (self.e.func.ty(value), ret) {
            (Type::I1, ret) if ret.is_int() && !ret.is_vector() => self.e.bool_as(value, ret),
            (from, Type::I1) if from.is_int() && !from.is_vector() => self.e.is_true(value),
            _ => value,
        };
        self.want(value, ret)?;
        Ok(value)
    }
}

/// What a mangled name says of a parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Param {
    /// Element type and width of the number, or of what the pointer points to; none for other types.
    number: Option<(Elem, u8)>,
    /// How many pointers lead there.
    n_pointers: u32,
}

impl Param {
    /// Notes of an operand what its own type does not say.
    fn describe(&self, arg: &mut Operand) {
        let Some((elem, width)) = self.number else { return };
        arg.number = Some((elem, width));
        if self.n_pointers == 1 {
            let size = u32::from(elem.size_bytes());
            arg.pointee = Some((size * if width == 3 { 4 } else { u32::from(width) }, size));
        }
    }
}

/// The rest of a mangled name.
struct Mangled<'n> {
    rest: &'n str,
    /// Types that substitutions stand for, in order.
    seen: Vec<Param>,
}

impl<'n> Mangled<'n> {
    fn skip(&mut self, prefix: &str) -> bool {
        let rest = self.rest.strip_prefix(prefix);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// What follows as long as `is_part` holds.
    fn take_while(&mut self, is_part: fn(char) -> bool) -> &'n str {
        let (taken, rest) = self.rest.split_at(self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len()));
        self.rest = rest;
        taken
    }

    /// A name behind its length.
    fn name(&mut self) -> Option<&'n str> {
        let length: usize = self.take_while(|c| c.is_ascii_digit()).parse().ok()?;
        let (name, rest) = self.rest.split_at_checked(length).filter(|split| !split.0.is_empty())?;
        self.rest = rest;
        Some(name)
    }

    fn params(&mut self) -> Option<Vec<Param>> {
        if self.rest == "v" {
            return Some(Vec::new());
        }
        let mut params = Vec::new();
        while !self.rest.is_empty() {
            // No function takes a pointer to a pointer.
            params.push(self.param().filter(|param| param.n_pointers <= 1)?);
        }
        (!params.is_empty()).then_some(params)
    }

    /// A type: pointers and qualifiers, the outer ones first, and what they belong to.
    fn param(&mut self) -> Option<Param> {
        // Whether each part that a substitution may stand for is a pointer.
        let (mut parts, mut is_qualified) = (Vec::new(), false);
        loop {
            let before = self.rest;
            if self.skip("P") {
                parts.push(true);
                is_qualified = false;
            } else if self.skip("U7_Atomic") {
                parts.push(false);
                is_qualified = false;
            } else if self.skip("V") || self.skip("K") || self.skip("r") || self.skip("U") {
                if before.starts_with('U') {
                    self.name()?;
                }
                // Qualifiers that stand together are one part.
                if !is_qualified {
                    parts.push(false);
                }
                is_qualified = true;
            } else {
                break;
            }
        }
        let mut param = self.base()?;
        for is_pointer in parts.into_iter().rev() {
            param.n_pointers += u32::from(is_pointer);
            self.seen.push(param);
        }
        Some(param)
    }

    /// A type that is no pointer, or one that was there before.
    fn base(&mut self) -> Option<Param> {
        let plain = |number| Param { number, n_pointers: 0 };
        if self.rest.starts_with(|c: char| c.is_ascii_digit()) {
            let name = self.name()?;
            // The language's own types are as short as any substitution.
            if !name.starts_with("ocl_") {
                self.seen.push(plain(None));
            }
            return Some(plain(None));
        }
        if self.skip("S") {
            let digits = self.take_while(|c| c.is_ascii_digit() || c.is_ascii_uppercase());
            let before = if digits.is_empty() { 0 } else { usize::from_str_radix(digits, 36).ok()?.checked_add(1)? };
            return if self.skip("_") { self.seen.get(before).copied() } else { None };
        }
        if self.skip("Dv") {
            let width: u8 = self.take_while(|c| c.is_ascii_digit()).parse().ok()?;
            let elem = if self.skip("_") { self.scalar()?? } else { return None };
            let vector = plain((Widths::LIST.contains(&width) && width > 1).then_some((elem, width)));
            self.seen.push(vector);
            return vector.number.map(|_| vector);
        }
        Some(plain(self.scalar()?.map(|elem| (elem, 1))))
    }

    /// A type with a letter of its own; `None` in `Some` for those that are no numbers.
    fn scalar(&mut self) -> Option<Option<Elem>> {
        if self.skip("Dh") {
            return Some(Some(Elem::Half));
        }
        let mut letters = self.rest.chars();
        let elem = match letters.next()? {
            'a' | 'c' => Elem::Char,
            'h' => Elem::UChar,
            's' => Elem::Short,
            't' => Elem::UShort,
            'i' => Elem::Int,
            'j' => Elem::UInt,
            'l' => Elem::Long,
            'm' => Elem::ULong,
            'f' => Elem::Float,
            'd' => Elem::Double,
            'b' | 'v' => {
                self.rest = letters.as_str();
                return Some(None);
            }
            _ => return None,
        };
        self.rest = letters.as_str();
        Some(Some(elem))
    }
}

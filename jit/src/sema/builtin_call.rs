//! Calls of builtins: rows become `hir::Builtin`; `as_<type>` and `convert_<type>` are read from their names.

use super::Sema;
use super::overload::{Choice, takes_generic};
use super::ty::scalar_type;
use crate::ast::{self, Scalar};
use crate::builtin::{
    self, AtomicFn, Attrs, Body, Concrete, Conversion, Elem, Missing, Pat, PipeFn, Row, Special, SubGroupFn,
};
use crate::hir::{Builtin, Callee, ConvKind, ExprId, ExprKind, FpAttr, Quals, Ty, Types};
use crate::ir::op::Rounding;
use crate::launch::AddrSpace;
use crate::source::Span;

/// Functions of parts that are not there yet: their names deserve better than "undeclared".
const LATER: &[(&str, &str)] = &[("sub_group_named_barrier", "named barriers are")];

impl Sema<'_> {
    pub(super) fn call_builtin(
        &mut self,
        name: ast::Ident,
        args: &[ast::ExprId],
        values: Vec<ExprId>,
        span: Span,
    ) -> Option<ExprId> {
        let text = self.text(name.name).to_owned();
        let rows = if text.starts_with("__clift_") && self.builtin_mode() {
            builtin::lookup_intrinsic(&text)
        } else {
            builtin::lookup(&text)
        };
        if rows.is_empty() {
            if let Some(target) = text.strip_prefix("as_").and_then(|rest| self.type_by_name(rest)) {
                return match values.as_slice() {
                    &[value] => self.as_type(value, target, span),
                    _ => self.wrong_count(&text, 1, values.len(), span),
                };
            }
            if let Some(conversion) = Conversion::named(&text) {
                return match values.as_slice() {
                    &[value] => self.convert_call(&text, value, conversion, span),
                    _ => self.wrong_count(&text, 1, values.len(), span),
                };
            }
            // A hint to other compilers: the value is the first argument.
            if let ("__builtin_expect", &[value, _]) = (text.as_str(), values.as_slice()) {
                return self.convert(value, crate::hir::Types::LONG, &super::convert::Why::Arg, span);
            }
            self.unknown_function(name, &text);
            return None;
        }
        let version = self.version();
        let missing = builtin::missing(&text, version, &|feature| self.is_enabled(feature));
        if let (Some(missing), false) = (missing, self.builtin_mode()) {
            let text = match missing {
                Missing::Version(v) if v >= 200 => {
                    format!("function '{text}' requires OpenCL C 3.0 (-cl-std=CL3.0)")
                }
                Missing::Version(v) => {
                    format!("function '{text}' requires OpenCL C {}.{} or later", v / 100, v / 10 % 10)
                }
                Missing::Feature(feature) if self.has_feature(feature) => {
                    format!("function '{text}' requires #pragma OPENCL EXTENSION {feature} : enable")
                }
                Missing::Feature(feature) => format!("function '{text}' requires {feature}, which is not supported"),
            };
            self.err(name.span, text);
            return None;
        }
        let _ = args;
        let choice = self.choose_row(name, rows, &values, span)?;
        self.finish_row_call(choice, values, span)
    }

    fn wrong_count(&mut self, name: &str, want: usize, have: usize, span: Span) -> Option<ExprId> {
        let how = if have < want { "few" } else { "many" };
        self.err(span, format!("too {how} arguments to function call '{name}', expected {want}, have {have}"));
        None
    }

    fn unknown_function(&mut self, name: ast::Ident, text: &str) {
        if let Some((_, what)) = LATER.iter().find(|(prefix, _)| text.starts_with(prefix)) {
            self.err(name.span, format!("function '{text}' is not available: {what} not supported"));
            return;
        }
        let mut message = format!("use of undeclared identifier '{text}'");
        if let Some(near) = self.suggest(text, true) {
            message.push_str(&format!("; did you mean '{near}'?"));
        }
        self.err(name.span, message);
    }

    /// `float4`, `uint`, …: types that `as_` and `convert_` name.
    fn type_by_name(&mut self, name: &str) -> Option<Ty> {
        match ast::Builtin::by_name(name)? {
            ast::Builtin::Scalar(
                Scalar::Bool | Scalar::SizeT | Scalar::PtrdiffT | Scalar::IntptrT | Scalar::UintptrT,
            ) => None,
            ast::Builtin::Scalar(scalar) => Some(scalar_type(scalar)),
            ast::Builtin::Vector(scalar, lanes) => Some(self.unit.types.vector(scalar_type(scalar), lanes)),
            _ => None,
        }
    }

    /// Spec: OpenCL C, "Explicit Conversions".
    fn convert_call(&mut self, name: &str, e: ExprId, what: Conversion, span: Span) -> Option<ExprId> {
        let Conversion { elem, width, saturates: sat, rounding: rm } = what;
        let to = self.concrete_type(Concrete::Num { elem, width }, None);
        let from = self.ty_of(e);
        if self.is_error(from) {
            return None;
        }
        let lanes = |sema: &Self, ty| sema.unit.types.lanes(ty).1;
        if self.elem_num(from).is_none() || lanes(self, from) != lanes(self, to) {
            let text = format!("no matching function for call to '{name}' with argument '{}'", self.show(from));
            let note = format!("'{name}' takes a value with {} component(s)", lanes(self, to));
            self.err_note(span, text, span, note);
            return None;
        }
        if self.elem_half(from) || self.elem_half(to) {
            self.need_half(span)?;
        }
        if from == to {
            return Some(e);
        }
        let region = self.fp.rm;
        let to_float = self.is_float_elem(to);
        let rm = rm.unwrap_or(if to_float { region } else { Rounding::Rtz });
        let e = if from == crate::hir::Types::BOOL { self.cast(e, crate::hir::Types::INT) } else { e };
        if self.ty_of(e) == to {
            return Some(e);
        }
        Some(self.push(ExprKind::Convert(ConvKind::Arith { sat, rm }, e), to, span))
    }

    /// Converts the arguments for a row and makes the call.
    pub(super) fn finish_row_call(&mut self, choice: Choice, values: Vec<ExprId>, span: Span) -> Option<ExprId> {
        let Choice { row, elem, width } = choice;
        let via_float = elem == Elem::Half && row.attrs.contains(Attrs::HALF_VIA_FLOAT);
        let body_elem = if via_float { Elem::Float } else { elem };
        if let Body::Special(Special::Printf) = row.body {
            return self.call_printf(&values, span);
        }
        let declared_ret = self.concrete_type(row.ret.concrete(elem, width), None);
        let ret = match row.body {
            Body::Special(Special::ToSpace(space)) => {
                let (pointee, quals, _) = self.pointee(self.ty_of(*values.first()?))?;
                self.unit.types.pointer(pointee, quals, space)
            }
            Body::Special(Special::Atomic(what)) => {
                self.check_orders(what, &values, span);
                match what {
                    AtomicFn::CompareExchange | AtomicFn::TestAndSet => Types::BOOL,
                    _ => declared_ret,
                }
            }
            Body::Special(Special::Pipe(PipeFn::IsValid)) => Types::BOOL,
            _ => self.concrete_type(row.ret.concrete(body_elem, width), None),
        };
        let declared_ret = if matches!(row.body, Body::Special(_)) { ret } else { declared_ret };
        let lanes = self.unit.types.lanes(ret).1;
        let mut args = Vec::with_capacity(values.len());
        for (param, &value) in row.params.iter().zip(&values) {
            let concrete = param.concrete(body_elem, width);
            let arg = match concrete {
                Concrete::Num { .. } => {
                    // Round to the declared type first: `half` arguments are halves.
                    let declared = self.concrete_type(param.concrete(elem, width), None);
                    let to = self.concrete_type(concrete, None);
                    let value = self.cast(value, declared);
                    let value = self.cast_lanes(value, to);
                    let scalar = self.unit.types.lanes(to).1 == 1;
                    if matches!(row.body, Body::Op(_)) && lanes > 1 && scalar && !row.attrs.is_empty() {
                        let wide = self.unit.types.vector(to, lanes);
                        self.cast(value, wide)
                    } else {
                        value
                    }
                }
                Concrete::Event | Concrete::ReserveId => {
                    let to = self.concrete_type(concrete, None);
                    self.cast_checked(value, to)
                }
                Concrete::Ptr { .. } => self.pointer_arg(row, param, concrete, value)?,
                Concrete::Sampler => self.sampler_value(value),
                Concrete::Image { .. } | Concrete::Pipe(_) => value,
                Concrete::Void | Concrete::Variadic | Concrete::Atomic(_) | Concrete::Flag => value,
            };
            args.push(arg);
        }
        let e = self.row_body(choice, ret, args, span)?;
        Some(if declared_ret != ret { self.cast_lanes(e, declared_ret) } else { e })
    }

    /// Tells of memory orders and scopes, where constant, that an atomic function must not have. Spec: OpenCL C,
    /// "Atomic Functions".
    fn check_orders(&mut self, what: AtomicFn, values: &[ExprId], span: Span) {
        let (relaxed, acquire, release, acq_rel, seq_cst) = (0, 2, 3, 4, 5);
        let orders = values.get(what.n_operands()..).unwrap_or(&[]);
        for (n, &e) in orders.iter().enumerate() {
            let Some(value) = self.eval_int(e) else { continue };
            let ok = if n >= what.n_orders() {
                (1..=4).contains(&value)
            } else {
                let bad: &[i128] = match what {
                    AtomicFn::Load => &[release, acq_rel],
                    AtomicFn::Store | AtomicFn::Clear => &[acquire, acq_rel],
                    AtomicFn::CompareExchange if n == 1 => &[release, acq_rel],
                    _ => &[],
                };
                [relaxed, acquire, release, acq_rel, seq_cst].contains(&value) && !bad.contains(&value)
            };
            if !ok {
                let kind = if n >= what.n_orders() { "memory scope" } else { "memory order" };
                let at = self.f.exprs[e].span;
                let at = if at == Span::DUMMY { span } else { at };
                self.warn(at, format!("{kind} argument to atomic operation is invalid"));
            }
        }
    }

    /// The size of clusters is a constant power of two; 0 if there are none, or if they are larger than any sub-group.
    /// Spec: OpenCL C, "Subgroup Functions".
    fn cluster(&mut self, f: SubGroupFn, args: &[ExprId], span: Span) -> Option<u8> {
        let size = match args.last() {
            Some(&size) if f.has_cluster(args.len()) => size,
            _ => return Some(0),
        };
        match self.eval_int(size) {
            Some(n) if n > 0 && n & (n - 1) == 0 => Some(u8::try_from(n).unwrap_or(0)),
            _ => {
                self.err(span, "the size of clusters must be a constant power of two");
                None
            }
        }
    }

    /// Bytes of the packets of the pipe among the arguments, 0 if there is none; where packets come from or go to must
    /// have their type. Spec: OpenCL C, "Pipe Functions".
    fn packet_bytes(&mut self, name: &str, args: &[ExprId], span: Span) -> Option<u32> {
        let Some((packet, _)) = args.first().and_then(|&pipe| self.pipe(self.ty_of(pipe))) else { return Some(0) };
        let last = args.last().map(|&arg| self.ty_of(arg));
        if let Some((pointee, _, _)) = last.and_then(|ty| self.pointee(ty))
            && pointee != packet
        {
            let text =
                format!("'{name}' on a pipe of '{}' takes no pointer to '{}'", self.show(packet), self.show(pointee));
            self.err(span, text);
            return None;
        }
        self.size_of(packet).and_then(|bytes| u32::try_from(bytes).ok())
    }

    /// Half ↔ float, lane by lane, to nearest.
    fn cast_lanes(&mut self, e: ExprId, to: Ty) -> ExprId {
        let span = self.f.exprs[e].span;
        if self.ty_of(e) == to {
            return e;
        }
        self.push(ExprKind::Convert(ConvKind::Arith { sat: false, rm: Rounding::Rte }, e), to, span)
    }

    fn pointer_arg(&mut self, row: &Row, param: &Pat, concrete: Concrete, value: ExprId) -> Option<ExprId> {
        let from = self.ty_of(value);
        let span = self.f.exprs[value].span;
        if self.is_null_constant(value) && self.pointee(from).is_none() {
            let to = self.concrete_type(concrete, None);
            return Some(self.cast_checked(value, to));
        }
        let (pointee, quals, _) = self.pointee(from)?;
        if let Concrete::Ptr { quals: wants, .. } = concrete
            && quals.contains(Quals::CONST)
            && !wants.contains(builtin::Quals::CONST)
        {
            let text = format!("passing '{}' to a parameter of '{}' that is written to", self.show(from), row.name);
            self.err(span, text);
            return None;
        }
        if takes_generic(row, param) {
            let ty = self.unit.types.pointer(pointee, quals, AddrSpace::Generic);
            return Some(self.cast(value, ty));
        }
        Some(value)
    }

    fn row_body(&mut self, choice: Choice, ret: Ty, args: Vec<ExprId>, span: Span) -> Option<ExprId> {
        let Choice { row, elem, width } = choice;
        if let Body::Special(Special::Identity) = row.body {
            let &first = args.first()?;
            return Some(self.cast_lanes(first, ret));
        }
        let flags = if self.is_float_elem(ret) { self.fp.flags() } else { Default::default() };
        let fp = FpAttr { rm: self.fp.rm, flags };
        let mut builtin = Builtin::of(row, elem, width, fp, self.fp.precision)?;
        if let Builtin::SubGroup { f, cluster, .. } = &mut builtin {
            *cluster = self.cluster(*f, &args, span)?;
        }
        if let Builtin::Pipe(_, bytes) = &mut builtin {
            *bytes = self.packet_bytes(row.name, &args, span)?;
        }
        Some(self.push(ExprKind::Call(Callee::Builtin(builtin), args), ret, span))
    }
}

//! `printf`: checks the format against the arguments and packs them as `crate::printf` wants them. What is wrong with a
//! format is a warning, as what it prints is the program's own business; only what would shift the other arguments is
//! an error, and a `%s` of what cannot be a literal.
//! Spec: OpenCL C, "printf".

use super::Sema;
use super::convert::Why;
use super::ty::Num;
use crate::hir::{Builtin, Callee, ConstValue, ExprId, ExprKind, PlaceKind, Quals, Types};
use crate::launch::AddrSpace;
use crate::printf::{Conversion, Kind, Length, Piece, Spec, fits, pieces};
use crate::source::Span;
use std::ops::Range;

/// Most parts of a format that are looked for in the source, each from its beginning.
const MAX_FOUND: usize = 16;

impl Sema<'_> {
    pub(super) fn call_printf(&mut self, values: &[ExprId], span: Span) -> Option<ExprId> {
        let (&format, args) = values.split_first()?;
        let string = self.unit.types.pointer(Types::CHAR, Quals::CONST, AddrSpace::Constant);
        let at = self.f.exprs[format].span;
        let format = self.convert(format, string, &Why::Arg, at)?;
        let mut types = Vec::new();
        let mut packed = Vec::new();
        let mut passed = Vec::new();
        for &arg in args {
            let (value, kind, lanes) = self.printf_arg(arg)?;
            types.extend([kind.code(), lanes]);
            packed.push(value);
            passed.push((arg, kind, lanes));
        }
        types.push(0);
        if let Some(text) = self.constant_string(format) {
            self.check_format(&text, &passed, at)?;
        }
        let var = self.string_var(types, span);
        let array = self.unit.vars[var].ty;
        let place = self.push_place(PlaceKind::Var(var), array, Quals::CONST, span);
        let types = self.push(ExprKind::Decay(place), string, span);
        let all = [format, types].into_iter().chain(packed).collect();
        Some(self.push(ExprKind::Call(Callee::Builtin(Builtin::Printf), all), Types::INT, span))
    }

    /// An argument after the default promotions: `float` and `half` to `double`, small integers to `int`.
    fn printf_arg(&mut self, arg: ExprId) -> Option<(ExprId, Kind, u8)> {
        let ty = self.ty_of(arg);
        if self.is_pointer(ty) {
            return Some((arg, Kind::Pointer, 1));
        }
        let promoted = match self.num(ty) {
            Some(Num::Float(_)) => Types::DOUBLE,
            _ => self.promote(ty),
        };
        let (_, lanes) = self.unit.types.lanes(promoted);
        let kind = match self.elem_num(promoted) {
            Some(Num::Int(8, _)) => Kind::I8,
            Some(Num::Int(16, _)) => Kind::I16,
            Some(Num::Bool | Num::Int(32, _)) => Kind::I32,
            Some(Num::Int(..)) => Kind::I64,
            Some(Num::Float(16)) => Kind::F16,
            Some(Num::Float(32)) => Kind::F32,
            Some(Num::Float(_)) => Kind::F64,
            None => {
                let text = format!("cannot pass a value of type '{}' to printf", self.show(ty));
                self.err(self.f.exprs[arg].span, text);
                return None;
            }
        };
        Some((self.cast(arg, promoted), kind, lanes))
    }

    /// The bytes of a string that is known now: a literal or an array in constant memory.
    fn constant_string(&self, e: ExprId) -> Option<Vec<u8>> {
        let mut e = e;
        while let ExprKind::Convert(_, inner) = self.f.exprs[e].kind {
            e = inner;
        }
        let ExprKind::Decay(place) = self.f.exprs[e].kind else { return None };
        let PlaceKind::Var(var) = self.f.places[place].kind else { return None };
        let var = &self.unit.vars[var];
        let is_known = var.space == AddrSpace::Constant && !var.is_extern && var.relocs.is_empty();
        is_known.then(|| var.bytes.iter().copied().take_while(|&b| b != 0).collect())
    }

    /// `args` are the arguments as written, with the types that they are passed as.
    fn check_format(&mut self, format: &[u8], args: &[(ExprId, Kind, u8)], at: Span) -> Option<()> {
        let mut rest = args.iter();
        let (mut ok, mut found) = (Some(()), 0);
        for piece in pieces(format) {
            match piece {
                Piece::Text(_) => {}
                Piece::Bad { start, end, message } => {
                    let at = self.span_in_format(format, start..end, at, &mut found);
                    if message.ends_with("not supported in OpenCL C") {
                        self.err(at, message);
                        ok = None;
                    } else {
                        self.warn(at, message);
                    }
                }
                Piece::Convert(spec) => {
                    let written = || String::from_utf8_lossy(&format[spec.start..spec.end]).into_owned();
                    if let Some(problem) = self.wrong_length(&spec) {
                        let at = self.span_in_format(format, spec.start..spec.end, at, &mut found);
                        self.warn(at, format!("length modifier in '{}' {problem}: 'l' is for 64 bits", written()));
                    }
                    match rest.next() {
                        Some(&arg) => self.check_conversion(&spec, &written(), arg),
                        None => {
                            let at = self.span_in_format(format, spec.start..spec.end, at, &mut found);
                            self.warn(at, format!("no argument for '{}': more conversions than arguments", written()));
                        }
                    }
                }
            }
        }
        if let (Some(&(first, ..)), Some(())) = (rest.next(), ok) {
            self.warn(self.f.exprs[first].span, "argument is not used by the format string");
        }
        ok
    }

    /// What is wrong with a length modifier of an integer that is nevertheless understood.
    fn wrong_length(&self, spec: &Spec) -> Option<&'static str> {
        let is_integer = matches!(spec.conversion, Conversion::Signed | Conversion::Unsigned(_));
        match spec.length {
            Length::Size if spec.vector.is_none() && self.version() >= 310 => None,
            Length::Size if spec.vector.is_none() && is_integer => Some("requires OpenCL C 3.1"),
            Length::Size | Length::Foreign if is_integer => Some("is not OpenCL C's"),
            _ => None,
        }
    }

    /// Where a part of the format stands in the source: found by its text, of which the one that is preceded by as many
    /// of its like is meant. The whole format if it is not written there, or when many have been looked for.
    fn span_in_format(&self, format: &[u8], range: Range<usize>, whole: Span, found: &mut usize) -> Span {
        *found += 1;
        let is_few = *found <= MAX_FOUND;
        let find = || {
            let before = String::from_utf8_lossy(&format[..range.start]);
            let part = std::str::from_utf8(&format[range]).ok()?;
            let (file, offset) = self.session.sources.file_at(whole.lo)?;
            let text = self.session.sources.text(file).get(offset as usize..)?.get(..(whole.hi - whole.lo) as usize)?;
            let (at, _) = text.match_indices(part).nth(before.matches(part).count())?;
            let lo = whole.lo + at as u32;
            text.starts_with('"').then(|| Span::new(lo, lo + part.len() as u32))
        };
        is_few.then(find).flatten().unwrap_or(whole)
    }

    /// Warns if a conversion and its argument do not fit.
    fn check_conversion(&mut self, spec: &Spec, written: &str, (arg, kind, lanes): (ExprId, Kind, u8)) {
        let (ty, span) = (self.ty_of(arg), self.f.exprs[arg].span);
        if self.is_error(ty) {
            return;
        }
        let wanted = match self.wanted_type(spec) {
            Ok(wanted) => wanted,
            Err(problem) => return self.warn(span, format!("{problem} in '{written}'")),
        };
        let is_char = |ty| matches!(self.num(ty), Some(Num::Int(8, _)));
        let is_string = || self.pointee(ty).is_some_and(|(pointee, ..)| is_char(pointee));
        if !fits(spec, kind, lanes.into()) || spec.conversion == Conversion::String && !is_string() {
            let text = format!("format '{written}' wants '{wanted}' but the argument has type '{}'", self.show(ty));
            self.warn(span, text);
        } else if spec.conversion == Conversion::String && !self.may_be_literal(arg) {
            self.err(span, format!("argument of '{written}' must be a string literal"));
        }
    }

    /// False for a pointer that no string literal can have become: one to another address space, or a number. Of others
    /// it turns out when they are printed whether they point into the program's data (`crate::printf::output`).
    fn may_be_literal(&self, e: ExprId) -> bool {
        if self.pointee(self.ty_of(e)).is_none_or(|p| p.2 != AddrSpace::Constant) {
            return false;
        }
        match self.f.exprs[e].kind {
            // The null pointer prints as such.
            ExprKind::Const(ref null) => *null == ConstValue::Int(0),
            ExprKind::Convert(_, inner) if !self.is_pointer(self.ty_of(inner)) => self.eval_int(inner) == Some(0),
            ExprKind::Convert(_, inner) | ExprKind::Comma(_, inner) => self.may_be_literal(inner),
            ExprKind::PtrAdd(base, _) | ExprKind::PtrSub(base, _) => self.may_be_literal(base),
            ExprKind::Cond(_, a, b) => self.may_be_literal(a) && self.may_be_literal(b),
            _ => true,
        }
    }

    /// The type that a conversion wants, or what is wrong with the conversion itself.
    fn wanted_type(&self, spec: &Spec) -> Result<String, &'static str> {
        let is_float = matches!(spec.conversion, Conversion::Float(_));
        let unsigned = if matches!(spec.conversion, Conversion::Unsigned(_)) { "u" } else { "" };
        let name = match (spec.conversion, spec.vector) {
            (Conversion::Char | Conversion::String | Conversion::Pointer, Some(_)) => {
                return Err("vector specifier does not go with this conversion");
            }
            (Conversion::Char, None) => "int".to_owned(),
            (Conversion::String, None) => "__constant char *".to_owned(),
            (Conversion::Pointer, None) => "void *".to_owned(),
            (_, Some(n)) => {
                let elem = match (is_float, spec.length) {
                    (_, Length::Default) => return Err("vector specifier without a length modifier"),
                    (true, Length::Hh) => return Err("length modifier 'hh' is for integers"),
                    (true, Length::H) => "half",
                    (true, Length::Hl) => "float",
                    (true, Length::Size) => return Err("length modifier is for integers"),
                    (true, Length::L | Length::Foreign) => "double",
                    (false, Length::Hh) => "char",
                    (false, Length::H) => "short",
                    (false, Length::Hl) => "int",
                    (false, Length::L | Length::Size | Length::Foreign) => "long",
                };
                format!("{unsigned}{elem}{n}")
            }
            (_, None) => match (is_float, spec.length) {
                (_, Length::Hl) => return Err("length modifier 'hl' without a vector specifier"),
                (true, Length::Hh | Length::H) => return Err("length modifier is for integers and vectors"),
                (true, Length::Size) => return Err("length modifier is for integers"),
                (true, _) => "double".to_owned(),
                (false, Length::L | Length::Size | Length::Foreign) => format!("{unsigned}long"),
                (false, _) => format!("{unsigned}int"),
            },
        };
        Ok(name)
    }
}

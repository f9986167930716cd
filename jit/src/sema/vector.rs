//! Vector components and literals. Spec: OpenCL C, "Vector Components", "Vector Literals".

use super::Sema;
use super::operand::{OpKind, Operand};
use crate::ast;
use crate::hir::{ExprId, ExprKind, PlaceKind, Quals, Ty};
use crate::launch::AddrSpace;
use crate::source::Span;

impl Sema<'_> {
    /// `base.name` of a vector.
    pub(super) fn components(&mut self, base: Operand, name: ast::Ident, span: Span) -> Option<Operand> {
        let (elem, n) = self.unit.types.lanes(base.ty);
        let text = self.text(name.name).to_owned();
        let lanes = match select(&text, n) {
            Ok(lanes) => lanes,
            Err(problem) => {
                let shown = self.show(base.ty);
                let message = match problem {
                    Problem::Unknown => format!("vector component name '{text}' is not valid for type '{shown}'"),
                    Problem::Bounds => format!("vector component access exceeds type '{shown}'"),
                    Problem::Count(count) => {
                        format!("vector component access has invalid length {count}: supported are 1, 2, 3, 4, 8, 16")
                    }
                };
                self.err(name.span, message);
                return None;
            }
        };
        if text.bytes().all(|b| b"rgba".contains(&b)) && !self.is_cl3() && !self.builtin_mode() {
            let message = format!("vector component name '{text}' is a feature from OpenCL C 3.0 onwards");
            self.warn(name.span, message);
        }
        let ty = self.unit.types.vector(elem, lanes.len() as u8);
        match base.kind {
            OpKind::Value(e) => {
                // Lanes of lanes: compose.
                let (from, lanes) = match &self.f.exprs[e].kind {
                    ExprKind::Swizzle(inner, outer) => match compose(outer, &lanes) {
                        Some(lanes) => (*inner, lanes),
                        None => (e, lanes),
                    },
                    _ => (e, lanes),
                };
                let e = self.push(ExprKind::Swizzle(from, lanes), ty, span);
                Some(self.value_operand(e))
            }
            OpKind::Place(place) => {
                let (from, lanes) = match &self.f.places[place].kind {
                    PlaceKind::Lanes(inner, outer) => match compose(outer, &lanes) {
                        Some(lanes) => (*inner, lanes),
                        // `.hi.hi` of a 3-vector and the like: a value only.
                        None => {
                            let value = self.value_of(base)?;
                            let e = self.push(ExprKind::Swizzle(value, lanes), ty, span);
                            return Some(self.value_operand(e));
                        }
                    },
                    _ => (place, lanes),
                };
                let place = self.push_place(PlaceKind::Lanes(from, lanes), ty, base.quals, span);
                Some(self.place_operand(place, base.quals, base.space))
            }
        }
    }

    /// `vector[index]`, an extension that many programs use.
    pub(super) fn vector_element(&mut self, base: Operand, index: ExprId, span: Span) -> Option<Operand> {
        let (elem, n) = self.unit.types.lanes(base.ty);
        if let Some(value) = self.eval_int(index) {
            let Some(lane) = u8::try_from(value).ok().filter(|&lane| lane < n) else {
                let text = format!("vector element {value} is outside the bounds of '{}'", self.show(base.ty));
                self.err(span, text);
                return None;
            };
            return match base.kind {
                OpKind::Value(e) => {
                    let e = self.push(ExprKind::Swizzle(e, vec![lane]), elem, span);
                    Some(self.value_operand(e))
                }
                OpKind::Place(place) => {
                    let (from, lane) = match &self.f.places[place].kind {
                        PlaceKind::Lanes(inner, outer) => (*inner, outer.get(usize::from(lane)).copied().unwrap_or(0)),
                        _ => (place, lane),
                    };
                    let place = self.push_place(PlaceKind::Lanes(from, vec![lane]), elem, base.quals, span);
                    Some(self.place_operand(place, base.quals, base.space))
                }
            };
        }
        // A run-time index goes through memory.
        let is_lanes = |sema: &Self, place| matches!(sema.f.places[place].kind, PlaceKind::Lanes(..));
        let base = match base.kind {
            OpKind::Place(place) if !is_lanes(self, place) => base,
            _ => {
                let value = self.value_of(base)?;
                let local = self.temp_local(base.ty, span);
                let place = self.push_place(PlaceKind::Local(local), base.ty, Quals::empty(), span);
                let store = self.push(ExprKind::Assign(place, value), base.ty, span);
                let temp = self.place_operand(place, Quals::CONST, AddrSpace::Private);
                let address = self.address(temp, span)?;
                let ty = self.ty_of(address);
                let both = self.push(ExprKind::Comma(store, address), ty, span);
                self.deref(both, span)?
            }
        };
        let address = self.address(base, span)?;
        let ty = self.unit.types.pointer(elem, base.quals, base.space);
        let first = self.cast(address, ty);
        let at = self.push(ExprKind::PtrAdd(first, index), ty, span);
        self.deref(at, span)
    }

    /// `(ty)(a, b, …)`.
    pub(super) fn vector_literal(&mut self, ty: Ty, args: &[ast::ExprId], span: Span) -> Option<ExprId> {
        let values: Vec<Option<ExprId>> = args.iter().map(|&arg| self.value(arg)).collect();
        let values: Vec<ExprId> = values.into_iter().collect::<Option<_>>()?;
        if let &[single] = values.as_slice() {
            return self.explicit_cast(single, ty, span);
        }
        self.build_vector(ty, &values, span)
    }

    /// A vector from parts whose lanes must add up to its own.
    pub(super) fn build_vector(&mut self, ty: Ty, parts: &[ExprId], span: Span) -> Option<ExprId> {
        let (elem, lanes) = self.unit.types.lanes(ty);
        let mut total = 0usize;
        let mut converted = Vec::with_capacity(parts.len());
        for &part in parts {
            let from = self.ty_of(part);
            let (part_elem, n) = self.unit.types.lanes(from);
            total += usize::from(n);
            if self.is_vector(from) && part_elem != elem {
                let text =
                    format!("vector literal of type '{}' has an element of type '{}'", self.show(ty), self.show(from));
                self.err(self.f.exprs[part].span, text);
                return None;
            }
            if !self.is_vector(from) && !self.is_arith(from) {
                if !self.is_error(from) {
                    let text = format!("invalid conversion from '{}' to '{}'", self.show(from), self.show(elem));
                    self.err(self.f.exprs[part].span, text);
                }
                return None;
            }
            converted.push(if self.is_vector(from) { part } else { self.cast(part, elem) });
        }
        if total != usize::from(lanes) {
            let how = if total < usize::from(lanes) { "too few" } else { "too many" };
            let text = format!(
                "{how} elements in vector literal of type '{}' (expected {lanes}, have {total})",
                self.show(ty)
            );
            self.err(span, text);
            return None;
        }
        Some(self.push(ExprKind::Build(converted), ty, span))
    }
}

/// Why a component selection is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Problem {
    Unknown,
    Bounds,
    Count(usize),
}

/// The lanes that a selector names in a vector of `n` lanes. A 3-vector counts as a 4-vector for `hi`, `odd`.
fn select(text: &str, n: u8) -> Result<Vec<u8>, Problem> {
    let wide = if n == 3 { 4 } else { n };
    let half = wide / 2;
    let lanes: Vec<u8> = match text {
        "lo" => (0..half).collect(),
        "hi" => (half..wide).collect(),
        "even" => (0..wide).step_by(2).collect(),
        "odd" => (1..wide).step_by(2).collect(),
        _ => {
            let bytes = text.as_bytes();
            let numeric = bytes.len() > 1 && matches!(bytes[0], b's' | b'S');
            let digits = |b: &u8| char::from(*b).to_digit(16).map(|d| d as u8);
            let letters = |set: &'static [u8]| move |b: &u8| set.iter().position(|x| x == b).map(|p| p as u8);
            let lanes: Option<Vec<u8>> = if numeric && bytes[1..].iter().all(u8::is_ascii_hexdigit) {
                bytes[1..].iter().map(digits).collect()
            } else {
                let xyzw: Option<Vec<u8>> = bytes.iter().map(letters(b"xyzw")).collect();
                xyzw.or_else(|| bytes.iter().map(letters(b"rgba")).collect())
            };
            let lanes = lanes.ok_or(Problem::Unknown)?;
            if lanes.iter().any(|&lane| lane >= n) {
                return Err(Problem::Bounds);
            }
            lanes
        }
    };
    match lanes.len() {
        1 | 2 | 3 | 4 | 8 | 16 => Ok(lanes),
        count => Err(Problem::Count(count)),
    }
}

/// Lanes `inner` of what lanes `outer` select; `None` if a lane is the missing one of a 3-vector.
fn compose(outer: &[u8], inner: &[u8]) -> Option<Vec<u8>> {
    inner.iter().map(|&lane| outer.get(usize::from(lane)).copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::{Problem, select};

    #[test]
    fn selectors_name_lanes() {
        type Case = (&'static str, u8, Result<Vec<u8>, Problem>);
        let cases: [Case; 14] = [
            ("x", 2, Ok(vec![0])),
            ("wzyx", 4, Ok(vec![3, 2, 1, 0])),
            ("xxx", 4, Ok(vec![0, 0, 0])),
            ("z", 2, Err(Problem::Bounds)),
            ("s0aF", 16, Err(Problem::Count(3)).or(Ok(vec![0, 10, 15]))),
            ("S01234567", 8, Ok((0..8).collect())),
            ("s8", 8, Err(Problem::Bounds)),
            ("lo", 3, Ok(vec![0, 1])),
            ("hi", 3, Ok(vec![2, 3])),
            ("odd", 3, Ok(vec![1, 3])),
            ("hi", 2, Ok(vec![1])),
            ("even", 16, Ok((0..16).step_by(2).collect())),
            ("xyzwx", 4, Err(Problem::Count(5))),
            ("xr", 4, Err(Problem::Unknown)),
        ];
        for (text, n, want) in cases {
            assert_eq!(select(text, n), want, "{text} of {n}");
        }
    }
}

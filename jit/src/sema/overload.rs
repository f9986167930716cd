//! Overload resolution over builtin rows and overloaded functions. Each argument of each candidate has a rank: exact,
//! promotion, conversion, lost qualifiers, scalar to vector. A candidate wins if it is nowhere worse than any other and
//! somewhere better. If only the element type is in doubt, the arguments' common type decides (`max(1.0f, x)` with a
//! double `x`), as it would in an expression.

use super::Sema;
use super::convert::Implicit;
use super::ty::Num;
use crate::ast;
use crate::builtin::{Accesses, Body, Concrete, Elem, Pat, Pointee, Row, Spaces, Widths};
use crate::hir::{ExprId, FnId, OpaqueKind, Quals, Ty, TyKind, Types};
use crate::image::ImageAccess;
use crate::launch::AddrSpace;
use crate::source::Span;
use smallvec::SmallVec;

/// A row with its generic type filled in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    /// The row.
    pub(super) row: &'static Row,
    /// Element type.
    pub(super) elem: Elem,
    /// Number of lanes.
    pub(super) width: u8,
}

/// Rank of one argument; lower is better.
type Rank = u8;
const EXACT: Rank = 0;
const PROMOTION: Rank = 1;
const CONVERSION: Rank = 2;
const LOSES: Rank = 3;
const WIDENING: Rank = 4;

type Ranks = SmallVec<[Rank; 6]>;

/// One way to make a call.
#[derive(Clone, Copy, Debug)]
enum Target {
    Row(Choice),
    User(FnId),
}

impl Sema<'_> {
    /// The type that a filled-in pattern stands for; pointers get the space that the argument has, if it fits.
    pub(super) fn concrete_type(&mut self, concrete: Concrete, arg_space: Option<AddrSpace>) -> Ty {
        match concrete {
            // A pipe's type is that of the argument.
            Concrete::Void | Concrete::Variadic | Concrete::Atomic(_) | Concrete::Flag | Concrete::Pipe(_) => {
                Types::VOID
            }
            Concrete::ReserveId => self.unit.types.intern(TyKind::Opaque(OpaqueKind::ReserveId)),
            Concrete::Num { elem, width } => self.unit.types.vector(elem_type(elem), width),
            Concrete::Event => self.unit.types.intern(TyKind::Opaque(OpaqueKind::Event)),
            Concrete::Sampler => self.unit.types.intern(TyKind::Opaque(OpaqueKind::Sampler)),
            // The accesses differ in nothing that a body sees.
            Concrete::Image { shape, .. } => {
                self.unit.types.intern(TyKind::Opaque(OpaqueKind::Image(shape, ImageAccess::Read)))
            }
            Concrete::Ptr { pointee, spaces, quals } => {
                let to = match pointee {
                    Pointee::Void => Types::VOID,
                    Pointee::Num { elem, width } => self.unit.types.vector(elem_type(elem), width),
                    Pointee::Event => self.unit.types.intern(TyKind::Opaque(OpaqueKind::Event)),
                    Pointee::Atomic(elem) => self.unit.types.intern(TyKind::Atomic(elem_type(elem))),
                    Pointee::Flag => self.unit.types.intern(TyKind::Atomic(Types::BOOL)),
                };
                let mut q = Quals::empty();
                q.set(Quals::CONST, quals.contains(crate::builtin::Quals::CONST));
                q.set(Quals::VOLATILE, quals.contains(crate::builtin::Quals::VOLATILE));
                let space = match arg_space {
                    Some(space) if spaces.contains(space_bit(space)) => space,
                    _ if spaces.contains(Spaces::GENERIC) => AddrSpace::Generic,
                    Some(space) => space,
                    None => AddrSpace::Private,
                };
                self.unit.types.pointer(to, q, space)
            }
        }
    }

    /// The pattern of a type, for symbols of builtin bodies.
    pub(super) fn concrete(&self, ty: Ty) -> Concrete {
        match *self.kind(ty) {
            TyKind::Pointer { pointee, quals, space } => {
                let pointee = match self.concrete(pointee) {
                    Concrete::Num { elem, width } => Pointee::Num { elem, width },
                    Concrete::Event => Pointee::Event,
                    Concrete::Atomic(elem) => Pointee::Atomic(elem),
                    Concrete::Flag => Pointee::Flag,
                    _ => Pointee::Void,
                };
                let mut q = crate::builtin::Quals::empty();
                q.set(crate::builtin::Quals::CONST, quals.contains(Quals::CONST));
                q.set(crate::builtin::Quals::VOLATILE, quals.contains(Quals::VOLATILE));
                Concrete::Ptr { pointee, spaces: space_bit(space), quals: q }
            }
            TyKind::Opaque(OpaqueKind::Event) => Concrete::Event,
            TyKind::Opaque(OpaqueKind::Sampler) => Concrete::Sampler,
            TyKind::Opaque(OpaqueKind::ReserveId) => Concrete::ReserveId,
            TyKind::Opaque(OpaqueKind::Pipe(..)) => Concrete::Pipe(Accesses::all()),
            TyKind::Opaque(OpaqueKind::Image(shape, _)) => Concrete::Image { shape, accesses: Accesses::all() },
            TyKind::Atomic(inner) => self.elem_of(inner).map_or(Concrete::Flag, Concrete::Atomic),
            _ => {
                let (elem, width) = self.unit.types.lanes(ty);
                match self.elem_of(elem) {
                    Some(elem) => Concrete::Num { elem, width },
                    None => Concrete::Void,
                }
            }
        }
    }

    fn elem_of(&self, ty: Ty) -> Option<Elem> {
        Some(match self.num(ty)? {
            Num::Bool => return None,
            Num::Int(8, true) => Elem::Char,
            Num::Int(8, false) => Elem::UChar,
            Num::Int(16, true) => Elem::Short,
            Num::Int(16, false) => Elem::UShort,
            Num::Int(32, true) => Elem::Int,
            Num::Int(32, false) => Elem::UInt,
            Num::Int(_, true) => Elem::Long,
            Num::Int(_, false) => Elem::ULong,
            Num::Float(16) => Elem::Half,
            Num::Float(32) => Elem::Float,
            Num::Float(_) => Elem::Double,
        })
    }

    /// True if every argument has exactly the parameter's type.
    pub(super) fn all_exact(&self, params: &[Ty], args: &[ExprId]) -> bool {
        params.iter().zip(args).all(|(&param, &arg)| self.rank_type(arg, param).is_some_and(|rank| rank == EXACT))
    }

    fn rank_num(&self, from: Ty, to_elem: Ty, width: u8) -> Option<Rank> {
        let (from_elem, n) = self.unit.types.lanes(from);
        if self.is_vector(from) {
            return (n == width && from_elem == to_elem).then_some(EXACT);
        }
        let from_num = self.num(from)?;
        if width > 1 {
            return Some(WIDENING);
        }
        if from == to_elem {
            return Some(EXACT);
        }
        let promotes = match (from_num, self.num(to_elem)?) {
            (Num::Bool, Num::Int(32, true)) => true,
            (Num::Int(a, _), Num::Int(32, true)) => a < 32,
            (Num::Float(16), Num::Float(32)) | (Num::Float(32), Num::Float(64)) => true,
            _ => false,
        };
        Some(if promotes { PROMOTION } else { CONVERSION })
    }

    fn rank_type(&self, arg: ExprId, to: Ty) -> Option<Rank> {
        let from = self.ty_of(arg);
        if from == to {
            return Some(EXACT);
        }
        if self.elem_num(to).is_some() && self.elem_num(from).is_some() {
            let (elem, width) = self.unit.types.lanes(to);
            return self.rank_num(from, elem, width);
        }
        match self.implicit(arg, to) {
            Implicit::Same | Implicit::Pointer => {
                let same_space = matches!((self.pointee(from), self.pointee(to)), (Some(a), Some(b)) if a.2 == b.2);
                Some(if same_space { EXACT } else { PROMOTION })
            }
            Implicit::Value => Some(CONVERSION),
            Implicit::Discards => Some(LOSES),
            Implicit::PointeeDiffers | Implicit::Nested | Implicit::Space | Implicit::No => None,
        }
    }

    fn rank_concrete(&self, arg: ExprId, to: Concrete) -> Option<Rank> {
        let from = self.ty_of(arg);
        match to {
            Concrete::Num { elem, width } => self.rank_num(from, elem_type(elem), width),
            Concrete::Pipe(accesses) => accesses.has(self.pipe(from)?.1).then_some(EXACT),
            Concrete::ReserveId => match self.kind(from) {
                TyKind::Opaque(OpaqueKind::ReserveId) => Some(EXACT),
                _ if self.is_null_constant(arg) => Some(CONVERSION),
                _ => None,
            },
            Concrete::Event => match self.kind(from) {
                TyKind::Opaque(OpaqueKind::Event) => Some(EXACT),
                _ if self.is_null_constant(arg) => Some(CONVERSION),
                _ => None,
            },
            Concrete::Image { shape, accesses } => {
                let (have, access) = self.image(from)?;
                (have == shape && accesses.has(access)).then_some(EXACT)
            }
            Concrete::Sampler => {
                if self.is_sampler(from) {
                    return Some(EXACT);
                }
                self.sampler_bits(arg).map(|_| CONVERSION)
            }
            Concrete::Ptr { pointee, spaces, quals } => {
                if self.is_null_constant(arg) {
                    return Some(CONVERSION);
                }
                let (to, from_quals, space) = self.pointee(from)?;
                let mut rank = if spaces.contains(space_bit(space)) {
                    EXACT
                } else if spaces.contains(Spaces::GENERIC) && self.has_generic() && space != AddrSpace::Constant {
                    PROMOTION
                } else {
                    return None;
                };
                match pointee {
                    Pointee::Void => {}
                    Pointee::Event => {
                        if !matches!(self.kind(to), TyKind::Opaque(OpaqueKind::Event)) {
                            return None;
                        }
                    }
                    Pointee::Atomic(elem) => {
                        if *self.kind(to) != TyKind::Atomic(elem_type(elem)) {
                            return None;
                        }
                    }
                    Pointee::Flag => {
                        if *self.kind(to) != TyKind::Atomic(Types::BOOL) {
                            return None;
                        }
                    }
                    Pointee::Num { elem, width } => {
                        let (to_elem, n) = self.unit.types.lanes(to);
                        if n != width || to_elem != elem_type(elem) {
                            return None;
                        }
                    }
                }
                let loses = (from_quals.contains(Quals::CONST) && !quals.contains(crate::builtin::Quals::CONST))
                    || (from_quals.contains(Quals::VOLATILE) && !quals.contains(crate::builtin::Quals::VOLATILE));
                // Reading through a pointer without `volatile` is harmless; writing through a `const` one is not.
                if loses {
                    rank = rank.max(LOSES);
                }
                Some(rank)
            }
            Concrete::Void | Concrete::Variadic | Concrete::Atomic(_) | Concrete::Flag => None,
        }
    }

    fn rank_row(&self, choice: Choice, args: &[ExprId]) -> Option<Ranks> {
        let params = choice.row.params;
        if let Some(Pat::Variadic) = params.last() {
            return (args.len() >= params.len()).then(|| SmallVec::from_elem(EXACT, args.len()));
        }
        if params.len() != args.len() {
            return None;
        }
        params
            .iter()
            .zip(args)
            .map(|(param, &arg)| self.rank_concrete(arg, param.concrete(choice.elem, choice.width)))
            .collect()
    }

    /// Chooses among builtin rows. `None`: reported.
    pub(super) fn choose_row(
        &mut self,
        name: ast::Ident,
        rows: &[&'static Row],
        args: &[ExprId],
        span: Span,
    ) -> Option<Choice> {
        let types: Vec<Ty> = args.iter().map(|&arg| self.ty_of(arg)).collect();
        let numbers = types.iter().all(|&ty| self.elem_num(ty).is_some());
        let key = (name.name, types);
        if numbers && let Some(&known) = self.resolutions.get(&key) {
            return Some(known);
        }
        let mut found: Vec<(Target, Ranks)> = Vec::new();
        self.collect_rows(rows, args, &mut found);
        match self.pick(&found, args) {
            Ok(Target::Row(choice)) => {
                if numbers {
                    self.resolutions.insert(key, choice);
                }
                Some(choice)
            }
            Ok(Target::User(_)) => None,
            Err(tied) => {
                self.report(name, rows, &[], args, &tied, span);
                None
            }
        }
    }

    fn collect_rows(&self, rows: &[&'static Row], args: &[ExprId], found: &mut Vec<(Target, Ranks)>) {
        let version = self.version();
        let half = self.half_allowed();
        for &row in rows {
            let enabled = |feature: &str| self.is_enabled(feature);
            let generic_half = |elem| elem == Elem::Half && !half;
            if !row.params.iter().any(|p| matches!(p, Pat::Variadic)) && row.params.len() != args.len() {
                continue;
            }
            if row.missing(version, &enabled).is_some() {
                continue;
            }
            for (elem, width) in row.instances() {
                if generic_half(elem) {
                    continue;
                }
                let choice = Choice { row, elem, width };
                if let Some(ranks) = self.rank_row(choice, args) {
                    found.push((Target::Row(choice), ranks));
                }
            }
        }
    }

    /// The best candidate, or the best ones if none beats all others.
    fn pick(&self, found: &[(Target, Ranks)], args: &[ExprId]) -> Result<Target, Vec<Target>> {
        let beats = |a: &Ranks, b: &Ranks| a.iter().zip(b).all(|(x, y)| x <= y) && a.iter().zip(b).any(|(x, y)| x < y);
        // Candidates that nothing beats.
        let best: Vec<&(Target, Ranks)> =
            found.iter().filter(|(_, a)| !found.iter().any(|(_, b)| beats(b, a))).collect();
        match best.as_slice() {
            [] => return Err(Vec::new()),
            [(only, _)] => return Ok(*only),
            _ => {}
        }
        // Several: let the arguments' common type decide.
        let common = self.common_elem(&best, args);
        if let Some(common) = common {
            let mut fits = best.iter().filter(|(target, _)| match target {
                Target::Row(choice) => choice.elem == common,
                Target::User(_) => false,
            });
            if let (Some((only, _)), None) = (fits.next(), fits.next()) {
                return Ok(*only);
            }
        }
        Err(best.into_iter().map(|(target, _)| *target).collect())
    }

    /// The common type of the scalar arguments at generic positions.
    fn common_elem(&self, best: &[&(Target, Ranks)], args: &[ExprId]) -> Option<Elem> {
        let Some((Target::Row(first), _)) = best.first() else { return None };
        let mut common: Option<Ty> = None;
        for (param, &arg) in first.row.params.iter().zip(args) {
            if !matches!(param, Pat::T | Pat::E) {
                continue;
            }
            let ty = self.unit.types.lanes(self.ty_of(arg)).0;
            if self.is_vector(self.ty_of(arg)) {
                return self.elem_of(ty);
            }
            common = Some(match common {
                Some(other) => self.common_scalar(other, ty)?,
                None => self.promote(ty),
            });
        }
        self.elem_of(common?)
    }

    /// A call that overloaded functions, and in body files builtins too, may serve.
    pub(super) fn call_overloaded(
        &mut self,
        name: ast::Ident,
        list: &[FnId],
        args: &[ast::ExprId],
        values: Vec<ExprId>,
        span: Span,
    ) -> Option<ExprId> {
        let mut found: Vec<(Target, Ranks)> = Vec::new();
        for &f in list {
            let params = &self.fns[f.0 as usize].params;
            if params.len() != values.len() {
                continue;
            }
            let ranks: Option<Ranks> =
                params.iter().zip(&values).map(|(&param, &value)| self.rank_type(value, param)).collect();
            if let Some(ranks) = ranks {
                found.push((Target::User(f), ranks));
            }
        }
        let text = self.text(name.name).to_owned();
        let rows: &[&'static Row] = if self.builtin_mode() { crate::builtin::lookup(&text) } else { &[] };
        // A function of the file hides the builtin overload with the same parameters.
        let exact = found.iter().any(|(_, ranks)| ranks.iter().all(|&rank| rank == EXACT));
        if !exact {
            self.collect_rows(rows, &values, &mut found);
            let defined: Vec<&str> = list.iter().map(|&f| self.unit.funcs[f].name.as_str()).collect();
            found.retain(|(target, _)| match target {
                Target::Row(choice) if choice.width == 1 => choice
                    .row
                    .symbol(choice.elem, choice.width)
                    .is_none_or(|(_, symbol)| !defined.contains(&symbol.as_str())),
                _ => true,
            });
        }
        match self.pick(&found, &values) {
            Ok(Target::User(f)) => self.finish_user_call(f, args, values, span),
            Ok(Target::Row(choice)) => self.finish_row_call(choice, values, span),
            Err(tied) => {
                self.report(name, rows, list, &values, &tied, span);
                None
            }
        }
    }

    fn report(
        &mut self,
        name: ast::Ident,
        rows: &[&'static Row],
        list: &[FnId],
        args: &[ExprId],
        tied: &[Target],
        span: Span,
    ) {
        const MAX_NOTES: usize = 6;
        let text = self.text(name.name).to_owned();
        let types: Vec<String> = args.iter().map(|&arg| format!("'{}'", self.show(self.ty_of(arg)))).collect();
        let types =
            if types.is_empty() { "no arguments".to_owned() } else { format!("arguments {}", types.join(", ")) };
        let message = if tied.is_empty() {
            format!("no matching function for call to '{text}' with {types}")
        } else {
            format!("call to '{text}' with {types} is ambiguous")
        };
        let mut notes: Vec<(Span, String)> = Vec::new();
        let candidates: Vec<Target> =
            if tied.is_empty() { list.iter().map(|&f| Target::User(f)).collect() } else { tied.to_vec() };
        for target in candidates {
            notes.push(match target {
                Target::User(f) => {
                    let info = &self.fns[f.0 as usize];
                    let params: Vec<String> = info.params.iter().map(|&ty| self.show(ty)).collect();
                    (info.span, format!("candidate function: {} {text}({})", self.show(info.ret), params.join(", ")))
                }
                Target::Row(choice) => (Span::DUMMY, format!("candidate: {}", instance_text(choice))),
            });
        }
        if tied.is_empty() {
            let version = self.version();
            for &row in rows {
                let there = row.missing(version, &|feature| self.is_enabled(feature)).is_none();
                if there {
                    notes.push((Span::DUMMY, format!("candidate: {}", row_text(row, self.half_allowed()))));
                }
            }
        }
        let more = notes.len().saturating_sub(MAX_NOTES);
        let mut handle = self.session.diags.error(span, message);
        for (at, note) in notes.into_iter().take(MAX_NOTES) {
            handle = handle.note(at, note);
        }
        if more > 0 {
            handle.note(Span::DUMMY, format!("and {more} more candidates"));
        }
    }
}

/// The type of an element.
pub(super) fn elem_type(elem: Elem) -> Ty {
    match elem {
        Elem::Char => Types::CHAR,
        Elem::UChar => Types::UCHAR,
        Elem::Short => Types::SHORT,
        Elem::UShort => Types::USHORT,
        Elem::Int => Types::INT,
        Elem::UInt => Types::UINT,
        Elem::Long => Types::LONG,
        Elem::ULong => Types::ULONG,
        Elem::Half => Types::HALF,
        Elem::Float => Types::FLOAT,
        Elem::Double => Types::DOUBLE,
    }
}

/// The set that holds one space.
pub(super) fn space_bit(space: AddrSpace) -> Spaces {
    match space {
        AddrSpace::Private => Spaces::PRIVATE,
        AddrSpace::Local => Spaces::LOCAL,
        AddrSpace::Global => Spaces::GLOBAL,
        AddrSpace::Constant => Spaces::CONSTANT,
        AddrSpace::Generic => Spaces::GENERIC,
    }
}

fn num_text(elem: Elem, width: u8) -> String {
    if width == 1 { elem.name().to_owned() } else { format!("{}{width}", elem.name()) }
}

fn concrete_text(concrete: Concrete) -> String {
    match concrete {
        Concrete::Void => "void".into(),
        Concrete::Num { elem, width } => num_text(elem, width),
        Concrete::Event => "event_t".into(),
        Concrete::Sampler => "sampler_t".into(),
        Concrete::Pipe(accesses) => {
            let access = ImageAccess::ALL.into_iter().find(|&access| accesses.has(access));
            let one = access.filter(|_| accesses.bits().count_ones() == 1).map(ImageAccess::name);
            one.map_or("pipe".into(), |access| format!("{access} pipe"))
        }
        Concrete::ReserveId => "reserve_id_t".into(),
        Concrete::Image { shape, accesses } => {
            let access = ImageAccess::ALL.into_iter().find(|&access| accesses.has(access));
            match access {
                Some(access) if accesses != Accesses::all() => format!("{} {}", access.name(), shape.name()),
                _ => shape.name().into(),
            }
        }
        Concrete::Atomic(elem) => format!("atomic_{}", elem.name()),
        Concrete::Flag => "atomic_flag".into(),
        Concrete::Variadic => "__constant char *, ...".into(),
        Concrete::Ptr { pointee, .. } => match pointee {
            Pointee::Void => "void *".into(),
            Pointee::Event => "event_t *".into(),
            Pointee::Atomic(elem) => format!("atomic_{} *", elem.name()),
            Pointee::Flag => "atomic_flag *".into(),
            Pointee::Num { elem, width } => format!("{} *", num_text(elem, width)),
        },
    }
}

fn instance_text(choice: Choice) -> String {
    let at = |pat: &Pat| concrete_text(pat.concrete(choice.elem, choice.width));
    let params: Vec<String> = choice.row.params.iter().map(at).collect();
    format!("{} {}({})", at(&choice.row.ret), choice.row.name, params.join(", "))
}

/// A row with generic names: `gentype max(gentype, gentype) for float, double; 1 to 16 components`.
fn row_text(row: &'static Row, half: bool) -> String {
    if row.elems.bits().count_ones() == 1 && row.widths == Widths::W1 {
        return row
            .instances()
            .next()
            .map(|(elem, width)| instance_text(Choice { row, elem, width }))
            .unwrap_or_default();
    }
    let pat = |pat: &Pat| match pat {
        Pat::T => "gentype".to_owned(),
        Pat::E => "element".to_owned(),
        Pat::I => "igentype".to_owned(),
        Pat::U => "ugentype".to_owned(),
        Pat::Rel => "relation".to_owned(),
        Pat::N(elem) => format!("{}n", elem.name()),
        Pat::Ptr(to, ..) | Pat::Out(to) => match to {
            Pat::T => "gentype *".to_owned(),
            Pat::E => "element *".to_owned(),
            Pat::Atomic => "atomic_gentype *".to_owned(),
            Pat::N(elem) => format!("{}n *", elem.name()),
            other => format!("{} *", concrete_text(other.concrete(Elem::Int, 1))),
        },
        other => concrete_text(other.concrete(Elem::Int, 1)),
    };
    let params: Vec<String> = row.params.iter().map(pat).collect();
    let mut out = format!("{} {}({})", pat(&row.ret), row.name, params.join(", "));
    let mut instances: Vec<(Elem, u8)> = row.instances().filter(|&(elem, _)| half || elem != Elem::Half).collect();
    if row.elems.bits().count_ones() > 1 {
        instances.dedup_by_key(|(elem, _)| *elem);
        let elems: Vec<&str> = instances.iter().map(|(elem, _)| elem.name()).collect();
        out.push_str(&format!(" for {}", elems.join(", ")));
    }
    out
}

/// Whether a row's body wants its pointers in the generic address space.
pub(super) fn takes_generic(row: &Row, param: &Pat) -> bool {
    matches!(row.body, Body::Cl { .. })
        && match param {
            Pat::Out(_) => true,
            Pat::Ptr(_, spaces, _) => spaces.contains(Spaces::GENERIC),
            _ => false,
        }
}

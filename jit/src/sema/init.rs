//! Initialisers: braces, designators, strings, vectors, zero-fill. A plan lists what goes where; then it becomes
//! statements (private variables) or bytes (constants). Spec: C99, "Initialization".

use super::Sema;
use super::const_eval::Value;
use super::convert::Why;
use super::operand::Operand;
use super::ty::QTy;
use crate::ast::{self, Designator, InitItem};
use crate::hir::{
    ConstValue, ExprId, ExprKind, LocalId, PlaceKind, Quals, Stmt, StmtId, Ty, TyKind, Types, Var, VarId,
};
use crate::launch::AddrSpace;
use crate::source::Span;
use rustc_hash::FxHashMap;

/// A step from an object to a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Field(usize),
    Index(u64),
}

/// One value and where it goes.
#[derive(Clone, Debug)]
struct Entry {
    path: Vec<Step>,
    value: ExprId,
}

/// What an initialiser stores.
#[derive(Debug, Default)]
struct Plan {
    entries: Vec<Entry>,
    /// Designators or unions are involved: what is covered is not simply the sum of the parts.
    irregular: bool,
    /// Scalars and vectors written.
    leaves: u64,
    /// Length that an array of unknown length gets.
    len: u64,
    /// Items that were checked already, by expression.
    memo: FxHashMap<ast::ExprId, Option<ExprId>>,
}

/// Bytes, and addresses in them, of an initialised constant.
type Static = (Ty, Vec<u8>, Vec<(u64, VarId, i64)>);

/// More initialised elements than this are refused (an endless range designator, mostly).
const MAX_ENTRIES: usize = 1 << 20;
/// Private arrays from constants above this size are copied from a constant object.
const COPY_BYTES: u64 = 64;

impl Sema<'_> {
    /// `T x = init;` of a private variable: statements, and the type if the array's length came from the initialiser.
    pub(super) fn local_init(
        &mut self,
        q: QTy,
        init: ast::ExprId,
        local: LocalId,
        span: Span,
        out: &mut Vec<StmtId>,
    ) -> Option<Ty> {
        let (plan, ty) = self.plan(q.ty, init)?;
        self.f.locals[local].ty = ty;
        let target = self.local_place(local, Quals::empty(), span);
        if self.copy_from_constant(&plan, ty, target, span, out) {
            return Some(ty);
        }
        self.emit(&plan, target, span, out)?;
        Some(ty)
    }

    /// An unnamed private variable with an initialiser.
    pub(super) fn init_temp(&mut self, q: QTy, init: ast::ExprId, span: Span) -> Option<(Vec<StmtId>, Ty, LocalId)> {
        if self.is_error(q.ty) {
            return None;
        }
        let open_array = matches!(self.kind(q.ty), TyKind::Array { len: None, .. });
        if self.size_of(q.ty).is_none() && !open_array {
            let text = format!("variable has incomplete type '{}'", self.show(q.ty));
            self.err(span, text);
            return None;
        }
        let local = self.temp_local(q.ty, span);
        let mut out = vec![self.push_stmt(Stmt::Declare(local))];
        let ty = self.local_init(q, init, local, span, &mut out)?;
        Some((out, ty, local))
    }

    /// Initialiser of a constant with static storage.
    pub(super) fn static_init(&mut self, ty: Ty, init: ast::ExprId) -> Option<Static> {
        let (plan, ty) = self.plan(ty, init)?;
        self.static_bytes(&plan, ty, Report::Yes)
    }

    fn static_bytes(&mut self, plan: &Plan, ty: Ty, report: Report) -> Option<Static> {
        let mut bytes = Vec::new();
        let mut relocs: Vec<(u64, VarId, i64)> = Vec::new();
        for entry in &plan.entries {
            let (offset, part) = self.offset(ty, &entry.path)?;
            let value = self.eval(entry.value);
            let width = self.size_of(part)? as usize;
            let start = usize::try_from(offset).ok()?;
            if bytes.len() < start + width {
                bytes.resize(start + width, 0);
            }
            // Only a designator can store to a place twice.
            if plan.irregular {
                relocs.retain(|&(at, ..)| at != offset);
            }
            match value {
                Some(Value::Bits(bits)) => write_bits(&mut bytes[start..start + width], bits),
                Some(Value::Lanes(lanes)) => {
                    let lane = width / lane_slots(lanes.len());
                    for (slot, bits) in bytes[start..start + width].chunks_exact_mut(lane.max(1)).zip(lanes) {
                        write_bits(slot, bits);
                    }
                }
                Some(Value::Address(var, addend)) if width == 8 => {
                    write_bits(&mut bytes[start..start + width], 0);
                    relocs.push((offset, var, addend));
                }
                Some(Value::Object(var, at)) => {
                    let from = usize::try_from(at).ok()?;
                    let source = &self.unit.vars[var];
                    if !source.relocs.is_empty() {
                        if report == Report::Yes {
                            self.err(
                                self.f.exprs[entry.value].span,
                                "initializer element is not a compile-time constant",
                            );
                        }
                        return None;
                    }
                    for (i, slot) in bytes[start..start + width].iter_mut().enumerate() {
                        *slot = source.bytes.get(from + i).copied().unwrap_or(0);
                    }
                }
                _ => {
                    if report == Report::Yes {
                        self.err(self.f.exprs[entry.value].span, "initializer element is not a compile-time constant");
                    }
                    return None;
                }
            }
        }
        Some((ty, bytes, relocs))
    }

    fn offset(&self, ty: Ty, path: &[Step]) -> Option<(u64, Ty)> {
        let (mut offset, mut ty) = (0u64, ty);
        for step in path {
            match (step, self.kind(ty)) {
                (Step::Field(n), TyKind::Record(id)) => {
                    let field = self.unit.types.records[*id].fields.get(*n)?;
                    offset = offset.checked_add(field.offset)?;
                    ty = field.ty;
                }
                (Step::Index(i), TyKind::Array { elem, .. }) => {
                    offset = offset.checked_add(i.checked_mul(self.size_of(*elem)?)?)?;
                    ty = *elem;
                }
                _ => return None,
            }
        }
        Some((offset, ty))
    }

    /// Large constant arrays are copied in one go instead of element by element.
    fn copy_from_constant(&mut self, plan: &Plan, ty: Ty, target: Operand, span: Span, out: &mut Vec<StmtId>) -> bool {
        if plan.entries.len() < 8 || self.size_of(ty).is_none_or(|size| size < COPY_BYTES) || !self.is_array(ty) {
            return false;
        }
        if !plan.entries.iter().all(|entry| {
            matches!(
                self.f.exprs[entry.value].kind,
                ExprKind::Const(_) | ExprKind::Convert(..) | ExprKind::Unary(..) | ExprKind::Build(_)
            )
        }) {
            return false;
        }
        let Some((_, bytes, relocs)) = self.static_bytes(plan, ty, Report::No) else { return false };
        let var = self.unit.vars.push(Var {
            name: String::new(),
            ty,
            space: AddrSpace::Constant,
            align: self.align_of(ty),
            bytes,
            relocs,
            is_extern: false,
            linkage: crate::hir::Linkage::Internal,
            span,
        });
        let from = self.push_place(PlaceKind::Var(var), ty, Quals::CONST, span);
        let value = self.push(ExprKind::Load(from), ty, span);
        let place = self.place_of(target);
        self.mark_address(place);
        let s = self.push_stmt(Stmt::Init(place, value));
        out.push(s);
        true
    }

    fn emit(&mut self, plan: &Plan, target: Operand, span: Span, out: &mut Vec<StmtId>) -> Option<()> {
        let whole = matches!(plan.entries.as_slice(), [only] if only.path.is_empty());
        let zero = !whole && (plan.irregular || plan.leaves < self.leaves(target.ty, 0));
        if zero {
            let place = self.place_of(target);
            self.mark_address(place);
            let s = self.push_stmt(Stmt::Zero(place));
            out.push(s);
        }
        for entry in &plan.entries {
            let is_zero =
                matches!(self.f.exprs[entry.value].kind, ExprKind::Const(ConstValue::Int(0) | ConstValue::Float(0)));
            if zero && is_zero && !plan.irregular {
                continue;
            }
            let mut at = target;
            for step in &entry.path {
                at = match *step {
                    Step::Field(n) => self.field(at, n, span)?,
                    Step::Index(i) => {
                        let index = self.int_const(i, Types::LONG, span);
                        self.element(at, index, span)?
                    }
                };
            }
            let place = self.place_of(at);
            let s = self.push_stmt(Stmt::Init(place, entry.value));
            out.push(s);
        }
        Some(())
    }

    /// Scalars and vectors in an object; unions count as more than any initialiser can cover.
    fn leaves(&self, ty: Ty, depth: u32) -> u64 {
        match self.kind(ty) {
            _ if depth > 64 => u64::MAX,
            TyKind::Array { elem, len, .. } => len.unwrap_or(0).saturating_mul(self.leaves(*elem, depth + 1)),
            TyKind::Record(id) => {
                let record = &self.unit.types.records[*id];
                if record.is_union {
                    return u64::MAX;
                }
                record.fields.iter().fold(0u64, |sum, field| sum.saturating_add(self.leaves(field.ty, depth + 1)))
            }
            _ => 1,
        }
    }

    // ---- making the plan

    fn plan(&mut self, ty: Ty, init: ast::ExprId) -> Option<(Plan, Ty)> {
        if self.is_error(ty) {
            return None;
        }
        let mut plan = Plan::default();
        self.object(ty, &[], init, &mut plan)?;
        let ty = match *self.kind(ty) {
            TyKind::Array { elem, quals, len: None } => {
                let len = Some(plan.len);
                if plan.len.checked_mul(self.size_of(elem)?).is_none_or(|bytes| bytes > 1 << 30) {
                    self.err(self.ast[init].span, "array is too large");
                    return None;
                }
                self.unit.types.intern(TyKind::Array { elem, quals, len })
            }
            _ => ty,
        };
        Some((plan, ty))
    }

    /// A whole object from one initialiser.
    fn object(&mut self, ty: Ty, path: &[Step], init: ast::ExprId, plan: &mut Plan) -> Option<()> {
        let ast = self.ast;
        let span = ast[init].span;
        if self.is_char_array(ty)
            && let Some(id) = self.string_of(init)
        {
            return self.char_array(ty, path, id, span, plan);
        }
        if let ast::ExprKind::InitList(items) = ast[init].kind {
            let items = &ast[items];
            if matches!(self.kind(ty), TyKind::Array { .. } | TyKind::Record(_) | TyKind::Vector { .. }) {
                // A whole struct or vector in its own braces: `{ v }`.
                if let [only] = items
                    && only.designators.is_empty()
                    && (self.is_vector(ty) || self.is_record(ty))
                    && !matches!(ast[only.value].kind, ast::ExprKind::InitList(_))
                {
                    let value = self.item_value(only.value, plan)?;
                    if self.ty_of(value) == ty {
                        return self.leaf(ty, path, value, span, plan);
                    }
                }
                let mut cursor = 0;
                self.fill(ty, path, items, &mut cursor, &[], Braces::Own, plan)?;
                if let Some(item) = items.get(cursor) {
                    let what = match self.kind(ty) {
                        TyKind::Array { .. } => "array",
                        TyKind::Vector { .. } => "vector",
                        _ => "struct",
                    };
                    self.warn(item.span, format!("excess elements in {what} initializer"));
                }
                return Some(());
            }
            return match items {
                [] => {
                    self.err(span, "scalar initializer cannot be empty");
                    None
                }
                [first, rest @ ..] => {
                    if let Some(extra) = rest.first() {
                        self.warn(extra.span, "excess elements in scalar initializer");
                    }
                    if !first.designators.is_empty() {
                        let text = format!("designator in initializer for scalar type '{}'", self.show(ty));
                        self.err(first.span, text);
                        return None;
                    }
                    self.object(ty, path, first.value, plan)
                }
            };
        }
        if self.is_array(ty) {
            // A compound literal of the same type may initialise an array; nothing else may.
            self.err(span, "array initializer must be an initializer list");
            return None;
        }
        let value = self.item_value(init, plan)?;
        self.leaf(ty, path, value, span, plan)
    }

    fn item_value(&mut self, e: ast::ExprId, plan: &mut Plan) -> Option<ExprId> {
        if let Some(&known) = plan.memo.get(&e) {
            return known;
        }
        let value = self.value(e);
        plan.memo.insert(e, value);
        value
    }

    fn leaf(&mut self, ty: Ty, path: &[Step], value: ExprId, span: Span, plan: &mut Plan) -> Option<()> {
        let to = self.unit.types.atomic_value(ty).unwrap_or(ty);
        let value = self.convert(value, to, &Why::Init, span)?;
        if plan.entries.len() >= MAX_ENTRIES {
            self.err(span, "initializer is too large");
            return None;
        }
        plan.leaves = plan.leaves.saturating_add(self.leaves(ty, 0));
        plan.entries.push(Entry { path: path.to_vec(), value });
        Some(())
    }

    fn is_char_array(&self, ty: Ty) -> bool {
        matches!(*self.kind(ty), TyKind::Array { elem, .. } if elem == Types::CHAR || elem == Types::UCHAR)
    }

    /// The literal in `"…"`, `("…")` or `{"…"}`.
    fn string_of(&self, e: ast::ExprId) -> Option<ast::StrId> {
        let mut at = e;
        for _ in 0..64 {
            match self.ast[at].kind {
                ast::ExprKind::Str(id) => return Some(id),
                ast::ExprKind::Paren(inner) => at = inner,
                ast::ExprKind::InitList(items) => match &self.ast[items] {
                    [only] if only.designators.is_empty() => at = only.value,
                    _ => return None,
                },
                _ => return None,
            }
        }
        None
    }

    fn char_array(&mut self, ty: Ty, path: &[Step], id: ast::StrId, span: Span, plan: &mut Plan) -> Option<()> {
        let TyKind::Array { elem, len, .. } = *self.kind(ty) else { return None };
        let bytes = self.ast[id].bytes.to_vec();
        let total = bytes.len() as u64 + 1;
        if path.is_empty() {
            plan.len = total;
        }
        let room = len.unwrap_or(total);
        if (bytes.len() as u64) > room {
            self.warn(span, "initializer-string for char array is too long");
        }
        for (i, byte) in (0u64..).zip(bytes.iter().copied().chain([0])).take_while(|&(i, _)| i < room) {
            let value = self.int_const(u64::from(byte), elem, span);
            let mut path = path.to_vec();
            path.push(Step::Index(i));
            plan.entries.push(Entry { path, value });
            plan.leaves += 1;
        }
        Some(())
    }

    /// Fills an aggregate from items, starting at `*cursor`. `pending`: designators of the first item that remain for
    /// this level. With outer braces: stop at a designator,
    /// which belongs to the aggregate around, and when full.
    #[expect(clippy::too_many_arguments, reason = "the state of C's initialiser walk")]
    fn fill(
        &mut self,
        ty: Ty,
        path: &[Step],
        items: &[InitItem],
        cursor: &mut usize,
        pending: &[Designator],
        braces: Braces,
        plan: &mut Plan,
    ) -> Option<()> {
        let ast = self.ast;
        if self.is_vector(ty) {
            return self.fill_vector(ty, path, items, cursor, pending, braces, plan);
        }
        let mut pending = pending;
        let mut next = 0u64;
        let mut stalled = 0;
        while let Some(item) = items.get(*cursor) {
            let own = &ast[item.designators];
            let designators = if !pending.is_empty() { pending } else { own };
            if !own.is_empty() && pending.is_empty() && braces == Braces::Outer {
                return Some(());
            }
            let before = *cursor;
            if let Some((&first, rest)) = designators.split_first() {
                pending = &[];
                plan.irregular = true;
                let (steps, sub, last) = self.designate(ty, first, item.span)?;
                let mut sub_path = path.to_vec();
                sub_path.extend(&steps);
                let &position = steps.first()?;
                let start = match position {
                    Step::Field(n) => n as u64,
                    Step::Index(i) => i,
                };
                // A range stores the same value in every element.
                for i in start..=last.unwrap_or(start) {
                    *cursor = before;
                    if last.is_some()
                        && let Some(slot) = sub_path.get_mut(path.len())
                    {
                        *slot = Step::Index(i);
                    }
                    if rest.is_empty() {
                        self.fill_one(sub, &sub_path, items, cursor, plan)?;
                    } else {
                        self.fill(sub, &sub_path, items, cursor, rest, Braces::Outer, plan)?;
                        *cursor = (*cursor).max(before + 1);
                    }
                    plan.len = if path.is_empty() { plan.len.max(i + 1) } else { plan.len };
                }
                next = last.unwrap_or(start).saturating_add(1);
                if let TyKind::Record(id) = *self.kind(ty)
                    && self.unit.types.records[id].is_union
                {
                    next = u64::MAX;
                }
                continue;
            }
            let (step, sub) = match *self.kind(ty) {
                TyKind::Array { elem, len, .. } => {
                    if len.is_some_and(|len| next >= len) {
                        return Some(());
                    }
                    (Step::Index(next), elem)
                }
                TyKind::Record(id) => {
                    let record = &self.unit.types.records[id];
                    if record.is_union {
                        plan.irregular = true;
                        if next > 0 {
                            return Some(());
                        }
                    }
                    match usize::try_from(next).ok().and_then(|n| Some((n, record.fields.get(n)?))) {
                        Some((n, field)) => (Step::Field(n), field.ty),
                        None => return Some(()),
                    }
                }
                _ => return None,
            };
            let mut sub_path = path.to_vec();
            sub_path.push(step);
            self.fill_one(sub, &sub_path, items, cursor, plan)?;
            next += 1;
            if path.is_empty() {
                plan.len = plan.len.max(next);
            }
            // Members without anything in them consume no item.
            stalled = if *cursor == before { stalled + 1 } else { 0 };
            if stalled > 1024 {
                return Some(());
            }
        }
        Some(())
    }

    /// One member or element from the item at the cursor, whose designators are dealt with.
    fn fill_one(
        &mut self,
        ty: Ty,
        path: &[Step],
        items: &[InitItem],
        cursor: &mut usize,
        plan: &mut Plan,
    ) -> Option<()> {
        let ast = self.ast;
        let item = items.get(*cursor)?;
        let is_list = matches!(ast[item.value].kind, ast::ExprKind::InitList(_));
        if is_list || (self.is_char_array(ty) && self.string_of(item.value).is_some()) {
            *cursor += 1;
            return self.object(ty, path, item.value, plan);
        }
        match self.kind(ty) {
            TyKind::Array { .. } => self.nested(ty, path, items, cursor, plan),
            TyKind::Record(_) | TyKind::Vector { .. } => {
                let value = self.item_value(item.value, plan)?;
                let from = self.ty_of(value);
                // A scalar fills a vector member, as it would in an assignment.
                if from == ty || (self.is_vector(ty) && self.is_arith(from)) {
                    *cursor += 1;
                    return self.leaf(ty, path, value, item.span, plan);
                }
                self.nested(ty, path, items, cursor, plan)
            }
            _ => {
                *cursor += 1;
                let value = self.item_value(item.value, plan)?;
                self.leaf(ty, path, value, ast[item.value].span, plan)
            }
        }
    }

    /// An aggregate whose braces are left out. The item at the cursor starts it, designated or not.
    fn nested(&mut self, ty: Ty, path: &[Step], items: &[InitItem], cursor: &mut usize, plan: &mut Plan) -> Option<()> {
        let ast = self.ast;
        let first = items.get(*cursor)?;
        if first.designators.is_empty() || self.is_vector(ty) {
            return self.fill(ty, path, items, cursor, &[], Braces::Outer, plan);
        }
        // `.a = 1, 2` where `a` is an aggregate: go to its first member by hand.
        let sub = match *self.kind(ty) {
            TyKind::Array { elem, .. } => Some((Step::Index(0), elem)),
            TyKind::Record(id) => self.unit.types.records[id].fields.first().map(|field| (Step::Field(0), field.ty)),
            _ => None,
        };
        let Some((step, sub)) = sub else {
            *cursor += 1;
            self.err(ast[first.value].span, "initializer for an aggregate with no elements");
            return None;
        };
        let mut sub_path = path.to_vec();
        sub_path.push(step);
        self.fill_one(sub, &sub_path, items, cursor, plan)
    }

    #[expect(clippy::too_many_arguments, reason = "see `fill`")]
    fn fill_vector(
        &mut self,
        ty: Ty,
        path: &[Step],
        items: &[InitItem],
        cursor: &mut usize,
        pending: &[Designator],
        braces: Braces,
        plan: &mut Plan,
    ) -> Option<()> {
        let (elem, lanes) = self.unit.types.lanes(ty);
        let mut parts = Vec::new();
        let mut have = 0;
        let mut span = Span::DUMMY;
        if !pending.is_empty() {
            self.err(items.get(*cursor)?.span, "designator into a vector is not supported");
            return None;
        }
        while have < lanes {
            let Some(item) = items.get(*cursor) else { break };
            // The first item of an inner vector may carry the designator that led here.
            if !item.designators.is_empty() && (braces == Braces::Own || !parts.is_empty()) {
                if braces == Braces::Own {
                    self.err(item.span, "designator in a vector initializer is not supported");
                    return None;
                }
                break;
            }
            *cursor += 1;
            span = item.span;
            let value = self.item_value(item.value, plan)?;
            let from = self.ty_of(value);
            let n = if self.is_vector(from) { self.unit.types.lanes(from).1 } else { 1 };
            if have + n > lanes {
                let text = format!("too many elements in initializer of vector '{}'", self.show(ty));
                self.err(item.span, text);
                return None;
            }
            have += n;
            let value = if self.is_vector(from) { value } else { self.convert(value, elem, &Why::Init, item.span)? };
            parts.push(value);
        }
        if parts.is_empty() {
            // `{}`
            let zero = self.int_const(0, Types::INT, span);
            let value = self.cast(zero, ty);
            return self.leaf(ty, path, value, span, plan);
        }
        let value = self.build_vector(ty, &parts, span)?;
        self.leaf(ty, path, value, span, plan)
    }

    /// The part that one designator names: the way, its type, and the end of a range.
    fn designate(&mut self, ty: Ty, designator: Designator, span: Span) -> Option<(Vec<Step>, Ty, Option<u64>)> {
        match designator {
            Designator::Member(name) => {
                let TyKind::Record(record) = *self.kind(ty) else {
                    let text =
                        format!("field designator cannot initialize a non-struct, non-union type '{}'", self.show(ty));
                    self.err(name.span, text);
                    return None;
                };
                let text = self.text(name.name).to_owned();
                let Some(fields) = self.find_field(record, &text, 0) else {
                    let text =
                        format!("field designator '{text}' does not refer to any field in type '{}'", self.show(ty));
                    self.err(name.span, text);
                    return None;
                };
                let mut at = ty;
                for &n in &fields {
                    let TyKind::Record(record) = *self.kind(at) else { return None };
                    at = self.unit.types.records[record].fields.get(n)?.ty;
                }
                Some((fields.into_iter().map(Step::Field).collect(), at, None))
            }
            Designator::Index(first) | Designator::Range(first, _) => {
                let TyKind::Array { elem, len, .. } = *self.kind(ty) else {
                    let text = format!("array designator cannot initialize non-array type '{}'", self.show(ty));
                    self.err(span, text);
                    return None;
                };
                let start = self.int_constant_expr(first, "array designator")?;
                let end = match designator {
                    Designator::Range(_, last) => Some(self.int_constant_expr(last, "array designator")?),
                    _ => None,
                };
                let limit = len.map_or(MAX_ENTRIES as i128 * 64, i128::from);
                for value in [Some(start), end].into_iter().flatten() {
                    if value < 0 || value >= limit {
                        self.err(span, format!("array designator index ({value}) exceeds array bounds ({limit})"));
                        return None;
                    }
                }
                if let Some(end) = end
                    && (end < start || end - start > MAX_ENTRIES as i128)
                {
                    self.err(span, format!("array designator range [{start}, {end}] is empty or too long"));
                    return None;
                }
                Some((vec![Step::Index(start as u64)], elem, end.map(|end| end as u64)))
            }
        }
    }
}

/// Whose braces the items stand in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Braces {
    /// This aggregate's own.
    Own,
    /// Those of an aggregate around it.
    Outer,
}

/// Whether a failure is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Report {
    Yes,
    No,
}

/// Slots that so many lanes take in memory.
fn lane_slots(lanes: usize) -> usize {
    if lanes == 3 { 4 } else { lanes.max(1) }
}

fn write_bits(slot: &mut [u8], bits: u64) {
    let bytes = bits.to_le_bytes();
    let n = slot.len().min(8);
    slot[..n].copy_from_slice(&bytes[..n]);
}

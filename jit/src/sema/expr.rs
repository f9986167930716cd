//! Expressions: names, literals, unary operators, members, subscripts, casts, conditionals. Binary operators are in
//! `binary`, `?:` in `conditional`, vector components and literals in `vector`, calls in `call`.

use super::Sema;
use super::convert::NoCommon;
use super::operand::{OpKind, Operand};
use super::scope::Entity;
use super::ty::{Num, QTy};
use crate::ast::{self, MemberOp, TypeOrExpr, TypeQuery, UnaryOp};
use crate::hir::{ConstValue, ExprId, ExprKind, PlaceKind, Quals, Stmt, Ty, TyKind, Types, UnOp};
use crate::launch::AddrSpace;
use crate::lex::float;
use crate::source::Span;

impl Sema<'_> {
    /// Checks an expression and gives its value.
    pub(super) fn value(&mut self, id: ast::ExprId) -> Option<ExprId> {
        let op = self.expr(id)?;
        self.value_of(op)
    }

    /// Checks an expression. `None`: something is wrong and has been reported.
    pub(super) fn expr(&mut self, id: ast::ExprId) -> Option<Operand> {
        let ast = self.ast;
        let node = &ast[id];
        let span = node.span;
        match node.kind {
            ast::ExprKind::Error => None,
            ast::ExprKind::Paren(inner) => self.expr(inner).map(|op| Operand { span, ..op }),
            ast::ExprKind::Ident(ident) => self.name(ident),
            ast::ExprKind::Int(lit) => {
                let ty = int_literal_type(lit);
                let bits = self.size_of(ty).unwrap_or(8) as u8 * 8;
                let e = self.int_const(super::convert::truncate(lit.value, bits), ty, span);
                Some(self.value_operand(e))
            }
            ast::ExprKind::Float(lit) => {
                let e = self.float_literal(lit, span)?;
                Some(self.value_operand(e))
            }
            ast::ExprKind::Char(lit) => {
                let e = self.int_const(u64::from(lit.value as u32), Types::INT, span);
                Some(self.value_operand(e))
            }
            ast::ExprKind::Str(str_id) => Some(self.string(str_id, span)),
            ast::ExprKind::StmtExpr(body) => self.stmt_expr(body, span),
            ast::ExprKind::Index { base, index } => self.index(base, index, span),
            ast::ExprKind::Call { callee, args } => {
                let e = self.call(callee, args, span)?;
                Some(self.value_operand(e))
            }
            ast::ExprKind::Member { base, op, name } => self.member(base, op, name, span),
            ast::ExprKind::IncDec { op, operand } => {
                let e = self.inc_dec(op, operand, span)?;
                Some(self.value_operand(e))
            }
            ast::ExprKind::Unary { op, operand } => self.unary(op, operand, span),
            ast::ExprKind::Binary { op, lhs, rhs, op_span } => {
                let e = self.binary(op, lhs, rhs, op_span, span)?;
                Some(self.value_operand(e))
            }
            ast::ExprKind::Assign { op, lhs, rhs, op_span } => {
                let e = match op {
                    None => self.plain_assign(lhs, rhs, span),
                    Some(op) => self.compound_assign(op, lhs, rhs, op_span, span),
                }?;
                Some(self.value_operand(e))
            }
            ast::ExprKind::Conditional { cond, then, els, op_span } => {
                let e = self.conditional(cond, then, els, op_span, span)?;
                Some(self.value_operand(e))
            }
            ast::ExprKind::Comma(list) => {
                let e = self.comma(&ast[list], span)?;
                Some(self.value_operand(e))
            }
            ast::ExprKind::Cast { ty, operand } => {
                let q = self.resolve(ty);
                let value = self.value(operand);
                let e = self.explicit_cast(value?, q?.ty, span)?;
                Some(self.value_operand(e))
            }
            ast::ExprKind::CastList { ty, args, args_span } => {
                let q = self.resolve(ty)?;
                let e = if self.is_vector(q.ty) {
                    self.vector_literal(q.ty, &ast[args], span)?
                } else {
                    let value = self.comma(&ast[args], args_span)?;
                    self.explicit_cast(value, q.ty, span)?
                };
                Some(self.value_operand(e))
            }
            ast::ExprKind::CompoundLiteral { ty, init } => self.compound_literal(ty, init, false, span),
            ast::ExprKind::InitList(_) => {
                self.err(span, "expected expression");
                None
            }
            ast::ExprKind::TypeQuery { op, arg } => {
                let e = self.type_query(op, arg, span)?;
                Some(self.value_operand(e))
            }
            ast::ExprKind::OffsetOf { ty, path } => {
                let e = self.offset_of(ty, &ast[path], span)?;
                Some(self.value_operand(e))
            }
            ast::ExprKind::AsType { operand, ty } => {
                let q = self.resolve(ty);
                let value = self.value(operand);
                let e = self.as_type(value?, q?.ty, span)?;
                Some(self.value_operand(e))
            }
            ast::ExprKind::Block { .. } => {
                self.need_blocks(span)?;
                self.misused_block(span);
                None
            }
        }
    }

    fn name(&mut self, ident: ast::Ident) -> Option<Operand> {
        let span = ident.span;
        let Some((depth, named)) = self.scopes.find_with_depth(ident.name) else {
            if let Some(name) = self.function_name(ident) {
                return Some(name);
            }
            self.undeclared(ident);
            return None;
        };
        match named.entity.clone() {
            Entity::Broken => None,
            Entity::Typedef(_) => {
                let text = format!("unexpected type name '{}': expected expression", self.text(ident.name));
                self.err(span, text);
                None
            }
            Entity::Enumerator(bits, ty) => {
                let e = self.int_const(bits, ty, span);
                Some(self.value_operand(e))
            }
            Entity::Block(_) => {
                self.misused_block(span);
                None
            }
            Entity::Local(id, quals) => {
                let (id, quals) = self.own_local(id, depth, quals, span);
                let ty = self.f.locals[id].ty;
                let place = self.push_place(PlaceKind::Local(id), ty, quals, span);
                Some(self.place_operand(place, quals, AddrSpace::Private))
            }
            Entity::WgVar(id, quals) => {
                let ty = self.unit.wg_vars[id].ty;
                let place = self.push_place(PlaceKind::WgVar(id), ty, quals, span);
                Some(self.place_operand(place, quals, AddrSpace::Local))
            }
            Entity::Var(id, quals) => {
                let (ty, space) = (self.unit.vars[id].ty, self.unit.vars[id].space);
                if self.unit.vars[id].is_extern && self.unevaluated == 0 {
                    self.externs.push((id, span));
                }
                let place = self.push_place(PlaceKind::Var(id), ty, quals, span);
                Some(self.place_operand(place, quals, space))
            }
            Entity::Funcs(_) => {
                let text = format!(
                    "taking the address of function '{}': function pointers are not supported",
                    self.text(ident.name)
                );
                self.err(span, text);
                None
            }
        }
    }

    /// Reports a block that is neither called nor enqueued, nor what initialises a block variable.
    fn misused_block(&mut self, span: Span) {
        self.err(span, "a block can only be called, enqueued, or be the initializer of a block variable");
    }

    /// `__func__` in a function: its name. Spec: OpenCL C, "Restrictions" (from 1.2 on).
    fn function_name(&mut self, ident: ast::Ident) -> Option<Operand> {
        if self.text(ident.name) != "__func__" || self.version() < 120 {
            return None;
        }
        let name = self.fns[self.current?.0 as usize].name;
        let mut bytes = self.text(name).as_bytes().to_vec();
        bytes.push(0);
        Some(self.string_of_bytes(bytes, ident.span))
    }

    /// Reports a name that nothing declares.
    fn undeclared(&mut self, ident: ast::Ident) {
        let name = self.text(ident.name).to_owned();
        if !crate::builtin::lookup(&name).is_empty() {
            let text = format!("taking the address of function '{name}': function pointers are not supported");
            self.err(ident.span, text);
            return;
        }
        let mut text = format!("use of undeclared identifier '{name}'");
        if let Some(near) = self.suggest(&name, false) {
            text.push_str(&format!("; did you mean '{near}'?"));
        }
        self.err(ident.span, text);
    }

    fn float_literal(&mut self, lit: ast::FloatLit, span: Span) -> Option<ExprId> {
        let (bits, ty) = match lit.suffix {
            ast::FloatSuffix::None if !self.single_precision_constant() => (lit.f64.to_bits(), Types::DOUBLE),
            ast::FloatSuffix::None | ast::FloatSuffix::Float => (u64::from(lit.f32.to_bits()), Types::FLOAT),
            ast::FloatSuffix::Half => {
                self.need_half(span)?;
                // From the digits: by way of double it would be rounded twice.
                let bits = float::convert(self.text(lit.text), float::Format::Half, ast::PragmaRounding::Rte).bits;
                (bits, Types::HALF)
            }
        };
        Some(self.push(ExprKind::Const(ConstValue::Float(bits)), ty, span))
    }

    /// A string literal: an array in constant memory.
    fn string(&mut self, id: ast::StrId, span: Span) -> Operand {
        let mut bytes = self.ast[id].bytes.to_vec();
        bytes.push(0);
        self.string_of_bytes(bytes, span)
    }

    fn string_of_bytes(&mut self, bytes: Vec<u8>, span: Span) -> Operand {
        let var = self.string_var(bytes, span);
        let ty = self.unit.vars[var].ty;
        let quals = Quals::empty();
        let place = self.push_place(PlaceKind::Var(var), ty, quals, span);
        self.place_operand(place, quals, AddrSpace::Constant)
    }

    fn stmt_expr(&mut self, body: ast::StmtId, span: Span) -> Option<Operand> {
        if !self.in_function {
            self.err(span, "statement expression not allowed at file scope");
            return None;
        }
        let ast = self.ast;
        let ast::StmtKind::Compound(list) = ast[body].kind else { return None };
        self.scopes.enter();
        let contract = self.fp.contract;
        let stmts = &ast[list];
        let mut out = Vec::new();
        let mut result = None;
        for (i, &stmt) in stmts.iter().enumerate() {
            if i + 1 == stmts.len()
                && let ast::StmtKind::Expr(e) = ast[stmt].kind
            {
                result = self.value(e);
                if result.is_none() {
                    out.clear();
                }
                break;
            }
            self.stmt(stmt, &mut out);
        }
        self.fp.contract = contract;
        self.scopes.leave();
        let dummy_ty = result.map_or(Types::VOID, |e| self.ty_of(e));
        if dummy_ty == Types::VOID {
            if let Some(e) = result {
                let s = self.push_stmt(Stmt::Expr(e));
                out.push(s);
            } else if stmts.last().is_some_and(|&s| matches!(ast[s].kind, ast::StmtKind::Expr(_))) {
                return None;
            }
            let block = self.push_stmt(Stmt::Block(out));
            let local = self.temp_local(Types::INT, span);
            let place = self.push_place(PlaceKind::Local(local), Types::INT, Quals::empty(), span);
            let load = self.push(ExprKind::InitLoad(block, place), Types::INT, span);
            let e = self.cast(load, Types::VOID);
            return Some(self.value_operand(e));
        }
        let local = self.temp_local(dummy_ty, span);
        let place = self.push_place(PlaceKind::Local(local), dummy_ty, Quals::empty(), span);
        let init = self.push_stmt(Stmt::Init(place, result?));
        out.push(init);
        let block = self.push_stmt(Stmt::Block(out));
        let e = self.push(ExprKind::InitLoad(block, place), dummy_ty, span);
        Some(self.value_operand(e))
    }

    /// `base[index]`.
    fn index(&mut self, base: ast::ExprId, index: ast::ExprId, span: Span) -> Option<Operand> {
        let base_op = self.expr(base);
        let index_op = self.expr(index);
        let (mut base_op, mut index_op) = (base_op?, index_op?);
        // `2[p]` is `p[2]`.
        let indexable = |sema: &Self, ty| sema.is_array(ty) || sema.is_pointer(ty) || sema.is_vector(ty);
        if !indexable(self, base_op.ty) && indexable(self, index_op.ty) {
            std::mem::swap(&mut base_op, &mut index_op);
        }
        if self.is_error(base_op.ty) || self.is_error(index_op.ty) {
            return None;
        }
        if !indexable(self, base_op.ty) {
            self.err(span, "subscripted value is not an array, pointer, or vector");
            return None;
        }
        let index = self.value_of(index_op)?;
        if !self.is_integer(self.ty_of(index)) {
            self.err(index_op.span, "array subscript is not an integer");
            return None;
        }
        let index = if self.ty_of(index) == Types::BOOL { self.cast(index, Types::INT) } else { index };
        if let TyKind::Array { len: Some(len), .. } = *self.kind(base_op.ty)
            && let Some(value) = self.eval_int(index)
            && (value < 0 || value > i128::from(len))
        {
            let text = format!("array index {value} is outside the bounds of '{}'", self.show(base_op.ty));
            self.warn(index_op.span, text);
        }
        if self.is_array(base_op.ty) {
            return self.element(base_op, index, span);
        }
        if self.is_vector(base_op.ty) {
            return self.vector_element(base_op, index, span);
        }
        let base = self.value_of(base_op)?;
        let ty = self.ty_of(base);
        let (pointee, ..) = self.pointee(ty)?;
        self.complete_pointee(pointee, span)?;
        let at = self.push(ExprKind::PtrAdd(base, index), ty, span);
        self.deref(at, span)
    }

    /// Arithmetic on pointers needs to know the size of what they point to.
    pub(super) fn complete_pointee(&mut self, pointee: Ty, span: Span) -> Option<()> {
        if self.is_error(pointee) {
            return None;
        }
        if pointee != Types::VOID && self.size_of(pointee).is_none() {
            let text = format!("arithmetic on a pointer to an incomplete type '{}'", self.show(pointee));
            self.err(span, text);
            return None;
        }
        Some(())
    }

    fn member(&mut self, base: ast::ExprId, op: MemberOp, name: ast::Ident, span: Span) -> Option<Operand> {
        let mut base_op = self.expr(base)?;
        if op == MemberOp::Arrow {
            let value = self.value_of(base_op)?;
            let ty = self.ty_of(value);
            let Some((pointee, ..)) = self.pointee(ty) else {
                let text = if self.is_record(ty) {
                    format!("member reference type '{}' is not a pointer; did you mean to use '.'?", self.show(ty))
                } else {
                    format!("member reference type '{}' is not a pointer", self.show(ty))
                };
                self.err(base_op.span, text);
                return None;
            };
            if self.is_error(pointee) {
                return None;
            }
            base_op = self.deref(value, base_op.span)?;
        }
        if self.is_error(base_op.ty) {
            return None;
        }
        if self.is_vector(base_op.ty) {
            return self.components(base_op, name, span);
        }
        let TyKind::Record(record) = *self.kind(base_op.ty) else {
            let text = match self.pointee(base_op.ty) {
                Some((pointee, ..)) if self.is_record(pointee) || self.is_vector(pointee) => {
                    format!("member reference type '{}' is a pointer; did you mean to use '->'?", self.show(base_op.ty))
                }
                _ => {
                    format!(
                        "member reference base type '{}' is not a structure, union or vector",
                        self.show(base_op.ty)
                    )
                }
            };
            self.err(name.span, text);
            return None;
        };
        if !self.unit.types.records[record].complete {
            let text = format!("incomplete definition of type '{}'", self.show(base_op.ty));
            self.err(base_op.span, text);
            return None;
        }
        let text = self.text(name.name).to_owned();
        let Some(path) = self.find_field(record, &text, 0) else {
            let mut message = format!("no member named '{text}' in '{}'", self.show(base_op.ty));
            let fields = self.unit.types.records[record].fields.iter().map(|f| f.name.as_str());
            if let Some(near) = crate::parse::nearest(&text, fields.filter(|n| !n.is_empty())) {
                message.push_str(&format!("; did you mean '{near}'?"));
            }
            self.err(name.span, message);
            return None;
        };
        let mut at = base_op;
        for n in path {
            at = self.field(at, n, span)?;
        }
        Some(at)
    }

    /// The way to a field, through anonymous members.
    pub(super) fn find_field(&self, record: crate::hir::RecordId, name: &str, depth: u32) -> Option<Vec<usize>> {
        let fields = &self.unit.types.records[record].fields;
        if let Some(n) = fields.iter().position(|field| field.name == name) {
            return Some(vec![n]);
        }
        if depth > 64 {
            return None;
        }
        fields.iter().enumerate().filter(|(_, field)| field.name.is_empty()).find_map(|(n, field)| {
            let TyKind::Record(inner) = *self.kind(field.ty) else { return None };
            let mut path = self.find_field(inner, name, depth + 1)?;
            path.insert(0, n);
            Some(path)
        })
    }

    fn inc_dec(&mut self, op: ast::IncDecOp, operand: ast::ExprId, span: Span) -> Option<ExprId> {
        let op_text = op.text();
        let (delta, post) = match op {
            ast::IncDecOp::PreInc => (1, false),
            ast::IncDecOp::PreDec => (-1, false),
            ast::IncDecOp::PostInc => (1, true),
            ast::IncDecOp::PostDec => (-1, true),
        };
        let target = self.expr(operand)?;
        let place = self.modifiable(target, if delta > 0 { "increment" } else { "decrement" })?;
        let ty = target.ty;
        if let Some((pointee, ..)) = self.pointee(ty) {
            self.complete_pointee(pointee, span)?;
        } else if self.elem_num(ty).is_none() {
            let text = format!("cannot apply '{op_text}' to a value of type '{}'", self.show(ty));
            self.err(span, text);
            return None;
        }
        let fp = self.fp_attr();
        Some(self.push(ExprKind::IncDec { place, delta, post, fp }, ty, span))
    }

    fn unary(&mut self, op: UnaryOp, operand: ast::ExprId, span: Span) -> Option<Operand> {
        match op {
            UnaryOp::AddrOf => return self.address_of(operand, span),
            UnaryOp::Deref => {
                let value = self.value(operand)?;
                let ty = self.ty_of(value);
                let Some((pointee, ..)) = self.pointee(ty) else {
                    let text = format!("indirection requires pointer operand ('{}' invalid)", self.show(ty));
                    self.err(span, text);
                    return None;
                };
                if self.is_error(pointee) {
                    return None;
                }
                return self.deref(value, span);
            }
            UnaryOp::Plus | UnaryOp::Minus | UnaryOp::Not | UnaryOp::BitNot => {}
        }
        let value = self.value(operand)?;
        let ty = self.ty_of(value);
        let number = self.elem_num(ty);
        let fits = match op {
            UnaryOp::Not => number.is_some() || self.is_pointer(ty),
            UnaryOp::BitNot => matches!(number, Some(Num::Bool | Num::Int(..))),
            _ => number.is_some(),
        };
        if !fits {
            let text = format!("invalid argument type '{}' to unary expression", self.show(ty));
            self.err(span, text);
            return None;
        }
        let promoted = if self.is_vector(ty) { ty } else { self.promote(ty) };
        let e = match op {
            UnaryOp::Not => {
                let result = if self.is_vector(ty) { self.mask_type(ty) } else { Types::INT };
                self.push(ExprKind::LogicalNot(value), result, span)
            }
            UnaryOp::Minus => {
                let value = self.cast(value, promoted);
                self.push(ExprKind::Unary(UnOp::Neg, value), promoted, span)
            }
            UnaryOp::BitNot => {
                let value = self.cast(value, promoted);
                self.push(ExprKind::Unary(UnOp::Not, value), promoted, span)
            }
            _ => self.cast(value, promoted),
        };
        Some(self.value_operand(e))
    }

    fn address_of(&mut self, operand: ast::ExprId, span: Span) -> Option<Operand> {
        let op = match self.ast[operand].kind {
            ast::ExprKind::CompoundLiteral { ty, init } => self.compound_literal(ty, init, true, span)?,
            _ => self.expr(operand)?,
        };
        if self.is_error(op.ty) {
            return None;
        }
        let OpKind::Place(place) = op.kind else {
            let text = format!("cannot take the address of an rvalue of type '{}'", self.show(op.ty));
            self.err(span, text);
            return None;
        };
        match &self.f.places[place].kind {
            PlaceKind::Lanes(_, lanes) if lanes.len() != 1 || !self.builtin_mode() => {
                self.err(span, "address of vector element requested");
                return None;
            }
            PlaceKind::Temp(_) => {
                let text = format!("cannot take the address of an rvalue of type '{}'", self.show(op.ty));
                self.err(span, text);
                return None;
            }
            _ => {}
        }
        let e = self.address(op, span)?;
        Some(self.value_operand(e))
    }

    fn comma(&mut self, parts: &[ast::ExprId], span: Span) -> Option<ExprId> {
        let values: Vec<Option<ExprId>> = parts.iter().map(|&part| self.value(part)).collect();
        let mut values = values.into_iter();
        let mut result = values.next()??;
        for value in values {
            let value = value?;
            let ty = self.ty_of(value);
            result = self.push(ExprKind::Comma(result, value), ty, span);
        }
        Some(result)
    }

    /// Reports operands without a common type.
    pub(super) fn no_common(&mut self, why: NoCommon, a: Ty, b: Ty, span: Span) {
        let (a_text, b_text) = (self.show(a), self.show(b));
        let text = match why {
            NoCommon::Rank => format!(
                "scalar operand type has greater rank than the type of the vector element ('{a_text}' and '{b_text}')"
            ),
            NoCommon::Types if self.is_vector(a) && self.is_vector(b) => {
                format!("cannot convert between vector values of different type ('{a_text}' and '{b_text}')")
            }
            NoCommon::Types => format!("invalid operands to binary expression ('{a_text}' and '{b_text}')"),
        };
        self.err(span, text);
    }

    /// `(ty){ … }`: an object, though scalars and vectors are as good as their values if nobody takes the address.
    fn compound_literal(&mut self, ty: ast::TypeId, init: ast::ExprId, is_object: bool, span: Span) -> Option<Operand> {
        let q = self.resolve(ty)?;
        if !self.in_function {
            self.err(span, "compound literal is not a compile-time constant");
            return None;
        }
        let (stmts, ty, local) = self.init_temp(q, init, span)?;
        let block = self.push_stmt(Stmt::Block(stmts));
        let place = self.push_place(PlaceKind::Local(local), ty, q.quals, span);
        if !self.is_array(ty) {
            let filled = self.push(ExprKind::InitLoad(block, place), ty, span);
            if !self.is_record(ty) && !is_object {
                return Some(self.value_operand(filled));
            }
        }
        self.filled_object(block, place, q.quals, span)
    }

    /// The object itself: fills it, then goes through its address.
    pub(super) fn filled_object(
        &mut self,
        block: crate::hir::StmtId,
        place: crate::hir::PlaceId,
        quals: Quals,
        span: Span,
    ) -> Option<Operand> {
        let mut leaf = self.place_operand(place, quals, AddrSpace::Private);
        for _ in 0..64 {
            leaf = match *self.kind(leaf.ty) {
                TyKind::Array { len: Some(1..), .. } => {
                    let zero = self.int_const(0, Types::LONG, span);
                    self.element(leaf, zero, span)?
                }
                TyKind::Record(id) if !self.unit.types.records[id].fields.is_empty() => self.field(leaf, 0, span)?,
                _ => break,
            };
        }
        let object = self.place_operand(place, quals, AddrSpace::Private);
        let address = self.address(object, span)?;
        let OpKind::Place(leaf_place) = leaf.kind else { return None };
        let fill = self.push(ExprKind::InitLoad(block, leaf_place), leaf.ty, span);
        let address_ty = self.ty_of(address);
        let both = self.push(ExprKind::Comma(fill, address), address_ty, span);
        self.deref(both, span)
    }

    fn type_query(&mut self, op: TypeQuery, arg: TypeOrExpr, span: Span) -> Option<ExprId> {
        let QTy { ty, aligned, .. } = match arg {
            TypeOrExpr::Type(ty) => self.resolve(ty)?,
            TypeOrExpr::Expr(e) => {
                self.unevaluated += 1;
                let op = self.expr(e);
                self.unevaluated -= 1;
                QTy::plain(op?.ty)
            }
        };
        if self.is_error(ty) {
            return None;
        }
        let value = match op {
            TypeQuery::VecStep => {
                let (elem, lanes) = self.unit.types.lanes(ty);
                if self.num(elem).is_none() && ty != Types::VOID {
                    let text =
                        format!("'vec_step' requires built-in scalar or vector type, '{}' invalid", self.show(ty));
                    self.err(span, text);
                    return None;
                }
                return Some(self.int_const(if lanes == 3 { 4 } else { u64::from(lanes) }, Types::INT, span));
            }
            TypeQuery::Sizeof | TypeQuery::Alignof => {
                let Some((size, align)) = self.unit.types.size_align(ty) else {
                    if ty == Types::VOID {
                        return Some(self.int_const(1, Types::ULONG, span));
                    }
                    let name = if op == TypeQuery::Sizeof { "sizeof" } else { "alignof" };
                    let text = format!("invalid application of '{name}' to an incomplete type '{}'", self.show(ty));
                    self.err(span, text);
                    return None;
                };
                if op == TypeQuery::Sizeof { size } else { u64::from(align.max(aligned)) }
            }
        };
        Some(self.int_const(value, Types::ULONG, span))
    }

    fn offset_of(&mut self, ty: ast::TypeId, path: &[ast::Designator], span: Span) -> Option<ExprId> {
        let QTy { mut ty, .. } = self.resolve(ty)?;
        let mut offset = 0u64;
        for step in path {
            match *step {
                ast::Designator::Member(name) => {
                    let TyKind::Record(record) = *self.kind(ty) else {
                        let text = format!("offsetof requires struct or union type, '{}' invalid", self.show(ty));
                        self.err(name.span, text);
                        return None;
                    };
                    let text = self.text(name.name).to_owned();
                    let Some(fields) = self.find_field(record, &text, 0) else {
                        let text = format!("no member named '{text}' in '{}'", self.show(ty));
                        self.err(name.span, text);
                        return None;
                    };
                    for n in fields {
                        let TyKind::Record(record) = *self.kind(ty) else { return None };
                        let field = self.unit.types.records[record].fields.get(n)?;
                        offset = offset.wrapping_add(field.offset);
                        ty = field.ty;
                    }
                }
                ast::Designator::Index(e) => {
                    let TyKind::Array { elem, .. } = *self.kind(ty) else {
                        let text = format!("offsetof requires array type, '{}' invalid", self.show(ty));
                        self.err(span, text);
                        return None;
                    };
                    let index = self.int_constant_expr(e, "array index in offsetof")?;
                    offset = offset.wrapping_add((index as u64).wrapping_mul(self.size_of(elem)?));
                    ty = elem;
                }
                ast::Designator::Range(..) => {
                    self.err(span, "expected an index in offsetof");
                    return None;
                }
            }
        }
        Some(self.int_const(offset, Types::ULONG, span))
    }

    /// Spec: OpenCL C, "Reinterpreting Types Using as_type() and as_typen()".
    pub(super) fn as_type(&mut self, e: ExprId, to: Ty, span: Span) -> Option<ExprId> {
        let from = self.ty_of(e);
        if self.is_error(from) || self.is_error(to) {
            return None;
        }
        for (ty, what) in [(from, "operand"), (to, "target")] {
            let ok = match self.elem_num(ty) {
                Some(Num::Bool) | None => false,
                Some(_) => true,
            };
            // Pointers keep their bits as well; bodies of builtins use it.
            let pointer_in_body = self.builtin_mode() && self.is_pointer(ty);
            if !ok && !pointer_in_body {
                let text = format!(
                    "cannot reinterpret '{}' as '{}': the {what} type must be a scalar number or a vector",
                    self.show(from),
                    self.show(to)
                );
                self.err(span, text);
                return None;
            }
        }
        let (from_size, to_size) = (self.size_of(from)?, self.size_of(to)?);
        if from_size != to_size {
            let text = format!(
                "cannot reinterpret '{}' as '{}': the sizes differ ({from_size} and {to_size} bytes)",
                self.show(from),
                self.show(to)
            );
            self.err(span, text);
            return None;
        }
        if from == to {
            return Some(e);
        }
        Some(self.push(ExprKind::AsType(e), to, span))
    }

    /// Evaluates a constant integer expression or reports that it is none.
    pub(super) fn int_constant_expr(&mut self, id: ast::ExprId, what: &str) -> Option<i128> {
        let e = self.value(id)?;
        let ty = self.ty_of(e);
        if !self.is_integer(ty) {
            let text = format!("{what} has non-integer type '{}'", self.show(ty));
            self.err(self.ast[id].span, text);
            return None;
        }
        let value = self.eval_int(e);
        if value.is_none() {
            self.err(self.ast[id].span, format!("{what} is not an integer constant expression"));
        }
        value
    }
}

/// Spec: C99, "Integer constants".
fn int_literal_type(lit: ast::IntLit) -> Ty {
    let fits_int = lit.value <= i32::MAX as u64;
    let fits_uint = lit.value <= u64::from(u32::MAX);
    let fits_long = lit.value <= i64::MAX as u64;
    match (lit.is_unsigned, lit.is_long) {
        (false, false) if fits_int => Types::INT,
        (false, false) if fits_uint && !lit.is_decimal => Types::UINT,
        (true, false) if fits_uint => Types::UINT,
        (false, _) if fits_long => Types::LONG,
        _ => Types::ULONG,
    }
}

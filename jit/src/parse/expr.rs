//! Expressions. Operator chains, prefix chains and `?:` chains are parsed with explicit stacks; only brackets recurse.

use super::cursor::{P, Tok};
use super::keyword::{Kw, Meaning};
use super::{MAX_TREE_DEPTH, Parser};
use crate::ast::{
    BinaryOp, Designator, Expr, ExprId, ExprKind, Ident, IncDecOp, IntLit, List, MemberOp, StrLit, TypeId, TypeKind,
    TypeOrExpr, TypeQuery, UnaryOp,
};
use crate::source::Span;
use smallvec::SmallVec;

/// What stands in front of an operand, waiting for it.
enum Prefix {
    Unary(UnaryOp),
    IncDec(IncDecOp),
    Cast(TypeId),
    Query(TypeQuery),
}

impl Parser<'_> {
    /// expression: one or more assignment expressions with commas between.
    pub(super) fn expr(&mut self) -> ExprId {
        let start = self.start();
        let first = self.assign_expr();
        if !self.at(P::Comma) {
            return first;
        }
        let mut list: SmallVec<[ExprId; 8]> = SmallVec::new();
        list.push(first);
        while self.eat(P::Comma) {
            list.push(self.assign_expr());
        }
        let list = self.ast.add_list(&list);
        self.add_expr(ExprKind::Comma(list), self.since(start))
    }

    /// assignment-expression.
    pub(super) fn assign_expr(&mut self) -> ExprId {
        let mut lhs: SmallVec<[(ExprId, Option<BinaryOp>, Span); 4]> = SmallVec::new();
        let mut value = self.conditional_expr();
        while let Some(op) = assign_op(self.tok()) {
            lhs.push((value, op, self.span()));
            self.bump();
            value = self.conditional_expr();
        }
        while let Some((target, op, op_span)) = lhs.pop() {
            let span = self.join(target, value);
            value = self.add_expr(ExprKind::Assign { op, lhs: target, rhs: value, op_span }, span);
        }
        value
    }

    /// conditional-expression; also what the grammar calls a constant expression.
    pub(super) fn conditional_expr(&mut self) -> ExprId {
        let mut open: SmallVec<[(ExprId, Option<ExprId>, Span); 4]> = SmallVec::new();
        let mut value = self.binary_expr();
        while self.at(P::Question) {
            let op_span = self.span();
            self.bump();
            let then = if self.at(P::Colon) { None } else { Some(self.nested_expr()) };
            if !self.eat(P::Colon) {
                self.error_here_with("expected ':'".into(), Some((op_span, "to match this '?'".into())));
                let span = self.ast[value].span.to(self.prev_span());
                let els = self.error_expr(span);
                open.push((value, then, op_span));
                value = els;
                break;
            }
            open.push((value, then, op_span));
            value = self.binary_expr();
        }
        while let Some((cond, then, op_span)) = open.pop() {
            let span = self.join(cond, value);
            value = self.add_expr(ExprKind::Conditional { cond, then, els: value, op_span }, span);
        }
        value
    }

    /// `expr` one nesting level deeper.
    fn nested_expr(&mut self) -> ExprId {
        if !self.enter() {
            return self.error_expr(self.span());
        }
        let e = self.expr();
        self.leave();
        e
    }

    /// Binary operators by precedence, with a stack of operands that wait for their right side.
    fn binary_expr(&mut self) -> ExprId {
        let mut wait: SmallVec<[(ExprId, BinaryOp, u8, Span); 8]> = SmallVec::new();
        loop {
            let mut value = self.cast_expr();
            let next = binary_op(self.tok());
            let prec = next.map_or(0, |(_, prec)| prec);
            while let Some(&(lhs, op, p, op_span)) = wait.last() {
                if p < prec {
                    break;
                }
                wait.pop();
                let span = self.join(lhs, value);
                value = self.add_expr(ExprKind::Binary { op, lhs, rhs: value, op_span }, span);
            }
            let Some((op, prec)) = next else {
                return value;
            };
            wait.push((value, op, prec, self.span()));
            self.bump();
        }
    }

    /// cast-expression: casts, prefix operators, `sizeof`, then an operand with its suffixes.
    pub(super) fn cast_expr(&mut self) -> ExprId {
        let mut prefixes: SmallVec<[(Prefix, Span); 4]> = SmallVec::new();
        let mut value = loop {
            if prefixes.len() >= super::MAX_NESTING {
                self.nesting_error();
                break self.error_expr(self.span());
            }
            let span = self.span();
            let prefix = match self.tok() {
                Tok::P(P::Plus) => Prefix::Unary(UnaryOp::Plus),
                Tok::P(P::Minus) => Prefix::Unary(UnaryOp::Minus),
                Tok::P(P::Bang) => Prefix::Unary(UnaryOp::Not),
                Tok::P(P::Tilde) => Prefix::Unary(UnaryOp::BitNot),
                Tok::P(P::Amp) => Prefix::Unary(UnaryOp::AddrOf),
                Tok::P(P::Star) => Prefix::Unary(UnaryOp::Deref),
                Tok::P(P::PlusPlus) => Prefix::IncDec(IncDecOp::PreInc),
                Tok::P(P::MinusMinus) => Prefix::IncDec(IncDecOp::PreDec),
                Tok::Kw(Kw::Sizeof) => Prefix::Query(TypeQuery::Sizeof),
                Tok::Kw(Kw::Alignof) => Prefix::Query(TypeQuery::Alignof),
                Tok::Kw(Kw::VecStep) => Prefix::Query(TypeQuery::VecStep),
                Tok::Kw(Kw::Extension) => {
                    self.bump();
                    continue;
                }
                Tok::P(P::LParen) if self.paren_starts_type() => {
                    let ty = self.type_in_parens();
                    match self.tok() {
                        Tok::P(P::LBrace) => {
                            let literal = self.compound_literal(ty, span);
                            break self.suffixes(literal);
                        }
                        Tok::P(P::LParen) if self.peek(1) != Tok::P(P::LBrace) && !self.paren_starts_type() => {
                            break self.cast_list(ty, span, &mut prefixes);
                        }
                        _ => {
                            prefixes.push((Prefix::Cast(ty), span));
                            continue;
                        }
                    }
                }
                _ => {
                    let primary = self.primary();
                    break self.suffixes(primary);
                }
            };
            self.bump();
            if let Prefix::Query(op) = prefix
                && self.at(P::LParen)
                && self.paren_starts_type()
            {
                let open = self.span();
                let ty = self.type_in_parens();
                if self.at(P::LBrace) {
                    prefixes.push((prefix, span));
                    let literal = self.compound_literal(ty, open);
                    break self.suffixes(literal);
                }
                let span = span.to(self.prev_span());
                break self.add_expr(ExprKind::TypeQuery { op, arg: TypeOrExpr::Type(ty) }, span);
            }
            prefixes.push((prefix, span));
        };
        while let Some((prefix, start)) = prefixes.pop() {
            let span = start.to(self.ast[value].span);
            let kind = match prefix {
                Prefix::Unary(op) => ExprKind::Unary { op, operand: value },
                Prefix::IncDec(op) => ExprKind::IncDec { op, operand: value },
                Prefix::Cast(ty) => ExprKind::Cast { ty, operand: value },
                Prefix::Query(op) => ExprKind::TypeQuery { op, arg: TypeOrExpr::Expr(value) },
            };
            value = self.add_expr(kind, span);
        }
        value
    }

    /// `(a, b, c)` behind `(ty)`.
    fn cast_list(&mut self, ty: TypeId, start: Span, prefixes: &mut SmallVec<[(Prefix, Span); 4]>) -> ExprId {
        let (args, args_span) = self.arguments();
        let span = start.to(args_span);
        if self.names_vector(ty) {
            let literal = self.add_expr(ExprKind::CastList { ty, args, args_span }, span);
            return self.suffixes(literal);
        }
        let has_suffix =
            matches!(self.tok(), Tok::P(P::LBracket | P::LParen | P::Dot | P::Arrow | P::PlusPlus | P::MinusMinus));
        if !has_suffix {
            return self.add_expr(ExprKind::CastList { ty, args, args_span }, span);
        }
        // A suffix binds tighter than the cast: `(int)(a).x` converts `(a).x`.
        let inner = match self.ast[args] {
            [] => self.error_expr(args_span),
            [one] => one,
            _ => self.add_expr(ExprKind::Comma(args), args_span),
        };
        let paren = self.add_expr(ExprKind::Paren(inner), args_span);
        prefixes.push((Prefix::Cast(ty), start));
        self.suffixes(paren)
    }

    /// The braces of `(ty){ … }`; `start` is where the first parenthesis stands.
    fn compound_literal(&mut self, ty: TypeId, start: Span) -> ExprId {
        let init = self.initializer();
        let span = start.to(self.prev_span());
        self.add_expr(ExprKind::CompoundLiteral { ty, init }, span)
    }

    /// Whether the cursor is at `(` and a type name follows.
    pub(super) fn paren_starts_type(&self) -> bool {
        self.at(P::LParen) && self.starts_type_name(self.peek(1))
    }

    /// `( type-name )`, the cursor at the parenthesis.
    fn type_in_parens(&mut self) -> TypeId {
        let open = self.span();
        self.bump();
        let ty = self.type_name();
        self.close(P::RParen, open);
        ty
    }

    /// `( expr, … )`, the cursor at the parenthesis; the list may be empty.
    fn arguments(&mut self) -> (List<ExprId>, Span) {
        let open = self.span();
        self.bump();
        if !self.enter() {
            return (List::EMPTY, open);
        }
        let mut args: SmallVec<[ExprId; 8]> = SmallVec::new();
        if !self.at(P::RParen) {
            loop {
                args.push(self.assign_expr());
                if !self.eat(P::Comma) {
                    break;
                }
            }
        }
        self.close(P::RParen, open);
        self.leave();
        (self.ast.add_list(&args), open.to(self.prev_span()))
    }

    /// Suffixes of a postfix expression.
    fn suffixes(&mut self, base: ExprId) -> ExprId {
        let mut value = base;
        loop {
            let op_span = self.span();
            let kind = match self.tok() {
                Tok::P(P::LBracket) => {
                    self.bump();
                    let index = self.nested_expr();
                    self.close(P::RBracket, op_span);
                    ExprKind::Index { base: value, index }
                }
                Tok::P(P::LParen) => {
                    let (args, _) = self.arguments();
                    ExprKind::Call { callee: value, args }
                }
                Tok::P(p @ (P::Dot | P::Arrow)) => {
                    self.bump();
                    let op = if p == P::Dot { MemberOp::Dot } else { MemberOp::Arrow };
                    match self.tok() {
                        Tok::Ident(name) => {
                            let name = Ident { name, span: self.span() };
                            self.bump();
                            ExprKind::Member { base: value, op, name }
                        }
                        _ => {
                            self.error_here("expected identifier");
                            // The name is missing or is a keyword.
                            if matches!(self.tok(), Tok::Kw(kw) if !kw.starts_stmt()) {
                                self.bump();
                            }
                            ExprKind::Error
                        }
                    }
                }
                Tok::P(P::PlusPlus) => {
                    self.bump();
                    ExprKind::IncDec { op: IncDecOp::PostInc, operand: value }
                }
                Tok::P(P::MinusMinus) => {
                    self.bump();
                    ExprKind::IncDec { op: IncDecOp::PostDec, operand: value }
                }
                _ => return value,
            };
            let span = self.ast[value].span.to(self.prev_span());
            value = self.add_expr(kind, span);
        }
    }

    /// primary-expression.
    fn primary(&mut self) -> ExprId {
        let span = self.span();
        let kind = match self.tok() {
            Tok::Ident(name) => match self.scopes.meaning(name) {
                Meaning::Builtin(_) | Meaning::Typedef { .. } => return self.type_as_value(),
                _ => ExprKind::Ident(Ident { name, span }),
            },
            Tok::Int => self.int_literal(),
            Tok::Float => self.float_literal(),
            Tok::Char => self.char_literal(),
            Tok::Str => return self.string(),
            Tok::Kw(kw @ (Kw::True | Kw::False)) => ExprKind::Int(IntLit {
                value: u64::from(kw == Kw::True),
                is_unsigned: false,
                is_long: false,
                is_decimal: true,
            }),
            Tok::P(P::LParen) => return self.paren(),
            Tok::P(P::Caret) => return self.block_literal(),
            Tok::Kw(Kw::OffsetOf) => return self.offset_of(),
            Tok::Kw(Kw::AsType) => return self.as_type(),
            Tok::Kw(kw) if kw.starts_type() => return self.type_as_value(),
            Tok::Bad => {
                // The lexer has reported it.
                self.bump();
                self.hush();
                return self.error_expr(span);
            }
            _ => {
                self.error_here("expected expression");
                return self.error_expr(span.start());
            }
        };
        self.bump();
        self.add_expr(kind, span)
    }

    /// A type where a value is wanted: `x = float4(1.0f);`.
    fn type_as_value(&mut self) -> ExprId {
        let start = self.start();
        let span = self.span();
        self.error_at(span, format!("unexpected type name '{}': expected expression", self.spelling()));
        while self.starts_type_name(self.tok()) {
            self.bump();
        }
        if self.at(P::LParen) {
            self.arguments();
        }
        let span = self.since(start);
        self.error_expr(span)
    }

    /// Adjacent string literals.
    fn string(&mut self) -> ExprId {
        let start = self.start();
        let id = self.string_literals();
        let span = self.since(start);
        self.add_expr(ExprKind::Str(id), span)
    }

    /// One or more string literals in a row, joined.
    pub(super) fn string_literals(&mut self) -> crate::ast::StrId {
        let mut bytes = Vec::new();
        while self.tok() == Tok::Str {
            self.string_bytes(&mut bytes);
            self.bump();
        }
        self.ast.add(StrLit { bytes: bytes.into() })
    }

    /// `( … )` that is not a cast.
    fn paren(&mut self) -> ExprId {
        let open = self.span();
        if let Tok::Ident(name) = self.peek(1)
            && self.scopes.meaning(name) == Meaning::Unknown
            && self.looks_like_cast()
        {
            self.bump();
            self.unknown_type(name);
            while !self.at(P::RParen) && !self.at_eof() {
                self.bump();
            }
            self.bump();
            self.cast_expr();
            let span = open.to(self.prev_span());
            return self.error_expr(span);
        }
        self.bump();
        if !self.enter() {
            return self.error_expr(open);
        }
        let kind = if self.at(P::LBrace) {
            let outer = self.begin_depth();
            let body = self.compound();
            self.end_depth_of_stmt(outer, body);
            ExprKind::StmtExpr(body)
        } else {
            ExprKind::Paren(self.expr())
        };
        self.close(P::RParen, open);
        self.leave();
        let span = open.to(self.prev_span());
        self.add_expr(kind, span)
    }

    /// At `(name` with an undeclared name: whether it was meant as a cast to a type that does not exist.
    fn looks_like_cast(&self) -> bool {
        let mut n = 2;
        while self.peek(n) == Tok::P(P::Star) && n < 6 {
            n += 1;
        }
        if self.peek(n) != Tok::P(P::RParen) {
            return false;
        }
        n > 2 || matches!(self.peek(n + 1), Tok::Ident(_) | Tok::Int | Tok::Float | Tok::Char | Tok::Str)
    }

    /// `^ ret (params) { … }`.
    fn block_literal(&mut self) -> ExprId {
        let start = self.start();
        self.bump();
        let mark = self.scopes.push();
        let outer = self.begin_depth();
        let (mut ret, mut params) = (None, None);
        if self.at(P::LParen) {
            params = Some(self.params().0);
        } else if !self.at(P::LBrace) && self.starts_type_name(self.tok()) {
            let ty = self.type_name();
            match self.ast[ty].kind {
                TypeKind::Function { ret: result, params: list, .. } => {
                    ret = Some(result);
                    params = Some(list);
                }
                _ => ret = Some(ty),
            }
        }
        self.skip_attributes();
        if !self.at(P::LBrace) {
            self.error_here("expected expression");
            self.scopes.pop(mark);
            let span = self.since(start);
            return self.error_expr(span);
        }
        if let Some(params) = params {
            self.declare_params(params);
        }
        let body = self.compound();
        self.end_depth_of_stmt(outer, body);
        self.scopes.pop(mark);
        let span = self.since(start);
        self.add_expr(ExprKind::Block { ret, params, body }, span)
    }

    /// `__builtin_offsetof(type, path)`.
    fn offset_of(&mut self) -> ExprId {
        let start = self.start();
        self.bump();
        let open = self.span();
        if !self.expect(P::LParen, "expected '(' after '__builtin_offsetof'") || !self.enter() {
            let span = self.since(start);
            return self.error_expr(span);
        }
        let ty = self.type_name();
        self.expect(P::Comma, "expected ','");
        let mut path: SmallVec<[Designator; 4]> = SmallVec::new();
        loop {
            match self.tok() {
                Tok::Ident(name) => {
                    path.push(Designator::Member(Ident { name, span: self.span() }));
                    self.bump();
                }
                _ => {
                    self.error_here("expected identifier");
                    break;
                }
            }
            while self.at(P::LBracket) {
                let bracket = self.span();
                self.bump();
                let index = self.nested_expr();
                path.push(Designator::Index(index));
                self.close(P::RBracket, bracket);
            }
            if !self.eat(P::Dot) {
                break;
            }
        }
        self.close(P::RParen, open);
        self.leave();
        let path = self.ast.add_list(&path);
        let span = self.since(start);
        self.add_expr(ExprKind::OffsetOf { ty, path }, span)
    }

    /// `__builtin_astype(expr, type)`.
    fn as_type(&mut self) -> ExprId {
        let start = self.start();
        self.bump();
        let open = self.span();
        if !self.expect(P::LParen, "expected '(' after '__builtin_astype'") || !self.enter() {
            let span = self.since(start);
            return self.error_expr(span);
        }
        let operand = self.assign_expr();
        self.expect(P::Comma, "expected ','");
        let ty = self.type_name();
        self.close(P::RParen, open);
        self.leave();
        let span = self.since(start);
        self.add_expr(ExprKind::AsType { operand, ty }, span)
    }

    /// An expression that is broken; the error is reported already.
    pub(super) fn error_expr(&mut self, span: Span) -> ExprId {
        self.add_expr(ExprKind::Error, span)
    }

    /// The span over two expressions.
    fn join(&self, a: ExprId, b: ExprId) -> Span {
        self.ast[a].span.to(self.ast[b].span)
    }

    /// Adds an expression, keeping count of the tree's depth.
    pub(super) fn add_expr(&mut self, kind: ExprKind, span: Span) -> ExprId {
        let depth = 1 + self.depth_below(&kind);
        self.peak = self.peak.max(depth);
        let (kind, depth) = if depth > MAX_TREE_DEPTH { (self.too_deep(span), 1) } else { (kind, depth) };
        self.depths.push(depth);
        self.ast.add(Expr { kind, span })
    }

    fn too_deep(&mut self, span: Span) -> ExprKind {
        self.error_at(span, format!("expression is too complex: more than {MAX_TREE_DEPTH} levels of operators"));
        self.stop();
        ExprKind::Error
    }

    fn depth_below(&self, kind: &ExprKind) -> u32 {
        let of = |e: ExprId| self.depths[e.index()];
        let all = |list: List<ExprId>| self.ast[list].iter().map(|&e| of(e)).max().unwrap_or(0);
        let ty = |t: TypeId| self.type_depths.get(&t).copied().unwrap_or(0);
        match *kind {
            ExprKind::Error
            | ExprKind::Ident(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Char(_)
            | ExprKind::Str(_) => 0,
            ExprKind::Paren(e) => of(e),
            ExprKind::StmtExpr(body) | ExprKind::Block { body, .. } => {
                self.body_depths.get(&body).copied().unwrap_or(0)
            }
            ExprKind::Index { base, index } => of(base).max(of(index)),
            ExprKind::Call { callee, args } => of(callee).max(all(args)),
            ExprKind::Member { base, .. } => of(base),
            ExprKind::IncDec { operand, .. } | ExprKind::Unary { operand, .. } => of(operand),
            ExprKind::Binary { lhs, rhs, .. } | ExprKind::Assign { lhs, rhs, .. } => of(lhs).max(of(rhs)),
            ExprKind::Conditional { cond, then, els, .. } => of(cond).max(then.map_or(0, of)).max(of(els)),
            ExprKind::Comma(list) => all(list),
            ExprKind::Cast { ty: t, operand } | ExprKind::AsType { operand, ty: t } => of(operand).max(ty(t)),
            ExprKind::CastList { ty: t, args, .. } => all(args).max(ty(t)),
            ExprKind::CompoundLiteral { ty: t, init } => of(init).max(ty(t)),
            ExprKind::InitList(items) => self.ast[items].iter().map(|i| of(i.value)).max().unwrap_or(0),
            ExprKind::TypeQuery { arg: TypeOrExpr::Type(t), .. } => ty(t),
            ExprKind::TypeQuery { arg: TypeOrExpr::Expr(e), .. } => of(e),
            ExprKind::OffsetOf { ty: t, path } => {
                let index = |d: &Designator| if let Designator::Index(e) = *d { of(e) } else { 0 };
                self.ast[path].iter().map(index).max().unwrap_or(0).max(ty(t))
            }
        }
    }

    /// Starts counting the depth of what follows by itself; returns the count so far.
    pub(super) fn begin_depth(&mut self) -> u32 {
        std::mem::take(&mut self.peak)
    }

    /// Ends `begin_depth` for a type name.
    pub(super) fn end_depth_of_type(&mut self, outer: u32, ty: TypeId) {
        if self.peak > 0 {
            self.type_depths.insert(ty, self.peak);
        }
        self.peak = self.peak.max(outer);
    }

    /// Ends `begin_depth` for the body of a block or statement expression.
    fn end_depth_of_stmt(&mut self, outer: u32, body: crate::ast::StmtId) {
        self.body_depths.insert(body, self.peak);
        self.peak = self.peak.max(outer);
    }
}

fn assign_op(tok: Tok) -> Option<Option<BinaryOp>> {
    let Tok::P(p) = tok else { return None };
    Some(match p {
        P::Eq => None,
        P::PlusEq => Some(BinaryOp::Add),
        P::MinusEq => Some(BinaryOp::Sub),
        P::StarEq => Some(BinaryOp::Mul),
        P::SlashEq => Some(BinaryOp::Div),
        P::PercentEq => Some(BinaryOp::Rem),
        P::ShlEq => Some(BinaryOp::Shl),
        P::ShrEq => Some(BinaryOp::Shr),
        P::AmpEq => Some(BinaryOp::BitAnd),
        P::CaretEq => Some(BinaryOp::BitXor),
        P::PipeEq => Some(BinaryOp::BitOr),
        _ => return None,
    })
}

/// The operator and its precedence, at least 1; higher binds tighter.
fn binary_op(tok: Tok) -> Option<(BinaryOp, u8)> {
    let Tok::P(p) = tok else { return None };
    Some(match p {
        P::PipePipe => (BinaryOp::LogOr, 1),
        P::AmpAmp => (BinaryOp::LogAnd, 2),
        P::Pipe => (BinaryOp::BitOr, 3),
        P::Caret => (BinaryOp::BitXor, 4),
        P::Amp => (BinaryOp::BitAnd, 5),
        P::EqEq => (BinaryOp::Eq, 6),
        P::Ne => (BinaryOp::Ne, 6),
        P::Lt => (BinaryOp::Lt, 7),
        P::Gt => (BinaryOp::Gt, 7),
        P::Le => (BinaryOp::Le, 7),
        P::Ge => (BinaryOp::Ge, 7),
        P::Shl => (BinaryOp::Shl, 8),
        P::Shr => (BinaryOp::Shr, 8),
        P::Plus => (BinaryOp::Add, 9),
        P::Minus => (BinaryOp::Sub, 9),
        P::Star => (BinaryOp::Mul, 10),
        P::Slash => (BinaryOp::Div, 10),
        P::Percent => (BinaryOp::Rem, 10),
        _ => return None,
    })
}

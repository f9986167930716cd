//! The tree as S-expressions: for tests and for looking at. One line per item at file scope.

use super::{Access, EnumSpec, IncDecOp, Pragma};
use super::{
    ArrayLen, Ast, Attr, AttrArg, Decl, DeclFlags, DeclId, Designator, Enumerator, ExprId, ExprKind, FloatSuffix,
    Ident, InitItem, IntLit, ItemKind, LabelKind, List, MemberOp, ParamsForm, PragmaExtension, PragmaKind,
    PragmaRounding, PragmaSwitch, QualFlags, Quals, Record, RecordKind, StmtId, StmtKind, Storage, TypeId, TypeKind,
    TypeOrExpr, TypeQuery,
};
use crate::intern::Interner;
use crate::launch::AddrSpace;

/// The whole tree.
pub fn dump(ast: &Ast, names: &Interner) -> String {
    let mut d = Dump { ast, names, out: String::new() };
    for item in &ast.items {
        match item.kind {
            ItemKind::Decl { base, decls } => d.decls(base, decls),
            ItemKind::Function(decl) => d.decl(decl),
            ItemKind::Pragma(pragma) => d.pragma(pragma),
            ItemKind::StaticAssert { cond, .. } => {
                d.open("static_assert");
                d.expr(cond);
                d.close();
            }
            ItemKind::Error => d.atom("<error>"),
        }
        d.out.push('\n');
    }
    d.out
}

/// One expression.
pub fn dump_expr(ast: &Ast, names: &Interner, expr: ExprId) -> String {
    let mut d = Dump { ast, names, out: String::new() };
    d.expr(expr);
    d.out
}

struct Dump<'a> {
    ast: &'a Ast,
    names: &'a Interner,
    out: String,
}

impl Dump<'_> {
    fn atom(&mut self, text: &str) {
        if !self.out.is_empty() && !self.out.ends_with(['(', '\n']) {
            self.out.push(' ');
        }
        self.out.push_str(text);
    }

    fn open(&mut self, word: &str) {
        self.atom("(");
        self.out.push_str(word);
    }

    fn close(&mut self) {
        self.out.push(')');
    }

    fn ident(&mut self, ident: Ident) {
        let text = self.names.text(ident.name);
        self.atom(text);
    }

    fn decls(&mut self, base: TypeId, decls: List<DeclId>) {
        if decls.is_empty() {
            self.open("declare");
            self.ty(base);
            self.close();
        }
        let ast = self.ast;
        for &decl in &ast[decls] {
            self.decl(decl);
        }
    }

    fn decl(&mut self, id: DeclId) {
        let ast = self.ast;
        let Decl { name, storage, flags, ty, attrs, init, bits, body, .. } = ast[id];
        let is_plain = flags.intersects(DeclFlags::PARAM | DeclFlags::MEMBER);
        self.open(match (body.is_some(), is_plain) {
            (true, _) => "function",
            (_, true) => "",
            _ => "decl",
        });
        match name {
            Some(name) => self.ident(name),
            None => self.atom("_"),
        }
        if storage != Storage::None {
            self.atom(&format!("{storage:?}").to_lowercase());
        }
        if flags.contains(DeclFlags::KERNEL) {
            self.atom("kernel");
        }
        if flags.contains(DeclFlags::INLINE) {
            self.atom("inline");
        }
        self.attrs(attrs);
        self.ty(ty);
        if let Some(bits) = bits {
            self.atom(":");
            self.expr(bits);
        }
        if let Some(init) = init {
            self.atom("=");
            self.expr(init);
        }
        if let Some(body) = body {
            self.stmt(body);
        }
        self.close();
    }

    fn attrs(&mut self, attrs: List<Attr>) {
        let ast = self.ast;
        for attr in &ast[attrs] {
            self.open("@");
            self.out.push_str(self.names.text(attr.name.name));
            for &arg in &ast[attr.args] {
                match arg {
                    AttrArg::Expr(e) => self.expr(e),
                    AttrArg::Type(t) => self.ty(t),
                }
            }
            self.close();
        }
    }

    fn quals(&mut self, quals: Quals) {
        if let Some(space) = quals.addr {
            self.atom(match space {
                AddrSpace::Private => "private",
                AddrSpace::Local => "local",
                AddrSpace::Global => "global",
                AddrSpace::Constant => "constant",
                AddrSpace::Generic => "generic",
            });
        }
        if let Some(access) = quals.access {
            self.atom(match access {
                Access::ReadOnly => "read_only",
                Access::WriteOnly => "write_only",
                Access::ReadWrite => "read_write",
            });
        }
        for (flag, word) in
            [(QualFlags::CONST, "const"), (QualFlags::VOLATILE, "volatile"), (QualFlags::RESTRICT, "restrict")]
        {
            if quals.flags.contains(flag) {
                self.atom(word);
            }
        }
    }

    fn ty(&mut self, id: TypeId) {
        let ast = self.ast;
        let ty = ast[id];
        let has_more = !ty.quals.is_none() || !ty.attrs.is_empty();
        let is_simple = matches!(ty.kind, TypeKind::Error | TypeKind::Builtin(_) | TypeKind::Named(_));
        if has_more && is_simple {
            self.open("");
            self.quals(ty.quals);
            self.attrs(ty.attrs);
        }
        match ty.kind {
            TypeKind::Error => self.atom("<error>"),
            TypeKind::Builtin(builtin) => self.atom(&builtin.to_string()),
            TypeKind::Named(name) => self.atom(self.names.text(name)),
            TypeKind::Record(record) => self.record(&ast[record], ty.quals),
            TypeKind::Enum(spec) => self.enum_spec(&ast[spec], ty.quals),
            TypeKind::Pointer(inner) => self.wrap("*", &ty, inner),
            TypeKind::Block(inner) => self.wrap("^", &ty, inner),
            TypeKind::Pipe(inner) => self.wrap("pipe", &ty, inner),
            TypeKind::TypeofType(inner) => self.wrap("typeof", &ty, inner),
            TypeKind::TypeofExpr(e) => {
                self.open("typeof");
                self.quals(ty.quals);
                self.expr(e);
                self.close();
            }
            TypeKind::Array { elem, len } => {
                self.open("array");
                self.quals(ty.quals);
                match len {
                    ArrayLen::Unknown => self.atom("[]"),
                    ArrayLen::Star => self.atom("[*]"),
                    ArrayLen::Expr(e) => self.expr(e),
                    ArrayLen::Static(e) => {
                        self.atom("static");
                        self.expr(e);
                    }
                }
                self.ty(elem);
                self.close();
            }
            TypeKind::Function { ret, params, form } => {
                self.open("fn");
                self.params(params);
                match form {
                    ParamsForm::Prototype => {}
                    ParamsForm::Empty => self.atom("empty"),
                    ParamsForm::Variadic => self.atom("..."),
                }
                self.ty(ret);
                self.close();
            }
        }
        if has_more && is_simple {
            self.close();
        }
    }

    fn wrap(&mut self, word: &str, ty: &super::Type, inner: TypeId) {
        self.open(word);
        self.quals(ty.quals);
        self.attrs(ty.attrs);
        self.ty(inner);
        self.close();
    }

    fn params(&mut self, params: List<DeclId>) {
        let ast = self.ast;
        self.open("");
        for &param in &ast[params] {
            self.decl(param);
        }
        self.close();
    }

    fn record(&mut self, record: &Record, quals: Quals) {
        let ast = self.ast;
        self.open(if record.kind == RecordKind::Struct { "struct" } else { "union" });
        self.quals(quals);
        if let Some(tag) = record.tag {
            self.ident(tag);
        }
        self.attrs(record.attrs);
        if let Some(members) = record.members {
            self.open("");
            for &member in &ast[members] {
                self.decl(member);
            }
            self.close();
        }
        self.close();
    }

    fn enum_spec(&mut self, spec: &EnumSpec, quals: Quals) {
        let ast = self.ast;
        self.open("enum");
        self.quals(quals);
        if let Some(tag) = spec.tag {
            self.ident(tag);
        }
        self.attrs(spec.attrs);
        if let Some(list) = spec.enumerators {
            self.open("");
            for &Enumerator { name, value } in &ast[list] {
                self.ident(name);
                if let Some(value) = value {
                    self.atom("=");
                    self.expr(value);
                }
            }
            self.close();
        }
        self.close();
    }

    fn stmt(&mut self, id: StmtId) {
        let ast = self.ast;
        let stmt = ast[id];
        self.attrs(stmt.attrs);
        match stmt.kind {
            StmtKind::Error => self.atom("<error>"),
            StmtKind::Empty => self.atom(";"),
            StmtKind::Expr(e) => self.expr(e),
            StmtKind::Decl { base, decls } => self.decls(base, decls),
            StmtKind::Compound(list) => {
                self.atom("{");
                for &stmt in &ast[list] {
                    self.stmt(stmt);
                }
                self.atom("}");
            }
            StmtKind::If { cond, then, els } => {
                self.open("if");
                self.expr(cond);
                self.stmt(then);
                if let Some(els) = els {
                    self.atom("else");
                    self.stmt(els);
                }
                self.close();
            }
            StmtKind::While { cond, body } => {
                self.open("while");
                self.expr(cond);
                self.stmt(body);
                self.close();
            }
            StmtKind::DoWhile { body, cond } => {
                self.open("do");
                self.stmt(body);
                self.expr(cond);
                self.close();
            }
            StmtKind::For { init, cond, step, body } => {
                self.open("for");
                match init {
                    Some(init) => self.stmt(init),
                    None => self.atom("_"),
                }
                for e in [cond, step] {
                    match e {
                        Some(e) => self.expr(e),
                        None => self.atom("_"),
                    }
                }
                self.stmt(body);
                self.close();
            }
            StmtKind::Switch { cond, body } => {
                self.open("switch");
                self.expr(cond);
                self.stmt(body);
                self.close();
            }
            StmtKind::Labeled { labels, body } => {
                self.open("label");
                for label in &ast[labels] {
                    match label.kind {
                        LabelKind::Name(name) => self.ident(name),
                        LabelKind::Default => self.atom("default"),
                        LabelKind::Case(first, last) => {
                            self.open("case");
                            self.expr(first);
                            if let Some(last) = last {
                                self.expr(last);
                            }
                            self.close();
                        }
                    }
                }
                self.stmt(body);
                self.close();
            }
            StmtKind::Goto(label) => {
                self.open("goto");
                self.ident(label);
                self.close();
            }
            StmtKind::Break => self.atom("break"),
            StmtKind::Continue => self.atom("continue"),
            StmtKind::Return(value) => {
                self.open("return");
                if let Some(value) = value {
                    self.expr(value);
                }
                self.close();
            }
            StmtKind::Pragma(pragma) => self.pragma(pragma),
            StmtKind::StaticAssert { cond, .. } => {
                self.open("static_assert");
                self.expr(cond);
                self.close();
            }
        }
    }

    fn pragma(&mut self, pragma: Pragma) {
        self.open("#");
        match pragma.kind {
            PragmaKind::FpContract(switch) => {
                self.out.push_str("fp_contract");
                self.atom(match switch {
                    PragmaSwitch::On => "on",
                    PragmaSwitch::Off => "off",
                    PragmaSwitch::Default => "default",
                });
            }
            PragmaKind::Rounding(mode) => {
                self.out.push_str("rounding");
                self.atom(match mode {
                    PragmaRounding::Rte => "rte",
                    PragmaRounding::Rtz => "rtz",
                    PragmaRounding::Rtp => "rtp",
                    PragmaRounding::Rtn => "rtn",
                });
            }
            PragmaKind::Extension(name, behaviour) => {
                self.out.push_str("extension");
                self.atom(self.names.text(name));
                self.atom(if behaviour == PragmaExtension::Enable { "enable" } else { "disable" });
            }
            PragmaKind::Unroll(count) => {
                self.out.push_str("unroll");
                if let Some(count) = count {
                    self.atom(&count.to_string());
                }
            }
            PragmaKind::NoUnroll => self.out.push_str("nounroll"),
        }
        self.close();
    }

    fn expr(&mut self, id: ExprId) {
        let ast = self.ast;
        match ast[id].kind {
            ExprKind::Error => self.atom("<error>"),
            ExprKind::Ident(name) => self.ident(name),
            ExprKind::Int(IntLit { value, is_unsigned, is_long, .. }) => {
                self.atom(&value.to_string());
                self.out.push_str(if is_unsigned { "u" } else { "" });
                self.out.push_str(if is_long { "l" } else { "" });
            }
            ExprKind::Float(float) => {
                self.atom(&format!("{:?}", float.f64));
                self.out.push_str(match float.suffix {
                    FloatSuffix::None => "",
                    FloatSuffix::Float => "f",
                    FloatSuffix::Half => "h",
                });
            }
            ExprKind::Char(c) => self.atom(&format!("'{}'", c.value)),
            ExprKind::Str(s) => {
                let text = format!("{:?}", String::from_utf8_lossy(&ast[s].bytes));
                self.atom(&text);
            }
            ExprKind::Paren(inner) => {
                self.open("");
                self.expr(inner);
                self.close();
            }
            ExprKind::StmtExpr(body) => {
                self.open("stmt-expr");
                self.stmt(body);
                self.close();
            }
            ExprKind::Index { base, index } => self.form("index", &[base, index]),
            ExprKind::Call { callee, args } => {
                self.open("call");
                self.expr(callee);
                self.exprs(args);
                self.close();
            }
            ExprKind::Member { base, op, name } => {
                self.open(if op == MemberOp::Dot { "." } else { "->" });
                self.expr(base);
                self.ident(name);
                self.close();
            }
            ExprKind::IncDec { op, operand } => {
                let word = match op {
                    IncDecOp::PreInc => "++_",
                    IncDecOp::PreDec => "--_",
                    IncDecOp::PostInc => "_++",
                    IncDecOp::PostDec => "_--",
                };
                self.form(word, &[operand]);
            }
            ExprKind::Unary { op, operand } => self.form(op.text(), &[operand]),
            ExprKind::Binary { op, lhs, rhs, .. } => self.form(op.text(), &[lhs, rhs]),
            ExprKind::Assign { op, lhs, rhs, .. } => {
                self.form(&format!("{}=", op.map_or("", |op| op.text())), &[lhs, rhs]);
            }
            ExprKind::Conditional { cond, then, els, .. } => match then {
                Some(then) => self.form("?:", &[cond, then, els]),
                None => self.form("?:", &[cond, els]),
            },
            ExprKind::Comma(list) => {
                self.open(",");
                self.exprs(list);
                self.close();
            }
            ExprKind::Cast { ty, operand } => {
                self.open("cast");
                self.ty(ty);
                self.expr(operand);
                self.close();
            }
            ExprKind::CastList { ty, args, .. } => {
                self.open("cast-list");
                self.ty(ty);
                self.exprs(args);
                self.close();
            }
            ExprKind::CompoundLiteral { ty, init } => {
                self.open("literal");
                self.ty(ty);
                self.expr(init);
                self.close();
            }
            ExprKind::InitList(items) => {
                self.atom("{");
                for &item in &ast[items] {
                    self.init_item(item);
                }
                self.atom("}");
            }
            ExprKind::TypeQuery { op, arg } => {
                self.open(match op {
                    TypeQuery::Sizeof => "sizeof",
                    TypeQuery::Alignof => "alignof",
                    TypeQuery::VecStep => "vec_step",
                });
                match arg {
                    TypeOrExpr::Type(ty) => {
                        self.atom("type");
                        self.ty(ty);
                    }
                    TypeOrExpr::Expr(e) => self.expr(e),
                }
                self.close();
            }
            ExprKind::OffsetOf { ty, path } => {
                self.open("offsetof");
                self.ty(ty);
                self.designators(path);
                self.close();
            }
            ExprKind::AsType { operand, ty } => {
                self.open("as_type");
                self.ty(ty);
                self.expr(operand);
                self.close();
            }
            ExprKind::Block { ret, params, body } => {
                self.open("block");
                if let Some(params) = params {
                    self.params(params);
                }
                if let Some(ret) = ret {
                    self.ty(ret);
                }
                self.stmt(body);
                self.close();
            }
        }
    }

    fn form(&mut self, word: &str, operands: &[ExprId]) {
        self.open(word);
        for &operand in operands {
            self.expr(operand);
        }
        self.close();
    }

    fn exprs(&mut self, list: List<ExprId>) {
        let ast = self.ast;
        for &e in &ast[list] {
            self.expr(e);
        }
    }

    fn init_item(&mut self, item: InitItem) {
        if !item.designators.is_empty() {
            self.designators(item.designators);
            self.atom("=");
        }
        self.expr(item.value);
    }

    fn designators(&mut self, path: List<Designator>) {
        let ast = self.ast;
        for &designator in &ast[path] {
            match designator {
                Designator::Member(name) => {
                    self.atom(".");
                    self.out.push_str(self.names.text(name.name));
                }
                Designator::Index(e) => self.form("at", &[e]),
                Designator::Range(first, last) => self.form("at", &[first, last]),
            }
        }
    }
}

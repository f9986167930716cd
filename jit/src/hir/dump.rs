//! HIR as text, for people and tests: one function per paragraph, one statement per line, expressions as prefix terms
//! with their types. Not read back by anything.

use super::{
    Callee, ConstValue, ConvKind, ExprId, ExprKind, Func, OpaqueKind, PlaceId, PlaceKind, Stmt, StmtId, Ty, TyKind,
    Types, Unit,
};
use crate::launch::AddrSpace;
use std::fmt::Write;

/// The whole unit.
pub fn dump(unit: &Unit) -> String {
    let mut out = String::new();
    for (id, var) in unit.vars.iter() {
        let _ = write!(out, "var {} {}: {} {}", id.0, var.name, space(var.space), type_name(&unit.types, var.ty));
        let _ = write!(out, " align {} =", var.align);
        for byte in &var.bytes {
            let _ = write!(out, " {byte:02x}");
        }
        for (at, target, addend) in &var.relocs {
            let _ = write!(out, " @{at}:var{}{addend:+}", target.0);
        }
        out.push_str(if var.is_extern { " extern\n" } else { "\n" });
    }
    for (id, var) in unit.wg_vars.iter() {
        let _ = writeln!(out, "local {} {}: {} align {}", id.0, var.name, type_name(&unit.types, var.ty), var.align);
    }
    for func in unit.funcs.values() {
        out.push_str(&dump_func(unit, func));
    }
    out
}

/// One function.
pub fn dump_func(unit: &Unit, func: &Func) -> String {
    let mut dumper = Dumper { unit, func, out: String::new() };
    dumper.func();
    dumper.out
}

/// A type's name: `int`, `float4`, `global const float*`.
pub fn type_name(types: &Types, ty: Ty) -> String {
    match types.kind(ty) {
        TyKind::Void => "void".into(),
        TyKind::Error => "error".into(),
        TyKind::Bool => "bool".into(),
        TyKind::Int { bits, signed } => format!("{}{bits}", if *signed { "i" } else { "u" }),
        TyKind::Float { bits } => format!("f{bits}"),
        TyKind::Vector { elem, lanes } => format!("{}x{lanes}", type_name(types, *elem)),
        TyKind::Pointer { pointee, quals, space: s } => {
            let quals = if quals.is_empty() { "" } else { "const/volatile " };
            // Names of records break the cycle of self-referential types.
            format!("{} {quals}{}*", space(*s), type_name(types, *pointee))
        }
        TyKind::Array { elem, len, .. } => match len {
            Some(len) => format!("[{len} {}]", type_name(types, *elem)),
            None => format!("[? {}]", type_name(types, *elem)),
        },
        TyKind::Record(id) => {
            let record = &types.records[*id];
            format!("{}.{}.{}", if record.is_union { "union" } else { "struct" }, record.name, id.0)
        }
        TyKind::Enum(id) => format!("enum.{}", types.enums[*id]),
        TyKind::Function { ret, params } => {
            let params: Vec<String> = params.iter().map(|&p| type_name(types, p)).collect();
            format!("fn({}) {}", params.join(", "), type_name(types, *ret))
        }
        TyKind::Atomic(inner) => format!("atomic {}", type_name(types, *inner)),
        TyKind::Opaque(OpaqueKind::Image(shape, access)) => format!("{} {}", access.name(), shape.name()),
        TyKind::Opaque(OpaqueKind::Pipe(packet, access)) => {
            format!("{} pipe {}", access.name(), type_name(types, *packet))
        }
        TyKind::Opaque(OpaqueKind::Block(func)) => format!("block {}", type_name(types, *func)),
        TyKind::Opaque(kind) => format!("{kind:?}").to_lowercase(),
    }
}

fn space(space: AddrSpace) -> &'static str {
    space.name()
}

struct Dumper<'a> {
    unit: &'a Unit,
    func: &'a Func,
    out: String,
}

impl Dumper<'_> {
    fn func(&mut self) {
        let ret = type_name(&self.unit.types, self.func.ret);
        let params: Vec<String> =
            self.func.locals.values().take(self.func.n_params).map(|l| type_name(&self.unit.types, l.ty)).collect();
        let kind = if self.func.kernel.is_some() { "kernel" } else { "func" };
        let _ = write!(self.out, "{kind} {}({}) {ret}", self.func.name, params.join(", "));
        let Some(body) = self.func.body else {
            self.out.push_str(";\n");
            return;
        };
        self.out.push_str(" {\n");
        self.stmt(body, 1);
        self.out.push_str("}\n");
    }

    fn line(&mut self, depth: usize, text: &str) {
        for _ in 0..depth {
            self.out.push_str("  ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn local(&self, id: super::LocalId) -> String {
        let local = &self.func.locals[id];
        let mark = if local.addr_taken { "&" } else { "" };
        if local.name.is_empty() { format!("{mark}t{}", id.0) } else { format!("{mark}{}", local.name) }
    }

    fn stmt(&mut self, id: StmtId, depth: usize) {
        match &self.func.stmts[id] {
            Stmt::Block(list) => {
                for &s in list {
                    self.stmt(s, depth);
                }
            }
            Stmt::Expr(e) => {
                let text = self.expr(*e);
                self.line(depth, &text);
            }
            Stmt::Declare(local) => {
                let ty = type_name(&self.unit.types, self.func.locals[*local].ty);
                let text = format!("declare {}: {ty}", self.local(*local));
                self.line(depth, &text);
            }
            Stmt::Zero(place) => {
                let text = format!("zero {}", self.place(*place));
                self.line(depth, &text);
            }
            Stmt::Init(place, e) => {
                let text = format!("init {} = {}", self.place(*place), self.expr(*e));
                self.line(depth, &text);
            }
            Stmt::If(cond, then, els) => {
                let text = format!("if {}", self.expr(*cond));
                self.line(depth, &text);
                self.stmt(*then, depth + 1);
                if let Some(els) = els {
                    self.line(depth, "else");
                    self.stmt(*els, depth + 1);
                }
            }
            Stmt::While { cond, step, body } => {
                let cond = cond.map_or("true".into(), |c| self.expr(c));
                let step = step.map_or(String::new(), |s| format!(" step {}", self.expr(s)));
                self.line(depth, &format!("while {cond}{step}"));
                self.stmt(*body, depth + 1);
            }
            Stmt::DoWhile { body, cond } => {
                self.line(depth, "do");
                self.stmt(*body, depth + 1);
                let text = format!("while {}", self.expr(*cond));
                self.line(depth, &text);
            }
            Stmt::Switch { value, body } => {
                let text = format!("switch {}", self.expr(*value));
                self.line(depth, &text);
                self.stmt(*body, depth + 1);
            }
            Stmt::Case(bits) => self.line(depth, &format!("case {bits}")),
            Stmt::Default => self.line(depth, "default"),
            Stmt::Break => self.line(depth, "break"),
            Stmt::Continue => self.line(depth, "continue"),
            Stmt::Return(None) => self.line(depth, "return"),
            Stmt::Return(Some(e)) => {
                let text = format!("return {}", self.expr(*e));
                self.line(depth, &text);
            }
            Stmt::Label(id) => {
                let text = format!("{}:", self.func.labels[*id]);
                self.line(depth, &text);
            }
            Stmt::Goto(id) => {
                let text = format!("goto {}", self.func.labels[*id]);
                self.line(depth, &text);
            }
            Stmt::Empty => {}
        }
    }

    fn place(&self, id: PlaceId) -> String {
        let place = &self.func.places[id];
        let text = match &place.kind {
            PlaceKind::Local(local) => self.local(*local),
            PlaceKind::Var(var) => {
                let name = &self.unit.vars[*var].name;
                if name.is_empty() { format!("@{}", var.0) } else { format!("@{name}") }
            }
            PlaceKind::WgVar(var) => format!("%{}", self.unit.wg_vars[*var].name),
            PlaceKind::Deref(e) => format!("*{}", self.expr(*e)),
            PlaceKind::Field(base, n) => format!("{}.{n}", self.place(*base)),
            PlaceKind::Index(base, e) => format!("{}[{}]", self.place(*base), self.expr(*e)),
            PlaceKind::Lanes(base, lanes) => format!("{}.s{}", self.place(*base), lane_text(lanes)),
            PlaceKind::Temp(e) => format!("temp({})", self.expr(*e)),
        };
        if place.volatile { format!("volatile {text}") } else { text }
    }

    fn expr(&self, id: ExprId) -> String {
        let expr = &self.func.exprs[id];
        let ty = type_name(&self.unit.types, expr.ty);
        match &expr.kind {
            ExprKind::Const(ConstValue::Int(bits)) => format!("{bits}:{ty}"),
            ExprKind::Const(ConstValue::Float(bits)) => match *self.unit.types.kind(expr.ty) {
                TyKind::Float { bits: 32 } => format!("{:?}:{ty}", f32::from_bits(*bits as u32)),
                TyKind::Float { bits: 64 } => format!("{:?}:{ty}", f64::from_bits(*bits)),
                _ => format!("0x{bits:x}:{ty}"),
            },
            ExprKind::Const(ConstValue::Vector(lanes)) => format!("{lanes:?}:{ty}"),
            ExprKind::Undef => format!("undef:{ty}"),
            ExprKind::Load(place) => self.place(*place),
            ExprKind::AddrOf(place) => format!("addr({})", self.place(*place)),
            ExprKind::Decay(place) => format!("decay({})", self.place(*place)),
            ExprKind::Unary(op, a) => format!("{op:?}({})", self.expr(*a)).to_lowercase_head(),
            ExprKind::Binary(op, fp, a, b) => {
                let rm = if fp.rm == Default::default() { String::new() } else { format!(".{:?}", fp.rm) };
                format!("{op:?}{rm}:{ty}({}, {})", self.expr(*a), self.expr(*b)).to_lowercase_head()
            }
            ExprKind::Compare(op, a, b) => {
                format!("{op:?}:{ty}({}, {})", self.expr(*a), self.expr(*b)).to_lowercase_head()
            }
            ExprKind::LogicalNot(a) => format!("not:{ty}({})", self.expr(*a)),
            ExprKind::LogicalAnd(a, b) => format!("and({}, {})", self.expr(*a), self.expr(*b)),
            ExprKind::LogicalOr(a, b) => format!("or({}, {})", self.expr(*a), self.expr(*b)),
            ExprKind::LogicalVector(op, a, b) => {
                format!("logical_{op:?}:{ty}({}, {})", self.expr(*a), self.expr(*b)).to_lowercase_head()
            }
            ExprKind::Cond(c, a, b) => format!("cond:{ty}({}, {}, {})", self.expr(*c), self.expr(*a), self.expr(*b)),
            ExprKind::VectorCond(c, a, b) => {
                format!("vcond:{ty}({}, {}, {})", self.expr(*c), self.expr(*a), self.expr(*b))
            }
            ExprKind::Assign(place, e) => format!("{} = {}", self.place(*place), self.expr(*e)),
            ExprKind::CompoundAssign { place, op, fp, rhs, compute } => {
                let rm = if fp.rm == Default::default() { String::new() } else { format!(".{:?}", fp.rm) };
                let compute = type_name(&self.unit.types, *compute);
                format!("{} {op:?}{rm}:{compute}= {}", self.place(*place), self.expr(*rhs))
            }
            ExprKind::IncDec { place, delta, post, fp } => {
                let rm = if fp.rm == Default::default() { String::new() } else { format!(".{:?}", fp.rm) };
                let order = if *post { "post" } else { "pre" };
                format!("{order}{rm}({}, {delta:+})", self.place(*place))
            }
            ExprKind::Convert(kind, a) => {
                let name = match kind {
                    ConvKind::Arith { sat, rm } => {
                        let float =
                            matches!(self.unit.types.kind(self.unit.types.lanes(expr.ty).0), TyKind::Float { .. });
                        let usual = if float { *rm == Default::default() } else { *rm == crate::ir::op::Rounding::Rtz };
                        let rm = if usual { String::new() } else { format!(".{rm:?}") };
                        format!("conv{}{rm}", if *sat { ".sat" } else { "" })
                    }
                    ConvKind::ToBool => "bool".into(),
                    ConvKind::Splat => "splat".into(),
                    ConvKind::Pointer => "ptr".into(),
                    ConvKind::PointerInt => "ptrint".into(),
                    ConvKind::Void => "void".into(),
                };
                format!("{name}:{ty}({})", self.expr(*a))
            }
            ExprKind::AsType(a) => format!("as:{ty}({})", self.expr(*a)),
            ExprKind::Build(parts) => format!("build:{ty}({})", self.list(parts)),
            ExprKind::Swizzle(a, lanes) => format!("{}.s{}", self.expr(*a), lane_text(lanes)),
            ExprKind::PtrAdd(p, i) => format!("ptradd({}, {})", self.expr(*p), self.expr(*i)),
            ExprKind::PtrSub(p, i) => format!("ptrsub({}, {})", self.expr(*p), self.expr(*i)),
            ExprKind::PtrDiff(a, b) => format!("ptrdiff({}, {})", self.expr(*a), self.expr(*b)),
            ExprKind::Call(Callee::User(f), args) => {
                format!("call {}({})", self.unit.funcs[*f].name, self.list(args))
            }
            ExprKind::Call(Callee::Builtin(builtin), args) => {
                let name = match builtin {
                    super::Builtin::Op(op, _, attr) => {
                        let rm = if attr.rm == Default::default() { String::new() } else { format!(".{:?}", attr.rm) };
                        format!("{}{rm}", op.row().name)
                    }
                    super::Builtin::Library { symbol, .. } => symbol.clone(),
                    other => format!("{other:?}"),
                };
                format!("{name}:{ty}({})", self.list(args))
            }
            ExprKind::Comma(a, b) => format!("({}, {})", self.expr(*a), self.expr(*b)),
            ExprKind::InitLoad(_, place) => format!("init-load({})", self.place(*place)),
        }
    }

    fn list(&self, list: &[ExprId]) -> String {
        list.iter().map(|&e| self.expr(e)).collect::<Vec<_>>().join(", ")
    }
}

fn lane_text(lanes: &[u8]) -> String {
    lanes.iter().map(|&lane| char::from_digit(u32::from(lane), 16).unwrap_or('?')).collect()
}

trait Head {
    fn to_lowercase_head(self) -> String;
}

impl Head for String {
    /// The first letter in lower case: names of operators.
    fn to_lowercase_head(mut self) -> String {
        if let Some(first) = self.get_mut(..1) {
            first.make_ascii_lowercase();
        }
        self
    }
}

//! Writes modules and functions as text. `mod` has the format; `parse` reads what this writes.

use super::{COLLECTIVES, FLAGS, FLOAT_PREDS, INT_PREDS, ORDERS, RMW_OPS, ROUNDINGS, SCOPES, name_of};
use crate::ir::entity::{Block, FuncId, Inst};
use crate::ir::func::{Func, Target, Term};
use crate::ir::module::{Global, Module};
use crate::ir::op::{Attr, Imm, Op};
use crate::ir::ty::{Scalar, Type};
use crate::launch::{ArgInfo, ArgKind, KernelInfo};
use std::fmt::{self, Display, Write};

/// A function within its module, so that callees have names.
pub struct FuncText<'m> {
    /// The module, if callees are to be named; otherwise calls show `fn` numbers.
    pub module: Option<&'m Module>,
    /// The function.
    pub func: &'m Func,
}

impl Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (id, global) in self.globals.iter() {
            write!(f, "global {id} ")?;
            write_global(f, global)?;
        }
        for (id, var) in self.locals.iter() {
            writeln!(f, "local {id} {} size {} align {}", Quoted(&var.name), var.size, var.align)?;
        }
        for (info, id) in &self.kernels {
            write_info(f, info, &self.funcs[*id].name)?;
        }
        for func in self.funcs.values() {
            FuncText { module: Some(self), func }.fmt(f)?;
        }
        Ok(())
    }
}

impl Display for Func {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        FuncText { module: None, func: self }.fmt(f)
    }
}

impl Display for FuncText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.annotated(f, &mut |_, _| Ok(()))
    }
}

/// A line of a function's text, for notes under it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Line {
    /// The first line.
    Head,
    /// A block's label.
    Label(Block),
    /// An instruction.
    Inst(Inst),
    /// A block's terminator.
    Term(Block),
}

impl FuncText<'_> {
    /// The text; `note` may write whole lines after each line.
    pub fn annotated(
        &self,
        f: &mut fmt::Formatter<'_>,
        note: &mut dyn FnMut(&mut fmt::Formatter<'_>, Line) -> fmt::Result,
    ) -> fmt::Result {
        let func = self.func;
        f.write_str(if func.has_body() { "func " } else { "declare " })?;
        write!(f, "{}(", Symbol(&func.name))?;
        separated(f, &func.params, |f, ty| ty.fmt(f))?;
        f.write_str(")")?;
        if let Some(ty) = func.ret {
            write!(f, " -> {ty}")?;
        }
        if func.is_kernel {
            f.write_str(" kernel")?;
        }
        if func.is_builtin {
            f.write_str(" builtin")?;
        }
        if func.is_lanes {
            f.write_str(" lanes")?;
        }
        if !func.has_body() {
            return f.write_char('\n');
        }
        f.write_str(" {\n")?;
        note(f, Line::Head)?;
        for (id, slot) in func.slots.iter() {
            writeln!(f, "  {id} {} size {} align {}", Quoted(&slot.name), slot.size, slot.align)?;
        }
        for &block in &func.layout {
            write!(f, "{block}")?;
            let data = &func.blocks[block];
            if !data.params.is_empty() {
                f.write_char('(')?;
                separated(f, &data.params, |f, &p| write!(f, "{p}: {}", func.ty(p)))?;
                f.write_char(')')?;
            }
            f.write_str(if data.items { " items" } else { "" })?;
            f.write_str(if data.rows.is_some() { " rows:\n" } else { ":\n" })?;
            note(f, Line::Label(block))?;
            for &inst in &data.insts {
                f.write_str("  ")?;
                self.write_inst(f, inst)?;
                f.write_char('\n')?;
                note(f, Line::Inst(inst))?;
            }
            writeln!(f, "  {}", data.term)?;
            note(f, Line::Term(block))?;
        }
        f.write_str("}\n")
    }

    /// One instruction without indentation or line end.
    pub fn write_inst(&self, f: &mut dyn Write, inst: Inst) -> fmt::Result {
        let data = &self.func.insts[inst];
        let ty = data.result.map(|v| self.func.ty(v));
        if let (Some(v), Some(ty)) = (data.result, ty) {
            write!(f, "{v}: {ty} = ")?;
        }
        f.write_str(data.op.row().name)?;
        match &data.imm {
            Imm::IntPred(p) => write!(f, ".{}", name_of(INT_PREDS, p))?,
            Imm::FloatPred(p) => write!(f, ".{}", name_of(FLOAT_PREDS, p))?,
            Imm::Rmw(op) => write!(f, ".{}", name_of(RMW_OPS, op))?,
            Imm::Collective(op) | Imm::Cluster(op, _) => write!(f, ".{}", name_of(COLLECTIVES, op))?,
            _ => {}
        }
        if data.op == Op::Call {
            f.write_char(' ')?;
            match &data.imm {
                Imm::Func(id) => self.write_callee(f, *id)?,
                other => write!(f, "{other:?}")?,
            }
            f.write_char('(')?;
            write_values(f, &data.args)?;
            f.write_char(')')?;
        } else {
            if !data.args.is_empty() {
                f.write_char(' ')?;
                write_values(f, &data.args)?;
            }
            write_imm(f, &data.imm, ty, data.args.is_empty())?;
        }
        write_attr(f, &data.attr)?;
        if !data.origin.is_unknown() {
            write!(f, " !{}..{}", data.origin.span.lo, data.origin.span.hi)?;
        }
        Ok(())
    }

    fn write_callee(&self, f: &mut dyn Write, id: FuncId) -> fmt::Result {
        match self.module.and_then(|m| m.funcs.get(id)) {
            Some(callee) => write!(f, "{}", Symbol(&callee.name)),
            None => write!(f, "{id}"),
        }
    }
}

impl Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Jump(t) => write!(f, "jump {t}"),
            Self::Br { cond, then, els } => write!(f, "br {cond}, {then}, {els}"),
            Self::Switch { value, cases, default } => {
                write!(f, "switch {value}, [")?;
                separated(f, cases, |f, (bits, t)| write!(f, "{}: {t}", *bits as i64))?;
                write!(f, "], {default}")
            }
            Self::Ret(None) => f.write_str("ret"),
            Self::Ret(Some(v)) => write!(f, "ret {v}"),
            Self::Unreachable => f.write_str("unreachable"),
        }
    }
}

impl Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.block)?;
        if self.args.is_empty() {
            return Ok(());
        }
        f.write_char('(')?;
        write_values(f, &self.args)?;
        f.write_char(')')
    }
}

/// A function's name: `@name`, quoted if it is not a plain word.
struct Symbol<'a>(&'a str);

impl Display for Symbol<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        if !self.0.is_empty() && self.0.chars().all(plain) {
            write!(f, "@{}", self.0)
        } else {
            write!(f, "@{}", Quoted(self.0))
        }
    }
}

/// A string in quotes; `\"`, `\\` and `\{hex}` escape.
struct Quoted<'a>(&'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                c if c.is_control() => write!(f, "\\{{{:x}}}", u32::from(c))?,
                c => f.write_char(c)?,
            }
        }
        f.write_char('"')
    }
}

fn separated<T>(
    f: &mut fmt::Formatter<'_>,
    items: &[T],
    mut one: impl FnMut(&mut fmt::Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        one(f, item)?;
    }
    Ok(())
}

fn write_values(f: &mut dyn Write, values: &[crate::ir::Value]) -> fmt::Result {
    for (i, v) in values.iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        write!(f, "{v}")?;
    }
    Ok(())
}

fn write_imm(f: &mut dyn Write, imm: &Imm, ty: Option<Type>, alone: bool) -> fmt::Result {
    let sep = if alone { " " } else { ", " };
    match imm {
        Imm::None | Imm::IntPred(_) | Imm::FloatPred(_) | Imm::Rmw(_) | Imm::Collective(_) => Ok(()),
        Imm::Bits(bits) => {
            f.write_char(' ')?;
            write_const(f, *bits, ty.map_or(Scalar::I64, |ty| ty.elem))
        }
        Imm::Cluster(_, n) => write!(f, "{sep}cluster {n}"),
        Imm::Slot(id) => write!(f, "{sep}{id}"),
        Imm::LocalVar(id) => write!(f, "{sep}{id}"),
        Imm::Global(id) => write!(f, "{sep}{id}"),
        Imm::Func(id) => write!(f, "{sep}{id}"),
        Imm::Device(what, kernel) => write!(f, "{sep}{} {kernel}", what.name()),
        Imm::Lane(n) | Imm::Dim(n) | Imm::FenceFlags(n) => write!(f, "{sep}{n}"),
        Imm::Lanes(lanes) => {
            write!(f, "{sep}[")?;
            for (i, lane) in lanes.iter().enumerate() {
                write!(f, "{}{lane}", if i > 0 { " " } else { "" })?;
            }
            f.write_char(']')
        }
        Imm::Scale { scale, disp } => {
            write!(f, " * {scale} {} {}", if *disp < 0 { '-' } else { '+' }, disp.unsigned_abs())
        }
        Imm::Disp(disp) => write!(f, "{sep}{disp}"),
    }
}

fn write_const(f: &mut dyn Write, bits: u64, elem: Scalar) -> fmt::Result {
    let decimal = match elem {
        Scalar::F16 => half::f16::from_bits(bits as u16).to_f64(),
        Scalar::F32 => f64::from(f32::from_bits(bits as u32)),
        Scalar::F64 => f64::from_bits(bits),
        Scalar::I1 => return f.write_str(if bits & 1 == 1 { "true" } else { "false" }),
        Scalar::I8 => return write!(f, "{}", bits as i8),
        Scalar::I16 => return write!(f, "{}", bits as i16),
        Scalar::I32 => return write!(f, "{}", bits as i32),
        Scalar::I64 => return write!(f, "{}", bits as i64),
        Scalar::Ptr(_) => return write!(f, "{bits:#x}"),
    };
    match decimal {
        x if x == f64::INFINITY => f.write_str("inf"),
        x if x == f64::NEG_INFINITY => f.write_str("-inf"),
        x if x.is_nan() => write!(f, "{bits:#x}"),
        // The shortest decimal of the value's own format.
        _ => match elem {
            Scalar::F32 => write!(f, "{:?}", f32::from_bits(bits as u32)),
            Scalar::F16 => write!(f, "{:?}", shortest_f16(bits as u16)),
            _ => write!(f, "{decimal:?}"),
        },
    }
}

/// The half as an f32 whose decimal is short if that still reads back as the same half.
fn shortest_f16(bits: u16) -> f32 {
    let exact = half::f16::from_bits(bits).to_f32();
    for digits in 0..5 {
        if let Ok(short) = format!("{exact:.digits$e}").parse::<f32>()
            && half::f16::from_f32(short).to_bits() == bits
        {
            return short;
        }
    }
    exact
}

fn write_attr(f: &mut dyn Write, attr: &Attr) -> fmt::Result {
    let default = Attr::default();
    if *attr == default {
        return Ok(());
    }
    let mut sep = " {";
    let mut word = |f: &mut dyn Write, word: &str| {
        let result = write!(f, "{sep}{word}");
        sep = " ";
        result
    };
    for (flag, name) in FLAGS {
        if attr.flags.contains(*flag) {
            word(f, name)?;
        }
    }
    if attr.rm != default.rm {
        word(f, name_of(ROUNDINGS, &attr.rm))?;
    }
    if attr.order != default.order {
        word(f, name_of(ORDERS, &attr.order))?;
    }
    if attr.scope != default.scope {
        word(f, name_of(SCOPES, &attr.scope))?;
    }
    if attr.align != 0 {
        word(f, &format!("align {}", attr.align))?;
    }
    f.write_char('}')
}

fn write_global(f: &mut fmt::Formatter<'_>, global: &Global) -> fmt::Result {
    let Global { name, space, size, align, init, .. } = global;
    write!(f, "{}: {} size {size} align {align}", Quoted(name), space.name())?;
    if !init.bytes.is_empty() || !init.relocs.is_empty() {
        f.write_str(" = x\"")?;
        for byte in &init.bytes {
            write!(f, "{byte:02x}")?;
        }
        f.write_char('"')?;
    }
    if !init.relocs.is_empty() {
        f.write_str(" { ")?;
        separated(f, &init.relocs, |f, (at, to, add)| {
            write!(f, "{at}: {to} {} {}", if *add < 0 { '-' } else { '+' }, add.unsigned_abs())
        })?;
        f.write_str(" }")?;
    }
    f.write_char('\n')
}

fn write_info(f: &mut fmt::Formatter<'_>, info: &KernelInfo, func: &str) -> fmt::Result {
    write!(f, "info {}", Symbol(func))?;
    if info.name != func {
        write!(f, " name {}", Quoted(&info.name))?;
    }
    write!(f, " block {}", info.arg_block_bytes)?;
    for (name, bytes) in [("local", info.local_bytes), ("private", info.private_bytes)] {
        if bytes != 0 {
            write!(f, " {name} {bytes}")?;
        }
    }
    for (name, size) in [("reqd", info.reqd_work_group_size), ("hint", info.work_group_size_hint)] {
        if let Some([x, y, z]) = size {
            write!(f, " {name} {x} {y} {z}")?;
        }
    }
    if let Some(lanes) = info.reqd_sub_group_size {
        write!(f, " subgroups {lanes}")?;
    }
    if info.vec_len_hint > 0 {
        write!(f, " lanes {}", info.vec_len_hint)?;
    }
    if !info.attributes.is_empty() {
        write!(f, " attributes {}", Quoted(&info.attributes))?;
    }
    if info.group_agnostic {
        f.write_str(" agnostic")?;
    }
    if info.may_wait {
        f.write_str(" waits")?;
    }
    if info.is_block {
        f.write_str(" hidden")?;
    }
    if info.enqueues {
        f.write_str(" enqueues")?;
    }
    f.write_str(" {\n")?;
    for arg in &info.args {
        let ArgInfo { name, type_name, kind, offset, size, is_const, is_restrict, is_volatile, .. } = arg;
        write!(f, "  arg {} {} ", Quoted(name), Quoted(type_name))?;
        match kind {
            ArgKind::Value => f.write_str("value")?,
            ArgKind::Buffer { space } => write!(f, "buffer {}", space.name())?,
            ArgKind::Local => f.write_str("local")?,
            ArgKind::Image { shape, access } => write!(f, "image {} {}", access.name(), shape.name())?,
            ArgKind::Sampler => f.write_str("sampler")?,
            ArgKind::Queue => f.write_str("queue")?,
            ArgKind::Pipe { access } => write!(f, "pipe {}", access.name())?,
        }
        write!(f, " offset {offset} size {size}")?;
        for (on, word) in [(is_const, " const"), (is_restrict, " restrict"), (is_volatile, " volatile")] {
            if *on {
                f.write_str(word)?;
            }
        }
        f.write_char('\n')?;
    }
    f.write_str("}\n")
}

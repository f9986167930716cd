//! Reads the textual form. `parse` checks syntax and names; types and dominance are the verifier's.

use super::lex::{Place, Tok, lex};
use super::{COLLECTIVES, FLAGS, FLOAT_PREDS, INT_PREDS, ORDERS, RMW_OPS, ROUNDINGS, SCOPES, by_name};
use crate::device::DeviceFn;
use crate::image::{ImageAccess, ImageShape};
use crate::ir::Origin;
use crate::ir::entity::{Block, Entity, FuncId, GlobalId, LocalVarId, SlotId, Value};
use crate::ir::func::{Func, Slot, Target, Term};
use crate::ir::module::{Global, Init, LocalVar, Module};
use crate::ir::op::{Arity, Attr, Imm, ImmKind, OPS, Op, Rounding};
use crate::ir::softfloat;
use crate::ir::ty::{Scalar, Type};
use crate::launch::{AddrSpace, ArgInfo, ArgKind, KernelInfo};
use rustc_hash::FxHashMap;
use std::fmt;

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub col: u32,
    /// Message.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.col, self.message)
    }
}

impl std::error::Error for ParseError {}

/// Reads a module.
///
/// # Errors
/// The first place where the text is not KIR.
pub fn parse(text: &str) -> Result<Module, ParseError> {
    let mut parser = Parser {
        toks: lex(text),
        at: 0,
        module: Module::default(),
        infos: Vec::new(),
        funcs: FxHashMap::default(),
        calls: Vec::new(),
    };
    parser.module()?;
    parser.link()?;
    Ok(parser.module)
}

type Res<T> = Result<T, ParseError>;

struct Parser<'a> {
    toks: Vec<(Tok<'a>, Place)>,
    at: usize,
    module: Module,
    infos: Vec<(KernelInfo, String, Place)>,
    funcs: FxHashMap<String, FuncId>,
    /// Calls whose callee is still to be found.
    calls: Vec<(FuncId, crate::ir::Inst, String, Place)>,
}

/// An instruction before names are resolved.
struct RawInst<'a> {
    result: Option<Value>,
    op: Op,
    args: Vec<Name<'a>>,
    imm: Imm,
    callee: Option<(String, Place)>,
    attr: Attr,
    origin: Origin,
}

type Name<'a> = (&'a str, Place);

struct RawTarget<'a> {
    block: Name<'a>,
    args: Vec<Name<'a>>,
}

enum RawTerm<'a> {
    Jump(RawTarget<'a>),
    Br(Name<'a>, RawTarget<'a>, RawTarget<'a>),
    Switch(Name<'a>, Vec<(i64, RawTarget<'a>)>, RawTarget<'a>),
    Ret(Option<Name<'a>>),
    Unreachable,
}

/// A function body while its names are collected.
#[derive(Default)]
struct Body<'a> {
    values: FxHashMap<&'a str, Value>,
    blocks: FxHashMap<&'a str, Block>,
    insts: Vec<(Block, RawInst<'a>)>,
    terms: Vec<(Block, RawTerm<'a>)>,
}

impl<'a> Parser<'a> {
    // ---- tokens

    fn peek(&self) -> &Tok<'a> {
        &self.toks[self.at].0
    }
    fn peek2(&self) -> &Tok<'a> {
        &self.toks[(self.at + 1).min(self.toks.len() - 1)].0
    }
    fn place(&self) -> Place {
        self.toks[self.at].1
    }
    fn next(&mut self) -> Tok<'a> {
        let tok = self.toks[self.at].0.clone();
        if self.at + 1 < self.toks.len() {
            self.at += 1;
        }
        tok
    }
    fn expected<T>(&self, what: &str) -> Res<T> {
        error(self.place(), format!("expected {what}, found {}", describe(self.peek())))
    }
    fn eat(&mut self, c: char) -> bool {
        let yes = *self.peek() == Tok::Punct(c);
        if yes {
            self.next();
        }
        yes
    }
    fn want(&mut self, c: char) -> Res<()> {
        if self.eat(c) { Ok(()) } else { self.expected(&format!("`{c}`")) }
    }
    fn eat_word(&mut self, word: &str) -> bool {
        let yes = *self.peek() == Tok::Word(word);
        if yes {
            self.next();
        }
        yes
    }
    fn want_word(&mut self, word: &str) -> Res<()> {
        if self.eat_word(word) { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }
    fn word(&mut self, what: &str) -> Res<Name<'a>> {
        let place = self.place();
        match *self.peek() {
            Tok::Word(w) => {
                self.next();
                Ok((w, place))
            }
            _ => self.expected(what),
        }
    }
    fn value_name(&mut self) -> Res<Name<'a>> {
        let place = self.place();
        match *self.peek() {
            Tok::Value(v) => {
                self.next();
                Ok((v, place))
            }
            _ => self.expected("a value"),
        }
    }
    fn string(&mut self) -> Res<String> {
        match self.peek().clone() {
            Tok::Str(s) => {
                self.next();
                Ok(s)
            }
            _ => self.expected("a string"),
        }
    }
    fn symbol(&mut self) -> Res<(String, Place)> {
        let place = self.place();
        match self.peek().clone() {
            Tok::Symbol(s) => {
                self.next();
                Ok((s, place))
            }
            _ => self.expected("a function name"),
        }
    }
    /// An integer within the target's range.
    fn int<T: TryFrom<i128>>(&mut self) -> Res<T> {
        let place = self.place();
        let Tok::Number(text) = *self.peek() else { return self.expected("a number") };
        self.next();
        match integer(text).and_then(|n| T::try_from(n).ok()) {
            Some(n) => Ok(n),
            None => error(place, format!("bad number `{text}`")),
        }
    }
    /// An entity's number: `g3` after the prefix `g`.
    fn numbered(&mut self, prefix: &str) -> Res<u32> {
        let (word, place) = self.word(&format!("`{prefix}` and a number"))?;
        match word.strip_prefix(prefix).and_then(|n| n.parse().ok()) {
            Some(n) => Ok(n),
            None => error(place, format!("expected `{prefix}` and a number, found `{word}`")),
        }
    }
    /// `+ n` or `- n`, or a signed number.
    fn signed_tail(&mut self) -> Res<i64> {
        let negative = self.eat('-');
        if !negative {
            self.eat('+');
        }
        let n: i128 = self.int()?;
        let n = if negative { -n } else { n };
        match i64::try_from(n) {
            Ok(n) => Ok(n),
            Err(_) => error(self.place(), "displacement out of range".into()),
        }
    }

    // ---- declarations

    fn module(&mut self) -> Res<()> {
        loop {
            match *self.peek() {
                Tok::End => return Ok(()),
                Tok::Word("global") => self.global()?,
                Tok::Word("local") => self.local()?,
                Tok::Word("info") => self.info()?,
                Tok::Word("func") | Tok::Word("declare") => self.func()?,
                _ => return self.expected("a declaration"),
            }
        }
    }

    /// Checks that a list's entry has the next number.
    fn check_number(&self, place: Place, n: u32, len: usize) -> Res<()> {
        if n as usize == len { Ok(()) } else { error(place, format!("expected number {len}, found {n}")) }
    }

    fn global(&mut self) -> Res<()> {
        self.next();
        let place = self.place();
        let n = self.numbered("g")?;
        self.check_number(place, n, self.module.globals.len())?;
        let name = self.string()?;
        self.want(':')?;
        let space = self.space()?;
        let (size, align) = self.size_align()?;
        let mut init = Init::default();
        if self.eat('=') {
            match self.peek().clone() {
                Tok::Hex(bytes) => {
                    self.next();
                    init.bytes = bytes;
                }
                _ => return self.expected("hex bytes"),
            }
        }
        if self.eat('{') {
            loop {
                let at = self.int()?;
                self.want(':')?;
                let to = GlobalId(self.numbered("g")?);
                init.relocs.push((at, to, self.signed_tail()?));
                if !self.eat(',') {
                    break;
                }
            }
            self.want('}')?;
        }
        self.module.globals.push(Global { name, space, size, align, init, variable: None });
        Ok(())
    }

    fn local(&mut self) -> Res<()> {
        self.next();
        let place = self.place();
        let n = self.numbered("lv")?;
        self.check_number(place, n, self.module.locals.len())?;
        let name = self.string()?;
        let (size, align) = self.size_align()?;
        self.module.locals.push(LocalVar { name, size, align, variable: None });
        Ok(())
    }

    fn size_align(&mut self) -> Res<(u64, u32)> {
        self.want_word("size")?;
        let size = self.int()?;
        self.want_word("align")?;
        Ok((size, self.int()?))
    }

    /// Access and type of an image argument.
    fn image_kind(&mut self) -> Res<ArgKind> {
        let access = self.access()?;
        let (shape, place) = self.word("an image type")?;
        let Some(shape) = ImageShape::ALL.into_iter().find(|s| s.name() == shape) else {
            return error(place, format!("unknown image type `{shape}`"));
        };
        Ok(ArgKind::Image { shape, access })
    }

    fn access(&mut self) -> Res<ImageAccess> {
        let (access, place) = self.word("an access")?;
        let found = ImageAccess::ALL.into_iter().find(|a| a.name() == access);
        found.map_or_else(|| error(place, format!("unknown access `{access}`")), Ok)
    }

    fn space(&mut self) -> Res<AddrSpace> {
        let (word, place) = self.word("an address space")?;
        Ok(match word {
            "private" => AddrSpace::Private,
            "local" => AddrSpace::Local,
            "global" => AddrSpace::Global,
            "const" => AddrSpace::Constant,
            "generic" => AddrSpace::Generic,
            _ => return error(place, format!("unknown address space `{word}`")),
        })
    }

    fn info(&mut self) -> Res<()> {
        self.next();
        let (func, place) = self.symbol()?;
        let mut info = KernelInfo { name: func.clone(), ..KernelInfo::default() };
        while !self.eat('{') {
            let (word, place) = self.word("a property or `{`")?;
            match word {
                "name" => info.name = self.string()?,
                "block" => info.arg_block_bytes = self.int()?,
                "local" => info.local_bytes = self.int()?,
                "private" => info.private_bytes = self.int()?,
                "reqd" => info.reqd_work_group_size = Some([self.int()?, self.int()?, self.int()?]),
                "hint" => info.work_group_size_hint = Some([self.int()?, self.int()?, self.int()?]),
                "subgroups" => info.reqd_sub_group_size = Some(self.int()?),
                "lanes" => info.vec_len_hint = self.int()?,
                "attributes" => info.attributes = self.string()?,
                "agnostic" => info.group_agnostic = true,
                "waits" => info.may_wait = true,
                "hidden" => info.is_block = true,
                "enqueues" => info.enqueues = true,
                _ => return error(place, format!("unknown property `{word}`")),
            }
        }
        while self.eat_word("arg") {
            let (name, type_name) = (self.string()?, self.string()?);
            let (kind, place) = self.word("an argument kind")?;
            let kind = match kind {
                "value" => ArgKind::Value,
                "buffer" => ArgKind::Buffer { space: self.space()? },
                "local" => ArgKind::Local,
                "image" => self.image_kind()?,
                "sampler" => ArgKind::Sampler,
                "queue" => ArgKind::Queue,
                "pipe" => ArgKind::Pipe { access: self.access()? },
                _ => return error(place, format!("unknown argument kind `{kind}`")),
            };
            self.want_word("offset")?;
            let offset = self.int()?;
            self.want_word("size")?;
            let size = self.int()?;
            let is_const = self.eat_word("const");
            let is_restrict = self.eat_word("restrict");
            let is_volatile = self.eat_word("volatile");
            let streamed_bytes = 0;
            info.args.push(ArgInfo {
                name,
                type_name,
                kind,
                offset,
                size,
                is_const,
                is_restrict,
                is_volatile,
                streamed_bytes,
            });
        }
        self.want('}')?;
        self.infos.push((info, func, place));
        Ok(())
    }

    fn ty(&mut self) -> Res<Type> {
        let (word, place) = self.word("a type")?;
        if word == "ptr" {
            self.want('<')?;
            let space = self.space()?;
            self.want('>')?;
            return Ok(Type::ptr(space));
        }
        let (elem, lanes) = word.split_once('x').unwrap_or((word, "1"));
        let elem = match elem {
            "i1" => Scalar::I1,
            "i8" => Scalar::I8,
            "i16" => Scalar::I16,
            "i32" => Scalar::I32,
            "i64" => Scalar::I64,
            "f16" => Scalar::F16,
            "f32" => Scalar::F32,
            "f64" => Scalar::F64,
            _ => return error(place, format!("unknown type `{word}`")),
        };
        match lanes.parse() {
            Ok(lanes @ 1..) => Ok(Type::scalar(elem).with_lanes(lanes)),
            _ => error(place, format!("unknown type `{word}`")),
        }
    }

    fn func(&mut self) -> Res<()> {
        let has_body = *self.peek() == Tok::Word("func");
        self.next();
        let (name, place) = self.symbol()?;
        let id = FuncId::from_index(self.module.funcs.len());
        if self.funcs.insert(name.clone(), id).is_some() {
            return error(place, format!("function `{name}` defined twice"));
        }
        self.want('(')?;
        let mut params = Vec::new();
        while !self.eat(')') {
            params.push(self.ty()?);
            if *self.peek() != Tok::Punct(')') {
                self.want(',')?;
            }
        }
        let mut ret = None;
        if *self.peek() == Tok::Arrow {
            self.next();
            ret = Some(self.ty()?);
        }
        let mut func = Func::declaration(name, params, ret);
        func.is_kernel = self.eat_word("kernel");
        func.is_builtin = self.eat_word("builtin");
        func.is_lanes = self.eat_word("lanes");
        if has_body {
            self.want('{')?;
            self.body(&mut func, id)?;
        }
        self.module.funcs.push(func);
        Ok(())
    }

    // ---- bodies

    fn body(&mut self, func: &mut Func, id: FuncId) -> Res<()> {
        while let Tok::Word(w) = *self.peek() {
            if !w.starts_with("slot") || !matches!(self.peek2(), Tok::Str(_)) {
                break;
            }
            let place = self.place();
            let n = self.numbered("slot")?;
            self.check_number(place, n, func.slots.len())?;
            let name = self.string()?;
            let (size, align) = self.size_align()?;
            func.slots.push(Slot::new(name, size, align));
        }
        let mut body = Body::default();
        let mut open: Option<Block> = None;
        loop {
            let place = self.place();
            match (*self.peek() == Tok::Punct('}'), open) {
                (true, None) if !func.layout.is_empty() => {
                    self.next();
                    break;
                }
                _ => {}
            }
            let is_label = matches!(self.peek(), Tok::Word(_))
                && matches!(self.peek2(), Tok::Punct(':' | '(') | Tok::Word("items"));
            match open {
                None if is_label => open = Some(self.label(func, &mut body)?),
                None if func.layout.is_empty() => return self.expected("a block"),
                None => return self.expected("`}`"),
                Some(_) if is_label => return error(place, "the block before has no terminator".into()),
                Some(block) => {
                    if let Some(term) = self.term()? {
                        body.terms.push((block, term));
                        open = None;
                    } else {
                        let raw = self.inst(func, &mut body)?;
                        body.insts.push((block, raw));
                    }
                }
            }
        }
        self.resolve(func, id, body)
    }

    fn label(&mut self, func: &mut Func, body: &mut Body<'a>) -> Res<Block> {
        let (name, place) = self.word("a block")?;
        let block = func.add_block();
        func.layout.push(block);
        if body.blocks.insert(name, block).is_some() {
            return error(place, format!("block `{name}` defined twice"));
        }
        if self.eat('(') {
            while !self.eat(')') {
                let (name, place) = self.value_name()?;
                self.want(':')?;
                let ty = self.ty()?;
                let value = func.add_param(block, ty);
                define(body, name, value, place)?;
                if *self.peek() != Tok::Punct(')') {
                    self.want(',')?;
                }
            }
        }
        if *self.peek() == Tok::Word("items") {
            self.next();
            func.blocks[block].items = true;
        }
        if *self.peek() == Tok::Word("rows") {
            self.next();
            func.blocks[block].rows = Some(0);
        }
        self.want(':')?;
        Ok(block)
    }

    fn term(&mut self) -> Res<Option<RawTerm<'a>>> {
        let Tok::Word(word) = *self.peek() else { return Ok(None) };
        if !matches!(word, "jump" | "br" | "switch" | "ret" | "unreachable") {
            return Ok(None);
        }
        self.next();
        Ok(Some(match word {
            "jump" => RawTerm::Jump(self.target()?),
            "br" => {
                let cond = self.value_name()?;
                self.want(',')?;
                let then = self.target()?;
                self.want(',')?;
                RawTerm::Br(cond, then, self.target()?)
            }
            "switch" => {
                let value = self.value_name()?;
                self.want(',')?;
                self.want('[')?;
                let mut cases = Vec::new();
                while !self.eat(']') {
                    let bits = self.int()?;
                    self.want(':')?;
                    cases.push((bits, self.target()?));
                    if *self.peek() != Tok::Punct(']') {
                        self.want(',')?;
                    }
                }
                self.want(',')?;
                RawTerm::Switch(value, cases, self.target()?)
            }
            "ret" if matches!(self.peek(), Tok::Value(_)) => RawTerm::Ret(Some(self.value_name()?)),
            "ret" => RawTerm::Ret(None),
            _ => RawTerm::Unreachable,
        }))
    }

    fn target(&mut self) -> Res<RawTarget<'a>> {
        let block = self.word("a block")?;
        let args = if self.eat('(') { self.values_until(')')? } else { Vec::new() };
        Ok(RawTarget { block, args })
    }

    fn values_until(&mut self, end: char) -> Res<Vec<Name<'a>>> {
        let mut args = Vec::new();
        while !self.eat(end) {
            args.push(self.value_name()?);
            if *self.peek() != Tok::Punct(end) {
                self.want(',')?;
            }
        }
        Ok(args)
    }

    fn inst(&mut self, func: &mut Func, body: &mut Body<'a>) -> Res<RawInst<'a>> {
        let mut result = None;
        let mut ty = None;
        if matches!(self.peek(), Tok::Value(_)) {
            let (name, place) = self.value_name()?;
            self.want(':')?;
            let t = self.ty()?;
            self.want('=')?;
            ty = Some(t);
            result = Some((name, place));
        }
        let (name, place) = self.word("an instruction")?;
        let Some((op, mut imm)) = op_by_name(name) else { return error(place, format!("unknown operation `{name}`")) };
        // The instruction itself is added when all names are known; its result is reserved now, in order.
        let result = match (result, ty) {
            (Some((name, place)), Some(ty)) => {
                let value = func
                    .values
                    .push(crate::ir::func::ValueData { ty, def: crate::ir::ValueDef::Param(Block(0), u32::MAX) });
                define(body, name, value, place)?;
                Some(value)
            }
            _ => None,
        };
        let mut args = Vec::new();
        let mut callee = None;
        if op == Op::Call {
            callee = Some(self.symbol()?);
            self.want('(')?;
            args = self.values_until(')')?;
        } else {
            // The next line may begin with a value.
            let mut comma = op.row().arity != Arity::Fixed(0);
            while comma && matches!(self.peek(), Tok::Value(_)) {
                args.push(self.value_name()?);
                comma = self.eat(',');
            }
            match &mut imm {
                Imm::None => imm = self.imm(op, ty)?,
                Imm::Cluster(_, lanes) => {
                    self.want_word("cluster")?;
                    *lanes = self.int()?;
                }
                _ => {}
            }
        }
        let attr = if self.eat('{') { self.attr()? } else { Attr::default() };
        let mut origin = Origin::UNKNOWN;
        if self.eat('!') {
            origin.span.lo = self.int()?;
            if self.next() != Tok::Dots {
                return error(place, "expected `..` in the span".into());
            }
            origin.span.hi = self.int()?;
        }
        Ok(RawInst { result, op, args, imm, callee, attr, origin })
    }

    fn imm(&mut self, op: Op, ty: Option<Type>) -> Res<Imm> {
        Ok(match op.imm_kind() {
            ImmKind::Bits => Imm::Bits(self.constant(ty.map_or(Scalar::I64, |ty| ty.elem))?),
            ImmKind::Slot => Imm::Slot(SlotId(self.numbered("slot")?)),
            ImmKind::LocalVar => Imm::LocalVar(LocalVarId(self.numbered("lv")?)),
            ImmKind::Global => Imm::Global(GlobalId(self.numbered("g")?)),
            ImmKind::Lane => Imm::Lane(self.int()?),
            ImmKind::Dim => Imm::Dim(self.int()?),
            ImmKind::FenceFlags => Imm::FenceFlags(self.int()?),
            ImmKind::Lanes => {
                self.want('[')?;
                let mut lanes = Vec::new();
                while !self.eat(']') {
                    lanes.push(self.int()?);
                }
                Imm::Lanes(lanes.into())
            }
            ImmKind::Scale => {
                self.want('*')?;
                Imm::Scale { scale: self.int()?, disp: self.signed_tail()? }
            }
            ImmKind::Disp => Imm::Disp(self.int()?),
            ImmKind::Device => {
                let (word, place) = self.word("a function of `device`")?;
                let Some(what) = DeviceFn::ALL.into_iter().find(|what| what.name() == word) else {
                    return error(place, format!("unknown function `{word}`"));
                };
                Imm::Device(what, self.int()?)
            }
            ImmKind::None
            | ImmKind::Func
            | ImmKind::IntPred
            | ImmKind::FloatPred
            | ImmKind::Rmw
            | ImmKind::Collective
            | ImmKind::Cluster => Imm::None,
        })
    }

    fn constant(&mut self, elem: Scalar) -> Res<u64> {
        let place = self.place();
        let text = match *self.peek() {
            Tok::Number(text) | Tok::Word(text) => text,
            _ => return self.expected("a constant"),
        };
        self.next();
        let bits = elem.bits();
        let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
        let int = integer(text);
        let value = match elem {
            Scalar::I1 if text == "true" => Some(1),
            Scalar::I1 if text == "false" => Some(0),
            Scalar::F16 | Scalar::F32 | Scalar::F64 if !text.starts_with("0x") => match (elem, text.parse::<f64>()) {
                (Scalar::F64, Ok(x)) => Some(x.to_bits()),
                (Scalar::F32, Ok(_)) => text.parse::<f32>().ok().map(|x| u64::from(x.to_bits())),
                (_, Ok(x)) => Some(softfloat::convert(softfloat::F64, softfloat::F16, x.to_bits(), Rounding::Rte)),
                (_, Err(_)) => None,
            },
            // Both the signed and the unsigned reading of the width.
            _ => int.filter(|&n| n >= -(1i128 << (bits - 1)) && n < 1i128 << bits).map(|n| n as u64 & mask),
        };
        value.map_or_else(|| error(place, format!("bad constant `{text}` of type {elem}")), Ok)
    }

    fn attr(&mut self) -> Res<Attr> {
        let mut attr = Attr::default();
        while !self.eat('}') {
            let (word, place) = self.word("an attribute or `}`")?;
            if let Some(flag) = by_name(FLAGS, word) {
                attr.flags |= flag;
            } else if let Some(rm) = by_name(ROUNDINGS, word) {
                attr.rm = rm;
            } else if let Some(order) = by_name(ORDERS, word) {
                attr.order = order;
            } else if let Some(scope) = by_name(SCOPES, word) {
                attr.scope = scope;
            } else if word == "align" {
                attr.align = self.int()?;
            } else {
                return error(place, format!("unknown attribute `{word}`"));
            }
        }
        Ok(attr)
    }

    // ---- names

    fn resolve(&mut self, func: &mut Func, id: FuncId, body: Body<'a>) -> Res<()> {
        let Body { values, blocks, insts, terms } = body;
        let value = |(name, place): Name<'a>| match values.get(name) {
            Some(v) => Ok(*v),
            None => error(place, format!("unknown value `%{name}`")),
        };
        let target = |raw: RawTarget<'a>| -> Res<Target> {
            let (name, place) = raw.block;
            let Some(&block) = blocks.get(name) else { return error(place, format!("unknown block `{name}`")) };
            Ok(Target { block, args: raw.args.into_iter().map(value).collect::<Res<_>>()? })
        };
        for (block, raw) in insts {
            let args: Vec<Value> = raw.args.into_iter().map(value).collect::<Res<_>>()?;
            let inst = func.make_inst(raw.op, None, &args, raw.imm, raw.attr, raw.origin);
            if let Some(v) = raw.result {
                func.insts[inst].result = Some(v);
                func.values[v].def = crate::ir::ValueDef::Inst(inst);
            }
            func.blocks[block].insts.push(inst);
            if let Some((name, place)) = raw.callee {
                self.calls.push((id, inst, name, place));
            }
        }
        for (block, term) in terms {
            func.blocks[block].term = match term {
                RawTerm::Jump(t) => Term::Jump(target(t)?),
                RawTerm::Br(c, a, b) => Term::Br { cond: value(c)?, then: target(a)?, els: target(b)? },
                RawTerm::Switch(v, cases, default) => {
                    let v = value(v)?;
                    let bits = func.ty(v).elem.bits();
                    let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
                    let case = |(n, t): (i64, RawTarget<'a>)| Ok((n as u64 & mask, target(t)?));
                    let cases = cases.into_iter().map(case).collect::<Res<_>>()?;
                    Term::Switch { value: v, cases, default: target(default)? }
                }
                RawTerm::Ret(v) => Term::Ret(v.map(value).transpose()?),
                RawTerm::Unreachable => Term::Unreachable,
            };
        }
        Ok(())
    }

    fn link(&mut self) -> Res<()> {
        for (func, inst, name, place) in std::mem::take(&mut self.calls) {
            let Some(&callee) = self.funcs.get(&name) else {
                return error(place, format!("unknown function `{name}`"));
            };
            self.module.funcs[func].insts[inst].imm = Imm::Func(callee);
        }
        for (info, name, place) in std::mem::take(&mut self.infos) {
            let Some(&func) = self.funcs.get(&name) else { return error(place, format!("unknown function `{name}`")) };
            self.module.kernels.push((info, func));
        }
        Ok(())
    }
}

fn define<'a>(body: &mut Body<'a>, name: &'a str, value: Value, place: Place) -> Res<()> {
    match body.values.insert(name, value) {
        None => Ok(()),
        Some(_) => error(place, format!("value `%{name}` defined twice")),
    }
}

/// An operation by its text name, with the immediate that is part of the name.
fn op_by_name(name: &str) -> Option<(Op, Imm)> {
    let plain = OPS.iter().find(|row| row.name == name).map(|row| row.op);
    if let Some(op) = plain {
        use ImmKind::*;
        let in_name = matches!(op.imm_kind(), IntPred | FloatPred | Rmw | Collective | Cluster);
        return (!in_name).then_some((op, Imm::None));
    }
    OPS.iter().find_map(|row| {
        let suffix = name.strip_prefix(row.name)?.strip_prefix('.')?;
        let imm = match row.op.imm_kind() {
            ImmKind::IntPred => Imm::IntPred(by_name(INT_PREDS, suffix)?),
            ImmKind::FloatPred => Imm::FloatPred(by_name(FLOAT_PREDS, suffix)?),
            ImmKind::Rmw => Imm::Rmw(by_name(RMW_OPS, suffix)?),
            ImmKind::Collective => Imm::Collective(by_name(COLLECTIVES, suffix)?),
            ImmKind::Cluster => Imm::Cluster(by_name(COLLECTIVES, suffix)?, 0),
            _ => return None,
        };
        Some((row.op, imm))
    })
}

/// A decimal or `0x` integer with an optional sign.
fn integer(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let n = match digits.strip_prefix("0x") {
        Some(hex) => i128::from_str_radix(hex, 16).ok()?,
        None => digits.parse::<i128>().ok()?,
    };
    Some(if negative { -n } else { n })
}

fn describe(tok: &Tok<'_>) -> String {
    match tok {
        Tok::Word(w) | Tok::Number(w) => format!("`{w}`"),
        Tok::Value(v) => format!("`%{v}`"),
        Tok::Symbol(s) => format!("`@{s}`"),
        Tok::Str(_) => "a string".into(),
        Tok::Hex(_) => "hex bytes".into(),
        Tok::Arrow => "`->`".into(),
        Tok::Dots => "`..`".into(),
        Tok::Punct(c) => format!("`{c}`"),
        Tok::Bad(s) => format!("`{s}`"),
        Tok::End => "the end".into(),
    }
}

fn error<T>(place: Place, message: String) -> Res<T> {
    Err(ParseError { line: place.line, col: place.col, message })
}

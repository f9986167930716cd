//! Macro definitions and the table of them.

use crate::intern::{Symbol, kw};
use crate::lex::raw::{RawFlags, RawKind, RawToken};
use crate::lex::token::Punct;
use crate::options::Options;
use crate::pp::predefined;
use crate::source::Span;
use std::cell::Cell;
use std::rc::Rc;

/// A macro.
#[derive(Debug)]
pub(super) struct Macro {
    pub(super) name: Symbol,
    pub(super) kind: MacroKind,
    /// `#` and `##` have become flags of their operands.
    pub(super) body: Vec<RawToken>,
    /// From the first to the last token of the body.
    pub(super) body_span: Span,
    /// Where it is defined.
    pub(super) name_span: Span,
    /// The body has `##`.
    pub(super) has_paste: bool,
    /// It comes from our own table.
    pub(super) is_predefined: bool,
    /// How many expansions of it are being read: while there is one, its name means nothing.
    pub(super) active: Cell<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MacroKind {
    Object,
    /// Parameters; the last one takes the rest of the arguments if `is_variadic`.
    Function {
        params: Vec<Symbol>,
        is_variadic: bool,
    },
    /// Its value depends on the place.
    Dynamic(Dynamic),
}

/// Macros whose value depends on the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dynamic {
    /// `__FILE__`
    File,
    /// `__LINE__`
    Line,
    /// `__COUNTER__`
    Counter,
    /// `__ROUNDING_MODE__`
    RoundingMode,
    /// `__has_builtin` and its kin, with the name behind it.
    Has(Has),
}

/// What programs ask whether the compiler has it, as they ask Clang.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Has {
    /// `__has_builtin(__builtin_…)`
    Builtin,
    /// `__has_attribute(name)`
    Attribute,
    /// `__has_feature(name)` and `__has_extension(name)`
    Feature,
}

/// What a name means to the preprocessor.
pub(super) enum Lookup {
    /// Nothing.
    Undefined,
    /// This macro.
    Defined(Rc<Macro>),
    /// A predefined macro that nobody has asked for yet: row of the table.
    Predefined(usize),
}

/// All macros, by symbol. Predefined ones are made when they are first met.
#[derive(Debug)]
pub(super) struct Macros {
    /// 0: none; `PREDEFINED`: not made yet; else number in `list` plus one.
    slots: Vec<u32>,
    list: Vec<Rc<Macro>>,
}

const PREDEFINED: u32 = u32::MAX;

impl Macros {
    /// The predefined macros.
    pub(super) fn new(options: &Options) -> Self {
        let mut slots = vec![0; kw::COUNT as usize];
        slots.extend(
            (0..predefined::count()).map(|row| if predefined::is_defined(row, options) { PREDEFINED } else { 0 }),
        );
        Self { slots, list: Vec::new() }
    }

    /// Whether `name` is a macro.
    pub(super) fn is_defined(&self, name: Symbol) -> bool {
        self.slots.get(name.0 as usize).is_some_and(|&slot| slot != 0)
    }

    /// What `name` means.
    pub(super) fn lookup(&self, name: Symbol) -> Lookup {
        match self.slots.get(name.0 as usize) {
            None | Some(0) => Lookup::Undefined,
            Some(&PREDEFINED) => Lookup::Predefined(name.0 as usize - kw::COUNT as usize),
            Some(&slot) => Lookup::Defined(self.list[slot as usize - 1].clone()),
        }
    }

    /// The macro that `name` is and that has been made already.
    pub(super) fn get(&self, name: Symbol) -> Option<&Rc<Macro>> {
        match self.slots.get(name.0 as usize) {
            None | Some(0 | &PREDEFINED) => None,
            Some(&slot) => Some(&self.list[slot as usize - 1]),
        }
    }

    pub(super) fn define(&mut self, def: Macro) -> Rc<Macro> {
        let at = def.name.0 as usize;
        if at >= self.slots.len() {
            self.slots.resize(at + 64, 0);
        }
        let def = Rc::new(def);
        self.list.push(def.clone());
        self.slots[at] = self.list.len() as u32;
        def
    }

    pub(super) fn undefine(&mut self, name: Symbol) {
        if let Some(slot) = self.slots.get_mut(name.0 as usize) {
            *slot = 0;
        }
    }
}

impl Macro {
    /// Whether the definitions are the same in the sense of C99, "Macro replacement": same parameters, same tokens,
    /// white space in the same places.
    pub(super) fn is_same(&self, other: &Macro) -> bool {
        let flags = |t: &RawToken| {
            let space = if t.flags.is_spaced() { RawFlags::SPACE } else { RawFlags::empty() };
            space | (t.flags & (RawFlags::STRINGIFY | RawFlags::PASTE))
        };
        self.kind == other.kind
            && self.body.len() == other.body.len()
            && self
                .body
                .iter()
                .zip(&other.body)
                .all(|(a, b)| a.kind == b.kind && a.data == b.data && flags(a) == flags(b))
    }
}

/// A mistake in a macro's definition.
pub(super) struct BadDefinition {
    pub(super) span: Span,
    pub(super) message: String,
}

fn bad<T>(span: Span, message: impl Into<String>) -> Result<T, BadDefinition> {
    Err(BadDefinition { span, message: message.into() })
}

/// The macro of a `#define` line: `tokens` are the ones behind `define`, without the end; `end` is where they end.
pub(super) fn parse(tokens: &[RawToken], end: Span) -> Result<Macro, BadDefinition> {
    let Some((&name, rest)) = tokens.split_first() else { return bad(end, "macro name missing") };
    if name.kind != RawKind::Ident {
        return bad(name.span, "macro name must be an identifier");
    }
    if name.is_ident(kw::DEFINED) || name.is_ident(kw::VA_ARGS) {
        return bad(name.span, "this name cannot be a macro");
    }
    let (kind, body) = match rest.first() {
        Some(paren) if paren.is_punct(Punct::LParen) && !paren.flags.is_spaced() => {
            let (params, is_variadic, used) = parameters(&rest[1..], end)?;
            (MacroKind::Function { params, is_variadic }, &rest[1 + used..])
        }
        _ => (MacroKind::Object, rest),
    };
    let (body, has_paste) = replacement(body, &kind)?;
    let body_span = match (body.first(), body.last()) {
        (Some(first), Some(last)) => Span { lo: first.span.lo, hi: last.span.hi },
        _ => name.span.end(),
    };
    Ok(Macro {
        name: name.symbol(),
        kind,
        body,
        body_span,
        name_span: name.span,
        has_paste,
        is_predefined: false,
        active: Cell::new(0),
    })
}

/// Parameters behind `(`, whether the last one is variadic, and the number of tokens up to and with `)`.
fn parameters(tokens: &[RawToken], end: Span) -> Result<(Vec<Symbol>, bool, usize), BadDefinition> {
    let mut params = Vec::new();
    let mut at = 0;
    if tokens.first().is_some_and(|t| t.is_punct(Punct::RParen)) {
        return Ok((params, false, 1));
    }
    loop {
        let Some(&token) = tokens.get(at) else { return bad(end, "missing ')' in macro parameter list") };
        at += 1;
        let mut is_variadic = false;
        match token.kind {
            RawKind::Punct(Punct::Ellipsis) => {
                params.push(kw::VA_ARGS);
                is_variadic = true;
            }
            RawKind::Ident if token.is_ident(kw::VA_ARGS) => {
                return bad(token.span, "__VA_ARGS__ cannot be a parameter");
            }
            RawKind::Ident if params.contains(&token.symbol()) => {
                return bad(token.span, "duplicate macro parameter name");
            }
            RawKind::Ident => {
                params.push(token.symbol());
                // GNU: a name for the rest of the arguments.
                if tokens.get(at).is_some_and(|t| t.is_punct(Punct::Ellipsis)) {
                    at += 1;
                    is_variadic = true;
                }
            }
            _ => return bad(token.span, "expected a parameter name in macro parameter list"),
        }
        match tokens.get(at) {
            Some(t) if t.is_punct(Punct::RParen) => return Ok((params, is_variadic, at + 1)),
            Some(t) if t.is_punct(Punct::Comma) && !is_variadic => at += 1,
            Some(t) => return bad(t.span, "expected ',' or ')' in macro parameter list"),
            None => return bad(end, "missing ')' in macro parameter list"),
        }
    }
}

/// The body with parameters found and operators turned into flags; whether there is `##`.
fn replacement(tokens: &[RawToken], kind: &MacroKind) -> Result<(Vec<RawToken>, bool), BadDefinition> {
    let params: &[Symbol] = match kind {
        MacroKind::Function { params, .. } => params,
        _ => &[],
    };
    let is_function = matches!(kind, MacroKind::Function { .. });
    let mut body: Vec<RawToken> = Vec::with_capacity(tokens.len());
    let mut has_paste = false;
    let mut at = 0;
    while let Some(&token) = tokens.get(at) {
        at += 1;
        let mut token = token;
        token.flags.remove(RawFlags::BOL);
        match token.kind {
            RawKind::Punct(Punct::HashHash) => {
                let is_last = tokens[at..].iter().all(|t| t.is_punct(Punct::HashHash));
                match body.last_mut() {
                    Some(left) if !is_last => left.flags |= RawFlags::PASTE,
                    _ => return bad(token.span, "'##' cannot appear at either end of a macro expansion"),
                }
                has_paste = true;
                continue;
            }
            RawKind::Punct(Punct::Hash) if is_function => {
                let operand = tokens.get(at).filter(|t| t.kind == RawKind::Ident);
                let Some(param) = operand.and_then(|t| params.iter().position(|&p| p == t.symbol())) else {
                    return bad(token.span, "'#' is not followed by a macro parameter");
                };
                token.kind = RawKind::Param;
                token.data = param as u32;
                token.span.hi = tokens[at].span.hi;
                token.flags |= RawFlags::STRINGIFY;
                at += 1;
            }
            RawKind::Ident => {
                if let Some(param) = params.iter().position(|&p| p == token.symbol()) {
                    token.kind = RawKind::Param;
                    token.data = param as u32;
                } else if token.is_ident(kw::VA_ARGS) {
                    return bad(token.span, "__VA_ARGS__ can only appear in the expansion of a variadic macro");
                }
            }
            _ => {}
        }
        if body.is_empty() {
            token.flags.remove(RawFlags::SPACE);
        }
        body.push(token);
    }
    Ok((body, has_paste))
}

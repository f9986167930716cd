//! Macro expansion. Spec: C99, "Macro replacement".
//!
//! What is being read is a stack of contexts over the files: bodies of macros, lists of tokens. While a macro's body is
//! on the stack, its name found inside is marked and never expanded again; this is "blue paint". Arguments are expanded
//! in a context of their own, below which nothing is read, so that only nesting of calls inside arguments recurses.

use super::Preprocessor;
use super::macros::{Dynamic, Lookup, Macro, MacroKind};
use crate::intern::{Symbol, kw};
use crate::lex::raw::{RawFlags, RawKind, RawToken, scan};
use crate::lex::token::{PragmaExtension, PragmaKind, PragmaRounding, Punct};
use crate::source::Span;
use smallvec::SmallVec;
use std::rc::Rc;

/// Calls inside arguments of calls: beyond this depth it is an error.
pub(super) const MAX_ARG_DEPTH: u32 = 200;
/// Open parentheses inside the arguments of one call: beyond this depth it is an error.
const MAX_PARENS: u32 = 2000;
/// Macros that expand to macros: beyond this depth it is an error.
const MAX_CONTEXTS: usize = 2000;
/// Tokens that one use of a macro in a file may make, on all levels together; each expansion counts as some tokens
/// more.
pub(super) const MAX_EXPANSION: usize = 4 << 20;

/// What an expansion costs beside its tokens, measured in tokens.
const EXPANSION_COST: usize = 4;
/// The same for all uses of macros in a program: keeps the time for any source within seconds.
pub(super) const MAX_WORK: usize = 32 << 20;

/// What each byte of source adds to `MAX_WORK`. Code that is all macros needs about ten.
pub(super) const WORK_PER_BYTE: usize = 64;

/// The extension without which a rounding pragma has no effect.
const SELECT_EXTENSION: &str = "cl_khr_select_fprounding_mode";

/// Something to read from.
pub(super) struct Context {
    tokens: Tokens,
    pos: usize,
    /// The macro whose expansion this is.
    mac: Option<Rc<Macro>>,
}

enum Tokens {
    /// The body of the context's macro; positions are shifted by this (modulo 2^32).
    Body(u32),
    List(Vec<RawToken>),
    /// Nothing below is read.
    Barrier,
}

/// The arguments of a call.
struct Args {
    tokens: Vec<RawToken>,
    ranges: SmallVec<[(usize, usize); 8]>,
}

impl Args {
    fn get(&self, param: usize) -> &[RawToken] {
        self.ranges.get(param).map_or(&[], |&(from, to)| &self.tokens[from..to])
    }
}

impl Preprocessor<'_> {
    /// The next token after macro expansion.
    pub(super) fn next_expanded(&mut self) -> RawToken {
        let token = self.expand_next();
        match token.kind {
            RawKind::Punct(Punct::LBrace) => self.region.open(),
            RawKind::Punct(Punct::RBrace) => self.region.close(),
            RawKind::Pragma => self.pass_pragma(self.pragmas[token.data as usize]),
            _ => {}
        }
        token
    }

    /// What a pragma in the token stream does to the macros behind it.
    fn pass_pragma(&mut self, pragma: PragmaKind) {
        match pragma {
            PragmaKind::Rounding(mode) => self.region.mode = mode,
            PragmaKind::Extension(name, behaviour) => {
                let is_all = name == kw::ALL;
                if is_all || self.session.interner.text(name) == SELECT_EXTENSION {
                    self.region.is_enabled = !is_all && behaviour == PragmaExtension::Enable;
                }
            }
            PragmaKind::FpContract(_) | PragmaKind::Unroll(_) | PragmaKind::NoUnroll => {}
        }
    }

    fn expand_next(&mut self) -> RawToken {
        loop {
            let mut token = self.next_raw();
            if self.pending_space {
                self.pending_space = false;
                token.flags |= RawFlags::SPACE;
            }
            if token.kind != RawKind::Ident || token.flags.contains(RawFlags::NO_EXPAND) {
                return token;
            }
            if !self.macros.is_defined(token.symbol()) {
                if token.is_ident(kw::C_PRAGMA) && !self.in_condition {
                    match self.pragma_operator(token) {
                        Some(pragma) => return pragma,
                        None => continue,
                    }
                }
                if token.is_ident(kw::DEFINED) && self.in_condition {
                    return self.defined_operator(token);
                }
                return token;
            }
            let Some(mac) = self.macro_of(token.symbol()) else { return token };
            if mac.active.get() > 0 {
                token.flags |= RawFlags::NO_EXPAND;
                return token;
            }
            if !self.enter(&mac, token) {
                return token;
            }
        }
    }

    /// The next token without expansion, from whatever is being read.
    pub(super) fn next_raw(&mut self) -> RawToken {
        if let Some(token) = self.pushback.take() {
            return token;
        }
        while let Some(context) = self.contexts.last_mut() {
            let pos = context.pos;
            match (&context.tokens, &context.mac) {
                (Tokens::Body(shift), Some(mac)) => {
                    if let Some(&token) = mac.body.get(pos) {
                        context.pos += 1;
                        let mut token = token;
                        token.span.lo = token.span.lo.wrapping_add(*shift);
                        token.span.hi = token.span.hi.wrapping_add(*shift);
                        if pos == 0 {
                            token.flags |= std::mem::take(&mut self.lead);
                        }
                        return token;
                    }
                }
                (Tokens::List(list), _) => {
                    if let Some(&token) = list.get(pos) {
                        context.pos += 1;
                        return token;
                    }
                }
                (Tokens::Barrier, _) => return RawToken::new(RawKind::End, 0, Span::DUMMY),
                (Tokens::Body(_), None) => {}
            }
            self.pop();
        }
        self.next_file_token()
    }

    /// Expands a list of tokens by itself.
    pub(super) fn expand_list(&mut self, tokens: &[RawToken]) -> Vec<RawToken> {
        let mut out = self.spare.pop().unwrap_or_default();
        if self.arg_depth >= MAX_ARG_DEPTH {
            let span = tokens.first().map_or(Span::DUMMY, |t| t.span);
            self.fatal(span, "macro calls are nested too deeply inside arguments");
            return out;
        }
        let mut list = self.spare.pop().unwrap_or_default();
        list.extend_from_slice(tokens);
        let pushback = self.pushback.take();
        let pending_space = std::mem::take(&mut self.pending_space);
        // The tokens will pass again at their place.
        let region = self.region.clone();
        self.arg_depth += 1;
        self.contexts.push(Context { tokens: Tokens::Barrier, pos: 0, mac: None });
        self.contexts.push(Context { tokens: Tokens::List(list), pos: 0, mac: None });
        loop {
            let token = self.next_expanded();
            if token.is_end() {
                break;
            }
            out.push(token);
            if out.len() > MAX_EXPANSION {
                self.too_large(token.span);
            }
        }
        // Only the barrier is left, or nothing at all after a fatal error.
        self.contexts.pop();
        self.arg_depth -= 1;
        self.region = region;
        if !self.stopped {
            self.pushback = pushback;
            self.pending_space = pending_space;
        }
        out
    }

    /// The macro of a name; makes predefined ones.
    pub(super) fn macro_of(&mut self, name: Symbol) -> Option<Rc<Macro>> {
        match self.macros.lookup(name) {
            Lookup::Undefined => None,
            Lookup::Defined(mac) => Some(mac),
            Lookup::Predefined(row) => self.make_predefined(name, row),
        }
    }

    fn pop(&mut self) {
        let Some(context) = self.contexts.pop() else { return };
        if let Some(mac) = context.mac {
            mac.active.set(mac.active.get() - 1);
            if context.pos == 0 {
                // Nothing came of it, but white space in front of it stays.
                let lead = std::mem::take(&mut self.lead);
                self.pending_space |= lead.is_spaced();
            }
        }
        if let Tokens::List(list) = context.tokens {
            self.keep(list);
        }
    }

    /// Keeps a list's memory for the next one.
    pub(super) fn keep(&mut self, mut list: Vec<RawToken>) {
        if self.spare.len() < 16 && list.capacity() <= 1 << 12 {
            list.clear();
            self.spare.push(list);
        }
    }

    /// Starts to read the expansion of `mac` at `name`. `false` if this is no use of it.
    fn enter(&mut self, mac: &Rc<Macro>, name: RawToken) -> bool {
        let lead = name.flags & (RawFlags::BOL | RawFlags::SPACE);
        let args = match &mac.kind {
            MacroKind::Dynamic(dynamic) => {
                let token = self.dynamic(*dynamic, name);
                self.pushback = Some(token);
                return true;
            }
            MacroKind::Object => Args { tokens: Vec::new(), ranges: SmallVec::new() },
            MacroKind::Function { params, is_variadic } => {
                let next = self.next_raw();
                if !next.is_punct(Punct::LParen) {
                    if next.kind != RawKind::End {
                        self.pushback = Some(next);
                    }
                    return false;
                }
                match self.arguments(mac, params.len(), *is_variadic, name) {
                    Some(args) => args,
                    None => return false,
                }
            }
        };
        if self.contexts.len() >= MAX_CONTEXTS {
            self.fatal(name.span, "macro expansions are nested too deeply");
            return false;
        }
        self.budget = self.budget.saturating_sub(mac.body.len() + args.tokens.len() + EXPANSION_COST);
        // An empty body needs no positions.
        let start = match mac.body.is_empty() {
            true => Some(0),
            false => self.session.sources.add_expansion(mac.name, mac.body_span, name.span),
        };
        let (Some(start), true) = (start, self.budget > 0) else {
            self.too_large(name.span);
            return false;
        };
        let shift = start.wrapping_sub(mac.body_span.lo);
        let is_plain = mac.kind == MacroKind::Object && !mac.has_paste;
        let tokens = if is_plain {
            self.lead = lead;
            Tokens::Body(shift)
        } else {
            let mut list = self.substitute(mac, &args, shift);
            match list.first_mut() {
                Some(first) => {
                    first.flags.remove(RawFlags::BOL | RawFlags::SPACE);
                    first.flags |= lead;
                }
                None => self.pending_space |= lead.is_spaced(),
            }
            Tokens::List(list)
        };
        self.keep(args.tokens);
        if self.stopped {
            return false;
        }
        mac.active.set(mac.active.get() + 1);
        self.contexts.push(Context { tokens, pos: 0, mac: Some(mac.clone()) });
        true
    }

    /// The arguments behind the opening parenthesis. `None` after an error.
    fn arguments(&mut self, mac: &Rc<Macro>, n_params: usize, is_variadic: bool, name: RawToken) -> Option<Args> {
        let mut args = Args { tokens: self.spare.pop().unwrap_or_default(), ranges: SmallVec::new() };
        let mut from = 0;
        let mut depth = 0u32;
        let close = loop {
            let mut token = self.next_raw();
            match token.kind {
                RawKind::Punct(Punct::LParen) => {
                    depth += 1;
                    if depth > MAX_PARENS {
                        self.fatal(token.span, "macro calls are nested too deeply inside arguments");
                        return None;
                    }
                }
                RawKind::Punct(Punct::RParen) if depth == 0 => break token.span,
                RawKind::Punct(Punct::RParen) => depth -= 1,
                RawKind::Punct(Punct::Comma) if depth == 0 && !(is_variadic && args.ranges.len() + 1 >= n_params) => {
                    args.ranges.push((from, args.tokens.len()));
                    from = args.tokens.len();
                    continue;
                }
                RawKind::Ident if self.macros.get(token.symbol()).is_some_and(|m| m.active.get() > 0) => {
                    token.flags |= RawFlags::NO_EXPAND;
                }
                RawKind::End | RawKind::Eof => {
                    if !self.stopped {
                        let text = self.session.interner.text(mac.name);
                        let message = format!("unterminated argument list invoking macro '{text}'");
                        self.session.diags.error(name.span, message).note(mac.name_span, "macro defined here");
                    }
                    return None;
                }
                _ => {}
            }
            if token.flags.contains(RawFlags::BOL) {
                token.flags.remove(RawFlags::BOL);
                token.flags |= RawFlags::SPACE;
            }
            args.tokens.push(token);
            if args.tokens.len() > MAX_EXPANSION {
                self.too_large(name.span);
                return None;
            }
        };
        args.ranges.push((from, args.tokens.len()));
        let mut n = args.ranges.len();
        if n_params == 0 && n == 1 && args.tokens.is_empty() {
            args.ranges.clear();
            n = 0;
        }
        let least = n_params - usize::from(is_variadic);
        // An absent variable argument is an empty one.
        if n >= least && n <= n_params || n_params == 1 && n == 1 {
            return Some(args);
        }
        let text = self.session.interner.text(mac.name);
        let (few, at_least) = (if n < least { "few" } else { "many" }, if is_variadic { "at least " } else { "" });
        let message = format!(
            "too {few} arguments for macro '{text}': it takes {at_least}{least}, here {} {n}",
            if n == 1 { "is" } else { "are" }
        );
        let span = name.span.to(close);
        self.session.diags.error(span, message).note(mac.name_span, "macro defined here");
        None
    }

    /// The body with arguments in place of parameters, `#` and `##` done.
    fn substitute(&mut self, mac: &Macro, args: &Args, shift: u32) -> Vec<RawToken> {
        let mut out = self.spare.pop().unwrap_or_default();
        let is_variadic = matches!(mac.kind, MacroKind::Function { is_variadic: true, .. });
        let n_params = match &mac.kind {
            MacroKind::Function { params, .. } => params.len(),
            _ => 0,
        };
        let mut expanded: SmallVec<[Option<Vec<RawToken>>; 8]> = SmallVec::new();
        expanded.resize_with(n_params, || None);
        let mut paste_here = false;
        // In front of a parameter that stands for nothing.
        let mut space = RawFlags::empty();
        for (i, &item) in mac.body.iter().enumerate() {
            if self.stopped {
                break;
            }
            let paste_next = item.flags.contains(RawFlags::PASTE);
            let mut paste = std::mem::replace(&mut paste_here, paste_next);
            let mut token = item;
            token.flags.remove(RawFlags::PASTE | RawFlags::STRINGIFY);
            token.span.lo = token.span.lo.wrapping_add(shift);
            token.span.hi = token.span.hi.wrapping_add(shift);
            token.flags |= std::mem::replace(&mut space, RawFlags::empty());
            if item.kind != RawKind::Param {
                self.append(&mut out, token, paste);
                continue;
            }
            let param = item.data as usize;
            if item.flags.contains(RawFlags::STRINGIFY) {
                let string = self.stringify(args.get(param), token);
                self.append(&mut out, string, paste);
                continue;
            }
            if paste && is_variadic && param + 1 == n_params && mac.body[i - 1].is_punct(Punct::Comma) {
                // GNU: `, ## __VA_ARGS__` drops the comma if nothing follows, and pastes nothing.
                paste = false;
                if args.get(param).is_empty() {
                    out.pop();
                    if paste_next {
                        self.append(&mut out, RawToken { kind: RawKind::Placemarker, ..token }, false);
                    }
                    continue;
                }
            }
            let raw = args.get(param);
            if paste || paste_next || !self.may_expand(raw) {
                if raw.is_empty() && !paste && !paste_next {
                    space = token.flags & RawFlags::SPACE;
                }
                self.append_all(&mut out, raw, token, paste);
                continue;
            }
            if expanded[param].is_none() {
                expanded[param] = Some(self.expand_list(raw));
            }
            let list = expanded[param].take().unwrap_or_default();
            if list.is_empty() {
                space = token.flags & RawFlags::SPACE;
            }
            self.append_all(&mut out, &list, token, false);
            expanded[param] = Some(list);
        }
        for list in expanded.into_iter().flatten() {
            self.keep(list);
        }
        out.retain(|t| t.kind != RawKind::Placemarker);
        out
    }

    /// Appends an argument in place of the parameter `param`.
    fn append_all(&mut self, out: &mut Vec<RawToken>, arg: &[RawToken], param: RawToken, paste: bool) {
        self.budget = self.budget.saturating_sub(arg.len());
        if self.budget == 0 {
            return self.too_large(param.span);
        }
        let Some((&first, rest)) = arg.split_first() else {
            // Matters to `##` only; `substitute` takes it out.
            return self.append(out, RawToken { kind: RawKind::Placemarker, ..param }, paste);
        };
        let mut first = first;
        first.flags.remove(RawFlags::SPACE | RawFlags::BOL);
        first.flags |= param.flags & RawFlags::SPACE;
        self.append(out, first, paste);
        out.extend_from_slice(rest);
    }

    fn append(&mut self, out: &mut Vec<RawToken>, token: RawToken, paste: bool) {
        if paste && let Some(left) = out.pop() {
            self.paste(out, left, token);
        } else {
            out.push(token);
        }
    }

    /// Whether expansion can change these tokens.
    fn may_expand(&self, tokens: &[RawToken]) -> bool {
        tokens.iter().any(|t| {
            t.kind == RawKind::Ident
                && (self.macros.is_defined(t.symbol())
                    || t.is_ident(kw::C_PRAGMA)
                    || self.in_condition && t.is_ident(kw::DEFINED))
        })
    }

    /// Spec: C99, "The ## operator".
    fn paste(&mut self, out: &mut Vec<RawToken>, left: RawToken, right: RawToken) {
        if left.kind == RawKind::Placemarker {
            out.push(RawToken { flags: (right.flags - RawFlags::SPACE) | (left.flags & RawFlags::SPACE), ..right });
            return;
        }
        if right.kind == RawKind::Placemarker {
            out.push(left);
            return;
        }
        let mut text = left.text(&self.session.interner).to_owned();
        text.push_str(right.text(&self.session.interner));
        let is_comment = text.starts_with("//") || text.starts_with("/*");
        let flags = left.flags & (RawFlags::BOL | RawFlags::SPACE);
        let span = left.span;
        self.charge_text(left.span, text.len());
        if self.stopped {
            return;
        }
        if !text.is_empty() && !is_comment {
            let scanned = scan(&text, 0, &mut self.session.interner);
            if scanned.end == text.len() && !matches!(scanned.kind, RawKind::Other | RawKind::Unterminated) {
                out.push(RawToken { kind: scanned.kind, flags, data: scanned.data, span });
                return;
            }
        }
        let message = format!("pasting formed '{}', which is no token", text.escape_debug());
        self.session.diags.error(span, message);
        out.push(left);
        out.push(right);
    }

    /// Spec: C99, "The # operator".
    fn stringify(&mut self, arg: &[RawToken], param: RawToken) -> RawToken {
        let mut text = String::from("\"");
        for (i, token) in arg.iter().enumerate() {
            if i > 0 && token.flags.is_spaced() {
                text.push(' ');
            }
            let spelt = token.text(&self.session.interner);
            match token.kind {
                RawKind::Str | RawKind::Char | RawKind::Unterminated => {
                    for c in spelt.chars() {
                        if matches!(c, '"' | '\\') {
                            text.push('\\');
                        }
                        text.push(c);
                    }
                }
                _ => text.push_str(spelt),
            }
            if text.len() > MAX_EXPANSION {
                self.too_large(param.span);
                break;
            }
        }
        text.push('"');
        self.budget = self.budget.saturating_sub(text.len() / 16);
        self.charge_text(param.span, text.len());
        let data = self.session.interner.intern(&text).0;
        let scanned = scan(&text, 0, &mut self.session.interner);
        if scanned.kind != RawKind::Str || scanned.end != text.len() {
            self.session.diags.error(param.span, "'#' does not make a valid string literal of this argument");
            let data = self.session.interner.intern("\"\"").0;
            return RawToken { kind: RawKind::Str, data, ..param };
        }
        RawToken { kind: RawKind::Str, data, ..param }
    }

    /// What a macro that depends on the place stands for here.
    fn dynamic(&mut self, dynamic: Dynamic, name: RawToken) -> RawToken {
        if let Dynamic::Has(what) = dynamic {
            return self.has_operator(what, name);
        }
        let names = &mut self.session.interner;
        let (kind, symbol) = match dynamic {
            Dynamic::Line => {
                let line = self.session.sources.line(name.span.lo);
                (RawKind::Number, names.intern(&line.to_string()))
            }
            Dynamic::File => {
                let file = self.session.sources.lookup(name.span.lo).file;
                let mut text = String::from("\"");
                for c in file.chars() {
                    match c {
                        '"' | '\\' => text.extend(['\\', c]),
                        c if c.is_control() => text.push_str(&format!("\\{:03o}", (c as u32).min(255))),
                        c => text.push(c),
                    }
                }
                text.push('"');
                (RawKind::Str, names.intern(&text))
            }
            Dynamic::Counter => {
                self.counter += 1;
                (RawKind::Number, names.intern(&(self.counter - 1).to_string()))
            }
            Dynamic::RoundingMode => {
                let mode = match self.region.mode {
                    PragmaRounding::Rte => kw::RTE,
                    PragmaRounding::Rtz => kw::RTZ,
                    PragmaRounding::Rtp => kw::RTP,
                    PragmaRounding::Rtn => kw::RTN,
                };
                (RawKind::Ident, mode)
            }
            Dynamic::Has(_) => (RawKind::Number, names.intern("0")),
        };
        RawToken { kind, data: symbol.0, ..name }
    }

    /// Before each use of a macro in a file: what it may make, and what all of them may still make.
    pub(super) fn renew_budget(&mut self) {
        if self.contexts.is_empty() && self.budget < MAX_EXPANSION {
            let used = MAX_EXPANSION - self.budget;
            self.budget = MAX_EXPANSION;
            self.work = self.work.saturating_sub(used);
            if self.work == 0 {
                self.too_large(self.end);
            }
        }
    }

    pub(super) fn too_large(&mut self, span: Span) {
        self.fatal(span, "macro expansion is too large (endless macro?)");
    }
}

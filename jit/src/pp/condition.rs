//! `#if` expressions. Spec: C99, "Conditional inclusion": integers of 64 bits, names that are no macros are 0.

use super::Preprocessor;
use super::macros::Has;
use crate::features::{ATTRIBUTES, BUILTINS};
use crate::intern::kw;
use crate::lex::number::{self, Number};
use crate::lex::raw::{RawKind, RawToken};
use crate::lex::string;
use crate::lex::token::{IntFlags, Punct};
use crate::session::Session;
use crate::source::Span;

/// Open conditionals in one file: beyond this it is an error.
pub(super) const MAX_CONDITIONS: usize = 1000;
/// Nesting of an `#if` expression: beyond this it is an error.
const MAX_DEPTH: u32 = 200;

/// An open conditional.
pub(super) struct Condition {
    /// Its `#if`.
    pub(super) span: Span,
    /// One of its groups has been read, or is.
    pub(super) taken: bool,
    pub(super) seen_else: bool,
}

/// A value and whether it is unsigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Value {
    bits: u64,
    unsigned: bool,
}

impl Value {
    fn of(value: bool) -> Self {
        Self { bits: u64::from(value), unsigned: false }
    }

    fn is_true(self) -> bool {
        self.bits != 0
    }
}

/// Why there is no value; the error is reported already.
struct Bad;

type Result<T> = std::result::Result<T, Bad>;

impl Preprocessor<'_> {
    /// Evaluates the rest of the line; `false` after an error. `span` is the directive's.
    pub(super) fn condition(&mut self, span: Span) -> bool {
        let tokens = self.line_tokens();
        self.in_condition = true;
        let expanded = self.expand_list(&tokens);
        self.in_condition = false;
        self.keep(tokens);
        if self.stopped {
            return false;
        }
        let end = expanded.last().map_or(span, |t| t.span).end();
        let mut eval = Eval { session: self.session, tokens: &expanded, at: 0, end, depth: 0, dead: 0 };
        if expanded.is_empty() {
            eval.session.diags.error(span, "#if with no expression");
            return false;
        }
        let result = eval.comma().and_then(|value| match eval.peek() {
            None => Ok(value),
            Some(token) => eval.fail(token.span, "unexpected token at end of #if expression"),
        });
        self.keep(expanded);
        result.is_ok_and(Value::is_true)
    }

    /// `defined X` or `defined(X)` behind `defined`: the number that it stands for.
    pub(super) fn defined_operator(&mut self, operator: RawToken) -> RawToken {
        let mut token = self.next_raw();
        let paren = token.is_punct(Punct::LParen);
        if paren {
            token = self.next_raw();
        }
        let mut value = false;
        if token.kind == RawKind::Ident {
            value = self.macros.is_defined(token.symbol());
            if paren && !self.next_raw().is_punct(Punct::RParen) {
                self.session.diags.error(operator.span, "missing ')' after 'defined'");
            }
        } else {
            self.session.diags.error(operator.span, "operator 'defined' needs a macro name");
        }
        self.truth(value, operator)
    }

    /// `__has_builtin(X)` and its kin, behind the operator: the number that it stands for.
    pub(super) fn has_operator(&mut self, what: Has, operator: RawToken) -> RawToken {
        let (open, name) = (self.next_raw(), self.next_raw());
        let is_asked = open.is_punct(Punct::LParen) && name.kind == RawKind::Ident;
        if !is_asked || !self.next_raw().is_punct(Punct::RParen) {
            let text = self.session.interner.text(operator.symbol()).to_owned();
            self.session.diags.error(operator.span, format!("'{text}' needs a name in parentheses"));
            return self.truth(false, operator);
        }
        let name = self.session.interner.text(name.symbol());
        let value = match what {
            Has::Builtin => BUILTINS.contains(&name),
            Has::Attribute => {
                let bare = name.strip_prefix("__").and_then(|name| name.strip_suffix("__"));
                ATTRIBUTES.contains(&bare.unwrap_or(name))
            }
            Has::Feature => name == "c_static_assert",
        };
        self.truth(value, operator)
    }

    fn truth(&mut self, value: bool, operator: RawToken) -> RawToken {
        let data = self.session.interner.intern(if value { "1" } else { "0" }).0;
        RawToken { kind: RawKind::Number, data, ..operator }
    }
}

struct Eval<'a> {
    session: &'a mut Session,
    tokens: &'a [RawToken],
    at: usize,
    end: Span,
    depth: u32,
    /// Above 0 where the value does not matter: there nothing can be wrong but the syntax.
    dead: u32,
}

impl Eval<'_> {
    fn peek(&self) -> Option<RawToken> {
        self.tokens.get(self.at).copied()
    }

    fn eat(&mut self, punct: Punct) -> bool {
        let is_there = self.peek().is_some_and(|t| t.is_punct(punct));
        self.at += usize::from(is_there);
        is_there
    }

    fn fail<T>(&mut self, span: Span, message: &str) -> Result<T> {
        self.session.diags.error(span, message);
        Err(Bad)
    }

    fn comma(&mut self) -> Result<Value> {
        let mut value = self.conditional()?;
        while let Some(token) = self.peek()
            && token.is_punct(Punct::Comma)
        {
            if self.dead == 0 && self.depth == 0 {
                return self.fail(token.span, "comma operator in #if expression");
            }
            self.at += 1;
            value = self.conditional()?;
        }
        Ok(value)
    }

    fn conditional(&mut self) -> Result<Value> {
        let cond = self.binary(0)?;
        if !self.eat(Punct::Question) {
            return Ok(cond);
        }
        self.enter()?;
        self.dead += u32::from(!cond.is_true());
        let then = self.comma();
        self.dead -= u32::from(!cond.is_true());
        let then = then?;
        if !self.eat(Punct::Colon) {
            let span = self.peek().map_or(self.end, |t| t.span);
            return self.fail(span, "expected ':' in #if expression");
        }
        self.dead += u32::from(cond.is_true());
        let els = self.conditional();
        self.dead -= u32::from(cond.is_true());
        let els = els?;
        self.depth -= 1;
        let bits = if cond.is_true() { then.bits } else { els.bits };
        Ok(Value { bits, unsigned: then.unsigned || els.unsigned })
    }

    /// Operators that bind at least as tightly as `least`.
    fn binary(&mut self, least: u8) -> Result<Value> {
        let mut left = self.unary()?;
        while let Some(token) = self.peek()
            && let RawKind::Punct(op) = token.kind
            && let Some(level) = precedence(op)
            && level >= least
        {
            self.at += 1;
            let skips = match op {
                Punct::AmpAmp => !left.is_true(),
                Punct::PipePipe => left.is_true(),
                _ => false,
            };
            self.dead += u32::from(skips);
            self.enter()?;
            let right = self.binary(level + 1);
            self.depth -= 1;
            self.dead -= u32::from(skips);
            left = self.apply(op, left, right?, token.span)?;
        }
        Ok(left)
    }

    fn apply(&mut self, op: Punct, a: Value, b: Value, span: Span) -> Result<Value> {
        let unsigned = a.unsigned || b.unsigned;
        let (x, y) = (a.bits, b.bits);
        let (sx, sy) = (x as i64, y as i64);
        let compare = |u: bool, s: bool| Value::of(if unsigned { u } else { s });
        let bits = match op {
            Punct::AmpAmp => return Ok(Value::of(a.is_true() && b.is_true())),
            Punct::PipePipe => return Ok(Value::of(a.is_true() || b.is_true())),
            Punct::EqEq => return Ok(Value::of(x == y)),
            Punct::Ne => return Ok(Value::of(x != y)),
            Punct::Lt => return Ok(compare(x < y, sx < sy)),
            Punct::Le => return Ok(compare(x <= y, sx <= sy)),
            Punct::Gt => return Ok(compare(x > y, sx > sy)),
            Punct::Ge => return Ok(compare(x >= y, sx >= sy)),
            Punct::Slash | Punct::Percent if y == 0 => {
                if self.dead == 0 {
                    return self.fail(span, "division by zero in #if expression");
                }
                0
            }
            Punct::Slash if unsigned => x / y,
            Punct::Slash => sx.wrapping_div(sy) as u64,
            Punct::Percent if unsigned => x % y,
            Punct::Percent => sx.wrapping_rem(sy) as u64,
            Punct::Star => x.wrapping_mul(y),
            Punct::Plus => x.wrapping_add(y),
            Punct::Minus => x.wrapping_sub(y),
            Punct::Amp => x & y,
            Punct::Caret => x ^ y,
            Punct::Pipe => x | y,
            Punct::Shl | Punct::Shr => {
                let bits = match (op, a.unsigned) {
                    _ if y > 63 => 0,
                    (Punct::Shl, _) => x << y,
                    (_, true) => x >> y,
                    (_, false) => (sx >> y) as u64,
                };
                return Ok(Value { bits, unsigned: a.unsigned });
            }
            _ => 0,
        };
        Ok(Value { bits, unsigned })
    }

    fn unary(&mut self) -> Result<Value> {
        let Some(token) = self.peek() else { return self.fail(self.end, "expected a value in #if expression") };
        self.at += 1;
        match token.kind {
            RawKind::Punct(op @ (Punct::Plus | Punct::Minus | Punct::Tilde | Punct::Bang)) => {
                self.enter()?;
                let value = self.unary()?;
                self.depth -= 1;
                Ok(match op {
                    Punct::Minus => Value { bits: value.bits.wrapping_neg(), ..value },
                    Punct::Tilde => Value { bits: !value.bits, ..value },
                    Punct::Bang => Value::of(!value.is_true()),
                    _ => value,
                })
            }
            RawKind::Punct(Punct::LParen) => {
                self.enter()?;
                let value = self.comma()?;
                self.depth -= 1;
                if !self.eat(Punct::RParen) {
                    let span = self.peek().map_or(self.end, |t| t.span);
                    return self.fail(span, "expected ')' in #if expression");
                }
                Ok(value)
            }
            RawKind::Number => match number::parse(self.session.interner.text(token.symbol())) {
                Ok(Number::Int(bits, flags)) => {
                    let unsigned = flags.contains(IntFlags::UNSIGNED) || bits > i64::MAX as u64;
                    Ok(Value { bits, unsigned })
                }
                Ok(Number::Float(..)) => self.fail(token.span, "floating-point constant in #if expression"),
                Err(message) => self.fail(token.span, &message),
            },
            RawKind::Char => {
                let mut remarks = Vec::new();
                let value = string::character(self.session.interner.text(token.symbol()), &mut remarks);
                super::report(&mut self.session.diags, token.span, remarks);
                Ok(Value { bits: i64::from(value) as u64, unsigned: false })
            }
            RawKind::Ident => {
                if self.peek().is_some_and(|t| t.is_punct(Punct::LParen)) && self.dead == 0 {
                    let text = self.session.interner.text(token.symbol());
                    let message = format!("function-like macro '{text}' is not defined");
                    return self.fail(token.span, &message);
                }
                Ok(Value::of(token.is_ident(kw::TRUE)))
            }
            RawKind::Unterminated => self.fail(token.span, "missing terminating quote"),
            _ => self.fail(token.span, "invalid token in #if expression"),
        }
    }

    fn enter(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let span = self.peek().map_or(self.end, |t| t.span);
            return self.fail(span, "#if expression is nested too deeply");
        }
        Ok(())
    }
}

/// Higher binds tighter.
fn precedence(op: Punct) -> Option<u8> {
    Some(match op {
        Punct::PipePipe => 0,
        Punct::AmpAmp => 1,
        Punct::Pipe => 2,
        Punct::Caret => 3,
        Punct::Amp => 4,
        Punct::EqEq | Punct::Ne => 5,
        Punct::Lt | Punct::Gt | Punct::Le | Punct::Ge => 6,
        Punct::Shl | Punct::Shr => 7,
        Punct::Plus | Punct::Minus => 8,
        Punct::Star | Punct::Slash | Punct::Percent => 9,
        _ => return None,
    })
}

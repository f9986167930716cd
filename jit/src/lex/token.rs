//! The tokens that the parser reads: identifiers (keywords are identifiers with known symbols, see `intern::kw`),
//! literals with their values, punctuation, pragmas. No text here but interned one.

use crate::intern::{StrRef, Symbol};
use crate::source::Span;

/// A token after preprocessing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it is written; inside a macro's expansion if it comes from one.
    pub span: Span,
    /// What stands in front of it.
    pub flags: TokenFlags,
}

bitflags::bitflags! {
    /// What stands in front of a token.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
    pub struct TokenFlags: u8 {
        /// It is the first of its line.
        const BOL = 1;
        /// There is white space in front of it.
        const SPACE = 2;
    }
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TokenKind {
    /// A name or keyword.
    Ident(Symbol),
    /// An integer constant.
    Int(IntToken),
    /// A floating-point constant.
    Float(FloatToken),
    /// A character constant's value as an `int`.
    Char(i32),
    /// String literals, adjacent ones joined; the bytes are in `Session::strings`.
    Str(StrRef),
    /// Punctuation.
    Punct(Punct),
    /// A pragma that the compiler proper must know of.
    Pragma(PragmaKind),
    /// Something malformed; reported already.
    Error,
    /// The end; comes again and again.
    Eof,
}

/// An integer constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntToken {
    /// Its value.
    pub value: u64,
    /// Suffix and base.
    pub flags: IntFlags,
}

bitflags::bitflags! {
    /// Suffix and base of an integer constant.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
    pub struct IntFlags: u8 {
        /// A `u` suffix.
        const UNSIGNED = 1;
        /// An `l` or `ll` suffix: both are 64-bit types.
        const LONG = 2;
        /// Written in decimal: without suffix it never becomes unsigned. Spec: C99, "Integer constants".
        const DECIMAL = 4;
    }
}

/// A floating-point constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FloatToken {
    /// Rounded to nearest even in double.
    pub value: f64,
    /// The constant as written, without suffix: `lex::float::convert` rounds it once to any format in any mode. `inf`
    /// and `nan` for the values of INFINITY and NAN.
    pub text: Symbol,
    /// What stands behind the digits.
    pub suffix: FloatSuffix,
}

/// Suffix of a floating-point constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatSuffix {
    /// None: double, or float where the program or the device has no double.
    None,
    /// `f`, `F`.
    Float,
    /// `h`, `H`.
    Half,
    /// `l`, `L`: double.
    Long,
}

/// A pragma that the compiler proper must know of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PragmaKind {
    /// `OPENCL FP_CONTRACT` or `STDC FP_CONTRACT`: holds to the end of the compound statement or file.
    FpContract(PragmaSwitch),
    /// `OPENCL SELECT_ROUNDING_MODE`, its extension being enabled: holds up to the next one or to the end of the
    /// compound statement that it stands in; at file scope across functions.
    Rounding(PragmaRounding),
    /// `OPENCL EXTENSION name : behaviour`; `all` is a name too.
    Extension(Symbol, PragmaExtension),
    /// `unroll`, with a count if one is given: for the next loop.
    Unroll(Option<u32>),
    /// `nounroll`.
    NoUnroll,
}

/// Argument of `FP_CONTRACT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the words themselves")]
pub enum PragmaSwitch {
    On,
    Off,
    Default,
}

/// Argument of `SELECT_ROUNDING_MODE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[allow(missing_docs, reason = "the words themselves")]
pub enum PragmaRounding {
    #[default]
    Rte,
    Rtz,
    Rtp,
    Rtn,
}

/// Behaviour in `#pragma OPENCL EXTENSION`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the words themselves")]
pub enum PragmaExtension {
    Enable,
    Disable,
}

impl Token {
    /// Whether it is the name `symbol`.
    pub fn is_ident(self, symbol: Symbol) -> bool {
        self.kind == TokenKind::Ident(symbol)
    }

    /// Whether it is the punctuation `punct`.
    pub fn is_punct(self, punct: Punct) -> bool {
        self.kind == TokenKind::Punct(punct)
    }
}

macro_rules! puncts {
    ($($name:ident $text:literal,)+) => {
        /// Punctuation. Digraphs (`<:` and the like) are the same as what they stand for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "`text` says which each is")]
        #[repr(u8)]
        pub enum Punct { $($name),+ }

        impl Punct {
            /// All of them, by number.
            pub const ALL: &[Punct] = &[$(Punct::$name),+];

            /// As written.
            pub const fn text(self) -> &'static str {
                const TEXTS: &[&str] = &[$($text),+];
                TEXTS[self as usize]
            }
        }
    };
}

puncts! {
    LParen "(", RParen ")", LBracket "[", RBracket "]", LBrace "{", RBrace "}",
    Comma ",", Semi ";", Colon ":", Question "?", Dot ".", Arrow "->", Ellipsis "...",
    Plus "+", PlusPlus "++", PlusEq "+=", Minus "-", MinusMinus "--", MinusEq "-=",
    Star "*", StarEq "*=", Slash "/", SlashEq "/=", Percent "%", PercentEq "%=",
    Amp "&", AmpAmp "&&", AmpEq "&=", Pipe "|", PipePipe "||", PipeEq "|=", Caret "^", CaretEq "^=",
    Tilde "~", Bang "!", Ne "!=", Eq "=", EqEq "==",
    Lt "<", Le "<=", Shl "<<", ShlEq "<<=", Gt ">", Ge ">=", Shr ">>", ShrEq ">>=",
    Hash "#", HashHash "##",
}

impl std::fmt::Display for Punct {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.text())
    }
}

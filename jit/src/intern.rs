//! Interned names: equal texts have equal `Symbol`s, so that later stages compare and hash small numbers.
//! The bytes of string literals are here as well (`Strings`).
//! The words that the compiler itself knows (`kw`) have fixed numbers; an interner starts as a copy of their table.

use std::sync::LazyLock;

/// A name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub u32);

/// The names of one compilation.
#[derive(Clone, Debug)]
pub struct Interner {
    /// All texts, one behind the other.
    texts: String,
    /// Where each text ends; it starts where the one before ends.
    ends: Vec<u32>,
    /// Open addressing, a power of two; `Slot::EMPTY` is free. Kept at most half full.
    slots: Vec<Slot>,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    hash: u32,
    symbol: u32,
}

impl Slot {
    const EMPTY: Slot = Slot { hash: 0, symbol: u32::MAX };
}

static BASE: LazyLock<Interner> = LazyLock::new(|| {
    let mut base = Interner { texts: String::new(), ends: Vec::new(), slots: vec![Slot::EMPTY; 2048] };
    for text in kw::TEXTS {
        base.intern(text);
    }
    base
});

impl Default for Interner {
    fn default() -> Self {
        Self::new()
    }
}

impl Interner {
    /// Only the words of `kw`.
    pub fn new() -> Self {
        BASE.clone()
    }

    /// The symbol of `text`.
    pub fn intern(&mut self, text: &str) -> Symbol {
        self.intern_hashed(text, hash(text.as_bytes()))
    }

    /// `intern` for a caller that has computed `hash(text)` while it scanned the text.
    pub(crate) fn intern_hashed(&mut self, text: &str, hash: u32) -> Symbol {
        let at = match self.find(text, hash) {
            Ok(symbol) => return symbol,
            Err(at) => at,
        };
        let symbol = Symbol(self.ends.len() as u32);
        self.texts.push_str(text);
        self.ends.push(self.texts.len() as u32);
        self.slots[at] = Slot { hash, symbol: symbol.0 };
        if self.ends.len() * 2 > self.slots.len() {
            self.grow();
        }
        symbol
    }

    /// The symbol of `text` if it was interned before.
    pub fn get(&self, text: &str) -> Option<Symbol> {
        self.find(text, hash(text.as_bytes())).ok()
    }

    /// The text of a symbol of this interner.
    pub fn text(&self, symbol: Symbol) -> &str {
        let i = symbol.0 as usize;
        let start = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        &self.texts[start..self.ends[i] as usize]
    }

    /// How many names there are; their numbers are `0..len`.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Never: the words of `kw` are always there.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The symbol, or the slot where it belongs.
    fn find(&self, text: &str, hash: u32) -> Result<Symbol, usize> {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot.symbol == u32::MAX {
                return Err(at);
            }
            if slot.hash == hash && self.text(Symbol(slot.symbol)) == text {
                return Ok(Symbol(slot.symbol));
            }
            at = (at + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let mut slots = vec![Slot::EMPTY; self.slots.len() * 4];
        let mask = slots.len() - 1;
        for &slot in self.slots.iter().filter(|s| s.symbol != u32::MAX) {
            let mut at = slot.hash as usize & mask;
            while slots[at].symbol != u32::MAX {
                at = (at + 1) & mask;
            }
            slots[at] = slot;
        }
        self.slots = slots;
    }
}

/// Hash of a name: eight bytes at a time, well mixed at the end so that the low bits can index a table.
pub(crate) fn hash(bytes: &[u8]) -> u32 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut h = bytes.len() as u64;
    let (chunks, rest) = bytes.as_chunks::<8>();
    for chunk in chunks {
        h = (h.rotate_left(23) ^ u64::from_le_bytes(*chunk)).wrapping_mul(K);
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    h = (h.rotate_left(23) ^ u64::from_le_bytes(last)).wrapping_mul(K);
    (h ^ (h >> 32)) as u32
}

/// A string literal's bytes in `Strings`, without the final NUL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StrRef {
    start: u32,
    len: u32,
}

/// The bytes of all string literals of a compilation.
#[derive(Clone, Debug, Default)]
pub struct Strings {
    bytes: Vec<u8>,
}

impl Strings {
    /// The bytes of a literal, without the final NUL.
    pub fn bytes(&self, literal: StrRef) -> &[u8] {
        &self.bytes[literal.start as usize..][..literal.len as usize]
    }

    /// Stores a literal's bytes.
    pub fn add(&mut self, bytes: &[u8]) -> StrRef {
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(bytes);
        StrRef { start, len: bytes.len() as u32 }
    }
}

macro_rules! words {
    ($($name:ident $text:literal,)+) => {
        /// Words with fixed symbols.
        #[allow(missing_docs, reason = "each is the word that it names")]
        pub mod kw {
            use super::Symbol;

            #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "counts the words, never seen")]
            #[repr(u32)]
            enum Number { $($name),+ }

            $(pub const $name: Symbol = Symbol(Number::$name as u32);)+
            pub(super) const TEXTS: &[&str] = &[$($text),+];
            /// How many words there are; their symbols are `0..COUNT`.
            pub const COUNT: u32 = TEXTS.len() as u32;
        }
    };
}

words! {
    // The empty name is symbol 0.
    EMPTY "",
    // C99 keywords.
    AUTO "auto", BREAK "break", CASE "case", CHAR "char", CONST "const", CONTINUE "continue", DEFAULT "default",
    DO "do", DOUBLE "double", ELSE "else", ENUM "enum", EXTERN "extern", FLOAT "float", FOR "for", GOTO "goto",
    IF "if", INLINE "inline", INT "int", LONG "long", REGISTER "register", RESTRICT "restrict", RETURN "return",
    SHORT "short", SIGNED "signed", SIZEOF "sizeof", STATIC "static", STRUCT "struct", SWITCH "switch",
    TYPEDEF "typedef", UNION "union", UNSIGNED "unsigned", VOID "void", VOLATILE "volatile", WHILE "while",
    C_BOOL "_Bool", C_COMPLEX "_Complex", C_IMAGINARY "_Imaginary", C_STATIC_ASSERT "_Static_assert",
    C_ALIGNOF "_Alignof", C_PRAGMA "_Pragma",
    // OpenCL C keywords and type names.
    BOOL "bool", HALF "half", UCHAR "uchar", USHORT "ushort", UINT "uint", ULONG "ulong", SIZE_T "size_t",
    PTRDIFF_T "ptrdiff_t", INTPTR_T "intptr_t", UINTPTR_T "uintptr_t", TRUE "true", FALSE "false",
    KERNEL "kernel", KERNEL_U "__kernel", GLOBAL "global", GLOBAL_U "__global", LOCAL "local", LOCAL_U "__local",
    CONSTANT "constant", CONSTANT_U "__constant", PRIVATE "private", PRIVATE_U "__private", GENERIC "generic",
    GENERIC_U "__generic", READ_ONLY "read_only", READ_ONLY_U "__read_only", WRITE_ONLY "write_only",
    WRITE_ONLY_U "__write_only", READ_WRITE "read_write", READ_WRITE_U "__read_write", PIPE "pipe",
    VEC_STEP "vec_step", EVENT_T "event_t", SAMPLER_T "sampler_t",
    IMAGE1D_T "image1d_t", IMAGE1D_ARRAY_T "image1d_array_t", IMAGE1D_BUFFER_T "image1d_buffer_t",
    IMAGE2D_T "image2d_t", IMAGE2D_ARRAY_T "image2d_array_t", IMAGE2D_DEPTH_T "image2d_depth_t",
    IMAGE2D_ARRAY_DEPTH_T "image2d_array_depth_t", IMAGE3D_T "image3d_t",
    // GNU spellings.
    ATTRIBUTE "__attribute__", ATTRIBUTE_U "__attribute", TYPEOF "typeof", TYPEOF_U "__typeof",
    TYPEOF_UU "__typeof__", ASM "asm", ASM_U "__asm", ASM_UU "__asm__", INLINE_U "__inline", INLINE_UU "__inline__",
    CONST_U "__const", CONST_UU "__const__", VOLATILE_U "__volatile", VOLATILE_UU "__volatile__",
    RESTRICT_U "__restrict", RESTRICT_UU "__restrict__", SIGNED_U "__signed", SIGNED_UU "__signed__",
    ALIGNOF_U "__alignof", ALIGNOF_UU "__alignof__", EXTENSION "__extension__",
    BUILTIN_ASTYPE "__builtin_astype", BUILTIN_OFFSETOF "__builtin_offsetof",
    // Directives.
    DEFINE "define", UNDEF "undef", IFDEF "ifdef", IFNDEF "ifndef", ELIF "elif", ENDIF "endif", INCLUDE "include",
    LINE "line", ERROR "error", WARNING "warning", PRAGMA "pragma", DEFINED "defined", VA_ARGS "__VA_ARGS__",
    ELIFDEF "elifdef", ELIFNDEF "elifndef", HAS_INCLUDE "__has_include", ONCE "once",
    // Pragmas.
    OPENCL "OPENCL", STDC "STDC", P_EXTENSION "EXTENSION", FP_CONTRACT "FP_CONTRACT",
    SELECT_ROUNDING_MODE "SELECT_ROUNDING_MODE", ON "ON", OFF "OFF", P_DEFAULT "DEFAULT", ENABLE "enable",
    DISABLE "disable", REQUIRE "require", BEGIN "begin", END "end", ALL "all", UNROLL "unroll", NOUNROLL "nounroll",
    CLANG "clang", GCC "GCC", RTE "rte", RTZ "rtz", RTP "rtp", RTN "rtn",
    FENV_ACCESS "FENV_ACCESS", CX_LIMITED_RANGE "CX_LIMITED_RANGE",
    // What INFINITY and its kin stand for; the preprocessor makes floating-point tokens of them.
    CLIFT_INFF "__clift_inff", CLIFT_NANF "__clift_nanf", CLIFT_INF "__clift_inf", INF_TEXT "inf", NAN_TEXT "nan",
}

#[cfg(test)]
mod tests {
    use super::{Interner, Symbol, kw};

    #[test]
    fn words_have_their_fixed_numbers() {
        let mut names = Interner::new();
        assert_eq!(names.intern("if"), kw::IF);
        assert_eq!(names.intern("__global"), kw::GLOBAL_U);
        assert_eq!(names.get(""), Some(kw::EMPTY));
        for number in 0..names.len() as u32 {
            let text = names.text(Symbol(number)).to_owned();
            assert_eq!(names.get(&text), Some(Symbol(number)), "{text} stands twice");
        }
    }

    #[test]
    fn equal_texts_are_equal_symbols() {
        let mut names = Interner::new();
        let all: Vec<Symbol> = (0..20_000).map(|i| names.intern(&format!("name{i}"))).collect();
        for (i, &symbol) in all.iter().enumerate() {
            assert_eq!(names.text(symbol), format!("name{i}"));
            assert_eq!(names.intern(&format!("name{i}")), symbol);
        }
        assert_eq!(names.get("never"), None);
    }
}

//! What a name means to the grammar before any declaration: keyword, builtin type, or nothing special.

use crate::ast::QualFlags;
use crate::ast::{Access, Builtin, Storage};
use crate::launch::AddrSpace;

/// Keywords; the spellings with underscores are the same keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kw {
    Void,
    Char,
    Short,
    Int,
    Long,
    Float,
    Double,
    Half,
    Bool,
    Signed,
    Unsigned,
    Struct,
    Union,
    Enum,
    Typeof,
    Pipe,
    Flag(QualFlags),
    Space(AddrSpace),
    Access(Access),
    Storage(Storage),
    Inline,
    Kernel,
    If,
    Else,
    For,
    While,
    Do,
    Switch,
    Case,
    Default,
    Goto,
    Break,
    Continue,
    Return,
    Sizeof,
    Alignof,
    VecStep,
    OffsetOf,
    AsType,
    True,
    False,
    Attribute,
    StaticAssert,
    Asm,
    Extension,
}

/// What a name means at a place in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Not declared: perhaps a builtin function, perhaps an error.
    Unknown,
    /// A keyword; never changes.
    Keyword(Kw),
    /// A builtin type, unless the program declares something else of that name.
    Builtin(Builtin),
    /// A typedef name of the program.
    Typedef {
        /// It names a vector type: a literal of it takes suffixes.
        is_vector: bool,
    },
    /// A variable, function, parameter or enumerator.
    Ordinary,
}

impl Kw {
    /// Whether a declaration (or a type name) can begin with this keyword.
    pub(super) fn starts_decl(self) -> bool {
        use Kw::*;
        match self {
            Void | Char | Short | Int | Long | Float | Double | Half | Bool | Signed | Unsigned | Struct | Union
            | Enum | Typeof | Pipe | Flag(_) | Space(_) | Access(_) | Storage(_) | Inline | Kernel => true,
            If | Else | For | While | Do | Switch | Case | Default | Goto | Break | Continue | Return | Sizeof
            | Alignof | VecStep | OffsetOf | AsType | True | False | Attribute | StaticAssert | Asm | Extension => {
                false
            }
        }
    }

    /// Whether a type name in parentheses can begin with this keyword.
    pub(super) fn starts_type(self) -> bool {
        self.starts_decl() && !matches!(self, Kw::Storage(_) | Kw::Inline | Kw::Kernel)
    }

    /// Whether a statement begins with this keyword and nothing else can.
    pub(super) fn starts_stmt(self) -> bool {
        use Kw::*;
        matches!(self, If | Else | For | While | Do | Switch | Case | Default | Goto | Break | Continue | Return)
    }
}

/// The meaning of `text` where the program declares nothing of that name. `version` is that of OpenCL C times 100.
pub(super) fn classify(text: &str, version: u32) -> Meaning {
    let kw = match text {
        "void" => Kw::Void,
        "char" => Kw::Char,
        "short" => Kw::Short,
        "int" => Kw::Int,
        "long" => Kw::Long,
        "float" => Kw::Float,
        "double" => Kw::Double,
        "half" => Kw::Half,
        "bool" | "_Bool" => Kw::Bool,
        "signed" | "__signed" | "__signed__" => Kw::Signed,
        "unsigned" => Kw::Unsigned,
        "struct" => Kw::Struct,
        "union" => Kw::Union,
        "enum" => Kw::Enum,
        "typeof" | "__typeof" | "__typeof__" => Kw::Typeof,
        "pipe" if version >= 200 => Kw::Pipe,
        "const" | "__const" | "__const__" => Kw::Flag(QualFlags::CONST),
        "volatile" | "__volatile" | "__volatile__" => Kw::Flag(QualFlags::VOLATILE),
        "restrict" | "__restrict" | "__restrict__" => Kw::Flag(QualFlags::RESTRICT),
        "private" | "__private" => Kw::Space(AddrSpace::Private),
        "local" | "__local" => Kw::Space(AddrSpace::Local),
        "global" | "__global" => Kw::Space(AddrSpace::Global),
        "constant" | "__constant" => Kw::Space(AddrSpace::Constant),
        "generic" if version >= 200 => Kw::Space(AddrSpace::Generic),
        "__generic" => Kw::Space(AddrSpace::Generic),
        "read_only" | "__read_only" => Kw::Access(Access::ReadOnly),
        "write_only" | "__write_only" => Kw::Access(Access::WriteOnly),
        "read_write" | "__read_write" => Kw::Access(Access::ReadWrite),
        "typedef" => Kw::Storage(Storage::Typedef),
        "extern" => Kw::Storage(Storage::Extern),
        "static" => Kw::Storage(Storage::Static),
        "auto" => Kw::Storage(Storage::Auto),
        "register" => Kw::Storage(Storage::Register),
        "inline" | "__inline" | "__inline__" => Kw::Inline,
        "kernel" | "__kernel" => Kw::Kernel,
        "if" => Kw::If,
        "else" => Kw::Else,
        "for" => Kw::For,
        "while" => Kw::While,
        "do" => Kw::Do,
        "switch" => Kw::Switch,
        "case" => Kw::Case,
        "default" => Kw::Default,
        "goto" => Kw::Goto,
        "break" => Kw::Break,
        "continue" => Kw::Continue,
        "return" => Kw::Return,
        "sizeof" => Kw::Sizeof,
        "_Alignof" | "__alignof" | "__alignof__" => Kw::Alignof,
        "vec_step" => Kw::VecStep,
        "__builtin_offsetof" => Kw::OffsetOf,
        "__builtin_astype" => Kw::AsType,
        "true" => Kw::True,
        "false" => Kw::False,
        "__attribute__" | "__attribute" => Kw::Attribute,
        "_Static_assert" => Kw::StaticAssert,
        "asm" | "__asm" | "__asm__" => Kw::Asm,
        "__extension__" => Kw::Extension,
        _ => return Builtin::by_name(text).map_or(Meaning::Unknown, Meaning::Builtin),
    };
    Meaning::Keyword(kw)
}

/// Keywords worth suggesting for a misspelt one at the start of a declaration.
pub(super) const DECL_KEYWORDS: &[&str] = &[
    "void",
    "char",
    "short",
    "int",
    "long",
    "float",
    "double",
    "half",
    "bool",
    "signed",
    "unsigned",
    "struct",
    "union",
    "enum",
    "const",
    "volatile",
    "restrict",
    "private",
    "local",
    "global",
    "constant",
    "__private",
    "__local",
    "__global",
    "__constant",
    "read_only",
    "write_only",
    "read_write",
    "typedef",
    "extern",
    "static",
    "inline",
    "kernel",
    "__kernel",
];

/// Whether `text` is one of the words that stand for a type by themselves (so that a suggestion can replace a type
/// name).
pub(super) fn is_type_word(text: &str) -> bool {
    matches!(
        text,
        "void" | "char" | "short" | "int" | "long" | "float" | "double" | "half" | "bool" | "signed" | "unsigned"
    )
}

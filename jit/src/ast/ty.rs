//! Types as written. A declarator such as `__global const float *restrict p[4]` becomes a chain: array of 4 →
//! `restrict` pointer → `__global const` `float`, already turned inside out. No sizes, no identity of types here.

use super::{Attr, DeclId, EnumId, ExprId, List, RecordId, TypeId};
use crate::intern::Symbol;
use crate::launch::AddrSpace;
use crate::source::Span;

/// One link of a type as written. Declarators of one declaration share the node of its specifiers, so a side table by
/// `TypeId` resolves `struct S { … } a, *b;` once.
#[derive(Clone, Copy, Debug)]
pub struct Type {
    /// What it is.
    pub kind: TypeKind,
    /// Qualifiers of this link: those of `const int *volatile p` are `volatile` on the pointer, `const` on the `int`.
    pub quals: Quals,
    /// Attributes of a pointer or block link (`int *__attribute__((x)) p`). All others stand in `Decl::attrs`, or
    /// `Record::attrs` and `EnumSpec::attrs`.
    pub attrs: List<Attr>,
    /// The specifiers, or the `*`, `[…]`, `(…)` of the declarator.
    pub span: Span,
}

/// What a link of a type is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeKind {
    /// Broken or unknown; the error is reported already.
    Error,
    /// A type that the language names.
    Builtin(Builtin),
    /// A typedef name that the program declares.
    Named(Symbol),
    /// `struct` or `union`, with or without members.
    Record(RecordId),
    /// `enum`, with or without enumerators.
    Enum(EnumId),
    /// `pointee *`.
    Pointer(TypeId),
    /// `function ^`.
    Block(TypeId),
    /// `elem [len]`. Qualifiers inside `[]` of a parameter stand in `quals` of this link.
    Array {
        /// Element type.
        elem: TypeId,
        /// Between the brackets.
        len: ArrayLen,
    },
    /// `ret (params)`.
    Function {
        /// Result type.
        ret: TypeId,
        /// Parameters, empty for `(void)` and `()`.
        params: List<DeclId>,
        /// How the list ends.
        form: ParamsForm,
    },
    /// `pipe packet`.
    Pipe(TypeId),
    /// `typeof(expr)`.
    TypeofExpr(ExprId),
    /// `typeof(type)`.
    TypeofType(TypeId),
}

/// Between the brackets of an array declarator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrayLen {
    /// `[]`.
    Unknown,
    /// `[*]`.
    Star,
    /// `[expr]`.
    Expr(ExprId),
    /// `[static expr]`.
    Static(ExprId),
}

/// How a parameter list ends, and whether it says anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamsForm {
    /// `(void)` or named parameters.
    Prototype,
    /// `()`: OpenCL C reads it as `(void)`.
    Empty,
    /// `(…, ...)`.
    Variadic,
}

bitflags::bitflags! {
    /// Qualifiers that are either there or not.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
    pub struct QualFlags: u8 {
        /// `const`.
        const CONST = 1;
        /// `volatile`.
        const VOLATILE = 2;
        /// `restrict`, `__restrict`.
        const RESTRICT = 4;
    }
}

/// Qualifiers of one link of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Quals {
    /// `const`, `volatile`, `restrict`.
    pub flags: QualFlags,
    /// Address space if written.
    pub addr: Option<AddrSpace>,
    /// Access qualifier if written (images and pipes).
    pub access: Option<Access>,
}

impl Quals {
    /// Nothing written.
    pub const NONE: Self = Self { flags: QualFlags::empty(), addr: None, access: None };

    /// Whether nothing is written.
    pub fn is_none(self) -> bool {
        self == Self::NONE
    }
}

/// Access qualifier of an image or a pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// `read_only`.
    ReadOnly,
    /// `write_only`.
    WriteOnly,
    /// `read_write`.
    ReadWrite,
}

/// A type that OpenCL C names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    /// `void`.
    Void,
    /// A scalar type in any spelling (`long unsigned int` and `ulong` are the same).
    Scalar(Scalar),
    /// `charN` … `doubleN`; N is 2, 3, 4, 8 or 16.
    Vector(Scalar, u8),
    /// `image2d_t` and its kin.
    Image(ImageName),
    /// `atomic_int` and its kin.
    Atomic(AtomicName),
    /// `sampler_t` and other types without visible structure.
    Opaque(OpaqueName),
}

/// Scalar types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the OpenCL C type of that name")]
pub enum Scalar {
    Bool,
    Char,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    /// Also `long long`.
    Long,
    ULong,
    Half,
    Float,
    Double,
    SizeT,
    PtrdiffT,
    IntptrT,
    UintptrT,
}

/// An image type's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ImageName {
    /// Shape.
    pub dim: ImageDim,
    /// `…_depth_t`.
    pub is_depth: bool,
    /// `…_msaa_…`.
    pub is_msaa: bool,
}

/// Shape of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the image type of that name")]
pub enum ImageDim {
    D1,
    D1Array,
    D1Buffer,
    D2,
    D2Array,
    D3,
}

/// The type inside an `atomic_…` type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the OpenCL C type of that name")]
pub enum AtomicName {
    Int,
    UInt,
    Long,
    ULong,
    Half,
    Float,
    Double,
    Flag,
    SizeT,
    PtrdiffT,
    IntptrT,
    UintptrT,
}

/// Types without visible structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the OpenCL C type of that name")]
pub enum OpaqueName {
    Sampler,
    Event,
    Queue,
    ClkEvent,
    NdRange,
    ReserveId,
    MemFenceFlags,
    MemoryOrder,
    MemoryScope,
    KernelEnqueueFlags,
    ClkProfilingInfo,
}

impl Builtin {
    /// Looks up a builtin type name that is one identifier: `uint`, `float4`, `size_t`, `image2d_t`, `sampler_t`, ….
    /// Names of C keywords that combine (`unsigned`, `long`, …) are the parser's business, but `int`, `float` and the
    /// like are found too. Names that came with OpenCL C 2.0 are found in every version: a program may redeclare them.
    pub fn by_name(name: &str) -> Option<Self> {
        let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let scalar = Scalar::by_name(base);
        if base.len() != name.len() {
            let n = match &name[base.len()..] {
                "2" => 2,
                "3" => 3,
                "4" => 4,
                "8" => 8,
                "16" => 16,
                _ => return None,
            };
            return match scalar? {
                Scalar::Bool | Scalar::SizeT | Scalar::PtrdiffT | Scalar::IntptrT | Scalar::UintptrT => None,
                elem => Some(Self::Vector(elem, n)),
            };
        }
        if let Some(scalar) = scalar {
            return Some(Self::Scalar(scalar));
        }
        if let Some((_, opaque)) = OPAQUE.iter().find(|row| row.0 == name) {
            return Some(Self::Opaque(*opaque));
        }
        if let Some((_, atomic)) = ATOMIC.iter().find(|row| row.0 == name) {
            return Some(Self::Atomic(*atomic));
        }
        if let Some(row) = IMAGE.iter().find(|row| row.0 == name) {
            return Some(Self::Image(ImageName { dim: row.1, is_depth: row.2, is_msaa: row.3 }));
        }
        (name == "void").then_some(Self::Void)
    }
}

impl Scalar {
    /// The canonical OpenCL C name, e.g. `ulong`.
    pub fn name(self) -> &'static str {
        SCALAR.iter().find(|row| row.1 == self).map_or("", |row| row.0)
    }

    /// The inverse of `name`.
    pub fn by_name(name: &str) -> Option<Self> {
        SCALAR.iter().find(|row| row.0 == name).map(|row| row.1)
    }
}

impl std::fmt::Display for Builtin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Self::Void => f.write_str("void"),
            Self::Scalar(s) => f.write_str(s.name()),
            Self::Vector(s, n) => write!(f, "{}{n}", s.name()),
            Self::Image(i) => f.write_str(
                IMAGE
                    .iter()
                    .find(|row| (row.1, row.2, row.3) == (i.dim, i.is_depth, i.is_msaa))
                    .map_or("image", |row| row.0),
            ),
            Self::Atomic(a) => f.write_str(ATOMIC.iter().find(|row| row.1 == a).map_or("atomic", |row| row.0)),
            Self::Opaque(o) => f.write_str(OPAQUE.iter().find(|row| row.1 == o).map_or("opaque", |row| row.0)),
        }
    }
}

const SCALAR: &[(&str, Scalar)] = &[
    ("bool", Scalar::Bool),
    ("char", Scalar::Char),
    ("uchar", Scalar::UChar),
    ("short", Scalar::Short),
    ("ushort", Scalar::UShort),
    ("int", Scalar::Int),
    ("uint", Scalar::UInt),
    ("long", Scalar::Long),
    ("ulong", Scalar::ULong),
    ("half", Scalar::Half),
    ("float", Scalar::Float),
    ("double", Scalar::Double),
    ("size_t", Scalar::SizeT),
    ("ptrdiff_t", Scalar::PtrdiffT),
    ("intptr_t", Scalar::IntptrT),
    ("uintptr_t", Scalar::UintptrT),
];

const OPAQUE: &[(&str, OpaqueName)] = &[
    ("sampler_t", OpaqueName::Sampler),
    ("event_t", OpaqueName::Event),
    ("queue_t", OpaqueName::Queue),
    ("clk_event_t", OpaqueName::ClkEvent),
    ("ndrange_t", OpaqueName::NdRange),
    ("reserve_id_t", OpaqueName::ReserveId),
    ("cl_mem_fence_flags", OpaqueName::MemFenceFlags),
    ("memory_order", OpaqueName::MemoryOrder),
    ("memory_scope", OpaqueName::MemoryScope),
    ("kernel_enqueue_flags_t", OpaqueName::KernelEnqueueFlags),
    ("clk_profiling_info", OpaqueName::ClkProfilingInfo),
];

const ATOMIC: &[(&str, AtomicName)] = &[
    ("atomic_int", AtomicName::Int),
    ("atomic_uint", AtomicName::UInt),
    ("atomic_long", AtomicName::Long),
    ("atomic_ulong", AtomicName::ULong),
    ("atomic_half", AtomicName::Half),
    ("atomic_float", AtomicName::Float),
    ("atomic_double", AtomicName::Double),
    ("atomic_flag", AtomicName::Flag),
    ("atomic_size_t", AtomicName::SizeT),
    ("atomic_ptrdiff_t", AtomicName::PtrdiffT),
    ("atomic_intptr_t", AtomicName::IntptrT),
    ("atomic_uintptr_t", AtomicName::UintptrT),
];

/// Name, shape, depth, multi-sample.
const IMAGE: &[(&str, ImageDim, bool, bool)] = &[
    ("image1d_t", ImageDim::D1, false, false),
    ("image1d_array_t", ImageDim::D1Array, false, false),
    ("image1d_buffer_t", ImageDim::D1Buffer, false, false),
    ("image2d_t", ImageDim::D2, false, false),
    ("image2d_array_t", ImageDim::D2Array, false, false),
    ("image2d_depth_t", ImageDim::D2, true, false),
    ("image2d_array_depth_t", ImageDim::D2Array, true, false),
    ("image2d_msaa_t", ImageDim::D2, false, true),
    ("image2d_array_msaa_t", ImageDim::D2Array, false, true),
    ("image2d_msaa_depth_t", ImageDim::D2, true, true),
    ("image2d_array_msaa_depth_t", ImageDim::D2Array, true, true),
    ("image3d_t", ImageDim::D3, false, false),
];

/// Every one-word builtin type name, for spelling suggestions.
pub fn builtin_names() -> impl Iterator<Item = &'static str> {
    let scalars = SCALAR.iter().map(|row| row.0);
    scalars
        .chain(OPAQUE.iter().map(|row| row.0))
        .chain(ATOMIC.iter().map(|row| row.0))
        .chain(IMAGE.iter().map(|row| row.0))
}

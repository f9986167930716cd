//! The vocabulary of builtin signatures: element types, width sets, parameter patterns, bodies, requirements, and
//! `Row`, which joins them. One row stands for one overload per (element type × width) in its lists. Knows nothing of
//! the AST or of sema's types: sema turns `Concrete` into its own types and `Body` into `hir::Builtin`.
//! Start reading at `Row`.

use super::special::Special;
use crate::image::{ImageAccess, ImageShape};
use crate::ir::op::Op;
use crate::options::Precision;
use bitflags::bitflags;

/// Scalar types that a generic type can range over. `size_t` is `ULong`, `ptrdiff_t` and `intptr_t` are `Long`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Elem {
    /// `char`
    Char,
    /// `uchar`
    UChar,
    /// `short`
    Short,
    /// `ushort`
    UShort,
    /// `int`
    Int,
    /// `uint`
    UInt,
    /// `long`
    Long,
    /// `ulong`
    ULong,
    /// `half`
    Half,
    /// `float`
    Float,
    /// `double`
    Double,
}

impl Elem {
    /// Every element type, in order.
    pub const ALL: [Elem; 11] = [
        Elem::Char,
        Elem::UChar,
        Elem::Short,
        Elem::UShort,
        Elem::Int,
        Elem::UInt,
        Elem::Long,
        Elem::ULong,
        Elem::Half,
        Elem::Float,
        Elem::Double,
    ];

    /// Size in bytes.
    pub const fn size_bytes(self) -> u8 {
        match self {
            Elem::Char | Elem::UChar => 1,
            Elem::Short | Elem::UShort | Elem::Half => 2,
            Elem::Int | Elem::UInt | Elem::Float => 4,
            Elem::Long | Elem::ULong | Elem::Double => 8,
        }
    }

    /// The signed integer type of the same size.
    pub const fn to_signed(self) -> Elem {
        match self.size_bytes() {
            1 => Elem::Char,
            2 => Elem::Short,
            4 => Elem::Int,
            _ => Elem::Long,
        }
    }

    /// The unsigned integer type of the same size.
    pub const fn to_unsigned(self) -> Elem {
        match self.size_bytes() {
            1 => Elem::UChar,
            2 => Elem::UShort,
            4 => Elem::UInt,
            _ => Elem::ULong,
        }
    }

    /// The integer type twice as large with the same signedness; `long` and floating types stay as they are.
    pub const fn to_wide(self) -> Elem {
        match self {
            Elem::Char => Elem::Short,
            Elem::UChar => Elem::UShort,
            Elem::Short => Elem::Int,
            Elem::UShort => Elem::UInt,
            Elem::Int => Elem::Long,
            Elem::UInt => Elem::ULong,
            other => other,
        }
    }

    /// True for `half`, `float`, `double`.
    pub const fn is_float(self) -> bool {
        matches!(self, Elem::Half | Elem::Float | Elem::Double)
    }

    /// True for the signed integer types.
    pub const fn is_signed_int(self) -> bool {
        matches!(self, Elem::Char | Elem::Short | Elem::Int | Elem::Long)
    }

    /// Name as OpenCL C spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Elem::Char => "char",
            Elem::UChar => "uchar",
            Elem::Short => "short",
            Elem::UShort => "ushort",
            Elem::Int => "int",
            Elem::UInt => "uint",
            Elem::Long => "long",
            Elem::ULong => "ulong",
            Elem::Half => "half",
            Elem::Float => "float",
            Elem::Double => "double",
        }
    }
}

bitflags! {
    /// A set of element types; bit n is the `Elem` with discriminant n.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Elems: u16 {
        /// `char`
        const CHAR = 1 << 0;
        /// `uchar`
        const UCHAR = 1 << 1;
        /// `short`
        const SHORT = 1 << 2;
        /// `ushort`
        const USHORT = 1 << 3;
        /// `int`
        const INT = 1 << 4;
        /// `uint`
        const UINT = 1 << 5;
        /// `long`
        const LONG = 1 << 6;
        /// `ulong`
        const ULONG = 1 << 7;
        /// `half`
        const HALF = 1 << 8;
        /// `float`
        const FLOAT = 1 << 9;
        /// `double`
        const DOUBLE = 1 << 10;
        /// The signed integer types.
        const SINTS = 0x55;
        /// The unsigned integer types.
        const UINTS = 0xaa;
        /// All integer types.
        const INTS = 0xff;
        /// `float` and `double`.
        const FD = 0x600;
        /// `half`, `float` and `double`.
        const FLOATS = 0x700;
        /// Everything.
        const ALL = 0x7ff;
    }
}

impl Elems {
    /// True if `elem` is in the set.
    pub const fn has(self, elem: Elem) -> bool {
        self.bits() & (1 << elem as u16) != 0
    }
}

bitflags! {
    /// A set of vector widths; width 1 is the scalar type.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Widths: u8 {
        /// Scalar.
        const W1 = 1 << 0;
        /// 2 components.
        const W2 = 1 << 1;
        /// 3 components.
        const W3 = 1 << 2;
        /// 4 components.
        const W4 = 1 << 3;
        /// 8 components.
        const W8 = 1 << 4;
        /// 16 components.
        const W16 = 1 << 5;
        /// Scalars and every vector.
        const ANY = 0x3f;
        /// Every vector.
        const VEC = 0x3e;
        /// Vectors with a power of two of components.
        const POW2 = 0x3a;
        /// What the geometric functions take: 1 to 4.
        const GEO = 0x0f;
    }
}

impl Widths {
    /// Every width in order.
    pub const LIST: [u8; 6] = [1, 2, 3, 4, 8, 16];

    /// True if `width` (1, 2, 3, 4, 8 or 16) is in the set.
    pub const fn has(self, width: u8) -> bool {
        let bit = match width {
            1 => Widths::W1,
            2 => Widths::W2,
            3 => Widths::W3,
            4 => Widths::W4,
            8 => Widths::W8,
            16 => Widths::W16,
            _ => return false,
        };
        self.bits() & bit.bits() != 0
    }
}

bitflags! {
    /// Address spaces a pointer parameter may name. Each space in the set is one overload. `GENERIC` counts only while
    /// the generic address space is enabled, and then also takes private, local and global pointers.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Spaces: u8 {
        /// `__private`
        const PRIVATE = 1 << 0;
        /// `__local`
        const LOCAL = 1 << 1;
        /// `__global`
        const GLOBAL = 1 << 2;
        /// `__constant`
        const CONSTANT = 1 << 3;
        /// `__generic`
        const GENERIC = 1 << 4;
        /// What can be written: all but constant.
        const WRITABLE = 0x17;
        /// What can be read: all.
        const READABLE = 0x1f;
        /// Where 1.x atomics work.
        const ATOMIC = 0x16;
    }
}

bitflags! {
    /// Qualifiers on a pointee.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Quals: u8 {
        /// `const`
        const CONST = 1 << 0;
        /// `volatile`
        const VOLATILE = 1 << 1;
    }
}

bitflags! {
    /// Accesses of an image that a parameter takes.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct Accesses: u8 {
        /// `read_only`
        const READ = 1 << 0;
        /// `write_only`
        const WRITE = 1 << 1;
        /// `read_write`
        const READ_WRITE = 1 << 2;
    }
}

impl Accesses {
    /// True if `access` is in the set.
    pub const fn has(self, access: ImageAccess) -> bool {
        let bit = match access {
            ImageAccess::Read => Self::READ,
            ImageAccess::Write => Self::WRITE,
            ImageAccess::ReadWrite => Self::READ_WRITE,
        };
        self.contains(bit)
    }
}

/// The type of a parameter or result in terms of the row's generic type `T`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pat {
    /// `void`; results only.
    Void,
    /// `T` itself: the element type at the row's width.
    T,
    /// Element of `T`, scalar.
    E,
    /// This scalar type whatever `T` is.
    S(Elem),
    /// This vector type whatever `T` is.
    V(Elem, u8),
    /// This element type at `T`'s width, e.g. `intn`.
    N(Elem),
    /// Signed integer of the size of `T`'s element, at `T`'s width.
    I,
    /// Unsigned integer of the size of `T`'s element, at `T`'s width.
    U,
    /// What relational functions return: `int` if `T` is scalar, else `I`.
    Rel,
    /// Integer of twice the size and the same signedness, at `T`'s width.
    Wide,
    /// `T`'s element at this width.
    EVec(u8),
    /// Unsigned integer of the size of `T`'s element at this width.
    UVec(u8),
    /// Pointer. The pointee is any pattern but a pointer.
    Ptr(&'static Pat, Spaces, Quals),
    /// Pointer through which a function only writes a result (`sincos`, `fract`, `frexp` …): for overload resolution a
    /// pointer to a `WRITABLE` space. A `Cl` body takes it as a pointer to the generic address space (cast before the
    /// call), to element i for component i.
    Out(&'static Pat),
    /// The atomic type of `T`; behind pointers only.
    Atomic,
    /// `atomic_flag`; behind pointers only.
    Flag,
    /// `event_t`
    Event,
    /// Image of this shape with one of these accesses.
    Image(ImageShape, Accesses),
    /// `sampler_t`
    Sampler,
    /// Pipe of any packets with one of these accesses.
    Pipe(Accesses),
    /// `reserve_id_t`
    ReserveId,
    /// `__constant` format string and anything after it; `printf` only.
    Variadic,
}

/// A pattern with the row's generic type filled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concrete {
    /// `void`
    Void,
    /// Scalar (`width` 1) or vector.
    Num {
        /// Element type.
        elem: Elem,
        /// Number of components.
        width: u8,
    },
    /// `event_t`
    Event,
    /// Image.
    Image {
        /// Its shape.
        shape: ImageShape,
        /// Accesses that fit.
        accesses: Accesses,
    },
    /// `sampler_t`
    Sampler,
    /// Pipe with one of these accesses.
    Pipe(Accesses),
    /// `reserve_id_t`
    ReserveId,
    /// Atomic type of this element; behind pointers only.
    Atomic(Elem),
    /// `atomic_flag`; behind pointers only.
    Flag,
    /// Pointer.
    Ptr {
        /// Never a pointer itself.
        pointee: Pointee,
        /// Spaces that fit.
        spaces: Spaces,
        /// Qualifiers that the parameter has on its pointee.
        quals: Quals,
    },
    /// Rest of the arguments of `printf`.
    Variadic,
}

/// What a builtin's pointer parameter points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pointee {
    /// `void`, in `prefetch`-like functions that take any type.
    Void,
    /// Scalar or vector.
    Num {
        /// Element type.
        elem: Elem,
        /// Number of components.
        width: u8,
    },
    /// `event_t`
    Event,
    /// Atomic type of this element.
    Atomic(Elem),
    /// `atomic_flag`
    Flag,
}

impl Pat {
    /// The type for `T` = `elem` at `width`.
    pub const fn concrete(&self, elem: Elem, width: u8) -> Concrete {
        let (elem, width) = match *self {
            Pat::Void => return Concrete::Void,
            Pat::Event => return Concrete::Event,
            Pat::Image(shape, accesses) => return Concrete::Image { shape, accesses },
            Pat::Sampler => return Concrete::Sampler,
            Pat::Pipe(accesses) => return Concrete::Pipe(accesses),
            Pat::ReserveId => return Concrete::ReserveId,
            Pat::Atomic => return Concrete::Atomic(elem),
            Pat::Flag => return Concrete::Flag,
            Pat::Variadic => return Concrete::Variadic,
            Pat::T => (elem, width),
            Pat::E => (elem, 1),
            Pat::S(e) => (e, 1),
            Pat::V(e, w) => (e, w),
            Pat::N(e) => (e, width),
            Pat::I => (elem.to_signed(), width),
            Pat::U => (elem.to_unsigned(), width),
            Pat::Rel if width == 1 => (Elem::Int, 1),
            Pat::Rel => (elem.to_signed(), width),
            Pat::Wide => (elem.to_wide(), width),
            Pat::EVec(w) => (elem, w),
            Pat::UVec(w) => (elem.to_unsigned(), w),
            Pat::Ptr(to, spaces, quals) => return pointer(to.concrete(elem, width), spaces, quals),
            Pat::Out(to) => return pointer(to.concrete(elem, width), Spaces::WRITABLE, Quals::empty()),
        };
        Concrete::Num { elem, width }
    }
}

const fn pointer(to: Concrete, spaces: Spaces, quals: Quals) -> Concrete {
    let pointee = match to {
        Concrete::Num { elem, width } => Pointee::Num { elem, width },
        Concrete::Event => Pointee::Event,
        Concrete::Atomic(elem) => Pointee::Atomic(elem),
        Concrete::Flag => Pointee::Flag,
        Concrete::Void
        | Concrete::Ptr { .. }
        | Concrete::Variadic
        | Concrete::Image { .. }
        | Concrete::Sampler
        | Concrete::Pipe(_)
        | Concrete::ReserveId => Pointee::Void,
    };
    Concrete::Ptr { pointee, spaces, quals }
}

/// Where a builtin's meaning comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// One KIR op, applied to the arguments as they are (vectors included). A scalar argument beside a vector result is
    /// splat first.
    Op(Op),
    /// The function `function` in `jit/builtins/<file>`; `Row::symbol` says which of the file's overloads.
    Cl {
        /// Path under `jit/builtins/`, e.g. `math/exp.cl`.
        file: &'static str,
        /// Name of the function in that file.
        function: &'static str,
    },
    /// Made by sema and lowering themselves; mirrors `hir::Builtin`.
    Special(Special),
}

bitflags! {
    /// Properties of a builtin that callers and passes rely on.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Attrs: u16 {
        /// Result depends on the arguments' values only; no memory access except through `Out` parameters.
        const PURE = 1 << 0;
        /// Every work-item of the group must reach it; never duplicated or moved.
        const CONVERGENT = 1 << 1;
        /// Works component by component: parameters `T`, `N`, `I`, `U`, `Wide`, `Rel` give their component i, scalars
        /// (`E`, `S`) are passed whole, `Out` receives component i. A `Cl` body is then written for scalars only.
        const ELEMENTWISE = 1 << 2;
        /// Has no body for `half`: widen `half` arguments to float, call the float body, round the result to half. Not
        /// for rows with a half behind a pointer.
        const HALF_VIA_FLOAT = 1 << 3;
        /// Only builtin bodies see it.
        const INTRINSIC = 1 << 4;
        /// Every work-item of the sub-group must reach it.
        const TOGETHER = 1 << 5;
    }
}

/// Version and extension that a row needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Lowest `__OPENCL_C_VERSION__`-like number: 100, 110, 120, 200, 300.
    pub since: u16,
    /// Extension or feature macro that must be defined, e.g. `cl_khr_int64_base_atomics`.
    pub feature: Option<&'static str>,
}

/// What stands between a program and a builtin it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Needs this version of OpenCL C: 110, 120, 200, 300.
    Version(u16),
    /// Needs this extension or feature.
    Feature(&'static str),
}

/// One builtin function over a generic type.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Name as called.
    pub name: &'static str,
    /// Element types that `T` ranges over; one (unused) type if the row is not generic.
    pub elems: Elems,
    /// Widths that `T` ranges over; `W1` if the row is not generic.
    pub widths: Widths,
    /// Result.
    pub ret: Pat,
    /// Parameters in order.
    pub params: &'static [Pat],
    /// Meaning.
    pub body: Body,
    /// Function in the file of a `Cl` body that serves `float` where the options permit less precision.
    pub relaxed: Option<&'static str>,
    /// File and function that serve `float` where the options ask for the nearest results.
    pub rounded: Option<(&'static str, &'static str)>,
    /// Properties.
    pub attrs: Attrs,
    /// Version and extension.
    pub needs: Needs,
    /// Title of the section of the OpenCL C specification.
    pub cite: &'static str,
}

impl Row {
    /// A row for OpenCL C 1.0 with no attributes.
    pub const fn new(
        name: &'static str,
        elems: Elems,
        widths: Widths,
        ret: Pat,
        params: &'static [Pat],
        body: Body,
    ) -> Row {
        let needs = Needs { since: 100, feature: None };
        let attrs = Attrs::empty();
        Row { name, elems, widths, ret, params, body, relaxed: None, rounded: None, attrs, needs, cite: "" }
    }

    /// A row without generic type.
    pub const fn plain(name: &'static str, ret: Pat, params: &'static [Pat], body: Body) -> Row {
        Row::new(name, Elems::INT, Widths::W1, ret, params, body)
    }

    /// Adds `PURE`.
    pub const fn pure(self) -> Row {
        self.attr(Attrs::PURE)
    }

    /// Adds `PURE` and `ELEMENTWISE`.
    pub const fn elementwise(self) -> Row {
        self.attr(Attrs::PURE.union(Attrs::ELEMENTWISE))
    }

    /// Adds attributes.
    pub const fn attr(mut self, attrs: Attrs) -> Row {
        self.attrs = self.attrs.union(attrs);
        self
    }

    /// Names the function for `float` with less precision; see "ULP values … with unsafe math optimizations".
    pub const fn relaxed(mut self, function: &'static str) -> Row {
        self.relaxed = Some(function);
        self
    }

    /// Names the function for `float` whose results are the nearest ones, and its file.
    pub const fn rounded(mut self, file: &'static str, function: &'static str) -> Row {
        self.rounded = Some((file, function));
        self
    }

    /// The row that serves element type `elem` where the options want this precision.
    pub fn with_precision(&self, elem: Elem, precision: Precision) -> Row {
        let other = match (self.body, precision) {
            (Body::Cl { file, .. }, Precision::Less) => self.relaxed.map(|function| (file, function)),
            (Body::Cl { .. }, Precision::Nearest) => self.rounded,
            _ => None,
        };
        match other {
            Some((file, function)) if elem == Elem::Float => Row { body: Body::Cl { file, function }, ..*self },
            _ => *self,
        }
    }

    /// Names the section of the specification.
    pub const fn cite(mut self, title: &'static str) -> Row {
        self.cite = title;
        self
    }

    /// Lowest version, as in `Needs::since`.
    pub const fn since(mut self, version: u16) -> Row {
        self.needs.since = version;
        self
    }

    /// Extension or feature macro.
    pub const fn feature(mut self, name: &'static str) -> Row {
        self.needs.feature = Some(name);
        self
    }

    /// Takes the feature back.
    pub const fn no_feature(mut self) -> Row {
        self.needs.feature = None;
        self
    }

    /// What `version` (100 … 300) and the enabled features lack for this row, if anything.
    pub fn missing(&self, version: u16, enabled: &dyn Fn(&str) -> bool) -> Option<Missing> {
        match self.needs {
            Needs { since, .. } if version < since => Some(Missing::Version(since)),
            Needs { feature: Some(name), .. } if !enabled(name) => Some(Missing::Feature(name)),
            _ => None,
        }
    }

    /// For a `Cl` body: its file and the symbol (see `mangle`) of the overload that serves `T` = `elem` at `width`.
    /// Elementwise rows name the scalar overload, `HALF_VIA_FLOAT` rows the float one for `half`.
    pub fn symbol(&self, elem: Elem, width: u8) -> Option<(&'static str, String)> {
        let Body::Cl { file, function } = self.body else { return None };
        let via_float = elem == Elem::Half && self.attrs.contains(Attrs::HALF_VIA_FLOAT);
        let elem = if via_float { Elem::Float } else { elem };
        let width = if self.attrs.contains(Attrs::ELEMENTWISE) { 1 } else { width };
        let params = self.params.iter().map(|param| match param {
            Pat::Out(to) => pointer(to.concrete(elem, width), Spaces::GENERIC, Quals::empty()),
            other => other.concrete(elem, width),
        });
        Some((file, mangle(function, params)))
    }

    /// Every instance of the generic type: (element type, width).
    pub fn instances(&self) -> impl Iterator<Item = (Elem, u8)> {
        let (elems, widths) = (self.elems, self.widths);
        let elems = Elem::ALL.into_iter().filter(move |&e| elems.has(e));
        elems.flat_map(move |e| Widths::LIST.into_iter().filter(move |&w| widths.has(w)).map(move |w| (e, w)))
    }
}

/// The symbol of a body-file function with these parameters: the name, then `.` and a code per parameter:
/// `i8 u8 … u64 f16 f32 f64`, before it `v<width>` for a vector, before that `p`, `l`, `g`, `c` or `x` for a pointer to
/// private, local, global, constant or generic memory; `sampler`, or an image type's name whatever its access.
/// `float dot(float4, float4)` is `dot.v4f32.v4f32`.
pub fn mangle(function: &str, params: impl IntoIterator<Item = Concrete>) -> String {
    let mut out = String::from(function);
    for param in params {
        out.push('.');
        match param {
            Concrete::Void | Concrete::Variadic => out.push_str("void"),
            Concrete::Event => out.push_str("event"),
            Concrete::Image { shape, .. } => out.push_str(shape.name()),
            Concrete::Sampler => out.push_str("sampler"),
            Concrete::Pipe(_) => out.push_str("pipe"),
            Concrete::ReserveId => out.push_str("reserve_id"),
            Concrete::Atomic(elem) => {
                out.push('a');
                push_num(&mut out, elem, 1);
            }
            Concrete::Flag => out.push_str("flag"),
            Concrete::Num { elem, width } => push_num(&mut out, elem, width),
            Concrete::Ptr { pointee, spaces, .. } => {
                let letters = [
                    (Spaces::GENERIC, 'x'),
                    (Spaces::PRIVATE, 'p'),
                    (Spaces::LOCAL, 'l'),
                    (Spaces::GLOBAL, 'g'),
                    (Spaces::CONSTANT, 'c'),
                ];
                out.extend(letters.iter().find(|(space, _)| spaces.contains(*space)).map(|&(_, letter)| letter));
                match pointee {
                    Pointee::Void => out.push_str("void"),
                    Pointee::Event => out.push_str("event"),
                    Pointee::Flag => out.push_str("flag"),
                    Pointee::Atomic(elem) => {
                        out.push('a');
                        push_num(&mut out, elem, 1);
                    }
                    Pointee::Num { elem, width } => push_num(&mut out, elem, width),
                }
            }
        }
    }
    out
}

fn push_num(out: &mut String, elem: Elem, width: u8) {
    if width > 1 {
        out.push('v');
        out.push_str(&width.to_string());
    }
    out.push_str(match elem {
        Elem::Char => "i8",
        Elem::UChar => "u8",
        Elem::Short => "i16",
        Elem::UShort => "u16",
        Elem::Int => "i32",
        Elem::UInt => "u32",
        Elem::Long => "i64",
        Elem::ULong => "u64",
        Elem::Half => "f16",
        Elem::Float => "f32",
        Elem::Double => "f64",
    });
}

//! Canonical types of OpenCL C, interned: equal types have equal `Ty`.
//! Layout and conversion rules are in `sema`.

use crate::image::{ImageAccess, ImageShape};
use crate::ir::entity::{Arena, Entity};
use crate::launch::AddrSpace;
use rustc_hash::FxHashMap;

super::ids! {
    /// An interned type without top-level qualifiers.
    Ty;
    /// A struct or union.
    RecordId;
    /// An enum.
    EnumId;
}

bitflags::bitflags! {
    /// Type qualifiers.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Quals: u8 {
        /// `const`.
        const CONST = 1;
        /// `volatile`.
        const VOLATILE = 2;
        /// `restrict`.
        const RESTRICT = 4;
    }
}

/// A type's shape. Pointees and array elements carry qualifiers because they lie in memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TyKind {
    /// `void`.
    Void,
    /// A broken type; silences follow-up errors.
    Error,
    /// `bool`.
    Bool,
    /// Integer: bits (8, 16, 32, 64) and signedness. `size_t` is 64-bit unsigned.
    Int {
        /// 8, 16, 32 or 64.
        bits: u8,
        /// True for char, short, int, long.
        signed: bool,
    },
    /// Float: 16, 32 or 64 bits.
    Float {
        /// 16, 32 or 64.
        bits: u8,
    },
    /// Vector of a scalar integer or float.
    Vector {
        /// Element.
        elem: Ty,
        /// 2, 3, 4, 8 or 16.
        lanes: u8,
    },
    /// Pointer.
    Pointer {
        /// What it points to.
        pointee: Ty,
        /// Qualifiers of the pointee.
        quals: Quals,
        /// Address space of the pointee.
        space: AddrSpace,
    },
    /// Array; `None` while incomplete.
    Array {
        /// Element.
        elem: Ty,
        /// Qualifiers of the element.
        quals: Quals,
        /// Number of elements.
        len: Option<u64>,
    },
    /// Struct or union.
    Record(RecordId),
    /// Enum; its values are `int`s.
    Enum(EnumId),
    /// Function.
    Function {
        /// Result.
        ret: Ty,
        /// Parameters after adjustment.
        params: Vec<Ty>,
    },
    /// `atomic_int` and friends, in memory like their value type. `atomic_flag` is that of `bool`, but takes 4 bytes.
    Atomic(Ty),
    /// Types without a value of their own.
    Opaque(OpaqueKind),
}

/// Opaque types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the language's names")]
pub enum OpaqueKind {
    Image(ImageShape, ImageAccess),
    Sampler,
    Event,
    Queue,
    ClkEvent,
    ReserveId,
    /// Of packets of this type.
    Pipe(Ty, ImageAccess),
    /// Of this type as a function.
    Block(Ty),
}

impl OpaqueKind {
    /// Whether memory may hold values of the type.
    pub fn is_object(self) -> bool {
        matches!(self, Self::Event | Self::ReserveId | Self::Queue | Self::ClkEvent)
    }
    /// Whether parameters may have the type.
    pub fn is_supported(self) -> bool {
        self.is_object() || matches!(self, Self::Image(..) | Self::Sampler | Self::Pipe(..))
    }
}

/// A struct or union definition.
#[derive(Clone, Debug)]
pub struct Record {
    /// Tag; may be empty.
    pub name: String,
    /// True for a union.
    pub is_union: bool,
    /// Fields in order with their offsets; empty while incomplete.
    pub fields: Vec<Field>,
    /// Bytes, a multiple of `align`.
    pub size: u64,
    /// Bytes.
    pub align: u32,
    /// False between declaration and definition.
    pub complete: bool,
}

/// A field.
#[derive(Clone, Debug)]
pub struct Field {
    /// Name; empty for anonymous members.
    pub name: String,
    /// Type.
    pub ty: Ty,
    /// Qualifiers.
    pub quals: Quals,
    /// Bytes from the start of the record.
    pub offset: u64,
}

/// The interner, with the basic types at fixed indices.
#[derive(Debug)]
pub struct Types {
    kinds: Vec<TyKind>,
    index: FxHashMap<TyKind, Ty>,
    /// Struct and union definitions.
    pub records: Arena<RecordId, Record>,
    /// Enum tags.
    pub enums: Arena<EnumId, String>,
}

macro_rules! basic {
    ($($name:ident = $kind:expr;)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "indices of the constants below")]
        enum Basic { $($name,)* }
        #[allow(missing_docs, reason = "the language's names")]
        impl Types { $(pub const $name: Ty = Ty(Basic::$name as u32);)* }
        const BASIC: &[TyKind] = &[$($kind,)*];
    };
}

basic! {
    VOID = TyKind::Void;
    ERROR = TyKind::Error;
    BOOL = TyKind::Bool;
    CHAR = TyKind::Int { bits: 8, signed: true };
    UCHAR = TyKind::Int { bits: 8, signed: false };
    SHORT = TyKind::Int { bits: 16, signed: true };
    USHORT = TyKind::Int { bits: 16, signed: false };
    INT = TyKind::Int { bits: 32, signed: true };
    UINT = TyKind::Int { bits: 32, signed: false };
    LONG = TyKind::Int { bits: 64, signed: true };
    ULONG = TyKind::Int { bits: 64, signed: false };
    HALF = TyKind::Float { bits: 16 };
    FLOAT = TyKind::Float { bits: 32 };
    DOUBLE = TyKind::Float { bits: 64 };
}

impl Types {
    /// The basic types only.
    pub fn new() -> Self {
        let mut types =
            Self { kinds: Vec::new(), index: FxHashMap::default(), records: Arena::new(), enums: Arena::new() };
        for kind in BASIC {
            types.intern(kind.clone());
        }
        types
    }
    /// The type with this shape.
    pub fn intern(&mut self, kind: TyKind) -> Ty {
        if let Some(&ty) = self.index.get(&kind) {
            return ty;
        }
        let ty = Ty::from_index(self.kinds.len());
        self.kinds.push(kind.clone());
        self.index.insert(kind, ty);
        ty
    }
    /// A type's shape.
    pub fn kind(&self, ty: Ty) -> &TyKind {
        &self.kinds[ty.index()]
    }
    /// A vector type, or the element itself for one lane.
    pub fn vector(&mut self, elem: Ty, lanes: u8) -> Ty {
        if lanes == 1 { elem } else { self.intern(TyKind::Vector { elem, lanes }) }
    }
    /// A pointer type.
    pub fn pointer(&mut self, pointee: Ty, quals: Quals, space: AddrSpace) -> Ty {
        self.intern(TyKind::Pointer { pointee, quals, space })
    }
    /// Element type and lanes of a vector; the type itself and 1 for anything else.
    pub fn lanes(&self, ty: Ty) -> (Ty, u8) {
        match self.kind(ty) {
            TyKind::Vector { elem, lanes } => (*elem, *lanes),
            _ => (ty, 1),
        }
    }
    /// The type of what an atomic object holds; `int` for `atomic_flag`.
    pub fn atomic_value(&self, ty: Ty) -> Option<Ty> {
        match *self.kind(ty) {
            TyKind::Atomic(Self::BOOL) => Some(Self::INT),
            TyKind::Atomic(inner) => Some(inner),
            _ => None,
        }
    }
    /// Size and alignment in bytes of a complete type; `None` for void, functions and incomplete types.
    /// 3-vectors count as 4-vectors; opaque types are 8-byte handles; `bool` is 1 byte.
    pub fn size_align(&self, ty: Ty) -> Option<(u64, u32)> {
        Some(match self.kind(ty) {
            TyKind::Void | TyKind::Error | TyKind::Function { .. } => return None,
            TyKind::Bool => (1, 1),
            TyKind::Int { bits, .. } | TyKind::Float { bits } => (u64::from(*bits) / 8, u32::from(*bits) / 8),
            TyKind::Vector { elem, lanes } => {
                let bytes = self.size_align(*elem)?.0 * u64::from(if *lanes == 3 { 4 } else { *lanes });
                (bytes, bytes as u32)
            }
            TyKind::Pointer { .. } | TyKind::Opaque(_) => (8, 8),
            TyKind::Array { elem, len, .. } => {
                let (size, align) = self.size_align(*elem)?;
                (size.checked_mul((*len)?)?, align)
            }
            TyKind::Record(id) => {
                let record = &self.records[*id];
                if !record.complete {
                    return None;
                }
                (record.size, record.align)
            }
            TyKind::Enum(_) => (4, 4),
            TyKind::Atomic(_) => return self.size_align(self.atomic_value(ty)?),
        })
    }
}

impl Default for Types {
    fn default() -> Self {
        Self::new()
    }
}

//! KIR types: a scalar kind and a number of lanes.

use crate::launch::AddrSpace;
use std::fmt;

/// Element kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scalar {
    /// Boolean; never in memory. A vector of them is a mask.
    I1,
    /// 8-bit integer (signedness is in the ops).
    I8,
    /// 16-bit integer.
    I16,
    /// 32-bit integer.
    I32,
    /// 64-bit integer.
    I64,
    /// IEEE half.
    F16,
    /// IEEE single.
    F32,
    /// IEEE double.
    F64,
    /// 64-bit address; never an element of a vector.
    Ptr(AddrSpace),
}

/// A value's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Type {
    /// Element kind.
    pub elem: Scalar,
    /// 1 for a scalar; 2, 3, 4, 8 or 16 for a vector of OpenCL; 2 to 64, a power of two, for a vector of work-items.
    pub lanes: u8,
}

impl Scalar {
    /// Size in bytes in memory (1 for `I1`, which stands for its mask byte).
    pub const fn bytes(self) -> u32 {
        match self {
            Self::I1 | Self::I8 => 1,
            Self::I16 | Self::F16 => 2,
            Self::I32 | Self::F32 => 4,
            Self::I64 | Self::F64 | Self::Ptr(_) => 8,
        }
    }
    /// Width in bits; 1 for `I1`.
    pub const fn bits(self) -> u32 {
        match self {
            Self::I1 => 1,
            other => other.bytes() * 8,
        }
    }
    /// True for `I1`…`I64`.
    pub const fn is_int(self) -> bool {
        matches!(self, Self::I1 | Self::I8 | Self::I16 | Self::I32 | Self::I64)
    }
    /// True for `F16`, `F32`, `F64`.
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::F32 | Self::F64)
    }
    /// True for pointers.
    pub const fn is_ptr(self) -> bool {
        matches!(self, Self::Ptr(_))
    }
    /// The integer kind of the same width.
    pub const fn as_int(self) -> Scalar {
        match self {
            Self::F16 => Self::I16,
            Self::F32 => Self::I32,
            Self::F64 | Self::Ptr(_) => Self::I64,
            other => other,
        }
    }
}

impl Type {
    /// Boolean.
    pub const I1: Type = Type::scalar(Scalar::I1);
    /// 8-bit integer.
    pub const I8: Type = Type::scalar(Scalar::I8);
    /// 16-bit integer.
    pub const I16: Type = Type::scalar(Scalar::I16);
    /// 32-bit integer.
    pub const I32: Type = Type::scalar(Scalar::I32);
    /// 64-bit integer.
    pub const I64: Type = Type::scalar(Scalar::I64);
    /// Half.
    pub const F16: Type = Type::scalar(Scalar::F16);
    /// Single.
    pub const F32: Type = Type::scalar(Scalar::F32);
    /// Double.
    pub const F64: Type = Type::scalar(Scalar::F64);

    /// The integer of 1, 2, 4 or 8 bytes.
    pub const fn int(bytes: u32) -> Type {
        Type::scalar(match bytes {
            1 => Scalar::I8,
            2 => Scalar::I16,
            4 => Scalar::I32,
            _ => Scalar::I64,
        })
    }
    /// A scalar type.
    pub const fn scalar(elem: Scalar) -> Type {
        Type { elem, lanes: 1 }
    }
    /// A pointer type.
    pub const fn ptr(space: AddrSpace) -> Type {
        Type::scalar(Scalar::Ptr(space))
    }
    /// The same elements with another number of lanes.
    pub const fn with_lanes(self, lanes: u8) -> Type {
        Type { elem: self.elem, lanes }
    }
    /// The same number of lanes with another element kind.
    pub const fn with_elem(self, elem: Scalar) -> Type {
        Type { elem, lanes: self.lanes }
    }
    /// The scalar type of one lane.
    pub const fn lane(self) -> Type {
        Type::scalar(self.elem)
    }
    /// True if there is more than one lane.
    pub const fn is_vector(self) -> bool {
        self.lanes > 1
    }
    /// True for a scalar or vector of integers.
    pub const fn is_int(self) -> bool {
        self.elem.is_int()
    }
    /// True for a scalar or vector of floats.
    pub const fn is_float(self) -> bool {
        self.elem.is_float()
    }
    /// True for a pointer.
    pub const fn is_ptr(self) -> bool {
        self.elem.is_ptr()
    }
    /// Bytes that a `load` or `store` of this type touches: lanes × element size.
    pub const fn bytes(self) -> u32 {
        self.elem.bytes() * self.lanes as u32
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::I1 => "i1",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::F16 => "f16",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::Ptr(AddrSpace::Private) => "ptr<private>",
            Self::Ptr(AddrSpace::Local) => "ptr<local>",
            Self::Ptr(AddrSpace::Global) => "ptr<global>",
            Self::Ptr(AddrSpace::Constant) => "ptr<const>",
            Self::Ptr(AddrSpace::Generic) => "ptr<generic>",
        })
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.lanes == 1 { write!(f, "{}", self.elem) } else { write!(f, "{}x{}", self.elem, self.lanes) }
    }
}

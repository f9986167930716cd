//! Types of a module: their layout in memory, and the KIR types of their values. Spec: SPIR-V, "Type-Declaration
//! Instructions"; OpenCL SPIR-V Environment, "Validation Rules". Must not know functions.

use super::words::Id;
use crate::image::{ImageAccess, ImageShape};
use crate::ir::{Scalar, Type};
use crate::launch::AddrSpace;
use spirv::{AccessQualifier, Dim, StorageClass};

/// A type.
#[derive(Clone, Debug)]
pub struct Ty {
    /// What it is.
    pub kind: Kind,
    /// Bytes in memory; 0 for what has no size.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u32,
    /// Structs and arrays in each other.
    pub depth: u16,
    /// Type of a value in KIR; none for arrays and structs, whose values lie in memory, and for what has no values.
    pub value: Option<Type>,
}

/// Kinds of types.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "SPIR-V's names")]
pub enum Kind {
    Void,
    Bool,
    Int,
    Float,
    Vector {
        elem: Id,
        lanes: u8,
    },
    Array {
        elem: Id,
        len: u64,
    },
    Struct {
        members: Vec<Id>,
        /// Byte offsets of the members.
        offsets: Vec<u64>,
    },
    Pointer {
        /// None for variables that the implementation fills, and nothing else is in such memory.
        space: Option<AddrSpace>,
        /// None for an untyped pointer.
        pointee: Option<Id>,
    },
    Function,
    Image {
        shape: ImageShape,
        access: ImageAccess,
    },
    SampledImage,
    Sampler,
    Event,
    Pipe {
        access: ImageAccess,
    },
    ReserveId,
    Queue,
    DeviceEvent,
}

impl Ty {
    fn plain(kind: Kind, size: u64, value: Option<Type>) -> Self {
        Self { kind, size, align: size.max(1) as u32, depth: 0, value }
    }
    /// `void` and types of functions.
    pub fn valueless(kind: Kind) -> Self {
        Self::plain(kind, 0, None)
    }
    /// A boolean takes a byte where it is in memory.
    pub fn bool() -> Self {
        Self::plain(Kind::Bool, 1, Some(Type::I1))
    }
    /// An integer.
    ///
    /// # Errors
    /// There is none of this width.
    pub fn int(bits: u32) -> Result<Self, String> {
        match bits {
            8 | 16 | 32 | 64 => Ok(Self::plain(Kind::Int, u64::from(bits / 8), Some(Type::int(bits / 8)))),
            _ => Err(format!("integers of {bits} bits are not supported")),
        }
    }
    /// A float.
    ///
    /// # Errors
    /// There is none of this width.
    pub fn float(bits: u32) -> Result<Self, String> {
        let ty = match bits {
            16 => Type::F16,
            32 => Type::F32,
            64 => Type::F64,
            _ => return Err(format!("floats of {bits} bits are not supported")),
        };
        Ok(Self::plain(Kind::Float, u64::from(bits / 8), Some(ty)))
    }
    /// A vector; three components take the memory of four.
    ///
    /// # Errors
    /// There is none of this element or width.
    pub fn vector(elem: Id, of: &Ty, lanes: u32) -> Result<Self, String> {
        let scalar = matches!(of.kind, Kind::Bool | Kind::Int | Kind::Float);
        let (Some(value), true, true) = (of.value, scalar, matches!(lanes, 2 | 3 | 4 | 8 | 16)) else {
            return Err(format!("vectors of {lanes} such components are not supported"));
        };
        let size = of.size * u64::from(lanes.next_power_of_two());
        let lanes = lanes as u8;
        Ok(Self::plain(Kind::Vector { elem, lanes }, size, Some(value.with_lanes(lanes))))
    }
    /// An array.
    ///
    /// # Errors
    /// It is larger than memory, or its elements have no size.
    pub fn array(elem: Id, of: &Ty, len: u64) -> Result<Self, String> {
        let size = of.size.checked_mul(len).filter(|&size| size <= MAX_BYTES && of.size > 0);
        let size = size.ok_or_else(|| format!("an array of {len} such elements is not supported"))?;
        Ok(Self { kind: Kind::Array { elem, len }, size, align: of.align, depth: deeper(of.depth)?, value: None })
    }
    /// A struct, laid out as C does, or without gaps if it is packed.
    ///
    /// # Errors
    /// It is larger than memory, or a member has no size.
    pub fn record(members: &[(Id, &Ty)], is_packed: bool) -> Result<Self, String> {
        let (mut end, mut align, mut offsets) = (0u64, 1, Vec::with_capacity(members.len()));
        let depth = deeper(members.iter().map(|(_, member)| member.depth).max().unwrap_or(0))?;
        for (_, member) in members {
            if member.size == 0 && !matches!(member.kind, Kind::Struct { .. } | Kind::Array { .. }) {
                return Err("a member has no size".into());
            }
            let natural = if is_packed { 1 } else { member.align };
            align = align.max(natural);
            let at = end.next_multiple_of(u64::from(natural));
            offsets.push(at);
            end = at + member.size;
            if end > MAX_BYTES {
                return Err("a struct of this size is not supported".into());
            }
        }
        let members = members.iter().map(|(id, _)| *id).collect();
        let size = end.next_multiple_of(u64::from(align));
        Ok(Self { kind: Kind::Struct { members, offsets }, size, align, depth, value: None })
    }
    /// A pointer.
    ///
    /// # Errors
    /// Kernels have no memory of this class.
    pub fn pointer(class: u32, pointee: Option<Id>) -> Result<Self, String> {
        let space = space(class)?;
        let value = space.map(Type::ptr);
        Ok(Self { kind: Kind::Pointer { space, pointee }, size: 8, align: 8, depth: 0, value })
    }
    /// An image from the operands behind the sampled type: dimensionality, depth, arrayed, multisampled, sampled,
    /// format, access.
    ///
    /// # Errors
    /// The device has no such image.
    pub fn image(operands: &[u32]) -> Result<Self, String> {
        let &[dim, depth, arrayed, multisampled, _, _, ref access @ ..] = operands else {
            return Err("operands are missing".into());
        };
        let shape = match (Dim::from_u32(dim), arrayed, depth) {
            _ if multisampled != 0 => None,
            (Some(Dim::Dim1D), 0, _) => Some(ImageShape::D1),
            (Some(Dim::Dim1D), 1, _) => Some(ImageShape::D1Array),
            (Some(Dim::DimBuffer), 0, _) => Some(ImageShape::D1Buffer),
            (Some(Dim::Dim2D), 0, 1) => Some(ImageShape::D2Depth),
            (Some(Dim::Dim2D), 1, 1) => Some(ImageShape::D2ArrayDepth),
            (Some(Dim::Dim2D), 0, _) => Some(ImageShape::D2),
            (Some(Dim::Dim2D), 1, _) => Some(ImageShape::D2Array),
            (Some(Dim::Dim3D), 0, _) => Some(ImageShape::D3),
            _ => None,
        };
        let shape = shape.ok_or("the device has no images of this shape")?;
        let access = match access.first().map(|&n| AccessQualifier::from_u32(n)) {
            None | Some(Some(AccessQualifier::ReadOnly)) => ImageAccess::Read,
            Some(Some(AccessQualifier::WriteOnly)) => ImageAccess::Write,
            Some(Some(AccessQualifier::ReadWrite)) => ImageAccess::ReadWrite,
            Some(None) => return Err("unknown access qualifier".into()),
        };
        let value = Some(Type::ptr(AddrSpace::Constant));
        Ok(Self { kind: Kind::Image { shape, access }, size: 8, align: 8, depth: 0, value })
    }
    /// An end of a pipe.
    ///
    /// # Errors
    /// It is both or none.
    pub fn pipe(access: u32) -> Result<Self, String> {
        let access = match AccessQualifier::from_u32(access) {
            Some(AccessQualifier::ReadOnly) => ImageAccess::Read,
            Some(AccessQualifier::WriteOnly) => ImageAccess::Write,
            _ => return Err("a pipe is read_only or write_only".into()),
        };
        Ok(Self::plain(Kind::Pipe { access }, 8, Some(Type::ptr(AddrSpace::Global))))
    }
    /// A sampler, a sampled image, an event, a reservation or a queue.
    pub fn opaque(kind: Kind) -> Self {
        match kind {
            // As large as the handle that the host passes for it, as in OpenCL C.
            Kind::Sampler => Self::plain(kind, 8, Some(Type::I32)),
            Kind::Event | Kind::ReserveId | Kind::Queue | Kind::DeviceEvent => Self::plain(kind, 8, Some(Type::I64)),
            _ => Self::plain(kind, 8, None),
        }
    }

    /// An array or a struct.
    pub fn is_aggregate(&self) -> bool {
        matches!(self.kind, Kind::Array { .. } | Kind::Struct { .. })
    }
    /// The element kind of values that are numbers.
    pub fn scalar(&self) -> Option<Scalar> {
        self.value.map(|ty| ty.elem)
    }
}

/// Objects are smaller: sums of sizes and offsets do not wrap.
const MAX_BYTES: u64 = 1 << 47;

/// One level more than the parts have. Spec: SPIR-V, "Universal Limits".
fn deeper(depth: u16) -> Result<u16, String> {
    if depth < 255 { Ok(depth + 1) } else { Err("structs and arrays are nested too deeply".into()) }
}

/// The address space of a storage class; none for variables that the implementation fills.
fn space(class: u32) -> Result<Option<AddrSpace>, String> {
    let class = StorageClass::from_u32(class).ok_or_else(|| format!("unknown storage class {class}"))?;
    Ok(Some(match class {
        StorageClass::Input => return Ok(None),
        StorageClass::Function | StorageClass::Private => AddrSpace::Private,
        StorageClass::Workgroup => AddrSpace::Local,
        StorageClass::CrossWorkgroup | StorageClass::DeviceOnlyALTERA | StorageClass::HostOnlyALTERA => {
            AddrSpace::Global
        }
        StorageClass::UniformConstant => AddrSpace::Constant,
        StorageClass::Generic => AddrSpace::Generic,
        other => return Err(format!("kernels have no memory of class {other:?}")),
    }))
}

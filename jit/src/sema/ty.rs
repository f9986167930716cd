//! Questions about types and their names in messages. Conversions are in `convert`.

use super::Sema;
use crate::ast;
use crate::hir::{OpaqueKind, Quals, Ty, TyKind, Types};
use crate::image::{ImageAccess, ImageShape};
use crate::launch::AddrSpace;
use std::fmt::Write;

/// A type with the qualifiers and the address space that a declaration gives its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct QTy {
    /// The type.
    pub(super) ty: Ty,
    /// `const`, `volatile`, `restrict` of the object.
    pub(super) quals: Quals,
    /// Address space if written.
    pub(super) space: Option<AddrSpace>,
    /// Bytes that the `aligned` attribute of a typedef asks for; 0 = none.
    pub(super) aligned: u32,
}

impl QTy {
    /// No qualifiers.
    pub(super) fn plain(ty: Ty) -> Self {
        Self { ty, quals: Quals::empty(), space: None, aligned: 0 }
    }
}

/// What a scalar or element type is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Num {
    /// `bool`.
    Bool,
    /// Integer of these bits, signed or not.
    Int(u8, bool),
    /// Float of these bits.
    Float(u8),
}

impl Sema<'_> {
    pub(super) fn kind(&self, ty: Ty) -> &TyKind {
        self.unit.types.kind(ty)
    }

    /// The number kind of a scalar arithmetic type.
    pub(super) fn num(&self, ty: Ty) -> Option<Num> {
        Some(match *self.kind(ty) {
            TyKind::Bool => Num::Bool,
            TyKind::Int { bits, signed } => Num::Int(bits, signed),
            TyKind::Float { bits } => Num::Float(bits),
            _ => return None,
        })
    }

    /// The number kind of a scalar's or of a vector's elements.
    pub(super) fn elem_num(&self, ty: Ty) -> Option<Num> {
        self.num(self.unit.types.lanes(ty).0)
    }

    pub(super) fn is_error(&self, ty: Ty) -> bool {
        ty == Types::ERROR
    }

    /// Scalar number.
    pub(super) fn is_arith(&self, ty: Ty) -> bool {
        self.num(ty).is_some()
    }

    /// Scalar integer or bool.
    pub(super) fn is_integer(&self, ty: Ty) -> bool {
        matches!(self.num(ty), Some(Num::Bool | Num::Int(..)))
    }

    pub(super) fn is_vector(&self, ty: Ty) -> bool {
        matches!(self.kind(ty), TyKind::Vector { .. })
    }

    pub(super) fn is_pointer(&self, ty: Ty) -> bool {
        matches!(self.kind(ty), TyKind::Pointer { .. })
    }

    pub(super) fn is_array(&self, ty: Ty) -> bool {
        matches!(self.kind(ty), TyKind::Array { .. })
    }

    pub(super) fn is_record(&self, ty: Ty) -> bool {
        matches!(self.kind(ty), TyKind::Record(_))
    }

    /// Shape and access of an image type.
    pub(super) fn image(&self, ty: Ty) -> Option<(ImageShape, ImageAccess)> {
        match *self.kind(ty) {
            TyKind::Opaque(OpaqueKind::Image(shape, access)) => Some((shape, access)),
            _ => None,
        }
    }

    /// Packet type and access of a pipe type.
    pub(super) fn pipe(&self, ty: Ty) -> Option<(Ty, ImageAccess)> {
        match *self.kind(ty) {
            TyKind::Opaque(OpaqueKind::Pipe(packet, access)) => Some((packet, access)),
            _ => None,
        }
    }

    /// A queue or an event of the device, which may be compared.
    pub(super) fn is_handle(&self, ty: Ty) -> bool {
        matches!(self.kind(ty), TyKind::Opaque(OpaqueKind::Queue | OpaqueKind::ClkEvent))
    }

    pub(super) fn is_sampler(&self, ty: Ty) -> bool {
        matches!(self.kind(ty), TyKind::Opaque(OpaqueKind::Sampler))
    }

    /// Scalar or vector of floats.
    pub(super) fn is_float_elem(&self, ty: Ty) -> bool {
        matches!(self.elem_num(ty), Some(Num::Float(_)))
    }

    /// Scalar or vector of integers (bool included).
    pub(super) fn is_int_elem(&self, ty: Ty) -> bool {
        matches!(self.elem_num(ty), Some(Num::Bool | Num::Int(..)))
    }

    /// Number or pointer: what `if` and `!` take.
    pub(super) fn is_scalar(&self, ty: Ty) -> bool {
        self.is_arith(ty) || self.is_pointer(ty)
    }

    /// Pointee, its qualifiers and its space.
    pub(super) fn pointee(&self, ty: Ty) -> Option<(Ty, Quals, AddrSpace)> {
        match *self.kind(ty) {
            TyKind::Pointer { pointee, quals, space } => Some((pointee, quals, space)),
            _ => None,
        }
    }

    /// Size of a complete type.
    pub(super) fn size_of(&self, ty: Ty) -> Option<u64> {
        self.unit.types.size_align(ty).map(|(size, _)| size)
    }

    /// Alignment of a complete type.
    pub(super) fn align_of(&self, ty: Ty) -> u32 {
        self.unit.types.size_align(ty).map_or(1, |(_, align)| align.max(1))
    }

    /// The signed integer type as wide as a number type; for results of vector comparisons.
    pub(super) fn mask_type(&mut self, ty: Ty) -> Ty {
        let (elem, lanes) = self.unit.types.lanes(ty);
        let elem = match self.size_of(elem) {
            Some(1) => Types::CHAR,
            Some(2) => Types::SHORT,
            Some(8) => Types::LONG,
            _ => Types::INT,
        };
        self.unit.types.vector(elem, lanes)
    }

    /// The type as a message shows it.
    pub(super) fn show(&self, ty: Ty) -> String {
        let mut out = String::new();
        self.write_ty(&mut out, ty, 0);
        out
    }

    fn write_ty(&self, out: &mut String, ty: Ty, depth: u32) {
        if depth > 32 {
            out.push('…');
            return;
        }
        match self.kind(ty) {
            TyKind::Void => out.push_str("void"),
            TyKind::Error => out.push_str("<error>"),
            TyKind::Bool => out.push_str("bool"),
            TyKind::Int { .. } | TyKind::Float { .. } => out.push_str(num_name(self.num(ty))),
            TyKind::Vector { elem, lanes } => {
                let _ = write!(out, "{}{lanes}", num_name(self.num(*elem)));
            }
            TyKind::Pointer { pointee, quals, space } => {
                out.push_str(space_text(*space));
                out.push(' ');
                push_quals(out, *quals);
                match self.kind(*pointee) {
                    TyKind::Array { elem, len, .. } => {
                        self.write_ty(out, *elem, depth + 1);
                        out.push_str(" (*)");
                        push_len(out, *len);
                    }
                    _ => {
                        self.write_ty(out, *pointee, depth + 1);
                        out.push_str(if out.ends_with('*') { "*" } else { " *" });
                    }
                }
            }
            TyKind::Array { .. } => {
                let mut dims = String::new();
                let mut at = ty;
                let mut steps = 0;
                while let TyKind::Array { elem, len, quals } = self.kind(at) {
                    push_len(&mut dims, *len);
                    if !self.is_array(*elem) {
                        push_quals(out, *quals);
                    }
                    at = *elem;
                    steps += 1;
                    if steps > 32 {
                        break;
                    }
                }
                self.write_ty(out, at, depth + 1);
                out.push_str(&dims);
            }
            TyKind::Record(id) => {
                let record = &self.unit.types.records[*id];
                if Some(ty) == self.range {
                    return out.push_str("ndrange_t");
                }
                out.push_str(if record.is_union { "union " } else { "struct " });
                out.push_str(if record.name.is_empty() { "(anonymous)" } else { &record.name });
            }
            TyKind::Enum(id) => {
                let _ = write!(out, "enum {}", self.unit.types.enums[*id]);
            }
            TyKind::Function { ret, params } => {
                self.write_ty(out, *ret, depth + 1);
                out.push_str(" (");
                for (i, &param) in params.iter().enumerate() {
                    if i > 0 {
                        out.push_str(", ");
                    }
                    self.write_ty(out, param, depth + 1);
                }
                out.push_str(if params.is_empty() { "void)" } else { ")" });
            }
            TyKind::Atomic(Types::BOOL) => out.push_str("atomic_flag"),
            TyKind::Atomic(inner) => {
                out.push_str("atomic_");
                self.write_ty(out, *inner, depth + 1);
            }
            TyKind::Opaque(OpaqueKind::Block(func)) => {
                let mut text = String::new();
                self.write_ty(&mut text, *func, depth + 1);
                out.push_str(&text.replacen(" (", " (^)(", 1));
            }
            TyKind::Opaque(kind) => {
                if let OpaqueKind::Image(_, access) | OpaqueKind::Pipe(_, access) = kind {
                    let _ = write!(out, "{} ", access.name());
                }
                out.push_str(opaque_name(*kind));
                if let OpaqueKind::Pipe(packet, _) = kind {
                    out.push(' ');
                    self.write_ty(out, *packet, depth + 1);
                }
            }
        }
    }
}

fn push_len(out: &mut String, len: Option<u64>) {
    match len {
        Some(len) => {
            let _ = write!(out, "[{len}]");
        }
        None => out.push_str("[]"),
    }
}

fn push_quals(out: &mut String, quals: Quals) {
    if quals.contains(Quals::CONST) {
        out.push_str("const ");
    }
    if quals.contains(Quals::VOLATILE) {
        out.push_str("volatile ");
    }
}

/// A number type's name in OpenCL C.
pub(super) fn num_name(num: Option<Num>) -> &'static str {
    match num {
        Some(Num::Bool) => "bool",
        Some(Num::Int(8, true)) => "char",
        Some(Num::Int(8, false)) => "uchar",
        Some(Num::Int(16, true)) => "short",
        Some(Num::Int(16, false)) => "ushort",
        Some(Num::Int(32, true)) => "int",
        Some(Num::Int(32, false)) => "uint",
        Some(Num::Int(_, true)) => "long",
        Some(Num::Int(_, false)) => "ulong",
        Some(Num::Float(16)) => "half",
        Some(Num::Float(32)) => "float",
        Some(Num::Float(_)) => "double",
        None => "<type>",
    }
}

/// An opaque type's name in OpenCL C.
pub(super) fn opaque_name(kind: OpaqueKind) -> &'static str {
    match kind {
        OpaqueKind::Image(shape, _) => shape.name(),
        OpaqueKind::Sampler => "sampler_t",
        OpaqueKind::Event => "event_t",
        OpaqueKind::Queue => "queue_t",
        OpaqueKind::ClkEvent => "clk_event_t",
        OpaqueKind::ReserveId => "reserve_id_t",
        OpaqueKind::Pipe(..) => "pipe",
        OpaqueKind::Block(_) => "block",
    }
}

/// An address space's keyword.
pub(super) fn space_text(space: AddrSpace) -> &'static str {
    match space {
        AddrSpace::Private => "__private",
        AddrSpace::Local => "__local",
        AddrSpace::Global => "__global",
        AddrSpace::Constant => "__constant",
        AddrSpace::Generic => "__generic",
    }
}

/// The type of a scalar name.
pub(super) fn scalar_type(scalar: ast::Scalar) -> Ty {
    match scalar {
        ast::Scalar::Bool => Types::BOOL,
        ast::Scalar::Char => Types::CHAR,
        ast::Scalar::UChar => Types::UCHAR,
        ast::Scalar::Short => Types::SHORT,
        ast::Scalar::UShort => Types::USHORT,
        ast::Scalar::Int => Types::INT,
        ast::Scalar::UInt => Types::UINT,
        ast::Scalar::Long | ast::Scalar::PtrdiffT | ast::Scalar::IntptrT => Types::LONG,
        ast::Scalar::ULong | ast::Scalar::SizeT | ast::Scalar::UintptrT => Types::ULONG,
        ast::Scalar::Half => Types::HALF,
        ast::Scalar::Float => Types::FLOAT,
        ast::Scalar::Double => Types::DOUBLE,
    }
}

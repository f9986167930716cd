//! Types as written → types: specifiers, declarators, tags, enumerators.

use super::scope::{Entity, Tag};
use super::ty::{QTy, scalar_type};
use super::{Sema, is_record_tag, layout};
use crate::ast::{self, ArrayLen, AtomicName, Builtin, ImageDim, OpaqueName, TypeId, TypeKind};
use crate::hir::{Field, OpaqueKind, Quals, Record, RecordId, Ty, TyKind, Types};
use crate::image::{ImageAccess, ImageShape};
use crate::intern::Symbol;
use crate::source::Span;

impl Sema<'_> {
    /// The type that syntax denotes. `None`: reported.
    pub(super) fn resolve(&mut self, id: TypeId) -> Option<QTy> {
        let ast = self.ast;
        let node = &ast[id];
        let mut q = match node.kind {
            TypeKind::Error => return None,
            TypeKind::Builtin(builtin) => QTy::plain(self.builtin_type(builtin, node.span)?),
            TypeKind::Named(name) => self.named(name, node.span)?,
            TypeKind::Record(record) => QTy::plain(self.record(record)?),
            TypeKind::Enum(spec) => QTy::plain(self.enumeration(spec)),
            TypeKind::Pointer(to) => {
                let to = self.resolve(to)?;
                if let TyKind::Function { .. } = self.kind(to.ty) {
                    self.err(node.span, "function pointers are not supported");
                    return None;
                }
                if let TyKind::Opaque(kind) = *self.kind(to.ty)
                    && !kind.is_object()
                {
                    let text = format!("pointer to type '{}' is invalid in OpenCL", self.show(to.ty));
                    self.err(node.span, text);
                    return None;
                }
                let space = to.space.unwrap_or(self.default_space());
                QTy::plain(self.unit.types.pointer(to.ty, to.quals, space))
            }
            TypeKind::Block(to) => {
                self.need_blocks(node.span)?;
                let func = self.resolve(to)?.ty;
                if !matches!(self.kind(func), TyKind::Function { .. }) {
                    self.err(node.span, "block pointer to non-function type is invalid");
                    return None;
                }
                QTy::plain(self.unit.types.intern(TyKind::Opaque(OpaqueKind::Block(func))))
            }
            TypeKind::Array { elem, len } => self.array(elem, len, node.span)?,
            TypeKind::Function { ret, params, form } => {
                let ret = self.resolve(ret);
                let params = self.param_types(&ast[params]);
                if form == ast::ParamsForm::Variadic {
                    self.err(node.span, "invalid prototype, variadic arguments are not allowed in OpenCL");
                    return None;
                }
                let params = params?.into_iter().map(|q| q.ty).collect();
                let ret = ret?.ty;
                if self.is_array(ret) || matches!(self.kind(ret), TyKind::Function { .. }) {
                    let text = format!("function cannot return type '{}'", self.show(ret));
                    self.err(node.span, text);
                    return None;
                }
                QTy::plain(self.unit.types.intern(TyKind::Function { ret, params }))
            }
            TypeKind::Pipe(packet) => QTy::plain(self.pipe_type(packet, node.quals.access, node.span)?),
            TypeKind::TypeofExpr(e) => {
                self.unevaluated += 1;
                let op = self.expr(e);
                self.unevaluated -= 1;
                let op = op?;
                QTy { ty: op.ty, quals: op.quals, space: None, aligned: 0 }
            }
            TypeKind::TypeofType(ty) => self.resolve(ty)?,
        };
        let mut quals = Quals::empty();
        for (flag, qual) in [
            (ast::QualFlags::CONST, Quals::CONST),
            (ast::QualFlags::VOLATILE, Quals::VOLATILE),
            (ast::QualFlags::RESTRICT, Quals::RESTRICT),
        ] {
            quals.set(qual, node.quals.flags.contains(flag));
        }
        if quals.contains(Quals::RESTRICT) && !self.is_pointer(q.ty) && !self.is_array(q.ty) {
            let text = format!("restrict requires a pointer ('{}' is invalid)", self.show(q.ty));
            self.err(node.span, text);
            quals -= Quals::RESTRICT;
        }
        if let (Some(access), None) = (node.quals.access, self.pipe(q.ty)) {
            q.ty = self.with_access(q.ty, access, node.span)?;
        }
        if let Some(space) = node.quals.addr {
            if q.space.is_some_and(|old| old != space) {
                self.err(node.span, "multiple address spaces specified for type");
                return None;
            }
            if space == crate::launch::AddrSpace::Generic && !self.has_generic() {
                self.err(node.span, "the generic address space requires OpenCL C 3.0 (-cl-std=CL3.0)");
                return None;
            }
            q.space = Some(space);
        }
        // Qualifiers of an array are those of its elements.
        if !quals.is_empty()
            && let TyKind::Array { elem, quals: inner, len } = *self.kind(q.ty)
        {
            q.ty = self.requalified(elem, inner | quals, len, 0);
        }
        q.quals |= quals;
        Some(q)
    }

    /// A pipe type. Spec: OpenCL C, "Pipe Functions".
    fn pipe_type(&mut self, packet: TypeId, access: Option<ast::Access>, span: Span) -> Option<Ty> {
        let packet = self.resolve(packet)?.ty;
        if self.is_error(packet) {
            return None;
        }
        if !self.is_packet(packet, 0) {
            let text = format!("'{}' cannot be the type of a pipe's packets", self.show(packet));
            self.err(span, text);
            return None;
        }
        let access = match access {
            None | Some(ast::Access::ReadOnly) => ImageAccess::Read,
            Some(ast::Access::WriteOnly) => ImageAccess::Write,
            Some(ast::Access::ReadWrite) => {
                self.err(span, "access qualifier 'read_write' cannot be used for pipes");
                return None;
            }
        };
        Some(self.unit.types.intern(TyKind::Opaque(OpaqueKind::Pipe(packet, access))))
    }

    /// Scalars and vectors of numbers, and what is built from them.
    fn is_packet(&self, ty: Ty, depth: u32) -> bool {
        match self.kind(ty) {
            TyKind::Int { .. } | TyKind::Float { .. } | TyKind::Vector { .. } | TyKind::Enum(_) => true,
            TyKind::Array { elem, len: Some(_), .. } if depth > 0 && depth < 64 => self.is_packet(*elem, depth + 1),
            TyKind::Record(id) if depth < 64 => {
                let record = &self.unit.types.records[*id];
                record.complete && record.size > 0 && record.fields.iter().all(|f| self.is_packet(f.ty, depth + 1))
            }
            _ => false,
        }
    }

    /// An image type with the access that is written beside it.
    fn with_access(&mut self, ty: Ty, access: ast::Access, span: Span) -> Option<Ty> {
        let Some((shape, _)) = self.image(ty) else {
            if !self.is_error(ty) {
                self.err(span, "access qualifier can only be used for pipe and image type");
            }
            return None;
        };
        let access = match access {
            ast::Access::ReadOnly => ImageAccess::Read,
            ast::Access::WriteOnly => ImageAccess::Write,
            ast::Access::ReadWrite => ImageAccess::ReadWrite,
        };
        if access == ImageAccess::ReadWrite && self.version() < 200 {
            let text = format!("'read_write' of '{}' requires OpenCL C 2.0 or later", shape.name());
            self.err(span, text);
            return None;
        }
        Some(self.unit.types.intern(TyKind::Opaque(OpaqueKind::Image(shape, access))))
    }

    fn requalified(&mut self, elem: Ty, quals: Quals, len: Option<u64>, depth: u32) -> Ty {
        let elem = match *self.kind(elem) {
            TyKind::Array { elem: inner, quals: iq, len } if depth < 64 => {
                self.requalified(inner, iq | quals, len, depth + 1)
            }
            _ => elem,
        };
        self.unit.types.intern(TyKind::Array { elem, quals, len })
    }

    fn builtin_type(&mut self, builtin: Builtin, span: Span) -> Option<Ty> {
        Some(match builtin {
            Builtin::Void => Types::VOID,
            Builtin::Scalar(scalar) => scalar_type(scalar),
            Builtin::Vector(scalar, lanes) => self.unit.types.vector(scalar_type(scalar), lanes),
            Builtin::Image(image) => {
                if image.is_msaa {
                    self.err(span, "multi-sample images are not supported");
                    return None;
                }
                let shape = match (image.dim, image.is_depth) {
                    (ImageDim::D1, _) => ImageShape::D1,
                    (ImageDim::D1Array, _) => ImageShape::D1Array,
                    (ImageDim::D1Buffer, _) => ImageShape::D1Buffer,
                    (ImageDim::D2, false) => ImageShape::D2,
                    (ImageDim::D2, true) => ImageShape::D2Depth,
                    (ImageDim::D2Array, false) => ImageShape::D2Array,
                    (ImageDim::D2Array, true) => ImageShape::D2ArrayDepth,
                    (ImageDim::D3, _) => ImageShape::D3,
                };
                self.unit.types.intern(TyKind::Opaque(OpaqueKind::Image(shape, ImageAccess::Read)))
            }
            Builtin::Atomic(name) => {
                let inner = match name {
                    AtomicName::Flag => Types::BOOL,
                    AtomicName::Int => Types::INT,
                    AtomicName::UInt => Types::UINT,
                    AtomicName::Long | AtomicName::PtrdiffT | AtomicName::IntptrT => Types::LONG,
                    AtomicName::ULong | AtomicName::SizeT | AtomicName::UintptrT => Types::ULONG,
                    AtomicName::Half => Types::HALF,
                    AtomicName::Float => Types::FLOAT,
                    AtomicName::Double => Types::DOUBLE,
                };
                if self.version() < 200 {
                    self.err(span, format!("type '{builtin}' requires OpenCL C 3.0 (-cl-std=CL3.0)"));
                    return None;
                }
                if inner == Types::HALF {
                    self.err(span, format!("type '{builtin}' is not supported"));
                    return None;
                }
                self.unit.types.intern(TyKind::Atomic(inner))
            }
            Builtin::Opaque(OpaqueName::Queue | OpaqueName::ClkEvent | OpaqueName::NdRange)
                if self.version() < 200 || !self.has_feature("__opencl_c_device_enqueue") =>
            {
                let text = format!("type '{builtin}' requires OpenCL C 3.0 and __opencl_c_device_enqueue");
                self.err(span, text);
                return None;
            }
            Builtin::Opaque(name) => {
                let kind = match name {
                    OpaqueName::MemFenceFlags => return Some(Types::UINT),
                    OpaqueName::MemoryOrder
                    | OpaqueName::MemoryScope
                    | OpaqueName::KernelEnqueueFlags
                    | OpaqueName::ClkProfilingInfo => return Some(Types::INT),
                    OpaqueName::Sampler => OpaqueKind::Sampler,
                    OpaqueName::Event => OpaqueKind::Event,
                    OpaqueName::Queue => OpaqueKind::Queue,
                    OpaqueName::ClkEvent => OpaqueKind::ClkEvent,
                    OpaqueName::NdRange => return Some(self.range_type()),
                    OpaqueName::ReserveId => OpaqueKind::ReserveId,
                };
                self.unit.types.intern(TyKind::Opaque(kind))
            }
        })
    }

    fn named(&mut self, name: Symbol, span: Span) -> Option<QTy> {
        match self.scopes.find(name).map(|named| &named.entity) {
            Some(Entity::Typedef(q)) => Some(*q),
            Some(Entity::Broken) => None,
            Some(_) | None => {
                let text = format!("unknown type name '{}'", self.text(name));
                self.err(span, text);
                None
            }
        }
    }

    fn array(&mut self, elem: TypeId, len: ArrayLen, span: Span) -> Option<QTy> {
        let q = self.resolve(elem);
        let len = match len {
            ArrayLen::Unknown => None,
            ArrayLen::Star => {
                self.err(span, "variable length arrays are not supported in OpenCL");
                return None;
            }
            ArrayLen::Expr(e) | ArrayLen::Static(e) => {
                let value = self.value(e)?;
                if !self.is_integer(self.ty_of(value)) {
                    let text = format!("size of array has non-integer type '{}'", self.show(self.ty_of(value)));
                    self.err(self.ast[e].span, text);
                    return None;
                }
                let Some(n) = self.eval_int(value) else {
                    self.err(self.ast[e].span, "variable length arrays are not supported in OpenCL");
                    return None;
                };
                if n < 0 {
                    self.err(self.ast[e].span, format!("array size is negative ({n})"));
                    return None;
                }
                Some(u64::try_from(n).unwrap_or(u64::MAX))
            }
        };
        let q = q?;
        if self.is_error(q.ty) {
            return None;
        }
        let Some(size) = self.size_of(q.ty) else {
            let text = format!("array has incomplete element type '{}'", self.show(q.ty));
            self.err(span, text);
            return None;
        };
        if len.is_some_and(|len| len.checked_mul(size).is_none_or(|bytes| bytes > 1 << 46)) {
            self.err(span, "array is too large");
            return None;
        }
        if matches!(self.kind(q.ty), TyKind::Opaque(kind) if !kind.is_object()) {
            let text = format!("array of '{}' type is invalid in OpenCL", self.show(q.ty));
            self.err(span, text);
            return None;
        }
        let ty = self.unit.types.intern(TyKind::Array { elem: q.ty, quals: q.quals - Quals::RESTRICT, len });
        Some(QTy { ty, quals: q.quals, space: q.space, aligned: q.aligned })
    }

    /// Types of parameters after adjustment.
    pub(super) fn param_types(&mut self, params: &[ast::DeclId]) -> Option<Vec<QTy>> {
        let ast = self.ast;
        let types: Vec<Option<QTy>> = params
            .iter()
            .map(|&param| {
                let decl = &ast[param];
                let q = self.declared(decl)?;
                self.adjusted_param(q, decl.span)
            })
            .collect();
        types.into_iter().collect()
    }

    fn adjusted_param(&mut self, q: QTy, span: Span) -> Option<QTy> {
        let outer = q.quals;
        match *self.kind(q.ty) {
            TyKind::Array { elem, quals, .. } => {
                let space = q.space.unwrap_or(self.default_space());
                let ty = self.unit.types.pointer(elem, quals, space);
                Some(QTy { ty, quals: outer & Quals::RESTRICT, space: None, aligned: 0 })
            }
            TyKind::Function { .. } => {
                self.err(span, "function pointers are not supported");
                None
            }
            TyKind::Void => {
                self.err(span, "argument may not have 'void' type");
                None
            }
            TyKind::Opaque(kind) if !kind.is_supported() => {
                let text = format!("type '{}' is not supported", self.show(q.ty));
                self.err(span, text);
                None
            }
            _ => {
                if self.is_error(q.ty) {
                    return None;
                }
                if self.size_of(q.ty).is_none() {
                    let text = format!("parameter has incomplete type '{}'", self.show(q.ty));
                    self.err(span, text);
                    return None;
                }
                if self.size_of(q.ty).is_some_and(|size| size > super::MAX_OBJECT_BYTES) {
                    let text = format!("parameter of type '{}' is too large", self.show(q.ty));
                    self.err(span, text);
                    return None;
                }
                if self.elem_half(q.ty) && !self.half_allowed() {
                    let text = format!(
                        "declaring function parameter of type '{}' is not allowed; did you forget * ?",
                        self.show(q.ty)
                    );
                    self.err(span, text);
                    return None;
                }
                if q.space.is_some_and(|space| space != crate::launch::AddrSpace::Private) {
                    self.err(span, "parameter may not be qualified with an address space");
                    return None;
                }
                Some(q)
            }
        }
    }

    // ---- tags

    fn record(&mut self, id: ast::RecordId) -> Option<Ty> {
        if let Some(&known) = self.records.get(&id) {
            return known;
        }
        let ast = self.ast;
        let spec = ast[id];
        let is_union = spec.kind == ast::RecordKind::Union;
        let found = spec.tag.and_then(|tag| {
            if spec.members.is_some() { self.scopes.find_tag_here(tag.name) } else { self.scopes.find_tag(tag.name) }
        });
        let record = match (found, spec.tag) {
            (Some((tag, span)), Some(name)) if !is_record_tag(tag, is_union) => {
                let text =
                    format!("use of '{}' with tag type that does not match previous declaration", self.text(name.name));
                self.err_note(name.span, text, span, "previous use is here");
                self.records.insert(id, None);
                return None;
            }
            (Some((Tag::Record(record, _), _)), _) => record,
            (_, name) => {
                let text = name.map(|tag| self.text(tag.name).to_owned()).unwrap_or_default();
                let record = self.unit.types.records.push(Record {
                    name: text,
                    is_union,
                    fields: Vec::new(),
                    size: 0,
                    align: 1,
                    complete: false,
                });
                if let Some(tag) = name {
                    self.scopes.add_tag(tag.name, Tag::Record(record, is_union), tag.span);
                }
                record
            }
        };
        let ty = self.unit.types.intern(TyKind::Record(record));
        self.records.insert(id, Some(ty));
        if let Some(members) = spec.members {
            if self.unit.types.records[record].complete {
                let text = format!("redefinition of '{}'", self.show(ty));
                let at = spec.tag.map_or(spec.span, |tag| tag.span);
                let before = found.map_or(at, |(_, span)| span);
                self.err_note(at, text, before, "previous definition is here");
                return Some(ty);
            }
            self.define_record(record, &ast[members], spec);
        }
        Some(ty)
    }

    fn define_record(&mut self, record: RecordId, members: &[ast::DeclId], spec: ast::Record) {
        let attrs = self.record_attrs(spec.attrs);
        let mut fields: Vec<Field> = Vec::new();
        let mut sizes = Vec::new();
        let mut seen: rustc_hash::FxHashMap<String, Span> = rustc_hash::FxHashMap::default();
        let mut broken = false;
        for &member in members {
            if self.is_host_sized(self.ast[member].ty) {
                self.host_sized.insert(record);
            }
            match self.member_decl(member, &mut seen) {
                Some((field, size)) => {
                    fields.push(field);
                    sizes.push(size);
                }
                None => broken = true,
            }
        }
        let layout = layout::layout(&sizes, spec.kind == ast::RecordKind::Union, attrs);
        let Some(layout) = layout else {
            self.err(spec.span, "structure is too large");
            return;
        };
        for (field, offset) in fields.iter_mut().zip(&layout.offsets) {
            field.offset = *offset;
        }
        let target = &mut self.unit.types.records[record];
        target.fields = fields;
        target.size = layout.size;
        target.align = layout.align;
        // A broken record counts as complete: its error is enough.
        target.complete = true;
        let _ = broken;
    }

    /// True for `size_t` and its kin, and arrays of them.
    fn is_host_sized(&self, ty: TypeId) -> bool {
        match self.ast[ty].kind {
            TypeKind::Array { elem, .. } => self.is_host_sized(elem),
            TypeKind::Builtin(Builtin::Scalar(scalar)) => {
                use ast::Scalar::{IntptrT, PtrdiffT, SizeT, UintptrT};
                matches!(scalar, SizeT | PtrdiffT | IntptrT | UintptrT)
            }
            _ => false,
        }
    }

    fn member_decl(
        &mut self,
        member: ast::DeclId,
        seen: &mut rustc_hash::FxHashMap<String, Span>,
    ) -> Option<(Field, layout::Member)> {
        let decl = self.ast[member];
        let span = decl.name.map_or(decl.span, |name| name.span);
        let q = self.declared(&decl);
        if decl.bits.is_some() {
            self.err(span, "bit-fields are not supported in OpenCL");
            return None;
        }
        let q = q?;
        let attrs = self.decl_attrs(decl.attrs);
        if self.is_error(q.ty) {
            return None;
        }
        match self.kind(q.ty) {
            TyKind::Array { len: None, .. } => {
                self.err(span, "flexible array members are not supported in OpenCL");
                return None;
            }
            TyKind::Function { .. } => {
                self.err(span, "field declared as a function");
                return None;
            }
            TyKind::Opaque(_) => {
                let text =
                    format!("the '{}' type cannot be used to declare a structure or union field", self.show(q.ty));
                self.err(span, text);
                return None;
            }
            _ => {}
        }
        if q.space.is_some() {
            self.err(span, "field may not be qualified with an address space");
            return None;
        }
        let Some((size, align)) = self.unit.types.size_align(q.ty) else {
            let text = format!("field has incomplete type '{}'", self.show(q.ty));
            self.err(span, text);
            return None;
        };
        let mut names: Vec<String> = Vec::new();
        match decl.name {
            Some(name) => names.push(self.text(name.name).to_owned()),
            None => {
                let TyKind::Record(inner) = *self.kind(q.ty) else {
                    self.warn(span, "declaration does not declare anything");
                    return None;
                };
                self.collect_names(inner, &mut names, 0);
            }
        }
        for name in names {
            if let Some(&before) = seen.get(&name) {
                self.err_note(span, format!("duplicate member '{name}'"), before, "previous declaration is here");
                return None;
            }
            seen.insert(name, span);
        }
        let name = decl.name.map(|name| self.text(name.name).to_owned()).unwrap_or_default();
        let field = Field { name, ty: q.ty, quals: q.quals, offset: 0 };
        Some((field, layout::Member { size, align, packed: attrs.packed, aligned: attrs.aligned.max(q.aligned) }))
    }

    fn collect_names(&self, record: RecordId, out: &mut Vec<String>, depth: u32) {
        for field in &self.unit.types.records[record].fields {
            if !field.name.is_empty() {
                out.push(field.name.clone());
            } else if let TyKind::Record(inner) = *self.kind(field.ty)
                && depth < 64
            {
                self.collect_names(inner, out, depth + 1);
            }
        }
    }

    fn enumeration(&mut self, id: ast::EnumId) -> Ty {
        if let Some(&known) = self.enums.get(&id) {
            return known;
        }
        let ast = self.ast;
        let spec = ast[id];
        self.enums.insert(id, Types::INT);
        let Some(enumerators) = spec.enumerators else {
            let found = spec.tag.and_then(|tag| self.scopes.find_tag(tag.name).map(|found| (tag, found)));
            let ty = match found {
                Some((_, (Tag::Enum(ty), _))) => ty,
                Some((tag, (Tag::Record(..), span))) => {
                    let text = format!(
                        "use of '{}' with tag type that does not match previous declaration",
                        self.text(tag.name)
                    );
                    self.err_note(tag.span, text, span, "previous use is here");
                    Types::ERROR
                }
                None => Types::INT,
            };
            self.enums.insert(id, ty);
            return ty;
        };
        let mut next: i128 = 0;
        let (mut low, mut high) = (0i128, 0i128);
        for enumerator in &ast[enumerators] {
            if let Some(e) = enumerator.value {
                let what = format!("value of enumerator '{}'", self.text(enumerator.name.name));
                if let Some(value) = self.int_constant_expr(e, &what) {
                    next = value;
                }
            }
            let ty = if i32::try_from(next).is_ok() {
                Types::INT
            } else if u32::try_from(next).is_ok() {
                Types::UINT
            } else if i64::try_from(next).is_ok() {
                Types::LONG
            } else {
                Types::ULONG
            };
            (low, high) = (low.min(next), high.max(next));
            let bits = if self.size_of(ty) == Some(4) { u64::from(next as u32) } else { next as u64 };
            self.declare(enumerator.name, Entity::Enumerator(bits, ty));
            next += 1;
        }
        let ty = if low >= i128::from(i32::MIN) && high <= i128::from(i32::MAX) {
            Types::INT
        } else if low >= 0 && high <= i128::from(u32::MAX) {
            Types::UINT
        } else if high <= i128::from(i64::MAX) {
            Types::LONG
        } else {
            Types::ULONG
        };
        if let Some(tag) = spec.tag {
            if let Some((_, before)) = self.scopes.find_tag_here(tag.name) {
                let text = format!("redefinition of 'enum {}'", self.text(tag.name));
                self.err_note(tag.span, text, before, "previous definition is here");
            } else {
                self.scopes.add_tag(tag.name, Tag::Enum(ty), tag.span);
            }
        }
        self.enums.insert(id, ty);
        ty
    }
}

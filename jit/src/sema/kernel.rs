//! Kernel signatures: which argument types are allowed, what the host is told, where each argument lies in the argument
//! block. Spec: OpenCL C, "Restrictions"; OpenCL API, "Kernel Object Queries".

use super::Sema;
use super::attr::DeclAttrs;
use super::ty::QTy;
use crate::ast::{self, Builtin, Scalar, TypeKind};
use crate::hir::{OpaqueKind, Quals, Ty, TyKind, Types};
use crate::launch::{AddrSpace, ArgInfo, ArgKind, KernelInfo, Pointers};
use crate::source::Span;

/// Bytes of arguments that a kernel may have: far more than `CL_DEVICE_MAX_PARAMETER_SIZE` promises.
const MAX_ARG_BYTES: usize = 1 << 20;

impl Sema<'_> {
    pub(super) fn kernel_info(&mut self, id: ast::DeclId, name: &str, params: &[QTy], attrs: &DeclAttrs) -> KernelInfo {
        let ast = self.ast;
        let decls = ast.params_of(id).unwrap_or(&[]);
        let mut args = Vec::with_capacity(params.len());
        let mut end = 0usize;
        for (i, q) in params.iter().enumerate() {
            let decl = decls.get(i).map(|&d| ast[d]);
            let span = decl.map_or(ast[id].span, |d| d.name.map_or(d.span, |n| n.span));
            self.check_kernel_param(*q, decl, span);
            let kind = match self.pointee(q.ty) {
                Some((_, _, AddrSpace::Local)) => ArgKind::Local,
                Some((_, _, AddrSpace::Constant)) => ArgKind::Buffer { space: AddrSpace::Constant },
                Some(_) => ArgKind::Buffer { space: AddrSpace::Global },
                None => self.opaque_arg(q.ty),
            };
            let (size, align) = self.unit.types.size_align(q.ty).unwrap_or((8, 8));
            let offset = end.next_multiple_of(align.max(1) as usize);
            end = offset.saturating_add(size as usize);
            let (pointee_quals, space) =
                self.pointee(q.ty).map_or((Quals::empty(), AddrSpace::Private), |p| (p.1, p.2));
            args.push(ArgInfo {
                name: decl.and_then(|d| d.name).map(|n| self.text(n.name).to_owned()).unwrap_or_default(),
                type_name: self.arg_type_name(q.ty, decl),
                kind,
                offset,
                size: size as usize,
                is_const: pointee_quals.contains(Quals::CONST) || space == AddrSpace::Constant,
                is_restrict: self.is_pointer(q.ty) && q.quals.contains(Quals::RESTRICT),
                is_volatile: pointee_quals.contains(Quals::VOLATILE),
                streamed_bytes: 0,
            });
        }
        self.check_arg_bytes(end, self.ast[id].span);
        KernelInfo {
            name: name.to_owned(),
            args,
            arg_block_bytes: end,
            reqd_work_group_size: attrs.reqd,
            reqd_sub_group_size: attrs.sub_group,
            has_single_sub_groups: false,
            work_group_size_hint: attrs.hint,
            vec_len_hint: attrs.vec_len,
            attributes: attrs.spelled.join(" "),
            local_bytes: 0,
            private_bytes: 0,
            group_agnostic: false,
            may_wait: false,
            is_block: false,
            enqueues: false,
            vector_dim: 0,
            rival_dim: None,
            unit_dims: [0; 3],
            pointers: Pointers::default(),
            integers: 0,
            strides: 0,
            footprints: Vec::new(),
        }
    }

    pub(super) fn check_arg_bytes(&mut self, bytes: usize, span: Span) {
        if bytes > MAX_ARG_BYTES {
            let text = format!("kernel arguments take {bytes} bytes; at most {MAX_ARG_BYTES} are supported");
            self.err(span, text);
        }
    }

    fn check_kernel_param(&mut self, q: QTy, decl: Option<ast::Decl>, span: Span) {
        if let Some((pointee, _, space)) = self.pointee(q.ty) {
            if !matches!(space, AddrSpace::Global | AddrSpace::Local | AddrSpace::Constant) {
                self.err(
                    span,
                    "pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space",
                );
            } else if self.is_pointer(pointee) && self.version() < 200 {
                let text =
                    format!("kernel parameter cannot be declared as a pointer to a pointer ('{}')", self.show(q.ty));
                self.err(span, text);
            }
            return;
        }
        let word = decl.and_then(|d| match self.ast[d.ty].kind {
            TypeKind::Builtin(Builtin::Scalar(
                s @ (Scalar::Bool | Scalar::SizeT | Scalar::PtrdiffT | Scalar::IntptrT | Scalar::UintptrT),
            )) => Some(s.name()),
            _ => None,
        });
        let bad = match word {
            Some(word) => Some(word.to_owned()),
            None if self.opaque_arg(q.ty) != ArgKind::Value => None,
            None if Some(q.ty) == self.range => Some(self.show(q.ty)),
            None if q.ty == Types::BOOL || matches!(self.kind(q.ty), TyKind::Opaque(_) | TyKind::Atomic(_)) => {
                Some(self.show(q.ty))
            }
            None => None,
        };
        if let Some(bad) = bad {
            self.err(span, format!("'{bad}' cannot be used as the type of a kernel parameter"));
            return;
        }
        if self.is_record(q.ty) && self.holds_host_sized(q.ty, 0) {
            let text = format!(
                "'{}' cannot be used as the type of a kernel parameter: it has a member of type bool, size_t, ptrdiff_t, \
                 intptr_t or uintptr_t",
                self.show(q.ty)
            );
            self.err(span, text);
        }
        if self.is_record(q.ty) && self.holds_pointer(q.ty, 0) {
            let text = format!("struct kernel parameters may not contain pointers ('{}')", self.show(q.ty));
            self.err(span, text);
        }
    }

    /// True if a member has one of the scalar types that kernel parameters must not have.
    fn holds_host_sized(&self, ty: Ty, depth: u32) -> bool {
        match self.kind(ty) {
            TyKind::Bool => true,
            TyKind::Array { elem, .. } if depth < 64 => self.holds_host_sized(*elem, depth + 1),
            TyKind::Record(id) if depth < 64 => {
                let members = &self.unit.types.records[*id].fields;
                self.host_sized.contains(id) || members.iter().any(|m| self.holds_host_sized(m.ty, depth + 1))
            }
            _ => false,
        }
    }

    fn holds_pointer(&self, ty: Ty, depth: u32) -> bool {
        match self.kind(ty) {
            TyKind::Pointer { .. } => true,
            TyKind::Array { elem, .. } if depth < 64 => self.holds_pointer(*elem, depth + 1),
            TyKind::Record(id) if depth < 64 => {
                self.unit.types.records[*id].fields.iter().any(|field| self.holds_pointer(field.ty, depth + 1))
            }
            _ => false,
        }
    }

    /// `CL_KERNEL_ARG_TYPE_NAME`: "the argument type name as it was declared", so the name of a typedef; without
    /// qualifiers and blanks, unsigned types in one word.
    fn arg_type_name(&self, ty: Ty, decl: Option<ast::Decl>) -> String {
        let mut stars = 0;
        let mut at = ty;
        let mut written = decl.map(|d| d.ty);
        let named = |written: Option<ast::TypeId>| match self.ast[written?].kind {
            TypeKind::Named(symbol) => Some(self.text(symbol).to_owned()),
            _ => None,
        };
        while let (Some((pointee, ..)), None) = (self.pointee(at), named(written)) {
            at = pointee;
            stars += 1;
            written = written.and_then(|t| match self.ast[t].kind {
                TypeKind::Pointer(inner) => Some(inner),
                TypeKind::Array { elem, .. } => Some(elem),
                _ => None,
            });
        }
        let mut name = named(written).unwrap_or_else(|| match self.kind(at) {
            TyKind::Opaque(OpaqueKind::Image(shape, _)) => shape.name().to_owned(),
            // "does not include any type qualifiers", of which `pipe` is one here.
            TyKind::Opaque(OpaqueKind::Pipe(packet, _)) => self.show(*packet),
            _ => self.show(at),
        });
        name.extend(std::iter::repeat_n('*', stars));
        name
    }
}

//! Attributes: what `__attribute__((…))` lists say. Spec: OpenCL C, "Attribute Qualifiers".

use super::Sema;
use super::layout::RecordAttrs;
use super::ty::{Num, QTy};
use crate::ast::{self, AttrArg, List};
use crate::hir::Ty;
use crate::source::Span;
use crate::target::SUB_GROUP_SIZES;

/// Attributes of a declaration that mean something.
#[derive(Clone, Debug, Default)]
pub(super) struct DeclAttrs {
    /// `aligned(n)`; 0 = none.
    pub(super) aligned: u32,
    /// `packed`.
    pub(super) packed: bool,
    /// `overloadable`.
    pub(super) overloadable: bool,
    /// `intel_reqd_sub_group_size(n)`.
    pub(super) sub_group: Option<u8>,
    /// `intel_vec_len_hint(n)`; 0 = none.
    pub(super) vec_len: u8,
    /// `reqd_work_group_size(x, y, z)`.
    pub(super) reqd: Option<[u64; 3]>,
    /// `work_group_size_hint(x, y, z)`.
    pub(super) hint: Option<[u64; 3]>,
    /// The first attribute that only kernels may have.
    pub(super) for_kernels: Option<(String, Span)>,
    /// Kernel attributes as `CL_KERNEL_ATTRIBUTES` spells them.
    pub(super) spelled: Vec<String>,
}

/// Attributes without effect that programs use.
const HARMLESS: &[&str] = &[
    "unused",
    "used",
    "const",
    "pure",
    "weak",
    "deprecated",
    "noreturn",
    "nothrow",
    "visibility",
    "section",
    "hot",
    "cold",
    "endian",
    "nosvm",
    "may_alias",
    "convergent",
    "flatten",
    "warn_unused_result",
    "nonnull",
    "format",
    "annotate",
    "opencl_unroll_hint",
    "unroll",
    "uniform_work_group_size",
    "artificial",
    "gnu_inline",
    "malloc",
    "leaf",
    "unavailable",
];

/// Attributes that only kernels may have.
const FOR_KERNELS: &[&str] = &[
    "reqd_work_group_size",
    "work_group_size_hint",
    "vec_type_hint",
    "intel_reqd_sub_group_size",
    "intel_vec_len_hint",
];

/// What `intel_vec_len_hint` takes: 0 leaves the number of lanes to the compiler, 1 is scalar code.
const VECTOR_LENGTHS: [u8; 5] = [0, 1, 4, 8, 16];

/// Largest alignment that an attribute may ask for, in bytes.
const MAX_ALIGN: i128 = 4096;

impl Sema<'_> {
    pub(super) fn record_attrs(&mut self, list: List<ast::Attr>) -> RecordAttrs {
        let attrs = self.decl_attrs(list);
        for attr in &self.ast[list] {
            let name = bare(self.text(attr.name.name)).to_owned();
            if is_vector_attr(&name) {
                self.err(attr.span, format!("'{name}' attribute does not apply to structures and unions"));
            }
        }
        RecordAttrs { packed: attrs.packed, aligned: attrs.aligned }
    }

    pub(super) fn decl_attrs(&mut self, list: List<ast::Attr>) -> DeclAttrs {
        let ast = self.ast;
        let mut out = DeclAttrs::default();
        for attr in &ast[list] {
            let name = self.text(attr.name.name).to_owned();
            let bare = bare(&name);
            let args = &ast[attr.args];
            if FOR_KERNELS.contains(&bare) {
                out.for_kernels.get_or_insert_with(|| (bare.to_owned(), attr.span));
            }
            match bare {
                "packed" => out.packed = true,
                "aligned" => {
                    if let Some(align) = self.alignment(args, attr.span) {
                        out.aligned = out.aligned.max(align);
                    }
                }
                "overloadable" => out.overloadable = true,
                // Part of the type: see `declared`.
                _ if is_vector_attr(bare) => {}
                // `pass::inline` knows better.
                "always_inline" | "noinline" => {}
                "reqd_work_group_size" => {
                    if let Some(size) = self.three(args, bare, attr.span) {
                        if size.contains(&0) {
                            self.err(attr.span, "'reqd_work_group_size' attribute must be greater than 0");
                            continue;
                        }
                        if out.reqd.is_some_and(|old| old != size) {
                            self.err(
                                attr.span,
                                "attribute 'reqd_work_group_size' is already applied with different arguments",
                            );
                        }
                        out.reqd = Some(size);
                        out.spelled.push(format!("reqd_work_group_size({},{},{})", size[0], size[1], size[2]));
                    }
                }
                "work_group_size_hint" => {
                    if let Some(size) = self.three(args, bare, attr.span) {
                        out.hint = Some(size);
                        out.spelled.push(format!("work_group_size_hint({},{},{})", size[0], size[1], size[2]));
                    }
                }
                "vec_type_hint" => {
                    let ty = match args {
                        [AttrArg::Type(ty)] => self.resolve(*ty),
                        [AttrArg::Expr(_)] | [] | [_, _, ..] => {
                            self.err(attr.span, "'vec_type_hint' attribute takes one type");
                            None
                        }
                    };
                    if let Some(q) = ty {
                        if self.elem_num(q.ty).is_none() {
                            let text = format!(
                                "invalid attribute argument '{}': expecting a vector or vectorizable scalar type",
                                self.show(q.ty)
                            );
                            self.err(attr.span, text);
                        } else {
                            out.spelled.push(format!("vec_type_hint({})", self.show(q.ty)));
                        }
                    }
                }
                "intel_reqd_sub_group_size" => self.sub_group_size(args, attr.span, &mut out),
                "intel_vec_len_hint" => self.vector_length(args, attr.span, &mut out),
                _ if HARMLESS.contains(&bare) => {}
                _ => self.warn(attr.span, format!("unknown attribute '{name}' ignored")),
            }
        }
        out
    }

    /// Spec: `cl_intel_required_subgroup_size`.
    fn sub_group_size(&mut self, args: &[AttrArg], span: Span, out: &mut DeclAttrs) {
        let size = match *args {
            [AttrArg::Expr(e)] => self.int_constant_expr(e, "'intel_reqd_sub_group_size' attribute argument"),
            _ => None,
        };
        let known = SUB_GROUP_SIZES.into_iter().find(|&n| Some(i128::from(n)) == size);
        let Some(size) = known else {
            self.err(span, format!("'intel_reqd_sub_group_size' attribute takes one of {SUB_GROUP_SIZES:?}"));
            return;
        };
        if out.sub_group.is_some_and(|old| old != size) {
            self.err(span, "attribute 'intel_reqd_sub_group_size' is already applied with different arguments");
        }
        out.sub_group = Some(size);
        out.spelled.push(format!("intel_reqd_sub_group_size({size})"));
    }

    /// Spec: `cl_intel_vec_len_hint`, which Intel's guide for developers describes.
    fn vector_length(&mut self, args: &[AttrArg], span: Span, out: &mut DeclAttrs) {
        let length = match *args {
            [AttrArg::Expr(e)] => self.int_constant_expr(e, "'intel_vec_len_hint' attribute argument"),
            _ => None,
        };
        let Some(length) = VECTOR_LENGTHS.into_iter().find(|&n| Some(i128::from(n)) == length) else {
            self.err(span, format!("'intel_vec_len_hint' attribute takes one of {VECTOR_LENGTHS:?}"));
            return;
        };
        out.vec_len = length;
        out.spelled.push(format!("intel_vec_len_hint({length})"));
    }

    /// The type of what is declared, with attributes that make a vector of it. Spec: OpenCL C, "Built-in Vector Data
    /// Types": they are another way to write those.
    pub(super) fn declared(&mut self, decl: &ast::Decl) -> Option<QTy> {
        let mut q = self.resolve(decl.ty)?;
        let ast = self.ast;
        for attr in &ast[decl.attrs] {
            let name = bare(self.text(attr.name.name)).to_owned();
            if is_vector_attr(&name) && !self.is_error(q.ty) {
                q.ty = self.vector_of(q.ty, &name, attr)?;
            }
        }
        Some(q)
    }

    /// `ext_vector_type(lanes)` or `vector_size(bytes)` on a scalar type.
    fn vector_of(&mut self, ty: Ty, name: &str, attr: &ast::Attr) -> Option<Ty> {
        let ast = self.ast;
        let &[AttrArg::Expr(e)] = &ast[attr.args] else {
            self.err(attr.span, format!("'{name}' attribute takes one integer"));
            return None;
        };
        if !matches!(self.num(ty), Some(Num::Int(..) | Num::Float(_))) {
            let text = format!("'{name}' attribute does not apply to type '{}': scalar type expected", self.show(ty));
            self.err(attr.span, text);
            return None;
        }
        let n = self.int_constant_expr(e, &format!("'{name}' attribute argument"))?;
        let size = self.size_of(ty).map_or(1, i128::from);
        let lanes = match name {
            "ext_vector_type" => n,
            _ if n % size == 0 => n / size,
            _ => 0,
        };
        match lanes {
            2 | 3 | 4 | 8 | 16 => Some(self.unit.types.vector(ty, lanes as u8)),
            _ => {
                let text = format!("'{name}({n})' of '{}' is no vector type of OpenCL C", self.show(ty));
                self.err_note(attr.span, text, attr.span, "vectors have 2, 3, 4, 8 or 16 elements");
                None
            }
        }
    }

    /// Attributes in front of a statement. Spec: OpenCL C, "Specifying Attribute For Unrolling Loops".
    pub(super) fn stmt_attrs(&mut self, list: List<ast::Attr>, is_loop: bool) {
        let ast = self.ast;
        for attr in &ast[list] {
            if self.text(attr.name.name) != "opencl_unroll_hint" {
                continue;
            }
            if !is_loop {
                let text = "'opencl_unroll_hint' attribute is for 'for', 'while' and 'do' statements only";
                self.err(attr.span, text);
                continue;
            }
            match &ast[attr.args] {
                [] => {}
                &[AttrArg::Expr(e)] => {
                    if self.int_constant_expr(e, "'opencl_unroll_hint' attribute argument").is_some_and(|n| n <= 0) {
                        self.err(attr.span, "'opencl_unroll_hint' attribute requires a positive integral constant");
                    }
                }
                _ => self.err(attr.span, "'opencl_unroll_hint' attribute takes no more than 1 argument"),
            }
        }
    }

    fn alignment(&mut self, args: &[AttrArg], span: Span) -> Option<u32> {
        match args {
            [] => Some(16),
            [AttrArg::Expr(e)] => {
                let n = self.int_constant_expr(*e, "'aligned' attribute")?;
                if n <= 0 || n > MAX_ALIGN || n & (n - 1) != 0 {
                    self.err(span, format!("requested alignment {n} is not a power of 2 up to {MAX_ALIGN}"));
                    return None;
                }
                Some(n as u32)
            }
            _ => {
                self.err(span, "'aligned' attribute takes one integer");
                None
            }
        }
    }

    fn three(&mut self, args: &[AttrArg], name: &str, span: Span) -> Option<[u64; 3]> {
        let &[AttrArg::Expr(x), AttrArg::Expr(y), AttrArg::Expr(z)] = args else {
            self.err(span, format!("'{name}' attribute requires exactly 3 arguments"));
            return None;
        };
        let mut out = [0; 3];
        for (slot, e) in out.iter_mut().zip([x, y, z]) {
            let value = self.int_constant_expr(e, &format!("'{name}' attribute argument"))?;
            let Ok(value) = u32::try_from(value) else {
                self.err(self.ast[e].span, format!("'{name}' attribute argument {value} is out of range"));
                return None;
            };
            *slot = u64::from(value);
        }
        Some(out)
    }
}

/// An attribute's name without `__` on both sides.
fn bare(name: &str) -> &str {
    name.strip_prefix("__").and_then(|n| n.strip_suffix("__")).unwrap_or(name)
}

fn is_vector_attr(name: &str) -> bool {
    matches!(name, "ext_vector_type" | "vector_size")
}

//! Declarations: variables in each address space, functions, typedefs. Spec: OpenCL C, "Address Space Qualifiers",
//! "Restrictions".

use super::scope::{Entity, Named};
use super::ty::QTy;
use super::{FnInfo, Sema, empty_func};
use crate::ast::{self, DeclFlags, Storage, TypeKind};
use crate::builtin;
use crate::hir::{Linkage, Local, OpaqueKind, PlaceKind, Quals, Stmt, StmtId, Ty, TyKind, Types, Var, VarId, WgVar};
use crate::launch::AddrSpace;
use crate::source::Span;

impl Sema<'_> {
    /// A declaration at file scope.
    pub(super) fn file_decl(&mut self, base: ast::TypeId, decls: &[ast::DeclId]) {
        let base_ok = self.resolve(base).is_some();
        for &id in decls {
            self.file_declarator(id, base_ok);
        }
    }

    fn file_declarator(&mut self, id: ast::DeclId, base_ok: bool) {
        let decl = self.ast[id];
        let Some(name) = decl.name else { return };
        let q = if base_ok { self.declared(&decl) } else { None };
        let Some(q) = q else {
            self.declare(name, Entity::Broken);
            return;
        };
        if decl.storage == Storage::Typedef {
            if decl.init.is_some() {
                self.err(name.span, "illegal initializer (only variables can be initialized)");
            }
            let attrs = self.decl_attrs(decl.attrs);
            self.unit.has_aligned_typedefs |= attrs.aligned != 0;
            let q = QTy { aligned: q.aligned.max(attrs.aligned), ..q };
            self.declare(name, Entity::Typedef(q));
            return;
        }
        if let TyKind::Function { .. } = self.kind(q.ty) {
            self.declare_function(id);
            return;
        }
        if self.block_type(q.ty).is_some() {
            self.block_var(id, q, &mut Vec::new());
            return;
        }
        let space = match q.space {
            Some(AddrSpace::Constant) => AddrSpace::Constant,
            None if self.is_sampler(q.ty) && q.quals.contains(Quals::CONST) => AddrSpace::Constant,
            None if self.is_sampler(q.ty) => {
                self.err(name.span, "global sampler requires a const or constant address space qualifier");
                self.declare(name, Entity::Broken);
                return;
            }
            Some(AddrSpace::Global) | None if self.has_globals() => AddrSpace::Global,
            space => {
                let silent = matches!(space, Some(AddrSpace::Global) | None) && self.unsupported_type(q.ty, name.span);
                if !silent {
                    let spaces = if self.has_globals() { "global or constant" } else { "constant" };
                    self.err(name.span, format!("program scope variable must reside in {spaces} address space"));
                }
                self.declare(name, Entity::Broken);
                return;
            }
        };
        self.static_var(id, q, space);
    }

    /// Reports types that no variable may have (yet).
    fn unsupported_type(&mut self, ty: Ty, span: Span) -> bool {
        match self.kind(ty) {
            TyKind::Opaque(OpaqueKind::Sampler) => false,
            TyKind::Opaque(kind) if kind.is_object() => false,
            TyKind::Opaque(OpaqueKind::Image(..) | OpaqueKind::Pipe(..)) => {
                let text = format!("the '{}' type can only be used as a function parameter in OpenCL", self.show(ty));
                self.err(span, text);
                true
            }
            TyKind::Opaque(_) => {
                let text = format!("type '{}' is not supported", self.show(ty));
                self.err(span, text);
                true
            }
            _ => false,
        }
    }

    /// A variable with static storage: initialised at build time.
    fn static_var(&mut self, id: ast::DeclId, q: QTy, space: AddrSpace) {
        let decl = self.ast[id];
        let Some(name) = decl.name else { return };
        let aligned = self.decl_attrs(decl.attrs).aligned.max(q.aligned);
        let text = self.text(name.name).to_owned();
        if self.unsupported_type(q.ty, name.span) || !self.check_object_type(q.ty, name.span, decl.init.is_some(), true)
        {
            self.declare(name, Entity::Broken);
            return;
        }
        let is_extern = decl.storage == Storage::Extern && decl.init.is_none();
        let problem = match (space, decl.init) {
            (AddrSpace::Constant, None) if !is_extern => {
                Some("variable in constant address space must be initialized".to_owned())
            }
            (AddrSpace::Global, None) if !is_extern && self.size_of(q.ty).is_none() => {
                Some("definition of variable with array type needs an explicit size or an initializer".to_owned())
            }
            _ => self.static_type_problem(q.ty, space, decl.init.is_some()),
        };
        if let Some(problem) = problem {
            self.err(name.span, problem);
            self.declare(name, Entity::Broken);
            return;
        }
        let is_local = decl.storage == Storage::Static || (self.scopes.depth() > 0 && !is_extern);
        let linkage = if is_local { Linkage::Internal } else { Linkage::External };
        let in_block = self.scopes.depth() > 0;
        let in_earlier_block = self.block_externs.get(&name.name).copied();
        // An `extern` declaration in a block is the variable at file scope.
        if is_extern && in_block {
            let at_file = match self.scopes.find_file(name.name).map(|named| &named.entity) {
                Some(&Entity::Var(var, quals)) => Some((var, quals)),
                _ => in_earlier_block.map(|var| (var, q.quals)),
            };
            if let Some((var, quals)) = at_file {
                self.declare(name, Entity::Var(var, quals));
                return;
            }
        }
        // A definition may follow or precede an `extern` declaration.
        let before = self.scopes.find_here(name.name).cloned();
        let before = before.or_else(|| {
            let var = in_earlier_block.filter(|_| !in_block)?;
            Some(Named { entity: Entity::Var(var, q.quals), span: self.unit.vars[var].span })
        });
        let var = match before.as_ref().map(|named| &named.entity) {
            Some(&Entity::Var(var, _))
                if is_extern || self.may_be_defined(var, in_block) || self.is_tentative(decl, space) =>
            {
                let old = self.unit.vars[var].ty;
                if old != q.ty && !self.completes(old, q.ty) && !self.completes(q.ty, old) {
                    let message = format!(
                        "redefinition of '{text}' with a different type: '{}' vs '{}'",
                        self.show(q.ty),
                        self.show(old)
                    );
                    let at = before.as_ref().map_or(name.span, |named| named.span);
                    self.err_note(name.span, message, at, "previous declaration is here");
                    return;
                }
                if self.unit.vars[var].space != space {
                    let message = format!("redefinition of '{text}' in a different address space");
                    let at = before.as_ref().map_or(name.span, |named| named.span);
                    self.err_note(name.span, message, at, "previous declaration is here");
                    return;
                }
                if is_extern || (decl.init.is_none() && !self.unit.vars[var].is_extern) {
                    return;
                }
                let align = self.align_of(q.ty).max(aligned);
                let v = &mut self.unit.vars[var];
                (v.ty, v.is_extern, v.span) = (q.ty, false, name.span);
                v.align = v.align.max(align);
                self.scopes.add(name.name, Entity::Var(var, q.quals), name.span);
                var
            }
            _ => {
                let var = self.unit.vars.push(Var {
                    name: text,
                    ty: q.ty,
                    space,
                    align: self.align_of(q.ty).max(aligned),
                    bytes: Vec::new(),
                    relocs: Vec::new(),
                    is_extern,
                    linkage,
                    span: name.span,
                });
                if !self.declare(name, Entity::Var(var, q.quals)) {
                    return;
                }
                if is_extern && in_block {
                    self.block_externs.insert(name.name, var);
                }
                var
            }
        };
        if let Some(init) = decl.init {
            match self.static_init(q.ty, init) {
                Some((ty, bytes, relocs)) => {
                    let align = self.align_of(ty).max(aligned);
                    let var = &mut self.unit.vars[var];
                    (var.ty, var.bytes, var.relocs) = (ty, bytes, relocs);
                    var.align = var.align.max(align);
                }
                None => {
                    if self.size_of(q.ty).is_none() {
                        self.unit.vars[var].ty = Types::ERROR;
                    }
                }
            }
        }
    }

    /// True if a declared variable has no initialiser yet, so that a definition may follow.
    fn may_be_defined(&self, var: VarId, in_block: bool) -> bool {
        let var = &self.unit.vars[var];
        let has_init = !var.bytes.is_empty() || !var.relocs.is_empty();
        var.is_extern || (var.space == AddrSpace::Global && !has_init && !in_block)
    }

    /// True for a declaration that stands for a definition without initialiser if there is no other. Spec: C99,
    /// "External object definitions".
    fn is_tentative(&self, decl: ast::Decl, space: AddrSpace) -> bool {
        space == AddrSpace::Global && decl.init.is_none() && self.scopes.depth() == 0
    }

    /// Why a type cannot be that of a variable with static storage.
    fn static_type_problem(&self, ty: Ty, space: AddrSpace, has_init: bool) -> Option<String> {
        match self.kind(self.innermost(ty)) {
            TyKind::Opaque(OpaqueKind::Event) => Some(space_problem("event_t", space)),
            TyKind::Opaque(OpaqueKind::Queue) => Some(space_problem("queue_t", space)),
            TyKind::Opaque(OpaqueKind::ClkEvent) => Some(space_problem("clk_event_t", space)),
            TyKind::Opaque(OpaqueKind::ReserveId) if space != AddrSpace::Local => {
                Some(space_problem("reserve_id_t", space))
            }
            TyKind::Opaque(OpaqueKind::Sampler) if space != AddrSpace::Constant => {
                Some(space_problem("sampler_t", space))
            }
            TyKind::Atomic(_) if space != AddrSpace::Global && has_init => {
                Some("only atomic variables in the global address space can be initialized".to_owned())
            }
            _ => None,
        }
    }

    /// True if array type `full` completes `open`.
    fn completes(&self, open: Ty, full: Ty) -> bool {
        match (self.kind(open), self.kind(full)) {
            (TyKind::Array { elem: a, len: None, .. }, TyKind::Array { elem: b, .. }) => a == b,
            _ => false,
        }
    }

    /// Checks that an object may have this type; arrays of unknown length need an initialiser.
    fn check_object_type(&mut self, ty: Ty, span: Span, has_init: bool, is_static: bool) -> bool {
        if self.is_error(ty) {
            return false;
        }
        if self.size_of(ty).is_some_and(|size| size > super::MAX_OBJECT_BYTES) {
            let text = format!("variable of type '{}' is too large", self.show(ty));
            self.err(span, text);
            return false;
        }
        if let TyKind::Array { elem, len: None, .. } = *self.kind(ty) {
            if !has_init && !is_static {
                self.err(span, "definition of variable with array type needs an explicit size or an initializer");
                return false;
            }
            return self.size_of(elem).is_some();
        }
        // `extern constant struct S s;` may stay incomplete.
        if self.size_of(ty).is_none() && !(is_static && !has_init && self.is_record(ty)) {
            let text = format!("variable has incomplete type '{}'", self.show(ty));
            self.err(span, text);
            return false;
        }
        true
    }

    /// Declares a name in the innermost block; a clash is reported and gives false.
    pub(super) fn declare(&mut self, name: ast::Ident, entity: Entity) -> bool {
        if let Some(before) = self.scopes.find_here(name.name).cloned() {
            let same = match (&before.entity, &entity) {
                (Entity::Typedef(a), Entity::Typedef(b)) => a == b,
                (Entity::Broken, _) => true,
                (_, Entity::Broken) => return true,
                _ => false,
            };
            if !same {
                let alike = std::mem::discriminant(&before.entity) == std::mem::discriminant(&entity);
                let what = if alike { "" } else { " as different kind of symbol" };
                let text = format!("redefinition of '{}'{what}", self.text(name.name));
                self.err_note(name.span, text, before.span, "previous definition is here");
                return false;
            }
        }
        self.scopes.add(name.name, entity, name.span);
        true
    }

    // ---- blocks

    /// A declaration in a function.
    pub(super) fn local_decl(&mut self, base: ast::TypeId, decls: &[ast::DeclId], out: &mut Vec<StmtId>) {
        let base_ok = self.resolve(base).is_some();
        for &id in decls {
            self.local_declarator(id, base_ok, out);
        }
    }

    fn local_declarator(&mut self, id: ast::DeclId, base_ok: bool, out: &mut Vec<StmtId>) {
        let decl = self.ast[id];
        let Some(name) = decl.name else { return };
        let q = if base_ok { self.declared(&decl) } else { None };
        let Some(q) = q else {
            self.declare(name, Entity::Broken);
            return;
        };
        if decl.storage == Storage::Typedef {
            if decl.init.is_some() {
                self.err(name.span, "illegal initializer (only variables can be initialized)");
            }
            let attrs = self.decl_attrs(decl.attrs);
            self.unit.has_aligned_typedefs |= attrs.aligned != 0;
            let q = QTy { aligned: q.aligned.max(attrs.aligned), ..q };
            self.declare(name, Entity::Typedef(q));
            return;
        }
        if let TyKind::Function { .. } = self.kind(q.ty) {
            self.declare_function(id);
            return;
        }
        if self.block_type(q.ty).is_some() {
            self.block_var(id, q, out);
            return;
        }
        if self.unsupported_type(q.ty, name.span) {
            self.declare(name, Entity::Broken);
            return;
        }
        let is_static = matches!(decl.storage, Storage::Static | Storage::Extern);
        let problem = match q.space {
            Some(AddrSpace::Constant) => {
                self.static_var(id, q, AddrSpace::Constant);
                return;
            }
            None if is_static && self.has_globals() && self.is_sampler(q.ty) => {
                self.static_var(id, q, AddrSpace::Constant);
                return;
            }
            Some(AddrSpace::Global) | None if is_static && self.has_globals() => {
                self.static_var(id, q, AddrSpace::Global);
                return;
            }
            Some(AddrSpace::Local) => {
                self.local_memory_var(id, q);
                return;
            }
            Some(AddrSpace::Global) => Some("function scope variable cannot be declared in global address space"),
            Some(AddrSpace::Generic) => Some("variable cannot be declared in generic address space"),
            Some(AddrSpace::Private) | None => match decl.storage {
                Storage::Static => Some("variables in function scope cannot be declared static"),
                Storage::Extern => Some("extern variable must reside in constant address space"),
                _ => None,
            },
        };
        if let Some(problem) = problem {
            self.err(name.span, problem);
            self.declare(name, Entity::Broken);
            return;
        }
        self.private_var(id, q, out);
    }

    /// `__local`: one object per work-group.
    fn local_memory_var(&mut self, id: ast::DeclId, q: QTy) {
        let decl = self.ast[id];
        let Some(name) = decl.name else { return };
        let attrs = self.decl_attrs(decl.attrs);
        let problem = if !self.in_kernel {
            Some("non-kernel function variable cannot be declared in local address space".to_owned())
        } else if self.scopes.depth() > 1 {
            let text =
                "variables in the local address space can only be declared in the outermost scope of a kernel function";
            Some(text.to_owned())
        } else if decl.init.is_some() {
            Some("'__local' variable cannot have an initializer".to_owned())
        } else if matches!(decl.storage, Storage::Static | Storage::Extern) {
            Some("static and extern variables must reside in global or constant address space".to_owned())
        } else {
            self.static_type_problem(q.ty, AddrSpace::Local, false)
        };
        if let Some(problem) = problem {
            self.err(name.span, problem);
            self.declare(name, Entity::Broken);
            return;
        }
        if !self.check_object_type(q.ty, name.span, false, false) {
            self.declare(name, Entity::Broken);
            return;
        }
        let var = self.unit.wg_vars.push(WgVar {
            name: self.text(name.name).to_owned(),
            ty: q.ty,
            align: self.align_of(q.ty).max(attrs.aligned).max(q.aligned),
            span: name.span,
        });
        self.declare(name, Entity::WgVar(var, q.quals));
    }

    fn private_var(&mut self, id: ast::DeclId, q: QTy, out: &mut Vec<StmtId>) {
        let decl = self.ast[id];
        let Some(name) = decl.name else { return };
        let aligned = self.decl_attrs(decl.attrs).aligned.max(q.aligned);
        let mut ok = self.check_object_type(q.ty, name.span, decl.init.is_some(), false);
        if ok && decl.init.is_some() && matches!(self.kind(self.innermost(q.ty)), TyKind::Atomic(_)) {
            self.err(name.span, "only atomic variables in the global address space can be initialized");
            ok = false;
        }
        if ok && decl.init.is_none() && self.is_sampler(q.ty) {
            self.err(name.span, "variable of type 'sampler_t' must be initialized");
            ok = false;
        }
        if ok && self.elem_half(self.innermost(q.ty)) && !self.half_allowed() && !self.is_array(q.ty) {
            let text = format!("declaring variable of type '{}' is not allowed", self.show(q.ty));
            self.err(name.span, text);
            ok = false;
        }
        if !ok {
            self.declare(name, Entity::Broken);
            return;
        }
        let local = self.f.locals.push(Local {
            name: self.text(name.name).to_owned(),
            ty: q.ty,
            align: if aligned > self.align_of(q.ty) { aligned } else { 0 },
            addr_taken: false,
            span: name.span,
        });
        if !self.declare(name, Entity::Local(local, q.quals)) {
            return;
        }
        let declare = self.push_stmt(Stmt::Declare(local));
        out.push(declare);
        let Some(init) = decl.init else { return };
        match self.local_init(q, init, local, name.span, out) {
            Some(ty) => self.f.locals[local].ty = ty,
            None => {
                if self.size_of(q.ty).is_none() {
                    self.f.locals[local].ty = Types::ERROR;
                }
            }
        }
    }

    fn innermost(&self, mut ty: Ty) -> Ty {
        for _ in 0..64 {
            match *self.kind(ty) {
                TyKind::Array { elem, .. } => ty = elem,
                _ => break,
            }
        }
        ty
    }

    // ---- functions

    /// Declares the function that a declaration or definition names. `None`: reported.
    fn declare_function(&mut self, id: ast::DeclId) -> Option<(crate::hir::FnId, Vec<QTy>)> {
        let ast = self.ast;
        let decl = ast[id];
        let name = decl.name?;
        let attrs = self.decl_attrs(decl.attrs);
        let q = match self.declared(&decl) {
            Some(q) => q,
            None => {
                if self.scopes.find_file(name.name).is_none() {
                    self.scopes.add_file(name.name, Entity::Broken, name.span);
                }
                return None;
            }
        };
        let TyKind::Function { ret, params } = self.kind(q.ty).clone() else { return None };
        let quals: Vec<QTy> = match ast[decl.ty].kind {
            TypeKind::Function { params, .. } => self.param_types(&ast[params])?,
            _ => params.iter().map(|&ty| QTy::plain(ty)).collect(),
        };
        let is_kernel = decl.flags.contains(DeclFlags::KERNEL);
        let text = self.text(name.name).to_owned();
        if is_kernel && ret != Types::VOID {
            self.err(name.span, "kernel must have void return type");
            return None;
        }
        if text == "main" {
            self.err(name.span, "a function in an OpenCL program cannot be called 'main'");
        }
        if let (Some((attr, span)), false) = (&attrs.for_kernels, is_kernel) {
            self.err(*span, format!("'{attr}' attribute is for kernel functions only"));
        }
        if self.elem_half(ret) && !self.half_allowed() {
            let text = format!(
                "declaring function return value of type '{}' is not allowed; did you forget * ?",
                self.show(ret)
            );
            self.err(name.span, text);
            return None;
        }
        if matches!(self.kind(ret), TyKind::Opaque(kind) if !kind.is_object()) {
            let text = format!("declaring function return value of type '{}' is not allowed", self.show(ret));
            self.err(name.span, text);
            return None;
        }
        if self.size_of(ret).is_some_and(|size| size > super::MAX_OBJECT_BYTES) {
            let text = format!("result type '{}' is too large", self.show(ret));
            self.err(name.span, text);
            return None;
        }
        if ret != Types::VOID && self.size_of(ret).is_none() && decl.body.is_some() {
            let text = format!("incomplete result type '{}' in function definition", self.show(ret));
            self.err(name.span, text);
            return None;
        }
        if is_kernel && decl.storage == Storage::Static {
            self.err(name.span, "kernel functions cannot be declared static");
        }
        let linkage = match decl.storage {
            Storage::Static => Linkage::Internal,
            Storage::Extern => Linkage::External,
            _ if decl.flags.contains(DeclFlags::INLINE) => Linkage::Inline,
            _ => Linkage::External,
        };
        let kernel = if is_kernel { Some(self.kernel_info(id, &text, &quals, &attrs)) } else { None };
        let before = self.scopes.find_file(name.name).cloned();
        let mut known = Vec::new();
        match before.as_ref().map(|named| &named.entity) {
            Some(Entity::Funcs(list)) => known = list.clone(),
            Some(Entity::Broken) | None => {}
            Some(_) => {
                let message = format!("redefinition of '{text}' as different kind of symbol");
                let at = before.as_ref().map_or(name.span, |named| named.span);
                self.err_note(name.span, message, at, "previous definition is here");
                return None;
            }
        }
        if let Some(&same) = known.iter().find(|&&f| self.fns[f.0 as usize].params == params) {
            let info = self.fns[same.0 as usize].clone();
            if info.ret != ret {
                self.err_note(
                    name.span,
                    format!("conflicting types for '{text}'"),
                    info.span,
                    "previous declaration is here",
                );
                return None;
            }
            if decl.body.is_some() && info.defined {
                self.err_note(name.span, format!("redefinition of '{text}'"), info.span, "previous definition is here");
                return None;
            }
            let info = &mut self.fns[same.0 as usize];
            info.is_kernel |= is_kernel;
            info.defined |= decl.body.is_some();
            info.span = name.span;
            let func = &mut self.unit.funcs[same];
            // "If all of the file scope declarations for a function … include the inline function specifier without
            // extern, then the definition … is an inline definition."
            if func.linkage == Linkage::Inline {
                func.linkage = linkage;
            }
            if let Some(new) = kernel {
                // Attributes of all declarations count.
                let old = func.kernel.take();
                func.kernel = Some(match old {
                    Some(old) if new.attributes.is_empty() => crate::launch::KernelInfo {
                        attributes: old.attributes,
                        reqd_work_group_size: old.reqd_work_group_size,
                        reqd_sub_group_size: old.reqd_sub_group_size,
                        work_group_size_hint: old.work_group_size_hint,
                        vec_len_hint: old.vec_len_hint,
                        ..new
                    },
                    _ => new,
                });
            }
            return Some((same, quals));
        }
        let overloadable = attrs.overloadable || self.builtin_mode();
        if let Some(&other) = known.first()
            && !(overloadable && self.fns[other.0 as usize].overloadable)
        {
            let at = self.fns[other.0 as usize].span;
            self.err_note(name.span, format!("conflicting types for '{text}'"), at, "previous declaration is here");
            return None;
        }
        let mut func = empty_func();
        func.name = if overloadable { self.mangled(&text, &params) } else { text };
        func.ret = ret;
        func.n_params = params.len();
        func.span = name.span;
        func.kernel = kernel;
        func.linkage = linkage;
        for &ty in &params {
            func.locals.push(Local { name: String::new(), ty, align: 0, addr_taken: false, span: name.span });
        }
        let f = self.unit.funcs.push(func);
        self.fns.push(FnInfo {
            name: name.name,
            params,
            ret,
            is_kernel,
            defined: decl.body.is_some(),
            overloadable,
            span: name.span,
        });
        known.push(f);
        self.scopes.add_file(name.name, Entity::Funcs(known), name.span);
        Some((f, quals))
    }

    /// The symbol of an overloaded function.
    fn mangled(&self, name: &str, params: &[Ty]) -> String {
        builtin::mangle(name, params.iter().map(|&ty| self.concrete(ty)))
    }

    /// A function definition at file scope.
    pub(super) fn function_def(&mut self, id: ast::DeclId) {
        let ast = self.ast;
        let decl = ast[id];
        let declared = self.declare_function(id);
        if let (None, Some(name)) = (&declared, decl.name)
            && self.scopes.find_file(name.name).is_none()
        {
            self.scopes.add_file(name.name, Entity::Broken, name.span);
        }
        let Some(body) = decl.body else { return };
        let mut func = empty_func();
        func.span = decl.name.map_or(decl.span, |name| name.span);
        match &declared {
            Some((f, _)) => {
                let proto = &self.unit.funcs[*f];
                func.name = proto.name.clone();
                func.ret = proto.ret;
                func.n_params = proto.n_params;
                func.kernel = proto.kernel.clone();
                func.linkage = proto.linkage;
            }
            // Its body still has mistakes worth telling; what depends on the signature stays silent.
            None => func.ret = Types::ERROR,
        }
        let outer = std::mem::replace(&mut self.f, func);
        let flow = std::mem::take(&mut self.flow);
        self.in_function = true;
        self.current = declared.as_ref().map(|(f, _)| *f);
        self.in_kernel = decl.flags.contains(DeclFlags::KERNEL);
        self.scopes.enter();
        let params = ast.params_of(id).unwrap_or(&[]);
        if declared.is_none() {
            for name in params.iter().filter_map(|&p| ast[p].name) {
                self.declare(name, Entity::Broken);
            }
        }
        for (i, q) in declared.iter().flat_map(|(_, quals)| quals).enumerate() {
            let name = params.get(i).and_then(|&p| ast[p].name);
            self.parameter(q, name);
        }
        self.body(body);
        self.scopes.leave();
        self.in_function = false;
        self.in_kernel = false;
        self.current = None;
        self.flow = flow;
        let done = std::mem::replace(&mut self.f, outer);
        if let Some((f, _)) = declared {
            self.unit.funcs[f] = done;
        }
    }

    /// Declares a parameter of the function at hand.
    pub(super) fn parameter(&mut self, q: &QTy, name: Option<ast::Ident>) {
        let local = self.f.locals.push(Local {
            name: name.map(|n| self.text(n.name).to_owned()).unwrap_or_default(),
            ty: q.ty,
            align: 0,
            addr_taken: false,
            span: name.map_or(self.f.span, |n| n.span),
        });
        if let Some(name) = name {
            self.declare(name, Entity::Local(local, q.quals));
        }
    }

    /// Checks the body of the function at hand, whose parameters have been declared.
    pub(super) fn body(&mut self, body: ast::StmtId) {
        let ast = self.ast;
        let mut out = Vec::new();
        if let ast::StmtKind::Compound(list) = ast[body].kind {
            self.compound(&ast[list], &mut out);
        }
        self.check_labels();
        let block = self.push_stmt(Stmt::Block(out));
        self.f.body = Some(block);
        let end = ast[body].span;
        self.check_return(block, Span::new(end.hi.saturating_sub(1), end.hi));
    }

    /// The variable of a string literal; equal literals share one.
    pub(super) fn string_var(&mut self, bytes: Vec<u8>, span: Span) -> VarId {
        if let Some(&var) = self.strings.get(&bytes) {
            return var;
        }
        let len = Some(bytes.len() as u64);
        let ty = self.unit.types.intern(TyKind::Array { elem: Types::CHAR, quals: Quals::empty(), len });
        let var = self.unit.vars.push(Var {
            name: String::new(),
            ty,
            space: AddrSpace::Constant,
            align: 1,
            bytes: bytes.clone(),
            relocs: Vec::new(),
            is_extern: false,
            linkage: Linkage::Internal,
            span,
        });
        self.strings.insert(bytes, var);
        var
    }

    /// A place that is a whole variable of the function.
    pub(super) fn local_place(
        &mut self,
        local: crate::hir::LocalId,
        quals: Quals,
        span: Span,
    ) -> super::operand::Operand {
        let ty = self.f.locals[local].ty;
        let place = self.push_place(PlaceKind::Local(local), ty, quals, span);
        self.place_operand(place, quals, AddrSpace::Private)
    }
}

fn space_problem(ty: &str, space: AddrSpace) -> String {
    format!("the '{ty}' type cannot be used with the '{}' address space qualifier", super::ty::space_text(space))
}

//! Blocks: literals become functions, whose first parameters are what they capture, and every use is resolved to one of
//! them. A block variable takes its captures where it is declared, in variables of the function around it; a literal
//! that is called or enqueued where it stands hands over the variables themselves. Spec: OpenCL C, "Blocks".

use super::convert::Why;
use super::scope::Entity;
use super::stmt::Flow;
use super::ty::QTy;
use super::{CallEdge, FnInfo, Sema, empty_func};
use crate::ast::{self, Storage};
use crate::hir::{
    Callee, ExprId, ExprKind, FnId, Func, Linkage, Local, LocalId, OpaqueKind, PlaceKind, Quals, Stmt, StmtId, Ty,
    TyKind, Types,
};
use crate::ir::entity::Entity as _;
use crate::launch::{AddrSpace, ArgInfo, ArgKind, KernelInfo};
use crate::source::Span;

/// A block as a place in the source may use it.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// Its function.
    pub(super) func: FnId,
    /// Its type as a function, without captures.
    pub(super) ty: Ty,
    /// Variables, of the function that it is used in, that hold what it captures.
    pub(super) captures: Vec<LocalId>,
    /// Where it stands.
    pub(super) span: Span,
}

/// What surrounds the body of a block literal that is being checked.
#[derive(Debug)]
pub(super) struct Frame {
    /// Scopes that are open around it.
    depth: usize,
    /// The function around it.
    outer: Func,
    flow: Flow,
    in_function: bool,
    in_kernel: bool,
    current: Option<FnId>,
    infers: Option<bool>,
    /// Variables of the function around it, and what they are in the block.
    captures: Vec<(LocalId, LocalId)>,
}

impl Sema<'_> {
    /// Reports blocks where the language has none.
    pub(super) fn need_blocks(&mut self, span: Span) -> Option<()> {
        if self.version() >= 200 && self.has_feature("__opencl_c_device_enqueue") {
            return Some(());
        }
        self.err(span, "blocks require OpenCL C 3.0 (-cl-std=CL3.0) and __opencl_c_device_enqueue");
        None
    }

    /// The type of a block as a function.
    pub(super) fn block_type(&self, ty: Ty) -> Option<Ty> {
        match *self.kind(ty) {
            TyKind::Opaque(OpaqueKind::Block(func)) => Some(func),
            _ => None,
        }
    }

    /// Whether an expression names a block: what else there is in its place is no block.
    pub(super) fn is_block(&self, id: ast::ExprId) -> bool {
        match self.ast[id].kind {
            ast::ExprKind::Paren(inner) => self.is_block(inner),
            ast::ExprKind::Block { .. } => true,
            ast::ExprKind::Ident(name) => {
                self.scopes.find(name.name).is_some_and(|named| matches!(named.entity, Entity::Block(_)))
            }
            _ => false,
        }
    }

    /// The block that an expression denotes; `None` if that is reported.
    pub(super) fn block(&mut self, id: ast::ExprId) -> Option<Block> {
        let ast = self.ast;
        let node = &ast[id];
        match node.kind {
            ast::ExprKind::Paren(inner) => self.block(inner),
            ast::ExprKind::Block { ret, params, body } => self.block_literal(ret, params, body, node.span),
            ast::ExprKind::Ident(name) => {
                let (depth, named) = self.scopes.find_with_depth(name.name)?;
                let Entity::Block(number) = named.entity else { return None };
                // "A Block cannot capture another Block variable declared in the outer scope"
                if depth > 0 && self.frames.last().is_some_and(|frame| depth <= frame.depth) {
                    self.err(name.span, "cannot refer to a block inside block");
                    return None;
                }
                Some(self.blocks[number].clone())
            }
            _ => None,
        }
    }

    /// `T (^name)(…) = block;` at any scope.
    pub(super) fn block_var(&mut self, id: ast::DeclId, q: QTy, out: &mut Vec<StmtId>) {
        let decl = self.ast[id];
        let Some(name) = decl.name else { return };
        let block = self.initial_block(&decl, q.ty, name.span);
        let Some(block) = block else {
            self.declare(name, Entity::Broken);
            return;
        };
        let captures = block.captures.iter().map(|&local| self.snapshot(local, block.span, out));
        let block = Block { captures: captures.collect(), ..block };
        let number = self.blocks.len();
        self.blocks.push(block);
        self.declare(name, Entity::Block(number));
    }

    fn initial_block(&mut self, decl: &ast::Decl, ty: Ty, span: Span) -> Option<Block> {
        let problem = match (decl.storage, decl.init) {
            (Storage::Extern, _) => "invalid block variable declaration - using 'extern' storage class is disallowed",
            (_, None) => "invalid block variable declaration - must be initialized",
            (_, Some(init)) if self.is_block(init) => {
                let block = self.block(init)?;
                let wanted = self.block_type(ty)?;
                if block.ty == wanted {
                    return Some(block);
                }
                let have = self.unit.types.intern(TyKind::Opaque(OpaqueKind::Block(block.ty)));
                let text = format!(
                    "initializing '{}' with an expression of incompatible type '{}'",
                    self.show(ty),
                    self.show(have)
                );
                self.err(self.ast[init].span, text);
                return None;
            }
            (_, Some(init)) => {
                let text = "invalid block variable declaration - the initializer must be a block literal or variable";
                self.err(self.ast[init].span, text);
                return None;
            }
        };
        self.err(span, problem);
        None
    }

    /// A variable with the value that one has now; arrays decay.
    fn snapshot(&mut self, local: LocalId, span: Span, out: &mut Vec<StmtId>) -> LocalId {
        let Some(value) = self.captured_value(local, span) else { return local };
        let copy = self.temp_local(self.ty_of(value), span);
        let place = self.local_place(copy, Quals::empty(), span);
        let place = self.place_of(place);
        for stmt in [Stmt::Declare(copy), Stmt::Init(place, value)] {
            let stmt = self.push_stmt(stmt);
            out.push(stmt);
        }
        copy
    }

    /// What a block gets for a captured variable.
    fn captured_value(&mut self, local: LocalId, span: Span) -> Option<ExprId> {
        let operand = self.local_place(local, Quals::empty(), span);
        // Halves may be moved, though not computed with.
        if self.elem_half(operand.ty) {
            let place = self.place_of(operand);
            return Some(self.push(ExprKind::Load(place), operand.ty, span));
        }
        self.value_of(operand)
    }

    /// A literal, checked as the function that it is.
    fn block_literal(
        &mut self,
        ret: Option<ast::TypeId>,
        params: Option<ast::List<ast::DeclId>>,
        body: ast::StmtId,
        span: Span,
    ) -> Option<Block> {
        self.need_blocks(span)?;
        let ast = self.ast;
        let decls = params.map_or(&[][..], |params| &ast[params]);
        let ret = match ret {
            Some(ret) => Some(self.resolve(ret)?.ty),
            None => None,
        };
        let types = self.param_types(decls)?;
        if let Some(ret) = ret
            && (self.is_array(ret) || matches!(self.kind(ret), TyKind::Opaque(kind) if !kind.is_object()))
        {
            let text = format!("block cannot return type '{}'", self.show(ret));
            self.err(span, text);
            return None;
        }
        let func = self.enter_block(ret, span);
        for (q, &decl) in types.iter().zip(decls) {
            self.parameter(q, ast[decl].name);
        }
        self.body(body);
        let params: Vec<Ty> = types.iter().map(|q| q.ty).collect();
        let captures = self.leave_block(func, &params);
        let ret = self.unit.funcs[func].ret;
        let ty = self.unit.types.intern(TyKind::Function { ret, params });
        Some(Block { func, ty, captures, span })
    }

    /// Begins the function of a block. Without a type of the result that is found at the first `return`.
    fn enter_block(&mut self, ret: Option<Ty>, span: Span) -> FnId {
        let around = self.current.map(|f| self.text(self.fns[f.0 as usize].name).to_owned()).unwrap_or_default();
        let around = around.split('.').next().unwrap_or_default();
        self.n_literals += 1;
        // No identifier has a dot.
        let name = format!("{around}.block{}", self.n_literals);
        let mut func = empty_func();
        func.name.clone_from(&name);
        func.ret = ret.unwrap_or(Types::VOID);
        func.linkage = Linkage::Internal;
        func.span = span;
        let id = self.unit.funcs.push(empty_func());
        let name = self.session.interner.intern(&name);
        self.fns.push(FnInfo {
            name,
            params: Vec::new(),
            ret: func.ret,
            is_kernel: false,
            defined: true,
            overloadable: false,
            span,
        });
        self.frames.push(Frame {
            depth: self.scopes.depth(),
            outer: std::mem::replace(&mut self.f, func),
            flow: std::mem::take(&mut self.flow),
            in_function: std::mem::replace(&mut self.in_function, true),
            in_kernel: std::mem::replace(&mut self.in_kernel, false),
            current: self.current.replace(id),
            infers: std::mem::replace(&mut self.infers, ret.is_none().then_some(false)),
            captures: Vec::new(),
        });
        self.scopes.enter();
        id
    }

    /// Ends it; gives the variables that it captures.
    fn leave_block(&mut self, id: FnId, params: &[Ty]) -> Vec<LocalId> {
        self.scopes.leave();
        let Some(frame) = self.frames.pop() else { return Vec::new() };
        let mut func = std::mem::replace(&mut self.f, frame.outer);
        (self.flow, self.in_function, self.in_kernel) = (frame.flow, frame.in_function, frame.in_kernel);
        (self.current, self.infers) = (frame.current, frame.infers);
        let inner: Vec<LocalId> = frame.captures.iter().map(|&(_, inner)| inner).collect();
        put_first(&mut func, &inner);
        func.n_params = inner.len() + params.len();
        let info = &mut self.fns[id.0 as usize];
        info.params = func.locals.values().take(func.n_params).map(|local| local.ty).collect();
        info.ret = func.ret;
        self.unit.funcs[id] = func;
        frame.captures.into_iter().map(|(outer, _)| outer).collect()
    }

    /// A variable that was declared with so many scopes open, in the function that is being checked: itself, or what
    /// blocks in between capture.
    pub(super) fn own_local(&mut self, id: LocalId, depth: usize, quals: Quals, span: Span) -> (LocalId, Quals) {
        let level = self.frames.iter().filter(|frame| frame.depth < depth).count();
        let mut id = id;
        for n in level..self.frames.len() {
            if let Some(&(_, inner)) = self.frames[n].captures.iter().find(|(outer, _)| *outer == id) {
                id = inner;
                continue;
            }
            let outer = &self.frames[n].outer.locals[id];
            let (name, ty) = (outer.name.clone(), outer.ty);
            // "arrays are captured by reference (decayed to pointers)"
            let ty = match *self.kind(ty) {
                TyKind::Array { elem, quals: of, .. } => {
                    self.unit.types.pointer(elem, of | (quals - Quals::RESTRICT), AddrSpace::Private)
                }
                _ => ty,
            };
            let local = Local { name, ty, align: 0, addr_taken: false, span };
            let inner = match self.frames.get_mut(n + 1) {
                Some(frame) => frame.outer.locals.push(local),
                None => self.f.locals.push(local),
            };
            self.frames[n].captures.push((id, inner));
            id = inner;
        }
        // "captured by the Block as const copies"
        (id, if level < self.frames.len() { quals | Quals::CONST } else { quals })
    }

    /// The type of a block's result as its first `return` has it; others must have the same.
    pub(super) fn infer_return(&mut self, ty: Ty, span: Span) {
        match self.infers {
            Some(false) => {
                self.f.ret = ty;
                self.infers = Some(true);
            }
            Some(true) if self.f.ret != ty => {
                let text = format!(
                    "return type '{}' must match previous return type '{}' when block literal has unspecified \
                     explicit return type",
                    self.show(ty),
                    self.show(self.f.ret)
                );
                self.err(span, text);
            }
            _ => {}
        }
    }

    /// What a block gets for its captures, in order.
    pub(super) fn capture_args(&mut self, block: &Block, span: Span) -> Option<Vec<ExprId>> {
        block.captures.iter().map(|&local| self.captured_value(local, span)).collect()
    }

    /// A plain call.
    pub(super) fn call_block(&mut self, callee: ast::ExprId, args: &[ast::ExprId], span: Span) -> Option<ExprId> {
        let ast = self.ast;
        let values: Vec<Option<ExprId>> = args.iter().map(|&arg| self.value(arg)).collect();
        let block = self.block(callee)?;
        let values: Vec<ExprId> = values.into_iter().collect::<Option<_>>()?;
        let TyKind::Function { ret, params } = self.kind(block.ty).clone() else { return None };
        if params.len() != values.len() {
            let how = if values.len() < params.len() { "few" } else { "many" };
            let text = format!("too {how} arguments to block call, expected {}, have {}", params.len(), values.len());
            self.err_note(span, text, block.span, "the block is here");
            return None;
        }
        let mut all = self.capture_args(&block, span)?;
        for ((&value, &param), &arg) in values.iter().zip(&params).zip(args) {
            all.push(self.convert(value, param, &Why::Arg, ast[arg].span)?);
        }
        if !self.in_function {
            self.err(span, "function call is not a compile-time constant");
            return None;
        }
        if let Some(caller) = self.current
            && self.unevaluated == 0
        {
            self.calls.push(CallEdge { caller, callee: block.func, span });
        }
        Some(self.push(ExprKind::Call(Callee::User(block.func), all), ret, span))
    }

    /// Makes a kernel of a block's function, if it is none yet.
    pub(super) fn block_kernel(&mut self, block: &Block) {
        if self.unit.funcs[block.func].kernel.is_some() {
            return;
        }
        let n_captures = block.captures.len();
        let (name, types) = {
            let func = &self.unit.funcs[block.func];
            let locals = func.locals.values().take(func.n_params);
            (func.name.clone(), locals.map(|local| (local.name.clone(), local.ty)).collect::<Vec<_>>())
        };
        let mut end = 0usize;
        let args = types.into_iter().enumerate().map(|(n, (name, ty))| {
            let (size, align) = self.unit.types.size_align(ty).unwrap_or((8, 8));
            let offset = end.next_multiple_of(align.max(1) as usize);
            end = offset.saturating_add(size as usize);
            let space = self.pointee(ty).map(|(_, _, space)| space);
            let kind = match space {
                _ if n >= n_captures => ArgKind::Local,
                Some(AddrSpace::Constant) => ArgKind::Buffer { space: AddrSpace::Constant },
                Some(_) => ArgKind::Buffer { space: AddrSpace::Global },
                None => self.opaque_arg(ty),
            };
            let type_name = self.show(ty);
            let (is_const, size) = (space == Some(AddrSpace::Constant), size as usize);
            let (is_restrict, is_volatile, streamed_bytes) = (false, false, 0);
            ArgInfo { name, type_name, kind, offset, size, is_const, is_restrict, is_volatile, streamed_bytes }
        });
        let args = args.collect();
        let info = KernelInfo { name, args, arg_block_bytes: end, is_block: true, ..KernelInfo::default() };
        self.check_arg_bytes(end, block.span);
        self.unit.funcs[block.func].kernel = Some(info);
    }

    /// Tells of captured pointers that lead nowhere when the block runs later.
    pub(super) fn check_captures(&mut self, block: &Block, span: Span) {
        for n in 0..block.captures.len() {
            let local = &self.unit.funcs[block.func].locals[LocalId::from_index(n)];
            let (name, ty) = (local.name.clone(), local.ty);
            if let Some((_, _, space @ (AddrSpace::Local | AddrSpace::Private))) = self.pointee(ty) {
                let space = super::ty::space_text(space);
                self.warn(span, format!("the enqueued block captures '{name}', a pointer to '{space}' memory"));
            }
        }
    }
}

/// Renumbers a function's variables, so that these come first.
fn put_first(func: &mut Func, first: &[LocalId]) {
    let mut order: Vec<LocalId> = first.to_vec();
    let mut is_first = vec![false; func.locals.len()];
    first.iter().for_each(|id| is_first[id.index()] = true);
    order.extend(func.locals.keys().filter(|id| !is_first[id.index()]));
    let mut numbers = vec![LocalId(0); order.len()];
    for (new, old) in (0..).zip(&order) {
        numbers[old.index()] = LocalId(new);
    }
    let locals = std::mem::take(&mut func.locals);
    for &old in &order {
        func.locals.push(locals[old].clone());
    }
    for place in func.places.values_mut() {
        if let PlaceKind::Local(local) = &mut place.kind {
            *local = numbers[local.index()];
        }
    }
    for stmt in func.stmts.values_mut() {
        if let Stmt::Declare(local) = stmt {
            *local = numbers[local.index()];
        }
    }
}

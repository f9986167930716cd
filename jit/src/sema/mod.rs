//! Semantic analysis: the syntax tree in, HIR out. Names are resolved, every expression gets a type, every implicit
//! conversion becomes a node, every mistake of the program a diagnostic. Never fails and never panics, whatever the
//! tree: a part with an error yields `None`, which silences what depends on it.
//!
//! Reading order: `check` here, `decl` (what a file holds), `stmt`, `expr`, `convert`; then `call` with `overload`,
//! `init` with `const_eval`, `block` with `device`. Knows nothing of KIR but the vocabulary that HIR shares with it.

mod attr;
mod binary;
mod block;
mod builtin_call;
mod call;
mod conditional;
mod const_eval;
mod convert;
mod decl;
mod device;
mod expr;
mod init;
mod kernel;
mod layout;
mod operand;
mod overload;
mod printf;
mod reach;
mod recursion;
mod resolve;
mod scope;
mod stmt;
mod ty;
mod vector;

#[cfg(test)]
mod tests;

use crate::ast::{self, Ast, ItemKind, PragmaKind};
use crate::hir::{Func, Linkage, Local, LocalId, Ty, Types, Unit, VarId};
use crate::intern::Symbol;
use crate::ir::entity::Arena;
use crate::ir::op::{Flags, Rounding};
use crate::launch::AddrSpace;
use crate::options::{OptionFlags, Precision};
use crate::session::Session;
use crate::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use scope::{Scopes, Tag};

/// Larger objects are refused.
const MAX_OBJECT_BYTES: u64 = 1 << 30;

/// Whose program it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A user's: the language of the options, all checks.
    User,
    /// A builtin body file: see `builtin`.
    Builtin,
}

/// Checks a translation unit. Errors go to `session.diags`; if there are any, the unit must not be used.
pub fn check(session: &mut Session, ast: &Ast, mode: Mode) -> Unit {
    let mut sema = Sema::new(session, ast, mode);
    sema.file();
    sema.unit
}

/// Floating-point state of a place in the source.
#[derive(Clone, Copy, Debug)]
struct FpState {
    /// `SELECT_ROUNDING_MODE` in force.
    rm: Rounding,
    /// `FP_CONTRACT` in force.
    contract: bool,
    /// What the options permit operators.
    permitted: Flags,
    /// Which functions the options want.
    precision: Precision,
}

impl FpState {
    fn flags(self) -> Flags {
        if self.contract { self.permitted } else { self.permitted - Flags::CONTRACT }
    }
}

/// What sema knows of a function besides its HIR.
#[derive(Clone, Debug)]
struct FnInfo {
    name: Symbol,
    params: Vec<Ty>,
    ret: Ty,
    is_kernel: bool,
    defined: bool,
    overloadable: bool,
    span: Span,
}

/// A call from one user function to another.
#[derive(Clone, Copy, Debug)]
struct CallEdge {
    caller: crate::hir::FnId,
    callee: crate::hir::FnId,
    span: Span,
}

/// The state of a run.
struct Sema<'a> {
    session: &'a mut Session,
    ast: &'a Ast,
    mode: Mode,
    unit: Unit,
    /// The function under construction; at file scope a scratch function that holds expressions to evaluate.
    f: Func,
    /// Whether `f` is a real function.
    in_function: bool,
    /// Its id.
    current: Option<crate::hir::FnId>,
    /// Whether it is a kernel.
    in_kernel: bool,
    scopes: Scopes,
    records: FxHashMap<ast::RecordId, Option<Ty>>,
    enums: FxHashMap<ast::EnumId, Ty>,
    /// Records with a member written `size_t`, `ptrdiff_t`, `intptr_t` or `uintptr_t`.
    host_sized: FxHashSet<crate::hir::RecordId>,
    /// Parallel to `unit.funcs`.
    fns: Vec<FnInfo>,
    calls: Vec<CallEdge>,
    /// Uses of variables that were not defined yet.
    externs: Vec<(VarId, Span)>,
    /// Variables that blocks have declared `extern` before file scope knows them.
    block_externs: FxHashMap<Symbol, VarId>,
    strings: FxHashMap<Vec<u8>, VarId>,
    fp: FpState,
    /// Extensions that the program has enabled or that are always on.
    extensions: FxHashSet<Symbol>,
    all_extensions: bool,
    flow: stmt::Flow,
    /// Above 0 inside `sizeof` and its kin.
    unevaluated: u32,
    /// Blocks that variables stand for.
    blocks: Vec<block::Block>,
    /// Functions around the block literals that are being checked, outermost first.
    frames: Vec<block::Frame>,
    /// Block literals so far.
    n_literals: u32,
    /// In a block without a type of its result: whether a `return` has told it.
    infers: Option<bool>,
    /// `ndrange_t`, once it is used.
    range: Option<Ty>,
    /// Resolved builtin calls by name and argument types.
    resolutions: FxHashMap<(Symbol, Vec<Ty>), overload::Choice>,
}

impl<'a> Sema<'a> {
    fn new(session: &'a mut Session, ast: &'a Ast, mode: Mode) -> Self {
        let is_user = mode == Mode::User;
        let options = session.options.flags;
        let has = |flag| is_user && options.contains(flag);
        let mut permitted = Flags::empty();
        permitted.set(Flags::CONTRACT, has(OptionFlags::MAD_ENABLE) && crate::features::has_fast_fma());
        permitted.set(Flags::ARCP, has(OptionFlags::UNSAFE_MATH) && !has(OptionFlags::CORRECT_DIVIDE_SQRT));
        permitted.set(Flags::NNAN, has(OptionFlags::FINITE_MATH));
        permitted.set(Flags::NSZ, has(OptionFlags::NO_SIGNED_ZEROS));
        let precision = if is_user { options.precision() } else { Precision::Normal };
        let fp = FpState { rm: Rounding::Rte, contract: is_user, permitted, precision };
        Self {
            session,
            ast,
            mode,
            unit: Unit::default(),
            f: empty_func(),
            in_function: false,
            current: None,
            in_kernel: false,
            scopes: Scopes::new(),
            records: FxHashMap::default(),
            enums: FxHashMap::default(),
            host_sized: FxHashSet::default(),
            fns: Vec::new(),
            calls: Vec::new(),
            externs: Vec::new(),
            block_externs: FxHashMap::default(),
            strings: FxHashMap::default(),
            fp,
            extensions: FxHashSet::default(),
            all_extensions: false,
            flow: stmt::Flow::default(),
            unevaluated: 0,
            blocks: Vec::new(),
            frames: Vec::new(),
            n_literals: 0,
            infers: None,
            range: None,
            resolutions: FxHashMap::default(),
        }
    }

    fn file(&mut self) {
        let ast = self.ast;
        for item in &ast.items {
            match item.kind {
                ItemKind::Decl { base, decls } => self.file_decl(base, &ast[decls]),
                ItemKind::Function(decl) => self.function_def(decl),
                ItemKind::Pragma(pragma) => self.pragma(pragma),
                ItemKind::StaticAssert { cond, message } => self.static_assert(cond, message),
                ItemKind::Error => {}
            }
            if self.session.diags.is_full() {
                return;
            }
        }
        self.check_recursion();
        self.collect_undefined();
    }

    /// Notes what another program has to define.
    fn collect_undefined(&mut self) {
        let mut seen = FxHashSet::default();
        let mut undefined = Vec::new();
        for call in &self.calls {
            if self.unit.funcs[call.callee].body.is_none() && seen.insert(call.callee) {
                undefined.push((self.text(self.fns[call.callee.0 as usize].name).to_owned(), call.span));
            }
        }
        for &(var, span) in &self.externs {
            let var = &self.unit.vars[var];
            if var.is_extern && !undefined.iter().any(|(name, _)| *name == var.name) {
                undefined.push((var.name.clone(), span));
            }
        }
        undefined.sort_unstable_by_key(|&(_, span)| span);
        self.unit.undefined = undefined;
    }

    /// A pragma at a place where it may stand.
    fn pragma(&mut self, pragma: ast::Pragma) {
        match pragma.kind {
            PragmaKind::Rounding(mode) => {
                // The preprocessor passes the pragma on only where it has an effect.
                self.fp.rm = match mode {
                    ast::PragmaRounding::Rte => Rounding::Rte,
                    ast::PragmaRounding::Rtz => Rounding::Rtz,
                    ast::PragmaRounding::Rtp => Rounding::Rtp,
                    ast::PragmaRounding::Rtn => Rounding::Rtn,
                };
            }
            PragmaKind::Extension(name, behaviour) => {
                let enable = behaviour == ast::PragmaExtension::Enable;
                if self.text(name) == "all" {
                    self.all_extensions = enable;
                    if !enable {
                        self.extensions.clear();
                    }
                } else if enable {
                    self.extensions.insert(name);
                } else {
                    self.extensions.remove(&name);
                }
            }
            // `DEFAULT` is on. The end of the compound statement restores it.
            PragmaKind::FpContract(switch) => self.fp.contract = switch != ast::PragmaSwitch::Off,
            PragmaKind::Unroll(_) | PragmaKind::NoUnroll => {}
        }
    }

    // ---- facts about the program's language

    fn builtin_mode(&self) -> bool {
        self.mode == Mode::Builtin
    }

    fn version(&self) -> u16 {
        if self.builtin_mode() { 300 } else { self.session.options.std.number() as u16 }
    }

    fn is_cl3(&self) -> bool {
        self.version() >= 300
    }

    /// Whether an extension or feature is there for the program.
    fn has_feature(&self, name: &str) -> bool {
        self.builtin_mode() || crate::features::feature(name).is_some()
    }

    /// Whether the program may call what needs an extension or feature: it is there and, where a pragma must enable it,
    /// enabled.
    fn is_enabled(&self, name: &str) -> bool {
        if name == "cl_khr_fp16" { self.half_allowed() } else { self.has_feature(name) }
    }

    fn single_precision_constant(&self) -> bool {
        !self.builtin_mode() && self.session.options.flags.contains(OptionFlags::SINGLE_PRECISION_CONSTANT)
    }

    /// Whether `half` is a type to compute with.
    fn half_allowed(&self) -> bool {
        if self.builtin_mode() {
            return true;
        }
        let on = self.session.interner.get("cl_khr_fp16").is_some_and(|name| self.extensions.contains(&name));
        self.has_feature("cl_khr_fp16") && (on || self.all_extensions || self.is_cl3())
    }

    /// Reports a use of `half` that needs the extension.
    fn need_half(&mut self, span: Span) -> Option<()> {
        if self.half_allowed() {
            return Some(());
        }
        self.err(span, "use of type 'half' requires cl_khr_fp16 support");
        None
    }

    /// Whether the generic address space is part of the language.
    fn has_generic(&self) -> bool {
        self.builtin_mode() || (self.version() >= 200 && self.has_feature("__opencl_c_generic_address_space"))
    }

    /// Whether variables may lie in the global address space.
    fn has_globals(&self) -> bool {
        self.version() >= 200 && self.has_feature("__opencl_c_program_scope_global_variables") && !self.builtin_mode()
    }

    /// Address space of what an unqualified pointer points to.
    fn default_space(&self) -> AddrSpace {
        if self.has_generic() { AddrSpace::Generic } else { AddrSpace::Private }
    }

    // ---- small helpers

    fn text(&self, name: Symbol) -> &str {
        self.session.interner.text(name)
    }

    fn err(&mut self, span: Span, message: impl Into<String>) {
        self.session.diags.error(span, message);
    }

    fn err_note(&mut self, span: Span, message: impl Into<String>, note_span: Span, note: impl Into<String>) {
        self.session.diags.error(span, message).note(note_span, note);
    }

    fn warn(&mut self, span: Span, message: impl Into<String>) {
        if self.unevaluated == 0 {
            self.session.diags.warning(span, message);
        }
    }

    /// The nearest visible name; `functions` adds the builtins.
    fn suggest(&self, name: &str, functions: bool) -> Option<String> {
        let mut known: Vec<&str> = self.scopes.names().map(|symbol| self.text(symbol)).collect();
        if functions {
            for name in crate::builtin::names().chain(device::names()) {
                known.push(name);
            }
        }
        crate::parse::nearest(name, known.into_iter()).map(str::to_owned)
    }

    /// A new unnamed private variable.
    fn temp_local(&mut self, ty: Ty, span: Span) -> LocalId {
        self.f.locals.push(Local { name: String::new(), ty, align: 0, addr_taken: false, span })
    }

    fn static_assert(&mut self, cond: ast::ExprId, message: Option<ast::StrId>) {
        let Some(value) = self.int_constant_expr(cond, "static assertion") else { return };
        if value == 0 {
            let text = message.map(|id| String::from_utf8_lossy(&self.ast[id].bytes).into_owned()).unwrap_or_default();
            let text = if text.is_empty() {
                "static assertion failed".into()
            } else {
                format!("static assertion failed: {text}")
            };
            self.err(self.ast[cond].span, text);
        }
    }
}

fn empty_func() -> Func {
    Func {
        name: String::new(),
        ret: Types::VOID,
        n_params: 0,
        locals: Arena::new(),
        labels: Arena::new(),
        exprs: Arena::new(),
        places: Arena::new(),
        stmts: Arena::new(),
        body: None,
        kernel: None,
        linkage: Linkage::External,
        span: Span::DUMMY,
    }
}

/// A tag for the tests of kinds.
fn is_record_tag(tag: Tag, is_union: bool) -> bool {
    matches!(tag, Tag::Record(_, u) if u == is_union)
}

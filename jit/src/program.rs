//! `build`: source and options in, a `Program` and its log out. The pipeline as one page of calls. `compile` is its
//! first half, `link` the second.
//! Must not know OpenCL objects.

use crate::check::Kinds;
use crate::codegen::{self, Annotated, Backend, CodeObject, Effort, ProgramData, Scratch};
use crate::diag::{Diagnostics, Style};
use crate::error::CodeError;
use crate::fallback::{self, Told};
use crate::interp::partial::{self, Access, Ids, Known};
use crate::ir::entity::Arena;
use crate::ir::text::write::FuncText;
use crate::ir::{Func, Global, GlobalId, Module, Origin, Origins};
use crate::launch::{AddrSpace, KernelCode, KernelInfo, LaneChoice, MAX_LOCAL_SIZE, SpecKey};
use crate::link::{self, Object};
use crate::lower::Extras;
use crate::options::{OptionFlags, Options};
use crate::phases::phase;
use crate::pipeline::{self, Change, Runner, WorkGroup};
use crate::places::{Frame, Sources};
use crate::reserve::ShortOfMemory;
use crate::session::Session;
use crate::source::{Header, HeaderKind, Span};
use crate::{builtin, ir, lower, parse, pp, sema, simd, spirv, stack, target, wg};
use once_cell::sync::OnceCell;
use serde::{Deserialize, Serialize};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

/// Stack of the thread that compiles: the parser bounds the depth of trees so that this is enough.
const STACK_BYTES: usize = 256 << 20;

/// Stack that code generation takes at most, which recurses over no trees.
const CODE_STACK_BYTES: usize = 1 << 20;

/// What `build` and `link` return, whether it worked or not.
pub struct Build {
    /// Everything for `CL_PROGRAM_BUILD_LOG`; empty if there is nothing to say.
    pub log: String,
    /// The program, unless there was an error.
    pub program: Result<Arc<Program>, BuildError>,
    /// Files that `#include` read from disk. Given as headers to another build they stand in for the files.
    pub included: Vec<Header>,
}

/// What `compile` returns, whether it worked or not.
pub struct Compile {
    /// Everything for `CL_PROGRAM_BUILD_LOG`; empty if there is nothing to say.
    pub log: String,
    /// The object, unless there was an error.
    pub object: Result<Arc<Object>, BuildError>,
    /// As for `Build`.
    pub included: Vec<Header>,
}

/// Why there is no program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildError {
    /// The options string has an unknown or malformed option.
    Options,
    /// The source has errors.
    Source,
    /// The objects do not fit together.
    Link,
    /// There is no thread to be had for the compiler. Later there may be.
    Resources,
    /// There is not enough memory. Later there may be.
    Memory,
}

/// A text that a developer may ask for. See `Program::emit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emit {
    /// Optimised KIR of the kernel.
    Kir,
    /// KIR of the work-group function.
    WorkGroup,
    /// Cranelift's IR of the work-group function.
    Clif,
    /// Machine code of the work-group function.
    Asm,
    /// How many work-items run side by side in each loop over them, or why not: a line for each loop; then which code
    /// generator made the machine code.
    Remarks,
}

/// A built program: kernels' metadata and optimised KIR. It makes machine code but keeps none: that is the caller's
/// part.
pub struct Program {
    shown: Shown,
    data: Arc<ProgramData>,
    kir: Kir,
}

/// A variable at program scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable<'p> {
    /// Its name.
    pub name: &'p str,
    /// Address of its first byte.
    pub start: usize,
    /// Bytes.
    pub size: usize,
    /// Kernels may write it.
    pub is_writable: bool,
}

/// What shows of a program beside its code.
#[derive(Serialize, Deserialize)]
struct Shown {
    kernels: Vec<KernelInfo>,
    globals: Arena<GlobalId, Global>,
    /// `Kinds`.
    checks: u8,
}

/// Optimised KIR, from which machine code is made.
enum Kir {
    /// The program was built.
    Here(Module),
    /// The program was kept; it is built again for code that was not.
    Later { rebuild: Box<Rebuild>, module: OnceCell<Module> },
}

/// Builds a program that was kept from what it was built of: the program, or a message.
pub type Rebuild = dyn Fn() -> Result<Arc<Program>, String> + Send + Sync;

/// Compiles and links `source` (the concatenation of all strings, in UTF-8 or any encoding that extends ASCII) under
/// the `clBuildProgram` options `options`. Diagnostics in the log are plain text.
pub fn build(source: &[u8], options: &str, headers: &[Header]) -> Build {
    build_styled(source, options, headers, Style::Plain)
}

/// `build` with a choice of how diagnostics look.
pub fn build_styled(source: &[u8], options: &str, headers: &[Header], style: Style) -> Build {
    let work = || {
        let Compile { log, object, included } = front_to_object(source, options, headers, style);
        let (errors, program) = match object {
            Ok(object) => link_objects(vec![object]),
            Err(error) => (String::new(), Err(error)),
        };
        Build { log: log + &errors, program, included }
    };
    on_big_stack(work).unwrap_or_else(|failed| Build {
        program: Err(failed.error(BuildError::Source)),
        log: failed.log(),
        included: Vec::new(),
    })
}

/// Compiles `source` as `build` does, to be linked with other objects.
pub fn compile(source: &[u8], options: &str, headers: &[Header]) -> Compile {
    on_big_stack(|| front_to_object(source, options, headers, Style::Plain)).unwrap_or_else(|failed| Compile {
        object: Err(failed.error(BuildError::Source)),
        log: failed.log(),
        included: Vec::new(),
    })
}

/// Compiles and links a SPIR-V module, in either byte order, under the `clBuildProgram` options `options`. `constants`
/// are the values of its specialization constants that are not its own: `SpecId` and bytes.
pub fn build_il(il: &[u8], constants: &[(u32, Vec<u8>)], options: &str) -> Build {
    let Compile { mut log, object, included } = compile_il(il, constants, options);
    let program = object.and_then(|object| {
        let build = link(&[object]);
        log += &build.log;
        build.program
    });
    Build { log, program, included }
}

/// Compiles a SPIR-V module as `build_il` does, to be linked with other objects.
pub fn compile_il(il: &[u8], constants: &[(u32, Vec<u8>)], options: &str) -> Compile {
    on_big_stack(|| il_to_object(il, constants, options)).unwrap_or_else(|failed| Compile {
        object: Err(failed.error(BuildError::Source)),
        log: failed.log(),
        included: Vec::new(),
    })
}

/// The files that `#include` reads from disk when `source` is compiled as `build` does it.
pub fn includes(source: &[u8], options: &str, headers: &[Header]) -> Vec<Header> {
    let preprocess = || {
        let mut session = Session::new(options);
        pp::Preprocessor::new(&mut session, source, headers).tokens();
        session.included
    };
    on_big_stack(preprocess).unwrap_or_default()
}

/// All that machine code and built programs depend on beside their source and its options: the compiler, the processor
/// and what the environment asked for when it was read. Nothing if it asks for what only a compilation does.
pub fn identity() -> Option<String> {
    if codegen::is_dumping() || pipeline::is_verifying() || codegen::debug::is_wanted() {
        return None;
    }
    let compiler = (env!("CLIFT_COMPILER_ID"), cfg!(debug_assertions));
    let asked = (simd::Force::from_env(), Kinds::from_env());
    let machine = (std::env::consts::ARCH, target::host());
    Some(format!("{compiler:?} {machine:?} {:?} {asked:?}", target::choice()))
}

/// Makes a program of objects; its kernels are theirs, in order.
pub fn link(objects: &[Arc<Object>]) -> Build {
    let objects = objects.to_vec();
    let failed = |failed: Failed| (failed.log(), Err(failed.error(BuildError::Link)));
    let (log, program) = on_big_stack(|| link_objects(objects)).unwrap_or_else(failed);
    Build { log, program, included: Vec::new() }
}

/// The KIR of `source` before any pass: what it means, for whoever wants to check the passes.
///
/// # Errors
/// The build log.
pub fn lowered(source: &[u8], options: &str) -> Result<Module, String> {
    on_big_stack(|| {
        let Compile { log, object, .. } = front_to_object(source, options, &[], Style::Plain);
        let object = object.map_err(|_| log)?;
        join_objects(vec![object]).map_err(|(log, _)| log)
    })
    .map_err(|failed| failed.log())?
}

/// As `lowered`, for a SPIR-V module.
///
/// # Errors
/// The build log.
pub fn lowered_il(il: &[u8], constants: &[(u32, Vec<u8>)], options: &str) -> Result<Module, String> {
    let Compile { log, object, .. } = compile_il(il, constants, options);
    let object = object.map_err(|_| log)?;
    on_big_stack(|| join_objects(vec![object]).map_err(|(log, _)| log)).map_err(|failed| failed.log())?
}

/// What a pass, or each of them if `pass` is `all`, changes in the functions of a module as lowered and in its kernels'
/// code for launches of which `key` is known: in the order in which that happens, a text for developers.
///
/// # Errors
/// What went wrong, or that there is no such pass.
pub fn changes(
    mut module: Module,
    pass: &str,
    key: impl Fn(&KernelInfo) -> SpecKey + Send,
) -> Result<Vec<Change>, String> {
    let mut names = pipeline::PASSES.iter().map(|p| p.name).chain(pipeline::MODULE_PASSES.iter().map(|p| p.name));
    if pass != "all" && !names.any(|name| name == pass) {
        return Err(format!("there is no pass `{pass}`"));
    }
    on_big_stack(|| {
        let mut runner = Runner::watching(pass);
        let lanes = lanes(&module, LaneChoice::Estimated);
        let made = runner.everything(&mut module, key, lanes, target::backend().target());
        made.map(|()| runner.changes).map_err(|error| error.message)
    })
    .map_err(|failed| failed.log())?
}

/// Whether objects can be in one library: no name is defined twice. What they lack may come later.
///
/// # Errors
/// The linker's log.
pub fn check_library(objects: &[Arc<Object>]) -> Result<(), String> {
    let objects: Vec<&Object> = objects.iter().map(Arc::as_ref).collect();
    link::check_library(&objects)
}

/// Reads an options string.
///
/// # Errors
/// The build log.
pub fn parse_options(options: &str) -> Result<Options, String> {
    let session = Session::new(options);
    if session.diags.has_errors() { Err(session.log(Style::Plain)) } else { Ok(session.options) }
}

fn internal_error(message: &str) -> String {
    format!("internal compiler error: {message}\n")
}

/// Why a compilation did not come to an end, with a message.
enum Failed {
    NoThread(String),
    NoMemory,
    Panic(String),
}

impl Failed {
    fn log(&self) -> String {
        match self {
            Self::NoThread(message) => format!("error: {message}\n"),
            Self::NoMemory => "error: there is not enough memory to compile this\n".into(),
            Self::Panic(message) => internal_error(message),
        }
    }

    /// `broken` stands for mistakes of ours.
    fn error(&self, broken: BuildError) -> BuildError {
        match self {
            Self::NoThread(_) => BuildError::Resources,
            Self::NoMemory => BuildError::Memory,
            Self::Panic(_) => broken,
        }
    }
}

/// Runs a compilation on a thread of its own.
fn on_big_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Failed> {
    let done = stack::apart("clift-build", STACK_BYTES, work).map_err(|error| Failed::NoThread(no_thread(error)))?;
    done.map_err(|panic| match panic.is::<ShortOfMemory>() {
        true => Failed::NoMemory,
        false => Failed::Panic(panic_message(panic)),
    })
}

fn no_thread(error: std::io::Error) -> String {
    format!("cannot start a compiler thread: {error}")
}

/// What a panic said.
fn panic_message(panic: Box<dyn std::any::Any + Send>) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "panic without a message".into())
}

fn front_to_object(source: &[u8], options: &str, headers: &[Header], style: Style) -> Compile {
    let mut session = Session::new(options);
    if session.diags.has_errors() {
        return Compile { log: session.log(style), object: Err(BuildError::Options), included: Vec::new() };
    }
    let unit = front_end(&mut session, source, headers, sema::Mode::User);
    let log = session.log(style);
    let included = std::mem::take(&mut session.included);
    let Some((mut unit, undefined)) = unit else { return Compile { log, object: Err(BuildError::Source), included } };
    unit.module.checks.kinds = session.options.check;
    let mut undefined_error = |(name, span): (String, Span)| {
        session.diags = Diagnostics::new();
        session.diags.error(span, format!("undefined reference to '{name}'"));
        let error = session.log(style);
        (name, error)
    };
    let undefined = undefined.into_iter().map(&mut undefined_error).collect();
    unit.module.sources = Sources::one(Arc::new(std::mem::take(&mut session.sources)));
    for_debuggers(&mut unit.module, &session.options);
    unit.module.may_flush_denormals = session.options.flags.may_flush_denormals();
    Compile { log, object: Ok(Arc::new(Object { unit, undefined })), included }
}

/// Notes what options want of a module's code.
fn for_debuggers(module: &mut Module, options: &Options) {
    module.is_debug = options.flags.contains(OptionFlags::DEBUG_INFO);
    module.is_scalar = keeps_variables(options);
}

/// True if a debugger shall see one work-item after the other, and its variables.
fn keeps_variables(options: &Options) -> bool {
    options.flags.contains(OptionFlags::DEBUG_INFO | OptionFlags::OPT_DISABLE)
}

/// What is wanted of a program besides what its source says.
fn extras(options: &Options) -> Extras {
    let mut extras = Extras::empty();
    extras.set(Extras::VARIABLES, keeps_variables(options));
    extras.set(Extras::ELEMENTS, options.check.contains(Kinds::MEMORY));
    extras.set(Extras::RANGES, options.check.contains(Kinds::VALUES));
    extras.set(Extras::MEETINGS, options.check.contains(Kinds::BARRIERS));
    extras
}

fn il_to_object(il: &[u8], constants: &[(u32, Vec<u8>)], options: &str) -> Compile {
    let session = Session::new(options);
    if session.diags.has_errors() {
        let log = session.log(Style::Plain);
        return Compile { log, object: Err(BuildError::Options), included: Vec::new() };
    }
    let lowered = phase("lower", || spirv::lower(il, constants, &session.options, extras(&session.options)));
    let (log, object) = match lowered {
        Ok((mut unit, undefined)) => {
            for_debuggers(&mut unit.module, &session.options);
            if session.options.flags.contains(OptionFlags::ZERO_PRIVATE) {
                Runner::default().module_pass(&pipeline::ZERO_PRIVATE, &mut unit.module);
            }
            unit.module.checks.kinds = session.options.check;
            (session.log(Style::Plain), Ok(Arc::new(Object { unit, undefined })))
        }
        Err(log) => (log, Err(BuildError::Source)),
    };
    Compile { log, object, included: Vec::new() }
}

/// Objects → optimised program, or a log that says why not.
fn link_objects(objects: Vec<Arc<Object>>) -> (String, Result<Arc<Program>, BuildError>) {
    let program = join_objects(objects).and_then(|mut module| {
        phase("optimise", || Runner::default().program(&mut module));
        Program::new(module).map_err(|error| match error.too_large {
            true => (format!("error: {}\n", error.message), BuildError::Source),
            false => (internal_error(&error.message), BuildError::Source),
        })
    });
    match program {
        Ok(program) => (String::new(), Ok(Arc::new(program))),
        Err((log, error)) => (log, Err(error)),
    }
}

/// Objects → KIR as lowered, with the bodies of the builtin functions that it calls, or simpler forms of them; or a log
/// that says why not.
fn join_objects(objects: Vec<Arc<Object>>) -> Result<Module, (String, BuildError)> {
    let (mut module, wanted) = phase("link", || link::join(objects)).map_err(|log| (log, BuildError::Link))?;
    match phase("built-in functions", || builtin::library::link(&mut module, &wanted, &library_module)) {
        Ok(()) => {
            Runner::default().module_pass(&pipeline::LIBRARY_CALLS, &mut module);
            module.decide_on_denormals();
            Ok(module)
        }
        Err(message) => Err((internal_error(&message), BuildError::Source)),
    }
}

/// Source → KIR as lowered, and what it leaves undefined. `None` if there were errors in the source, which are in the
/// session.
fn front_end(
    session: &mut Session,
    source: &[u8],
    headers: &[Header],
    mode: sema::Mode,
) -> Option<(lower::Lowered, Vec<(String, Span)>)> {
    let tokens = phase("preprocess", || pp::Preprocessor::new(session, source, headers).tokens());
    let ast = phase("parse", || parse::parse(&tokens, session));
    let unit = phase("check", || sema::check(session, &ast, mode));
    if session.diags.has_errors() {
        return None;
    }
    let mut lowered = phase("lower", || lower::lower(&unit, extras(&session.options)));
    if session.options.flags.contains(OptionFlags::ZERO_PRIVATE) {
        Runner::default().module_pass(&pipeline::ZERO_PRIVATE, &mut lowered.module);
    }
    Some((lowered, unit.undefined))
}

fn builtin_header(name: &str, text: &str) -> Header {
    Header { name: name.to_owned(), text: text.to_owned(), kind: HeaderKind::Named }
}

/// Compiles a body file of the builtin library. Most of its functions are not wanted: the program that imports some
/// optimises those.
fn library_module(file: &'static str) -> Result<Arc<Module>, String> {
    let mut session = Session::new("-cl-std=CL3.0");
    // What checks know of the program is not known of the library, whatever the process asks for.
    session.options.check = Kinds::empty();
    let headers: Vec<Header> = builtin::includes().map(|(name, text)| builtin_header(name, text)).collect();
    let source = builtin::source(file);
    match front_end(&mut session, source.as_bytes(), &headers, sema::Mode::Builtin) {
        Some((lower::Lowered { mut module, wanted, .. }, _)) => {
            module.sources = Sources::one(Arc::new(session.sources));
            builtin::library::link(&mut module, &wanted, &library_module)?;
            Ok(Arc::new(module))
        }
        None => Err(format!("builtins/{file} has errors:\n{}", session.log(Style::Plain))),
    }
}

impl Shown {
    fn to_bytes(&self) -> Vec<u8> {
        postcard::to_allocvec(self).expect("all its parts have lengths")
    }
}

impl Program {
    fn new(module: Module) -> Result<Self, CodeError> {
        let kernels = module.kernels.iter().map(|(info, _)| info.clone()).collect();
        let data = ProgramData::new(&module.globals)?;
        let shown = Shown { kernels, globals: module.globals.clone(), checks: module.checks.kinds.bits() };
        Ok(Self { shown, data, kir: Kir::Here(module) })
    }

    /// What to keep of the program, for `from_bytes` in another process of the same library.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.shown.to_bytes()
    }

    /// A program that was kept. Code that was not kept with it is made from what `rebuild` gives. Nothing if these are
    /// not the bytes of a program, or there is no memory for its variables.
    pub fn from_bytes(bytes: &[u8], rebuild: Box<Rebuild>) -> Option<Self> {
        let shown: Shown = postcard::from_bytes(bytes).ok()?;
        let data = ProgramData::new(&shown.globals).ok()?;
        Some(Self { shown, data, kir: Kir::Later { rebuild, module: OnceCell::new() } })
    }

    fn module(&self) -> Result<&Module, CodeError> {
        let (rebuild, module) = match &self.kir {
            Kir::Here(module) => return Ok(module),
            Kir::Later { rebuild, module } => (rebuild, module),
        };
        let build = || {
            let program = Arc::into_inner(rebuild().map_err(CodeError::new)?);
            match program {
                Some(Self { kir: Kir::Here(module), shown, .. }) if shown.to_bytes() == self.to_bytes() => Ok(module),
                _ => Err(CodeError::new("another build of the program made another program")),
            }
        };
        module.get_or_try_init(build)
    }

    /// `Module::frames_in` for code of the program: empty if it would have to be built anew and cannot be.
    pub fn frames(&self, name: &str, origins: &Origins, at: Origin) -> Vec<Frame> {
        self.module().map_or_else(|_| Vec::new(), |module| module.frames_in(name, origins, at))
    }

    /// Bytes of the program-scope variables in the global address space.
    pub fn global_variable_bytes(&self) -> usize {
        let globals = self.shown.globals.values().filter(|global| global.space == AddrSpace::Global);
        globals.map(|global| usize::try_from(global.size).unwrap_or(usize::MAX)).fold(0, usize::saturating_add)
    }

    /// Address and bytes of the program-scope variable `name` in the global address space; it lives as long as the
    /// program.
    pub fn variable(&self, name: &str) -> Option<(usize, usize)> {
        let mut globals = self.shown.globals.iter();
        let (id, global) = globals.find(|(_, global)| global.space == AddrSpace::Global && global.name == name)?;
        Some((self.data.address(id)?, usize::try_from(global.size).ok()?))
    }

    /// The program-scope variable that an address lies in, or, if it is in none, behind whose last byte it is.
    pub fn variable_at(&self, address: usize) -> Option<Variable<'_>> {
        let variables = self.shown.globals.iter().filter_map(|(id, global)| {
            let (start, size) = (self.data.address(id)?, usize::try_from(global.size).ok()?);
            let is_near = (start..=start.checked_add(size)?).contains(&address);
            let is_writable = global.space == AddrSpace::Global;
            is_near.then_some(Variable { name: &global.name, start, size, is_writable })
        });
        // One may begin where another ends.
        variables.max_by_key(|variable| variable.start)
    }

    /// What its kernels' code is checked for.
    pub fn checks(&self) -> Kinds {
        Kinds::from_bits_retain(self.shown.checks)
    }

    /// Accesses through arguments that work-items are certain to make and that are found bad: the first at each place,
    /// by whom, and where that is, innermost first. None if the program would have to be built anew and cannot be.
    pub fn certain_accesses(
        &self,
        kernel: usize,
        args: &[Known<'_>],
        items: impl Iterator<Item = Ids>,
        is_bad: impl Fn(&Access) -> bool,
    ) -> Vec<(Access, Ids, Vec<Frame>)> {
        let Ok(module) = self.module() else { return Vec::new() };
        let func = &module.funcs[module.kernels[kernel].1];
        let found = partial::Kernel::new(func).first_of_each_place(args, items, is_bad).into_iter();
        found.map(|(access, ids, at)| (access, ids, module.frames(func, at))).collect()
    }

    /// A check by its number: what it is, and where, innermost first. The program is built again for it if only its
    /// code was kept.
    pub fn check_site(&self, number: u32) -> Option<(ir::check::Checked, Vec<Frame>)> {
        let module = self.module().ok()?;
        let site = module.checks.sites.get(number as usize)?;
        let mut places = module.frames(&module.funcs[site.func], site.at);
        places.retain(|frame| !frame.is_library);
        Some((site.what, places))
    }

    /// An object that checks name, by its number.
    pub fn check_object(&self, number: u64) -> Option<&ir::check::Object> {
        self.module().ok()?.checks.objects.get(usize::try_from(number).ok()?)
    }

    /// The kernels in source order.
    pub fn kernels(&self) -> &[KernelInfo] {
        &self.shown.kernels
    }

    /// Machine code for kernel number `kernel`, made anew by each call.
    ///
    /// # Errors
    /// `CodeError` if code generation fails.
    pub fn code(&self, kernel: usize, key: SpecKey) -> Result<KernelCode, CodeError> {
        self.load(&self.object(kernel, key)?)
    }

    /// Puts machine code of one of its kernels into executable memory.
    ///
    /// # Errors
    /// `CodeError` if memory is short or it is code of another program.
    pub fn load(&self, object: &CodeObject) -> Result<KernelCode, CodeError> {
        phase("load", || object.load(&self.data))
    }

    /// As `code`, before it has addresses.
    ///
    /// # Errors
    /// `CodeError` if code generation fails.
    pub fn object(&self, kernel: usize, key: SpecKey) -> Result<CodeObject, CodeError> {
        stack::with_room(CODE_STACK_BYTES, || self.compile(kernel, key))
            .unwrap_or_else(|error| Err(CodeError::new(no_thread(error))))
    }

    fn compile(&self, kernel: usize, key: SpecKey) -> Result<CodeObject, CodeError> {
        check_size(key)?;
        let module = self.module()?;
        let begun = Instant::now();
        let effort = if key.thorough { Effort::Thorough } else { Effort::Quick };
        let make = |backend, func: &Func, scratch| {
            phase("machine code", || codegen::compile(backend, module, func, scratch, effort))
        };
        let (mut code, mut told) = first(module, kernel, key, lanes(module, key.lanes), make)?;
        let is_doubtful = told.has_chosen_lanes && code.bytes() > fallback::LARGE_CODE;
        if is_doubtful && key.lanes == LaneChoice::Fewer {
            (code, told) = first(module, kernel, key, None, make)?;
        } else if is_doubtful && !told.rivals.contains(&LaneChoice::Fewer) {
            told.rivals.insert(0, LaneChoice::Fewer);
        }
        let info = &self.kernels()[kernel];
        let order = wg::interchange::loop_order(info, key);
        let along = [None, Some('y'), Some('z')][order[2]];
        let interchanged = along.map(|d| format!("work-item loops interchanged: vectors along {d}"));
        code.remarks = interchanged.into_iter().chain(told.remarks).collect();
        // What is checked is told of by one code.
        if key.lanes == LaneChoice::Estimated && module.checks.kinds.is_empty() {
            let other = lanes(module, key.lanes).and_then(|_| wg::interchange::rival_order(info, key));
            code.rivals = other.map(|_| LaneChoice::Interchanged).into_iter().chain(told.rivals).collect();
        }
        code.loop_order = order.map(|d| d as u8);
        code.making = begun.elapsed();
        Ok(code)
    }

    /// A text form of kernel number `kernel` for developers.
    ///
    /// # Errors
    /// `CodeError` if code generation fails.
    pub fn emit(&self, kernel: usize, key: SpecKey, what: Emit) -> Result<String, CodeError> {
        check_size(key)?;
        let module = self.module()?;
        let stage = match what {
            Emit::Kir => {
                let func = &module.funcs[module.kernels[kernel].1];
                return Ok(FuncText { module: Some(module), func }.to_string());
            }
            Emit::WorkGroup => {
                let (group, _) = work_group(module, kernel, key, lanes(module, key.lanes), true);
                return Ok(FuncText { module: Some(module), func: &group.func }.to_string());
            }
            Emit::Remarks => {
                let name = &self.kernels()[kernel].name;
                let code = self.compile(kernel, key)?;
                return Ok(code.remarks.iter().map(|remark| format!("{name}: {remark}\n")).collect());
            }
            Emit::Clif => codegen::Stage::Clif,
            Emit::Asm => codegen::Stage::Asm,
        };
        let emit = |backend, func: &Func, _| codegen::emit(backend, module, func, stage);
        first(module, kernel, key, lanes(module, key.lanes), emit).map(|(text, _)| text)
    }
}

impl Program {
    /// The source lines of kernel number `kernel` that have machine code, with it.
    ///
    /// # Errors
    /// `CodeError` if code generation fails.
    pub fn annotate(&self, kernel: usize, key: SpecKey) -> Result<Vec<Annotated>, CodeError> {
        check_size(key)?;
        let module = self.module()?;
        let make = |backend, func: &Func, _| codegen::annotate(backend, module, func);
        first(module, kernel, key, lanes(module, key.lanes), make).map(|(lines, _)| lines)
    }
}

/// What `make` gives in the first way that works, and what is said of it; a panic is an error.
fn first<T>(
    module: &Module,
    kernel: usize,
    key: SpecKey,
    lanes: Option<simd::Config>,
    make: impl Fn(Backend, &Func, Scratch) -> Result<T, CodeError>,
) -> Result<(T, Told), CodeError> {
    let first = || fallback::first(module, lanes, |lanes, told| work_group(module, kernel, key, lanes, told), make);
    catch_unwind(AssertUnwindSafe(first)).unwrap_or_else(|panic| Err(CodeError::new(panic_message(panic))))
}

/// The work-group function of a kernel.
fn work_group(
    module: &Module,
    kernel: usize,
    key: SpecKey,
    lanes: Option<simd::Config>,
    is_told: bool,
) -> (WorkGroup, Vec<simd::Remark>) {
    let force = simd::Force::from_env();
    let key = if force.generic { SpecKey::default() } else { key };
    let key = if force.large { SpecKey { streams: u64::MAX, ..key } } else { key };
    let sharing = if force.resume { wg::Sharing::DispatchLoop } else { wg::Sharing::Auto };
    phase("work-groups and lanes", || Runner::telling(is_told).kernel(module, kernel, key, sharing, lanes))
}

/// How a module's kernels are vectorised; `None` for scalar code.
fn lanes(module: &Module, choice: LaneChoice) -> Option<simd::Config> {
    if module.is_scalar { None } else { simd::Config::of(choice) }
}

/// Refuses groups that no device has: a kernel may require any size, and code for it is made before a launch is
/// refused.
fn check_size(key: SpecKey) -> Result<(), CodeError> {
    let items = key.local_size.map_or(1, |size| size.iter().fold(1, |n: u64, &s| n.saturating_mul(u64::from(s))));
    if items > MAX_LOCAL_SIZE {
        return Err(CodeError::new(format!("no work-group has more than {MAX_LOCAL_SIZE} work-items")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stack;

    /// Bytes of its stack that a thread touches in `work`.
    #[cfg(target_os = "linux")]
    #[allow(unsafe_code, reason = "asks which pages of a stack are there")]
    fn stack_of(work: impl FnOnce() + Send) -> usize {
        // Of no other thread's size, so that none before had this memory.
        const BYTES: usize = 23 << 20;
        const PAGE: usize = 4096;
        let measured = || {
            work();
            let here = 0u8;
            let start = std::hint::black_box(&raw const here).addr() - stack::left().expect("known");
            let mut pages = vec![0u8; BYTES / PAGE];
            // SAFETY: the pages are this thread's stack; the vector has a byte for each.
            let status = unsafe {
                libc::mincore(start.next_multiple_of(PAGE) as *mut _, pages.len() * PAGE, pages.as_mut_ptr())
            };
            assert_eq!(status, 0);
            BYTES - pages.iter().position(|page| page & 1 != 0).unwrap_or(pages.len()) * PAGE
        };
        stack::apart("test", BYTES, measured).expect("a thread").expect("no panic")
    }

    /// Large in each way that there is: code, blocks, loops, calls, barriers, expressions.
    fn large_sources() -> Vec<(&'static str, String)> {
        let repeat = |n: usize, text: &dyn Fn(usize) -> String| (0..n).map(text).collect::<String>();
        let kernel = |body: String| {
            format!(
                "kernel void k(global int *a, global float *f, int n) \
                 {{ int i = get_global_id(0), v = a[i]; {body} a[i] = v; }}"
            )
        };
        let nest = |n: usize| {
            let open = repeat(n, &|k| format!("for (int j{k} = 0; j{k} < n; j{k}++) {{ v += a[v & j{k}]; "));
            kernel(open + &"}".repeat(n))
        };
        vec![
            ("chain", kernel(format!("v = v{};", repeat(3000, &|k| format!(" * {k} + (v ^ {})", k + 1))))),
            ("lines", kernel(repeat(4000, &|k| format!("v = v * {k} + a[v & {k}]; ")))),
            ("ifs", kernel(repeat(100, &|k| format!("if (v & {k}) {{ a[i + {k}] = v; v += {k}; ")) + &"}".repeat(100))),
            ("branches", kernel(repeat(500, &|k| format!("if (v > {k}) v = a[v & {k}]; else v += n; ")))),
            ("loops", nest(24)),
            (
                "barriers",
                kernel(repeat(24, &|k| format!("a[i ^ {k}] = v; barrier(CLK_GLOBAL_MEM_FENCE); v += a[i]; "))),
            ),
            ("math", kernel(repeat(60, &|_| "f[i] = pow(f[i], 1.5f) + sin(f[i]) * tgamma(f[i] + 2);".to_owned()))),
            ("vectors", kernel(repeat(200, &|k| format!("v += convert_int16(vload16({k}, f) * 3.5f).s5; ")))),
        ]
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn passes_keep_to_the_stack_of_a_part() {
        for (name, source) in large_sources() {
            let mut module = lowered(source.as_bytes(), "-cl-std=CL3.0").expect(name);
            let bytes = stack_of(|| Runner::default().program(&mut module));
            assert!(bytes <= crate::parallel::STACK_BYTES / 2, "{name}: {} KiB of stack", bytes >> 10);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn code_generation_keeps_to_its_stack() {
        #[inline(never)]
        fn touch(depth: usize) -> usize {
            let frame = std::hint::black_box([depth as u8; 4096]);
            if depth == 0 { 0 } else { touch(depth - 1) + usize::from(frame[0]) }
        }
        let touched = stack_of(|| assert!(touch(100) > 0));
        assert!((300 << 10..1000 << 10).contains(&touched), "{touched}");
        for (name, source) in large_sources() {
            let program = build(source.as_bytes(), "-cl-std=CL3.0", &[]);
            let program = program.program.unwrap_or_else(|_| panic!("{name}: {}", program.log));
            for local_size in [None, Some([64, 1, 1])] {
                let key = SpecKey { local_size, small_ids: true, ..SpecKey::default() };
                let bytes = stack_of(|| drop(program.code(0, key).unwrap_or_else(|e| panic!("{name}: {}", e.message))));
                assert!(bytes <= CODE_STACK_BYTES, "{name}: {} KiB of stack", bytes >> 10);
            }
        }
    }
}

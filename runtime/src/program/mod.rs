//! Programs: source or module, build state, kernels. `il` keeps modules, `build` builds, compiles and links, `unit`
//! calls the compiler, `kept` spares its work by the cache on disk, `executable` has the machine code, `binary` is what
//! `CL_PROGRAM_BINARIES` returns.

mod binary;
mod build;
pub mod contest;
pub mod executable;
mod il;
mod kept;
pub mod midway;
pub mod rivals;
pub mod thorough;
mod unit;
pub mod variants;

use crate::config::Config;
use crate::context::{Callback, Context, ContextFlags};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::fork::{self, Registry};
use crate::kernel::Kernel;
use crate::object::{Body, Kind, Obj, Object};
use crate::record::entry;
use crate::status::Status;
use crate::sync::{Condvar, Mutex, Rank};
use build::{BAD_COMPILER_OPTIONS, ZERO_PRIVATE};
use clift_jit::{Header, HeaderKind};
use executable::{Executable, Variable};
use il::Il;
use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::AcqRel, Ordering::Acquire, Ordering::Relaxed};
#[cfg(test)]
use unit::Input;
use unit::Unit;

pub use build::link;

/// `CL_PROGRAM_BUILD_STATUS`; the discriminant is the API's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum BuildStatus {
    /// Nothing was built yet.
    None = -1,
    /// The last build failed.
    Error = -2,
    /// The last build worked.
    Success = 0,
    /// A build is under way.
    InProgress = -3,
}

/// `CL_PROGRAM_BINARY_TYPE`; the discriminant is the API's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum BinaryType {
    /// No binary.
    None = 0,
    /// From `compile`.
    CompiledObject = 1,
    /// From `link` with `-create-library`.
    Library = 2,
    /// From `build` or `link`.
    Executable = 4,
}

/// Where a program came from.
enum Origin {
    /// `clCreateProgramWithSource`.
    Source(Arc<[u8]>),
    /// `clCreateProgramWithIL`.
    Il(Box<Il>),
    /// `clCreateProgramWithBinary`.
    Binary,
    /// `clLinkProgram`.
    Link,
}

/// One kernel object's share in its program: while any exists the program cannot be rebuilt.
pub struct Attached(Arc<AtomicUsize>);

impl Attached {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, AcqRel);
        Self(Arc::clone(count))
    }
}

impl Clone for Attached {
    fn clone(&self) -> Self {
        Self::new(&self.0)
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        self.0.fetch_sub(1, AcqRel);
    }
}

/// What the last build left.
#[derive(Clone)]
struct Built {
    /// As of the last change: ask `status()`.
    status: BuildStatus,
    /// `fork::count` when the build began: it never ends in a child.
    forks: u32,
    options: String,
    log: String,
    binary_type: BinaryType,
    /// What it was, or is being, made of.
    units: Vec<Unit>,
    /// Whether its kernels may have non-uniform trailing work-groups: those of all units may.
    non_uniform: bool,
    /// The kernels of an executable.
    code: Option<Arc<Executable>>,
}

impl Built {
    const fn nothing() -> Self {
        Self {
            status: BuildStatus::None,
            forks: 0,
            options: String::new(),
            log: String::new(),
            binary_type: BinaryType::None,
            units: Vec::new(),
            non_uniform: false,
            code: None,
        }
    }

    /// A build that begins now.
    fn begun(options: &str, units: Vec<Unit>) -> Self {
        let (status, forks) = (BuildStatus::InProgress, fork::count());
        Self { status, forks, options: options.to_owned(), units, ..Self::nothing() }
    }

    /// A build that was under way when the process forked has failed in the child.
    fn status(&self) -> BuildStatus {
        let is_lost = self.status == BuildStatus::InProgress && self.forks != fork::count();
        if is_lost { BuildStatus::Error } else { self.status }
    }

    /// The kernels, if there is an executable.
    fn executable(&self) -> Option<&Arc<Executable>> {
        let is_executable = self.status() == BuildStatus::Success && self.binary_type == BinaryType::Executable;
        self.code.as_ref().filter(|_| is_executable)
    }
}

/// A program.
pub struct Program {
    context: Obj<Context>,
    origin: Origin,
    built: Mutex<Built>,
    /// A build has ended.
    ended: Condvar,
    kernels: Arc<AtomicUsize>,
    /// The how manieth of the process it is, from 1.
    number: u32,
}

impl Body for Program {
    const KIND: Kind = Kind::Program;
}

pub(crate) static ALL: Registry<Program> = Registry::new();

static N_PROGRAMS: AtomicU32 = AtomicU32::new(0);

impl Program {
    fn new(context: &Obj<Context>, origin: Origin, built: Built) -> Obj<Self> {
        let program = Object::new(Self {
            context: Arc::clone(context),
            origin,
            built: Mutex::new(Rank::Program, built),
            ended: Condvar::new(),
            kernels: Arc::new(AtomicUsize::new(0)),
            number: N_PROGRAMS.fetch_add(1, Relaxed) + 1,
        });
        ALL.add(&program);
        program
    }

    /// Keeps its state as it is, for the time of a fork.
    #[allow(unsafe_code, reason = "a guard for the time of a fork")]
    pub(crate) fn hold(&self) -> Box<dyn Any> {
        // SAFETY: `fork` keeps the program for longer than this.
        Box::new(unsafe { self.built.lock_for_fork() })
    }

    /// `clCreateProgramWithSource`: `source` is the concatenation of the caller's strings.
    pub fn create_with_source(context: &Obj<Context>, source: Vec<u8>) -> Obj<Self> {
        Self::new(context, Origin::Source(source.into()), Built::nothing())
    }

    /// `clCreateProgramWithIL`.
    ///
    /// # Errors
    /// `InvalidValue` ← no module; the log says why.
    pub fn create_with_il(context: &Obj<Context>, bytes: &[u8]) -> Result<Obj<Self>> {
        let il = Il::new(bytes).map_err(|message| {
            Config::log("build", || message);
            Error::spec(Status::InvalidValue, "il is not well-formed intermediate language input")
        })?;
        Ok(Self::new(context, Origin::Il(Box::new(il)), Built::nothing()))
    }

    /// `clSetProgramSpecializationConstant`: for builds that begin later.
    ///
    /// # Errors
    /// `InvalidProgram` ← not made from an intermediate language; `InvalidSpecId`; `InvalidValue` ← another size.
    pub fn set_spec_constant(&self, id: u32, value: &[u8]) -> Result<()> {
        match &self.origin {
            Origin::Il(il) => il.set_constant(id, value),
            _ => Err(Error::spec(Status::InvalidProgram, "program was not created from an intermediate language")),
        }
    }

    /// `clCreateProgramWithBinary` for one device's binary, as `binary` returned it.
    ///
    /// # Errors
    /// `InvalidBinary`.
    pub fn create_with_binary(context: &Obj<Context>, bytes: &[u8]) -> Result<Obj<Self>> {
        let bad = Error::spec(Status::InvalidBinary, "an invalid program binary was encountered for a device");
        let built = binary::read(bytes).ok_or_else(|| {
            Config::log("build", || "a program binary is damaged or not of this version of Clift".into());
            bad
        })?;
        Ok(Self::new(context, Origin::Binary, built))
    }

    /// The how manieth program of the process it is, from 1: what reports call it.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// `CL_PROGRAM_CONTEXT`.
    pub fn context(&self) -> &Obj<Context> {
        &self.context
    }

    /// `CL_PROGRAM_DEVICES`.
    pub fn devices(&self) -> &[Obj<Device>] {
        self.context.devices()
    }

    /// `CL_PROGRAM_SOURCE`; empty unless made from source.
    pub fn source(&self) -> &[u8] {
        if let Origin::Source(source) = &self.origin { source } else { &[] }
    }

    /// `CL_PROGRAM_IL`; empty unless made from an intermediate language.
    pub fn il(&self) -> &[u8] {
        if let Origin::Il(il) = &self.origin { il.bytes() } else { &[] }
    }

    /// `CL_PROGRAM_BINARIES`, one for all devices; empty if there is none.
    pub fn binary(&self) -> Vec<u8> {
        let Built { binary_type, units, .. } = self.built.lock().clone();
        if binary_type == BinaryType::None { Vec::new() } else { binary::write(binary_type, &units) }
    }

    /// `CL_PROGRAM_BUILD_STATUS`.
    pub fn build_status(&self) -> BuildStatus {
        self.built.lock().status()
    }

    /// `CL_PROGRAM_BUILD_LOG`.
    pub fn build_log(&self) -> String {
        self.built.lock().log.clone()
    }

    /// `CL_PROGRAM_BUILD_OPTIONS`.
    pub fn build_options(&self) -> String {
        self.built.lock().options.clone()
    }

    /// `CL_PROGRAM_BINARY_TYPE`.
    pub fn binary_type(&self) -> BinaryType {
        self.built.lock().binary_type
    }

    /// Names of the kernels in source order. Waits for a build that is under way.
    ///
    /// # Errors
    /// `InvalidProgramExecutable` ← no successful build.
    pub fn kernel_names(&self) -> Result<Vec<String>> {
        let code = self.executable()?.0;
        let kernels = code.source().kernels().iter().filter(|kernel| !kernel.is_block);
        Ok(kernels.map(|kernel| kernel.name.clone()).collect())
    }

    /// `CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE`: bytes of program-scope variables in the global address space; 0
    /// without a built executable.
    pub fn global_variable_bytes(&self) -> usize {
        self.built.lock().executable().map_or(0, |code| code.source().global_variable_bytes())
    }

    /// A program-scope variable in the global address space.
    ///
    /// # Errors
    /// `InvalidProgramExecutable` ← no successful build; `InvalidArgValue` ← no such variable.
    pub fn variable(&self, name: &str) -> Result<Variable> {
        let none = Error::spec(Status::InvalidArgValue, "name does not identify a global variable defined in program");
        self.executable()?.0.variable(name).ok_or(none)
    }

    /// The kernels, and whether they may have non-uniform work-groups, as soon as no build is under way.
    fn executable(&self) -> Result<(Arc<Executable>, bool)> {
        let mut built = self.built.lock();
        while built.status() == BuildStatus::InProgress {
            self.ended.wait(&mut built);
        }
        let none =
            Error::spec(Status::InvalidProgramExecutable, "there is no successfully built executable for program");
        let code = built.executable().map(Arc::clone).ok_or(none)?;
        Ok((code, built.non_uniform))
    }

    /// What it was built of, for a recording. What the context asks for is no option there.
    pub(crate) fn recorded(&self) -> entry::Program {
        let units = self.built.lock().units.clone();
        let mut units: Vec<entry::Unit> = units.into_iter().map(Unit::recorded).collect();
        if self.context.flags().contains(ContextFlags::ZERO_PRIVATE) {
            units.iter_mut().for_each(|unit| unit.options = unit.options.replace(ZERO_PRIVATE, ""));
        }
        entry::Program { units }
    }

    fn n_kernels(&self) -> usize {
        self.kernels.load(Acquire)
    }
}

impl Object<Program> {
    /// `clBuildProgram`; options are UTF-8. With `done` it returns at once and runs `done` on another thread when the
    /// build has ended.
    ///
    /// # Errors
    /// `InvalidOperation` ← kernels are attached, a build is under way, or the program is a linked one; `InvalidBinary`
    /// ← the program's binary is no executable; `BuildOptions`; `BuildFailure` (the last two not with `done`).
    ///
    /// Spec: OpenCL API, "Building Program Executables".
    pub fn build(self: &Arc<Self>, options: &[u8], done: Option<Callback>) -> Result<()> {
        let options = str::from_utf8(options).map_err(|_| Error::BuildOptions)?;
        self.start_build(BinaryType::Executable, options, Vec::new(), done)
    }

    /// `clCompileProgram`; each header is a program made from source, with the name that `#include` uses.
    ///
    /// # Errors
    /// As `build`, with `CompileFailure` and `InvalidCompilerOptions`; `ContextMismatch`; `InvalidOperation` ← a
    /// program without source or module, or a header without source.
    ///
    /// Spec: OpenCL API, "Separate Compilation and Linking of Programs".
    pub fn compile(
        self: &Arc<Self>,
        options: &[u8],
        headers: &[(String, Obj<Program>)],
        done: Option<Callback>,
    ) -> Result<()> {
        ensure!(headers.iter().all(|(_, p)| Arc::ptr_eq(&p.context, &self.context)), Error::ContextMismatch);
        let options = str::from_utf8(options).map_err(|_| BAD_COMPILER_OPTIONS)?;
        let is_compilable = matches!(self.origin, Origin::Source(_) | Origin::Il(_));
        let sourced = headers.iter().all(|(_, p)| matches!(p.origin, Origin::Source(_)));
        ensure!(
            is_compilable && sourced,
            Error::spec(Status::InvalidOperation, "program has no source or IL available")
        );
        let text = |p: &Obj<Program>| clift_jit::source::decode(p.source()).into_owned();
        let headers = headers
            .iter()
            .map(|(name, p)| Header { name: name.clone(), text: text(p), kind: HeaderKind::Named })
            .collect();
        self.start_build(BinaryType::CompiledObject, options, headers, done)
    }

    /// `clCreateKernel`. Waits for a build that is under way: its callback may come first or later.
    ///
    /// # Errors
    /// `InvalidProgramExecutable` ← no successful build; `KernelName`.
    pub fn create_kernel(self: &Arc<Self>, name: &str) -> Result<Obj<Kernel>> {
        self.context.check_alive()?;
        let (code, non_uniform) = self.executable()?;
        let index = code.kernel(name).ok_or_else(|| Error::KernelName { name: name.to_owned() })?;
        let attached = Attached::new(&self.kernels);
        Ok(Object::new(Kernel::new(self, code, index, attached, non_uniform)))
    }

    /// Makes a program from hand-made kernels, built.
    #[cfg(test)]
    pub(crate) fn from_kernels(
        context: &Obj<Context>,
        code: Arc<dyn executable::KernelSource>,
        options: &str,
    ) -> Obj<Program> {
        let unit = Unit::new(Input::Text { source: Arc::default(), headers: Vec::new() }, options.into());
        let built = Built {
            status: BuildStatus::Success,
            options: options.into(),
            non_uniform: unit.allows_non_uniform(),
            units: vec![unit],
            binary_type: BinaryType::Executable,
            code: Some(Arc::new(Executable::new(code))),
            ..Built::nothing()
        };
        Program::new(context, Origin::Source(Arc::default()), built)
    }
}

#[cfg(test)]
mod tests;

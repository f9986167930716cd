//! Programs: source, build state, kernels.

use crate::context::{Callback, Context};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::kernel::Kernel;
use crate::object::{Body, Kind, Obj, Object};
use std::sync::Arc;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// `clCreateProgramWithSource`.
    Source,
    /// `clCreateProgramWithBinary`.
    Binary,
    /// `clLinkProgram`.
    Link,
}

/// A program.
pub struct Program {
    context: Obj<Context>,
    source: Vec<u8>,
}

impl Body for Program {
    const KIND: Kind = Kind::Program;
}

impl Program {
    /// `clCreateProgramWithSource`: `source` is the concatenation of the caller's strings.
    pub fn create_with_source(context: &Obj<Context>, source: Vec<u8>) -> Obj<Self> {
        Object::new(Self { context: Arc::clone(context), source })
    }

    /// `clCreateProgramWithBinary` for one device's binary, as `binary` returned it.
    ///
    /// # Errors
    /// `InvalidBinary`.
    pub fn create_with_binary(context: &Obj<Context>, binary: &[u8]) -> Result<Obj<Self>> {
        let _ = (context, binary);
        Err(Error::spec(crate::status::Status::InvalidBinary, "not a binary of this driver"))
    }

    /// `CL_PROGRAM_CONTEXT`.
    pub fn context(&self) -> &Obj<Context> {
        &self.context
    }

    /// `CL_PROGRAM_DEVICES`.
    pub fn devices(&self) -> &[Obj<Device>] {
        self.context.devices()
    }

    /// `CL_PROGRAM_SOURCE`; empty for binaries.
    pub fn source(&self) -> &[u8] {
        &self.source
    }

    /// Where it came from.
    pub fn origin(&self) -> Origin {
        Origin::Source
    }

    /// `CL_PROGRAM_BINARIES`, one for all devices; empty if there is none.
    pub fn binary(&self) -> Vec<u8> {
        Vec::new()
    }

    /// `CL_PROGRAM_BUILD_STATUS`.
    pub fn build_status(&self) -> BuildStatus {
        BuildStatus::None
    }

    /// `CL_PROGRAM_BUILD_LOG`.
    pub fn build_log(&self) -> String {
        String::new()
    }

    /// `CL_PROGRAM_BUILD_OPTIONS`.
    pub fn build_options(&self) -> String {
        String::new()
    }

    /// `CL_PROGRAM_BINARY_TYPE`.
    pub fn binary_type(&self) -> BinaryType {
        BinaryType::None
    }

    /// Names of the kernels in source order.
    ///
    /// # Errors
    /// `InvalidProgramExecutable` ← no successful build.
    pub fn kernel_names(&self) -> Result<Vec<String>> {
        Err(Error::spec(crate::status::Status::InvalidProgramExecutable, "no successfully built executable"))
    }
}

impl Object<Program> {
    /// `clBuildProgram`. With `done` it returns at once and runs `done` on another thread when the build has ended.
    ///
    /// # Errors
    /// `InvalidOperation` ← kernels are attached, a build is under way, or the program has no source; `BuildOptions`;
    /// `BuildFailure` (not with `done`).
    pub fn build(self: &Arc<Self>, options: &str, done: Option<Callback>) -> Result<()> {
        let _ = (options, done);
        Err(Error::BuildFailure)
    }

    /// `clCompileProgram`; each header is a program made from source, with the name that `#include` uses.
    ///
    /// # Errors
    /// As `build`, with `CompileFailure`.
    pub fn compile(
        self: &Arc<Self>,
        options: &str,
        headers: &[(String, Obj<Program>)],
        done: Option<Callback>,
    ) -> Result<()> {
        let _ = (options, headers, done);
        Err(Error::CompileFailure)
    }

    /// `clCreateKernel`.
    ///
    /// # Errors
    /// `InvalidProgramExecutable` ← no successful build; `KernelName`.
    pub fn create_kernel(self: &Arc<Self>, name: &str) -> Result<Obj<Kernel>> {
        Err(Error::KernelName { name: name.to_owned() })
    }
}

/// `clLinkProgram`: the new program, or none with an error. With `done` the link may end later; the program exists at
/// once. A failed link still gives the program (its log says why) together with `LinkFailure`.
pub fn link(
    context: &Obj<Context>,
    options: &str,
    inputs: &[Obj<Program>],
    done: Option<Box<dyn FnOnce(&Obj<Program>) + Send>>,
) -> (Option<Obj<Program>>, Result<()>) {
    let _ = (context, options, inputs, done);
    (None, Err(Error::LinkFailure))
}

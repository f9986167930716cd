//! Runs the compiler, on this thread or another, and keeps what it says. Linking takes one compiled object; several are
//! refused in the log until the compiler can join modules.

use super::{BinaryType, BuildStatus, Built, Origin, Program};
use crate::config::Config;
use crate::context::{Callback, Context};
use crate::error::{Error, Result};
use crate::kernel::KernelSource;
use crate::object::{Obj, Object};
use crate::status::Status;
use clift_jit::{BuildError, Header};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Runs once when a link has ended.
pub type LinkCallback = Box<dyn FnOnce(&Obj<Program>) + Send>;

/// Whether kernels of a program with these options may have non-uniform trailing work-groups: OpenCL C 2.0 and later
/// without `-cl-uniform-work-group-size`.
pub fn allows_non_uniform(options: &str) -> bool {
    let (mut newer, mut uniform) = (false, false);
    for option in options.split_ascii_whitespace() {
        if let Some(standard) = option.strip_prefix("-cl-std=") {
            newer = !standard.starts_with("CL1");
        }
        uniform |= option == "-cl-uniform-work-group-size";
    }
    newer && !uniform
}

impl Object<Program> {
    /// Checks that a build may start, and runs it. `headers` replace those that the program carries.
    pub(super) fn start_build(
        self: &Arc<Self>,
        goal: BinaryType,
        options: &str,
        headers: Option<Vec<Header>>,
        done: Option<Callback>,
    ) -> Result<()> {
        let refuse = |condition| Err(Error::spec(Status::InvalidOperation, condition));
        let headers = {
            let mut built = self.built.lock();
            // "there are kernel objects attached to program"
            if self.n_kernels() > 0 {
                return refuse("there are kernel objects attached to program");
            }
            // "the build of a program executable … by a previous call to clBuildProgram for program has not completed"
            if built.status == BuildStatus::InProgress {
                return refuse("a previous build of program has not completed");
            }
            if self.origin == Origin::Link {
                return refuse("program was not created with source or binary");
            }
            let headers = headers.unwrap_or_else(|| std::mem::take(&mut built.headers));
            *built = Built {
                status: BuildStatus::InProgress,
                options: options.to_owned(),
                headers: headers.clone(),
                ..Built::nothing()
            };
            headers
        };
        let me = Arc::clone(self);
        in_background(done, move || me.finish_build(goal, headers))
    }

    fn finish_build(&self, goal: BinaryType, headers: Vec<Header>) -> Result<()> {
        let options = self.build_options();
        let (log, outcome) = compile(&self.source, &options, &headers);
        Config::log("build", || format!("build with `{options}`: {:?}\n{log}", outcome.as_ref().map(|_| ()).err()));
        let mut built = self.built.lock();
        built.log = log;
        match outcome {
            Ok(code) if goal == BinaryType::Executable && !code.undefined().is_empty() => {
                built.log.push_str(code.undefined());
                built.status = BuildStatus::Error;
                Err(Error::BuildFailure)
            }
            Ok(code) => {
                (built.status, built.binary_type, built.code) = (BuildStatus::Success, goal, Some(code));
                Ok(())
            }
            Err(error) => {
                built.status = BuildStatus::Error;
                Err(match (error, goal) {
                    (BuildError::Options, BinaryType::Executable) => Error::BuildOptions,
                    (BuildError::Options, _) => Error::spec(Status::InvalidCompilerOptions, "options are invalid"),
                    (BuildError::Source, BinaryType::Executable) => Error::BuildFailure,
                    (BuildError::Source, _) => Error::CompileFailure,
                })
            }
        }
    }
}

/// Runs `job` here, or, if there is a `done`, on a thread that calls it afterwards; then errors show in queries only.
fn in_background(done: Option<Callback>, job: impl FnOnce() -> Result<()> + Send + 'static) -> Result<()> {
    let Some(done) = done else { return job() };
    let job = Arc::new(crate::sync::Mutex::new(crate::sync::Rank::Leaf, Some((job, done))));
    let theirs = Arc::clone(&job);
    let run = move || {
        let taken = theirs.lock().take();
        if let Some((job, done)) = taken {
            // The outcome is in the program's state, where the callback looks for it.
            let _ = job();
            done();
        }
    };
    if std::thread::Builder::new().name("clift-build".into()).spawn(run).is_err() {
        let taken = job.lock().take();
        if let Some((job, done)) = taken {
            let _ = job();
            done();
        }
    }
    Ok(())
}

/// The compiler's answer; its panics are failures with a line in the log. A failure's log is never empty.
fn compile(
    source: &[u8],
    options: &str,
    headers: &[Header],
) -> (String, std::result::Result<Arc<dyn KernelSource>, BuildError>) {
    let outcome = catch_unwind(AssertUnwindSafe(|| clift_jit::build(source, options, headers)));
    let (mut log, outcome) = match outcome {
        Ok(build) => (build.log, build.program.map(|p| p as Arc<dyn KernelSource>)),
        Err(_) => ("error: internal failure of the compiler\n".to_owned(), Err(BuildError::Source)),
    };
    if outcome.is_err() && log.is_empty() {
        log.push_str("error: the program was not built\n");
    }
    (log, outcome)
}

/// Options that only `clLinkProgram` knows, and those that it shares with the compiler.
const LINK_OPTIONS: &[&str] = &[
    "-create-library",
    "-enable-link-options",
    "-cl-denorms-are-zero",
    "-cl-no-signed-zeros",
    "-cl-unsafe-math-optimizations",
    "-cl-finite-math-only",
    "-cl-fast-relaxed-math",
    "-cl-no-subgroup-ifp",
];

/// `clLinkProgram`: the new program, or none with an error. With `done` the result of linking shows in queries only. A
/// failed link still gives the program (its log says why) together with `LinkFailure`.
///
/// Errors: `InvalidLinkerOptions`; `InvalidOperation` ← an input is not compiled; `InvalidValue` ← no inputs;
/// `ContextMismatch`; `LinkFailure`.
///
/// Spec: OpenCL API, "Separate Compilation and Linking of Programs".
pub fn link(
    context: &Obj<Context>,
    options: &str,
    inputs: &[Obj<Program>],
    done: Option<LinkCallback>,
) -> (Option<Obj<Program>>, Result<()>) {
    match try_link(context, options, inputs) {
        Err(error) => (None, Err(error)),
        Ok(program) => {
            let outcome = match program.build_status() {
                BuildStatus::Success => Ok(()),
                _ => Err(Error::LinkFailure),
            };
            let Some(done) = done else { return (Some(program), outcome) };
            let theirs = Arc::clone(&program);
            let told = in_background(Some(Box::new(move || done(&theirs))), || Ok(()));
            (Some(program), told)
        }
    }
}

fn try_link(context: &Obj<Context>, options: &str, inputs: &[Obj<Program>]) -> Result<Obj<Program>> {
    let known = options.split_ascii_whitespace().all(|o| LINK_OPTIONS.contains(&o));
    ensure!(known, Error::spec(Status::InvalidLinkerOptions, "the linker options specified by options are invalid"));
    let first = inputs.first().ok_or(Error::spec(Status::InvalidValue, "num_input_programs is zero"))?;
    ensure!(inputs.iter().all(|p| Arc::ptr_eq(&p.context, context)), Error::ContextMismatch);
    let linkable = |p: &Obj<Program>| matches!(p.binary_type(), BinaryType::CompiledObject | BinaryType::Library);
    ensure!(
        inputs.iter().all(linkable),
        Error::spec(Status::InvalidOperation, "an input program has no compiled binary or library")
    );
    let as_library = options.split_ascii_whitespace().any(|o| o == "-create-library");
    let goal = if as_library { BinaryType::Library } else { BinaryType::Executable };
    let parts = first.built.lock().clone();
    let mut built = Built { options: options.to_owned(), headers: parts.headers.clone(), ..Built::nothing() };
    if inputs.len() > 1 {
        built.status = BuildStatus::Error;
        built.log = "error: linking more than one compiled program is not supported\n".into();
    } else {
        let (log, code) = match parts.code {
            Some(code) => (parts.log, Ok(code)),
            // From a binary: it carries its source.
            None => compile(&first.source, &parts.options, &parts.headers),
        };
        built.log = log;
        match code {
            Ok(code) if goal == BinaryType::Executable && !code.undefined().is_empty() => {
                built.log.push_str(code.undefined());
                built.status = BuildStatus::Error;
            }
            Ok(code) => {
                (built.status, built.binary_type, built.code) = (BuildStatus::Success, goal, Some(code));
                // The language version of the object decides about non-uniform work-groups.
                if allows_non_uniform(&parts.options) {
                    built.options = format!("{options} {}", parts.options).trim().to_owned();
                }
            }
            Err(_) => built.status = BuildStatus::Error,
        }
    }
    Ok(Program::new(context, Origin::Link, first.source.clone(), built))
}

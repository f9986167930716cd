//! `clBuildProgram`, `clCompileProgram` and `clLinkProgram` on this thread or another, and what they leave in the
//! program.

use super::executable::{Executable, KernelSource};
use super::kept::{self, Outcome};
use super::unit::{self, Input, Unit};
use super::{BinaryType, BuildStatus, Built, Origin, Program};
use crate::check::api;
use crate::context::{Callback, Context, ContextFlags};
use crate::error::{Error, Result};
use crate::object::{Obj, Object};
use crate::status::Status;
use crate::trace;
use clift_jit::reserve;
use clift_jit::stack::THREAD_BYTES;
use clift_jit::{BuildError, Header};
use std::sync::Arc;

/// Runs once when a link has ended.
pub type LinkCallback = Box<dyn FnOnce(&Obj<Program>) + Send>;

impl Object<Program> {
    /// Checks that a build may start, and runs it. `headers` are those of `clCompileProgram`.
    pub(super) fn start_build(
        self: &Arc<Self>,
        goal: BinaryType,
        options: &str,
        headers: Vec<Header>,
        done: Option<Callback>,
    ) -> Result<()> {
        if done.is_none() {
            api::blocks();
        }
        let refuse = |condition| Err(Error::spec(Status::InvalidOperation, condition));
        {
            let mut built = self.built.lock();
            // "there are kernel objects attached to program"
            if self.n_kernels() > 0 {
                return refuse("there are kernel objects attached to program");
            }
            // "the build of a program executable … by a previous call to clBuildProgram for program has not completed"
            if built.status() == BuildStatus::InProgress {
                return refuse("a previous build of program has not completed");
            }
            let units = match &self.origin {
                Origin::Link => return refuse("program was not created with source, IL or binary"),
                Origin::Source(source) => {
                    let input = Input::Text { source: Arc::clone(source), headers };
                    vec![Unit::new(input, self.unit_options(options))]
                }
                Origin::Il(il) => vec![Unit::new(il.input(), self.unit_options(options))],
                // "If program is created with clCreateProgramWithBinary, then the program binary must be an executable
                // binary (not a compiled binary or library)."
                Origin::Binary if built.binary_type != BinaryType::Executable => {
                    let condition = "the binary of program is not an executable";
                    return Err(Error::spec(Status::InvalidBinary, condition));
                }
                Origin::Binary => {
                    let mut units = std::mem::take(&mut built.units);
                    units.iter_mut().for_each(|unit| unit.options = self.unit_options(&unit.options));
                    units
                }
            };
            // A binary's type does not depend on whether it has been built.
            let binary_type = if matches!(self.origin, Origin::Binary) { goal } else { BinaryType::None };
            *built = Built { binary_type, ..Built::begun(options, units) };
        }
        let me = Arc::clone(self);
        // The callback's handle stays good while it runs, whatever the application has released.
        let held = Arc::clone(self);
        let done = done.map(|done| -> Callback {
            Box::new(move || {
                done();
                drop(held);
            })
        });
        in_background(done, move || me.finish_build(goal))
    }

    /// A unit's options with what the context asks for.
    fn unit_options(&self, options: &str) -> String {
        let wants_zeros = self.context().flags().contains(ContextFlags::ZERO_PRIVATE);
        if wants_zeros && !options.contains(ZERO_PRIVATE) {
            format!("{options} {ZERO_PRIVATE}")
        } else {
            options.to_owned()
        }
    }

    fn finish_build(&self, goal: BinaryType) -> Result<()> {
        trace::slice(
            "build",
            "build",
            || self.do_build(goal),
            |event, result| {
                event.text("goal", &format!("{goal:?}"));
                event.text("options", &self.build_options());
                event.text("result", if result.is_ok() { "success" } else { "failure" });
            },
        )
    }

    fn do_build(&self, goal: BinaryType) -> Result<()> {
        let _ending = Ending(self);
        let (mut units, options) = {
            let built = self.built.lock();
            (built.units.clone(), built.options.clone())
        };
        let (log, result) = match (&self.origin, goal, &mut units[..]) {
            (Origin::Binary, ..) => match clift_jit::parse_options(&options) {
                Ok(_) => {
                    let Outcome { log, code } = kept::link(&mut units);
                    (log, code.map(executable))
                }
                Err(log) => (log, Err(BuildError::Options)),
            },
            (_, BinaryType::Executable, [unit]) => {
                let Outcome { log, code } = kept::build(unit);
                (log, code.map(executable))
            }
            _ => {
                let (log, objects) = unit::objects(&mut units);
                (log, objects.map(|_| None))
            }
        };
        let mut built = self.built.lock();
        built.log = log;
        match result {
            Ok(code) => {
                if goal == BinaryType::Executable {
                    // Nobody can link it any more.
                    units.iter_mut().for_each(|unit| unit.object = None);
                }
                built.non_uniform = units.iter().all(Unit::allows_non_uniform);
                (built.units, built.code) = (units, code);
                (built.status, built.binary_type) = (BuildStatus::Success, goal);
                Ok(())
            }
            Err(error) => {
                built.status = BuildStatus::Error;
                Err(match (error, goal) {
                    (BuildError::Resources, _) => NO_RESOURCES,
                    (BuildError::Memory, _) => NO_MEMORY,
                    (BuildError::Options, BinaryType::Executable) => Error::BuildOptions,
                    (BuildError::Options, _) => BAD_COMPILER_OPTIONS,
                    (_, BinaryType::Executable) => Error::BuildFailure,
                    _ => Error::CompileFailure,
                })
            }
        }
    }

    fn finish_link(&self, goal: BinaryType) -> Result<()> {
        trace::slice(
            "link",
            "build",
            || self.do_link(goal),
            |event, result| {
                event.text("goal", &format!("{goal:?}"));
                event.text("result", if result.is_ok() { "success" } else { "failure" });
            },
        )
    }

    fn do_link(&self, goal: BinaryType) -> Result<()> {
        let _ending = Ending(self);
        let mut units = self.built.lock().units.clone();
        let (log, result) = match goal {
            // What a library lacks may come from what it is linked with.
            BinaryType::Library => {
                let (log, objects) = unit::objects(&mut units);
                let conflicts = objects.map(|objects| clift_jit::check_library(&objects));
                match conflicts {
                    Ok(Ok(())) => (log, Ok(None)),
                    Ok(Err(conflicts)) => (log + &conflicts, Err(BuildError::Link)),
                    Err(error) => (log, Err(error)),
                }
            }
            _ => {
                let Outcome { log, code } = kept::link(&mut units);
                units.iter_mut().for_each(|unit| unit.object = None);
                (log, code.map(executable))
            }
        };
        let mut built = self.built.lock();
        (built.log, built.units) = (log, units);
        match result {
            Ok(code) => {
                built.non_uniform = built.units.iter().all(Unit::allows_non_uniform);
                (built.status, built.binary_type, built.code) = (BuildStatus::Success, goal, code);
                Ok(())
            }
            Err(error) => {
                built.status = BuildStatus::Error;
                Err(match error {
                    BuildError::Resources => NO_RESOURCES,
                    BuildError::Memory => NO_MEMORY,
                    _ => Error::LinkFailure,
                })
            }
        }
    }
}

/// When it is dropped the build has ended, whatever became of it: who waits for that goes on.
pub(super) struct Ending<'a>(pub &'a Program);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        let mut built = self.0.built.lock();
        if built.status == BuildStatus::InProgress {
            built.status = BuildStatus::Error;
        }
        self.0.ended.notify_all();
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
    let thread = std::thread::Builder::new().name("clift-build".into()).stack_size(THREAD_BYTES);
    if reserve::before_thread().and_then(|()| thread.spawn(run)).is_err() {
        let taken = job.lock().take();
        if let Some((job, done)) = taken {
            let _ = job();
            done();
        }
    }
    Ok(())
}

/// The kernels as what a program keeps.
fn executable(kernels: Arc<dyn KernelSource>) -> Option<Arc<Executable>> {
    Some(Arc::new(Executable::new(kernels)))
}

/// What all of them say when the system gives no threads; the log says more.
const NO_RESOURCES: Error =
    Error::spec(Status::OutOfResources, "there is a failure to allocate resources required by the compiler");

/// What all of them say when the system gives no memory.
const NO_MEMORY: Error =
    Error::spec(Status::OutOfHostMemory, "there is a failure to allocate resources required by the compiler");

/// What `clCompileProgram` says of its options.
pub(super) const BAD_COMPILER_OPTIONS: Error =
    Error::spec(Status::InvalidCompilerOptions, "the compiler options specified by options are invalid");

/// The compiler's option for contexts that ask for zeros in private memory.
pub(super) const ZERO_PRIVATE: &str = "-clift-zero-private";

/// Options of `clLinkProgram`. Those on arithmetic permit, but do not ask for, other results: each object keeps what it
/// was compiled with. Spec: "Linker Options". The last is the compiler's, and changes nothing there, either; PoCL links
/// with it, and `pocld` whatever it links.
const LINK_OPTIONS: &[&str] = &[
    CREATE_LIBRARY,
    ENABLE_LINK_OPTIONS,
    "-cl-denorms-are-zero",
    "-cl-no-signed-zeroes",
    "-cl-no-signed-zeros",
    "-cl-unsafe-math-optimizations",
    "-cl-finite-math-only",
    "-cl-fast-relaxed-math",
    "-cl-no-subgroup-ifp",
    "-cl-kernel-arg-info",
];
const CREATE_LIBRARY: &str = "-create-library";
const ENABLE_LINK_OPTIONS: &str = "-enable-link-options";

/// `clLinkProgram`: the new program, or none with an error. With `done` the result of linking shows in queries only. A
/// failed link still gives the program (its log says why) together with `LinkFailure`.
///
/// Errors: `InvalidLinkerOptions`; `InvalidOperation` ← an input is not compiled; `InvalidValue` ← no inputs;
/// `ContextMismatch`; `LinkFailure`.
///
/// Spec: OpenCL API, "Separate Compilation and Linking of Programs".
pub fn link(
    context: &Obj<Context>,
    options: &[u8],
    inputs: &[Obj<Program>],
    done: Option<LinkCallback>,
) -> (Option<Obj<Program>>, Result<()>) {
    let (program, goal) = match prepare_link(context, options, inputs) {
        Ok(prepared) => prepared,
        Err(error) => return (None, Err(error)),
    };
    let (me, theirs) = (Arc::clone(&program), Arc::clone(&program));
    let done = done.map(|done| -> Callback { Box::new(move || done(&theirs)) });
    let result = in_background(done, move || me.finish_link(goal));
    (Some(program), result)
}

/// The program to be linked, with all units, and what it is to become.
fn prepare_link(context: &Obj<Context>, options: &[u8], inputs: &[Obj<Program>]) -> Result<(Obj<Program>, BinaryType)> {
    ensure!(!inputs.is_empty(), Error::spec(Status::InvalidValue, "num_input_programs is zero"));
    ensure!(inputs.iter().all(|p| Arc::ptr_eq(&p.context, context)), Error::ContextMismatch);
    let bad_options =
        || Error::spec(Status::InvalidLinkerOptions, "the linker options specified by options are invalid");
    let options = str::from_utf8(options).map_err(|_| bad_options())?;
    let words: Vec<&str> = options.split_ascii_whitespace().collect();
    ensure!(words.iter().all(|word| LINK_OPTIONS.contains(word)), bad_options());
    let as_library = words.contains(&CREATE_LIBRARY);
    // "This option must be specified with the -create-library option."
    ensure!(as_library || !words.contains(&ENABLE_LINK_OPTIONS), bad_options());
    let mut units = Vec::new();
    for input in inputs {
        let built = input.built.lock();
        let is_linkable = matches!(built.binary_type, BinaryType::CompiledObject | BinaryType::Library);
        ensure!(
            is_linkable && built.status() != BuildStatus::InProgress,
            Error::spec(Status::InvalidOperation, "an input program has no compiled binary or library")
        );
        units.extend(built.units.iter().cloned());
    }
    let goal = if as_library { BinaryType::Library } else { BinaryType::Executable };
    let program = Program::new(context, Origin::Link, Built::begun(options, units));
    Ok((program, goal))
}

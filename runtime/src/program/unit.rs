//! Translation units: the compiler's input, kept because a program's binary is made of it, and its output. All calls of
//! the compiler are here; a panic in it becomes a failure with a line in the log.

use crate::config::Config;
use crate::record::entry;
use clift_jit::options::{OptionFlags, Std};
use clift_jit::{BuildError, Header, Object, Program};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Without this word no source includes a file.
const INCLUDE: &[u8] = b"include";

/// What a unit is compiled from.
#[derive(Clone)]
pub enum Input {
    /// OpenCL C.
    Text {
        /// The source.
        source: Arc<[u8]>,
        /// Texts for `#include`: what `clCompileProgram` was given, and the files that were read when it was compiled.
        headers: Vec<Header>,
    },
    /// A module of an intermediate language.
    Module {
        /// The module.
        il: Arc<[u8]>,
        /// Identifiers and values of the specialization constants that were set.
        constants: Vec<(u32, Vec<u8>)>,
    },
}

/// A translation unit.
#[derive(Clone)]
pub struct Unit {
    /// What is compiled.
    pub input: Input,
    /// Compiler options.
    pub options: String,
    /// What the compiler made of it for the linker: not kept in executables, not there yet in loaded binaries.
    pub object: Option<Arc<Object>>,
}

/// What the compiler makes of a unit, or the linker of several. A failure's log is never empty.
pub struct Made {
    /// `CL_PROGRAM_BUILD_LOG`
    pub log: String,
    /// The program.
    pub program: Result<Arc<Program>, BuildError>,
}

impl Unit {
    /// One that is not compiled yet.
    pub fn new(input: Input, options: String) -> Self {
        Self { input, options, object: None }
    }

    /// Compiles and links; the object is not kept.
    pub fn build(&mut self) -> Made {
        let made = guarded(|| match &self.input {
            Input::Text { source, headers } => clift_jit::build(source, &self.options, headers),
            Input::Module { il, constants } => clift_jit::build_il(il, constants, &self.options),
        });
        let (log, program) = match made {
            Ok(build) => {
                self.input.include(build.included);
                (build.log, build.program)
            }
            Err(log) => (log, Err(BuildError::Source)),
        };
        self.note(&log, program.is_ok());
        Made { log: explained(log, program.is_ok()), program }
    }

    /// Compiles it unless that has been done.
    ///
    /// # Errors
    /// What is wrong; the log says more.
    pub fn compile(&mut self) -> (String, Result<Arc<Object>, BuildError>) {
        if let Some(object) = &self.object {
            return (String::new(), Ok(Arc::clone(object)));
        }
        let made = guarded(|| match &self.input {
            Input::Text { source, headers } => clift_jit::compile(source, &self.options, headers),
            Input::Module { il, constants } => clift_jit::compile_il(il, constants, &self.options),
        });
        let (log, object) = match made {
            Ok(compile) => {
                self.input.include(compile.included);
                (compile.log, compile.object)
            }
            Err(log) => (log, Err(BuildError::Source)),
        };
        self.note(&log, object.is_ok());
        self.object = object.as_ref().ok().cloned();
        (explained(log, object.is_ok()), object)
    }

    /// Keeps the files that compiling it would read, and so reads none.
    pub fn read_includes(&mut self) {
        let Input::Text { source, headers } = &self.input else { return };
        if self.object.is_none() && source.windows(INCLUDE.len()).any(|word| word == INCLUDE) {
            let included = guarded(|| clift_jit::includes(source, &self.options, headers));
            self.input.include(included.unwrap_or_default());
        }
    }

    /// What a recording says of it.
    pub fn recorded(self) -> entry::Unit {
        let input = match self.input {
            Input::Text { source, headers } => entry::Input::Text {
                source: source.to_vec(),
                headers: headers.into_iter().map(|header| (header.name, header.text)).collect(),
            },
            Input::Module { il, constants } => entry::Input::Module { il: il.to_vec(), constants },
        };
        entry::Unit { options: self.options, input }
    }

    fn note(&self, log: &str, is_ok: bool) {
        let result = if is_ok { "succeeded" } else { "failed" };
        Config::log("build", || format!("compilation with `{}` {result}\n{log}", self.options));
    }

    /// Whether debuggers are to know its code.
    pub fn is_debug(&self) -> bool {
        let asks = |options: clift_jit::options::Options| options.flags.contains(OptionFlags::DEBUG_INFO);
        self.options.contains("-g") && clift_jit::parse_options(&self.options).is_ok_and(asks)
    }

    /// Whether kernels of the unit may have non-uniform trailing work-groups: those of modules, and of OpenCL C 2.0 and
    /// later, without `-cl-uniform-work-group-size`.
    pub fn allows_non_uniform(&self) -> bool {
        let is_uniform = OptionFlags::UNIFORM_WORK_GROUP;
        let is_module = matches!(self.input, Input::Module { .. });
        clift_jit::parse_options(&self.options)
            .is_ok_and(|options| (is_module || options.std >= Std::Cl2_0) && !options.flags.contains(is_uniform))
    }
}

impl Input {
    /// Keeps files that were read.
    fn include(&mut self, included: Vec<Header>) {
        if let Self::Text { headers, .. } = self {
            headers.extend(included);
        }
    }
}

/// Compiles the units that are not compiled yet, and links all.
pub fn link(units: &mut [Unit]) -> Made {
    let objects = match objects(units) {
        (_, Ok(objects)) => objects,
        (log, Err(error)) => return Made { log, program: Err(error) },
    };
    let (log, program) = match guarded(|| clift_jit::link(&objects)) {
        Ok(build) => (build.log, build.program),
        Err(log) => (log, Err(BuildError::Link)),
    };
    Config::log("build", || format!("link of {} objects\n{log}", objects.len()));
    Made { log: explained(log, program.is_ok()), program }
}

/// The units' objects; the log has the errors of those that do not compile.
pub fn objects(units: &mut [Unit]) -> (String, Result<Vec<Arc<Object>>, BuildError>) {
    let (mut logs, mut objects) = (String::new(), Ok(Vec::with_capacity(units.len())));
    for unit in units {
        let (log, object) = unit.compile();
        match (object, &mut objects) {
            (Ok(object), Ok(list)) => list.push(object),
            (Ok(_), Err(_)) => {}
            (Err(error), _) => {
                logs.push_str(&log);
                objects = Err(error);
            }
        }
    }
    (logs, objects)
}

fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| "error: internal failure of the compiler\n".to_owned())
}

fn explained(log: String, is_ok: bool) -> String {
    if is_ok || !log.is_empty() { log } else { "error: the program was not built\n".to_owned() }
}

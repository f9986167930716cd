//! Built programs and their machine code in the cache on disk: found there, or made by `unit` and the compiler and
//! stored. The key of a program is all that its units are compiled of, files that they include among it, and what the
//! compiler says that its work depends on; that of a kernel's code is the program's and the specialisation.

use super::binary;
use super::executable::KernelSource;
use super::unit::{self, Made, Unit};
use crate::cache::{Cache, Key, KeyMaker};
use crate::config::Config;
use crate::error::{Error, Result};
use clift_jit::{BuildError, CodeObject, KernelCode, KernelInfo, Program, SpecKey};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What is made in less time is not stored.
const WORTH: Duration = Duration::from_millis(2);

/// Result of a build or link, with its log. A failure's log is never empty.
pub struct Outcome {
    /// `CL_PROGRAM_BUILD_LOG`
    pub log: String,
    /// The kernels.
    pub code: std::result::Result<Arc<dyn KernelSource>, BuildError>,
}

/// Compiles and links a unit; its object is not kept.
pub fn build(unit: &mut Unit) -> Outcome {
    program("build", std::slice::from_mut(unit), |units| units[0].build())
}

/// Compiles the units that are not compiled yet, and links all. One that is alone is built: it is found by who has its
/// binary and by who has its source.
pub fn link(units: &mut [Unit]) -> Outcome {
    match units {
        [unit] if unit.object.is_none() => build(unit),
        _ => program("link", units, unit::link),
    }
}

/// How units become a program.
type Make = fn(&mut [Unit]) -> Made;

fn program(step: &str, units: &mut [Unit], make: Make) -> Outcome {
    // What debuggers and profilers are told is not kept.
    let is_told = clift_jit::codegen::debug::is_wanted() || units.iter().any(Unit::is_debug);
    let cache = Cache::of_process().filter(|_| !is_told);
    let Some((cache, identity)) = cache.and_then(|cache| Some((cache, clift_jit::identity()?))) else {
        let Made { log, program } = make(units);
        return Outcome { log, code: program.map(|program| program as Arc<dyn KernelSource>) };
    };
    in_cache(cache, &identity, step, units, make)
}

fn in_cache(cache: &'static Cache, identity: &str, step: &str, units: &mut [Unit], make: Make) -> Outcome {
    let mut whole = units.to_vec();
    whole.iter_mut().for_each(Unit::read_includes);
    let key = key(identity, step, &whole);
    if let Some((log, program)) = cache.load(&key).and_then(|bytes| stored(&bytes, &whole, make)) {
        Config::log("build", || format!("program of {} units from the cache\n{log}", units.len()));
        units.clone_from_slice(&whole);
        return Outcome { log, code: Ok(Arc::new(Kept { program, cache, key, all: true })) };
    }
    let begun = Instant::now();
    let Made { log, program } = make(units);
    let all = begun.elapsed() >= WORTH;
    let kept = |program: Arc<Program>| -> Arc<dyn KernelSource> {
        // Files that changed meanwhile are not those of the key.
        if self::key(identity, step, units) != key {
            return program;
        }
        if all {
            let entry = postcard::to_allocvec(&(&log, program.to_bytes()));
            cache.store(&key, &entry.expect("all its parts have lengths"));
        }
        Arc::new(Kept { program, cache, key, all })
    };
    let code = program.map(kept);
    Outcome { log, code }
}

/// The log and the program of an entry.
fn stored(entry: &[u8], units: &[Unit], make: Make) -> Option<(String, Arc<Program>)> {
    let (log, program): (String, Vec<u8>) = postcard::from_bytes(entry).ok()?;
    let units = units.to_vec();
    let rebuild = move || {
        let Made { log, program } = make(&mut units.clone());
        program.map_err(|_| log)
    };
    Some((log, Arc::new(Program::from_bytes(&program, Box::new(rebuild))?)))
}

/// The key of the program that `step` makes of units.
fn key(identity: &str, step: &str, units: &[Unit]) -> Key {
    let mut key = KeyMaker::default();
    key.put(identity.as_bytes());
    key.put(step.as_bytes());
    key.put(&binary::units(units));
    key.key()
}

/// A program whose machine code is kept.
struct Kept {
    program: Arc<Program>,
    cache: &'static Cache,
    key: Key,
    /// The program is stored, and so is all its code: to make some would take a build.
    all: bool,
}

impl Kept {
    fn key(&self, index: usize, key: SpecKey) -> Key {
        let mut maker = self.key.part();
        maker.put(&postcard::to_allocvec(&(index, key)).expect("all its parts have lengths"));
        maker.key()
    }

    /// Code that is in the cache.
    fn load(&self, index: usize, key: SpecKey) -> Option<KernelCode> {
        let object = CodeObject::from_bytes(&self.cache.load(&self.key(index, key))?)?;
        self.program.load(&object).ok()
    }
}

impl KernelSource for Kept {
    fn program(&self) -> Option<&Program> {
        Some(&self.program)
    }

    fn kernels(&self) -> &[KernelInfo] {
        self.program.kernels()
    }

    fn code(&self, index: usize, key: SpecKey) -> Result<KernelCode> {
        let internal = |error: clift_jit::CodeError| Error::Internal { message: error.message };
        if let Some(code) = self.load(index, key) {
            // A launch of an earlier process may have had better code made.
            if code.is_hasty()
                && let Some(better) = self.load(index, SpecKey { thorough: true, ..key })
            {
                return Ok(better);
            }
            return Ok(code);
        }
        let begun = Instant::now();
        let object = self.program.object(index, key).map_err(internal)?;
        if self.all || begun.elapsed() >= WORTH {
            self.cache.store(&self.key(index, key), &object.to_bytes());
        }
        self.program.load(&object).map_err(internal)
    }

    fn global_variable_bytes(&self) -> usize {
        self.program.global_variable_bytes()
    }

    fn variable(&self, name: &str) -> Option<(usize, usize)> {
        self.program.variable(name)
    }
}

//! The C versions: compiled by the system's compiler, called from a pool of threads.

#![allow(unsafe_code, reason = "calls C functions looked up by name")]

use std::env;
use std::ffi::{OsString, c_long, c_void};
use std::path::{Path, PathBuf};
use std::process::Command;

use libloading::Library;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::child::{Times, least};
use crate::data::Arg;
use crate::rows::Row;

/// `name(from, to, args)` of `c/bench.h`.
type Units = unsafe extern "C" fn(c_long, c_long, *const *mut c_void);

/// How the C versions are compiled.
pub const OPTIONS: [&str; 2] = ["-O3", "-march=native"];
/// Each thread gets about so many ranges of units.
const RANGES: usize = 8;

/// Compiles `c/*.c` to a library in `folder`.
///
/// Errors: there is no C compiler, or it fails.
pub fn compile(folder: &Path) -> Result<PathBuf, String> {
    let (sources, library) =
        (concat!(env!("CARGO_MANIFEST_DIR"), "/benches/kernels/c"), folder.join("libc_versions.so"));
    let compiler = compiler();
    let files = std::fs::read_dir(sources).map_err(|e| format!("{sources}: {e}"))?.flatten().map(|entry| entry.path());
    let status = Command::new(&compiler)
        .args(OPTIONS)
        .args(["-shared", "-fPIC", "-o"])
        .arg(&library)
        .args(files.filter(|path| path.extension().is_some_and(|end| end == "c")))
        .arg("-lm")
        .status()
        .map_err(|e| format!("{}: {e}", compiler.display()))?;
    if status.success() { Ok(library) } else { Err(format!("{}: {status}", compiler.display())) }
}

fn compiler() -> OsString {
    env::var_os("CC").unwrap_or_else(|| "cc".into())
}

/// What the compiler says of itself in its first line.
pub fn compiler_version() -> String {
    let output = Command::new(compiler()).arg("--version").output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.lines().next().unwrap_or("?").into()
}

/// The compiled library.
pub struct Native {
    library: Library,
}

impl Native {
    /// Loads what `compile` made.
    pub fn open(path: OsString) -> Result<Self, String> {
        // SAFETY: our own C code; it has no initialisers.
        Ok(Self { library: unsafe { Library::new(path) }.map_err(|e| e.to_string())? })
    }

    /// Times a row; `None` if it has no C version, or none on this machine.
    pub fn run(&self, row: &Row, round: usize) -> Result<Option<Times>, String> {
        let Some(name) = row.c else { return Ok(None) };
        // SAFETY: every function in `c/*.c` has this signature.
        let Ok(units) = (unsafe { self.library.get::<Units>(name.as_bytes()) }) else { return Ok(None) };
        let case = (row.setup)();
        let mut memory: Vec<_> = case.args.iter().map(|arg| Lines::new(arg.bytes())).collect();
        let places = Places(memory.iter_mut().map(Lines::place).collect());
        let pieces = case.units.min(RANGES * rayon::current_num_threads());
        let run = || {
            (0..pieces).into_par_iter().for_each(|piece| {
                let [from, to] = [piece, piece + 1].map(|piece| (case.units * piece / pieces) as c_long);
                // SAFETY: the arguments are those that the function expects, and ranges do not overlap.
                unsafe { units(from, to, places.get()) };
            });
            Ok(())
        };
        if round == 0 {
            run()?;
            let pairs = case.args.iter().zip(&places.0);
            let results = pairs.filter(|(arg, _)| matches!(arg, Arg::Out(_))).map(|(arg, place)| {
                // SAFETY: `memory` holds that many bytes there, and no thread writes them now.
                unsafe { std::slice::from_raw_parts(place.cast::<u8>(), arg.bytes().len()) }.to_vec()
            });
            (case.check)(&case.args, &results.collect::<Vec<_>>())?;
        }
        let (wall, processor) = least(run)?;
        Ok(Some(Times { wall, processor, build: f64::INFINITY, build_processor: f64::INFINITY }))
    }
}

/// Where the arguments are.
struct Places(Vec<*mut c_void>);

// SAFETY: the pointers are only passed on; the C functions keep to their ranges.
unsafe impl Sync for Places {}

impl Places {
    fn get(&self) -> *const *mut c_void {
        self.0.as_ptr()
    }
}

/// Memory that begins at a cache line.
struct Lines(Vec<Line>);

#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line([u8; 64]);

impl Lines {
    fn new(bytes: &[u8]) -> Self {
        let mut lines = vec![Line([0; 64]); bytes.len().div_ceil(64)];
        for (line, bytes) in lines.iter_mut().zip(bytes.chunks(64)) {
            line.0[..bytes.len()].copy_from_slice(bytes);
        }
        Self(lines)
    }

    fn place(&mut self) -> *mut c_void {
        self.0.as_mut_ptr().cast()
    }
}

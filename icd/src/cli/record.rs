//! `clift record`: runs a program with Clift as its only OpenCL and has the driver write a recording. Puts the library
//! where the program finds it, finishes the file when the program has ended, and says what is in it.

#![allow(unsafe_code, reason = "keeps a signal from ending the tool before the program")]

use super::{Result, library, shown};
use clift_runtime::config::Limits;
use clift_runtime::record::format::{self, Counter, Reader};
use clift_runtime::record::recording::Recording;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};
use std::{fs, io};

/// Options of record.
#[derive(clap::Args)]
pub struct Args {
    /// The recording (default: PROGRAM.clrec in the current folder); an older one is replaced
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Only kernels of this name; may be given more than once
    #[arg(long, value_name = "NAME")]
    kernel: Vec<String>,
    /// How many launches of each kernel and size, the first ones
    #[arg(long, value_name = "N", default_value_t = Limits::LAUNCHES)]
    launches: u64,
    /// Bytes of memory in all, before they are compressed; K, M and G may follow
    #[arg(long, value_name = "BYTES", default_value = "1G", value_parser = bytes)]
    max_bytes: u64,
    /// The driver (default: the one beside this program)
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
    /// Stand in for the OpenCL loader even if one is installed
    #[arg(long)]
    direct: bool,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

/// A number of bytes: `4096`, `512K`, `64M`, `2G`.
pub fn bytes(text: &str) -> std::result::Result<u64, String> {
    let (digits, shift) = match text.as_bytes().last() {
        Some(b'K' | b'k') => (&text[..text.len() - 1], 10),
        Some(b'M' | b'm') => (&text[..text.len() - 1], 20),
        Some(b'G' | b'g') => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    let n: u64 = digits.parse().map_err(|_| "a number of bytes, such as 512K, 64M or 2G".to_owned())?;
    n.checked_mul(1 << shift).ok_or_else(|| "too many bytes".to_owned())
}

/// Runs the program; the code is its own.
pub fn run(args: &Args) -> Result<ExitCode> {
    let library = library::given_or_found(args.library.as_deref())?;
    let file = output(args)?;
    remove_old(&file)?;
    let folder = tempfile::tempdir().map_err(|error| format!("cannot make a temporary folder: {error}"))?;
    let mut command = command(args, &file, &library, folder.path())?;
    let name = shown(Path::new(&args.program[0]));
    let mut child = command.spawn().map_err(|error| format!("{name}: {error}"))?;
    // The program gets the terminal's signal too, and what it has recorded is to be finished.
    // SAFETY: ignoring a signal has no requirements.
    unsafe { libc::signal(libc::SIGINT, libc::SIG_IGN) };
    let status = child.wait().map_err(|error| format!("{name}: {error}"))?;
    let mut is_any = false;
    for path in recordings(&file) {
        format::finish(&path).map_err(|error| format!("{}: {error}", shown(&path)))?;
        summary(&path)?;
        is_any = true;
    }
    if is_any || !status.success() {
        return Ok(code(status));
    }
    Err(format!("{name} launched no kernel on Clift, so there is nothing to record"))
}

/// A shell's code for how a program ended.
fn code(status: ExitStatus) -> ExitCode {
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    ExitCode::from(code as u8)
}

fn output(args: &Args) -> Result<PathBuf> {
    let file = match &args.output {
        Some(file) => file.clone(),
        None => {
            let mut name = Path::new(&args.program[0]).file_name().unwrap_or(OsStr::new("program")).to_owned();
            name.push(".clrec");
            name.into()
        }
    };
    std::path::absolute(&file).map_err(|error| format!("{}: {error}", shown(&file)))
}

/// The program with what it needs to find the driver, and the driver the file.
fn command(args: &Args, file: &Path, library: &Path, folder: &Path) -> Result<Command> {
    let put = |error: io::Error| format!("{}: {error}", shown(folder));
    let vendors = folder.join("vendors");
    fs::create_dir(&vendors).map_err(put)?;
    fs::write(vendors.join("clift.icd"), format!("{}\n", shown(library))).map_err(put)?;
    let kernels = args.kernel.iter().map(|name| format!(",kernel={name}"));
    let limits = format!("launches={},bytes={}{}", args.launches, args.max_bytes, kernels.collect::<String>());
    let mut command = Command::new(&args.program[0]);
    command.args(&args.program[1..]);
    command.env("CLIFT_RECORD", file).env("CLIFT_RECORD_LIMITS", limits);
    // Loaders of Khronos want a slash at the end.
    command.env("OCL_ICD_VENDORS", vendors.join("")).env_remove("OCL_ICD_FILENAMES").env_remove("OPENCL_VENDOR_PATH");
    // SAFETY: the library of an installed loader is made to be loaded.
    let has_loader = || unsafe { libloading::Library::new("libOpenCL.so.1") }.is_ok();
    if args.direct || !has_loader() {
        let home = folder.join("lib");
        fs::create_dir(&home).map_err(put)?;
        for name in ["libOpenCL.so", "libOpenCL.so.1"] {
            std::os::unix::fs::symlink(library, home.join(name)).map_err(put)?;
        }
        let mut path = home.into_os_string();
        if let Some(rest) = std::env::var_os("LD_LIBRARY_PATH") {
            path.push(":");
            path.push(rest);
        }
        command.env("LD_LIBRARY_PATH", path);
    }
    Ok(command)
}

/// The file and those of further processes, `FILE.N`, as far as they are recordings.
fn recordings(file: &Path) -> Vec<PathBuf> {
    let name = file.file_name().unwrap_or_default().as_encoded_bytes();
    let is_number =
        |rest: &[u8]| rest.first() == Some(&b'.') && rest.len() > 1 && rest[1..].iter().all(u8::is_ascii_digit);
    let is_ours = |path: &PathBuf| {
        let found = path.file_name().unwrap_or_default().as_encoded_bytes();
        found.strip_prefix(name).is_some_and(|rest| rest.is_empty() || is_number(rest)) && Reader::open(path).is_ok()
    };
    let entries = file.parent().and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_ours).collect();
    found.sort();
    found
}

/// Removes older recordings of this name, and nothing else.
fn remove_old(file: &Path) -> Result {
    if file.exists() && Reader::open(file).is_err() {
        return Err(format!("{} exists and is no recording", shown(file)));
    }
    let removed = recordings(file).into_iter().try_for_each(fs::remove_file);
    removed.map_err(|error| format!("{}: {error}", shown(file)))
}

/// Says on stderr what is in a recording and what is not.
fn summary(path: &Path) -> Result {
    let recording = Recording::open(path)?;
    let mut kernels: Vec<&str> = recording.launches.iter().map(|launch| launch.kernel.as_str()).collect();
    kernels.sort_unstable();
    kernels.dedup();
    let size = path.metadata().map_or(0, |data| data.len());
    let (n_launches, n_kernels) = (recording.launches.len(), kernels.len());
    eprintln!("clift: {}: {n_launches} launches of {n_kernels} kernels, {size} bytes", shown(path));
    let left_out = [
        (Counter::Repeated, "launches beyond the first ones of their kernel and size (--launches)"),
        (Counter::OtherKernels, "launches of other kernels (--kernel)"),
        (Counter::TooLarge, "launches for which there was no room (--max-bytes)"),
        (Counter::Native, "native kernels, which cannot be recorded"),
    ];
    for (counter, what) in left_out {
        match recording.counters[counter as usize] {
            0 => {}
            n => eprintln!("clift: not in it: {n} {what}"),
        }
    }
    let mut remarks = BTreeMap::<String, u64>::new();
    for (launch, outcome) in recording.launches.iter().zip(&recording.outcomes) {
        let kernel = &launch.kernel;
        for why in &launch.gaps {
            *remarks.entry(format!("of `{kernel}` cannot be replayed: {why}")).or_default() += 1;
        }
        for why in &launch.doubts {
            *remarks.entry(format!("of `{kernel}` may differ when replayed: {why}")).or_default() += 1;
        }
        if outcome.is_none() {
            *remarks.entry(format!("of `{kernel}` did not end")).or_default() += 1;
        }
    }
    for (remark, n) in remarks {
        eprintln!("clift: {n} launches {remark}");
    }
    Ok(())
}

//! The tool's commands, one file each; this file has the command line and what `main.rs` calls. Commands return what
//! they failed at as a line of text; only `main.rs` ends the process.

mod annotate;
mod build;
mod check;
mod child;
mod demo;
mod info;
mod input;
mod install;
mod library;
mod profile;
mod record;
mod replay;
mod run;
mod sizes;
mod value;

use clap::{Parser, Subcommand};
use std::ffi::{CStr, OsStr, c_char, c_int};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What a command failed at, for one line on stderr.
pub type Result<T = ()> = std::result::Result<T, String>;

/// OpenCL on CPUs: look at the driver, compile kernels, run them, install it.
#[derive(Parser)]
#[command(name = "clift", version, disable_help_subcommand = true, disable_version_flag = true)]
#[command(arg_required_else_help = true)]
pub struct Cli {
    /// Print the version
    #[arg(short = 'V', long)]
    version: bool,
    /// With --version: print what was built, its features and the CPU, too
    #[arg(short, long, requires = "version")]
    verbose: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Show platform, device, versions, features and environment variables
    Info,
    /// Compile a file and show its diagnostics
    Build(build::Args),
    /// Run one kernel of a file on data from files and the command line
    Run(run::Args),
    /// Run a program on Clift and record its launches of kernels
    Record(record::Args),
    /// Run a program on Clift and report mistakes of its kernels and calls
    Check(check::Args),
    /// Run a program on Clift and show where its time goes
    Profile(profile::Args),
    /// Run recorded launches on this or another OpenCL, compare results, take times
    Replay(replay::Args),
    /// Make the driver known to OpenCL loaders by writing clift.icd
    Install(install::Args),
    /// Remove the clift.icd that install wrote
    Uninstall(install::Args),
    /// Compile and run example host programs
    Demo(demo::Args),
}

/// What a panic ends the tool with, as it ends any program in Rust.
const PANICKED: u8 = 101;

/// The tool, for its program: arguments as `main` has them in C. Returns the code to end with.
///
/// # Safety
///
/// `arguments` has `count` pointers to strings that end in zero.
#[allow(unsafe_code, reason = "what one of our files calls in another, by name")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clift_main(count: c_int, arguments: *const *const c_char) -> c_int {
    let text = |i: usize| {
        // SAFETY: the caller says so.
        let argument = unsafe { CStr::from_ptr(*arguments.add(i)) };
        OsStr::from_bytes(argument.to_bytes()).to_owned()
    };
    let arguments: Vec<_> = (0..count.max(0) as usize).map(text).collect();
    let code = std::panic::catch_unwind(|| match run(Cli::parse_from(arguments)) {
        Ok(code) => code,
        Err((code, failure)) => {
            eprintln!("clift: {failure}");
            code
        }
    });
    code.unwrap_or(PANICKED).into()
}

/// Runs a command; the code to end with, or what to end with and why.
fn run(cli: Cli) -> std::result::Result<u8, (u8, String)> {
    let done = |result: Result| result.map(|()| 0).map_err(|why| (1, why));
    // Their other codes say something else.
    let failed = |why| (2, why);
    let Some(command) = cli.command else {
        return done(info::version(cli.verbose));
    };
    match command {
        Command::Info => done(info::run()),
        Command::Build(args) => done(build::run(&args)),
        Command::Run(args) => done(run::run(&args)),
        Command::Check(args) => check::run(&args).map_err(failed),
        Command::Record(args) => record::run(&args).map_err(failed),
        Command::Profile(args) => profile::run(&args).map_err(failed),
        Command::Replay(args) => replay::run(&args).map_err(failed),
        Command::Install(args) => done(install::install(&args)),
        Command::Uninstall(args) => done(install::uninstall(&args)),
        Command::Demo(args) => done(demo::run(&args)),
    }
}

/// Writes to stdout; a reader that went away is not a failure worth a message.
pub fn print(text: &str) -> Result {
    use std::io::Write;
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(format!("cannot write to stdout: {error}")),
        _ => Ok(()),
    }
}

/// `path`, made absolute, or the library that is found.
fn library_or(path: Option<&Path>) -> Result<PathBuf> {
    match path {
        Some(path) => path.canonicalize().map_err(|error| format!("{}: {error}", shown(path))),
        None => library::find(),
    }
}

/// `path`, for messages.
pub fn shown(path: &Path) -> String {
    path.display().to_string()
}

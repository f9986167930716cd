//! The tool's commands, one file each; this file has the command line. Commands return what they failed at as a line of
//! text; only `main` ends the process.

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
use std::process::ExitCode;

/// What a command failed at, for one line on stderr.
pub type Result<T = ()> = std::result::Result<T, String>;

/// OpenCL on CPUs: look at the driver, compile kernels, run them, install it.
#[derive(Parser)]
#[command(name = "clift", version, disable_help_subcommand = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
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

/// Runs a command; the code to end with, or what to end with and why.
pub fn run(cli: Cli) -> std::result::Result<ExitCode, (ExitCode, String)> {
    let done = |result: Result| result.map(|()| ExitCode::SUCCESS).map_err(|why| (ExitCode::FAILURE, why));
    // Their other codes say something else.
    let failed = |why| (ExitCode::from(2), why);
    match cli.command {
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

/// `path`, for messages.
pub fn shown(path: &std::path::Path) -> String {
    path.display().to_string()
}

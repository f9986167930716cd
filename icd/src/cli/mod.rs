//! The tool's commands, one file each; this file has the command line. Commands return what they failed at as a line of
//! text; only `main` ends the process.

mod build;
mod demo;
mod info;
mod input;
mod install;
mod library;
mod run;
mod sizes;
mod value;

use clap::{Parser, Subcommand};

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
    /// Make the driver known to OpenCL loaders by writing clift.icd
    Install(install::Args),
    /// Remove the clift.icd that install wrote
    Uninstall(install::Args),
    /// Compile and run example host programs
    Demo(demo::Args),
}

/// Runs a command.
pub fn run(cli: Cli) -> Result {
    match cli.command {
        Command::Info => info::run(),
        Command::Build(args) => build::run(&args),
        Command::Run(args) => run::run(&args),
        Command::Install(args) => install::install(&args),
        Command::Uninstall(args) => install::uninstall(&args),
        Command::Demo(args) => demo::run(&args),
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

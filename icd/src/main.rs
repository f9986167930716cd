//! The `clift` command-line tool: parses the command line, runs a command of `cli`, turns its failure into one line and
//! an exit code.

mod cli;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    match cli::run(cli::Cli::parse()) {
        Ok(code) => code,
        Err((code, failure)) => {
            eprintln!("clift: {failure}");
            code
        }
    }
}

//! `clift build`: the compiler alone, with its diagnostics on stderr.

use super::{Result, shown};
use std::path::PathBuf;

/// Options of build.
#[derive(clap::Args)]
pub struct Args {
    /// OpenCL C source
    file: PathBuf,
    /// Options of clBuildProgram, after --
    #[arg(last = true, allow_hyphen_values = true)]
    options: Vec<String>,
}

/// Compiles the file.
pub fn run(args: &Args) -> Result {
    let source = std::fs::read(&args.file).map_err(|error| format!("{}: {error}", shown(&args.file)))?;
    let built = clift_jit::build(&source, &args.options.join(" "), &[]);
    eprint!("{}", built.log);
    match built.program {
        Ok(_) => Ok(()),
        Err(_) => Err(format!("{}: not compiled", shown(&args.file))),
    }
}

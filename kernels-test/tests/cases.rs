//! Runs every `cases/**/*.cl`, or those of the folder that `CLIFT_CASES` names, as one test: what its directives ask (see
//! `case`) must come out of the driver.

use std::path::{Path, PathBuf};
use std::{fs, io};

use clift_kernels_test::case::Case;
use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments = Arguments::from_args();
    let own = || Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let folder = std::env::var_os("CLIFT_CASES").map_or_else(own, PathBuf::from);
    let mut trials = Vec::new();
    for path in sources(&folder)? {
        let name = path.strip_prefix(&folder)?.with_extension("").display().to_string();
        trials.push(Trial::test(name, move || run(&path)));
    }
    if trials.is_empty() {
        return Err("no cases".into());
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn run(path: &Path) -> Result<(), Failed> {
    let source = fs::read_to_string(path)?;
    Case::parse(&source)?.run(&source)?;
    Ok(())
}

/// Files `*.cl` below a folder, sorted.
fn sources(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let (mut found, mut work) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = work.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                work.push(path);
            } else if path.extension().is_some_and(|e| e == "cl") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

//! Programs that the tool runs with Clift as their only OpenCL: the options that say which program and which driver,
//! where the program finds the library, the code that it ends with, the files that its processes have written. What the
//! driver is to do meanwhile, which is told by environment variables, is the business of the commands.

#![allow(unsafe_code, reason = "keeps a signal from ending the tool before the program; looks for a loader")]

use super::{Result, library_or, shown};
use std::ffi::{OsStr, OsString};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::{fs, io};
use tempfile::TempDir;

/// Options of all commands that run a program.
#[derive(clap::Args)]
pub struct Options {
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

impl Options {
    /// The program as it was given.
    pub fn name(&self) -> String {
        shown(Path::new(&self.program[0]))
    }

    /// `file`, or else PROGRAM with this ending in the current folder; absolute, since programs may go elsewhere.
    pub fn output(&self, file: Option<&Path>, ending: &str) -> Result<PathBuf> {
        let file = file.map_or_else(
            || {
                let mut name = Path::new(&self.program[0]).file_name().unwrap_or(OsStr::new("program")).to_owned();
                name.push(ending);
                name.into()
            },
            Path::to_owned,
        );
        std::path::absolute(&file).map_err(|error| format!("{}: {error}", shown(&file)))
    }

    /// The program with what it needs to find the driver.
    pub fn child(&self) -> Result<Child> {
        let library = library_or(self.library.as_deref())?;
        let folder = tempfile::tempdir().map_err(|error| format!("cannot make a temporary folder: {error}"))?;
        let mut command = Command::new(&self.program[0]);
        command.args(&self.program[1..]);
        self.lead(&mut command, &library, folder.path())
            .map_err(|error| format!("{}: {error}", shown(folder.path())))?;
        Ok(Child { name: self.name(), command, _folder: folder })
    }

    /// Leads a program to the driver by files in a folder.
    fn lead(&self, command: &mut Command, library: &Path, folder: &Path) -> io::Result<()> {
        let vendors = folder.join("vendors");
        fs::create_dir(&vendors)?;
        fs::write(vendors.join("clift.icd"), format!("{}\n", shown(library)))?;
        // Loaders of Khronos want a slash at the end.
        command
            .env("OCL_ICD_VENDORS", vendors.join(""))
            .env_remove("OCL_ICD_FILENAMES")
            .env_remove("OPENCL_VENDOR_PATH");
        // SAFETY: the library of an installed loader is made to be loaded.
        let has_loader = || unsafe { libloading::Library::new("libOpenCL.so.1") }.is_ok();
        if self.direct || !has_loader() {
            let home = folder.join("lib");
            fs::create_dir(&home)?;
            for name in ["libOpenCL.so", "libOpenCL.so.1"] {
                std::os::unix::fs::symlink(library, home.join(name))?;
            }
            let mut path = home.into_os_string();
            if let Some(rest) = std::env::var_os("LD_LIBRARY_PATH") {
                path.push(":");
                path.push(rest);
            }
            command.env("LD_LIBRARY_PATH", path);
        }
        Ok(())
    }
}

/// A program that is about to run.
pub struct Child {
    name: String,
    command: Command,
    /// Has the files that lead to the driver, and lives as long as the program.
    _folder: TempDir,
}

impl Child {
    /// Sets a variable of its environment.
    pub fn env(&mut self, name: &str, value: impl AsRef<OsStr>) -> &mut Self {
        self.command.env(name, value);
        self
    }

    /// Runs it to its end. From now on the terminal's signal does not end the tool: the program gets it too, and what
    /// the driver has written is to be read.
    pub fn run(&mut self) -> Result<ExitStatus> {
        let failed = |error| format!("{}: {error}", self.name);
        let mut child = self.command.spawn().map_err(failed)?;
        // SAFETY: ignoring a signal has no requirements.
        unsafe { libc::signal(libc::SIGINT, libc::SIG_IGN) };
        child.wait().map_err(failed)
    }
}

/// A shell's code for how a program ended.
pub fn code(status: ExitStatus) -> u8 {
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    code as u8
}

/// The file and those of further processes, `FILE.N`, as far as they are what the driver writes.
pub fn written(file: &Path, is_ours: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let name = file.file_name().unwrap_or_default().as_encoded_bytes();
    let is_number =
        |rest: &[u8]| rest.first() == Some(&b'.') && rest.len() > 1 && rest[1..].iter().all(u8::is_ascii_digit);
    let is_wanted = |path: &PathBuf| {
        let found = path.file_name().unwrap_or_default().as_encoded_bytes();
        found.strip_prefix(name).is_some_and(|rest| rest.is_empty() || is_number(rest)) && is_ours(path)
    };
    let entries = file.parent().and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_wanted).collect();
    found.sort();
    found
}

/// Removes older files of this name; fails if the file is something else.
pub fn remove_old(file: &Path, what: &str, is_ours: impl Fn(&Path) -> bool) -> Result {
    if file.exists() && !is_ours(file) {
        return Err(format!("{} exists and is no {what}", shown(file)));
    }
    let removed = written(file, is_ours).into_iter().try_for_each(fs::remove_file);
    removed.map_err(|error| format!("{}: {error}", shown(file)))
}

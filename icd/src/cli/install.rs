//! `clift install` and `clift uninstall`: one file, `clift.icd`, whose only line is the library's absolute path.

use super::{Result, library, print, shown};
use std::fs;
use std::path::{Path, PathBuf};

/// Where loaders look by themselves.
const SYSTEM: &str = "/etc/OpenCL/vendors";
/// The file's name.
const FILE: &str = "clift.icd";

/// Options of install and uninstall.
#[derive(clap::Args)]
pub struct Args {
    /// For all users: /etc/OpenCL/vendors (the default)
    #[arg(long, group = "place")]
    system: bool,
    /// For this user: $XDG_CONFIG_HOME/OpenCL/vendors, to be named in OCL_ICD_VENDORS
    #[arg(long, group = "place")]
    user: bool,
    /// Under a prefix: DIR/etc/OpenCL/vendors
    #[arg(long, group = "place", value_name = "DIR")]
    prefix: Option<PathBuf>,
    /// In exactly this folder
    #[arg(long, group = "place", value_name = "DIR")]
    vendors: Option<PathBuf>,
    /// The library to install (default: the one beside this program)
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
    /// Say what would happen, change nothing
    #[arg(long)]
    dry_run: bool,
}

impl Args {
    fn folder(&self) -> Result<PathBuf> {
        if let Some(folder) = &self.vendors {
            return Ok(folder.clone());
        }
        if let Some(prefix) = &self.prefix {
            return Ok(prefix.join("etc/OpenCL/vendors"));
        }
        if self.user {
            let var = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
            let config = var("XDG_CONFIG_HOME").or_else(|| Some(var("HOME")?.join(".config")));
            return Ok(config.ok_or("neither XDG_CONFIG_HOME nor HOME is set")?.join("OpenCL/vendors"));
        }
        Ok(SYSTEM.into())
    }
}

/// Writes the file.
pub fn install(args: &Args) -> Result {
    let (folder, library) = (args.folder()?, library::given_or_found(args.library.as_deref())?);
    let file = folder.join(FILE);
    let Some(path) = library.to_str().filter(|path| !path.contains('\n')) else {
        return Err(format!("{}: loaders cannot read such a path", shown(&library)));
    };
    if args.dry_run {
        return print(&format!("would write {}: {path}\n", shown(&file)));
    }
    fs::create_dir_all(&folder).map_err(|error| hint(format!("cannot create {}: {error}", shown(&folder)), args))?;
    write(&file, &format!("{path}\n"))
        .map_err(|error| hint(format!("cannot write {}: {error}", shown(&file)), args))?;
    print(&format!("{}: {path}\n", shown(&file)))?;
    if folder != Path::new(SYSTEM) {
        let folder = folder.canonicalize().unwrap_or(folder);
        print(&format!("loaders find it with OCL_ICD_VENDORS={}\n", shown(&folder)))?;
    }
    Ok(())
}

/// Removes the file.
pub fn uninstall(args: &Args) -> Result {
    let file = args.folder()?.join(FILE);
    if args.dry_run {
        return print(&format!("would remove {}\n", shown(&file)));
    }
    fs::remove_file(&file).map_err(|error| hint(format!("cannot remove {}: {error}", shown(&file)), args))?;
    print(&format!("removed {}\n", shown(&file)))
}

/// Whole or not at all: a loader never reads half a path.
fn write(file: &Path, text: &str) -> std::io::Result<()> {
    let part = file.with_extension("icd.part");
    fs::write(&part, text)?;
    fs::rename(&part, file)
}

fn hint(message: String, args: &Args) -> String {
    let is_system = !args.user && args.prefix.is_none() && args.vendors.is_none();
    if is_system { format!("{message} (try --user)") } else { message }
}

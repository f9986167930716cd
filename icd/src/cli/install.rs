//! `clift install` and `clift uninstall`: one file, `clift.icd`, whose only line is the library's absolute path. After
//! `cargo install`, the library is first copied from where cargo built it to the tool's folder.

use super::{Result, library, library_or, print, shown};
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
    let (folder, library) = (args.folder()?, library_or(args.library.as_deref())?);
    let (library, copied) = match beside_tool(&library)? {
        Some(beside) => (beside, Some(library)),
        None => (library, None),
    };
    let file = folder.join(FILE);
    let Some(path) = library.to_str().filter(|path| !path.contains('\n')) else {
        return Err(format!("{}: loaders cannot read such a path", shown(&library)));
    };
    if args.dry_run {
        return print(&format!("would write {}: {path}\n", shown(&file)));
    }
    if let Some(built) = &copied {
        copy(built, &library).map_err(|error| format!("cannot write {}: {error}", shown(&library)))?;
        print(&format!("{}: a copy of {}\n", shown(&library), shown(built)))?;
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
    print(&format!("removed {}\n", shown(&file)))?;
    // What install copied.
    if let Some(library) = by_cargo()?.filter(|library| library.is_file()) {
        fs::remove_file(&library).map_err(|error| format!("cannot remove {}: {error}", shown(&library)))?;
        print(&format!("removed {}\n", shown(&library)))?;
    }
    Ok(())
}

/// Where a library belongs that cargo built but, since it takes programs only, did not install with the tool. None if
/// it may stay where it is.
fn beside_tool(library: &Path) -> Result<Option<PathBuf>> {
    let built = library::BUILT.and_then(|built| Path::new(built).canonicalize().ok());
    let is_left = built.is_some_and(|built| library.starts_with(built));
    Ok(if is_left { by_cargo()? } else { None })
}

/// The place beside the tool, if `cargo install` put the tool there: it keeps a list of what it installs.
fn by_cargo() -> Result<Option<PathBuf>> {
    let tool = library::tool()?;
    let is_listed = tool.ancestors().nth(2).is_some_and(|root| root.join(".crates.toml").is_file());
    Ok(is_listed.then(|| tool.with_file_name("libclift.so")))
}

/// Whole or not at all: a loader never reads half a path.
fn write(file: &Path, text: &str) -> std::io::Result<()> {
    let part = file.with_extension("icd.part");
    fs::write(&part, text)?;
    fs::rename(&part, file)
}

/// Likewise, and programs that have the former library open keep it.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    let part = to.with_extension("so.part");
    fs::copy(from, &part)?;
    fs::rename(&part, to)
}

fn hint(message: String, args: &Args) -> String {
    let is_system = !args.user && args.prefix.is_none() && args.vendors.is_none();
    if is_system { format!("{message} (try --user)") } else { message }
}

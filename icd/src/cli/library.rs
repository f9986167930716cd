//! Where `libclift.so` is: beside the tool, in cargo's `deps`, or in `lib` of the prefix that the tool is installed in.

use super::{Result, shown};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The library's absolute path. Of several the newest, since cargo leaves older ones in place; of equals the last.
pub fn find() -> Result<PathBuf> {
    let tool = std::env::current_exe().map_err(|error| format!("cannot find out where this program is: {error}"))?;
    let tool = tool.canonicalize().unwrap_or(tool);
    let folder = tool.parent().unwrap_or(Path::new("/"));
    let places = ["../libclift.so", "../lib64/libclift.so", "../lib/libclift.so", "deps/libclift.so", "libclift.so"];
    let age = |path: &PathBuf| path.metadata().and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    let found = places.iter().filter_map(|place| folder.join(place).canonicalize().ok()).max_by_key(age);
    found.ok_or_else(|| format!("libclift.so is not near {}; say where with --library", shown(&tool)))
}

/// `path`, or what `find` says.
pub fn given_or_found(path: Option<&Path>) -> Result<PathBuf> {
    match path {
        Some(path) => path.canonicalize().map_err(|error| format!("{}: {error}", shown(path))),
        None => find(),
    }
}

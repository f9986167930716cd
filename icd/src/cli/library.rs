//! Where `libclift.so` is: near the tool, or where cargo built it. The tool's program has this file as well.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The folder of cargo's results, if the build recorded it: then `cargo install` has put the tool elsewhere, maybe.
pub const BUILT: Option<&str> = option_env!("CLIFT_BUILT");

/// The library's absolute path: beside the tool, in cargo's `deps`, in `lib` of the prefix that the tool is installed
/// in, or where it was built. Of several the newest, since cargo leaves older ones in place; of equals the last.
pub fn find() -> Result<PathBuf, String> {
    let tool = tool()?;
    let folder = tool.parent().unwrap_or(Path::new("/"));
    let multiarch = format!("../lib/{}-linux-gnu/libclift.so", std::env::consts::ARCH);
    let near = ["../libclift.so", "../lib64/libclift.so", "../lib/libclift.so", &multiarch, "deps/libclift.so"];
    let near = near.into_iter().map(|place| folder.join(place));
    let found = near.chain(built()).chain([folder.join("libclift.so")]);
    let age = |path: &PathBuf| path.metadata().and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    let found = found.filter_map(|path| path.canonicalize().ok()).max_by_key(age);
    found.ok_or_else(|| format!("libclift.so is not near {}", tool.display()))
}

/// Where cargo may have left it.
fn built() -> impl Iterator<Item = PathBuf> {
    let places = ["deps/libclift.so", "libclift.so"];
    BUILT.into_iter().flat_map(move |folder| places.map(|place| Path::new(folder).join(place)))
}

/// The running program, without links.
pub fn tool() -> Result<PathBuf, String> {
    let tool = std::env::current_exe().map_err(|error| format!("cannot find out where this program is: {error}"))?;
    Ok(tool.canonicalize().unwrap_or(tool))
}

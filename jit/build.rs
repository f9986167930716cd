//! `CLIFT_COMPILER_ID`: a hash of all sources of the compiler and of the versions of what it is built with. What one
//! build of the library keeps of programs, only builds of the same sources may use. Generates no code.

use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

fn main() -> io::Result<()> {
    let mut hash = DefaultHasher::new();
    let rustc = std::env::var_os("RUSTC").unwrap_or("rustc".into());
    hash.write(&Command::new(rustc).arg("-vV").output()?.stdout);
    for place in ["src", "builtins", "Cargo.toml", "../Cargo.toml", "../Cargo.lock"] {
        println!("cargo:rerun-if-changed={place}");
        for file in files(Path::new(place))? {
            hash.write(file.as_os_str().as_encoded_bytes());
            hash.write(&fs::read(&file)?);
        }
    }
    println!("cargo:rustc-env=CLIFT_COMPILER_ID={:016x}", hash.finish());
    Ok(())
}

/// The file, or all files of the folder, in an order that depends on names only.
fn files(place: &Path) -> io::Result<Vec<PathBuf>> {
    if !place.is_dir() {
        return Ok(place.exists().then(|| place.to_owned()).into_iter().collect());
    }
    let mut entries = fs::read_dir(place)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    let inner = entries.iter().map(|entry| files(entry)).collect::<io::Result<Vec<_>>>()?;
    Ok(inner.concat())
}

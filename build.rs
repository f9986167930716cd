//! Link settings of `libclift.so`, where it is built, and an empty stand-in for the loader that `cl-sys` asks for.
//! Generates no code.

use std::{env, fs, path::PathBuf};

fn main() {
    println!("cargo:rerun-if-changed=../build.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    // `cl-sys` carries `#[link(name = "OpenCL")]`. An archive without members satisfies it, so the driver builds where
    // no OpenCL is installed and never names a loader among its needed libraries.
    fs::write(out.join("libOpenCL.a"), b"!<arch>\n").expect("OUT_DIR is writable");
    // Where a shared library is asked for, zig looks for nothing else; a linker script without commands is one to it.
    if env::var("RUSTC_LINKER").is_ok_and(|linker| linker.contains("zig")) {
        fs::write(out.join("libOpenCL.so"), b"/* nothing */\n").expect("OUT_DIR is writable");
    }
    println!("cargo:rustc-link-search=native={}", out.display());
    // Where `cargo install` may leave the library. The bytes of packages, which say how old they are, tell no folder.
    println!("cargo:rerun-if-env-changed=SOURCE_DATE_EPOCH");
    if env::var_os("SOURCE_DATE_EPOCH").is_none() {
        let built = out.ancestors().nth(3).expect("OUT_DIR is a folder of a folder of cargo's results");
        println!("cargo:rustc-env=CLIFT_BUILT={}", built.display());
    }
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libclift.so");
    // Our own names bind to our own functions: in a process with a loader, `clGetPlatformInfo` is also the loader's,
    // and a dispatch table that pointed to that would call the loader for ever.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-Bsymbolic");
    // Worker threads and generated code outlive any `dlclose`.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
}

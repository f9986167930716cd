//! Link settings of `libclift.so`: its soname and an empty stand-in for the loader library that `cl-sys` asks for.
//! Generates no code.

use std::process::Command;
use std::{env, fs, path::PathBuf};

fn main() {
    println!("cargo:rerun-if-changed=../build.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    // `cl-sys` carries `#[link(name = "OpenCL")]`. An archive without members satisfies it, so the driver builds where
    // no OpenCL is installed and never names a loader among its needed libraries.
    fs::write(out.join("libOpenCL.a"), b"!<arch>\n").expect("OUT_DIR is writable");
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libclift.so");
    // Our own names bind to our own functions: in a process with a loader, `clGetPlatformInfo` is also the loader's, and a
    // dispatch table that pointed to that would call the loader for ever.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-Bsymbolic");
    // Worker threads and generated code outlive any `dlclose`.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    // 0.4 MB less: addresses that only want the load address added are kept as a bit map.
    if env::var("TARGET") == env::var("HOST") && knows_packed_relocations() {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,pack-relative-relocs");
    }
    // 60 kB less: functions of the same code are one. None of ours is told apart by its address.
    if links_with_lld() {
        println!("cargo:rustc-cdylib-link-arg=-Wl,--icf=all");
        // And strings that are the end of another are part of it.
        println!("cargo:rustc-cdylib-link-arg=-Wl,-O2");
    }
}

/// True if the linker is the one that rustc brings along for this target, and nobody has chosen another.
fn links_with_lld() -> bool {
    println!("cargo:rerun-if-env-changed=CARGO_ENCODED_RUSTFLAGS");
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let chosen = ["linker", "fuse-ld", "-lld"].iter().any(|word| flags.contains(word));
    env::var("TARGET").is_ok_and(|t| t == "x86_64-unknown-linux-gnu")
        && env::var_os("RUSTC_LINKER").is_none()
        && !chosen
}

/// True if this machine's C library is glibc 2.36 or later, whose dynamic linker reads packed relocations.
fn knows_packed_relocations() -> bool {
    let Ok(output) = Command::new("getconf").arg("GNU_LIBC_VERSION").output() else { return false };
    let text = String::from_utf8_lossy(&output.stdout);
    let minor = text.trim().strip_prefix("glibc 2.").and_then(|n| n.split('.').next()).and_then(|n| n.parse().ok());
    minor.is_some_and(|n: u32| n >= 36)
}

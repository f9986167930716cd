//! Code of whose lanes estimates are in doubt gets a rival while a program runs, and results stay the same.

#[path = "common/host.rs"]
mod host;

use std::process::Command;

#[test]
fn launches_of_rivals_have_the_same_bits() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("doubtful");
    host::compile(&host::source("doubtful.c"), &program, &host::library(), &[]);
    for isa in ["avx2", "scalar"] {
        let mut host = Command::new(&program);
        host.env("CLIFT_ISA", isa).env("CLIFT_LOG", "kernels").env("CLIFT_CACHE", "off").env_remove("LD_LIBRARY_PATH");
        let output = host.output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{isa}: {said}");
        let has_rival = said.contains("product: a rival, ");
        assert!(has_rival == (isa == "avx2") || cfg!(not(target_arch = "x86_64")), "{isa}: {said}");
    }
}

//! No memory is writable and executable at once, in whatever way code is made; and where there is to be no new code,
//! programs get an error.

#[path = "common/host.rs"]
mod host;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn compile(folder: &Path) -> PathBuf {
    let program = folder.join("hardened");
    host::compile(&host::source("hardened.c"), &program, &host::library(), &[]);
    program
}

fn run(program: &Path, args: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut host = Command::new(program);
    host.current_dir(program.parent().expect("a folder")).args(args).env_remove("LD_LIBRARY_PATH");
    host.env("CLIFT_CACHE", "off").envs(variables.iter().copied()).output().expect("it starts")
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn code_is_never_writable() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = compile(folder.path());
    let cache = folder.path().join("cache");
    let cache = ("CLIFT_CACHE", cache.to_str().expect("Unicode"));
    let ways: &[&[(&str, &str)]] = &[
        &[("CLIFT_ISA", "scalar")],
        &[("CLIFT_ISA", "v128")],
        &[("CLIFT_ISA", "avx2")],
        &[],
        &[("CLIFT_PERF", "jitdump"), ("CLIFT_FAULT", "1")],
        &[("CLIFT_CHECK", "all")],
        // Made and stored, then taken from there.
        &[cache],
        &[cache],
    ];
    for way in ways {
        let output = run(&program, &[], way);
        assert!(output.status.success(), "{way:?}: {}\n{}", output.status, said(&output));
        assert!(said(&output).contains("hardened: "), "{way:?}: {}", said(&output));
    }
}

#[test]
fn without_leave_to_make_code_programs_get_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = run(&compile(folder.path()), &["code"], &[]);
    let said = said(&output);
    assert!(output.status.success(), "{}\n{said}", output.status);
    let is_told = |line: &str| {
        ["without code: -5", "hardened: this system has no filters"].contains(&line) || line.starts_with("clift: check")
    };
    assert!(!said.is_empty() && said.lines().all(is_told), "{said}");
}

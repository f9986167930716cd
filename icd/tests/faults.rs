//! `CLIFT_FAULT=1`: what is told of a fault in a kernel, and who gets it afterwards.

#[path = "common/host.rs"]
mod host;

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output};

const SOURCE: &str = "void put(global int *p, ulong at)
{
    p[at] = 1;
}
kernel void far(global int *p, ulong at)
{
    if (get_group_id(0) == 1 && get_group_id(1) == 2)
        put(p, at);
}
kernel void near_by(global int *p, ulong at)
{
    p[get_global_id(0)] = 1;
}
";

fn tool(folder: &Path, isa: &str, kernel: &str) -> Command {
    std::fs::write(folder.join("far.cl"), SOURCE).expect("it can be written");
    let mut tool = Command::new(env!("CARGO_BIN_EXE_clift"));
    tool.current_dir(folder).env_remove("LD_LIBRARY_PATH").env("CLIFT_CACHE", "off").env("CLIFT_ISA", isa);
    tool.args(["run", "far.cl", kernel, "--global", "16,16", "--local", "4,4", "zero:4096", "u64:0xffffff0000000000"]);
    tool
}

/// Without what QEMU says of its own where the program is for another processor.
fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    text.split_inclusive('\n').filter(|line| !line.starts_with("qemu: uncaught target signal ")).collect()
}

#[test]
fn the_line_the_group_and_the_nearest_memory_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    for isa in ["scalar", "v128", "avx2"] {
        let output = tool(folder.path(), isa, "far").env("CLIFT_FAULT", "1").output().expect("it starts");
        let said = said(&output);
        assert_eq!(output.status.signal(), Some(libc::SIGSEGV), "{isa}: {said}");
        let first = said.lines().next().unwrap_or_default();
        assert!(first.starts_with("far.cl:3:"), "{isa}: {said}");
        let what = ": fault: SIGSEGV in kernel `far`, work-group (1, 2, 0), at address 0x";
        assert!(first.contains(what), "{isa}: {said}");
        assert!(said.contains("\n  called from far.cl:8:"), "{isa}: {said}");
        assert!(said.contains("\n  nearest: buffer 1 of 4096 bytes"), "{isa}: {said}");
        assert_eq!(said.matches("fault:").count(), 1, "{isa}: {said}");
    }
}

#[test]
fn nothing_is_told_unless_it_is_asked_for_and_happens() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = tool(folder.path(), "v128", "far").output().expect("it starts");
    assert_eq!(output.status.signal(), Some(libc::SIGSEGV));
    assert!(!said(&output).contains("fault"), "{}", said(&output));
    let output = tool(folder.path(), "v128", "near_by").env("CLIFT_FAULT", "1").output().expect("it starts");
    assert!(output.status.success() && said(&output).is_empty(), "{}", said(&output));
}

/// Compiles the host whose kernel faults; what runs it in one of its ways, as long as the folder is there.
fn faulting() -> (tempfile::TempDir, impl Fn(&str) -> Output) {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("host");
    host::compile(&host::source("faulting.c"), &program, &host::library(), &[]);
    let run = move |how: &str| {
        let mut host = Command::new(&program);
        host.arg(how).env("CLIFT_FAULT", "1").env("CLIFT_CACHE", "off").env_remove("LD_LIBRARY_PATH");
        host.output().expect("it starts")
    };
    (folder, run)
}

#[test]
fn a_program_s_own_handler_gets_the_fault() {
    let (_folder, run) = faulting();
    let output = run("handler");
    assert_eq!(output.status.code(), Some(7), "{}", said(&output));
    assert!(said(&output).contains("fault: SIGSEGV in kernel `far`, work-group (0, 0, 0)"), "{}", said(&output));
    assert!(said(&output).contains("\n  nearest: buffer 1 of 64 bytes"), "{}", said(&output));
    let output = run("none");
    assert_eq!(output.status.signal(), Some(libc::SIGSEGV), "{}", said(&output));
    assert!(said(&output).contains("fault: SIGSEGV in kernel `far`"), "{}", said(&output));
    // What somebody sends is no fault of a kernel's.
    let output = run("sent");
    assert_eq!(output.status.signal(), Some(libc::SIGSEGV), "{}", said(&output));
    assert!(said(&output).is_empty(), "{}", said(&output));
}

#[test]
fn what_a_program_ignores_stays_ignored_unless_it_is_a_fault() {
    let (_folder, run) = faulting();
    let output = run("ignored");
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).is_empty(), "{}", said(&output));
    // The instruction cannot go on.
    let output = run("ignored_fault");
    assert_eq!(output.status.signal(), Some(libc::SIGSEGV), "{}", said(&output));
    assert!(said(&output).contains("fault: SIGSEGV in kernel `far`"), "{}", said(&output));
}

/// Guard pages are below each stack that work-items' variables are on, and a handler has a stack of its own.
#[test]
fn what_goes_below_a_stack_is_told() {
    let (_folder, run) = faulting();
    let output = run("private");
    assert_eq!(output.status.signal(), Some(libc::SIGSEGV), "{}", said(&output));
    let said = said(&output);
    assert!(said.contains("fault: SIGSEGV in kernel `below`, work-group (0, 0, 0)"), "{said}");
    assert!(said.contains("\n  stack: ") && said.contains(" bytes below that of thread `"), "{said}");
    assert!(said.ends_with("`, in its guard pages\n"), "{said}");
}

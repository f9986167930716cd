//! `CLIFT_CHECK=values` on buffers that were made without contents; and buffers in reports of programs that alone in
//! their process are built with checks.

#[path = "common/host.rs"]
mod host;

use std::process::Command;

#[test]
fn a_buffer_s_bytes_are_known_to_be_written_or_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("host");
    host::compile(&host::source("unwritten.c"), &program, &host::library(), &[]);
    let run = |how: &str, isa: &str| {
        let mut host = Command::new(&program);
        host.arg(how).env("CLIFT_CHECK", "values").env_remove("CLIFT_CHECK_LOG").env_remove("LD_LIBRARY_PATH");
        let output = host.env("CLIFT_ISA", isa).output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{how} {isa}: {said}");
        said
    };
    for isa in ["scalar", "v128", "avx2"] {
        // What was never written, and the first work-item that meets it.
        let copied = [("copy", 0), ("unwritten_again", 0), ("unwritten_meanwhile", 0)];
        let wrong = [("nothing", 0), ("half", 32), ("half_by_kernel", 32)].into_iter().chain(copied);
        for (how, first) in wrong {
            let said = run(how, isa);
            let lines: Vec<&str> = said.lines().collect();
            assert!(
                lines[0].ends_with("check: value: read of 4 bytes of memory that nothing has written"),
                "{how}: {said}"
            );
            assert!(lines.contains(&"  kernel: `get` of program 1"), "{how} {isa}: {said}");
            assert!(lines.iter().any(|line| line.starts_with("  object: `a`, buffer ")), "{how} {isa}: {said}");
            assert!(said.contains("\nclift: check: 1 report"), "{how} {isa}: {said}");
            let item =
                lines.iter().find_map(|line| line.strip_prefix("  work-item: global id (")).expect("a work-item");
            let item: usize = item.split(',').next().and_then(|id| id.parse().ok()).expect("a number");
            assert!(item >= first, "{how} {isa}: {said}");
        }
        for how in ["host", "write", "fill", "map", "kernel", "copy_of_written"] {
            assert_eq!(run(how, isa), "clift: check: 0 reports\n", "{how} {isa}");
        }
    }
}

/// The lines of reports that name objects, but for the addresses of calls.
fn objects(program: &std::path::Path, option: &str, kinds: &str) -> Vec<String> {
    let mut host = Command::new(program);
    host.arg(option).env("CLIFT_CHECK", kinds).env_remove("CLIFT_CHECK_LOG").env_remove("LD_LIBRARY_PATH");
    let output = host.env("CLIFT_THREADS", "1").output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let objects = said.lines().filter_map(|line| line.strip_prefix("  object: "));
    let mut objects: Vec<String> =
        objects.map(|line| line.split(" at noted").next().unwrap_or_default().to_owned()).collect();
    objects.sort();
    objects.dedup();
    objects
}

#[test]
fn objects_are_noted_from_the_first_build_with_checks_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("noted");
    host::compile(&host::source("noted.c"), &program, &host::library(), &[]);
    let by_process = [
        "`after`, buffer 2 of 256 bytes, made by clCreateBuffer",
        "`before`, buffer 1 of 256 bytes, made by clCreateBuffer",
        "`part`, sub-buffer 1 of 128 bytes, made by clCreateSubBuffer",
    ];
    assert_eq!(objects(&program, "", "memory"), by_process);
    let by_program = [
        "`after`, buffer of 256 bytes, made by clCreateBuffer",
        "`before`, buffer of 256 bytes",
        "`part`, sub-buffer of 128 bytes, made by clCreateSubBuffer",
    ];
    for kinds in ["memory", "memory,races"] {
        let said = objects(&program, &format!("-clift-check={kinds}"), "");
        assert!(by_program.iter().all(|object| said.iter().any(|line| line == object)), "{kinds}: {said:?}");
        // A race of the buffer and its part may name either.
        let is_noted = |line: &String| by_program.contains(&line.as_str());
        assert!(said.iter().all(is_noted), "{kinds}: {said:?}");
    }
}

//! `CLIFT_CHECK=values` on buffers that were made without contents.

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

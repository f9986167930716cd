//! The system refuses what the driver asks for: memory, threads, files, calls. The host program says what has to hold.

#[path = "common/host.rs"]
mod host;

use std::path::Path;
use std::process::Command;

/// Runs the host once for each list of arguments, in order; `counts` tells whether enough was refused and failed.
fn run(ways: &[&[&str]], counts: impl Fn(&[&str], &[u64]) -> bool) {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("shortage");
    host::compile(&host::source("shortage.c"), &program, &host::library(), &["-O1", "-ldl"]);
    for way in ways {
        let said = one(&program, folder.path(), way, &[("CLIFT_CACHE", "off")]);
        let numbers: Vec<u64> = said.split([' ', ',']).filter_map(|word| word.parse().ok()).collect();
        assert!(counts(way, &numbers), "{way:?}: {said}");
    }
}

fn one(program: &Path, folder: &Path, way: &[&str], variables: &[(&str, &str)]) -> String {
    let mut host = Command::new(program);
    host.current_dir(folder).args(way).env_clear().envs(variables.iter().copied());
    host.env("CLIFT_LOG", "leaks").env("CLIFT_THREADS", "2");
    let output = host.output().expect("it starts");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{way:?}: {}\n{out}{err}", output.status);
    // A program whose file system is empty or whose system has no filters has said so and made nothing.
    assert!(err.is_empty() || err == "clift: still alive: nothing\n", "{way:?}: {err}");
    out.into_owned()
}

/// The n-th call of a function fails, or all from the n-th on, for each n.
#[test]
fn refused_calls_are_errors_and_nothing_else() {
    let ways: &[&[&str]] = &[
        &["calls", "mmap", "once"],
        &["calls", "mmap", "on"],
        &["calls", "mprotect", "once"],
        &["calls", "mprotect", "on"],
        &["calls", "sched", "once"],
        &["calls", "sched", "on"],
        &["calls", "pthread_create", "once"],
        // Afterwards there are threads, so that one process is not enough.
        &["calls", "pthread_create", "on", "1", "1", "1"],
        &["calls", "pthread_create", "on", "2", "1", "2"],
        &["calls", "pthread_create", "on", "3", "1", "3"],
        &["calls", "pthread_create", "on", "4", "1", "4"],
    ];
    run(ways, |way, numbers| match way[1] {
        "sched" => numbers[0] > 0,
        "pthread_create" => numbers[0] > 0 && (numbers[2] > 0 || way.len() > 3),
        _ => numbers[0] > 2 && numbers[2] > 1,
    });
}

/// Each 211th allocation here; `shortage calls malloc once` tries each.
#[test]
fn allocations_that_fail_end_no_process() {
    let ways: &[&[&str]] =
        &[&["calls", "malloc", "once", "1000000", "211", "5"], &["calls", "malloc", "on", "1000000", "211", "3"]];
    run(ways, |way, numbers| numbers[0] > 50 && (numbers[2] > 50 || way[2] == "once"));
}

#[test]
fn copies_that_calls_make_may_not_fit() {
    run(&[&["large"]], |_, _| true);
}

/// Commands pile up until there is no memory for more: those that are refused change nothing, and no other is lost.
#[test]
fn commands_may_not_fit() {
    run(&[&["graph"]], |_, numbers| numbers.len() == 8 && numbers.iter().all(|&n| n > 0));
}

/// More commands than a list in one piece may have are awaited nevertheless.
#[test]
fn many_commands_are_awaited() {
    run(&[&["finish"]], |_, _| true);
}

/// A signal or a wait that is refused leaves what it would have met to the next one.
#[test]
fn refused_semaphores_change_nothing() {
    run(&[&["semaphores"]], |_, _| true);
}

/// Limits of the process, from none of something to enough.
#[test]
fn limits_are_errors_and_nothing_else() {
    let ways: &[&[&str]] = &[&["limit", "memory"], &["limit", "threads"], &["limit", "files"]];
    run(ways, |way, numbers| numbers[0] > 10 && (way[1] == "files" || (1..numbers[0]).contains(&numbers[1])));
}

/// No `/proc`, no `/sys`, no file at all; no `sched_…` calls.
#[test]
fn a_bare_system_is_enough() {
    run(&[&["plain"], &["world"], &["filter"]], |_, _| true);
}

/// No place for the cache: none is known, nothing can be written there, or it is no folder.
#[test]
fn nowhere_to_write_is_enough() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("shortage");
    host::compile(&host::source("shortage.c"), &program, &host::library(), &["-O1", "-ldl"]);
    let places: &[&[(&str, &str)]] = &[
        &[],
        &[("HOME", "/proc")],
        &[("HOME", "/dev/null")],
        &[("XDG_CACHE_HOME", "/sys")],
        &[("CLIFT_CACHE", "/proc/self/none")],
        &[("CLIFT_CACHE", "/dev/null")],
        &[("CLIFT_CACHE", "/dev/full")],
    ];
    for place in places {
        assert_eq!(one(&program, folder.path(), &["plain"], place), "shortage: plain: ok\n", "{place:?}");
    }
}

//! `clift record` and `clift replay` as a user has them: a C host program is recorded, what was recorded gives the same
//! results again, results that differ are found, and files that are no whole recordings are refused. And the recordings
//! in `kernels-test/recordings` give what they gave when they were made, whatever code their kernels become.

#[path = "common/host.rs"]
mod host;

use clift_runtime::record::format::{Kind, Reader, Writer, finish};
use clift_runtime::record::recording::Recording;
use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn kernels_test() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels-test")
}

fn tool() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clift"));
    command.env_remove("LD_LIBRARY_PATH").env_remove("CLIFT_ISA").env_remove("CLIFT_FORCE");
    command
}

/// The host program, linked with `library`, in `folder`.
fn host(folder: &Path, library: &Path) -> PathBuf {
    let program = folder.join("recorded");
    host::compile(&host::source("recorded.c"), &program, library, &["-O1"]);
    program
}

/// Records the host program with these options and its own argument; what the tool did, and the file.
fn record(folder: &Path, options: &[&str], program: &Path, how: &str) -> (Output, PathBuf) {
    let file = folder.join("a.clrec");
    let mut command = tool();
    command.arg("record").args(options).arg("-o").arg(&file).arg(program).args((!how.is_empty()).then_some(how));
    (command.output().expect("the tool starts"), file)
}

fn replay(file: &Path, options: &[&str]) -> Output {
    let folder = file.parent().expect("a folder");
    tool().arg("replay").arg(file).args(options).current_dir(folder).output().expect("the tool starts")
}

fn text(output: &Output) -> String {
    let both = [&output.stdout[..], &output.stderr].concat();
    String::from_utf8_lossy(&both).into_owned()
}

/// A replay that must end with this code and say this.
#[track_caller]
fn expect(output: &Output, code: i32, part: &str) {
    assert_eq!(output.status.code(), Some(code), "{}", text(output));
    assert!(text(output).contains(part), "`{part}` is not in\n{}", text(output));
}

#[test]
fn what_a_program_did_can_be_done_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = host(folder.path(), &host::library());
    let (output, file) = record(folder.path(), &["--launches", "10"], &program, "");
    expect(&output, 0, "recorded: the list has 56");
    expect(&output, 0, "11 launches of 5 kernels");
    expect(&output, 0, "1 native kernels, which cannot be recorded");
    expect(&replay(&file, &[]), 0, ": 11 equal, 0 different");
    let timed = replay(&file, &["--time", "--check", "--rounds", "2", "--kernel", "walk", "--kernel", "scale"]);
    expect(&timed, 0, ": 8 equal, 0 different");
    expect(&timed, 0, "median ms");
    let library = host::library().display().to_string();
    let both = replay(&file, &["--time", "--rounds", "1", "--on", &library, "--on", &library, "--launch", "0", "10"]);
    expect(&both, 0, "geometric mean");
    let list = replay(&file, &["--list"]);
    for part in ["0 scale 128 / 64", "(of the host)", "filter 15,7 / -", "256 bytes of local memory", "-DOFFSET=1"] {
        expect(&list, 0, part);
    }
    expect(&replay(&file, &["--sources", "out", "--launch", "0"]), 0, "");
    let written = |name: &str| fs::read_to_string(folder.path().join("out").join(name)).expect("it is written");
    assert!(written("program-0-0.cl").contains("kernel void scale") && written("program-0-1.options") == "-DOFFSET=1");
    // Addresses in memory need their places; results do not depend on how kernels are compiled.
    for isa in ["scalar", "v128", "avx2"] {
        let output = tool().env("CLIFT_ISA", isa).arg("replay").arg(&file).output().expect("the tool starts");
        expect(&output, 0, ": 11 equal, 0 different");
    }
    expect(&replay(&file, &["--launch", "11"]), 2, "there is no launch 11");
    expect(&replay(&file, &["--kernel", "none"]), 2, "no such launch");
    expect(&replay(&file, &["--max-bytes", "1K"]), 2, "--max-bytes");
    expect(&replay(&file, &["--on", "/nowhere/libOpenCL.so"]), 2, "/nowhere/libOpenCL.so");
}

/// Kernels that cannot tell run in other groups than was asked for, which is nobody else's business.
#[test]
fn sizes_are_those_that_the_program_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let (source, file) = (folder.path().join("scale.cl"), folder.path().join("a.clrec"));
    fs::write(&source, "kernel void scale(global float *x) { x[get_global_id(0)] *= 2; }").expect("it is written");
    let mut command = tool();
    command.arg("record").arg("-o").arg(&file).arg(env!("CARGO_BIN_EXE_clift"));
    command.args(["run", "--global", "4096,6", "--local", "2,3"]).arg(&source).args(["scale", "zero:16384"]);
    expect(&command.output().expect("the tool starts"), 0, "1 launches of 1 kernels");
    expect(&replay(&file, &["--list"]), 0, "0 scale 4096,6 / 2,3");
    expect(&replay(&file, &[]), 0, ": 1 equal, 0 different");
}

#[test]
fn a_recording_has_limits() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = host(folder.path(), &host::library());
    let (output, file) = record(folder.path(), &["--kernel", "walk", "--launches", "1"], &program, "");
    expect(&output, 0, "1 launches of 1 kernels");
    expect(&output, 0, "9 launches of other kernels (--kernel)");
    expect(&output, 0, "1 launches beyond the first ones");
    expect(&replay(&file, &[]), 0, "1 equal");
    let (output, _) = record(folder.path(), &["--max-bytes", "3K"], &program, "");
    expect(&output, 0, "launches for which there was no room (--max-bytes)");
    let (output, _) = record(folder.path(), &["--kernel", "none"], &program, "");
    expect(&output, 0, "0 launches of 0 kernels");
    // Nothing else is replaced.
    fs::write(&file, "a letter").expect("it can be written");
    let (output, _) = record(folder.path(), &[], &program, "");
    expect(&output, 2, "is no recording");
    let (output, _) = record(folder.path(), &[], Path::new("/nowhere/program"), "");
    expect(&output, 2, "");
    fs::remove_file(&file).expect("it is there");
    let (output, _) = record(folder.path(), &[], Path::new("true"), "");
    expect(&output, 2, "launched no kernel");
}

#[test]
fn a_program_that_is_killed_has_recorded_what_it_did() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = host(folder.path(), &host::library());
    let (output, file) = record(folder.path(), &["--launches", "9"], &program, "kill");
    expect(&output, 128 + 9, "6 launches of 1 kernels");
    expect(&replay(&file, &[]), 0, "6 equal");
    // Each process has a file.
    let twice = format!("{0}; {0}; true", program.display());
    let output = tool().args(["record", "-o"]).arg(&file).args(["sh", "-c", &twice]).output().expect("the tool starts");
    expect(&output, 0, "a.clrec: 9 launches");
    expect(&output, 0, "a.clrec.");
    // Without the tool there is nobody to say that the file is whole.
    let mut alone = Command::new(&program);
    alone.arg("kill").env("CLIFT_RECORD", folder.path().join("b.clrec")).env_remove("LD_LIBRARY_PATH");
    assert!(!alone.status().expect("it starts").success());
    let file = folder.path().join("b.clrec");
    expect(&replay(&file, &[]), 2, "was not finished");
    expect(&replay(&file, &["--partial"]), 0, "4 equal");
}

#[test]
fn what_cannot_be_replayed_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = host(folder.path(), &host::library());
    let (output, file) = record(folder.path(), &[], &program, "wild");
    expect(&output, 0, "2 launches of `walk` cannot be replayed: argument 1 is the address");
    expect(&replay(&file, &[]), 0, "7 equal, 0 different, 2 that cannot be replayed");
    expect(&replay(&file, &["--kernel", "walk"]), 2, "none of these launches can be replayed");
}

#[test]
fn an_installed_loader_finds_the_driver() {
    let loader = ["libOpenCL.so", "libOpenCL.so.1"].into_iter().find_map(|name| {
        let option = format!("-print-file-name={name}");
        let output = Command::new("cc").arg(option).output().ok()?;
        let path = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
        path.is_absolute().then(|| path.canonicalize().ok()).flatten()
    });
    let Some(loader) = loader else {
        let required = std::env::var_os("CLIFT_REQUIRE_LOADER").is_some_and(|value| value == "1");
        assert!(!required, "there is no ICD loader");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let program = host(folder.path(), &loader);
    for options in [&[][..], &["--direct"]] {
        let (output, file) = record(folder.path(), options, &program, "");
        expect(&output, 0, "9 launches of 5 kernels");
        let vendors = folder.path().join("vendors");
        fs::create_dir_all(&vendors).expect("a folder of our own");
        fs::write(vendors.join("clift.icd"), format!("{}\n", host::library().display())).expect("a file of our own");
        let on = format!("{}@clift", loader.display());
        let mut command = tool();
        command.arg("replay").arg(&file).args(["--on", &on]).env("OCL_ICD_VENDORS", vendors.join(""));
        expect(&command.output().expect("the tool starts"), 0, "9 equal");
    }
}

/// Copies a recording, with a change to the bytes of each chunk.
fn rewrite(from: &Path, to: &Path, mut change: impl FnMut(usize, Kind, &mut Vec<u8>)) {
    let mut reader = Reader::open(from).expect("a recording");
    let index = reader.index().expect("a recording");
    let mut writer = Writer::create(to).expect("a new file");
    for (n, chunk) in index.chunks.iter().enumerate() {
        let mut bytes = reader.read(chunk).expect("it can be read");
        change(n, chunk.kind, &mut bytes);
        writer.put(chunk.kind, &bytes).expect("it can be written");
    }
    finish(to).expect("it can be finished");
}

fn recordings() -> Vec<PathBuf> {
    let entries = fs::read_dir(kernels_test().join("recordings")).expect("the recordings").flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.sort();
    assert!(files.len() >= 4 && files.iter().all(|file| file.extension().is_some_and(|end| end == "clrec")));
    files
}

#[test]
fn kept_recordings_give_what_they_gave() {
    for file in recordings() {
        for isa in ["", "scalar", "v128", "avx2"] {
            let output = tool().env("CLIFT_ISA", isa).arg("replay").arg(&file).output().expect("the tool starts");
            expect(&output, 0, " equal, 0 different\n");
        }
    }
}

#[test]
fn changed_results_are_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, changed) = (kernels_test().join("recordings/recorded.clrec"), folder.path().join("changed.clrec"));
    let recording = Recording::open(&file).expect("a recording");
    let (number, outcome) = (0, recording.outcomes[0].as_ref().expect("it ended"));
    let (after, before) = (outcome.after[0].expect("memory"), recording.launches[number].memories[0].before);
    assert_ne!(after, before);
    let mut n_contents = 0;
    rewrite(&file, &changed, |_, kind, bytes| {
        if kind == Kind::Contents {
            if n_contents == after {
                bytes[600] ^= 1;
            }
            n_contents += 1;
        }
    });
    expect(&replay(&changed, &["--launch", "0"]), 1, "1 of 256 floats differ, the first at 150");
    expect(&replay(&changed, &["--launch", "0"]), 1, "0 equal, 1 different");
    expect(&replay(&changed, &["--launch", "0", "--tolerance", "1"]), 0, "1 equal, 0 different");
    expect(&replay(&changed, &["--launch", "0", "--absolute", "0.001"]), 0, "1 equal, 0 different");
    expect(&replay(&changed, &["--launch", "0", "--time", "--rounds", "1"]), 0, "scale");
}

#[test]
fn files_that_are_no_recordings_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let (whole, file) = (kernels_test().join("recordings/recorded.clrec"), folder.path().join("a.clrec"));
    let bytes = fs::read(&whole).expect("it is there");
    fs::write(&file, &bytes).expect("it can be written");
    let open = fs::File::options().write(true).open(&file).expect("it is there");
    let is_refused = || match Recording::open(&file) {
        Ok(recording) => !recording.is_whole,
        Err(why) => !why.contains('\n'),
    };
    // The counters behind the title are no part of what is checked.
    for at in (0..bytes.len()).filter(|at| !(12..44).contains(at)) {
        open.write_all_at(&[bytes[at] ^ 0x11], at as u64).expect("it can be written");
        assert!(is_refused(), "byte {at} is changed");
        open.write_all_at(&bytes[at..=at], at as u64).expect("it can be written");
    }
    assert!(!is_refused());
    for cut in (0..bytes.len()).rev() {
        open.set_len(cut as u64).expect("it can be cut off");
        assert!(is_refused(), "the first {cut} bytes");
        if cut % 400 == 0 {
            expect(&replay(&file, &[]), 2, "a.clrec");
        }
    }
    expect(&replay(&folder.path().join("none.clrec"), &[]), 2, "none.clrec");
}

/// What is in chunks may be anything, with checksums that are right.
#[test]
fn hostile_recordings_do_no_harm() {
    let folder = tempfile::tempdir().expect("a folder");
    let (whole, file) = (kernels_test().join("recordings/recorded.clrec"), folder.path().join("a.clrec"));
    let mut reader = Reader::open(&whole).expect("a recording");
    let index = reader.index().expect("a recording");
    let (mut n_refused, mut n_kept) = (0, 0);
    for (number, chunk) in index.chunks.iter().enumerate().filter(|(_, chunk)| chunk.kind != Kind::Contents) {
        let length = reader.read(chunk).expect("it can be read").len();
        for at in (0..length).step_by(if chunk.kind == Kind::Program { 61 } else { 3 }) {
            let _ = fs::remove_file(&file);
            rewrite(&whole, &file, |n, _, bytes| {
                if n == number {
                    bytes[at] ^= 0xff;
                }
            });
            match Recording::open(&file) {
                Ok(_) => n_kept += 1,
                Err(_) => n_refused += 1,
            }
        }
    }
    assert!(n_refused > 100 && n_kept > 10, "{n_refused} refused, {n_kept} kept");
}

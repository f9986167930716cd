//! Built programs and their code in `CLIFT_CACHE`: what one process made the next one finds, with the same results;
//! what is not there, or was damaged, or belongs to other sources is made.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program that takes a while to build: its kernel calls many functions, one of which a header brings. It has a
/// variable, text that is printed, and a warning.
fn source() -> String {
    let lines: String = (0..200).map(|n| format!("  x = sin(x * {n}.5f) + pow(fabs(x), {n}.25f);\n")).collect();
    format!(
        "#include \"more.h\"\n\
         constant float table[2] = {{ 3.0f, 4.0f }};\n\
         global int calls = 5;\n\
         kernel void f(global float *a, int last) {{\n  float x = a[get_global_id(0)];\n{lines}  \
         if (get_global_id(0) == last) printf(\"last %d %d\\n\", last, calls);\n  \
         a[get_global_id(0)] = x + more(table[get_local_size(0) % 2]);\n}}\n"
    )
}

struct Folder {
    folder: tempfile::TempDir,
}

impl Folder {
    fn new() -> Self {
        let this = Self { folder: tempfile::tempdir().expect("a folder") };
        this.write("a.cl", &source());
        this.write("more.h", "float more(float x) { return x + 1.0f; }\n");
        this
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join(name), text).expect("written");
    }

    fn cache(&self) -> PathBuf {
        self.folder.path().join("cache")
    }

    fn entries(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.cache()).into_iter().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("read").path()).collect();
        paths.sort();
        paths
    }

    /// Runs the kernel in groups of `local` work-items: what it gives, and whether the program came from the cache.
    fn run(&self, cache: &Path, local: u32) -> (String, bool) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_clift"));
        command.args([
            "run",
            "a.cl",
            "f",
            "--global",
            "64",
            "--options=-cl-std=CL3.0 -I .",
            "--local",
            &local.to_string(),
        ]);
        command.args(["print:f32:64", "i32:63"]).current_dir(self.folder.path());
        for name in ["CLIFT_ISA", "CLIFT_FORCE", "CLIFT_DUMP", "CLIFT_VERIFY"] {
            command.env_remove(name);
        }
        let output = command.env("CLIFT_CACHE", cache).env("CLIFT_LOG", "build").output().expect("starts");
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{errors}");
        (String::from_utf8(output.stdout).expect("text"), errors.contains("from the cache"))
    }
}

#[test]
fn what_one_process_made_the_next_one_finds() {
    let folder = Folder::new();
    let off = folder.run(Path::new("off"), 16);
    assert!(off.0.contains("last 63 5") && !off.1, "{off:?}");
    assert!(folder.entries().is_empty());
    let cache = folder.cache();
    assert_eq!(folder.run(&cache, 16), (off.0.clone(), false));
    let made = folder.entries();
    assert_eq!(made.len(), 2, "the program, and code for one size of groups");
    assert_eq!(folder.run(&cache, 16), (off.0.clone(), true));
    assert_eq!(folder.entries(), made);
    // Code for another size is made of the program, which is built again for it.
    let other = folder.run(Path::new("off"), 7).0;
    assert_eq!(folder.run(&cache, 7), (other.clone(), true));
    assert_eq!(folder.entries().len(), 3);
    assert_eq!(folder.run(&cache, 7), (other, true));
}

#[test]
fn other_sources_are_other_programs() {
    let folder = Folder::new();
    let cache = folder.cache();
    let first = folder.run(&cache, 16).0;
    folder.write("more.h", "float more(float x) { return x + 2.0f; }\n");
    let (second, found) = folder.run(&cache, 16);
    assert!(!found && first != second, "{second}");
    folder.write("more.h", "float more(float x) { return x + 1.0f; }\n");
    assert_eq!(folder.run(&cache, 16), (first, true));
}

/// A program that is built again for other sizes has the files that it had: each `#include` finds what it found, though
/// names are alike.
#[test]
fn files_of_one_name_stay_apart() {
    let folder = Folder::new();
    fs::create_dir(folder.folder.path().join("sub")).expect("made");
    folder.write("y.h", "#pragma once\n#define OUTER 1\n");
    folder.write("sub/y.h", "#pragma once\n#define INNER 100\n");
    folder.write("sub/z.h", "#include \"y.h\"\n#include \"../y.h\"\n");
    folder.write("more.h", "#include \"y.h\"\n#include \"sub/z.h\"\nfloat more(float x) { return x + INNER + OUTER; }");
    let sizes = [16, 8, 4];
    let wanted = sizes.map(|local| folder.run(Path::new("off"), local).0);
    let cache = folder.cache();
    for round in 0..2 {
        for (local, wanted) in sizes.iter().zip(&wanted) {
            let (got, found) = folder.run(&cache, *local);
            assert_eq!(&got, wanted);
            assert_eq!(found, round > 0 || *local != sizes[0]);
        }
    }
}

#[test]
fn damaged_entries_are_made_again() {
    let folder = Folder::new();
    let cache = folder.cache();
    let first = folder.run(&cache, 16).0;
    for path in folder.entries() {
        let mut bytes = fs::read(&path).expect("read");
        let at = bytes.len() / 2;
        bytes[at] ^= 0x10;
        fs::write(&path, bytes).expect("written");
    }
    assert_eq!(folder.run(&cache, 16), (first.clone(), false));
    assert_eq!(folder.run(&cache, 16), (first.clone(), true));
    for path in folder.entries() {
        fs::write(path, "").expect("written");
    }
    assert_eq!(folder.run(&cache, 16).0, first);
    // A place that is no folder is as good as none.
    folder.write("file", "");
    assert_eq!(folder.run(&folder.folder.path().join("file"), 16), (first, false));
}

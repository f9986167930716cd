//! The committed corpus of the fuzzer, and what it has found, through the functions that `kernels-test/fuzz` fuzzes.

#[path = "../fuzz/src/targets/mod.rs"]
mod targets;

use std::path::Path;
use std::{fs, panic};

/// One test only: a target counts the objects that are left in the process.
#[test]
fn inputs_of_the_corpus_pass() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
    let mut wrong = Vec::new();
    for (name, run) in targets::TARGETS {
        let entries = fs::read_dir(corpus.join(name)).expect("each target has a corpus");
        let mut files: Vec<_> = entries.map(|entry| entry.expect("the folder can be read").path()).collect();
        files.sort_unstable();
        assert!(!files.is_empty(), "{name} has no inputs");
        for file in files {
            let bytes = fs::read(&file).expect("the input can be read");
            if panic::catch_unwind(|| run(&bytes)).is_err() {
                wrong.push(file);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

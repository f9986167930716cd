//! No tree breaks sema: mutated sources give diagnostics or HIR, never a panic.

#[path = "../../../tests/support/mutate.rs"]
mod mutate;
#[path = "../../../tests/support/rng.rs"]
mod rng;

use super::{Mode, run};
use mutate::{mutate, words};
use rng::Rng;

/// Sources that use every part of the language.
fn seeds() -> Vec<String> {
    ["accept.txt", "reject.txt", "constants.txt", "builtins.txt"]
        .iter()
        .flat_map(|file| {
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/sema/tests/cases").join(file);
            let text = std::fs::read_to_string(path).expect("the cases are there");
            text.split("====\n")
                .filter_map(|case| case.split_once(">>>\n").map(|(source, _)| source.to_owned()))
                .collect::<Vec<_>>()
        })
        .chain(crate::builtin::paths().iter().map(|path| crate::builtin::source(path).to_owned()))
        .filter(|source| !source.is_empty())
        .collect()
}

#[test]
fn mutated_sources_do_not_panic() {
    let seeds = seeds();
    let mut rng = Rng(0x2545_f491_4f6c_dd1d);
    let pool: Vec<&str> = seeds.iter().flat_map(|seed| words(seed)).collect();
    for round in 0..3000 {
        let changes = 1 + rng.below(6);
        let source = mutate(&seeds[round % seeds.len()], &pool, changes, &mut rng);
        let mode = if round % 7 == 0 { Mode::Builtin } else { Mode::User };
        run(&source, if round % 3 == 0 { "-cl-std=CL3.0" } else { "" }, mode);
    }
}

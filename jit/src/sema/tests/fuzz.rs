//! No tree breaks sema: mutated sources give diagnostics or HIR, never a panic.

use super::{Mode, run};

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

/// A small generator: xorshift.
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

/// Words of a source: runs of letters and digits, single other characters.
fn words(source: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut start = 0;
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let mut last = ' ';
    for (at, c) in source.char_indices() {
        if at > start && !(is_word(c) && is_word(last)) {
            out.push(&source[start..at]);
            start = at;
        }
        last = c;
    }
    out.push(&source[start..]);
    out
}

#[test]
fn mutated_sources_do_not_panic() {
    let seeds = seeds();
    let mut rng = Rng(0x2545_f491_4f6c_dd1d);
    let pool: Vec<String> =
        seeds.iter().flat_map(|s| words(s).into_iter().map(str::to_owned).collect::<Vec<_>>()).collect();
    for round in 0..3000 {
        let seed = &seeds[round % seeds.len()];
        let mut text: Vec<&str> = words(seed);
        for _ in 0..1 + rng.below(6) {
            let at = rng.below(text.len());
            match rng.below(4) {
                0 => {
                    text.remove(at);
                    if text.is_empty() {
                        text.push(";");
                    }
                }
                1 => text.insert(at, &pool[rng.below(pool.len())]),
                2 => text[at] = &pool[rng.below(pool.len())],
                _ => {
                    let other = rng.below(text.len());
                    text.swap(at, other);
                }
            }
        }
        let source = text.concat();
        let mode = if round % 7 == 0 { Mode::Builtin } else { Mode::User };
        run(&source, if round % 3 == 0 { "-cl-std=CL3.0" } else { "" }, mode);
    }
}

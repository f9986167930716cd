//! Changes sources word by word: words go, come, are replaced or change places.

use super::rng::Rng;

/// Words of a source: runs of letters and digits, single other characters.
pub fn words(source: &str) -> Vec<&str> {
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

/// `source` with `changes` changes; what is new comes from `pool`.
pub fn mutate(source: &str, pool: &[&str], changes: usize, rng: &mut Rng) -> String {
    let mut text = words(source);
    for _ in 0..changes {
        let at = rng.below(text.len());
        match rng.below(4) {
            0 if text.len() > 1 => {
                text.remove(at);
            }
            0 | 1 => text.insert(at, rng.of(pool)),
            2 => text[at] = rng.of(pool),
            _ => {
                let other = rng.below(text.len());
                text.swap(at, other);
            }
        }
    }
    text.concat()
}

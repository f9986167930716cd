//! `source`: the front end's accept and reject corpus. A `.cl` file holds small programs, separated by blank lines; a
//! line `//! options` above one gives its build options, lines `//= ` behind it what the build says: errors, warnings
//! and notes with their places, then `accepted` or `rejected`. Accepted programs go through code generation too.

use clift_jit::{SpecKey, build};
use std::fmt::Write;

/// How many programs a file holds.
pub fn count(text: &str) -> usize {
    blocks(text).count()
}

fn blocks(text: &str) -> impl Iterator<Item = &str> {
    text.split("\n\n").map(|block| block.trim_matches('\n')).filter(|block| !block.is_empty())
}

/// What the file says and what it should say.
pub fn check(text: &str) -> Result<(), (String, String)> {
    let (mut wrong, mut blessed) = (String::new(), String::new());
    for block in blocks(text) {
        let is_expected = |line: &&str| line.starts_with("//= ");
        let source: Vec<&str> = block.lines().filter(|line| !is_expected(line)).collect();
        let expected: Vec<&str> = block.lines().filter(is_expected).collect();
        let options = source.first().and_then(|line| line.strip_prefix("//!")).unwrap_or("").trim();
        let said = outcome(&source.join("\n"), options);
        if said.iter().map(String::as_str).ne(expected.iter().copied()) {
            let _ = writeln!(wrong, "{}\n{}\n", source.join("\n"), said.join("\n"));
        }
        let _ = writeln!(blessed, "{}\n{}\n", source.join("\n"), said.join("\n"));
    }
    if wrong.is_empty() { Ok(()) } else { Err((wrong, blessed.trim_end().to_owned() + "\n")) }
}

fn outcome(source: &str, options: &str) -> Vec<String> {
    let built = build(source.as_bytes(), options, &[]);
    // Excerpts and the lists of candidates are left out: the former repeat the source, the latter change with the
    // library.
    let told = built.log.lines().filter_map(|line| {
        let place = line.split_once(": error: ").or_else(|| line.split_once(": warning: "));
        let (place, _) = place.or_else(|| line.split_once(": note: "))?;
        let is_excerpt = place.contains(" | ") || line.contains(": note: candidate");
        (!is_excerpt).then(|| format!("//= {}", line.strip_prefix("<kernel>:").unwrap_or(line)))
    });
    let mut said: Vec<String> = told.collect();
    let verdict = match built.program {
        Err(_) => "rejected".to_owned(),
        Ok(program) => {
            let failed = (0..program.kernels().len()).find_map(|kernel| {
                program.code(kernel, SpecKey { local_size: None, small_ids: true, ..SpecKey::default() }).err()
            });
            failed.map_or("accepted".to_owned(), |error| format!("no code: {}", error.message))
        }
    };
    said.push(format!("//= {verdict}"));
    said
}

//! Reads the sources as text and checks the rules that no compiler knows: which crate and which module may use which, a
//! header in every source file, lengths of lines and files, links of documents. Builds and runs nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The longest line, in characters.
const COLUMNS: usize = 120;

/// The longest Rust file, in lines.
const LINES: usize = 800;

/// Folders of tests' data: a source is a line there, or numbers that a buffer holds.
const DATA: [&str; 2] = ["kernels-test/cases/", "jit/tests/filetests/"];

/// Files whose texts of kernels, which are strings over several lines, have longer lines.
const WIDE: [&str; 8] = [
    "jit/benches/frontend.rs",
    "jit/benches/rounding.rs",
    "jit/src/parse/tests/robust.rs",
    "jit/tests/builtin_half.rs",
    "jit/tests/collectives.rs",
    "jit/tests/images.rs",
    "jit/tests/math_options.rs",
    "jit/tests/work_groups.rs",
];

/// Crates from the bottom up: each may depend on those in front of it.
const CRATES: [&str; 3] = ["jit", "runtime", "icd"];

/// Uses to the right that there are today, and why. One that is gone must leave this list.
const RIGHT: [(&str, &str, &str); 1] =
    [("simd/cost.rs", "legalize", "the cost of lanes depends on which operations the machine has for wide vectors")];

/// Files that are longer than `LINES`. One that has become shorter must leave this list.
const LONG: [&str; 1] = ["jit/src/ir/text/parse.rs"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a crate lies in the workspace").to_owned()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// All files below the crates and README.md, as paths from the root, sorted.
fn files() -> Vec<String> {
    let root = root();
    let mut work: Vec<PathBuf> = ["icd", "runtime", "jit", "kernels-test"].map(|name| root.join(name)).into();
    let mut found = vec!["README.md".to_owned()];
    while let Some(dir) = work.pop() {
        for entry in fs::read_dir(&dir).expect("a folder of the workspace").flatten() {
            let path = entry.path();
            if path.is_dir() {
                work.push(path);
            } else if let Some(path) = path.strip_prefix(&root).ok().and_then(Path::to_str) {
                found.push(path.to_owned());
            }
        }
    }
    found.sort();
    assert!(found.len() > 500, "only {} files", found.len());
    found
}

fn has_ending(path: &str, endings: &[&str]) -> bool {
    endings.iter().any(|ending| path.strip_suffix(ending).is_some_and(|rest| rest.ends_with('.')))
}

/// A Rust source without comment lines and without what stands behind `#[cfg(test)]` at the start of a line.
fn code(text: &str) -> String {
    let lines = text.lines().take_while(|line| *line != "#[cfg(test)]");
    lines.filter(|line| !line.trim_start().starts_with("//")).flat_map(|line| [line, "\n"]).collect()
}

/// The names that follow `prefix` in a Rust source: one, or the first ones of each path inside braces.
fn names_behind(prefix: &str, code: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (at, _) in code.match_indices(prefix) {
        if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':') {
            continue;
        }
        let rest = &code[at + prefix.len()..];
        match rest.strip_prefix('{') {
            Some(list) => names.extend(heads(list)),
            None => _ = names.insert(word(rest)),
        }
    }
    names
}

/// The identifier at the start of a text.
fn word(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// The first names of the paths of a list that ends at an unmatched brace.
fn heads(list: &str) -> Vec<String> {
    let (mut depth, mut is_start, mut heads) = (0, true, Vec::new());
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => is_start = true,
            c if depth == 0 && is_start && !c.is_whitespace() => {
                heads.push(word(&list[at..]));
                is_start = false;
            }
            _ => {}
        }
    }
    heads
}

/// What a file of a crate uses of the crate's top modules: by `crate::`, or by as many `super::` as lead there.
fn uses(path: &str, text: &str) -> BTreeSet<String> {
    let code = code(text);
    let is_root_of_folder = path.ends_with("/mod.rs");
    let depth = path.matches('/').count() + usize::from(!is_root_of_folder);
    let mut names = names_behind("crate::", &code);
    // In a module inside a file, one `super` is the file: what it names are types, not modules.
    let above = names_behind(&"super::".repeat(depth), &code);
    names.extend(above.into_iter().filter(|name| name.starts_with(char::is_lowercase)));
    names
}

/// The order of modules that the header of `jit/src/lib.rs` gives: names inside the block of text, from left to right.
fn floors(header: &str) -> Vec<&str> {
    let lines = header.lines().filter_map(|line| line.strip_prefix("//!"));
    let block = lines.skip_while(|line| line.trim() != "```text").skip(1).take_while(|line| line.trim() != "```");
    block.flat_map(str::split_whitespace).collect()
}

#[test]
fn the_scanner_finds_what_is_used() {
    let text = "//! crate::no\nuse crate::ir::{self, Func};\nuse crate::{\n    pass::{a, b},\n    wg,\n};\n\
                fn f() { xcrate::other(); super::super::lex::g() }\n#[cfg(test)]\nuse crate::tests;\n";
    let found = uses("sema/tests/file.rs", text);
    assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), ["ir", "pass", "wg"]);
    assert!(uses("sema/file.rs", text).contains("lex"), "two folders up from a file in a folder is the crate");
    assert_eq!(floors("//! A\n//! ```text\n//! a  b\n//! c\n//! ```\n//! d"), ["a", "b", "c"]);
    assert_eq!(links("[a](b.md) `[x](y)` [c](https://d) [e](f.md#g)\n```\n[h](i)\n```\n"), ["b.md", "f.md"]);
    assert!(is_path("jit/src/lib.rs") && !is_path("jit/src/FILE.rs") && !is_path("jit") && !is_path("a/b"));
}

/// icd → runtime → jit, in the manifests; and nothing but `kernels-test` may see the tests' crate.
#[test]
fn crates_depend_downwards_only() {
    for (at, name) in CRATES.iter().enumerate() {
        let manifest = read(&root().join(name).join("Cargo.toml"));
        let used = manifest.lines().filter_map(|line| line.strip_prefix("clift-"));
        let used: Vec<String> = used.map(word_with_dash).collect();
        for other in &used {
            assert!(CRATES[..at].contains(&other.as_str()), "{name}/Cargo.toml names clift-{other}");
        }
        assert_eq!(used.len(), at.min(2), "{name}/Cargo.toml: {used:?}");
    }
}

/// The rest of a crate's name, up to the dot or blank behind it.
fn word_with_dash(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '-').collect()
}

/// Inside `jit`, a module uses what stands to its left in the header of `lib.rs`.
#[test]
fn modules_of_jit_use_what_stands_to_their_left() {
    let lib = read(&root().join("jit/src/lib.rs"));
    let floors = floors(&lib);
    let declared: BTreeSet<&str> =
        lib.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    assert_eq!(declared, floors.iter().copied().collect(), "`pub mod` and the list in the header of jit/src/lib.rs");
    let place: BTreeMap<&str, usize> = floors.iter().enumerate().map(|(place, name)| (*name, place)).collect();
    let (mut wrong, mut known, mut n_uses) = (Vec::new(), BTreeSet::new(), 0);
    for path in files() {
        let Some(path) = path.strip_prefix("jit/src/") else { continue };
        if !path.ends_with(".rs") || path == "lib.rs" || path.contains("/tests/") || path.ends_with("/tests.rs") {
            continue;
        }
        let own = word(path);
        for used in uses(path, &read(&root().join("jit/src").join(path))) {
            if used == own || RIGHT.iter().any(|(file, name, _)| *file == path && *name == used) {
                known.insert((path.to_owned(), used));
                continue;
            }
            n_uses += 1;
            match place.get(used.as_str()) {
                Some(at) if *at < place[own.as_str()] => {}
                Some(_) => wrong.push(format!("jit/src/{path} uses `{used}`, which stands to its right")),
                None => wrong.push(format!("jit/src/{path} uses `crate::{used}`, which is no module")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(n_uses > 500, "only {n_uses} uses found");
    for (file, name, _) in RIGHT {
        assert!(known.contains(&(file.to_owned(), name.to_owned())), "{file} does not use `{name}` any more");
    }
}

#[test]
fn every_source_file_has_a_header() {
    let sources: Vec<String> = files().into_iter().filter(|p| p.contains("/src/") && p.ends_with(".rs")).collect();
    assert!(sources.len() > 300, "only {} sources", sources.len());
    for path in sources {
        assert!(read(&root().join(&path)).starts_with("//! "), "{path} does not start with a header (`//!`)");
    }
}

#[test]
fn lines_and_files_are_short() {
    let (mut wrong, mut wide) = (Vec::new(), BTreeSet::new());
    for path in files().iter().filter(|path| has_ending(path, &["rs", "md", "cl", "clh", "c", "h"])) {
        let text = read(&root().join(path));
        let is_data = DATA.iter().any(|folder| path.starts_with(folder));
        for (n, line) in text.lines().enumerate().filter(|(_, line)| line.chars().count() > COLUMNS) {
            if WIDE.contains(&path.as_str()) {
                wide.insert(path.as_str().to_owned());
            } else if !is_data && !may_be_wide(path, line) {
                wrong.push(format!("{path}:{}: {} columns", n + 1, line.chars().count()));
            }
        }
        let is_long = path.ends_with(".rs") && text.lines().count() > LINES;
        if is_long != LONG.contains(&path.as_str()) {
            wrong.push(format!("{path}: {} lines", text.lines().count()));
        }
    }
    wrong.extend(WIDE.iter().filter(|path| !wide.contains(**path)).map(|path| format!("{path} is not wide any more")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Lines that cannot be broken: rows of a document's table, and what a string says.
fn may_be_wide(path: &str, line: &str) -> bool {
    if path.ends_with(".md") {
        line.trim_start().starts_with('|')
    } else {
        line.contains('"') && !line.trim_start().starts_with("//")
    }
}

/// Targets of a document's links that are files: not in code, no addresses, without what follows `#`.
fn links(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut in_code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        if in_code {
            continue;
        }
        for part in line.split('`').step_by(2).flat_map(|text| text.split("](").skip(1)) {
            let target = part.split([')', '#']).next().unwrap_or_default();
            if !target.is_empty() && !target.contains("://") {
                found.push(target);
            }
        }
    }
    found
}

/// Links of documents lead to files, and so do the paths that stand alone in code quotes.
#[test]
fn documents_name_files_that_exist() {
    let (mut wrong, mut n_links) = (Vec::new(), 0);
    for path in files().iter().filter(|path| path.ends_with(".md")) {
        let full = root().join(path);
        let text = read(&full);
        for target in links(&text) {
            n_links += 1;
            if !full.parent().expect("a file lies in a folder").join(target).exists() {
                wrong.push(format!("{path}: no file {target}"));
            }
        }
        for quoted in text.split('`').skip(1).step_by(2).filter(|quoted| is_path(quoted)) {
            if !root().join(quoted).exists() {
                wrong.push(format!("{path}: no file {quoted}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(n_links > 20, "only {n_links} links found");
}

/// Whether a quoted text is a path from the root into a crate, with no word in capitals that stands for something.
fn is_path(text: &str) -> bool {
    let first = text.split('/').next().unwrap_or_default();
    text.contains('/')
        && ["icd", "runtime", "jit", "kernels-test"].contains(&first)
        && text.chars().all(|c| c.is_alphanumeric() || "/._-".contains(c))
        && !text.as_bytes().windows(3).any(|three| three.iter().all(u8::is_ascii_uppercase))
}

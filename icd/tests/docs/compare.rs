//! What a document shows of a command's output beside what the command has printed. `…` stands for any text in a line,
//! and in a line of its own for any number of lines; addresses (`0x…`) are not compared, nor how much blank there is.

/// The first difference, or nothing.
pub fn difference(shown: &[String], printed: &str, any_numbers: bool) -> Option<String> {
    let shown: Vec<String> = shown.iter().map(|line| plain(line, any_numbers)).collect();
    let lines: Vec<String> = printed.lines().map(|line| plain(line, any_numbers)).collect();
    let mut at = 0;
    let mut may_skip = false;
    for line in &shown {
        if line == "…" {
            may_skip = true;
            continue;
        }
        let found = (at..lines.len()).find(|&i| fits(line, &lines[i]));
        match found {
            Some(i) if may_skip || i == at => at = i + 1,
            _ => return Some(format!("the document shows\n  {line}\nwhere the output, as a whole, is\n{printed}")),
        }
        may_skip = false;
    }
    (!may_skip && at < lines.len()).then(|| format!("the document does not show\n  {}", lines[at]))
}

/// A line without what is not compared.
fn plain(line: &str, any_numbers: bool) -> String {
    let words = line.split_whitespace().map(|word| match word.find("0x") {
        Some(at) => {
            let end = word[at + 2..].find(|c: char| !c.is_ascii_hexdigit()).map_or(word.len(), |end| at + 2 + end);
            format!("{}0x{}", &word[..at], &word[end..])
        }
        None => word.to_owned(),
    });
    let words: Vec<String> = words.collect();
    if !any_numbers {
        return words.join(" ");
    }
    let (mut text, mut after_number) = (Vec::new(), false);
    for word in words {
        let is_unit = ["s", "ms", "µs", "us", "k", "M", "G", "bytes"].contains(&word.trim_end_matches([',', ';']));
        let has_digits = word.starts_with(|c: char| c.is_ascii_digit());
        if has_digits {
            text.push("0".to_owned());
        } else if !(is_unit && after_number) {
            text.push(word);
        }
        after_number = has_digits;
    }
    text.join(" ")
}

/// Whether a line is what is shown of it.
fn fits(shown: &str, line: &str) -> bool {
    let mut parts = shown.split('…').map(str::trim);
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[test]
fn outputs_are_compared() {
    let is_same = |shown: &str, printed: &str, any_numbers: bool| {
        let shown: Vec<String> = shown.lines().map(str::to_owned).collect();
        difference(&shown, printed, any_numbers).is_none()
    };
    assert!(is_same("a  b\nc", "a b\nc\n", false) && !is_same("a", "b", false));
    assert!(!is_same("a", "a\nb", false) && !is_same("a\nb", "a", false) && !is_same("", "a", false));
    assert!(
        is_same("a\n…", "a\nb\nc", false) && is_same("…\nc", "a\nb\nc", false) && is_same("a\n…\nc", "a\nc", false)
    );
    assert!(!is_same("a\n…\nd", "a\nb\nc", false) && !is_same("…\nb", "a\nb\nc", false));
    assert!(is_same("at … of 3", "at 1 of 3", false) && !is_same("at … of 3", "at 1 of 4", false));
    assert!(is_same("f+0x12, g", "f+0x3456, g", false) && !is_same("f+0x12, g", "f+0x12, h", false));
    assert!(is_same("in 1.5 ms, 3 of x", "in 12 µs, 4 of x", true) && !is_same("in 1 ms", "in x", true));
    assert!(!is_same("in 1.5 ms", "in 1.6 ms", false));
}

//! What is not to be reported: a file with one rule a line, in the manner of ThreadSanitizer's, with patterns as in
//! valgrind's: `*` is any text, `?` any character.
//!
//! ```text
//! # KIND:KERNEL[:FILE[:LINE]]
//! race:scan_*
//! benign:relax
//! memory:*:blur.cl:41
//! api:clCreateBuffer
//! ```

use super::report::{Kind, Report};
use std::path::Path;

/// The rules of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules(Vec<Rule>);

/// In place of a kind: races whose both sides write the same value.
const BENIGN: &str = "benign";

/// What all of it must fit.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    /// The word of a kind, or `BENIGN`.
    kind: String,
    /// A kernel or a function that was inlined into it; for a report without a kernel, a function of the API.
    name: String,
    /// A file's path or its last part; any if there is none.
    file: Option<String>,
    /// The line's number; any if there is none.
    line: Option<String>,
}

impl Rules {
    /// Reads a file of rules.
    ///
    /// # Errors
    /// It cannot be read, or a line is no rule: the message says which.
    pub fn read(path: &Path) -> Result<Self, String> {
        Self::parse(&std::fs::read_to_string(path).map_err(|error| error.to_string())?)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let lines = text.lines().zip(1..).map(|(line, n)| (line.trim(), n));
        let rules = lines.filter(|(line, _)| !line.is_empty() && !line.starts_with('#'));
        let rule = |(line, n): (&str, u32)| Rule::parse(line).map_err(|why| format!("line {n}: {why}"));
        Ok(Self(rules.map(rule).collect::<Result<_, _>>()?))
    }

    /// Whether a rule is for this report.
    pub fn suppress(&self, report: &Report) -> bool {
        self.0.iter().any(|rule| rule.fits(report))
    }
}

impl Rule {
    fn parse(line: &str) -> Result<Self, String> {
        let (kind, rest) = line.split_once(':').ok_or("a rule is KIND:KERNEL[:FILE[:LINE]]")?;
        if kind != BENIGN && !Kind::ALL.iter().any(|known| matches(kind, known.word())) {
            return Err(format!("there is no kind `{kind}`"));
        }
        let (name, rest) = rest.split_once(':').map_or((rest, None), |(name, rest)| (name, Some(rest)));
        let is_number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || "*?".contains(c));
        let (file, line) = match rest.and_then(|rest| rest.rsplit_once(':')) {
            Some((file, line)) if is_number(line) => (Some(file), Some(line)),
            Some((_, line)) if line.starts_with(|c: char| c.is_ascii_digit()) && !line.contains(['.', '/']) => {
                return Err(format!("`{line}` is no number of a line"));
            }
            _ => (rest, None),
        };
        let [file, line] = [file, line].map(|part| part.map(str::to_owned));
        Ok(Self { kind: kind.to_owned(), name: name.to_owned(), file, line })
    }

    fn fits(&self, report: &Report) -> bool {
        let fits_kind = match self.kind == BENIGN {
            true => report.is_benign,
            false => matches(&self.kind, report.kind.word()),
        };
        fits_kind && self.fits_name(report) && self.fits_place(report)
    }

    fn fits_name(&self, report: &Report) -> bool {
        let sides = report.sides.iter();
        let functions = sides.clone().flat_map(|side| &side.places).map(|place| place.function.as_str());
        let calls = sides.filter_map(|side| side.call.as_ref()).map(|call| call.name);
        let mut names = functions.chain(calls).chain([report.kernel.as_str()]);
        names.any(|name| matches(&self.name, name))
    }

    fn fits_place(&self, report: &Report) -> bool {
        let Some(pattern) = &self.file else { return true };
        let places = report.sides.iter().flat_map(|side| &side.places);
        let fits_file = |file: &str| {
            let last = Path::new(file).file_name().map_or(file.into(), |name| name.to_string_lossy());
            matches(pattern, file) || matches(pattern, &last)
        };
        let fits_line = |line: u32| self.line.as_ref().is_none_or(|pattern| matches(pattern, &line.to_string()));
        let fits = |file: &str, line| fits_file(file) && fits_line(line);
        let mut places = places.peekable();
        if places.peek().is_none() {
            return fits("", 0);
        }
        places.any(|place| fits(&place.file, place.line))
    }
}

/// Whether a pattern is for all of a text: `*` stands for any characters, `?` for one. Takes time in proportion to the
/// product of the lengths at most.
fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut p, mut t) = (0, 0);
    // Where to go on if what stands behind the last star does not fit: there, with the star one character longer.
    let mut star = None;
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p + 1, t));
                p += 1;
            }
            Some(&c) if c == '?' || c == text[t] => (p, t) = (p + 1, t + 1),
            _ => {
                let Some((behind, from)) = star else { return false };
                star = Some((behind, from + 1));
                (p, t) = (behind, from + 1);
            }
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

#[cfg(test)]
mod tests {
    use super::super::report::{Place, Side};
    use super::*;
    use proptest::prelude::*;

    fn report(kind: Kind, kernel: &str, places: &[(&str, u32, &str)]) -> Report {
        let place = |&(file, line, function): &(&str, u32, &str)| Place {
            file: file.to_owned(),
            line,
            function: function.to_owned(),
            ..Place::default()
        };
        let side = Side { places: places.iter().map(place).collect(), ..Side::default() };
        Report { kernel: kernel.to_owned(), sides: vec![side], ..Report::new(kind, "m") }
    }

    #[test]
    fn rules_are_for_kind_name_file_and_line() {
        let report = report(Kind::Race, "relax", &[("src/sort.h", 9, "swap"), ("/k/graph.cl", 41, "relax")]);
        let fits = |rule: &str| Rules::parse(rule).expect(rule).suppress(&report);
        for rule in [
            "race:relax",
            "*:*",
            "race:re*",
            "race:swap:sort.h:9",
            "race:*:graph.cl:41",
            "race:*:/k/*.cl",
            "race:?elax:*:*",
            "ra*:relax",
            "race:*:graph.cl:4?",
            "# nothing\n\nmemory:*\n race:relax ",
        ] {
            assert!(fits(rule), "{rule}");
        }
        for rule in
            ["memory:relax", "m*:relax", "race:rela", "race:relax:graph.cl:40", "race:*:other.cl", "race:relax?", ""]
        {
            assert!(!fits(rule), "{rule}");
        }
    }

    #[test]
    fn benign_races_have_rules_of_their_own() {
        let race = report(Kind::Race, "relax", &[("graph.cl", 41, "relax")]);
        let benign = Report { is_benign: true, ..race.clone() };
        let other = report(Kind::Memory, "relax", &[("graph.cl", 41, "relax")]);
        for rule in ["benign:relax", "benign:re*:graph.cl:41"] {
            let rules = Rules::parse(rule).expect(rule);
            assert_eq!([&benign, &race, &other].map(|report| rules.suppress(report)), [true, false, false], "{rule}");
        }
        let rules = Rules::parse("benign:relax:graph.cl:40\nbenign:other").expect("rules");
        assert!(!rules.suppress(&benign));
        assert!(Rules::parse("race:relax").expect("a rule").suppress(&benign));
    }

    #[test]
    fn a_line_that_is_no_rule_is_named() {
        assert_eq!(Rules::parse("race:f\nspeed:f"), Err("line 2: there is no kind `speed`".to_owned()));
        assert_eq!(Rules::parse("rice*:f"), Err("line 1: there is no kind `rice*`".to_owned()));
        assert_eq!(Rules::parse("race:f:a.cl:2x"), Err("line 1: `2x` is no number of a line".to_owned()));
        assert_eq!(Rules::parse("race"), Err("line 1: a rule is KIND:KERNEL[:FILE[:LINE]]".to_owned()));
    }

    /// The plain way, which may take exponential time.
    fn matches_plainly(pattern: &[char], text: &[char]) -> bool {
        match (pattern, text) {
            ([], _) => text.is_empty(),
            (['*', rest @ ..], _) => (0..=text.len()).any(|n| matches_plainly(rest, &text[n..])),
            (['?', rest @ ..], [_, text @ ..]) => matches_plainly(rest, text),
            ([c, rest @ ..], [d, text @ ..]) => c == d && matches_plainly(rest, text),
            (_, []) => false,
        }
    }

    proptest! {
        #[test]
        fn patterns(pattern in "[ab?*]{0,8}", text in "[ab]{0,10}") {
            let chars = |text: &str| text.chars().collect::<Vec<_>>();
            prop_assert_eq!(matches(&pattern, &text), matches_plainly(&chars(&pattern), &chars(&text)));
        }
    }
}

//! Makes a program smaller while two drivers still differ on it: lines, blocks, statements and expressions go away, as
//! in delta debugging. What comes out must mean something still, so each candidate runs on Clift with checks first,
//! which must find nothing: no value that was never set, no access outside of an object, no race, no barrier for some.
//! Signed sums that may overflow are not seen by that.

use super::agree;
use super::child::{Job, Outcome};
use super::peer::{Peer, Setting};
use std::mem::{Discriminant, discriminant};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Programs that are tried at most.
const TRIES: u32 = 20_000;

struct Reducer {
    job: Job,
    pair: [Peer; 2],
    checked: Peer,
    /// Where the checks report.
    log: PathBuf,
    tries: u32,
    /// How the two ended first.
    kinds: Option<[Discriminant<Outcome>; 2]>,
    /// Where the smallest one so far is kept.
    to: PathBuf,
}

/// The source made smaller; what it has come to stands in `to` all the time.
///
/// Errors: the two agree on it, or the checks find a mistake in it.
pub fn reduce(job: &Job, pair: [Peer; 2], clift: Option<PathBuf>, to: &Path) -> Result<String, String> {
    let log = env::temp_dir().join(format!("clift-differ-{}.log", std::process::id()));
    let (check, file) = ("CLIFT_CHECK=memory,races,barriers,values", format!("CLIFT_CHECK_LOG={}", log.display()));
    let setting = Setting { library: clift, ..Setting::clift("checked", &[check, &file], &[""]) };
    // Of what is tried, much never ends.
    let checked = Peer::new(setting, pair[0].patience / 6);
    let mut reducer = Reducer { job: job.clone(), pair, checked, log, tries: 0, kinds: None, to: to.into() };
    let start = job.source.clone();
    let outcome = if reducer.differs(&start) {
        // What depends on features would be another program for each.
        let same = [plain(&start, false), plain(&start, true)].into_iter().find(|source| reducer.differs(source));
        Ok(reducer.shrink(same.unwrap_or(start)))
    } else {
        Err(reducer.why())
    };
    // Absent if there was no report.
    let _ = fs::remove_file(&reducer.log);
    outcome
}

/// Whether a log has a report that is no note: shifts beyond the width are defined in OpenCL C.
fn has_report(log: &Path) -> bool {
    let text = fs::read_to_string(log).unwrap_or_default();
    text.lines().filter_map(|line| line.split_once(": check: ")).any(|(_, said)| !said.starts_with("value: note: "))
}

impl Reducer {
    fn why(&self) -> String {
        match fs::read_to_string(&self.log) {
            Ok(reports) if has_report(&self.log) => format!("the program has mistakes:\n{reports}"),
            _ => "the two agree".into(),
        }
    }

    /// Whether the two differ on this, and it means something.
    fn differs(&mut self, source: &str) -> bool {
        if !sets_local_memory(source) || !returns(source) {
            return false;
        }
        self.tries += 1;
        let job = Job { source: source.into(), ..self.job.clone() };
        // The process with the checks holds it open. It is absent if there was no report yet.
        let _ = fs::OpenOptions::new().write(true).truncate(true).open(&self.log);
        let means = |peer: &mut Peer| match &peer.run_all(&job)[..] {
            [(_, outcome)] => outcome.clone(),
            _ => Outcome::Died("no answer".into()),
        };
        if !matches!(means(&mut self.checked), Outcome::Left(_)) || has_report(&self.log) {
            return false;
        }
        let [one, other] = self.pair.each_mut().map(means);
        let kinds = [&one, &other].map(discriminant);
        // The difference stays of one kind.
        *self.kinds.get_or_insert(kinds) == kinds && !agree(&one, &other)
    }

    fn shrink(&mut self, mut source: String) -> String {
        loop {
            let before = source.clone();
            for candidates in [blocks, chunks, statements, groups, calls, numbers] {
                source = self.pass(source, candidates);
                println!("{} bytes after {} tries", source.len(), self.tries);
            }
            if source == before || self.tries > TRIES {
                return source;
            }
        }
    }

    /// Takes what one kind of change makes smaller, again and again.
    fn pass(&mut self, mut source: String, candidates: fn(&str) -> Vec<String>) -> String {
        let mut at = 0;
        while self.tries <= TRIES {
            let all = candidates(&source);
            // Goes on where the last one was taken, so that nothing is tried twice in a row.
            let Some(n) = (at..all.len()).find(|&n| self.tries <= TRIES && self.differs(&all[n])) else { break };
            source = all[n].clone();
            at = n;
            if let Err(error) = fs::write(&self.to, &source) {
                println!("{}: {error}", self.to.display());
            }
        }
        source
    }
}

/// With what stands behind `#ifdef`, or behind `#else`.
fn plain(source: &str, first: bool) -> String {
    let (mut within, mut text) = (None, String::new());
    for line in source.lines() {
        match line.split_whitespace().next() {
            Some("#ifdef") => within = Some(true),
            Some("#else") => within = Some(false),
            Some("#endif") => within = None,
            _ if within.is_none_or(|part| part == first) => text = text + line + "\n",
            _ => {}
        }
    }
    text
}

/// Whether all local memory that is there gets its first values, which the checks do not look at.
fn sets_local_memory(source: &str) -> bool {
    let Some(body) = source.find("kernel void k").and_then(|at| source[at..].find('{').map(|n| &source[at + n..]))
    else {
        return false;
    };
    let names = body.match_indices("local ").filter_map(|(at, _)| {
        let mut words = body[at..].split([' ', '[', ';', '*', ')']).skip(1);
        let ty = words.next().filter(|ty| ["S0", "atomic_uint"].contains(ty));
        ty.and(words.next())
    });
    let set = |name: &str| {
        [format!("{name}[lid] = "), format!("atomic_init(&{name}, ")].iter().any(|text| body.contains(text))
    };
    (!body.contains("tile") || set("tile")) && names.into_iter().all(set)
}

/// Whether the functions that have a result still return one, which the checks do not look at.
fn returns(source: &str) -> bool {
    let lines: Vec<&str> = source.lines().collect();
    let has_result = |line: &str| {
        let is_function = line.contains(") {") && !line.starts_with([' ', '#', '{', '}']);
        is_function && !["kernel ", "typedef ", "void "].iter().any(|word| line.contains(word))
    };
    let returns = |(from, line): (usize, &&str)| {
        let body = lines[from..].iter().take_while(|line| !line.starts_with('}'));
        let n = if line.ends_with('}') { 1 } else { body.count() };
        lines[from..from + n].iter().any(|line| line.contains("return"))
    };
    lines.iter().enumerate().filter(|(_, line)| has_result(line)).all(returns)
}

fn without(lines: &[&str], from: usize, to: usize) -> String {
    [&lines[..from], &lines[to..]].concat().join("\n") + "\n"
}

fn depth(text: &str) -> i32 {
    text.bytes().map(|b| i32::from(b == b'{') - i32::from(b == b'}')).sum()
}

/// Without some lines, many first.
fn chunks(source: &str) -> Vec<String> {
    let lines: Vec<&str> = source.lines().collect();
    let mut all = Vec::new();
    let mut size = lines.len() / 2;
    while size > 0 {
        let step = (size / 2).max(1);
        for from in (0..=lines.len() - size).rev().step_by(step) {
            if depth(&lines[from..from + size].concat()) == 0 {
                all.push(without(&lines, from, from + size));
            }
        }
        size /= 2;
    }
    all
}

/// Without a block, or without what is around it.
fn blocks(source: &str) -> Vec<String> {
    let lines: Vec<&str> = source.lines().collect();
    let mut all = Vec::new();
    for from in 0..lines.len() {
        if depth(lines[from]) != 1 {
            continue;
        }
        let mut open = 0;
        let end = (from..lines.len()).find(|&n| {
            open += depth(lines[n]);
            open == 0 || n > from && lines[n].starts_with('}') && open <= 1
        });
        let Some(end) = end else { continue };
        all.push(without(&lines, from, end + 1));
        let bare = [&lines[..from], &["{"], &lines[from + 1..]].concat().join("\n") + "\n";
        if lines[from].trim() != "{" {
            all.push(bare);
        }
        all.push([&lines[..from], &lines[from + 1..end], &lines[end + 1..]].concat().join("\n") + "\n");
    }
    all
}

/// Without one of the statements of a line.
fn statements(source: &str) -> Vec<String> {
    let ends: Vec<usize> = source.match_indices(';').map(|(at, _)| at).collect();
    let starts = |end: usize| source[..end].rfind([';', '{', '}', '\n']).map_or(0, |at| at + 1);
    ends.iter().rev().map(|&end| format!("{}{}", &source[..starts(end)], &source[end + 1..])).collect()
}

/// Where the parenthesis, bracket or brace at `from` closes.
fn close(source: &str, from: usize) -> Option<usize> {
    let mut open = 0;
    source[from..]
        .bytes()
        .position(|b| {
            open += i32::from(b == b'(') - i32::from(b == b')');
            open == 0
        })
        .map(|n| from + n)
}

/// Parts of a text at depth 0 between commas.
fn parts(text: &str) -> Vec<&str> {
    let (mut open, mut start, mut all) = (0, 0, Vec::new());
    for (at, b) in text.bytes().enumerate() {
        open += i32::from(matches!(b, b'(' | b'[' | b'{')) - i32::from(matches!(b, b')' | b']' | b'}'));
        if b == b',' && open == 0 {
            all.push(&text[start..at]);
            start = at + 1;
        }
    }
    all.push(&text[start..]);
    all
}

/// Whether this stands in parentheses as a type.
fn is_type(text: &str) -> bool {
    let name = text.trim_end_matches(|c: char| c.is_ascii_digit());
    ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double", "size_t"]
        .contains(&name)
}

/// With something simpler for what stands in parentheses.
fn groups(source: &str) -> Vec<String> {
    let mut all = Vec::new();
    for (from, _) in source.match_indices('(') {
        let Some(end) = close(source, from) else { continue };
        let inner = &source[from + 1..end];
        let before = source[..from].chars().next_back().unwrap_or(' ');
        if is_type(inner) || before.is_alphanumeric() || before == '_' || inner.len() < 2 {
            continue;
        }
        let mut put = |text: &str| all.push(format!("{}{text}{}", &source[..from], &source[end + 1..]));
        put("0");
        put("1");
        // Operands of an operator with blanks around it.
        let mut open = 0;
        for (at, b) in inner.bytes().enumerate() {
            open += i32::from(matches!(b, b'(' | b'[')) - i32::from(matches!(b, b')' | b']'));
            if b == b' ' && open == 0 {
                let (left, right) = (&inner[..at], &inner[at + 1..]);
                let ends = |text: &str| text.ends_with(|c: char| c.is_alphanumeric() || ")]_".contains(c));
                let starts = |text: &str| text.starts_with(|c: char| c.is_alphanumeric() || "(_~!+-".contains(c));
                if ends(left) {
                    put(&format!("({left})"));
                }
                if starts(right) {
                    put(&format!("({right})"));
                }
            }
        }
    }
    all
}

/// With an argument of a call for the call.
fn calls(source: &str) -> Vec<String> {
    let mut all = Vec::new();
    for (from, _) in source.match_indices('(') {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let start = source[..from].rfind(|c| !word(c)).map_or(0, |at| at + 1);
        let Some(end) = close(source, from) else { continue };
        if start < from && !["if", "while", "for", "switch", "void", "k"].contains(&&source[start..from]) {
            for part in parts(&source[from + 1..end]).into_iter().chain(["0", "1"]) {
                all.push(format!("{}({}){}", &source[..start], part.trim(), &source[end + 1..]));
            }
        } else if start == from && source[..from].ends_with(')') {
            // A cast goes away.
            let Some(open) = source[..from - 1].rfind('(') else { continue };
            if is_type(&source[open + 1..from - 1]) && parts(&source[from + 1..end]).len() == 1 {
                all.push(format!("{}{}", &source[..open], &source[from..]));
            }
        }
    }
    all
}

/// With 0 or 1 for a number.
fn numbers(source: &str) -> Vec<String> {
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let mut all = Vec::new();
    let mut from = 0;
    while let Some(start) = source[from..].find(word).map(|at| from + at) {
        let end = source[start..].find(|c| !word(c)).map_or(source.len(), |at| start + at);
        let text = &source[start..end];
        if text.starts_with(|c: char| c.is_ascii_digit()) && text != "0" && text != "1" {
            for number in ["0", "1"] {
                all.push(format!("{}{number}{}", &source[..start], &source[end..]));
            }
        }
        from = end;
    }
    all
}

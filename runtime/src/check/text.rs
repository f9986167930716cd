//! Reports as text, in the form of a compiler's messages.

use super::report::{Item, Place, Report, Side, position};
use super::sink::Sums;
use clift_jit::diag::excerpt;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Work-items that are named; of the rest only the number.
const MAX_ITEMS: usize = 4;
/// Calls of a chain that are named at each end.
const MAX_CALLS: usize = 8;

/// A report with everything that is known.
pub(super) fn render(report: &Report) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{}: check: {}: {}", report.head(), report.word(), one_line(&report.message));
    if !report.kernel.is_empty() {
        let program = if report.program > 0 { format!(" of program {}", report.program) } else { String::new() };
        let _ = writeln!(out, "  kernel: `{}`{program}", report.kernel);
    }
    for (n, side) in report.sides.iter().enumerate() {
        self::side(&mut out, side, n, report);
    }
    if let Some(object) = &report.object {
        let _ = writeln!(out, "  object: {object}");
    }
    if let Some(offset) = report.offset {
        let _ = writeln!(out, "  offset: {offset}{}", relation(report, offset));
    }
    for note in &report.notes {
        let _ = writeln!(out, "  note: {}", one_line(note));
    }
    out
}

/// How an offset stands to its object.
fn relation(report: &Report, offset: i64) -> String {
    let Some(object) = &report.object else { return String::new() };
    let bytes = |n: i64| format!("{n} byte{}", if n == 1 { "" } else { "s" });
    match offset - object.size as i64 {
        _ if offset < 0 => format!(", {} in front of its start", bytes(-offset)),
        0 => ", at its end".to_owned(),
        behind if behind > 0 => format!(", {} behind its end", bytes(behind)),
        _ => String::new(),
    }
}

fn side(out: &mut String, side: &Side, n: usize, report: &Report) {
    let is_first = n == 0;
    if !is_first {
        let at = match (side.places.first(), &side.call) {
            (Some(place), _) => position(place, report.program) + ": ",
            (None, Some(call)) => format!("{}: ", call.name),
            (None, None) => String::new(),
        };
        let _ = writeln!(out, "{at}check: {}: the other side: {}", report.word(), one_line(&side.label));
    }
    if let Some(place) = side.places.first() {
        snippet(out, place);
    }
    chain(out, side, report);
    if let Some(call) = &side.call {
        let _ = writeln!(out, "  call: {call}");
    }
    for item in side.items.iter().take(MAX_ITEMS) {
        let _ = writeln!(out, "  work-item: {}", shown(item));
    }
    if side.items.len() > MAX_ITEMS {
        let _ = writeln!(out, "  and {} more work-items", side.items.len() - MAX_ITEMS);
    }
}

/// The calls that were inlined, innermost first.
fn chain(out: &mut String, side: &Side, report: &Report) {
    let calls = side.places.len().saturating_sub(1);
    for (n, pair) in side.places.windows(2).enumerate() {
        if calls > 2 * MAX_CALLS && (MAX_CALLS..calls - MAX_CALLS).contains(&n) {
            if n == MAX_CALLS {
                let _ = writeln!(out, "  and {} more calls", calls - 2 * MAX_CALLS);
            }
            continue;
        }
        let [inner, outer] = pair else { continue };
        let at = position(outer, report.program);
        let _ = writeln!(out, "{at}: check: {}: in `{}`, called here", report.word(), inner.function);
        snippet(out, outer);
    }
}

/// The line, with carets. All of it is meant if nobody knows the column.
fn snippet(out: &mut String, place: &Place) {
    let text = place.text.trim();
    if place.line == 0 || text.is_empty() {
        return;
    }
    let blanks = place.text.chars().take_while(|c| c.is_whitespace()).count() as u32;
    let (column, width) = match place.column {
        0 => (blanks + 1, text.chars().count() as u32),
        column => (column, place.width),
    };
    out.push_str(&excerpt(&place.text, place.line, column, width));
}

/// `global id (5, 0, 0), local id (1, 0, 0) in group (1, 0, 0)`.
fn shown(item: &Item) -> String {
    let id = |[x, y, z]: [u64; 3]| format!("({x}, {y}, {z})");
    format!("global id {}, local id {} in group {}", id(item.global), id(item.local), id(item.group))
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// The last line.
pub(super) fn sums(out: &mut impl Write, sums: &Sums) -> io::Result<()> {
    let s = |n: u64| if n == 1 { "" } else { "s" };
    let (sites, found) = (sums.sites, sums.found);
    write!(out, "clift: check: {sites} report{}", s(sites))?;
    if found > sites {
        write!(out, ", found {found} times")?;
    }
    if sums.notes > 0 {
        write!(out, ", {} note{}", sums.notes, s(sums.notes))?;
    }
    if sums.suppressed > 0 {
        write!(out, ", {} suppressed", sums.suppressed)?;
    }
    if sums.beyond > 0 {
        write!(out, ", {} findings beyond the most that are kept", sums.beyond)?;
    }
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use super::super::Kind;
    use super::super::json;
    use super::super::objects::{Object, What};
    use super::*;

    fn report() -> Report {
        let place = |line, column, width, text: &str, function: &str| Place {
            file: "a.cl".to_owned(),
            line,
            column,
            width,
            text: text.to_owned(),
            function: function.to_owned(),
        };
        let inner = place(2, 12, 4, "    return p[i];", "at");
        let outer = place(7, 10, 8, "    b[i] = at(a, i);", "f");
        let item = Item { global: [100, 0, 0], local: [4, 0, 0], group: [6, 0, 0] };
        let side = Side { places: vec![inner, outer], items: vec![item], ..Side::default() };
        Report {
            kernel: "f".to_owned(),
            program: 1,
            sides: vec![side],
            object: Some(Object::named(What::Local, "a", 400)),
            offset: Some(404),
            notes: vec!["a \"note\"\n".to_owned()],
            ..Report::new(Kind::Memory, "read of 4 bytes behind the end of `a`")
        }
    }

    #[test]
    fn a_report_reads_like_a_compilers() {
        let expected = "\
a.cl:2:12: check: memory: read of 4 bytes behind the end of `a`
  kernel: `f` of program 1
2 |     return p[i];
  |            ^^^^
a.cl:7:10: check: memory: in `at`, called here
7 |     b[i] = at(a, i);
  |          ^^^^^^^^
  work-item: global id (100, 0, 0), local id (4, 0, 0) in group (6, 0, 0)
  object: `a`, local memory of 400 bytes
  offset: 404, 4 bytes behind its end
  note: a \"note\" \n";
        assert_eq!(render(&report()), expected);
        let mut nameless = report();
        nameless.sides[0].places.iter_mut().for_each(|place| place.file.clear());
        assert!(render(&nameless).starts_with("program 1:2:12: check: memory: "));
        // As of a call in a module.
        let mut columnless = report();
        columnless.sides[0].places[1].column = 0;
        let text = render(&columnless);
        let call = "a.cl:7: check: memory: in `at`, called here\n7 |     b[i] = at(a, i);\n  |     ^^^^^^^^^^^^^^^^\n";
        assert!(text.contains(call), "{text}");
    }

    #[test]
    fn notes_say_that_they_are() {
        let note = Report { is_note: true, kind: Kind::Value, ..report() };
        let text = render(&note);
        assert!(text.starts_with("a.cl:2:12: check: value: note: read of 4 bytes"), "{text}");
        assert!(text.contains("a.cl:7:10: check: value: note: in `at`, called here"), "{text}");
        let line = json::line(&note);
        assert!(line.starts_with("{\"type\":\"report\",\"kind\":\"value\",\"note\":true,"), "{line}");
        assert!(!json::line(&report()).contains("\"note\":"));
    }

    #[test]
    fn notes_are_summed_up_by_themselves() {
        let shown = |sums: &Sums| {
            let mut out = Vec::new();
            self::sums(&mut out, sums).expect("a vector takes all");
            String::from_utf8(out).expect("text")
        };
        let only = Sums { notes: 1, ..Sums::default() };
        assert_eq!(shown(&only), "clift: check: 0 reports, 1 note\n");
        let both = Sums { sites: 1, found: 4, notes: 2, suppressed: 3, ..Sums::default() };
        assert_eq!(shown(&both), "clift: check: 1 report, found 4 times, 2 notes, 3 suppressed\n");
    }

    #[test]
    fn a_report_is_a_line_of_json() {
        let line = json::line(&report());
        let expected = "{\"type\":\"report\",\"kind\":\"memory\",\
            \"message\":\"read of 4 bytes behind the end of `a`\",\"kernel\":\"f\",\"program\":1,\
            \"sides\":[{\"places\":[";
        assert!(line.starts_with(expected), "{line}");
        let end = "\"object\":{\"what\":\"local memory\",\"name\":\"a\",\"size\":400},\"offset\":404,\
            \"notes\":[\"a \\\"note\\\"\\n\"]}";
        assert!(line.ends_with(end), "{line}");
    }
}

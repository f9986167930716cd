//! A profile as one page that needs nothing else: a table with bars, and a time line with a row for each thread, drawn
//! here so that the page has no program in it. Slices narrower than a pixel are merged.

use super::read::{Gap, Row, Slice, Summary};
use super::text::{count, large, notes, time};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Of the time line, in pixels.
const WIDTH: f64 = 1160.0;
const LEFT: f64 = 130.0;
const ROW: f64 = 30.0;
const TICKS: usize = 8;

/// Colours of commands, most time first; others are grey.
const COLOURS: &[&str] =
    &["#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#3ca951", "#ff8ab7", "#a463f2", "#97bbf5", "#9c6b4e"];
const OTHER: &str = "#9498a0";
const BUILD: &str = "#c9b7e8";
const WAIT: &str = "#e3e6ea";

const STYLE: &str = "body{font:14px/1.45 system-ui,sans-serif;margin:28px auto;max-width:1240px;padding:0 20px;\
color:#1f2328;background:#fff}h1{font-size:22px;margin:0 0 2px}h2{font-size:16px;margin:26px 0 8px}\
.sub{color:#59636e;margin:0 0 18px}.cards{display:flex;gap:12px;flex-wrap:wrap}.card{border:1px solid #d8dee4;\
border-radius:8px;padding:10px 16px;min-width:120px}.card b{display:block;font-size:19px;font-weight:600}\
.card span{color:#59636e;font-size:12px}table{border-collapse:collapse;width:100%}\
th{font-weight:600;color:#59636e;font-size:12px;border-bottom:1px solid #d8dee4}\
td,th{padding:5px 9px;text-align:right;white-space:nowrap}td:first-child,th:first-child{text-align:left;\
white-space:normal;overflow-wrap:anywhere}tr+tr td{border-top:1px solid #eef0f2}.bar{display:inline-block;height:9px;\
border-radius:2px;vertical-align:1px;margin-right:7px}.track{display:inline-block;width:130px;text-align:left}\
.dot{display:inline-block;width:10px;height:10px;border-radius:2px;margin-right:7px}\
.why{color:#59636e;font-size:12px;margin:2px 0}code{font:12px ui-monospace,monospace}\
svg text{font:11px system-ui,sans-serif;fill:#59636e}.legend{color:#59636e;font-size:12px;margin:6px 0}\
.legend span{margin-right:16px;white-space:nowrap}.note{color:#59636e;font-size:12px;margin:3px 0}";

/// Text that means itself in HTML.
fn escaped(text: &str) -> String {
    let escape = |c: char| match c {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '"' => "&quot;".to_owned(),
        c if c.is_control() => "\u{fffd}".to_owned(),
        c => c.to_string(),
    };
    text.chars().map(escape).collect()
}

/// The whole page.
pub fn page(summary: &Summary) -> String {
    let rows: Vec<&Row> = summary.rows.iter().filter(|row| row.count > 0).collect();
    let colour = |name: &str| {
        let at = rows.iter().position(|row| row.name == name);
        at.and_then(|at| COLOURS.get(at)).copied().unwrap_or(OTHER)
    };
    let mut out = String::from("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
    let program = escaped(&summary.program);
    write!(out, "<title>{program}: profile</title><style>{STYLE}</style></head><body>").expect("a string");
    write!(out, "<h1>{program}</h1><p class=\"sub\">commands on Clift</p><div class=\"cards\">").expect("a string");
    let kernels = rows.iter().filter(|row| row.is_kernel);
    let launches: u64 = kernels.clone().map(|row| row.count).sum();
    let busy: f64 = rows.iter().map(|row| row.total).sum();
    for (value, what) in [
        (time(summary.span), "first to last event"),
        (time(busy), "in commands"),
        (time(summary.idle), "between commands"),
        (format!("{launches}"), "launches"),
        (format!("{}", kernels.count()), "kernels"),
        (time(summary.builds.1), "builds"),
        (format!("{}B/s", large(summary.bandwidth)), "copy bandwidth"),
    ] {
        write!(out, "<div class=\"card\"><b>{value}</b><span>{what}</span></div>").expect("a string");
    }
    out += "</div><h2>Commands</h2><table><tr><th>command</th><th>share</th><th>count</th><th>total</th>\
            <th>median</th><th>items/s</th><th>bytes/s</th><th>of copy</th><th>lanes</th><th>code made in</th></tr>";
    rows.iter().for_each(|row| table_row(&mut out, row, colour(&row.name), summary.bandwidth));
    out += "</table><h2>Time line</h2>";
    time_line(&mut out, summary, &colour);
    legend(&mut out, &rows, &colour);
    if !summary.gaps.is_empty() {
        out += "<h2>Widest gaps between commands</h2><table><tr><th>between</th><th>at</th><th>took</th></tr>";
        for Gap { begun, took, before, after } in &summary.gaps {
            let (before, after) = (escaped(before), escaped(after));
            let (at, took) = (time(*begun), time(*took));
            write!(out, "<tr><td>{before} → {after}</td><td>{at}</td><td>{took}</td></tr>").expect("a string");
        }
        out += "</table>";
    }
    out += "<h2>Notes</h2>";
    for note in notes(summary) {
        write!(out, "<p class=\"note\">{}</p>", escaped(&note)).expect("a string");
    }
    out += "</body></html>\n";
    out
}

fn table_row(out: &mut String, row: &Row, colour: &str, bandwidth: f64) {
    let or = |is: bool, text: String| if is { text } else { String::new() };
    let remarks: String =
        row.remarks.iter().map(|why| format!("<p class=\"why\"><code>{}</code></p>", escaped(why))).collect();
    write!(
        out,
        "<tr><td><span class=\"dot\" style=\"background:{colour}\"></span>{}{remarks}</td><td><span class=\"track\">\
         <span class=\"bar\" style=\"width:{:.0}px;background:{colour}\"></span>{:.1} %</span></td>",
        escaped(&row.name),
        (80.0 * row.share).max(1.0),
        100.0 * row.share
    )
    .expect("a string");
    for cell in [
        count(row),
        time(row.total),
        time(row.median()),
        or(row.is_kernel, large(row.rate(row.items))),
        or(row.bytes > 0.0, large(row.rate(row.bytes))),
        or(row.bytes > 0.0, format!("{:.0} %", 100.0 * row.rate(row.bytes) / bandwidth)),
        row.lanes().map_or(String::new(), |lanes| lanes.to_string()),
        or(row.is_kernel, time(row.build)),
    ] {
        write!(out, "<td>{cell}</td>").expect("a string");
    }
    *out += "</tr>";
}

/// What is drawn of a slice: its colour, and how far from its row's edges; nothing of what others show.
fn look<'a>(slice: &Slice, colour: &impl Fn(&str) -> &'a str) -> Option<(&'a str, f64)> {
    match slice.category.as_str() {
        "command" => Some((colour(&slice.name), 4.0)),
        "share" | "part" => Some((colour(&slice.name), 9.0)),
        "build" => Some((BUILD, 6.0)),
        "wait" => Some((WAIT, 2.0)),
        _ => None,
    }
}

fn time_line<'a>(out: &mut String, summary: &Summary, colour: &impl Fn(&str) -> &'a str) {
    let mut threads: BTreeMap<(u64, u64), Vec<&Slice>> = BTreeMap::new();
    for slice in summary.slices.iter().filter(|slice| look(slice, colour).is_some()) {
        threads.entry(slice.thread).or_default().push(slice);
    }
    let has_more = threads.keys().any(|thread| Some(thread.0) != threads.keys().next().map(|first| first.0));
    let height = ROW * threads.len() as f64 + 24.0;
    let scale = (WIDTH - LEFT - 10.0) / summary.span.max(1e-3);
    write!(out, "<svg width=\"100%\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"time line\">")
        .expect("a string");
    for tick in 0..=TICKS {
        let us = summary.span * tick as f64 / TICKS as f64;
        let (x, bottom) = (LEFT + us * scale, height - 20.0);
        let anchor = if tick == TICKS { "end" } else { "middle" };
        write!(
            out,
            "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"0\" y2=\"{bottom}\" stroke=\"#eef0f2\"/>\
             <text x=\"{x:.1}\" y=\"{:.0}\" text-anchor=\"{anchor}\">{}</text>",
            height - 6.0,
            time(us)
        )
        .expect("a string");
    }
    for (row, (thread, slices)) in threads.iter().enumerate() {
        let y = ROW * row as f64;
        let name = summary.threads.get(thread).map_or("", String::as_str);
        let name = if has_more { format!("{}: {name}", thread.0) } else { name.to_owned() };
        write!(out, "<text x=\"0\" y=\"{:.0}\">{}</text>", y + 19.0, escaped(&name)).expect("a string");
        // In the order in which they lie over each other.
        for layer in ["wait", "build", "command", "part", "share"] {
            draw(out, slices.iter().filter(|slice| slice.category == layer), y, scale, colour);
        }
    }
    *out += "</svg>";
}

/// Draws slices of one layer; what is narrower than a pixel joins its neighbour of the same colour.
fn draw<'a, 'b>(
    out: &mut String,
    slices: impl Iterator<Item = &'b &'b Slice>,
    y: f64,
    scale: f64,
    colour: &impl Fn(&str) -> &'a str,
) {
    let mut last: Option<(f64, f64, &str, f64, String)> = None;
    let mut put = |(from, to, fill, inset, title): (f64, f64, &str, f64, String)| {
        let (width, height) = ((to - from).max(0.7), ROW - 2.0 * inset);
        write!(
            out,
            "<rect x=\"{from:.1}\" y=\"{:.0}\" width=\"{width:.1}\" height=\"{height:.0}\" fill=\"{fill}\" \
             stroke=\"#fff\" stroke-width=\"{}\"><title>{title}</title></rect>",
            y + inset,
            if width > 3.0 { 0.5 } else { 0.0 }
        )
        .expect("a string");
    };
    for slice in slices {
        let Some((fill, inset)) = look(slice, colour) else { continue };
        let (from, to) = (LEFT + slice.begun * scale, LEFT + (slice.begun + slice.took) * scale);
        if let Some((begun, end, before, ..)) = &mut last
            && from - *end < 0.5
            && (*before == fill && to - from < 1.0 || to - *begun < 0.7)
        {
            *end = end.max(to);
            continue;
        }
        let title = format!("{}: {} at {}", escaped(&slice.name), time(slice.took), time(slice.begun));
        if let Some(done) = last.replace((from, to, fill, inset, title)) {
            put(done);
        }
    }
    last.into_iter().for_each(put);
}

fn legend<'a>(out: &mut String, rows: &[&Row], colour: &impl Fn(&str) -> &'a str) {
    let commands = rows.iter().take(COLOURS.len()).map(|row| (escaped(&row.name), colour(&row.name)));
    let others = (rows.len() > COLOURS.len()).then(|| ("other commands".to_owned(), OTHER));
    let rest = [("builds".to_owned(), BUILD), ("the program waits".to_owned(), WAIT)];
    *out += "<p class=\"legend\">";
    for (name, colour) in commands.chain(others).chain(rest) {
        write!(out, "<span><span class=\"dot\" style=\"background:{colour};margin-right:5px\"></span>{name}</span>")
            .expect("a string");
    }
    *out += "<br>Each row is a thread. Bars are commands; narrower ones in them or on other threads are shares of \
             their work-groups or bytes. Point at one to see what it is.</p>";
}

//! A profile as text for people, and as JSON for programs.

use super::read::{Gap, Row, Summary};
use serde_json::{Value, json};
use std::fmt::Write;

/// A time of so many microseconds.
pub fn time(us: f64) -> String {
    match us {
        _ if us >= 1e6 => format!("{:.3} s", us / 1e6),
        _ if us >= 1e3 => format!("{:.3} ms", us / 1e3),
        _ => format!("{us:.2} µs"),
    }
}

/// A number with a letter for thousands, millions and so on.
pub fn large(n: f64) -> String {
    match n {
        _ if n >= 1e12 => format!("{:.2} T", n / 1e12),
        _ if n >= 1e9 => format!("{:.2} G", n / 1e9),
        _ if n >= 1e6 => format!("{:.2} M", n / 1e6),
        _ if n >= 1e3 => format!("{:.2} k", n / 1e3),
        _ => format!("{n:.0}"),
    }
}

/// How many there were, with a sign if it was not noted of each how long it took.
pub fn count(row: &Row) -> String {
    let sign = if row.count > row.times.len() as u64 { "~" } else { "" };
    format!("{sign}{}", row.count)
}

/// Notes on how to read the numbers.
pub fn notes(summary: &Summary) -> Vec<String> {
    let mut notes = vec![format!(
        "bandwidth: bytes of the buffers that a launch has, or that a transfer moves, by its time; a copy reads and \
         writes {}B/s here",
        large(summary.bandwidth)
    )];
    if summary.is_sampled {
        notes.push("~: of many short launches some were timed; their total is estimated from these".into());
    }
    if summary.is_full {
        notes.push("the trace is full: what came later is not in it (--max-bytes)".into());
    }
    notes
}

/// The summary as lines of text.
pub fn table(summary: &Summary) -> String {
    let mut out = String::new();
    let mut line = |text: String| writeln!(out, "{}", text.trim_end()).expect("a string takes all");
    let (n, built) = summary.builds;
    let plural = if n == 1 { "" } else { "s" };
    line(format!(
        "clift: {}: {}, {} of them between commands; {n} build{plural} in {}",
        summary.program,
        time(summary.span),
        time(summary.idle),
        time(built)
    ));
    let mut rows = vec![
        ["command", "count", "total", "median", "share", "items/s", "bytes/s", "of copy", "lanes", "code made in"]
            .map(str::to_owned),
    ];
    for row in summary.rows.iter().filter(|row| row.count > 0) {
        let or = |is: bool, text: String| if is { text } else { String::new() };
        rows.push([
            row.name.chars().filter(|c| !c.is_control()).take(48).collect(),
            count(row),
            time(row.total),
            time(row.median()),
            format!("{:.1} %", 100.0 * row.share),
            or(row.is_kernel, large(row.rate(row.items))),
            or(row.bytes > 0.0, large(row.rate(row.bytes))),
            or(row.bytes > 0.0, format!("{:.0} %", 100.0 * row.rate(row.bytes) / summary.bandwidth)),
            row.lanes().map_or(String::new(), |lanes| lanes.to_string()),
            or(row.is_kernel, time(row.build)),
        ]);
    }
    let widths: Vec<usize> =
        (0..rows[0].len()).map(|i| rows.iter().map(|row| row[i].chars().count()).max().unwrap_or(0)).collect();
    for row in rows {
        let cells = row.iter().zip(&widths).enumerate();
        let padded = cells.map(|(i, (cell, &width))| match i {
            0 => format!("{cell:<width$}"),
            _ => format!("  {cell:>width$}"),
        });
        line(padded.collect());
    }
    for row in summary.rows.iter().filter(|row| row.count > 0) {
        for remark in &row.remarks {
            line(format!("{}: {remark}", row.name));
        }
    }
    for Gap { begun, took, before, after } in &summary.gaps {
        line(format!("gap of {} at {}, between {before} and {after}", time(*took), time(*begun)));
    }
    notes(summary).into_iter().for_each(&mut line);
    out
}

/// The summary as JSON. Times are in microseconds.
pub fn json(summary: &Summary) -> String {
    let row = |row: &Row| -> Value {
        json!({
            "name": row.name, "kernel": row.is_kernel, "count": row.count, "timed": row.times.len(),
            "total_us": row.total, "median_us": row.median(), "share": row.share,
            "items_per_second": row.is_kernel.then(|| row.rate(row.items)).filter(|rate| rate.is_finite()),
            "bytes": row.bytes, "bytes_per_second": Some(row.rate(row.bytes)).filter(|rate| rate.is_finite()),
            "lanes": row.lanes(), "remarks": row.remarks, "code_us": row.build,
        })
    };
    let gap = |gap: &Gap| json!({"begun_us": gap.begun, "us": gap.took, "before": gap.before, "after": gap.after});
    let value = json!({
        "program": summary.program, "span_us": summary.span, "idle_us": summary.idle,
        "builds": summary.builds.0, "builds_us": summary.builds.1,
        "copy_bytes_per_second": summary.bandwidth,
        "sampled": summary.is_sampled, "full": summary.is_full,
        "commands": summary.rows.iter().map(row).collect::<Vec<_>>(),
        "gaps": summary.gaps.iter().map(gap).collect::<Vec<_>>(),
    });
    format!("{value:#}")
}

//! All of a run as one page of HTML that needs nothing else: who took part and on what machine, means, the chart, and
//! every figure.

use std::fmt::Write;
use std::{env, fs, thread};

use crate::chart;
use crate::child::Outcome;
use crate::rows::{Group, ROWS};
use crate::table::{Clock, Report, digits};

const STYLE: &str = "body{font:14px/1.45 system-ui,sans-serif;margin:28px auto;max-width:1240px;padding:0 20px;\
color:#1f2328;background:#fff}h1{font-size:22px;margin:0 0 2px}h2{font-size:17px;margin:30px 0 8px}\
.sub{color:#59636e;margin:0 0 18px}table{border-collapse:collapse}td,th{padding:3px 9px;text-align:right;\
white-space:nowrap;font-variant-numeric:tabular-nums}th{font-weight:600;color:#59636e;font-size:12px;\
vertical-align:bottom}thead tr:last-child th{border-bottom:1px solid #d8dee4}td:first-child,th:first-child{\
text-align:left;padding-left:0}tr+tr td{border-top:1px solid #eef0f2}.first{border-left:1px solid #d8dee4}\
.facts td:nth-child(2){text-align:left;white-space:normal}.mean td{font-weight:600}.more{background:#e4f4e8}\
.less{background:#fdeaea}.failed{color:#b3261e}.scroll{overflow-x:auto}svg{max-width:100%;height:auto}";

/// What the page says of the run beside its results.
pub struct Run {
    /// How often the drivers took turns.
    pub rounds: usize,
    /// Whether processor time is shown as well.
    pub has_processor: bool,
    /// `/proc/loadavg` when it began.
    pub load: String,
}

/// Text that means itself in HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The page.
pub fn page(report: &Report, run: &Run) -> String {
    let first = escaped(report.drivers.first().map_or("", |driver| &driver.name));
    let clock = if run.has_processor { Clock::Processor } else { Clock::Wall };
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{first}: kernels</title>\
         <style>{STYLE}</style></head><body><h1>The speed of {first}</h1><p class=\"sub\">Ratios are the other's time \
         by {first}'s in this run: above 1, {first} is faster.</p>"
    );
    out += &facts(report, run);
    let _ = write!(out, "<h2>Geometric means</h2>{}<p>{}</p>", means(report, run), escaped(&report.tuning()));
    let what = if run.has_processor { "processor time" } else { "time" };
    let _ = write!(out, "<h2>The chart, by {what}</h2>{}", chart::draw(report, clock));
    for group in report.groups() {
        let tuned = if group.is_tuned() { "" } else { ": the passes were not tuned on these" };
        let _ = write!(out, "<h2>{group:?}{tuned}</h2><div class=\"scroll\">{}</div>", figures(report, run, group));
    }
    out + "</body></html>\n"
}

/// A table of two columns: the drivers, the machine, the run.
fn facts(report: &Report, run: &Run) -> String {
    let mut rows: Vec<(String, String)> = report
        .drivers
        .iter()
        .map(|driver| (driver.name.clone(), format!("{}, {}", driver.version, driver.device)))
        .collect();
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let field = |text: &str, key: &str| {
        let line = text.lines().find(|line| line.starts_with(key));
        line.and_then(|line| line.split_once(':')).map(|(_, value)| value.trim().to_owned()).unwrap_or_default()
    };
    let cpuinfo = read("/proc/cpuinfo");
    let n_cpus = thread::available_parallelism().map_or(1, usize::from);
    let mut add = |name: &str, value: String| {
        if !value.trim().is_empty() {
            rows.push((name.to_owned(), value.trim().to_owned()));
        }
    };
    add("processor", format!("{} ({}), {n_cpus} of its CPUs", field(&cpuinfo, "model name"), env::consts::ARCH));
    let flags = field(&cpuinfo, "flags");
    let kept =
        flags.split_whitespace().filter(|flag| ["avx", "fma", "f16c"].iter().any(|start| flag.starts_with(start)));
    add("instructions", kept.collect::<Vec<_>>().join(" "));
    let cache = |index: usize| {
        let part = |name: &str| read(&format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{name}"));
        let (level, size) = (part("level"), part("size"));
        (part("type").trim() != "Instruction" && !size.is_empty()).then(|| format!("L{} {}", level.trim(), size.trim()))
    };
    add("caches of a CPU", (0..5).filter_map(cache).collect::<Vec<_>>().join(", "));
    let kib: Option<u64> = field(&read("/proc/meminfo"), "MemTotal").split(' ').next().and_then(|n| n.parse().ok());
    add("memory", kib.map(|kib| format!("{:.1} GiB", kib as f64 / f64::from(1 << 20))).unwrap_or_default());
    add("system", format!("Linux {}", read("/proc/sys/kernel/osrelease").trim()));
    add("load when it began", run.load.split_whitespace().take(3).collect::<Vec<_>>().join(" "));
    add("rounds", format!("{}; a figure is the least time of all rounds", run.rounds));
    let is_setting = |name: &str| ["CLIFT_", "POCL_", "CL_", "DPCPP_"].iter().any(|start| name.starts_with(start));
    let settings = env::vars().filter(|(name, _)| is_setting(name)).map(|(name, value)| format!("{name}={value}"));
    add("settings", settings.collect::<Vec<_>>().join(" "));
    let cell =
        |(name, value): &(String, String)| format!("<tr><td>{}</td><td>{}</td></tr>", escaped(name), escaped(value));
    format!("<table class=\"facts\">{}</table>", rows.iter().map(cell).collect::<String>())
}

/// The clocks that the run shows, with their headings.
fn clocks(run: &Run) -> Vec<(Clock, &'static str)> {
    let all = [(Clock::Wall, "time"), (Clock::Processor, "processor time"), (Clock::Build, "build")];
    all.into_iter().filter(|(clock, _)| run.has_processor || *clock != Clock::Processor).collect()
}

/// Columns of the other drivers for a clock: nobody builds C.
fn others(report: &Report, clock: Clock) -> Vec<usize> {
    let builds = |column: &usize| clock != Clock::Build || report.drivers[*column].name != "C";
    (1..report.drivers.len()).filter(builds).collect()
}

/// A cell with a ratio, in green or red.
fn ratio(speed: Option<f64>, class: &str) -> String {
    let Some(speed) = speed else { return format!("<td class=\"{class}\">–</td>") };
    let colour = match speed {
        speed if speed >= 1.05 => "more",
        speed if speed <= 0.95 => "less",
        _ => "",
    };
    format!("<td class=\"{class} {colour}\">{}</td>", digits(speed))
}

fn class(place: usize) -> &'static str {
    if place == 0 { "first" } else { "" }
}

/// A row for each group: means beside each other driver, by each clock.
fn means(report: &Report, run: &Run) -> String {
    let (mut head, mut names) = (String::from("<th></th>"), String::from("<th>group</th>"));
    for (clock, title) in clocks(run) {
        let columns = others(report, clock);
        if !columns.is_empty() {
            let _ = write!(head, "<th class=\"first\" colspan=\"{}\">{title}, beside</th>", columns.len());
        }
        for (place, &column) in columns.iter().enumerate() {
            let _ = write!(names, "<th class=\"{}\">{}</th>", class(place), escaped(&report.drivers[column].name));
        }
    }
    let mut body = String::new();
    for group in report.groups() {
        let _ = write!(body, "<tr><td>{group:?}</td>");
        for (clock, _) in clocks(run) {
            for (place, column) in others(report, clock).into_iter().enumerate() {
                body += &ratio(report.mean(group, column, clock), class(place));
            }
        }
        body += "</tr>";
    }
    format!("<table><thead><tr>{head}</tr><tr>{names}</tr></thead><tbody>{body}</tbody></table>")
}

/// Every figure of a group: for each clock the milliseconds of all drivers, then the ratios.
fn figures(report: &Report, run: &Run, group: Group) -> String {
    let (mut head, mut names) = (String::from("<th></th>"), String::from("<th>kernel</th>"));
    let columns = |clock: Clock| [vec![0], others(report, clock)].concat();
    for (clock, title) in clocks(run) {
        let (all, others) = (columns(clock), others(report, clock));
        let _ = write!(head, "<th class=\"first\" colspan=\"{}\">{title}, ms</th>", all.len());
        if !others.is_empty() {
            let _ = write!(head, "<th class=\"first\" colspan=\"{}\">ratio</th>", others.len());
        }
        for shown in [&all, &others] {
            for (place, &column) in shown.iter().enumerate() {
                let _ = write!(names, "<th class=\"{}\">{}</th>", class(place), escaped(&report.drivers[column].name));
            }
        }
    }
    let mut body = String::new();
    for &row in report.rows.iter().filter(|&&row| ROWS[row].group == group) {
        let _ = write!(body, "<tr><td>{}</td>", escaped(ROWS[row].name));
        for (clock, _) in clocks(run) {
            for (place, column) in columns(clock).into_iter().enumerate() {
                let cell = match (report.results.get(&(row, column)), report.millis(row, column, clock)) {
                    (Some(Outcome::Failed(why)), _) => {
                        format!("<span class=\"failed\" title=\"{}\">failed</span>", escaped(why))
                    }
                    (_, millis) => millis.map_or("–".into(), digits),
                };
                let _ = write!(body, "<td class=\"{}\">{cell}</td>", class(place));
            }
            for (place, column) in others(report, clock).into_iter().enumerate() {
                body += &ratio(report.speed(row, column, clock), class(place));
            }
        }
        body += "</tr>";
    }
    body += "<tr class=\"mean\"><td>geometric mean</td>";
    for (clock, _) in clocks(run) {
        for place in 0..columns(clock).len() {
            let _ = write!(body, "<td class=\"{}\"></td>", class(place));
        }
        for (place, column) in others(report, clock).into_iter().enumerate() {
            body += &ratio(report.mean(group, column, clock), class(place));
        }
    }
    format!("<table><thead><tr>{head}</tr><tr>{names}</tr></thead><tbody>{body}</tr></tbody></table>")
}

//! Reads traces, line by line, since that is how the driver writes them: what a line lacks because the process was
//! killed is left out. Adds up what happened.

use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// So many gaps between commands are shown.
const GAPS: usize = 5;

/// An event of a trace, as far as it is wanted.
#[derive(Deserialize)]
struct Event {
    name: String,
    ph: char,
    #[serde(default)]
    pid: u64,
    #[serde(default)]
    tid: u64,
    #[serde(default)]
    ts: f64,
    #[serde(default)]
    dur: f64,
    #[serde(default)]
    cat: String,
    #[serde(default)]
    args: Value,
}

/// Something that took time on a thread; times are microseconds.
pub struct Slice {
    /// Process and thread.
    pub thread: (u64, u64),
    /// What it was.
    pub name: String,
    /// `command`, `share`, `build`, `phase`, `wait`, `idle` or `part`.
    pub category: String,
    /// When it began.
    pub begun: f64,
    /// How long it took.
    pub took: f64,
}

/// What is known of a kernel, or of a kind of other commands.
#[derive(Default)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// Times that were noted, in microseconds.
    pub times: Vec<f64>,
    /// How many there were.
    pub count: u64,
    /// Time of all, estimated if not all were noted.
    pub total: f64,
    /// Part of the time of all commands.
    pub share: f64,
    /// Work-items of those that were noted.
    pub items: f64,
    /// Bytes of those that were noted.
    pub bytes: f64,
    /// How long its code took to make.
    pub build: f64,
    /// What became of its loops over work-items, with the local size that the code is for.
    pub remarks: Vec<String>,
    /// Is it a kernel?
    pub is_kernel: bool,
    /// Of each piece of code how many launches were noted, and which of its launches were the first and the last one.
    codes: BTreeMap<(u64, u64), (u64, u64, u64)>,
}

impl Row {
    /// The middle one of its times.
    pub fn median(&self) -> f64 {
        self.times.get(self.times.len() / 2).copied().unwrap_or(0.0)
    }

    /// Work-items, or bytes, a second.
    pub fn rate(&self, n: f64) -> f64 {
        n / (self.times.iter().sum::<f64>() * 1e-6)
    }

    /// The most lanes that a loop over its work-items has; none if that is not known.
    pub fn lanes(&self) -> Option<u32> {
        let lanes = |remark: &String| {
            let (_, rest) = remark.split_once(" loop ")?;
            let (_, rest) = rest.split_once(": ")?;
            if rest.starts_with("scalar") { Some(1) } else { rest.split_once(" lanes")?.0.parse().ok() }
        };
        self.remarks.iter().filter_map(lanes).max()
    }
}

/// A time in which no command ran.
pub struct Gap {
    /// When it began, and how long it took.
    pub begun: f64,
    pub took: f64,
    /// The commands around it.
    pub before: String,
    pub after: String,
}

/// What happened.
#[derive(Default)]
pub struct Summary {
    /// The program.
    pub program: String,
    /// Kernels and other commands, most time first.
    pub rows: Vec<Row>,
    /// Everything that took time.
    pub slices: Vec<Slice>,
    /// Names of threads.
    pub threads: BTreeMap<(u64, u64), String>,
    /// From the first event to the last.
    pub span: f64,
    /// Of that, when no command ran between the first and the last one.
    pub idle: f64,
    /// Programs that were built, and how long that took.
    pub builds: (u64, f64),
    /// The widest gaps.
    pub gaps: Vec<Gap>,
    /// Bytes a second that a copy reads and writes.
    pub bandwidth: f64,
    /// The trace had no room for all.
    pub is_full: bool,
    /// Not all launches were noted.
    pub is_sampled: bool,
}

/// Whether a file is a trace of ours.
pub fn is_trace(file: &Path) -> bool {
    let mut first = String::new();
    let read = File::open(file).and_then(|file| {
        use std::io::Read;
        file.take(40).read_to_string(&mut first)
    });
    read.is_ok() && first.starts_with("[\n{\"name\":\"process_name\",\"ph\":\"M\"")
}

impl Summary {
    /// Adds a file.
    pub fn read(&mut self, file: &Path) -> std::io::Result<()> {
        for line in BufReader::new(File::open(file)?).split(b'\n') {
            let line = line?;
            let line = line.strip_suffix(b",").unwrap_or(&line);
            if let Ok(event) = serde_json::from_slice(line) {
                self.add(event);
            }
        }
        Ok(())
    }

    fn add(&mut self, event: Event) {
        let thread = (event.pid, event.tid);
        match event.ph {
            'M' if event.name == "thread_name" => {
                let name = event.args["name"].as_str().unwrap_or("").to_owned();
                self.threads.insert(thread, name);
            }
            'i' => self.is_full |= event.name == "the trace is full",
            'X' => {
                self.slice(&event);
                let Event { name, ts: begun, dur: took, cat: category, .. } = event;
                self.slices.push(Slice { thread, name, category, begun, took });
            }
            _ => {}
        }
    }

    fn slice(&mut self, event: &Event) {
        let number = |key: &str| event.args[key].as_u64();
        match event.cat.as_str() {
            "command" | "part" => {
                let code = number("code");
                // A command-buffer's time is that of its parts.
                if event.name == "CommandBuffer" || event.name == "user event" {
                    return;
                }
                let row = self.row(&event.name, code.is_some());
                row.times.push(event.dur);
                let sizes = event.args["global"].as_array().into_iter().flatten();
                row.items += sizes.filter_map(Value::as_f64).product::<f64>();
                row.bytes += number("bytes").unwrap_or(0) as f64;
                let seen = row.codes.entry((event.pid, code.unwrap_or(0))).or_insert((0, u64::MAX, 0));
                seen.0 += 1;
                if let Some(launch) = number("launch") {
                    (seen.1, seen.2) = (seen.1.min(launch), seen.2.max(launch));
                }
            }
            "build" => match event.name.strip_prefix("code of ") {
                None => {
                    self.builds.0 += 1;
                    self.builds.1 += event.dur;
                }
                Some(name) => {
                    let row = self.row(name, true);
                    row.build += event.dur;
                    let remarks = event.args["remarks"].as_array().into_iter().flatten().filter_map(Value::as_str);
                    for remark in remarks {
                        if !row.remarks.iter().any(|known| known == remark) {
                            row.remarks.push(remark.to_owned());
                        }
                    }
                }
            },
            _ => {}
        }
    }

    fn row(&mut self, name: &str, is_kernel: bool) -> &mut Row {
        let at = self.rows.iter().position(|row| row.name == name && row.is_kernel == is_kernel).unwrap_or_else(|| {
            self.rows.push(Row { name: name.to_owned(), is_kernel, ..Row::default() });
            self.rows.len() - 1
        });
        &mut self.rows[at]
    }

    /// After all files.
    pub fn finish(&mut self, bandwidth: f64) {
        self.bandwidth = bandwidth;
        for row in &mut self.rows {
            row.times.sort_by(f64::total_cmp);
            row.count =
                row.codes.values().map(|&(noted, first, last)| noted.max((last + 1).saturating_sub(first))).sum();
            let (noted, sum) = (row.times.len() as u64, row.times.iter().sum::<f64>());
            self.is_sampled |= row.count > noted;
            row.total = if noted == 0 { 0.0 } else { sum * row.count as f64 / noted as f64 };
        }
        let all: f64 = self.rows.iter().map(|row| row.total).sum();
        self.rows.iter_mut().for_each(|row| row.share = row.total / all.max(f64::MIN_POSITIVE));
        self.rows.sort_by(|a, b| b.total.total_cmp(&a.total));
        self.slices.sort_by(|a, b| a.begun.total_cmp(&b.begun));
        let begun = self.slices.first().map_or(0.0, |slice| slice.begun);
        let ended = self.slices.iter().map(|slice| slice.begun + slice.took).fold(begun, f64::max);
        self.span = ended - begun;
        self.slices.iter_mut().for_each(|slice| slice.begun -= begun);
        self.find_gaps();
    }

    /// What lies between commands, as no command runs.
    fn find_gaps(&mut self) {
        let mut last: Option<(f64, &str)> = None;
        for slice in self.slices.iter().filter(|slice| slice.category == "command" && slice.name != "user event") {
            let end = slice.begun + slice.took;
            if let Some((until, before)) = last
                && slice.begun > until
            {
                self.idle += slice.begun - until;
                let (before, after) = (before.to_owned(), slice.name.clone());
                self.gaps.push(Gap { begun: until, took: slice.begun - until, before, after });
            }
            if last.is_none_or(|(until, _)| until < end) {
                last = Some((end, &slice.name));
            }
        }
        self.gaps.sort_by(|a, b| b.took.total_cmp(&a.took));
        self.gaps.truncate(GAPS);
    }
}

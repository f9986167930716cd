//! `clift profile`: runs a program with Clift as its only OpenCL and has the driver write a trace, of which it makes a
//! summary. `read` reads traces and adds up, `text` and `html` show it.

mod html;
mod read;
mod text;

use super::{Result, child, print, shown};
use read::Summary;
use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{fs, thread};

/// Options of profile.
#[derive(clap::Args)]
pub struct Args {
    /// Write the summary as JSON
    #[arg(long)]
    json: bool,
    /// Write a page with a time line too; an older one is replaced
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Where the summary goes (default: stderr as text, stdout as JSON)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Keep the trace, for Perfetto or Chrome; an older one is replaced
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Bytes of the trace; K, M and G may follow
    #[arg(long, value_name = "BYTES", default_value = "1G", value_parser = super::record::bytes)]
    max_bytes: u64,
    #[command(flatten)]
    child: child::Options,
}

/// Runs the program; the code is its own.
pub fn run(args: &Args) -> Result<u8> {
    let folder = tempfile::tempdir().map_err(|error| format!("cannot make a temporary folder: {error}"))?;
    let absolute = |file: &PathBuf| std::path::absolute(file).map_err(|error| format!("{}: {error}", shown(file)));
    let (kept, html, output) = (args.trace.as_ref(), args.html.as_ref(), args.output.as_ref());
    let file = kept.map_or_else(|| Ok(folder.path().join("trace.json")), absolute)?;
    let (html, output) = (html.map(absolute).transpose()?, output.map(absolute).transpose()?);
    child::remove_old(&file, "trace of Clift", read::is_trace)?;
    let mut program = args.child.child()?;
    program.env("CLIFT_TRACE", &file).env("CLIFT_TRACE_LIMITS", format!("bytes={}", args.max_bytes));
    let status = program.run()?;
    let traces = child::written(&file, read::is_trace);
    if traces.is_empty() {
        if status.success() {
            return Err(format!("{} did nothing on Clift, so there is nothing to show", args.child.name()));
        }
        return Ok(child::code(status));
    }
    let mut summary = Summary::default();
    for trace in &traces {
        summary.read(trace).map_err(|error| format!("{}: {error}", shown(trace)))?;
    }
    summary.program = args.child.name();
    summary.finish(copy_bandwidth());
    if let Some(page) = html {
        put(&page, &html::page(&summary))?;
    }
    let shown = if args.json { text::json(&summary) + "\n" } else { text::table(&summary) };
    match output {
        Some(file) => put(&file, &shown)?,
        None if args.json => print(&shown)?,
        None => eprint!("{shown}"),
    }
    Ok(child::code(status))
}

fn put(file: &Path, text: &str) -> Result {
    fs::write(file, text).map_err(|error| format!("{}: {error}", shown(file)))
}

/// Bytes a second that all processors together read and write when they copy memory that no cache holds: the most of
/// some rounds.
fn copy_bandwidth() -> f64 {
    const BYTES: usize = 64 << 20;
    const ROUNDS: usize = 4;
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let part = BYTES / threads;
    let mut memory: Vec<(Vec<u8>, Vec<u8>)> = (0..threads).map(|_| (vec![1; part], vec![2; part])).collect();
    let mut round = || {
        let begun = Instant::now();
        thread::scope(|scope| {
            for (from, to) in &mut memory {
                scope.spawn(|| to.copy_from_slice(std::hint::black_box(from)));
            }
        });
        2.0 * (part * threads) as f64 / begun.elapsed().as_secs_f64()
    };
    (0..ROUNDS).map(|_| round()).fold(0.0, f64::max)
}

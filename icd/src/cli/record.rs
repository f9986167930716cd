//! `clift record`: runs a program with Clift as its only OpenCL and has the driver write a recording. Finishes the file
//! when the program has ended, and says what is in it.

use super::{Result, child, shown};
use clift_runtime::config::Limits;
use clift_runtime::record::format::{self, Counter, Reader};
use clift_runtime::record::recording::Recording;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Options of record.
#[derive(clap::Args)]
pub struct Args {
    /// The recording (default: PROGRAM.clrec in the current folder); an older one is replaced
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Only kernels of this name; may be given more than once
    #[arg(long, value_name = "NAME")]
    kernel: Vec<String>,
    /// How many launches of each kernel and size, the first ones
    #[arg(long, value_name = "N", default_value_t = Limits::LAUNCHES)]
    launches: u64,
    /// Bytes of memory in all, before they are compressed; K, M and G may follow
    #[arg(long, value_name = "BYTES", default_value = "1G", value_parser = bytes)]
    max_bytes: u64,
    #[command(flatten)]
    child: child::Options,
}

/// A number of bytes: `4096`, `512K`, `64M`, `2G`.
pub fn bytes(text: &str) -> std::result::Result<u64, String> {
    let (digits, shift) = match text.as_bytes().last() {
        Some(b'K' | b'k') => (&text[..text.len() - 1], 10),
        Some(b'M' | b'm') => (&text[..text.len() - 1], 20),
        Some(b'G' | b'g') => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    let n: u64 = digits.parse().map_err(|_| "a number of bytes, such as 512K, 64M or 2G".to_owned())?;
    n.checked_mul(1 << shift).ok_or_else(|| "too many bytes".to_owned())
}

/// Runs the program; the code is its own.
pub fn run(args: &Args) -> Result<u8> {
    let file = args.child.output(args.output.as_deref(), ".clrec")?;
    let mut program = args.child.child()?;
    let is_recording = |path: &Path| Reader::open(path).is_ok();
    child::remove_old(&file, "recording", is_recording)?;
    let kernels = args.kernel.iter().map(|name| format!(",kernel={name}"));
    let limits = format!("launches={},bytes={}{}", args.launches, args.max_bytes, kernels.collect::<String>());
    let status = program.env("CLIFT_RECORD", &file).env("CLIFT_RECORD_LIMITS", limits).run()?;
    let recordings = child::written(&file, is_recording);
    for path in &recordings {
        format::finish(path).map_err(|error| format!("{}: {error}", shown(path)))?;
        summary(path)?;
    }
    if !recordings.is_empty() || !status.success() {
        return Ok(child::code(status));
    }
    Err(format!("{} launched no kernel on Clift, so there is nothing to record", args.child.name()))
}

/// Says on stderr what is in a recording and what is not.
fn summary(path: &Path) -> Result {
    let recording = Recording::open(path)?;
    let mut kernels: Vec<&str> = recording.launches.iter().map(|launch| launch.kernel.as_str()).collect();
    kernels.sort_unstable();
    kernels.dedup();
    let size = path.metadata().map_or(0, |data| data.len());
    let (n_launches, n_kernels) = (recording.launches.len(), kernels.len());
    eprintln!("clift: {}: {n_launches} launches of {n_kernels} kernels, {size} bytes", shown(path));
    let left_out = [
        (Counter::Repeated, "launches beyond the first ones of their kernel and size (--launches)"),
        (Counter::OtherKernels, "launches of other kernels (--kernel)"),
        (Counter::TooLarge, "launches for which there was no room (--max-bytes)"),
        (Counter::Native, "native kernels, which cannot be recorded"),
    ];
    for (counter, what) in left_out {
        match recording.counters[counter as usize] {
            0 => {}
            n => eprintln!("clift: not in it: {n} {what}"),
        }
    }
    let mut remarks = BTreeMap::<String, u64>::new();
    for (launch, outcome) in recording.launches.iter().zip(&recording.outcomes) {
        let kernel = &launch.kernel;
        for why in &launch.gaps {
            *remarks.entry(format!("of `{kernel}` cannot be replayed: {why}")).or_default() += 1;
        }
        for why in &launch.doubts {
            *remarks.entry(format!("of `{kernel}` may differ when replayed: {why}")).or_default() += 1;
        }
        if outcome.is_none() {
            *remarks.entry(format!("of `{kernel}` did not end")).or_default() += 1;
        }
    }
    for (remark, n) in remarks {
        eprintln!("clift: {n} launches {remark}");
    }
    Ok(())
}

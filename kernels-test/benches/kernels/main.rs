//! How fast Clift's kernels are: beside every other OpenCL driver that is found, and beside plain C, in one run.
//!
//! ```text
//! cargo bench -p clift-kernels-test --bench kernels -- \
//!     [--filter NAME] [--group GROUP] [--rounds N] [--cpu] [--svg FILE] [--html FILE] [--spirv COMPILER] [--items N]
//! ```
//!
//! Each driver and the C versions run in processes of this same program. They take turns: in each of `--rounds` rounds,
//! every row of the table is built and timed in one process after the other. A figure is the least of all runs in all
//! rounds. Every result is checked against a reference in the first round; a wrong one shows as `failed` with the
//! reason on stderr.
//!
//! - The first driver is `libclift.so` beside this executable, or the library that `CL_UNDER_TEST` names.
//! - Others are the `*.icd` files in the loader's vendors folder (`OCL_ICD_VENDORS`, else `/etc/OpenCL/vendors`) and
//!   the paths in `CLIFT_BENCH_ICDS`, separated by colons, each an `.icd` file or a driver's library. They go through
//!   an ICD loader (`libOpenCL.so.1`), the only thing that must be installed for them; without it or them, columns show
//!   `-`. A library that needs others beside it wants their folder in `LD_LIBRARY_PATH`.
//! - With `--spirv`, the first driver runs once more, from the modules that a program makes of the sources; it is
//!   called with a source, a file to write and the options of the build.
//! - `c/*.c` is compiled by `$CC` or `cc` with `-O3 -march=native`; this program's threads call it.
//!
//! First come the drivers with their versions and devices, and on which groups of rows the passes were tuned.
//! Columns: milliseconds from the enqueue to the return of `clFinish` (with `--cpu` once more, as processor time of the
//! whole process, which other load on the machine disturbs less); "speed" is the other's time by that of the first
//! driver, so above 1 the first one is faster; build time is from the source text to the end of a launch of one
//! work-group.
//!
//! Start reading at `rows`, the list of rows; `tuned` and `unseen` have the kernels and their data. `child` times one
//! row, `native` is the C side, `table`, `chart` and `page` show it all.

mod chart;
mod child;
mod data;
mod native;
mod page;
mod rows;
mod table;
mod tuned;
mod unseen;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use clap::Parser;

use child::{Child, Outcome};
use rows::{Group, ROWS, Row};
use table::Report;

/// Kernels of Clift beside other drivers and C.
#[derive(Parser)]
struct Options {
    /// Only rows whose name contains this.
    #[arg(long, default_value = "")]
    filter: String,
    /// Only rows of this group.
    #[arg(long)]
    group: Option<Group>,
    /// How often the drivers take turns.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Also show processor time, and draw it.
    #[arg(long)]
    cpu: bool,
    /// Write a chart of the speeds to this file.
    #[arg(long)]
    svg: Option<PathBuf>,
    /// Write a page with everything to this file.
    #[arg(long)]
    html: Option<PathBuf>,
    /// Also run the first driver with the modules that this program makes.
    #[arg(long)]
    spirv: Option<PathBuf>,
    /// Launch only the first work-groups, of so many work-items together, and do not check results: for drivers that
    /// interpret kernels.
    #[arg(long)]
    items: Option<usize>,
    /// What `cargo bench` adds.
    #[arg(long, hide = true)]
    bench: bool,
}

impl Options {
    fn shows(&self, row: &Row) -> bool {
        row.name.contains(&self.filter) && self.group.is_none_or(|group| row.group == group)
    }
}

fn main() {
    let outcome = if env::var_os(child::MARK).is_some() { child::serve() } else { compare(&Options::parse()) };
    if let Err(message) = outcome {
        eprintln!("kernels: {message}");
        std::process::exit(1);
    }
}

/// Times the rows in every driver and prints the tables.
fn compare(options: &Options) -> Result<(), String> {
    let scratch = tempfile::tempdir().map_err(|e| e.to_string())?;
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let mut children = start(scratch.path(), options)?;
    let mut results = BTreeMap::new();
    let chosen: Vec<_> = (0..ROWS.len()).filter(|&row| options.shows(ROWS[row])).collect();
    for round in 0..options.rounds {
        for &row in &chosen {
            eprint!("\rround {} of {}: {:<40}", round + 1, options.rounds, ROWS[row].name);
            for (column, child) in children.iter_mut().enumerate() {
                let outcome = child.run(row, round);
                if let Outcome::Failed(reason) = &outcome {
                    eprintln!("\r{}: {}: {reason}", child.driver.name, ROWS[row].name);
                }
                results.entry((row, column)).and_modify(|all: &mut Outcome| all.merge(&outcome)).or_insert(outcome);
            }
        }
    }
    eprint!("\r{:<60}\r", "");
    let report = Report { drivers: children.iter().map(|child| child.driver.clone()).collect(), rows: chosen, results };
    println!("{}{}\n", report.drivers(), report.tuning());
    print!("{}", report.table(table::Clock::Wall));
    if options.cpu {
        print!("\n{}", report.table(table::Clock::Processor));
    }
    let clock = if options.cpu { table::Clock::Processor } else { table::Clock::Wall };
    let write = |path: &Path, text: String| fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()));
    if let Some(path) = &options.svg {
        write(path, chart::draw(&report, clock))?;
    }
    if let Some(path) = &options.html {
        let run = page::Run { rounds: options.rounds, has_processor: options.cpu, load };
        write(path, page::page(&report, &run))?;
    }
    Ok(())
}

/// Starts one process for each driver: the one under test (twice with modules), the others by name, C.
fn start(scratch: &Path, options: &Options) -> Result<Vec<Child>, String> {
    let items: Vec<_> = options.items.iter().map(|items| (child::ITEMS, items.to_string().into())).collect();
    let mut children = vec![Child::start(items.clone())?];
    if let Some(compiler) = &options.spirv {
        let mut child = Child::start([&items[..], &[(child::SPIRV, compiler.into())]].concat())?;
        child.driver.name = "SPIR-V".into();
        children.push(child);
    }
    for (index, icd) in others().into_iter().enumerate() {
        let folder = scratch.join(format!("vendors-{index}"));
        let content = match icd.extension() {
            Some(end) if end == "icd" => fs::read_to_string(&icd).map_err(|e| format!("{}: {e}", icd.display()))?,
            _ => format!("{}\n", icd.display()),
        };
        fs::create_dir(&folder).and_then(|()| fs::write(folder.join("one.icd"), content)).map_err(|e| e.to_string())?;
        let mut settings = items.clone();
        settings.extend([
            ("OCL_ICD_VENDORS", folder.into()),
            ("CL_UNDER_TEST", "libOpenCL.so.1".into()),
            ("POCL_CACHE_DIR", scratch.into()),
            ("POCL_KERNEL_CACHE", "0".into()),
        ]);
        match Child::start(settings) {
            Ok(child) if children.iter().all(|other| other.driver.name != child.driver.name) => children.push(child),
            Ok(_) => {}
            Err(reason) => eprintln!("{} is left out: {reason}", icd.display()),
        }
    }
    children[1 + usize::from(options.spirv.is_some())..].sort_by_key(|child| child.driver.rank());
    if options.items.is_some() {
        // Their loops are of another size.
        return Ok(children);
    }
    match native::compile(scratch) {
        Ok(library) => children.push(Child::start(vec![(child::NATIVE, library.into())])?),
        Err(reason) => eprintln!("C is left out: {reason}"),
    }
    Ok(children)
}

/// The `.icd` files and libraries of other drivers.
fn others() -> Vec<PathBuf> {
    let vendors = env::var_os("OCL_ICD_VENDORS").map_or("/etc/OpenCL/vendors".into(), PathBuf::from);
    let named = env::var_os("CLIFT_BENCH_ICDS").unwrap_or_default();
    let mut found: Vec<_> =
        fs::read_dir(vendors).map(|entries| entries.flatten().map(|entry| entry.path()).collect()).unwrap_or_default();
    found.retain(|path| path.extension().is_some_and(|end| end == "icd"));
    found.sort();
    found.extend(env::split_paths(&named).filter(|path| !path.as_os_str().is_empty()));
    found
}

//! `clift replay`: runs recorded launches again, on this driver or others, compares what comes out, and takes times.
//! `driver` is a library, `program` builds, `launch` sets up and runs one launch, `memory` has addresses that must be
//! as they were, `compare` and `table` make the reports. What a recording says was checked when it was opened; what is
//! too large for this machine is refused here.

mod compare;
mod driver;
mod launch;
mod memory;
mod program;
mod table;

use super::record::bytes;
use super::{Result, library, print, shown};
use clift_runtime::record::entry::{Input, Launch, MemoryKind, Value};
use clift_runtime::record::recording::Recording;
use compare::{Floats, Tolerance};
use driver::{Driver, Handle};
use launch::{Ready, Shared};
use memory::{Pages, may_hold_addresses};
use std::collections::HashMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;
use table::{Times, letter, sizes, table};

/// Options of replay.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// What `clift record` wrote
    file: PathBuf,
    /// An OpenCL library to run on: a driver, or a loader with @ and a part of a platform's name (default: Clift); with
    /// more than one they take turns
    #[arg(long, value_name = "LIBRARY[@PLATFORM]")]
    on: Vec<String>,
    /// List the launches, run none
    #[arg(long)]
    list: bool,
    /// Write the programs of the launches into this folder, run none
    #[arg(long, value_name = "DIR", conflicts_with = "list")]
    sources: Option<PathBuf>,
    /// Take times; results are compared only with --check
    #[arg(long)]
    time: bool,
    /// Compare results with the recorded ones (the default without --time)
    #[arg(long)]
    check: bool,
    /// How often each launch is timed
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    rounds: u32,
    /// Where the program left the local size to the driver, take what it was then, if it divides the global size
    #[arg(long)]
    same_groups: bool,
    /// Only launches of these numbers
    #[arg(long, value_name = "N", num_args = 1..)]
    launch: Vec<usize>,
    /// Only kernels of this name; may be given more than once
    #[arg(long, value_name = "NAME")]
    kernel: Vec<String>,
    /// Floats may differ by so many units in the last place
    #[arg(long, value_name = "ULPS", default_value_t = 0)]
    tolerance: u64,
    /// Floats may differ by so much, or by --tolerance
    #[arg(long, value_name = "DIFFERENCE", default_value_t = 0.0)]
    absolute: f64,
    /// What all memory is made of, where types of arguments do not say it
    #[arg(long, value_name = "TYPE")]
    floats: Option<Floats>,
    /// Take what there is of a recording that was not finished
    #[arg(long)]
    partial: bool,
    /// Memory that a launch may take; K, M and G may follow (default: half of the machine's)
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    max_bytes: Option<u64>,
}

const HELP: &str = "Exit codes: 0 if all results are equal, 1 if some differ or did not come, 2 for anything else.";

/// What became of the launches on a driver.
#[derive(Default)]
struct Count {
    equal: usize,
    different: usize,
    failed: usize,
    unknown: usize,
}

/// Lists, runs, compares, times; the code says whether all was equal.
pub fn run(args: &Args) -> Result<u8> {
    let mut recording = Recording::open(&args.file)?;
    if !recording.is_whole && !args.partial {
        let file = shown(&args.file);
        return Err(format!("{file} was not finished or is cut off (--partial takes what there is)"));
    }
    let n = recording.launches.len();
    if let Some(number) = args.launch.iter().find(|&&number| number >= n) {
        return Err(format!("there is no launch {number}: they are numbered from 0, and there are {n}"));
    }
    let is_wanted = |&number: &usize| {
        let name = &recording.launches[number].kernel;
        (args.launch.is_empty() || args.launch.contains(&number))
            && (args.kernel.is_empty() || args.kernel.contains(name))
    };
    let wanted: Vec<usize> = (0..n).filter(is_wanted).collect();
    if wanted.is_empty() {
        return Err(format!("{} has no such launch", shown(&args.file)));
    }
    if args.list {
        return list(&recording, &wanted).map(|()| 0);
    }
    if let Some(folder) = &args.sources {
        return sources(&recording, &wanted, folder).map(|()| 0);
    }
    let (can, cannot): (Vec<usize>, Vec<usize>) =
        wanted.iter().partition(|&&number| recording.launches[number].gaps.is_empty());
    for number in &cannot {
        let launch = &recording.launches[*number];
        print(&format!("{number} {}: not replayed: {}\n", launch.kernel, launch.gaps.join("; ")))?;
    }
    if can.is_empty() {
        return Err("none of these launches can be replayed".into());
    }
    let mut drivers = open_drivers(args)?;
    let mut launches = recording.launches.clone();
    if args.same_groups {
        // Clift may choose groups that do not divide the whole, which a program may not.
        let divides = |launch: &Launch| launch.global.iter().zip(launch.chosen).all(|(n, size)| n.is_multiple_of(size));
        let chosen = launches.iter_mut().filter(|launch| launch.local.is_none() && divides(launch));
        chosen.for_each(|launch| launch.local = Some(launch.chosen));
    }
    let mut replay = Replay::new(args, &mut drivers);
    for &number in &can {
        replay.launch(&mut recording, number, &launches[number])?;
    }
    replay.report(cannot.len())
}

/// Writes what the launches' programs were made of: a source or module for each unit, beside it what it was compiled
/// with.
fn sources(recording: &Recording, wanted: &[usize], folder: &Path) -> Result {
    let put = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        let made = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, bytes));
        made.map_err(|error| format!("{}: {error}", shown(&path)))
    };
    let mut programs: Vec<u32> = wanted.iter().map(|&number| recording.launches[number].program).collect();
    programs.sort_unstable();
    programs.dedup();
    for number in programs {
        for (part, unit) in recording.programs[number as usize].units.iter().enumerate() {
            let name = format!("program-{number}-{part}");
            put(&format!("{name}.options"), unit.options.as_bytes())?;
            match &unit.input {
                Input::Text { source, headers } => {
                    put(&format!("{name}.cl"), source)?;
                    for (at, (path, text)) in headers.iter().enumerate() {
                        put(&format!("{name}.header-{at}"), format!("// {path}\n{text}").as_bytes())?;
                    }
                }
                Input::Module { il, constants } => {
                    put(&format!("{name}.spv"), il)?;
                    let shown = constants.iter().map(|(id, value)| format!("{id}: {value:02x?}\n"));
                    put(&format!("{name}.constants"), shown.collect::<String>().as_bytes())?;
                }
            }
        }
    }
    Ok(())
}

/// A line for each launch, and for each argument.
fn list(recording: &Recording, wanted: &[usize]) -> Result {
    let mut text = String::new();
    for &number in wanted {
        let launch = &recording.launches[number];
        let size: u64 = launch.memories.iter().map(|memory| memory.size).sum();
        text += &format!("{number} {} {}: program {}, {size} bytes\n", launch.kernel, sizes(launch), launch.program);
        for (index, arg) in launch.args.iter().enumerate() {
            let what = value(launch, &arg.value);
            text += &format!("    {index} {} {}: {what}\n", arg.type_name, arg.name);
        }
        launch.gaps.iter().for_each(|why| text += &format!("    cannot be replayed: {why}\n"));
        launch.doubts.iter().for_each(|why| text += &format!("    may differ: {why}\n"));
        match &recording.outcomes[number] {
            None => text += "    it did not end\n",
            Some(outcome) => {
                let pairs = outcome.after.iter().zip(&launch.memories);
                let n = pairs.filter(|(after, memory)| **after != Some(memory.before)).count();
                text += &format!("    changed {n} of {} memories\n", launch.memories.len());
            }
        }
    }
    for (number, program) in recording.programs.iter().enumerate() {
        for unit in &program.units {
            let what = match &unit.input {
                Input::Text { source, .. } => format!("{} bytes of OpenCL C", source.len()),
                Input::Module { il, .. } => format!("{} bytes of SPIR-V", il.len()),
            };
            text += &format!("program {number}: {what}, options `{}`\n", unit.options.trim());
        }
    }
    print(&text)
}

/// An argument's value, for people.
fn value(launch: &Launch, value: &Value) -> String {
    let memory = |number: u32| match launch.memories[number as usize].kind {
        MemoryKind::Pointer(address) => format!("memory {number} at {address:#x}"),
        MemoryKind::HostBuffer(_) => format!("memory {number} (of the host)"),
        MemoryKind::Buffer | MemoryKind::Image => format!("memory {number}"),
    };
    match value {
        Value::Bytes(bytes) => {
            let shown: Vec<String> = bytes.iter().take(32).map(|byte| format!("{byte:02x}")).collect();
            format!("{}{}", shown.join(" "), if bytes.len() > 32 { " …" } else { "" })
        }
        Value::Null => "null".into(),
        Value::Local(size) => format!("{size} bytes of local memory"),
        Value::Buffer(view) => format!("{}, {} bytes from {}", memory(view.memory), view.size, view.offset),
        Value::Image(view, image) => format!(
            "{}, image {:?}, order {:#x}, type {:#x}",
            memory(view.memory),
            image.sizes,
            image.order,
            image.data_type
        ),
        Value::Sampler(sampler) => format!("{sampler:?}"),
        Value::Pointer { memory: number, offset } => format!("{} + {offset}", memory(*number)),
        Value::Address(address) => format!("address {address:#x}"),
    }
}

fn open_drivers(args: &Args) -> Result<Vec<Driver>> {
    if args.on.is_empty() {
        return Ok(vec![Driver::open(&shown(&library::find()?))?]);
    }
    let mut drivers: Vec<Driver> = args.on.iter().map(|text| Driver::open(text)).collect::<Result<_>>()?;
    // Drivers of one processor name their devices alike.
    let is_alike = |drivers: &[Driver]| drivers.iter().any(|d| drivers.iter().filter(|o| o.name == d.name).count() > 1);
    if is_alike(&drivers) {
        drivers.iter_mut().zip(&args.on).for_each(|(driver, text)| driver.name = text.clone());
    }
    Ok(drivers)
}

/// The drivers, what was built on them, and what came out.
struct Replay<'a> {
    args: &'a Args,
    drivers: &'a mut [Driver],
    /// By driver, program and what is zero.
    programs: HashMap<(usize, u32, u32), std::result::Result<Handle, String>>,
    counts: Vec<Count>,
    measured: Vec<(Launch, Vec<Option<Times>>)>,
    max_bytes: u64,
}

/// A launch's memory before and after.
struct Contents {
    before: Vec<Vec<u8>>,
    /// None if nothing was recorded.
    after: Vec<Option<Vec<u8>>>,
}

impl<'a> Replay<'a> {
    fn new(args: &'a Args, drivers: &'a mut [Driver]) -> Self {
        let counts = drivers.iter().map(|_| Count::default()).collect();
        let max_bytes = args.max_bytes.unwrap_or_else(half_of_memory);
        Self { args, drivers, programs: HashMap::new(), counts, measured: Vec::new(), max_bytes }
    }

    fn checks(&self) -> bool {
        self.args.check || !self.args.time
    }

    /// Runs one launch on all drivers.
    fn launch(&mut self, recording: &mut Recording, number: usize, launch: &Launch) -> Result {
        let size: u64 = launch.memories.iter().map(|memory| memory.size).fold(0, u64::saturating_add);
        if size > self.max_bytes {
            let max = self.max_bytes;
            return Err(format!("launch {number} needs memory of {size} bytes, more than {max} (--max-bytes)"));
        }
        let contents = contents(recording, number, launch)?;
        let shared = shared(launch, &contents);
        let mut built = Vec::new();
        for at in 0..self.drivers.len() {
            let program = self.program(recording, at, launch);
            let context = self.drivers[at].context(launch.zeros);
            built.push(context.and_then(|context| Ok((context, program?))));
        }
        let mut readies = Vec::new();
        for (at, built) in built.into_iter().enumerate() {
            let driver = &self.drivers[at];
            let ready = built.and_then(|(context, program)| Ready::new(driver, context, program, launch, &shared));
            let checked =
                ready.and_then(|ready| check(&ready, launch, &contents, self.args).map(|found| (ready, found)));
            let (name, kernel) = (&driver.name, &launch.kernel);
            let count = &mut self.counts[at];
            match &checked {
                Err(why) => {
                    count.failed += 1;
                    print(&format!("{number} {kernel} {}: {name}: failed: {why}\n", sizes(launch)))?;
                }
                Ok((_, None)) => count.unknown += 1,
                Ok((_, Some(found))) if found.is_empty() => count.equal += 1,
                Ok((_, Some(found))) => {
                    count.different += 1;
                    if self.args.check || !self.args.time {
                        let doubts = launch.doubts.iter().map(|why| format!("may differ: {why}"));
                        let found: Vec<String> = found.iter().cloned().chain(doubts).collect();
                        let found = found.join("\n    ");
                        print(&format!("{number} {kernel} {}: {name}:\n    {found}\n", sizes(launch)))?;
                    }
                }
            }
            readies.push(checked.ok().map(|(ready, _)| ready));
        }
        if self.args.time {
            let times = time(&readies, &contents, self.args.rounds)?;
            self.measured.push((launch.clone(), times));
        }
        Ok(())
    }

    /// A launch's program on a driver, built at its first launch there.
    fn program(&mut self, recording: &Recording, at: usize, launch: &Launch) -> Result<Handle> {
        let key = (at, launch.program, launch.zeros);
        if let Some(known) = self.programs.get(&key) {
            return known.clone();
        }
        let driver = &mut self.drivers[at];
        let context = driver.context(launch.zeros);
        let program = &recording.programs[launch.program as usize];
        let built = context.and_then(|(context, _)| program::build(driver, context, program));
        self.programs.insert(key, built.clone());
        built
    }

    /// The table and the counts.
    fn report(&self, skipped: usize) -> Result<u8> {
        let names: Vec<String> = self.drivers.iter().map(|driver| driver.name.clone()).collect();
        if self.args.time {
            if names.len() > 1 {
                let list = names.iter().enumerate().map(|(n, name)| format!("{} = {name}\n", letter(n)));
                print(&list.collect::<String>())?;
            }
            let measured: Vec<_> = self.measured.iter().map(|(launch, times)| (launch, times.clone())).collect();
            print(&table(&names, &measured))?;
        }
        let mut is_good = true;
        for (name, count) in names.iter().zip(&self.counts) {
            let Count { equal, different, failed, unknown } = count;
            is_good &= *failed == 0 && (*different == 0 || !self.checks());
            let parts = [
                (*equal, "equal", self.checks()),
                (*different, "different", self.checks()),
                (*failed, "failed", *failed > 0),
                (*unknown, "without recorded results", *unknown > 0),
                (skipped, "that cannot be replayed", skipped > 0),
            ];
            let parts: Vec<String> =
                parts.iter().filter(|part| part.2).map(|(n, what, _)| format!("{n} {what}")).collect();
            if !parts.is_empty() {
                print(&format!("{name}: {}\n", parts.join(", ")))?;
            }
        }
        Ok(u8::from(!is_good))
    }
}

impl Drop for Replay<'_> {
    fn drop(&mut self) {
        for ((at, ..), program) in self.programs.drain() {
            program.into_iter().for_each(|program| program::release(&self.drivers[at], program));
        }
    }
}

fn contents(recording: &mut Recording, number: usize, launch: &Launch) -> Result<Contents> {
    let before = launch.memories.iter().map(|memory| recording.contents(memory.before)).collect::<Result<_>>()?;
    let after = match recording.outcomes[number].clone() {
        Some(outcome) => outcome.after,
        None => vec![None; launch.memories.len()],
    };
    let after = after.into_iter().map(|after| after.map(|after| recording.contents(after)).transpose());
    Ok(Contents { before, after: after.collect::<Result<_>>()? })
}

/// Memory at addresses that were recorded, for all drivers.
fn shared(launch: &Launch, contents: &Contents) -> Shared {
    let ranges: Vec<Range<usize>> = launch
        .memories
        .iter()
        .filter_map(|memory| match memory.kind {
            MemoryKind::Pointer(address) => Some(address as usize..(address + memory.size) as usize),
            _ => None,
        })
        .collect();
    let in_args = launch.args.iter().any(|arg| match &arg.value {
        Value::Bytes(bytes) => may_hold_addresses(bytes, &ranges),
        _ => false,
    });
    let holds_addresses = in_args || contents.before.iter().any(|bytes| may_hold_addresses(bytes, &ranges));
    Shared { pages: Pages::at(&ranges), holds_addresses }
}

/// Runs a launch once. None if there is nothing to compare with, else how memory differs, a line for each.
fn check(ready: &Ready<'_>, launch: &Launch, contents: &Contents, args: &Args) -> Result<Option<Vec<String>>> {
    for (number, bytes) in contents.before.iter().enumerate() {
        ready.write(number, bytes)?;
    }
    ready.run()?;
    if contents.after.iter().all(Option::is_none) && !launch.memories.is_empty() {
        return Ok(None);
    }
    let tolerance = Tolerance { ulps: args.tolerance, absolute: args.absolute };
    let mut found = Vec::new();
    for (number, expected) in contents.after.iter().enumerate() {
        let Some(expected) = expected else { continue };
        // What is no texel stays as it is.
        let mut got = expected.clone();
        ready.read(number, &mut got)?;
        let floats = compare::floats(launch, number).or(args.floats);
        if let Some(difference) = compare::compare(expected, &got, floats, tolerance) {
            found.push(format!("{}: {difference}", names(launch, number)));
        }
    }
    Ok(Some(found))
}

/// The arguments that lead to a memory.
fn names(launch: &Launch, memory: usize) -> String {
    let leads_to = |value: &Value| match value {
        Value::Buffer(view) | Value::Image(view, _) => view.memory as usize == memory,
        Value::Pointer { memory: number, .. } => *number as usize == memory,
        _ => false,
    };
    let args = launch.args.iter().enumerate().filter(|(_, arg)| leads_to(&arg.value));
    let names: Vec<String> =
        args.map(|(index, arg)| format!("argument {index} `{} {}`", arg.type_name, arg.name)).collect();
    if names.is_empty() { format!("memory {memory}") } else { names.join(", ") }
}

/// Times a launch: one run on each driver in turn, with the memory that it changes as it was before each.
fn time(readies: &[Option<Ready<'_>>], contents: &Contents, rounds: u32) -> Result<Vec<Option<Times>>> {
    let pairs = contents.before.iter().zip(&contents.after).enumerate();
    let changed: Vec<usize> =
        pairs.filter(|(_, (before, after))| after.as_ref() != Some(before)).map(|(number, _)| number).collect();
    let mut times: Vec<Vec<Duration>> = readies.iter().map(|_| Vec::new()).collect();
    for _ in 0..rounds {
        for (ready, times) in readies.iter().zip(&mut times) {
            let Some(ready) = ready else { continue };
            for &number in &changed {
                ready.write(number, &contents.before[number])?;
            }
            times.push(ready.run()?);
        }
    }
    Ok(times.into_iter().map(Times::of).collect())
}

#[allow(unsafe_code, reason = "asks the system for its memory")]
fn half_of_memory() -> u64 {
    // SAFETY: a query.
    let (pages, size) = unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    u64::try_from(pages).unwrap_or(0).saturating_mul(u64::try_from(size).unwrap_or(0)) / 2
}

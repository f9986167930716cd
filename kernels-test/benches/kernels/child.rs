//! A process that times rows, one at a time, in one driver or in C; and the parent's end of it. The parent writes
//! `row TAB round` on a line, the child answers with one line that begins with `MARK`. Knows nothing of tables.

use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Write, stdin};
use std::process::{self, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs};

use clift_kernels_test::host::{Buffer, Host, Kernel, Range};

use crate::data::Arg;
use crate::native::{self, Native};
use crate::rows::{ROWS, Row, Work};
use crate::table::Driver;

/// Set in the child; also the beginning of its answers, because drivers may print, too.
pub const MARK: &str = "CLIFT_BENCH_CHILD";
/// Names the library of C versions to a child that runs those.
pub const NATIVE: &str = "CLIFT_BENCH_NATIVE";
/// Names a program that makes SPIR-V to a child that runs kernels from modules.
pub const SPIRV: &str = "CLIFT_BENCH_SPIRV";
/// So many work-items, or few more, are launched at most by all children, and results are not looked at.
pub const ITEMS: &str = "CLIFT_BENCH_ITEMS";
/// A row is run until this has gone by …
const ENOUGH: Duration = Duration::from_millis(200);
/// … and at least, at most so often.
const RUNS: [usize; 2] = [3, 60];
/// Channel order `CL_RGBA` with type `CL_UNORM_INT8`.
const RGBA8: [u32; 2] = [0x10B5, 0x10D2];

/// Milliseconds; the least of what was seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Times {
    /// From enqueue to the end.
    pub wall: f64,
    /// Processor time of all threads meanwhile.
    pub processor: f64,
    /// From the source to the end of a first launch of one group; infinite where there is nothing to build.
    pub build: f64,
    /// Processor time of that.
    pub build_processor: f64,
}

/// What came of a row.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It ran, with the right result.
    Ran(Times),
    /// The driver has no such feature.
    Absent,
    /// A wrong result, an error or a crash.
    Failed(String),
}

impl Outcome {
    /// Takes in a later round.
    pub fn merge(&mut self, later: &Self) {
        match (&mut *self, later) {
            (Self::Ran(all), Self::Ran(new)) => {
                all.wall = all.wall.min(new.wall);
                all.processor = all.processor.min(new.processor);
                all.build = all.build.min(new.build);
                all.build_processor = all.build_processor.min(new.build_processor);
            }
            (Self::Ran(_), other) => *self = other.clone(),
            _ => {}
        }
    }
}

/// The parent's end of a child.
pub struct Child {
    /// Whom it runs.
    pub driver: Driver,
    settings: Vec<(&'static str, OsString)>,
    process: process::Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Child {
    /// Starts a child with these environment variables; it tells which driver it has.
    ///
    /// Errors: there is no such driver.
    pub fn start(settings: Vec<(&'static str, OsString)>) -> Result<Self, String> {
        let exe = env::current_exe().map_err(|e| e.to_string())?;
        let mut process = Command::new(exe)
            .env(MARK, "1")
            .envs(settings.iter().cloned())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| e.to_string())?;
        let (Some(requests), Some(answers)) = (process.stdin.take(), process.stdout.take()) else {
            return Err("no pipes".into());
        };
        let answers = BufReader::new(answers);
        let mut child = Self { driver: Driver::default(), settings, process, requests, answers };
        child.driver = Driver::new(&child.answer()?);
        Ok(child)
    }

    /// Has the child time a row. After a crash, a new child takes its place.
    pub fn run(&mut self, row: usize, round: usize) -> Outcome {
        let answer = writeln!(self.requests, "{row}\t{round}").map_err(|e| e.to_string()).and_then(|()| self.answer());
        let answer = match answer {
            Ok(answer) => answer,
            Err(reason) => {
                if let Ok(new) = Self::start(self.settings.clone()) {
                    *self = new;
                }
                return Outcome::Failed(reason);
            }
        };
        let numbers: Vec<f64> = answer.split('\t').filter_map(|number| number.parse().ok()).collect();
        match (answer.as_str(), numbers.as_slice()) {
            ("absent", _) => Outcome::Absent,
            (_, &[wall, processor, build, build_processor]) => {
                Outcome::Ran(Times { wall, processor, build, build_processor })
            }
            _ => Outcome::Failed(answer),
        }
    }

    fn answer(&mut self) -> Result<String, String> {
        let mut line = String::new();
        loop {
            line.clear();
            if self.answers.read_line(&mut line).map_err(|e| e.to_string())? == 0 {
                let status = self.process.wait().map_err(|e| e.to_string())?;
                return Err(format!("the process ended: {status}"));
            }
            if let Some(answer) = line.trim_end().strip_prefix(MARK) {
                return Ok(answer.trim_start().into());
            }
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The child: answers until the parent closes its pipe.
pub fn serve() -> Result<(), String> {
    let runner = match env::var_os(NATIVE) {
        Some(library) => Runner::C(Native::open(library)?),
        None => Runner::Driver(Host::new()?),
    };
    let hello = match &runner {
        Runner::C(_) => ["C".into(), native::compiler_version(), native::OPTIONS.join(" ")],
        Runner::Driver(host) => [host.platform_name()?, host.driver_version()?, host.device_name()?],
    };
    println!("{MARK} {}", hello.join("\t"));
    for line in stdin().lines() {
        let line = line.map_err(|e| e.to_string())?;
        let (row, round) = line.split_once('\t').ok_or("bad request")?;
        let row = row.parse::<usize>().ok().and_then(|row| ROWS.get(row).copied()).ok_or("no such row")?;
        let round = round.parse().map_err(|_| "bad round")?;
        match runner.run(row, round) {
            Ok(Some(Times { wall, processor, build, build_processor })) => {
                println!("{MARK} {wall}\t{processor}\t{build}\t{build_processor}");
            }
            Ok(None) => println!("{MARK} absent"),
            Err(reason) => println!("{MARK} {}", reason.replace(['\n', '\t'], " ")),
        }
    }
    Ok(())
}

enum Runner {
    Driver(Host),
    C(Native),
}

impl Runner {
    fn run(&self, row: &Row, round: usize) -> Result<Option<Times>, String> {
        match self {
            Self::Driver(host) => run_driver(host, row, round),
            Self::C(native) => native.run(row, round),
        }
    }
}

/// Times a row in OpenCL.
fn run_driver(host: &Host, row: &Row, round: usize) -> Result<Option<Times>, String> {
    if row.needs.is_some_and(|property| host.device_property(property).unwrap_or(0) == 0) {
        return Ok(None);
    }
    let mut case = (row.setup)();
    let items = env::var(ITEMS).ok().and_then(|items| items.parse().ok());
    if let Some(items) = items {
        case.range = first(&case.range, items);
    }
    let memory: Vec<_> = case.args.iter().map(|arg| memory(host, arg)).collect::<Result<_, _>>()?;
    let objects: Vec<_> = memory.iter().flatten().collect();
    let program;
    let (mut kernel, mut build) = (None, [f64::INFINITY; 2]);
    if let Work::Kernel { file, kernel: name, options } = row.work {
        // A new text in each round, so that no cache answers.
        let source = format!("{}\n/* {round} */\nconstant int round_of_benchmark = {round};\n", read(file)?);
        let code = match env::var_os(SPIRV) {
            Some(compiler) => module(&compiler, &source, options)?,
            None => source.into_bytes(),
        };
        let range = Range { global: case.range.local.unwrap_or(case.range.global), ..case.range.clone() };
        let (start, used) = (Instant::now(), processor_millis());
        program = host.build(&code, options)?;
        let made = program.kernel(name)?;
        set_args(&made, &case.args, &memory)?;
        host.run(&made, &range)?;
        build = [millis(start), processor_millis() - used];
        kernel = Some(made);
    }
    let launch = || match (&row.work, &kernel) {
        (Work::Kernel { .. }, Some(kernel)) => host.run(kernel, &case.range),
        (Work::Copy, _) => host.copy(objects[0], objects[1], case.args[0].bytes().len()),
        _ => host.fill(objects[0], case.args[1].bytes(), case.args[0].bytes().len()),
    };
    if round == 0 && items.is_none() {
        for (arg, object) in case.args.iter().zip(&memory) {
            if let (Arg::Out(bytes), Some(object)) = (arg, object) {
                object.write(bytes)?;
            }
        }
        launch()?;
        let results = case.args.iter().zip(&memory).filter_map(|(arg, object)| match (arg, object) {
            (Arg::Out(bytes), Some(object)) => Some(object.read(bytes.len())),
            _ => None,
        });
        (case.check)(&case.args, &results.collect::<Result<Vec<_>, _>>()?)?;
    }
    let (wall, processor) = least(|| Ok(launch()?))?;
    let [build, build_processor] = build;
    Ok(Some(Times { wall, processor, build, build_processor }))
}

/// The first work-groups of a range, of as many work-items as that, or one group.
fn first(range: &Range, items: usize) -> Range {
    let (mut global, dims) = (range.global, range.dims as usize);
    let local = range.local.unwrap_or([1; 3]);
    for d in (0..dims).rev() {
        let others: usize = (0..dims).filter(|&other| other != d).map(|other| global[other]).product();
        global[d] = global[d].min((items / others.max(1) / local[d]).max(1) * local[d]);
    }
    Range { global, ..range.clone() }
}

/// What a compiler makes of a source.
fn module(compiler: &OsStr, source: &str, options: &str) -> Result<Vec<u8>, String> {
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let [from, to] = ["kernel.cl", "kernel.spv"].map(|name| folder.path().join(name));
    fs::write(&from, source).map_err(|e| e.to_string())?;
    let done = Command::new(compiler).arg(&from).arg(&to).args(options.split_whitespace()).output();
    let done = done.map_err(|e| e.to_string())?;
    if !done.status.success() {
        return Err(String::from_utf8_lossy(&done.stderr).into_owned());
    }
    fs::read(to).map_err(|e| e.to_string())
}

/// The text of a kernel file.
fn read(file: &str) -> Result<String, String> {
    let path = format!("{}/benches/kernels/{file}", env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(&path).map_err(|e| format!("{path}: {e}"))
}

fn memory<'h>(host: &'h Host, arg: &Arg) -> Result<Option<Buffer<'h>>, String> {
    Ok(match arg {
        Arg::In(bytes) | Arg::Out(bytes) => Some(host.buffer(bytes)?),
        Arg::Image { size, bytes } => {
            let image = host.image(RGBA8, *size)?;
            image.write_image(*size, bytes)?;
            Some(image)
        }
        Arg::Value(_) => None,
    })
}

fn set_args(kernel: &Kernel<'_>, args: &[Arg], memory: &[Option<Buffer<'_>>]) -> Result<(), String> {
    for (index, (arg, object)) in (0..).zip(args.iter().zip(memory)) {
        match object {
            Some(object) => kernel.set_buffer(index, Some(object))?,
            None => kernel.set_value(index, arg.bytes())?,
        }
    }
    Ok(())
}

/// Runs often and returns the least wall and processor times of a run in milliseconds.
pub fn least(mut run: impl FnMut() -> Result<(), String>) -> Result<(f64, f64), String> {
    let (begin, mut runs, mut wall, mut processor) = (Instant::now(), 0, f64::INFINITY, f64::INFINITY);
    while runs < RUNS[0] || (runs < RUNS[1] && begin.elapsed() < ENOUGH) {
        let (start, used) = (Instant::now(), processor_millis());
        run()?;
        wall = wall.min(millis(start));
        processor = processor.min(processor_millis() - used);
        runs += 1;
    }
    Ok((wall, processor))
}

fn millis(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}

#[allow(unsafe_code, reason = "the standard library does not tell a process's own processor time")]
fn processor_millis() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes one `timespec`.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

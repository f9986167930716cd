//! Random OpenCL C programs on several OpenCLs, whose results must be the same bits.
//!
//! ```text
//! cargo build --release && cargo run --release -p clift-kernels-test --bin differ --
//!     [--seconds N | --programs N] [--seed S] [--on '[NAME=VALUE …] [-OPTION …] LIBRARY' …] [--few | --quick]
//!     [--small] [--keep FOLDER] [--define NAME=TEXT …] [--known TEXT …] [--reduce FILE] [--patience SECONDS]
//!     [--library FILE]
//! ```
//! The programs are those of `jit/tests/support/generate`, in which all is defined. Each runs on Clift in all its modes
//! (with `--few`, in two) and on what each `--on` names: a library, the loader perhaps, variables of its environment
//! and options of its builds. With `--quick`, each program has one of the four launches, and runs in one of Clift's
//! ways besides the first, another for each program: nearly all of the time goes to making code of the same program
//! again, and more programs find more. With `--small`, programs of many statements, a third, are left out. Every driver
//! runs in processes of its own, whose crash or hang is a difference, too. A program on which two differ stays in
//! `--keep`, and `--reduce` makes such a file as small as it can. `--define` goes to all builds: what one of them is
//! known to get wrong can be another thing for all. A build whose log has one of the `--known` texts does not count.
//! Exit code 1 if there was a difference.
//!
//! Must not know anything of the drivers but their API, and of Clift but its variables and options.

mod child;
#[path = "../../../../jit/tests/support/generate/mod.rs"]
mod generate;
mod peer;
mod reduce;

use child::{Job, Outcome};
use generate::Need;
use peer::{Peer, Setting};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use std::{env, fs, thread};

/// The options of every build.
const OPTIONS: &str = "-cl-std=CL3.0 -cl-fp32-correctly-rounded-divide-sqrt";
/// Programs between two lines that tell how far it is.
const LINE: u64 = 100;

/// What the command line asks.
struct Request {
    seconds: Option<u64>,
    programs: Option<u64>,
    seed: u64,
    others: Vec<Setting>,
    few: bool,
    quick: bool,
    small: bool,
    keep: Option<PathBuf>,
    reduce: Option<PathBuf>,
    /// Clift, if it is not the one beside this program.
    library: Option<PathBuf>,
    patience: Duration,
    /// Of every build.
    options: String,
    /// Words of the logs of builds that are known to fail.
    known: Vec<String>,
}

fn main() -> ExitCode {
    if env::var_os(peer::CHILD).is_some() {
        return match child::serve() {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        };
    }
    let outcome = parse(env::args().skip(1)).and_then(|request| match &request.reduce {
        Some(file) => reduce_file(&request, file),
        None => compare(&request),
    });
    match outcome {
        Ok(summary) => {
            println!("differ: {summary}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            println!("differ: {message}");
            ExitCode::FAILURE
        }
    }
}

fn parse(mut args: impl Iterator<Item = String>) -> Result<Request, String> {
    let mut request = Request {
        seconds: None,
        programs: None,
        seed: 1,
        others: Vec::new(),
        few: false,
        quick: false,
        small: false,
        keep: None,
        reduce: None,
        library: None,
        patience: Duration::from_secs(60),
        options: OPTIONS.into(),
        known: Vec::new(),
    };
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--few" => request.few = true,
            "--quick" => request.quick = true,
            "--small" => request.small = true,
            _ => valued(&mut request, &arg, args.next())?,
        }
    }
    Ok(request)
}

/// An argument with a value.
fn valued(request: &mut Request, arg: &str, value: Option<String>) -> Result<(), String> {
    let value = value.ok_or_else(|| format!("{arg} needs a value"))?;
    let number = || value.parse().map_err(|_| format!("{arg} {value}: not a number"));
    match arg {
        "--seconds" => request.seconds = Some(number()?),
        "--programs" => request.programs = Some(number()?),
        "--seed" => request.seed = number()?,
        "--patience" => request.patience = Duration::from_secs(number()?),
        "--on" => request.others.push(Setting::parse(&value)?),
        "--define" => request.options += &format!(" -D{value}"),
        "--known" => request.known.push(value),
        "--keep" => request.keep = Some(value.into()),
        "--library" => request.library = Some(value.into()),
        "--reduce" => request.reduce = Some(value.into()),
        _ => return Err(format!("{arg} is not known")),
    }
    Ok(())
}

/// Clift in its modes, and the others.
fn settings(request: &Request) -> Vec<Setting> {
    let few = Setting::clift("clift", &[], &["", "-cl-opt-disable"]);
    let checked = "CLIFT_CHECK=memory,races,barriers,values";
    let mut all = if request.few {
        vec![few]
    } else {
        vec![
            few,
            Setting::clift("clift", &[], &["-g", "-g -cl-opt-disable"]),
            Setting::clift("scalar", &["CLIFT_ISA=scalar"], &[""]),
            Setting::clift("v128", &["CLIFT_ISA=v128"], &[""]),
            Setting::clift("avx2", &["CLIFT_ISA=avx2"], &["", "-g"]),
            Setting::clift("avx512", &["CLIFT_ISA=avx512"], &[""]),
            Setting::clift("masked", &["CLIFT_FORCE=width=8,masked"], &[""]),
            Setting::clift("last", &["CLIFT_FORCE=width=16,last,rows=2", "CLIFT_ISA=avx2"], &[""]),
            Setting::clift("narrow", &["CLIFT_FORCE=width=4,masked,generic", "CLIFT_ISA=v128"], &[""]),
            Setting::clift("special", &["CLIFT_FORCE=values,large,resume"], &[""]),
            Setting::clift("checked", &[checked, "CLIFT_CHECK_LOG=/dev/null"], &[""]),
        ]
    };
    all.iter_mut().for_each(|setting| setting.library.clone_from(&request.library));
    all.extend(request.others.iter().cloned());
    all
}

/// A kernel that builds where there is what a program may need.
fn probe(need: Option<Need>) -> Job {
    let (test, image) = match need {
        None => ("__OPENCL_VERSION__", ""),
        Some(Need::Halves) => ("cl_khr_fp16", ""),
        Some(Need::Collectives) => ("__opencl_c_work_group_collective_functions", ""),
        Some(Need::SubGroups) => ("__opencl_c_subgroups", ""),
        Some(Need::Images) => ("__opencl_c_images", ", read_only image2d_t img"),
        Some(Need::Rounding) => ("cl_khr_select_fprounding_mode", ""),
    };
    let kernel = format!("kernel void k(global ulong *out, global const int *in, local uint *tile{image}) {{}}");
    let source = format!("#ifndef {test}\n#error no\n#endif\n{kernel}\n");
    Job { source, options: OPTIONS.into(), inputs: generate::inputs(1), only: None }
}

/// Starts all, and asks what they lack.
///
/// Errors: one of them does not run anything.
fn start(request: &Request) -> Result<Vec<Peer>, String> {
    let needs = [Need::Halves, Need::Collectives, Need::SubGroups, Need::Images, Need::Rounding];
    let one = |setting| {
        let mut peer = Peer::new(setting, request.patience);
        if let Outcome::Refused(why) | Outcome::Died(why) = peer.run(&probe(None)) {
            return Err(format!("{} does not run: {why}", peer.setting.name));
        }
        let lacks = |&need: &Need| matches!(peer.run(&probe(Some(need))), Outcome::Refused(_));
        peer.lacks = needs.into_iter().filter(lacks).collect();
        if !peer.lacks.is_empty() {
            println!("{} lacks {:?}", peer.setting.name, peer.lacks);
        }
        Ok(peer)
    };
    settings(request).into_iter().map(one).collect()
}

/// The same outcome, as far as both have been asked.
fn agree(one: &Outcome, other: &Outcome) -> bool {
    match (one, other) {
        (Outcome::Left(one), Outcome::Left(other)) => {
            one.iter().zip(other).all(|(one, other)| one == other || one.is_empty() || other.is_empty())
        }
        _ => false,
    }
}

/// Who agrees with whom, the first with those that agree with Clift.
fn camps(outcomes: &[(String, Outcome)]) -> Vec<Vec<usize>> {
    let mut camps: Vec<Vec<usize>> = Vec::new();
    for (n, (_, outcome)) in outcomes.iter().enumerate() {
        match camps.iter_mut().find(|camp| agree(&outcomes[camp[0]].1, outcome)) {
            Some(camp) => camp.push(n),
            None => camps.push(vec![n]),
        }
    }
    camps
}

/// The value of `out` at an index, 0 if it was not read.
fn value(left: &[u8], at: usize) -> u64 {
    let bytes = left.chunks_exact(8).nth(at).and_then(|bytes| bytes.try_into().ok());
    bytes.map_or(0, u64::from_le_bytes)
}

/// The first launch, and the index of `out` there, where two camps have left something else.
fn first_difference(outcomes: &[(String, Outcome)], camps: &[Vec<usize>]) -> Option<(usize, usize)> {
    let leads = camps.iter().filter_map(|camp| match &outcomes[camp[0]].1 {
        Outcome::Left(left) => Some(left),
        _ => None,
    });
    let leads: Vec<_> = leads.collect();
    let mut places = (0..child::LAUNCHES.len()).flat_map(|launch| (0..child::OUTPUTS).map(move |at| (launch, at)));
    places.find(|&(launch, at)| {
        let mut values = leads.iter().filter(|left| !left[launch].is_empty()).map(|left| value(&left[launch], at));
        let one = values.next();
        values.any(|other| Some(other) != one)
    })
}

/// A line for each camp.
fn describe(outcomes: &[(String, Outcome)], camps: &[Vec<usize>]) -> String {
    let first = first_difference(outcomes, camps);
    let line = |camp: &Vec<usize>| {
        let names: Vec<&str> = camp.iter().map(|&n| outcomes[n].0.as_str()).collect();
        let what = match &outcomes[camp[0]].1 {
            Outcome::Left(left) => match first {
                Some((launch, at)) => format!("launch {launch} leaves out[{at}] = {:#x}", value(&left[launch], at)),
                None => "leave the same".into(),
            },
            Outcome::Refused(why) => {
                let errors = why.lines().filter(|line| line.contains("error")).take(3);
                format!("refused: {}", errors.chain(why.lines().take(1)).collect::<Vec<_>>().join("\n        "))
            }
            Outcome::Died(why) => format!("died: {why}"),
        };
        format!("    {}: {what}", names.join(", "))
    };
    camps.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The program with this number in all ways whose turn it is, each driver at the same time.
fn run_all(peers: &mut [Peer], job: &Job, seed: u64, request: &Request) -> Vec<(String, Outcome)> {
    let needs = generate::needs(seed);
    let able = |peer: &Peer| !needs.iter().any(|need| peer.lacks.contains(need));
    let ours = peers.len() - request.others.len();
    // Clift's first way is always there, and so are the others.
    let ways: usize = peers[..ours].iter().map(|peer| peer.setting.options.len()).sum();
    let turn = 1 + scatter(seed) % (ways - 1);
    let (mut chosen, mut before) = (Vec::new(), 0);
    for (n, peer) in peers.iter_mut().enumerate() {
        let all = peer.setting.options.clone().into_iter().enumerate();
        let has_turn = |way: usize| !request.quick || n >= ours || [0, turn].contains(&way);
        let options: Vec<String> = all.filter(|(m, _)| has_turn(before + m)).map(|(_, option)| option).collect();
        before += peer.setting.options.len();
        if !options.is_empty() && able(peer) {
            chosen.push((peer, options));
        }
    }
    thread::scope(|scope| {
        let threads = chosen.into_iter().map(|(peer, options)| scope.spawn(move || peer.run_with(job, &options)));
        let threads: Vec<_> = threads.collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
    })
}

/// A number that has nothing to do with what the generator takes from the seed.
fn scatter(seed: u64) -> usize {
    (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize
}

/// The program with this number.
fn job(seed: u64, request: &Request) -> Job {
    Job {
        source: generate::wide_program(seed),
        options: request.options.clone(),
        inputs: generate::inputs(seed),
        only: request.quick.then(|| (scatter(seed) / 64 % child::LAUNCHES.len()) as u8),
    }
}

fn compare(request: &Request) -> Result<String, String> {
    let mut peers = start(request)?;
    let start = Instant::now();
    let (mut programs, mut different) = (0u64, 0u64);
    let goes_on = |programs: u64| match (request.programs, request.seconds) {
        (Some(n), _) => programs < n,
        (None, seconds) => start.elapsed() < Duration::from_secs(seconds.unwrap_or(60)),
    };
    let mut seeds = (request.seed..).filter(|&seed| !request.small || generate::is_small(seed));
    while goes_on(programs) {
        let Some(seed) = seeds.next() else { break };
        programs += 1;
        let job = job(seed, request);
        let mut outcomes = run_all(&mut peers, &job, seed, request);
        outcomes.retain(|(_, outcome)| match outcome {
            Outcome::Refused(why) => !request.known.iter().any(|word| why.contains(word)),
            _ => true,
        });
        let camps = camps(&outcomes);
        if camps.len() > 1 || !matches!(outcomes[..], [(_, Outcome::Left(_)), ..]) {
            different += 1;
            println!("seed {seed}:\n{}", describe(&outcomes, &camps));
            if let Some(folder) = &request.keep {
                fs::create_dir_all(folder).map_err(|e| e.to_string())?;
                let text = format!("// seed {seed}\n{}", job.source);
                fs::write(folder.join(format!("{seed}.cl")), text).map_err(|e| e.to_string())?;
            }
        }
        if programs.is_multiple_of(LINE) {
            println!("{programs} programs, {different} with differences, {} s", start.elapsed().as_secs());
        }
    }
    let names: usize = peers.iter().map(|peer| peer.setting.options.len()).sum();
    let summary = format!("{programs} programs in {names} ways, {different} with differences");
    if different == 0 { Ok(summary) } else { Err(summary) }
}

/// Makes the program of a file smaller as long as the first two camps differ.
fn reduce_file(request: &Request, file: &PathBuf) -> Result<String, String> {
    let text = fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
    let seed = text.lines().find_map(|line| line.strip_prefix("// seed ")).and_then(|n| n.trim().parse().ok());
    let seed = seed.ok_or_else(|| format!("{}: no line `// seed N`", file.display()))?;
    let mut job = Job { source: text, ..job(seed, request) };
    let mut peers = start(request)?;
    let outcomes = run_all(&mut peers, &job, seed, request);
    let camps = camps(&outcomes);
    println!("{}", describe(&outcomes, &camps));
    // One launch is enough, and takes less time.
    job.only = first_difference(&outcomes, &camps[..camps.len().min(2)]).map(|(launch, _)| launch as u8).or(job.only);
    let [one, other] = match camps.as_slice() {
        [one, other, ..] => [one[0], other[0]],
        _ => return Err("all agree".into()),
    };
    let alone = |n: usize| {
        let ways = peers.iter().flat_map(|peer| peer.setting.options.iter().map(move |option| (peer, option.as_str())));
        let named = |(peer, option): &(&Peer, &str)| peer.setting.with(option) == outcomes[n].0;
        let (peer, option) = ways.into_iter().find(named).ok_or("no such way")?;
        Ok::<_, String>(Peer::new(Setting { options: vec![option.into()], ..peer.setting.clone() }, request.patience))
    };
    let pair = [alone(one)?, alone(other)?];
    let to = file.with_extension("reduced.cl");
    let reduced = reduce::reduce(&job, pair, request.library.clone(), &to)?;
    Ok(format!("{} lines, in {}", reduced.lines().count(), to.display()))
}

//! Sources that others wrote, from a folder outside: each builds and becomes machine code. By hand:
//! `CLIFT_CORPUS=FOLDER cargo test --release -p clift-jit --test corpus -- --ignored --nocapture`. A file `name.cl` is
//! built with the options in `name.opt`, if that exists; one whose options begin with a number other than 0 must be
//! refused. What fails, how many there were and how long each stage took is printed.

use clift_jit::{BuildError, SpecKey, build};
use std::path::PathBuf;
use std::time::{Duration, Instant};

#[derive(Default)]
struct Tally {
    sources: usize,
    bytes: usize,
    kernels: usize,
    refused: usize,
    /// Lack what another object has.
    parts: usize,
    front: Duration,
    code: Duration,
    slowest: (Duration, String),
}

#[test]
#[ignore = "needs a folder of sources"]
fn sources_of_a_folder_become_machine_code() {
    let folder = PathBuf::from(std::env::var_os("CLIFT_CORPUS").expect("CLIFT_CORPUS names a folder"));
    let mut paths: Vec<PathBuf> = folder.read_dir().expect("the folder").flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "cl"));
    paths.sort();
    let (mut tally, mut wrong) = (Tally::default(), Vec::new());
    for path in &paths {
        let source = std::fs::read(path).expect("a readable file");
        let options = std::fs::read_to_string(path.with_extension("opt")).unwrap_or_default();
        let (status, options) = match options.split_once(' ') {
            Some((status, rest)) if status.parse::<i32>().is_ok() => (status.to_owned(), rest.to_owned()),
            _ => ("0".to_owned(), options),
        };
        let start = Instant::now();
        let built = build(&source, &options, &[]);
        let front = start.elapsed();
        let start = Instant::now();
        let problem = match &built.program {
            Err(_) if status != "0" && !built.log.contains("internal") => {
                tally.refused += 1;
                None
            }
            Err(BuildError::Link) => {
                tally.parts += 1;
                None
            }
            Err(_) => Some(built.log.lines().take(3).collect::<Vec<_>>().join(" | ")),
            Ok(program) => {
                tally.kernels += program.kernels().len();
                let mut codes = (0..program.kernels().len())
                    .map(|k| program.code(k, SpecKey { local_size: None, small_ids: true, ..SpecKey::default() }));
                codes.find_map(Result::err).map(|error| error.message)
            }
        };
        let code = start.elapsed();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        tally.slowest = tally.slowest.max((front + code, name.clone()));
        (tally.sources, tally.bytes) = (tally.sources + 1, tally.bytes + source.len());
        (tally.front, tally.code) = (tally.front + front, tally.code + code);
        if let Some(problem) = problem {
            println!("{name}: {problem}");
            wrong.push(name);
        }
    }
    let Tally { sources, bytes, kernels, refused, parts, front, code, slowest } = tally;
    println!(
        "{sources} sources, {bytes} bytes, {kernels} kernels; {parts} to be linked, {refused} refused as they were, {} wrong",
        wrong.len()
    );
    println!("front end and passes {front:.1?}, machine code {code:.1?}; slowest {} with {:.1?}", slowest.1, slowest.0);
    assert!(sources > 0, "no sources in {}", folder.display());
    assert!(wrong.is_empty(), "{} of {sources} sources", wrong.len());
}

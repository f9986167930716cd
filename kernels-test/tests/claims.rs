//! What the compiler's analyses say of the kernels of `cases/**/*.cl` holds when they run: see `clift_jit::claims`.

use clift_jit::claims::{CLAIMS, Given, Report, Setup, check};
use clift_jit::interp::Launch;
use clift_jit::lowered;
use clift_jit::pipeline::Runner;
use clift_kernels_test::case::{Arg, Case, Run};
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// Instructions of one run.
const STEPS: u64 = 1 << 24;

/// What came of some kernels.
#[derive(Default)]
struct Tally {
    report: Report,
    checked: usize,
    skipped: Vec<String>,
}

#[test]
fn claims_hold_in_all_cases() {
    let sources = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("cases"));
    let tallies: Vec<Tally> = sources.par_iter().map(|path| check_case(path)).collect();
    let mut all = Tally::default();
    for tally in tallies {
        all.report.add(tally.report);
        all.checked += tally.checked;
        all.skipped.extend(tally.skipped);
    }
    let Tally { report, checked, skipped } = all;
    println!("{checked} kernels checked, {} skipped", skipped.len());
    CLAIMS.iter().zip(report.checked).for_each(|(claim, n)| println!("{n:>12} {claim:?}"));
    skipped.iter().for_each(|text| println!("{text}"));
    assert!(report.violations.is_empty(), "\n{}", report.told());
    let unchecked: Vec<_> = CLAIMS.iter().zip(report.checked).filter(|(_, n)| *n == 0).collect();
    assert!(unchecked.is_empty(), "{unchecked:?}");
}

fn check_case(path: &Path) -> Tally {
    let mut tally = Tally::default();
    let source = std::fs::read_to_string(path).expect("a readable file");
    let case = Case::parse(&source).expect("a case");
    let Ok(lowered) = lowered(source.as_bytes(), &case.options) else { return tally };
    let mut module = lowered.clone();
    Runner::default().program(&mut module);
    for run in &case.runs {
        let find = |(info, _): &(clift_jit::KernelInfo, _)| info.name == run.kernel;
        let kernel = module.kernels.iter().position(find).expect("the kernel");
        let fixed = module.kernels[kernel].0.reqd_work_group_size;
        let launch = launch(run, fixed);
        let args: Vec<Given> = run.args.iter().map(given).collect();
        let (lowered, module) = (&lowered, &module);
        let setup = Setup { lowered, module, kernel, args: &args, launch, steps: STEPS, widths: &[4, 16] };
        let name = format!("{} {}", path.file_name().unwrap_or_default().display(), run.kernel);
        match check(&setup) {
            Ok(mut found) => {
                tally.checked += 1;
                found.violations.iter_mut().for_each(|violation| violation.locate(&name));
                tally.report.add(found);
            }
            Err(skip) => tally.skipped.push(format!("{name}: {skip:?}")),
        }
    }
    tally
}

fn launch(run: &Run, fixed: Option<[u64; 3]>) -> Launch {
    let global_size = run.range.global.map(|n| n as u64);
    let own = fixed.unwrap_or_else(|| std::array::from_fn(|d| if d == 0 { global_size[0].min(20) } else { 1 }));
    Launch {
        work_dim: run.range.dims,
        global_size,
        global_offset: run.range.offset.map_or([0; 3], |at| at.map(|n| n as u64)),
        local_size: run.range.local.map_or(own, |sizes| sizes.map(|n| n as u64)),
    }
}

fn given(arg: &Arg) -> Given {
    match arg {
        Arg::Buffer { before, .. } => Given::Buffer(before.clone()),
        Arg::Value(bytes) => Given::Value(bytes.clone()),
        Arg::Local(bytes) => Given::Local(*bytes as u64),
        Arg::Null => Given::Null,
        Arg::Again(n) => Given::Again(*n),
    }
}

/// Files `*.cl` below a folder, sorted.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut work) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = work.pop() {
        for path in std::fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                work.push(path);
            } else if path.extension().is_some_and(|e| e == "cl") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

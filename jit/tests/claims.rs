//! What analyses say of kernels holds when they run: see `clift_jit::claims`. The programs are those of the language
//! tests, random ones for about a second, and by hand those of a folder (see `corpus`):
//! `CLIFT_CORPUS=FOLDER cargo test --release -p clift-jit --test claims -- --ignored --nocapture`; `CLIFT_PART=i/n`
//! takes every n-th, beginning with number i.

#[path = "support/claims.rs"]
mod claims;
#[path = "support/generate/mod.rs"]
mod generate;

use claims::{Tally, source};
use clift_jit::claims::Given;
use clift_jit::interp::Launch;
use clift_jit::lowered;
use clift_jit::pipeline::Runner;
use generate::{GROUP, ITEMS, TILE_BYTES, inputs, program};
use std::time::{Duration, Instant};

#[test]
fn language() {
    let mut tally = Tally::default();
    let files = [
        include_str!("language/scalars.txt"),
        include_str!("language/vectors.txt"),
        include_str!("language/memory.txt"),
        include_str!("language/generic.txt"),
        include_str!("language/control.txt"),
        include_str!("language/builtins.txt"),
        include_str!("language/rounding.txt"),
    ];
    for case in
        files.iter().flat_map(|text| format!("\n{text}").split("\n== ").skip(1).map(str::to_owned).collect::<Vec<_>>())
    {
        let (name, rest) = case.split_once('\n').expect("a name");
        let (declarations, rest) = rest.split_once("--\n").expect("`--`");
        let (body, _) = rest.split_once("\n=> ").expect("`=>`");
        let text = format!(
            "#define F(i, x) (((global float *)o)[i] = (x))\n{declarations}\nkernel void test(global int *o, global float *f) {{\n\
             o += 64 * get_global_id(0);\n{body}\n}}\n"
        );
        source(&mut tally, name, &text, "-cl-std=CL3.0", 1 << 20);
    }
    tally.print();
    assert!(tally.kernels > 40, "{} kernels", tally.kernels);
    assert!(tally.report.violations.is_empty());
}

/// Programs count on it; then nothing may rest on the contrary.
#[test]
fn components_of_vectors_wrap() {
    let mut tally = Tally::default();
    let text = "kernel void k(global char4 *p, global int4 *q) {
                    int i = get_global_id(0);
                    p[i] = (p[i] + (char4)100) * (char4)77 - (char4)(127, -128, 99, -99);
                    q[i] = q[i] * INT_MAX + 1 - (int4)INT_MIN;
                }";
    source(&mut tally, "wrap", text, "-cl-std=CL3.0", 1 << 20);
    assert_eq!((tally.kernels, tally.report.violations), (1, Vec::new()), "{:?}", tally.skipped);
}

#[test]
fn random_programs() {
    let number = |name: &str| std::env::var(name).ok().and_then(|s| s.parse::<u64>().ok());
    let end = Instant::now() + Duration::from_secs(number("FUZZ_SECONDS").unwrap_or(1));
    let mut seed = number("FUZZ_START").unwrap_or(1);
    let mut tally = Tally::default();
    while Instant::now() < end {
        let lowered = lowered(program(seed).as_bytes(), "-cl-std=CL3.0").expect("a program");
        let mut module = lowered.clone();
        Runner::default().program(&mut module);
        let args = [
            Given::Buffer(vec![0xa5; 8 * ITEMS as usize]),
            Given::Buffer(inputs(seed).iter().flat_map(|x| x.to_le_bytes()).collect()),
            Given::Local(TILE_BYTES as u64),
        ];
        let launch = Launch::linear(2 * GROUP, GROUP);
        tally.add(&format!("seed {seed}"), claims::run(&lowered, &module, 0, &args, launch, 1 << 22));
        seed += 1;
    }
    tally.print();
    assert!(tally.kernels > 0);
    assert!(tally.report.violations.is_empty());
}

#[test]
#[ignore = "needs a folder of sources"]
fn folder() {
    let folder = std::path::PathBuf::from(std::env::var_os("CLIFT_CORPUS").expect("CLIFT_CORPUS names a folder"));
    let part = std::env::var("CLIFT_PART").unwrap_or_else(|_| "0/1".into());
    let (first, step) = part.split_once('/').expect("i/n");
    let (first, step): (usize, usize) = (first.parse().expect("i"), step.parse().expect("n"));
    let mut paths: Vec<_> = folder.read_dir().expect("the folder").flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "cl"));
    paths.sort();
    let mut tally = Tally::default();
    for path in paths.iter().skip(first).step_by(step) {
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        let options = std::fs::read_to_string(path.with_extension("opt")).unwrap_or_default();
        let options = match options.split_once(' ') {
            Some((status, rest)) if status.parse::<i32>().is_ok() => rest.to_owned(),
            _ => options,
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let before = tally.report.violations.len();
        source(&mut tally, &name, &text, &options, 1 << 18);
        tally.report.violations[before..].iter().for_each(|text| println!("{text}"));
    }
    for (why, list) in &tally.skipped {
        list.iter().for_each(|text| println!("SKIPPED {why}: {text}"));
    }
    tally.print();
    assert!(tally.report.violations.is_empty());
}

//! Mutated programs go through the whole compiler: each is refused with a diagnostic or becomes machine code, never a
//! panic or an internal error.

#[path = "support/mutate.rs"]
mod mutate;
#[path = "support/rng.rs"]
mod rng;

use clift_jit::{SpecKey, build};
use mutate::{mutate, words};
use rng::Rng;

/// Programs of the language tests.
fn seeds() -> Vec<String> {
    let files = [
        include_str!("language/scalars.txt"),
        include_str!("language/vectors.txt"),
        include_str!("language/memory.txt"),
        include_str!("language/control.txt"),
        include_str!("language/builtins.txt"),
        include_str!("language/rounding.txt"),
    ];
    let cases = files.iter().flat_map(|text| text.split("\n== ").map(str::to_owned).collect::<Vec<_>>());
    cases
        .filter_map(|case| {
            let (declarations, rest) = case.split_once('\n')?.1.split_once("--\n")?;
            let (body, _) = rest.split_once("\n=> ")?;
            Some(format!(
                "#define F(i, x) (((global float *)o)[i] = (x))\n{declarations}\nkernel void test(global int *o, global float *f) {{\n{body}\n}}\n"
            ))
        })
        .collect()
}

#[test]
fn mutated_programs_are_compiled_or_refused() {
    let seeds = seeds();
    let pool: Vec<&str> = seeds.iter().flat_map(|seed| words(seed)).collect();
    let mut rng = Rng(0x2545_f491_4f6c_dd1d);
    let (mut good, mut problems) = (0, String::new());
    let rounds = std::env::var("CLIFT_FUZZ_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(300);
    for round in 0..rounds {
        let changes = 1 + rng.below(2);
        let source = mutate(&seeds[round % seeds.len()], &pool, changes, &mut rng);
        let built = build(source.as_bytes(), "-cl-std=CL3.0", &[]);
        let problem = match built.program {
            Err(_) if built.log.contains("internal") => Some(built.log),
            Err(_) => None,
            Ok(program) => {
                good += 1;
                (0..program.kernels().len())
                    .find_map(|kernel| {
                        program.code(kernel, SpecKey { local_size: None, small_ids: true, ..SpecKey::default() }).err()
                    })
                    .map(|error| error.message)
            }
        };
        if let Some(problem) = problem {
            problems += &format!("round {round}: {problem}\n{source}\n\n");
        }
    }
    assert!(good > rounds / 20, "only {good} programs of {rounds} were accepted");
    assert!(problems.is_empty(), "{problems}");
}

//! Mutated SPIR-V modules go through the whole compiler: each is refused with a message or becomes machine code, never
//! a panic or an internal error, and never takes long. Nothing is run. Runs for a few seconds, or as
//! `support/seeds.rs` says; `FUZZ_MODULES=FOLDER` mutates the modules in a folder as well, `FUZZ_KEEP=FILE` keeps each
//! mutant there until the next one. Modules that are wrong in a known way are in `spirv_wrong.rs`.

#[path = "support/mutate_il.rs"]
mod mutate_il;
#[path = "support/rng.rs"]
mod rng;
#[path = "support/seeds.rs"]
mod seeds;

use clift_jit::{SpecKey, build_il, spirv};
use mutate_il::{bytes, mutant, words};
use rng::Rng;
use std::path::Path;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// No small module takes so long, whatever is wrong with it, even where other work keeps the machine busy.
const LIMIT: Duration = Duration::from_secs(30);

/// Modules as words, from the sources beside them.
static MODULES: LazyLock<Vec<Vec<u32>>> = LazyLock::new(|| {
    let mut modules = folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/spirv"), u64::MAX);
    if let Some(more) = std::env::var_os("FUZZ_MODULES") {
        modules.extend(folder(Path::new(&more), 1 << 16));
    }
    modules
});

/// The modules in a folder that have at most so many bytes.
fn folder(path: &Path, bytes: u64) -> Vec<Vec<u32>> {
    let entries = std::fs::read_dir(path).expect("the folder can be read").filter_map(Result::ok);
    let mut files: Vec<_> = entries.map(|entry| entry.path()).collect();
    files.retain(|file| {
        file.extension().is_some_and(|ext| ext == "spv") && file.metadata().is_ok_and(|data| data.len() <= bytes)
    });
    files.sort_unstable();
    files.into_iter().map(|file| words(&std::fs::read(file).expect("the file can be read"))).collect()
}

#[test]
fn mutants_are_compiled_or_refused() {
    seeds::each_for(5, |seed| {
        let mut rng = Rng(seed);
        let il = mutant(&MODULES[rng.below(MODULES.len())], &MODULES, &mut rng);
        if let Some(file) = std::env::var_os("FUZZ_KEEP") {
            std::fs::write(file, &il).expect("the file can be written");
        }
        // Machine code takes longest.
        survives(&il, rng.one_in(2));
    });
}

/// Each module of ours is accepted, also in the other byte order, so that mutants have something to begin with.
#[test]
fn modules_are_compiled() {
    for module in &*MODULES {
        for module in [module.clone(), module.iter().map(|word| word.swap_bytes()).collect()] {
            let log = survives(&bytes(&module), true);
            assert_eq!(log, None);
        }
    }
}

/// The compiler does with a module what it should; the log if it refuses it.
fn survives(il: &[u8], with_code: bool) -> Option<String> {
    let start = Instant::now();
    if let Err(message) = spirv::check(il) {
        assert!(!message.is_empty(), "refused without a message");
    }
    let _ = spirv::disassemble(il);
    let built = build_il(il, &[(7, vec![9, 0, 0, 0])], "");
    let log = match built.program {
        Err(_) => {
            assert!(!built.log.is_empty() && !built.log.contains("internal"), "{}", built.log);
            Some(built.log)
        }
        Ok(program) => {
            let key = SpecKey { local_size: None, small_ids: true, ..SpecKey::default() };
            for kernel in 0..program.kernels().len().min(usize::from(with_code) * 3) {
                if let Err(error) = program.code(kernel, key) {
                    // A variable may be larger than the private memory that there is.
                    assert!(error.too_large, "{}", error.message);
                }
            }
            None
        }
    };
    let took = start.elapsed();
    assert!(took < LIMIT, "a module of {} bytes takes {took:?}", il.len());
    log
}

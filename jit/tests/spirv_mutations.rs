//! Mutated SPIR-V modules go through the whole compiler: each is refused with a message or becomes machine code, never
//! a panic or an internal error, and never takes long. Nothing is run. Runs for a few seconds, or as
//! `support/seeds.rs` says; `FUZZ_MODULES=FOLDER` mutates the modules in a folder as well, `FUZZ_KEEP=FILE` keeps each
//! mutant there until the next one. Modules that are wrong in a known way are in `spirv_wrong.rs`.

#[path = "support/rng.rs"]
mod rng;
#[path = "support/seeds.rs"]
mod seeds;

use clift_jit::{SpecKey, build_il, spirv};
use rng::Rng;
use std::path::Path;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// No small module takes so long, whatever is wrong with it, even where other work keeps the machine busy.
const LIMIT: Duration = Duration::from_secs(30);

/// Words of a header.
const HEADER: usize = 5;

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
    let read = |file| std::fs::read(file).expect("the file can be read");
    let words = |bytes: Vec<u8>| bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect();
    files.into_iter().map(read).map(words).collect()
}

/// A module in bytes.
fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn mutants_are_compiled_or_refused() {
    seeds::each_for(5, |seed| {
        let mut rng = Rng(seed);
        let il = mutant(&mut rng);
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

/// A module with one to four changes.
fn mutant(rng: &mut Rng) -> Vec<u8> {
    let module = &MODULES[rng.below(MODULES.len())];
    let (header, mut insts) = (module[..HEADER].to_vec(), split(&module[HEADER..]));
    for _ in 0..=rng.below(4) {
        change(&mut insts, &header, rng);
    }
    let mut words = header;
    words.extend(insts.into_iter().flatten());
    match rng.below(40) {
        0 => words.truncate(rng.below(words.len())),
        1 => words.iter_mut().for_each(|word| *word = word.swap_bytes()),
        2 => {
            let at = rng.below(HEADER);
            words[at] = rng.next() as u32;
        }
        3 => {
            // Bits anywhere.
            let at = rng.below(words.len());
            words[at] ^= 1 << rng.below(32);
        }
        _ => {}
    }
    let mut il = bytes(&words);
    if rng.one_in(200) {
        il.truncate(rng.below(il.len().max(1)));
    }
    il
}

/// The instructions of a module that is well-formed.
fn split(mut words: &[u32]) -> Vec<Vec<u32>> {
    let mut insts = Vec::new();
    while let Some(first) = words.first() {
        let (inst, rest) = words.split_at((first >> 16) as usize);
        insts.push(inst.to_vec());
        words = rest;
    }
    insts
}

/// Changes something between instructions, or in one.
fn change(insts: &mut Vec<Vec<u32>>, header: &[u32], rng: &mut Rng) {
    if insts.is_empty() {
        return;
    }
    let (at, other) = (rng.below(insts.len()), rng.below(insts.len()));
    match rng.below(16) {
        0 => insts.swap(at, other),
        1 => {
            insts.remove(at);
        }
        2 => insts.insert(at, insts[other].clone()),
        3 => {
            // From another module: with ids that mean something else here.
            let from = split(&MODULES[rng.below(MODULES.len())][HEADER..]);
            let inst = from[rng.below(from.len())].clone();
            insts.insert(at, inst);
        }
        4 => {
            let end = (at + 1 + rng.below(8)).min(insts.len());
            insts[at..end].reverse();
        }
        5 => {
            // Another instruction of the same shape.
            let opcode = if rng.one_in(2) { insts[other][0] & 0xffff } else { rng.below(500) as u32 };
            insts[at][0] = insts[at][0] & !0xffff | opcode;
        }
        6 => {
            let length = rng.below(insts[at].len()) + 1;
            insts[at].truncate(length);
            insts[at][0] = (length as u32) << 16 | insts[at][0] & 0xffff;
        }
        7 => {
            let more: Vec<u32> = (0..=rng.below(4)).map(|_| word(insts, header, rng)).collect();
            insts[at].extend(more);
            let length = insts[at].len() as u32;
            insts[at][0] = length << 16 | insts[at][0] & 0xffff;
        }
        8 if insts[at].len() > 2 => {
            let n = insts[at].len() - 1;
            let (a, b) = (1 + rng.below(n), 1 + rng.below(n));
            insts[at].swap(a, b);
        }
        9 => rename(insts, header, rng),
        _ => {
            let n = rng.below(insts[at].len());
            if n > 0 {
                insts[at][n] = word(insts, header, rng);
            }
        }
    }
}

/// One id becomes another one wherever it occurs from some instruction on.
fn rename(insts: &mut [Vec<u32>], header: &[u32], rng: &mut Rng) {
    let [from, to] = [0; 2].map(|_| rng.below(header[3] as usize) as u32);
    let first = rng.below(insts.len());
    for word in insts[first..].iter_mut().flat_map(|inst| &mut inst[1..]) {
        if *word == from {
            *word = to;
        }
    }
}

/// An operand: an id, a word that occurs, a number that is small or huge.
fn word(insts: &[Vec<u32>], header: &[u32], rng: &mut Rng) -> u32 {
    match rng.below(8) {
        0..3 => rng.below(header[3] as usize) as u32,
        3..6 => {
            let inst = &insts[rng.below(insts.len())];
            inst[rng.below(inst.len())]
        }
        6 => rng.below(70) as u32,
        _ => rng.of(&[u32::MAX, 1 << 31, 1 << 30, 0xffff, 1 << 16, 1 << 20, 0x7fff_ffff, 0xffff_fff0]),
    }
}

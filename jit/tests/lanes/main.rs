//! Random functions in lane form: the interpreter and the machine code agree on every bit, and lanes whose mask is not
//! set touch no memory: buffers end at a page without access. A failure prints the seed. `cargo test -- --ignored` goes
//! on for `CLIFT_FUZZ_SECONDS` (60).
#![allow(unsafe_code, reason = "runs generated code on buffers made here")]

mod guard;
mod random;

use clift_jit::codegen::{Backend, Effort, ProgramData, Scratch, compile, compile_for};
use clift_jit::interp::{Arg, Launch, Machine};
use clift_jit::ir::{Func, Module};
use clift_jit::launch::{AddrSpace, ArgInfo, ArgKind, Env, KernelInfo};
use clift_jit::target::Target;
use guard::Guarded;
use random::{DATA_BYTES, ITEMS, OUT_BYTES, Rng};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

fn info() -> KernelInfo {
    let arg = |n: usize| ArgInfo {
        name: format!("a{n}"),
        type_name: "uchar*".into(),
        kind: ArgKind::Buffer { space: AddrSpace::Global },
        offset: 8 * n,
        size: 8,
        is_const: false,
        is_restrict: false,
        is_volatile: false,
        streamed_bytes: 0,
    };
    KernelInfo {
        name: "lanes".into(),
        args: vec![arg(0), arg(1), arg(2)],
        arg_block_bytes: 24,
        group_agnostic: true,
        ..KernelInfo::default()
    }
}

/// What a function makes of its data and output.
fn interpret(module: &Module, id: clift_jit::ir::FuncId, buffers: &[Vec<u8>; 3], seed: u64) -> [Vec<u8>; 2] {
    let mut machine = Machine::new(module);
    let args = buffers.clone().map(|b| Arg::Buffer(machine.add_buffer(b)));
    let launch = Launch::linear(ITEMS, 1);
    if let Err(error) = machine.run_work_group_func(id, &info(), &args, &launch, 0, 0) {
        panic!("seed {seed}: {error}");
    }
    [1, 2].map(|n| match args[n] {
        Arg::Buffer(address) => machine.buffer(address).to_vec(),
        _ => unreachable!("made above"),
    })
}

/// The back ends of this host with their targets, each with gathers by loads and without.
fn targets() -> &'static [(Backend, Target)] {
    static TARGETS: OnceLock<Vec<(Backend, Target)>> = OnceLock::new();
    TARGETS.get_or_init(|| {
        let both = |backend: Backend| {
            [false, true].map(|gathers_by_loads| (backend, Target { gathers_by_loads, ..*backend.target() }))
        };
        Backend::available().flat_map(both).collect()
    })
}

fn run_native(
    (backend, target): &'static (Backend, Target),
    module: &Module,
    func: &Func,
    buffers: &[Vec<u8>; 3],
    seed: u64,
) -> [Vec<u8>; 2] {
    let data = ProgramData::new(&module.globals).expect("no variables");
    let code = compile_for(*backend, target, module, func, Scratch::default(), Effort::Quick)
        .and_then(|code| code.load(&data))
        .unwrap_or_else(|e| panic!("seed {seed}, {backend:?}: {}", e.message));
    let mut memory = buffers.each_ref().map(|b| Guarded::new(b));
    let launch = Launch::linear(ITEMS, 1);
    let env = Env {
        global_size: launch.global_size,
        global_offset: [0; 3],
        local_size: [1; 3],
        num_groups: launch.num_groups(),
        work_dim: 1,
        local: std::ptr::null_mut(),
        local_bytes: 0,
        scratch: std::ptr::null_mut(),
        scratch_bytes: 0,
        races: std::ptr::null_mut(),
    };
    let block = memory.each_mut().map(|m| m.bytes().as_mut_ptr());
    // SAFETY: the interpreter has run the same function within the same bounds.
    unsafe { code.run(block.as_ptr().cast(), &env, 0..ITEMS) }
    [1, 2].map(|n| memory[n].bytes().to_vec())
}

fn check(seed: u64) {
    let mut module = Module::default();
    let id = module.funcs.push(random::function(seed));
    if let Err(errors) = clift_jit::ir::verify::verify(&module) {
        panic!("seed {seed}: {errors}");
    }
    let numbered = clift_jit::ir::text::parse(&module.to_string()).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    let text = numbered.to_string();
    let same = clift_jit::ir::text::parse(&text).is_ok_and(|m| m.to_string() == text);
    assert!(same, "seed {seed}: the text form changes");
    let mut rng = Rng(!seed);
    let buffers = [
        random::inputs(&mut rng),
        (0..DATA_BYTES).map(|_| rng.next() as u8).collect(),
        vec![0; ITEMS as usize * OUT_BYTES as usize],
    ];
    let want = interpret(&module, id, &buffers, seed);
    for on in targets() {
        let got = run_native(on, &module, &module.funcs[id], &buffers, seed);
        for (name, got, want) in [("data", &got[0], &want[0]), ("output", &got[1], &want[1])] {
            if let Some(at) = (0..want.len()).find(|&i| got[i] != want[i]) {
                let item = at / OUT_BYTES as usize;
                let at = if name == "data" { at } else { at % OUT_BYTES as usize };
                let (backend, Target { gathers_by_loads, .. }) = on;
                let on = format!("{backend:?}, gathers by loads: {gathers_by_loads}");
                panic!("seed {seed}, {on}: {name}, item {item}, byte {at}\n{text}");
            }
        }
    }
}

fn check_for(time: Duration, first: u64) {
    let start = Instant::now();
    let mut seed = first;
    while start.elapsed() < time {
        check(seed);
        seed += 1;
    }
    println!("{} functions", seed - first);
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|s| s.parse().ok())
}

#[test]
fn random_lanes_agree() {
    match number("CLIFT_FUZZ_SEED") {
        Some(seed) => check(seed),
        None => check_for(Duration::from_secs(1), 0),
    }
}

/// Operations on lanes take whole vectors, however many components others take.
#[test]
fn vectors_of_lane_operations_stay_whole() {
    let extracts =
        |to: usize| -> String { (0..16).map(|i| format!("  %{}: i8 = extract %10, {i}\n", to + i)).collect() };
    let sum = |i: usize| format!("  %{}: i8 = add %{}, %{}\n", 60 + i, if i == 0 { 20 } else { 59 + i }, 21 + i);
    let (extracts, sums) = (extracts(20) + &extracts(36), (0..31).map(sum).collect::<String>());
    for make in ["load.masked %4, %9, %8", "gather %4, %7, %9, %8 * 1 + 0"] {
        let text = format!(
            "func @lanes(ptr<const>, ptr<const>, i64, i64) lanes {{\n\
             b0(%0: ptr<const>, %1: ptr<const>, %2: i64, %3: i64):\n  %4: ptr<global> = load %0\n  \
             %5: i64 = const 0\n  %6: i8 = const 3\n  %7: i32x16 = iota\n  %8: i8x16 = const 0\n  \
             %15: i32x16 = const 3\n  %9: i1x16 = icmp.ult %7, %15\n  \
             jump b1(%5)\nb1(%11: i64):\n  %10: i8x16 = {make}\n\
             {extracts}{sums}  store %4, %90\n  %12: i64 = const 1\n  %13: i64 = add %11, %12\n  \
             %14: i1 = icmp.ult %13, %3\n  br %14, b1(%13), b2\nb2:\n  ret\n}}\n"
        );
        let module = clift_jit::ir::text::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let data = ProgramData::new(&module.globals).expect("no variables");
        let func = module.funcs.values().next().expect("one");
        for backend in Backend::available() {
            let code =
                compile(backend, &module, func, Scratch::default(), Effort::Quick).and_then(|code| code.load(&data));
            assert!(code.is_ok(), "{backend:?}: {}", code.err().map(|e| e.message).unwrap_or_default());
        }
    }
}

#[test]
#[ignore = "runs as long as it is told to"]
fn many_random_lanes_agree() {
    check_for(
        Duration::from_secs(number("CLIFT_FUZZ_SECONDS").unwrap_or(60)),
        number("CLIFT_FUZZ_FIRST").unwrap_or(1000),
    );
}

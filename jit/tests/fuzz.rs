//! Random programs through every stage, judged by the interpreter: the verifier accepts them, their text reads back, no
//! pass, no work-group transformation and no machine code changes what they compute. Runs for about a second, or
//! as `support/seeds.rs` says.
#![allow(unsafe_code, reason = "runs generated code")]

#[path = "subtest/random.rs"]
mod random;
#[path = "support/rng.rs"]
mod rng;
#[path = "support/seeds.rs"]
mod seeds;

use clift_jit::claims::{self, Given, Setup};
use clift_jit::codegen::{self, Backend, Effort, ProgramData, Scratch};
use clift_jit::interp::{Arg, Launch, Machine};
use clift_jit::ir::text::parse;
use clift_jit::ir::verify::verify;
use clift_jit::ir::{Func, FuncId, Module};
use clift_jit::launch::{Env, SpecKey};
use clift_jit::pipeline::{FORM, Form, GROUP, PASSES, Pass, Runner, Unit};
use clift_jit::{simd, target, wg};

#[test]
fn random_programs() {
    seeds::each(check);
}

fn check(seed: u64) {
    let mut rng = rng::Rng(seed);
    let mut module = random::module(&mut rng);
    let kernel = module.kernels[0].1;
    let fail = |what: &str, module: &Module| -> ! { panic!("seed {seed}: {what}\n{module}") };
    if let Err(errors) = verify(&module) {
        panic!("seed {seed}: the generator is wrong:\n{errors}");
    }
    let text = module.to_string();
    match parse(&text) {
        Ok(again) => {
            for func in module.funcs.values_mut() {
                func.compact();
            }
            assert_eq!(again.to_string(), module.to_string(), "seed {seed}");
        }
        Err(error) => fail(&format!("does not parse: {error}"), &module),
    }
    let want = run(&module, kernel);
    let form = Form::KERNEL | Form::SSA;
    let takes = |pass: &Pass| form.has(pass.needs - Form::PREHEADERS) && !form.intersects(pass.unless);
    let passes = PASSES.iter().filter(|pass| pass.is_plain() && takes(pass)).map(|p| p.name);
    for name in passes.chain(["scalar-promotion", "inline", "summary", "all"]) {
        let mut new = module.clone();
        let found = Runner::default().by_name(&mut new, name, form, None);
        assert!(found.is_ok_and(|found| found), "{name}");
        if let Err(errors) = verify(&new) {
            panic!("seed {seed}: {name} breaks the rules:\n{module}\n{errors}");
        }
        let got = run(&new, kernel);
        if got != want {
            panic!("seed {seed}: {name} changes the result:\n{module}\n{new}\n{}", difference(&want, &got));
        }
    }
    if std::env::var_os("FUZZ_SHOW").is_some() {
        println!("{module}\n{want:?}");
    }
    if want.is_err() {
        return;
    }
    let mut new = module.clone();
    Runner::default().program(&mut new);
    check_claims(seed, &module, &new);
    let exact = Some([random::GROUP as u32, 1, 1]);
    let variants = [(None, wg::Sharing::Auto), (exact, wg::Sharing::Auto), (None, wg::Sharing::DispatchLoop)];
    for (local_size, sharing) in variants {
        // The buffers are different memory.
        let disjoint = if local_size.is_some() { u64::MAX } else { 0 };
        let Launch { global_offset, global_size, .. } = launch(true);
        let key = SpecKey { local_size, disjoint, ..SpecKey::of_ids(global_offset, global_size) };
        let mut unit = Unit::of_kernel(&new, 0, key, sharing);
        let mut whole = new.clone();
        let id = whole.funcs.push(new.funcs[kernel].clone());
        for (stage, phase) in [("wg", FORM), ("the passes after wg", GROUP)] {
            Runner::default().run(phase, &mut unit).expect("no pass fails");
            unit.func.name = "wg".into();
            whole.funcs[id] = unit.func.clone();
            if let Err(errors) = verify(&whole) {
                panic!("seed {seed}: {stage} breaks the rules:\n{new}\n{errors}");
            }
            // Trailing groups are for the variant that takes any size.
            let got = run_group(&whole, id, unit.scratch_per_item as u64, local_size.is_none());
            let want = if local_size.is_none() { want.clone() } else { run_with(&module, kernel, launch(false)) };
            if got != want {
                panic!(
                    "seed {seed}: {stage} ({local_size:?}) changes the result:\n{new}\n{whole}\n{}",
                    difference(&want, &got)
                );
            }
        }
        use simd::Tails::{Last, Masked, Scalar};
        for (width, tails) in [(2, Scalar), (4, Scalar), (4, Masked), (4, Last)] {
            let mut lanes = whole.clone();
            let mut func = lanes.funcs[id].clone();
            Runner::default().lanes(&lanes, &mut func, simd::Config { tails, ..simd::Config::always(width) });
            lanes.funcs[id] = func;
            if let Err(errors) = verify(&lanes) {
                panic!("seed {seed}: {width} lanes break the rules:\n{whole}\n{errors}");
            }
            let got = run_group(&lanes, id, unit.scratch_per_item as u64, local_size.is_none());
            let want = if local_size.is_none() { want.clone() } else { run_with(&module, kernel, launch(false)) };
            if got != want {
                let (old, new) = (&whole.funcs[id], &lanes.funcs[id]);
                let diff = difference(&want, &got);
                panic!("seed {seed}: {width} lanes ({local_size:?}) change the result:\n{old}\n{new}\n{diff}");
            }
        }
        // Compiling takes longest: every fourth program is enough.
        if !seed.is_multiple_of(4) && seeds::number("FUZZ_SEED").is_none() {
            continue;
        }
        let want = if local_size.is_none() { want.clone() } else { run_with(&module, kernel, launch(false)) };
        let func = &whole.funcs[id];
        for backend in [Backend::Cranelift, target::backend()].into_iter().skip(usize::from(func.is_lanes)) {
            let got = run_native(backend, &new, func, unit.scratch_per_item, local_size.is_none());
            if got != want {
                let (by, difference) = (backend.name(), difference(&want, &got));
                panic!(
                    "seed {seed}: machine code by {by} ({local_size:?}) changes the result:\n{new}\n{func}\n{difference}"
                );
            }
        }
    }
}

/// What analyses say of the kernel holds.
fn check_claims(seed: u64, lowered: &Module, module: &Module) {
    let args = [
        Given::Buffer(input()),
        Given::Buffer(vec![0; 8 * random::OUT_BYTES as usize]),
        Given::Local(8 * random::GROUP),
        Given::Value(5i32.to_le_bytes().to_vec()),
        Given::Value(1.5f32.to_le_bytes().to_vec()),
    ];
    for trailing in [true, false] {
        let (args, launch) = (&args, launch(trailing));
        let setup = Setup { lowered, module, kernel: 0, args, launch, steps: 50_000_000, widths: &[2, 4] };
        if let Ok(report) = claims::check(&setup) {
            assert!(report.violations.is_empty(), "seed {seed}: {}\n{module}", report.told());
        }
    }
}

/// 128-byte aligned memory for generated code.
#[derive(Clone, Copy)]
#[repr(align(128))]
struct Chunk(#[expect(dead_code, reason = "used through a pointer")] [u8; 128]);

fn chunks(bytes: usize, fill: u8) -> Vec<Chunk> {
    vec![Chunk([fill; 128]); bytes.div_ceil(128) + 2]
}

fn run_native(backend: Backend, module: &Module, func: &Func, scratch: usize, trailing: bool) -> Outcome {
    let data = ProgramData::new(&module.globals).map_err(|e| e.message)?;
    let scratch = Scratch { fixed: 0, per_item: scratch };
    let code = codegen::compile(backend, module, func, scratch, Effort::Quick)
        .and_then(|code| code.load(&data))
        .map_err(|e| e.message)?;
    let launch = launch(trailing);
    let (_, kernel) = &module.kernels[0];
    let local_bytes = wg::local_layout(module, *kernel).bytes.next_multiple_of(128);
    let mut local = chunks(local_bytes as usize + 8 * random::GROUP as usize, 0xa5);
    let mut scratch = chunks(code.scratch_bytes(random::GROUP), 0xa5);
    let input = input();
    let mut out = vec![0u64; random::OUT_BYTES as usize];
    let mut block = [0u64; 5];
    block[0] = input.as_ptr() as u64;
    block[1] = out.as_mut_ptr() as u64;
    block[2] = local_bytes;
    block[3] = 5;
    block[4] = u64::from(1.5f32.to_bits());
    let env = Env {
        global_size: launch.global_size,
        global_offset: launch.global_offset,
        local_size: launch.local_size,
        num_groups: launch.num_groups(),
        work_dim: 1,
        local: local[1..].as_mut_ptr().cast(),
        local_bytes: 8 * (local.len() as u64 - 2),
        scratch: scratch[1..].as_mut_ptr().cast(),
        scratch_bytes: 8 * (scratch.len() as u64 - 2),
        races: std::ptr::null_mut(),
    };
    // SAFETY: the block has the five arguments of `info`; input, output, local and scratch memory are as large as the
    // generator and the compiler say, and the interpreter has found every access within bounds.
    unsafe { code.run(block.as_ptr().cast(), &env, 0..launch.num_groups()[0]) };
    Ok(out.iter().flat_map(|v| v.to_le_bytes()).collect())
}

type Outcome = Result<Vec<u8>, String>;

fn difference(want: &Outcome, got: &Outcome) -> String {
    match (want, got) {
        (Ok(a), Ok(b)) => {
            let at: Vec<usize> = (0..a.len()).filter(|&i| a[i] != b[i]).take(16).collect();
            format!("bytes {at:?} differ")
        }
        _ => format!("{want:?}\n{got:?}"),
    }
}

/// Six work-items in groups of four, or eight.
fn launch(trailing: bool) -> Launch {
    let n = if trailing { 6 } else { 8 };
    Launch { global_offset: [3, 0, 0], ..Launch::linear(n, random::GROUP) }
}

/// Floats of all sizes; the first ones zero.
fn input() -> Vec<u8> {
    let mut rng = rng::Rng(7);
    let number = |_| ((rng.next() as i32 >> (rng.next() % 31)) as f32).to_le_bytes();
    let mut input: Vec<u8> = (0..random::IN_BYTES / 4).flat_map(number).collect();
    input[..64].fill(0);
    input
}

fn args(machine: &mut Machine<'_>) -> Vec<Arg> {
    let input = machine.add_buffer(input());
    let out = machine.add_buffer(vec![0; 8 * random::OUT_BYTES as usize]);
    vec![
        Arg::Buffer(input),
        Arg::Buffer(out),
        Arg::Local(8 * random::GROUP),
        Arg::Value(5i32.to_le_bytes().to_vec()),
        Arg::Value(1.5f32.to_le_bytes().to_vec()),
    ]
}

fn outcome(machine: &Machine<'_>, args: &[Arg], result: Result<(), clift_jit::interp::Error>) -> Outcome {
    match (result, &args[1]) {
        (Ok(()), Arg::Buffer(out)) => Ok(machine.buffer(*out).to_vec()),
        (Err(error), _) => Err(format!("{:?}", error.kind)),
        _ => unreachable!("the second argument is a buffer"),
    }
}

fn run(module: &Module, kernel: FuncId) -> Outcome {
    run_with(module, kernel, launch(true))
}

fn run_with(module: &Module, kernel: FuncId, launch: Launch) -> Outcome {
    let mut machine = Machine::new(module);
    let args = args(&mut machine);
    let result = machine.run_kernel(kernel, &args, &launch);
    outcome(&machine, &args, result)
}

fn run_group(module: &Module, func: FuncId, scratch: u64, trailing: bool) -> Outcome {
    let mut machine = Machine::new(module);
    let args = args(&mut machine);
    let (info, kernel) = &module.kernels[0];
    let locals = wg::local_layout(module, *kernel).bytes;
    let result = machine.run_work_group_func(func, info, &args, &launch(trailing), locals, scratch);
    outcome(&machine, &args, result)
}

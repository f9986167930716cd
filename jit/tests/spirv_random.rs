//! Random KIR programs written as SPIR-V and read back by the front end compute what they did. Runs for about a second,
//! or as `support/seeds.rs` says; `FUZZ_SEED` shows both programs.

#[path = "support/il.rs"]
mod il;
#[path = "subtest/random.rs"]
mod random;
#[path = "support/rng.rs"]
mod rng;
#[path = "support/seeds.rs"]
mod seeds;
#[path = "support/spirv_of.rs"]
mod spirv_of;

use clift_jit::interp::{Arg, Launch, Machine};
use clift_jit::ir::Module;

#[test]
fn programs_are_read_back() {
    seeds::each(check);
}

/// Most programs leave something that can differ, also without the operations that are replaced.
#[test]
fn programs_leave_something() {
    let leaves = |seed: &u64| {
        let mut module = random::module(&mut rng::Rng(*seed));
        spirv_of::simplify(&mut module);
        run(&module).is_ok_and(|out| out.iter().any(|&byte| byte != 0))
    };
    let n = (1..101).filter(leaves).count();
    assert!(n > 80, "{n} of 100 programs");
}

fn check(seed: u64) {
    let mut module = random::module(&mut rng::Rng(seed));
    spirv_of::simplify(&mut module);
    let il = spirv_of::write(&module);
    let read = clift_jit::lowered_il(&il, &[], "-cl-fp32-correctly-rounded-divide-sqrt");
    let read = read.unwrap_or_else(|log| panic!("seed {seed}: {log}\n{module}"));
    if seeds::number("FUZZ_SEED").is_some() {
        println!("{module}\n{read}");
    }
    let [want, got] = [&module, &read].map(|module| run(module).unwrap_or_else(|why| panic!("seed {seed}: {why}")));
    let differs = want.iter().zip(&got).position(|(a, b)| a != b);
    assert_eq!(differs, None, "seed {seed}: a byte differs");
}

/// What the kernel leaves.
fn run(module: &Module) -> Result<Vec<u8>, String> {
    let mut machine = Machine::new(module);
    let mut rng = rng::Rng(7);
    let number = |_| ((rng.next() as i32 >> (rng.next() % 31)) as f32).to_le_bytes();
    let input = machine.add_buffer((0..random::IN_BYTES / 4).flat_map(number).collect());
    let out = machine.add_buffer(vec![0; 8 * random::OUT_BYTES as usize]);
    let args = [
        Arg::Buffer(input),
        Arg::Buffer(out),
        Arg::Local(8 * random::GROUP),
        Arg::Value(5i32.to_le_bytes().to_vec()),
        Arg::Value(1.5f32.to_le_bytes().to_vec()),
    ];
    let launch = Launch { global_offset: [3, 0, 0], ..Launch::linear(6, random::GROUP) };
    let result = machine.run_kernel(module.kernels[0].1, &args, &launch);
    result.map(|()| machine.buffer(out).to_vec()).map_err(|error| format!("{:?}", error.kind))
}

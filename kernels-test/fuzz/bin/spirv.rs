//! libFuzzer's target `spirv`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| clift_fuzz::targets::spirv::run(bytes));
libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    clift_fuzz::mutators::spirv(data, size, max_size, seed)
});

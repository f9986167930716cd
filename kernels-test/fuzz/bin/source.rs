//! libFuzzer's target `source`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| clift_fuzz::targets::source::run(bytes));
libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    clift_fuzz::mutators::source(data, size, max_size, seed)
});

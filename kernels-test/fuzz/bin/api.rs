//! libFuzzer's target `api`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| clift_fuzz::targets::api::run(bytes));

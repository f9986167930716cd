//! libFuzzer's target `image`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| clift_fuzz::targets::image::run(bytes));

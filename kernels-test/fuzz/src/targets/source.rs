//! OpenCL C from the text to machine code, which is not run. The first line may be a comment with options.

use clift_jit::{Program, SpecKey, build};

/// Kernels of a program that become machine code.
const KERNELS: usize = 2;

/// Builds a program and makes code of its kernels: it is refused with a message, or there is code.
pub fn run(bytes: &[u8]) {
    let built = build(bytes, &options(bytes), &[]);
    match built.program {
        Err(_) => assert!(is_message(&built.log), "{}", built.log),
        Ok(program) => code(&program),
    }
}

/// Whether a log says why something was refused.
pub fn is_message(log: &str) -> bool {
    !log.is_empty() && !log.contains("internal compiler error")
}

/// Machine code of kernels, for groups of any size and of one size.
pub fn code(program: &Program) {
    for kernel in 0..program.kernels().len().min(KERNELS) {
        for local_size in [None, Some([64, 1, 1])] {
            let key = SpecKey { local_size, ..SpecKey::of_ids([0; 3], [1; 3]) };
            if let Err(error) = program.code(kernel, key) {
                assert!(error.too_large, "{}", error.message);
            }
        }
    }
}

/// The words of a comment in the first line that are options; OpenCL C 3.0 is the default. Files are not looked for.
fn options(source: &[u8]) -> String {
    let line = source.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line.strip_prefix(b"//").unwrap_or_default());
    let words = line.split_whitespace().filter(|word| word.starts_with('-') && !word.starts_with("-I"));
    words.fold("-cl-std=CL3.0".into(), |options: String, word| options + " " + word)
}

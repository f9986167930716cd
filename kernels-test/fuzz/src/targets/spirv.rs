//! SPIR-V modules, from the words to machine code, which is not run.

use super::source::{code, is_message};
use clift_jit::{build_il, spirv};

/// Builds a module and makes code of its kernels: it is refused with a message, or there is code. The specialization
/// constant 7 has a value.
pub fn run(il: &[u8]) {
    if let Err(message) = spirv::check(il) {
        assert!(!message.is_empty(), "refused without a message");
    }
    let _ = spirv::disassemble(il);
    let built = build_il(il, &[(7, vec![9, 0, 0, 0])], "");
    match built.program {
        Err(_) => assert!(is_message(&built.log), "{}", built.log),
        Ok(program) => code(&program),
    }
}

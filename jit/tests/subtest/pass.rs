//! `pass/<name>`: runs one pass, or the whole phase A for `all`, verifies, and prints the module.

use clift_jit::ir::Module;
use clift_jit::pass;

pub fn run(name: &str, _input: &str, mut module: Module) -> Result<String, String> {
    crate::must_verify(&module, "input")?;
    if !pass::run_by_name(&mut module, name) {
        return Err(format!("there is no pass `{name}`"));
    }
    crate::must_verify(&module, "output")?;
    for func in module.funcs.values_mut() {
        func.compact();
    }
    Ok(module.to_string())
}

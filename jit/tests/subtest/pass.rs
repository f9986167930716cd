//! `pass/<name>`: runs one pass, or the whole `PROGRAM` for `all`, verifies, and prints the module.

use clift_jit::ir::text::write::FuncText;
use clift_jit::ir::{Func, Module};
use clift_jit::pipeline::{Form, Runner};
use clift_jit::simd::Config;

pub fn run(name: &str, _input: &str, mut module: Module) -> Result<String, String> {
    apply(name, &mut module)?;
    module.funcs.values_mut().for_each(Func::compact);
    Ok(module.to_string())
}

/// For each function with a body whether the pass changes it.
pub fn changed_functions(name: &str, mut module: Module) -> Result<Vec<bool>, String> {
    let texts = |module: &Module| -> Vec<String> {
        let bodies = module.funcs.values().filter(|func| func.has_body());
        bodies.map(|func| FuncText { module: Some(module), func }.to_string()).collect()
    };
    let before = texts(&module);
    apply(name, &mut module)?;
    Ok(before.iter().zip(texts(&module)).map(|(before, after)| *before != after).collect())
}

fn apply(name: &str, module: &mut Module) -> Result<(), String> {
    crate::must_verify(module, "input")?;
    let has_lanes = |func: &Func| func.live_insts().any(|(_, inst)| func.insts[inst].op.is_lane_op());
    let stage = if module.funcs.values().any(has_lanes) { Form::LANES } else { Form::KERNEL };
    let form = stage | Form::SSA;
    let config = Some(Config::always(4));
    if !Runner::verifying().by_name(module, name, form, config).map_err(|e| e.message)? {
        return Err(format!("there is no pass `{name}`"));
    }
    crate::must_verify(module, "output")
}

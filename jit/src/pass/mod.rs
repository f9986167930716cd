//! Passes over KIR. Each is one file: its header says what it needs, what it changes and what it keeps.
//!
//! `run_module` is what happens once per program ("phase A"); `run_work_group` is what happens to a work-group function before
//! code generation. All passes keep the order and number of convergent operations.

pub mod cleanup;
pub mod dce;
pub mod forward;
pub mod inline;
pub mod mem2reg;
pub mod simplify;

use crate::ir::{Func, FuncId, Module};

/// A pass over one function.
pub struct Pass {
    /// Name in dumps and filetests.
    pub name: &'static str,
    /// The pass.
    pub run: fn(&mut Func),
}

/// Function passes by name, in no particular order.
pub const PASSES: &[Pass] = &[
    Pass { name: "cleanup", run: cleanup::run },
    Pass { name: "dce", run: dce::run },
    Pass { name: "mem2reg", run: mem2reg::run },
    Pass { name: "simplify", run: simplify::run },
];

/// Runs a pass by its name on all functions: a row of `PASSES`, `inline`, or `all` for phase A. False if there is none.
pub fn run_by_name(module: &mut Module, name: &str) -> bool {
    match name {
        "all" => run_module(module),
        "inline" => inline::run(module),
        _ => {
            let Some(pass) = PASSES.iter().find(|p| p.name == name) else { return false };
            module.funcs.values_mut().filter(|f| f.has_body()).for_each(pass.run);
        }
    }
    true
}

/// Phase A: once per program, before any specialisation.
pub fn run_module(module: &mut Module) {
    let ids: Vec<FuncId> = module.funcs.keys().collect();
    for &id in &ids {
        run_early(&mut module.funcs[id]);
    }
    inline::run(module);
    for &id in &ids {
        run_early(&mut module.funcs[id]);
    }
}

/// After `wg::build`: turns the variables it made into SSA form.
pub fn run_work_group(func: &mut Func) {
    run_early(func);
}

fn run_early(func: &mut Func) {
    if func.has_body() {
        cleanup::run(func);
        mem2reg::run(func);
        cleanup::run(func);
        dce::run(func);
    }
}

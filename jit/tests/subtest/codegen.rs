//! `codegen/*.cl`: compiles OpenCL C for a target and prints who makes the code of its kernel, and the code:
//! Cranelift's IR for `v128`, `neon` and `scalar`, the assembly of our own generator for `avx2` and `avx512`, without
//! offsets, bytes and addresses. Nothing is run, so that the host need not have the target; it must be of its
//! architecture for files `*_avx*`. The first lines hold directives: see `settings`.

use crate::settings::Settings;
use clift_jit::codegen::{Stage, emit_for};
use clift_jit::ir::Func;
use clift_jit::pipeline::Runner;
use clift_jit::target::Backend;
use clift_jit::wg::Sharing;
use clift_jit::{fallback, lowered};
use std::fmt::Write as _;

/// The code of the source's kernel.
pub fn code(text: &str) -> Result<String, String> {
    let settings = Settings::read(text)?;
    let mut module = lowered(text.as_bytes(), settings.options)?;
    let mut runner = Runner::verifying();
    runner.program(&mut module);
    let key = settings.key(&module.kernels[0].0);
    let group = runner.kernel(&module, 0, key, Sharing::Auto, settings.lanes).0;
    let emit = |stage| {
        let target = |backend: Backend| if backend == settings.backend { settings.target } else { backend.table() };
        let make = |backend, func: &Func, _| emit_for(backend, target(backend), &module, func, stage);
        fallback::by_backends(settings.backend, &group, make).map_err(|e| e.message)
    };
    let (assembly, remark) = emit(Stage::Asm)?;
    let mut out = format!("{remark}\n");
    if settings.backend == Backend::Cranelift || remark.contains("does not cover") {
        // How its code looks is Cranelift's business, and depends on the host.
        let clif = emit(Stage::Clif)?.0;
        clif.lines().filter(|line| !line.starts_with("; ")).for_each(|line| _ = writeln!(out, "{line}"));
        return Ok(ended(&out));
    }
    let names: Vec<_> = module.globals.iter().map(|(id, g)| (format!("@{id}"), format!("@{}", g.name))).collect();
    for line in assembly.lines() {
        let instruction = instruction(line);
        let shown = match names.iter().find(|(symbol, _)| instruction.ends_with(symbol)) {
            Some((symbol, name)) => instruction.replace(symbol, name),
            None => instruction.to_owned(),
        };
        let indent = if line.starts_with("  ") { "  " } else { "" };
        let _ = writeln!(out, "{indent}{shown}");
    }
    Ok(ended(&out))
}

/// A text without empty lines at its end.
fn ended(text: &str) -> String {
    format!("{}\n", text.trim_end())
}

/// A line of a listing without the instruction's offset and bytes.
fn instruction(line: &str) -> &str {
    let Some(rest) = line.strip_prefix("  ") else { return line };
    let mut rest = rest.trim_start();
    for _ in 0..2 {
        rest = rest.split_once(' ').map_or("", |(_, rest)| rest.trim_start());
    }
    rest
}

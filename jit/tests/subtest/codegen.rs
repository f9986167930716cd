//! `codegen/*.cl`: compiles OpenCL C for a target and prints who makes the code of its kernel, and the code:
//! Cranelift's IR for `v128` and `scalar`, the assembly of our own generator for `avx2` and `avx512`, without offsets,
//! bytes and addresses. Nothing is run, so that the host need not have the target; it must be of its architecture for
//! files `*_avx*`. The first lines hold directives: see `settings`.

use crate::settings::Settings;
use clift_jit::codegen::{ProgramData, Stage, emit_for};
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
    let data = ProgramData::new(&module).map_err(|e| e.message)?;
    let emit = |stage| {
        let make = |backend, func: &Func, _| emit_for(backend, &module, func, &data, stage);
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
    let mut addresses = Vec::new();
    for id in module.globals.keys() {
        let global = &module.globals[id];
        addresses.extend(data.address(id).map(|address| (format!("{address:#x}"), format!("@{}", global.name))));
    }
    let lines: Vec<&str> = assembly.lines().collect();
    for (n, line) in lines.iter().enumerate() {
        let instruction = instruction(line);
        let is_call = lines.get(n + 1).is_some_and(|next| next.ends_with("call r10"));
        let shown = match addresses.iter().find(|(address, _)| instruction.ends_with(address)) {
            _ if is_call && instruction.starts_with("mov r10, ") => "mov r10, helper".to_owned(),
            Some((address, name)) => instruction.replace(address, name),
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

//! What the only kernel of a source becomes for a generator that this host need not have. Nothing runs.
#![allow(dead_code, reason = "not every test looks at all of it")]

use clift_jit::codegen::{Stage, emit_for};
use clift_jit::ir::Func;
use clift_jit::ir::text::write::FuncText;
use clift_jit::pipeline::Runner;
use clift_jit::simd::Config;
use clift_jit::target::Backend;
use clift_jit::wg::Sharing;
use clift_jit::{SpecKey, fallback, lowered};

/// What a generator makes of the only kernel of a source, as text.
pub struct Made {
    /// What became of each loop, and who made the code.
    pub remarks: String,
    /// The work-group function.
    pub group: String,
    /// Assembly.
    pub code: String,
}

/// For a generator and a size of groups.
pub fn made(backend: Backend, source: &str, local: [u32; 3]) -> Made {
    let mut module = lowered(source.as_bytes(), "-cl-std=CL3.0").unwrap_or_else(|log| panic!("{source}\n{log}"));
    Runner::default().program(&mut module);
    let key = SpecKey { local_size: Some(local), ..SpecKey::of_ids([0; 3], [1; 3]) };
    let lanes = Some(Config::new(backend.table()));
    let (group, remarks) = Runner::default().kernel(&module, 0, key, Sharing::Auto, lanes);
    let make = |backend, func: &Func, _| emit_for(backend, backend.table(), &module, func, Stage::Asm);
    let (code, by) = fallback::by_backends(backend, &group, make).unwrap_or_else(|e| panic!("{}\n{source}", e.message));
    let remarks = remarks.iter().map(ToString::to_string).chain([by]).map(|remark| format!("{remark}\n")).collect();
    Made { remarks, group: FuncText { module: Some(&module), func: &group.func }.to_string(), code }
}

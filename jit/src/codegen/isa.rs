//! The host as Cranelift sees it: one instruction set description per register allocator, made once per process.

use crate::error::CodeError;
use crate::target::host;
use cranelift_codegen::isa::{self, OwnedTargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use once_cell::sync::OnceCell;

/// Which register allocator a function gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allocator {
    /// Best code; super-linear beyond some 20,000 instructions (see `pressure`).
    Backtracking,
    /// Linear time, code 2-5 times larger.
    SinglePass,
}

/// The host's instruction set for this register allocator.
///
/// # Errors
/// `CodeError` if Cranelift does not support the host.
pub fn for_host(allocator: Allocator) -> Result<&'static OwnedTargetIsa, CodeError> {
    static BACKTRACKING: OnceCell<OwnedTargetIsa> = OnceCell::new();
    static SINGLE_PASS: OnceCell<OwnedTargetIsa> = OnceCell::new();
    match allocator {
        Allocator::Backtracking => BACKTRACKING.get_or_try_init(|| make(allocator, false)),
        Allocator::SinglePass => SINGLE_PASS.get_or_try_init(|| make(allocator, false)),
    }
}

/// The same, with which Cranelift tells where blocks begin. Made anew each time.
///
/// # Errors
/// As `for_host`.
pub fn that_tells(allocator: Allocator) -> Result<OwnedTargetIsa, CodeError> {
    make(allocator, true)
}

fn make(allocator: Allocator, tells: bool) -> Result<OwnedTargetIsa, CodeError> {
    build(allocator, tells).map_err(CodeError::new)
}

fn build(allocator: Allocator, tells: bool) -> Result<OwnedTargetIsa, String> {
    let allocator = match allocator {
        Allocator::Backtracking => "backtracking",
        Allocator::SinglePass => "single_pass",
    };
    let mut shared = settings::builder();
    let verify = if cfg!(debug_assertions) { "true" } else { "false" };
    let options = [
        ("opt_level", "speed"),
        ("enable_verifier", verify),
        ("unwind_info", "false"),
        ("regalloc_algorithm", allocator),
        ("enable_probestack", "true"),
        ("probestack_strategy", "inline"),
        ("preserve_frame_pointers", "true"),
        ("is_pic", "false"),
        ("machine_code_cfg_info", if tells { "true" } else { "false" }),
    ];
    for (name, value) in options {
        shared.set(name, value).map_err(|e| format!("setting {name}: {e}"))?;
    }
    let triple = if cfg!(target_arch = "x86_64") { "x86_64-unknown-linux-gnu" } else { "aarch64-unknown-linux-gnu" };
    let mut builder = isa::lookup_by_name(triple).map_err(|e| e.to_string())?;
    set_cpu_flags(&mut builder)?;
    builder.finish(settings::Flags::new(shared)).map_err(|e| e.to_string())
}

fn set_cpu_flags(builder: &mut isa::Builder) -> Result<(), String> {
    let cpu = host();
    // `has_fma` and `has_avx2` count only together with `has_avx`.
    let flags = [
        (cpu.sse3, "has_sse3"),
        (cpu.ssse3, "has_ssse3"),
        (cpu.sse41, "has_sse41"),
        (cpu.sse42, "has_sse42"),
        (cpu.avx, "has_avx"),
        (cpu.avx2, "has_avx2"),
        (cpu.fma, "has_fma"),
        (cpu.popcnt, "has_popcnt"),
        (cpu.bmi1, "has_bmi1"),
        (cpu.bmi2, "has_bmi2"),
        (cpu.lzcnt, "has_lzcnt"),
        (cpu.cmpxchg16b, "has_cmpxchg16b"),
        (cpu.avx512f, "has_avx512f"),
        (cpu.avx512dq, "has_avx512dq"),
        (cpu.avx512vl, "has_avx512vl"),
        (cpu.avx512vbmi, "has_avx512vbmi"),
        (cpu.avx512bitalg, "has_avx512bitalg"),
        (cpu.lse, "has_lse"),
        (cpu.fp16, "has_fp16"),
        (cpu.dotprod, "has_dotprod"),
        (cpu.i8mm, "has_i8mm"),
    ];
    for (_, flag) in flags.into_iter().filter(|&(on, _)| on) {
        builder.enable(flag).map_err(|e| format!("{flag}: {e}"))?;
    }
    Ok(())
}

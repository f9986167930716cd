//! The host as Cranelift sees it: one instruction set description per register allocator, made once per process. CPU flags
//! are probed here and nowhere else.

use super::Backend;
use crate::error::CodeError;
use cranelift_codegen::isa::{self, OwnedTargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use once_cell::sync::OnceCell;

/// What `CLIFT_ISA` asks for: one back end for all kernels, as far as it covers them and the host can run its code.
pub fn forced() -> Option<Backend> {
    static FORCED: OnceCell<Option<Backend>> = OnceCell::new();
    *FORCED.get_or_init(|| match crate::env::var("CLIFT_ISA")?.trim() {
        "scalar" | "v128" => Some(Backend::Cranelift),
        "avx2" => Some(Backend::Avx2),
        "avx512" => Some(Backend::Avx512),
        _ => None,
    })
}

/// Bytes of a vector register that lanes of work-items get; none if `CLIFT_ISA` asks for scalar code.
pub fn register_bytes() -> Option<u8> {
    static BYTES: OnceCell<Option<u8>> = OnceCell::new();
    *BYTES.get_or_init(|| {
        let scalar = crate::env::var("CLIFT_ISA").is_some_and(|isa| isa.trim() == "scalar");
        (!scalar).then(|| backend().machine().register_bytes)
    })
}

/// True for a processor that takes about twice as long for gathers and scatters as others: AMD's, so far.
pub fn has_slow_gathers() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        let leaf = std::arch::x86_64::__cpuid(0);
        // The first letters of "AuthenticAMD".
        leaf.ebx == u32::from_le_bytes(*b"Auth")
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// The back end for functions in lanes: the forced one if the host can run its code, else the widest.
pub fn backend() -> Backend {
    match forced() {
        Some(forced) if forced.is_available() => forced,
        Some(_) => Backend::Cranelift,
        None => Backend::available().last().unwrap_or(Backend::Cranelift),
    }
}

/// What vector code kernels get here, in a line for `clift info`.
pub fn description() -> String {
    match (register_bytes(), forced()) {
        (None, _) => "none, as CLIFT_ISA says".into(),
        (Some(bytes), Some(_)) => {
            format!("{} bits ({}), as CLIFT_ISA says", u32::from(bytes) * 8, backend().name())
        }
        (Some(64), None) => "512 bits (AVX-512) for lanes of work-items and directed roundings, else 128 bits".into(),
        (Some(32), None) => "256 bits (AVX2) for lanes of work-items, else 128 bits".into(),
        (Some(_), None) => "128 bits".into(),
    }
}

/// Which register allocator a function gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allocator {
    /// Best code; super-linear beyond some 20,000 instructions.
    Backtracking,
    /// Linear time, code 2-5 times larger.
    SinglePass,
}

/// Host features that decide between an instruction and a helper call.
#[derive(Clone, Copy, Debug)]
pub struct HostFeatures {
    /// Fused multiply-add instructions.
    pub fma: bool,
    /// `roundss` and friends.
    pub round: bool,
    /// Vectors of f16.
    pub half_arithmetic: bool,
    /// Permutations of bytes in vectors of 64.
    pub byte_permutes: bool,
}

/// The host's instruction set for this register allocator.
///
/// # Errors
/// `CodeError` if Cranelift does not support the host.
pub fn host(allocator: Allocator) -> Result<&'static OwnedTargetIsa, CodeError> {
    static BACKTRACKING: OnceCell<OwnedTargetIsa> = OnceCell::new();
    static SINGLE_PASS: OnceCell<OwnedTargetIsa> = OnceCell::new();
    match allocator {
        Allocator::Backtracking => BACKTRACKING.get_or_try_init(|| make("backtracking")),
        Allocator::SinglePass => SINGLE_PASS.get_or_try_init(|| make("single_pass")),
    }
}

/// Features of the host.
pub fn features() -> HostFeatures {
    #[cfg(target_arch = "x86_64")]
    {
        HostFeatures {
            fma: is_x86_feature_detected!("avx") && is_x86_feature_detected!("fma"),
            round: is_x86_feature_detected!("sse4.1"),
            half_arithmetic: is_x86_feature_detected!("avx512fp16"),
            byte_permutes: is_x86_feature_detected!("avx512vbmi"),
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        HostFeatures { fma: true, round: true, half_arithmetic: false, byte_permutes: false }
    }
}

fn make(allocator: &str) -> Result<OwnedTargetIsa, CodeError> {
    build(allocator).map_err(CodeError::new)
}

fn build(allocator: &str) -> Result<OwnedTargetIsa, String> {
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
    ];
    for (name, value) in options {
        shared.set(name, value).map_err(|e| format!("setting {name}: {e}"))?;
    }
    let triple = if cfg!(target_arch = "x86_64") { "x86_64-unknown-linux-gnu" } else { "aarch64-unknown-linux-gnu" };
    let mut builder = isa::lookup_by_name(triple).map_err(|e| e.to_string())?;
    set_cpu_flags(&mut builder)?;
    builder.finish(settings::Flags::new(shared)).map_err(|e| e.to_string())
}

#[cfg(target_arch = "x86_64")]
fn set_cpu_flags(builder: &mut isa::Builder) -> Result<(), String> {
    macro_rules! probe {
        ($($feature:tt => $flag:literal),* $(,)?) => { [$(($flag, is_x86_feature_detected!($feature))),*] };
    }
    // `has_fma` and `has_avx2` count only together with `has_avx`.
    let flags = probe! {
        "sse3" => "has_sse3", "ssse3" => "has_ssse3", "sse4.1" => "has_sse41", "sse4.2" => "has_sse42",
        "avx" => "has_avx", "avx2" => "has_avx2", "fma" => "has_fma", "popcnt" => "has_popcnt",
        "bmi1" => "has_bmi1", "bmi2" => "has_bmi2", "lzcnt" => "has_lzcnt", "cmpxchg16b" => "has_cmpxchg16b",
        "avx512f" => "has_avx512f", "avx512dq" => "has_avx512dq", "avx512vl" => "has_avx512vl",
        "avx512vbmi" => "has_avx512vbmi", "avx512bitalg" => "has_avx512bitalg",
    };
    for (flag, on) in flags {
        if on {
            builder.enable(flag).map_err(|e| format!("{flag}: {e}"))?;
        }
    }
    Ok(())
}

#[cfg(not(target_arch = "x86_64"))]
fn set_cpu_flags(builder: &mut isa::Builder) -> Result<(), String> {
    if std::arch::is_aarch64_feature_detected!("lse") {
        builder.enable("has_lse").map_err(|e| e.to_string())?;
    }
    Ok(())
}

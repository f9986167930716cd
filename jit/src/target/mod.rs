//! What code is made for: registers, which operations are instructions, how many lanes are worth a try, and what that
//! costs. `tables` has one `Target` for each back end, `costs` says what the numbers mean, `host` asks the processor,
//! `gathers` measures, and `CLIFT_ISA` may choose. Everything else asks a `Target` and no processor. Must not know
//! passes or code generators.

mod costs;
mod gathers;
mod host;
mod tables;

use crate::launch::KernelInfo;
pub use costs::{Costs, LaneOps, Latency, Memory, Rate, ScalarOps};
pub use host::{Host, host};

use crate::ir::{FloatPred, Type};
use std::sync::OnceLock;

/// A target. In lane form legal vectors are whole registers, or for short vectors the next smaller power of two down to
/// 16 bytes that holds all lanes. Lanes beyond the vector's mean nothing. Conversions between elements of different
/// size take as many low lanes of their operand as their result has; `Shuffle` may change the number of lanes.
///
/// Where a field counts bits, they are those of the narrowest lanes that have the instruction; 0 if none have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    // Registers.
    /// Bytes of a vector register: 16, 32 or 64.
    pub register_bytes: u8,
    /// Vector registers: 16 or 32.
    pub vector_registers: u8,
    /// Registers that scalars may live in.
    pub scalar_registers: u8,
    /// Vectors of booleans live in mask registers as `i1xN`; else they are integers 0 and -1.
    pub masks: bool,

    // Work-items in lanes: powers of two.
    /// Fewest that are tried.
    pub min_lanes: u8,
    /// Most that are tried.
    pub max_lanes: u8,
    /// Most instructions of a function that the code generator takes.
    pub max_insts: usize,

    // Memory.
    /// Bits for `LoadMasked` and `StoreMasked` on whole registers.
    pub masked_memory: u8,
    /// A scalar is loaded into all lanes by one instruction.
    pub broadcast_loads: bool,
    /// `Gather` into whole registers of 32- and 64-bit elements; indices are as wide.
    pub gather: bool,
    /// `Gather` of all lanes takes longer than as many loads, and is put together of these.
    pub gathers_by_loads: bool,
    /// Machine code has instructions for `Prefetch`.
    pub prefetch: bool,
    /// `Scatter`, as above.
    pub scatter: bool,

    // Integers.
    /// Bits for shifts by one amount per lane (`Shl`, `Lshr`, `Ashr`).
    pub lane_shifts: u8,
    /// `Rotl` by one amount per lane, of 32 and 64 bits.
    pub lane_rotates: bool,
    /// Bits for `Popcnt` and `Ctz`; of bytes each target has the former.
    pub popcounts: u8,
    /// `Clz` on vectors of 32- and 64-bit integers.
    pub leading_zeros: bool,
    /// `MinS` … `MaxU`, `Ashr` by one amount per lane, and conversions from and to floats on vectors of 64-bit
    /// integers, and from f64 to 32-bit ones.
    pub wide_integers: bool,
    /// `Icmp` on vectors with all predicates but `Ne` is one instruction.
    pub int_compares: bool,
    /// `MulHiS` and `MulHiU` on vectors of 32-bit integers.
    pub high_products: bool,
    /// `Dot4Us`, on vectors.
    pub byte_dots: bool,
    /// `Trunci` from and to any size in one step.
    pub narrows: bool,

    // Floats.
    /// `Fma`, of scalars as well.
    pub fma: bool,
    /// Predicates of `Fcmp` on vectors; the others are put together of them.
    pub float_compares: &'static [FloatPred],
    /// Float arithmetic and conversions take any rounding mode.
    pub directed: bool,
    /// `Fpext` and `Fptrunc` between vectors of f16, as i16, and f32; the latter in any rounding mode.
    pub half_conversions: bool,
    /// `Fadd`, `Fsub`, `Fmul`, `Fdiv`, `Fma` and `Sqrt` on vectors of f16, as i16, in any rounding mode.
    pub half_arithmetic: bool,

    // Lanes.
    /// `Select` by the sign of each lane, of any mask.
    pub blends: bool,
    /// `Permute` of 8-bit elements, if there are mask registers; of others see `permutes`.
    pub byte_permutes: bool,
    /// `Swizzle` is one instruction, or two.
    pub swizzles: bool,

    /// What all of it costs.
    pub costs: Costs,
}

impl Target {
    /// True for `Permute` on a legal vector: on whole registers of 32-bit elements and, if there are mask registers, on
    /// all of 16 bits and more. There, vectors of indices and of the result may be shorter than the two that lanes are
    /// picked from.
    pub fn permutes(&self, ty: Type) -> bool {
        let whole = ty.bytes() == u32::from(self.register_bytes);
        let masked = self.masks && (ty.elem.bits() >= 16 || self.byte_permutes);
        ty.elem.bits() == 32 && whole || masked
    }

    /// Vector registers that so many bytes take.
    pub fn registers(&self, bytes: u32) -> u32 {
        bytes.div_ceil(u32::from(self.register_bytes))
    }

    /// True if elements of so many bits have masked accesses.
    pub fn accesses_under_masks(&self, bits: u32) -> bool {
        covers(self.masked_memory, bits)
    }

    /// True if `Popcnt` and `Ctz` count in elements of so many bits.
    pub fn counts_bits(&self, bits: u32) -> bool {
        covers(self.popcounts, bits)
    }
}

fn covers(narrowest: u8, bits: u32) -> bool {
    narrowest > 0 && bits >= u32::from(narrowest)
}

/// Which code generator makes a kernel's code, and for which target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// Cranelift: any host, 128-bit vectors.
    Cranelift,
    /// Our own, `codegen::x64wide`, on AVX2, FMA, F16C and BMI: 256 bits.
    Avx2,
    /// Our own, on AVX-512: 512 bits.
    Avx512,
}

impl Backend {
    /// All, narrow vectors first.
    pub const ALL: [Self; 3] = [Self::Cranelift, Self::Avx2, Self::Avx512];

    /// All whose code the host can run.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|b| b.is_available())
    }

    /// True if the host can run this back end's code.
    pub fn is_available(self) -> bool {
        let cpu = host();
        let vex = cpu.avx2 && cpu.fma && cpu.f16c && cpu.bmi1 && cpu.bmi2 && cpu.lzcnt && cpu.popcnt;
        let evex = cpu.avx512f && cpu.avx512dq && cpu.avx512bw && cpu.avx512vl && cpu.avx512cd;
        match self {
            Self::Cranelift => true,
            Self::Avx2 => vex,
            Self::Avx512 => vex && evex,
        }
    }

    /// What remarks call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cranelift => "Cranelift",
            Self::Avx2 => "our generator for AVX2",
            Self::Avx512 => "our generator for AVX-512",
        }
    }

    /// Its table: the target on a host of this architecture, whatever that has beyond it.
    pub fn table(self) -> &'static Target {
        let cranelift = if cfg!(target_arch = "aarch64") { &Target::NEON } else { &Target::V128 };
        [cranelift, &Target::AVX2, &Target::AVX512][self as usize]
    }

    /// Its target on this host: the table, with what this processor has beyond it.
    pub fn target(self) -> &'static Target {
        static TARGETS: OnceLock<[Target; 3]> = OnceLock::new();
        let targets = TARGETS.get_or_init(|| {
            let [by_8, by_16] = gathers::by_loads();
            let [cranelift, avx2, avx512] = Self::ALL.map(|backend| backend.table().on(host()));
            [cranelift, avx2.with_gathers(by_8), avx512.with_gathers(by_16)]
        });
        &targets[self as usize]
    }
}

/// What `CLIFT_ISA` asks for: one back end for all kernels, as far as it covers them and the host can run its code; and
/// whether work-items run in lanes.
pub fn choice() -> Option<(Backend, bool)> {
    static CHOICE: OnceLock<Option<(Backend, bool)>> = OnceLock::new();
    *CHOICE.get_or_init(|| match crate::env::var("CLIFT_ISA")?.trim() {
        "scalar" => Some((Backend::Cranelift, false)),
        "v128" => Some((Backend::Cranelift, true)),
        "avx2" => Some((Backend::Avx2, true)),
        "avx512" => Some((Backend::Avx512, true)),
        _ => None,
    })
}

/// The back end that `CLIFT_ISA` asks for.
pub fn forced() -> Option<Backend> {
    choice().map(|(backend, _)| backend)
}

/// The back end for functions in lanes: the forced one if the host can run its code, else the widest.
pub fn backend() -> Backend {
    match forced() {
        Some(forced) if forced.is_available() => forced,
        Some(_) => Backend::Cranelift,
        None => Backend::available().last().unwrap_or(Backend::Cranelift),
    }
}

/// The target that work-items run in lanes of; none if `CLIFT_ISA` asks for scalar code.
pub fn lanes() -> Option<&'static Target> {
    choice().is_none_or(|(_, in_lanes)| in_lanes).then(|| backend().target())
}

/// Sizes that a kernel may ask for by `intel_reqd_sub_group_size`.
pub const SUB_GROUP_SIZES: [u8; 5] = [4, 8, 16, 32, 64];

/// Most work-items of a sub-group of a kernel: what it requires, one for debuggers, or what fills a register with
/// `float`.
pub fn sub_group_size(kernel: &KernelInfo) -> u8 {
    let default = || lanes().map_or(4, |target| target.register_bytes / 4);
    match kernel.reqd_sub_group_size {
        Some(size) => size,
        None if kernel.has_single_sub_groups => 1,
        None => default(),
    }
}

/// What vector code kernels get here, in a line for `clift info`.
pub fn description() -> String {
    let Some(target) = lanes() else { return "none, as CLIFT_ISA says".into() };
    let bits = u32::from(target.register_bytes) * 8;
    match (forced(), backend()) {
        (Some(_), backend) => format!("{bits} bits ({}), as CLIFT_ISA says", backend.name()),
        (None, Backend::Avx512) => {
            "512 bits (AVX-512) for lanes of work-items and directed roundings, else 128 bits".into()
        }
        (None, Backend::Avx2) => "256 bits (AVX2) for lanes of work-items, else 128 bits".into(),
        (None, Backend::Cranelift) => "128 bits".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Backend, Rate, Target, host};
    use crate::features::{has_fast_fma, has_half_arithmetic};

    /// The tables as they stand, and as this host has them.
    fn targets() -> impl Iterator<Item = Target> {
        [Target::V128, Target::NEON, Target::AVX2, Target::AVX512]
            .into_iter()
            .chain(Backend::ALL.map(|backend| *backend.target()))
    }

    #[test]
    fn registers_and_lanes_are_powers_of_two() {
        for target in targets() {
            assert!(matches!(target.register_bytes, 16 | 32 | 64), "{target:?}");
            assert!(matches!(target.vector_registers, 16 | 32), "{target:?}");
            assert!(target.min_lanes.is_power_of_two() && target.max_lanes.is_power_of_two(), "{target:?}");
            assert!(
                2 <= target.min_lanes && target.min_lanes <= target.max_lanes && target.max_lanes <= 16,
                "{target:?}"
            );
            // The most lanes fill a register with `float`.
            assert!(4 * target.max_lanes >= target.register_bytes, "{target:?}");
        }
    }

    #[test]
    fn what_builds_on_something_comes_with_it() {
        for target in targets() {
            for bits in [target.masked_memory, target.lane_shifts, target.popcounts] {
                assert!(matches!(bits, 0 | 8 | 16 | 32), "{target:?}");
            }
            let implied = [
                ("scatters have gathers' masks", target.scatter, target.gather && target.masks),
                ("gathers have masks of 32 bits", target.gather, target.accesses_under_masks(32)),
                ("mask registers are for all elements", target.masks, target.accesses_under_masks(8)),
                ("permutations of bytes need mask registers", target.byte_permutes, target.masks),
                ("halves are converted, at least", target.half_arithmetic, target.half_conversions),
                ("dot products of bytes are for our own generator", target.byte_dots, target.register_bytes > 16),
                ("lanes that shift rotate", target.lane_rotates, target.lane_shifts > 0),
            ];
            for (what, this, that) in implied {
                assert!(!this || that, "{what}: {target:?}");
            }
        }
    }

    #[test]
    fn what_is_an_instruction_costs_no_lanes() {
        for target in targets() {
            let costs = target.costs;
            assert_eq!(matches!(costs.lanes.shift, Rate::PerLane(_)), target.lane_shifts == 0, "{target:?}");
            assert!(costs.issue_width >= 1.0 && costs.window > costs.issue_width, "{target:?}");
            assert!(costs.memory.gather > 0.0 && costs.memory.masked_store > 0.0, "{target:?}");
        }
    }

    #[test]
    fn features_of_the_language_are_those_of_the_targets() {
        for backend in Backend::available() {
            assert_eq!(backend.target().fma, has_fast_fma(), "{}", backend.name());
        }
        assert_eq!(has_half_arithmetic(), Backend::Avx512.is_available() && host().avx512fp16);
        for name in host().names().filter(|name| name.starts_with("avx512")) {
            assert!(host().avx512f, "{name} without avx512f");
        }
    }
}

//! What of SPIR-V the device has: versions, capabilities, extensions, instruction sets. A row stands here only if the
//! thing works. Spec: OpenCL SPIR-V Environment, "Required Capabilities"; extension cl_khr_spirv_queries.

use super::module::Module;
use super::words::Id;
use spirv::{Capability, LinkageType};

/// The highest version is 1 and this.
pub const MAX_MINOR_VERSION: u8 = 6;

/// `CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR`
pub const EXTENDED_SETS: &[&str] = &["OpenCL.std", "OpenCL.DebugInfo.100", "NonSemantic.Shader.DebugInfo.100"];

/// `CL_DEVICE_SPIRV_EXTENSIONS_KHR`
pub const EXTENSIONS: &[&str] = &[
    "SPV_KHR_bit_instructions",
    "SPV_KHR_expect_assume",
    "SPV_KHR_float_controls",
    "SPV_KHR_float_controls2",
    "SPV_KHR_integer_dot_product",
    "SPV_KHR_linkonce_odr",
    "SPV_KHR_no_integer_wrap_decoration",
    "SPV_KHR_non_semantic_info",
    "SPV_KHR_shader_clock",
    "SPV_KHR_subgroup_rotate",
    "SPV_KHR_uniform_group_instructions",
    "SPV_EXT_optnone",
    "SPV_EXT_relaxed_printf_string_address_space",
    "SPV_EXT_shader_atomic_float_add",
    "SPV_EXT_shader_atomic_float_min_max",
    "SPV_KHR_fma",
    "SPV_INTEL_float_controls2",
    "SPV_INTEL_fp_fast_math_mode",
    "SPV_INTEL_memory_access_aliasing",
    "SPV_INTEL_optnone",
    "SPV_INTEL_shader_integer_functions2",
    "SPV_INTEL_split_barrier",
    "SPV_INTEL_subgroups",
    "SPV_INTEL_usm_storage_classes",
];

/// `CL_DEVICE_SPIRV_CAPABILITIES_KHR`
pub const CAPABILITIES: &[u32] = &[
    Capability::Addresses as u32,
    Capability::Linkage as u32,
    Capability::Kernel as u32,
    Capability::Vector16 as u32,
    Capability::Float16Buffer as u32,
    Capability::Float16 as u32,
    Capability::Float64 as u32,
    Capability::Int64 as u32,
    Capability::Int64Atomics as u32,
    Capability::Int16 as u32,
    Capability::Int8 as u32,
    Capability::ImageBasic as u32,
    Capability::ImageReadWrite as u32,
    Capability::LiteralSampler as u32,
    Capability::Sampled1D as u32,
    Capability::Image1D as u32,
    Capability::SampledBuffer as u32,
    Capability::ImageBuffer as u32,
    Capability::Groups as u32,
    Capability::SubgroupDispatch as u32,
    Capability::GroupNonUniform as u32,
    Capability::GroupNonUniformVote as u32,
    Capability::GroupNonUniformArithmetic as u32,
    Capability::GroupNonUniformBallot as u32,
    Capability::GroupNonUniformShuffle as u32,
    Capability::GroupNonUniformShuffleRelative as u32,
    Capability::GroupNonUniformClustered as u32,
    Capability::GroupNonUniformRotateKHR as u32,
    Capability::UniformDecoration as u32,
    Capability::FPFastMathModeINTEL as u32,
    Capability::MemoryAccessAliasingINTEL as u32,
    Capability::OptNoneEXT as u32,
    Capability::SubgroupShuffleINTEL as u32,
    Capability::SubgroupBufferBlockIOINTEL as u32,
    Capability::GenericPointer as u32,
    Capability::ExpectAssumeKHR as u32,
    Capability::BitInstructions as u32,
    Capability::DotProduct as u32,
    Capability::DotProductInputAll as u32,
    Capability::DotProductInput4x8Bit as u32,
    Capability::DotProductInput4x8BitPacked as u32,
    Capability::GroupUniformArithmeticKHR as u32,
    Capability::ShaderClockKHR as u32,
    Capability::AtomicFloat32AddEXT as u32,
    Capability::AtomicFloat64AddEXT as u32,
    Capability::AtomicFloat32MinMaxEXT as u32,
    Capability::AtomicFloat64MinMaxEXT as u32,
    Capability::DenormPreserve as u32,
    Capability::SignedZeroInfNanPreserve as u32,
    Capability::RoundingModeRTE as u32,
    Capability::RoundingModeRTZ as u32,
    Capability::FloatControls2 as u32,
    Capability::RoundToInfinityINTEL as u32,
    Capability::IntegerFunctions2INTEL as u32,
    Capability::SplitBarrierINTEL as u32,
    Capability::USMStorageClassesALTERA as u32,
    Capability::FMAKHR as u32,
];

/// Functions that modules of LLVM's translator import under the names of LLVM's intrinsics: the builtin functions that
/// do the same, and whether integers are signed.
const INTRINSICS: &[(&str, &str, Option<bool>)] = &[
    ("llvm.sadd.sat.", "add_sat", Some(true)),
    ("llvm.uadd.sat.", "add_sat", Some(false)),
    ("llvm.ssub.sat.", "sub_sat", Some(true)),
    ("llvm.usub.sat.", "sub_sat", Some(false)),
    ("llvm.smin.", "min", Some(true)),
    ("llvm.umin.", "min", Some(false)),
    ("llvm.smax.", "max", Some(true)),
    ("llvm.umax.", "max", Some(false)),
    ("llvm.ctpop.", "popcount", None),
    ("llvm.bitreverse.", "bit_reverse", None),
];

/// The builtin function that an imported one stands for.
///
/// # Errors
/// Its linkage is malformed.
pub(super) fn intrinsic(module: &Module, func: Id) -> Result<Option<(&'static str, Option<bool>)>, String> {
    let link = module.linkage(func)?.filter(|link| link.kind == LinkageType::Import);
    let row = link.and_then(|link| INTRINSICS.iter().find(|row| link.name.starts_with(row.0)));
    Ok(row.map(|&(_, name, sign)| (name, sign)))
}

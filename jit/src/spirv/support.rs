//! What of SPIR-V the device has: versions, capabilities, extensions, instruction sets. A row stands here only if the
//! thing works. Spec: OpenCL SPIR-V Environment, "Required Capabilities"; extension cl_khr_spirv_queries.

use spirv::Capability;

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
    "SPV_EXT_relaxed_printf_string_address_space",
    "SPV_EXT_shader_atomic_float_add",
    "SPV_EXT_shader_atomic_float_min_max",
    "SPV_INTEL_subgroups",
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
];

//! The extensions and optional features that Clift has: one table for the compiler's macros and the device queries.
//! A row stands here only if the thing works.

use crate::target::Backend;

/// The version of OpenCL that platform and device report: major and minor. 3.1 makes SPIR-V and sub-groups mandatory.
pub const VERSION: (u32, u32) = (3, 1);

/// The builtin functions of Clang's that programs may ask for by `__has_builtin`.
pub const BUILTINS: &[&str] = &["__builtin_assume", "__builtin_astype", "__builtin_expect", "__builtin_offsetof"];

/// The attributes that programs may ask for by `__has_attribute`, without `__` on both sides.
pub const ATTRIBUTES: &[&str] = &[
    "aligned",
    "always_inline",
    "endian",
    "ext_vector_type",
    "intel_reqd_sub_group_size",
    "intel_vec_len_hint",
    "noinline",
    "nosvm",
    "opencl_unroll_hint",
    "overloadable",
    "packed",
    "reqd_work_group_size",
    "vec_type_hint",
    "vector_size",
    "work_group_size_hint",
];

/// What kind of thing a row names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeatureKind {
    /// An extension that changes the language: the device reports it, its name is a macro, `#pragma OPENCL EXTENSION`
    /// takes it.
    Language,
    /// The same, but building on OpenCL C 2.0: its name is a macro from that version on.
    Language2,
    /// An extension of the device's API only: the device reports it, its name is no macro.
    Device,
    /// An extension of the platform: platform and device report it.
    Platform,
    /// An OpenCL C 3.0 feature macro, `__opencl_c_…`.
    Feature,
}

impl FeatureKind {
    /// Whether `CL_DEVICE_EXTENSIONS` names it.
    pub fn is_reported_extension(self) -> bool {
        match self {
            Self::Language | Self::Language2 | Self::Device | Self::Platform => true,
            Self::Feature => false,
        }
    }
}

/// One extension or feature.
#[derive(Clone, Copy, Debug)]
pub struct FeatureRow {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub kind: FeatureKind,
    /// Its version: major, minor, patch.
    pub version: (u32, u32, u32),
}

const fn row(name: &'static str, kind: FeatureKind, version: (u32, u32, u32)) -> FeatureRow {
    FeatureRow { name, kind, version }
}

/// All of them, but for names that would make the list longer than the buffers of 2048 bytes that programs have for it:
/// what the core has under another name (`cl_khr_extended_versioning`, `cl_ext_migrate_memobject`,
/// `cl_intel_create_buffer_with_properties`), what is accepted and changes nothing (`cl_khr_priority_hints`,
/// `cl_khr_throttle_hints`, `cl_intel_mem_force_host_memory`), and what `cl_khr_spirv_queries` tells of as well
/// (`cl_khr_spirv_linkonce_odr`, `cl_intel_spirv_subgroups`).
pub const FEATURES: &[FeatureRow] = &[
    row("cl_khr_icd", FeatureKind::Platform, (2, 0, 0)),
    row("cl_khr_create_command_queue", FeatureKind::Device, (1, 0, 0)),
    row("cl_khr_suggested_local_work_size", FeatureKind::Device, (1, 0, 0)),
    row("cl_khr_device_uuid", FeatureKind::Device, (1, 0, 0)),
    row("cl_khr_il_program", FeatureKind::Device, (1, 0, 0)),
    row("cl_khr_spirv_queries", FeatureKind::Device, (1, 0, 0)),
    row("cl_khr_spirv_no_integer_wrap_decoration", FeatureKind::Device, (1, 0, 0)),
    row("cl_khr_unified_svm", FeatureKind::Device, (0, 9, 0)),
    row("cl_intel_exec_by_local_thread", FeatureKind::Device, (1, 0, 0)),
    row("cl_intel_device_partition_by_names", FeatureKind::Device, (1, 0, 0)),
    row("cl_khr_initialize_memory", FeatureKind::Device, (1, 0, 0)),
    row("cl_khr_terminate_context", FeatureKind::Device, (1, 0, 0)),
    row("cl_img_cancel_command", FeatureKind::Device, (1, 0, 0)),
    row("cl_pocl_content_size", FeatureKind::Platform, (1, 0, 0)),
    row("cl_khr_external_memory", FeatureKind::Device, (1, 0, 1)),
    row("cl_khr_external_memory_opaque_fd", FeatureKind::Device, (1, 0, 0)),
    row("cl_khr_semaphore", FeatureKind::Device, (1, 0, 0)),
    row("cl_khr_external_semaphore", FeatureKind::Device, (1, 0, 1)),
    row("cl_khr_external_semaphore_opaque_fd", FeatureKind::Device, (1, 0, 0)),
    row("cl_khr_command_buffer", FeatureKind::Device, (0, 9, 8)),
    row("cl_khr_command_buffer_multi_device", FeatureKind::Platform, (0, 9, 2)),
    row("cl_khr_command_buffer_mutable_dispatch", FeatureKind::Device, (0, 9, 5)),
    row("cl_khr_byte_addressable_store", FeatureKind::Language, (1, 0, 0)),
    row("cl_khr_global_int32_base_atomics", FeatureKind::Language, (1, 0, 0)),
    row("cl_khr_global_int32_extended_atomics", FeatureKind::Language, (1, 0, 0)),
    row("cl_khr_local_int32_base_atomics", FeatureKind::Language, (1, 0, 0)),
    row("cl_khr_local_int32_extended_atomics", FeatureKind::Language, (1, 0, 0)),
    row("cl_khr_int64_base_atomics", FeatureKind::Language, (1, 0, 0)),
    row("cl_khr_int64_extended_atomics", FeatureKind::Language, (1, 0, 0)),
    row("cl_khr_extended_bit_ops", FeatureKind::Language, (1, 0, 0)),
    row("cl_khr_integer_dot_product", FeatureKind::Language, (2, 0, 0)),
    row("cl_khr_async_work_group_copy_fence", FeatureKind::Language, (1, 0, 0)),
    row("cl_khr_extended_async_copies", FeatureKind::Language, (1, 0, 0)),
    row("cl_intel_split_work_group_barrier", FeatureKind::Language, (1, 0, 0)),
    row("cl_intel_bfloat16_conversions", FeatureKind::Language, (1, 0, 0)),
    row("cl_intel_concurrent_dispatch", FeatureKind::Language, (1, 0, 0)),
    row("cl_intel_vec_len_hint", FeatureKind::Language, (1, 0, 0)),
    row("cl_khr_fp16", FeatureKind::Language, (1, 0, 0)),
    row("cl_khr_fp64", FeatureKind::Language, (1, 0, 0)),
    row("cl_khr_select_fprounding_mode", FeatureKind::Language, (1, 0, 0)),
    row("cl_khr_work_group_uniform_arithmetic", FeatureKind::Language2, (1, 0, 0)),
    row("cl_khr_subgroup_extended_types", FeatureKind::Language2, (1, 0, 0)),
    row("cl_khr_subgroup_non_uniform_vote", FeatureKind::Language2, (1, 0, 0)),
    row("cl_khr_subgroup_ballot", FeatureKind::Language2, (1, 0, 0)),
    row("cl_khr_subgroup_non_uniform_arithmetic", FeatureKind::Language2, (1, 0, 0)),
    row("cl_khr_subgroup_shuffle", FeatureKind::Language2, (1, 0, 0)),
    row("cl_khr_subgroup_shuffle_relative", FeatureKind::Language2, (1, 0, 0)),
    row("cl_khr_subgroup_clustered_reduce", FeatureKind::Language2, (1, 0, 0)),
    row("cl_khr_subgroup_rotate", FeatureKind::Language2, (1, 0, 0)),
    row("cl_intel_subgroups", FeatureKind::Language, (1, 0, 0)),
    row("cl_intel_subgroups_char", FeatureKind::Language, (1, 0, 0)),
    row("cl_intel_subgroups_short", FeatureKind::Language, (1, 0, 0)),
    row("cl_intel_subgroups_long", FeatureKind::Language, (1, 0, 0)),
    row("cl_intel_subgroup_local_block_io", FeatureKind::Language, (1, 0, 0)),
    row("cl_intel_required_subgroup_size", FeatureKind::Language, (1, 0, 0)),
    row("cl_khr_3d_image_writes", FeatureKind::Language, (1, 0, 0)),
    row("cl_khr_depth_images", FeatureKind::Language, (1, 0, 0)),
    row("cl_khr_srgb_image_writes", FeatureKind::Language, (1, 0, 0)),
    row("cl_khr_mipmap_image", FeatureKind::Language, (1, 0, 0)),
    row("cl_khr_mipmap_image_writes", FeatureKind::Language, (1, 0, 0)),
    row("cl_khr_image2d_from_buffer", FeatureKind::Device, (1, 0, 0)),
    row("cl_khr_kernel_clock", FeatureKind::Language, (1, 0, 0)),
    row("cl_khr_expect_assume", FeatureKind::Device, (1, 0, 0)),
    row("cl_ext_immutable_memory_objects", FeatureKind::Device, (1, 0, 0)),
    row("cl_ext_image_requirements_info", FeatureKind::Device, (0, 5, 0)),
    row("cl_ext_image_from_buffer", FeatureKind::Device, (1, 0, 0)),
    row("cl_ext_image_unorm_int_2_101010", FeatureKind::Device, (1, 0, 0)),
    row("cl_ext_image_unsigned_10x6_12x4_14x2", FeatureKind::Device, (1, 0, 0)),
    row("cl_ext_image_raw10_raw12", FeatureKind::Device, (1, 0, 0)),
    row("cl_ext_buffer_device_address", FeatureKind::Device, (1, 0, 2)),
    row("cl_khr_device_enqueue_local_arg_types", FeatureKind::Language2, (1, 0, 0)),
    row("cl_ext_float_atomics", FeatureKind::Language2, (1, 0, 0)),
    row("__opencl_c_kernel_clock_scope_device", FeatureKind::Feature, (1, 0, 0)),
    row("__opencl_c_kernel_clock_scope_work_group", FeatureKind::Feature, (1, 0, 0)),
    row("__opencl_c_ext_fp32_global_atomic_add", FeatureKind::Feature, (1, 0, 0)),
    row("__opencl_c_ext_fp32_local_atomic_add", FeatureKind::Feature, (1, 0, 0)),
    row("__opencl_c_ext_fp32_global_atomic_min_max", FeatureKind::Feature, (1, 0, 0)),
    row("__opencl_c_ext_fp32_local_atomic_min_max", FeatureKind::Feature, (1, 0, 0)),
    row("__opencl_c_ext_fp64_global_atomic_add", FeatureKind::Feature, (1, 0, 0)),
    row("__opencl_c_ext_fp64_local_atomic_add", FeatureKind::Feature, (1, 0, 0)),
    row("__opencl_c_ext_fp64_global_atomic_min_max", FeatureKind::Feature, (1, 0, 0)),
    row("__opencl_c_ext_fp64_local_atomic_min_max", FeatureKind::Feature, (1, 0, 0)),
    row("cl_intel_device_attribute_query", FeatureKind::Device, (1, 0, 0)),
    row("cl_intel_unified_shared_memory", FeatureKind::Device, (1, 2, 0)),
    row("__opencl_c_images", FeatureKind::Feature, (3, 0, 0)),
    row("__opencl_c_3d_image_writes", FeatureKind::Feature, (3, 0, 0)),
    row("__opencl_c_read_write_images", FeatureKind::Feature, (3, 0, 0)),
    row("__opencl_c_ext_image_unorm_int_2_101010", FeatureKind::Feature, (1, 0, 0)),
    row("__opencl_c_ext_image_unsigned_10x6_12x4_14x2", FeatureKind::Feature, (1, 0, 0)),
    row("__opencl_c_ext_image_raw10_raw12", FeatureKind::Feature, (1, 0, 0)),
    row("__opencl_c_fp64", FeatureKind::Feature, (3, 0, 0)),
    row("__opencl_c_int64", FeatureKind::Feature, (3, 0, 0)),
    row("__opencl_c_work_group_collective_functions", FeatureKind::Feature, (3, 0, 0)),
    row("__opencl_c_subgroups", FeatureKind::Feature, (3, 0, 0)),
    row("__opencl_c_generic_address_space", FeatureKind::Feature, (3, 0, 0)),
    row("__opencl_c_pipes", FeatureKind::Feature, (3, 0, 0)),
    row("__opencl_c_device_enqueue", FeatureKind::Feature, (3, 0, 0)),
    row("__opencl_c_program_scope_global_variables", FeatureKind::Feature, (3, 0, 0)),
    row("__opencl_c_atomic_order_acq_rel", FeatureKind::Feature, (3, 0, 0)),
    row("__opencl_c_atomic_order_seq_cst", FeatureKind::Feature, (3, 0, 0)),
    row("__opencl_c_atomic_scope_device", FeatureKind::Feature, (3, 0, 0)),
    row("__opencl_c_atomic_scope_all_devices", FeatureKind::Feature, (3, 0, 0)),
    row("__opencl_c_integer_dot_product_input_4x8bit", FeatureKind::Feature, (3, 0, 0)),
    row("__opencl_c_integer_dot_product_input_4x8bit_packed", FeatureKind::Feature, (3, 0, 0)),
];

/// Whether a fused multiply-add is one instruction, in scalar code as well: `FP_FAST_FMA` and its kin.
pub fn has_fast_fma() -> bool {
    Backend::Cranelift.target().fma
}

/// Whether this machine computes with halves; elsewhere they are converted to `float` and back.
pub fn has_half_arithmetic() -> bool {
    Backend::available().any(|backend| backend.target().half_arithmetic)
}

/// The row of `name`.
pub fn feature(name: &str) -> Option<&'static FeatureRow> {
    FEATURES.iter().find(|row| row.name == name)
}

#[cfg(test)]
mod tests {
    use super::{FEATURES, FeatureKind, feature};

    #[test]
    fn rows_are_unique_and_well_named() {
        for (i, row) in FEATURES.iter().enumerate() {
            assert!(FEATURES[..i].iter().all(|other| other.name != row.name), "{} stands twice", row.name);
            let prefix = if row.kind == FeatureKind::Feature { "__opencl_c_" } else { "cl_" };
            assert!(row.name.starts_with(prefix), "{}", row.name);
        }
        assert_eq!(feature("cl_khr_fp64").map(|row| row.kind), Some(FeatureKind::Language));
        assert!(feature("cl_khr_nothing").is_none());
    }
}

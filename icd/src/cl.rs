//! C types, constants and structs of the OpenCL API: what `cl-sys` gives, and below it everything of OpenCL 2.2 and 3.0
//! and `cl_khr_icd` that it lacks. Used qualified (`cl::CL_MEM_READ_ONLY`), never imported by name. No logic.
//!
//! `cl-sys` also declares the API's functions as imports from a loader: nothing here may call those.

#![allow(missing_docs, reason = "names and values of cl.h, documented by the OpenCL specification")]
#![allow(non_camel_case_types, reason = "the C API's own type names")]

pub use cl_sys::*;

pub type cl_properties = cl_ulong;
pub type cl_mem_properties = cl_properties;
pub type cl_version = cl_uint;
pub type cl_device_atomic_capabilities = cl_bitfield;
pub type cl_device_device_enqueue_capabilities = cl_bitfield;
pub type cl_khronos_vendor_id = cl_uint;

/// An entry of the `*_WITH_VERSION` lists. Spec: "Querying Platforms".
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cl_name_version {
    pub version: cl_version,
    pub name: [c_char; CL_NAME_VERSION_MAX_NAME_SIZE],
}

// Error codes
pub const CL_INVALID_SPEC_ID: cl_int = -71;
pub const CL_MAX_SIZE_RESTRICTION_EXCEEDED: cl_int = -72;

// cl_platform_info
pub const CL_PLATFORM_NUMERIC_VERSION: cl_uint = 0x0906;
pub const CL_PLATFORM_EXTENSIONS_WITH_VERSION: cl_uint = 0x0907;
pub const CL_PLATFORM_ICD_SUFFIX_KHR: cl_uint = 0x0920;

// cl_device_info
pub const CL_DEVICE_NUMERIC_VERSION: cl_uint = 0x105E;
pub const CL_DEVICE_EXTENSIONS_WITH_VERSION: cl_uint = 0x1060;
pub const CL_DEVICE_ILS_WITH_VERSION: cl_uint = 0x1061;
pub const CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION: cl_uint = 0x1062;
pub const CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES: cl_uint = 0x1063;
pub const CL_DEVICE_ATOMIC_FENCE_CAPABILITIES: cl_uint = 0x1064;
pub const CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT: cl_uint = 0x1065;
pub const CL_DEVICE_OPENCL_C_ALL_VERSIONS: cl_uint = 0x1066;
pub const CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: cl_uint = 0x1067;
pub const CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT: cl_uint = 0x1068;
pub const CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT: cl_uint = 0x1069;
pub const CL_DEVICE_OPENCL_C_FEATURES: cl_uint = 0x106F;
pub const CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES: cl_uint = 0x1070;
pub const CL_DEVICE_PIPE_SUPPORT: cl_uint = 0x1071;
pub const CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED: cl_uint = 0x1072;

pub const CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR: cl_uint = 0x1073;
pub const CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR: cl_uint = 0x1074;
pub const CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4X8BIT_PACKED_KHR: cl_uint = 0x1075;

// cl_intel_device_attribute_query
pub const CL_DEVICE_IP_VERSION_INTEL: cl_uint = 0x4250;
pub const CL_DEVICE_ID_INTEL: cl_uint = 0x4251;
pub const CL_DEVICE_NUM_SLICES_INTEL: cl_uint = 0x4252;
pub const CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL: cl_uint = 0x4253;
pub const CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL: cl_uint = 0x4254;
pub const CL_DEVICE_NUM_THREADS_PER_EU_INTEL: cl_uint = 0x4255;
pub const CL_DEVICE_FEATURE_CAPABILITIES_INTEL: cl_uint = 0x4256;

// cl_intel_device_partition_by_names
pub const CL_DEVICE_PARTITION_BY_NAMES_INTEL: cl_uint = 0x4052;
pub const CL_PARTITION_BY_NAMES_LIST_END_INTEL: isize = -1;

// cl_intel_concurrent_dispatch
pub const CL_KERNEL_EXEC_INFO_DISPATCH_TYPE_INTEL: cl_uint = 0x4257;
pub const CL_KERNEL_EXEC_INFO_DISPATCH_TYPE_DEFAULT_INTEL: cl_uint = 0;
pub const CL_KERNEL_EXEC_INFO_DISPATCH_TYPE_CONCURRENT_INTEL: cl_uint = 1;

// cl_khr_unified_svm
pub const CL_PLATFORM_SVM_TYPE_CAPABILITIES_KHR: cl_uint = 0x0909;
pub const CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR: cl_uint = 0x1077;
pub const CL_DEVICE_SVM_CONCURRENT_ACCESS_ATOM_SIZE_KHR: cl_uint = 0x1078;
pub const CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR: cl_uint = 0x11BB;
pub const CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR: cl_uint = 0x2078;
pub const CL_SVM_ALLOC_ACCESS_FLAGS_KHR: cl_uint = 0x2079;
pub const CL_SVM_ALLOC_ALIGNMENT_KHR: cl_uint = 0x207A;
pub const CL_SVM_INFO_TYPE_INDEX_KHR: cl_uint = 0x2088;
pub const CL_SVM_INFO_CAPABILITIES_KHR: cl_uint = 0x2089;
pub const CL_SVM_INFO_PROPERTIES_KHR: cl_uint = 0x208A;
pub const CL_SVM_INFO_ACCESS_FLAGS_KHR: cl_uint = 0x208B;
pub const CL_SVM_INFO_BASE_PTR_KHR: cl_uint = 0x419B;
pub const CL_SVM_INFO_SIZE_KHR: cl_uint = 0x419C;
pub const CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR: cl_uint = 0x419D;

// cl_intel_exec_by_local_thread
pub const CL_QUEUE_THREAD_LOCAL_EXEC_ENABLE_INTEL: cl_bitfield = 1 << 31;

// cl_khr_spirv_queries
pub const CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR: cl_uint = 0x12B9;
pub const CL_DEVICE_SPIRV_EXTENSIONS_KHR: cl_uint = 0x12BA;
pub const CL_DEVICE_SPIRV_CAPABILITIES_KHR: cl_uint = 0x12BB;

// cl_device_integer_dot_product_capabilities_khr
pub const CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4X8BIT_PACKED_KHR: cl_bitfield = 1 << 0;
pub const CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4X8BIT_KHR: cl_bitfield = 1 << 1;

// cl_device_atomic_capabilities
pub const CL_DEVICE_ATOMIC_ORDER_RELAXED: cl_bitfield = 1 << 0;
pub const CL_DEVICE_ATOMIC_ORDER_ACQ_REL: cl_bitfield = 1 << 1;
pub const CL_DEVICE_ATOMIC_ORDER_SEQ_CST: cl_bitfield = 1 << 2;
pub const CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM: cl_bitfield = 1 << 3;
pub const CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP: cl_bitfield = 1 << 4;
pub const CL_DEVICE_ATOMIC_SCOPE_DEVICE: cl_bitfield = 1 << 5;
pub const CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES: cl_bitfield = 1 << 6;

// cl_device_device_enqueue_capabilities
pub const CL_DEVICE_QUEUE_SUPPORTED: cl_bitfield = 1 << 0;
pub const CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT: cl_bitfield = 1 << 1;

// cl_command_queue_info, cl_mem_info, cl_pipe_info, cl_sampler_info
pub const CL_QUEUE_PROPERTIES_ARRAY: cl_uint = 0x1098;
pub const CL_MEM_PROPERTIES: cl_uint = 0x110A;
pub const CL_PIPE_PROPERTIES: cl_uint = 0x1122;
pub const CL_SAMPLER_PROPERTIES: cl_uint = 0x1158;

// cl_program_info
pub const CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT: cl_uint = 0x116A;
pub const CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT: cl_uint = 0x116B;

// cl_command_type
pub const CL_COMMAND_SVM_MIGRATE_MEM: cl_uint = 0x120E;

// cl_khr_command_buffer
pub type cl_command_buffer_khr = *mut c_void;
pub type cl_mutable_command_khr = *mut c_void;
pub type cl_sync_point_khr = cl_uint;
pub const CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR: cl_uint = 0x129A;
pub const CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR: cl_uint = 0x12A9;
pub const CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR: cl_uint = 0x12AA;
pub const CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR: cl_bitfield = 1 << 0;
pub const CL_COMMAND_BUFFER_CAPABILITY_DEVICE_SIDE_ENQUEUE_KHR: cl_bitfield = 1 << 1;
pub const CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR: cl_bitfield = 1 << 2;
pub const CL_COMMAND_BUFFER_CAPABILITY_MULTIPLE_QUEUE_KHR: cl_bitfield = 1 << 4;
pub const CL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR: cl_uint = 0x12AB;
pub const CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR: cl_uint = 0x12AC;
pub const CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR: cl_uint = 0x0908;
pub const CL_COMMAND_BUFFER_PLATFORM_UNIVERSAL_SYNC_KHR: cl_bitfield = 1 << 0;
pub const CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR: cl_bitfield = 1 << 1;
pub const CL_COMMAND_BUFFER_PLATFORM_AUTOMATIC_REMAP_KHR: cl_bitfield = 1 << 2;
pub const CL_COMMAND_BUFFER_FLAGS_KHR: cl_uint = 0x1293;
pub const CL_COMMAND_BUFFER_QUEUES_KHR: cl_uint = 0x1294;
pub const CL_COMMAND_BUFFER_NUM_QUEUES_KHR: cl_uint = 0x1295;
pub const CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR: cl_uint = 0x1296;
pub const CL_COMMAND_BUFFER_STATE_KHR: cl_uint = 0x1297;
pub const CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR: cl_uint = 0x1298;
pub const CL_COMMAND_BUFFER_CONTEXT_KHR: cl_uint = 0x1299;
pub const CL_COMMAND_COMMAND_BUFFER_KHR: cl_int = 0x12A8;
pub const CL_INVALID_COMMAND_BUFFER_KHR: cl_int = -1138;
pub const CL_INVALID_SYNC_POINT_WAIT_LIST_KHR: cl_int = -1139;
pub const CL_INCOMPATIBLE_COMMAND_QUEUE_KHR: cl_int = -1140;

// cl_khr_command_buffer_mutable_dispatch
pub const CL_INVALID_MUTABLE_COMMAND_KHR: cl_int = -1141;
pub const CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR: cl_uint = 0x12B0;
pub const CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR: cl_uint = 0x12B1;
pub const CL_MUTABLE_DISPATCH_ASSERTS_KHR: cl_uint = 0x12B8;
pub const CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR: cl_uint = 0x12B7;
pub const CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR: cl_bitfield = 1 << 0;
pub const CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR: cl_uint = 0x12A0;
pub const CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR: cl_uint = 0x12A1;
pub const CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR: cl_uint = 0x12A2;
pub const CL_MUTABLE_DISPATCH_KERNEL_KHR: cl_uint = 0x12A3;
pub const CL_MUTABLE_DISPATCH_DIMENSIONS_KHR: cl_uint = 0x12A4;
pub const CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR: cl_uint = 0x12A5;
pub const CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR: cl_uint = 0x12A6;
pub const CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR: cl_uint = 0x12A7;
pub const CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR: cl_uint = 0x12AD;
pub const CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR: cl_uint = 0;

/// An argument to change.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cl_mutable_dispatch_arg_khr {
    pub arg_index: cl_uint,
    pub arg_size: size_t,
    pub arg_value: *const c_void,
}

/// A setting of `clSetKernelExecInfo` to change.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cl_mutable_dispatch_exec_info_khr {
    pub param_name: cl_uint,
    pub param_value_size: size_t,
    pub param_value: *const c_void,
}

/// The changes of a recorded kernel.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cl_mutable_dispatch_config_khr {
    pub command: cl_mutable_command_khr,
    pub num_args: cl_uint,
    pub num_svm_args: cl_uint,
    pub num_exec_infos: cl_uint,
    pub work_dim: cl_uint,
    pub arg_list: *const cl_mutable_dispatch_arg_khr,
    pub arg_svm_list: *const cl_mutable_dispatch_arg_khr,
    pub exec_info_list: *const cl_mutable_dispatch_exec_info_khr,
    pub global_work_offset: *const size_t,
    pub global_work_size: *const size_t,
    pub local_work_size: *const size_t,
}

// cl_ext_image_requirements_info and cl_ext_image_from_buffer
pub type cl_image_requirements_info_ext = cl_uint;
pub const CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT: cl_uint = 0x1290;
pub const CL_IMAGE_REQUIREMENTS_SLICE_PITCH_ALIGNMENT_EXT: cl_uint = 0x1291;
pub const CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT: cl_uint = 0x1292;
pub const CL_IMAGE_REQUIREMENTS_SIZE_EXT: cl_uint = 0x12B2;
pub const CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT: cl_uint = 0x12B3;
pub const CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT: cl_uint = 0x12B4;
pub const CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT: cl_uint = 0x12B5;
pub const CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT: cl_uint = 0x12B6;

// cl_khr_external_memory and cl_khr_external_memory_opaque_fd
pub const CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR: cl_uint = 0x2044;
pub const CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR: cl_uint = 0x204F;
pub const CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR: cl_uint = 0x2052;
pub const CL_MEM_DEVICE_HANDLE_LIST_KHR: cl_ulong = 0x2051;
pub const CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR: cl_ulong = 0x2060;

// cl_khr_mipmap_image
pub const CL_SAMPLER_MIP_FILTER_MODE_KHR: cl_uint = 0x1155;
pub const CL_SAMPLER_LOD_MIN_KHR: cl_uint = 0x1156;
pub const CL_SAMPLER_LOD_MAX_KHR: cl_uint = 0x1157;

// cl_khr_semaphore
pub type cl_semaphore_khr = *mut c_void;
pub const CL_SEMAPHORE_TYPE_BINARY_KHR: cl_uint = 1;
pub const CL_PLATFORM_SEMAPHORE_TYPES_KHR: cl_uint = 0x2036;
pub const CL_DEVICE_SEMAPHORE_TYPES_KHR: cl_uint = 0x204C;
pub const CL_SEMAPHORE_CONTEXT_KHR: cl_uint = 0x2039;
pub const CL_SEMAPHORE_REFERENCE_COUNT_KHR: cl_uint = 0x203A;
pub const CL_SEMAPHORE_PROPERTIES_KHR: cl_uint = 0x203B;
pub const CL_SEMAPHORE_PAYLOAD_KHR: cl_uint = 0x203C;
pub const CL_SEMAPHORE_TYPE_KHR: cl_uint = 0x203D;
pub const CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR: cl_uint = 0x2053;
pub const CL_COMMAND_SEMAPHORE_WAIT_KHR: cl_uint = 0x2042;
pub const CL_COMMAND_SEMAPHORE_SIGNAL_KHR: cl_uint = 0x2043;
pub const CL_INVALID_SEMAPHORE_KHR: cl_int = -1142;

// cl_khr_external_semaphore and cl_khr_external_semaphore_opaque_fd
pub const CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR: cl_uint = 0x2037;
pub const CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR: cl_uint = 0x2038;
pub const CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR: cl_uint = 0x204D;
pub const CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR: cl_uint = 0x204E;
pub const CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR: cl_uint = 0x203F;
pub const CL_SEMAPHORE_EXPORTABLE_KHR: cl_uint = 0x2054;
pub const CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR: cl_uint = 0x2055;

// cl_khr_kernel_clock
pub const CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR: cl_uint = 0x1076;
pub const CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR: cl_bitfield = 1 << 0;
pub const CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR: cl_bitfield = 1 << 1;

// cl_ext_float_atomics
pub const CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT: cl_bitfield = 1 << 0;
pub const CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT: cl_bitfield = 1 << 1;
pub const CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT: cl_bitfield = 1 << 2;
pub const CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT: cl_bitfield = 1 << 16;
pub const CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT: cl_bitfield = 1 << 17;
pub const CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT: cl_bitfield = 1 << 18;
pub const CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT: cl_uint = 0x4231;
pub const CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT: cl_uint = 0x4232;
pub const CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT: cl_uint = 0x4233;

// cl_khr_device_uuid
pub const CL_DEVICE_UUID_KHR: cl_uint = 0x106A;
pub const CL_DRIVER_UUID_KHR: cl_uint = 0x106B;
pub const CL_DEVICE_LUID_VALID_KHR: cl_uint = 0x106C;
pub const CL_DEVICE_LUID_KHR: cl_uint = 0x106D;
pub const CL_DEVICE_NODE_MASK_KHR: cl_uint = 0x106E;

// cl_khr_initialize_memory
pub const CL_CONTEXT_MEMORY_INITIALIZE_KHR: cl_uint = 0x2030;

// cl_khr_terminate_context
pub const CL_DEVICE_TERMINATE_CAPABILITY_KHR: cl_uint = 0x2031;
/// Its number in headers of OpenCL 1.2.
#[allow(non_upper_case_globals, reason = "the name that tools give it")]
pub const CL_DEVICE_TERMINATE_CAPABILITY_KHR_1x: cl_uint = 0x200F;
pub const CL_CONTEXT_TERMINATE_KHR: cl_uint = 0x2032;
pub const CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR: cl_bitfield = 1 << 0;
pub const CL_CONTEXT_TERMINATED_KHR: cl_int = -1121;

// cl_ext_image_raw10_raw12
pub const CL_UNSIGNED_INT_RAW10_EXT: cl_uint = 0x10E3;
pub const CL_UNSIGNED_INT_RAW12_EXT: cl_uint = 0x10E4;

// cl_img_cancel_command
pub const CL_CANCELLED_IMG: cl_int = -1126;

// cl_ext_immutable_memory_objects
pub const CL_MEM_IMMUTABLE_EXT: cl_bitfield = 1 << 6;

// cl_khr_priority_hints and cl_khr_throttle_hints
pub const CL_QUEUE_PRIORITY_KHR: cl_uint = 0x1096;
pub const CL_QUEUE_PRIORITY_HIGH_KHR: cl_bitfield = 1 << 0;
pub const CL_QUEUE_PRIORITY_MED_KHR: cl_bitfield = 1 << 1;
pub const CL_QUEUE_PRIORITY_LOW_KHR: cl_bitfield = 1 << 2;
pub const CL_QUEUE_THROTTLE_KHR: cl_uint = 0x1097;
pub const CL_QUEUE_THROTTLE_HIGH_KHR: cl_bitfield = 1 << 0;
pub const CL_QUEUE_THROTTLE_MED_KHR: cl_bitfield = 1 << 1;
pub const CL_QUEUE_THROTTLE_LOW_KHR: cl_bitfield = 1 << 2;

// cl_intel_required_subgroup_size
pub const CL_DEVICE_SUB_GROUP_SIZES_INTEL: cl_uint = 0x4108;
pub const CL_KERNEL_SPILL_MEM_SIZE_INTEL: cl_uint = 0x4109;
pub const CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL: cl_uint = 0x410A;

// cl_intel_unified_shared_memory
pub const CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL: cl_uint = 0x4190;
pub const CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL: cl_uint = 0x4191;
pub const CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL: cl_uint = 0x4192;
pub const CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL: cl_uint = 0x4193;
pub const CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL: cl_uint = 0x4194;
pub const CL_MEM_ALLOC_FLAGS_INTEL: cl_uint = 0x4195;
pub const CL_MEM_TYPE_UNKNOWN_INTEL: cl_uint = 0x4196;
pub const CL_MEM_TYPE_HOST_INTEL: cl_uint = 0x4197;
pub const CL_MEM_TYPE_DEVICE_INTEL: cl_uint = 0x4198;
pub const CL_MEM_TYPE_SHARED_INTEL: cl_uint = 0x4199;
pub const CL_MEM_ALLOC_TYPE_INTEL: cl_uint = 0x419A;
pub const CL_MEM_ALLOC_BASE_PTR_INTEL: cl_uint = 0x419B;
pub const CL_MEM_ALLOC_SIZE_INTEL: cl_uint = 0x419C;
pub const CL_MEM_ALLOC_DEVICE_INTEL: cl_uint = 0x419D;
pub const CL_MEM_FORCE_HOST_MEMORY_INTEL: cl_bitfield = 1 << 20;
pub const CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT: cl_ulong = 0x5000;
pub const CL_MEM_DEVICE_ADDRESS_EXT: cl_uint = 0x5001;
pub const CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT: cl_uint = 0x5002;
pub const CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL: cl_uint = 0x4200;
pub const CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL: cl_uint = 0x4201;
pub const CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL: cl_uint = 0x4202;
pub const CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL: cl_uint = 0x4203;

// cl_khronos_vendor_id and sizes
pub const CL_NAME_VERSION_MAX_NAME_SIZE: usize = 64;

/// `CL_MAKE_VERSION`: 10 bits of major, 10 of minor, 12 of patch version.
pub const fn make_version(major: u32, minor: u32, patch: u32) -> cl_version {
    ((major & 0x3ff) << 22) | ((minor & 0x3ff) << 12) | (patch & 0xfff)
}

/// Stands in the `clGetPlatformIDs` and `clUnloadCompiler` slots of a `cl_khr_icd` 2.0 dispatch table.
pub const CL_ICD2_TAG_KHR: usize = 0x4F50_454E_434C_3331;

// Callbacks, nullable as C's are
pub type context_notify = Option<unsafe extern "C" fn(*const c_char, *const c_void, size_t, *mut c_void)>;
pub type context_destructor = Option<unsafe extern "C" fn(cl_context, *mut c_void)>;
pub type mem_destructor = Option<unsafe extern "C" fn(cl_mem, *mut c_void)>;
pub type program_notify = Option<unsafe extern "C" fn(cl_program, *mut c_void)>;
pub type event_notify = Option<unsafe extern "C" fn(cl_event, cl_int, *mut c_void)>;
pub type native_kernel = Option<unsafe extern "C" fn(*mut c_void)>;
pub type svm_free_notify = Option<unsafe extern "C" fn(cl_command_queue, cl_uint, *mut *mut c_void, *mut c_void)>;

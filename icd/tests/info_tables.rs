//! Every row of every information table through the C API: the size query, the value, a buffer that is too small, one
//! that is too large, and a name that does not exist.

#![allow(unsafe_code, reason = "calls the C API")]

mod common;

use clift::info::{self, InfoRow};
use common::*;
use std::collections::HashMap;

/// A `clGet*Info` call: name, size, value, size of the value.
type Query<'a> = &'a dyn Fn(cl::cl_uint, usize, *mut c_void, *mut usize) -> cl::cl_int;

const GUARD: u8 = 0xA5;

/// Asks every row in every way. Gives the values of those that answered.
fn walk<T>(rows: &[InfoRow<T>], query: Query<'_>, refused: &[(&str, cl::cl_int)]) -> HashMap<&'static str, Vec<u8>> {
    let mut values = HashMap::new();
    for (idx, row) in rows.iter().enumerate() {
        assert!(rows[..idx].iter().all(|other| other.id != row.id), "{}: its number stands twice", row.name);
        let mut size = usize::MAX;
        let status = query(row.id, 0, null_mut(), &raw mut size);
        if let Some((_, want)) = refused.iter().find(|(name, _)| *name == row.name) {
            assert_eq!(status, *want, "{}", row.name);
            continue;
        }
        assert_eq!(status, 0, "{}: size query", row.name);
        let mut value = vec![GUARD; size + 16];
        assert_eq!(query(row.id, size, value.as_mut_ptr().cast(), null_mut()), 0, "{}: value", row.name);
        assert!(value[size..].iter().all(|byte| *byte == GUARD), "{}: wrote too much", row.name);
        let mut again = vec![GUARD; size + 16];
        let mut size_again = 0;
        let status = query(row.id, size + 16, again.as_mut_ptr().cast(), &raw mut size_again);
        assert_eq!((status, size_again), (0, size), "{}: large buffer", row.name);
        if size > 0 {
            let mut untouched = usize::MAX;
            let status = query(row.id, size - 1, again.as_mut_ptr().cast(), &raw mut untouched);
            assert_eq!((status, untouched), (cl::CL_INVALID_VALUE, usize::MAX), "{}: small buffer", row.name);
        }
        value.truncate(size);
        values.insert(row.name, value);
    }
    assert_eq!(query(0xdead_0000, 0, null_mut(), null_mut()), cl::CL_INVALID_VALUE, "a name that does not exist");
    for (name, _) in refused {
        assert!(rows.iter().any(|row| row.name == *name), "{name} is no row");
    }
    values
}

fn text(values: &HashMap<&'static str, Vec<u8>>, name: &str) -> String {
    let bytes = values[name].strip_suffix(b"\0").expect("strings end with a zero");
    assert!(!bytes.contains(&0), "{name}: a zero inside");
    String::from_utf8(bytes.to_vec()).expect("plain text")
}

fn number(values: &HashMap<&'static str, Vec<u8>>, name: &str) -> u64 {
    let mut word = [0; 8];
    word[..values[name].len()].copy_from_slice(&values[name]);
    u64::from_le_bytes(word)
}

/// Names in a `*_WITH_VERSION` list.
fn names(values: &HashMap<&'static str, Vec<u8>>, name: &str) -> Vec<String> {
    let rows = values[name].chunks_exact(size_of::<cl::cl_name_version>());
    assert!(rows.remainder().is_empty(), "{name}");
    let field = |row: &[u8]| row[4..].iter().take_while(|byte| **byte != 0).map(|byte| *byte as char).collect();
    rows.map(field).collect()
}

#[test]
fn platform() {
    let world = World::new();
    let values = walk(
        info::platform::ROWS,
        // SAFETY: `walk` passes valid buffers.
        &|name, size, value, size_ret| unsafe { clGetPlatformInfo(world.platform, name, size, value, size_ret) },
        &[],
    );
    let (major, minor) = clift_jit::features::VERSION;
    assert!(text(&values, "CL_PLATFORM_VERSION").starts_with(&format!("OpenCL {major}.{minor} ")));
    assert_eq!(text(&values, "CL_PLATFORM_PROFILE"), "FULL_PROFILE");
    let version = cl::make_version(major, minor, 0);
    assert_eq!(number(&values, "CL_PLATFORM_NUMERIC_VERSION"), u64::from(version));
    let extensions = text(&values, "CL_PLATFORM_EXTENSIONS");
    assert!(extensions.split(' ').any(|name| name == "cl_khr_icd"));
    assert_eq!(extensions.split(' ').collect::<Vec<_>>(), names(&values, "CL_PLATFORM_EXTENSIONS_WITH_VERSION"));
}

/// Types of the device queries in the specification's table; text and lists of other lengths are left out.
const DEVICE_SIZES: &[(usize, &[&str])] = &[
    (
        4,
        &[
            "VENDOR_ID",
            "COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR",
            "IP_VERSION_INTEL",
            "ID_INTEL",
            "NUM_SLICES_INTEL",
            "NUM_SUB_SLICES_PER_SLICE_INTEL",
            "NUM_EUS_PER_SUB_SLICE_INTEL",
            "NUM_THREADS_PER_EU_INTEL",
            "MAX_COMPUTE_UNITS",
            "MAX_WORK_ITEM_DIMENSIONS",
            "MAX_CLOCK_FREQUENCY",
            "ADDRESS_BITS",
            "PREFERRED_VECTOR_WIDTH_CHAR",
            "PREFERRED_VECTOR_WIDTH_SHORT",
            "PREFERRED_VECTOR_WIDTH_INT",
            "PREFERRED_VECTOR_WIDTH_LONG",
            "PREFERRED_VECTOR_WIDTH_FLOAT",
            "PREFERRED_VECTOR_WIDTH_DOUBLE",
            "PREFERRED_VECTOR_WIDTH_HALF",
            "NATIVE_VECTOR_WIDTH_CHAR",
            "NATIVE_VECTOR_WIDTH_SHORT",
            "NATIVE_VECTOR_WIDTH_INT",
            "NATIVE_VECTOR_WIDTH_LONG",
            "NATIVE_VECTOR_WIDTH_FLOAT",
            "NATIVE_VECTOR_WIDTH_DOUBLE",
            "NATIVE_VECTOR_WIDTH_HALF",
            "IMAGE_SUPPORT",
            "MAX_READ_IMAGE_ARGS",
            "MAX_WRITE_IMAGE_ARGS",
            "MAX_READ_WRITE_IMAGE_ARGS",
            "MAX_SAMPLERS",
            "IMAGE_PITCH_ALIGNMENT",
            "IMAGE_BASE_ADDRESS_ALIGNMENT",
            "MAX_PIPE_ARGS",
            "PIPE_MAX_ACTIVE_RESERVATIONS",
            "PIPE_MAX_PACKET_SIZE",
            "MEM_BASE_ADDR_ALIGN",
            "MIN_DATA_TYPE_ALIGN_SIZE",
            "GLOBAL_MEM_CACHE_TYPE",
            "GLOBAL_MEM_CACHELINE_SIZE",
            "MAX_CONSTANT_ARGS",
            "LOCAL_MEM_TYPE",
            "ERROR_CORRECTION_SUPPORT",
            "HOST_UNIFIED_MEMORY",
            "ENDIAN_LITTLE",
            "AVAILABLE",
            "COMPILER_AVAILABLE",
            "LINKER_AVAILABLE",
            "QUEUE_ON_DEVICE_PREFERRED_SIZE",
            "QUEUE_ON_DEVICE_MAX_SIZE",
            "MAX_ON_DEVICE_QUEUES",
            "MAX_ON_DEVICE_EVENTS",
            "NUMERIC_VERSION",
            "PREFERRED_INTEROP_USER_SYNC",
            "PARTITION_MAX_SUB_DEVICES",
            "REFERENCE_COUNT",
            "PREFERRED_PLATFORM_ATOMIC_ALIGNMENT",
            "PREFERRED_GLOBAL_ATOMIC_ALIGNMENT",
            "PREFERRED_LOCAL_ATOMIC_ALIGNMENT",
            "MAX_NUM_SUB_GROUPS",
            "SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS",
            "NON_UNIFORM_WORK_GROUP_SUPPORT",
            "WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT",
            "GENERIC_ADDRESS_SPACE_SUPPORT",
            "PIPE_SUPPORT",
            "SEMAPHORE_TYPES_KHR",
            "SEMAPHORE_IMPORT_HANDLE_TYPES_KHR",
            "SEMAPHORE_EXPORT_HANDLE_TYPES_KHR",
            "EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR",
            "EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR",
            "LUID_VALID_KHR",
            "NODE_MASK_KHR",
        ],
    ),
    (
        8,
        &[
            "TYPE",
            "MAX_WORK_GROUP_SIZE",
            "MAX_MEM_ALLOC_SIZE",
            "IMAGE2D_MAX_WIDTH",
            "IMAGE2D_MAX_HEIGHT",
            "IMAGE3D_MAX_WIDTH",
            "IMAGE3D_MAX_HEIGHT",
            "IMAGE3D_MAX_DEPTH",
            "IMAGE_MAX_BUFFER_SIZE",
            "IMAGE_MAX_ARRAY_SIZE",
            "MAX_PARAMETER_SIZE",
            "SINGLE_FP_CONFIG",
            "DOUBLE_FP_CONFIG",
            "HALF_FP_CONFIG",
            "GLOBAL_MEM_CACHE_SIZE",
            "GLOBAL_MEM_SIZE",
            "MAX_CONSTANT_BUFFER_SIZE",
            "MAX_GLOBAL_VARIABLE_SIZE",
            "GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE",
            "LOCAL_MEM_SIZE",
            "PROFILING_TIMER_RESOLUTION",
            "EXECUTION_CAPABILITIES",
            "QUEUE_ON_HOST_PROPERTIES",
            "QUEUE_ON_DEVICE_PROPERTIES",
            "PLATFORM",
            "PRINTF_BUFFER_SIZE",
            "PARENT_DEVICE",
            "PARTITION_AFFINITY_DOMAIN",
            "PARTITION_TYPE",
            "HOST_MEM_CAPABILITIES_INTEL",
            "DEVICE_MEM_CAPABILITIES_INTEL",
            "SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL",
            "CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL",
            "SHARED_SYSTEM_MEM_CAPABILITIES_INTEL",
            "SVM_CAPABILITIES",
            "ATOMIC_MEMORY_CAPABILITIES",
            "ATOMIC_FENCE_CAPABILITIES",
            "DEVICE_ENQUEUE_CAPABILITIES",
            "INTEGER_DOT_PRODUCT_CAPABILITIES_KHR",
            "PREFERRED_WORK_GROUP_SIZE_MULTIPLE",
            "COMMAND_BUFFER_CAPABILITIES_KHR",
            "COMMAND_BUFFER_SYNC_DEVICES_KHR",
            "COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR",
            "COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR",
            "MUTABLE_DISPATCH_CAPABILITIES_KHR",
            "KERNEL_CLOCK_CAPABILITIES_KHR",
            "TERMINATE_CAPABILITY_KHR",
            "TERMINATE_CAPABILITY_KHR_1x",
            "LUID_KHR",
            "FEATURE_CAPABILITIES_INTEL",
            "SINGLE_FP_ATOMIC_CAPABILITIES_EXT",
            "DOUBLE_FP_ATOMIC_CAPABILITIES_EXT",
            "HALF_FP_ATOMIC_CAPABILITIES_EXT",
        ],
    ),
    (
        24,
        &[
            "MAX_WORK_ITEM_SIZES",
            "INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR",
            "INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4X8BIT_PACKED_KHR",
        ],
    ),
    (16, &["UUID_KHR"]),
    (1, &["BUILT_IN_KERNELS"]),
    (0, &["BUILT_IN_KERNELS_WITH_VERSION"]),
    (15, &["LATEST_CONFORMANCE_VERSION_PASSED"]),
];

/// Queries that have text or a list of any length.
const DEVICE_LISTS: &[&str] = &[
    "PARTITION_PROPERTIES",
    "SVM_TYPE_CAPABILITIES_KHR",
    "SVM_CONCURRENT_ACCESS_ATOM_SIZE_KHR",
    "SUB_GROUP_SIZES_INTEL",
    "NAME",
    "VENDOR",
    "PROFILE",
    "VERSION",
    "OPENCL_C_VERSION",
    "OPENCL_C_ALL_VERSIONS",
    "OPENCL_C_FEATURES",
    "EXTENSIONS",
    "EXTENSIONS_WITH_VERSION",
    "IL_VERSION",
    "ILS_WITH_VERSION",
    "SPIRV_EXTENDED_INSTRUCTION_SETS_KHR",
    "SPIRV_EXTENSIONS_KHR",
    "SPIRV_CAPABILITIES_KHR",
];

#[test]
fn device() {
    let world = World::new();
    let values = walk(
        info::device::ROWS,
        // SAFETY: `walk` passes valid buffers.
        &|name, size, value, size_ret| unsafe { clGetDeviceInfo(world.device, name, size, value, size_ret) },
        &[],
    );
    let mut n_known = 1;
    for (size, list) in DEVICE_SIZES {
        for name in *list {
            assert_eq!(values[&*format!("CL_DEVICE_{name}")].len(), *size, "{name}");
            n_known += 1;
        }
    }
    for name in DEVICE_LISTS {
        assert!(values.contains_key(&*format!("CL_DEVICE_{name}")), "{name}");
        n_known += 1;
    }
    assert!(!text(&values, "CL_DRIVER_VERSION").is_empty());
    assert_eq!(values["CL_DRIVER_UUID_KHR"].len(), 16);
    n_known += 1;
    assert_eq!(n_known, values.len(), "a row has no expected type");
}

/// What the Khronos suite's consistency tests ask of a device without the optional features.
#[test]
fn device_answers_agree_with_each_other() {
    let world = World::new();
    let values = walk(
        info::device::ROWS,
        // SAFETY: `walk` passes valid buffers.
        &|name, size, value, size_ret| unsafe { clGetDeviceInfo(world.device, name, size, value, size_ret) },
        &[],
    );
    let (major, minor) = clift_jit::features::VERSION;
    assert!(text(&values, "CL_DEVICE_VERSION").starts_with(&format!("OpenCL {major}.{minor} ")));
    assert!(text(&values, "CL_DEVICE_OPENCL_C_VERSION").starts_with("OpenCL C 1.2 "));
    let extensions = text(&values, "CL_DEVICE_EXTENSIONS");
    assert!(extensions.len() < 2048, "programs have no more room for them: {}", extensions.len());
    assert_eq!(extensions.split(' ').collect::<Vec<_>>(), names(&values, "CL_DEVICE_EXTENSIONS_WITH_VERSION"));
    assert!(names(&values, "CL_DEVICE_OPENCL_C_ALL_VERSIONS").iter().all(|name| name == "OpenCL C"));
    let features = names(&values, "CL_DEVICE_OPENCL_C_FEATURES");
    for (feature, query) in [
        ("__opencl_c_fp64", "CL_DEVICE_DOUBLE_FP_CONFIG"),
        ("__opencl_c_images", "CL_DEVICE_IMAGE_SUPPORT"),
        ("__opencl_c_pipes", "CL_DEVICE_PIPE_SUPPORT"),
        ("__opencl_c_device_enqueue", "CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES"),
        ("__opencl_c_generic_address_space", "CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT"),
        ("__opencl_c_work_group_collective_functions", "CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT"),
        ("__opencl_c_program_scope_global_variables", "CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE"),
        ("__opencl_c_subgroups", "CL_DEVICE_MAX_NUM_SUB_GROUPS"),
    ] {
        assert_eq!(features.iter().any(|name| name == feature), number(&values, query) != 0, "{feature}");
    }
    let memory = number(&values, "CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES");
    let fence = number(&values, "CL_DEVICE_ATOMIC_FENCE_CAPABILITIES");
    let dot = number(&values, "CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR");
    for (feature, bits, bit) in [
        ("__opencl_c_atomic_order_acq_rel", memory, cl::CL_DEVICE_ATOMIC_ORDER_ACQ_REL),
        ("__opencl_c_atomic_order_seq_cst", memory & fence, cl::CL_DEVICE_ATOMIC_ORDER_SEQ_CST),
        ("__opencl_c_atomic_scope_device", memory & fence, cl::CL_DEVICE_ATOMIC_SCOPE_DEVICE),
        ("__opencl_c_atomic_scope_all_devices", memory & fence, cl::CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES),
        ("__opencl_c_integer_dot_product_input_4x8bit", dot, cl::CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4X8BIT_KHR),
        (
            "__opencl_c_integer_dot_product_input_4x8bit_packed",
            dot,
            cl::CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4X8BIT_PACKED_KHR,
        ),
    ] {
        assert_eq!(features.iter().any(|name| name == feature), bits & bit != 0, "{feature}");
    }
    let units = ["NUM_SLICES", "NUM_SUB_SLICES_PER_SLICE", "NUM_EUS_PER_SUB_SLICE"]
        .map(|name| number(&values, &format!("CL_DEVICE_{name}_INTEL")));
    assert_eq!(units.iter().product::<u64>(), number(&values, "CL_DEVICE_MAX_COMPUTE_UNITS"));
    assert_eq!(memory & cl::CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM, 0, "only fences know this scope");
    assert!(features.iter().any(|name| name == "__opencl_c_int64"), "the full profile has 64-bit integers");
    assert_eq!(number(&values, "CL_DEVICE_TYPE"), cl::CL_DEVICE_TYPE_CPU);
    assert_eq!(number(&values, "CL_DEVICE_PLATFORM"), world.platform.addr() as u64);
}

#[test]
fn context() {
    let world = World::new();
    let values = walk(
        info::context::ROWS,
        // SAFETY: `walk` passes valid buffers.
        &|name, size, value, size_ret| unsafe { clGetContextInfo(world.context, name, size, value, size_ret) },
        &[],
    );
    assert_eq!(number(&values, "CL_CONTEXT_NUM_DEVICES"), 1);
    assert_eq!(number(&values, "CL_CONTEXT_DEVICES"), world.device.addr() as u64);
    assert_eq!(number(&values, "CL_CONTEXT_REFERENCE_COUNT"), 1);
    assert!(values["CL_CONTEXT_PROPERTIES"].is_empty());
}

#[test]
fn queue() {
    let world = World::new();
    let ask = |queue: cl::cl_command_queue| {
        walk(
            info::queue::ROWS,
            // SAFETY: `walk` passes valid buffers.
            &|name, size, value, size_ret| unsafe { clGetCommandQueueInfo(queue, name, size, value, size_ret) },
            &[("CL_QUEUE_SIZE", cl::CL_INVALID_COMMAND_QUEUE)],
        )
    };
    let values = ask(world.queue);
    assert_eq!(number(&values, "CL_QUEUE_CONTEXT"), world.context.addr() as u64);
    assert_eq!(number(&values, "CL_QUEUE_DEVICE"), world.device.addr() as u64);
    assert_eq!(number(&values, "CL_QUEUE_PROPERTIES"), 0);
    assert!(values["CL_QUEUE_PROPERTIES_ARRAY"].is_empty());
    let list = [u64::from(cl::CL_QUEUE_PROPERTIES), cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0];
    let mut err = -1;
    // SAFETY: the list is terminated.
    unsafe {
        let queue = clCreateCommandQueueWithProperties(world.context, world.device, list.as_ptr(), &raw mut err);
        assert_eq!(err, 0);
        let values = ask(queue);
        assert_eq!(number(&values, "CL_QUEUE_PROPERTIES"), cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        let bytes: Vec<u8> = list.iter().flat_map(|word| word.to_ne_bytes()).collect();
        assert_eq!(values["CL_QUEUE_PROPERTIES_ARRAY"], bytes);
        assert_eq!(clReleaseCommandQueue(queue), 0);
    }
}

#[test]
fn memory_objects() {
    let world = World::new();
    let ask = |mem: cl::cl_mem| {
        walk(
            info::mem::ROWS,
            // SAFETY: `walk` passes valid buffers.
            &|name, size, value, size_ret| unsafe { clGetMemObjectInfo(mem, name, size, value, size_ret) },
            &[("CL_MEM_DEVICE_ADDRESS_EXT", cl::CL_INVALID_OPERATION)],
        )
    };
    let buffer = world.buffer(1024);
    let values = ask(buffer);
    assert_eq!(number(&values, "CL_MEM_TYPE"), u64::from(cl::CL_MEM_OBJECT_BUFFER));
    assert_eq!(number(&values, "CL_MEM_SIZE"), 1024);
    assert_eq!(number(&values, "CL_MEM_FLAGS"), cl::CL_MEM_READ_WRITE);
    assert_eq!(number(&values, "CL_MEM_CONTEXT"), world.context.addr() as u64);
    assert_eq!(number(&values, "CL_MEM_ASSOCIATED_MEMOBJECT"), 0);
    let region = cl::cl_buffer_region { origin: 128, size: 64 };
    let mut err = -1;
    // SAFETY: all pointers are valid.
    unsafe {
        let kind = cl::CL_BUFFER_CREATE_TYPE_REGION;
        let sub = clCreateSubBuffer(buffer, cl::CL_MEM_READ_ONLY, kind, (&raw const region).cast(), &raw mut err);
        assert_eq!(err, 0);
        let values = ask(sub);
        assert_eq!(number(&values, "CL_MEM_OFFSET"), 128);
        assert_eq!(number(&values, "CL_MEM_SIZE"), 64);
        assert_eq!(number(&values, "CL_MEM_ASSOCIATED_MEMOBJECT"), buffer.addr() as u64);
        assert_eq!(clReleaseMemObject(sub), 0);
        assert_eq!(clReleaseMemObject(buffer), 0);
    }
}

#[test]
fn events() {
    let world = World::new();
    let event = world.user_event();
    let values = walk(
        info::event::ROWS,
        // SAFETY: `walk` passes valid buffers.
        &|name, size, value, size_ret| unsafe { clGetEventInfo(event, name, size, value, size_ret) },
        &[],
    );
    assert_eq!(number(&values, "CL_EVENT_COMMAND_TYPE"), u64::from(cl::CL_COMMAND_USER));
    assert_eq!(number(&values, "CL_EVENT_COMMAND_EXECUTION_STATUS"), cl::CL_SUBMITTED as u64);
    assert_eq!(number(&values, "CL_EVENT_COMMAND_QUEUE"), 0);
    let unavailable: Vec<_> =
        info::event::PROFILING_ROWS.iter().map(|row| (row.name, cl::CL_PROFILING_INFO_NOT_AVAILABLE)).collect();
    walk(
        info::event::PROFILING_ROWS,
        // SAFETY: `walk` passes valid buffers.
        &|name, size, value, size_ret| unsafe { clGetEventProfilingInfo(event, name, size, value, size_ret) },
        &unavailable,
    );
    // SAFETY: the event is ours.
    unsafe {
        assert_eq!(clSetUserEventStatus(event, 0), 0);
        assert_eq!(clReleaseEvent(event), 0);
    }
}

#[test]
fn profiling() {
    let world = World::new();
    let (mut err, mut event) = (-1, null_mut());
    // SAFETY: all pointers are valid.
    unsafe {
        let queue = clCreateCommandQueue(world.context, world.device, cl::CL_QUEUE_PROFILING_ENABLE, &raw mut err);
        assert_eq!(err, 0);
        assert_eq!(clEnqueueMarker(queue, &raw mut event), 0);
        assert_eq!(clFinish(queue), 0);
        let values = walk(
            info::event::PROFILING_ROWS,
            &|name, size, value, size_ret| clGetEventProfilingInfo(event, name, size, value, size_ret),
            &[],
        );
        let times: Vec<u64> = info::event::PROFILING_ROWS.iter().map(|row| number(&values, row.name)).collect();
        assert!(times.is_sorted(), "{times:?}");
        assert_eq!(clReleaseEvent(event), 0);
        assert_eq!(clReleaseCommandQueue(queue), 0);
    }
}

#[test]
fn programs_that_are_not_built() {
    let world = World::new();
    let program = world.program("kernel void f(void) {}");
    let values = walk(
        info::program::ROWS,
        // SAFETY: `walk` passes valid buffers; binaries get null pointers.
        &|name, size, value, size_ret| unsafe {
            if !value.is_null() && name == cl::CL_PROGRAM_BINARIES {
                value.cast::<u8>().write_bytes(0, size.min(8));
            }
            clGetProgramInfo(program, name, size, value, size_ret)
        },
        &[
            ("CL_PROGRAM_NUM_KERNELS", cl::CL_INVALID_PROGRAM_EXECUTABLE),
            ("CL_PROGRAM_KERNEL_NAMES", cl::CL_INVALID_PROGRAM_EXECUTABLE),
            ("CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT", cl::CL_INVALID_PROGRAM_EXECUTABLE),
            ("CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT", cl::CL_INVALID_PROGRAM_EXECUTABLE),
        ],
    );
    assert_eq!(text(&values, "CL_PROGRAM_SOURCE"), "kernel void f(void) {}");
    assert_eq!(number(&values, "CL_PROGRAM_BINARY_SIZES"), 0);
    let values = walk(
        info::program::BUILD_ROWS,
        // SAFETY: `walk` passes valid buffers.
        &|name, size, value, size_ret| unsafe {
            clGetProgramBuildInfo(program, world.device, name, size, value, size_ret)
        },
        &[],
    );
    assert_eq!(number(&values, "CL_PROGRAM_BUILD_STATUS") as u32 as i32, cl::CL_BUILD_NONE);
    assert_eq!(number(&values, "CL_PROGRAM_BINARY_TYPE"), 0);
    // SAFETY: the program is ours.
    assert_eq!(unsafe { clReleaseProgram(program) }, 0);
}

const KERNEL: &str = "
kernel __attribute__((reqd_work_group_size(8, 2, 1)))
void scale(global float4 *restrict out, const global int *in, constant uint *table, local char *scratch, int n) {
    out[0] = n + in[0] + table[0];
    scratch[0] = 1;
}
kernel void empty(void) {}
";

#[test]
fn built_programs_and_kernels() {
    let world = World::new();
    let program = world.built(KERNEL);
    let binary_list = |value: *mut c_void, size: usize| {
        // SAFETY: the list has `size` bytes.
        unsafe { value.cast::<u8>().write_bytes(0, size.min(8)) };
    };
    let values = walk(
        info::program::ROWS,
        // SAFETY: `walk` passes valid buffers; binaries get null pointers.
        &|name, size, value, size_ret| unsafe {
            if !value.is_null() && name == cl::CL_PROGRAM_BINARIES {
                binary_list(value, size);
            }
            clGetProgramInfo(program, name, size, value, size_ret)
        },
        &[],
    );
    assert_eq!(number(&values, "CL_PROGRAM_NUM_KERNELS"), 2);
    assert_eq!(text(&values, "CL_PROGRAM_KERNEL_NAMES"), "scale;empty");
    assert!(number(&values, "CL_PROGRAM_BINARY_SIZES") > 0);
    let kernel = world.kernel(program, "scale");
    let values = walk(
        info::kernel::ROWS,
        // SAFETY: `walk` passes valid buffers.
        &|name, size, value, size_ret| unsafe { clGetKernelInfo(kernel, name, size, value, size_ret) },
        &[],
    );
    assert_eq!(text(&values, "CL_KERNEL_FUNCTION_NAME"), "scale");
    assert_eq!(number(&values, "CL_KERNEL_NUM_ARGS"), 5);
    assert_eq!(text(&values, "CL_KERNEL_ATTRIBUTES"), "reqd_work_group_size(8,2,1)");
    let values = walk(
        info::kernel::WORK_GROUP_ROWS,
        // SAFETY: `walk` passes valid buffers.
        &|name, size, value, size_ret| unsafe {
            clGetKernelWorkGroupInfo(kernel, world.device, name, size, value, size_ret)
        },
        &[("CL_KERNEL_GLOBAL_WORK_SIZE", cl::CL_INVALID_VALUE)],
    );
    let sizes: Vec<u8> = [8usize, 2, 1].iter().flat_map(|size| size.to_ne_bytes()).collect();
    assert_eq!(values["CL_KERNEL_COMPILE_WORK_GROUP_SIZE"], sizes);
    let args = [
        ("out", "float4*", cl::CL_KERNEL_ARG_ADDRESS_GLOBAL, cl::CL_KERNEL_ARG_TYPE_RESTRICT),
        ("in", "int*", cl::CL_KERNEL_ARG_ADDRESS_GLOBAL, cl::CL_KERNEL_ARG_TYPE_CONST),
        ("table", "uint*", cl::CL_KERNEL_ARG_ADDRESS_CONSTANT, cl::CL_KERNEL_ARG_TYPE_CONST),
        ("scratch", "char*", cl::CL_KERNEL_ARG_ADDRESS_LOCAL, cl::CL_KERNEL_ARG_TYPE_NONE),
        ("n", "int", cl::CL_KERNEL_ARG_ADDRESS_PRIVATE, cl::CL_KERNEL_ARG_TYPE_NONE),
    ];
    for (idx, (name, type_name, space, qualifier)) in args.into_iter().enumerate() {
        let values = walk(
            info::kernel::ARG_ROWS,
            // SAFETY: `walk` passes valid buffers.
            &|row, size, value, size_ret| unsafe { clGetKernelArgInfo(kernel, idx as u32, row, size, value, size_ret) },
            &[],
        );
        assert_eq!(text(&values, "CL_KERNEL_ARG_NAME"), name);
        assert_eq!(text(&values, "CL_KERNEL_ARG_TYPE_NAME"), type_name, "{name}");
        assert_eq!(number(&values, "CL_KERNEL_ARG_ADDRESS_QUALIFIER"), u64::from(space), "{name}");
        assert_eq!(number(&values, "CL_KERNEL_ARG_TYPE_QUALIFIER"), qualifier, "{name}");
        assert_eq!(values["CL_KERNEL_ARG_TYPE_QUALIFIER"].len(), 8, "{name}");
    }
    // SAFETY: the handles are ours.
    unsafe {
        assert_eq!(clReleaseKernel(kernel), 0);
        assert_eq!(clReleaseProgram(program), 0);
    }
}

#[test]
fn command_buffers_and_semaphores() {
    let world = World::new();
    let (program, mut err) = (world.built("kernel void empty(void) {}"), -1);
    let kernel = world.kernel(program, "empty");
    let properties = [u64::from(cl::CL_COMMAND_BUFFER_FLAGS_KHR), 2, 0];
    let fields = [u64::from(cl::CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR), 3, 0];
    let binary = [u64::from(cl::CL_SEMAPHORE_TYPE_KHR), 1, 0];
    let (global, mut command) = ([6usize, 4], null_mut());
    // SAFETY: live handles, terminated lists, sizes of two dimensions.
    let (buffer, semaphore) = unsafe {
        let buffer = clCreateCommandBufferKHR(1, &raw const world.queue, properties.as_ptr(), &raw mut err);
        assert_eq!(err, 0);
        let (list, sizes) = (fields.as_ptr(), global.as_ptr());
        let (none, no_wait) = (null(), null());
        let code = clCommandNDRangeKernelKHR(
            buffer,
            null_mut(),
            list,
            kernel,
            2,
            none,
            sizes,
            none,
            0,
            no_wait,
            null_mut(),
            &raw mut command,
        );
        assert_eq!(code, 0);
        let semaphore = clCreateSemaphoreWithPropertiesKHR(world.context, binary.as_ptr(), &raw mut err);
        assert_eq!(err, 0);
        (buffer, semaphore)
    };
    let bytes = |words: &[u64]| words.iter().flat_map(|word| word.to_ne_bytes()).collect::<Vec<u8>>();
    let handle = |object: *mut c_void| object.addr() as u64;
    let values = walk(
        info::command_buffer::ROWS,
        // SAFETY: `walk` passes valid buffers.
        &|name, size, value, size_ret| unsafe { clGetCommandBufferInfoKHR(buffer, name, size, value, size_ret) },
        &[],
    );
    assert_eq!(number(&values, "CL_COMMAND_BUFFER_QUEUES_KHR"), handle(world.queue));
    assert_eq!(number(&values, "CL_COMMAND_BUFFER_NUM_QUEUES_KHR"), 1);
    assert_eq!(number(&values, "CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR"), 1);
    assert_eq!(number(&values, "CL_COMMAND_BUFFER_CONTEXT_KHR"), handle(world.context));
    assert_eq!(values["CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR"], bytes(&properties));
    let values = walk(
        info::command_buffer::COMMAND_ROWS,
        // SAFETY: `walk` passes valid buffers.
        &|name, size, value, size_ret| unsafe { clGetMutableCommandInfoKHR(command, name, size, value, size_ret) },
        &[],
    );
    assert_eq!(number(&values, "CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR"), handle(world.queue));
    assert_eq!(number(&values, "CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR"), handle(buffer));
    assert_eq!(number(&values, "CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR"), 0x11F0);
    assert_eq!(number(&values, "CL_MUTABLE_DISPATCH_KERNEL_KHR"), handle(kernel));
    assert_eq!(number(&values, "CL_MUTABLE_DISPATCH_DIMENSIONS_KHR"), 2);
    assert_eq!(values["CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR"], bytes(&fields));
    assert_eq!(values["CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR"], bytes(&[0, 0]));
    assert_eq!(values["CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR"], bytes(&[6, 4]));
    assert_eq!(values["CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR"], bytes(&[0, 0]));
    let values = walk(
        info::semaphore::ROWS,
        // SAFETY: `walk` passes valid buffers.
        &|name, size, value, size_ret| unsafe { clGetSemaphoreInfoKHR(semaphore, name, size, value, size_ret) },
        &[],
    );
    assert_eq!(number(&values, "CL_SEMAPHORE_CONTEXT_KHR"), handle(world.context));
    assert_eq!(number(&values, "CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR"), handle(world.device));
    assert_eq!(number(&values, "CL_SEMAPHORE_TYPE_KHR"), 1);
    assert_eq!(values["CL_SEMAPHORE_TYPE_KHR"].len(), 4);
    assert_eq!(values["CL_SEMAPHORE_PAYLOAD_KHR"].len(), 8);
    assert_eq!(values["CL_SEMAPHORE_PROPERTIES_KHR"], bytes(&binary));
    // SAFETY: the handles are ours.
    unsafe {
        assert_eq!(clReleaseCommandBufferKHR(buffer), 0);
        assert_eq!(clReleaseSemaphoreKHR(semaphore), 0);
        assert_eq!(clReleaseKernel(kernel), 0);
        assert_eq!(clReleaseProgram(program), 0);
    }
}

#[test]
fn image_requirements() {
    let world = World::new();
    let desc = cl::cl_image_desc {
        image_type: cl::CL_MEM_OBJECT_IMAGE3D,
        image_width: 100,
        image_height: 50,
        image_depth: 10,
        image_array_size: 0,
        image_row_pitch: 1024,
        image_slice_pitch: 65536,
        num_mip_levels: 0,
        num_samples: 0,
        buffer: null_mut(),
    };
    let format = cl::cl_image_format { image_channel_order: cl::CL_RG, image_channel_data_type: cl::CL_FLOAT };
    let values = walk(
        info::image::REQUIREMENT_ROWS,
        // SAFETY: `walk` passes valid buffers.
        &|name, size, value, size_ret| unsafe {
            get_requirements_info(world.context, null(), 0, &format, &desc, name, size, value, size_ret)
        },
        &[("CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT", cl::CL_INVALID_IMAGE_DESCRIPTOR)],
    );
    let value = |name: &str| number(&values, &format!("CL_IMAGE_REQUIREMENTS_{name}_EXT"));
    for place in ["BASE_ADDRESS_ALIGNMENT", "ROW_PITCH_ALIGNMENT", "SLICE_PITCH_ALIGNMENT"] {
        assert_eq!(value(place), 8, "{place}");
    }
    assert_eq!(value("SIZE"), 655_360);
    // What the pitches hold.
    assert_eq!([value("MAX_WIDTH"), value("MAX_HEIGHT")], [128, 64]);
    assert!(value("MAX_DEPTH") >= 10);
    assert_eq!(values["CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT"].len(), 4);
}

#[test]
fn sub_groups() {
    let world = World::new();
    let source = "kernel void any(global int *a) { a[get_global_id(0)] = get_sub_group_id(); }
        kernel __attribute__((intel_reqd_sub_group_size(16))) void sixteen(global int *a) {}";
    let program = world.built(source);
    let sizes: Vec<u8> = [4usize, 8, 16, 32, 64].iter().flat_map(|size| size.to_ne_bytes()).collect();
    let values = walk(
        info::device::ROWS,
        // SAFETY: `walk` passes valid buffers.
        &|name, size, value, size_ret| unsafe { clGetDeviceInfo(world.device, name, size, value, size_ret) },
        &[],
    );
    assert_eq!(values["CL_DEVICE_SUB_GROUP_SIZES_INTEL"], sizes);
    let query = |kernel, name, input: &[usize], n: usize| -> Vec<usize> {
        let mut out = vec![usize::MAX; n];
        let mut size = 0;
        // SAFETY: the buffers have these sizes.
        let status = unsafe {
            clGetKernelSubGroupInfo(
                kernel,
                world.device,
                name,
                size_of_val(input),
                input.as_ptr().cast(),
                8 * n,
                out.as_mut_ptr().cast(),
                &raw mut size,
            )
        };
        assert_eq!((status, size), (0, 8 * n), "{name:#x}");
        out
    };
    let [any, sixteen] = ["any", "sixteen"].map(|name| world.kernel(program, name));
    let size = query(any, cl::CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, &[64], 1)[0];
    assert!(matches!(size, 4 | 8 | 16), "{size}");
    assert_eq!(query(any, cl::CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL, &[], 1), [0]);
    assert_eq!(query(sixteen, cl::CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL, &[], 1), [16]);
    assert_eq!(query(sixteen, cl::CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, &[5, 7], 1), [16]);
    assert_eq!(query(sixteen, cl::CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, &[5, 7], 1), [3]);
    assert_eq!(query(sixteen, cl::CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, &[4, 4, 2], 1), [2]);
    assert_eq!(query(sixteen, cl::CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, &[3], 3), [48, 1, 1]);
    assert_eq!(query(sixteen, cl::CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, &[3], 1), [48]);
    assert_eq!(query(sixteen, cl::CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, &[1 << 40], 2), [0, 0]);
    assert_eq!(query(sixteen, cl::CL_KERNEL_MAX_NUM_SUB_GROUPS, &[], 1), [256]);
    assert_eq!(query(sixteen, cl::CL_KERNEL_COMPILE_NUM_SUB_GROUPS, &[], 1), [0]);
}

//! `clGetDeviceInfo`. Spec: "Querying Devices". The list is complete for OpenCL 3.0; a feature that the device does not
//! have answers with the zero, false or empty value that the specification gives for it.

use super::{Flag, InfoWriter, Written, info_rows, joined};
use crate::cl;
use crate::convert::device::domain_bit;
use crate::error::Result;
use clift_jit::spirv;
use clift_jit::target::SUB_GROUP_SIZES;
use clift_runtime::command_buffer::dispatch::MutableFields;
use clift_runtime::device::partition::Scheme;
use clift_runtime::device::{Device, uuid, version};
use clift_runtime::memory::image::{BASE_ALIGN_TEXELS, PITCH_ALIGN_TEXELS};
use clift_runtime::memory::{pipe, svm_type, usm};
use clift_runtime::object::Object;
use clift_runtime::platform::Platform;
use clift_runtime::queue::device as queue;
use std::ffi::CString;
use std::sync::LazyLock;

/// Properties that a host command queue may have.
pub const QUEUE_PROPERTIES: cl::cl_bitfield =
    cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | cl::CL_QUEUE_PROFILING_ENABLE;

/// Atomic functions on `float` and on `double`.
const FLOAT_ATOMICS: cl::cl_bitfield = cl::CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT
    | cl::CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT
    | cl::CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT
    | cl::CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT
    | cl::CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT
    | cl::CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT;

/// Names as the application reads them: it keeps the pointers.
static EXTENDED_SETS: LazyLock<Vec<CString>> = LazyLock::new(|| c_strings(spirv::EXTENDED_SETS));
static EXTENSIONS: LazyLock<Vec<CString>> = LazyLock::new(|| c_strings(spirv::EXTENSIONS));

fn c_strings(names: &[&str]) -> Vec<CString> {
    names.iter().filter_map(|name| CString::new(*name).ok()).collect()
}

info_rows! {
    /// Every device query.
    ROWS: Object<Device>;
    // Identity and versions
    CL_DEVICE_TYPE => |_, w| w.put(&cl::CL_DEVICE_TYPE_CPU);
    CL_DEVICE_VENDOR_ID => |d, w| w.put(&d.caps().vendor_id);
    CL_DEVICE_NAME => |d, w| w.text(&d.caps().name);
    CL_DEVICE_VENDOR => |d, w| w.text(&d.caps().vendor);
    CL_DEVICE_PLATFORM => |_, w| w.object(Platform::get());
    CL_DEVICE_PROFILE => |_, w| w.text(Platform::get().profile());
    CL_DEVICE_VERSION => |_, w| w.text(version::api_version_string());
    CL_DEVICE_NUMERIC_VERSION => |_, w| w.put(&version::API_VERSION);
    CL_DRIVER_VERSION => |_, w| w.text(version::driver_version());
    CL_DEVICE_OPENCL_C_VERSION => |_, w| w.text(c_version());
    CL_DEVICE_OPENCL_C_ALL_VERSIONS => |_, w| w.names(version::c_versions());
    CL_DEVICE_OPENCL_C_FEATURES => |_, w| w.names(version::features());
    CL_DEVICE_EXTENSIONS => |_, w| w.text(joined(version::extensions()));
    CL_DEVICE_EXTENSIONS_WITH_VERSION => |_, w| w.names(version::extensions());
    CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED => |_, w| w.text(version::CONFORMANCE);
    CL_DEVICE_REFERENCE_COUNT => |d, w| w.put(&if d.is_root() { 1 } else { d.reference_count() });
    CL_DEVICE_UUID_KHR => |d, w| w.put(&d.uuid()[..]);
    CL_DRIVER_UUID_KHR => |_, w| w.put(&uuid::driver_uuid()[..]);
    CL_DEVICE_LUID_VALID_KHR => |_, w| w.flag(Flag::No);
    CL_DEVICE_LUID_KHR => |_, w| w.put(&[0u8; 8][..]);
    CL_DEVICE_NODE_MASK_KHR => |_, w| w.put(&0u32);
    // Parts of the device: one slice of one sub-slice, whose execution units are the compute units. The version is that
    // of a graphics processor.
    CL_DEVICE_IP_VERSION_INTEL => |_, w| w.put(&0u32);
    CL_DEVICE_ID_INTEL => |d, w| w.put(&d.caps().signature);
    CL_DEVICE_NUM_SLICES_INTEL => |_, w| w.put(&1u32);
    CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL => |_, w| w.put(&1u32);
    CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL => |d, w| w.put(&d.caps().max_compute_units);
    CL_DEVICE_NUM_THREADS_PER_EU_INTEL => |_, w| w.put(&1u32);
    CL_DEVICE_FEATURE_CAPABILITIES_INTEL => |_, w| w.put(&0u64);
    // Execution
    CL_DEVICE_TERMINATE_CAPABILITY_KHR => |_, w| w.put(&cl::CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR);
    CL_DEVICE_TERMINATE_CAPABILITY_KHR_1x => |_, w| w.put(&cl::CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR);
    CL_DEVICE_AVAILABLE => |_, w| w.flag(Flag::Yes);
    CL_DEVICE_COMPILER_AVAILABLE => |_, w| w.flag(Flag::Yes);
    CL_DEVICE_LINKER_AVAILABLE => |_, w| w.flag(Flag::Yes);
    CL_DEVICE_EXECUTION_CAPABILITIES => |_, w| w.put(&(cl::CL_EXEC_KERNEL | cl::CL_EXEC_NATIVE_KERNEL));
    CL_DEVICE_QUEUE_ON_HOST_PROPERTIES => |_, w| w.put(&QUEUE_PROPERTIES);
    CL_DEVICE_MAX_COMPUTE_UNITS => |d, w| w.put(&d.caps().max_compute_units);
    CL_DEVICE_MAX_CLOCK_FREQUENCY => |d, w| w.put(&d.caps().max_clock_frequency_mhz);
    CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS => |d, w| w.put(&d.caps().max_work_item_dimensions);
    CL_DEVICE_MAX_WORK_ITEM_SIZES => |d, w| w.put(&d.caps().max_work_item_sizes[..]);
    CL_DEVICE_MAX_WORK_GROUP_SIZE => |d, w| w.put(&d.caps().max_work_group_size);
    CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => |d, w| w.put(&d.caps().preferred_work_group_size_multiple);
    CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT => |d, w| w.flag(d.caps().non_uniform_work_groups.into());
    CL_DEVICE_PROFILING_TIMER_RESOLUTION => |d, w| w.put(&d.caps().profiling_timer_resolution_ns);
    CL_DEVICE_PRINTF_BUFFER_SIZE => |d, w| w.put(&d.caps().printf_buffer_size);
    CL_DEVICE_BUILT_IN_KERNELS => |_, w| w.text("");
    CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION => |_, w| w.empty();
    CL_DEVICE_PREFERRED_INTEROP_USER_SYNC => |_, w| w.flag(Flag::Yes);
    // Types
    CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR => |d, w| w.put(&d.caps().vector_widths.char.min(1));
    CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT => |d, w| w.put(&d.caps().vector_widths.short.min(1));
    CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT => |d, w| w.put(&d.caps().vector_widths.int.min(1));
    CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG => |d, w| w.put(&d.caps().vector_widths.long.min(1));
    CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT => |d, w| w.put(&d.caps().vector_widths.float.min(1));
    CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE => |d, w| w.put(&d.caps().vector_widths.double.min(1));
    CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF => |d, w| w.put(&d.caps().vector_widths.half.min(1));
    CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR => |d, w| w.put(&d.caps().vector_widths.char);
    CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT => |d, w| w.put(&d.caps().vector_widths.short);
    CL_DEVICE_NATIVE_VECTOR_WIDTH_INT => |d, w| w.put(&d.caps().vector_widths.int);
    CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG => |d, w| w.put(&d.caps().vector_widths.long);
    CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT => |d, w| w.put(&d.caps().vector_widths.float);
    CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE => |d, w| w.put(&d.caps().vector_widths.double);
    CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF => |d, w| w.put(&d.caps().vector_widths.half);
    CL_DEVICE_SINGLE_FP_CONFIG => |d, w| w.put(&d.caps().single_fp_config);
    CL_DEVICE_DOUBLE_FP_CONFIG => |d, w| w.put(&d.caps().double_fp_config);
    CL_DEVICE_HALF_FP_CONFIG => |d, w| w.put(&d.caps().half_fp_config);
    CL_DEVICE_ADDRESS_BITS => |d, w| w.put(&d.caps().address_bits);
    CL_DEVICE_ENDIAN_LITTLE => |_, w| w.flag(cfg!(target_endian = "little").into());
    CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE => |d, w| w.put(&d.caps().min_data_type_align_size);
    // Memory
    CL_DEVICE_MAX_MEM_ALLOC_SIZE => |d, w| w.put(&d.caps().max_mem_alloc_size);
    CL_DEVICE_MEM_BASE_ADDR_ALIGN => |d, w| w.put(&d.caps().mem_base_addr_align_bits);
    CL_DEVICE_GLOBAL_MEM_SIZE => |d, w| w.put(&d.caps().global_mem_size);
    CL_DEVICE_GLOBAL_MEM_CACHE_TYPE => |d, w| w.put(&cache_type(d));
    CL_DEVICE_GLOBAL_MEM_CACHE_SIZE => |d, w| w.put(&d.caps().global_mem_cache_size);
    CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE => |d, w| w.put(&d.caps().global_mem_cacheline_size);
    CL_DEVICE_LOCAL_MEM_TYPE => |_, w| w.put(&cl::CL_GLOBAL);
    CL_DEVICE_LOCAL_MEM_SIZE => |d, w| w.put(&d.caps().local_mem_size);
    CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE => |d, w| w.put(&d.caps().max_constant_buffer_size);
    CL_DEVICE_MAX_CONSTANT_ARGS => |d, w| w.put(&d.caps().max_constant_args);
    CL_DEVICE_MAX_PARAMETER_SIZE => |d, w| w.put(&d.caps().max_parameter_size);
    CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE => |d, w| w.put(&d.caps().max_global_variable_size);
    CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE => |d, w| w.put(&d.caps().max_global_variable_size);
    CL_DEVICE_ERROR_CORRECTION_SUPPORT => |_, w| w.flag(Flag::No);
    CL_DEVICE_HOST_UNIFIED_MEMORY => |_, w| w.flag(Flag::Yes);
    CL_DEVICE_SVM_CAPABILITIES => |d, w| w.put(&d.caps().svm_capabilities);
    CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR => |_, w| w.put(&svm_type::TYPES.map(|ty| ty.bits())[..]);
    CL_DEVICE_SVM_CONCURRENT_ACCESS_ATOM_SIZE_KHR => |_, w| {
        let is_concurrent = |ty: svm_type::SvmCapabilities| ty.contains(svm_type::SvmCapabilities::CONCURRENT_ACCESS);
        let sizes = svm_type::TYPES.map(|ty| if is_concurrent(ty) { svm_type::CONCURRENT_ATOM_BYTES } else { 0 });
        w.put(&sizes[..])
    };
    // Atomics
    CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES => |d, w| w.put(&d.caps().atomic_memory_capabilities);
    CL_DEVICE_ATOMIC_FENCE_CAPABILITIES => |d, w| w.put(&d.caps().atomic_fence_capabilities);
    CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT => |_, w| w.put(&0u32);
    CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT => |_, w| w.put(&0u32);
    CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT => |_, w| w.put(&0u32);
    CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR => |_, w| {
        let packed = cl::CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4X8BIT_PACKED_KHR;
        w.put(&(packed | cl::CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4X8BIT_KHR))
    };
    CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR => no_dot_instruction;
    CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4X8BIT_PACKED_KHR => no_dot_instruction;
    CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT => |_, w| w.put(&FLOAT_ATOMICS);
    CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT => |_, w| w.put(&FLOAT_ATOMICS);
    CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT => |_, w| w.put(&0u64);
    CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR => |_, w| {
        w.put(&(cl::CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR | cl::CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR))
    };
    // Command-buffers and semaphores
    CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR => |_, w| w.put(&super::MEMORY_HANDLES[..]);
    CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR => |_, w| {
        w.put(&super::MEMORY_HANDLES[..])
    };
    CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR => |_, w| w.put(&cl::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR);
    CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR => |_, w| w.put(&cl::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR);
    CL_DEVICE_SEMAPHORE_TYPES_KHR => |_, w| w.put(&cl::CL_SEMAPHORE_TYPE_BINARY_KHR);
    CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR => |_, w| {
        let printf = cl::CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR;
        let enqueue = cl::CL_COMMAND_BUFFER_CAPABILITY_DEVICE_SIDE_ENQUEUE_KHR;
        let simultaneous = cl::CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR;
        w.put(&(printf | enqueue | simultaneous | cl::CL_COMMAND_BUFFER_CAPABILITY_MULTIPLE_QUEUE_KHR))
    };
    // The only root device, whose sub-devices wait for each other and for it.
    CL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR => |_, w| w.put(&1u32);
    CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR => |d, w| w.object(root(d));
    CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR => |_, w| w.put(&QUEUE_PROPERTIES);
    CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR => |_, w| w.put(&0u64);
    CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR => |_, w| w.put(&MutableFields::all().bits());
    // Images and samplers
    CL_DEVICE_IMAGE_SUPPORT => |d, w| w.flag(d.caps().image_support.into());
    CL_DEVICE_MAX_READ_IMAGE_ARGS => |d, w| w.put(&d.caps().max_image_args);
    CL_DEVICE_MAX_WRITE_IMAGE_ARGS => |d, w| w.put(&d.caps().max_image_args);
    CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS => |d, w| w.put(&d.caps().max_image_args);
    CL_DEVICE_IMAGE2D_MAX_WIDTH => |d, w| w.put(&d.caps().image2d_max[0]);
    CL_DEVICE_IMAGE2D_MAX_HEIGHT => |d, w| w.put(&d.caps().image2d_max[1]);
    CL_DEVICE_IMAGE3D_MAX_WIDTH => |d, w| w.put(&d.caps().image3d_max[0]);
    CL_DEVICE_IMAGE3D_MAX_HEIGHT => |d, w| w.put(&d.caps().image3d_max[1]);
    CL_DEVICE_IMAGE3D_MAX_DEPTH => |d, w| w.put(&d.caps().image3d_max[2]);
    CL_DEVICE_IMAGE_MAX_BUFFER_SIZE => |d, w| w.put(&d.caps().image_max_buffer_texels);
    CL_DEVICE_IMAGE_MAX_ARRAY_SIZE => |d, w| w.put(&d.caps().image_max_layers);
    CL_DEVICE_IMAGE_PITCH_ALIGNMENT => |_, w| w.put(&PITCH_ALIGN_TEXELS);
    CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT => |_, w| w.put(&BASE_ALIGN_TEXELS);
    CL_DEVICE_MAX_SAMPLERS => |d, w| w.put(&d.caps().max_samplers);
    // Intermediate languages, pipes, device queues, sub-groups, generic pointers, collectives
    CL_DEVICE_IL_VERSION => |_, w| w.text(il_versions());
    CL_DEVICE_ILS_WITH_VERSION => |_, w| w.names(version::ils());
    CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR => |_, w| w.strings(&EXTENDED_SETS);
    CL_DEVICE_SPIRV_EXTENSIONS_KHR => |_, w| w.strings(&EXTENSIONS);
    CL_DEVICE_SPIRV_CAPABILITIES_KHR => |_, w| w.put(spirv::CAPABILITIES);
    CL_DEVICE_PIPE_SUPPORT => |_, w| w.flag(has_feature("__opencl_c_pipes"));
    CL_DEVICE_MAX_PIPE_ARGS => |_, w| w.put(&pipe::MAX_PIPE_ARGS);
    CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS => |_, w| w.put(&pipe::MAX_ACTIVE_RESERVATIONS);
    CL_DEVICE_PIPE_MAX_PACKET_SIZE => |_, w| w.put(&pipe::MAX_PACKET_BYTES);
    CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES => |_, w| {
        w.put(&(cl::CL_DEVICE_QUEUE_SUPPORTED | cl::CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT))
    };
    CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES => |_, w| {
        w.put(&(cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | cl::CL_QUEUE_PROFILING_ENABLE))
    };
    CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE => |_, w| w.put(&queue::PREFERRED_SIZE);
    CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE => |_, w| w.put(&queue::MAX_SIZE);
    CL_DEVICE_MAX_ON_DEVICE_QUEUES => |_, w| w.put(&queue::MAX_QUEUES);
    CL_DEVICE_MAX_ON_DEVICE_EVENTS => |_, w| w.put(&queue::MAX_EVENTS);
    CL_DEVICE_MAX_NUM_SUB_GROUPS => |d, w| {
        w.put(&((d.caps().max_work_group_size / usize::from(SUB_GROUP_SIZES[0])) as u32))
    };
    CL_DEVICE_SUB_GROUP_SIZES_INTEL => |_, w| w.put(&SUB_GROUP_SIZES.map(usize::from)[..]);
    CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS => |_, w| w.flag(Flag::No);
    CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT => |_, w| w.flag(has_feature("__opencl_c_generic_address_space"));
    CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT => |_, w| w.flag(has_feature("__opencl_c_work_group_collective_functions"));
    // Unified shared memory
    CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL => |_, w| w.put(&usm::CAPABILITIES);
    CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL => |_, w| w.put(&usm::CAPABILITIES);
    CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL => |_, w| w.put(&usm::CAPABILITIES);
    CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL => |_, w| w.put(&usm::CAPABILITIES);
    CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL => |_, w| w.put(&usm::CAPABILITIES);
    // Sub-devices
    CL_DEVICE_PARENT_DEVICE => parent;
    CL_DEVICE_PARTITION_MAX_SUB_DEVICES => |d, w| w.put(&(d.max_sub_devices() as cl::cl_uint));
    CL_DEVICE_PARTITION_PROPERTIES => partition_properties;
    CL_DEVICE_PARTITION_AFFINITY_DOMAIN => |d, w| w.put(&affinity_domains(d));
    CL_DEVICE_PARTITION_TYPE => partition_type;
}

/// "OpenCL C <major.minor> <vendor-specific information>": the blank after the version is part of the format.
fn c_version() -> String {
    let mut text = version::c_version_string();
    if text.split(' ').count() < 4 {
        text.push(' ');
    }
    text
}

/// Space-separated, of the form "<IL_Prefix>_<Major_Version>.<Minor_Version>".
fn il_versions() -> String {
    let one = |(name, packed): &(_, u32)| format!("{name}_{}.{}", packed >> 22, packed >> 12 & 0x3ff);
    version::ils().iter().map(one).collect::<Vec<_>>().join(" ")
}

/// `cl_device_integer_dot_product_acceleration_properties_khr`: the functions are plain multiplications and additions.
fn no_dot_instruction(_: &Object<Device>, writer: &mut InfoWriter) -> Result<Written> {
    writer.put(&[cl::CL_FALSE; 6][..])
}

fn cache_type(device: &Object<Device>) -> cl::cl_uint {
    match device.caps().global_mem_cache_size {
        0 => cl::CL_NONE,
        _ => cl::CL_READ_WRITE_CACHE,
    }
}

fn has_feature(name: &str) -> Flag {
    version::features().iter().any(|(feature, _)| *feature == name).into()
}

fn root(device: &Object<Device>) -> &Object<Device> {
    std::iter::successors(Some(device), |device| device.parent().map(|parent| &**parent)).last().unwrap_or(device)
}

fn parent(device: &Object<Device>, writer: &mut InfoWriter) -> Result<Written> {
    match device.parent() {
        Some(parent) => writer.object(parent),
        None => writer.null(),
    }
}

/// The schemes that split the device; a single zero if there is none.
fn partition_properties(device: &Object<Device>, writer: &mut InfoWriter) -> Result<Written> {
    if device.max_sub_devices() == 0 {
        return writer.put(&0isize);
    }
    let mut schemes = vec![cl::CL_DEVICE_PARTITION_EQUALLY as isize, cl::CL_DEVICE_PARTITION_BY_COUNTS as isize];
    if affinity_domains(device) != 0 {
        schemes.push(cl::CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN as isize);
    }
    if device.is_root() {
        schemes.push(cl::CL_DEVICE_PARTITION_BY_NAMES_INTEL as isize);
    }
    writer.put(&schemes[..])
}

fn affinity_domains(device: &Device) -> cl::cl_bitfield {
    match device.domains().map(domain_bit).fold(0, |bits, bit| bits | bit) {
        0 => 0,
        bits => bits | cl::CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE,
    }
}

/// "Returns the properties argument specified in clCreateSubDevices", with the domain that was used; a zero for root
/// devices.
fn partition_type(device: &Object<Device>, writer: &mut InfoWriter) -> Result<Written> {
    match device.scheme() {
        None | Some(Scheme::NextPartitionable) => writer.put(&0isize),
        Some(Scheme::Equally(n)) => writer.put(&[cl::CL_DEVICE_PARTITION_EQUALLY as isize, *n as isize, 0][..]),
        Some(Scheme::ByCounts(counts)) => {
            let counts = counts.iter().map(|&n| n as isize);
            let end = [cl::CL_DEVICE_PARTITION_BY_COUNTS_LIST_END as isize, 0];
            let name = cl::CL_DEVICE_PARTITION_BY_COUNTS as isize;
            writer.put(&std::iter::once(name).chain(counts).chain(end).collect::<Vec<isize>>()[..])
        }
        Some(&Scheme::ByDomain(domain)) => {
            let name = cl::CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN as isize;
            writer.put(&[name, domain_bit(domain) as isize, 0][..])
        }
        Some(Scheme::ByNames(names)) => {
            let names = names.iter().map(|&n| n as isize);
            let name = cl::CL_DEVICE_PARTITION_BY_NAMES_INTEL as isize;
            let end = [cl::CL_PARTITION_BY_NAMES_LIST_END_INTEL, 0];
            writer.put(&std::iter::once(name).chain(names).chain(end).collect::<Vec<isize>>()[..])
        }
    }
}

//! Every limit and property that a device reports, with its unit: plain data, filled from the probe in `host_cpu`.

use super::host_cpu::{self, Host};
use crate::check::{self, Kinds};
use crate::config::Config;

/// `CL_FP_…` bits of `CL_DEVICE_…_FP_CONFIG`.
pub mod fp {
    #![expect(missing_docs, reason = "the names of the API's bits")]
    pub const DENORM: u64 = 1;
    pub const INF_NAN: u64 = 1 << 1;
    pub const ROUND_TO_NEAREST: u64 = 1 << 2;
    pub const ROUND_TO_ZERO: u64 = 1 << 3;
    pub const ROUND_TO_INF: u64 = 1 << 4;
    pub const FMA: u64 = 1 << 5;
    pub const SOFT_FLOAT: u64 = 1 << 6;
    pub const CORRECTLY_ROUNDED_DIVIDE_SQRT: u64 = 1 << 7;
}

/// Native vector widths in elements; 0 for a type that is not supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of the element types")]
pub struct VectorWidths {
    pub char: u32,
    pub short: u32,
    pub int: u32,
    pub long: u32,
    pub float: u32,
    pub double: u32,
    pub half: u32,
}

impl VectorWidths {
    /// Those of a vector register, but for no more elements than OpenCL C's vectors have.
    fn of_register(bytes: u32) -> Self {
        let of = |size: u32| (bytes / size).min(16);
        Self { char: of(1), short: of(2), int: of(4), long: of(8), float: of(4), double: of(8), half: of(2) }
    }
}

/// What `clGetDeviceInfo` reports beyond names and versions. Names follow the queries; sizes are in bytes unless the
/// name says otherwise.
#[derive(Clone, Debug)]
pub struct Caps {
    /// `CL_DEVICE_NAME`, from the machine.
    pub name: String,
    /// `CL_DEVICE_VENDOR`: the CPU's maker, by whose name programs choose what is tuned for it; ours if unknown.
    pub vendor: String,
    /// `CL_DEVICE_VENDOR_ID`: PCI id of the CPU's maker, 0 if unknown.
    pub vendor_id: u32,
    /// `CL_DEVICE_ID_INTEL`: the processor's signature, 0 if it has none.
    pub signature: u32,
    /// Worker threads.
    pub max_compute_units: u32,
    /// MHz.
    pub max_clock_frequency_mhz: u32,
    /// 3.
    pub max_work_item_dimensions: u32,
    /// Per dimension.
    pub max_work_item_sizes: [usize; 3],
    /// Work-items of one work-group.
    pub max_work_group_size: usize,
    /// Also the kernels' `CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE`.
    pub preferred_work_group_size_multiple: usize,
    /// `CL_DEVICE_NATIVE_VECTOR_WIDTH_…`. `CL_DEVICE_PREFERRED_VECTOR_WIDTH_…` is 1 for types that have one, since
    /// work-items of scalar code run side by side.
    pub vector_widths: VectorWidths,
    /// 64 or 32.
    pub address_bits: u32,
    /// Largest buffer.
    pub max_mem_alloc_size: u64,
    /// Memory that this process may use, under cgroup limits.
    pub global_mem_size: u64,
    /// Last-level cache.
    pub global_mem_cache_size: u64,
    /// Cache line.
    pub global_mem_cacheline_size: u32,
    /// Local memory of one work-group.
    pub local_mem_size: u64,
    /// `__constant` arguments.
    pub max_constant_buffer_size: u64,
    /// Number of `__constant` arguments.
    pub max_constant_args: u32,
    /// Argument block.
    pub max_parameter_size: usize,
    /// Bits.
    pub mem_base_addr_align_bits: u32,
    /// Bytes: the largest type's alignment.
    pub min_data_type_align_size: u32,
    /// `CL_FP_…` bits.
    pub single_fp_config: u64,
    /// `CL_FP_…` bits.
    pub double_fp_config: u64,
    /// `CL_FP_…` bits.
    pub half_fp_config: u64,
    /// ns.
    pub profiling_timer_resolution_ns: usize,
    /// ns.
    pub host_timer_resolution_ns: u64,
    /// `CL_DEVICE_PRINTF_BUFFER_SIZE`.
    pub printf_buffer_size: usize,
    /// `CL_DEVICE_IMAGE_SUPPORT`.
    pub image_support: bool,
    /// Width and height of 1D and 2D images in texels.
    pub image2d_max: [usize; 2],
    /// Width, height and depth of 3D images in texels.
    pub image3d_max: [usize; 3],
    /// Texels of a 1D image in a buffer.
    pub image_max_buffer_texels: usize,
    /// Layers of an image array.
    pub image_max_layers: usize,
    /// Images of a kernel, for each way of access.
    pub max_image_args: u32,
    /// Samplers of a kernel.
    pub max_samplers: u32,
    /// Non-uniform trailing work-groups (OpenCL C 2.0 and 3.0 programs).
    pub non_uniform_work_groups: bool,
    /// `CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES` bits.
    pub atomic_memory_capabilities: u64,
    /// `CL_DEVICE_ATOMIC_FENCE_CAPABILITIES` bits.
    pub atomic_fence_capabilities: u64,
    /// `CL_DEVICE_SVM_CAPABILITIES` bits.
    pub svm_capabilities: u64,
    /// `CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE`: program-scope variables of OpenCL C 3.0.
    pub max_global_variable_size: usize,
}

const MIB: u64 = 1 << 20;
/// Work-items of the largest work-group.
pub const MAX_WORK_GROUP_SIZE: usize = 4096;
/// Local memory in bytes: what the second cache of a core holds beside the data that streams through it. Threads have
/// as much as a launch asks for.
pub const LOCAL_MEM_BYTES: usize = 256 << 10;
/// Alignment of buffers and sub-buffer origins in bytes.
pub const BASE_ALIGN_BYTES: usize = 128;
/// Width, height, depth and layers of an image: what `float` coordinates still tell apart, with some bits between
/// texels.
pub const MAX_IMAGE_SIZE: usize = 32768;
/// Images, or samplers, of a kernel.
pub const MAX_IMAGE_ARGS: u32 = 128;
/// Largest buffer of a `constant` argument: constant memory is like any other here, but a program that asks is told
/// what stays in a cache.
pub const MAX_CONSTANT_BUFFER_BYTES: u64 = 2 * MIB;
/// Argument block limit in bytes.
pub const MAX_PARAMETER_BYTES: usize = 4096;

impl Caps {
    /// The machine's answers.
    pub fn probe() -> Self {
        let config = Config::get();
        Self::from_host(&host_cpu::probe(), config.threads, config.check.kinds)
    }

    /// Limits for a machine, with `CLIFT_THREADS`' wish, under checks.
    fn from_host(host: &Host, threads: Option<usize>, checks: Kinds) -> Self {
        // As much as fits in memory together with its shadow. Largest allocation: a quarter of memory, but what the
        // specification demands at least as far as memory reaches.
        let global_mem_size = check::beside_shadow(host.memory_bytes, checks);
        let max_mem_alloc_size = (host.memory_bytes / 4).max(256 * MIB).min(global_mem_size);
        // Formats of IEEE 754 with denormals; fused multiply-add is always there, in hardware or in the library, and
        // the other roundings by cl_khr_select_fprounding_mode.
        let fp_full = fp::DENORM | fp::INF_NAN | fp::FMA | fp::ROUND_TO_NEAREST | fp::ROUND_TO_ZERO | fp::ROUND_TO_INF;
        Self {
            name: host.name.clone(),
            vendor: if host.vendor.is_empty() { super::version::VENDOR } else { &host.vendor }.to_owned(),
            vendor_id: host.vendor_id,
            signature: host.signature,
            max_compute_units: threads.unwrap_or(host.cpus) as u32,
            max_clock_frequency_mhz: host.mhz,
            max_work_item_dimensions: 3,
            max_work_item_sizes: [MAX_WORK_GROUP_SIZE; 3],
            max_work_group_size: MAX_WORK_GROUP_SIZE,
            preferred_work_group_size_multiple: 16,
            vector_widths: VectorWidths::of_register(
                clift_jit::target::lanes().map_or(16, |t| t.register_bytes.into()),
            ),
            address_bits: usize::BITS,
            max_mem_alloc_size,
            global_mem_size,
            global_mem_cache_size: host.cache_bytes,
            global_mem_cacheline_size: host.line_bytes,
            local_mem_size: LOCAL_MEM_BYTES as u64,
            max_constant_buffer_size: MAX_CONSTANT_BUFFER_BYTES.min(max_mem_alloc_size),
            max_constant_args: 64,
            max_parameter_size: MAX_PARAMETER_BYTES,
            mem_base_addr_align_bits: 8 * BASE_ALIGN_BYTES as u32,
            min_data_type_align_size: 128,
            single_fp_config: fp_full | fp::CORRECTLY_ROUNDED_DIVIDE_SQRT,
            double_fp_config: fp_full,
            half_fp_config: fp_full,
            profiling_timer_resolution_ns: 1,
            host_timer_resolution_ns: 1,
            printf_buffer_size: clift_jit::printf::output::BUFFER_BYTES,
            image_support: clift_jit::features::feature("__opencl_c_images").is_some(),
            image2d_max: [MAX_IMAGE_SIZE; 2],
            image3d_max: [MAX_IMAGE_SIZE; 3],
            // As many of the largest texels as an allocation holds; coordinates are `int`.
            image_max_buffer_texels: usize::try_from(max_mem_alloc_size / 16).unwrap_or(0).min(i32::MAX as usize),
            image_max_layers: MAX_IMAGE_SIZE,
            max_image_args: MAX_IMAGE_ARGS,
            max_samplers: MAX_IMAGE_ARGS,
            non_uniform_work_groups: true,
            // Orders relaxed, acquire-release, sequentially consistent; scopes work-group, device, all devices; fences
            // also of one work-item.
            atomic_memory_capabilities: 0b111_0111,
            atomic_fence_capabilities: 0b111_1111,
            // Coarse- and fine-grain buffers, fine-grain system, atomics: kernels run in the host's address space on
            // its own processors.
            svm_capabilities: 0b1111,
            max_global_variable_size: (64 * MIB) as usize,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_meet_the_full_profile() {
        let caps = Caps::probe();
        assert!(caps.max_compute_units >= 1);
        assert!(caps.max_mem_alloc_size <= caps.global_mem_size);
        assert!(caps.max_mem_alloc_size >= caps.global_mem_size / 4);
        assert!(caps.mem_base_addr_align_bits >= 1024 && caps.mem_base_addr_align_bits.is_power_of_two());
        assert!(caps.local_mem_size >= 32 << 10);
        assert!((64 << 10..=caps.max_mem_alloc_size).contains(&caps.max_constant_buffer_size));
        assert!(!caps.name.is_empty());
        let has_half = clift_jit::features::feature("cl_khr_fp16").is_some();
        assert_eq!((caps.half_fp_config != 0, caps.vector_widths.half != 0), (has_half, has_half));
        let ints = [16, 32, 64].map(VectorWidths::of_register).map(|w| (w.char, w.int, w.double));
        assert_eq!(ints, [(16, 4, 2), (16, 8, 4), (16, 16, 8)]);
        let host = Host { cpus: 7, ..host_cpu::probe() };
        let of = |threads, checks| Caps::from_host(&host, threads, checks);
        assert_eq!(of(None, Kinds::empty()).max_compute_units, 7);
        assert_eq!(of(Some(3), Kinds::empty()).max_compute_units, 3);
        // Under checks of races an object and its shadow take three times the object's bytes.
        let memory = |checks| of(None, checks).global_mem_size;
        assert_eq!(memory(Kinds::MEMORY | Kinds::BARRIERS), host.memory_bytes);
        assert!(memory(Kinds::RACES).abs_diff(host.memory_bytes / 3) <= 8);
        assert!(memory(Kinds::all()) * 25 / 8 <= host.memory_bytes);
    }
}

//! `ENTRIES`: one row per API function, first those of the ICD dispatch table in the order of `cl_icd.h`, then those
//! that are only found by name. The dispatch table, every lookup by name, and the tests read this list; there is no
//! other.

use crate::api::{
    buffer, build, command_buffer, context, device, enqueue, event, image, kernel, pipe, platform, program, queue,
    sampler, semaphore, svm, unified_svm, unsupported, usm,
};
use crate::cl;

/// Address of an entry point; its C type is known to whoever calls it.
pub type Address = *const ();

/// One API function.
pub struct Entry {
    /// Name in C.
    pub name: &'static str,
    /// Null if there is nothing to call: the loader's stub answers then.
    pub address: Address,
    /// True if `address` does what the specification says of `name`, false for stubs that refuse.
    pub is_supported: bool,
}

const fn found(name: &'static str, address: Address) -> Entry {
    Entry { name, address, is_supported: true }
}

const fn refused(name: &'static str, address: Address) -> Entry {
    Entry { name, address, is_supported: false }
}

const fn empty(name: &'static str) -> Entry {
    Entry { name, address: std::ptr::null(), is_supported: false }
}

/// `row!(module::function)`: the function under its own name.
macro_rules! row {
    ($($part:ident)::+) => {
        found(last_of!($($part),+), $($part)::+ as Address)
    };
}

macro_rules! last_of {
    ($last:ident) => { stringify!($last) };
    ($first:ident, $($rest:ident),+) => { last_of!($($rest),+) };
}

/// Slots of the dispatch table: `ENTRIES[..N_SLOTS]`.
pub const N_SLOTS: usize = 150;

#[allow(unsafe_code, reason = "a code address is immutable")]
// SAFETY: an entry holds the address of a function and is never written.
unsafe impl Sync for Entry {}

/// Every function, in ICD order. A static: as a constant, small functions could have one address for each user of it.
pub static ENTRIES: &[Entry] = &[
    // OpenCL 1.0
    row!(platform::clGetPlatformIDs),
    row!(platform::clGetPlatformInfo),
    row!(device::clGetDeviceIDs),
    row!(device::clGetDeviceInfo),
    row!(context::clCreateContext),
    row!(context::clCreateContextFromType),
    row!(context::clRetainContext),
    row!(context::clReleaseContext),
    row!(context::clGetContextInfo),
    row!(queue::clCreateCommandQueue),
    row!(queue::clRetainCommandQueue),
    row!(queue::clReleaseCommandQueue),
    row!(queue::clGetCommandQueueInfo),
    row!(queue::clSetCommandQueueProperty),
    row!(buffer::clCreateBuffer),
    row!(image::clCreateImage2D),
    row!(image::clCreateImage3D),
    row!(buffer::clRetainMemObject),
    row!(buffer::clReleaseMemObject),
    row!(image::clGetSupportedImageFormats),
    row!(buffer::clGetMemObjectInfo),
    row!(image::clGetImageInfo),
    row!(sampler::clCreateSampler),
    row!(sampler::clRetainSampler),
    row!(sampler::clReleaseSampler),
    row!(sampler::clGetSamplerInfo),
    row!(program::clCreateProgramWithSource),
    row!(program::clCreateProgramWithBinary),
    row!(program::clRetainProgram),
    row!(program::clReleaseProgram),
    row!(build::clBuildProgram),
    row!(platform::clUnloadCompiler),
    row!(program::clGetProgramInfo),
    row!(program::clGetProgramBuildInfo),
    row!(kernel::clCreateKernel),
    row!(kernel::clCreateKernelsInProgram),
    row!(kernel::clRetainKernel),
    row!(kernel::clReleaseKernel),
    row!(kernel::clSetKernelArg),
    row!(kernel::clGetKernelInfo),
    row!(kernel::clGetKernelWorkGroupInfo),
    row!(event::clWaitForEvents),
    row!(event::clGetEventInfo),
    row!(event::clRetainEvent),
    row!(event::clReleaseEvent),
    row!(event::clGetEventProfilingInfo),
    row!(queue::clFlush),
    row!(queue::clFinish),
    row!(enqueue::buffer::clEnqueueReadBuffer),
    row!(enqueue::buffer::clEnqueueWriteBuffer),
    row!(enqueue::buffer::clEnqueueCopyBuffer),
    row!(enqueue::image::clEnqueueReadImage),
    row!(enqueue::image::clEnqueueWriteImage),
    row!(enqueue::image::clEnqueueCopyImage),
    row!(enqueue::image::clEnqueueCopyImageToBuffer),
    row!(enqueue::image::clEnqueueCopyBufferToImage),
    row!(enqueue::map::clEnqueueMapBuffer),
    row!(enqueue::image::clEnqueueMapImage),
    row!(enqueue::map::clEnqueueUnmapMemObject),
    row!(enqueue::kernel::clEnqueueNDRangeKernel),
    row!(enqueue::kernel::clEnqueueTask),
    row!(enqueue::kernel::clEnqueueNativeKernel),
    row!(enqueue::sync::clEnqueueMarker),
    row!(enqueue::sync::clEnqueueWaitForEvents),
    row!(enqueue::sync::clEnqueueBarrier),
    row!(platform::clGetExtensionFunctionAddress),
    refused("clCreateFromGLBuffer", unsupported::create_from_gl_buffer as Address),
    refused("clCreateFromGLTexture2D", unsupported::create_from_gl_texture as Address),
    refused("clCreateFromGLTexture3D", unsupported::create_from_gl_texture as Address),
    refused("clCreateFromGLRenderbuffer", unsupported::create_from_gl_buffer as Address),
    refused("clGetGLObjectInfo", unsupported::status as Address),
    refused("clGetGLTextureInfo", unsupported::status as Address),
    refused("clEnqueueAcquireGLObjects", unsupported::status as Address),
    refused("clEnqueueReleaseGLObjects", unsupported::status as Address),
    refused("clGetGLContextInfoKHR", unsupported::status as Address),
    // cl_khr_d3d10_sharing
    empty("clGetDeviceIDsFromD3D10KHR"),
    empty("clCreateFromD3D10BufferKHR"),
    empty("clCreateFromD3D10Texture2DKHR"),
    empty("clCreateFromD3D10Texture3DKHR"),
    empty("clEnqueueAcquireD3D10ObjectsKHR"),
    empty("clEnqueueReleaseD3D10ObjectsKHR"),
    // OpenCL 1.1
    row!(event::clSetEventCallback),
    row!(buffer::clCreateSubBuffer),
    row!(buffer::clSetMemObjectDestructorCallback),
    row!(event::clCreateUserEvent),
    row!(event::clSetUserEventStatus),
    row!(enqueue::rect::clEnqueueReadBufferRect),
    row!(enqueue::rect::clEnqueueWriteBufferRect),
    row!(enqueue::rect::clEnqueueCopyBufferRect),
    // cl_ext_device_fission
    refused("clCreateSubDevicesEXT", unsupported::status as Address),
    refused("clRetainDeviceEXT", unsupported::status as Address),
    refused("clReleaseDeviceEXT", unsupported::status as Address),
    // cl_khr_gl_event
    refused("clCreateEventFromGLsyncKHR", unsupported::create_event_from_sync as Address),
    // OpenCL 1.2
    row!(device::clCreateSubDevices),
    row!(device::clRetainDevice),
    row!(device::clReleaseDevice),
    row!(image::clCreateImage),
    row!(program::clCreateProgramWithBuiltInKernels),
    row!(build::clCompileProgram),
    row!(build::clLinkProgram),
    row!(platform::clUnloadPlatformCompiler),
    row!(kernel::clGetKernelArgInfo),
    row!(enqueue::buffer::clEnqueueFillBuffer),
    row!(enqueue::image::clEnqueueFillImage),
    row!(enqueue::map::clEnqueueMigrateMemObjects),
    row!(enqueue::sync::clEnqueueMarkerWithWaitList),
    row!(enqueue::sync::clEnqueueBarrierWithWaitList),
    row!(platform::clGetExtensionFunctionAddressForPlatform),
    refused("clCreateFromGLTexture", unsupported::create_from_gl_texture as Address),
    // cl_khr_d3d11_sharing and cl_khr_dx9_media_sharing
    empty("clGetDeviceIDsFromD3D11KHR"),
    empty("clCreateFromD3D11BufferKHR"),
    empty("clCreateFromD3D11Texture2DKHR"),
    empty("clCreateFromD3D11Texture3DKHR"),
    empty("clCreateFromDX9MediaSurfaceKHR"),
    empty("clEnqueueAcquireD3D11ObjectsKHR"),
    empty("clEnqueueReleaseD3D11ObjectsKHR"),
    empty("clGetDeviceIDsFromDX9MediaAdapterKHR"),
    empty("clEnqueueAcquireDX9MediaSurfacesKHR"),
    empty("clEnqueueReleaseDX9MediaSurfacesKHR"),
    // cl_khr_egl_image
    refused("clCreateFromEGLImageKHR", unsupported::create_from_egl_image as Address),
    refused("clEnqueueAcquireEGLObjectsKHR", unsupported::status as Address),
    refused("clEnqueueReleaseEGLObjectsKHR", unsupported::status as Address),
    // cl_khr_egl_event
    refused("clCreateEventFromEGLSyncKHR", unsupported::create_event_from_sync_display as Address),
    // OpenCL 2.0
    row!(queue::clCreateCommandQueueWithProperties),
    row!(pipe::clCreatePipe),
    row!(pipe::clGetPipeInfo),
    row!(svm::clSVMAlloc),
    row!(svm::clSVMFree),
    row!(enqueue::svm::clEnqueueSVMFree),
    row!(enqueue::svm::clEnqueueSVMMemcpy),
    row!(enqueue::svm::clEnqueueSVMMemFill),
    row!(enqueue::svm::clEnqueueSVMMap),
    row!(enqueue::svm::clEnqueueSVMUnmap),
    row!(sampler::clCreateSamplerWithProperties),
    row!(svm::clSetKernelArgSVMPointer),
    row!(svm::clSetKernelExecInfo),
    // cl_khr_sub_groups
    found("clGetKernelSubGroupInfoKHR", kernel::clGetKernelSubGroupInfo as Address),
    // OpenCL 2.1
    row!(kernel::clCloneKernel),
    row!(program::clCreateProgramWithIL),
    row!(enqueue::svm::clEnqueueSVMMigrateMem),
    row!(device::clGetDeviceAndHostTimer),
    row!(device::clGetHostTimer),
    row!(kernel::clGetKernelSubGroupInfo),
    row!(queue::clSetDefaultDeviceCommandQueue),
    // OpenCL 2.2
    row!(program::clSetProgramReleaseCallback),
    row!(program::clSetProgramSpecializationConstant),
    // OpenCL 3.0
    row!(buffer::clCreateBufferWithProperties),
    row!(image::clCreateImageWithProperties),
    row!(context::clSetContextDestructorCallback),
    // OpenCL 3.1
    row!(kernel::clGetKernelSuggestedLocalWorkSize),
    // Found by name only: cl_khr_icd
    row!(platform::clIcdGetPlatformIDsKHR),
    row!(platform::clIcdGetFunctionAddressForPlatformKHR),
    row!(platform::clIcdSetPlatformDispatchDataKHR),
    // cl_khr_create_command_queue
    found("clCreateCommandQueueWithPropertiesKHR", queue::clCreateCommandQueueWithProperties as Address),
    // cl_khr_suggested_local_work_size
    found("clGetKernelSuggestedLocalWorkSizeKHR", kernel::clGetKernelSuggestedLocalWorkSize as Address),
    // cl_khr_terminate_context
    found("clTerminateContextKHR", context::terminate as Address),
    // cl_img_cancel_command
    found("clCancelCommandsIMG", event::cancel_commands as Address),
    // cl_pocl_content_size
    found("clSetContentSizeBufferPoCL", buffer::set_content_size as Address),
    // cl_khr_command_buffer
    row!(command_buffer::clCreateCommandBufferKHR),
    row!(command_buffer::clRetainCommandBufferKHR),
    row!(command_buffer::clReleaseCommandBufferKHR),
    row!(command_buffer::clFinalizeCommandBufferKHR),
    row!(command_buffer::clEnqueueCommandBufferKHR),
    row!(command_buffer::clGetCommandBufferInfoKHR),
    row!(command_buffer::record::clCommandBarrierWithWaitListKHR),
    row!(command_buffer::record::clCommandCopyBufferKHR),
    row!(command_buffer::record::clCommandCopyBufferRectKHR),
    row!(command_buffer::record::clCommandCopyBufferToImageKHR),
    row!(command_buffer::record::clCommandCopyImageKHR),
    row!(command_buffer::record::clCommandCopyImageToBufferKHR),
    row!(command_buffer::record::clCommandFillBufferKHR),
    row!(command_buffer::record::clCommandFillImageKHR),
    row!(command_buffer::record::clCommandNDRangeKernelKHR),
    row!(command_buffer::record::clCommandSVMMemcpyKHR),
    row!(command_buffer::record::clCommandSVMMemFillKHR),
    // cl_khr_command_buffer_multi_device
    row!(command_buffer::clRemapCommandBufferKHR),
    // cl_khr_command_buffer_mutable_dispatch
    row!(command_buffer::update::clUpdateMutableCommandsKHR),
    row!(command_buffer::update::clGetMutableCommandInfoKHR),
    // cl_khr_il_program
    found("clCreateProgramWithILKHR", program::clCreateProgramWithIL as Address),
    // cl_khr_semaphore
    row!(semaphore::clCreateSemaphoreWithPropertiesKHR),
    row!(semaphore::clEnqueueWaitSemaphoresKHR),
    row!(semaphore::clEnqueueSignalSemaphoresKHR),
    row!(semaphore::clGetSemaphoreInfoKHR),
    row!(semaphore::clRetainSemaphoreKHR),
    row!(semaphore::clReleaseSemaphoreKHR),
    row!(semaphore::clGetSemaphoreHandleForTypeKHR),
    // cl_intel_unified_shared_memory
    found("clHostMemAllocINTEL", usm::host_mem_alloc as Address),
    found("clDeviceMemAllocINTEL", usm::device_mem_alloc as Address),
    found("clSharedMemAllocINTEL", usm::shared_mem_alloc as Address),
    found("clMemFreeINTEL", usm::mem_free as Address),
    found("clMemBlockingFreeINTEL", usm::mem_blocking_free as Address),
    found("clGetMemAllocInfoINTEL", usm::get_mem_alloc_info as Address),
    found("clSetKernelArgMemPointerINTEL", usm::set_kernel_arg_mem_pointer as Address),
    row!(enqueue::usm::clEnqueueMemFillINTEL),
    row!(enqueue::usm::clEnqueueMemcpyINTEL),
    row!(enqueue::usm::clEnqueueMigrateMemINTEL),
    row!(enqueue::usm::clEnqueueMemAdviseINTEL),
    // cl_khr_unified_svm
    row!(unified_svm::clSVMAllocWithPropertiesKHR),
    row!(unified_svm::clSVMFreeWithPropertiesKHR),
    row!(unified_svm::clGetSVMPointerInfoKHR),
    row!(unified_svm::clGetSVMSuggestedTypeIndexKHR),
    row!(enqueue::svm::clEnqueueSVMMemcpyWithPropertiesKHR),
    // cl_intel_concurrent_dispatch
    found("clGetKernelMaxConcurrentWorkGroupCountINTEL", kernel::get_max_concurrent_work_group_count as Address),
    // cl_intel_create_buffer_with_properties
    found("clCreateBufferWithPropertiesINTEL", buffer::create_with_properties_intel as Address),
    // cl_ext_buffer_device_address
    found("clSetKernelArgDevicePointerEXT", kernel::set_arg_device_pointer as Address),
    // cl_khr_external_memory
    row!(enqueue::map::clEnqueueAcquireExternalMemObjectsKHR),
    row!(enqueue::map::clEnqueueReleaseExternalMemObjectsKHR),
    // cl_ext_image_requirements_info
    found("clGetImageRequirementsInfoEXT", image::get_requirements_info as Address),
    // cl_ext_migrate_memobject
    row!(enqueue::map::clEnqueueMigrateMemObjectEXT),
    // cl_intel_global_variable_access
    row!(enqueue::variable::clEnqueueReadGlobalVariableINTEL),
    row!(enqueue::variable::clEnqueueWriteGlobalVariableINTEL),
    found("clGetDeviceGlobalVariablePointerINTEL", program::get_device_global_variable_pointer as Address),
];

/// The first word of every object points to one of these. Layout: `struct _cl_icd_dispatch`.
#[repr(C)]
pub struct Dispatch {
    slots: [Address; N_SLOTS],
}

#[allow(unsafe_code, reason = "a table of code addresses is immutable")]
// SAFETY: the table holds addresses of functions and is never written.
unsafe impl Sync for Dispatch {}

/// The dispatch table of every object of this library.
pub static DISPATCH: Dispatch = Dispatch { slots: slots() };

const fn slots() -> [Address; N_SLOTS] {
    let mut slots = [std::ptr::null(); N_SLOTS];
    let mut idx = 0;
    while idx < N_SLOTS {
        slots[idx] = match ENTRIES[idx].name.as_bytes() {
            // cl_khr_icd 2.0: these two slots say that the loader may manage the dispatch itself.
            b"clGetPlatformIDs" | b"clUnloadCompiler" => std::ptr::without_provenance(cl::CL_ICD2_TAG_KHR),
            _ => ENTRIES[idx].address,
        };
        idx += 1;
    }
    slots
}

impl Dispatch {
    /// Address in slot `idx`.
    pub fn slot(&self, idx: usize) -> Address {
        self.slots[idx]
    }
}

/// The function called `name`, or null if Clift does not have it.
pub fn lookup(name: &[u8]) -> Address {
    match ENTRIES.iter().find(|entry| entry.name.as_bytes() == name) {
        Some(entry) if entry.is_supported => entry.address,
        _ => std::ptr::null(),
    }
}

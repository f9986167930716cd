//! Bad handles of every kind where a good one is expected: null, another kind, memory that is no object, misaligned
//! pointers, released objects. Every call answers with its own code and goes on.

#![allow(unsafe_code, reason = "calls the C API")]
#![allow(clippy::undocumented_unsafe_blocks, reason = "every call of the table gets null or a readable pointer")]

mod common;

use clift::dispatch::ENTRIES;
use common::*;

/// A call with one handle, and the code for a bad one.
type Call = (&'static str, cl::cl_int, unsafe fn(*mut c_void) -> cl::cl_int);

const CALLS: &[Call] = &[
    ("clUnloadPlatformCompiler", cl::CL_INVALID_PLATFORM, |h| unsafe { clUnloadPlatformCompiler(h) }),
    ("clGetDeviceInfo", cl::CL_INVALID_DEVICE, |h| unsafe { clGetDeviceInfo(h, 0, 0, null_mut(), null_mut()) }),
    ("clRetainDevice", cl::CL_INVALID_DEVICE, |h| unsafe { clRetainDevice(h) }),
    ("clReleaseDevice", cl::CL_INVALID_DEVICE, |h| unsafe { clReleaseDevice(h) }),
    ("clCreateSubDevices", cl::CL_INVALID_DEVICE, |h| unsafe {
        clCreateSubDevices(h, null(), 0, null_mut(), null_mut())
    }),
    ("clGetHostTimer", cl::CL_INVALID_DEVICE, |h| unsafe { clGetHostTimer(h, null_mut()) }),
    ("clGetDeviceAndHostTimer", cl::CL_INVALID_DEVICE, |h| unsafe {
        clGetDeviceAndHostTimer(h, null_mut(), null_mut())
    }),
    ("clRetainContext", cl::CL_INVALID_CONTEXT, |h| unsafe { clRetainContext(h) }),
    ("clReleaseContext", cl::CL_INVALID_CONTEXT, |h| unsafe { clReleaseContext(h) }),
    ("clGetContextInfo", cl::CL_INVALID_CONTEXT, |h| unsafe { clGetContextInfo(h, 0, 0, null_mut(), null_mut()) }),
    ("clSetContextDestructorCallback", cl::CL_INVALID_CONTEXT, |h| unsafe {
        clSetContextDestructorCallback(h, None, null_mut())
    }),
    ("clCreateBuffer", cl::CL_INVALID_CONTEXT, |h| code_of(|e| unsafe { clCreateBuffer(h, 0, 1, null_mut(), e) })),
    ("clCreateUserEvent", cl::CL_INVALID_CONTEXT, |h| code_of(|e| unsafe { clCreateUserEvent(h, e) })),
    ("clCreateProgramWithSource", cl::CL_INVALID_CONTEXT, |h| {
        code_of(|e| unsafe { clCreateProgramWithSource(h, 0, null(), null(), e) })
    }),
    ("clCreateProgramWithBinary", cl::CL_INVALID_CONTEXT, |h| {
        code_of(|e| unsafe { clCreateProgramWithBinary(h, 0, null(), null(), null(), null_mut(), e) })
    }),
    ("clCreateProgramWithIL", cl::CL_INVALID_CONTEXT, |h| {
        code_of(|e| unsafe { clCreateProgramWithIL(h, null(), 0, e) })
    }),
    ("clLinkProgram", cl::CL_INVALID_CONTEXT, |h| {
        code_of(|e| unsafe { clLinkProgram(h, 0, null(), null(), 0, null(), None, null_mut(), e) })
    }),
    ("clCreateImage", cl::CL_INVALID_CONTEXT, |h| {
        code_of(|e| unsafe { clCreateImage(h, 0, null(), null(), null_mut(), e) })
    }),
    ("clCreatePipe", cl::CL_INVALID_CONTEXT, |h| code_of(|e| unsafe { clCreatePipe(h, 0, 0, 0, null(), e) })),
    ("clCreateSampler", cl::CL_INVALID_CONTEXT, |h| code_of(|e| unsafe { clCreateSampler(h, 0, 0, 0, e) })),
    ("clGetSupportedImageFormats", cl::CL_INVALID_CONTEXT, |h| unsafe {
        clGetSupportedImageFormats(h, 0, 0, 0, null_mut(), null_mut())
    }),
    ("clCreateCommandQueue", cl::CL_INVALID_CONTEXT, |h| {
        code_of(|e| unsafe { clCreateCommandQueue(h, null_mut(), 0, e) })
    }),
    ("clRetainCommandQueue", cl::CL_INVALID_COMMAND_QUEUE, |h| unsafe { clRetainCommandQueue(h) }),
    ("clReleaseCommandQueue", cl::CL_INVALID_COMMAND_QUEUE, |h| unsafe { clReleaseCommandQueue(h) }),
    ("clGetCommandQueueInfo", cl::CL_INVALID_COMMAND_QUEUE, |h| unsafe {
        clGetCommandQueueInfo(h, 0, 0, null_mut(), null_mut())
    }),
    ("clSetCommandQueueProperty", cl::CL_INVALID_COMMAND_QUEUE, |h| unsafe {
        clSetCommandQueueProperty(h, 0, 0, null_mut())
    }),
    ("clFlush", cl::CL_INVALID_COMMAND_QUEUE, |h| unsafe { clFlush(h) }),
    ("clFinish", cl::CL_INVALID_COMMAND_QUEUE, |h| unsafe { clFinish(h) }),
    ("clEnqueueBarrier", cl::CL_INVALID_COMMAND_QUEUE, |h| unsafe { clEnqueueBarrier(h) }),
    ("clEnqueueMarker", cl::CL_INVALID_COMMAND_QUEUE, |h| unsafe { clEnqueueMarker(h, null_mut()) }),
    ("clEnqueueWaitForEvents", cl::CL_INVALID_COMMAND_QUEUE, |h| unsafe { clEnqueueWaitForEvents(h, 0, null()) }),
    ("clRetainMemObject", cl::CL_INVALID_MEM_OBJECT, |h| unsafe { clRetainMemObject(h) }),
    ("clReleaseMemObject", cl::CL_INVALID_MEM_OBJECT, |h| unsafe { clReleaseMemObject(h) }),
    ("clGetMemObjectInfo", cl::CL_INVALID_MEM_OBJECT, |h| unsafe {
        clGetMemObjectInfo(h, 0, 0, null_mut(), null_mut())
    }),
    ("clSetMemObjectDestructorCallback", cl::CL_INVALID_MEM_OBJECT, |h| unsafe {
        clSetMemObjectDestructorCallback(h, None, null_mut())
    }),
    ("clCreateSubBuffer", cl::CL_INVALID_MEM_OBJECT, |h| code_of(|e| unsafe { clCreateSubBuffer(h, 0, 0, null(), e) })),
    ("clGetImageInfo", cl::CL_INVALID_MEM_OBJECT, |h| unsafe { clGetImageInfo(h, 0, 0, null_mut(), null_mut()) }),
    ("clGetPipeInfo", cl::CL_INVALID_MEM_OBJECT, |h| unsafe { clGetPipeInfo(h, 0, 0, null_mut(), null_mut()) }),
    ("clRetainSampler", cl::CL_INVALID_SAMPLER, |h| unsafe { clRetainSampler(h) }),
    ("clReleaseSampler", cl::CL_INVALID_SAMPLER, |h| unsafe { clReleaseSampler(h) }),
    ("clGetSamplerInfo", cl::CL_INVALID_SAMPLER, |h| unsafe { clGetSamplerInfo(h, 0, 0, null_mut(), null_mut()) }),
    ("clRetainProgram", cl::CL_INVALID_PROGRAM, |h| unsafe { clRetainProgram(h) }),
    ("clReleaseProgram", cl::CL_INVALID_PROGRAM, |h| unsafe { clReleaseProgram(h) }),
    ("clBuildProgram", cl::CL_INVALID_PROGRAM, |h| unsafe { clBuildProgram(h, 0, null(), null(), None, null_mut()) }),
    ("clCompileProgram", cl::CL_INVALID_PROGRAM, |h| unsafe {
        clCompileProgram(h, 0, null(), null(), 0, null(), null(), None, null_mut())
    }),
    ("clGetProgramInfo", cl::CL_INVALID_PROGRAM, |h| unsafe { clGetProgramInfo(h, 0, 0, null_mut(), null_mut()) }),
    ("clGetProgramBuildInfo", cl::CL_INVALID_PROGRAM, |h| unsafe {
        clGetProgramBuildInfo(h, null_mut(), 0, 0, null_mut(), null_mut())
    }),
    ("clSetProgramReleaseCallback", cl::CL_INVALID_PROGRAM, |h| unsafe {
        clSetProgramReleaseCallback(h, None, null_mut())
    }),
    ("clSetProgramSpecializationConstant", cl::CL_INVALID_PROGRAM, |h| unsafe {
        clSetProgramSpecializationConstant(h, 0, 0, null())
    }),
    ("clCreateKernel", cl::CL_INVALID_PROGRAM, |h| code_of(|e| unsafe { clCreateKernel(h, null(), e) })),
    ("clCreateKernelsInProgram", cl::CL_INVALID_PROGRAM, |h| unsafe {
        clCreateKernelsInProgram(h, 0, null_mut(), null_mut())
    }),
    ("clRetainKernel", cl::CL_INVALID_KERNEL, |h| unsafe { clRetainKernel(h) }),
    ("clReleaseKernel", cl::CL_INVALID_KERNEL, |h| unsafe { clReleaseKernel(h) }),
    ("clCloneKernel", cl::CL_INVALID_KERNEL, |h| code_of(|e| unsafe { clCloneKernel(h, e) })),
    ("clSetKernelArg", cl::CL_INVALID_KERNEL, |h| unsafe { clSetKernelArg(h, 0, 0, null()) }),
    ("clSetKernelArgSVMPointer", cl::CL_INVALID_KERNEL, |h| unsafe { clSetKernelArgSVMPointer(h, 0, null()) }),
    ("clSetKernelExecInfo", cl::CL_INVALID_KERNEL, |h| unsafe { clSetKernelExecInfo(h, 0, 0, null()) }),
    ("clGetKernelInfo", cl::CL_INVALID_KERNEL, |h| unsafe { clGetKernelInfo(h, 0, 0, null_mut(), null_mut()) }),
    ("clGetKernelArgInfo", cl::CL_INVALID_KERNEL, |h| unsafe {
        clGetKernelArgInfo(h, 0, 0, 0, null_mut(), null_mut())
    }),
    ("clGetKernelWorkGroupInfo", cl::CL_INVALID_KERNEL, |h| unsafe {
        clGetKernelWorkGroupInfo(h, null_mut(), 0, 0, null_mut(), null_mut())
    }),
    ("clGetKernelSubGroupInfo", cl::CL_INVALID_KERNEL, |h| unsafe {
        clGetKernelSubGroupInfo(h, null_mut(), 0, 0, null(), 0, null_mut(), null_mut())
    }),
    ("clRetainEvent", cl::CL_INVALID_EVENT, |h| unsafe { clRetainEvent(h) }),
    ("clReleaseEvent", cl::CL_INVALID_EVENT, |h| unsafe { clReleaseEvent(h) }),
    ("clGetEventInfo", cl::CL_INVALID_EVENT, |h| unsafe { clGetEventInfo(h, 0, 0, null_mut(), null_mut()) }),
    ("clGetEventProfilingInfo", cl::CL_INVALID_EVENT, |h| unsafe {
        clGetEventProfilingInfo(h, 0, 0, null_mut(), null_mut())
    }),
    ("clSetUserEventStatus", cl::CL_INVALID_EVENT, |h| unsafe { clSetUserEventStatus(h, 0) }),
    ("clSetEventCallback", cl::CL_INVALID_EVENT, |h| unsafe { clSetEventCallback(h, 0, None, null_mut()) }),
    ("clCreateBufferWithProperties", cl::CL_INVALID_CONTEXT, |h| {
        code_of(|e| unsafe { clCreateBufferWithProperties(h, null(), 0, 1, null_mut(), e) })
    }),
    ("clCreateImageWithProperties", cl::CL_INVALID_CONTEXT, |h| {
        code_of(|e| unsafe { clCreateImageWithProperties(h, null(), 0, null(), null(), null_mut(), e) })
    }),
    ("clCreateImage2D", cl::CL_INVALID_CONTEXT, |h| {
        code_of(|e| unsafe { clCreateImage2D(h, 0, null(), 0, 0, 0, null_mut(), e) })
    }),
    ("clCreateImage3D", cl::CL_INVALID_CONTEXT, |h| {
        code_of(|e| unsafe { clCreateImage3D(h, 0, null(), 0, 0, 0, 0, 0, null_mut(), e) })
    }),
    ("clCreateSamplerWithProperties", cl::CL_INVALID_CONTEXT, |h| {
        code_of(|e| unsafe { clCreateSamplerWithProperties(h, null(), e) })
    }),
    ("clCreateProgramWithBuiltInKernels", cl::CL_INVALID_CONTEXT, |h| {
        code_of(|e| unsafe { clCreateProgramWithBuiltInKernels(h, 0, null(), null(), e) })
    }),
    ("clCreateCommandQueueWithProperties", cl::CL_INVALID_CONTEXT, |h| {
        code_of(|e| unsafe { clCreateCommandQueueWithProperties(h, null_mut(), null(), e) })
    }),
    ("clSetDefaultDeviceCommandQueue", cl::CL_INVALID_CONTEXT, |h| unsafe {
        clSetDefaultDeviceCommandQueue(h, null_mut(), null_mut())
    }),
    ("clTerminateContextKHR", cl::CL_INVALID_CONTEXT, |h| unsafe { terminate(h) }),
    ("clCreateSemaphoreWithPropertiesKHR", cl::CL_INVALID_CONTEXT, |h| {
        code_of(|e| unsafe { clCreateSemaphoreWithPropertiesKHR(h, null(), e) })
    }),
    ("clHostMemAllocINTEL", cl::CL_INVALID_CONTEXT, |h| code_of(|e| unsafe { host_mem_alloc(h, null(), 1, 0, e) })),
    ("clDeviceMemAllocINTEL", cl::CL_INVALID_CONTEXT, |h| {
        code_of(|e| unsafe { device_mem_alloc(h, null_mut(), null(), 1, 0, e) })
    }),
    ("clSharedMemAllocINTEL", cl::CL_INVALID_CONTEXT, |h| {
        code_of(|e| unsafe { shared_mem_alloc(h, null_mut(), null(), 1, 0, e) })
    }),
    ("clMemFreeINTEL", cl::CL_INVALID_CONTEXT, |h| unsafe { mem_free(h, null_mut()) }),
    ("clMemBlockingFreeINTEL", cl::CL_INVALID_CONTEXT, |h| unsafe { mem_blocking_free(h, null_mut()) }),
    ("clGetMemAllocInfoINTEL", cl::CL_INVALID_CONTEXT, |h| unsafe {
        get_mem_alloc_info(h, null(), 0, 0, null_mut(), null_mut())
    }),
    ("clGetDeviceGlobalVariablePointerINTEL", cl::CL_INVALID_DEVICE, |h| unsafe {
        get_device_global_variable_pointer(h, null_mut(), null(), null_mut(), null_mut())
    }),
    ("clGetKernelSuggestedLocalWorkSize", cl::CL_INVALID_COMMAND_QUEUE, |h| unsafe {
        clGetKernelSuggestedLocalWorkSize(h, null_mut(), 0, null(), null(), null_mut())
    }),
    ("clGetKernelMaxConcurrentWorkGroupCountINTEL", cl::CL_INVALID_COMMAND_QUEUE, |h| unsafe {
        get_max_concurrent_work_group_count(h, null_mut(), 0, null(), null(), null_mut())
    }),
    ("clSVMAllocWithPropertiesKHR", cl::CL_INVALID_CONTEXT, |h| {
        code_of(|e| unsafe { clSVMAllocWithPropertiesKHR(h, null(), 0, 1, e) })
    }),
    ("clSVMFreeWithPropertiesKHR", cl::CL_INVALID_CONTEXT, |h| unsafe {
        clSVMFreeWithPropertiesKHR(h, null(), 0, null_mut())
    }),
    ("clGetSVMPointerInfoKHR", cl::CL_INVALID_CONTEXT, |h| unsafe {
        clGetSVMPointerInfoKHR(h, null_mut(), null(), 0, 0, null_mut(), null_mut())
    }),
    ("clGetSVMSuggestedTypeIndexKHR", cl::CL_INVALID_CONTEXT, |h| unsafe {
        clGetSVMSuggestedTypeIndexKHR(h, 0, 0, null(), 0, null_mut())
    }),
    ("clEnqueueSVMMemcpyWithPropertiesKHR", cl::CL_INVALID_COMMAND_QUEUE, |h| unsafe {
        clEnqueueSVMMemcpyWithPropertiesKHR(h, null(), 0, null_mut(), null(), 0, 0, null(), null_mut())
    }),
    ("clSetKernelArgMemPointerINTEL", cl::CL_INVALID_KERNEL, |h| unsafe { set_kernel_arg_mem_pointer(h, 0, null()) }),
    ("clSetKernelArgDevicePointerEXT", cl::CL_INVALID_KERNEL, |h| unsafe { set_arg_device_pointer(h, 0, 0) }),
    ("clGetImageRequirementsInfoEXT", cl::CL_INVALID_CONTEXT, |h| unsafe {
        get_requirements_info(h, null(), 0, null(), null(), 0, 0, null_mut(), null_mut())
    }),
    ("clCreateBufferWithPropertiesINTEL", cl::CL_INVALID_CONTEXT, |h| {
        code_of(|e| unsafe { create_with_properties_intel(h, null(), 0, 1, null_mut(), e) })
    }),
    ("clRetainCommandBufferKHR", cl::CL_INVALID_COMMAND_BUFFER_KHR, |h| unsafe { clRetainCommandBufferKHR(h) }),
    ("clReleaseCommandBufferKHR", cl::CL_INVALID_COMMAND_BUFFER_KHR, |h| unsafe { clReleaseCommandBufferKHR(h) }),
    ("clFinalizeCommandBufferKHR", cl::CL_INVALID_COMMAND_BUFFER_KHR, |h| unsafe { clFinalizeCommandBufferKHR(h) }),
    ("clGetCommandBufferInfoKHR", cl::CL_INVALID_COMMAND_BUFFER_KHR, |h| unsafe {
        clGetCommandBufferInfoKHR(h, 0, 0, null_mut(), null_mut())
    }),
    ("clRemapCommandBufferKHR", cl::CL_INVALID_COMMAND_BUFFER_KHR, |h| {
        code_of(|e| unsafe { clRemapCommandBufferKHR(h, 0, 0, null_mut(), 0, null_mut(), null_mut(), e) })
    }),
    ("clUpdateMutableCommandsKHR", cl::CL_INVALID_COMMAND_BUFFER_KHR, |h| unsafe {
        clUpdateMutableCommandsKHR(h, 0, null(), null())
    }),
    ("clCreateCommandBufferKHR", cl::CL_INVALID_COMMAND_QUEUE, |h| {
        code_of(|e| unsafe { clCreateCommandBufferKHR(1, &raw const h, null(), e) })
    }),
    ("clGetMutableCommandInfoKHR", cl::CL_INVALID_MUTABLE_COMMAND_KHR, |h| unsafe {
        clGetMutableCommandInfoKHR(h, 0, 0, null_mut(), null_mut())
    }),
    ("clRetainSemaphoreKHR", cl::CL_INVALID_SEMAPHORE_KHR, |h| unsafe { clRetainSemaphoreKHR(h) }),
    ("clReleaseSemaphoreKHR", cl::CL_INVALID_SEMAPHORE_KHR, |h| unsafe { clReleaseSemaphoreKHR(h) }),
    ("clGetSemaphoreInfoKHR", cl::CL_INVALID_SEMAPHORE_KHR, |h| unsafe {
        clGetSemaphoreInfoKHR(h, 0, 0, null_mut(), null_mut())
    }),
    ("clGetSemaphoreHandleForTypeKHR", cl::CL_INVALID_SEMAPHORE_KHR, |h| unsafe {
        clGetSemaphoreHandleForTypeKHR(h, null_mut(), 0, 0, null_mut(), null_mut())
    }),
    ("clIcdSetPlatformDispatchDataKHR", cl::CL_INVALID_PLATFORM, |h| unsafe {
        clIcdSetPlatformDispatchDataKHR(h, null_mut())
    }),
    ("clCreateContext", cl::CL_INVALID_DEVICE, |h| {
        code_of(|e| unsafe { clCreateContext(null(), 1, &raw const h, None, null_mut(), e) })
    }),
    ("clCancelCommandsIMG", cl::CL_INVALID_EVENT, |h| unsafe { cancel_commands(&raw const h, 1) }),
    ("clSetContentSizeBufferPoCL", cl::CL_INVALID_MEM_OBJECT, |h| unsafe { set_content_size(h, h) }),
    ("clWaitForEvents", cl::CL_INVALID_EVENT, |h| unsafe { clWaitForEvents(1, &raw const h) }),
];

#[test]
fn no_function_is_left_out() {
    // A null platform is ours; these take no handle, or answer with null or nothing.
    let apart = [
        "clGetPlatformIDs",
        "clGetPlatformInfo",
        "clGetDeviceIDs",
        "clCreateContextFromType",
        "clUnloadCompiler",
        "clGetExtensionFunctionAddress",
        "clGetExtensionFunctionAddressForPlatform",
        "clIcdGetPlatformIDsKHR",
        "clIcdGetFunctionAddressForPlatformKHR",
        "clSVMAlloc",
        "clSVMFree",
    ];
    // Other names of functions that have a row.
    let aliases = [
        "clGetKernelSubGroupInfoKHR",
        "clCreateCommandQueueWithPropertiesKHR",
        "clGetKernelSuggestedLocalWorkSizeKHR",
        "clCreateProgramWithILKHR",
    ];
    for entry in ENTRIES.iter().filter(|entry| entry.is_supported && !aliases.contains(&entry.name)) {
        // `errors_enqueue` and `errors_command_buffer` have theirs.
        let is_command = entry.name.starts_with("clCommand") || entry.name.starts_with("clEnqueue");
        let has_row = CALLS.iter().any(|call| call.0 == entry.name);
        assert!(has_row != apart.contains(&entry.name) || is_command, "{}", entry.name);
    }
}

fn all(handle: *mut c_void, skip: cl::cl_int, what: &str) {
    for (name, want, call) in CALLS.iter().filter(|(_, want, _)| *want != skip) {
        // SAFETY: the pointer is null or readable, which is all that is asked of a bad handle.
        assert_eq!(unsafe { call(handle) }, *want, "{name} with {what}");
    }
}

#[test]
fn null_handles() {
    all(null_mut(), 1, "null");
}

#[test]
fn memory_that_is_no_object() {
    let mut words = [0usize; 64];
    all(words.as_mut_ptr().cast(), 1, "zeros");
    words.fill(usize::MAX);
    all(words.as_mut_ptr().cast(), 1, "ones");
    all(words.as_mut_ptr().wrapping_byte_add(3).cast(), 1, "a misaligned pointer");
    // A copy of an object's first words has the dispatch table, but not the kind.
    words[0] = clift::handle::dispatch_word();
    words[1..].fill(0);
    all(words.as_mut_ptr().cast(), 1, "a dispatch table and nothing else");
}

#[test]
fn objects_of_another_kind() {
    let world = World::new();
    let (buffer, program, event) = (world.buffer(64), world.program("kernel void f(void) {}"), world.user_event());
    all(world.platform, cl::CL_INVALID_PLATFORM, "a platform");
    all(world.device, cl::CL_INVALID_DEVICE, "a device");
    all(world.context, cl::CL_INVALID_CONTEXT, "a context");
    all(world.queue, cl::CL_INVALID_COMMAND_QUEUE, "a queue");
    all(buffer, cl::CL_INVALID_MEM_OBJECT, "a buffer");
    all(program, cl::CL_INVALID_PROGRAM, "a program");
    all(event, cl::CL_INVALID_EVENT, "an event");
    // SAFETY: the handles are ours.
    unsafe {
        assert_eq!(clSetUserEventStatus(event, 0), 0);
        assert_eq!(clReleaseEvent(event), 0);
        assert_eq!(clReleaseProgram(program), 0);
        assert_eq!(clReleaseMemObject(buffer), 0);
    }
}

/// A debug build knows which objects are alive, so that a stale handle is found before it is read.
#[cfg(debug_assertions)]
#[test]
fn released_objects() {
    let world = World::new();
    let buffer = world.buffer(64);
    // SAFETY: the handle is ours; debug builds do not read stale ones.
    unsafe {
        assert_eq!(clRetainMemObject(buffer), 0);
        assert_eq!(clReleaseMemObject(buffer), 0);
        assert_eq!(clReleaseMemObject(buffer), 0);
        assert_eq!(clReleaseMemObject(buffer), cl::CL_INVALID_MEM_OBJECT);
        assert_eq!(clRetainMemObject(buffer), cl::CL_INVALID_MEM_OBJECT);
    }
}

#[test]
fn counts_are_what_the_caller_did() {
    let world = World::new();
    let count = || {
        let mut count = 0u32;
        // SAFETY: the buffer has the size of the answer.
        let status = unsafe {
            let name = cl::CL_CONTEXT_REFERENCE_COUNT;
            clGetContextInfo(world.context, name, size_of::<u32>(), (&raw mut count).cast(), null_mut())
        };
        assert_eq!(status, 0);
        count
    };
    let buffer = world.buffer(64);
    assert_eq!(count(), 1, "objects inside do not count");
    // SAFETY: the handles are ours.
    unsafe {
        assert_eq!(clRetainContext(world.context), 0);
        assert_eq!(count(), 2);
        assert_eq!(clReleaseContext(world.context), 0);
        assert_eq!(count(), 1);
        assert_eq!(clReleaseMemObject(buffer), 0);
        // Root devices are not counted.
        assert_eq!(clReleaseDevice(world.device), 0);
        assert_eq!(clReleaseDevice(world.device), 0);
        assert_eq!(clRetainDevice(world.device), 0);
    }
}

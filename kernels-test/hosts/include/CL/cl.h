/* The part of the OpenCL C API that the host programs in this folder use, for machines without the OpenCL headers.
 * Names and values are those of the OpenCL specification; a system's own CL/cl.h is used where there is one. */
#ifndef CL_CL_H
#define CL_CL_H

#include <stddef.h>
#include <stdint.h>

#define CL_CALLBACK
#define CL_API_CALL

typedef int8_t cl_char;
typedef uint8_t cl_uchar;
typedef int16_t cl_short;
typedef uint16_t cl_ushort;
typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef int64_t cl_long;
typedef uint64_t cl_ulong;
typedef float cl_float;
typedef double cl_double;
typedef cl_uint cl_bool;
typedef cl_ulong cl_bitfield, cl_properties;

typedef union {
    cl_float s[4];
    struct {
        cl_float x, y, z, w;
    };
} cl_float4 __attribute__((aligned(16)));

typedef union {
    cl_uint s[4];
    struct {
        cl_uint x, y, z, w;
    };
} cl_uint4 __attribute__((aligned(16)));

typedef union {
    cl_double s[2];
    struct {
        cl_double x, y;
    };
} cl_double2 __attribute__((aligned(16)));

typedef struct _cl_platform_id *cl_platform_id;
typedef struct _cl_device_id *cl_device_id;
typedef struct _cl_context *cl_context;
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_mem *cl_mem;
typedef struct _cl_program *cl_program;
typedef struct _cl_kernel *cl_kernel;
typedef struct _cl_event *cl_event;
typedef struct _cl_sampler *cl_sampler;

typedef cl_bitfield cl_device_type, cl_command_queue_properties, cl_mem_flags, cl_map_flags;
typedef cl_properties cl_queue_properties, cl_mem_properties, cl_sampler_properties;
typedef intptr_t cl_pipe_properties;
typedef intptr_t cl_context_properties, cl_device_partition_property;
typedef cl_uint cl_platform_info, cl_device_info, cl_context_info, cl_program_info, cl_program_build_info,
    cl_event_info,
    cl_profiling_info, cl_buffer_create_type, cl_kernel_info, cl_kernel_work_group_info;
typedef struct {
    size_t origin, size;
} cl_buffer_region;
typedef cl_uint cl_addressing_mode, cl_filter_mode, cl_mem_object_type, cl_channel_order, cl_channel_type;
typedef cl_bitfield cl_svm_mem_flags;
typedef struct {
    cl_channel_order image_channel_order;
    cl_channel_type image_channel_data_type;
} cl_image_format;
typedef struct {
    cl_mem_object_type image_type;
    size_t image_width, image_height, image_depth, image_array_size, image_row_pitch, image_slice_pitch;
    cl_uint num_mip_levels, num_samples;
    union {
        cl_mem buffer, mem_object;
    };
} cl_image_desc;

#define CL_SUCCESS 0
#define CL_FALSE 0
#define CL_TRUE 1
#define CL_MEM_OBJECT_ALLOCATION_FAILURE -4
#define CL_OUT_OF_RESOURCES -5
#define CL_OUT_OF_HOST_MEMORY -6
#define CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST -14
#define CL_INVALID_VALUE -30
#define CL_INVALID_BINARY -42
#define CL_BUILD_PROGRAM_FAILURE -11
#define CL_INVALID_COMMAND_QUEUE -36
#define CL_INVALID_MEM_OBJECT -38
#define CL_INVALID_MIP_LEVEL -62
#define CL_INVALID_PROPERTY -64
#define CL_INVALID_BUILD_OPTIONS -43
#define CL_INVALID_ARG_INDEX -49
#define CL_INVALID_KERNEL_ARGS -52
#define CL_INVALID_BUFFER_SIZE -61
#define CL_SIGNED_INT32 0x10D9
#define CL_UNSIGNED_INT16 0x10DB
#define CL_COMPLETE 0
#define CL_RUNNING 1
#define CL_SUBMITTED 2
#define CL_QUEUED 3
#define CL_DEVICE_PARTITION_FAILED -18
#define CL_DEVICE_TYPE_ALL 0xFFFFFFFF
#define CL_DEVICE_MAX_COMPUTE_UNITS 0x1002
#define CL_DEVICE_PARENT_DEVICE 0x1042
#define CL_DEVICE_PARTITION_MAX_SUB_DEVICES 0x1043
#define CL_DEVICE_PARTITION_AFFINITY_DOMAIN 0x1045
#define CL_DEVICE_PARTITION_TYPE 0x1046
#define CL_DEVICE_REFERENCE_COUNT 0x1047
#define CL_DEVICE_PARTITION_EQUALLY 0x1086
#define CL_DEVICE_PARTITION_BY_COUNTS 0x1087
#define CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN 0x1088
#define CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE (1 << 5)
#define CL_PLATFORM_NAME 0x0902
#define CL_DEVICE_NAME 0x102B
#define CL_DEVICE_EXTENSIONS 0x1030
#define CL_QUEUE_PROPERTIES 0x1093
#define CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE (1 << 0)
#define CL_QUEUE_PROFILING_ENABLE (1 << 1)
#define CL_QUEUE_ON_DEVICE (1 << 2)
#define CL_QUEUE_ON_DEVICE_DEFAULT (1 << 3)
#define CL_QUEUE_SIZE 0x1094
#define CL_QUEUE_DEVICE_DEFAULT 0x1095
#define CL_MEM_READ_WRITE (1 << 0)
#define CL_MEM_WRITE_ONLY (1 << 1)
#define CL_MEM_READ_ONLY (1 << 2)
#define CL_MEM_USE_HOST_PTR (1 << 3)
#define CL_MEM_ALLOC_HOST_PTR (1 << 4)
#define CL_MEM_COPY_HOST_PTR (1 << 5)
#define CL_MEM_SVM_FINE_GRAIN_BUFFER (1 << 10)
#define CL_MEM_SVM_ATOMICS (1 << 11)
#define CL_KERNEL_EXEC_INFO_SVM_PTRS 0x11B6
#define CL_MEM_OBJECT_IMAGE2D 0x10F1
#define CL_MEM_OBJECT_IMAGE2D_ARRAY 0x10F3
#define CL_MEM_OBJECT_IMAGE1D_BUFFER 0x10F6
#define CL_RGBA 0x10B5
#define CL_R 0x10B0
#define CL_RG 0x10B2
#define CL_IMAGE_NUM_MIP_LEVELS 0x1119
#define CL_SAMPLER_ADDRESSING_MODE 0x1153
#define CL_SAMPLER_FILTER_MODE 0x1154
#define CL_FLOAT 0x10DE
#define CL_UNORM_INT8 0x10D2
#define CL_ADDRESS_CLAMP_TO_EDGE 0x1131
#define CL_FILTER_LINEAR 0x1141
#define CL_MAP_READ (1 << 0)
#define CL_MAP_WRITE (1 << 1)
#define CL_PROGRAM_BUILD_STATUS 0x1181
#define CL_PROGRAM_BUILD_LOG 0x1183
#define CL_EVENT_COMMAND_EXECUTION_STATUS 0x11D3
#define CL_EVENT_COMMAND_TYPE 0x11D0
#define CL_BUFFER_CREATE_TYPE_REGION 0x1220
#define CL_PROFILING_COMMAND_QUEUED 0x1280
#define CL_PROFILING_COMMAND_START 0x1282
#define CL_PROFILING_COMMAND_END 0x1283

cl_int clGetPlatformIDs(cl_uint, cl_platform_id *, cl_uint *);
cl_int clGetPlatformInfo(cl_platform_id, cl_platform_info, size_t, void *, size_t *);
cl_int clGetDeviceIDs(cl_platform_id, cl_device_type, cl_uint, cl_device_id *, cl_uint *);
cl_int clGetDeviceInfo(cl_device_id, cl_device_info, size_t, void *, size_t *);
cl_int clCreateSubDevices(cl_device_id, const cl_device_partition_property *, cl_uint, cl_device_id *, cl_uint *);
cl_int clRetainDevice(cl_device_id);
cl_int clReleaseDevice(cl_device_id);
void *clGetExtensionFunctionAddressForPlatform(cl_platform_id, const char *);
cl_context clCreateContext(const cl_context_properties *, cl_uint, const cl_device_id *,
                           void(CL_CALLBACK *)(const char *, const void *, size_t, void *), void *, cl_int *);
cl_int clReleaseContext(cl_context);
cl_command_queue clCreateCommandQueueWithProperties(cl_context, cl_device_id, const cl_queue_properties *, cl_int *);
cl_int clReleaseCommandQueue(cl_command_queue);
cl_int clFlush(cl_command_queue);
void *clGetExtensionFunctionAddressForPlatform(cl_platform_id, const char *);
cl_int clFinish(cl_command_queue);
cl_mem clCreateBuffer(cl_context, cl_mem_flags, size_t, void *, cl_int *);
cl_mem clCreateBufferWithProperties(cl_context, const cl_mem_properties *, cl_mem_flags, size_t, void *, cl_int *);
cl_mem clCreateSubBuffer(cl_mem, cl_mem_flags, cl_buffer_create_type, const void *, cl_int *);
cl_mem clCreateImage(cl_context, cl_mem_flags, const cl_image_format *, const cl_image_desc *, void *, cl_int *);
cl_mem clCreatePipe(cl_context, cl_mem_flags, cl_uint, cl_uint, const cl_pipe_properties *, cl_int *);
cl_int clReleaseMemObject(cl_mem);
cl_sampler clCreateSampler(cl_context, cl_bool, cl_addressing_mode, cl_filter_mode, cl_int *);
cl_sampler clCreateSamplerWithProperties(cl_context, const cl_sampler_properties *, cl_int *);
cl_int clReleaseSampler(cl_sampler);
cl_int clGetImageInfo(cl_mem, cl_uint, size_t, void *, size_t *);
cl_program clCreateProgramWithIL(cl_context, const void *, size_t, cl_int *);
cl_program clCreateProgramWithBinary(cl_context, cl_uint, const cl_device_id *, const size_t *, const unsigned char **,
                                     cl_int *, cl_int *);
cl_program clCreateProgramWithSource(cl_context, cl_uint, const char **, const size_t *, cl_int *);
cl_int clBuildProgram(cl_program, cl_uint, const cl_device_id *, const char *, void(CL_CALLBACK *)(cl_program, void *),
    void *);
cl_int clCompileProgram(cl_program, cl_uint, const cl_device_id *, const char *, cl_uint, const cl_program *,
    const char **, void(CL_CALLBACK *)(cl_program, void *), void *);
cl_program clLinkProgram(cl_context, cl_uint, const cl_device_id *, const char *, cl_uint, const cl_program *,
    void(CL_CALLBACK *)(cl_program, void *), void *, cl_int *);
cl_int clGetProgramBuildInfo(cl_program, cl_device_id, cl_program_build_info, size_t, void *, size_t *);
cl_int clRetainProgram(cl_program);
cl_int clReleaseProgram(cl_program);
cl_kernel clCreateKernel(cl_program, const char *, cl_int *);
cl_int clSetKernelArg(cl_kernel, cl_uint, size_t, const void *);
cl_int clSetKernelArgSVMPointer(cl_kernel, cl_uint, const void *);
cl_int clSetKernelExecInfo(cl_kernel, cl_uint, size_t, const void *);
void *clSVMAlloc(cl_context, cl_mem_flags, size_t, cl_uint);
void clSVMFree(cl_context, void *);
cl_int clReleaseKernel(cl_kernel);
cl_int clEnqueueNDRangeKernel(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *,
    cl_uint,
                              const cl_event *, cl_event *);
cl_int clEnqueueReadBuffer(cl_command_queue, cl_mem, cl_bool, size_t, size_t, void *, cl_uint, const cl_event *,
    cl_event *);
cl_int clEnqueueWriteBuffer(cl_command_queue, cl_mem, cl_bool, size_t, size_t, const void *, cl_uint, const cl_event *,
                            cl_event *);
cl_int clSetDefaultDeviceCommandQueue(cl_context, cl_device_id, cl_command_queue);
cl_int clGetCommandQueueInfo(cl_command_queue, cl_uint, size_t, void *, size_t *);
cl_int clEnqueueCopyBuffer(cl_command_queue, cl_mem, cl_mem, size_t, size_t, size_t, cl_uint, const cl_event *,
    cl_event *);
cl_int clEnqueueFillBuffer(cl_command_queue, cl_mem, const void *, size_t, size_t, size_t, cl_uint, const cl_event *,
                           cl_event *);
void *clEnqueueMapBuffer(cl_command_queue, cl_mem, cl_bool, cl_map_flags, size_t, size_t, cl_uint, const cl_event *,
    cl_event *,
                         cl_int *);
cl_int clEnqueueUnmapMemObject(cl_command_queue, cl_mem, void *, cl_uint, const cl_event *, cl_event *);
cl_int clEnqueueMarkerWithWaitList(cl_command_queue, cl_uint, const cl_event *, cl_event *);
cl_int clEnqueueBarrierWithWaitList(cl_command_queue, cl_uint, const cl_event *, cl_event *);
cl_event clCreateUserEvent(cl_context, cl_int *);
cl_int clSetUserEventStatus(cl_event, cl_int);
cl_int clSetEventCallback(cl_event, cl_int, void(CL_CALLBACK *)(cl_event, cl_int, void *), void *);
cl_int clWaitForEvents(cl_uint, const cl_event *);
cl_int clGetEventInfo(cl_event, cl_event_info, size_t, void *, size_t *);
cl_int clGetEventProfilingInfo(cl_event, cl_profiling_info, size_t, void *, size_t *);
cl_int clReleaseEvent(cl_event);
cl_int clEnqueueNativeKernel(cl_command_queue, void(CL_CALLBACK *)(void *), void *, size_t, cl_uint, const cl_mem *,
                             const void **, cl_uint, const cl_event *, cl_event *);
cl_int clEnqueueWriteBufferRect(cl_command_queue, cl_mem, cl_bool, const size_t *, const size_t *, const size_t *,
                                size_t, size_t, size_t, size_t, const void *, cl_uint, const cl_event *, cl_event *);
cl_int clEnqueueFillImage(cl_command_queue, cl_mem, const void *, const size_t *, const size_t *, cl_uint,
                          const cl_event *, cl_event *);
cl_int clEnqueueWriteImage(cl_command_queue, cl_mem, cl_bool, const size_t *, const size_t *, size_t, size_t,
                           const void *, cl_uint, const cl_event *, cl_event *);
cl_int clEnqueueReadImage(cl_command_queue, cl_mem, cl_bool, const size_t *, const size_t *, size_t, size_t, void *,
                          cl_uint, const cl_event *, cl_event *);
cl_int clEnqueueSVMMemcpy(cl_command_queue, cl_bool, void *, const void *, size_t, cl_uint, const cl_event *,
                          cl_event *);
cl_int clEnqueueSVMMemFill(cl_command_queue, void *, const void *, size_t, size_t, cl_uint, const cl_event *,
                           cl_event *);
cl_int clEnqueueSVMMap(cl_command_queue, cl_bool, cl_map_flags, void *, size_t, cl_uint, const cl_event *, cl_event *);
cl_int clEnqueueSVMUnmap(cl_command_queue, void *, cl_uint, const cl_event *, cl_event *);
cl_int clEnqueueSVMFree(cl_command_queue, cl_uint, void **,
                        void(CL_CALLBACK *)(cl_command_queue, cl_uint, void **, void *), void *, cl_uint,
                        const cl_event *, cl_event *);
cl_kernel clCloneKernel(cl_kernel, cl_int *);
cl_int clRetainMemObject(cl_mem);
cl_int clRetainEvent(cl_event);

#endif

/* Heat in a rod: two steps recorded once as a command-buffer and replayed many times on one queue, while a second queue
 * takes a sample after each replay; a pair of semaphores keeps the two in step. Half-way, an update changes the
 * conductivity.
 * All of it is found through the platform, as extensions are. */
#include "common.h"

typedef struct _cl_command_buffer_khr *command_buffer;
typedef struct _cl_mutable_command_khr *mutable_command;
typedef struct _cl_semaphore_khr *semaphore;

typedef struct {
    cl_uint index;
    size_t size;
    const void *value;
} dispatch_arg;

typedef struct {
    mutable_command command;
    cl_uint num_args, num_svm_args, num_exec_infos, work_dim;
    const dispatch_arg *args, *svm_args;
    const void *exec_infos;
    const size_t *offset, *global, *local;
} dispatch_config;

enum { N = 4096, REPLAYS = 200 };

static const char *source =
    "kernel void step(global const float *in, global float *out, float k) {\n"
    "    size_t i = get_global_id(0), n = get_global_size(0);\n"
    "    float left = in[i ? i - 1 : 0], right = in[i + 1 < n ? i + 1 : i];\n"
    "    out[i] = in[i] + k * (left - 2 * in[i] + right);\n"
    "}\n";

static void *find(cl_platform_id platform, const char *name) {
    void *address = clGetExtensionFunctionAddressForPlatform(platform, name);
    if (!address) fail("replay: %s is not there", name);
    return address;
}

static void step(const float *in, float *out, float k) {
    for (int i = 0; i < N; i++) {
        float left = in[i ? i - 1 : 0], right = in[i + 1 < N ? i + 1 : i];
        out[i] = in[i] + k * (left - 2 * in[i] + right);
    }
}

#define FIND(result, name, ...) \
    result(CL_API_CALL *name)(__VA_ARGS__) = (result(CL_API_CALL *)(__VA_ARGS__))find(s.platform, #name)

int main(void) {
    Setup s = open_device(0);
    char extensions[8192];
    CHECK(clGetDeviceInfo(s.device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    if (!strstr(extensions, "cl_khr_command_buffer_mutable_dispatch") || !strstr(extensions, "cl_khr_semaphore")) {
        printf("replay: not supported by this driver\n");
        return 0;
    }
    FIND(command_buffer, clCreateCommandBufferKHR, cl_uint, const cl_command_queue *, const cl_ulong *, cl_int *);
    FIND(cl_int, clReleaseCommandBufferKHR, command_buffer);
    FIND(cl_int, clFinalizeCommandBufferKHR, command_buffer);
    FIND(cl_int, clEnqueueCommandBufferKHR, cl_uint, cl_command_queue *, command_buffer, cl_uint, const cl_event *,
        cl_event *);
    FIND(cl_int, clCommandNDRangeKernelKHR, command_buffer, cl_command_queue, const cl_ulong *, cl_kernel, cl_uint,
        const size_t *,
         const size_t *, const size_t *, cl_uint, const cl_uint *, cl_uint *, mutable_command *);
    FIND(cl_int, clUpdateMutableCommandsKHR, command_buffer, cl_uint, const cl_uint *, const void **);
    FIND(semaphore, clCreateSemaphoreWithPropertiesKHR, cl_context, const cl_ulong *, cl_int *);
    FIND(cl_int, clReleaseSemaphoreKHR, semaphore);
    FIND(cl_int, clEnqueueSignalSemaphoresKHR, cl_command_queue, cl_uint, const semaphore *, const cl_ulong *, cl_uint,
         const cl_event *, cl_event *);
    FIND(cl_int, clEnqueueWaitSemaphoresKHR, cl_command_queue, cl_uint, const semaphore *, const cl_ulong *, cl_uint,
         const cl_event *, cl_event *);

    static float start[N], a[N], b[N], samples[REPLAYS];
    unsigned seed = 1;
    for (int i = 0; i < N; i++) start[i] = random_float(&seed);
    cl_program program = build_program(&s, source, NULL);
    cl_kernel kernel = get_kernel(program, "step");
    cl_mem mem[2] = {new_buffer(&s, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof start, start),
                     new_buffer(&s, CL_MEM_READ_WRITE, sizeof start, NULL)};
    cl_int status;
    cl_command_queue sampler = clCreateCommandQueueWithProperties(s.context, s.device, NULL, &status);
    CHECK(status);
    const cl_ulong binary[] = {0x203D, 1, 0}, mutable[] = {0x1293, 2, 0};
    semaphore stepped = clCreateSemaphoreWithPropertiesKHR(s.context, binary, &status);
    CHECK(status);
    semaphore sampled = clCreateSemaphoreWithPropertiesKHR(s.context, binary, &status);
    CHECK(status);
    command_buffer buffer = clCreateCommandBufferKHR(1, &s.queue, mutable, &status);
    CHECK(status);
    const size_t n = N;
    float k = 0.25f;
    mutable_command commands[2];
    cl_uint point = 0;
    for (int i = 0; i < 2; i++) {
        SET_ARG(kernel, 0, mem[i]);
        SET_ARG(kernel, 1, mem[1 - i]);
        SET_ARG(kernel, 2, k);
        CHECK(clCommandNDRangeKernelKHR(buffer, NULL, NULL, kernel, 1, NULL, &n, NULL, point ? 1 : 0,
            point ? &point : NULL, &point,
                                        &commands[i]));
    }
    CHECK(clFinalizeCommandBufferKHR(buffer));
    double from = now_ms();
    for (int i = 0; i < REPLAYS; i++) {
        if (i == REPLAYS / 2) {
            float half = 0.125f;
            dispatch_arg arg = {2, sizeof half, &half};
            dispatch_config configs[2] = {{.command = commands[0], .num_args = 1, .args = &arg},
                                          {.command = commands[1], .num_args = 1, .args = &arg}};
            const cl_uint types[2] = {0, 0};
            const void *list[2] = {&configs[0], &configs[1]};
            CHECK(clUpdateMutableCommandsKHR(buffer, 2, types, list));
        }
        if (i > 0) CHECK(clEnqueueWaitSemaphoresKHR(s.queue, 1, &sampled, NULL, 0, NULL, NULL));
        CHECK(clEnqueueCommandBufferKHR(0, NULL, buffer, 0, NULL, NULL));
        CHECK(clEnqueueSignalSemaphoresKHR(s.queue, 1, &stepped, NULL, 0, NULL, NULL));
        CHECK(clEnqueueWaitSemaphoresKHR(sampler, 1, &stepped, NULL, 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(sampler, mem[0], CL_FALSE, sizeof(float) * (i % N), sizeof(float), &samples[i], 0,
            NULL, NULL));
        CHECK(clEnqueueSignalSemaphoresKHR(sampler, 1, &sampled, NULL, 0, NULL, NULL));
    }
    CHECK(clFlush(s.queue));
    CHECK(clFinish(sampler));
    CHECK(clFinish(s.queue));
    double ms = now_ms() - from;
    memcpy(a, start, sizeof a);
    for (int i = 0; i < REPLAYS; i++) {
        float now = i < REPLAYS / 2 ? 0.25f : 0.125f;
        step(a, b, now);
        step(b, a, now);
        if (fabsf(samples[i] - a[i % N]) > 1e-5f) fail("replay: sample %d is %f, not %f", i, samples[i], a[i % N]);
    }
    CHECK(clReleaseCommandBufferKHR(buffer));
    CHECK(clReleaseSemaphoreKHR(stepped));
    CHECK(clReleaseSemaphoreKHR(sampled));
    CHECK(clReleaseCommandQueue(sampler));
    clReleaseMemObject(mem[0]);
    clReleaseMemObject(mem[1]);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    close_device(&s);
    printf("replay: %d replays of a command-buffer, sampled from another queue, %.2f ms\n", REPLAYS, ms);
    return 0;
}

/* Unified shared memory: a list in memory of all three kinds, copies, fills, queries, and freeing memory that is in
 * use. */
#include "common.h"

#define CL_MEM_ALLOC_TYPE_INTEL 0x419A
#define CL_MEM_ALLOC_DEVICE_INTEL 0x419D
#define CL_MEM_TYPE_UNKNOWN_INTEL 0x4196
#define CL_MEM_TYPE_SHARED_INTEL 0x4199
#define CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL 0x4190

typedef void *(*HostAlloc)(cl_context, const cl_ulong *, size_t, cl_uint, cl_int *);
typedef void *(*DeviceAlloc)(cl_context, cl_device_id, const cl_ulong *, size_t, cl_uint, cl_int *);
typedef cl_int (*Free)(cl_context, void *);
typedef cl_int (*Info)(cl_context, const void *, cl_uint, size_t, void *, size_t *);
typedef cl_int (*SetArg)(cl_kernel, cl_uint, const void *);
typedef cl_int (*Fill)(cl_command_queue, void *, const void *, size_t, size_t, cl_uint, const cl_event *, cl_event *);
typedef cl_int (*Copy)(cl_command_queue, cl_bool, void *, const void *, size_t, cl_uint, const cl_event *, cl_event *);
typedef cl_int (*Hint)(cl_command_queue, const void *, size_t, cl_ulong, cl_uint, const cl_event *, cl_event *);
typedef cl_int (*Advise)(cl_command_queue, const void *, size_t, cl_uint, cl_uint, const cl_event *, cl_event *);

typedef struct Node {
    struct Node *next;
    cl_long value;
} Node;

static const char *const source =
    "typedef struct Node { global struct Node *next; long value; } Node;\n"
    "kernel void sum(global Node *node, global long *out) {\n"
    "    long sum = 0;\n"
    "    for (; node; node = node->next) sum += node->value;\n"
    "    *out = sum;\n"
    "}\n"
    "kernel void slow(global volatile int *a, int rounds) {\n"
    "    for (int i = 0; i < rounds; i++) a[get_global_id(0)]++;\n"
    "}\n";

static void *function(const Setup *s, const char *name) {
    void *address = clGetExtensionFunctionAddressForPlatform(s->platform, name);
    if (!address) fail("no %s", name);
    return address;
}

int main(void) {
    Setup s = open_device(0);
    char extensions[8192];
    CHECK(clGetDeviceInfo(s.device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    if (!strstr(extensions, "cl_intel_unified_shared_memory")) fail("the extension is missing");
    cl_ulong can;
    CHECK(clGetDeviceInfo(s.device, CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL, sizeof can, &can, NULL));
    if (!(can & 1)) fail("no access to host memory");
    HostAlloc host_alloc = (HostAlloc)function(&s, "clHostMemAllocINTEL");
    DeviceAlloc device_alloc = (DeviceAlloc)function(&s, "clDeviceMemAllocINTEL");
    DeviceAlloc shared_alloc = (DeviceAlloc)function(&s, "clSharedMemAllocINTEL");
    Free release = (Free)function(&s, "clMemFreeINTEL");
    Free blocking_free = (Free)function(&s, "clMemBlockingFreeINTEL");
    Info info = (Info)function(&s, "clGetMemAllocInfoINTEL");
    SetArg set_arg = (SetArg)function(&s, "clSetKernelArgMemPointerINTEL");
    Fill fill = (Fill)function(&s, "clEnqueueMemFillINTEL");
    Copy copy = (Copy)function(&s, "clEnqueueMemcpyINTEL");
    Hint migrate = (Hint)function(&s, "clEnqueueMigrateMemINTEL");
    Advise advise = (Advise)function(&s, "clEnqueueMemAdviseINTEL");

    cl_int status;
    Node *on_host = host_alloc(s.context, NULL, 100 * sizeof(Node), 0, &status);
    CHECK(status);
    Node *shared = shared_alloc(s.context, s.device, NULL, 100 * sizeof(Node), 128, &status);
    CHECK(status);
    cl_long *on_device = device_alloc(s.context, s.device, NULL, sizeof(cl_long), 8, &status);
    CHECK(status);
    /* A list that goes back and forth between both, and ends in memory of malloc. */
    Node *last = malloc(sizeof *last);
    cl_long want = 0;
    for (int i = 0; i < 100; i++) {
        on_host[i] = (Node){&shared[i], i};
        shared[i] = (Node){i < 99 ? &on_host[i + 1] : last, 1000 * i};
        want += 1001 * i;
    }
    *last = (Node){NULL, 7};
    want += 7;
    cl_program program = build_program(&s, source, "");
    cl_kernel sum = get_kernel(program, "sum");
    CHECK(set_arg(sum, 0, on_host));
    CHECK(set_arg(sum, 1, on_device));
    const size_t one = 1;
    CHECK(migrate(s.queue, shared, 100 * sizeof(Node), 0, 0, NULL, NULL));
    CHECK(advise(s.queue, shared, 100 * sizeof(Node), 0, 0, NULL, NULL));
    CHECK(clEnqueueNDRangeKernel(s.queue, sum, 1, NULL, &one, NULL, 0, NULL, NULL));
    cl_long got = 0;
    CHECK(copy(s.queue, CL_TRUE, &got, on_device, sizeof got, 0, NULL, NULL));
    if (got != want) fail("the sum is %lld, not %lld", (long long)got, (long long)want);

    /* What the driver knows of an address. */
    cl_uint kind;
    cl_device_id device;
    CHECK(info(s.context, shared + 99, CL_MEM_ALLOC_TYPE_INTEL, sizeof kind, &kind, NULL));
    CHECK(info(s.context, shared + 99, CL_MEM_ALLOC_DEVICE_INTEL, sizeof device, &device, NULL));
    if (kind != CL_MEM_TYPE_SHARED_INTEL || device != s.device) fail("shared memory is %x", kind);
    CHECK(info(s.context, last, CL_MEM_ALLOC_TYPE_INTEL, sizeof kind, &kind, NULL));
    if (kind != CL_MEM_TYPE_UNKNOWN_INTEL) fail("memory of malloc is %x", kind);

    /* Freed while kernels of two queues use it: the call has to wait for them, and runs what nobody has asked for yet.
     * */
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_command_queue other = clCreateCommandQueueWithProperties(s.context, s.device, list, &status);
    CHECK(status);
    cl_kernel slow = get_kernel(program, "slow");
    const cl_int rounds = 200000, zero = 0;
    /* Each kernel has half of it. */
    const size_t items = 64;
    cl_event events[2];
    for (int round = 0; round < 5; round++) {
        cl_int *used = shared_alloc(s.context, NULL, NULL, 2 * items * sizeof(cl_int), 0, &status);
        CHECK(status);
        CHECK(fill(s.queue, used, &zero, sizeof zero, 2 * items * sizeof(cl_int), 0, NULL, &events[0]));
        CHECK(clWaitForEvents(1, events));
        CHECK(clReleaseEvent(events[0]));
        CHECK(set_arg(slow, 0, used));
        SET_ARG(slow, 1, rounds);
        CHECK(clEnqueueNDRangeKernel(s.queue, slow, 1, NULL, &items, NULL, 0, NULL, &events[0]));
        CHECK(clEnqueueNDRangeKernel(other, slow, 1, &items, &items, NULL, 0, NULL, &events[1]));
        if (round % 2) CHECK(clFlush(other));
        CHECK(blocking_free(s.context, used));
        for (int i = 0; i < 2; i++) {
            cl_int state;
            CHECK(clGetEventInfo(events[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
            if (state != CL_COMPLETE) fail("freed while command %d was in state %d", i, state);
            CHECK(clReleaseEvent(events[i]));
        }
    }
    CHECK(blocking_free(s.context, NULL));
    if (release(s.context, last) == CL_SUCCESS) fail("memory of malloc was freed");
    CHECK(release(s.context, on_host));
    CHECK(release(s.context, shared));
    CHECK(release(s.context, on_device));
    free(last);
    CHECK(clReleaseCommandQueue(other));
    CHECK(clReleaseKernel(slow));
    CHECK(clReleaseKernel(sum));
    CHECK(clReleaseProgram(program));
    close_device(&s);
    printf("usm: a list of 201 nodes adds up to %lld\n", (long long)got);
    return 0;
}

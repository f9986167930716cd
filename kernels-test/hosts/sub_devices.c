/* Splits the device in every way it offers and lets all parts add to one buffer, at the same time and in turn. */
#define _GNU_SOURCE
#include "common.h"
#include <sched.h>

#define ITEMS (1 << 18)

static const char *const source =
    "kernel void add(global int *a, int n) { size_t i = get_global_id(0); for (int k = 0; k < 64; k++) a[i] += n; }";

static cl_uint units(cl_device_id device) {
    cl_uint n;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof n, &n, NULL));
    return n;
}

/* How many CPUs the thread that runs a part's commands may use. */
static void CL_CALLBACK count_cpus(void *args) {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (!sched_getaffinity(0, sizeof set, &set)) **(int **)args = CPU_COUNT(&set);
}

static cl_uint try_scheme(const Setup *s, const char *name, const cl_device_partition_property *properties) {
    cl_uint n = 0;
    cl_int status = clCreateSubDevices(s->device, properties, 0, NULL, &n);
    if (status == CL_DEVICE_PARTITION_FAILED) return 0;
    CHECK(status);
    cl_device_id devices[64];
    if (n > 64) fail("%s: %u parts", name, n);
    CHECK(clCreateSubDevices(s->device, properties, n, devices, NULL));
    cl_uint sum = 0;
    for (cl_uint i = 0; i < n; i++) {
        cl_device_id parent;
        CHECK(clGetDeviceInfo(devices[i], CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL));
        if (parent != s->device) fail("%s: another parent", name);
        sum += units(devices[i]);
    }
    if (sum > units(s->device)) fail("%s: more compute units than there are", name);

    cl_context context = clCreateContext(NULL, n, devices, NULL, NULL, &status);
    CHECK(status);
    Setup part = {s->platform, devices[0], context, NULL};
    cl_program program = build_program(&part, source, "");
    cl_kernel kernel = get_kernel(program, "add");
    cl_mem sums = new_buffer(&part, CL_MEM_READ_WRITE, ITEMS * sizeof(cl_int), NULL);
    const cl_int zero = 0, one = 1;
    cl_command_queue queues[64];
    cl_event before = NULL, events[64];
    int cpus[64] = {0};
    const size_t items = ITEMS;
    for (cl_uint i = 0; i < n; i++) {
        queues[i] = clCreateCommandQueueWithProperties(context, devices[i], NULL, &status);
        CHECK(status);
    }
    CHECK(clEnqueueFillBuffer(queues[0], sums, &zero, sizeof zero, 0, ITEMS * sizeof(cl_int), 0, NULL, &before));
    SET_ARG(kernel, 0, sums);
    SET_ARG(kernel, 1, one);
    for (cl_uint i = 0; i < n; i++) {
        int *place = &cpus[i];
        CHECK(clEnqueueNativeKernel(queues[i], count_cpus, &place, sizeof place, 0, NULL, NULL, 0, NULL, NULL));
        CHECK(clEnqueueNDRangeKernel(queues[i], kernel, 1, NULL, &items, NULL, 1, &before, &events[i]));
        CHECK(clReleaseEvent(before));
        before = events[i];
        CHECK(clFlush(queues[i]));
    }
    cl_int *result = malloc(ITEMS * sizeof *result);
    CHECK(clEnqueueReadBuffer(queues[n - 1], sums, CL_TRUE, 0, ITEMS * sizeof *result, result, 1, &before, NULL));
    for (int i = 0; i < ITEMS; i++)
        if (result[i] != (cl_int)(64 * n)) fail("%s: item %d is %d, not %u", name, i, result[i], 64 * n);
    for (cl_uint i = 0; i < n; i++) {
        CHECK(clFinish(queues[i]));
        if (cpus[i] < 1) fail("%s: part %u ran nowhere", name, i);
        CHECK(clReleaseCommandQueue(queues[i]));
        CHECK(clReleaseDevice(devices[i]));
    }
    free(result);
    CHECK(clReleaseEvent(before));
    CHECK(clReleaseMemObject(sums));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseContext(context));
    return n;
}

int main(void) {
    Setup s = open_device(0);
    const cl_int n = units(s.device);
    const cl_device_partition_property singles[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    const cl_device_partition_property uneven[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, n - 1, 0, 0};
    const cl_device_partition_property domain[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                   CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE, 0};
    cl_uint counts[3] = {0};
    if (n > 1 && n <= 64) {
        counts[0] = try_scheme(&s, "equally", singles);
        counts[1] = try_scheme(&s, "by counts", uneven);
        if (counts[0] != (cl_uint)n || counts[1] != 2) fail("%u and %u parts of %d units", counts[0], counts[1], n);
    }
    counts[2] = try_scheme(&s, "by domain", domain);
    close_device(&s);
    printf("sub_devices: %d units in %u, %u and %u parts\n", n, counts[0], counts[1], counts[2]);
    return 0;
}

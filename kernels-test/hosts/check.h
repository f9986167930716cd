/* What programs share whose parts make one mistake each, or nearly: a table of parts, run by name. */
#ifndef CHECK_H
#define CHECK_H

#include "common.h"

typedef struct {
    const char *name;
    /* Kind of the report that it must lead to, a part of its message, and the call that it is at; NULL: no report, or
     * a kernel's access. */
    const char *kind, *message, *call;
    void (*run)(void);
} Part;

/* Two in-order queues and one out of order, buffers of N bytes, kernels, bytes of the host's. */
enum { N = 4096 };
static Setup s;
static cl_command_queue q, r, o;
static cl_mem a, b;
static cl_program program;
static cl_kernel put, get, both;
static char host[N] __attribute__((unused));

static const char *const SOURCE =
    "kernel void put(global int *out) { out[get_global_id(0)] = 1; }\n"
    "kernel void get(const global int *in, global int *sum) { if (in[get_global_id(0)] == -77) atomic_inc(sum); }\n"
    "kernel void both(global int *out, int from) { out[from + get_global_id(0)] += 1; }\n";

static cl_command_queue queue(cl_command_queue_properties properties) {
    cl_int status;
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
    cl_command_queue made = clCreateCommandQueueWithProperties(s.context, s.device, list, &status);
    CHECK(status);
    return made;
}

static cl_mem buffer(size_t size) {
    cl_int status;
    cl_mem made = clCreateBuffer(s.context, CL_MEM_READ_WRITE, size, NULL, &status);
    CHECK(status);
    return made;
}

static cl_kernel kernel(const char *name) {
    cl_int status;
    cl_kernel made = clCreateKernel(program, name, &status);
    CHECK(status);
    return made;
}

/* Commands that do not block: fill (write) and read, of bytes of a buffer. */
static cl_event fill(cl_command_queue on, cl_mem mem, size_t from, size_t size, cl_uint n, const cl_event *waits) {
    const int zero = 0;
    cl_event event;
    CHECK(clEnqueueFillBuffer(on, mem, &zero, 4, from, size, n, waits, &event));
    return event;
}

static inline cl_event load(cl_command_queue on, cl_mem mem, size_t from, size_t size, void *to, cl_uint n,
                     const cl_event *waits) {
    cl_event event;
    CHECK(clEnqueueReadBuffer(on, mem, CL_FALSE, from, size, to, n, waits, &event));
    return event;
}

static inline cl_event launch(cl_command_queue on, cl_kernel what, size_t items, cl_uint n, const cl_event *waits) {
    cl_event event;
    CHECK(clEnqueueNDRangeKernel(on, what, 1, NULL, &items, NULL, n, waits, &event));
    return event;
}

static void drop(cl_event event) { CHECK(clReleaseEvent(event)); }

static void finish_all(void) {
    CHECK(clFinish(q));
    CHECK(clFinish(r));
    CHECK(clFinish(o));
}

/* Runs the part of this name, or lists all parts, a line each with tabs in between. */
static int run_part(const Part *parts, size_t n, int argc, char **argv) {
    if (argc != 2)
        fail("usage: %s NAME, or %s list", argv[0], argv[0]);
    if (!strcmp(argv[1], "list")) {
        for (size_t i = 0; i < n; i++)
            printf("%s\t%s\t%s\t%s\n", parts[i].name, parts[i].kind ? parts[i].kind : "",
                   parts[i].kind ? parts[i].message : "", parts[i].call ? parts[i].call : "");
        return 0;
    }
    for (size_t i = 0; i < n; i++) {
        if (strcmp(argv[1], parts[i].name))
            continue;
        s = open_device(0);
        q = queue(0), r = queue(0), o = queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        a = buffer(N), b = buffer(N);
        program = build_program(&s, SOURCE, "");
        put = kernel("put"), get = kernel("get"), both = kernel("both");
        drop(fill(q, a, 0, N, 0, NULL));
        drop(fill(q, b, 0, N, 0, NULL));
        CHECK(clFinish(q));
        CHECK(clSetKernelArg(put, 0, sizeof a, &a));
        CHECK(clSetKernelArg(get, 0, sizeof a, &a));
        CHECK(clSetKernelArg(get, 1, sizeof b, &b));
        const int from = 0;
        CHECK(clSetKernelArg(both, 0, sizeof a, &a));
        CHECK(clSetKernelArg(both, 1, sizeof from, &from));
        parts[i].run();
        finish_all();
        const cl_kernel kernels[] = {put, get, both};
        for (int k = 0; k < 3; k++)
            if (kernels[k])
                CHECK(clReleaseKernel(kernels[k]));
        CHECK(clReleaseProgram(program));
        if (a)
            CHECK(clReleaseMemObject(a));
        CHECK(clReleaseMemObject(b));
        CHECK(clReleaseCommandQueue(q));
        CHECK(clReleaseCommandQueue(r));
        CHECK(clReleaseCommandQueue(o));
        close_device(&s);
        return 0;
    }
    fail("there is no %s", argv[1]);
    return 1;
}

#define RUN_PART(parts) run_part(parts, sizeof(parts) / sizeof *(parts), argc, argv)

#endif

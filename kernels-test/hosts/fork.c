/* Forks after it has used the driver, with commands at rest and with commands running; children and parent go on. */
#define _GNU_SOURCE
#include "common.h"
#include <sys/wait.h>
#include <unistd.h>

#define ITEMS (1 << 16)

static const char *const source =
    "kernel void count(global uint *a, uint rounds) {\n"
    "    uint i = get_global_id(0), x = i;\n"
    "    for (uint k = 0; k < rounds; k++) x = x * 1664525u + 1013904223u;\n"
    "    a[i] = x;\n"
    "}\n"
    /* Sizes that are known when a kernel is created: its code is made in the background then. */
    "#define FIXED(n) kernel __attribute__((reqd_work_group_size(n, 1, 1)))\\\n"
    "    void fixed_##n(global uint *a) { a[get_global_id(0)] += get_local_id(0); }\n"
    "FIXED(16) FIXED(32) FIXED(64)\n";

static volatile int called;
static void CL_CALLBACK note(cl_event event, cl_int status, void *data) {
    (void)event, (void)status, (void)data;
    called = 1;
}

static cl_uint expected(cl_uint i, cl_uint rounds) {
    for (cl_uint x = i, k = 0;; k++, x = x * 1664525u + 1013904223u)
        if (k == rounds) return x;
}

/* Runs the kernel on a queue of these and checks some of what it leaves. */
static void use(const Setup *s, cl_kernel kernel, cl_uint rounds, const char *who) {
    cl_mem buffer = new_buffer(s, CL_MEM_READ_WRITE, ITEMS * sizeof(cl_uint), NULL);
    const size_t items = ITEMS;
    cl_event event;
    SET_ARG(kernel, 0, buffer);
    SET_ARG(kernel, 1, rounds);
    CHECK(clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &items, NULL, 0, NULL, &event));
    called = 0;
    CHECK(clSetEventCallback(event, CL_COMPLETE, note, NULL));
    CHECK(clFlush(s->queue));
    cl_uint *values = malloc(ITEMS * sizeof *values);
    CHECK(clEnqueueReadBuffer(s->queue, buffer, CL_TRUE, 0, ITEMS * sizeof *values, values, 1, &event, NULL));
    for (cl_uint i = 0; i < ITEMS; i += 997)
        if (values[i] != expected(i, rounds)) fail("%s: item %u is %u", who, i, values[i]);
    for (double end = now_ms() + 20000; !called && now_ms() < end;) usleep(100);
    if (!called) fail("%s: the callback never came", who);
    free(values);
    CHECK(clReleaseEvent(event));
    CHECK(clReleaseMemObject(buffer));
}

/* Creates the kernels that name their sizes. */
static void get_fixed(cl_program program, cl_kernel kernels[3]) {
    const char *const names[3] = {"fixed_16", "fixed_32", "fixed_64"};
    for (int k = 0; k < 3; k++) kernels[k] = get_kernel(program, names[k]);
}

/* Runs them and checks what they leave. */
static void use_fixed(const Setup *s, const cl_kernel kernels[3], const char *who) {
    cl_uint values[64] = {0};
    cl_mem buffer = new_buffer(s, CL_MEM_COPY_HOST_PTR, sizeof values, values);
    const size_t items = 64;
    for (int k = 0; k < 3; k++) {
        SET_ARG(kernels[k], 0, buffer);
        CHECK(clEnqueueNDRangeKernel(s->queue, kernels[k], 1, NULL, &items, NULL, 0, NULL, NULL));
    }
    CHECK(clEnqueueReadBuffer(s->queue, buffer, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    for (cl_uint i = 0; i < 64; i++)
        if (values[i] != i % 16 + i % 32 + i) fail("%s: item %u of fixed sizes is %u", who, i, values[i]);
    CHECK(clReleaseMemObject(buffer));
}

static void use_parts(const Setup *s, const char *who) {
    const cl_device_partition_property singles[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_uint n = 0;
    if (clCreateSubDevices(s->device, singles, 0, NULL, &n) != CL_SUCCESS || n > 64) return;
    cl_device_id devices[64];
    CHECK(clCreateSubDevices(s->device, singles, n, devices, NULL));
    cl_int status;
    Setup part = {s->platform, devices[n - 1], NULL, NULL};
    part.context = clCreateContext(NULL, n, devices, NULL, NULL, &status);
    CHECK(status);
    part.queue = clCreateCommandQueueWithProperties(part.context, part.device, NULL, &status);
    CHECK(status);
    cl_program program = build_program(&part, source, "");
    cl_kernel kernel = get_kernel(program, "count");
    use(&part, kernel, 10, who);
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    close_device(&part);
    for (cl_uint i = 0; i < n; i++) CHECK(clReleaseDevice(devices[i]));
}

static pid_t start_child(void) {
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) fail("no fork");
    if (child == 0) alarm(60);
    return child;
}

static void join(pid_t child, const char *who) {
    int status;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status))
        fail("%s ended with %x", who, status);
}

int main(void) {
    Setup s = open_device(0);
    cl_program program = build_program(&s, source, "");
    cl_kernel kernel = get_kernel(program, "count");
    use(&s, kernel, 1000, "parent");
    use_parts(&s, "parent's parts");

    /* At rest: old and new objects work in the child and in its own child. */
    pid_t child = start_child();
    if (child == 0) {
        use(&s, kernel, 1000, "child");
        Setup fresh = open_device(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        cl_program again = build_program(&fresh, source, "");
        cl_kernel other = get_kernel(again, "count");
        use(&fresh, other, 1000, "child's own");
        use_parts(&s, "child's parts");
        pid_t grandchild = start_child();
        if (grandchild == 0) {
            use(&fresh, other, 500, "grandchild");
            exit(0);
        }
        join(grandchild, "the grandchild");
        use(&fresh, other, 500, "child after its fork");
        CHECK(clReleaseKernel(other));
        CHECK(clReleaseProgram(again));
        close_device(&fresh);
        exit(0);
    }
    join(child, "the child");
    use(&s, kernel, 1000, "parent after the fork");

    /* Commands run: the child does not have them, but does not wait for them for ever either. */
    for (int round = 0; round < 10; round++) {
        cl_mem buffer = new_buffer(&s, CL_MEM_READ_WRITE, ITEMS * sizeof(cl_uint), NULL);
        const size_t items = ITEMS;
        const cl_uint rounds = 3000;
        cl_event event;
        SET_ARG(kernel, 0, buffer);
        SET_ARG(kernel, 1, rounds);
        CHECK(clEnqueueNDRangeKernel(s.queue, kernel, 1, NULL, &items, NULL, 0, NULL, &event));
        CHECK(clFlush(s.queue));
        usleep(200 * round);
        cl_program fresh = build_program(&s, source, "");
        cl_kernel fixed[3];
        get_fixed(fresh, fixed);
        child = start_child();
        if (child == 0) {
            clWaitForEvents(1, &event);
            clFinish(s.queue);
            use_fixed(&s, fixed, "child of a busy parent");
            use(&s, kernel, 100, "child of a busy parent");
            exit(0);
        }
        CHECK(clWaitForEvents(1, &event));
        cl_uint value;
        const cl_uint last = ITEMS - 1;
        CHECK(clEnqueueReadBuffer(s.queue, buffer, CL_TRUE, last * sizeof value, sizeof value, &value, 0, NULL, NULL));
        if (value != expected(last, rounds)) fail("the busy parent has %u", value);
        join(child, "the busy parent's child");
        use_fixed(&s, fixed, "the busy parent");
        for (int k = 0; k < 3; k++) CHECK(clReleaseKernel(fixed[k]));
        CHECK(clReleaseProgram(fresh));
        CHECK(clReleaseEvent(event));
        CHECK(clReleaseMemObject(buffer));
    }
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    close_device(&s);
    puts("fork: 12 children went on");
    return 0;
}

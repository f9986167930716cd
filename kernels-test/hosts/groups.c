/* Work-groups that wait for each other through global memory: as many of them as the device has compute units go on
 * together,
 * whatever their size, and in several launches at once. OpenCL does not promise it; programs rely on it. */
#include "common.h"
#include <pthread.h>
#include <unistd.h>

static const char *source =
    /* Plain reads beside atomic operations are races by the letter, and what this is about. */
    "#pragma CLIFT CHECK OFF\n"
    "void meet(volatile global int *count, int n) {\n"
    "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "    if (get_local_id(0) == 0) {\n"
    "        atomic_inc(count);\n"
    "        while (*count < n) ;\n"
    "    }\n"
    "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "}\n"
    /* Each round, every group takes what its neighbour made in the round before. */
    "kernel void rounds(volatile global int *counts, volatile global int *cells, int rounds) {\n"
    "    int n = get_num_groups(0), g = get_group_id(0);\n"
    "    for (int r = 0; r < rounds; r++) {\n"
    "        int v = cells[(g + 1) % n];\n"
    "        meet(counts + 2 * r, n);\n"
    "        if (get_local_id(0) == 0) cells[g] = v + 1;\n"
    "        meet(counts + 2 * r + 1, n);\n"
    "    }\n"
    "}\n"
    /* No local id, no barrier: nothing but the wait tells one group from another. Each waits for the one behind it. */
    "kernel void chain(volatile global int *flags, global int *out) {\n"
    "    int i = get_global_id(0), n = get_global_size(0);\n"
    "    if (i + 1 < n) while (flags[i + 1] == 0) ;\n"
    "    out[i] = i + 1 < n ? flags[i + 1] + 1 : 1;\n"
    "    mem_fence(CLK_GLOBAL_MEM_FENCE);\n"
    "    flags[i] = out[i];\n"
    "}\n"
    "kernel void locked(volatile global int *lock, volatile global int *sum, int turns) {\n"
    "    if (get_local_id(0) != 0) return;\n"
    "    for (int t = 0; t < turns; t++) {\n"
    "        while (atomic_cmpxchg(lock, 0, 1) != 0) ;\n"
    "        *sum = *sum + 1;\n"
    "        mem_fence(CLK_GLOBAL_MEM_FENCE);\n"
    "        atomic_xchg(lock, 0);\n"
    "    }\n"
    "}\n"
    "kernel void add(volatile global float *sums) {\n"
    "    volatile global uint *p = (volatile global uint *)(sums + get_local_id(0) % 4);\n"
    "    union { uint u; float f; } old, new;\n"
    "    do {\n"
    "        old.f = *(volatile global float *)p;\n"
    "        new.f = old.f + 1.0f;\n"
    "    } while (atomic_cmpxchg(p, old.u, new.u) != old.u);\n"
    "}\n";

enum { ROUNDS = 4, LAUNCHES = 3 };

static Setup s;
static cl_program program;
static cl_uint units;

static cl_mem zeros(size_t bytes) {
    cl_mem mem = new_buffer(&s, CL_MEM_READ_WRITE, bytes, NULL);
    const int zero = 0;
    CHECK(clEnqueueFillBuffer(s.queue, mem, &zero, sizeof zero, 0, bytes, 0, NULL, NULL));
    CHECK(clFinish(s.queue));
    return mem;
}

/* Runs as many groups as there are compute units, and gives the second buffer's contents. */
static void run(cl_kernel kernel, size_t local, cl_mem first, cl_mem second, const cl_int *number, int *out,
    size_t bytes) {
    cl_int status;
    cl_command_queue queue = clCreateCommandQueueWithProperties(s.context, s.device, NULL, &status);
    CHECK(status);
    const size_t global = local * units;
    SET_ARG(kernel, 0, first);
    SET_ARG(kernel, 1, second);
    if (number) SET_ARG(kernel, 2, *number);
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, second, CL_TRUE, 0, bytes, out, 0, NULL, NULL));
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clReleaseMemObject(first));
    CHECK(clReleaseMemObject(second));
    CHECK(clReleaseKernel(kernel));
}

static void *body(void *unused) {
    int *out = calloc(units, sizeof *out);
    const size_t cells = units * sizeof *out;
    for (int launch = 0; launch < LAUNCHES; launch++) {
        const size_t local = launch % 2 ? 1 : 64;
        const cl_int n_rounds = ROUNDS, turns = 1000;
        run(get_kernel(program, "rounds"), local, zeros(2 * ROUNDS * sizeof(int)), zeros(cells), &n_rounds, out, cells);
        for (cl_uint g = 0; g < units; g++)
            if (out[g] != ROUNDS) fail("groups: group %u has %d of %d rounds", g, out[g], ROUNDS);
        run(get_kernel(program, "chain"), 1, zeros(cells), zeros(cells), NULL, out, cells);
        for (cl_uint g = 0; g < units; g++)
            if (out[g] != (int)(units - g)) fail("groups: group %u is number %d from the end", g, out[g]);
        run(get_kernel(program, "locked"), local, zeros(sizeof(int)), zeros(sizeof(int)), &turns, out, sizeof(int));
        if (out[0] != (int)units * turns) fail("groups: %d of %d additions under a lock", out[0], (int)units * turns);
    }
    free(out);
    return unused;
}

int main(void) {
    alarm(240);
    s = open_device(0);
    program = build_program(&s, source, NULL);
    CHECK(clGetDeviceInfo(s.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    body(NULL);
    /* Several launches at once, from several threads. */
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        if (pthread_create(&threads[i], NULL, body, NULL)) fail("groups: no thread");
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    /* Compare and exchange until it succeeds, in more groups than can run at once. */
    cl_kernel add = get_kernel(program, "add");
    cl_mem sums = zeros(4 * sizeof(float));
    const size_t global = 64 * 1024, local = 64;
    SET_ARG(add, 0, sums);
    CHECK(clEnqueueNDRangeKernel(s.queue, add, 1, NULL, &global, &local, 0, NULL, NULL));
    float out[4];
    CHECK(clEnqueueReadBuffer(s.queue, sums, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < 4; i++)
        if (out[i] != global / 4) fail("groups: sum %d is %f", i, out[i]);
    CHECK(clReleaseMemObject(sums));
    CHECK(clReleaseKernel(add));
    CHECK(clReleaseProgram(program));
    close_device(&s);
    printf("groups: %u groups wait for each other\n", units);
    return 0;
}

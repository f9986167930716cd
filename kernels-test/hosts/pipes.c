/* A stream through pipes: a producer, a filter that compacts it with a reservation for each group, and a consumer, in
 * many groups; then the producer and the consumer at once on two queues, with a pipe far too small for all packets.
 * Each packet must come out exactly once. Last, kernels that use pipes wrongly: they end, and what follows works. */
#include "common.h"
#include <unistd.h>

enum { N = 1 << 16, LOCAL = 64, SMALL = 1000 };

typedef struct {
    cl_uint number;
    cl_uchar tag;
    cl_float square;
} Packet;

static const char *const source =
    "typedef struct { uint number; uchar tag; float square; } Packet;\n"
    "kernel void produce(write_only pipe Packet to, global uint *lost) {\n"
    "    uint i = get_global_id(0);\n"
    "    Packet p = { i, i * 7, (float)i * i };\n"
    "    if (write_pipe(to, &p)) atomic_inc(lost);\n"
    "}\n"
    "kernel void compact(read_only pipe Packet from, write_only pipe uint to, global uint *lost) {\n"
    "    Packet p; uint good = 0;\n"
    "    if (read_pipe(from, &p) == 0)\n"
    "        good = p.tag == (uchar)(p.number * 7) && p.square == (float)p.number * p.number && p.number % 3 == 0;\n"
    "    uint place = work_group_scan_exclusive_add(good), n = work_group_reduce_add(good);\n"
    "    if (n == 0) return;\n"
    "    reserve_id_t id = work_group_reserve_write_pipe(to, n);\n"
    "    if (!is_valid_reserve_id(id)) { if (get_local_id(0) == 0) atomic_inc(lost); return; }\n"
    "    if (good && write_pipe(to, id, place, &p.number)) atomic_inc(lost);\n"
    "    work_group_commit_write_pipe(to, id);\n"
    "}\n"
    "kernel void consume(read_only pipe uint from, global uint *seen, global uint *count) {\n"
    "    uint n;\n"
    "    if (read_pipe(from, &n) == 0) { atomic_inc(&seen[n]); atomic_inc(count); }\n"
    "}\n"
    "kernel void groups(read_only pipe uint from, global uint *seen, global uint *count) {\n"
    "    reserve_id_t id = sub_group_reserve_read_pipe(from, get_sub_group_size());\n"
    "    uint n;\n"
    "    if (!is_valid_reserve_id(id)) return;\n"
    "    if (read_pipe(from, id, get_sub_group_local_id(), &n) == 0) { atomic_inc(&seen[n]); atomic_inc(count); }\n"
    "    sub_group_commit_read_pipe(from, id);\n"
    "}\n"
    "kernel void numbers(write_only pipe uint to, global uint *next, uint limit) {\n"
    "    for (int tries = 0; tries < 64; tries++) {\n"
    "        reserve_id_t id = reserve_write_pipe(to, 1);\n"
    "        if (!is_valid_reserve_id(id)) continue;\n"
    "        uint n = atomic_inc(next);\n"
    "        if (n >= limit) n = limit;\n"
    "        write_pipe(to, id, 0, &n);\n"
    "        commit_write_pipe(to, id);\n"
    "    }\n"
    "}\n"
    "kernel void state(read_only pipe uint p, global uint *out) {\n"
    "    out[0] = get_pipe_num_packets(p); out[1] = get_pipe_max_packets(p);\n"
    "}\n"
    "kernel void misuse(write_only pipe uint to, read_only pipe uint from, global ulong *forged, global int *bad) {\n"
    "    uint x = 7; reserve_id_t none = CLK_NULL_RESERVE_ID; size_t i = get_global_id(0);\n"
    "    reserve_id_t f; *(ulong *)&f = forged[i];\n"
    "    if (write_pipe(to, none, 0, &x) == 0) atomic_inc(bad);\n"
    "    if (read_pipe(from, none, 0, &x) == 0) atomic_inc(bad);\n"
    "    if (is_valid_reserve_id(none)) atomic_inc(bad);\n"
    "    if (is_valid_reserve_id(reserve_write_pipe(to, 0))) atomic_inc(bad);\n"
    "    if (is_valid_reserve_id(reserve_write_pipe(to, 0xffffffff))) atomic_inc(bad);\n"
    "    commit_write_pipe(to, none); commit_read_pipe(from, none);\n"
    "    write_pipe(to, f, 3, &x); read_pipe(from, f, 0xffffffff, &x);\n"
    "    commit_read_pipe(from, f);\n"
    "    reserve_id_t id = reserve_write_pipe(to, 2);\n"
    "    if (is_valid_reserve_id(id)) {\n"
    "        if (write_pipe(to, id, 2, &x) == 0) atomic_inc(bad);\n"
    "        write_pipe(to, id, 0, &x); write_pipe(to, id, 1, &x);\n"
    "        if (i % 2) return;\n"
    "        commit_write_pipe(to, id); commit_write_pipe(to, id);\n"
    "        if (write_pipe(to, id, 0, &x) == 0) atomic_inc(bad);\n"
    "    }\n"
    "}\n";

static Setup s;
static cl_program program;

static cl_mem new_pipe(cl_uint size, cl_uint packets) {
    cl_int status;
    cl_mem pipe = clCreatePipe(s.context, 0, size, packets, NULL, &status);
    CHECK(status);
    return pipe;
}

static cl_mem zeros(size_t bytes) {
    cl_mem mem = new_buffer(&s, CL_MEM_READ_WRITE, bytes, NULL);
    CHECK(clEnqueueFillBuffer(s.queue, mem, &(cl_uint){0}, 4, 0, bytes, 0, NULL, NULL));
    CHECK(clFinish(s.queue));
    return mem;
}

static cl_uint first(cl_mem mem) {
    cl_uint value;
    CHECK(clEnqueueReadBuffer(s.queue, mem, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
    return value;
}

static void run(cl_command_queue queue, cl_kernel kernel, size_t items) {
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, (size_t[]){LOCAL}, 0, NULL, NULL));
}

static void expect_state(cl_mem pipe, cl_uint packets, cl_uint most) {
    cl_kernel kernel = get_kernel(program, "state");
    cl_mem out = zeros(8);
    cl_uint found[2];
    SET_ARG(kernel, 0, pipe);
    SET_ARG(kernel, 1, out);
    CHECK(clEnqueueNDRangeKernel(s.queue, kernel, 1, NULL, (size_t[]){1}, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(s.queue, out, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
    if (found[0] != packets || found[1] != most)
        fail("%u of %u packets, not %u of %u", found[0], found[1], packets, most);
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseKernel(kernel));
}

/* Fails unless exactly the multiples of `step` below N were seen, each once. */
static void expect_seen(const char *what, cl_mem seen, cl_uint step) {
    cl_uint *counts = malloc(4 * N);
    CHECK(clEnqueueReadBuffer(s.queue, seen, CL_TRUE, 0, 4 * N, counts, 0, NULL, NULL));
    for (cl_uint i = 0; i < N; i++)
        if (counts[i] != (i % step == 0)) fail("%s: packet %u came out %u times", what, i, counts[i]);
    free(counts);
}

static void filter(void) {
    cl_kernel produce = get_kernel(program, "produce"), compact = get_kernel(program, "compact");
    cl_mem raw = new_pipe(sizeof(Packet), N), kept = new_pipe(4, N), lost = zeros(4);
    SET_ARG(produce, 0, raw);
    SET_ARG(produce, 1, lost);
    SET_ARG(compact, 0, raw);
    SET_ARG(compact, 1, kept);
    SET_ARG(compact, 2, lost);
    const cl_uint multiples = (N + 2) / 3;
    /* Twice: the second time around positions are past the capacity. */
    for (int turn = 0; turn < 2; turn++) {
        cl_kernel consume = get_kernel(program, turn ? "groups" : "consume");
        cl_mem seen = zeros(4 * N), count = zeros(4);
        SET_ARG(consume, 0, kept);
        SET_ARG(consume, 1, seen);
        SET_ARG(consume, 2, count);
        run(s.queue, produce, N);
        run(s.queue, compact, N);
        CHECK(clFinish(s.queue));
        expect_state(kept, multiples, N);
        run(s.queue, consume, N);
        CHECK(clFinish(s.queue));
        if (turn) {
            /* Less than a sub-group may be left. */
            cl_kernel rest = get_kernel(program, "consume");
            SET_ARG(rest, 0, kept);
            SET_ARG(rest, 1, seen);
            SET_ARG(rest, 2, count);
            run(s.queue, rest, LOCAL);
            CHECK(clReleaseKernel(rest));
        }
        if (first(lost)) fail("%u packets were lost", first(lost));
        if (first(count) != multiples) fail("%u packets came out, not %u", first(count), multiples);
        expect_seen("filter", seen, 3);
        expect_state(kept, 0, N);
        CHECK(clReleaseMemObject(seen));
        CHECK(clReleaseMemObject(count));
        CHECK(clReleaseKernel(consume));
    }
    CHECK(clReleaseMemObject(raw));
    CHECK(clReleaseMemObject(kept));
    CHECK(clReleaseMemObject(lost));
    CHECK(clReleaseKernel(produce));
    CHECK(clReleaseKernel(compact));
}

/* Producers and consumers at the same time; packets that mean nothing have the number N - 1. */
static void at_once(void) {
    cl_int status;
    cl_command_queue other = clCreateCommandQueueWithProperties(s.context, s.device, NULL, &status);
    CHECK(status);
    cl_kernel numbers = get_kernel(program, "numbers"), consume = get_kernel(program, "consume");
    cl_mem pipe = new_pipe(4, SMALL), next = zeros(4), seen = zeros(4 * N), count = zeros(4);
    const cl_uint limit = N - 1;
    SET_ARG(numbers, 0, pipe);
    SET_ARG(numbers, 1, next);
    SET_ARG(numbers, 2, limit);
    SET_ARG(consume, 0, pipe);
    SET_ARG(consume, 1, seen);
    SET_ARG(consume, 2, count);
    do {
        for (int n = 0; n < 16; n++) {
            run(s.queue, numbers, 256);
            run(other, consume, 4096);
        }
        CHECK(clFlush(s.queue));
        CHECK(clFinish(other));
        CHECK(clFinish(s.queue));
    } while (first(next) < limit);
    run(s.queue, consume, 4096);
    if (first(count) != first(next)) fail("%u packets went in, %u came out", first(next), first(count));
    cl_uint *counts = malloc(4 * N);
    CHECK(clEnqueueReadBuffer(s.queue, seen, CL_TRUE, 0, 4 * N, counts, 0, NULL, NULL));
    for (cl_uint i = 0; i < limit; i++)
        if (counts[i] != 1) fail("at once: packet %u came out %u times", i, counts[i]);
    free(counts);
    expect_state(pipe, 0, SMALL);
    CHECK(clReleaseMemObject(pipe));
    CHECK(clReleaseMemObject(next));
    CHECK(clReleaseMemObject(seen));
    CHECK(clReleaseMemObject(count));
    CHECK(clReleaseKernel(numbers));
    CHECK(clReleaseKernel(consume));
    CHECK(clReleaseCommandQueue(other));
}

static void misuse(void) {
    cl_kernel kernel = get_kernel(program, "misuse");
    cl_mem to = new_pipe(4, 37), from = new_pipe(4, 5), bad = zeros(4);
    cl_ulong forged[1024];
    unsigned state = 1;
    for (int i = 0; i < 1024; i++) {
        const cl_ulong high = next_random(&state), low = next_random(&state);
        forged[i] = i < 256 ? (cl_ulong)i : high << 40 ^ low << i % 40;
    }
    cl_mem ids = new_buffer(&s, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof forged, forged);
    SET_ARG(kernel, 0, to);
    SET_ARG(kernel, 1, from);
    SET_ARG(kernel, 2, ids);
    SET_ARG(kernel, 3, bad);
    run(s.queue, kernel, 1024);
    CHECK(clFinish(s.queue));
    if (first(bad)) fail("%u wrong calls were taken", first(bad));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseMemObject(from));
    CHECK(clReleaseMemObject(bad));
    CHECK(clReleaseMemObject(ids));
    CHECK(clReleaseKernel(kernel));
}

int main(void) {
    /* Waiting for ever is a failure. */
    alarm(100);
    s = open_device(0);
    program = build_program(&s, source, "-cl-std=CL3.0");
    filter();
    at_once();
    misuse();
    filter();
    CHECK(clReleaseProgram(program));
    close_device(&s);
    return 0;
}

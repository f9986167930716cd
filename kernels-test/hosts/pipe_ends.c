/* Two producers and two consumers on four queues share a pipe, each in another way: packet by packet, or with
 * reservations of work-items, work-groups or sub-groups. Packets have from 1 to 4096 bytes, pipes room for 1 to 1000 of
 * them. Each packet must come out as often as it went in, and whole. Last, one work-item at each end: packets come out
 * in their order. */
#include "common.h"
#include <unistd.h>

enum { MOST = 1 << 12, ITEMS = 128, LOCAL = 32 };

/* What a build defines: T, the type of words, and WORDS, their number. The first word is the packet's number. */
static const char *const source =
    "typedef struct { T words[WORDS]; } Packet;\n"
    "static T word(uint n, uint i) { return i ? (T)(n * 2654435761u + i * 40503u) : (T)n; }\n"
    "static void make(Packet *p, uint n) { for (uint i = 0; i < WORDS; i++) p->words[i] = word(n, i); }\n"
    "static bool is_whole(const Packet *p, uint limit) {\n"
    "    bool good = p->words[0] < limit;\n"
    "    for (uint i = 1; i < WORDS; i++) good &= p->words[i] == word(p->words[0], i);\n"
    "    return good;\n"
    "}\n"
    "static bool put_one(write_only pipe Packet to, const Packet *p, reserve_id_t id, uint place) {\n"
    "    return write_pipe(to, id, place, p) == 0;\n"
    "}\n"
    "kernel void put(write_only pipe Packet to, global uint *next, global uint *given, uint limit, int how) {\n"
    "    uint n = atomic_inc(next), most = get_pipe_max_packets(to); Packet p; make(&p, n);\n"
    "    for (int tries = 0; tries < 40; tries++) {\n"
    "        uint has = n < limit, done = 0;\n"
    "        if (how == 0) {\n"
    "            if (has) done = write_pipe(to, &p) == 0;\n"
    "        } else if (how == 1) {\n"
    "            reserve_id_t id = reserve_write_pipe(to, has);\n"
    "            if (is_valid_reserve_id(id)) { done = put_one(to, &p, id, 0); commit_write_pipe(to, id); }\n"
    "        } else if (how == 2) {\n"
    "            uint place = work_group_scan_exclusive_add(has), all = work_group_reduce_add(has);\n"
    "            reserve_id_t id = work_group_reserve_write_pipe(to, min(all, most));\n"
    "            if (is_valid_reserve_id(id)) {\n"
    "                if (has && place < most) done = put_one(to, &p, id, place);\n"
    "                work_group_commit_write_pipe(to, id);\n"
    "            }\n"
    "        } else {\n"
    "            uint place = sub_group_scan_exclusive_add(has), all = sub_group_reduce_add(has);\n"
    "            reserve_id_t id = sub_group_reserve_write_pipe(to, min(all, most));\n"
    "            if (is_valid_reserve_id(id)) {\n"
    "                if (has && place < most) done = put_one(to, &p, id, place);\n"
    "                sub_group_commit_write_pipe(to, id);\n"
    "            }\n"
    "        }\n"
    "        if (done) { atomic_inc(&given[n]); n = atomic_inc(next); make(&p, n); }\n"
    "    }\n"
    "}\n"
    "static void take_one(int status, const Packet *p, global uint *seen, global uint *bad, uint limit) {\n"
    "    if (status == 0 && is_whole(p, limit)) atomic_inc(&seen[p->words[0]]); else atomic_inc(bad);\n"
    "}\n"
    "kernel void take(read_only pipe Packet from, global uint *seen, global uint *bad, uint limit, int how) {\n"
    "    Packet p; uint most = get_pipe_max_packets(from);\n"
    "    for (uint tries = 0; tries < 40; tries++) {\n"
    "        if (how == 0) {\n"
    "            if (read_pipe(from, &p) == 0) take_one(0, &p, seen, bad, limit);\n"
    "        } else if (how == 1) {\n"
    "            uint n = min(1 + tries % 3, most);\n"
    "            reserve_id_t id = reserve_read_pipe(from, n);\n"
    "            if (!is_valid_reserve_id(id)) continue;\n"
    "            for (uint i = 0; i < n; i++) take_one(read_pipe(from, id, i, &p), &p, seen, bad, limit);\n"
    "            commit_read_pipe(from, id);\n"
    "        } else if (how == 2) {\n"
    "            uint n = min((uint)get_local_size(0), most), i = get_local_id(0);\n"
    "            reserve_id_t id = work_group_reserve_read_pipe(from, n);\n"
    "            if (!is_valid_reserve_id(id)) continue;\n"
    "            if (i < n) take_one(read_pipe(from, id, i, &p), &p, seen, bad, limit);\n"
    "            work_group_commit_read_pipe(from, id);\n"
    "        } else {\n"
    "            uint n = min(get_sub_group_size(), most), i = get_sub_group_local_id();\n"
    "            reserve_id_t id = sub_group_reserve_read_pipe(from, n);\n"
    "            if (!is_valid_reserve_id(id)) continue;\n"
    "            if (i < n) take_one(read_pipe(from, id, i, &p), &p, seen, bad, limit);\n"
    "            sub_group_commit_read_pipe(from, id);\n"
    "        }\n"
    "    }\n"
    "}\n"
    "kernel void put_in_order(write_only pipe Packet to, global uint *count) {\n"
    "    Packet p; uint n = *count;\n"
    "    for (int tries = 0; tries < 1000; tries++) { make(&p, n); n += write_pipe(to, &p) == 0; }\n"
    "    *count = n;\n"
    "}\n"
    "kernel void take_in_order(read_only pipe Packet from, global uint *count, global uint *bad) {\n"
    "    Packet p; uint n = *count;\n"
    "    for (int tries = 0; tries < 1000; tries++)\n"
    "        if (read_pipe(from, &p) == 0) { if (p.words[0] != (T)n) atomic_inc(bad); n++; }\n"
    "    *count = n;\n"
    "}\n"
    "kernel void left(read_only pipe Packet p, global uint *out) { *out = get_pipe_num_packets(p); }\n";

static Setup s;
static cl_command_queue queues[4];

/* A pipe in a test: what it is called in messages, and its program. */
typedef struct {
    char name[64];
    cl_program program;
    cl_mem pipe;
    cl_uint limit;
} Test;

static cl_mem zeros(size_t bytes) {
    cl_mem mem = new_buffer(&s, CL_MEM_READ_WRITE, bytes, NULL);
    CHECK(clEnqueueFillBuffer(s.queue, mem, &(cl_uint){0}, 4, 0, bytes, 0, NULL, NULL));
    CHECK(clFinish(s.queue));
    return mem;
}

static void read_uints(cl_mem mem, cl_uint *to, size_t n) {
    CHECK(clEnqueueReadBuffer(s.queue, mem, CL_TRUE, 0, n * sizeof *to, to, 0, NULL, NULL));
}

static cl_uint first(cl_mem mem) {
    cl_uint value;
    read_uints(mem, &value, 1);
    return value;
}

static void run(cl_command_queue queue, cl_kernel kernel, size_t items) {
    const size_t local = items < LOCAL ? items : LOCAL;
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
}

static void finish(void) {
    for (int i = 0; i < 4; i++) CHECK(clFlush(queues[i]));
    for (int i = 0; i < 4; i++) CHECK(clFinish(queues[i]));
}

static cl_uint packets_left(const Test *t) {
    cl_kernel kernel = get_kernel(t->program, "left");
    cl_mem out = zeros(4);
    SET_ARG(kernel, 0, t->pipe);
    SET_ARG(kernel, 1, out);
    run(s.queue, kernel, 1);
    cl_uint n = first(out);
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseKernel(kernel));
    return n;
}

/* Producers and consumers of two kinds each. */
static void mixed(const Test *t, const int writers[2], const int readers[2]) {
    cl_mem next = zeros(4), given = zeros(4 * MOST), seen = zeros(4 * MOST), bad = zeros(4);
    cl_kernel put[2], take[2];
    for (int i = 0; i < 2; i++) {
        put[i] = get_kernel(t->program, "put");
        SET_ARG(put[i], 0, t->pipe);
        SET_ARG(put[i], 1, next);
        SET_ARG(put[i], 2, given);
        SET_ARG(put[i], 3, t->limit);
        SET_ARG(put[i], 4, writers[i]);
        take[i] = get_kernel(t->program, "take");
        SET_ARG(take[i], 0, t->pipe);
        SET_ARG(take[i], 1, seen);
        SET_ARG(take[i], 2, bad);
        SET_ARG(take[i], 3, t->limit);
        SET_ARG(take[i], 4, readers[i]);
    }
    for (int turn = 0; turn < 4; turn++)
        for (int i = 0; i < 2; i++) {
            run(queues[i], put[i], ITEMS);
            run(queues[2 + i], take[i], ITEMS);
        }
    finish();
    /* What no reservation was small enough for. */
    const int plain = 0;
    SET_ARG(take[0], 4, plain);
    for (int turn = 0; turn < 4 && packets_left(t); turn++) {
        run(s.queue, take[0], ITEMS);
        CHECK(clFinish(s.queue));
    }
    if (packets_left(t) || first(bad))
        fail("%s, %d %d to %d %d: %u packets left, %u bad", t->name, writers[0], writers[1], readers[0], readers[1],
             packets_left(t), first(bad));
    static cl_uint in[MOST], out[MOST];
    cl_uint all = 0;
    read_uints(given, in, MOST);
    read_uints(seen, out, MOST);
    for (cl_uint n = 0; n < t->limit; n++) {
        if (in[n] != out[n]) fail("%s: packet %u went in %u times and out %u times", t->name, n, in[n], out[n]);
        all += in[n];
    }
    if (all == 0) fail("%s: nothing went in", t->name);
    for (int i = 0; i < 2; i++) {
        CHECK(clReleaseKernel(put[i]));
        CHECK(clReleaseKernel(take[i]));
    }
    const cl_mem buffers[] = {next, given, seen, bad};
    for (int i = 0; i < 4; i++) CHECK(clReleaseMemObject(buffers[i]));
}

/* One work-item at each end. */
static void in_order(const Test *t) {
    cl_kernel put = get_kernel(t->program, "put_in_order"), take = get_kernel(t->program, "take_in_order");
    cl_mem in = zeros(4), out = zeros(4), bad = zeros(4);
    SET_ARG(put, 0, t->pipe);
    SET_ARG(put, 1, in);
    SET_ARG(take, 0, t->pipe);
    SET_ARG(take, 1, out);
    SET_ARG(take, 2, bad);
    for (int turn = 0; turn < 8; turn++) {
        run(queues[0], put, 1);
        run(queues[1], take, 1);
    }
    finish();
    /* More than fit are never left. */
    run(queues[1], take, 1);
    finish();
    if (first(bad)) fail("%s: %u packets out of order", t->name, first(bad));
    if (first(in) != first(out) || first(out) == 0 || packets_left(t))
        fail("%s: %u packets went in, %u out", t->name, first(in), first(out));
    CHECK(clReleaseMemObject(in));
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseMemObject(bad));
    CHECK(clReleaseKernel(put));
    CHECK(clReleaseKernel(take));
}

int main(void) {
    /* Waiting for ever is a failure. */
    alarm(100);
    s = open_device(0);
    for (int i = 0; i < 4; i++) {
        cl_int status;
        queues[i] = clCreateCommandQueueWithProperties(s.context, s.device, NULL, &status);
        CHECK(status);
    }
    const struct {
        const char *word;
        cl_uint size, words, limit;
    } packets[] = {{"uchar", 1, 1, 256}, {"uchar", 1, 3, 256},  {"ushort", 2, 1, MOST},
                   {"uint", 4, 2, MOST}, {"uint", 4, 63, MOST}, {"uint", 4, 1024, 500}};
    const cl_uint capacities[] = {1, 3, 37, 1000};
    for (size_t i = 0; i < sizeof packets / sizeof *packets; i++) {
        char options[100];
        snprintf(options, sizeof options, "-cl-std=CL3.0 -DT=%s -DWORDS=%u", packets[i].word, packets[i].words);
        Test t = {.program = build_program(&s, source, options), .limit = packets[i].limit};
        for (size_t j = 0; j < sizeof capacities / sizeof *capacities; j++) {
            cl_int status;
            t.pipe = clCreatePipe(s.context, 0, packets[i].size * packets[i].words, capacities[j], NULL, &status);
            CHECK(status);
            snprintf(t.name, sizeof t.name, "%u of %u %s", capacities[j], packets[i].words, packets[i].word);
            for (int how = 0; how < 4; how++) mixed(&t, (int[]){0, how}, (int[]){1, how});
            for (int how = 0; how < 4; how++) mixed(&t, (int[]){how, 3 - how}, (int[]){(how + 1) % 4, 0});
            in_order(&t);
            CHECK(clReleaseMemObject(t.pipe));
        }
        CHECK(clReleaseProgram(t.program));
    }
    for (int i = 0; i < 4; i++) CHECK(clReleaseCommandQueue(queues[i]));
    close_device(&s);
    return 0;
}

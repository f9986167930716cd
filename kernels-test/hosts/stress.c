/* Threads that create, build, enqueue, map and release without rest, partly on shared objects: `stress SECONDS
 * THREADS`.
 * Every result is checked, every callback and event must come, and a deadlock ends in SIGALRM. */
#define _GNU_SOURCE
#include "common.h"
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

/* Not in our header. */
cl_int clSetContextDestructorCallback(cl_context, void(CL_CALLBACK *)(cl_context, void *), void *);

#define ITEMS 4096

static const char *const source =
    "kernel void add(global int *a, int n) { a[get_global_id(0)] += n; }\n"
    "kernel void rows(global int *a, local int *t) {\n"
    "    int l = get_local_id(0);\n"
    "    t[l] = a[get_global_id(0)];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    a[get_global_id(0)] = t[get_local_size(0) - 1 - l];\n"
    "}\n";

static Setup shared;
static cl_program shared_program;
static double deadline;
static atomic_long n_rounds, n_due, n_called, n_contexts, n_ended;

static void CL_CALLBACK note(cl_event event, cl_int status, void *data) {
    (void)event, (void)data;
    if (status == CL_COMPLETE) atomic_fetch_add(&n_called, 1);
}

static void CL_CALLBACK note_end(cl_context context, void *data) {
    (void)context, (void)data;
    atomic_fetch_add(&n_ended, 1);
}

/* A context whose end is counted: it lives as long as a command of a released queue runs. */
static Setup open_counted(void) {
    Setup s = open_device(0);
    CHECK(clSetContextDestructorCallback(s.context, note_end, NULL));
    atomic_fetch_add(&n_contexts, 1);
    return s;
}

/* Buffers, both kinds of queues, maps, events, callbacks, a user event that holds everything back. */
static void use(const Setup *s, cl_program program, unsigned *random) {
    cl_int status;
    const int is_loose = next_random(random) & 1;
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_command_queue queue = clCreateCommandQueueWithProperties(s->context, s->device, is_loose ? list : NULL, &status);
    CHECK(status);
    cl_kernel add = get_kernel(program, "add"), rows = get_kernel(program, "rows");
    cl_mem buffer = new_buffer(s, CL_MEM_READ_WRITE, ITEMS * sizeof(cl_int), NULL);
    const cl_int zero = 0;
    const size_t items = ITEMS, group = 1u << next_random(random) % 8;
    cl_event gate = NULL, last, next;
    if (next_random(random) % 3 == 0) {
        gate = clCreateUserEvent(s->context, &status);
        CHECK(status);
    }
    CHECK(clEnqueueFillBuffer(queue, buffer, &zero, sizeof zero, 0, ITEMS * sizeof zero, gate != NULL,
        gate ? &gate : NULL, &last));
    cl_int sum = 0;
    for (int i = next_random(random) % 20; i >= 0; i--) {
        cl_int n = next_random(random) % 1000;
        SET_ARG(add, 0, buffer);
        SET_ARG(add, 1, n);
        CHECK(clEnqueueNDRangeKernel(queue, add, 1, NULL, &items, i & 1 ? &group : NULL, 1, &last, &next));
        CHECK(clReleaseEvent(last));
        last = next;
        sum += n;
        if (i % 4 == 0) {
            atomic_fetch_add(&n_due, 1);
            CHECK(clSetEventCallback(last, CL_COMPLETE, note, NULL));
        }
        if (i % 5 == 0) {
            SET_ARG(rows, 0, buffer);
            CHECK(clSetKernelArg(rows, 1, group * sizeof(cl_int), NULL));
            CHECK(clEnqueueNDRangeKernel(queue, rows, 1, NULL, &items, &group, 1, &last, &next));
            CHECK(clReleaseEvent(last));
            last = next;
        }
        if (i % 7 == 0) CHECK(clFlush(queue));
    }
    if (gate) {
        CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
        CHECK(clReleaseEvent(gate));
    }
    cl_int *map = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, ITEMS * sizeof *map, 1,
        &last, NULL, &status);
    CHECK(status);
    for (int i = 0; i < ITEMS; i++)
        if (map[i] != sum) fail("item %d is %d, not %d", i, map[i], sum);
    map[ITEMS - 1] = -1;
    CHECK(clEnqueueUnmapMemObject(queue, buffer, map, 0, NULL, &next));
    cl_int value = 0;
    CHECK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, (ITEMS - 1) * sizeof value, sizeof value, &value, 1, &next,
        NULL));
    if (value != -1) fail("the map's value is %d", value);
    /* Something is left running when the objects go. */
    if (next_random(random) & 1) CHECK(clEnqueueNDRangeKernel(queue, add, 1, NULL, &items, NULL, 0, NULL, NULL));
    CHECK(clReleaseEvent(next));
    CHECK(clReleaseEvent(last));
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(add));
    if (next_random(random) & 1) CHECK(clFinish(queue));
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clReleaseKernel(rows));
}

static void *work(void *data) {
    unsigned random = (unsigned)(size_t)data * 7919u + 1;
    while (now_ms() < deadline) {
        if (next_random(&random) % 8) {
            use(&shared, shared_program, &random);
        } else {
            Setup own = open_counted();
            cl_program program = build_program(&own, source, next_random(&random) & 1 ? "-cl-std=CL3.0" : "");
            use(&own, program, &random);
            use(&own, program, &random);
            CHECK(clReleaseProgram(program));
            close_device(&own);
        }
        atomic_fetch_add(&n_rounds, 1);
    }
    return NULL;
}

int main(int argc, char **argv) {
    const int seconds = argc > 1 ? atoi(argv[1]) : 2, n_threads = argc > 2 ? atoi(argv[2]) : 8;
    alarm(seconds + 120);
    shared = open_counted();
    shared_program = build_program(&shared, source, "");
    deadline = now_ms() + 1000.0 * seconds;
    pthread_t threads[64];
    if (n_threads < 1 || n_threads > 64) fail("1 to 64 threads");
    for (int i = 0; i < n_threads; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)(size_t)(i + 1))) fail("no thread");
    for (int i = 0; i < n_threads; i++) pthread_join(threads[i], NULL);
    CHECK(clReleaseProgram(shared_program));
    close_device(&shared);
    for (double end = now_ms() + 60000; now_ms() < end; usleep(1000))
        if (atomic_load(&n_called) == atomic_load(&n_due) && atomic_load(&n_ended) == atomic_load(&n_contexts)) break;
    if (atomic_load(&n_called) != atomic_load(&n_due)) fail("%ld callbacks of %ld came", n_called, n_due);
    if (atomic_load(&n_ended) != atomic_load(&n_contexts)) fail("%ld contexts of %ld ended", n_ended, n_contexts);
    printf("stress: %d threads, %ld rounds, %ld callbacks\n", n_threads, n_rounds, n_called);
    return 0;
}

/* A graph of commands on an out-of-order queue: a diamond of kernels behind a user event, many times over, joined by
 * markers and a barrier. Every order that the events allow gives one result. */
#include "common.h"

static const char *source =
    "kernel void fill(global int *p, int v) { p[get_global_id(0)] = v + (int)get_global_id(0); }\n"
    "kernel void scale(global const int *in, global int *out, int k) {\n"
    "    size_t i = get_global_id(0);\n"
    "    out[i] = in[i] * k;\n"
    "}\n"
    "kernel void add(global const int *a, global const int *b, global int *out) {\n"
    "    size_t i = get_global_id(0);\n"
    "    out[i] = a[i] + b[i];\n"
    "}\n";

enum { N = 4096, DIAMONDS = 16 };

static int called;

static void CL_CALLBACK on_complete(cl_event event, cl_int status, void *user) {
    (void)event;
    if (status == CL_COMPLETE) __atomic_fetch_add((int *)user, 1, __ATOMIC_SEQ_CST);
}

int main(void) {
    Setup s = open_device(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
    cl_program program = build_program(&s, source, NULL);
    cl_kernel fill = get_kernel(program, "fill"), scale = get_kernel(program, "scale"), add = get_kernel(program,
        "add");
    cl_int status;
    cl_event gate = clCreateUserEvent(s.context, &status);
    CHECK(status);
    const size_t bytes = N * sizeof(int), n = N;
    cl_mem a[DIAMONDS], b[DIAMONDS], c[DIAMONDS], d[DIAMONDS];
    cl_event done[DIAMONDS];
    double start = now_ms();
    for (int i = 0; i < DIAMONDS; i++) {
        cl_event top, sides[2];
        a[i] = new_buffer(&s, CL_MEM_READ_WRITE, bytes, NULL);
        b[i] = new_buffer(&s, CL_MEM_READ_WRITE, bytes, NULL);
        c[i] = new_buffer(&s, CL_MEM_READ_WRITE, bytes, NULL);
        d[i] = new_buffer(&s, CL_MEM_READ_WRITE, bytes, NULL);
        cl_int v = i, two = 2, three = 3;
        SET_ARG(fill, 0, a[i]);
        SET_ARG(fill, 1, v);
        CHECK(clEnqueueNDRangeKernel(s.queue, fill, 1, NULL, &n, NULL, 1, &gate, &top));
        SET_ARG(scale, 0, a[i]);
        SET_ARG(scale, 1, b[i]);
        SET_ARG(scale, 2, two);
        CHECK(clEnqueueNDRangeKernel(s.queue, scale, 1, NULL, &n, NULL, 1, &top, &sides[0]));
        SET_ARG(scale, 1, c[i]);
        SET_ARG(scale, 2, three);
        CHECK(clEnqueueNDRangeKernel(s.queue, scale, 1, NULL, &n, NULL, 1, &top, &sides[1]));
        SET_ARG(add, 0, b[i]);
        SET_ARG(add, 1, c[i]);
        SET_ARG(add, 2, d[i]);
        CHECK(clEnqueueNDRangeKernel(s.queue, add, 1, NULL, &n, NULL, 2, sides, &done[i]));
        clReleaseEvent(top);
        clReleaseEvent(sides[0]);
        clReleaseEvent(sides[1]);
    }
    cl_event marker;
    CHECK(clEnqueueMarkerWithWaitList(s.queue, DIAMONDS, done, &marker));
    CHECK(clSetEventCallback(marker, CL_COMPLETE, on_complete, &called));
    CHECK(clFlush(s.queue));
    cl_int state;
    CHECK(clGetEventInfo(marker, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
    if (state == CL_COMPLETE) fail("graph: the marker did not wait for the user event");
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clEnqueueBarrierWithWaitList(s.queue, 0, NULL, NULL));
    static int out[DIAMONDS][N];
    for (int i = 0; i < DIAMONDS; i++)
        CHECK(clEnqueueReadBuffer(s.queue, d[i], CL_FALSE, 0, bytes, out[i], 0, NULL, NULL));
    CHECK(clFinish(s.queue));
    double ms = now_ms() - start;
    for (int i = 0; i < DIAMONDS; i++)
        for (int j = 0; j < N; j++)
            if (out[i][j] != 5 * (i + j)) fail("graph: element %d of diamond %d is %d, not %d", j, i, out[i][j],
                5 * (i + j));
    for (int i = 0; i < DIAMONDS; i++) {
        cl_ulong queued, from, to;
        CHECK(clGetEventProfilingInfo(done[i], CL_PROFILING_COMMAND_QUEUED, sizeof queued, &queued, NULL));
        CHECK(clGetEventProfilingInfo(done[i], CL_PROFILING_COMMAND_START, sizeof from, &from, NULL));
        CHECK(clGetEventProfilingInfo(done[i], CL_PROFILING_COMMAND_END, sizeof to, &to, NULL));
        if (queued > from || from > to) fail("graph: profiling times run backwards");
        clReleaseEvent(done[i]);
        clReleaseMemObject(a[i]);
        clReleaseMemObject(b[i]);
        clReleaseMemObject(c[i]);
        clReleaseMemObject(d[i]);
    }
    /* The callback may come a little after the wait ends. */
    for (double end = now_ms() + 20000; !__atomic_load_n(&called, __ATOMIC_SEQ_CST) && now_ms() < end;)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    if (__atomic_load_n(&called, __ATOMIC_SEQ_CST) != 1) fail("graph: the marker's callback did not run once");
    clReleaseEvent(marker);
    clReleaseEvent(gate);
    clReleaseKernel(fill);
    clReleaseKernel(scale);
    clReleaseKernel(add);
    clReleaseProgram(program);
    close_device(&s);
    printf("graph: %d commands in %d diamonds in order, %.2f ms\n", 4 * DIAMONDS + 1, DIAMONDS, ms);
    return 0;
}

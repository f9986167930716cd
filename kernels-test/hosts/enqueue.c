/* What commands cost apart from their work: `enqueue [ROUNDS]`, the best of so many rounds of each measure. Times are
 * those
 * of the processor, of all threads together, so that other programs do not count. */
#include "common.h"

#define N_QUEUES 100
#define N_EVENTS 100

static const char *const source = "kernel void tiny(global int *a) { a[get_global_id(0)] += 1; }";

static double cpu_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

static double best(double a, double b) { return a < b ? a : b; }

/* Commands that wait for each other, and their end. */
static double chain(const Setup *s, cl_kernel kernel, int n) {
    const size_t one = 1;
    cl_event last = NULL, next;
    double start = cpu_ms();
    for (int i = 0; i < n; i++) {
        CHECK(clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &one, NULL, last != NULL, last ? &last : NULL, &next));
        if (last) CHECK(clReleaseEvent(last));
        last = next;
    }
    CHECK(clWaitForEvents(1, &last));
    double ms = cpu_ms() - start;
    CHECK(clReleaseEvent(last));
    return ms;
}

/* `n_queues` queues with events each, all of which wait for one user event and the queue before. */
static double many_queues(const Setup *s, cl_kernel kernel, int n_queues) {
    static cl_command_queue queues[N_QUEUES];
    static cl_event events[N_QUEUES * N_EVENTS];
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    const size_t one = 1;
    cl_int status;
    for (int q = 0; q < n_queues; q++) {
        queues[q] = clCreateCommandQueueWithProperties(s->context, s->device, q & 1 ? list : NULL, &status);
        CHECK(status);
    }
    double start = cpu_ms();
    cl_event gate = clCreateUserEvent(s->context, &status);
    CHECK(status);
    for (int i = 0; i < N_EVENTS; i++)
        for (int q = 0; q < n_queues; q++) {
            const cl_event *before = q ? &events[i * n_queues + q - 1] : &gate;
            CHECK(clEnqueueNDRangeKernel(queues[q], kernel, 1, NULL, &one, NULL, 1, before, &events[i * n_queues + q]));
        }
    for (int q = 0; q < n_queues; q++) CHECK(clFlush(queues[q]));
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clWaitForEvents(n_queues * N_EVENTS, events));
    double ms = cpu_ms() - start;
    for (int i = 0; i < n_queues * N_EVENTS; i++) CHECK(clReleaseEvent(events[i]));
    CHECK(clReleaseEvent(gate));
    for (int q = 0; q < n_queues; q++) CHECK(clReleaseCommandQueue(queues[q]));
    return ms;
}

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 20;
    Setup s = open_device(0);
    Setup loose = open_device(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_program program = build_program(&s, source, ""), other = build_program(&loose, source, "");
    cl_kernel kernel = get_kernel(program, "tiny"), loose_kernel = get_kernel(other, "tiny");
    const cl_int zero = 0;
    cl_int value = 0;
    cl_mem buffer = new_buffer(&s, CL_MEM_READ_WRITE, 64, NULL), loose_buffer = new_buffer(&loose, CL_MEM_READ_WRITE,
        64, NULL);
    CHECK(clEnqueueFillBuffer(s.queue, buffer, &zero, sizeof zero, 0, 64, 0, NULL, NULL));
    SET_ARG(kernel, 0, buffer);
    SET_ARG(loose_kernel, 0, loose_buffer);
    const size_t one = 1;
    double tiny = 1e9, ordered = 1e9, free_chain = 1e9, read = 1e9, ten = 1e9, hundred = 1e9;
    for (int round = 0; round < rounds; round++) {
        double start = cpu_ms();
        for (int i = 0; i < 10000; i++)
            CHECK(clEnqueueNDRangeKernel(s.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        CHECK(clFinish(s.queue));
        tiny = best(tiny, cpu_ms() - start);
        ordered = best(ordered, chain(&s, kernel, 1000));
        free_chain = best(free_chain, chain(&loose, loose_kernel, 1000));
        start = cpu_ms();
        for (int i = 0; i < 1000; i++)
            CHECK(clEnqueueReadBuffer(s.queue, buffer, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
        read = best(read, cpu_ms() - start);
        ten = best(ten, many_queues(&s, kernel, N_QUEUES / 10));
        hundred = best(hundred, many_queues(&s, kernel, N_QUEUES));
    }
    if (value < rounds * 11000) fail("only %d launches have run", value);
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseMemObject(loose_buffer));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseKernel(loose_kernel));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseProgram(other));
    close_device(&s);
    close_device(&loose);
    printf("enqueue: us each: tiny kernel %.3f, chain in order %.3f, out of order %.3f, blocking read %.3f, "
           "10 queues %.3f, 100 queues %.3f\n",
           tiny / 10, ordered, free_chain, read, ten / (N_EVENTS * N_QUEUES / 10) * 1e3,
               hundred / (N_EVENTS * N_QUEUES) * 1e3);
    return 0;
}

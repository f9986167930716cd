/* Queues that have nothing to do with each other but for memory: a kernel on one of them polls a flag that the host, or
 * a kernel
 * on another queue, sets later. A wait for one queue must not take part in what stands in the other. */
#include "common.h"
#include <unistd.h>

#ifndef CL_MEM_SVM_FINE_GRAIN_BUFFER
#define CL_MEM_SVM_FINE_GRAIN_BUFFER (1 << 10)
#define CL_MEM_SVM_ATOMICS (1 << 11)
#endif

static const char *source =
    "kernel void await(volatile global int *flag, global int *out) {\n"
    "    while (atomic_or(flag, 0) == 0) ;\n"
    "    out[get_global_id(0)] = atomic_or(flag, 0);\n"
    "}\n"
    "kernel void raise(volatile global int *flag) { atomic_xchg(flag, 7); }\n"
    "kernel void work(global uint *p, uint n) {\n"
    "    uint v = p[get_global_id(0)];\n"
    "    for (uint i = 0; i < n; i++) v = v * 1664525u + 1013904223u;\n"
    "    p[get_global_id(0)] = v;\n"
    "}\n";

/* How the host waits for the second queue. */
enum { FINISH, EVENT, READ, WAYS };

enum { ITEMS = 64, ROUNDS = 8 };

static Setup s;
static cl_kernel await, raise_flag, work;
static int *flag, *out;
static cl_mem numbers;

static cl_command_queue new_queue(cl_command_queue_properties properties) {
    cl_int status;
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
    cl_command_queue queue = clCreateCommandQueueWithProperties(s.context, s.device, properties ? list : NULL, &status);
    CHECK(status);
    return queue;
}

static cl_event enqueue_poll(cl_command_queue queue) {
    cl_event event;
    const size_t items = ITEMS;
    CHECK(clEnqueueNDRangeKernel(queue, await, 1, NULL, &items, NULL, 0, NULL, &event));
    CHECK(clFlush(queue));
    return event;
}

static cl_event enqueue_work(cl_command_queue queue) {
    cl_event event;
    const size_t items = ITEMS;
    CHECK(clEnqueueNDRangeKernel(queue, work, 1, NULL, &items, NULL, 0, NULL, &event));
    return event;
}

/* A kernel that polls, and one that ends by itself, in either order; the host sets the flag when the second has ended.
 * */
static void host_raises(cl_command_queue polling, cl_command_queue queue, int way, int poll_first) {
    *flag = 0;
    cl_event poll = NULL, end;
    if (poll_first) poll = enqueue_poll(polling);
    end = enqueue_work(queue);
    if (!poll_first) {
        CHECK(clFlush(queue));
        poll = enqueue_poll(polling);
    }
    cl_uint number;
    if (way == FINISH)
        CHECK(clFinish(queue));
    else if (way == EVENT)
        CHECK(clWaitForEvents(1, &end));
    else
        CHECK(clEnqueueReadBuffer(queue, numbers, CL_TRUE, 0, sizeof number, &number, 1, &end, NULL));
    cl_int state;
    CHECK(clGetEventInfo(end, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
    if (state != CL_COMPLETE) fail("queues: the wait ended before the command");
    CHECK(clGetEventInfo(poll, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
    if (state == CL_COMPLETE) fail("queues: a kernel saw a flag that was not set");
    __atomic_store_n(flag, 5, __ATOMIC_SEQ_CST);
    CHECK(clWaitForEvents(1, &poll));
    for (int i = 0; i < ITEMS; i++)
        if (out[i] != 5) fail("queues: work-item %d saw %d", i, out[i]);
    CHECK(clReleaseEvent(poll));
    CHECK(clReleaseEvent(end));
}

/* A kernel that polls for what a kernel on the other queue does, while the host waits for it. */
static void kernel_raises(cl_command_queue polling, cl_command_queue queue, int way) {
    *flag = 0;
    const size_t one = 1;
    cl_event poll = enqueue_poll(polling);
    CHECK(clEnqueueNDRangeKernel(queue, raise_flag, 1, NULL, &one, NULL, 0, NULL, NULL));
    CHECK(clFlush(queue));
    if (way == FINISH)
        CHECK(clFinish(polling));
    else
        CHECK(clWaitForEvents(1, &poll));
    for (int i = 0; i < ITEMS; i++)
        if (out[i] != 7) fail("queues: work-item %d saw %d", i, out[i]);
    CHECK(clFinish(queue));
    CHECK(clReleaseEvent(poll));
}

int main(void) {
    alarm(120);
    s = open_device(0);
    cl_program program = build_program(&s, source, NULL);
    await = get_kernel(program, "await");
    raise_flag = get_kernel(program, "raise");
    work = get_kernel(program, "work");
    flag = clSVMAlloc(s.context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, sizeof *flag,
        0);
    out = clSVMAlloc(s.context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, ITEMS * sizeof *out, 0);
    if (!flag || !out) fail("queues: no shared memory");
    static cl_uint zeros[ITEMS];
    numbers = new_buffer(&s, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zeros, zeros);
    CHECK(clSetKernelArgSVMPointer(await, 0, flag));
    CHECK(clSetKernelArgSVMPointer(await, 1, out));
    CHECK(clSetKernelArgSVMPointer(raise_flag, 0, flag));
    cl_uint n = 200000;
    SET_ARG(work, 0, numbers);
    SET_ARG(work, 1, n);
    cl_command_queue other = new_queue(0), free = new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    for (int round = 0; round < ROUNDS; round++) {
        for (int way = 0; way < WAYS; way++) {
            for (int first = 0; first < 2; first++) {
                host_raises(s.queue, other, way, first);
                host_raises(free, other, way, first);
                host_raises(s.queue, free, way, first);
                if (way != FINISH) host_raises(free, free, way, first);
            }
            kernel_raises(s.queue, other, way);
            kernel_raises(free, free, EVENT);
        }
    }
    clSVMFree(s.context, flag);
    clSVMFree(s.context, out);
    CHECK(clReleaseMemObject(numbers));
    CHECK(clReleaseKernel(await));
    CHECK(clReleaseKernel(raise_flag));
    CHECK(clReleaseKernel(work));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseCommandQueue(other));
    CHECK(clReleaseCommandQueue(free));
    close_device(&s);
    printf("queues: kernels that wait for what comes later hold nobody up\n");
    return 0;
}

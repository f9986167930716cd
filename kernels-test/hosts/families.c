/* Families of launches beside each other: as many at once as a sub-device has threads and more, one without end whose
 * children fill all workers beside a small one, a child that waits for a launch that it belongs to, a default queue
 * that the host releases, and children without work-items, which take room in their queue as others do. */
#include "common.h"
#include <pthread.h>
#include <unistd.h>

enum { FAMILIES = 200, THREADS = 6 };

static const char *const source =
    "kernel void four(global int *out) {\n"
    "    for (int k = 0; k < 4; k++)\n"
    "        if (enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ atomic_inc(out); }))\n"
    "            atomic_inc(out + 1);\n"
    "}\n"
    "void go_on(volatile global int *stop) {\n"
    "    if (*stop == 0)\n"
    "        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ go_on(stop); });\n"
    "}\n"
    "kernel void endless(global int *stop) {\n"
    "    for (int k = 0; k < 8; k++)\n"
    "        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ go_on(stop); });\n"
    "}\n"
    "kernel void cycle(global int *out, global ulong *place) {\n"
    "    clk_event_t own;\n"
    "    out[0] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), 0, NULL, &own, ^{\n"
    "        clk_event_t mine; *(ulong *)&mine = *place;\n"
    "        out[1] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &mine, NULL,\n"
    "                                ^{ out[2] = 1; });\n"
    "    });\n"
    "    *place = *(ulong *)&own;\n"
    "}\n"
    "kernel void nothing(global int *out) {\n"
    "    clk_event_t user = create_user_event();\n"
    "    int n = 0;\n"
    "    while (n < 1000000 && enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(0), 1, &user,\n"
    "                                         NULL, ^{ out[1] = 1; }) == CLK_SUCCESS) n++;\n"
    "    out[0] = n;\n"
    "    set_user_event_status(user, CL_COMPLETE);\n"
    "    release_event(user);\n"
    "}\n";

/* A device, or a part of one, with what its kernels need. */
typedef struct {
    Setup s;
    cl_program program;
    cl_command_queue device_queue;
    cl_mem out;
} Place;

static cl_command_queue new_queue(const Place *p) {
    cl_int status;
    cl_command_queue queue = clCreateCommandQueueWithProperties(p->s.context, p->s.device, NULL, &status);
    CHECK(status);
    return queue;
}

static cl_command_queue new_default(const Place *p) {
    const cl_queue_properties list[] = {
        CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT,
        CL_QUEUE_SIZE, 1 << 20, 0};
    cl_int status;
    cl_command_queue queue = clCreateCommandQueueWithProperties(p->s.context, p->s.device, list, &status);
    CHECK(status);
    return queue;
}

static Place open_place(Setup s) {
    Place p = {.s = s};
    p.device_queue = new_default(&p);
    p.program = build_program(&p.s, source, "-cl-std=CL3.0");
    p.out = new_buffer(&p.s, CL_MEM_READ_WRITE, 64, NULL);
    return p;
}

static void clear(const Place *p) {
    const cl_int zero = 0;
    CHECK(clEnqueueFillBuffer(p->s.queue, p->out, &zero, sizeof zero, 0, 64, 0, NULL, NULL));
    CHECK(clFinish(p->s.queue));
}

static void found(const Place *p, cl_int *to) {
    CHECK(clEnqueueReadBuffer(p->s.queue, p->out, CL_TRUE, 0, 64, to, 0, NULL, NULL));
}

static cl_int ended(cl_command_queue queue, cl_kernel kernel) {
    cl_event event;
    cl_int status;
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, (size_t[]){1}, NULL, 0, NULL, &event));
    CHECK(clFinish(queue));
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    CHECK(clReleaseEvent(event));
    return status;
}

static void *launch_families(void *argument) {
    const Place *p = argument;
    cl_command_queue queue = new_queue(p);
    cl_kernel kernel = get_kernel(p->program, "four");
    SET_ARG(kernel, 0, p->out);
    for (int n = 0; n < FAMILIES; n++) EXPECT("a family's end", ended(queue, kernel), CL_COMPLETE);
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseCommandQueue(queue));
    return NULL;
}

static void many(Place *p) {
    pthread_t threads[THREADS];
    cl_int values[16];
    clear(p);
    for (int n = 0; n < THREADS; n++)
        if (pthread_create(&threads[n], NULL, launch_families, p)) fail("no thread");
    for (int n = 0; n < THREADS; n++) pthread_join(threads[n], NULL);
    found(p, values);
    EXPECT("children", values[0], 4 * FAMILIES * THREADS);
    EXPECT("errors", values[1], 0);
}

static void many_of_a_sub_device(const Place *whole) {
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 2, 0};
    cl_uint units = 0, n = 0;
    CHECK(clGetDeviceInfo(whole->s.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    if (units < 4 || units > 128) return;
    cl_device_id parts[64];
    cl_int status;
    CHECK(clCreateSubDevices(whole->s.device, equally, 64, parts, &n));
    Setup s = {.device = parts[0]};
    s.context = clCreateContext(NULL, 1, parts, NULL, NULL, &status);
    CHECK(status);
    s.queue = clCreateCommandQueueWithProperties(s.context, s.device, NULL, &status);
    CHECK(status);
    Place p = open_place(s);
    many(&p);
    CHECK(clReleaseMemObject(p.out));
    CHECK(clReleaseProgram(p.program));
    CHECK(clReleaseCommandQueue(p.device_queue));
    CHECK(clReleaseCommandQueue(s.queue));
    CHECK(clReleaseContext(s.context));
    for (cl_uint i = 0; i < n; i++) CHECK(clReleaseDevice(parts[i]));
}

static void endless_beside_a_small_one(Place *p) {
    cl_command_queue other = new_queue(p);
    cl_kernel endless = get_kernel(p->program, "endless"), four = get_kernel(p->program, "four");
    cl_int values[16];
    cl_int *stop = clSVMAlloc(p->s.context, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, sizeof *stop, 0);
    if (!stop) fail("no shared memory");
    *stop = 0;
    clear(p);
    CHECK(clSetKernelArgSVMPointer(endless, 0, stop));
    SET_ARG(four, 0, p->out);
    CHECK(clEnqueueNDRangeKernel(p->s.queue, endless, 1, NULL, (size_t[]){1}, NULL, 0, NULL, NULL));
    CHECK(clFlush(p->s.queue));
    for (int n = 0; n < 20; n++) EXPECT("a small family's end", ended(other, four), CL_COMPLETE);
    __atomic_store_n(stop, 1, __ATOMIC_SEQ_CST);
    CHECK(clFinish(p->s.queue));
    found(p, values);
    EXPECT("children", values[0], 80);
    clSVMFree(p->s.context, stop);
    CHECK(clReleaseKernel(endless));
    CHECK(clReleaseKernel(four));
    CHECK(clReleaseCommandQueue(other));
}

static void waits_for_itself(Place *p) {
    cl_kernel kernel = get_kernel(p->program, "cycle");
    cl_mem place = new_buffer(&p->s, CL_MEM_READ_WRITE, 8, NULL);
    cl_int values[16];
    clear(p);
    SET_ARG(kernel, 0, p->out);
    SET_ARG(kernel, 1, place);
    if (ended(p->s.queue, kernel) >= 0) fail("what never ran is complete");
    found(p, values);
    for (int n = 0; n < 3; n++) EXPECT("no error, and no child", values[n], 0);
    CHECK(clReleaseMemObject(place));
    CHECK(clReleaseKernel(kernel));
}

static void nothing(Place *p) {
    cl_kernel kernel = get_kernel(p->program, "nothing");
    cl_int values[16];
    clear(p);
    SET_ARG(kernel, 0, p->out);
    EXPECT("its end", ended(p->s.queue, kernel), CL_COMPLETE);
    found(p, values);
    if (values[0] < 100 || values[0] >= 1000000) fail("%d children in a queue of a megabyte", values[0]);
    EXPECT("no work-item", values[1], 0);
    CHECK(clReleaseKernel(kernel));
}

/* The last: there is no default queue any more. */
static void released(Place *p) {
    cl_kernel kernel = get_kernel(p->program, "four");
    cl_int status, values[16];
    clear(p);
    SET_ARG(kernel, 0, p->out);
    cl_event go = clCreateUserEvent(p->s.context, &status);
    CHECK(status);
    CHECK(clEnqueueNDRangeKernel(p->s.queue, kernel, 1, NULL, (size_t[]){1}, NULL, 1, &go, NULL));
    CHECK(clReleaseCommandQueue(p->device_queue));
    CHECK(clSetUserEventStatus(go, CL_COMPLETE));
    CHECK(clFinish(p->s.queue));
    found(p, values);
    EXPECT("children", values[0], 4);
    EXPECT("errors", values[1], 0);
    EXPECT("an end without a queue", ended(p->s.queue, kernel), CL_COMPLETE);
    found(p, values);
    EXPECT("children", values[0], 4);
    CHECK(clReleaseEvent(go));
    CHECK(clReleaseKernel(kernel));
}

int main(void) {
    /* Waiting for ever is a failure. */
    alarm(100);
    Place p = open_place(open_device(0));
    many(&p);
    many_of_a_sub_device(&p);
    endless_beside_a_small_one(&p);
    waits_for_itself(&p);
    nothing(&p);
    released(&p);
    CHECK(clReleaseMemObject(p.out));
    CHECK(clReleaseProgram(p.program));
    close_device(&p.s);
    return 0;
}

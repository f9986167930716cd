/* A bit of everything that a trace can show: `traced [HOW]`, where HOW is how the program ends: `return`, `exit`
   (without
 * waiting for its commands), `_exit`, `abort`, `fork` (a child that goes on) or `many` (many small launches). */
#include "common.h"
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Not in our header. */
cl_int clEnqueueWriteImage(cl_command_queue, cl_mem, cl_bool, const size_t *, const size_t *, size_t, size_t,
    const void *, cl_uint, const cl_event *, cl_event *);
cl_int clEnqueueReadImage(cl_command_queue, cl_mem, cl_bool, const size_t *, const size_t *, size_t, size_t, void *,
    cl_uint, const cl_event *, cl_event *);
cl_int clEnqueueSVMMemcpy(cl_command_queue, cl_bool, void *, const void *, size_t, cl_uint, const cl_event *,
    cl_event *);

#define N (1 << 22)
#define IMAGE 64

static const char *const source =
    "kernel void scale(global float *a, float by) { a[get_global_id(0)] *= by; }\n"
    "kernel void serial(global int *a) { for (int i = 0; i < 1000; i++) a[0] = a[0] * 5 + i; }\n";

static Setup s;
static cl_kernel scale, serial;
static cl_mem buffer;

static void launch(cl_command_queue queue, cl_uint n, const cl_event *waits, cl_event *event) {
    const size_t global = N;
    CHECK(clEnqueueNDRangeKernel(queue, scale, 1, NULL, &global, NULL, n, waits, event));
}

/* A diamond of commands that wait for a user event, and a barrier. */
static void graph(void) {
    cl_int status;
    cl_event gate = clCreateUserEvent(s.context, &status), events[4];
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_command_queue queue = clCreateCommandQueueWithProperties(s.context, s.device, list, &status);
    CHECK(status);
    launch(queue, 1, &gate, &events[0]);
    launch(queue, 1, &events[0], &events[1]);
    launch(queue, 1, &events[0], &events[2]);
    launch(queue, 2, &events[1], &events[3]);
    CHECK(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
    CHECK(clFlush(queue));
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clFinish(queue));
    for (int i = 0; i < 4; i++) CHECK(clReleaseEvent(events[i]));
    CHECK(clReleaseEvent(gate));
    CHECK(clReleaseCommandQueue(queue));
}

static void memory(void) {
    cl_int status;
    const size_t origin[3] = {0, 0, 0}, region[3] = {IMAGE, IMAGE, 1};
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = IMAGE, .image_height = IMAGE};
    static unsigned char pixels[IMAGE * IMAGE * 4];
    cl_mem image = clCreateImage(s.context, CL_MEM_READ_WRITE, &format, &desc, NULL, &status);
    CHECK(status);
    CHECK(clEnqueueWriteImage(s.queue, image, CL_TRUE, origin, region, 0, 0, pixels, 0, NULL, NULL));
    CHECK(clEnqueueReadImage(s.queue, image, CL_TRUE, origin, region, 0, 0, pixels, 0, NULL, NULL));
    void *shared = clSVMAlloc(s.context, CL_MEM_READ_WRITE, 4096, 0);
    CHECK(clEnqueueSVMMemcpy(s.queue, CL_TRUE, shared, pixels, 4096, 0, NULL, NULL));
    void *mapped = clEnqueueMapBuffer(s.queue, buffer, CL_TRUE, CL_MAP_WRITE, 0, 64, 0, NULL, NULL, &status);
    CHECK(status);
    CHECK(clEnqueueUnmapMemObject(s.queue, buffer, mapped, 0, NULL, NULL));
    CHECK(clEnqueueCopyBuffer(s.queue, buffer, buffer, 0, 2 * N, 2 * N, 0, NULL, NULL));
    CHECK(clFinish(s.queue));
    clSVMFree(s.context, shared);
    CHECK(clReleaseMemObject(image));
}

typedef void *(*Create)(cl_uint, const cl_command_queue *, const cl_ulong *, cl_int *);
typedef cl_int (*Record)(void *, cl_command_queue, const cl_ulong *, cl_kernel, cl_uint, const size_t *, const size_t *,
    const size_t *, cl_uint, const cl_uint *, cl_uint *, void **);
typedef cl_int (*Finalize)(void *);
typedef cl_int (*Enqueue)(cl_uint, cl_command_queue *, void *, cl_uint, const cl_event *, cl_event *);

static void command_buffer(void) {
    cl_int status;
    const size_t one = 1;
#define FIND(type, name) ((type)clGetExtensionFunctionAddressForPlatform(s.platform, name))
    void *commands = FIND(Create, "clCreateCommandBufferKHR")(1, &s.queue, NULL, &status);
    CHECK(status);
    for (int i = 0; i < 2; i++)
        CHECK(FIND(Record, "clCommandNDRangeKernelKHR")(commands, NULL, NULL, serial, 1, NULL, &one, NULL, 0, NULL,
            NULL, NULL));
    CHECK(FIND(Finalize, "clFinalizeCommandBufferKHR")(commands));
    CHECK(FIND(Enqueue, "clEnqueueCommandBufferKHR")(0, NULL, commands, 0, NULL, NULL));
    CHECK(clFinish(s.queue));
    CHECK(FIND(Finalize, "clReleaseCommandBufferKHR")(commands));
}

static void *other_thread(void *unused) {
    (void)unused;
    const int zero = 0;
    CHECK(clEnqueueFillBuffer(s.queue, buffer, &zero, sizeof zero, 0, 4 * N, 0, NULL, NULL));
    CHECK(clFinish(s.queue));
    return NULL;
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "return";
    const size_t one = 1;
    const float by = 0.5f;
    s = open_device(0);
    cl_program program = build_program(&s, source, "-DA=\"\\\"\\\\\"");
    scale = get_kernel(program, "scale"), serial = get_kernel(program, "serial");
    buffer = new_buffer(&s, CL_MEM_READ_WRITE, 4 * N, NULL);
    SET_ARG(scale, 0, buffer);
    SET_ARG(scale, 1, by);
    SET_ARG(serial, 0, buffer);
    pthread_t thread;
    pthread_create(&thread, NULL, other_thread, NULL);
    pthread_join(thread, NULL);
    graph();
    memory();
    command_buffer();
    if (!strcmp(how, "many")) {
        for (int i = 0; i < 200000; i++) {
            CHECK(clEnqueueNDRangeKernel(s.queue, serial, 1, NULL, &one, NULL, 0, NULL, NULL));
            if (i % 1000 == 0) CHECK(clFinish(s.queue));
        }
    } else if (!strcmp(how, "fork")) {
        pid_t child = fork();
        int status = 0;
        launch(s.queue, 0, NULL, NULL);
        CHECK(clFinish(s.queue));
        if (child == 0) exit(7);
        waitpid(child, &status, 0);
        if (WEXITSTATUS(status) != 7) fail("the child ended with %d", status);
    } else if (strcmp(how, "return")) {
        for (int i = 0; i < 100; i++) launch(s.queue, 0, NULL, NULL);
        CHECK(clFlush(s.queue));
        if (!strcmp(how, "exit")) exit(3);
        if (!strcmp(how, "_exit")) _exit(3);
        abort();
    }
    CHECK(clFinish(s.queue));
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(scale));
    CHECK(clReleaseKernel(serial));
    CHECK(clReleaseProgram(program));
    close_device(&s);
    return 0;
}

/* Does a bit of everything on several threads until a time is over or a count is reached: `soak SECONDS SEED THREADS
 * [builds|launches COUNT]`. Every result is checked. Each second it says on stderr how many acts have been done; the
 * program `soak` of this package reads that and looks at the process from outside. Endless waits end in SIGALRM. */
#define _GNU_SOURCE
#include "common.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ITEMS = 2048, SIDE = 32 };

static const char *const source =
    "kernel void add(global int *a, int n) { a[get_global_id(0)] += n; }\n"
    "kernel void turn(global int *a, local int *t) {\n"
    "    int l = get_local_id(0);\n"
    "    t[l] = a[get_global_id(0)];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    a[get_global_id(0)] = t[get_local_size(0) - 1 - l];\n"
    "}\n"
    "kernel void tell(int n) { if (get_global_id(0) == 0) printf(\"%d\\n\", n); }\n"
    "kernel void paint(write_only image2d_t to, int n) {\n"
    "    write_imagei(to, (int2)(get_global_id(0), get_global_id(1)), (int4)(n, 1, 2, 3));\n"
    "}\n";

static cl_platform_id platform;
static cl_device_id device;
static Setup shared;
static cl_program shared_program;
static double deadline;
static atomic_long n_acts, n_due, n_called, n_wanted = -1;
static const char *only = "";
static int is_child;

typedef void *(*Create)(cl_uint, const cl_command_queue *, const void *, cl_int *);
typedef cl_int (*Record)(void *, cl_command_queue, const void *, cl_kernel, cl_uint, const size_t *, const size_t *,
                         const size_t *, cl_uint, const void *, void *, void *);
typedef cl_int (*Do)(void *);
typedef cl_int (*Enqueue)(cl_uint, const cl_command_queue *, void *, cl_uint, const cl_event *, cl_event *);
static Create create_commands;
static Record record_kernel;
static Do finalize_commands, release_commands;
static Enqueue enqueue_commands;

static void CL_CALLBACK called(cl_event event, cl_int status, void *data) {
    (void)event, (void)data;
    /* In the child of a fork, what its parent's threads were at has failed. */
    if (status != CL_COMPLETE && !is_child) fail("a callback gets %d", status);
    n_called++;
}

static void CL_CALLBACK built(cl_program program, void *data) {
    (void)program;
    atomic_store((atomic_int *)data, 1);
}

#define REFUSED(call, code) EXPECT(#call, (call), code)

/* Buffers, kernels, events, maps, callbacks, perhaps a user event in front. */
static void launch(const Setup *s, cl_program program, unsigned *random) {
    cl_int status;
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    const int is_loose = next_random(random) & 1, n = next_random(random) % 100;
    cl_command_queue queue = clCreateCommandQueueWithProperties(s->context, s->device, is_loose ? list : NULL, &status);
    CHECK(status);
    cl_kernel add = get_kernel(program, "add"), turn = get_kernel(program, "turn");
    cl_mem mem = new_buffer(s, CL_MEM_READ_WRITE, ITEMS * sizeof(cl_int), NULL);
    cl_event gate = NULL, events[4];
    if (next_random(random) % 3 == 0) {
        gate = clCreateUserEvent(s->context, &status);
        CHECK(status);
    }
    const cl_int zero = 0;
    const size_t items = ITEMS, local = 1u << next_random(random) % 9;
    CHECK(clEnqueueFillBuffer(queue, mem, &zero, sizeof zero, 0, ITEMS * sizeof zero, gate != NULL,
        gate ? &gate : NULL, &events[0]));
    SET_ARG(add, 0, mem);
    SET_ARG(add, 1, n);
    CHECK(clEnqueueNDRangeKernel(queue, add, 1, NULL, &items, NULL, 1, &events[0], &events[1]));
    SET_ARG(turn, 0, mem);
    CHECK(clSetKernelArg(turn, 1, local * sizeof(cl_int), NULL));
    CHECK(clEnqueueNDRangeKernel(queue, turn, 1, NULL, &items, &local, 1, &events[1], &events[2]));
    CHECK(clEnqueueNDRangeKernel(queue, add, 1, NULL, &items, &local, 1, &events[2], &events[3]));
    n_due++;
    CHECK(clSetEventCallback(events[3], CL_COMPLETE, called, NULL));
    CHECK(clFlush(queue));
    if (gate) {
        CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
        CHECK(clReleaseEvent(gate));
    }
    cl_int *map = clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ, 0, ITEMS * sizeof *map, 1, &events[3], NULL,
        &status);
    CHECK(status);
    for (int i = 0; i < ITEMS; i++)
        if (map[i] != 2 * n) fail("item %d is %d, not %d", i, map[i], 2 * n);
    CHECK(clEnqueueUnmapMemObject(queue, mem, map, 0, NULL, NULL));
    for (int i = 0; i < 4; i++) CHECK(clReleaseEvent(events[i]));
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseKernel(add));
    CHECK(clReleaseKernel(turn));
    CHECK(clFinish(queue));
    CHECK(clReleaseCommandQueue(queue));
}

/* A program that was never there before, built at once or in the background. */
static void build(const Setup *s, unsigned *random) {
    static atomic_int number;
    char options[64];
    cl_int status;
    const int n = number++;
    const char *text = "kernel void put(global int *a) { a[get_global_id(0)] = N ^ (int)get_global_id(0); }";
    sprintf(options, "-DN=%d", n);
    cl_program program = clCreateProgramWithSource(s->context, 1, &text, NULL, &status);
    CHECK(status);
    atomic_int is_built = 0;
    if (next_random(random) % 4 == 0) {
        CHECK(clBuildProgram(program, 1, &s->device, options, built, (void *)&is_built));
        while (!is_built) usleep(100);
    } else {
        CHECK(clBuildProgram(program, 1, &s->device, options, NULL, NULL));
    }
    cl_kernel put = get_kernel(program, "put");
    cl_int got[64];
    const size_t items = 64;
    cl_mem mem = new_buffer(s, CL_MEM_READ_WRITE, sizeof got, NULL);
    SET_ARG(put, 0, mem);
    CHECK(clEnqueueNDRangeKernel(s->queue, put, 1, NULL, &items, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(s->queue, mem, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < 64; i++)
        if (got[i] != (n ^ i)) fail("item %d is %d, not %d", i, got[i], n ^ i);
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseKernel(put));
    CHECK(clReleaseProgram(program));
}

/* What has to be refused. */
static void err(const Setup *s, unsigned *random) {
    cl_int status;
    const char *texts[] = {"kernel void f(global int *a) { a[0] = b; }", "kernel void f(", "#error no\n", "int f(void);"
        " kernel void k(global int *a) { a[0] = f(); }"};
    cl_program program = clCreateProgramWithSource(s->context, 1, &texts[next_random(random) % 4], NULL, &status);
    CHECK(status);
    REFUSED(clBuildProgram(program, 1, &s->device, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    REFUSED(clBuildProgram(program, 1, &s->device, "-no-such", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    CHECK(clReleaseProgram(program));
    cl_mem none = clCreateBuffer(s->context, CL_MEM_READ_WRITE, 0, NULL, &status);
    if (none || status != CL_INVALID_BUFFER_SIZE) fail("a buffer without bytes: %d", status);
    REFUSED(clReleaseMemObject(NULL), CL_INVALID_MEM_OBJECT);
    cl_kernel add = get_kernel(shared_program, "add");
    const size_t items = 64;
    REFUSED(clEnqueueNDRangeKernel(s->queue, add, 1, NULL, &items, NULL, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
    REFUSED(clSetKernelArg(add, 7, sizeof status, &status), CL_INVALID_ARG_INDEX);
    CHECK(clReleaseKernel(add));
    REFUSED(clFinish((cl_command_queue)s->context), CL_INVALID_COMMAND_QUEUE);
    /* A user event that fails takes what waits for it along. */
    cl_event gate = clCreateUserEvent(s->context, &status), end;
    CHECK(status);
    CHECK(clEnqueueMarkerWithWaitList(s->queue, 1, &gate, &end));
    CHECK(clSetUserEventStatus(gate, -7));
    REFUSED(clWaitForEvents(1, &end), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK(clReleaseEvent(gate));
    CHECK(clReleaseEvent(end));
}

static void images(const Setup *s, unsigned *random) {
    cl_int status, n = next_random(random);
    const cl_image_format format = {CL_RGBA, CL_SIGNED_INT32};
    const cl_image_desc shape = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE};
    cl_mem image = clCreateImage(s->context, CL_MEM_READ_WRITE, &format, &shape, NULL, &status);
    CHECK(status);
    cl_kernel paint = get_kernel(shared_program, "paint");
    SET_ARG(paint, 0, image);
    SET_ARG(paint, 1, n);
    const size_t sizes[] = {SIDE, SIDE}, origin[] = {0, 0, 0}, region[] = {SIDE, SIDE, 1};
    static _Thread_local cl_int got[SIDE * SIDE][4];
    CHECK(clEnqueueNDRangeKernel(s->queue, paint, 2, NULL, sizes, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadImage(s->queue, image, CL_TRUE, origin, region, 0, 0, got, 0, NULL, NULL));
    for (int i = 0; i < SIDE * SIDE; i++)
        if (got[i][0] != n || got[i][3] != 3) fail("texel %d is %d, not %d", i, got[i][0], n);
    CHECK(clReleaseKernel(paint));
    CHECK(clReleaseMemObject(image));
}

static void svm(const Setup *s, unsigned *random) {
    const size_t bytes = 1024u << next_random(random) % 9;
    cl_int n = next_random(random), copy = 0;
    char *memory = clSVMAlloc(s->context, CL_MEM_READ_WRITE, bytes, 0);
    if (!memory) fail("no shared memory");
    CHECK(clEnqueueSVMMemFill(s->queue, memory, &n, sizeof n, bytes, 0, NULL, NULL));
    CHECK(clEnqueueSVMMemcpy(s->queue, CL_TRUE, &copy, memory + bytes - sizeof n, sizeof n, 0, NULL, NULL));
    if (copy != n) fail("shared memory has %d, not %d", copy, n);
    void *list[] = {memory};
    if (next_random(random) & 1) {
        CHECK(clEnqueueSVMFree(s->queue, 1, list, NULL, NULL, 0, NULL, NULL));
        CHECK(clFinish(s->queue));
    } else {
        clSVMFree(s->context, memory);
    }
}

/* A context that comes and goes, of the device or of a part of it. */
static void context(unsigned *random) {
    Setup s = {.platform = platform, .device = device};
    cl_int status;
    cl_device_id part = NULL;
    if (next_random(random) % 4 == 0) {
        const cl_device_partition_property one[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 0, 0};
        status = clCreateSubDevices(device, one, 1, &part, NULL);
        /* A device of one unit has no parts. */
        if (status == CL_SUCCESS) s.device = part;
    }
    s.context = clCreateContext(NULL, 1, &s.device, NULL, NULL, &status);
    CHECK(status);
    s.queue = clCreateCommandQueueWithProperties(s.context, s.device, NULL, &status);
    CHECK(status);
    cl_program program = build_program(&s, source, "");
    launch(&s, program, random);
    CHECK(clReleaseProgram(program));
    close_device(&s);
    if (part) CHECK(clReleaseDevice(part));
}

static void print(const Setup *s, unsigned *random) {
    cl_kernel tell = get_kernel(shared_program, "tell");
    const cl_int n = next_random(random);
    const size_t items = 64;
    SET_ARG(tell, 0, n);
    CHECK(clEnqueueNDRangeKernel(s->queue, tell, 1, NULL, &items, NULL, 0, NULL, NULL));
    CHECK(clFinish(s->queue));
    CHECK(clReleaseKernel(tell));
}

/* Kernels that are recorded once and run several times. */
static void commands(const Setup *s, unsigned *random) {
    if (!create_commands) return;
    cl_int status, got[64];
    void *buffer = create_commands(1, &s->queue, NULL, &status);
    CHECK(status);
    cl_kernel add = get_kernel(shared_program, "add");
    const cl_int zero = 0, three = 3;
    const size_t items = 64;
    cl_mem mem = new_buffer(s, CL_MEM_READ_WRITE, sizeof got, NULL);
    SET_ARG(add, 0, mem);
    SET_ARG(add, 1, three);
    const int n = 1 + next_random(random) % 5;
    for (int i = 0; i < n; i++)
        CHECK(record_kernel(buffer, NULL, NULL, add, 1, NULL, &items, NULL, 0, NULL, NULL, NULL));
    CHECK(finalize_commands(buffer));
    CHECK(clEnqueueFillBuffer(s->queue, mem, &zero, sizeof zero, 0, sizeof got, 0, NULL, NULL));
    for (int i = 0; i < 2; i++) CHECK(enqueue_commands(0, NULL, buffer, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(s->queue, mem, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    EXPECT("what recorded kernels left", got[63], 2 * 3 * n);
    CHECK(release_commands(buffer));
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseKernel(add));
}

/* The child of a fork uses what it inherits. */
static void child(void) {
    int status;
    const pid_t pid = fork();
    if (pid == 0) {
        is_child = 1;
        unsigned random = 1;
        alarm(60);
        launch(&shared, shared_program, &random);
        _exit(0);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status) fail("a child ended with %d", status);
}

/* As many launches as fit, on one queue. */
static void launches(const Setup *s) {
    cl_int status, got;
    cl_kernel add = get_kernel(shared_program, "add");
    const cl_int zero = 0, one = 1;
    const size_t items = 1;
    enum { MANY = 1000 };
    cl_command_queue queue = clCreateCommandQueueWithProperties(s->context, s->device, NULL, &status);
    CHECK(status);
    cl_mem mem = new_buffer(s, CL_MEM_READ_WRITE, sizeof got, NULL);
    CHECK(clEnqueueFillBuffer(queue, mem, &zero, sizeof zero, 0, sizeof got, 0, NULL, NULL));
    SET_ARG(add, 0, mem);
    SET_ARG(add, 1, one);
    for (int i = 0; i < MANY; i++)
        CHECK(clEnqueueNDRangeKernel(queue, add, 1, NULL, &items, &items, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL));
    EXPECT("launches", got, MANY);
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseKernel(add));
    CHECK(clReleaseCommandQueue(queue));
    n_acts += MANY - 1;
}

static int goes_on(void) { return n_wanted < 0 ? now_ms() < deadline : n_acts < n_wanted; }

static void *act(void *data) {
    unsigned random = (unsigned)(size_t)data * 7919u + 1, first = (size_t)data & 1;
    cl_int status;
    Setup own = shared;
    own.queue = clCreateCommandQueueWithProperties(shared.context, device, NULL, &status);
    CHECK(status);
    for (; goes_on(); n_acts++) {
        if (!strcmp(only, "builds")) {
            build(&own, &random);
            continue;
        }
        if (!strcmp(only, "launches")) {
            launches(&own);
            continue;
        }
        switch (next_random(&random) % 16) {
        case 0: build(&own, &random); break;
        case 1: err(&own, &random); break;
        case 2: context(&random); break;
        case 3: case 4: images(&own, &random); break;
        case 5: case 6: svm(&own, &random); break;
        case 7: case 8: commands(&own, &random); break;
        case 9: print(&own, &random); break;
        case 10:
            if (first && next_random(&random) % 8 == 0) child();
            break;
        default: launch(&own, shared_program, &random); break;
        }
    }
    CHECK(clReleaseCommandQueue(own.queue));
    return NULL;
}

int main(int argc, char **argv) {
    if (argc < 4) fail("soak SECONDS SEED THREADS [builds|launches COUNT]");
    const double seconds = atof(argv[1]);
    const int seed = atoi(argv[2]), n_threads = atoi(argv[3]) > 64 ? 64 : atoi(argv[3]);
    if (argc > 5) {
        only = argv[4];
        n_wanted = atol(argv[5]);
    }
    shared = open_device(0);
    platform = shared.platform, device = shared.device;
    shared_program = build_program(&shared, source, "");
    create_commands = (Create)clGetExtensionFunctionAddressForPlatform(platform, "clCreateCommandBufferKHR");
    record_kernel = (Record)clGetExtensionFunctionAddressForPlatform(platform, "clCommandNDRangeKernelKHR");
    finalize_commands = (Do)clGetExtensionFunctionAddressForPlatform(platform, "clFinalizeCommandBufferKHR");
    release_commands = (Do)clGetExtensionFunctionAddressForPlatform(platform, "clReleaseCommandBufferKHR");
    enqueue_commands = (Enqueue)clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueCommandBufferKHR");
    deadline = now_ms() + seconds * 1e3;
    pthread_t threads[64];
    for (int i = 0; i < n_threads; i++)
        if (pthread_create(&threads[i], NULL, act, (void *)(size_t)(seed * 64 + i))) fail("no thread");
    long before = -1;
    for (int tick = 0; goes_on(); tick++) {
        usleep(100000);
        fprintf(stderr, "acts %ld\n", (long)n_acts);
        if (tick % 600 == 0) {
            if (n_acts == before) fail("nothing has been done for a minute");
            before = n_acts;
        }
    }
    alarm(120);
    for (int i = 0; i < n_threads; i++) pthread_join(threads[i], NULL);
    for (const double start = now_ms(); n_called < n_due; usleep(1000))
        if (now_ms() - start > 30000) fail("%ld of %ld callbacks are called", (long)n_called, (long)n_due);
    CHECK(clReleaseProgram(shared_program));
    close_device(&shared);
    fprintf(stderr, "done %ld\n", (long)n_acts);
    return 0;
}

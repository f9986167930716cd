/* A session that uses most of the API, while the system refuses something: the n-th call of a function of the C library
 * by the driver or all from the n-th on, for each n, or whatever a limit, a filter or an empty file system withholds.
 * Each time calls fail with codes that the specification has for it or not at all, events end and their callbacks are
 * called, results are right if everything succeeded, and the same session succeeds afterwards.
 *
 *   shortage calls FUNCTION once|on [MOST [STEP [FIRST]]]    FUNCTION: mmap, mprotect, pthread_create, sched, malloc
 *   shortage large                                     no memory for copies of what calls are given
 *   shortage graph                                     no large allocations while commands pile up
 *   shortage finish                                    none when very many of them are awaited
 *   shortage semaphores                                no place among commands for signals and waits
 *   shortage limit memory|threads|files
 *   shortage world                                     no files at all: no /proc, no /sys
 *   shortage filter                                    no sched_… calls
 *   shortage plain                                     nothing is withheld */
#define _GNU_SOURCE
#include "common.h"
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What is refused: calls of one function, by number, while a session runs. */
enum Function { NOTHING, MMAP, MPROTECT, THREAD, SCHED, MALLOC, LARGE };
static enum Function function;
static atomic_long left = 0;
static int goes_on;
static atomic_int n_refused;
/* Where the driver is: others' calls are not refused. */
static uintptr_t driver_start, driver_end;

static int refuses(enum Function which, void *caller) {
    if (function != which || (uintptr_t)caller < driver_start || (uintptr_t)caller >= driver_end) return 0;
    const long now = atomic_fetch_sub(&left, 1);
    if (goes_on ? now > 1 : now != 1) return 0;
    n_refused++;
    return 1;
}

#define CALLER __builtin_extract_return_addr(__builtin_return_address(0))

void *mmap(void *at, size_t size, int access, int flags, int file, off_t offset) {
    if (refuses(MMAP, CALLER)) return errno = ENOMEM, MAP_FAILED;
    return (void *)syscall(SYS_mmap, at, size, access, flags, file, offset);
}
void *mmap64(void *at, size_t size, int access, int flags, int file, off_t offset) {
    if (refuses(MMAP, CALLER)) return errno = ENOMEM, MAP_FAILED;
    return (void *)syscall(SYS_mmap, at, size, access, flags, file, offset);
}
int mprotect(void *at, size_t size, int access) {
    if (refuses(MPROTECT, CALLER)) return errno = ENOMEM, -1;
    return syscall(SYS_mprotect, at, size, access);
}
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *data) {
    static int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!create) create = (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(RTLD_NEXT,
        "pthread_create");
    return refuses(THREAD, CALLER) ? EAGAIN : create(thread, attributes, start, data);
}
int sched_setaffinity(pid_t process, size_t size, const cpu_set_t *set) {
    if (refuses(SCHED, CALLER)) return errno = EPERM, -1;
    return syscall(SYS_sched_setaffinity, process, size, set);
}
int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set) {
    if (refuses(SCHED, CALLER)) return errno = EPERM, -1;
    const long got = syscall(SYS_sched_getaffinity, process, size, set);
    if (got < 0) return -1;
    memset((char *)set + got, 0, size - got);
    return 0;
}

/* What the standard library knows of a thread. It takes it from the heap itself; that there is some, the driver asks
 * first. */
enum { THREAD_BYTES = 48 };

/* More than the driver has in reserve. */
enum { LARGE_BYTES = (512 << 10) + 1 };

static int refuses_bytes(size_t size, void *caller) {
    return refuses(MALLOC, caller) || (size >= LARGE_BYTES && refuses(LARGE, caller));
}

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);
void *malloc(size_t size) {
    return size != THREAD_BYTES && refuses_bytes(size, CALLER) ? (errno = ENOMEM, NULL) : __libc_malloc(size);
}
void *calloc(size_t n, size_t size) {
    return refuses_bytes(n * size, CALLER) ? (errno = ENOMEM, NULL) : __libc_calloc(n, size);
}
void *realloc(void *old, size_t size) {
    return refuses_bytes(size, CALLER) ? (errno = ENOMEM, NULL) : __libc_realloc(old, size);
}
int posix_memalign(void **at, size_t align, size_t size) {
    if (refuses_bytes(size, CALLER)) return ENOMEM;
    *at = __libc_memalign(align, size);
    return *at ? 0 : ENOMEM;
}

static int is_driver(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size, (void)data;
    if (!strstr(info->dlpi_name, "libclift")) return 0;
    driver_start = UINTPTR_MAX;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
        const uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (start < driver_start) driver_start = start;
        if (start + info->dlpi_phdr[i].p_memsz > driver_end) driver_end = start + info->dlpi_phdr[i].p_memsz;
    }
    return 1;
}

/* A session. */
enum { ITEMS = 4096, BIG = 1 << 20, SIDE = 128 };

static const char *const source =
    "kernel void add(global int *a, int n) { a[get_global_id(0)] += n; }\n"
    "kernel void turn(global int *a, local int *b) {\n"
    "    size_t l = get_local_id(0);\n"
    "    b[l] = a[get_global_id(0)];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    a[get_global_id(0)] = b[get_local_size(0) - 1 - l];\n"
    "}\n"
    "kernel void deep(global int *a) {\n"
    "    int x[50000];\n"
    "    for (int j = 0; j < 50000; j++) x[(j * 13) % 50000] = j;\n"
    "    a[get_global_id(0)] += x[13];\n"
    "}\n"
    "kernel void paint(write_only image2d_t to) {\n"
    "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    write_imagef(to, at, (float4)(at.x & 1, at.y & 1, 0, 1));\n"
    "}\n";

static atomic_int n_callbacks;

static void CL_CALLBACK called(cl_event event, cl_int status, void *data) {
    (void)event, (void)data;
    if (status > 0) fail("a callback for completion is called with %d", status);
    n_callbacks++;
}

/* What a call may say, or the status of a command, when something is short. */
static void judge(int line, cl_int status) {
    switch (status) {
    case CL_OUT_OF_HOST_MEMORY:
    case CL_OUT_OF_RESOURCES:
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
        return;
    case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST:
        return;
    default:
        fail("%s:%d: status %d", __FILE__, line, status);
    }
}

#define TRY(call)                       \
    do {                                \
        status = (call);                \
        if (status != CL_SUCCESS) {     \
            judge(__LINE__, status);    \
            goto out;                   \
        }                               \
    } while (0)
#define MADE(object, call)              \
    do {                                \
        object = (call);                \
        if (status != CL_SUCCESS) {     \
            if (object) fail("%s:%d: an object in spite of %d", __FILE__, __LINE__, status); \
            judge(__LINE__, status);    \
            goto out;                   \
        }                               \
    } while (0)

/* Waits for an event whose command may have failed; tells its status. */
static cl_int end_of(cl_event event) {
    cl_int end = CL_QUEUED;
    const double start = now_ms();
    /* Not `clWaitForEvents`, which may be what lacks memory. */
    while (end > CL_COMPLETE) {
        if (clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof end, &end, NULL)) fail("no status");
        if (now_ms() - start > 20000) fail("a command never ends: its status is %d", end);
        usleep(20);
    }
    return end;
}

static cl_device_id device;

/* Code of the first call that fails; CL_SUCCESS if all succeed and all results are right. */
static cl_int session(void) {
    enum { EVENTS = 8 };
    static cl_int got[ITEMS];
    cl_int status = CL_SUCCESS, ends = CL_SUCCESS;
    cl_context context = NULL;
    cl_command_queue queue = NULL, apart = NULL;
    cl_device_id parts[2] = {NULL, NULL};
    cl_mem mem = NULL, part = NULL, image = NULL;
    cl_program program = NULL;
    cl_kernel kernels[4] = {NULL};
    cl_event events[EVENTS] = {NULL}, user = NULL;
    void *shared = NULL;
    int n = 0, wanted = 0, n_apart = 0;
    n_callbacks = 0;

    MADE(context, clCreateContext(NULL, 1, &device, NULL, NULL, &status));
    MADE(queue, clCreateCommandQueueWithProperties(context, device, NULL, &status));
    MADE(mem, clCreateBuffer(context, CL_MEM_READ_WRITE, BIG, NULL, &status));
    const cl_buffer_region region = {ITEMS, ITEMS * sizeof(cl_int)};
    MADE(part, clCreateSubBuffer(mem, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status));
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc shape = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE};
    MADE(image, clCreateImage(context, CL_MEM_READ_WRITE, &format, &shape, NULL, &status));
    shared = clSVMAlloc(context, CL_MEM_READ_WRITE, BIG, 0);
    if (!shared) {
        status = CL_OUT_OF_HOST_MEMORY;
        goto out;
    }
    MADE(program, clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &status));
    TRY(clBuildProgram(program, 1, &device, "", NULL, NULL));
    static const char *const names[] = {"add", "turn", "deep", "paint"};
    for (int k = 0; k < 4; k++) MADE(kernels[k], clCreateKernel(program, names[k], &status));

    const cl_int zero = 0, two = 2;
    const size_t items = ITEMS, local = 64, few = 32, plane[2] = {SIDE, SIDE};
    MADE(user, clCreateUserEvent(context, &status));
    TRY(clEnqueueFillBuffer(queue, mem, &zero, sizeof zero, 0, BIG, 1, &user, &events[n]));
    n++;
    TRY(clSetKernelArg(kernels[0], 0, sizeof part, &part));
    TRY(clSetKernelArg(kernels[0], 1, sizeof two, &two));
    TRY(clEnqueueNDRangeKernel(queue, kernels[0], 1, NULL, &items, NULL, 0, NULL, &events[n]));
    n++;
    TRY(clSetEventCallback(events[1], CL_COMPLETE, called, NULL));
    wanted++;
    TRY(clSetUserEventStatus(user, CL_COMPLETE));
    TRY(clSetKernelArg(kernels[1], 0, sizeof part, &part));
    TRY(clSetKernelArg(kernels[1], 1, local * sizeof(cl_int), NULL));
    TRY(clEnqueueNDRangeKernel(queue, kernels[1], 1, NULL, &items, &local, 0, NULL, &events[n]));
    n++;
    TRY(clSetEventCallback(events[2], CL_COMPLETE, called, NULL));
    wanted++;
    TRY(clSetKernelArg(kernels[2], 0, sizeof part, &part));
    TRY(clEnqueueNDRangeKernel(queue, kernels[2], 1, NULL, &few, NULL, 0, NULL, &events[n]));
    n++;
    TRY(clSetKernelArg(kernels[3], 0, sizeof image, &image));
    TRY(clEnqueueNDRangeKernel(queue, kernels[3], 2, NULL, plane, NULL, 0, NULL, &events[n]));
    n++;
    TRY(clEnqueueReadBuffer(queue, part, CL_FALSE, 0, sizeof got, got, 0, NULL, &events[n]));
    n++;
    TRY(clFinish(queue));
    TRY(clEnqueueSVMMemFill(queue, shared, &two, sizeof two, BIG, 0, NULL, &events[n]));
    n++;
    TRY(clFinish(queue));
    void *mapped;
    MADE(mapped, clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ, 0, BIG, 0, NULL, NULL, &status));
    TRY(clEnqueueUnmapMemObject(queue, mem, mapped, 0, NULL, &events[n]));
    n++;

    /* Some of the processors. */
    const cl_device_partition_property one[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 0, 0};
    cl_uint n_parts = 0;
    TRY(clCreateSubDevices(device, one, 1, parts, &n_parts));
    cl_context other;
    MADE(other, clCreateContext(NULL, 1, parts, NULL, NULL, &status));
    apart = clCreateCommandQueueWithProperties(other, parts[0], NULL, &status);
    cl_mem own = status ? NULL : clCreateBuffer(other, CL_MEM_READ_WRITE, 4096, NULL, &status);
    cl_int there[4] = {0};
    if (own && !status) status = clEnqueueFillBuffer(apart, own, &two, sizeof two, 0, 4096, 0, NULL, NULL);
    if (own && !status) status = clEnqueueReadBuffer(apart, own, CL_TRUE, 0, sizeof there, there, 0, NULL, NULL);
    n_apart = there[3];
    if (own) CHECK(clReleaseMemObject(own));
    CHECK(clReleaseContext(other));
    if (status) judge(__LINE__, status);

out:
    /* Whatever has been enqueued ends. */
    if (user) {
        cl_int now = CL_QUEUED;
        CHECK(clGetEventInfo(user, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof now, &now, NULL));
        if (now > CL_COMPLETE && clSetUserEventStatus(user, CL_COMPLETE)) fail("a user event cannot be set");
    }
    if (queue) CHECK(clFlush(queue));
    for (int i = 0; i < n; i++) {
        const cl_int end = end_of(events[i]);
        if (end < 0) {
            judge(__LINE__, end);
            if (!ends) ends = end;
        }
    }
    for (const double start = now_ms(); n_callbacks < wanted; usleep(20))
        if (now_ms() - start > 20000) fail("%d of %d callbacks are called", n_callbacks, wanted);
    if (n_callbacks != wanted) fail("%d callbacks for %d", n_callbacks, wanted);
    if (!status && !ends) {
        for (int i = 0; i < ITEMS; i++)
            if (got[i] != (i < 32 ? 3 : 2)) fail("element %d is %d", i, got[i]);
        if (((cl_int *)shared)[BIG / sizeof(cl_int) - 1] != 2) fail("shared memory has %d", *(cl_int *)shared);
        if (n_apart != 2) fail("the part of the device left %d", n_apart);
    }
    for (int i = 0; i < n; i++) CHECK(clReleaseEvent(events[i]));
    if (user) CHECK(clReleaseEvent(user));
    for (int k = 0; k < 4; k++)
        if (kernels[k]) CHECK(clReleaseKernel(kernels[k]));
    if (program) CHECK(clReleaseProgram(program));
    if (shared) clSVMFree(context, shared);
    if (image) CHECK(clReleaseMemObject(image));
    if (part) CHECK(clReleaseMemObject(part));
    if (mem) CHECK(clReleaseMemObject(mem));
    if (apart) CHECK(clReleaseCommandQueue(apart));
    if (parts[0]) CHECK(clReleaseDevice(parts[0]));
    if (queue) CHECK(clReleaseCommandQueue(queue));
    if (context) CHECK(clReleaseContext(context));
    return status ? status : ends;
}

static void must_succeed(const char *when) {
    const cl_int status = session();
    if (status) fail("%s: status %d", when, status);
}

static void refuse_calls(const char *name, const char *how, long most, long step, long first) {
    static const char *const names[] = {"", "mmap", "mprotect", "pthread_create", "sched", "malloc"};
    enum Function which = NOTHING;
    for (int i = 1; i < 6; i++)
        if (!strcmp(name, names[i])) which = i;
    if (!which) fail("no function %s", name);
    if (!dl_iterate_phdr(is_driver, NULL)) fail("no driver");
    goes_on = !strcmp(how, "on");
    long n = first, n_tried = 0, n_failed = 0;
    for (; n <= most; n += step, n_tried++) {
        n_refused = 0;
        left = n;
        function = which;
        const cl_int status = session();
        function = NOTHING;
        n_failed += status != CL_SUCCESS;
        if (!n_refused) break;
        /* Not after each: that would be twice the time. */
        if (n_tried % 16 == 0) must_succeed("afterwards");
    }
    left = LONG_MAX;
    function = which;
    must_succeed("at the end");
    function = NOTHING;
    printf("shortage: %s %s: %ld of %ld calls refused, %ld sessions failed\n", name, how, n_tried, LONG_MAX - left,
        n_failed);
}

static atomic_int n_native;

static void native(void *block) { n_native += ((char *)block)[0]; }

/* Calls that copy as much as they are given. */
static void copy_much(void) {
    enum { MUCH = 64 << 20 };
    if (!dl_iterate_phdr(is_driver, NULL)) fail("no driver");
    char *much = mmap(NULL, MUCH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(much, ' ', MUCH);
    much[0] = 1;
    cl_int status;
    Setup s = {.device = device};
    s.context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    CHECK(status);
    s.queue = clCreateCommandQueueWithProperties(s.context, device, NULL, &status);
    CHECK(status);
    for (int is_short = 0; is_short < 2; is_short++) {
        goes_on = 1;
        left = 1;
        function = is_short ? MALLOC : NOTHING;
        const cl_int wanted = is_short ? CL_OUT_OF_HOST_MEMORY : CL_SUCCESS;
        const char *string = much;
        const size_t size = MUCH;
        cl_program program = clCreateProgramWithSource(s.context, 1, &string, &size, &status);
        EXPECT("a source", status, wanted);
        if (program) CHECK(clReleaseProgram(program));
        program = clCreateProgramWithIL(s.context, much, MUCH, &status);
        EXPECT("a module", status, is_short ? wanted : CL_INVALID_VALUE);
        program = clCreateProgramWithBinary(s.context, 1, &device, &size, (const unsigned char **)&much, NULL, &status);
        EXPECT("a binary", status, is_short ? wanted : CL_INVALID_BINARY);
        status = clEnqueueNativeKernel(s.queue, native, much, MUCH, 0, NULL, NULL, 0, NULL, NULL);
        EXPECT("a native kernel", status, wanted);
        CHECK(clFinish(s.queue));
        EXPECT("native kernels", n_native, 1);
        function = NOTHING;
    }
    close_device(&s);
    must_succeed("at the end");
    printf("shortage: large: ok\n");
}

enum { GATES = 64 };

/* Not in our header. */
#define CL_MEM_MAP_COUNT 0x1104
cl_int clGetMemObjectInfo(cl_mem, cl_uint, size_t, void *, size_t *);

/* Commands that stand behind all of these events, until no more fit or there are so many; how many there are. */
static long pile_up(cl_command_queue queue, const cl_event *gates, cl_uint n_gates, long most) {
    char one = 1;
    for (long n = 0; n < most; n++) {
        const cl_int status = clEnqueueNativeKernel(queue, native, &one, 1, 0, NULL, NULL, n_gates, gates, NULL);
        if (status == CL_OUT_OF_HOST_MEMORY) return n;
        CHECK(status);
    }
    return most;
}

/* What else needs a place among the commands is refused as well, and changes nothing. */
static void nothing_fits(const Setup *s, cl_mem mem, void *mapped) {
    cl_int status;
    cl_uint n_maps;
    char bytes[16];
    clEnqueueMapBuffer(s->queue, mem, CL_FALSE, CL_MAP_READ, 2048, 16, 0, NULL, NULL, &status);
    EXPECT("another map", status, CL_OUT_OF_HOST_MEMORY);
    EXPECT("an unmap", clEnqueueUnmapMemObject(s->queue, mem, mapped, 0, NULL, NULL), CL_OUT_OF_HOST_MEMORY);
    CHECK(clGetMemObjectInfo(mem, CL_MEM_MAP_COUNT, sizeof n_maps, &n_maps, NULL));
    EXPECT("maps", n_maps, 1);
    EXPECT("a read", clEnqueueReadBuffer(s->queue, mem, CL_TRUE, 0, 16, bytes, 0, NULL, NULL), CL_OUT_OF_HOST_MEMORY);
    EXPECT("a barrier", clEnqueueBarrierWithWaitList(s->queue, 0, NULL, NULL), CL_OUT_OF_HOST_MEMORY);
    clCreateUserEvent(s->context, &status);
    EXPECT("a user event", status, CL_OUT_OF_HOST_MEMORY);
}

/* As many commands as fit, none of which is lost. */
static void fill_graph(cl_command_queue_properties properties, cl_uint n_gates) {
    enum { MOST = 1 << 20 };
    Setup s = open_device(properties);
    cl_mem mem = new_buffer(&s, CL_MEM_READ_WRITE, 4096, NULL);
    cl_int status;
    cl_event gates[GATES];
    void *mapped = clEnqueueMapBuffer(s.queue, mem, CL_TRUE, CL_MAP_WRITE, 0, 2048, 0, NULL, NULL, &status);
    CHECK(status);
    long n_fit = MOST;
    for (int round = 0; round < 3; round++) {
        for (cl_uint i = 0; i < n_gates; i++) {
            gates[i] = clCreateUserEvent(s.context, &status);
            CHECK(status);
        }
        n_native = 0;
        goes_on = 1;
        left = 1;
        function = round < 2 ? LARGE : NOTHING;
        /* Places are used again; and if there is memory, there are more of them. */
        const long most = round < 2 ? MOST : 2 * n_fit, n = pile_up(s.queue, gates, n_gates, most);
        if (round == 0)
            n_fit = n;
        else
            EXPECT("commands that fit", n, round == 1 ? n_fit : most);
        if (n_fit == MOST) fail("%ld commands fit without memory", n);
        if (round < 2 && n_gates == 1) nothing_fits(&s, mem, mapped);
        EXPECT("commands that have begun", n_native, 0);
        for (cl_uint i = 0; i < n_gates; i++) {
            CHECK(clSetUserEventStatus(gates[i], CL_COMPLETE));
            CHECK(clReleaseEvent(gates[i]));
        }
        CHECK(clFinish(s.queue));
        EXPECT("commands that have run", n_native, n);
        function = NOTHING;
    }
    CHECK(clEnqueueUnmapMemObject(s.queue, mem, mapped, 0, NULL, NULL));
    CHECK(clFinish(s.queue));
    CHECK(clReleaseMemObject(mem));
    close_device(&s);
    printf("shortage: graph: %ld commands behind %u events\n", n_fit, n_gates);
}

static void grow_graph(void) {
    if (!dl_iterate_phdr(is_driver, NULL)) fail("no driver");
    const cl_command_queue_properties loose = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    fill_graph(0, 1);
    fill_graph(loose, 1);
    fill_graph(0, GATES);
    fill_graph(loose, GATES);
    must_succeed("at the end");
}

/* Waits for more commands than a list in one piece may have; with an event for each, too. */
static void finish_many(void) {
    enum { MANY = 100000 };
    if (!dl_iterate_phdr(is_driver, NULL)) fail("no driver");
    static cl_event events[MANY];
    for (int loose = 0; loose < 2; loose++) {
        Setup s = open_device(loose ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
        cl_int status;
        cl_event gate = clCreateUserEvent(s.context, &status);
        CHECK(status);
        n_native = 0;
        char one = 1;
        for (int i = 0; i < MANY; i++)
            CHECK(clEnqueueNativeKernel(s.queue, native, &one, 1, 0, NULL, NULL, 1, &gate, &events[i]));
        EXPECT("commands that have begun", n_native, 0);
        goes_on = 1;
        left = 1;
        function = LARGE;
        CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
        CHECK(loose ? clFinish(s.queue) : clWaitForEvents(1, &events[MANY - 1]));
        EXPECT("commands that have run", n_native, MANY);
        function = NOTHING;
        for (int i = 0; i < MANY; i++) CHECK(clReleaseEvent(events[i]));
        CHECK(clReleaseEvent(gate));
        close_device(&s);
    }
    must_succeed("at the end");
    printf("shortage: finish: ok\n");
}

/* Not in our header. */
#define CL_SEMAPHORE_TYPE_KHR 0x203D
#define CL_SEMAPHORE_TYPE_BINARY_KHR 1
typedef struct _cl_semaphore_khr *cl_semaphore_khr;
typedef cl_semaphore_khr (*create_fn)(cl_context, const cl_properties *, cl_int *);
typedef cl_int (*release_fn)(cl_semaphore_khr);
typedef cl_int (*semaphores_fn)(cl_command_queue, cl_uint, const cl_semaphore_khr *, const cl_ulong *, cl_uint,
    const cl_event *, cl_event *);

static void *find(const char *name) {
    cl_platform_id platform;
    CHECK(clGetPlatformIDs(1, &platform, NULL));
    void *function = clGetExtensionFunctionAddressForPlatform(platform, name);
    if (!function) fail("no %s", name);
    return function;
}

/* Signals and waits that are refused have never been: what they would have met meets the next one. */
static void refuse_semaphores(void) {
    enum { MOST = 1 << 20, SEMAPHORES = 2 };
    create_fn create = (create_fn)find("clCreateSemaphoreWithPropertiesKHR");
    release_fn release = (release_fn)find("clReleaseSemaphoreKHR");
    semaphores_fn signal = (semaphores_fn)find("clEnqueueSignalSemaphoresKHR");
    semaphores_fn wait = (semaphores_fn)find("clEnqueueWaitSemaphoresKHR");
    const cl_properties binary[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
    if (!dl_iterate_phdr(is_driver, NULL)) fail("no driver");
    for (int waits_first = 0; waits_first < 2; waits_first++) {
        Setup s = open_device(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        semaphores_fn first = waits_first ? wait : signal, second = waits_first ? signal : wait;
        cl_semaphore_khr semaphores[SEMAPHORES];
        cl_int status;
        for (int i = 0; i < SEMAPHORES; i++) {
            semaphores[i] = create(s.context, binary, &status);
            CHECK(status);
        }
        cl_event gate = clCreateUserEvent(s.context, &status), events[2];
        CHECK(status);
        /* The signal, if it is the first, has not run either when the wait is refused. */
        CHECK(first(s.queue, SEMAPHORES, semaphores, NULL, !waits_first, waits_first ? NULL : &gate, &events[0]));
        n_native = 0;
        goes_on = 1;
        left = 1;
        function = LARGE;
        const long n = pile_up(s.queue, &gate, 1, MOST);
        for (int i = 0; i < 3; i++) {
            status = second(s.queue, SEMAPHORES, semaphores, NULL, 0, NULL, NULL);
            EXPECT("the other side", status, CL_OUT_OF_HOST_MEMORY);
        }
        function = NOTHING;
        cl_int now;
        CHECK(clGetEventInfo(events[0], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof now, &now, NULL));
        if (now <= CL_COMPLETE) fail("the first side has ended with %d", now);
        CHECK(second(s.queue, SEMAPHORES, semaphores, NULL, 0, NULL, &events[1]));
        CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
        CHECK(clFlush(s.queue));
        for (int i = 0; i < 2; i++) {
            EXPECT(i ? "the second side" : "the first side", end_of(events[i]), CL_COMPLETE);
            CHECK(clReleaseEvent(events[i]));
        }
        CHECK(clFinish(s.queue));
        EXPECT("commands that have run", n_native, n);
        for (int i = 0; i < SEMAPHORES; i++) CHECK(release(semaphores[i]));
        CHECK(clReleaseEvent(gate));
        close_device(&s);
    }
    must_succeed("at the end");
    printf("shortage: semaphores: ok\n");
}

static void lower(const char *what) {
    const int which = !strcmp(what, "memory") ? RLIMIT_AS : !strcmp(what, "threads") ? RLIMIT_NPROC : RLIMIT_NOFILE;
    struct rlimit before, limit;
    getrlimit(which, &before);
    if (which == RLIMIT_NPROC && geteuid() == 0) {
        /* The superuser has no such limit. */
        if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534)) fail("cannot become nobody");
    }
    long pages = 0, n_failed = 0, n = 0;
    FILE *size = fopen("/proc/self/statm", "r");
    if (!size || fscanf(size, "%ld", &pages) != 1) fail("no size");
    fclose(size);
    for (long more = 0; more < 1200; more = more * 5 / 4 + 1, n++) {
        limit = before;
        limit.rlim_cur = which == RLIMIT_AS ? (rlim_t)pages * 4096 + ((rlim_t)more << 20) : (rlim_t)(more / 8);
        if (setrlimit(which, &limit)) fail("no limit");
        n_failed += session() != CL_SUCCESS;
        if (setrlimit(which, &before)) fail("the limit stays");
        if (more % 8 == 0) must_succeed("without the limit");
    }
    must_succeed("at the end");
    printf("shortage: limit %s: %ld limits, %ld sessions failed\n", what, n, n_failed);
}

static void filter_calls(void) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_setaffinity, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_getaffinity, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_yield, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getcpu, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
    };
    struct sock_fprog program = {sizeof code / sizeof *code, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
        printf("shortage: this system has no filters\n");
        exit(0);
    }
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "plain";
    if (!strcmp(how, "world") && (mkdir("empty", 0755) || chroot("empty") || chdir("/"))) {
        printf("shortage: this user has no world of its own\n");
        return 0;
    }
    if (!strcmp(how, "filter")) filter_calls();
    cl_platform_id platform;
    CHECK(clGetPlatformIDs(1, &platform, NULL));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    if (!strcmp(how, "calls") && argc > 3)
        refuse_calls(argv[2], argv[3], argc > 4 ? atol(argv[4]) : LONG_MAX, argc > 5 ? atol(argv[5]) : 1,
            argc > 6 ? atol(argv[6]) : 1);
    else if (!strcmp(how, "large"))
        copy_much();
    else if (!strcmp(how, "graph"))
        grow_graph();
    else if (!strcmp(how, "finish"))
        finish_many();
    else if (!strcmp(how, "semaphores"))
        refuse_semaphores();
    else if (!strcmp(how, "limit") && argc > 2)
        lower(argv[2]);
    else {
        for (int i = 0; i < 5; i++) must_succeed(how);
        printf("shortage: %s: ok\n", how);
    }
    return 0;
}

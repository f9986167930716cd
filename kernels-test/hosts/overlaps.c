/* The same kernels on buffers that are different memory, then on ones that overlap: one buffer for two arguments,
 * sub-buffers,
 * objects on the same host memory, and pointers into one allocation. Work-items keep to places of their own, so the
 * results
 * are those of running them one by one. */
#include "common.h"

typedef struct _cl_command_buffer_khr *command_buffer;
typedef struct _cl_mutable_command_khr *mutable_command;

typedef struct {
    cl_uint index;
    size_t size;
    const void *value;
} dispatch_arg;

typedef struct {
    mutable_command command;
    cl_uint num_args, num_svm_args, num_exec_infos, work_dim;
    const dispatch_arg *args, *svm_args;
    const void *exec_infos;
    const size_t *offset, *global, *local;
} dispatch_config;

typedef void *(*SharedAlloc)(cl_context, cl_device_id, const cl_ulong *, size_t, cl_uint, cl_int *);
typedef cl_int (*Free)(cl_context, void *);

enum { ITEMS = 200, EACH = 64, SHIFT = 32, N = ITEMS * EACH, BYTES = N * sizeof(cl_int) };

/* A work-item's part of `a` begins `off` elements further in, so that it is its part of a `b` that begins there. */
#define BODY                                                                                     \
    "{\n"                                                                                        \
    "    size_t at = get_global_id(0) * 64;\n"                                                   \
    "    global int *p = a + at + off, *q = b + at, *r = c + at;\n"                              \
    "    for (int k = 0; k < n; k++) {\n"                                                        \
    "        p[3] += q[k & 7] + k;\n"                                                            \
    "        r[1] = p[3] ^ q[2];\n"                                                              \
    "        if (k & 1) q[4] += r[1];\n"                                                         \
    "    }\n"                                                                                    \
    "    int kept = q[5];\n"                                                                     \
    "    p[5] = 77;\n"                                                                           \
    "    r[2] = q[5] - kept;\n"                                                                  \
    "    global int *walk = q;\n"                                                                \
    "    for (int k = 0; k < 16; k++, walk++) { *walk += p[k] + r[k + 1]; r[0] += *walk; }\n"    \
    "    for (int k = 0; k < 8; k++) q[9] = p[9] + k + r[9];\n"                                  \
    "    for (int i = 0; i < 3; i++) for (int k = 0; k < n; k++) p[12 + i] += q[13] + r[12] + k;\n" \
    "}\n"

static const char *const source =
    "kernel void plain(global int *a, global int *b, global int *c, int off, int n)\n" BODY
    "kernel __attribute__((reqd_work_group_size(8, 1, 1)))\n"
    "void fixed(global int *a, global int *b, global int *c, int off, int n)\n" BODY
    /* Two names of one place if `end` is the end of an allocation of `length` elements that begins at `begin`. */
    "kernel void ends(global int *end, global int *begin, int length, int n)\n"
    "{\n"
    "    for (int k = 0; k < n; k++) { end[-length] += k; begin[0] ^= 3; begin[1] += end[-length]; }\n"
    "}\n";

static void one(cl_int *p, cl_int *q, cl_int *r, int n) {
    for (int k = 0; k < n; k++) {
        p[3] += q[k & 7] + k;
        r[1] = p[3] ^ q[2];
        if (k & 1) q[4] += r[1];
    }
    int kept = q[5];
    p[5] = 77;
    r[2] = q[5] - kept;
    cl_int *walk = q;
    for (int k = 0; k < 16; k++, walk++) {
        *walk += p[k] + r[k + 1];
        r[0] += *walk;
    }
    for (int k = 0; k < 8; k++) q[9] = p[9] + k + r[9];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < n; k++) p[12 + i] += q[13] + r[12] + k;
}

/* Which of three regions of host memory each argument is; `shift`: whether `b` begins 32 elements further in. */
typedef struct {
    const char *name;
    int regions[3];
    int shift;
} Way;

static const Way ways[] = {
    {"different", {0, 1, 2}, 0},        {"a is b", {0, 0, 2}, 0},    {"b is c", {0, 1, 1}, 0},
    {"b is in a", {0, 0, 2}, SHIFT},    {"all are one", {1, 1, 1}, 0}, {"different again", {2, 0, 1}, 0},
};

static cl_int start[3][N + SHIFT], want[3][N + SHIFT];
static cl_int memory[3][N + SHIFT] __attribute__((aligned(4096)));

static void expect(const Way *way, int n) {
    memcpy(want, start, sizeof want);
    for (int i = 0; i < ITEMS; i++)
        one(want[way->regions[0]] + EACH * i + way->shift, want[way->regions[1]] + way->shift + EACH * i,
            want[way->regions[2]] + EACH * i, n);
}

static void compare(const char *how, const Way *way, int region, const cl_int *got) {
    for (int i = 0; i < N; i++)
        if (got[i] != want[region][i])
            fail("%s, %s: region %d[%d] is %d, not %d", how, way->name, region, i, got[i], want[region][i]);
}

static void launch(const Setup *s, cl_kernel kernel, const Way *way, int n) {
    cl_int off = way->shift;
    const size_t items = ITEMS, group = 8;
    SET_ARG(kernel, 3, off);
    SET_ARG(kernel, 4, n);
    CHECK(clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL));
    CHECK(clFinish(s->queue));
}

/* A part of a buffer that begins `shift` elements in. */
static cl_mem part(cl_mem mem, int shift) {
    cl_int status;
    cl_buffer_region region = {shift * sizeof(cl_int), BYTES};
    cl_mem sub = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    CHECK(status);
    return sub;
}

static void by_buffers(const Setup *s, cl_kernel kernel, int n, int use_host_ptr) {
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        const Way *way = &ways[w];
        cl_mem mem[3], args[3];
        expect(way, n);
        memcpy(memory, start, sizeof memory);
        for (int i = 0; i < 3; i++)
            mem[i] = new_buffer(s, use_host_ptr ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR, sizeof memory[i],
                memory[i]);
        for (int i = 0; i < 3; i++) {
            int region = way->regions[i], shift = i == 1 ? way->shift : 0;
            /* Objects of their own on the same host memory, or parts of one. */
            if (use_host_ptr)
                args[i] = new_buffer(s, CL_MEM_USE_HOST_PTR, BYTES, memory[region] + shift);
            else
                args[i] = part(mem[region], shift);
            SET_ARG(kernel, i, args[i]);
        }
        launch(s, kernel, way, n);
        for (int i = 0; i < 3; i++) {
            static cl_int got[N + SHIFT];
            CHECK(clEnqueueReadBuffer(s->queue, mem[i], CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
            compare(use_host_ptr ? "host memory" : "parts", way, i, got);
        }
        for (int i = 0; i < 3; i++) {
            CHECK(clReleaseMemObject(args[i]));
            CHECK(clReleaseMemObject(mem[i]));
        }
    }
}

static void by_pointers(const Setup *s, cl_kernel kernel, int n, cl_int *regions[3], const char *how) {
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        const Way *way = &ways[w];
        expect(way, n);
        for (int i = 0; i < 3; i++) memcpy(regions[i], start[i], sizeof start[i]);
        for (int i = 0; i < 3; i++)
            CHECK(clSetKernelArgSVMPointer(kernel, i, regions[way->regions[i]] + (i == 1 ? way->shift : 0)));
        launch(s, kernel, way, n);
        for (int i = 0; i < 3; i++) compare(how, way, i, regions[i]);
    }
}

/* A buffer and a pointer to its memory. */
static void by_both(const Setup *s, cl_kernel kernel, int n, cl_int *regions[3]) {
    const Way *way = &ways[1];
    cl_mem mem = new_buffer(s, CL_MEM_USE_HOST_PTR, sizeof start[0], regions[0]);
    expect(way, n);
    for (int i = 0; i < 3; i++) memcpy(regions[i], start[i], sizeof start[i]);
    SET_ARG(kernel, 0, mem);
    CHECK(clSetKernelArgSVMPointer(kernel, 1, regions[0]));
    CHECK(clSetKernelArgSVMPointer(kernel, 2, regions[2]));
    launch(s, kernel, way, n);
    for (int i = 0; i < 3; i++) compare("a buffer and a pointer", way, i, regions[i]);
    CHECK(clReleaseMemObject(mem));
}

/* Pointers one past the end of allocations, of which many lie side by side. */
static void by_ends(const Setup *s, cl_program program, SharedAlloc shared_alloc, Free release) {
    enum { BLOCKS = 32, SIZE = 256 << 10, HALF = BLOCKS / 2 };
    cl_kernel kernel = get_kernel(program, "ends");
    cl_int *blocks[BLOCKS], status;
    const cl_int n = 100, length = SIZE / sizeof(cl_int);
    const size_t one = 1;
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = i < HALF ? clSVMAlloc(s->context, CL_MEM_READ_WRITE, SIZE, 0)
                             : shared_alloc(s->context, s->device, NULL, SIZE, 0, &status);
        if (!blocks[i]) fail("no memory");
        memset(blocks[i], 0, SIZE);
    }
    SET_ARG(kernel, 2, length);
    SET_ARG(kernel, 3, n);
    for (int i = 0; i < BLOCKS; i++) {
        cl_int first = 0, second = 0;
        for (int k = 0; k < n; k++) second += first = (first + k) ^ 3;
        CHECK(clSetKernelArgSVMPointer(kernel, 0, blocks[i] + length));
        CHECK(clSetKernelArgSVMPointer(kernel, 1, blocks[i]));
        CHECK(clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        CHECK(clFinish(s->queue));
        if (blocks[i][0] != first || blocks[i][1] != second)
            fail("end of block %d: %d and %d, not %d and %d", i, blocks[i][0], blocks[i][1], first, second);
    }
    for (int i = 0; i < BLOCKS; i++) {
        if (i < HALF)
            clSVMFree(s->context, blocks[i]);
        else
            CHECK(release(s->context, blocks[i]));
    }
    CHECK(clReleaseKernel(kernel));
}

#define FIND(result, name, ...) \
    result(CL_API_CALL *name)(__VA_ARGS__) = (result(CL_API_CALL *)(__VA_ARGS__)) \
        clGetExtensionFunctionAddressForPlatform(s->platform, #name)

/* Recorded with different memory; then arguments change. */
static void recorded(const Setup *s, cl_kernel kernel, int n) {
    FIND(command_buffer, clCreateCommandBufferKHR, cl_uint, const cl_command_queue *, const cl_ulong *, cl_int *);
    FIND(cl_int, clReleaseCommandBufferKHR, command_buffer);
    FIND(cl_int, clFinalizeCommandBufferKHR, command_buffer);
    FIND(cl_int, clEnqueueCommandBufferKHR, cl_uint, cl_command_queue *, command_buffer, cl_uint, const cl_event *,
        cl_event *);
    FIND(cl_int, clCommandNDRangeKernelKHR, command_buffer, cl_command_queue, const cl_ulong *, cl_kernel, cl_uint,
        const size_t *,
         const size_t *, const size_t *, cl_uint, const cl_uint *, cl_uint *, mutable_command *);
    FIND(cl_int, clUpdateMutableCommandsKHR, command_buffer, cl_uint, const cl_uint *, const void **);
    if (!clCreateCommandBufferKHR || !clUpdateMutableCommandsKHR) fail("no command-buffers");
    cl_int status, off = 0;
    cl_mem mem[3];
    for (int i = 0; i < 3; i++) {
        mem[i] = new_buffer(s, CL_MEM_READ_WRITE, sizeof start[i], NULL);
        SET_ARG(kernel, i, mem[i]);
    }
    SET_ARG(kernel, 3, off);
    SET_ARG(kernel, 4, n);
    const cl_ulong mutable[] = {0x1293, 2, 0};
    command_buffer buffer = clCreateCommandBufferKHR(1, (cl_command_queue *)&s->queue, mutable, &status);
    CHECK(status);
    mutable_command command;
    const size_t items = ITEMS;
    CHECK(clCommandNDRangeKernelKHR(buffer, NULL, NULL, kernel, 1, NULL, &items, NULL, 0, NULL, NULL, &command));
    CHECK(clFinalizeCommandBufferKHR(buffer));
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        const Way *way = &ways[w];
        if (way->shift) continue;
        expect(way, n);
        for (int i = 0; i < 3; i++)
            CHECK(clEnqueueWriteBuffer(s->queue, mem[i], CL_TRUE, 0, sizeof start[i], start[i], 0, NULL, NULL));
        dispatch_arg args[3];
        for (int i = 0; i < 3; i++) args[i] = (dispatch_arg){i, sizeof(cl_mem), &mem[way->regions[i]]};
        dispatch_config config = {.command = command, .num_args = 3, .args = args};
        const cl_uint type = 0;
        const void *list = &config;
        CHECK(clUpdateMutableCommandsKHR(buffer, 1, &type, &list));
        CHECK(clEnqueueCommandBufferKHR(0, NULL, buffer, 0, NULL, NULL));
        for (int i = 0; i < 3; i++) {
            static cl_int got[N + SHIFT];
            CHECK(clEnqueueReadBuffer(s->queue, mem[i], CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
            compare("recorded", way, i, got);
        }
    }
    CHECK(clReleaseCommandBufferKHR(buffer));
    for (int i = 0; i < 3; i++) CHECK(clReleaseMemObject(mem[i]));
}

int main(void) {
    Setup s = open_device(0);
    unsigned seed = 1;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < N + SHIFT; j++) start[i][j] = next_random(&seed) & 0xfff;
    cl_program program = build_program(&s, source, "");
    SharedAlloc shared_alloc = (SharedAlloc)clGetExtensionFunctionAddressForPlatform(s.platform,
        "clSharedMemAllocINTEL");
    Free release = (Free)clGetExtensionFunctionAddressForPlatform(s.platform, "clMemFreeINTEL");
    if (!shared_alloc || !release) fail("no clSharedMemAllocINTEL");
    cl_int *svm[3], *system[3], *usm[3], *whole = clSVMAlloc(s.context, CL_MEM_READ_WRITE, sizeof start, 0);
    cl_int *mixed[3], *inside[3];
    for (int i = 0; i < 3; i++) {
        cl_int status;
        svm[i] = clSVMAlloc(s.context, CL_MEM_READ_WRITE, sizeof start[i], 0);
        usm[i] = shared_alloc(s.context, s.device, NULL, sizeof start[i], 0, &status);
        system[i] = malloc(sizeof start[i]);
        inside[i] = whole + i * (N + SHIFT);
        if (!svm[i] || !usm[i] || !system[i] || !whole) fail("no memory");
    }
    mixed[0] = svm[0];
    mixed[1] = usm[1];
    mixed[2] = system[2];
    const char *const names[] = {"plain", "fixed"};
    for (int k = 0; k < 2; k++) {
        cl_kernel kernel = get_kernel(program, names[k]);
        for (int n = 0; n < 6; n += 5) {
            by_buffers(&s, kernel, n, 0);
            by_buffers(&s, kernel, n, 1);
            by_pointers(&s, kernel, n, svm, "svm");
            by_pointers(&s, kernel, n, usm, "usm");
            by_pointers(&s, kernel, n, system, "system");
            by_pointers(&s, kernel, n, mixed, "mixed");
            by_pointers(&s, kernel, n, inside, "one allocation");
            by_both(&s, kernel, n, svm);
            by_both(&s, kernel, n, system);
            recorded(&s, kernel, n);
        }
        CHECK(clReleaseKernel(kernel));
    }
    by_ends(&s, program, shared_alloc, release);
    for (int i = 0; i < 3; i++) {
        clSVMFree(s.context, svm[i]);
        CHECK(release(s.context, usm[i]));
        free(system[i]);
    }
    clSVMFree(s.context, whole);
    CHECK(clReleaseProgram(program));
    close_device(&s);
    printf("overlaps: ok\n");
    return 0;
}

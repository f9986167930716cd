/* Launches that never run, and would access memory that their arguments do not have, or just not. */
#include "check.h"

static const char *const MORE =
    "kernel void some(global int *out, int n) { int i = get_global_id(0); if (i >= n) return; out[i] = 1; }\n"
    "kernel void rows(const global int *in, global int *out, int n) {\n"
    "    int i = get_global_id(0), sum = 0;\n"
    "    for (int k = 0; k < n; k++) sum += in[i * n + k];\n"
    "    out[i] = sum;\n"
    "}\n"
    "kernel void if_any(const global int *in, global int *out, int n) {\n"
    "    int i = get_global_id(0);\n"
    "    if (in[i]) out[i + n] = in[i + n];\n"
    "    for (int k = 0; in[k] > 0; k++) n = 0;\n"
    "    out[n * i] = 1;\n"
    "}\n"
    "kernel void after(const global int *in, global int *out, int n) {\n"
    "    int i = get_global_id(0), sum = 0;\n"
    "    for (int k = 0; in[k] > 0; k++) sum += k;\n"
    "    if (sum > n) sum = n;\n"
    "    out[i + 1] = sum;\n"
    "}\n"
    "kernel void tile(const global float4 *in, global float4 *out, int n) {\n"
    "    local float4 t[16];\n"
    "    int l = get_local_id(0);\n"
    "    t[l] = in[get_group_id(0) * get_local_size(0) + l];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    vstore3(t[15 - l].xyz, get_global_id(0) + n, (global float *)out);\n"
    "}\n"
    "int place(int i, int n) { switch (n) { case 1: return i; case 2: return i * 2; default: return 0; } }\n"
    "kernel void called(global long *out, int n) { out[place(get_global_id(0), n)] = n; }\n"
    "kernel void count(global int *out, int n) { atomic_add(out + n + get_global_size(0), 1); }\n";

/* Arguments of a launch, of which the last is an int; the group has 16 work-items. */
static void would_launch(const char *name, cl_mem first, cl_mem second, int n, size_t items) {
    cl_int status;
    const size_t sixteen = 16;
    cl_event gate = clCreateUserEvent(s.context, &status), event;
    CHECK(status);
    cl_program more = build_program(&s, MORE, "");
    cl_kernel made = clCreateKernel(more, name, &status);
    CHECK(status);
    CHECK(clSetKernelArg(made, 0, sizeof first, &first));
    if (second)
        CHECK(clSetKernelArg(made, 1, sizeof second, &second));
    CHECK(clSetKernelArg(made, second ? 2 : 1, sizeof n, &n));
    const size_t *local = items % sixteen ? NULL : &sixteen;
    CHECK(clEnqueueNDRangeKernel(q, made, 1, NULL, &items, local, 1, &gate, &event));
    drop(event);
    CHECK(clSetUserEventStatus(gate, -1));
    drop(gate);
    CHECK(clReleaseKernel(made));
    CHECK(clReleaseProgram(more));
}

static void with_gate(cl_kernel kernel, size_t items) {
    cl_int status;
    cl_event gate = clCreateUserEvent(s.context, &status);
    CHECK(status);
    drop(launch(q, kernel, items, 1, &gate));
    CHECK(clSetUserEventStatus(gate, -1));
    drop(gate);
    CHECK(clFinish(q));
}

static void from(int first, size_t items) {
    CHECK(clSetKernelArg(both, 1, sizeof first, &first));
    with_gate(both, items);
}

static void part(int one_more) {
    cl_int status;
    const cl_buffer_region half = {0, N / 2};
    cl_mem made = clCreateSubBuffer(a, 0, CL_BUFFER_CREATE_TYPE_REGION, &half, &status);
    CHECK(status);
    would_launch("some", made, NULL, N, N / 8 + one_more);
    CHECK(clReleaseMemObject(made));
}

static void with_flags(cl_mem_flags flags) {
    cl_int status;
    cl_mem made = clCreateBuffer(s.context, flags, N, NULL, &status);
    CHECK(status);
    would_launch("some", made, NULL, 1, 1);
    CHECK(clReleaseMemObject(made));
}

static void svm(size_t items) {
    int *m = clSVMAlloc(s.context, CL_MEM_READ_WRITE, N, 0);
    CHECK(clSetKernelArgSVMPointer(put, 0, m + 4));
    with_gate(put, items);
    clSVMFree(s.context, m);
}

/* -------- Mistakes -------- */

static void bytes_not_ints(void) { would_launch("some", a, NULL, N, N); }
static void rows_behind_end(void) { would_launch("rows", a, b, 65, N / 256); }
static void sums_behind_end(void) { would_launch("rows", a, b, 0, N / 4 + 1); }
static void in_front(void) { from(-1, N / 4); }
static void part_too_small(void) { part(1); }
static void writes_what_is_to_be_read(void) { with_flags(CL_MEM_READ_ONLY); }
static void svm_behind_its_end(void) { svm(N / 4 - 3); }
static void behind_an_unknown_loop(void) { would_launch("after", a, b, 7, N / 4); }
static void tiles_behind_end(void) { would_launch("tile", a, b, 0, N / 16 + 16); }
static void threes_behind_end(void) { would_launch("tile", a, b, N / 12 - N / 16 + 1, N / 16); }
static void in_a_function(void) { would_launch("called", a, NULL, 2, N / 16 + 1); }
static void atomic_behind_end(void) { would_launch("count", a, NULL, N / 4 - 8, 8); }

/* -------- Near misses -------- */

static void part_as_large_as_needed(void) { part(0); }
static void svm_to_its_end(void) { svm(N / 4 - 4); }
static void guarded_by_argument(void) { would_launch("some", a, NULL, N / 4, N); }
static void rows_up_to_end(void) { would_launch("rows", a, b, 64, N / 256); }
static void rows_of_none(void) { would_launch("rows", a, b, 0, N / 4); }
static void if_memory_says_so(void) { would_launch("if_any", a, b, N, N / 4); }
static void writes_what_may_be_written(void) { with_flags(CL_MEM_WRITE_ONLY); }
static void before_the_end(void) { would_launch("after", a, b, 7, N / 4 - 1); }
static void tiles_up_to_end(void) { would_launch("tile", a, b, 0, N / 16); }
static void threes_up_to_end(void) { would_launch("tile", a, b, N / 12 - N / 16, N / 16); }
static void in_a_function_up_to_end(void) { would_launch("called", a, NULL, 2, N / 16); }
static void other_way_of_a_function(void) { would_launch("called", a, NULL, 3, N); }
static void atomic_up_to_end(void) { would_launch("count", a, NULL, N / 4 - 9, 8); }

/* What is recorded may get other arguments before it is enqueued, if it is at all. */
#define FIND(result, name, ...) \
    result(CL_API_CALL *name)(__VA_ARGS__) = (result(CL_API_CALL *)(__VA_ARGS__)) \
        clGetExtensionFunctionAddressForPlatform(s.platform, #name)

static void recorded_only(void) {
    FIND(void *, clCreateCommandBufferKHR, cl_uint, const cl_command_queue *, const cl_ulong *, cl_int *);
    FIND(cl_int, clReleaseCommandBufferKHR, void *);
    FIND(cl_int, clCommandNDRangeKernelKHR, void *, cl_command_queue, const cl_ulong *, cl_kernel, cl_uint,
         const size_t *, const size_t *, const size_t *, cl_uint, const cl_uint *, cl_uint *, void **);
    cl_int status;
    const size_t items = N;
    void *recorded = clCreateCommandBufferKHR(1, &q, NULL, &status);
    CHECK(status);
    CHECK(clCommandNDRangeKernelKHR(recorded, NULL, NULL, put, 1, NULL, &items, NULL, 0, NULL, NULL, NULL));
    CHECK(clReleaseCommandBufferKHR(recorded));
}

#define LAUNCH "clEnqueueNDRangeKernel"

static const Part PARTS[] = {
    {"bytes_not_ints", "api", "certain: write of 4 bytes behind the end of `out`", LAUNCH, bytes_not_ints},
    {"rows_behind_end", "api", "certain: read of 4 bytes behind the end of `in`", LAUNCH, rows_behind_end},
    {"sums_behind_end", "api", "certain: write of 4 bytes behind the end of `out`", LAUNCH, sums_behind_end},
    {"in_front", "api", "certain: read of 4 bytes in front of `out`", LAUNCH, in_front},
    {"part_too_small", "api", "certain: write of 4 bytes behind the end of `out`", LAUNCH, part_too_small},
    {"writes_what_is_to_be_read", "api", "to `out`, which may only be read", LAUNCH, writes_what_is_to_be_read},
    {"svm_behind_its_end", "api", "certain: write of 4 bytes behind the end of `out`", LAUNCH, svm_behind_its_end},
    {"behind_an_unknown_loop", "api", "write of 4 bytes behind the end of `out`", LAUNCH, behind_an_unknown_loop},
    {"tiles_behind_end", "api", "certain: read of 16 bytes behind the end of `in`", LAUNCH, tiles_behind_end},
    {"threes_behind_end", "api", "the end of `out`", LAUNCH, threes_behind_end},
    {"in_a_function", "api", "certain: write of 8 bytes behind the end of `out`", LAUNCH, in_a_function},
    {"atomic_behind_end", "api", "certain: atomic access to 4 bytes behind the end", LAUNCH, atomic_behind_end},
    {"part_as_large_as_needed", NULL, NULL, NULL, part_as_large_as_needed},
    {"svm_to_its_end", NULL, NULL, NULL, svm_to_its_end},
    {"guarded_by_argument", NULL, NULL, NULL, guarded_by_argument},
    {"rows_up_to_end", NULL, NULL, NULL, rows_up_to_end},
    {"rows_of_none", NULL, NULL, NULL, rows_of_none},
    {"if_memory_says_so", NULL, NULL, NULL, if_memory_says_so},
    {"writes_what_may_be_written", NULL, NULL, NULL, writes_what_may_be_written},
    {"before_the_end", NULL, NULL, NULL, before_the_end},
    {"tiles_up_to_end", NULL, NULL, NULL, tiles_up_to_end},
    {"threes_up_to_end", NULL, NULL, NULL, threes_up_to_end},
    {"in_a_function_up_to_end", NULL, NULL, NULL, in_a_function_up_to_end},
    {"other_way_of_a_function", NULL, NULL, NULL, other_way_of_a_function},
    {"atomic_up_to_end", NULL, NULL, NULL, atomic_up_to_end},
    {"recorded_only", NULL, NULL, NULL, recorded_only},
};

int main(int argc, char **argv) { return RUN_PART(PARTS); }

/* Kernels that kernels enqueue, and commands of a command-buffer, which race with each other, or nearly do. */
#include "check.h"

/* Kernels of 64 work-items in groups of 16, or as many as a part says. */
static const char *const FAMILIES =
    "#define ENQUEUE(flags, n, ...) enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_##flags, ndrange_1D(n), "
    "__VA_ARGS__)\n"
    "#define AFTER(event) 1, &event, NULL\n"
    "#define GIVES(event) 0, NULL, &event\n"
    "#define ME get_global_id(0)\n"

    /* One of many enqueues a child that reads what all write. */
    "#define ALL_WRITE(name, between, flags, one) \\\n"
    "    kernel void name(global int *a, global int *b) { \\\n"
    "        a[ME] = ME; \\\n"
    "        between; \\\n"
    "        if (one) ENQUEUE(flags, 64, ^{ b[ME] = a[63 - ME]; }); \\\n"
    "    }\n"
    "ALL_WRITE(child_reads_too_early, , NO_WAIT, ME == 0)\n"
    "ALL_WRITE(barrier_of_one_group, barrier(CLK_GLOBAL_MEM_FENCE), NO_WAIT, ME == 0)\n"
    "ALL_WRITE(waits_for_one_group, , WAIT_WORK_GROUP, ME == 0)\n"
    "ALL_WRITE(waits_for_kernel, , WAIT_KERNEL, ME == 0)\n"
    "kernel void each_group_enqueues(global int *a, global int *b) {\n"
    "    a[ME] = ME;\n"
    "    global int *to = b + 64 * get_group_id(0);\n"
    "    if (get_local_id(0) == 3) ENQUEUE(WAIT_KERNEL, 64, ^{ to[ME] = a[63 - ME]; });\n"
    "}\n"
    "kernel void last_group(global int *a, volatile global int *b) {\n"
    "    a[ME] = ME;\n"
    "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "    if (get_local_id(0) == 0) {\n"
    "        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);\n"
    "        if (atomic_inc(b) == get_num_groups(0) - 1) {\n"
    "            atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);\n"
    "            ENQUEUE(NO_WAIT, 64, ^{ b[1 + ME] = a[63 - ME]; });\n"
    "        }\n"
    "    }\n"
    "}\n"

    /* Of one work-item. */
    "kernel void parent_goes_on(global int *a, global int *b) {\n"
    "    ENQUEUE(NO_WAIT, 64, ^{ a[ME] = 5; });\n"
    "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "    b[0] = a[7];\n"
    "}\n"
    /* Of 1024 numbers. */
    "kernel void child_writes_behind(global int *a, global int *b) { ENQUEUE(NO_WAIT, 64, ^{ a[961 + ME] = 1; }); }\n"
    "kernel void child_writes_last(global int *a, global int *b) { ENQUEUE(NO_WAIT, 64, ^{ a[960 + ME] = 1; }); }\n"
    "kernel void group_reads_again(global int *a, global int *b) {\n"
    "    a[ME] = ME;\n"
    "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "    if (ME == 3) ENQUEUE(NO_WAIT, 64, ^{ b[ME] = a[63 - ME]; });\n"
    "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "    b[64 + ME] = a[63 - ME];\n"
    "}\n"
    "kernel void all_read(global int *a, global int *b) {\n"
    "    b[ME] = a[5];\n"
    "    if (ME == 0) ENQUEUE(NO_WAIT, 1, ^{ a[5] = 1; });\n"
    "}\n"
    "kernel void parent_and_child_read(global int *a, global int *b) {\n"
    "    b[0] = a[5];\n"
    "    ENQUEUE(NO_WAIT, 1, ^{ b[1] = a[5]; });\n"
    "    float x = b[0];\n"
    "    for (int i = 0; i < 1000000; i++) x = sin(x) + 1;\n"
    "    b[2] = x;\n"
    "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "    a[5] = 3;\n"
    "}\n"
    "void part(global int *a, global int *b) {\n"
    "    a[ME] = ME;\n"
    "    sub_group_barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "    uint n = get_sub_group_size(), last = ME;\n"
    "    if (get_sub_group_local_id() == n - 1) ENQUEUE(NO_WAIT, n, ^{ b[last - ME] = a[last - ME]; });\n"
    "}\n"
    "kernel void sub_group_has_met(global int *a, global int *b) { ENQUEUE(NO_WAIT, 64, ^{ part(a, b); }); }\n"
    "void count(global int *a, global int *b, int n) {\n"
    "    a[n] = n;\n"
    "    global atomic_int *counter = (global atomic_int *)b;\n"
    "    int before = atomic_fetch_add_explicit(counter, 1, memory_order_acq_rel, memory_scope_device);\n"
    "    a[10 + n] = before & 1;\n"
    "}\n"
    "kernel void last_child(global int *a, global int *b) {\n"
    "    clk_event_t e, f;\n"
    "    ENQUEUE(NO_WAIT, 1, GIVES(e), ^{ count(a, b, 1); });\n"
    "    ENQUEUE(NO_WAIT, 1, GIVES(f), ^{ count(a, b, 2); });\n"
    "    ENQUEUE(NO_WAIT, 1, AFTER(e), ^{ if (a[11]) b[2] = a[1] + a[2]; });\n"
    "    ENQUEUE(NO_WAIT, 1, AFTER(f), ^{ if (a[12]) b[2] = a[1] + a[2]; });\n"
    "}\n"
    /* Of two launches that count in one place the child is behind both. */
    "void counts(global int *a, global int *b) {\n"
    "    ENQUEUE(WAIT_WORK_GROUP, 1, ^{ b[0] = a[0]; });\n"
    "    atomic_inc(a);\n"
    "}\n"
    "kernel void two_launches_count(global int *a, global int *b) {\n"
    "    atomic_inc(a);\n"
    "    ENQUEUE(NO_WAIT, 1, ^{ counts(a, b); });\n"
    "}\n"
    "kernel void three_hundred_write(global int *a, global int *b) {\n"
    "    for (int i = 0; i < 300; i++) ENQUEUE(NO_WAIT, 1, ^{ a[0] = i; });\n"
    "}\n"
    "kernel void last_resets(global int *a, volatile global int *b) {\n"
    "    b[64 + ME] = a[5];\n"
    "    float x = ME;\n"
    "    for (int i = 0; get_group_id(0) == 0 && i < 100000; i++) x = sin(x) + 1;\n"
    "    b[128 + ME] = x;\n"
    "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "    if (get_local_id(0) == 0) {\n"
    "        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);\n"
    "        if (atomic_inc(b) == get_num_groups(0) - 1) {\n"
    "            atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);\n"
    "            a[5] = 0;\n"
    "        }\n"
    "    }\n"
    "}\n"
    /* Of 24 work-items of a group, of which the last ones take long. */
    "kernel void waits_for_its_group(global int *a, global int *b) {\n"
    "    if (ME == 3) ENQUEUE(WAIT_WORK_GROUP, 24, ^{ b[ME] = a[ME]; });\n"
    "    float x = ME;\n"
    "    for (int i = 0; ME > 16 && i < 10000; i++) x = sin(x) + 1;\n"
    "    a[ME] = x == 12345 ? 2 : 1;\n"
    "}\n"
    "kernel void parent_goes_on_elsewhere(global int *a, global int *b) {\n"
    "    a[7] = 3;\n"
    "    ENQUEUE(NO_WAIT, 64, ^{ a[ME] += 5; });\n"
    "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "    b[0] = a[64];\n"
    "}\n"

    "#define TWO(name, flags, second, left, right) \\\n"
    "    kernel void name(global int *a, global int *b) { \\\n"
    "        clk_event_t e, f; \\\n"
    "        ENQUEUE(flags, 64, GIVES(e), ^{ left; }); \\\n"
    "        ENQUEUE(flags, 64, second, ^{ right; }); \\\n"
    "        release_event(e); \\\n"
    "    }\n"
    "TWO(children_write, NO_WAIT, GIVES(f), a[ME] = 1, a[ME] = 2)\n"
    "TWO(children_that_wait_write, WAIT_KERNEL, GIVES(f), a[ME] = 1, a[63 - ME] = 2)\n"
    "TWO(child_waits, NO_WAIT, AFTER(e), a[ME] = 1, a[63 - ME] = 2)\n"
    "TWO(children_apart, NO_WAIT, GIVES(f), a[ME] = 1, a[64 + ME] = 2)\n"
    "TWO(children_read, NO_WAIT, GIVES(f), b[ME] = a[5], b[64 + ME] = a[5])\n"
    "TWO(children_count, NO_WAIT, GIVES(f), atomic_inc(a), atomic_inc(a))\n"
    /* Both of which have one access. */
    "kernel void child_reads_what_both_write(global int *a, global int *b) {\n"
    "    ENQUEUE(NO_WAIT, 8, ^{ a[ME] = 1; });\n"
    "    ENQUEUE(NO_WAIT, 8, ^{ a[8 + ME] = 2; });\n"
    "    ENQUEUE(NO_WAIT, 16, ^{\n"
    "        float x = ME;\n"
    "        for (int i = 0; i < 100000; i++) x = sin(x) + 1;\n"
    "        b[ME] = x + a[ME];\n"
    "    });\n"
    "}\n"

    "#define THREE(name, waits, ...) \\\n"
    "    kernel void name(global int *a, global int *b) { \\\n"
    "        clk_event_t e, f, m; \\\n"
    "        ENQUEUE(NO_WAIT, 64, GIVES(e), ^{ a[ME] = 1; }); \\\n"
    "        ENQUEUE(NO_WAIT, 64, GIVES(f), ^{ a[64 + ME] = 2; }); \\\n"
    "        clk_event_t list[] = {__VA_ARGS__}; \\\n"
    "        enqueue_marker(get_default_queue(), waits, list, &m); \\\n"
    "        ENQUEUE(NO_WAIT, 64, AFTER(m), ^{ b[ME] = a[ME] + a[64 + ME]; }); \\\n"
    "    }\n"
    "THREE(marker_of_one, 1, e)\n"
    "THREE(marker_of_other, 1, f)\n"
    "THREE(marker_of_both, 2, e, f)\n"

    /* A child waits for what a user event tells, which comes from a child, or from elsewhere. */
    "kernel void user_event_from_elsewhere(global int *a, global int *b) {\n"
    "    clk_event_t user = create_user_event();\n"
    "    ENQUEUE(NO_WAIT, 64, AFTER(user), ^{ b[ME] = a[ME]; });\n"
    "    ENQUEUE(NO_WAIT, 1, ^{ a[9] = 1; });\n"
    "    set_user_event_status(user, CL_COMPLETE);\n"
    "}\n"
    "kernel void user_event_from_child(global int *a, global int *b) {\n"
    "    clk_event_t user = create_user_event();\n"
    "    ENQUEUE(NO_WAIT, 64, AFTER(user), ^{ b[ME] = a[ME]; });\n"
    "    ENQUEUE(NO_WAIT, 1, ^{ a[9] = 1; set_user_event_status(user, CL_COMPLETE); });\n"
    "}\n"

    /* Grandchildren. */
    "void child_with_child(global int *a) {\n"
    "    a[0] = 1;\n"
    "    ENQUEUE(NO_WAIT, 64, ^{ a[1 + ME] = a[0]; });\n"
    "}\n"
    "kernel void grandchild_is_waited_for(global int *a, global int *b) {\n"
    "    clk_event_t e;\n"
    "    ENQUEUE(NO_WAIT, 1, GIVES(e), ^{ child_with_child(a); });\n"
    "    ENQUEUE(NO_WAIT, 64, AFTER(e), ^{ b[ME] = a[1 + ME]; });\n"
    "}\n"
    "kernel void grandchild_beside_child(global int *a, global int *b) {\n"
    "    ENQUEUE(NO_WAIT, 1, ^{ child_with_child(a); });\n"
    "    ENQUEUE(NO_WAIT, 64, ^{ b[ME] = a[1 + ME]; });\n"
    "}\n"
    "kernel void grandchild_beside_parent(global int *a, global int *b) {\n"
    "    ENQUEUE(NO_WAIT, 1, ^{ ENQUEUE(NO_WAIT, 1, ^{ a[5] = 1; }); });\n"
    "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "    b[0] = a[5];\n"
    "}\n"
    "void step(global int *a, int n) {\n"
    "    a[n] = a[n - 1] + 1;\n"
    "    if (n < 200) ENQUEUE(NO_WAIT, 1, ^{ step(a, n + 1); });\n"
    "}\n"
    "kernel void generations(global int *a, global int *b) { step(a, 1); }\n";

static cl_command_queue default_queue(void) {
    const cl_queue_properties list[] = {
        CL_QUEUE_PROPERTIES,
        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT, 0};
    cl_int status;
    cl_command_queue made = clCreateCommandQueueWithProperties(s.context, s.device, list, &status);
    CHECK(status);
    return made;
}

/* Runs a kernel of so many work-items in groups of `local`, twice. */
static void family(const char *name, size_t items, size_t local) {
    cl_int status;
    cl_command_queue own = default_queue();
    cl_program families = build_program(&s, FAMILIES, "-cl-std=CL3.0");
    cl_kernel parent = clCreateKernel(families, name, &status);
    CHECK(status);
    CHECK(clSetKernelArg(parent, 0, sizeof a, &a));
    CHECK(clSetKernelArg(parent, 1, sizeof b, &b));
    for (int i = 0; i < 2; i++) {
        drop(fill(q, b, 0, N, 0, NULL));
        CHECK(clEnqueueNDRangeKernel(q, parent, 1, NULL, &items, &local, 0, NULL, NULL));
    }
    CHECK(clFinish(q));
    CHECK(clReleaseKernel(parent));
    CHECK(clReleaseProgram(families));
    CHECK(clReleaseCommandQueue(own));
}

#define ONE(name) static void name(void) { family(#name, 1, 1); }
#define GROUPS(name) static void name(void) { family(#name, 64, 16); }
#define GROUP(name) static void name(void) { family(#name, 64, 64); }

GROUP(child_reads_too_early)
GROUP(barrier_of_one_group)
GROUP(waits_for_one_group)
GROUPS(waits_for_kernel)
GROUPS(each_group_enqueues)
GROUPS(last_group)
static void barrier_of_one_of_groups(void) { family("barrier_of_one_group", 64, 16); }
static void waits_for_one_of_groups(void) { family("waits_for_one_group", 64, 16); }
GROUP(group_reads_again)
GROUP(all_read)
ONE(sub_group_has_met)
ONE(last_child)
ONE(two_launches_count)
ONE(three_hundred_write)
GROUPS(last_resets)
static void waits_for_its_group(void) { family("waits_for_its_group", 48, 24); }
ONE(child_writes_behind)
ONE(child_writes_last)
ONE(parent_goes_on)
ONE(parent_and_child_read)
ONE(parent_goes_on_elsewhere)
ONE(children_write)
ONE(children_that_wait_write)
ONE(child_waits)
ONE(children_apart)
ONE(children_read)
ONE(children_count)
ONE(child_reads_what_both_write)
ONE(marker_of_one)
ONE(marker_of_other)
ONE(marker_of_both)
ONE(user_event_from_elsewhere)
ONE(user_event_from_child)
ONE(grandchild_is_waited_for)
ONE(grandchild_beside_child)
ONE(grandchild_beside_parent)
ONE(generations)

/* -------- Command-buffers -------- */

#define FIND(result, name, ...) \
    result(CL_API_CALL *name)(__VA_ARGS__) = (result(CL_API_CALL *)(__VA_ARGS__)) \
        clGetExtensionFunctionAddressForPlatform(s.platform, #name)

/* What is recorded: `put`, and then `get` or a fill of a part of its memory, with or without what orders the two. */
static void recorded(cl_command_queue on, int fills, size_t from, int waits) {
    FIND(void *, clCreateCommandBufferKHR, cl_uint, const cl_command_queue *, const cl_ulong *, cl_int *);
    FIND(cl_int, clReleaseCommandBufferKHR, void *);
    FIND(cl_int, clFinalizeCommandBufferKHR, void *);
    FIND(cl_int, clEnqueueCommandBufferKHR, cl_uint, cl_command_queue *, void *, cl_uint, const cl_event *, cl_event *);
    FIND(cl_int, clCommandFillBufferKHR, void *, cl_command_queue, const cl_ulong *, cl_mem, const void *, size_t,
         size_t, size_t, cl_uint, const cl_uint *, cl_uint *, void **);
    FIND(cl_int, clCommandNDRangeKernelKHR, void *, cl_command_queue, const cl_ulong *, cl_kernel, cl_uint,
         const size_t *, const size_t *, const size_t *, cl_uint, const cl_uint *, cl_uint *, void **);
    cl_int status;
    cl_uint point;
    const size_t items = N / 8;
    const int zero = 0;
    void *buffer = clCreateCommandBufferKHR(1, &on, NULL, &status);
    CHECK(status);
    CHECK(clCommandNDRangeKernelKHR(buffer, NULL, NULL, put, 1, NULL, &items, NULL, 0, NULL, &point, NULL));
    if (fills)
        CHECK(clCommandFillBufferKHR(buffer, NULL, NULL, a, &zero, 4, from, N - from, waits, waits ? &point : NULL,
                                     NULL, NULL));
    else
        CHECK(clCommandNDRangeKernelKHR(buffer, NULL, NULL, get, 1, &from, &items, NULL, waits, waits ? &point : NULL,
                                        NULL, NULL));
    CHECK(clFinalizeCommandBufferKHR(buffer));
    for (int i = 0; i < 2; i++) {
        CHECK(clEnqueueCommandBufferKHR(0, NULL, buffer, 0, NULL, NULL));
        CHECK(clFinish(on));
    }
    CHECK(clReleaseCommandBufferKHR(buffer));
}

static void recorded_kernels(void) { recorded(o, 0, 0, 0); }
static void recorded_fill(void) { recorded(o, 1, 0, 0); }
static void recorded_kernels_with_point(void) { recorded(o, 0, 0, 1); }
static void recorded_fill_with_point(void) { recorded(o, 1, 0, 1); }
static void recorded_kernels_in_order(void) { recorded(q, 0, 0, 0); }
static void recorded_kernels_apart(void) { recorded(o, 0, N / 8, 0); }

#define FAMILY_RACE(name) {#name, "race", "by another kernel of the command", NULL, name}
#define NO_RACE(name) {#name, NULL, NULL, NULL, name}

static const Part PARTS[] = {
    FAMILY_RACE(child_reads_too_early),
    FAMILY_RACE(barrier_of_one_of_groups),
    FAMILY_RACE(waits_for_one_of_groups),
    FAMILY_RACE(parent_goes_on),
    FAMILY_RACE(all_read),
    /* Of so many that some are forgotten when others race with them. */
    {"three_hundred_write", "race", "by another kernel", NULL, three_hundred_write},
    FAMILY_RACE(children_write),
    FAMILY_RACE(children_that_wait_write),
    FAMILY_RACE(child_reads_what_both_write),
    FAMILY_RACE(marker_of_one),
    FAMILY_RACE(marker_of_other),
    FAMILY_RACE(user_event_from_elsewhere),
    FAMILY_RACE(grandchild_beside_child),
    FAMILY_RACE(grandchild_beside_parent),
    /* With a kernel, whichever accesses first, and not within the work-group. */
    {"parent_and_child_read", "race", "kernel", NULL, parent_and_child_read},
    {"child_writes_behind", "memory", "write of 4 bytes behind the end of `a`", NULL, child_writes_behind},
    {"recorded_kernels", "race", "by another command", NULL, recorded_kernels},
    {"recorded_fill", "race", "nothing orders it", "clEnqueueCommandBufferKHR", recorded_fill},
    NO_RACE(child_writes_last),
    NO_RACE(barrier_of_one_group),
    NO_RACE(waits_for_one_group),
    NO_RACE(waits_for_kernel),
    NO_RACE(each_group_enqueues),
    NO_RACE(last_group),
    NO_RACE(parent_goes_on_elsewhere),
    NO_RACE(group_reads_again),
    NO_RACE(sub_group_has_met),
    NO_RACE(last_child),
    NO_RACE(two_launches_count),
    NO_RACE(last_resets),
    NO_RACE(waits_for_its_group),
    NO_RACE(child_waits),
    NO_RACE(children_apart),
    NO_RACE(children_read),
    NO_RACE(children_count),
    NO_RACE(marker_of_both),
    NO_RACE(user_event_from_child),
    NO_RACE(grandchild_is_waited_for),
    NO_RACE(generations),
    NO_RACE(recorded_kernels_with_point),
    NO_RACE(recorded_fill_with_point),
    NO_RACE(recorded_kernels_in_order),
    NO_RACE(recorded_kernels_apart),
};

int main(int argc, char **argv) { return RUN_PART(PARTS); }

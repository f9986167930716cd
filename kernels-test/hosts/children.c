/* Kernels that enqueue kernels. Blocks called plainly; a quicksort whose parts are children; local arguments; events,
 * markers, times; all flags; the queue that is full, the default one and others; then what must end: a chain of a
 * million launches in flat memory, a user event that nobody sets, a family without end beside another queue, and calls
 * that are wrong. */
#include "common.h"
#include <unistd.h>

enum { N = 1 << 15, LINKS = 1000000 };

static const char *const source =
    "typedef int (^Op)(int);\n"
    "constant int factor = 7;\n"
    "int (^constant times_factor)(int) = ^int(int n) { return factor * n; };\n"
    "typedef struct { int a[3]; short b; } Record;\n"
    "int helper(int n) { int own = 17; Op op = ^(int k) { return own * k; }; return 111 - op(n + 1); }\n"
    "kernel void plain(global int *out, int m) {\n"
    "    size_t i = get_global_id(0);\n"
    "    Op by_value = ^(int n) { return n * m; };\n"
    "    m += 100;\n"
    "    int array[2] = { 0, 1 };\n"
    "    Op by_reference = ^(int n) { return n + array[1]; };\n"
    "    array[1] = 8;\n"
    "    Record record = { { 1, 2, 3 }, 4 };\n"
    "    int (^of_record)(Record) = ^int(Record r) { r.b += record.b; return r.a[2] * record.a[1] + r.b; };\n"
    "    record.b = 40;\n"
    "    int (^nested)(int) = ^(int n) { int (^inner)(int) = ^(int k) { return m * k; }; return n * inner(3); };\n"
    "    Op copy = by_value;\n"
    "    int sum = 0;\n"
    "    for (int k = copy(1); k < by_value(2); k += ^{ return 1; }()) sum += k;\n"
    "    out[10 * i + 0] = copy(5) + times_factor(2); out[10 * i + 1] = by_reference(2);\n"
    "    out[10 * i + 2] = of_record(record); out[10 * i + 3] = nested(2); out[10 * i + 4] = helper(5);\n"
    "    out[10 * i + 5] = ^int(int n) { return n + (int)i; }(3); out[10 * i + 6] = sum;\n"
    "    bool later = i > 5; void (^store)(global int *) = ^(global int *to) { *to = later; };\n"
    "    if (i & 1) store(out + 10 * i + 7);\n"
    "}\n"
    "void sort(global int *a, int low, int high) {\n"
    "    while (high - low > 16) {\n"
    "        int pivot = a[low + (high - low) / 2], i = low, j = high - 1;\n"
    "        for (;; i++, j--) {\n"
    "            while (a[i] < pivot) i++;\n"
    "            while (a[j] > pivot) j--;\n"
    "            if (i >= j) break;\n"
    "            int t = a[i]; a[i] = a[j]; a[j] = t;\n"
    "        }\n"
    "        int first = low, middle = j + 1;\n"
    "        void (^part)(void) = ^{ sort(a, first, middle); };\n"
    "        if (enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), part)) a[low] = -1;\n"
    "        low = middle;\n"
    "    }\n"
    "    for (int i = low + 1; i < high; i++) {\n"
    "        int x = a[i], j = i;\n"
    "        for (; j > low && a[j - 1] > x; j--) a[j] = a[j - 1];\n"
    "        a[j] = x;\n"
    "    }\n"
    "}\n"
    "kernel void quicksort(global int *a, int n) { sort(a, 0, n); }\n"
    "kernel void sums(global int *out, global const int *in, int groups, int size) {\n"
    "    ndrange_t range = ndrange_1D(0, groups * size, size);\n"
    "    int error = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, range,\n"
    "        ^(local void *space, local int *total) {\n"
    "            local int *mine = space; int l = get_local_id(0);\n"
    "            mine[l] = in[get_global_id(0)];\n"
    "            barrier(CLK_LOCAL_MEM_FENCE);\n"
    "            if (l == 0) { *total = 0; for (int k = 0; k < size; k++) *total += mine[k]; }\n"
    "            barrier(CLK_LOCAL_MEM_FENCE);\n"
    "            if (l == size - 1) out[get_group_id(0)] = *total;\n"
    "        }, (uint)(size * sizeof(int)), (uint)sizeof(int));\n"
    "    if (error) out[0] = error;\n"
    "}\n"
    "kernel void events(global int *out, global ulong *times) {\n"
    "    size_t i = get_global_id(0);\n"
    "    global int *mine = out + 8 * i;\n"
    "    queue_t q = get_default_queue(); ndrange_t one = ndrange_1D(1);\n"
    "    clk_event_t user = create_user_event(), both[2], marker, last;\n"
    "    mine[0] = 1;\n"
    "    mine[1] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 1, &user, &both[0], ^{ mine[0] = 2; });\n"
    "    mine[1] |= enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 1, &both[0], &both[1],\n"
    "        ^{ mine[2] = mine[0] == 2; });\n"
    "    capture_event_profiling_info(both[0], CLK_PROFILING_COMMAND_EXEC_TIME, times + 4 * i);\n"
    "    mine[1] |= enqueue_marker(q, 2, both, &marker);\n"
    "    clk_event_t second = both[1];\n"
    "    mine[1] |= enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, one, 1, &marker, &last, ^{\n"
    "        mine[3] = mine[2];\n"
    "        capture_event_profiling_info(second, CLK_PROFILING_COMMAND_EXEC_TIME, times + 4 * i + 2);\n"
    "        release_event(second);\n"
    "    });\n"
    "    mine[4] = mine[0];\n"
    "    mine[5] = is_valid_event(user) + 2 * is_valid_event(CLK_NULL_EVENT) + 4 * (last == CLK_NULL_EVENT);\n"
    "    set_user_event_status(user, CL_COMPLETE);\n"
    "    retain_event(user); release_event(user); release_event(user); mine[6] = is_valid_event(user);\n"
    "    release_event(both[0]); release_event(marker); release_event(last);\n"
    "}\n"
    "kernel void flags(global int *out, global int *done) {\n"
    "    size_t n = get_global_size(0), size = get_local_size(0), first = get_group_id(0) * size;\n"
    "    out[get_global_id(0)] = 1;\n"
    "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "    if (get_global_id(0) == 0)\n"
    "        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{\n"
    "            int sum = 0; for (size_t k = 0; k < n; k++) sum += out[k] & 1; done[0] = sum; });\n"
    "    if (get_local_id(0) == 0)\n"
    "        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(1), ^{\n"
    "            int sum = 0; for (size_t k = 0; k < size; k++) sum += (out[first + k] & 4) != 0;\n"
    "            if (sum == size) atomic_inc(done + 1); });\n"
    "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "    atomic_or(out + get_global_id(0), 4);\n"
    "}\n"
    "void link(global uint *count, uint n, int how) {\n"
    "    *count += 1;\n"
    "    if (n == 0) return;\n"
    "    clk_event_t e;\n"
    "    int error = how == 2\n"
    "        ? enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), 0, NULL, &e,\n"
    "              ^{ link(count, n - 1, how); })\n"
    "        : enqueue_kernel(get_default_queue(), how, ndrange_1D(1), ^{ link(count, n - 1, how); });\n"
    "    if (error) *count = error;\n"
    "    if (how == 2) release_event(e);\n"
    "}\n"
    "kernel void chain(global uint *count, uint n, int how) { link(count, n, how); }\n"
    "kernel void fill(queue_t q, global int *out, uint n, int local_bytes) {\n"
    "    clk_event_t user = create_user_event();\n"
    "    out[0] = 0; out[2] = 0;\n"
    "    for (uint k = 0; k < n; k++) {\n"
    "        int error = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &user, NULL,\n"
    "            ^{ atomic_inc(out + 2); });\n"
    "        if (error) { out[1] = error; break; }\n"
    "        out[0]++;\n"
    "    }\n"
    "    set_user_event_status(user, 0); release_event(user);\n"
    "}\n"
    "kernel void queues(queue_t q, queue_t other, global int *out) {\n"
    "    queue_t found = get_default_queue();\n"
    "    out[0] = (found == q) + 2 * (found == other) + 4 * (found == CLK_NULL_QUEUE) + 8 * (q != other);\n"
    "}\n"
    "kernel void never(global int *out) {\n"
    "    clk_event_t user = create_user_event(), e;\n"
    "    out[0] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &user, &e,\n"
    "        ^{ out[1] = 1; });\n"
    "    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ out[2] = 1; });\n"
    "}\n"
    "kernel void failing(global int *out, int status) {\n"
    "    clk_event_t user = create_user_event();\n"
    "    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &user, NULL,\n"
    "        ^{ out[1] = 1; });\n"
    "    set_user_event_status(user, status);\n"
    "}\n"
    /* The host writes while this reads. */
    "void go_on(volatile global int *stop, global int *turns) {\n"
    "    atomic_inc(turns);\n"
    "    if (*stop == 0)\n"
    "        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1),\n"
    "            ^{ go_on(stop, turns); });\n"
    "}\n"
    "kernel void endless(global int *stop, global int *turns) { go_on(stop, turns); }\n"
    "kernel void simple(global int *out) { out[get_global_id(0)] = get_global_id(0); }\n"
    "kernel void wrong(global int *out, queue_t q, global ulong *forged, int n) {\n"
    "    size_t i = get_global_id(0);\n"
    "    ndrange_t one = ndrange_1D(1), bad, zero = ndrange_1D(0), odd = ndrange_1D(3, 5000000), none = ndrange_3D(\n"
    "        (size_t[3]){ 0, 0, 0 }, (size_t[3]){ 1, 0, 3 }, (size_t[3]){ 1, 1, 1 });\n"
    "    for (int k = 0; k < 80; k++) ((uchar *)&bad)[k] = 0xff;\n"
    "    queue_t bad_q; *(ulong *)&bad_q = forged[i % n];\n"
    "    clk_event_t bad_e, e = CLK_NULL_EVENT; *(ulong *)&bad_e = forged[i % n];\n"
    "    void (^block)(void) = ^{ atomic_inc(out + 20); };\n"
    "    int r[12];\n"
    "    r[0] = enqueue_kernel(bad_q, 0, one, block);\n"
    "    r[1] = enqueue_kernel(CLK_NULL_QUEUE, 0, one, block);\n"
    "    r[2] = enqueue_kernel(q, 0, bad, block);\n"
    "    r[3] = enqueue_kernel(q, 0, odd, block);\n"
    "    r[4] = enqueue_kernel(q, 0, one, 1, NULL, NULL, block);\n"
    "    r[5] = enqueue_kernel(q, 0, one, 0, &bad_e, &e, block);\n"
    "    r[6] = enqueue_kernel(q, 0, one, 1, &bad_e, &e, block);\n"
    "    r[7] = enqueue_kernel(q, 0, one, ^(local void *p) { atomic_inc(out + 20); }, 0);\n"
    "    r[8] = enqueue_kernel(q, 0, one, ^(local void *p) { atomic_inc(out + 20); }, 0x7fffffff);\n"
    "    r[9] = enqueue_kernel(q, 77, one, block);\n"
    "    r[10] = enqueue_marker(q, 1, &bad_e, &e);\n"
    "    r[11] = enqueue_marker(bad_q, 0, NULL, &e);\n"
    "    for (int k = 0; k < 12; k++) if (i == 0) out[k] = r[k]; else if (r[k] >= 0) atomic_inc(out + 21);\n"
    "    retain_event(bad_e); release_event(bad_e); set_user_event_status(bad_e, 0);\n"
    "    capture_event_profiling_info(bad_e, CLK_PROFILING_COMMAND_EXEC_TIME, forged);\n"
    "    if (is_valid_event(bad_e) || e != CLK_NULL_EVENT) atomic_inc(out + 21);\n"
    "    if (enqueue_kernel(q, 0, zero, block) || enqueue_kernel(q, 0, none, block)) atomic_inc(out + 21);\n"
    "}\n"
    "kernel void sizes(global uint *out) {\n"
    "    void (^block)(local void *) = ^(local void *p) { out[4] = *(local uint *)p; };\n"
    "    out[0] = get_kernel_work_group_size(block);\n"
    "    out[1] = get_kernel_preferred_work_group_size_multiple(block);\n"
    "    out[2] = get_kernel_sub_group_count_for_ndrange(ndrange_1D(1024, 64), block);\n"
    "    out[3] = get_kernel_max_sub_group_size_for_ndrange(ndrange_1D(1024, 64), block);\n"
    "}\n";

static Setup s;
static cl_program program, telling;
static cl_command_queue device_queue;

static cl_command_queue new_device_queue(cl_command_queue_properties more, cl_uint size) {
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES,
                                        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE | more,
                                        CL_QUEUE_SIZE, size, 0};
    cl_int status;
    cl_command_queue queue = clCreateCommandQueueWithProperties(s.context, s.device, list, &status);
    CHECK(status);
    return queue;
}

static cl_mem zeros(size_t bytes) {
    cl_mem mem = new_buffer(&s, CL_MEM_READ_WRITE, bytes, NULL);
    CHECK(clEnqueueFillBuffer(s.queue, mem, &(cl_uint){0}, 4, 0, bytes, 0, NULL, NULL));
    CHECK(clFinish(s.queue));
    return mem;
}

static void fetch(cl_mem mem, size_t bytes, void *to) {
    CHECK(clEnqueueReadBuffer(s.queue, mem, CL_TRUE, 0, bytes, to, 0, NULL, NULL));
}

/* Runs a kernel and gives the state in which it ended. */
static cl_int ended(cl_kernel kernel, size_t items, size_t group) {
    cl_event event;
    cl_int state;
    CHECK(clEnqueueNDRangeKernel(s.queue, kernel, 1, NULL, &items, &group, 0, NULL, &event));
    CHECK(clFinish(s.queue));
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
    CHECK(clReleaseEvent(event));
    return state;
}

static void run(cl_kernel kernel, size_t items, size_t group) {
    cl_int state = ended(kernel, items, group);
    if (state != CL_COMPLETE) fail("a kernel ended with %d", state);
}

static void plain(void) {
    enum { ITEMS = 77 };
    cl_kernel kernel = get_kernel(program, "plain");
    cl_mem out = zeros(40 * ITEMS);
    cl_int found[10 * ITEMS];
    SET_ARG(kernel, 0, out);
    SET_ARG(kernel, 1, ((cl_int){4}));
    run(kernel, ITEMS, 11);
    fetch(out, sizeof found, found);
    for (int i = 0; i < ITEMS; i++) {
        const cl_int wanted[8] = {34, 10, 3 * 2 + 44, 2 * 104 * 3, 9, 3 + i, 4 + 5 + 6 + 7, i % 2 && i > 5};
        for (int k = 0; k < 8; k++)
            if (found[10 * i + k] != wanted[k])
                fail("plain: %d of %d is %d, not %d", k, i, found[10 * i + k], wanted[k]);
    }
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseKernel(kernel));
}

static int compare(const void *a, const void *b) {
    return (*(cl_int *)a > *(cl_int *)b) - (*(cl_int *)a < *(cl_int *)b);
}

static void quicksort(void) {
    static cl_int numbers[N], found[N];
    unsigned state = 3;
    for (int i = 0; i < N; i++) numbers[i] = next_random(&state) % 10000;
    cl_kernel kernel = get_kernel(program, "quicksort");
    cl_mem a = new_buffer(&s, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof numbers, numbers);
    SET_ARG(kernel, 0, a);
    SET_ARG(kernel, 1, ((cl_int){N}));
    run(kernel, 1, 1);
    fetch(a, sizeof found, found);
    qsort(numbers, N, sizeof numbers[0], compare);
    for (int i = 0; i < N; i++)
        if (found[i] != numbers[i]) fail("quicksort: %d is %d, not %d", i, found[i], numbers[i]);
    CHECK(clReleaseMemObject(a));
    CHECK(clReleaseKernel(kernel));
}

static void local_arguments(void) {
    enum { GROUPS = 19, SIZE = 50 };
    cl_int numbers[GROUPS * SIZE], found[GROUPS];
    for (int i = 0; i < GROUPS * SIZE; i++) numbers[i] = i * i % 101;
    cl_kernel kernel = get_kernel(program, "sums");
    cl_mem in = new_buffer(&s, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof numbers, numbers);
    cl_mem out = zeros(sizeof found);
    SET_ARG(kernel, 0, out);
    SET_ARG(kernel, 1, in);
    SET_ARG(kernel, 2, ((cl_int){GROUPS}));
    SET_ARG(kernel, 3, ((cl_int){SIZE}));
    run(kernel, 1, 1);
    fetch(out, sizeof found, found);
    for (int g = 0; g < GROUPS; g++) {
        cl_int sum = 0;
        for (int i = 0; i < SIZE; i++) sum += numbers[g * SIZE + i];
        if (found[g] != sum) fail("sum %d is %d, not %d", g, found[g], sum);
    }
    CHECK(clReleaseMemObject(in));
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseKernel(kernel));
}

static void events(void) {
    enum { ITEMS = 500 };
    cl_kernel kernel = get_kernel(program, "events");
    cl_mem out = zeros(32 * ITEMS), times = zeros(32 * ITEMS);
    static cl_int found[8 * ITEMS];
    static cl_ulong ns[4 * ITEMS];
    SET_ARG(kernel, 0, out);
    SET_ARG(kernel, 1, times);
    run(kernel, ITEMS, 20);
    fetch(out, sizeof found, found);
    fetch(times, sizeof ns, ns);
    for (int i = 0; i < ITEMS; i++) {
        const cl_int wanted[7] = {2, 0, 1, 1, 1, 1, 0};
        for (int k = 0; k < 7; k++)
            if (found[8 * i + k] != wanted[k]) fail("events: %d of %d is %d", k, i, found[8 * i + k]);
        for (int k = 0; k < 4; k++)
            if (ns[4 * i + k] == 0 || ns[4 * i + k] < ns[4 * i + (k & 2)]) fail("time %d of %d", k, i);
    }
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseMemObject(times));
    CHECK(clReleaseKernel(kernel));
}

static void flags(void) {
    enum { ITEMS = 4096, SIZE = 32 };
    cl_kernel kernel = get_kernel(program, "flags");
    cl_mem out = zeros(4 * ITEMS), done = zeros(8);
    cl_int found[2];
    SET_ARG(kernel, 0, out);
    SET_ARG(kernel, 1, done);
    run(kernel, ITEMS, SIZE);
    fetch(done, sizeof found, found);
    EXPECT("work-items seen by the child of the kernel", found[0], ITEMS);
    EXPECT("groups seen whole by their children", found[1], ITEMS / SIZE);
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseMemObject(done));
    CHECK(clReleaseKernel(kernel));
}

/* Kilobytes in memory. */
static long resident(void) {
    FILE *file = fopen("/proc/self/statm", "r");
    long pages = 0, all = 0;
    if (!file || fscanf(file, "%ld %ld", &all, &pages) != 2) pages = 0;
    if (file) fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void chain(void) {
    cl_kernel kernel = get_kernel(program, "chain");
    cl_mem count = zeros(4);
    cl_uint found, total = 0;
    SET_ARG(kernel, 0, count);
    long before = 0;
    for (int turn = 0; turn < 6; turn++) {
        const cl_uint links = turn < 3 ? 1000 : turn == 3 ? LINKS : LINKS / 5;
        SET_ARG(kernel, 1, links);
        SET_ARG(kernel, 2, ((cl_int){(turn + 1) % 3}));
        run(kernel, 1, 1);
        total += links + 1;
        if (turn == 2) before = resident();
    }
    fetch(count, sizeof found, &found);
    EXPECT("links", found, total);
    /* The checks of races take a little for each launch. */
    if (resident() - before > (getenv("CLIFT_CHECK") ? 65536 : 8192))
        fail("a chain of launches has taken %ld KiB", resident() - before);
    CHECK(clReleaseMemObject(count));
    CHECK(clReleaseKernel(kernel));
}

static void full(void) {
    for (int tells = 0; tells < 2; tells++) {
        cl_kernel kernel = get_kernel(tells ? telling : program, "fill");
        cl_command_queue small = new_device_queue(0, 16384);
        cl_mem out = zeros(12);
        cl_int found[3];
        SET_ARG(kernel, 0, small);
        SET_ARG(kernel, 1, out);
        SET_ARG(kernel, 2, ((cl_uint){100000}));
        SET_ARG(kernel, 3, ((cl_int){0}));
        for (int turn = 0; turn < 3; turn++) {
            run(kernel, 1, 1);
            fetch(out, sizeof found, found);
            if (found[0] < 8 || found[0] > 1000) fail("%d children were taken by a small queue", found[0]);
            EXPECT("the error", found[1], tells ? -161 : -101);
            EXPECT("children that ran", found[2], found[0]);
        }
        /* Enqueued, the queue lives as long as the kernel. */
        CHECK(clEnqueueNDRangeKernel(s.queue, kernel, 1, NULL, (size_t[]){1}, NULL, 0, NULL, NULL));
        CHECK(clReleaseCommandQueue(small));
        fetch(out, sizeof found, found);
        EXPECT("children that ran", found[2], found[0]);
        CHECK(clReleaseMemObject(out));
        CHECK(clReleaseKernel(kernel));
    }
}

static cl_int default_seen(cl_command_queue q, cl_command_queue other) {
    cl_kernel kernel = get_kernel(program, "queues");
    cl_mem out = zeros(4);
    cl_int found;
    SET_ARG(kernel, 0, q);
    SET_ARG(kernel, 1, other);
    SET_ARG(kernel, 2, out);
    run(kernel, 1, 1);
    fetch(out, sizeof found, &found);
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseKernel(kernel));
    return found;
}

static void queues(void) {
    cl_command_queue other = new_device_queue(0, 16384), seen;
    cl_uint size;
    EXPECT("the default", default_seen(device_queue, other), 1 + 8);
    CHECK(clSetDefaultDeviceCommandQueue(s.context, s.device, other));
    EXPECT("the default", default_seen(device_queue, other), 2 + 8);
    CHECK(clGetCommandQueueInfo(s.queue, CL_QUEUE_DEVICE_DEFAULT, sizeof seen, &seen, NULL));
    if (seen != other) fail("the default is another one");
    /* There is one: it is given. */
    cl_command_queue again = new_device_queue(CL_QUEUE_ON_DEVICE_DEFAULT, 16384);
    if (again != other) fail("there are two defaults");
    CHECK(clReleaseCommandQueue(again));
    CHECK(clSetDefaultDeviceCommandQueue(s.context, s.device, device_queue));
    CHECK(clGetCommandQueueInfo(other, CL_QUEUE_SIZE, sizeof size, &size, NULL));
    EXPECT("the size", size, 16384);
    CHECK(clReleaseCommandQueue(other));
    EXPECT("the default", default_seen(device_queue, device_queue), 1 + 2);
}

static void failures(void) {
    cl_kernel never = get_kernel(program, "never"), failing = get_kernel(program, "failing");
    cl_mem out = zeros(12);
    cl_int found[3];
    SET_ARG(never, 0, out);
    EXPECT("the state after a user event that nobody sets", ended(never, 1, 1) < 0, 1);
    fetch(out, sizeof found, found);
    EXPECT("what waited has run", found[1], 0);
    EXPECT("the other child has run", found[2], 1);
    SET_ARG(failing, 0, out);
    SET_ARG(failing, 1, ((cl_int){-77}));
    EXPECT("the state", ended(failing, 1, 1), -77);
    fetch(out, sizeof found, found);
    EXPECT("what waited has run", found[1], 0);
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseKernel(never));
    CHECK(clReleaseKernel(failing));
}

static void endless(void) {
    cl_int status, found[64];
    cl_command_queue other = clCreateCommandQueueWithProperties(s.context, s.device, NULL, &status);
    CHECK(status);
    cl_kernel kernel = get_kernel(program, "endless"), simple = get_kernel(program, "simple");
    cl_mem turns = zeros(4), out = zeros(256);
    cl_int *stop = clSVMAlloc(s.context, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, sizeof *stop, 0);
    if (!stop) fail("no shared memory");
    *stop = 0;
    CHECK(clSetKernelArgSVMPointer(kernel, 0, stop));
    SET_ARG(kernel, 1, turns);
    SET_ARG(simple, 0, out);
    CHECK(clEnqueueNDRangeKernel(s.queue, kernel, 1, NULL, (size_t[]){1}, NULL, 0, NULL, NULL));
    CHECK(clFlush(s.queue));
    for (int turn = 0; turn < 20; turn++) {
        CHECK(clEnqueueNDRangeKernel(other, simple, 1, NULL, (size_t[]){64}, NULL, 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(other, out, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
        for (int i = 0; i < 64; i++) EXPECT("an element", found[i], i);
    }
    __atomic_store_n(stop, 1, __ATOMIC_SEQ_CST);
    CHECK(clFinish(s.queue));
    fetch(turns, 4, found);
    if (found[0] < 1) fail("it has not run");
    clSVMFree(s.context, stop);
    CHECK(clReleaseMemObject(turns));
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseKernel(simple));
    CHECK(clReleaseCommandQueue(other));
}

static void wrong(void) {
    cl_ulong forged[256];
    unsigned state = 1;
    for (int i = 0; i < 256; i++) {
        const cl_ulong high = next_random(&state), low = next_random(&state);
        forged[i] = i < 4 ? -(cl_ulong)i : i < 64 ? 1ull << i : high << 40 ^ low << i % 40;
    }
    cl_mem numbers = new_buffer(&s, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof forged, forged);
    for (int tells = 0; tells < 2; tells++) {
        cl_kernel kernel = get_kernel(tells ? telling : program, "wrong");
        cl_mem out = zeros(88);
        cl_int found[22];
        SET_ARG(kernel, 0, out);
        SET_ARG(kernel, 1, device_queue);
        SET_ARG(kernel, 2, numbers);
        SET_ARG(kernel, 3, ((cl_int){256}));
        run(kernel, 1024, 32);
        fetch(out, sizeof found, found);
        const cl_int wanted[12] = {-102, -102, -160, -160, -57, -57, -57, -51, -5, -101, -57, -102};
        for (int k = 0; k < 12; k++)
            if (found[k] != (tells ? wanted[k] : -101)) fail("wrong call %d gives %d", k, found[k]);
        EXPECT("children that ran", found[20], 0);
        EXPECT("wrong calls that were taken", found[21], 0);
        CHECK(clReleaseMemObject(out));
        CHECK(clReleaseKernel(kernel));
    }
    CHECK(clReleaseMemObject(numbers));
}

static void sizes(void) {
    cl_kernel kernel = get_kernel(program, "sizes");
    cl_mem out = zeros(20);
    cl_uint found[4];
    SET_ARG(kernel, 0, out);
    run(kernel, 1, 1);
    fetch(out, sizeof found, found);
    if (found[0] < 1 || found[1] < 1 || found[3] < 1) fail("sizes are %u %u %u", found[0], found[1], found[3]);
    EXPECT("sub-groups", found[2], (64 + found[3] - 1) / found[3]);
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseKernel(kernel));
}

int main(void) {
    /* Waiting for ever is a failure. */
    alarm(200);
    s = open_device(CL_QUEUE_PROFILING_ENABLE);
    program = build_program(&s, source, "-cl-std=CL3.0");
    telling = build_program(&s, source, "-cl-std=CL3.0 -g");
    device_queue = new_device_queue(CL_QUEUE_ON_DEVICE_DEFAULT, 8 << 20);
    plain();
    quicksort();
    local_arguments();
    events();
    flags();
    chain();
    full();
    queues();
    failures();
    endless();
    wrong();
    sizes();
    CHECK(clReleaseCommandQueue(device_queue));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseProgram(telling));
    close_device(&s);
    return 0;
}

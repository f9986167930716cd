/* Builds and releases many programs, each another one, and watches the memory: `builds COUNT`. */
#include "common.h"
#include <unistd.h>

/* Resident memory in bytes. */
static long resident(void) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*d %ld", &pages) != 1) fail("no /proc/self/statm");
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

static Setup s;
static cl_mem buffer;

/* Builds so many programs, after as many others; by how many bytes memory has grown since their first tenth. */
static long build(int n, int after) {
    long before = 0;
    for (int i = after; i < after + n; i++) {
        /* The first tenth fills caches and arenas. */
        if (i == after + n / 10) before = resident();
        char source[256];
        snprintf(source, sizeof source,
                 "constant int table[4] = {%d, 2, 3, 4};\n"
                 "kernel void k%d(global int *a, int n) {\n"
                 "    int i = get_global_id(0);\n"
                 "    for (int j = 0; j < n; j++) a[i] = a[i] * 3 + table[j & 3] - %d;\n"
                 "}\n",
                 i, i % 100, i);
        cl_program program = build_program(&s, source, i % 3 ? "-DX=1" : "-cl-std=CL3.0");
        char name[16];
        snprintf(name, sizeof name, "k%d", i % 100);
        cl_kernel kernel = get_kernel(program, name);
        const cl_int zero = 0, one = 1;
        const size_t items = 64;
        SET_ARG(kernel, 0, buffer);
        SET_ARG(kernel, 1, one);
        CHECK(clEnqueueFillBuffer(s.queue, buffer, &zero, sizeof zero, 0, items * sizeof zero, 0, NULL, NULL));
        CHECK(clEnqueueNDRangeKernel(s.queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
        cl_int value = 1;
        CHECK(clEnqueueReadBuffer(s.queue, buffer, CL_TRUE, 4, sizeof value, &value, 0, NULL, NULL));
        if (value != 0) fail("program %d gives %d", i, value);
        CHECK(clReleaseKernel(kernel));
        CHECK(clReleaseProgram(program));
    }
    return resident() - before;
}

int main(int argc, char **argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 2000;
    s = open_device(0);
    buffer = new_buffer(&s, CL_MEM_READ_WRITE, 64 * sizeof(cl_int), NULL);
    const double start = now_ms();
    /* What the allocator keeps for itself does not depend on the count. On a busy machine threads come to have their
     * share of it later; what programs leave behind they leave again. */
    long growth;
    int n_built = 0;
    do {
        growth = build(n, n_built);
        n_built += n;
    } while (growth > 4 << 20 && n_built < 3 * n);
    const double ms = now_ms() - start;
    if (growth > 4 << 20) fail("%d programs left %ld KiB behind", n - n / 10, growth >> 10);
    CHECK(clReleaseMemObject(buffer));
    close_device(&s);
    printf("builds: %d programs, %.2f ms each, memory %+ld KiB\n", n_built, ms / n_built, growth >> 10);
    return 0;
}

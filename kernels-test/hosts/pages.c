/* Pixels of three bytes, and other elements a few apart, in host memory with pages in front and behind that allow no
 * access: kernels
 * touch nothing but what work-items access. */
#define _GNU_SOURCE
#include "common.h"
#include <sys/mman.h>

#define ITEMS 4096
#define PAGE 4096

static const char *const source =
    "kernel void gray(global const uchar *x, global uchar *y) {\n"
    "    int i = get_global_id(0);\n"
    "    y[i] = (x[3 * i] * 29 + x[3 * i + 1] * 150 + x[3 * i + 2] * 77) >> 8;\n"
    "}\n"
    "kernel void swap(global const uchar *x, global uchar *y) {\n"
    "    int i = get_global_id(0);\n"
    "    uchar b = x[3 * i], g = x[3 * i + 1], r = x[3 * i + 2];\n"
    "    y[3 * i] = r; y[3 * i + 1] = g; y[3 * i + 2] = b;\n"
    "}\n"
    "kernel void flip(global const uchar *x, global uchar *y) {\n"
    "    int i = get_global_id(0), n = get_global_size(0);\n"
    "    vstore3(vload3(n - 1 - i, x), i, y);\n"
    "}\n"
    "kernel void even(global const float *x, global float *y) {\n"
    "    int i = get_global_id(0);\n"
    "    y[i] = x[2 * i];\n"
    "}\n"
    "kernel void last(global const ushort *x, global ushort *y) {\n"
    "    int i = get_global_id(0);\n"
    "    y[4 * i + 3] = x[4 * i + 3];\n"
    "}\n";

static const struct {
    const char *name;
    size_t in, out;
} kernels[] = {{"gray", 3, 1}, {"swap", 3, 3}, {"flip", 3, 3}, {"even", 8, 4}, {"last", 8, 8}};

/* Memory of whole pages between two that allow no access. */
static unsigned char *new_pages(size_t bytes) {
    unsigned char *map = mmap(NULL, bytes + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED || mprotect(map + PAGE, bytes, PROT_READ | PROT_WRITE)) fail("no memory");
    return map + PAGE;
}

static void free_pages(unsigned char *pages, size_t bytes) { munmap(pages - PAGE, bytes + 2 * PAGE); }

/* What a kernel leaves in byte `at` of the output. */
static unsigned char want(size_t kernel, const unsigned char *x, size_t at) {
    switch (kernel) {
    case 0: return (x[3 * at] * 29 + x[3 * at + 1] * 150 + x[3 * at + 2] * 77) >> 8;
    case 1: return x[at / 3 * 3 + 2 - at % 3];
    case 2: return x[(ITEMS - 1 - at / 3) * 3 + at % 3];
    case 3: return x[at / 4 * 8 + at % 4];
    default: return at % 8 < 6 ? 0x5a : x[at];
    }
}

int main(void) {
    static const size_t locals[] = {1, 7, 16, 20, 64, 100, 256, 0};
    Setup s = open_device(0);
    cl_program program = build_program(&s, source, "-cl-std=CL3.0");
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        const size_t in = kernels[k].in * ITEMS, out = kernels[k].out * ITEMS;
        unsigned char *x = new_pages(in), *y = new_pages(out);
        for (size_t i = 0; i < in; i++) x[i] = k == 3 && i % 4 == 3 ? 0x40 : i * 7 + i / 251;
        cl_kernel kernel = get_kernel(program, kernels[k].name);
        for (size_t l = 0; l < sizeof locals / sizeof *locals; l++) {
            memset(y, 0x5a, out);
            cl_mem mx = new_buffer(&s, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, in, x);
            cl_mem my = new_buffer(&s, CL_MEM_USE_HOST_PTR, out, y);
            CHECK(clSetKernelArg(kernel, 0, sizeof mx, &mx));
            CHECK(clSetKernelArg(kernel, 1, sizeof my, &my));
            const size_t global = ITEMS;
            CHECK(clEnqueueNDRangeKernel(s.queue, kernel, 1, NULL, &global, locals[l] ? &locals[l] : NULL, 0, NULL,
                NULL));
            CHECK(clFinish(s.queue));
            cl_int status;
            unsigned char *got = clEnqueueMapBuffer(s.queue, my, CL_TRUE, CL_MAP_READ, 0, out, 0, NULL, NULL, &status);
            CHECK(status);
            for (size_t i = 0; i < out; i++)
                if (got[i] != want(k, x, i))
                    fail("%s in groups of %zu: byte %zu is %d, not %d", kernels[k].name, locals[l], i, got[i], want(k,
                        x, i));
            CHECK(clEnqueueUnmapMemObject(s.queue, my, got, 0, NULL, NULL));
            CHECK(clFinish(s.queue));
            CHECK(clReleaseMemObject(mx));
            CHECK(clReleaseMemObject(my));
        }
        CHECK(clReleaseKernel(kernel));
        free_pages(x, in);
        free_pages(y, out);
    }
    CHECK(clReleaseProgram(program));
    close_device(&s);
    return 0;
}

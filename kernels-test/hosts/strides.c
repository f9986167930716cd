/* A kernel whose arguments are strides, launched with 1 and with others by turns: code that knows of the 1 is used for
 * launches that pass it, and for no others. Neighbours in y are side by side in one that scales them by 1. */
#include "common.h"

#define N 1000
#define MOST 5

static const char *source =
    "kernel void strided(global const int *x, int from, int inc, global int *y, int to) {\n"
    "    int i = get_global_id(0);\n"
    "    y[i * to] = x[from + i * inc] * 3 + i;\n"
    "}\n"
    "kernel void planes(global const int *x, global int *y, int row, int by) {\n"
    "    int at = get_global_id(0) * row + get_global_id(1) * by;\n"
    "    y[at] = x[at] * 5 + at;\n"
    "}\n";

static void scale(Setup *s, cl_program program, cl_mem in, cl_mem out, const cl_int *x, cl_int *y) {
    enum { X = 8, Y = 256, ROW = Y * 2 };
    cl_kernel kernel = get_kernel(program, "planes");
    for (cl_int by = 1; by < 3; by++) {
        cl_int row = ROW, zero = 0;
        size_t global[2] = {X, Y};
        SET_ARG(kernel, 0, in);
        SET_ARG(kernel, 1, out);
        SET_ARG(kernel, 2, row);
        SET_ARG(kernel, 3, by);
        CHECK(clEnqueueFillBuffer(s->queue, out, &zero, sizeof zero, 0, N * MOST * sizeof *y, 0, NULL, NULL));
        CHECK(clEnqueueNDRangeKernel(s->queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(s->queue, out, CL_TRUE, 0, N * MOST * sizeof *y, y, 0, NULL, NULL));
        for (int i = 0; i < X * ROW; i++) {
            cl_int expected = i % ROW % by == 0 && i % ROW / by < Y ? x[i] * 5 + i : 0;
            if (y[i] != expected) fail("strides: scaled by %d there is %d at %d and not %d", by, y[i], i, expected);
        }
    }
    clReleaseKernel(kernel);
}

int main(void) {
    static cl_int x[N * MOST + MOST], y[N * MOST];
    for (int i = 0; i < N * MOST + MOST; i++) x[i] = i * i % 1009;
    Setup s = open_device(0);
    cl_program program = build_program(&s, source, "");
    cl_kernel kernel = get_kernel(program, "strided");
    cl_mem in = new_buffer(&s, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof x, x);
    cl_mem out = new_buffer(&s, CL_MEM_READ_WRITE, sizeof y, NULL);
    static const cl_int cases[][3] = {{0, 1, 1}, {3, 2, 1}, {1, 1, 1}, {0, 5, 4},
                                      {2, 1, 3}, {4, 1, 1}, {1, 2, 1}, {1, 0, 1}};
    int launches = sizeof cases / sizeof *cases;
    for (int n = 0; n < launches; n++) {
        cl_int from = cases[n][0], inc = cases[n][1], to = cases[n][2], zero = 0;
        SET_ARG(kernel, 0, in);
        SET_ARG(kernel, 1, from);
        SET_ARG(kernel, 2, inc);
        SET_ARG(kernel, 3, out);
        SET_ARG(kernel, 4, to);
        CHECK(clEnqueueFillBuffer(s.queue, out, &zero, sizeof zero, 0, sizeof y, 0, NULL, NULL));
        size_t global = N;
        CHECK(clEnqueueNDRangeKernel(s.queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(s.queue, out, CL_TRUE, 0, sizeof y, y, 0, NULL, NULL));
        for (int i = 0; i < N * MOST; i++) {
            int written = i % to == 0 && i / to < N;
            cl_int expected = written ? x[from + i / to * inc] * 3 + i / to : 0;
            if (y[i] != expected) fail("strides: launch %d has %d at %d and not %d", n, y[i], i, expected);
        }
    }
    scale(&s, program, in, out, x, y);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    close_device(&s);
    printf("strides: %d launches are right\n", launches);
    return 0;
}

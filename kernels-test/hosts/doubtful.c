/* A product of a sparse matrix, of whose lanes estimates are in doubt, so often that code of another choice competes:
 * one launch after the other, and many at once. Each result has the same bits. So have sums by compare-exchange of
 * neighbours that share them, and a product of matrices without most columns, in tiles that are loaded along x and
 * multiplied along y. */
#include "common.h"

#define ROWS (1 << 16)
#define LAUNCHES 300

static const char *source =
    "kernel void product(global const int *starts, global const int *columns, global const float *values,\n"
    "                    global const float *x, global float *y) {\n"
    "    size_t row = get_global_id(0);\n"
    "    float sum = 0;\n"
    "    int end = starts[row + 1];\n"
    "    for (int i = starts[row]; i < end; i++) sum += values[i] * x[columns[i]];\n"
    "    y[row] = sum;\n"
    "}\n"
    "kernel void sums(global const float *x, volatile global uint *sums) {\n"
    "    size_t i = get_global_id(0);\n"
    "    volatile global uint *sum = sums + i / 8 % 1024;\n"
    "    float whole = floor(x[i] * 16) + 100;\n"
    "    for (int n = 0; n < 20; n++) whole = whole * 3 - floor(whole / 8) * 24;\n"
    "    uint now = *sum, old;\n"
    "    do {\n"
    "        old = now;\n"
    "        now = atomic_cmpxchg(sum, old, as_uint(as_float(old) + whole));\n"
    "    } while (now != old);\n"
    "}\n"
    "kernel __attribute__((reqd_work_group_size(16, 16, 1)))\n"
    "void tiles(global const float *a, global const float *b, global float *c, int n) {\n"
    "    local float ta[16][17], tb[16][17];\n"
    "    int x = get_local_id(0), y = get_local_id(1), row = get_group_id(0) * 16, col = get_group_id(1) * 16;\n"
    "    float sum = 0;\n"
    "    for (int k = 0; k < n; k += 16) {\n"
    "        ta[y][x] = a[(row + y) * n + k + x];\n"
    "        tb[y][x] = b[(k + y) * n + col + x];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        for (int i = 0; i < 16; i += 4) sum += ta[x][i] * tb[i][y];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    c[(col + y) * n + row + x] = sum;\n"
    "}\n";

/* The sums are of whole numbers, so that their order is no matter. */
static void many_sums(Setup *s, cl_program program, cl_mem x) {
    static float first[1024], sums[1024];
    cl_kernel kernel = get_kernel(program, "sums");
    cl_mem out = new_buffer(s, CL_MEM_READ_WRITE, sizeof sums, NULL);
    SET_ARG(kernel, 0, x);
    SET_ARG(kernel, 1, out);
    size_t global = ROWS, local = 64;
    float zero = 0;
    for (int n = 0; n < LAUNCHES; n++) {
        CHECK(clEnqueueFillBuffer(s->queue, out, &zero, sizeof zero, 0, sizeof sums, 0, NULL, NULL));
        CHECK(clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(s->queue, out, CL_TRUE, 0, sizeof sums, n ? sums : first, 0, NULL, NULL));
        if (n && memcmp(first, sums, sizeof sums)) fail("doubtful: sums of launch %d have other bits", n);
    }
    clReleaseMemObject(out);
    clReleaseKernel(kernel);
}

static void many_tiles(Setup *s, cl_program program, cl_mem x) {
    enum { N = 256 };
    static float first[N * N], out[N * N];
    cl_kernel kernel = get_kernel(program, "tiles");
    cl_mem c = new_buffer(s, CL_MEM_WRITE_ONLY, sizeof out, NULL);
    cl_int n = N;
    SET_ARG(kernel, 0, x);
    SET_ARG(kernel, 1, x);
    SET_ARG(kernel, 2, c);
    SET_ARG(kernel, 3, n);
    size_t global[2] = {N, N}, local[2] = {16, 16};
    /* They are short. */
    for (int i = 0; i < 4 * LAUNCHES; i++) {
        CHECK(clEnqueueNDRangeKernel(s->queue, kernel, 2, NULL, global, local, 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(s->queue, c, CL_TRUE, 0, sizeof out, i ? out : first, 0, NULL, NULL));
        if (i && memcmp(first, out, sizeof out)) fail("doubtful: product %d has other bits", i);
    }
    clReleaseMemObject(c);
    clReleaseKernel(kernel);
}

int main(void) {
    static cl_int starts[ROWS + 1];
    static float x[ROWS], first[ROWS], y[ROWS];
    unsigned seed = 1;
    for (int i = 0; i < ROWS; i++) {
        starts[i + 1] = starts[i] + 4 + i % 13;
        x[i] = random_float(&seed);
    }
    int count = starts[ROWS];
    cl_int *columns = malloc(count * sizeof *columns);
    float *values = malloc(count * sizeof *values);
    for (int i = 0; i < count; i++) {
        columns[i] = (cl_int)(random_float(&seed) * (ROWS - 1));
        columns[i] = columns[i] < 0 ? -columns[i] : columns[i];
        values[i] = random_float(&seed);
    }
    Setup s = open_device(0);
    cl_program program = build_program(&s, source, "");
    cl_kernel kernel = get_kernel(program, "product");
    cl_mem out = new_buffer(&s, CL_MEM_WRITE_ONLY, sizeof y, NULL);
    cl_mem in[4] = {
        new_buffer(&s, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof starts, starts),
        new_buffer(&s, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, count * sizeof *columns, columns),
        new_buffer(&s, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, count * sizeof *values, values),
        new_buffer(&s, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof x, x),
    };
    for (int i = 0; i < 4; i++) SET_ARG(kernel, i, in[i]);
    SET_ARG(kernel, 4, out);
    size_t global = ROWS, local = 64;
    for (int n = 0; n < LAUNCHES; n++) {
        CHECK(clEnqueueNDRangeKernel(s.queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
        /* Every other hundred is enqueued at once. */
        if (n / 100 == 1 && n % 100 < 99) continue;
        CHECK(clEnqueueReadBuffer(s.queue, out, CL_TRUE, 0, sizeof y, n ? y : first, 0, NULL, NULL));
        if (n && memcmp(first, y, sizeof y)) fail("doubtful: launch %d has other bits", n);
    }
    for (int i = 0; i < ROWS; i++) {
        double sum = 0, size = 0;
        for (int j = starts[i]; j < starts[i + 1]; j++) {
            sum += (double)values[j] * x[columns[j]];
            size += fabs((double)values[j] * x[columns[j]]);
        }
        if (fabs(first[i] - sum) > 1e-6 * size) fail("doubtful: row %d is %g and not %g", i, first[i], sum);
    }
    many_sums(&s, program, in[3]);
    many_tiles(&s, program, in[3]);
    for (int i = 0; i < 4; i++) clReleaseMemObject(in[i]);
    clReleaseMemObject(out);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    close_device(&s);
    printf("doubtful: %d launches have the same bits\n", LAUNCHES);
    free(columns);
    free(values);
    return 0;
}

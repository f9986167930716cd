/* C = A * B in tiles through local memory, with barriers; checked against a plain C loop. */
#include "common.h"

static const char *source =
    "#define T 16\n"
    "kernel __attribute__((reqd_work_group_size(T, T, 1)))\n"
    "void matmul(global const float *a, global const float *b, global float *c, int n) {\n"
    "    local float ta[T][T], tb[T][T];\n"
    "    const int col = get_global_id(0), row = get_global_id(1), x = get_local_id(0), y = get_local_id(1);\n"
    "    float sum = 0;\n"
    "    for (int t = 0; t < n; t += T) {\n"
    "        ta[y][x] = a[row * n + t + x];\n"
    "        tb[y][x] = b[(t + y) * n + col];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        for (int k = 0; k < T; k++) sum += ta[y][k] * tb[k][x];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    c[row * n + col] = sum;\n"
    "}\n";

enum { N = 512 };

int main(void) {
    Setup s = open_device(CL_QUEUE_PROFILING_ENABLE);
    cl_program program = build_program(&s, source, "");
    cl_kernel kernel = get_kernel(program, "matmul");
    const size_t bytes = N * N * sizeof(float);
    float *a = malloc(bytes), *b = malloc(bytes), *c = malloc(bytes), *want = calloc(N * N, sizeof(float));
    unsigned seed = 7;
    for (int i = 0; i < N * N; i++) {
        a[i] = random_float(&seed) - 0.5f;
        b[i] = random_float(&seed) - 0.5f;
    }
    cl_mem ma = new_buffer(&s, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, a);
    cl_mem mb = new_buffer(&s, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, b);
    cl_mem mc = new_buffer(&s, CL_MEM_WRITE_ONLY, bytes, NULL);
    cl_int n = N;
    SET_ARG(kernel, 0, ma);
    SET_ARG(kernel, 1, mb);
    SET_ARG(kernel, 2, mc);
    SET_ARG(kernel, 3, n);
    size_t global[2] = {N, N}, local[2] = {16, 16};
    cl_event event;
    CHECK(clEnqueueNDRangeKernel(s.queue, kernel, 2, NULL, global, local, 0, NULL, &event));
    CHECK(clEnqueueReadBuffer(s.queue, mc, CL_TRUE, 0, bytes, c, 1, &event, NULL));
    cl_ulong from, to;
    CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof from, &from, NULL));
    CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof to, &to, NULL));
    double start = now_ms();
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            for (int j = 0; j < N; j++) want[i * N + j] += a[i * N + k] * b[k * N + j];
    double c_ms = now_ms() - start;
    float worst = 0;
    for (int i = 0; i < N * N; i++) worst = fmaxf(worst, fabsf(c[i] - want[i]));
    clReleaseEvent(event);
    clReleaseMemObject(ma);
    clReleaseMemObject(mb);
    clReleaseMemObject(mc);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    close_device(&s);
    if (!(worst < 1e-4f)) fail("matmul: largest difference to C is %g", worst);
    printf("matmul: %d x %d, largest difference to C %.1e, %.2f ms (C on one core %.2f ms)\n", N, N, worst,
        (to - from) * 1e-6,
           c_ms);
    free(a);
    free(b);
    free(c);
    free(want);
    return 0;
}

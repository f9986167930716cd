/* y = a*x + y on 16 million floats, checked against the same loop in C. */
#include "common.h"

static const char *source =
    "kernel void saxpy(float a, global const float *x, global float *y, uint n) {\n"
    "    size_t i = get_global_id(0);\n"
    "    if (i < n) y[i] = a * x[i] + y[i];\n"
    "}\n";

int main(void) {
    const cl_uint n = 1 << 24;
    const float a = 1.5f;
    Setup s = open_device(0);
    cl_program program = build_program(&s, source, "-cl-std=CL1.2");
    cl_kernel kernel = get_kernel(program, "saxpy");
    float *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
    unsigned seed = 1;
    for (cl_uint i = 0; i < n; i++) {
        x[i] = random_float(&seed);
        y[i] = random_float(&seed);
    }
    cl_mem mx = new_buffer(&s, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, n * sizeof *x, x);
    cl_mem my = new_buffer(&s, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, n * sizeof *y, y);
    SET_ARG(kernel, 0, a);
    SET_ARG(kernel, 1, mx);
    SET_ARG(kernel, 2, my);
    SET_ARG(kernel, 3, n);
    size_t global = n, local = 256;
    double start = now_ms();
    CHECK(clEnqueueNDRangeKernel(s.queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    CHECK(clFinish(s.queue));
    double ms = now_ms() - start;
    cl_int status;
    float *result = clEnqueueMapBuffer(s.queue, my, CL_TRUE, CL_MAP_READ, 0, n * sizeof *y, 0, NULL, NULL, &status);
    CHECK(status);
    cl_uint wrong = 0;
    for (cl_uint i = 0; i < n; i++) {
        /* The device may fuse the multiplication and the addition. */
        float fused = fmaf(a, x[i], y[i]), plain = a * x[i] + y[i];
        wrong += result[i] != fused && result[i] != plain;
    }
    CHECK(clEnqueueUnmapMemObject(s.queue, my, result, 0, NULL, NULL));
    CHECK(clFinish(s.queue));
    clReleaseMemObject(mx);
    clReleaseMemObject(my);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    close_device(&s);
    if (wrong) fail("saxpy: %u of %u elements are wrong", wrong, n);
    printf("saxpy: %u elements equal to C's, %.2f ms\n", n, ms);
    free(x);
    free(y);
    return 0;
}

/* A histogram of bytes: each group counts in local memory with atomics, then adds to the global counts. */
#include "common.h"

static const char *source =
    "kernel void histogram(global const uchar *data, uint n, global uint *counts, local uint *mine) {\n"
    "    for (uint i = get_local_id(0); i < 256; i += get_local_size(0)) mine[i] = 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&mine[data[i]]);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (uint i = get_local_id(0); i < 256; i += get_local_size(0)) atomic_add(&counts[i], mine[i]);\n"
    "}\n";

int main(void) {
    const cl_uint n = 8 << 20;
    unsigned char *data = malloc(n);
    cl_uint want[256] = {0}, got[256];
    unsigned seed = 5;
    for (cl_uint i = 0; i < n; i++) {
        data[i] = (next_random(&seed) >> 8) * (next_random(&seed) >> 8) >> 24;
        want[data[i]]++;
    }
    Setup s = open_device(0);
    cl_program program = build_program(&s, source, NULL);
    cl_kernel kernel = get_kernel(program, "histogram");
    cl_mem m_data = new_buffer(&s, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, n, data);
    cl_mem m_counts = new_buffer(&s, CL_MEM_READ_WRITE, sizeof got, NULL);
    SET_ARG(kernel, 0, m_data);
    SET_ARG(kernel, 1, n);
    SET_ARG(kernel, 2, m_counts);
    CHECK(clSetKernelArg(kernel, 3, 256 * sizeof(cl_uint), NULL));
    const cl_uint zero = 0;
    size_t global = 64 * 128, local = 128;
    double start = now_ms();
    CHECK(clEnqueueFillBuffer(s.queue, m_counts, &zero, sizeof zero, 0, sizeof got, 0, NULL, NULL));
    CHECK(clEnqueueNDRangeKernel(s.queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(s.queue, m_counts, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    double ms = now_ms() - start;
    clReleaseMemObject(m_data);
    clReleaseMemObject(m_counts);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    close_device(&s);
    for (int i = 0; i < 256; i++)
        if (got[i] != want[i]) fail("histogram: %u times %d, C counts %u", got[i], i, want[i]);
    printf("histogram: %u bytes in 256 bins equal to C's, %.2f ms\n", n, ms);
    free(data);
    return 0;
}

/* A program with checks reads behind the end of buffers that were made before it was built and after. For
 * icd/tests/checked_values.rs. */
#include "common.h"

enum { ITEMS = 64, BYTES = 4 * ITEMS };

static const char *const source =
    "kernel void get(global const int *before, global const int *after, global int *part, int n) {\n"
    "    size_t i = get_global_id(0);\n"
    "    part[i] = before[i + n];\n"
    "    part[i] += after[i + n];\n"
    "    part[n - 1 - i] = i;\n"
    "}\n";

int main(int argc, char **argv) {
    const char *options = argc > 1 ? argv[1] : "";
    Setup s = open_device(0);
    cl_mem before = new_buffer(&s, 0, BYTES, NULL);
    cl_program program = build_program(&s, source, options);
    cl_mem after = new_buffer(&s, 0, BYTES, NULL);
    cl_int status;
    const cl_buffer_region half = {0, BYTES / 2};
    cl_mem part = clCreateSubBuffer(before, 0, CL_BUFFER_CREATE_TYPE_REGION, &half, &status);
    CHECK(status);
    cl_kernel get = get_kernel(program, "get");
    const cl_int n = ITEMS / 2;
    SET_ARG(get, 0, before);
    SET_ARG(get, 1, after);
    SET_ARG(get, 2, part);
    SET_ARG(get, 3, n);
    const size_t items = ITEMS;
    CHECK(clEnqueueNDRangeKernel(s.queue, get, 1, NULL, &items, NULL, 0, NULL, NULL));
    CHECK(clFinish(s.queue));
    cl_mem buffers[] = {part, after, before};
    for (int i = 0; i < 3; i++) CHECK(clReleaseMemObject(buffers[i]));
    CHECK(clReleaseKernel(get));
    CHECK(clReleaseProgram(program));
    close_device(&s);
    return 0;
}

/* A kernel reads a buffer that was made without contents: what happened to it before is the argument. For
 * icd/tests/checked_values.rs. */
#include "common.h"

enum { ITEMS = 64, BYTES = 4 * ITEMS };

static const char *const source =
    "kernel void put(global int *a) { a[get_global_id(0)] = 1; }\n"
    "kernel void get(global const int *a, global int *b) { b[get_global_id(0)] = a[get_global_id(0)]; }\n";

static Setup s;

static void launch(cl_kernel kernel, size_t items) {
    CHECK(clEnqueueNDRangeKernel(s.queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "";
    const int zero = 0, numbers[ITEMS] = {0};
    s = open_device(0);
    cl_program program = build_program(&s, source, "");
    cl_kernel put = get_kernel(program, "put"), get = get_kernel(program, "get");
    const int is_host = !strcmp(how, "host");
    cl_mem a = new_buffer(&s, is_host ? CL_MEM_COPY_HOST_PTR : 0, BYTES, is_host ? (void *)numbers : NULL);
    cl_mem b = new_buffer(&s, 0, BYTES, NULL), c = new_buffer(&s, 0, BYTES, NULL), in = a;
    if (!strcmp(how, "write")) CHECK(clEnqueueWriteBuffer(s.queue, a, CL_TRUE, 0, BYTES, numbers, 0, NULL, NULL));
    if (!strcmp(how, "half")) CHECK(clEnqueueWriteBuffer(s.queue, a, CL_TRUE, 0, BYTES / 2, numbers, 0, NULL, NULL));
    if (!strcmp(how, "fill")) CHECK(clEnqueueFillBuffer(s.queue, a, &zero, 4, 0, BYTES, 0, NULL, NULL));
    if (!strcmp(how, "map")) {
        cl_int status;
        void *at = clEnqueueMapBuffer(s.queue, a, CL_TRUE, CL_MAP_WRITE, 0, BYTES, 0, NULL, NULL, &status);
        CHECK(status);
        memset(at, 0, BYTES);
        CHECK(clEnqueueUnmapMemObject(s.queue, a, at, 0, NULL, NULL));
    }
    SET_ARG(put, 0, a);
    if (!strcmp(how, "kernel")) launch(put, ITEMS);
    if (!strcmp(how, "half_by_kernel")) launch(put, ITEMS / 2);
    if (!strncmp(how, "copy", 4)) {
        if (!strcmp(how, "copy_of_written")) launch(put, ITEMS);
        CHECK(clEnqueueCopyBuffer(s.queue, a, c, 0, 0, BYTES, 0, NULL, NULL));
        in = c;
    }
    SET_ARG(get, 0, in);
    SET_ARG(get, 1, b);
    if (!strcmp(how, "unwritten_again")) {
        CHECK(clEnqueueWriteBuffer(s.queue, a, CL_TRUE, 0, BYTES, numbers, 0, NULL, NULL));
        launch(get, ITEMS);
        CHECK(clEnqueueCopyBuffer(s.queue, c, a, 0, 0, BYTES, 0, NULL, NULL));
        CHECK(clFinish(s.queue));
    }
    cl_event gate = NULL;
    if (!strcmp(how, "unwritten_meanwhile")) {
        cl_int status;
        gate = clCreateUserEvent(s.context, &status);
        CHECK(status);
        CHECK(clEnqueueWriteBuffer(s.queue, a, CL_TRUE, 0, BYTES, numbers, 0, NULL, NULL));
        CHECK(clEnqueueCopyBuffer(s.queue, c, a, 0, 0, BYTES, 1, &gate, NULL));
    }
    launch(get, ITEMS);
    if (gate) {
        CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
        CHECK(clReleaseEvent(gate));
    }
    CHECK(clFinish(s.queue));
    cl_mem buffers[] = {a, b, c};
    for (int i = 0; i < 3; i++) CHECK(clReleaseMemObject(buffers[i]));
    CHECK(clReleaseKernel(put));
    CHECK(clReleaseKernel(get));
    CHECK(clReleaseProgram(program));
    close_device(&s);
    return 0;
}

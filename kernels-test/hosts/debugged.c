/* A program to be debugged: the kernel's source is that of a file, and is built and run by functions that backtraces
 * show: `debugged FILE KERNEL`, of a kernel with the arguments of `scale` in `icd/tests/debugging.rs`. */
#include "common.h"

static char text[1 << 16];

/* The file's text behind a line that says whose it is. */
static const char *read_source(const char *path) {
    const int head = snprintf(text, sizeof text, "#line 1 \"%s\"\n", path);
    FILE *file = fopen(path, "r");
    if (!file) fail("cannot open %s", path);
    const size_t n = fread(text + head, 1, sizeof text - (size_t)head - 1, file);
    text[(size_t)head + n] = 0;
    fclose(file);
    return text;
}

static void run_kernel(const Setup *s, cl_kernel kernel, cl_mem buffer) {
    const size_t global = 64;
    const float k = 2;
    const int n = 3;
    SET_ARG(kernel, 0, buffer);
    SET_ARG(kernel, 1, k);
    SET_ARG(kernel, 2, n);
    CHECK(clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &global, &global, 0, NULL, NULL));
    CHECK(clFinish(s->queue));
}

int main(int argc, char **argv) {
    if (argc != 3) fail("usage: debugged FILE KERNEL");
    Setup s = open_device(0);
    cl_program program = build_program(&s, read_source(argv[1]), "-g -cl-opt-disable");
    cl_kernel kernel = get_kernel(program, argv[2]);
    cl_mem buffer = new_buffer(&s, CL_MEM_READ_WRITE, 64 * sizeof(float), NULL);
    run_kernel(&s, kernel, buffer);
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    close_device(&s);
    puts("debugged: done");
    return 0;
}

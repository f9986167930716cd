/* What every host program here needs: one device, one context, one queue, programs with their log, time, errors.
 * Plain OpenCL: works with any driver. */
#ifndef COMMON_H
#define COMMON_H

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Ends the program with a message. */
static inline void fail(const char *format, ...) {
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(1);
}

/* Ends the program unless a call succeeded. */
#define CHECK(call)                                                                    \
    do {                                                                               \
        cl_int check_status = (call);                                                  \
        if (check_status != CL_SUCCESS)                                                \
            fail("%s:%d: %s failed with %d", __FILE__, __LINE__, #call, check_status); \
    } while (0)

/* Ends the program unless numbers are the same. */
#define EXPECT(what, found, wanted)                                                                       \
    do {                                                                                                  \
        long long expect_found = (found), expect_wanted = (wanted);                                       \
        if (expect_found != expect_wanted)                                                                \
            fail("%s:%d: %s is %lld, not %lld", __FILE__, __LINE__, what, expect_found, expect_wanted); \
    } while (0)

/* Milliseconds on a clock that only goes forward. */
static inline double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

/* Pseudo-random numbers, the same on every run. */
static inline unsigned next_random(unsigned *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static inline float random_float(unsigned *state) { return next_random(state) / 16777216.0f; }

typedef struct {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
} Setup;

/* The first device of the first platform, with a queue. */
static inline Setup open_device(cl_command_queue_properties properties) {
    Setup s;
    cl_int status;
    CHECK(clGetPlatformIDs(1, &s.platform, NULL));
    CHECK(clGetDeviceIDs(s.platform, CL_DEVICE_TYPE_ALL, 1, &s.device, NULL));
    s.context = clCreateContext(NULL, 1, &s.device, NULL, NULL, &status);
    CHECK(status);
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
    s.queue = clCreateCommandQueueWithProperties(s.context, s.device, properties ? list : NULL, &status);
    CHECK(status);
    return s;
}

static inline void close_device(Setup *s) {
    CHECK(clReleaseCommandQueue(s->queue));
    CHECK(clReleaseContext(s->context));
}

/* Builds a program; prints its log if that fails. */
static inline cl_program build_program(const Setup *s, const char *source, const char *options) {
    cl_int status;
    cl_program program = clCreateProgramWithSource(s->context, 1, &source, NULL, &status);
    CHECK(status);
    status = clBuildProgram(program, 1, &s->device, options, NULL, NULL);
    if (status != CL_SUCCESS) {
        size_t size = 0;
        clGetProgramBuildInfo(program, s->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
        char *log = calloc(size + 1, 1);
        clGetProgramBuildInfo(program, s->device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
        fail("build failed with %d:\n%s", status, log);
    }
    return program;
}

static inline cl_kernel get_kernel(cl_program program, const char *name) {
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, name, &status);
    CHECK(status);
    return kernel;
}

static inline cl_mem new_buffer(const Setup *s, cl_mem_flags flags, size_t size, void *host) {
    cl_int status;
    cl_mem mem = clCreateBuffer(s->context, flags, size, host, &status);
    CHECK(status);
    return mem;
}

#define SET_ARG(kernel, index, value) CHECK(clSetKernelArg(kernel, index, sizeof(value), &(value)))

#endif

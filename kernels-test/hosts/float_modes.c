/* A host that rounds up and whose processor makes zeros of denormal numbers, as programs do that were compiled with
 * -ffast-math: kernels round to nearest and keep denormals unless their options say otherwise, and the host has its
 * modes again after each call. A third rounds up to nearest, too; a third below zero does not. */
#include "common.h"
#include <fenv.h>
#include <float.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
enum { FLUSHES = 1 };
static void host_modes(void) {
    fesetround(FE_UPWARD);
    /* Denormal results and operands are zeros. */
    _mm_setcsr(_mm_getcsr() | 0x8040);
}
#else
enum { FLUSHES = 0 };
static void host_modes(void) { fesetround(FE_UPWARD); }
#endif

static const char *const SOURCE =
    "kernel void compute(global float *out, float least, float three) {\n"
    "    size_t i = get_global_id(0);\n"
    "    out[4 * i] = -1 / three;\n"
    "    out[4 * i + 1] = -1.0f / 3.0f;\n"
    "    out[4 * i + 2] = least * 0.5f;\n"
    "    out[4 * i + 3] = least / 3 * 8;\n"
    "}\n"
    "#ifdef DIRECTED\n"
    "#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable\n"
    "#pragma OPENCL SELECT_ROUNDING_MODE rtp\n"
    "kernel void up(global float *out, float three) { out[get_global_id(0)] = 1 / three; }\n"
    "#endif\n";

enum { N = 1 << 14 };

static unsigned bits_of(float x) {
    unsigned bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static void expect_host(void) {
    volatile float one = 1, three = 3, least = FLT_MIN, half = 0.5f;
    EXPECT("the host's third, in bits", bits_of(one / three), 0x3eaaaaab);
    EXPECT("the host's third below zero", bits_of(-one / three), 0xbeaaaaaa);
    EXPECT("the host's denormal number", bits_of(least * half), FLUSHES ? 0 : 0x400000);
}

static void CL_CALLBACK changes_modes(void *data) {
    (void)data;
    volatile float one = 1, three = 3;
    EXPECT("a third of a native kernel's, in bits", bits_of(one / three), 0x3eaaaaab);
    EXPECT("its third below zero", bits_of(-one / three), 0xbeaaaaab);
    host_modes();
}

/* Whether kernels of a program with these options make zeros of denormal results. */
static void check(Setup *s, cl_mem buffer, const char *options, int flushes) {
    static float out[4 * N];
    const float least = FLT_MIN, three = 3;
    const size_t n = N, local = 64;
    const unsigned wanted[] = {0xbeaaaaab, 0xbeaaaaab, flushes ? 0 : 0x400000, flushes ? 0 : 0x12aaaac};
    cl_int status;
    cl_program program = build_program(s, SOURCE, options);
    expect_host();
    cl_kernel kernel = clCreateKernel(program, "compute", &status);
    CHECK(status);
    CHECK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    CHECK(clSetKernelArg(kernel, 1, sizeof least, &least));
    CHECK(clSetKernelArg(kernel, 2, sizeof three, &three));
    for (int round = 0; round < 4; round++) {
        CHECK(clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &n, &local, 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(s->queue, buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
        expect_host();
        for (int i = 0; i < 4 * N; i++)
            if (bits_of(out[i]) != wanted[i % 4])
                fail("'%s': result %d of work-item %d is %x, not %x", options, i % 4, i / 4, bits_of(out[i]),
                     wanted[i % 4]);
    }
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    expect_host();
}

int main(void) {
    host_modes();
    expect_host();
    Setup s = open_device(0);
    cl_int status;
    cl_mem buffer = clCreateBuffer(s.context, CL_MEM_READ_WRITE, 4 * N * sizeof(float), NULL, &status);
    CHECK(status);
    check(&s, buffer, "", 0);
    check(&s, buffer, "-cl-mad-enable", 0);
    check(&s, buffer, "-cl-denorms-are-zero", FLUSHES);
    check(&s, buffer, "-cl-unsafe-math-optimizations", FLUSHES);
    check(&s, buffer, "-cl-fast-relaxed-math", FLUSHES);
    check(&s, buffer, "-cl-denorms-are-zero -clift-correctly-rounded", 0);
    /* Such operations need denormal numbers. */
    check(&s, buffer, "-cl-denorms-are-zero -DDIRECTED", 0);
    for (int i = 0; i < 40; i++)
        CHECK(clEnqueueNativeKernel(s.queue, changes_modes, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
    check(&s, buffer, "", 0);
    CHECK(clReleaseMemObject(buffer));
    close_device(&s);
    expect_host();
    printf("float_modes: the kernels' own, and the host's\n");
    return 0;
}

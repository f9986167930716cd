/* Interval arithmetic: every lower bound is computed rounding down, every upper bound rounding up, so that the true
 * value
 * lies between them whatever roundings happen on the way. Three sums in which round-to-nearest gives no hint of its
 * error:
 * Rump's polynomial, Newton's iteration, and a series for pi added up in both directions. */
#include "common.h"

/* The arithmetic of one rounding mode. A function keeps the mode of the place where it is written. */
#define ARITHMETIC(mode)                                                                                   \
    "#pragma OPENCL SELECT_ROUNDING_MODE " #mode "\n"                                                      \
    "double add_" #mode "(double a, double b) { return a + b; }\n"                                         \
    "double sub_" #mode "(double a, double b) { return a - b; }\n"                                         \
    "double mul_" #mode "(double a, double b) { return a * b; }\n"                                         \
    "double div_" #mode "(double a, double b) { return a / b; }\n"                                         \
    /* pi = 8 * (1/(1*3) + 1/(5*7) + 1/(9*11) + ...); what follows n terms lies between the reciprocals */ \
    /* of 16n + 8 and 16n. Quotients of exact numbers, so that each rounds the way the sum does.        */ \
    "float pi_" #mode "(int n, int backwards, int rest) {\n"                                               \
    "    float sum = 0;\n"                                                                                 \
    "    for (int i = 0; i < n; i++) {\n"                                                                  \
    "        int k = backwards ? n - 1 - i : i;\n"                                                         \
    "        float low = 4 * k + 1, high = 4 * k + 3;\n"                                                   \
    "        sum += 1 / low / high;\n"                                                                     \
    "    }\n"                                                                                              \
    "    return 8 * (sum + 1 / (float)(16 * n + rest));\n"                                                 \
    "}\n"

static const char *source =
    "#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable\n"
    ARITHMETIC(rtn)
    ARITHMETIC(rtp)
    ARITHMETIC(rte)
    /* An interval is a double2: `.lo` is its lower bound, `.hi` its upper one. */
    "double2 exactly(double a) { return (double2)(a); }\n"
    "double2 add(double2 a, double2 b) { return (double2)(add_rtn(a.lo, b.lo), add_rtp(a.hi, b.hi)); }\n"
    "double2 sub(double2 a, double2 b) { return (double2)(sub_rtn(a.lo, b.hi), sub_rtp(a.hi, b.lo)); }\n"
    "double2 mul(double2 a, double2 b) {\n"
    "    return (double2)(fmin(fmin(mul_rtn(a.lo, b.lo), mul_rtn(a.lo, b.hi)),\n"
    "                          fmin(mul_rtn(a.hi, b.lo), mul_rtn(a.hi, b.hi))),\n"
    "                     fmax(fmax(mul_rtp(a.lo, b.lo), mul_rtp(a.lo, b.hi)),\n"
    "                          fmax(mul_rtp(a.hi, b.lo), mul_rtp(a.hi, b.hi))));\n"
    "}\n"
    /* Zero must not lie in b. */
    "double2 div(double2 a, double2 b) {\n"
    "    return (double2)(fmin(fmin(div_rtn(a.lo, b.lo), div_rtn(a.lo, b.hi)),\n"
    "                          fmin(div_rtn(a.hi, b.lo), div_rtn(a.hi, b.hi))),\n"
    "                     fmax(fmax(div_rtp(a.lo, b.lo), div_rtp(a.lo, b.hi)),\n"
    "                          fmax(div_rtp(a.hi, b.lo), div_rtp(a.hi, b.hi))));\n"
    "}\n"
    /* 333.75 b^6 + a^2 (11 a^2 b^2 - b^6 - 121 b^4 - 2) + 5.5 b^8 + a / (2b), rounded to nearest ... */
    "double rump_nearest(double a, double b) {\n"
    "    #pragma OPENCL FP_CONTRACT OFF\n"
    "    double a2 = a * a, b2 = b * b, b4 = b2 * b2, b6 = b4 * b2, b8 = b4 * b4;\n"
    "    return 333.75 * b6 + a2 * (11 * a2 * b2 - b6 - 121 * b4 - 2) + 5.5 * b8 + a / (2 * b);\n"
    "}\n"
    /* ... with fused multiply-add where the machine has it ... */
    "double rump_fused(double a, double b) {\n"
    "    #pragma OPENCL FP_CONTRACT ON\n"
    "    double a2 = a * a, b2 = b * b, b4 = b2 * b2, b6 = b4 * b2, b8 = b4 * b4;\n"
    "    return 333.75 * b6 + a2 * (11 * a2 * b2 - b6 - 121 * b4 - 2) + 5.5 * b8 + a / (2 * b);\n"
    "}\n"
    /* ... and enclosed. */
    "double2 rump_enclosed(double2 a, double2 b) {\n"
    "    double2 a2 = mul(a, a), b2 = mul(b, b), b4 = mul(b2, b2), b6 = mul(b4, b2), b8 = mul(b4, b4);\n"
    "    double2 inner = sub(sub(sub(mul(mul(exactly(11), a2), b2), b6), mul(exactly(121), b4)), exactly(2));\n"
    "    double2 sum = add(mul(exactly(333.75), b6), mul(a2, inner));\n"
    "    return add(add(sum, mul(exactly(5.5), b8)), div(a, mul(exactly(2), b)));\n"
    "}\n"
    "kernel void rump(global double2 *enclosed, global double *plain, double a, double b) {\n"
    "    double2 x = exactly(a), y = exactly(b);\n"
    "    plain[0] = rump_nearest(a, b);\n"
    "    plain[1] = rump_fused(a, b);\n"
    "    enclosed[0] = rump_enclosed(x, y);\n"
    /* All but the last term is -2 if a^2 - 5.5 b^2 is exactly 1, which the second interval proves. */
    "    enclosed[1] = sub(mul(x, x), mul(exactly(5.5), mul(y, y)));\n"
    "    enclosed[2] = add(exactly(-2), div(x, mul(exactly(2), y)));\n"
    "}\n"
    /* Square roots: Newton's iteration, and its interval form, whose result contains the root of x^2 - c in x. */
    "kernel void roots(global double2 *enclosed, global double *plain, global const double *numbers) {\n"
    "    size_t i = get_global_id(0);\n"
    "    double c = numbers[i], y = c;\n"
    "    for (int step = 0; step < 40; step++) y = (y + c / y) / 2;\n"
    "    plain[i] = y;\n"
    "    double2 x = (double2)(1, c);\n"
    "    for (int step = 0; step < 40; step++) {\n"
    "        double2 middle = exactly(x.lo + (x.hi - x.lo) / 2);\n"
    "        double2 slope = mul(exactly(2), x);\n"
    "        double2 next = sub(middle, div(sub(mul(middle, middle), exactly(c)), slope));\n"
    "        x = (double2)(fmax(x.lo, next.lo), fmin(x.hi, next.hi));\n"
    "    }\n"
    "    enclosed[i] = x;\n"
    "}\n"
    "kernel void pi(global float4 *o, int n) {\n"
    "    int backwards = get_global_id(0);\n"
    "    o[backwards] = (float4)(pi_rtn(n, backwards, 8), pi_rtp(n, backwards, 0), pi_rte(n, backwards, 4), 0);\n"
    "}\n";

enum { N_ROOTS = 1000, N_TERMS = 1 << 16 };

/* Whether the device has an extension. */
static int has_extension(const Setup *s, const char *name) {
    size_t size = 0;
    CHECK(clGetDeviceInfo(s->device, CL_DEVICE_EXTENSIONS, 0, NULL, &size));
    char *list = calloc(size + 1, 1);
    CHECK(clGetDeviceInfo(s->device, CL_DEVICE_EXTENSIONS, size, list, NULL));
    int found = 0;
    for (char *word = strtok(list, " "); word; word = strtok(NULL, " ")) found |= !strcmp(word, name);
    free(list);
    return found;
}

static void rump(const Setup *s, cl_program program) {
    const double a = 77617, b = 33096, truth = -0.82739605994682136814;
    cl_double2 enclosed[3];
    double plain[2];
    cl_kernel kernel = get_kernel(program, "rump");
    cl_mem m_enclosed = new_buffer(s, CL_MEM_WRITE_ONLY, sizeof enclosed, NULL);
    cl_mem m_plain = new_buffer(s, CL_MEM_WRITE_ONLY, sizeof plain, NULL);
    SET_ARG(kernel, 0, m_enclosed);
    SET_ARG(kernel, 1, m_plain);
    SET_ARG(kernel, 2, a);
    SET_ARG(kernel, 3, b);
    size_t global = 1;
    CHECK(clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(s->queue, m_enclosed, CL_TRUE, 0, sizeof enclosed, enclosed, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(s->queue, m_plain, CL_TRUE, 0, sizeof plain, plain, 0, NULL, NULL));
    const double *wide = enclosed[0].s, *one = enclosed[1].s, *tight = enclosed[2].s;
    if (!(wide[0] <= truth && truth <= wide[1])) fail("interval: Rump's value is not in [%.17g, %.17g]", wide[0],
        wide[1]);
    if (one[0] != 1 || one[1] != 1) fail("interval: a^2 - 5.5 b^2 is in [%.17g, %.17g]", one[0], one[1]);
    /* `truth` is the value rounded to a double, one of the two bounds or between them. */
    if (!(tight[0] <= truth && truth <= tight[1] && tight[1] - tight[0] < 1e-15))
        fail("interval: Rump's value should be in [%.17g, %.17g]", tight[0], tight[1]);
    if (fabs(plain[0] - truth) < 1) fail("interval: rounding to nearest was right after all: %.17g", plain[0]);
    printf("interval: Rump's polynomial in [%.3g, %.3g], rearranged in [%.17g, %.17g]; to nearest %.4g, fused %.4g\n",
        wide[0],
           wide[1], tight[0], tight[1], plain[0], plain[1]);
    clReleaseMemObject(m_enclosed);
    clReleaseMemObject(m_plain);
    clReleaseKernel(kernel);
}

static void roots(const Setup *s, cl_program program) {
    static double numbers[N_ROOTS], plain[N_ROOTS];
    static cl_double2 enclosed[N_ROOTS];
    for (int i = 0; i < N_ROOTS; i++) numbers[i] = 2 + i;
    cl_kernel kernel = get_kernel(program, "roots");
    cl_mem m_enclosed = new_buffer(s, CL_MEM_WRITE_ONLY, sizeof enclosed, NULL);
    cl_mem m_plain = new_buffer(s, CL_MEM_WRITE_ONLY, sizeof plain, NULL);
    cl_mem m_numbers = new_buffer(s, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof numbers, numbers);
    SET_ARG(kernel, 0, m_enclosed);
    SET_ARG(kernel, 1, m_plain);
    SET_ARG(kernel, 2, m_numbers);
    size_t global = N_ROOTS;
    CHECK(clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(s->queue, m_enclosed, CL_TRUE, 0, sizeof enclosed, enclosed, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(s->queue, m_plain, CL_TRUE, 0, sizeof plain, plain, 0, NULL, NULL));
    int too_small = 0, too_large = 0;
    double widest = 0;
    for (int i = 0; i < N_ROOTS; i++) {
        const double c = numbers[i], lo = enclosed[i].s[0], hi = enclosed[i].s[1];
        /* fma rounds once, so these signs are those of the exact differences. */
        if (!(fma(lo, lo, -c) <= 0 && fma(hi, hi, -c) >= 0)) fail("interval: the root of %g is not in [%.17g, %.17g]",
            c, lo, hi);
        widest = fmax(widest, (hi - lo) / (nextafter(lo, INFINITY) - lo));
        too_small += fma(plain[i], plain[i], -c) < 0;
        too_large += fma(plain[i], plain[i], -c) > 0;
    }
    if (widest > 8) fail("interval: a root's enclosure is %g units in the last place wide", widest);
    if (too_small == 0 || too_large == 0) fail("interval: roots to nearest all err on one side");
    printf("interval: Newton: %d square roots enclosed, at most %g units in the last place wide, that of 2 in [%.17g, %.17g]; "
           "to nearest %d are too small, %d too large\n",
           N_ROOTS, widest, enclosed[0].s[0], enclosed[0].s[1], too_small, too_large);
    clReleaseMemObject(m_enclosed);
    clReleaseMemObject(m_plain);
    clReleaseMemObject(m_numbers);
    clReleaseKernel(kernel);
}

static void pi(const Setup *s, cl_program program) {
    const double truth = 3.14159265358979323846;
    const cl_int n = N_TERMS;
    cl_float4 o[2];
    cl_kernel kernel = get_kernel(program, "pi");
    cl_mem m_o = new_buffer(s, CL_MEM_WRITE_ONLY, sizeof o, NULL);
    SET_ARG(kernel, 0, m_o);
    SET_ARG(kernel, 1, n);
    size_t global = 2;
    CHECK(clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(s->queue, m_o, CL_TRUE, 0, sizeof o, o, 0, NULL, NULL));
    for (int way = 0; way < 2; way++)
        if (!(o[way].s[0] < truth && truth < o[way].s[1])) fail("interval: pi is not in [%.9g, %.9g]", o[way].s[0],
            o[way].s[1]);
    if (o[0].s[2] == o[1].s[2]) fail("interval: both sums to nearest give %.9g", o[0].s[2]);
    printf("interval: pi from the large terms down in [%.7f, %.7f], from the small terms up in [%.7f, %.7f]; to nearest %.7f "
           "and %.7f\n",
           o[0].s[0], o[0].s[1], o[1].s[0], o[1].s[1], o[0].s[2], o[1].s[2]);
    clReleaseMemObject(m_o);
    clReleaseKernel(kernel);
}

int main(void) {
    Setup s = open_device(0);
    for (const char **name = (const char *[]){"cl_khr_fp64", "cl_khr_select_fprounding_mode", NULL}; *name; name++)
        if (!has_extension(&s, *name)) fail("interval: this device has no %s", *name);
    /* With -Werror a rounding pragma that has no effect is an error. */
    cl_program program = build_program(&s, source, "-Werror");
    rump(&s, program);
    roots(&s, program);
    pi(&s, program);
    clReleaseProgram(program);
    close_device(&s);
    return 0;
}

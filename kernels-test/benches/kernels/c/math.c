#include "bench.h"

/* Units: elements. */
#define MATH(type, name, value)                                  \
    UNITS(math_##name) {                                         \
        const type *restrict xs = a[0], *restrict ys = a[1];     \
        type *restrict out = a[2];                               \
        for (long i = from; i < to; i++) {                       \
            type x = xs[i], y = ys[i];                           \
            (void)y;                                             \
            out[i] = value;                                      \
        }                                                        \
    }

MATH(float, sin, sinf(x))
MATH(float, cos, cosf(x))
MATH(float, exp, expf(x))
MATH(float, log, logf(x))
MATH(float, pow, powf(x, y))
MATH(float, atan, atanf(x))
MATH(float, atan2, atan2f(x, y))
MATH(float, erf, erff(x))
MATH(float, tgamma, tgammaf(x))

MATH(double, sin_double, sin(x))
MATH(double, exp_double, exp(x))
MATH(double, pow_double, pow(x, y))
MATH(double, atan_double, atan(x))
MATH(double, erf_double, erf(x))

/* Nothing where the compiler has no _Float16: the host then leaves these out. */
#ifdef __FLT16_MAX__
MATH(_Float16, sin_half, sinf(x))
MATH(_Float16, pow_half, powf(x, y))
MATH(_Float16, atan_half, atanf(x))
MATH(_Float16, erf_half, erff(x))
#endif

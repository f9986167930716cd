#include "bench.h"

/* Units: elements. */
#define MATH(name, value)                                        \
    UNITS(math_##name) {                                         \
        const float *restrict xs = a[0], *restrict ys = a[1];    \
        float *restrict out = a[2];                              \
        for (long i = from; i < to; i++) {                       \
            float x = xs[i], y = ys[i];                          \
            (void)y;                                             \
            out[i] = value;                                      \
        }                                                        \
    }

MATH(sin, sinf(x))
MATH(cos, cosf(x))
MATH(exp, expf(x))
MATH(log, logf(x))
MATH(pow, powf(x, y))
MATH(atan, atanf(x))
MATH(atan2, atan2f(x, y))
MATH(erf, erff(x))
MATH(tgamma, tgammaf(x))

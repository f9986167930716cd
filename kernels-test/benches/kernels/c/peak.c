#include "bench.h"

/* Units: LANES work-items. Lanes are the inner loop, so that the compiler makes vectors of them. */
#define LANES 16

#define PEAK(name, type)                                                                                       \
    UNITS(name) {                                                                                              \
        type *out = a[0], m = *(type *)a[1], b = *(type *)a[2];                                                \
        int rounds = *(int *)a[3];                                                                             \
        for (long unit = from; unit < to; unit++) {                                                            \
            type x[8][LANES];                                                                                  \
            for (int j = 0; j < 8; j++)                                                                        \
                for (int l = 0; l < LANES; l++) x[j][l] = (type)(unit * LANES + l) + (type)j;                  \
            for (int round = 0; round < rounds; round++)                                                       \
                for (int j = 0; j < 8; j++)                                                                    \
                    for (int l = 0; l < LANES; l++) x[j][l] = x[j][l] * m + b;                                 \
            for (int l = 0; l < LANES; l++) {                                                                  \
                type sum = x[0][l];                                                                            \
                for (int j = 1; j < 8; j++) sum += x[j][l];                                                    \
                out[unit * LANES + l] = sum;                                                                   \
            }                                                                                                  \
        }                                                                                                      \
    }

PEAK(peak_float, float)
PEAK(peak_double, double)
PEAK(peak_uint, uint32_t)

#include "bench.h"

/* Units: elements. */
UNITS(saxpy) {
    const float *x = a[0];
    float *y = a[1], factor = *(float *)a[2];
    for (long i = from; i < to; i++) y[i] = factor * x[i] + y[i];
}

/* Units: chunks of 2048 elements of y. */
UNITS(saxpy_l1) {
    const float *x = a[0];
    float factor = *(float *)a[2];
    int rounds = *(int *)a[3];
    for (long chunk = from; chunk < to; chunk++) {
        float *y = (float *)a[1] + 2048 * chunk;
        for (int round = 0; round < rounds; round++)
            for (int i = 0; i < 2048; i++) y[i] = factor * x[i] + y[i];
    }
}

#include "bench.h"

/* Units: rows. */
UNITS(spmv) {
    const int *starts = a[0], *columns = a[1];
    const float *values = a[2], *x = a[3];
    float *y = a[4];
    for (long row = from; row < to; row++) {
        float sum = 0;
        for (int i = starts[row]; i < starts[row + 1]; i++) sum += values[i] * x[columns[i]];
        y[row] = sum;
    }
}

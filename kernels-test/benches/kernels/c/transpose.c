#include "bench.h"

/* Units: columns of the input, that is rows of the output. */
UNITS(transpose_naive) {
    const float *in = a[0];
    float *out = a[1];
    int n = *(int *)a[2];
    for (long x = from; x < to; x++)
        for (int y = 0; y < n; y++) out[x * n + y] = in[(long)y * n + x];
}

/* Units: sixteen rows of the output. */
UNITS(transpose_tiled) {
    const float *in = a[0];
    float *out = a[1];
    int n = *(int *)a[2];
    for (long x = 16 * from; x < 16 * to; x += 16)
        for (int y = 0; y < n; y += 16)
            for (int i = 0; i < 16; i++)
                for (int j = 0; j < 16; j++) out[(x + i) * n + y + j] = in[(long)(y + j) * n + x + i];
}

#include "bench.h"

static int clamp(int x, int low, int high) { return x < low ? low : x > high ? high : x; }

/* Units: lines. */
UNITS(convolution) {
    const float *in = a[0], *weights = a[1];
    float *out = a[2];
    int width = *(int *)a[3], height = *(int *)a[4];
    for (long y = from; y < to; y++)
        for (int x = 0; x < width; x++) {
            float sum = 0;
            for (int dy = -2; dy <= 2; dy++)
                for (int dx = -2; dx <= 2; dx++)
                    sum += weights[(dy + 2) * 5 + dx + 2]
                        * in[(long)clamp((int)y + dy, 0, height - 1) * width + clamp(x + dx, 0, width - 1)];
            out[y * width + x] = sum;
        }
}

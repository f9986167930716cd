#include "bench.h"

/* Units: lines of the product. The loop over k is outside that over x, so each line of b is read in order. */
UNITS(gemm) {
    const float *left = a[0], *right = a[1];
    float *product = a[2];
    int n = *(int *)a[3];
    for (long y = from; y < to; y++) {
        float *restrict line = product + y * n;
        for (int x = 0; x < n; x++) line[x] = 0;
        for (int k = 0; k < n; k++) {
            float factor = left[y * n + k];
            for (int x = 0; x < n; x++) line[x] += factor * right[(long)k * n + x];
        }
    }
}

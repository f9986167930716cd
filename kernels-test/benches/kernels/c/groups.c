#include "bench.h"

/* Units: groups of 256 elements. */
UNITS(reduce) {
    const float *in = a[0];
    float *sums = a[1];
    for (long group = from; group < to; group++) {
        float sum = 0;
        for (int i = 0; i < 256; i++) sum += in[256 * group + i];
        sums[group] = sum;
    }
}

/* Units: groups of 256 elements. */
UNITS(scan) {
    const int *in = a[0];
    int *out = a[1];
    for (long group = from; group < to; group++) {
        int sum = 0;
        for (int i = 0; i < 256; i++) out[256 * group + i] = sum += in[256 * group + i];
    }
}

/* Units: groups of 256 elements. */
UNITS(scan_exclusive) {
    const int *in = a[0];
    int *out = a[1];
    for (long group = from; group < to; group++) {
        int sum = 0;
        for (int i = 0; i < 256; i++) {
            out[256 * group + i] = sum;
            sum += in[256 * group + i];
        }
    }
}

/* Units: groups of 512 keys. */
UNITS(bitonic) {
    const uint32_t *in = a[0];
    for (long group = from; group < to; group++) {
        uint32_t *keys = (uint32_t *)a[1] + 512 * group;
        memcpy(keys, in + 512 * group, 512 * sizeof *keys);
        for (int run = 2; run <= 512; run <<= 1)
            for (int gap = run >> 1; gap > 0; gap >>= 1)
                for (int base = 0; base < 512; base += 2 * gap) {
                    int descending = (base & run) != 0;
                    for (int i = base; i < base + gap; i++) {
                        uint32_t low = keys[i], high = keys[i + gap];
                        int swap = (low > high) != descending;
                        keys[i] = swap ? high : low;
                        keys[i + gap] = swap ? low : high;
                    }
                }
    }
}

/* Units: groups of 8192 values. */
UNITS(histogram) {
    const uint32_t *values = a[0];
    uint32_t *bins = a[1], own[256] = {0};
    for (long i = 8192 * from; i < 8192 * to; i++) own[values[i] & 255]++;
    for (int i = 0; i < 256; i++) __atomic_fetch_add(&bins[i], own[i], __ATOMIC_RELAXED);
}

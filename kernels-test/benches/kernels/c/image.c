#include "bench.h"

static int clamp(int x, int high) { return x < 0 ? 0 : x > high ? high : x; }

#define SIZE 1024

/* Units: lines of an image of SIZE × SIZE texels of four bytes. */
UNITS(image_linear) {
    const uint8_t *in = a[0];
    float *out = a[1], scale = *(float *)a[2];
    for (long y = from; y < to; y++)
        for (int x = 0; x < SIZE; x++) {
            float u = x * scale - 0.5f, v = y * scale - 0.5f, fx = floorf(u), fy = floorf(v);
            float tx = u - fx, ty = v - fy;
            int x0 = clamp((int)fx, SIZE - 1), x1 = clamp((int)fx + 1, SIZE - 1);
            int y0 = clamp((int)fy, SIZE - 1), y1 = clamp((int)fy + 1, SIZE - 1);
            const uint8_t *p00 = in + 4 * (y0 * SIZE + x0), *p10 = in + 4 * (y0 * SIZE + x1);
            const uint8_t *p01 = in + 4 * (y1 * SIZE + x0), *p11 = in + 4 * (y1 * SIZE + x1);
            for (int c = 0; c < 4; c++)
                out[4 * (y * SIZE + x) + c] = ((1 - tx) * (1 - ty) * p00[c] + tx * (1 - ty) * p10[c]
                                               + (1 - tx) * ty * p01[c] + tx * ty * p11[c]) / 255.0f;
        }
}

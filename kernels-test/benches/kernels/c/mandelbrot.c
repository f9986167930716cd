#include "bench.h"

/* Units: lines. */
UNITS(mandelbrot) {
    int *out = a[0], width = *(int *)a[1], limit = *(int *)a[2];
    for (long py = from; py < to; py++)
        for (int px = 0; px < width; px++) {
            float cx = -2.1f + px * (2.8f / width), cy = -1.4f + py * (2.8f / width), x = 0, y = 0;
            int n = 0;
            while (n < limit && x * x + y * y <= 4.0f) {
                float t = x * x - y * y + cx;
                y = 2.0f * x * y + cy;
                x = t;
                n++;
            }
            out[py * width + px] = n;
        }
}

#include "bench.h"

/* Units: bodies. */
UNITS(nbody) {
    const float *bodies = a[0];
    float *pull = a[1];
    int n = *(int *)a[2];
    for (long i = from; i < to; i++) {
        float px = bodies[4 * i], py = bodies[4 * i + 1], pz = bodies[4 * i + 2], x = 0, y = 0, z = 0;
        for (int j = 0; j < n; j++) {
            float dx = bodies[4 * j] - px, dy = bodies[4 * j + 1] - py, dz = bodies[4 * j + 2] - pz;
            float r = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + 1e-3f), f = bodies[4 * j + 3] * r * r * r;
            x += dx * f;
            y += dy * f;
            z += dz * f;
        }
        pull[4 * i] = x;
        pull[4 * i + 1] = y;
        pull[4 * i + 2] = z;
        pull[4 * i + 3] = 0;
    }
}

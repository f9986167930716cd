#include "bench.h"

static uint32_t rotr(uint32_t x, int n) { return x >> n | x << (32 - n); }

/* Units: blocks. */
UNITS(sha256) {
    const uint32_t *k = a[1], *start = a[2];
    for (long block = from; block < to; block++) {
        uint32_t w[64], v[8];
        memcpy(w, (const uint32_t *)a[0] + 16 * block, 64);
        memcpy(v, start, 32);
        for (int i = 16; i < 64; i++) {
            uint32_t s0 = rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
            uint32_t s1 = rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
            w[i] = w[i - 16] + s0 + w[i - 7] + s1;
        }
        for (int i = 0; i < 64; i++) {
            uint32_t s1 = rotr(v[4], 6) ^ rotr(v[4], 11) ^ rotr(v[4], 25);
            uint32_t t1 = v[7] + s1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
            uint32_t s0 = rotr(v[0], 2) ^ rotr(v[0], 13) ^ rotr(v[0], 22);
            uint32_t t2 = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
            v[7] = v[6], v[6] = v[5], v[5] = v[4], v[4] = v[3] + t1;
            v[3] = v[2], v[2] = v[1], v[1] = v[0], v[0] = t1 + t2;
        }
        for (int i = 0; i < 8; i++) ((uint32_t *)a[3])[8 * block + i] = v[i] + start[i];
    }
}

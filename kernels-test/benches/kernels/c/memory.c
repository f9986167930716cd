#include "bench.h"

/* Units: pieces of PIECE bytes. */
#define PIECE 65536

UNITS(copy) { memcpy((char *)a[1] + PIECE * from, (const char *)a[0] + PIECE * from, PIECE * (to - from)); }

UNITS(fill) {
    uint32_t *to_fill = a[0], pattern = *(uint32_t *)a[1];
    for (long i = from * (PIECE / 4); i < to * (PIECE / 4); i++) to_fill[i] = pattern;
}

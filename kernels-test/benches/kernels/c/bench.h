/* What the host calls: `name(from, to, a)` does the units of work from `from` up to `to`; `a[i]` is the memory of the
 * kernel's argument i. Threads get ranges that do not overlap. */
#ifndef BENCH_H
#define BENCH_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define UNITS(name) void name(long from, long to, void *const *a)

#endif

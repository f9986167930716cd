// clamp on integers: min(max(x, lo), hi). Undefined if lo > hi. Exact.

#define CLAMP(T) \
    T clamp(T x, T lo, T hi) { return __clift_min(__clift_max(x, lo), hi); }

CLAMP(char)
CLAMP(uchar)
CLAMP(short)
CLAMP(ushort)
CLAMP(int)
CLAMP(uint)
CLAMP(long)
CLAMP(ulong)

// abs_diff: |x - y| without overflow, in the unsigned type. Exact.

#define ABS_DIFF(T, U) \
    U abs_diff(T x, T y) { return (U)(x > y ? (U)x - (U)y : (U)y - (U)x); }

ABS_DIFF(char, uchar)
ABS_DIFF(uchar, uchar)
ABS_DIFF(short, ushort)
ABS_DIFF(ushort, ushort)
ABS_DIFF(int, uint)
ABS_DIFF(uint, uint)
ABS_DIFF(long, ulong)
ABS_DIFF(ulong, ulong)

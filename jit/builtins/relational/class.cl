// isfinite, isinf, isnan, isnormal, signbit by looking at the bits. `f` is the scalar form (0 or 1), `f_lane` one
// component of the vector form (0 or -1 in an integer of the component's size). Exact.

#define CLASS(NAME, TEST16, TEST32, TEST64) \
    int NAME(half x) { ushort bits = as_ushort(x); uint mag = bits & 0x7fffU; return TEST16 ? 1 : 0; } \
    short NAME##_lane(half x) { ushort bits = as_ushort(x); uint mag = bits & 0x7fffU; return TEST16 ? -1 : 0; } \
    int NAME(float x) { uint bits = as_uint(x); uint mag = bits & 0x7fffffffU; return TEST32 ? 1 : 0; } \
    int NAME##_lane(float x) { uint bits = as_uint(x); uint mag = bits & 0x7fffffffU; return TEST32 ? -1 : 0; } \
    int NAME(double x) { ulong bits = as_ulong(x); ulong mag = bits & 0x7fffffffffffffffUL; return TEST64 ? 1 : 0; } \
    long NAME##_lane(double x) { ulong bits = as_ulong(x); ulong mag = bits & 0x7fffffffffffffffUL; \
                                 return TEST64 ? -1L : 0L; }

CLASS(isfinite, mag < 0x7c00U, mag < 0x7f800000U, mag < 0x7ff0000000000000UL)
CLASS(isinf, mag == 0x7c00U, mag == 0x7f800000U, mag == 0x7ff0000000000000UL)
CLASS(isnan, mag > 0x7c00U, mag > 0x7f800000U, mag > 0x7ff0000000000000UL)
CLASS(isnormal, mag - 0x0400U < 0x7800U, mag - 0x00800000U < 0x7f000000U,
      mag - 0x0010000000000000UL < 0x7fe0000000000000UL)
CLASS(signbit, bits != mag, bits != mag, bits != mag)

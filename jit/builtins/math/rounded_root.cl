// cbrt, hypot of floats, correctly rounded. cbrt: as in cbrt.cl, with one more coefficient and the last step in
// double; where that is too near to a halfway point to be rounded, or |x| below 2^-100, the function of doubles, and
// the arguments where that is not near enough. hypot: the root of the sum of the squares in double, less than a unit
// in its last place off; where that is as near to a halfway point, the exact difference of the squares decides.
//
// Coefficients: weighted minimax fit of ((1 + u)^(-1/3) - 1) / u for |u| < 0.112, made for this file. What the last
// step leaves is 2^-40.8 at most, seen for all floats; the margin is 2^-39.

#include "rounded.clh"

#define MARGIN 0x4000UL

float rounded_cbrt(float x)
{
    float a = __clift_fabs(x);
    float y = as_float(convert_int_rtz(__clift_fma(convert_float(as_int(a)), -0x1.555556p-2f, 0x1.5288p+30f)));
    float u = __clift_fma(a * y, y * y, -1.0f);
    float p = 0x1.2bbec6p-3f;
    p = __clift_fma(p, u, -0x1.65fc7cp-3f);
    p = __clift_fma(p, u, 0x1.c71664p-3f);
    p = __clift_fma(p, u, -0x1.5553c2p-2f);
    y = __clift_fma(u * y, p, y);
    float inverse = y * y;
    double t = (double)(a * inverse);
    double rest = __clift_fma(t * t, t, -(double)a);
    double root = __clift_fma(rest, (double)(inverse * -0x1.555556p-2f), t);
    float result = (float)root;
    if (may_round_otherwise(root, MARGIN) | (as_uint(a) - 0x0d800000U > 0x71ffffffU))
        result = (float)cbrt((double)a);
    return __clift_copysign(result, x);
}

// The root of large^2 + small^2, which is near the halfway point beside r, to the nearest float.
static float hypot_exactly(double large, double small, double r)
{
    double high = large * large;
    double square = small * small;
    double sum = high + square;
    double low = square - (sum - high);
    ulong half_way = (as_ulong(r) & 0xffffffffe0000000UL) | 0x10000000UL;
    double m = as_double(half_way);
    double above = (sum - m * m) + low;
    half_way += above > 0.0 ? 1UL : 0UL;
    half_way -= above < 0.0 ? 1UL : 0UL;
    return (float)as_double(half_way);
}

float rounded_hypot(float x, float y)
{
    double a = (double)__clift_fabs(x);
    double b = (double)__clift_fabs(y);
    double r = __clift_sqrt(__clift_fma(a, a, b * b));
    float result = (float)r;
    // The roots of subnormal floats are no nearer to a halfway point than 2^-49.
    if (may_round_otherwise(r, 4UL) & (r >= 0x1p-126))
        result = hypot_exactly(a > b ? a : b, a > b ? b : a, r);
    return a == INFINITY || b == INFINITY ? INFINITY : result;
}

// cbrt: a third of the bit pattern as the first guess, two steps of Halley's method, one Newton step whose residual is
// computed with fused multiply-adds. float: y, a guess at the inverse root from a third of the bit pattern; what it
// is off is u y P(u) with u = x y^3 - 1; then such a Newton step for x y^2, where 1 / (3 h) is y^2 / 3.
//
// Coefficients: weighted minimax fit of ((1 + u)^(-1/3) - 1) / u for |u| < 0.11, made for this file.
// Worst error seen (limit 2 ulp): float 0.51, double 0.50.

#include "log.clh"

double cbrt(double x)
{
    double a = __clift_fabs(x);
    // So small that errors of products would be denormal.
    int is_small = a < 0x1p-900;
    int is_large = a > 0x1p+1000;
    a = is_small ? a * 0x1p+300 : is_large ? a * 0x1p-54 : a;
    double t = as_double(as_ulong(a) / 3 + 0x2a9f7893782da1ceUL);
    double c = t * t * t;
    t = t * ((c + 2.0 * a) / (2.0 * c + a));
    c = t * t * t;
    t = t * ((c + 2.0 * a) / (2.0 * c + a));
    double h = t * t;
    double l = __clift_fma(t, t, -h);
    t -= __clift_fma(l, t, __clift_fma(h, t, -a)) / (3.0 * h);
    t = is_small ? t * 0x1p-100 : is_large ? t * 0x1p+18 : t;
    t = __clift_copysign(t, x);
    return x == 0.0 || !(__clift_fabs(x) < INFINITY) ? x : t;
}

// The root of a normal a >= 2^-100.
static float cbrt_normal(float a)
{
    float y = as_float(convert_int_rtz(__clift_fma(convert_float(as_int(a)), -0x1.555556p-2f, 0x1.5288p+30f)));
    float u = __clift_fma(a * y, y * y, -1.0f);
    float p = -0x1.6665bap-3f;
    p = __clift_fma(p, u, 0x1.ca17b4p-3f);
    p = __clift_fma(p, u, -0x1.555352p-2f);
    y = __clift_fma(u * y, p, y);
    float inverse = y * y;
    float t = a * inverse;
    float h = t * t;
    float l = __clift_fma(t, t, -h);
    float rest = __clift_fma(l, t, __clift_fma(h, t, -a));
    return __clift_fma(rest * -0x1.555556p-2f, inverse, t);
}

float cbrt(float x)
{
    float a = __clift_fabs(x);
    float t = cbrt_normal(a);
    // Below 2^-100, or infinite or NaN.
    if (as_uint(a) - 0x0d800000U > 0x71ffffffU) {
        t = cbrt_normal(a * 0x1p+96f) * 0x1p-32f;
        t = a == 0.0f || !(a < INFINITY) ? a : t;
    }
    return __clift_copysign(t, x);
}

// rsqrt: reciprocal of the correctly rounded square root.
// Worst error seen (limit 2 ulp): float 1.49, double 1.50.
//
// relaxed_rsqrt, native_rsqrt: y is an estimate from the halved exponent and mantissa, read as one integer; the
// constant keeps u = x y^2 - 1 within 0.0682. What y is off is u y P(u). relaxed_rsqrt is what half_ and unsafe math
// take. native_rsqrt is for 0, infinity and normal numbers; it gives large and small numbers for the first two.
// Coefficients: weighted minimax fits of (1/sqrt(1 + u) - 1) / u, made for this file.
// Worst error seen: 1.4 ulp (limit of relaxed_rsqrt 2).

#include "log.clh"

float rsqrt(float x) { return 1.0f / __clift_sqrt(x); }

double rsqrt(double x) { return 1.0 / __clift_sqrt(x); }

static float rsqrt_estimate(float x) { return as_float(0x5f374800u - (as_uint(x) >> 1)); }

// The inverse root of positive normal x.
static float rsqrt_normal(float x)
{
    float y = rsqrt_estimate(x);
    float u = __clift_fma(x * y, y, -1.0f);
    float p = 0x1.1981ccp-2f;
    p = __clift_fma(p, u, -0x1.4176fap-2f);
    p = __clift_fma(p, u, 0x1.7fff6ep-2f);
    p = __clift_fma(p, u, -0x1.ffff92p-2f);
    return __clift_fma(u * y, p, y);
}

float relaxed_rsqrt(float x)
{
    float y = rsqrt_normal(x);
    if (log_is_special(x)) {
        y = rsqrt_normal(x * 0x1p+24f) * 0x1p+12f;
        y = x == INFINITY ? 0.0f : y;
        y = x == 0.0f ? as_float(as_uint(x) | 0x7f800000u) : y;
        y = x >= 0.0f ? y : NAN;
    }
    return y;
}

float native_rsqrt(float x)
{
    return rsqrt_normal(x > 0x1.fffffep+127f ? 0x1.fffffep+127f : x);
}

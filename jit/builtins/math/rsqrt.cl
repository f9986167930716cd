// rsqrt: of doubles the reciprocal of the correctly rounded square root. Of floats y is an estimate from the halved
// exponent and mantissa, read as one integer; the constant keeps u = x y^2 - 1 within 0.0682. What y is off is u y
// P(u); a Newton step whose residual is computed with fused multiply-adds follows.
// Worst error seen (limit 2 ulp): float 0.52, double 1.50.
//
// relaxed_rsqrt, native_rsqrt: the same with a longer P and no further step. relaxed_rsqrt is what half_ and unsafe
// math take. native_rsqrt is for 0, infinity and normal numbers; it gives large and small numbers for the first two.
// Coefficients: weighted minimax fits of (1/sqrt(1 + u) - 1) / u, made for this file.
// Worst error seen: 1.4 ulp (limit of relaxed_rsqrt 2).

#include "log.clh"

double rsqrt(double x) { return 1.0 / __clift_sqrt(x); }

static float rsqrt_estimate(float x) { return as_float(0x5f374800u - (as_uint(x) >> 1)); }

// The inverse root of a special x, where y is that of a subnormal one.
static float rsqrt_special(float x, float y)
{
    y = x == INFINITY ? 0.0f : y;
    y = x == 0.0f ? as_float(as_uint(x) | 0x7f800000u) : y;
    return x >= 0.0f ? y : NAN;
}

// The inverse root of positive normal x, nearly always the nearest float.
static float rsqrt_near(float x)
{
    float y = rsqrt_estimate(x);
    float u = __clift_fma(x * y, y, -1.0f);
    float p = __clift_fma(0x1.814e16p-2f, u, -0x1.008e62p-1f);
    y = __clift_fma(u * y, p, y);
    float s = x * y;
    float s_low = __clift_fma(x, y, -s);
    float rest = __clift_fma(-s_low, y, __clift_fma(-s, y, 1.0f));
    return __clift_fma(0.5f * y, rest, y);
}

float rsqrt(float x)
{
    float y = rsqrt_near(x);
    if (log_is_special(x))
        y = rsqrt_special(x, rsqrt_near(x * 0x1p+24f) * 0x1p+12f);
    return y;
}

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
    if (log_is_special(x))
        y = rsqrt_special(x, rsqrt_normal(x * 0x1p+24f) * 0x1p+12f);
    return y;
}

float native_rsqrt(float x)
{
    return rsqrt_normal(x > 0x1.fffffep+127f ? 0x1.fffffep+127f : x);
}

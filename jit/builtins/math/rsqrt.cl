// rsqrt: reciprocal of the correctly rounded square root.
// Worst error seen (limit 2 ulp): float 1.49, double 1.50.
//
// relaxed_rsqrt, native_rsqrt, native_sqrt: y is an estimate from the halved exponent and mantissa, read as one integer; the
// constant keeps u = x y^2 - 1 within 0.0682. What y is off is u y P(u). relaxed_rsqrt is what half_ and unsafe math take. The
// native ones are for 0, infinity and normal numbers; native_rsqrt gives 2.5e19 and 5.4e-20 for the first two.
// Coefficients: weighted minimax fits of (1/sqrt(1 + u) - 1) / u, made for this file.
// Worst error seen: relaxed_rsqrt 1.4 ulp (limit 2), native_rsqrt and native_sqrt 420.

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

// z / sqrt(1 + u).
static float native_root(float z, float u)
{
    return __clift_fma(u * z, __clift_fma(u, 0x1.8117fp-2f, -0x1.008e7cp-1f), z);
}

float native_rsqrt(float x)
{
    x = x > 0x1.fffffep+127f ? 0x1.fffffep+127f : x;
    float y = rsqrt_estimate(x);
    return native_root(y, __clift_fma(x * y, y, -1.0f));
}

float native_sqrt(float x)
{
    float y = rsqrt_estimate(x);
    float z = x * y;
    return native_root(z, __clift_fma(z, y, -1.0f));
}

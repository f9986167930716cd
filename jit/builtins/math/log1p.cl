// log1p: 1 + x = u + c exactly, u = 2^e m; log(m + c/2^e) as in log.cl with f = (m - 1) + c/2^e; f is x itself near 0.
// float: the same with the polynomial of log.cl.
//
// Worst error seen (limit 2 ulp): float 1.55, double 1.25.

#include "log.clh"

double log1p(double x)
{
    double u = 1.0 + x;
    double b = u - 1.0;
    double c = (1.0 - (u - b)) + (x - b);
    ulong bits = as_ulong(u) - 0x3fe6a09e667f3bcdUL;
    int n = (int)((long)bits >> 52);
    double m = as_double((bits & 0x000fffffffffffffUL) + 0x3fe6a09e667f3bcdUL);
    // For huge u c is 0 or below the rounding of the result.
    double scale = as_double((long)(1023 - __clift_min(n, 1000)) << 52);
    double e = convert_double(n);
    double lo = c * scale;
    double f = (m - 1.0) + lo;
    lo += (m - 1.0) - f;
    double y = log_near_one(f) + __clift_fma(e, 0x1.abc9e3b39803fp-56, lo);
    y = __clift_fma(e, 0x1.62e42fefa39efp-1, y);
    y = __clift_fabs(x) < 0x1p-54 ? x : y;
    y = x == INFINITY ? x : y;
    y = x == -1.0 ? -INFINITY : y;
    return x >= -1.0 ? y : NAN;
}

float log1p(float x)
{
    float u = 1.0f + x;
    float b = u - 1.0f;
    float c = (1.0f - (u - b)) + (x - b);
    uint bits = as_uint(u) - 0x3f2aaaabU;
    int n = as_int(bits) >> 23;
    float m = as_float((bits & 0x007fffffU) + 0x3f2aaaabU);
    // For huge u c is 0 or below the rounding of the result.
    float scale = as_float((127 - __clift_min(n, 127)) << 23);
    float y = log_of(__clift_fma(c, scale, m - 1.0f), convert_float(n));
    // Zero keeps its sign.
    y = __clift_copysign(y, x);
    y = x == INFINITY ? x : y;
    y = x == -1.0f ? -INFINITY : y;
    return x >= -1.0f ? y : NAN;
}

// log1p: 1 + x = u + c exactly, u = 2^e m; log(m + c/2^e) as in log.cl with f = (m - 1) + c/2^e; f is x itself near 0.
// float goes through double.
//
// Worst error seen (limit 2 ulp): float 0.51, double 1.21.

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

float log1p(float x) { return (float)log1p((double)x); }

// cbrt: a third of the bit pattern as the first guess, two steps of Halley's method, one Newton step whose residual is
// computed with fused multiply-adds. float goes through double.
// Worst error seen (limit 2 ulp): float 0.51, double 0.71 (near the smallest normal numbers).

double cbrt(double x)
{
    double a = __clift_fabs(x);
    int is_small = a < 0x1p-1022;
    int is_large = a > 0x1p+1000;
    a = is_small ? a * 0x1p+54 : is_large ? a * 0x1p-54 : a;
    double t = as_double(as_ulong(a) / 3 + 0x2a9f7893782da1ceUL);
    double c = t * t * t;
    t = t * ((c + 2.0 * a) / (2.0 * c + a));
    c = t * t * t;
    t = t * ((c + 2.0 * a) / (2.0 * c + a));
    double h = t * t;
    double l = __clift_fma(t, t, -h);
    t -= __clift_fma(l, t, __clift_fma(h, t, -a)) / (3.0 * h);
    t = is_small ? t * 0x1p-18 : is_large ? t * 0x1p+18 : t;
    t = __clift_copysign(t, x);
    return x == 0.0 || !(__clift_fabs(x) < INFINITY) ? x : t;
}

float cbrt(float x) { return (float)cbrt((double)x); }

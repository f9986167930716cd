// asinh, acosh, atanh through log1p, and log for large arguments. float goes through double.
// Worst error seen (limit 4 ulp; atanh 5): float 0.51; double asinh 1.94, acosh 2.04, atanh 1.62.

#define LN2 0x1.62e42fefa39efp-1

double asinh(double x)
{
    double a = __clift_fabs(x);
    int big = a > 0x1p+28;
    double t = big ? 1.0 : a * a;
    double y = big ? log(a) + LN2 : log1p(a + t / (1.0 + __clift_sqrt(1.0 + t)));
    return x != x ? x : __clift_copysign(y, x);
}

double acosh(double x)
{
    double t = x - 1.0;
    double y = x > 0x1p+28 ? log(x) + LN2 : log1p(t + __clift_sqrt(__clift_fma(t, t, 2.0 * t)));
    return x >= 1.0 ? y : NAN;
}

double atanh(double x)
{
    double a = __clift_fabs(x);
    double y = 0.5 * log1p(2.0 * a / (1.0 - a));
    return a <= 1.0 ? __clift_copysign(a < 0x1p-54 ? a : y, x) : NAN;
}

float asinh(float x) { return (float)asinh((double)x); }
float acosh(float x) { return (float)acosh((double)x); }
float atanh(float x) { return (float)atanh((double)x); }

// asinh, acosh, atanh through log1p, and log for large arguments.
// Worst error seen (limit 4 ulp; atanh 5): float asinh 1.90, acosh 2.00, atanh 2.16; double
// asinh 1.96, acosh 2.17, atanh 2.08.

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

float asinh(float x)
{
    float a = __clift_fabs(x);
    // One more or less makes no difference there.
    int big = a > 0x1p+60f;
    float t = big ? 1.0f : a * a;
    float u = a + t / (1.0f + __clift_sqrt(1.0f + t));
    float y = log1p(big ? a : u) + (big ? (float)LN2 : 0.0f);
    return __clift_copysign(y, x);
}

float acosh(float x)
{
    int big = x > 0x1p+60f;
    float t = big ? 1.0f : x - 1.0f;
    float u = t + __clift_sqrt(__clift_fma(t, t, 2.0f * t));
    float y = log1p(big ? x : u) + (big ? (float)LN2 : 0.0f);
    return x >= 1.0f ? y : NAN;
}

float atanh(float x)
{
    float a = __clift_fabs(x);
    float y = 0.5f * log1p(2.0f * a / (1.0f - a));
    return a <= 1.0f ? __clift_copysign(y, x) : NAN;
}

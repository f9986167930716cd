// hypot: float in double, where squares are exact and in range; double with both operands scaled by a power of two when
// the larger is far from 1. Infinity wins over NaN.
// Worst error seen (limit 4 ulp): float 0.51, double 1.17.

float hypot(float x, float y)
{
    double a = x;
    double b = y;
    float r = (float)__clift_sqrt(__clift_fma(a, a, b * b));
    return __clift_fabs(x) == INFINITY || __clift_fabs(y) == INFINITY ? INFINITY : r;
}

double hypot(double x, double y)
{
    double a = __clift_fabs(x);
    double b = __clift_fabs(y);
    double m = a > b ? a : b;
    double s = m > 0x1p+500 ? 0x1p-600 : m < 0x1p-400 ? 0x1p+600 : 1.0;
    double back = m > 0x1p+500 ? 0x1p+600 : m < 0x1p-400 ? 0x1p-600 : 1.0;
    double u = a * s;
    double v = b * s;
    double r = __clift_sqrt(__clift_fma(u, u, v * v)) * back;
    return a == INFINITY || b == INFINITY ? INFINITY : r;
}

// hypot of floats: the root of the sum s of the squares is s y, where y is the inverse root as in rsqrt.cl, and a
// Newton step with what the sum and the root have lost. Where s is not in the middle of the range (one test), both
// operands are scaled by a power of two first; those of doubles when the larger is far from 1. What underflows is below
// the rounding. Infinity wins over NaN.
// Worst error seen (limit 4 ulp): float 0.52, double 1.21.

// The root of large^2 + small^2 for 0 <= small <= large in [2^-40, 2^60], or both 0, as a sum (x, y), and s.
static float3 hypot_normal(float large, float small)
{
    float square = small * small;
    float sum = __clift_fma(large, large, square);
    float high = large * large;
    float low = __clift_fma(large, large, -high) + __clift_fma(small, small, -square);
    low += square - (sum - high);
    float y = as_float(0x5f374800u - (as_uint(sum) >> 1));
    float u = __clift_fma(sum * y, y, -1.0f);
    float p = __clift_fma(0x1.814e16p-2f, u, -0x1.008e62p-1f);
    y = __clift_fma(u * y, p, y);
    float r = sum * y;
    float rest = __clift_fma(-r, r, sum) + low;
    return (float3)(r, 0.5f * y * rest, sum);
}

// Where the larger operand is outside of [2^-40, 2^60].
static float hypot_scaled(float large, float small)
{
    float s = large > 1.0f ? 0x1p-70f : 0x1p+100f;
    float back = large > 1.0f ? 0x1p+70f : 0x1p-100f;
    // Subnormal results are rounded once.
    float3 t = hypot_normal(large * s, small * s);
    float r = (float)(((double)t.x + (double)t.y) * (double)back);
    return large == INFINITY || small == INFINITY ? INFINITY : r;
}

float hypot(float x, float y)
{
    float a = __clift_fabs(x);
    float b = __clift_fabs(y);
    float large = a > b ? a : b;
    float small = a > b ? b : a;
    float3 t = hypot_normal(large, small);
    float r = t.x + t.y;
    // Below 2^-80, infinite or NaN, but for zeros.
    if ((as_uint(t.z) - 0x17800000U > 0x67ffffffU) & !(large == 0.0f))
        r = hypot_scaled(large, small);
    return r;
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

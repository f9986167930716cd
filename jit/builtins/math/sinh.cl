// sinh, cosh, tanh from exp and expm1. Large arguments use exp(a - 1) e/2, which overflows no sooner than the result
// (a - 1 is exact there). float sinh and cosh: x = n ln 2 + r, with sinh and cosh of n ln 2 from powers of two,
// those of r by Taylor's polynomials, and the addition theorems.
//
// Coefficients of float tanh: weighted minimax fit of (tanh(x) - x) / x^3 in x^2, made for this file.
// Worst error seen (limit 4 ulp; tanh 5): float sinh 1.91, cosh 1.91, tanh 1.34; double sinh 2.51, cosh
// 2.29, tanh 2.79.

// x = n ln 2 + r: (sinh r, cosh r - 1, 2^(n-2), 2^(-n-2)); one of the powers is 0 for large x.
static float4 hyperbolic(float x)
{
    // From here on both functions are infinite.
    float t = x > 89.5f ? 89.5f : x;
    t = t < -89.5f ? -89.5f : t;
    float sum = __clift_fma(t, 0x1.715476p+0f, 0x1.8p+23f);
    float n = sum - 0x1.8p+23f;
    float r = __clift_fma(n, -0x1.62e43p-1f, t);
    r = __clift_fma(n, 0x1.05c61p-29f, r);
    float z = r * r;
    float s = __clift_fma(z, 0x1.a01a02p-13f, 0x1.111112p-7f);
    s = __clift_fma(z, s, 0x1.555556p-3f);
    s = __clift_fma(r * z, s, r);
    float c = __clift_fma(z, 0x1.6c16c2p-10f, 0x1.555556p-5f);
    c = z * __clift_fma(z, c, 0.5f);
    int k = as_int(sum) - as_int(0x1.8p+23f);
    float up = as_float(__clift_max(125 + k, 0) << 23);
    float down = as_float(__clift_max(125 - k, 0) << 23);
    return (float4)(s, c, up, down);
}

float sinh(float x)
{
    float4 h = hyperbolic(x);
    float sum = h.z + h.w, difference = h.z - h.w;
    float y = 2.0f * (difference + __clift_fma(difference, h.y, sum * h.x));
    return __clift_fabs(x) < 0x1p-12f ? x : y;
}

float cosh(float x)
{
    float4 h = hyperbolic(x);
    float sum = h.z + h.w, difference = h.z - h.w;
    return 2.0f * (sum + __clift_fma(sum, h.y, difference * h.x));
}

float tanh(float x)
{
    float a = __clift_fabs(x);
    float z = x * x;
    float p = -0x1.756d14p-8f;
    p = __clift_fma(p, z, 0x1.520a3ap-6f);
    p = __clift_fma(p, z, -0x1.b83792p-5f);
    p = __clift_fma(p, z, 0x1.1106fep-3f);
    p = __clift_fma(p, z, -0x1.555532p-2f);
    float small = __clift_fma(x * z, p, x);
    float big = 1.0f - 2.0f / (exp(2.0f * a) + 1.0f);
    return __clift_copysign(a < 0.625f ? small : big, x);
}

double sinh(double x)
{
    double a = __clift_fabs(x);
    if (a >= 22.0) return __clift_copysign(exp(a - 1.0) * 0x1.5bf0a8b145769p+0, x);
    double t = expm1(a);
    return __clift_copysign(0.5 * (t + t / (t + 1.0)), x);
}

double cosh(double x)
{
    double a = __clift_fabs(x);
    double e = exp(a >= 22.0 ? a - 1.0 : a);
    return a >= 22.0 ? e * 0x1.5bf0a8b145769p+0 : 0.5 * (e + 1.0 / e);
}

double tanh(double x)
{
    double a = __clift_fabs(x);
    double t = expm1(a > 22.0 ? 44.0 : 2.0 * a);
    return __clift_copysign(t / (t + 2.0), x);
}

// sinh, cosh, tanh from exp and expm1. Large arguments use exp(a - 1) e/2, which overflows no sooner than the result
// (a - 1 is exact there). float sinh and cosh use the exponential in double.
//
// Coefficients of float tanh: weighted minimax fit of (tanh(x) - x) / x^3 in x^2, made for this file.
// Worst error seen (limit 4 ulp; tanh 5): float sinh and cosh 0.51, tanh 1.34; double sinh and cosh 2.20, tanh 2.31.

float sinh(float x)
{
    double d = x;
    double e = exp(d);
    double z = d * d;
    double small = __clift_fma(d * z, __clift_fma(z, 0x1.1111111111111p-7, 0x1.5555555555555p-3), d);
    double y = __clift_fabs(x) < 0x1p-6f ? small : 0.5 * (e - 1.0 / e);
    return (float)y;
}

float cosh(float x)
{
    double e = exp((double)__clift_fabs(x));
    return (float)(0.5 * (e + 1.0 / e));
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

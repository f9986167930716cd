// asin, acos and their multiples of 1/pi. |x| <= 1/2: a polynomial; above, asin(a) = pi/2 - 2 asin(sqrt((1 - a) / 2)).
//
// Coefficients: weighted minimax fit of (asin(x) - x) / x^3 in x^2, made for this file.
// Worst error seen (limit 4 ulp; asinpi, acospi 5): float asin 2.32, acos 1.13, asinpi and acospi 0.51; double asin
// 2.23, acos 1.18, asinpi 2.98, acospi 2.36.

// asin(sqrt(z)) with s = sqrt(z), z <= 1/4.
static float asin_poly(float s, float z)
{
    float p = 0x1.5a5a84p-5f;
    p = __clift_fma(p, z, 0x1.8b137p-6f);
    p = __clift_fma(p, z, 0x1.749a1cp-5f);
    p = __clift_fma(p, z, 0x1.3300cap-4f);
    p = __clift_fma(p, z, 0x1.5555ccp-3f);
    return __clift_fma(s * z, p, s);
}

static double asin_poly(double s, double z)
{
    double p = 0x1.06b899cd2d78ep-5;
    p = __clift_fma(p, z, -0x1.0d95a17639b28p-6);
    p = __clift_fma(p, z, 0x1.42578da54c7ebp-6);
    p = __clift_fma(p, z, 0x1.a8561f6fa530fp-8);
    p = __clift_fma(p, z, 0x1.8f295a32d420fp-7);
    p = __clift_fma(p, z, 0x1.c6ee3cabf1fb8p-7);
    p = __clift_fma(p, z, 0x1.1c6ca9bf3e0bcp-6);
    p = __clift_fma(p, z, 0x1.6e89e70f1bf53p-6);
    p = __clift_fma(p, z, 0x1.f1c72cc4d6e8dp-6);
    p = __clift_fma(p, z, 0x1.6db6db40cbe98p-5);
    p = __clift_fma(p, z, 0x1.3333333371151p-4);
    p = __clift_fma(p, z, 0x1.555555555537ap-3);
    return __clift_fma(s * z, p, s);
}

float asin(float x)
{
    float a = __clift_fabs(x);
    int big = a > 0.5f;
    float z = big ? __clift_fma(a, -0.5f, 0.5f) : x * x;
    float p = asin_poly(big ? __clift_sqrt(z) : a, z);
    float y = big ? __clift_fma(-2.0f, p, -0x1.777a5cp-25f) + 0x1.921fb6p+0f : p;
    return __clift_copysign(y, x);
}

float acos(float x)
{
    float a = __clift_fabs(x);
    int big = a > 0.5f;
    float z = big ? __clift_fma(a, -0.5f, 0.5f) : x * x;
    float p = asin_poly(big ? __clift_sqrt(z) : a, z);
    float inner = 0x1.921fb6p+0f - (__clift_copysign(p, x) + 0x1.777a5cp-25f);
    float outer = x > 0.0f ? 2.0f * p : 0x1.921fb6p+1f - __clift_fma(2.0f, p, 0x1.777a5cp-24f);
    return big ? outer : inner;
}

double asin(double x)
{
    double a = __clift_fabs(x);
    int big = a > 0.5;
    double z = big ? __clift_fma(a, -0.5, 0.5) : x * x;
    double p = asin_poly(big ? __clift_sqrt(z) : a, z);
    double y = big ? __clift_fma(-2.0, p, 0x1.1a62633145c07p-54) + 0x1.921fb54442d18p+0 : p;
    return __clift_copysign(y, x);
}

double acos(double x)
{
    double a = __clift_fabs(x);
    int big = a > 0.5;
    double z = big ? __clift_fma(a, -0.5, 0.5) : x * x;
    double p = asin_poly(big ? __clift_sqrt(z) : a, z);
    double inner = 0x1.921fb54442d18p+0 - (__clift_copysign(p, x) - 0x1.1a62633145c07p-54);
    double outer = x > 0.0 ? 2.0 * p : 0x1.921fb54442d18p+1 - __clift_fma(2.0, p, -0x1.1a62633145c07p-53);
    return big ? outer : inner;
}

float asinpi(float x) { return (float)(asin((double)x) * 0x1.45f306dc9c883p-2); }
float acospi(float x) { return (float)(acos((double)x) * 0x1.45f306dc9c883p-2); }
double asinpi(double x) { return asin(x) * 0x1.45f306dc9c883p-2; }
double acospi(double x) { return acos(x) * 0x1.45f306dc9c883p-2; }

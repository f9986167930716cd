// asin, acos, atan of floats, correctly rounded: as in asin.cl and atan.cl in double, with shorter polynomials;
// where that is too near to a halfway point to be rounded, the functions of doubles, and the arguments where those
// are not near enough.
//
// Coefficients: weighted minimax fits of (asin(x) - x) / x^3 for |x| <= 1/2, 2^-39.9 off at most, and of (atan(t) -
// t) / t^3 for |t| <= tan(pi/8), 2^-40.2, made for this file. The margins are 2^-38.
// The exceptions are those that correctly_rounded.rs finds among all floats.

#include "rounded.clh"

#define MARGIN 0x8000UL

// asin(sqrt(z)) with s = sqrt(z), z <= 1/4.
static double asin_poly(double s, double z)
{
    double p = 0x1.0d7d1e9a54fe1p-5;
    p = __clift_fma(p, z, 0x1.05433bdc44f49p-9);
    p = __clift_fma(p, z, 0x1.522eba656c4cfp-6);
    p = __clift_fma(p, z, 0x1.6643d921685cep-6);
    p = __clift_fma(p, z, 0x1.f2819ef3fd28ap-6);
    p = __clift_fma(p, z, 0x1.6db25ce706368p-5);
    p = __clift_fma(p, z, 0x1.333340874b68p-4);
    p = __clift_fma(p, z, 0x1.55555547de885p-3);
    return __clift_fma(s * z, p, s);
}

float rounded_asin(float x)
{
    double a = (double)__clift_fabs(x);
    int big = a > 0.5;
    double z = big ? __clift_fma(a, -0.5, 0.5) : a * a;
    double p = asin_poly(big ? __clift_sqrt(z) : a, z);
    double y = big ? __clift_fma(-2.0, p, 0x1.1a62633145c07p-54) + 0x1.921fb54442d18p+0 : p;
    float result = (float)y;
    if (may_round_otherwise(y, MARGIN))
        result = (float)asin(a);
    return __clift_copysign(result, x);
}

float rounded_acos(float x)
{
    double d = (double)x;
    double a = __clift_fabs(d);
    int big = a > 0.5;
    double z = big ? __clift_fma(a, -0.5, 0.5) : a * a;
    double p = asin_poly(big ? __clift_sqrt(z) : a, z);
    double inner = 0x1.921fb54442d18p+0 - (__clift_copysign(p, d) - 0x1.1a62633145c07p-54);
    double outer = x > 0.0f ? 2.0 * p : 0x1.921fb54442d18p+1 - __clift_fma(2.0, p, -0x1.1a62633145c07p-53);
    double y = big ? outer : inner;
    float result = (float)y;
    if (may_round_otherwise(y, MARGIN)) {
        result = (float)acos(d);
        result = x == 0x1.110b46p-26f ? 0x1.921fb6p+0f : result;
        result = x == 0x1.04c444p-12f ? 0x1.920f6ap+0f : result;
    }
    return result;
}

float rounded_atan(float x)
{
    double a = (double)__clift_fabs(x);
    int mid = a > 0x1.a827999fcef32p-2;
    int big = a > 0x1.3504f333f9de6p+1;
    double u = big ? -1.0 : mid ? a - 1.0 : a;
    double v = big ? a : mid ? a + 1.0 : 1.0;
    double base = big ? 0x1.921fb54442d18p+0 : mid ? 0x1.921fb54442d18p-1 : 0.0;
    double t = u / v;
    double z = t * t;
    double p = -0x1.36addcbe00edap-5;
    p = __clift_fma(p, z, 0x1.1e5c706a3a242p-4);
    p = __clift_fma(p, z, -0x1.7082bf9fe7815p-4);
    p = __clift_fma(p, z, 0x1.c6d1ec7658288p-4);
    p = __clift_fma(p, z, -0x1.2490c30b8c8f2p-3);
    p = __clift_fma(p, z, 0x1.999991fc48424p-3);
    p = __clift_fma(p, z, -0x1.5555554edf7dp-2);
    double y = base + __clift_fma(t * z, p, t);
    float result = (float)y;
    if (may_round_otherwise(y, MARGIN)) {
        result = (float)atan(a);
        result = a == 0x1.1ad646p-4 ? 0x1.1a6386p-4f : result;
    }
    return __clift_copysign(result, x);
}

// exp, exp2, exp10: x = n ln 2 + r (or its like in base 2 and 10) with |r| at most half a step, a polynomial for the
// power of r, whose exponent n is added to. Where that leaves the normal numbers (one test): double by two exact
// products with powers of two, the second of which rounds, float by its bits.
//
// Coefficients: weighted minimax fits of (e^r - 1 - r) / r^2 and of (b^r - 1) / r, made for this file.
// Worst error seen (limit 3 ulp): float exp 1.03, exp2 0.88, exp10 1.01; double exp 1.01, exp2 0.88, exp10 1.02.
//
// relaxed_…: what native_, half_ and unsafe math take. A shorter polynomial, and r in one step, so that an
// error of at most |x| ulp comes in. Worst error seen: exp 20.1 ulp (limit 3 + floor(2 |x|), which is 177 there), exp2
// 2.1 (the same limit, at least 3), exp10 31.5 (8192).

#include "bits.clh"

// The result from the power y of r and n in the low bits of sum: both normal if |x| < normal. Beyond the other bounds
// it is infinite or rounds to zero. NaN is in y.
static float exp_of(float y, float sum, float x, float normal, float bottom, float top)
{
    uint bits = as_uint(y) + (as_uint(sum) << 23);
    float result = as_float(bits);
    if (!(__clift_fabs(x) < normal)) {
        // Up to 2^-125 the bits of a float are how many times the least one it is. To have them by a product takes
        // processors a hundred times as long, where that is subnormal.
        float steps = as_float(as_uint(y) + ((as_uint(sum) + 149) << 23));
        // Beyond the largest number there is infinity, and then what stands for no number.
        uint large = bits < as_uint(INFINITY) ? bits : as_uint(INFINITY);
        result = x < 0.0f ? as_float(convert_int_rte(steps)) : as_float(large);
        result = x <= top ? result : x * INFINITY;
        result = x < bottom ? 0.0f : result;
    }
    return result;
}

static double exp_of(double y, double sum, double x, double normal, double bottom, double top)
{
    double result = as_double(as_ulong(y) + (as_ulong(sum) << 52));
    if (!(__clift_fabs(x) < normal)) {
        result = scale_by_pow2(y, (int)as_long(sum));
        result = x > top ? INFINITY : result;
        result = x < bottom ? 0.0 : result;
    }
    return result;
}

float exp(float x)
{
    float sum = __clift_fma(x, 0x1.715476p+0f, 0x1.8p+23f);
    float n = sum - 0x1.8p+23f;
    float r = __clift_fma(n, -0x1.62e43p-1f, x);
    r = __clift_fma(n, 0x1.05c61p-29f, r);
    float p = 0x1.6d51acp-10f;
    p = __clift_fma(p, r, 0x1.123bfep-7f);
    p = __clift_fma(p, r, 0x1.5554e4p-5f);
    p = __clift_fma(p, r, 0x1.55548ep-3f);
    p = __clift_fma(p, r, 0x1p-1f);
    float y = 1.0f + __clift_fma(r * r, p, r);
    return exp_of(y, sum, x, 87.0f, -104.5f, 89.0f);
}

float exp2(float x)
{
    float sum = x + 0x1.8p+23f;
    float n = sum - 0x1.8p+23f;
    float r = x - n;
    float p = 0x1.4424c8p-13f;
    p = __clift_fma(p, r, 0x1.5f0bcp-10f);
    p = __clift_fma(p, r, 0x1.3b2a48p-7f);
    p = __clift_fma(p, r, 0x1.c6af76p-5f);
    p = __clift_fma(p, r, 0x1.ebfbep-3f);
    p = __clift_fma(p, r, 0x1.62e43p-1f);
    float y = __clift_fma(r, p, 1.0f);
    return exp_of(y, sum, x, 126.0f, -151.0f, 129.0f);
}

float exp10(float x)
{
    float sum = __clift_fma(x, 0x1.a934fp+1f, 0x1.8p+23f);
    float n = sum - 0x1.8p+23f;
    float r = __clift_fma(n, -0x1.344136p-2f, x);
    r = __clift_fma(n, 0x1.ec10cp-27f, r);
    float p = 0x1.a900bap-3f;
    p = __clift_fma(p, r, 0x1.156bd6p-1f);
    p = __clift_fma(p, r, 0x1.2bd766p+0f);
    p = __clift_fma(p, r, 0x1.046f9ap+1f);
    p = __clift_fma(p, r, 0x1.53524cp+1f);
    p = __clift_fma(p, r, 0x1.26bb1cp+1f);
    float y = __clift_fma(r, p, 1.0f);
    return exp_of(y, sum, x, 37.75f, -46.0f, 38.7f);
}

// 2^r 2^n for |r| <= 1/2, where n is in the low bits of sum; x as in exp_of.
static float relaxed_power(float r, float sum, float x, float normal, float bottom, float top)
{
    float p = 0x1.5bba3cp-10f;
    p = __clift_fma(p, r, 0x1.3cea84p-7f);
    p = __clift_fma(p, r, 0x1.c6b752p-5f);
    p = __clift_fma(p, r, 0x1.ebf9bcp-3f);
    p = __clift_fma(p, r, 0x1.62e42ap-1f);
    return exp_of(__clift_fma(p, r, 1.0f), sum, x, normal, bottom, top);
}

float relaxed_exp(float x)
{
    float sum = __clift_fma(x, 0x1.715476p+0f, 0x1.8p+23f);
    float r = __clift_fma(x, 0x1.715476p+0f, 0x1.8p+23f - sum);
    return relaxed_power(r, sum, x, 87.0f, -104.5f, 89.0f);
}

float relaxed_exp2(float x)
{
    float sum = x + 0x1.8p+23f;
    float r = x - (sum - 0x1.8p+23f);
    return relaxed_power(r, sum, x, 126.0f, -151.0f, 129.0f);
}

float relaxed_exp10(float x)
{
    float sum = __clift_fma(x, 0x1.a934fp+1f, 0x1.8p+23f);
    float r = __clift_fma(x, 0x1.a934fp+1f, 0x1.8p+23f - sum);
    return relaxed_power(r, sum, x, 37.75f, -46.0f, 38.7f);
}

double exp(double x)
{
    double sum = __clift_fma(x, 0x1.71547652b82fep+0, 0x1.8p+52);
    double n = sum - 0x1.8p+52;
    double r = __clift_fma(n, -0x1.62e42fefa39efp-1, x);
    r = __clift_fma(n, -0x1.abc9e3b39803fp-56, r);
    double p = 0x1.af7209510803p-26;
    p = __clift_fma(p, r, 0x1.28b12fe8e30ddp-22);
    p = __clift_fma(p, r, 0x1.71ddec7f6c57fp-19);
    p = __clift_fma(p, r, 0x1.a0199584f2c51p-16);
    p = __clift_fma(p, r, 0x1.a01a01b4f7177p-13);
    p = __clift_fma(p, r, 0x1.6c16c18616ed7p-10);
    p = __clift_fma(p, r, 0x1.111111110e8b3p-7);
    p = __clift_fma(p, r, 0x1.555555554fdd8p-5);
    p = __clift_fma(p, r, 0x1.555555555555cp-3);
    p = __clift_fma(p, r, 0x1.000000000000cp-1);
    double y = 1.0 + __clift_fma(r * r, p, r);
    return exp_of(y, sum, x, 708.0, -746.0, 710.0);
}

double exp2(double x)
{
    double sum = x + 0x1.8p+52;
    double n = sum - 0x1.8p+52;
    double r = x - n;
    double p = 0x1.ea6beebca23d8p-32;
    p = __clift_fma(p, r, 0x1.e617d699007cp-28);
    p = __clift_fma(p, r, 0x1.b524871d8e5bbp-24);
    p = __clift_fma(p, r, 0x1.62bfca08915eap-20);
    p = __clift_fma(p, r, 0x1.ffcbfcaa0685p-17);
    p = __clift_fma(p, r, 0x1.4309130da710cp-13);
    p = __clift_fma(p, r, 0x1.5d87fe7892f78p-10);
    p = __clift_fma(p, r, 0x1.3b2ab6fba08e2p-7);
    p = __clift_fma(p, r, 0x1.c6b08d704a154p-5);
    p = __clift_fma(p, r, 0x1.ebfbdff82c5ap-3);
    p = __clift_fma(p, r, 0x1.62e42fefa39efp-1);
    double y = __clift_fma(r, p, 1.0);
    return exp_of(y, sum, x, 1022.0, -1076.0, 1025.0);
}

double exp10(double x)
{
    double sum = __clift_fma(x, 0x1.a934f0979a371p+1, 0x1.8p+52);
    double n = sum - 0x1.8p+52;
    double r = __clift_fma(n, -0x1.34413509f79ffp-2, x);
    r = __clift_fma(n, 0x1.9dc1da994fd21p-59, r);
    double p = 0x1.fabec2dc58734p-13;
    p = __clift_fma(p, r, 0x1.2f6ad0a557087p-10);
    p = __clift_fma(p, r, 0x1.489849058721bp-8);
    p = __clift_fma(p, r, 0x1.411667755a8c4p-6);
    p = __clift_fma(p, r, 0x1.16e4df750ae4cp-4);
    p = __clift_fma(p, r, 0x1.a7ed709bd8e1ep-3);
    p = __clift_fma(p, r, 0x1.1429ffd1f964p-1);
    p = __clift_fma(p, r, 0x1.2bd7609fd6983p+0);
    p = __clift_fma(p, r, 0x1.0470591de2bbap+1);
    p = __clift_fma(p, r, 0x1.53524c73cea6ep+1);
    p = __clift_fma(p, r, 0x1.26bb1bbb55516p+1);
    double y = __clift_fma(r, p, 1.0);
    return exp_of(y, sum, x, 307.0, -325.0, 309.0);
}

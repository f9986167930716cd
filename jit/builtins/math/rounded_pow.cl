// pow of floats, correctly rounded: 2^(y log2 |x|) in double. Where that is too near to a halfway point to be
// rounded, or x or the result special, e^(y log |x|) with the logarithm as a sum of two doubles (pow.clh), less than
// two units in the last place of double off; where that is not enough, the logarithm of the halfway point is
// compared with that of the power, both to 2^-100. Those that do not differ to 2^-95 are alike: then the halfway
// point is the power, exactly. (Were all 2^60 pairs with results that are numbers independent of each other, the
// nearest would differ by 2^-85.)
//
// Coefficients: weighted minimax fits of log(1 + r) / r, 2^-48.4 off at most, and of (2^r - 1) / r, with which the
// power is 2^-38.5 off, made for this file. With |y log2 |x|| below 126 it is 2^-38.2 off at most; the margin is
// 2^-37.

#include "bits.clh"
#include "pow.clh"
#include "rounded.clh"
#include "rounded_log.clh"

// A sum of two doubles times another.
static double times(double a, double a_low, double b, double b_low, private double *low)
{
    double product = a * b;
    *low = __clift_fma(a, b, -product) + __clift_fma(a, b_low, a_low * b);
    return product;
}

// a + b + b_low as a sum of two doubles, for |a| >= |b| or a = 0.
static double plus(double a, double b, double b_low, private double *low)
{
    double sum = a + b;
    *low = (a - sum) + b + b_low;
    return sum;
}

// log2 x = result + *low to 2^-100, for positive x with 30 bits at most: e + 2/ln 2 (s + s^3/3 + s^5/5 ...).
static double precise_log2(double x, private double *low)
{
    ulong bits = as_ulong(x) - 0x3fe6a09e667f3bcdUL;
    double m = as_double((bits & 0x000fffffffffffffUL) + 0x3fe6a09e667f3bcdUL);
    double e = convert_double((int)((long)bits >> 52));
    double f = m - 1.0;
    double d = m + 1.0;
    double s = f / d;
    double s_low = __clift_fma(-s, d, f) / d;
    double z_low;
    double z = times(s, s_low, s, s_low, &z_low);
    double p = 0.0;
    double p_low = 0.0;
    for (double k = 45.0; k > 0.0; k -= 2.0) {
        double q_low;
        double q = times(z, z_low, p, p_low, &q_low);
        double inverse = 1.0 / k;
        p = plus(inverse, q, q_low + __clift_fma(-inverse, k, 1.0) / k, &p_low);
    }
    p = times(p, p_low, s, s_low, &p_low);
    p = times(p, p_low, 0x1.71547652b82fep+1, 0x1.777d0ffda0d24p-55, &p_low);
    return plus(e, p, p_low, low);
}

// a^y, which is near the halfway point between the floats below and above, to the nearest of them.
static float pow_exactly(double a, double y, float below, float above)
{
    double half_way = 0.5 * ((double)below + (above == INFINITY ? 0x1p+128 : (double)above));
    double want_low;
    double want = precise_log2(half_way, &want_low);
    double low;
    double high = precise_log2(a, &low);
    double product = y * high;
    double product_low = __clift_fma(y, low, __clift_fma(y, high, -product));
    double difference = (product - want) + (product_low - want_low);
    if (__clift_fabs(difference) <= __clift_fabs(product) * 0x1p-95)
        return (float)half_way;
    return difference > 0.0 ? above : below;
}

// a^y for a > 0 finite and all y but NaN; anything else for others.
static float pow_near(double a, double y)
{
    double low;
    double high = pow_log(a, &low);
    double product = y * high;
    double product_low = __clift_fma(y, low, __clift_fma(y, high, -product));
    double r = pow_exp(product, product_low, 0);
    r = r > 0x1p+200 ? 0x1p+200 : r;
    float below = (float)__clift_fma(r, -0x1p-50, r);
    float above = (float)__clift_fma(r, 0x1p-50, r);
    float result = below;
    if (below < above)
        result = pow_exactly(a, y, below, above);
    return result;
}

float rounded_pow(float x, float y)
{
    double d = (double)x;
    double e;
    double base;
    double r = log_parts(d, &e, &base);
    double p = -0x1.009a8e1703abp-3;
    p = __clift_fma(p, r, 0x1.252cbcd8b9b75p-3);
    p = __clift_fma(p, r, -0x1.55552ea87761ep-3);
    p = __clift_fma(p, r, 0x1.999978df6d9f3p-3);
    p = __clift_fma(p, r, -0x1.00000001c79a4p-2);
    p = __clift_fma(p, r, 0x1.55555556714e6p-2);
    p = __clift_fma(p, r, -0x1.fffffffffff4dp-2);
    p = __clift_fma(p, r, 0x1.fffffffffffe8p-1);
    double t = (double)y * __clift_fma(__clift_fma(p, r, base), 0x1.71547652b82fep+0, e);
    double sum = __clift_fma(t, 16.0, 0x1.8p+52);
    r = __clift_fma(sum - 0x1.8p+52, -0.0625, t);
    double q = 0x1.3b29b64fd657ep-7;
    q = __clift_fma(q, r, 0x1.c6b3f69018ba4p-5);
    q = __clift_fma(q, r, 0x1.ebfbdfff57789p-3);
    q = __clift_fma(q, r, 0x1.62e42fec3e7b7p-1);
    double s = sixteenth_power(sum);
    double power = __clift_fma(q * r, s, s);
    float result = (float)power;
    if (may_round_otherwise(power, 0x10000UL) | (as_uint(x) - 1U > 0x7f7ffffeU) | !(__clift_fabs(t) < 126.0))
        result = pow_special(pow_near(__clift_fabs(d), (double)y), x, y);
    return result;
}

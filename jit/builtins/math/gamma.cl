// tgamma, lgamma, lgamma_r. On [1, 2) a polynomial; below 12 the recurrence, whose factors a - 1, a - 2, ... are exact;
// from 12 on Stirling's series, for tgamma with the exponent as a sum of two doubles (pow.clh). Negative arguments by
// reflection. float lgamma goes through double; float tgamma has a shorter way in doubles, without branches: Gamma(a +
// 6) by Stirling's series in base 2, and the recurrence down to a, whose six factors are y (y + 4) (y + 6) with y = a
// (a + 5).
//
// Coefficients: weighted minimax fits of Gamma(u + 3/2), of log Gamma(1 + t) / (t (t - 1)) in u = t - 1/2, and of
// Stirling's correction times x in 1/x^2, of log2(m) / s in s^2, 2^r, and sin(pi r) / r in r^2, made for this file.
// Worst error seen (tgamma's limit 16 ulp, lgamma has none): float 0.51, double tgamma 8.44.

#include "bits.clh"
#include "pow.clh"
#include "trig.clh"

// |sin(pi a)| for a >= 0 and whether the whole part of a is odd (.y).
static double2 sin_pi_magnitude(double a)
{
    double n = __clift_floor(a);
    double r = a - n;
    r = r > 0.5 ? 1.0 - r : r;
    double s = r > 0.25 ? cos_poly((0.5 - r) * 0x1.921fb54442d18p+1) : sin_poly(r * 0x1.921fb54442d18p+1);
    return (double2)(s, n - 2.0 * __clift_floor(0.5 * n));
}

// x times the logarithm of Stirling's correction, w = 1/x, x >= 12.
static double stirling(double w)
{
    double v = w * w;
    double p = 0x1.8dcf14ea96f69p+2;
    p = __clift_fma(p, v, -0x1.40b1548ddc785p-3);
    p = __clift_fma(p, v, -0x1.c2253dafd9e1ap-13);
    p = __clift_fma(p, v, 0x1.b491179efe1dfp-11);
    p = __clift_fma(p, v, -0x1.3810085501c4p-11);
    p = __clift_fma(p, v, 0x1.a01a005250e36p-11);
    p = __clift_fma(p, v, -0x1.6c16c16c08e8p-9);
    p = __clift_fma(p, v, 0x1.5555555555555p-4);
    return p;
}

// Gamma(1 + t), t in [0, 1].
static double gamma_poly(double t)
{
    double u = t - 0.5;
    double p = 0x1.99a17af6efe4cp-12;
    p = __clift_fma(p, u, -0x1.21af8f8c62af3p-11);
    p = __clift_fma(p, u, 0x1.4db2972f122edp-12);
    p = __clift_fma(p, u, -0x1.101ffc5b6b572p-11);
    p = __clift_fma(p, u, 0x1.1700622bf1407p-10);
    p = __clift_fma(p, u, -0x1.9caa28a2894dep-10);
    p = __clift_fma(p, u, 0x1.29b62c2529a93p-9);
    p = __clift_fma(p, u, -0x1.bf465c3271766p-9);
    p = __clift_fma(p, u, 0x1.5069e85e3ab68p-8);
    p = __clift_fma(p, u, -0x1.f811e855448f9p-8);
    p = __clift_fma(p, u, 0x1.79909b4485b74p-7);
    p = __clift_fma(p, u, -0x1.1a2bbee5ebf89p-6);
    p = __clift_fma(p, u, 0x1.a752cff6ff889p-6);
    p = __clift_fma(p, u, -0x1.374fd842c1167p-5);
    p = __clift_fma(p, u, 0x1.e022b71b4f3e3p-5);
    p = __clift_fma(p, u, -0x1.3d88cfdd0d5e1p-4);
    p = __clift_fma(p, u, 0x1.283bd375177fcp-3);
    p = __clift_fma(p, u, -0x1.b77ac1ca4653ap-4);
    p = __clift_fma(p, u, 0x1.a8c4dba620aefp-2);
    p = __clift_fma(p, u, 0x1.08ea88ee56442p-5);
    p = __clift_fma(p, u, 0x1.c5bf891b4ef6bp-1);
    return p;
}

// 2^shift Gamma(a), or 2^shift / Gamma(a) if sign is -1, for a >= 12. The shift brings the exponent nearer to 0.
static double gamma_large(double a, double sign, int shift)
{
    // (a - 1/2) log a - a in two parts.
    double log_low;
    double log_high = pow_log(a, &log_low);
    double b = a - 0.5;
    double p = b * log_high;
    double p_low = __clift_fma(b, log_low, __clift_fma(b, log_high, -p));
    double high = p - a;
    double low = (p - high) - a + p_low;
    double w = 1.0 / a;
    double factor = 0x1.40d931ff62706p+1 * exp(w * stirling(w));
    double r = pow_exp(sign * high, sign * low, shift);
    return sign > 0.0 ? r * factor : r / factor;
}

double tgamma(double x)
{
    double a = __clift_fabs(x);
    if (x != x || a == INFINITY) return x > 0.0 || x != x ? x : NAN;
    if (x == 0.0) return 1.0 / x;
    if (x < 0.0 && __clift_floor(x) == x) return NAN;
    double2 s = sin_pi_magnitude(a);
    // -1 for an argument in (-1, 0), (-3, -2), ...
    double sign = s.y == 0.0 ? -1.0 : 1.0;
    if (a >= 12.0) {
        if (x > 0.0) return a > 180.0 ? INFINITY : gamma_large(a, 1.0, 0);
        int far = a > 150.0;
        double g = a > 200.0 ? 0.0 : gamma_large(a, -1.0, far ? 200 : 0);
        // Beside a pole the result is normal though 1 / Gamma(a) is not: the power of two goes last.
        return sign * (0x1.921fb54442d18p+1 / (a * s.x) * g * (far ? 0x1p-200 : 1.0));
    }
    double m = a;
    double product = 1.0;
    while (m >= 2.0) {
        m -= 1.0;
        product *= m;
    }
    double base = gamma_poly(a < 1.0 ? a : m - 1.0) * product;
    // base is Gamma(a), or Gamma(a + 1) if a < 1.
    if (x > 0.0) return a < 1.0 ? base / a : base;
    return sign * (0x1.921fb54442d18p+1 / (s.x * (a < 1.0 ? base : base * a)));
}

// log |Gamma(x)|; x is not NaN.
static double lgamma_magnitude(double x)
{
    double a = __clift_fabs(x);
    if (a == INFINITY) return INFINITY;
    if (x <= 0.0 && __clift_floor(x) == x) return INFINITY;
    double y;
    if (a >= 12.0) {
        double w = 1.0 / a;
        double correction = a > 0x1p+60 ? 0.0 : w * stirling(w);
        double l = log(a);
        y = a > 0x1p+60 ? a * (l - 1.0) : __clift_fma(a - 0.5, l - 1.0, 0x1.acfe390c97d68p-2 + correction);
    } else {
        double m = a;
        double product = 1.0;
        while (m >= 2.0) {
            m -= 1.0;
            product *= m;
        }
        double t = a < 1.0 ? a : m - 1.0;
        double u = t - 0.5;
        double p = -0x1.3714d161913dfp-16;
        p = __clift_fma(p, u, 0x1.db8bced022e24p-16);
        p = __clift_fma(p, u, -0x1.683abb3ed5441p-16);
        p = __clift_fma(p, u, 0x1.257a7b5d21b78p-15);
        p = __clift_fma(p, u, -0x1.1cfba9c5a0411p-14);
        p = __clift_fma(p, u, 0x1.c3cbaf8cb53d6p-14);
        p = __clift_fma(p, u, -0x1.61842e5195b5p-13);
        p = __clift_fma(p, u, 0x1.1c0dd21442e58p-12);
        p = __clift_fma(p, u, -0x1.cb5040ad2f7edp-12);
        p = __clift_fma(p, u, 0x1.7510a2c4239b2p-11);
        p = __clift_fma(p, u, -0x1.313e52a9bec7ep-10);
        p = __clift_fma(p, u, 0x1.f814861e71345p-10);
        p = __clift_fma(p, u, -0x1.a503537883db2p-9);
        p = __clift_fma(p, u, 0x1.64f066ccd0fcap-8);
        p = __clift_fma(p, u, -0x1.34dbda128b80fp-7);
        p = __clift_fma(p, u, 0x1.13342351e09fp-6);
        p = __clift_fma(p, u, -0x1.007aa83cef99ep-5);
        p = __clift_fma(p, u, 0x1.01af62a292e67p-4);
        p = __clift_fma(p, u, -0x1.2aed059bd6085p-3);
        p = __clift_fma(p, u, 0x1.eeb95b094c191p-2);
        double scale = a < 1.0 ? a : product;
        double l = log(scale);
        y = t * (t - 1.0) * p + (a < 1.0 ? -l : l);
    }
    if (x > 0.0) return y;
    // A tiny argument: the product a sin(pi a) would underflow.
    if (a < 0x1p-60) return -log(a);
    return log(0x1.921fb54442d18p+1 / (a * sin_pi_magnitude(a).x)) - y;
}

double lgamma_r(double x, int *sign)
{
    double a = __clift_fabs(x);
    int odd = __clift_floor(a) - 2.0 * __clift_floor(0.5 * a) >= 1.0;
    int pole = x <= 0.0 && __clift_floor(x) == x;
    // The sign of Gamma: negative in (-1, 0), (-3, -2), ...; 0 at zero and negative integers.
    int value = x > 0.0 || odd ? 1 : -1;
    *sign = x != x || pole ? 0 : value;
    return x != x ? x : lgamma_magnitude(x);
}

double lgamma(double x) { return x != x ? x : lgamma_magnitude(x); }

float tgamma(float x)
{
    // From 43 on the result is infinite, or zero for negative arguments.
    double far = __clift_fabs(x);
    double a = far > 43.0 ? 43.0 : far;

    // t = 2^e m, m in [sqrt(1/2), sqrt(2)); s = (m - 1) / (m + 1) and w = 1 / t share a division.
    double t = a + 6.0;
    ulong bits = as_ulong(t) - 0x3fe6a09e667f3bcdUL;
    double m = as_double((bits & 0x000fffffffffffffUL) + 0x3fe6a09e667f3bcdUL);
    double e = convert_double((int)(bits >> 52));
    double inverse = 1.0 / (t * (m + 1.0));
    double w = inverse * (m + 1.0);
    double s = (m - 1.0) * t * inverse;
    double z = s * s;
    double p = 0x1.5ce7cd8f69a61p-2;
    p = __clift_fma(p, z, 0x1.a58d8fc49d905p-2);
    p = __clift_fma(p, z, 0x1.27777fda50da3p-1);
    p = __clift_fma(p, z, 0x1.ec709d12e192ap-1);
    p = __clift_fma(p, z, 0x1.71547652bede5p+1);
    double l = __clift_fma(s, p, e);

    double v = w * w;
    double c = 0x1.21bd6fb5b5c41p-10;
    c = __clift_fma(c, v, -0x1.06995edace28fp-8);
    c = __clift_fma(c, v, 0x1.ec709d43c526cp-4);
    double rest = __clift_fma(t, -0x1.71547652b82fep+0, __clift_fma(w, c, 0x1.536439a4c6efcp+0));
    double power = __clift_fma(t - 0.5, l, rest);

    double n;
    int i = nearest_int(power, 1.0, &n);
    double r = power - n;
    double g = 0x1.fe1788f3cc4acp-17;
    g = __clift_fma(g, r, 0x1.446a2038552f2p-13);
    g = __clift_fma(g, r, 0x1.5d8a708532d62p-10);
    g = __clift_fma(g, r, 0x1.3b29dc404cc60p-7);
    g = __clift_fma(g, r, 0x1.c6b08aaf31573p-5);
    g = __clift_fma(g, r, 0x1.ebfbe0a4bf5b3p-3);
    g = __clift_fma(g, r, 0x1.62e42ff116242p-1);
    g = __clift_fma(g, r, 0x1.ffffffffabbb6p-1);
    g *= as_double((long)(i + 1023) << 52);

    // Gamma(-a) = -pi / (a sin(pi a) Gamma(a)).
    double floor_far = __clift_floor(far);
    double q = far - floor_far;
    q = q > 0.5 ? 1.0 - q : q;
    double k = q * q;
    double sine = -0x1.cc345acc28ab4p-8;
    sine = __clift_fma(sine, k, 0x1.500ff7f244ae1p-4);
    sine = __clift_fma(sine, k, -0x1.32d112018ddf3p-1);
    sine = __clift_fma(sine, k, 0x1.466bbfc24db3fp+1);
    sine = __clift_fma(sine, k, -0x1.4abbce4f1a22dp+2);
    sine = __clift_fma(sine, k, 0x1.921fb5441e4a2p+1);
    double pi = floor_far == 2.0 * __clift_floor(0.5 * floor_far) ? -0x1.921fb54442d18p+1 : 0x1.921fb54442d18p+1;

    double y = a * (a + 5.0);
    double product = (y + 4.0) * (y + 6.0);
    double above = x < 0.0f ? pi * (a + 5.0) * product : g;
    double below = x < 0.0f ? q * sine * g : y * product;
    float result = (float)(above / below);
    result = x < 0.0f && q == 0.0 ? NAN : result;
    return x == 0.0f ? 1.0f / x : result;
}

float lgamma(float x) { return (float)lgamma((double)x); }

float lgamma_r(float x, int *sign)
{
    return (float)lgamma_r((double)x, sign);
}

// exp, exp2, exp10: x = n ln 2 + r (or its like in base 2 and 10) with |r| at most half a step, a polynomial for the power
// of r, then two exact products with powers of two, the second of which rounds.
//
// Coefficients: weighted minimax fits of (e^r - 1 - r) / r^2 and of (b^r - 1) / r, made for this file.
// Worst error seen (limit 3 ulp): float exp 1.03, exp2 0.88, exp10 1.01; double exp 1.01, exp2 0.79, exp10 1.00.

#include "bits.clh"

float exp(float x)
{
    // Beyond these bounds the result is infinite or rounds to zero. NaN passes through.
    float t = x > 89.0f ? 89.0f : x;
    t = t < -104.5f ? -104.5f : t;
    float n;
    int i = nearest_int(t, 0x1.715476p+0f, &n);
    float r = __clift_fma(n, -0x1.62e43p-1f, t);
    r = __clift_fma(n, 0x1.05c61p-29f, r);
    float p = 0x1.6d51acp-10f;
    p = __clift_fma(p, r, 0x1.123bfep-7f);
    p = __clift_fma(p, r, 0x1.5554e4p-5f);
    p = __clift_fma(p, r, 0x1.55548ep-3f);
    p = __clift_fma(p, r, 0x1p-1f);
    float y = 1.0f + __clift_fma(r * r, p, r);
    return scale_by_pow2(y, i);
}

float exp2(float x)
{
    float t = x > 129.0f ? 129.0f : x;
    t = t < -151.0f ? -151.0f : t;
    float n;
    int i = nearest_int(t, 1.0f, &n);
    float r = t - n;
    float p = 0x1.4424c8p-13f;
    p = __clift_fma(p, r, 0x1.5f0bcp-10f);
    p = __clift_fma(p, r, 0x1.3b2a48p-7f);
    p = __clift_fma(p, r, 0x1.c6af76p-5f);
    p = __clift_fma(p, r, 0x1.ebfbep-3f);
    p = __clift_fma(p, r, 0x1.62e43p-1f);
    float y = __clift_fma(r, p, 1.0f);
    return scale_by_pow2(y, i);
}

float exp10(float x)
{
    float t = x > 39.0f ? 39.0f : x;
    t = t < -46.0f ? -46.0f : t;
    float n;
    int i = nearest_int(t, 0x1.a934fp+1f, &n);
    float r = __clift_fma(n, -0x1.344136p-2f, t);
    r = __clift_fma(n, 0x1.ec10cp-27f, r);
    float p = 0x1.a900bap-3f;
    p = __clift_fma(p, r, 0x1.156bd6p-1f);
    p = __clift_fma(p, r, 0x1.2bd766p+0f);
    p = __clift_fma(p, r, 0x1.046f9ap+1f);
    p = __clift_fma(p, r, 0x1.53524cp+1f);
    p = __clift_fma(p, r, 0x1.26bb1cp+1f);
    float y = __clift_fma(r, p, 1.0f);
    return scale_by_pow2(y, i);
}

double exp(double x)
{
    double t = x > 710.0 ? 710.0 : x;
    t = t < -746.0 ? -746.0 : t;
    double n;
    int i = nearest_int(t, 0x1.71547652b82fep+0, &n);
    double r = __clift_fma(n, -0x1.62e42fefa39efp-1, t);
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
    return scale_by_pow2(y, i);
}

double exp2(double x)
{
    double t = x > 1025.0 ? 1025.0 : x;
    t = t < -1076.0 ? -1076.0 : t;
    double n;
    int i = nearest_int(t, 1.0, &n);
    double r = t - n;
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
    return scale_by_pow2(y, i);
}

double exp10(double x)
{
    double t = x > 309.0 ? 309.0 : x;
    t = t < -325.0 ? -325.0 : t;
    double n;
    int i = nearest_int(t, 0x1.a934f0979a371p+1, &n);
    double r = __clift_fma(n, -0x1.34413509f79ffp-2, t);
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
    return scale_by_pow2(y, i);
}

// log, log2, log10: x = 2^e m. float: m in [2/3, 4/3), a polynomial in f = m - 1. double: m in [sqrt(1/2), sqrt(2)),
// log m = f - (f^2/2 - s (f^2/2 + R(s^2))) with s = f / (2 + f); base 2 and 10 multiply by the constant in two parts.
//
// Coefficients: weighted minimax fits of (log(1+f) - f + f^2/2) / f^3, of log_b(1+f) / f, and of (2 atanh(s)/s - 2) /
// s^2, made for this file.
// Worst error seen (limit 3 ulp): float log 0.82, log2 1.41, log10 1.58; double log 1.24, log2 1.67, log10 1.63.
//
// relaxed_…: what native_, half_ and unsafe math take: f P(f) with P shorter. Worst error seen in [1/2, 2]
// (limit 2^-21): 2^-22; elsewhere (limit 3 ulp): log 1.9, log2 1.3, log10 2.5.

#include "log.clh"

// log(x 2^offset) for positive normal x.
static float log_normal(float x, float offset)
{
    float2 t = log_reduce(x);
    return log_of(t.x, t.y + offset);
}

float log(float x)
{
    float y = log_normal(x, 0.0f);
    if (log_is_special(x))
        y = log_special(x, log_normal(x * 0x1p+23f, -23.0f));
    return y;
}

// log2(x 2^offset) for positive normal x.
static float log2_normal(float x, float offset)
{
    float2 t = log_reduce(x);
    float f = t.x;
    float e = t.y + offset;
    float g = f * f;
    float p = __clift_fma(f, -0x1.82911cp-3f, 0x1.9fa0f4p-3f);
    p = __clift_fma(p, g, __clift_fma(f, -0x1.665b36p-3f, 0x1.9d38fep-3f));
    p = __clift_fma(p, g, __clift_fma(f, -0x1.ed046cp-3f, 0x1.27a466p-2f));
    p = __clift_fma(p, g, __clift_fma(f, -0x1.7152c8p-2f, 0x1.ec6ffcp-2f));
    p = __clift_fma(p, g, __clift_fma(f, -0x1.715478p-1f, 0x1.acd42cp-26f));
    float y = __clift_fma(f, 0x1.715476p+0f, f * p);
    return e + y;
}

float log2(float x)
{
    float y = log2_normal(x, 0.0f);
    if (log_is_special(x))
        y = log_special(x, log2_normal(x * 0x1p+23f, -23.0f));
    return y;
}

// log10(x 2^offset) for positive normal x.
static float log10_normal(float x, float offset)
{
    float2 t = log_reduce(x);
    float f = t.x;
    float e = t.y + offset;
    float g = f * f;
    float p = __clift_fma(f, -0x1.cbf182p-5f, 0x1.f537f6p-5f);
    p = __clift_fma(p, g, __clift_fma(f, -0x1.b10e66p-5f, 0x1.f164bep-5f));
    p = __clift_fma(p, g, __clift_fma(f, -0x1.28bfe2p-4f, 0x1.63fec2p-4f));
    p = __clift_fma(p, g, __clift_fma(f, -0x1.bcb674p-4f, 0x1.287a1p-3f));
    p = __clift_fma(p, g, __clift_fma(f, -0x1.bcb7b2p-3f, -0x1.202a76p-27f));
    float y = __clift_fma(f, p, e * -0x1.ec10cp-27f);
    y = __clift_fma(f, 0x1.bcb7b2p-2f, y);
    return __clift_fma(e, 0x1.344136p-2f, y);
}

float log10(float x)
{
    float y = log10_normal(x, 0.0f);
    if (log_is_special(x))
        y = log_special(x, log10_normal(x * 0x1p+23f, -23.0f));
    return y;
}

// log(x 2^offset) for positive normal x.
static float relaxed_log_normal(float x, float offset)
{
    float2 t = log_reduce(x);
    float f = t.x;
    float e = t.y + offset;
    float p = -0x1.3ab13ap-3f;
    p = __clift_fma(p, f, 0x1.5e6fe2p-3f);
    p = __clift_fma(p, f, -0x1.504866p-3f);
    p = __clift_fma(p, f, 0x1.956702p-3f);
    p = __clift_fma(p, f, -0x1.0013fcp-2f);
    p = __clift_fma(p, f, 0x1.55618ap-2f);
    p = __clift_fma(p, f, -0x1.ffffd6p-2f);
    p = __clift_fma(p, f, 0x1.fffffap-1f);
    return __clift_fma(p, f, e * 0x1.62e43p-1f);
}

float relaxed_log(float x)
{
    float y = relaxed_log_normal(x, 0.0f);
    if (log_is_special(x))
        y = log_special(x, relaxed_log_normal(x * 0x1p+23f, -23.0f));
    return y;
}

// log2(x 2^offset) for positive normal x.
static float relaxed_log2_normal(float x, float offset)
{
    float2 t = log_reduce(x);
    float f = t.x;
    float e = t.y + offset;
    float p = -0x1.c6014ap-3f;
    p = __clift_fma(p, f, 0x1.f992e4p-3f);
    p = __clift_fma(p, f, -0x1.e5274ep-3f);
    p = __clift_fma(p, f, 0x1.246f9ep-2f);
    p = __clift_fma(p, f, -0x1.71714ap-2f);
    p = __clift_fma(p, f, 0x1.ec8238p-2f);
    p = __clift_fma(p, f, -0x1.715458p-1f);
    p = __clift_fma(p, f, 0x1.715472p+0f);
    return __clift_fma(p, f, e);
}

float relaxed_log2(float x)
{
    float y = relaxed_log2_normal(x, 0.0f);
    if (log_is_special(x))
        y = log_special(x, relaxed_log2_normal(x * 0x1p+23f, -23.0f));
    return y;
}

// log10(x 2^offset) for positive normal x.
static float relaxed_log10_normal(float x, float offset)
{
    float2 t = log_reduce(x);
    float f = t.x;
    float e = t.y + offset;
    float p = -0x1.115698p-4f;
    p = __clift_fma(p, f, 0x1.3062cp-4f);
    p = __clift_fma(p, f, -0x1.24176ep-4f);
    p = __clift_fma(p, f, 0x1.6020c6p-4f);
    p = __clift_fma(p, f, -0x1.bcda68p-4f);
    p = __clift_fma(p, f, 0x1.28851p-3f);
    p = __clift_fma(p, f, -0x1.bcb78ep-3f);
    p = __clift_fma(p, f, 0x1.bcb7acp-2f);
    return __clift_fma(p, f, e * 0x1.344136p-2f);
}

float relaxed_log10(float x)
{
    float y = relaxed_log10_normal(x, 0.0f);
    if (log_is_special(x))
        y = log_special(x, relaxed_log10_normal(x * 0x1p+23f, -23.0f));
    return y;
}

double log(double x)
{
    double2 t = log_reduce(x);
    double e = t.y;
    double y = __clift_fma(e, 0x1.abc9e3b39803fp-56, log_near_one(t.x));
    return log_specials(x, __clift_fma(e, 0x1.62e42fefa39efp-1, y));
}

double log2(double x)
{
    double2 t = log_reduce(x);
    double v = log_near_one(t.x);
    double y = __clift_fma(v, 0x1.777d0ffda0d24p-56, t.y);
    return log_specials(x, __clift_fma(v, 0x1.71547652b82fep+0, y));
}

double log10(double x)
{
    double2 t = log_reduce(x);
    double e = t.y;
    double v = log_near_one(t.x);
    double y = __clift_fma(v, 0x1.95355baaafad3p-57, e * -0x1.9dc1da994fd21p-59);
    y = __clift_fma(v, 0x1.bcb7b1526e50ep-2, y);
    return log_specials(x, __clift_fma(e, 0x1.34413509f79ffp-2, y));
}

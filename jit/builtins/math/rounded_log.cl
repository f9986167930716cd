// log, log2, log10 of floats, correctly rounded: reduced as in pow.clh, in double, with r P(r) for log(1 + r); where
// that is too near to a halfway point to be rounded, the functions of doubles, and the arguments where those are not
// near enough.
//
// Coefficients: a weighted minimax fit of log(1 + r) / r, made for this file, 2^-42.4 off at most; the margin is
// 2^-39.
// The exceptions are those that correctly_rounded.rs finds among all floats.

#include "bits.clh"
#include "pow.clh"
#include "rounded.clh"
#include "rounded_log.clh"

#define MARGIN 0x4000UL

// False for positive finite x.
static int is_special(float x) { return as_uint(x) - 1U > 0x7f7ffffeU; }

// log(x) - *e log 2.
static double log_part(float x, private double *e)
{
    double base;
    double r = log_parts((double)x, e, &base);
    double p = 0x1.252a6a070b0fbp-3;
    p = __clift_fma(p, r, -0x1.55ed58f0e921p-3);
    p = __clift_fma(p, r, 0x1.99997a0d16b6ep-3);
    p = __clift_fma(p, r, -0x1.ffffe63b9b2abp-3);
    p = __clift_fma(p, r, 0x1.555555565e3b7p-2);
    p = __clift_fma(p, r, -0x1.0000000045dep-1);
    p = __clift_fma(p, r, 0x1.fffffffffffebp-1);
    return __clift_fma(p, r, base);
}

float rounded_log(float x)
{
    double e;
    double v = log_part(x, &e);
    double y = __clift_fma(e, 0x1.62e42fefa39efp-1, v);
    float result = (float)y;
    if (may_round_otherwise(y, MARGIN) | is_special(x)) {
        result = (float)log((double)x);
        result = x == 0x1.827a74p-7f ? -0x1.1c2b1ep+2f : result;
        result = x == 0x1.2f1fd6p+3f ? 0x1.1fcbcep+1f : result;
        result = x == 0x1.bacb4ap+25f ? 0x1.1e0696p+4f : result;
        result = x == 0x1.b121a6p+76f ? 0x1.a9a3f2p+5f : result;
        result = x == 0x1.6351d8p+95f ? 0x1.08b512p+6f : result;
    }
    return result;
}

float rounded_log2(float x)
{
    double e;
    double v = log_part(x, &e);
    double y = __clift_fma(v, 0x1.71547652b82fep+0, e);
    float result = (float)y;
    if (may_round_otherwise(y, MARGIN) | is_special(x))
        result = (float)log2((double)x);
    return result;
}

float rounded_log10(float x)
{
    double e;
    double v = log_part(x, &e);
    double y = __clift_fma(e, 0x1.34413509f79ffp-2, v * 0x1.bcb7b1526e50ep-2);
    float result = (float)y;
    if (may_round_otherwise(y, MARGIN) | is_special(x)) {
        result = (float)log10((double)x);
        result = x == 0x1.fddcf4p-98f ? -0x1.d33a46p+4f : result;
    }
    return result;
}

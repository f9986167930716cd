// exp, exp2, exp10 of floats, correctly rounded: x = n/16 log 2 + r (or its like in base 2 and 10) in double, a
// polynomial for the power of r, a table for that of 16. Where that is too near to a halfway point to be rounded, or
// the result no normal number, the functions of doubles, and the arguments where those are not near enough.
//
// Coefficients: weighted minimax fits of (b^r - 1) / r, with which the power is 2^-38.5 off at most, made for this
// file; the margins are 2^-38 of the next higher power of two.
// The exceptions are those that correctly_rounded.rs finds among all floats.

#include "rounded.clh"

#define MARGIN 0x8000UL

float rounded_exp(float x)
{
    double d = (double)x;
    double sum = __clift_fma(d, 0x1.71547652b82fep+4, 0x1.8p+52);
    double r = __clift_fma(sum - 0x1.8p+52, -0x1.62e42fefa39efp-5, d);
    double p = 0x1.55543f5a30124p-5;
    p = __clift_fma(p, r, 0x1.5557e4c8931aap-3);
    p = __clift_fma(p, r, 0x1.00000003bae47p-1);
    p = __clift_fma(p, r, 0x1.fffffffb1a191p-1);
    double s = sixteenth_power(sum);
    double y = __clift_fma(p * r, s, s);
    float result = (float)y;
    if (may_round_otherwise(y, MARGIN) | !(__clift_fabs(x) < 87.0f))
        result = (float)exp(d);
    return result;
}

float rounded_exp2(float x)
{
    double d = (double)x;
    double sum = __clift_fma(d, 16.0, 0x1.8p+52);
    double r = __clift_fma(sum - 0x1.8p+52, -0.0625, d);
    double p = 0x1.3b29b64fd657ep-7;
    p = __clift_fma(p, r, 0x1.c6b3f69018ba4p-5);
    p = __clift_fma(p, r, 0x1.ebfbdfff57789p-3);
    p = __clift_fma(p, r, 0x1.62e42fec3e7b7p-1);
    double s = sixteenth_power(sum);
    double y = __clift_fma(p * r, s, s);
    float result = (float)y;
    if (may_round_otherwise(y, MARGIN) | !(__clift_fabs(x) < 126.0f)) {
        result = (float)exp2(d);
        result = x == 0x1.853a6ep-9f ? 0x1.00870ap+0f : result;
        result = x == -0x1.e7526ep-6f ? 0x1.f58d62p-1f : result;
    }
    return result;
}

float rounded_exp10(float x)
{
    double d = (double)x;
    double sum = __clift_fma(d, 0x1.a934f0979a371p+5, 0x1.8p+52);
    double r = __clift_fma(sum - 0x1.8p+52, -0x1.34413509f79ffp-6, d);
    double p = 0x1.2bd66c6f33064p+0;
    p = __clift_fma(p, r, 0x1.04724d3a67c88p+1);
    p = __clift_fma(p, r, 0x1.53524c78c056p+1);
    p = __clift_fma(p, r, 0x1.26bb1bb883838p+1);
    double s = sixteenth_power(sum);
    double y = __clift_fma(p * r, s, s);
    float result = (float)y;
    if (may_round_otherwise(y, MARGIN) | !(__clift_fabs(x) < 37.0f))
        result = (float)exp10(d);
    return result;
}

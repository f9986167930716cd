// sin, cos, sincos, tan of floats, correctly rounded: x = k pi + r in double and a polynomial for the sine of r; for
// cosines k is a whole number and a half. tan: x = q pi/2 + r and a quotient of polynomials. Where that is too near
// to a halfway point to be rounded, the functions of doubles, and the arguments where those are not near enough.
//
// k pi is subtracted in two parts by fused multiply-adds, the first exactly, as no float is near enough to a
// multiple of pi/2 for more. From 2^16 on, the turn is computed in integers (reduce.clh), to 2^-61; r below 2^-20 is
// left to the functions of doubles.
//
// Coefficients: weighted minimax fits of (sin(r) - r) / r^3 for |r| < 1.584, 2^-43.5 off at most, and of tan(r) / r
// for |r| < 0.79, 2^-44, made for this file. The margins are 2^-39.
// The exceptions are those that correctly_rounded.rs finds among all floats.

#include "rounded.clh"
#include "trig.clh"
#include "reduce.clh"

#define MARGIN 0x4000UL
#define FAR 0x1p+16f

// |x| modulo 2 pi in units of 2^-62 quarter turns; of -|x| for negative x.
static ulong turn(float x)
{
    ulong t = turn_of(x);
    return as_int(x) < 0 ? -t : t;
}

// Whether r, which came from a turn, is not near enough.
static int is_small(float x, double r) { return (__clift_fabs(x) >= FAR) & (__clift_fabs(r) < 0x1p-20); }

// r, and bit 0 of q for the sign, from a turn.
static double half_turn(ulong turn, private uint *q)
{
    ulong halves = (turn + 0x4000000000000000UL) >> 63;
    *q = (uint)halves;
    return (double)(long)(turn - (halves << 63)) * 0x1.921fb54442d18p-62;
}

// The sine of r for |r| < 1.584.
static double sine(double r)
{
    double z = r * r;
    double p = 0x1.529f4cc897db3p-33;
    p = __clift_fma(p, z, -0x1.ae00b89d89222p-26);
    p = __clift_fma(p, z, 0x1.71dce7ca4d13cp-19);
    p = __clift_fma(p, z, -0x1.a019fd0d8b1edp-13);
    p = __clift_fma(p, z, 0x1.11111109be94cp-7);
    p = __clift_fma(p, z, -0x1.55555555458f6p-3);
    return __clift_fma(z, p, 1.0) * r;
}

float rounded_sin(float x)
{
    double d = (double)x;
    float sum = __clift_fma(x, 0x1.45f306p-2f, 0x1.8p+23f);
    double k = (double)(sum - 0x1.8p+23f);
    double r = __clift_fma(k, -0x1.1a62633145c07p-53, __clift_fma(k, -0x1.921fb54442d18p+1, d));
    uint q = as_uint(sum);
    if (!(__clift_fabs(x) < FAR))
        r = half_turn(turn(x), &q);
    double y = sine(r);
    float result = as_float(as_uint((float)y) ^ (q << 31));
    if (may_round_otherwise(y, MARGIN) | is_small(x, r)) {
        result = (float)sin(d);
        result = __clift_fabs(x) == 0x1.33333p+13f ? __clift_copysign(0x1.63f4bap-2f, -x) : result;
    }
    return __clift_fabs(x) < INFINITY ? result : NAN;
}

float rounded_cos(float x)
{
    double d = (double)x;
    float sum = __clift_fma(x, 0x1.45f306p-2f, 0.5f) + 0x1.8p+23f;
    double k = (double)(sum - 0x1.8p+23f - 0.5f);
    double r = __clift_fma(k, -0x1.1a62633145c07p-53, __clift_fma(k, -0x1.921fb54442d18p+1, d));
    uint q = as_uint(sum);
    if (!(__clift_fabs(x) < FAR))
        r = half_turn(turn(x) + 0x4000000000000000UL, &q);
    double y = sine(r);
    float result = as_float(as_uint((float)y) ^ (q << 31));
    if (may_round_otherwise(y, MARGIN) | is_small(x, r)) {
        result = (float)cos(d);
        result = __clift_fabs(x) == 0x1.3170fp+63f ? 0x1.fe2976p-1f : result;
        result = __clift_fabs(x) == 0x1.2b9622p+67f ? 0x1.f0285ep-1f : result;
    }
    return __clift_fabs(x) < INFINITY ? result : NAN;
}

float rounded_sincos(float x, float *cosine)
{
    *cosine = rounded_cos(x);
    return rounded_sin(x);
}

float rounded_tan(float x)
{
    double d = (double)x;
    float sum = __clift_fma(x, 0x1.45f306p-1f, 0x1.8p+23f);
    double k = (double)(sum - 0x1.8p+23f);
    double r = __clift_fma(k, -0x1.1a62633145c07p-54, __clift_fma(k, -0x1.921fb54442d18p+0, d));
    uint q = as_uint(sum);
    if (!(__clift_fabs(x) < FAR)) {
        ulong t = turn(x);
        ulong quarters = (t + 0x2000000000000000UL) >> 62;
        q = (uint)quarters;
        r = (double)(long)(t - (quarters << 62)) * 0x1.921fb54442d18p-62;
    }
    double z = r * r;
    double u = __clift_fma(z, 0x1.0a782d6c15557p-9, -0x1.f1088fe88329dp-4);
    u = __clift_fma(u, z, 0x1.fffffffffff19p-1) * r;
    double v = __clift_fma(z, -0x1.98e75c77c6a13p-14, 0x1.4bee59850af5ap-6);
    v = __clift_fma(v, z, -0x1.d197794f8251ep-2);
    v = __clift_fma(v, z, 1.0);
    int is_odd = (q & 1U) != 0U;
    double y = (is_odd ? -v : u) / (is_odd ? u : v);
    float result = (float)y;
    if (may_round_otherwise(y, MARGIN) | is_small(x, r))
        result = (float)tan(d);
    return __clift_fabs(x) < INFINITY ? result : NAN;
}

// fract, modf, frexp, ldexp, logb, ilogb: taking numbers apart and putting them together. Exact; ldexp rounds once.

#include "bits.clh"

half modf(half x, half *whole)
{
    half t = __clift_trunc(x);
    *whole = t;
    return __clift_copysign(t == x ? 0.0h : x - t, x);
}

float modf(float x, float *whole)
{
    float t = __clift_trunc(x);
    *whole = t;
    return __clift_copysign(t == x ? 0.0f : x - t, x);
}

double modf(double x, double *whole)
{
    double t = __clift_trunc(x);
    *whole = t;
    return __clift_copysign(t == x ? 0.0 : x - t, x);
}

// The largest number below 1 is the largest result, also where x - floor(x) rounds to 1.
half fract(half x, half *whole)
{
    half t = __clift_floor(x);
    *whole = t;
    half r = x - t;
    r = r >= 1.0h ? 0x1.ffcp-1h : r;
    return t == x ? __clift_copysign(0.0h, x) : r;
}

float fract(float x, float *whole)
{
    float t = __clift_floor(x);
    *whole = t;
    float r = x - t;
    r = r >= 1.0f ? 0x1.fffffep-1f : r;
    return t == x ? __clift_copysign(0.0f, x) : r;
}

double fract(double x, double *whole)
{
    double t = __clift_floor(x);
    *whole = t;
    double r = x - t;
    r = r >= 1.0 ? 0x1.fffffffffffffp-1 : r;
    return t == x ? __clift_copysign(0.0, x) : r;
}

// Exponent e of x = m 2^e with |m| in [1, 2), for finite x != 0.
static int exponent(float x)
{
    uint mag = as_uint(x) & 0x7fffffffU;
    int subnormal = (int)(mag < 0x00800000U);
    return subnormal ? -118 - __clift_clz((int)mag) : (int)(mag >> 23) - 127;
}

static int exponent(double x)
{
    ulong mag = as_ulong(x) & 0x7fffffffffffffffUL;
    int subnormal = (int)(mag < 0x0010000000000000UL);
    return subnormal ? -1011 - (int)__clift_clz((long)mag) : (int)(mag >> 52) - 1023;
}

static int is_zero_inf_nan(float x) { return x == 0.0f || !(__clift_fabs(x) < INFINITY); }
static int is_zero_inf_nan(double x) { return x == 0.0 || !(__clift_fabs(x) < INFINITY); }

// x with its exponent replaced by 0: |result| in [1, 2).
static float mantissa(float x)
{
    float t = __clift_fabs(x) < 0x1p-126f ? x * 0x1p+23f : x;
    return as_float((as_uint(t) & 0x807fffffU) | 0x3f800000U);
}

static double mantissa(double x)
{
    double t = __clift_fabs(x) < 0x1p-1022 ? x * 0x1p+52 : x;
    return as_double((as_ulong(t) & 0x800fffffffffffffUL) | 0x3ff0000000000000UL);
}

float frexp(float x, int *exp)
{
    int special = is_zero_inf_nan(x);
    *exp = special ? 0 : exponent(x) + 1;
    return special ? x : 0.5f * mantissa(x);
}

double frexp(double x, int *exp)
{
    int special = is_zero_inf_nan(x);
    *exp = special ? 0 : exponent(x) + 1;
    return special ? x : 0.5 * mantissa(x);
}

static float ldexp_far(float x, int n)
{
    int e = exponent(x) + __clift_min(__clift_max(n, -1000), 1000);
    e = __clift_min(__clift_max(e, -200), 200);
    float y = scale_by_pow2(mantissa(x), e);
    return is_zero_inf_nan(x) ? x : y;
}

// If 2^n is a normal number, the product with it is the result.
float ldexp(float x, int n)
{
    float y = x * as_float((n + 127) << 23);
    if ((uint)(n + 126) > 253U)
        y = ldexp_far(x, n);
    return y;
}

double ldexp(double x, int n)
{
    int e = exponent(x) + __clift_min(__clift_max(n, -5000), 5000);
    e = __clift_min(__clift_max(e, -1200), 1200);
    double y = scale_by_pow2(mantissa(x), e);
    return is_zero_inf_nan(x) ? x : y;
}

float logb(float x)
{
    float y = (float)exponent(x);
    y = x == 0.0f ? -INFINITY : y;
    return __clift_fabs(x) < INFINITY ? y : x * x;
}

double logb(double x)
{
    double y = (double)exponent(x);
    y = x == 0.0 ? -INFINITY : y;
    return __clift_fabs(x) < INFINITY ? y : x * x;
}

// FP_ILOGB0 is INT_MIN, FP_ILOGBNAN is INT_MAX.
int ilogb(float x)
{
    int y = exponent(x);
    y = x == 0.0f ? -2147483647 - 1 : y;
    return __clift_fabs(x) < INFINITY ? y : 2147483647;
}

// FP_ILOGB0 is INT_MIN, FP_ILOGBNAN is INT_MAX.
int ilogb(double x)
{
    int y = exponent(x);
    y = x == 0.0 ? -2147483647 - 1 : y;
    return __clift_fabs(x) < INFINITY ? y : 2147483647;
}

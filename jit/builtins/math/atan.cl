// atan, atan2 and their multiples of 1/pi. float atan: above 1 by atan(x) = pi/2 - atan(1/x), one polynomial on [0, 1].
// Otherwise the argument, a quotient u/v with 0 <= u <= v, is brought below tan(pi/8) by atan(u/v) = pi/4 + atan((u -
// v) / (u + v)); one division in all. float atan2: the quotient with its rounding error, one polynomial on [0, 1].
//
// Coefficients: weighted minimax fits of (atan(t) - t) / t^3 in t^2, made for this file.
// Worst error seen (limit 5 ulp; atan2, atan2pi 6): float atan 1.39, atan2 1.88, others 0.51; double atan 2.28,
// atan2 2.40, atanpi 2.60, atan2pi 2.68.

#define PI_4 0x1.921fb54442d18p-1
#define PI_2 0x1.921fb54442d18p+0
#define PI_1 0x1.921fb54442d18p+1
#define PI_4_LOW 0x1.1a62633145c07p-55
#define PI_2_LOW 0x1.1a62633145c07p-54
#define PI_1_LOW 0x1.1a62633145c07p-53
#define ONE_OVER_PI 0x1.45f306dc9c883p-2
// tan(pi/8)
#define TAN_PI_8 0x1.a827999fcef32p-2

// (atan(t) - t) / t^3 for |t| <= 1 and z = t^2.
static float atan_poly(float z)
{
    float p = -0x1.d4782ap-10f;
    p = __clift_fma(p, z, 0x1.64b212p-7f);
    p = __clift_fma(p, z, -0x1.fdefc4p-6f);
    p = __clift_fma(p, z, 0x1.da59eap-5f);
    p = __clift_fma(p, z, -0x1.581456p-4f);
    p = __clift_fma(p, z, 0x1.c08f2ep-4f);
    p = __clift_fma(p, z, -0x1.2420b4p-3f);
    p = __clift_fma(p, z, 0x1.9991e6p-3f);
    p = __clift_fma(p, z, -0x1.55553ep-2f);
    return p;
}

float atan(float x)
{
    float a = __clift_fabs(x);
    int big = a > 1.0f;
    float t = big ? 1.0f / a : a;
    float z = t * t;
    float y = __clift_fma(t * z, atan_poly(z), t);
    y = big ? 0x1.921fb6p+0f - (y + 0x1.777a5cp-25f) : y;
    return __clift_copysign(y, x);
}

// atan(t) for |t| <= tan(pi/8).
static double atan_poly(double t)
{
    double z = t * t;
    double p = -0x1.25342cec0fcd9p-6;
    p = __clift_fma(p, z, 0x1.37bed01e3f44p-5);
    p = __clift_fma(p, z, -0x1.9cca8c0edc36bp-5);
    p = __clift_fma(p, z, 0x1.df0da9ddef9cap-5);
    p = __clift_fma(p, z, -0x1.10eb9f1ebb798p-4);
    p = __clift_fma(p, z, 0x1.3b11173abca75p-4);
    p = __clift_fma(p, z, -0x1.745cf8c67c2f8p-4);
    p = __clift_fma(p, z, 0x1.c71c70e57d44cp-4);
    p = __clift_fma(p, z, -0x1.24924922ac6e5p-3);
    p = __clift_fma(p, z, 0x1.9999999995859p-3);
    p = __clift_fma(p, z, -0x1.555555555553dp-2);
    return __clift_fma(t * z, p, t);
}

double atan(double x)
{
    double a = __clift_fabs(x);
    int mid = a > TAN_PI_8;
    int big = a > 0x1.3504f333f9de6p+1;
    double u = big ? -1.0 : mid ? a - 1.0 : a;
    double v = big ? a : mid ? a + 1.0 : 1.0;
    double base = big ? PI_2 : mid ? PI_4 : 0.0;
    double low = big ? PI_2_LOW : mid ? PI_4_LOW : 0.0;
    double y = base + (atan_poly(u / v) + low);
    return __clift_copysign(y, x);
}

// atan2 before the last rounding; y and x are not NaN.
static double atan2_double(double y, double x)
{
    double a = __clift_fabs(y);
    double b = __clift_fabs(x);
    int steep = a > b;
    double u = steep ? b : a;
    double v = steep ? a : b;
    int both = u == INFINITY;
    // Sums do not overflow, and the product below is not a subnormal number.
    double s = v > 0x1p+1000 ? 0x1p-8 : v < 0x1p-900 ? 0x1p+100 : 1.0;
    u = both ? 1.0 : u * s;
    v = both || v == 0.0 ? 1.0 : v * s;
    int mid = u > TAN_PI_8 * v;
    double t = (mid ? u - v : u) / (mid ? u + v : v);
    double r = atan_poly(t);
    int left = as_long(x) < 0;
    // The result is base + sign * r.
    double quarter = mid ? PI_4 : 0.0;
    double quarter_low = mid ? PI_4_LOW : 0.0;
    double base = steep ? PI_2 - quarter : quarter;
    double low = steep ? PI_2_LOW - quarter_low : quarter_low;
    r = steep ? -r : r;
    base = left ? PI_1 - base : base;
    low = left ? PI_1_LOW - low : low;
    r = left ? -r : r;
    return __clift_copysign(base + (r + low), y);
}

// atan2 where the greater of y and x is not finite, or its reciprocal or the rounding error of the quotient is not
// normal.
static float atan2_special(float y, float x)
{
    return x != x || y != y ? x + y : (float)atan2_double((double)y, (double)x);
}

float atan2(float y, float x)
{
    float a = __clift_fabs(y);
    float b = __clift_fabs(x);
    int steep = a > b;
    int left = as_int(x) < 0;
    float u = steep ? b : a;
    float v = steep ? a : b;
    // u/v = q + low.
    float r = 1.0f / v;
    float q = u * r;
    float low = __clift_fma(-q, v, u) * r;
    // atan(q + low) = q + c; the derivative 1 / (1 + z) is 1 - z/2 closely enough for low.
    float z = q * q;
    float c = __clift_fma(q * z, atan_poly(z), low * __clift_fma(-0.5f, z, 1.0f));
    // The result is base + q + c, or base - q - c.
    float base = steep ? 0x1.921fb6p+0f : left ? 0x1.921fb6p+1f : 0.0f;
    float base_low = steep ? -0x1.777a5cp-25f : left ? -0x1.777a5cp-24f : 0.0f;
    int minus = steep != left;
    q = minus ? -q : q;
    c = minus ? -c : c;
    float sum = base + q;
    float rest = (base - sum) + q;
    float result = __clift_copysign(sum + (rest + (base_low + c)), y);
    // From 2^-60 to 2^60.
    if (as_uint(v) - 0x21800000u > 0x5d800000u - 0x21800000u)
        result = atan2_special(y, x);
    return result;
}

double atan2(double y, double x) { return x != x || y != y ? x + y : atan2_double(y, x); }

float atanpi(float x) { return (float)(atan((double)x) * ONE_OVER_PI); }
double atanpi(double x) { return atan(x) * ONE_OVER_PI; }

float atan2pi(float y, float x)
{
    return x != x || y != y ? x + y : (float)(atan2_double((double)y, (double)x) * ONE_OVER_PI);
}

double atan2pi(double y, double x) { return x != x || y != y ? x + y : atan2_double(y, x) * ONE_OVER_PI; }

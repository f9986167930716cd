// pow, powr, pown, rootn: b^(y log_b |x|), the sign and the special cases by selection. pow, powr and pown of floats:
// the logarithm and the product as sums of two floats, in double where that is not enough; rootn of floats in double;
// all of doubles with sums of two doubles (pow.clh). Special cases, subnormal x and results near the ends of the range
// are behind one test. Worst error seen (limit 16 ulp): float pow, powr and pown 1.35, rootn 0.51; double pow, powr and
// pown 2.18, rootn 0.91.
//
// relaxed_pow, relaxed_powr, relaxed_pown: what native_, half_ and unsafe math take: 2^(y log2 |x|) in float.
// Worst error seen (limit 8192 ulp): 360.

#include "bits.clh"
#include "log.clh"
#include "pow.clh"

// x^y for positive normal x where *t, which is y log2 x, is below 126 in size; anything for others. The logarithm is
// 2^e m with m in [sqrt(1/2), sqrt(2)) and s = (m - 1) / (m + 1): e + 2s / ln 2 as a sum of two floats, and s^3 P(s^2).
static float pow_normal(float x, float y, private float *t)
{
    uint bits = as_uint(x) - 0x3f3504f3u;
    float m = as_float((bits & 0x007fffffu) + 0x3f3504f3u);
    float e = convert_float(as_int(bits) >> 23);
    float f = m - 1.0f;
    float d = m + 1.0f;
    float d_low = m - (d - 1.0f);
    float inverse = 1.0f / d;
    float s = f * inverse;
    float s_low = __clift_fma(-s, d_low, __clift_fma(-s, d, f)) * inverse;
    float z = s * s;
    float p = 0x1.503634p-2f;
    p = __clift_fma(p, z, 0x1.a62cbep-2f);
    p = __clift_fma(p, z, 0x1.27766ap-1f);
    p = __clift_fma(p, z, 0x1.ec709ep-1f);
    // 2s / ln 2 = a + a_low, where the error of s counts in both terms; s^3 P = b + b_low.
    float a = s * 0x1.715476p+1f;
    float a_low = __clift_fma(s, 0x1.715476p+1f, -a);
    a_low = __clift_fma(s, 0x1.4ae0cp-25f, a_low);
    a_low = __clift_fma(s_low, __clift_fma(z, 0x1.715476p+1f, 0x1.715476p+1f), a_low);
    float cube = s * z;
    float cube_low = __clift_fma(s, __clift_fma(s, s, -z), __clift_fma(s, z, -cube));
    float b = cube * p;
    float b_low = __clift_fma(cube_low, p, __clift_fma(cube, p, -b));
    float log_m = a + b;
    float log_m_low = ((a - log_m) + b) + (a_low + b_low);
    float high = e + log_m;
    float low = ((e - high) + log_m) + log_m_low;
    float product = y * high;
    float product_low = __clift_fma(y, low, __clift_fma(y, high, -product));
    *t = product;
    // The whole part stands in the low bits of the sum.
    float sum = product + 0x1.8p+23f;
    float r = (product - (sum - 0x1.8p+23f)) + product_low;
    float q = 0x1.4424c8p-13f;
    q = __clift_fma(q, r, 0x1.5f0bcp-10f);
    q = __clift_fma(q, r, 0x1.3b2a48p-7f);
    q = __clift_fma(q, r, 0x1.c6af76p-5f);
    q = __clift_fma(q, r, 0x1.ebfbep-3f);
    q = __clift_fma(q, r, 0x1.62e43p-1f);
    return as_float(as_uint(__clift_fma(r, q, 1.0f)) + (as_uint(sum) << 23));
}

// a^y for a > 0 finite and y not infinite; anything else for others.
static float pow_finite(float a, double y) { return (float)pow_exp2_float(y * pow_log2_float((double)a)); }

// False where pow_normal is right. NaN and infinite y make t such.
static int pow_is_special(float x, float t) { return log_is_special(x) | !(__clift_fabs(t) < 126.0f); }

static float powr_special(float r, float x, float y)
{
    int bad = !(x >= 0.0f) || y != y || (y == 0.0f && (x == 0.0f || x == INFINITY)) ||
              (x == 1.0f && __clift_fabs(y) == INFINITY);
    return bad ? NAN : pow_positive(r, __clift_fabs(x), y);
}

// The same for doubles, where x is |x| of pow.
static double pow_normal(double x, double y, private double *t)
{
    double low;
    double high = pow_log_normal(x, POW_BIAS, &low);
    double product = y * high;
    double product_low = __clift_fma(y, low, __clift_fma(y, high, -product));
    double sum;
    double r = pow_exp_normal(product, product_low, &sum);
    *t = product;
    return as_double(as_ulong(r) + (as_ulong(sum) << 52));
}

// a^y for a >= 0 or infinite and all y but NaN.
static double pow_positive(double a, double y)
{
    y = y > 0x1p+64 ? 0x1p+64 : y;
    y = y < -0x1p+64 ? -0x1p+64 : y;
    double low;
    double high = pow_log(a, &low);
    double product = y * high;
    double product_low = __clift_fma(y, low, __clift_fma(y, high, -product));
    double r = pow_exp(product, product_low, 0);
    r = a == 0.0 || a == INFINITY ? ((a == 0.0) == (y < 0.0) ? INFINITY : 0.0) : r;
    return y == 0.0 ? 1.0 : r;
}

// False where pow_normal is right: e^t is a normal number, and x is.
static int pow_is_special(double x, double t) { return log_is_special(x) | !(__clift_fabs(t) < 708.0); }

// pow(x, y), where r is that of |x|.
static double pow_special(double r, double x, double y)
{
    int whole = __clift_trunc(y) == y;
    int odd = whole && __clift_fabs(y) < 0x1p+53 && (convert_long(y) & 1L) != 0L;
    r = as_long(x) < 0L && odd ? -r : r;
    r = x < 0.0 && !whole && x > -INFINITY ? NAN : r;
    r = x != x || y != y ? x + y : r;
    return x == 1.0 || y == 0.0 ? 1.0 : r;
}

float pow(float x, float y)
{
    float t;
    float r = pow_normal(x, y, &t);
    if (pow_is_special(x, t))
        r = pow_special(pow_finite(__clift_fabs(x), (double)y), x, y);
    return r;
}

// A negative x, often met, needs no more than its sign.
double pow(double x, double y)
{
    double a = __clift_fabs(x);
    double t;
    double r = pow_normal(a, y, &t);
    if (pow_is_special(x, t)) {
        if (pow_is_special(a, t))
            r = pow_positive(a, y);
        r = pow_special(r, x, y);
    }
    return r;
}

float powr(float x, float y)
{
    float t;
    float r = pow_normal(x, y, &t);
    if (pow_is_special(x, t))
        r = powr_special(pow_finite(__clift_fabs(x), (double)y), x, y);
    return r;
}

double powr(double x, double y)
{
    double t;
    double r = pow_normal(x, y, &t);
    if (pow_is_special(x, t)) {
        int bad = !(x >= 0.0) || y != y || (y == 0.0 && (x == 0.0 || x == INFINITY)) ||
                  (x == 1.0 && __clift_fabs(y) == INFINITY);
        r = bad ? NAN : pow_positive(__clift_fabs(x), y);
    }
    return r;
}

// As pow_normal, with the logarithm as one float.
static float relaxed_pow_normal(float x, float y, private float *t)
{
    float2 reduced = log_reduce(x);
    float f = reduced.x;
    float p = -0x1.c6014ap-3f;
    p = __clift_fma(p, f, 0x1.f992e4p-3f);
    p = __clift_fma(p, f, -0x1.e5274ep-3f);
    p = __clift_fma(p, f, 0x1.246f9ep-2f);
    p = __clift_fma(p, f, -0x1.71714ap-2f);
    p = __clift_fma(p, f, 0x1.ec8238p-2f);
    p = __clift_fma(p, f, -0x1.715458p-1f);
    p = __clift_fma(p, f, 0x1.715472p+0f);
    float product = y * __clift_fma(p, f, reduced.y);
    *t = product;
    float sum = product + 0x1.8p+23f;
    float r = product - (sum - 0x1.8p+23f);
    float q = 0x1.5bba3cp-10f;
    q = __clift_fma(q, r, 0x1.3cea84p-7f);
    q = __clift_fma(q, r, 0x1.c6b752p-5f);
    q = __clift_fma(q, r, 0x1.ebf9bcp-3f);
    q = __clift_fma(q, r, 0x1.62e42ap-1f);
    return as_float(as_uint(__clift_fma(r, q, 1.0f)) + (as_uint(sum) << 23));
}

float relaxed_pow(float x, float y)
{
    float t;
    float r = relaxed_pow_normal(x, y, &t);
    if (pow_is_special(x, t))
        r = pow_special(pow_finite(__clift_fabs(x), (double)y), x, y);
    return r;
}

float relaxed_powr(float x, float y)
{
    float t;
    float r = relaxed_pow_normal(x, y, &t);
    if (pow_is_special(x, t))
        r = powr_special(pow_finite(__clift_fabs(x), (double)y), x, y);
    return r;
}

float pown(float x, int n)
{
    float a = __clift_fabs(x);
    float t;
    float r = pow_normal(a, (float)n, &t);
    // Those n below 2^24 are floats.
    if (pow_is_special(a, t) | ((uint)n + 0x01000000U > 0x02000000U))
        r = pow_positive(pow_finite(a, (double)n), a, (float)n);
    r = as_int(x) < 0 && (n & 1) != 0 ? -r : r;
    return x != x && n != 0 ? x : r;
}

float relaxed_pown(float x, int n)
{
    float a = __clift_fabs(x);
    float y = (float)n;
    float t;
    float r = relaxed_pow_normal(a, y, &t);
    if (pow_is_special(a, t))
        r = pow_positive(pow_finite(a, (double)n), a, y);
    r = as_int(x) < 0 && (n & 1) != 0 ? -r : r;
    return x != x && n != 0 ? x : r;
}

double pown(double x, int n)
{
    double a = __clift_fabs(x);
    double t;
    double r = pow_normal(a, (double)n, &t);
    if (pow_is_special(a, t))
        r = pow_positive(a, (double)n);
    r = as_long(x) < 0L && (n & 1) != 0 ? -r : r;
    return x != x && n != 0 ? x : r;
}

float rootn(float x, int n)
{
    float a = __clift_fabs(x);
    float r = (float)pow_exp2_float(pow_log2_float((double)a) / (double)n);
    r = a == 0.0f || a == INFINITY ? ((a == 0.0f) == (n < 0) ? INFINITY : 0.0f) : r;
    int odd = n & 1;
    r = as_int(x) < 0 && odd ? -r : r;
    return x != x || n == 0 || (x < 0.0f && !odd) ? NAN : r;
}

double rootn(double x, int n)
{
    double a = __clift_fabs(x);
    double d = (double)n;
    double log_low;
    double log_high = pow_log(a, &log_low);
    double high = log_high / d;
    double low = (__clift_fma(-high, d, log_high) + log_low) / d;
    double r = pow_exp(high, low, 0);
    r = a == 0.0 || a == INFINITY ? ((a == 0.0) == (n < 0) ? INFINITY : 0.0) : r;
    int odd = n & 1;
    r = as_long(x) < 0 && odd ? -r : r;
    return x != x || n == 0 || (x < 0.0 && !odd) ? NAN : r;
}

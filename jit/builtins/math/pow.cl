// pow, powr, pown, rootn: 2^(y log2 |x|), the sign and the special cases by selection. float in double; double with the
// logarithm and the product as sums of two doubles (pow.clh).
// Worst error seen (limit 16 ulp): float all 0.51; double pow and powr 1.17, pown 0.87, rootn 0.86.

#include "bits.clh"
#include "pow.clh"

// a^y for a > 0 finite and y not infinite; anything else for others.
static float pow_finite(float a, double y) { return (float)pow_exp2_float(y * pow_log2_float((double)a)); }

// a^y for a >= 0 or infinite and all y but NaN, where r is that of a finite one.
static float pow_positive(float r, float a, float y)
{
    r = a == 0.0f || a == INFINITY ? ((a == 0.0f) == (y < 0.0f) ? INFINITY : 0.0f) : r;
    return y == 0.0f || a == 1.0f ? 1.0f : r;
}

// True if x is positive and finite, and y finite.
static int pow_is_plain(float x, float y)
{
    return (as_uint(x) - 1u < 0x7f7fffffu) & (__clift_fabs(y) < INFINITY);
}

// pow(x, y), where r is that of |x| as if both were finite.
static float pow_special(float r, float x, float y)
{
    r = pow_positive(r, __clift_fabs(x), y);
    int whole = __clift_trunc(y) == y;
    int odd = whole && __clift_fabs(y) < 0x1p+24f && (convert_int(y) & 1) != 0;
    r = as_int(x) < 0 && odd ? -r : r;
    r = x < 0.0f && !whole && x > -INFINITY ? NAN : r;
    r = x != x || y != y ? x + y : r;
    return x == 1.0f || y == 0.0f ? 1.0f : r;
}

static float powr_special(float r, float x, float y)
{
    int bad = !(x >= 0.0f) || y != y || (y == 0.0f && (x == 0.0f || x == INFINITY)) ||
              (x == 1.0f && __clift_fabs(y) == INFINITY);
    return bad ? NAN : pow_positive(r, __clift_fabs(x), y);
}

static double pow_positive(double a, double y)
{
    y = y > 0x1p+64 ? 0x1p+64 : y;
    y = y < -0x1p+64 ? -0x1p+64 : y;
    double2 l = pow_log2(a);
    double high = y * l.x;
    double low = __clift_fma(y, l.x, -high) + y * l.y;
    double r = pow_exp2(high, low);
    r = a == 0.0 || a == INFINITY ? ((a == 0.0) == (y < 0.0) ? INFINITY : 0.0) : r;
    return y == 0.0 ? 1.0 : r;
}

float pow(float x, float y)
{
    float r = pow_finite(__clift_fabs(x), (double)y);
    if (!pow_is_plain(x, y))
        r = pow_special(r, x, y);
    return r;
}

double pow(double x, double y)
{
    double r = pow_positive(__clift_fabs(x), y);
    int whole = __clift_trunc(y) == y;
    int odd = whole && __clift_fabs(y) < 0x1p+53 && (convert_long(y) & 1L) != 0L;
    r = as_long(x) < 0L && odd ? -r : r;
    r = x < 0.0 && !whole && x > -INFINITY ? NAN : r;
    r = x != x || y != y ? x + y : r;
    return x == 1.0 || y == 0.0 ? 1.0 : r;
}

float powr(float x, float y)
{
    float r = pow_finite(__clift_fabs(x), (double)y);
    if (!pow_is_plain(x, y))
        r = powr_special(r, x, y);
    return r;
}

double powr(double x, double y)
{
    double r = pow_positive(__clift_fabs(x), y);
    int bad = !(x >= 0.0) || y != y || (y == 0.0 && (x == 0.0 || x == INFINITY)) ||
              (x == 1.0 && __clift_fabs(y) == INFINITY);
    return bad ? NAN : r;
}

float pown(float x, int n)
{
    float a = __clift_fabs(x);
    float r = pow_positive(pow_finite(a, (double)n), a, (float)n);
    r = as_int(x) < 0 && (n & 1) != 0 ? -r : r;
    return x != x && n != 0 ? x : r;
}

double pown(double x, int n)
{
    double r = pow_positive(__clift_fabs(x), (double)n);
    r = as_long(x) < 0 && (n & 1) != 0 ? -r : r;
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
    double2 l = pow_log2(a);
    double high = l.x / d;
    double low = (__clift_fma(-high, d, l.x) + l.y) / d;
    double r = pow_exp2(high, low);
    r = a == 0.0 || a == INFINITY ? ((a == 0.0) == (n < 0) ? INFINITY : 0.0) : r;
    int odd = n & 1;
    r = as_long(x) < 0 && odd ? -r : r;
    return x != x || n == 0 || (x < 0.0 && !odd) ? NAN : r;
}

// pow, powr, pown, rootn: 2^(y log2 |x|), the sign and the special cases by selection. float in double; double with the
// logarithm and the product as sums of two doubles (pow.clh).
// Worst error seen (limit 16 ulp): float all 0.51; double pow and powr 1.17, pown 0.87, rootn 0.86.

#include "bits.clh"
#include "pow.clh"

// a^y for a > 0 finite or not, y not NaN and at most 2^64 in size; 1 for a = 1.
static float pow_positive(float a, double y)
{
    float r = (float)pow_exp2_float(y * pow_log2_float((double)a));
    r = a == 0.0f || a == INFINITY ? ((a == 0.0f) == (y < 0.0) ? INFINITY : 0.0f) : r;
    return y == 0.0 ? 1.0f : r;
}

// Beyond 2^64 a power is 0, 1 or infinity as it is there.
static double pow_exponent(float y)
{
    y = y > 0x1p+64f ? 0x1p+64f : y;
    y = y < -0x1p+64f ? -0x1p+64f : y;
    return (double)y;
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
    float r = pow_positive(__clift_fabs(x), pow_exponent(y));
    int whole = __clift_trunc(y) == y;
    int odd = whole && __clift_fabs(y) < 0x1p+24f && (convert_int(y) & 1) != 0;
    r = as_int(x) < 0 && odd ? -r : r;
    r = x < 0.0f && !whole && x > -INFINITY ? NAN : r;
    r = x != x || y != y ? x + y : r;
    return x == 1.0f || y == 0.0f ? 1.0f : r;
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
    float r = pow_positive(__clift_fabs(x), pow_exponent(y));
    int bad = !(x >= 0.0f) || y != y || (y == 0.0f && (x == 0.0f || x == INFINITY)) ||
              (x == 1.0f && __clift_fabs(y) == INFINITY);
    return bad ? NAN : r;
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
    float r = pow_positive(__clift_fabs(x), (double)n);
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

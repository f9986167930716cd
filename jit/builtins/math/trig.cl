// sin, cos, sincos, tan: x = q pi/2 + r (reduce.clh), polynomials for sine and cosine of r (trig.clh), q selects and
// signs. tan: float by its own polynomial, double as the quotient of sine and cosine.
//
// Coefficients: weighted minimax fits, those of tan of (tan(r) - r) / r^3, made for this file.
// Worst error seen (limit 4 ulp, tan 5): float sin 1.58, cos 1.58, tan 2.91; double sin 1.57, cos 1.58, tan 3.67.
//
// relaxed_…: what native_, half_ and unsafe math take. sin, cos: x = q pi + r, one polynomial for the sine of r; for a
// cosine q is a whole number and a half. A term less made programs fail that hold results against their own. tan: a
// shorter polynomial. Worst error seen up to 2^16 (limit of half_ 8192): sin 2.0 ulp, cos 2.4, tan 72.

#include "trig.clh"
#include "reduce.clh"

float sin(float x)
{
    float2 t = reduce_pio2(x);
    float r = t.x;
    uint q = as_uint(t.y);
    float s = sin_poly(r);
    float c = cos_poly(r);
    float y = flip_sign((q & 1) != 0 ? c : s, q);
    return x == 0.0f ? x : y;
}

float cos(float x)
{
    float2 t = reduce_pio2(x);
    float r = t.x;
    uint q = as_uint(t.y);
    float s = sin_poly(r);
    float c = cos_poly(r);
    return flip_sign((q & 1) != 0 ? s : c, q + 1);
}

float sincos(float x, float *cosine)
{
    float2 t = reduce_pio2(x);
    float r = t.x;
    uint q = as_uint(t.y);
    float s = sin_poly(r);
    float c = cos_poly(r);
    *cosine = flip_sign((q & 1) != 0 ? s : c, q + 1);
    float y = flip_sign((q & 1) != 0 ? c : s, q);
    return x == 0.0f ? x : y;
}

half sincos(half x, half *cosine)
{
    float c;
    float s = sincos((float)x, &c);
    *cosine = (half)c;
    return (half)s;
}

// sin(x - k pi) for |x - k pi| < 1.6, with its sign changed if sum is odd in its last place.
static float relaxed_sin_of(float x, float k, float sum)
{
    // All parts of pi have one sign, so that a zero keeps its own.
    float r = __clift_fma(k, -0x1.921fb4p+1f, x);
    r = __clift_fma(k, -0x1.4442dp-23f, r);
    r = __clift_fma(k, -0x1.846988p-47f, r);
    float z = r * r;
    float p = 0x1.5cefd2p-19f;
    p = __clift_fma(p, z, -0x1.9f61c6p-13f);
    p = __clift_fma(p, z, 0x1.110e88p-7f);
    p = __clift_fma(p, z, -0x1.55554ap-3f);
    float y = __clift_fma(z, p, 1.0f) * r;
    return as_float(as_uint(y) ^ (as_uint(sum) << 31));
}

float relaxed_sin(float x)
{
    float sum = __clift_fma(x, 0x1.45f306p-2f, 0x1.8p+23f);
    float y = relaxed_sin_of(x, sum - 0x1.8p+23f, sum);
    if (!(__clift_fabs(x) < 0x1p+16f)) {
        float2 t = reduce_large(x);
        uint q = as_uint(t.y);
        y = flip_sign((q & 1) != 0 ? cos_poly(t.x) : sin_poly(t.x), q);
    }
    return y;
}

float relaxed_cos(float x)
{
    float sum = __clift_fma(x, 0x1.45f306p-2f, 0.5f) + 0x1.8p+23f;
    float y = relaxed_sin_of(x, sum - 0x1.8p+23f - 0.5f, sum);
    if (!(__clift_fabs(x) < 0x1p+16f)) {
        float2 t = reduce_large(x);
        uint q = as_uint(t.y);
        y = flip_sign((q & 1) != 0 ? sin_poly(t.x) : cos_poly(t.x), q + 1);
    }
    return y;
}

float tan(float x)
{
    float2 t = reduce_pio2(x);
    float r = t.x;
    uint q = as_uint(t.y);
    float y = tan_poly(r);
    y = (q & 1) != 0 ? -1.0f / y : y;
    return x == 0.0f ? x : y;
}

float relaxed_tan(float x)
{
    float2 t = reduce_pio2(x);
    float r = t.x;
    uint q = as_uint(t.y);
    float z = r * r;
    float p = 0x1.60fbap-5f;
    p = __clift_fma(p, z, 0x1.53233ap-5f);
    p = __clift_fma(p, z, 0x1.16a944p-3f);
    p = __clift_fma(p, z, 0x1.55266ap-2f);
    float y = __clift_fma(z * r, p, r);
    y = (q & 1) != 0 ? -1.0f / y : y;
    return x == 0.0f ? x : y;
}

double sin(double x)
{
    double2 t = reduce_pio2(x);
    double r = t.x;
    ulong q = as_ulong(t.y);
    double s = sin_poly(r);
    double c = cos_poly(r);
    double y = flip_sign((q & 1) != 0 ? c : s, q);
    return x == 0.0 ? x : y;
}

double cos(double x)
{
    double2 t = reduce_pio2(x);
    double r = t.x;
    ulong q = as_ulong(t.y);
    double s = sin_poly(r);
    double c = cos_poly(r);
    return flip_sign((q & 1) != 0 ? s : c, q + 1);
}

double sincos(double x, double *cosine)
{
    double2 t = reduce_pio2(x);
    double r = t.x;
    ulong q = as_ulong(t.y);
    double s = sin_poly(r);
    double c = cos_poly(r);
    *cosine = flip_sign((q & 1) != 0 ? s : c, q + 1);
    double y = flip_sign((q & 1) != 0 ? c : s, q);
    return x == 0.0 ? x : y;
}

double tan(double x)
{
    double2 t = reduce_pio2(x);
    double r = t.x;
    ulong q = as_ulong(t.y);
    double s = sin_poly(r);
    double c = cos_poly(r);
    double y = (q & 1) != 0 ? -c / s : s / c;
    return x == 0.0 ? x : y;
}

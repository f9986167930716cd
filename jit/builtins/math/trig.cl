// sin, cos, sincos, tan: x = q pi/2 + r (reduce.clh), polynomials for sine and cosine of r (trig.clh), q selects and signs.
// tan: float by its own polynomial, double as the quotient of sine and cosine.
//
// Coefficients: weighted minimax fits, those of tan of (tan(r) - r) / r^3, made for this file.
// Worst error seen (limit 4 ulp, tan 5): float sin 1.58, cos 1.58, tan 2.91; double sin 1.57, cos 1.55, tan 3.52.

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

float tan(float x)
{
    float2 t = reduce_pio2(x);
    float r = t.x;
    uint q = as_uint(t.y);
    float y = tan_poly(r);
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

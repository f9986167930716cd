// sinpi, cospi, tanpi: x modulo 2 and the nearest multiple of 1/2 are exact; the rest times pi goes to the polynomials
// of trig.clh.
// Worst error seen (limit 4 ulp; tanpi 6): float sinpi 2.14, cospi 1.98, tanpi 2.93; double sinpi 1.85, cospi 1.84,
// tanpi 4.11.

#include "trig.clh"

// (pi r, q) with x = q/2 + r modulo 2, |r| <= 1/4, q as in reduce.clh.
static float2 reduce_half(float x)
{
    float m = x - 2.0f * __clift_rint(0.5f * x);
    float2 q = nearest(m, 2.0f);
    float r = __clift_fma(q.x, -0.5f, m);
    return (float2)(r * 0x1.921fb6p+1f, q.y);
}

// (pi r, q) with x = q/2 + r modulo 2, |r| <= 1/4, q as in reduce.clh.
static double2 reduce_half(double x)
{
    double m = x - 2.0 * __clift_rint(0.5 * x);
    double2 q = nearest(m, 2.0);
    double r = __clift_fma(q.x, -0.5, m);
    return (double2)(r * 0x1.921fb54442d18p+1, q.y);
}

float sinpi(float x)
{
    float2 t = reduce_half(x);
    float r = t.x;
    uint q = as_uint(t.y);
    float y = flip_sign((q & 1) != 0 ? cos_poly(r) : sin_poly(r), q);
    return y == 0.0f ? __clift_copysign(y, x) : y;
}

double sinpi(double x)
{
    double2 t = reduce_half(x);
    double r = t.x;
    ulong q = as_ulong(t.y);
    double y = flip_sign((q & 1) != 0 ? cos_poly(r) : sin_poly(r), q);
    return y == 0.0 ? __clift_copysign(y, x) : y;
}

float cospi(float x)
{
    float2 t = reduce_half(x);
    float r = t.x;
    uint q = as_uint(t.y);
    float y = flip_sign((q & 1) != 0 ? sin_poly(r) : cos_poly(r), q + 1);
    return y == 0.0f ? 0.0f : y;
}

double cospi(double x)
{
    double2 t = reduce_half(x);
    double r = t.x;
    ulong q = as_ulong(t.y);
    double y = flip_sign((q & 1) != 0 ? sin_poly(r) : cos_poly(r), q + 1);
    return y == 0.0 ? 0.0 : y;
}

float tanpi(float x)
{
    float2 t = reduce_half(x);
    float r = t.x;
    uint q = as_uint(t.y);
    float y = tan_poly(r);
    // Odd integers have the zero of the other sign; between integers and halves the pole has the sign of q.
    y = (q & 1) != 0 ? (r == 0.0f ? ((q & 2) != 0 ? -INFINITY : INFINITY) : -1.0f / y) : y;
    float zero = (q & 2) != 0 ? -x : x;
    return (q & 1) == 0 && r == 0.0f ? __clift_copysign(0.0f, zero) : y;
}

double tanpi(double x)
{
    double2 t = reduce_half(x);
    double r = t.x;
    ulong q = as_ulong(t.y);
    double s = sin_poly(r);
    double c = cos_poly(r);
    double y = (q & 1) != 0 ? (r == 0.0 ? ((q & 2) != 0 ? -(double)INFINITY : (double)INFINITY) : -c / s) : s / c;
    double zero = (q & 2) != 0 ? -x : x;
    return (q & 1) == 0 && r == 0.0 ? __clift_copysign(0.0, zero) : y;
}

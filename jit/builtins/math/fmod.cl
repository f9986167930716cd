// fmod, remainder, remquo: exact (rem.clh). Limit 0 ulp.

#include "rem.clh"

float fmod(float x, float y)
{
    float a = __clift_fabs(x);
    float b = __clift_fabs(y);
    if (!(a < INFINITY && b > 0.0f)) return NAN;
    if (b == INFINITY) return x;
    return sign_like(rem_magnitudes(a, b).x, x);
}

double fmod(double x, double y)
{
    double a = __clift_fabs(x);
    double b = __clift_fabs(y);
    if (!(a < INFINITY && b > 0.0)) return NAN;
    if (b == INFINITY) return x;
    return sign_like(rem_magnitudes(a, b).x, x);
}

float remquo(float x, float y, int *quotient)
{
    float a = __clift_fabs(x);
    float b = __clift_fabs(y);
    *quotient = 0;
    if (!(a < INFINITY && b > 0.0f)) return NAN;
    if (b == INFINITY) return x;
    float2 t = rem_magnitudes(a, b);
    float r = t.x;
    int q = convert_int(t.y);
    // To nearest, ties to the even quotient.
    float twice = r + r;
    int up = twice > b || (twice == b && (q & 1) != 0);
    r = up ? r - b : r;
    q = (q + up) & 127;
    *quotient = (x < 0.0f) != (y < 0.0f) ? -q : q;
    return sign_like(r, x);
}

double remquo(double x, double y, int *quotient)
{
    double a = __clift_fabs(x);
    double b = __clift_fabs(y);
    *quotient = 0;
    if (!(a < INFINITY && b > 0.0)) return NAN;
    if (b == INFINITY) return x;
    double2 t = rem_magnitudes(a, b);
    double r = t.x;
    int q = convert_int(t.y);
    // To nearest, ties to the even quotient.
    double twice = r + r;
    int up = twice > b || (twice == b && (q & 1) != 0);
    r = up ? r - b : r;
    q = (q + up) & 127;
    *quotient = (x < 0.0) != (y < 0.0) ? -q : q;
    return sign_like(r, x);
}

float remainder(float x, float y)
{
    float a = __clift_fabs(x);
    float b = __clift_fabs(y);
    if (!(a < INFINITY && b > 0.0f)) return NAN;
    if (b == INFINITY) return x;
    float2 t = rem_magnitudes(a, b);
    float r = t.x;
    float twice = r + r;
    int up = twice > b || (twice == b && (convert_int(t.y) & 1) != 0);
    return sign_like(up ? r - b : r, x);
}

double remainder(double x, double y)
{
    double a = __clift_fabs(x);
    double b = __clift_fabs(y);
    if (!(a < INFINITY && b > 0.0)) return NAN;
    if (b == INFINITY) return x;
    double2 t = rem_magnitudes(a, b);
    double r = t.x;
    double twice = r + r;
    int up = twice > b || (twice == b && (convert_int(t.y) & 1) != 0);
    return sign_like(up ? r - b : r, x);
}

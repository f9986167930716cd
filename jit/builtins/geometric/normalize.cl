// normalize: the vector times the reciprocal of its length, without overflow or underflow (norm.clh). A zero vector
// stays as it is; a vector with infinities counts as one with 1 in their place and 0 elsewhere, signs kept; NaN gives
// NaN.

#include "norm.clh"

// Component of a vector that has an infinity.
static float unit_if_inf(float x) { return __clift_copysign(__clift_fabs(x) == INFINITY ? 1.0f : 0.0f, x); }
static double unit_if_inf(double x) { return __clift_copysign(__clift_fabs(x) == INFINITY ? 1.0 : 0.0, x); }

static float2 units(float2 v) { return (float2)(unit_if_inf(v.x), unit_if_inf(v.y)); }
static float3 units(float3 v) { return (float3)(unit_if_inf(v.x), unit_if_inf(v.y), unit_if_inf(v.z)); }
static float4 units(float4 v) { return (float4)(units(v.xy), units(v.zw)); }
static double2 units(double2 v) { return (double2)(unit_if_inf(v.x), unit_if_inf(v.y)); }
static double3 units(double3 v) { return (double3)(unit_if_inf(v.x), unit_if_inf(v.y), unit_if_inf(v.z)); }
static double4 units(double4 v) { return (double4)(units(v.xy), units(v.zw)); }

float normalize(float v) { return v > 0.0f ? 1.0f : v < 0.0f ? -1.0f : v; }
double normalize(double v) { return v > 0.0 ? 1.0 : v < 0.0 ? -1.0 : v; }

float2 normalize(float2 v)
{
    double sum = sum_squares(v);
    if (sum == INFINITY) {
        v = units(v);
        sum = sum_squares(v);
    }
    double factor = sum == 0.0 ? 1.0 : 1.0 / __clift_sqrt(sum);
    return convert_float2(convert_double2(v) * factor);
}

float3 normalize(float3 v)
{
    double sum = sum_squares(v);
    if (sum == INFINITY) {
        v = units(v);
        sum = sum_squares(v);
    }
    double factor = sum == 0.0 ? 1.0 : 1.0 / __clift_sqrt(sum);
    return convert_float3(convert_double3(v) * factor);
}

float4 normalize(float4 v)
{
    double sum = sum_squares(v);
    if (sum == INFINITY) {
        v = units(v);
        sum = sum_squares(v);
    }
    double factor = sum == 0.0 ? 1.0 : 1.0 / __clift_sqrt(sum);
    return convert_float4(convert_double4(v) * factor);
}

double2 normalize(double2 v)
{
    double m = max_abs(v);
    if (m == INFINITY && sum_squares(v) == INFINITY) {
        v = units(v);
        m = 1.0;
    }
    // Small vectors are brought up before the division, large ones down after it, so that no component is lost.
    double up = m > 1.0 ? 1.0 : norm_scale(m), down = m > 1.0 ? norm_scale(m) : 1.0;
    double sum = sum_squares(v * (up * down));
    return sum == 0.0 ? v : v * up / __clift_sqrt(sum) * down;
}

double3 normalize(double3 v)
{
    double m = max_abs(v);
    if (m == INFINITY && sum_squares(v) == INFINITY) {
        v = units(v);
        m = 1.0;
    }
    // Small vectors are brought up before the division, large ones down after it, so that no component is lost.
    double up = m > 1.0 ? 1.0 : norm_scale(m), down = m > 1.0 ? norm_scale(m) : 1.0;
    double sum = sum_squares(v * (up * down));
    return sum == 0.0 ? v : v * up / __clift_sqrt(sum) * down;
}

double4 normalize(double4 v)
{
    double m = max_abs(v);
    if (m == INFINITY && sum_squares(v) == INFINITY) {
        v = units(v);
        m = 1.0;
    }
    // Small vectors are brought up before the division, large ones down after it, so that no component is lost.
    double up = m > 1.0 ? 1.0 : norm_scale(m), down = m > 1.0 ? norm_scale(m) : 1.0;
    double sum = sum_squares(v * (up * down));
    return sum == 0.0 ? v : v * up / __clift_sqrt(sum) * down;
}

// length, distance: the root of the sum of squares, which is computed without overflow or underflow (norm.clh). float:
// at most 1 ulp; double: at most 2 ulp.

#include "norm.clh"

float length(float v) { return __clift_fabs(v); }
float length(float2 v) { return (float)__clift_sqrt(sum_squares(v)); }
float length(float3 v) { return (float)__clift_sqrt(sum_squares(v)); }
float length(float4 v) { return (float)__clift_sqrt(sum_squares(v)); }

double length(double v) { return __clift_fabs(v); }

double length(double2 v)
{
    double m = max_abs(v);
    return __clift_sqrt(sum_squares(v * norm_scale(m))) * norm_unscale(m);
}

double length(double3 v)
{
    double m = max_abs(v);
    return __clift_sqrt(sum_squares(v * norm_scale(m))) * norm_unscale(m);
}

double length(double4 v)
{
    double m = max_abs(v);
    return __clift_sqrt(sum_squares(v * norm_scale(m))) * norm_unscale(m);
}

float distance(float a, float b) { return length(a - b); }
float distance(float2 a, float2 b) { return length(a - b); }
float distance(float3 a, float3 b) { return length(a - b); }
float distance(float4 a, float4 b) { return length(a - b); }
double distance(double a, double b) { return length(a - b); }
double distance(double2 a, double2 b) { return length(a - b); }
double distance(double3 a, double3 b) { return length(a - b); }
double distance(double4 a, double4 b) { return length(a - b); }

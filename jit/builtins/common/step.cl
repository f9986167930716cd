// step, smoothstep. smoothstep: t = clamp((x - edge0) / (edge1 - edge0), 0, 1), then t * t * (3 - 2t); undefined if
// edge0 >= edge1 or an argument is NaN.

float step(float edge, float x) { return select(1.0f, 0.0f, x < edge); }
double step(double edge, double x) { return select(1.0, 0.0, (long)(x < edge)); }

float smoothstep(float edge0, float edge1, float x)
{
    float t = __clift_fmin(__clift_fmax((x - edge0) / (edge1 - edge0), 0.0f), 1.0f);
    return t * t * __clift_fma(-2.0f, t, 3.0f);
}

double smoothstep(double edge0, double edge1, double x)
{
    double t = __clift_fmin(__clift_fmax((x - edge0) / (edge1 - edge0), 0.0), 1.0);
    return t * t * __clift_fma(-2.0, t, 3.0);
}

// round: to nearest, halves away from zero: the fraction x - trunc(x) is exact. Exact.

float round(float x)
{
    float t = __clift_trunc(x);
    float step = __clift_fabs(x - t) >= 0.5f ? 1.0f : 0.0f;
    return t + __clift_copysign(step, x);
}

double round(double x)
{
    double t = __clift_trunc(x);
    double step = __clift_fabs(x - t) >= 0.5 ? 1.0 : 0.0;
    return t + __clift_copysign(step, x);
}

// round: to nearest, halves away from zero: the fraction x - trunc(x) is exact. Exact.

float round(float x)
{
    float t = __clift_trunc(x);
    float step = select(0.0f, 1.0f, __clift_fabs(x - t) >= 0.5f);
    return t + __clift_copysign(step, x);
}

double round(double x)
{
    double t = __clift_trunc(x);
    double step = select(0.0, 1.0, (long)(__clift_fabs(x - t) >= 0.5));
    return t + __clift_copysign(step, x);
}

// sign: 1, -1, or the zero given; 0 for NaN. Exact.

float sign(float x)
{
    float r = select(0.0f, x, x == 0.0f);
    r = select(r, -1.0f, x < 0.0f);
    return select(r, 1.0f, x > 0.0f);
}

double sign(double x)
{
    double r = select(0.0, x, (long)(x == 0.0));
    r = select(r, -1.0, (long)(x < 0.0));
    return select(r, 1.0, (long)(x > 0.0));
}

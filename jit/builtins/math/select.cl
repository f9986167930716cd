// fdim, maxmag, minmag, nan. Exact; fdim rounds once.

float fdim(float x, float y) { return select(x - y, 0.0f, x <= y); }

double fdim(double x, double y) { return select(x - y, 0.0, (long)(x <= y)); }

float maxmag(float x, float y)
{
    float a = __clift_fabs(x);
    float b = __clift_fabs(y);
    float r = __clift_fmax(x, y);
    r = select(r, x, a > b);
    return select(r, y, b > a);
}

double maxmag(double x, double y)
{
    double a = __clift_fabs(x);
    double b = __clift_fabs(y);
    double r = __clift_fmax(x, y);
    r = select(r, x, (long)(a > b));
    return select(r, y, (long)(b > a));
}

float minmag(float x, float y)
{
    float a = __clift_fabs(x);
    float b = __clift_fabs(y);
    float r = __clift_fmin(x, y);
    r = select(r, x, a < b);
    return select(r, y, b < a);
}

double minmag(double x, double y)
{
    double a = __clift_fabs(x);
    double b = __clift_fabs(y);
    double r = __clift_fmin(x, y);
    r = select(r, x, (long)(a < b));
    return select(r, y, (long)(b < a));
}

half nan(ushort code) { return as_half((ushort)(0x7e00 | (code & 0x01ff))); }
float nan(uint code) { return as_float(0x7fc00000U | (code & 0x003fffffU)); }
double nan(ulong code) { return as_double(0x7ff8000000000000UL | (code & 0x0007ffffffffffffUL)); }

// fdim, maxmag, minmag, nan. Exact; fdim rounds once.

float fdim(float x, float y) { return x <= y ? 0.0f : x - y; }

double fdim(double x, double y) { return x <= y ? 0.0 : x - y; }

float maxmag(float x, float y)
{
    float a = __clift_fabs(x);
    float b = __clift_fabs(y);
    float r = __clift_fmax(x, y);
    r = a > b ? x : r;
    return b > a ? y : r;
}

double maxmag(double x, double y)
{
    double a = __clift_fabs(x);
    double b = __clift_fabs(y);
    double r = __clift_fmax(x, y);
    r = a > b ? x : r;
    return b > a ? y : r;
}

float minmag(float x, float y)
{
    float a = __clift_fabs(x);
    float b = __clift_fabs(y);
    float r = __clift_fmin(x, y);
    r = a < b ? x : r;
    return b < a ? y : r;
}

double minmag(double x, double y)
{
    double a = __clift_fabs(x);
    double b = __clift_fabs(y);
    double r = __clift_fmin(x, y);
    r = a < b ? x : r;
    return b < a ? y : r;
}

half nan(ushort code) { return as_half((ushort)(0x7e00 | (code & 0x01ff))); }
float nan(uint code) { return as_float(0x7fc00000U | (code & 0x003fffffU)); }
double nan(ulong code) { return as_double(0x7ff8000000000000UL | (code & 0x0007ffffffffffffUL)); }

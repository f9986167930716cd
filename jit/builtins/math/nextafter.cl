// nextafter: one step on the integer line of the bit patterns. Exact.

half nextafter(half x, half y)
{
    ushort bits = as_ushort(x);
    ushort away = (ushort)((x < y) == (x > 0.0h) ? bits + 1 : bits - 1);
    half r = x == 0.0h ? as_half((ushort)((as_ushort(y) & 0x8000) | 1)) : as_half(away);
    r = x == y ? y : r;
    return x != x || y != y ? x + y : r;
}

float nextafter(float x, float y)
{
    uint bits = as_uint(x);
    uint away = (x < y) == (x > 0.0f) ? bits + 1U : bits - 1U;
    float r = x == 0.0f ? as_float((as_uint(y) & 0x80000000U) | 1U) : as_float(away);
    r = x == y ? y : r;
    return x != x || y != y ? x + y : r;
}

double nextafter(double x, double y)
{
    ulong bits = as_ulong(x);
    ulong away = (x < y) == (x > 0.0) ? bits + 1UL : bits - 1UL;
    double r = x == 0.0 ? as_double((as_ulong(y) & 0x8000000000000000UL) | 1UL) : as_double(away);
    r = x == y ? y : r;
    return x != x || y != y ? x + y : r;
}

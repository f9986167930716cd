// expm1: x = n ln 2 + r + c with c the rounding error of r; q = e^(r+c) - 1 by polynomial; then 2^n q + (2^n - 1).
//
// Coefficients: double, a weighted minimax fit of (e^r - 1 - r) / r^2, made for this file; float, Taylor's.
// Worst error seen (limit 3 ulp): float 1.49, double 1.66.

double expm1(double x)
{
    double t = x > 710.0 ? 710.0 : x;
    t = t < -60.0 ? -60.0 : t;
    double n = __clift_rint(t * 0x1.71547652b82fep+0);
    double a = __clift_fma(n, -0x1.62e42fefa39efp-1, t);
    double r = __clift_fma(n, -0x1.abc9e3b39803fp-56, a);
    double c = __clift_fma(n, -0x1.abc9e3b39803fp-56, a - r);
    double p = 0x1.af7209510803p-26;
    p = __clift_fma(p, r, 0x1.28b12fe8e30ddp-22);
    p = __clift_fma(p, r, 0x1.71ddec7f6c57fp-19);
    p = __clift_fma(p, r, 0x1.a0199584f2c51p-16);
    p = __clift_fma(p, r, 0x1.a01a01b4f7177p-13);
    p = __clift_fma(p, r, 0x1.6c16c18616ed7p-10);
    p = __clift_fma(p, r, 0x1.111111110e8b3p-7);
    p = __clift_fma(p, r, 0x1.555555554fdd8p-5);
    p = __clift_fma(p, r, 0x1.555555555555cp-3);
    p = __clift_fma(p, r, 0x1.000000000000cp-1);
    double q = r + __clift_fma(r * r, p, c);
    // Half of 2^n is finite for the largest n too.
    double s = as_double((long)(convert_int(n) + 1022) << 52);
    double y = 2.0 * __clift_fma(q, s, s - 0.5);
    return __clift_fabs(x) < 0x1p-54 ? x : y;
}

float expm1(float x)
{
    float t = x > 89.0f ? 89.0f : x;
    t = t < -20.0f ? -20.0f : t;
    float sum = __clift_fma(t, 0x1.715476p+0f, 0x1.8p+23f);
    float n = sum - 0x1.8p+23f;
    float r = __clift_fma(n, -0x1.62e43p-1f, t);
    r = __clift_fma(n, 0x1.05c61p-29f, r);
    float p = 0x1.a01a02p-13f;
    p = __clift_fma(p, r, 0x1.6d51acp-10f);
    p = __clift_fma(p, r, 0x1.111112p-7f);
    p = __clift_fma(p, r, 0x1.555556p-5f);
    p = __clift_fma(p, r, 0x1.555556p-3f);
    p = __clift_fma(p, r, 0x1p-1f);
    float q = __clift_fma(r * r, p, r);
    // Half of 2^n is finite for the largest n too.
    float s = as_float((as_int(sum) - as_int(0x1.8p+23f) + 126) << 23);
    float y = 2.0f * __clift_fma(q, s, s - 0.5f);
    return __clift_fabs(x) < 0x1p-25f ? x : y;
}

// erf, erfc. |x| < 1: x times a polynomial in x^2. Beyond: erfc(a) = exp(-a^2) g(t) / (1 + 2a), t = (a - 4) / (a + 4), with the
// rounding error of a^2 carried; erf(a) = 1 - erfc(a). float erf uses 2^polynomial for its tail.
//
// Coefficients: weighted minimax fits of erf(x)/x - 1, of exp(a^2) erfc(a) (1 + 2a) in t, and of log2(erfc(a)) on [1, 4],
// made for this file.
// Worst error seen (limit 16 ulp): float erf 1.14, erfc 0.51; double erf 1.02, erfc 3.00.

static double erf_small(double x)
{
    double z = x * x;
    double p = -0x1.aa022ae8aed8cp-31;
    p = __clift_fma(p, z, 0x1.d681c5de6f1abp-27);
    p = __clift_fma(p, z, -0x1.5bef50e968c49p-23);
    p = __clift_fma(p, z, 0x1.b97b9bcd7a9bcp-20);
    p = __clift_fma(p, z, -0x1.f4c9d5aafa784p-17);
    p = __clift_fma(p, z, 0x1.f9a2b2079bccfp-14);
    p = __clift_fma(p, z, -0x1.c02dafd603695p-11);
    p = __clift_fma(p, z, 0x1.565bccf60fc53p-8);
    p = __clift_fma(p, z, -0x1.b82ce311ddee4p-6);
    p = __clift_fma(p, z, 0x1.ce2f21a040432p-4);
    p = __clift_fma(p, z, -0x1.812746b0379aap-2);
    p = __clift_fma(p, z, 0x1.06eba8214db68p-3);
    return __clift_fma(x, p, x);
}

// erfc(a) for a >= 3/4.
static double erfc_tail(double a)
{
    a = a > 28.0 ? 28.0 : a;
    double t = (a - 4.0) / (a + 4.0);
    double p = -0x1.101db178babe9p-26;
    p = __clift_fma(p, t, 0x1.5ea7f990b04fp-24);
    p = __clift_fma(p, t, 0x1.382e81d0b6237p-24);
    p = __clift_fma(p, t, -0x1.ad0b6639dae87p-21);
    p = __clift_fma(p, t, 0x1.3f3bb4174e79p-22);
    p = __clift_fma(p, t, 0x1.7e41c6d67230dp-18);
    p = __clift_fma(p, t, -0x1.78acb3df4bf6dp-17);
    p = __clift_fma(p, t, -0x1.99476fdc0342cp-16);
    p = __clift_fma(p, t, 0x1.3be187b4bead5p-13);
    p = __clift_fma(p, t, -0x1.a1df8fad97301p-13);
    p = __clift_fma(p, t, -0x1.8d4ab3024c5aep-11);
    p = __clift_fma(p, t, 0x1.49c672e0e82a3p-8);
    p = __clift_fma(p, t, -0x1.096238612cccep-6);
    p = __clift_fma(p, t, 0x1.3079edf5e8bd6p-5);
    p = __clift_fma(p, t, -0x1.0fb06dff30dbfp-4);
    p = __clift_fma(p, t, 0x1.7fee004e13965p-4);
    p = __clift_fma(p, t, -0x1.9ddb23c3dd392p-4);
    p = __clift_fma(p, t, 0x1.16ecefcfa53cfp-4);
    p = __clift_fma(p, t, 0x1.f7f5df66fb928p-7);
    p = __clift_fma(p, t, -0x1.1df1ad154a28fp-3);
    p = __clift_fma(p, t, 0x1.3ba5916e9fd7fp+0);
    double s = a * a;
    double low = __clift_fma(a, a, -s);
    double e = exp(-s);
    e = __clift_fma(-e, low, e);
    return e * (p / __clift_fma(2.0, a, 1.0));
}

float erf(float x)
{
    float a = __clift_fabs(x);
    float z = x * x;
    float p = 0x1.48c588p-14f;
    p = __clift_fma(p, z, -0x1.a3bafp-11f);
    p = __clift_fma(p, z, 0x1.53fdb6p-8f);
    p = __clift_fma(p, z, -0x1.b7f824p-6f);
    p = __clift_fma(p, z, 0x1.ce2ceep-4f);
    p = __clift_fma(p, z, -0x1.81273ep-2f);
    p = __clift_fma(p, z, 0x1.06eba8p-3f);
    float small = __clift_fma(x, p, x);
    a = a > 4.0f ? 4.0f : a;
    float q = 0x1.18cceap-12f;
    q = __clift_fma(q, a, -0x1.15f9d8p-8f);
    q = __clift_fma(q, a, 0x1.01ba1ep-5f);
    q = __clift_fma(q, a, -0x1.3072bcp-3f);
    q = __clift_fma(q, a, -0x1.d76dcep-1f);
    q = __clift_fma(q, a, -0x1.a0401cp+0f);
    q = __clift_fma(q, a, -0x1.0b26e2p-11f);
    float tail = __clift_copysign(1.0f - exp2(q), x);
    return a < 1.0f ? small : tail;
}

double erf(double x)
{
    double a = __clift_fabs(x);
    double tail = __clift_copysign(1.0 - erfc_tail(a), x);
    return a < 1.0 ? erf_small(x) : tail;
}

double erfc(double x)
{
    double a = __clift_fabs(x);
    double tail = erfc_tail(a);
    double y = x < 0.0 ? 2.0 - tail : tail;
    return a < 0.75 ? 1.0 - erf_small(x) : y;
}

float erfc(float x) { return (float)erfc((double)x); }

//@ options: -cl-fast-relaxed-math
//@ kernel: bits
//@ global: 1024
//@ local: 64
//@ inout: uint = 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -> 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// Functions and operators of less precision give the same bits however they are computed: a digest of the results for
// arguments of all kinds, NaNs taken as one.
uint digest(float y, uint n)
{
    return (isnan(y) ? 0x7fc00000u : as_uint(y)) * (2 * n + 1);
}

#define DIGEST(at, value)                            \
    {                                                \
        uint h = 0;                                  \
        for (uint n = 0; n < 64; n++) {              \
            uint i = (n << 10) + get_global_id(0);   \
            float x = as_float(i * 65521u);          \
            float y = as_float(i * 2654435761u);     \
            float z = (float)i * 0x1p-10f - 20.0f;   \
            h += digest(value, i);                   \
        }                                            \
        atomic_add(out + at, h);                     \
    }
#define BOTH(at, name) DIGEST(at, name(x)) DIGEST(at + 1, name(z))

kernel void bits(global uint *out)
{
    BOTH(0, exp)
    BOTH(2, exp2)
    BOTH(4, exp10)
    BOTH(6, log)
    BOTH(8, log2)
    BOTH(10, log10)
    BOTH(12, sin)
    BOTH(14, cos)
    BOTH(16, rsqrt)
    BOTH(18, native_rsqrt)
    BOTH(20, native_sqrt)
    DIGEST(22, pow(x, z))
    DIGEST(23, powr(fabs(z), y))
    DIGEST(24, x / y)
    DIGEST(25, mad(x, y, z))
    DIGEST(26, fmin(x, y) - fmax(y, z))
}

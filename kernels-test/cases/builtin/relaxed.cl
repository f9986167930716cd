//@ options: -cl-fast-relaxed-math
//@ kernel: bits
//@ global: 1024
//@ local: 64
//@ inout: uint = 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -> 0xfd6861b2 0x566ae012 0xcd826fd2 0x68773380 0xdaec2feb 0xf174c4e4 0x116ca0dc 0x9494d54d 0x12874d50 0x3e2f7dd5 0xa4bfef52 0xfb7df219 0xf8ce1303 0x58a49015 0xfd021c90 0xe635df1c 0x9918cd9f 0x64d9e502 0xa16af35a 0x493a0e99 0x40ec7350 0x3dc2887e 0xbab877ae 0x7739b83d 0x72cc9b14 0xbdd56b0e 0xadd735c4
// Functions and operators of less precision give the same bits however they are computed: a digest of the results for
// arguments of all kinds, NaNs taken as one, and as zeros what options and the processor may make denormal on the way.
uint digest(float y, uint n)
{
    return (isnan(y) ? 0x7fc00000u : fabs(y) < 0x1p-100f ? 0 : as_uint(y)) * (2 * n + 1);
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
    DIGEST(24, x / (fabs(y) < 0x1p+120f ? y : 1))
    DIGEST(25, mad(x, y, z))
    DIGEST(26, fmin(x, y) - fmax(y, z))
}

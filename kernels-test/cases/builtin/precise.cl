//@ kernel: bits
//@ global: 1024
//@ local: 64
//@ inout: uint = 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -> 0x44721a4a 0x3e11bf47 0xcf00e2ca 0xa5b31b00 0x8522f45b 0x9408cceb 0xee5b39a 0x8cb4c557 0x128ab7d2 0x3e53fcc7 0x81780c5f 0x62c8aa89 0x38ddd61c 0x55e01f3e 0xffbee8c9 0xe3a7e141 0x9b9af2ef 0x6a399800 0x1bca95f 0x3915c047 0x40ec7350 0x3dc2887e 0xbf2047d5 0xec42b5c3 0x157f778f 0xbdccac36 0x86a99f86
// As relaxed.cl, without options: what programs get that do not ask for less precision is not to change
// unnoticed.
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
    BOTH(18, tan)
    BOTH(20, sqrt)
    DIGEST(22, pow(x, z))
    DIGEST(23, powr(fabs(z), y))
    DIGEST(24, x / y)
    float p = 0;
    DIGEST(25, (p = x * y, p + z))
    DIGEST(26, fmin(x, y) - fmax(y, z))
}

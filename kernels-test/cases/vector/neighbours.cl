// Neighbours in memory at places that are not regular: read, written and both, by elements of 1, 2 and 4 bytes, with other
// accesses in between that are to the same memory or not, give what volatile accesses give, which happen one by one.
//@ options: -cl-std=CL3.0
//@ kernel: plain
//@ global: 75
//@ local: 75
//@ in: uint = 3 10 17 5 12 0 7 14 2 9 16 4 11 18 6 13 1 8 15 22 74 70 60 50 40 30 20 69 19 21 23..29 31..39 41..49 51..59 61..68 71..73
//@ inout: float = 0..449 -> _*450
//@ inout: uchar = 0..255 0..255 0..255 -> _*768
//@ inout: ushort = 65000..65535 0..300 -> _*837
//@ inout: int = 0..399 -> _*400
//@ same-as: single
#define BODY \
    int i = get_global_id(0), j = at[i]; \
    f[3 * j] *= 0.5f; \
    f[3 * j + 1] *= 0.25f; \
    f[3 * j + 2] += f[3 * j] + f[3 * j + 1]; \
    float x = f[225 + 3 * j + 2], y = f[225 + 3 * j + 1], z = f[225 + 3 * j]; \
    if (i % 3) { \
        f[225 + 3 * j + 1] = x; \
        f[225 + 3 * j] = y; \
        f[225 + 3 * j + 2] = z; \
    } \
    uchar r = b[10 * j], g = b[10 * j + 1], u = b[10 * j + 3], v = b[10 * j + 2]; \
    b[10 * j + 4] = r + g; \
    b[10 * j + 5] = u - v; \
    b[10 * j + 7] = b[10 * j + 4]; \
    b[10 * j + 6] = b[10 * j + 5]; \
    s[11 * j + 1] = s[11 * j] + 1; \
    s[11 * j] = s[11 * j + 1] + 2; \
    s[11 * j + 2] = s[11 * j + i % 4] + s[11 * j + 3]; \
    s[11 * j + i % 4] = 7; \
    s[11 * j + 3] = 8; \
    k[5 * j] = i; \
    k[5 * j + i % 2] = -1; \
    k[5 * j + 1] = j; \
    k[5 * j + 3] = k[5 * j + 1 + i % 2]; \
    k[5 * j + 2] = k[5 * j + 3]; \
    k[5 * j + 2 + i % 2] += 1000; \
    k[5 * j + 4] = k[5 * j + 2] + k[5 * j + 3];
kernel void plain(global const uint *at, global float *f, global uchar *b, global ushort *s, global int *k)
{
    BODY
}
kernel void single(global const uint *at, volatile global float *f, volatile global uchar *b, volatile global ushort *s,
                   volatile global int *k)
{
    BODY
}

// Elements a few apart from work-item to work-item, forwards and backwards, all of a pixel's or some, loaded, stored and both, under
// masks and not, give what volatile accesses give, which happen one by one.
//@ options: -cl-std=CL3.0
//@ kernel: plain
//@ global: 107
//@ local: 107
//@ in: uchar = 0..255 3..255
//@ inout: uchar = 0..255 0..255 0..255 -> _*768
//@ inout: ushort = 65000..65535 0..300 -> _*837
//@ inout: int = 0..999 -> _*1000
//@ inout: float = 0..449 -> _*450
//@ inout: ulong = 0..449 -> _*450
//@ same-as: single
#define BODY \
    int i = get_global_id(0), n = get_global_size(0), m = n - 1 - i; \
    uchar p = x[3 * i], q = x[3 * i + 1], r = x[3 * i + 2]; \
    b[3 * m] = r; \
    b[3 * m + 1] = p + q; \
    b[3 * m + 2] = p; \
    if (p & 4) { \
        b[400 + 3 * i + 1] = x[2 * i] + x[2 * i + 1]; \
        b[400 + 3 * i] = b[400 + 3 * i + 2]; \
        b[400 + 3 * i + 2] = x[m]; \
    } \
    s[4 * i + 3] = s[4 * i] + 1; \
    s[4 * i + 1] = s[4 * i + 3] + 2; \
    s[4 * i] = s[4 * i + 2] + s[4 * i + 1]; \
    s[4 * i + 2] = p; \
    s[500 + 2 * m] = q; \
    if (i % 3) s[500 + 2 * m + 1] = r; \
    int u = k[4 * m], v = k[4 * m + 3]; \
    k[4 * i + 1] = u; \
    k[4 * i + 2] = v - i; \
    k[500 + 3 * m] = k[500 + 3 * m + 2]; \
    k[500 + 3 * m + 1] += k[500 + 3 * m]; \
    k[500 + 3 * m + 2] = i; \
    float y = f[2 * i], z = f[2 * i + 1]; \
    f[2 * i] = z; \
    f[2 * i + 1] = y; \
    if (q < 100) f[220 + 2 * m] = y + f[220 + 2 * m + 1]; \
    h[2 * i + 1] += h[2 * i]; \
    h[2 * i] = h[2 * i + 1] ^ i; \
    h[220 + 2 * m + (i & 0)] = p;
kernel void plain(global const uchar *x, global uchar *b, global ushort *s, global int *k, global float *f, global ulong *h)
{
    BODY
}
kernel void single(volatile global const uchar *x, volatile global uchar *b, volatile global ushort *s, volatile global int *k,
                   volatile global float *f, volatile global ulong *h)
{
    BODY
}

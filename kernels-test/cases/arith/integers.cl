// Integer arithmetic at its edges. Division by zero and min / -1 give some value and never stop the process.
//@ kernel: wraps
//@ in: int = max min -1 7
//@ out: int = min max 1 -7 min -2147483648 0x7fffffff -1
//@ kernel: divides
//@ in: int = 7 -7 7 -7
//@ in: int = 2 2 -2 -2
//@ out: int = 3 -3 -3 3
//@ out: int = 1 -1 1 -1
//@ kernel: edges
//@ in: int = 1 min 0 min
//@ in: int = 0 -1 0 0
//@ out: int = _ _ _ _ 77
//@ in: long = 1 min 0 min
//@ in: long = 0 -1 0 0
//@ out: long = _ _ _ _ 77
//@ kernel: small_edges
//@ in: char = -128 5
//@ in: char = -1 0
//@ out: int = 128 77
//@ kernel: shifts
//@ in: int = 1 -8 1 1
//@ in: int = 33 34 32 31
//@ out: int = 2 -2 1 min
//@ kernel: small_shifts
//@ in: uchar = 200
//@ out: int = 800 25 12800
//@ kernel: vector_shifts
//@ in: char = 1 1 -128 -128
//@ in: char = 9 8 10 1
//@ out: char = 2 1 -32 -64
//@ kernel: longs
//@ in: long = 123456789012 -987654321 3000000000 -5
//@ out: long = 7194577391479740460 -124 -987654199 2 -1 6 6442450944
//@ kernel: unsigned_longs
//@ in: ulong = max 10 9223372036854775808 3
//@ out: ulong = 1844674407370955161 5 3074457345618258602 2 9223372036854775805 1
//@ kernel: promotions
//@ out: int = 1 255 0 -1 1 200 -56 4
kernel void wraps(global const int *in, global int *out)
{
    out[0] = in[0] + 1;
    out[1] = in[1] - 1;
    out[2] = in[2] * in[2];
    out[3] = -in[3];
    out[4] = -in[1];
    out[5] = in[1] * in[2];
    out[6] = ~in[1];
    out[7] = in[2] >> 31;
}
kernel void divides(global const int *a, global const int *b, global int *q, global int *r)
{
    for (int i = 0; i < 4; ++i) { q[i] = a[i] / b[i]; r[i] = a[i] % b[i]; }
}
kernel void edges(global const int *a, global const int *b, global int *q, global const long *c, global const long *d, global long *r)
{
    for (int i = 0; i < 4; ++i) { q[i] = a[i] / b[i] + a[i] % b[i]; r[i] = c[i] / d[i] + c[i] % d[i]; }
    int4 v = vload4(0, a) / vload4(0, b);
    uint4 u = as_uint4(vload4(0, a)) % as_uint4(vload4(0, b) & 0);
    q[4] = v.x + u.y == 12345678 ? 78 : 77;
    r[4] = 77;
}
kernel void small_edges(global const char *a, global const char *b, global int *out)
{
    out[0] = a[0] / b[0];
    char2 v = vload2(0, a) / vload2(0, b);
    out[1] = v.y == 99 ? 78 : 77;
}
kernel void shifts(global const int *a, global const int *b, global int *out)
{
    for (int i = 0; i < 4; ++i) out[i] = i == 1 ? a[i] >> b[i] : a[i] << b[i];
}
kernel void small_shifts(global const uchar *a, global int *out)
{
    out[0] = *a << 2;
    out[1] = *a >> 3;
    out[2] = *a << 38;
}
kernel void vector_shifts(global const char *a, global const char *b, global char *out)
{
    char4 v = vload4(0, a), n = vload4(0, b);
    char4 left = v << n, right = v >> n;
    vstore4((char4)(left.xy, right.zw), 0, out);
}
kernel void longs(global const long *a, global long *out)
{
    out[0] = a[0] * a[1];
    out[1] = a[0] / a[1] - (a[0] / a[1] == -125 ? -1 : -0);
    out[2] = a[1] % 1000000000L + 122;
    out[3] = a[2] / 1000000000L - 1;
    out[4] = a[3] >> 63;
    out[5] = (ulong)a[3] >> 61 ^ 1;
    out[6] = (a[2] << 31 >> 30) + 442450944;
}
kernel void unsigned_longs(global const ulong *a, global ulong *out)
{
    out[0] = a[0] / a[1];
    out[1] = a[0] % a[1];
    out[2] = a[2] / a[3];
    out[3] = a[2] % a[3];
    out[4] = a[2] - a[3];
    out[5] = a[0] > a[2];
}
kernel void promotions(global int *out)
{
    uchar a = 255;
    char b = -1;
    out[0] = a + 1 == 256;
    out[1] = (uchar)b;
    out[2] = (uchar)(a + 1);
    out[3] = b;
    out[4] = -1 > 0u;
    uchar c = 200;
    out[5] = c;
    out[6] = (char)c;
    out[7] = sizeof(a + b);
}

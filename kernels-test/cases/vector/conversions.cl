// Conversions to elements of another size write as many bytes as their results have: what lies behind stays.
//@ kernel: doubles
//@ global: 64
//@ local: 64
//@ in: double = 0..63
//@ inout: int = 7*128 -> 0..63 7*64
//@ inout: uint = 7*128 -> 0..63 7*64
//@ inout: short = 7*128 -> 0..63 7*64
//@ inout: uchar = 7*128 -> 0..63 7*64
//@ inout: float = 7*128 -> 0..63 7*64
//@ inout: long = 7*128 -> 0..63 7*64
//@ kernel: floats
//@ global: 64
//@ local: 64
//@ in: float = 0..63
//@ inout: int = 7*128 -> 0..63 7*64
//@ inout: uint = 7*128 -> 0..63 7*64
//@ inout: ushort = 7*128 -> 0..63 7*64
//@ inout: char = 7*128 -> 0..63 7*64
//@ inout: double = 7*128 -> 0..63 7*64
//@ inout: ulong = 7*128 -> 0..63 7*64
//@ kernel: longs
//@ global: 64
//@ local: 64
//@ in: long = 0..63
//@ inout: int = 7*128 -> 0..63 7*64
//@ inout: ushort = 7*128 -> 0..63 7*64
//@ inout: char = 7*128 -> 0..63 7*64
//@ inout: float = 7*128 -> 0..63 7*64
//@ inout: double = 7*128 -> 0..63 7*64
//@ kernel: bytes
//@ global: 64
//@ local: 64
//@ in: char = 0..63
//@ inout: int = 7*128 -> 0..63 7*64
//@ inout: ushort = 7*128 -> 0..63 7*64
//@ inout: long = 7*128 -> 0..63 7*64
//@ inout: float = 7*128 -> 0..63 7*64
//@ inout: double = 7*128 -> 0..63 7*64

kernel void doubles(global const double *in, global int *a, global uint *b, global short *c, global uchar *d,
                    global float *e, global long *f)
{
    int i = get_global_id(0);
    double x = in[i];
    a[i] = convert_int(x);
    b[i] = convert_uint_sat(x);
    c[i] = convert_short_rte(x);
    d[i] = convert_uchar_sat(x);
    e[i] = (float)x;
    f[i] = (long)x;
}

kernel void floats(global const float *in, global int *a, global uint *b, global ushort *c, global char *d,
                   global double *e, global ulong *f)
{
    int i = get_global_id(0);
    float x = in[i];
    a[i] = convert_int(x);
    b[i] = convert_uint_sat(x);
    c[i] = convert_ushort_rte(x);
    d[i] = convert_char_sat(x);
    e[i] = x;
    f[i] = convert_ulong(x);
}

kernel void longs(global const long *in, global int *a, global ushort *b, global char *c, global float *d,
                  global double *e)
{
    int i = get_global_id(0);
    long x = in[i];
    a[i] = (int)x;
    b[i] = (ushort)x;
    c[i] = convert_char_sat(x);
    d[i] = x;
    e[i] = x;
}

kernel void bytes(global const char *in, global int *a, global ushort *b, global long *c, global float *d,
                  global double *e)
{
    int i = get_global_id(0);
    char x = in[i];
    a[i] = x;
    b[i] = convert_ushort_sat(x);
    c[i] = x;
    d[i] = x;
    e[i] = x;
}

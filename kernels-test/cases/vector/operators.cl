// Component-wise operators; comparisons give 0 or -1; shifts, logic, ternary with vector and scalar condition.
//@ kernel: ints
//@ out: int = 5 7 9 11 -1 0 -1 0 0 -1 -1 0 1 4 9 16 2 4 8 16 -2 -3 -4 -5 0 0 0 0 -1 0 0 0
//@ kernel: chooses
//@ out: int = 1 20 3 40 1 2 3 4 10 20 30 40
//@ kernel: floats
//@ in: float = 1 nan -0 5
//@ out: int = -1 0 -1 0 0 -1 0 0 -1 0 0 -1 0 -1 0 0
//@ kernel: widths
//@ out: char = 0 -1 0 -1
//@ out: short = -1 0
//@ out: long = 0 -1
kernel void ints(global int *out)
{
    int4 a = (int4)(1, 2, 3, 4), b = (int4)(4, 5, 6, 7);
    vstore4(a + b, 0, out);
    vstore4((a & 1) == 1, 1, out);
    vstore4(a > 1 && a < 4, 2, out);
    vstore4(a * a, 3, out);
    vstore4((int4)(1) << a, 4, out);
    vstore4(~a, 5, out);
    vstore4(!a, 6, out);
    vstore4(-(a == (int4)(1)) * -1, 7, out);
}
kernel void chooses(global int *out)
{
    int4 a = (int4)(1, 2, 3, 4), b = a * 10, c = (int4)(-1, 0, -5, 1);
    vstore4(c ? a : b, 0, out);
    vstore4(1 ? a : b, 1, out);
    vstore4(0 ? a : b, 2, out);
}
kernel void floats(global const float *in, global int *out)
{
    float4 v = vload4(0, in);
    vstore4(v <= (float4)(1, 1, 0, 4), 0, out);
    vstore4(v != v, 1, out);
    vstore4((v == 1.0f) | !(v < 5.0f) & (v >= 5.0f), 2, out);
    vstore4(!(v == v), 3, out);
}
kernel void widths(global char *c, global short *s, global long *l)
{
    vstore4((char4)(1, 2, 3, 4) == (char4)(0, 2, 0, 4), 0, c);
    vstore2((ushort2)(65535, 1) > (ushort2)(2, 2), 0, s);
    vstore2((double2)(1, 2) >= (double2)(2, 2), 0, l);
}

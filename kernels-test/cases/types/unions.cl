//@ kernel: k
//@ out: uint = 0x3f800000 0x80 0x3f 8 0x40490fdb 0x04030201 3 16
typedef union { float f; uint u; uchar b[4]; uchar4 v; } word;
uint bits(word w) { w.u += 0; return w.u; }
kernel void k(global uint *out)
{
    word w;
    w.f = 1.0f;
    out[0] = w.u;
    out[1] = w.b[2];
    out[2] = w.v.w;
    out[3] = sizeof(union { int i; double d; });
    w.f = 3.14159274f;
    word x = w;
    out[4] = bits(x);
    x.v = (uchar4)(1, 2, 3, 4);
    out[5] = x.u;
    word many[3] = { { 1.0f }, { .u = 2 }, { .b = { 3 } } };
    out[6] = many[2].u;
    out[7] = sizeof(union { char c; float3 v; });
}

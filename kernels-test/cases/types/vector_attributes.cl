// `ext_vector_type` and `vector_size` are other ways to write the vector types.
//@ kernel: sizes
//@ out: int = 16 16 8 32 16 4 12
//@ kernel: values
//@ out: float = 2 4 6 8 10
//@ out: int = 11 22 33 44 4 3 2 1 1 2
typedef float f4 __attribute__((ext_vector_type(4)));
typedef float __attribute__((ext_vector_type(3))) f3;
typedef __attribute__((__vector_size__(8))) short s4;
typedef int i8 __attribute__((vector_size(32)));
typedef unsigned char uc4 __attribute__((vector_size(4)));
struct s { char c; int v __attribute__((vector_size(8))); };
float4 twice(f4 x) { return x + x; }
kernel void sizes(global int *out)
{
    out[0] = sizeof(f4); out[1] = sizeof(f3); out[2] = sizeof(s4); out[3] = sizeof(i8); out[4] = sizeof(struct s);
    out[5] = sizeof(uc4); out[6] = vec_step(f4) + vec_step(i8);
}
kernel void values(global float *f, global int *out)
{
    f4 a = (f4)(1, 2, 3, 4), *p = &a;
    float4 b = twice(*p);
    f[0] = b.x; f[1] = b.y; f[2] = a.z + a.z; f[3] = b.w; f[4] = dot(a, (f4)(0, 1, 0, 2));
    int v __attribute__((vector_size(16))) = {1, 2, 3, 4};
    int4 w = v * 11;
    i8 e = (i8)(v.wzyx, v);
    vstore4(w, 0, out); vstore4(e.lo, 1, out); vstore2(e.hi.xy, 4, out);
}

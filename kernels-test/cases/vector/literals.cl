//@ kernel: k
//@ out: float = 1 2 3 4 5 5 5 5 1 2 3 7 1 2 1 2 3 4 3 4 7 7 1 2
//@ kernel: in_arrays
//@ out: int = 3 4 1 2 6
kernel void k(global float *out)
{
    float2 a = (float2)(1, 2), b = (float2)(3.0, 4.0f);
    vstore4((float4)(a, b), 0, out);
    vstore4((float4)(5), 1, out);
    vstore4((float4)(1, (float2)(2, 3), 7.0f), 2, out);
    vstore8((float8)(a, a, b, b), 0, out + 12);
    float4 c = 7;
    vstore2(c.xy, 10, out);
    float4 d = { 1, 2, 3, 4 };
    vstore2(d.xy, 11, out);
}
kernel void in_arrays(global int *out)
{
    int2 v[2] = { (int2)(1, 2), (int2)(3, 4) };
    vstore2(v[1], 0, out);
    int4 nested = (int4)((int2)(1, 2), (int2)((3), 4));
    vstore2(nested.lo, 1, out);
    out[4] = ((int4)(1, 2, 3, 6)).w;
}

//@ kernel: k
//@ out: uint = 0x3f800000 0x04030201 0x00020001 1 2 3 7 7 7
kernel void k(global uint *out)
{
    out[0] = as_uint(1.0f);
    out[1] = as_uint((uchar4)(1, 2, 3, 4));
    out[2] = as_uint((ushort2)(1, 2));
    // Four lanes to three keep x, y and z; three to four leave w undefined.
    uint3 three = as_uint3((int4)(1, 2, 3, 4));
    vstore3(three, 1, out);
    uint4 four = as_uint4((float3)(as_float(7u)));
    vstore3(four.xyz, 2, out);
}

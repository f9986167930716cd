//@ kernel: beyond_narrow
//@ in: float = 300.7 -1.5 70000 200 -1.6
//@ out: int = 44 255 4464 -56 254 255 44 -56 44 4464
kernel void beyond_narrow(global const float *in, global int *out)
{
    // Modulo 2 to the number of bits, as hosts compute it.
    out[0] = convert_uchar(in[0]);
    out[1] = (uchar)in[1];
    out[2] = (ushort)in[2];
    out[3] = convert_char(in[3]);
    out[4] = convert_uchar_rte(in[4]);
    out[5] = convert_uchar_sat(in[0]);
    out[6] = (uchar)300.7f;
    out[7] = (char)200.0;
    out[8] = convert_uchar4((float4)(in[0])).y;
    out[9] = convert_ushort4((float4)(in[2])).w;
}

//@ kernel: to_int
//@ in: float = 2.5 3.5 -2.5 -0.5 1e20 -1e20
//@ out: int = 2 3 -2 0 2147483647 -2147483648 2 4 -2 0 3 4 -2 0 2 3 -3 -1
kernel void to_int(global const float *in, global int *out)
{
    for (int i = 0; i < 6; i++)
        out[i] = i < 4 ? convert_int(in[i]) : convert_int_sat(in[i]);
    for (int i = 0; i < 4; i++) {
        out[6 + i] = convert_int_rte(in[i]);
        out[10 + i] = convert_int_rtp(in[i]);
        out[14 + i] = convert_int_rtn(in[i]);
    }
}
//@ kernel: narrow
//@ out: int = -1 255 0 127 -128 255 0 65535 -32768
kernel void narrow(global int *out)
{
    out[0] = convert_char((int)0x1ff);
    out[1] = convert_uchar((int)-1);
    out[2] = convert_uchar_sat(-5);
    out[3] = convert_char_sat(300);
    out[4] = convert_char_sat(-300);
    out[5] = convert_uchar_sat(1000.7f);
    out[6] = convert_uint_sat(-1.0f);
    out[7] = convert_ushort_sat(70000u);
    out[8] = convert_short_sat(-70000L);
}
//@ kernel: to_float
//@ out: uint = 0x4b800000 0x4b800001 0x4b800000 0x4b800001 0x4b800000
kernel void to_float(global uint *out)
{
    out[0] = as_uint(convert_float(16777217));
    out[1] = as_uint(convert_float_rtp(16777217));
    out[2] = as_uint(convert_float_rtz(16777217));
    out[3] = as_uint(convert_float(16777218));
    out[4] = as_uint(convert_float_rtn(16777217.5));
}
//@ kernel: vectors
//@ out: int = 1 -2 3 255 255 0
kernel void vectors(global int *out)
{
    vstore3(convert_int3((float3)(1.9f, -2.9f, 3.1f)), 0, out);
    vstore3(convert_int3(convert_uchar3_sat((int3)(256, 300, -1))), 1, out);
}

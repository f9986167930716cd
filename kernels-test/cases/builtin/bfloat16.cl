// Floats become bfloat16 to nearest even, NaNs quiet ones of the same sign, denormals denormals; and back they are exact.
// Then a scalar product of vectors that are stored so.
//@ kernel: round
//@ global: 24
//@ in: uint = 0x00000000 0x80000000 0x3f800000 0x3f808000 0x3f818000 0x3f808001 0x3f807fff 0x7f7fffff 0xff7fffff 0x7f800000 0xff800000 0x7f800001 0xff810000 0x7fffffff 0x00000001 0x00008000 0x00008001 0x00018000 0x007fffff 0x7f7f7fff 0x7f7f8000 0xffc00001 0x007f8000 0x80008001
//@ out: ushort = 0x0000 0x8000 0x3f80 0x3f80 0x3f82 0x3f81 0x3f80 0x7f80 0xff80 0x7f80 0xff80 0x7fc0 0xffc1 0x7fff 0x0000 0x0000 0x0001 0x0002 0x0080 0x7f7f 0x7f80 0xffc0 0x0080 0x8001
//@ out: uint = 0x00000000 0x80000000 0x3f800000 0x3f800000 0x3f820000 0x3f810000 0x3f800000 0x7f800000 0xff800000 0x7f800000 0xff800000 0x7fc00000 0xffc10000 0x7fff0000 0x00000000 0x00000000 0x00010000 0x00020000 0x00800000 0x7f7f0000 0x7f800000 0xffc00000 0x00800000 0x80010000
//@ kernel: widths
//@ in: float = 1 2.0078125 3 4 -5 6 7 8 9 10 11 12 13 14 15 16.0625
//@ out: ushort = 0x3f80 0x4000 0x3f80 0x4000 0x4040 0x3f80 0x4000 0x4040 0x4080 0x3f80 0x4000 0x4040 0x4080 0xc0a0 0x40c0 0x40e0 0x4100 0x3f80 0x4000 0x4040 0x4080 0xc0a0 0x40c0 0x40e0 0x4100 0x4110 0x4120 0x4130 0x4140 0x4150 0x4160 0x4170 0x4180
//@ out: float = 1 2 1 2 3 1 2 3 4 1 2 3 4 -5 6 7 8 1 2 3 4 -5 6 7 8 9 10 11 12 13 14 15 16
//@ kernel: product
//@ global: 64
//@ local: 64
//@ out: float = 85344
#ifndef cl_intel_bfloat16_conversions
#error "this belongs to every version"
#endif

kernel void round(global const float *in, global ushort *halves, global float *back)
{
    const size_t i = get_global_id(0);
    halves[i] = intel_convert_bfloat16_as_ushort(in[i]);
    back[i] = intel_convert_as_bfloat16_float(halves[i]);
}

kernel void widths(global const float *in, global ushort *halves, global float *back)
{
    vstore2(intel_convert_bfloat162_as_ushort2(vload2(0, in)), 0, halves);
    vstore3(intel_convert_bfloat163_as_ushort3(vload3(0, in)), 0, halves + 2);
    vstore4(intel_convert_bfloat164_as_ushort4(vload4(0, in)), 0, halves + 5);
    vstore8(intel_convert_bfloat168_as_ushort8(vload8(0, in)), 0, halves + 9);
    vstore16(intel_convert_bfloat1616_as_ushort16(vload16(0, in)), 0, halves + 17);
    vstore2(intel_convert_as_bfloat162_float2(vload2(0, halves)), 0, back);
    vstore3(intel_convert_as_bfloat163_float3(vload3(0, halves + 2)), 0, back + 2);
    vstore4(intel_convert_as_bfloat164_float4(vload4(0, halves + 5)), 0, back + 5);
    vstore8(intel_convert_as_bfloat168_float8(vload8(0, halves + 9)), 0, back + 9);
    vstore16(intel_convert_as_bfloat1616_float16(vload16(0, halves + 17)), 0, back + 17);
}

// The sum of i * i for i < 64, whose factors bfloat16 holds.
kernel void product(global float *out)
{
    local ushort a[64];
    local float sum[64];
    const size_t i = get_local_id(0);
    a[i] = intel_convert_bfloat16_as_ushort((float)i);
    barrier(CLK_LOCAL_MEM_FENCE);
    sum[i] = intel_convert_as_bfloat16_float(a[i]) * intel_convert_as_bfloat16_float(a[i]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 0) {
        float all = 0;
        for (int k = 0; k < 64; k++)
            all += sum[k];
        out[0] = all;
    }
}

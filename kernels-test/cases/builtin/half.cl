//@ kernel: store
//@ out: ushort = 0x3c00 0x3555 0x3556 0x3555 0x3556 0x7c00 0x7bff 0x0001 0x0000 0x8001
kernel void store(global ushort *out)
{
    global half *h = (global half *)out;
    vstore_half(1.0f, 0, h);
    const float third = 1.0f / 3.0f;
    vstore_half(third, 1, h);
    vstore_half_rtp(third, 2, h);
    vstore_half_rtz(third, 3, h);
    vstore_half_rtp((double)third, 4, h);
    vstore_half(65520.0f, 5, h);
    vstore_half_rtz(70000.0f, 6, h);
    vstore_half(0x1p-24f, 7, h);
    vstore_half(0x1p-25f, 8, h);
    vstore_half_rtn(-0x1p-30f, 9, h);
}
//@ kernel: load
//@ in: ushort = 0x3c00 0xc000 0x0001 0x7c00 0x3c01 0x0000 0x3800 0x4200
//@ out: float = 1 -2 5.960464477539063e-8 inf 1.0009765625 0 0.5 1 -2 5.960464477539063e-8 3
kernel void load(global const ushort *in, global float *out)
{
    global const half *h = (global const half *)in;
    vstore4(vload_half4(0, h), 0, out);
    vstore3(vload_half3(0, h + 4), 0, out + 4);
    // The aligned form steps by four for three lanes.
    vstore3(vloada_half3(0, h), 0, out + 7);
    out[10] = vload_half(7, h);
}

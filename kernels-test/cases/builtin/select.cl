//@ kernel: k
//@ out: int = 2 1 10 2 30 4 1 0 1 0
//@ out: uint = 0x12345678 0x0f0f0f0f
kernel void k(global int *out, global uint *bits)
{
    out[0] = select(1, 2, 5);
    out[1] = select(1, 2, 0);
    // Vectors look at the sign bit.
    int4 v = select((int4)(1, 2, 3, 4), (int4)(10, 20, 30, 40), (int4)(-1, 1, INT_MIN, 0));
    vstore4(v, 0, out + 2);
    out[6] = any((int4)(0, 0, -1, 0));
    out[7] = any((int2)(1, 1));
    out[8] = all((int2)(-1, INT_MIN));
    out[9] = all((int3)(-1, -1, 1));
    bits[0] = bitselect(0x12340000u, 0xffff5678u, 0x0000ffffu);
    bits[1] = as_uint(bitselect(as_float(0u), as_float(0xffffffffu), as_float(0x0f0f0f0fu)));
}

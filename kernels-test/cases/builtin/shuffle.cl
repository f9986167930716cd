//@ kernel: k
//@ in: uint = 3 2 1 0
//@ out: int = 4 3 2 1 1 5 8 3 2 2 9 1
kernel void k(global const uint *mask, global int *out)
{
    int4 a = (int4)(1, 2, 3, 4), b = (int4)(5, 6, 7, 8);
    vstore4(shuffle(a, vload4(0, mask)), 0, out);
    vstore4(shuffle2(a, b, (uint4)(0, 4, 7, 2)), 1, out);
    // Only the low bits of a mask count.
    vstore2(shuffle(a, (uint2)(5, 1)), 4, out);
    out[10] = shuffle((short2)(9, 10), (ushort4)(0)).s3;
    out[11] = shuffle2((char2)(1, 2), (char2)(3, 4), (uchar2)(4, 3)).x;
}

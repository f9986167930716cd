// Every way to name components, to read and to write.
//@ kernel: reads
//@ out: int = 1 2 3 4 4 3 2 1 1 1 1 1 1 2 3 4 2 4 1 3 11 12 3 4 16 10 1 3 5 7 9 11 13 15 2 4 6 8 10 12 14 16
//@ kernel: writes
//@ out: int = 4 3 2 1 10 2 20 4 7 8 9 4 5 6 5 6 0 1 2 3 100 101 102 103 8 9 10 11 12 13 14 115
//@ kernel: compound
//@ out: int = 11 2 23 4 6 5 2 2 3 5 4 6
//@ kernel: three
//@ out: int = 1 2 3 3 2 1 1 2 3 0 4 5
kernel void reads(global int *out)
{
    int4 a = (int4)(1, 2, 3, 4);
    int16 b = (int16)(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
    vstore4(a.xyzw, 0, out);
    vstore4(a.wzyx, 1, out);
    vstore4(a.xxxx, 2, out);
    vstore4(a.s0123, 3, out);
    vstore2(a.hi.lo == 3 ? a.odd : a.even, 8, out);
    vstore2(a.even, 9, out);
    out[20] = b.sa;
    out[21] = b.SB;
    vstore2(a.hi, 11, out);
    out[24] = b.sF;
    out[25] = b.s9;
    vstore8(b.even, 0, out + 26);
    vstore8(b.odd, 0, out + 34);
}
kernel void writes(global int *out)
{
    int4 a = (int4)(1, 2, 3, 4);
    a.wzyx = a;
    vstore4(a, 0, out);
    a = (int4)(1, 2, 3, 4);
    a.xz = (int2)(10, 20);
    vstore4(a, 1, out);
    a.s012 = (int3)(7, 8, 9);
    vstore4(a, 2, out);
    a.lo = (int2)(5, 6);
    a.hi = a.lo;
    vstore4(a, 3, out);
    int16 b;
    b.lo.lo = (int4)(0, 1, 2, 3);
    b.s4567 = b.s0123 + 100;
    b.hi.even = (int4)(8, 10, 12, 14);
    b.hi.odd = (int4)(9, 11, 13, 15);
    b.sf += 100;
    vstore16(b, 0, out + 16);
}
kernel void compound(global int *out)
{
    int4 a = (int4)(1, 2, 3, 4);
    a.xz += (int2)(10, 20);
    vstore4(a, 0, out);
    a = (int4)(5);
    a.x++;
    out[4] = a.x;
    out[5] = a.y--;
    a.zw /= 2;
    vstore2(a.zw, 3, out);
    global int *p = out + 8;
    global int4 *q = (global int4 *)out;
    vstore3((int3)(3, 4, 5), 0, p);
    p[3] = 6;
    q[2].yz = q[2].zy;
}
kernel void three(global int *out)
{
    int3 a = (int3)(1, 2, 3);
    vstore3(a, 0, out);
    vstore3(a.zyx, 1, out);
    int3 array[2];
    array[0] = a;
    array[1] = (int3)(4, 5, 6);
    vstore3(array[0], 2, out);
    out[9] = sizeof(array) == 32 ? 0 : 1;
    vstore2(array[1].lo, 5, out);
}

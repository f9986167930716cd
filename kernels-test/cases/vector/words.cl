// Vectors of small elements in memory, side by side, apart and under conditions, give what their elements one by one give.
//@ options: -cl-std=CL3.0
//@ kernel: whole
//@ global: 75
//@ local: 75
//@ in: uchar = 0..255 3 7*40 0..255
//@ in: ushort = 65000..65535 0..300
//@ inout: uchar = 9*300 -> _*300
//@ inout: short = 9*300 -> _*300
//@ inout: ushort = 9*600 -> _*600
//@ inout: uchar = 9*1300 -> _*1300
//@ same-as: single
kernel void whole(global const uchar4 *a, global const ushort2 *b, global uchar4 *c, global short4 *d, global ushort8 *e,
                  global uchar16 *f)
{
    int i = get_global_id(0), j = i * 5 % 75;
    uchar4 v = a[j];
    ushort2 w = b[i * 3];
    c[i] = v.wzyx;
    if (v.x % 3)
        d[74 - i] = convert_short4(a[i]) - (short4)(200, 1, -1, 0);
    e[j] = (ushort8)(w, w.yx, convert_ushort4(v)) + (ushort)i;
    if (i % 2)
        vstore16((uchar16)(v, v.xxzz, v + a[i], a[75]), i, (global uchar *)f + 7);
}

void set4(global uchar *p, uchar x, uchar y, uchar z, uchar w)
{
    p[0] = x;
    p[1] = y;
    p[2] = z;
    p[3] = w;
}

kernel void single(global const uchar *a, global const ushort *b, global uchar *c, global short *d, global ushort *e,
                   global uchar *f)
{
    int i = get_global_id(0), j = i * 5 % 75;
    global const uchar *v = a + 4 * j;
    set4(c + 4 * i, v[3], v[2], v[1], v[0]);
    const short less[] = {200, 1, -1, 0};
    if (v[0] % 3)
        for (int k = 0; k < 4; k++) d[4 * (74 - i) + k] = a[4 * i + k] - less[k];
    for (int k = 0; k < 4; k++) {
        e[8 * j + k] = b[6 * i + (k == 1 || k == 2)] + i;
        e[8 * j + 4 + k] = v[k] + i;
    }
    if (i % 2) {
        global uchar *to = f + 7 + 16 * i;
        set4(to, v[0], v[1], v[2], v[3]);
        set4(to + 4, v[0], v[0], v[2], v[2]);
        set4(to + 8, v[0] + a[4 * i], v[1] + a[4 * i + 1], v[2] + a[4 * i + 2], v[3] + a[4 * i + 3]);
        set4(to + 12, a[300], a[301], a[302], a[303]);
    }
}

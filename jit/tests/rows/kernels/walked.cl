// local: 16 32
// groups: 2
// target: avx512 avx2 v128
// width: any 4 16
// T: uchar ushort uint
// n: 0 3 7
// BACK: p--,*p p-=1,*p
kernel void k(global const T *in, global uint *out, int n) {
    int x = get_global_id(0);
    T block[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    T *p = block;
    for (int left = n + (x & 7); left > 0; left--) *p++ = in[x + left];
    T *q = x & 1 ? p : block + n;
    uint sum = 0;
    while (q > block && q <= p) sum = sum * 31 + *--q;
    while (p != block) sum = sum * 33 + (BACK);
    out[x] = sum + block[x & 15];
}

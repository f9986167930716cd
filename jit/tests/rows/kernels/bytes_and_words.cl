// local: 16 32
// groups: 2
// target: avx512 avx2 v128 scalar
// width: any 4 16
// n: 0 5 9
// W: ushort uint ulong
// AT: 8 9 11
#define BYTE(p, n) ((W)(p)[n] << 8 * (n))
kernel void k(global const uchar *in, global ulong *out, int n) {
    int x = get_global_id(0);
    uchar block[64];
    for (int i = 0; i < 64; i++) block[i] = i;
    for (int i = 0; i < (x & 3) + n; i++) block[i + n] = in[i + x];
    *(W *)(block + AT + n - (n & 7)) += x;
    ulong sum = *(W *)(block + n);
    for (int i = 0; i < 3; i++) sum = sum * 31 + block[(x + i + n) & 63];
    out[x] = sum;
}

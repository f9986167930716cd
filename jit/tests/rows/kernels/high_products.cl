// local: 8 16
// groups: 2
// target: avx512 avx2 v128
// width: any 4 16
// A: int uint
// B: int uint
// L: long ulong
// C: b[x] 0xd2511f53u -7
kernel void k(global const A *a, global const B *b, global uint *out) {
    int x = get_global_id(0);
    L p = (L)a[x] * (L)(C);
    out[x] = (uint)(p >> 32) ^ (uint)p * 3;
}

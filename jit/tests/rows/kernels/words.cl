// target: v128 avx2 avx512
// local: 16 32
// groups: 2
// n: 0 7 45
// T: uchar ushort
// M: 15 7
kernel void k(global int *p, global const int *q, int n) {
    size_t i = get_global_id(0);
    uint w[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    ((T *)w)[n & M] = p[i];
    ((T *)w)[q[i + 1] & M] = i;
    p[i + 100] = w[(n >> 4) & 3] + w[q[i + 2] & 7];
}

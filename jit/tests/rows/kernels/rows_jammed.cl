// local: 16x2 16x4 8x4
// groups: 1 1x2
// target: avx512 avx2
// width: 16 8 any
// exact: yes
// disjoint: yes
// n: 0 1 5 16
// T: float int
kernel void k(global const T *a, global const T *b, global T *c, int n) {
    int x = get_global_id(0), y = get_global_id(1);
    T sum = 0;
    for (int j = 0; j < n; j++) sum += a[y * 64 + j] * b[j * 16 + x];
    c[y * 16 + x] = sum;
}

// local: 8 16
// groups: 1 2
// target: avx512 avx2
// width: 8 16
// exact: yes
// disjoint: yes
// n: 0 3 9 16
// T: int float
// S: 96 70
kernel void k(global const T *a, global T *out, int n) {
    int i = get_global_id(0);
    T sum = 0;
    for (int j = 0; j < n; j++) sum += a[i * S + j];
    out[i] = sum;
}

// target: avx512
// width: 8
// local: 8 1 1
// disjoint
// Each second element only.
kernel void k(global const int *a, global int *out, int n) {
    int i = get_global_id(0), sum = 0;
    for (int j = 0; j < n; j += 2) sum += a[i * 96 + j];
    out[i] = sum;
}
//= no change

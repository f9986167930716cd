// target: avx512
// width: 16
// local: 16 2 1
// disjoint
// How often a row goes round depends on the row: each has its own way.
kernel void k(global const float *a, global const float *b, global float *c, int n) {
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (int j = 0; j < (y & 1 ? n : 7); j++) sum = fma(a[y * 64 + j], b[j * 16 + x], sum);
    c[y * 16 + x] = sum;
}
//= no change

// target: avx512
// local: 16 1 1
// What has a sign is not extended by zeros.
kernel void k(global const char *x, global const int *at, global int *y) {
    size_t i = get_global_id(0);
    int p = at[i];
    y[i] = x[p] | x[p + 1] * 5 | x[p + 2] * 7;
}
//= no change

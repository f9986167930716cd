// target: avx512
// local: 16 1 1
// Whether some lane stores says nothing of whether some lane stores the next time.
kernel void k(global int *x, global const int *y) {
    size_t i = get_global_id(0);
    int n = y[i];
    if (n > 3) x[n] = y[n];
    if (n > 5) x[2 * n] = y[2 * n];
}
//= no change

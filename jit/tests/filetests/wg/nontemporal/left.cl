// target: scalar
// large
// `y` is read as well, so that its lines are in the cache, and `z` is written several times.
kernel void k(global float *y, global float *z, int n) {
    size_t i = get_global_id(0);
    y[i] = y[i] * 2;
    for (int j = 0; j < n; j++) z[i] = y[j];
}
//= no change

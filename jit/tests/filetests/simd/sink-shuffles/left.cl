// target: avx2
// local: 8 1 1
// Members of different places, and floats, of which what lies between may be slow to compute with.
kernel void k(global const uchar *x, global uchar *y, global const float *f, global float *g) {
    size_t i = get_global_id(0);
    y[i] = max(x[4 * i], x[4 * i + 1]);
    g[i] = f[2 * i] + f[2 * i + 64];
}
//= no change

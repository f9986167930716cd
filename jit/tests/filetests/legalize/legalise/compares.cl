// target: neon
// local: 4 1 1
// Comparisons with NaN are false on this machine; those that want them true are the contrary of others, and a selection
// by the contrary takes its operands the other way round. Of integers all but `!=` are there.
kernel void k(global float *x, global const float *y, global uint *n) {
    size_t i = get_local_id(0);
    float a = x[i], b = y[i];
    n[i] = n[i] <= 7u ? islessgreater(a, b) : isunordered(a, b);
    x[i] = !(a < b) ? a : 2 * b;
}

// width: 8
// local: 64 1 1
// How often the loops go round is known of each work-item only, or of 64 bits; sums that do not wrap are for
// `widen-induction`.
kernel void k(global const float *in, global float *out, global const int *counts, ulong n, int m) {
    float sum = 0;
    uint j = get_global_id(0);
    for (int i = counts[j]; i != 0; i--) {
        sum += in[j];
        j += m;
    }
    for (ulong i = 0; i != n; i++) {
        sum += in[j];
        j += m;
    }
    int l = get_global_id(0);
    for (int i = 0; i < m; i++) {
        sum += in[l];
        l += m;
    }
    out[get_global_id(0)] = sum;
}
//= no change

// width: 8
// local: 64 1 1
// One pointer into two arrays: which of them is accessed is not known.
kernel void k(global int *p, int n) {
    size_t i = get_global_id(0);
    uint v[4] = {1, 2, 3, 4}, w[4] = {5, 6, 7, 8};
    uchar *bytes = (uchar *)(n & 32 ? v : w);
    bytes[n & 15] = p[i];
    p[i] = v[(n >> 4) & 3] + w[(n >> 6) & 3];
}
//= no change

// options: -cl-std=CL3.0
// It may lead to private or to local memory.
kernel void k(global int *out, local int *tile, int n) {
    size_t i = get_global_id(0);
    int block[16];
    int *p = tile;
    if (n & 1) p = block;
    for (int j = n; j > 0; j--) *p++ = j;
    out[i] = block[n];
}
//= no change

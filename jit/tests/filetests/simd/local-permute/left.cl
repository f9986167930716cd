// target: avx2
// local: 64 1 1
// The lanes read at indices that come from memory: nothing is known of them before the loop.
kernel void k(global int *x, global const int *at) {
    local int part[64];
    int l = get_local_id(0);
    part[l] = x[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    x[l] = part[at[l]];
}
//= no change

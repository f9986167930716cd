// target: avx512
// local: 64 1 1
// There is no bound from which on the comparison holds.
kernel void k(global int *x, int s) {
    local int part[64];
    int l = get_local_id(0);
    part[l] = x[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    x[l] = l != s ? part[l - s] : 0;
}
//= no change

// local: 64
// groups: 2
// target: avx512
// width: any
// exact: yes
// s: 1 5 16 31
// T: int float
kernel void k(global T *x, int s) {
    local T part[64];
    int l = get_local_id(0), i = get_global_id(0);
    part[l] = x[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    x[i] = l >= s ? part[l - s] : 0;
}

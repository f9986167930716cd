// local: 64
// groups: 1 2
// target: avx2 avx512
// width: any
// exact: yes
// s: 1 2 7 32
// T: int float uint
kernel void k(global T *x, int s) {
    local T part[128];
    int l = get_local_id(0), i = get_global_id(0);
    part[l] = x[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    x[i] = part[l ^ s];
}

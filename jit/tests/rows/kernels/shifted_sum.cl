// local: 64
// groups: 2
// target: avx512
// width: any
// exact: yes
// s: 1 3 16 40
// T: uint float
kernel void k(global T *x, int s) {
    local T part[64];
    int l = get_local_id(0), i = get_global_id(0);
    part[l] = x[i] + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    T before = l >= s ? part[l - s] : 0;
    x[i] = before + part[l];
}

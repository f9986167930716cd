// local: 8 16
// groups: 2
// exact: yes
// T: int float uint
kernel void k(global T *x) {
    local T part[16];
    int l = get_local_id(0), n = get_local_size(0), i = get_global_id(0);
    part[l] = x[i];
    for (int d = n / 2; d > 0; d >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (!(l & d)) {
            T a = part[l], b = part[l | d];
            if (a > b) { part[l] = b; part[l | d] = a; }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    x[i] = part[l];
}

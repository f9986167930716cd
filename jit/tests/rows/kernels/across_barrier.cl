// local: 8 16 32
// groups: 2
// S: 1 3 5
// T: int float long short
kernel void k(global const T *in, global T *out, local T *part) {
    int l = get_local_id(0), n = get_local_size(0);
    T x = in[get_global_id(0)];
    part[l] = x * (T)S;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = n / 2; d > 0; d >>= 1) {
        if (l < d) part[l] += part[l + d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = x + part[0];
}

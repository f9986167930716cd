/* Prefix sums of each group's 256 elements: by hand, inclusive as Hillis and Steele do it, exclusive as Blelloch does
 * it; and by
   the built-in functions. */
#define GROUP 256

kernel void scan_hand(global const int *in, global int *out) {
    local int part[2][GROUP];
    int l = get_local_id(0), from = 0;
    size_t i = get_global_id(0);
    part[0][l] = in[i];
    for (int s = 1; s < GROUP; s <<= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        part[1 - from][l] = part[from][l] + (l >= s ? part[from][l - s] : 0);
        from = 1 - from;
    }
    out[i] = part[from][l];
}

kernel void scan_sweep(global const int *in, global int *out) {
    local int part[GROUP];
    int l = get_local_id(0);
    size_t i = get_global_id(0);
    part[l] = in[i];
    int reach = 1;
    for (int n = GROUP / 2; n > 0; n >>= 1, reach <<= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < n)
            part[reach * (2 * l + 2) - 1] += part[reach * (2 * l + 1) - 1];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0)
        part[GROUP - 1] = 0;
    for (int n = 1; n < GROUP; n <<= 1) {
        reach >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < n) {
            int a = reach * (2 * l + 1) - 1, b = reach * (2 * l + 2) - 1;
            int left = part[a];
            part[a] = part[b];
            part[b] += left;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = part[l];
}

#ifdef COLLECTIVE
kernel void scan_collective(global const int *in, global int *out) {
    size_t i = get_global_id(0);
    out[i] = work_group_scan_inclusive_add(in[i]);
}

kernel void scan_collective_exclusive(global const int *in, global int *out) {
    size_t i = get_global_id(0);
    out[i] = work_group_scan_exclusive_add(in[i]);
}
#endif

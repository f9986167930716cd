/* Inclusive prefix sums of each group's 256 elements: by hand (Hillis and Steele), and by the built-in function. */
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

#ifdef COLLECTIVE
kernel void scan_collective(global const int *in, global int *out) {
    size_t i = get_global_id(0);
    out[i] = work_group_scan_inclusive_add(in[i]);
}
#endif

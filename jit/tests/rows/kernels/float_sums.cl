// local: 32 16 7
// groups: 2
// BINS: 3 7 31
kernel void k(global const int *in, global int *out) {
    local int bins[32];
    size_t l = get_local_id(0), i = get_global_id(0);
    for (size_t b = l; b < 32; b += get_local_size(0)) bins[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    local int *bin = &bins[in[i] & BINS];
    int old = *bin, now;
    do {
        now = old;
        old = atomic_cmpxchg(bin, now, as_int(as_float(now) + (float)(in[i] & 255)));
    } while (old != now);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = bins[l & BINS];
}

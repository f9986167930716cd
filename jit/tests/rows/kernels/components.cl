// local: 32 16 7
// groups: 2
// A: x y z w
// B: x y z w
kernel void k(global const int *in, global int *out) {
    local int bins[32];
    size_t l = get_local_id(0), i = get_global_id(0);
    for (size_t b = l; b < 32; b += get_local_size(0)) bins[b] = in[b];
    barrier(CLK_LOCAL_MEM_FENCE);
    uchar4 last = as_uchar4(in[i]), next = as_uchar4(in[i] * 31);
    for (int n = 0; n < 5; n++) {
        uchar4 now = as_uchar4(rotate(as_uint(next), (uint)n * 8));
        if (now.A != last.A) {
            atomic_add(&bins[last.A & 31], n);
            last.A = now.A;
        }
        if (now.B > last.B) last.B = now.B;
        next = as_uchar4(in[(i + n) & 31]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = bins[l & 31] + as_int(last);
}

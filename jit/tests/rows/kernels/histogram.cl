// local: 32 64
// groups: 2
// BITS: 3 7 15
// T: int uint
kernel void k(global const T *in, global T *bins) {
    size_t i = get_global_id(0);
    atomic_inc(bins + (in[i] & BITS));
}

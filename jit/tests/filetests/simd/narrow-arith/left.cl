// width: 8
// local: 64 1 1
// High bits of the product become low ones.
kernel void k(global short *x) {
    size_t i = get_global_id(0);
    x[i] = (x[i] * x[i]) >> 3;
}
//= no change

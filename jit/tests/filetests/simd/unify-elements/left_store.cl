// width: 8
// local: 64 1 1
// What is stored may be part of two words.
kernel void k(global int *p, int n) {
    size_t i = get_global_id(0);
    uint w[4] = {1, 2, 3, 4};
    *(uint *)((uchar *)w + (n & 7)) = p[i];
    p[i] = w[(n >> 4) & 3];
}
//= no change

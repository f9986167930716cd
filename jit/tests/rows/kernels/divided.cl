// local: 8 16
// groups: 2
// T: int uint long uchar
// d: 1..9
kernel void k(global T *x, global const T *d, T n) {
    size_t i = get_global_id(0);
    T q = x[i] / d[i], r = x[i] % d[i];
    x[i] = q * 3 + r;
    x[i + 64] = x[i] / (n | 1) + x[i] % (n | 1);
}

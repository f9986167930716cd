// local: 16 32
// groups: 2
// x: 0..60
// LIMIT: 10 40
// T: int uint long
kernel void k(global T *x, global const T *y) {
    size_t i = get_global_id(0);
    T s = x[i];
    for (int j = 0; j < 9; j++) {
        if ((y[j] & 7) == (s & 7)) continue;
        s = s * 5 & 63;
        if (s > LIMIT) break;
        x[i + 64 * j + 64] = s;
    }
    x[i] = s;
}

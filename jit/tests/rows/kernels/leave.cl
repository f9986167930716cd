// local: 16 32
// groups: 2
// x: 0..12
// y: 1..9
// target: avx512 avx2 v128
kernel void k(global int *x, global const int *y, int m) {
    size_t i = get_global_id(0);
    int n = x[i], s = 0, turns = 0;
    while (n > s) s += y[s + n];
    do { turns += s & 3; s = s * 3 / 4; } while (s > 2);
    x[i] = s + turns * m;
}

// local: 16 20
// groups: 2
// target: avx512 avx2 v128
// width: any 4 16
// n: 0 1 9
// T: float int
// NEXT: k-1 k-2
kernel void k(global const T *in, global T *out, int n) {
    int x = get_global_id(0), w = get_global_size(0);
    for (int k = 2; k < n; k++) out[k * w + x] = in[k * w + x] - out[(k - 1) * w + x] * 2 + out[(NEXT) * w + x];
    // Along a row, which other work-items' rows follow.
    global T *r = out + (16 * w) + x * 12;
    for (int k = 1; k < n; k++) r[k] -= r[k - 1] * 3;
}

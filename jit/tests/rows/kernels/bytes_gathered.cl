// local: 16 32
// groups: 2
// target: avx512 avx2
// width: any 16
// at: 0..900
// T: uchar ushort
// A: 5 3
kernel void k(global const T *x, global const int *at, global uint *y) {
    size_t i = get_global_id(0);
    int p = at[i];
    y[i] = x[p] | x[p + 1] * A | x[p + 2] * 7;
}

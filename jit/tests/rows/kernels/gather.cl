// local: 16 32
// groups: 2
// at: 0..400
// T: float int long uchar short
// I: int uint long ulong
// S: 1 2 3
kernel void k(global const T *x, global const I *at, global T *y, global T *z) {
    size_t i = get_global_id(0);
    I p = at[i] * S;
    y[i] = x[p] + x[p + 1];
    if (x[i] > 3) z[i * S + 1] = x[p];
}

// local: 16 32
// groups: 2
// T: char uchar short int long
// U: float double int ulong
// C: 3 100
kernel void k(global const T *x, global U *y, global T *z) {
    size_t i = get_global_id(0);
    U u = (U)x[i] + y[i];
    y[i] = u;
    z[i] = add_sat(x[i], (T)C) + mul_hi(x[i], x[i + 1]) + rotate(x[i], (T)5) + (T)popcount(x[i]) - abs_diff(x[i], z[i]);
}

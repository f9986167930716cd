// local: 16 32
// groups: 2
// target: any avx2
// T: uchar ushort uint
// F: max min add_sat
// N: 3 4
kernel void k(global const T *x, global T *y, T n) {
    size_t i = get_global_id(0);
    T v[N];
    for (int c = 0; c < N; c++) v[c] = F(x[i * 4 + c], x[i * 4 + c + 256]);
    for (int c = 0; c < N; c++) y[i * 4 + c] = v[c] + n;
}

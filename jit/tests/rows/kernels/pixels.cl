// local: 16 32
// groups: 2
// T: uchar ushort int float
// N: 2 3 4
kernel void k(global const T *x, global T *y) {
    size_t i = get_global_id(0);
    T a = x[i * N], b = x[i * N + 1], c = x[i * N + N - 1];
    y[i * N] = c;
    y[i * N + 1] = a + b;
    y[i * N + N - 1] = a;
}

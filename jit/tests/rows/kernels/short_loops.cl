// local: 8 16
// groups: 2
// N: 3 4 8
// T: int float uchar
kernel void k(global const T *x, global const T *y, global T *z) {
    size_t i = get_global_id(0);
    T a[N];
    for (int j = 0; j < N; j++) a[j] = x[i + j * 40];
    for (int j = 0; j < N; j++)
        for (int l = 0; l < 2; l++) a[(j + l) % N] += y[j];
    for (int j = 0; j < N; j++) z[i * N + j] = a[N - 1 - j];
}

// local: 16 64
// groups: 2
// large: yes
// T: float int float4 uchar16
// S: 2 3
kernel void k(global const T *x, global T *y, global T *z, int n) {
    size_t i = get_global_id(0);
    y[i] = x[i] * (T)S;
    for (int j = 0; j < n; j++) z[i] = x[j];
}

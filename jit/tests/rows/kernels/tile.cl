// local: 16 32
// groups: 2
// target: any avx2
// at: -9..900
// T: uchar ushort
// N: 3 2
kernel void k(global const T *x, global const int *at, global T *y) {
    local T part[32 * 4];
    size_t i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
    int p = at[i];
    for (int c = 0; c < 4; c++) part[4 * l + c] = c;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int c = 0; c < N; c++) part[4 * l + c] = p < 0 ? 7 : x[max(p, 0) + c];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int c = 0; c < 4; c++) y[4 * i + c] = max(part[4 * l + c], part[4 * ((l + 1) % n) + c]);
}

#define TILE 16

kernel void gemm_naive(global const float *a, global const float *b, global float *c, int n) {
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

kernel void gemm_tiled(global const float *a, global const float *b, global float *c, int n) {
    local float ta[TILE][TILE], tb[TILE][TILE];
    int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    float sum = 0;
    for (int t = 0; t < n; t += TILE) {
        ta[ly][lx] = a[y * n + t + lx];
        tb[ly][lx] = b[(t + ly) * n + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++) sum += ta[ly][k] * tb[k][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * n + x] = sum;
}

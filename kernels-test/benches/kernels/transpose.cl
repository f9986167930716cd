#define TILE 16

kernel void transpose_naive(global const float *in, global float *out, int n) {
    int x = get_global_id(0), y = get_global_id(1);
    out[x * n + y] = in[y * n + x];
}

kernel void transpose_tiled(global const float *in, global float *out, int n) {
    local float tile[TILE][TILE + 1];
    int lx = get_local_id(0), ly = get_local_id(1);
    int x = get_group_id(0) * TILE, y = get_group_id(1) * TILE;
    tile[ly][lx] = in[(y + ly) * n + x + lx];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(x + ly) * n + y + lx] = tile[lx][ly];
}

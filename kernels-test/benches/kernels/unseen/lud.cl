/* The trailing blocks of an LU decomposition. */
#define BLOCK 16

kernel void lud(global float *m, int dim, int offset) {
    local float rows[BLOCK * BLOCK], cols[BLOCK * BLOCK];
    int bx = get_group_id(0), by = get_group_id(1);
    int tx = get_local_id(0), ty = get_local_id(1);
    int row = offset + (by + 1) * BLOCK;
    int col = offset + (bx + 1) * BLOCK;
    rows[ty * BLOCK + tx] = m[(offset + ty) * dim + col + tx];
    cols[ty * BLOCK + tx] = m[(row + ty) * dim + offset + tx];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0;
    for (int i = 0; i < BLOCK; i++) sum += cols[ty * BLOCK + i] * rows[i * BLOCK + tx];
    m[(row + ty) * dim + col + tx] -= sum;
}

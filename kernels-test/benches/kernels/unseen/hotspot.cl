/* Heat of a chip, several steps in a local tile whose border goes stale by one cell a step. */
#define BLOCK 16
#define WITHIN(x, low, high) ((x) >= (low) && (x) <= (high))

kernel void hotspot(global const float *power, global const float *in, global float *out, int cols, int rows, int steps,
                    float capacity, float rx, float ry, float rz, float step) {
    local float temp[BLOCK][BLOCK], heat[BLOCK][BLOCK], next[BLOCK][BLOCK];
    int tx = get_local_id(0), ty = get_local_id(1);
    float scale = step / capacity, rx_1 = 1 / rx, ry_1 = 1 / ry, rz_1 = 1 / rz;

    int inner = BLOCK - steps * 2;
    int block_y = inner * (int)get_group_id(1) - steps, block_x = inner * (int)get_group_id(0) - steps;
    int y = block_y + ty, x = block_x + tx;
    int index = cols * y + x;
    if (WITHIN(y, 0, rows - 1) && WITHIN(x, 0, cols - 1)) {
        temp[ty][tx] = in[index];
        heat[ty][tx] = power[index];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    int first_y = block_y < 0 ? -block_y : 0, first_x = block_x < 0 ? -block_x : 0;
    int last_y = block_y + BLOCK > rows ? rows - 1 - block_y : BLOCK - 1;
    int last_x = block_x + BLOCK > cols ? cols - 1 - block_x : BLOCK - 1;
    int north = max(ty - 1, first_y), south = min(ty + 1, last_y);
    int west = max(tx - 1, first_x), east = min(tx + 1, last_x);

    bool computed = false;
    for (int i = 0; i < steps; i++) {
        computed = false;
        if (WITHIN(tx, i + 1, BLOCK - i - 2) && WITHIN(ty, i + 1, BLOCK - i - 2) && WITHIN(tx, first_x, last_x)
            && WITHIN(ty, first_y, last_y)) {
            computed = true;
            float own = temp[ty][tx];
            next[ty][tx] = own + scale * (heat[ty][tx]
                + (temp[south][tx] + temp[north][tx] - 2.0f * own) * ry_1
                + (temp[ty][east] + temp[ty][west] - 2.0f * own) * rx_1
                + (80.0f - own) * rz_1);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i == steps - 1) break;
        if (computed) temp[ty][tx] = next[ty][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (computed) out[index] = next[ty][tx];
}

/* Cheapest ways down a grid, several rows in a launch; the ends of a block go stale by one column a row. */
#define WITHIN(x, low, high) ((x) >= (low) && (x) <= (high))
#define BLOCK 256

kernel void pathfinder(global const int *wall, global const int *src, global int *dst, int cols, int rows) {
    local int prev[BLOCK], result[BLOCK];
    int tx = get_local_id(0);
    int small = BLOCK - rows * 2;
    int first = small * (int)get_group_id(0) - rows;
    int x = first + tx;
    int valid_min = first < 0 ? -first : 0;
    int valid_max = first + BLOCK > cols ? cols - 1 - first : BLOCK - 1;
    int w = tx - 1, e = tx + 1;
    w = w < valid_min ? valid_min : w;
    e = e > valid_max ? valid_max : e;
    bool valid = WITHIN(tx, valid_min, valid_max);
    if (WITHIN(x, 0, cols - 1)) prev[tx] = src[x];
    barrier(CLK_LOCAL_MEM_FENCE);
    bool computed = false;
    for (int i = 0; i < rows; i++) {
        computed = false;
        if (WITHIN(tx, i + 1, BLOCK - i - 2) && valid) {
            computed = true;
            int shortest = min(min(prev[w], prev[tx]), prev[e]);
            result[tx] = shortest + wall[cols * i + x];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i == rows - 1) break;
        if (computed) prev[tx] = result[tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (computed) dst[x] = result[tx];
}

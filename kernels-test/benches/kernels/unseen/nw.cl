/* A diagonal of blocks of an alignment's table, for many alignments; inside a block, cell by cell along diagonals. */
#define BLOCK 16
#define SCORE(i, j) score[(j) + (i) * (BLOCK + 1)]
#define REF(i, j) ref[(j) + (i) * BLOCK]

int maximum(int a, int b, int c) {
    int k = a <= b ? b : a;
    return k <= c ? c : k;
}

kernel void nw(global const int *reference, global int *items, int cols, int penalty, int blocks) {
    local int score[(BLOCK + 1) * (BLOCK + 1)], ref[BLOCK * BLOCK];
    int bx = get_group_id(0);
    int tx = get_local_id(0);
    int block_y = blocks - 1 - bx;
    int base = get_group_id(1) * cols * cols + cols * BLOCK * block_y + BLOCK * bx;
    int index = base + tx + (cols + 1);
    int index_n = base + tx + 1;
    int index_w = base + cols;
    if (tx == 0) SCORE(tx, 0) = items[base];
    for (int ty = 0; ty < BLOCK; ty++) REF(ty, tx) = reference[index + cols * ty];
    barrier(CLK_LOCAL_MEM_FENCE);
    SCORE(tx + 1, 0) = items[index_w + cols * tx];
    barrier(CLK_LOCAL_MEM_FENCE);
    SCORE(0, tx + 1) = items[index_n];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int m = 0; m < BLOCK; m++) {
        if (tx <= m) {
            int x = tx + 1;
            int y = m - tx + 1;
            SCORE(y, x) = maximum(SCORE(y - 1, x - 1) + REF(y - 1, x - 1), SCORE(y, x - 1) - penalty,
                                  SCORE(y - 1, x) - penalty);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int m = BLOCK - 2; m >= 0; m--) {
        if (tx <= m) {
            int x = tx + BLOCK - m;
            int y = BLOCK - tx;
            SCORE(y, x) = maximum(SCORE(y - 1, x - 1) + REF(y - 1, x - 1), SCORE(y, x - 1) - penalty,
                                  SCORE(y - 1, x) - penalty);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int ty = 0; ty < BLOCK; ty++) items[index + cols * ty] = SCORE(ty + 1, tx + 1);
}

// Rows of work-items that take the same way: what they share may be computed once, what is their own may not.
// Each kernel counts work-items that found something else than they should.
//@ kernel: product
//@ global: 16 8
//@ local: 16 8
//@ value: int = 9
//@ in: int = 3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4 6 2 6 4 3 3 8 3 2 7
//@ inout: int = 0 0 -> 0 128
//@ kernel: product
//@ global: 20 12
//@ local: 10 6
//@ value: int = 5
//@ in: int = 3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4 6 2 6 4 3 3 8 3 2 7
//@ inout: int = 0 0 -> 0 240
//@ kernel: tiles
//@ global: 16 16
//@ local: 16 16
//@ inout: int = 0 0 -> 0 256
//@ kernel: planes
//@ global: 16 4 4
//@ local: 16 4 2
//@ in: int = 3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4 6 2 6 4 3 3 8 3 2 7
//@ inout: int = 0 0 -> 0 256
//@ kernel: turns
//@ global: 16 8
//@ local: 16 8
//@ in: int = 3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4 6 2 6 4 3 3 8 3 2 7
//@ inout: int = 0 0 -> 0 128
//@ kernel: own
//@ global: 16 8
//@ local: 16 8
//@ value: int = 6
//@ in: int = 3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4 6 2 6 4 3 3 8 3 2 7
//@ inout: int = 0 0 -> 0 128
//@ kernel: rounds
//@ global: 16 8
//@ local: 16 8
//@ value: int = 7
//@ inout: int = 0 0 -> 0 128
#define COUNT(ok)                            \
    do {                                     \
        if (!(ok)) atomic_inc(&out[0]);      \
        atomic_inc(&out[1]);                 \
    } while (0)

// The loop that rows share; what is behind the barrier does it again for one work-item at a time.
kernel void product(int n, global const int *in, global int *out)
{
    int x = get_local_id(0), y = get_local_id(1), sum = 0;
    for (int k = 0; k < n; k++) sum += in[y + k] * in[k + x];
    local int sums[16][16];
    sums[y][x] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    int again = 0;
    for (int k = 0; k < n; k++)
        if (in[y + k] != 0) again += in[y + k] * in[k + x];
    COUNT(sums[y][x] == again);
}

// Tiles in local memory, sums that live across barriers.
kernel void tiles(global int *out)
{
    local int a[16][16], b[16][16];
    int x = get_local_id(0), y = get_local_id(1), sum = 0;
    for (int t = 0; t < 48; t += 16) {
        a[y][x] = y * 7 + t + x;
        b[y][x] = (t + y) * 5 - x;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; k++) sum += a[y][k] * b[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    int again = 0;
    for (int k = 0; k < 48; k++) again += (y * 7 + k) * (k * 5 - x);
    COUNT(sum == again);
}

// Rows within planes, and a loop whose length depends on the plane only.
kernel void planes(global const int *in, global int *out)
{
    int x = get_local_id(0), y = get_local_id(1), z = get_local_id(2), sum = 0;
    for (int k = 0; k <= 3 * z; k++) sum = sum * 3 + in[x + k] - in[y + 4 * k];
    local int sums[2][4][16];
    sums[z][y][x] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    int again = 0;
    for (int k = 0; k <= 3 * z; k++)
        if (in[y + 4 * k] > 0) again = again * 3 + in[x + k] - in[y + 4 * k];
    COUNT(sums[z][y][x] == again);
}

// Rows that part: the length of the loop is the row's own.
kernel void turns(global const int *in, global int *out)
{
    int x = get_local_id(0), y = get_local_id(1), sum = 0;
    for (int k = 0; k < y; k++) sum += in[k] * in[k + x];
    local int sums[8][16];
    sums[y][x] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    int again = 0;
    for (int k = 0; k < 8; k++)
        if (k < y) again += in[k] * in[k + x];
    COUNT(sums[y][x] == again);
}

// Memory of the work-item's own, written and read again in each turn.
kernel void own(int n, global const int *in, global int *out)
{
    int x = get_local_id(0), y = get_local_id(1);
    local int sums[8][16];
    int last[4] = {0, 0, 0, 0};
    sums[y][x] = 0;
    for (int k = 0; k < n; k++) {
        last[k & 3] = sums[y][x] + in[y];
        sums[y][x] = last[k & 3] + in[k + x] + last[(k + 1) & 3];
    }
    int found = sums[y][x];
    barrier(CLK_LOCAL_MEM_FENCE);
    int again = 0, kept[4] = {0, 0, 0, 0};
    for (int k = 0; k < n; k++)
        if (in[y] != 0) {
            kept[k & 3] = again + in[y];
            again = kept[k & 3] + in[k + x] + kept[(k + 1) & 3];
        }
    COUNT(found == again);
}

#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable
// Each row's operations round as the program says.
kernel void rounds(int n, global int *out)
{
#pragma OPENCL SELECT_ROUNDING_MODE rtp
    int x = get_local_id(0), y = get_local_id(1);
    float sum = 0;
    for (int k = 1; k <= n; k++) sum += (float)(y + 1) / k + (float)(x + 1) / k;
    local float sums[8][16];
    sums[y][x] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    float again = 0;
    for (int k = 1; k <= n; k++)
        if (y + k > 0) again += (float)(y + 1) / k + (float)(x + 1) / k;
    COUNT(sums[y][x] == again);
}

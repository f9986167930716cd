// Indices held within bounds: rows that lie inside them, rows that reach over one end or both, and sums that wrap.
// Each kernel counts work-items that found something else than they should.
//@ kernel: blur
//@ global: 96 6
//@ local: 32 2
//@ value: int = 96
//@ value: int = 6
//@ inout: int = 0 0 -> 0 576
//@ kernel: blur
//@ global: 16 8
//@ local: 16 4
//@ value: int = 14
//@ value: int = 3
//@ inout: int = 0 0 -> 0 128
//@ kernel: unsigned_ends
//@ global: 96
//@ local: 32
//@ value: uint = 71
//@ inout: int = 0 0 -> 0 96
//@ kernel: wraps
//@ global: 64
//@ local: 32
//@ value: int = 2147483600
//@ inout: int = 0 0 -> 0 64
//@ kernel: strides
//@ global: 64
//@ local: 32
//@ value: int = 100
//@ inout: int = 0 0 -> 0 64
//@ kernel: empty
//@ global: 32
//@ local: 32
//@ value: int = 9
//@ value: int = 4
//@ inout: int = 0 0 -> 0 32
#define COUNT(ok)                            \
    do {                                     \
        if (!(ok)) atomic_inc(&out[0]);      \
        atomic_inc(&out[1]);                 \
    } while (0)

constant int table[128] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4, 3, 3, 8, 3, 2, 7, 9, 5,
                           0, 2, 8, 8, 4, 1, 9, 7, 1, 6, 9, 3, 9, 9, 3, 7, 5, 1, 0, 5, 8, 2, 0, 9, 7, 4, 9, 4, 4, 5, 9, 2,
                           3, 0, 7, 8, 1, 6, 4, 0, 6, 2, 8, 6, 2, 0, 8, 9, 9, 8, 6, 2, 8, 0, 3, 4, 8, 2, 5, 3, 4, 2, 1, 1,
                           7, 0, 6, 7, 9, 8, 2, 1, 4, 8, 0, 8, 6, 5, 1, 3, 2, 8, 2, 3, 0, 6, 6, 4, 7, 0, 9, 3, 8, 4, 4, 6};

int at(int i, int low, int high)
{
    // Not a clamp that a compiler would know.
    while (i < low) i++;
    while (i > high) i--;
    return table[i];
}

kernel void blur(int w, int h, global int *out)
{
    int x = get_global_id(0), y = get_global_id(1), sum = 0;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++)
            sum = sum * 3 + table[(clamp(y + dy, 0, h - 1) * 16 + clamp(x + dx, 0, w - 1)) & 127];
    local int sums[4][32];
    sums[get_local_id(1)][get_local_id(0)] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    int again = 0;
    for (int k = 0; k < 25; k++) {
        int r = y + k / 5 - 2, c = x + k % 5 - 2;
        r = r < 0 ? 0 : r;
        c = c < 0 ? 0 : c;
        again = again * 3 + table[((r >= h ? h - 1 : r) * 16 + (c >= w ? w - 1 : c)) & 127];
    }
    COUNT(sums[get_local_id(1)][get_local_id(0)] == again);
}

kernel void unsigned_ends(uint n, global int *out)
{
    uint x = get_global_id(0);
    int sum = table[min(x + 1, n - 1)] - table[max(x - 1, 3u) & 127] * 5 + table[min(x - 2, n)];
    local int sums[32];
    sums[get_local_id(0)] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    int l = x, before = l == 0 ? 127 : l - 1 < 3 ? 3 : l - 1;
    COUNT(sums[get_local_id(0)] == at(l + 1, 0, n - 1) - table[before] * 5 + (l < 2 ? table[n] : at(l - 2, 0, n)));
}

// Unsigned sums that pass the largest int within a row, and are compared as signed.
kernel void wraps(int base, global int *out)
{
    int x = get_global_id(0), i = (uint)base + (uint)x * 2u, found = table[clamp(i, -40, 40) + 40];
    local int sums[32];
    sums[get_local_id(0)] = found;
    barrier(CLK_LOCAL_MEM_FENCE);
    long whole = (long)base + 2 * x;
    COUNT(sums[get_local_id(0)] == table[whole > 0x7fffffff ? 0 : 80]);
}

kernel void strides(int n, global int *out)
{
    int x = get_global_id(0);
    int found = table[clamp(3 * x - 5, 0, n - 1)] * 7 + table[clamp(90 - x, 0, 80)] + table[max(2 * x, 8) & 127];
    local int sums[32];
    sums[get_local_id(0)] = found;
    barrier(CLK_LOCAL_MEM_FENCE);
    int two = 2 * x < 8 ? 8 : 2 * x;
    COUNT(sums[get_local_id(0)] == at(3 * x - 5, 0, n - 1) * 7 + at(90 - x, 0, 80) + table[two & 127]);
}

// Bounds that cross: the later one holds.
kernel void empty(int low, int high, global int *out)
{
    int x = get_global_id(0), found = table[min(max(x - 3, low), high)];
    local int sums[32];
    sums[get_local_id(0)] = found;
    barrier(CLK_LOCAL_MEM_FENCE);
    COUNT(sums[get_local_id(0)] == table[high]);
}

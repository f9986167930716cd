// Private arrays of kernels with barriers: filled and read between two, and kept across one; in loops, and in a conditional.
//@ kernel: between
//@ global: 40
//@ local: 20
//@ out: int = 5 0 27 26 27 30 35 0 33 38 45 54 65 0 39 50 63 78 95 0 129 0 17 36 57 80 159 0 23 48 75 104 189 0 29 60 173 186 -17 0
//@ kernel: across
//@ global: 40
//@ local: 20
//@ out: int = 38 38 38 38 38 38 38 38 38 38 38 38 38 38 38 38 38 38 38 38 80 84 88 92 96 100 104 108 112 116 120 124 128 132 136 140 144 148 152 156
//@ kernel: again
//@ global: 20
//@ local: 20
//@ out: int = 20 15 43 27 12 55 32 12 56 39 13 58 44 15 27 19 24 39 24 12
kernel void between(global int *out)
{
    local int all[20];
    int l = get_local_id(0), i = get_global_id(0), a[6];
    for (int k = 0; k < 6; ++k) a[(k + i) % 6] = k * i;
    all[l] = a[0] + a[l % 6];
    barrier(CLK_LOCAL_MEM_FENCE);
    int b[6];
    for (int k = 0; k < 6; ++k) b[(k + i) % 6] = all[(l + k) % 20];
    out[i] = b[1] - b[l % 6];
}
kernel void across(global int *out)
{
    int l = get_local_id(0), i = get_global_id(0), a[6];
    local int last;
    for (int k = 0; k < 6; ++k) a[(k + i) % 6] = k * i;
    if (l == 19) last = a[3];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = a[l % 6] + last;
}
// In each turn the array holds what it held in the one before.
kernel void again(global int *out)
{
    local int all[20];
    int l = get_local_id(0), a[4] = { l, 2, 3, 4 }, sum = 0;
    for (int turn = 0; turn < 3; ++turn) {
        int b[3];
        for (int k = 0; k < 3; ++k) b[(k + l) % 3] = turn + k;
        a[(turn + l) % 4] += b[l % 3];
        all[l] = a[turn];
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += all[(l + 7) % 20] * b[1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[l] = sum + a[l % 4];
}

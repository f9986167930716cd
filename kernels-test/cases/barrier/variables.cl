// Stores to one variable or argument in local memory leave the others alone, and are seen by those that read the same.
//@ kernel: variables
//@ global: 4 16
//@ local: 4 8
//@ out: int = 6376 -3632 -12290 10956 2119 -7029 12437 22999 -3748 3628 29900 17196 5739 691 2657 -5162 -6848 -7702 27779 2614 -24231 3970 -6985 22200 -9739 -6324 -9049 7151 -8153 -3928 30932 20548 -20753 -9363 -10485 4116 13048 5016 22925 1058 -16003 -1724 23789 -16311 14127 9660 3093 -8892 12511 22794 34161 -3532 15505 9822 -4795 2912 -647 2306 -20253 -7664 -7943 24518 28971 -18386
//@ in: int = -9 -31 0 33 -44 -41 18 -38 -4 24 -43 14 -23 -46 -39 5 3 -42 -20 -39 20 4 -43 22 -35 -22 30 30 24 -43 23 24 0 -44 -22 -45 21 -33 -13 3 -32 19 -35 23 -11 21 37 -27 -37 24 23 31 -26 -3 -38 20 41 -42 22 -43 29 -24 13 37 18 4 49 -10 9 24 8 -4 -12 -19 -27 39 49 -19 -40 23 -12 17 13 -7 43 7 -14 27 -41 -35 15 3 -29 46 -7 -31 12 3 -45 35 -41 47 21 23 -10 -7 38 -6 26 13 24 8 -42 -39 -16 10 39 35 -42 -43 43 39 -11 32 23 37 7 -14
//@ local-bytes: 128
//@ local-bytes: 4
kernel void variables(global int *out, global const int *in, local int *x, local int *sizes) {
    local int sums[8][4], last[32];
    int i = get_local_id(1), j = get_local_id(0), g = get_group_id(1), l = i * 4 + j;
    x[l] = in[g * 32 + l];
    if (l == 0) sizes[0] = 8 + g * 5;
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[i][j] = 0;
    last[l] = 0;
    for (int k = j; k < sizes[0]; k += 4) {
        sums[i][j] += in[(k * 3 + i) % 128] * x[k];
        last[l] = k + x[(k + i) % 32];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g * 32 + l] = sums[i][3 - j] * 10 + last[31 - l] + sizes[0];
}

// Kernels whose neighbours along y or z, not x, access memory side by side: the driver may loop over a group's work-items along
// that dimension. What `same-as` names does all in one work-item.
//@ kernel: product
//@ global: 20 24
//@ local: 4 8
//@ in: float = 0..479
//@ in: float = 5..484
//@ inout: float = 0*480 -> _*480
//@ value: int = 24
//@ same-as: product_by_one
//@ kernel: product
//@ global: 20 24
//@ local: 20 3
//@ in: float = 0..479
//@ in: float = 5..484
//@ inout: float = 0*480 -> _*480
//@ value: int = 24
//@ same-as: product_by_one
//@ kernel: product
//@ global: 20 24
//@ in: float = 0..479
//@ in: float = 5..484
//@ inout: float = 0*480 -> _*480
//@ value: int = 24
//@ same-as: product_by_one
//@ kernel: barriers
//@ global: 12 36
//@ local: 6 12
//@ inout: int = 0..431 -> _*432
//@ same-as: barriers_by_one
//@ kernel: deep
//@ global: 3 5 24
//@ local: 1 5 12
//@ inout: int = 0..359 -> _*360
//@ same-as: deep_by_one
//@ kernel: deep
//@ global: 3 5 24
//@ inout: int = 0..359 -> _*360
//@ same-as: deep_by_one
//@ kernel: ids
//@ global: 4 8
//@ local: 2 8
//@ offset: 2 1
//@ out: ulong = 0 2 4 6 8 10 12 14 1 3 5 7 9 11 13 15 256 258 260 262 264 266 268 270 257 259 261 263 265 267 269 271
kernel void product(global const float *a, global const float *b, global float *c, int n)
{
    int row = get_global_id(0), col = get_global_id(1);
    float sum = 0;
    for (int k = 0; k < 20; k++)
        sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}
kernel void product_by_one(global const float *a, global const float *b, global float *c, int n)
{
    if (get_global_id(0) != 0 || get_global_id(1) != 0)
        return;
    for (int row = 0; row < 20; row++)
        for (int col = 0; col < 24; col++) {
            float sum = 0;
            for (int k = 0; k < 20; k++)
                sum += a[row * n + k] * b[k * n + col];
            c[row * n + col] = sum;
        }
}

// Values and an array that live across a barrier, and work-items that part.
kernel void barriers(global int *a)
{
    local int tile[6][12];
    int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    int kept[3] = {a[x * 36 + y], x, y};
    tile[lx][ly] = kept[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (int i = 0; i <= ly; i++)
        sum += tile[lx][i] * (i + 1);
    if (x & 1)
        sum -= tile[5 - lx][ly];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[x * 36 + y] = sum + kept[x % 3] * 1000;
}
kernel void barriers_by_one(global int *a)
{
    if (get_global_id(0) != 0 || get_global_id(1) != 0)
        return;
    for (int gx = 0; gx < 12; gx += 6)
        for (int gy = 0; gy < 36; gy += 12) {
            int tile[6][12];
            for (int x = 0; x < 6; x++)
                for (int y = 0; y < 12; y++)
                    tile[x][y] = a[(gx + x) * 36 + gy + y];
            for (int lx = 0; lx < 6; lx++)
                for (int ly = 0; ly < 12; ly++) {
                    int x = gx + lx, y = gy + ly, sum = 0;
                    int kept[3] = {tile[lx][ly], x, y};
                    for (int i = 0; i <= ly; i++)
                        sum += tile[lx][i] * (i + 1);
                    if (x & 1)
                        sum -= tile[5 - lx][ly];
                    a[x * 36 + y] = sum + kept[x % 3] * 1000;
                }
        }
}

kernel void deep(global int *a)
{
    int at = (get_global_id(0) * 5 + get_global_id(1)) * 24 + get_global_id(2);
    a[at] = a[at] * 3 + get_global_id(2);
}
kernel void deep_by_one(global int *a)
{
    if (get_global_id(0) != 0 || get_global_id(1) != 0 || get_global_id(2) != 0)
        return;
    for (int at = 0; at < 360; at++)
        a[at] = a[at] * 3 + at % 24;
}

kernel void ids(global ulong *out)
{
    size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
    size_t linear = get_local_id(1) * get_local_size(0) + get_local_id(0);
    out[x * 8 + y] = (get_group_id(1) * get_num_groups(0) + get_group_id(0)) * 256 + linear;
}

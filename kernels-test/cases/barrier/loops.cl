// Barriers in loops, conditionals, callees, after an early return of whole groups, in several dimensions.
//@ kernel: reduce
//@ global: 16
//@ local: 8
//@ in: int = 0..15
//@ local-bytes: 32
//@ out: int = 28 92
//@ kernel: scan
//@ global: 8
//@ local: 8
//@ in: int = 1..8
//@ out: int = 1 3 6 10 15 21 28 36
//@ kernel: in_conditional
//@ global: 8
//@ local: 4
//@ out: int = 3 2 1 0 4 5 6 7
//@ kernel: early_return
//@ global: 12
//@ local: 4
//@ value: int = 8
//@ out: int = 3 2 1 0 7 6 5 4 0xa5a5a5a5*4
//@ kernel: callee
//@ global: 4
//@ local: 4
//@ out: int = 10 10 10 10
//@ kernel: uniform_trip
//@ global: 4
//@ local: 2
//@ in: int = 3 3 0 0
//@ out: int = 6 6 0 0
//@ kernel: transpose
//@ global: 4 4
//@ local: 2 2
//@ in: int = 0..15
//@ out: int = 0 4 8 12 1 5 9 13 2 6 10 14 3 7 11 15
//@ kernel: many_live
//@ global: 3
//@ local: 3
//@ out: long = 10321 14528 18735
kernel void reduce(global const int *in, local int *scratch, global int *out)
{
    int l = get_local_id(0);
    scratch[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
        if (l < s) scratch[l] += scratch[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) out[get_group_id(0)] = scratch[0];
}
kernel void scan(global const int *in, global int *out)
{
    local int a[8];
    int l = get_local_id(0), mine = in[l];
    a[l] = mine;
    for (int d = 1; d < 8; d *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int add = l >= d ? a[l - d] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        a[l] += add;
        if (d == 16) break;
    }
    out[l] = a[l];
}
kernel void in_conditional(global int *out)
{
    local int a[4];
    int l = get_local_id(0), g = get_global_id(0), mine;
    if (get_group_id(0) == 0) {
        a[l] = g;
        barrier(CLK_LOCAL_MEM_FENCE);
        mine = a[3 - l];
    } else {
        a[3 - l] = g;
        barrier(CLK_LOCAL_MEM_FENCE);
        mine = a[3 - l];
    }
    out[g] = mine;
}
kernel void early_return(int n, global int *out)
{
    local int a[4];
    int l = get_local_id(0), g = get_global_id(0);
    if (g >= n) return;
    a[l] = g;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = a[3 - l];
}
int sum_of_group(local int *a, int mine)
{
    a[get_local_id(0)] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (uint i = 0; i < get_local_size(0); ++i) sum += a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum;
}
kernel void callee(global int *out)
{
    local int a[4];
    int l = get_local_id(0);
    int first = sum_of_group(a, l);
    int second = sum_of_group(a, 1);
    out[l] = first + second;
}
kernel void uniform_trip(global const int *trips, global int *out)
{
    local int a[2];
    int l = get_local_id(0), g = get_global_id(0), total = 0;
    a[l] = 1;
    for (int i = 0; i < trips[g]; ++i) {
        barrier(CLK_LOCAL_MEM_FENCE);
        total += a[1 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
        a[l] += 1;
    }
    out[g] = total;
}
kernel void transpose(global const int *in, global int *out)
{
    local int tile[2][2];
    int x = get_local_id(0), y = get_local_id(1);
    tile[y][x] = in[get_global_id(1) * 4 + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(get_group_id(0) * 2 + y) * 4 + get_group_id(1) * 2 + x] = tile[x][y];
}
kernel void many_live(global long *out)
{
    int l = get_local_id(0), kept[4];
    for (int i = 0; i < 4; ++i) kept[i] = i + l;
    long4 v = (long4)(1, 20, 300, 4000) + l;
    double d = 1000.0 * (l + 6);
    local int shared[3];
    shared[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    int k = shared[(l + 1) % 3];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = v.x + v.y + v.z + v.w + (long)d + (kept[k % 4] - k) * 3203 + 0 * kept[1];
}

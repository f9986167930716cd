// A barrier whose control flow depends on the work-item in form only: every work-item meets it.
//@ kernel: goto_loop
//@ global: 4
//@ local: 4
//@ out: int = 6 6 6 6
//@ kernel: switch_case
//@ global: 8
//@ local: 4
//@ out: int = 1 2 3 0 7 4 5 6
//@ kernel: nested_loops
//@ global: 4
//@ local: 4
//@ out: int = 28 32 36 40
//@ kernel: last_item_stays
//@ global: 6
//@ local: 3
//@ in: int = 1 1 1 2 2 2
//@ out: int = 3 3 3 12 12 12
//@ kernel: vector_across
//@ global: 2
//@ local: 2
//@ out: float = 4 5 7 3 4 6
kernel void goto_loop(global int *out)
{
    local int a[4];
    int l = get_local_id(0), n = 0, sum = 0;
again:
    a[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += a[n];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (++n < 4) goto again;
    out[l] = sum;
}
kernel void switch_case(global int *out)
{
    local int a[4];
    int l = get_local_id(0), g = get_global_id(0), n = 0;
    a[l] = g;
    switch (get_group_id(0)) {
    case 0:
        barrier(CLK_LOCAL_MEM_FENCE);
        n = a[(l + 1) % 4];
        break;
    case 1:
        barrier(CLK_LOCAL_MEM_FENCE);
        n = a[(l + 3) % 4];
    default:
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[g] = n;
}
kernel void nested_loops(global int *out)
{
    local int a[4];
    int l = get_local_id(0), sum = 0;
    for (int i = 0; i < 3; ++i) {
        a[l] = l + i;
        int own = i * l;
        for (int j = 0; j < 4; ++j) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (j == 3 && i == 1) break;
            if (j == i) continue;
            sum += a[j];
            own += 1;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += own;
        sum += i == 2 ? l : 0;
    }
    out[l] = sum;
}
kernel void last_item_stays(global const int *in, global int *out)
{
    local int total;
    int l = get_local_id(0), g = get_global_id(0);
    if (l == 0) total = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < in[g]; ++i) {
        atomic_add(&total, in[g]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[g] = total;
}
kernel void vector_across(global float *out)
{
    local float3 a[2];
    int l = get_local_id(0);
    float3 mine = (float3)(1, 2, 3) + (float3)(l, 0, 0);
    a[l] = mine + l;
    barrier(CLK_LOCAL_MEM_FENCE);
    float3 other = a[1 - l];
    vstore3(mine + other, l, out);
}

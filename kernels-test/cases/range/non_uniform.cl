// Groups at the end of a range that the group size does not divide are smaller.
//@ options: -cl-std=CL3.0
//@ kernel: one_d
//@ global: 7
//@ local: 3
//@ out: int = 330 330 330 331 331 331 132
//@ kernel: two_d
//@ global: 3 5
//@ local: 2 2
//@ offset: 1 2
//@ out: int = 22 22 12 22 22 12 22 22 12 22 22 12 21 21 11
//@ kernel: with_barrier
//@ global: 5
//@ local: 4
//@ out: int = 3 2 1 0 4
kernel void one_d(global int *out)
{
    int n = get_local_size(0), e = get_enqueued_local_size(0), w = get_group_id(0);
    out[get_global_id(0)] = n * 100 + e * 10 + w;
    if (get_num_groups(0) != 3) out[0] = -1;
}
kernel void two_d(global int *out)
{
    size_t at = get_global_linear_id();
    out[at] = get_local_size(0) * 10 + get_local_size(1);
    if (get_local_linear_id() != get_local_id(1) * get_local_size(0) + get_local_id(0)) out[at] = -1;
}
kernel void with_barrier(global int *out)
{
    local int a[4];
    int l = get_local_id(0), n = get_local_size(0);
    a[l] = get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = a[n - 1 - l];
}

// Groups of two and three dimensions, trailing groups included: work-items follow one another x first, then y, then z.
//@ options: -cl-std=CL3.0
//@ kernel: ranks
//@ global: 5 3
//@ local: 3 2
//@ out: int = 0 1 2 0 1  3 4 5 2 3  0 1 2 0 1
//@ out: int = 6 6 6 4 4  6 6 6 4 4  3 3 3 2 2
//@ kernel: ranks
//@ global: 3 2 3
//@ local: 2 2 2
//@ out: int = 0 1 0 2 3 1  4 5 2 6 7 3  0 1 0 2 3 1
//@ out: int = 8 8 4 8 8 4  8 8 4 8 8 4  4 4 2 4 4 2
//@ kernel: corners
//@ global: 4 2 2
//@ local: 2 2 2
//@ out: int = 1 1 3 3 1 1 3 3  1 1 3 3 1 1 3 3
//@ out: int = 5 5 7 7 5 5 7 7  5 5 7 7 5 5 7 7
//@ out: int = 13 13 15 15 13 13 15 15  13 13 15 15 13 13 15 15
kernel void ranks(global int *rank, global int *size)
{
    size_t i = get_global_linear_id();
    rank[i] = work_group_scan_exclusive_add(1);
    size[i] = work_group_reduce_add(1);
}
kernel void corners(global int *a, global int *b, global int *c)
{
    size_t i = get_global_linear_id();
    int v = i;
    a[i] = work_group_broadcast(v, 1);
    b[i] = work_group_broadcast(v, 1, 1);
    c[i] = work_group_broadcast(v, 1, 1, 1);
}

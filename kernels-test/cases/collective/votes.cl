// Votes and logical operations: any non-zero int is true. The last group is smaller than the others.
//@ options: -cl-std=CL3.0
//@ kernel: votes
//@ global: 14
//@ local: 4
//@ in: int = 1 -5 65536 2   0 0 7 0   0 0 0 0   3 4
//@ out: int = 1*4 0*4 0*4 1*2
//@ out: int = 1*4 1*4 0*4 1*2
//@ out: int = 1*4 0*4 0*4 1*2
//@ out: int = 1*4 1*4 0*4 1*2
//@ out: int = 0*4 1*4 0*4 0*2
//@ kernel: prefixes
//@ global: 14
//@ local: 4
//@ in: int = 1 -5 65536 2   0 0 7 0   0 0 0 0   3 4
//@ out: int = 1 1 1 1  0 0 0 0  0 0 0 0  1 1
//@ out: int = 1 1 1 1  0 0 1 1  0 0 0 0  1 1
//@ out: int = 1 0 1 0  0 0 1 1  0 0 0 0  1 0
//@ out: int = 1 1 1 1  1 0 0 0  1 0 0 0  1 1
//@ out: int = 0 1 1 1  0 0 0 1  0 0 0 0  0 1
//@ out: int = 0 1 0 1  0 0 0 1  0 0 0 0  0 1
kernel void votes(global const int *in, global int *all, global int *any, global int *and, global int *or, global int *xor)
{
    size_t i = get_global_id(0);
    int v = in[i];
    all[i] = work_group_all(v) != 0;
    any[i] = work_group_any(v) != 0;
    and[i] = work_group_reduce_logical_and(v) != 0;
    or[i] = work_group_reduce_logical_or(v) != 0;
    xor[i] = work_group_reduce_logical_xor(v) != 0;
}
kernel void prefixes(global const int *in, global int *a, global int *b, global int *c, global int *d, global int *e, global int *f)
{
    size_t i = get_global_id(0);
    int v = in[i];
    a[i] = work_group_scan_inclusive_logical_and(v) != 0;
    b[i] = work_group_scan_inclusive_logical_or(v) != 0;
    c[i] = work_group_scan_inclusive_logical_xor(v) != 0;
    d[i] = work_group_scan_exclusive_logical_and(v) != 0;
    e[i] = work_group_scan_exclusive_logical_or(v) != 0;
    f[i] = work_group_scan_exclusive_logical_xor(v) != 0;
}

// The specification's own example, "Work-group Collective Functions", in two groups at once.
//@ options: -cl-std=CL3.0
//@ kernel: scans
//@ global: 16
//@ local: 8
//@ in: int = 3 1 7 0 4 1 6 3 6 2 14 0 8 2 12 6
//@ out: int = 3 4 11 11 15 16 22 25 6 8 22 22 30 32 44 50
//@ out: int = 0 3 4 11 11 15 16 22 0 6 8 22 22 30 32 44
//@ out: int = 25 50
#ifndef __opencl_c_work_group_collective_functions
#error "the feature macro is missing"
#endif
kernel void scans(global const int *p, global int *inclusive, global int *exclusive, global int *sum)
{
    size_t i = get_global_id(0);
    inclusive[i] = work_group_scan_inclusive_add(p[i]);
    exclusive[i] = work_group_scan_exclusive_add(p[i]);
    sum[get_group_id(0)] = work_group_reduce_add(p[i]);
}

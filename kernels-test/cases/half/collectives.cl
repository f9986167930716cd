// Work-group functions of half.
//@ options: -cl-std=CL3.0
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
//@ kernel: sums
//@ global: 8
//@ local: 8
//@ in: half = 3 1 7 0 4 1 6 3
//@ out: half = 25 25 25 25 25 25 25 25 3 4 11 11 15 16 22 25 -inf 3 3 7 7 7 7 7 7 7 7 7 7 7 7 7
kernel void sums(global const half *a, global half *o)
{
    size_t i = get_local_id(0);
    o[i] = work_group_reduce_add(a[i]);
    o[8 + i] = work_group_scan_inclusive_add(a[i]);
    o[16 + i] = work_group_scan_exclusive_max(a[i]);
    o[24 + i] = work_group_broadcast(a[i], 2);
}

// local: 64 1 1
// options: -cl-std=CL3.0
kernel void left(global float *a)
{
    size_t i = get_global_id(0);
    a[i] = sub_group_reduce_max(a[i]);
}
//= no change

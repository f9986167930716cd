// local: 64 1 1
// options: -cl-std=CL3.0
// In a loop over work-items.
kernel void left(global int *a)
{
    size_t i = get_global_id(0);
    a[i] = sub_group_reduce_add(a[i]);
}
//= no change

// local: 64 1 1
// options: -cl-std=CL3.0
// One entry.
kernel __attribute__((intel_reqd_sub_group_size(16))) void left(global int *a)
{
    size_t i = get_global_id(0);
    int v = a[i];
    while (v > sub_group_any(v > 9)) v -= 3;
    a[i] = v;
}
//= no change

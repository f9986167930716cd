// target: neon
// local: 64 1 1
// options: -cl-std=CL3.0
kernel __attribute__((intel_reqd_sub_group_size(8))) void exchange(global int *a)
{
    size_t i = get_global_id(0);
    a[i] = sub_group_shuffle(a[i], a[i]) + sub_group_shuffle_xor(a[i], 5);
}

// Three dimensions with offsets, and work-item functions asked for dimensions that do not exist.
//@ kernel: ids
//@ global: 2 3 2
//@ local: 1 3 2
//@ offset: 10 20 30
//@ out: int = 302010 302011 302110 302111 302210 302211 312010 312011 312110 312111 312210 312211
//@ kernel: sizes
//@ global: 4 2
//@ local: 2 1
//@ offset: 1 0
//@ out: int = 2 4 2 1 2 1 1 2 2 1 1 0 0 8
//@ kernel: outside
//@ global: 2
//@ local: 1
//@ in: uint = 3 4294967295 1
//@ out: long = 1 1 1 1 0 0 0 0 1 1 1 1 0 0 0 0 1 1 1 1 0 0 0 0
//@ kernel: linear
//@ global: 2 2 2
//@ local: 2 1 2
//@ out: int = 0 1 1001 1000 1002 1003 3 1003
kernel void ids(global int *out)
{
    size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    out[(z - 30) * 6 + (y - 20) * 2 + (x - 10)] = z * 10000 + y * 100 + x;
}
kernel void sizes(global int *out)
{
    if (get_global_id(0) != 4 || get_global_id(1) != 1) return;
    out[0] = get_work_dim();
    out[1] = get_global_size(0);
    out[2] = get_global_size(1);
    out[3] = get_global_size(2);
    out[4] = get_local_size(0);
    out[5] = get_local_size(1);
    out[6] = get_local_size(2);
    out[7] = get_num_groups(0);
    out[8] = get_num_groups(1);
    out[9] = get_num_groups(2);
    out[10] = get_global_offset(0);
    out[11] = get_global_offset(1);
    out[12] = get_global_offset(2);
    out[13] = get_global_size(0) * get_global_size(1);
}
kernel void outside(global const uint *dims, global long *out)
{
    for (int i = 0; i < 3; ++i) {
        uint d = dims[i];
        out[8 * i + 0] = get_global_size(d);
        out[8 * i + 1] = get_local_size(d);
        out[8 * i + 2] = get_num_groups(d);
        out[8 * i + 3] = get_work_dim();
        out[8 * i + 4] = get_global_id(d);
        out[8 * i + 5] = get_local_id(d);
        out[8 * i + 6] = get_group_id(d);
        out[8 * i + 7] = get_global_offset(d);
    }
}
kernel void linear(global int *out)
{
    int l = get_local_id(0) + 2 * get_local_id(2), g = get_global_id(0) + 2 * get_global_id(1) + 4 * get_global_id(2);
    out[g] = l + 1000 * (get_group_id(1) + 0);
    if (g == 6) out[g] = 3;
    if (g == 3) out[g] = 1000;
    if (g == 2) out[g] = 1001;
    if (g == 4) out[g] = 1002;
    if (g == 5) out[g] = 1003;
}

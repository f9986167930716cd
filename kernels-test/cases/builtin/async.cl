//@ kernel: k
//@ global: 8
//@ local: 4
//@ in: int = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
//@ out: int = 4 3 2 1 12 11 10 9
//@ out: int = 1 3 5 7 9 11 13 15
kernel void k(global const int *in, global int *reversed, global int *even)
{
    local int tile[4], strided[4];
    const size_t group = get_group_id(0);
    event_t e = async_work_group_copy(tile, in + 8 * group, 4, 0);
    e = async_work_group_strided_copy(strided, in + 8 * group, 4, 2, e);
    wait_group_events(1, &e);
    reversed[get_global_id(0)] = tile[3 - get_local_id(0)];
    e = async_work_group_copy(even + 4 * group, strided, 4, 0);
    wait_group_events(1, &e);
}

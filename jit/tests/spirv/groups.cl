// Collectives of work-groups, copies between memories, prefetches.
kernel void groups(global int *out, global const float *in, local float *tile) {
    local int shared[64];
    int i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
    event_t e = async_work_group_copy(tile, in + get_group_id(0) * n, n, 0);
    prefetch(in + i, 16);
    wait_group_events(1, &e);
    float sum = work_group_reduce_add(tile[l]);
    int first = work_group_scan_exclusive_min(l ^ 5), last = work_group_scan_inclusive_max(i);
    shared[l & 63] = work_group_broadcast(first, 0);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    int any = work_group_any(l > 3), all = work_group_all(sum > 0);
    out[i] = (int)sum + last + any + 2 * all + shared[(l + 1) & 63];
}

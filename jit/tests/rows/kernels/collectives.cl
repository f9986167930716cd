// local: 8 16 32
// groups: 2
// T: int uint long float
// OP: work_group_reduce_add work_group_scan_inclusive_max work_group_scan_exclusive_add work_group_reduce_min
kernel void k(global const T *in, global T *out) {
    size_t i = get_global_id(0);
    T x = in[i];
    out[i] = OP(x) + x;
    if (work_group_any(x > 40)) out[i + 200] = work_group_broadcast(x, 1);
}

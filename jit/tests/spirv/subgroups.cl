// Sub-groups: queries, collectives, shuffles, ballots, rotations.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
kernel __attribute__((intel_reqd_sub_group_size(8))) void subgroups(global int *out, global const float *in) {
    int i = get_global_id(0);
    uint l = get_sub_group_local_id();
    int x = sub_group_reduce_add(i) + sub_group_scan_inclusive_max((int)l);
    float y = sub_group_broadcast(in[i], 0) + sub_group_scan_exclusive_min(in[i]);
    if (sub_group_any(l == 1)) x += sub_group_non_uniform_reduce_mul(i | 1);
    x += sub_group_shuffle_xor(x, 1) + sub_group_shuffle_up(x, 1u) + sub_group_clustered_reduce_add(x, 4u);
    uint4 mask = sub_group_ballot(x & 1);
    x += sub_group_ballot_bit_count(mask) + sub_group_inverse_ballot(mask) + sub_group_elect();
    out[i] = x + (int)y + sub_group_all(x > 0) + get_sub_group_id() + get_num_sub_groups() + get_sub_group_size();
}

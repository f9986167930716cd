/* What sub-groups are used for: reductions and scans of a work-group, rows of a matrix, compaction, exchange. Sizes of
   sub-groups are the device's own. */
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_ballot : enable
#define GROUP 256

/* As `reduce` in reduce.cl: the sum of each group's elements. */
kernel void sub_group_sum(global const float *in, global float *sums) {
    local float part[GROUP];
    float sum = sub_group_reduce_add(in[get_global_id(0)]);
    if (get_sub_group_local_id() == 0) part[get_sub_group_id()] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_sub_group_id() == 0) {
        sum = 0;
        for (uint k = get_sub_group_local_id(); k < get_num_sub_groups(); k += get_sub_group_size()) sum += part[k];
        sum = sub_group_reduce_add(sum);
        if (get_sub_group_local_id() == 0) sums[get_group_id(0)] = sum;
    }
}

/* The same by exchange. */
kernel void sub_group_butterfly(global const float *in, global float *sums) {
    local float part[GROUP];
    float sum = in[get_global_id(0)];
    for (uint mask = get_max_sub_group_size() / 2; mask > 0; mask >>= 1) sum += sub_group_shuffle_xor(sum, mask);
    if (get_sub_group_local_id() == 0) part[get_sub_group_id()] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        float all = 0;
        for (uint k = 0; k < get_num_sub_groups(); k++) all += part[k];
        sums[get_group_id(0)] = all;
    }
}

/* As `scan_hand` in scan.cl. */
kernel void sub_group_scan(global const int *in, global int *out) {
    local int part[GROUP];
    size_t i = get_global_id(0);
    int sum = sub_group_scan_inclusive_add(in[i]);
    if (get_sub_group_local_id() == get_sub_group_size() - 1) part[get_sub_group_id()] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < get_sub_group_id(); k++) sum += part[k];
    out[i] = sum;
}

/* A row of 1024 to each sub-group: its dot product with a vector. */
kernel void sub_group_rows(global const float *matrix, global const float *vector, global float *out) {
    size_t row = get_group_id(0) * get_num_sub_groups() + get_sub_group_id();
    for (; row < 4096; row += get_num_groups(0) * get_num_sub_groups()) {
        float sum = 0;
        for (uint k = get_sub_group_local_id(); k < 1024; k += get_sub_group_size())
            sum += matrix[row * 1024 + k] * vector[k];
        sum = sub_group_reduce_add(sum);
        if (get_sub_group_local_id() == 0) out[row] = sum;
    }
}

/* How many elements of each group are odd, and where the odd ones before each element end. */
kernel void sub_group_odd(global const int *in, global int *out) {
    local int part[GROUP];
    size_t i = get_global_id(0);
    uint4 odd = sub_group_ballot(in[i] & 1);
    int before = sub_group_ballot_exclusive_scan(odd);
    if (get_sub_group_local_id() == 0) part[get_sub_group_id()] = sub_group_ballot_bit_count(odd);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < get_sub_group_id(); k++) before += part[k];
    out[i] = before;
}

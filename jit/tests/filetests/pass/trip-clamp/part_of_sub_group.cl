// target: avx2
// options: -cl-std=CL3.0
// local: 64 1 1
// Five work-items are no whole sub-group: the vector stays full and has a mask.
kernel void k(global const float *x, global float *sums) {
    local float part[64];
    part[get_local_id(0)] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < 5) {
        float sum = sub_group_reduce_add(part[get_sub_group_local_id() * 8]);
        if (get_sub_group_local_id() == 0) sums[get_group_id(0)] = sum;
    }
}
//= no change

// Kernels whose work-items do not all reach what all of a sub-group, or of a group, have to, or that pass different
// arguments there, and near misses. `//=` and marks are as in `barriers.cl`.

//= --global 40 --local 20 --options=-cl-std=CL3.0 print:i32:40
kernel void branch(global int *a) {
    int l = get_global_id(0), s = 0;
    if (l % 3)
        s = sub_group_reduce_add(l); // barrier: work-items of the sub-group reach this sub-group function
    a[l] = s;
}

//= --global 40 --local 20 --options=-cl-std=CL3.0 print:i32:40
kernel void branch_of_whole_sub_groups(global int *a) {
    int l = get_global_id(0), s = 0;
    if (get_sub_group_id() % 2)
        s = sub_group_reduce_add(l);
    a[l] = s + sub_group_scan_inclusive_add(1);
}

//= --global 40 --local 40 --options=-cl-std=CL3.0 print:i32:40 i32:30
kernel void returns(global int *a, int n) {
    int l = get_global_id(0);
    if (l >= n)
        return;
    a[l] = sub_group_scan_exclusive_max(l); // barrier: of the sub-group
}

//= --global 40 --local 40 --options=-cl-std=CL3.0 print:i32:40 i32:40
kernel void returns_behind_the_end(global int *a, int n) {
    int l = get_global_id(0);
    if (l >= n)
        return;
    a[l] = sub_group_scan_exclusive_max(l);
}

//= --global 32 --local 32 --options=-cl-std=CL3.0 print:i32:32
kernel void trip_counts(global int *a) {
    int l = get_global_id(0), s = 0;
    for (int i = 0; i < l % 8; i++)
        s += sub_group_any(i == 3); // barrier: of the sub-group
    a[l] = s;
}

//= --global 32 --local 32 --options=-cl-std=CL3.0 print:i32:32 i32:5
kernel void one_trip_count(global int *a, int n) {
    int l = get_global_id(0), s = 0;
    for (int i = 0; i < n; i++)
        s += sub_group_any(i == 3);
    a[l] = s;
}

//= --global 32 --local 32 --options=-cl-std=CL3.0 print:i32:32
kernel void leaves_a_loop(global int *a) {
    int l = get_global_id(0), s = 0;
    for (int i = 0; i < 9; i++) {
        if (i == l % 4)
            break;
        sub_group_barrier(CLK_GLOBAL_MEM_FENCE); // barrier: of the sub-group
        s += i;
    }
    a[l] = s;
}

//= --global 32 --local 32 --options=-cl-std=CL3.0 print:i32:32
kernel void all_leave_a_loop(global int *a) {
    int l = get_global_id(0), s = 0;
    for (int i = 0; i < 9; i++) {
        if (i == (int)get_sub_group_id() + 3)
            break;
        sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
        s += i;
    }
    a[l] = s;
}

//= --global 32 --local 32 --options=-cl-std=CL3.0 print:i32:32
kernel void of_two_branches(global int *a) {
    int l = get_global_id(0);
    if (l & 1)
        a[l] = sub_group_reduce_min(l); // barrier: of the sub-group
    else
        a[l] = sub_group_reduce_max(l); // barrier: of the sub-group
}

//= --global 32 --local 32 --options=-cl-std=CL3.0 print:i32:32
kernel void behind_two_branches(global int *a) {
    int l = get_global_id(0), s;
    if (l & 1)
        s = 3 * l;
    else
        s = l - a[l];
    a[l] = sub_group_reduce_max(s);
}

//= --global 32 --local 32 --options=-cl-std=CL3.0 print:i32:32
kernel void only_if(global int *a) {
    int l = get_global_id(0);
    a[l] = l > 2 && sub_group_all(l < 20); // barrier: of the sub-group
}

//= --global 32 --local 32 --options=-cl-std=CL3.0 print:i32:32 i32:0
kernel void only_if_true_for_all(global int *a, int n) {
    int l = get_global_id(0);
    a[l] = l >= n && sub_group_all(l < 20);
}

int helper(int x) {
    return sub_group_reduce_add(x) + 1; // barrier: of the sub-group
}

//= --global 32 --local 32 --options=-cl-std=CL3.0 print:i32:32
kernel void inlined(global int *a) {
    int l = get_global_id(0);
    a[l] = helper(l);
    if (l & 2)
        a[l] += helper(a[l]);
}

int right_helper(int x) {
    return sub_group_reduce_add(x) + 1;
}

//= --global 32 --local 32 --options=-cl-std=CL3.0 print:i32:32
kernel void inlined_for_all(global int *a) {
    int l = get_global_id(0);
    int s = right_helper(l);
    if (get_sub_group_id() & 1)
        s += right_helper(s);
    a[l] = s;
}

//= --global 32 --local 32 --options=-cl-std=CL3.0 print:i32:32
kernel void broadcasts(global int *a) {
    int l = get_global_id(0);
    a[l] = sub_group_broadcast(l, l / 2 % 2); // barrier: of the sub-group pass different arguments
}

//= --global 32 --local 32 --options=-cl-std=CL3.0 print:i32:32 zero:128
kernel void broadcasts_one(global int *a, global const int *b) {
    int l = get_global_id(0);
    a[l] = sub_group_broadcast(l, (b[l] + 3) & 3);
}

//= --global 32 --local 32 --options=-cl-std=CL3.0 print:i32:32 zero:256
kernel void reads_blocks(global uint *a, global const uint *b) {
    int l = get_global_id(0);
    a[l] = intel_sub_group_block_read(b + l); // barrier: of the sub-group pass different arguments
}

//= --global 32 --local 32 --options=-cl-std=CL3.0 print:i32:32 zero:256
kernel void reads_one_block(global uint *a, global const uint *b) {
    int l = get_global_id(0);
    a[l] = intel_sub_group_block_read(b + get_sub_group_id() * get_max_sub_group_size());
}

//= --global 32 --local 32 --options=-cl-std=CL3.0 print:i32:1400
kernel void writes_blocks(global uint *a) {
    int l = get_global_id(0);
    uint2 both = l;
    intel_sub_group_block_write2(a + 40 * l, both); // barrier: of the sub-group pass different arguments
}

//= --global 32 --local 32 --options=-cl-std=CL3.0 print:i32:64
kernel void writes_one_block(global uint *a) {
    uint2 both = get_global_id(0);
    intel_sub_group_block_write2(a + get_sub_group_id() * get_max_sub_group_size() * 2, both);
}

//= --global 32 --local 32 --options=-cl-std=CL3.0 print:i32:32
kernel void small_types(global int *a) {
    int l = get_global_id(0);
    if (l < 3)
        a[l] = sub_group_reduce_add((char)l); // barrier: 3 of
}

//= --global 32 --local 32 --options=-cl-std=CL3.0 print:i32:32
kernel void those_that_are_there(global int *a) {
    int l = get_global_id(0), s = 0;
    if (l % 3) {
        s = sub_group_non_uniform_reduce_add(l) + sub_group_shuffle_xor(l, 1);
        if (sub_group_elect())
            s += popcount(sub_group_ballot(l & 1).x) + sub_group_broadcast_first(l);
    }
    a[l] = s + sub_group_reduce_add(1);
}

//= --global 32 --local 32 --options=-cl-std=CL3.0 print:i32:32
kernel void arrives(global int *a) {
    int l = get_local_id(0);
    if (l < 7)
        intel_work_group_barrier_arrive(CLK_LOCAL_MEM_FENCE); // barrier: 7 of 32 work-items of the work-group
    a[l] = l;
    intel_work_group_barrier_wait(CLK_LOCAL_MEM_FENCE); // barrier
}

//= --global 32 --local 32 --options=-cl-std=CL3.0 print:i32:32
kernel void all_arrive(global int *a) {
    local int t[32];
    int l = get_local_id(0);
    t[l] = l;
    intel_work_group_barrier_arrive(CLK_LOCAL_MEM_FENCE);
    a[l] = l;
    intel_work_group_barrier_wait(CLK_LOCAL_MEM_FENCE);
    a[l] += t[31 - l];
}

//= --global 32 --local 32 --options=-cl-std=CL3.0 print:i32:32
kernel void marked(global int *a) {
    int l = get_global_id(0), s = 0;
#pragma CLIFT CHECK OFF
    if (l % 3)
        s = sub_group_reduce_add(l);
#pragma CLIFT CHECK ON
    a[l] = s;
}

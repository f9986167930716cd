// Kernels whose work-items part, and near misses without. `//=` has what `clift run` is given. All reports are between
// lines that say `barrier` or, of asynchronous copies, `event`, and each of these is in one. What stands behind the
// word is in the report that the line begins.

//= --global 24 --local 8 --options=-cl-std=CL3.0 print:i32:24
kernel void branch(global int *a) {
    a[get_global_id(0)] = 1;
    if (get_local_id(0) < 5)
        barrier(CLK_LOCAL_MEM_FENCE); // barrier: 5 of 8 work-items of the work-group reach this barrier
    barrier(CLK_GLOBAL_MEM_FENCE); // barrier
}

//= --global 24 --local 8 --options=-cl-std=CL3.0 print:i32:24 i32:5
kernel void uniform_branch(global int *a, int n) {
    a[get_global_id(0)] = 1;
    if (n < 5)
        barrier(CLK_LOCAL_MEM_FENCE);
    barrier(CLK_GLOBAL_MEM_FENCE);
}

//= --global 64 --local 64 --options=-cl-std=CL3.0 print:i32:64
kernel void either(global int *a) {
    int l = get_local_id(0);
    if (l % 2) {
        a[l] = 1;
        barrier(CLK_LOCAL_MEM_FENCE); // barrier: 32 of 64
    } else {
        a[l] = 2;
        barrier(CLK_LOCAL_MEM_FENCE); // barrier
    }
}

//= --global 64 --local 64 --options=-cl-std=CL3.0 print:i32:64
kernel void either_in_groups(global int *a) {
    int l = get_local_id(0);
    if (get_group_id(0) % 2) {
        a[l] = 1;
        barrier(CLK_LOCAL_MEM_FENCE);
    } else {
        a[l] = 2;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

//= --global 40 --local 20 --options=-cl-std=CL3.0 print:i32:40
kernel void returns(global int *a) {
    if (get_global_id(0) == 33)
        return;
    barrier(CLK_LOCAL_MEM_FENCE); // barrier: 19 of 20
    a[get_global_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
}

//= --global 40 --local 20 --options=-cl-std=CL3.0 print:i32:40 i32:40
kernel void returns_if_behind_the_end(global int *a, int n) {
    if (get_global_id(0) >= n)
        return;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = 1;
}

//= --global 40 --local 20 --options=-cl-std=CL3.0 print:i32:40 i32:20
kernel void groups_return_as_a_whole(global int *a, int n) {
    if (get_global_id(0) >= n)
        return;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = 1;
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16
kernel void trip_counts(global int *a) {
    int l = get_local_id(0);
    for (int i = 0; i <= l / 4; i++) {
        a[l] += i;
        barrier(CLK_GLOBAL_MEM_FENCE); // barrier: 12 of 16
    }
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16
kernel void trip_counts_that_agree(global int *a) {
    int l = get_local_id(0);
    for (int i = l & 1; i < 4 + (l & 1); i++) {
        a[l] += i;
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16 i32:5
kernel void uniform_loop(global int *a, int n) {
    for (int i = 0; i < n; i++) {
        a[get_local_id(0)] += i;
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (i == 3)
            break;
    }
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16
kernel void some_break(global int *a) {
    for (int i = 0; i < 4; i++) {
        if (i == 2 && get_local_id(0) > 7)
            break;
        a[get_local_id(0)] += i;
        barrier(CLK_GLOBAL_MEM_FENCE); // barrier: 8 of 16
    }
    barrier(CLK_LOCAL_MEM_FENCE); // barrier
    a[get_local_id(0)] += 100;
}

void inner(global int *a) {
    barrier(CLK_GLOBAL_MEM_FENCE); // barrier: 1 of 32
    a[0] = 1;
}
void outer(global int *a, int l) {
    if (l == 17)
        inner(a);
}
//= --global 32 --local 32 --options=-cl-std=CL3.0 print:i32:32
kernel void in_a_function(global int *a) {
    outer(a, get_local_id(0));
}

void inner_for_all(global int *a, int l) {
    if (l != 17)
        a[l] = 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
}
//= --global 32 --local 32 --options=-cl-std=CL3.0 print:i32:32
kernel void in_a_function_for_all(global int *a) {
    inner_for_all(a, get_local_id(0));
}

//= --global 8,4 --local 4,4 --options=-cl-std=CL3.0 print:i32:32
kernel void planes(global int *a) {
    if (get_local_id(1) != 3)
        barrier(CLK_LOCAL_MEM_FENCE); // barrier: 12 of 16
    a[get_global_id(1) * 8 + get_global_id(0)] = 1;
}

//= --global 21 --local 8 --options=-cl-std=CL3.0 print:i32:21
kernel void smaller_last_group(global int *a) {
    if (get_local_id(0) < get_enqueued_local_size(0) - 3)
        work_group_barrier(CLK_LOCAL_MEM_FENCE); // barrier: 5 of 8
    a[get_global_id(0)] = 1;
}

//= --global 21 --local 8 --options=-cl-std=CL3.0 print:i32:21
kernel void all_of_a_smaller_group(global int *a) {
    if (get_local_id(0) < get_local_size(0))
        work_group_barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = 1;
}

//= --global 21 --local 8 --options=-cl-std=CL3.0 print:i32:21
kernel void only_in_the_smaller_group(global int *a) {
    if (get_global_id(0) != 18)
        work_group_barrier(CLK_LOCAL_MEM_FENCE); // barrier: 4 of 5
    a[get_global_id(0)] = 1;
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16
kernel void reduction(global int *a) {
    int l = get_local_id(0);
    if (l > 2)
        a[l] = work_group_reduce_add(l); // barrier: work-group reach this work-group function
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16
kernel void reduction_of_all(global int *a) {
    int l = get_local_id(0), sum = work_group_reduce_add(l);
    if (l > 2)
        a[l] = sum;
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16
kernel void scan(global int *a) {
    int l = get_local_id(0);
    if (l & 1)
        a[l] = work_group_scan_inclusive_add(l); // barrier: 8 of 16
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16
kernel void scan_of_all(global int *a) {
    int l = get_local_id(0), sum = work_group_scan_exclusive_max(l);
    sum += work_group_scan_inclusive_add(l);
    if (l & 1)
        a[l] = sum;
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16
kernel void broadcasts(global int *a) {
    int l = get_local_id(0);
    a[l] = work_group_broadcast(l, l / 8); // barrier: pass different arguments to this work-group function
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16
kernel void broadcasts_one(global int *a) {
    int l = get_local_id(0);
    a[l] = work_group_broadcast(l, l / 16 + 3);
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16
kernel void split_barrier(global int *a) {
    int l = get_local_id(0);
    intel_work_group_barrier_arrive(CLK_LOCAL_MEM_FENCE);
    if (l > 2)
        intel_work_group_barrier_wait(CLK_LOCAL_MEM_FENCE); // barrier: 13 of 16
    a[l] = l;
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16
kernel void marked(global int *a) {
    a[get_local_id(0)] = 1;
#pragma CLIFT CHECK OFF
    if (get_local_id(0) < 5)
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma CLIFT CHECK ON
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16 zero:512
kernel void spoilt_contexts(global int *a, global int *t) {
    int l = get_local_id(0), sum = 0;
    for (int j = 0; j < 8; j++) {
        t[8 * l + j] = j;
        if (l < 4)
            barrier(CLK_LOCAL_MEM_FENCE); // barrier: 4 of 16
        sum += t[8 * l + j];
    }
    int end = sum / 28 + 7;
    barrier(CLK_LOCAL_MEM_FENCE); // barrier
    a[l] = sum + end;
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16 zero:64
kernel void copies(global int *a, global int *b) {
    local int t[16];
    int l = get_local_id(0);
    if (l < 8)
        async_work_group_copy(t, b, 16, 0); // barrier: work-group reach this asynchronous copy
    wait_group_events(0, 0); // barrier
    a[l] = l;
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16 zero:64
kernel void copies_different_places(global int *a, global int *b) {
    local int t[16];
    int l = get_local_id(0);
    event_t e = async_work_group_copy(t, b + l / 2, 8, 0); // barrier: pass different
    wait_group_events(1, &e);
    a[l] = t[l / 2];
}

//= --global 32 --local 16 --options=-cl-std=CL3.0 print:i32:32 zero:256
kernel void copies_and_waits(global int *a, global int *b) {
    local int t[16], u[16], v[8];
    int l = get_local_id(0), g = get_group_id(0);
    event_t e = async_work_group_copy(t, b + g * 16, 16, 0);
    u[l] = l;
    e = async_work_group_copy(v, b, 8, e);
    wait_group_events(1, &e);
    t[l] += u[l] + v[l & 7];
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(a + g * 16, t, 16, 0);
    u[l] = t[15 - l];
    wait_group_events(1, &e);
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16 zero:64
kernel void never_waits(global int *a, global int *b) {
    local int t[16];
    int l = get_local_id(0);
    a[l] = l;
    async_work_group_copy(t, b, 16, 0); // event: nothing waits for this asynchronous copy
    barrier(CLK_LOCAL_MEM_FENCE);
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16 zero:64
kernel void reads_too_early(global int *a, global int *b) {
    local int t[16];
    int l = get_local_id(0);
    event_t e = async_work_group_copy(t, b, 16, 0); // event
    barrier(CLK_LOCAL_MEM_FENCE);
    a[l] = t[l]; // event: read of 4 bytes of local memory of an asynchronous copy that
    wait_group_events(1, &e);
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16
kernel void writes_too_early(global int *a) {
    local int t[16];
    int l = get_local_id(0);
    t[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(a, t, 16, 0); // event
    t[15 - l] = 0; // event: write of 4 bytes of local memory
    wait_group_events(1, &e);
}

//= --global 32 --local 16 --options=-cl-std=CL3.0 print:i32:32
kernel void copies_in_a_loop(global int *a) {
    local int t[2][16];
    int l = get_local_id(0), sum = 0;
    event_t e = 0;
    for (int i = 0; i < 4; i++) {
        e = async_work_group_copy(t[i & 1], a, 16, 0);
        if (i > 0)
            sum += l;
        wait_group_events(1, &e);
        sum += t[i & 1][l];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    a[get_global_id(0)] = sum;
}

//= --global 64 --local 64 --options=-cl-std=CL3.0 print:i32:64 i32:50
kernel void with_sub_groups(global int *a, int n) {
    int l = get_local_id(0);
    if (l >= n)
        return;
    int s = sub_group_reduce_add(l); // barrier: of the sub-group
    work_group_barrier(CLK_LOCAL_MEM_FENCE); // barrier: 50 of 64
    a[l] = s + sub_group_scan_inclusive_add(1);
}

//= --global 64 --local 64 --options=-cl-std=CL3.0 print:i32:64 i32:64
kernel void all_sub_groups(global int *a, int n) {
    int l = get_local_id(0);
    if (l >= n)
        return;
    int s = l & 1 ? sub_group_non_uniform_reduce_add(l) : 0;
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    a[l] = s + sub_group_scan_inclusive_add(1);
}

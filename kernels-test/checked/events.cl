// Asynchronous copies that nothing waits for, or that are used too early, and near misses. `//=` has what `clift run`
// is given. All reports are between lines that say `event`, and each of these is in one. What stands behind the word is
// in the report that the line begins.

int first_of(local int *t) { return t[0]; } // event: read of 4 bytes of local memory

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16 zero:64
kernel void reads_in_a_function(global int *a, global int *b) {
    local int t[16];
    event_t e = async_work_group_copy(t, b, 16, 0); // event
    a[get_global_id(0)] = first_of(t);
    wait_group_events(1, &e);
}

int last_of(local int *t) { return t[15]; }

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16 zero:64
kernel void reads_in_a_function_behind(global int *a, global int *b) {
    local int t[16];
    event_t e = async_work_group_copy(t, b, 16, 0);
    wait_group_events(1, &e);
    a[get_global_id(0)] = last_of(t);
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16 zero:128
kernel void strided_copy_is_left(global int *a, global int *b) {
    local int t[16];
    int l = get_local_id(0);
    async_work_group_strided_copy(t, b, 16, 2, 0); // event: nothing waits for this asynchronous copy
    a[l] = l;
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16 zero:128
kernel void strided_copy_is_waited_for(global int *a, global int *b) {
    local int t[16];
    event_t e = async_work_group_strided_copy(t, b, 16, 2, 0);
    wait_group_events(1, &e);
    a[get_local_id(0)] = t[15 - get_local_id(0)];
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 zero:64
kernel void copy_back_is_left(global int *a) {
    local int t[16];
    t[get_local_id(0)] = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    async_work_group_copy(a, t, 16, 0); // event: nothing waits for this asynchronous copy
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 zero:64
kernel void copy_back_is_waited_for(global int *a) {
    local int t[16];
    t[get_local_id(0)] = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(a, t, 16, 0);
    wait_group_events(1, &e);
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16 zero:64 i32:1
kernel void waits_in_one_branch(global int *a, global int *b, int n) {
    local int t[16];
    event_t e = async_work_group_copy(t, b, 16, 0); // event: nothing waits for this asynchronous copy
    if (n == 2)
        wait_group_events(1, &e);
    a[get_local_id(0)] = n;
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16 zero:64 i32:2
kernel void waits_in_the_branch_that_is_taken(global int *a, global int *b, int n) {
    local int t[16];
    event_t e = async_work_group_copy(t, b, 16, 0);
    if (n == 2)
        wait_group_events(1, &e);
    a[get_local_id(0)] = n;
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16 zero:256 i32:4
kernel void last_turn_is_left(global int *a, global int *b, int n) {
    local int t[16];
    int l = get_local_id(0), sum = 0;
    for (int i = 0; i < n; i++) {
        event_t e = async_work_group_copy(t, b + 16 * i, 16, 0); // event: nothing waits for this asynchronous copy
        if (i < n - 1) {
            wait_group_events(1, &e);
            sum += t[l];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    a[l] = sum;
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16 zero:256 i32:4
kernel void every_turn_waits(global int *a, global int *b, int n) {
    local int t[16];
    int l = get_local_id(0), sum = 0;
    for (int i = 0; i < n; i++) {
        event_t e = async_work_group_copy(t, b + 16 * i, 16, 0);
        wait_group_events(1, &e);
        sum += t[l];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    a[l] = sum;
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16 zero:64 local:64
kernel void reads_an_argument(global int *a, global int *b, local int *t) {
    event_t e = async_work_group_copy(t, b, 16, 0); // event
    a[get_local_id(0)] = t[get_local_id(0) ^ 1]; // event: read of 4 bytes of local memory
    wait_group_events(1, &e);
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16 zero:64 local:128
kernel void reads_the_other_half(global int *a, global int *b, local int *t) {
    t[16 + get_local_id(0)] = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(t, b, 16, 0);
    a[get_local_id(0)] = t[16 + (get_local_id(0) ^ 1)];
    wait_group_events(1, &e);
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16 zero:256
kernel void reads_a_vector(global int *a, global int4 *b) {
    local int4 t[16];
    event_t e = async_work_group_copy(t, b, 16, 0); // event
    a[get_local_id(0)] = t[get_local_id(0)].z; // event: of local memory
    wait_group_events(1, &e);
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16 zero:256
kernel void reads_a_vector_behind(global int *a, global int4 *b) {
    local int4 t[16];
    event_t e = async_work_group_copy(t, b, 16, 0);
    wait_group_events(1, &e);
    a[get_local_id(0)] = t[get_local_id(0)].z;
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16 zero:64
kernel void one_work_item_writes(global int *a, global int *b) {
    local int t[16];
    event_t e = async_work_group_copy(t, b, 16, 0); // event
    if (get_local_id(0) == 3)
        t[7] = 1; // event: write of 4 bytes of local memory
    wait_group_events(1, &e);
    a[get_local_id(0)] = t[get_local_id(0)];
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16 zero:64
kernel void one_work_item_writes_behind(global int *a, global int *b) {
    local int t[16];
    event_t e = async_work_group_copy(t, b, 16, 0);
    wait_group_events(1, &e);
    if (get_local_id(0) == 3)
        t[7] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_local_id(0)] = t[get_local_id(0)];
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16 zero:64
kernel void adds_atomically(global int *a, global int *b) {
    local int t[16];
    event_t e = async_work_group_copy(t, b, 16, 0); // event
    atomic_add(t + 3, 1); // event: atomic access to 4 bytes of local memory
    wait_group_events(1, &e);
    a[get_local_id(0)] = t[get_local_id(0)];
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16 zero:64
kernel void adds_atomically_elsewhere(global int *a, global int *b) {
    local int t[16], sum;
    if (get_local_id(0) == 0)
        sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(t, b, 16, 0);
    atomic_add(&sum, 1);
    wait_group_events(1, &e);
    a[get_local_id(0)] = t[get_local_id(0)] + sum;
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16 zero:64
kernel void reads_what_is_copied_back(global int *a, global int *b) {
    local int t[16];
    t[get_local_id(0)] = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(b, t, 16, 0);
    // To read what is read is no mistake.
    a[get_local_id(0)] = t[15 - get_local_id(0)];
    wait_group_events(1, &e);
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16 zero:64
kernel void writes_what_is_copied_back(global int *a, global int *b) {
    local int t[16];
    t[get_local_id(0)] = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(b, t, 16, 0); // event
    for (int i = 0; i < 2; i++)
        t[get_local_id(0)] = i; // event: write of 4 bytes of local memory
    wait_group_events(1, &e);
    a[get_local_id(0)] = t[get_local_id(0)];
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16 zero:128
kernel void waits_for_the_other(global int *a, global int *b) {
    local int t[16], u[16];
    event_t e = async_work_group_copy(t, b, 16, 0); // event
    event_t f = async_work_group_copy(u, b + 16, 16, 0);
    wait_group_events(1, &f);
    a[get_local_id(0)] = t[get_local_id(0)]; // event: read of 4 bytes of local memory
    wait_group_events(1, &e);
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16 zero:128
kernel void waits_for_the_right_one(global int *a, global int *b) {
    local int t[16], u[16];
    event_t e = async_work_group_copy(t, b, 16, 0);
    event_t f = async_work_group_copy(u, b + 16, 16, 0);
    wait_group_events(1, &f);
    int sum = u[get_local_id(0)];
    wait_group_events(1, &e);
    a[get_local_id(0)] = t[get_local_id(0)] + sum;
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16 zero:128
kernel void waits_for_one_of_two(global int *a, global int *b) {
    local int t[16], u[16];
    event_t e[2];
    e[0] = async_work_group_copy(t, b, 16, 0);
    e[1] = async_work_group_copy(u, b + 16, 16, 0); // event: nothing waits for this asynchronous copy
    wait_group_events(1, e);
    a[get_local_id(0)] = t[get_local_id(0)];
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16 zero:128
kernel void waits_for_a_list(global int *a, global int *b) {
    local int t[16], u[16];
    event_t e[2];
    e[0] = async_work_group_copy(t, b, 16, 0);
    e[1] = async_work_group_copy(u, b + 16, 16, 0);
    wait_group_events(2, e);
    a[get_local_id(0)] = t[get_local_id(0)] + u[get_local_id(0)];
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16 zero:64
kernel void event_is_dropped(global int *a, global int *b) {
    local int t[16];
    event_t e = 0;
    async_work_group_copy(t, b, 16, 0); // event: nothing waits for this asynchronous copy
    wait_group_events(1, &e);
    a[get_local_id(0)] = get_local_id(0);
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16 zero:128
kernel void copies_share_an_event(global int *a, global int *b) {
    local int t[16], u[16];
    event_t e = async_work_group_copy(t, b, 16, 0);
    async_work_group_copy(u, b + 16, 16, e);
    wait_group_events(1, &e);
    a[get_local_id(0)] = t[get_local_id(0)] + u[get_local_id(0)];
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16 zero:256 i32:4
kernel void pipeline_waits_for_the_next_turn(global int *a, global int *b, int n) {
    local int t[2][16];
    event_t e[2];
    int l = get_local_id(0), sum = 0;
    e[0] = async_work_group_copy(t[0], b, 16, 0); // event
    for (int i = 0; i < n - 1; i++) {
        int next = (i + 1) & 1;
        e[next] = async_work_group_copy(t[next], b + 16 * (i + 1), 16, 0); // event
        wait_group_events(1, &e[next]);
        sum += t[i & 1][l]; // event: read of 4 bytes of local memory
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    wait_group_events(2, e);
    a[l] = sum;
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16 zero:256 i32:4
kernel void pipeline_waits_for_its_turn(global int *a, global int *b, int n) {
    local int t[2][16];
    event_t e[2];
    int l = get_local_id(0), sum = 0;
    e[0] = async_work_group_copy(t[0], b, 16, 0);
    for (int i = 0; i < n - 1; i++) {
        int next = (i + 1) & 1;
        e[next] = async_work_group_copy(t[next], b + 16 * (i + 1), 16, 0);
        wait_group_events(1, &e[i & 1]);
        sum += t[i & 1][l];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    wait_group_events(1, &e[(n - 1) & 1]);
    a[l] = sum + t[(n - 1) & 1][l];
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16 zero:64
kernel void second_copy_comes_early(global int *a, global int *b) {
    local int t[16];
    event_t e = async_work_group_copy(t, b, 16, 0); // event
    async_work_group_copy(a, t, 16, e); // event: copy of memory of an asynchronous copy
    wait_group_events(1, &e);
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16 zero:64
kernel void second_copy_waits(global int *a, global int *b) {
    local int t[16];
    event_t e = async_work_group_copy(t, b, 16, 0);
    wait_group_events(1, &e);
    e = async_work_group_copy(a, t, 16, 0);
    wait_group_events(1, &e);
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16 zero:64
kernel void source_is_written(global int *a, global int *b) {
    local int t[16];
    event_t e = async_work_group_copy(t, b, 16, 0); // event
    b[get_local_id(0)] = 1; // event: write of 4 bytes of memory
    wait_group_events(1, &e);
    a[get_local_id(0)] = t[get_local_id(0)];
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16 zero:128
kernel void rest_of_the_source_is_written(global int *a, global int *b) {
    local int t[16];
    event_t e = async_work_group_copy(t, b, 16, 0);
    a[get_local_id(0)] = b[get_local_id(0)];
    b[16 + get_local_id(0)] = 1;
    wait_group_events(1, &e);
    a[get_local_id(0)] += t[get_local_id(0)];
}

//= --global 16 --local 16 --options=-cl-std=CL3.0 print:i32:16 zero:64 i32:0
kernel void nothing_is_copied(global int *a, global int *b, int n) {
    local int t[16];
    event_t e = async_work_group_copy(t, b, 16, 0);
    e = async_work_group_copy(t + 3, b, n, e);
    wait_group_events(1, &e);
    a[get_local_id(0)] = t[get_local_id(0)];
}

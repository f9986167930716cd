// Kernels that read memory that nothing has written, and near misses. `//=` has what `clift run` is given; lines that
// say `value` are those that are reported.

//= --global 64 --local 64 print:i32:64
kernel void local_never_written(global int *a) {
    local int t[64];
    a[get_local_id(0)] = t[get_local_id(0)]; // value
}

//= --global 64 --local 64 print:i32:64
kernel void half_of_it_written(global int *a) {
    local int t[64];
    int l = get_local_id(0);
    if (l < 32)
        t[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[l] = t[l]; // value
}

//= --global 64 --local 64 print:i32:64
kernel void all_of_it_written(global int *a) {
    local int t[64];
    int l = get_local_id(0);
    t[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[l] = t[63 - l];
}

//= --global 64 --local 64 print:i32:64 local:256
kernel void argument_never_written(global int *a, local int *t) {
    a[get_local_id(0)] = t[get_local_id(0)]; // value
}

//= --global 128 --local 64 print:i32:128 local:4
kernel void of_the_group_before(global int *a, local int *t) {
    if (get_group_id(0) == 0 && get_local_id(0) == 0)
        t[0] = 7;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = t[0]; // value
}

//= --global 64 --local 64 print:i32:64
kernel void counter_never_set(global int *a) {
    local int n;
    atomic_inc(&n); // value
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_local_id(0)] = n;
}

//= --global 64 --local 64 print:i32:64
kernel void counter_set(global int *a) {
    local int n;
    if (get_local_id(0) == 0)
        n = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&n);
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_local_id(0)] = n;
}

//= --global 64 --local 64 print:f32:64
kernel void one_component_written(global float *a) {
    local float4 t[64];
    int l = get_local_id(0);
    t[l].x = l;
    a[l] = t[l].x;
}

//= --global 64 --local 64 print:f32:64
kernel void fourth_of_three(global float *a) {
    local float3 t[64];
    int l = get_local_id(0);
    t[l] = (float3)(l);
    barrier(CLK_LOCAL_MEM_FENCE);
    float3 v = t[63 - l];
    a[l] = v.x + v.y + v.z;
}

struct padded { char c; int n; };

//= --global 64 --local 64 print:i32:64
kernel void padding(global int *a) {
    local struct padded t[64], u[64];
    int l = get_local_id(0);
    t[l].c = 1;
    t[l].n = l;
    u[l] = t[l];
    a[l] = u[l].n + u[l].c;
}

//= --global 64 --local 64 zero:256 print:i32:64
kernel void copied_in(global int *from, global int *a) {
    local int t[64];
    event_t e = async_work_group_copy(t, from, 64, 0);
    wait_group_events(1, &e);
    a[get_local_id(0)] = t[get_local_id(0)];
}

//= --global 64 --local 64 print:i32:64
kernel void one_beyond_what_was_written(global int *a) {
    local int t[65];
    int l = get_local_id(0);
    t[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[l] = t[l + 1]; // value
}

int first(local int *t) {
    return t[0]; // value
}

//= --global 64 --local 64 print:i32:64
kernel void in_a_function(global int *a) {
    local int t[64];
    a[get_local_id(0)] = first(t);
}

//= --global 64 --local 64 print:i32:64
kernel void bytes(global int *a) {
    local uchar t[128];
    int l = get_local_id(0);
    t[2 * l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[l] = t[2 * l + 1]; // value
}

//= --global 64 --local 64 print:i32:64
kernel void every_other_byte(global int *a) {
    local uchar t[128];
    int l = get_local_id(0);
    t[2 * l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[l] = t[2 * l];
}

//= --global 64 --local 64 print:i32:64
kernel void written_unchecked(global int *a) {
    local int t[64];
    int l = get_local_id(0);
#pragma CLIFT CHECK OFF
    t[l] = l;
#pragma CLIFT CHECK ON
    barrier(CLK_LOCAL_MEM_FENCE);
    a[l] = t[63 - l];
}

//= --global 64 --local 64 print:i32:64
kernel void member_never_written(global int *a) {
    local struct padded t[64];
    int l = get_local_id(0);
    t[l].c = l;
    a[l] = t[l].n; // value
}

//= --global 64 --local 64 print:i32:64
kernel void members_written(global int *a) {
    local struct padded t[64];
    int l = get_local_id(0);
    t[l].c = l;
    t[l].n = t[l].c;
    a[l] = t[l].n;
}

//= --global 64 --local 64 print:i32:64
kernel void vector_never_written(global int *a) {
    local int t[256];
    int l = get_local_id(0);
    if (l > 5)
        vstore4((int4)(l), l, t);
    int4 v = vload4(l, t); // value
    a[l] = v.x + v.y + v.z + v.w;
}

//= --global 64 --local 64 print:i32:64
kernel void vector_in_two_halves(global int *a) {
    local int t[256];
    int l = get_local_id(0);
    vstore2((int2)(l), 2 * l, t);
    vstore2((int2)(l), 2 * l + 1, t);
    int4 v = vload4(l, t);
    a[l] = v.x + v.y + v.z + v.w;
}

//= --global 64 --local 64 print:i32:64
kernel void added_to_nothing(global int *a) {
    local int t[64];
    int l = get_local_id(0);
    t[l] += l; // value
    a[l] = t[l];
}

//= --global 64 --local 64 print:i32:64
kernel void added_to_zero(global int *a) {
    local int t[64];
    int l = get_local_id(0);
    t[l] = 0;
    t[l] += l;
    a[l] = t[l];
}

//= --global 64 --local 64 print:i32:64
kernel void one_turn_too_many(global int *a) {
    local int t[128];
    int l = get_local_id(0), sum = 0;
    t[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k <= 64; k++)
        sum += t[k]; // value
    a[l] = sum;
}

//= --global 64 --local 64 print:i32:64
kernel void as_many_turns(global int *a) {
    local int t[128];
    int l = get_local_id(0), sum = 0;
    t[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 64; k++)
        sum += t[k];
    a[l] = sum;
}

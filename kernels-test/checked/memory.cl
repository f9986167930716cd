// Accesses outside of their objects. `RUN NAME SIZES ARGUMENTS` in front of a kernel says how `clift run` starts it;
// `FIND COLUMN GLOBAL-ID: MESSAGE` behind a line says what is reported there, of which work-item; where memory decides,
// `or` and another message follow. A kernel without one does nothing wrong.

// RUN read_behind --global=64 --local=16 zero:256 zero:256 i32:4
kernel void read_behind(global const float *a, global float *b, int n) {
    size_t i = get_global_id(0);
    b[i] = a[i + n]; // FIND 12 60: read of 4 bytes behind the end of `a`
}

// RUN read_behind_not --global=64 --local=16 zero:272 zero:256 i32:4
kernel void read_behind_not(global const float *a, global float *b, int n) {
    size_t i = get_global_id(0);
    b[i] = a[i + n];
}

// RUN write_front --global=64 --local=16 zero:256 i32:-1
kernel void write_front(global float *b, int n) {
    int i = get_global_id(0);
    b[i + n] = i; // FIND 5 0: write of 4 bytes in front of `b`
}

// RUN write_front_not --global=64 --local=16 zero:256 i32:-1
kernel void write_front_not(global float *b, int n) {
    int i = get_global_id(0);
    if (i + n >= 0) b[i + n] = i;
}

// RUN wide --global=16 --local=16 zero:252
kernel void wide(global float4 *b) {
    b[get_global_id(0)] = 1; // FIND 5 15: write of 16 bytes across the end of `b`
}

// RUN wide_not --global=16 --local=16 zero:256
kernel void wide_not(global float4 *b) {
    b[get_global_id(0)] = 1;
}

// RUN three --global=16 --local=16 zero:256 zero:252
kernel void three(global float *b, global float *a) {
    size_t i = get_global_id(0);
    vstore3(vload3(i, b), i + 6, a); // FIND 5 15: write of 12 bytes behind the end of `a`
}

// RUN three_not --global=16 --local=16 zero:192 zero:192
kernel void three_not(global float *b, global float *a) {
    size_t i = get_global_id(0);
    vstore3(vload3(i, b), i, a);
}

// RUN null_pointer --global=16 --local=16 null zero:64
kernel void null_pointer(global int *a, global int *b) {
    size_t i = get_global_id(0);
    b[i] = a[i]; // FIND 12 0: read of 4 bytes through a null pointer
}

// RUN null_pointer_not --global=16 --local=16 null zero:64
kernel void null_pointer_not(global int *a, global int *b) {
    size_t i = get_global_id(0);
    b[i] = a ? a[i] : 1;
}

// RUN private_array --global=16 --local=16 zero:64 i32:5
kernel void private_array(global int *b, int n) {
    int t[4] = {1, 2, 3, 4};
    size_t i = get_global_id(0);
    t[(i + n) & 3] = 7;
    b[i] = t[i == 9 ? n : i & 3]; // FIND 12 9: read of 4 bytes behind the end of `t`
}

// RUN private_array_not --global=16 --local=16 zero:64 i32:3
kernel void private_array_not(global int *b, int n) {
    int t[4] = {1, 2, 3, 4};
    size_t i = get_global_id(0);
    t[(i + n) & 3] = 7;
    b[i] = t[i == 9 ? n : i & 3];
}

// RUN local_variable --global=32 --local=16 zero:128
kernel void local_variable(global int *b) {
    local int t[16];
    int l = get_local_id(0);
    t[l + 1] = l; // FIND 5 15: write of 4 bytes behind the end of `t`
    barrier(CLK_LOCAL_MEM_FENCE);
    b[get_global_id(0)] = t[15 - l];
}

// RUN local_variable_not --global=32 --local=16 zero:128
kernel void local_variable_not(global int *b) {
    local int t[17];
    int l = get_local_id(0);
    t[l + 1] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    b[get_global_id(0)] = t[16 - l];
}

// RUN local_argument --global=32 --local=16 zero:128 local:60
kernel void local_argument(global int *b, local int *t) {
    int l = get_local_id(0);
    t[l] = l; // FIND 5 15: write of 4 bytes behind the end of `t`
    barrier(CLK_LOCAL_MEM_FENCE);
    b[get_global_id(0)] = t[l >> 1];
}

// RUN local_argument_not --global=32 --local=16 zero:128 local:64
kernel void local_argument_not(global int *b, local int *t) {
    int l = get_local_id(0);
    t[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    b[get_global_id(0)] = t[l >> 1];
}

constant int table[4] = {1, 2, 3, 4};

// RUN constant_variable --global=16 --local=16 zero:64
kernel void constant_variable(global int *b) {
    int i = get_global_id(0);
    b[i] = table[i >> 1]; // FIND 12 8: read of 4 bytes behind the end of `table`
}

// RUN constant_variable_not --global=16 --local=16 zero:64
kernel void constant_variable_not(global int *b) {
    int i = get_global_id(0);
    b[i] = table[i >> 2];
}

int first(global const int *p, int n) {
    return p[n]; // FIND 12 16: read of 4 bytes behind the end of `a`
}

// RUN in_function --global=32 --local=16 zero:64 zero:128
kernel void in_function(global int *a, global int *b) {
    int i = get_global_id(0);
    b[i] = first(a, i);
}

// RUN in_function_not --global=16 --local=16 zero:64 zero:64
kernel void in_function_not(global int *a, global int *b) {
    int i = get_global_id(0);
    b[i] = first(a, i);
}

__attribute__((noinline)) int sum(global const int *p, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) s += p[i]; // FIND 38 4: read of 4 bytes behind the end of `a`
    return s;
}

// RUN in_loop --global=8 --local=8 zero:12 zero:32
kernel void in_loop(global int *a, global int *b) {
    int i = get_global_id(0);
    b[i] = sum(a, i);
}

// RUN in_loop_not --global=4 --local=4 zero:12 zero:16
kernel void in_loop_not(global int *a, global int *b) {
    int i = get_global_id(0);
    b[i] = sum(a, i);
}

// RUN pointer_walks --global=4 --local=4 zero:64 zero:16
kernel void pointer_walks(global const int *a, global int *b) {
    int i = get_global_id(0);
    global const int *p = a + i;
    int s = 0;
    for (int k = 0; k < 5; k++, p += 4) s += *p; // FIND 46 0: read of 4 bytes behind the end of `a`
    b[i] = s;
}

// RUN pointer_walks_not --global=4 --local=4 zero:64 zero:16
kernel void pointer_walks_not(global const int *a, global int *b) {
    int i = get_global_id(0);
    global const int *p = a + i;
    int s = 0;
    for (int k = 0; k < 4; k++, p += 4) s += *p;
    b[i] = s;
}

// RUN other_buffer --global=8 --local=8 zero:32 zero:32
kernel void other_buffer(global int *a, global int *b) {
    int i = get_global_id(0);
    global int *p = i & 1 ? a : b;
    p[i == 3 ? b - a : i] = i; // FIND 5 3: write of 4 bytes behind the end of `a` or write of 4 bytes in front of `a`
}

// RUN other_buffer_not --global=8 --local=8 zero:32 zero:32
kernel void other_buffer_not(global int *a, global int *b) {
    int i = get_global_id(0);
    global int *p = i & 1 ? a : b;
    p[i == 3 ? 0 : i] = i;
}

// RUN misaligned --global=8 --local=8 zero:64 i32:1
kernel void misaligned(global char *a, int n) {
    int i = get_global_id(0);
    *(global int *)(a + 4 * i + n) = i; // FIND 5 0: write of 4 bytes in `a` at an address that is no multiple of 4
}

// RUN misaligned_not --global=8 --local=8 zero:64 i32:4
kernel void misaligned_not(global char *a, int n) {
    int i = get_global_id(0);
    *(global int *)(a + 4 * i + n) = i;
}

// RUN misaligned_vector --global=4 --local=4 zero:80 i32:1
kernel void misaligned_vector(global float *a, int n) {
    int i = get_global_id(0);
    *(global float4 *)(a + 4 * i + n) = i; // FIND 5 0: write of 16 bytes in `a` at an address that is no multiple of 16
}

// RUN misaligned_vector_not --global=4 --local=4 zero:80 i32:1
kernel void misaligned_vector_not(global float *a, int n) {
    int i = get_global_id(0);
    *(global float4 *)(a + 4 * i) = i;
    // These take any address that suits a component.
    vstore4(vload4(i, a + n), i, a + n);
}

// RUN atomics --global=16 --local=16 zero:60
kernel void atomics(global int *a) {
    atomic_add(a + get_global_id(0), 1); // FIND 5 15: atomic access to 4 bytes behind the end of `a`
}

// RUN atomics_not --global=16 --local=16 zero:64
kernel void atomics_not(global int *a) {
    atomic_add(a + get_global_id(0), 1);
}

typedef struct { int x[3]; float y; } Pair;

// RUN structs --global=5 --local=5 zero:64 zero:80
kernel void structs(global Pair *a, global Pair *b) {
    int i = get_global_id(0);
    b[i] = a[i]; // FIND 5 4: read of 16 bytes behind the end of `a`
}

// RUN structs_not --global=4 --local=4 zero:64 zero:64
kernel void structs_not(global Pair *a, global Pair *b) {
    int i = get_global_id(0);
    b[i] = a[i];
}

// RUN returns_by_pointer --global=16 --local=16 zero:64 zero:60
kernel void returns_by_pointer(global float *a, global float *b) {
    int i = get_global_id(0);
    a[i] = sincos((float)i, b + i); // FIND 12 15: write of 4 bytes behind the end of `b`
}

// RUN returns_by_pointer_not --global=16 --local=16 zero:64 zero:64
kernel void returns_by_pointer_not(global float *a, global float *b) {
    int i = get_global_id(0);
    a[i] = sincos((float)i, b + i);
}

// In SPIR-V addresses are no constants.
#ifndef __SPIR__
constant int chain_ends[2] = {7, 8};
constant int chain_last = 5;
constant int *constant chain_starts[3] = {chain_ends, &chain_last, chain_ends + 1};
constant int chain_index[3] = {2, 1, 1};

// RUN stored_constants --global=16 --local=16 zero:64 i32:9
kernel void stored_constants(global int *b, int n) {
    int i = get_global_id(0);
    b[i] = chain_starts[i % 2][i == n ? 1 : 0]; // FIND 12 9: read of 4 bytes behind the end of `chain_last`
}

// RUN stored_constants_not --global=16 --local=16 zero:64 i32:9
kernel void stored_constants_not(global int *b, int n) {
    int i = get_global_id(0);
    b[i] = *chain_starts[i % 3] + chain_starts[0][1] + chain_index[i % 3];
}
#endif

typedef struct Node { struct Node *next; int value; } Node;

// RUN linked_private --global=16 --local=16 zero:64 i32:9
kernel void linked_private(global int *b, int n) {
    int i = get_global_id(0);
    Node last = {0, 2 + i}, middle = {&last, 1 + i}, first = {&middle, i};
    int sum = 0;
    Node *at = &first;
    for (int k = 0; k < 3; k++, at = at->next) sum += at->value;
    b[i] = i == n ? at->value : sum; // FIND 21 9: read of 4 bytes through a null pointer
}

// RUN linked_private_not --global=16 --local=16 zero:64
kernel void linked_private_not(global int *b) {
    int i = get_global_id(0);
    Node last = {0, 2 + i}, middle = {&last, 1 + i}, first = {&middle, i};
    int sum = 0;
    for (Node *at = &first; at; at = at->next) sum += at->value;
    b[i] = sum;
}

typedef struct {
    int first[4];
    int second[4];
    int rest[1];
} Members;

// RUN member --global=4 --local=4 zero:144 zero:16 i32:3
kernel void member(global Members *s, global int *b, int n) {
    int i = get_global_id(0);
    b[i] = s[i].first[n + (i == 2)]; // FIND 12 2: read of the element with index 4 of an array of 4
}

// RUN member_not --global=4 --local=4 zero:144 zero:16 i32:3
kernel void member_not(global Members *s, global int *b, int n) {
    int i = get_global_id(0);
    global int *end = &s[i].first[n + 1];
    b[i] = s[i].second[n - (i == 2)] + s[i].first[n] + (end > s[i].first);
}

// RUN member_store --global=4 --local=4 zero:144 i32:-1
kernel void member_store(global Members *s, int n) {
    int i = get_global_id(0);
    s[i].second[i + n] = i; // FIND 5 0: write of the element with index -1 of an array of 4
}

// RUN member_store_not --global=4 --local=4 zero:144 i32:-1
kernel void member_store_not(global Members *s, int n) {
    int i = get_global_id(0);
    if (i + n >= 0) s[i].second[i + n] = i;
}

// RUN row_of_array --global=8 --local=8 zero:32 i32:1
kernel void row_of_array(global int *b, int n) {
    int t[4][4] = {{1}, {2}, {3}, {4}};
    int i = get_global_id(0);
    t[i & 1][(i & 3) + (i == 3 ? n : 0)] = 7; // FIND 5 3: write of the element with index 4 of an array of 4
    b[i] = t[i & 3][i & 1];
}

// RUN row_of_array_not --global=8 --local=8 zero:32 i32:12
kernel void row_of_array_not(global int *b, int n) {
    int t[4][4] = {{1}, {2}, {3}, {4}};
    int i = get_global_id(0);
    int *all = t[0];
    all[n + (i & 3)] = 7;
    b[i] = t[i & 3][i & 1];
}

// RUN row_of_tile --global=16 --local=16 zero:64 i32:8
kernel void row_of_tile(global int *b, int n) {
    local int t[2][8];
    int i = get_local_id(0);
    t[i >> 3][i & 7] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i] = t[0][i == 9 ? n : i & 7]; // FIND 12 9: read of the element with index 8 of an array of 8
}

// RUN flexible_not --global=16 --local=16 zero:128 zero:64
kernel void flexible_not(global Members *s, global int *b) {
    int i = get_global_id(0);
    b[i] = s->rest[i];
}

// RUN flexible --global=16 --local=16 zero:64 zero:64
kernel void flexible(global Members *s, global int *b) {
    int i = get_global_id(0);
    b[i] = s->rest[i]; // FIND 12 8: read of 4 bytes behind the end of `s`
}

// RUN copy_to_local --global=16 --local=16 zero:256 zero:64 i32:17
kernel void copy_to_local(global int *a, global int *b, int n) {
    local int t[16];
    event_t e = async_work_group_copy(t, a, n, 0); // FIND 17 0: write of 68 bytes across the end of `t`
    wait_group_events(1, &e);
    b[get_global_id(0)] = t[get_local_id(0)];
}

// RUN copy_to_local_not --global=16 --local=16 zero:256 zero:64 i32:16
kernel void copy_to_local_not(global int *a, global int *b, int n) {
    local int t[16];
    event_t e = async_work_group_copy(t, a, n, 0);
    wait_group_events(1, &e);
    b[get_global_id(0)] = t[get_local_id(0)];
}

// RUN copy_strided --global=32 --local=16 zero:252 zero:128
kernel void copy_strided(global int *a, global int *b) {
    local int t[16];
    global int *from = a + 32 * get_group_id(0) + 1;
    event_t e = async_work_group_strided_copy(t, from, 16, 2, 0); // FIND 17 16: read of 124 bytes across the end of `a`
    wait_group_events(1, &e);
    b[get_global_id(0)] = t[get_local_id(0)];
}

// RUN copy_strided_not --global=32 --local=16 zero:256 zero:128
kernel void copy_strided_not(global int *a, global int *b) {
    local int t[16];
    global int *from = a + 32 * get_group_id(0) + 1;
    event_t e = async_work_group_strided_copy(t, from, 16, 2, 0);
    wait_group_events(1, &e);
    b[get_global_id(0)] = t[get_local_id(0)];
}

// RUN texel_read --global=16 --local=16 image:f32:15,4 zero:256
kernel void texel_read(read_only image2d_t a, global float4 *b) {
    int i = get_global_id(0);
    b[i] = read_imagef(a, (int2)(i, 3)); // FIND 12 15: read at (15, 3), outside of `a` of 15 × 4 texels
}

// RUN texel_read_not --global=16 --local=16 image:f32:15,4 zero:256
kernel void texel_read_not(read_only image2d_t a, global float4 *b) {
    const sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    int i = get_global_id(0);
    b[i] = read_imagef(a, edge, (int2)(i, 4));
}

// RUN texel_none --global=16 --local=16 image:f32:16,4 zero:256
kernel void texel_none(read_only image2d_t a, global float4 *b) {
    const sampler_t none = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
    int i = get_global_id(0);
    float2 at = (float2)(i / 15.0f, 0.5f);
    b[i] = read_imagef(a, none, at); // FIND 12 15: read at (16, 2), outside of `a` of 16 × 4 texels
}

// RUN texel_none_not --global=16 --local=16 image:f32:16,4 zero:256
kernel void texel_none_not(read_only image2d_t a, global float4 *b) {
    const sampler_t none = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
    int i = get_global_id(0);
    b[i] = read_imagef(a, none, (float2)((i + 0.5f) / 16.0f, 0.5f));
}

// RUN texel_write --global=16 --local=16 image:u8:4,4,4
kernel void texel_write(write_only image3d_t a) {
    int i = get_global_id(0);
    int4 at = (int4)(i & 3, 1, i - 12, 0);
    write_imageui(a, at, (uint4)1); // FIND 5 0: write at (0, 1, -12), outside of `a` of 4 × 4 × 4 texels
}

// RUN texel_write_not --global=16 --local=16 image:u8:4,4,4
kernel void texel_write_not(write_only image3d_t a) {
    int i = get_global_id(0);
    write_imageui(a, (int4)(i & 3, 1, i >> 2, 0), (uint4)1);
}

#define TWICE(a, i) (a[(i) + 1] + a[i])

// RUN macro_of_two --global=16 --local=16 zero:64 zero:64 i32:14
kernel void macro_of_two(global const int *a, global int *b, int n) {
    int i = get_global_id(0);
    b[i] = TWICE(a, i + n); // FIND 18 1: read of 4 bytes behind the end of `a`
}

// RUN macro_of_two_not --global=16 --local=16 zero:128 zero:64 i32:14
kernel void macro_of_two_not(global const int *a, global int *b, int n) {
    int i = get_global_id(0);
    b[i] = TWICE(a, i + n);
}

// RUN fraction_of_private --global=16 --local=16 zero:64 i32:2 f32:1.5
kernel void fraction_of_private(global float *b, int n, float x) {
    float t[2] = {1, 2};
    int i = get_global_id(0);
    float f = fract(x, t + (i == 7 ? n : 1)); // FIND 15 7: write of 4 bytes behind the end of `t`
    b[i] = f + t[1];
}

// RUN fraction_of_private_not --global=16 --local=16 zero:64 i32:1 f32:1.5
kernel void fraction_of_private_not(global float *b, int n, float x) {
    float t[2] = {1, 2};
    int i = get_global_id(0);
    float f = fract(x, t + n);
    b[i] = f + t[1];
}

// RUN quotient_of_private --global=16 --local=16 zero:64 f32:1.5
kernel void quotient_of_private(global float *b, float x) {
    int t[2] = {1, 2};
    int i = get_global_id(0);
    float f = remquo(x + i, 0.7f, t + (i & 1) * (i >> 3) * 2); // FIND 15 9: write of 4 bytes behind the end of `t`
    b[i] = f + t[0];
}

// RUN quotient_of_private_not --global=16 --local=16 zero:64 f32:1.5
kernel void quotient_of_private_not(global float *b, float x) {
    int t[2] = {1, 2};
    int i = get_global_id(0);
    float f = remquo(x + i, 0.7f, t + (i & 1));
    b[i] = f + sincos(100000.0f * i, &x) + t[0] + x;
}

#if __OPENCL_C_VERSION__ >= 300
global int powers[4];

// RUN exponent_of_program --global=16 --local=16 --options=-cl-std=CL3.0 zero:64 i32:4
kernel void exponent_of_program(global float *b, int n) {
    int i = get_global_id(0);
    b[i] = frexp((float)i, powers + (i == 5 ? n : i & 3)); // FIND 12 5: write of 4 bytes behind the end of `powers`
}
#endif

// Nor are there arrays without elements.
#ifndef __SPIR__
typedef struct {
    int count;
    int all[0];
    int x, y, z;
} Named;

// RUN no_elements_not --global=4 --local=4 zero:64 zero:16 i32:2
kernel void no_elements_not(global Named *s, global int *b, int n) {
    int i = get_global_id(0);
    b[i] = s[i].all[n] + s[i].all[0];
}
#endif

// RUN constant_as_number --global=16 --local=16 zero:64 zero:128
kernel void constant_as_number(constant int *a, global ulong *b) {
    b[get_global_id(0)] = (ulong)(a + get_global_id(0));
    *(global int *)b[get_global_id(0)] = 7; // FIND 5 0: write of 4 bytes to the buffer, which may only be read
}

// RUN constant_as_number_not --global=16 --local=16 zero:64 zero:128 zero:64
kernel void constant_as_number_not(constant int *a, global ulong *b, global int *c) {
    b[get_global_id(0)] = (ulong)(c + get_global_id(0));
    *(global int *)b[get_global_id(0)] = a[get_global_id(0)];
}

// Kernels with races, and near misses without. `//=` has what `clift run` is given. All reports are between lines that
// say `race` or, where both always write the same value, `benign`, and each of these is in one.

//= --global 64 --local 64 print:i32:65
kernel void neighbour(global int *a) {
    int l = get_local_id(0);
    a[l] = l; // race
    a[64 - l] = a[l + 1]; // race
}

//= --global 64 --local 64 print:i32:64
kernel void local_without_barrier(global int *a) {
    local int t[64];
    int l = get_local_id(0);
    t[l] = l; // race
    a[l] = t[63 - l]; // race
}

//= --global 64 --local 64 print:i32:64
kernel void local_with_barrier(global int *a) {
    local int t[64];
    int l = get_local_id(0);
    t[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[l] = t[63 - l];
}

//= --global 64 --local 64 print:i32:64
kernel void wrong_fence(global int *a) {
    local int t[64];
    int l = get_local_id(0);
    t[l] = l; // race
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[l] = t[63 - l]; // race
}

//= --global 64 --local 64 print:i32:64 print:i32:64
kernel void global_wrong_fence(global int *a, global int *b) {
    int l = get_local_id(0);
    a[l] = l; // race
    barrier(CLK_LOCAL_MEM_FENCE);
    b[l] = a[63 - l]; // race
}

//= --global 64 --local 64 print:i32:64 print:i32:64
kernel void global_right_fence(global int *a, global int *b) {
    int l = get_local_id(0);
    a[l] = l;
    barrier(CLK_GLOBAL_MEM_FENCE);
    b[l] = a[63 - l];
}

//= --global 256 --local 64 print:i32:257
kernel void between_groups(global int *a) {
    int i = get_global_id(0);
    a[i] = i; // race
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (i % 64 == 63)
        a[i + 1] += 1; // race
}

//= --global 256 --local 64 print:i32:256
kernel void within_groups(global int *a) {
    int i = get_global_id(0);
    a[i] = i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (i % 64 != 63)
        a[i] += 1;
}

//= --global 256 --local 64 print:i32:1
kernel void lost_update(global int *n) {
    n[0] = n[0] + 1; // race
}

//= --global 256 --local 64 print:i32:1
kernel void atomic_update(global int *n) {
    atomic_inc(n);
}

//= --global 256 --local 64 print:i32:1 print:i32:256
kernel void atomic_then_plain(global int *n, global int *out) {
    atomic_inc(n); // race
    out[get_global_id(0)] = n[0]; // race
}

//= --global 64 --local 64 print:i32:1 print:i32:64
kernel void atomic_barrier_plain(global int *n, global int *out) {
    atomic_inc(n);
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[get_global_id(0)] = n[0];
}

//= --global 256 --local 64 print:i32:1
kernel void flag(global int *found) {
    if (get_global_id(0) % 3 == 0)
        found[0] = 1; // benign
}

//= --global 256 --local 64 print:i32:1
kernel void last_one(global int *last) {
    last[0] = get_global_id(0); // race
}

//= --global 256 --local 64 print:i32:1
kernel void only_one(global int *last) {
    if (get_global_id(0) == 77)
        last[0] = get_global_id(0);
}

//= --global 256 --local 64 print:i32:64
kernel void colliding_scatter(global int *a) {
    int i = get_global_id(0);
    a[(i * 7) % 64] = i; // race
}

//= --global 256 --local 64 print:i32:256
kernel void permutation(global int *a) {
    int i = get_global_id(0);
    a[(i * 7) % 256] = i;
}

//= --global 64 --local 64 print:u8:65 print:u8:64
kernel void bytes_of_a_neighbour(global uchar *a, global uchar *b) {
    int l = get_local_id(0);
    a[l] = l; // race
    b[l] = a[l + 1]; // race
}

//= --global 256 --local 64 print:u8:256
kernel void bytes_of_ones_own(global uchar *a) {
    int i = get_global_id(0);
    a[i] = i;
    a[i] += 1;
}

//= --global 64 --local 64 print:u16:64 print:u16:64
kernel void halves_with_barrier(global ushort *a, global ushort *b) {
    local ushort t[64];
    int l = get_local_id(0);
    t[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    b[l] = t[63 - l];
    a[l] = t[l];
}

int sum(local int *t, int l) {
    return t[l] + t[l ^ 1]; // race
}

//= --global 64 --local 64 print:i32:64
kernel void in_a_function(global int *a) {
    local int t[64];
    int l = get_local_id(0);
    t[l] = l; // race
    a[l] = sum(t, l);
}

//= --global 64 --local 64 print:i32:64
kernel void reduction_without_a_barrier(global int *a) {
    local int t[64];
    int l = get_local_id(0);
    t[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int n = 32; n > 0; n /= 2)
        if (l < n)
            t[l] += t[l + n]; // race
    a[l] = t[0]; // race
}

//= --global 256 --local 64 print:i32:4
kernel void reduction(global int *a) {
    local int t[64];
    int l = get_local_id(0);
    t[l] = l;
    for (int n = 32; n > 0; n /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < n)
            t[l] += t[l + n];
    }
    if (l == 0)
        a[get_group_id(0)] = t[0];
}

//= --global 256 --local 64 print:i32:4 print:u32:1 print:i32:1
kernel void last_group_sums(global int *parts, volatile global uint *done, global int *sum) {
    local int is_last;
    if (get_local_id(0) == 0) {
        parts[get_group_id(0)] = get_group_id(0) + 1;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        is_last = atomic_inc(done) == get_num_groups(0) - 1;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_last && get_local_id(0) == 0) {
        int all = 0;
        for (uint g = 0; g < get_num_groups(0); g++)
            all += parts[g];
        sum[0] = all;
    }
}

//= --global 256 --local 64 print:i32:4 print:u32:1 print:i32:1
kernel void last_group_without_fences(global int *parts, volatile global uint *done, global int *sum) {
    if (get_local_id(0) == 0) {
        parts[get_group_id(0)] = get_group_id(0) + 1; // race
        if (atomic_inc(done) == get_num_groups(0) - 1) {
            int all = 0;
            for (uint g = 0; g < get_num_groups(0); g++)
                all += parts[g]; // race
            sum[0] = all;
        }
    }
}

//= --global 8,8 --local 8,8 print:i32:64
kernel void transpose(global int *a) {
    local int t[8][8];
    int x = get_local_id(0), y = get_local_id(1);
    t[y][x] = x; // race
    a[y * 8 + x] = t[x][y]; // race
}

//= --global 8,8 --local 8,8 print:i32:64
kernel void transpose_with_barrier(global int *a) {
    local int t[8][8];
    int x = get_local_id(0), y = get_local_id(1);
    t[y][x] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[y * 8 + x] = t[x][y];
}

//= --global 100 --local 20 print:f32:400
kernel void vectors_overlap(global float *a) {
    int i = get_global_id(0);
    vstore4((float4)(i), 0, a + 3 * i); // race
}

//= --global 100 --local 20 print:f32:400
kernel void vectors_apart(global float *a) {
    int i = get_global_id(0);
    vstore3((float3)(i), 0, a + 3 * i);
}

//= --global 128 --local 32 print:i32:4
kernel void double_buffered(global int *a) {
    local int t[2][32];
    int l = get_local_id(0), from = 0;
    t[0][l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 1; step < 32; step *= 2) {
        t[1 - from][l] = t[from][l] + (l >= step ? t[from][l - step] : 0);
        from = 1 - from;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 31)
        a[get_group_id(0)] = t[from][l];
}

//= --global 128 --local 32 print:i32:4
kernel void single_buffered(global int *a) {
    local int t[32];
    int l = get_local_id(0);
    t[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 1; step < 32; step *= 2) {
        t[l] += l >= step ? t[l - step] : 0; // race
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 31)
        a[get_group_id(0)] = t[l];
}

//= --global 128 --local 32 print:i32:128
kernel void halo_of_the_next_group(global int *a) {
    int i = get_global_id(0);
    int next = i + 1 < 128 ? a[i + 1] : 0; // race
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[i] = next + i; // race
}

//= --global 128 --local 32 print:i32:128
kernel void halo_within_the_group(global int *a) {
    int i = get_global_id(0);
    int next = i % 32 < 31 ? a[i + 1] : 0;
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[i] = next + i;
}

//= --global 128 --local 32 print:i32:4
kernel void each_group_its_part(global int *a) {
    local int sum;
    if (get_local_id(0) == 0)
        sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&sum, (int)get_global_id(0));
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        a[get_group_id(0)] = sum;
}

//= --global 128 --local 32 print:i32:4
kernel void first_barrier_forgotten(global int *a) {
    local int sum;
    if (get_local_id(0) == 0)
        sum = 0; // race
    atomic_add(&sum, (int)get_global_id(0)); // race
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        a[get_group_id(0)] = sum;
}

//= --global 64 --local 64 print:i32:1
kernel void one_value_by_all(global int *a) {
    local int t;
    t = get_local_size(0); // benign
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        a[0] = t;
}

//= --global 64 --local 64 print:i32:64
kernel void not_to_be_checked(global int *a) {
    local int t[64];
    int l = get_local_id(0);
#pragma CLIFT CHECK OFF
    t[l] = l;
#pragma CLIFT CHECK ON
    a[l] = t[63 - l];
}

//= --global 256 --local 64 print:i32:256 print:u32:1 print:i32:1
kernel void last_group_sums_all(global int *parts, volatile global uint *done, global int *sum) {
    local int is_last;
    parts[get_global_id(0)] = get_global_id(0) + 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        is_last = atomic_inc(done) == get_num_groups(0) - 1;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_last && get_local_id(0) == 0) {
        int all = 0;
        for (size_t i = 0; i < get_global_size(0); i++)
            all += parts[i];
        sum[0] = all;
    }
}

//= --global 256 --local 64 print:i32:256 print:u32:1 print:i32:1
kernel void barrier_behind_an_atomic(global int *parts, volatile global uint *done, global int *sum) {
    local int is_last;
    parts[get_global_id(0)] = get_global_id(0) + 1;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        is_last = atomic_inc(done) == get_num_groups(0) - 1;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (is_last)
        atomic_add(sum, parts[get_global_size(0) - 1 - get_local_id(0)] + parts[get_local_id(0)]);
}

//= --global 256 --local 64 print:i32:256 print:u32:1 print:i32:1
kernel void barriers_without_fences(global int *parts, volatile global uint *done, global int *sum) {
    local int is_last;
    parts[get_global_id(0)] = get_global_id(0) + 1; // race
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        is_last = atomic_inc(done) == get_num_groups(0) - 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_last)
        atomic_add(sum, parts[get_global_size(0) - 1 - get_local_id(0)] + parts[get_local_id(0)]); // race
}

//= --global 256 --local 64 print:i32:256 print:i32:256 print:u32:1 print:i32:1
kernel void read_again(global int *parts, global int *own, volatile global uint *done, global int *sum) {
    local int is_last;
    parts[get_global_id(0)] = get_global_id(0) + 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        is_last = atomic_inc(done) == get_num_groups(0) - 1;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    own[get_global_id(0)] = parts[get_global_id(0) ^ 1];
    if (is_last && get_local_id(0) == 0) {
        int all = 0;
        for (size_t i = 0; i < get_global_size(0); i++)
            all += parts[i];
        sum[0] = all;
    }
}

//= --global 16 --local 16 print:i32:24 i32:2
kernel void another_turn(global int *a, int turns) {
    int l = get_local_id(0);
    for (int turn = 0; turn < turns; turn++)
        a[l + 8 - 8 * turn] = 5 + 4 * turn; // race
}

//= --global 16 --local 16 print:i32:24 i32:2
kernel void another_turn_same(global int *a, int turns) {
    int l = get_local_id(0);
    for (int turn = 0; turn < turns; turn++)
        a[l + 8 - 8 * turn] = turn > 0 && l < 8 ? 9 : 5; // benign
}

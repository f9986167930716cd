// What goes wrong easily when work-items run side by side. 67 work-items: whole vectors of any width, and some left over. Each
// kernel counts what it found wrong, then who came by.
//@ options: -cl-std=CL3.0
//@ kernel: uniform_load_under_an_empty_mask
//@ global: 67
//@ inout: int = 0 0 -> 0 67
//@ value: int = 1000000000
//@ kernel: division_without_exceptions
//@ global: 67
//@ inout: int = 0 0 -> 0 67
//@ kernel: inverted_comparison_with_nan
//@ global: 67
//@ inout: int = 0 0 -> 0 67
//@ kernel: uniform_in_the_loop_varying_behind
//@ global: 67
//@ inout: int = 0 0 -> 0 67
//@ kernel: two_ways_out_of_a_loop
//@ global: 67
//@ inout: int = 0 0 -> 0 67
//@ in: int = 0..300
//@ kernel: index_that_wraps_within_a_vector
//@ global: 67
//@ inout: int = 0 0 -> 0 67
//@ kernel: no_overflow_only_where_it_executes
//@ global: 67
//@ inout: int = 0 0 -> 0 67
//@ value: int = 3
//@ kernel: three_components_take_four
//@ global: 67
//@ inout: int = 0 0 -> 0 67
//@ kernel: own_store_then_load
//@ global: 67
//@ inout: int = 0 0 -> 0 67
//@ kernel: extremes_of_nan_and_zero
//@ global: 67
//@ inout: int = 0 0 -> 0 67
//@ kernel: nobody_within_the_bound
//@ global: 67
//@ local: 67
//@ inout: int = 0 0 -> 0 67
//@ value: int = 0
//@ kernel: bound_below_the_group
//@ global: 96
//@ local: 32
//@ inout: int = 0 0 -> 0 10
//@ value: int = 10
//@ kernel: truth_values_in_memory
//@ global: 67
//@ inout: int = 0 0 -> 0 67
//@ kernel: once_for_each_active_lane
//@ global: 67
//@ inout: int = 0 0 -> 0 34
//@ kernel: private_array_starts_afresh
//@ global: 67
//@ inout: int = 0 0 -> 0 67
//@ kernel: spin_lock
//@ global: 67
//@ local: 67
//@ inout: int = 0 0 -> 0 67
//@ kernel: compare_and_swap_of_floats
//@ global: 67
//@ local: 67
//@ inout: float = 0 0 -> 0 2211
//@ kernel: neighbours_of_masked_stores
//@ global: 1024
//@ local: 64
//@ inout: int = 0 0 -> 0 1024
#define COUNT(ok)                            \
    do {                                     \
        if (!(ok)) atomic_inc(&out[0]);      \
        atomic_inc(&out[1]);                 \
    } while (0)

kernel void uniform_load_under_an_empty_mask(global int *out, int far)
{
    int i = get_global_id(0), v = i;
    if (i > 1000) v += out[far];
    COUNT(v == i);
}
kernel void division_without_exceptions(global int *out)
{
    int i = get_global_id(0);
    int by = i % 3 - 1, q = 7;
    if (by != 0) q = (i - INT_MAX - 1) / by;
    // The lowest number by -1 is anything, but no exception.
    COUNT(by == 0 ? q == 7 : by == 1 ? q == i - INT_MAX - 1 : i == 0 || q == INT_MAX - i + 1);
}
kernel void inverted_comparison_with_nan(global int *out)
{
    int i = get_global_id(0);
    float x = i % 4 == 0 ? NAN : (float)i, y = i % 5 == 0 ? NAN : 30.0f;
    int v = 0;
    if (!(x < y)) v = 1;
    if (x >= y) v |= 2;
    int nan = i % 4 == 0 || i % 5 == 0;
    COUNT(v == (nan ? 1 : i >= 30 ? 3 : 0));
}
kernel void uniform_in_the_loop_varying_behind(global int *out)
{
    int i = get_global_id(0), n = i % 7, last = -1;
    for (int k = 0; k < n; ++k) last = 3 * k;
    int k = 0, square;
    do {
        square = k * k;
    } while (++k < n);
    COUNT(last == (n == 0 ? -1 : 3 * (n - 1)) && square == (n == 0 ? 0 : (n - 1) * (n - 1)));
}
kernel void two_ways_out_of_a_loop(global int *out, global const int *in)
{
    int i = get_global_id(0), last = 0, want = 0;
    // Each work-item in an iteration of its own, straight to the next pass of the loop around.
    while (last < 40) {
        int k = last + 1;
        for (;; ++k) {
            if (in[k] % 7 == i % 5) break;
            if (in[k + 20] % 11 == i % 9) break;
        }
        last = k;
    }
    for (int k = 1; want < 40; ++k)
        if (k % 7 == i % 5 || (k + 20) % 11 == i % 9) want = k;
    COUNT(last == want);
}
constant int squares[8] = {0, 1, 4, 9, 16, 25, 36, 49};
kernel void index_that_wraps_within_a_vector(global int *out)
{
    int i = get_global_id(0), own[256];
    for (int k = 0; k < 256; ++k) own[k] = 5 * k;
    uchar narrow = (uchar)(i + 250);
    uint wide = (uint)i + 0xfffffffau;
    COUNT(own[narrow] == 5 * ((i + 250) % 256) && own[wide & 255u] == 5 * ((i + 250) % 256) && own[wide + 6u] == 5 * i);
}
kernel void no_overflow_only_where_it_executes(global int *out, int n)
{
    int i = get_global_id(0), v = 0;
    if (i < n) v = squares[i * 0x40000000 >> 29 & 7];
    if (i < 8) v += squares[i];
    COUNT(v == (i < 8 ? i * i : 0) + (i < n ? squares[(uint)i * 0x40000000u >> 29 & 7] : 0));
}
kernel void three_components_take_four(global int *out)
{
    int i = get_global_id(0);
    int3 array[3];
    int packed[9];
    for (int k = 0; k < 3; ++k) {
        array[k] = (int3)(k, 10 * k, i);
        vstore3((int3)(k + i, k, -i), k, packed);
    }
    int3 a = array[i % 3], b = vload3((i + 1) % 3, packed);
    COUNT(a.x == i % 3 && a.y == 10 * (i % 3) && a.z == i && b.x == (i + 1) % 3 + i && b.y == (i + 1) % 3 && b.z == -i);
}
kernel void own_store_then_load(global int *out)
{
    int i = get_global_id(0), a[4] = {1, 2, 3, 4};
    int *p = a + i % 4, *q = a + (i + 4) % 4;
    *p = 10;
    int first = *q;
    *q = 20;
    int second = *p;
    COUNT(first == 10 && second == 20);
}
kernel void extremes_of_nan_and_zero(global int *out)
{
    int i = get_global_id(0);
    float x = i % 2 ? NAN : 3.0f, y = i % 3 ? NAN : 5.0f;
    float low = fmin(x, y), high = fmax(x, y);
    int both = i % 2 && i % 3;
    int ok = both ? isnan(low) && isnan(high) : low == (i % 2 ? 5.0f : 3.0f) && high == (i % 3 ? 3.0f : 5.0f);
    float zero = i % 2 ? -0.0f : 0.0f;
    COUNT(ok && fmin(zero, 1.0f) == 0.0f && signbit(fmin(zero, 1.0f)) == i % 2);
}
kernel void nobody_within_the_bound(global int *out, int n)
{
    local int shared[67];
    int i = get_local_id(0), v = 9;
    shared[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n) v = shared[66 - i];
    barrier(CLK_LOCAL_MEM_FENCE);
    COUNT(v == 9 && shared[i] == i);
}
kernel void bound_below_the_group(global int *out, int n)
{
    int i = get_global_id(0);
    if (i < n) COUNT(i < 10);
}
kernel void truth_values_in_memory(global int *out)
{
    int i = get_global_id(0);
    bool flags[6];
    for (int k = 0; k < 6; ++k) flags[k] = (i + k) % 3 == 0;
    int n = 0;
    for (int k = 0; k < 6; ++k) n += flags[k];
    COUNT(n == 2 && flags[i % 6] == ((i + i % 6) % 3 == 0));
}
kernel void once_for_each_active_lane(global int *out)
{
    int i = get_global_id(0);
    volatile int own = 0;
    if (i % 2 == 0) {
        own++;
        COUNT(own == 1);
    } else if (own != 0)
        atomic_inc(&out[0]);
}
kernel void private_array_starts_afresh(global int *out)
{
    int i = get_global_id(0), ok = 1;
    for (int round = 0; round < 3; ++round) {
        int seen[4] = {0};
        seen[(i + round) % 4]++;
        for (int k = 0; k < 4; ++k) ok &= seen[k] == (k == (i + round) % 4);
    }
    COUNT(ok);
}
kernel void spin_lock(global int *out)
{
    local int lock, n;
    if (get_local_id(0) == 0) lock = n = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    while (atomic_cmpxchg(&lock, 0, 1) != 0) {}
    n++;
    atomic_xchg(&lock, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    COUNT(n == 67);
}
kernel void compare_and_swap_of_floats(global float *out)
{
    local float sum;
    int i = get_local_id(0);
    if (i == 0) sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint old = as_uint(sum), seen;
    while ((seen = atomic_cmpxchg((local uint *)&sum, old, as_uint(as_float(old) + i))) != old) old = seen;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 0) out[1] = sum;
}
// Groups, maybe in other threads at the time, write the elements between.
global uchar bytes[1024];
global ushort shorts[1024];
global int words[1024];
kernel void neighbours_of_masked_stores(global int *out)
{
    int g = get_group_id(0), ok = 1;
    for (int pass = 0; pass < 1000; ++pass) {
        for (int k = get_local_id(0); k < 1024; k += 64) {
            if (k % 16 == g) {
                ok &= bytes[k] == (uchar)pass && shorts[k] == pass && words[k] == pass;
                bytes[k] = pass + 1;
                shorts[k] = pass + 1;
                words[k] = pass + 1;
            }
        }
    }
    COUNT(ok);
}

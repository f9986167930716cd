// Nearly all functions of sub-groups, in sub-groups of 64: more than fits onto the stack where each value is in memory
// for debuggers.
//@ options: -cl-std=CL3.0
//@ kernel: all
//@ global: 64
//@ local: 64
//@ out: int = 34100 34140 34240 34280 34780 34900 35080 35200 35780 35980 36240 36440 37100 37380 37720 38000 38228 38588 39008 39368 40188 40628 41128 41056 41956 42476 43056 43576 44044 44644 45304 45904 46196 46876 47616 48296 48924 49684 50504 50752 51972 52812 53200 54040 55340 55748 56728 57648 58516 59516 60576 61064 62524 63092 64232 64800 66340 67500 68208 69368 70476 71716 72504 73104
//@ in: int = 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
#define ARITHMETIC(T, op) \
    REDUCE(T, sub_group_reduce_##op) REDUCE(T, sub_group_scan_inclusive_##op) \
    REDUCE(T, sub_group_non_uniform_reduce_##op) REDUCE(T, sub_group_non_uniform_scan_inclusive_##op) \
    sum += (int)sub_group_clustered_reduce_##op(v##T, 4u);
#define REDUCE(T, f) sum += (int)f(v##T);
#define MOVE(T, f, ...) sum += (int)f(v##T, __VA_ARGS__);
#define ALL(T) { \
    T v##T = (T)(x + lane); \
    ARITHMETIC(T, add) ARITHMETIC(T, min) ARITHMETIC(T, max) \
    MOVE(T, sub_group_broadcast, 3u) MOVE(T, sub_group_shuffle, lane ^ 1) MOVE(T, sub_group_shuffle_xor, 3u) \
    MOVE(T, sub_group_rotate, 1) MOVE(T, sub_group_clustered_rotate, 1, 4u) \
    MOVE(T, sub_group_non_uniform_broadcast, 2u) REDUCE(T, sub_group_broadcast_first) }

__attribute__((intel_reqd_sub_group_size(64)))
kernel void all(global int *out, global const int *in) {
    int lane = get_sub_group_local_id(), x = in[get_global_id(0)], sum = 0;
    ALL(char) ALL(uchar) ALL(short) ALL(ushort) ALL(int) ALL(uint)
    ALL(long) ALL(ulong) ALL(float) ALL(double)
    out[get_global_id(0)] = sum;
}

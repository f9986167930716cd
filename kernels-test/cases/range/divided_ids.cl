// Quotients and remainders of ids and sizes, which may be computed in 32 bits, beside those that must not, and those
// that lanes share or have in order, where the offset is a multiple of their number.
//@ kernel: divide
//@ global: 100 3
//@ local: 10 1
//@ offset: 2147483000 5
//@ value: ulong = 77
//@ inout: ulong = 0*2400 -> _*2400
//@ same-as: divide_wide
//@ kernel: divide
//@ global: 96 2
//@ value: ulong = 3
//@ inout: ulong = 0*2400 -> _*2400
//@ same-as: divide_wide
//@ kernel: blocks
//@ global: 192
//@ local: 64
//@ inout: uint = 0*768 -> _*768
//@ same-as: blocks_wide
//@ kernel: blocks
//@ global: 192
//@ local: 64
//@ offset: 64
//@ inout: uint = 0*768 -> _*768
//@ same-as: blocks_wide
//@ kernel: blocks
//@ global: 192
//@ local: 64
//@ offset: 37
//@ inout: uint = 0*768 -> _*768
//@ same-as: blocks_wide
//@ kernel: blocks
//@ global: 192
//@ local: 48
//@ offset: 2147483456
//@ inout: uint = 0*768 -> _*768
//@ same-as: blocks_wide
#define DIVIDE(x, y, z)                                                                                          \
    global ulong *p = a + 8 * ((get_global_id(1) - get_global_offset(1)) * get_global_size(0) + get_global_id(0) \
                               - get_global_offset(0));                                                          \
    p[0] = x / 1000;                                                                                             \
    p[1] = x % 1000;                                                                                             \
    p[2] = x / (y + 1) % 7;                                                                                      \
    p[3] = (long)x % (long)(y + 2);                                                                              \
    p[4] = (x - 50) / 13;                                                                                        \
    p[5] = x * x / (y + 1);                                                                                      \
    p[6] = (x + 2147483647) % 1000003;                                                                           \
    p[7] = x / z + y % z;
kernel void divide(ulong n, global ulong *a) {
    size_t x = get_global_id(0), y = get_global_id(1);
    DIVIDE(x, y, n)
}
// What is read from memory may be any number.
kernel void divide_wide(ulong n, global ulong *a) {
    volatile ulong ids[2];
    ids[0] = get_global_id(0);
    ids[1] = get_global_id(1);
    ulong x = ids[0], y = ids[1];
    DIVIDE(x, y, n)
}
#define BLOCKS(u, i, s)                                                                          \
    uint at = 4 * (uint)(get_global_id(0) - get_global_offset(0));                               \
    a[at] = u / 32 * 96 + u % 32;                                                                \
    a[at + 1] = (uint)i / 16 + (uint)(i % 16 * 1000);                                            \
    a[at + 2] = (uint)(i / 8 * 3 - i % 64);                                                      \
    a[at + 3] = (uint)((ulong)(u / 32 * 134217728u + 4294967200u + u % 32) >> 3) + (uint)(s / 64 * 5 + s % 128);
kernel void blocks(global uint *a) {
    uint u = get_global_id(0);
    int i = get_global_id(0);
    size_t s = get_global_id(0);
    BLOCKS(u, i, s)
}
kernel void blocks_wide(global uint *a) {
    volatile ulong id = get_global_id(0);
    uint u = id;
    int i = id;
    ulong s = id;
    BLOCKS(u, i, s)
}

// Quotients and remainders of ids and sizes, which may be computed in 32 bits, beside those that must not.
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

// What an exclusive scan gives the first work-item of a group; groups of one work-item are all first.
//@ options: -cl-std=CL3.0
//@ kernel: ints
//@ global: 3
//@ local: 1
//@ out: int = 0*3 2147483647*3 -2147483648*3 1*3 -1*3 0*3 0*3
//@ out: uint = 0*3 4294967295*3 0*3 1*3 4294967295*3 0*3 0*3
//@ out: int = 1*3 0*3 0*3
//@ kernel: longs
//@ global: 2
//@ local: 1
//@ out: long = 0*2 9223372036854775807*2 -9223372036854775808*2 1*2 -1*2 0*2 0*2
//@ out: ulong = 0*2 18446744073709551615*2 0*2 1*2 18446744073709551615*2 0*2 0*2
//@ kernel: floats
//@ global: 2
//@ local: 1
//@ out: float = 0*2 inf*2 -inf*2 1*2
//@ out: double = 0*2 inf*2 -inf*2 1*2
#ifndef cl_khr_work_group_uniform_arithmetic
#error "the extension macro is missing"
#endif
#define SCAN(op) *out = work_group_scan_exclusive_##op(v); out += n;
#define INTS(type) \
    void store_##type(global type *out, type v, size_t n) { \
        SCAN(add) SCAN(min) SCAN(max) SCAN(mul) SCAN(and) SCAN(or) SCAN(xor) \
    }
#define FLOATS(type) \
    void store_##type(global type *out, type v, size_t n) { SCAN(add) SCAN(min) SCAN(max) SCAN(mul) }
INTS(int)
INTS(uint)
INTS(long)
INTS(ulong)
FLOATS(float)
FLOATS(double)
kernel void ints(global int *a, global uint *b, global int *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    int v = (int)i * 77 - 9;
    store_int(a + i, v, n);
    store_uint(b + i, v, n);
    out += i;
    *out = work_group_scan_exclusive_logical_and(v) != 0; out += n;
    SCAN(logical_or)
    SCAN(logical_xor)
}
kernel void longs(global long *a, global ulong *b)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    store_long(a + i, (long)i - 4, n);
    store_ulong(b + i, i + 3, n);
}
kernel void floats(global float *a, global double *b)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    store_float(a + i, i + 2.5f, n);
    store_double(b + i, i - 7.5, n);
}

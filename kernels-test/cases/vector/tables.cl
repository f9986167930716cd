// Lookups in small constant tables at an index of each work-item's own: tables that fill two registers of 64 bytes, and others.
// Each kernel counts work-items that found something else than they should (first) and all that looked.
//@ kernel: doubles
//@ global: 128
//@ local: 32
//@ inout: int = 0 0 -> 0 128
//@ kernel: floats
//@ global: 128
//@ local: 32
//@ inout: int = 0 0 -> 0 128
//@ kernel: longs_of_some
//@ global: 128
//@ local: 32
//@ inout: int = 0 0 -> 0 48
//@ kernel: ints_with_offset
//@ global: 128
//@ local: 32
//@ inout: int = 0 0 -> 0 128
//@ kernel: more
//@ global: 128
//@ local: 32
//@ inout: int = 0 0 -> 0 128
#define FOUR(f, n) f(n), f(n + 1), f(n + 2), f(n + 3)
#define SIXTEEN(f, n) FOUR(f, n), FOUR(f, n + 4), FOUR(f, n + 8), FOUR(f, n + 12)
#define VALUE(n) ((n) * (n) * 3 - 100)

constant double of_doubles[16] = { SIXTEEN(VALUE, 0) };
constant float of_floats[32] = { SIXTEEN(VALUE, 0), SIXTEEN(VALUE, 16) };
constant long of_longs[16] = { SIXTEEN(VALUE, 0) };
constant int of_ints[32] = { SIXTEEN(VALUE, 0), SIXTEEN(VALUE, 16) };
constant double of_more[32] = { SIXTEEN(VALUE, 0), SIXTEEN(VALUE, 16) };

// A number below `range` that jumps about; not known to the compiler.
int scattered(int i, int range) { return (i * 37 + i / range * 11) % range; }

void count(global int *out, bool right)
{
    if (!right)
        atomic_inc(&out[0]);
    atomic_inc(&out[1]);
}

kernel void doubles(global int *out)
{
    int n = scattered(get_global_id(0), 16);
    count(out, of_doubles[n] == VALUE(n));
}

kernel void floats(global int *out)
{
    int n = scattered(get_global_id(0), 32);
    count(out, of_floats[n] == VALUE(n));
}

// Where the index is outside nobody looks.
kernel void longs_of_some(global int *out)
{
    long n = scattered(get_global_id(0), 42), found = -7;
    if (n < 16)
        found = of_longs[n];
    if (found != -7)
        count(out, found == VALUE(n));
}

kernel void ints_with_offset(global int *out)
{
    int n = scattered(get_global_id(0), 29);
    count(out, of_ints[n + 3] == VALUE(n + 3));
}

kernel void more(global int *out)
{
    int n = scattered(get_global_id(0), 32);
    count(out, of_more[n] == VALUE(n));
}

// Arrays that are large for each work-item: in groups away from edges and at them, whole and not.
//@ kernel: rows
//@ global: 40 6
//@ local: 20 3
//@ inout: int = 0 -> 0
//@ kernel: rows
//@ global: 16 16
//@ local: 8 8
//@ inout: int = 0 -> 0
//@ kernel: large
//@ global: 40
//@ local: 40
//@ inout: int = 0 -> 0
//@ kernel: largest
//@ global: 20
//@ local: 20
//@ inout: int = 0 -> 0
//@ kernel: addresses
//@ global: 20
//@ local: 20
//@ in: int = 3 10 17 5 12 0 7 14 2 9 16 4 11 18 6 13 1 8 15 3
//@ out: int = 103 1110 2117 3105 4112 5100 6107 7114 8102 9109 10116 11104 12111 13118 14106 15113 16101 17108 18115 19103
#define SUM(n) \
    int x = get_global_id(0), y = get_global_id(1), a[n]; \
    if (x < 39 && y < 15) { \
        for (int k = 0; k < n; ++k) a[k] = x * k + y; \
        int sum = 0; \
        for (int k = 0; k < n; ++k) sum += a[n - 1 - k] - a[k] + (a[k] == x * k + y); \
        if (sum != n) atomic_inc(out); \
    }
kernel void rows(global int *out)
{
    SUM(1024)
}
kernel void large(global int *out)
{
    SUM(5000)
}
kernel void largest(global int *out)
{
    SUM(60000)
}
// What comes of addresses of private variables, and of nothing else, is the same for all work-items; the variables are not.
kernel void addresses(global const int *in, global int *out)
{
    int x = get_global_id(0), a[3], b[3], *u = a, *v = b;
    for (int k = 0; k < 3; ++k) a[k] = b[k] = 0;
    if (u) u[x % 3] = in[x];
    if (u < v || v < u) v[in[x] % 3] = x;
    ulong address = (ulong)u;
    *(int *)(address + 4 * (x % 3)) += (address & 3) == 0 ? 100 : 200;
    out[x] = a[0] + a[1] + a[2] + 1000 * (b[0] + b[1] + b[2]);
}

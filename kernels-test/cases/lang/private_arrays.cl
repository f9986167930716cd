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

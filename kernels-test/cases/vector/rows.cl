// Each work-item reads a row of memory element by element, which the driver may do four elements at a time for rows of many
// work-items. What `same-as` names reads them through `volatile`, where it may not. Rows of no elements, of a few, and of more than a
// whole number of fours; indices of all types; unsigned indices that wrap on the way into a row, and within one.
//@ kernel: ints
//@ global: 64
//@ local: 32
//@ in: float = 1..3000
//@ out: float = _*64
//@ value: int = 7
//@ value: int = 0
//@ same-as: ints_one
//@ kernel: ints
//@ global: 64
//@ local: 64
//@ in: float = 1..3000
//@ out: float = _*64
//@ value: int = 40
//@ value: int = 3
//@ same-as: ints_one
//@ kernel: ints
//@ global: 64
//@ local: 16
//@ in: float = 1..3000
//@ out: float = _*64
//@ value: int = 40
//@ value: int = 4
//@ same-as: ints_one
//@ kernel: ints
//@ global: 64
//@ local: 32
//@ in: float = 1..3000
//@ out: float = _*64
//@ value: int = 40
//@ value: int = 39
//@ same-as: ints_one
//@ kernel: wrapping
//@ global: 64
//@ local: 32
//@ in: float = 1..3000
//@ out: float = _*64
//@ value: uint = 40
//@ value: uint = 37
//@ same-as: wrapping_one
//@ kernel: sizes
//@ global: 64
//@ local: 64
//@ in: int = 1..3000
//@ out: int = _*64
//@ value: ulong = 45
//@ value: ulong = 22
//@ same-as: sizes_one
//@ kernel: constants
//@ global: 48
//@ local: 24
//@ in: float = 1..3000
//@ out: float = _*48
//@ same-as: constants_one
//@ kernel: down_to
//@ global: 64
//@ local: 32
//@ in: int = 1..3000
//@ out: int = _*64
//@ value: int = 40
//@ value: int = 2
//@ same-as: down_to_one
kernel void ints(global const float *a, global float *out, int n, int used)
{
    int i = get_global_id(0);
    float sum = 0;
    for (int k = 0; k < used; k++)
        sum = sum * 0.5f + a[i * n + k] * a[k];
    out[i] = sum;
}
kernel void ints_one(global const volatile float *a, global float *out, int n, int used)
{
    int i = get_global_id(0);
    float sum = 0;
    for (int k = 0; k < used; k++)
        sum = sum * 0.5f + a[i * n + k] * a[k];
    out[i] = sum;
}

// Row 0 begins at the index -2, of which the first elements are the last of all numbers plus 2.
kernel void wrapping(global const float *a, global float *out, uint n, uint used)
{
    uint i = get_global_id(0), from = i * n - 2;
    float sum = 0, other = 0;
    for (uint k = 2; k < used; k++)
        sum = sum * 0.5f + a[from + k] * (a[from + k] - a[k]);
    for (int k = 2; k < (int)used; k++)
        other = other * 0.5f + a[from + k];
    out[i] = sum + other;
}
kernel void wrapping_one(global const volatile float *a, global float *out, uint n, uint used)
{
    uint i = get_global_id(0), from = i * n - 2;
    float sum = 0, other = 0;
    for (uint k = 2; k < used; k++) {
        float x = a[from + k];
        sum = sum * 0.5f + x * (x - a[k]);
    }
    for (int k = 2; k < (int)used; k++)
        other = other * 0.5f + a[from + k];
    out[i] = sum + other;
}

kernel void sizes(global const int *a, global int *out, ulong n, ulong used)
{
    size_t i = get_global_id(0);
    int sum = 0;
    for (size_t k = 0; k < used; k++)
        sum = sum * 3 + (a[i * n + k] ^ a[i * n + k + used]);
    out[i] = sum;
}
kernel void sizes_one(global const volatile int *a, global int *out, ulong n, ulong used)
{
    size_t i = get_global_id(0);
    int sum = 0;
    for (size_t k = 0; k < used; k++) {
        int x = a[i * n + k];
        sum = sum * 3 + (x ^ a[i * n + k + used]);
    }
    out[i] = sum;
}

kernel void constants(global const float *a, global float *out)
{
    int i = get_global_id(0);
    float sum = 0, most = 0;
    for (int k = 0; k < 53; k++) {
        sum += a[i * 53 + k];
        most = max(most, a[i * 53 + k] * sum);
    }
    out[i] = sum + most;
}
kernel void constants_one(global const volatile float *a, global float *out)
{
    int i = get_global_id(0);
    float sum = 0, most = 0;
    for (int k = 0; k < 53; k++) {
        float x = a[i * 53 + k];
        sum += x;
        most = max(most, x * sum);
    }
    out[i] = sum + most;
}

// The limit is reached from its other side, and counted to by other tests.
kernel void down_to(global const int *a, global int *out, int n, int from)
{
    int i = get_global_id(0), sum = 0;
    for (int k = from; k != n; k++)
        sum = sum * 3 + a[i * n + k];
    for (int k = from; n >= k + 1; k++)
        sum = sum * 5 + a[i * n + k];
    for (int k = from; k <= n; k++)
        sum = sum * 7 + a[i * n + k];
    out[i] = sum;
}
kernel void down_to_one(global const volatile int *a, global int *out, int n, int from)
{
    int i = get_global_id(0), sum = 0;
    for (int k = from; k != n; k++)
        sum = sum * 3 + a[i * n + k];
    for (int k = from; n >= k + 1; k++)
        sum = sum * 5 + a[i * n + k];
    for (int k = from; k <= n; k++)
        sum = sum * 7 + a[i * n + k];
    out[i] = sum;
}

// Tables that kernels declare: read only, changed, in a function, and in the turns of a loop.
//@ kernel: tables
//@ global: 32
//@ local: 16
//@ value: int = 3
//@ inout: int = 1*32 -> _*32
//@ same-as: by_volatile
#define TABLES(QUALIFIER) \
    int i = get_global_id(0); \
    QUALIFIER int steps[9] = {0, 1, -1, 5, -5, 7, -7, 11, -11}; \
    QUALIFIER float2 places[4] = {(float2)(1, 2), (float2)(3, 4), (float2)(5, 6), (float2)(7, 8)}; \
    QUALIFIER uchar changed[8] = {1, 2, 3, 4, 5, 6, 7, 8}; \
    int sum = steps[(i * n) % 9]; \
    for (int k = 0; k < n; k++) { \
        QUALIFIER short again[5] = {10, 20, 30, 40, 50}; \
        sum += again[(i + k) % 5] * steps[k % 9]; \
        changed[(i + k) % 8] += sum; \
        sum += (int)places[(sum + k) & 3].y; \
    } \
    a[i] = sum * 3 + changed[i % 8] + steps[(uint)sum % 9];
kernel void tables(int n, global int *a) { TABLES() }
kernel void by_volatile(int n, global int *a) { TABLES(volatile) }

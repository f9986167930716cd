// Tables that kernels declare: read only, changed, and in the turns of a loop.
//@ kernel: tables
//@ global: 32
//@ local: 16
//@ value: int = 3
//@ inout: int = 1*32 -> _*32
//@ same-as: by_volatile
#define TABLES(QUALIFIER) \
    int i = get_global_id(0); \
    QUALIFIER int steps[20] = {0, 1, -1, 5, -5, 7, -7, 11, -11, 13, -13, 17, -17, 19, -19, 23, -23, 29, -29, 31}; \
    QUALIFIER float2 places[20] = {(float2)(1, 2), (float2)(3, 4), (float2)(5, 6), (float2)(7, 8)}; \
    QUALIFIER uchar changed[40] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}; \
    int sum = steps[(i * n) % 20]; \
    for (int k = 0; k < n; k++) { \
        QUALIFIER short again[18] = {10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 130, 140, 150, 160, 170, 180}; \
        sum += again[(i + k) % 18] * steps[k % 20]; \
        changed[(i + k) % 40] += sum; \
        sum += (int)places[(sum + k) & 15].y; \
    } \
    a[i] = sum * 3 + changed[i % 40] + steps[(uint)sum % 20];
kernel void tables(int n, global int *a) { TABLES() }
kernel void by_volatile(int n, global int *a) { TABLES(volatile) }

// Vectors of the program's that are loaded, computed with component by component and stored, whole or not.
//@ options: -cl-std=CL3.0
//@ kernel: plain
//@ global: 75
//@ local: 75
//@ in: float = 0..399
//@ inout: float = 1..300 -> _*300
//@ inout: int = 5*600 -> _*600
//@ inout: ushort = 0..599 -> _*600
//@ inout: double = 1..600 -> _*600
//@ value: int = 7
//@ value: float = 0.375
//@ same-as: single
#define STEP(T, S, x, n) { T v = x; v = v * (T)(S)3 + (T)(S)n; x = v; }
kernel void plain(global const float4 *x, global float4 *y, global int8 *k, global ushort8 *h, global double8 *d, int n, float a)
{
    int i = get_global_id(0);
    float4 s = 0.0f, first = x[i];
    for (int j = 0; j < n; j++) {
        s += x[i + j] * a;
        if (j == n - 2) s = s - first;
    }
    y[i] = s / (float)n + y[i];
    STEP(int8, int, k[i], n)
    h[i] = (h[i] >> (ushort8)3) ^ (ushort8)n;
    d[i] = convert_double8(k[i]) * d[i] - a;
    k[i] = n > 3 ? -k[i] : k[i];
}
kernel void single(volatile global const float *x, volatile global float *y, volatile global int *k,
                   volatile global ushort *h, volatile global double *d, int n, float a)
{
    int i = get_global_id(0);
    for (int c = 0; c < 4; c++) {
        float s = 0.0f, first = x[4 * i + c];
        for (int j = 0; j < n; j++) {
            s += x[4 * (i + j) + c] * a;
            if (j == n - 2) s = s - first;
        }
        y[4 * i + c] = s / (float)n + y[4 * i + c];
    }
    for (int c = 8 * i; c < 8 * i + 8; c++) {
        k[c] = k[c] * 3 + n;
        h[c] = h[c] >> 3 ^ n;
        d[c] = (double)k[c] * d[c] - a;
        k[c] = n > 3 ? -k[c] : k[c];
    }
}

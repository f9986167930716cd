/* A step of Gaussian elimination; the first dimension goes down the lines. */
kernel void gaussian(global const float *m, global float *a, global float *b, int size, int t) {
    int x = get_global_id(0);
    int y = get_global_id(1);
    if (x < size - 1 - t && y < size - t) {
        a[size * (x + 1 + t) + (y + t)] -= m[size * (x + 1 + t) + t] * a[size * t + (y + t)];
        if (y == 0) b[x + 1 + t] -= m[size * (x + 1 + t) + (y + t)] * b[t];
    }
}

// local: 8 16 64 100
// groups: 2
// W: 5 64 100
// T: int uint long size_t
// n: 7 64 250
kernel void k(global const int *in, global int *out, long n) {
    for (T i = get_global_id(0); i < (T)n; i += get_global_size(0)) {
        T x = i % W, y = i / W, z = i % 96 / 8;
        int sum = in[y * W + x] - in[(i + 15) % 16];
        if (x > 1) sum += in[(y * W + x) / 8 * 8 + (i & 7)] + (int)z;
        out[i] = sum;
    }
}

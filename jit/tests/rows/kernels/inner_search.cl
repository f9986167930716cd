// local: 1
// exact: yes
// groups: 2
// N: 24 30 32
// n: 5 40
// Y: 0 8 90
// target: v128 avx2 avx512
// width: 8 16
kernel void k(global const float *in, global int *out, int n) {
    float x[80];
    for (int i = 0; i < 80; i++) x[i] = in[get_group_id(0) * 100 + i] * 2;
    int found = 0;
    for (int g = 0; g < n; g++) {
        float y = in[500 + g];
        bool is_near = false, is_far = true;
        for (int i = 0; i < N && !is_near; i++)
            is_near = fabs(x[i] - y) * fabs(x[i + 40] + x[i + 1]) < Y && x[i] < x[i + 2] + y;
        for (int i = 0; i < 50; i++) is_far &= x[i] > y;
        if (is_near) out[found++ + get_group_id(0) * 100] = g + is_far;
        for (int i = 0; i < N; i++) {
            if (sqrt(fabs(x[i + 3] * y)) + x[i + 7] * x[i + 4] * 0.25f + x[i] * 3.5f < Y - 30) {
                found++;
                break;
            }
        }
    }
    out[get_group_id(0) * 100 + 99] = found;
}

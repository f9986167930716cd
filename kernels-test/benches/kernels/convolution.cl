/* 5 × 5 weights; pixels beyond the border are those of the border. */
kernel void convolution(global const float *in, constant float *weights, global float *out, int width, int height) {
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (int dy = -2; dy <= 2; dy++) {
        int row = clamp(y + dy, 0, height - 1) * width;
        for (int dx = -2; dx <= 2; dx++)
            sum += weights[(dy + 2) * 5 + dx + 2] * in[row + clamp(x + dx, 0, width - 1)];
    }
    out[y * width + x] = sum;
}

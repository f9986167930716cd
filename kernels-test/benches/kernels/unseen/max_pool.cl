/* The greatest of each window, and where it is. */
kernel void max_pool(int n, global const float *in, int in_h, int in_w, int channels, int stride, int size, int pad,
                     global float *out, global int *indexes) {
    int h = (in_h + 2 * pad - size) / stride + 1;
    int w = (in_w + 2 * pad - size) / stride + 1;
    int id = get_global_id(0);
    if (id >= n) return;
    int j = id % w;
    id /= w;
    int i = id % h;
    id /= h;
    int k = id % channels;
    id /= channels;
    int b = id;
    int out_index = j + w * (i + h * (k + channels * b));
    float most = -INFINITY;
    int max_i = -1;
    for (int l = 0; l < size; l++) {
        for (int m = 0; m < size; m++) {
            int cur_h = i * stride + l - pad;
            int cur_w = j * stride + m - pad;
            int index = cur_w + in_w * (cur_h + in_h * (k + b * channels));
            int valid = (cur_h >= 0 && cur_h < in_h && cur_w >= 0 && cur_w < in_w);
            float val = (valid != 0) ? in[index] : -INFINITY;
            max_i = (val > most) ? index : max_i;
            most = (val > most) ? val : most;
        }
    }
    out[out_index] = most;
    indexes[out_index] = max_i;
}

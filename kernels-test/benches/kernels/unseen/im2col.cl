/* Patches of an image as columns, for a convolution by matrix product. */
kernel void im2col(int n, global const float *image, int height, int width, int size, int pad, int stride,
                   int height_col, int width_col, global float *columns) {
    int index = get_global_id(0);
    if (index >= n) return;
    int w_out = index % width_col;
    int h_index = index / width_col;
    int h_out = h_index % height_col;
    int channel_in = h_index / height_col;
    int channel_out = channel_in * size * size;
    int h_in = h_out * stride - pad;
    int w_in = w_out * stride - pad;
    global float *to = columns + (channel_out * height_col + h_out) * width_col + w_out;
    global const float *from = image + (channel_in * height + h_in) * width + w_in;
    for (int i = 0; i < size; i++) {
        for (int j = 0; j < size; j++) {
            int h = h_in + i;
            int w = w_in + j;
            *to = (h >= 0 && w >= 0 && h < height && w < width) ? from[i * width + j] : 0;
            to += height_col * width_col;
        }
    }
}

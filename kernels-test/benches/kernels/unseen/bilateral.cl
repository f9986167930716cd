/* Smooths what is alike: weights by distance and by difference of brightness. */
kernel void bilateral(global const uchar *in, global uchar *out, int width, int height, int radius, float space,
                      float range) {
    int x = get_global_id(0);
    int y = get_global_id(1);
    if (x >= width || y >= height) return;
    float center = in[y * width + x];
    float sum = 0.0f, weights = 0.0f;
    for (int dy = -radius; dy <= radius; dy++) {
        for (int dx = -radius; dx <= radius; dx++) {
            int xx = clamp(x + dx, 0, width - 1);
            int yy = clamp(y + dy, 0, height - 1);
            float value = in[yy * width + xx];
            float difference = value - center;
            float w = exp(-(dx * dx + dy * dy) * space - difference * difference * range);
            sum += w * value;
            weights += w;
        }
    }
    out[y * width + x] = convert_uchar_sat_rte(sum / weights);
}

/* Bilinear resizing of an image of three bytes a pixel. */
kernel void resize(global const uchar *src, int src_width, int src_height, global uchar *dst, int width, int height,
                   float scale_x, float scale_y) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    float sx = (x + 0.5f) * scale_x - 0.5f, sy = (y + 0.5f) * scale_y - 0.5f;
    int x0 = (int)floor(sx), y0 = (int)floor(sy);
    float u = sx - x0, v = sy - y0;
    int x1 = min(x0 + 1, src_width - 1), y1 = min(y0 + 1, src_height - 1);
    x0 = max(x0, 0);
    y0 = max(y0, 0);
    float3 a = convert_float3(vload3(y0 * src_width + x0, src)), b = convert_float3(vload3(y0 * src_width + x1, src));
    float3 c = convert_float3(vload3(y1 * src_width + x0, src)), d = convert_float3(vload3(y1 * src_width + x1, src));
    float3 value = mix(mix(a, b, u), mix(c, d, u), v);
    vstore3(convert_uchar3_sat_rte(value), y * width + x, dst);
}

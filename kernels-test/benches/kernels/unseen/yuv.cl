/* Packed red, green, blue to packed luma and chroma, three bytes a pixel. */
kernel void yuv(global const uchar *rgb, global uchar *out, int pixels) {
    int i = get_global_id(0);
    if (i >= pixels) return;
    int r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
    int y = ((66 * r + 129 * g + 25 * b + 128) >> 8) + 16;
    int u = ((-38 * r - 74 * g + 112 * b + 128) >> 8) + 128;
    int v = ((112 * r - 94 * g - 18 * b + 128) >> 8) + 128;
    out[3 * i] = (uchar)clamp(y, 0, 255);
    out[3 * i + 1] = (uchar)clamp(u, 0, 255);
    out[3 * i + 2] = (uchar)clamp(v, 0, 255);
}

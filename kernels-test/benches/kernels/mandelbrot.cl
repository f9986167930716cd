kernel void mandelbrot(global int *out, int width, int limit) {
    int px = get_global_id(0), py = get_global_id(1);
    float cx = -2.1f + px * (2.8f / width), cy = -1.4f + py * (2.8f / width);
    float x = 0, y = 0;
    int n = 0;
    while (n < limit && x * x + y * y <= 4.0f) {
        float t = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = t;
        n++;
    }
    out[py * width + px] = n;
}
